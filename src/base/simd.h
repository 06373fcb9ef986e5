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
PL_INLINE pl_int_w pl_bits_w(pl_real_w a) { pl_int_w b; memcpy(&b, &a, 8); return b; }
PL_INLINE pl_real_w pl_from_bits_w(pl_int_w a) { pl_real_w b; memcpy(&b, &a, 8); return b; }
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
PL_INLINE pl_real_w pl_select_w(pl_mask_w m, pl_real_w a, pl_real_w b) { return (pl_real_w)_mm512_mask_blend_pd(m, (__m512d)b, (__m512d)a); }
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
PL_INLINE pl_real_w pl_select_w(pl_mask_w m, pl_real_w a, pl_real_w b) { return (pl_real_w)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)m); }
PL_INLINE int pl_any_w(pl_mask_w m) { return _mm256_movemask_pd((__m256d)m) != 0; }
PL_INLINE int pl_all_w(pl_mask_w m) { return _mm256_movemask_pd((__m256d)m) == 15; }
#else
PL_INLINE pl_real_w pl_select_w(pl_mask_w m, pl_real_w a, pl_real_w b) { return (pl_real_w)((m & (pl_int_w)a) | (~m & (pl_int_w)b)); }
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

#endif
