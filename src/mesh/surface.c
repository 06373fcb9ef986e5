// src/mesh/surface.c -- a triangle surface: points and triangles, and no promise beyond indices in range.
//
// Scanned and drawn surfaces have holes, doubled points and flat triangles. They are kept as they are; who needs more
// (filling with tetrahedra, carrying by a mesh) is written to live with them.
#include "mesh.h"
#include "topology.h"

#include <math.h>
#include <string.h>

// Three numbers per triangle and per node must fit in an int32_t; so the same limit serves both.
#define MAX_ITEMS PL__MAX_NODES

pl_surface *pl__surface_new(pl_context *ctx, int32_t node_count, int32_t triangle_count)
{
    if (node_count < 0 || node_count > MAX_ITEMS || triangle_count < 0 || triangle_count > MAX_ITEMS)
    {
        (void)pl__fail(ctx, PL_ERR_MEMORY, "a surface of %d nodes and %d triangles is too large: at most %d are allowed",
                       node_count, triangle_count, MAX_ITEMS);
        return NULL;
    }
    pl_surface *surface = PL_NEW(ctx, 1, pl_surface);
    if (!surface)
        return NULL;
    surface->ctx = ctx;
    surface->node_count = node_count;
    surface->triangle_count = triangle_count;
    surface->position = PL_NEW(ctx, 3 * (size_t)node_count, double);
    surface->triangle = PL_NEW(ctx, 3 * (size_t)triangle_count, int32_t);
    if (!surface->position || !surface->triangle)
        pl_surface_destroy(&surface);
    return surface;
}

void pl_surface_destroy(pl_surface **surface)
{
    pl_surface *s = *surface;
    *surface = NULL;
    if (!s)
        return;
    pl_context *ctx = s->ctx;
    PL_DELETE(ctx, s->position, 3 * (size_t)s->node_count);
    PL_DELETE(ctx, s->triangle, 3 * (size_t)s->triangle_count);
    PL_DELETE(ctx, s, 1);
}

static pl_status check_surface(const pl_surface *s, const char *where)
{
    PL_CHECK(s->ctx, s->triangle_count >= 1, "%s: there are no triangles, at least one is needed", where);
    for (size_t i = 0; i < 3 * (size_t)s->node_count; ++i)
        PL_CHECK(s->ctx, isfinite(s->position[i]), "%s: node %zu: %c is %g, allowed are finite numbers", where, i / 3,
                 "xyz"[i % 3], s->position[i]);
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i)
    {
        const int32_t *n = &s->triangle[i - i % 3];
        PL_CHECK(s->ctx, s->triangle[i] >= 0 && s->triangle[i] < s->node_count,
                 "%s: triangle %zu (nodes %d %d %d): node %d is out of range, allowed is 0 to %d", where, i / 3, n[0], n[1],
                 n[2], s->triangle[i], s->node_count - 1);
    }
    return PL_OK;
}

pl_status pl__surface_finish(pl_surface **surface, const char *where)
{
    pl_status status = check_surface(*surface, where);
    if (status != PL_OK)
        pl_surface_destroy(surface);
    return status;
}

pl_status pl_surface_create(pl_context *ctx, const double *positions, int32_t node_count, const int32_t *triangles,
                            int32_t triangle_count, pl_surface **surface)
{
    *surface = NULL;
    PL_CHECK(ctx, node_count >= 0 && node_count <= MAX_ITEMS, "pl_surface_create: node_count is %d, allowed is 0 to %d",
             node_count, MAX_ITEMS);
    PL_CHECK(ctx, triangle_count >= 1 && triangle_count <= MAX_ITEMS,
             "pl_surface_create: triangle_count is %d, allowed is 1 to %d", triangle_count, MAX_ITEMS);
    PL_CHECK(ctx, positions || node_count == 0, "pl_surface_create: positions is NULL, but node_count is %d", node_count);
    PL_CHECK(ctx, triangles, "pl_surface_create: triangles is NULL, but triangle_count is %d", triangle_count);
    pl_surface *s = pl__surface_new(ctx, node_count, triangle_count);
    if (!s)
        return PL_ERR_MEMORY;
    if (node_count > 0)
        memcpy(s->position, positions, 3 * (size_t)node_count * sizeof *positions);
    memcpy(s->triangle, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    pl_status status = pl__surface_finish(&s, "pl_surface_create");
    *surface = s;
    return status;
}

pl_surface *pl__surface_copy(const pl_surface *surface)
{
    pl_surface *copy = pl__surface_new(surface->ctx, surface->node_count, surface->triangle_count);
    if (!copy)
        return NULL;
    memcpy(copy->position, surface->position, 3 * sizeof(double) * (size_t)surface->node_count);
    memcpy(copy->triangle, surface->triangle, 3 * sizeof(int32_t) * (size_t)surface->triangle_count);
    return copy;
}

int32_t pl_surface_node_count(const pl_surface *surface) { return surface->node_count; }
int32_t pl_surface_triangle_count(const pl_surface *surface) { return surface->triangle_count; }
const double *pl_surface_positions(const pl_surface *surface) { return surface->position; }
const int32_t *pl_surface_triangles(const pl_surface *surface) { return surface->triangle; }
