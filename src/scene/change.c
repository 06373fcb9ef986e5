// src/scene/change.c -- single values of a scene: set from the command line, and compared between two versions.
#include "source.h"

#include <string.h>

// ---- setting ---------------------------------------------------------------------------------------------------

// The next part of a dotted path into `part`; NULL at the end or when it is too long.
static const char *next_part(const char *path, char *part, size_t size)
{
    size_t length = strcspn(path, ".");
    if (length == 0 || length >= size)
        return NULL;
    memcpy(part, path, length);
    part[length] = 0;
    return path + length + (path[length] == '.');
}

// The child that `part` names: a key of an object or an index of a list. Missing objects are made.
static pl_status descend(pl__json_doc *doc, const pl__json *option, pl__json *parent, const char *part, pl__json **child)
{
    *child = NULL;
    if (parent->kind == PL__JSON_ARRAY)
    {
        int32_t index = 0;
        for (const char *digit = part; *digit; ++digit)
            if (*digit < '0' || *digit > '9' || index > 1000000)
                return pl__json_fail(doc->ctx, option, "\"%.60s\" should be a number from 0 to %d: the place in a list", part, parent->count - 1);
            else
                index = 10 * index + (*digit - '0');
        if (index >= parent->count)
            return pl__json_fail(doc->ctx, option, "there is no %s in a list of %d", part, parent->count);
        *child = parent->first;
        while (index-- > 0)
            *child = (*child)->next;
        return PL_OK;
    }
    if (parent->kind != PL__JSON_OBJECT)
        return pl__json_fail(doc->ctx, option, "there is nothing named \"%.60s\" in %s", part, pl__json_kind_name(parent));
    *child = pl__json_find(parent, part);
    if (*child)
        return PL_OK;
    *child = pl__json_new(doc, PL__JSON_OBJECT, option);
    return *child && pl__json_put(doc, parent, part, *child) ? PL_OK : PL_ERR_MEMORY;
}

// A name where an object is needed: {"like": name}, so that --set bodies.a.material.young=1e4 works after "material": "rubber".
static pl_status open_bare(pl__json_doc *doc, pl__json *value)
{
    if (value->kind != PL__JSON_STRING)
        return PL_OK;
    pl__json *like = pl__json_new(doc, PL__JSON_STRING, value);
    if (!like)
        return PL_ERR_MEMORY;
    like->text = value->text;
    value->kind = PL__JSON_OBJECT;
    value->count = 0;
    value->first = value->last = NULL;
    return pl__json_put(doc, value, "like", like) ? PL_OK : PL_ERR_MEMORY;
}

static pl_status put_value(pl__json_doc *doc, const pl__json *option, pl__json *parent, const char *part, pl__json *value)
{
    if (parent->kind == PL__JSON_OBJECT)
        return pl__json_put(doc, parent, part, value) ? PL_OK : PL_ERR_MEMORY;
    pl__json *old;
    PL_TRY(descend(doc, option, parent, part, &old));
    pl__json *next = old->next;
    *old = *value;
    old->next = next;
    old->key = NULL;
    return PL_OK;
}

pl_status pl__change_apply(pl__json_doc *doc, const char *change)
{
    char part[128], following[128];
    const char *equals = strchr(change, '=');
    pl__json *option, *value, *parent = doc->root;
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
        PL_TRY(descend(doc, option, parent, part, &parent));
        PL_TRY(strcmp(part, "material") == 0 ? open_bare(doc, parent) : PL_OK);
        memcpy(part, following, sizeof part);
        rest = after;
    }
    if (!rest)
        return pl__json_fail(doc->ctx, option, "\"%.60s\" is not a path; write names with points between them", path);
    return put_value(doc, option, parent, part, value);
}

// ---- comparing -------------------------------------------------------------------------------------------------

typedef struct
{
    pl__difference_function *report;
    void *user;
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

static void tell(comparison *c, pl__when when, const pl__json *before, const pl__json *after)
{
    pl__difference d = {.when = when, .before = before, .after = after};
    strcpy(d.path, c->path);
    c->report(c->user, &d);
}

static void compare_record(comparison *c, const pl__table *table, const pl__json *before, const pl__json *after);

// Whether the names that both maps have come in the same order: states are in it.
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

// Items of a map under the same name, or of a list at the same place; whole items that come or go need a rerun.
static void compare_items(comparison *c, const pl__field *f, const pl__json *before, const pl__json *after)
{
    bool map = f->kind == PL__FIELD_MAP;
    const pl__json *other = after ? after->first : NULL;
    for (const pl__json *item = before ? before->first : NULL; item; item = item->next)
    {
        const pl__json *match = map ? pl__json_find(after, item->key) : other;
        size_t length = enter(c, map ? item->key : "item");
        if (match)
            compare_record(c, f->table, item, match);
        else
            tell(c, PL__WHEN_RERUN, item, NULL);
        c->path[length] = 0;
        other = !map && other ? other->next : NULL;
    }
    for (const pl__json *item = after ? after->first : NULL; map && item; item = item->next)
        if (!pl__json_find(before, item->key))
        {
            size_t length = enter(c, item->key);
            tell(c, PL__WHEN_RERUN, NULL, item);
            c->path[length] = 0;
        }
    if (map && !same_order(before, after))
    {
        size_t length = enter(c, "(their order)");
        tell(c, PL__WHEN_RERUN, before, after);
        c->path[length] = 0;
    }
    if (!map && after && (!before || after->count > before->count))
        tell(c, PL__WHEN_RERUN, before, after);
}

static bool is_default_vector(const pl__field *f, const pl__json *value)
{
    int32_t i = 0;
    for (const pl__json *number = value->first; number; number = number->next, ++i)
        if (number->kind != PL__JSON_NUMBER || i >= f->components || number->number != f->fallback[i])
            return false;
    return i == f->components;
}

static bool is_default(const pl__field *f, const pl__json *value)
{
    if (value->kind == PL__JSON_ARRAY)
        return f->kind == PL__FIELD_VECTOR && !f->fallback_text && is_default_vector(f, value);
    if (value->kind == PL__JSON_NUMBER && f->components <= 1 && !f->fallback_text)
        return value->number == f->fallback[0];
    if (value->kind == PL__JSON_BOOL)
        return (value->number != 0) == (f->fallback[0] != 0);
    if (value->kind == PL__JSON_STRING && f->kind == PL__FIELD_CHOICE)
        return strcmp(value->text, f->choices[(int)f->fallback[0]]) == 0;
    if (value->kind == PL__JSON_STRING && f->kind == PL__FIELD_TEXT && f->fallback_text)
        return strcmp(value->text, f->fallback_text) == 0;
    return value->kind == PL__JSON_OBJECT && value->count == 0;
}

// Left out is not the same as the default where `like` says what holds.
static bool left_out(const pl__table *table, const pl__field *f, const pl__json *before, const pl__json *after)
{
    bool inherits = table->bare && strcmp(table->bare, "like") == 0 && strcmp(f->name, "like") != 0;
    return !inherits && ((!before && is_default(f, after)) || (!after && is_default(f, before)));
}

static void compare_field(comparison *c, const pl__table *table, const pl__field *f, const pl__json *before, const pl__json *after)
{
    if (f->kind == PL__FIELD_IGNORED || (!before && !after) || (before && after && pl__json_equal(before, after)))
        return;
    bool record = f->kind == PL__FIELD_RECORD, presence = record && f->table->bare; // `floor`, `material`: being there means something
    size_t length = enter(c, f->name);
    if (f->kind == PL__FIELD_MAP || f->kind == PL__FIELD_LIST)
        compare_items(c, f, before, after);
    else if (record && (!presence || (before && after)))
        compare_record(c, f->table, before, after);
    else if (presence || !left_out(table, f, before, after))
        tell(c, f->when, before, after);
    c->path[length] = 0;
}

// A bare value is the field that it stands for.
static const pl__json *part_of(const pl__json *record, const pl__table *table, const char *name)
{
    if (!record || record->kind == PL__JSON_OBJECT)
        return pl__json_find(record, name);
    return table->bare && strcmp(table->bare, name) == 0 ? record : NULL;
}

static void compare_record(comparison *c, const pl__table *table, const pl__json *before, const pl__json *after)
{
    for (int32_t i = 0; i < table->field_count; ++i)
    {
        const char *name = table->field[i].name;
        compare_field(c, table, &table->field[i], part_of(before, table, name), part_of(after, table, name));
    }
}

void pl__scene_compare(const pl__json *before, const pl__json *after, pl__difference_function *report, void *user)
{
    comparison c = {.report = report, .user = user};
    compare_record(&c, &pl__scene_table, before, after);
}
