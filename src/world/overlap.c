// src/world/overlap.c -- warnings of intersecting bodies and objects, at the start of a world and in steps.
//
// One warning per world: the first pair by name, and the number of intersecting pairs of triangles elsewhere. Triangles
// that only touch do not count (contact/crossings.h), nor does self-intersection of a body that starts inverted: its
// self-collision is off until it has recovered. A body completely inside a solid intersects nothing and would stay
// there for ever; it is detected by the winding number of the solid around one of its nodes. Inside a shell is allowed:
// a balloon with contents.
#include "world.h"
#include "mesh/winding.h"
#include "contact/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double full_solid_angle = 12.566370614359172; // 4 pi

// Path of a body or object as in scenes; bodies are numbered by slot, objects behind them.
static void name_of(const pl_world *world, int32_t number, char *words, size_t size)
{
    bool body = (size_t)number < world->bodies.slot_count;
    snprintf(words, size, "%s.%s", body ? "bodies" : "objects",
             body ? world->bodies.slot[number].name : world->objects.name[(size_t)number - world->bodies.slot_count]);
}

static int32_t number_of(const pl__surfaces *s, int32_t triangle)
{
    return s->body[s->vertex_part[s->node_vertex[s->triangle[3 * (size_t)triangle]]]];
}

// An intersecting pair, the lower number first, with its count of triangle pairs, and the count of all others.
typedef struct
{
    int32_t a, b;
    long long count, others;
} intersection;

static bool is_inverted(const pl_world *world, int32_t number)
{
    const pl__body *body = (size_t)number < world->bodies.slot_count ? world->bodies.slot[number].body : NULL;
    return body && pl__collision_is_inverted(body);
}

// The first pair of the list; `at_start`: figures of the bodies are available.
static intersection first_intersection(const pl_world *world, const pl__crossing_list *list, bool at_start)
{
    intersection t = {0};
    for (int32_t i = 0; i < list->count; ++i)
    {
        const pl__crossing *c = &list->crossing[i];
        int32_t p = number_of(list->tree->surfaces, c->triangle[0]),
                q = number_of(list->tree->surfaces, c->triangle[1]), low = p < q ? p : q, high = p < q ? q : p;
        if (!c->passes || (at_start && p == q && is_inverted(world, p)))
            continue;
        if (t.count == 0)
            t.a = low, t.b = high;
        bool same = t.a == low && t.b == high;
        t.count += same;
        t.others += !same;
    }
    return t;
}

// Advice for the user.
static const char *remedy(const pl_world *world, const intersection *t)
{
    if (t->a == t->b)
        return "give it another shape or start, or `self_collision` false where that is wanted";
    if ((size_t)t->b >= world->bodies.slot_count)
        return "move one of them, or give the object the contact `distance`";
    return "move one of them, or give one `collides` false where that is wanted";
}

static void warn_of_intersection(pl_world *world, const intersection *t, bool at_start)
{
    char a[PL_NAME_BYTES + 16], b[PL_NAME_BYTES + 16], cross[2 * PL_NAME_BYTES + 64], others[64] = "";
    world->warned.tangled = true;
    name_of(world, t->a, a, sizeof a);
    name_of(world, t->b, b, sizeof b);
    if (t->a == t->b)
        snprintf(cross, sizeof cross, "%s crosses itself", a);
    else
        snprintf(cross, sizeof cross, "%s and %s cross", a, b);
    if (t->others > 0)
        snprintf(others, sizeof others, ", and others at %lld", t->others);
    if (at_start)
        pl__log(world->ctx, PL_LOG_WARNING,
                "%s at %lld pairs of triangles at the start%s, and will be pulled apart: %s", cross, t->count, others,
                remedy(world, t));
    else
        pl__log(world->ctx, PL_LOG_WARNING, "%s at %lld pairs of triangles%s; they are pulled apart", cross, t->count,
                others);
}

void pl__overlap_warn(pl_world *world)
{
    if (world->warned.tangled || world->collision.clash->untangle.tangled_count == 0)
        return;
    intersection t = first_intersection(world, &world->collision.clash->untangle.list, false);
    warn_of_intersection(world, &t, false);
}

// ---- containment -----------------------------------------------------------------------------------------------

typedef struct
{
    double lower[3], upper[3];
} box;

static box box_of(const pl__surfaces *s, int32_t part, const double *x)
{
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t k = 3 * s->triangle_start[part]; k < 3 * s->triangle_start[part + 1]; ++k)
        for (size_t i = 0; i < 3; ++i)
        {
            double value = x[3 * (size_t)s->triangle[k] + i];
            b.lower[i] = fmin(b.lower[i], value);
            b.upper[i] = fmax(b.upper[i], value);
        }
    return b;
}

static bool is_within(const box *inner, const box *outer)
{
    for (int i = 0; i < 3; ++i)
        if (!(inner->lower[i] > outer->lower[i] && inner->upper[i] < outer->upper[i]))
            return false;
    return true;
}

static bool contains_node(const pl__surfaces *s, int32_t part, const double *x, int32_t node)
{
    double sum = 0;
    for (int32_t t = s->triangle_start[part]; t < s->triangle_start[part + 1]; ++t)
    {
        double corner[3][3];
        for (size_t k = 0; k < 9; ++k)
            corner[k / 3][k % 3] =
                x[3 * (size_t)s->triangle[3 * (size_t)t + k / 3] + k % 3] - x[3 * (size_t)node + k % 3];
        sum += pl__solid_angle(corner[0], corner[1], corner[2]);
    }
    return sum > PL__WINDING_INSIDE * full_solid_angle;
}

static bool is_solid(const pl_world *world, int32_t number)
{
    return (size_t)number < world->bodies.slot_count && world->bodies.slot[number].collision.shell == 0;
}

static bool is_inside(const pl_world *world, const box *bound, int32_t inner, int32_t outer)
{
    const pl__surfaces *s = world->collision.clash->surfaces;
    const double *x = world->collision.clash->x_end;
    return inner != outer && is_solid(world, s->body[outer]) && pl__parts_collide(s, inner, outer) &&
           is_within(&bound[inner], &bound[outer]) &&
           contains_node(s, outer, x, s->triangle[3 * (size_t)s->triangle_start[inner]]);
}

static void warn_of_containment(pl_world *world, int32_t inner, int32_t outer)
{
    char a[PL_NAME_BYTES + 16], b[PL_NAME_BYTES + 16];
    name_of(world, world->collision.clash->surfaces->body[inner], a, sizeof a);
    name_of(world, world->collision.clash->surfaces->body[outer], b, sizeof b);
    pl__log(
        world->ctx, PL_LOG_WARNING,
        "%s starts inside %s and cannot come out: move one of them, or give one `collides` false where that is wanted",
        a, b);
}

static pl_status check_containment(pl_world *world)
{
    const pl__surfaces *s = world->collision.clash->surfaces;
    int32_t count = s->part_count;
    box *bound = PL_NEW(world->ctx, count, box);
    if (!bound)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < count; ++i)
        bound[i] = box_of(s, i, world->collision.clash->x_end);
    bool found = false;
    for (int32_t inner = 0; inner < count && !found; ++inner)
        for (int32_t outer = 0; outer < count && !found; ++outer)
        {
            found = is_inside(world, bound, inner, outer);
            if (found)
                warn_of_containment(world, inner, outer);
        }
    PL_DELETE(world->ctx, bound, count);
    return PL_OK;
}

// ---- start of a world ------------------------------------------------------------------------------------------

static bool any_crosses_itself(const pl__crossing_list *list)
{
    const pl__surfaces *s = list->tree->surfaces;
    for (int32_t i = 0; i < list->count; ++i)
        if (number_of(s, list->crossing[i].triangle[0]) == number_of(s, list->crossing[i].triangle[1]))
            return true;
    return false;
}

static pl_status check_start(pl_world *world, const pl__crossing_list *list)
{
    world->collision.report.crossings = list->count;
    if (any_crosses_itself(list))
    {
        pl__solids_evaluate(&world->solids, world->solids.state.x, PL__EVALUATE_PLASTIC_FLOW); // wind is not set yet
    }
    intersection t = first_intersection(world, list, true);
    if (t.count == 0)
        return check_containment(world);
    warn_of_intersection(world, &t, true);
    return PL_OK;
}

pl_status pl__overlap_report(pl_world *world)
{
    pl__crossing_list list;
    if (!world->collision.clash)
        return PL_OK;
    pl__collision_places(world, world->collision.clash->x_end);
    PL_TRY(pl__crossing_list_create(world->collision.clash->tree, &list));
    pl_status status = pl__crossing_list_find(&list, world->collision.clash->x_end);
    if (status == PL_OK)
        status = check_start(world, &list);
    pl__crossing_list_destroy(&list);
    return status;
}
