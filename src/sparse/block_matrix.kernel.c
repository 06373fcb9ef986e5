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

// Sixteen floats are half as many registers as sixteen doubles: two of these become one of those.
#if PL_REGISTER_BYTES == 0
enum
{
    FLOATS = 1,
    HALVES = 1
};
typedef float float_w;
PL_INLINE float_w load_float(const float *p) { return *p; }
PL_INLINE float_w narrow(const pl_real_w *a) { return (float)a[0]; }
PL_INLINE void widen(float_w a, pl_real_w *out) { out[0] = (double)a; }
PL_INLINE float_w set_float(float a) { return a; }
PL_INLINE void store_rough(float *p, pl_real_w a) { *p = (float)a; }
#else
enum
{
    FLOATS = PL_REGISTER_BYTES / 4,
    HALVES = 2
};
typedef float float_w __attribute__((vector_size(PL_REGISTER_BYTES)));
typedef float float_unaligned_w __attribute__((vector_size(PL_REGISTER_BYTES), aligned(4), may_alias));
typedef float half_w __attribute__((vector_size(PL_REGISTER_BYTES / 2)));
typedef float half_unaligned_w __attribute__((vector_size(PL_REGISTER_BYTES / 2), aligned(4), may_alias));
#if PL_REGISTER_BYTES == 64
#define LOW_LANES 0, 1, 2, 3, 4, 5, 6, 7
#define HIGH_LANES 8, 9, 10, 11, 12, 13, 14, 15
#elif PL_REGISTER_BYTES == 32
#define LOW_LANES 0, 1, 2, 3
#define HIGH_LANES 4, 5, 6, 7
#else
#define LOW_LANES 0, 1
#define HIGH_LANES 2, 3
#endif
PL_INLINE float_w load_float(const float *p) { return *(const float_unaligned_w *)p; }
PL_INLINE float_w set_float(float a) { return a - (float_w){0}; }
PL_INLINE float_w narrow(const pl_real_w *a)
{
    return __builtin_shufflevector(__builtin_convertvector(a[0], half_w), __builtin_convertvector(a[1], half_w), LOW_LANES, HIGH_LANES);
}
PL_INLINE void widen(float_w a, pl_real_w *out)
{
    out[0] = __builtin_convertvector(__builtin_shufflevector(a, a, LOW_LANES), pl_real_w);
    out[1] = __builtin_convertvector(__builtin_shufflevector(a, a, HIGH_LANES), pl_real_w);
}
PL_INLINE void store_rough(float *p, pl_real_w a) { *(half_unaligned_w *)p = __builtin_convertvector(a, half_w); }
#endif
enum
{
    FLOAT_REGISTERS = PL_BLOCK / FLOATS
};

// sum += a (x_j - x_i): the difference is that of doubles, so that what neighbours have in common is not rounded.
PL_INLINE void add_rough_column(const float *a, const int32_t *column, const double *x, pl_real_w own[REGISTERS][3], float_w sum[FLOAT_REGISTERS][3])
{
    for (int r = 0; r < FLOAT_REGISTERS; ++r)
    {
        pl_real_w v[3][HALVES];
        for (int half = 0; half < HALVES; ++half)
        {
            pl_real_w at[3];
            pl_gather3_w(x, &column[r * FLOATS + half * PL_LANES], at);
            for (int i = 0; i < 3; ++i)
                v[i][half] = at[i] - own[HALVES * r + half][i];
        }
        float_w d[3] = {narrow(v[0]), narrow(v[1]), narrow(v[2])};
        for (int i = 0; i < 3; ++i)
            sum[r][i] += (load_float(&a[(3 * i) * PL_BLOCK + r * FLOATS]) * d[0] + load_float(&a[(3 * i + 1) * PL_BLOCK + r * FLOATS]) * d[1]) +
                         load_float(&a[(3 * i + 2) * PL_BLOCK + r * FLOATS]) * d[2];
    }
}

// What nodes do without their neighbours, in double.
PL_INLINE void multiply_own(const double *a, pl_real_w own[REGISTERS][3], float_w others[FLOAT_REGISTERS][3], pl_real_w sum[REGISTERS][3])
{
    for (int r = 0; r < REGISTERS; ++r)
        for (int i = 0; i < 3; ++i)
        {
            pl_real_w other[HALVES];
            widen(others[r / HALVES][i], other);
            sum[r][i] = (pl_load_w(&a[(3 * i) * PL_BLOCK + r * PL_LANES]) * own[r][0] + pl_load_w(&a[(3 * i + 1) * PL_BLOCK + r * PL_LANES]) * own[r][1]) +
                        pl_load_w(&a[(3 * i + 2) * PL_BLOCK + r * PL_LANES]) * own[r][2] + other[r % HALVES];
        }
}

void PL_KERNEL(pl__block_matrix_rough_rows)(const pl__block_matrix *m, const double *x, double *y, int32_t begin, int32_t end)
{
    for (int32_t slice = begin; slice < end; ++slice)
    {
        pl_real_w own[REGISTERS][3], sum[REGISTERS][3];
        float_w others[FLOAT_REGISTERS][3];
        for (int r = 0; r < REGISTERS; ++r)
            pl_gather3_w(x, &m->column[PL_BLOCK * (size_t)m->start[slice] + (size_t)(r * PL_LANES)], own[r]);
        for (int r = 0; r < FLOAT_REGISTERS; ++r)
            for (int i = 0; i < 3; ++i)
                others[r][i] = set_float(0);
        for (size_t c = (size_t)m->start[slice] + 1; c < (size_t)m->start[slice + 1]; ++c)
            add_rough_column(&m->rough[9 * PL_BLOCK * c], &m->column[PL_BLOCK * c], x, own, others);
        multiply_own(&m->own[9 * PL_BLOCK * (size_t)slice], own, others, sum);
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
