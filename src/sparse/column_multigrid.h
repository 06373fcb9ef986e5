// src/sparse/column_multigrid.h -- an aggregation multigrid W-cycle as preconditioner of systems in columns.
#ifndef PL_SPARSE_COLUMN_MULTIGRID_H
#define PL_SPARSE_COLUMN_MULTIGRID_H

#include "column_coarsen.h"
#include "gauss_seidel.h"

enum
{
    PL__MOST_LEVELS = 32
};

typedef struct pl__column_level
{
    pl__column_system system;
    pl__column_transfer transfer; // to the next level; not of the coarsest
    pl__gauss_seidel smoother;
    float *x, *b, *r; // [count + PL__SWEEP_PADDING] scaled as in gauss_seidel.h
} pl__column_level;

typedef struct pl__column_multigrid
{
    int32_t level_count;
    pl__column_level level[PL__MOST_LEVELS]; // finest first
    double *factor; // [n (n + 1) / 2] of the coarsest matrix, scaled: D and below it L of L D L^T, by columns; NULL if
                    // that is too large
    double *solution; // [n]
} pl__column_multigrid;

// Levels for `system`, whose arrays must stay; memory is taken from `arena`. PL_OK or PL_ERR_MEMORY.
pl_status pl__column_multigrid_setup(pl_context *ctx, pl__arena *arena, const pl__column_system *system,
                                     pl__column_multigrid *out);

// z = B (factor r), one cycle: B is symmetric and positive definite to single precision. z [count + PL__SWEEP_PADDING].
void pl__column_multigrid_apply(pl_context *ctx, const pl__column_multigrid *mg, const double *r, double factor,
                                float *z);

#endif
