// src/io/draft.c -- tagged nodes and mixed cells, as they come out of a file.
//
// Tags are looked up in a sorted array. A hash table would be faster for honest files, but a hostile one could make all
// of its tags collide; and honest ones number their nodes 1, 2, 3, ..., where no search is needed at all.
#include "io/draft.h"
#include "mesh/topology.h"

#include <inttypes.h>
#include <string.h>

void pl__draft_free(pl__draft *d)
{
    PL_DELETE(d->ctx, d->position, 3 * (size_t)d->node_capacity);
    PL_DELETE(d->ctx, d->node, d->node_capacity);
    PL_DELETE(d->ctx, d->tet, d->tet_capacity);
    PL_DELETE(d->ctx, d->group, d->group_capacity);
    PL_DELETE(d->ctx, d->triangle, d->triangle_capacity);
    PL_DELETE(d->ctx, d->group_name, d->name_capacity);
}

// ---- sorting -------------------------------------------------------------------------------------------------

// Merge [0, middle) and [middle, count) of `from` into `to`; runs that are in order already are only copied.
static void merge(const pl__tagged *from, size_t middle, size_t count, pl__tagged *to)
{
    if (middle == count || from[middle - 1].tag <= from[middle].tag)
    {
        memcpy(to, from, count * sizeof *to);
        return;
    }
    size_t a = 0, b = middle;
    for (size_t i = 0; i < count; ++i)
        to[i] = b == count || (a < middle && from[a].tag <= from[b].tag) ? from[a++] : from[b++];
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

bool pl__sort_tagged(pl_context *ctx, pl__tagged *items, size_t count)
{
    pl__tagged *other = PL_NEW(ctx, count, pl__tagged);
    if (!other)
        return false;
    pl__tagged *from = items, *to = other;
    for (size_t run = 1; run < count; run *= 2)
    {
        for (size_t at = 0; at < count; at += 2 * run)
            merge(from + at, smaller(run, count - at), smaller(2 * run, count - at), to + at);
        pl__tagged *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
    PL_DELETE(ctx, other, count);
    return true;
}

const pl__tagged *pl__find_tagged(const pl__tagged *items, size_t count, int64_t tag)
{
    size_t low = 0, high = count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (items[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && items[low].tag == tag ? &items[low] : NULL;
}

// ---- nodes ---------------------------------------------------------------------------------------------------

pl_status pl__draft_reserve_nodes(pl__draft *d, const pl__scan *s, int64_t count)
{
    if (count > PL__MAX_NODES)
        return pl__scan_fail(s, "says %" PRId64 " nodes, but at most %d are allowed", count, PL__MAX_NODES);
    d->node_capacity = (int32_t)count;
    d->position = PL_NEW(d->ctx, 3 * count, double);
    d->node = PL_NEW(d->ctx, count, pl__tagged);
    return d->position && d->node ? PL_OK : PL_ERR_MEMORY;
}

void pl__draft_add_node(pl__draft *d, int64_t tag, const double position[3])
{
    PL_ASSERT(d->node_count < d->node_capacity);
    memcpy(&d->position[3 * (size_t)d->node_count], position, 3 * sizeof *position);
    d->node[d->node_count] = (pl__tagged){tag, d->node_count};
    d->node_count++;
}

pl_status pl__draft_seal_nodes(pl__draft *d, const pl__scan *s)
{
    bool ordered = true;
    d->sealed = d->consecutive = true;
    for (int32_t i = 1; i < d->node_count; ++i)
    {
        ordered &= d->node[i].tag >= d->node[i - 1].tag;
        d->consecutive &= (uint64_t)d->node[i].tag - (uint64_t)d->node[0].tag == (uint64_t)i;
    }
    if (!ordered && !pl__sort_tagged(d->ctx, d->node, (size_t)d->node_count))
        return PL_ERR_MEMORY;
    for (int32_t i = 1; i < d->node_count; ++i)
        if (d->node[i].tag == d->node[i - 1].tag)
            return pl__scan_fail(s, "nodes %d and %d of the file are both numbered %" PRId64, d->node[i - 1].value + 1,
                                 d->node[i].value + 1, d->node[i].tag);
    return PL_OK;
}

static int32_t find_node(const pl__draft *d, int64_t tag)
{
    if (d->consecutive && d->node_count > 0)
    {
        uint64_t index = (uint64_t)tag - (uint64_t)d->node[0].tag;
        return index < (uint64_t)d->node_count ? (int32_t)index : -1;
    }
    const pl__tagged *found = pl__find_tagged(d->node, (size_t)d->node_count, tag);
    return found ? found->value : -1;
}

// ---- cells ---------------------------------------------------------------------------------------------------

static pl_status find_corners(const pl__draft *d, const pl__scan *s, const int64_t *tags, int count, int32_t *nodes)
{
    for (int i = 0; i < count; ++i)
    {
        nodes[i] = find_node(d, tags[i]);
        if (nodes[i] < 0)
            return pl__scan_fail(s, "there is no node %" PRId64, tags[i]);
    }
    return PL_OK;
}

static pl_status add_tet(pl__draft *d, const pl__scan *s, const int64_t *corners, int64_t group)
{
    int32_t nodes[4];
    PL_TRY(find_corners(d, s, corners, 4, nodes));
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            if (nodes[i] == nodes[j])
                return pl__scan_fail(s, "the tetrahedron names node %" PRId64 " twice", corners[i]);
    if (d->tet_count >= PL__MAX_TETS)
        return pl__scan_fail(s, "there are more than %d tetrahedra", PL__MAX_TETS);
    if (!PL_GROW(d->ctx, d->tet, &d->tet_capacity, 4 * d->tet_count + 4) ||
        !PL_GROW(d->ctx, d->group, &d->group_capacity, d->tet_count + 1))
        return PL_ERR_MEMORY;
    memcpy(&d->tet[4 * d->tet_count], nodes, sizeof nodes);
    d->group[d->tet_count++] = group;
    return PL_OK;
}

pl_status pl__draft_add_triangle(pl__draft *d, int32_t a, int32_t b, int32_t c)
{
    if (!PL_GROW(d->ctx, d->triangle, &d->triangle_capacity, 3 * d->triangle_count + 3))
        return PL_ERR_MEMORY;
    int32_t *t = &d->triangle[3 * d->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return PL_OK;
}

static pl_status add_polygon(pl__draft *d, const pl__scan *s, const int64_t *corners, int count)
{
    int32_t n[4];
    PL_TRY(find_corners(d, s, corners, count, n));
    PL_TRY(pl__draft_add_triangle(d, n[0], n[1], n[2]));
    return count == 4 ? pl__draft_add_triangle(d, n[0], n[2], n[3]) : PL_OK;
}

pl_status pl__draft_add_cell(pl__draft *d, const pl__scan *s, pl__cell_kind kind, const int64_t *corners, int64_t group)
{
    if (kind == PL__CELL_TET)
        return add_tet(d, s, corners, group);
    if (d->want_surface && (kind == PL__CELL_TRIANGLE || kind == PL__CELL_QUAD))
        return add_polygon(d, s, corners, kind == PL__CELL_QUAD ? 4 : 3);
    d->left_out[kind]++;
    return PL_OK;
}

pl_status pl__draft_name_group(pl__draft *d, int64_t group, pl__text text)
{
    if (!PL_GROW(d->ctx, d->group_name, &d->name_capacity, d->name_count + 1))
        return PL_ERR_MEMORY;
    d->group_name[d->name_count++] = (pl__group_name){group, text};
    return PL_OK;
}

// ---- repeated cells --------------------------------------------------------------------------------------------

static void sort4(const int32_t from[4], int32_t to[4])
{
    for (int i = 0; i < 4; ++i)
    {
        int at = i;
        for (; at > 0 && to[at - 1] > from[i]; --at)
            to[at] = to[at - 1];
        to[at] = from[i];
    }
}

// Order by the four sorted nodes: two passes of a stable sort, least significant pair first.
static bool sort_tets(const pl__draft *d, pl__tagged *items)
{
    for (int pair = 1; pair >= 0; --pair)
    {
        for (size_t i = 0; i < d->tet_count; ++i)
        {
            int32_t n[4];
            sort4(&d->tet[4 * (size_t)items[i].value], n);
            items[i].tag = (int64_t)n[2 * pair] << 32 | n[2 * pair + 1];
        }
        if (!pl__sort_tagged(d->ctx, items, d->tet_count))
            return false;
    }
    return true;
}

static bool same_tet(const pl__draft *d, int32_t a, int32_t b)
{
    int32_t m[4], n[4];
    sort4(&d->tet[4 * (size_t)a], m);
    sort4(&d->tet[4 * (size_t)b], n);
    return memcmp(m, n, sizeof m) == 0;
}

// Mark repeats by a negative group, then close the gaps.
static size_t remove_repeats(pl__draft *d, const pl__tagged *items)
{
    for (size_t i = 1; i < d->tet_count; ++i)
        if (same_tet(d, items[i - 1].value, items[i].value))
            d->group[items[i].value] = -1;
    size_t kept = 0, all = d->tet_count;
    for (size_t i = 0; i < all; ++i)
    {
        if (d->group[i] < 0)
            continue;
        memmove(&d->tet[4 * kept], &d->tet[4 * i], 4 * sizeof *d->tet);
        d->group[kept++] = d->group[i];
    }
    d->tet_count = kept;
    return all - kept;
}

pl_status pl__draft_drop_repeats(pl__draft *d)
{
    size_t all = d->tet_count;
    pl__tagged *items = PL_NEW(d->ctx, all, pl__tagged);
    if (!items)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < all; ++i)
        items[i].value = (int32_t)i;
    bool sorted = sort_tets(d, items);
    size_t repeats = sorted ? remove_repeats(d, items) : 0;
    PL_DELETE(d->ctx, items, all);
    if (repeats)
        pl__log(d->ctx, PL_LOG_NOTE, "%s: left out %zu tetrahedra that repeat others (of several groups the first counts)",
                d->name, repeats);
    return sorted ? PL_OK : PL_ERR_MEMORY;
}
