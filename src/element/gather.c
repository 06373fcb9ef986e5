// src/element/gather.c -- see gather.h.
#include "gather.h"

// ---- building ----------------------------------------------------------------------------------------------------

typedef struct
{
    int32_t node, corner_count;
} slot_entry;

// Tables used during construction only.
typedef struct
{
    pl_context *ctx;
    int32_t node_count;
    int32_t *seen;      // [node_count] corners in the current chunk; then the next free index
    slot_entry *entry;  // [nodes of a chunk]
    int32_t *slot_node; // [slot_count]
} builder;

enum
{
    MOST_NODES = PL_GATHER_DOUBLES / 3,
    MOST_BLOCKS = 16
};

int32_t pl__gather_blocks(pl__element_kind kind)
{
    int32_t fit = PL_GATHER_DOUBLES / (3 * PL_ELEMENT_LANES * pl__element_type_of(kind)->corners);
    return fit < MOST_BLOCKS ? fit : MOST_BLOCKS;
}

static int32_t range_end(const pl__gather_range *r)
{
    return r->end * PL_ELEMENT_LANES < r->group->count ? r->end * PL_ELEMENT_LANES : r->group->count;
}

static int32_t corners(const pl__gather_range *r) { return pl__element_type_of(r->group->kind)->corners; }

static int32_t corner_node(const pl__gather_range *r, int32_t element, int32_t k)
{
    return *pl__element_node(r->group, element, k) + r->shift;
}

// Most corners first: consecutive sums are then equally long, which helps branch prediction.
static bool comes_before(const slot_entry *a, const slot_entry *b)
{
    return a->corner_count != b->corner_count ? a->corner_count > b->corner_count : a->node < b->node;
}

// Insertion sort: a chunk has some hundred nodes, and libc's sort may allocate outside of the context.
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
    for (int32_t t = r->begin * PL_ELEMENT_LANES; t < range_end(r); ++t)
        for (int32_t k = 0; k < corners(r); ++k)
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

static void fill_chunk(builder *b, pl__gather *g, const pl__gather_range *r, int32_t chunk)
{
    int32_t count = list_nodes(b, r), slot = g->first_slot[chunk];
    for (int32_t i = 0; i < count; ++i, ++slot)
    {
        b->slot_node[slot] = b->entry[i].node;
        g->first[slot + 1] = g->first[slot] + b->entry[i].corner_count;
        b->seen[b->entry[i].node] = g->first[slot];
    }
    for (int32_t t = r->begin * PL_ELEMENT_LANES; t < range_end(r); ++t)
        for (int32_t k = 0; k < corners(r); ++k)
        {
            int32_t block = t / PL_ELEMENT_LANES - r->begin, lane = t % PL_ELEMENT_LANES;
            g->corner[b->seen[corner_node(r, t, k)]++] =
                (uint16_t)((block * corners(r) + k) * 3 * PL_ELEMENT_LANES + lane);
        }
    forget_nodes(b, count);
}

// The slots of every node, by counting sort.
static void invert_slots(const builder *b, pl__gather *g)
{
    for (int32_t s = 0; s < g->slot_count; ++s)
        g->start[b->slot_node[s] + 1]++;
    for (int32_t n = 0; n < g->node_count; ++n)
    {
        g->start[n + 1] += g->start[n];
        b->seen[n] = g->start[n];
    }
    for (int32_t s = 0; s < g->slot_count; ++s)
        g->slot[b->seen[b->slot_node[s]]++] = s;
}

static bool build(builder *b, pl__gather *g, const pl__gather_range *range)
{
    b->seen = PL_NEW(b->ctx, b->node_count, int32_t);
    b->entry = PL_NEW(b->ctx, MOST_NODES, slot_entry);
    g->first_slot = PL_NEW(b->ctx, g->chunk_count + 1, int32_t);
    g->start = PL_NEW(b->ctx, g->node_count + 1, int32_t);
    if (!b->seen || !b->entry || !g->first_slot || !g->start)
        return false;
    for (int32_t c = 0; c < g->chunk_count; ++c)
    {
        int32_t count = list_nodes(b, &range[c]);
        g->first_slot[c + 1] = g->first_slot[c] + count;
        g->corner_count += corners(&range[c]) * (range_end(&range[c]) - range[c].begin * PL_ELEMENT_LANES);
        forget_nodes(b, count);
    }
    g->slot_count = g->first_slot[g->chunk_count];
    b->slot_node = PL_NEW(b->ctx, g->slot_count, int32_t);
    g->first = PL_NEW(b->ctx, g->slot_count + 1, int32_t);
    g->corner = PL_NEW(b->ctx, g->corner_count, uint16_t);
    g->slot = PL_NEW(b->ctx, g->slot_count, int32_t);
    g->partial = PL_NEW(b->ctx, 3 * (size_t)g->slot_count, double);
    if (!b->slot_node || !g->first || !g->corner || !g->slot || !g->partial)
        return false;
    for (int32_t c = 0; c < g->chunk_count; ++c)
        fill_chunk(b, g, &range[c], c);
    invert_slots(b, g);
    return true;
}

pl_status pl__gather_create(pl_context *ctx, int32_t node_count, const pl__gather_range *range, int32_t range_count,
                            pl__gather *out)
{
    pl__gather g = {.node_count = node_count, .chunk_count = range_count};
    builder b = {.ctx = ctx, .node_count = node_count};
    bool built = build(&b, &g, range);
    PL_DELETE(ctx, b.seen, node_count);
    PL_DELETE(ctx, b.entry, MOST_NODES);
    PL_DELETE(ctx, b.slot_node, g.slot_count);
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
    PL_DELETE(ctx, g->first_slot, g->chunk_count + 1);
    PL_DELETE(ctx, g->start, g->node_count + 1);
    PL_DELETE(ctx, g->first, g->slot_count + 1);
    PL_DELETE(ctx, g->corner, g->corner_count);
    PL_DELETE(ctx, g->slot, g->slot_count);
    PL_DELETE(ctx, g->partial, 3 * (size_t)g->slot_count);
    *g = (pl__gather){0};
}

// ---- sums --------------------------------------------------------------------------------------------------------

void pl__gather_chunk(const pl__gather *g, int32_t chunk, const double *force)
{
    for (int32_t slot = g->first_slot[chunk]; slot < g->first_slot[chunk + 1]; ++slot)
    {
        double x = 0, y = 0, z = 0;
        for (int32_t i = g->first[slot]; i < g->first[slot + 1]; ++i)
        {
            const double *f = &force[g->corner[i]];
            x += f[0];
            y += f[PL_ELEMENT_LANES];
            z += f[2 * PL_ELEMENT_LANES];
        }
        double *out = &g->partial[3 * (size_t)slot];
        out[0] = x;
        out[1] = y;
        out[2] = z;
    }
}

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
