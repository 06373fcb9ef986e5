// src/world/keyframes.c -- keyframes of parameters, objects and pins.
//
// A substep from t to t + dt uses the parameters (gravity, materials, strengths, friction, spin) at t and the poses (of
// objects and pins) at t + dt. Parameters are updated at the end of a substep, so that values read between steps belong
// to the current time. Everything is a function of time: there is no state, and snapshots save nothing.
#include "world.h"
#include "base/hash.h"
#include "material/material_fields.h"
#include "solid/pin.h"

#include <string.h>

static const double degree = 0.017453292519943295;

static pl__body *body_of(const pl_world *world, const pl__track *track)
{
    return world->bodies.slot[track->index].body;
}

static bool is_of_body(const pl__track *track)
{
    return track->what >= PL__KEYED_STRENGTH && track->what <= PL__KEYED_PIN_ROTATE;
}

bool pl__track_is_alive(const pl_world *world, const pl__track *track)
{
    return !is_of_body(track) || body_of(world, track);
}

const char *pl__keyframes_driver(const pl_world *world, pl__keyed what, int32_t index, int32_t field)
{
    for (size_t i = 0; i < world->keyframes.count; ++i)
    {
        const pl__track *track = &world->keyframes.track[i];
        if (track->what == what && track->index == index && track->field == field)
            return track->path;
    }
    return NULL;
}

pl_status pl__keyframes_copy(pl_world *world, const pl_scene *scene)
{
    world->keyframes.track = PL_NEW(world->ctx, scene->track_count, pl__track);
    if (!world->keyframes.track)
        return PL_ERR_MEMORY;
    world->keyframes.count = scene->track_count;
    for (size_t i = 0; i < scene->track_count; ++i)
        if (!pl__track_copy(world->ctx, &scene->track[i], &world->keyframes.track[i]))
            return PL_ERR_MEMORY;
    return PL_OK;
}

// ---- parameters ------------------------------------------------------------------------------------------------

// Returns whether the value changed.
static bool set_value(double *value, double next)
{
    bool changed = *value != next;
    *value = next;
    return changed;
}

static double *material_number(const pl_world *world, const pl__track *track)
{
    char *def = (char *)&world->materials.def[track->index];
    return (double *)(void *)(def + pl__material_fields.row[track->field].offset);
}

// Apply one keyed parameter at the current time. `materials` becomes true when a material changed.
static void apply(pl_world *world, const pl__track *track, bool *materials)
{
    double value[3];
    pl__keys_evaluate(&track->keys, world->state.time, value);
    switch (track->what)
    {
    case PL__KEYED_GRAVITY: memcpy(world->state.gravity, value, sizeof value); break;
    case PL__KEYED_MATERIAL: *materials |= set_value(material_number(world, track), value[0]); break;
    case PL__KEYED_WIND:
        memcpy(world->state.wind, value, sizeof value);
        world->solids.evaluation.fresh = 0;
        break;
    case PL__KEYED_PRESSURE:
        if (set_value(&body_of(world, track)->state.pressure, value[0]))
            world->solids.evaluation.fresh = 0;
        break;
    case PL__KEYED_STRENGTH:
        if (set_value(&body_of(world, track)->state.strength, value[0]))
            world->solids.evaluation.fresh = 0;
        break;
    case PL__KEYED_TOUGHNESS: body_of(world, track)->state.toughness = value[0]; break;
    case PL__KEYED_VOLUME: body_of(world, track)->state.volume = value[0]; break;
    case PL__KEYED_HEAT_AT: memcpy(world->heat_sources.source[track->index].at, value, sizeof value); break;
    case PL__KEYED_HEAT_POWER: world->heat_sources.source[track->index].power = value[0]; break;
    case PL__KEYED_PIN_STRENGTH: body_of(world, track)->pins.group[track->pin].strength = value[0]; break;
    case PL__KEYED_SPIN:
        for (int i = 0; i < 3; ++i)
            world->objects.object[track->index].angular[i] = degree * value[i];
        break;
    case PL__KEYED_LIQUID:
        *pl__world_liquids_number(world, pl__world_liquids_kind(world, track->index), track->field) = value[0];
        break;
    case PL__KEYED_FRICTION: world->objects.object[track->index].friction = value[0]; break;
    case PL__KEYED_PIN_MOVE:
    case PL__KEYED_PIN_ROTATE:
    case PL__KEYED_AT:
    case PL__KEYED_ROTATE: break; // poses, see pl__keyframes_aim
    }
}

void pl__keyframes_apply(pl_world *world)
{
    bool materials = false;
    for (size_t i = 0; i < world->keyframes.count; ++i)
        if (pl__track_is_alive(world, &world->keyframes.track[i]))
            apply(world, &world->keyframes.track[i], &materials);
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        pl__pin_groups_update(world->bodies.body[i]);
        if (materials)
            pl__body_set_materials(world->bodies.body[i], world->materials.def);
    }
    if (materials)
        world->solids.evaluation.fresh = 0;
}

// ---- poses -----------------------------------------------------------------------------------------------------

void pl__keyframes_place(pl_world *world)
{
    for (size_t i = 0; i < world->keyframes.count; ++i)
    {
        const pl__track *track = &world->keyframes.track[i];
        double value[3];
        pl__keys_evaluate(&track->keys, world->state.time, value);
        if (track->what == PL__KEYED_AT)
        {
            world->objects.object[track->index].scripted_at = true;
            memcpy(world->objects.object[track->index].at, value, sizeof value);
            memset(world->objects.object[track->index].velocity, 0, sizeof value);
        }
        if (track->what == PL__KEYED_ROTATE)
        {
            world->objects.object[track->index].scripted_turn = true;
            memset(world->objects.object[track->index].angular, 0, sizeof value);
            pl__object_turn(&world->objects.object[track->index], pl_quat_from_degrees(value));
        }
        if (track->what == PL__KEYED_PIN_MOVE || track->what == PL__KEYED_PIN_ROTATE)
            body_of(world, track)->pins.group[track->pin].moves = true;
    }
}

// Pose of a pin group from its keys; components without keys are as defined.
static void pose_group(const pl_world *world, size_t slot, int32_t pin, double time, pl__pin_pose *pose)
{
    *pose = world->bodies.slot[slot].body->pins.group[pin].pose;
    for (size_t i = 0; i < world->keyframes.count; ++i)
    {
        const pl__track *track = &world->keyframes.track[i];
        if ((size_t)track->index != slot || track->pin != pin)
            continue;
        if (track->what == PL__KEYED_PIN_MOVE)
            pl__keys_evaluate(&track->keys, time, pose->move);
        if (track->what == PL__KEYED_PIN_ROTATE)
            pl__keys_evaluate(&track->keys, time, pose->rotate);
    }
}

static void aim_pins(pl_world *world, size_t slot, double dt)
{
    pl__body *body = world->bodies.slot[slot].body;
    double after = pl__keyframes_time_after(world, dt);
    for (int32_t g = 0; body && g < body->pins.group_count; ++g)
    {
        pl__pin_group *group = &body->pins.group[g];
        pl__pin_pose begin, end;
        if (!group->moves)
            continue;
        pose_group(world, slot, g, world->state.time, &begin);
        pose_group(world, slot, g, after, &end);
        pl__pin_group_aim(group, &begin, &end, world->state.time, after);
    }
}

double pl__keyframes_time_after(const pl_world *world, double dt)
{
    const pl__pending *pending = &world->state.pending;
    return dt < pending->remaining ? pending->end - (pending->remaining - dt) : pending->end;
}

void pl__keyframes_aim(void *user, double dt)
{
    pl_world *world = user;
    for (size_t i = 0; i < world->keyframes.count; ++i)
    {
        const pl__track *track = &world->keyframes.track[i];
        double value[3];
        if (track->what != PL__KEYED_AT && track->what != PL__KEYED_ROTATE)
            continue;
        pl__keys_evaluate(&track->keys, pl__keyframes_time_after(world, dt), value);
        if (track->what == PL__KEYED_AT)
            memcpy(world->objects.object[track->index].at_end, value, sizeof value);
        else
            world->objects.object[track->index].turned_end = pl_quat_from_degrees(value);
    }
    for (size_t slot = 0; slot < world->bodies.slot_count; ++slot)
        aim_pins(world, slot, dt);
    pl__grabs_aim(world, dt);
    pl__actors_aim(world, dt);
}

// ---- snapshots -------------------------------------------------------------------------------------------------

static uint64_t hash_tracks(const void *user, uint64_t h)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->keyframes.count; ++i)
    {
        const pl__track *track = &world->keyframes.track[i];
        const pl_keys_def *keys = &track->keys;
        if (is_of_body(track) && !pl__slot_body(&world->bodies.slot[track->index]))
            continue;
        int32_t shape[3] = {keys->count, keys->components, (int32_t)keys->ease};
        h = pl__hash(h, track->path, strlen(track->path));
        h = pl__hash(h, shape, sizeof shape);
        h = pl__hash(h, keys->times, (size_t)keys->count * sizeof *keys->times);
        h = pl__hash(h, keys->values, (size_t)keys->count * (size_t)keys->components * sizeof *keys->values);
    }
    return h;
}

static void end_load(void *user, bool loaded)
{
    if (loaded)
        pl__keyframes_apply(user);
}

const pl__section_type pl__keyframes_section = {.tag = "KEYS", .end = end_load, .script = hash_tracks};
