// src/world/node_gaps.h -- detection of objects that slip between the nodes of a body.
#ifndef PL_WORLD_NODE_GAPS_H
#define PL_WORLD_NODE_GAPS_H

#include "world.h"

// Compute the interior points of all objects; released with the world.
PL_NODISCARD pl_status pl__node_gaps_create(pl_world *world);
// Warn of objects that are small compared with the elements of a body.
void pl__node_gaps_warn(const pl_world *world);
// Call after a substep: warn once if an object moved by more than its thickness.
void pl__node_gaps_watch(pl_world *world, double dt);
// Depth of the interior point of an object that is inside a solid body [m]; 0: none.
double pl__node_gaps_depth(const pl_world *world, const pl__body *body);

#endif
