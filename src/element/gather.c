// src/element/gather.c
#include "gather.h"

// ---- building ----------------------------------------------------------------------------------------------------

typedef struct
{
    int32_t node, corner_count;
} slot_entry;

// Tables that are needed while building only.
typedef struct
{
    pl_context *ctx;
    int32_t node_count;
    int32_t *seen;      // [node_count] number of corners in the present chunk; then where the next one goes
    slot_entry *entry;  // [nodes of a chunk]
    int32_t *slot_node; // [16 bundle_count] or -1
} builder;

enum
{
    MOST_NODES = 4 * PL_TET_LANES * PL_GATHER_BLOCKS
};

static int32_t range_end(const pl__gather_range *r)
{
    return r->end * PL_TET_LANES < r->group->tet_count ? r->end * PL_TET_LANES : r->group->tet_count;
}

static int32_t corner_node(const pl__gather_range *r, int32_t tet, int k)
{
    return r->group->rest[tet / PL_TET_LANES].node[k][tet % PL_TET_LANES] + r->shift;
}

// Most corners first: the slots of a bundle are then about equally long.
static bool comes_before(const slot_entry *a, const slot_entry *b)
{
    return a->corner_count != b->corner_count ? a->corner_count > b->corner_count : a->node < b->node;
}

// By insertion: a chunk has some hundred nodes, and libc's sort may allocate behind the context's back.
static void sort_entries(slot_entry *entry, int32_t count)
{
    for (int32_t i = 1; i < count; ++i)
    {
        slot_entry moved = entry[i];
        int32_t k = i;
        for (; k > 0 && comes_before(&moved, &entry[k - 1]); --k)
            entry[k] = entry[k - 1];
        entry[k] = moved;
    }
}

// The nodes of a chunk with their numbers of corners, sorted; `seen` keeps the numbers. Returns how many.
static int32_t list_nodes(builder *b, const pl__gather_range *r)
{
    int32_t count = 0;
    for (int32_t t = r->begin * PL_TET_LANES; t < range_end(r); ++t)
        for (int k = 0; k < 4; ++k)
        {
            int32_t node = corner_node(r, t, k);
            if (b->seen[node]++ == 0)
                b->entry[count++].node = node;
        }
    for (int32_t i = 0; i < count; ++i)
        b->entry[i].corner_count = b->seen[b->entry[i].node];
    sort_entries(b->entry, count);
    return count;
}

static void forget_nodes(builder *b, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        b->seen[b->entry[i].node] = 0;
}

enum
{
    ZERO = PL_GATHER_BLOCKS * sizeof(pl__tet_forces) / sizeof(double) // where pl__chunk_forces keeps its zeros
};

// Rows of a chunk's bundles: as many as its longest slot, the first, has corners. `entry` is sorted.
static void number_rows(const builder *b, pl__gather *g, int32_t chunk, int32_t count)
{
    for (int32_t bundle = g->first_bundle[chunk]; bundle < g->first_bundle[chunk + 1]; ++bundle)
    {
        int32_t longest = (bundle - g->first_bundle[chunk]) * PL_TET_LANES;
        g->first_row[bundle + 1] = g->first_row[bundle] + (longest < count ? b->entry[longest].corner_count : 0);
    }
}

static void fill_chunk(builder *b, pl__gather *g, const pl__gather_range *r, int32_t chunk)
{
    int32_t count = list_nodes(b, r), slot = g->first_bundle[chunk] * PL_TET_LANES;
    for (int32_t i = 0; i < count; ++i, ++slot)
    {
        b->slot_node[slot] = b->entry[i].node;
        b->seen[b->entry[i].node] = g->first_row[slot / PL_TET_LANES] * PL_TET_LANES + slot % PL_TET_LANES;
    }
    for (int32_t t = r->begin * PL_TET_LANES; t < range_end(r); ++t)
        for (int k = 0; k < 4; ++k)
        {
            int32_t block = t / PL_TET_LANES - r->begin, lane = t % PL_TET_LANES, *next = &b->seen[corner_node(r, t, k)];
            g->corner[*next] = (uint16_t)((block * 4 + k) * 3 * PL_TET_LANES + lane);
            *next += PL_TET_LANES;
        }
    forget_nodes(b, count);
}

// The slots of every node, by counting; unused slots have no node.
static void invert_slots(const builder *b, pl__gather *g)
{
    int32_t all = g->bundle_count * PL_TET_LANES;
    for (int32_t s = 0; s < all; ++s)
        if (b->slot_node[s] >= 0)
            g->start[b->slot_node[s] + 1]++;
    for (int32_t n = 0; n < g->node_count; ++n)
    {
        g->start[n + 1] += g->start[n];
        b->seen[n] = g->start[n];
    }
    for (int32_t s = 0; s < all; ++s)
        if (b->slot_node[s] >= 0)
            g->slot[b->seen[b->slot_node[s]]++] = s;
}

static bool count_bundles(builder *b, pl__gather *g, const pl__gather_range *range)
{
    for (int32_t c = 0; c < g->chunk_count; ++c)
    {
        int32_t count = list_nodes(b, &range[c]);
        g->first_bundle[c + 1] = g->first_bundle[c] + (count + PL_TET_LANES - 1) / PL_TET_LANES;
        g->slot_count += count;
        forget_nodes(b, count);
    }
    g->bundle_count = g->first_bundle[g->chunk_count];
    g->first_row = PL_NEW(b->ctx, g->bundle_count + 1, int32_t);
    if (!g->first_row)
        return false;
    for (int32_t c = 0; c < g->chunk_count; ++c)
    {
        int32_t count = list_nodes(b, &range[c]);
        number_rows(b, g, c, count);
        forget_nodes(b, count);
    }
    g->row_count = g->first_row[g->bundle_count];
    return true;
}

static bool build(builder *b, pl__gather *g, const pl__gather_range *range)
{
    b->seen = PL_NEW(b->ctx, b->node_count, int32_t);
    b->entry = PL_NEW(b->ctx, MOST_NODES, slot_entry);
    g->first_bundle = PL_NEW(b->ctx, g->chunk_count + 1, int32_t);
    g->start = PL_NEW(b->ctx, g->node_count + 1, int32_t);
    if (!b->seen || !b->entry || !g->first_bundle || !g->start || !count_bundles(b, g, range))
        return false;
    size_t slots = (size_t)g->bundle_count * PL_TET_LANES, corners = (size_t)g->row_count * PL_TET_LANES;
    b->slot_node = PL_NEW(b->ctx, slots, int32_t);
    g->corner = PL_NEW(b->ctx, corners, uint16_t);
    g->slot = PL_NEW(b->ctx, g->slot_count, int32_t);
    g->partial = PL_NEW(b->ctx, 3 * slots, double);
    if (!b->slot_node || !g->corner || !g->slot || !g->partial)
        return false;
    for (size_t s = 0; s < slots; ++s)
        b->slot_node[s] = -1;
    for (size_t k = 0; k < corners; ++k)
        g->corner[k] = ZERO;
    for (int32_t c = 0; c < g->chunk_count; ++c)
        fill_chunk(b, g, &range[c], c);
    invert_slots(b, g);
    return true;
}

pl_status pl__gather_create(pl_context *ctx, int32_t node_count, const pl__gather_range *range, int32_t range_count, pl__gather *out)
{
    pl__gather g = {.node_count = node_count, .chunk_count = range_count};
    builder b = {.ctx = ctx, .node_count = node_count};
    bool built = build(&b, &g, range);
    PL_DELETE(ctx, b.seen, node_count);
    PL_DELETE(ctx, b.entry, MOST_NODES);
    PL_DELETE(ctx, b.slot_node, (size_t)g.bundle_count * PL_TET_LANES);
    if (!built)
    {
        pl__gather_destroy(ctx, &g);
        return PL_ERR_MEMORY;
    }
    *out = g;
    return PL_OK;
}

void pl__gather_destroy(pl_context *ctx, pl__gather *g)
{
    PL_DELETE(ctx, g->first_bundle, g->chunk_count + 1);
    PL_DELETE(ctx, g->first_row, g->bundle_count + 1);
    PL_DELETE(ctx, g->start, g->node_count + 1);
    PL_DELETE(ctx, g->corner, (size_t)g->row_count * PL_TET_LANES);
    PL_DELETE(ctx, g->slot, g->slot_count);
    PL_DELETE(ctx, g->partial, 3 * (size_t)g->bundle_count * PL_TET_LANES);
    *g = (pl__gather){0};
}

// ---- sums --------------------------------------------------------------------------------------------------------

void pl__gather_nodes(const pl__gather_job *job, int32_t begin, int32_t end)
{
    const pl__gather *g = job->gather;
    for (int32_t node = begin; node < end; ++node)
    {
        double sum[3] = {0, 0, 0};
        for (int32_t i = g->start[node]; i < g->start[node + 1]; ++i)
            for (int k = 0; k < 3; ++k)
                sum[k] += g->partial[3 * (size_t)g->slot[i] + (size_t)k];
        for (size_t k = 0; k < 3; ++k)
        {
            size_t at = 3 * (size_t)node + k;
            job->out[at] = job->scale * sum[k];
            if (job->inertia != 0)
                job->out[at] += job->inertia * job->mass[at] * job->in[at];
        }
    }
}
