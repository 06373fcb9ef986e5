// src/world/world.h -- the inside of a world: model, state and scratch, by module.
#ifndef PL_WORLD_WORLD_H
#define PL_WORLD_WORLD_H

#include "actors.h"
#include "base/arena.h"
#include "bodies.h"
#include "collision.h"
#include "events.h"
#include "fracture.h"
#include "friction.h"
#include "grab.h"
#include "heat_sources.h"
#include "keyframes.h"
#include "objects.h"
#include "overlap.h"
#include "section.h"
#include "sleep.h"
#include "step.h"
#include "stepper.h"
#include "solid/solids.h"

// The step that is under way, or what max_substeps left of it.
typedef struct pl__pending
{
    double dt;            // of the whole step [s]
    double end;           // time at its end [s], so that frames of equal length end when they should
    double remaining;     // [s]; 0: none
    bool loaded;          // gravity or contact acted in it
    double interval;      // what is left of an interval of collision [s]; 0: none is under way
    double interval_dt;   // and how long it is
    double friction_work; // of the step so far [J]
    int64_t torn;         // nodes that came apart so far
} pl__pending;

// What changes and is saved, beside the states of bodies, objects, contacts and grabs.
typedef struct pl__world_state
{
    double time;                 // [s]
    uint64_t step_count;         // substeps since the beginning
    double gravity[3];           // [m/s^2]
    double wind[3];              // [m/s]
    double since_fracture_check; // [s]
    pl__pending pending;
} pl__world_state;

typedef struct pl__materials
{
    char (*name)[PL_NAME_BYTES]; // [count]
    pl_material_def *def;        // [count] as they are now
    size_t count;
} pl__materials;

// What has been warned of, once per world.
typedef struct pl__warned
{
    bool unstable, slow, tangled, fast;
} pl__warned;

struct pl_world
{
    pl_context *ctx;
    // model, compiled from the scene; some of its numbers are live parameters
    pl_solver_def solver;
    pl_air_def air; // its wind is state.wind
    pl__materials materials;
    pl__objects objects;
    pl__bodies bodies;
    pl__pair_frictions pair_friction;
    pl__heat_sources heat_sources;
    pl__keyframes keyframes;
    // state
    pl__world_state state;
    pl__solids solids;
    pl__collisions collision;
    pl__contact_records contacts;
    pl__grabs grabs;
    pl__steppers steppers; // what advances: bodies first
    pl__stages stages;     // of a substep, as modules registered them
    pl__sections sections; // of a snapshot, likewise
    // scratch
    pl__arena arena; // of a step
    pl__substep substep;
    pl_step_info last; // of the last step, for reports
    pl__warned warned;
};

// section_list.c
PL_NODISCARD pl_status pl__world_register_sections(pl_world *world);
extern const pl__section_type pl__state_section, pl__material_section;

#endif
