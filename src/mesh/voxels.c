// src/mesh/voxels.c -- hexahedra cut out of a regular grid.
//
// Cells that touch in an edge or a point only would be hinged there, and the boundary would not be a manifold. It is
// one exactly if around each grid point, of the eight cells that meet there, the kept ones are face-connected and the
// others are, too: seen from the point they are then two discs on a sphere. Otherwise the nearest of the 256 patterns
// with that property is looked up: the largest subset of the kept cells (carving) or the smallest superset (mending).
// Each only ever removes or only ever adds cells, so that sweeping over the grid until nothing changes terminates.
//
// What it does badly: the grid is dense, and surfaces are staircases.
#include "voxels.h"
#include "topology.h"

#include <string.h>

// The eight cells around a point, as bits x + 2 y + 4 z.
typedef struct patterns
{
    uint8_t nearest[256];
} patterns;

static bool hangs_together(int bits)
{
    int reached = bits & -bits, before = 0;
    while (reached != before)
    {
        before = reached;
        for (int cell = 0; cell < 8; ++cell)
            if (before >> cell & 1)
                reached |= bits & (1 << (cell ^ 1) | 1 << (cell ^ 2) | 1 << (cell ^ 4));
    }
    return reached == bits;
}

static int count_bits(int bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        ++count;
    return count;
}

// For every pattern the nearest valid subset (carve) or superset; the first of equals.
static patterns find_patterns(bool carve)
{
    patterns p;
    for (int from = 0; from < 256; ++from)
    {
        int best = 9;
        for (int to = 0; to < 256; ++to)
        {
            bool reachable = carve ? (to & ~from) == 0 : (from & ~to) == 0;
            if (!reachable || count_bits(from ^ to) >= best || !hangs_together(to) || !hangs_together(~to & 255))
                continue;
            best = count_bits(from ^ to);
            p.nearest[from] = (uint8_t)to;
        }
    }
    return p;
}

// The cell towards `bit` from the grid point, or -1 outside the grid.
static int32_t cell_at(const pl__voxels *v, const int32_t point[3], int bit)
{
    int32_t cell[3];
    for (int d = 0; d < 3; ++d)
    {
        cell[d] = point[d] - 1 + (bit >> d & 1);
        if (cell[d] < 0 || cell[d] >= v->cells[d])
            return -1;
    }
    return pl__voxel(v, cell);
}

static bool improve_point(pl__voxels *v, const patterns *p, const int32_t point[3])
{
    int bits = 0;
    for (int bit = 0; bit < 8; ++bit)
    {
        int32_t cell = cell_at(v, point, bit);
        bits |= (cell >= 0 && v->kept[cell]) << bit;
    }
    int change = bits ^ p->nearest[bits];
    for (int bit = 0; bit < 8; ++bit)
        if (change >> bit & 1)
            v->kept[cell_at(v, point, bit)] ^= 1;
    return change != 0;
}

static void improve(pl__voxels *v, bool carve)
{
    const patterns p = find_patterns(carve);
    bool changed = true;
    while (changed)
    {
        int32_t point[3];
        changed = false;
        for (point[2] = 0; point[2] <= v->cells[2]; ++point[2])
            for (point[1] = 0; point[1] <= v->cells[1]; ++point[1])
                for (point[0] = 0; point[0] <= v->cells[0]; ++point[0])
                    changed |= improve_point(v, &p, point);
    }
}

void pl__voxels_carve(pl__voxels *v) { improve(v, true); }
void pl__voxels_mend(pl__voxels *v) { improve(v, false); }

// ---- the mesh ----------------------------------------------------------------------------------------------

static int32_t cell_count(const pl__voxels *v) { return v->cells[0] * v->cells[1] * v->cells[2]; }

int64_t pl__voxels_count(const pl__voxels *v)
{
    int64_t count = 0;
    for (int32_t cell = 0; cell < cell_count(v); ++cell)
        count += v->kept[cell];
    return count;
}

// The grid points of a cell, in the order of a hexahedron's corners.
static void cell_points(const pl__voxels *v, int32_t index, int32_t point[8])
{
    static const int8_t corner[8] = {0, 1, 3, 2, 4, 5, 7, 6}; // bits x + 2 y + 4 z
    int32_t x = index % v->cells[0], y = index / v->cells[0] % v->cells[1], z = index / v->cells[0] / v->cells[1];
    for (int c = 0; c < 8; ++c)
        point[c] = ((z + (corner[c] >> 2)) * (v->cells[1] + 1) + y + (corner[c] >> 1 & 1)) * (v->cells[0] + 1) + x +
                   (corner[c] & 1);
}

// Mark the points that kept cells use, then number them in order; returns their number.
static int32_t number_points(const pl__voxels *v, int32_t point_count, int32_t *number)
{
    int32_t point[8], count = 0;
    for (int32_t cell = 0; cell < cell_count(v); ++cell)
    {
        if (!v->kept[cell])
            continue;
        cell_points(v, cell, point);
        for (int c = 0; c < 8; ++c)
            number[point[c]] = 1;
    }
    for (int32_t i = 0; i < point_count; ++i)
        number[i] = number[i] ? count++ : -1;
    return count;
}

static void fill_mesh(const pl__voxels *v, int32_t point_count, const int32_t *number, pl_mesh *mesh)
{
    int32_t point[8], *out = mesh->element, side[2] = {v->cells[0] + 1, v->cells[1] + 1};
    for (int32_t i = 0; i < point_count; ++i)
    {
        const int32_t at[3] = {i % side[0], i / side[0] % side[1], i / side[0] / side[1]};
        for (int d = 0; number[i] >= 0 && d < 3; ++d)
            mesh->position[3 * (size_t)number[i] + (size_t)d] = pl__voxel_place(v, d, at[d]);
    }
    for (int32_t cell = 0; cell < cell_count(v); ++cell)
    {
        if (!v->kept[cell])
            continue;
        cell_points(v, cell, point);
        for (int c = 0; c < 8; ++c)
            *out++ = number[point[c]];
    }
}

pl_status pl__voxels_mesh(pl_context *ctx, const char *where, const pl__voxels *v, pl_mesh **mesh)
{
    *mesh = NULL;
    int64_t count = pl__voxels_count(v);
    if (count == 0)
        return PL_OK;
    int32_t point_count = (v->cells[0] + 1) * (v->cells[1] + 1) * (v->cells[2] + 1);
    int32_t *number = PL_NEW(ctx, point_count, int32_t);
    if (!number)
        return PL_ERR_MEMORY;
    pl_mesh *m = pl__mesh_new(ctx, PL_ELEMENT_HEX, number_points(v, point_count, number), (int32_t)count);
    if (m)
        fill_mesh(v, point_count, number, m);
    PL_DELETE(ctx, number, point_count);
    pl_status status = m ? pl__mesh_finish(&m, where) : PL_ERR_MEMORY;
    *mesh = m;
    return status;
}
