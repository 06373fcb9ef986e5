// src/solid/recovery.c -- recovery from inverted elements, and detection of bodies stuck in a false equilibrium.
//
// Every law is extended through inversion (material/stress.kernel.c), and most tangles resolve by that. But a law that
// admits stretches down to 0.4 and resists changes of volume locks some in place: a clamped element pushes its
// neighbours aside. If every law is extended from a stretch of 0.9 on, nearly all randomly scrambled blocks untangle
// (docs/materials.md has the figures), provided that it is so from the beginning. That is the relaxed law. A body with
// inverted elements gets it
//
//     if it was placed in that shape, or fell into it without strength, or
//     if it is at rest in it (stuck, below). A moving body keeps its own law: a hard landing, a body between wheels.
//
// A body that comes to rest strained under the relaxed law, without inverted elements and without load, gets a law
// without volume resistance (level 2 of pl__material_relaxed). It gets its own law back once it has been untangled for
// the time that a wave takes to cross it `patience` times.
//
// Energy is never gained. A relaxed law that would start with more elastic energy than there is gets scaled by a
// factor, so that it starts with the same. When a relaxed law ends, the kinetic energy of the body's deformation pays
// for the difference: all velocities beyond the rigid motion of its pieces are multiplied by one factor. A change that
// costs more than there is has to wait. (Whoever places a body supplies its energy.)
//
// What it does badly: the sign heuristic of the decomposition has static equilibria; a body may rest in one, sometimes
// with no inverted element at all (thesis ch 2 concedes them). Those are detected and reported as stuck.
#include "recovery.h"
#include "momentum.h"
#include "base/real_math.h"
#include "element/fibers.h"
#include "element/plasticity.h"
#include "tolerances.h"

#include <math.h>

// Time for a wave to cross the body, about L sqrt(rho / E) with E = 2.5 mu [s].
static double crossing_time(const pl__body *body)
{
    double length = pl__real_exp(pl__real_log(body->rest_volume) / 3);
    return length * sqrt(body->total_mass / (2.5 * body->state.strength * body->shear_energy));
}

// Elastic energy of a body with the law of this level; the law stays set.
static double energy_at(pl__solids *s, pl__body *body, const pl_material_def *material, int32_t level, double relief)
{
    body->state.recovery_level = level;
    body->state.recovery_factor = relief;
    pl__body_set_materials(body, material);
    pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT | PL__EVALUATE_ENERGIES);
    return body->derived.figures.elastic;
}

// A loaded body does not get a weakened law.
static void switch_law(pl__solids *s, pl__body *body, const pl_material_def *material, int32_t level, bool put)
{
    int32_t old = body->state.recovery_level;
    pl__solids_refresh(s, PL__FORCES | PL__ENERGIES);
    double relief = body->state.recovery_factor, before = body->derived.figures.elastic,
           after = energy_at(s, body, material, level, 1);
    if (put || after <= before)
        return;
    if (body->state.loaded)
        (void)energy_at(s, body, material, old, relief);
    else
        (void)energy_at(s, body, material, level, fmax(before / after, PL__RECOVERY_WEAKEST));
}

// Restore its own law, if the kinetic energy of its deformation can pay for it.
static void restore_law(pl__solids *s, pl__body *body, const pl_material_def *material)
{
    int32_t level = body->state.recovery_level;
    pl__solids_refresh(s, PL__FORCES | PL__ENERGIES);
    double relief = body->state.recovery_factor, before = body->derived.figures.elastic,
           there = pl__rigid_deforming(s, body);
    double cost = energy_at(s, body, material, 0, 1) - before;
    if (cost >= there)
        (void)energy_at(s, body, material, level, relief);
    else if (cost > 0)
        pl__rigid_slow(s, body, sqrt(1 - cost / there));
}

// The level that the body should have now.
static int32_t level_for(pl__body *body, double dt)
{
    bool tangled = body->derived.figures.inverted > 0 || body->state.stuck;
    if (body->state.recovery_level == 0)
        return tangled && (body->state.placed || body->state.stuck);
    body->state.untangled_time = tangled ? 0 : body->state.untangled_time + dt;
    if (body->state.stuck && !body->state.loaded)
        return PL_MATERIAL_RELAXED;
    return body->state.untangled_time > PL__RECOVERY_PATIENCE * crossing_time(body) ? 0 : body->state.recovery_level;
}

void pl__recovery_update(pl__solids *s, const pl_material_def *material, double dt)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        body->state.placed |= body->state.strength <= 0;
        if (body->state.strength <= 0 || !body->may_recover || body->state.asleep)
            continue;
        int32_t level = level_for(body, dt);
        int32_t before = body->state.recovery_level;
        bool put = body->state.placed;
        body->state.placed = false;
        if (level == before)
            continue;
        if (level > 0)
            switch_law(s, body, material, level, put);
        else
            restore_law(s, body, material);
        body->state.untangled_time = 0;
        if (body->state.recovery_level == before) // it could not pay: it rests as it did
            continue;
        body->state.rest_time = 0;
        body->state.stuck = false;
    }
}

void pl__recovery_begin(pl__body *body)
{
    body->state.placed = true;
    body->state.recovery_level = 0;
    body->state.recovery_factor = 1;
    body->state.untangled_time = 0;
}

// Energy stored in the deformation of a body: its elastic energy, or, for inversion rules without one, an estimate by
// its strain.
static double stored_energy(const pl__body *body)
{
    double strain2 = 3 * body->derived.figures.strain * body->derived.figures.strain; // sum over the three stretches
    return isfinite(body->derived.figures.elastic) ? fabs(body->derived.figures.elastic)
                                                   : body->state.strength * body->shear_energy * strain2;
}

// Whether a body may stay strained forever without load: by active fibres or plastic deformation.
static bool has_permanent_strain(const pl__body *body)
{
    for (int32_t g = 0; g < body->group_count; ++g)
        if (pl__fibers_pull(&body->group[g]) || pl__plasticity_happened(&body->group[g]))
            return true;
    return false;
}

// At rest: kinetic energy is small against stored energy, and stays so. A body that oscillates about its rest shape
// passes this only near its turning points, for less than the settling time unless its period is a quarter of a
// minute. A spinning body is strained by that and not stuck.
static bool rests_in_wrong_shape(const pl__solids *s, const pl__body *body, bool external_load)
{
    const pl__body_figures *f = &body->derived.figures;
    bool strained =
        !external_load && !pl__body_is_held(body) && f->strain > PL__STUCK_STRAIN && !has_permanent_strain(body);
    if (body->state.strength <= 0 || !(f->inverted > 0 || strained))
        return false;
    pl__rigid_motion m = pl__rigid_measure(s, body);
    double omega[3], spinning = 0;
    (void)pl__rigid_rotation(&m, m.angular, omega);
    for (int i = 0; i < 3; ++i)
        spinning += 0.5 * omega[i] * m.angular[i];
    return m.relative - spinning <= PL__STUCK_KINETIC * stored_energy(body) &&
           (f->inverted > 0 || spinning < stored_energy(body));
}

void pl__stuck_update(pl__solids *s, bool external_load, double dt)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        if (body->state.asleep)
            continue;
        // the state is sampled once per frame, however long that is
        double seen = fmin(dt, PL__LOOK_LONGEST * PL__STUCK_TIME);
        body->state.loaded = external_load || pl__body_is_held(body);
        body->state.rest_time = rests_in_wrong_shape(s, body, external_load) ? body->state.rest_time + seen : 0;
        body->state.stuck = body->state.rest_time > PL__STUCK_TIME;
    }
}
