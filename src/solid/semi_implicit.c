// src/solid/semi_implicit.c -- one time step: elastic forces explicit, damping implicit.
//
// With a(x, v) = M^-1 (f(x) - D(x) v) + g and h = dt/2, thesis 3.1 says
//
//     1  v~ = v + h a(x, v~)                         solve (M + h D) v~ = M v + h (f + M g)
//     2  v~ = without what brings bodies into each other   contact/watch.h
//     3  x~ = x + dt v~
//     4  x', v* = collide with objects               object_contact.h, which also holds nodes on objects in both solves
//     5  v½ = v* + h a((x + x')/2, v½)               the same matrix at the middle; contact normals held
//     6  v' = 2 v½ - v*                              = the trapezoidal rule, better conditioned
//     7  v' = friction with objects                  from the normal force that the solve removed
//     8  v' = without what brings bodies into each other
//
// Soft pins and hands make their nodes heavier in both solves and push them (pin.c, grab.c); M in the solves is then
// `inertia`.
//
// and thesis 2.9 replaces 5 and 6 by  v' = v* + h (a(x, v*) + a(x', v')), which needs one evaluation of forces per step
// instead of two. We use a(x, v~) for its first half, which is what step 1 found already: with a(x, v*) a damped
// spinning body feeds on the difference, a torque of dt h v~ x D (v~ - v), and spins up by itself (16 % in 10 s at one
// turn per second); with a(x, v~) angular momentum is kept to round-off whenever the forces are free of torque. 3.1
// keeps it to O(dt^2) only, and feeds on that too; so bodies that nothing touches get back what they lost or gained
// (solid/momentum.h).
//
// Shells go by 2.9 in every world. What 3.1 errs by is large where an element turns while it is under tension: the
// chord (x + x')/2 of a turn by alpha is shorter by alpha^2/8, and at steps near the limit that is half of the strain
// which keeps it on its circle. Solids hold their elements from turning by themselves. The triangles of a crumpled
// sheet tumble, every one by its own: free sheets of 6 x 6 nodes, scrambled, without bending, at 0.9 of the limit and
// with a damping of 0.02 s gained energy a thousand to ten million times by 3.1, for most of twenty seeds and all laws,
// and still some at 0.35 of it; none by 2.9. (3.1 with the mean of the forces at both ends and the damping of the end
// is far worse: there the two halves of a step damp different velocities.)
//
// Both are stable up to dt = 2/omega of the highest elastic frequency, whatever the damping (with damping ratio
// growing, the bound only rises). omega comes from the elements' own state: see stiffness_bound in
// material/stress.kernel.c and `gain` in element/tet.h; the largest element bounds all of its kind (Irons & Treharne),
// and kinds are added (solids.c).
//
// Pairs of solids that press on each other are part of both solves (pair_contact.h) where damping outweighs the mass of
// a node, besides 2 and 8; print has 2 and 8 only. There the elastic force on a surface node is shared by all that
// damping connects with it, and what presses on the node would feel m/(m + h d) of it: 140 kg on foam sank through it,
// and energy came from nowhere.
//
// Friction (7): print has max(0, dv.N) where it must be min: with it a particle slides down an incline exactly as it
// should. For connected, damped nodes it acts inside both solves (object_contact.h).
#include "semi_implicit.h"
#include "grab.h"
#include "pin.h"
#include "recovery.h"
#include "momentum.h"

#include <math.h>
#include <string.h>

// over the stability limit of the shape that a step leads to, half-way or, of shells, at its end
static const double largest_leap = 1.5, largest_shell_leap = 1.1;
static const int most_tries = 8;

// How a step went.
typedef enum
{
    DONE,
    BROKE, // a number is not finite
    LEAPT  // it was too long
} progress;

typedef pl__stepping step;

enum
{
    NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3,
    MOST_RUBS = 4,    // solves again because of friction
    MOST_PRESSES = 12 // and because of pairs
};

// ---- the solve -------------------------------------------------------------------------------------------------

typedef struct
{
    step *st;
    double h;
    bool second; // of the two solves
} velocity_job;

// Whether a body's new velocities come from both ends of the step (thesis 2.9) or from its middle (3.1).
static bool by_ends(const step *st, const pl__body *body) { return st->set->trapezoid || body->shell; }

static bool all_by_ends(const step *st)
{
    for (int32_t i = 0; i < st->s->body_count; ++i)
        if (!by_ends(st, st->s->body[i]))
            return false;
    return true;
}

// rhs = M (v_start + push) + h (force + M g), by 2.9 with what the first solve found before that, and a first guess
// whose momentum is right already: the explicit velocities, or, in the second solve, as much more as the first one
// found, or twice that by 2.9, which differs by O(dt^2) only.
static void explicit_body(const velocity_job *job, const pl__body *body, size_t begin, size_t end)
{
    pl__solids *s = job->st->s;
    const double *g = job->st->set->gravity;
    bool ends = by_ends(job->st, body);
    for (size_t k = begin; k < end; ++k)
    {
        double gravity = s->mass[k] > 0 ? job->h * g[k % 3] : 0;
        double change = job->h * s->inverse_mass[k] * s->force[k] + gravity;
        if (job->second && ends)
            change += s->v_change[k];
        if (job->st->soft)
            change += s->push[k];
        s->rhs[k] = s->mass[k] * (s->v_start[k] + change);
        if (s->inertia[k] != s->mass[k])
            change = s->inverse_inertia[k] * s->rhs[k] - s->v_start[k];
        s->v_end[k] = job->second && s->damped ? (ends ? 2 : 1) * s->v_change[k] : change;
    }
}

// The components of a body among those of the nodes [begin, end): none where first >= last.
static void part_of(const pl__body *body, int32_t begin, int32_t end, size_t *first, size_t *last)
{
    int32_t body_end = body->first_node + body->node_count;
    *first = 3 * (size_t)(body->first_node > begin ? body->first_node : begin);
    *last = 3 * (size_t)(body_end < end ? body_end : end);
}

static void explicit_nodes(void *argument, int32_t begin, int32_t end)
{
    const velocity_job *job = argument;
    pl__solids *s = job->st->s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        size_t first, last;
        part_of(s->body[i], begin, end, &first, &last);
        explicit_body(job, s->body[i], first, last);
    }
    pl__constraints_project_nodes(&job->st->constraints, begin, end, s->v_end);
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->v_end[k] += s->v_start[k];
}

static void remember_change(void *argument, int32_t begin, int32_t end)
{
    pl__solids *s = argument;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->v_change[k] = s->v_end[k] - s->v_start[k];
}

typedef struct
{
    const step *st;
    double h;
} damped_system;

// What contacts add to a product.
static double add_contacts(const step *st, const double *in, double *out)
{
    double drag = st->set->object_count > 0 ? pl__object_contact_drag(&st->touch, &st->constraints, in, out) : 0;
    return drag + pl__pair_contact_multiply(&st->pairs, in, out);
}

static double apply_damped(void *user, const double *in, double *out)
{
    const damped_system *d = user;
    double product = pl__solids_apply_damping(d->st->s, 1, d->h, in, out);
    return product + add_contacts(d->st, in, out);
}

// The same by the matrix of the solve; in single precision where that is faster.
static double apply_assembled(void *user, const double *in, double *out)
{
    const damped_system *d = user;
    const pl__solids *s = d->st->s;
    double product = pl__block_matrix_multiply(s->ctx, s->matrix, in, out, s->cg.partial);
    return product + add_contacts(d->st, in, out);
}

static double apply_roughly(void *user, const double *in, double *out)
{
    const damped_system *d = user;
    const pl__solids *s = d->st->s;
    double product = pl__block_matrix_multiply_rough(s->ctx, s->matrix, in, out, s->cg.partial);
    return product + add_contacts(d->st, in, out);
}

// Without damping the explicit velocities are the answer; only the residual at the constraints is wanted.
static void residual_nodes(void *argument, int32_t begin, int32_t end)
{
    pl__solids *s = argument;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->cg.r[k] = s->rhs[k] - s->inertia[k] * s->v_end[k];
}

// Whether blocks are likely to help. They take 1.3 to 2.2 times fewer iterations for tetrahedra; for voxels and sheets,
// whose nodes are all alike, only 1.1 times, or 1.3 where damping outweighs mass a thousand times in the stiffest
// motion.
static bool blocks_help(const pl__solids *s, double h)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->asleep)
            continue;
        else if (s->body[i]->group[0].kind == PL__TET ||
                 h * s->body[i]->longest_damping * s->body[i]->figures.frequency2 > 1000)
            return true;
    return false;
}

// Whether a matrix is likely to help: its product takes less time than one that goes over elements, and to make it
// takes as long as two or three of those.
static bool matrix_may_help(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
        {
            const pl__element_group *group = &s->body[i]->group[g];
            if (group->damped && group->kind != PL__TET && group->kind != PL__HEX)
                return false;
        }
    return s->damped;
}

// It is that of all bodies, and those who sleep are to cost nothing.
static bool matrix_helps(const pl__solids *s) { return s->matrix && !pl__any_asleep(s) && matrix_may_help(s); }

// The matrix of a solve, with its diagonal blocks. False where it would not help.
static bool assemble(step *st, pl__cg_system *system)
{
    pl__solids *s = st->s;
    const damped_system *d = system->user;
    if (!matrix_helps(s))
        return false;
    pl__solids_assemble(s, NULL, 0, d->h, s->inertia);
    st->assembled = true;
    return true;
}

// What a solve goes by.
static void choose_means(const step *st, pl__cg_system *system)
{
    const pl__solids *s = st->s;
    system->block = st->blocks ? s->block : NULL;
    system->apply = st->assembled ? (s->matrix->rough ? apply_roughly : apply_assembled) : apply_damped;
    system->exact = st->assembled ? apply_assembled : NULL;
}

// Solve with the mass as preconditioner, as most solves are done within a few iterations; one that is not goes on with
// a matrix, or at least with diagonal blocks, which cost as much as some of them to make; so does one that is done
// again. Blocks then serve the second solve of the step as well.
static pl__cg_info solve_patiently(step *st, pl__cg_system *system, const pl__cg_limits *limits, const double *b,
                                   bool again)
{
    enum
    {
        FEW = 6,     // before blocks
        VERY_FEW = 3 // before a matrix
    };
    pl__solids *s = st->s;
    const damped_system *d = system->user;
    pl__cg_limits first = *limits;
    bool by_matrix = !st->assembled && matrix_helps(s), more_helps = by_matrix || (!st->blocks && blocks_help(s, d->h));
    int32_t few = by_matrix ? (again ? 0 : VERY_FEW) : FEW;
    double norm = st->blocks ? st->block_norm : 1;
    choose_means(st, system);
    first.floor *= norm;
    if (more_helps && first.iterations > few)
        first.iterations = few;
    pl__cg_info info = pl__cg_solve(s->ctx, system, &first, b, s->v_end, &s->cg);
    if (info.stop != PL__STOP_ITERATIONS || first.iterations == limits->iterations)
        return info;
    if (!assemble(st, system) && !st->blocks)
        pl__solids_build_blocks(s, d->h);
    st->blocks = true;
    choose_means(st, system);
    // what is still to be gained, in another norm
    double target = fmax(limits->tolerance * info.first_residual, first.floor);
    pl__cg_limits rest = {.tolerance = target / info.residual, .iterations = limits->iterations - few};
    pl__cg_info more = pl__cg_solve(s->ctx, system, &rest, b, s->v_end, &s->cg);
    st->block_norm = info.residual > 0 ? norm * more.first_residual / info.residual : 1;
    more.iterations += info.iterations;
    more.first_residual = info.first_residual;
    return more;
}

// Nodes on objects are held: in the first solve those that the explicit velocities press on, in the second those that
// touch.
static void hold_footing(step *st, bool first)
{
    if (st->set->object_count == 0)
        return;
    if (first)
    {
        pl__object_contact_expect(&st->touch);
        pl__hold_nodes(st, PL__HOLD_FOOTING);
        pl__pins_script(st, st->s->v_end);
    }
    else
    {
        pl__object_contact_hold(&st->touch);
        pl__hold_nodes(st, PL__HOLD_CONTACTS);
    }
}

// Whether friction has changed what has just been solved.
static bool rub(step *st, bool first)
{
    if (st->set->object_count == 0 ||
        !(first ? pl__object_contact_friction_first : pl__object_contact_friction_second)(&st->touch))
        return false;
    pl__hold_nodes(st, first ? PL__HOLD_FOOTING : PL__HOLD_CONTACTS);
    return true;
}

// ---- pairs of surfaces ------------------------------------------------------------------------------------------

// Whether pairs of a body's surface belong into the solves: those of solids whose damping outweighs the mass of a node
// in its stiffest motion. Elastic forces on their surface are then shared by what is behind it, and would reach what
// presses on it only in the ratio of a node's mass to that: it sank in the deeper, the more they were damped.
static bool is_sluggish(const step *st, const pl__body *body)
{
    return !body->shell && !body->planar && 0.5 * st->dt * body->longest_damping * body->figures.frequency2 > 1;
}

static bool any_sluggish(const step *st)
{
    for (int32_t i = 0; i < st->s->body_count; ++i)
        if (!st->s->body[i]->asleep && is_sluggish(st, st->s->body[i]))
            return true;
    return false;
}

// All of one kind of step, and some of them sluggish. Others are left to the filters.
static bool belongs(const step *st, const pl__contact_pair *p)
{
    bool sluggish = false, solid = true;
    for (int k = 0; k < 4; ++k)
    {
        const pl__body *body = p->free[k] ? st->s->body[pl__solids_body_of(st->s, p->contact.node[k])] : NULL;
        sluggish |= body && is_sluggish(st, body);
        solid &= !body || !body->shell;
    }
    return sluggish && solid;
}

static void keep_pairs(step *st, bool (*wanted)(const step *st, const pl__contact_pair *p))
{
    int32_t count = 0;
    for (int32_t i = 0; i < st->pairs.count; ++i)
    {
        pl__contact_pair one = st->pairs.pair[i];
        st->pairs.pair[i].impulse = 0; // as events will find it
        if (wanted(st, &one))
            st->pairs.pair[count++] = one;
    }
    st->pairs.count = count;
}

static void find_pairs(step *st)
{
    pl__solids *s = st->s;
    st->pairs = (pl__pair_contacts){.v_start = s->v_start, .dt = st->dt, .firm = true};
    if (!st->set->press || !any_sluggish(st) ||
        !st->set->press(st->set->user, s->x, st->dt, s->v_end, true, &st->pairs))
    {
        st->pairs.count = 0;
        return;
    }
    keep_pairs(st, belongs);
}

// Whether a pair has come to rest, by where the first solve and the filters have put it.
static bool has_met(const step *st, const pl__contact_pair *p)
{
    const pl__solids *s = st->s;
    double way[3] = {st->dt * p->given[0], st->dt * p->given[1], st->dt * p->given[2]};
    for (int k = 0; k < 4; ++k)
        for (size_t d = 0, at = 3 * (size_t)p->contact.node[k]; p->free[k] && d < 3; ++d)
            way[d] += p->contact.weight[k] * (s->x_end[at + d] - s->x[at + d]);
    return pl__impulse_dot(way, p->contact.normal) + st->dt * p->allowed <= PL__TOUCHING * p->rest;
}

// In the second solve what counts is the velocity at the end, s' >= 0 along the normal: of one that is found in the
// middle, s >= s*/2.
static void turn_to_end(step *st)
{
    const pl__solids *s = st->s;
    keep_pairs(st, has_met);
    for (int32_t i = 0; i < st->pairs.count; ++i)
    {
        pl__contact_pair *p = &st->pairs.pair[i];
        p->allowed = 0;
        for (int d = 0; d < 3 && !st->set->trapezoid; ++d)
            p->given[d] *= 0.5;
        for (int k = 0; k < 4; ++k)
            for (size_t d = 0; p->free[k] && !st->set->trapezoid && d < 3; ++d)
                p->given[d] -= 0.5 * p->contact.weight[k] * s->v_start[3 * (size_t)p->contact.node[k] + d];
    }
}

// Blocks are needed for pairs from the start: what a residual is in their metric is found by looking at it in both.
static void prepare_pairs(step *st, pl__cg_system *system, bool second)
{
    pl__solids *s = st->s;
    const damped_system *d = system->user;
    const pl__cg_limits none = {.iterations = 0};
    if (second)
        turn_to_end(st);
    else
        find_pairs(st);
    int32_t count = st->pairs.count;
    if (count == 0)
        return;
    st->pairs.count = 0;
    st->blocks = false;
    choose_means(st, system);
    pl__cg_info by_mass = pl__cg_solve(s->ctx, system, &none, s->rhs, s->v_end, &s->cg);
    if (!assemble(st, system))
        pl__solids_build_blocks(s, d->h);
    st->blocks = true;
    choose_means(st, system);
    pl__cg_info by_blocks = pl__cg_solve(s->ctx, system, &none, s->rhs, s->v_end, &s->cg);
    st->block_norm = by_mass.first_residual > 0 ? by_blocks.first_residual / by_mass.first_residual : 1;
    if (!second)
        st->residual = by_mass.first_residual;
    st->pairs.count = count;
    memcpy(s->plain, s->block, 6 * (size_t)s->node_count * sizeof *s->block);
    pl__pair_contact_stiffen(&st->pairs, s->plain, true);
}

// The right-hand side with what pairs add; their blocks are in the preconditioner.
static const double *load_pairs(step *st)
{
    pl__solids *s = st->s;
    if (st->pairs.count == 0)
        return s->rhs;
    pl__pair_contact_precondition(&st->pairs, s->plain, s->block);
    pl__copy(s->ctx, s->rhs, s->x_middle, 3 * s->node_count, &s->live_numbers);
    pl__pair_contact_add_rhs(&st->pairs, s->x_middle);
    return s->x_middle;
}

// The whole step has the impulses of two halves, of which the second is known best. `given` becomes again what it was.
static void tell_impulses(const step *st)
{
    const pl__solids *s = st->s;
    for (int32_t i = 0; i < st->pairs.count; ++i)
    {
        pl__contact_pair *p = &st->pairs.pair[i];
        p->impulse = fmax(0, 2 * pl__impulse_dot(p->applied, p->contact.normal));
        for (size_t d = 0; !st->set->trapezoid && d < 3; ++d)
        {
            p->given[d] *= 2;
            for (int k = 0; k < 4; ++k)
                p->given[d] += p->free[k] ? p->contact.weight[k] * s->v_start[3 * (size_t)p->contact.node[k] + d] : 0;
        }
    }
    st->outcome->friction_work = 2 * pl__pair_contact_friction_work(&st->pairs, s->v_start, s->v);
}

static bool press_on(step *st, int again)
{
    return st->pairs.count > 0 && pl__pair_contact_update(&st->pairs, st->s->v_end, true, again > 1);
}

// v_end = solution of (M + h D) v_end = rhs, with the constraints; cg.r is the true residual afterwards. Both solves of
// a step are as exact as the first one's tolerance, relative to the residual of the explicit velocities, asks for.
// False if a number stopped being finite.
static bool solve_velocity(step *st, const velocity_job *job)
{
    pl__solids *s = st->s;
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->live, explicit_nodes, (void *)job);
    hold_footing(st, !job->second);
    if (!s->damped)
    {
        pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->live, residual_nodes, s);
        return true;
    }
    st->assembled = false;
    damped_system d = {st, job->h};
    pl__cg_system system = {3 * s->node_count, s->inverse_inertia, NULL, apply_damped, &d,
                            &st->constraints,  &s->live_numbers,   NULL};
    pl__cg_limits limits = st->set->cg;
    double mass = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
        mass += s->body[i]->total_mass;
    limits.floor = 1e-12 * sqrt(mass); // errors of 1e-12 m/s are nobody's business
    prepare_pairs(st, &system, job->second);
    if (job->second || st->pairs.count > 0)
    {
        limits.floor = fmax(limits.floor, (job->second && all_by_ends(st) ? 2 : 1) * limits.tolerance * st->residual);
        limits.tolerance = 0;
    }
    pl__cg_info info = solve_patiently(st, &system, &limits, load_pairs(st), false);
    if (!job->second && st->pairs.count == 0)
        st->residual = info.first_residual;
    st->outcome->iterations += info.iterations;
    for (int again = 0; info.stop != PL__STOP_NOT_FINITE; ++again)
    {
        bool pairs = press_on(st, again), rubs = again < MOST_RUBS && rub(st, !job->second);
        if ((!rubs && !pairs) || again == MOST_PRESSES)
            break;
        limits.floor = fmax(limits.floor, limits.tolerance * info.first_residual);
        limits.tolerance = 0;
        info = solve_patiently(st, &system, &limits, load_pairs(st), true);
        st->outcome->iterations += info.iterations;
    }
    pl__pair_contact_add_impulses(&st->pairs, 1, s->rhs);
    if (system.block)
        pl__restore_momentum(st, 1);
    st->outcome->unconverged += info.stop == PL__STOP_ITERATIONS;
    return info.stop != PL__STOP_NOT_FINITE;
}

// ---- the two schemes -------------------------------------------------------------------------------------------

static void advance_positions(void *argument, int32_t begin, int32_t end)
{
    const step *st = argument;
    pl__solids *s = st->s;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->x_end[k] = s->x[k] + st->dt * s->v_end[k];
}

// Where forces are evaluated a second time.
static void middle_positions(void *argument, int32_t begin, int32_t end)
{
    const step *st = argument;
    pl__solids *s = st->s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        size_t first, last;
        bool ends = by_ends(st, s->body[i]);
        part_of(s->body[i], begin, end, &first, &last);
        for (size_t k = first; k < last; ++k)
            s->x_middle[k] = ends ? s->x_end[k] : 0.5 * (s->x[k] + s->x_end[k]);
    }
}

static void new_velocities(void *argument, int32_t begin, int32_t end)
{
    const step *st = argument;
    pl__solids *s = st->s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        size_t first, last;
        bool ends = by_ends(st, s->body[i]);
        part_of(s->body[i], begin, end, &first, &last);
        for (size_t k = first; k < last; ++k)
            s->v[k] = ends ? s->v_end[k] : 2 * s->v_end[k] - s->v_start[k];
    }
}

// What springs pull, in the first or second solve: soft pins, and then hands, which may hold the same nodes.
static void soften(pl__stepping *st, bool first)
{
    pl__solids *s = st->s;
    const pl__step_settings *set = st->set;
    pl__grabs_reset(s, set->grab, set->grab_count);
    for (int32_t i = 0; s->push && i < s->body_count; ++i)
        pl__pins_soften(s, s->body[i], st->dt, first ? NULL : by_ends(st, s->body[i]) ? s->v_end : s->v_start);
    for (int32_t g = 0; g < set->grab_count; ++g)
        if (set->grab[g].id)
            pl__grab_soften(s, &set->grab[g], st->dt,
                            first                            ? NULL
                            : by_ends(st, set->grab[g].body) ? s->v_end
                                                             : s->v_start);
}

// Steps 1 to 4: x_end and v_start.
static bool predict(step *st)
{
    pl__solids *s = st->s;
    double h = 0.5 * st->dt;
    pl__copy(s->ctx, s->v, s->v_start, 3 * s->node_count, &s->live_numbers);
    pl__pins_script(st, s->v_start);
    pl__hold_nodes(st, PL__HOLD_PINS);
    soften(st, true);
    bool sound = solve_velocity(st, &(velocity_job){st, h, false});
    if (st->set->object_count > 0)
        pl__object_contact_let_go(&st->touch);
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->live, remember_change, s);
    if (st->set->filter_ways)
        st->set->filter_ways(st->set->user, &st->touch, s->x, s->v_end);
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->live, advance_positions, st);
    if (st->set->object_count > 0)
        pl__object_contact_collide(&st->touch);
    pl__pins_release(st);
    pl__hold_nodes(st, PL__HOLD_CONTACTS);
    // the forces at x are used up; those to come belong to the new directors
    pl__solids_relax_directors(s);
    return sound;
}

// Whether a step that was stable where it began has come to where it is far from that: elements that are flung into a
// stiffer shape, of a law that stiffens, get more from it than they brought. A step that the user wants is taken as it
// is.
static bool leaps(const step *st)
{
    for (int32_t i = 0; st->may_shorten && i < st->s->body_count; ++i)
    {
        const pl__body *body = st->s->body[i];
        if (!body->asleep &&
            st->dt * sqrt(body->figures.frequency2) > 2 * (body->shell ? largest_shell_leap : largest_leap))
            return true;
    }
    return false;
}

// Steps 5 to 7, from the middle or from the end. Elements flow where a step has ended; that may be found out here only
// where nothing else has to be evaluated.
static progress finish(step *st)
{
    pl__solids *s = st->s;
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->live, middle_positions, st);
    s->plastic_due |= st->set->trapezoid;
    s->plastic_dt = st->set->trapezoid ? st->dt : s->plastic_dt;
    pl__solids_evaluate(s, st->set->trapezoid ? s->x_end : s->x_middle, false);
    if (leaps(st))
        return LEAPT;
    if (pl__is_broken(s))
        return BROKE;
    // v_end is still v~
    if (st->soft)
        soften(st, false);
    if (!solve_velocity(st, &(velocity_job){st, 0.5 * st->dt, true}))
        return BROKE;
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->live, new_velocities, st);
    if (st->set->object_count > 0)
        pl__object_contact_finish(&st->touch);
    return DONE;
}

// ---- the step --------------------------------------------------------------------------------------------------

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
    double limit = fmin(longest_step(s, set), remaining);
    // equal steps to the end of the frame; a hair of slack keeps rounding from adding one
    double steps = ceil(remaining / limit - 1e-9);
    return steps > 1 ? remaining / steps : remaining;
}

// Not where the user chose it, nor where elements would have flowed on the way (a world by 2.9 lets them flow where a
// step ends).
static bool may_shorten(const pl__solids *s, const pl__step_settings *set)
{
    return set->fixed_step <= 0 && !(set->trapezoid && pl__anything_flows(s));
}

// Whether the last forces of a step are those at the beginning of the next one.
static bool ends_fresh(const step *st)
{
    return all_by_ends(st) && !pl__feels_air(st->s) && (st->set->trapezoid || !pl__anything_flows(st->s));
}

// One try. The state is as before unless it is done.
static progress take(step *st)
{
    pl__solids *s = st->s;
    const pl__step_settings *set = st->set;
    set->aim(set->user, st->dt);
    for (int32_t k = 0; k < set->object_count; ++k)
        pl__object_move(&set->object[k], st->dt);
    st->touch = (pl__object_contact){.s = s,
                                     .object = set->object,
                                     .object_count = set->object_count,
                                     .dt = st->dt,
                                     .friction_table = set->friction_table,
                                     .trapezoid = set->trapezoid,
                                     .projected = set->projected,
                                     .sleepers = pl__any_asleep(s)};
    pl__object_contact_prepare(&st->touch);
    if (!set->trapezoid)
        pl__momentum_remember(s);
    progress how = predict(st) ? finish(st) : BROKE;
    for (int32_t k = 0; how != DONE && k < set->object_count; ++k)
        pl__object_return(&set->object[k]);
    return how;
}

// Here and nowhere else: no step is to fail half-way.
static pl_status make_room(pl__solids *s, const pl__step_settings *set)
{
    if (matrix_may_help(s))
        PL_TRY(pl__solids_make_matrix(s));
    if (s->damped && set->press)
        PL_TRY(pl__solids_make_plain(s));
    return PL_OK;
}

pl_status pl__semi_implicit_step(pl__solids *s, const pl__step_settings *set, double remaining,
                                 pl__step_outcome *outcome)
{
    *outcome = (pl__step_outcome){0};
    pl__solids_list_live(s);
    pl__follow_pins(s);
    pl__solids_refresh(s, PL__FORCES);
    double span = fmin(remaining, set->span);
    pl__recovery_update(s, set->material, choose_step(s, set, span));
    if (pl__is_broken(s))
        return pl__report_broken(s, set);
    PL_TRY(make_room(s, set));

    step st = {.s = s,
               .set = set,
               .remaining = remaining,
               .dt = choose_step(s, set, span),
               .may_shorten = may_shorten(s, set),
               .soft = pl__any_soft_pins(s),
               .outcome = outcome};
    outcome->stable_dt = pl__stability_limit(s, set->wary);
    if (pl__all_asleep(s))
    {
        outcome->dt = st.dt;
        pl__sleep_through(s, set, st.dt);
        return PL_OK;
    }
    progress how = take(&st);
    for (int tries = 1; how == LEAPT; ++tries)
    {
        st.dt = fmax(0.1 * st.dt, choose_step(s, set, 0.5 * st.dt)); // by the shape that it came to
        st.may_shorten = tries < most_tries;
        pl__solids_evaluate(s, s->x, false);
        how = take(&st);
    }
    outcome->dt = st.dt;
    if (how == BROKE)
    {
        s->fresh = 0;
        return pl__report_broken(s, set);
    }
    pl__record_motion(s, set, st.dt);
    // copied, not exchanged: hosts hold on to the address of x
    pl__copy(s->ctx, s->x_end, s->x, 3 * s->node_count, &s->live_numbers);
    pl__mark_pressed(s, &st.pairs);
    tell_impulses(&st);
    if (!set->trapezoid)
        pl__momentum_restore(s);
    pl__stay_in_plane(s, s->v);
    if (set->filter_speeds)
        set->filter_speeds(set->user, &st.touch, s->x, s->v);
    s->fresh = ends_fresh(&st) ? PL__FORCES : 0;
    s->plastic_due = !set->trapezoid;
    s->plastic_dt = st.dt;
    return PL_OK;
}
