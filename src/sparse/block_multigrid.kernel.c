// src/sparse/block_multigrid.kernel.c -- P^T A P of the fine matrix, sixteen rows at a time; small dense matrices.
#include "base/simd.h"
#include "block_multigrid.h"

// ---- coarse blocks ------------------------------------------------------------------------------------------------

// With the blocks a of rows i and columns j, and arms d: [1; d_i x] a [1, d_j x], six by six. A lane is a row.
PL_INLINE void expand(const double *a, const double *arm, const int32_t *row, const int32_t *column,
                      double out[36][PL_BLOCK])
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w di[3], dj[3], top[3][6];
        pl_gather3_w(arm, &row[lane], di);
        pl_gather3_w(arm, &column[lane], dj);
        for (int i = 0; i < 3; ++i)
        {
            for (int j = 0; j < 3; ++j)
                top[i][j] = pl_load_w(&a[(3 * i + j) * PL_BLOCK + lane]);
            top[i][3] = dj[1] * top[i][2] - dj[2] * top[i][1];
            top[i][4] = dj[2] * top[i][0] - dj[0] * top[i][2];
            top[i][5] = dj[0] * top[i][1] - dj[1] * top[i][0];
        }
        for (int j = 0; j < 6; ++j)
        {
            for (int i = 0; i < 3; ++i)
                pl_store_w(&out[6 * i + j][lane], top[i][j]);
            pl_store_w(&out[18 + j][lane], di[1] * top[2][j] - di[2] * top[1][j]);
            pl_store_w(&out[24 + j][lane], di[2] * top[0][j] - di[0] * top[2][j]);
            pl_store_w(&out[30 + j][lane], di[0] * top[1][j] - di[1] * top[0][j]);
        }
    }
}

// a <- a with its rows, or columns, projected onto what a constraint leaves.
static void project(const pl__node_constraint *c, bool columns, double *a)
{
    int step = columns ? PL_BLOCK : 3 * PL_BLOCK, across = columns ? 3 * PL_BLOCK : PL_BLOCK;
    for (int k = 0; k < 3; ++k)
    {
        double v[3] = {a[k * across], a[k * across + step], a[k * across + 2 * step]};
        pl__constraint_hold(c, v);
        for (int i = 0; i < 3; ++i)
            a[k * across + i * step] = v[i];
    }
}

// The blocks of a column within the constraints of their nodes: a copy, if any has one.
static const double *project_column(const pl__block_multigrid *mg, const pl__constraints *c, const double *a,
                                    const int32_t *row, const int32_t *column, double *copy)
{
    bool any = false;
    for (int lane = 0; lane < PL_BLOCK; ++lane)
        any |= mg->hold[row[lane]] >= 0 || mg->hold[column[lane]] >= 0;
    if (!any)
        return a;
    memcpy(copy, a, 9 * PL_BLOCK * sizeof *copy);
    for (int lane = 0; lane < PL_BLOCK; ++lane)
    {
        if (mg->hold[row[lane]] >= 0)
            project(&c->single[mg->hold[row[lane]]], false, &copy[lane]);
        if (mg->hold[column[lane]] >= 0)
            project(&c->single[mg->hold[column[lane]]], true, &copy[lane]);
    }
    return copy;
}

PL_INLINE void add_lane(double local[36][PL_BLOCK], int lane, double *to)
{
    for (int k = 0; k < 36; ++k)
        to[k] += local[k][lane];
}

void PL_KERNEL(pl__block_multigrid_coarsen)(const pl__block_multigrid *mg, const pl__multigrid_system *s, int32_t begin,
                                            int32_t end)
{
    const pl__block_matrix *m = s->matrix;
    const pl__block_level *coarse = &mg->level[0];
    _Alignas(64) double local[36][PL_BLOCK], copy[9 * PL_BLOCK];
    for (int32_t slice = begin; slice < end; ++slice)
    {
        int32_t row[PL_BLOCK];
        for (int lane = 0; lane < PL_BLOCK; ++lane)
            row[lane] = m->row[PL_BLOCK * slice + lane] >= 0 ? m->row[PL_BLOCK * slice + lane] : 0;
        for (size_t c = (size_t)m->start[slice]; c < (size_t)m->start[slice + 1]; ++c)
        {
            const int32_t *column = &m->column[PL_BLOCK * c], *target = &mg->target[PL_BLOCK * c];
            bool any = false;
            for (int lane = 0; lane < PL_BLOCK; ++lane)
                any |= target[lane] >= 0;
            if (!any)
                continue;
            expand(project_column(mg, s->constraints, &m->value[9 * PL_BLOCK * c], row, column, copy), coarse->arm, row,
                   column, local);
            for (int lane = 0; lane < PL_BLOCK; ++lane)
                if (target[lane] >= 0)
                    add_lane(local, lane, &coarse->block[36 * (size_t)target[lane]]);
        }
    }
}

// ---- dense matrices -----------------------------------------------------------------------------------------------

void PL_KERNEL(pl__block_multigrid_by_inverse)(const double *inverse, int32_t begin, int32_t end, const double *b,
                                               double *x)
{
    for (int32_t a = begin; a < end; ++a)
    {
        double sum[6] = {0};
        const double *row = &inverse[36 * (size_t)a];
        for (int j = 0; j < 6; ++j)
            for (int i = 0; i < 6; ++i)
                sum[i] += row[6 * j + i] * b[6 * (size_t)a + (size_t)j];
        memcpy(&x[6 * (size_t)a], sum, sizeof sum);
    }
}

void PL_KERNEL(pl__block_multigrid_dense)(const double *a, int32_t n, const double *b, double *x)
{
    for (int32_t i = 0; i < n; ++i)
        x[i] = 0;
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < n; ++i)
            x[i] += a[(size_t)j * (size_t)n + (size_t)i] * b[j];
}

// One step of Gauss-Jordan elimination (a sweep), about the k-th pivot.
PL_INLINE void sweep(double *a, int32_t n, int32_t k)
{
    double *pivot_row = &a[(size_t)k * (size_t)n], inverse = 1 / pivot_row[k];
    for (int32_t i = 0; i < n; ++i)
    {
        double *row = &a[(size_t)i * (size_t)n], factor = row[k] * inverse;
        if (i == k || factor == 0)
            continue;
        for (int32_t j = 0; j < n; ++j)
            row[j] -= factor * pivot_row[j];
        row[k] = factor;
    }
    for (int32_t j = 0; j < n; ++j)
        pivot_row[j] *= inverse;
    pivot_row[k] = -inverse;
}

// All pivots swept, a matrix is minus its inverse.
void PL_KERNEL(pl__block_multigrid_invert)(double *a, int32_t n, const uint8_t *independent)
{
    size_t width = (size_t)n;
    for (int32_t k = 0; k < n; ++k)
        if (independent[k] && a[(size_t)k * width + (size_t)k] > 0)
            sweep(a, n, k);
        else
            for (size_t i = 0; i < width; ++i)
                a[i * width + (size_t)k] = a[(size_t)k * width + i] = 0;
    for (size_t i = 0; i < width; ++i)
        for (size_t j = i; j < width; ++j)
            a[i * width + j] = a[j * width + i] = -0.5 * (a[i * width + j] + a[j * width + i]);
}
