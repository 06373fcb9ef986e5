// src/solid/stage.h -- velocity filters and observers of a step, in the order in which modules register them.
//
// Everything that changes motion is a force (element/element.h), a velocity filter or a collision. Forces are element
// groups; collisions with objects are part of the steps (object_contact.h); velocity filters are stages. A step has
// four points at which it runs the stages registered for that point, in the order of their registration;
// semi_implicit.c and implicit_euler.c show where. A stage sees the step through pl__stage_input and changes `v` only.
#ifndef PL_SOLID_STAGE_H
#define PL_SOLID_STAGE_H

#include "object_contact.h"
#include "pair_contact.h"

typedef enum pl__stage_point
{
    PL__BEFORE_POSITIONS, // v moves nodes from x over dt: filters that keep positions admissible
    PL__AFTER_COLLISION,  // v is v* of thesis 3.1, after collision with objects; semi-implicit step only
    PL__AFTER_POSITIONS,  // the step is accepted: nodes go from x to x_end; v is NULL
    PL__NEW_VELOCITIES    // v are the velocities at the end of the step, at x
} pl__stage_point;

typedef struct pl__stage_input
{
    pl__solids *solids;
    const pl__object_contact *objects; // contacts of nodes with objects in this step
    double dt;                         // [s]
    const double *x;                   // [3 node_count] [m]
    const double *x_end;               // PL__AFTER_POSITIONS only, else NULL
    double *v;                         // [3 node_count] [m/s]; NULL at PL__AFTER_POSITIONS
    struct pl__step *step;             // for stages of this layer (step.h)
} pl__stage_input;

typedef struct pl__stage
{
    const char *name; // for reports and tests
    pl__stage_point point;
    bool (*active)(const void *user); // asked at its point; NULL: always
    void (*run)(void *user, const pl__stage_input *input);
    void *user;
} pl__stage;

// Source of pair contacts for the solves (pair_contact.h): the collision module.
typedef struct pl__pair_source
{
    // Add the pairs of surface features that v, over dt from x, brings too near. `begin`: the step starts; add all
    // pairs that touch already. True if any were added.
    bool (*find)(void *user, const double *x, double dt, const double *v, bool begin, pl__pair_contacts *pairs);
    void *user;
} pl__pair_source;

enum
{
    PL__STAGES = 16
};

typedef struct pl__stages
{
    pl__stage stage[PL__STAGES];
    int32_t count;
    pl__pair_source pairs;
} pl__stages;

// Register a stage behind all others. PL_ERR_STATE if there are PL__STAGES.
PL_NODISCARD pl_status pl__stages_add(pl_context *ctx, pl__stages *stages, const pl__stage *stage);
// Whether a stage of this point is active.
bool pl__stages_any(const pl__stages *stages, pl__stage_point point);
void pl__stages_run(const pl__stages *stages, pl__stage_point point, const pl__stage_input *input);

#endif
