// src/solid/recovery.c -- bodies that are tangled, and bodies that cannot get out.
//
// A body whose mesh is badly tangled (a tenth of its elements inverted) switches to a calm relative of its material
// (material.h) until it has untangled: no inverted element, and either small strain or a quarter of a second without
// inversion (a loaded body may never have small strain). A handful of inverted elements under contact is everyday life and
// changes nothing, unless the body rests with them.
//
// The calm relative is no stronger than it is calm: a soft body that its own law holds up may sink into a heap under
// it. So recovery must show progress. When the number of inverted elements has not fallen for the time that a wave takes to
// cross the body five times, the body gets its own material back, and a pause that doubles every time.
//
// What it does badly: the sign heuristic of the decomposition has static equilibria; a body may rest in one, sometimes with
// no inverted element at all (thesis ch 2 concedes them). Those are found and reported as stuck.
#include "recovery.h"
#include "rigid.h"
#include "base/real_math.h"
#include "element/fibers.h"
#include "element/flow.h"

#include <math.h>

static const double tangled_share = 0.1;   // of the elements
static const double small_strain = 0.05;
static const double calm_time = 0.25;      // [s]
static const double settle_time = 0.5;     // [s] at rest before a body counts as stuck

// Time for a wave to cross the body, about L sqrt(rho / E) with E = 2.5 mu [s].
static double crossing_time(const pl__body *body)
{
    double length = pl__real_exp(pl__real_log(body->rest_volume) / 3);
    return length * sqrt(body->total_mass / (2.5 * body->strength * body->shear_energy));
}

static bool enters(pl__body *body, double dt)
{
    const pl__body_figures *f = &body->figures;
    body->pause = body->pause > dt ? body->pause - dt : 0;
    if (f->inverted == 0 && f->strain < small_strain)
        body->next_pause = 0;
    bool tangled = f->inverted > 0 && (f->inverted >= tangled_share * body->element_count || body->stuck);
    if (!tangled || body->pause > 0)
        return false;
    body->untangled_time = body->waited = 0;
    body->fewest_inverted = f->inverted;
    return true;
}

static bool stays(pl__body *body, double dt)
{
    const pl__body_figures *f = &body->figures;
    body->untangled_time = f->inverted ? 0 : body->untangled_time + dt;
    if (!f->inverted)
        return f->strain >= small_strain && body->untangled_time <= calm_time;
    body->waited = f->inverted < body->fewest_inverted ? 0 : body->waited + dt;
    if (f->inverted < body->fewest_inverted)
        body->fewest_inverted = f->inverted;
    double crossing = crossing_time(body);
    if (body->waited < 5 * crossing)
        return true;
    body->next_pause = body->next_pause > 0 ? 2 * body->next_pause : 10 * crossing;
    body->pause = body->next_pause;
    return false;
}

bool pl__recovery_update(pl__solids *s, const pl_material_def *material, double dt)
{
    bool changed = false;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        if (body->strength <= 0 || !body->may_recover || body->asleep)
            continue;
        bool calm = body->calm ? stays(body, dt) : enters(body, dt);
        if (calm == body->calm)
            continue;
        body->calm = calm;
        pl__body_set_materials(body, material);
        changed = true;
    }
    return changed;
}

// What a body's deformation stores: its elastic energy, or, where the inversion rule has none, an estimate by its strain.
static double stored(const pl__body *body)
{
    double strain2 = 3 * body->figures.strain * body->figures.strain; // sum over the three stretches
    return isfinite(body->figures.elastic) ? fabs(body->figures.elastic) : body->strength * body->shear_energy * strain2;
}

// Whether a body may well be strained for ever though nothing loads it: its fibres pull, or it has flowed here and there.
static bool strains_itself(const pl__body *body)
{
    for (int32_t g = 0; g < body->group_count; ++g)
        if (pl__fibers_pull(&body->group[g]) || pl__flow_happened(&body->group[g]))
            return true;
    return false;
}

// At rest: what moves is little against what is stored, and stays so. A body that swings about its own shape passes this
// only while it turns round, which is shorter than the settling time unless it takes a quarter of a minute per swing. A
// body that spins is strained by that, and nothing is strange about it.
static bool rests_strangely(const pl__solids *s, const pl__body *body, bool external_load)
{
    const pl__body_figures *f = &body->figures;
    bool strained = !external_load && !pl__body_is_held(body) && f->strain > 1e-3 && !strains_itself(body);
    if (body->strength <= 0 || !(f->inverted > 0 || strained))
        return false;
    pl__rigid_motion m = pl__rigid_measure(s, body);
    double omega[3], spinning = 0;
    (void)pl__rigid_rotation(&m, m.angular, omega);
    for (int i = 0; i < 3; ++i)
        spinning += 0.5 * omega[i] * m.angular[i];
    return m.relative - spinning <= 0.01 * stored(body) && (f->inverted > 0 || spinning < stored(body));
}

void pl__stuck_update(pl__solids *s, bool external_load, double dt)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        pl__body *body = s->body[i];
        if (body->asleep)
            continue;
        // one look tells of a moment, however long the frame
        double seen = fmin(dt, 0.2 * settle_time);
        body->rest_time = rests_strangely(s, body, external_load) ? body->rest_time + seen : 0;
        body->stuck = body->rest_time > settle_time;
    }
}
