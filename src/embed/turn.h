// src/embed/turn.h -- normals of a carried surface, turned as the mesh turns.
#ifndef PL_EMBED_TURN_H
#define PL_EMBED_TURN_H

#include "embed.h"

// The rotations of so many carriers: 9 numbers each, column by column. Nodes were at `rest`, 3 numbers each in the
// mesh's order, and are at `at_node`, in the places of `nodes`.
void pl__embed_rotations(pl_context *ctx, const pl__embed_nodes *nodes, int32_t carrier_count, const double *rest,
                         const double *at_node, double *rotation);
// Turn a vector per vertex, of the surface at rest, by the rotation of its carrier. `turned` may be `at_rest`.
void pl__embed_turn(const pl__embed *embed, const double *rotation, const double *at_rest, double *turned);

#endif
