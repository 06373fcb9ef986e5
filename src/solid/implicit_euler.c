// src/solid/implicit_euler.c -- backward Euler as one minimisation: inertia, elasticity, damping, contact, friction.
//
// One substep:
//
//     1  aim        keyframes give the targets of scripted pins and objects; objects move there
//     2  prepare    pins, soft pins and grabs; initial guess; contact forces of the last step
//     3  solve      v': Newton's method on everything below, contact rows among it
//     4  check      pairs too near: again from 1, with half the dt
//     5  filter     displacements: stages PL__BEFORE_POSITIONS (volume, strain limits; collision last)
//     6  advance    x' = x + dt v', pushed out of objects; pinned nodes go to their targets
//     7  accept     x = x', v = v'; stages PL__AFTER_POSITIONS see the motion
//     8  momentum   angular momentum of free bodies is restored (momentum.h); planar bodies stay in their plane
//     9  filter     v': stages PL__NEW_VELOCITIES (collision, with friction between bodies)
//
// Backward Euler, M (v' - v) = dt (f(x') - D v' + M g) + contact impulses with x' = x + dt v', is the minimum of
//
//     E(v') = 1/2 |v' - v - dt g|_M^2 + psi(x + dt v') + dt/2 v' D v' + sum phi_i(v'),
//
// phi_i the terms of the contact rows (contact_rows.h): surfaces against surfaces and nodes against objects, with
// friction. One iteration goes from w, where G is the gradient of E without contact, A = M + dt D + dt^2 K its second
// derivative with K made definite (element/tangent.h), p and C impulses and second derivatives of the rows at u:
//
//     (A + W^T C W) (v - w) = -G + W^T p + W^T C W (u - w)            u = w, but for the first guess of a step
//
// by conjugate gradients, whose residual at the guess tells whether there is anything left to do; then a line search
// along v - w: E falls in every iteration. After it rows that v brings too near are added, and multipliers updated.
// A row is a piece of E like an element is: there are no rounds of contact besides Newton's method.
//
// Bodies of rotated_linear and linear take one linearisation about x for the whole step, f = R K0 (R^T x - X) with R
// fixed (Mueller & Gross 2004, section 6: their f_plastic has the wrong sign there, and their R of an inverted element
// is a reflection; ours comes from the signed decomposition). E is then a quadratic plus the rows, A stays, and without
// contact one solve is their step. For all other laws A and G are those of each w. Since K is definite, E falls from
// every shape, inverted ones included; inversion rules without an energy skip that part of the line search.
//
// The first w is the velocity of each body's centre of mass, contact forces of the last step included, at which
// elastic forces are those at x; 0 for bodies that are held. The first guess keeps the velocities relative to it.
//
// Soft pins and grabs are heavier nodes and a push (pin.c, grab.c). Gas adds dt^2 p/V a a^T, a the area vectors of
// nodes, to the matrix as a rank-one product.
//
// What it does badly: numerical damping. A mode of frequency w loses about dt w/2 of its amplitude per radian. R fixed
// over the step causes a small torque; bodies without contact get back the angular momentum that they lose by it
// (momentum.h). What remains of a collision, in displacements and in the new velocities, is left to the velocity
// filters (5 and 9), which know nodal masses only; with rows at their tolerance they find next to nothing.
#include "implicit_euler.h"
#include "coarse_solve.h"
#include "contact_rows.h"
#include "element/tangent.h"
#include "grab.h"
#include "momentum.h"
#include "pin.h"
#include "recovery.h"
#include "rigid_space.h"
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
    pl__contact_rows rows;
    pl__rigid_space rigid;
    bool nonlinear;          // A and G follow the shape; else they are those at x
    bool gas;                // some body holds gas
    bool pairs_too_near;     // the violation of some pair exceeds `largest_violation`
    bool last_at_end;        // the last evaluation of forces was at the current x_end
    pl__coarse_solve coarse; // preconditioner of the solves
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

// Velocity of a body's centre of mass at the end of the step, if contact forces are those of the last one.
static void center_velocity(const euler *e, const pl__body *body, double velocity[3])
{
    const pl__solids *s = e->st.s;
    double sum[3] = {0, 0, 0}, mass = 0;
    for (size_t k = 3 * (size_t)body->first_node; k < 3 * (size_t)(body->first_node + body->node_count); k += 3)
    {
        mass += s->step.diagonal[k];
        for (size_t i = 0; i < 3; ++i)
            sum[i] += s->step.impulse[k + i] + s->step.rhs[k + i];
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

// Velocities relative to the centre of mass stay; those of held bodies stay altogether.
static void make_initial_guess(const euler *e)
{
    pl__solids *s = e->st.s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        size_t first = 3 * (size_t)body->first_node, count = 3 * (size_t)body->node_count;
        double momentum[3] = {0, 0, 0}, mass = 0;
        for (size_t k = first; k < first + count; ++k)
        {
            momentum[k % 3] += s->mass[k] * s->step.v_start[k];
            mass += s->mass[k] / 3;
        }
        bool free = !pl__body_is_held(body) && mass > 0;
        for (size_t k = first; k < first + count; ++k)
            s->step.v_end[k] = body->state.asleep ? 0
                               : free             ? s->step.v_start[k] - momentum[k % 3] / mass + s->step.v_from[k]
                                                  : s->step.v_start[k];
    }
    pl__pins_script(&e->st, s->step.v_end);
    pl__stay_in_plane(s, s->step.v_end);
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

static void mark_pins(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t k = 0; k < s->body[i]->pins.count; ++k)
            s->contacts.footing[s->body[i]->first_node + s->body[i]->pins.pin[k].node] = PL__PINNED;
}

// Add the rows of pairs that v_end brings too near; at the start of a step those that touch.
static void find_pairs(euler *e, bool begin)
{
    pl__solids *s = e->st.s;
    pl__pair_contacts found = {0};
    if (!e->st.set->pairs)
        return;
    (void)e->st.set->pairs->find(e->st.set->pairs->user, s->state.x, e->st.dt, s->step.v_end, begin, &found);
    e->rows.span[0] = found.pair;
    e->rows.count[0] = found.count;
}

static int32_t body_of(const void *solids, int32_t node) { return pl__solids_body_of(solids, node); }

static void stiffen(euler *e, bool all)
{
    const pl__solids *s = e->st.s;
    pl__contact_rows_stiffen(&e->rows, s->step.pairless_block, e->rigid.ease, body_of, s, all);
}

static void find_rows(euler *e)
{
    find_pairs(e, false);
    if (e->st.set->object_count > 0)
        pl__object_contact_find_rows(&e->st.touch, &e->rows);
    pl__contact_rows_recall(&e->rows, &e->st.s->memory);
    stiffen(e, false);
}

// Impulses of the last step's contact forces, of what touches still, into rhs.
static void begin_rows(euler *e)
{
    pl__solids *s = e->st.s;
    e->rows = (pl__contact_rows){.span[1] = s->step.object_row, .dt = e->st.dt};
    pl__copy(s->ctx, s->step.v_start, s->step.v_end, 3 * s->node_count, NULL);
    mark_pins(s);
    find_pairs(e, true);
    if (e->st.set->object_count > 0)
        pl__object_contact_begin_rows(&e->st.touch, &s->memory, &e->rows);
    pl__contact_rows_recall(&e->rows, &s->memory);
    memset(s->step.rhs, 0, 3 * (size_t)s->node_count * sizeof *s->step.rhs);
    pl__contact_rows_add_known(&e->rows, 1, s->step.rhs);
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
    pl__hold_nodes(&e->st, PL__HOLD_PINS);
    begin_rows(e);
    choose_linearisation_point(e);
    make_initial_guess(e);
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

static double apply_exactly(void *user, const double *in, double *out)
{
    const euler *e = user;
    double product = multiply(e, in, out);
    return product + pl__contact_rows_multiply(&e->rows, in, out);
}

static double apply(void *user, const double *in, double *out)
{
    const euler *e = user;
    pl__solids *s = e->st.s;
    double product =
        pl__block_matrix_multiply_rough(s->ctx, s->matrix, in, out, s->step.cg.partial) + add_gas_stiffness(e, in, out);
    return product + pl__contact_rows_multiply(&e->rows, in, out);
}

// What of the system is not in its matrix; gas is left to conjugate gradients, as a single direction.
static double add_rows(void *user, const double *in, double *out)
{
    const euler *e = user;
    return pl__contact_rows_multiply(&e->rows, in, out);
}

static void row_term(void *user, int32_t i, pl__multigrid_pair *term)
{
    const euler *e = user;
    pl__contact_rows_term(&e->rows, i, term);
}

static double add_rigid(void *user, const double *r, double *z)
{
    const euler *e = user;
    return pl__rigid_space_add(&e->rigid, r, z);
}

// A at y, where forces have just been evaluated.
static void assemble(euler *e, const double *y)
{
    pl__solids *s = e->st.s;
    double dt = e->st.dt;
    pl__solids_assemble(s, y, dt * dt, dt, s->step.diagonal);
    e->gas = pl__solids_find_volume_gradient(s, y);
    e->coarse.system.x = y;
    e->coarse.stale = true;
    memcpy(s->step.pairless_block, s->step.block, 6 * (size_t)s->node_count * sizeof *s->step.block);
    stiffen(e, true);
}

// G at w = v_from, where forces have just been evaluated; `moved`: w is not a translation of each body.
static void find_gradient(const euler *e, bool moved)
{
    pl__solids *s = e->st.s;
    double *g = s->step.gradient;
    int32_t count = 3 * s->node_count;
    if (moved && s->evaluation.damped)
        (void)pl__solids_apply_damping(s, 0, e->st.dt, s->step.v_from, g);
    else
        memset(g, 0, (size_t)count * sizeof *g);
    for (int32_t k = 0; k < count; ++k)
        g[k] += s->step.diagonal[k] * s->step.v_from[k] - s->step.impulse[k] - e->st.dt * s->evaluation.force[k];
}

// ---- one iteration ----------------------------------------------------------------------------------------------

// direction = v_end - v_from.
static void find_direction(const euler *e)
{
    pl__solids *s = e->st.s;
    pl__copy(s->ctx, s->step.v_end, s->step.direction, 3 * s->node_count, NULL);
    pl__axpby(s->ctx, -1, s->step.v_from, 1, s->step.direction, 3 * s->node_count, NULL);
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

// What may be left of a residual: a part of the change of velocities by forces and contacts, in the mass norm.
static double acceptable_residual(const euler *e, double share)
{
    pl__solids *s = e->st.s;
    double mass = 0, change = sqrt(2 * pl__parallel_sum(s->ctx, s->node_count, NODES_PER_CHUNK, inertial_energy,
                                                        (void *)e, s->step.cg.partial));
    for (int32_t i = 0; i < s->body_count; ++i)
        mass += s->body[i]->total_mass;
    return fmax(PL__SPEED_FLOOR * sqrt(mass), share * change);
}

// Solve for the direction from v_from, beginning with that to v_end. No iterations: nothing is left to do.
static pl__cg_info solve(euler *e, const pl__cg_limits *limits)
{
    pl__solids *s = e->st.s;
    int32_t count = 3 * s->node_count;
    bool any = pl__contact_rows_count(&e->rows) > 0;
    pl__cg_system system = {.count = count,
                            .inverse_mass = s->inverse_inertia,
                            .block = s->step.block,
                            .apply = s->matrix->rough ? apply : apply_exactly,
                            .user = e,
                            .constraints = &e->st.constraints,
                            .coarse = e->rigid.body_count > 0 ? add_rigid : NULL,
                            .exact = apply_exactly};
    find_direction(e);
    pl__contact_rows_project(s->ctx, &e->rows, s->step.v_end);
    pl__contact_rows_precondition(&e->rows, s->step.pairless_block, s->step.block, s->node_count);
    pl__rigid_space_make(&e->rigid, e->coarse.system.x, s->step.diagonal, &e->rows);
    memset(s->step.rhs, 0, (size_t)count * sizeof *s->step.rhs);
    (void)pl__contact_rows_multiply(&e->rows, s->step.direction, s->step.rhs);
    pl__contact_rows_add_model(&e->rows, 1, s->step.rhs);
    pl__axpby(s->ctx, -1, s->step.gradient, 1, s->step.rhs, count, NULL);
    e->coarse.ctx = s->ctx;
    e->coarse.multigrid = s->multigrid;
    e->coarse.stale |= any;
    e->coarse.system.matrix = s->matrix;
    e->coarse.system.block = s->step.block;
    e->coarse.system.constraints = &e->st.constraints;
    e->coarse.system.add = any ? add_rows : NULL;
    e->coarse.system.pair = row_term;
    e->coarse.system.pair_count = pl__contact_rows_count(&e->rows);
    e->coarse.system.user = e;
    pl__cg_info info = pl__coarse_solve_run(&e->coarse, &system, limits, s->step.rhs, s->step.direction, &s->step.cg);
    (void)pl__rigid_space_add(&e->rigid, s->step.cg.r, s->step.direction);
    e->st.outcome->iterations += info.iterations;
    return info;
}

// Along v_from + share direction, the quadratic of A and G, and the rows.
typedef struct
{
    double slope, curvature; // of the quadratic, at 0
} quadratic;

static double slope_at(const euler *e, const quadratic *q, double share)
{
    double slope;
    (void)pl__contact_rows_rise(&e->rows, e->st.s->step.v_from, e->st.s->step.direction, share, &slope);
    return q->slope + share * q->curvature + slope;
}

// Where the quadratic and the rows have their minimum: the whole way, unless rows have changed on it.
static double search_rows(euler *e, const quadratic *q)
{
    double low = 0, high = 1;
    if (pl__contact_rows_count(&e->rows) == 0)
        return 1;
    const pl__step_scratch *m = &e->st.s->step;
    double first = slope_at(e, q, 0), ignored;
    double rise = q->slope + 0.5 * q->curvature + pl__contact_rows_rise(&e->rows, m->v_from, m->direction, 1, &ignored);
    bool overshoots = !(rise <= PL__SEARCH_DECREASE * first);
    pl__contact_rows_choose_pieces(&e->rows, m->v_from, m->direction, overshoots);
    if (!overshoots)
        return 1;
    if (first >= 0)
    {
        pl__contact_rows_drag(&e->rows);
        return 0;
    }
    for (int i = 0; i < PL__PAIR_BISECTIONS; ++i)
    {
        double middle = 0.5 * (low + high);
        if (slope_at(e, q, middle) > 0)
            high = middle;
        else
            low = middle;
    }
    return high;
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

static void take_part_of_step(const euler *e, double share)
{
    pl__solids *s = e->st.s;
    pl__copy(s->ctx, s->step.v_from, s->step.v_end, 3 * s->node_count, NULL);
    pl__axpby(s->ctx, share, s->step.direction, 1, s->step.v_end, 3 * s->node_count, NULL);
}

// E at v_end without damping and contact; forces have been evaluated at `y`. NaN if the material has no energy.
static double objective(const euler *e, const double *y)
{
    pl__solids *s = e->st.s;
    double sum =
        pl__parallel_sum(s->ctx, s->node_count, NODES_PER_CHUNK, inertial_energy, (void *)e, s->step.cg.partial);
    for (int32_t i = 0; i < s->body_count; ++i)
        sum += s->body[i]->derived.figures.elastic;
    return sum + pl__solids_pressure_energy(s, y);
}

// Forces and E at v_end.
static double evaluate_end(euler *e)
{
    move_to_end(e);
    pl__solids_evaluate(e->st.s, e->st.s->step.x_end, PL__EVALUATE_ENERGIES);
    e->last_at_end = true;
    return objective(e, e->st.s->step.x_end);
}

// dt/2 v D v along v_from + share direction, with the frames of the last evaluation: [0] share + [1] share^2.
static void damping_along(const euler *e, double along[2])
{
    pl__solids *s = e->st.s;
    along[0] = along[1] = 0;
    if (!s->evaluation.damped)
        return;
    (void)pl__solids_apply_damping(s, 0, e->st.dt, s->step.v_from, s->step.cg.q);
    along[0] = pl__dot(s->ctx, s->step.cg.q, s->step.direction, 3 * s->node_count, NULL, s->step.cg.partial);
    along[1] = 0.5 * pl__solids_apply_damping(s, 0, e->st.dt, s->step.direction, s->step.cg.q);
}

// Shorten the step from v_from until E has fallen; forces are valid at its end. `before` is E(v_from) without damping
// and contact, NaN if it is not known. Returns the share taken, -1 if nothing is finite.
static double search_energy(euler *e, double share, double *before)
{
    pl__solids *s = e->st.s;
    double along[2], now = 0, ignored;
    damping_along(e, along);
    for (int halving = 0;; ++halving, share *= 0.5)
    {
        take_part_of_step(e, share);
        now = evaluate_end(e);
        bool broken = pl__is_broken(s);
        if (broken && halving == PL__SEARCH_HALVINGS)
            return -1;
        double rise = now - *before + share * (along[0] + share * along[1]) +
                      pl__contact_rows_rise(&e->rows, s->step.v_from, s->step.direction, share, &ignored);
        if ((!broken && !(rise > PL__ENERGY_RISE * fabs(*before))) || halving == PL__SEARCH_HALVINGS)
            break;
    }
    *before = now;
    return share;
}

// From v_from to v_end along the direction; G is that at its end, to first order. Returns the share taken, -1 if
// nothing is finite.
static double go(euler *e, bool still, double *before)
{
    pl__solids *s = e->st.s;
    double *change = s->step.cg.q, share;
    int32_t count = 3 * s->node_count;
    quadratic q = {.curvature = multiply(e, s->step.direction, change)};
    q.slope = pl__dot(s->ctx, s->step.gradient, s->step.direction, count, NULL, s->step.cg.partial);
    pl__copy(s->ctx, change, s->step.v_change, count, NULL);
    share = still ? 1 : search_rows(e, &q);
    if (e->nonlinear && !still && share > 0)
        share = search_energy(e, share, before);
    else
    {
        take_part_of_step(e, share);
        e->last_at_end = false;
    }
    pl__axpby(s->ctx, share, s->step.v_change, 1, s->step.gradient, count, NULL);
    return share;
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
static bool minimise(euler *e)
{
    pl__solids *s = e->st.s;
    bool converged = false;
    int32_t most = e->st.set->newton > 0 ? e->st.set->newton : PL__NEWTON_MOST;
    e->nonlinear = e->st.set->newton > 1 || (e->st.set->newton == 0 && !all_warped(s));
    if (!e->nonlinear)
        most = PL__CONTACT_ITERATIONS;
    pl__copy(s->ctx, s->step.v_end, s->step.direction, 3 * s->node_count, NULL);
    pl__copy(s->ctx, s->step.v_from, s->step.v_end, 3 * s->node_count, NULL);
    double before = pins_move(e) ? NAN : objective(e, s->state.x);
    pl__copy(s->ctx, s->step.direction, s->step.v_end, 3 * s->node_count, NULL);
    for (int32_t k = 0; k < most && !converged; ++k)
    {
        if (k == 0 || e->nonlinear)
        {
            assemble(e, k > 0 ? s->step.x_end : s->state.x);
            find_gradient(e, k > 0);
        }
        for (int round = 0; k == 0 && round < PL__DIRECTOR_ROUNDS; ++round)
            pl__solids_relax_directors(s);
        bool any = pl__contact_rows_count(&e->rows) > 0;
        pl__cg_limits limits = e->st.set->cg;
        double share =
            e->nonlinear ? fmax(limits.tolerance, PL__SOLVE_IN_NEWTON * e->st.set->newton_tolerance) : limits.tolerance;
        if (any)
            share = PL__SOLVE_WITH_CONTACT * limits.tolerance;
        limits.floor = acceptable_residual(e, share);
        limits.tolerance = any || e->nonlinear ? PL__SOLVE_ROUGHLY : limits.tolerance;
        pl__cg_info info = solve(e, &limits);
        if (info.stop == PL__STOP_NOT_FINITE)
            return false;
        bool still = info.iterations == 0;
        double taken = go(e, still, &before);
        if (taken < 0)
            return false;
        pl__contact_rows_project(s->ctx, &e->rows, s->step.v_end);
        if (taken == 1)
            (void)pl__contact_rows_update(&e->rows);
        int32_t known = pl__contact_rows_count(&e->rows);
        find_rows(e);
        converged = (still || (!any && !e->nonlinear)) && pl__contact_rows_count(&e->rows) == known;
        if (!converged && e->nonlinear && !e->last_at_end)
            before = evaluate_end(e);
        e->st.outcome->unconverged += info.stop == PL__STOP_ITERATIONS;
        pl__copy(s->ctx, s->step.v_end, s->step.v_from, 3 * s->node_count, NULL);
    }
    pl__contact_rows_project(s->ctx, &e->rows, s->step.v_end);
    (void)pl__contact_rows_update(&e->rows);
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
    if (e->st.set->object_count > 0)
        e->st.outcome->contacts = pl__object_contact_report_rows(&e->st.touch, &e->rows);
    if (pl__stages_any(e->st.set->stages, PL__BEFORE_POSITIONS))
        filter_displacements(e);
    else
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

// 1 to 6: one attempt. The state is unchanged unless it succeeds.
static bool try_step(euler *e)
{
    pl__step *st = &e->st;
    pl__move_objects(st); // 1
    pl__object_contact_prepare(&st->touch);
    pl__momentum_remember(st->s);
    prepare(e);                                       // 2
    bool sound = minimise(e) && is_finite_end(st->s); // 3
    e->pairs_too_near = sound && pl__contact_rows_deepest(&e->rows, st->s->step.v_end) > PL__PAIR_DEEPEST;
    bool shorter = e->pairs_too_near && st->may_shorten; // 4
    if (sound && !shorter)
        finish_positions(e); // 5, 6
    if (shorter || !sound)
        pl__return_objects(st);
    return sound;
}

// Halve the step if pairs are still too near after all iterations, as in fast impacts.
static bool take_step(euler *e)
{
    euler fresh = *e;
    for (int halving = 0; try_step(e); ++halving)
    {
        if (!e->pairs_too_near || !e->st.may_shorten)
            return true;
        double half = 0.5 * e->st.dt;
        *e = fresh;
        e->st.dt = half;
        pl__set_length(&e->st);
        e->st.may_shorten &= halving + 1 < PL__PAIR_HALVINGS;
        pl__solids_evaluate(e->st.s, e->st.s->state.x, PL__EVALUATE_PRESENT | PL__EVALUATE_ENERGIES);
    }
    return false;
}

double pl__implicit_euler_longest_step(const pl__step_settings *set)
{
    return set->fixed_step > 0 ? set->fixed_step : PL__IMPLICIT_LONGEST_STEP;
}

// Bodies that press on each other: their angular momentum is not conserved (momentum.h).
static void mark_pressed(const euler *e)
{
    const pl__solids *s = e->st.s;
    for (int32_t i = 0; i < s->body_count; ++i)
        s->body[i]->derived.pressed = false;
    for (int32_t i = 0; i < e->rows.count[0]; ++i)
        for (int k = 0; e->rows.span[0][i].impulse > 0 && k < 4; ++k)
            if (e->rows.span[0][i].free[k])
                s->body[pl__solids_body_of(s, e->rows.span[0][i].contact.node[k])]->derived.pressed = true;
}

// 7 to 9. Positions are copied, not swapped: hosts keep the address of x.
static void end_step(euler *e)
{
    pl__solids *s = e->st.s;
    pl__sleepers_stay(s);
    pl__run_stages(&e->st, PL__AFTER_POSITIONS, NULL); // 7
    pl__copy(s->ctx, s->step.x_end, s->state.x, 3 * s->node_count, NULL);
    pl__copy(s->ctx, s->step.v_end, s->state.v, 3 * s->node_count, NULL);
    mark_pressed(e);
    e->st.outcome->friction_work = pl__contact_rows_friction_work(&e->rows, s->step.v_start, s->state.v);
    pl__contact_rows_remember(s->ctx, &e->rows, &s->memory);
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
    e.st.touch.trapezoid = true;
    if (pl__all_asleep(s))
    {
        pl__sleep_through(&e.st);
        return PL_OK;
    }
    PL_TRY(pl__solids_begin_step(s, set->arena, true, true));
    if (!pl__rigid_space_begin(s, set->arena, &e.rigid) ||
        !pl__row_memory_reserve(s->ctx, &s->memory, (size_t)s->step.object_row_count))
    {
        pl__solids_end_step(s);
        return PL_ERR_MEMORY;
    }
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
