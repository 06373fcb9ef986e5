// src/math/svd32_w.h -- svd32.c for PL_LANES matrices at a time.
#ifndef PL_MATH_SVD32_W_H
#define PL_MATH_SVD32_W_H

#include "jacobi_w.h"
#include "mat2_w.h"

PL_INLINE pl_vec3_w pl_svd32_without_w(pl_vec3_w b, pl_vec3_w u)
{
    return pl_sub3_w(b, pl_scale3_w(pl_dot3_w(u, b), u));
}

// Lanes of zero and of NaN or infinite F.
PL_INLINE void pl_svd32_degenerate_w(pl_mask_w normal, pl_real_w m, pl_mat32_w *U, pl_vec2_w *sigma, pl_mat2_w *V)
{
    if (pl_all_w(normal))
        return;
    pl_real_w s = pl_select_w(pl_lt_w(m, pl_set_w(0x1p-1022)), pl_set_w(0), pl_set_w(__builtin_nan("")));
    pl_mat3_w I = pl_identity3_w();
    for (int j = 0; j < 2; ++j)
    {
        sigma->x[j] = pl_select_w(normal, sigma->x[j], s);
        U->c[j] = pl_select3_w(normal, U->c[j], I.c[j]);
        for (int i = 0; i < 2; ++i)
            V->c[j].x[i] = pl_select_w(normal, V->c[j].x[i], I.c[j].x[i]);
    }
}

PL_INLINE void pl_svd32_w(const pl_mat32_w *F, pl_mat32_w *U, pl_vec2_w *sigma, pl_mat2_w *V)
{
    pl_real_w m[2], wrong = pl_set_w(0), back, c, s;
    for (int j = 0; j < 2; ++j)
        m[j] = pl_max_w(pl_max_w(pl_abs_w(F->c[j].x[0]), pl_abs_w(F->c[j].x[1])), pl_abs_w(F->c[j].x[2]));
    for (int k = 0; k < 6; ++k)
        wrong += F->c[k / 3].x[k % 3] - F->c[k / 3].x[k % 3]; // NaN where an entry is NaN or infinite
    m[0] = pl_max_w(m[0], m[1]) + wrong;
    pl_real_w scale = pl_prescale_w(m[0], &back);
    pl_vec3_w a = pl_scale3_w(scale, F->c[0]), b = pl_scale3_w(scale, F->c[1]);
    pl_jacobi_w(pl_dot3_w(pl_sub3_w(a, b), pl_add3_w(a, b)), 2.0 * pl_dot3_w(a, b), &c, &s);
    pl_vec3_w b0 = pl_add3_w(pl_scale3_w(c, a), pl_scale3_w(s, b)),
              b1 = pl_sub3_w(pl_scale3_w(c, b), pl_scale3_w(s, a));

    pl_real_w n0 = pl_dot3_w(b0, b0), k0 = pl_rsqrt_w(n0);
    pl_vec3_w u0 = pl_scale3_w(k0, b0), u1;
    b1 = pl_svd32_without_w(pl_svd32_without_w(b1, u0), u0);
    pl_real_w n1 = pl_dot3_w(b1, b1), length1 = pl_sqrt_w(n1);
    pl_mask_w vanished = pl_le_w(n1, pl_set_w(0x1p-120));
    u1 = pl_scale3_w(1.0 / length1, b1);
    if (pl_any_w(vanished))
        u1 = pl_select3_w(vanished, pl_perpendicular3_w(u0), u1);
    *U = (pl_mat32_w){{u0, u1}};
    *V = pl_rotation2_w(c, s);
    sigma->x[0] = 0.5 * (n0 * k0) * back;
    sigma->x[1] = 0.5 * pl_min_w(length1, n0 * k0) * back;
    pl_svd32_degenerate_w(pl_ge_w(m[0], pl_set_w(0x1p-1022)), m[0], U, sigma, V);
}

#endif
