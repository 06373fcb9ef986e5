// src/mesh/shape_voxels.c -- boxes, spheres, tori and cylinders of hexahedra, cut out of a regular grid (Irving's
// thesis, 2.11).
//
// The grid fits the extents of the shape, with cells as nearly cubic as that allows; a box is all of it. For round
// shapes the cells whose centres are inside are taken, without those that are connected by an edge or a point only
// (voxels.c). Their volume is right but their surface is a staircase: 1.5 times too large for a sphere, at any
// resolution. Embed a round surface for rendering.
#include "jitter.h"
#include "shape.h"
#include "topology.h"
#include "voxels.h"

#include <math.h>
#include <string.h>

static void half_extents(const pl_shape_def *def, double half[3])
{
    for (int d = 0; d < 3; ++d)
        half[d] = 0.5 * def->extent[d];
    if (def->kind == PL_SHAPE_SPHERE)
        half[0] = half[1] = half[2] = def->radius;
    if (def->kind == PL_SHAPE_CYLINDER)
        half[0] = half[2] = def->radius;
    if (def->kind == PL_SHAPE_TORUS)
    {
        half[0] = half[2] = def->radius + def->tube;
        half[1] = def->tube;
    }
}

// In radii, to avoid overflow.
static bool is_inside(const pl_shape_def *def, const double x[3])
{
    double u[3], tube = def->tube / def->radius;
    for (int d = 0; d < 3; ++d)
        u[d] = x[d] / def->radius;
    double around = u[0] * u[0] + u[2] * u[2], from_ring = sqrt(around) - 1;
    switch (def->kind)
    {
    case PL_SHAPE_SPHERE: return around + u[1] * u[1] < 1;
    case PL_SHAPE_TORUS: return from_ring * from_ring + u[1] * u[1] < tube * tube;
    case PL_SHAPE_CYLINDER: return around < 1;
    default: return true;
    }
}

static void keep_inside(const pl_shape_def *def, pl__voxels *v)
{
    int32_t cell[3];
    for (cell[2] = 0; cell[2] < v->cells[2]; ++cell[2])
        for (cell[1] = 0; cell[1] < v->cells[1]; ++cell[1])
            for (cell[0] = 0; cell[0] < v->cells[0]; ++cell[0])
            {
                double middle[3];
                for (int d = 0; d < 3; ++d)
                    middle[d] = pl__voxel_place(v, d, cell[d] + 0.5);
                v->kept[pl__voxel(v, cell)] = is_inside(def, middle);
            }
}

// All nodes but those of the boundary.
static pl_status jitter(const pl_shape_def *def, pl_mesh *mesh)
{
    int8_t *movable = PL_NEW(mesh->ctx, mesh->node_count, int8_t);
    if (!movable)
        return PL_ERR_MEMORY;
    memset(movable, 1, (size_t)mesh->node_count);
    for (int32_t i = 0; i < 3 * mesh->triangle_count; ++i)
        movable[mesh->triangle[i]] = 0;
    const pl__jitter j = {movable, def->jitter * def->edge, def->edge, -1, def->seed};
    pl_status status = pl__mesh_jitter(mesh, &j);
    PL_DELETE(mesh->ctx, movable, mesh->node_count);
    return status;
}

static pl_status make_mesh(pl_context *ctx, const pl_shape_def *def, pl__voxels *v, pl_mesh **mesh)
{
    keep_inside(def, v);
    pl__voxels_carve(v);
    PL_TRY(pl__voxels_mesh(ctx, "pl_mesh_create_shape", v, mesh));
    PL_CHECK(ctx, *mesh,
             "pl_mesh_create_shape: edge is %g, which is too large: no cell has its middle inside the shape",
             def->edge);
    if (def->jitter == 0)
        return PL_OK;
    pl_status status = jitter(def, *mesh);
    if (status != PL_OK)
        pl_mesh_destroy(mesh);
    return status;
}

pl_status pl__shape_voxels(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh)
{
    pl__voxels v = {.kept = NULL};
    double cells = 1, nodes = 1, n[3];
    half_extents(def, v.half);
    for (int d = 0; d < 3; ++d)
    {
        n[d] = pl__cells_along(2 * v.half[d], def->edge, 1);
        cells *= n[d], nodes *= n[d] + 1;
    }
    PL_TRY(pl__shape_check_count(ctx, def, nodes, cells));
    for (int d = 0; d < 3; ++d)
        v.cells[d] = (int32_t)n[d];
    v.kept = PL_NEW(ctx, cells, int8_t);
    if (!v.kept)
        return PL_ERR_MEMORY;
    pl_status status = make_mesh(ctx, def, &v, mesh);
    PL_DELETE(ctx, v.kept, cells);
    return status;
}
