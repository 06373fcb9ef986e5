// src/math/polar3_w.h -- polar3.c for PL_LANES matrices at a time.
#ifndef PL_MATH_POLAR3_W_H
#define PL_MATH_POLAR3_W_H

#include "svd3_w.h"

// V diag(d) V^T, symmetric to the bit
PL_INLINE pl_mat3_w pl_symmetric3_w(const pl_mat3_w *V, pl_vec3_w d)
{
    pl_mat3_w D = pl_scale_columns3_w(V, d), S;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i <= j; ++i)
            S.c[j].x[i] = S.c[i].x[j] =
                D.c[0].x[i] * V->c[0].x[j] + D.c[1].x[i] * V->c[1].x[j] + D.c[2].x[i] * V->c[2].x[j];
    return S;
}

// `n` registers (1 or 2) in one pass, as pl_svd3_n_w.
PL_INLINE void pl_polar3_n_w(int n, const pl_mat3_w *F, pl_mat3_w *R, pl_mat3_w *S)
{
    pl_mat3_w U[2], V[2];
    pl_vec3_w sigma[2];
    pl_svd3_n_w(n, F, U, sigma, V);
    for (int i = 0; i < n; ++i)
    {
        R[i] = pl_mul33t_w(&U[i], &V[i]);
        S[i] = pl_symmetric3_w(&V[i], sigma[i]);
    }
}

PL_INLINE void pl_polar3_w(const pl_mat3_w *F, pl_mat3_w *R, pl_mat3_w *S) { pl_polar3_n_w(1, F, R, S); }

#endif
