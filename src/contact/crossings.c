// src/contact/crossings.c -- all triangles that cross, and where edges go through them.
//
// Tasks cannot ask for memory: what does not fit is counted, and all is done again with more room. Where an edge passes
// is computed: weights are right to rounding, and forced into the triangle.
//
// Whether it passes is decided exactly, but two things speak against the plain test. Grids that fit cross edge through
// edge and corner through corner, and nothing is pierced strictly; so borders count. Boxes that stand on each other
// with the same outline touch all along their borders, and must not; so closed surfaces are shrunk a little first,
// which tells touching from crossing.
#include "crossings.h"
#include "tolerances.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// ---- life ----------------------------------------------------------------------------------------------------------

static void find_closed(pl__crossing_list *list)
{
    const pl__surfaces *s = list->tree->surfaces;
    memset(list->closed, 1, (size_t)s->part_count);
    for (int32_t e = 0; e < s->edge_count; ++e)
        if (s->edge[e].triangle[1] < 0)
            list->closed[s->vertex_part[s->node_vertex[s->edge[e].node[0]]]] = 0;
}

pl_status pl__crossing_list_create(pl__tree *tree, pl__crossing_list *list)
{
    pl_context *ctx = tree->ctx;
    *list =
        (pl__crossing_list){.ctx = ctx, .tree = tree, .chunk_count = pl__chunk_count(tree->leaf_count, PL__LEAF_CHUNK)};
    list->chunk = PL_NEW(ctx, list->chunk_count, pl__crossing_chunk);
    list->closed = PL_NEW(ctx, tree->surfaces->part_count, uint8_t);
    list->shrunk = PL_NEW(ctx, 3 * (size_t)tree->surfaces->node_bound, double);
    if (!list->chunk || !list->closed || !list->shrunk)
    {
        pl__crossing_list_destroy(list);
        return PL_ERR_MEMORY;
    }
    find_closed(list);
    return PL_OK;
}

void pl__crossing_list_destroy(pl__crossing_list *list)
{
    if (!list->ctx)
        return;
    for (int32_t i = 0; list->chunk && i < list->chunk_count; ++i)
        PL_DELETE(list->ctx, list->chunk[i].item, list->chunk[i].capacity);
    PL_DELETE(list->ctx, list->chunk, list->chunk_count);
    PL_DELETE(list->ctx, list->closed, list->tree->surfaces->part_count);
    PL_DELETE(list->ctx, list->shrunk, 3 * (size_t)list->tree->surfaces->node_bound);
    PL_DELETE(list->ctx, list->crossing, list->capacity);
    PL_DELETE(list->ctx, list->piercing, list->piercing_capacity);
    *list = (pl__crossing_list){0};
}

static pl_vec3 load(const double *x, int32_t n)
{
    return pl_make3(x[3 * (size_t)n], x[3 * (size_t)n + 1], x[3 * (size_t)n + 2]);
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

// Towards the inside along the mean normal, by a millionth of the root of the area around a node.
static void shrink(pl__crossing_list *list, const double *x)
{
    const pl__surfaces *s = list->tree->surfaces;
    memset(list->shrunk, 0, 3 * (size_t)s->node_bound * sizeof(double));
    for (int32_t t = 0; t < s->triangle_count; ++t)
    {
        const int32_t *n = &s->triangle[3 * (size_t)t];
        pl_vec3 normal = pl_cross3(pl_sub3(load(x, n[1]), load(x, n[0])), pl_sub3(load(x, n[2]), load(x, n[0])));
        for (size_t k = 0; k < 9 && list->closed[s->vertex_part[s->node_vertex[n[0]]]]; ++k)
            list->shrunk[3 * (size_t)n[k / 3] + k % 3] += normal.v[k % 3];
    }
    for (int32_t i = 0; i < s->vertex_count; ++i)
    {
        double *to = &list->shrunk[3 * (size_t)s->vertex[i]], size = pl_length3(pl_make3(to[0], to[1], to[2]));
        for (size_t k = 0; k < 3; ++k)
            to[k] = x[3 * (size_t)s->vertex[i] + k] - (size > 0 ? PL__CROSSING_SHRINK / sqrt(size) * to[k] : 0);
    }
}

static bool has_node(const int32_t triangle[3], int32_t node)
{
    return triangle[0] == node || triangle[1] == node || triangle[2] == node;
}

// Which edges of triangle `t` pass `u`; an edge that begins at a corner of the other does not.
static uint32_t passes(const pl__crossing_list *list, int32_t t, int32_t u)
{
    const pl__surfaces *s = list->tree->surfaces;
    const double *x = list->shrunk;
    const int32_t *m = &s->triangle[3 * (size_t)t], *n = &s->triangle[3 * (size_t)u];
    double corner[3][3];
    uint32_t bits = 0;
    bool apart = true;
    for (int k = 0; k < 3; ++k)
    {
        memcpy(corner[k], &x[3 * (size_t)n[k]], sizeof corner[k]);
        apart &= !has_node(m, n[k]);
    }
    for (int k = 0; k < 3; ++k)
    {
        int32_t a = m[k], b = m[(k + 1) % 3];
        const double *p = &x[3 * (size_t)a], *q = &x[3 * (size_t)b];
        if (has_node(n, a) || has_node(n, b))
            continue;
        bool pass =
            (apart ? pl__segment_passes_triangle : pl__segment_pierces_triangle)(p, q, (const double(*)[3])corner);
        bits |= (uint32_t)pass << k;
    }
    return bits;
}

static void take(void *argument, int32_t chunk, int32_t t, int32_t u)
{
    const pl__crossing_list *list = argument;
    pl__crossing_chunk *c = &list->chunk[chunk];
    if (c->count < c->capacity)
        c->item[c->count] = (pl__crossing){{t, u}, passes(list, t, u) | passes(list, u, t) << 3};
    c->count++;
}

// More memory for those that had too little.
static pl_status make_room(pl__crossing_list *list, bool *complete)
{
    *complete = true;
    for (int32_t i = 0; i < list->chunk_count; ++i)
    {
        pl__crossing_chunk *c = &list->chunk[i];
        if (c->count <= c->capacity)
            continue;
        *complete = false;
        if (!PL_GROW(list->ctx, c->item, &c->capacity, c->count + c->count / 2))
            return PL_ERR_MEMORY;
    }
    return PL_OK;
}

static pl_status gather(pl__crossing_list *list)
{
    size_t total = 0, at = 0;
    for (int32_t i = 0; i < list->chunk_count; ++i)
        total += list->chunk[i].count;
    if (total > INT32_MAX / 6)
        return pl__fail(list->ctx, PL_ERR_MEMORY, "%zu pairs of triangles cross, at most %d fit", total, INT32_MAX / 6);
    if (!PL_GROW(list->ctx, list->crossing, &list->capacity, total))
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < list->chunk_count; at += list->chunk[i++].count)
        if (list->chunk[i].count > 0)
            memcpy(&list->crossing[at], list->chunk[i].item, list->chunk[i].count * sizeof *list->crossing);
    list->count = (int32_t)total;
    return PL_OK;
}

// ---- where edges pass
// ------------------------------------------------------------------------------------------------

static double within(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

// Weights of the corners at a point of the plane, forced into the triangle.
static void weigh(const pl_vec3 corner[3], pl_vec3 normal, pl_vec3 point, double weight[3])
{
    double area = pl_dot3(normal, normal), sum = 0;
    for (int k = 0; k < 3; ++k)
    {
        pl_vec3 a = pl_sub3(corner[(k + 1) % 3], point), b = pl_sub3(corner[(k + 2) % 3], point);
        weight[k] = area > 0 ? within(pl_dot3(pl_cross3(a, b), normal) / area, 0, 1) : 1;
        sum += weight[k];
    }
    weight[0] = sum > 0 ? weight[0] / sum : 1;
    weight[1] = sum > 0 ? weight[1] / sum : 0;
    weight[2] = within(1 - weight[0] - weight[1], 0, 1);
}

static pl__piercing locate(const pl__surfaces *s, const double *x, int32_t edge, int32_t triangle)
{
    const int32_t *n = &s->triangle[3 * (size_t)triangle];
    pl__piercing found = {.edge = edge, .triangle = triangle};
    pl_vec3 p = load(x, s->edge[edge].node[0]), q = load(x, s->edge[edge].node[1]), corner[3];
    for (int k = 0; k < 3; ++k)
        corner[k] = load(x, n[k]);
    pl_vec3 normal = pl_cross3(pl_sub3(corner[1], corner[0]), pl_sub3(corner[2], corner[0]));
    double height = pl_dot3(normal, pl_sub3(p, corner[0])), climb = pl_dot3(normal, pl_sub3(q, p));
    found.along = climb != 0 ? within(-height / climb, 0, 1) : 0.5;
    weigh(corner, normal, pl_axpy3(found.along, pl_sub3(q, p), p), found.weight);
    return found;
}

// An edge is a matter of the first triangle beside it, which crosses whatever the edge passes.
static pl_status list_piercings(pl__crossing_list *list, const double *x)
{
    const pl__surfaces *s = list->tree->surfaces;
    for (int32_t i = 0; i < list->count; ++i)
        for (int bit = 0; bit < 6; ++bit)
        {
            const pl__crossing *c = &list->crossing[i];
            int32_t own = c->triangle[bit / 3], other = c->triangle[1 - bit / 3],
                    edge = s->triangle_edge[3 * (size_t)own + (size_t)(bit % 3)];
            if (!(c->passes >> bit & 1) || s->edge[edge].triangle[0] != own)
                continue;
            if (!PL_GROW(list->ctx, list->piercing, &list->piercing_capacity, (size_t)list->piercing_count + 1))
                return PL_ERR_MEMORY;
            list->piercing[list->piercing_count++] = locate(s, x, edge, other);
        }
    return PL_OK;
}

static pl_status find(pl__crossing_list *list, const double *x)
{
    shrink(list, x);
    for (bool complete = false; !complete;)
    {
        for (int32_t i = 0; i < list->chunk_count; ++i)
            list->chunk[i].count = 0;
        pl__crossings_visit(list->tree, x, &(pl__crossing_sink){take, list});
        PL_TRY(make_room(list, &complete));
    }
    PL_TRY(gather(list));
    return list_piercings(list, x);
}

pl_status pl__crossing_list_find(pl__crossing_list *list, const double *x)
{
    list->count = list->piercing_count = 0;
    pl_status status = find(list, x);
    if (status != PL_OK)
        list->count = list->piercing_count = 0;
    return status;
}
