// src/solid/semi_implicit.c -- one time step: elastic forces explicit, damping implicit.
//
// With a(x, v) = M^-1 (f(x) - D(x) v) + g and h = dt/2, thesis 3.1 says
//
//     1  v~ = v + h a(x, v~)                         solve (M + h D) v~ = M v + h (f + M g)
//     3  x~ = x + dt v~
//     4  x', v* = collide with objects               touch.h, which also holds nodes on objects in both solves
//     5  v½ = v* + h a((x + x')/2, v½)               the same matrix at the middle; contact normals held
//     6  v' = 2 v½ - v*                              = the trapezoidal rule, better conditioned
//     7  v' = friction with objects                  from the normal force that the solve removed
//
// Soft pins make their nodes heavier in both solves and push them (pin.c); M in the solves is then `inertia`.
//
// and thesis 2.9 replaces 5 and 6 by  v' = v* + h (a(x, v*) + a(x', v')), which needs one evaluation of forces per step
// instead of two. We use a(x, v~) for its first half, which is what step 1 found already: with a(x, v*) a damped spinning
// body feeds on the difference, a torque of dt h v~ x D (v~ - v), and spins up by itself (16 % in 10 s at one turn per
// second); with a(x, v~) angular momentum is kept to round-off whenever the forces are free of torque. 3.1 keeps it
// to O(dt^2) only, and feeds on that too; so bodies that nothing touches get back what they lost or gained (solid/rigid.h).
//
// Shells go by 2.9 in every world. What 3.1 errs by is large where an element turns while it is under tension: the chord (x + x')/2 of
// a turn by alpha is shorter by alpha^2/8, and at steps near the limit that is half of the strain which keeps it on its
// circle. Solids hold their elements from turning by themselves. The triangles of a crumpled sheet tumble, every one by its own:
// free sheets of 6 x 6 nodes, scrambled, without bending, at 0.9 of the limit and with a damping of 0.02 s gained energy a thousand
// to ten million times by 3.1, for most of twenty seeds and all laws, and still some at 0.35 of it; none by 2.9. (3.1 with the
// mean of the forces at both ends and the damping of the end is far worse: there the two halves of a step damp different velocities.)
//
// Both are stable up to dt = 2/omega of the highest elastic frequency, whatever the damping (with damping ratio growing,
// the bound only rises). omega comes from the elements' own state: see stiffness_bound in material/stress.kernel.c and
// `gain` in element/tet.h; the largest element bounds all of its kind (Irons & Treharne), and kinds are added (solids.c).
//
// Friction (7): print has max(0, dv.N) where it must be min: with it a particle slides down an incline exactly as it should.
// For connected, damped nodes it acts inside both solves (touch.h).
#include "semi_implicit.h"
#include "pin.h"
#include "recovery.h"
#include "rigid.h"
#include "touch.h"

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

typedef struct
{
    pl__solids *s;
    const pl__step_settings *set;
    double dt, remaining;
    bool may_shorten; // and be tried again
    double residual; // of the explicit velocities in the first solve
    bool soft;       // some pins are springs
    bool blocks;     // there are diagonal blocks for the solves of this step
    double block_norm; // of a residual in their metric, over that in the metric of the mass
    pl__touch touch;
    pl__constraints constraints;
    pl__step_outcome *outcome;
} step;

enum
{
    NODES_PER_CHUNK = PL_VECTOR_CHUNK / 3,
    MOST_RUBS = 4 // solves again because of friction
};


// ---- pins ------------------------------------------------------------------------------------------------------

// Where a pin shall be, and how long it has to get there: the rest of the frame, or, in a group, this step.
static const double *pin_target(const step *st, const pl__body *body, const pl__pin *pin, double *time)
{
    *time = pin->group < 0 ? st->remaining : st->dt;
    return pin->group < 0 ? pin->target : &body->pin_group[pin->group].target[3 * (size_t)pin->member];
}

// A pinned node goes to its target at constant velocity, one of a planar body within its plane; `v` of all pinned nodes.
static void script_pins(const step *st, double *v)
{
    for (int32_t i = 0; i < st->s->body_count; ++i)
    {
        const pl__body *body = st->s->body[i];
        for (int32_t k = 0; k < body->pin_count; ++k)
        {
            size_t at = 3 * (size_t)(body->first_node + body->pin[k].node);
            double time;
            const double *target = pin_target(st, body, &body->pin[k], &time);
            for (size_t j = 0; j < 3; ++j)
                v[at + j] = body->planar && j == 2 ? 0 : (target[j] - st->s->x[at + j]) / time;
        }
    }
}

// Pinned nodes belong to their pins, whatever objects did to them; at the end of their time they arrive exactly.
static void release_pins(const step *st)
{
    pl__solids *s = st->s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        for (int32_t k = 0; k < body->pin_count; ++k)
        {
            int32_t node = body->first_node + body->pin[k].node;
            double time;
            const double *target = pin_target(st, body, &body->pin[k], &time);
            s->contact_count[node] = s->footing[node] = 0;
            for (size_t j = 0; j < 3; ++j)
            {
                size_t at = 3 * (size_t)node + j;
                s->v_start[at] = s->v_end[at];
                s->x_end[at] = st->dt < time || (body->planar && j == 2) ? s->x[at] + st->dt * s->v_end[at] : target[j];
            }
        }
    }
}

// ---- constraints -----------------------------------------------------------------------------------------------

// The part of `normal` across the directions that are held already; false if nothing is left.
static bool add_direction(pl__node_constraint *c, const double normal[3])
{
    double d[3] = {normal[0], normal[1], normal[2]};
    for (int32_t k = 0; k < c->count; ++k)
    {
        const double *e = c->direction[k];
        double along = d[0] * e[0] + d[1] * e[1] + d[2] * e[2];
        for (int i = 0; i < 3; ++i)
            d[i] -= along * e[i];
    }
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (length < 1e-6)
        return false;
    for (int i = 0; i < 3; ++i)
        c->direction[c->count][i] = d[i] / length;
    c->count++;
    return true;
}

// Constraints of the coming solve: pins always, the footing of nodes once it is known, contact normals after the collision.
typedef enum
{
    PINS,
    PINS_AND_FOOTING,
    PINS_AND_CONTACTS
} held_kind;

static void hold_node(step *st, int32_t node)
{
    pl__node_constraint *c = &st->s->constraint[st->constraints.single_count++];
    *c = (pl__node_constraint){.node = node, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

// Friction resists what a node does across the direction in which it slides.
static void slow_down(const pl__solids *s, pl__node_constraint *c)
{
    const pl__node_contacts *contact = &s->contact[c->node];
    c->slow = contact->drag / (contact->drag + s->inertia[3 * (size_t)c->node]);
    memcpy(c->along, contact->across, sizeof c->along);
}

// What keeps a node that is neither pinned nor sticks: normals, and the plane of a planar body.
static void hold_directions(step *st, int32_t node, bool planar, held_kind what)
{
    static const double out_of_plane[3] = {0, 0, 1};
    pl__solids *s = st->s;
    int32_t contacts = what == PINS_AND_CONTACTS ? s->contact_count[node] : 0;
    bool slides = what != PINS && s->footing[node] == PL__SLIDES;
    if (contacts == 0 && !slides && !planar)
        return;
    pl__node_constraint *c = &s->constraint[st->constraints.single_count++];
    *c = (pl__node_constraint){.node = node};
    if (planar)
        (void)add_direction(c, out_of_plane);
    if (slides)
        (void)add_direction(c, s->contact[node].up);
    for (int32_t k = 0; k < contacts && c->count < 3; ++k)
        (void)add_direction(c, s->contact[node].normal[k]);
    if (slides && !planar && s->contact[node].drag > 0)
        slow_down(s, c);
    st->outcome->contacts += contacts > 0;
}

// In order of nodes.
static void build_constraints(step *st, held_kind what)
{
    pl__solids *s = st->s;
    st->constraints = (pl__constraints){.single = s->constraint, .sweeps = 1, .inverse_mass = s->inverse_mass};
    if (st->set->object_count == 0)
        what = PINS;
    st->outcome->contacts = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        int32_t pin = 0;
        bool every_node = what != PINS || body->planar;
        if (body->asleep)
        {
            for (int32_t n = body->first_node; n < body->first_node + body->node_count; ++n)
                hold_node(st, n);
            continue;
        }
        if (!every_node)
            for (; pin < body->pin_count; ++pin)
                hold_node(st, body->first_node + body->pin[pin].node);
        for (int32_t n = body->first_node; every_node && n < body->first_node + body->node_count; ++n)
            if (pin < body->pin_count && body->first_node + body->pin[pin].node == n)
            {
                hold_node(st, n);
                s->footing[n] = 0;
                ++pin;
            }
            else if (what != PINS && s->footing[n] == PL__STICKS)
            {
                hold_node(st, n);
                st->outcome->contacts++;
            }
            else
                hold_directions(st, n, body->planar, what);
    }
}

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

// rhs = M (v_start + push) + h (force + M g), by 2.9 with what the first solve found before that, and a first guess whose momentum
// is right already: the explicit velocities, or, in the second solve, as much more as the first one found, or twice
// that by 2.9, which differs by O(dt^2) only.
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

static double apply_damped(void *user, const double *in, double *out)
{
    const damped_system *d = user;
    double product = pl__solids_apply_damping(d->st->s, 1, d->h, in, out);
    return product + (d->st->set->object_count > 0 ? pl__touch_drag(&d->st->touch, &d->st->constraints, in, out) : 0);
}

// Without damping the explicit velocities are the answer; only the residual at the constraints is wanted.
static void residual_nodes(void *argument, int32_t begin, int32_t end)
{
    pl__solids *s = argument;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        s->cg.r[k] = s->rhs[k] - s->inertia[k] * s->v_end[k];
}

// Where a solve by blocks stopped early it has left bodies a momentum that they should not have: those that nothing holds get
// theirs back by a common velocity, to which the damping is blind.
static void mend_momentum(const step *st)
{
    pl__solids *s = st->s;
    int32_t c = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        int32_t end = body->first_node + body->node_count, held = c;
        while (c < st->constraints.single_count && st->constraints.single[c].node < end)
            ++c;
        if (c > held || pl__body_is_dragged(body) || body->soft_pins)
            continue;
        double missing[3] = {0, 0, 0}, mass = 0;
        for (int32_t n = body->first_node; n < end; ++n)
        {
            mass += s->mass[3 * (size_t)n];
            for (size_t k = 0; k < 3; ++k)
                missing[k] += s->rhs[3 * (size_t)n + k] - s->mass[3 * (size_t)n + k] * s->v_end[3 * (size_t)n + k];
        }
        for (int32_t n = body->first_node; n < end; ++n)
            for (size_t k = 0; k < 3; ++k)
                if (s->mass[3 * (size_t)n] > 0)
                    s->v_end[3 * (size_t)n + k] += missing[k] / mass;
    }
}

// Whether blocks are likely to help. They take 1.3 to 2.2 times fewer iterations for tetrahedra; for voxels and sheets, whose nodes
// are all alike, only 1.1 times, or 1.3 where damping outweighs mass a thousand times in the stiffest motion.
static bool blocks_help(const pl__solids *s, double h)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->asleep)
            continue;
        else if (s->body[i]->group[0].kind == PL__TET || h * s->body[i]->longest_damping * s->body[i]->figures.frequency2 > 1000)
            return true;
    return false;
}

// Solve with the mass as preconditioner, as most solves are done within a few iterations; one that is not goes on with diagonal
// blocks, which cost as much as some of them to make, and which then serve the second solve of the step as well.
static pl__cg_info solve_patiently(step *st, pl__cg_system *system, const pl__cg_limits *limits)
{
    enum
    {
        FEW = 6
    };
    pl__solids *s = st->s;
    const damped_system *d = system->user;
    pl__cg_limits first = *limits;
    bool may = st->blocks || blocks_help(s, d->h);
    system->block = st->blocks ? s->block : NULL;
    if (st->blocks)
        first.floor *= st->block_norm;
    if (may && !st->blocks && first.iterations > FEW)
        first.iterations = FEW;
    pl__cg_info info = pl__cg_solve(s->ctx, system, &first, s->rhs, s->v_end, &s->cg);
    if (info.stop != PL__STOP_ITERATIONS || first.iterations == limits->iterations)
        return info;
    pl__solids_build_blocks(s, d->h);
    st->blocks = true;
    system->block = s->block;
    // what is still to be gained, in another norm
    double target = fmax(limits->tolerance * info.first_residual, limits->floor);
    pl__cg_limits rest = {.tolerance = target / info.residual, .iterations = limits->iterations - FEW};
    pl__cg_info more = pl__cg_solve(s->ctx, system, &rest, s->rhs, s->v_end, &s->cg);
    st->block_norm = info.residual > 0 ? more.first_residual / info.residual : 1;
    more.iterations += info.iterations;
    more.first_residual = info.first_residual;
    return more;
}

// Nodes on objects are held: in the first solve those that the explicit velocities press on, in the second those that touch.
static void hold_footing(step *st, bool first)
{
    if (st->set->object_count == 0)
        return;
    if (first)
    {
        pl__touch_expect(&st->touch);
        build_constraints(st, PINS_AND_FOOTING);
        script_pins(st, st->s->v_end);
    }
    else
    {
        pl__touch_hold(&st->touch);
        build_constraints(st, PINS_AND_CONTACTS);
    }
}

// Whether friction has changed what has just been solved.
static bool rub(step *st, bool first)
{
    if (st->set->object_count == 0 || !(first ? pl__touch_rub_first : pl__touch_rub_second)(&st->touch))
        return false;
    build_constraints(st, first ? PINS_AND_FOOTING : PINS_AND_CONTACTS);
    return true;
}

// v_end = solution of (M + h D) v_end = rhs, with the constraints; cg.r is the true residual afterwards. Both solves of a step
// are as exact as the first one's tolerance, relative to the residual of the explicit velocities, asks for. False if a number
// stopped being finite.
static bool solve_velocity(step *st, const velocity_job *job)
{
    pl__solids *s = st->s;
    pl__parallel_for(s->ctx, s->node_count, NODES_PER_CHUNK, explicit_nodes, (void *)job);
    hold_footing(st, !job->second);
    if (!s->damped)
    {
        pl__parallel_for(s->ctx, s->node_count, NODES_PER_CHUNK, residual_nodes, s);
        return true;
    }
    damped_system d = {st, job->h};
    pl__cg_system system = {3 * s->node_count, s->inverse_inertia, NULL, apply_damped, &d, &st->constraints};
    pl__cg_limits limits = st->set->cg;
    double mass = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
        mass += s->body[i]->total_mass;
    limits.floor = 1e-12 * sqrt(mass); // errors of 1e-12 m/s are nobody's business
    if (job->second)
    {
        limits.floor = fmax(limits.floor, (all_by_ends(st) ? 2 : 1) * limits.tolerance * st->residual);
        limits.tolerance = 0;
    }
    pl__cg_info info = solve_patiently(st, &system, &limits);
    if (!job->second)
        st->residual = info.first_residual;
    st->outcome->iterations += info.iterations;
    for (int again = 0; again < MOST_RUBS && info.stop != PL__STOP_NOT_FINITE && rub(st, !job->second); ++again)
    {
        limits.floor = fmax(limits.floor, limits.tolerance * info.first_residual);
        limits.tolerance = 0;
        info = solve_patiently(st, &system, &limits);
        st->outcome->iterations += info.iterations;
    }
    if (system.block)
        mend_momentum(st);
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

// Steps 1 to 4: x_end and v_start.
static bool predict(step *st)
{
    pl__solids *s = st->s;
    double h = 0.5 * st->dt;
    pl__copy(s->ctx, s->v, s->v_start, 3 * s->node_count);
    script_pins(st, s->v_start);
    build_constraints(st, PINS);
    for (int32_t i = 0; s->push && i < s->body_count; ++i)
        pl__pins_soften(s, s->body[i], st->dt, NULL);
    bool sound = solve_velocity(st, &(velocity_job){st, h, false});
    if (st->set->object_count > 0)
        pl__touch_let_go(&st->touch);
    pl__parallel_for(s->ctx, s->node_count, NODES_PER_CHUNK, remember_change, s);
    pl__parallel_for(s->ctx, s->node_count, NODES_PER_CHUNK, advance_positions, st);
    if (st->set->object_count > 0)
        pl__touch_collide(&st->touch);
    release_pins(st);
    build_constraints(st, PINS_AND_CONTACTS);
    // the forces at x are used up; those to come belong to the new directors
    pl__solids_relax_directors(s);
    return sound;
}

static bool broken(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->figures.broken)
            return true;
    return false;
}

// The stability limit 2/omega, or infinity.
static double stability_limit(const pl__solids *s, bool wary)
{
    double frequency2 = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
        if (wary || !s->body[i]->asleep)
            frequency2 = fmax(frequency2, s->body[i]->figures.frequency2);
    return 2 / sqrt(frequency2);
}

// Whether a step that was stable where it began has come to where it is far from that: elements that are flung into a stiffer
// shape, of a law that stiffens, get more from it than they brought. A step that the user wants is taken as it is.
static bool leaps(const step *st)
{
    for (int32_t i = 0; st->may_shorten && i < st->s->body_count; ++i)
    {
        const pl__body *body = st->s->body[i];
        if (!body->asleep && st->dt * sqrt(body->figures.frequency2) > 2 * (body->shell ? largest_shell_leap : largest_leap))
            return true;
    }
    return false;
}

// Steps 5 to 7, from the middle or from the end. Elements flow where a step has ended; that may be found out here only where nothing
// else has to be evaluated.
static progress finish(step *st)
{
    pl__solids *s = st->s;
    pl__parallel_for(s->ctx, s->node_count, NODES_PER_CHUNK, middle_positions, st);
    s->flow_due |= st->set->trapezoid;
    s->flow_dt = st->set->trapezoid ? st->dt : s->flow_dt;
    pl__solids_evaluate(s, st->set->trapezoid ? s->x_end : s->x_middle, false);
    if (leaps(st))
        return LEAPT;
    if (broken(s))
        return BROKE;
    // v_end is still v~
    for (int32_t i = 0; st->soft && i < s->body_count; ++i)
        pl__pins_soften(s, s->body[i], st->dt, by_ends(st, s->body[i]) ? s->v_end : s->v_start);
    if (!solve_velocity(st, &(velocity_job){st, 0.5 * st->dt, true}))
        return BROKE;
    pl__parallel_for(s->ctx, s->node_count, NODES_PER_CHUNK, new_velocities, st);
    if (st->set->object_count > 0)
        pl__touch_finish(&st->touch);
    return DONE;
}

// ---- the step --------------------------------------------------------------------------------------------------

static double longest_step(const pl__solids *s, const pl__step_settings *set)
{
    return set->fixed_step > 0 ? set->fixed_step : set->safety * stability_limit(s, set->wary);
}

static void follow_pins(pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (pl__body_follow_pins(s->body[i]))
            s->forces_fresh = false;
}

double pl__semi_implicit_longest_step(pl__solids *s, const pl__step_settings *set)
{
    follow_pins(s);
    if (!s->forces_fresh)
        pl__solids_evaluate(s, s->x, true);
    return longest_step(s, set);
}

static double choose_step(const pl__solids *s, const pl__step_settings *set, double remaining)
{
    double limit = fmin(longest_step(s, set), remaining);
    // equal steps to the end of the frame; a hair of slack keeps rounding from adding one
    double steps = ceil(remaining / limit - 1e-9);
    return steps > 1 ? remaining / steps : remaining;
}

static pl_status report_broken(const pl__solids *s, const pl__step_settings *set)
{
    int32_t body, element;
    if (!pl__solids_find_broken(s, &body, &element))
        return pl__fail(s->ctx, PL_ERR_NUMERIC, "a velocity is not finite; velocities or forces grew beyond what numbers hold");
    const char *kind = pl__element_type_of(s->body[body]->group[0].kind)->name; // the elements of the mesh come first
    return pl__fail(s->ctx, PL_ERR_NUMERIC, "bodies.%s: the force of %s %d is not finite", set->name_of(set->user, body), kind, element);
}

// Drag depends on velocities, which are new at the end of a step: what was evaluated before is not what belongs to the state.
static bool feels_air(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (pl__body_is_dragged(s->body[i]))
            return true;
    return false;
}

static bool any_soft_pins(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->soft_pins)
            return true;
    return false;
}

static bool anything_flows(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
            if (s->body[i]->group[g].flows)
                return true;
    return false;
}

// Not where the user chose it, nor where elements would have flowed on the way (a world by 2.9 lets them flow where a step ends).
static bool may_shorten(const pl__solids *s, const pl__step_settings *set)
{
    return set->fixed_step <= 0 && !(set->trapezoid && anything_flows(s));
}

// Whether the last forces of a step are those at the beginning of the next one.
static bool ends_fresh(const step *st)
{
    return all_by_ends(st) && !feels_air(st->s) && (st->set->trapezoid || !anything_flows(st->s));
}

// Nodes of planar bodies have left their plane only by what objects did to them.
static void stay_in_plane(const pl__solids *s, double *v)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        for (int32_t n = body->first_node; body->planar && n < body->first_node + body->node_count; ++n)
            v[3 * (size_t)n + 2] = 0;
    }
}

static bool any_asleep(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->asleep)
            return true;
    return false;
}

static bool all_asleep(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (!s->body[i]->asleep)
            return false;
    return s->body_count > 0;
}

// Time goes on, and objects with it.
static void sleep_through(pl__solids *s, const pl__step_settings *set, double dt)
{
    set->aim(set->user, dt);
    for (int32_t k = 0; k < set->object_count; ++k)
        pl__object_move(&set->object[k], dt);
    memset(s->contact_count, 0, (size_t)s->node_count);
}

// One try. The state is as before unless it is done.
static progress take(step *st)
{
    pl__solids *s = st->s;
    const pl__step_settings *set = st->set;
    set->aim(set->user, st->dt);
    for (int32_t k = 0; k < set->object_count; ++k)
        pl__object_move(&set->object[k], st->dt);
    st->touch = (pl__touch){.s = s, .object = set->object, .object_count = set->object_count, .dt = st->dt, .trapezoid = set->trapezoid, .projected = set->projected, .sleepers = any_asleep(s)};
    pl__touch_prepare(&st->touch);
    if (!set->trapezoid)
        pl__rigid_remember(s);
    progress how = predict(st) ? finish(st) : BROKE;
    for (int32_t k = 0; how != DONE && k < set->object_count; ++k)
        pl__object_return(&set->object[k]);
    return how;
}

pl_status pl__semi_implicit_step(pl__solids *s, const pl__step_settings *set, double remaining, pl__step_outcome *outcome)
{
    *outcome = (pl__step_outcome){0};
    follow_pins(s);
    if (!s->forces_fresh)
        pl__solids_evaluate(s, s->x, false);
    double span = fmin(remaining, set->span);
    if (pl__recovery_update(s, set->material, choose_step(s, set, span)))
        pl__solids_evaluate(s, s->x, false);
    if (broken(s))
        return report_broken(s, set);

    step st = {.s = s, .set = set, .remaining = remaining, .dt = choose_step(s, set, span), .may_shorten = may_shorten(s, set), .soft = any_soft_pins(s), .outcome = outcome};
    outcome->stable_dt = stability_limit(s, set->wary);
    if (all_asleep(s))
    {
        outcome->dt = st.dt;
        sleep_through(s, set, st.dt);
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
        s->forces_fresh = false;
        return report_broken(s, set);
    }
    // copied, not exchanged: hosts hold on to the address of x
    pl__copy(s->ctx, s->x_end, s->x, 3 * s->node_count);
    if (!set->trapezoid)
        pl__rigid_restore(s);
    stay_in_plane(s, s->v);
    s->forces_fresh = ends_fresh(&st);
    s->flow_due = !set->trapezoid;
    s->flow_dt = st.dt;
    return PL_OK;
}
