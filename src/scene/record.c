// src/scene/record.c -- reads values into structs by their tables, and refuses unknown keys.
#include "record.h"
#include <pliant/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    PATH_BYTES = 256,
    MOST_ITEMS = 10000 // in a list of records, which take far more memory than their text
};

typedef struct
{
    pl__json_doc *doc;
    char path[PATH_BYTES];
} reader;

static const char *const ease_names[] = {"linear", "smooth", "step", NULL};

// ---- suggestions -----------------------------------------------------------------------------------------------

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// Damerau-Levenshtein distance (with transpositions) of names below 64 letters.
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[3][65];
    if (n > 63 || m > 63)
        return 99;
    for (size_t j = 0; j <= m; ++j)
        row[0][j] = j;
    for (size_t i = 1; i <= n; ++i)
    {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; ++j)
        {
            now[j] = smaller(smaller(now[j - 1] + 1, before[j] + 1), before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = smaller(now[j], earlier[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

const char *pl__near_miss(const char *name, const char *const *known)
{
    const char *best = NULL;
    size_t least = strlen(name) / 3 + 1;
    for (; *known; ++known)
    {
        size_t d = distance(name, *known);
        if (d >= strlen(name))
            continue; // nothing in common
        bool begins = strlen(name) >= 3 &&
                      (strncmp(name, *known, strlen(name)) == 0 || strncmp(name, *known, strlen(*known)) == 0);
        if (d < least || (d == least && !best) || (begins && !best))
        {
            best = *known;
            least = smaller(d, least);
        }
    }
    return best;
}

// "a, b or c"
static void list_names(const char *const *names, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (; *names && used + 1 < size; ++names)
    {
        const char *joint = used == 0 ? "" : names[1] ? ", " : " or ";
        int wrote = snprintf(text + used, size - used, "%s%s", joint, *names);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static pl_status fail_unknown(pl_context *ctx, const pl__json *at, bool key, const char *path, const char *what,
                              const char *name, const char *const *known)
{
    char allowed[300];
    const char *guess = pl__near_miss(name, known);
    list_names(known, allowed, sizeof allowed);
    const char *joint = path[0] ? ": " : "";
    if (guess)
        return (key ? pl__json_fail_key : pl__json_fail)(ctx, at, "%s%sunknown %s \"%.60s\"; did you mean \"%s\"?",
                                                         path, joint, what, name, guess);
    return (key ? pl__json_fail_key : pl__json_fail)(ctx, at, "%s%sunknown %s \"%.60s\"; allowed %s %s", path, joint,
                                                     what, name, known[1] ? "are" : "is", allowed);
}

// ---- tables ----------------------------------------------------------------------------------------------------

const pl__field *pl__table_find(const pl__table *table, const char *name)
{
    for (int32_t i = 0; i < table->field_count; ++i)
        if (strcmp(table->field[i].name, name) == 0)
            return &table->field[i];
    return NULL;
}

bool pl__given(const pl__record *record, const char *name) { return pl__json_find(record->json, name) != NULL; }

const pl__json *pl__where(const pl__record *record, const char *name)
{
    const pl__json *value = pl__json_find(record->json, name);
    return value ? value : record->json;
}

void pl__fields_take(const pl__fields *fields, const pl__table *table, const void *record, bool given, void *def)
{
    for (int32_t i = 0; i < fields->count; ++i)
    {
        const pl__field *to = &fields->row[i], *from = pl__table_find(table, to->name);
        if (!from || (given && !pl__given(record, to->name)))
            continue;
        bool real = to->kind == PL__FIELD_NUMBER || to->kind == PL__FIELD_VECTOR;
        const char *value = (const char *)record + from->offset;
        size_t size = real ? (size_t)to->components * sizeof(double) : sizeof(int32_t);
        memcpy((char *)def + to->offset, from->keyed ? value + offsetof(pl__keyed_value, value) : value, size);
    }
}

const pl__keyed_value *pl__record_keys(const pl__table *table, const void *record, const char *name)
{
    const pl__field *f = pl__table_find(table, name);
    const pl__keyed_value *keys = f && f->keyed ? (const void *)((const char *)record + f->offset) : NULL;
    return keys && keys->count ? keys : NULL;
}

// ---- plain values ----------------------------------------------------------------------------------------------

// Append to the path; returns its previous length, for leave().
static size_t enter(reader *r, const char *name)
{
    size_t length = strlen(r->path);
    snprintf(r->path + length, sizeof r->path - length, "%s%.64s", length ? "." : "", name);
    return length;
}

static void leave(reader *r, size_t length) { r->path[length] = 0; }

static pl_status expect(const reader *r, const pl__json *json, pl__json_kind kind, const char *what)
{
    if (json->kind == kind)
        return PL_OK;
    return pl__json_fail(r->doc->ctx, json, "%s: expected %s, found %s", r->path, what, pl__json_kind_name(json));
}

static pl_status check_range(const reader *r, const pl__field *f, const pl__json *json, double value)
{
    char text[160];
    if (pl__field_allows(f, value))
        return PL_OK;
    pl__refusal_text(f, value, text, sizeof text);
    return pl__json_fail(r->doc->ctx, json, "%s: %s", r->path, text);
}

static const char *unit_phrase(const pl__field *f, char text[64])
{
    text[0] = 0;
    if (f->unit && f->unit[0])
        snprintf(text, 64, " [%s]", f->unit);
    return text;
}

static pl_status read_number(const reader *r, const pl__field *f, const pl__json *json, double *value)
{
    char what[120], unit[64];
    bool may_have_keys = f->keyed && f->kind == PL__FIELD_NUMBER;
    snprintf(what, sizeof what, "a number%s%s", unit_phrase(f, unit),
             may_have_keys ? " or {\"keys\": [[time, value], ...]}" : "");
    PL_TRY(expect(r, json, PL__JSON_NUMBER, what));
    *value = json->number;
    return check_range(r, f, json, *value);
}

static pl_status read_numbers(const reader *r, const pl__field *f, const pl__json *json, double *value)
{
    char what[120], unit[64];
    snprintf(what, sizeof what, "a list of %d numbers%s", f->components, unit_phrase(f, unit));
    PL_TRY(expect(r, json, PL__JSON_ARRAY, what));
    if (json->count != f->components)
        return pl__json_fail(r->doc->ctx, json, "%s: expected %s, found %d", r->path, what, json->count);
    for (const pl__json *child = json->first; child; child = child->next)
        PL_TRY(read_number(r, f, child, value++));
    return PL_OK;
}

static pl_status read_plain(const reader *r, const pl__field *f, const pl__json *json, double *value)
{
    return f->kind == PL__FIELD_NUMBER ? read_number(r, f, json, value) : read_numbers(r, f, json, value);
}

static pl_status read_integer(const reader *r, const pl__field *f, const pl__json *json, int32_t *value)
{
    PL_TRY(expect(r, json, PL__JSON_NUMBER, "a whole number"));
    PL_TRY(check_range(r, f, json, json->number));
    if (json->number != floor(json->number))
        return pl__json_fail(r->doc->ctx, json, "%s: %.10g must be a whole number", r->path, json->number);
    *value = (int32_t)json->number;
    return PL_OK;
}

static pl_status find_choice(const reader *r, const char *const *choices, const pl__json *json, int32_t *which)
{
    PL_TRY(expect(r, json, PL__JSON_STRING, "a string"));
    for (int32_t i = 0; choices[i]; ++i)
        if (strcmp(choices[i], json->text) == 0)
        {
            *which = i;
            return PL_OK;
        }
    return fail_unknown(r->doc->ctx, json, false, r->path, "choice", json->text, choices);
}

static pl_status read_choices(const reader *r, const pl__field *f, const pl__json *json, uint32_t *mask)
{
    *mask = 0;
    PL_TRY(expect(r, json, PL__JSON_ARRAY, "a list of strings"));
    for (const pl__json *child = json->first; child; child = child->next)
    {
        int32_t which = 0;
        PL_TRY(find_choice(r, f->choices, child, &which));
        *mask |= 1u << which;
    }
    return PL_OK;
}

static int hex_pair(const char *text)
{
    int value = 0;
    for (int i = 0; i < 2; ++i)
    {
        char c = text[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

static pl_status read_color(const reader *r, const pl__field *f, const pl__json *json, double *color)
{
    if (json->kind != PL__JSON_STRING)
        return read_numbers(r, f, json, color);
    bool good = json->text[0] == '#' && strlen(json->text) == 7;
    for (int i = 0; i < 3 && good; ++i)
    {
        int value = hex_pair(json->text + 1 + 2 * i);
        good = value >= 0;
        color[i] = value / 255.0;
    }
    return good ? PL_OK
                : pl__json_fail(r->doc->ctx, json, "%s: \"%.40s\" is not a colour; write \"#4080ff\" or [0.25, 0.5, 1]",
                                r->path, json->text);
}

static pl_status read_box(const reader *r, const pl__field *f, const pl__json *json, double box[6])
{
    const char *what = "two corners, [[x, y, z], [x, y, z]]";
    PL_TRY(expect(r, json, PL__JSON_ARRAY, what));
    if (json->count != 2)
        return pl__json_fail(r->doc->ctx, json, "%s: expected %s, found a list of %d", r->path, what, json->count);
    PL_TRY(read_numbers(r, f, json->first, box));
    PL_TRY(read_numbers(r, f, json->last, box + 3));
    for (int i = 0; i < 3; ++i)
        if (box[i] > box[i + 3])
            return pl__json_fail(r->doc->ctx, json, "%s: the lower corner comes first, but %g is above %g", r->path,
                                 box[i], box[i + 3]);
    return PL_OK;
}

// Refuse points in brackets of their own, [[0, 0, 0, 1], [0, 1, 0, 1]]: a common mistake.
static pl_status refuse_nested(const reader *r, const pl__json *row, int32_t i)
{
    for (const pl__json *item = row->first; item; item = item->next)
        if (item->kind == PL__JSON_ARRAY)
            return pl__json_fail(r->doc->ctx, item,
                                 "%s: list %d of it has lists inside; write all its numbers one after the other in one "
                                 "list, as in [[1, 2, 3, 4, 5, 6, 7, 8], ...]",
                                 r->path, i);
    return PL_OK;
}

static pl_status read_rows(const reader *r, const pl__field *f, const pl__json *json, pl__rows *rows)
{
    PL_TRY(expect(r, json, PL__JSON_ARRAY, "a list of lists of numbers"));
    rows->row_count = json->count;
    rows->lengths = pl__json_take(r->doc, (size_t)json->count, sizeof *rows->lengths);
    rows->row = pl__json_take(r->doc, (size_t)json->count, sizeof *rows->row);
    if (!rows->lengths || !rows->row)
        return PL_ERR_MEMORY;
    int32_t i = 0;
    for (const pl__json *child = json->first; child; child = child->next, ++i)
    {
        PL_TRY(expect(r, child, PL__JSON_ARRAY, "a list of numbers"));
        PL_TRY(refuse_nested(r, child, i));
        pl__field row = *f;
        row.components = rows->lengths[i] = child->count;
        rows->row[i] = pl__json_take(r->doc, (size_t)child->count, sizeof(double));
        if (!rows->row[i])
            return PL_ERR_MEMORY;
        PL_TRY(read_numbers(r, &row, child, rows->row[i]));
    }
    return PL_OK;
}

static pl_status read_integers(const reader *r, const pl__field *f, const pl__json *json, pl__integers *list)
{
    PL_TRY(expect(r, json, PL__JSON_ARRAY, "a list of whole numbers"));
    list->count = json->count;
    list->value = pl__json_take(r->doc, (size_t)json->count, sizeof *list->value);
    if (!list->value)
        return PL_ERR_MEMORY;
    int32_t i = 0;
    for (const pl__json *child = json->first; child; child = child->next)
        PL_TRY(read_integer(r, f, child, &list->value[i++]));
    return PL_OK;
}

// ---- keys ------------------------------------------------------------------------------------------------------

static pl_status read_key(const reader *r, const pl__field *f, const pl__json *pair, pl__keyed_value *k, int32_t i)
{
    const char *what = "[time, value]";
    PL_TRY(expect(r, pair, PL__JSON_ARRAY, what));
    if (pair->count != 2)
        return pl__json_fail(r->doc->ctx, pair, "%s: a key is %s, found a list of %d", r->path, what, pair->count);
    PL_TRY(expect(r, pair->first, PL__JSON_NUMBER, "a time [s]"));
    k->times[i] = pair->first->number;
    if (i > 0 && !(k->times[i] > k->times[i - 1]))
        return pl__json_fail(r->doc->ctx, pair->first, "%s: times must increase, but %g s follows %g s", r->path,
                             k->times[i], k->times[i - 1]);
    return read_plain(r, f, pair->last, &k->values[i * f->components]);
}

static pl_status read_key_list(const reader *r, const pl__field *f, const pl__json *keys, pl__keyed_value *k)
{
    PL_TRY(expect(r, keys, PL__JSON_ARRAY, "a list of [time, value]"));
    if (keys->count == 0)
        return pl__json_fail(r->doc->ctx, keys, "%s: needs at least one [time, value]", r->path);
    k->times = pl__json_take(r->doc, (size_t)keys->count, sizeof(double));
    k->values = pl__json_take(r->doc, (size_t)keys->count * (size_t)f->components, sizeof(double));
    if (!k->times || !k->values)
        return PL_ERR_MEMORY;
    int32_t i = 0;
    for (const pl__json *pair = keys->first; pair; pair = pair->next)
        PL_TRY(read_key(r, f, pair, k, i++));
    k->count = keys->count;
    memcpy(k->value, k->values, (size_t)f->components * sizeof(double));
    return PL_OK;
}

static pl_status read_keys(const reader *r, const pl__field *f, const pl__json *json, pl__keyed_value *k)
{
    static const char *const known[] = {"keys", "ease", NULL};
    if (!f->keyed)
        return pl__json_fail(r->doc->ctx, json, "%s: cannot change in time; give %s", r->path,
                             f->kind == PL__FIELD_NUMBER ? "a number" : "a list of numbers");
    for (const pl__json *child = json->first; child; child = child->next)
        if (strcmp(child->key, "keys") != 0 && strcmp(child->key, "ease") != 0)
            return fail_unknown(r->doc->ctx, child, true, r->path, "key", child->key, known);
    const pl__json *keys = pl__json_find(json, "keys"), *ease = pl__json_find(json, "ease");
    if (!keys)
        return pl__json_fail(r->doc->ctx, json, "%s: an object here needs \"keys\": [[time, value], ...]", r->path);
    PL_TRY(read_key_list(r, f, keys, k));
    if (!ease)
        return PL_OK;
    reader at_ease = *r;
    (void)enter(&at_ease, "ease");
    return find_choice(&at_ease, ease_names, ease, &k->ease);
}

static pl_status read_keyed(const reader *r, const pl__field *f, const pl__json *json, pl__keyed_value *k)
{
    k->components = f->components;
    k->ease = PL_EASE_LINEAR;
    return json->kind == PL__JSON_OBJECT ? read_keys(r, f, json, k) : read_plain(r, f, json, k->value);
}

static pl_status read_target(const reader *r, const pl__field *f, const pl__json *json, pl__target *target)
{
    if (json->kind != PL__JSON_STRING)
        return read_keyed(r, f, json, &target->point);
    target->name = json->text;
    return PL_OK;
}

// ---- records ---------------------------------------------------------------------------------------------------

static pl_status read_record(reader *r, const pl__table *table, const pl__json *json, const char *name, void *record);

static pl_status read_items(reader *r, const pl__field *f, const pl__json *json, pl__items *items)
{
    bool map = f->kind == PL__FIELD_MAP;
    PL_TRY(expect(r, json, map ? PL__JSON_OBJECT : PL__JSON_ARRAY, map ? "an object of names" : "a list"));
    if (json->count > MOST_ITEMS)
        return pl__json_fail(r->doc->ctx, json, "%s: a list of %d is too long; at most %d", r->path, json->count,
                             MOST_ITEMS);
    items->count = json->count;
    items->item = pl__json_take(r->doc, (size_t)json->count, f->table->size);
    if (!items->item)
        return PL_ERR_MEMORY;
    char *at = items->item;
    int32_t i = 0;
    for (const pl__json *child = json->first; child; child = child->next, at += f->table->size, ++i)
    {
        char index[16];
        snprintf(index, sizeof index, "%d", i);
        size_t length = enter(r, map ? child->key : index);
        PL_TRY(read_record(r, f->table, child, map ? child->key : NULL, at));
        leave(r, length);
    }
    return PL_OK;
}

static pl_status read_text(const reader *r, const pl__field *f, const pl__json *json, const char **text)
{
    PL_TRY(expect(r, json, PL__JSON_STRING, f->kind == PL__FIELD_FILE ? "the name of a file" : "a string"));
    *text = json->text;
    return PL_OK;
}

static pl_status read_field(reader *r, const pl__field *f, const pl__json *json, void *to)
{
    switch (f->kind)
    {
    case PL__FIELD_NUMBER:
    case PL__FIELD_VECTOR:
        if (!f->keyed && json->kind == PL__JSON_OBJECT && pl__json_find(json, "keys"))
            return read_keys(r, f, json, to);
        return f->keyed ? read_keyed(r, f, json, to) : read_plain(r, f, json, to);
    case PL__FIELD_INTEGER: return read_integer(r, f, json, to);
    case PL__FIELD_BOOL:
        PL_TRY(expect(r, json, PL__JSON_BOOL, "true or false"));
        *(int32_t *)to = json->number != 0;
        return PL_OK;
    case PL__FIELD_TEXT:
    case PL__FIELD_FILE: return read_text(r, f, json, to);
    case PL__FIELD_CHOICE: return find_choice(r, f->choices, json, to);
    case PL__FIELD_CHOICES: return read_choices(r, f, json, to);
    case PL__FIELD_COLOR: return read_color(r, f, json, to);
    case PL__FIELD_BOX: return read_box(r, f, json, to);
    case PL__FIELD_ROWS: return read_rows(r, f, json, to);
    case PL__FIELD_INTEGERS: return read_integers(r, f, json, to);
    case PL__FIELD_TARGET: return read_target(r, f, json, to);
    case PL__FIELD_RECORD: return read_record(r, f->table, json, NULL, to);
    case PL__FIELD_MAP:
    case PL__FIELD_LIST: return read_items(r, f, json, to);
    case PL__FIELD_IGNORED: break;
    }
    return PL_OK;
}

static void set_default(const pl__field *f, void *to)
{
    if (f->keyed && f->kind != PL__FIELD_TARGET)
    {
        pl__keyed_value *k = to;
        k->components = f->components;
        memcpy(k->value, f->fallback, sizeof k->value);
    }
    else if (f->kind == PL__FIELD_NUMBER || f->kind == PL__FIELD_VECTOR || f->kind == PL__FIELD_COLOR)
        memcpy(to, f->fallback, (size_t)f->components * sizeof(double));
    else if (f->kind == PL__FIELD_INTEGER || f->kind == PL__FIELD_BOOL || f->kind == PL__FIELD_CHOICE)
        *(int32_t *)to = (int32_t)f->fallback[0];
    else if (f->kind == PL__FIELD_CHOICES)
        *(uint32_t *)to = (uint32_t)f->fallback[0];
    else if (f->kind == PL__FIELD_TEXT)
        *(const char **)to = f->fallback_text;
}

static void set_defaults(const pl__table *table, const pl__json *json, const char *name, void *record)
{
    *(pl__record *)record = (pl__record){.json = json, .name = name, .which = -1};
    for (int32_t i = 0; i < table->field_count; ++i)
    {
        const pl__field *f = &table->field[i];
        void *to = (char *)record + f->offset;
        if (f->kind == PL__FIELD_RECORD && !table->one_of)
            set_defaults(f->table, NULL, NULL, to);
        else if (f->kind != PL__FIELD_RECORD)
            set_default(f, to);
    }
}

// Names of a table's fields, terminated by NULL.
static void field_names(const pl__table *table, const char *names[64])
{
    int32_t count = 0;
    for (int32_t i = 0; i < table->field_count && count < 63; ++i)
        if (table->field[i].kind != PL__FIELD_IGNORED)
            names[count++] = table->field[i].name;
    names[count] = NULL;
}

// Suggest a key one level deeper: `young` of a body is `material.young`. Writes "material.young" or ""; true for an
// exact match.
static bool guess_deeper(const pl__table *table, const char *key, char *guess, size_t size)
{
    const char *names[64];
    bool exact = false;
    size_t least = SIZE_MAX;
    guess[0] = 0;
    for (int32_t i = 0; i < table->field_count && !exact && !table->one_of; ++i)
    {
        const pl__field *f = &table->field[i];
        if (f->kind != PL__FIELD_RECORD || f->table->one_of)
            continue;
        field_names(f->table, names);
        exact = pl__table_find(f->table, key) != NULL;
        const char *near = exact ? key : pl__near_miss(key, names);
        if (!near || (!exact && distance(key, near) >= least))
            continue;
        least = distance(key, near);
        snprintf(guess, size, "%s.%s", f->name, near);
    }
    return exact;
}

static pl_status fail_unknown_key(const reader *r, const pl__table *table, const pl__json *child)
{
    const char *names[64];
    char deeper[96];
    field_names(table, names);
    bool exact = guess_deeper(table, child->key, deeper, sizeof deeper);
    if (exact || (deeper[0] && !pl__near_miss(child->key, names)))
        return pl__json_fail_key(r->doc->ctx, child, "%s%sunknown key \"%.60s\"; did you mean %s?", r->path,
                                 r->path[0] ? ": " : "", child->key, deeper);
    return fail_unknown(r->doc->ctx, child, true, r->path, "key", child->key, names);
}

static pl_status read_member(reader *r, const pl__table *table, const pl__json *child, void *record)
{
    const pl__field *f = pl__table_find(table, child->key);
    if (!f)
        return fail_unknown_key(r, table, child);
    if (table->one_of)
    {
        ((pl__record *)record)->which = (int32_t)(f - table->field);
        if (f->kind == PL__FIELD_RECORD)
            set_defaults(f->table, NULL, NULL, (char *)record + f->offset);
    }
    size_t length = enter(r, f->name);
    PL_TRY(read_field(r, f, child, (char *)record + f->offset));
    leave(r, length);
    return PL_OK;
}

static pl_status check_one_of(const reader *r, const pl__table *table, const pl__json *json)
{
    if (json->kind == PL__JSON_OBJECT && json->count == 1)
        return PL_OK;
    const char *names[64];
    char allowed[300];
    int32_t i = 0;
    for (; i < table->field_count && i < 63; ++i)
        names[i] = table->field[i].name;
    names[i] = NULL;
    list_names(names, allowed, sizeof allowed);
    if (json->kind != PL__JSON_OBJECT)
        return pl__json_fail(r->doc->ctx, json, "%s: expected an object with one of %s, found %s", r->path, allowed,
                             pl__json_kind_name(json));
    return pl__json_fail(r->doc->ctx, json, "%s: expected exactly one of %s, found %d keys", r->path, allowed,
                         json->count);
}

// Read a value that sets the field `bare` of a record.
static pl_status read_bare(reader *r, const pl__table *table, const pl__json *json, void *record)
{
    const pl__field *f = pl__table_find(table, table->bare);
    bool text = f->kind == PL__FIELD_TEXT || f->kind == PL__FIELD_FILE, number = f->kind == PL__FIELD_NUMBER;
    pl__json_kind kind = text ? PL__JSON_STRING : number ? PL__JSON_NUMBER : PL__JSON_ARRAY;
    PL_TRY(expect(r, json, kind,
                  f->kind == PL__FIELD_FILE ? "the name of a file or an object"
                  : text                    ? "a name or an object"
                  : number                  ? "a number or an object"
                                            : "a list or an object"));
    return read_field(r, f, json, (char *)record + f->offset);
}

static pl_status read_record(reader *r, const pl__table *table, const pl__json *json, const char *name, void *record)
{
    set_defaults(table, json, name, record);
    if (table->bare && json->kind != PL__JSON_OBJECT)
        return read_bare(r, table, json, record);
    if (table->one_of)
        PL_TRY(check_one_of(r, table, json));
    PL_TRY(expect(r, json, PL__JSON_OBJECT, "an object"));
    for (const pl__json *child = json->first; child; child = child->next)
        PL_TRY(read_member(r, table, child, record));
    return PL_OK;
}

pl_status pl__record_read(pl__json_doc *doc, const pl__table *table, const pl__json *json, const char *path,
                          void *record)
{
    reader r = {.doc = doc};
    snprintf(r.path, sizeof r.path, "%s", path);
    if (json)
        return read_record(&r, table, json, NULL, record);
    set_defaults(table, NULL, NULL, record);
    return PL_OK;
}
