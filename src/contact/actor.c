// src/contact/actor.c -- distances to triangles that move (thesis 2.11: cloth over a deforming character).
//
// The closest point comes from a hierarchy of boxes that is made once and fitted to the vertices in every substep. A
// point is inside when it is behind the surface there: below the plane of the triangle if the closest point lies within
// it; on an edge, below the sum of the normals on both sides; at a vertex, below
//
//     n = sum of angle_i n_i      over its triangles, weighted with their angles there
//
// (Baerentzen & Aanaes 2005: the only weights that are right for every closed surface). They are made when they are
// asked for: few points are nearest to an edge. The way out is towards the closest point, for points inside, and away
// from it, for others.
//
// An open surface has no inside. It is one-sided: what is behind it by no more than `depth` came through it and goes
// back; what is nearest to its rim is beside it.
//
// Searching takes microseconds, and most nodes of a cloak are not near the body. So space around an actor is cut into
// cells, anew in every substep: those that no box of the hierarchy touches and that are seen from outside are far, and
// whoever ends in one of them touches nothing. (Remembering the distances of nodes from substep to substep would save
// as much, but results would depend on the past where the sign is in doubt.)
//
// What it does badly: where parts of a surface overlap, a point within both and near one of them may count as outside
// (a winding number would know better, for ten times the time). And a hierarchy that is fitted to a pose far from the
// one it was made for has large boxes, and is slow.
#include "actor.h"
#include "tolerances.h"
#include "base/real_math.h"
#include "mesh/point.h"

#include <string.h>

enum
{
    MOST_CELLS = (PL__ACTOR_CELLS + 2) * (PL__ACTOR_CELLS + 2) * (PL__ACTOR_CELLS + 2)
};

// ---- life ------------------------------------------------------------------------------------------------------

double pl__actor_edge(const int32_t *triangle, int32_t triangle_count, const double *x)
{
    double sum = 0;
    for (size_t k = 0; k < 3 * (size_t)triangle_count; ++k)
        sum += sqrt(
            pl__distance_squared3(&x[3 * (size_t)triangle[k]], &x[3 * (size_t)triangle[k % 3 == 2 ? k - 2 : k + 1]]));
    return triangle_count > 0 ? sum / (3.0 * triangle_count) : 0;
}

static pl_status connect(pl__actor *a, const pl_surface *surface)
{
    pl__crowd crowd;
    int32_t *first = PL_NEW(a->ctx, a->node_count, int32_t);
    bool known = first && pl__surface_weld(surface, first);
    for (size_t k = 0; known && k < 3 * (size_t)a->triangle_count; ++k)
        a->welded[k] = first[a->triangle[k]];
    PL_DELETE(a->ctx, first, a->node_count);
    if (!known)
        return PL_ERR_MEMORY;
    PL_TRY(pl__node_corners(a->ctx, 3, a->welded, a->triangle_count, a->node_count, &a->corners));
    return pl__face_twins(a->ctx, PL_ELEMENT_TRIANGLE, a->welded, a->triangle_count, a->node_count, a->twin, &crowd);
}

static pl_status build(pl__actor *a, const pl_surface *surface)
{
    pl_context *ctx = a->ctx;
    pl_surface_info info;
    size_t numbers = 3 * (size_t)a->node_count, corners = 3 * (size_t)a->triangle_count;
    a->triangle = PL_NEW(ctx, corners, int32_t);
    a->welded = PL_NEW(ctx, corners, int32_t);
    a->twin = PL_NEW(ctx, corners, int32_t);
    a->x = PL_NEW(ctx, numbers, double);
    a->before = PL_NEW(ctx, numbers, double);
    a->target = PL_NEW(ctx, numbers, double);
    a->grid.far = PL_NEW(ctx, MOST_CELLS, uint8_t);
    if (!a->triangle || !a->welded || !a->twin || !a->x || !a->before || !a->target || !a->grid.far)
        return PL_ERR_MEMORY;
    memcpy(a->triangle, surface->triangle, corners * sizeof *a->triangle);
    memcpy(a->x, surface->position, numbers * sizeof *a->x);
    memcpy(a->before, a->x, numbers * sizeof *a->x);
    memcpy(a->target, a->x, numbers * sizeof *a->x);
    PL_TRY(pl_surface_survey(surface, &info));
    a->closed = info.open_edges == 0;
    a->side = a->closed && info.volume < 0 ? -1 : 1;
    PL_TRY(connect(a, surface));
    return pl__bvh_create(surface, &a->bvh);
}

pl_status pl__actor_create(const pl_surface *surface, double depth, pl__actor **actor)
{
    pl__actor *a = *actor = PL_NEW(surface->ctx, 1, pl__actor);
    if (!a)
        return PL_ERR_MEMORY;
    a->ctx = surface->ctx;
    a->node_count = surface->node_count;
    a->triangle_count = surface->triangle_count;
    a->depth = depth > 0 ? depth : pl__actor_edge(surface->triangle, surface->triangle_count, surface->position);
    pl_status status = build(a, surface);
    if (status != PL_OK)
        pl__actor_destroy(actor);
    return status;
}

void pl__actor_destroy(pl__actor **actor)
{
    pl__actor *a = *actor;
    if (!a)
        return;
    pl_context *ctx = a->ctx;
    size_t numbers = 3 * (size_t)a->node_count, corners = 3 * (size_t)a->triangle_count;
    PL_DELETE(ctx, a->triangle, corners);
    PL_DELETE(ctx, a->welded, corners);
    PL_DELETE(ctx, a->twin, corners);
    PL_DELETE(ctx, a->x, numbers);
    PL_DELETE(ctx, a->before, numbers);
    PL_DELETE(ctx, a->target, numbers);
    PL_DELETE(ctx, a->grid.far, MOST_CELLS);
    pl__lists_done(ctx, &a->corners);
    pl__bvh_destroy(&a->bvh);
    PL_DELETE(ctx, a, 1);
    *actor = NULL;
}

// ---- motion ----------------------------------------------------------------------------------------------------

void pl__actor_put(pl__actor *a, const double *local, const double at[3], pl_quat turned)
{
    bool straight = turned.v[0] == 0 && turned.v[1] == 0 && turned.v[2] == 0;
    for (size_t n = 0; n < (size_t)a->node_count; ++n)
    {
        pl_vec3 p = pl_make3(local[3 * n], local[3 * n + 1], local[3 * n + 2]);
        if (!straight)
            p = pl_quat_turn(turned, p);
        for (size_t i = 0; i < 3; ++i)
            a->x[3 * n + i] = p.v[i] + at[i];
    }
}

void pl__actor_move(pl__actor *a, const double at[3], pl_quat turned, double dt)
{
    memcpy(a->before, a->x, 3 * (size_t)a->node_count * sizeof *a->x);
    pl__actor_put(a, a->target, at, turned);
    a->dt = dt;
}

void pl__actor_return(pl__actor *a) { memcpy(a->x, a->before, 3 * (size_t)a->node_count * sizeof *a->x); }

// ---- what is far -----------------------------------------------------------------------------------------------

enum
{
    NEAR,
    FAR,
    UNKNOWN // perhaps inside
};

static size_t cell_index(const pl__actor_grid *g, int32_t i, int32_t j, int32_t k)
{
    return ((size_t)k * (size_t)g->size[1] + (size_t)j) * (size_t)g->size[0] + (size_t)i;
}

// With a layer of cells around the box.
static void place_grid(pl__actor_grid *g, const double lower[3], const double upper[3])
{
    double longest = pl__max(pl__max(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
    g->cell = longest > 0 ? longest / (PL__ACTOR_CELLS - 0.5) : 1;
    for (int i = 0; i < 3; ++i)
    {
        g->size[i] = (int32_t)((upper[i] - lower[i]) / g->cell) + 3;
        g->origin[i] = lower[i] - g->cell;
    }
}

// The cells that a leaf's box touches, `margin` around it; rounding is on the safe side by a thousandth of a cell.
static void mark_leaf(const pl__actor *a, const pl__bvh_node *leaf, double margin)
{
    const pl__actor_grid *g = &a->grid;
    int32_t low[3], high[3];
    for (int i = 0; i < 3; ++i)
    {
        double from = (leaf->lower[i] + a->bvh->center[i] - margin - g->origin[i]) / g->cell - PL__ACTOR_CELL_ROUNDING;
        double to = (leaf->upper[i] + a->bvh->center[i] + margin - g->origin[i]) / g->cell + PL__ACTOR_CELL_ROUNDING;
        low[i] = (int32_t)pl__max(0, from);
        high[i] = (int32_t)pl__min(g->size[i] - 1, to);
    }
    for (int32_t k = low[2]; k <= high[2]; ++k)
        for (int32_t j = low[1]; j <= high[1]; ++j)
            memset(&g->far[cell_index(g, low[0], j, k)], NEAR, (size_t)(high[0] - low[0] + 1));
}

// What is seen from outside along an axis is far. (Filling everything that hangs together finds little more, and took
// longer than all the rest.)
static void look_along(const pl__actor_grid *g, int axis)
{
    int32_t step[3] = {1, g->size[0], g->size[0] * g->size[1]}, u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int32_t i = 0; i < g->size[u]; ++i)
        for (int32_t j = 0; j < g->size[v]; ++j)
        {
            int32_t first = i * step[u] + j * step[v], last = first + (g->size[axis] - 1) * step[axis], at = first;
            for (; at <= last && g->far[at] != NEAR; at += step[axis])
                g->far[at] = FAR;
            for (int32_t back = last; back > at && g->far[back] != NEAR; back -= step[axis])
                g->far[back] = FAR;
        }
}

static void fill_grid(pl__actor *a, const double lower[3], const double upper[3])
{
    pl__actor_grid *g = &a->grid;
    place_grid(g, lower, upper);
    memset(g->far, a->closed ? UNKNOWN : FAR, (size_t)g->size[0] * (size_t)g->size[1] * (size_t)g->size[2]);
    for (int32_t n = 0; n < a->bvh->node_count; ++n)
        if (!a->bvh->node[n].second_child)
            mark_leaf(a, &a->bvh->node[n], a->closed ? 0 : a->depth);
    for (int axis = 0; a->closed && axis < 3; ++axis)
        look_along(g, axis);
}

bool pl__actor_is_far(const pl__actor *a, const double p[3])
{
    const pl__actor_grid *g = &a->grid;
    int32_t at[3];
    for (int i = 0; i < 3; ++i)
    {
        double place = (p[i] - g->origin[i]) / g->cell;
        if (!(place >= 0 && place < g->size[i]))
            return true;
        at[i] = (int32_t)place;
    }
    return g->far[cell_index(g, at[0], at[1], at[2])] == FAR;
}

void pl__actor_fit(pl__actor *a, double lower[3], double upper[3])
{
    pl__bvh_refit(a->bvh, a->triangle, a->x);
    for (int i = 0; i < 3; ++i)
    {
        double half = 0.5 * a->bvh->extent[i] + (a->closed ? 0 : a->depth),
               rounding = PL__ACTOR_BOX_ROUNDING * (fabs(a->bvh->center[i]) + half);
        lower[i] = a->bvh->center[i] - half - rounding;
        upper[i] = a->bvh->center[i] + half + rounding;
    }
    fill_grid(a, lower, upper);
}

// ---- the closest point -----------------------------------------------------------------------------------------

typedef struct
{
    double distance, point[3], weight[3];
    int32_t triangle;
} spot;

static const double *corner(const pl__actor *a, int32_t triangle, int k)
{
    return &a->x[3 * (size_t)a->triangle[3 * (size_t)triangle + (size_t)k]];
}

// Along the normal, as long as twice the area.
static void area_vector(const pl__actor *a, int32_t triangle, double n[3])
{
    double e[3], f[3];
    pl__sub3(corner(a, triangle, 1), corner(a, triangle, 0), e);
    pl__sub3(corner(a, triangle, 2), corner(a, triangle, 0), f);
    pl__cross3(e, f, n);
}

static bool make_unit(double n[3])
{
    double length = pl__length3(n);
    for (int i = 0; length > 0 && i < 3; ++i)
        n[i] /= length;
    return length > 0;
}

// Weights of the corners of a triangle that is no more than a line: between the ends of its longest edge.
static void line_weights(const pl__actor *a, int32_t triangle, const double point[3], double w[3])
{
    int longest = 0;
    double length = -1, along[3], way[3];
    for (int k = 0; k < 3; ++k)
    {
        double d = pl__distance_squared3(corner(a, triangle, k), corner(a, triangle, (k + 1) % 3));
        if (d > length)
            length = d, longest = k;
    }
    pl__sub3(corner(a, triangle, (longest + 1) % 3), corner(a, triangle, longest), along);
    pl__sub3(point, corner(a, triangle, longest), way);
    double t = length > 0 ? pl__max(0, pl__min(1, pl__dot3(along, way) / length)) : 0;
    w[longest] = 1 - t, w[(longest + 1) % 3] = t, w[(longest + 2) % 3] = 0;
}

// Weights with which the corners of its triangle make up a point, the small ones cut off: which edge or corner it lies
// on.
static void find_weights(const pl__actor *a, int32_t triangle, const double point[3], double w[3])
{
    double n[3], sum = 0;
    area_vector(a, triangle, n);
    double nn = pl__dot3(n, n);
    if (!(nn > 0))
    {
        line_weights(a, triangle, point, w);
        return;
    }
    for (int k = 0; k < 3; ++k)
    {
        double e[3], f[3], part[3];
        pl__sub3(corner(a, triangle, (k + 1) % 3), point, e);
        pl__sub3(corner(a, triangle, (k + 2) % 3), point, f);
        pl__cross3(e, f, part);
        w[k] = pl__dot3(part, n) / nn;
        w[k] = w[k] > PL__ACTOR_WEIGHT_LEAST ? w[k] : 0;
        sum += w[k];
    }
    for (int k = 0; k < 3; ++k)
        w[k] = sum > 0 ? w[k] / sum : k == 0;
}

static spot find(const pl__actor *a, const double p[3])
{
    spot s;
    s.distance = pl__bvh_closest(a->bvh, p, s.point, &s.triangle);
    find_weights(a, s.triangle, s.point, s.weight);
    return s;
}

// ---- sides -----------------------------------------------------------------------------------------------------

static void add_normal(const pl__actor *a, int32_t triangle, double weight, double n[3])
{
    double one[3];
    area_vector(a, triangle, one);
    bool flat = !make_unit(one);
    for (int i = 0; !flat && i < 3; ++i)
        n[i] += weight * one[i];
}

static double angle_at(const pl__actor *a, int32_t triangle, int k)
{
    double e[3], f[3], across[3];
    pl__sub3(corner(a, triangle, (k + 1) % 3), corner(a, triangle, k), e);
    pl__sub3(corner(a, triangle, (k + 2) % 3), corner(a, triangle, k), f);
    pl__cross3(e, f, across);
    return pl__real_atan2(pl__length3(across), pl__dot3(e, f));
}

// Around a vertex. True if that is on a rim.
static bool vertex_normal(const pl__actor *a, int32_t vertex, double n[3])
{
    bool rim = false;
    for (int32_t i = a->corners.start[vertex]; i < a->corners.start[vertex + 1]; ++i)
    {
        int32_t triangle = a->corners.item[i] / 3, k = a->corners.item[i] % 3;
        add_normal(a, triangle, angle_at(a, triangle, k), n);
        rim |= a->twin[3 * triangle + (k + 1) % 3] == PL__FACE_ALONE ||
               a->twin[3 * triangle + (k + 2) % 3] == PL__FACE_ALONE;
    }
    return rim;
}

// The normal of the surface at a spot, of any length. True if the spot is on a rim.
static bool surface_normal(const pl__actor *a, const spot *s, double n[3])
{
    int zero = 0, last = 0, largest = 0;
    for (int k = 0; k < 3; ++k)
    {
        if (s->weight[k] == 0)
            ++zero, last = k;
        else
            largest = k;
    }
    n[0] = n[1] = n[2] = 0;
    if (zero == 2)
        return vertex_normal(a, a->welded[3 * s->triangle + largest], n);
    add_normal(a, s->triangle, 1, n);
    int32_t twin = zero == 1 ? a->twin[3 * s->triangle + last] : 0;
    if (zero == 1 && twin >= 0)
        add_normal(a, twin / 3, 1, n);
    return zero == 1 && twin == PL__FACE_ALONE;
}

static bool within_triangle(const spot *s) { return s->weight[0] > 0 && s->weight[1] > 0 && s->weight[2] > 0; }

double pl__actor_distance(const pl__actor *a, const double p[3], double normal[3])
{
    spot s = find(a, p);
    double up[3], way[3];
    bool rim = surface_normal(a, &s, up) && !a->closed, known = make_unit(up);
    pl__sub3(p, s.point, way);
    double height = a->side * pl__dot3(way, up);
    bool inside = height < 0 && !rim && (a->closed || s.distance <= a->depth);
    // below the rounding of its size a way has no direction; within a triangle the normal is the better one
    double size = 0, sign = inside ? -1 : 1;
    for (int i = 0; i < 3; ++i)
        size += fabs(p[i]) + a->bvh->extent[i];
    bool by_way =
        !(s.distance <= PL__DISTANCE_DIRECTION * size) && (rim || !within_triangle(&s) || (height < 0) != inside);
    for (int i = 0; i < 3; ++i)
        normal[i] = by_way || !known ? sign * way[i] : a->side * up[i];
    if (!make_unit(normal))
        normal[0] = 0, normal[1] = 1, normal[2] = 0;
    return sign * s.distance;
}

void pl__actor_velocity(const pl__actor *a, const double p[3], double v[3])
{
    v[0] = v[1] = v[2] = 0;
    if (!(a->dt > 0))
        return;
    spot s = find(a, p);
    for (size_t k = 0; k < 3; ++k)
    {
        size_t at = 3 * (size_t)a->triangle[3 * (size_t)s.triangle + k];
        for (size_t i = 0; i < 3; ++i)
            v[i] += s.weight[k] * (a->x[at + i] - a->before[at + i]) / a->dt;
    }
}
