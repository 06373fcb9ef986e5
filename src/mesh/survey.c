// src/mesh/survey.c -- properties of a surface: closedness, orientation, connected components.
//
// Coincident vertices count as one, as files split them at seams. If a surface is closed and consistently oriented,
// each edge is used once in either direction.
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
    double x[3];
    int32_t vertex;
} spot;

// An edge from a lower to a higher vertex; `back` if its triangle has it in the other direction.
typedef struct
{
    int32_t low, high, back;
} edge;

static int compare_spots(const void *a, const void *b)
{
    const spot *p = a, *q = b;
    for (int i = 0; i < 3; ++i)
        if (p->x[i] != q->x[i])
            return p->x[i] < q->x[i] ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static int compare_edges(const void *a, const void *b)
{
    const edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return p->back - q->back;
}

bool pl__surface_weld(const pl_surface *s, int32_t *first)
{
    spot *list = PL_NEW(s->ctx, s->node_count, spot);
    if (!list)
        return false;
    for (int32_t n = 0; n < s->node_count; ++n)
    {
        list[n].vertex = n;
        for (int i = 0; i < 3; ++i)
            list[n].x[i] = s->position[3 * (size_t)n + (size_t)i] + 0.0; // -0 is 0
    }
    qsort(list, (size_t)s->node_count, sizeof *list, compare_spots);
    for (int32_t n = 0; n < s->node_count; ++n)
    {
        bool same = n > 0 && memcmp(list[n].x, list[n - 1].x, sizeof list[n].x) == 0;
        first[list[n].vertex] = same ? first[list[n - 1].vertex] : list[n].vertex;
    }
    PL_DELETE(s->ctx, list, s->node_count);
    return true;
}

static void count_run(const edge *run, int32_t count, pl_surface_info *info)
{
    int32_t back = 0;
    for (int32_t i = 0; i < count; ++i)
        back += run[i].back;
    if (count == 1)
        info->open_edges++;
    else if (count == 2)
        info->turned_edges += back != 1;
    else
        info->crowded_edges++;
}

static void count_edges(const pl_surface *s, const int32_t *first, edge *list, pl_surface_info *info)
{
    int32_t count = 0;
    for (int32_t k = 0; k < 3 * s->triangle_count; ++k)
    {
        int32_t a = first[s->triangle[k]], b = first[s->triangle[k % 3 == 2 ? k - 2 : k + 1]];
        if (a != b)
            list[count++] = (edge){a < b ? a : b, a < b ? b : a, a > b};
    }
    qsort(list, (size_t)count, sizeof *list, compare_edges);
    for (int32_t begin = 0, end; begin < count; begin = end)
    {
        end = begin + 1;
        while (end < count && list[end].low == list[begin].low && list[end].high == list[begin].high)
            ++end;
        count_run(&list[begin], end - begin, info);
    }
}

static int32_t root_of(int32_t *parent, int32_t n)
{
    while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
    return n;
}

// Connected components of triangles; unused vertices belong to none.
static void count_parts(const pl_surface *s, int32_t *parent, uint8_t *used, pl_surface_info *info)
{
    for (int32_t t = 0; t < s->triangle_count; ++t)
    {
        const int32_t *n = &s->triangle[3 * (size_t)t];
        for (int k = 0; k < 3; ++k)
            used[n[k]] = 1;
        for (int k = 1; k < 3; ++k)
            parent[root_of(parent, n[k])] = root_of(parent, n[0]);
    }
    enum
    {
        USED = 1,
        COUNTED = 2
    };
    for (int32_t n = 0; n < s->node_count; ++n)
        info->unused += !(used[n] & USED);
    for (int32_t t = 0; t < s->triangle_count; ++t)
    {
        int32_t root = root_of(parent, s->triangle[3 * (size_t)t]);
        info->parts += !(used[root] & COUNTED);
        used[root] |= COUNTED;
    }
}

static void measure(const pl_surface *s, pl_surface_info *info)
{
    for (int i = 0; i < 3; ++i)
    {
        info->lower[i] = INFINITY;
        info->upper[i] = -INFINITY;
    }
    for (int32_t t = 0; t < s->triangle_count; ++t)
    {
        const double *p[3];
        for (int k = 0; k < 3; ++k)
        {
            p[k] = &s->position[3 * (size_t)s->triangle[3 * (size_t)t + (size_t)k]];
            for (int i = 0; i < 3; ++i)
            {
                info->lower[i] = fmin(info->lower[i], p[k][i]);
                info->upper[i] = fmax(info->upper[i], p[k][i]);
            }
        }
        double n[3];
        for (int i = 0; i < 3; ++i)
        {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
        }
        info->area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        info->volume += (p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / 6;
    }
}

pl_status pl_surface_survey(const pl_surface *surface, pl_surface_info *info)
{
    if (!surface || !info)
        return PL_ERR_ARGUMENT;
    pl_context *ctx = surface->ctx;
    size_t nodes = (size_t)surface->node_count, corners = 3 * (size_t)surface->triangle_count;
    int32_t *first = PL_NEW(ctx, nodes, int32_t);
    edge *list = PL_NEW(ctx, corners, edge);
    uint8_t *used = PL_NEW(ctx, nodes, uint8_t);
    bool good = first && list && used && pl__surface_weld(surface, first);
    *info = (pl_surface_info){0};
    if (good)
    {
        count_edges(surface, first, list, info);
        count_parts(surface, first, used, info); // every vertex points to the first coincident one already
        measure(surface, info);
    }
    PL_DELETE(ctx, first, nodes);
    PL_DELETE(ctx, list, corners);
    PL_DELETE(ctx, used, nodes);
    return good ? PL_OK : PL_ERR_MEMORY;
}
