// src/world/params.c -- numbers that may change while a world runs.
//
// A parameter is found by its path once and set by its handle often. Handles count through gravity and wind, then the
// live fields of every material, then objects, pairs with a friction of their own, then bodies, so that they stay valid
// when bodies are added.
#include "world.h"
#include "base/cpu.h"
#include "material/material.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
    const char *name, *path; // of a material; of a body
    size_t offset;
    pl__keyed what;
    double low, high;
    const char *unit;
} material_field;

static const material_field live[] = {
    {"young", "material.young", offsetof(pl_material_def, young), PL__KEYED_YOUNG, 0, 1e15, "Pa"},
    {"poisson", "material.poisson", offsetof(pl_material_def, poisson), PL__KEYED_POISSON, -1, 0.5, ""},
    {"damping", "material.damping", offsetof(pl_material_def, damping), PL__KEYED_DAMPING, 0, 1e6, "s"},
    {"activation", "material.activation", offsetof(pl_material_def, activation), PL__KEYED_ACTIVATION, 0, 1, ""},
};

enum
{
    GRAVITY_COUNT = 3,
    WIND_COUNT = 3,
    BODY_COUNT = 3, // strength, pressure, toughness
    LIVE_COUNT = sizeof live / sizeof live[0]
};

// The number behind a handle.
typedef struct
{
    double *value;
    pl_material_def *material;
    pl__object *object;
    pl__pair_friction *rub;
    pl__body *body;
    const char *owner;
    pl__keyed what; // as keys know it
    int32_t index;
} target;

static bool resolve(const pl_world *world, pl_param_id param, target *out)
{
    *out = (target){0};
    size_t i = (size_t)param.index - 1;
    if (param.index < 1)
        return false;
    if (i < GRAVITY_COUNT)
    {
        out->value = (double *)&world->state.gravity[i];
        out->what = PL__KEYED_GRAVITY;
        return true;
    }
    i -= GRAVITY_COUNT;
    if (i < WIND_COUNT)
    {
        out->value = (double *)&world->state.wind[i];
        out->what = PL__KEYED_WIND;
        return true;
    }
    i -= WIND_COUNT;
    if (i < LIVE_COUNT * world->materials.count)
    {
        out->material = &world->materials.def[i / LIVE_COUNT];
        out->owner = world->materials.name[i / LIVE_COUNT];
        out->value = (double *)((char *)out->material + live[i % LIVE_COUNT].offset);
        out->what = live[i % LIVE_COUNT].what;
        out->index = (int32_t)(i / LIVE_COUNT);
        return true;
    }
    i -= LIVE_COUNT * world->materials.count;
    if (i < world->objects.count)
    {
        out->object = &world->objects.object[i];
        out->owner = world->objects.name[i];
        out->value = &out->object->friction;
        out->what = PL__KEYED_FRICTION;
        out->index = (int32_t)i;
        return true;
    }
    i -= world->objects.count;
    if (i < world->pair_friction.count)
    {
        out->rub = &world->pair_friction.pair[i];
        out->value = &out->rub->friction;
        out->owner = world->bodies.slot[out->rub->body].name;
        return pl__pair_friction_is_alive(world, out->rub);
    }
    i -= world->pair_friction.count;
    size_t slot = i / BODY_COUNT;
    if (slot >= world->bodies.slot_count || !world->bodies.slot[slot].body)
        return false;
    out->body = world->bodies.slot[slot].body;
    out->owner = world->bodies.slot[slot].name;
    double *const values[BODY_COUNT] = {&out->body->state.strength, &out->body->state.pressure,
                                        &out->body->state.toughness};
    static const pl__keyed whats[BODY_COUNT] = {PL__KEYED_STRENGTH, PL__KEYED_PRESSURE, PL__KEYED_TOUGHNESS};
    out->value = values[i % BODY_COUNT];
    out->what = whats[i % BODY_COUNT];
    out->index = (int32_t)slot;
    return true;
}

// ---- listing ---------------------------------------------------------------------------------------------------

static size_t handle_count(const pl_world *world)
{
    return GRAVITY_COUNT + WIND_COUNT + LIVE_COUNT * world->materials.count + world->objects.count +
           world->pair_friction.count + BODY_COUNT * world->bodies.slot_count;
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

// Muscles alone are activated, pressure needs a closed skin, wind something that feels air, toughness something that
// breaks.
static bool matters(const pl_world *world, const target *t)
{
    bool air = false;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        air |= world->bodies.body[i]->air.acts;
    switch (t->what)
    {
    case PL__KEYED_ACTIVATION: return t->material->fiber_strength > 0;
    case PL__KEYED_PRESSURE: return t->body->air.closed;
    case PL__KEYED_WIND: return air;
    case PL__KEYED_TOUGHNESS: return world->bodies.slot[t->index].fracture != NULL;
    default: return true;
    }
}

static void describe_world(const target *t, pl_param_id param, pl_param_info *info, char *path, size_t size)
{
    bool wind = t->what == PL__KEYED_WIND;
    int axis = (param.index - 1) % GRAVITY_COUNT;
    *info = (pl_param_info){.low = wind ? -1e6 : -1e9, .high = wind ? 1e6 : 1e9, .unit = wind ? "m/s" : "m/s^2"};
    snprintf(path, size, "%s.%c", wind ? "wind" : "gravity", "xyz"[axis]);
}

static void describe_material(const target *t, pl_param_info *info, char *path, size_t size)
{
    const material_field *field = live;
    while (field->what != t->what)
        ++field;
    *info = (pl_param_info){.low = field->low, .high = field->high, .unit = field->unit};
    snprintf(path, size, "materials.%s.%s", t->owner, field->name);
}

static void describe_thing(const target *t, pl_param_info *info, char *path, size_t size)
{
    bool pressure = t->what == PL__KEYED_PRESSURE, toughness = t->what == PL__KEYED_TOUGHNESS;
    *info = (pl_param_info){.low = pressure    ? -1e9
                                   : toughness ? 1e-6
                                               : 0,
                            .high = t->object               ? 1e308
                                    : pressure || toughness ? 1e9
                                                            : 1e6,
                            .unit = pressure ? "Pa" : ""};
    const char *of_body = pressure ? "pressure" : toughness ? "toughness" : "strength";
    snprintf(path, size, "%s.%s.%s", t->object ? "objects" : "bodies", t->owner, t->object ? "friction" : of_body);
}

static void describe_rub(const pl_world *world, const target *t, pl_param_info *info, char *path, size_t size)
{
    *info = (pl_param_info){.low = 0, .high = 1e6, .unit = ""};
    snprintf(path, size, "bodies.%s.friction_with.%s", t->owner,
             t->rub->object >= 0 ? world->objects.name[t->rub->object] : world->bodies.slot[t->rub->other].name);
}

pl_status pl_world_param_describe(const pl_world *world, pl_param_id param, pl_param_info *info, char *path,
                                  size_t size)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    target t;
    if (!resolve(world, param, &t))
        return pl__fail(world->ctx, PL_ERR_STATE, "parameter %d does not exist, or its body was removed", param.index);
    if (t.material)
        describe_material(&t, info, path, size);
    else if (t.rub)
        describe_rub(world, &t, info, path, size);
    else if (t.object || t.body)
        describe_thing(&t, info, path, size);
    else
        describe_world(&t, param, info, path, size);
    info->value = *t.value;
    info->keyed = !t.rub && pl__keyframes_driver(world, t.what, t.index) != NULL;
    info->matters = t.rub || matters(world, &t);
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

// Why there is no such parameter: the thing is there but its field is not live, or there is no such thing.
static void explain(pl_world *world, const char *path)
{
    for (size_t i = 0; i < world->materials.count; ++i)
        if (path_begins(path, "materials", world->materials.name[i]))
        {
            (void)pl__fail(world->ctx, PL_ERR_ARGUMENT,
                           "%.100s: cannot change while running; young, poisson, damping and activation can", path);
            return;
        }
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (world->bodies.slot[i].body && path_begins(path, "bodies", world->bodies.slot[i].name))
        {
            (void)pl__fail(world->ctx, PL_ERR_ARGUMENT,
                           "%.100s: cannot change while running; strength, pressure, toughness, material.young, "
                           ".poisson, .damping and .activation can",
                           path);
            return;
        }
    (void)pl__fail(world->ctx, PL_ERR_ARGUMENT,
                   "%.100s: there is no such live parameter; there are materials.NAME.young, .poisson, .damping and "
                   ".activation, bodies.NAME.strength, .pressure, .toughness and .material.young, ..., "
                   "objects.NAME.friction, bodies.NAME.friction_with.NAME where the scene has it, gravity.x, .y and "
                   ".z, wind.x, .y and .z, for the names in this world",
                   path);
}

pl_param_id pl_world_find_param(pl_world *world, const char *path)
{
    if (!world || !path)
        return (pl_param_id){0};
    static const char *const gravity[GRAVITY_COUNT] = {"gravity.x", "gravity.y", "gravity.z"};
    size_t base = 1;
    for (size_t i = 0; i < GRAVITY_COUNT; ++i)
        if (strcmp(path, gravity[i]) == 0)
            return (pl_param_id){(int32_t)(base + i)};
    base += GRAVITY_COUNT;
    static const char *const wind[WIND_COUNT] = {"wind.x", "wind.y", "wind.z"};
    for (size_t i = 0; i < WIND_COUNT; ++i)
        if (strcmp(path, wind[i]) == 0)
            return (pl_param_id){(int32_t)(base + i)};
    base += WIND_COUNT;
    for (size_t i = 0; i < world->materials.count * LIVE_COUNT; ++i)
        if (path_is(path, "materials", world->materials.name[i / LIVE_COUNT], live[i % LIVE_COUNT].name))
            return (pl_param_id){(int32_t)(base + i)};
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        for (size_t k = 0; world->bodies.slot[i].body && k < LIVE_COUNT; ++k)
            if (path_is(path, "bodies", world->bodies.slot[i].name, live[k].path))
                return (pl_param_id){(int32_t)(base + (size_t)world->bodies.slot[i].material * LIVE_COUNT + k)};
    base += world->materials.count * LIVE_COUNT;
    for (size_t i = 0; i < world->objects.count; ++i)
        if (path_is(path, "objects", world->objects.name[i], "friction"))
            return (pl_param_id){(int32_t)(base + i)};
    base += world->objects.count;
    if (pl__friction_find(world, path) < world->pair_friction.count)
        return (pl_param_id){(int32_t)(base + pl__friction_find(world, path))};
    base += world->pair_friction.count;
    static const char *const of_body[BODY_COUNT] = {"strength", "pressure", "toughness"};
    for (size_t i = 0; i < BODY_COUNT * world->bodies.slot_count; ++i)
        if (world->bodies.slot[i / BODY_COUNT].body &&
            path_is(path, "bodies", world->bodies.slot[i / BODY_COUNT].name, of_body[i % BODY_COUNT]))
            return (pl_param_id){(int32_t)(base + i)};
    explain(world, path);
    return (pl_param_id){0};
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
    const char *driver = t.rub ? NULL : pl__keyframes_driver(world, t.what, t.index);
    PL_CHECK(world->ctx, !driver, "%s: follows its keys and cannot be set", driver);
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
        PL_CHECK(world->ctx, t.what != PL__KEYED_STRENGTH || (value >= 0 && value <= 1e6),
                 "bodies.%s.strength: %g must be in [0, 1e6]", t.owner, value);
        PL_CHECK(world->ctx, t.what != PL__KEYED_PRESSURE || t.body->air.closed,
                 "bodies.%s.pressure: this body was made without any; give its definition a pressure, gas, or keys of "
                 "pressure",
                 t.owner);
        PL_CHECK(world->ctx, t.what != PL__KEYED_PRESSURE || fabs(value) <= 1e9,
                 "bodies.%s.pressure: %g Pa must be within 1e9", t.owner, value);
        PL_CHECK(world->ctx, t.what != PL__KEYED_TOUGHNESS || (value >= 1e-6 && value <= 1e9),
                 "bodies.%s.toughness: %g must be in [1e-6, 1e9]", t.owner, value);
        PL_CHECK(world->ctx, t.what != PL__KEYED_WIND || fabs(value) <= 1e6, "wind: %g m/s must be within 1e6", value);
        PL_CHECK(world->ctx, !t.object || (value >= 0 && isfinite(value)), "objects.%s.friction: %g must be at least 0",
                 t.owner, value);
        PL_CHECK(world->ctx, !t.rub || (value >= 0 && value <= 1e6), "bodies.%s.friction_with: %g must be in [0, 1e6]",
                 t.owner, value);
        PL_CHECK(world->ctx, t.what != PL__KEYED_GRAVITY || fabs(value) <= 1e9, "gravity: %g m/s^2 must be within 1e9",
                 value);
        PL_CHECK(world->ctx, isfinite(value), "%g must be finite", value);
        *t.value = value;
    }
    if (t.rub)
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
