// src/mesh/irregular.h -- flat triangles in no order, but well shaped.
#ifndef PL_MESH_IRREGULAR_H
#define PL_MESH_IRREGULAR_H

#include "mesh.h"

// A plane of the coordinate system: axes u and v, seen from where u to v is counter-clockwise, and the axis across.
typedef struct pl__plane
{
    int u, v, across;
} pl__plane;

// Stir a regular mesh of triangles that lie counter-clockwise in the plane: nodes within it are moved at random, and
// the triangles exchanged and smoothed; nodes of its boundary stay. `edge` is the shortest regular one. Needs positions
// and elements only. Fails when out of memory.
pl_status pl__mesh_stir(pl_mesh *mesh, pl__plane plane, double edge, uint64_t seed);

// Nodes that are on no edge of one triangle only. Fails when out of memory.
pl_status pl__mesh_inner_nodes(const pl_mesh *mesh, int8_t *inner);

#endif
