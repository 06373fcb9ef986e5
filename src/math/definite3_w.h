// src/math/definite3_w.h -- the nearest positive semidefinite matrix to a symmetric 3x3 one, wide.
//
// A = Q diag(e) Q^T; the answer is Q diag(max(e, 0)) Q^T.
#ifndef PL_MATH_DEFINITE3_W_H
#define PL_MATH_DEFINITE3_W_H

#include "eig3_w.h"

// Entries in the order 00 11 22 01 02 12.
PL_INLINE void pl_project_definite3_w(const pl_real_w a[6], pl_real_w out[6])
{
    pl_mat3_w Q, A = {{{{a[0], a[3], a[4]}}, {{a[3], a[1], a[5]}}, {{a[4], a[5], a[2]}}}};
    pl_vec3_w value;
    pl_eig3_w(&A, &Q, &value);
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k)
    {
        out[k] = pl_set_w(0);
        for (int e = 0; e < 3; ++e)
            out[k] += Q.c[e].x[row[k]] * pl_max_w(value.x[e], pl_set_w(0)) * Q.c[e].x[column[k]];
    }
}

#endif
