// src/math/polar3_w.h -- F = R S for PL_LANES matrices at a time.
//
// R is a polynomial in F. With lambda = tr S = sigma0 + sigma1 + sigma2 (signed as in svd3.h), the largest root of
//
//     (x^2 - |F|^2)^2 - 8 det(F) x - 4 |cof F|^2 = 0,
//
//     R = [F ((lambda^2 + |F|^2)/2 I - F^T F) + lambda cof F] / D,
//     D = lambda (lambda^2 - |F|^2)/2 - det F = (sigma0 + sigma1) (sigma1 + sigma2) (sigma0 + sigma2).
//
// Newton's method from above, sqrt(3) |F|, takes 3 steps near a rotation and 5 for stretches between 1/2 and 2.
// Whatever the error of lambda, the bracket has the singular vectors of F, so that one step R (3 I - R^T R)/2 finishes
// R when R^T R is near I, and nothing but rounding, magnified by lambda^3 / D, is wrong with it. Lanes in which R^T R
// is not near I or D is small (flat, inverted, zero, huge, NaN) take the SVD: half of the time is saved for the others.
#ifndef PL_MATH_POLAR3_W_H
#define PL_MATH_POLAR3_W_H

#include "svd3_w.h"

enum
{
    PL_POLAR3_STEP_MAX = 7
};

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

// A^T B, known to be symmetric: only one half is computed.
PL_INLINE pl_mat3_w pl_symmetric_product3_w(const pl_mat3_w *A, const pl_mat3_w *B)
{
    pl_mat3_w S;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i <= j; ++i)
            S.c[j].x[i] = S.c[i].x[j] = pl_dot3_w(A->c[i], B->c[j]);
    return S;
}

// By the SVD, which serves every F, in the lanes of `lost`; n is 1 or 2.
static __attribute__((noinline, unused)) void pl_polar3_rescue_w(int n, const pl_mask_w *lost, const pl_mat3_w *F,
                                                                 pl_mat3_w *R, pl_mat3_w *S)
{
    pl_mat3_w U[2], V[2];
    pl_vec3_w sigma[2];
    if (n == 2)
        pl_svd3_n_w(2, F, U, sigma, V);
    else
        pl_svd3_n_w(1, F, U, sigma, V);
    for (int i = 0; i < n; ++i)
    {
        pl_mat3_w R1 = pl_mul33t_w(&U[i], &V[i]), S1 = pl_symmetric3_w(&V[i], sigma[i]);
        R[i] = pl_select33_w(lost[i], &R1, &R[i]);
        S[i] = pl_select33_w(lost[i], &S1, &S[i]);
    }
}

// What the quartic is made of, and its root so far.
typedef struct
{
    pl_mat3_w cof;
    pl_real_w square, det, four_cof2, lambda; // |F|^2, det F, 4 |cof F|^2
    pl_mask_w done;
} pl_polar3_state_w;

PL_INLINE pl_real_w pl_square33_w(const pl_mat3_w *A)
{
    return pl_dot3_w(A->c[0], A->c[0]) + pl_dot3_w(A->c[1], A->c[1]) + pl_dot3_w(A->c[2], A->c[2]);
}

PL_INLINE pl_polar3_state_w pl_polar3_begin_w(const pl_mat3_w *F)
{
    pl_polar3_state_w p;
    p.cof = pl_cofactor3_w(F);
    p.square = pl_square33_w(F);
    p.det = pl_dot3_w(F->c[0], p.cof.c[0]);
    p.four_cof2 = 4.0 * pl_square33_w(&p.cof);
    p.lambda = pl_sqrt_w(3.0 * p.square);
    p.done = pl_lt_w(p.square, pl_set_w(0)); // nowhere
    return p;
}

// A lane that is done keeps its bits, however many steps its neighbours need.
PL_INLINE void pl_polar3_newton_w(pl_polar3_state_w *p)
{
    pl_real_w q = p->lambda * p->lambda - p->square, eight_det = 8.0 * p->det;
    pl_real_w step = (q * q - eight_det * p->lambda - p->four_cof2) / (4.0 * p->lambda * q - eight_det);
    p->lambda = pl_select_w(p->done, p->lambda, p->lambda - step);
    // this step was small enough that the next would not be felt
    p->done = pl_or_w(p->done, pl_lt_w(pl_abs_w(step), 1e-5 * p->lambda));
}

PL_INLINE pl_mask_w pl_polar3_end_w(const pl_mat3_w *F, const pl_polar3_state_w *p, pl_mat3_w *R, pl_mat3_w *S)
{
    pl_real_w lambda = p->lambda, l2 = lambda * lambda;
    pl_real_w D = 0.5 * lambda * (l2 - p->square) - p->det, k = 1.0 / D, m = 0.5 * (l2 + p->square) * k;
    pl_mat3_w K = pl_symmetric_product3_w(F, F);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            K.c[j].x[i] = i == j ? m - k * K.c[j].x[i] : -k * K.c[j].x[i];
    // by columns: gcc copies whole matrices with string instructions where it does not see through them
    pl_mat3_w Q;
    for (int j = 0; j < 3; ++j)
        Q.c[j] = pl_axpy3_w(lambda * k, p->cof.c[j], pl_mul3_w(F, K.c[j]));

    // R = Q (3 I - Q^T Q) / 2 = Q - Q E / 2 with E = Q^T Q - I
    pl_mat3_w E = pl_symmetric_product3_w(&Q, &Q);
    pl_real_w size = pl_set_w(0);
    for (int j = 0; j < 3; ++j)
    {
        E.c[j].x[j] = E.c[j].x[j] - 1.0;
        for (int i = 0; i <= j; ++i)
            size += pl_abs_w(E.c[j].x[i]);
    }
    for (int j = 0; j < 3; ++j)
        R->c[j] = pl_axpy3_w(pl_set_w(-0.5), pl_mul3_w(&Q, E.c[j]), Q.c[j]);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i <= j; ++i)
            S->c[j].x[i] = S->c[i].x[j] = pl_dot3_w(R->c[i], F->c[j]);
    pl_mask_w good = pl_and_w(pl_lt_w(size, pl_set_w(0x1p-27)), pl_gt_w(D, 0.05 * l2 * lambda));
    return pl_not_w(good);
}

// `n` registers (1 or 2) in one pass, as pl_svd3_n_w.
PL_INLINE void pl_polar3_n_w(int n, const pl_mat3_w *F, pl_mat3_w *R, pl_mat3_w *S)
{
    pl_polar3_state_w p[2];
    pl_mask_w lost[2];
    for (int i = 0; i < n; ++i)
        p[i] = pl_polar3_begin_w(&F[i]);
    for (int step = 0; step < PL_POLAR3_STEP_MAX; ++step)
    {
        for (int i = 0; i < n; ++i)
            pl_polar3_newton_w(&p[i]);
        if (pl_all_w(pl_and_w(p[0].done, p[n - 1].done)))
            break;
    }
    for (int i = 0; i < n; ++i)
        lost[i] = pl_polar3_end_w(&F[i], &p[i], &R[i], &S[i]);
    if (pl_any_w(pl_or_w(lost[0], lost[n - 1])))
    {
        // copies, so that the values proper need no address and can stay in registers
        pl_mat3_w f[2], r[2], s[2];
        for (int i = 0; i < n; ++i)
            f[i] = F[i], r[i] = R[i], s[i] = S[i];
        pl_polar3_rescue_w(n, lost, f, r, s);
        for (int i = 0; i < n; ++i)
            R[i] = r[i], S[i] = s[i];
    }
}

PL_INLINE void pl_polar3_w(const pl_mat3_w *F, pl_mat3_w *R, pl_mat3_w *S) { pl_polar3_n_w(1, F, R, S); }

#endif
