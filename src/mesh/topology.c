// src/mesh/topology.c -- adjacency of elements: corners, neighbours, faces, components.
//
// All lists are made by counting their lengths, summing, and filling in ascending order, so that the result depends on
// nothing but the input and costs O(nodes + elements).
//
// Faces are matched by a radix sort of their node numbers, one counting sort per number, least significant first. Each
// pass is stable, so faces with the same nodes end up side by side in ascending order. Hashing needs fewer passes over
// memory, but has bad cases and no natural order; comparison sorts are slower than both.
#include "topology.h"

#include <string.h>

const pl__element_form pl__element_forms[3] = {
    [PL_ELEMENT_TET] = {4, 4, 3, {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}, "tetrahedron", "tetrahedra", "triangle"},
    [PL_ELEMENT_HEX] = {8,
                        6,
                        4,
                        {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}},
                        "hexahedron",
                        "hexahedra",
                        "quadrilateral"},
    [PL_ELEMENT_TRIANGLE] = {3, 3, 2, {{1, 2}, {2, 0}, {0, 1}}, "triangle", "triangles", "edge"},
};

int32_t pl_element_corners(pl_element_kind kind)
{
    return (int)kind >= PL_ELEMENT_TET && (int)kind <= PL_ELEMENT_TRIANGLE ? pl__element_forms[kind].corners : 0;
}

int32_t pl__max_elements(pl_element_kind kind) { return INT32_MAX / pl__element_forms[kind].corners; }

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

// After filling with start[row]++ every start has become its successor; shift them back.
static void restore_starts(int32_t *start, int32_t row_count)
{
    memmove(start + 1, start, sizeof *start * (size_t)row_count);
    start[0] = 0;
}

// ---- corners of nodes --------------------------------------------------------------------------------------

pl_status pl__node_corners(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                           int32_t node_count, pl__lists *lists)
{
    PL_ASSERT(element_count <= INT32_MAX / corners);
    int32_t corner_count = corners * element_count;
    int32_t *start = PL_NEW(ctx, (size_t)node_count + 1, int32_t);
    int32_t *item = PL_NEW(ctx, corner_count, int32_t);
    *lists = (pl__lists){0};
    if (!start || !item)
    {
        PL_DELETE(ctx, start, (size_t)node_count + 1);
        PL_DELETE(ctx, item, corner_count);
        return PL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < corner_count; ++i)
        start[element[i] + 1]++;
    (void)sum_lengths(start, node_count);
    for (int32_t i = 0; i < corner_count; ++i)
        item[start[element[i]]++] = i;
    restore_starts(start, node_count);
    *lists = (pl__lists){node_count, start, item};
    return PL_OK;
}

// ---- neighbours of nodes -----------------------------------------------------------------------------------

// Elements with their corners by node.
typedef struct adjacency
{
    const int32_t *element;
    int32_t corners;
    pl__lists of_node;
} adjacency;

// Visit the distinct neighbours of `node` in the order of its elements; `seen` holds the last node that saw each.
static int32_t collect_neighbours(const adjacency *a, int32_t node, int32_t *seen, int32_t *out)
{
    int32_t count = 0;
    seen[node] = node;
    for (int32_t k = a->of_node.start[node]; k < a->of_node.start[node + 1]; ++k)
    {
        const int32_t *nodes = &a->element[a->of_node.item[k] / a->corners * a->corners];
        for (int32_t c = 0; c < a->corners; ++c)
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

static pl_status fill_neighbours(pl_context *ctx, const adjacency *a, int32_t *seen, pl__lists *neighbours)
{
    // lengths
    int32_t node_count = a->of_node.row_count;
    forget(seen, node_count);
    for (int32_t node = 0; node < node_count; ++node)
        neighbours->start[node + 1] = collect_neighbours(a, node, seen, NULL);
    int64_t total = sum_lengths(neighbours->start, node_count);
    if (total > INT32_MAX)
        return pl__fail(ctx, PL_ERR_MEMORY, "%lld pairs of neighbouring nodes, at most %d fit", (long long)total,
                        INT32_MAX);

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
        (void)collect_neighbours(a, node, seen, &item[neighbours->start[node]]);
    pl__lists unsorted = {node_count, neighbours->start, item};
    sort_by_transposing(&unsorted, seen, neighbours->item);
    PL_DELETE(ctx, item, total);
    return PL_OK;
}

pl_status pl__node_neighbours(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                              int32_t node_count, pl__lists *neighbours)
{
    *neighbours = (pl__lists){0};
    adjacency a = {.element = element, .corners = corners};
    PL_TRY(pl__node_corners(ctx, corners, element, element_count, node_count, &a.of_node));
    int32_t *seen = PL_NEW(ctx, node_count, int32_t);
    int32_t *start = PL_NEW(ctx, (size_t)node_count + 1, int32_t);
    pl_status status = PL_ERR_MEMORY;
    *neighbours = (pl__lists){node_count, start, NULL};
    if (seen && start)
        status = fill_neighbours(ctx, &a, seen, neighbours);
    PL_DELETE(ctx, seen, node_count);
    pl__lists_done(ctx, &a.of_node);
    if (status != PL_OK)
        pl__lists_done(ctx, neighbours);
    return status;
}

// ---- faces -------------------------------------------------------------------------------------------------

// Faces of elements of one kind; keys are their nodes, ascending.
typedef struct faces
{
    const pl__element_form *form;
    const int32_t *element;
    int32_t count, node_count;
} faces;

static void face_key(const faces *f, int32_t face, int32_t key[4])
{
    const int32_t *nodes = &f->element[(size_t)(face / f->form->faces) * (size_t)f->form->corners];
    const int8_t *corner = f->form->face[face % f->form->faces];
    for (int32_t c = 0; c < f->form->face_corners; ++c)
    {
        int32_t node = nodes[corner[c]], at = c;
        for (; at > 0 && key[at - 1] > node; --at)
            key[at] = key[at - 1];
        key[at] = node;
    }
}

static bool same_face(const faces *f, int32_t face, int32_t other)
{
    int32_t a[4], b[4];
    face_key(f, face, a);
    face_key(f, other, b);
    return memcmp(a, b, sizeof *a * (size_t)f->form->face_corners) == 0;
}

// One stable pass: `from` reordered by the `digit`-th node of each face.
static void sort_faces_by(const faces *f, int digit, const int32_t *from, int32_t *to, int32_t *start)
{
    int32_t key[4];
    memset(start, 0, sizeof *start * ((size_t)f->node_count + 1));
    for (int32_t i = 0; i < f->count; ++i)
    {
        face_key(f, from[i], key);
        start[key[digit] + 1]++;
    }
    (void)sum_lengths(start, f->node_count);
    for (int32_t i = 0; i < f->count; ++i)
    {
        face_key(f, from[i], key);
        to[start[key[digit]]++] = from[i];
    }
}

// All passes, from the last node of the keys to the first, alternating between two arrays; the result is in `order`.
static void sort_faces(const faces *f, int32_t *order, int32_t *scratch, int32_t *start)
{
    bool odd = f->form->face_corners & 1;
    int32_t *items = odd ? scratch : order, *other = odd ? order : scratch;
    for (int32_t i = 0; i < f->count; ++i)
        items[i] = i;
    for (int digit = f->form->face_corners - 1; digit >= 0; --digit)
    {
        sort_faces_by(f, digit, items, other, start);
        int32_t *swap = items;
        items = other;
        other = swap;
    }
}

// Runs of equal faces in sorted order: pairs are twins, longer ones a crowd (non-manifold), whose lowest three faces
// go to `first`.
static void pair_faces(const faces *f, const int32_t *sorted, int32_t *twin, int32_t *crowd_count, int32_t first[3])
{
    int32_t end;
    for (int32_t begin = 0; begin < f->count; begin = end)
    {
        for (end = begin + 1; end < f->count && same_face(f, sorted[begin], sorted[end]);)
            ++end;
        for (int32_t i = begin; i < end; ++i)
            twin[sorted[i]] = end - begin > 2 ? PL__FACE_CROWDED : PL__FACE_ALONE;
        if (end - begin == 2)
        {
            twin[sorted[begin]] = sorted[begin + 1];
            twin[sorted[begin + 1]] = sorted[begin];
        }
        else if (end - begin > 2 && ((*crowd_count)++ == 0 || sorted[begin] < first[0]))
            memcpy(first, &sorted[begin], 3 * sizeof *first);
    }
}

pl_status pl__face_twins(pl_context *ctx, pl_element_kind kind, const int32_t *element, int32_t element_count,
                         int32_t node_count, int32_t *twin, pl__crowd *crowd)
{
    PL_ASSERT(element_count <= pl__max_elements(kind));
    const pl__element_form *form = &pl__element_forms[kind];
    faces f = {form, element, form->faces * element_count, node_count};
    int32_t *order = PL_NEW(ctx, f.count, int32_t);
    int32_t *start = PL_NEW(ctx, (size_t)node_count + 1, int32_t);
    bool ok = order && start;
    *crowd = (pl__crowd){0, {-1, -1, -1}};
    if (ok)
    {
        // `twin` serves as the second array of the sort until it is filled
        int32_t first[3] = {-1, -1, -1};
        sort_faces(&f, order, twin, start);
        pair_faces(&f, order, twin, &crowd->count, first);
        for (int c = 0; c < 3; ++c)
            crowd->element[c] = first[c] < 0 ? -1 : first[c] / form->faces;
    }
    PL_DELETE(ctx, order, f.count);
    PL_DELETE(ctx, start, (size_t)node_count + 1);
    return ok ? PL_OK : PL_ERR_MEMORY;
}

// ---- connected parts ---------------------------------------------------------------------------------------

// Union-find where every root is the lowest node of its set, with path halving.
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

pl_status pl__connected_parts(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                              int32_t node_count, int32_t *part, int32_t *part_count)
{
    int32_t *parent = PL_NEW(ctx, node_count, int32_t);
    if (!parent)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < node_count; ++i)
        parent[i] = part[i] = i;
    for (int32_t i = 0; i < corners * element_count; ++i)
        join(parent, element[i], element[i / corners * corners]);

    // nodes of no element are marked -1; roots come before the rest of their part, so one ascending pass numbers all
    forget(part, node_count);
    for (int32_t i = 0; i < corners * element_count; ++i)
        part[element[i]] = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < node_count; ++i)
        if (part[i] >= 0)
            part[i] = parent[i] == i ? count++ : part[find_root(parent, i)];
    PL_DELETE(ctx, parent, node_count);
    *part_count = count;
    return PL_OK;
}
