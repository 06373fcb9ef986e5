// src/world/friction.c -- friction coefficients of individual pairs.
//
// By default, contact of a body with an object uses the object's coefficient, and that of two bodies the geometric
// mean; the scene can override it for a pair. Object contact reads coefficients from a table of bodies and objects,
// which exists only with such pairs; collision response calls pl__friction_between.
#include "world.h"
#include "base/hash.h"

#include <string.h>

static const double no_coefficient = -1;

pl_status pl__friction_copy(pl_world *world, const pl_scene *scene)
{
    world->pair_friction.count = scene->rub_count;
    world->pair_friction.pair = PL_NEW(world->ctx, scene->rub_count, pl__pair_friction);
    if (!world->pair_friction.pair)
        return PL_ERR_MEMORY;
    if (scene->rub_count)
        memcpy(world->pair_friction.pair, scene->rub, scene->rub_count * sizeof *world->pair_friction.pair);
    return PL_OK;
}

pl_status pl__friction_reserve(const pl_world *world, int32_t body_count, double **table, size_t *length)
{
    *table = NULL;
    *length = world->pair_friction.count > 0 ? (size_t)body_count * world->objects.count : 0;
    if (*length == 0)
        return PL_OK;
    return (*table = PL_NEW(world->ctx, *length, double)) ? PL_OK : PL_ERR_MEMORY;
}

static void fill_row(pl_world *world, int32_t slot, double *row)
{
    for (size_t k = 0; k < world->objects.count; ++k)
        row[k] = no_coefficient;
    for (size_t i = 0; i < world->pair_friction.count; ++i)
        if (world->pair_friction.pair[i].body == slot && world->pair_friction.pair[i].object >= 0)
            row[world->pair_friction.pair[i].object] = world->pair_friction.pair[i].friction;
}

void pl__friction_spread(pl_world *world)
{
    double *row = world->pair_friction.table;
    for (size_t slot = 0; row && slot < world->bodies.slot_count; ++slot)
    {
        if (!world->bodies.slot[slot].body)
            continue;
        fill_row(world, (int32_t)slot, row);
        row += world->objects.count;
    }
}

static bool is_pair_of(const pl_world *world, const pl__pair_friction *pair, int32_t body, int32_t thing)
{
    int32_t object = thing - (int32_t)world->bodies.slot_count;
    return pair->body == body && (object >= 0 ? pair->object == object : pair->other == thing);
}

double pl__friction_between(const pl_world *world, int32_t a, int32_t b, double common)
{
    for (size_t i = 0; i < world->pair_friction.count; ++i)
        if (is_pair_of(world, &world->pair_friction.pair[i], a, b) ||
            is_pair_of(world, &world->pair_friction.pair[i], b, a))
            return world->pair_friction.pair[i].friction;
    return common;
}

bool pl__pair_friction_is_alive(const pl_world *world, const pl__pair_friction *pair)
{
    const pl__slot *slot = world->bodies.slot;
    return pl__slot_body(&slot[pair->body]) && (pair->object >= 0 || pl__slot_body(&slot[pair->other]));
}

// Rest of `path` after a prefix, or NULL.
static const char *skip_prefix(const char *path, const char *part)
{
    size_t length = strlen(part);
    return path && strncmp(path, part, length) == 0 ? path + length : NULL;
}

static bool is_path_of(const char *path, const char *body, const char *other)
{
    const char *rest =
        skip_prefix(skip_prefix(skip_prefix(skip_prefix(path, "bodies."), body), ".friction_with."), other);
    return rest && (*rest == 0 || strcmp(rest, ".friction") == 0);
}

size_t pl__friction_find(const pl_world *world, const char *path)
{
    size_t i = 0;
    for (; i < world->pair_friction.count; ++i)
    {
        const pl__pair_friction *r = &world->pair_friction.pair[i];
        const char *body = world->bodies.slot[r->body].name,
                   *other = r->object >= 0 ? world->objects.name[r->object] : world->bodies.slot[r->other].name;
        if (pl__pair_friction_is_alive(world, r) &&
            (is_path_of(path, body, other) || (r->other >= 0 && is_path_of(path, other, body))))
            break;
    }
    return i;
}

// ---- section RUBS: coefficients of all pairs whose members exist -----------------------------------------------

static size_t friction_bytes(const void *user)
{
    const pl_world *world = user;
    size_t count = 0;
    for (size_t i = 0; i < world->pair_friction.count; ++i)
        count += pl__pair_friction_is_alive(world, &world->pair_friction.pair[i]);
    return count * sizeof(double);
}

static void write_friction(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->pair_friction.count; ++i)
        if (pl__pair_friction_is_alive(world, &world->pair_friction.pair[i]))
            pl__section_put(to, &world->pair_friction.pair[i].friction, sizeof(double));
}

static pl_status read_friction(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    for (size_t i = 0; i < world->pair_friction.count; ++i)
    {
        double friction;
        if (!pl__pair_friction_is_alive(world, &world->pair_friction.pair[i]))
            continue;
        PL_TRY(pl__section_get(from, &friction, sizeof friction));
        if (!(friction >= 0 && friction <= 1e6))
            return pl__section_fail(from, "the friction %g of a pair is out of range", friction);
        if (apply)
            world->pair_friction.pair[i].friction = friction;
    }
    if (apply)
        pl__friction_spread(world);
    return PL_OK;
}

// Among the bodies that are there or liquid; -1 stays -1.
static int32_t place_of(const pl_world *world, int32_t slot)
{
    int32_t place = slot < 0 ? -1 : 0;
    for (int32_t i = 0; i < slot; ++i)
        place += pl__slot_body(&world->bodies.slot[i]) != NULL;
    return place;
}

static uint64_t hash_pairs(const void *user, uint64_t h)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->pair_friction.count; ++i)
    {
        const pl__pair_friction *r = &world->pair_friction.pair[i];
        int32_t pair[3] = {place_of(world, r->body), r->object, place_of(world, r->other)};
        if (pl__pair_friction_is_alive(world, r))
            h = pl__hash(h, pair, sizeof pair);
    }
    return h;
}

const pl__section_type pl__friction_section = {.tag = "RUBS",
                                               .version = 1,
                                               .oldest = 1,
                                               .bytes = friction_bytes,
                                               .write = write_friction,
                                               .read = read_friction,
                                               .fingerprint = hash_pairs};
