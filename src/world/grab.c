// src/world/grab.c -- grabs: springs that hold patches of bodies (solid/grab.c has the equations).
#include "world.h"
#include "base/cpu.h"
#include "math/vec3.h"
#include "solid/pin.h"

#include <math.h>
#include <string.h>

static pl_vec3 load(const double *x) { return pl_make3(x[0], x[1], x[2]); }

// ---- patches ---------------------------------------------------------------------------------------------------

static double distance2(const double *a, const double *b)
{
    pl_vec3 r = pl_sub3(load(a), load(b));
    return pl_dot3(r, r);
}

// Surface node nearest to a hit: the triangle corner with the largest weight; of an embedded surface, the nearest one.
static int32_t anchor_of(const pl_world *world, const pl__slot *slot, const pl_hit *hit)
{
    const pl__body *body = slot->body;
    if (!slot->shape.embed)
    {
        int heaviest = hit->weights[1] > hit->weights[0];
        heaviest = hit->weights[2] > hit->weights[heaviest] ? 2 : heaviest;
        return body->surface.triangle[3 * (size_t)hit->triangle + (size_t)heaviest];
    }
    const double *x = &world->solids.state.x[3 * (size_t)body->first_node];
    int32_t best = 0;
    for (int32_t i = 1; i < body->surface.vertex_count; ++i)
        if (distance2(&x[3 * (size_t)body->surface.node[i]], hit->point) <
            distance2(&x[3 * (size_t)body->surface.node[best]], hit->point))
            best = i;
    return best;
}

// Collect the nearest surface nodes at rest, sorted by distance; the anchor comes first.
static void find_patch(const pl__slot *slot, int32_t anchor, double radius, pl__grab *grab)
{
    const pl__body *body = slot->body;
    const double *rest = slot->shape.rest, *middle = &rest[3 * (size_t)body->surface.source[anchor]];
    double distance[PL__GRAB_NODES];
    for (int32_t i = 0; i < body->surface.vertex_count; ++i)
    {
        double d = i == anchor ? -1 : distance2(&rest[3 * (size_t)body->surface.source[i]], middle);
        bool full = grab->count == PL__GRAB_NODES;
        if (d > radius * radius || (full && d >= distance[PL__GRAB_NODES - 1]) ||
            !(body->mass[body->surface.node[i]] > 0))
            continue;
        int32_t at = full ? grab->count - 1 : grab->count++;
        for (; at > 0 && distance[at - 1] > d; --at)
        {
            distance[at] = distance[at - 1];
            grab->node[at] = grab->node[at - 1];
        }
        distance[at] = d;
        grab->node[at] = body->surface.node[i];
    }
}

// ---- grabs -----------------------------------------------------------------------------------------------------

void pl__grab_install(pl_world *world, int32_t place, const pl__grab *grab)
{
    world->grabs.grab[place] = *grab;
    grab->body->pins.grab_count++;
    grab->body->pins.soft = true;
    if (grab->id > world->grabs.made)
        world->grabs.made = grab->id;
    pl__sleep_wake(world, grab->body);
}

static void release_grab(pl_world *world, pl__grab *grab)
{
    pl__grabs_reset(&world->solids, grab, 1);
    grab->body->pins.grab_count--;
    *grab = (pl__grab){0};
}

void pl__grabs_forget(pl_world *world, const pl__body *body)
{
    for (int32_t i = 0; i < PL__GRABS; ++i)
        if (world->grabs.grab[i].id && !body)
            release_grab(world, &world->grabs.grab[i]);
        else if (world->grabs.grab[i].id && world->grabs.grab[i].body == body)
            world->grabs.grab[i] = (pl__grab){0}; // its nodes no longer exist
}

static bool contains_node(const pl__grab *grab, int32_t node)
{
    for (int32_t k = 0; k < grab->count; ++k)
        if (grab->node[k] == node)
            return true;
    return false;
}

static void transfer_grab(pl__grab *grab, const int32_t *from, pl__body *to)
{
    const pl__body *body = grab->body;
    pl__grab old = *grab;
    for (int32_t k = 0; k < grab->count; ++k)
        grab->node[k] = to->node_of_source[body->source_of_node[old.node[k]]];
    for (int32_t n = body->node_count; n < to->node_count && grab->count < PL__GRAB_NODES; ++n)
        if (contains_node(&old, body->node_of_source[from[n]]))
            grab->node[grab->count++] = to->node_of_source[n];
    grab->body = to;
    to->pins.grab_count++;
    to->pins.soft = true;
}

void pl__grabs_move(pl__grab *grab, const pl__body *body, const int32_t *from, pl__body *to)
{
    for (int32_t i = 0; i < PL__GRABS; ++i)
        if (grab[i].id && grab[i].body == body)
            transfer_grab(&grab[i], from, to);
}

void pl__grabs_aim(pl_world *world, double dt)
{
    double part = dt < world->state.pending.remaining ? dt / world->state.pending.remaining : 1;
    for (int32_t i = 0; i < PL__GRABS; ++i)
        for (int k = 0; world->grabs.grab[i].id && k < 3; ++k)
            world->grabs.grab[i].to[k] =
                world->grabs.grab[i].at[k] + part * (world->grabs.grab[i].target[k] - world->grabs.grab[i].at[k]);
}

void pl__grabs_arrive(pl_world *world)
{
    for (int32_t i = 0; i < PL__GRABS; ++i)
        memcpy(world->grabs.grab[i].at, world->grabs.grab[i].to, sizeof world->grabs.grab[i].at);
}

static pl__grab *find(const pl_world *world, pl_grab_id id)
{
    for (int32_t i = 0; i < PL__GRABS; ++i)
        if (id.index > 0 && world->grabs.grab[i].id == id.index)
            return (pl__grab *)&world->grabs.grab[i];
    (void)pl__fail(world->ctx, PL_ERR_STATE, "grab %d has let go, or never was", id.index);
    return NULL;
}

static pl_status check_hit(const pl_world *world, const pl_hit *hit, double stiffness, double radius)
{
    const pl__body *body = pl__world_body(world, hit->body);
    if (!body)
        return PL_ERR_STATE;
    int32_t triangles = world->bodies.slot[hit->body.index - 1].shape.skin.triangle_count;
    PL_CHECK(world->ctx, hit->triangle >= 0 && hit->triangle < triangles, "hit.triangle: %d is not in [0, %d)",
             hit->triangle, triangles);
    for (int k = 0; k < 3; ++k)
        PL_CHECK(world->ctx, isfinite(hit->point[k]) && isfinite(hit->weights[k]), "hit: %g and %g must be finite",
                 hit->point[k], hit->weights[k]);
    PL_CHECK(world->ctx, stiffness > 0 && stiffness <= 1e12, "stiffness: %g N/m must be above 0 and at most 1e12",
             stiffness);
    PL_CHECK(world->ctx, radius >= 0 && radius <= 1e9, "radius: %g m must be in [0, 1e9]", radius);
    return PL_OK;
}

pl_status pl_world_grab(pl_world *world, const pl_hit *hit, double stiffness, double radius, pl_grab_id *id)
{
    if (!world || !hit)
        return PL_ERR_ARGUMENT;
    PL_TRY(check_hit(world, hit, stiffness, radius));
    int32_t place = 0;
    while (place < PL__GRABS && world->grabs.grab[place].id)
        ++place;
    if (place == PL__GRABS)
        return pl__fail(world->ctx, PL_ERR_STATE, "%d hands hold bodies already; let one go first", PL__GRABS);
    const pl__slot *slot = &world->bodies.slot[hit->body.index - 1];
    pl__grab grab = {.id = world->grabs.made + 1, .body = slot->body, .stiffness = stiffness};
    find_patch(slot, anchor_of(world, slot, hit), radius, &grab);
    PL_CHECK_FIELD(world->ctx, grab.count > 0, "bodies", slot->name,
                   "there is nothing with mass to hold at triangle %d", hit->triangle);
    double middle[3];
    pl__grab_middle(&world->solids, &grab, middle);
    for (int k = 0; k < 3; ++k)
    {
        grab.lead[k] = hit->point[k] - middle[k];
        grab.at[k] = grab.to[k] = grab.target[k] = hit->point[k];
    }
    pl__grab_install(world, place, &grab);
    if (id)
        id->index = grab.id;
    return PL_OK;
}

pl_status pl_world_grab_move(pl_world *world, pl_grab_id id, const double target[3])
{
    if (!world)
        return PL_ERR_ARGUMENT;
    pl__grab *grab = find(world, id);
    if (!grab)
        return PL_ERR_STATE;
    for (int k = 0; k < 3; ++k)
        PL_CHECK(world->ctx, isfinite(target[k]) && fabs(target[k]) <= 1e9, "target: %g m must be within 1e9",
                 target[k]);
    memcpy(grab->target, target, sizeof grab->target);
    return PL_OK;
}

pl_status pl_world_grab_read(const pl_world *world, pl_grab_id id, double point[3])
{
    if (!world)
        return PL_ERR_ARGUMENT;
    const pl__grab *grab = find(world, id);
    if (!grab)
        return PL_ERR_STATE;
    pl__grab_middle(&world->solids, grab, point);
    for (int k = 0; k < 3; ++k)
        point[k] += grab->lead[k];
    return PL_OK;
}

pl_grab_id pl_world_grab_at(const pl_world *world, int32_t i)
{
    if (!world)
        return (pl_grab_id){0};
    for (int32_t k = 0; k < PL__GRABS; ++k)
        if (world->grabs.grab[k].id && i-- == 0)
            return (pl_grab_id){world->grabs.grab[k].id};
    return (pl_grab_id){0};
}

int32_t pl_world_grab_count(const pl_world *world)
{
    if (!world)
        return 0;
    int32_t count = 0;
    while (pl_world_grab_at(world, count).index)
        count++;
    return count;
}

pl_status pl_world_grab_release(pl_world *world, pl_grab_id id)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    pl__grab *grab = find(world, id);
    if (!grab)
        return PL_ERR_STATE;
    pl__body *body = grab->body;
    release_grab(world, grab);
    pl__pin_groups_update(body);
    return PL_OK;
}

// ---- section GRAB: nodes, stiffness and targets of grabs -------------------------------------------------------

// Bodies by index (pl__body_place).
typedef struct
{
    int32_t id, body, count, node[PL__GRAB_NODES], unused;
    double stiffness, lead[3], at[3], target[3];
} record;

static size_t grabs_bytes(const void *user) { return (size_t)pl_world_grab_count(user) * sizeof(record); }

static void write_grabs(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (int32_t i = 0; i < PL__GRABS; ++i)
    {
        const pl__grab *g = &world->grabs.grab[i];
        record r = {.id = g->id, .count = g->count, .stiffness = g->stiffness};
        if (!g->id)
            continue;
        while (world->bodies.body[r.body] != g->body)
            r.body++;
        memcpy(r.node, g->node, (size_t)g->count * sizeof *g->node);
        memcpy(r.lead, g->lead, sizeof r.lead);
        memcpy(r.at, g->at, sizeof r.at);
        memcpy(r.target, g->target, sizeof r.target);
        pl__section_put(to, &r, sizeof r);
    }
}

static bool is_sound(const pl_world *world, const record *r)
{
    if (r->id < 1 || r->body < 0 || r->body >= pl__world_loaded_count(world) || r->count < 1 ||
        r->count > PL__GRAB_NODES)
        return false;
    const pl__body *body = pl__world_loaded_body(world, r->body);
    for (int32_t i = 0; i < r->count; ++i)
        if (r->node[i] < 0 || r->node[i] >= body->node_count || !(body->mass[r->node[i]] > 0))
            return false;
    size_t numbers = (sizeof *r - offsetof(record, stiffness)) / sizeof(double);
    return r->stiffness > 0 && pl__all_finite(&r->stiffness, numbers);
}

static void apply_grab(pl_world *world, int32_t place, const record *r)
{
    pl__grab grab = {.id = r->id, .body = world->bodies.body[r->body], .count = r->count, .stiffness = r->stiffness};
    memcpy(grab.node, r->node, sizeof grab.node);
    memcpy(grab.lead, r->lead, sizeof grab.lead);
    memcpy(grab.at, r->at, sizeof grab.at);
    memcpy(grab.target, r->target, sizeof grab.target);
    pl__grab_install(world, place, &grab);
}

static pl_status read_grabs(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    if (apply)
        pl__grabs_forget(world, NULL);
    for (int32_t i = 0; i < PL__GRABS && pl__section_left(from) > 0; ++i)
    {
        record r;
        PL_TRY(pl__section_get(from, &r, sizeof r));
        if (!is_sound(world, &r))
            return pl__section_fail(from, "grab %d is of body %d, %d nodes and stiffness %g", i, r.body, r.count,
                                    r.stiffness);
        if (apply)
            apply_grab(world, i, &r);
    }
    return PL_OK;
}

const pl__section_type pl__grabs_section = {.tag = "GRAB",
                                            .version = 1,
                                            .oldest = 1,
                                            .optional = true,
                                            .bytes = grabs_bytes,
                                            .write = write_grabs,
                                            .read = read_grabs};
