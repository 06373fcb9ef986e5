// src/material/additive_w.h -- additive plasticity of PL_LANES elements at a time (Mueller & Gross 2004, section 3).
//
// F = U diag(s) W^T = R S has the strain e = S - I = W diag(s - 1) W^T in the rest frame; plain linear elasticity,
// whose s and W are those of the symmetric part of F, has the same formula with R = I. A symmetric p is the plastic
// strain, and e - p is elastic. With h the part of the mean of e - p that does not flow, d = e - p - h I takes the
// place of the logarithms of material/plastic_w.h, as a matrix, since e and p need not have the same axes:
//
//     p <- p + a d / |d|,       a as there, of |d| and 3 h^2.
//
// Blocks hold I + p where the other form has Fp, so that code that stores, copies and checks states handles one kind
// only. The eigenvalues of I + p stay within [1/limit, limit]: those of p are clamped or, where the volume does not
// flow, all shrunk alike, so that the trace stays 0; then |p| is limited to `most`. Only lanes whose |p| reaches the
// nearest of these limits are processed. Inverted elements do not flow: since det(I + p) > 0, they are pushed back.
//
// What it does badly: a trace of 0 keeps the volume to first order only. A body compressed plastically to half its
// height becomes 1/2 x 5/4 x 5/4, 22 % smaller.
#ifndef PL_MATERIAL_ADDITIVE_W_H
#define PL_MATERIAL_ADDITIVE_W_H

#include "plastic_w.h"

// Q diag(l) Q^T, symmetric to the bit
PL_INLINE pl_mat3_w pl_with_values_w(const pl_mat3_w *Q, pl_vec3_w l)
{
    pl_mat3_w scaled = pl_scale_columns3_w(Q, l), A;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i <= j; ++i)
            A.c[j].x[i] = A.c[i].x[j] =
                scaled.c[0].x[i] * Q->c[0].x[j] + scaled.c[1].x[i] * Q->c[1].x[j] + scaled.c[2].x[i] * Q->c[2].x[j];
    return A;
}

PL_INLINE pl_mat3_w pl_plus_one_w(pl_mat3_w A, double one)
{
    for (int i = 0; i < 3; ++i)
        A.c[i].x[i] += one;
    return A;
}

// p
PL_INLINE pl_mat3_w pl_additive_strain_w(const pl__plastic_block *block, int lane)
{
    return pl_plus_one_w(pl_load33_w(block->Fp, lane), -1);
}

// Clamp the eigenvalues of p, largest first, to their limits.
PL_INLINE pl_vec3_w pl_additive_limit_w(const pl__plastic_block *block, int lane, pl_vec3_w l)
{
    pl_real_w limit = pl_load_w(&block->limit[lane]), high = limit - 1.0, low = 1.0 / limit - 1.0;
    pl_mask_w volume_flows = pl_gt_w(pl_load_w(&block->volume_flows[lane]), pl_set_w(0));
    pl_real_w shrink = pl_min_w(high / pl_max_w(l.x[0], high), low / pl_min_w(l.x[2], low));
    for (int i = 0; i < 3; ++i)
        l.x[i] = pl_select_w(volume_flows, pl_max_w(pl_min_w(l.x[i], high), low), shrink * l.x[i]);
    pl_real_w most = pl_load_w(&block->most[lane]);
    return pl_scale3_w(most / pl_max_w(pl_sqrt_w(pl_dot3_w(l, l)), most), l);
}

// Not inlined: few elements come here. Apply the limits to a trial p in the lanes of `mask`; others are unchanged.
static __attribute__((noinline, cold, unused)) void pl_additive_settle_w(const pl__plastic_block *block, int lane,
                                                                         const pl_mask_w *mask, const pl_mat3_w *old,
                                                                         pl_mat3_w *p, pl_real_w *amount)
{
    pl_mat3_w Q;
    pl_vec3_w raw;
    pl_eig3_w(p, &Q, &raw);
    pl_vec3_w l = pl_additive_limit_w(block, lane, raw);
    pl_mask_w same =
        pl_and_w(pl_eq_w(l.x[0], raw.x[0]), pl_and_w(pl_eq_w(l.x[1], raw.x[1]), pl_eq_w(l.x[2], raw.x[2])));
    pl_mask_w changed = pl_and_w(*mask, pl_not_w(same));
    pl_mat3_w limited = pl_with_values_w(&Q, l), step = pl_axpy33_w(pl_set_w(-1), old, &limited);
    *p = pl_select33_w(changed, &limited, p);
    *amount = pl_select_w(changed, pl_min_w(*amount, pl_sqrt_w(pl_inner33_w(&step, &step))), *amount);
}

// Lanes whose p reaches the nearest limit.
PL_INLINE pl_mask_w pl_additive_suspect_w(const pl__plastic_block *block, int lane, const pl_mat3_w *p)
{
    pl_real_w nearest = pl_min_w(1.0 - 1.0 / pl_load_w(&block->limit[lane]), pl_load_w(&block->most[lane]));
    return pl_gt_w(pl_inner33_w(p, p), nearest * nearest);
}

// Plastic flow of the lanes from `lane` on over dt, from the stretches and right axes of F. Returns the lanes that
// flowed; the others are unchanged.
PL_INLINE pl_mask_w pl_additive_flow_w(pl__plastic_block *block, int lane, double dt, pl_vec3_w s, const pl_mat3_w *W)
{
    pl_real_w zero = pl_set_w(0), minus = pl_set_w(-1), share;
    pl_mat3_w old = pl_additive_strain_w(block, lane),
              e = pl_with_values_w(W, pl_make3_w(s.x[0] - 1.0, s.x[1] - 1.0, s.x[2] - 1.0));
    pl_mat3_w d = pl_axpy33_w(minus, &old, &e);
    pl_real_w held = (1.0 - pl_load_w(&block->volume_flows[lane])) * pl_trace3_w(&d) * (1.0 / 3);
    for (int i = 0; i < 3; ++i)
        d.c[i].x[i] -= held;
    pl_real_w amount =
        pl_plastic_amount_w(block, lane, dt, pl_ge_w(s.x[2], zero), pl_inner33_w(&d, &d), 3.0 * held * held, &share);
    pl_mask_w flowed = pl_gt_w(amount, zero);
    if (!pl_any_w(flowed))
        return flowed;
    pl_mat3_w p = pl_axpy33_w(share, &d, &old);
    pl_mask_w suspect = pl_and_w(flowed, pl_additive_suspect_w(block, lane, &p));
    if (pl_any_w(suspect))
        pl_additive_settle_w(block, lane, &suspect, &old, &p, &amount);
    flowed = pl_gt_w(amount, zero);
    pl_mat3_w before = pl_load33_w(block->Fp, lane);
    p = pl_plus_one_w(p, 1);
    p = pl_select33_w(flowed, &p, &before);
    pl_store33_w(block->Fp, lane, &p);
    pl_store_w(&block->hardened[lane], pl_load_w(&block->hardened[lane]) + pl_select_w(flowed, amount, zero));
    return flowed;
}

#endif
