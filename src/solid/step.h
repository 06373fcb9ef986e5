// src/solid/step.h -- shared by both integrators: settings, pins, constraints, momentum restoration.
#ifndef PL_SOLID_STEP_H
#define PL_SOLID_STEP_H

#include "stage.h"

typedef struct pl__step_settings
{
    bool trapezoid;    // trapezoidal rule of thesis 2.9 instead of 3.1
    bool projected;    // object contact by projection, as before thesis 3.2
    double safety;     // factor on the stability limit of the automatic step
    double fixed_step; // [s], 0: automatic
    double gravity[3]; // [m/s^2]
    bool wary;         // sleeping bodies also limit the step, since something may wake them
    double span;       // equal steps up to this time, at most `remaining` [s]
    pl__cg_limits cg;
    int32_t newton;                  // implicit Euler: most Newton iterations; 0: depends on the materials
    double newton_tolerance;         // relative to the initial residual
    double mass_damping;             // [1/s]
    double volume_recovery;          // shortest time in which rings may gain or lose their volume [s]
    const pl_material_def *material; // materials of the world, for recovery
    pl__object *object;              // [object_count]
    int32_t object_count;
    const double *friction_table; // [body_count object_count] friction of body-object pairs (object_contact.h), or
                                  // NULL
    const struct pl__grab *grab;  // [grab_count] slots, some of them free
    int32_t grab_count;
    const pl__stages *stages;           // velocity filters and observers
    const pl__pair_source *pairs;       // source of pair contacts; NULL: none
    pl__arena *arena;                   // scratch of the step
    void (*aim)(void *user, double dt); // called once dt is known: compute the scripted targets at the end of the step
    const char *(*name_of)(void *user, int32_t body); // for error messages
    void *user;                                       // argument of the callbacks
} pl__step_settings;

typedef struct pl__step_outcome
{
    double dt;
    double stable_dt; // stability limit of the current state
    int32_t iterations;
    int32_t unconverged;
    int32_t contacts;
    int32_t volume_iterations; // of the solves for pressures (incompressible.h)
    double friction_work;      // of pair contacts, in the solve [J]
} pl__step_outcome;

// A step in progress.
typedef struct pl__step
{
    pl__solids *s;
    const pl__step_settings *set;
    double dt, remaining;
    bool may_shorten;  // dt may be reduced and the step retried
    double residual;   // initial residual of the first solve, at the explicit velocities
    bool soft;         // some pins are springs
    bool blocks;       // diagonal blocks are valid for the solves of this step
    double block_norm; // norm of a residual in the block metric, over its norm in the mass metric
    bool assembled;    // the assembled matrix is that of the current solve
    pl__object_contact touch;
    pl__pair_contacts pairs; // pair contacts
    pl__constraints constraints;
    pl__step_outcome *outcome;
} pl__step;

// Set the velocities `v` of pinned nodes: constant velocity to the target; nodes of planar bodies stay in their plane.
void pl__pins_script(const pl__step *st, double *v);
// Pinned nodes override object contact: drop their contacts and put them at their targets, exactly at the end of the
// interval.
void pl__pins_release(const pl__step *st);

// Build the constraints of the next solve: pins always, the stick/slip state of nodes once it is known, contact
// normals after the collision.
typedef enum pl__held
{
    PL__HOLD_PINS,
    PL__HOLD_FOOTING,
    PL__HOLD_CONTACTS
} pl__held;
void pl__hold_nodes(pl__step *st, pl__held what);

// Restore the linear momentum that truncating preconditioned CG has lost: add a common velocity to each body, along
// the directions in which none of its nodes is constrained. Elasticity and damping do not feel it. Without this,
// friction on a slope is only as accurate as the tolerance of the solve. The momentum of rhs is `weight` times that of
// v_end.
void pl__restore_momentum(const pl__step *st, double weight);

// Mark bodies with pair contact impulses in the solve: their angular momentum is not conserved (momentum.h).
void pl__mark_pressed(const pl__solids *solids, const pl__pair_contacts *pairs);

// The stability limit 2/omega of explicit elasticity, or infinity; `wary`: of sleeping bodies, too.
double pl__stability_limit(const pl__solids *solids, bool wary);

// After a change of pins, before forces are used.
void pl__follow_pins(pl__solids *solids);
// Whether a force is not finite, and the error message for it.
bool pl__is_broken(const pl__solids *solids);
pl_status pl__report_broken(const pl__solids *solids, const pl__step_settings *settings);

// Whether drag acts on a body. Drag depends on velocity, so that forces evaluated before the end of a step do not
// belong to its final state.
bool pl__feels_air(const pl__solids *solids);
bool pl__any_soft_pins(const pl__solids *solids);
bool pl__anything_flows(const pl__solids *solids);
bool pl__any_asleep(const pl__solids *solids);
bool pl__all_asleep(const pl__solids *solids);
// Zero the out-of-plane velocity of planar bodies, which only objects can have caused.
void pl__stay_in_plane(const pl__solids *solids, double *v);
// Before positions are accepted: sleeping bodies end where they are.
void pl__sleepers_stay(const pl__solids *solids);

// A step of length dt, not yet started.
pl__step pl__step_begin(pl__solids *solids, const pl__step_settings *settings, double remaining, double dt,
                        pl__step_outcome *outcome);
// The length of equal steps over `time`, none longer than `longest`.
double pl__equal_steps(double time, double longest);
// Run the stages of a point on v.
void pl__run_stages(const pl__step *step, pl__stage_point point, double *v);
// Propagate a changed dt.
void pl__set_length(pl__step *step);
// Move scripted objects to the end of the step; and back, if the step is rejected.
void pl__move_objects(const pl__step *step);
void pl__return_objects(const pl__step *step);
// All bodies sleep: only objects move.
void pl__sleep_through(pl__step *step);

#endif
