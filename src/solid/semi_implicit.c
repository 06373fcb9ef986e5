// src/solid/semi_implicit.c -- one substep: elastic forces explicit, damping implicit (thesis 3.1, 2.9, 4.2).
//
// With a(x, v) = M^-1 (f(x) - D(x) v) + g and h = dt/2:
//
//      1  aim          keyframes give the targets of scripted pins and objects; objects move there
//      2  solve        v~ = v + h a(x, v~)             (M + h D) v~ = M v + h (f + M g)
//      3  filter       v~: stages PL__BEFORE_POSITIONS (volume, strain limits; collision last)
//      4  advance      x~ = x + dt v~
//      5  collide      x', v* with objects; pinned nodes go to their targets
//      6  filter       v*: stages PL__AFTER_COLLISION
//      7  evaluate     forces at (x + x')/2; if the shape there is too stiff: again from 1, with a shorter dt
//      8  solve        v½ = v* + h a((x + x')/2, v½)   the same matrix at the middle; contact normals held
//      9  extrapolate  v' = 2 v½ - v*                  the trapezoidal rule, better conditioned
//     10  friction     with objects, from the normal force that the solve removed
//     11  accept       x = x'; stages PL__AFTER_POSITIONS see the motion (proof that nothing collided)
//     12  momentum     angular momentum of free bodies is restored (momentum.h); planar bodies stay in their plane
//     13  filter       v': stages PL__NEW_VELOCITIES   (volume; collision, with friction between bodies)
//
// Elements yield (plasticity) in the first evaluation of forces after the step, at x'. Contacts of nodes with objects
// and pair contacts are part of both solves (object_contact.h, damping_solve.c). Soft pins and grabs make their
// nodes heavier in both solves and push them (pin.c, grab.c); M in the solves is then `inertia`.
//
// Thesis 2.9 replaces 8 and 9 by  v' = v* + h (a(x, v*) + a(x', v')), which needs one evaluation of forces per step
// instead of two. We use a(x, v~) for its first half, which is known from 2: with a(x, v*) a damped
// spinning body gains from the difference, a torque of dt h v~ x D (v~ - v), and spins up (16 % in 10 s at one
// turn per second); with a(x, v~) angular momentum is conserved to round-off if the forces are free of torque. 3.1
// conserves it to O(dt^2) only, and also gains from the error; 12 corrects it.
//
// Shells use 2.9 in every world. The error of 3.1 is large where an element rotates under tension: the chord (x +
// x')/2 of a rotation by alpha is shorter by alpha^2/8, and at steps near the limit that is half of the strain which
// keeps it on its circle. In solids, neighbours keep elements from rotating individually. The triangles of a crumpled
// sheet tumble, each by itself: free sheets of 6 x 6 nodes, scrambled, without bending, at 0.9 of the limit and with a
// damping of 0.02 s gained energy a thousand to ten million times by 3.1, for most of twenty seeds and all laws, and
// still some at 0.35 of it; none by 2.9. (3.1 with the mean of the forces at both ends and the damping of the end is
// far worse: there the two halves of a step damp different velocities.)
//
// Both are stable up to dt = 2/omega of the highest elastic frequency, whatever the damping (a larger damping ratio
// only raises the bound). omega comes from the current state of the elements: see stiffness_bound in
// material/stress.kernel.c and `gain` in element/tet.h; the stiffest element bounds all of its kind (Irons &
// Treharne), and the bounds of different kinds are added (solids.c).
//
// Friction (10): the thesis has max(0, dv.N) where it must be min: with min a particle slides down an incline exactly
// as it should. For coupled, damped nodes friction acts inside both solves (object_contact.h).
#include "semi_implicit.h"
#include "damping_solve.h"
#include "grab.h"
#include "momentum.h"
#include "pin.h"
#include "recovery.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

// Outcome of an attempt.
typedef enum
{
    DONE,
    BROKE,   // a value is not finite
    OVERSHOT // dt exceeds the stability limit of the shape it led to
} progress;

typedef pl__step step;

enum
{
    NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3
};

// ---- over nodes ------------------------------------------------------------------------------------------------

static void store_change(void *argument, int32_t begin, int32_t end)
{
    pl__solids *s = ((const step *)argument)->s;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->step.v_change[k] = s->step.v_end[k] - s->step.v_start[k];
}

static void move_nodes(void *argument, int32_t begin, int32_t end)
{
    const step *st = argument;
    pl__solids *s = st->s;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->step.x_end[k] = s->state.x[k] + st->dt * s->step.v_end[k];
}

// Positions of the second evaluation of forces.
static void middle_positions(void *argument, int32_t begin, int32_t end)
{
    const step *st = argument;
    pl__solids *s = st->s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        size_t first, last;
        bool ends = pl__goes_by_ends(st, s->body[i]);
        pl__part_of_body(s->body[i], begin, end, &first, &last);
        for (size_t k = first; k < last; ++k)
            s->step.x_middle[k] = ends ? s->step.x_end[k] : 0.5 * (s->state.x[k] + s->step.x_end[k]);
    }
}

static void new_velocities(void *argument, int32_t begin, int32_t end)
{
    const step *st = argument;
    pl__solids *s = st->s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        size_t first, last;
        bool ends = pl__goes_by_ends(st, s->body[i]);
        pl__part_of_body(s->body[i], begin, end, &first, &last);
        for (size_t k = first; k < last; ++k)
            s->state.v[k] = ends ? s->step.v_end[k] : 2 * s->step.v_end[k] - s->step.v_start[k];
    }
}

static void for_awake_nodes(const step *st, void (*task)(void *, int32_t, int32_t))
{
    pl__parallel_for_some(st->s->ctx, st->s->node_count, NODES_PER_CHUNK, &st->s->awake.nodes, task, (void *)st);
}

// ---- the stages of the list ------------------------------------------------------------------------------------

// Apply springs for the first or second solve: soft pins, then grabs, which may hold the same nodes.
static void apply_springs(step *st, bool first)
{
    pl__solids *s = st->s;
    const pl__step_settings *set = st->set;
    pl__grabs_reset(s, set->grab, set->grab_count);
    for (int32_t i = 0; i < s->body_count; ++i)
        pl__pins_soften(s, s->body[i], st->dt,
                        first                              ? NULL
                        : pl__goes_by_ends(st, s->body[i]) ? s->step.v_end
                                                           : s->step.v_start);
    for (int32_t g = 0; g < set->grab_count; ++g)
        if (set->grab[g].id)
            pl__grab_soften(s, &set->grab[g], st->dt,
                            first                                     ? NULL
                            : pl__goes_by_ends(st, set->grab[g].body) ? s->step.v_end
                                                                      : s->step.v_start);
}

// 1
static void aim(step *st)
{
    pl__move_objects(st);
    pl__object_contact_prepare(&st->touch);
    if (!st->set->trapezoid)
        pl__momentum_remember(st->s);
}

// 2
static bool solve_first(step *st)
{
    pl__solids *s = st->s;
    pl__copy(s->ctx, s->state.v, s->step.v_start, 3 * s->node_count, &s->awake.numbers);
    pl__pins_script(st, s->step.v_start);
    pl__hold_nodes(st, PL__HOLD_PINS);
    apply_springs(st, true);
    bool sound = pl__damping_solve(st, PL__FIRST_SOLVE);
    if (st->set->object_count > 0)
        pl__object_contact_let_go(&st->touch);
    for_awake_nodes(st, store_change);
    return sound;
}

// 5
static void collide(step *st)
{
    if (st->set->object_count > 0)
        pl__object_contact_collide(&st->touch);
    pl__pins_release(st);
    pl__hold_nodes(st, PL__HOLD_CONTACTS);
}

// Whether dt is far beyond the stability limit of the shape reached, though it was stable at the start: elements of a
// stiffening law that are flung into a stiffer shape gain energy. A step length chosen by the user is kept.
static bool overshoots(const step *st)
{
    for (int32_t i = 0; st->may_shorten && i < st->s->body_count; ++i)
    {
        const pl__body *body = st->s->body[i];
        if (!body->state.asleep &&
            st->dt * sqrt(body->derived.figures.frequency2) > 2 * (body->shell ? PL__SHELL_LEAP : PL__LEAP))
            return true;
    }
    return false;
}

// 7. Directors follow the moments at x before these are overwritten. Plastic flow belongs to the end of a step; it can
// be evaluated here only if no other evaluation is due there.
static progress evaluate(step *st)
{
    pl__solids *s = st->s;
    pl__solids_relax_directors(s);
    for_awake_nodes(st, middle_positions);
    if (st->set->trapezoid)
    {
        s->state.plastic_due = true;
        s->state.plastic_dt = st->dt;
        pl__solids_evaluate(s, s->step.x_end, PL__EVALUATE_PLASTIC_FLOW);
    }
    else
        pl__solids_evaluate(s, s->step.x_middle, 0);
    return overshoots(st) ? OVERSHOT : pl__is_broken(s) ? BROKE : DONE;
}

// 8; v_end is still v~.
static bool solve_second(step *st)
{
    if (st->soft)
        apply_springs(st, false);
    return pl__damping_solve(st, PL__SECOND_SOLVE);
}

// 11. Positions are copied, not swapped: hosts keep the address of x.
static void accept(step *st)
{
    pl__solids *s = st->s;
    if (pl__stages_any(st->set->stages, PL__AFTER_POSITIONS))
        pl__sleepers_stay(s);
    pl__run_stages(st, PL__AFTER_POSITIONS, NULL);
    pl__copy(s->ctx, s->step.x_end, s->state.x, 3 * s->node_count, &s->awake.numbers);
    pl__mark_pressed(s, &st->pairs);
    pl__damping_report_impulses(st);
}

// 12
static void restore_momentum(step *st)
{
    if (!st->set->trapezoid)
        pl__momentum_restore(st->s);
    pl__stay_in_plane(st->s, st->s->state.v);
}

// 1 to 10: one attempt. The state is unchanged unless it succeeds.
static progress try_step(step *st)
{
    pl__solids *s = st->s;
    aim(st);              // 1
    if (!solve_first(st)) // 2
        return BROKE;
    pl__run_stages(st, PL__BEFORE_POSITIONS, s->step.v_end);  // 3
    for_awake_nodes(st, move_nodes);                          // 4
    collide(st);                                              // 5
    pl__run_stages(st, PL__AFTER_COLLISION, s->step.v_start); // 6
    progress how = evaluate(st);                              // 7
    if (how != DONE)
        return how;
    if (!solve_second(st)) // 8
        return BROKE;
    for_awake_nodes(st, new_velocities); // 9
    if (st->set->object_count > 0)       // 10
        pl__object_contact_finish(&st->touch);
    return DONE;
}

// 11 to 13
static void end_step(step *st)
{
    accept(st);                                             // 11
    restore_momentum(st);                                   // 12
    pl__run_stages(st, PL__NEW_VELOCITIES, st->s->state.v); // 13
}

// ---- its length --------------------------------------------------------------------------------------------------

static double longest_step(const pl__solids *s, const pl__step_settings *set)
{
    return set->fixed_step > 0 ? set->fixed_step : set->safety * pl__stability_limit(s, set->wary);
}

double pl__semi_implicit_longest_step(pl__solids *s, const pl__step_settings *set)
{
    pl__follow_pins(s);
    pl__solids_refresh(s, PL__FORCES);
    return longest_step(s, set);
}

static double choose_step(const pl__solids *s, const pl__step_settings *set, double remaining)
{
    return pl__equal_steps(remaining, longest_step(s, set));
}

// Not if the user chose dt, nor if elements have flowed in the attempt (with 2.9 in all bodies they flow at the end of
// it).
static bool may_shorten(const pl__solids *s, const pl__step_settings *set)
{
    return set->fixed_step <= 0 && !(set->trapezoid && pl__anything_flows(s));
}

// Whether the last forces of a step are valid at the start of the next one.
static bool ends_fresh(const step *st)
{
    return pl__all_by_ends(st) && !pl__feels_air(st->s) && (st->set->trapezoid || !pl__anything_flows(st->s));
}

// All allocation happens here, so that no step fails half-way.
static pl_status allocate_step(pl__solids *s, const pl__step_settings *set)
{
    if (pl__damping_matrix_may_help(s))
        PL_TRY(pl__solids_make_matrix(s));
    return pl__solids_begin_step(s, set->arena, set->pairs != NULL, false);
}

// ---- the step --------------------------------------------------------------------------------------------------

static progress take_step(step *st)
{
    pl__solids *s = st->s;
    progress how = try_step(st);
    for (int tries = 1; how == OVERSHOT; ++tries)
    {
        pl__return_objects(st);
        st->dt = fmax(PL__LEAP_SHORTEST * st->dt,
                      choose_step(s, st->set, 0.5 * st->dt)); // by the stiffness of the shape it led to
        pl__set_length(st);
        st->may_shorten = tries < PL__LEAP_TRIES;
        pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT);
        how = try_step(st);
    }
    if (how == DONE)
        end_step(st);
    else
        pl__return_objects(st);
    return how;
}

pl_status pl__semi_implicit_step(pl__solids *s, const pl__step_settings *set, double remaining,
                                 pl__step_outcome *outcome)
{
    *outcome = (pl__step_outcome){0};
    pl__solids_list_awake(s);
    pl__follow_pins(s);
    pl__solids_refresh(s, PL__FORCES);
    double span = fmin(remaining, set->span);
    pl__recovery_update(s, set->material, choose_step(s, set, span));
    if (pl__is_broken(s))
        return pl__report_broken(s, set);
    step st = pl__step_begin(s, set, remaining, choose_step(s, set, span), outcome);
    st.may_shorten = may_shorten(s, set);
    st.touch.trapezoid = set->trapezoid;
    st.touch.projected = set->projected;
    outcome->stable_dt = pl__stability_limit(s, set->wary);
    if (pl__all_asleep(s))
    {
        pl__sleep_through(&st);
        return PL_OK;
    }
    PL_TRY(allocate_step(s, set));
    progress how = take_step(&st);
    bool fresh = how == DONE && ends_fresh(&st);
    pl__solids_end_step(s);
    outcome->dt = st.dt;
    s->evaluation.fresh = fresh ? PL__FORCES : 0;
    if (how == BROKE)
        return pl__report_broken(s, set);
    s->state.plastic_due = !set->trapezoid;
    s->state.plastic_dt = st.dt;
    return PL_OK;
}
