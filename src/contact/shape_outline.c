// src/contact/shape_outline.c -- shapes that are a polygon pulled along an axis or turned about one: stairs, cones.
//
// The nearest point of a polygon is on one of its edges; inside is where a ray to the right crosses an odd number of
// them. Pulled along an axis (pl__extrude), the distance combines as that to a box does. Turned about an axis, it is
// the distance in the half-plane of the point, the edge on the axis left out.
#include "shape.h"
#include "mesh/point.h"

bool pl__outline_new(pl_context *ctx, int32_t count, int32_t walls, pl__outline *outline)
{
    *outline = (pl__outline){count, walls, PL_NEW(ctx, 2 * (size_t)count, double)};
    return outline->point != NULL;
}

// From a to b; the vector from its nearest point to p, and the square of its length.
static double segment_offset(const double a[2], const double b[2], const double p[2], double offset[2])
{
    double e[2] = {b[0] - a[0], b[1] - a[1]}, w[2] = {p[0] - a[0], p[1] - a[1]}, length = e[0] * e[0] + e[1] * e[1];
    double t = length > 0 ? pl__max(0, pl__min((w[0] * e[0] + w[1] * e[1]) / length, 1)) : 0;
    offset[0] = w[0] - t * e[0], offset[1] = w[1] - t * e[1];
    return offset[0] * offset[0] + offset[1] * offset[1];
}

static bool crosses(const double a[2], const double b[2], const double p[2])
{
    return (a[1] > p[1]) != (b[1] > p[1]) && p[0] < (b[0] - a[0]) * ((p[1] - a[1]) / (b[1] - a[1])) + a[0];
}

double pl__outline_distance(const pl__outline *o, const double p[2], double n[2])
{
    double nearest = INFINITY, offset[2], best[2] = {0}, edge[2] = {0};
    bool inside = false;
    for (int32_t i = 0; i < o->count; ++i)
    {
        const double *a = &o->point[2 * i], *b = i + 1 < o->count ? a + 2 : o->point;
        inside ^= crosses(a, b, p);
        double square = i < o->walls ? segment_offset(a, b, p, offset) : INFINITY;
        if (square < nearest)
        {
            nearest = square;
            best[0] = offset[0], best[1] = offset[1];
            edge[0] = b[0] - a[0], edge[1] = b[1] - a[1];
        }
    }
    double distance = sqrt(nearest), side = inside ? -1 : 1, scale = fabs(p[0]) + fabs(p[1]);
    n[0] = side * best[0] / distance, n[1] = side * best[1] / distance;
    if (!(distance > 1e-9 * scale)) // too near to have a direction: across the edge
    {
        double length = sqrt(edge[0] * edge[0] + edge[1] * edge[1]);
        n[0] = edge[1] / length, n[1] = -edge[0] / length;
    }
    return side * distance;
}

// ---- cone --------------------------------------------------------------------------------------------------------

static void put(pl__outline *o, int32_t i, double x, double y) { o->point[2 * i] = x, o->point[2 * i + 1] = y; }

pl_status pl__cone_create(pl__shape *s)
{
    const pl_object_def *d = &s->def;
    int32_t count = d->top_radius > 0 ? 4 : 3;
    if (!pl__outline_new(s->ctx, count, count - 1, &s->outline))
        return PL_ERR_MEMORY;
    put(&s->outline, 0, 0, -0.5 * d->height);
    put(&s->outline, 1, d->radius, -0.5 * d->height);
    put(&s->outline, 2, d->top_radius, 0.5 * d->height);
    if (count == 4)
        put(&s->outline, 3, 0, 0.5 * d->height);
    return PL_OK;
}

double pl__cone_distance(const pl__shape *s, const double p[3], double n[3])
{
    double r = sqrt(p[0] * p[0] + p[2] * p[2]), at[2] = {r, p[1]}, flat[2];
    double distance = pl__outline_distance(&s->outline, at, flat);
    n[0] = r > 0 ? flat[0] * (p[0] / r) : flat[0];
    n[1] = flat[1];
    n[2] = r > 0 ? flat[0] * (p[2] / r) : 0;
    return distance;
}

// ---- stairs ------------------------------------------------------------------------------------------------------

pl_status pl__stairs_create(pl__shape *s)
{
    const pl_object_def *d = &s->def;
    int32_t count = 2 * d->steps + 2;
    if (!pl__outline_new(s->ctx, count, count, &s->outline))
        return PL_ERR_MEMORY;
    put(&s->outline, 0, 0, 0);
    put(&s->outline, 1, d->steps * d->run, 0);
    for (int32_t i = 0; i < d->steps; ++i) // down again from the top
    {
        put(&s->outline, 2 * i + 2, (d->steps - i) * d->run, (d->steps - i) * d->rise);
        put(&s->outline, 2 * i + 3, (d->steps - i - 1) * d->run, (d->steps - i) * d->rise);
    }
    return PL_OK;
}

double pl__stairs_distance(const pl__shape *s, const double p[3], double n[3])
{
    double across = pl__outline_distance(&s->outline, p, n);
    return pl__extrude(across, p[2], 0.5 * s->def.width, 2, n);
}
