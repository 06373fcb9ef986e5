// src/mesh/bvh.c -- bounding volume hierarchy (boxes) over triangles.
//
// A binary tree: each node holds a run of the triangle order and its bounding box; it is split at the median centroid
// along the widest axis of its centroids. Medians make the depth log2(n), so a fixed stack serves every walk, and ties
// are broken by triangle number, so that the tree does not depend on the sorting. A surface area heuristic would give
// trees that are perhaps a third faster to search; building it costs more than the few searches per triangle made here.
//
// The closest point is found by descending into the nearer box first and pruning boxes that are farther than the best
// so far. The distance to a triangle is the smallest over its plane (if the foot point lies within) and its three
// edges: more work than a region test (Ericson 2005, 5.1.5), but correct for slivers and triangles without area.
//
// What it does badly: a few huge triangles among many small ones make overlapping boxes and slow searches.
#include "bvh.h"
#include "base/select.h"
#include "point.h"

#include <string.h>

enum
{
    LEAF_SIZE = 4,
    STACK_SIZE = 64 // depth is at most log2(2^31 / LEAF_SIZE) + 1
};

// ---- building ----------------------------------------------------------------------------------------------

typedef struct
{
    pl__bvh *bvh;
    const double *corner; // [9 triangle_count]  in surface order
    int32_t *order;
    int axis;
} builder;

static double centroid(const builder *build, int32_t triangle, int axis)
{
    const double *c = &build->corner[9 * (size_t)triangle];
    return c[axis] + c[3 + axis] + c[6 + axis]; // times three, which changes no order
}

static bool before(const void *user, int32_t a, int32_t b)
{
    const builder *build = user;
    double ca = centroid(build, a, build->axis), cb = centroid(build, b, build->axis);
    return ca != cb ? ca < cb : a < b;
}

static int widest_axis(const builder *build, int32_t begin, int32_t end)
{
    int widest = 0;
    double width = -1;
    for (int axis = 0; axis < 3; ++axis)
    {
        double least = INFINITY, most = -INFINITY;
        for (int32_t i = begin; i < end; ++i)
        {
            double c = centroid(build, build->order[i], axis);
            least = pl__min(least, c), most = pl__max(most, c);
        }
        if (most - least > width)
            width = most - least, widest = axis;
    }
    return widest;
}

static void fit_box(const builder *build, pl__bvh_node *node)
{
    for (int d = 0; d < 3; ++d)
        node->lower[d] = INFINITY, node->upper[d] = -INFINITY;
    for (int32_t i = node->begin; i < node->end; ++i)
        for (int k = 0; k < 9; ++k)
        {
            double x = build->corner[9 * (size_t)build->order[i] + k];
            node->lower[k % 3] = pl__min(node->lower[k % 3], x);
            node->upper[k % 3] = pl__max(node->upper[k % 3], x);
        }
}

// Depth is logarithmic, so recursion is safe.
static void build_node(builder *build, int32_t begin, int32_t end)
{
    int32_t self = build->bvh->node_count++;
    pl__bvh_node *node = &build->bvh->node[self];
    *node = (pl__bvh_node){.begin = begin, .end = end};
    fit_box(build, node);
    if (end - begin <= LEAF_SIZE)
        return;
    int32_t middle = begin + (end - begin) / 2;
    build->axis = widest_axis(build, begin, end);
    pl__select_nth(build->order, begin, end, middle, before, build);
    build_node(build, begin, middle);
    node->second_child = build->bvh->node_count;
    build_node(build, middle, end);
}

// Centre and side lengths of the bounding box of all triangles.
static void find_center(pl__bvh *bvh, const int32_t *triangle, const double *position)
{
    double lower[3], upper[3];
    for (int d = 0; d < 3; ++d)
        lower[d] = INFINITY, upper[d] = -INFINITY;
    for (size_t i = 0; i < 3 * (size_t)bvh->triangle_count; ++i)
        for (int d = 0; d < 3; ++d)
        {
            double x = position[3 * (size_t)triangle[i] + (size_t)d];
            lower[d] = pl__min(lower[d], x), upper[d] = pl__max(upper[d], x);
        }
    for (int d = 0; d < 3; ++d)
    {
        bvh->center[d] = lower[d] + (upper[d] - lower[d]) / 2;
        bvh->extent[d] = upper[d] - lower[d];
    }
}

static void center_corners(pl__bvh *bvh, const pl_surface *surface, double *corner)
{
    find_center(bvh, surface->triangle, surface->position);
    for (size_t i = 0; i < 3 * (size_t)bvh->triangle_count; ++i)
        pl__sub3(&surface->position[3 * (size_t)surface->triangle[i]], bvh->center, &corner[3 * i]);
}

static int32_t node_bound(int32_t triangle_count)
{
    // halving stops at LEAF_SIZE, so leaves hold more than LEAF_SIZE / 2 triangles
    return 2 * (triangle_count / (LEAF_SIZE / 2) + 1);
}

pl_status pl__bvh_create(const pl_surface *surface, pl__bvh **result)
{
    pl_context *ctx = surface->ctx;
    *result = NULL;
    pl__bvh *bvh = PL_NEW(ctx, 1, pl__bvh);
    if (!bvh)
        return PL_ERR_MEMORY;
    int32_t count = surface->triangle_count;
    bvh->ctx = ctx;
    bvh->triangle_count = count;
    bvh->node_capacity = node_bound(count);
    bvh->node = PL_NEW(ctx, bvh->node_capacity, pl__bvh_node);
    bvh->corner = PL_NEW(ctx, 9 * (size_t)count, double);
    bvh->triangle = PL_NEW(ctx, count, int32_t);
    double *corner = PL_NEW(ctx, 9 * (size_t)count, double);
    bool enough = bvh->node && bvh->corner && bvh->triangle && corner;
    if (enough)
    {
        center_corners(bvh, surface, corner);
        for (int32_t i = 0; i < count; ++i)
            bvh->triangle[i] = i;
        build_node(&(builder){.bvh = bvh, .corner = corner, .order = bvh->triangle}, 0, count);
        for (int32_t i = 0; i < count; ++i)
            memcpy(&bvh->corner[9 * (size_t)i], &corner[9 * (size_t)bvh->triangle[i]], 9 * sizeof(double));
    }
    PL_DELETE(ctx, corner, 9 * (size_t)count);
    if (!enough)
        pl__bvh_destroy(&bvh);
    *result = bvh;
    return enough ? PL_OK : PL_ERR_MEMORY;
}

void pl__bvh_destroy(pl__bvh **bvh)
{
    pl__bvh *b = *bvh;
    if (!b)
        return;
    pl_context *ctx = b->ctx;
    PL_DELETE(ctx, b->node, b->node_capacity);
    PL_DELETE(ctx, b->corner, 9 * (size_t)b->triangle_count);
    PL_DELETE(ctx, b->triangle, b->triangle_count);
    PL_DELETE(ctx, b, 1);
    *bvh = NULL;
}

// ---- refitting ---------------------------------------------------------------------------------------------

static void fit_leaf(const pl__bvh *bvh, pl__bvh_node *leaf)
{
    for (int d = 0; d < 3; ++d)
        leaf->lower[d] = INFINITY, leaf->upper[d] = -INFINITY;
    const double *corner = &bvh->corner[9 * (size_t)leaf->begin], *end = &bvh->corner[9 * (size_t)leaf->end];
    for (; corner < end; corner += 3)
        for (int d = 0; d < 3; ++d)
        {
            leaf->lower[d] = pl__min(leaf->lower[d], corner[d]);
            leaf->upper[d] = pl__max(leaf->upper[d], corner[d]);
        }
}

static void unite_children(const pl__bvh *bvh, pl__bvh_node *node)
{
    const pl__bvh_node *a = node + 1, *b = &bvh->node[node->second_child];
    for (int d = 0; d < 3; ++d)
    {
        node->lower[d] = pl__min(a->lower[d], b->lower[d]);
        node->upper[d] = pl__max(a->upper[d], b->upper[d]);
    }
}

void pl__bvh_refit(pl__bvh *bvh, const int32_t *triangle, const double *position)
{
    find_center(bvh, triangle, position);
    for (int32_t i = 0; i < bvh->triangle_count; ++i)
        for (size_t k = 0; k < 3; ++k)
            pl__sub3(&position[3 * (size_t)triangle[3 * (size_t)bvh->triangle[i] + k]], bvh->center,
                     &bvh->corner[9 * (size_t)i + 3 * k]);
    for (int32_t n = bvh->node_count - 1; n >= 0; --n) // children come after their parents
        if (bvh->node[n].second_child)
            unite_children(bvh, &bvh->node[n]);
        else
            fit_leaf(bvh, &bvh->node[n]);
}

// ---- closest point -----------------------------------------------------------------------------------------

static double box_distance_squared(const pl__bvh_node *node, const double p[3])
{
    double sum = 0;
    for (int d = 0; d < 3; ++d)
    {
        double gap = pl__max(pl__max(node->lower[d] - p[d], p[d] - node->upper[d]), 0);
        sum += gap * gap;
    }
    return sum;
}

static void closest_on_segment(const double p[3], const double a[3], const double b[3], double out[3])
{
    double ab[3], ap[3];
    pl__sub3(b, a, ab);
    pl__sub3(p, a, ap);
    double along = pl__dot3(ap, ab), length = pl__dot3(ab, ab);
    double t = length > 0 ? pl__min(pl__max(along / length, 0), 1) : 0;
    pl__lerp3(a, b, t, out);
}

// The foot point of p on the plane of the triangle, if it lies within the triangle.
static bool foot_within(const double p[3], const double *c, double foot[3])
{
    double e0[3], e1[3], n[3], ap[3];
    pl__sub3(c + 3, c, e0);
    pl__sub3(c + 6, c, e1);
    pl__sub3(p, c, ap);
    pl__cross3(e0, e1, n);
    double nn = pl__dot3(n, n);
    if (!(nn > 0))
        return false;
    double s0[3], s1[3];
    pl__cross3(ap, e1, s0);
    pl__cross3(e0, ap, s1);
    double u = pl__dot3(s0, n) / nn, v = pl__dot3(s1, n) / nn;
    if (!(u >= 0 && v >= 0 && u + v <= 1))
        return false;
    for (int d = 0; d < 3; ++d)
        foot[d] = c[d] + u * e0[d] + v * e1[d];
    return true;
}

double pl__triangle_closest(const double p[3], const double *c, double out[3])
{
    if (foot_within(p, c, out))
        return pl__distance_squared3(p, out);
    double best = INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        double candidate[3];
        closest_on_segment(p, c + 3 * k, c + 3 * ((k + 1) % 3), candidate);
        double distance = pl__distance_squared3(p, candidate);
        if (distance < best)
            best = distance, memcpy(out, candidate, sizeof candidate);
    }
    return best;
}

typedef struct
{
    double distance; // squared
    double point[3];
    int32_t position; // in tree order
} nearest;

static void search_leaf(const pl__bvh *bvh, const pl__bvh_node *leaf, const double p[3], nearest *best)
{
    for (int32_t i = leaf->begin; i < leaf->end; ++i)
    {
        double point[3];
        double distance = pl__triangle_closest(p, &bvh->corner[9 * (size_t)i], point);
        if (distance < best->distance)
        {
            best->distance = distance, best->position = i;
            memcpy(best->point, point, sizeof point);
        }
    }
}

double pl__bvh_closest(const pl__bvh *bvh, const double query[3], double closest[3], int32_t *triangle)
{
    double p[3];
    pl__sub3(query, bvh->center, p);
    nearest best = {.distance = INFINITY};
    struct
    {
        int32_t node;
        double distance;
    } stack[STACK_SIZE];
    int top = 0;
    stack[top].node = 0, stack[top++].distance = 0;
    while (top > 0)
    {
        --top;
        int32_t n = stack[top].node;
        if (stack[top].distance >= best.distance)
            continue;
        const pl__bvh_node *node = &bvh->node[n];
        if (!node->second_child)
        {
            search_leaf(bvh, node, p, &best);
            continue;
        }
        // the nearer child goes on top
        int32_t child[2] = {n + 1, node->second_child};
        double distance[2] = {box_distance_squared(&bvh->node[child[0]], p),
                              box_distance_squared(&bvh->node[child[1]], p)};
        int far = distance[0] <= distance[1];
        stack[top].node = child[far], stack[top++].distance = distance[far];
        stack[top].node = child[!far], stack[top++].distance = distance[!far];
    }
    for (int d = 0; closest && d < 3; ++d)
        closest[d] = best.point[d] + bvh->center[d];
    if (triangle)
        *triangle = bvh->triangle[best.position];
    return sqrt(best.distance);
}

// ---- crossings of a segment --------------------------------------------------------------------------------

// Hits are accepted this far (relatively) outside a triangle or the segment: a double hit does no harm, a missed one
// does.
static const double slack = 1e-9;

static bool segment_meets_box(const pl__bvh_node *node, const double a[3], const double dir[3], double margin)
{
    double enter = -slack, leave = 1 + slack;
    for (int d = 0; d < 3; ++d)
    {
        double lower = node->lower[d] - margin - a[d], upper = node->upper[d] + margin - a[d];
        if (dir[d] == 0)
        {
            if (lower > 0 || upper < 0)
                return false;
            continue;
        }
        double t0 = lower / dir[d], t1 = upper / dir[d];
        enter = pl__max(enter, pl__min(t0, t1)), leave = pl__min(leave, pl__max(t0, t1));
    }
    return enter <= leave;
}

// Moeller & Trumbore 1997, with the slack.
static bool segment_meets_triangle(const double *c, const double a[3], const double dir[3], double *t)
{
    double e0[3], e1[3], s[3], q[3], r[3];
    pl__sub3(c + 3, c, e0);
    pl__sub3(c + 6, c, e1);
    pl__cross3(dir, e1, q);
    double det = pl__dot3(e0, q);
    // parallel within rounding: the neighbours of this triangle see the crossing
    if (fabs(det) <= 1e-14 * pl__length3(e0) * pl__length3(q) || det == 0)
        return false;
    pl__sub3(a, c, s);
    pl__cross3(s, e0, r);
    double u = pl__dot3(s, q) / det, v = pl__dot3(dir, r) / det;
    *t = pl__dot3(e1, r) / det;
    return u >= -slack && v >= -slack && u + v <= 1 + slack && *t >= -slack && *t <= 1 + slack;
}

int32_t pl__bvh_crossings(const pl__bvh *bvh, const double from[3], const double to[3], double *t, int32_t capacity)
{
    double a[3], dir[3];
    pl__sub3(from, bvh->center, a);
    pl__sub3(to, from, dir);
    double margin = slack * pl__length3(dir);
    int32_t count = 0, top = 0, stack[STACK_SIZE];
    stack[top++] = 0;
    while (top > 0)
    {
        int32_t n = stack[--top];
        const pl__bvh_node *node = &bvh->node[n];
        if (!segment_meets_box(node, a, dir, margin))
            continue;
        if (node->second_child)
        {
            stack[top++] = node->second_child;
            stack[top++] = n + 1;
            continue;
        }
        for (int32_t i = node->begin; i < node->end; ++i)
        {
            double hit;
            if (!segment_meets_triangle(&bvh->corner[9 * (size_t)i], a, dir, &hit))
                continue;
            if (count < capacity)
                t[count] = pl__min(pl__max(hit, 0), 1);
            count++;
        }
    }
    return count;
}
