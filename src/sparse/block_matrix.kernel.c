// src/sparse/block_matrix.kernel.c -- the product, a register's worth of rows at a time.
#include "base/simd.h"
#include "block_matrix.h"

enum
{
    REGISTERS = PL_BLOCK / PL_LANES
};

PL_INLINE void add_column(const double *a, const int32_t *column, const double *x, pl_real_w sum[REGISTERS][3])
{
    for (int r = 0; r < REGISTERS; ++r)
    {
        int lane = r * PL_LANES;
        pl_real_w v[3];
        pl_gather3_w(x, &column[lane], v);
        for (int i = 0; i < 3; ++i)
            sum[r][i] += (pl_load_w(&a[(3 * i) * PL_BLOCK + lane]) * v[0] + pl_load_w(&a[(3 * i + 1) * PL_BLOCK + lane]) * v[1]) +
                         pl_load_w(&a[(3 * i + 2) * PL_BLOCK + lane]) * v[2];
    }
}

PL_INLINE void store_rows(const int32_t *row, pl_real_w sum[REGISTERS][3], double *y)
{
    double lanes[3][PL_BLOCK];
    for (int r = 0; r < REGISTERS; ++r)
        for (int i = 0; i < 3; ++i)
            pl_store_w(&lanes[i][r * PL_LANES], sum[r][i]);
    for (int lane = 0; lane < PL_BLOCK; ++lane)
        for (size_t i = 0; row[lane] >= 0 && i < 3; ++i)
            y[3 * (size_t)row[lane] + i] = lanes[i][lane];
}

// Slices [begin, end).
void PL_KERNEL(pl__block_matrix_rows)(const pl__block_matrix *m, const double *x, double *y, int32_t begin, int32_t end)
{
    for (int32_t slice = begin; slice < end; ++slice)
    {
        pl_real_w sum[REGISTERS][3];
        for (int r = 0; r < REGISTERS; ++r)
            for (int i = 0; i < 3; ++i)
                sum[r][i] = pl_set_w(0);
        for (size_t c = (size_t)m->start[slice]; c < (size_t)m->start[slice + 1]; ++c)
            add_column(&m->value[9 * PL_BLOCK * c], &m->column[PL_BLOCK * c], x, sum);
        store_rows(&m->row[PL_BLOCK * (size_t)slice], sum, y);
    }
}

// ---- single precision ------------------------------------------------------------------------------------------------

#if PL_REGISTER_BYTES == 0
PL_INLINE pl_real_w load_rough(const float *p) { return *p; }
PL_INLINE void store_rough(float *p, pl_real_w a) { *p = (float)a; }
#else
typedef float rough_w __attribute__((vector_size(PL_REGISTER_BYTES / 2)));
typedef float rough_unaligned_w __attribute__((vector_size(PL_REGISTER_BYTES / 2), aligned(4), may_alias));
PL_INLINE pl_real_w load_rough(const float *p) { return __builtin_convertvector(*(const rough_unaligned_w *)p, pl_real_w); }
PL_INLINE void store_rough(float *p, pl_real_w a) { *(rough_unaligned_w *)p = __builtin_convertvector(a, rough_w); }
#endif

PL_INLINE void add_rough_column(const float *a, const int32_t *column, const double *x, pl_real_w own[REGISTERS][3], pl_real_w sum[REGISTERS][3])
{
    for (int r = 0; r < REGISTERS; ++r)
    {
        int lane = r * PL_LANES;
        pl_real_w v[3];
        pl_gather3_w(x, &column[lane], v);
        for (int i = 0; i < 3; ++i)
            v[i] -= own[r][i];
        for (int i = 0; i < 3; ++i)
            sum[r][i] += (load_rough(&a[(3 * i) * PL_BLOCK + lane]) * v[0] + load_rough(&a[(3 * i + 1) * PL_BLOCK + lane]) * v[1]) +
                         load_rough(&a[(3 * i + 2) * PL_BLOCK + lane]) * v[2];
    }
}

void PL_KERNEL(pl__block_matrix_rough_rows)(const pl__block_matrix *m, const double *x, double *y, int32_t begin, int32_t end)
{
    for (int32_t slice = begin; slice < end; ++slice)
    {
        pl_real_w own[REGISTERS][3], sum[REGISTERS][3];
        const double *a = &m->own[9 * PL_BLOCK * (size_t)slice];
        for (int r = 0; r < REGISTERS; ++r)
        {
            pl_gather3_w(x, &m->column[PL_BLOCK * (size_t)m->start[slice] + (size_t)(r * PL_LANES)], own[r]);
            for (int i = 0; i < 3; ++i)
                sum[r][i] = (pl_load_w(&a[(3 * i) * PL_BLOCK + r * PL_LANES]) * own[r][0] + pl_load_w(&a[(3 * i + 1) * PL_BLOCK + r * PL_LANES]) * own[r][1]) +
                            pl_load_w(&a[(3 * i + 2) * PL_BLOCK + r * PL_LANES]) * own[r][2];
        }
        for (size_t c = (size_t)m->start[slice] + 1; c < (size_t)m->start[slice + 1]; ++c)
            add_rough_column(&m->rough[9 * PL_BLOCK * c], &m->column[PL_BLOCK * c], x, own, sum);
        store_rows(&m->row[PL_BLOCK * (size_t)slice], sum, y);
    }
}

// ---- diagonals -------------------------------------------------------------------------------------------------------

// The rows of a balanced matrix sum to zero; what rounding leaves of symmetry is mended.
void PL_KERNEL(pl__block_matrix_balance)(const pl__block_matrix *m, int32_t begin, int32_t end)
{
    for (int32_t slice = begin; slice < end; ++slice)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            double *diagonal = &m->value[9 * PL_BLOCK * (size_t)m->start[slice] + (size_t)lane], *own = &m->own[9 * PL_BLOCK * (size_t)slice + (size_t)lane];
            pl_real_w sum[9];
            for (int k = 0; k < 9; ++k)
            {
                sum[k] = pl_load_w(&diagonal[k * PL_BLOCK]);
                pl_store_w(&own[k * PL_BLOCK], sum[k]);
            }
            for (size_t c = (size_t)m->start[slice] + 1; c < (size_t)m->start[slice + 1]; ++c)
                for (int k = 0; k < 9; ++k)
                {
                    size_t at = (9 * c + (size_t)k) * PL_BLOCK + (size_t)lane;
                    pl_real_w value = pl_load_w(&m->value[at]);
                    store_rough(&m->rough[at], value);
                    sum[k] -= value;
                }
            for (int k = 0; k < 9; ++k)
                pl_store_w(&diagonal[k * PL_BLOCK], 0.5 * (sum[k] + sum[k % 3 * 3 + k / 3]));
        }
}
