// src/embed/skin.h -- normals of a triangle surface in motion.
#ifndef PL_EMBED_SKIN_H
#define PL_EMBED_SKIN_H

#include "mesh/topology.h"

typedef struct pl__skin
{
    int32_t vertex_count;
    int32_t triangle_count;
    const int32_t *triangle; // [3 triangle_count]  borrowed
    pl__lists corners;       // of each vertex, the places in `triangle` where it stands, ascending
} pl__skin;

PL_NODISCARD pl_status pl__skin_create(pl_context *ctx, const int32_t *triangle, int32_t triangle_count,
                                       int32_t vertex_count, pl__skin *skin);
// Free and clear; harmless when already clear.
void pl__skin_done(pl_context *ctx, pl__skin *skin);

// The unit normal at a vertex, with the vertices at `position` (3 numbers each); up, (0, 1, 0), where there is none.
void pl__skin_normal(const pl__skin *skin, const double *position, int32_t vertex, double normal[3]);

#endif
