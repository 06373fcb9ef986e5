// src/contact/shape_def.c -- definitions of shapes: checked by kind, copied with all they point to.
#include "shape.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

enum
{
    DEEPEST = 8 // parts within parts
};

static const double shortest = 1e-9, longest = 1e9;

// ---- checks ----------------------------------------------------------------------------------------------------

typedef struct
{
    pl_context *ctx;
    const char *path;
    const pl_object_def *def;
    int depth;
} check;

static pl_status check_length(const check *c, const char *field, double value)
{
    PL_CHECK(c->ctx, value >= shortest && value <= longest, "%s.%s: %g m must be in [1e-9, 1e9]", c->path, field,
             value);
    return PL_OK;
}

static pl_status check_extent(const check *c)
{
    const double *e = c->def->extent;
    for (int i = 0; i < 3; ++i)
        PL_CHECK(c->ctx, (c->def->kind == PL_OBJECT_HEIGHT_FIELD && i == 1) || (e[i] >= shortest && e[i] <= longest),
                 "%s.extent: (%g, %g, %g) m must be in [1e-9, 1e9]", c->path, e[0], e[1], e[2]);
    return PL_OK;
}

static pl_status check_plane(const check *c)
{
    const double *n = c->def->normal;
    bool finite = isfinite(n[0]) && isfinite(n[1]) && isfinite(n[2]);
    PL_CHECK(c->ctx, finite && (n[0] != 0 || n[1] != 0 || n[2] != 0),
             "%s.normal: (%g, %g, %g) must be finite and not zero", c->path, n[0], n[1], n[2]);
    return PL_OK;
}

static pl_status check_sphere(const check *c)
{
    PL_CHECK(c->ctx, c->def->radius >= 1e-9 && c->def->radius <= 1e9, "%s.radius: %g m must be in [1e-9, 1e9]", c->path,
             c->def->radius);
    return PL_OK;
}

static pl_status check_wedge(const check *c)
{
    PL_CHECK(c->ctx, c->def->angle >= 1 && c->def->angle <= 359, "%s.angle: %g degrees must be in [1, 359]", c->path,
             c->def->angle);
    return PL_OK;
}

static pl_status check_box(const check *c)
{
    PL_TRY(check_extent(c));
    const double *e = c->def->extent, most = 0.5 * fmin(fmin(e[0], e[1]), e[2]);
    PL_CHECK(c->ctx, c->def->rounding >= 0 && c->def->rounding <= most,
             "%s.rounding: %g m must be in [0, %g], at most half the smallest extent", c->path, c->def->rounding, most);
    return PL_OK;
}

static pl_status check_round(const check *c)
{
    const pl_object_def *d = c->def;
    PL_TRY(check_length(c, "radius", d->radius));
    PL_TRY(check_length(c, "height", d->height));
    PL_CHECK(c->ctx, d->kind != PL_OBJECT_CAPSULE || d->height >= 2 * d->radius,
             "%s.height: %g m must be at least twice the radius of %g m, from tip to tip", c->path, d->height,
             d->radius);
    PL_CHECK(c->ctx,
             d->kind != PL_OBJECT_CONE || d->top_radius == 0 || (d->top_radius >= shortest && d->top_radius <= longest),
             "%s.top_radius: %g m must be 0 or in [1e-9, 1e9]", c->path, d->top_radius);
    return PL_OK;
}

static pl_status check_torus(const check *c)
{
    PL_TRY(check_length(c, "radius", c->def->radius));
    PL_TRY(check_length(c, "tube", c->def->tube));
    PL_CHECK(c->ctx, c->def->tube < c->def->radius, "%s.tube: %g m must be below the radius of %g m", c->path,
             c->def->tube, c->def->radius);
    return PL_OK;
}

static pl_status check_gear(const check *c)
{
    const pl_object_def *d = c->def;
    PL_CHECK(c->ctx, d->teeth >= 3 && d->teeth <= 1000, "%s.teeth: %d must be in [3, 1000]", c->path, d->teeth);
    PL_TRY(check_length(c, "module", d->module));
    PL_TRY(check_length(c, "thickness", d->thickness));
    PL_CHECK(c->ctx, d->pressure_angle >= 10 && d->pressure_angle <= 30,
             "%s.pressure_angle: %g degrees must be in [10, 30]", c->path, d->pressure_angle);
    double most = pl__gear_largest_bore(d);
    PL_CHECK(c->ctx, d->bore == 0 || (d->bore >= shortest && d->bore <= most),
             "%s.bore: %g m must be 0 or in [1e-9, %g], which leaves a rim below the teeth", c->path, d->bore, most);
    return PL_OK;
}

static pl_status check_stairs(const check *c)
{
    PL_CHECK(c->ctx, c->def->steps >= 1 && c->def->steps <= 1000, "%s.steps: %d must be in [1, 1000]", c->path,
             c->def->steps);
    PL_TRY(check_length(c, "rise", c->def->rise));
    PL_TRY(check_length(c, "run", c->def->run));
    return check_length(c, "width", c->def->width);
}

static pl_status check_height_field(const check *c)
{
    const pl_object_def *d = c->def;
    PL_TRY(check_extent(c));
    PL_CHECK(c->ctx, d->rows >= 2 && d->columns >= 2, "%s.heights: %d rows of %d must be at least 2 of 2", c->path,
             d->rows, d->columns);
    PL_CHECK(c->ctx, (int64_t)d->rows * d->columns <= 1 << 26,
             "%s.heights: %d rows of %d are more than 67108864 numbers", c->path, d->rows, d->columns);
    PL_CHECK(c->ctx, d->heights, "%s.heights: is NULL", c->path);
    for (int32_t i = 0; i < d->rows * d->columns; ++i)
        PL_CHECK(c->ctx, fabs(d->heights[i]) <= longest, "%s.heights[%d][%d]: %g m must be within 1e9", c->path,
                 i / d->columns, i % d->columns, d->heights[i]);
    return PL_OK;
}

static pl_status check_surface(const check *c)
{
    const pl_object_def *d = c->def;
    pl_surface_info info;
    PL_CHECK(c->ctx, d->surface, "%s.surface: is NULL; make one with pl_surface_create or pl_surface_load", c->path);
    PL_CHECK(c->ctx, (unsigned)d->lookup <= PL_LOOKUP_GRID, "%s.lookup: %d is not a pl_object_lookup", c->path,
             (int)d->lookup);
    PL_TRY(pl_surface_survey(d->surface, &info));
    PL_CHECK(c->ctx, info.open_edges == 0, "%s.surface: is open: %d edges belong to one triangle only; close its holes",
             c->path, info.open_edges);
    PL_CHECK(c->ctx, info.turned_edges == 0,
             "%s.surface: the triangles at %d edges face opposite ways; orient them alike", c->path, info.turned_edges);
    PL_CHECK(c->ctx, info.volume != 0, "%s.surface: encloses no volume", c->path);
    double side = 0;
    for (int i = 0; i < 3; ++i)
        side = fmax(side, info.upper[i] - info.lower[i]);
    PL_CHECK(c->ctx, d->cell == 0 || (d->cell >= side / 256 && d->cell <= side),
             "%s.cell: %g m must be 0 or in [%g, %g], 1/256 of its longest side to all of it", c->path, d->cell,
             side / 256, side);
    return PL_OK;
}

static pl_status check_kind(const check *c);

static pl_status check_cache(const check *c)
{
    const pl_object_def *d = c->def;
    size_t nodes = (size_t)d->surface->node_count;
    if (!d->cache)
        return PL_OK;
    PL_CHECK(c->ctx, d->cache_count > 0, "%s.cache_count: %d must be above 0", c->path, d->cache_count);
    PL_CHECK(c->ctx, fabs(d->cache_start) <= longest, "%s.cache_start: %g s must be within 1e9", c->path,
             d->cache_start);
    PL_CHECK(c->ctx, d->cache_rate > 0 && d->cache_rate <= 1e9, "%s.cache_rate: %g must be above 0 and at most 1e9",
             c->path, d->cache_rate);
    for (size_t i = 0; i < nodes * (size_t)d->cache_count; ++i)
        for (size_t k = 0; k < 3; ++k)
            PL_CHECK(c->ctx, fabs(d->cache[3 * i + k]) <= longest,
                     "%s.cache: sample %zu puts vertex %zu at %g m along an axis, which must be within 1e9", c->path,
                     i / nodes, i % nodes, d->cache[3 * i + k]);
    return PL_OK;
}

static pl_status check_depth(const check *c)
{
    PL_CHECK(c->ctx, c->def->depth >= 0 && c->def->depth <= longest, "%s.depth: %g m must be in [0, 1e9]", c->path,
             c->def->depth);
    PL_CHECK(c->ctx, c->depth == 0, "%s.kind: what bends cannot be a part of a union or difference", c->path);
    return PL_OK;
}

static pl_status check_actor(const check *c)
{
    pl_surface_info info;
    PL_CHECK(c->ctx, c->def->surface, "%s.surface: is NULL; make one with pl_surface_create or pl_surface_load",
             c->path);
    PL_TRY(pl_surface_survey(c->def->surface, &info));
    PL_CHECK(c->ctx, info.turned_edges == 0,
             "%s.surface: the triangles at %d edges face opposite ways; orient them alike", c->path, info.turned_edges);
    PL_TRY(check_depth(c));
    return check_cache(c);
}

static bool stays(const double v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

static pl_status check_body(const check *c)
{
    const pl_object_def *d = c->def;
    PL_CHECK(c->ctx, d->body && d->body[0], "%s.body: needs the name of a body", c->path);
    PL_CHECK(c->ctx, stays(d->at) && stays(d->rotate) && stays(d->velocity) && stays(d->spin),
             "%s: is where its body `%s` is; at, rotate, velocity and spin must be 0", c->path, d->body);
    return check_depth(c);
}

static bool within(const double v[3], double limit)
{
    return fabs(v[0]) <= limit && fabs(v[1]) <= limit && fabs(v[2]) <= limit;
}

static pl_status check_part(const check *whole, int32_t i)
{
    const pl_object_def *part = &whole->def->part[i];
    char path[128];
    snprintf(path, sizeof path, "%.100s.part[%d]", whole->path, i);
    check c = {whole->ctx, path, part, whole->depth + 1};
    PL_CHECK(c.ctx, c.depth <= DEEPEST, "%s: parts are within parts to a depth of more than %d", path, DEEPEST);
    PL_CHECK(c.ctx, part->cookie == whole->def->cookie, "%s: start from pl_object_def_default()", path);
    PL_CHECK(c.ctx, within(part->at, longest), "%s.at: (%g, %g, %g) m must be within 1e9", path, part->at[0],
             part->at[1], part->at[2]);
    PL_CHECK(c.ctx, within(part->rotate, 1e6), "%s.rotate: (%g, %g, %g) degrees must be within 1e6", path,
             part->rotate[0], part->rotate[1], part->rotate[2]);
    return check_kind(&c);
}

static pl_status check_parts(const check *c)
{
    PL_CHECK(c->ctx, c->def->part && c->def->part_count > 0, "%s.part: a union or difference needs at least one part",
             c->path);
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
    case PL_OBJECT_ELLIPSOID: return check_extent(c);
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
    return pl__fail(c->ctx, PL_ERR_ARGUMENT, "%s.kind: %d is not a pl_object_kind", c->path, (int)c->def->kind);
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
