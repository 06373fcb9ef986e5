// src/mesh/snug.c -- shrinks a covering mesh, so that it fits the surface inside more closely.
//
// A cover made of whole lattice tetrahedra is up to a cell too large: the embedded surface floats above the floor, and
// thin parts are as heavy and stiff as thick ones. So its boundary nodes are moved towards the nearest point of the
// surface, all of them to a distance of 11/12 of a cell, then to 10/12, and so on, so that none runs ahead and blocks
// its neighbours; each as far as two conditions allow.
//
// 1. The surface stays inside. When node v moves to v', a boundary triangle (v, a, b) sweeps the tetrahedron (v, v',
// a, b), and the mesh loses only volume in those. If none of them meets a triangle of the surface, nothing of the
// surface is lost, and no other test is needed.
//
// 2. The tetrahedra around it keep their quality: volume over the cube of the longest edge at least 0.02 (the lattice
// has 0.083), and no smaller than a tenth of what it was.
//
// Tetrahedra that then contain nothing of the solid are removed (peel.c), which makes room for another pass.
//
// What it does badly: it is greedy, interior nodes do not make room, and hollows narrower than a cell stay bridged.
#include "bvh.h"
#include "geometry.h"
#include "point.h"
#include "stuffing.h"
#include "topology.h"

#include <string.h>

enum
{
    ROUNDS = 12,
    HALVINGS = 5,
    LAYERS = 4
};

static const double least_fullness = 0.02, least_part = 0.1;
static const double clearance = 0.02, margin = 1e-6; // in cells: distance of nodes from the surface, and of the swept
                                                     // volume

typedef struct
{
    const pl__stuffing *s;
    pl_mesh *mesh;
    pl__lists corners, faces; // of each node: corners of elements and of boundary triangles
    double room;              // the volume that each element must keep
} snug;

// ---- does the swept tetrahedron meet the surface? ----------------------------------------------------------------

static bool boxes_overlap(const pl__bvh_node *node, const double lower[3], const double upper[3])
{
    for (int d = 0; d < 3; ++d)
        if (node->lower[d] > upper[d] || node->upper[d] < lower[d])
            return false;
    return true;
}

static bool meets_some(const pl__bvh *bvh, int32_t begin, int32_t end, const double tet[4][3], double gap)
{
    for (int32_t t = begin; t < end; ++t)
        if (pl__tet_meets_triangle(tet, (const double(*)[3])(const void *)&bvh->corner[9 * (size_t)t], gap))
            return true;
    return false;
}

static bool meets_below(const pl__bvh *bvh, int32_t n, const double lower[3], const double upper[3],
                        const double tet[4][3], double gap)
{
    const pl__bvh_node *node = &bvh->node[n];
    if (!boxes_overlap(node, lower, upper))
        return false;
    if (!node->second_child)
        return meets_some(bvh, node->begin, node->end, tet, gap);
    return meets_below(bvh, n + 1, lower, upper, tet, gap) ||
           meets_below(bvh, node->second_child, lower, upper, tet, gap);
}

bool pl__stuffing_meets(const pl__stuffing *s, const double tet[4][3])
{
    const pl__bvh *bvh = s->solid->bvh;
    double x[4][3], lower[3], upper[3], gap = margin * s->lattice.size;
    for (int k = 0; k < 4; ++k)
        pl__sub3(tet[k], bvh->center, x[k]);
    for (int d = 0; d < 3; ++d)
    {
        lower[d] = pl__min(pl__min(x[0][d], x[1][d]), pl__min(x[2][d], x[3][d])) - gap;
        upper[d] = pl__max(pl__max(x[0][d], x[1][d]), pl__max(x[2][d], x[3][d])) + gap;
    }
    return meets_below(bvh, 0, lower, upper, (const double(*)[3])x, gap);
}

// ---- one node ----------------------------------------------------------------------------------------------------

static double *place(const snug *g, int32_t node) { return &g->mesh->position[3 * (size_t)node]; }

static bool stays_full(const snug *g, int32_t node)
{
    for (int32_t i = g->corners.start[node]; i < g->corners.start[node + 1]; ++i)
    {
        int32_t element = g->corners.item[i] / 4;
        if (pl__element_fullness(g->mesh, element).least < least_fullness ||
            pl__element_measure(g->mesh, element) < g->room)
            return false;
    }
    return true;
}

// The node is at `to` already and came from `from`.
static bool sweeps_clear(const snug *g, int32_t node, const double from[3], const double to[3])
{
    for (int32_t i = g->faces.start[node]; i < g->faces.start[node + 1]; ++i)
    {
        int32_t face = g->faces.item[i] / 3, corner = g->faces.item[i] % 3;
        const int32_t *n = &g->mesh->triangle[3 * (size_t)face];
        double tet[4][3];
        memcpy(tet[0], from, sizeof tet[0]);
        memcpy(tet[1], to, sizeof tet[1]);
        memcpy(tet[2], place(g, n[(corner + 1) % 3]), sizeof tet[2]);
        memcpy(tet[3], place(g, n[(corner + 2) % 3]), sizeof tet[3]);
        if (pl__stuffing_meets(g->s, (const double(*)[3])tet))
            return false;
    }
    return true;
}

// Move towards a point, halving the way until it is admissible.
static bool move_towards(snug *g, int32_t node, const double target[3], double step)
{
    double *x = place(g, node), from[3] = {x[0], x[1], x[2]};
    double least = clearance * g->s->lattice.size / sqrt(pl__distance_squared3(from, target));
    for (int k = 0; k < HALVINGS && step > least; ++k, step *= 0.5)
    {
        pl__lerp3(from, target, step, x);
        if (stays_full(g, node) && sweeps_clear(g, node, from, x))
            return true;
    }
    memcpy(x, from, sizeof from);
    return false;
}

static void middle_of_neighbours(const snug *g, int32_t node, double middle[3])
{
    int32_t begin = g->faces.start[node], count = 2 * (g->faces.start[node + 1] - begin);
    middle[0] = middle[1] = middle[2] = 0;
    for (int32_t i = 0; i < count; ++i)
    {
        int32_t item = g->faces.item[begin + i / 2], other = item - item % 3 + (item % 3 + 1 + i % 2) % 3;
        for (int d = 0; d < 3; ++d)
            middle[d] += place(g, g->mesh->triangle[other])[d] / count;
    }
}

// To `level` cells from the surface; or, if that is blocked and the node sticks out, to the mean of its boundary
// neighbours.
static void draw_in(snug *g, int32_t node, double level)
{
    double nearest[3], middle[3], free = pl__max(level, 2 * clearance) * g->s->lattice.size;
    double distance = pl__bvh_closest(g->s->solid->bvh, place(g, node), nearest, NULL);
    if (distance <= free || move_towards(g, node, nearest, 1 - free / distance))
        return;
    middle_of_neighbours(g, node, middle);
    if (pl__bvh_closest(g->s->solid->bvh, middle, NULL, NULL) < 0.8 * distance)
        (void)move_towards(g, node, middle, 1);
}

// ---- all of them -------------------------------------------------------------------------------------------------

static pl_status prepare(snug *g)
{
    const pl_mesh *m = g->mesh;
    pl_context *ctx = g->s->ctx;
    PL_TRY(pl__node_corners(ctx, 4, m->element, m->element_count, m->node_count, &g->corners));
    return pl__node_corners(ctx, 3, m->triangle, m->triangle_count, m->node_count, &g->faces);
}

static void draw_in_to(snug *g, double level)
{
    for (int32_t node = 0; node < g->mesh->node_count; ++node)
        if (g->faces.start[node + 1] > g->faces.start[node])
            draw_in(g, node, level);
}

static pl_status draw_in_all(const pl__stuffing *stuffing, pl_mesh *mesh)
{
    snug g = {.s = stuffing, .mesh = mesh};
    double cell = stuffing->lattice.size;
    g.room = least_part * cell * cell * cell / 12;
    pl_status status = prepare(&g);
    for (int round = 1; status == PL_OK && round <= ROUNDS; ++round)
        draw_in_to(&g, 1 - (double)round / ROUNDS);
    pl__lists_done(stuffing->ctx, &g.corners);
    pl__lists_done(stuffing->ctx, &g.faces);
    return status;
}

pl_status pl__stuffing_draw_in(const pl__stuffing *stuffing, pl_mesh **mesh)
{
    int32_t taken = 1;
    for (int layer = 0; layer < LAYERS && taken > 0; ++layer)
    {
        PL_TRY(draw_in_all(stuffing, *mesh));
        PL_TRY(pl__stuffing_peel(stuffing, mesh, &taken));
    }
    return taken > 0 ? draw_in_all(stuffing, *mesh) : PL_OK;
}
