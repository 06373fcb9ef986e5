// src/mesh/solid.c -- closedness, orientation and distance of a surface.
//
// A surface is a chain of triangles; it is closed when its boundary, the sum of directed edges, cancels. Points that
// coincide exactly count as one, so duplicated vertices do no harm; triangles folded onto an edge cancel by themselves.
// The remainder are loops around holes. The area of a hole is estimated by the vector area of its loop, 1/2 sum a x
// b, which is exact for a flat hole, nearly zero for a crack, and needs no ordering of the edges: only the connected
// pieces of the boundary, found by union-find.
//
// For a closed surface the winding number is an integer everywhere, which callers use to avoid computing it.
//
// What it does badly: two halves whose seams do not share points look like two holes although nothing is missing. So
// open_area alone must not condemn a surface; see check_open in stuffing.c.
#include "solid.h"
#include "base/hash.h"
#include "point.h"

#include <stdlib.h>
#include <string.h>

// ---- merging points ----------------------------------------------------------------------------------------

typedef struct
{
    uint64_t key; // packed pair, smaller index in the high half; EMPTY when free
    int32_t sum;  // +1 for each use in the order of the key, -1 against it
} edge_slot;

static const uint64_t EMPTY = UINT64_MAX;

typedef struct
{
    int32_t *point;  // [node_count]  the first node at the same place
    int32_t *table;  // [table_size]  node + 1, 0 when free
    edge_slot *edge; // [edge_size]
    int32_t *parent; // [node_count]  union-find over open edges
    double *loop;    // [4 node_count]  vector area and length of each piece, at its root
    size_t table_size, edge_size;
} chain;

static size_t power_of_two(size_t at_least)
{
    size_t size = 16;
    while (size < at_least)
        size *= 2;
    return size;
}

static uint64_t hash_point(const double *p)
{
    double clean[3] = {p[0] + 0.0, p[1] + 0.0, p[2] + 0.0}; // -0 and 0 are the same place
    uint64_t bits[3];
    memcpy(bits, clean, sizeof bits);
    return pl__mix64(bits[0] ^ pl__mix64(bits[1] ^ pl__mix64(bits[2] + 1)));
}

static void merge_points(const pl_surface *surface, chain *c)
{
    for (int32_t i = 0; i < surface->node_count; ++i)
    {
        const double *p = &surface->position[3 * (size_t)i];
        size_t slot = hash_point(p) & (c->table_size - 1);
        for (; c->table[slot]; slot = (slot + 1) & (c->table_size - 1))
        {
            const double *q = &surface->position[3 * (size_t)(c->table[slot] - 1)];
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2])
                break;
        }
        if (!c->table[slot])
            c->table[slot] = i + 1;
        c->point[i] = c->table[slot] - 1;
    }
}

// ---- the boundary chain ------------------------------------------------------------------------------------

static void add_edge(chain *c, int32_t a, int32_t b)
{
    if (a == b)
        return;
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t key = (uint64_t)low << 32 | (uint32_t)high;
    size_t slot = pl__mix64(key) & (c->edge_size - 1);
    while (c->edge[slot].key != EMPTY && c->edge[slot].key != key)
        slot = (slot + 1) & (c->edge_size - 1);
    c->edge[slot].key = key;
    c->edge[slot].sum += a < b ? 1 : -1;
}

static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void join_open_edges(pl__solid *solid, chain *c)
{
    for (int32_t i = 0; i < solid->surface->node_count; ++i)
        c->parent[i] = i;
    for (size_t e = 0; e < c->edge_size; ++e)
        if (c->edge[e].sum)
        {
            int32_t a = find_root(c->parent, (int32_t)(c->edge[e].key >> 32));
            int32_t b = find_root(c->parent, (int32_t)(uint32_t)c->edge[e].key);
            c->parent[a > b ? a : b] = a > b ? b : a;
            solid->open_edges++;
        }
}

static void measure_loops(pl__solid *solid, chain *c)
{
    const double *position = solid->surface->position;
    for (size_t e = 0; e < c->edge_size; ++e)
        if (c->edge[e].sum)
        {
            int32_t low = (int32_t)(c->edge[e].key >> 32), root = find_root(c->parent, low);
            double a[3], b[3], n[3];
            pl__sub3(&position[3 * (size_t)low], solid->bvh->center, a);
            pl__sub3(&position[3 * (size_t)(uint32_t)c->edge[e].key], solid->bvh->center, b);
            pl__cross3(a, b, n);
            for (int d = 0; d < 3; ++d)
                c->loop[4 * (size_t)root + d] += 0.5 * c->edge[e].sum * n[d];
            c->loop[4 * (size_t)root + 3] += abs(c->edge[e].sum) * sqrt(pl__distance_squared3(a, b));
        }
    for (int32_t i = 0; i < solid->surface->node_count; ++i)
    {
        double length = c->loop[4 * (size_t)i + 3];
        solid->open_area += pl__length3(&c->loop[4 * (size_t)i]);
        solid->open_length += length;
        solid->open_square += length * length;
        solid->open_loop = pl__max(solid->open_loop, length);
    }
}

// A BVH over the open edges, for distances.
static pl_status collect_open_edges(pl__solid *solid, const chain *c)
{
    if (solid->open_edges == 0)
        return PL_OK;
    int32_t *triangle = PL_NEW(solid->ctx, 3 * (size_t)solid->open_edges, int32_t), count = 0;
    if (!triangle)
        return PL_ERR_MEMORY;
    for (size_t e = 0; e < c->edge_size; ++e)
        if (c->edge[e].sum)
        {
            int32_t a = (int32_t)(c->edge[e].key >> 32), b = (int32_t)(uint32_t)c->edge[e].key,
                    *t = &triangle[3 * count++];
            t[0] = a, t[1] = b, t[2] = b;
        }
    pl_surface edges = *solid->surface;
    edges.triangle = triangle, edges.triangle_count = count;
    pl_status status = pl__bvh_create(&edges, &solid->holes);
    PL_DELETE(solid->ctx, triangle, 3 * (size_t)solid->open_edges);
    return status;
}

static pl_status find_holes(pl__solid *solid)
{
    pl_context *ctx = solid->ctx;
    const pl_surface *s = solid->surface;
    size_t nodes = (size_t)s->node_count, corners = 3 * (size_t)s->triangle_count;
    chain c = {.table_size = power_of_two(2 * nodes), .edge_size = power_of_two(2 * corners)};
    c.point = PL_NEW(ctx, nodes, int32_t);
    c.table = PL_NEW(ctx, c.table_size, int32_t);
    c.edge = PL_NEW(ctx, c.edge_size, edge_slot);
    c.parent = PL_NEW(ctx, nodes, int32_t);
    c.loop = PL_NEW(ctx, 4 * nodes, double);
    pl_status status = c.point && c.table && c.edge && c.parent && c.loop ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
    {
        merge_points(s, &c);
        for (size_t e = 0; e < c.edge_size; ++e)
            c.edge[e].key = EMPTY;
        for (size_t i = 0; i < corners; ++i)
            add_edge(&c, c.point[s->triangle[i]], c.point[s->triangle[i % 3 == 2 ? i - 2 : i + 1]]);
        join_open_edges(solid, &c);
        measure_loops(solid, &c);
        status = collect_open_edges(solid, &c);
    }
    PL_DELETE(ctx, c.point, nodes);
    PL_DELETE(ctx, c.table, c.table_size);
    PL_DELETE(ctx, c.edge, c.edge_size);
    PL_DELETE(ctx, c.parent, nodes);
    PL_DELETE(ctx, c.loop, 4 * nodes);
    return status;
}

// ---- the solid ---------------------------------------------------------------------------------------------

static void measure(pl__solid *solid)
{
    for (int32_t i = 0; i < solid->bvh->triangle_count; ++i)
    {
        const double *c = &solid->bvh->corner[9 * (size_t)i];
        double e0[3], e1[3], n[3];
        pl__sub3(c + 3, c, e0);
        pl__sub3(c + 6, c, e1);
        pl__cross3(e0, e1, n);
        solid->area += 0.5 * pl__length3(n);
        solid->volume += pl__dot3(c, n) / 6;
    }
    solid->side = solid->volume < 0 ? -1 : 1;
    solid->volume *= solid->side;
}

pl_status pl__solid_create(const pl_surface *surface, pl__solid **result)
{
    *result = NULL;
    pl__solid *solid = PL_NEW(surface->ctx, 1, pl__solid);
    if (!solid)
        return PL_ERR_MEMORY;
    solid->ctx = surface->ctx;
    solid->surface = surface;
    pl_status status = pl__bvh_create(surface, &solid->bvh);
    if (status == PL_OK)
        status = pl__winding_create(solid->bvh, &solid->winding);
    if (status == PL_OK)
        status = find_holes(solid);
    if (status != PL_OK)
    {
        pl__solid_destroy(&solid);
        return status;
    }
    measure(solid);
    if (solid->side < 0)
        pl__log(solid->ctx, PL_LOG_NOTE, "the surface is inside out (volume %g) and was turned", -solid->volume);
    *result = solid;
    return PL_OK;
}

void pl__solid_destroy(pl__solid **solid)
{
    pl__solid *s = *solid;
    if (!s)
        return;
    pl_context *ctx = s->ctx;
    pl__bvh_destroy(&s->holes);
    pl__winding_destroy(&s->winding);
    pl__bvh_destroy(&s->bvh);
    PL_DELETE(ctx, s, 1);
    *solid = NULL;
}

double pl__solid_winding(const pl__solid *solid, const double query[3])
{
    return pl__winding_number(solid->winding, query, solid->side);
}

// The gradient of the winding number is the field of a current along the open edges (Biot & Savart), at most
// L / (4 pi d^2) at distance d. Farther away loops are dipoles: a loop of length l is spanned by a membrane of area
// l^2 / (4 pi) at most, nowhere farther than l / 4 from the loop, and the gradient of a dipole layer is at most 2 A /
// (4 pi d^3).
double pl__solid_winding_slope(const pl__solid *solid, double distance)
{
    const double pi = 3.14159265358979323846;
    double slope = solid->open_length / (4 * pi * distance * distance), beyond = distance - solid->open_loop / 4;
    return beyond > 0 ? pl__min(slope, solid->open_square / (8 * pi * pi * beyond * beyond * beyond)) : slope;
}

double pl__solid_distance(const pl__solid *solid, const double query[3], double closest[3], int32_t *triangle)
{
    double distance = pl__bvh_closest(solid->bvh, query, closest, triangle);
    return pl__solid_inside(solid, query) ? -distance : distance;
}
