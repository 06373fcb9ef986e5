// src/mesh/jitter.h -- random displacement of mesh nodes.
#ifndef PL_MESH_JITTER_H
#define PL_MESH_JITTER_H

#include "mesh.h"

typedef struct pl__jitter
{
    const int8_t *movable; // [node_count]
    double reach;          // largest displacement [m]
    double edge;           // typical edge length of the elements [m]
    int flat;              // axis along which nothing moves, or -1
    uint64_t seed;
} pl__jitter;

// Each movable node moves up to `reach` in a random direction, as long as its elements keep a fifth of their size.
// Needs positions and elements only, not a finished mesh. Fails when out of memory.
pl_status pl__mesh_jitter(pl_mesh *mesh, const pl__jitter *jitter);

#endif
