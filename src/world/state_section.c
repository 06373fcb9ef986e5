// src/world/state_section.c -- section WRLD: time, gravity, wind and the step in progress.
#include "world.h"
#include "base/hash.h"

#include <string.h>

typedef struct
{
    double time;
    uint64_t step_count;
    double gravity[3], wind[3];
    double pending_dt, pending_end, pending_remaining, interval, interval_dt, friction_work, plastic_dt,
        since_fracture_check;
    uint64_t pending_loaded, plastic_due;
    int64_t torn;
} record;

static size_t state_bytes(const void *user)
{
    (void)user;
    return sizeof(record);
}

static void write_state(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    const pl__pending *pending = &world->state.pending;
    record r = {.time = world->state.time,
                .step_count = world->state.step_count,
                .pending_dt = pending->dt,
                .pending_end = pending->end,
                .pending_remaining = pending->remaining,
                .pending_loaded = pending->loaded,
                .interval = pending->interval,
                .interval_dt = pending->interval_dt,
                .friction_work = pending->friction_work,
                .plastic_due = world->solids.state.plastic_due,
                .plastic_dt = world->solids.state.plastic_dt,
                .since_fracture_check = world->state.since_fracture_check,
                .torn = pending->torn};
    memcpy(r.gravity, world->state.gravity, sizeof r.gravity);
    memcpy(r.wind, world->state.wind, sizeof r.wind);
    pl__section_put(to, &r, sizeof r);
}

static bool is_sound(const record *r)
{
    size_t first = offsetof(record, gravity), numbers = (offsetof(record, pending_loaded) - first) / sizeof(double);
    return pl__all_finite(&r->time, 1) && pl__all_finite((const char *)r + first, numbers) &&
           r->pending_remaining >= 0 && r->interval >= 0 && r->interval_dt >= r->interval && r->plastic_dt >= 0 &&
           r->since_fracture_check >= 0;
}

static void apply_state(pl_world *world, const record *r)
{
    world->state.time = r->time;
    world->state.step_count = r->step_count;
    memcpy(world->state.gravity, r->gravity, sizeof r->gravity);
    memcpy(world->state.wind, r->wind, sizeof r->wind);
    world->solids.state.plastic_due = r->plastic_due != 0;
    world->solids.state.plastic_dt = r->plastic_dt;
    world->state.since_fracture_check = r->since_fracture_check;
    world->state.pending = (pl__pending){.dt = r->pending_dt,
                                         .end = r->pending_end,
                                         .remaining = r->pending_remaining,
                                         .loaded = r->pending_loaded != 0,
                                         .interval = r->interval,
                                         .interval_dt = r->interval_dt,
                                         .friction_work = r->friction_work,
                                         .torn = r->torn};
}

static pl_status read_state(void *user, pl__section_reader *from, bool apply)
{
    record r;
    PL_TRY(pl__section_get(from, &r, sizeof r));
    if (!is_sound(&r))
        return pl__section_fail(from, "a time, gravity or wind is not finite, or negative");
    if (apply)
        apply_state(user, &r);
    return PL_OK;
}

static uint64_t hash_air(const void *user, uint64_t h)
{
    const pl_world *world = user;
    double air[2] = {world->air.density, world->air.pressure};
    return pl__hash(h, air, sizeof air);
}

const pl__section_type pl__state_section = {.tag = "WRLD",
                                            .version = 6,
                                            .oldest = 6,
                                            .bytes = state_bytes,
                                            .write = write_state,
                                            .read = read_state,
                                            .fingerprint = hash_air};
