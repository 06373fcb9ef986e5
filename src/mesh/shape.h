// src/mesh/shape.h -- shared by the generators of primitive shapes.
#ifndef PL_MESH_SHAPE_H
#define PL_MESH_SHAPE_H

#include "mesh.h"

// Meshes of a checked definition; already finished (pl__mesh_finish).
pl_status pl__shape_tets(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh);
pl_status pl__shape_voxels(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh);
pl_status pl__shape_triangles(pl_context *ctx, const pl_shape_def *def, pl_mesh **mesh);

// Number of cells for a length, as a real number because it may be too large: rounded, at least `least`.
double pl__cells_along(double length, double edge, double least);

// Sine and cosine of `numerator / denominator` of a full turn, 0 <= numerator <= denominator, exact at quarter turns
// and from IEEE operations only, so that a shape has the same bits on every machine.
void pl__sine_cosine(int64_t numerator, int64_t denominator, double *sine, double *cosine);

// Reject more nodes and elements than a mesh can have.
pl_status pl__shape_check_count(pl_context *ctx, const pl_shape_def *def, double nodes, double elements);

#endif
