// src/mesh/irregular.h -- irregular but well shaped plane triangulations.
#ifndef PL_MESH_IRREGULAR_H
#define PL_MESH_IRREGULAR_H

#include "mesh.h"

// A coordinate plane: axes u and v, counter-clockwise from u to v, and the axis across.
typedef struct pl__plane
{
    int u, v, across;
} pl__plane;

// Randomise a regular mesh of triangles that lie counter-clockwise in the plane: inner nodes are moved at random, and
// the triangulation is made Delaunay and smoothed; boundary nodes stay. `edge` is the shortest regular one. Needs
// positions and elements only. Fails when out of memory.
pl_status pl__mesh_stir(pl_mesh *mesh, pl__plane plane, double edge, uint64_t seed);

// Mark the nodes that are not on the boundary. Fails when out of memory.
pl_status pl__mesh_inner_nodes(const pl_mesh *mesh, int8_t *inner);

#endif
