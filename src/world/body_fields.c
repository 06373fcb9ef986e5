// src/world/body_fields.c -- fields of a body for rendering and export, per element or at surface vertices: stress,
// strain, energy.
//
// Blocks of elements are evaluated in parallel and write to their places in the mesh. A field is constant in an
// element; nodes take the mean of their elements weighted by rest volume, and surface vertices interpolate that.
#include "world.h"
#include "base/cpu.h"
#include "base/task.h"
#include "element/bend.h"
#include "element/state.h"
#include "solid/heat.h"

#include <string.h>

enum
{
    BLOCK_CHUNK = 8,
    CAUCHY_COMPONENTS = 9
};

// ---- the mesh --------------------------------------------------------------------------------------------------

pl_element_kind pl_body_element_kind(const pl_world *world, pl_body_id id)
{
    if (!world)
        return PL_ELEMENT_TET;
    return pl__world_body(world, id) ? world->bodies.slot[id.index - 1].shape.kind : PL_ELEMENT_TET;
}

int32_t pl_body_element_count(const pl_world *world, pl_body_id id)
{
    if (!world)
        return 0;
    const pl__body *body = pl__world_body(world, id);
    return body ? body->element_count : 0;
}

const int32_t *pl_body_elements(const pl_world *world, pl_body_id id)
{
    if (!world)
        return NULL;
    return pl__world_body(world, id) ? world->bodies.slot[id.index - 1].shape.element : NULL;
}

pl_status pl_body_read_rest(const pl_world *world, pl_body_id id, double *positions)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    const pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    memcpy(positions, world->bodies.slot[id.index - 1].shape.rest, 3 * sizeof(double) * (size_t)body->node_count);
    return PL_OK;
}

// ---- kinds of fields -------------------------------------------------------------------------------------------

static const struct
{
    const char *name;
    int32_t components;
} fields[] = {
    [PL_FIELD_J] = {"J", 1},
    [PL_FIELD_STRESS] = {"stress", 1},
    [PL_FIELD_STRETCH] = {"stretch", 1},
    [PL_FIELD_ENERGY] = {"energy", 1},
    [PL_FIELD_PRESSURE] = {"pressure", 1},
    [PL_FIELD_CAUCHY] = {"cauchy", CAUCHY_COMPONENTS},
    [PL_FIELD_PLASTIC] = {"plastic", 1},
    [PL_FIELD_TEMPERATURE] = {"temperature", 1},
};
enum
{
    FIELD_COUNT = sizeof fields / sizeof fields[0]
};

static bool is_field(int32_t field) { return field >= 0 && field < FIELD_COUNT; }
const char *pl_body_field_name(int32_t field) { return is_field(field) ? fields[field].name : NULL; }
int32_t pl_body_field_components(int32_t field) { return is_field(field) ? fields[field].components : 0; }

static void write_value(const pl__element_state *state, pl_body_field field, double *out)
{
    switch (field)
    {
    case PL_FIELD_J: *out = state->J; return;
    case PL_FIELD_STRESS: *out = pl__element_state_von_mises(state); return;
    case PL_FIELD_STRETCH: *out = state->stretch; return;
    case PL_FIELD_ENERGY: *out = state->energy; return;
    case PL_FIELD_PRESSURE: *out = pl__element_state_pressure(state); return;
    case PL_FIELD_CAUCHY: pl__element_state_cauchy(state, out); return;
    case PL_FIELD_PLASTIC: *out = state->plastic; return;
    case PL_FIELD_TEMPERATURE: return; // not part of the element state
    }
}

// ---- per element -------------------------------------------------------------------------------------------

typedef struct
{
    const pl_world *world;
    const pl__body *body;
    const pl__element_group *group;
    pl_body_field field;
    double *values;
} field_job;

static void evaluate_blocks(void *argument, int32_t begin, int32_t end)
{
    const field_job *job = argument;
    const pl__element_group *group = job->group;
    size_t components = (size_t)fields[job->field].components;
    pl__element_state state[PL_ELEMENT_LANES];
    for (int32_t block = begin; block < end; ++block)
    {
        pl__element_block_state(group, block, job->world->solids.state.x, job->body->state.strength,
                                job->world->ctx->register_bytes, state);
        int32_t first = block * PL_ELEMENT_LANES, left = group->count - first;
        for (int32_t lane = 0; lane < PL_ELEMENT_LANES && lane < left; ++lane)
            write_value(&state[lane], job->field, &job->values[components * (size_t)group->source[first + lane]]);
    }
}

// Shells: the larger of the plastic strain in the plane and of bending.
static void add_bending(const pl__element_group *group, double *values)
{
    for (int32_t i = 0; i < group->count; ++i)
    {
        double bent = pl__bend_rest_plastic(&group->bend[i / PL_ELEMENT_LANES], i % PL_ELEMENT_LANES),
               *value = &values[group->source[i]];
        *value = bent > *value ? bent : *value;
    }
}

static void read_temperatures(const pl__body *body, double *values)
{
    for (int32_t g = 0; g < body->group_count && pl__element_type_of(body->group[g].kind)->solid; ++g)
        for (int32_t i = 0; i < body->group[g].count; ++i)
            values[body->group[g].source[i]] = body->heat ? pl__heat_of_element(body, &body->group[g], i) : 0;
}

static void read_field(const pl_world *world, const pl__body *body, pl_body_field field, double *values)
{
    if (field == PL_FIELD_TEMPERATURE)
    {
        read_temperatures(body, values);
        return;
    }
    for (int32_t g = 0; g < body->group_count && pl__element_type_of(body->group[g].kind)->solid; ++g)
        pl__parallel_for(world->ctx, body->group[g].block_count, BLOCK_CHUNK, evaluate_blocks,
                         &(field_job){world, body, &body->group[g], field, values});
    if (field == PL_FIELD_PLASTIC)
        for (int32_t g = 0; g < body->group_count; ++g)
            if (body->group[g].kind == PL__BEND && body->group[g].flows)
                add_bending(&body->group[g], values);
}

pl_status pl_body_read_field(const pl_world *world, pl_body_id id, pl_body_field field, double *values)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    const pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    PL_CHECK(world->ctx, is_field((int32_t)field), "field %d is not a pl_body_field", (int)field);
    uint64_t host = pl__fp_enter();
    read_field(world, body, field, values);
    pl__fp_leave(host);
    return PL_OK;
}

// ---- at surface vertices ---------------------------------------------------------------------------------------

// Nodal means in mesh order, weighted by the rest volumes of the elements; 0 at nodes without elements.
static void average(const pl__body *body, const double *at_element, double *volume, double *at_node)
{
    for (int32_t g = 0; g < body->group_count && pl__element_type_of(body->group[g].kind)->solid; ++g)
        for (int32_t i = 0; i < body->group[g].count; ++i)
        {
            const pl__element_group *group = &body->group[g];
            double weight = pl__element_volume(group, i);
            for (int32_t c = 0; c < pl__element_type_of(group->kind)->corners; ++c)
            {
                int32_t node = body->source_of_node[*pl__element_node(group, i, c) - body->first_node];
                volume[node] += weight;
                at_node[node] += weight * at_element[group->source[i]];
            }
        }
    for (int32_t n = 0; n < body->node_count; ++n)
        at_node[n] = volume[n] > 0 ? at_node[n] / volume[n] : 0;
}

static void write_vertices(const pl__body *body, const pl__body_shape *shape, const double *at_node, float *values)
{
    double *at_vertex = shape->point;
    if (shape->embed)
        pl__embed_scalars(shape->embed, &(pl__embed_nodes){.tet = shape->carrier}, at_node, at_vertex);
    for (int32_t i = 0; i < shape->skin.vertex_count; ++i)
        values[i] = (float)(shape->embed ? at_vertex[i] : at_node[body->surface.source[i]]);
}

pl_status pl_body_read_surface_field(const pl_world *world, pl_body_id id, pl_body_field field, float *values)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    const pl__body *body = pl__world_body(world, id);
    if (!body)
        return PL_ERR_STATE;
    pl_context *ctx = world->ctx;
    PL_CHECK(ctx, is_field((int32_t)field), "field %d is not a pl_body_field", (int)field);
    PL_CHECK(ctx, fields[field].components == 1, "field \"%s\" has %d components, at surface vertices one is allowed",
             fields[field].name, fields[field].components);
    double *at_element = PL_NEW(ctx, body->element_count, double);
    double *volume = PL_NEW(ctx, body->node_count, double), *at_node = PL_NEW(ctx, body->node_count, double);
    bool ok = at_element && volume && at_node;
    if (ok)
    {
        uint64_t host = pl__fp_enter();
        read_field(world, body, field, at_element);
        average(body, at_element, volume, at_node);
        write_vertices(body, &world->bodies.slot[id.index - 1].shape, at_node, values);
        pl__fp_leave(host);
    }
    PL_DELETE(ctx, at_element, body->element_count);
    PL_DELETE(ctx, volume, body->node_count);
    PL_DELETE(ctx, at_node, body->node_count);
    return ok ? PL_OK : PL_ERR_MEMORY;
}
