// src/fluid/padded.h -- columns of rows with room around them, for stencils without cases.
//
// Numbers of the sample (i, j, k) of a staggered grid, 0 <= i <= cells along x and so on, have one place: cell (i, j,
// k), its lower faces and its lower edges share it. Each column has rows [j0, j1] with unknowns, and room for all rows
// that those of the columns beside it may ask for, so that
//
//     base[column] + j,   base[column +- 1] + j,   base[column +- nx] + j,   each +- 1
//
// can be read wherever j0 <= j <= j1, and sixteen rows at a time. What is not stored is 0. A ring of columns without
// rows surrounds the domain.
#ifndef PL_FLUID_PADDED_H
#define PL_FLUID_PADDED_H

#include "base/arena.h"

enum
{
    PL__PADDED_ROWS = 16 // at a time
};

typedef struct pl__padded
{
    int32_t nx, nz;      // columns, with the ring
    int32_t *j0, *j1;    // [nx nz] rows with unknowns; j0 > j1: none
    int32_t *base;       // [nx nz] place of row 0
    int32_t *low, *high; // [nx nz] rows that have places; low > high: none
    int32_t count;       // of places
} pl__padded;

static inline int32_t pl__padded_column(const pl__padded *p, int32_t i, int32_t k) { return i + 1 + p->nx * (k + 1); }
static inline int32_t pl__padded_place(const pl__padded *p, const int32_t at[3])
{
    return p->base[pl__padded_column(p, at[0], at[2])] + at[1];
}

// For so many cells along x and z; no column has rows. PL_ERR_MEMORY: not made.
PL_NODISCARD pl_status pl__padded_begin(pl__arena *arena, int32_t cells_x, int32_t cells_z, pl__padded *p);
static inline void pl__padded_add(pl__padded *p, int32_t column, int32_t j0, int32_t j1)
{
    p->j0[column] = j0 < p->j0[column] ? j0 : p->j0[column];
    p->j1[column] = j1 > p->j1[column] ? j1 : p->j1[column];
}
// Give every column its places, when all rows have been added.
void pl__padded_end(pl__padded *p);

#endif
