// src/solid/implicit_euler.h -- one time step as a linear solve, or a few: any length is stable.
#ifndef PL_SOLID_IMPLICIT_EULER_H
#define PL_SOLID_IMPLICIT_EULER_H

#include "step.h"

// Advance by one step of at most `remaining` seconds. Objects move along. PL_ERR_NUMERIC (with body and element in the
// sentence) and PL_ERR_MEMORY (in the first step) leave the state before the step.
pl_status pl__implicit_euler_step(pl__solids *solids, const pl__step_settings *settings, double remaining,
                                  pl__step_outcome *outcome);

// The longest step that it takes by itself [s].
double pl__implicit_euler_longest_step(const pl__step_settings *settings);

#endif
