// src/solid/step.c -- shared by both integrators: pins, constraints, momentum restoration.
#include "step.h"
#include "tolerances.h"
#include "pin.h"

#include <math.h>
#include <string.h>

// ---- pins ------------------------------------------------------------------------------------------------------

// Target of a pin and the time left to reach it: the rest of the frame, or, in a group, this step.
static const double *pin_target(const pl__step *st, const pl__body *body, const pl__pin *pin, double *time)
{
    *time = pin->group < 0 ? st->remaining : st->dt;
    return pin->group < 0 ? pin->target : &body->pins.group[pin->group].target[3 * (size_t)pin->member];
}

void pl__pins_script(const pl__step *st, double *v)
{
    for (int32_t i = 0; i < st->s->body_count; ++i)
    {
        const pl__body *body = st->s->body[i];
        for (int32_t k = 0; k < body->pins.count; ++k)
        {
            size_t at = 3 * (size_t)(body->first_node + body->pins.pin[k].node);
            double time;
            const double *target = pin_target(st, body, &body->pins.pin[k], &time);
            for (size_t j = 0; j < 3; ++j)
                v[at + j] = body->planar && j == 2 ? 0 : (target[j] - st->s->state.x[at + j]) / time;
        }
    }
}

void pl__pins_release(const pl__step *st)
{
    pl__solids *s = st->s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        for (int32_t k = 0; k < body->pins.count; ++k)
        {
            int32_t node = body->first_node + body->pins.pin[k].node;
            double time;
            const double *target = pin_target(st, body, &body->pins.pin[k], &time);
            s->contacts.count[node] = s->contacts.footing[node] = 0;
            for (size_t j = 0; j < 3; ++j)
            {
                size_t at = 3 * (size_t)node + j;
                s->step.v_start[at] = s->step.v_end[at];
                s->step.x_end[at] =
                    st->dt < time || (body->planar && j == 2) ? s->state.x[at] + st->dt * s->step.v_end[at] : target[j];
            }
        }
    }
}

// ---- constraints -----------------------------------------------------------------------------------------------

// Add the part of `normal` orthogonal to the existing directions; false if nothing is left.
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
    if (length < PL__DIRECTION_LEFT)
        return false;
    for (int i = 0; i < 3; ++i)
        c->direction[c->count][i] = d[i] / length;
    c->count++;
    return true;
}

static void constrain_node(pl__step *st, int32_t node)
{
    pl__node_constraint *c = &st->s->step.constraint[st->constraints.single_count++];
    *c = (pl__node_constraint){.node = node, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

// Linearised friction transverse to the sliding direction.
static void set_drag(const pl__solids *s, pl__node_constraint *c)
{
    const pl__node_contacts *contact = &s->contacts.node[c->node];
    c->drag = contact->drag;
    c->slow = c->drag / (c->drag + s->inertia[3 * (size_t)c->node]);
    memcpy(c->along, contact->across, sizeof c->along);
}

// Constraints of a node that is neither pinned nor sticks: contact normals, and the plane of a planar body.
static void constrain_directions(pl__step *st, int32_t node, bool planar, pl__held what)
{
    static const double out_of_plane[3] = {0, 0, 1};
    pl__solids *s = st->s;
    int32_t contacts = what == PL__HOLD_CONTACTS ? s->contacts.count[node] : 0;
    bool slides = what != PL__HOLD_PINS && s->contacts.footing[node] == PL__SLIDES;
    if (contacts == 0 && !slides && !planar)
        return;
    pl__node_constraint *c = &s->step.constraint[st->constraints.single_count++];
    *c = (pl__node_constraint){.node = node};
    if (planar)
        (void)add_direction(c, out_of_plane);
    if (slides)
        (void)add_direction(c, s->contacts.node[node].support_normal);
    for (int32_t k = 0; k < contacts && c->count < 3; ++k)
        (void)add_direction(c, s->contacts.node[node].normal[k]);
    if (slides && !planar && s->contacts.node[node].drag > 0)
        set_drag(s, c);
    st->outcome->contacts += contacts > 0;
}

// Constraints are in order of nodes.
void pl__hold_nodes(pl__step *st, pl__held what)
{
    pl__solids *s = st->s;
    st->constraints = (pl__constraints){.single = s->step.constraint, .sweeps = 1, .inverse_mass = s->inverse_mass};
    if (st->set->object_count == 0)
        what = PL__HOLD_PINS;
    st->outcome->contacts = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        int32_t pin = 0;
        bool every_node = what != PL__HOLD_PINS || body->planar;
        if (body->state.asleep)
        {
            int32_t end = body->first_node + body->node_count;
            for (int32_t n = pl__solids_next_awake(s, body->first_node, end); n < end;
                 n = pl__solids_next_awake(s, n + 1, end))
                constrain_node(st, n);
            continue;
        }
        if (!every_node)
            for (; pin < body->pins.count; ++pin)
                constrain_node(st, body->first_node + body->pins.pin[pin].node);
        for (int32_t n = body->first_node; every_node && n < body->first_node + body->node_count; ++n)
            if (pin < body->pins.count && body->first_node + body->pins.pin[pin].node == n)
            {
                constrain_node(st, n);
                s->contacts.footing[n] = 0;
                ++pin;
            }
            else if (what != PL__HOLD_PINS && s->contacts.footing[n] == PL__STICKS)
            {
                constrain_node(st, n);
                st->outcome->contacts++;
            }
            else
                constrain_directions(st, n, body->planar, what);
    }
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Remove the components of v along `count` orthonormal directions.
static void remove_components(const double direction[][3], int32_t count, double v[3])
{
    for (int32_t i = 0; i < count; ++i)
    {
        double along = dot(direction[i], v);
        for (int k = 0; k < 3; ++k)
            v[k] -= along * direction[i][k];
    }
}

// Orthonormal basis of the constrained directions of constraints [begin, end): returns its dimension.
static int32_t orthonormal_basis(const pl__constraints *constraints, int32_t begin, int32_t end, double direction[3][3])
{
    int32_t count = 0;
    for (int32_t c = begin; c < end; ++c)
        for (int32_t k = 0; k < constraints->single[c].count && count < 3; ++k)
        {
            double left[3];
            memcpy(left, constraints->single[c].direction[k], sizeof left);
            remove_components((const double(*)[3])direction, count, left);
            double length2 = dot(left, left);
            if (length2 < PL__SPAN_LEFT2)
                continue;
            for (int i = 0; i < 3; ++i)
                direction[count][i] = left[i] / sqrt(length2);
            ++count;
        }
    return count;
}

// Momentum that a body lacks, and its mass; the drag of friction counts as mass for a common velocity.
static double missing_momentum(const pl__step *st, const pl__body *body, double weight, int32_t begin, int32_t end,
                               double missing[3])
{
    const pl__solids *s = st->s;
    double mass = 0;
    missing[0] = missing[1] = missing[2] = 0;
    for (int32_t n = body->first_node; n < body->first_node + body->node_count; ++n)
    {
        mass += weight * s->mass[3 * (size_t)n];
        for (size_t k = 0; k < 3; ++k)
            missing[k] +=
                s->step.rhs[3 * (size_t)n + k] - weight * s->mass[3 * (size_t)n + k] * s->step.v_end[3 * (size_t)n + k];
    }
    for (int32_t c = begin; c < end; ++c)
    {
        const pl__node_constraint *held = &st->constraints.single[c];
        const double *v = &s->step.v_end[3 * (size_t)held->node];
        double slow = held->slow > 0 ? held->drag : 0, along = slow > 0 ? dot(held->along, v) : 0;
        mass += slow;
        for (int k = 0; k < 3 && slow > 0; ++k)
            missing[k] -= slow * along * held->along[k];
    }
    return mass;
}

void pl__restore_momentum(const pl__step *st, double weight)
{
    pl__solids *s = st->s;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        int32_t end = body->first_node + body->node_count,
                begin = pl__constraints_first(&st->constraints, body->first_node),
                c = pl__constraints_first(&st->constraints, end);
        double held[3][3], missing[3];
        int32_t held_count = orthonormal_basis(&st->constraints, begin, c, held);
        if (held_count == 3 || body->state.asleep || pl__body_is_dragged(body) || body->pins.soft)
            continue;
        double mass = missing_momentum(st, body, weight, begin, c, missing);
        remove_components((const double(*)[3])held, held_count, missing);
        for (int32_t n = body->first_node; n < end; ++n)
            for (size_t k = 0; k < 3; ++k)
                if (s->mass[3 * (size_t)n] > 0)
                    s->step.v_end[3 * (size_t)n + k] += missing[k] / mass;
    }
}

void pl__mark_pressed(const pl__solids *s, const pl__pair_contacts *pairs)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        s->body[i]->derived.pressed = false;
    for (int32_t i = 0; i < pairs->count; ++i)
        for (int k = 0; pairs->pair[i].impulse > 0 && k < 4; ++k)
            if (pairs->pair[i].free[k])
                s->body[pl__solids_body_of(s, pairs->pair[i].contact.node[k])]->derived.pressed = true;
}

bool pl__is_broken(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->derived.figures.broken)
            return true;
    return false;
}

double pl__stability_limit(const pl__solids *s, bool wary)
{
    double frequency2 = 0;
    for (int32_t i = 0; i < s->body_count; ++i)
        if (wary || !s->body[i]->state.asleep)
            frequency2 = fmax(frequency2, s->body[i]->derived.figures.frequency2);
    return 2 / sqrt(frequency2);
}

void pl__follow_pins(pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (pl__body_follow_pins(s->body[i]))
            s->evaluation.fresh = 0;
}

pl_status pl__report_broken(const pl__solids *s, const pl__step_settings *set)
{
    int32_t body, element;
    if (!pl__solids_find_broken(s, &body, &element))
        return pl__fail(s->ctx, PL_ERR_NUMERIC,
                        "a velocity is not finite; velocities or forces grew beyond what numbers hold");
    const char *kind = pl__element_type_of(s->body[body]->group[0].kind)->name; // mesh elements come first
    return pl__fail(s->ctx, PL_ERR_NUMERIC, "bodies.%s: the force of %s %d is not finite",
                    set->name_of(set->user, body), kind, element);
}

bool pl__feels_air(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (pl__body_is_dragged(s->body[i]))
            return true;
    return false;
}

bool pl__any_soft_pins(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->pins.soft)
            return true;
    return false;
}

bool pl__anything_flows(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        for (int32_t g = 0; g < s->body[i]->group_count; ++g)
            if (s->body[i]->group[g].flows)
                return true;
    return false;
}

void pl__stay_in_plane(const pl__solids *s, double *v)
{
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        for (int32_t n = body->first_node; body->planar && n < body->first_node + body->node_count; ++n)
            v[3 * (size_t)n + 2] = 0;
    }
}

bool pl__any_asleep(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->state.asleep)
            return true;
    return false;
}

bool pl__all_asleep(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (!s->body[i]->state.asleep)
            return false;
    return s->body_count > 0;
}

void pl__sleepers_stay(const pl__solids *s)
{
    for (int32_t i = 0; i < s->body_count; ++i)
        if (s->body[i]->state.asleep)
            memcpy(&s->step.x_end[3 * (size_t)s->body[i]->first_node], &s->state.x[3 * (size_t)s->body[i]->first_node],
                   3 * (size_t)s->body[i]->node_count * sizeof *s->state.x);
}

// ---- beginning ---------------------------------------------------------------------------------------------------

pl__step pl__step_begin(pl__solids *s, const pl__step_settings *set, double remaining, double dt,
                        pl__step_outcome *outcome)
{
    pl__step st = {.s = s,
                   .set = set,
                   .remaining = remaining,
                   .dt = dt,
                   .soft = pl__any_soft_pins(s),
                   .outcome = outcome,
                   .touch = {.s = s,
                             .object = set->object,
                             .object_count = set->object_count,
                             .friction_table = set->friction_table,
                             .sleepers = pl__any_asleep(s)}};
    pl__set_length(&st);
    return st;
}

double pl__equal_steps(double time, double longest)
{
    double steps = ceil(time / fmin(longest, time) - PL__STEP_ROUNDING); // which keeps rounding from adding one
    return steps > 1 ? time / steps : time;
}

void pl__run_stages(const pl__step *st, pl__stage_point point, double *v)
{
    pl__stages_run(st->set->stages, point,
                   &(pl__stage_input){.solids = st->s,
                                      .objects = &st->touch,
                                      .dt = st->dt,
                                      .x = st->s->state.x,
                                      .x_end = point == PL__AFTER_POSITIONS ? st->s->step.x_end : NULL,
                                      .v = v,
                                      .step = (pl__step *)st});
}

void pl__set_length(pl__step *st) { st->outcome->dt = st->touch.dt = st->pairs.dt = st->dt; }

void pl__move_objects(const pl__step *st)
{
    st->set->aim(st->set->user, st->dt);
    for (int32_t k = 0; k < st->set->object_count; ++k)
        pl__object_move(&st->set->object[k], st->dt);
}

void pl__return_objects(const pl__step *st)
{
    for (int32_t k = 0; k < st->set->object_count; ++k)
        pl__object_return(&st->set->object[k]);
}

void pl__sleep_through(pl__step *st)
{
    pl__move_objects(st);
    memset(st->s->contacts.count, 0, (size_t)st->s->node_count);
}
