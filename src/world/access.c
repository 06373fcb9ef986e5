// src/world/access.c -- public access to the state of a world: bodies, pins, objects.
#include "world.h"
#include "solid/recovery.h"
#include "solid/plastic_state.h"
#include "solid/pin.h"

#include <math.h>
#include <string.h>

static const double *of_body(const pl_world *world, const pl__body *body, const double *array)
{
    (void)world;
    return &array[3 * (size_t)body->first_node];
}

int32_t pl_body_node_count(const pl_world *world, pl_body_id id)
{
    if (!world)
        return 0;
    const pl__body *body = pl__world_body(world, id);
    return body ? body->node_count : 0;
}

const double *pl_body_positions(const pl_world *world, pl_body_id id)
{
    if (!world)
        return NULL;
    const pl__body *body = pl__world_body(world, id);
    return body ? of_body(world, body, world->solids.state.x) : NULL;
}

const double *pl_body_velocities(const pl_world *world, pl_body_id id)
{
    if (!world)
        return NULL;
    const pl__body *body = pl__world_body(world, id);
    return body ? of_body(world, body, world->solids.state.v) : NULL;
}

const int32_t *pl_body_node_order(const pl_world *world, pl_body_id id)
{
    if (!world)
        return NULL;
    const pl__body *body = pl__world_body(world, id);
    return body ? body->node_of_source : NULL;
}

static void to_source(const pl__body *body, const double *from, double *to)
{
    for (int32_t n = 0; to && n < body->node_count; ++n)
        memcpy(&to[3 * (size_t)n], &from[3 * (size_t)body->node_of_source[n]], 3 * sizeof *to);
}

static void from_source(const pl__body *body, const double *from, double *to)
{
    for (int32_t n = 0; from && n < body->node_count; ++n)
        memcpy(&to[3 * (size_t)body->node_of_source[n]], &from[3 * (size_t)n], 3 * sizeof *to);
}

pl_status pl_body_read(const pl_world *world, pl_body_id id, double *positions, double *velocities)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    const pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    to_source(body, of_body(world, body, world->solids.state.x), positions);
    to_source(body, of_body(world, body, world->solids.state.v), velocities);
    return PL_OK;
}

static pl_status check_finite(pl_context *ctx, const char *what, const double *values, int32_t node_count)
{
    for (int32_t i = 0; values && i < 3 * node_count; ++i)
        PL_CHECK(ctx, isfinite(values[i]), "%s of node %d: %g must be finite", what, i / 3, values[i]);
    return PL_OK;
}

pl_status pl_body_write(pl_world *world, pl_body_id id, const double *positions, const double *velocities)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    PL_TRY(check_finite(world->ctx, "position", positions, body->node_count));
    PL_TRY(check_finite(world->ctx, "velocity", velocities, body->node_count));
    double *x = &world->solids.state.x[3 * (size_t)body->first_node],
           *v = &world->solids.state.v[3 * (size_t)body->first_node];
    double z = x[2];
    from_source(body, positions, x);
    from_source(body, velocities, v);
    for (size_t n = 0; body->planar && n < (size_t)body->node_count; ++n)
    {
        x[3 * n + 2] = z;
        v[3 * n + 2] = 0;
    }
    for (int32_t k = 0; positions && k < body->pins.count; ++k)
        if (body->pins.pin[k].group < 0)
            memcpy(body->pins.pin[k].target, &x[3 * (size_t)body->pins.pin[k].node], sizeof body->pins.pin[k].target);
    if (positions)
    {
        // reset clocks and recovery: the history no longer applies
        body->state.rest_time = 0;
        body->state.stuck = false;
        pl__recovery_begin(body);
        pl__body_set_materials(body, world->materials.def);
        pl__body_reset_directors(body);
        pl__collision_forget(world);
    }
    world->solids.evaluation.fresh = 0;
    pl__sleep_wake(world, body);
    return PL_OK;
}

// ---- pins and objects ------------------------------------------------------------------------------------------

static pl_status find_node(pl_world *world, pl_body_id id, int32_t node, pl__body **body, int32_t *local)
{
    *body = pl__world_body(world, id);
    if (!*body)
        return PL_ERR_STATE;
    PL_CHECK_FIELD(world->ctx, node >= 0 && node < (*body)->node_count, "bodies", world->bodies.slot[id.index - 1].name,
                   "node %d is not in [0, %d)", node, (*body)->node_count);
    *local = (*body)->node_of_source[node];
    PL_CHECK_FIELD(world->ctx, !pl__pin_groups_contain(*body, *local), "bodies", world->bodies.slot[id.index - 1].name,
                   "node %d belongs to a group of pins and follows that", node);
    return PL_OK;
}

pl_status pl_body_set_pin(pl_world *world, pl_body_id id, int32_t node, int32_t held)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    pl__body *body;
    int32_t local = 0;
    PL_TRY(find_node(world, id, node, &body, &local));
    pl__sleep_wake(world, body);
    if (held)
        pl__body_add_pin(body, local, &world->solids.state.x[3 * (size_t)(body->first_node + local)]);
    else
        pl__body_remove_pin(body, local);
    return PL_OK;
}

pl_status pl_body_move_pin(pl_world *world, pl_body_id id, int32_t node, const double target[3])
{
    if (!world)
        return PL_ERR_ARGUMENT;
    pl__body *body;
    int32_t local = 0;
    PL_TRY(find_node(world, id, node, &body, &local));
    int32_t at = pl__body_find_pin(body, local, NULL);
    PL_CHECK_FIELD(world->ctx, at >= 0, "bodies", world->bodies.slot[id.index - 1].name,
                   "node %d is not held; hold it first with pl_body_set_pin", node);
    PL_TRY(check_finite(world->ctx, "target", target, 1));
    memcpy(body->pins.pin[at].target, target, sizeof body->pins.pin[at].target);
    pl__sleep_wake(world, body);
    return PL_OK;
}

pl_object_id pl_world_find_object(const pl_world *world, const char *name)
{
    if (!world || !name)
        return (pl_object_id){0};
    for (size_t i = 0; i < world->objects.count; ++i)
        if (strcmp(world->objects.name[i], name) == 0)
            return (pl_object_id){(int32_t)i + 1};
    return (pl_object_id){0};
}

pl_status pl_object_set_target(pl_world *world, pl_object_id object, const double target[3])
{
    if (!world)
        return PL_ERR_ARGUMENT;
    PL_CHECK(world->ctx, object.index >= 1 && (size_t)object.index <= world->objects.count, "object %d does not exist",
             object.index);
    PL_TRY(check_finite(world->ctx, "target", target, 1));
    PL_CHECK_FIELD(world->ctx, world->objects.slot[object.index - 1] < 0, "objects",
                   world->objects.name[object.index - 1], "is where its body is and cannot be sent elsewhere");
    const char *driver = pl__keyframes_driver(world, PL__KEYED_AT, object.index - 1, 0);
    if (driver)
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, driver, "follows its keys and cannot be sent elsewhere");
    memcpy(world->objects.target[object.index - 1], target, sizeof world->objects.target[0]);
    world->objects.aim[object.index - 1] = PL__AIM_NEW;
    return PL_OK;
}
