// src/math/svd3_w.h -- singular values of PL_LANES 3x3 matrices at a time, without iteration.
//
// F = U diag(sigma) V^T in the convention of svd3.h, in three steps.
//
// 1. One column of V from S = F^T F. Of three eigenvalues, the largest or the smallest is well apart from the two
//    others: with A = S - tr(S)/3 I and 6 p^2 = |A|^2, the eigenvalues of A/p are the roots of
//
//        x^3 - 3 x - 2 r = 0,    r = det(A/p) / 2 in [-1, 1],
//
//    and for r >= 0 the largest, x = 2 cos(acos(r)/3), lies in [sqrt 3, 2] and is at least sqrt 3 away from the next,
//    so that it is smooth in r (a polynomial of degree 9 gives it to 6e-10) and its eigenvector v is well determined.
//    For r < 0 the smallest is the mirror image. v is any column of adj(A/p - x I) = (3 x^2 - 3) v v^T; the longest.
//
// 2. F V = B with V = [v w1 w2] and any w1, w2 across v. One Jacobi rotation of w1, w2 makes b1 and b2 perpendicular
//    (and puts the longer first). b_v is perpendicular to both except for the error of v: 1e-9, or what forming S has
//    lost, at most eps sigma0^2 / gap. A rotation by such a small angle is linear; one correction ends with b_v . b_i
//    at rounding level. S is thus only ever a hint, and the digits that it loses in small singular values come back.
//
// 3. The order is (v, w1, w2) or (w1, w2, v), which are the same orientation. U from B by Gram-Schmidt, u2 = u0 x u1,
//    sigma2 = u2 . b2 with its sign.
//
// Lanes for which step 2 did not end perpendicular (none is known), and NaN or infinite ones, go to the plain pl__svd3.
// A lane's bits depend on nothing but its matrix.
//
// What was tried (ns per matrix, 64-byte registers, 2.9 GHz, gcc 12): this 18 to 19; one register per pass 29; every
// inverse square root by Newton steps 20, every one by division and square root 19.5 (a mixture keeps both units busy);
// longer chains of dependent operations (a running maximum, the norms of step 3 one after the other, Newton steps as
// y (3/2 - x/2 y y)) 22. Four 32-byte registers per pass were no faster than two. A prototype with three Jacobi sweeps
// of S and one of F V took 37. Rotating w1, w2 before the correction of v loses everything when |b1|, |b2| are as small
// as the error of v.
#ifndef PL_MATH_SVD3_W_H
#define PL_MATH_SVD3_W_H

#include "jacobi_w.h"
#include "mat3_w.h"
#include "svd3.h"

// a with the sign of b as a factor
PL_INLINE pl_real_w pl_flip_w(pl_real_w a, pl_real_w b)
{
    return pl_from_bits_w(pl_bits_w(a) ^ (pl_bits_w(b) & INT64_MIN));
}

// 2 cos(acos(r) / 3) for r in [0, 1] with an error below 6e-10: interpolation in Chebyshev points.
PL_INLINE pl_real_w pl_svd3_root_w(pl_real_w r)
{
    pl_real_w r2 = r * r, r4 = r2 * r2;
    pl_real_w a = 1.7320508081013304 + r * 0.33333322640266211;
    pl_real_w b = -0.09622144229460998 + r * 0.0493347555698661;
    pl_real_w c = -0.030851972901964033 + r * 0.020581165551633224;
    pl_real_w d = -0.012900457547466437 + r * 0.0065054933612805031;
    pl_real_w e = -0.0021782112951985967 + r * 0.00034663534532997363;
    return (a + r2 * b) + r4 * ((c + r2 * d) + r4 * e);
}

// Step 1: an eigenvector of S = [a d e; d b f; e f c], not small, whose eigenvalue is apart; `is_first` where it is the
// largest one.
PL_INLINE pl_vec3_w pl_svd3_axis_w(pl_real_w a, pl_real_w b, pl_real_w c, pl_real_w d, pl_real_w e, pl_real_w f,
                                   pl_mask_w *is_first)
{
    pl_real_w mean = (a + b + c) * (1.0 / 3);
    a -= mean, b -= mean, c -= mean;
    pl_real_w dd = d * d, ee = e * e, ff = f * f;

    // p below 1e-20 is rounding of S of size 4: the lower limit only keeps the numbers below normal
    pl_real_w p2 = ((a * a + b * b) + (c * c + 2.0 * ((dd + ee) + ff))) * (1.0 / 6) + 1e-40;
    pl_real_w det = (a * (b * c - ff) - c * dd) + (2.0 * (d * e * f) - b * ee) + 0.0; // + 0: no negative zero
    pl_real_w ip = pl_rsqrt_short_w(p2);
    pl_real_w r = 0.5 * pl_abs_w(det) * ip * ip * ip;
    pl_real_w root = pl_copysign_w(p2 * ip * pl_svd3_root_w(r), det);
    *is_first = pl_ge_w(det, pl_set_w(0));

    // the longest column of adj(A - root I); its diagonal is positive
    a -= root, b -= root, c -= root;
    pl_vec3_w x = pl_make3_w(b * c - ff, e * f - d * c, d * f - e * b);
    pl_vec3_w y = pl_make3_w(x.x[1], a * c - ee, d * e - f * a);
    pl_vec3_w z = pl_make3_w(x.x[2], y.x[2], a * b - dd);
    pl_mask_w swap = pl_gt_w(y.x[1], x.x[0]);
    pl_real_w best = pl_select_w(swap, y.x[1], x.x[0]);
    x = pl_select3_w(swap, y, x);
    return pl_select3_w(pl_gt_w(z.x[2], best), z, x);
}

// A rotation [v w1 w2] with v along x, or against it; I for x = (1, 0, 0). It is that of the quaternion
// (|x| + |x0|, x cross e0), halfway from e0 to x.
PL_INLINE pl_mat3_w pl_svd3_frame_w(pl_vec3_w x)
{
    pl_real_w xx = pl_dot3_w(x, x);
    pl_real_w w = pl_sqrt_w(xx) + pl_abs_w(x.x[0]);
    pl_real_w z = pl_flip_w(x.x[1], x.x[0]), y = -pl_flip_w(x.x[2], x.x[0]);
    pl_real_w k = 2.0 / (w * w + (y * y + z * z));
    pl_real_w kw = k * w, ky = k * y, kz = k * z;
    pl_real_w wy = kw * y, wz = kw * z, yy = ky * y, zz = kz * z, yz = ky * z;
    return pl_columns3_w(pl_make3_w(1.0 - (yy + zz), wz, -wy), pl_make3_w(-wz, 1.0 - zz, yz),
                         pl_make3_w(wy, yz, 1.0 - yy));
}

// Columns 1 and 2 become c a + s b and c b - s a.
PL_INLINE void pl_svd3_turn_w(pl_mat3_w *A, pl_real_w c, pl_real_w s)
{
    pl_vec3_w a = A->c[1], b = A->c[2];
    A->c[1] = pl_add3_w(pl_scale3_w(c, a), pl_scale3_w(s, b));
    A->c[2] = pl_sub3_w(pl_scale3_w(c, b), pl_scale3_w(s, a));
}

// v += g1 w1 + g2 w2, w1 -= g1 v, w2 -= g2 v
PL_INLINE void pl_svd3_nudge_w(pl_mat3_w *A, pl_real_w g1, pl_real_w g2)
{
    pl_vec3_w v = A->c[0];
    A->c[0] = pl_add3_w(v, pl_add3_w(pl_scale3_w(g1, A->c[1]), pl_scale3_w(g2, A->c[2])));
    A->c[1] = pl_sub3_w(A->c[1], pl_scale3_w(g1, v));
    A->c[2] = pl_sub3_w(A->c[2], pl_scale3_w(g2, v));
}

// Step 2a: b0 perpendicular to b1 and b2, by the angles g of ([n 0; 0 n] - [b_i . b_j]) g = (b0.b1, b0.b2), n = b0.b0,
// small enough that their squares do not count. Larger ones are left alone: they mean that the lengths differ by less
// than 1e-7, when the error of S leaves b0 . bi at rounding level; otherwise the lane is `lost`.
PL_INLINE void pl_svd3_correct_w(pl_mat3_w *B, pl_mat3_w *V, pl_mask_w *lost)
{
    pl_vec3_w b0 = B->c[0], b1 = B->c[1], b2 = B->c[2];
    pl_real_w n = pl_dot3_w(b0, b0), zero = pl_set_w(0);
    pl_real_w gap1 = n - pl_dot3_w(b1, b1), gap2 = n - pl_dot3_w(b2, b2), dot12 = pl_dot3_w(b1, b2);
    pl_real_w dot1 = pl_dot3_w(b0, b1), dot2 = pl_dot3_w(b0, b2);
    pl_real_w k = 1.0 / (gap1 * gap2 - dot12 * dot12);
    pl_real_w g1 = (dot1 * gap2 + dot2 * dot12) * k, g2 = (dot2 * gap1 + dot1 * dot12) * k;
    pl_real_w largest = pl_max_w(pl_abs_w(dot1), pl_abs_w(dot2));
    pl_mask_w small = pl_lt_w(pl_abs_w(g1) + pl_abs_w(g2), pl_set_w(0x1p-27));
    *lost = pl_not_w(pl_or_w(small, pl_le_w(largest, 0x1p-49 * n)));
    g1 = pl_select_w(small, g1, zero), g2 = pl_select_w(small, g2, zero);
    pl_svd3_nudge_w(B, g1, g2);
    pl_svd3_nudge_w(V, g1, g2);
}

// Step 2b: b1 and b2 perpendicular, the longer first.
PL_INLINE void pl_svd3_split_w(pl_mat3_w *B, pl_mat3_w *V)
{
    pl_vec3_w b1 = B->c[1], b2 = B->c[2];
    pl_real_w d = pl_dot3_w(pl_sub3_w(b1, b2), pl_add3_w(b1, b2)), t = 2.0 * pl_dot3_w(b1, b2), c, s;
    pl_jacobi_w(d, t, &c, &s);
    pl_svd3_turn_w(B, c, s);
    pl_svd3_turn_w(V, c, s);
}

// (v, w1, w2) where `is_first`, else (w1, w2, v)
PL_INLINE pl_mat3_w pl_svd3_order_w(pl_mask_w is_first, const pl_mat3_w *A)
{
    return pl_columns3_w(pl_select3_w(is_first, A->c[0], A->c[1]), pl_select3_w(is_first, A->c[1], A->c[2]),
                         pl_select3_w(is_first, A->c[2], A->c[0]));
}

// Step 3. b1 is made perpendicular to b0 before either is normalised, so that the two square roots can overlap.
PL_INLINE void pl_svd3_finish_w(const pl_mat3_w *B, pl_mat3_w *U, pl_vec3_w *sigma)
{
    pl_vec3_w b0 = B->c[0], b1 = B->c[1], b2 = B->c[2];
    pl_real_w n0 = pl_dot3_w(b0, b0), k0 = pl_rsqrt_w(n0);
    pl_vec3_w u0 = pl_scale3_w(k0, b0);
    pl_vec3_w u1 = pl_sub3_w(pl_scale3_w(n0, b1), pl_scale3_w(pl_dot3_w(b0, b1), b0));
    pl_real_w n1 = pl_dot3_w(u1, u1);
    u1 = pl_scale3_w(1.0 / pl_sqrt_w(n1), u1);
    pl_mask_w vanished = pl_lt_w(n1, pl_set_w(0x1p-106));
    if (pl_any_w(vanished))
        u1 = pl_select3_w(vanished, pl_perpendicular3_w(u0), u1);
    pl_vec3_w u2 = pl_cross3_w(u0, u1);
    *U = pl_columns3_w(u0, u1, u2);
    // equal values may come out of order by a rounding error
    pl_real_w s0 = n0 * k0, last = pl_dot3_w(u2, b2);
    pl_real_w s1 = pl_min_w(pl_max_w(pl_dot3_w(u1, b1), pl_set_w(0)), s0);
    *sigma = pl_make3_w(s0, s1, pl_copysign_w(pl_min_w(pl_abs_w(last), s1), last));
}

// The plain SVD for the lanes of `lost`.
static __attribute__((noinline, cold, unused)) void pl_svd3_rescue_w(const pl_mask_w *lost, const pl_mat3_w *F,
                                                                     pl_mat3_w *U, pl_vec3_w *sigma, pl_mat3_w *V)
{
    double f[9][PL_LANES], u[9][PL_LANES], v[9][PL_LANES], s[3][PL_LANES], flag[PL_LANES];
    for (int k = 0; k < 9; ++k)
    {
        pl_store_w(f[k], F->c[k / 3].x[k % 3]);
        pl_store_w(u[k], U->c[k / 3].x[k % 3]);
        pl_store_w(v[k], V->c[k / 3].x[k % 3]);
        pl_store_w(s[k / 3], sigma->x[k / 3]);
    }
    pl_store_w(flag, pl_select_w(*lost, pl_set_w(1), pl_set_w(0)));
    for (int lane = 0; lane < PL_LANES; ++lane)
        if (flag[lane] != 0)
        {
            pl_mat3 f1, u1, v1;
            double s1[3];
            for (int k = 0; k < 9; ++k)
                f1.c[k / 3][k % 3] = f[k][lane];
            pl__svd3(&f1, &u1, s1, &v1);
            for (int k = 0; k < 9; ++k)
            {
                u[k][lane] = u1.c[k / 3][k % 3];
                v[k][lane] = v1.c[k / 3][k % 3];
                s[k / 3][lane] = s1[k / 3];
            }
        }
    for (int k = 0; k < 9; ++k)
    {
        U->c[k / 3].x[k % 3] = pl_load_w(u[k]);
        V->c[k / 3].x[k % 3] = pl_load_w(v[k]);
        sigma->x[k / 3] = pl_load_w(s[k / 3]);
    }
}

// max |F|; a NaN may or may not be seen
PL_INLINE pl_real_w pl_largest33_w(const pl_mat3_w *F)
{
    pl_real_w m[3];
    for (int j = 0; j < 3; ++j)
        m[j] = pl_max_w(pl_max_w(pl_abs_w(F->c[j].x[0]), pl_abs_w(F->c[j].x[1])), pl_abs_w(F->c[j].x[2]));
    return pl_max_w(pl_max_w(m[0], m[1]), m[2]);
}

PL_INLINE pl_mat3_w pl_svd3_scale_w(const pl_mat3_w *F, pl_real_w *back)
{
    pl_real_w scale = pl_prescale_w(pl_largest33_w(F), back);
    return pl_columns3_w(pl_scale3_w(scale, F->c[0]), pl_scale3_w(scale, F->c[1]), pl_scale3_w(scale, F->c[2]));
}

PL_INLINE void pl_svd3_patch_w(pl_mask_w lost, const pl_mat3_w *F, pl_mat3_w *U, pl_vec3_w *sigma, pl_mat3_w *V)
{
    if (pl_any_w(lost))
    {
        // copies, so that the values proper need no address and can stay in registers
        pl_mat3_w f = *F, u = *U, v = *V;
        pl_vec3_w s = *sigma;
        pl_svd3_rescue_w(&lost, &f, &u, &s, &v);
        *U = u, *V = v, *sigma = s;
    }
}

// `n` registers in one pass, step by step, so that the processor always has an independent one to work on while results
// of the other are under way; n = 2 is the fastest.
PL_INLINE void pl_svd3_n_w(int n, const pl_mat3_w *F, pl_mat3_w *U, pl_vec3_w *sigma, pl_mat3_w *V)
{
    pl_real_w back[2];
    pl_mat3_w G[2], B[2];
    pl_mask_w is_first[2], lost[2];
    for (int i = 0; i < n; ++i)
        G[i] = pl_svd3_scale_w(&F[i], &back[i]);
    for (int i = 0; i < n; ++i)
    {
        pl_vec3_w g0 = G[i].c[0], g1 = G[i].c[1], g2 = G[i].c[2];
        V[i].c[0] = pl_svd3_axis_w(pl_dot3_w(g0, g0), pl_dot3_w(g1, g1), pl_dot3_w(g2, g2), pl_dot3_w(g0, g1),
                                   pl_dot3_w(g0, g2), pl_dot3_w(g1, g2), &is_first[i]);
    }
    for (int i = 0; i < n; ++i)
    {
        V[i] = pl_svd3_frame_w(V[i].c[0]);
        B[i] = pl_mul33_w(&G[i], &V[i]);
    }
    for (int i = 0; i < n; ++i)
        pl_svd3_correct_w(&B[i], &V[i], &lost[i]);
    for (int i = 0; i < n; ++i)
        pl_svd3_split_w(&B[i], &V[i]);
    for (int i = 0; i < n; ++i)
    {
        B[i] = pl_svd3_order_w(is_first[i], &B[i]);
        V[i] = pl_svd3_order_w(is_first[i], &V[i]);
        pl_svd3_finish_w(&B[i], &U[i], &sigma[i]);
        sigma[i] = pl_scale3_w(back[i], pl_scale3_w(pl_set_w(0.5), sigma[i]));
    }
    for (int i = 0; i < n; ++i)
        pl_svd3_patch_w(lost[i], &F[i], &U[i], &sigma[i], &V[i]);
}

PL_INLINE void pl_svd3_w(const pl_mat3_w *F, pl_mat3_w *U, pl_vec3_w *sigma, pl_mat3_w *V)
{
    pl_svd3_n_w(1, F, U, sigma, V);
}

#endif
