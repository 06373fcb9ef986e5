// src/solid/semi_implicit.h -- one time step: elastic forces explicit, damping implicit.
#ifndef PL_SOLID_SEMI_IMPLICIT_H
#define PL_SOLID_SEMI_IMPLICIT_H

#include "solids.h"

typedef struct pl__step_settings
{
    bool trapezoid;     // thesis 2.9 instead of 3.1
    bool projected;     // contact with objects as before thesis 3.2
    double safety;      // of the automatic step
    double fixed_step;  // [s], 0: automatic
    double gravity[3];  // [m/s^2]
    bool wary;          // steps are as short as bodies that sleep need them, since something may wake them
    double span;        // equal steps to the end of this time, at most `remaining` [s]
    pl__cg_limits cg;
    const pl_material_def *material; // of the world, for changes of mode
    pl__object *object; // [object_count]
    int32_t object_count;
    const double *rough; // [body_count object_count] friction of pairs (touch.h), or NULL
    const struct pl__grab *grab; // [grab_count] places, some of them free
    int32_t grab_count;
    void (*aim)(void *user, double dt); // called once the step's length is known: say where scripted things end
    // Velocities of nodes at x that would bring bodies into each other are changed, NULL: none are. Before positions move by v for dt, and
    // of the new velocities at the end.
    void (*filter_ways)(void *user, const double *x, double dt, double *v);
    void (*filter_speeds)(void *user, const double *x, double dt, double *v);
    void (*witness)(void *user, const double *x, const double *x_end); // what a step has done to positions; may be NULL
    const char *(*name_of)(void *user, int32_t body); // for sentences
    void *user;         // of all
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
// the sentence) leaves the state before the step.
pl_status pl__semi_implicit_step(pl__solids *solids, const pl__step_settings *settings, double remaining, pl__step_outcome *outcome);

// The longest step that it would choose now [s]; may be infinite.
double pl__semi_implicit_longest_step(pl__solids *solids, const pl__step_settings *settings);

#endif
