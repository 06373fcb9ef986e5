// src/world/node_gaps.c -- detection of objects that slip between the nodes of a body.
//
// Contact by distance stops nodes only: an object smaller than the elements can enter a body without touching a node,
// and one that moves by more than its thickness in a substep can jump over nodes. Both cause a warning, once. An object
// whose interior point is inside a body has penetrated it, whichever nodes it missed, by at least the depth of that
// point. The interior point is the deepest point of a grid over the bounding box of a shape; deforming objects have
// none (actors.c).
#include "node_gaps.h"
#include "mesh/winding.h"
#include "contact/tolerances.h"

#include <math.h>
#include <string.h>

enum
{
    SAMPLES = 9 // along each side of the box; odd, so that the center of a symmetric shape is one of them
};

static const double full_solid_angle = 12.566370614359172; // 4 pi

// ---- interior points -------------------------------------------------------------------------------------------

static bool is_bounded(const double lower[3], const double upper[3])
{
    for (int i = 0; i < 3; ++i)
        if (!(upper[i] - lower[i] < PL__UNBOUNDED))
            return false;
    return true;
}

static void find_interior_point(const pl__shape *shape, pl__middle *out)
{
    double lower[3], upper[3], normal[3];
    *out = (pl__middle){0};
    pl__shape_bounds(shape, lower, upper);
    if (!is_bounded(lower, upper))
        return;
    for (int n = 0; n < SAMPLES * SAMPLES * SAMPLES; ++n)
    {
        int step[3] = {n % SAMPLES, n / SAMPLES % SAMPLES, n / (SAMPLES * SAMPLES)};
        double p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = lower[i] + (upper[i] - lower[i]) * step[i] / (SAMPLES - 1);
        double depth = -pl__shape_distance(shape, p, normal);
        if (depth > out->depth)
        {
            out->depth = depth;
            memcpy(out->point, p, sizeof p);
        }
    }
    // the middle one of three extents: an object fits between nodes if two extents are smaller than the gap
    double e[3] = {upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]};
    out->across = fmax(fmin(e[0], e[1]), fmin(fmax(e[0], e[1]), e[2]));
}

pl_status pl__node_gaps_create(pl_world *world)
{
    world->objects.middle = PL_NEW(world->ctx, world->objects.count, pl__middle);
    if (!world->objects.middle)
        return PL_ERR_MEMORY;
    for (size_t k = 0; k < world->objects.count; ++k)
        if (!world->objects.object[k].actor)
            find_interior_point(world->objects.shape[k], &world->objects.middle[k]);
    return PL_OK;
}

// ---- warnings --------------------------------------------------------------------------------------------------

void pl__node_gaps_warn(const pl_world *world)
{
    for (size_t k = 0; k < world->objects.count; ++k)
        for (size_t i = 0; i < world->bodies.slot_count; ++i)
        {
            const pl__slot *slot = &world->bodies.slot[i];
            const pl__middle *m = &world->objects.middle[k];
            double edge = slot->body ? pl__slot_edge(slot) : 0;
            if (!slot->body || slot->body->planar || !(m->depth > 0) || m->across >= PL__NODE_GAP * edge)
                continue;
            pl__log(world->ctx, PL_LOG_WARNING,
                    "objects.%s is %.3g m across, and edges of bodies.%s are %.3g m long: it can pass between nodes "
                    "unnoticed; give it `contact` surface, or the body smaller elements",
                    world->objects.name[k], m->across, slot->name, edge);
            break;
        }
}

void pl__node_gaps_watch(pl_world *world, double dt)
{
    for (size_t k = 0; !world->warned.fast && k < world->objects.count; ++k)
    {
        const pl__object *o = &world->objects.object[k];
        double d[3] = {o->at[0] - o->before[0], o->at[1] - o->before[1], o->at[2] - o->before[2]};
        double moved = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), thickness = 2 * world->objects.middle[k].depth;
        if (o->absent || !(thickness > 0) || moved <= thickness)
            continue;
        world->warned.fast = true;
        pl__log(world->ctx, PL_LOG_WARNING,
                "objects.%s moves %.3g m in a substep of %.3g s and is %.3g m thick: it can leap over what it should "
                "meet; give it `contact` surface, or a smaller solver.substep",
                world->objects.name[k], moved, dt, thickness);
    }
}

// ---- inside a body ---------------------------------------------------------------------------------------------

static void to_world(const pl__object *object, const double local[3], double at[3])
{
    pl_vec3 turned = pl_quat_turn(object->turned, (pl_vec3){{local[0], local[1], local[2]}});
    for (int i = 0; i < 3; ++i)
        at[i] = object->at[i] + turned.v[i];
}

static void compute_bounds(const pl_world *world, const pl__body *body, double lower[3], double upper[3])
{
    for (int i = 0; i < 3; ++i)
        lower[i] = INFINITY, upper[i] = -INFINITY;
    for (size_t n = (size_t)body->first_node; n < (size_t)(body->first_node + body->node_count); ++n)
        for (size_t i = 0; i < 3; ++i)
        {
            lower[i] = fmin(lower[i], world->solids.state.x[3 * n + i]);
            upper[i] = fmax(upper[i], world->solids.state.x[3 * n + i]);
        }
}

static bool is_inside(const pl_world *world, const pl__body *body, const double at[3])
{
    double sum = 0;
    for (size_t t = 0; t < (size_t)body->surface.triangle_count; ++t)
    {
        double corner[3][3];
        for (size_t k = 0; k < 9; ++k)
        {
            size_t node = (size_t)(body->first_node + body->surface.node[body->surface.triangle[3 * t + k / 3]]);
            corner[k / 3][k % 3] = world->solids.state.x[3 * node + k % 3] - at[k % 3];
        }
        sum += pl__solid_angle(corner[0], corner[1], corner[2]);
    }
    return sum > PL__WINDING_INSIDE * full_solid_angle;
}

double pl__node_gaps_depth(const pl_world *world, const pl__body *body)
{
    double lower[3], upper[3], most = 0;
    if (body->shell || body->planar || world->objects.count == 0)
        return 0;
    compute_bounds(world, body, lower, upper);
    for (size_t k = 0; k < world->objects.count; ++k)
    {
        const pl__object *object = &world->objects.object[k];
        double at[3];
        bool own = object->own_end > 0 && object->own_begin == body->first_node,
             within = world->objects.middle[k].depth > most && !own;
        to_world(object, world->objects.middle[k].point, at);
        for (int i = 0; i < 3; ++i)
            within &= at[i] > lower[i] && at[i] < upper[i];
        if (within && is_inside(world, body, at))
            most = world->objects.middle[k].depth;
    }
    return most;
}
