// src/sparse/incomplete_cholesky.c
#include "incomplete_cholesky.h"

#include <math.h>

// clang-format off
//                     value     unit           derivation                                                                              pinned by
#define BREAKDOWN      0.05   // of the diagonal  a smaller pivot is that of a matrix that is not diagonally dominant, whose IC(0) may not exist; chosen  tests/column_multigrid.c preconditioners_agree
// clang-format on

// Row i of L, from row i of A and the rows above it; `dense` is zero before and after.
static void factor_row(const pl__column_system *s, pl__incomplete_cholesky *ic, int32_t i, double *dense)
{
    int32_t at = ic->start[i];
    double pivot = 0, diagonal = 0;
    for (int32_t q = s->start[i]; q < s->end[i] && s->column[q] <= i; ++q)
    {
        int32_t c = s->column[q];
        if (c == i)
        {
            diagonal = s->value[q];
            break;
        }
        double v = s->value[q];
        for (int32_t t = ic->start[c]; t < ic->start[c + 1]; ++t)
            v -= ic->value[t] * dense[ic->column[t]];
        v *= ic->inverse[c];
        ic->column[at] = c;
        ic->value[at++] = dense[c] = v;
        pivot -= v * v;
    }
    for (int32_t t = ic->start[i]; t < at; ++t)
        dense[ic->column[t]] = 0;
    pivot += diagonal;
    if (!(pivot > BREAKDOWN * diagonal))
        pivot = diagonal;
    ic->inverse[i] = pivot > 0 ? 1 / sqrt(pivot) : 0;
}

pl_status pl__incomplete_cholesky_setup(pl__arena *arena, const pl__column_system *s, pl__incomplete_cholesky *ic)
{
    *ic = (pl__incomplete_cholesky){.count = s->count, .start = PL_TAKE(arena, s->count + 1, int32_t)};
    if (!ic->start)
        return PL_ERR_MEMORY;
    ic->start[0] = 0;
    for (int32_t i = 0; i < s->count; ++i)
    {
        int32_t lower = 0;
        for (int32_t q = s->start[i]; q < s->end[i]; ++q)
            lower += s->column[q] < i;
        ic->start[i + 1] = ic->start[i] + lower;
    }
    ic->column = PL_TAKE(arena, ic->start[s->count], int32_t);
    ic->value = PL_TAKE(arena, ic->start[s->count], double);
    ic->inverse = PL_TAKE(arena, s->count, double);
    double *dense = PL_TAKE(arena, s->count, double);
    if (!ic->column || !ic->value || !ic->inverse || !dense)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < s->count; ++i)
        dense[i] = 0;
    for (int32_t i = 0; i < s->count; ++i)
        factor_row(s, ic, i, dense);
    return PL_OK;
}

void pl__incomplete_cholesky_apply(const pl__incomplete_cholesky *ic, const double *r, double factor, float *z)
{
    for (int32_t i = 0; i < ic->count; ++i)
    {
        double sum = factor * r[i];
        for (int32_t q = ic->start[i]; q < ic->start[i + 1]; ++q)
            sum -= ic->value[q] * z[ic->column[q]];
        z[i] = (float)(sum * ic->inverse[i]);
    }
    for (int32_t i = ic->count; i-- > 0;)
    {
        double v = z[i] * ic->inverse[i];
        z[i] = (float)v;
        for (int32_t q = ic->start[i]; q < ic->start[i + 1]; ++q)
            z[ic->column[q]] -= (float)(ic->value[q] * v);
    }
}
