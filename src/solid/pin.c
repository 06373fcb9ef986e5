// src/solid/pin.c -- pin groups: nodes that are held, rigidly or by springs.
//
// A node of a group has a moving target T(t). With strength s it feels, per unit mass, a critically damped spring
//
//     k (T - x) + c (T' - v),      k = s / (1 - s) / soft^2,   c = 2 sqrt(k),
//
// from nothing at s = 0 to a hard pin at s = 1, where the node is a constraint and reaches T exactly. k is unbounded,
// so the spring is implicit. With h = dt/2, T at the end of the step and T' its mean velocity, let
//
//     q = k (T - x) + c T',        b = c + dt k.
//
// Both solves of the step (semi_implicit.c) get the force M (q - b u), u the velocity that the spring acts on:
//
//     first   u = v~:  M (1 + h b) v~ = ... + M h q                     k -> infinity: x + dt v~ = T, as with a hard pin
//     second  u = v':  with v' = 2 v½ - v*,  M (1 + 2 h b) v½ = ... + M (h q + h b v*)                         then v' = T'
//             2.9:     of which the first half was M h (q - b v~),  M (1 + 2 h b) v' = ... + M (h q + h b v~)
//
// So a soft pin is a heavier node and a push. In the second solve the velocity at the end counts, not that at
// mid-step: with v½ the limit is v' - T' = -(v* - T') forever. What was tried: the spring as an explicit force known
// at the start of the step, (v1 - v)/dt with v1 from implicit Euler without elastic forces. Alone it is stable for any
// k; together with elastic forces near their own limit it explodes, and so it does, less often, when the elastic
// forces are included in v1 and only damping is left out. With the scheme above no case of 6000 random systems (up to
// six unknowns, any springs, any damping, steps at 99 % of the elastic limit) grew.
//
// What it does badly: first order in dt, as implicit Euler is. And the first solve does not know contacts: a node that
// is pulled into an object has a v~ into it, damping transmits part of that to its neighbours, and they get
// compensating velocities while nothing moves, as weight does to any body at rest, in proportion to the normal force.
#include "pin.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// ---- lifetime --------------------------------------------------------------------------------------------------

typedef struct
{
    int32_t node, source; // source: index in the definition
} placed;

static void sort_members(placed *list, int32_t count)
{
    // heap sort: no recursion, no memory
    for (int32_t end = count, root = count / 2; end > 1;)
    {
        placed moved;
        if (root > 0)
            moved = list[--root];
        else
        {
            moved = list[--end];
            list[end] = list[0];
        }
        int32_t hole = root;
        for (int32_t child = 2 * hole + 1; child < end; child = 2 * hole + 1)
        {
            child += child + 1 < end && list[child + 1].node > list[child].node;
            if (list[child].node <= moved.node)
                break;
            list[hole] = list[child];
            hole = child;
        }
        list[hole] = moved;
    }
}

static bool allocate_group(pl_context *ctx, pl__pin_group *group, const pl__pin_spec *spec)
{
    size_t numbers = 3 * (size_t)spec->count;
    group->count = spec->count;
    group->cache_count = spec->cache ? spec->cache_count : 0;
    group->node = PL_NEW(ctx, spec->count, int32_t);
    group->start = PL_NEW(ctx, numbers, double);
    group->target = PL_NEW(ctx, numbers, double);
    group->target_before = PL_NEW(ctx, numbers, double);
    group->cache = spec->cache ? PL_NEW(ctx, numbers * (size_t)spec->cache_count, double) : NULL;
    return group->node && group->start && group->target && group->target_before && (group->cache || !spec->cache);
}

static void find_pivot(pl__pin_group *group, const pl__pin_spec *spec)
{
    memcpy(group->pivot, spec->pivot, sizeof group->pivot);
    for (int k = 0; spec->pivot_at_center && k < 3; ++k)
    {
        double sum = 0;
        for (int32_t i = 0; i < group->count; ++i)
            sum += group->start[3 * (size_t)i + (size_t)k];
        group->pivot[k] = sum / group->count;
    }
}

static void fill_group(const pl__body *body, pl__pin_group *group, const pl__pin_spec *spec, const placed *list)
{
    for (int32_t i = 0; i < group->count; ++i)
    {
        group->node[i] = list[i].node;
        memcpy(&group->start[3 * (size_t)i], &body->start_position[3 * (size_t)list[i].node], 3 * sizeof(double));
        for (int32_t sample = 0; sample < group->cache_count; ++sample)
        {
            size_t frame = (size_t)sample * (size_t)group->count;
            memcpy(&group->cache[3 * (frame + (size_t)i)], &spec->cache[3 * (frame + (size_t)list[i].source)],
                   3 * sizeof(double));
        }
    }
    group->strength = spec->strength;
    group->soft = spec->soft;
    group->pose = spec->pose;
    group->cache_start = spec->cache_start;
    group->cache_rate = spec->cache_rate;
    group->moves = group->cache != NULL;
    find_pivot(group, spec);
}

static pl_status create_group(pl__body *body, pl__pin_group *group, const pl__pin_spec *spec)
{
    placed *list = PL_NEW(body->ctx, spec->count, placed);
    bool ok = list && allocate_group(body->ctx, group, spec);
    if (ok)
    {
        for (int32_t i = 0; i < spec->count; ++i)
            list[i] = (placed){body->node_of_source[spec->nodes[i]], i};
        sort_members(list, spec->count);
        fill_group(body, group, spec, list);
        pl__pin_group_aim(group, &group->pose, &group->pose, 0, 0);
    }
    PL_DELETE(body->ctx, list, spec->count);
    return ok ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__pin_groups_create(pl__body *body, const pl__pin_spec *spec, int32_t count)
{
    if (count == 0)
        return PL_OK;
    body->pins.group = PL_NEW(body->ctx, count, pl__pin_group);
    if (!body->pins.group)
        return PL_ERR_MEMORY;
    body->pins.group_count = count;
    for (int32_t i = 0; i < count; ++i)
        PL_TRY(create_group(body, &body->pins.group[i], &spec[i]));
    pl__pin_groups_update(body);
    return PL_OK;
}

void pl__pin_groups_destroy(pl__body *body)
{
    for (int32_t i = 0; i < body->pins.group_count; ++i)
    {
        pl__pin_group *group = &body->pins.group[i];
        size_t numbers = 3 * (size_t)group->count;
        PL_DELETE(body->ctx, group->node, group->count);
        PL_DELETE(body->ctx, group->start, numbers);
        PL_DELETE(body->ctx, group->target, numbers);
        PL_DELETE(body->ctx, group->target_before, numbers);
        PL_DELETE(body->ctx, group->cache, numbers * (size_t)group->cache_count);
    }
    PL_DELETE(body->ctx, body->pins.group, body->pins.group_count);
}

// ---- hard pins -----------------------------------------------------------------------------------------------

// Merge the group's nodes into the body's sorted pins, from the back.
static void add_group_pins(pl__body *body, int32_t index)
{
    const pl__pin_group *group = &body->pins.group[index];
    int32_t old = body->pins.count - 1, member = group->count - 1;
    for (int32_t to = old + group->count; member >= 0; --to)
        if (old >= 0 && body->pins.pin[old].node > group->node[member])
            body->pins.pin[to] = body->pins.pin[old--];
        else
        {
            body->pins.pin[to] = (pl__pin){.node = group->node[member], .group = index, .member = member};
            --member;
        }
    body->pins.count += group->count;
    body->pins.changed = true;
}

static void remove_group_pins(pl__body *body, int32_t index)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < body->pins.count; ++i)
        if (body->pins.pin[i].group != index)
            body->pins.pin[kept++] = body->pins.pin[i];
    body->pins.count = kept;
    body->pins.changed = true;
}

static bool is_soft(const pl__pin_group *group) { return group->strength > 0 && group->strength < 1; }

void pl__pin_groups_update(pl__body *body)
{
    body->pins.soft = body->pins.grab_count > 0;
    for (int32_t i = 0; i < body->pins.group_count; ++i)
    {
        pl__pin_group *group = &body->pins.group[i];
        bool firm = group->strength >= 1;
        if (firm && !group->held)
            add_group_pins(body, i);
        if (!firm && group->held)
            remove_group_pins(body, i);
        group->held = firm;
        body->pins.soft |= is_soft(group);
    }
}

void pl__pin_groups_release(pl__body *body)
{
    for (int32_t i = 0; i < body->pins.group_count; ++i)
        body->pins.group[i].held = false;
}

static bool contains(const pl__pin_group *group, int32_t node)
{
    int32_t low = 0, high = group->count;
    while (low < high)
    {
        int32_t middle = low + (high - low) / 2;
        if (group->node[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group->count && group->node[low] == node;
}

bool pl__pin_groups_contain(const pl__body *body, int32_t node)
{
    for (int32_t i = 0; i < body->pins.group_count; ++i)
        if (contains(&body->pins.group[i], node))
            return true;
    return false;
}

// ---- targets ---------------------------------------------------------------------------------------------------

static void pose_targets(const pl__pin_group *group, const pl__pin_pose *pose, double *target)
{
    pl_quat turn = pl_quat_from_degrees(pose->rotate);
    for (size_t i = 0; i < (size_t)group->count; ++i)
    {
        const double *x = &group->start[3 * i];
        pl_vec3 r = pl_make3(x[0] - group->pivot[0], x[1] - group->pivot[1], x[2] - group->pivot[2]);
        // damped_velocity by the rotation, so that the identity adds exactly zero
        pl_vec3 moved = pl_sub3(pl_quat_turn(turn, r), r);
        for (int k = 0; k < 3; ++k)
            target[3 * i + (size_t)k] = x[k] + moved.v[k] + pose->move[k];
    }
}

static void cache_targets(const pl__pin_group *group, double time, double *target)
{
    size_t numbers = 3 * (size_t)group->count;
    double last = group->cache_count - 1, at = fmin(fmax((time - group->cache_start) * group->cache_rate, 0), last);
    double whole = floor(at), part = at - whole;
    const double *before = &group->cache[(size_t)whole * numbers], *after = part > 0 ? before + numbers : before;
    for (size_t k = 0; k < numbers; ++k)
        target[k] = before[k] + part * (after[k] - before[k]);
}

void pl__pin_group_aim(pl__pin_group *group, const pl__pin_pose *begin, const pl__pin_pose *end, double time,
                       double after)
{
    if (group->cache)
    {
        cache_targets(group, time, group->target_before);
        cache_targets(group, after, group->target);
        return;
    }
    pose_targets(group, begin, group->target_before);
    pose_targets(group, end, group->target);
}

// ---- springs ---------------------------------------------------------------------------------------------------

typedef struct
{
    pl__solids *s;
    double dt, h;
    double k, c;
    const double *damped_velocity;
} spring;

static void apply_node_spring(const spring *p, const pl__pin_group *group, int32_t first_node, int32_t i)
{
    pl__solids *s = p->s;
    double h = p->h, b = p->c + p->dt * p->k;
    for (size_t j = 0; j < 3; ++j)
    {
        size_t at = 3 * (size_t)(first_node + group->node[i]) + j, t = 3 * (size_t)i + j;
        double speed = (group->target[t] - group->target_before[t]) / p->dt;
        double q = p->k * (group->target[t] - s->state.x[at]) + p->c * speed;
        double weight = p->damped_velocity ? 1 + p->dt * b : 1 + h * b;
        s->inertia[at] = s->mass[at] * weight;
        s->inverse_inertia[at] = s->inverse_mass[at] / weight;
        s->push[at] =
            s->mass[at] > 0 ? h * (p->damped_velocity ? q + b * p->damped_velocity[at] : q) : 0; // massless nodes stay
    }
}

static void reset_node(pl__solids *s, int32_t node)
{
    for (size_t at = 3 * (size_t)node; at < 3 * (size_t)node + 3; ++at)
    {
        s->inertia[at] = s->mass[at];
        s->inverse_inertia[at] = s->inverse_mass[at];
        s->push[at] = 0;
    }
}

static void apply_springs(pl__solids *s, const pl__body *body, double dt, double h, const double *damped_velocity)
{
    for (int32_t g = 0; g < body->pins.group_count; ++g)
    {
        const pl__pin_group *group = &body->pins.group[g];
        double k = is_soft(group) ? group->strength / (1 - group->strength) / (group->soft * group->soft) : 0;
        spring p = {s, dt, h, k, 2 * sqrt(k), damped_velocity};
        for (int32_t n = 0; n < group->count; ++n)
            if (is_soft(group))
                apply_node_spring(&p, group, body->first_node, n);
            else
                reset_node(s, body->first_node + group->node[n]);
    }
}

void pl__pins_soften(pl__solids *s, const pl__body *body, double dt, const double *damped_velocity)
{
    apply_springs(s, body, dt, 0.5 * dt, damped_velocity);
}

void pl__pins_soften_whole(pl__solids *s, const pl__body *body, double dt) { apply_springs(s, body, dt, dt, NULL); }
