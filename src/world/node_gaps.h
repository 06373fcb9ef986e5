// src/world/node_gaps.h -- objects that pass between the nodes of a body.
#ifndef PL_WORLD_NODE_GAPS_H
#define PL_WORLD_NODE_GAPS_H

#include "world.h"

// Find the middles of all objects; released with the world.
PL_NODISCARD pl_status pl__node_gaps_create(pl_world *world);
// Say which objects are small beside the elements of a body.
void pl__node_gaps_warn(const pl_world *world);
// After a substep: say, once, that an object has moved by more than it is thick.
void pl__node_gaps_watch(pl_world *world, double dt);
// How deep the middle of an object is in it that is inside a solid body [m]; 0: none is.
double pl__node_gaps_depth(const pl_world *world, const pl__body *body);

#endif
