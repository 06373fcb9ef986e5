// src/world/bodies_stepper.h -- the bodies of a world as a stepper, the first one of every world.
#ifndef PL_WORLD_BODIES_STEPPER_H
#define PL_WORLD_BODIES_STEPPER_H

#include "stepper.h"

// Its `self` is the world.
extern const pl__stepper_type pl__bodies_stepper;

// Copy wind and air density to all bodies.
void pl__bodies_set_air(pl_world *world);

#endif
