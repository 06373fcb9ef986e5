// src/fluid/edges.h -- lattices on the edges of uniform cells, for shear components of tensors.
//
// Edges along axis m lie at the corners of cells in the plane of the two other axes, and at the middle of cells along
// m. edge[m] stores every edge of a stored uniform cell. Tall cells have no edges: what needs them is for uniform cells
// only.
#ifndef PL_FLUID_EDGES_H
#define PL_FLUID_EDGES_H

#include "columns.h"

typedef struct pl__edges
{
    pl__columns edge[3];
} pl__edges;

void pl__edges_done(pl_context *ctx, pl__edges *edges);

// Make the edges of `cell`. PL_ERR_MEMORY leaves none.
PL_NODISCARD pl_status pl__edges_make(pl_context *ctx, const pl__columns *cell, pl__edges *edges);

#endif
