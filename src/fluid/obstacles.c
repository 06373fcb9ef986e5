// src/fluid/obstacles.c -- balls that are free of obstacles, and ways through them.
//
// An exact distance d changes by at most as much as the point moves. So nothing changes within |d| of a point: the ball
// around it is free, or solid. Rows of a grid are skipped by such balls, and ways are traced by going from ball to ball
// (sphere tracing, Hart 1996). Distances that are not exact have smaller balls:
//
//     triangles on a lattice   |d| / sqrt(3): each difference of a trilinear function is one of the lattice, at most 1;
//                              beyond the lattice, where d may be too large, the distance to that
//     open actors              d - depth outside, as the inside ends `depth` behind them; 0 inside
//     parts on a lattice       0
//
// A way is looked at in steps of at least `step`, or grazing would take for ever. What is thinner than that may be
// jumped over: then the normal has turned. Where it turned from against the way to along it, that counts as a hit;
// elsewhere, as at the edges of a vessel, the step is looked at again in parts.
//
// A point meets a moving obstacle in the frame of that, in which it goes straight from where it was to where it is,
//
//     p(t) = (1 - t) R0^T (a - c0) + t R1^T (b - c1),     (c0, R0) -> (c1, R1) the motion of the obstacle.
//
// Both ends are exact; in between that is the true relative path but for (angle of the step)^2 / 8 of its length.
// Actors have no such frame: there a is moved along with what of the surface is nearest to it.
//
// What it does badly: a point in a corner between two obstacles that close on it ends on one of them, in the other.
#include "obstacles.h"
#include "mesh/point.h"

#include <string.h>

enum
{
    ROUNDS = 16 // of pushing and stopping, at most: a point may leave one obstacle for another
};

bool pl__obstacle_moves(const pl__object *o)
{
    bool moves = o->actor || o->scripted_at || o->scripted_turn;
    for (int i = 0; i < 3; ++i)
        moves = moves || o->velocity[i] != 0 || o->angular[i] != 0;
    return moves;
}

// ---- one of them -----------------------------------------------------------------------------------------------

// A point in the frame of an obstacle at the end of the step, or at its start, and back; of actors, as it is.
static void enter(const pl__object *o, bool start, const double x[3], double p[3])
{
    memcpy(p, x, 3 * sizeof *p);
    if (o->actor)
        return;
    const double *at = start ? o->before : o->at;
    pl_quat turned = start ? o->turned_before : o->turned;
    pl_vec3 r = pl_quat_turn(pl_quat_conjugate(turned), pl_make3(x[0] - at[0], x[1] - at[1], x[2] - at[2]));
    memcpy(p, r.v, sizeof r.v);
}

static void leave(const pl__object *o, const double p[3], double x[3])
{
    memcpy(x, p, 3 * sizeof *x);
    if (o->actor)
        return;
    pl_vec3 r = pl_quat_turn(o->turned, pl_make3(p[0], p[1], p[2]));
    for (int i = 0; i < 3; ++i)
        x[i] = o->at[i] + r.v[i];
}

static double distance(const pl__object *o, const double p[3], double n[3])
{
    return o->actor ? pl__actor_distance(o->actor, p, n) : pl__shape_distance(o->shape, p, n);
}

static bool has_lattice(const pl__shape *s)
{
    bool any = s->grid.value != NULL;
    for (int32_t i = 0; s->part && i < s->def.part_count; ++i)
        any = any || has_lattice(s->part[i].shape);
    return any;
}

static double beyond(const double p[3], const double lower[3], const double upper[3])
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
    {
        double far = pl__max(0, pl__max(lower[i] - p[i], p[i] - upper[i]));
        sum += far * far;
    }
    return sqrt(sum);
}

// The radius of a ball around p in which d - level keeps its sign.
static double ball(const pl__object *o, const double p[3], double d, double level)
{
    if (o->actor && !o->actor->closed)
        return d > 0 ? pl__max(0, d - o->actor->depth) : 0;
    if (o->actor || !has_lattice(o->shape))
        return fabs(d - level);
    const pl__distance_grid *g = &o->shape->grid;
    if (!g->value)
        return 0;
    double upper[3];
    for (int i = 0; i < 3; ++i)
        upper[i] = g->origin[i] + g->cell * (g->size[i] - 1);
    double far = beyond(p, g->origin, upper);
    return far > 0 ? far : fabs(d - level) / sqrt(3.0);
}

// How far a point is from its box.
static double gap(const pl__object *o, const double x[3])
{
    if (!o->actor && !o->placed)
        return 0;
    return beyond(x, o->lower, o->upper) - (o->actor && !o->actor->closed ? o->actor->depth : 0);
}

// ---- all of them -----------------------------------------------------------------------------------------------

void pl__obstacles_find(const pl__obstacles *obstacles, const double lower[3], const double upper[3], double band,
                        bool standing, pl__near_obstacles *near)
{
    near->object = obstacles->object;
    near->count = 0;
    near->all = false;
    near->standing = standing;
    near->band = band;
    near->distances = 0;
    double low[3], high[3];
    for (int i = 0; i < 3; ++i)
        low[i] = lower[i] - band, high[i] = upper[i] + band;
    for (int32_t n = 0; n < obstacles->count; ++n)
    {
        const pl__object *o = &obstacles->object[n];
        double margin = o->actor && !o->actor->closed ? o->actor->depth : 0;
        bool far = pl__object_is_far(o, low, high) || (standing && pl__obstacle_moves(o));
        for (int i = 0; i < 3 && (o->placed || o->actor); ++i)
            far = far || o->lower[i] - margin > high[i] || o->upper[i] + margin < low[i];
        if (far)
            continue;
        if (near->count == PL__OBSTACLES_LISTED)
        {
            near->all = true;
            near->count = obstacles->count;
            return;
        }
        near->index[near->count++] = n;
    }
}

// The n-th of those that are near, or NULL.
static const pl__object *listed(const pl__near_obstacles *near, int32_t n, int32_t *index)
{
    *index = near->all ? n : near->index[n];
    const pl__object *o = &near->object[*index];
    return o->absent || (near->standing && pl__obstacle_moves(o)) ? NULL : o;
}

pl__look pl__obstacles_look(pl__near_obstacles *near, const double x[3], double level)
{
    pl__look look = {INFINITY, 0, -1, false};
    double free = INFINITY, solid = 0;
    for (int32_t n = 0; n < near->count; ++n)
    {
        int32_t index;
        const pl__object *o = listed(near, n, &index);
        double d = o ? gap(o, x) : INFINITY, r = d;
        if (!o || (d > 0 && d >= look.distance && d >= free))
            continue;
        if (d <= near->band)
        {
            double p[3], normal[3];
            enter(o, false, x, p);
            d = distance(o, p, normal);
            r = ball(o, p, d, level);
            near->distances++;
        }
        if (d < level)
            solid = pl__max(solid, r);
        else
            free = pl__min(free, r);
        if (d < look.distance)
            look.distance = d, look.object = index;
    }
    look.inside = look.distance < level;
    look.radius = look.inside ? solid : free;
    return look;
}

double pl__obstacles_distance(pl__near_obstacles *near, int32_t object, const double x[3])
{
    const pl__object *o = &near->object[object];
    double d = gap(o, x), p[3], normal[3];
    if (d > near->band)
        return d;
    enter(o, false, x, p);
    near->distances++;
    return distance(o, p, normal);
}

// ---- ways ------------------------------------------------------------------------------------------------------

typedef struct hit
{
    double free;     // the way is free until here, of 1
    double at;       // and this is inside
    double distance; // there
    double normal[3];
    bool through; // it was jumped over
} hit;

// Between the last free point and this one the normal has turned: there may be a wall thinner than a step.
static bool look_back(const pl__object *o, const double a[3], const double b[3], int64_t *count, hit *h)
{
    enum
    {
        PARTS = 16
    };
    double first = h->free, last = h->at, p[3], normal[3];
    for (int k = 1; k < PARTS; ++k)
    {
        double t = first + (last - first) * k / PARTS;
        pl__lerp3(a, b, t, p);
        double d = distance(o, p, normal);
        ++*count;
        if (d < 0)
        {
            h->at = t;
            h->distance = d;
            memcpy(h->normal, normal, sizeof normal);
            return true;
        }
        h->free = t;
    }
    return false;
}

// Whether an obstacle is on the way from a to b, in its frame.
static bool cast(const pl__object *o, const double a[3], const double b[3], double step, int64_t *count, hit *h)
{
    double way[3], before[3] = {0}, p[3], t = 0;
    pl__sub3(b, a, way);
    double length = pl__length3(way);
    *h = (hit){0};
    for (bool jumped = false;;)
    {
        pl__lerp3(a, b, t, p);
        h->at = t;
        h->distance = distance(o, p, h->normal);
        ++*count;
        h->through = jumped && h->distance >= 0 && pl__dot3(before, h->normal) < -1e-3 && pl__dot3(before, way) < 0 &&
                     pl__dot3(h->normal, way) > 0;
        if (h->distance < 0 || h->through ||
            (jumped && pl__dot3(before, h->normal) < 0.5 && look_back(o, a, b, count, h)))
            return true;
        h->free = t;
        if (t >= 1)
            return false;
        double r = ball(o, p, h->distance, 0);
        if (r >= (1 - t) * length)
            return false;
        jumped = r < step;
        memcpy(before, h->normal, sizeof before);
        t = pl__min(1, t + pl__max(r, step) / length);
    }
}

// Whether the way from a point at distance d along the inward normal leaves the obstacle again within a thickness.
// Towards an edge as thin as a feather it does, however thick the obstacle is elsewhere; at edges that are not sharp it
// does not.
static bool is_slight(const pl__object *o, const double p[3], double d, const double normal[3], double thickness)
{
    double q[3], n[3], least = thickness / 16;
    for (double t = least; t < thickness;)
    {
        for (int i = 0; i < 3; ++i)
            q[i] = p[i] - (d + t) * normal[i];
        double here = distance(o, q, n);
        if (here >= 0)
            return true;
        t += pl__max(least, -here);
    }
    return false;
}

// Whether no ball of that diameter fits behind the surface, from where the distance d and the normal are measured. Away
// from the surface, and from the next one that is too near, depth grows to half of that within a thick part, also
// at its edges and corners; where thin walls meet it does not.
static bool is_thin(const pl__object *o, const double p[3], double d, const double normal[3], double thickness)
{
    enum
    {
        MOST = 4 // a corner needs three
    };
    double q[3] = {p[0], p[1], p[2]}, n[3] = {normal[0], normal[1], normal[2]}, wanted = 0.5 * thickness;
    if (is_slight(o, p, d, normal, thickness))
        return true;
    for (int k = 0; k < MOST; ++k)
    {
        for (int i = 0; i < 3; ++i)
            q[i] -= (d + wanted) * n[i];
        d = distance(o, q, n);
        if (d > 0 || d < -0.99 * wanted)
            return d > 0;
    }
    return true;
}

bool pl__obstacles_are_thin(pl__near_obstacles *near, const double x[3], double reach, double thickness)
{
    bool thin = false;
    for (int32_t n = 0; n < near->count && !thin; ++n)
    {
        int32_t index;
        double p[3], normal[3];
        const pl__object *o = listed(near, n, &index);
        if (!o || gap(o, x) > reach)
            continue;
        enter(o, false, x, p);
        double d = distance(o, p, normal);
        bool close = fabs(d) < reach;
        near->distances += 1 + close;
        thin = close && is_thin(o, p, d, normal, thickness);
    }
    return thin;
}

bool pl__obstacles_part(pl__near_obstacles *near, const double a[3], const double b[3], double step, double thickness,
                        int32_t *object)
{
    double middle[3], half = 0.5 * sqrt(pl__distance_squared3(a, b));
    pl__lerp3(a, b, 0.5, middle);
    for (int32_t n = 0; n < near->count; ++n)
    {
        const pl__object *o = listed(near, n, object);
        if (!o || gap(o, middle) > half)
            continue;
        double end[2][3], p[3], normal[3];
        enter(o, false, middle, p);
        near->distances++;
        double d = distance(o, p, normal);
        if (d > 0 && ball(o, p, d, 0) > half)
            continue;
        enter(o, false, a, end[0]);
        enter(o, false, b, end[1]);
        for (int side = 0; side < 2; ++side)
        {
            hit h;
            if (!cast(o, end[side], end[1 - side], step, &near->distances, &h))
                break;
            near->distances++;
            pl__lerp3(end[side], end[1 - side], h.at, p);
            if (h.through || is_thin(o, p, h.distance, h.normal, thickness))
                return true;
        }
    }
    return false;
}

// From the last free point on to the plane there.
static double meet(const pl__object *o, const double p[3], const double q[3], const hit *h, double *cosine2)
{
    double x[3], way[3], normal[3];
    pl__sub3(q, p, way);
    pl__lerp3(p, q, h->free, x);
    double d = distance(o, x, normal), against = -pl__dot3(normal, way), length2 = pl__dot3(way, way);
    *cosine2 = length2 > 0 ? against * against / length2 : 0;
    if (d <= 0)
        return h->free;
    double t = against > 0 ? h->free + d / against : h->at;
    return t < h->at ? t : h->at;
}

double pl__obstacles_free(pl__near_obstacles *near, const double a[3], const double b[3], double step, double *cosine2)
{
    double least = 1, middle[3], half = 0.5 * sqrt(pl__distance_squared3(a, b));
    pl__lerp3(a, b, 0.5, middle);
    *cosine2 = 0;
    for (int32_t n = 0; n < near->count; ++n)
    {
        int32_t index;
        const pl__object *o = listed(near, n, &index);
        double p[3], q[3], c2;
        hit h;
        if (!o || gap(o, middle) > half)
            continue;
        enter(o, false, a, p);
        enter(o, false, b, q);
        if (!cast(o, p, q, step, &near->distances, &h))
            continue;
        double t = meet(o, p, q, &h, &c2);
        if (t < least)
            least = t, *cosine2 = c2;
    }
    return least;
}

bool pl__obstacles_see(const pl__obstacles *obstacles, const double a[3], const double b[3], double h)
{
    double lower[3], upper[3];
    int32_t object;
    pl__near_obstacles near;
    for (int i = 0; i < 3; ++i)
    {
        lower[i] = pl__min(a[i], b[i]);
        upper[i] = pl__max(a[i], b[i]);
    }
    pl__obstacles_find(obstacles, lower, upper, h, false, &near);
    return near.count == 0 || !pl__obstacles_part(&near, a, b, PL__WAY_STEP * h, 1e3 * h, &object);
}

// ---- points ----------------------------------------------------------------------------------------------------

static void batch_box(int32_t count, const double *const x[3], double lower[3], double upper[3])
{
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t i = 0; i < count; ++i)
        {
            lower[axis] = pl__min(lower[axis], x[axis][i]);
            upper[axis] = pl__max(upper[axis], x[axis][i]);
        }
}

// Move a point in the frame of an obstacle to `offset` outside, unless it is there or deeper than `deepest`.
static bool surface(const pl__object *o, double deepest, double offset, double p[3])
{
    bool moved = false;
    for (int round = 0; round < ROUNDS; ++round)
    {
        double n[3], d = distance(o, p, n);
        if (d < -deepest || d >= (moved ? 0.5 * offset : 0))
            break;
        for (int i = 0; i < 3; ++i)
            p[i] += (offset - d) * n[i];
        moved = true;
    }
    return moved;
}

// Those that come near a box during the step.
static void find_moving(const pl__obstacles *obstacles, const double lower[3], const double upper[3],
                        pl__near_obstacles *near)
{
    *near = (pl__near_obstacles){.object = obstacles->object};
    for (int32_t n = 0; n < obstacles->count && !near->all; ++n)
    {
        const pl__object *o = &obstacles->object[n];
        bool far = o->absent;
        for (int i = 0; i < 3 && o->placed && !o->actor; ++i)
            far = far || pl__min(o->at[i], o->before[i]) - o->radius > upper[i] ||
                  pl__max(o->at[i], o->before[i]) + o->radius < lower[i];
        if (far)
            continue;
        near->all = near->count == PL__OBSTACLES_LISTED;
        if (near->all)
            near->count = obstacles->count;
        else
            near->index[near->count++] = n;
    }
}

// Both ends of a way in the frame of an obstacle; false: it begins too deep inside.
static bool relative_way(const pl__object *o, double deepest, double offset, const double a[3], const double b[3],
                         double p[3], double q[3])
{
    double n[3];
    enter(o, true, a, p);
    enter(o, false, b, q);
    if (o->actor)
    {
        pl__actor_velocity(o->actor, a, n);
        for (int i = 0; i < 3; ++i)
            p[i] += o->actor->dt * n[i];
    }
    if (distance(o, p, n) >= 0)
        return true;
    surface(o, deepest, offset, p);
    return distance(o, p, n) >= 0;
}

// Let b end before the obstacle that is met first.
static bool stop_once(const pl__near_obstacles *near, double deepest, double offset, double step, bool stay,
                      const double a[3], double b[3])
{
    double first = INFINITY, end[3];
    for (int32_t n = 0; n < near->count; ++n)
    {
        int32_t index;
        int64_t count = 0;
        const pl__object *o = listed(near, n, &index);
        double p[3], q[3], x[3], normal[3];
        hit h;
        if (!o || !relative_way(o, deepest, offset, a, b, p, q) || !cast(o, p, q, step, &count, &h) || h.free >= first)
            continue;
        first = h.free;
        pl__lerp3(p, q, stay ? 0 : h.free, x);
        double d = distance(o, x, normal);
        for (int i = 0; d < offset && i < 3; ++i)
            x[i] += (offset - d) * normal[i];
        leave(o, x, end);
    }
    if (first < INFINITY)
        memcpy(b, end, sizeof end);
    return first < INFINITY;
}

int32_t pl__obstacles_stop(const pl__obstacles *obstacles, double deepest, double offset, double step, int32_t count,
                           const double *const a[3], double *const b[3])
{
    const double *const ends[3] = {b[0], b[1], b[2]};
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    pl__near_obstacles near;
    int32_t stopped = 0;
    batch_box(count, a, lower, upper);
    batch_box(count, ends, lower, upper);
    find_moving(obstacles, lower, upper, &near);
    for (int32_t i = 0; near.count > 0 && i < count; ++i)
    {
        double from[3] = {a[0][i], a[1][i], a[2][i]}, to[3] = {b[0][i], b[1][i], b[2][i]};
        bool any = false, again = true;
        for (int round = 0; again && round < ROUNDS; ++round)
        {
            again = stop_once(&near, deepest, offset, step, round + 1 == ROUNDS, from, to);
            any = any || again;
        }
        for (int axis = 0; any && axis < 3; ++axis)
            b[axis][i] = to[axis];
        stopped += any;
    }
    return stopped;
}
