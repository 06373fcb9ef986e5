// src/world/step.c -- a frame as stable steps, and the figures at its end.
#include "world.h"
#include "node_gaps.h"
#include "base/cpu.h"
#include "solid/implicit_euler.h"
#include "solid/recovery.h"
#include "solid/semi_implicit.h"
#include "solid/object_contact.h"

#include <math.h>
#include <string.h>

enum
{
    STEP_COOKIE = 0x506c7431,
    MANY_SUBSTEPS = 10000
};

pl_step_def pl_step_def_default(void) { return (pl_step_def){.dt = 1.0 / 24, .cookie = STEP_COOKIE}; }

static const char *name_of_body(void *user, int32_t index)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body == world->bodies.body[index])
            return world->bodies.slot[i].name;
    return "?";
}

// ---- figures ---------------------------------------------------------------------------------------------------

// Energies and momenta of the nodes.
static pl__body_sums sum_motion(const pl_world *world, const pl__body *body)
{
    pl__body_sums sums = {0};
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        size_t at = 3 * (size_t)(body->first_node + n);
        const double *x = &world->solids.state.x[at], *v = &world->solids.state.v[at], *g = world->state.gravity;
        double m = body->mass[n];
        sums.kinetic += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        sums.gravity -= m * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2]);
        sums.mass += m;
        for (int i = 0; i < 3; ++i)
        {
            sums.center[i] += m * x[i];
            sums.momentum[i] += m * v[i];
            sums.angular[i] += m * (x[(i + 1) % 3] * v[(i + 2) % 3] - x[(i + 2) % 3] * v[(i + 1) % 3]);
        }
        sums.contacts += world->solids.contacts.count[body->first_node + n] > 0;
    }
    return sums;
}

// The deepest of some nodes.
static double deepest(pl_world *world, const pl__body *body)
{
    pl__arena_mark mark = pl__arena_set_mark(&world->arena);
    double *depth = PL_TAKE(&world->arena, world->solids.node_count, double), most = 0;
    if (!depth)
        return 0;
    pl__object_contact touch = {
        .s = &world->solids, .object = world->objects.object, .object_count = (int32_t)world->objects.count};
    int32_t begin = body->first_node, end = begin + body->node_count;
    pl__object_contact_depths(&touch, begin, end, depth);
    for (int32_t n = begin; n < end; ++n)
        most = fmax(most, depth[n]);
    pl__arena_release(&world->arena, mark);
    return most;
}

// Those of a body that sleeps are found once.
static void add_sums(pl_world *world, pl__body *body, pl_step_info *info)
{
    pl__body_sums *sums = &body->derived.sums;
    if (!body->derived.sums_current)
    {
        *sums = sum_motion(world, body);
        sums->penetration = world->objects.count > 0 ? fmax(deepest(world, body), pl__node_gaps_depth(world, body)) : 0;
    }
    body->derived.sums_current = body->state.asleep;
    info->kinetic += sums->kinetic;
    info->gravity += sums->gravity;
    info->mass += sums->mass;
    for (int i = 0; i < 3; ++i)
    {
        info->center[i] += sums->center[i];
        info->momentum[i] += sums->momentum[i];
        info->angular[i] += sums->angular[i];
    }
    info->contacts += sums->contacts;
    info->penetration = fmax(info->penetration, sums->penetration);
}

// The figures of the bodies at `index` .. end: sums and extremes.
static void report(pl_world *world, int32_t begin, int32_t end, pl_step_info *info)
{
    double rest = 0, strain2 = 0, dilation2 = 0;
    info->min_J = INFINITY;
    for (int32_t i = begin; i < end; ++i)
    {
        pl__body *body = world->bodies.body[i];
        const pl__body_figures *f = &body->derived.figures;
        add_sums(world, body, info);
        info->elastic += f->elastic;
        info->volume += f->volume;
        info->min_J = fmin(info->min_J, f->min_J);
        info->max_stretch = fmax(info->max_stretch, f->max_stretch);
        info->inverted += f->inverted;
        info->recovering += body->state.recovery_level > 0;
        info->stuck += body->state.stuck;
        info->sleeping += body->state.asleep;
        rest += body->rest_volume;
        strain2 += body->rest_volume * f->strain * f->strain;
        dilation2 += body->rest_volume * f->dilation * f->dilation;
    }
    for (int i = 0; i < 3 && info->mass > 0; ++i)
        info->center[i] /= info->mass;
    info->volume_error = rest > 0 ? info->volume / rest - 1 : 0;
    info->strain = rest > 0 ? sqrt(strain2 / rest) : 0;
    info->dilation = rest > 0 ? sqrt(dilation2 / rest) : 0;
}

static void report_meeting(const pl_world *world, pl_step_info *info)
{
    info->near_pairs = world->collision.report.contacts;
    info->collisions = world->collision.report.hits;
    info->zone_nodes = world->collision.report.zone_nodes;
    info->unresolved = world->collision.report.unresolved;
    info->crossings = world->collision.report.crossings;
    info->friction_work = world->state.pending.friction_work;
    info->torn = (int32_t)world->state.pending.torn;
}

// The air as it is now, to the bodies that feel it: before every evaluation of forces.
static void blow(pl_world *world)
{
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        pl__air *air = &world->bodies.body[i]->air.load;
        memcpy(air->wind, world->state.wind, sizeof air->wind);
        air->density = world->air.density;
    }
}

// What the last step says of itself, and the forces and energies at the present positions.
static pl_step_info present(pl_world *world)
{
    pl_step_info info = {.time = world->state.time,
                         .advanced = world->last.advanced,
                         .substeps = world->last.substeps,
                         .smallest_dt = world->last.smallest_dt,
                         .cg_iterations = world->last.cg_iterations,
                         .unconverged = world->last.unconverged};
    blow(world);
    pl__solids_refresh(&world->solids, PL__FORCES | PL__ENERGIES);
    return info;
}

pl_status pl_world_report(pl_world *world, pl_step_info *info)
{
    if (!world || !info)
        return PL_ERR_ARGUMENT;
    uint64_t host = pl__fp_enter();
    *info = present(world);
    report(world, 0, world->solids.body_count, info);
    report_meeting(world, info);
    pl__fp_leave(host);
    return PL_OK;
}

pl_status pl_body_report(pl_world *world, pl_body_id id, pl_step_info *info)
{
    if (!world || !info)
        return PL_ERR_ARGUMENT;
    pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    uint64_t host = pl__fp_enter();
    *info = present(world);
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        if (world->bodies.body[i] == body)
            report(world, i, i + 1, info);
    pl__fp_leave(host);
    return PL_OK;
}

// ---- the step --------------------------------------------------------------------------------------------------

// Objects with a target go there at constant velocity; the others keep theirs. What is on its way in a step that goes
// on stays so.
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

static bool is_euler(const pl_world *world) { return world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER; }

static pl__step_settings settings_of(pl_world *world, int32_t max_iterations)
{
    pl__step_settings set = {.trapezoid = world->solver.velocity_update == PL_VELOCITY_TRAPEZOID,
                             .projected = world->solver.object_contact == PL_CONTACT_PROJECTED,
                             .safety = world->solver.safety,
                             .fixed_step = world->solver.substep,
                             .cg = {.tolerance = world->solver.tolerance, .iterations = world->solver.iterations},
                             .newton = world->solver.newton,
                             .newton_tolerance = world->solver.newton_tolerance,
                             .mass_damping = world->solver.mass_damping,
                             .material = world->materials.def,
                             .object = world->objects.object,
                             .object_count = (int32_t)world->objects.count,
                             .friction_table = world->pair_friction.table,
                             .grab = world->grabs.grab,
                             .grab_count = PL__GRABS,
                             .aim = pl__keyframes_aim,
                             .stages = &world->stages,
                             .pairs = world->collision.clash ? &world->stages.pairs : NULL,
                             .arena = &world->arena,
                             .name_of = name_of_body,
                             .user = world};
    if (max_iterations > 0 && max_iterations < set.cg.iterations)
        set.cg.iterations = max_iterations;
    return set;
}

// What is probably not meant, once per world.
static void warn(pl_world *world, const pl__step_outcome *outcome, int32_t substeps)
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

// One substep, and what follows the new time.
static pl_status substep(pl_world *world, pl__step_settings *set, pl_step_info *info)
{
    pl__pending *pending = &world->state.pending;
    pl__step_outcome outcome;
    memcpy(set->gravity, world->state.gravity, sizeof set->gravity);
    set->friction_table = world->pair_friction.table; // made anew with the bodies, when one comes apart
    blow(world);
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        pending->loaded |= world->bodies.body[i]->air.acts;
    pending->loaded |= world->state.gravity[0] != 0 || world->state.gravity[1] != 0 || world->state.gravity[2] != 0;
    PL_TRY(pl__collision_begin(world, &set->span));
    set->wary = pl__sleep_is_wary(world);
    PL_TRY((is_euler(world) ? pl__implicit_euler_step : pl__semi_implicit_step)(&world->solids, set, pending->remaining,
                                                                                &outcome));
    world->solids.state.plastic_dt = outcome.dt;
    double after = pl__keyframes_time_after(world, outcome.dt);
    if (after == world->state.time)
        return pl__fail(world->ctx, PL_ERR_NUMERIC,
                        "a stable step of %g s no longer moves time; elements are too small, too stiff or too light",
                        outcome.dt);
    pending->remaining = outcome.dt < pending->remaining ? pending->remaining - outcome.dt : 0;
    pending->loaded |= outcome.contacts > 0;
    pending->friction_work += outcome.friction_work;
    pl__grabs_arrive(world);
    pl__node_gaps_watch(world, outcome.dt);
    world->state.time = after;
    world->state.step_count++;
    uint64_t influences = pl__sleep_influences(world);
    pl__keyframes_apply(world);
    if (pl__sleep_influences(world) != influences)
        pl__sleep_wake_all(world);
    pl__sleep_look_at_objects(world);
    pl__heat_sources_advance(world, outcome.dt);
    if (outcome.contacts > 0)
        PL_TRY(pl__events_note_objects(world));
    PL_TRY(pl__collision_advance(world, outcome.dt));
    PL_TRY(pl__world_fracture_advance(world, outcome.dt));
    warn(world, &outcome, info->substeps);
    info->substeps++;
    info->smallest_dt = fmin(info->smallest_dt, outcome.dt);
    info->cg_iterations += outcome.iterations;
    info->unconverged += outcome.unconverged;
    return PL_OK;
}

static pl_status advance(pl_world *world, const pl_step_def *def, pl_step_info *info)
{
    pl__step_settings set = settings_of(world, def->max_iterations);
    pl__pending *pending = &world->state.pending;
    // an interval that is dropped has moved nodes as if they could pass through each other
    if (!def->finish && pending->interval > 0)
        pl__collision_forget(world);
    if (!def->finish)
        pl__events_begin(world, pending->remaining > 0);
    if (!def->finish)
        *pending = (pl__pending){.dt = def->dt, .remaining = def->dt, .end = world->state.time + def->dt};
    world->collision.report = (pl__clash_report){0};
    double begin = pending->remaining;
    info->smallest_dt = begin;
    aim_objects(world, def->finish != 0);
    while (pending->remaining > 0 && (def->max_substeps == 0 || info->substeps < def->max_substeps))
    {
        PL_TRY(substep(world, &set, info));
        info->advanced = begin - pending->remaining;
    }
    if (pending->remaining <= 0)
        stop_objects(world);
    blow(world);
    // the energies of the end of the frame are also the forces at the start of the next
    pl__solids_refresh(&world->solids, PL__FORCES | PL__ENERGIES);
    if (pending->remaining <= 0)
    {
        pl__stuck_update(&world->solids, pending->loaded, pending->dt);
        pl__sleep_update(world, pending->dt);
    }
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
    pl_step_info ours = {0};
    uint64_t host = pl__fp_enter();
    pl_status status = advance(world, def, &ours);
    ours.time = world->state.time;
    world->last = ours;
    if (info && status == PL_OK)
    {
        report(world, 0, world->solids.body_count, &ours);
        report_meeting(world, &ours);
    }
    pl__fp_leave(host);
    if (info)
        *info = ours;
    return status;
}

double pl_world_stable_step(pl_world *world)
{
    if (!world)
        return 0;
    uint64_t host = pl__fp_enter();
    pl__step_settings set = settings_of(world, 0);
    set.span = INFINITY;
    blow(world);
    double longest = is_euler(world) ? pl__implicit_euler_longest_step(&set)
                                     : fmin(pl__semi_implicit_longest_step(&world->solids, &set), 1e6);
    pl__fp_leave(host);
    return longest;
}
