// src/mesh/stuffing_voxels.c -- a solid filled with cells of the cubic lattice.
//
// Fitted: the cells whose centres are inside, without those that are connected by an edge or a point only. Covering:
// all cells that the solid touches, so that their union contains it, and those that make the boundary a manifold
// (voxels.c). For triangles this is decided by separating axes, with a conservative margin for rounding; for a
// function it can only be estimated, as in covering.c, from its values at 27 points of the cell and its slope.
#include "point.h"
#include "stuffing.h"
#include "topology.h"
#include "voxels.h"

// Relative to the size of a cell: far above rounding, far below anything visible.
static const double margin = 1e-9;

// ---- cell-triangle test -------------------------------------------------------------------------------------

// Whether the triangle, relative to the centre of a unit cube, is separated from it along the axis.
static bool apart(const double axis[3], const double tri[3][3])
{
    double least = INFINITY, most = -INFINITY, reach = 0;
    for (int k = 0; k < 3; ++k)
    {
        double x = pl__dot3(axis, tri[k]);
        least = pl__min(least, x), most = pl__max(most, x);
        reach += (0.5 + margin) * fabs(axis[k]);
    }
    return least > reach || most < -reach;
}

static bool cube_meets_triangle(const double tri[3][3])
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double edge[3][3], axis[3];
    for (int k = 0; k < 3; ++k)
    {
        pl__sub3(tri[(k + 1) % 3], tri[k], edge[k]);
        if (apart(unit[k], tri))
            return false;
    }
    pl__cross3(edge[0], edge[1], axis);
    if (apart(axis, tri))
        return false;
    for (int k = 0; k < 9; ++k)
    {
        pl__cross3(unit[k / 3], edge[k % 3], axis);
        if (apart(axis, tri))
            return false;
    }
    return true;
}

// ---- keeping -----------------------------------------------------------------------------------------------

// Keep the cells that a triangle meets. `c` are its corners relative to the centre of the hierarchy.
static void keep_triangle(const pl__stuffing *s, const double *c, pl__voxels *v)
{
    // in lattice units, corners of cells at integers
    double tri[3][3], moved[3][3];
    int32_t first[3], last[3], cell[3];
    for (int k = 0; k < 9; ++k)
        tri[k / 3][k % 3] = (c[k] - (s->lattice.origin[k % 3] - s->solid->bvh->center[k % 3])) / s->lattice.size;
    for (int d = 0; d < 3; ++d)
    {
        double least = pl__min(pl__min(tri[0][d], tri[1][d]), tri[2][d]),
               most = pl__max(pl__max(tri[0][d], tri[1][d]), tri[2][d]);
        first[d] = (int32_t)pl__max(floor(least - margin), 0);
        last[d] = (int32_t)pl__min(floor(most + margin), v->cells[d] - 1);
    }
    for (cell[2] = first[2]; cell[2] <= last[2]; ++cell[2])
        for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1])
            for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0])
            {
                int8_t *kept = &v->kept[pl__voxel(v, cell)];
                for (int k = 0; k < 9; ++k)
                    moved[k / 3][k % 3] = tri[k / 3][k % 3] - (cell[k % 3] + 0.5);
                *kept = *kept || cube_meets_triangle((const double(*)[3])moved);
            }
}

// The eight corners of a cell and its middle.
static void cell_points(const pl__lattice *l, const int32_t cell[3], int32_t point[9])
{
    for (int k = 0; k < 9; ++k)
    {
        int32_t q[3];
        for (int d = 0; d < 3; ++d)
            q[d] = 2 * cell[d] + (k == 8 ? 1 : 2 * (k >> d & 1));
        point[k] = pl__lattice_point(l, q);
    }
}

// The function at the corners, the middle, and the middles of edges and faces, against its largest slope.
static pl_status function_may_vanish(const pl__stuffing *s, const int32_t cell[3], const int32_t point[9], bool *may)
{
    double slope = 0, least = s->value[point[8]], size = s->lattice.size;
    for (int k = 0; k < 8; ++k)
    {
        least = pl__min(least, s->value[point[k]]);
        slope = pl__max(slope, fabs(s->value[point[k]] - s->value[point[8]]) / (0.8660254037844386 * size));
        for (int d = 0; d < 3; ++d)
            slope = pl__max(slope, fabs(s->value[point[k]] - s->value[point[k ^ 1 << d]]) / size);
    }
    // twice the slope allows for some curvature
    *may = false;
    if (!(least <= 2 * slope * 0.8660254037844386 * size))
        return PL_OK;
    for (int k = 0; k < 27; ++k)
    {
        const int32_t q[3] = {2 * cell[0] + k % 3, 2 * cell[1] + k / 3 % 3, 2 * cell[2] + k / 9};
        int ones = (k % 3 == 1) + (k / 3 % 3 == 1) + (k / 9 == 1);
        double x[3];
        if (ones == 0 || ones == 3)
            continue; // known
        pl__lattice_place(&s->lattice, q, x);
        double value = s->function(s->user, x);
        PL_CHECK(s->ctx, !isnan(value), "%s: the function is not a number at (%g, %g, %g)", s->where, x[0], x[1], x[2]);
        least = pl__min(least, value);
    }
    // largest distance of a point of the cell from the nearest of the 27
    *may = least <= 0.4330127018922193 * slope * size;
    return PL_OK;
}

static pl_status keep_cell(const pl__stuffing *s, bool covering, const int32_t cell[3], int8_t *kept)
{
    int32_t point[9];
    cell_points(&s->lattice, cell, point);
    bool keep = s->sign[point[8]] > 0;
    for (int k = 0; covering && k < 8; ++k)
        keep |= s->sign[point[k]] > 0;
    if (covering && !keep && s->function)
        PL_TRY(function_may_vanish(s, cell, point, &keep));
    *kept = *kept || keep;
    return PL_OK;
}

static pl_status keep_cells(const pl__stuffing *s, bool covering, pl__voxels *v)
{
    const pl__bvh *bvh = covering && s->solid ? s->solid->bvh : NULL;
    for (int32_t t = 0; bvh && t < bvh->triangle_count; ++t)
        keep_triangle(s, &bvh->corner[9 * (size_t)t], v);
    for (int32_t index = 0; index < s->lattice.cell_count; ++index)
    {
        int32_t cell[3];
        pl__lattice_cell_coordinates(&s->lattice, index, cell);
        PL_TRY(keep_cell(s, covering, cell, &v->kept[index]));
    }
    if (covering)
        pl__voxels_mend(v);
    else
        pl__voxels_carve(v);
    return PL_OK;
}

pl_status pl__stuffing_voxels(pl__stuffing *s, bool covering, pl_mesh **mesh)
{
    const pl__lattice *l = &s->lattice;
    pl__voxels v = {.kept = PL_NEW(s->ctx, l->cell_count, int8_t)};
    if (!v.kept)
        return PL_ERR_MEMORY;
    for (int d = 0; d < 3; ++d)
    {
        v.cells[d] = l->cells[d];
        v.half[d] = 0.5 * l->size * l->cells[d];
        v.middle[d] = l->origin[d] + v.half[d];
    }
    pl_status status = keep_cells(s, covering, &v);
    if (status == PL_OK)
        status = pl__stuffing_check_count(s, PL_ELEMENT_HEX, pl__voxels_count(&v));
    if (status == PL_OK)
        status = pl__voxels_mesh(s->ctx, s->where, &v, mesh);
    PL_DELETE(s->ctx, v.kept, l->cell_count);
    return status;
}
