// src/math/eig3_w.h -- eigenvalues of PL_LANES symmetric 3x3 matrices at a time, without iteration.
//
// As svd3_w.h: first the eigenvector v of the eigenvalue that is apart, completed to a frame [v w1 w2], in which
//
//     A = [n c1 c2; c1 h11 h12; c2 h12 h22],    c at most 1e-9 of the distance between n and the eigenvalues of h.
//
// Angles g with (n - h) g = c take c away to first order, which is all there is in double precision; one Jacobi
// rotation makes h diagonal. Lanes that are zero, NaN or infinite go to the plain pl__eig3.
#ifndef PL_MATH_EIG3_W_H
#define PL_MATH_EIG3_W_H

#include "eig3.h"
#include "svd3_w.h"

// The plain form for the lanes of `lost`.
static __attribute__((noinline, cold, unused)) void pl_eig3_rescue_w(const pl_mask_w *lost, const pl_mat3_w *A,
                                                                     pl_mat3_w *Q, pl_vec3_w *lambda)
{
    double a[9][PL_LANES], q[9][PL_LANES], l[3][PL_LANES], flag[PL_LANES];
    for (int k = 0; k < 9; ++k)
    {
        pl_store_w(a[k], A->c[k / 3].x[k % 3]);
        pl_store_w(q[k], Q->c[k / 3].x[k % 3]);
        pl_store_w(l[k / 3], lambda->x[k / 3]);
    }
    pl_store_w(flag, pl_select_w(*lost, pl_set_w(1), pl_set_w(0)));
    for (int lane = 0; lane < PL_LANES; ++lane)
        if (flag[lane] != 0)
        {
            pl_mat3 a1, q1;
            double l1[3];
            for (int k = 0; k < 9; ++k)
                a1.c[k / 3][k % 3] = a[k][lane];
            pl__eig3(&a1, &q1, l1);
            for (int k = 0; k < 9; ++k)
            {
                q[k][lane] = q1.c[k / 3][k % 3];
                l[k / 3][lane] = l1[k / 3];
            }
        }
    for (int k = 0; k < 9; ++k)
    {
        Q->c[k / 3].x[k % 3] = pl_load_w(q[k]);
        lambda->x[k / 3] = pl_load_w(l[k / 3]);
    }
}

PL_INLINE void pl_eig3_w(const pl_mat3_w *A, pl_mat3_w *Q, pl_vec3_w *lambda)
{
    // the upper half, twice
    pl_mat3_w G = pl_columns3_w(pl_make3_w(A->c[0].x[0], A->c[1].x[0], A->c[2].x[0]),
                                pl_make3_w(A->c[1].x[0], A->c[1].x[1], A->c[2].x[1]), A->c[2]);
    pl_real_w back, zero = pl_set_w(0);
    G = pl_svd3_scale_w(&G, &back);
    pl_mask_w is_first;
    pl_vec3_w v =
        pl_svd3_axis_w(G.c[0].x[0], G.c[1].x[1], G.c[2].x[2], G.c[1].x[0], G.c[2].x[0], G.c[2].x[1], &is_first);
    *Q = pl_svd3_frame_w(v);
    pl_mat3_w B = pl_mul33_w(&G, Q);

    // A in the frame
    pl_real_w n = pl_dot3_w(Q->c[0], B.c[0]), c1 = pl_dot3_w(Q->c[0], B.c[1]), c2 = pl_dot3_w(Q->c[0], B.c[2]);
    pl_real_w h11 = pl_dot3_w(Q->c[1], B.c[1]), h22 = pl_dot3_w(Q->c[2], B.c[2]), h12 = pl_dot3_w(Q->c[1], B.c[2]);

    // v apart from w1 and w2; larger angles than 2^-27 mean that the gap is so small that c is at rounding level
    pl_real_w gap1 = n - h11, gap2 = n - h22, k = 1.0 / (gap1 * gap2 - h12 * h12);
    pl_real_w g1 = (c1 * gap2 + c2 * h12) * k, g2 = (c2 * gap1 + c1 * h12) * k;
    pl_mask_w small = pl_lt_w(pl_abs_w(g1) + pl_abs_w(g2), pl_set_w(0x1p-27));
    pl_mask_w lost = pl_not_w(pl_or_w(small, pl_le_w(pl_abs_w(c1) + pl_abs_w(c2), pl_set_w(0x1p-47))));
    pl_svd3_nudge_w(Q, pl_select_w(small, g1, zero), pl_select_w(small, g2, zero));

    // w1 and w2 apart, the larger first
    pl_real_w c, s;
    pl_jacobi_w(h11 - h22, 2.0 * h12, &c, &s);
    pl_svd3_turn_w(Q, c, s);
    pl_real_w cross = 2.0 * c * s * h12, cc = c * c, ss = s * s;
    pl_real_w l1 = cc * h11 + ss * h22 + cross, l2 = pl_min_w(ss * h11 + cc * h22 - cross, l1);

    *Q = pl_svd3_order_w(is_first, Q);
    pl_real_w half = pl_set_w(0.5);
    lambda->x[0] = half * pl_select_w(is_first, pl_max_w(n, l1), l1) * back;
    lambda->x[1] = half * pl_select_w(is_first, l1, l2) * back;
    lambda->x[2] = half * pl_select_w(is_first, l2, pl_min_w(n, l2)) * back;
    if (pl_any_w(lost))
    {
        pl_mat3_w a = *A, q = *Q;
        pl_vec3_w l = *lambda;
        pl_eig3_rescue_w(&lost, &a, &q, &l);
        *Q = q, *lambda = l;
    }
}

#endif
