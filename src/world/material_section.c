// src/world/material_section.c -- section MATE: live parameters of materials.
#include "world.h"
#include "base/hash.h"
#include "material/material.h"
#include "material/material_fields.h"

enum
{
    MOST_LIVE = 16
};

// The live numbers of a definition, one after the other, in the order of the table; returns how many.
static size_t live_numbers(size_t offset[MOST_LIVE])
{
    size_t count = 0;
    for (int32_t i = 0; i < pl__material_fields.count; ++i)
        if (pl__material_fields.row[i].when == PL__WHEN_LIVE)
        {
            PL_ASSERT(pl__material_fields.row[i].kind == PL__FIELD_NUMBER && count < MOST_LIVE);
            offset[count++] = pl__material_fields.row[i].offset;
        }
    return count;
}

static size_t material_bytes(const void *user)
{
    const pl_world *world = user;
    size_t offset[MOST_LIVE];
    return world->materials.count * live_numbers(offset) * sizeof(double);
}

static void write_materials(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    size_t offset[MOST_LIVE], live = live_numbers(offset);
    for (size_t i = 0; i < world->materials.count; ++i)
        for (size_t k = 0; k < live; ++k)
            pl__section_put(to, (const char *)&world->materials.def[i] + offset[k], sizeof(double));
}

static pl_status read_materials(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    size_t offset[MOST_LIVE], live = live_numbers(offset);
    for (size_t i = 0; i < world->materials.count; ++i)
    {
        pl_material_def def = world->materials.def[i];
        for (size_t k = 0; k < live; ++k)
            PL_TRY(pl__section_get(from, (char *)&def + offset[k], sizeof(double)));
        if (pl__material_check(world->ctx, &def, world->materials.name[i]) != PL_OK)
            return pl__section_fail(from, "material %s has numbers out of range", world->materials.name[i]);
        if (apply)
            world->materials.def[i] = def;
    }
    return PL_OK;
}

// Materials are identified by index: a body's own material may replace a preset, under another name.
static uint64_t hash_materials(const void *user, uint64_t h)
{
    const pl_world *world = user;
    h = pl__hash(h, &world->materials.count, sizeof world->materials.count);
    for (size_t i = 0; i < world->materials.count; ++i)
    {
        const pl_material_def *m = &world->materials.def[i];
        int32_t kind = (int32_t)m->kind;
        h = pl__hash(h, &kind, sizeof kind);
        h = pl__fields_hash(h, &pl__material_fields, m);
    }
    return h;
}

const pl__section_type pl__material_section = {.tag = "MATE",
                                               .version = 2,
                                               .oldest = 2,
                                               .bytes = material_bytes,
                                               .write = write_materials,
                                               .read = read_materials,
                                               .fingerprint = hash_materials};
