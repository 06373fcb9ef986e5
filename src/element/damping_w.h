// src/element/damping_w.h -- damping at one quadrature point (element/point_w.h).
//
// All three models of thesis 2.6.2 are one formula. For a matrix A that follows the shape, and G = dF/dt,
//
//     P = A (beta (G^T A + A^T G) + alpha tr(A^T G) I),      beta = tau mu, alpha = tau lambda,
//
// is linear and symmetric in G and dissipates beta/2 |G^T A + A^T G|^2 + alpha tr(A^T G)^2 >= 0.
//
//     A = R (the rotation U W^T)   is the rotated model: beta (G' + G'^T) + alpha tr G' in the principal frame;
//     A = F                        has P = F S with S symmetric, so it keeps angular momentum;
//     A = U diag((1 - w) + w s_k / max(1, s_0)) W^T   goes from one to the other (keeping_share chooses w).
//
// For A = R a frame keeps a_i = R b_i, b_i the rest gradients of the coordinates: L = G R^T = sum_i dv_i a_i^T, and
// coordinate i gets V (beta (L + L^T) + alpha tr L) a_i: nine numbers per point instead of eighteen.
#ifndef PL_ELEMENT_DAMPING_W_H
#define PL_ELEMENT_DAMPING_W_H

#include "point_w.h"

// Share of the angular-momentum-conserving damping: 1 above a smallest stretch of 1/2, 0 below 1/10 (flat and inverted
// elements), smooth between (thesis 2.6.2: "a correct damping model for moderate deformations and a more robust but
// nonphysical model for the few flat or inverted tetrahedra").
PL_INLINE pl_real_w pl_keeping_share_w(pl_real_w smallest)
{
    pl_real_w t = pl_min_w(pl_max_w((smallest - 0.1) * 2.5, pl_set_w(0)), pl_set_w(1));
    return t * t * (3 - 2 * t);
}

// The stretches of A.
PL_INLINE void pl_damping_stretches_w(pl_damping_model model, const pl_real_w sigma[3], pl_real_w stretch[3])
{
    pl_real_w one = pl_set_w(1);
    pl_real_w share = model == PL_DAMPING_ROTATED  ? pl_set_w(0)
                      : model == PL_DAMPING_SWITCH ? pl_keeping_share_w(sigma[2])
                                                   : one;
    pl_real_w shrink = share / pl_max_w(one, sigma[0]);
    for (int k = 0; k < 3; ++k)
        stretch[k] = (1 - share) + shrink * sigma[k];
}

// The frame of a point with M = B W: a_i of the rotated model or A of the others, by column.
PL_INLINE void pl_store_frame_w(pl_damping_model model, const pl_mat3_w *U, const pl_mat3_w *W, const pl_mat3_w *M,
                                const pl_real_w sigma[3], double (*frame)[PL_BLOCK], int lane)
{
    pl_real_w one = pl_set_w(1);
    if (model == PL_DAMPING_ROTATED)
    {
        const pl_real_w ones[3] = {one, one, one};
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < 3; ++i)
                pl_store_w(&frame[3 * c + i][lane], pl_combine_w(U, M, ones, c, i));
        return;
    }
    pl_real_w stretch[3];
    pl_damping_stretches_w(model, sigma, stretch);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            pl_store_w(&frame[3 * j + i][lane], U->c[0].x[i] * (stretch[0] * W->c[0].x[j]) +
                                                    U->c[1].x[i] * (stretch[1] * W->c[1].x[j]) +
                                                    U->c[2].x[i] * (stretch[2] * W->c[2].x[j]));
}

// symmetric S = beta (L + L^T) + alpha tr L
PL_INLINE void pl_rate_stress_w(pl_real_w L[3][3], pl_real_w beta, pl_real_w alpha, pl_real_w S[3][3])
{
    pl_real_w pressure = alpha * (L[0][0] + L[1][1] + L[2][2]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
            S[i][j] = S[j][i] = i == j ? 2 * beta * L[i][i] + pressure : beta * (L[i][j] + L[j][i]);
}

// From slopes dv[coordinate][component] of the velocity to the contribution to each coordinate. Rotated model:
PL_INLINE void pl_damp_rotated_w(pl_real_w dv[3][3], const double (*frame)[PL_BLOCK], int lane, pl_real_w beta,
                                 pl_real_w alpha, pl_real_w f[3][3])
{
    pl_real_w a[3][3], L[3][3], S[3][3];
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i)
            a[c][i] = pl_load_w(&frame[3 * c + i][lane]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            L[i][j] = dv[0][i] * a[0][j] + dv[1][i] * a[1][j] + dv[2][i] * a[2][j];
    pl_rate_stress_w(L, beta, alpha, S);
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i)
            f[c][i] = S[i][0] * a[c][0] + S[i][1] * a[c][1] + S[i][2] * a[c][2];
}

// The other models, which also need the rest shape.
PL_INLINE void pl_damp_general_w(pl_real_w dv[3][3], const double (*frame)[PL_BLOCK], const double (*inverse)[PL_BLOCK],
                                 int lane, pl_real_w beta, pl_real_w alpha, pl_real_w f[3][3])
{
    pl_real_w A[3][3], B[3][3], G[3][3], L[3][3], S[3][3], P[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            A[i][j] = pl_load_w(&frame[3 * j + i][lane]);
            B[i][j] = pl_load_w(&inverse[3 * j + i][lane]);
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            G[i][j] = dv[0][i] * B[0][j] + dv[1][i] * B[1][j] + dv[2][i] * B[2][j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            L[i][j] = A[0][i] * G[0][j] + A[1][i] * G[1][j] + A[2][i] * G[2][j];
    pl_rate_stress_w(L, beta, alpha, S);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P[i][j] = A[i][0] * S[0][j] + A[i][1] * S[1][j] + A[i][2] * S[2][j];
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i)
            f[c][i] = P[i][0] * B[c][0] + P[i][1] * B[c][1] + P[i][2] * B[c][2];
}

#endif
