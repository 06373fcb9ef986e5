// src/mesh/lattice.c -- numbering of the body-centred cubic lattice; lattice.h describes it.
#include "base/file.h"
#include "lattice.h"

#include <math.h>

enum
{
    BYTES_PER_POINT = 40, // of a lattice and the mesh made from it, at least
    MAX_POINTS = 1 << 28
};

// Points must stay apart by this many units in the last place, or the warped tetrahedra lose their angles.
static const double least_size = 1e-10;

pl_status pl__lattice_init(pl__lattice *lattice, pl_context *ctx, const char *where, const double lower[3],
                           const double upper[3], double size, int32_t padding)
{
    double corners = 1, cells = 1, farthest = 0, n[3];
    for (int d = 0; d < 3; ++d)
    {
        n[d] = fmax(ceil((upper[d] - lower[d]) / size), 1) + 2 * padding;
        corners *= n[d] + 1, cells *= n[d];
        farthest = fmax(farthest, fmax(fabs(lower[d]), fabs(upper[d])));
    }
    if (!(isfinite(corners) && corners + cells <= MAX_POINTS))
        return pl__fail_about(ctx,
                              pl__fail(ctx, PL_ERR_ARGUMENT,
                                       "%s: size = %g needs %.3g lattice points for a box of %g x %g x %g; at most %d "
                                       "are allowed, so size must be "
                                       "about %.2g or more",
                                       where, size, corners + cells, upper[0] - lower[0], upper[1] - lower[1],
                                       upper[2] - lower[2], (int)MAX_POINTS,
                                       size * cbrt((corners + cells) / MAX_POINTS)),
                              "size");
    double needed = BYTES_PER_POINT * (corners + cells), memory = (double)pl__memory_bytes();
    if (!(needed <= memory))
        return pl__fail_about(
            ctx,
            pl__fail(
                ctx, PL_ERR_ARGUMENT,
                "%s: size = %g needs about %.3g GB for a lattice of %.3g points, and this machine has %.3g GB, so size "
                "must be about %.2g or more",
                where, size, 1e-9 * needed, corners + cells, 1e-9 * memory, 1.06 * size * cbrt(needed / memory)),
            "size");
    PL_CHECK(ctx, size >= least_size * farthest,
             "%s: size = %g cannot be resolved %g away from the origin; it must be at least %g", where, size, farthest,
             least_size * farthest);
    lattice->size = size;
    for (int d = 0; d < 3; ++d)
    {
        lattice->cells[d] = (int32_t)n[d];
        lattice->origin[d] = lower[d] + (upper[d] - lower[d]) / 2 - size * (0.5 * n[d]);
    }
    lattice->cell_count = (int32_t)cells;
    lattice->corner_count = (int32_t)corners;
    lattice->point_count = (int32_t)(corners + cells);
    return PL_OK;
}

// which = 4 * axis + side: the face between the cell and its neighbour along `axis`, and the four edges of
// that face counterclockwise around the axis. Then (centre, next centre, edge begin, edge end) is positive.
bool pl__lattice_tet_of(const pl__lattice *lattice, const int32_t cell[3], int which, pl__lattice_tet *tet)
{
    static const int8_t around[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    int axis = which >> 2, side = which & 3, u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (cell[axis] + 1 >= lattice->cells[axis])
        return false;
    for (int d = 0; d < 3; ++d)
        for (int k = 0; k < 4; ++k)
            tet->q[k][d] = 2 * cell[d] + 1;
    tet->q[1][axis] += 2;
    for (int k = 2; k < 4; ++k)
    {
        tet->q[k][axis] += 1;
        tet->q[k][u] += around[side + k - 2][0];
        tet->q[k][v] += around[side + k - 2][1];
    }
    for (int k = 0; k < 4; ++k)
        tet->point[k] = pl__lattice_point(lattice, tet->q[k]);
    return true;
}

bool pl__lattice_edge(const pl__lattice *lattice, const int32_t q[3], int which, int32_t other[3])
{
    if (which >= 3 && !(q[0] & 1))
        return false;
    for (int d = 0; d < 3; ++d)
        other[d] = q[d] + (which < 3 ? 2 * (which == d) : ((which - 3) >> d & 1 ? 1 : -1));
    return pl__lattice_contains(lattice, other);
}

uint64_t pl__lattice_edge_key(const pl__lattice *lattice, int32_t *a, int32_t *b)
{
    // the owner is the centre of a short edge and the first point of a long one; centres come after corners
    bool short_edge = (*a >= lattice->corner_count) != (*b >= lattice->corner_count);
    if (short_edge ? *a < *b : *a > *b)
    {
        int32_t swap = *a;
        *a = *b, *b = swap;
    }
    int32_t qa[3], qb[3];
    pl__lattice_coordinates(lattice, *a, qa);
    pl__lattice_coordinates(lattice, *b, qb);
    int which = short_edge ? 3 : 0;
    for (int d = 0; d < 3; ++d)
        which += qb[d] > qa[d] ? (short_edge ? 1 << d : d) : 0;
    return (uint64_t)*a * 16 + (uint64_t)which;
}
