// src/world/world.h -- internals of a world: model, state and scratch, by module.
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
#include "limits.h"
#include "liquids.h"
#include "melting.h"
#include "objects.h"
#include "overlap.h"
#include "section.h"
#include "setting.h"
#include "sleep.h"
#include "step.h"
#include "stepper.h"
#include "solid/solids.h"

// The step in progress, or its remainder if max_substeps interrupted it.
typedef struct pl__pending
{
    double dt;            // length of the whole step [s]
    double end;           // time at its end [s], stored so that frames of equal length end at exact times
    double remaining;     // [s]; 0: no step in progress
    bool loaded;          // gravity or contact has acted in this step
    double interval;      // remainder of the collision interval [s]; 0: none in progress
    double interval_dt;   // length of that interval [s]
    double friction_work; // in this step so far [J]
    int64_t torn;         // nodes separated by fracture in this step so far
} pl__pending;

// State that is saved, besides that of bodies, objects, contacts and grabs.
typedef struct pl__world_state
{
    double time;                 // [s]
    uint64_t step_count;         // substeps since the start
    double gravity[3];           // [m/s^2]
    double wind[3];              // [m/s]
    double since_fracture_check; // [s]
    pl__pending pending;
} pl__world_state;

typedef struct pl__materials
{
    char (*name)[PL_NAME_BYTES]; // [count]
    pl_material_def *def;        // [count] current values
    size_t count;
} pl__materials;

// Warnings that were issued; each is given once per world.
typedef struct pl__warned
{
    bool unstable, slow, tangled, fast;
} pl__warned;

struct pl_world
{
    pl_context *ctx;
    // model, compiled from the scene; some of its numbers are live parameters
    pl_solver_def solver;
    pl_air_def air; // the wind is in state.wind
    pl__materials materials;
    pl__objects objects;
    pl__bodies bodies;
    pl__pair_frictions pair_friction;
    pl__heat_sources heat_sources;
    pl__world_liquids liquids;
    pl__melting melting;
    pl__settings settings;
    pl__keyframes keyframes;
    // state
    pl__world_state state;
    pl__solids solids;
    pl__collisions collision;
    pl__limits limits;
    pl__contact_records contacts;
    pl__grabs grabs;
    pl__steppers steppers; // bodies first
    pl__stages stages;     // stages of a substep, registered by the modules
    pl__sections sections; // sections of a snapshot, registered by the modules
    // scratch
    pl__arena arena; // scratch of one step
    pl__substep substep;
    pl_step_info last; // of the last step, for reports
    pl__warned warned;
};

// section_list.c
PL_NODISCARD pl_status pl__world_register_sections(pl_world *world);
extern const pl__section_type pl__state_section, pl__material_section, pl__ring_section;

#endif
