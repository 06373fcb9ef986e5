// src/embed/cut_tidy.c -- makes a cut surface a manifold by vertex indices, also where cracks leave tets connected by
// an edge or a node only.
//
// A cut surface is closed by construction: each edge has an id that exactly two triangles share. But both sides of a
// crack share their vertices at the crack front, and several edges may then connect the same two vertices; for
// example, two separated faces with a common edge whose nodes are connected by tets all around. Programs that identify
// edges by vertices cannot tell them apart. Each such edge gets a midpoint, by id, and its triangles are divided into
// a fan around a point of their own. Triangles that use a vertex twice, from the triangulation of coincident slits,
// are removed. Vertices with more than one fan of triangles are duplicated. Nothing moves.
#include "base/hash.h"
#include "cut_result.h"
#include "math/mat3.h"

#include <string.h>

// ---- hash table
// -----------------------------------------------------------------------------------------------------

typedef struct
{
    pl_context *ctx;
    uint64_t *key; // UINT64_MAX: empty
    int32_t *value;
    size_t capacity; // a power of two
} table;

static bool table_create(pl_context *ctx, size_t most, table *t)
{
    *t = (table){.ctx = ctx, .capacity = 16};
    while (t->capacity < 2 * most)
        t->capacity *= 2;
    t->key = PL_NEW(ctx, t->capacity, uint64_t);
    t->value = PL_NEW(ctx, t->capacity, int32_t);
    if (!t->key || !t->value)
        return false;
    memset(t->key, 0xff, sizeof *t->key * t->capacity);
    return true;
}

static void table_done(table *t)
{
    PL_DELETE(t->ctx, t->key, t->capacity);
    PL_DELETE(t->ctx, t->value, t->capacity);
}

// The value of a key, initialised to `value` on first use.
static int32_t *table_at(table *t, uint64_t key, int32_t value)
{
    size_t i = pl__mix64(key) & (t->capacity - 1);
    while (t->key[i] != UINT64_MAX && t->key[i] != key)
        i = (i + 1) & (t->capacity - 1);
    if (t->key[i] == UINT64_MAX)
        t->key[i] = key, t->value[i] = value;
    return &t->value[i];
}

// ---- parts and caps
// -------------------------------------------------------------------------------------------------

typedef struct
{
    int32_t vertex[3], source, label;
    uint64_t name[3];
    double extra[6];    // place or normal
    bool cap, again[3]; // again: edges to be divided
} record;

typedef struct
{
    pl__cut_job *job;
    record *list;
    int32_t count;
    table middle; // midpoint by edge id
    table alias;  // edge ids that were merged: index in `other`
    uint64_t *other;
    int32_t other_count;
} tidying;

static int32_t near_count(const pl__cut_result *r) { return r->triangle_count - r->part_begin; }

static uint64_t directed(int32_t a, int32_t b) { return (uint64_t)a << 32 | (uint64_t)b; }

static bool is_folded(const int32_t v[3]) { return v[0] == v[1] || v[1] == v[2] || v[2] == v[0]; }

static void take_out(const pl__cut_job *job, int32_t i, record *out)
{
    const pl__cut_result *r = job->result;
    int32_t t = r->part_begin + i;
    *out = (record){.source = r->source[t], .label = r->piece[t], .cap = t >= r->cap_begin};
    memcpy(out->vertex, &r->triangle[3 * (size_t)t], sizeof out->vertex);
    memcpy(out->name, &job->name[3 * (size_t)i], sizeof out->name);
    if (out->cap)
        memcpy(out->extra, &r->normal[3 * (size_t)(t - r->cap_begin)], 3 * sizeof *out->extra);
    else
        memcpy(out->extra, &r->place[6 * (size_t)i], 6 * sizeof *out->extra);
}

// Count each directed edge, without triangles that use a vertex twice. Returns whether there are such triangles or
// repeated edges.
static bool count_edges(const pl__cut_result *r, table *edges)
{
    bool any = false;
    const int32_t *v = &r->triangle[3 * (size_t)r->part_begin];
    for (int32_t i = 0; i < near_count(r); ++i, v += 3)
    {
        any |= is_folded(v);
        for (int k = 0; k < 3 && !is_folded(v); ++k)
            any |= ++*table_at(edges, directed(v[k], v[(k + 1) % 3]), 0) > 1;
    }
    return any;
}

// The representative of an edge id.
static uint64_t find_name(tidying *t, uint64_t name)
{
    for (int32_t at; (at = *table_at(&t->alias, name, -1)) >= 0; name = t->other[at])
        ;
    return name;
}

// Remove a triangle that uses a vertex twice; its two edges become one.
static void unfold(tidying *t, const record *r)
{
    for (int k = 0; k < 3; ++k)
    {
        uint64_t a = find_name(t, r->name[k]), b = find_name(t, r->name[(k + 1) % 3]);
        if (r->vertex[k] != r->vertex[(k + 2) % 3] || a == b)
            continue;
        *table_at(&t->alias, a, -1) = t->other_count;
        t->other[t->other_count++] = b;
    }
}

// Edges to be divided: all with the same end points, except sides of the surface, which an uncut triangle may share.
static void choose_edges(tidying *t, table *edges)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < t->count; ++i)
        if (is_folded(t->list[i].vertex))
            unfold(t, &t->list[i]);
    for (int32_t i = 0; i < t->count; ++i)
    {
        record r = t->list[i];
        if (is_folded(r.vertex))
            continue;
        for (int k = 0; k < 3; ++k)
        {
            int32_t a = r.vertex[k], b = r.vertex[(k + 1) % 3];
            r.name[k] = find_name(t, r.name[k]);
            bool side = r.name[k] >> 62 == 3;
            r.again[k] = !side && (*table_at(edges, directed(a, b), 0) > 1 || *table_at(edges, directed(b, a), 0) > 1);
        }
        t->list[kept++] = r;
    }
    t->count = kept;
}

// ---- midpoints
// ------------------------------------------------------------------------------------------------------

static pl_vec3 node_vector(const pl__cut *cut, int32_t tet, int corner)
{
    const double *x = &cut->node[3 * (size_t)cut->tet[4 * (size_t)tet + (size_t)corner]];
    return pl_make3(x[0], x[1], x[2]);
}

static pl_vec3 position_of(const pl__cut_job *job, int32_t vertex)
{
    int32_t tet = job->result->tet[vertex];
    const double *w = &job->result->weight[3 * (size_t)vertex];
    pl_vec3 x0 = node_vector(job->cut, tet, 0), x = x0;
    for (int c = 0; c < 3; ++c)
        x = pl_axpy3(w[c], pl_sub3(node_vector(job->cut, tet, c + 1), x0), x);
    return x;
}

// Add the midpoint of some vertices, carried by `tet`.
static int32_t add_middle(const pl__cut_job *job, const int32_t *vertex, int count, int32_t tet)
{
    pl_vec3 sum = {{0}}, X0 = node_vector(job->cut, tet, 0);
    pl_mat3 Dm;
    for (int k = 0; k < count; ++k)
        sum = pl_axpy3(1.0 / count, pl_sub3(position_of(job, vertex[k]), X0), sum);
    for (int j = 0; j < 3; ++j)
        pl_set_column3(&Dm, j, pl_sub3(node_vector(job->cut, tet, j + 1), X0));
    pl_mat3 inverse = pl_inverse3(&Dm);
    pl_vec3 w = pl_mul3(&inverse, sum);
    const double weight[4] = {0, w.v[0], w.v[1], w.v[2]};
    return pl__cut_add_vertex(job->result, tet, weight);
}

// The tet on whose side of a face a record lies, if it lies in one.
static int32_t carrier_of(const tidying *t, const record *r, int k)
{
    const pl__cut *cut = t->job->cut;
    if (r->cap)
        return cut->face[r->source / 2].tet[r->source % 2];
    if (k >= 0 && r->name[k] >> 62 == 1)
        return cut->face[cut->segment[(r->name[k] & ~(3ull << 62)) >> 1].face].tet[r->name[k] & 1];
    return t->job->result->tet[r->vertex[k < 0 ? 0 : k]];
}

static int32_t middle_of_edge(tidying *t, const record *r, int k)
{
    int32_t *middle = table_at(&t->middle, r->name[k], -1);
    const int32_t ends[2] = {r->vertex[k], r->vertex[(k + 1) % 3]};
    if (*middle < 0)
        *middle = add_middle(t->job, ends, 2, carrier_of(t, r, k));
    return *middle;
}

// ---- output
// ---------------------------------------------------------------------------------------------------------

// Source coordinates of a corner that is a mean of others.
static void blend_places(const double place[6], const double weight[3], double out[2])
{
    for (int d = 0; d < 2; ++d)
        out[d] = weight[0] * place[d] + weight[1] * place[2 + d] + weight[2] * place[4 + d];
}

static bool put_back(tidying *t, const record *r, const int32_t vertex[3], double weight[3][3])
{
    pl__cut_result *out = t->job->result;
    size_t part = 6 * (size_t)near_count(out), cap = 3 * (size_t)(out->triangle_count - out->cap_begin);
    const uint64_t none[3] = {0};
    if (!(r->cap ? PL_GROW(out->ctx, out->normal, &out->normal_capacity, cap + 3)
                 : PL_GROW(out->ctx, out->place, &out->place_capacity, part + 6)))
        return false;
    for (int k = 0; k < 3 && !r->cap; ++k)
        blend_places(r->extra, weight[k], &out->place[part + 2 * (size_t)k]);
    if (r->cap)
        memcpy(&out->normal[cap], r->extra, 3 * sizeof *out->normal);
    return pl__cut_add_triangle(t->job, vertex, none, r->source, r->label);
}

static bool put_whole(tidying *t, const record *r)
{
    double weight[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return put_back(t, r, r->vertex, weight);
}

static bool put_fan(tidying *t, const record *r)
{
    int32_t rim[6], count = 0, center = add_middle(t->job, r->vertex, 3, carrier_of(t, r, -1));
    double weight[6][3] = {{0}};
    if (center < 0)
        return false;
    for (int k = 0; k < 3; ++k)
    {
        weight[count][k] = 1;
        rim[count++] = r->vertex[k];
        if (!r->again[k])
            continue;
        weight[count][k] = weight[count][(k + 1) % 3] = 0.5;
        if ((rim[count++] = middle_of_edge(t, r, k)) < 0)
            return false;
    }
    for (int i = 0; i < count; ++i)
    {
        int next = (i + 1) % count;
        double corner[3][3] = {{weight[i][0], weight[i][1], weight[i][2]},
                               {weight[next][0], weight[next][1], weight[next][2]},
                               {1.0 / 3, 1.0 / 3, 1.0 / 3}};
        if (!put_back(t, r, (const int32_t[3]){rim[i], rim[next], center}, corner))
            return false;
    }
    return true;
}

static bool put_all(tidying *t)
{
    pl__cut_result *r = t->job->result;
    r->triangle_count = r->part_begin;
    r->cap_begin = INT32_MAX;
    for (int32_t i = 0; i < t->count; ++i)
    {
        const record *a = &t->list[i];
        if (a->cap && r->cap_begin == INT32_MAX)
            r->cap_begin = r->triangle_count;
        if (!(a->again[0] || a->again[1] || a->again[2] ? put_fan(t, a) : put_whole(t, a)))
            return false;
    }
    r->cap_begin = r->cap_begin == INT32_MAX ? r->triangle_count : r->cap_begin;
    return true;
}

static bool divide_edges(pl__cut_job *job, table *edges)
{
    pl_context *ctx = job->cut->ctx;
    int32_t count = near_count(job->result);
    tidying t = {.job = job, .count = count};
    t.list = PL_NEW(ctx, count, record);
    t.other = PL_NEW(ctx, 3 * (size_t)count, uint64_t);
    bool ok = table_create(ctx, 3 * (size_t)count, &t.middle);
    ok = table_create(ctx, 3 * (size_t)count, &t.alias) && ok && t.list && t.other;
    for (int32_t i = 0; ok && i < count; ++i)
        take_out(job, i, &t.list[i]);
    if (ok)
        choose_edges(&t, edges);
    ok = ok && put_all(&t);
    table_done(&t.middle);
    table_done(&t.alias);
    PL_DELETE(ctx, t.list, count);
    PL_DELETE(ctx, t.other, 3 * (size_t)count);
    return ok;
}

static pl_status part_edges(pl__cut_job *job)
{
    table edges;
    bool ok = table_create(job->cut->ctx, 6 * (size_t)near_count(job->result), &edges);
    if (ok && count_edges(job->result, &edges))
        ok = divide_edges(job, &edges);
    table_done(&edges);
    return ok ? PL_OK : PL_ERR_MEMORY;
}

// ---- fans -----------------------------------------------------------------------------------------------------------

static bool copy_vertex(pl__cut_result *r, int32_t vertex, int32_t *copy)
{
    const double *w = &r->weight[3 * (size_t)vertex], weight[4] = {0, w[0], w[1], w[2]};
    *copy = pl__cut_add_vertex(r, r->tet[vertex], weight);
    return *copy >= 0;
}

// Walk around the vertex of a corner, from triangle to triangle; each corner gets `vertex`.
static void walk_fan(pl__cut_result *r, table *edges, int32_t corner, int32_t vertex, int32_t *fan)
{
    int32_t *triangle = &r->triangle[3 * (size_t)r->part_begin];
    while (fan[corner] < 0)
    {
        // the next triangle has the reverse of the edge that leaves the vertex
        int32_t base = corner / 3 * 3, next = base + (corner + 1) % 3;
        fan[corner] = vertex;
        int32_t back = *table_at(edges, directed(triangle[next], triangle[corner]), -1);
        if (back < 0)
            return; // a whole triangle
        corner = back / 3 * 3 + (back + 1) % 3;
    }
}

static bool part_fans(pl__cut_job *job, table *edges, int32_t *fan, uint8_t *claimed, int32_t vertices)
{
    pl__cut_result *r = job->result;
    int32_t corners = 3 * near_count(r);
    int32_t *triangle = &r->triangle[3 * (size_t)r->part_begin];
    for (int32_t i = 0; i < corners; ++i)
        fan[i] = -1, *table_at(edges, directed(triangle[i], triangle[i / 3 * 3 + (i + 1) % 3]), i) = i;
    for (int32_t i = 0; i < corners; ++i)
    {
        int32_t vertex = triangle[i];
        if (fan[i] >= 0 || vertex < job->cut->vertex_count || vertex >= vertices)
            continue;
        if (claimed[vertex] && !copy_vertex(r, vertex, &vertex))
            return false;
        claimed[triangle[i]] = 1;
        walk_fan(r, edges, i, vertex, fan);
    }
    for (int32_t i = 0; i < corners; ++i)
        triangle[i] = fan[i] < 0 ? triangle[i] : fan[i];
    return true;
}

pl_status pl__cut_tidy(pl__cut_job *job)
{
    PL_TRY(part_edges(job));
    pl_context *ctx = job->cut->ctx;
    int32_t corners = 3 * near_count(job->result), vertices = job->result->vertex_count;
    int32_t *fan = PL_NEW(ctx, corners, int32_t);
    uint8_t *claimed = PL_NEW(ctx, vertices, uint8_t);
    table edges;
    bool ok = table_create(ctx, 2 * (size_t)corners, &edges);
    ok = ok && fan && claimed && part_fans(job, &edges, fan, claimed, vertices);
    table_done(&edges);
    PL_DELETE(ctx, fan, corners);
    PL_DELETE(ctx, claimed, vertices);
    return ok ? PL_OK : PL_ERR_MEMORY;
}
