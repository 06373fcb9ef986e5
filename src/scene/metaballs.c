// src/scene/metaballs.c -- bodies of smoothly blended balls, limbs and plates, with an optional relief.
//
// A part is the convex hull of one, two or three balls: a ball, a limb (a cone with round ends), a plate (a triangle
// with round edges). Four balls and more are a chain of limbs. A limb is the union of balls of radius r(t) = p + t (q -
// p) about the points of its axis. For a point at distance h from an axis of length L, beside the axis point a, the
// nearest ball has t L = a + h (q - p)/sqrt(L^2 - (q - p)^2), or is an end. The flat sides of a plate use interpolated
// radii, which is exact where they are equal. Parts are blended one after the other by the polynomial smooth minimum of
// width b, with distances d and e,
//
//     min(d, e) - b/4 max(0, 1 - |d - e|/b)^2,
//
// which swells by b/4 where both distances are equal, also where one limb continues another; therefore a chain is one
// part.
//
// The relief h g(x) with g = sin x cos y + sin y cos z + sin z cos x (over 1.5, in units of its length: a gyroid) is
// subtracted from the distance: connected bumps in all directions, on every slope alike, without surface coordinates.
//
// What it does badly: every part is evaluated at every point of the lattice.
#include "metaballs.h"
#include "base/real_math.h"
#include "mesh/point.h"

enum
{
    MOST_BALLS = 1000 // in all parts: each is evaluated at every point of the lattice
};

typedef struct
{
    const pl__rows *parts;
    double blend, relief, relief_length;
} blobs;

// ---- distances -------------------------------------------------------------------------------------------------

static double ball_distance(const double *p, const double x[3]) { return sqrt(pl__distance_squared3(p, x)) - p[3]; }

// Distance to the limb between balls p and q.
static double limb_distance(const double *p, const double *q, const double x[3])
{
    double axis[3], to[3], c[4];
    pl__sub3(q, p, axis);
    pl__sub3(x, p, to);
    double length2 = pl__dot3(axis, axis), widens = q[3] - p[3], slope2 = length2 - widens * widens;
    if (!(slope2 > 0)) // one ball contains the other
        return pl__min(ball_distance(p, x), ball_distance(q, x));
    double along = pl__dot3(to, axis) / length2, beside = sqrt(pl__max(0, pl__dot3(to, to) - along * along * length2));
    double t = pl__min(1, pl__max(0, along + beside * widens / sqrt(slope2 * length2)));
    for (int i = 0; i < 4; ++i)
        c[i] = p[i] + t * (q[i] - p[i]);
    return ball_distance(c, x);
}

// Distance to the flat side if x projects onto the triangle; else INFINITY, and an edge is nearer.
static double face_distance(const double *p, const double x[3])
{
    double u[3], v[3], w[3], n[3], a[3];
    pl__sub3(p + 4, p, u);
    pl__sub3(p + 8, p, v);
    pl__sub3(x, p, w);
    pl__cross3(u, v, n);
    double n2 = pl__dot3(n, n);
    if (!(n2 > 0))
        return INFINITY;
    pl__cross3(w, v, a);
    double s = pl__dot3(a, n) / n2;
    pl__cross3(u, w, a);
    double t = pl__dot3(a, n) / n2;
    if (s < 0 || t < 0 || s + t > 1)
        return INFINITY;
    return fabs(pl__dot3(w, n)) / sqrt(n2) - (p[3] + s * (p[7] - p[3]) + t * (p[11] - p[3]));
}

static double part_distance(const double *p, int32_t length, const double x[3])
{
    if (length == 4)
        return ball_distance(p, x);
    double d = limb_distance(p, p + 4, x);
    for (int32_t k = 4; k + 4 < length; k += 4)
        d = pl__min(d, limb_distance(p + k, p + k + 4, x));
    if (length != 12)
        return d;
    return pl__min(pl__min(d, limb_distance(p + 8, p, x)), face_distance(p, x));
}

static double gyroid(const double x[3], double length)
{
    const double turn = 6.283185307179586;
    double s[3], c[3];
    for (int i = 0; i < 3; ++i)
        pl__real_sincos(turn / length * x[i], &s[i], &c[i]);
    return (s[0] * c[1] + s[1] * c[2] + s[2] * c[0]) / 1.5;
}

static double blobs_distance(void *user, const double x[3])
{
    const blobs *b = user;
    double d = INFINITY;
    for (int32_t i = 0; i < b->parts->row_count; ++i)
    {
        double e = part_distance(b->parts->row[i], b->parts->lengths[i], x);
        double overlap = b->blend > 0 && isfinite(d) ? pl__max(0, b->blend - fabs(d - e)) / b->blend : 0;
        d = pl__min(d, e) - 0.25 * b->blend * overlap * overlap;
    }
    return b->relief > 0 ? d - b->relief * gyroid(x, b->relief_length) : d;
}

// ---- meshing ---------------------------------------------------------------------------------------------------

static pl_status check_number(const pl__body_build *b, int32_t part, int32_t k, double value)
{
    bool radius = k % 4 == 3;
    if (radius ? value > 0 && value <= 1e6 : fabs(value) <= 1e6)
        return PL_OK;
    return pl__json_fail(b->source->ctx, pl__where(&b->file->record, "shape"),
                         "bodies.%s.shape.blobs: part %d: %g must be %s", b->file->record.name, part, value,
                         radius ? "above 0 and at most 1e6 m, a radius" : "within 1e6 m");
}

static int64_t count_balls(const pl__rows *parts)
{
    int64_t count = 0;
    for (int32_t i = 0; i < parts->row_count; ++i)
        count += parts->lengths[i] / 4;
    return count;
}

static pl_status check_parts(const pl__body_build *b, const pl__rows *parts)
{
    const pl__json *where = pl__where(&b->file->record, "shape");
    pl_context *ctx = b->source->ctx;
    const char *name = b->file->record.name;
    if (parts->row_count == 0)
        return pl__json_fail(
            ctx, where, "bodies.%s.shape.blobs: needs at least one part, such as the ball [x, y, z, radius]", name);
    if (count_balls(parts) > MOST_BALLS)
        return pl__json_fail(ctx, where, "bodies.%s.shape.blobs: parts of %lld balls are too many; at most %d", name,
                             (long long)count_balls(parts), MOST_BALLS);
    for (int32_t i = 0; i < parts->row_count; ++i)
    {
        int32_t length = parts->lengths[i];
        if (length == 0 || length % 4 != 0)
            return pl__json_fail(ctx, where,
                                 "bodies.%s.shape.blobs: part %d has %d numbers; a ball is [x, y, z, radius], a limb "
                                 "two of them in one list, a plate three, a chain of limbs four and more",
                                 name, i, length);
        for (int32_t k = 0; k < length; ++k)
            PL_TRY(check_number(b, i, k, parts->row[i][k]));
    }
    return PL_OK;
}

static void part_bounds(const pl__rows *parts, double lower[3], double upper[3])
{
    for (int i = 0; i < 3; ++i)
    {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
    for (int32_t k = 0; k < parts->row_count; ++k)
        for (int32_t p = 0; p < parts->lengths[k]; p += 4)
            for (int i = 0; i < 3; ++i)
            {
                lower[i] = pl__min(lower[i], parts->row[k][p + i] - parts->row[k][p + 3]);
                upper[i] = pl__max(upper[i], parts->row[k][p + i] + parts->row[k][p + 3]);
            }
}

static double thinnest(const pl__rows *parts)
{
    double least = INFINITY;
    for (int32_t k = 0; k < parts->row_count; ++k)
        for (int32_t p = 3; p < parts->lengths[k]; p += 4)
            least = pl__min(least, parts->row[k][p]);
    return least;
}

// The relief must be lower than the thinnest part, and its wavelength must be resolved by the elements.
static pl_status check_relief(const pl__body_build *b, const blobs *shape, double size)
{
    const pl__json *where = pl__where(&b->file->record, "shape");
    pl_context *ctx = b->source->ctx;
    const char *name = b->file->record.name;
    double radius = thinnest(shape->parts);
    if (shape->relief > radius)
        return pl__json_fail(
            ctx, where,
            "bodies.%s.shape.blobs.relief: bumps of %g m are higher than the smallest radius of the parts, %g m", name,
            shape->relief, radius);
    if (shape->relief > 0 && shape->relief_length < 0.1 * size)
        return pl__json_fail(
            ctx, where,
            "bodies.%s.shape.blobs.relief_length: bumps %g m apart are lost on elements of %g m; give at least %g",
            name, shape->relief_length, size, 0.1 * size);
    return PL_OK;
}

pl_status pl__metaballs_make(const pl__body_build *b, pl_element_kind elements, double size, pl_mesh **mesh)
{
    const pl__file_shape *file = &b->file->shape;
    blobs shape = {&file->blobs.parts, file->blobs.blend, file->blobs.relief, file->blobs.relief_length};
    double lower[3], upper[3];
    PL_TRY(check_parts(b, shape.parts));
    part_bounds(shape.parts, lower, upper);
    pl_stuffing_def def = pl_stuffing_def_default();
    def.elements = elements;
    def.size = size > 0 ? size : pl__longest_side(lower, upper) / b->file->resolution;
    PL_TRY(check_relief(b, &shape, def.size));
    for (int i = 0; i < 3; ++i)
    {
        lower[i] -= shape.blend + shape.relief + 0.5 * def.size;
        upper[i] += shape.blend + shape.relief + 0.5 * def.size;
    }
    return pl_mesh_create_from_implicit(b->source->ctx, &def, lower, upper, blobs_distance, &shape, mesh);
}
