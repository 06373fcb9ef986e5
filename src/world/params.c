// src/world/params.c -- parameters that may change while a world runs.
//
// A parameter is looked up by its path once and then set by its handle. Handles number gravity and wind, the live
// fields of every material, objects, pairs with friction of their own, liquids, their sources and drains, then bodies,
// so that they stay valid when bodies are added.
#include "world.h"
#include "base/cpu.h"
#include "contact/object_fields.h"
#include "material/material.h"
#include "material/material_fields.h"
#include "scene/definitions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Live parameters of bodies; their ranges are in scene/body_fields.inl.
static const struct
{
    const char *name;
    pl__keyed what;
    size_t offset; // in pl__body
} of_body[] = {
    {"strength", PL__KEYED_STRENGTH, offsetof(pl__body, state.strength)},
    {"pressure", PL__KEYED_PRESSURE, offsetof(pl__body, state.pressure)},
    {"toughness", PL__KEYED_TOUGHNESS, offsetof(pl__body, state.toughness)},
    {"volume", PL__KEYED_VOLUME, offsetof(pl__body, state.volume)},
};

enum
{
    AXES = 3, // of gravity and of wind
    BODY_COUNT = sizeof of_body / sizeof of_body[0],
    PATH_BYTES = PL_PATH_BYTES + PL_NAME_BYTES
};

// Live fields of materials and liquids: all rows marked LIVE.
static size_t live_rows(const pl__fields *fields)
{
    size_t count = 0;
    for (int32_t i = 0; i < fields->count; ++i)
        count += fields->row[i].when == PL__WHEN_LIVE;
    return count;
}

static int32_t live_row(const pl__fields *fields, size_t which)
{
    int32_t i = 0;
    while (fields->row[i].when != PL__WHEN_LIVE || which-- > 0)
        ++i;
    return i;
}

static size_t live_count(void) { return live_rows(&pl__material_fields); }

static size_t liquid_count(const pl_world *world)
{
    return world->liquids.liquid ? (size_t)world->liquids.kind_count * live_rows(&pl__liquid_fields) : 0;
}

// The number that a handle refers to.
typedef struct
{
    double *value;
    pl_material_def *material;
    pl__object *object;
    pl__pair_friction *pair;
    pl__body *body;
    bool liquid;
    pl__liquid_source *source;
    const char *owner;
    const pl__field *field; // range and unit
    pl__keyed what;         // kind of its keyframes
    int32_t index, row, kind;
    int32_t axis; // of gravity and wind
} target;

// Sources and drains of liquids.
static size_t source_count(const pl_world *world)
{
    return world->liquids.liquid ? (size_t)world->liquids.liquid->sources.count : 0;
}

static bool resolve(const pl_world *world, pl_param_id param, target *out)
{
    *out = (target){0};
    size_t i = (size_t)param.index - 1, live = live_count();
    if (param.index < 1)
        return false;
    if (i < 2 * AXES)
    {
        bool wind = i >= AXES;
        out->axis = (int32_t)(i % AXES);
        out->value = (double *)(wind ? world->state.wind : world->state.gravity) + out->axis;
        out->field = wind ? pl__fields_find(&pl__air_fields, "wind") : pl__fields_find(&pl__scene_fields, "gravity");
        out->what = wind ? PL__KEYED_WIND : PL__KEYED_GRAVITY;
        return true;
    }
    i -= 2 * AXES;
    if (i < live * world->materials.count)
    {
        out->material = &world->materials.def[i / live];
        out->owner = world->materials.name[i / live];
        out->row = live_row(&pl__material_fields, i % live);
        out->field = &pl__material_fields.row[out->row];
        out->value = (double *)(void *)((char *)out->material + out->field->offset);
        out->what = PL__KEYED_MATERIAL;
        out->index = (int32_t)(i / live);
        return true;
    }
    i -= live * world->materials.count;
    if (i < world->objects.count)
    {
        out->object = &world->objects.object[i];
        out->owner = world->objects.name[i];
        out->field = pl__fields_find(&pl__object_fields, "friction");
        out->value = &out->object->friction;
        out->what = PL__KEYED_FRICTION;
        out->index = (int32_t)i;
        return true;
    }
    i -= world->objects.count;
    if (i < world->pair_friction.count)
    {
        out->pair = &world->pair_friction.pair[i];
        out->field = pl__fields_find(&pl__body_fields, "friction");
        out->value = &out->pair->friction;
        out->owner = world->bodies.slot[out->pair->body].name;
        return pl__pair_friction_is_alive(world, out->pair);
    }
    i -= world->pair_friction.count;
    if (i < liquid_count(world))
    {
        size_t rows = live_rows(&pl__liquid_fields);
        out->liquid = true;
        out->kind = (int32_t)(i / rows);
        out->owner = world->liquids.name[out->kind];
        out->row = live_row(&pl__liquid_fields, i % rows);
        out->field = &pl__liquid_fields.row[out->row];
        out->value = pl__world_liquids_number((pl_world *)(uintptr_t)world, out->kind, out->row);
        out->what = PL__KEYED_LIQUID;
        out->index = world->liquids.first[out->kind];
        return out->value != &world->liquids.def[out->kind].valve; // which sources and drains have
    }
    i -= liquid_count(world);
    if (i < source_count(world))
    {
        out->source = &world->liquids.liquid->sources.source[i];
        out->owner = world->liquids.source_name[i];
        out->field = pl__fields_find(&pl__liquid_fields, "valve");
        out->value = &out->source->valve;
        return true;
    }
    i -= source_count(world);
    size_t slot = i / BODY_COUNT;
    if (slot >= world->bodies.slot_count || !world->bodies.slot[slot].body)
        return false;
    out->body = world->bodies.slot[slot].body;
    out->owner = world->bodies.slot[slot].name;
    out->field = pl__fields_find(&pl__body_fields, of_body[i % BODY_COUNT].name);
    out->value = (double *)(void *)((char *)out->body + of_body[i % BODY_COUNT].offset);
    out->what = of_body[i % BODY_COUNT].what;
    out->index = (int32_t)slot;
    return true;
}

// Path as in scenes and pl_world_find_param.
static void write_path(const pl_world *world, const target *t, char *path, size_t size)
{
    if (t->pair)
        snprintf(path, size, "bodies.%s.friction_with.%s", t->owner,
                 t->pair->object >= 0 ? world->objects.name[t->pair->object] : world->bodies.slot[t->pair->other].name);
    else if (t->owner)
        snprintf(path, size, "%s.%s.%s",
                 t->material              ? "materials"
                 : t->object              ? "objects"
                 : t->liquid || t->source ? "liquids"
                                          : "bodies",
                 t->owner, t->field->name);
    else
        snprintf(path, size, "%s.%c", t->field->name, "xyz"[t->axis]);
}

// ---- listing ---------------------------------------------------------------------------------------------------

static size_t handle_count(const pl_world *world)
{
    return 2 * AXES + live_count() * world->materials.count + world->objects.count + world->pair_friction.count +
           liquid_count(world) + source_count(world) + BODY_COUNT * world->bodies.slot_count;
}

int32_t pl_world_param_count(const pl_world *world)
{
    if (!world)
        return 0;
    target t;
    int32_t count = 0;
    for (size_t i = 0; i < handle_count(world); ++i)
        count += resolve(world, (pl_param_id){(int32_t)i + 1}, &t);
    return count;
}

pl_param_id pl_world_param_at(const pl_world *world, int32_t index)
{
    if (!world)
        return (pl_param_id){0};
    target t;
    for (size_t i = 0; i < handle_count(world); ++i)
        if (resolve(world, (pl_param_id){(int32_t)i + 1}, &t) && index-- == 0)
            return (pl_param_id){(int32_t)i + 1};
    return (pl_param_id){0};
}

// Whether a parameter has any effect: activation needs fibres, pressure a closed surface, wind a body with drag or air,
// toughness a breakable body, volume an incompressible one; limits that there are none of are not offered.
static bool has_effect(const pl_world *world, const target *t)
{
    bool air = false;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        air |= world->bodies.body[i]->air.acts;
    switch (t->what)
    {
    case PL__KEYED_MATERIAL:
        return t->field->automatic ? *t->value > 0
                                   : t->value != &t->material->activation || t->material->fiber_strength > 0;
    case PL__KEYED_PRESSURE: return t->body->air.closed;
    case PL__KEYED_LIQUID: return pl__world_liquids_matters(world, t->kind, t->row);
    case PL__KEYED_WIND: return air;
    case PL__KEYED_TOUGHNESS: return world->bodies.slot[t->index].fracture != NULL;
    case PL__KEYED_VOLUME: return t->body->rings != NULL;
    default: return true;
    }
}

// The keys that a parameter follows; NULL: none.
static const char *driver_of(const pl_world *world, const target *t)
{
    return t->pair || t->source ? NULL : pl__keyframes_driver(world, t->what, t->index, t->row);
}

pl_status pl_world_param_describe(const pl_world *world, pl_param_id param, pl_param_info *info, char *path,
                                  size_t size)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    target t;
    if (!resolve(world, param, &t))
        return pl__fail(world->ctx, PL_ERR_STATE, "parameter %d does not exist, or its body was removed", param.index);
    write_path(world, &t, path, size);
    *info = (pl_param_info){.value = *t.value, .low = t.field->low, .high = t.field->high, .unit = t.field->unit};
    if (t.field->automatic && *t.value == 0)
        info->low = 0; // there is none
    info->keyed = driver_of(world, &t) != NULL;
    info->matters = t.pair || t.source || has_effect(world, &t);
    return PL_OK;
}

// ---- finding ---------------------------------------------------------------------------------------------------

// Whether `path` is `head`.`name`.`field`.
static bool path_is(const char *path, const char *head, const char *name, const char *field)
{
    const char *parts[3] = {head, name, field};
    for (int i = 0; i < 3; ++i)
    {
        size_t length = strlen(parts[i]);
        if (strncmp(path, parts[i], length) != 0)
            return false;
        path += length;
        if (i < 2 && *path++ != '.')
            return false;
    }
    return *path == 0;
}

// Whether `path` starts with `head`.`name`.
static bool path_begins(const char *path, const char *head, const char *name)
{
    size_t h = strlen(head), n = strlen(name);
    return strncmp(path, head, h) == 0 && path[h] == '.' && strncmp(path + h + 1, name, n) == 0 &&
           path[h + 1 + n] == '.';
}

// Set the error message: the owner exists but the field is not live, or there is no such owner.
static void explain(pl_world *world, const char *path)
{
    char materials[200];
    pl__live_names(&pl__material_fields, materials, sizeof materials);
    for (size_t i = 0; i < world->materials.count; ++i)
        if (path_begins(path, "materials", world->materials.name[i]))
        {
            (void)pl__fail_path(world->ctx, PL_ERR_ARGUMENT, path, "cannot change while running; %s can", materials);
            return;
        }
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body && path_begins(path, "bodies", world->bodies.slot[i].name))
        {
            (void)pl__fail_path(
                world->ctx, PL_ERR_ARGUMENT, path,
                "cannot change while running; strength, pressure, toughness, volume, and of its material %s "
                "can",
                materials);
            return;
        }
    (void)pl__fail_path(
        world->ctx, PL_ERR_ARGUMENT, path,
        "there is no such live parameter; there are %s of materials.NAME and of bodies.NAME.material, "
        "bodies.NAME.strength, .pressure, .toughness and .volume, objects.NAME.friction, "
        "liquids.NAME.density, .viscosity, .elasticity, .yield, .flow and .hardening, .valve of sources and drains, "
        "bodies.NAME.friction_with.NAME where the scene has it, gravity.x, .y and .z, wind.x, .y and "
        ".z, for the names in this world",
        materials);
}

// A parameter of a body's material: bodies.NAME.material.young.
static pl_param_id find_of_material(const pl_world *world, const char *path)
{
    size_t live = live_count();
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        for (size_t k = 0; world->bodies.slot[i].body && k < live; ++k)
        {
            char field[64];
            snprintf(field, sizeof field, "material.%s",
                     pl__material_fields.row[live_row(&pl__material_fields, k)].name);
            if (path_is(path, "bodies", world->bodies.slot[i].name, field))
                return (pl_param_id){(int32_t)(1 + 2 * AXES + (size_t)world->bodies.slot[i].material * live + k)};
        }
    return (pl_param_id){0};
}

pl_param_id pl_world_find_param(pl_world *world, const char *path)
{
    if (!world || !path)
        return (pl_param_id){0};
    target t;
    char known[PATH_BYTES];
    for (size_t i = 0; i < handle_count(world); ++i)
    {
        pl_param_id param = {(int32_t)i + 1};
        if (!resolve(world, param, &t))
            continue;
        write_path(world, &t, known, sizeof known);
        if (strcmp(path, known) == 0)
            return param;
    }
    size_t pair = pl__friction_find(world, path); // with the two bodies in either order
    if (pair < world->pair_friction.count)
        return (pl_param_id){
            (int32_t)(1 + 2 * AXES + live_count() * world->materials.count + world->objects.count + pair)};
    pl_param_id param = find_of_material(world, path);
    if (!param.index)
        explain(world, path);
    return param;
}

// ---- setting ---------------------------------------------------------------------------------------------------

static pl_status set_material(pl_world *world, const target *t, double value)
{
    pl_material_def changed = *t->material;
    *(double *)((char *)&changed + ((char *)t->value - (char *)t->material)) = value;
    char path[PL_NAME_BYTES + 16];
    snprintf(path, sizeof path, "materials.%s", t->owner);
    PL_TRY(pl__material_check(world->ctx, &changed, path));
    *t->material = changed;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        pl__body_set_materials(world->bodies.body[i], world->materials.def);
    return PL_OK;
}

pl_status pl_world_set(pl_world *world, pl_param_id param, double value)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    target t;
    if (!resolve(world, param, &t))
        return pl__fail(world->ctx, PL_ERR_STATE, "parameter %d does not exist, or its body was removed", param.index);
    const char *driver = driver_of(world, &t);
    if (driver)
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, driver, "follows its keys and cannot be set");
    if (*t.value == value)
        return PL_OK;
    if (t.material)
    {
        uint64_t host = pl__fp_enter();
        pl_status status = set_material(world, &t, value);
        pl__fp_leave(host);
        PL_TRY(status);
    }
    else
    {
        char path[PATH_BYTES];
        write_path(world, &t, path, sizeof path);
        if (t.what == PL__KEYED_PRESSURE && !t.body->air.closed)
            return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, path,
                                 "this body was made without any; give its definition a pressure, gas, or keys of "
                                 "pressure");
        PL_TRY(t.liquid ? pl__world_liquids_allow(world, t.kind, t.row, value)
                        : pl__field_check_value(world->ctx, t.field, path, value));
        *t.value = value;
    }
    if (t.pair)
        pl__friction_spread(world);
    world->solids.evaluation.fresh = 0;
    pl__sleep_wake_all(world);
    return PL_OK;
}

double pl_world_get(const pl_world *world, pl_param_id param)
{
    if (!world)
        return 0;
    target t;
    return resolve(world, param, &t) ? *t.value : 0;
}
