// src/base/wide_math.h -- functions of wide values, for kernel files; real_math.h has the same for one double.
//
// The C library's log, exp and sin choose variants by processor and differ between systems; these give the same bits at
// every register width and with every compiler. Coefficients: interpolation in Chebyshev points with 60 digits,
// rounded. Numbers below the smallest normal one (2^-1022) count as 0, in and out, whatever the floating-point mode.
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
PL_INLINE pl_real_w pl_rsqrt_w(pl_real_w x) { return pl_rsqrt_newton_w(0.5 * x, pl_rsqrt_short_w(x)); }

// ------------------------------------------------------------------------------------------- 1 / cbrt(x)
//
// A third of the exponent field (of the upper half, as a real number: registers do not divide integers) taken from a
// constant guesses y = |x|^(-1/3) so that e = 1 - |x| y^3 is below 0.103. Twice y (1 - e)^(-1/3) to third order in e:
// what is left is 35/243 e^4, first below 2e-5, then below the last digit. Error below 2 ulp. Odd: the sign is that of
// x. |x| must be a normal number; anything else gives a finite or NaN result without meaning.
PL_INLINE pl_real_w pl_rcbrt_w(pl_real_w x)
{
    pl_real_w a = pl_abs_w(x);
    pl_real_w upper = pl_from_bits_w((pl_int_w)((pl_uint_w)pl_bits_w(a) >> 32) | 0x4330000000000000) - 0x1p52;
    pl_real_w guess = (1430186664.0 - upper * 0x1.5555555555555p-2) + 0x1p52;
    pl_real_w y = pl_from_bits_w((pl_int_w)((pl_uint_w)pl_bits_w(guess) << 32));
    for (int i = 0; i < 2; ++i)
    {
        pl_real_w e = 1.0 - (a * y) * (y * y);
        y = y + (y * e) * (0x1.5555555555555p-2 + e * (0x1.c71c71c71c71cp-3 + e * 0x1.61f9add3c0ca4p-3));
    }
    return pl_copysign_w(y, x);
}

// ------------------------------------------------------------------------------------------- log
//
// x = 2^k m with m in [sqrt(1/2), sqrt 2). With f = m - 1 and s = f / (2 + f),
//
//     log m = 2 atanh s = 2 s + s R,   R = s^2 P(s^2),   and   2 s = f - s f   turns it into
//     log m = f - (f^2/2 - s (f^2/2 + R)),
//
// where f is exact and carries the result when x is near 1; k log 2 is added in two parts, the first exact.
// Error below 1 ulp. log(0) = -inf, log(x < 0) = NaN.
PL_INLINE pl_real_w pl_log_w(pl_real_w x)
{
    const int64_t root = 0x3fe6a09e667f3bcd; // sqrt(1/2)
    pl_uint_w shifted = (pl_uint_w)pl_bits_w(x) + (uint64_t)((1024LL << 52) - root);
    // k + 1024 as the last bits of a number near 2^52: integers become reals without an instruction for it
    pl_real_w k = pl_from_bits_w((pl_int_w)(shifted >> 52) | 0x4330000000000000) - (0x1p52 + 1024);
    pl_real_w f = pl_from_bits_w((pl_int_w)(shifted & 0x000fffffffffffff) + root) - 1.0;
    pl_real_w s = f / (2.0 + f), z = s * s, zz = z * z, half = 0.5 * f * f;
    pl_real_w low = 0.666666666666667 + z * 0.3999999999989889;
    pl_real_w middle = 0.28571428626253836 + z * 0.22222211089379496;
    pl_real_w high = 0.1818289243253687 + z * 0.15331611722055008 + zz * 0.14617807153417325;
    pl_real_w R = z * (low + zz * (middle + zz * high));
    pl_real_w y = k * 0x1.62e42fefa2p-1 - ((half - (s * (half + R) + k * 0x1.9ef35793c7673p-41)) - f);
    y = pl_select_w(pl_lt_w(x, pl_set_w(__builtin_inf())), y, x); // inf and NaN stay
    y = pl_select_w(pl_lt_w(x, pl_set_w(0x1p-1022)), pl_set_w(-__builtin_inf()), y);
    return pl_select_w(pl_le_w(x, pl_set_w(-0x1p-1022)), pl_set_w(__builtin_nan("")), y);
}

// ------------------------------------------------------------------------------------------- exp
//
// x = n log 2 + r with |r| <= log(2)/2; exp r = 1 + (r + r^2 E(r)), and n is added to the exponent field.
// Adding 1.5 2^52 rounds to an integer and leaves it in the last bits. Error below 1 ulp. Overflows to inf, and to 0
// below the smallest normal number.
PL_INLINE pl_real_w pl_exp_w(pl_real_w x)
{
    pl_real_w t = x * 0x1.71547652b82fep+0 + 0x1.8p52, n = t - 0x1.8p52;
    pl_real_w high = x - n * 0x1.62e42fefa2p-1, low = n * 0x1.9ef35793c7673p-41;
    pl_real_w r = high - low, tail = (high - r) - low;
    pl_real_w r2 = r * r, r4 = r2 * r2;
    pl_real_w a = 0.5 + r * 0.16666666666666669;
    pl_real_w b = 0.041666666666623824 + r * 0.008333333333330039;
    pl_real_w c = 0.0013888888917367081 + r * 0.00019841269863171557;
    pl_real_w d = 2.4801521057868204e-05 + r * 2.7557268276905696e-06;
    pl_real_w e = 2.7620201591031547e-07 + r * 2.5100472505694996e-08;
    pl_real_w y = 1.0 + (r + (r2 * ((a + r2 * b) + r4 * ((c + r2 * d) + r4 * e)) + tail));
    y = pl_from_bits_w((pl_int_w)((pl_uint_w)pl_bits_w(y) + ((pl_uint_w)pl_bits_w(t) << 52)));
    y = pl_select_w(pl_le_w(x, pl_set_w(709.782712893384)), y, pl_set_w(__builtin_inf()));
    y = pl_select_w(pl_lt_w(x, pl_set_w(-708.3964185322641)), pl_set_w(0), y);
    return pl_select_w(pl_eq_w(x, x), y, x); // NaN stays
}

// ------------------------------------------------------------------------------------------- sin and cos
//
// x = n pi/2 + (r + t) with |r| <= pi/4 and a tail t below its last digit; pi/2 in parts of 33, 33 and 53 bits, so that
// the products with n are exact. sin r = r + r z S(z), cos r = 1 - z/2 + z^2 C(z), z = r^2; the quadrant n mod 4 swaps
// them and sets signs. Error below 1 ulp for |x| <= 1e6; below the last digit of x itself for |x| <= 1e9; NaN beyond.
PL_INLINE void pl_sincos_w(pl_real_w x, pl_real_w *sine, pl_real_w *cosine)
{
    pl_real_w rounded = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = rounded - 0x1.8p52;
    pl_real_w part2 = n * 0x1.0b4611a6p-34, part3 = n * 0x1.3198a2e037073p-69;
    pl_real_w r0 = x - n * 0x1.921fb544p+0, r1 = r0 - part2, r = r1 - part3;
    pl_real_w t = ((r1 - r) - part3) + ((r0 - r1) - part2);

    pl_real_w z = r * r, zz = z * z, half = 0.5 * z;
    pl_real_w S = (-0.16666666666666666 + z * 0.008333333333330925) +
                  zz * ((-0.00019841269836722437 + z * 2.755731608382574e-06) +
                        zz * (-2.505112794596564e-08 + z * 1.591784866512194e-10));
    pl_real_w C = (0.041666666666666664 + z * -0.0013888888888887382) +
                  zz * ((2.480158729874308e-05 + z * -2.755731726001471e-07) +
                        zz * (2.0876143829213935e-09 + z * -1.1382456865840483e-11));
    pl_real_w sin_r = r + (r * z * S + (t - half * t));
    pl_real_w w = 1.0 - half, cos_r = w + (((1.0 - w) - half) + (zz * C - r * t));

    pl_uint_w quadrant = (pl_uint_w)pl_bits_w(rounded);
    pl_mask_w odd = pl_gt_w(pl_from_bits_w((pl_int_w)((quadrant & 1) << 62)), pl_set_w(0)); // 2.0 or 0.0
    pl_int_w sin_sign = (pl_int_w)((quadrant & 2) << 62), cos_sign = (pl_int_w)(((quadrant + 1) & 2) << 62);
    pl_mask_w valid = pl_le_w(pl_abs_w(x), pl_set_w(1e9));
    pl_real_w nan = pl_set_w(__builtin_nan(""));
    *sine = pl_select_w(valid, pl_from_bits_w(pl_bits_w(pl_select_w(odd, cos_r, sin_r)) ^ sin_sign), nan);
    *cosine = pl_select_w(valid, pl_from_bits_w(pl_bits_w(pl_select_w(odd, sin_r, cos_r)) ^ cos_sign), nan);
}

// ------------------------------------------------------------------------------------------- atan2
//
// The angle of (x, y), in [-pi, pi]. With a <= b the absolute values of both, t = a/b, or (a - b)/(a + b) where a/b is
// above tan(pi/8): then |t| <= tan(pi/8), one division either way, and atan t = t + t z P(z), z = t^2. Multiples of
// pi/4 are added in two parts. Error below 2.5 ulp. The angle of (0, 0) is 0, of x < 0 with y = +-0 it is +-pi. NaN
// where x or y is NaN or infinite, or both are so large that a + b is.
//
// Where all angles of a register are within 22.5 degrees, as those between triangles mostly are, nothing has to be
// selected; the bits are the same.
PL_INLINE pl_real_w pl_atan_series_w(pl_real_w t)
{
    pl_real_w z = t * t, zz = z * z, z4 = zz * zz;
    pl_real_w low =
        (-0.3333333333333333 + z * 0.19999999999995516) + zz * (-0.14285714284665682 + z * 0.11111111015187018);
    pl_real_w middle =
        (-0.0909090457530649 + z * 0.07692183125376892) + zz * (-0.06664510525508936 + z * 0.05858140904866328);
    pl_real_w high = (-0.050854078345894844 + z * 0.03923044778479309) + zz * -0.019175404711104935;
    return t + t * (z * (low + z4 * (middle + z4 * high)));
}

PL_INLINE pl_real_w pl_atan2_w(pl_real_w y, pl_real_w x)
{
    if (pl_all_w(pl_and_w(pl_lt_w(pl_abs_w(y), x * 0.41421356237309503), pl_lt_w(x, pl_set_w(0x1p1000)))))
        return pl_atan_series_w(y / pl_max_w(x, pl_set_w(0x1p-1022))) + 0;
    pl_real_w zero = pl_set_w(0), ax = pl_abs_w(x), ay = pl_abs_w(y);
    pl_mask_w steep = pl_gt_w(ay, ax);
    pl_real_w a = pl_select_w(steep, ax, ay), b = pl_select_w(steep, ay, ax);
    pl_mask_w wide = pl_gt_w(a, b * 0.41421356237309503);
    pl_real_w bottom = pl_max_w(pl_select_w(wide, a + b, b), pl_set_w(0x1p-1022));
    pl_real_w r = pl_atan_series_w(pl_select_w(wide, a - b, a) / bottom);
    r = pl_select_w(wide, 0x1.921fb54442d18p-1 + (r + 0x1.1a62633145c07p-55), r);
    r = pl_select_w(steep, 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54), r);
    r = pl_select_w(pl_lt_w(x, zero), 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53), r);
    return pl_copysign_w(r, y) + ((ax + ay) - (ax + ay)); // NaN stays NaN
}

#endif
