// src/world/step.h -- the step of a world.
#ifndef PL_WORLD_STEP_H
#define PL_WORLD_STEP_H

#include "solid/step.h"
#include <pliant/world.h>

// Current substep.
typedef struct pl__substep
{
    int32_t max_iterations;   // of a linear solve; 0: solver default
    pl__step_outcome outcome; // of the bodies
} pl__substep;

// Figures of the last step, with forces and energies evaluated at the current positions.
pl_step_info pl__step_present(pl_world *world);

#endif
