// src/sparse/column_coarsen.h -- aggregates of a system in columns, and its Galerkin coarse matrix.
#ifndef PL_SPARSE_COLUMN_COARSEN_H
#define PL_SPARSE_COLUMN_COARSEN_H

#include "base/arena.h"
#include "column_system.h"

// Prolongation from coarse unknowns X to fine ones x:
//
//     points and slopes:   x[i] = X[aggregate[i]]
//     values of lines:     x[i] = X[aggregate[i]] + arm[i] X[aggregate[i] + 1].
typedef struct pl__column_transfer
{
    int32_t *aggregate; // [fine count]
    float *arm;         // [fine count] centre of the line minus that of its aggregate; NULL without lines
} pl__column_transfer;

// Coarse columns are 2x2 fine ones, the first at even i and k.
static inline int pl__column_children(const pl__column_system *fine, const pl__column_system *coarse, int32_t column,
                                      int32_t child[4])
{
    int32_t i = 2 * (column % coarse->nx), k = 2 * (column / coarse->nx);
    int count = 0;
    for (int32_t dk = 0; dk < 2 && k + dk < fine->nz; ++dk)
        for (int32_t di = 0; di < 2 && i + di < fine->nx; ++di)
            child[count++] = i + di + fine->nx * (k + dk);
    return count;
}

// Make the next coarser system of `fine`; everything is taken from `arena`. PL_OK or PL_ERR_MEMORY.
pl_status pl__column_coarsen(pl_context *ctx, pl__arena *arena, const pl__column_system *fine,
                             pl__column_transfer *transfer, pl__column_system *coarse);

#endif
