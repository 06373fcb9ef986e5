// src/limit/limit_set.c
#include "limit_set.h"

#include <math.h>
#include <string.h>

enum
{
    COLOURS = 64 // bits of a word; more chunks than that on one node do not fit
};

const pl__limit_form pl__limit_forms[PL__LIMIT_KINDS] = {
    [PL__LIMIT_TRIANGLE] = {3, 4, 2}, [PL__LIMIT_PLANAR] = {3, 4, 2}, [PL__LIMIT_WOVEN] = {3, 4, 4},
    [PL__LIMIT_TET] = {4, 9, 2},      [PL__LIMIT_HEX] = {8, 24, 2},   [PL__LIMIT_BEND] = {4, 2, 1},
    [PL__LIMIT_CHORD] = {2, 1, 2},    [PL__LIMIT_TETHER] = {2, 1, 1}};

// ---- access ------------------------------------------------------------------------------------------------------

static int32_t *node_at(const pl__limit_set *set, int32_t place, int32_t corner)
{
    char *block = set->block + (size_t)(place / PL__LIMIT_LANES) * set->stride;
    return (int32_t *)(void *)block + corner * PL__LIMIT_LANES + place % PL__LIMIT_LANES;
}

static double *number_at(const pl__limit_set *set, int32_t place, int32_t row)
{
    char *block = set->block + (size_t)(place / PL__LIMIT_LANES) * set->stride +
                  (size_t)pl__limit_forms[set->kind].corners * PL__LIMIT_LANES * sizeof(int32_t);
    return (double *)(void *)block + row * PL__LIMIT_LANES + place % PL__LIMIT_LANES;
}

double *pl__limit_shape(const pl__limit_set *set, int32_t element, int32_t k)
{
    return number_at(set, set->place[element], k);
}

double *pl__limit_bound(const pl__limit_set *set, int32_t element, int32_t b)
{
    return number_at(set, set->place[element], pl__limit_forms[set->kind].shapes + b);
}

const int32_t *pl__limit_nodes(const pl__limit_set *set, int32_t element)
{
    return node_at(set, set->place[element], 0);
}

// ---- packing -----------------------------------------------------------------------------------------------------

// Corners that an element moves: tethers share what they hang from.
static int32_t moving(pl__limit_kind kind) { return kind == PL__LIMIT_TETHER ? 1 : pl__limit_forms[kind].corners; }

static void put(pl__limit_set *set, const pl__limit_element *e, int32_t place)
{
    const pl__limit_form *form = &pl__limit_forms[set->kind];
    for (int32_t c = 0; c < form->corners; ++c)
        *node_at(set, place, c) = e->node[c];
    for (int32_t k = 0; k < form->shapes; ++k)
        *number_at(set, place, k) = e->shape[k];
    for (int32_t b = 0; b < form->bounds; ++b)
    {
        *number_at(set, place, form->shapes + b) = e->bound[b];
        *number_at(set, place, form->shapes + form->bounds + b) = e->bound[b];
    }
}

// A lane without element: the nodes and the shape of one in the same chunk, and no bounds.
static void put_nothing(pl__limit_set *set, const pl__limit_element *like, int32_t place)
{
    pl__limit_element none = *like;
    bool pair = set->kind == PL__LIMIT_BEND || set->kind == PL__LIMIT_TETHER;
    for (int32_t b = 0; b < PL__LIMIT_BOUNDS; ++b)
        none.bound[b] = b == 0 && !pair ? -INFINITY : INFINITY;
    put(set, &none, place);
}

static bool shares(const pl__limit_element *a, const pl__limit_element *b, int32_t corners)
{
    for (int32_t i = 0; i < corners; ++i)
        for (int32_t j = 0; j < corners; ++j)
            if (a->node[i] == b->node[j])
                return true;
    return false;
}

// Pack elements [begin, end): each into the first block that has room and none of its nodes. lane[e] is its place,
// counted from the first block of the chunk; returns the number of blocks.
static int32_t pack_chunk(const pl__limit_element *element, int32_t begin, int32_t end, int32_t corners, int32_t *lane)
{
    int32_t in[PL__LIMIT_PER_CHUNK][PL__LIMIT_LANES], filled[PL__LIMIT_PER_CHUNK] = {0}, blocks = 0;
    for (int32_t e = begin; e < end; ++e)
        for (int32_t b = 0;; ++b)
        {
            bool fits = filled[b] < PL__LIMIT_LANES;
            for (int32_t l = 0; fits && l < filled[b]; ++l)
                fits = !shares(&element[e], &element[in[b][l]], corners);
            if (!fits)
                continue;
            lane[e] = b * PL__LIMIT_LANES + filled[b];
            in[b][filled[b]++] = e;
            blocks = b + 1 > blocks ? b + 1 : blocks;
            break;
        }
    return blocks;
}

// Colours of chunks in order: the first that no chunk at any of its nodes has.
static int32_t colour_chunks(const pl__limit_element *element, int32_t count, int32_t corners, int32_t chunks,
                             uint64_t *used, int32_t *colour)
{
    int32_t colours = 0;
    for (int32_t c = 0; c < chunks; ++c)
    {
        int32_t begin = c * PL__LIMIT_PER_CHUNK,
                end = begin + PL__LIMIT_PER_CHUNK < count ? begin + PL__LIMIT_PER_CHUNK : count;
        uint64_t taken = 0;
        for (int32_t e = begin; e < end; ++e)
            for (int32_t k = 0; k < corners; ++k)
                taken |= used[element[e].node[k]];
        int32_t own = 0;
        while (own < COLOURS && taken >> own & 1)
            ++own;
        if (own == COLOURS)
            return -1;
        for (int32_t e = begin; e < end; ++e)
            for (int32_t k = 0; k < corners; ++k)
                used[element[e].node[k]] |= (uint64_t)1 << own;
        colour[c] = own;
        colours = own + 1 > colours ? own + 1 : colours;
    }
    return colours;
}

// Blocks of the chunks, in the order of their colours.
static void place_chunks(pl__limit_set *set, const int32_t *blocks, const int32_t *colour, int32_t *first)
{
    int32_t chunk = 0, block = 0;
    for (int32_t c = 0; c < set->colour_count; ++c)
    {
        set->colour_begin[c] = chunk;
        for (int32_t k = 0; k < set->chunk_count; ++k)
            if (colour[k] == c)
            {
                set->chunk_begin[chunk++] = block;
                first[k] = block;
                block += blocks[k];
            }
    }
    set->colour_begin[set->colour_count] = chunk;
    set->chunk_begin[chunk] = set->block_count = block;
}

static pl_status fill(pl_context *ctx, const pl__limit_element *element, const int32_t *first, pl__limit_set *set)
{
    const pl__limit_form *form = &pl__limit_forms[set->kind];
    set->stride = (size_t)PL__LIMIT_LANES * ((size_t)form->corners * sizeof(int32_t) +
                                             (size_t)(form->shapes + 2 * form->bounds) * sizeof(double));
    set->block = pl__calloc(ctx, (size_t)set->block_count, set->stride);
    if (!set->block)
        return PL_ERR_MEMORY;
    for (int32_t k = 0; k < set->chunk_count; ++k)
    {
        int32_t begin = k * PL__LIMIT_PER_CHUNK,
                end = begin + PL__LIMIT_PER_CHUNK < set->count ? begin + PL__LIMIT_PER_CHUNK : set->count;
        int32_t blocks = 0;
        for (int32_t e = begin; e < end; ++e)
            blocks = set->place[e] / PL__LIMIT_LANES + 1 > blocks ? set->place[e] / PL__LIMIT_LANES + 1 : blocks;
        for (int32_t p = 0; p < blocks * PL__LIMIT_LANES; ++p)
            put_nothing(set, &element[begin], first[k] * PL__LIMIT_LANES + p);
        for (int32_t e = begin; e < end; ++e)
            put(set, &element[e], set->place[e] += first[k] * PL__LIMIT_LANES);
    }
    return PL_OK;
}

static pl_status pack(pl_context *ctx, const pl__limit_element *element, uint64_t *used, int32_t *colour,
                      int32_t *blocks, pl__limit_set *set)
{
    int32_t corners = moving(set->kind);
    for (int32_t k = 0; k < set->chunk_count; ++k)
    {
        int32_t begin = k * PL__LIMIT_PER_CHUNK,
                end = begin + PL__LIMIT_PER_CHUNK < set->count ? begin + PL__LIMIT_PER_CHUNK : set->count;
        blocks[k] = pack_chunk(element, begin, end, corners, set->place);
    }
    set->colour_count = colour_chunks(element, set->count, corners, set->chunk_count, used, colour);
    if (set->colour_count < 0)
        return pl__fail(ctx, PL_ERR_ARGUMENT, "limits: a node belongs to elements of more than %d groups of %d",
                        COLOURS, PL__LIMIT_PER_CHUNK);
    set->colour_begin = PL_NEW(ctx, set->colour_count + 1, int32_t);
    if (!set->colour_begin)
        return PL_ERR_MEMORY;
    int32_t *first = PL_NEW(ctx, set->chunk_count, int32_t);
    if (!first)
        return PL_ERR_MEMORY;
    place_chunks(set, blocks, colour, first);
    pl_status status = fill(ctx, element, first, set);
    PL_DELETE(ctx, first, set->chunk_count);
    return status;
}

pl_status pl__limit_set_create(pl_context *ctx, pl__limit_kind kind, const pl__limit_element *element, int32_t count,
                               int32_t node_count, pl__limit_set *out)
{
    *out = (pl__limit_set){.kind = kind};
    if (count == 0)
        return PL_OK;
    pl__limit_set set = {.kind = kind, .count = count, .chunk_count = pl__chunk_count(count, PL__LIMIT_PER_CHUNK)};
    uint64_t *used = PL_NEW(ctx, node_count, uint64_t);
    int32_t *colour = PL_NEW(ctx, set.chunk_count, int32_t), *blocks = PL_NEW(ctx, set.chunk_count, int32_t);
    set.place = PL_NEW(ctx, count, int32_t);
    set.chunk_begin = PL_NEW(ctx, set.chunk_count + 1, int32_t);
    set.sums = PL_NEW(ctx, (size_t)set.chunk_count * (sizeof(pl__limit_sums) / sizeof(double)), double);
    pl_status status = used && colour && blocks && set.place && set.chunk_begin && set.sums ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
        status = pack(ctx, element, used, colour, blocks, &set);
    PL_DELETE(ctx, used, node_count);
    PL_DELETE(ctx, colour, set.chunk_count);
    PL_DELETE(ctx, blocks, set.chunk_count);
    if (status != PL_OK)
        pl__limit_set_destroy(ctx, &set);
    else
        *out = set;
    return status;
}

void pl__limit_set_destroy(pl_context *ctx, pl__limit_set *set)
{
    pl__free(ctx, set->block, (size_t)set->block_count * set->stride);
    PL_DELETE(ctx, set->place, set->count);
    PL_DELETE(ctx, set->chunk_begin, set->chunk_count + 1);
    PL_DELETE(ctx, set->colour_begin, set->colour_count + 1);
    PL_DELETE(ctx, set->sums, (size_t)set->chunk_count * (sizeof(pl__limit_sums) / sizeof(double)));
    *set = (pl__limit_set){.kind = set->kind};
}

// ---- sweeps ------------------------------------------------------------------------------------------------------

typedef void sweep_function(const pl__limit_job *job, int32_t begin, int32_t end);

static sweep_function *sweep_of(pl__limit_kind kind, int32_t bytes)
{
    switch (kind)
    {
    case PL__LIMIT_TRIANGLE: return PL_PICK(bytes, pl__limit_triangle);
    case PL__LIMIT_PLANAR: return PL_PICK(bytes, pl__limit_planar);
    case PL__LIMIT_WOVEN: return PL_PICK(bytes, pl__limit_woven);
    case PL__LIMIT_TET: return PL_PICK(bytes, pl__limit_tet);
    case PL__LIMIT_HEX: return PL_PICK(bytes, pl__limit_hex);
    case PL__LIMIT_BEND: return PL_PICK(bytes, pl__limit_bend);
    case PL__LIMIT_CHORD: return PL_PICK(bytes, pl__limit_chord);
    case PL__LIMIT_TETHER: return PL_PICK(bytes, pl__limit_tether);
    }
    return NULL;
}

typedef struct
{
    const pl__limit_set *set;
    const pl__limit_job *job;
    sweep_function *sweep;
    int32_t first_chunk, bytes;
} task;

static void sweep_chunks(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    const int32_t *blocks = &t->set->chunk_begin[t->first_chunk];
    t->sweep(t->job, blocks[begin], blocks[end]);
}

void pl__limit_set_sweep(pl_context *ctx, int32_t register_bytes, const pl__limit_set *set, double factor, double *y)
{
    pl__limit_job job = {.y = y, .block = set->block, .stride = set->stride, .factor = factor};
    for (int32_t c = 0; c < set->colour_count; ++c)
    {
        task t = {set, &job, sweep_of(set->kind, register_bytes), set->colour_begin[c], register_bytes};
        pl__parallel_for(ctx, set->colour_begin[c + 1] - set->colour_begin[c], 1, sweep_chunks, &t);
    }
}

static void measure_chunks(void *argument, int32_t begin, int32_t end)
{
    const task *t = argument;
    for (int32_t c = begin; c < end; ++c)
    {
        pl__limit_sums *sums = (pl__limit_sums *)(void *)t->set->sums + c;
        memset(sums, 0, sizeof *sums);
        PL_PICK(t->bytes, pl__limit_measure)
        (t->set->kind, t->job, t->set->chunk_begin[c], t->set->chunk_begin[c + 1], sums);
    }
}

pl__limit_excess pl__limit_set_measure(pl_context *ctx, int32_t register_bytes, const pl__limit_set *set,
                                       pl__limit_bounds bounds, const double *y)
{
    pl__limit_job job = {.y = (double *)y, .block = set->block, .stride = set->stride, .bounds = bounds};
    task t = {set, &job, NULL, 0, register_bytes};
    pl__limit_excess excess = {.count = set->count};
    pl__parallel_for(ctx, set->chunk_count, 1, measure_chunks, &t);
    for (int32_t c = 0; c < set->chunk_count; ++c)
    {
        const pl__limit_sums *sums = (const pl__limit_sums *)(const void *)set->sums + c;
        for (int32_t l = 0; l < PL__LIMIT_LANES; ++l)
        {
            excess.total += sums->total[l];
            excess.over += (int64_t)sums->over[l];
            excess.most = fmax(excess.most, sums->most[l]);
        }
    }
    return excess;
}
