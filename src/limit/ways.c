// src/limit/ways.c
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double slack = 1e-9; // of the length of a line: rounding at edges that it passes

static void sub(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] - b[i];
}
static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}
static double between(const double a[3], const double b[3])
{
    double d[3];
    sub(a, b, d);
    return sqrt(dot(d, d));
}

static const double *at(const pl__ways *w, int32_t node) { return &w->rest[3 * (size_t)node]; }

// ---- heap --------------------------------------------------------------------------------------------------------

// Ties are broken by number, so that the order is that of the mesh.
static bool sooner(const pl__way_entry *a, const pl__way_entry *b)
{
    return a->distance != b->distance ? a->distance < b->distance
           : a->point != b->point     ? a->point < b->point
                                      : a->source < b->source;
}

static pl_status push(pl__ways *w, double distance, int32_t point, int32_t source)
{
    if (!PL_GROW(w->ctx, w->heap, &w->heap_capacity, w->heap_count + 1))
        return PL_ERR_MEMORY;
    size_t i = w->heap_count++;
    pl__way_entry e = {distance, point, source};
    for (; i > 0 && sooner(&e, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = e;
    return PL_OK;
}

static pl__way_entry pop(pl__ways *w)
{
    pl__way_entry first = w->heap[0], last = w->heap[--w->heap_count];
    size_t i = 0, n = w->heap_count;
    for (;;)
    {
        size_t k = 2 * i + 1;
        if (k >= n)
            break;
        if (k + 1 < n && sooner(&w->heap[k + 1], &w->heap[k]))
            ++k;
        if (!sooner(&w->heap[k], &last))
            break;
        w->heap[i] = w->heap[k];
        i = k;
    }
    w->heap[i] = last;
    return first;
}

// ---- graph -------------------------------------------------------------------------------------------------------

static int compare_pairs(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : 0;
}

// Pairs (row, item), sorted and without repetition, as lists.
static pl_status make_lists(pl_context *ctx, int32_t (*pair)[2], size_t count, int32_t rows, pl__lists *lists)
{
    qsort(pair, count, sizeof *pair, compare_pairs);
    size_t kept = 0;
    for (size_t k = 0; k < count; ++k)
        if (k == 0 || compare_pairs(pair[k], pair[k - 1]) != 0)
            memmove(pair[kept++], pair[k], sizeof *pair);
    lists->row_count = rows;
    lists->start = PL_NEW(ctx, rows + 1, int32_t);
    if (lists->start)
        for (size_t k = 0; k < kept; ++k)
            lists->start[pair[k][0] + 1]++;
    for (int32_t r = 0; lists->start && r < rows; ++r)
        lists->start[r + 1] += lists->start[r];
    lists->item = PL_NEW(ctx, kept, int32_t);
    if (!lists->start || !lists->item)
        return PL_ERR_MEMORY;
    for (size_t k = 0; k < kept; ++k)
        lists->item[k] = pair[k][1];
    return PL_OK;
}

static bool joined(const pl__way_element *e, int32_t i, int32_t j)
{
    if (e->corners < 8)
        return true;
    // corners of hexahedra in the order of VTK: along an edge two of three coordinates are the same
    static const int8_t place[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    return (place[i][0] != place[j][0]) + (place[i][1] != place[j][1]) + (place[i][2] != place[j][2]) < 3;
}

typedef struct
{
    int32_t (*pair)[2];
    size_t count, room;
} pairs;

static pl_status make_graph(pl__ways *w, pairs *p)
{
    p->count = 0;
    for (int32_t e = 0; e < w->element_count; ++e)
        for (int32_t i = 0; i < w->element[e].corners; ++i)
        {
            p->pair[p->count][0] = w->element[e].node[i];
            p->pair[p->count++][1] = e;
        }
    PL_TRY(make_lists(w->ctx, p->pair, p->count, w->node_count, &w->around));
    p->count = 0;
    for (int32_t e = 0; e < w->element_count; ++e)
        for (int32_t i = 0; i < w->element[e].corners; ++i)
            for (int32_t j = 0; j < w->element[e].corners; ++j)
                if (i != j && joined(&w->element[e], i, j))
                {
                    p->pair[p->count][0] = w->element[e].node[i];
                    p->pair[p->count++][1] = w->element[e].node[j];
                }
    return make_lists(w->ctx, p->pair, p->count, w->node_count, &w->neighbours);
}

// An edge is as long as the strictest of its elements lets it be.
static void measure_edges(pl__ways *w)
{
    for (int32_t n = 0; n < w->node_count; ++n)
        for (int32_t k = w->neighbours.start[n]; k < w->neighbours.start[n + 1]; ++k)
        {
            int32_t other = w->neighbours.item[k];
            double ratio = 1;
            for (int32_t q = w->around.start[n]; q < w->around.start[n + 1]; ++q)
            {
                const pl__way_element *e = &w->element[w->around.item[q]];
                for (int32_t c = 0; c < e->corners; ++c)
                    if (e->node[c] == other)
                        ratio = fmin(ratio, e->ratio);
            }
            w->length[k] = ratio * between(at(w, n), at(w, other));
        }
}

// The edges of triangles, numbered by their nodes, and the triangles at each.
static pl_status number_edges(pl__ways *w, pairs *p)
{
    p->count = 0;
    for (int32_t e = 0; e < w->element_count; ++e)
        for (int32_t i = 0; w->element[e].corners == 3 && i < 3; ++i)
        {
            int32_t a = w->element[e].node[i], b = w->element[e].node[(i + 1) % 3];
            p->pair[p->count][0] = a < b ? a : b;
            p->pair[p->count++][1] = a < b ? b : a;
        }
    qsort(p->pair, p->count, sizeof *p->pair, compare_pairs);
    size_t kept = 0;
    for (size_t k = 0; k < p->count; ++k)
        if (k == 0 || compare_pairs(p->pair[k], p->pair[k - 1]) != 0)
            memmove(p->pair[kept++], p->pair[k], sizeof *p->pair);
    w->edge_count = (int32_t)kept;
    w->edge_node = PL_NEW(w->ctx, 2 * kept, int32_t);
    if (!w->edge_node)
        return PL_ERR_MEMORY;
    memcpy(w->edge_node, p->pair, kept * sizeof *p->pair);
    p->count = 0;
    for (int32_t e = 0; e < w->element_count; ++e)
        for (int32_t i = 0; w->element[e].corners == 3 && i < 3; ++i)
        {
            int32_t a = w->element[e].node[i], b = w->element[e].node[(i + 1) % 3];
            int32_t key[2] = {a < b ? a : b, a < b ? b : a};
            const int32_t *found = bsearch(key, w->edge_node, kept, 2 * sizeof *key, compare_pairs);
            w->element[e].edge[i] = (int32_t)((found - w->edge_node) / 2);
            p->pair[p->count][0] = w->element[e].edge[i];
            p->pair[p->count++][1] = e;
        }
    return make_lists(w->ctx, p->pair, p->count, w->edge_count, &w->edge_element);
}

static pl_status make(pl__ways *w, const pl__way_element *element)
{
    w->element = PL_NEW(w->ctx, w->element_count, pl__way_element);
    pairs p = {.room = 0};
    for (int32_t e = 0; e < w->element_count; ++e)
        p.room += (size_t)(element[e].corners * element[e].corners);
    p.pair = pl__calloc(w->ctx, p.room, sizeof *p.pair);
    pl_status status = w->element && p.pair ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK && w->element_count > 0)
        memcpy(w->element, element, (size_t)w->element_count * sizeof *element);
    if (status == PL_OK)
        status = make_graph(w, &p);
    if (status == PL_OK)
        status = number_edges(w, &p);
    pl__free(w->ctx, p.pair, p.room * sizeof *p.pair);
    PL_TRY(status);
    int32_t points = w->node_count + w->edge_count;
    w->length = PL_NEW(w->ctx, w->neighbours.start[w->node_count], double);
    w->distance = PL_NEW(w->ctx, points, double);
    w->parent = PL_NEW(w->ctx, points, int32_t);
    w->stamp = PL_NEW(w->ctx, points, int32_t);
    w->path = PL_NEW(w->ctx, points, int32_t);
    w->portal = PL_NEW(w->ctx, 4 * (size_t)points, double);
    if (!w->length || !w->distance || !w->parent || !w->stamp || !w->path || !w->portal)
        return PL_ERR_MEMORY;
    measure_edges(w);
    return PL_OK;
}

pl_status pl__ways_create(pl_context *ctx, const pl__way_element *element, int32_t element_count, const double *rest,
                          int32_t node_count, pl__ways *ways)
{
    *ways = (pl__ways){.ctx = ctx, .node_count = node_count, .element_count = element_count, .rest = rest};
    pl_status status = make(ways, element);
    if (status != PL_OK)
        pl__ways_destroy(ways);
    return status;
}

void pl__ways_destroy(pl__ways *w)
{
    int32_t points = w->node_count + w->edge_count;
    if (!w->ctx)
        return;
    if (w->neighbours.start)
        PL_DELETE(w->ctx, w->length, w->neighbours.start[w->node_count]);
    pl__lists_done(w->ctx, &w->around);
    pl__lists_done(w->ctx, &w->neighbours);
    pl__lists_done(w->ctx, &w->edge_element);
    PL_DELETE(w->ctx, w->element, w->element_count);
    PL_DELETE(w->ctx, w->edge_node, 2 * (size_t)w->edge_count);
    PL_DELETE(w->ctx, w->distance, points);
    PL_DELETE(w->ctx, w->parent, points);
    PL_DELETE(w->ctx, w->stamp, points);
    PL_DELETE(w->ctx, w->path, points);
    PL_DELETE(w->ctx, w->portal, 4 * (size_t)points);
    PL_DELETE(w->ctx, w->heap, w->heap_capacity);
    *w = (pl__ways){0};
}

// ---- shortest ways -----------------------------------------------------------------------------------------------

static void place_of(const pl__ways *w, int32_t point, double out[3])
{
    if (point < w->node_count)
    {
        memcpy(out, at(w, point), 3 * sizeof *out);
        return;
    }
    const int32_t *end = &w->edge_node[2 * (size_t)(point - w->node_count)];
    for (int i = 0; i < 3; ++i)
        out[i] = 0.5 * (at(w, end[0])[i] + at(w, end[1])[i]);
}

static pl_status reach(pl__ways *w, int32_t from, int32_t to, double length, double radius)
{
    double distance = w->distance[from] + length;
    if (distance > radius || (w->stamp[to] == w->time && w->distance[to] <= distance))
        return PL_OK;
    w->stamp[to] = w->time;
    w->distance[to] = distance;
    w->parent[to] = from;
    return push(w, distance, to, 0);
}

// From a point to the middles of the edges of a triangle, and to its corners.
static pl_status cross_triangle(pl__ways *w, int32_t point, const pl__way_element *e, double radius)
{
    double here[3], there[3];
    place_of(w, point, here);
    for (int k = 0; k < 6; ++k)
    {
        int32_t to = k < 3 ? w->node_count + e->edge[k] : e->node[k - 3];
        if (to == point)
            continue;
        place_of(w, to, there);
        PL_TRY(reach(w, point, to, e->ratio * between(here, there), radius));
    }
    return PL_OK;
}

static pl_status leave_node(pl__ways *w, int32_t node, double radius)
{
    bool surface = false;
    for (int32_t q = w->around.start[node]; q < w->around.start[node + 1]; ++q)
    {
        const pl__way_element *e = &w->element[w->around.item[q]];
        surface |= e->corners == 3;
        if (e->corners == 3)
            PL_TRY(cross_triangle(w, node, e, radius));
    }
    for (int32_t k = w->neighbours.start[node]; !surface && k < w->neighbours.start[node + 1]; ++k)
        PL_TRY(reach(w, node, w->neighbours.item[k], w->length[k], radius));
    return PL_OK;
}

pl_status pl__ways_from(pl__ways *w, int32_t node, double radius)
{
    w->heap_count = 0;
    w->time++;
    w->stamp[node] = w->time;
    w->distance[node] = 0;
    w->parent[node] = -1;
    PL_TRY(push(w, 0, node, 0));
    while (w->heap_count > 0)
    {
        pl__way_entry next = pop(w);
        if (next.distance > w->distance[next.point])
            continue;
        if (next.point < w->node_count)
        {
            PL_TRY(leave_node(w, next.point, radius));
            continue;
        }
        int32_t edge = next.point - w->node_count;
        for (int32_t q = w->edge_element.start[edge]; q < w->edge_element.start[edge + 1]; ++q)
            PL_TRY(cross_triangle(w, next.point, &w->element[w->edge_element.item[q]], radius));
    }
    return PL_OK;
}

// The greatest ratio of the triangles in which two points of a way are next to each other.
static double ratio_between(const pl__ways *w, int32_t a, int32_t b)
{
    int32_t edge = (a >= w->node_count ? a : b) - w->node_count, other = a >= w->node_count ? b : a;
    double ratio = 0;
    for (int32_t q = w->edge_element.start[edge]; q < w->edge_element.start[edge + 1]; ++q)
    {
        const pl__way_element *e = &w->element[w->edge_element.item[q]];
        for (int k = 0; k < 3; ++k)
            if (other == e->node[k] || other == w->node_count + e->edge[k])
                ratio = fmax(ratio, e->ratio);
    }
    return ratio;
}

// Where the apex of a triangle is in the plane, given its distances from a and b, left of the line from a to b.
static void lay(const double a[2], const double b[2], double from_a, double from_b, double apex[2])
{
    double d[2] = {b[0] - a[0], b[1] - a[1]}, l2 = d[0] * d[0] + d[1] * d[1];
    double along = l2 > 0 ? 0.5 * (1 + (from_a * from_a - from_b * from_b) / l2) : 0,
           up = sqrt(fmax(0, l2 > 0 ? from_a * from_a / l2 - along * along : 0));
    apex[0] = a[0] + along * d[0] - up * d[1];
    apex[1] = a[1] + along * d[1] + up * d[0];
}

// The triangles along a way laid into a plane: the edges that it crosses, right and left end, and where it ends.
static void unfold(pl__ways *w, int32_t from, int32_t to, const int32_t *edge, int32_t count, double end[2])
{
    double(*right)[2] = (double(*)[2])(void *)w->portal, (*left)[2] = right + count;
    int32_t r = w->edge_node[2 * edge[0]], l = w->edge_node[2 * edge[0] + 1];
    right[0][0] = between(at(w, from), at(w, r));
    right[0][1] = 0;
    lay((double[2]){0, 0}, right[0], between(at(w, from), at(w, l)), between(at(w, r), at(w, l)), left[0]);
    for (int32_t k = 1; k <= count; ++k)
    {
        int32_t apex = to;
        bool keeps_right = false;
        if (k < count)
        {
            const int32_t *next = &w->edge_node[2 * edge[k]];
            keeps_right = next[0] == r || next[1] == r;
            apex = next[next[0] == (keeps_right ? r : l)];
        }
        double place[2];
        lay(left[k - 1], right[k - 1], between(at(w, l), at(w, apex)), between(at(w, r), at(w, apex)), place);
        memcpy(end, place, sizeof place);
        if (k == count)
            break;
        memcpy(right[k], keeps_right ? right[k - 1] : place, sizeof place);
        memcpy(left[k], keeps_right ? place : left[k - 1], sizeof place);
        *(keeps_right ? &l : &r) = apex;
    }
}

static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double planar(const double a[2], const double b[2]) { return hypot(b[0] - a[0], b[1] - a[1]); }

// Length of the string through the portals, pulled taut: the funnel of what can be seen from the last corner narrows
// from edge to edge; where a side would cross the other, that is the next corner.
static double pull(const pl__ways *w, int32_t count, const double end[2])
{
    const double(*right)[2] = (const double(*)[2])(const void *)w->portal, (*left)[2] = right + count;
    double corner[2] = {0, 0}, length = 0;
    int32_t r = 0, l = 0;
    for (int32_t k = 1; k <= count; ++k)
    {
        const double *now_r = k < count ? right[k] : end, *now_l = k < count ? left[k] : end;
        int32_t next = -1;
        bool at_left = false;
        if (turn(corner, right[r], now_r) >= 0)
        {
            if (turn(corner, left[l], now_r) <= 0)
                r = k;
            else
            {
                at_left = true;
                next = l;
            }
        }
        if (next < 0 && turn(corner, left[l], now_l) <= 0)
        {
            if (r == k || turn(corner, right[r], now_l) >= 0)
                l = k;
            else
                next = r;
        }
        if (next < 0)
            continue;
        const double *to = at_left ? left[next] : right[next];
        length += planar(corner, to);
        memcpy(corner, to, sizeof corner);
        while (next + 1 < count &&
               (memcmp(left[next + 1], to, sizeof corner) == 0 || memcmp(right[next + 1], to, sizeof corner) == 0))
            ++next;
        // go on from the edge after the last that ends in this corner
        if (next + 1 >= count)
            break;
        r = l = next + 1;
        k = next + 1;
    }
    return length + planar(corner, end);
}

// Nodes of an edge include `node`.
static bool ends_in(const pl__ways *w, int32_t point, int32_t node)
{
    const int32_t *end = &w->edge_node[2 * (size_t)(point - w->node_count)];
    return end[0] == node || end[1] == node;
}

// A part of the way over triangles that passes no corner: from path[0] to path[count - 1], middles of edges between.
static double taut_part(pl__ways *w, int32_t *path, int32_t count)
{
    int32_t from = path[0], to = path[count - 1], first = 1, last = count - 2;
    double ratio = 0, end[2];
    for (int32_t i = 0; i + 1 < count; ++i)
        ratio = fmax(ratio, ratio_between(w, path[i], path[i + 1]));
    // edges that end where the way does are not crossed
    while (first <= last && ends_in(w, path[first], from))
        ++first;
    while (last >= first && ends_in(w, path[last], to))
        --last;
    if (last < first)
        return INFINITY;
    for (int32_t i = first; i <= last; ++i)
        path[i] -= w->node_count;
    unfold(w, from, to, &path[first], last - first + 1, end);
    return ratio * pull(w, last - first + 1, end);
}

double pl__ways_taut(pl__ways *w, int32_t from, int32_t to)
{
    int32_t count = 0;
    double length = 0;
    (void)from;
    for (int32_t p = to; p >= 0; p = w->parent[p])
        w->path[count++] = p;
    for (int32_t begin = 0, end; begin + 1 < count; begin = end)
    {
        end = begin + 1;
        while (w->path[end] >= w->node_count)
            ++end;
        double straight = w->distance[w->path[begin]] - w->distance[w->path[end]];
        length += end == begin + 1 ? straight : fmin(straight, taut_part(w, &w->path[begin], end - begin + 1));
    }
    return length;
}

// ---- straight ways -----------------------------------------------------------------------------------------------

// Clip [t0, t1] of the line x + t d to the side of the plane through p on which q is.
static void clip(const double x[3], const double d[3], const double normal[3], const double p[3], const double q[3],
                 double *t0, double *t1)
{
    double px[3], pq[3];
    sub(x, p, px);
    sub(q, p, pq);
    double sign = dot(pq, normal) < 0 ? -1 : 1, h = sign * dot(px, normal), slope = sign * dot(d, normal);
    double size = sqrt(dot(normal, normal) * dot(d, d));
    if (fabs(slope) <= slack * size)
    {
        if (h < -slack * size)
            *t1 = -1;
    }
    else if (slope > 0)
        *t0 = fmax(*t0, -h / slope);
    else
        *t1 = fmin(*t1, -h / slope);
}

static void clip_to_triangle(const pl__ways *w, const pl__way_element *e, const double x[3], const double d[3],
                             double *t0, double *t1)
{
    const double *X[3] = {at(w, e->node[0]), at(w, e->node[1]), at(w, e->node[2])};
    double a[3], b[3], n[3], away[3], side[3];
    sub(X[1], X[0], a);
    sub(X[2], X[0], b);
    cross(a, b, n);
    sub(x, X[0], away);
    double area = sqrt(dot(n, n)), length = sqrt(dot(d, d));
    if (fabs(dot(d, n)) > 1e-7 * area * length || fabs(dot(away, n)) > 1e-7 * area * length)
    {
        *t1 = -1; // it leaves the plane
        return;
    }
    for (int k = 0; k < 3; ++k)
    {
        sub(X[(k + 1) % 3], X[k], a);
        cross(a, n, side);
        clip(x, d, side, X[k], X[(k + 2) % 3], t0, t1);
    }
}

static void clip_to_solid(const pl__ways *w, const pl__way_element *e, const double x[3], const double d[3], double *t0,
                          double *t1)
{
    const pl__element_form *form = &pl__element_forms[e->corners == 4 ? PL_ELEMENT_TET : PL_ELEMENT_HEX];
    double center[3] = {0}, a[3], b[3], n[3];
    for (int32_t c = 0; c < e->corners; ++c)
        for (int i = 0; i < 3; ++i)
            center[i] += at(w, e->node[c])[i] / e->corners;
    for (int32_t f = 0; f < form->faces; ++f)
    {
        const int8_t *face = form->face[f];
        const double *p = at(w, e->node[face[0]]);
        sub(at(w, e->node[face[form->face_corners == 3 ? 1 : 2]]), p, a);
        sub(at(w, e->node[face[form->face_corners == 3 ? 2 : 3]]),
            form->face_corners == 3 ? p : at(w, e->node[face[1]]), b);
        cross(a, b, n);
        clip(x, d, n, p, center, t0, t1);
    }
}

// What the line has of an element: [t0, t1], empty if t1 < t0.
static void clip_to(const pl__ways *w, const pl__way_element *e, const double x[3], const double d[3], double *t0,
                    double *t1)
{
    *t0 = 0;
    *t1 = 1;
    if (e->corners == 3)
        clip_to_triangle(w, e, x, d, t0, t1);
    else if (e->corners > 3)
        clip_to_solid(w, e, x, d, t0, t1);
    else
        *t1 = -1;
}

// The element around `node` in which the line goes furthest beyond t.
static int32_t furthest(const pl__ways *w, int32_t node, const double x[3], const double d[3], double t, int32_t best,
                        double *reached)
{
    for (int32_t q = w->around.start[node]; q < w->around.start[node + 1]; ++q)
    {
        double t0, t1;
        clip_to(w, &w->element[w->around.item[q]], x, d, &t0, &t1);
        if (t0 <= t + slack && t1 > *reached)
        {
            *reached = t1;
            best = w->around.item[q];
        }
    }
    return best;
}

double pl__ways_straight(const pl__ways *w, int32_t from, int32_t to)
{
    double d[3], t = 0, length = 0;
    sub(at(w, to), at(w, from), d);
    double whole = sqrt(dot(d, d));
    int32_t here = -1;
    for (int32_t steps = 0; steps < w->element_count && t < 1 - slack; ++steps)
    {
        double reached = t + slack;
        int32_t next = -1;
        if (here < 0)
            next = furthest(w, from, at(w, from), d, t, next, &reached);
        for (int32_t c = 0; here >= 0 && c < w->element[here].corners; ++c)
            next = furthest(w, w->element[here].node[c], at(w, from), d, t, next, &reached);
        if (next < 0)
            return -1;
        here = next;
        length += w->element[here].ratio * (reached - t) * whole;
        t = reached;
    }
    return length;
}

// ---- along edges -------------------------------------------------------------------------------------------------

pl_status pl__ways_ball(pl__ways *w, int32_t node, double radius, int32_t *near, int32_t *count)
{
    w->heap_count = 0;
    w->time++;
    w->stamp[node] = w->time;
    w->distance[node] = 0;
    w->parent[node] = -1;
    *count = 0;
    PL_TRY(push(w, 0, node, 0));
    while (w->heap_count > 0)
    {
        pl__way_entry next = pop(w);
        if (next.distance > w->distance[next.point])
            continue;
        near[(*count)++] = next.point;
        for (int32_t k = w->neighbours.start[next.point]; k < w->neighbours.start[next.point + 1]; ++k)
            PL_TRY(reach(w, next.point, w->neighbours.item[k], w->length[k], radius));
    }
    return PL_OK;
}

pl_status pl__ways_nearest(pl__ways *w, const int32_t *source, int32_t source_count, int32_t most, int32_t *near,
                           double *distance)
{
    for (size_t k = 0; k < (size_t)w->node_count * (size_t)most; ++k)
        near[k] = -1;
    w->heap_count = 0;
    for (int32_t s = 0; s < source_count; ++s)
        PL_TRY(push(w, 0, source[s], s));
    while (w->heap_count > 0)
    {
        pl__way_entry next = pop(w);
        int32_t *mine = &near[(size_t)next.point * (size_t)most], k = 0;
        while (k < most && mine[k] >= 0 && mine[k] != next.source)
            ++k;
        if (k == most || mine[k] >= 0)
            continue;
        mine[k] = next.source;
        distance[(size_t)next.point * (size_t)most + (size_t)k] = next.distance;
        for (int32_t q = w->neighbours.start[next.point]; q < w->neighbours.start[next.point + 1]; ++q)
            PL_TRY(push(w, next.distance + w->length[q], w->neighbours.item[q], next.source));
    }
    return PL_OK;
}
