// src/world/snapshot.h -- the dynamic state of a world as bytes.
#ifndef PL_WORLD_SNAPSHOT_H
#define PL_WORLD_SNAPSHOT_H

#include "solid/body.h"
#include <pliant/world.h>

// pl_world_load, also of a state that other keys and pins led to: they take over from here.
pl_status pl__world_load_branch(pl_world *world, const void *buffer, size_t size);
// What a body is made of.
uint64_t pl__body_print(const pl__body *body);

#endif
