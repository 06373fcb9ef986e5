// src/mesh/lattice.h -- the body-centred cubic lattice and its tetrahedra.
//
// Points are the corners and the centres of cubic cells. In units of half a cell a corner has three even coordinates
// and a centre three odd ones. Long edges (length 1 cell) join neighbours of the same kind, short ones (sqrt(3)/2) a
// centre to its eight corners. Every face between two cells carries four tetrahedra, one per edge of the face: the two
// centres and the two ends of the edge. All are congruent, with two long edges (opposite, perpendicular) and four short
// ones, and dihedral angles of 60 and 90 degrees. Twelve tetrahedra belong to a cell: those of its faces towards +x,
// +y, +z.
#ifndef PL_MESH_LATTICE_H
#define PL_MESH_LATTICE_H

#include "mesh.h"

enum
{
    PL__LATTICE_TETS = 12,  // per cell
    PL__LATTICE_EDGES = 11, // owned by a point: 3 long; of centres also 8 short
    PL__LATTICE_STAR = 24   // tetrahedra around a point
};

typedef struct pl__lattice
{
    double origin[3];
    double size; // edge of a cell
    int32_t cells[3];
    int32_t cell_count;
    int32_t corner_count; // points are numbered corners first, then centres; x runs fastest
    int32_t point_count;
} pl__lattice;

// A tetrahedron of the lattice: its points, positively oriented; points 0 1 and 2 3 are its long edges.
typedef struct pl__lattice_tet
{
    int32_t point[4];
    int32_t q[4][3]; // half-cell coordinates
} pl__lattice_tet;

static inline int32_t pl__lattice_point(const pl__lattice *l, const int32_t q[3])
{
    int32_t odd = q[0] & 1;
    int32_t nx = l->cells[0] + !odd, ny = l->cells[1] + !odd;
    return odd * l->corner_count + ((q[2] >> 1) * ny + (q[1] >> 1)) * nx + (q[0] >> 1);
}

static inline void pl__lattice_coordinates(const pl__lattice *l, int32_t point, int32_t q[3])
{
    int32_t odd = point >= l->corner_count;
    int32_t nx = l->cells[0] + !odd, ny = l->cells[1] + !odd, rest = point - odd * l->corner_count;
    q[0] = 2 * (rest % nx) + odd;
    q[1] = 2 * (rest / nx % ny) + odd;
    q[2] = 2 * (rest / nx / ny) + odd;
}

static inline void pl__lattice_place(const pl__lattice *l, const int32_t q[3], double x[3])
{
    for (int d = 0; d < 3; ++d)
        x[d] = l->origin[d] + l->size * (0.5 * q[d]);
}

static inline void pl__lattice_position(const pl__lattice *l, int32_t point, double x[3])
{
    int32_t q[3];
    pl__lattice_coordinates(l, point, q);
    pl__lattice_place(l, q, x);
}

static inline bool pl__lattice_contains(const pl__lattice *l, const int32_t q[3])
{
    for (int d = 0; d < 3; ++d)
        if (q[d] < 0 || q[d] > 2 * l->cells[d])
            return false;
    return true;
}

static inline int32_t pl__lattice_cell(const pl__lattice *l, const int32_t cell[3])
{
    return (cell[2] * l->cells[1] + cell[1]) * l->cells[0] + cell[0];
}

static inline void pl__lattice_cell_coordinates(const pl__lattice *l, int32_t index, int32_t cell[3])
{
    cell[0] = index % l->cells[0];
    cell[1] = index / l->cells[0] % l->cells[1];
    cell[2] = index / l->cells[0] / l->cells[1];
}

// Place a lattice around the box, centred on it, with `padding` free cells on every side. Fails with PL_ERR_ARGUMENT
// if it would have more than 2^28 points, or if doubles cannot resolve its points; `where` starts the message.
PL_NODISCARD pl_status pl__lattice_init(pl__lattice *lattice, pl_context *ctx, const char *where, const double lower[3],
                                        const double upper[3], double size, int32_t padding);

// Tetrahedron `which` (0..11) of a cell; false if it sticks out of the lattice.
bool pl__lattice_tet_of(const pl__lattice *lattice, const int32_t cell[3], int which, pl__lattice_tet *tet);

// The other end of edge `which` owned by the point at q: 0..2 long, 3..10 short (centres only); false if there is
// none.
bool pl__lattice_edge(const pl__lattice *lattice, const int32_t q[3], int which, int32_t other[3]);

// Key of the edge between two neighbours (owner * 16 + which); swaps the points if needed, so that the owner comes
// first.
uint64_t pl__lattice_edge_key(const pl__lattice *lattice, int32_t *a, int32_t *b);

#endif
