// src/math/definite3_w.h -- the nearest positive semidefinite matrix to a symmetric 3x3 one, wide.
//
// A = Q diag(e) Q^T by cyclic Jacobi rotations; the answer is Q diag(max(e, 0)) Q^T. Five sweeps reach round-off for
// any matrix (convergence is quadratic from the third on).
#ifndef PL_MATH_DEFINITE3_W_H
#define PL_MATH_DEFINITE3_W_H

#include "base/simd.h"

// Zero the entry (p, q) of A by a rotation of columns p and q of Q.
PL_INLINE void pl_jacobi_rotate_w(pl_real_w A[3][3], pl_real_w Q[3][3], int p, int q)
{
    int r = 3 - p - q;
    pl_real_w zero = pl_set_w(0);
    pl_real_w off = A[p][q], gap = A[q][q] - A[p][p];
    // t = tan of the angle, the smaller root of t^2 + 2 t theta - 1 = 0 with theta = gap / (2 off)
    pl_real_w root = pl_sqrt_w(gap * gap + 4 * off * off);
    pl_real_w denominator = pl_abs_w(gap) + root;
    pl_mask_w still = pl_le_w(denominator, zero);
    pl_real_w t = pl_copysign_w(pl_set_w(1), gap) * 2 * off / pl_select_w(still, pl_set_w(1), denominator);
    t = pl_select_w(still, zero, t);
    pl_real_w c = 1 / pl_sqrt_w(1 + t * t), s = t * c;
    A[p][p] -= t * off;
    A[q][q] += t * off;
    A[p][q] = A[q][p] = zero;
    pl_real_w rp = A[r][p], rq = A[r][q];
    A[r][p] = A[p][r] = c * rp - s * rq;
    A[r][q] = A[q][r] = s * rp + c * rq;
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w qp = Q[i][p], qq = Q[i][q];
        Q[i][p] = c * qp - s * qq;
        Q[i][q] = s * qp + c * qq;
    }
}

// Entries in the order 00 11 22 01 02 12.
PL_INLINE void pl_project_definite3_w(const pl_real_w a[6], pl_real_w out[6])
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    pl_real_w A[3][3] = {{a[0], a[3], a[4]}, {a[3], a[1], a[5]}, {a[4], a[5], a[2]}};
    pl_real_w Q[3][3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    for (int sweep = 0; sweep < 5; ++sweep)
    {
        pl_jacobi_rotate_w(A, Q, 0, 1);
        pl_jacobi_rotate_w(A, Q, 0, 2);
        pl_jacobi_rotate_w(A, Q, 1, 2);
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k)
    {
        out[k] = zero;
        for (int e = 0; e < 3; ++e)
            out[k] += Q[row[k]][e] * pl_max_w(A[e][e], zero) * Q[column[k]][e];
    }
}

#endif
