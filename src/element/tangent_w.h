// src/element/tangent_w.h -- tangent matrix of one quadrature point (element/point_w.h).
//
// In the principal frame, dF = U dF^ W^T, the change of stress dP^ decouples (thesis 2.14; Teran et al. 2005): the
// diagonal by the Hessian h of the energy in the stretches, and for each pair of different directions
//
//     dP^_ij = a_ij dF^_ij + b_ij dF^_ji,    a = (e + o)/2,  b = (e - o)/2,
//     e = (p_i - p_j)/(s_i - s_j),           o = (p_i + p_j)/(s_i + s_j):
//
// eigenvalues e of symmetric (shear) and o of antisymmetric (rotation) parts. Definiteness: h is projected
// (math/definite3_w.h), e and o are clamped to at least 0. For equal stretches e is h_ii - h_ij. o has a pole where an
// inverted stretch meets its neighbour; forces are discontinuous but bounded there, so it is limited.
//
// A corner with the rest gradient g (in the axes W) that moves by u causes dF^ = (U^T u) g^T, so that coordinates c
// and d have, in the axes U,
//
//     K_cd[i][j] = h_ij g_c[i] g_d[j] + b_ij g_c[j] g_d[i]  for i != j,     K_cd[i][i] = h_ii g_c[i] g_d[i] + sum_k a_ik g_c[k] g_d[k].
//
// Damping has the same form (element/damping_w.h): with A = U diag(t) W^T it adds alpha t_i t_j to h_ij, beta t_i t_j
// to b_ij and beta t_i^2 to a_ik.
#ifndef PL_ELEMENT_TANGENT_W_H
#define PL_ELEMENT_TANGENT_W_H

#include "damping_w.h"
#include "fibers_w.h"
#include "material/material.h"
#include "math/definite3_w.h"
#include "tangent.h"

// Coefficients: h and b are symmetric, a is not.
typedef struct
{
    pl_real_w h[3][3], a[3][3], b[3][3];
} pl_tangent_w;

typedef struct
{
    pl_real_w m[9]; // row-major
} pl_tangent_block_w;

PL_INLINE pl_real_w pl_limit_turn_w(pl_real_w o, pl_real_w most) { return pl_max_w(pl_min_w(o, most), pl_set_w(0)); }

// e and o of a pair of directions.
PL_INLINE void pl_tangent_pair_w(const pl_real_w p[3], const pl_real_w s[3], pl_real_w met, pl_real_w most, int i,
                                 int j, pl_tangent_w *t)
{
    pl_real_w zero = pl_set_w(0), apart = s[i] - s[j];
    pl_mask_w formed = pl_gt_w(apart, 1e-6 * pl_abs_w(s[i]) + 1e-12);
    pl_real_w e = pl_select_w(formed, (p[i] - p[j]) / pl_select_w(formed, apart, pl_set_w(1)), met);
    pl_real_w o = pl_limit_turn_w((p[i] + p[j]) / pl_max_w(s[i] + s[j], pl_set_w(1e-6)), most);
    e = pl_max_w(e, zero);
    t->a[i][j] = t->a[j][i] = 0.5 * (e + o);
    t->b[i][j] = t->b[j][i] = 0.5 * (e - o);
}

// From stresses p and second derivatives h (00 11 22 01 02 12) at the stretches s.
PL_INLINE void pl_tangent_of_law_w(const pl_real_w p[3], const pl_real_w h[6], const pl_real_w s[3], pl_tangent_w *t)
{
    pl_real_w definite[6], most = 4 * (pl_abs_w(h[0]) + pl_abs_w(h[1]) + pl_abs_w(h[2]));
    pl_project_definite3_w(h, definite);
    for (int i = 0; i < 3; ++i)
    {
        t->h[i][i] = definite[i];
        t->a[i][i] = t->b[i][i] = pl_set_w(0);
        for (int j = i + 1; j < 3; ++j)
        {
            t->h[i][j] = t->h[j][i] = definite[2 + i + j];
            pl_tangent_pair_w(p, s, h[i] - h[2 + i + j], most, i, j, t);
        }
    }
}

// For corotated linear elasticity: independent of the stretches.
PL_INLINE void pl_tangent_warped_w(pl_real_w mu, pl_real_w lambda, pl_tangent_w *t)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
        {
            t->h[i][j] = i == j ? 2 * mu + lambda : lambda;
            t->a[i][j] = t->b[i][j] = i == j ? pl_set_w(0) : mu;
        }
}

// Elasticity times `weight`, and damping.
PL_INLINE void pl_tangent_scale_w(pl_real_w weight, pl_tangent_w *t)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
        {
            t->h[i][j] *= weight;
            t->a[i][j] *= weight;
            t->b[i][j] *= weight;
        }
}
PL_INLINE void pl_tangent_damp_w(pl_damping_model model, const pl_real_w sigma[3], pl_real_w beta, pl_real_w alpha,
                                 pl_tangent_w *t)
{
    pl_real_w stretch[3];
    pl_damping_stretches_w(model, sigma, stretch);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
        {
            pl_real_w both = stretch[i] * stretch[j];
            t->h[i][j] += (i == j ? 2 * beta + alpha : alpha) * both;
            t->b[i][j] += i == j ? pl_set_w(0) : beta * both;
            t->a[i][j] += i == j ? pl_set_w(0) : beta * (stretch[i] * stretch[i]);
        }
}

// U K U^T
PL_INLINE void pl_tangent_turn_w(const pl_mat3_w *U, pl_real_w K[3][3], pl_tangent_block_w *out)
{
    pl_real_w T[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            T[i][j] = U->c[0].x[i] * K[0][j] + U->c[1].x[i] * K[1][j] + U->c[2].x[i] * K[2][j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->m[3 * i + j] = T[i][0] * U->c[0].x[j] + T[i][1] * U->c[1].x[j] + T[i][2] * U->c[2].x[j];
}

// Block of two coordinates with the principal gradients g and f.
PL_INLINE void pl_tangent_block_of_w(const pl_tangent_w *t, const pl_mat3_w *U, const pl_real_w g[3],
                                     const pl_real_w f[3], pl_tangent_block_w *out)
{
    pl_real_w K[3][3], product[3];
    for (int i = 0; i < 3; ++i)
        product[i] = g[i] * f[i];
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        K[i][i] = t->h[i][i] * product[i] + (t->a[i][j] * product[j] + t->a[i][k] * product[k]);
        for (int other = 0; other < 3; ++other)
            if (other != i)
                K[i][other] = t->h[i][other] * (g[i] * f[other]) + t->b[i][other] * (g[other] * f[i]);
    }
    pl_tangent_turn_w(U, K, out);
}

// The same for linear elasticity, from the gradients R b: lambda a a'^T + mu (a' a^T + (a . a') I).
PL_INLINE void pl_tangent_block_warped_w(pl_vec3_w a, pl_vec3_w other, pl_real_w mu, pl_real_w lambda,
                                         pl_tangent_block_w *out)
{
    pl_vec3_w la = pl_scale3_w(lambda, a), ma = pl_scale3_w(mu, a);
    pl_real_w both = pl_dot3_w(ma, other);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
        {
            pl_real_w value = la.x[i] * other.x[j] + other.x[i] * ma.x[j];
            out->m[3 * i + j] = i == j ? value + both : value;
        }
}

// Damping alone, in a frame A that need not be a rotation (damping_w.h), with the gradients b of coordinates and a = A
// b: alpha a a'^T + beta (a' a^T + (b . b') A A^T).
PL_INLINE void pl_tangent_damped_w(const double (*frame)[PL_BLOCK], const double (*inverse)[PL_BLOCK], int lane,
                                   pl_real_w beta, pl_real_w alpha, pl_tangent_block_w C[3][3])
{
    pl_mat3_w A = pl_load33_w(frame, lane);
    pl_vec3_w a[3], b[3];
    pl_real_w AA[9];
    for (int c = 0; c < 3; ++c)
    {
        for (int j = 0; j < 3; ++j)
            b[c].x[j] = pl_load_w(&inverse[3 * j + c][lane]);
        for (int i = 0; i < 3; ++i)
            a[c].x[i] = A.c[0].x[i] * b[c].x[0] + A.c[1].x[i] * b[c].x[1] + A.c[2].x[i] * b[c].x[2];
    }
    for (int k = 0; k < 9; ++k)
        AA[k] = beta * (A.c[0].x[k / 3] * A.c[0].x[k % 3] + A.c[1].x[k / 3] * A.c[1].x[k % 3] +
                        A.c[2].x[k / 3] * A.c[2].x[k % 3]);
    for (int c = 0; c < 3; ++c)
        for (int d = c; d < 3; ++d)
        {
            pl_real_w bb = pl_dot3_w(b[c], b[d]);
            pl_vec3_w al = pl_scale3_w(alpha, a[c]), be = pl_scale3_w(beta, a[c]);
            for (int k = 0; k < 9; ++k)
                C[c][d].m[k] = al.x[k / 3] * a[d].x[k % 3] + a[d].x[k / 3] * be.x[k % 3] + bb * AA[k];
        }
}

// Contribution of fibres to the block of two coordinates; `share` is the product of their (B a)_c.
PL_INLINE void pl_tangent_add_fiber_w(const pl_fiber_tangent_w *fiber, pl_real_w share, pl_tangent_block_w *out)
{
    pl_real_w along = share * (fiber->along - fiber->across), across = share * fiber->across;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
        {
            pl_real_w value = along * fiber->n.x[i] * fiber->n.x[j];
            out->m[3 * i + j] += i == j ? value + across : value;
        }
}

PL_INLINE void pl_store_tangent_w(double *matrix, int pair, int lane, const pl_tangent_block_w *block)
{
    for (int k = 0; k < 9; ++k)
        pl_store_w(&matrix[(9 * pair + k) * PL_BLOCK + lane], block->m[k]);
}
PL_INLINE pl_tangent_block_w pl_transposed_tangent_w(const pl_tangent_block_w *block)
{
    pl_tangent_block_w t;
    for (int k = 0; k < 9; ++k)
        t.m[k] = block->m[k % 3 * 3 + k / 3];
    return t;
}

#endif
