// src/solid/damping_solve.c -- the velocity solve of the semi-implicit step: (M + h D) v = b with contacts.
//
// Conjugate gradients preconditioned by the mass, projected onto the constraints of pins and contact normals. A solve
// that does not converge within a few iterations continues with a block diagonal preconditioner, or with an assembled
// matrix if all damped elements are solids. Friction with objects and pair contacts are part of the system: the solve
// is repeated while they change.
//
// Pair contacts of solids are part of the solve (pair_contact.h) where damping outweighs the mass of a node. There the
// elastic force on a surface node is shared by all nodes that damping couples to it, and a body resting on the node
// would feel only m/(m + h d) of it: 140 kg on foam sank through it, and gained energy.
#include "damping_solve.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

typedef pl__step step;

enum
{
    NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3
};

typedef struct
{
    step *st;
    double h;
    bool second; // second of the two solves
} velocity_job;

// Whether a body uses the trapezoidal rule of thesis 2.9 (forces at both ends of the step) or the midpoint rule of
// 3.1.
bool pl__goes_by_ends(const step *st, const pl__body *body) { return st->set->trapezoid || body->shell; }

bool pl__all_by_ends(const step *st)
{
    for (int32_t i = 0; i < st->s->body_count; ++i)
        if (!pl__goes_by_ends(st, st->s->body[i]))
            return false;
    return true;
}

// rhs = M (v_start + push) + h (force + M g); with 2.9 also the change found by the first solve. The initial guess has
// the right momentum already: the explicit velocities, or, in the second solve, the change found by the first one
// (twice that with 2.9), which differs by O(dt^2) only.
static void explicit_body(const velocity_job *job, const pl__body *body, size_t begin, size_t end)
{
    pl__solids *s = job->st->s;
    const double *g = job->st->set->gravity;
    bool ends = pl__goes_by_ends(job->st, body);
    for (size_t k = begin; k < end; ++k)
    {
        double gravity = s->mass[k] > 0 ? job->h * g[k % 3] : 0;
        double change = job->h * s->inverse_mass[k] * s->evaluation.force[k] + gravity;
        if (job->second && ends)
            change += s->step.v_change[k];
        if (job->st->soft)
            change += s->push[k];
        s->step.rhs[k] = s->mass[k] * (s->step.v_start[k] + change);
        if (s->inertia[k] != s->mass[k])
            change = s->inverse_inertia[k] * s->step.rhs[k] - s->step.v_start[k];
        s->step.v_end[k] = job->second && s->evaluation.damped ? (ends ? 2 : 1) * s->step.v_change[k] : change;
    }
}

// Range of components of a body within nodes [begin, end): empty if first >= last.
void pl__part_of_body(const pl__body *body, int32_t begin, int32_t end, size_t *first, size_t *last)
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
        pl__part_of_body(s->body[i], begin, end, &first, &last);
        explicit_body(job, s->body[i], first, last);
    }
    pl__constraints_project_nodes(&job->st->constraints, begin, end, s->step.v_end);
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->step.v_end[k] += s->step.v_start[k];
}

typedef struct
{
    const step *st;
    double h;
} damped_system;

// Contribution of contacts to a matrix product.
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

// The same by the assembled matrix; in single precision if that is faster.
static double apply_assembled(void *user, const double *in, double *out)
{
    const damped_system *d = user;
    const pl__solids *s = d->st->s;
    double product = pl__block_matrix_multiply(s->ctx, s->matrix, in, out, s->step.cg.partial);
    return product + add_contacts(d->st, in, out);
}

static double apply_roughly(void *user, const double *in, double *out)
{
    const damped_system *d = user;
    const pl__solids *s = d->st->s;
    double product = pl__block_matrix_multiply_rough(s->ctx, s->matrix, in, out, s->step.cg.partial);
    return product + add_contacts(d->st, in, out);
}

// Without damping the explicit velocities are the solution; only the residual at the constraints is needed.
static void residual_nodes(void *argument, int32_t begin, int32_t end)
{
    pl__solids *s = argument;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->step.cg.r[k] = s->step.rhs[k] - s->inertia[k] * s->step.v_end[k];
}

// Whether diagonal blocks are likely to pay off. They take 1.3 to 2.2 times fewer iterations for tetrahedra; for
// voxels and sheets, whose nodes are all alike, only 1.1 times, or 1.3 where damping outweighs mass a thousand times
// in the stiffest mode.
static bool blocks_help(const pl__solids *s, double h)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->state.asleep)
            continue;
        else if (s->body[i]->group[0].kind == PL__TET ||
                 h * s->body[i]->longest_damping * s->body[i]->derived.figures.frequency2 > 1000)
            return true;
    return false;
}

// Whether an assembled matrix is likely to pay off: its product is faster than the one by elements, and assembly costs
// two or three of the latter.
bool pl__damping_matrix_may_help(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
        {
            const pl__element_group *group = &s->body[i]->group[g];
            if (group->damped && group->kind != PL__TET && group->kind != PL__HEX)
                return false;
        }
    return s->evaluation.damped;
}

// The matrix is that of all bodies, and sleeping ones should cost nothing.
static bool matrix_helps(const pl__solids *s)
{
    return s->matrix && !pl__any_asleep(s) && pl__damping_matrix_may_help(s);
}

// Assemble the matrix of a solve with its diagonal blocks. False if it would not pay off.
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

// Select preconditioner and matrix product.
static void choose_preconditioner(const step *st, pl__cg_system *system)
{
    const pl__solids *s = st->s;
    system->block = st->blocks ? s->step.block : NULL;
    system->apply = st->assembled ? (s->matrix->rough ? apply_roughly : apply_assembled) : apply_damped;
    system->exact = st->assembled ? apply_assembled : NULL;
}

// Solve with the mass as preconditioner, since most solves converge within a few iterations. One that does not
// continues with an assembled matrix, or at least with diagonal blocks, which cost some iterations to build; so does a
// repeated solve. The blocks then also serve the second solve of the step.
static pl__cg_info solve_adaptively(step *st, pl__cg_system *system, const pl__cg_limits *limits, const double *b,
                                    bool again)
{
    pl__solids *s = st->s;
    const damped_system *d = system->user;
    pl__cg_limits first = *limits;
    bool by_matrix = !st->assembled && matrix_helps(s), more_helps = by_matrix || (!st->blocks && blocks_help(s, d->h));
    int32_t few = by_matrix ? (again ? 0 : PL__ITERATIONS_BEFORE_MATRIX) : PL__ITERATIONS_BEFORE_BLOCKS;
    double norm = st->blocks ? st->block_norm : 1;
    choose_preconditioner(st, system);
    first.floor *= norm;
    if (more_helps && first.iterations > few)
        first.iterations = few;
    pl__cg_info info = pl__cg_solve(s->ctx, system, &first, b, s->step.v_end, &s->step.cg);
    if (info.stop != PL__STOP_ITERATIONS || first.iterations == limits->iterations)
        return info;
    if (!assemble(st, system) && !st->blocks)
        pl__solids_build_blocks(s, d->h);
    st->blocks = true;
    choose_preconditioner(st, system);
    // remaining reduction, in the norm of the new preconditioner
    double target = fmax(limits->tolerance * info.first_residual, first.floor);
    pl__cg_limits rest = {.tolerance = target / info.residual, .iterations = limits->iterations - few};
    pl__cg_info more = pl__cg_solve(s->ctx, system, &rest, b, s->step.v_end, &s->step.cg);
    st->block_norm = info.residual > 0 ? norm * more.first_residual / info.residual : 1;
    more.iterations += info.iterations;
    more.first_residual = info.first_residual;
    return more;
}

// Constrain nodes on objects: in the first solve those that the explicit velocities press on, in the second those in
// contact.
static void constrain_object_contacts(step *st, bool first)
{
    if (st->set->object_count == 0)
        return;
    if (first)
    {
        pl__object_contact_expect(&st->touch);
        pl__hold_nodes(st, PL__HOLD_FOOTING);
        pl__pins_script(st, st->s->step.v_end);
    }
    else
    {
        pl__object_contact_hold(&st->touch);
        pl__hold_nodes(st, PL__HOLD_CONTACTS);
    }
}

// Whether friction has changed the system just solved.
static bool friction_changed(step *st, bool first)
{
    if (st->set->object_count == 0 ||
        !(first ? pl__object_contact_friction_first : pl__object_contact_friction_second)(&st->touch))
        return false;
    pl__hold_nodes(st, first ? PL__HOLD_FOOTING : PL__HOLD_CONTACTS);
    return true;
}

// ---- pairs of surfaces ------------------------------------------------------------------------------------------

// Whether pair contacts of a body belong in the solve: solids whose damping outweighs the mass of a node in the
// stiffest mode. Their elastic surface forces are shared by the nodes behind the surface, and would act on a
// contacting body only in the ratio of a node's mass to that: it sank in the deeper, the stronger the damping.
static bool is_heavily_damped(const step *st, const pl__body *body)
{
    return !body->shell && !body->planar &&
           0.5 * st->dt * body->longest_damping * body->derived.figures.frequency2 > PL__SLUGGISH;
}

static bool any_heavily_damped(const step *st)
{
    for (int32_t i = 0; i < st->s->body_count; ++i)
        if (!st->s->body[i]->state.asleep && is_heavily_damped(st, st->s->body[i]))
            return true;
    return false;
}

// Pairs of solids, at least one of them heavily damped. Others are left to the velocity filters.
static bool belongs_in_solve(const step *st, const pl__contact_pair *p)
{
    bool heavily_damped = false, solid = true;
    for (int k = 0; k < 4; ++k)
    {
        const pl__body *body = p->free[k] ? st->s->body[pl__solids_body_of(st->s, p->contact.node[k])] : NULL;
        heavily_damped |= body && is_heavily_damped(st, body);
        solid &= !body || !body->shell;
    }
    return heavily_damped && solid;
}

static void filter_pairs(step *st, bool (*wanted)(const step *st, const pl__contact_pair *p))
{
    int32_t count = 0;
    for (int32_t i = 0; i < st->pairs.count; ++i)
    {
        pl__contact_pair one = st->pairs.pair[i];
        st->pairs.pair[i].impulse = 0; // as events expect it
        if (wanted(st, &one))
            st->pairs.pair[count++] = one;
    }
    st->pairs.count = count;
}

static void find_pairs(step *st)
{
    pl__solids *s = st->s;
    st->pairs = (pl__pair_contacts){.v_start = s->step.v_start, .dt = st->dt, .firm = true};
    if (!st->set->pairs || !any_heavily_damped(st) ||
        !st->set->pairs->find(st->set->pairs->user, s->state.x, st->dt, s->step.v_end, true, &st->pairs))
    {
        st->pairs.count = 0;
        return;
    }
    filter_pairs(st, belongs_in_solve);
}

// Whether a pair is in contact at the positions after the first solve and the filters.
static bool is_touching(const step *st, const pl__contact_pair *p)
{
    const pl__solids *s = st->s;
    double displacement[3] = {st->dt * p->given[0], st->dt * p->given[1], st->dt * p->given[2]};
    for (int k = 0; k < 4; ++k)
        for (size_t d = 0, at = 3 * (size_t)p->contact.node[k]; p->free[k] && d < 3; ++d)
            displacement[d] += p->contact.weight[k] * (s->step.x_end[at + d] - s->state.x[at + d]);
    return pl__impulse_dot(displacement, p->contact.normal) + st->dt * p->allowed <= PL__TOUCHING * p->rest;
}

// The second solve constrains the normal velocity at the end, s' >= 0; in terms of the mid-step velocity, s >= s*/2.
static void constrain_end_velocities(step *st)
{
    const pl__solids *s = st->s;
    filter_pairs(st, is_touching);
    for (int32_t i = 0; i < st->pairs.count; ++i)
    {
        pl__contact_pair *p = &st->pairs.pair[i];
        p->allowed = 0;
        for (int d = 0; d < 3 && !st->set->trapezoid; ++d)
            p->given[d] *= 0.5;
        for (int k = 0; k < 4; ++k)
            for (size_t d = 0; p->free[k] && !st->set->trapezoid && d < 3; ++d)
                p->given[d] -= 0.5 * p->contact.weight[k] * s->step.v_start[3 * (size_t)p->contact.node[k] + d];
    }
}

// Pairs need diagonal blocks from the start. Evaluate the residual in both norms to find their ratio.
static void prepare_pairs(step *st, pl__cg_system *system, bool second)
{
    pl__solids *s = st->s;
    const damped_system *d = system->user;
    const pl__cg_limits none = {.iterations = 0};
    if (second)
        constrain_end_velocities(st);
    else
        find_pairs(st);
    int32_t count = st->pairs.count;
    if (count == 0)
        return;
    st->pairs.count = 0;
    st->blocks = false;
    choose_preconditioner(st, system);
    pl__cg_info by_mass = pl__cg_solve(s->ctx, system, &none, s->step.rhs, s->step.v_end, &s->step.cg);
    if (!assemble(st, system))
        pl__solids_build_blocks(s, d->h);
    st->blocks = true;
    choose_preconditioner(st, system);
    pl__cg_info by_blocks = pl__cg_solve(s->ctx, system, &none, s->step.rhs, s->step.v_end, &s->step.cg);
    st->block_norm = by_mass.first_residual > 0 ? by_blocks.first_residual / by_mass.first_residual : 1;
    if (!second)
        st->residual = by_mass.first_residual;
    st->pairs.count = count;
    memcpy(s->step.pairless_block, s->step.block, 6 * (size_t)s->node_count * sizeof *s->step.block);
    pl__pair_contact_stiffen(&st->pairs, s->step.pairless_block, true);
}

// Right-hand side with the terms of pairs; adds their blocks to the preconditioner.
static const double *load_pairs(step *st)
{
    pl__solids *s = st->s;
    if (st->pairs.count == 0)
        return s->step.rhs;
    pl__pair_contact_precondition(&st->pairs, s->step.pairless_block, s->step.block);
    pl__copy(s->ctx, s->step.rhs, s->step.pair_rhs, 3 * s->node_count, &s->awake.numbers);
    pl__pair_contact_add_rhs(&st->pairs, s->step.pair_rhs);
    return s->step.pair_rhs;
}

// Impulses over the whole step: twice those of the second half, which are the most accurate. Restores `given`.
void pl__damping_report_impulses(const step *st)
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
                p->given[d] +=
                    p->free[k] ? p->contact.weight[k] * s->step.v_start[3 * (size_t)p->contact.node[k] + d] : 0;
        }
    }
    st->outcome->friction_work = 2 * pl__pair_contact_friction_work(&st->pairs, s->step.v_start, s->state.v);
}

static bool update_pairs(step *st, int again)
{
    return st->pairs.count > 0 && pl__pair_contact_update(&st->pairs, st->s->step.v_end, again > PL__SOLVES_THAT_RUB);
}

// Solve (M + h D) v_end = rhs within the constraints; cg.r is the true residual afterwards. The tolerance of both
// solves is relative to the residual of the explicit velocities in the first one. False if a value is not finite.
bool pl__damping_solve(step *st, pl__solve_number number)
{
    const velocity_job this = {st, 0.5 * st->dt, number == PL__SECOND_SOLVE}, *job = &this;
    pl__solids *s = st->s;
    pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->awake.nodes, explicit_nodes, (void *)job);
    constrain_object_contacts(st, !job->second);
    if (!s->evaluation.damped)
    {
        pl__parallel_for_some(s->ctx, s->node_count, NODES_PER_CHUNK, &s->awake.nodes, residual_nodes, s);
        return true;
    }
    st->assembled = false;
    damped_system d = {st, job->h};
    pl__cg_system system = {.count = 3 * s->node_count,
                            .inverse_mass = s->inverse_inertia,
                            .apply = apply_damped,
                            .user = &d,
                            .constraints = &st->constraints,
                            .some = &s->awake.numbers};
    pl__cg_limits limits = st->set->cg;
    double mass = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
        mass += s->body[i]->total_mass;
    limits.floor = PL__SPEED_FLOOR * sqrt(mass);
    prepare_pairs(st, &system, job->second);
    if (job->second || st->pairs.count > 0)
    {
        limits.floor =
            fmax(limits.floor, (job->second && pl__all_by_ends(st) ? 2 : 1) * limits.tolerance * st->residual);
        limits.tolerance = 0;
    }
    pl__cg_info info = solve_adaptively(st, &system, &limits, load_pairs(st), false);
    if (!job->second && st->pairs.count == 0)
        st->residual = info.first_residual;
    st->outcome->iterations += info.iterations;
    for (int again = 0; info.stop != PL__STOP_NOT_FINITE; ++again)
    {
        bool pairs = update_pairs(st, again),
             slides = again < PL__SOLVES_FOR_FRICTION && friction_changed(st, !job->second);
        if ((!slides && !pairs) || again == PL__SOLVES_FOR_PAIRS)
            break;
        limits.floor = fmax(limits.floor, limits.tolerance * info.first_residual);
        limits.tolerance = 0;
        info = solve_adaptively(st, &system, &limits, load_pairs(st), true);
        st->outcome->iterations += info.iterations;
    }
    pl__pair_contact_add_impulses(&st->pairs, 1, s->step.rhs);
    if (system.block)
        pl__restore_momentum(st, 1);
    st->outcome->unconverged += info.stop == PL__STOP_ITERATIONS;
    return info.stop != PL__STOP_NOT_FINITE;
}
