// src/scene/object.c -- builds the objects of a scene from a scene file.
//
// Shapes are checked as soon as they are read, parts first, so that errors have the right location in the file.
// Definitions of parts live in the document; surfaces are kept until the scene has copied them.
#include "build.h"
#include "contact/object_fields.h"
#include "contact/shape.h"
#include "io/pc2.h"
#include "scene.h"
#include <pliant/io.h>

#include <stdio.h>
#include <string.h>

enum
{
    PATH_BYTES = 160
};

// ---- shapes ----------------------------------------------------------------------------------------------------

static void take_solid(const pl__file_solid *f, pl_object_def *def)
{
    if (def->kind == PL_OBJECT_PLANE)
    {
        memcpy(def->normal, f->normal, sizeof def->normal);
        return;
    }
    memcpy(def->extent, f->extent, sizeof def->extent);
    def->angle = f->angle;
    def->rounding = f->rounding;
    def->radius = f->radius;
    def->top_radius = f->top_radius;
    def->height = f->height;
    def->tube = f->tube;
}

static void take_gear(const pl__file_gear *f, pl_object_def *def)
{
#define PL_FIELD(kind, name, ...) def->name = f->name;
#include "contact/gear_fields.inl"
#undef PL_FIELD
}

static void take_stairs(const pl__file_stairs *f, pl_object_def *def)
{
#define PL_FIELD(kind, name, ...) def->name = f->name;
#include "contact/stairs_fields.inl"
#undef PL_FIELD
}

static pl_status take_terrain(pl__source *s, const pl__file_terrain *f, const char *path, pl_object_def *def)
{
    const pl__rows *rows = &f->heights;
    const pl__json *where = pl__where(&f->record, "heights");
    if (rows->row_count < 2 || rows->lengths[0] < 2)
        return pl__json_fail(s->ctx, where,
                             "%s.heights: needs at least 2 rows of 2 numbers, such as [[0, 0.1], [0.2, 0]]", path);
    def->rows = rows->row_count;
    def->columns = rows->lengths[0];
    double *heights = pl__json_take(&s->doc, (size_t)def->rows * (size_t)def->columns, sizeof *heights);
    if (!heights)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < def->rows; ++i)
    {
        if (rows->lengths[i] != def->columns)
            return pl__json_fail(s->ctx, where,
                                 "%s.heights: row %d has %d numbers, but row 0 has %d; all rows need as many", path, i,
                                 rows->lengths[i], def->columns);
        memcpy(&heights[(size_t)i * (size_t)def->columns], rows->row[i], (size_t)def->columns * sizeof *heights);
    }
    def->heights = heights;
    def->extent[0] = f->extent[0];
    def->extent[2] = f->extent[1];
    return PL_OK;
}

static pl_status read_surface(pl__source *s, const pl__record *record, const char *path, const char **name,
                              pl_surface **surface)
{
    char file_path[PATH_BYTES];
    pl__opened file;
    snprintf(file_path, sizeof file_path, "%.140s%s", path, pl__given(record, "file") ? ".file" : "");
    PL_TRY(pl__input_open(s, record, "file", file_path, &file));
    pl_status status = pl_surface_parse(s->ctx, PL_FILE_BY_NAME, file.path, file.data, file.size, surface);
    pl__input_close(s, &file);
    *name = file.path;
    return pl__fail_at(s, status, pl__where(record, "file"), file_path);
}

static pl_status take_surface(pl__source *s, const pl__file_object_surface *f, const char *path, pl_object_def *def)
{
    pl__fit fit = {f->up, f->anchor, f->height, f->scale};
    if (!f->file)
        return pl__json_fail(s->ctx, f->record.json, "%s: needs a `file` of triangles", path);
    if (f->height > 0 && pl__given(&f->record, "scale"))
        return pl__json_fail_key(s->ctx, pl__where(&f->record, "scale"),
                                 "%s.scale: `height` says the same already; give one of them", path);
    pl_surface *surface = NULL;
    const char *name;
    PL_TRY(read_surface(s, &f->record, path, &name, &surface));
    def->surface = surface; // released with the definition
    def->lookup = (pl_object_lookup)f->lookup;
    def->cell = f->cell;
    return pl__surface_fit(surface, &fit) ? PL_OK : pl__fit_fail(s, &f->record, path, &fit);
}

// ---- actors ----------------------------------------------------------------------------------------------------

// Fit the points of a sample like those of the first file.
static void fit_sample(pl__source *s, const pl__file_actor *f, const double *from, int32_t count, double *to)
{
    pl_surface points = {.ctx = s->ctx, .node_count = count, .position = to};
    pl__fit fit = {f->up, 0, 0, f->scale};
    memcpy(to, from, 3 * (size_t)count * sizeof *to);
    (void)pl__surface_fit(&points, &fit);
}

static pl_status take_samples(pl__source *s, const pl__file_actor *f, const pl__point_cache *cache, const char *path,
                              pl_object_def *def)
{
    int32_t nodes = def->surface->node_count;
    const pl__json *where = pl__where(&f->record, "cache");
    if (cache->point_count != nodes)
        return pl__json_fail(s->ctx, where,
                             "%s.cache: has %d points, but %s has %d vertices; it must have one for each", path,
                             cache->point_count, f->file, nodes);
    if (cache->sample_count < 1)
        return pl__json_fail(s->ctx, where, "%s.cache: has no samples; there must be at least one", path);
    double *to = pl__json_take(&s->doc, 3 * (size_t)nodes * (size_t)cache->sample_count, sizeof *to);
    if (!to)
        return PL_ERR_MEMORY;
    def->cache = to;
    for (int32_t k = 0; k < cache->sample_count; ++k, to += 3 * (size_t)nodes)
        fit_sample(s, f, &cache->position[3 * (size_t)k * (size_t)nodes], nodes, to);
    // samples are in frames of the movie, spaced by `rate`
    double frame = s->file.time_scale / s->file.fps;
    def->cache_count = cache->sample_count;
    def->cache_start = cache->start * frame;
    def->cache_rate = 1 / (frame * (cache->rate > 0 ? cache->rate : 1));
    return PL_OK;
}

static pl_status take_cache(pl__source *s, const pl__file_actor *f, const char *path, pl_object_def *def)
{
    pl__opened file;
    pl__point_cache cache;
    char cache_path[PATH_BYTES];
    snprintf(cache_path, sizeof cache_path, "%.140s.cache", path);
    PL_TRY(pl__input_open(s, &f->record, "cache", cache_path, &file));
    pl_status status = pl__pc2_read(s->ctx, file.path, file.data, file.size, &cache);
    pl__input_close(s, &file);
    PL_TRY(pl__fail_at(s, status, pl__where(&f->record, "cache"), cache_path));
    status = take_samples(s, f, &cache, path, def);
    pl__point_cache_free(s->ctx, &cache);
    return status;
}

// Position of the last digits in a file name: walk_[0001].obj.
static bool find_digits(const char *name, size_t *begin, size_t *end)
{
    const char *slash = strrchr(name, '/');
    size_t first = slash ? (size_t)(slash - name) + 1 : 0, at = strlen(name);
    while (at > first && !(name[at - 1] >= '0' && name[at - 1] <= '9'))
        --at;
    *end = at;
    while (at > first && name[at - 1] >= '0' && name[at - 1] <= '9')
        --at;
    *begin = at;
    return *end > *begin && *end - *begin <= 9;
}

// Name of the k-th file after `first`, which lives as long as the document; NULL without memory.
static const char *name_after(pl__source *s, const char *first, size_t begin, size_t end, int32_t k)
{
    size_t room = strlen(first) + 16;
    char *name = pl__json_take(&s->doc, room, 1);
    int32_t number = 0;
    for (size_t i = begin; i < end; ++i)
        number = 10 * number + (first[i] - '0');
    if (name)
        snprintf(name, room, "%.*s%0*d%s", (int)begin, first, (int)(end - begin), number + k, first + end);
    return name;
}

static pl_status read_sample(pl__source *s, const pl__file_actor *f, const char *name, const char *path,
                             const pl_surface *first, double *to)
{
    const pl__json *where = pl__where(&f->record, "samples");
    pl__opened file = {.path = name};
    pl_surface *surface = NULL;
    PL_TRY(pl__fail_at(s, pl__input_open_partner(s, &file), where, path));
    pl_status status = pl_surface_parse(s->ctx, PL_FILE_BY_NAME, name, file.data, file.size, &surface);
    pl__input_close(s, &file);
    PL_TRY(pl__fail_at(s, status, where, path));
    size_t corners = 3 * (size_t)first->triangle_count;
    bool alike = surface->node_count == first->node_count && surface->triangle_count == first->triangle_count &&
                 memcmp(surface->triangle, first->triangle, corners * sizeof *first->triangle) == 0;
    if (alike)
        fit_sample(s, f, surface->position, surface->node_count, to);
    else
        status = pl__json_fail(
            s->ctx, where, "%s: %.200s has other triangles than the first file; all must have the same", path, name);
    pl_surface_destroy(&surface);
    return status;
}

static pl_status take_files(pl__source *s, const pl__file_actor *f, const char *first, const char *path,
                            pl_object_def *def)
{
    size_t begin, end, numbers = 3 * (size_t)def->surface->node_count;
    char samples_path[PATH_BYTES];
    snprintf(samples_path, sizeof samples_path, "%.140s.samples", path);
    if (!find_digits(first, &begin, &end))
        return pl__json_fail(s->ctx, pl__where(&f->record, "samples"),
                             "%s: the name of the first file, %.100s, must have a number of up to 9 digits to count "
                             "from, such as walk_0001.obj",
                             samples_path, f->file);
    double *to = pl__json_take(&s->doc, numbers * (size_t)f->samples, sizeof *to);
    if (!to)
        return PL_ERR_MEMORY;
    memcpy(to, def->surface->position, numbers * sizeof *to);
    for (int32_t k = 1; k < f->samples; ++k)
    {
        const char *name = name_after(s, first, begin, end, k);
        if (!name)
            return PL_ERR_MEMORY;
        PL_TRY(read_sample(s, f, name, samples_path, def->surface, &to[(size_t)k * numbers]));
    }
    def->cache = to;
    def->cache_count = f->samples;
    def->cache_start = f->start;
    def->cache_rate = f->rate > 0 ? f->rate : s->file.fps / s->file.time_scale;
    return PL_OK;
}

static pl_status take_actor(pl__source *s, const pl__file_actor *f, const char *path, pl_object_def *def)
{
    static const char *const of_files[] = {"samples", "rate", "start"};
    if (!f->file)
        return pl__json_fail(s->ctx, f->record.json, "%s: needs a `file` of triangles", path);
    for (int i = 0; f->cache && i < 3; ++i)
        if (pl__given(&f->record, of_files[i]))
            return pl__json_fail_key(s->ctx, pl__where(&f->record, of_files[i]),
                                     "%s.%s: is about a series of files; the `cache` has its own", path, of_files[i]);
    pl_surface *surface = NULL;
    const char *name;
    pl__fit fit = {f->up, 0, 0, f->scale};
    PL_TRY(read_surface(s, &f->record, path, &name, &surface));
    def->surface = surface; // released with the definition
    def->depth = f->depth;
    (void)pl__surface_fit(surface, &fit);
    if (f->cache)
        return take_cache(s, f, path, def);
    return f->samples > 1 ? take_files(s, f, name, path, def) : PL_OK;
}

// ---- compound shapes -------------------------------------------------------------------------------------------

static pl_status take_part(pl__source *s, const pl__file_part *f, const char *path, pl_object_def *def)
{
    *def = pl_object_def_default();
    memcpy(def->at, f->at, sizeof def->at);
    memcpy(def->rotate, f->rotate, sizeof def->rotate);
    if (f->shape.record.which < 0)
        return pl__json_fail(s->ctx, f->record.json, "%s: needs a `shape`", path);
    if (f->shape.record.which == PL_OBJECT_ACTOR)
        return pl__json_fail_key(s->ctx, f->shape.record.json->first,
                                 "%s.shape.actor: bends, and cannot be a part of a union or difference", path);
    char shape_path[PATH_BYTES];
    snprintf(shape_path, sizeof shape_path, "%.150s.shape", path);
    return pl__object_shape_take(s, &f->shape, shape_path, def);
}

static pl_status take_parts(pl__source *s, const pl__file_parts *f, const char *path, pl_object_def *def)
{
    if (f->parts.count == 0)
        return pl__json_fail(s->ctx, f->record.json,
                             "%s: needs at least one part, such as {\"shape\": {\"sphere\": 0.5}, \"at\": [0, 1, 0]}",
                             path);
    pl_object_def *part = pl__json_take(&s->doc, (size_t)f->parts.count, sizeof *part);
    if (!part)
        return PL_ERR_MEMORY;
    def->part = part;
    for (int32_t i = 0; i < f->parts.count; ++i)
    {
        char part_path[PATH_BYTES];
        snprintf(part_path, sizeof part_path, "%.140s%s.%d", path, pl__given(&f->record, "parts") ? ".parts" : "", i);
        def->part_count = i + 1; // number of parts to release
        PL_TRY(take_part(s, &((const pl__file_part *)f->parts.item)[i], part_path, &part[i]));
    }
    return PL_OK;
}

static pl_status take_kind(pl__source *s, const pl__file_object_shape *f, const char *path, pl_object_def *def)
{
    switch (def->kind)
    {
    case PL_OBJECT_GEAR: take_gear(&f->gear, def); break;
    case PL_OBJECT_STAIRS: take_stairs(&f->stairs, def); break;
    case PL_OBJECT_HEIGHT_FIELD: return take_terrain(s, &f->terrain, path, def);
    case PL_OBJECT_SURFACE: return take_surface(s, &f->surface, path, def);
    case PL_OBJECT_UNION:
    case PL_OBJECT_DIFFERENCE: return take_parts(s, &f->parts, path, def);
    case PL_OBJECT_ACTOR: return take_actor(s, &f->actor, path, def);
    default: take_solid(&f->solid, def); break;
    }
    return PL_OK;
}

pl_status pl__object_shape_take(pl__source *s, const pl__file_object_shape *f, const char *path, pl_object_def *def)
{
    char kind_path[PATH_BYTES];
    def->kind = (pl_object_kind)f->record.which;
    snprintf(kind_path, sizeof kind_path, "%.140s.%s", path, pl__object_kind_name(def->kind));
    PL_TRY(take_kind(s, f, kind_path, def));
    pl_status status = pl__shape_check(s->ctx, kind_path, def);
    char library[PATH_BYTES + 16], file[PATH_BYTES + 16];
    snprintf(library, sizeof library, "%s.surface", kind_path);
    snprintf(file, sizeof file, "%s%s", kind_path, def->kind == PL_OBJECT_ACTOR ? ".file" : "");
    if (status == PL_ERR_ARGUMENT && strcmp(pl_context_error_path(s->ctx), library) == 0)
        return pl__fail_as(s, status, f->record.json->first, library, file);
    return pl__fail_at(s, status, f->record.json->first, "");
}

void pl__object_shape_release(const pl_object_def *def)
{
    pl_surface *surface = (pl_surface *)def->surface;
    pl_surface_destroy(&surface);
    for (int32_t i = 0; i < def->part_count; ++i)
        pl__object_shape_release(&def->part[i]);
}

// ---- objects ---------------------------------------------------------------------------------------------------

pl_status pl__floor_add(pl__source *s, pl_scene *scene)
{
    const pl__file_floor *floor = &s->file.floor;
    if (!floor->record.json)
        return PL_OK;
    pl_object_def def = pl_object_def_default();
    def.at[1] = floor->height;
    def.friction = floor->friction.value[0];
    PL_TRY(pl__fail_at(s, pl_scene_add_object(scene, "floor", &def, NULL), floor->record.json, ""));
    return pl__keys_add(s, scene, "objects.floor.friction", &floor->friction, pl__where(&floor->record, "friction"));
}

static pl_status check_object(pl__source *s, const pl__file_object *o)
{
    const char *name = o->record.name;
    if (o->shape.record.which < 0 && !o->body)
        return pl__json_fail(s->ctx, o->record.json,
                             "objects.%s: needs a `shape`, such as a plane or a sphere, or a `body`", name);
    if (s->file.floor.record.json && strcmp(name, "floor") == 0)
        return pl__json_fail_key(s->ctx, o->record.json,
                                 "objects.floor: the scene has a `floor` of that name already; choose another");
    if (o->at.count && pl__given(&o->record, "velocity"))
        return pl__json_fail_key(s->ctx, pl__where(&o->record, "velocity"),
                                 "objects.%s.velocity: `at` has keys, which say how it moves; give one of them", name);
    if (o->rotate.count && pl__given(&o->record, "spin"))
        return pl__json_fail_key(s->ctx, pl__where(&o->record, "spin"),
                                 "objects.%s.spin: `rotate` has keys, which say how it turns; give one of them", name);
    return PL_OK;
}

static pl_status check_driver(pl__source *s, const pl__file_object *o, const pl__file_body *body)
{
    const char *name = o->record.name;
    if (body->kind == PL_BODY_PLANAR)
        return pl__json_fail(s->ctx, pl__where(&o->record, "body"),
                             "objects.%s.body: \"%.60s\" is planar; only solids and shells can be objects for others",
                             name, o->body);
    return PL_OK;
}

// Check an object that is a body.
static pl_status check_body(pl__source *s, const pl__file_object *o)
{
    static const char *const of_places[] = {"shape", "at", "rotate", "spin", "velocity"};
    const char *name = o->record.name;
    for (int i = 0; i < 5; ++i)
        if (pl__given(&o->record, of_places[i]))
            return pl__json_fail_key(s->ctx, pl__where(&o->record, of_places[i]),
                                     "objects.%s.%s: its `body` says what and where it is; give one of them", name,
                                     of_places[i]);
    const char *names[128];
    int32_t count = 0;
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
    {
        const char *there = pl__source_body(s, i)->record.name;
        if (strcmp(there, o->body) == 0)
            return check_driver(s, o, pl__source_body(s, i));
        if (count < 127)
            names[count++] = there;
    }
    names[count] = NULL;
    const char *guess = pl__near_miss(o->body, names);
    return pl__json_fail(s->ctx, pl__where(&o->record, "body"), "objects.%s.body: there is no body \"%.60s\"%s%s%s",
                         name, o->body, guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "");
}

static pl_status define(pl__source *s, const pl__file_object *o, pl_object_def *def)
{
    char path[PATH_BYTES];
    pl__fields_take(&pl__object_fields, &pl__object_table, o, false, def);
    if (o->body)
    {
        def->kind = PL_OBJECT_BODY;
        def->body = o->body;
        return check_body(s, o);
    }
    snprintf(path, sizeof path, "objects.%.40s.shape", o->record.name);
    if (pl__given(&o->record, "depth"))
        return pl__json_fail_key(s->ctx, pl__where(&o->record, "depth"),
                                 "objects.%s.depth: is for a `body`; an `actor` has its own", o->record.name);
    return pl__object_shape_take(s, &o->shape, path, def);
}

static pl_status add_keys(pl__source *s, pl_scene *scene, const pl__file_object *o)
{
    for (int32_t i = 0; i < pl__object_fields.count; ++i)
    {
        const char *name = pl__object_fields.row[i].name;
        const pl__keyed_value *keys = pl__record_keys(&pl__object_table, o, name);
        char path[128];
        snprintf(path, sizeof path, "objects.%.40s.%s", o->record.name, name);
        if (keys)
            PL_TRY(pl__keys_add(s, scene, path, keys, pl__where(&o->record, name)));
    }
    return PL_OK;
}

pl_status pl__object_add(pl__source *s, pl_scene *scene, int32_t index)
{
    const pl__file_object *o = pl__source_object(s, index);
    PL_TRY(check_object(s, o));
    pl_object_def def = pl_object_def_default();
    pl_status status = define(s, o, &def);
    if (status == PL_OK)
        status = pl__fail_at(s, pl_scene_add_object(scene, o->record.name, &def, NULL),
                             pl__where(&o->record, o->body ? "body" : "shape"), "");
    pl__object_shape_release(&def);
    return status == PL_OK ? add_keys(s, scene, o) : status;
}
