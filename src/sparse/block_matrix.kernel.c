// src/sparse/block_matrix.kernel.c -- assembly and product, one register of rows at a time.
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
            sum[r][i] += (pl_load_w(&a[(3 * i) * PL_BLOCK + lane]) * v[0] +
                          pl_load_w(&a[(3 * i + 1) * PL_BLOCK + lane]) * v[1]) +
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

// ---- single precision
// ------------------------------------------------------------------------------------------------

// Sixteen floats fill half as many registers as sixteen doubles.
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
    return __builtin_shufflevector(__builtin_convertvector(a[0], half_w), __builtin_convertvector(a[1], half_w),
                                   LOW_LANES, HIGH_LANES);
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

// sum += a (x_j - x_i): the difference is taken in double, so that the common part is not rounded.
PL_INLINE void add_rough_column(const float *a, const int32_t *column, const double *x, pl_real_w own[REGISTERS][3],
                                float_w sum[FLOAT_REGISTERS][3])
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
            sum[r][i] += (load_float(&a[(3 * i) * PL_BLOCK + r * FLOATS]) * d[0] +
                          load_float(&a[(3 * i + 1) * PL_BLOCK + r * FLOATS]) * d[1]) +
                         load_float(&a[(3 * i + 2) * PL_BLOCK + r * FLOATS]) * d[2];
    }
}

// Diagonal part of the product, in double.
PL_INLINE void multiply_own(const double *a, pl_real_w own[REGISTERS][3], float_w others[FLOAT_REGISTERS][3],
                            pl_real_w sum[REGISTERS][3])
{
    for (int r = 0; r < REGISTERS; ++r)
        for (int i = 0; i < 3; ++i)
        {
            pl_real_w other[HALVES];
            widen(others[r / HALVES][i], other);
            sum[r][i] = (pl_load_w(&a[(3 * i) * PL_BLOCK + r * PL_LANES]) * own[r][0] +
                         pl_load_w(&a[(3 * i + 1) * PL_BLOCK + r * PL_LANES]) * own[r][1]) +
                        pl_load_w(&a[(3 * i + 2) * PL_BLOCK + r * PL_LANES]) * own[r][2] + other[r % HALVES];
        }
}

void PL_KERNEL(pl__block_matrix_rough_rows)(const pl__block_matrix *m, const double *x, double *y, int32_t begin,
                                            int32_t end)
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

// ---- values
// ----------------------------------------------------------------------------------------------------------

PL_INLINE void add_block(const double *block, bool transposed, double *to)
{
    size_t down = transposed ? PL_BLOCK : 3 * PL_BLOCK, across = transposed ? 3 * PL_BLOCK : PL_BLOCK;
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 3; ++j)
            to[3 * i + j] += block[down * i + across * j];
}

// Add one block of each of the cliques [lane, end), in order. The widest registers transpose eight cliques at a time
// into rows of eight numbers; the ninth of a block stays in place.
PL_INLINE void add_lanes(const double *block, const uint16_t *map, int32_t stride, int32_t lane, int32_t end,
                         double *partial)
{
#if PL_REGISTER_BYTES == 64
    const __m512i order[2] = {_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5)};
    __m512d row[8];
    for (int k = 0; k < 8; ++k)
        row[k] = _mm512_loadu_pd(&block[k * PL_BLOCK + lane]);
    pl_transpose8_w(row);
#endif
    for (int32_t i = lane; i < end; ++i)
    {
        uint32_t fate = map[i * stride];
        double *to = &partial[9 * (size_t)(fate & PL__BLOCK_PAIR_MASK)];
        if (fate & PL__BLOCK_SKIPPED)
            continue;
#if PL_REGISTER_BYTES == 64
        __m512d turned = _mm512_permutexvar_pd(order[(fate & PL__BLOCK_TRANSPOSED) != 0], row[i - lane]);
        _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), turned));
        to[8] += block[8 * PL_BLOCK + i];
#else
        add_block(&block[i], fate & PL__BLOCK_TRANSPOSED, to);
#endif
    }
}

void PL_KERNEL(pl__block_matrix_add)(const pl__block_matrix *m, int32_t chunk, int32_t first_clique, int32_t count,
                                     const double *block)
{
    int32_t blocks = m->blocks[chunk];
    const uint16_t *map = &m->map[m->first_clique[chunk] + first_clique * blocks];
    double *partial = &m->partial[9 * (size_t)m->first_partial[chunk]];
    for (int32_t p = 0; p < blocks; ++p)
        for (int32_t lane = 0; lane < count; lane += 8)
            add_lanes(&block[9 * PL_BLOCK * p], &map[p], blocks, lane, lane + 8 < count ? lane + 8 : count, partial);
}

// Lanes whose bit is set.
PL_INLINE pl_mask_w mask_of(uint32_t bits)
{
#if PL_REGISTER_BYTES == 64
    return (pl_mask_w)bits;
#else
    double is_set[PL_LANES];
    for (int i = 0; i < PL_LANES; ++i)
        is_set[i] = bits >> i & 1;
    return pl_gt_w(pl_load_w(is_set), pl_set_w(0));
#endif
}

// Blocks of a column: sum of the chunks' contributions, in order.
PL_INLINE void sum_sources(const pl__block_matrix *m, size_t c, int lane, pl_real_w a[9])
{
    int32_t first = m->first_source[c], last = m->first_source[c + 1];
    for (int k = 0; k < 9; ++k)
        a[k] = pl_set_w(0);
    for (int32_t s = first; s < last; ++s)
        for (int i = 0; i < 3; ++i)
        {
            pl_real_w row[3];
            pl_gather3_w(&m->partial[3 * i], &m->source[PL_BLOCK * (size_t)s + (size_t)lane], row);
            for (int j = 0; j < 3; ++j)
                a[3 * i + j] += row[j];
        }
    pl_mask_w turned = mask_of((uint32_t)m->turned[c] >> lane);
    for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 3; ++j)
        {
            pl_real_w above = a[3 * i + j];
            a[3 * i + j] = pl_select_w(turned, a[3 * j + i], above);
            a[3 * j + i] = pl_select_w(turned, above, a[3 * j + i]);
        }
}

// Add nodal terms to the diagonal of the diagonal blocks.
PL_INLINE void add_diagonal(const int32_t *row, const double *diagonal, pl_real_w a[9])
{
    for (int k = 0; k < 3; ++k)
    {
        double lanes[PL_LANES];
        for (int i = 0; i < PL_LANES; ++i)
            lanes[i] = row[i] >= 0 ? diagonal[3 * (size_t)row[i] + (size_t)k] : 0;
        a[4 * k] += pl_load_w(lanes);
    }
}

PL_INLINE void store_column(double *to, float *rough, const pl_real_w a[9])
{
    for (int k = 0; k < 9; ++k)
        pl_store_w(&to[k * PL_BLOCK], a[k]);
    for (int k = 0; rough && k < 9; ++k)
        store_rough(&rough[k * PL_BLOCK], a[k]);
}

// Rows of a balanced matrix sum to zero; the diagonal blocks are symmetrised against rounding.
void PL_KERNEL(pl__block_matrix_sum)(const pl__block_matrix *m, const double *diagonal, int32_t begin, int32_t end)
{
    for (int32_t slice = begin; slice < end; ++slice)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_real_w sum[9], a[9];
            size_t first = (size_t)m->start[slice];
            sum_sources(m, first, lane, sum);
            add_diagonal(&m->row[PL_BLOCK * slice + lane], diagonal, sum);
            store_column(&m->own[9 * PL_BLOCK * (size_t)slice + (size_t)lane], NULL, sum);
            for (size_t c = first + 1; c < (size_t)m->start[slice + 1]; ++c)
            {
                size_t at = 9 * PL_BLOCK * c + (size_t)lane;
                sum_sources(m, c, lane, a);
                store_column(&m->value[at], m->rough ? &m->rough[at] : NULL, a);
                for (int k = 0; k < 9; ++k)
                    sum[k] -= a[k];
            }
            for (int k = 0; k < 9; ++k)
                a[k] = 0.5 * (sum[k] + sum[k % 3 * 3 + k / 3]);
            store_column(&m->value[9 * PL_BLOCK * first + (size_t)lane], NULL, a);
        }
}
