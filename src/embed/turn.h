// src/embed/turn.h -- normals of an embedded surface, rotated with the mesh.
#ifndef PL_EMBED_TURN_H
#define PL_EMBED_TURN_H

#include "embed.h"

// Rotations of the carriers: 9 numbers each, column-major. `rest` are nodal positions in mesh order, `at_node` current
// ones, indexed by `nodes`.
void pl__embed_rotations(pl_context *ctx, const pl__embed_nodes *nodes, int32_t carrier_count, const double *rest,
                         const double *at_node, double *rotation);
// Rotate a vector per vertex, of the surface at rest, by the rotation of its carrier. `turned` may be `at_rest`.
void pl__embed_turn(const pl__embed *embed, const double *rotation, const double *at_rest, double *turned);

#endif
