// src/solid/body.c -- builds a body from a mesh and its materials.
//
// Nodes and elements are reordered for locality (mesh/order.h), with maps back to the mesh. element_groups.c builds
// the elements.
#include "body.h"
#include "element_groups.h"
#include "element/bend.h"
#include "element/director.h"
#include "heat.h"
#include "incompressible.h"
#include "mesh/order.h"
#include "mesh/topology.h"
#include "pin.h"
#include "recovery.h"
#include "momentum.h"

#include <math.h>
#include <string.h>

typedef struct
{
    pl_context *ctx;
    const pl__body_spec *spec;
    pl__body *body;
    int32_t *node_order;    // [node_count] mesh node of engine node i
    int32_t *element_order; // [element_count]
} builder;

// ---- nodes ---------------------------------------------------------------------------------------------------

static pl_status order_nodes(builder *b)
{
    pl__body *body = b->body;
    PL_TRY(pl__mesh_locality_order(b->spec->mesh, b->node_order, b->element_order));
    for (int32_t i = 0; i < body->node_count; ++i)
    {
        body->source_of_node[i] = b->node_order[i];
        body->node_of_source[b->node_order[i]] = i;
    }
    return PL_OK;
}

// Connected components. Reuses node_order, which is no longer needed, as scratch.
static pl_status number_pieces(builder *b)
{
    pl__body *body = b->body;
    const pl_mesh *mesh = b->spec->mesh;
    int32_t *part = b->node_order;
    PL_TRY(pl__connected_parts(b->ctx, pl__mesh_corners(mesh), mesh->element, mesh->element_count, body->node_count,
                               part, &body->pieces.count));
    for (int32_t n = 0; n < body->node_count; ++n)
        body->pieces.of_node[body->node_of_source[n]] = part[n] > 0 ? part[n] : 0;
    body->pieces.motion = PL_NEW(b->ctx, body->pieces.count, pl__piece);
    return body->pieces.motion ? PL_OK : PL_ERR_MEMORY;
}

static void place_nodes(builder *b)
{
    pl__body *body = b->body;
    const pl__body_spec *spec = b->spec;
    double centre[3] = {0, 0, 0};
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        const double *X = &(spec->start ? spec->start : spec->mesh->position)[3 * (size_t)body->source_of_node[n]];
        double *x = &body->start_position[3 * (size_t)n];
        for (int i = 0; i < 3; ++i)
        {
            x[i] =
                spec->rotation[i][0] * X[0] + spec->rotation[i][1] * X[1] + spec->rotation[i][2] * X[2] + spec->at[i];
            centre[i] += body->mass[n] / body->total_mass * x[i];
        }
    }
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        const double *x = &body->start_position[3 * (size_t)n], *w = spec->spin;
        double *v = &body->start_velocity[3 * (size_t)n];
        double r[3] = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
        bool massless = body->mass[n] <= 0; // node of no element: stays
        for (int i = 0; i < 3; ++i)
            v[i] = massless ? 0 : spec->velocity[i] + w[(i + 1) % 3] * r[(i + 2) % 3] - w[(i + 2) % 3] * r[(i + 1) % 3];
    }
    for (int32_t i = 0; i < spec->pin_count; ++i)
    {
        int32_t node = body->node_of_source[spec->pins[i]];
        if (pl__body_find_pin(body, node, NULL) < 0)
            pl__body_add_pin(body, node, &body->start_position[3 * (size_t)node]);
    }
}

// ---- surface -------------------------------------------------------------------------------------------------

// Surface vertices in the order of mesh nodes, so that exports keep the source's point order.
static pl_status build_surface(builder *b)
{
    pl__body *body = b->body;
    const pl_mesh *mesh = b->spec->mesh;
    int32_t *vertex = PL_NEW(b->ctx, mesh->node_count, int32_t);
    if (!vertex)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < 3 * mesh->triangle_count; ++i)
        vertex[mesh->triangle[i]] = 1;
    for (int32_t n = 0; n < mesh->node_count; ++n)
        vertex[n] = vertex[n] ? body->surface.vertex_count++ : -1;
    body->surface.triangle_count = mesh->triangle_count;
    body->surface.triangle = PL_NEW(b->ctx, 3 * (size_t)body->surface.triangle_count, int32_t);
    body->surface.node = PL_NEW(b->ctx, body->surface.vertex_count, int32_t);
    body->surface.source = PL_NEW(b->ctx, body->surface.vertex_count, int32_t);
    bool ok = body->surface.triangle && body->surface.node && body->surface.source;
    for (int32_t i = 0; ok && i < 3 * mesh->triangle_count; ++i)
        body->surface.triangle[i] = vertex[mesh->triangle[i]];
    for (int32_t n = 0; ok && n < mesh->node_count; ++n)
        if (vertex[n] >= 0)
        {
            body->surface.source[vertex[n]] = n;
            body->surface.node[vertex[n]] = body->node_of_source[n];
        }
    PL_DELETE(b->ctx, vertex, mesh->node_count);
    return ok ? PL_OK : PL_ERR_MEMORY;
}

// ---- lifetime ------------------------------------------------------------------------------------------------

static pl_status allocate_body(builder *b)
{
    pl__body *body = b->body;
    size_t n = (size_t)body->node_count;
    body->node_of_source = PL_NEW(b->ctx, n, int32_t);
    body->source_of_node = PL_NEW(b->ctx, n, int32_t);
    body->start_position = PL_NEW(b->ctx, 3 * n, double);
    body->start_velocity = PL_NEW(b->ctx, 3 * n, double);
    body->mass = PL_NEW(b->ctx, n, double);
    body->pieces.of_node = PL_NEW(b->ctx, n, int32_t);
    body->pins.pin = PL_NEW(b->ctx, n, pl__pin);
    b->node_order = PL_NEW(b->ctx, n, int32_t);
    b->element_order = PL_NEW(b->ctx, body->element_count, int32_t);
    bool ok = body->node_of_source && body->source_of_node && body->start_position && body->start_velocity &&
              body->mass && body->pieces.of_node && body->pins.pin && b->node_order && b->element_order;
    return ok ? PL_OK : PL_ERR_MEMORY;
}

static pl_status build(builder *b)
{
    pl__body *body = b->body;
    PL_TRY(allocate_body(b));
    PL_TRY(order_nodes(b));
    PL_TRY(pl__element_groups_build(b->spec, b->element_order, body));
    PL_TRY(number_pieces(b));
    place_nodes(b);
    PL_TRY(pl__body_make_rings(body, b->spec));
    return build_surface(b);
}

pl_status pl__body_create(pl_context *ctx, const pl__body_spec *spec, pl__body **out)
{
    *out = NULL;
    pl__body *body = PL_NEW(ctx, 1, pl__body);
    if (!body)
        return PL_ERR_MEMORY;
    body->ctx = ctx;
    body->node_count = body->pins.capacity = spec->mesh->node_count;
    body->element_count = spec->mesh->element_count;
    body->planar = spec->planar;
    body->shell = spec->shell;
    body->plane_stress = spec->plane_stress;
    body->thickness = spec->thickness;
    body->bending = spec->bending;
    body->springs = spec->springs;
    body->air.gas = spec->gas;
    body->air.acts = spec->skin;
    body->air.closed = spec->holds;
    body->air.load = (pl__air){.across = 1.2 * spec->drag, .along = 0.02 * spec->drag};
    body->state.strength = spec->strength;
    body->state.pressure = spec->pressure;
    body->may_recover = true;
    body->state.toughness = body->state.volume = 1;
    builder b = {.ctx = ctx, .spec = spec, .body = body};
    pl_status status = build(&b);
    pl__recovery_begin(body);
    PL_DELETE(ctx, b.node_order, body->node_count);
    PL_DELETE(ctx, b.element_order, body->element_count);
    if (status != PL_OK)
        pl__body_destroy(&body);
    *out = body;
    return status;
}

void pl__body_destroy(pl__body **out)
{
    pl__body *body = *out;
    if (!body)
        return;
    pl_context *ctx = body->ctx;
    size_t n = (size_t)body->node_count;
    pl__element_groups_destroy(body);
    PL_DELETE(ctx, body->node_of_source, n);
    PL_DELETE(ctx, body->source_of_node, n);
    PL_DELETE(ctx, body->start_position, 3 * n);
    PL_DELETE(ctx, body->start_velocity, 3 * n);
    PL_DELETE(ctx, body->mass, n);
    PL_DELETE(ctx, body->pieces.of_node, n);
    PL_DELETE(ctx, body->pieces.motion, body->pieces.count);
    PL_DELETE(ctx, body->pins.pin, n);
    pl__pin_groups_destroy(body);
    pl__heat_destroy(&body->heat);
    pl__body_destroy_rings(body);
    PL_DELETE(ctx, body->surface.triangle, 3 * (size_t)body->surface.triangle_count);
    PL_DELETE(ctx, body->surface.node, body->surface.vertex_count);
    PL_DELETE(ctx, body->surface.source, body->surface.vertex_count);
    PL_DELETE(ctx, body, 1);
    *out = NULL;
}

// ---- changes while running -------------------------------------------------------------------------------------

int32_t pl__body_find_pin(const pl__body *body, int32_t node, int32_t *insert_at)
{
    int32_t low = 0, high = body->pins.count;
    while (low < high)
    {
        int32_t middle = low + (high - low) / 2;
        if (body->pins.pin[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    if (insert_at)
        *insert_at = low;
    return low < body->pins.count && body->pins.pin[low].node == node ? low : -1;
}

void pl__body_add_pin(pl__body *body, int32_t node, const double target[3])
{
    int32_t at;
    if (pl__body_find_pin(body, node, &at) >= 0)
        return;
    memmove(&body->pins.pin[at + 1], &body->pins.pin[at], (size_t)(body->pins.count - at) * sizeof(pl__pin));
    body->pins.pin[at] = (pl__pin){.node = node, .group = -1};
    memcpy(body->pins.pin[at].target, target, sizeof body->pins.pin[at].target);
    body->pins.count++;
    body->pins.changed = true;
}

void pl__body_remove_pin(pl__body *body, int32_t node)
{
    int32_t at = pl__body_find_pin(body, node, NULL);
    if (at < 0)
        return;
    body->pins.count--;
    memmove(&body->pins.pin[at], &body->pins.pin[at + 1], (size_t)(body->pins.count - at) * sizeof(pl__pin));
    body->pins.changed = true;
}

static bool is_pinned(const pl__body *body, const pl__element_group *group, int32_t element)
{
    for (int32_t k = 0; k < 3; ++k)
        if (pl__body_find_pin(body, *pl__element_node(group, element, k) - body->first_node, NULL) < 0)
            return false;
    return true;
}

static bool clamp_triangles(const pl__body *body, pl__element_group *group)
{
    bool changed = false;
    for (int32_t i = 0; i < group->count; ++i)
    {
        int32_t *held = &group->bend[i / PL_ELEMENT_LANES].held[i % PL_ELEMENT_LANES], now = is_pinned(body, group, i);
        changed |= *held != now;
        *held = now;
    }
    if (changed)
        pl__directors_hold(group);
    return changed;
}

bool pl__body_follow_pins(pl__body *body)
{
    bool changed = false;
    for (int32_t g = 0; body->pins.changed && g < body->group_count; ++g)
        if (body->group[g].director)
            changed |= clamp_triangles(body, &body->group[g]);
    body->pins.changed = false;
    return changed;
}

bool pl__body_is_held(const pl__body *body) { return body->pins.count > 0 || body->pins.soft; }

bool pl__body_is_dragged(const pl__body *body) { return body->air.acts && body->air.load.across > 0; }

pl__body_figures pl__body_summarise(const pl__body *body, const pl__element_sums *sums)
{
    pl__body_figures f = {.min_J = INFINITY};
    f.elastic = pl__lane_sum(sums->energy);
    f.volume = pl__lane_sum(sums->volume);
    f.strain = sqrt(pl__lane_sum(sums->strain2) / (3 * body->rest_volume));
    f.dilation = sqrt(pl__lane_sum(sums->dilation2) / body->rest_volume);
    f.inverted = (int32_t)pl__lane_sum(sums->inverted);
    f.broken = (int32_t)pl__lane_sum(sums->broken);
    for (int i = 0; i < PL_ELEMENT_LANES; ++i)
    {
        f.min_J = sums->min_J[i] < f.min_J ? sums->min_J[i] : f.min_J;
        f.max_stretch = sums->max_stretch[i] > f.max_stretch ? sums->max_stretch[i] : f.max_stretch;
    }
    return f;
}
