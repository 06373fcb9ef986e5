// src/world/liquid_objects.c -- copies of objects that a liquid leads along at its own pace.
#include "liquid_objects.h"
#include "actors.h"
#include "mesh/point.h"
#include "world.h"

#include <math.h>
#include <string.h>

enum
{
    POSE = 13 // numbers of an object that are saved: at, turned, velocity, angular
};

static const double most_number = 1e12; // of a snapshot: places, velocities
static const double least_step = 1e-12; // [s]

static size_t vertex_numbers(const pl__object *o) { return o->actor ? 3 * (size_t)o->actor->node_count : 0; }

// ---- copies ----------------------------------------------------------------------------------------------------

// As it is in the world, but for its own vertices. It is absent if its body has been removed.
static void copy(const pl_world *world, size_t k, pl__object *o)
{
    pl__actor *own = o->actor;
    int32_t slot = world->objects.slot[k];
    *o = world->objects.object[k];
    o->actor = own;
    o->absent = slot >= 0 && !world->bodies.slot[slot].body;
    o->placed = false;
}

static pl_status make_actor(pl_world *world, size_t k, pl__actor **actor)
{
    pl_surface *surface;
    const pl__object *there = &world->objects.object[k];
    PL_TRY(pl__actor_read(world, k, &surface));
    pl_status status = pl__actor_create(surface, there->actor->depth, actor);
    pl_surface_destroy(&surface);
    if (status == PL_OK)
        memcpy((*actor)->x, there->actor->x, 3 * (size_t)there->actor->node_count * sizeof *there->actor->x);
    return status;
}

// What a liquid probably does not make of it what is meant.
static void warn(const pl_world *world, size_t k, double size)
{
    const pl__object *o = &world->liquids.object[k];
    const pl_object_def *def = &world->objects.shape[k]->def;
    const char *name = world->objects.name[k];
    double across = fmax(fmax(o->upper[0] - o->lower[0], o->upper[1] - o->lower[1]), o->upper[2] - o->lower[2]);
    if (!o->absent && across < size)
        pl__log(world->ctx, PL_LOG_WARNING,
                "objects.%s: is %.3g m across, less than a cell of %g m (domain.size); the liquid may not feel it",
                name, across, size);
    if (o->actor && !o->actor->closed && def->depth == 0)
        pl__log(world->ctx, PL_LOG_WARNING,
                "objects.%s: its surface is open; for the liquid, %.3g m behind it are solid (`depth`): give that, or "
                "close the surface",
                name, o->actor->depth);
}

pl_status pl__liquid_objects_make(pl_world *world, double size)
{
    pl__world_liquids *w = &world->liquids;
    w->object_count = world->objects.count;
    w->object = PL_NEW(world->ctx, w->object_count + 1, pl__object);
    w->force = PL_NEW(world->ctx, w->object_count + 1, pl__wetted_force);
    if (!w->object || !w->force)
        return PL_ERR_MEMORY;
    for (size_t k = 0; k < w->object_count; ++k)
    {
        pl_object_kind kind = world->objects.shape[k]->def.kind;
        if (kind == PL_OBJECT_ACTOR || kind == PL_OBJECT_BODY)
            PL_TRY(make_actor(world, k, &w->object[k].actor));
        copy(world, k, &w->object[k]);
        memcpy(w->object[k].before, w->object[k].at, sizeof w->object[k].at); // it has not moved yet
        w->object[k].turned_before = w->object[k].turned;
        pl__object_place(&w->object[k]);
        warn(world, k, size);
    }
    w->loaded = PL_NEW(world->ctx, pl__liquid_objects_numbers(w) + 1, double);
    return w->loaded ? PL_OK : PL_ERR_MEMORY;
}

void pl__liquid_objects_done(pl_world *world)
{
    pl__world_liquids *w = &world->liquids;
    if (w->loaded)
        PL_DELETE(world->ctx, w->loaded, pl__liquid_objects_numbers(w) + 1);
    for (size_t k = 0; w->object && k < w->object_count; ++k)
        pl__actor_destroy(&w->object[k].actor);
    PL_DELETE(world->ctx, w->object, w->object_count + 1);
    PL_DELETE(world->ctx, w->force, w->object_count + 1);
}

// ---- motion ----------------------------------------------------------------------------------------------------

static void lead_vertices(pl__actor *a, const double *there, double part, double dt)
{
    size_t numbers = 3 * (size_t)a->node_count;
    memcpy(a->before, a->x, numbers * sizeof *a->x);
    for (size_t n = 0; n < numbers; ++n)
        a->x[n] = part < 1 ? a->x[n] + part * (there[n] - a->x[n]) : there[n];
    a->dt = dt;
}

static void lead_object(const pl_world *world, size_t k, double part, double dt, pl__object *o)
{
    const pl__object *there = &world->objects.object[k];
    pl_quat from = o->turned;
    double at[3];
    memcpy(at, o->at, sizeof at);
    pl_vec3 turn = pl_quat_to_vector(pl_quat_mul(there->turned, pl_quat_conjugate(from)));
    copy(world, k, o);
    o->turned_before = from;
    o->turned = pl_quat_mul(pl_quat_from_vector(pl_scale3(part, turn)), from);
    for (int i = 0; i < 3; ++i)
    {
        o->before[i] = at[i];
        o->at[i] = part < 1 ? at[i] + part * (there->at[i] - at[i]) : there->at[i];
        o->velocity[i] = (o->at[i] - at[i]) / dt;
        o->angular[i] = part * turn.v[i] / dt;
    }
    if (part == 1)
        o->turned = there->turned;
    if (o->actor && there->actor)
        lead_vertices(o->actor, there->actor->x, part, dt);
    pl__object_place(o);
}

void pl__liquid_objects_lead(pl_world *world, double part, double dt)
{
    for (size_t k = 0; k < world->liquids.object_count; ++k)
        lead_object(world, k, part, dt, &world->liquids.object[k]);
}

// From `at` to the farthest corner of the domain, at most as far as the object reaches.
static double farthest_point(const pl__columns *c, const pl__object *o)
{
    const int32_t n[3] = {c->nx, c->ny, c->nz};
    double sum = 0;
    for (int i = 0; i < 3; ++i)
    {
        double low = c->origin[i] - 0.5 * c->h - o->at[i], high = low + n[i] * c->h;
        double far = fmax(fabs(low), fabs(high));
        sum += far * far;
    }
    return fmin(sqrt(sum), o->radius);
}

static double way_of(const pl__columns *c, const pl__object *o, const pl__object *there)
{
    double most = 0;
    if (o->actor && there->actor)
    {
        for (size_t n = 0; n < vertex_numbers(o); n += 3)
            most = fmax(most, pl__distance_squared3(&o->actor->x[n], &there->actor->x[n]));
        return sqrt(most);
    }
    pl_vec3 turn = pl_quat_to_vector(pl_quat_mul(there->turned, pl_quat_conjugate(o->turned)));
    return sqrt(pl__distance_squared3(o->at, there->at)) + pl_length3(turn) * farthest_point(c, o);
}

static bool is_in_domain(const pl__columns *c, const pl__object *o)
{
    const int32_t n[3] = {c->nx, c->ny, c->nz};
    bool inside = !o->absent;
    for (int i = 0; i < 3; ++i)
        inside = inside && o->upper[i] >= c->origin[i] - c->h && o->lower[i] <= c->origin[i] + n[i] * c->h;
    return inside;
}

double pl__liquid_objects_way(const pl_world *world)
{
    const pl__world_liquids *w = &world->liquids;
    const pl__columns *c = &w->liquid->state.grid.cell;
    double most = 0;
    for (size_t k = 0; k < w->object_count; ++k)
        if (is_in_domain(c, &w->object[k]))
            most = fmax(most, way_of(c, &w->object[k], &world->objects.object[k]));
    return fmin(most / c->h, (double)c->nx + c->ny + c->nz); // what jumps is out of the domain at once
}

static void take_pose(pl__object *o, const double at[3], pl_quat turned)
{
    memmove(o->at, at, sizeof o->at);
    o->turned = turned;
    o->placed = false;
    pl__object_place(o);
}

void pl__liquid_objects_return(pl_world *world)
{
    for (size_t k = 0; k < world->liquids.object_count; ++k)
    {
        pl__object *o = &world->liquids.object[k];
        if (o->actor)
            pl__actor_return(o->actor);
        take_pose(o, o->before, o->turned_before);
    }
}

// ---- section ---------------------------------------------------------------------------------------------------

size_t pl__liquid_objects_numbers(const pl__world_liquids *w)
{
    size_t numbers = POSE * w->object_count;
    for (size_t k = 0; k < w->object_count; ++k)
        numbers += 2 * vertex_numbers(&w->object[k]) + (w->object[k].actor != NULL);
    return numbers;
}

void pl__liquid_objects_write(const pl__world_liquids *w, pl__section_writer *to)
{
    for (size_t k = 0; k < w->object_count; ++k)
    {
        const pl__object *o = &w->object[k];
        size_t bytes = vertex_numbers(o) * sizeof(double);
        pl__section_put(to, o->at, sizeof o->at);
        pl__section_put(to, &o->turned, sizeof o->turned);
        pl__section_put(to, o->velocity, sizeof o->velocity);
        pl__section_put(to, o->angular, sizeof o->angular);
        if (!o->actor)
            continue;
        pl__section_put(to, &o->actor->dt, sizeof o->actor->dt);
        pl__section_put(to, o->actor->x, bytes);
        pl__section_put(to, o->actor->before, bytes);
    }
}

static bool all_within(const double *v, size_t count, double most)
{
    for (size_t n = 0; n < count; ++n)
        if (!(v[n] >= -most && v[n] <= most))
            return false;
    return true;
}

bool pl__liquid_objects_check(const pl__world_liquids *w)
{
    const double *from = w->loaded;
    bool good = all_within(from, pl__liquid_objects_numbers(w), most_number);
    for (size_t k = 0; k < w->object_count && good; ++k)
    {
        const double *turned = from + 3;
        double length = turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2] + turned[3] * turned[3];
        from += POSE;
        good = fabs(length - 1) < 1e-6;
        if (w->object[k].actor)
        {
            good = good && (*from == 0 || (*from >= least_step && *from <= 1e6));
            from += 1 + 2 * vertex_numbers(&w->object[k]);
        }
    }
    return good;
}

void pl__liquid_objects_take(pl_world *world)
{
    pl__world_liquids *w = &world->liquids;
    const double *from = w->loaded;
    for (size_t k = 0; k < w->object_count; ++k)
    {
        pl__object *o = &w->object[k];
        const double *pose = from;
        from += POSE;
        copy(world, k, o);
        memcpy(o->velocity, pose + 7, sizeof o->velocity);
        memcpy(o->angular, pose + 10, sizeof o->angular);
        if (o->actor)
        {
            size_t numbers = vertex_numbers(o);
            o->actor->dt = *from++;
            memcpy(o->actor->x, from, numbers * sizeof *from);
            memcpy(o->actor->before, from + numbers, numbers * sizeof *from);
            from += 2 * numbers;
        }
        take_pose(o, pose, (pl_quat){pose[3], {pose[4], pose[5], pose[6]}});
    }
}
