// src/contact/shape_triangles.c -- the inside of a closed triangle surface.
//
// Exactly: the closest triangle from a hierarchy of boxes, and the sign from the winding number, which bears
// overlapping parts. That takes microseconds; a surface of many triangles is therefore sampled once, at the points of a
// lattice with room of two cells around it, and interpolated,
//
//     phi(p) = sum of w_i(p) phi_i over the 8 corners of the cell, w_i trilinear,
//
// with the gradient of that very function as normal, so that nodes which slide on it feel no steps. |phi - distance| is
// at most sqrt(3)/2 cells, as both change by at most as much as the point moves; on flat parts it is exact, and on
// parts of curvature k it is about k cell^2 / 8. Edges and corners are cut off by half a cell; what is thinner than a
// cell may vanish.
//
// A point beyond the lattice is compared with the closest point that its neighbour on the border of the lattice has:
// near enough for what is that far away.
//
// Only in a band of two cells around the triangles is the closest one searched for. It is then handed on from point to
// point, each taking the nearest of what its neighbours have, in eight sweeps (Tsai 2002): far from the surface that is
// a distance to some triangle, and hardly ever not to the closest. Searching everywhere took 12 s for a ball of 100000
// triangles, this 1. The sign is inherited along a row while the distances exceed a cell: nothing can change in
// between. Rows are sampled in parallel and do not depend on each other.
#include "shape.h"
#include "tolerances.h"
#include "base/task.h"
#include "mesh/point.h"

#include <string.h>

enum
{
    EXACT_TRIANGLES = 2000,
    CELLS = 64, // along the longest side, unless told
    MARGIN = 2  // cells around the surface
};

// ---- exact -------------------------------------------------------------------------------------------------------

static void make_unit(double n[3])
{
    double length = pl__length3(n);
    for (int i = 0; i < 3; ++i)
        n[i] = length > 0 ? n[i] / length : i == 1;
}

void pl__triangle_normal(const pl__bvh *bvh, const pl_surface *surface, const double p[3], const double closest[3],
                         int32_t triangle, double side, double n[3])
{
    const int32_t *corner = &surface->triangle[3 * (size_t)triangle];
    const double *x = &surface->position[3 * (size_t)corner[0]];
    double size = 0, a[3], b[3];
    for (int i = 0; i < 3; ++i)
    {
        n[i] = side * (p[i] - closest[i]);
        size += fabs(p[i]) + bvh->extent[i];
    }
    if (!(pl__length3(n) > PL__DISTANCE_DIRECTION * size))
    {
        pl__sub3(&surface->position[3 * (size_t)corner[1]], x, a);
        pl__sub3(&surface->position[3 * (size_t)corner[2]], x, b);
        pl__cross3(a, b, n);
    }
    make_unit(n);
}

static double exact_distance(const pl__shape *s, const double p[3], double n[3])
{
    double closest[3];
    int32_t triangle;
    double distance = pl__solid_distance(s->solid, p, closest, &triangle);
    pl__triangle_normal(s->solid->bvh, s->def.surface, p, closest, triangle, distance < 0 ? -1 : 1, n);
    return distance;
}

// ---- the lattice -------------------------------------------------------------------------------------------------

static void place_grid(pl__shape *s)
{
    const pl__bvh *bvh = s->solid->bvh;
    pl__distance_grid *g = &s->grid;
    double longest = pl__max(pl__max(bvh->extent[0], bvh->extent[1]), bvh->extent[2]);
    g->cell = s->def.cell > 0 ? s->def.cell : longest / CELLS;
    for (int i = 0; i < 3; ++i)
    {
        int32_t cells = (int32_t)ceil(bvh->extent[i] / g->cell) + 2 * MARGIN;
        g->size[i] = cells + 1;
        g->origin[i] = bvh->center[i] - 0.5 * cells * g->cell;
    }
}

typedef struct
{
    pl__shape *shape;
    int32_t *triangle; // [points]  the closest one; -1: not known, -2: to be searched for
} sampler;

static size_t grid_index(const pl__distance_grid *g, const int32_t at[3])
{
    return ((size_t)at[2] * (size_t)g->size[1] + (size_t)at[1]) * (size_t)g->size[0] + (size_t)at[0];
}

static void grid_point(const pl__distance_grid *g, const int32_t at[3], double x[3])
{
    for (int i = 0; i < 3; ++i)
        x[i] = g->origin[i] + g->cell * at[i];
}

// Mark what is within the band around the box of a triangle.
static void mark_triangle(const sampler *m, const double *corner)
{
    const pl__distance_grid *g = &m->shape->grid;
    const double *center = m->shape->solid->bvh->center;
    int32_t low[3], high[3], at[3];
    for (int i = 0; i < 3; ++i)
    {
        double least = pl__min(pl__min(corner[i], corner[3 + i]), corner[6 + i]);
        double most = pl__max(pl__max(corner[i], corner[3 + i]), corner[6 + i]);
        low[i] = (int32_t)pl__max(0, ceil((least + center[i] - g->origin[i]) / g->cell - MARGIN));
        high[i] = (int32_t)pl__min(g->size[i] - 1, floor((most + center[i] - g->origin[i]) / g->cell + MARGIN));
    }
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
                m->triangle[grid_index(g, at)] = -2;
}

static void search_rows(void *argument, int32_t begin, int32_t end)
{
    const sampler *m = argument;
    const pl__distance_grid *g = &m->shape->grid;
    for (int32_t row = begin; row < end; ++row)
        for (int32_t i = 0; i < g->size[0]; ++i)
        {
            int32_t at[3] = {i, row % g->size[1], row / g->size[1]};
            size_t k = grid_index(g, at);
            double x[3];
            grid_point(g, at, x);
            g->value[k] = INFINITY;
            if (m->triangle[k] == -2)
                g->value[k] = pl__bvh_closest(m->shape->solid->bvh, x, NULL, &m->triangle[k]);
        }
}

static void get_corners(const pl_surface *surface, int32_t triangle, double corner[9])
{
    for (int i = 0; i < 3; ++i)
        memcpy(&corner[3 * i], &surface->position[3 * (size_t)surface->triangle[3 * (size_t)triangle + (size_t)i]],
               3 * sizeof *corner);
}

// Whether the closest triangle of the neighbour is nearer to x than what point k has.
static void take_over(const sampler *m, const double x[3], size_t k, size_t neighbour)
{
    int32_t triangle = m->triangle[neighbour];
    double *value = &m->shape->grid.value[k], closest[3];
    if (triangle < 0 || triangle == m->triangle[k])
        return;
    double corner[9], distance;
    get_corners(m->shape->def.surface, triangle, corner);
    distance = sqrt(pl__triangle_closest(x, corner, closest));
    if (!(distance < *value))
        return;
    *value = distance;
    m->triangle[k] = triangle;
}

// Against one of the eight diagonals: each point looks at the three neighbours that were before it.
static void sweep(const sampler *m, int diagonal)
{
    const pl__distance_grid *g = &m->shape->grid;
    int32_t step[3], i[3], at[3];
    for (int a = 0; a < 3; ++a)
        step[a] = diagonal >> a & 1 ? -1 : 1;
    for (i[2] = 0; i[2] < g->size[2]; ++i[2])
        for (i[1] = 0; i[1] < g->size[1]; ++i[1])
            for (i[0] = 0; i[0] < g->size[0]; ++i[0])
            {
                double x[3];
                for (int a = 0; a < 3; ++a)
                    at[a] = step[a] > 0 ? i[a] : g->size[a] - 1 - i[a];
                grid_point(g, at, x);
                for (int a = 0; a < 3; ++a)
                {
                    int32_t before[3] = {at[0], at[1], at[2]};
                    before[a] -= step[a];
                    if (i[a] > 0)
                        take_over(m, x, grid_index(g, at), grid_index(g, before));
                }
            }
}

static void sign_rows(void *argument, int32_t begin, int32_t end)
{
    const sampler *m = argument;
    const pl__distance_grid *g = &m->shape->grid;
    for (int32_t row = begin; row < end; ++row)
    {
        double side = 1, last = INFINITY; // rows begin outside
        for (int32_t i = 0; i < g->size[0]; ++i)
        {
            int32_t at[3] = {i, row % g->size[1], row / g->size[1]};
            double x[3], *value = &g->value[grid_index(g, at)];
            grid_point(g, at, x);
            if (!(last + *value > (1 + PL__GRID_SIGN_ROUNDING) * g->cell))
                side = pl__solid_inside(m->shape->solid, x) ? -1 : 1;
            last = *value;
            *value *= side;
        }
    }
}

static void sample_all(sampler *m)
{
    const pl__distance_grid *g = &m->shape->grid;
    const pl__bvh *bvh = m->shape->solid->bvh;
    pl_context *ctx = m->shape->ctx;
    for (int32_t i = 0; i < bvh->triangle_count; ++i)
        mark_triangle(m, &bvh->corner[9 * (size_t)i]);
    pl__parallel_for(ctx, g->size[1] * g->size[2], 16, search_rows, m);
    for (int diagonal = 0; diagonal < 8; ++diagonal)
        sweep(m, diagonal);
    pl__parallel_for(ctx, g->size[1] * g->size[2], 16, sign_rows, m);
}

static pl_status sample(pl__shape *s)
{
    place_grid(s);
    pl__distance_grid *g = &s->grid;
    size_t count = (size_t)g->size[0] * (size_t)g->size[1] * (size_t)g->size[2];
    sampler m = {s, PL_NEW(s->ctx, count, int32_t)};
    g->value = PL_NEW(s->ctx, count, double);
    pl_status status = m.triangle && g->value ? PL_OK : PL_ERR_MEMORY;
    for (size_t i = 0; status == PL_OK && i < count; ++i)
        m.triangle[i] = -1;
    if (status == PL_OK)
        sample_all(&m);
    PL_DELETE(s->ctx, m.triangle, count);
    return status;
}

// The function and its gradient at a point within the lattice.
static double interpolate(const pl__distance_grid *g, const double p[3], double gradient[3])
{
    size_t stride[3] = {1, (size_t)g->size[0], (size_t)g->size[0] * (size_t)g->size[1]}, at = 0;
    double t[3], value = 0;
    for (int i = 0; i < 3; ++i)
    {
        double place = pl__max(0, pl__min((p[i] - g->origin[i]) / g->cell, g->size[i] - 1));
        int32_t cell = (int32_t)place < g->size[i] - 2 ? (int32_t)place : g->size[i] - 2;
        t[i] = place - cell;
        at += (size_t)cell * stride[i];
        gradient[i] = 0;
    }
    for (int corner = 0; corner < 8; ++corner)
    {
        int bit[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        double w[3], phi = g->value[at + bit[0] * stride[0] + bit[1] * stride[1] + bit[2] * stride[2]];
        for (int i = 0; i < 3; ++i)
            w[i] = bit[i] ? t[i] : 1 - t[i];
        value += w[0] * w[1] * w[2] * phi;
        for (int i = 0; i < 3; ++i)
            gradient[i] += (bit[i] ? 1 : -1) * w[(i + 1) % 3] * w[(i + 2) % 3] * phi / g->cell;
    }
    return value;
}

static double grid_distance(const pl__distance_grid *g, const double p[3], double n[3])
{
    double inside[3], beyond = 0;
    for (int i = 0; i < 3; ++i)
    {
        inside[i] = pl__max(g->origin[i], pl__min(p[i], g->origin[i] + g->cell * (g->size[i] - 1)));
        beyond = pl__max(beyond, fabs(p[i] - inside[i]));
    }
    double value = interpolate(g, inside, n);
    make_unit(n);
    if (beyond == 0)
        return value;
    for (int i = 0; i < 3; ++i)
        n[i] = p[i] - (inside[i] - value * n[i]);
    double distance = pl__length3(n);
    make_unit(n);
    return distance;
}

// ---- either ------------------------------------------------------------------------------------------------------

pl_status pl__triangles_create(pl__shape *s)
{
    PL_TRY(pl__solid_create(s->def.surface, &s->solid));
    bool exact = s->def.lookup == PL_LOOKUP_EXACT ||
                 (s->def.lookup == PL_LOOKUP_AUTO && s->def.surface->triangle_count <= EXACT_TRIANGLES);
    return exact ? PL_OK : sample(s);
}

double pl__triangles_distance(const pl__shape *s, const double p[3], double n[3])
{
    return s->grid.value ? grid_distance(&s->grid, p, n) : exact_distance(s, p, n);
}
