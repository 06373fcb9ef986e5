// src/world/events.c -- contact events: pairs in contact, with impulse, point and normal.
//
// A sorted list of touching pairs. Every substep adds contacts with objects (solid/object_contact.h), every collision
// response those between bodies (contact/clash.h). A pair touches in a step if it touches in any part of it. Begin and
// end events are differences between two complete steps. So they do not depend on the division into substeps or on
// snapshots within a step, and a body that bounces within a step causes no series of events.
#include "world.h"
#include "base/cpu.h"

#include <math.h>
#include <string.h>

enum
{
    RECORDS = 256,       // records reserved if no more pairs are possible
    RECORDS_PER_BODY = 4 // otherwise, in addition
};

static const double no_impulse = -1e300;

// ---- the list --------------------------------------------------------------------------------------------------

static bool is_before(const pl__contact_record *a, int32_t slot, int32_t object, int32_t other)
{
    if (a->slot != slot)
        return a->slot < slot;
    if ((a->object < 0) != (object < 0))
        return object < 0;
    return object >= 0 ? a->object < object : a->other < other;
}

// Index of a pair in the sorted list, or where to insert it.
static size_t find_place(const pl_world *world, int32_t slot, int32_t object, int32_t other)
{
    size_t low = 0, high = world->contacts.count;
    while (low < high)
    {
        size_t middle = (low + high) / 2;
        if (is_before(&world->contacts.record[middle], slot, object, other))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const pl_world *world, size_t at, int32_t slot, int32_t object, int32_t other)
{
    const pl__contact_record *t = &world->contacts.record[at];
    return at < world->contacts.count && t->slot == slot && t->object == object && t->other == other;
}

// Find or insert the record of a pair; NULL without memory.
static pl__contact_record *find_or_insert(pl_world *world, int32_t slot, int32_t object, int32_t other)
{
    size_t at = world->contacts.last;
    if (is_at(world, at, slot, object, other))
        return &world->contacts.record[at];
    at = find_place(world, slot, object, other);
    if (!is_at(world, at, slot, object, other))
    {
        if (!PL_GROW(world->ctx, world->contacts.record, &world->contacts.capacity, world->contacts.count + 1))
            return NULL;
        memmove(&world->contacts.record[at + 1], &world->contacts.record[at],
                (world->contacts.count++ - at) * sizeof *world->contacts.record);
        world->contacts.record[at] =
            (pl__contact_record){.slot = slot, .object = object, .other = other, .strongest = no_impulse};
    }
    world->contacts.last = at;
    return &world->contacts.record[at];
}

// Remove all records for which `keep` is false.
static void keep_records(pl_world *world, bool (*keep)(const pl__contact_record *t, int32_t slot), int32_t slot)
{
    size_t kept = 0;
    for (size_t i = 0; i < world->contacts.count; ++i)
        if (keep(&world->contacts.record[i], slot))
            world->contacts.record[kept++] = world->contacts.record[i];
    world->contacts.count = kept;
}

static bool is_touching(const pl__contact_record *t, int32_t slot)
{
    (void)slot;
    return t->before || t->now;
}

static bool is_not_of_slot(const pl__contact_record *t, int32_t slot) { return t->slot != slot && t->other != slot; }

void pl__events_forget(pl_world *world, int32_t slot) { keep_records(world, is_not_of_slot, slot); }

// Sleeping bodies do not move, nor do the objects below them: their contacts persist.
static bool is_asleep(const pl_world *world, const pl__contact_record *t)
{
    return world->bodies.slot[t->slot].body->state.asleep &&
           (t->other < 0 || world->bodies.slot[t->other].body->state.asleep);
}

void pl__events_begin(pl_world *world, bool dropped)
{
    for (size_t i = 0; i < world->contacts.count; ++i)
    {
        pl__contact_record *t = &world->contacts.record[i];
        if (!dropped)
        {
            t->before = t->now;
            t->now = t->now && is_asleep(world, t);
        }
        t->impulse = 0;
        t->strongest = no_impulse;
    }
    keep_records(world, is_touching, 0);
}

// Number of pairs that can touch at all.
static size_t possible_pairs(const pl_world *world)
{
    size_t parts = world->collision.clash ? (size_t)world->collision.clash->surfaces->part_count : 0;
    return (size_t)world->solids.body_count * world->objects.count + parts * (parts + 1) / 2;
}

size_t pl__events_room(const pl_world *world)
{
    size_t all = possible_pairs(world), some = RECORDS + RECORDS_PER_BODY * (size_t)world->solids.body_count;
    if (all <= some)
        return all;
    while (some < world->contacts.count)
        some *= 2;
    return some;
}

pl_status pl__events_reserve(pl_world *world)
{
    return PL_GROW(world->ctx, world->contacts.record, &world->contacts.capacity, pl__events_room(world))
               ? PL_OK
               : PL_ERR_MEMORY;
}

// ---- recording -------------------------------------------------------------------------------------------------

static void add_impulse(pl__contact_record *t, double impulse, const double point[3], const double normal[3],
                        double sign)
{
    t->now = true;
    t->impulse += impulse;
    if (impulse <= t->strongest)
        return;
    t->strongest = impulse;
    for (int i = 0; i < 3; ++i)
    {
        t->point[i] = point[i];
        t->normal[i] = sign * normal[i];
    }
}

static pl_status record_node(pl_world *world, int32_t slot, int32_t n)
{
    const pl__node_contacts *c = &world->solids.contacts.node[n];
    for (int32_t k = 0; k < world->solids.contacts.count[n]; ++k)
    {
        pl__contact_record *t = find_or_insert(world, slot, c->object[k], -1);
        if (!t)
            return PL_ERR_MEMORY;
        add_impulse(t, c->pressed[k], &world->solids.state.x[3 * (size_t)n], c->normal[k], 1);
    }
    world->state.pending.friction_work += c->friction_work;
    return PL_OK;
}

pl_status pl__events_note_objects(pl_world *world)
{
    for (size_t slot = 0; slot < world->bodies.slot_count; ++slot)
    {
        const pl__body *body = world->bodies.slot[slot].body;
        for (int32_t n = 0; body && !body->state.asleep && n < body->node_count; ++n)
            if (world->solids.contacts.count[body->first_node + n])
                PL_TRY(record_node(world, (int32_t)slot, body->first_node + n));
    }
    return PL_OK;
}

// Numbers of the two members of a surface pair: slots of bodies, and behind those, objects that collide by surface.
static void slots_of(const pl__clash *clash, const pl__contact *k, int32_t slot[2])
{
    const pl__surfaces *s = clash->surfaces;
    slot[0] = s->body[s->vertex_part[s->node_vertex[k->node[0]]]];
    slot[1] = s->body[s->vertex_part[s->node_vertex[k->node[3]]]];
}

// Contact point on the first member (side 1) or the second (-1).
static void point_of(const double *x, const pl__contact *k, double side, double point[3])
{
    point[0] = point[1] = point[2] = 0;
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0; side * k->weight[i] > 0 && d < 3; ++d)
            point[d] += side * k->weight[i] * x[3 * (size_t)k->node[i] + d];
}

static pl_status record_pair(pl_world *world, const pl__contact *k, double impulse)
{
    int32_t slot[2];
    slots_of(world->collision.clash, k, slot);
    bool turned = slot[1] < slot[0];
    int32_t other = slot[!turned], object = other - (int32_t)world->bodies.slot_count;
    pl__contact_record *t =
        object < 0 ? find_or_insert(world, slot[turned], -1, other) : find_or_insert(world, slot[turned], object, -1);
    if (!t)
        return PL_ERR_MEMORY;
    double point[3] = {0, 0, 0}, sign = turned ? -1 : 1;
    if (impulse > t->strongest)
        point_of(world->solids.state.x, k, sign, point);
    add_impulse(t, impulse, point, k->normal, sign);
    return PL_OK;
}

// Candidate pairs nearer than their thickness touch, with or without an impulse.
pl_status pl__events_note_watched(pl_world *world)
{
    const pl__watch *watch = &world->collision.clash->watch;
    for (int32_t i = 0; i < watch->pressed_count; ++i)
        if (watch->pressed[i].impulse > 0)
            PL_TRY(record_pair(world, &watch->pressed[i].contact, watch->pressed[i].impulse));
    for (int32_t i = 0; i < watch->active_count; ++i)
    {
        const pl__watched *item = &watch->item[watch->active[i]];
        if (item->impulse > 0 || pl__watched_is_near(item))
            PL_TRY(record_pair(world, &item->contact, item->impulse));
    }
    return PL_OK;
}

pl_status pl__events_note_meeting(pl_world *world)
{
    const pl__clash *clash = world->collision.clash;
    for (int32_t i = 0; i < clash->pairs->contact_count; ++i)
        PL_TRY(record_pair(world, &clash->pairs->contact[i], clash->pressed[i]));
    for (int32_t i = 0; i < clash->strike_count; ++i)
        PL_TRY(record_pair(world, &clash->strike[i].contact, clash->strike[i].impulse));
    for (int32_t i = 0; i < clash->zones.strike_count; ++i)
        PL_TRY(record_pair(world, &clash->zones.strike[i].contact, clash->zones.strike[i].impulse));
    return PL_OK;
}

// ---- queries ---------------------------------------------------------------------------------------------------

static pl_contact make_contact(const pl__contact_record *t)
{
    pl_contact contact = {
        .body = {t->slot + 1}, .object = {t->object + 1}, .other = {t->other + 1}, .impulse = t->impulse};
    memcpy(contact.point, t->point, sizeof contact.point);
    memcpy(contact.normal, t->normal, sizeof contact.normal);
    return contact;
}

int32_t pl_world_events(const pl_world *world, pl_event *events, int32_t capacity)
{
    if (!world)
        return 0;
    int32_t count = 0;
    for (size_t i = 0; world->state.pending.remaining <= 0 && i < world->contacts.count; ++i)
    {
        const pl__contact_record *t = &world->contacts.record[i];
        if (t->before == t->now)
            continue;
        if (count < capacity)
            events[count] = (pl_event){t->now ? PL_EVENT_BEGIN : PL_EVENT_END, make_contact(t)};
        count++;
    }
    return count;
}

int32_t pl_world_contacts(const pl_world *world, pl_contact *contacts, int32_t capacity)
{
    if (!world)
        return 0;
    int32_t count = 0;
    for (size_t i = 0; i < world->contacts.count; ++i)
    {
        if (world->contacts.record[i].now && count < capacity)
            contacts[count] = make_contact(&world->contacts.record[i]);
        count += world->contacts.record[i].now;
    }
    return count;
}

// ---- contact points --------------------------------------------------------------------------------------------

typedef struct
{
    pl_contact_point *point;
    int32_t capacity, count;
} points;

static void add_point(points *p, const pl_contact_point *point)
{
    if (p->count < p->capacity)
        p->point[p->count] = *point;
    p->count++;
}

// Contact tolerance: a share of the bounding box of a body [m].
static double tolerance_of(const pl_world *world, const pl__body *body)
{
    double size2 = 0;
    for (size_t i = 0; i < 3; ++i)
    {
        double lower = INFINITY, upper = -INFINITY;
        for (int32_t n = body->first_node; n < body->first_node + body->node_count; ++n)
        {
            lower = fmin(lower, world->solids.state.x[3 * (size_t)n + i]);
            upper = fmax(upper, world->solids.state.x[3 * (size_t)n + i]);
        }
        size2 += (upper - lower) * (upper - lower);
    }
    return 1e-5 * sqrt(size2);
}

static bool is_in_box(const pl__object *object, const double x[3], double margin)
{
    for (int i = 0; i < 3; ++i)
        if (x[i] < object->lower[i] - margin || x[i] > object->upper[i] + margin)
            return false;
    return true;
}

static void list_nodes(const pl_world *world, size_t slot, size_t k, double tolerance, points *p)
{
    const pl__body *body = world->bodies.slot[slot].body;
    for (int32_t n = body->first_node; n < body->first_node + body->node_count; ++n)
    {
        pl_contact_point point = {.body = {(int32_t)slot + 1}, .object = {(int32_t)k + 1}};
        const double *x = &world->solids.state.x[3 * (size_t)n];
        if (!is_in_box(&world->objects.object[k], x, tolerance))
            continue;
        point.distance = pl__object_distance(&world->objects.object[k], x, point.normal);
        memcpy(point.point, x, sizeof point.point);
        if (point.distance <= tolerance)
            add_point(p, &point);
    }
}

static void list_pair(const pl_world *world, const pl__contact *k, points *p)
{
    int32_t slot[2];
    slots_of(world->collision.clash, k, slot);
    bool turned = slot[1] < slot[0];
    int32_t object = slot[!turned] - (int32_t)world->bodies.slot_count;
    pl_contact_point point = {.body = {slot[turned] + 1}, .distance = k->distance};
    if (object < 0)
        point.other.index = slot[!turned] + 1;
    else
        point.object.index = object + 1;
    point_of(world->collision.clash->x_end, k, turned ? -1 : 1, point.point);
    for (int i = 0; i < 3; ++i)
        point.normal[i] = turned ? -k->normal[i] : k->normal[i];
    add_point(p, &point);
}

static pl_status list_points(pl_world *world, points *p)
{
    for (size_t k = 0; k < world->objects.count; ++k)
        pl__object_place(&world->objects.object[k]);
    for (size_t slot = 0; slot < world->bodies.slot_count; ++slot)
    {
        double tolerance = world->bodies.slot[slot].body ? tolerance_of(world, world->bodies.slot[slot].body) : 0;
        for (size_t k = 0; world->bodies.slot[slot].body && k < world->objects.count; ++k)
            list_nodes(world, slot, k, tolerance, p);
    }
    if (!world->collision.clash)
        return PL_OK;
    memcpy(world->collision.clash->x_end, world->solids.state.x, 3 * (size_t)world->solids.node_count * sizeof(double));
    pl__obstacles_write(world, &world->collision.clash->x_end[3 * (size_t)world->solids.node_count]);
    PL_TRY(pl__clash_near(world->collision.clash, world->collision.clash->x_end));
    for (int32_t i = 0; i < world->collision.clash->pairs->contact_count; ++i)
        list_pair(world, &world->collision.clash->pairs->contact[i], p);
    return PL_OK;
}

pl_status pl_world_contact_points(pl_world *world, pl_contact_point *list, int32_t capacity, int32_t *count)
{
    if (!world || !count)
        return PL_ERR_ARGUMENT;
    points p = {.point = list, .capacity = capacity};
    uint64_t host = pl__fp_enter();
    pl_status status = list_points(world, &p);
    pl__fp_leave(host);
    *count = p.count;
    return status;
}

// ---- section TOUC: contact records -----------------------------------------------------------------------------
//
// Padded, so that the length of snapshots seldom changes. Bodies by index (pl__body_place).

typedef struct
{
    int32_t used, body, object, other; // object and other -1: none
    uint32_t before, now;
    double point[3], normal[3], impulse, strongest;
} record;

static size_t contacts_bytes(const void *user) { return pl__events_room(user) * sizeof(record); }

static void write_contacts(const void *user, pl__section_writer *to)
{
    const pl_world *world = user;
    for (size_t i = 0; i < world->contacts.count; ++i)
    {
        const pl__contact_record *t = &world->contacts.record[i];
        record r = {.used = 1,
                    .body = pl__body_place(world, t->slot),
                    .object = t->object,
                    .other = pl__body_place(world, t->other),
                    .before = t->before,
                    .now = t->now,
                    .impulse = t->impulse,
                    .strongest = t->strongest};
        memcpy(r.point, t->point, sizeof r.point);
        memcpy(r.normal, t->normal, sizeof r.normal);
        pl__section_put(to, &r, sizeof r);
    }
    (void)pl__section_room(to, (pl__events_room(world) - world->contacts.count) * sizeof(record));
}

static bool is_sound(const pl_world *world, const record *r)
{
    bool object = r->object >= 0 && (size_t)r->object < world->objects.count && r->other == -1;
    int32_t count = pl__world_loaded_count(world);
    bool other = r->object == -1 && r->other >= r->body && r->other < count;
    size_t numbers = (sizeof *r - offsetof(record, point)) / sizeof(double);
    return r->used == 1 && r->body >= 0 && r->body < count && (object || other) && r->before <= 1 && r->now <= 1 &&
           pl__all_finite(r->point, numbers);
}

static bool follows(const record *last, const record *r)
{
    if (last->body != r->body)
        return last->body < r->body;
    if (last->object < 0 || r->object < 0)
        return r->object < 0 && (last->object >= 0 || last->other < r->other);
    return last->object < r->object;
}

static void apply_contact(pl_world *world, size_t i, const record *r)
{
    pl__contact_record t = {.slot = pl__body_slot(world, r->body),
                            .object = r->object,
                            .other = pl__body_slot(world, r->other),
                            .before = r->before != 0,
                            .now = r->now != 0,
                            .impulse = r->impulse,
                            .strongest = r->strongest};
    memcpy(t.point, r->point, sizeof t.point);
    memcpy(t.normal, r->normal, sizeof t.normal);
    world->contacts.record[i] = t;
}

static pl_status read_contacts(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    record r, last = {0};
    size_t room = pl__section_left(from) / sizeof r, count = 0;
    if (!PL_GROW(world->ctx, world->contacts.record, &world->contacts.capacity, room))
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < room; ++i)
    {
        PL_TRY(pl__section_get(from, &r, sizeof r));
        if (r.used == 0)
            continue;
        if (!is_sound(world, &r) || count != i || (i > 0 && !follows(&last, &r)))
            return pl__section_fail(from,
                                    "contact %zu is of body %d with object %d or body %d, out of range or out of order",
                                    i, r.body, r.object, r.other);
        last = r;
        count++;
        if (apply)
            apply_contact(world, i, &r);
    }
    if (apply)
        world->contacts.count = count;
    return PL_OK;
}

const pl__section_type pl__contacts_section = {
    .tag = "TOUC", .version = 1, .oldest = 1, .bytes = contacts_bytes, .write = write_contacts, .read = read_contacts};
