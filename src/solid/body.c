// src/solid/body.c -- a mesh and its materials become blocks of elements.
//
// Nodes and tetrahedra are reordered for locality (mesh/order.h); maps lead back to the mesh. Tetrahedra are sorted into
// groups of one kind each (model, inversion rule, damping model), in locality order within a group. Mass is lumped: each
// tetrahedron gives a quarter of its mass to each corner.
#include "body.h"
#include "mesh/order.h"
#include "pin.h"

#include <math.h>
#include <string.h>

typedef struct
{
    pl_context *ctx;
    const pl__body_spec *spec;
    pl__body *body;
    int32_t *node_order; // [node_count] mesh node of engine node i
    int32_t *tet_order;  // [tet_count]
    int32_t *tet_group;  // [tet_count] group of tet_order[i]
} builder;

static bool has_factors(const pl__body_spec *spec) { return spec->young_factor || spec->damping_factor; }

static pl__tet_factor factor_of(const pl__body_spec *spec, int32_t tet)
{
    return (pl__tet_factor){spec->young_factor ? spec->young_factor[tet] : 1, spec->damping_factor ? spec->damping_factor[tet] : 1};
}

static pl_material_def scaled(const pl_material_def *material, const pl__tet_factor *factor)
{
    pl_material_def def = *material;
    def.young *= factor->young;
    def.damping *= factor->damping;
    return def;
}

static pl_material_def material_of(const pl__body_spec *spec, int32_t tet)
{
    pl__tet_factor factor = factor_of(spec, tet);
    pl_material_def def = scaled(&spec->material[spec->tet_material[tet]], &factor);
    def.density *= spec->density_factor ? spec->density_factor[tet] : 1;
    return def;
}

static bool same_kind(const pl__tet_group *group, const pl_material_def *def)
{
    return group->kind == def->kind && group->inversion == pl__material_inversion(def) && group->damping_model == def->damping_model;
}

// ---- groups --------------------------------------------------------------------------------------------------

static pl_status find_groups(builder *b)
{
    pl__body *body = b->body;
    size_t capacity = 0;
    for (int32_t i = 0; i < body->tet_count; ++i)
    {
        const pl_material_def *def = &b->spec->material[b->spec->tet_material[b->tet_order[i]]];
        int32_t g = 0;
        while (g < body->group_count && !same_kind(&body->group[g], def))
            ++g;
        if (g == body->group_count)
        {
            if (!PL_GROW(b->ctx, body->group, &capacity, (size_t)g + 1))
            {
                PL_DELETE(b->ctx, body->group, capacity);
                body->group_count = 0;
                return PL_ERR_MEMORY;
            }
            body->group[g] = (pl__tet_group){.kind = def->kind, .inversion = pl__material_inversion(def),
                                             .damping_model = def->damping_model, .triangular = b->spec->triangular};
            body->group_count++;
        }
        body->group[g].tet_count++;
        b->tet_group[i] = g;
    }
    // exact size, so that destroying knows it
    pl__tet_group *exact = PL_NEW(b->ctx, body->group_count, pl__tet_group);
    if (exact)
        memcpy(exact, body->group, (size_t)body->group_count * sizeof *exact);
    PL_DELETE(b->ctx, body->group, capacity);
    body->group = exact;
    if (!exact)
        body->group_count = 0;
    return exact ? PL_OK : PL_ERR_MEMORY;
}

static pl_status allocate_groups(builder *b)
{
    pl__body *body = b->body;
    body->tet_material = PL_NEW(b->ctx, body->group_count, int32_t *);
    if (has_factors(b->spec))
        body->tet_factor = PL_NEW(b->ctx, body->group_count, pl__tet_factor *);
    if (!body->tet_material || (has_factors(b->spec) && !body->tet_factor))
        return PL_ERR_MEMORY;
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        pl__tet_group *group = &body->group[g];
        group->block_count = (group->tet_count + PL_TET_LANES - 1) / PL_TET_LANES;
        group->rest = PL_NEW(b->ctx, group->block_count, pl__tet_rest);
        group->source = PL_NEW(b->ctx, group->tet_count, int32_t);
        body->tet_material[g] = PL_NEW(b->ctx, group->tet_count, int32_t);
        if (!group->rest || !group->source || !body->tet_material[g])
            return PL_ERR_MEMORY;
        if (body->tet_factor && !(body->tet_factor[g] = PL_NEW(b->ctx, group->tet_count, pl__tet_factor)))
            return PL_ERR_MEMORY;
    }
    return PL_OK;
}

// One tetrahedron into the next lane of its group; its mass to its nodes.
static void place_tet(builder *b, int32_t tet, int32_t g, int32_t index)
{
    pl__body *body = b->body;
    pl__tet_group *group = &body->group[g];
    const pl_mesh *mesh = b->spec->mesh;
    pl_material_def def = material_of(b->spec, tet);
    pl__material_params params = pl__material_resolve(&def);
    int32_t node[4];
    double X[4][3];
    for (int k = 0; k < 4; ++k)
    {
        int32_t source = mesh->element[4 * (size_t)tet + (size_t)k];
        node[k] = body->node_of_source[source];
        memcpy(X[k], &mesh->position[3 * (size_t)source], sizeof X[k]);
    }
    pl__tet_rest *rest = &group->rest[index / PL_TET_LANES];
    pl__tet_rest_set(rest, index % PL_TET_LANES, node, X, &params, group->triangular);
    group->source[index] = tet;
    group->damped |= def.damping > 0;
    // the calm relative belongs to the default extension; the papers' other rules are there to be seen as they are
    body->may_recover &= def.recovery == PL_RECOVERY_AUTO && def.inversion == PL_INVERSION_ENERGY;
    body->tet_material[g][index] = b->spec->tet_material[tet];
    if (body->tet_factor)
        body->tet_factor[g][index] = factor_of(b->spec, tet);
    double volume = rest->volume[index % PL_TET_LANES], mass = def.density * volume;
    body->rest_volume += volume;
    body->shear_energy += params.mu * volume;
    body->total_mass += mass;
    for (int k = 0; k < 4; ++k)
        body->mass[node[k]] += 0.25 * mass;
}

static void fill_groups(builder *b)
{
    pl__body *body = b->body;
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        pl__tet_group *group = &body->group[g];
        int32_t index = 0;
        for (int32_t i = 0; i < body->tet_count; ++i)
            if (b->tet_group[i] == g)
                place_tet(b, b->tet_order[i], g, index++);
        for (; index < group->block_count * PL_TET_LANES; ++index)
            pl__tet_rest_clear(&group->rest[index / PL_TET_LANES], index % PL_TET_LANES, 0);
    }
}

// Share the mass of every node among its elements in proportion to their stiffness there.
static pl_status set_gains(builder *b)
{
    pl__body *body = b->body;
    double *total = PL_NEW(b->ctx, body->node_count, double);
    if (!total)
        return PL_ERR_MEMORY;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t g = 0; g < body->group_count; ++g)
            for (int32_t t = 0; t < body->group[g].tet_count; ++t)
            {
                pl__tet_rest *rest = &body->group[g].rest[t / PL_TET_LANES];
                int32_t lane = t % PL_TET_LANES;
                double share[4];
                pl__tet_rest_stiffness(rest, lane, share);
                for (int k = 0; k < 4; ++k)
                {
                    int32_t node = rest->node[k][lane];
                    if (pass == 0)
                        total[node] += share[k];
                    else
                        share[k] *= body->mass[node] / total[node];
                }
                if (pass == 1)
                    pl__tet_rest_set_gain(rest, lane, share);
            }
    PL_DELETE(b->ctx, total, body->node_count);
    return PL_OK;
}

// ---- nodes ---------------------------------------------------------------------------------------------------

static pl_status order_nodes(builder *b)
{
    pl__body *body = b->body;
    PL_TRY(pl__mesh_locality_order(b->spec->mesh, b->node_order, b->tet_order));
    for (int32_t i = 0; i < body->node_count; ++i)
    {
        body->source_of_node[i] = b->node_order[i];
        body->node_of_source[b->node_order[i]] = i;
    }
    return PL_OK;
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
            x[i] = spec->rotation[i][0] * X[0] + spec->rotation[i][1] * X[1] + spec->rotation[i][2] * X[2] + spec->at[i];
            centre[i] += body->mass[n] / body->total_mass * x[i];
        }
    }
    for (int32_t n = 0; n < body->node_count; ++n)
    {
        const double *x = &body->start_position[3 * (size_t)n], *w = spec->spin;
        double *v = &body->start_velocity[3 * (size_t)n];
        double r[3] = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
        bool massless = body->mass[n] <= 0; // belongs to no tetrahedron: stays
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

// Surface vertices in the order of the mesh's nodes, so that exports keep the source's point order.
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
        vertex[n] = vertex[n] ? body->surface_count++ : -1;
    body->triangle_count = mesh->triangle_count;
    body->triangle = PL_NEW(b->ctx, 3 * (size_t)body->triangle_count, int32_t);
    body->surface_node = PL_NEW(b->ctx, body->surface_count, int32_t);
    body->surface_source = PL_NEW(b->ctx, body->surface_count, int32_t);
    bool ok = body->triangle && body->surface_node && body->surface_source;
    for (int32_t i = 0; ok && i < 3 * mesh->triangle_count; ++i)
        body->triangle[i] = vertex[mesh->triangle[i]];
    for (int32_t n = 0; ok && n < mesh->node_count; ++n)
        if (vertex[n] >= 0)
        {
            body->surface_source[vertex[n]] = n;
            body->surface_node[vertex[n]] = body->node_of_source[n];
        }
    PL_DELETE(b->ctx, vertex, mesh->node_count);
    return ok ? PL_OK : PL_ERR_MEMORY;
}

// ---- life ----------------------------------------------------------------------------------------------------

static pl_status allocate_body(builder *b)
{
    pl__body *body = b->body;
    size_t n = (size_t)body->node_count;
    body->node_of_source = PL_NEW(b->ctx, n, int32_t);
    body->source_of_node = PL_NEW(b->ctx, n, int32_t);
    body->start_position = PL_NEW(b->ctx, 3 * n, double);
    body->start_velocity = PL_NEW(b->ctx, 3 * n, double);
    body->mass = PL_NEW(b->ctx, n, double);
    body->pin = PL_NEW(b->ctx, n, pl__pin);
    b->node_order = PL_NEW(b->ctx, n, int32_t);
    b->tet_order = PL_NEW(b->ctx, body->tet_count, int32_t);
    b->tet_group = PL_NEW(b->ctx, body->tet_count, int32_t);
    bool ok = body->node_of_source && body->source_of_node && body->start_position && body->start_velocity && body->mass &&
              body->pin && b->node_order && b->tet_order && b->tet_group;
    return ok ? PL_OK : PL_ERR_MEMORY;
}

static pl_status build(builder *b)
{
    PL_TRY(allocate_body(b));
    PL_TRY(order_nodes(b));
    PL_TRY(find_groups(b));
    PL_TRY(allocate_groups(b));
    fill_groups(b);
    PL_TRY(set_gains(b));
    place_nodes(b);
    return build_surface(b);
}

pl_status pl__body_create(pl_context *ctx, const pl__body_spec *spec, pl__body **out)
{
    *out = NULL;
    pl__body *body = PL_NEW(ctx, 1, pl__body);
    if (!body)
        return PL_ERR_MEMORY;
    body->ctx = ctx;
    body->node_count = body->pin_capacity = spec->mesh->node_count;
    body->tet_count = spec->mesh->element_count;
    body->strength = spec->strength;
    body->may_recover = true;
    builder b = {.ctx = ctx, .spec = spec, .body = body};
    pl_status status = build(&b);
    PL_DELETE(ctx, b.node_order, body->node_count);
    PL_DELETE(ctx, b.tet_order, body->tet_count);
    PL_DELETE(ctx, b.tet_group, body->tet_count);
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
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        pl__tet_group *group = &body->group[g];
        if (body->tet_material)
            PL_DELETE(ctx, body->tet_material[g], group->tet_count);
        if (body->tet_factor)
            PL_DELETE(ctx, body->tet_factor[g], group->tet_count);
        PL_DELETE(ctx, group->rest, group->block_count);
        PL_DELETE(ctx, group->source, group->tet_count);
    }
    PL_DELETE(ctx, body->tet_material, body->group_count);
    PL_DELETE(ctx, body->tet_factor, body->group_count);
    PL_DELETE(ctx, body->group, body->group_count);
    PL_DELETE(ctx, body->node_of_source, n);
    PL_DELETE(ctx, body->source_of_node, n);
    PL_DELETE(ctx, body->start_position, 3 * n);
    PL_DELETE(ctx, body->start_velocity, 3 * n);
    PL_DELETE(ctx, body->mass, n);
    PL_DELETE(ctx, body->pin, n);
    pl__pin_groups_destroy(body);
    PL_DELETE(ctx, body->triangle, 3 * (size_t)body->triangle_count);
    PL_DELETE(ctx, body->surface_node, body->surface_count);
    PL_DELETE(ctx, body->surface_source, body->surface_count);
    PL_DELETE(ctx, body, 1);
    *out = NULL;
}

// ---- changes while running -------------------------------------------------------------------------------------

void pl__body_set_materials(pl__body *body, const pl_material_def *material)
{
    body->shear_energy = 0;
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        pl__tet_group *group = &body->group[g];
        group->damped = false;
        for (int32_t i = 0; i < group->tet_count; ++i)
        {
            pl_material_def def = material[body->tet_material[g][i]];
            if (body->tet_factor)
                def = scaled(&def, &body->tet_factor[g][i]);
            if (body->calm)
                def = pl__material_calm(&def);
            group->kind = def.kind;
            group->inversion = pl__material_inversion(&def);
            pl__material_params params = pl__material_resolve(&def);
            pl__tet_rest *rest = &group->rest[i / PL_TET_LANES];
            pl__material_block_set(&rest->material, i % PL_TET_LANES, &params);
            rest->damping[i % PL_TET_LANES] = params.damping;
            body->shear_energy += params.mu * rest->volume[i % PL_TET_LANES];
            group->damped |= params.damping > 0;
        }
    }
}

int32_t pl__body_find_pin(const pl__body *body, int32_t node, int32_t *insert_at)
{
    int32_t low = 0, high = body->pin_count;
    while (low < high)
    {
        int32_t middle = low + (high - low) / 2;
        if (body->pin[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    if (insert_at)
        *insert_at = low;
    return low < body->pin_count && body->pin[low].node == node ? low : -1;
}

void pl__body_add_pin(pl__body *body, int32_t node, const double target[3])
{
    int32_t at;
    if (pl__body_find_pin(body, node, &at) >= 0)
        return;
    memmove(&body->pin[at + 1], &body->pin[at], (size_t)(body->pin_count - at) * sizeof(pl__pin));
    body->pin[at] = (pl__pin){.node = node, .group = -1};
    memcpy(body->pin[at].target, target, sizeof body->pin[at].target);
    body->pin_count++;
}

void pl__body_remove_pin(pl__body *body, int32_t node)
{
    int32_t at = pl__body_find_pin(body, node, NULL);
    if (at < 0)
        return;
    body->pin_count--;
    memmove(&body->pin[at], &body->pin[at + 1], (size_t)(body->pin_count - at) * sizeof(pl__pin));
}

bool pl__body_is_held(const pl__body *body) { return body->pin_count > 0 || body->soft_pins; }

pl__body_figures pl__body_summarise(const pl__body *body, const pl__tet_sums *sums)
{
    pl__body_figures f = {.min_J = INFINITY};
    f.elastic = pl__tet_lane_sum(sums->energy);
    f.volume = pl__tet_lane_sum(sums->volume);
    f.strain = sqrt(pl__tet_lane_sum(sums->strain2) / (3 * body->rest_volume));
    f.dilation = sqrt(pl__tet_lane_sum(sums->dilation2) / body->rest_volume);
    f.inverted = (int32_t)pl__tet_lane_sum(sums->inverted);
    f.broken = (int32_t)pl__tet_lane_sum(sums->broken);
    for (int i = 0; i < PL_TET_LANES; ++i)
    {
        f.frequency2 = sums->frequency2[i] > f.frequency2 ? sums->frequency2[i] : f.frequency2;
        f.min_J = sums->min_J[i] < f.min_J ? sums->min_J[i] : f.min_J;
        f.max_stretch = sums->max_stretch[i] > f.max_stretch ? sums->max_stretch[i] : f.max_stretch;
    }
    return f;
}
