// src/sparse/incomplete_cholesky.h -- incomplete Cholesky factors without fill, IC(0), as a preconditioner.
//
// The baseline that better preconditioners are measured against: serial, and its iterations grow with the diameter of
// the grid. Meijerink & van der Vorst 1977.
#ifndef PL_SPARSE_INCOMPLETE_CHOLESKY_H
#define PL_SPARSE_INCOMPLETE_CHOLESKY_H

#include "base/arena.h"
#include "column_system.h"

typedef struct pl__incomplete_cholesky
{
    int32_t count;
    int32_t *start;          // [count + 1] entries of a row of L left of its diagonal
    int32_t *column;         // [entries]
    double *value, *inverse; // [entries], [count] of the diagonal
} pl__incomplete_cholesky;

// PL_OK or PL_ERR_MEMORY. A pivot that breaks down is replaced by the diagonal.
pl_status pl__incomplete_cholesky_setup(pl__arena *arena, const pl__column_system *system,
                                        pl__incomplete_cholesky *out);

// z = (L L^T)^-1 (factor r)
void pl__incomplete_cholesky_apply(const pl__incomplete_cholesky *ic, const double *r, double factor, float *z);

#endif
