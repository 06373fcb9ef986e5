// src/solid/pin.h -- pin groups: nodes that are held, rigidly or by springs, and moved (equations in pin.c).
#ifndef PL_SOLID_PIN_H
#define PL_SOLID_PIN_H

#include "solids.h"

// Translation [m] of the targets, and rotation about the pivot [degrees].
typedef struct pl__pin_pose
{
    double move[3], rotate[3];
} pl__pin_pose;

typedef struct pl__pin_group
{
    int32_t count;
    int32_t *node; // [count] local, engine order, increasing
    double *start; // [3 count] initial positions [m]
    double pivot[3];
    double strength;   // current: 1 is a hard pin, less a spring
    double soft;       // time scale of the spring [s]
    pl__pin_pose pose; // if no keyframes drive it
    double *cache;     // [cache_count][3 count] in the order of `node`, or NULL
    int32_t cache_count;
    double cache_start, cache_rate;
    bool moves; // targets are a function of time

    bool held;             // its nodes are among the body's pins
    double *target;        // [3 count] at the end of the substep
    double *target_before; // [3 count] at its start
} pl__pin_group;

typedef struct pl__pin_spec
{
    const int32_t *nodes; // [count] mesh nodes, each once
    int32_t count;
    double strength, soft;
    pl__pin_pose pose;
    double pivot[3];
    bool pivot_at_center;
    const double *cache; // [cache_count][count][3] or NULL
    int32_t cache_count;
    double cache_start, cache_rate;
} pl__pin_spec;

// Create the `count` pin groups of a new body. On failure those made are freed with the body.
pl_status pl__pin_groups_create(pl__body *body, const pl__pin_spec *spec, int32_t count);
void pl__pin_groups_destroy(pl__body *body);

// After a change of strengths: nodes of groups with strength 1 become pins of the body, those of others are released.
void pl__pin_groups_update(pl__body *body);
// Mark no group as held, after the list of pins has been rewritten without them.
void pl__pin_groups_release(pl__body *body);
// Whether a local node belongs to a group.
bool pl__pin_groups_contain(const pl__body *body, int32_t node);

// Targets of a substep from `time` to `after` between two poses.
void pl__pin_group_aim(pl__pin_group *group, const pl__pin_pose *begin, const pl__pin_pose *end, double time,
                       double after);

// Prepare a solve with the soft pins of a body: set inertia and push of their nodes. `damped_velocity` are the
// velocities that the springs' damping has seen already: NULL in the first solve.
void pl__pins_soften(pl__solids *solids, const pl__body *body, double dt, const double *damped_velocity);
// The same for a step of a single solve: M (1 + dt b) v' = ... + M dt q.
void pl__pins_soften_whole(pl__solids *solids, const pl__body *body, double dt);

#endif
