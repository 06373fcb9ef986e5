// src/math/svd2_w.h -- svd2.c for PL_LANES matrices at a time.
#ifndef PL_MATH_SVD2_W_H
#define PL_MATH_SVD2_W_H

#include "jacobi_w.h"
#include "mat2_w.h"

// Lanes of zero and of NaN or infinite F.
PL_INLINE void pl_svd2_degenerate_w(pl_mask_w normal, pl_real_w m, pl_mat2_w *U, pl_vec2_w *sigma, pl_mat2_w *V)
{
    if (pl_all_w(normal))
        return;
    pl_mat2_w I = pl_rotation2_w(pl_set_w(1), pl_set_w(0));
    pl_real_w s = pl_select_w(pl_lt_w(m, pl_set_w(0x1p-1022)), pl_set_w(0), pl_set_w(__builtin_nan("")));
    for (int j = 0; j < 2; ++j)
    {
        sigma->x[j] = pl_select_w(normal, sigma->x[j], s);
        for (int i = 0; i < 2; ++i)
        {
            U->c[j].x[i] = pl_select_w(normal, U->c[j].x[i], I.c[j].x[i]);
            V->c[j].x[i] = pl_select_w(normal, V->c[j].x[i], I.c[j].x[i]);
        }
    }
}

PL_INLINE void pl_svd2_w(const pl_mat2_w *F, pl_mat2_w *U, pl_vec2_w *sigma, pl_mat2_w *V)
{
    pl_real_w f0 = F->c[0].x[0], f1 = F->c[0].x[1], f2 = F->c[1].x[0], f3 = F->c[1].x[1], back, c, s;
    pl_real_w m = pl_max_w(pl_max_w(pl_abs_w(f0), pl_abs_w(f1)), pl_max_w(pl_abs_w(f2), pl_abs_w(f3)));
    m = m + ((f0 - f0) + (f1 - f1) + (f2 - f2) + (f3 - f3)); // NaN where an entry is NaN or infinite
    pl_real_w scale = pl_prescale_w(m, &back);
    pl_real_w a0 = scale * f0, a1 = scale * f1, b0 = scale * f2, b1 = scale * f3;
    pl_jacobi_w((a0 - b0) * (a0 + b0) + (a1 - b1) * (a1 + b1), 2.0 * (a0 * b0 + a1 * b1), &c, &s);
    pl_real_w x = c * a0 + s * b0, y = c * a1 + s * b1, n = x * x + y * y, k = pl_rsqrt_w(n), length = n * k;
    x *= k;
    y *= k;
    pl_real_w last = x * (c * b1 - s * a1) - y * (c * b0 - s * a0);
    *U = pl_rotation2_w(x, y);
    *V = pl_rotation2_w(c, s);
    sigma->x[0] = 0.5 * length * back;
    sigma->x[1] = 0.5 * pl_copysign_w(pl_min_w(pl_abs_w(last), length), last) * back;
    pl_svd2_degenerate_w(pl_ge_w(m, pl_set_w(0x1p-1022)), m, U, sigma, V);
}

#endif
