// src/solid/state_transfer.c -- transfers the state of a body to a copy with the same elements.
//
// Nodes take the state of the node that they were split from, elements that of the same mesh element; the groups of
// both bodies hold the same elements in another order.
#include "state_transfer.h"
#include "volume/rings.h"
#include "plastic_state.h"
#include "heat.h"
#include "pin.h"

#include <string.h>

// ---- nodes -----------------------------------------------------------------------------------------------------

// Local node of the old body that a local node of the new one was split from.
static int32_t old_node(const pl__body *body, const pl__body *to, const int32_t *from, int32_t node)
{
    return body->node_of_source[from[to->source_of_node[node]]];
}

static void copy_nodes(const pl__body *body, const double *x, const double *v, const int32_t *from, pl__body *to)
{
    for (int32_t n = 0; n < to->node_count; ++n)
    {
        int32_t old = old_node(body, to, from, n);
        size_t at = 3 * (size_t)(body->first_node + old);
        memcpy(&to->start_position[3 * (size_t)n], &x[at], 3 * sizeof *x);
        memcpy(&to->start_velocity[3 * (size_t)n], &v[at], 3 * sizeof *v);
        if (body->heat && to->heat)
            to->heat->temperature[n] = body->heat->temperature[old];
        if (body->rings && to->rings)
            to->rings->pressure[n] = body->rings->pressure[old];
    }
    if (to->heat)
        pl__heat_notice(to->heat);
}

// ---- pins ------------------------------------------------------------------------------------------------------

void pl__body_carry_pin_groups(const pl__body *body, pl__body *to)
{
    for (int32_t g = 0; g < to->pins.group_count; ++g)
    {
        to->pins.group[g].strength = body->pins.group[g].strength;
        to->pins.group[g].moves = body->pins.group[g].moves;
    }
    pl__pin_groups_update(to);
}

// Copies of a singly pinned node are pinned at the same target.
static void copy_pins(const pl__body *body, const int32_t *from, pl__body *to)
{
    for (int32_t n = 0; n < to->node_count; ++n)
    {
        int32_t at = pl__body_find_pin(body, old_node(body, to, from, n), NULL);
        if (at >= 0 && body->pins.pin[at].group < 0)
            pl__body_add_pin(to, n, body->pins.pin[at].target);
    }
    pl__body_carry_pin_groups(body, to);
}

// ---- the whole -------------------------------------------------------------------------------------------------

static void copy_modes(const pl__body *body, pl__body *to)
{
    to->state.strength = body->state.strength;
    to->state.pressure = body->state.pressure;
    to->air.outside = body->air.outside;
    to->state.toughness = body->state.toughness;
    to->state.volume = body->state.volume;
    to->state.self_contact_off = body->state.self_contact_off;
    to->state.untangled_time = body->state.untangled_time;
    to->state.recovery_level = body->state.recovery_level;
    to->state.recovery_factor = body->state.recovery_factor;
    to->state.placed = body->state.placed;
    to->state.loaded = body->state.loaded;
    to->state.rest_time = body->state.rest_time;
    to->state.stuck = body->state.stuck;
    to->state.still_time = body->state.still_time;
    to->derived.figures = body->derived.figures;
}

pl_status pl__body_carry(const pl__body *body, const double *x, const double *v, const int32_t *from,
                         const pl_material_def *material, pl__body *to)
{
    copy_nodes(body, x, v, from, to);
    copy_pins(body, from, to);
    copy_modes(body, to);
    PL_TRY(pl__body_carry_flow(body, to));
    pl__body_set_materials(to, material);
    return PL_OK;
}
