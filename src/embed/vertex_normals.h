// src/embed/vertex_normals.h -- normals of a triangle surface in motion.
#ifndef PL_EMBED_VERTEX_NORMALS_H
#define PL_EMBED_VERTEX_NORMALS_H

#include "mesh/topology.h"

typedef struct pl__vertex_normals
{
    int32_t vertex_count;
    int32_t triangle_count;
    const int32_t *triangle; // [3 triangle_count]  borrowed
    pl__lists corners;       // per vertex the indices in `triangle` where it occurs, ascending
} pl__vertex_normals;

PL_NODISCARD pl_status pl__vertex_normals_create(pl_context *ctx, const int32_t *triangle, int32_t triangle_count,
                                                 int32_t vertex_count, pl__vertex_normals *skin);
// Free and clear; harmless when already clear.
void pl__vertex_normals_done(pl_context *ctx, pl__vertex_normals *skin);

// The unit normal at a vertex, with the vertices at `position` (3 numbers each); (0, 1, 0) if undefined.
void pl__vertex_normals_normal(const pl__vertex_normals *skin, const double *position, int32_t vertex,
                               double normal[3]);

#endif
