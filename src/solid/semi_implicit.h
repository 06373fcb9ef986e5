// src/solid/semi_implicit.h -- semi-implicit step: explicit elasticity, implicit damping.
#ifndef PL_SOLID_SEMI_IMPLICIT_H
#define PL_SOLID_SEMI_IMPLICIT_H

#include "step.h"

// Advance by one stable step of at most `remaining` seconds, objects included. After PL_ERR_NUMERIC (the message names
// body and element) the state is that before the step.
pl_status pl__semi_implicit_step(pl__solids *solids, const pl__step_settings *settings, double remaining,
                                 pl__step_outcome *outcome);

// The longest step that it would choose now [s]; may be infinite.
double pl__semi_implicit_longest_step(pl__solids *solids, const pl__step_settings *settings);

#endif
