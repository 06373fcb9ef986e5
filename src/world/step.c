// src/world/step.c -- the step of a world: substeps and the order of their stages.
//
// A substep:
//
//      1  air         current wind and density, copied to the bodies
//      2  collision   continue or begin a collision interval, which limits the substep; wake bodies about to be met
//      3  length      limit of the other steppers; bodies choose their substep within that
//      4  steppers    bodies (solid/semi_implicit.c, solid/implicit_euler.c) with objects, then the others
//      5  grabs       targets of grabs are reached
//      6  node gaps   warn of objects that slip between the nodes of a body
//      7  time        advances by the length of the substep
//      8  keys        keyed parameters at the new time
//      9  wake        bodies whose parameters changed, or whose objects moved
//     10  heat        sources, conduction, cooling; materials updated
//     11  events      record contacts with objects
//     12  collision   record contacts of candidate pairs; at the end of an interval: CCD, impact zones
//     13  fracture    when due: check, and rebuild broken bodies
//     14  melting     when due: bodies become liquid, liquid becomes a body
//
// A step is a number of substeps, then
//
//     15  arrive      objects with a target stop there
//     16  evaluate    forces and energies at the end, reused at the start of the next step
//     17  stuck       detect bodies at rest in a wrong shape
//     18  sleep       bodies at rest fall asleep
#include "step.h"
#include "base/cpu.h"
#include "bodies_stepper.h"
#include "node_gaps.h"
#include "solid/recovery.h"
#include "world.h"

#include <math.h>
#include <string.h>

enum
{
    STEP_COOKIE = 0x506c7431,
    MANY_SUBSTEPS = 10000
};

pl_step_def pl_step_def_default(void) { return (pl_step_def){.dt = 1.0 / 24, .cookie = STEP_COOKIE}; }

// ---- reports ---------------------------------------------------------------------------------------------------

static void report_collisions(const pl_world *world, pl_step_info *info)
{
    info->near_pairs = world->collision.report.contacts;
    info->collisions = world->collision.report.hits;
    info->zone_nodes = world->collision.report.zone_nodes;
    info->unresolved = world->collision.report.unresolved;
    info->crossings = world->collision.report.crossings;
    info->friction_work = world->state.pending.friction_work;
    info->torn = (int32_t)world->state.pending.torn;
}

pl_step_info pl__step_present(pl_world *world)
{
    pl_step_info info = {.time = world->state.time,
                         .advanced = world->last.advanced,
                         .substeps = world->last.substeps,
                         .smallest_dt = world->last.smallest_dt,
                         .cg_iterations = world->last.cg_iterations,
                         .volume_iterations = world->last.volume_iterations,
                         .unconverged = world->last.unconverged};
    pl__bodies_set_air(world);
    pl__solids_refresh(&world->solids, PL__FORCES | PL__ENERGIES);
    return info;
}

pl_status pl_world_report(pl_world *world, pl_step_info *info)
{
    if (!world || !info)
        return PL_ERR_ARGUMENT;
    uint64_t host = pl__fp_enter();
    *info = pl__step_present(world);
    pl__steppers_report(world, info);
    report_collisions(world, info);
    pl__limits_report(world, info);
    pl__fp_leave(host);
    return PL_OK;
}

// ---- objects ---------------------------------------------------------------------------------------------------

// Objects with a target move there at constant velocity; the others keep theirs. In a continued step, targets that were
// already taken stay.
static void aim_objects(pl_world *world, bool goes_on)
{
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        if (world->objects.aim[k] == PL__AIM_NONE || (goes_on && world->objects.aim[k] == PL__AIM_TAKEN))
            continue;
        for (int i = 0; i < 3; ++i)
            world->objects.object[k].velocity[i] =
                (world->objects.target[k][i] - world->objects.object[k].at[i]) / world->state.pending.remaining;
        world->objects.aim[k] = PL__AIM_TAKEN;
    }
}

static void stop_objects(pl_world *world)
{
    for (size_t k = 0; k < world->objects.count; ++k)
        if (world->objects.aim[k])
        {
            memcpy(world->objects.object[k].at, world->objects.target[k], sizeof world->objects.object[k].at);
            memset(world->objects.object[k].velocity, 0, sizeof world->objects.object[k].velocity);
            world->objects.aim[k] = PL__AIM_NONE;
        }
}

// ---- the substep -----------------------------------------------------------------------------------------------

// Warn of probable mistakes, once per world.
static void warn_once(pl_world *world, const pl__step_outcome *outcome, int32_t substeps)
{
    if (world->solver.substep > 0 && outcome->dt > outcome->stable_dt && !world->warned.unstable)
    {
        world->warned.unstable = true;
        pl__log(world->ctx, PL_LOG_WARNING, "solver.substep: %g s is longer than the stable %g s and may explode",
                outcome->dt, outcome->stable_dt);
    }
    if (substeps == MANY_SUBSTEPS && !world->warned.slow)
    {
        world->warned.slow = true;
        pl__log(
            world->ctx, PL_LOG_WARNING,
            "one step needs more than %d substeps of %g s: the material is stiff or light for elements of this size",
            MANY_SUBSTEPS, outcome->dt);
    }
}

// Record whether gravity or air acts on bodies.
static void record_loads(pl_world *world)
{
    const double *g = world->state.gravity;
    bool air = false;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        air |= world->bodies.body[i]->air.acts;
    world->state.pending.loaded |= air || g[0] != 0 || g[1] != 0 || g[2] != 0;
}

// 7
static pl_status advance_time(pl_world *world, double dt)
{
    pl__pending *pending = &world->state.pending;
    double after = pl__keyframes_time_after(world, dt);
    if (after == world->state.time)
        return pl__fail(world->ctx, PL_ERR_NUMERIC,
                        "a stable step of %g s no longer moves time; elements are too small, too stiff or too light",
                        dt);
    pending->remaining = dt < pending->remaining ? pending->remaining - dt : 0;
    world->state.time = after;
    world->state.step_count++;
    return PL_OK;
}

// 8, and the first half of 9
static void apply_keys(pl_world *world)
{
    uint64_t influences = pl__sleep_influences(world);
    pl__keyframes_apply(world);
    if (pl__sleep_influences(world) != influences)
        pl__sleep_wake_all(world);
}

static void count_substep(pl_world *world, double dt, pl_step_info *info)
{
    const pl__step_outcome *outcome = &world->substep.outcome;
    warn_once(world, outcome, info->substeps);
    info->substeps++;
    info->smallest_dt = fmin(info->smallest_dt, dt);
    info->cg_iterations += outcome->iterations;
    info->volume_iterations += outcome->volume_iterations;
    info->unconverged += outcome->unconverged;
}

// 3: equal parts of the interval, none longer than the other steppers allow.
static pl_status limit_length(const pl_world *world, double *dt)
{
    double longest = pl__steppers_longest_step(world, 1);
    if (!(longest > 0))
        return pl__fail(world->ctx, PL_ERR_NUMERIC, "a stepper allows a step of %g s only", longest);
    *dt = pl__equal_steps(*dt, longest);
    return PL_OK;
}

static pl_status substep(pl_world *world, pl_step_info *info)
{
    pl__pending *pending = &world->state.pending;
    const pl__step_outcome *outcome = &world->substep.outcome;
    double dt;
    pl__bodies_set_air(world); // 1
    record_loads(world);
    PL_TRY(pl__limits_update(world));
    PL_TRY(pl__collision_begin(world, &dt));  // 2
    PL_TRY(limit_length(world, &dt));         // 3
    PL_TRY(pl__steppers_advance(world, &dt)); // 4
    pending->loaded |= outcome->contacts > 0;
    pending->friction_work += outcome->friction_work;
    pl__grabs_arrive(world);             // 5
    pl__node_gaps_watch(world, dt);      // 6
    PL_TRY(advance_time(world, dt));     // 7
    apply_keys(world);                   // 8
    pl__sleep_look_at_objects(world);    // 9
    pl__heat_sources_advance(world, dt); // 10
    if (outcome->contacts > 0)           // 11
        PL_TRY(pl__events_note_objects(world));
    PL_TRY(pl__collision_advance(world, dt));      // 12
    PL_TRY(pl__world_fracture_advance(world, dt)); // 13
    PL_TRY(pl__melting_advance(world));            // 14
    PL_TRY(pl__settings_advance(world));
    count_substep(world, dt, info);
    return PL_OK;
}

// ---- the step --------------------------------------------------------------------------------------------------

// A new step drops a pending one. If that drops a collision interval, nodes have moved without collision response.
static void begin_step(pl_world *world, const pl_step_def *def)
{
    pl__pending *pending = &world->state.pending;
    if (!def->finish)
    {
        if (pending->interval > 0)
            pl__collision_forget(world);
        pl__events_begin(world, pending->remaining > 0);
        *pending = (pl__pending){.dt = def->dt, .remaining = def->dt, .end = world->state.time + def->dt};
    }
    world->collision.report = (pl__clash_report){0};
    pl__limits_begin_step(world);
    world->substep = (pl__substep){.max_iterations = def->max_iterations};
    aim_objects(world, def->finish != 0);
}

static void end_step(pl_world *world)
{
    pl__pending *pending = &world->state.pending;
    bool complete = pending->remaining <= 0;
    if (complete) // 15
        stop_objects(world);
    pl__bodies_set_air(world); // 16
    pl__solids_refresh(&world->solids, PL__FORCES | PL__ENERGIES);
    if (!complete)
        return;
    pl__stuck_update(&world->solids, pending->loaded, pending->dt); // 17
    pl__sleep_update(world, pending->dt);                           // 18
}

static pl_status advance(pl_world *world, const pl_step_def *def, pl_step_info *info)
{
    const pl__pending *pending = &world->state.pending;
    begin_step(world, def);
    double whole = pending->remaining;
    info->smallest_dt = whole;
    while (pending->remaining > 0 && (def->max_substeps == 0 || info->substeps < def->max_substeps))
    {
        PL_TRY(substep(world, info));
        info->advanced = whole - pending->remaining;
    }
    end_step(world);
    return PL_OK;
}

static pl_status check(const pl_world *world, const pl_step_def *def)
{
    pl_context *ctx = world->ctx;
    PL_CHECK(ctx, def && def->cookie == STEP_COOKIE, "step: start from pl_step_def_default()");
    if (def->finish && world->state.pending.remaining <= 0)
        return pl__fail(ctx, PL_ERR_STATE, "step.finish: no step is pending; max_substeps has stopped none");
    PL_CHECK(ctx, def->finish || (def->dt > 0 && def->dt <= 1e6), "step.dt: %g s must be above 0 and at most 1e6",
             def->dt);
    PL_CHECK(ctx, def->max_substeps >= 0, "step.max_substeps: %d must be at least 0", def->max_substeps);
    PL_CHECK(ctx, def->max_iterations >= 0, "step.max_iterations: %d must be at least 0", def->max_iterations);
    return PL_OK;
}

pl_status pl_world_step(pl_world *world, const pl_step_def *def, pl_step_info *info)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    PL_TRY(check(world, def));
    pl_step_info result = {0};
    uint64_t host = pl__fp_enter();
    pl_status status = advance(world, def, &result);
    result.time = world->state.time;
    world->last = result;
    if (info && status == PL_OK)
    {
        pl__steppers_report(world, &result);
        report_collisions(world, &result);
        pl__limits_report(world, &result);
    }
    pl__fp_leave(host);
    if (info)
        *info = result;
    return status;
}

double pl_world_stable_step(pl_world *world)
{
    if (!world)
        return 0;
    uint64_t host = pl__fp_enter();
    world->substep.max_iterations = 0;
    double longest = fmin(pl__steppers_longest_step(world, 0), 1e6);
    pl__fp_leave(host);
    return longest;
}
