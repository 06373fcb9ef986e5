// src/world/collision.c -- collision intervals around the substeps: when candidate pairs are listed and collisions
// resolved.
//
// A step is divided into equal intervals of at most solver.collision_interval. Candidate pairs are listed ahead of
// time, and substeps keep those apart (contact/watch.h). A substep that cannot prove that nothing collided ends its
// interval, and contact/clash.h corrects the motion so that nothing intersects. While surfaces intersect already, the
// correction is made over whole intervals. Node positions at the listing of pairs and at the start of the interval are
// state, and so is the count of intersections: a restart continues with the same bits.
#include "world.h"
#include "base/cpu.h"
#include "contact/tolerances.h"

#include <math.h>
#include <string.h>

static double mean_edge(const pl__body *body, const double *rest)
{
    double sum = 0;
    for (size_t t = 0; t < (size_t)body->surface.triangle_count; ++t)
        for (size_t k = 0; k < 3; ++k)
        {
            const double *a = &rest[3 * (size_t)body->surface.source[body->surface.triangle[3 * t + k]]],
                         *b = &rest[3 * (size_t)body->surface.source[body->surface.triangle[3 * t + (k + 1) % 3]]];
            double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            sum += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    return body->surface.triangle_count > 0 ? sum / (3.0 * body->surface.triangle_count) : 0;
}

double pl__slot_edge(const pl__slot *slot)
{
    return slot->edge > 0 ? slot->edge : mean_edge(slot->body, slot->shape.rest);
}

// Thinner collision shells would need impractically short intervals.
static double thickness_of(const pl__slot *slot)
{
    double edge = slot->edge;
    if (slot->collision.thickness > 0)
        return slot->collision.thickness;
    return slot->collision.shell > 0 ? fmax(slot->collision.shell, PL__THICKNESS_OF_SHELL * edge)
                                     : PL__THICKNESS_OF_SOLID * edge;
}

// Rest positions of a body in engine order.
static void copy_rest(const pl__slot *slot, double *x)
{
    const pl__body *body = slot->body;
    for (size_t n = 0; n < (size_t)body->node_count; ++n)
        memcpy(&x[3 * (size_t)body->node_of_source[n]], &slot->shape.rest[3 * n], 3 * sizeof *x);
}

// Whether a body collides with another body, itself, or the surface of an object. Bodies that are such objects do not.
static bool body_collides(const pl_world *world, size_t i)
{
    const pl__slot *slot = &world->bodies.slot[i];
    size_t nodes, triangles;
    if (!slot->body || slot->body->planar)
        return false;
    return slot->collision.self || slot->collision.others ||
           (pl__obstacles_count(world, &nodes, &triangles) > 0 && !pl__obstacles_drive(world, i));
}

typedef struct
{
    pl__surface_part *part;
    int32_t *triangle;
    double *rest;
    int32_t part_count;
    int32_t node_count;
    size_t triangle_count;
} parts;

static void list_part(const pl_world *world, int32_t slot, parts *p)
{
    const pl__slot *s = &world->bodies.slot[slot];
    const pl__body *body = s->body;
    int32_t *triangle = &p->triangle[3 * p->triangle_count];
    double *rest = &p->rest[3 * (size_t)p->node_count];
    copy_rest(s, rest);
    for (size_t k = 0; k < 3 * (size_t)body->surface.triangle_count; ++k)
        triangle[k] = p->node_count + body->surface.node[body->surface.triangle[k]];
    p->part[p->part_count++] = (pl__surface_part){.body = slot,
                                                  .triangle_count = body->surface.triangle_count,
                                                  .triangle = triangle,
                                                  .thickness = thickness_of(s),
                                                  .self = s->collision.self && !body->state.self_contact_off};
    p->triangle_count += (size_t)body->surface.triangle_count;
}

// Whether two parts collide, and their friction coefficient.
static bool pair_rule(const pl_world *world, int32_t a, int32_t b, double *friction)
{
    if ((size_t)a >= world->bodies.slot_count || (size_t)b >= world->bodies.slot_count)
        return pl__obstacles_rule(world, a, b, friction);
    const pl__collision *p = &world->bodies.slot[a].collision, *q = &world->bodies.slot[b].collision;
    *friction = pl__friction_between(world, a, b, sqrt(p->friction * q->friction));
    return p->others && q->others;
}

static pl_status set_rules(const pl_world *world, pl__clash *clash)
{
    const pl__surfaces *s = clash->surfaces;
    for (int32_t a = 0; a < s->part_count; ++a)
        for (int32_t b = 0; b < s->part_count; ++b)
        {
            bool collide = pair_rule(world, s->body[a], s->body[b],
                                     &clash->friction[(size_t)a * (size_t)s->part_count + (size_t)b]);
            if (a != b && !collide)
                PL_TRY(pl__surfaces_set_collide(clash->surfaces, s->body[a], s->body[b], false));
        }
    return PL_OK;
}

// Objects without a thickness of their own take that of the thinnest body.
static void list_obstacles(const pl_world *world, parts *p)
{
    size_t nodes, triangles;
    double thinnest = INFINITY;
    for (int32_t i = 0; i < p->part_count; ++i)
        thinnest = fmin(thinnest, p->part[i].thickness);
    int32_t count = pl__obstacles_count(world, &nodes, &triangles);
    pl__obstacles_list(world, p->node_count, thinnest, &p->part[p->part_count], &p->triangle[3 * p->triangle_count],
                       &p->rest[3 * (size_t)p->node_count]);
    p->part_count += count;
    p->node_count += (int32_t)nodes;
    p->triangle_count += triangles;
}

static bool is_broken(const pl__slot *slot)
{
    return slot->body && slot->fracture && slot->body->node_count > slot->kept->def.mesh->node_count;
}

// Map nodes separated by fracture to the node of the unbroken mesh. The arrays of a rebuilt body fit its split,
// committed or not.
static void list_origins(const pl__slot *slot, int32_t first, int32_t *origin)
{
    const pl__body *body = slot->body;
    int32_t corners = pl_element_corners(slot->shape.kind);
    const int32_t *whole = slot->kept->def.mesh->element;
    for (int32_t n = 0; n < corners * body->element_count; ++n)
        origin[first + body->node_of_source[slot->shape.element[n]]] = first + body->node_of_source[whole[n]];
}

static pl_status set_origins(const pl_world *world, int32_t node_count, pl__surfaces *surfaces)
{
    bool any = false;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        any |= is_broken(&world->bodies.slot[i]);
    if (!any)
        return PL_OK;
    int32_t *origin = PL_NEW(world->ctx, node_count, int32_t), first = 0;
    if (!origin)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < node_count; ++n)
        origin[n] = n;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        if (is_broken(&world->bodies.slot[i]))
            list_origins(&world->bodies.slot[i], first, origin);
        first += world->bodies.slot[i].body ? world->bodies.slot[i].body->node_count : 0;
    }
    pl_status status = pl__surfaces_set_origins(surfaces, origin);
    PL_DELETE(world->ctx, origin, node_count);
    return status;
}

// Whether pair contacts are part of the solve: always in implicit steps, otherwise if there are solids.
static bool solves_pairs(const pl_world *world)
{
    bool solid = world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        solid |= world->bodies.slot[i].body && !world->bodies.slot[i].body->shell;
    return solid;
}

static pl_status build(pl_world *world, parts *p, pl__clash **clash)
{
    if (!p->part || !p->triangle || !p->rest)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        if (body_collides(world, i))
            list_part(world, (int32_t)i, p);
        p->node_count += world->bodies.slot[i].body ? world->bodies.slot[i].body->node_count : 0;
    }
    list_obstacles(world, p);
    PL_TRY(pl__clash_create(world->ctx, p->part, p->part_count, p->rest, p->node_count, clash));
    (*clash)->watch.solved = solves_pairs(world);
    PL_TRY(set_origins(world, p->node_count, (*clash)->surfaces));
    return set_rules(world, *clash);
}

// Whether any collision is possible: two bodies, a body and an object by surface, or self-collision.
static bool any_collision(const pl_world *world, size_t bodies, size_t obstacles)
{
    size_t colliding = 0, self_colliding = 0;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (body_collides(world, i))
        {
            colliding += world->bodies.slot[i].collision.others;
            self_colliding += world->bodies.slot[i].collision.self;
        }
    return colliding > 1 || self_colliding > 0 || (bodies > 0 && obstacles > 0);
}

pl_status pl__collision_prepare(pl_world *world, pl__clash **clash)
{
    pl_context *ctx = world->ctx;
    size_t count = 0, triangles = 0, numbers = 0;
    *clash = NULL;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        const pl__body *body = world->bodies.slot[i].body;
        bool collides = body_collides(world, i);
        count += collides;
        if (collides && world->bodies.slot[i].edge == 0)
            world->bodies.slot[i].edge =
                mean_edge(body, world->bodies.slot[i].shape.rest); // cracks do not make it thinner
        triangles += collides ? (size_t)body->surface.triangle_count : 0;
        numbers += body ? 3 * (size_t)body->node_count : 0;
    }
    size_t more_nodes, more_triangles, obstacles = (size_t)pl__obstacles_count(world, &more_nodes, &more_triangles);
    if (!any_collision(world, count, obstacles))
        return PL_OK;
    count += obstacles;
    triangles += more_triangles;
    numbers += 3 * more_nodes;
    parts p = {.part = PL_NEW(ctx, count, pl__surface_part),
               .triangle = PL_NEW(ctx, 3 * triangles, int32_t),
               .rest = PL_NEW(ctx, numbers, double)};
    pl_status status = build(world, &p, clash);
    PL_DELETE(ctx, p.part, count);
    PL_DELETE(ctx, p.triangle, 3 * triangles);
    PL_DELETE(ctx, p.rest, numbers);
    if (status != PL_OK)
        pl__clash_destroy(clash);
    return status;
}

// ---- intervals -------------------------------------------------------------------------------------------------

void pl__collision_forget(pl_world *world)
{
    if (world->collision.clash)
        world->collision.clash->crossings = -1;
}

// Inverse masses; 0 for pinned nodes, objects, and sleeping bodies unless `sleepers_yield`.
static void load_masses(pl_world *world, bool sleepers_yield)
{
    pl__clash *clash = world->collision.clash;
    const pl__solids *s = &world->solids;
    for (int32_t n = 0; n < clash->node_count; ++n)
        clash->inverse_mass[n] = n < s->node_count ? s->inverse_mass[3 * (size_t)n] : 0;
    for (int32_t i = 0; i < s->body_count; ++i)
    {
        const pl__body *body = s->body[i];
        for (int32_t k = 0; k < body->pins.count; ++k)
            clash->inverse_mass[body->first_node + body->pins.pin[k].node] = 0;
        for (int32_t n = 0; body->state.asleep && !sleepers_yield && n < body->node_count; ++n)
            clash->inverse_mass[body->first_node + n] = 0;
    }
}

// Collision response knows no objects. Treat nodes supported by an object as nearly infinite mass.
static void load_supported_masses(const pl_world *world)
{
    const pl__solids *s = &world->solids;
    for (int32_t i = 0; s->contacts.node && i < s->body_count; ++i)
        for (int32_t n = s->body[i]->first_node;
             !s->body[i]->state.asleep && n < s->body[i]->first_node + s->body[i]->node_count; ++n)
            if (s->contacts.count[n] > 0)
                world->collision.clash->inverse_mass[n] *= PL__STANDING_MOBILITY;
}

// Update the friction coefficient of a pair of parts; parameters are live.
static void load_pair_friction(pl_world *world, int32_t at)
{
    pl__clash *clash = world->collision.clash;
    const pl__surfaces *s = clash->surfaces;
    (void)pair_rule(world, s->body[at / s->part_count], s->body[at % s->part_count], &clash->friction[at]);
}

static void load_friction(pl_world *world)
{
    int32_t count = world->collision.clash->surfaces->part_count;
    for (int32_t i = 0; i < count * count; ++i)
        load_pair_friction(world, i);
}

// Update only pairs of parts in the candidate list: there may be thousands of others.
static void load_watched_friction(pl_world *world)
{
    const pl__watch *watch = &world->collision.clash->watch;
    for (int32_t i = 0; i < watch->count; ++i)
        if (i == 0 || watch->rule[i] != watch->rule[i - 1])
            load_pair_friction(world, watch->rule[i]);
}

void pl__collision_places(pl_world *world, double *x)
{
    size_t bodies = 3 * (size_t)world->solids.node_count;
    memcpy(x, world->solids.state.x, bodies * sizeof *x);
    pl__obstacles_write(world, &x[bodies]);
}

// List candidate pairs that serve at least until the end of the interval, and longer where motion is slow.
static pl_status list_pairs(pl_world *world, bool strayed)
{
    pl__clash *clash = world->collision.clash;
    const pl__pending *pending = &world->state.pending;
    size_t bodies = 3 * (size_t)world->solids.node_count;
    pl__collision_places(world, clash->x_listed);
    memcpy(clash->v_listed, world->solids.state.v, bodies * sizeof(double));
    pl__obstacles_foresee(world, pending->interval, &clash->x_listed[bodies], &clash->v_listed[bodies]);
    double fastest = pl__impulse_longest(clash->v_listed, clash->node_count);
    if (world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER)
        clash->slack =
            fmin(PL__SLACK_MOST_IMPLICIT * clash->edge,
                 fmax(PL__SLACK_LEAST_IMPLICIT * clash->edge, PL__SLACK_SPEED_IMPLICIT * pending->interval * fastest));
    else
        pl__clash_adapt(clash, strayed);
    double quiet_time = clash->slack / (PL__SLACK_CALM * fastest);
    clash->since = 0;
    clash->ahead = fmax(pending->interval, fmin(quiet_time, PL__LIST_LONGEST));
    PL_TRY(pl__clash_watch(clash));
    if (pending->interval == pending->interval_dt) // start of the interval
        clash->crossings = clash->untangle.list.count;
    return PL_OK;
}

// Switch self-collision of a part on or off according to the state of its body.
static void set_self(pl_world *world, int32_t part)
{
    const pl__slot *slot = &world->bodies.slot[world->collision.clash->surfaces->body[part]];
    pl__surfaces_set_self(world->collision.clash->surfaces, part,
                          slot->collision.self && !slot->body->state.self_contact_off);
}

bool pl__collision_is_inverted(const pl__body *body)
{
    return body->derived.figures.inverted >
           (body->state.self_contact_off ? 0 : PL__INVERTED_SELF * body->element_count);
}

// Switch self-collision off for bodies with many inverted elements, until none is inverted: an inverted surface has no
// sides to keep apart, and contact would keep it from recovering.
static void update_self_collision(pl_world *world)
{
    const pl__surfaces *s = world->collision.clash->surfaces;
    pl__solids_refresh(&world->solids, PL__FORCES);
    for (int32_t i = 0; i < s->part_count; ++i)
    {
        if ((size_t)s->body[i] >= world->bodies.slot_count)
            continue;
        pl__slot *slot = &world->bodies.slot[s->body[i]];
        bool many = pl__collision_is_inverted(slot->body);
        if (many == slot->body->state.self_contact_off || !slot->collision.self)
            continue;
        slot->body->state.self_contact_off = many;
        set_self(world, i);
        world->collision.clash->ahead = 0;
        world->collision.clash->crossings = -1;
    }
}

// Fracture is checked between intervals (fracture.c), except with implicit steps, where it is checked after each step.
static double longest_interval(const pl_world *world)
{
    double longest = world->solver.collision_interval;
    bool often = world->solver.fracture_interval > 0 && world->solver.integrator != PL_INTEGRATOR_IMPLICIT_EULER;
    for (size_t i = 0; often && i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body && world->bodies.slot[i].fracture)
            longest = fmin(longest, world->solver.fracture_interval);
    return longest;
}

static void begin_interval(pl_world *world)
{
    pl__pending *pending = &world->state.pending;
    double count = ceil(pending->remaining / longest_interval(world) - PL__INTERVAL_ROUNDING);
    pending->interval = pending->interval_dt = pending->remaining / fmax(1, count);
    pl__collision_places(world, world->collision.clash->x_start);
    world->collision.clash->proved = true;
    update_self_collision(world);
}

// Whether nodes left the region that the candidate list covers. Checked with a margin before a substep, so that the
// next one hardly leaves it.
static bool has_strayed(pl_world *world)
{
    pl__clash *clash = world->collision.clash;
    const double *x = world->solids.state.x;
    if (clash->node_count > world->solids.node_count)
    {
        pl__collision_places(world, clash->x_end);
        x = clash->x_end;
    }
    return pl__clash_strayed(clash, x, clash->since, true);
}

// Whether the candidate list covers the rest of the interval. While surfaces intersect, a new one is made for each
// interval.
static bool list_covers_interval(const pl_world *world)
{
    const pl__clash *clash = world->collision.clash;
    double left = world->state.pending.interval;
    bool first = left == world->state.pending.interval_dt;
    return clash->ahead > 0 && !(first && clash->crossings != 0) &&
           clash->since + left <= clash->ahead * (1 + PL__INTERVAL_ROUNDING);
}

pl_status pl__collision_begin(pl_world *world, double *span)
{
    pl__pending *pending = &world->state.pending;
    pl__clash *clash = world->collision.clash;
    *span = pending->remaining;
    if (!clash)
        return PL_OK;
    clash->watch.active_count = clash->watch.pressed_count = 0;
    if (pending->interval <= 0)
        begin_interval(world);
    *span = pending->interval;
    if (pl__sleep_all(world))
        return PL_OK;
    if (!clash->watched && clash->ahead > 0)
        PL_TRY(pl__clash_watch(clash));
    bool serves = list_covers_interval(world), strayed = serves && has_strayed(world);
    if (!serves || strayed)
        PL_TRY(list_pairs(world, strayed));
    load_watched_friction(world);
    pl__sleep_foresee(world, pending->interval);
    return PL_OK;
}

// Input of the velocity filter: velocities of bodies, with objects behind them.
static pl__watch_state filter_input(pl_world *world, const double *x, double dt, double *v, bool at_end)
{
    pl__clash *clash = world->collision.clash;
    size_t bodies = 3 * (size_t)world->solids.node_count;
    pl__watch_state state = {.v = v,
                             .node_count = clash->node_count,
                             .inverse_mass = clash->inverse_mass,
                             .friction = clash->friction,
                             .dt = dt,
                             .interval = world->state.pending.interval_dt};
    load_masses(world, false);
    memcpy(clash->x_end, x, bodies * sizeof *x);
    state.x = clash->x_end;
    if (clash->node_count == world->solids.node_count)
        return state;
    memcpy(clash->v, v, bodies * sizeof *v);
    pl__obstacles_read(world, at_end, &clash->x_end[bodies], &clash->v[bodies]);
    state.v = clash->v;
    return state;
}

typedef struct
{
    const pl__object_contact *touch;
    double reach; // [m]
    bool at_end;
} object_query;

static bool find_foothold(void *user, int32_t node, const double v[3], pl__foothold *foothold)
{
    const object_query *s = user;
    return pl__object_contact_stand(s->touch, node, v, s->reach, s->at_end, foothold);
}

// Filter velocities (at_end) or displacements. The search distance for objects is twice the motion of the fastest node:
// no pair accelerates nodes much beyond that.
static void filter(pl_world *world, const pl__object_contact *touch, const double *x, double *v, bool at_end)
{
    pl__clash *clash = world->collision.clash;
    if (clash->watch.count == 0)
        return;
    pl__watch_state state = filter_input(world, x, touch->dt, v, at_end);
    object_query on = {
        touch, 2 * touch->dt * pl__impulse_longest(state.v, state.node_count) + clash->watch.largest_rest, at_end};
    bool implicit = world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER;
    state.whole = implicit && !at_end;
    state.settled = implicit || at_end;
    state.stand = touch->object_count > 0 ? find_foothold : NULL;
    state.user = &on;
    if (at_end)
        world->state.pending.friction_work += pl__watch_filter_speeds(&clash->watch, &state);
    else
        pl__watch_filter_ways(&clash->watch, &state);
    if (state.v != v)
        memcpy(v, state.v, 3 * (size_t)world->solids.node_count * sizeof *v);
    for (int32_t i = 0; at_end && i < clash->watch.foothold_count; ++i)
        if (clash->watch.foothold[i].count > 0)
            pl__object_contact_note(touch, &clash->watch.foothold[i]);
}

static void filter_displacements(void *world, const pl__stage_input *in)
{
    filter(world, in->objects, in->x, in->v, false);
}

static void filter_velocities(void *world, const pl__stage_input *in)
{
    filter(world, in->objects, in->x, in->v, true);
}

static bool find_pairs(void *user, const double *x, double dt, const double *v, bool begin, pl__pair_contacts *pairs)
{
    pl_world *world = user;
    pl__watch *watch = &world->collision.clash->watch;
    if (watch->count == 0 || !watch->solved)
        return false;
    if (begin)
        pl__watch_relax(watch);
    pl__watch_state state = filter_input(world, x, dt, (double *)v, false); // v is not changed
    state.whole = true;
    bool any = pl__watch_press(watch, &state, begin && world->solver.integrator == PL_INTEGRATOR_IMPLICIT_EULER);
    pairs->pair = watch->pressed;
    pairs->count = watch->pressed_count;
    return any;
}

// Record whether the substep provably had no collision. Pins and objects can move by any distance within a substep, so
// all pairs are tested if the candidate list proves nothing.
static void record_motion(void *user, const pl__stage_input *in)
{
    pl_world *world = user;
    pl__clash *clash = world->collision.clash;
    size_t bodies = 3 * (size_t)world->solids.node_count;
    if (!clash->proved)
        return;
    // positions, objects behind the bodies; the buffers hold one number more
    double *before = clash->kept, *after = clash->x_end;
    memcpy(before, in->x, bodies * sizeof *before);
    memcpy(after, in->x_end, bodies * sizeof *after);
    if (clash->node_count > world->solids.node_count)
    {
        pl__obstacles_read(world, false, &before[bodies], &clash->v[bodies]);
        pl__obstacles_read(world, true, &after[bodies], &clash->v[bodies]);
    }
    bool apart =
        pl__watch_proves(&clash->watch, before, after, clash->node_count) || pl__clash_misses(clash, before, after);
    clash->proved = apart && !pl__clash_strayed(clash, after, clash->since + in->dt, false);
    // continue from the last positions known to be free of collisions; intersections are resolved over whole intervals
    if (clash->crossings == 0)
        memcpy(clash->x_start, before, 3 * (size_t)clash->node_count * sizeof *before);
}

static bool can_collide(const void *world) { return ((const pl_world *)world)->collision.clash != NULL; }

pl_status pl__collision_register(pl_world *world)
{
    const pl__stage stage[] = {
        {"collision: displacements", PL__BEFORE_POSITIONS, can_collide, filter_displacements, world},
        {"collision: motion", PL__AFTER_POSITIONS, can_collide, record_motion, world},
        {"collision: velocities", PL__NEW_VELOCITIES, can_collide, filter_velocities, world}};
    for (size_t i = 0; i < sizeof stage / sizeof stage[0]; ++i)
        PL_TRY(pl__stages_add(world->ctx, &world->stages, &stage[i]));
    world->stages.pairs = (pl__pair_source){find_pairs, world};
    return PL_OK;
}

// Objects move with constant velocity over dt.
static void load_obstacles(pl_world *world, double dt)
{
    pl__clash *clash = world->collision.clash;
    size_t first = 3 * (size_t)world->solids.node_count;
    pl__obstacles_write(world, &clash->x_end[first]);
    for (size_t i = first; i < 3 * (size_t)clash->node_count; ++i)
        clash->v[i] = dt > 0 ? (clash->x_end[i] - clash->x_start[i]) / dt : 0;
}

static void load_nodes(pl_world *world, double dt)
{
    pl__clash *clash = world->collision.clash;
    const pl__solids *s = &world->solids;
    size_t numbers = 3 * (size_t)s->node_count;
    memcpy(clash->x_end, s->state.x, numbers * sizeof(double));
    memcpy(clash->v, s->state.v, numbers * sizeof(double));
    load_masses(world, true);
    load_supported_masses(world);
    load_obstacles(world, dt);
    load_friction(world);
}

// Accumulate the reports of a step.
static void add_report(pl__clash_report *all, const pl__clash_report *one)
{
    all->contacts = one->contacts;
    all->hits += one->hits;
    all->rounds += one->rounds;
    all->unresolved += one->unresolved;
    all->crossings = one->crossings;
    if (one->zone_nodes > all->zone_nodes)
        all->zone_nodes = one->zone_nodes;
}

static pl_status resolve(pl_world *world)
{
    pl__clash_report report;
    pl_status status = pl__clash_resolve(world->collision.clash, &report);
    if (status != PL_OK)
    {
        pl__collision_forget(world);
        return status;
    }
    pl__overlap_warn(world);
    add_report(&world->collision.report, &report);
    world->state.pending.friction_work += report.friction_work;
    return PL_OK;
}

// End an interval in which the filter kept all pairs apart: no collision response needed.
static pl_status report_contacts(pl_world *world)
{
    const pl__watch *watch = &world->collision.clash->watch;
    world->collision.report.contacts = 0;
    for (int32_t i = 0; i < watch->active_count; ++i)
        world->collision.report.contacts += pl__watched_is_near(&watch->item[watch->active[i]]);
    world->collision.report.crossings = 0;
    return PL_OK;
}

pl_status pl__collision_advance(pl_world *world, double dt)
{
    pl__pending *pending = &world->state.pending;
    pl__solids *s = &world->solids;
    if (!world->collision.clash)
        return PL_OK;
    PL_TRY(pl__events_note_watched(world));
    world->collision.clash->since += dt;
    pending->interval = dt < pending->interval * (1 - PL__INTERVAL_LEFT) ? pending->interval - dt : 0;
    // resolve a possible collision before the next substep
    if (!world->collision.clash->proved && world->collision.clash->crossings == 0)
        pending->interval = 0;
    if (pending->interval > 0 && pending->remaining > 0)
        return PL_OK;
    pending->interval = 0;
    if (pl__sleep_all(world))
        return PL_OK;
    if (world->collision.clash->proved && world->collision.clash->crossings == 0)
        return report_contacts(world);
    load_nodes(world, world->collision.clash->crossings == 0 ? dt : pending->interval_dt);
    PL_TRY(resolve(world));
    pl__sleep_settle_meeting(world);
    size_t bytes = 3 * (size_t)s->node_count * sizeof(double);
    if (memcmp(s->state.x, world->collision.clash->x_end, bytes) == 0 &&
        memcmp(s->state.v, world->collision.clash->v, bytes) == 0)
        return pl__events_note_meeting(world);
    memcpy(s->state.x, world->collision.clash->x_end, bytes);
    memcpy(s->state.v, world->collision.clash->v, bytes);
    s->evaluation.fresh = 0;
    pending->loaded = true;
    return pl__events_note_meeting(world);
}

pl_status pl_world_count_crossings(pl_world *world, int64_t *count)
{
    if (!world || !count)
        return PL_ERR_ARGUMENT;
    *count = 0;
    if (!world->collision.clash)
        return PL_OK;
    uint64_t host = pl__fp_enter();
    pl__crossings found;
    load_nodes(world, 0);
    pl_status status = pl__crossings_find(world->collision.clash->tree, world->collision.clash->x_end, &found);
    pl__fp_leave(host);
    if (status == PL_OK)
        *count = found.count;
    return status;
}

// ---- section MEET: intersections, candidate pairs and the current interval -------------------------------------
//
// Present if bodies can collide: the number of intersecting pairs of triangles as far as known; time, positions and
// velocities when the pairs were listed; positions at the start of the current collision interval.

typedef struct
{
    int64_t crossings;
    double since, ahead, slack;
    uint64_t proved;
} record;

static size_t collision_bytes(const void *user)
{
    const pl__clash *clash = ((const pl_world *)user)->collision.clash;
    return clash ? sizeof(record) + 9 * (size_t)clash->node_count * sizeof(double) : 0;
}

// Between intervals, the next one will start from the current positions; those of objects are not known yet.
static void write_collision(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    const pl__clash *clash = world->collision.clash;
    record r = {.crossings = clash->crossings,
                .since = clash->since,
                .ahead = clash->ahead,
                .slack = clash->slack,
                .proved = clash->proved};
    size_t bytes = 3 * (size_t)clash->node_count * sizeof(double),
           bytes_of_bodies = 3 * (size_t)world->solids.node_count * sizeof(double);
    pl__section_put(to, &r, sizeof r);
    pl__section_put(to, clash->x_listed, bytes);
    pl__section_put(to, clash->v_listed, bytes);
    if (world->state.pending.interval > 0)
    {
        pl__section_put(to, clash->x_start, bytes);
        return;
    }
    pl__section_put(to, world->solids.state.x, bytes_of_bodies);
    (void)pl__section_room(to, bytes - bytes_of_bodies);
}

static bool is_sound(const record *r)
{
    return r->crossings >= -1 && r->since >= 0 && r->since <= 1e6 && r->ahead >= 0 && r->ahead <= 1e6 && r->slack > 0 &&
           r->slack <= 1e9;
}

static void apply_collision(pl_world *world, const record *r, const char *const array[3], size_t bytes)
{
    pl__clash *clash = world->collision.clash;
    memcpy(clash->x_listed, array[0], bytes);
    memcpy(clash->v_listed, array[1], bytes);
    memcpy(clash->x_start, array[2], bytes);
    clash->crossings = r->crossings;
    clash->since = r->since;
    clash->ahead = r->ahead;
    clash->slack = r->slack;
    clash->proved = r->proved != 0;
    world->collision.report = (pl__clash_report){.crossings = r->crossings > 0 ? r->crossings : 0};
}

// With other bodies than are there now there may be other surfaces, or none.
static pl_status check_other(pl__section_reader *from)
{
    record r;
    const char *numbers;
    if (pl__section_left(from) == 0)
        return PL_OK;
    PL_TRY(pl__section_get(from, &r, sizeof r));
    size_t size = pl__section_left(from);
    PL_TRY(pl__section_view(from, size, &numbers));
    if (!is_sound(&r) || size % (9 * sizeof(double)) != 0 || !pl__all_finite(numbers, size / sizeof(double)))
        return pl__section_fail(from, "a time, position or velocity of a collision interval is out of range");
    return PL_OK;
}

static pl_status read_collision(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    const pl__clash *there = world->collision.clash;
    size_t due = there ? sizeof(record) + 9 * (size_t)there->node_count * sizeof(double) : 0;
    if (world->melting.loading && (!apply || pl__section_left(from) != due))
        return check_other(from);
    if (!world->collision.clash)
        return PL_OK;
    record r;
    const char *array[3];
    size_t obstacle_nodes = (size_t)(world->collision.clash->node_count - world->solids.node_count),
           numbers = 3 * (obstacle_nodes + (size_t)pl__world_loaded_node_count(world));
    PL_TRY(pl__section_get(from, &r, sizeof r));
    bool sound = is_sound(&r);
    for (int k = 0; k < 3; ++k)
    {
        PL_TRY(pl__section_view(from, numbers * sizeof(double), &array[k]));
        sound = sound && pl__all_finite(array[k], numbers);
    }
    if (!sound)
        return pl__section_fail(from, "a time, position or velocity of a collision interval is out of range");
    if (apply)
        apply_collision(world, &r, array, numbers * sizeof(double));
    return PL_OK;
}

// List pairs again after a load, and restore self-collision from the states of the bodies.
static void end_load(void *user, bool loaded)
{
    pl_world *world = user;
    if (!loaded || !world->collision.clash)
        return;
    const pl__surfaces *s = world->collision.clash->surfaces;
    world->collision.clash->watched = false;
    for (int32_t i = 0; i < s->part_count; ++i)
        if ((size_t)s->body[i] < world->bodies.slot_count)
            set_self(world, i);
}

const pl__section_type pl__collision_section = {.tag = "MEET",
                                                .version = 3,
                                                .oldest = 3,
                                                .bytes = collision_bytes,
                                                .write = write_collision,
                                                .read = read_collision,
                                                .end = end_load};
