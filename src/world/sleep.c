// src/world/sleep.c -- sleeping: bodies at rest are skipped.
//
// A body whose nodes have all been slower than solver.sleep_speed for solver.sleep_time falls asleep at the end of a
// step, together with all bodies in contact with it; they stay awake while one of them is not ready. Its velocities
// become 0, its elements are not evaluated, its nodes take no part in solves (those that share a chunk of vectors with
// awake nodes are held fixed) and object contact skips them. If all bodies sleep, a step is as long as moving objects
// allow.
//
// It wakes when an awake body touches it, when an object moves into it or below it, when a parameter, gravity, wind, a
// pin or a position changes, and when a body is added or removed. Collision response treats sleepers as movable, so
// that the first impact is right; bodies that it did not reach, directly or through others, are put back.
//
// What it does badly: collision response still finds the near pairs of sleeping bodies unless all sleep; and motion
// below the threshold is lost for good.
#include "world.h"
#include "solid/heat.h"
#include "base/hash.h"
#include "solid/pin.h"
#include "solid/tolerances.h"

#include <math.h>
#include <string.h>

// ---- waking ----------------------------------------------------------------------------------------------------

void pl__sleep_wake(pl_world *world, pl__body *body)
{
    body->state.still_time = 0;
    if (!body->state.asleep)
        return;
    body->state.asleep = body->derived.figures_current = body->derived.sums_current = false;
    world->solids.evaluation.fresh = 0;
}

void pl__sleep_wake_all(pl_world *world)
{
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        pl__sleep_wake(world, world->bodies.body[i]);
}

bool pl__sleep_all(const pl_world *world)
{
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        if (!world->bodies.body[i]->state.asleep)
            return false;
    return world->solids.body_count > 0;
}

uint64_t pl__sleep_influences(const pl_world *world)
{
    if (!world->solver.sleep || world->keyframes.count == 0)
        return 0;
    uint64_t h = pl__hash(0, world->state.gravity, sizeof world->state.gravity);
    h = pl__hash(h, world->state.wind, sizeof world->state.wind);
    for (size_t i = 0; i < world->materials.count; ++i)
    {
        const pl_material_def *m = &world->materials.def[i];
        double live[] = {m->young,          m->poisson,    m->damping,     m->activation, m->stretch_limit,
                         m->compress_limit, m->weft_limit, m->shear_limit, m->bend_limit};
        h = pl__hash(h, live, sizeof live);
    }
    for (size_t k = 0; k < world->objects.count; ++k)
        h = pl__hash(h, &world->objects.object[k].friction, sizeof world->objects.object[k].friction);
    return h;
}

// ---- objects ---------------------------------------------------------------------------------------------------

static bool may_move(const pl_world *world, size_t k)
{
    static const double still[3];
    const pl__object *o = &world->objects.object[k];
    return o->actor || o->scripted_at || o->scripted_turn || world->objects.aim[k] ||
           memcmp(o->velocity, still, sizeof still) != 0 || memcmp(o->angular, still, sizeof still) != 0;
}

bool pl__sleep_is_wary(const pl_world *world)
{
    for (size_t k = 0; world->solver.sleep && k < world->objects.count; ++k)
        if (may_move(world, k))
            return true;
    return false;
}

static bool has_moved(const pl__object *o)
{
    return o->actor || memcmp(o->at, o->before, sizeof o->at) != 0 ||
           memcmp(&o->turned, &o->turned_before, sizeof o->turned) != 0;
}

static bool touches(const pl_world *world, size_t slot, size_t k)
{
    for (size_t i = 0; i < world->contacts.count; ++i)
        if ((size_t)world->contacts.record[i].slot == slot && world->contacts.record[i].object == (int32_t)k)
            return true;
    return false;
}

static bool penetrates(const pl_world *world, const pl__body *body, pl__object *object)
{
    pl__object_place(object);
    for (int32_t n = body->first_node; n < body->first_node + body->node_count; ++n)
    {
        const double *x = &world->solids.state.x[3 * (size_t)n];
        double normal[3];
        bool outside = false;
        for (int i = 0; i < 3; ++i)
            outside |= x[i] < object->lower[i] || x[i] > object->upper[i];
        if (!outside && pl__object_distance(object, x, normal) < 0)
            return true;
    }
    return false;
}

void pl__sleep_look_at_objects(pl_world *world)
{
    for (size_t slot = 0; world->solver.sleep && slot < world->bodies.slot_count; ++slot)
    {
        pl__body *body = world->bodies.slot[slot].body;
        for (size_t k = 0; body && body->state.asleep && k < world->objects.count; ++k)
            if (has_moved(&world->objects.object[k]) &&
                (touches(world, slot, k) || penetrates(world, body, &world->objects.object[k])))
                pl__sleep_wake(world, body);
    }
}

// ---- bodies ----------------------------------------------------------------------------------------------------

// The body of a node; NULL if the node belongs to an object that collides by surface.
static pl__body *body_of_node(const pl_world *world, int32_t node)
{
    const pl__surfaces *s = world->collision.clash->surfaces;
    int32_t slot = s->body[s->vertex_part[s->node_vertex[node]]];
    return (size_t)slot < world->bodies.slot_count ? world->bodies.slot[slot].body : NULL;
}

// Whether exactly one of two bodies sleeps. Moving objects wake bodies elsewhere.
static bool one_sleeps(const pl_world *world, const pl__contact *k)
{
    const pl__body *a = body_of_node(world, k->node[0]), *b = body_of_node(world, k->node[3]);
    return a && b && a->state.asleep != b->state.asleep;
}

// Wake the sleeping one of two bodies in contact; true if there was one.
static bool wake_one(pl_world *world, const pl__contact *k)
{
    if (!one_sleeps(world, k))
        return false;
    pl__body *a = body_of_node(world, k->node[0]), *b = body_of_node(world, k->node[3]);
    pl__sleep_wake(world, a->state.asleep ? a : b);
    return true;
}

// Whether a candidate pair is near, or will be within `soon` at its current velocity.
static bool will_touch(const pl_world *world, const pl__contact *pair, pl__pair_kind kind, double rest, double soon)
{
    double x[4][3], s[3];
    pl__contact k = *pair;
    pl__impulse_corners(world->solids.state.x, k.node, x);
    pl__impulse_measure((const double(*)[3])x, kind, &k);
    pl__impulse_relative(&k, world->solids.state.v, NULL, s);
    return k.distance + soon * fmin(0, pl__impulse_dot(s, k.normal)) < rest / PL__REST_SHARE;
}

void pl__sleep_foresee(pl_world *world, double soon)
{
    const pl__watch *watch = &world->collision.clash->watch;
    bool any = world->solver.sleep && !pl__sleep_all(world);
    while (any)
    {
        any = false;
        for (int32_t i = 0; i < watch->count; ++i)
        {
            pl__contact k;
            memcpy(k.node, watch->pair[i].node, sizeof k.node);
            any |= one_sleeps(world, &k) &&
                   will_touch(world, &k, (pl__pair_kind)watch->pair[i].kind, watch->rest[i], soon) &&
                   wake_one(world, &k);
        }
    }
}

static bool wake_touched(pl_world *world)
{
    const pl__clash *clash = world->collision.clash;
    bool any = false;
    for (int32_t i = 0; i < clash->pairs->contact_count; ++i)
        any |= wake_one(world, &clash->pairs->contact[i]);
    for (int32_t i = 0; i < clash->strike_count; ++i)
        any |= wake_one(world, &clash->strike[i].contact);
    for (int32_t i = 0; i < clash->zones.strike_count; ++i)
        any |= wake_one(world, &clash->zones.strike[i].contact);
    return any;
}

void pl__sleep_settle_meeting(pl_world *world)
{
    if (!world->solver.sleep)
        return;
    while (wake_touched(world))
        ;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        const pl__body *body = world->bodies.body[i];
        size_t at = 3 * (size_t)body->first_node, bytes = 3 * (size_t)body->node_count * sizeof(double);
        if (!body->state.asleep)
            continue;
        memcpy(&world->collision.clash->x_end[at], &world->solids.state.x[at], bytes);
        memcpy(&world->collision.clash->v[at], &world->solids.state.v[at], bytes);
    }
}

// ---- falling asleep --------------------------------------------------------------------------------------------

static bool is_slow(const pl_world *world, size_t slot)
{
    const pl__body *body = world->bodies.slot[slot].body;
    double most = world->solver.sleep_speed;
    for (int32_t n = body->first_node; n < body->first_node + body->node_count; ++n)
    {
        const double *v = &world->solids.state.v[3 * (size_t)n];
        if (!(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= most * most))
            return false;
    }
    return true;
}

// Whether something drives a body: keys, moving pins, grabs, a moving object, heat.
static bool is_driven(const pl_world *world, size_t slot)
{
    const pl__body *body = world->bodies.slot[slot].body;
    for (size_t i = 0; i < world->keyframes.count; ++i)
        if (world->keyframes.track[i].what >= PL__KEYED_STRENGTH &&
            world->keyframes.track[i].what <= PL__KEYED_PIN_ROTATE && (size_t)world->keyframes.track[i].index == slot)
            return true;
    for (int32_t g = 0; g < body->pins.group_count; ++g)
        if (body->pins.group[g].moves)
            return true;
    if (body->pins.grab_count > 0)
        return true;
    for (int32_t k = 0; k < body->pins.count; ++k)
    {
        const double *x = &world->solids.state.x[3 * (size_t)(body->first_node + body->pins.pin[k].node)];
        if (body->pins.pin[k].group < 0 && memcmp(x, body->pins.pin[k].target, sizeof body->pins.pin[k].target) != 0)
            return true;
    }
    for (size_t k = 0; k < world->objects.count; ++k)
        if (may_move(world, k) && touches(world, slot, k))
            return true;
    return body->heat && body->heat->warm;
}

// Bodies in contact with one that may not sleep may not sleep either; true if anything changed.
static bool spread_wakefulness(const pl_world *world)
{
    bool any = false;
    for (size_t i = 0; i < world->contacts.count; ++i)
    {
        const pl__contact_record *t = &world->contacts.record[i];
        if (t->other < 0 || !t->now)
            continue;
        pl__body *a = world->bodies.slot[t->slot].body, *b = world->bodies.slot[t->other].body;
        any |= a->derived.may_sleep != b->derived.may_sleep;
        a->derived.may_sleep = b->derived.may_sleep = a->derived.may_sleep && b->derived.may_sleep;
    }
    return any;
}

static void fall_asleep(pl_world *world, pl__body *body)
{
    memset(&world->solids.state.v[3 * (size_t)body->first_node], 0, 3 * (size_t)body->node_count * sizeof(double));
    memset(&world->solids.contacts.count[body->first_node], 0, (size_t)body->node_count);
    memset(&world->solids.contacts.footing[body->first_node], 0, (size_t)body->node_count);
    world->solids.evaluation.fresh = 0; // its figures are evaluated at its final position
    body->state.asleep = true;
    body->derived.figures_current = body->derived.sums_current = false;
}

void pl__sleep_update(pl_world *world, double dt)
{
    if (!world->solver.sleep)
        return;
    // one sample cannot vouch for a long step
    double sampled = fmin(dt, PL__LOOK_LONGEST * world->solver.sleep_time);
    for (size_t slot = 0; slot < world->bodies.slot_count; ++slot)
    {
        pl__body *body = world->bodies.slot[slot].body;
        if (!body)
            continue;
        if (!body->state.asleep)
            body->state.still_time =
                is_slow(world, slot) && !is_driven(world, slot) ? body->state.still_time + sampled : 0;
        body->derived.may_sleep =
            body->state.asleep || (body->state.still_time > 0 &&
                                   body->state.still_time >= world->solver.sleep_time * (1 - PL__SLEEP_ROUNDING));
    }
    while (spread_wakefulness(world))
        ;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        if (world->bodies.body[i]->derived.may_sleep && !world->bodies.body[i]->state.asleep)
            fall_asleep(world, world->bodies.body[i]);
}
