// src/solid/implicit_euler.c -- backward Euler: one linear solve per step, or Newton's method. Unconditionally stable.
//
// One substep:
//
//     1  aim        keyframes give the targets of scripted pins and objects; objects move there
//     2  prepare    pins, soft pins and grabs; initial guess
//     3  solve      v': Newton's method, each iteration a linear solve with contacts inside
//     4  filter     displacements: stages PL__BEFORE_POSITIONS (volume, strain limits; collision last)
//     5  advance    x' = x + dt v', pushed out of objects; pinned nodes go to their targets
//     6  check      energy gained, or pairs too near: again from 1, with half the dt
//     7  accept     x = x', v = v'; stages PL__AFTER_POSITIONS see the motion
//     8  momentum   angular momentum of free bodies is restored (momentum.h); planar bodies stay in their plane
//     9  filter     v': stages PL__NEW_VELOCITIES (collision, with friction between bodies)
//
// Backward Euler, M (v' - v) = dt (f(x') - D v' + M g) with x' = x + dt v', linearised about y = x + dt w:
//
//     (M + dt D + dt^2 K) v' = M (v + dt g) + dt f(y) + dt^2 K w,      K = -df/dx at y, made definite (element/tangent.h).
//
// For corotated linear elasticity, f = R K0 (R^T x - X) with R fixed over the step, K = R K0 R^T (Mueller & Gross
// 2004, section 6: their f_plastic has the wrong sign there, and their R of an inverted element is a reflection; ours
// comes from the signed decomposition). One solve about y = x is their step. It is the default for bodies of
// rotated_linear and linear.
//
// For all other laws it is Newton's method to minimise
//
//     E(v') = 1/2 |v' - v - dt g|_M^2 + psi(x + dt v') + dt/2 v' D v',
//
// with a line search: if E has not decreased, the step is halved, down to 1/64. Since K is definite, E decreases from
// every shape, inverted ones included, as psi is defined there (material/stress.kernel.c); inversion rules without an
// energy skip the line search. Newton starts from w = the velocity of a body's centre of mass, at which the forces are
// those at x, so that the result does not depend on earlier evaluations elsewhere; w = 0 for bodies
// that are held. D is that of the shape of the current linearisation.
//
// Soft pins and grabs are heavier nodes and a push (pin.c, grab.c). Gas adds dt^2 p/V a a^T, a the area vectors of
// nodes, to the matrix as a rank-one product.
//
// Contact with objects: after a solve, nodes that would end inside are constrained to the surface, with friction from
// the reactions, and the solve is repeated from there, until nothing changes or PL__CONTACT_ROUNDS (object_contact.h).
// Pair contacts take part in the same rounds (pair_contact.h), which start with the pairs that touch already. The line
// search includes their impulses p, E - p . v. What remains of a collision, in displacements and in the new
// velocities, is left to the velocity filters (4 and 9). These know nodal masses only, not the stiffness behind them,
// and do not suffice alone: a block of 1 MPa dropped onto another at 1/60 s was crushed to half its height and thrown
// off with a hundred times its energy.
//
// What it does badly: numerical damping. A mode of frequency w loses about dt w/2 of its amplitude per radian. R fixed
// over the step causes a small torque; bodies without contact get back the angular momentum that they lose by it
// (momentum.h).
#include "implicit_euler.h"
#include "coarse_solve.h"
#include "element/tangent.h"
#include "grab.h"
#include "pin.h"
#include "recovery.h"
#include "momentum.h"
#include "tolerances.h"

#include <math.h>

#include <string.h>

enum
{
    NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3
};

// Step in progress.
typedef struct
{
    pl__step st;
    bool gas;                  // some body holds gas
    bool pairs_too_near;       // the violation of some pair exceeds `largest_violation`
    bool energy_gained;        // the attempt gained energy: it failed
    double energy;             // before the step [J]
    bool may_halve_for_energy; // dt may be halved because of energy
    bool first_pairs_found;    // pairs in contact at the start of the step have been found
    bool contacts_changed;     // contacts have changed since E was evaluated: it is not comparable
    bool last_at_end;          // the last evaluation of forces was at the current x_end
    pl__coarse_solve coarse;   // preconditioner of the solves
} euler;

// ---- before the solve ------------------------------------------------------------------------------------------

static void set_impulses(void *argument, int32_t begin, int32_t end)
{
    const euler *e = argument;
    const pl__solids *s = e->st.s;
    double dt = e->st.dt;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
    {
        double gravity = s->mass[k] > 0 ? dt * e->st.set->gravity[k % 3] : 0;
        s->step.diagonal[k] = s->inertia[k] + dt * e->st.set->mass_damping * s->mass[k];
        s->step.impulse[k] = s->mass[k] * (s->step.v_start[k] + gravity + (e->st.soft ? s->push[k] : 0));
    }
}

// Initial guess: bodies fall, held ones keep their velocities, sleeping ones stay. In a long step, letting a held body
// fall would dominate the initial residual, which the tolerance of the solve is relative to.
static void make_initial_guess(const euler *e)
{
    pl__solids *s = e->st.s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        size_t first = 3 * (size_t)body->first_node, last = first + 3 * (size_t)body->node_count;
        double fall = pl__body_is_held(body) ? 0 : e->st.dt;
        for (size_t k = first; k < last; ++k)
            s->step.v_end[k] =
                body->state.asleep ? 0 : s->step.v_start[k] + (s->mass[k] > 0 ? fall * e->st.set->gravity[k % 3] : 0);
    }
    pl__pins_script(&e->st, s->step.v_end);
    pl__stay_in_plane(s, s->step.v_end);
}

// Velocity of a body's centre of mass at the end of the step if nothing held it.
static void center_velocity(const euler *e, const pl__body *body, double velocity[3])
{
    const pl__solids *s = e->st.s;
    double sum[3] = {0, 0, 0}, mass = 0;
    for (size_t k = 3 * (size_t)body->first_node; k < 3 * (size_t)(body->first_node + body->node_count); k += 3)
    {
        mass += s->step.diagonal[k];
        for (size_t i = 0; i < 3; ++i)
            sum[i] += s->step.impulse[k + i];
    }
    for (int i = 0; i < 3; ++i)
        velocity[i] = mass > 0 ? sum[i] / mass : 0;
}

// w: that of the centre of mass, or 0 for bodies that are pinned or asleep.
static void choose_linearisation_point(const euler *e)
{
    const pl__solids *s = e->st.s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        double velocity[3] = {0, 0, 0};
        if (!pl__body_is_held(body) && !body->state.asleep)
            center_velocity(e, body, velocity);
        for (size_t k = 0; k < 3 * (size_t)body->node_count; ++k)
            s->step.v_from[3 * (size_t)body->first_node + k] =
                s->mass[3 * (size_t)body->first_node + k] > 0 ? velocity[k % 3] : 0;
    }
}

// Whether a pin moves other than w: then E(w) is not known.
static bool pins_move(const euler *e)
{
    const pl__solids *s = e->st.s;
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t k = 0; k < s->body[i]->pins.count; ++k)
        {
            size_t at = 3 * (size_t)(s->body[i]->first_node + s->body[i]->pins.pin[k].node);
            if (memcmp(&s->step.v_start[at], &s->step.v_from[at], 3 * sizeof(double)) != 0)
                return true;
        }
    return false;
}

// Apply springs: soft pins, then grabs, which may hold the same nodes.
static void apply_springs(const euler *e)
{
    pl__solids *s = e->st.s;
    const pl__step_settings *set = e->st.set;
    pl__grabs_reset(s, set->grab, set->grab_count);
    for (int32_t i = 0; i < s->body_count; ++i)
        pl__pins_soften_whole(s, s->body[i], e->st.dt);
    for (int32_t g = 0; g < set->grab_count; ++g)
        if (set->grab[g].id)
            pl__grab_soften_whole(s, &set->grab[g], e->st.dt);
}

static void prepare(euler *e)
{
    pl__solids *s = e->st.s;
    pl__copy(s->ctx, s->state.v, s->step.v_start, 3 * s->node_count, NULL);
    pl__pins_script(&e->st, s->step.v_start);
    apply_springs(e);
    memset(s->contacts.count, 0, (size_t)s->node_count);
    memset(s->contacts.footing, 0, (size_t)s->node_count);
    pl__parallel_for(s->ctx, s->node_count, NODES_PER_CHUNK, set_impulses, e);
    make_initial_guess(e);
    pl__hold_nodes(&e->st, PL__HOLD_PINS);
    choose_linearisation_point(e);
}

// ---- the linear system -----------------------------------------------------------------------------------------

// out += dt^2 p/V a (a . in), body by body; returns the contribution to in . out.
static double add_gas_stiffness(const euler *e, const double *in, double *out)
{
    const pl__solids *s = e->st.s;
    const double *a = s->step.volume_gradient;
    double sum = 0;
    for (int32_t i = 0; e->gas && i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        double stiffness = e->st.dt * e->st.dt * body->derived.gas_stiffness, volume_change = 0;
        size_t first = 3 * (size_t)body->first_node, last = first + 3 * (size_t)body->node_count;
        if (body->state.asleep || !body->air.gas || !body->air.acts || stiffness <= 0)
            continue;
        for (size_t k = first; k < last; ++k)
            volume_change += a[k] * in[k];
        for (size_t k = first; k < last; ++k)
            out[k] += stiffness * volume_change * a[k];
        sum += stiffness * volume_change * volume_change;
    }
    return sum;
}

static double multiply(const euler *e, const double *in, double *out)
{
    pl__solids *s = e->st.s;
    return pl__block_matrix_multiply(s->ctx, s->matrix, in, out, s->step.cg.partial) + add_gas_stiffness(e, in, out);
}

static double add_drag(const euler *e, const double *in, double *out)
{
    return e->st.set->object_count > 0 ? pl__object_contact_drag(&e->st.touch, &e->st.constraints, in, out) : 0;
}

static double apply_exactly(void *user, const double *in, double *out)
{
    const euler *e = user;
    double product = multiply(e, in, out);
    return product + add_drag(e, in, out) + pl__pair_contact_multiply(&e->st.pairs, in, out);
}

static double apply(void *user, const double *in, double *out)
{
    const euler *e = user;
    pl__solids *s = e->st.s;
    double product =
        pl__block_matrix_multiply_rough(s->ctx, s->matrix, in, out, s->step.cg.partial) + add_gas_stiffness(e, in, out);
    return product + add_drag(e, in, out) + pl__pair_contact_multiply(&e->st.pairs, in, out);
}

// What of the system is not in its matrix; gas is left to conjugate gradients, as a single direction.
static double add_contacts(void *user, const double *in, double *out)
{
    const euler *e = user;
    return add_drag(e, in, out) + pl__pair_contact_multiply(&e->st.pairs, in, out);
}

static void pair_term(void *user, int32_t i, pl__multigrid_pair *term)
{
    const euler *e = user;
    pl__pair_contact_term(&e->st.pairs, i, term);
}

// Matrix and right-hand side about y, where forces have just been evaluated; `moved`: y is not a translation of x.
static void linearise(euler *e, const double *y, bool moved)
{
    pl__solids *s = e->st.s;
    double dt = e->st.dt;
    int32_t count = 3 * s->node_count;
    pl__solids_assemble(s, y, dt * dt, dt, s->step.diagonal);
    e->gas = pl__solids_find_volume_gradient(s, y);
    e->coarse.system.x = y;
    e->coarse.stale = true;
    if (e->st.set->pairs)
    {
        memcpy(s->step.pairless_block, s->step.block, 6 * (size_t)s->node_count * sizeof *s->step.block);
        pl__pair_contact_stiffen(&e->st.pairs, s->step.block, true);
    }
    pl__copy(s->ctx, s->step.impulse, s->step.rhs, count, NULL);
    pl__axpby(s->ctx, dt, s->evaluation.force, 1, s->step.rhs, count, NULL);
    if (!moved)
        return;
    // dt^2 K w = (A - inertia - dt D) w
    const double *w = s->step.v_from;
    (void)multiply(e, w, s->step.cg.q);
    pl__axpby(s->ctx, 1, s->step.cg.q, 1, s->step.rhs, count, NULL);
    if (s->evaluation.damped)
    {
        (void)pl__solids_apply_damping(s, 0, dt, w, s->step.cg.q);
        pl__axpby(s->ctx, -1, s->step.cg.q, 1, s->step.rhs, count, NULL);
    }
    for (int32_t k = 0; k < count; ++k)
        s->step.rhs[k] -= s->step.diagonal[k] * w[k];
}

// ---- the solve with contacts -----------------------------------------------------------------------------------

static void mark_pins(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t k = 0; k < s->body[i]->pins.count; ++k)
            s->contacts.footing[s->body[i]->first_node + s->body[i]->pins.pin[k].node] = PL__PINNED;
}

// Factor on the mass for a common velocity: mass-proportional damping.
static double momentum_weight(const euler *e) { return 1 + e->st.dt * e->st.set->mass_damping; }

// Update contacts with objects after a solve. True if they changed; constraints are then up to date.
static bool update_object_contacts(euler *e)
{
    if (e->st.set->object_count == 0)
        return false;
    pl__restore_reactions(&e->st, momentum_weight(e));
    bool changed = pl__object_contact_friction(&e->st.touch);
    mark_pins(e->st.s);
    changed |= pl__object_contact_meet(&e->st.touch);
    pl__hold_nodes(&e->st, PL__HOLD_CONTACTS);
    e->contacts_changed |= changed;
    e->coarse.stale |= changed;
    return changed;
}

// Add the pairs that v_end brings too near.
static bool find_pairs(euler *e, bool begin)
{
    pl__solids *s = e->st.s;
    if (!e->st.set->pairs ||
        !e->st.set->pairs->find(e->st.set->pairs->user, s->state.x, e->st.dt, s->step.v_end, begin, &e->st.pairs))
        return false;
    pl__pair_contact_stiffen(&e->st.pairs, s->step.pairless_block, false);
    return true;
}

// Right-hand side with the terms of pairs; adds their blocks to the preconditioner.
static const double *load_pairs(const euler *e)
{
    pl__solids *s = e->st.s;
    if (e->st.pairs.count == 0)
        return s->step.rhs;
    pl__pair_contact_precondition(&e->st.pairs, s->step.pairless_block, s->step.block);
    pl__copy(s->ctx, s->step.v_end, s->step.v_last, 3 * s->node_count, NULL);
    pl__copy(s->ctx, s->step.rhs, s->step.direction, 3 * s->node_count, NULL);
    pl__pair_contact_add_rhs(&e->st.pairs, s->step.direction);
    return s->step.direction;
}

// Exact line search from v_last to v_end; true if the full step is taken.
static bool line_search_pairs(const euler *e)
{
    pl__solids *s = e->st.s;
    const pl__step_scratch *m = &s->step;
    int32_t count = 3 * s->node_count;
    if (e->st.pairs.count == 0 || pl__pair_contact_stays(&e->st.pairs, s->step.v_end))
        return true;
    euler free = *e;
    free.st.pairs.count = 0;
    pl__copy(s->ctx, s->step.v_end, m->direction, count, NULL);
    pl__axpby(s->ctx, -1, m->v_last, 1, m->direction, count, NULL);
    (void)apply_exactly(&free, m->v_last, s->step.cg.q);
    pl__axpby(s->ctx, -1, s->step.rhs, 1, s->step.cg.q, count, NULL);
    double slope = pl__dot(s->ctx, s->step.cg.q, m->direction, count, NULL, s->step.cg.partial);
    double share = pl__pair_contact_search(&e->st.pairs, m->v_last, m->direction, slope,
                                           apply_exactly(&free, m->direction, s->step.cg.q));
    pl__copy(s->ctx, m->v_last, s->step.v_end, count, NULL);
    pl__axpby(s->ctx, share, m->direction, 1, s->step.v_end, count, NULL);
    return share == 1;
}

// Update pair contacts after a solve. True if the solve has to be repeated.
static bool update_pairs(euler *e, bool frozen)
{
    bool arrived = line_search_pairs(e),
         changed = pl__pair_contact_update(&e->st.pairs, e->st.s->step.v_end, arrived, frozen);
    e->coarse.stale |= changed;
    return find_pairs(e, false) || changed;
}

// Add the friction impulses stored at the nodes.
static void add_friction(const pl__solids *s, double share, double *to)
{
    for (int32_t n = 0; s->contacts.node && n < s->node_count; ++n)
        for (size_t i = 0; s->contacts.count[n] == 1 && i < 3; ++i)
            to[3 * (size_t)n + i] += share * s->contacts.node[n].impulse[i];
}

static double smallest_residual(const pl__solids *s)
{
    double mass = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
        mass += s->body[i]->total_mass;
    return PL__SPEED_FLOOR * sqrt(mass);
}

// Pairs in contact at the start of a step take part in its first solve, which would be wasted without them.
static bool find_first_pairs(euler *e)
{
    bool first = !e->first_pairs_found;
    e->first_pairs_found = true;
    return first && find_pairs(e, true);
}

// Initial residual without pairs: the tolerance of solves with pairs is relative to it.
static double residual_without_pairs(euler *e, const pl__cg_system *system)
{
    pl__solids *s = e->st.s;
    pl__cg_limits none = {.tolerance = 1};
    int32_t count = e->st.pairs.count;
    e->st.pairs.count = 0;
    pl__cg_info info = pl__cg_solve(s->ctx, system, &none, s->step.rhs, s->step.v_end, &s->step.cg);
    e->st.pairs.count = count;
    return info.first_residual;
}

static double inertial_energy(void *argument, int32_t begin, int32_t end)
{
    const euler *e = argument;
    const pl__solids *s = e->st.s;
    double sum = 0;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
    {
        double off = s->step.diagonal[k] > 0 ? s->step.v_end[k] - s->step.impulse[k] / s->step.diagonal[k] : 0;
        sum += 0.5 * s->step.diagonal[k] * off * off;
    }
    return sum;
}

// Mass norm of the velocity change by forces and contacts in the step: the scale for residuals. The initial residual
// of a solve with pairs is dominated by their penalties, beside which the weight of a body is negligible.
static double velocity_change_norm(const euler *e)
{
    pl__solids *s = e->st.s;
    return sqrt(
        2 * pl__parallel_sum(s->ctx, s->node_count, NODES_PER_CHUNK, inertial_energy, (void *)e, s->step.cg.partial));
}

// With the preconditioner that costs least.
static pl__cg_info solve_by_cost(euler *e, const pl__cg_system *system, const pl__cg_limits *limits)
{
    const pl__solids *s = e->st.s;
    const double *b = load_pairs(e);
    e->coarse.ctx = s->ctx;
    e->coarse.multigrid = s->multigrid;
    e->coarse.system.matrix = s->matrix;
    e->coarse.system.block = s->step.block;
    e->coarse.system.constraints = &e->st.constraints;
    e->coarse.system.add = e->st.pairs.count > 0 || e->st.set->object_count > 0 ? add_contacts : NULL;
    e->coarse.system.pair = pair_term;
    e->coarse.system.pair_count = e->st.pairs.count;
    e->coarse.system.user = e;
    return pl__coarse_solve_run(&e->coarse, system, limits, b, s->step.v_end, &s->step.cg);
}

// Rounds of contact. Pairs get four times as many with friction, and twice as many more with friction frozen. While
// the active set changes, solves are rough; once it is settled, the last rough solve is repeated accurately. Update
// object contacts only after an accurate solve: the penalty error of a rough one swamps reactions. Friction needs the
// full tolerance of the settings, also within Newton's method: at ten times that, blocks creep down slopes that are a
// hundredth too flat.
static pl__cg_info solve_in_rounds(euler *e, const pl__cg_system *system, pl__cg_limits limits, int rounds)
{
    double tolerance = limits.tolerance, least = limits.floor;
    bool exact = false, friction_seen = false;
    for (int round = 0, object_updates = 0;; ++round)
    {
        bool pairs = e->st.pairs.count > 0;
        if (pairs)
            limits.tolerance = exact ? 0 : PL__SOLVE_ROUGHLY;
        pl__cg_info info = solve_by_cost(e, system, &limits);
        e->st.outcome->iterations += info.iterations;
        if (info.stop == PL__STOP_NOT_FINITE)
            return info;
        limits.floor = pairs ? fmax(least, PL__SOLVE_WITH_PAIRS * tolerance * velocity_change_norm(e))
                             : fmax(limits.floor, limits.tolerance * info.first_residual);
        limits.tolerance = 0;
        bool rough = pairs && !exact && info.residual > limits.floor,
             again = update_pairs(e, round >= PL__ROUNDS_WITH_FRICTION * rounds);
        if (!rough && object_updates++ < rounds)
            again |= update_object_contacts(e);
        if (!friction_seen && e->st.outcome->contacts > 0)
        {
            friction_seen = true;
            limits.floor = fmax(least, fmin(limits.floor, e->st.set->cg.tolerance * info.first_residual));
        }
        exact = !again && rough;
        if ((!again && !rough) || round >= (e->st.pairs.count > 0 ? PL__ROUNDS_WITH_PAIRS * rounds : rounds))
            return info;
    }
}

// Solve for v_end in place, with so many rounds of contact. Within Newton's method a tenth of its tolerance is
// accurate enough. False if a value is not finite.
static bool solve(euler *e, bool newton, int rounds)
{
    pl__solids *s = e->st.s;
    pl__cg_system system = {.count = 3 * s->node_count,
                            .inverse_mass = s->inverse_inertia,
                            .block = s->step.block,
                            .apply = s->matrix->rough ? apply : apply_exactly,
                            .user = e,
                            .constraints = &e->st.constraints,
                            .exact = apply_exactly};
    pl__cg_limits limits = e->st.set->cg;
    limits.floor = smallest_residual(s);
    if (newton)
        limits.tolerance = fmax(limits.tolerance, PL__SOLVE_IN_NEWTON * e->st.set->newton_tolerance);
    if (find_first_pairs(e))
        limits.floor = fmax(limits.floor, limits.tolerance * residual_without_pairs(e, &system));
    pl__cg_info info = solve_in_rounds(e, &system, limits, rounds);
    if (info.stop != PL__STOP_NOT_FINITE && e->st.set->object_count > 0 && pl__object_contact_yield(&e->st.touch))
    {
        pl__hold_nodes(&e->st, PL__HOLD_CONTACTS);
        limits.tolerance = PL__SOLVE_AFTER_YIELD * limits.tolerance; // the initial guess is close
        info = solve_by_cost(e, &system, &limits);
        e->st.outcome->iterations += info.iterations;
        pl__restore_reactions(&e->st, momentum_weight(e));
    }
    pl__pair_contact_add_impulses(&e->st.pairs, 1, s->step.rhs);
    pl__restore_momentum(&e->st, momentum_weight(e));
    e->st.outcome->unconverged += info.stop == PL__STOP_ITERATIONS;
    return info.stop != PL__STOP_NOT_FINITE;
}

// ---- Newton's method -------------------------------------------------------------------------------------------

// E at v_end without damping; forces have been evaluated at `y`. NaN if the material has no energy.
static double objective(const euler *e, const double *y)
{
    pl__solids *s = e->st.s;
    double sum =
        pl__parallel_sum(s->ctx, s->node_count, NODES_PER_CHUNK, inertial_energy, (void *)e, s->step.cg.partial);
    for (int32_t i = 0; i < s->body_count; ++i)
        sum += s->body[i]->derived.figures.elastic;
    return sum + pl__solids_pressure_energy(s, y);
}

static void set_end_positions(void *argument, int32_t begin, int32_t end)
{
    const euler *e = argument;
    pl__solids *s = e->st.s;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->step.x_end[k] = s->state.x[k] + e->st.dt * s->step.v_end[k];
}

static void move_to_end(euler *e)
{
    pl__solids *s = e->st.s;
    pl__parallel_for(s->ctx, s->node_count, NODES_PER_CHUNK, set_end_positions, e);
    e->last_at_end = false;
}

// dt/2 v D v along v = w + share way, with the frames of the last evaluation: [0] + [1] share + [2] share^2. Includes
// the power of pair impulses.
static void damping_along(const euler *e, double along[3])
{
    pl__solids *s = e->st.s;
    const pl__step_scratch *m = &s->step;
    int32_t count = 3 * s->node_count;
    along[0] = along[1] = along[2] = 0;
    pl__copy(s->ctx, s->step.v_end, m->direction, count, NULL);
    pl__axpby(s->ctx, -1, m->v_from, 1, m->direction, count, NULL);
    along[1] = -pl__pair_contact_power(&e->st.pairs, m->direction);
    if (!s->evaluation.damped)
        return;
    along[0] = 0.5 * pl__solids_apply_damping(s, 0, e->st.dt, m->v_from, s->step.cg.q);
    along[1] += pl__dot(s->ctx, s->step.cg.q, m->direction, count, NULL, s->step.cg.partial);
    along[2] = 0.5 * pl__solids_apply_damping(s, 0, e->st.dt, m->direction, s->step.cg.q);
}

static void take_part_of_step(const euler *e, double share)
{
    pl__solids *s = e->st.s;
    pl__copy(s->ctx, s->step.v_from, s->step.v_end, 3 * s->node_count, NULL);
    pl__axpby(s->ctx, share, s->step.direction, 1, s->step.v_end, 3 * s->node_count, NULL);
}

// Line search from w towards v_end; forces are valid at the end of it. `before` is E(w) without damping, NaN if not
// known.
static bool line_search(euler *e, double *before)
{
    pl__solids *s = e->st.s;
    double along[3], now = 0, share = 1;
    if (e->contacts_changed)
        *before = NAN;
    e->contacts_changed = false;
    damping_along(e, along);
    for (int halving = 0;; ++halving, share *= 0.5)
    {
        if (halving > 0)
            take_part_of_step(e, share);
        move_to_end(e);
        pl__solids_evaluate(s, s->step.x_end, PL__EVALUATE_ENERGIES);
        e->last_at_end = true;
        if (pl__is_broken(s) && halving == PL__SEARCH_HALVINGS)
            return false;
        now = objective(e, s->step.x_end);
        double rise = now + share * (along[1] + share * along[2]) - *before;
        if (!pl__is_broken(s) && !(rise > PL__ENERGY_RISE * fabs(*before)))
            break;
        if (halving == PL__SEARCH_HALVINGS)
            break;
    }
    *before = now;
    return true;
}

// Norm of the nonlinear residual at v_end, in the mass metric; forces are those at its end.
static double residual_norm(const euler *e)
{
    pl__solids *s = e->st.s;
    int32_t count = 3 * s->node_count;
    double *r = s->step.cg.q, sum = 0;
    if (s->evaluation.damped)
        (void)pl__solids_apply_damping(s, 0, e->st.dt, s->step.v_end, r);
    for (int32_t k = 0; k < count; ++k)
        r[k] = (s->evaluation.damped ? r[k] : 0) + s->step.diagonal[k] * s->step.v_end[k] - s->step.impulse[k] -
               e->st.dt * s->evaluation.force[k];
    add_friction(s, -1, r);
    pl__pair_contact_add_impulses(&e->st.pairs, -1, r);
    (void)add_drag(e, s->step.v_end, r);
    pl__constraints_project(&e->st.constraints, r);
    for (int32_t k = 0; k < count; ++k)
        sum += r[k] * r[k] * s->inverse_mass[k];
    return sqrt(sum);
}

static bool all_warped(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
        {
            const pl__element_group *group = &s->body[i]->group[g];
            bool skin = group->kind == PL__SURFACE_LOAD && !s->body[i]->air.gas;
            if (!s->body[i]->state.asleep && !skin &&
                !((group->kind == PL__TET || group->kind == PL__HEX) && pl__is_warped(&group->law) && !group->fiber))
                return false;
        }
    return true;
}

// Forces at x must be valid.
static bool newton_iterations(euler *e)
{
    pl__solids *s = e->st.s;
    int32_t most = e->st.set->newton > 0 ? e->st.set->newton : all_warped(s) ? 1 : PL__NEWTON_MOST;
    double before = NAN, first = 0;
    if (most > 1)
    {
        // E and the residual at w, from the same formulas
        pl__copy(s->ctx, s->step.v_end, s->step.direction, 3 * s->node_count, NULL);
        pl__copy(s->ctx, s->step.v_from, s->step.v_end, 3 * s->node_count, NULL);
        before = pins_move(e) ? NAN : objective(e, s->state.x);
        first = residual_norm(e);
        pl__copy(s->ctx, s->step.direction, s->step.v_end, 3 * s->node_count, NULL);
    }
    for (int32_t k = 0; k < most; ++k)
    {
        linearise(e, k > 0 ? s->step.x_end : s->state.x, k > 0);
        for (int round = 0; k == 0 && round < PL__DIRECTOR_ROUNDS; ++round)
            pl__solids_relax_directors(s);
        add_friction(s, 1, s->step.rhs);
        if (!solve(e, most > 1, k < PL__NEWTON_EARLY ? PL__CONTACT_ROUNDS : PL__CONTACT_ROUNDS_LATER))
            return false;
        if (most == 1)
            break;
        if (!line_search(e, &before))
            return false;
        if (residual_norm(e) <= e->st.set->newton_tolerance * fmax(first, velocity_change_norm(e)))
            break;
        pl__copy(s->ctx, s->step.v_end, s->step.v_from, 3 * s->node_count, NULL);
    }
    return true;
}

// ---- the step --------------------------------------------------------------------------------------------------

// Filter the displacements against collision; velocities are kept and filtered at the end of the step.
static void filter_displacements(euler *e)
{
    pl__solids *s = e->st.s;
    double *displacement = s->step.direction;
    pl__copy(s->ctx, s->step.v_end, displacement, 3 * s->node_count, NULL);
    pl__run_stages(&e->st, PL__BEFORE_POSITIONS, displacement);
    pl__copy(s->ctx, s->state.x, s->step.x_end, 3 * s->node_count, NULL);
    pl__axpby(s->ctx, e->st.dt, displacement, 1, s->step.x_end, 3 * s->node_count, NULL);
    e->last_at_end = false;
}

// Velocities and positions after object contact and pins.
static void finish_positions(euler *e)
{
    bool touched = e->st.outcome->contacts > 0;
    if (touched)
        pl__object_contact_leave(&e->st.touch);
    if (pl__stages_any(e->st.set->stages, PL__BEFORE_POSITIONS))
        filter_displacements(e);
    else if (touched || !e->last_at_end)
        move_to_end(e);
    if (e->st.set->object_count > 0)
        pl__object_contact_push_out(&e->st.touch);
    pl__pins_release(&e->st);
}

static double sum_speeds(void *argument, int32_t begin, int32_t end)
{
    const pl__solids *s = argument;
    double size = 0;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        size += fabs(s->step.v_end[k]);
    return size;
}

static bool is_finite_end(pl__solids *s)
{
    return pl__parallel_sum(s->ctx, s->node_count, NODES_PER_CHUNK, sum_speeds, s, s->step.cg.partial) < PL__SUM_MOST;
}

// ---- safeguard ---------------------------------------------------------------------------------------------------
//
// The rounds of pair contact need not converge: between bodies that are stiff for the length of a step (two cubes of
// wood, at 1/60 s) Newton's method, which cannot use its line search while contacts change, has ended at 1e34 m/s.
// Backward Euler never gains energy, so failure is easy to detect.

static double energy_at(const pl__solids *s, const double *v)
{
    double sum = 0;
    for (size_t k = 0; k < 3 * (size_t)s->node_count; ++k)
        sum += 0.5 * s->mass[k] * v[k] * v[k];
    for (int32_t i = 0; i < s->body_count; ++i)
        sum += s->body[i]->derived.figures.elastic;
    return sum;
}

// Whether unknown external work is done: by grabs, moving pins and objects, gas, muscles.
static bool is_driven(const euler *e)
{
    const pl__step_settings *set = e->st.set;
    bool driven = e->st.soft || e->gas || pins_move(e);
    for (int32_t k = 0; k < set->object_count; ++k)
        driven |= set->object[k].actor ||
                  memcmp(set->object[k].at, set->object[k].before, sizeof set->object[k].at) != 0 ||
                  memcmp(&set->object[k].turned, &set->object[k].turned_before, sizeof set->object[k].turned) != 0;
    for (int32_t k = 0; k < set->grab_count; ++k)
        driven |= set->grab[k].id != 0;
    for (int32_t i = 0; i < e->st.s->body_count; ++i)
        for (int32_t g = 0; g < e->st.s->body[i]->group_count; ++g)
            driven |= e->st.s->body[i]->group[g].fiber != NULL;
    return driven;
}

// Largest acceptable energy: a quarter more than before, plus the work of gravity; unlimited if other work is done.
static double energy_limit(const euler *e)
{
    const pl__solids *s = e->st.s;
    double fall = 0, mass = 0, g2 = 0;
    for (size_t k = 0; k < 3 * (size_t)s->node_count; ++k)
    {
        fall += s->mass[k] * e->st.dt * e->st.set->gravity[k % 3] * s->step.v_end[k];
        mass += s->mass[k] / 3;
    }
    for (int i = 0; i < 3; ++i)
        g2 += e->st.set->gravity[i] * e->st.set->gravity[i];
    return is_driven(e) ? INFINITY : PL__ENERGY_GAIN * e->energy + fmax(0, fall) + mass * e->st.dt * e->st.dt * g2;
}

static bool has_gained_energy(const euler *e)
{
    pl__solids *s = e->st.s;
    pl__solids_evaluate(s, s->step.x_end, PL__EVALUATE_ENERGIES);
    return pl__is_broken(s) || !(energy_at(s, s->step.v_end) <= energy_limit(e));
}

// Last resort: keep all velocities for this short step, and let the velocity filters keep surfaces apart.
static void keep_velocities(euler *e)
{
    pl__solids *s = e->st.s;
    for (int32_t k = 0; k < e->st.set->object_count; ++k)
        pl__object_move(&e->st.set->object[k], e->st.dt);
    prepare(e);
    pl__copy(s->ctx, s->step.v_start, s->step.v_end, 3 * s->node_count, NULL);
    memset(s->contacts.count, 0, (size_t)s->node_count);
    memset(s->contacts.footing, 0, (size_t)s->node_count);
    e->st.outcome->contacts = e->st.pairs.count = 0;
    e->last_at_end = false;
    finish_positions(e);
}

// 1 to 6: one attempt. The state is unchanged unless it succeeds.
static bool try_step(euler *e)
{
    pl__step *st = &e->st;
    pl__move_objects(st); // 1
    pl__object_contact_prepare(&st->touch);
    pl__momentum_remember(st->s);
    e->energy = energy_at(st->s, st->s->state.v);
    prepare(e);                                                                               // 2
    bool sound = newton_iterations(e) && is_finite_end(st->s), pressed = st->pairs.count > 0; // 3
    e->pairs_too_near = sound && pl__pair_contact_deepest(&e->st.pairs, st->s->step.v_end) > PL__PAIR_DEEPEST;
    bool shorter = e->pairs_too_near && st->may_shorten;
    if (sound && !shorter)
        finish_positions(e);                                                      // 4, 5
    e->energy_gained = pressed && (!sound || (!shorter && has_gained_energy(e))); // 6
    if (shorter || e->energy_gained || !sound)
        pl__return_objects(st);
    return sound || e->energy_gained;
}

// Halve the step if pairs are still too near after all rounds, as in fast impacts, or if energy was gained.
static bool take_step(euler *e)
{
    e->may_halve_for_energy = true;
    euler fresh = *e;
    for (int halving = 0; try_step(e); ++halving)
    {
        bool shorter = (e->pairs_too_near && e->st.may_shorten) || e->energy_gained;
        if (shorter && !e->st.may_shorten && !e->may_halve_for_energy)
            keep_velocities(e);
        if (!shorter || (!e->st.may_shorten && !e->may_halve_for_energy))
            return true;
        double half = 0.5 * e->st.dt;
        *e = fresh;
        e->st.dt = half;
        pl__set_length(&e->st);
        e->st.may_shorten &= halving + 1 < PL__PAIR_HALVINGS;
        e->may_halve_for_energy = halving + 1 < PL__ENERGY_HALVINGS;
        pl__solids_evaluate(e->st.s, e->st.s->state.x, PL__EVALUATE_PRESENT | PL__EVALUATE_ENERGIES);
    }
    return false;
}

double pl__implicit_euler_longest_step(const pl__step_settings *set)
{
    return set->fixed_step > 0 ? set->fixed_step : PL__IMPLICIT_LONGEST_STEP;
}

// 7 to 9. Positions are copied, not swapped: hosts keep the address of x.
static void end_step(euler *e)
{
    pl__solids *s = e->st.s;
    pl__sleepers_stay(s);
    pl__run_stages(&e->st, PL__AFTER_POSITIONS, NULL); // 7
    pl__copy(s->ctx, s->step.x_end, s->state.x, 3 * s->node_count, NULL);
    pl__copy(s->ctx, s->step.v_end, s->state.v, 3 * s->node_count, NULL);
    pl__mark_pressed(s, &e->st.pairs);
    e->st.outcome->friction_work = pl__pair_contact_friction_work(&e->st.pairs, s->step.v_start, s->state.v);
    pl__momentum_restore(s); // 8
    pl__stay_in_plane(s, s->state.v);
    pl__run_stages(&e->st, PL__NEW_VELOCITIES, s->state.v); // 9
}

pl_status pl__implicit_euler_step(pl__solids *s, const pl__step_settings *set, double remaining,
                                  pl__step_outcome *outcome)
{
    *outcome = (pl__step_outcome){.stable_dt = INFINITY};
    PL_TRY(pl__solids_make_matrix(s));
    pl__solids_wake_lists(s);
    pl__follow_pins(s);
    pl__solids_refresh(s, PL__FORCES | PL__ENERGIES | PL__FRAMES);
    double dt = pl__equal_steps(fmin(remaining, set->span), pl__implicit_euler_longest_step(set));
    pl__recovery_update(s, set->material, dt);
    if (pl__is_broken(s))
        return pl__report_broken(s, set);
    euler e = {.st = pl__step_begin(s, set, remaining, dt, outcome)};
    e.st.may_shorten = set->fixed_step <= 0;
    e.st.touch.trapezoid = e.st.touch.whole = true;
    if (pl__all_asleep(s))
    {
        pl__sleep_through(&e.st);
        return PL_OK;
    }
    PL_TRY(pl__solids_begin_step(s, set->arena, true, true));
    e.st.pairs.v_start = s->step.v_start;
    bool done = take_step(&e);
    if (done)
        end_step(&e);
    pl__solids_end_step(s);
    s->evaluation.fresh = 0;
    if (!done)
        return pl__report_broken(s, set);
    s->state.plastic_due = true;
    return PL_OK;
}
