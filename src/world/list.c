// src/world/list.c -- enumeration of bodies and objects by name and index.
#include "world.h"
#include "base/cpu.h"

#include <math.h>
#include <string.h>

static const double degree = 0.017453292519943295;

int32_t pl_world_body_count(const pl_world *world) { return world ? world->solids.body_count : 0; }

pl_body_id pl_world_body_at(const pl_world *world, int32_t i)
{
    if (!world)
        return (pl_body_id){0};
    for (size_t slot = 0; i >= 0 && slot < world->bodies.slot_count; ++slot)
        if (world->bodies.slot[slot].body && i-- == 0)
            return (pl_body_id){(int32_t)slot + 1};
    return (pl_body_id){0};
}

const char *pl_body_name(const pl_world *world, pl_body_id body)
{
    if (!world)
        return NULL;
    return pl__world_body(world, body) ? world->bodies.slot[body.index - 1].name : NULL;
}

int32_t pl_world_object_count(const pl_world *world) { return world ? (int32_t)world->objects.count : 0; }

const char *pl_world_object_name(const pl_world *world, int32_t i)
{
    if (!world)
        return NULL;
    return i >= 0 && (size_t)i < world->objects.count ? world->objects.name[i] : NULL;
}

pl_status pl_object_read(const pl_world *world, pl_object_id id, pl_object_def *state)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    PL_CHECK(world->ctx, id.index >= 1 && (size_t)id.index <= world->objects.count, "object %d does not exist",
             id.index);
    const pl__object *object = &world->objects.object[id.index - 1];
    *state = object->shape->def;
    memcpy(state->at, object->at, sizeof state->at);
    memcpy(state->velocity, object->velocity, sizeof state->velocity);
    uint64_t host = pl__fp_enter();
    pl_quat_to_degrees(object->turned, state->rotate);
    pl_vec3 normal = pl_quat_turn(object->turned, pl_make3(state->normal[0], state->normal[1], state->normal[2]));
    memcpy(state->normal, normal.v, sizeof normal.v);
    for (int i = 0; i < 3; ++i)
        state->spin[i] = object->angular[i] / degree;
    pl__fp_leave(host);
    state->friction = object->friction;
    return PL_OK;
}

// Edge length that resolves the curvature, as a share of the longest side; differences are contoured and need a finer
// one.
static double fine_edge(const pl__shape *shape)
{
    double lower[3], upper[3], longest = 0;
    pl__shape_bounds(shape, lower, upper);
    for (int i = 0; i < 3; ++i)
        longest = fmax(longest, isfinite(upper[i] - lower[i]) ? upper[i] - lower[i] : 0);
    return longest > 0 ? longest / (shape->def.kind == PL_OBJECT_DIFFERENCE ? 96 : 40) : 1;
}

pl_status pl_object_surface(const pl_world *world, pl_object_id id, double edge, pl_surface **surface)
{
    if (!world || !surface)
        return PL_ERR_ARGUMENT;
    *surface = NULL;
    PL_CHECK(world->ctx, id.index >= 1 && (size_t)id.index <= world->objects.count, "object %d does not exist",
             id.index);
    PL_CHECK(world->ctx, edge >= 0 && isfinite(edge), "pl_object_surface: edge: %g m must be at least 0", edge);
    const pl__shape *shape = world->objects.shape[id.index - 1];
    bool bends = shape->def.kind == PL_OBJECT_ACTOR || shape->def.kind == PL_OBJECT_BODY;
    uint64_t host = pl__fp_enter();
    pl_status status = bends ? pl__actor_read(world, (size_t)id.index - 1, surface)
                             : pl__shape_surface(world->ctx, shape, edge > 0 ? edge : fine_edge(shape), surface);
    pl__fp_leave(host);
    return status;
}
