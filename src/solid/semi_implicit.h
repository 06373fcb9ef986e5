// src/solid/semi_implicit.h -- one time step: elastic forces explicit, damping implicit.
#ifndef PL_SOLID_SEMI_IMPLICIT_H
#define PL_SOLID_SEMI_IMPLICIT_H

#include "solids.h"

typedef struct pl__step_settings
{
    bool trapezoid;     // thesis 2.9 instead of 3.1
    double safety;      // of the automatic step
    double fixed_step;  // [s], 0: automatic
    double gravity[3];  // [m/s^2]
    pl__cg_limits cg;
    const pl_material_def *material; // of the world, for changes of mode
    pl__object *object; // [object_count]
    int32_t object_count;
} pl__step_settings;

typedef struct pl__step_outcome
{
    double dt;
    double stable_dt; // that the state allows
    int32_t iterations;
    int32_t unconverged;
    int32_t contacts;
} pl__step_outcome;

// Advance by one stable step of at most `remaining` seconds. Objects move along. PL_ERR_NUMERIC (with body and element in
// the sentence, `name_of` giving names) leaves the state before the step.
pl_status pl__semi_implicit_step(pl__solids *solids, const pl__step_settings *settings, double remaining,
                                 const char *(*name_of)(void *user, int32_t body), void *user, pl__step_outcome *outcome);

#endif
