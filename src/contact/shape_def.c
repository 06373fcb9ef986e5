// src/contact/shape_def.c -- definitions of shapes: checked by kind, copied with all they point to.
#include "shape.h"
#include "base/field_rows.h"
#include "base/hash.h"
#include "object_fields.h"

#include <stdio.h>
#include <string.h>

enum
{
    DEEPEST = 8 // parts within parts
};

static const double shortest = 1e-9, longest = 1e9;

#define OWNER pl_object_def
static const pl__field object_rows[] = {
#include "object_fields.inl"
};
static const pl__field shape_rows[] = {
#include "shape_fields.inl"
};
#undef OWNER
const pl__fields pl__object_fields = {object_rows, sizeof object_rows / sizeof object_rows[0]};
const pl__fields pl__shape_fields = {shape_rows, sizeof shape_rows / sizeof shape_rows[0]};

// ---- checks ----------------------------------------------------------------------------------------------------

typedef struct
{
    pl_context *ctx;
    const char *path;
    const pl_object_def *def;
    int depth;
} check;

// Ranges are those of shape_fields.inl; every shape has some of them. `names` is ended by NULL.
static pl_status check_ranges(const check *c, const char *const *names)
{
    for (; *names; ++names)
        PL_TRY(pl__fields_check_one(c->ctx, &pl__shape_fields, *names, c->def, c->path));
    return PL_OK;
}
#define CHECK_RANGES(c, ...) PL_TRY(check_ranges((c), (const char *const[]){__VA_ARGS__, NULL}))

static pl_status check_plane(const check *c)
{
    const double *n = c->def->normal;
    CHECK_RANGES(c, "normal");
    PL_CHECK_FIELD(c->ctx, n[0] != 0 || n[1] != 0 || n[2] != 0, c->path, "normal",
                   "(%g, %g, %g) must be finite and not zero", n[0], n[1], n[2]);
    return PL_OK;
}

static pl_status check_sphere(const check *c)
{
    CHECK_RANGES(c, "radius");
    return PL_OK;
}

static pl_status check_wedge(const check *c)
{
    CHECK_RANGES(c, "angle");
    return PL_OK;
}

static pl_status check_ellipsoid(const check *c)
{
    CHECK_RANGES(c, "extent");
    return PL_OK;
}

static pl_status check_box(const check *c)
{
    CHECK_RANGES(c, "extent", "rounding");
    const double *e = c->def->extent, most = 0.5 * fmin(fmin(e[0], e[1]), e[2]);
    PL_CHECK_FIELD(c->ctx, c->def->rounding <= most, c->path, "rounding",
                   "%g m must be in [0, %g], at most half the smallest extent", c->def->rounding, most);
    return PL_OK;
}

static pl_status check_round(const check *c)
{
    const pl_object_def *d = c->def;
    CHECK_RANGES(c, "radius", "height", d->kind == PL_OBJECT_CONE ? "top_radius" : NULL);
    PL_CHECK_FIELD(c->ctx, d->kind != PL_OBJECT_CAPSULE || d->height >= 2 * d->radius, c->path, "height",
                   "%g m must be at least twice the radius of %g m, from tip to tip", d->height, d->radius);
    PL_CHECK_FIELD(c->ctx, d->kind != PL_OBJECT_CONE || d->top_radius == 0 || d->top_radius >= shortest, c->path,
                   "top_radius", "%g m must be 0 or in [1e-9, 1e9]", d->top_radius);
    return PL_OK;
}

static pl_status check_torus(const check *c)
{
    CHECK_RANGES(c, "radius", "tube");
    PL_CHECK_FIELD(c->ctx, c->def->tube < c->def->radius, c->path, "tube", "%g m must be below the radius of %g m",
                   c->def->tube, c->def->radius);
    return PL_OK;
}

static pl_status check_gear(const check *c)
{
    const pl_object_def *d = c->def;
    CHECK_RANGES(c, "teeth", "module", "thickness", "bore", "pressure_angle");
    double most = pl__gear_largest_bore(d);
    PL_CHECK_FIELD(c->ctx, d->bore == 0 || (d->bore >= shortest && d->bore <= most), c->path, "bore",
                   "%g m must be 0 or in [1e-9, %g], which leaves a rim below the teeth", d->bore, most);
    return PL_OK;
}

static pl_status check_stairs(const check *c)
{
    CHECK_RANGES(c, "steps", "rise", "run", "width");
    return PL_OK;
}

static pl_status check_height_field(const check *c)
{
    const pl_object_def *d = c->def;
    pl_object_def level = *d;
    level.extent[1] = 1; // its heights say how high it is
    PL_TRY(pl__fields_check_one(c->ctx, &pl__shape_fields, "extent", &level, c->path));
    PL_CHECK_FIELD(c->ctx, d->rows >= 2 && d->columns >= 2, c->path, "heights", "%d rows of %d must be at least 2 of 2",
                   d->rows, d->columns);
    PL_CHECK_FIELD(c->ctx, (int64_t)d->rows * d->columns <= 1 << 26, c->path, "heights",
                   "%d rows of %d are more than 67108864 numbers", d->rows, d->columns);
    PL_CHECK_FIELD(c->ctx, d->heights, c->path, "heights", "is NULL");
    for (int32_t i = 0; i < d->rows * d->columns; ++i)
    {
        char item[48];
        snprintf(item, sizeof item, "heights[%d][%d]", i / d->columns, i % d->columns);
        PL_CHECK_FIELD(c->ctx, fabs(d->heights[i]) <= longest, c->path, item, "%g m must be within 1e9", d->heights[i]);
    }
    return PL_OK;
}

static pl_status check_surface(const check *c)
{
    const pl_object_def *d = c->def;
    pl_surface_info info;
    PL_CHECK_FIELD(c->ctx, d->surface, c->path, "surface",
                   "is NULL; make one with pl_surface_create or pl_surface_load");
    CHECK_RANGES(c, "lookup", "cell");
    PL_TRY(pl_surface_survey(d->surface, &info));
    PL_CHECK_FIELD(c->ctx, info.open_edges == 0, c->path, "surface",
                   "is open: %d edges belong to one triangle only; close its holes", info.open_edges);
    PL_CHECK_FIELD(c->ctx, info.turned_edges == 0, c->path, "surface",
                   "the triangles at %d edges face opposite ways; orient them alike", info.turned_edges);
    PL_CHECK_FIELD(c->ctx, info.volume != 0, c->path, "surface", "encloses no volume");
    double side = 0;
    for (int i = 0; i < 3; ++i)
        side = fmax(side, info.upper[i] - info.lower[i]);
    PL_CHECK_FIELD(c->ctx, d->cell == 0 || (d->cell >= side / 256 && d->cell <= side), c->path, "cell",
                   "%g m must be 0 or in [%g, %g], 1/256 of its longest side to all of it", d->cell, side / 256, side);
    return PL_OK;
}

static pl_status check_kind(const check *c);

static pl_status check_cache(const check *c)
{
    const pl_object_def *d = c->def;
    size_t nodes = (size_t)d->surface->node_count;
    if (!d->cache)
        return PL_OK;
    PL_CHECK_FIELD(c->ctx, d->cache_count > 0, c->path, "cache_count", "%d must be above 0", d->cache_count);
    PL_CHECK_FIELD(c->ctx, fabs(d->cache_start) <= longest, c->path, "cache_start", "%g s must be within 1e9",
                   d->cache_start);
    PL_CHECK_FIELD(c->ctx, d->cache_rate > 0 && d->cache_rate <= 1e9, c->path, "cache_rate",
                   "%g must be above 0 and at most 1e9", d->cache_rate);
    for (size_t i = 0; i < nodes * (size_t)d->cache_count; ++i)
        for (size_t k = 0; k < 3; ++k)
            PL_CHECK_FIELD(c->ctx, fabs(d->cache[3 * i + k]) <= longest, c->path, "cache",
                           "sample %zu puts vertex %zu at %g m along an axis, which must be within 1e9", i / nodes,
                           i % nodes, d->cache[3 * i + k]);
    return PL_OK;
}

static pl_status check_depth(const check *c)
{
    PL_TRY(pl__fields_check_one(c->ctx, &pl__object_fields, "depth", c->def, c->path));
    PL_CHECK_FIELD(c->ctx, c->depth == 0, c->path, "kind", "what bends cannot be a part of a union or difference");
    return PL_OK;
}

static pl_status check_actor(const check *c)
{
    pl_surface_info info;
    PL_CHECK_FIELD(c->ctx, c->def->surface, c->path, "surface",
                   "is NULL; make one with pl_surface_create or pl_surface_load");
    PL_TRY(pl_surface_survey(c->def->surface, &info));
    PL_CHECK_FIELD(c->ctx, info.turned_edges == 0, c->path, "surface",
                   "the triangles at %d edges face opposite ways; orient them alike", info.turned_edges);
    PL_TRY(check_depth(c));
    return check_cache(c);
}

static bool stays(const double v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

static pl_status check_body(const check *c)
{
    const pl_object_def *d = c->def;
    PL_CHECK_FIELD(c->ctx, d->body && d->body[0], c->path, "body", "needs the name of a body");
    PL_CHECK_FIELD(c->ctx, stays(d->at) && stays(d->rotate) && stays(d->velocity) && stays(d->spin), c->path, "",
                   "is where its body `%s` is; at, rotate, velocity and spin must be 0", d->body);
    return check_depth(c);
}

static pl_status check_part(const check *whole, int32_t i)
{
    const pl_object_def *part = &whole->def->part[i];
    char path[128];
    snprintf(path, sizeof path, "%.100s.part[%d]", whole->path, i);
    check c = {whole->ctx, path, part, whole->depth + 1};
    PL_CHECK_FIELD(c.ctx, c.depth <= DEEPEST, path, "", "parts are within parts to a depth of more than %d", DEEPEST);
    PL_CHECK_FIELD(c.ctx, part->cookie == whole->def->cookie, path, "", "start from pl_object_def_default()");
    PL_TRY(pl__fields_check_one(c.ctx, &pl__object_fields, "at", part, path));
    PL_TRY(pl__fields_check_one(c.ctx, &pl__object_fields, "rotate", part, path));
    return check_kind(&c);
}

static pl_status check_parts(const check *c)
{
    PL_CHECK_FIELD(c->ctx, c->def->part && c->def->part_count > 0, c->path, "part",
                   "a union or difference needs at least one part");
    for (int32_t i = 0; i < c->def->part_count; ++i)
        PL_TRY(check_part(c, i));
    return PL_OK;
}

static pl_status check_kind(const check *c)
{
    switch (c->def->kind)
    {
    case PL_OBJECT_PLANE: return check_plane(c);
    case PL_OBJECT_SPHERE: return check_sphere(c);
    case PL_OBJECT_WEDGE: return check_wedge(c);
    case PL_OBJECT_BOX: return check_box(c);
    case PL_OBJECT_ELLIPSOID: return check_ellipsoid(c);
    case PL_OBJECT_CAPSULE:
    case PL_OBJECT_CYLINDER:
    case PL_OBJECT_CONE: return check_round(c);
    case PL_OBJECT_TORUS: return check_torus(c);
    case PL_OBJECT_GEAR: return check_gear(c);
    case PL_OBJECT_STAIRS: return check_stairs(c);
    case PL_OBJECT_HEIGHT_FIELD: return check_height_field(c);
    case PL_OBJECT_SURFACE: return check_surface(c);
    case PL_OBJECT_UNION:
    case PL_OBJECT_DIFFERENCE: return check_parts(c);
    case PL_OBJECT_ACTOR: return check_actor(c);
    case PL_OBJECT_BODY: return check_body(c);
    }
    return pl__fail_field(c->ctx, c->path, "kind", "%d is not a pl_object_kind", (int)c->def->kind);
}

pl_status pl__shape_check(pl_context *ctx, const char *path, const pl_object_def *def)
{
    return check_kind(&(check){ctx, path, def, 0});
}

// ---- copies ----------------------------------------------------------------------------------------------------

static size_t cache_length(const pl_object_def *def)
{
    return def->cache && def->surface ? 3 * (size_t)def->cache_count * (size_t)def->surface->node_count : 0;
}

static size_t height_count(const pl_object_def *def) { return (size_t)def->rows * (size_t)def->columns; }

// By its largest component first: any length but zero is good.
static void make_unit(double n[3])
{
    double largest = fmax(fmax(fabs(n[0]), fabs(n[1])), fabs(n[2])), length = 0;
    for (int i = 0; i < 3; ++i)
    {
        n[i] = largest > 0 ? n[i] / largest : i == 1;
        length += n[i] * n[i];
    }
    for (int i = 0; i < 3; ++i)
        n[i] /= sqrt(length);
}

static pl_status copy_parts(pl_context *ctx, const pl_object_def *def, pl_object_def *copy)
{
    pl_object_def *part = PL_NEW(ctx, def->part_count, pl_object_def);
    copy->part = part;
    if (!part)
        return PL_ERR_MEMORY;
    copy->part_count = def->part_count;
    for (int32_t i = 0; i < def->part_count; ++i)
        PL_TRY(pl__shape_def_copy(ctx, &def->part[i], &part[i]));
    return PL_OK;
}

static pl_status copy_actor(pl_context *ctx, const pl_object_def *def, pl_object_def *copy)
{
    double *cache = NULL;
    if (!(copy->surface = pl__surface_copy(def->surface)) ||
        (def->cache && !(cache = PL_NEW(ctx, cache_length(def), double))))
        return PL_ERR_MEMORY;
    if (cache)
        memcpy(cache, def->cache, cache_length(def) * sizeof *cache);
    copy->cache = cache;
    return PL_OK;
}

static pl_status copy_name(pl_context *ctx, const pl_object_def *def, pl_object_def *copy)
{
    char *name = PL_NEW(ctx, strlen(def->body) + 1, char);
    if (name)
        memcpy(name, def->body, strlen(def->body) + 1);
    return (copy->body = name) ? PL_OK : PL_ERR_MEMORY;
}

// What a definition of its kind points to; of other kinds it may be anything.
static pl_status copy_data(pl_context *ctx, const pl_object_def *def, pl_object_def *copy)
{
    if (def->kind == PL_OBJECT_UNION || def->kind == PL_OBJECT_DIFFERENCE)
        return copy_parts(ctx, def, copy);
    if (def->kind == PL_OBJECT_SURFACE)
        return (copy->surface = pl__surface_copy(def->surface)) ? PL_OK : PL_ERR_MEMORY;
    if (def->kind == PL_OBJECT_ACTOR)
        return copy_actor(ctx, def, copy);
    if (def->kind == PL_OBJECT_BODY)
        return copy_name(ctx, def, copy);
    if (def->kind != PL_OBJECT_HEIGHT_FIELD)
        return PL_OK;
    double *heights = PL_NEW(ctx, height_count(def), double);
    if (heights)
        memcpy(heights, def->heights, height_count(def) * sizeof *heights);
    return (copy->heights = heights) ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__shape_def_copy(pl_context *ctx, const pl_object_def *def, pl_object_def *copy)
{
    *copy = *def;
    copy->heights = NULL;
    copy->surface = NULL;
    copy->part = NULL;
    copy->part_count = 0;
    copy->cache = NULL;
    copy->body = NULL;
    make_unit(copy->normal);
    pl_status status = copy_data(ctx, def, copy);
    if (status != PL_OK)
        pl__shape_def_release(ctx, copy);
    return status;
}

void pl__shape_def_release(pl_context *ctx, pl_object_def *def)
{
    pl_object_def *part = (pl_object_def *)def->part;
    pl_surface *surface = (pl_surface *)def->surface;
    double *heights = (double *)def->heights, *cache = (double *)def->cache;
    char *body = (char *)def->body;
    PL_DELETE(ctx, cache, cache_length(def));
    PL_DELETE(ctx, body, body ? strlen(body) + 1 : 0);
    for (int32_t i = 0; part && i < def->part_count; ++i)
        pl__shape_def_release(ctx, &part[i]);
    PL_DELETE(ctx, part, def->part_count);
    PL_DELETE(ctx, heights, height_count(def));
    pl_surface_destroy(&surface);
    *def = (pl_object_def){0};
}

// ---- identity --------------------------------------------------------------------------------------------------

static uint64_t hash_def(uint64_t h, const pl_object_def *d)
{
    double plain[] = {d->kind, d->normal[0], d->normal[1], d->normal[2], d->radius};
    h = pl__hash(h, plain, sizeof plain);
    if (d->kind == PL_OBJECT_PLANE || d->kind == PL_OBJECT_SPHERE)
        return h;
    double sizes[] = {d->extent[0],      d->extent[1], d->extent[2], d->height,    d->top_radius, d->tube,
                      d->rounding,       d->angle,     d->teeth,     d->module,    d->thickness,  d->bore,
                      d->pressure_angle, d->steps,     d->rise,      d->run,       d->width,      d->rows,
                      d->columns,        d->lookup,    d->cell,      d->part_count};
    h = pl__hash(h, sizes, sizeof sizes);
    if (d->heights)
        h = pl__hash(h, d->heights, height_count(d) * sizeof *d->heights);
    if (d->surface)
    {
        h = pl__hash(h, d->surface->position, 3 * (size_t)d->surface->node_count * sizeof *d->surface->position);
        h = pl__hash(h, d->surface->triangle, 3 * (size_t)d->surface->triangle_count * sizeof *d->surface->triangle);
    }
    for (int32_t i = 0; i < d->part_count; ++i)
    {
        h = pl__hash(h, d->part[i].at, sizeof d->part[i].at);
        h = pl__hash(h, d->part[i].rotate, sizeof d->part[i].rotate);
        h = hash_def(h, &d->part[i]);
    }
    return h;
}

uint64_t pl__shape_cache_hash(const pl_object_def *d)
{
    return d->cache ? pl__hash(0, d->cache, cache_length(d) * sizeof *d->cache) : 0;
}

// What only some have.
static uint64_t hash_actor(uint64_t h, const pl__shape *shape)
{
    const pl_object_def *d = &shape->def;
    double numbers[] = {d->cache_count, d->cache_start, d->cache_rate, d->depth};
    if (d->kind == PL_OBJECT_ACTOR || d->kind == PL_OBJECT_BODY)
        h = pl__hash(h, numbers, sizeof numbers);
    if (d->cache)
        h = pl__hash(h, &shape->cache_hash, sizeof shape->cache_hash);
    if (d->body)
        h = pl__hash(h, d->body, strlen(d->body));
    double contact[] = {d->contact, d->collision_thickness};
    return d->contact == PL_MEETING_DISTANCE ? h : pl__hash(h, contact, sizeof contact);
}

uint64_t pl__shape_hash(uint64_t h, const pl__shape *shape) { return hash_actor(hash_def(h, &shape->def), shape); }
