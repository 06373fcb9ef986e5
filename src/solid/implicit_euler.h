// src/solid/implicit_euler.h -- backward Euler: one linear solve per step, or Newton's method. Unconditionally stable.
#ifndef PL_SOLID_IMPLICIT_EULER_H
#define PL_SOLID_IMPLICIT_EULER_H

#include "step.h"

// Advance by one step of at most `remaining` seconds, objects included. After PL_ERR_NUMERIC (the message names body
// and element) or PL_ERR_MEMORY (first step only) the state is that before the step.
pl_status pl__implicit_euler_step(pl__solids *solids, const pl__step_settings *settings, double remaining,
                                  pl__step_outcome *outcome);

// The longest automatic step [s].
double pl__implicit_euler_longest_step(const pl__step_settings *settings);

#endif
