// src/world/snapshot.h -- the dynamic state of a world as bytes.
#ifndef PL_WORLD_SNAPSHOT_H
#define PL_WORLD_SNAPSHOT_H

#include "solid/body.h"
#include <pliant/world.h>

// What a body is made of.
uint64_t pl__body_print(const pl__body *body);

#endif
