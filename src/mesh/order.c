// src/mesh/order.c -- reorders nodes and elements for memory locality.
//
// Nodes are sorted along Hilbert's curve through the bounding cube, elements by the first and then the last of their
// nodes in that order. Sixteen consecutive tetrahedra, a block of the element kernels, then share their nodes.
//
// Tried on boxes, spheres and tori of 2 500 to 78 000 tetrahedra, with nodes of 24 bytes; cache lines per block of 16,
// and misses per tetrahedron of a cache of 128 lines, on the largest box:
//
//     nodes     tetrahedra         lines   misses             nodes     tetrahedra         lines   misses
//     Hilbert   first, last node    11.2    0.123             Morton    first node          12.2    0.142
//     Hilbert   centroid's key      11.7    0.149             Morton    centroid's key      13.3    0.161
//     Hilbert   mean of the nodes   26.4    0.301             Cuthill-McKee, first node     10.6    0.173
//
// The curve: divide the cube into eight octants, visit them in the order of a Gray code, each by a copy of the curve
// rotated so that it begins next to the end of the previous one. A rotation is a pair (entry corner, axis of travel):
// the three bits that name an octant are reflected by `entry` and rotated by `axis`, their rank in the Gray code is
// the next digit of the key, and the pair is updated from that digit. Hamilton 2006, Compact Hilbert Indices, section
// 2.
#include "order.h"

#include <math.h>
#include <string.h>

enum
{
    KEY_BITS = 20 // per axis: a millionth of the mesh
};

// ---- the curve ---------------------------------------------------------------------------------------------

static uint32_t gray(uint32_t rank) { return rank ^ (rank >> 1); }

static uint32_t gray_rank(uint32_t code) { return code ^ (code >> 1) ^ (code >> 2); }

static uint32_t rotate_left(uint32_t bits, int by) { return ((bits << by) | (bits >> (3 - by))) & 7; }

// The corner where the curve enters the octant of this rank, and the axis along which it crosses it.
static uint32_t octant_entry(uint32_t rank) { return rank == 0 ? 0 : gray((rank - 1) & ~1u); }

static int octant_axis(uint32_t rank)
{
    static const int8_t axis[8] = {0, 1, 1, 2, 2, 1, 1, 0};
    return axis[rank];
}

uint64_t pl__hilbert_key(int bits, uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t key = 0;
    uint32_t entry = 0;
    int axis = 0;
    for (int level = bits - 1; level >= 0; --level)
    {
        int by = (axis + 1) % 3;
        uint32_t octant = (x >> level & 1) | (y >> level & 1) << 1 | (z >> level & 1) << 2;
        uint32_t rank = gray_rank(rotate_left(octant ^ entry, (3 - by) % 3));
        key = key << 3 | rank;
        entry ^= rotate_left(octant_entry(rank), by);
        axis = (axis + octant_axis(rank) + 1) % 3;
    }
    return key;
}

// ---- keys --------------------------------------------------------------------------------------------------

typedef struct keyed
{
    uint64_t key;
    int32_t index;
} keyed;

// The bounding cube. Halves keep the size of the largest meshes finite.
typedef struct frame
{
    double lower[3];
    double half_size; // of its largest side; zero when all points coincide
} frame;

static frame bounding_cube(const pl_mesh *mesh)
{
    frame f = {{INFINITY, INFINITY, INFINITY}, 0};
    double upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; ++i)
    {
        f.lower[i % 3] = fmin(f.lower[i % 3], mesh->position[i]);
        upper[i % 3] = fmax(upper[i % 3], mesh->position[i]);
    }
    for (int i = 0; i < 3; ++i)
        f.half_size = fmax(f.half_size, 0.5 * upper[i] - 0.5 * f.lower[i]);
    return f;
}

static uint64_t point_key(const frame *f, const double x[3])
{
    uint32_t cell[3];
    for (int i = 0; i < 3; ++i)
    {
        double u = f->half_size > 0 ? (0.5 * x[i] - 0.5 * f->lower[i]) / f->half_size : 0;
        cell[i] = (uint32_t)fmin(fmax(u, 0) * (1 << KEY_BITS), (1 << KEY_BITS) - 1);
    }
    return pl__hilbert_key(KEY_BITS, cell[0], cell[1], cell[2]);
}

static void key_nodes(const pl_mesh *mesh, const frame *f, keyed *out)
{
    for (int32_t node = 0; node < mesh->node_count; ++node)
        out[node] = (keyed){point_key(f, &mesh->position[3 * (size_t)node]), node};
}

static void key_elements(const pl_mesh *mesh, const int32_t *old_to_new_node, keyed *out)
{
    int32_t corners = pl__mesh_corners(mesh);
    for (int32_t e = 0; e < mesh->element_count; ++e)
    {
        int32_t first = INT32_MAX, last = 0;
        for (int32_t c = 0; c < corners; ++c)
        {
            int32_t node = old_to_new_node[pl__mesh_element(mesh, e)[c]];
            first = node < first ? node : first;
            last = node > last ? node : last;
        }
        out[e] = (keyed){(uint64_t)first << 32 | (uint64_t)last, e};
    }
}

// ---- sorting -----------------------------------------------------------------------------------------------

// Stable radix sort, one byte at a time from the lowest; bytes that are the same in all keys cost one pass. Returns
// where the result is, in `items` or in `other`.
static const keyed *sort_keys(keyed *items, keyed *other, int32_t count)
{
    for (int shift = 0; shift < 64; shift += 8)
    {
        int32_t start[257] = {0};
        for (int32_t i = 0; i < count; ++i)
            start[(items[i].key >> shift & 255) + 1]++;
        if (start[(items[0].key >> shift & 255) + 1] == count)
            continue;
        for (int byte = 0; byte < 256; ++byte)
            start[byte + 1] += start[byte];
        for (int32_t i = 0; i < count; ++i)
            other[start[items[i].key >> shift & 255]++] = items[i];
        keyed *swap = items;
        items = other;
        other = swap;
    }
    return items;
}

static void sort_indices(keyed *items, keyed *other, int32_t count, int32_t *out)
{
    if (count == 0)
        return;
    const keyed *sorted = sort_keys(items, other, count);
    for (int32_t i = 0; i < count; ++i)
        out[i] = sorted[i].index;
}

static void invert(const int32_t *new_to_old, int32_t count, int32_t *old_to_new)
{
    for (int32_t i = 0; i < count; ++i)
        old_to_new[new_to_old[i]] = i;
}

pl_status pl__mesh_locality_order(const pl_mesh *mesh, int32_t *new_to_old_node, int32_t *new_to_old_element)
{
    pl_context *ctx = mesh->ctx;
    int32_t room = mesh->node_count > mesh->element_count ? mesh->node_count : mesh->element_count;
    keyed *items = PL_NEW(ctx, room, keyed), *other = PL_NEW(ctx, room, keyed);
    int32_t *old_to_new = PL_NEW(ctx, mesh->node_count, int32_t);
    bool ok = items && other && old_to_new;
    if (ok)
    {
        frame f = bounding_cube(mesh);
        key_nodes(mesh, &f, items);
        sort_indices(items, other, mesh->node_count, new_to_old_node);
        invert(new_to_old_node, mesh->node_count, old_to_new);
        key_elements(mesh, old_to_new, items);
        sort_indices(items, other, mesh->element_count, new_to_old_element);
    }
    PL_DELETE(ctx, items, room);
    PL_DELETE(ctx, other, room);
    PL_DELETE(ctx, old_to_new, mesh->node_count);
    return ok ? PL_OK : PL_ERR_MEMORY;
}
