// src/mesh/voxels.h -- hexahedra cut out of a regular grid.
#ifndef PL_MESH_VOXELS_H
#define PL_MESH_VOXELS_H

#include "mesh.h"

typedef struct pl__voxels
{
    int32_t cells[3];
    double middle[3], half[3]; // centre and half extents of the grid [m]
    int8_t *kept;              // [cells]  x runs fastest
} pl__voxels;

static inline int32_t pl__voxel(const pl__voxels *v, const int32_t cell[3])
{
    return (cell[2] * v->cells[1] + cell[1]) * v->cells[0] + cell[0];
}

// Coordinate of grid line i along an axis; half-integers for centres of cells.
static inline double pl__voxel_place(const pl__voxels *v, int axis, double i)
{
    return v->middle[axis] + v->half[axis] * ((2 * i - v->cells[axis]) / v->cells[axis]);
}

// Remove (carve) or add (mend) cells until the boundary is a manifold: as few around each grid point as possible,
// repeatedly. Adding needs a free layer of cells all around.
void pl__voxels_carve(pl__voxels *voxels);
void pl__voxels_mend(pl__voxels *voxels);

int64_t pl__voxels_count(const pl__voxels *voxels);

// A mesh of the kept cells, nodes and elements in grid order; NULL (and PL_OK) if there are none.
pl_status pl__voxels_mesh(pl_context *ctx, const char *where, const pl__voxels *voxels, pl_mesh **mesh);

#endif
