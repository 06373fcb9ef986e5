// src/world/body_section.c -- section BODY: the state of every body.
//
// Per body: strength, pressure, toughness, recovery, sleep, clocks, pins outside groups, positions, velocities, plastic
// deformation, directors of shells, temperatures. Pin groups belong to the scene.
#include "world.h"
#include "base/hash.h"
#include "element/fibers.h"
#include "element/plasticity.h"
#include "element/triangle.h"
#include "solid/heat.h"
#include "solid/pin.h"
#include "solid/plastic_state.h"

#include <math.h>
#include <string.h>

typedef struct
{
    double strength, pressure, toughness, rest_time, untangled_time, recovery_factor, still_time;
    uint64_t asleep, self_contact_off, stuck, recovery_level, placed, loaded;
    uint64_t pin_count;
} record;

typedef struct
{
    uint64_t node;
    double target[3];
} pin_record;

int32_t pl__body_place(const pl_world *world, int32_t slot)
{
    int32_t place = slot < 0 ? -1 : 0;
    for (int32_t i = 0; i < slot; ++i)
        place += world->bodies.slot[i].body != NULL;
    return place;
}

int32_t pl__body_slot(const pl_world *world, int32_t place)
{
    return place < 0 ? -1 : pl_world_body_at(world, place).index - 1;
}

// ---- writing ---------------------------------------------------------------------------------------------------

// Number of pins outside groups.
static size_t plain_pins(const pl__body *body)
{
    size_t count = 0;
    for (int32_t k = 0; k < body->pins.count; ++k)
        count += body->pins.pin[k].group < 0;
    return count;
}

static size_t plastic_bytes(const pl__body *body) { return pl__body_plastic_length(body) * sizeof(double); }

static size_t heat_bytes(const pl__body *body) { return body->heat ? (size_t)body->node_count * sizeof(double) : 0; }

static size_t body_bytes(const void *user)
{
    const pl_world *world = user;
    size_t size = 0;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        const pl__body *body = world->bodies.body[i];
        size += sizeof(record) + plain_pins(body) * sizeof(pin_record) + 6 * (size_t)body->node_count * sizeof(double) +
                plastic_bytes(body) + heat_bytes(body);
    }
    return size;
}

static void write_pins(const pl__body *body, pl__section_writer *to)
{
    for (int32_t k = 0; k < body->pins.count; ++k)
    {
        if (body->pins.pin[k].group >= 0)
            continue;
        pin_record pin = {.node = (uint64_t)body->pins.pin[k].node};
        memcpy(pin.target, body->pins.pin[k].target, sizeof pin.target);
        pl__section_put(to, &pin, sizeof pin);
    }
}

static void write_body(const pl_world *world, const pl__body *body, pl__section_writer *to)
{
    size_t at = 3 * (size_t)body->first_node, bytes = 3 * (size_t)body->node_count * sizeof(double);
    record r = {.strength = body->state.strength,
                .pressure = body->state.pressure,
                .toughness = body->state.toughness,
                .rest_time = body->state.rest_time,
                .untangled_time = body->state.untangled_time,
                .recovery_factor = body->state.recovery_factor,
                .still_time = body->state.still_time,
                .asleep = body->state.asleep,
                .self_contact_off = body->state.self_contact_off,
                .stuck = body->state.stuck,
                .recovery_level = (uint64_t)body->state.recovery_level,
                .placed = body->state.placed,
                .loaded = body->state.loaded,
                .pin_count = plain_pins(body)};
    pl__section_put(to, &r, sizeof r);
    write_pins(body, to);
    pl__section_put(to, &world->solids.state.x[at], bytes);
    pl__section_put(to, &world->solids.state.v[at], bytes);
    char *plastic = pl__section_room(to, plastic_bytes(body));
    if (plastic)
        pl__body_get_plastic(body, plastic);
    if (body->heat)
        pl__section_put(to, body->heat->temperature, heat_bytes(body));
}

static void write_bodies(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        write_body(world, world->bodies.body[i], to);
}

// ---- reading ---------------------------------------------------------------------------------------------------

static bool is_sound(const pl__body *body, const record *r)
{
    return pl__all_finite(r, offsetof(record, asleep) / sizeof(double)) && r->strength >= 0 && r->strength <= 1e6 &&
           fabs(r->pressure) <= 1e9 && r->toughness >= 1e-6 && r->toughness <= 1e9 && r->rest_time >= 0 &&
           r->untangled_time >= 0 && r->recovery_factor > 0 && r->recovery_factor <= 1 && r->still_time >= 0 &&
           r->asleep <= 1 && r->self_contact_off <= 1 && r->stuck <= 1 && r->recovery_level <= PL_MATERIAL_RELAXED &&
           r->placed <= 1 && r->loaded <= 1 && r->pin_count <= (uint64_t)body->pins.capacity;
}

// Pins outside groups, sorted by node, without duplicates.
static pl_status read_pins(pl__section_reader *from, pl__body *body, uint64_t count, bool apply)
{
    uint64_t last = 0;
    for (uint64_t k = 0; k < count; ++k)
    {
        pin_record pin;
        PL_TRY(pl__section_get(from, &pin, sizeof pin));
        bool good =
            pin.node < (uint64_t)body->node_count && (k == 0 || pin.node > last) && pl__all_finite(pin.target, 3);
        if (!good || pl__pin_groups_contain(body, (int32_t)pin.node))
            return pl__section_fail(from, "pin %llu holds node %llu of %d, out of order or where it cannot be",
                                    (unsigned long long)k, (unsigned long long)pin.node, body->node_count);
        last = pin.node;
        if (!apply)
            continue;
        body->pins.pin[k] = (pl__pin){.node = (int32_t)pin.node, .group = -1};
        memcpy(body->pins.pin[k].target, pin.target, sizeof pin.target);
    }
    return PL_OK;
}

static void apply_record(pl__body *body, const record *r)
{
    body->pins.count = (int32_t)r->pin_count;
    body->pins.changed = true;
    pl__pin_groups_release(body);
    body->state.strength = r->strength;
    body->state.pressure = r->pressure;
    body->state.toughness = r->toughness;
    body->state.rest_time = r->rest_time;
    body->state.untangled_time = r->untangled_time;
    body->state.stuck = r->stuck != 0;
    body->state.recovery_level = (int32_t)r->recovery_level;
    body->state.recovery_factor = r->recovery_factor;
    body->state.placed = r->placed != 0;
    body->state.loaded = r->loaded != 0;
    body->state.still_time = r->still_time;
    body->state.asleep = r->asleep != 0;
    body->state.self_contact_off = r->self_contact_off != 0;
    body->derived.figures_current = body->derived.sums_current = false;
}

// Arrays of a body, as pointers into the section.
typedef struct
{
    const char *x, *v, *plastic, *heat;
} arrays;

static pl_status view_arrays(pl__section_reader *from, const pl__body *body, arrays *a)
{
    size_t numbers = 3 * (size_t)body->node_count, bytes = numbers * sizeof(double);
    PL_TRY(pl__section_view(from, bytes, &a->x));
    PL_TRY(pl__section_view(from, bytes, &a->v));
    PL_TRY(pl__section_view(from, plastic_bytes(body), &a->plastic));
    PL_TRY(pl__section_view(from, heat_bytes(body), &a->heat));
    if (!pl__all_finite(a->x, numbers) || !pl__all_finite(a->v, numbers) ||
        !pl__all_finite(a->plastic, pl__body_plastic_length(body)) ||
        !pl__all_finite(a->heat, heat_bytes(body) / sizeof(double)))
        return pl__section_fail(from, "a position, velocity, plastic deformation or temperature is not finite");
    if (!pl__body_plastic_is_sound(body, a->plastic))
        return pl__section_fail(from, "a plastic deformation is inverted");
    return PL_OK;
}

static void apply_arrays(pl_world *world, pl__body *body, const arrays *a)
{
    size_t at = 3 * (size_t)body->first_node, bytes = 3 * (size_t)body->node_count * sizeof(double);
    memcpy(&world->solids.state.x[at], a->x, bytes);
    memcpy(&world->solids.state.v[at], a->v, bytes);
    pl__body_put_plastic(body, a->plastic);
    if (!body->heat)
        return;
    memcpy(body->heat->temperature, a->heat, heat_bytes(body));
    pl__heat_notice(body->heat);
}

static pl_status read_bodies(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    int32_t count = pl__world_loaded_count(world);
    for (int32_t i = 0; i < count; ++i)
    {
        pl__body *body = pl__world_loaded_body(world, i);
        record r;
        arrays a;
        PL_TRY(pl__section_get(from, &r, sizeof r));
        if (!is_sound(body, &r))
            return pl__section_fail(from, "body %d has %llu pins, strength %g and toughness %g, or others out of range",
                                    i, (unsigned long long)r.pin_count, r.strength, r.toughness);
        PL_TRY(read_pins(from, body, r.pin_count, apply));
        PL_TRY(view_arrays(from, body, &a));
        if (!apply)
            continue;
        apply_record(body, &r);
        apply_arrays(world, body, &a);
    }
    return PL_OK;
}

// Update materials for the temperatures; invalidate forces and contacts.
static void end_load(void *user, bool loaded)
{
    pl_world *world = user;
    if (!loaded)
        return;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        pl__body_set_materials(world->bodies.body[i], world->materials.def);
    world->solids.evaluation.fresh = 0;
    memset(world->solids.contacts.count, 0, (size_t)world->solids.node_count);
    memset(world->solids.contacts.footing, 0, (size_t)world->solids.node_count);
}

// ---- fingerprints ----------------------------------------------------------------------------------------------

static uint64_t hash_pins(uint64_t h, const pl__body *body)
{
    for (int32_t i = 0; i < body->pins.group_count; ++i)
    {
        const pl__pin_group *g = &body->pins.group[i];
        size_t numbers = 3 * (size_t)g->count;
        double fixed[] = {g->soft, g->pivot[0], g->pivot[1], g->pivot[2], g->cache_start, g->cache_rate};
        h = pl__hash(h, g->node, (size_t)g->count * sizeof *g->node);
        h = pl__hash(h, g->start, numbers * sizeof *g->start);
        h = pl__hash(h, fixed, sizeof fixed);
        h = pl__hash(h, g->cache, numbers * (size_t)g->cache_count * sizeof *g->cache);
    }
    return h;
}

// Directions of the elements of a group: fibres, plastic goals, warp directions and given normals.
static uint64_t hash_directions(uint64_t h, const pl__element_group *group)
{
    for (int32_t b = 0; b < group->block_count; ++b)
    {
        if (group->fiber)
            h = pl__hash(h, group->fiber[b].axis, sizeof group->fiber[b].axis);
        if (group->woven)
            h = pl__hash(h, group->triangle[b].inverse, sizeof group->triangle[b].inverse);
        if (group->normals)
            h = pl__hash(h, group->triangle[b].normal, sizeof group->triangle[b].normal);
    }
    for (int32_t b = 0; group->plastic && b < group->block_count * pl__plasticity_points(group->kind); ++b)
        h = pl__hash(h, group->plastic[b].goal, sizeof group->plastic[b].goal);
    return h;
}

static uint64_t hash_body(uint64_t h, const pl__body *body)
{
    int32_t counts[2] = {body->node_count, body->element_count};
    h = pl__hash(h, counts, sizeof counts);
    h = pl__hash(h, body->mass, (size_t)body->node_count * sizeof *body->mass);
    double shape[5] = {body->thickness, body->bending, body->planar + 2.0 * body->plane_stress, body->air.gas,
                       body->air.load.across};
    h = pl__hash(h, shape, sizeof shape);
    for (int32_t g = 0; g < body->group_count; ++g)
    {
        const pl__element_group *group = &body->group[g];
        // surface loads have no state, and a branch may add pressure
        int32_t kind[4] = {(int32_t)group->kind, group->count, group->woven + 2 * group->normals,
                           group->fibers + 2 * group->flows + 4 * group->additive};
        if (group->kind != PL__SURFACE_LOAD)
            h = pl__hash(h, kind, sizeof kind);
        h = hash_directions(h, group);
    }
    for (int32_t g = 0; g < body->group_count; ++g)
        if (body->group[g].factor)
            h = pl__hash(h, body->group[g].factor, (size_t)body->group[g].count * sizeof *body->group[g].factor);
    return hash_pins(h, body);
}

uint64_t pl__body_fingerprint(const pl__body *body) { return hash_body(0, body); }

// A breakable body is hashed in its unbroken form.
static uint64_t hash_slot(uint64_t h, const pl__slot *slot)
{
    if (!slot->fracture)
        return hash_body(h, pl__slot_body(slot));
    const pl__fracture_settings *s = &slot->fracture->settings;
    uint64_t numbers[] = {slot->print, s->seed, (uint64_t)s->smallest, (uint64_t)s->most};
    return pl__hash(h, numbers, sizeof numbers);
}

// Hash the existing bodies only, also those that are liquid: handles of removed ones do not matter.
static uint64_t hash_bodies(const void *user, uint64_t h)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        const pl__slot *slot = &world->bodies.slot[i];
        if (!pl__slot_body(slot))
            continue;
        h = pl__hash(h, slot->name, strlen(slot->name));
        if (pl__setting_of(world, i))
            h = pl__hash(h, &pl__setting_of(world, i)->edge, sizeof(double)); // its mesh is state
        else
            h = hash_slot(h, slot);
    }
    return h;
}

static uint64_t hash_pin_poses(const void *user, uint64_t h)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        const pl__body *body = pl__setting_of(world, i) ? NULL : pl__slot_body(&world->bodies.slot[i]);
        for (int32_t k = 0; body && k < body->pins.group_count; ++k)
            h = pl__hash(h, &body->pins.group[k].pose, sizeof body->pins.group[k].pose);
    }
    return h;
}

const pl__section_type pl__body_section = {.tag = "BODY",
                                           .version = 8,
                                           .oldest = 8,
                                           .bytes = body_bytes,
                                           .write = write_bodies,
                                           .read = read_bodies,
                                           .end = end_load,
                                           .fingerprint = hash_bodies,
                                           .script = hash_pin_poses};
