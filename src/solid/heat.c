// src/solid/heat.c -- temperatures of a body: heating, conduction, cooling.
//
// Nodes have temperatures T above ambient and represent the volume V around them. With cooling times tau and
// diffusivities D of the material, averaged by volume,
//
//     V dT/dt = sum over links g (T' - T) - V T/tau,       g = D v/(c l^2)
//
// where a link is an edge of an element of volume v, of rest length l, and c makes it exact for regular elements: the
// edges of a simplex of n dimensions have sum e e^T = l^2 (n + 1)/2, the twelve of a cube 4 l^2, so c is 2 for
// tetrahedra, 3/2 for triangles, 4 for cubes. All g are positive, so that a maximum principle holds on every mesh: no
// node becomes warmer than its warmest neighbour, which linear finite elements do not guarantee. In return conduction
// is a little too fast or too slow in badly shaped elements. Heat is conserved to rounding.
//
// Cooling is exact, exp(-dt/tau); conduction is explicit, in as many substeps as stability requires, at most a
// hundred: a body of very small elements with high conductivity equalises within a hundredth of a step anyway, and the
// conductance is lowered to what that allows.
//
// The effect of temperature on a material is in pl__material_heated.
#include "heat.h"
#include "base/real_math.h"

#include <math.h>
#include <string.h>

static const double most_parts = 100;

bool pl__heat_matters(const pl__body *body, const pl_material_def *material)
{
    for (int32_t g = 0; g < body->group_count; ++g)
        for (int32_t i = 0; pl__element_type_of(body->group[g].kind)->solid && i < body->group[g].count; ++i)
            if (material[body->group[g].material[i]].melting > 0)
                return true;
    return false;
}

// ---- lifetime --------------------------------------------------------------------------------------------------

// Corners of the edges of an element.
static int32_t edges_of(pl__element_kind kind, const int8_t (**edge)[2], double *factor)
{
    static const int8_t tet[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
                        triangle[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    static const int8_t hex[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                      {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    *edge = kind == PL__TET ? tet : kind == PL__HEX ? hex : triangle;
    *factor = kind == PL__TET ? 2 : kind == PL__HEX ? 4 : 1.5;
    return kind == PL__TET ? 6 : kind == PL__HEX ? 12 : 3;
}

static double distance_squared(const double *rest, int32_t a, int32_t b)
{
    double sum = 0;
    for (size_t i = 0; i < 3; ++i)
        sum +=
            (rest[3 * (size_t)b + i] - rest[3 * (size_t)a + i]) * (rest[3 * (size_t)b + i] - rest[3 * (size_t)a + i]);
    return sum;
}

static pl_status add_links(pl__heat *heat, const pl__body *body, const pl__element_group *group, int32_t element,
                           double diffusivity, const double *rest)
{
    const int8_t(*edge)[2];
    double factor, volume = pl__element_volume(group, element);
    int32_t count = edges_of(group->kind, &edge, &factor);
    if (!PL_GROW(heat->ctx, heat->link, &heat->link_capacity, (size_t)heat->link_count + (size_t)count))
        return PL_ERR_MEMORY;
    for (int32_t e = 0; e < count; ++e)
    {
        int32_t a = *pl__element_node(group, element, edge[e][0]) - body->first_node,
                b = *pl__element_node(group, element, edge[e][1]) - body->first_node;
        double length2 = distance_squared(rest, a, b);
        heat->link[heat->link_count++] =
            (pl__heat_link){{a, b}, length2 > 0 ? diffusivity * volume / (factor * length2) : 0};
    }
    return PL_OK;
}

static pl_status add_element(pl__heat *heat, const pl__body *body, const pl__element_group *group, int32_t element,
                             const pl_material_def *def, const double *rest)
{
    double share[PL_ELEMENT_CORNERS];
    pl__element_volume_shares(group, element, share);
    for (int32_t k = 0; k < pl__element_type_of(group->kind)->corners; ++k)
    {
        int32_t node = *pl__element_node(group, element, k) - body->first_node;
        heat->volume[node] += share[k];
        heat->rate[node] += def->cooling > 0 ? share[k] / def->cooling : 0;
    }
    return def->diffusivity > 0 ? add_links(heat, body, group, element, def->diffusivity, rest) : PL_OK;
}

// Cooling rates of nodes from sums over their elements, and the fastest exchange.
static void compute_rates(pl__heat *heat)
{
    for (int32_t n = 0; n < heat->node_count; ++n)
        heat->rate[n] = heat->volume[n] > 0 ? heat->rate[n] / heat->volume[n] : 0;
    for (int32_t i = 0; i < heat->link_count; ++i)
        for (int k = 0; k < 2; ++k)
            heat->flow[heat->link[i].node[k]] += heat->link[i].conductance;
    for (int32_t n = 0; n < heat->node_count; ++n)
        heat->fastest = fmax(heat->fastest, heat->volume[n] > 0 ? heat->flow[n] / heat->volume[n] : 0);
}

static pl_status init_heat(pl__heat *heat, const pl__body *body, const pl_material_def *material, const double *rest)
{
    size_t n = (size_t)heat->node_count;
    heat->temperature = PL_NEW(heat->ctx, n, double);
    heat->volume = PL_NEW(heat->ctx, n, double);
    heat->rate = PL_NEW(heat->ctx, n, double);
    heat->flow = PL_NEW(heat->ctx, n, double);
    if (!heat->temperature || !heat->volume || !heat->rate || !heat->flow)
        return PL_ERR_MEMORY;
    for (int32_t g = 0; g < body->group_count; ++g)
        for (int32_t i = 0; pl__element_type_of(body->group[g].kind)->solid && i < body->group[g].count; ++i)
            PL_TRY(add_element(heat, body, &body->group[g], i, &material[body->group[g].material[i]], rest));
    compute_rates(heat);
    return PL_OK;
}

pl_status pl__heat_create(pl__body *body, const pl_material_def *material, const double *rest)
{
    pl__heat *heat = body->heat = PL_NEW(body->ctx, 1, pl__heat);
    if (!heat)
        return PL_ERR_MEMORY;
    heat->ctx = body->ctx;
    heat->node_count = body->node_count;
    pl_status status = init_heat(heat, body, material, rest);
    if (status != PL_OK)
        pl__heat_destroy(&body->heat);
    return status;
}

void pl__heat_destroy(pl__heat **out)
{
    pl__heat *heat = *out;
    if (!heat)
        return;
    pl_context *ctx = heat->ctx;
    PL_DELETE(ctx, heat->temperature, heat->node_count);
    PL_DELETE(ctx, heat->volume, heat->node_count);
    PL_DELETE(ctx, heat->rate, heat->node_count);
    PL_DELETE(ctx, heat->flow, heat->node_count);
    PL_DELETE(ctx, heat->link, heat->link_capacity);
    PL_DELETE(ctx, heat, 1);
    *out = NULL;
}

// ---- temperatures ----------------------------------------------------------------------------------------------

double pl__heat_of_element(const pl__body *body, const pl__element_group *group, int32_t element)
{
    // bends also list the opposite vertices, which may be missing
    int32_t corners = group->kind == PL__BEND ? 3 : pl__element_type_of(group->kind)->corners;
    double sum = 0;
    for (int32_t k = 0; k < corners; ++k)
        sum += body->heat->temperature[*pl__element_node(group, element, k) - body->first_node];
    return sum / corners;
}

int32_t pl__heat_add(pl__heat *heat, const double *x, const double at[3], double radius, double kelvin)
{
    int32_t count = 0;
    for (size_t n = 0; n < (size_t)heat->node_count; ++n)
    {
        double d[3] = {x[3 * n] - at[0], x[3 * n + 1] - at[1], x[3 * n + 2] - at[2]};
        double part = 1 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (radius * radius);
        if (!(part > 0))
            continue;
        heat->temperature[n] = fmax(heat->temperature[n] + kelvin * part * part, 0);
        ++count;
    }
    heat->warm |= count > 0;
    return count;
}

static void conduct(pl__heat *heat, double dt)
{
    double parts = ceil(dt * heat->fastest / 0.5), step = parts > 1 ? dt / parts : dt;
    if (parts > most_parts)
    {
        parts = most_parts;
        step = 0.5 / heat->fastest;
    }
    for (int32_t part = 0; part < (int32_t)parts; ++part)
    {
        memset(heat->flow, 0, (size_t)heat->node_count * sizeof *heat->flow);
        for (int32_t i = 0; i < heat->link_count; ++i)
        {
            const pl__heat_link *link = &heat->link[i];
            double flow = link->conductance * (heat->temperature[link->node[0]] - heat->temperature[link->node[1]]);
            heat->flow[link->node[0]] -= flow;
            heat->flow[link->node[1]] += flow;
        }
        for (int32_t n = 0; n < heat->node_count; ++n)
            heat->temperature[n] += heat->volume[n] > 0 ? step * heat->flow[n] / heat->volume[n] : 0;
    }
}

bool pl__heat_advance(pl__heat *heat, double dt)
{
    if (!heat->warm)
        return false;
    if (heat->link_count > 0)
        conduct(heat, dt);
    bool changed = heat->link_count > 0;
    for (int32_t n = 0; n < heat->node_count; ++n)
    {
        if (!(heat->rate[n] > 0) || heat->temperature[n] == 0)
            continue;
        double next = heat->temperature[n] * pl__real_exp(-heat->rate[n] * dt);
        heat->temperature[n] = next > 1e-9 ? next : 0; // snap to ambient
        changed = true;
    }
    pl__heat_notice(heat);
    return changed;
}

void pl__heat_notice(pl__heat *heat)
{
    heat->warm = false;
    for (int32_t n = 0; n < heat->node_count; ++n)
        heat->warm |= heat->temperature[n] != 0;
}
