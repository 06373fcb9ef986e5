// src/world/material_section.c -- section MATE: live numbers of materials.
#include "world.h"
#include "base/hash.h"
#include "material/material.h"
#include "material/material_fields.h"

typedef struct
{
    double young, poisson, damping, activation;
} record;

static size_t material_bytes(const void *user) { return ((const pl_world *)user)->materials.count * sizeof(record); }

static void write_materials(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->materials.count; ++i)
    {
        const pl_material_def *m = &world->materials.def[i];
        record r = {m->young, m->poisson, m->damping, m->activation};
        pl__section_put(to, &r, sizeof r);
    }
}

static pl_status read_materials(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    for (size_t i = 0; i < world->materials.count; ++i)
    {
        record r;
        PL_TRY(pl__section_get(from, &r, sizeof r));
        pl_material_def def = world->materials.def[i];
        def.young = r.young;
        def.poisson = r.poisson;
        def.damping = r.damping;
        def.activation = r.activation;
        if (pl__material_check(world->ctx, &def, world->materials.name[i]) != PL_OK)
            return pl__section_fail(from, "material %s has numbers out of range", world->materials.name[i]);
        if (apply)
            world->materials.def[i] = def;
    }
    return PL_OK;
}

// Materials by their place: a body's own may replace a preset, under another name.
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
