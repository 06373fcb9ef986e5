// src/solid/step.h -- what the time steps share: their settings, and what holds nodes while they solve.
#ifndef PL_SOLID_STEP_H
#define PL_SOLID_STEP_H

#include "stage.h"

typedef struct pl__step_settings
{
    bool trapezoid;    // thesis 2.9 instead of 3.1
    bool projected;    // contact with objects as before thesis 3.2
    double safety;     // of the automatic step
    double fixed_step; // [s], 0: automatic
    double gravity[3]; // [m/s^2]
    bool wary;         // steps are as short as bodies that sleep need them, since something may wake them
    double span;       // equal steps to the end of this time, at most `remaining` [s]
    pl__cg_limits cg;
    int32_t newton;                  // implicit Euler: most iterations; 0: by the laws of the bodies
    double newton_tolerance;         // of the residual, over that at the start
    double mass_damping;             // [1/s]
    const pl_material_def *material; // of the world, for changes of mode
    pl__object *object;              // [object_count]
    int32_t object_count;
    const double *friction_table; // [body_count object_count] friction of pairs (object_contact.h), or NULL
    const struct pl__grab *grab;  // [grab_count] places, some of them free
    int32_t grab_count;
    const pl__stages *stages;           // velocity filters and observers
    const pl__pair_source *pairs;       // of surfaces; NULL: there are none
    pl__arena *arena;                   // for the scratch of the step
    void (*aim)(void *user, double dt); // called once the step's length is known: say where scripted things end
    const char *(*name_of)(void *user, int32_t body); // for sentences
    void *user;                                       // of all
} pl__step_settings;

typedef struct pl__step_outcome
{
    double dt;
    double stable_dt; // that the state allows
    int32_t iterations;
    int32_t unconverged;
    int32_t contacts;
    double friction_work; // of pairs of surfaces, in the solve [J]
} pl__step_outcome;

// A step under way.
typedef struct pl__step
{
    pl__solids *s;
    const pl__step_settings *set;
    double dt, remaining;
    bool may_shorten;  // and be tried again
    double residual;   // of the explicit velocities in the first solve
    bool soft;         // some pins are springs
    bool blocks;       // there are diagonal blocks for the solves of this step
    double block_norm; // of a residual in their metric, over that in the metric of the mass
    bool assembled;    // the matrix is that of the solve under way
    pl__object_contact touch;
    pl__pair_contacts pairs; // of surfaces that press on each other
    pl__constraints constraints;
    pl__step_outcome *outcome;
} pl__step;

// A pinned node goes to its target at constant velocity, one of a planar body within its plane; `v` of all pinned
// nodes.
void pl__pins_script(const pl__step *st, double *v);
// Pinned nodes belong to their pins, whatever objects did to them; at the end of their time they arrive exactly.
void pl__pins_release(const pl__step *st);

// Constraints of the coming solve: pins always, the footing of nodes once it is known, contact normals after the
// collision.
typedef enum pl__held
{
    PL__HOLD_PINS,
    PL__HOLD_FOOTING,
    PL__HOLD_CONTACTS
} pl__held;
void pl__hold_nodes(pl__step *st, pl__held what);

// Where a solve by blocks stopped early it has left bodies a momentum that they should not have. They get theirs back,
// along the directions in which nothing holds any of their nodes, by a common velocity, to which elasticity and damping
// are blind: what slides down a slope has as much less of its weight as friction says, not as a tolerance lets it. The
// momentum of rhs is `weight` times that of v_end.
void pl__restore_momentum(const pl__step *st, double weight);

// After a solve: reactions of what holds a body along one direction add up to what its momentum asks for. A solve that
// stops early leaves part of that on nodes that nothing holds.
void pl__restore_reactions(const pl__step *st, double weight);

// Which bodies others have pressed on in the solve: their spin is not their own (momentum.h).
void pl__mark_pressed(const pl__solids *solids, const pl__pair_contacts *pairs);

// The longest step that elasticity allows where it is explicit, 2/omega, or infinity; `wary`: of bodies that sleep,
// too.
double pl__stability_limit(const pl__solids *solids, bool wary);

// After a change of pins, before forces are used.
void pl__follow_pins(pl__solids *solids);
// Whether a force is not finite, and the sentence about it.
bool pl__is_broken(const pl__solids *solids);
pl_status pl__report_broken(const pl__solids *solids, const pl__step_settings *settings);

// Drag depends on velocities, which are new at the end of a step: what was evaluated before is not what belongs to the
// state.
bool pl__feels_air(const pl__solids *solids);
bool pl__any_soft_pins(const pl__solids *solids);
bool pl__anything_flows(const pl__solids *solids);
bool pl__any_asleep(const pl__solids *solids);
bool pl__all_asleep(const pl__solids *solids);
// Nodes of planar bodies have left their plane only by what objects did to them.
void pl__stay_in_plane(const pl__solids *solids, double *v);
// Before positions are accepted: those who sleep end where they are.
void pl__sleepers_stay(const pl__solids *solids);

// A step of length dt, not yet begun.
pl__step pl__step_begin(pl__solids *solids, const pl__step_settings *settings, double remaining, double dt,
                        pl__step_outcome *outcome);
// After a change of its length.
void pl__set_length(pl__step *step);
// Scripted things and objects go to the end of the step; and back, where it is not taken.
void pl__move_objects(const pl__step *step);
void pl__return_objects(const pl__step *step);
// Nothing but objects moves.
void pl__sleep_through(pl__step *step);

#endif
