// src/world/actors.c -- kinematic surfaces: actors, bodies as objects, and objects that collide by surface.
//
// An actor plays its cache, a function of time. A body that is an object for others has the positions of its nodes,
// extrapolated with their velocities to the end of the substep. Neither has history: positions at the start of a
// substep are recomputed, and snapshots do not save them.
//
// Objects that collide by surface (collision.c) are massless nodes behind those of the bodies, with positions at the
// start and the end of a collision interval. The object contact of substeps ignores them.
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const pl_object_def *def_of(const pl_world *world, size_t k) { return &world->objects.shape[k]->def; }

static bool by_surface(const pl_world *world, size_t k) { return def_of(world, k)->contact == PL_MEETING_SURFACE; }

// The body that object k represents; NULL for other objects, and when it was removed.
static const pl__body *body_of(const pl_world *world, size_t k)
{
    return world->objects.slot[k] >= 0 ? world->bodies.slot[world->objects.slot[k]].body : NULL;
}

// ---- positions -------------------------------------------------------------------------------------------------

// Interpolate the cache of an actor at `time`, in its own frame.
static void interpolate_cache(const pl_object_def *def, double time, double *to)
{
    size_t numbers = 3 * (size_t)def->surface->node_count;
    double last = def->cache_count - 1, at = fmin(fmax((time - def->cache_start) * def->cache_rate, 0), last);
    double whole = floor(at), part = at - whole;
    const double *a = def->cache ? &def->cache[(size_t)whole * numbers] : def->surface->position,
                 *b = part > 0 && def->cache ? a + numbers : a;
    for (size_t i = 0; i < numbers; ++i)
        to[i] = a[i] + part * (b[i] - a[i]);
}

// Surface vertices of a body, extrapolated by dt with their velocities.
static void extrapolate_body(const pl_world *world, const pl__body *body, double dt, double *to)
{
    for (size_t i = 0; i < (size_t)body->surface.vertex_count; ++i)
    {
        size_t at = 3 * (size_t)(body->first_node + body->surface.node[i]);
        for (size_t k = 0; k < 3; ++k)
            to[3 * i + k] = world->solids.state.x[at + k] + dt * world->solids.state.v[at + k];
    }
}

// Vertices of object k in its own frame, dt from now, at world time `time`.
static void compute_vertices(const pl_world *world, size_t k, double time, double dt, double *to)
{
    const pl__body *body = body_of(world, k);
    if (body)
        extrapolate_body(world, body, dt, to);
    else if (def_of(world, k)->kind == PL_OBJECT_ACTOR)
        interpolate_cache(def_of(world, k), time, to);
}

// An object whose body was removed does not exist.
static bool exists(const pl_world *world, size_t k)
{
    return world->objects.object[k].actor && (world->objects.slot[k] < 0 || body_of(world, k));
}

// Move an actor to its current position; `target` is used as scratch.
static void place_actor(pl_world *world, size_t k)
{
    pl__object *object = &world->objects.object[k];
    compute_vertices(world, k, world->state.time, 0, object->actor->target);
    pl__actor_put(object->actor, object->actor->target, object->at, object->turned);
}

void pl__actors_place(pl_world *world)
{
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        pl__object *object = &world->objects.object[k];
        const pl__body *body = body_of(world, k);
        object->absent = by_surface(world, k) || (world->objects.slot[k] >= 0 && !body);
        object->own_begin = body ? body->first_node : 0;
        object->own_end = body ? body->first_node + body->node_count : 0;
        if (exists(world, k))
            place_actor(world, k);
        pl__object_place(object);
    }
}

void pl__actors_aim(pl_world *world, double dt)
{
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        if (!exists(world, k))
            continue;
        place_actor(world, k);
        compute_vertices(world, k, pl__keyframes_time_after(world, dt), dt, world->objects.object[k].actor->target);
    }
}

// ---- creation --------------------------------------------------------------------------------------------------

static pl_status find_slot(pl_world *world, size_t k)
{
    const char *name = def_of(world, k)->body;
    char owner[PL_NAME_BYTES + 16];
    snprintf(owner, sizeof owner, "objects.%s", world->objects.name[k]);
    world->objects.slot[k] = -1;
    for (size_t i = 0; name && i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body && strcmp(world->bodies.slot[i].name, name) == 0)
            world->objects.slot[k] = (int32_t)i;
    PL_CHECK_FIELD(world->ctx, !name || world->objects.slot[k] >= 0, owner, "body", "there is no body `%s`", name);
    if (!name)
        return PL_OK;
    pl__slot *slot = &world->bodies.slot[world->objects.slot[k]];
    PL_CHECK_FIELD(world->ctx, !slot->fracture, owner, "body",
                   "`%s` breaks or can be cut; only bodies that stay whole can be objects for others", name);
    PL_CHECK_FIELD(world->ctx, !slot->body->planar, owner, "body",
                   "`%s` is planar; only solids and shells can be objects for others", name);
    // Other bodies collide with it as with an object, one way. An object that collides by surface must not be moved by
    // collision response, so self-collision is off.
    slot->collision.others = false;
    slot->collision.self &= !by_surface(world, k);
    return PL_OK;
}

// Surface from the boundary of a body at rest.
static pl_status body_surface(const pl_world *world, const pl__slot *slot, pl_surface **surface)
{
    const pl__body *body = slot->body;
    *surface = pl__surface_new(world->ctx, body->surface.vertex_count, body->surface.triangle_count);
    if (!*surface)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < (size_t)body->surface.vertex_count; ++i)
        memcpy(&(*surface)->position[3 * i], &slot->shape.rest[3 * (size_t)body->surface.source[i]],
               3 * sizeof(double));
    memcpy((*surface)->triangle, body->surface.triangle,
           3 * (size_t)body->surface.triangle_count * sizeof *body->surface.triangle);
    return pl__surface_finish(surface, slot->name);
}

static pl_status make_surface(pl_world *world, size_t k, pl_surface **surface)
{
    const pl_object_def *def = def_of(world, k);
    if (def->kind == PL_OBJECT_BODY)
        return body_surface(world, &world->bodies.slot[world->objects.slot[k]], surface);
    if (def->kind == PL_OBJECT_ACTOR)
        return (*surface = pl__surface_copy(def->surface)) ? PL_OK : PL_ERR_MEMORY;
    char sentence[200];
    pl_status status = pl_object_surface(world, (pl_object_id){(int32_t)k + 1}, 0, surface);
    snprintf(sentence, sizeof sentence, "%s", pl_context_error(world->ctx));
    char owner[PL_NAME_BYTES + 16];
    snprintf(owner, sizeof owner, "objects.%s", world->objects.name[k]);
    return status == PL_ERR_ARGUMENT ? pl__fail_field(world->ctx, owner, "contact", "%s", sentence) : status;
}

static pl_status create(pl_world *world, size_t k)
{
    const pl_object_def *def = def_of(world, k);
    bool deforms = def->kind == PL_OBJECT_ACTOR || def->kind == PL_OBJECT_BODY;
    PL_TRY(find_slot(world, k));
    if (!deforms && !by_surface(world, k))
        return PL_OK;
    pl_surface *surface = NULL;
    pl_status status = make_surface(world, k, &surface);
    if (status == PL_OK)
        status = pl__actor_create(surface, def->depth, &world->objects.object[k].actor);
    pl_surface_destroy(&surface);
    return status;
}

// Actors collide by surface by default: nodes of cloth are far apart compared with fingers. Not in planar worlds.
static void choose_contact(const pl_world *world, pl_object_def *def)
{
    bool planar = false;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        planar |= world->bodies.slot[i].body && world->bodies.slot[i].body->planar;
    if (def->contact == PL_MEETING_AUTO)
        def->contact = def->kind == PL_OBJECT_ACTOR && !planar ? PL_MEETING_SURFACE : PL_MEETING_DISTANCE;
}

pl_status pl__actors_create(pl_world *world)
{
    world->objects.slot = PL_NEW(world->ctx, world->objects.count, int32_t);
    if (!world->objects.slot)
        return PL_ERR_MEMORY;
    for (size_t k = 0; k < world->objects.count; ++k)
        choose_contact(world, &world->objects.shape[k]->def);
    for (size_t k = 0; k < world->objects.count; ++k)
        PL_TRY(create(world, k));
    return PL_OK;
}

void pl__actors_destroy(pl_world *world)
{
    for (size_t k = 0; world->objects.object && k < world->objects.count; ++k)
        pl__actor_destroy(&world->objects.object[k].actor);
    PL_DELETE(world->ctx, world->objects.slot, world->objects.count);
}

pl_status pl__actor_read(const pl_world *world, size_t k, pl_surface **surface)
{
    const pl__actor *actor = world->objects.object[k].actor;
    PL_CHECK_FIELD(world->ctx, exists(world, k), "objects", world->objects.name[k], "its body was removed");
    if (!(*surface = pl__surface_new(world->ctx, actor->node_count, actor->triangle_count)))
        return PL_ERR_MEMORY;
    compute_vertices(world, k, world->state.time, 0, (*surface)->position);
    const int32_t order[2][3] = {{0, 1, 2}, {0, 2, 1}};
    for (size_t i = 0; i < 3 * (size_t)actor->triangle_count; ++i)
        (*surface)->triangle[i] = actor->triangle[i - i % 3 + (size_t)order[actor->side < 0][i % 3]];
    return pl__surface_finish(surface, world->objects.name[k]);
}

// ---- collision by surface --------------------------------------------------------------------------------------

static bool is_obstacle(const pl_world *world, size_t k) { return by_surface(world, k) && exists(world, k); }

int32_t pl__obstacles_count(const pl_world *world, size_t *nodes, size_t *triangles)
{
    int32_t count = 0;
    *nodes = *triangles = 0;
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        if (!is_obstacle(world, k))
            continue;
        ++count;
        *nodes += (size_t)world->objects.object[k].actor->node_count;
        *triangles += (size_t)world->objects.object[k].actor->triangle_count;
    }
    return count;
}

bool pl__obstacles_drive(const pl_world *world, size_t slot)
{
    for (size_t k = 0; k < world->objects.count; ++k)
        if (by_surface(world, k) && world->objects.slot[k] == (int32_t)slot)
            return true;
    return false;
}

void pl__obstacles_list(const pl_world *world, int32_t first_node, double thickness, pl__surface_part *part,
                        int32_t *triangle, double *rest)
{
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        if (!is_obstacle(world, k))
            continue;
        const pl__actor *actor = world->objects.object[k].actor;
        double own = def_of(world, k)->collision_thickness;
        *part++ = (pl__surface_part){.body = (int32_t)(world->bodies.slot_count + k),
                                     .triangle_count = actor->triangle_count,
                                     .triangle = triangle,
                                     .thickness = own > 0 ? own : thickness};
        for (int32_t i = 0; i < 3 * actor->triangle_count; ++i)
            *triangle++ = first_node + actor->triangle[i];
        memcpy(rest, actor->x, 3 * (size_t)actor->node_count * sizeof *rest);
        rest += 3 * (size_t)actor->node_count;
        first_node += actor->node_count;
    }
}

// Bodies are numbered by slot, objects behind them.
bool pl__obstacles_rule(const pl_world *world, int32_t a, int32_t b, double *friction)
{
    int32_t bodies = (int32_t)world->bodies.slot_count, object = (a > b ? a : b) - bodies, other = a > b ? b : a;
    *friction = pl__friction_between(world, other, object + bodies, world->objects.object[object].friction);
    return other < bodies && world->objects.slot[object] != other;
}

void pl__obstacles_write(pl_world *world, double *x)
{
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        if (!is_obstacle(world, k))
            continue;
        size_t numbers = 3 * (size_t)world->objects.object[k].actor->node_count;
        place_actor(world, k);
        memcpy(x, world->objects.object[k].actor->x, numbers * sizeof *x);
        x += numbers;
    }
}

// Velocity of the rigid motion, plus the mean velocity of the deformation over `ahead`.
void pl__obstacles_foresee(pl_world *world, double ahead, const double *x, double *v)
{
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        if (!is_obstacle(world, k))
            continue;
        const pl__object *o = &world->objects.object[k];
        pl__actor *actor = o->actor;
        memcpy(actor->before, actor->target,
               3 * (size_t)actor->node_count * sizeof *actor->before); // rigid objects do not deform
        compute_vertices(world, k, world->state.time, 0, actor->before);
        compute_vertices(world, k, pl__keyframes_time_after(world, ahead), ahead, actor->target);
        for (size_t n = 0; n < (size_t)actor->node_count; ++n, x += 3, v += 3)
        {
            const double *a = &actor->before[3 * n], *b = &actor->target[3 * n], *w = o->angular;
            double arm[3] = {x[0] - o->at[0], x[1] - o->at[1], x[2] - o->at[2]};
            pl_vec3 deformation =
                pl_quat_turn(o->turned, pl_make3((b[0] - a[0]) / ahead, (b[1] - a[1]) / ahead, (b[2] - a[2]) / ahead));
            for (int i = 0; i < 3; ++i)
                v[i] = o->velocity[i] + w[(i + 1) % 3] * arm[(i + 2) % 3] - w[(i + 2) % 3] * arm[(i + 1) % 3] +
                       deformation.v[i];
        }
    }
}

void pl__obstacles_read(const pl_world *world, bool at_end, double *x, double *v)
{
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        if (!is_obstacle(world, k))
            continue;
        const pl__actor *actor = world->objects.object[k].actor;
        size_t numbers = 3 * (size_t)actor->node_count;
        memcpy(x, at_end ? actor->x : actor->before, numbers * sizeof *x);
        for (size_t i = 0; i < numbers; ++i)
            v[i] = (actor->x[i] - actor->before[i]) / actor->dt;
        x += numbers;
        v += numbers;
    }
}

// Snapshots contain nothing of actors; they are repositioned after a load.
static void end_load(void *user, bool loaded)
{
    if (loaded)
        pl__actors_place(user);
}

const pl__section_type pl__actors_section = {.tag = "ACTO", .end = end_load};
