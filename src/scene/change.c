// src/scene/change.c -- changes of scenes: --set on the command line, and comparison of two versions.
#include "source.h"

#include <stdio.h>
#include <string.h>

// ---- setting ---------------------------------------------------------------------------------------------------

// Copy the next part of a dotted path; NULL at the end or when it is too long.
static const char *next_part(const char *path, char *part, size_t size)
{
    size_t length = strcspn(path, ".");
    if (length == 0 || length >= size)
        return NULL;
    memcpy(part, path, length);
    part[length] = 0;
    return path + length + (path[length] == '.');
}

// The child `part`: a key of an object or an index of a list. Missing objects are created.
static pl_status descend(pl__json_doc *doc, const pl__json *option, pl__json *parent, const char *part,
                         pl__json **child)
{
    *child = NULL;
    if (parent->kind == PL__JSON_ARRAY)
    {
        int32_t index = 0;
        bool number = true;
        for (const char *digit = part; *digit && number; ++digit)
        {
            number = *digit >= '0' && *digit <= '9' && index <= 1000000;
            index = 10 * index + (*digit - '0');
        }
        if (parent->count == 0)
            return pl__json_fail(doc->ctx, option, "there is no \"%.60s\" in an empty list; set the whole list", part);
        if (!number || index >= parent->count)
            return pl__json_fail(doc->ctx, option, "\"%.60s\" must be the place in a list of %d: a number from 0 to %d",
                                 part, parent->count, parent->count - 1);
        *child = parent->first;
        while (index-- > 0)
            *child = (*child)->next;
        return PL_OK;
    }
    if (parent->kind != PL__JSON_OBJECT)
        return pl__json_fail(doc->ctx, option, "there is nothing named \"%.60s\" in %s", part,
                             pl__json_kind_name(parent));
    *child = pl__json_find(parent, part);
    if (*child)
        return PL_OK;
    *child = pl__json_new(doc, PL__JSON_OBJECT, option);
    return *child && pl__json_put(doc, parent, part, *child) ? PL_OK : PL_ERR_MEMORY;
}

// Convert a bare value to an object: "rubber" becomes {"like": "rubber"}, so that --set bodies.a.material.young=1e4
// works.
static pl_status open_bare(pl__json_doc *doc, const pl__table *table, pl__json *value)
{
    pl__json *bare = pl__json_new(doc, value->kind, value);
    if (!bare)
        return PL_ERR_MEMORY;
    bare->count = value->count;
    bare->first = value->first;
    bare->last = value->last;
    bare->text = value->text;
    bare->number = value->number;
    pl__json_adopt(bare);
    value->kind = PL__JSON_OBJECT;
    value->count = 0;
    value->first = value->last = NULL;
    return pl__json_put(doc, value, table->bare, bare) ? PL_OK : PL_ERR_MEMORY;
}

// A position in the tree and in the tables: the table of a record, and the table of the items if it is a map or list.
typedef struct
{
    pl__json *json;
    const pl__table *table, *items;
} place;

// Descend from a record to its member, or from a map or list to its item, as far as the tables go.
static void enter_table(place *p, const char *part)
{
    const pl__field *f = p->table ? pl__table_find(p->table, part) : NULL;
    bool record = f && f->kind == PL__FIELD_RECORD,
         several = f && (f->kind == PL__FIELD_MAP || f->kind == PL__FIELD_LIST);
    p->table = p->items ? p->items : record ? f->table : NULL;
    p->items = several ? f->table : NULL;
}

// Refuse a change inside a body or object that does not exist: probably a typo.
static pl_status check_item(pl__json_doc *doc, const pl__json *option, const place *p, const char *part)
{
    bool named = p->items && p->json->kind == PL__JSON_OBJECT && !p->items->inherits;
    if (!named || pl__json_find(p->json, part))
        return PL_OK;
    const char *names[64];
    int32_t count = 0;
    for (const pl__json *item = p->json->first; item && count < 63; item = item->next)
        names[count++] = item->key;
    names[count] = NULL;
    const char *guess = pl__near_miss(part, names);
    if (guess)
        return pl__json_fail(doc->ctx, option, "there is no \"%.60s\"; did you mean \"%s\"?", part, guess);
    return pl__json_fail(doc->ctx, option, "there is no \"%.60s\"%s%s", part, count ? "; there is " : "",
                         count ? names[0] : "");
}

static pl_status step_into(pl__json_doc *doc, const pl__json *option, place *p, const char *part, const char *next)
{
    PL_TRY(check_item(doc, option, p, part));
    PL_TRY(descend(doc, option, p->json, part, &p->json));
    enter_table(p, part);
    // unknown keys are reported when the record is read, with a suggestion; list items are addressed by index
    bool bare = p->table && p->table->bare && p->json->kind != PL__JSON_OBJECT &&
                (p->json->kind != PL__JSON_ARRAY || pl__table_find(p->table, next));
    return bare ? open_bare(doc, p->table, p->json) : PL_OK;
}

static pl_status put_value(pl__json_doc *doc, const pl__json *option, pl__json *parent, const char *part,
                           pl__json *value)
{
    if (parent->kind == PL__JSON_OBJECT)
        return pl__json_put(doc, parent, part, value) ? PL_OK : PL_ERR_MEMORY;
    pl__json *old;
    PL_TRY(descend(doc, option, parent, part, &old));
    pl__json *next = old->next;
    int32_t index = old->index;
    *old = *value;
    old->next = next;
    old->index = index;
    old->key = NULL;
    old->parent = parent;
    pl__json_adopt(old);
    return PL_OK;
}

pl_status pl__change_apply(pl__json_doc *doc, const char *change)
{
    char part[128], following[128];
    const char *equals = strchr(change, '=');
    pl__json *option, *value;
    place at = {.json = doc->root, .table = &pl__scene_table};
    PL_TRY(pl__json_parse_option(doc, change, "", &option));
    if (!equals || equals == change)
        return pl__json_fail(doc->ctx, option, "write it as path=value, such as bodies.torus.material=rubber");
    PL_TRY(pl__json_parse_option(doc, change, equals + 1, &value));
    size_t length = (size_t)(equals - change);
    char *path = pl__json_take(doc, length + 1, 1);
    if (!path)
        return PL_ERR_MEMORY;
    memcpy(path, change, length);
    const char *rest = next_part(path, part, sizeof part);
    while (rest && *rest)
    {
        const char *after = next_part(rest, following, sizeof following);
        PL_TRY(after ? step_into(doc, option, &at, part, following) : PL_OK);
        memcpy(part, following, sizeof part);
        rest = after;
    }
    if (!rest)
        return pl__json_fail(
            doc->ctx, option,
            "\"%.60s\" is not a path; write names with points between them, such as bodies.torus.material", path);
    return put_value(doc, option, at.json, part, value);
}

// ---- comparing -------------------------------------------------------------------------------------------------

typedef struct
{
    pl__difference_function *report;
    void *user;
    const pl__json *materials_before, *materials_after;
    char path[256];
} comparison;

static size_t enter(comparison *c, const char *name)
{
    size_t length = strlen(c->path), added = strlen(name);
    if (length + added + 2 < sizeof c->path)
    {
        if (length)
            strcat(c->path, ".");
        strcat(c->path, name);
    }
    return length;
}

static void report_difference(comparison *c, pl__when when, const pl__json *before, const pl__json *after)
{
    pl__difference d = {.when = when, .before = before, .after = after};
    strcpy(d.path, c->path);
    c->report(c->user, &d);
}

static void compare_record(comparison *c, const pl__table *table, const pl__json *before, const pl__json *after);

// Whether the common names of two maps are in the same order: states depend on it.
static bool same_order(const pl__json *before, const pl__json *after)
{
    const pl__json *last = NULL;
    for (const pl__json *item = before ? before->first : NULL; item; item = item->next)
    {
        const pl__json *match = pl__json_find(after, item->key), *at = match;
        while (at && at != last)
            at = at->next;
        if (match && last && at == last)
            return false;
        last = match ? match : last;
    }
    return true;
}

// Compare items of maps by name, of lists by index; added or removed items need a rerun.
static void compare_items(comparison *c, const pl__field *f, const pl__json *before, const pl__json *after)
{
    bool map = f->kind == PL__FIELD_MAP;
    const pl__json *other = after ? after->first : NULL;
    int32_t index = 0;
    for (const pl__json *item = before ? before->first : NULL; item; item = item->next)
    {
        const pl__json *match = map ? pl__json_find(after, item->key) : other;
        char number[16];
        snprintf(number, sizeof number, "%d", index++);
        size_t length = enter(c, map ? item->key : number);
        if (match)
            compare_record(c, f->table, item, match);
        else
            report_difference(c, PL__WHEN_RERUN, item, NULL);
        c->path[length] = 0;
        other = !map && other ? other->next : NULL;
    }
    for (const pl__json *item = after ? after->first : NULL; map && item; item = item->next)
        if (!pl__json_find(before, item->key))
        {
            size_t length = enter(c, item->key);
            report_difference(c, PL__WHEN_RERUN, NULL, item);
            c->path[length] = 0;
        }
    if (map && !same_order(before, after))
    {
        size_t length = enter(c, "(their order)");
        report_difference(c, PL__WHEN_RERUN, before, after);
        c->path[length] = 0;
    }
    if (!map && after && (!before || after->count > before->count))
        report_difference(c, PL__WHEN_RERUN, before, after);
}

static bool is_default_list(const pl__field *f, const pl__json *list)
{
    bool same = (f->kind == PL__FIELD_VECTOR || f->kind == PL__FIELD_COLOR) && !f->fallback_text &&
                list->count == f->components;
    const double *number = f->fallback;
    for (const pl__json *child = list->first; child && same; child = child->next)
        same = child->kind == PL__JSON_NUMBER && child->number == *number++;
    return same;
}

// Bit mask of the choices in a list.
static uint32_t choice_mask(const pl__field *f, const pl__json *list)
{
    uint32_t mask = 0;
    for (const pl__json *child = list->first; child; child = child->next)
        for (int i = 0; f->choices[i]; ++i)
            if (child->kind == PL__JSON_STRING && strcmp(f->choices[i], child->text) == 0)
                mask |= 1u << i;
    return mask;
}

static bool is_default(const pl__field *f, const pl__json *value)
{
    if (value->kind == PL__JSON_ARRAY && f->kind == PL__FIELD_CHOICES)
        return choice_mask(f, value) == (uint32_t)f->fallback[0];
    if (value->kind == PL__JSON_ARRAY)
        return is_default_list(f, value);
    if (value->kind == PL__JSON_NUMBER && f->components <= 1 && !f->fallback_text)
        return value->number == f->fallback[0];
    if (value->kind == PL__JSON_BOOL)
        return (value->number != 0) == (f->fallback[0] != 0);
    if (value->kind == PL__JSON_STRING && f->kind == PL__FIELD_CHOICE)
        return strcmp(value->text, f->choices[(int)f->fallback[0]]) == 0;
    if (value->kind == PL__JSON_STRING && f->kind == PL__FIELD_TEXT && f->fallback_text)
        return strcmp(value->text, f->fallback_text) == 0;
    if (f->kind == PL__FIELD_RECORD && f->table->inherits)
        return value->kind == PL__JSON_STRING && is_default(pl__table_find(f->table, f->table->bare), value);
    return value->kind == PL__JSON_OBJECT && value->count == 0;
}

static bool is_bare(const pl__json *value) { return value && value->kind != PL__JSON_OBJECT; }

// The value of a field in a record; the record may be bare.
static const pl__json *member(const pl__table *table, const pl__json *record, const char *name)
{
    if (is_bare(record))
        return table->bare && strcmp(table->bare, name) == 0 ? record : NULL;
    return pl__json_find(record, name);
}

static void compare_field(comparison *c, const pl__table *table, const pl__field *f, const pl__json *before,
                          const pl__json *after)
{
    if (f->kind == PL__FIELD_IGNORED || (!before && !after) || (before && after && pl__json_equal(before, after)))
        return;
    bool whole =
        f->kind == PL__FIELD_RECORD && (f->table->optional || f->table->one_of || table->one_of) && (!before || !after);
    // a material inherits missing values by `like`
    bool inherited = table->inherits && strcmp(f->name, table->bare) != 0;
    bool same = !inherited && ((!before && is_default(f, after)) || (!after && is_default(f, before)));
    size_t length = enter(c, f->name);
    if (f->kind == PL__FIELD_MAP || f->kind == PL__FIELD_LIST)
        compare_items(c, f, before, after);
    else if (f->kind == PL__FIELD_RECORD && !whole)
        compare_record(c, f->table, before, after);
    else if (whole || !same)
        report_difference(c, f->when, before, after);
    c->path[length] = 0;
}

// Whether the material of a body is one of the scene's, by name.
static bool is_shared(const comparison *c, const pl__json *value, const pl__json *materials)
{
    bool of_body = strncmp(c->path, "bodies.", 7) == 0;
    return of_body && is_bare(value) && value->kind == PL__JSON_STRING && pl__json_find(materials, value->text);
}

static void compare_record(comparison *c, const pl__table *table, const pl__json *before, const pl__json *after)
{
    // changing between a shared material and one of its own
    if (table->inherits && (is_shared(c, before, c->materials_before) != is_shared(c, after, c->materials_after)))
    {
        report_difference(c, PL__WHEN_RERUN, before, after);
        return;
    }
    for (int32_t i = 0; i < table->field_count; ++i)
        compare_field(c, table, &table->field[i], member(table, before, table->field[i].name),
                      member(table, after, table->field[i].name));
}

void pl__scene_compare(const pl__json *before, const pl__json *after, pl__difference_function *report, void *user)
{
    comparison c = {.report = report,
                    .user = user,
                    .materials_before = pl__json_find(before, "materials"),
                    .materials_after = pl__json_find(after, "materials")};
    compare_record(&c, &pl__scene_table, before, after);
}
