// src/element/shape_w.h -- decomposition F = U diag(s) W^T for the law.
//
// By singular values; for plain linear elasticity (material/linear.inl) its symmetric part, by eigenvalues, with U =
// W: then U diag(p) W^T is the linear stress, and the rotation U W^T is 1.
#ifndef PL_ELEMENT_SHAPE_W_H
#define PL_ELEMENT_SHAPE_W_H

#include "math/eig3_w.h"
#include "math/svd3_w.h"

// det F for plain linear elasticity; for other laws it is the product of the stretches.
PL_INLINE pl_real_w pl_decompose_linear_w(const pl_mat3_w *F, pl_mat3_w *U, pl_vec3_w *sigma, pl_mat3_w *W)
{
    pl_mat3_w S;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            S.c[j].x[i] = 0.5 * (F->c[j].x[i] + F->c[i].x[j]);
    pl_eig3_w(&S, U, sigma);
    *W = *U;
    return pl_det3_w(F);
}

#endif
