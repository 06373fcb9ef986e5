// src/material/plastic_w.h -- plastic flow of PL_LANES elements at a time, for the force kernels.
//
// Fe = U diag(s) V^T is available when forces are evaluated. With e = log s, d the part of e that flows and q the
// squared norm of the part that only counts in the yield criterion (material/plastic.h), an element beyond its yield
// flows by the amount a along d that brings it back to the yield surface, which hardens with the same flow:
//
//     (|d| - a)^2 + q = (y + H a)^2,    y = yield + H (plastic strain so far),    0 < a <= |d|.
//
// The left side decreases and the right one increases with a, so the root is unique; with c = |d|^2 + q - y^2 > 0 it is
//
//     a = c / (b + sqrt(b^2 - (1 - H^2) c)),    b = |d| + y H,        (|d| - y) / (1 + H) for q = 0: radial return,
//
// and |d| itself if pressure alone is beyond the surface. With creep, a is at most |d| (1 - exp(-c dt)). With g = exp(a
// d / |d|),
//
//     Fp <- V diag(g) V^T Fp,      Fe <- U diag(s / g) V^T,
//
// so the new decomposition is known up to rounding. Where the volume does not flow, rounding moves det Fp by 4e-12 in
// 300 000 steps, which is ignored. The thesis drops V; with it, rest space does not rotate relative to fibres and
// goals.
//
// The step is bounded by the conditioning of Fp, so its stretches stay within [1/limit, limit]: they are clamped, or,
// if the volume is to be kept, their logarithms are scaled equally. A positive diag(s/g), as in irving-2004, does not
// ensure that. The goal of thesis 2.7: on logarithms of the right stretch of Fp = R S the segment from the old to the
// limited trial is followed to its point closest to the goal; R is the trial's. As the limits are convex there, that
// point keeps them. Only if limits or goals changed the trial is Fe decomposed again, and hardening counts only the
// actual change of Fp.
//
// Triangles (n = 2) are embedded: the third row and column of Fp and V are those of the identity, and log 1 = 0.
#ifndef PL_MATERIAL_PLASTIC_W_H
#define PL_MATERIAL_PLASTIC_W_H

#include "base/wide_math.h"
#include "math/eig3_w.h"
#include "math/svd2_w.h"
#include "math/svd3_w.h"
#include "plastic.h"

// A = U diag(s) V^T; for triangles two columns of U are used.
typedef struct
{
    pl_mat3_w U, V;
    pl_vec3_w s;
} pl_shape_w;

// ---- matrices of n rows and columns, embedded in three ---------------------------------------------------------

PL_INLINE pl_mat3_w pl_embed2_w(const pl_mat2_w *A)
{
    pl_real_w o = pl_set_w(0);
    return pl_columns3_w(pl_make3_w(A->c[0].x[0], A->c[0].x[1], o), pl_make3_w(A->c[1].x[0], A->c[1].x[1], o),
                         pl_make3_w(o, o, pl_set_w(1)));
}

PL_INLINE pl_shape_w pl_decompose_w(int n, const pl_mat3_w *A)
{
    pl_shape_w out;
    if (n == 3)
    {
        pl_svd3_w(A, &out.U, &out.s, &out.V);
        return out;
    }
    pl_mat2_w upper = {{{{A->c[0].x[0], A->c[0].x[1]}}, {{A->c[1].x[0], A->c[1].x[1]}}}}, U, V;
    pl_vec2_w s;
    pl_svd2_w(&upper, &U, &s, &V);
    return (pl_shape_w){pl_embed2_w(&U), pl_embed2_w(&V), pl_make3_w(s.x[0], s.x[1], pl_set_w(1))};
}

PL_INLINE void pl_eig_w(int n, const pl_mat3_w *A, pl_mat3_w *Q, pl_vec3_w *lambda)
{
    if (n == 3)
    {
        pl_eig3_w(A, Q, lambda);
        return;
    }
    pl_real_w a = A->c[0].x[0], b = A->c[1].x[1], h = A->c[1].x[0], c, s;
    pl_jacobi_w(a - b, 2.0 * h, &c, &s);
    pl_mat2_w turn = pl_rotation2_w(c, s);
    pl_real_w cross = 2.0 * c * s * h, cc = c * c, ss = s * s;
    *Q = pl_embed2_w(&turn);
    *lambda = pl_make3_w(cc * a + ss * b + cross, ss * a + cc * b - cross, pl_set_w(0));
}

// A diag(d) B^T
PL_INLINE pl_mat3_w pl_compose_w(const pl_mat3_w *A, pl_vec3_w d, const pl_mat3_w *B)
{
    pl_mat3_w scaled = pl_scale_columns3_w(A, d);
    return pl_mul33t_w(&scaled, B);
}
PL_INLINE pl_real_w pl_inner33_w(const pl_mat3_w *A, const pl_mat3_w *B)
{
    return pl_dot3_w(A->c[0], B->c[0]) + pl_dot3_w(A->c[1], B->c[1]) + pl_dot3_w(A->c[2], B->c[2]);
}
PL_INLINE pl_vec3_w pl_log3_w(pl_vec3_w a) { return pl_make3_w(pl_log_w(a.x[0]), pl_log_w(a.x[1]), pl_log_w(a.x[2])); }
PL_INLINE pl_vec3_w pl_exp3_w(pl_vec3_w a) { return pl_make3_w(pl_exp_w(a.x[0]), pl_exp_w(a.x[1]), pl_exp_w(a.x[2])); }

// [00 11 22 01 02 12]
PL_INLINE pl_mat3_w pl_load_symmetric_w(const double (*block)[PL_BLOCK], int lane)
{
    pl_vec3_w diagonal = pl_load3_w(block, lane), off = pl_load3_w(block + 3, lane); // 01 02 12
    return pl_columns3_w(pl_make3_w(diagonal.x[0], off.x[0], off.x[1]), pl_make3_w(off.x[0], diagonal.x[1], off.x[2]),
                         pl_make3_w(off.x[1], off.x[2], diagonal.x[2]));
}

// ---- return to the yield surface -------------------------------------------------------------------------------

// Fraction of the possible flow that creep allows in dt.
PL_INLINE pl_real_w pl_plastic_creep_w(const pl__plastic_block *block, int lane, double dt)
{
    pl_real_w rate = pl_load_w(&block->creep[lane]), one = pl_set_w(1);
    pl_mask_w creeps = pl_gt_w(rate, pl_set_w(0));
    if (!pl_any_w(creeps))
        return one;
    return pl_select_w(creeps, one - pl_exp_w(-pl_min_w(rate * dt, pl_set_w(700))), one);
}

// Amount of plastic flow along a part of norm size2^1/2, beside a part that only counts in the yield criterion, in the
// lanes of `may`; 0 where nothing yields. `share` is the amount over the norm.
PL_INLINE pl_real_w pl_plastic_amount_w(const pl__plastic_block *block, int lane, double dt, pl_mask_w may,
                                        pl_real_w size2, pl_real_w other2, pl_real_w *share)
{
    pl_real_w zero = pl_set_w(0), yield = pl_load_w(&block->yield[lane]), H = pl_load_w(&block->hardening[lane]);
    pl_real_w radius = yield + H * pl_load_w(&block->hardened[lane]);
    pl_real_w excess = size2 + pl_load_w(&block->volume_yields[lane]) * other2 - radius * radius;
    pl_mask_w yields =
        pl_and_w(pl_and_w(pl_gt_w(yield, zero), may), pl_and_w(pl_gt_w(excess, zero), pl_gt_w(size2, zero)));
    pl_real_w size = pl_sqrt_w(size2), b = size + radius * H;
    pl_real_w root = pl_sqrt_w(pl_max_w(b * b - (1.0 - H * H) * excess, zero));
    pl_real_w most = pl_plastic_creep_w(block, lane, dt) * size;
    pl_real_w part = pl_select_w(yields, pl_min_w(excess / (b + root), most), zero);
    *share = part / pl_select_w(yields, size, pl_set_w(1));
    return part;
}

// Return mapping: the logarithms that become plastic; 0 where nothing yields. `amount` is their norm.
PL_INLINE pl_vec3_w pl_plastic_return_w(int n, const pl__plastic_block *block, int lane, double dt, pl_vec3_w s,
                                        pl_real_w *amount)
{
    pl_real_w zero = pl_set_w(0), e[3], d[3] = {zero, zero, zero}, mean = zero, size2 = zero;
    for (int i = 0; i < n; ++i)
    {
        e[i] = pl_log_w(pl_min_w(pl_max_w(s.x[i], pl_set_w(1 / PL_PLASTIC_RANGE)), pl_set_w(PL_PLASTIC_RANGE)));
        mean += e[i] * (1.0 / n);
    }
    pl_real_w held = (1.0 - pl_load_w(&block->volume_flows[lane])) * mean;
    for (int i = 0; i < n; ++i)
    {
        d[i] = e[i] - held;
        size2 += d[i] * d[i];
    }
    pl_real_w share;
    *amount = pl_plastic_amount_w(block, lane, dt, pl_ge_w(s.x[n - 1], zero), size2, n * held * held, &share);
    return pl_make3_w(share * d[0], share * d[1], share * d[2]);
}

// ---- limits and goals ------------------------------------------------------------------------------------------

// Clamp the logarithms of plastic stretches to their limits.
PL_INLINE pl_vec3_w pl_plastic_limit_w(const pl__plastic_block *block, int lane, pl_vec3_w l)
{
    pl_real_w most = pl_log_w(pl_load_w(&block->limit[lane])), largest = most;
    pl_mask_w volume_flows = pl_gt_w(pl_load_w(&block->volume_flows[lane]), pl_set_w(0));
    for (int i = 0; i < 3; ++i)
        largest = pl_max_w(largest, pl_abs_w(l.x[i]));
    pl_real_w shrink = most / largest;
    for (int i = 0; i < 3; ++i)
        l.x[i] = pl_select_w(volume_flows, pl_max_w(pl_min_w(l.x[i], most), -most), shrink * l.x[i]);
    pl_real_w norm = pl_load_w(&block->most[lane]), size = pl_sqrt_w(pl_dot3_w(l, l));
    shrink = norm / pl_max_w(size, norm);
    for (int i = 0; i < 3; ++i)
        l.x[i] = shrink * l.x[i];
    return l;
}

// Fraction of `step` from `from` that comes closest to the goal; 1 without a goal.
PL_INLINE pl_real_w pl_plastic_toward_w(const pl__plastic_block *block, int lane, const pl_mat3_w *from,
                                        const pl_mat3_w *step)
{
    pl_mat3_w goal = pl_load_symmetric_w(block->goal, lane), way = pl_axpy33_w(pl_set_w(-1), from, &goal);
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    pl_real_w t = pl_inner33_w(&way, step) / pl_max_w(pl_inner33_w(step, step), pl_set_w(1e-300));
    return pl_select_w(pl_gt_w(pl_load_w(&block->guided[lane]), zero), pl_max_w(pl_min_w(t, one), zero), one);
}

// Apply limits and goal to a trial Fp in the lanes of `suspect`; others are unchanged. `amount` becomes 0 in lanes that
// must not move at all. Returns the lanes that changed.
PL_INLINE pl_mask_w pl_plastic_settle_n_w(int n, const pl__plastic_block *block, int lane, pl_mask_w suspect,
                                          const pl_mat3_w *old, pl_mat3_w *Fp, pl_real_w *amount)
{
    pl_real_w one = pl_set_w(1), minus = pl_set_w(-1);
    pl_shape_w before = pl_decompose_w(n, old), trial = pl_decompose_w(n, Fp);
    pl_vec3_w raw = pl_log3_w(trial.s), l = pl_plastic_limit_w(block, lane, raw);
    pl_mat3_w from = pl_compose_w(&before.V, pl_log3_w(before.s), &before.V), to = pl_compose_w(&trial.V, l, &trial.V);
    pl_mat3_w step = pl_axpy33_w(minus, &from, &to);
    pl_real_w t = pl_plastic_toward_w(block, lane, &from, &step);

    pl_mask_w same =
        pl_and_w(pl_eq_w(l.x[0], raw.x[0]), pl_and_w(pl_eq_w(l.x[1], raw.x[1]), pl_eq_w(l.x[2], raw.x[2])));
    pl_mask_w whole = pl_ge_w(t, one), changed = pl_and_w(suspect, pl_not_w(pl_and_w(same, whole)));
    pl_mat3_w limited = pl_compose_w(&trial.U, pl_exp3_w(l), &trial.V);
    if (!pl_all_w(whole))
    {
        // R exp(from + t step)
        pl_mat3_w L = pl_axpy33_w(t, &step, &from), R = pl_mul33t_w(&trial.U, &trial.V), Q;
        pl_vec3_w value;
        pl_eig_w(n, &L, &Q, &value);
        L = pl_compose_w(&Q, pl_exp3_w(value), &Q);
        L = pl_mul33_w(&R, &L);
        limited = pl_select33_w(whole, &limited, &L);
    }
    *Fp = pl_select33_w(changed, &limited, Fp);
    pl_real_w moved = pl_min_w(*amount, t * pl_sqrt_w(pl_inner33_w(&step, &step)));
    *amount = pl_select_w(changed, moved, *amount);
    return changed;
}

// Not inlined: few elements come here. `mask` is the suspect lanes on input and the changed lanes on output.
static __attribute__((noinline, cold, unused)) void pl_plastic_settle3_w(const pl__plastic_block *block, int lane,
                                                                         pl_mask_w *mask, const pl_mat3_w *old,
                                                                         pl_mat3_w *Fp, pl_real_w *amount)
{
    *mask = pl_plastic_settle_n_w(3, block, lane, *mask, old, Fp, amount);
}
static __attribute__((noinline, cold, unused)) void pl_plastic_settle2_w(const pl__plastic_block *block, int lane,
                                                                         pl_mask_w *mask, const pl_mat3_w *old,
                                                                         pl_mat3_w *Fp, pl_real_w *amount)
{
    *mask = pl_plastic_settle_n_w(2, block, lane, *mask, old, Fp, amount);
}

// Lanes that may be beyond their limits, by upper bounds on the stretches of Fp and Fp^-1, or that have a goal.
PL_INLINE pl_mask_w pl_plastic_suspect_w(const pl__plastic_block *block, int lane, const pl_mat3_w *Fp,
                                         const pl_mat3_w *inverse)
{
    pl_real_w limit = pl_load_w(&block->wary[lane]), limit2 = limit * limit;
    pl_mask_w long_ = pl_gt_w(pl_inner33_w(Fp, Fp), limit2), flat = pl_gt_w(pl_inner33_w(inverse, inverse), limit2);
    return pl_or_w(pl_or_w(long_, flat), pl_gt_w(pl_load_w(&block->guided[lane]), pl_set_w(0)));
}

// ---- the flow --------------------------------------------------------------------------------------------------

// Fe = U diag(s) V^T Fp_old Fp^-1, decomposed again.
PL_INLINE pl_shape_w pl_plastic_reshape_w(int n, const pl_shape_w *fe, const pl_mat3_w *old, const pl_mat3_w *inverse)
{
    pl_mat3_w inner = pl_transpose3_w(&fe->V), change = pl_mul33_w(old, inverse);
    inner = pl_mul33_w(&inner, &change);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < n; ++i)
            inner.c[j].x[i] *= fe->s.x[i];
    pl_shape_w out = pl_decompose_w(n, &inner);
    out.U = pl_mul33_w(&fe->U, &out.U);
    out.s.x[n - 1] =
        pl_max_w(out.s.x[n - 1], pl_set_w(0)); // only elements with det > 0 flow: a negative sign is rounding
    return out;
}

// Plastic flow of the lanes from `lane` on over dt. Stores Fp and plastic strain and updates `fe`, the decomposition of
// Fe; `inverse` is Fp^-1 in all lanes. Returns the lanes that flowed; the others are unchanged. If none did, `inverse`
// is not set.
PL_INLINE pl_mask_w pl_plastic_flow_w(int n, pl__plastic_block *block, int lane, double dt, pl_shape_w *fe,
                                      pl_mat3_w *inverse)
{
    pl_real_w amount, zero = pl_set_w(0);
    pl_vec3_w flow = pl_plastic_return_w(n, block, lane, dt, fe->s, &amount);
    pl_mask_w flowed = pl_gt_w(amount, zero);
    if (!pl_any_w(flowed))
        return flowed;

    // trial
    pl_vec3_w growth = pl_exp3_w(flow), s = fe->s;
    pl_mat3_w old = pl_load33_w(block->Fp, lane), stretch = pl_compose_w(&fe->V, growth, &fe->V),
              Fp = pl_mul33_w(&stretch, &old);
    for (int i = 0; i < n; ++i)
        s.x[i] = s.x[i] / growth.x[i];
    for (int i = 1; i < n; ++i)
        s.x[i] = pl_min_w(s.x[i], s.x[i - 1]); // rounding may exchange equal ones
    *inverse = pl_inverse3_w(&Fp);

    // limits and goals
    pl_mask_w changed = pl_and_w(flowed, pl_plastic_suspect_w(block, lane, &Fp, inverse));
    if (pl_any_w(changed))
    {
        (n == 3 ? pl_plastic_settle3_w : pl_plastic_settle2_w)(block, lane, &changed, &old, &Fp, &amount);
        flowed = pl_gt_w(amount, zero);
        *inverse = pl_inverse3_w(&Fp);
        if (pl_any_w(changed))
        {
            pl_shape_w again = pl_plastic_reshape_w(n, fe, &old, inverse);
            fe->U = pl_select33_w(pl_and_w(changed, flowed), &again.U, &fe->U);
            fe->V = pl_select33_w(pl_and_w(changed, flowed), &again.V, &fe->V);
            s = pl_select3_w(changed, again.s, s);
        }
    }

    // results
    fe->s = pl_select3_w(flowed, s, fe->s);
    Fp = pl_select33_w(flowed, &Fp, &old);
    pl_store33_w(block->Fp, lane, &Fp);
    pl_store_w(&block->hardened[lane], pl_load_w(&block->hardened[lane]) + pl_select_w(flowed, amount, zero));
    *inverse = pl_inverse3_w(&Fp);
    return flowed;
}

// ---- element data that depend on Fp ----------------------------------------------------------------------------

// B' = B Fp^-1
PL_INLINE pl_mat3_w pl_plastic_rest_w(const pl__plastic_block *block, int lane, const pl_mat3_w *inverse)
{
    pl_mat3_w B = pl_load33_w(block->rest, lane);
    return pl_mul33_w(&B, inverse);
}

PL_INLINE pl_vec3_w pl_plastic_eigenvalues_w(int n, const pl_mat3_w *A)
{
    pl_mat3_w Q;
    pl_vec3_w value;
    pl_eig_w(n, A, &Q, &value);
    return value;
}

// The gains of an element (pl__tet_rest_set_gain): largest eigenvalue and trace of Fp^-T (sum_k V/m_k b_k b_k^T) Fp^-1.
PL_INLINE void pl_plastic_gain_w(int n, const pl__plastic_block *block, int lane, const pl_mat3_w *inverse,
                                 pl_real_w gain[2])
{
    pl_mat3_w G = pl_load_symmetric_w(block->spread, lane);
    G = pl_mult33_w(inverse, &G);
    G = pl_mul33_w(&G, inverse);
    pl_vec3_w value = pl_plastic_eigenvalues_w(n, &G);
    gain[0] = value.x[0];
    gain[1] = value.x[0] + value.x[1] + value.x[2];
}

// The largest eigenvalue of Fp^-T Fp^-1.
PL_INLINE pl_real_w pl_plastic_rise_w(int n, const pl_mat3_w *inverse)
{
    pl_mat3_w C = pl_mult33_w(inverse, inverse);
    return pl_plastic_eigenvalues_w(n, &C).x[0];
}

#endif
