// src/world/heat_sources.c -- heat sources, and temperatures of bodies (solid/heat.h).
//
// At the end of a substep, sources heat the nodes at their new positions; bodies conduct and cool; materials are
// updated for the next substep. Bodies without a melting point have no temperature. Liquids that have one are heated as
// they are then, and conduct and cool in their own steps (fluid/warmth.h).
#include "world.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "solid/heat.h"

#include <math.h>
#include <string.h>

pl_status pl__heat_sources_copy(pl_world *world, const pl_scene *scene)
{
    world->heat_sources.source = PL_NEW(world->ctx, scene->heat_count, pl__heat_source);
    if (!world->heat_sources.source)
        return PL_ERR_MEMORY;
    world->heat_sources.count = scene->heat_count;
    for (size_t i = 0; i < scene->heat_count; ++i)
    {
        const pl_heat_def *def = &scene->heat[i].def;
        pl__heat_source *heater = &world->heat_sources.source[i];
        memcpy(heater->name, scene->heat[i].name, sizeof heater->name);
        memcpy(heater->at, def->at, sizeof heater->at);
        heater->radius = def->radius;
        heater->power = def->power;
    }
    return PL_OK;
}

static const double *positions_of(const pl_world *world, const pl__body *body)
{
    return &world->solids.state.x[3 * (size_t)body->first_node];
}

static void update_materials(pl_world *world, pl__body *body)
{
    pl__body_set_materials(body, world->materials.def);
    pl__sleep_wake(world, body);
    world->solids.evaluation.fresh = 0;
}

static void heat_liquids(pl_world *world, double dt)
{
    for (size_t k = 0; k < world->heat_sources.count && world->liquids.liquid; ++k)
    {
        const pl__heat_source *heater = &world->heat_sources.source[k];
        if (heater->power != 0)
            (void)pl__liquid_heat(world->liquids.liquid, heater->at, heater->radius, heater->power * dt);
    }
}

void pl__heat_sources_advance(pl_world *world, double dt)
{
    heat_liquids(world, dt);
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        pl__body *body = world->bodies.body[i];
        if (!body->heat)
            continue;
        bool changed = false;
        for (size_t k = 0; k < world->heat_sources.count; ++k)
        {
            const pl__heat_source *heater = &world->heat_sources.source[k];
            if (heater->power != 0)
                changed |= pl__heat_add(body->heat, positions_of(world, body), heater->at, heater->radius,
                                        heater->power * dt) > 0;
        }
        changed |= pl__heat_advance(body->heat, dt);
        if (changed)
            update_materials(world, body);
    }
}

pl_status pl_world_heat(pl_world *world, const double point[3], double radius, double kelvin)
{
    if (!world || !point)
        return PL_ERR_ARGUMENT;
    PL_CHECK(world->ctx, pl__finite3(point), "pl_world_heat: point (%g, %g, %g) must be finite", point[0], point[1],
             point[2]);
    PL_CHECK(world->ctx, radius >= 1e-9 && radius <= 1e9, "pl_world_heat: radius: %g m must be in [1e-9, 1e9]", radius);
    PL_CHECK(world->ctx, fabs(kelvin) <= 1e9, "pl_world_heat: %g K must be within 1e9", kelvin);
    uint64_t host = pl__fp_enter();
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        pl__body *body = world->bodies.body[i];
        if (body->heat && pl__heat_add(body->heat, positions_of(world, body), point, radius, kelvin) > 0)
            update_materials(world, body);
    }
    if (world->liquids.liquid)
        (void)pl__liquid_heat(world->liquids.liquid, point, radius, kelvin);
    pl__fp_leave(host);
    return PL_OK;
}

pl_status pl_world_forget(pl_world *world, const double point[3], double radius, double part)
{
    if (!world || !point)
        return PL_ERR_ARGUMENT;
    PL_CHECK(world->ctx, pl__finite3(point), "pl_world_forget: point (%g, %g, %g) must be finite", point[0], point[1],
             point[2]);
    PL_CHECK(world->ctx, radius >= 1e-9 && radius <= 1e9, "pl_world_forget: radius: %g m must be in [1e-9, 1e9]",
             radius);
    PL_CHECK(world->ctx, part >= 0 && part <= 1, "pl_world_forget: part: %g must be in [0, 1]", part);
    if (world->liquids.liquid)
        (void)pl__liquid_forget(world->liquids.liquid, point, radius, part);
    return PL_OK;
}

// Sources have no state: position and power are functions of time (keyframes.c).
static uint64_t hash_sources(const void *user, uint64_t h)
{
    const pl__heat_sources *sources = &((const pl_world *)user)->heat_sources;
    for (size_t i = 0; i < sources->count; ++i)
    {
        h = pl__hash(h, sources->source[i].name, strlen(sources->source[i].name));
        h = pl__hash(h, &sources->source[i].radius, sizeof sources->source[i].radius);
    }
    return h;
}

const pl__section_type pl__heat_sources_section = {.tag = "HEAT", .script = hash_sources};
