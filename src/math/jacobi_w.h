// src/math/jacobi_w.h -- jacobi.h for wide values.
#ifndef PL_MATH_JACOBI_W_H
#define PL_MATH_JACOBI_W_H

#include "base/wide_math.h"

// A power of two that brings m >= 0 into [2, 4), and the factor that takes halves of results back. For m = 0 it is
// infinite and for infinite m it is 0, so that such matrices become NaN.
PL_INLINE pl_real_w pl_prescale_w(pl_real_w m, pl_real_w *back)
{
    pl_int_w exponent = pl_bits_w(m) & 0x7ff0000000000000;
    *back = pl_from_bits_w(exponent);
    return pl_from_bits_w(0x7ff0000000000000 - exponent);
}

// The rotation (c, s) that makes a' = c a + s b, b' = c b - s a perpendicular, |a'| >= |b'|, where d = |a|^2 - |b|^2
// and t = 2 a.b. Twice its angle has the tangent t/d; the bisector (sqrt(d^2+t^2) + |d|, t) has half of that.
PL_INLINE void pl_jacobi_w(pl_real_w d, pl_real_w t, pl_real_w *c, pl_real_w *s)
{
    // the small number only says what to do with 0 and 0: nothing
    pl_real_w x = pl_sqrt_w(d * d + t * t + 1e-280) + pl_abs_w(d);
    pl_real_w k = pl_rsqrt_w(x * x + t * t), cosine = k * x, sine = k * t;
    pl_mask_w keep = pl_ge_w(d, pl_set_w(0));
    *c = pl_select_w(keep, cosine, pl_abs_w(sine));
    *s = pl_select_w(keep, sine, pl_copysign_w(cosine, sine));
}

#endif
