// src/base/wide_math.h -- functions of wide values, for kernel files.
#ifndef PL_BASE_WIDE_MATH_H
#define PL_BASE_WIDE_MATH_H

#include "simd.h"

// ---------------------------------------------------------------------------------------- 1 / sqrt(x)
//
// Halving and negating the exponent field of x guesses x^(-1/2) to 3.5 %; a Newton step y (3/2 - x/2 y^2) squares
// the error e (to 1.5 e^2). Only products, differences and integers: the same bits at every width, and cheaper than
// a division and a square root, of which a 64-byte register completes one in about 40 cycles.
// x must be a positive normal number; anything else gives a finite or NaN result without meaning.
PL_INLINE pl_real_w pl_rsqrt_guess_w(pl_real_w x)
{
    return pl_from_bits_w(pl_int_set_w(0x5fe6eb50c7b537a9) - (pl_int_w)((pl_uint_w)pl_bits_w(x) >> 1));
}
// two products side by side: 12 cycles of latency instead of the 16 of y (1.5 - half_x y y)
PL_INLINE pl_real_w pl_rsqrt_newton_w(pl_real_w half_x, pl_real_w y) { return 1.5 * y - (half_x * y) * (y * y); }

// relative error below 1e-10
PL_INLINE pl_real_w pl_rsqrt_short_w(pl_real_w x)
{
    pl_real_w h = 0.5 * x, y = pl_rsqrt_guess_w(x);
    for (int i = 0; i < 3; ++i)
        y = pl_rsqrt_newton_w(h, y);
    return y;
}
// relative error below 2 eps
PL_INLINE pl_real_w pl_rsqrt_w(pl_real_w x)
{
    return pl_rsqrt_newton_w(0.5 * x, pl_rsqrt_short_w(x));
}

#endif
