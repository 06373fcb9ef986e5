// src/sparse/gauss_seidel.h -- Gauss-Seidel sweeps in single precision over a system in columns.
//
// The matrix is scaled to a unit diagonal first. With C C^T the Cholesky factors of the diagonal blocks (1x1 of points,
// 2x2 of lines), sweeps solve
//
//     A~ x~ = b~,    A~ = C^-1 A C^-T = I + L + U,    x = C^-T x~,    b~ = C^-1 b.
//
// The unknowns of a line are then not coupled to each other, so that sweeps by single rows are sweeps by blocks, and
// its entries are at most 1, whatever the units of A.
//
// Order: tiles of 16x16 columns in four colours, so that tiles of one colour are independent tasks; lexicographic
// within a tile. A sweep backward is the adjoint of one forward. L holds what comes before in this order.
//
// Storage: consecutive rows of a column whose columns differ by the same offsets form a run, which stores the offsets
// once and its values entry by entry. A uniform grid has one run per column but for its ends: no column indices, and
// rows next to each other in a register. What couples a row with the one below it in a run is a recurrence,
// x_r = t_r - l_r x_{r-1}, and is solved by doubling (gauss_seidel.kernel.c). The rows of a run stand together in the
// system too, so that products with A in double precision need no column indices either.
#ifndef PL_SPARSE_GAUSS_SEIDEL_H
#define PL_SPARSE_GAUSS_SEIDEL_H

#include "base/arena.h"
#include "base/cpu.h"
#include "column_system.h"

enum
{
    PL__TILE = 16,         // columns along an edge of a tile
    PL__SWEEP_PADDING = 16 // floats behind vectors that kernels may read
};

// Entries in this order: of L others and that of the row below, of U that of the row above and others. L and U are two
// arrays, since a sweep from zero reads the one and the residual after it the other.
typedef struct pl__row_run
{
    int32_t first, count; // rows
    int32_t offset;       // first of its column offsets
    int32_t before, after;
    uint8_t below, above; // 0 or 1
    int64_t lower, upper; // first of its values in L and in U, `count` per entry
} pl__row_run;

typedef struct pl__gauss_seidel
{
    const pl__column_system *system;
    int32_t *run_start; // [columns + 1]
    pl__row_run *run;
    int32_t *offset;
    float *lower, *upper;
    // C^-1: diagonal; of a slope also the entry at its value (NULL without lines)
    float *scale, *skew; // [count]
    // C
    float *root, *tilt; // [count]
} pl__gauss_seidel;

typedef enum pl__sweep
{
    PL__SWEEP_FROM_ZERO, // forward, x is 0 before and need not be set: (I + L) x = b
    PL__SWEEP_FORWARD,
    PL__SWEEP_BACKWARD
} pl__sweep;

// Everything is taken from `arena`; `system` must stay. PL_OK or PL_ERR_MEMORY.
pl_status pl__gauss_seidel_setup(pl_context *ctx, pl__arena *arena, const pl__column_system *system,
                                 pl__gauss_seidel *out);

// b, x [count + PL__SWEEP_PADDING]
void pl__gauss_seidel_sweep(pl_context *ctx, const pl__gauss_seidel *gs, pl__sweep sweep, const float *b, float *x);

// Entry q of row i of A~, in double precision.
double pl__gauss_seidel_entry(const pl__gauss_seidel *gs, int32_t i, int32_t q);

// Runs [begin, end) of a column, in order or, backward, from the last.
PL_KERNEL_DECLARE(void, pl__sweep_runs,
                  (const pl__gauss_seidel *gs, pl__sweep sweep, int32_t begin, int32_t end, const float *b, float *x));
// r = b - A~ x of runs [begin, end); right after a sweep from zero (b NULL) that is -U x.
PL_KERNEL_DECLARE(void, pl__residual_runs,
                  (const pl__gauss_seidel *gs, int32_t begin, int32_t end, const float *b, const float *x, float *r));

#endif
