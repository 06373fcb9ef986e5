// src/world/object_section.c -- section OBJE: poses, velocities, targets and friction of objects.
#include "world.h"
#include "base/hash.h"

#include <string.h>

typedef struct
{
    double at[3], velocity[3], turned[4], angular[3], target[3], friction;
    uint64_t aim; // pl__aim
} record;

static size_t object_bytes(const void *user) { return ((const pl_world *)user)->objects.count * sizeof(record); }

static void write_objects(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->objects.count; ++i)
    {
        const pl__object *object = &world->objects.object[i];
        record r = {.friction = object->friction, .aim = world->objects.aim[i]};
        memcpy(r.at, object->at, sizeof r.at);
        memcpy(r.velocity, object->velocity, sizeof r.velocity);
        memcpy(r.turned, &object->turned, sizeof r.turned);
        memcpy(r.angular, object->angular, sizeof r.angular);
        memcpy(r.target, world->objects.target[i], sizeof r.target);
        pl__section_put(to, &r, sizeof r);
    }
}

static void apply_object(pl_world *world, size_t i, const record *r)
{
    pl__object *object = &world->objects.object[i];
    memcpy(object->at, r->at, sizeof r->at);
    memcpy(object->velocity, r->velocity, sizeof r->velocity);
    memcpy(object->angular, r->angular, sizeof r->angular);
    pl__object_turn(object, (pl_quat){r->turned[0], {r->turned[1], r->turned[2], r->turned[3]}});
    memcpy(world->objects.target[i], r->target, sizeof r->target);
    object->friction = r->friction;
    world->objects.aim[i] = (uint8_t)r->aim;
}

static pl_status read_objects(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    for (size_t i = 0; i < world->objects.count; ++i)
    {
        record r;
        PL_TRY(pl__section_get(from, &r, sizeof r));
        if (r.aim > PL__AIM_TAKEN || !pl__all_finite(&r, offsetof(record, aim) / sizeof(double)) || r.friction < 0)
            return pl__section_fail(from, "object %s has numbers out of range", world->objects.name[i]);
        if (apply)
            apply_object(world, i, &r);
    }
    return PL_OK;
}

static uint64_t hash_objects(const void *user, uint64_t h)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->objects.count; ++i)
    {
        h = pl__hash(h, world->objects.name[i], strlen(world->objects.name[i]));
        h = pl__shape_hash(h, world->objects.shape[i]);
    }
    return h;
}

const pl__section_type pl__object_section = {.tag = "OBJE",
                                             .version = 2,
                                             .oldest = 2,
                                             .bytes = object_bytes,
                                             .write = write_objects,
                                             .read = read_objects,
                                             .fingerprint = hash_objects};
