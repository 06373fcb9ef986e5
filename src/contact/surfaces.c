// src/contact/surfaces.c -- triangles of all bodies, with their edges and vertices, each once.
//
// Vertices are found by marking nodes. Edges are found by hanging every edge on its lower node, in a chain of those
// that hang there already: a node has a handful, so looking along the chain is quick, and edges are numbered as they
// appear. Everything follows from the order of the input alone. A fan of thousands of triangles about one node makes a
// long chain, and is slow.
#include "surfaces.h"

#include <math.h>
#include <string.h>

static size_t matrix_bytes(int32_t part_count) { return ((size_t)part_count * (size_t)part_count + 7) / 8; }

static void set_bit(pl__surfaces *s, int32_t a, int32_t b, bool collide)
{
    size_t bit = (size_t)a * (size_t)s->part_count + (size_t)b;
    uint8_t mask = (uint8_t)(1u << bit % 8);
    s->apart[bit / 8] = collide ? (uint8_t)(s->apart[bit / 8] & ~mask) : (uint8_t)(s->apart[bit / 8] | mask);
}

static int32_t part_of_body(const pl__surfaces *s, int32_t body)
{
    for (int32_t p = 0; p < s->part_count; ++p)
        if (s->body[p] == body)
            return p;
    return -1;
}

pl_status pl__surfaces_set_collide(pl__surfaces *s, int32_t body, int32_t other, bool collide)
{
    int32_t a = part_of_body(s, body), b = part_of_body(s, other);
    PL_CHECK(s->ctx, a >= 0, "body %d has no surface that collides", body);
    PL_CHECK(s->ctx, b >= 0, "body %d has no surface that collides", other);
    set_bit(s, a, b, collide);
    set_bit(s, b, a, collide);
    return PL_OK;
}

void pl__surfaces_set_self(pl__surfaces *s, int32_t part, bool collide) { set_bit(s, part, part, collide); }

pl_status pl__surfaces_set_origins(pl__surfaces *s, const int32_t *origin)
{
    if (!s->origin && !(s->origin = PL_NEW(s->ctx, s->node_bound, int32_t)))
        return PL_ERR_MEMORY;
    memcpy(s->origin, origin, (size_t)s->node_bound * sizeof *origin);
    return PL_OK;
}

// ---- checks --------------------------------------------------------------------------------------------------------

static pl_status check_triangle(pl_context *ctx, const pl__surface_part *part, int32_t t)
{
    const int32_t *n = &part->triangle[3 * (size_t)t];
    for (int k = 0; k < 3; ++k)
    {
        PL_CHECK(ctx, n[k] >= 0 && n[k] < INT32_MAX / 3, "triangle %d of body %d has node %d, must be in [0, %d)", t,
                 part->body, n[k], INT32_MAX / 3);
        PL_CHECK(ctx, n[k] != n[(k + 1) % 3], "triangle %d of body %d has node %d twice", t, part->body, n[k]);
    }
    return PL_OK;
}

static pl_status check_part(pl_context *ctx, const pl__surface_part *part)
{
    PL_CHECK(ctx, part->triangle_count >= 0, "surface of body %d has %d triangles, must be >= 0", part->body,
             part->triangle_count);
    PL_CHECK(ctx, part->thickness >= 0 && part->thickness < INFINITY,
             "thickness of body %d is %g, must be finite and >= 0", part->body, part->thickness);
    for (int32_t t = 0; t < part->triangle_count; ++t)
        PL_TRY(check_triangle(ctx, part, t));
    return PL_OK;
}

static pl_status check_parts(pl_context *ctx, const pl__surface_part *part, int32_t part_count)
{
    int64_t total = 0;
    for (int32_t p = 0; p < part_count; ++p)
    {
        PL_TRY(check_part(ctx, &part[p]));
        total += part[p].triangle_count;
    }
    PL_CHECK(ctx, total <= INT32_MAX / 9, "surfaces have %lld triangles, at most %d fit", (long long)total,
             INT32_MAX / 9);
    return PL_OK;
}

// ---- vertices and edges --------------------------------------------------------------------------------------------

static void copy_parts(pl__surfaces *s, const pl__surface_part *part)
{
    for (int32_t p = 0; p < s->part_count; ++p)
    {
        int32_t *to = &s->triangle[3 * (size_t)s->triangle_start[p]];
        if (part[p].triangle_count > 0)
            memcpy(to, part[p].triangle, 3 * (size_t)part[p].triangle_count * sizeof *to);
        s->triangle_start[p + 1] = s->triangle_start[p] + part[p].triangle_count;
        s->body[p] = part[p].body;
        s->thickness[p] = part[p].thickness;
        set_bit(s, p, p, part[p].self);
    }
}

static pl_status check_bodies(const pl__surfaces *s)
{
    for (int32_t p = 0; p < s->part_count; ++p)
        PL_CHECK(s->ctx, part_of_body(s, s->body[p]) == p, "body %d has two surfaces, must have one", s->body[p]);
    return PL_OK;
}

static pl_status number_vertices(pl__surfaces *s)
{
    memset(s->node_vertex, -1, (size_t)s->node_bound * sizeof *s->node_vertex);
    for (int32_t p = 0; p < s->part_count; ++p)
        for (size_t i = 3 * (size_t)s->triangle_start[p]; i < 3 * (size_t)s->triangle_start[p + 1]; ++i)
        {
            int32_t node = s->triangle[i], *vertex = &s->node_vertex[node];
            if (*vertex < 0)
            {
                *vertex = s->vertex_count++;
                s->vertex[*vertex] = node;
                s->vertex_part[*vertex] = p;
            }
            PL_CHECK(s->ctx, s->vertex_part[*vertex] == p, "node %d is part of bodies %d and %d, must be of one", node,
                     s->body[s->vertex_part[*vertex]], s->body[p]);
        }
    return PL_OK;
}

// Chains of the edges that hang on each node.
typedef struct
{
    int32_t *first; // [node_bound] -1: none
    int32_t *next;  // [3 triangle_count]
} chains;

static int32_t edge_between(pl__surfaces *s, chains *c, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, *link = &c->first[low];
    while (*link >= 0 && s->edge[*link].node[1] != high)
        link = &c->next[*link];
    if (*link < 0)
    {
        *link = s->edge_count++;
        c->next[*link] = -1;
        s->edge[*link] = (pl__surface_edge){{low, high}, {-1, -1}};
    }
    return *link;
}

static void number_edges(pl__surfaces *s, chains *c)
{
    memset(c->first, -1, (size_t)s->node_bound * sizeof *c->first);
    for (int32_t t = 0; t < s->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
        {
            const int32_t *node = &s->triangle[3 * (size_t)t];
            int32_t e = edge_between(s, c, node[k], node[(k + 1) % 3]);
            int32_t *beside = s->edge[e].triangle;
            s->triangle_edge[3 * (size_t)t + (size_t)k] = e;
            if (beside[0] < 0)
                beside[0] = t;
            else if (beside[1] < 0)
                beside[1] = t;
        }
}

// ---- life ----------------------------------------------------------------------------------------------------------

static void measure(pl__surfaces *s, const pl__surface_part *part)
{
    for (int32_t p = 0; p < s->part_count; ++p)
    {
        s->triangle_count += part[p].triangle_count;
        for (size_t i = 0; i < 3 * (size_t)part[p].triangle_count; ++i)
            if (part[p].triangle[i] >= s->node_bound)
                s->node_bound = part[p].triangle[i] + 1;
    }
}

static bool allocate(pl__surfaces *s)
{
    size_t corners = 3 * (size_t)s->triangle_count, parts = (size_t)s->part_count;
    return (s->triangle = PL_NEW(s->ctx, corners, int32_t)) && (s->triangle_edge = PL_NEW(s->ctx, corners, int32_t)) &&
           (s->triangle_start = PL_NEW(s->ctx, parts + 1, int32_t)) &&
           (s->edge = PL_NEW(s->ctx, corners, pl__surface_edge)) && (s->vertex = PL_NEW(s->ctx, corners, int32_t)) &&
           (s->vertex_part = PL_NEW(s->ctx, corners, int32_t)) &&
           (s->node_vertex = PL_NEW(s->ctx, s->node_bound, int32_t)) && (s->body = PL_NEW(s->ctx, parts, int32_t)) &&
           (s->thickness = PL_NEW(s->ctx, parts, double)) &&
           (s->apart = PL_NEW(s->ctx, matrix_bytes(s->part_count), uint8_t));
}

static pl_status fill(pl__surfaces *s, const pl__surface_part *part)
{
    if (!allocate(s))
        return PL_ERR_MEMORY;
    copy_parts(s, part);
    PL_TRY(check_bodies(s));
    PL_TRY(number_vertices(s));
    size_t nodes = (size_t)s->node_bound, corners = 3 * (size_t)s->triangle_count;
    chains c = {PL_NEW(s->ctx, nodes, int32_t), PL_NEW(s->ctx, corners, int32_t)};
    bool enough = c.first && c.next;
    if (enough)
        number_edges(s, &c);
    PL_DELETE(s->ctx, c.first, nodes);
    PL_DELETE(s->ctx, c.next, corners);
    return enough ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__surfaces_create(pl_context *ctx, const pl__surface_part *part, int32_t part_count,
                              pl__surfaces **surfaces)
{
    *surfaces = NULL;
    PL_TRY(check_parts(ctx, part, part_count));
    pl__surfaces *s = PL_NEW(ctx, 1, pl__surfaces);
    if (!s)
        return PL_ERR_MEMORY;
    s->ctx = ctx;
    s->part_count = part_count;
    measure(s, part);
    pl_status status = fill(s, part);
    if (status != PL_OK)
        pl__surfaces_destroy(&s);
    *surfaces = s;
    return status;
}

void pl__surfaces_destroy(pl__surfaces **surfaces)
{
    pl__surfaces *s = *surfaces;
    if (!s)
        return;
    size_t corners = 3 * (size_t)s->triangle_count, parts = (size_t)s->part_count;
    PL_DELETE(s->ctx, s->triangle, corners);
    PL_DELETE(s->ctx, s->triangle_edge, corners);
    PL_DELETE(s->ctx, s->triangle_start, parts + 1);
    PL_DELETE(s->ctx, s->edge, corners);
    PL_DELETE(s->ctx, s->vertex, corners);
    PL_DELETE(s->ctx, s->vertex_part, corners);
    PL_DELETE(s->ctx, s->node_vertex, s->node_bound);
    PL_DELETE(s->ctx, s->body, parts);
    PL_DELETE(s->ctx, s->thickness, parts);
    PL_DELETE(s->ctx, s->apart, matrix_bytes(s->part_count));
    PL_DELETE(s->ctx, s->origin, s->node_bound);
    PL_DELETE(s->ctx, s, 1);
    *surfaces = NULL;
}
