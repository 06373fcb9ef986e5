// src/mesh/topology.c -- who touches whom in a set of tetrahedra.
//
// Everything here is counting: lists are made by counting their lengths, summing, and filling in ascending order, so that
// the result depends on nothing but the input and costs O(nodes + tets).
//
// Faces are matched by sorting them by their three node numbers, one counting sort per number, least significant first.
// Each pass is stable, so faces with the same nodes end up side by side in ascending order. Hashing needs fewer passes over
// memory, but has bad cases and no natural order; comparing sorts lose to both.
#include "topology.h"

#include <string.h>

const int8_t pl__face_corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

void pl__lists_done(pl_context *ctx, pl__lists *lists)
{
    if (lists->item)
        PL_DELETE(ctx, lists->item, lists->start[lists->row_count]);
    if (lists->start)
        PL_DELETE(ctx, lists->start, (size_t)lists->row_count + 1);
    memset(lists, 0, sizeof *lists);
}

// From lengths in start[row + 1] to starts; returns the total.
static int64_t sum_lengths(int32_t *start, int32_t row_count)
{
    int64_t total = 0;
    for (int32_t row = 0; row < row_count; ++row)
    {
        total += start[row + 1];
        start[row + 1] = (int32_t)(total <= INT32_MAX ? total : INT32_MAX);
    }
    return total;
}

// After filling with start[row]++ every start has become its successor; move them back.
static void restore_starts(int32_t *start, int32_t row_count)
{
    memmove(start + 1, start, sizeof *start * (size_t)row_count);
    start[0] = 0;
}

// ---- corners of nodes --------------------------------------------------------------------------------------

pl_status pl__node_corners(pl_context *ctx, const int32_t *tet, int32_t tet_count, int32_t node_count, pl__lists *corners)
{
    PL_ASSERT(tet_count <= PL__MAX_TETS);
    int32_t corner_count = 4 * tet_count;
    int32_t *start = PL_NEW(ctx, (size_t)node_count + 1, int32_t);
    int32_t *item = PL_NEW(ctx, corner_count, int32_t);
    *corners = (pl__lists){0};
    if (!start || !item)
    {
        PL_DELETE(ctx, start, (size_t)node_count + 1);
        PL_DELETE(ctx, item, corner_count);
        return PL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < corner_count; ++i)
        start[tet[i] + 1]++;
    (void)sum_lengths(start, node_count);
    for (int32_t i = 0; i < corner_count; ++i)
        item[start[tet[i]]++] = i;
    restore_starts(start, node_count);
    *corners = (pl__lists){node_count, start, item};
    return PL_OK;
}

// ---- neighbours of nodes -----------------------------------------------------------------------------------

// Visit the distinct neighbours of `node` in the order of its tetrahedra; `seen` holds the last node that saw each.
static int32_t collect_neighbours(const int32_t *tet, const pl__lists *corners, int32_t node, int32_t *seen, int32_t *out)
{
    int32_t count = 0;
    seen[node] = node;
    for (int32_t k = corners->start[node]; k < corners->start[node + 1]; ++k)
    {
        const int32_t *nodes = &tet[corners->item[k] & ~3];
        for (int32_t c = 0; c < 4; ++c)
        {
            if (seen[nodes[c]] == node)
                continue;
            seen[nodes[c]] = node;
            if (out)
                out[count] = nodes[c];
            count++;
        }
    }
    return count;
}

static void forget(int32_t *seen, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        seen[i] = -1;
}

// Being a neighbour is mutual, so transposing the lists changes nothing but their order, which becomes ascending.
static void sort_by_transposing(const pl__lists *lists, int32_t *cursor, int32_t *sorted)
{
    memcpy(cursor, lists->start, sizeof *cursor * (size_t)lists->row_count);
    for (int32_t row = 0; row < lists->row_count; ++row)
        for (int32_t k = lists->start[row]; k < lists->start[row + 1]; ++k)
            sorted[cursor[lists->item[k]]++] = row;
}

static pl_status fill_neighbours(pl_context *ctx, const int32_t *tet, const pl__lists *corners, int32_t *seen,
                                 pl__lists *neighbours)
{
    // lengths
    int32_t node_count = corners->row_count;
    forget(seen, node_count);
    for (int32_t node = 0; node < node_count; ++node)
        neighbours->start[node + 1] = collect_neighbours(tet, corners, node, seen, NULL);
    int64_t total = sum_lengths(neighbours->start, node_count);
    if (total > INT32_MAX)
        return pl__fail(ctx, PL_ERR_MEMORY, "%lld pairs of neighbouring nodes, at most %d fit", (long long)total, INT32_MAX);

    // items, then the same ascending
    int32_t *item = PL_NEW(ctx, total, int32_t);
    neighbours->item = PL_NEW(ctx, total, int32_t);
    if (!item || !neighbours->item)
    {
        PL_DELETE(ctx, item, total);
        return PL_ERR_MEMORY;
    }
    forget(seen, node_count);
    for (int32_t node = 0; node < node_count; ++node)
        (void)collect_neighbours(tet, corners, node, seen, &item[neighbours->start[node]]);
    pl__lists unsorted = {node_count, neighbours->start, item};
    sort_by_transposing(&unsorted, seen, neighbours->item);
    PL_DELETE(ctx, item, total);
    return PL_OK;
}

pl_status pl__node_neighbours(pl_context *ctx, const int32_t *tet, int32_t tet_count, int32_t node_count,
                              pl__lists *neighbours)
{
    *neighbours = (pl__lists){0};
    pl__lists corners;
    PL_TRY(pl__node_corners(ctx, tet, tet_count, node_count, &corners));
    int32_t *seen = PL_NEW(ctx, node_count, int32_t);
    int32_t *start = PL_NEW(ctx, (size_t)node_count + 1, int32_t);
    pl_status status = PL_ERR_MEMORY;
    *neighbours = (pl__lists){node_count, start, NULL};
    if (seen && start)
        status = fill_neighbours(ctx, tet, &corners, seen, neighbours);
    PL_DELETE(ctx, seen, node_count);
    pl__lists_done(ctx, &corners);
    if (status != PL_OK)
        pl__lists_done(ctx, neighbours);
    return status;
}

// ---- faces -------------------------------------------------------------------------------------------------

// The three nodes of face 4 t + c, ascending.
static void face_key(const int32_t *tet, int32_t face, int32_t key[3])
{
    const int32_t *nodes = &tet[face & ~3];
    const int8_t *corner = pl__face_corner[face & 3];
    int32_t a = nodes[corner[0]], b = nodes[corner[1]], c = nodes[corner[2]];
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    key[0] = c < low ? c : low;
    key[2] = c > high ? c : high;
    key[1] = c < low ? low : c > high ? high : c;
}

static bool same_face(const int32_t *tet, int32_t face, int32_t other)
{
    int32_t a[3], b[3];
    face_key(tet, face, a);
    face_key(tet, other, b);
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// One stable pass: `from` reordered by the `digit`-th node of each face.
static void sort_faces_by(const int32_t *tet, int digit, int32_t face_count, int32_t node_count, const int32_t *from,
                          int32_t *to, int32_t *start)
{
    int32_t key[3];
    memset(start, 0, sizeof *start * ((size_t)node_count + 1));
    for (int32_t i = 0; i < face_count; ++i)
    {
        face_key(tet, from[i], key);
        start[key[digit] + 1]++;
    }
    (void)sum_lengths(start, node_count);
    for (int32_t i = 0; i < face_count; ++i)
    {
        face_key(tet, from[i], key);
        to[start[key[digit]]++] = from[i];
    }
}

// Runs of equal faces in sorted order: pairs are twins, longer ones a crowd.
static void pair_faces(const int32_t *tet, int32_t face_count, const int32_t *sorted, int32_t *twin, int32_t crowd[3])
{
    int32_t end;
    for (int32_t begin = 0; begin < face_count; begin = end)
    {
        for (end = begin + 1; end < face_count && same_face(tet, sorted[begin], sorted[end]);)
            ++end;
        for (int32_t i = begin; i < end; ++i)
            twin[sorted[i]] = -1;
        if (end - begin == 2)
        {
            twin[sorted[begin]] = sorted[begin + 1];
            twin[sorted[begin + 1]] = sorted[begin];
        }
        else if (end - begin > 2 && (crowd[0] < 0 || sorted[begin] < crowd[0]))
            memcpy(crowd, &sorted[begin], 3 * sizeof *crowd);
    }
}

pl_status pl__face_twins(pl_context *ctx, const int32_t *tet, int32_t tet_count, int32_t node_count, int32_t *twin,
                         int32_t crowd[3])
{
    PL_ASSERT(tet_count <= PL__MAX_TETS);
    int32_t face_count = 4 * tet_count;
    int32_t *order = PL_NEW(ctx, face_count, int32_t);
    int32_t *start = PL_NEW(ctx, (size_t)node_count + 1, int32_t);
    bool ok = order && start;
    if (ok)
    {
        // `twin` serves as the second array of the sort until it is filled
        crowd[0] = crowd[1] = crowd[2] = -1;
        for (int32_t i = 0; i < face_count; ++i)
            twin[i] = i;
        sort_faces_by(tet, 2, face_count, node_count, twin, order, start);
        sort_faces_by(tet, 1, face_count, node_count, order, twin, start);
        sort_faces_by(tet, 0, face_count, node_count, twin, order, start);
        pair_faces(tet, face_count, order, twin, crowd);
        for (int c = 0; c < 3; ++c)
            crowd[c] = crowd[c] < 0 ? -1 : crowd[c] / 4;
    }
    PL_DELETE(ctx, order, face_count);
    PL_DELETE(ctx, start, (size_t)node_count + 1);
    return ok ? PL_OK : PL_ERR_MEMORY;
}

// ---- connected parts ---------------------------------------------------------------------------------------

// Union-find where every root is the lowest node of its set; halving paths keeps them short.
static int32_t find_root(int32_t *parent, int32_t node)
{
    while (parent[node] != node)
    {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

static void join(int32_t *parent, int32_t a, int32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

pl_status pl__connected_parts(pl_context *ctx, const int32_t *tet, int32_t tet_count, int32_t node_count, int32_t *part,
                              int32_t *part_count)
{
    int32_t *parent = PL_NEW(ctx, node_count, int32_t);
    if (!parent)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < node_count; ++i)
        parent[i] = part[i] = i;
    for (int32_t i = 0; i < 4 * tet_count; ++i)
        join(parent, tet[i], tet[i & ~3]);

    // nodes of no tetrahedron are marked -1; roots come before the rest of their part, so one ascending pass numbers all
    forget(part, node_count);
    for (int32_t i = 0; i < 4 * tet_count; ++i)
        part[tet[i]] = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < node_count; ++i)
        if (part[i] >= 0)
            part[i] = parent[i] == i ? count++ : part[find_root(parent, i)];
    PL_DELETE(ctx, parent, node_count);
    *part_count = count;
    return PL_OK;
}
