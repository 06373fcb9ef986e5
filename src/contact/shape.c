// src/contact/shape.c -- one door to all shapes.
//
// A union is as far as the nearest of its parts. That is exact outside; inside, where parts overlap, it is the depth in
// one part, which is less than the depth in all of them. A difference is the intersection of its first part with the
// complements of the others, as deep as the least of the depths: exact inside, too small outside. Both change by at
// most as much as the point moves and have the right sign everywhere, and that is all that collisions ask for.
#include "shape.h"
#include "mesh/point.h"

#include <string.h>

// ---- life ------------------------------------------------------------------------------------------------------

static pl_status create_part(pl__shape *s, int32_t i)
{
    const pl_object_def *def = &s->def.part[i];
    memcpy(s->part[i].at, def->at, sizeof def->at);
    s->part[i].turned = pl_quat_from_degrees(def->rotate);
    return pl__shape_create(s->ctx, def, &s->part[i].shape);
}

static pl_status create_parts(pl__shape *s)
{
    if (!(s->part = PL_NEW(s->ctx, s->def.part_count, pl__shape_part)))
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < s->def.part_count; ++i)
        PL_TRY(create_part(s, i));
    return PL_OK;
}

static pl_status prepare(pl__shape *s)
{
    switch (s->def.kind)
    {
    case PL_OBJECT_CONE: return pl__cone_create(s);
    case PL_OBJECT_GEAR: return pl__gear_create(s);
    case PL_OBJECT_STAIRS: return pl__stairs_create(s);
    case PL_OBJECT_HEIGHT_FIELD: return pl__height_field_create(s);
    case PL_OBJECT_SURFACE: return pl__triangles_create(s);
    case PL_OBJECT_UNION:
    case PL_OBJECT_DIFFERENCE: return create_parts(s);
    case PL_OBJECT_WEDGE:
    {
        double half[3] = {s->def.angle, 0, 0};
        pl_quat q = pl_quat_from_degrees(half); // of half the angle
        s->sine = q.v[0], s->cosine = q.w;
        return PL_OK;
    }
    default: return PL_OK;
    }
}

pl_status pl__shape_create(pl_context *ctx, const pl_object_def *def, pl__shape **out)
{
    pl__shape *s = *out = PL_NEW(ctx, 1, pl__shape);
    if (!s)
        return PL_ERR_MEMORY;
    s->ctx = ctx;
    s->cache_hash = def->kind == PL_OBJECT_ACTOR ? pl__shape_cache_hash(def) : 0;
    pl_status status = pl__shape_def_copy(ctx, def, &s->def);
    if (status == PL_OK)
        status = prepare(s);
    if (status != PL_OK)
        pl__shape_destroy(out);
    return status;
}

void pl__shape_destroy(pl__shape **out)
{
    pl__shape *s = *out;
    if (!s)
        return;
    pl_context *ctx = s->ctx;
    const pl__distance_grid *g = &s->grid;
    for (int32_t i = 0; s->part && i < s->def.part_count; ++i)
        pl__shape_destroy(&s->part[i].shape);
    PL_DELETE(ctx, s->part, s->def.part_count);
    PL_DELETE(ctx, s->outline.point, 2 * (size_t)s->outline.count);
    PL_DELETE(ctx, s->spoke, 2 * (size_t)s->def.teeth);
    PL_DELETE(ctx, s->grid.value, (size_t)g->size[0] * (size_t)g->size[1] * (size_t)g->size[2]);
    pl__bvh_destroy(&s->hills);
    pl_surface_destroy(&s->terrain);
    pl__solid_destroy(&s->solid);
    pl__shape_def_release(ctx, &s->def);
    PL_DELETE(ctx, s, 1);
    *out = NULL;
}

// ---- distance --------------------------------------------------------------------------------------------------

static double plane_distance(const pl__shape *s, const double p[3], double n[3])
{
    memcpy(n, s->def.normal, sizeof s->def.normal);
    return pl__dot3(p, n);
}

static double sphere_distance(const pl__shape *s, const double p[3], double n[3])
{
    double length = pl__length3(p);
    for (int i = 0; i < 3; ++i)
        n[i] = length > 0 ? p[i] / length : i == 1; // the centre is pushed up
    return length - s->def.radius;
}

static double part_distance(const pl__shape_part *part, const double p[3], double n[3])
{
    pl_vec3 local = pl_quat_turn(pl_quat_conjugate(part->turned),
                                 pl_make3(p[0] - part->at[0], p[1] - part->at[1], p[2] - part->at[2]));
    double distance = pl__shape_distance(part->shape, local.v, n);
    pl_vec3 turned = pl_quat_turn(part->turned, pl_make3(n[0], n[1], n[2]));
    memcpy(n, turned.v, sizeof turned.v);
    return distance;
}

static double union_distance(const pl__shape *s, const double p[3], double n[3])
{
    double nearest = part_distance(&s->part[0], p, n), other[3];
    for (int32_t i = 1; i < s->def.part_count; ++i)
    {
        double distance = part_distance(&s->part[i], p, other);
        if (!(distance < nearest))
            continue;
        nearest = distance;
        memcpy(n, other, sizeof other);
    }
    return nearest;
}

static double difference_distance(const pl__shape *s, const double p[3], double n[3])
{
    double farthest = part_distance(&s->part[0], p, n), other[3];
    for (int32_t i = 1; i < s->def.part_count; ++i)
    {
        double distance = -part_distance(&s->part[i], p, other);
        if (!(distance > farthest))
            continue;
        farthest = distance;
        for (int k = 0; k < 3; ++k)
            n[k] = -other[k];
    }
    return farthest;
}

double pl__shape_distance(const pl__shape *s, const double p[3], double n[3])
{
    switch (s->def.kind)
    {
    case PL_OBJECT_PLANE: return plane_distance(s, p, n);
    case PL_OBJECT_SPHERE: return sphere_distance(s, p, n);
    case PL_OBJECT_WEDGE: return pl__wedge_distance(s, p, n);
    case PL_OBJECT_BOX: return pl__box_distance(s, p, n);
    case PL_OBJECT_ELLIPSOID: return pl__ellipsoid_distance(s, p, n);
    case PL_OBJECT_CAPSULE: return pl__capsule_distance(s, p, n);
    case PL_OBJECT_CYLINDER: return pl__cylinder_distance(s, p, n);
    case PL_OBJECT_CONE: return pl__cone_distance(s, p, n);
    case PL_OBJECT_TORUS: return pl__torus_distance(s, p, n);
    case PL_OBJECT_GEAR: return pl__gear_distance(s, p, n);
    case PL_OBJECT_STAIRS: return pl__stairs_distance(s, p, n);
    case PL_OBJECT_HEIGHT_FIELD: return pl__height_field_distance(s, p, n);
    case PL_OBJECT_SURFACE: return pl__triangles_distance(s, p, n);
    case PL_OBJECT_UNION: return union_distance(s, p, n);
    case PL_OBJECT_DIFFERENCE: return difference_distance(s, p, n);
    case PL_OBJECT_ACTOR: // these are asked for theirs as they are now (actor.h)
    case PL_OBJECT_BODY: break;
    }
    return plane_distance(s, p, n);
}

// ---- bounds ----------------------------------------------------------------------------------------------------

static void set_bounds(double x, double y, double z, double lower[3], double upper[3])
{
    double half[3] = {x, y, z};
    for (int i = 0; i < 3; ++i)
        lower[i] = -half[i], upper[i] = half[i];
}

static void field_bounds(const pl_object_def *d, double lower[3], double upper[3])
{
    set_bounds(0.5 * d->extent[0], INFINITY, 0.5 * d->extent[2], lower, upper);
    upper[1] = d->heights[0];
    for (int32_t i = 1; i < d->rows * d->columns; ++i)
        upper[1] = pl__max(upper[1], d->heights[i]);
}

// Where an actor begins.
static void first_bounds(const pl_surface *surface, double lower[3], double upper[3])
{
    set_bounds(-INFINITY, -INFINITY, -INFINITY, lower, upper);
    for (size_t k = 0; k < 3 * (size_t)surface->node_count; ++k)
    {
        lower[k % 3] = pl__min(lower[k % 3], surface->position[k]);
        upper[k % 3] = pl__max(upper[k % 3], surface->position[k]);
    }
}

static void solid_bounds(const pl__shape *s, double lower[3], double upper[3])
{
    for (int i = 0; i < 3; ++i)
    {
        lower[i] = s->solid->bvh->center[i] - 0.5 * s->solid->bvh->extent[i];
        upper[i] = s->solid->bvh->center[i] + 0.5 * s->solid->bvh->extent[i];
    }
}

// Around the turned corners of the part's own box, or everything when that is endless.
static void part_bounds(const pl__shape_part *part, double lower[3], double upper[3])
{
    double box[2][3];
    pl__shape_bounds(part->shape, box[0], box[1]);
    set_bounds(INFINITY, INFINITY, INFINITY, lower, upper);
    for (int i = 0; i < 3; ++i)
        if (!isfinite(box[0][i]) || !isfinite(box[1][i]))
            return;
    set_bounds(-INFINITY, -INFINITY, -INFINITY, lower, upper);
    for (int corner = 0; corner < 8; ++corner)
    {
        pl_vec3 x =
            pl_quat_turn(part->turned, pl_make3(box[corner & 1][0], box[corner >> 1 & 1][1], box[corner >> 2][2]));
        for (int i = 0; i < 3; ++i)
        {
            lower[i] = pl__min(lower[i], x.v[i] + part->at[i]);
            upper[i] = pl__max(upper[i], x.v[i] + part->at[i]);
        }
    }
}

static void union_bounds(const pl__shape *s, double lower[3], double upper[3])
{
    part_bounds(&s->part[0], lower, upper);
    for (int32_t k = 1; s->def.kind == PL_OBJECT_UNION && k < s->def.part_count; ++k)
    {
        double low[3], high[3];
        part_bounds(&s->part[k], low, high);
        for (int i = 0; i < 3; ++i)
        {
            lower[i] = pl__min(lower[i], low[i]);
            upper[i] = pl__max(upper[i], high[i]);
        }
    }
}

void pl__shape_bounds(const pl__shape *s, double lower[3], double upper[3])
{
    const pl_object_def *d = &s->def;
    double wide = d->radius;
    switch (d->kind)
    {
    case PL_OBJECT_ACTOR: first_bounds(d->surface, lower, upper); break;
    case PL_OBJECT_BODY:
    case PL_OBJECT_PLANE:
    case PL_OBJECT_WEDGE: set_bounds(INFINITY, INFINITY, INFINITY, lower, upper); break;
    case PL_OBJECT_SPHERE: set_bounds(wide, wide, wide, lower, upper); break;
    case PL_OBJECT_BOX:
    case PL_OBJECT_ELLIPSOID:
        set_bounds(0.5 * d->extent[0], 0.5 * d->extent[1], 0.5 * d->extent[2], lower, upper);
        break;
    case PL_OBJECT_CAPSULE:
    case PL_OBJECT_CYLINDER: set_bounds(wide, 0.5 * d->height, wide, lower, upper); break;
    case PL_OBJECT_CONE:
        wide = pl__max(d->radius, d->top_radius);
        set_bounds(wide, 0.5 * d->height, wide, lower, upper);
        break;
    case PL_OBJECT_TORUS: set_bounds(wide + d->tube, d->tube, wide + d->tube, lower, upper); break;
    case PL_OBJECT_GEAR: set_bounds(s->outer, s->outer, 0.5 * d->thickness, lower, upper); break;
    case PL_OBJECT_STAIRS:
        set_bounds(0, 0, 0.5 * d->width, lower, upper);
        upper[0] = d->steps * d->run, upper[1] = d->steps * d->rise;
        break;
    case PL_OBJECT_HEIGHT_FIELD: field_bounds(d, lower, upper); break;
    case PL_OBJECT_SURFACE: solid_bounds(s, lower, upper); break;
    case PL_OBJECT_UNION:
    case PL_OBJECT_DIFFERENCE: union_bounds(s, lower, upper); break;
    }
}
