// src/contact/pairs.c -- lists of what may touch and of what is near, in an order that nothing but the input decides.
//
// Self-collision after Bridson, Fedkiw & Anderson 2002, section 6: boxes, then pairs of vertices and triangles and of
// edges. A task is a run of leaves; it meets later leaves only, so that each pair is found once. It collects what it
// finds in memory of its own, and all is put end to end in the order of the tasks. Tasks cannot ask for memory: what
// does not fit is counted, and those tasks are run again with more. This happens while lists grow, in the first steps.
//
// The test for being near follows while a few hundred pairs are in the cache: writing all candidates first, some twenty
// per triangle in a folded cloth, takes as long as testing them.
#include "pairs.h"

#include <string.h>

// ---- visiting ------------------------------------------------------------------------------------------------------

typedef struct
{
    const pl__tree *tree;
    const pl__pair_sink *sink;
} visit;

static void visit_leaves(void *argument, int32_t begin, int32_t end)
{
    const visit *job = argument;
    PL_PICK(job->tree->ctx->register_bytes, pl__pairs_of_leaves)(job->tree, begin, end, job->sink);
}

void pl__pairs_visit(const pl__tree *tree, const pl__pair_sink *sink)
{
    pl__parallel_for(tree->ctx, tree->leaf_count, PL__LEAF_CHUNK, visit_leaves, &(visit){tree, sink});
}

// ---- harvesting ----------------------------------------------------------------------------------------------------

// One list being made: which of both, and how its items are.
typedef struct
{
    pl__pairs *pairs;
    pl__harvest *harvest; // [2 chunk_count]
    size_t item_size;
    pl__pair_sink sink;
    const double *x;
    char *flat;
} making;

static void store(pl__harvest *h, size_t item_size, const void *item, size_t count)
{
    if (count > 0 && h->count + count <= h->capacity)
        memcpy((char *)h->item + h->count * item_size, item, count * item_size);
    h->count += count;
}

static pl__harvest *harvest_of(const making *m, int32_t chunk, int32_t kind)
{
    return &m->harvest[kind * m->pairs->chunk_count + chunk];
}

enum
{
    SOME = 64 // at a time
};

// Whether a pair has a node on each side that were one before a crack opened.
static bool is_of_crack(const pl__surfaces *s, const pl__pair *pair)
{
    int32_t first = pair->kind == PL__VERTEX_FACE ? 1 : 2;
    for (int32_t i = 0; i < first; ++i)
        for (int32_t k = first; k < 4; ++k)
            if (s->origin[pair->node[i]] == s->origin[pair->node[k]])
                return true;
    return false;
}

// The next pairs from `*at` on, without those across a crack; up to SOME, into `room` unless there are no cracks at
// all.
static const pl__pair *next_pairs(const making *m, const pl__pair *pair, int32_t count, int32_t *at,
                                  pl__pair room[SOME], int32_t *kept)
{
    const pl__surfaces *s = m->pairs->tree->surfaces;
    int32_t first = *at, left = count - first, some = left < SOME ? left : SOME;
    *at += some;
    *kept = some;
    if (!s->origin)
        return &pair[first];
    *kept = 0;
    for (int32_t i = first; i < first + some; ++i)
        if (!is_of_crack(s, &pair[i]))
            room[(*kept)++] = pair[i];
    return room;
}

static void take_pairs(void *argument, int32_t chunk, const pl__pair *pair, int32_t count, double within)
{
    const making *m = argument;
    pl__pair room[SOME];
    int32_t kept;
    (void)within;
    for (int32_t i = 0; i < count;)
    {
        const pl__pair *some = next_pairs(m, pair, count, &i, room, &kept);
        store(harvest_of(m, chunk, pair->kind), m->item_size, some, (size_t)kept);
    }
}

// Some at a time, straight to where they stay while there is room.
static void take_near(void *argument, int32_t chunk, const pl__pair *pair, int32_t count, double within)
{
    const making *m = argument;
    pl__harvest *h = harvest_of(m, chunk, pair->kind);
    pl__contact beyond[SOME];
    pl__pair across[SOME];
    for (int32_t i = 0, some; i < count;)
    {
        const pl__pair *next = next_pairs(m, pair, count, &i, across, &some);
        bool room = h->count + SOME <= h->capacity;
        pl__contact *contact = room ? &((pl__contact *)h->item)[h->count] : beyond;
        int32_t kept = PL_PICK(m->pairs->ctx->register_bytes, pl__closest_near)(m->x, next, some, within, contact);
        if (room)
            h->count += (size_t)kept;
        else
            store(h, m->item_size, beyond, (size_t)kept);
    }
}

static void harvest_chunks(void *argument, int32_t begin, int32_t end)
{
    const making *m = argument;
    const pl__tree *tree = m->pairs->tree;
    for (int32_t chunk = begin; chunk < end; ++chunk)
    {
        if (!m->pairs->again[chunk])
            continue;
        int32_t first = chunk * PL__LEAF_CHUNK, left = tree->leaf_count - first;
        int32_t count = left < PL__LEAF_CHUNK ? left : PL__LEAF_CHUNK;
        harvest_of(m, chunk, 0)->count = harvest_of(m, chunk, 1)->count = 0;
        PL_PICK(tree->ctx->register_bytes, pl__pairs_of_leaves)(tree, first, first + count, &m->sink);
    }
}

// More memory for those that had too little, and half as much again.
static pl_status make_room(const making *m, bool *complete)
{
    *complete = true;
    for (int32_t i = 0; i < 2 * m->pairs->chunk_count; ++i)
    {
        pl__harvest *h = &m->harvest[i];
        if (h->count <= h->capacity)
            continue;
        *complete = false;
        m->pairs->again[i % m->pairs->chunk_count] = true;
        if (!pl__grow(m->pairs->ctx, &h->item, m->item_size, &h->capacity, h->count + h->count / 2))
            return PL_ERR_MEMORY;
    }
    return PL_OK;
}

static pl_status harvest_all(const making *m)
{
    pl__pairs *p = m->pairs;
    bool complete = false;
    memset(p->again, true, (size_t)p->chunk_count * sizeof *p->again);
    while (!complete)
    {
        pl__parallel_for(p->ctx, p->chunk_count, 1, harvest_chunks, (void *)m);
        memset(p->again, false, (size_t)p->chunk_count * sizeof *p->again);
        PL_TRY(make_room(m, &complete));
    }
    return PL_OK;
}

// ---- one list of all -----------------------------------------------------------------------------------------------

// Where the items of each task go; returns how many there are of the first kind and of both.
static pl_status place_harvests(const making *m, int32_t *first_kind, int32_t *both)
{
    size_t total = 0;
    for (int32_t i = 0; i < 2 * m->pairs->chunk_count; ++i)
    {
        m->harvest[i].start = total;
        total += m->harvest[i].count;
        if (i == m->pairs->chunk_count - 1)
            *first_kind = (int32_t)(total <= INT32_MAX ? total : 0);
    }
    if (total > INT32_MAX)
        return pl__fail(m->pairs->ctx, PL_ERR_MEMORY, "%zu pairs of things that may touch, at most %d fit", total,
                        INT32_MAX);
    *both = (int32_t)total;
    return PL_OK;
}

static void copy_harvests(void *argument, int32_t begin, int32_t end)
{
    const making *m = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        const pl__harvest *h = &m->harvest[i];
        if (h->count > 0)
            memcpy(m->flat + h->start * m->item_size, h->item, h->count * m->item_size);
    }
}

// An array that is overwritten anyway need not be copied when it grows.
static bool grow_empty(pl_context *ctx, void **array, size_t item_size, size_t *capacity, size_t needed)
{
    if (needed <= *capacity)
        return true;
    pl__free(ctx, *array, *capacity * item_size);
    *array = NULL, *capacity = 0;
    return pl__grow(ctx, array, item_size, capacity, needed + needed / 2);
}

// Fill a list: `*list` has `*capacity` items of room, and more when they are needed.
static pl_status fill(making *m, void **list, size_t *capacity, int32_t *first_kind, int32_t *both)
{
    int32_t first = 0, all = 0;
    *first_kind = *both = 0;
    PL_TRY(harvest_all(m));
    PL_TRY(place_harvests(m, &first, &all));
    if (!grow_empty(m->pairs->ctx, list, m->item_size, capacity, (size_t)all))
        return PL_ERR_MEMORY;
    m->flat = *list;
    pl__parallel_for(m->pairs->ctx, 2 * m->pairs->chunk_count, 4, copy_harvests, m);
    *first_kind = first, *both = all;
    return PL_OK;
}

pl_status pl__pairs_find(pl__pairs *p, const pl__sweep *sweep)
{
    making m = {.pairs = p, .harvest = p->pair_harvest, .item_size = sizeof *p->pair, .sink = {take_pairs, &m}};
    pl__tree_refit(p->tree, sweep);
    return fill(&m, (void **)&p->pair, &p->pair_capacity, &p->pair_vertex_face_count, &p->pair_count);
}

pl_status pl__pairs_near(pl__pairs *p, const double *x)
{
    making m = {
        .pairs = p, .harvest = p->contact_harvest, .item_size = sizeof *p->contact, .sink = {take_near, &m}, .x = x};
    pl__tree_refit(p->tree, &(pl__sweep){.x_start = x, .x_end = x, .thick = true});
    return fill(&m, (void **)&p->contact, &p->contact_capacity, &p->contact_vertex_face_count, &p->contact_count);
}

// ---- life ----------------------------------------------------------------------------------------------------------

pl_status pl__pairs_create(pl__tree *tree, pl__pairs **pairs)
{
    *pairs = NULL;
    pl__pairs *p = PL_NEW(tree->ctx, 1, pl__pairs);
    if (!p)
        return PL_ERR_MEMORY;
    p->ctx = tree->ctx;
    p->tree = tree;
    p->chunk_count = pl__chunk_count(tree->leaf_count, PL__LEAF_CHUNK);
    p->pair_harvest = PL_NEW(p->ctx, 2 * (size_t)p->chunk_count, pl__harvest);
    p->contact_harvest = PL_NEW(p->ctx, 2 * (size_t)p->chunk_count, pl__harvest);
    p->again = PL_NEW(p->ctx, p->chunk_count, bool);
    bool enough = p->pair_harvest && p->contact_harvest && p->again;
    if (!enough)
        pl__pairs_destroy(&p);
    *pairs = p;
    return enough ? PL_OK : PL_ERR_MEMORY;
}

static void discard_harvest(pl__pairs *p, pl__harvest **harvest, size_t item_size)
{
    for (int32_t i = 0; *harvest && i < 2 * p->chunk_count; ++i)
        pl__free(p->ctx, (*harvest)[i].item, (*harvest)[i].capacity * item_size);
    PL_DELETE(p->ctx, *harvest, 2 * (size_t)p->chunk_count);
}

void pl__pairs_destroy(pl__pairs **pairs)
{
    pl__pairs *p = *pairs;
    if (!p)
        return;
    discard_harvest(p, &p->pair_harvest, sizeof *p->pair);
    discard_harvest(p, &p->contact_harvest, sizeof *p->contact);
    PL_DELETE(p->ctx, p->again, p->chunk_count);
    PL_DELETE(p->ctx, p->pair, p->pair_capacity);
    PL_DELETE(p->ctx, p->contact, p->contact_capacity);
    PL_DELETE(p->ctx, p, 1);
    *pairs = NULL;
}
