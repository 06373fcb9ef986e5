// src/world/ring_section.c -- section RING: volumes that incompressible bodies have as targets, and their pressures.
#include "world.h"
#include "volume/rings.h"

#include <string.h>

static size_t ring_bytes(const void *user)
{
    const pl_world *world = user;
    size_t numbers = 0;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        if (world->bodies.body[i]->rings)
            numbers += 1 + (size_t)world->bodies.body[i]->node_count;
    return numbers * sizeof(double);
}

static void write_rings(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        const pl__body *body = world->bodies.body[i];
        if (!body->rings)
            continue;
        pl__section_put(to, &body->state.volume, sizeof(double));
        pl__section_put(to, body->rings->pressure, (size_t)body->node_count * sizeof(double));
    }
}

static pl_status read_rings(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    int32_t count = pl__world_loaded_count(world);
    for (int32_t i = 0; i < count; ++i)
    {
        pl__body *body = pl__world_loaded_body(world, i);
        const char *pressure;
        double volume;
        if (!body->rings)
            continue;
        PL_TRY(pl__section_get(from, &volume, sizeof volume));
        PL_TRY(pl__section_view(from, (size_t)body->node_count * sizeof(double), &pressure));
        if (!(volume >= 0.01 && volume <= 100) || !pl__all_finite(pressure, (size_t)body->node_count))
            return pl__section_fail(from, "the volume %g of body %d is out of range, or a pressure is not finite",
                                    volume, i);
        if (!apply)
            continue;
        body->state.volume = volume;
        memcpy(body->rings->pressure, pressure, (size_t)body->node_count * sizeof(double));
    }
    return PL_OK;
}

const pl__section_type pl__ring_section = {
    .tag = "RING", .version = 1, .oldest = 1, .bytes = ring_bytes, .write = write_rings, .read = read_rings};
