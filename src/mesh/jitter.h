// src/mesh/jitter.h -- nodes of a mesh moved at random.
#ifndef PL_MESH_JITTER_H
#define PL_MESH_JITTER_H

#include "mesh.h"

typedef struct pl__jitter
{
    const int8_t *movable; // [node_count]
    double reach;          // farthest move [m]
    double edge;           // of the elements, about [m]
    int flat;              // axis along which nothing moves, or -1
    uint64_t seed;
} pl__jitter;

// Each movable node goes up to `reach` in a random direction, but no farther than its elements keep a fifth of their
// size. Needs positions and elements only, not a finished mesh. Fails when out of memory.
pl_status pl__mesh_jitter(pl_mesh *mesh, const pl__jitter *jitter);

#endif
