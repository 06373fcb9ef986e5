// src/contact/shape_triangles.c -- the inside of a closed triangle surface.
//
// Exactly: the closest triangle from a hierarchy of boxes, and the sign from the winding number, which bears overlapping parts. That
// takes microseconds; a surface of many triangles is therefore sampled once, at the points of a lattice with room of two cells
// around it, and interpolated,
//
//     phi(p) = sum of w_i(p) phi_i over the 8 corners of the cell, w_i trilinear,
//
// with the gradient of that very function as normal, so that nodes which slide on it feel no steps. |phi - distance| is at
// most sqrt(3)/2 cells, as both change by at most as much as the point moves; on flat parts it is exact, and on parts of curvature k
// it is about k cell^2 / 8. Edges and corners are cut off by half a cell; what is thinner than a cell may vanish.
//
// A point beyond the lattice is compared with the closest point that its neighbour on the border of the lattice has: near enough for
// what is that far away.
//
// The sign is inherited along a row of the lattice while the distance exceeds a cell: nothing can change in between. Rows are
// sampled in parallel and do not depend on each other.
//
// The lattice fills the whole box. A narrow band of blocks would need about four fifths of the samples at 64 cells, and jump where
// its blocks meet coarser ones.
#include "shape.h"
#include "base/task.h"
#include "mesh/point.h"

enum
{
    EXACT_TRIANGLES = 2000,
    CELLS = 64,  // along the longest side, unless told
    MARGIN = 2   // cells around the surface
};

// ---- exact -------------------------------------------------------------------------------------------------------

static void make_unit(double n[3])
{
    double length = pl__length3(n);
    for (int i = 0; i < 3; ++i)
        n[i] = length > 0 ? n[i] / length : i == 1;
}

void pl__triangle_normal(const pl__bvh *bvh, const pl_surface *surface, const double p[3], const double closest[3], int32_t triangle, double side, double n[3])
{
    const int32_t *corner = &surface->triangle[3 * (size_t)triangle];
    const double *x = &surface->position[3 * (size_t)corner[0]];
    double size = 0, a[3], b[3];
    for (int i = 0; i < 3; ++i)
    {
        n[i] = side * (p[i] - closest[i]);
        size += fabs(p[i]) + bvh->extent[i];
    }
    if (!(pl__length3(n) > 1e-9 * size))
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

static void sample_rows(void *argument, int32_t begin, int32_t end)
{
    pl__shape *s = argument;
    pl__distance_grid *g = &s->grid;
    for (int32_t row = begin; row < end; ++row)
    {
        double x[3] = {0, g->origin[1] + g->cell * (row % g->size[1]), g->origin[2] + g->cell * (row / g->size[1])};
        double *value = &g->value[(size_t)row * (size_t)g->size[0]], side = 1; // rows begin outside
        for (int32_t i = 0; i < g->size[0]; ++i)
        {
            x[0] = g->origin[0] + g->cell * i;
            double distance = pl__bvh_closest(s->solid->bvh, x, NULL, NULL);
            if (i > 0 && !(fabs(value[i - 1]) + distance > (1 + 1e-9) * g->cell))
                side = pl__solid_inside(s->solid, x) ? -1 : 1;
            value[i] = side * distance;
        }
    }
}

static pl_status sample(pl__shape *s)
{
    place_grid(s);
    pl__distance_grid *g = &s->grid;
    g->value = PL_NEW(s->ctx, (size_t)g->size[0] * (size_t)g->size[1] * (size_t)g->size[2], double);
    if (!g->value)
        return PL_ERR_MEMORY;
    pl__parallel_for(s->ctx, g->size[1] * g->size[2], 16, sample_rows, s);
    return PL_OK;
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
    bool exact = s->def.lookup == PL_LOOKUP_EXACT || (s->def.lookup == PL_LOOKUP_AUTO && s->def.surface->triangle_count <= EXACT_TRIANGLES);
    return exact ? PL_OK : sample(s);
}

double pl__triangles_distance(const pl__shape *s, const double p[3], double n[3])
{
    return s->grid.value ? grid_distance(&s->grid, p, n) : exact_distance(s, p, n);
}
