// src/base/simd.h -- values as wide as a register, for `*.kernel.c` files only.
//
// A kernel is compiled with PL_REGISTER_BYTES = 0, 16, 32 or 64 and works on PL_LANES doubles at a time; with 0 the
// "wide" types are plain doubles. Arithmetic is written with operators; comparisons, selection and square roots are
// the functions below. No fused multiply-add, no reciprocal estimates: each operation is correctly rounded, so every
// width gives the same bits. Wide values never cross a file, and a lane never looks at another lane.
#ifndef PL_BASE_SIMD_H
#define PL_BASE_SIMD_H

#include <stdint.h>
#include <string.h>

#ifndef PL_REGISTER_BYTES
#error "simd.h belongs to kernel files, which are compiled with PL_REGISTER_BYTES"
#endif

// Elements are stored in blocks of 16 whatever the registers, so that files and hashes do not depend on the CPU.
enum
{
    PL_BLOCK = 16
};

#define PL_PASTE_(a, b) a##_##b
#define PL_PASTE(a, b) PL_PASTE_(a, b)
// The name of a kernel function in this copy: PL_KERNEL(pl__tet_force) is pl__tet_force_64 and so on.
#define PL_KERNEL(name) PL_PASTE(name, PL_REGISTER_BYTES)
#define PL_INLINE static inline __attribute__((always_inline, unused))

#if PL_REGISTER_BYTES == 0 // ------------------------------------------------------------------ plain

#define PL_LANES 1
typedef double pl_real_w;
typedef int64_t pl_int_w;
typedef uint64_t pl_uint_w;
typedef int pl_mask_w;

PL_INLINE pl_real_w pl_set_w(double a) { return a; }
PL_INLINE pl_real_w pl_load_w(const double *p) { return *p; }
PL_INLINE void pl_store_w(double *p, pl_real_w a) { *p = a; }
PL_INLINE pl_real_w pl_sqrt_w(pl_real_w a) { return __builtin_sqrt(a); }
PL_INLINE pl_real_w pl_abs_w(pl_real_w a) { return __builtin_fabs(a); }
PL_INLINE pl_mask_w pl_lt_w(pl_real_w a, pl_real_w b) { return a < b; }
PL_INLINE pl_mask_w pl_le_w(pl_real_w a, pl_real_w b) { return a <= b; }
PL_INLINE pl_mask_w pl_eq_w(pl_real_w a, pl_real_w b) { return a == b; }
PL_INLINE pl_mask_w pl_and_w(pl_mask_w a, pl_mask_w b) { return a & b; }
PL_INLINE pl_mask_w pl_or_w(pl_mask_w a, pl_mask_w b) { return a | b; }
PL_INLINE pl_mask_w pl_not_w(pl_mask_w a) { return !a; }
PL_INLINE pl_real_w pl_select_w(pl_mask_w m, pl_real_w a, pl_real_w b) { return m ? a : b; }
PL_INLINE int pl_any_w(pl_mask_w m) { return m; }
PL_INLINE int pl_all_w(pl_mask_w m) { return m; }
PL_INLINE pl_int_w pl_bits_w(pl_real_w a)
{
    pl_int_w b;
    memcpy(&b, &a, 8);
    return b;
}
PL_INLINE pl_real_w pl_from_bits_w(pl_int_w a)
{
    pl_real_w b;
    memcpy(&b, &a, 8);
    return b;
}
PL_INLINE pl_int_w pl_int_set_w(int64_t a) { return a; }

#else // ------------------------------------------------------------------------------------ registers

#define PL_LANES (PL_REGISTER_BYTES / 8)
typedef double pl_real_w __attribute__((vector_size(PL_REGISTER_BYTES)));
typedef int64_t pl_int_w __attribute__((vector_size(PL_REGISTER_BYTES)));
// for shifts: only unsigned ones are one instruction everywhere
typedef uint64_t pl_uint_w __attribute__((vector_size(PL_REGISTER_BYTES)));
typedef double pl_real_unaligned_w __attribute__((vector_size(PL_REGISTER_BYTES), aligned(8), may_alias));

PL_INLINE pl_real_w pl_set_w(double a) { return a - (pl_real_w){0}; }
PL_INLINE pl_int_w pl_int_set_w(int64_t a) { return a - (pl_int_w){0}; }
PL_INLINE pl_real_w pl_load_w(const double *p) { return *(const pl_real_unaligned_w *)p; }
PL_INLINE void pl_store_w(double *p, pl_real_w a) { *(pl_real_unaligned_w *)p = a; }
PL_INLINE pl_int_w pl_bits_w(pl_real_w a) { return (pl_int_w)a; }
PL_INLINE pl_real_w pl_from_bits_w(pl_int_w a) { return (pl_real_w)a; }
PL_INLINE pl_real_w pl_abs_w(pl_real_w a) { return (pl_real_w)((pl_int_w)a & INT64_MAX); }

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if PL_REGISTER_BYTES == 64 // masks live in their own registers
typedef __mmask8 pl_mask_w;
PL_INLINE pl_real_w pl_sqrt_w(pl_real_w a) { return (pl_real_w)_mm512_sqrt_pd((__m512d)a); }
PL_INLINE pl_mask_w pl_lt_w(pl_real_w a, pl_real_w b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ); }
PL_INLINE pl_mask_w pl_le_w(pl_real_w a, pl_real_w b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ); }
PL_INLINE pl_mask_w pl_eq_w(pl_real_w a, pl_real_w b) { return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ); }
PL_INLINE pl_mask_w pl_and_w(pl_mask_w a, pl_mask_w b) { return (pl_mask_w)(a & b); }
PL_INLINE pl_mask_w pl_or_w(pl_mask_w a, pl_mask_w b) { return (pl_mask_w)(a | b); }
PL_INLINE pl_mask_w pl_not_w(pl_mask_w a) { return (pl_mask_w)~a; }
PL_INLINE pl_real_w pl_select_w(pl_mask_w m, pl_real_w a, pl_real_w b)
{
    return (pl_real_w)_mm512_mask_blend_pd(m, (__m512d)b, (__m512d)a);
}
PL_INLINE int pl_any_w(pl_mask_w m) { return m != 0; }
PL_INLINE int pl_all_w(pl_mask_w m) { return m == 0xff; }
#else
typedef pl_int_w pl_mask_w;
PL_INLINE pl_mask_w pl_lt_w(pl_real_w a, pl_real_w b) { return a < b; }
PL_INLINE pl_mask_w pl_le_w(pl_real_w a, pl_real_w b) { return a <= b; }
PL_INLINE pl_mask_w pl_eq_w(pl_real_w a, pl_real_w b) { return a == b; }
PL_INLINE pl_mask_w pl_and_w(pl_mask_w a, pl_mask_w b) { return a & b; }
PL_INLINE pl_mask_w pl_or_w(pl_mask_w a, pl_mask_w b) { return a | b; }
PL_INLINE pl_mask_w pl_not_w(pl_mask_w a) { return ~a; }
#if PL_REGISTER_BYTES == 32
PL_INLINE pl_real_w pl_sqrt_w(pl_real_w a) { return (pl_real_w)_mm256_sqrt_pd((__m256d)a); }
PL_INLINE pl_real_w pl_select_w(pl_mask_w m, pl_real_w a, pl_real_w b)
{
    return (pl_real_w)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)m);
}
PL_INLINE int pl_any_w(pl_mask_w m) { return _mm256_movemask_pd((__m256d)m) != 0; }
PL_INLINE int pl_all_w(pl_mask_w m) { return _mm256_movemask_pd((__m256d)m) == 15; }
#else
PL_INLINE pl_real_w pl_select_w(pl_mask_w m, pl_real_w a, pl_real_w b)
{
    return (pl_real_w)((m & (pl_int_w)a) | (~m & (pl_int_w)b));
}
PL_INLINE int pl_any_w(pl_mask_w m) { return (m[0] | m[1]) != 0; }
PL_INLINE int pl_all_w(pl_mask_w m) { return (m[0] & m[1]) != 0; }
#if defined(__x86_64__)
PL_INLINE pl_real_w pl_sqrt_w(pl_real_w a) { return (pl_real_w)_mm_sqrt_pd((__m128d)a); }
#else
PL_INLINE pl_real_w pl_sqrt_w(pl_real_w a) { return (pl_real_w){__builtin_sqrt(a[0]), __builtin_sqrt(a[1])}; }
#endif
#endif
#endif
#endif // ------------------------------------------------------------------------------------ all widths

PL_INLINE pl_mask_w pl_gt_w(pl_real_w a, pl_real_w b) { return pl_lt_w(b, a); }
PL_INLINE pl_mask_w pl_ge_w(pl_real_w a, pl_real_w b) { return pl_le_w(b, a); }
// a where a < b or b is NaN is b: written out, since min and max instructions differ in which NaN they keep
PL_INLINE pl_real_w pl_min_w(pl_real_w a, pl_real_w b) { return pl_select_w(pl_lt_w(a, b), a, b); }
PL_INLINE pl_real_w pl_max_w(pl_real_w a, pl_real_w b) { return pl_select_w(pl_gt_w(a, b), a, b); }
// |a| with the sign of b
PL_INLINE pl_real_w pl_copysign_w(pl_real_w a, pl_real_w b)
{
    return pl_from_bits_w((pl_bits_w(a) & INT64_MAX) | (pl_bits_w(b) & INT64_MIN));
}

// The 3-vectors x[3 index + 0..2] of PL_LANES indices, by component. May read one double past the last vector.
PL_INLINE void pl_gather3_w(const double *x, const int32_t *index, pl_real_w out[3])
{
#if PL_REGISTER_BYTES == 64
    // four numbers of each row at once, then a transpose: 15 instructions instead of 24 loads and as many inserts
    __m512d row[4];
    for (int i = 0; i < 4; ++i)
        row[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(&x[3 * (size_t)index[i]])),
                                    _mm256_loadu_pd(&x[3 * (size_t)index[i + 4]]), 1);
    __m512d xz01 = _mm512_unpacklo_pd(row[0], row[1]), y01 = _mm512_unpackhi_pd(row[0], row[1]);
    __m512d xz23 = _mm512_unpacklo_pd(row[2], row[3]), y23 = _mm512_unpackhi_pd(row[2], row[3]);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    out[0] = (pl_real_w)_mm512_permutex2var_pd(xz01, low, xz23);
    out[1] = (pl_real_w)_mm512_permutex2var_pd(y01, low, y23);
    out[2] = (pl_real_w)_mm512_permutex2var_pd(xz01, high, xz23);
#elif PL_REGISTER_BYTES == 32
    __m256d row[4];
    for (int i = 0; i < 4; ++i)
        row[i] = _mm256_loadu_pd(&x[3 * (size_t)index[i]]);
    __m256d xz01 = _mm256_unpacklo_pd(row[0], row[1]), y01 = _mm256_unpackhi_pd(row[0], row[1]);
    __m256d xz23 = _mm256_unpacklo_pd(row[2], row[3]), y23 = _mm256_unpackhi_pd(row[2], row[3]);
    out[0] = (pl_real_w)_mm256_permute2f128_pd(xz01, xz23, 0x20);
    out[1] = (pl_real_w)_mm256_permute2f128_pd(y01, y23, 0x20);
    out[2] = (pl_real_w)_mm256_permute2f128_pd(xz01, xz23, 0x31);
#else
    for (int k = 0; k < 3; ++k)
    {
        double lanes[PL_LANES];
        for (int i = 0; i < PL_LANES; ++i)
            lanes[i] = x[3 * (size_t)index[i] + (size_t)k];
        out[k] = pl_load_w(lanes);
    }
#endif
}

// The 4-vectors x[4 index + 0..3] of PL_LANES indices, by component.
PL_INLINE void pl_gather4_w(const double *x, const int32_t *index, pl_real_w out[4])
{
#if PL_REGISTER_BYTES == 64
    __m512d row[4];
    for (int i = 0; i < 4; ++i)
        row[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(&x[4 * (size_t)index[i]])),
                                    _mm256_loadu_pd(&x[4 * (size_t)index[i + 4]]), 1);
    __m512d xz01 = _mm512_unpacklo_pd(row[0], row[1]), yw01 = _mm512_unpackhi_pd(row[0], row[1]);
    __m512d xz23 = _mm512_unpacklo_pd(row[2], row[3]), yw23 = _mm512_unpackhi_pd(row[2], row[3]);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    out[0] = (pl_real_w)_mm512_permutex2var_pd(xz01, low, xz23);
    out[1] = (pl_real_w)_mm512_permutex2var_pd(yw01, low, yw23);
    out[2] = (pl_real_w)_mm512_permutex2var_pd(xz01, high, xz23);
    out[3] = (pl_real_w)_mm512_permutex2var_pd(yw01, high, yw23);
#elif PL_REGISTER_BYTES == 32
    __m256d row[4];
    for (int i = 0; i < 4; ++i)
        row[i] = _mm256_loadu_pd(&x[4 * (size_t)index[i]]);
    __m256d xz01 = _mm256_unpacklo_pd(row[0], row[1]), yw01 = _mm256_unpackhi_pd(row[0], row[1]);
    __m256d xz23 = _mm256_unpacklo_pd(row[2], row[3]), yw23 = _mm256_unpackhi_pd(row[2], row[3]);
    out[0] = (pl_real_w)_mm256_permute2f128_pd(xz01, xz23, 0x20);
    out[1] = (pl_real_w)_mm256_permute2f128_pd(yw01, yw23, 0x20);
    out[2] = (pl_real_w)_mm256_permute2f128_pd(xz01, xz23, 0x31);
    out[3] = (pl_real_w)_mm256_permute2f128_pd(yw01, yw23, 0x31);
#else
    for (int k = 0; k < 4; ++k)
    {
        double lanes[PL_LANES];
        for (int i = 0; i < PL_LANES; ++i)
            lanes[i] = x[4 * (size_t)index[i] + (size_t)k];
        out[k] = pl_load_w(lanes);
    }
#endif
}

// The pairs x[index], x[index + 1] of PL_LANES indices.
PL_INLINE void pl_gather_pairs_w(const double *x, const int32_t *index, pl_real_w *first, pl_real_w *second)
{
#if PL_REGISTER_BYTES == 64
    __m512d even = _mm512_castpd128_pd512(_mm_loadu_pd(&x[index[0]])),
            odd = _mm512_castpd128_pd512(_mm_loadu_pd(&x[index[1]]));
    even = _mm512_insertf64x2(even, _mm_loadu_pd(&x[index[2]]), 1);
    odd = _mm512_insertf64x2(odd, _mm_loadu_pd(&x[index[3]]), 1);
    even = _mm512_insertf64x2(even, _mm_loadu_pd(&x[index[4]]), 2);
    odd = _mm512_insertf64x2(odd, _mm_loadu_pd(&x[index[5]]), 2);
    even = _mm512_insertf64x2(even, _mm_loadu_pd(&x[index[6]]), 3);
    odd = _mm512_insertf64x2(odd, _mm_loadu_pd(&x[index[7]]), 3);
    *first = (pl_real_w)_mm512_unpacklo_pd(even, odd);
    *second = (pl_real_w)_mm512_unpackhi_pd(even, odd);
#elif PL_REGISTER_BYTES == 32
    __m256d even = _mm256_castpd128_pd256(_mm_loadu_pd(&x[index[0]])),
            odd = _mm256_castpd128_pd256(_mm_loadu_pd(&x[index[1]]));
    even = _mm256_insertf128_pd(even, _mm_loadu_pd(&x[index[2]]), 1);
    odd = _mm256_insertf128_pd(odd, _mm_loadu_pd(&x[index[3]]), 1);
    *first = (pl_real_w)_mm256_unpacklo_pd(even, odd);
    *second = (pl_real_w)_mm256_unpackhi_pd(even, odd);
#else
    double lanes[2][PL_LANES];
    for (int i = 0; i < PL_LANES; ++i)
    {
        lanes[0][i] = x[index[i]];
        lanes[1][i] = x[index[i] + 1];
    }
    *first = pl_load_w(lanes[0]);
    *second = pl_load_w(lanes[1]);
#endif
}

#if PL_REGISTER_BYTES == 64
// Eight registers as the rows of a matrix, transposed.
PL_INLINE void pl_transpose8_w(__m512d row[8])
{
    __m512d two[8], four[8];
    for (int i = 0; i < 8; i += 2)
    {
        two[i] = _mm512_unpacklo_pd(row[i], row[i + 1]);
        two[i + 1] = _mm512_unpackhi_pd(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int odd = 0; odd < 2; ++odd)
        {
            four[i + odd] = _mm512_shuffle_f64x2(two[i + odd], two[i + odd + 2], 0x88);
            four[i + odd + 2] = _mm512_shuffle_f64x2(two[i + odd], two[i + odd + 2], 0xdd);
        }
    for (int i = 0; i < 4; ++i)
    {
        row[i] = _mm512_shuffle_f64x2(four[i], four[i + 4], 0x88);
        row[i + 4] = _mm512_shuffle_f64x2(four[i], four[i + 4], 0xdd);
    }
}
#endif

// Prefetch memory into the second-level cache.
PL_INLINE void pl_prefetch_w(const void *from, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 64)
        __builtin_prefetch((const char *)from + k, 0, 2);
}

#endif
