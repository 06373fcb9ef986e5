// src/world/snapshot.c -- the dynamic state as bytes, and back to the bit.
//
// A snapshot is a header and tagged sections, each with its version and length; a checksum covers all. Only what a step
// changes is in it; what a scene compiles to is not, and two fingerprints tell whether a snapshot belongs to this
// world: one of what it is made of (names, counts, kinds), one of its script (keys, and what pins do). Forces are not
// saved: they are a function of the state and are computed again.
//
//     header   magic "PLSN", format version, total bytes, fingerprints, checksum of all that follows
//     TOPO 1   per body that can come apart: how many nodes it has, and which corners of elements are copies of their nodes (mesh/split.h)
//     WRLD 6   time, step count, gravity, wind, what is pending of a step, of an interval of collision, of flow and of looks for cracks
//     MATE 2   live numbers of every material
//     OBJE 2   position, velocity, orientation, spin, target and friction of every object
//     RUBS 1   if pairs have a friction of their own: the friction of those that are there
//     BODY 6   per body: strength, pressure, toughness, mode, sleep, clocks, pins that are in no group, positions, velocities, what has
//              flowed, directors of shells, temperatures
//     MEET 3   if bodies can meet: what is known of crossings, when, where and with what velocities pairs to watch were listed, and where
//              the interval of collision under way began
//     TOUC 1   who touches whom (events.c), and room for more, so that the length of snapshots seldom changes
//     GRAB 1   if somebody holds a body: which nodes, how firmly, and where to
//
// Bodies that are torn in another way than those that are there are made anew before anything is taken over
// (fracture.c).
//
// Keys and groups of pins belong to the scene; what they say is a function of time and is found again.
//
// Numbers are in the byte order of the machine; the version tells a foreign one.
#include "world.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "element/fibers.h"
#include "element/plasticity.h"
#include "element/triangle.h"
#include "material/material.h"
#include "solid/plastic_state.h"
#include "solid/heat.h"
#include "solid/pin.h"

#include <math.h>
#include <string.h>

enum
{
    FORMAT_VERSION = 7
};

typedef struct
{
    char magic[4];
    uint32_t version;
    uint64_t bytes;
    uint64_t fingerprint, script;
    uint64_t checksum;
} header;

typedef struct
{
    char tag[4];
    uint32_t version;
    uint64_t bytes; // that follow
} section;

typedef struct
{
    double time;
    uint64_t step_count;
    double gravity[3], wind[3];
    double pending_dt, pending_end, pending_remaining, interval, interval_dt, friction_work, plastic_dt,
        since_fracture_check;
    uint64_t pending_loaded, plastic_due;
    int64_t torn;
} world_state;

typedef struct
{
    double young, poisson, damping, activation;
} material_state;

typedef struct
{
    double at[3], velocity[3], turned[4], angular[3], target[3], friction;
    uint64_t has_target;
} object_state;

typedef struct
{
    int64_t crossings;
    double since, ahead, slack;
    uint64_t proved;
} meet_state;

typedef struct
{
    double strength, pressure, toughness, rest_time, waited, relief, still_time;
    uint64_t asleep, suspended, stuck, relaxed, put, loaded;
    uint64_t pin_count;
} body_state;

typedef struct
{
    int64_t node_count, corner_count;
} topology_state;

typedef struct
{
    uint64_t node;
    double target[3];
} pin_state;

// Bodies by their place among those that are there.
typedef struct
{
    int32_t used, body, object, other; // objects and others -1: none
    uint32_t before, now;
    double point[3], normal[3], impulse, strongest;
} touching_state;

// Its body by its place, as above.
typedef struct
{
    int32_t id, body, count, node[PL__GRAB_NODES], unused;
    double stiffness, lead[3], at[3], target[3];
} grab_state;

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

// What leads the elements of a group: fibres, goals, warps and known normals.
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
        // skins have no state, and a branch may bring pressure
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

uint64_t pl__body_print(const pl__body *body) { return hash_body(0, body); }

// A body that can come apart, as it was whole.
static uint64_t hash_slot(uint64_t h, const pl__slot *slot)
{
    if (!slot->fracture)
        return hash_body(h, slot->body);
    const pl__fracture_settings *s = &slot->fracture->settings;
    uint64_t numbers[] = {slot->print, s->seed, (uint64_t)s->smallest, (uint64_t)s->most};
    return pl__hash(h, numbers, sizeof numbers);
}

// What time makes of the world.
static uint64_t script(const pl_world *world)
{
    uint64_t h = 0;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        for (int32_t k = 0; k < world->bodies.body[i]->pins.group_count; ++k)
            h = pl__hash(h, &world->bodies.body[i]->pins.group[k].pose,
                         sizeof world->bodies.body[i]->pins.group[k].pose);
    for (size_t i = 0; i < world->keyframes.count; ++i)
    {
        const pl_keys_def *keys = &world->keyframes.track[i].keys;
        if (!pl__track_is_alive(world, &world->keyframes.track[i]))
            continue;
        int32_t shape[3] = {keys->count, keys->components, (int32_t)keys->ease};
        h = pl__hash(h, world->keyframes.track[i].path, strlen(world->keyframes.track[i].path));
        h = pl__hash(h, shape, sizeof shape);
        h = pl__hash(h, keys->times, (size_t)keys->count * sizeof *keys->times);
        h = pl__hash(h, keys->values, (size_t)keys->count * (size_t)keys->components * sizeof *keys->values);
    }
    for (size_t i = 0; i < world->heat_sources.count; ++i)
    {
        h = pl__hash(h, world->heat_sources.source[i].name, strlen(world->heat_sources.source[i].name));
        h = pl__hash(h, &world->heat_sources.source[i].radius, sizeof world->heat_sources.source[i].radius);
    }
    return h;
}

// The place of a slot's body among those that are there; -1 stays.
static int32_t place_of_slot(const pl_world *world, int32_t slot)
{
    int32_t place = slot < 0 ? -1 : 0;
    for (int32_t i = 0; i < slot; ++i)
        place += world->bodies.slot[i].body != NULL;
    return place;
}

static uint64_t fingerprint(const pl_world *world)
{
    // materials go by their place: a body's own may replace a preset, under another name
    uint64_t h = pl__hash(0, &world->materials.count, sizeof world->materials.count);
    for (size_t i = 0; i < world->materials.count; ++i)
    {
        const pl_material_def *m = &world->materials.def[i];
        int32_t kinds[4] = {(int32_t)m->kind, (int32_t)m->inversion, (int32_t)m->damping_model, (int32_t)m->recovery};
        int32_t flow[2] = {(int32_t)m->yield_criterion, m->isochoric + 2 * (int32_t)m->plastic_form};
        double fixed[] = {m->density,         m->threshold,        m->limit,
                          m->mooney,          m->stiffening,       m->stiffening_share,
                          m->spline_low,      m->spline_high,      m->spline_stiffening,
                          m->fiber_strength,  m->fiber_optimal,    m->weave_weft,
                          m->weave_shear,     m->weave_stiffening, m->weave_compression,
                          m->yield_strain,    m->hardening,        m->plastic_limit,
                          m->creep,           m->plastic_max,      m->fracture_stress,
                          m->fracture_spread, m->melting,          m->melt_young,
                          m->melt_yield,      m->melt_creep,       m->cooling,
                          m->diffusivity};
        h = pl__hash(h, kinds, sizeof kinds);
        h = pl__hash(h, flow, sizeof flow);
        h = pl__hash(h, fixed, sizeof fixed);
    }
    double air[2] = {world->air.density, world->air.pressure};
    h = pl__hash(h, air, sizeof air);
    for (size_t i = 0; i < world->objects.count; ++i)
    {
        h = pl__hash(h, world->objects.name[i], strlen(world->objects.name[i]));
        h = pl__shape_hash(h, world->objects.shape[i]);
    }
    for (size_t i = 0; i < world->pair_friction.count; ++i)
    {
        const pl__pair_friction *r = &world->pair_friction.pair[i];
        int32_t pair[3] = {place_of_slot(world, r->body), r->object, place_of_slot(world, r->other)};
        if (pl__pair_friction_is_alive(world, r))
            h = pl__hash(h, pair, sizeof pair);
    }
    // the bodies that are there, whatever came and went in between
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
    {
        const pl__body *body = world->bodies.slot[i].body;
        if (!body)
            continue;
        h = pl__hash(h, world->bodies.slot[i].name, strlen(world->bodies.slot[i].name));
        h = hash_slot(h, &world->bodies.slot[i]);
    }
    return h;
}

// Pins that are in no group.
static size_t plain_pins(const pl__body *body)
{
    size_t count = 0;
    for (int32_t k = 0; k < body->pins.count; ++k)
        count += body->pins.pin[k].group < 0;
    return count;
}

// Of where an interval began, and of how many pairs of triangles cross there as far as is known; with so many nodes of
// bodies.
static size_t meet_bytes(const pl_world *world, int32_t node_count)
{
    size_t nodes = world->collision.clash
                       ? (size_t)(world->collision.clash->node_count - world->solids.node_count + node_count)
                       : 0;
    return world->collision.clash ? sizeof(meet_state) + 9 * nodes * sizeof(double) : 0;
}

static size_t topology_bytes(const pl__slot *slot)
{
    return sizeof(topology_state) + (size_t)pl__split_list(slot->fracture->split, NULL) * sizeof(int32_t[2]);
}

// Whether a slot has a section of its own for how it is torn.
static bool has_topology(const pl__slot *slot) { return slot->body && slot->fracture; }

// Positions, velocities, what has flowed, temperatures.
static size_t numbers_of_body(const pl__body *body)
{
    return 6 * (size_t)body->node_count + pl__body_plastic_length(body) + (body->heat ? (size_t)body->node_count : 0);
}

static size_t body_bytes(const pl__body *body, size_t pin_count)
{
    return sizeof(body_state) + pin_count * sizeof(pin_state) + numbers_of_body(body) * sizeof(double);
}

static size_t rubs_bytes(const pl_world *world)
{
    size_t count = 0;
    for (size_t i = 0; i < world->pair_friction.count; ++i)
        count += pl__pair_friction_is_alive(world, &world->pair_friction.pair[i]);
    return count * sizeof(double);
}

static size_t grabs_held(const pl_world *world)
{
    size_t count = 0;
    for (int32_t i = 0; i < PL__GRABS; ++i)
        count += world->grabs.grab[i].id != 0;
    return count;
}

size_t pl_world_save_size(const pl_world *world)
{
    if (!world)
        return 0;
    size_t size = sizeof(header) + 3 * sizeof(section) + sizeof(world_state) +
                  world->materials.count * sizeof(material_state) + world->objects.count * sizeof(object_state);
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        size += sizeof(section) + body_bytes(world->bodies.body[i], plain_pins(world->bodies.body[i]));
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (has_topology(&world->bodies.slot[i]))
            size += sizeof(section) + topology_bytes(&world->bodies.slot[i]);
    if (world->collision.clash)
        size += sizeof(section) + meet_bytes(world, world->solids.node_count);
    if (world->pair_friction.count)
        size += sizeof(section) + rubs_bytes(world);
    if (grabs_held(world))
        size += sizeof(section) + grabs_held(world) * sizeof(grab_state);
    return size + sizeof(section) + pl__events_room(world) * sizeof(touching_state);
}

// ---- writing ---------------------------------------------------------------------------------------------------

static char *put(char *to, const void *from, size_t size)
{
    if (size)
        memcpy(to, from, size);
    return to + size;
}

static char *put_section(char *to, const char *tag, uint32_t version, size_t bytes)
{
    section s = {.version = version, .bytes = bytes};
    memcpy(s.tag, tag, 4);
    return put(to, &s, sizeof s);
}

static char *put_body(char *to, const pl_world *world, const pl__body *body)
{
    size_t at = 3 * (size_t)body->first_node, bytes = 3 * (size_t)body->node_count * sizeof(double);
    body_state s = {.strength = body->state.strength,
                    .pressure = body->state.pressure,
                    .toughness = body->state.toughness,
                    .rest_time = body->state.rest_time,
                    .waited = body->state.untangled_time,
                    .relief = body->state.recovery_factor,
                    .still_time = body->state.still_time,
                    .asleep = body->state.asleep,
                    .suspended = body->state.self_contact_off,
                    .stuck = body->state.stuck,
                    .relaxed = (uint64_t)body->state.recovery_level,
                    .put = body->state.placed,
                    .loaded = body->state.loaded,
                    .pin_count = plain_pins(body)};
    to = put_section(to, "BODY", 7, body_bytes(body, s.pin_count));
    to = put(to, &s, sizeof s);
    for (int32_t k = 0; k < body->pins.count; ++k)
    {
        if (body->pins.pin[k].group >= 0)
            continue;
        pin_state pin = {.node = (uint64_t)body->pins.pin[k].node};
        memcpy(pin.target, body->pins.pin[k].target, sizeof pin.target);
        to = put(to, &pin, sizeof pin);
    }
    to = put(to, &world->solids.state.x[at], bytes);
    to = put(to, &world->solids.state.v[at], bytes);
    pl__body_get_plastic(body, to);
    to += pl__body_plastic_length(body) * sizeof(double);
    return body->heat ? put(to, body->heat->temperature, (size_t)body->node_count * sizeof(double)) : to;
}

static char *put_topology(char *to, const pl__slot *slot)
{
    const pl__split *split = slot->fracture->split;
    topology_state t = {split->node_count, pl__split_list(split, NULL)};
    to = put(put_section(to, "TOPO", 1, topology_bytes(slot)), &t, sizeof t);
    for (int32_t c = 0; c < pl__element_forms[split->kind].corners * split->element_count; ++c)
        if (split->corner[c] != split->source[c])
            to = put(to, (int32_t[2]){c, split->corner[c]}, sizeof(int32_t[2]));
    return to;
}

static char *put_rubs(char *to, const pl_world *world)
{
    to = put_section(to, "RUBS", 1, rubs_bytes(world));
    for (size_t i = 0; i < world->pair_friction.count; ++i)
        if (pl__pair_friction_is_alive(world, &world->pair_friction.pair[i]))
            to = put(to, &world->pair_friction.pair[i].friction, sizeof world->pair_friction.pair[i].friction);
    return to;
}

// Between intervals the next one will begin where everything is; of objects nothing is known yet.
static char *put_meeting(char *to, const pl_world *world)
{
    const pl__clash *clash = world->collision.clash;
    meet_state m = {.crossings = clash->crossings,
                    .since = clash->since,
                    .ahead = clash->ahead,
                    .slack = clash->slack,
                    .proved = clash->proved};
    size_t numbers = 3 * (size_t)clash->node_count, bytes = numbers * sizeof(double);
    to = put(put_section(to, "MEET", 3, meet_bytes(world, world->solids.node_count)), &m, sizeof m);
    to = put(put(to, clash->x_listed, bytes), clash->v_listed, bytes);
    if (world->state.pending.interval > 0)
        return put(to, clash->x_start, bytes);
    memset(to, 0, bytes);
    (void)put(to, world->solids.state.x, 3 * (size_t)world->solids.node_count * sizeof(double));
    return to + bytes;
}

// The other way round.
static int32_t slot_of_place(const pl_world *world, int32_t place)
{
    return place < 0 ? -1 : pl_world_body_at(world, place).index - 1;
}

static char *put_touching(char *to, const pl_world *world)
{
    size_t room = pl__events_room(world);
    to = put_section(to, "TOUC", 1, room * sizeof(touching_state));
    for (size_t i = 0; i < room; ++i)
    {
        touching_state s = {0};
        if (i < world->contacts.count)
        {
            const pl__contact_record *t = &world->contacts.record[i];
            s = (touching_state){.used = 1,
                                 .body = place_of_slot(world, t->slot),
                                 .object = t->object,
                                 .other = place_of_slot(world, t->other),
                                 .before = t->before,
                                 .now = t->now,
                                 .impulse = t->impulse,
                                 .strongest = t->strongest};
            memcpy(s.point, t->point, sizeof s.point);
            memcpy(s.normal, t->normal, sizeof s.normal);
        }
        to = put(to, &s, sizeof s);
    }
    return to;
}

static char *put_grabs(char *to, const pl_world *world)
{
    if (grabs_held(world))
        to = put_section(to, "GRAB", 1, grabs_held(world) * sizeof(grab_state));
    for (int32_t i = 0; i < PL__GRABS; ++i)
    {
        const pl__grab *g = &world->grabs.grab[i];
        grab_state s = {.id = g->id, .count = g->count, .stiffness = g->stiffness};
        if (!g->id)
            continue;
        while (world->bodies.body[s.body] != g->body)
            s.body++;
        memcpy(s.node, g->node, (size_t)g->count * sizeof *g->node);
        memcpy(s.lead, g->lead, sizeof s.lead);
        memcpy(s.at, g->at, sizeof s.at);
        memcpy(s.target, g->target, sizeof s.target);
        to = put(to, &s, sizeof s);
    }
    return to;
}

static char *put_sections(char *to, const pl_world *world)
{
    world_state w = {.time = world->state.time,
                     .step_count = world->state.step_count,
                     .pending_dt = world->state.pending.dt,
                     .pending_end = world->state.pending.end,
                     .pending_remaining = world->state.pending.remaining,
                     .pending_loaded = world->state.pending.loaded,
                     .interval = world->state.pending.interval,
                     .interval_dt = world->state.pending.interval_dt,
                     .friction_work = world->state.pending.friction_work,
                     .plastic_due = world->solids.state.plastic_due,
                     .plastic_dt = world->solids.state.plastic_dt,
                     .since_fracture_check = world->state.since_fracture_check,
                     .torn = world->state.pending.torn};
    memcpy(w.gravity, world->state.gravity, sizeof w.gravity);
    memcpy(w.wind, world->state.wind, sizeof w.wind);
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (has_topology(&world->bodies.slot[i]))
            to = put_topology(to, &world->bodies.slot[i]);
    to = put(put_section(to, "WRLD", 6, sizeof w), &w, sizeof w);
    to = put_section(to, "MATE", 2, world->materials.count * sizeof(material_state));
    for (size_t i = 0; i < world->materials.count; ++i)
    {
        const pl_material_def *m = &world->materials.def[i];
        to = put(to, &(material_state){m->young, m->poisson, m->damping, m->activation}, sizeof(material_state));
    }
    to = put_section(to, "OBJE", 2, world->objects.count * sizeof(object_state));
    for (size_t i = 0; i < world->objects.count; ++i)
    {
        object_state o = {.friction = world->objects.object[i].friction, .has_target = world->objects.aim[i]};
        memcpy(o.at, world->objects.object[i].at, sizeof o.at);
        memcpy(o.velocity, world->objects.object[i].velocity, sizeof o.velocity);
        memcpy(o.turned, &world->objects.object[i].turned, sizeof o.turned);
        memcpy(o.angular, world->objects.object[i].angular, sizeof o.angular);
        memcpy(o.target, world->objects.target[i], sizeof o.target);
        to = put(to, &o, sizeof o);
    }
    if (world->pair_friction.count)
        to = put_rubs(to, world);
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        to = put_body(to, world, world->bodies.body[i]);
    if (world->collision.clash)
        to = put_meeting(to, world);
    return put_grabs(put_touching(to, world), world);
}

pl_status pl_world_save(const pl_world *world, void *buffer, size_t size)
{
    if (!world)
        return PL_ERR_ARGUMENT;
    size_t needed = pl_world_save_size(world);
    PL_CHECK(world->ctx, size >= needed, "pl_world_save: the buffer holds %zu bytes but %zu are needed", size, needed);
    header h = {.magic = "PLSN",
                .version = FORMAT_VERSION,
                .bytes = needed,
                .fingerprint = fingerprint(world),
                .script = script(world)};
    char *body = (char *)buffer + sizeof h;
    (void)put_sections(body, world);
    h.checksum = pl__hash(0, body, needed - sizeof h);
    memcpy(buffer, &h, sizeof h);
    return PL_OK;
}

// ---- reading ---------------------------------------------------------------------------------------------------

// `body` are those that the snapshot is of: the world's, or made anew to take their place.
typedef struct
{
    pl_context *ctx;
    const char *at, *end;
    pl__body **body;          // [body_count of the world]
    int32_t node_count;       // of all of them
    pl__rebuilt_body *remade; // [remade_count]
    size_t remade_count;
} reader;

static pl_status get(reader *r, void *to, size_t size)
{
    if ((size_t)(r->end - r->at) < size)
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: %zu bytes are missing", size - (size_t)(r->end - r->at));
    if (size)
        memcpy(to, r->at, size);
    r->at += size;
    return PL_OK;
}

static pl_status get_section(reader *r, const char *tag, uint32_t version, size_t *bytes)
{
    section s;
    PL_TRY(get(r, &s, sizeof s));
    if (memcmp(s.tag, tag, 4) != 0 || s.version != version || s.bytes > (size_t)(r->end - r->at))
        return pl__fail(r->ctx, PL_ERR_FORMAT,
                        "snapshot: section %s version %u was expected, \"%.4s\" version %u of %llu bytes is there", tag,
                        version, s.tag, s.version, (unsigned long long)s.bytes);
    *bytes = s.bytes;
    return PL_OK;
}

static pl_status check_header(const pl_world *world, const void *buffer, size_t size, bool same_script)
{
    header h;
    if (size < sizeof h)
        return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: %zu bytes are too few", size);
    memcpy(&h, buffer, sizeof h);
    if (memcmp(h.magic, "PLSN", 4) != 0 || h.version != FORMAT_VERSION)
        return pl__fail(world->ctx, PL_ERR_FORMAT,
                        "snapshot: not one of this library's, or of version %u where %d is known", h.version,
                        FORMAT_VERSION);
    if (h.bytes > size || h.bytes < sizeof h)
        return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: %zu bytes given, %llu written", size,
                        (unsigned long long)h.bytes);
    if (h.checksum != pl__hash(0, (const char *)buffer + sizeof h, h.bytes - sizeof h))
        return pl__fail(world->ctx, PL_ERR_FORMAT, "snapshot: damaged, its checksum does not fit");
    if (h.fingerprint != fingerprint(world) || (same_script && h.script != script(world)))
        return pl__fail(world->ctx, PL_ERR_STATE, "snapshot: of another scene, or of other bodies than are there now");
    return PL_OK;
}

static bool all_finite(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        double value;
        memcpy(&value, bytes + i * sizeof value, sizeof value);
        if (!isfinite(value))
            return false;
    }
    return true;
}

// Pins of no group: in order of their nodes, each once.
static pl_status get_pins(reader *r, pl__body *body, uint64_t count, bool apply)
{
    uint64_t last = 0;
    for (uint64_t k = 0; k < count; ++k)
    {
        pin_state pin;
        PL_TRY(get(r, &pin, sizeof pin));
        bool good = pin.node < (uint64_t)body->node_count && (k == 0 || pin.node > last) &&
                    all_finite((const char *)pin.target, 3);
        if (!good || pl__pin_groups_contain(body, (int32_t)pin.node))
            return pl__fail(r->ctx, PL_ERR_FORMAT,
                            "snapshot: pin %llu holds node %llu of %d, out of order or where it cannot be",
                            (unsigned long long)k, (unsigned long long)pin.node, body->node_count);
        last = pin.node;
        if (!apply)
            continue;
        body->pins.pin[k] = (pl__pin){.node = (int32_t)pin.node, .group = -1};
        memcpy(body->pins.pin[k].target, pin.target, sizeof pin.target);
    }
    return PL_OK;
}

static void apply_body(pl__body *body, const body_state *s)
{
    body->pins.count = (int32_t)s->pin_count;
    body->pins.changed = true;
    pl__pin_groups_release(body);
    body->state.strength = s->strength;
    body->state.pressure = s->pressure;
    body->state.toughness = s->toughness;
    body->state.rest_time = s->rest_time;
    body->state.untangled_time = s->waited;
    body->state.stuck = s->stuck != 0;
    body->state.recovery_level = (int32_t)s->relaxed;
    body->state.recovery_factor = s->relief;
    body->state.placed = s->put != 0;
    body->state.loaded = s->loaded != 0;
    body->state.still_time = s->still_time;
    body->state.asleep = s->asleep != 0;
    body->state.self_contact_off = s->suspended != 0;
    body->derived.figures_current = body->derived.sums_current = false;
}

static pl_status get_body(reader *r, pl_world *world, pl__body *body, bool apply)
{
    size_t bytes, at = 3 * (size_t)body->first_node, vector = 3 * (size_t)body->node_count * sizeof(double);
    body_state s;
    PL_TRY(get_section(r, "BODY", 7, &bytes));
    PL_TRY(get(r, &s, sizeof s));
    if (s.pin_count > (uint64_t)body->pins.capacity || s.asleep > 1 || s.stuck > 1 || s.relaxed > PL_MATERIAL_RELAXED ||
        s.put > 1 || s.loaded > 1 || !(s.waited >= 0) || !(s.relief > 0 && s.relief <= 1) || s.suspended > 1 ||
        !(s.still_time >= 0) || bytes != body_bytes(body, s.pin_count) || !(s.strength >= 0 && s.strength <= 1e6) ||
        !(fabs(s.pressure) <= 1e9) || !(s.toughness >= 1e-6 && s.toughness <= 1e9))
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: a body's section has %zu bytes, %llu pins and strength %g",
                        bytes, (unsigned long long)s.pin_count, s.strength);
    PL_TRY(get_pins(r, body, s.pin_count, apply));
    const char *flow = r->at + 2 * vector;
    if (!all_finite(r->at, numbers_of_body(body)))
        return pl__fail(r->ctx, PL_ERR_FORMAT,
                        "snapshot: a position, velocity, plastic deformation or temperature is not finite");
    if (!pl__body_plastic_is_sound(body, flow))
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: a plastic deformation is inverted");
    if (apply)
    {
        apply_body(body, &s);
        memcpy(&world->solids.state.x[at], r->at, vector);
        memcpy(&world->solids.state.v[at], r->at + vector, vector);
        pl__body_put_plastic(body, flow);
    }
    if (apply && body->heat)
    {
        memcpy(body->heat->temperature, flow + pl__body_plastic_length(body) * sizeof(double),
               (size_t)body->node_count * sizeof(double));
        pl__heat_notice(body->heat);
    }
    r->at += numbers_of_body(body) * sizeof(double);
    return PL_OK;
}

static pl_status get_materials(reader *r, pl_world *world, bool apply)
{
    size_t bytes;
    PL_TRY(get_section(r, "MATE", 2, &bytes));
    if (bytes != world->materials.count * sizeof(material_state))
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: the section of materials has %zu bytes", bytes);
    for (size_t i = 0; i < world->materials.count; ++i)
    {
        material_state m;
        PL_TRY(get(r, &m, sizeof m));
        pl_material_def def = world->materials.def[i];
        def.young = m.young;
        def.poisson = m.poisson;
        def.damping = m.damping;
        def.activation = m.activation;
        if (pl__material_check(r->ctx, &def, world->materials.name[i]) != PL_OK)
            return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: material %s has numbers out of range",
                            world->materials.name[i]);
        if (apply)
            world->materials.def[i] = def;
    }
    return PL_OK;
}

static void apply_object(pl_world *world, size_t i, const object_state *o)
{
    pl__object *object = &world->objects.object[i];
    memcpy(object->at, o->at, sizeof o->at);
    memcpy(object->velocity, o->velocity, sizeof o->velocity);
    memcpy(object->angular, o->angular, sizeof o->angular);
    pl__object_turn(object, (pl_quat){o->turned[0], {o->turned[1], o->turned[2], o->turned[3]}});
    memcpy(world->objects.target[i], o->target, sizeof o->target);
    object->friction = o->friction;
    world->objects.aim[i] = (uint8_t)o->has_target;
}

static pl_status get_objects(reader *r, pl_world *world, bool apply)
{
    size_t bytes;
    PL_TRY(get_section(r, "OBJE", 2, &bytes));
    if (bytes != world->objects.count * sizeof(object_state))
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: the section of objects has %zu bytes", bytes);
    for (size_t i = 0; i < world->objects.count; ++i)
    {
        object_state o;
        const char *numbers = r->at;
        PL_TRY(get(r, &o, sizeof o));
        if (o.has_target > PL__AIM_TAKEN || !all_finite(numbers, offsetof(object_state, has_target) / sizeof(double)) ||
            o.friction < 0)
            return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: object %zu has numbers out of range", i);
        if (apply)
            apply_object(world, i, &o);
    }
    return PL_OK;
}

static pl_status get_rubs(reader *r, pl_world *world, bool apply)
{
    size_t bytes;
    PL_TRY(get_section(r, "RUBS", 1, &bytes));
    if (bytes != rubs_bytes(world))
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: the section of friction of pairs has %zu bytes", bytes);
    for (size_t i = 0; i < world->pair_friction.count; ++i)
    {
        double friction;
        if (!pl__pair_friction_is_alive(world, &world->pair_friction.pair[i]))
            continue;
        PL_TRY(get(r, &friction, sizeof friction));
        if (!(friction >= 0 && friction <= 1e6))
            return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: the friction %g of a pair is out of range", friction);
        if (apply)
            world->pair_friction.pair[i].friction = friction;
    }
    if (apply)
        pl__friction_spread(world);
    return PL_OK;
}

static pl_status get_meeting(reader *r, pl_world *world, bool apply)
{
    size_t bytes;
    meet_state m;
    PL_TRY(get_section(r, "MEET", 3, &bytes));
    PL_TRY(get(r, &m, sizeof m));
    size_t left = bytes - sizeof m;
    bool sound = m.crossings >= -1 && m.since >= 0 && m.since <= 1e6 && m.ahead >= 0 && m.ahead <= 1e6 && m.slack > 0 &&
                 m.slack <= 1e9;
    if (bytes != meet_bytes(world, r->node_count) || !sound || !all_finite(r->at, left / sizeof(double)))
        return pl__fail(r->ctx, PL_ERR_FORMAT,
                        "snapshot: the section of bodies that meet has %zu bytes, or numbers out of range", bytes);
    if (apply)
    {
        pl__clash *clash = world->collision.clash;
        memcpy(clash->x_listed, r->at, left / 3);
        memcpy(clash->v_listed, r->at + left / 3, left / 3);
        memcpy(clash->x_start, r->at + left / 3 * 2, left / 3);
        clash->crossings = m.crossings;
        clash->since = m.since;
        clash->ahead = m.ahead;
        clash->slack = m.slack;
        clash->proved = m.proved != 0;
        world->collision.report = (pl__clash_report){.crossings = m.crossings > 0 ? m.crossings : 0};
    }
    r->at += left;
    return PL_OK;
}

static bool touching_is_sound(const pl_world *world, const touching_state *s)
{
    bool object = s->object >= 0 && (size_t)s->object < world->objects.count && s->other == -1;
    bool other = s->object == -1 && s->other >= s->body && s->other < world->solids.body_count;
    double numbers[] = {s->point[0],  s->point[1],  s->point[2], s->normal[0],
                        s->normal[1], s->normal[2], s->impulse,  s->strongest};
    return s->used == 1 && s->body >= 0 && s->body < world->solids.body_count && (object || other) && s->before <= 1 &&
           s->now <= 1 && all_finite((const char *)numbers, sizeof numbers / sizeof numbers[0]);
}

static bool touching_follows(const touching_state *last, const touching_state *s)
{
    if (last->body != s->body)
        return last->body < s->body;
    if (last->object < 0 || s->object < 0)
        return s->object < 0 && (last->object >= 0 || last->other < s->other);
    return last->object < s->object;
}

static pl_status get_touching(reader *r, pl_world *world, bool apply)
{
    size_t bytes;
    touching_state s, last = {0};
    PL_TRY(get_section(r, "TOUC", 1, &bytes));
    size_t room = bytes / sizeof s, count = 0;
    if (!PL_GROW(world->ctx, world->contacts.record, &world->contacts.capacity, room))
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < room; ++i)
    {
        PL_TRY(get(r, &s, sizeof s));
        if (s.used == 0)
            continue;
        if (!touching_is_sound(world, &s) || count != i || (i > 0 && !touching_follows(&last, &s)))
            return pl__fail(
                r->ctx, PL_ERR_FORMAT,
                "snapshot: contact %zu is of body %d with object %d or body %d, out of range or out of order", i,
                s.body, s.object, s.other);
        last = s;
        count++;
        if (!apply)
            continue;
        pl__contact_record t = {.slot = slot_of_place(world, s.body),
                                .object = s.object,
                                .other = slot_of_place(world, s.other),
                                .before = s.before != 0,
                                .now = s.now != 0,
                                .impulse = s.impulse,
                                .strongest = s.strongest};
        memcpy(t.point, s.point, sizeof t.point);
        memcpy(t.normal, s.normal, sizeof t.normal);
        world->contacts.record[i] = t;
    }
    if (apply)
        world->contacts.count = count;
    return PL_OK;
}

static bool grab_is_sound(const reader *r, const pl_world *world, const grab_state *s)
{
    if (s->id < 1 || s->body < 0 || s->body >= world->solids.body_count || s->count < 1 || s->count > PL__GRAB_NODES)
        return false;
    const pl__body *body = r->body[s->body];
    for (int32_t i = 0; i < s->count; ++i)
        if (s->node[i] < 0 || s->node[i] >= body->node_count || !(body->mass[s->node[i]] > 0))
            return false;
    return s->stiffness > 0 && all_finite((const char *)&s->stiffness, 1) && all_finite((const char *)s->lead, 3) &&
           all_finite((const char *)s->at, 3) && all_finite((const char *)s->target, 3);
}

static void apply_grab(pl_world *world, int32_t place, const grab_state *s)
{
    pl__grab grab = {.id = s->id, .body = world->bodies.body[s->body], .count = s->count, .stiffness = s->stiffness};
    memcpy(grab.node, s->node, sizeof grab.node);
    memcpy(grab.lead, s->lead, sizeof grab.lead);
    memcpy(grab.at, s->at, sizeof grab.at);
    memcpy(grab.target, s->target, sizeof grab.target);
    pl__grab_install(world, place, &grab);
}

static pl_status get_grabs(reader *r, pl_world *world, bool apply)
{
    size_t bytes = 0;
    if (apply)
        pl__grabs_forget(world, NULL);
    if (r->at == r->end)
        return PL_OK;
    PL_TRY(get_section(r, "GRAB", 1, &bytes));
    if (bytes % sizeof(grab_state) != 0 || bytes / sizeof(grab_state) > PL__GRABS)
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: the section of grabs has %zu bytes", bytes);
    for (size_t i = 0; i < bytes / sizeof(grab_state); ++i)
    {
        grab_state s;
        PL_TRY(get(r, &s, sizeof s));
        if (!grab_is_sound(r, world, &s))
            return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: grab %zu is of body %d, %d nodes and stiffness %g", i,
                            s.body, s.count, s.stiffness);
        if (apply)
            apply_grab(world, (int32_t)i, &s);
    }
    return PL_OK;
}

// Twice over the same bytes: first to check all of them, then to apply them, so that a bad snapshot changes nothing.
static pl_status get_sections(reader *r, pl_world *world, bool apply)
{
    size_t bytes;
    world_state w;
    PL_TRY(get_section(r, "WRLD", 6, &bytes));
    PL_TRY(get(r, &w, sizeof w));
    double numbers[] = {w.time,     w.gravity[0],  w.gravity[1],    w.gravity[2],  w.wind[0],
                        w.wind[1],  w.wind[2],     w.pending_dt,    w.pending_end, w.pending_remaining,
                        w.interval, w.interval_dt, w.friction_work, w.plastic_dt,  w.since_fracture_check};
    if (!all_finite((const char *)numbers, sizeof numbers / sizeof numbers[0]) || w.pending_remaining < 0 ||
        w.interval < 0 || w.interval_dt < w.interval || w.plastic_dt < 0 || w.since_fracture_check < 0)
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: a time, gravity or wind is not finite");
    PL_TRY(get_materials(r, world, apply));
    PL_TRY(get_objects(r, world, apply));
    if (world->pair_friction.count)
        PL_TRY(get_rubs(r, world, apply));
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        PL_TRY(get_body(r, world, r->body[i], apply));
    if (world->collision.clash)
        PL_TRY(get_meeting(r, world, apply));
    PL_TRY(get_touching(r, world, apply));
    PL_TRY(get_grabs(r, world, apply));
    if (!apply)
        return PL_OK;
    world->state.time = w.time;
    world->state.step_count = w.step_count;
    memcpy(world->state.gravity, w.gravity, sizeof w.gravity);
    memcpy(world->state.wind, w.wind, sizeof w.wind);
    world->solids.state.plastic_due = w.plastic_due != 0;
    world->solids.state.plastic_dt = w.plastic_dt;
    world->state.since_fracture_check = w.since_fracture_check;
    world->state.pending = (pl__pending){w.pending_dt, w.pending_end, w.pending_remaining, w.pending_loaded != 0,
                                         w.interval,   w.interval_dt, w.friction_work,     w.torn};
    for (int32_t i = 0; i < world->solids.body_count; ++i)
        pl__body_set_materials(world->bodies.body[i], world->materials.def);
    pl__keyframes_apply(world);
    return PL_OK;
}

// ---- bodies that were torn otherwise ---------------------------------------------------------------------------

static bool is_torn_so(const pl__split *split, const topology_state *t, const char *list)
{
    int64_t at = 0;
    if (t->node_count != split->node_count)
        return false;
    for (int64_t c = 0; c < (int64_t)pl__element_forms[split->kind].corners * split->element_count; ++c)
    {
        int32_t entry[2];
        if (split->corner[c] == split->source[c])
            continue;
        if (at == t->corner_count)
            return false;
        memcpy(entry, list + (size_t)at++ * sizeof entry, sizeof entry);
        if (entry[0] != c || entry[1] != split->corner[c])
            return false;
    }
    return at == t->corner_count;
}

// The body of a slot torn as a list says, with what tears it.
static pl_status remake_slot(pl_world *world, size_t slot, const int32_t (*list)[2], const topology_state *t,
                             pl__rebuilt_body *out)
{
    pl__fracture *fracture = NULL;
    PL_TRY(pl__fracture_create(world->bodies.slot[slot].kept->def.mesh, &world->bodies.slot[slot].fracture->settings,
                               &fracture));
    pl_status status = pl__split_restore(fracture->split, list, (int32_t)t->corner_count, (int32_t)t->node_count);
    if (status == PL_OK)
        status = pl__world_fracture_remake(world, slot, fracture->split, out);
    if (status == PL_OK)
        out->fracture = fracture;
    else
        pl__fracture_destroy(&fracture);
    return status;
}

static pl_status get_topology(reader *r, pl_world *world, size_t slot)
{
    size_t bytes;
    topology_state t;
    PL_TRY(get_section(r, "TOPO", 1, &bytes));
    PL_TRY(get(r, &t, sizeof t));
    bool good = bytes >= sizeof t && t.node_count > 0 && t.node_count < INT32_MAX && t.corner_count >= 0 &&
                t.corner_count < INT32_MAX;
    if (!good || bytes - sizeof t != (size_t)t.corner_count * sizeof(int32_t[2]))
        return pl__fail(r->ctx, PL_ERR_FORMAT, "snapshot: the section of torn elements has %zu bytes for %lld corners",
                        bytes, (long long)t.corner_count);
    const char *bytes_of_list = r->at;
    r->at += bytes - sizeof t;
    if (is_torn_so(world->bodies.slot[slot].fracture->split, &t, bytes_of_list))
        return PL_OK;
    int32_t(*list)[2] = pl__alloc(r->ctx, bytes - sizeof t);
    if (!list)
        return PL_ERR_MEMORY;
    memcpy(list, bytes_of_list, bytes - sizeof t);
    pl_status status = remake_slot(world, slot, (const int32_t(*)[2])list, &t, &r->remade[r->remade_count]);
    r->remade_count += status == PL_OK;
    pl__free(r->ctx, list, bytes - sizeof t);
    return status;
}

static pl_status get_topologies(reader *r, pl_world *world)
{
    for (size_t i = 0; i < world->bodies.slot_count; ++i)
        if (has_topology(&world->bodies.slot[i]))
            PL_TRY(get_topology(r, world, i));
    return PL_OK;
}

// The bodies that the snapshot is of.
static void list_bodies(reader *r, const pl_world *world)
{
    r->node_count = 0;
    for (int32_t i = 0; i < world->solids.body_count; ++i)
    {
        r->body[i] = world->bodies.body[i];
        for (size_t k = 0; k < r->remade_count; ++k)
            if (world->bodies.slot[r->remade[k].slot].body == world->bodies.body[i])
                r->body[i] = r->remade[k].body;
        r->node_count += r->body[i]->node_count;
    }
}

// Check everything, then let bodies made anew take their places, then take over the state.
static pl_status read_all(reader *r, pl_world *world)
{
    PL_TRY(get_topologies(r, world));
    const char *begin = r->at;
    list_bodies(r, world);
    PL_TRY(get_sections(r, world, false));
    if (r->remade_count)
        PL_TRY(pl__world_fracture_adopt(world, r->remade, r->remade_count));
    for (size_t i = 0; i < r->remade_count; ++i)
        pl__grabs_forget(world, r->remade[i].body);
    r->at = begin;
    memcpy(r->body, world->bodies.body, (size_t)world->solids.body_count * sizeof *r->body);
    return get_sections(r, world, true);
}

static pl_status load(pl_world *world, const void *buffer, size_t size, bool same_script)
{
    PL_TRY(check_header(world, buffer, size, same_script));
    header h;
    memcpy(&h, buffer, sizeof h);
    const char *begin = (const char *)buffer + sizeof h, *end = (const char *)buffer + h.bytes;
    int32_t bodies = world->solids.body_count;
    size_t slots = world->bodies.slot_count;
    reader r = {.ctx = world->ctx,
                .at = begin,
                .end = end,
                .body = PL_NEW(world->ctx, bodies, pl__body *),
                .remade = PL_NEW(world->ctx, slots, pl__rebuilt_body)};
    uint64_t host = pl__fp_enter();
    pl_status status = r.body && r.remade ? read_all(&r, world) : PL_ERR_MEMORY;
    pl__fp_leave(host);
    pl__world_fracture_forget(world, r.remade, r.remade_count);
    PL_DELETE(world->ctx, r.body, bodies);
    PL_DELETE(world->ctx, r.remade, slots);
    PL_TRY(status);
    pl__actors_place(world);
    pl__collision_resume(world);
    world->solids.evaluation.fresh = 0;
    memset(world->solids.contacts.count, 0, (size_t)world->solids.node_count);
    memset(world->solids.contacts.footing, 0, (size_t)world->solids.node_count);
    return PL_OK;
}

pl_status pl_world_load(pl_world *world, const void *buffer, size_t size)
{
    return world ? load(world, buffer, size, true) : PL_ERR_ARGUMENT;
}

pl_status pl_world_load_branch(pl_world *world, const void *buffer, size_t size)
{
    return world ? load(world, buffer, size, false) : PL_ERR_ARGUMENT;
}
