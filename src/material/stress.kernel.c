// src/material/stress.kernel.c -- from principal stretches to principal stresses, in every configuration.
//
// A law gives psi(s), its gradient p and Hessian h for stretches inside [low, high]. The default extension is a smooth
// clamp c and a separable penalty g,
//
//     psi_ext = psi(c(s_0), c(s_1), c(s_2)) + g(s_0) + g(s_1) + g(s_2),      P_i = p_i(c) c'(s_i) + g'(s_i).
//
// Below, with a the floor and w half the ramp, low = a + w, and mirrored above:
//
//     c = s                        g = 0                                  for s >= a + w: the law itself
//     c = a + (s - a + w)^2/(4 w)  g' = (1 - c') (p_a + k (s - a))        on the ramp [a - w, a + w]
//     c = a                        g' = p_a + k (s - a)                   below
//
// c and g are once differentiable, so psi_ext is, wherever the stretches are; it is at least 0, since psi is and g
// falls towards the end, for p_a <= -k w; so rest is its only minimum. p_a is the stress of a laterally constrained bar
// at the floor. (First order in s - c plus k/2 (s - c)^2, in the spirit of Stomakhin et al. 2012, has a jump of P where
// a second stretch is clamped: the cross term drops out. With all terms of second order the energy is unbounded below
// for neo-Hookean, and every trial exploded.) k and p_a are constants of the material (material.c). The papers' other
// rules, with c the stretches clamped to [low, high] and d = s - c:
//
//     linear    P = p(c) + h+(c) d,  h+ the Hessian with its negative eigenvalues set to zero        (thesis 2.14)
//     det       the same with c on the surface det = low^3, reached by raising the smallest stretches to a
//               common floor; h is not projected there, it is definite by the choice of surface       (thesis 2.14)
//     constant  P = p(c)                                                                       (irving-2004, withdrawn)
//     none      P = p(s)
#include "math/definite3_w.h"
#include "model_w.h"

typedef struct
{
    pl_numbers_w numbers;
    pl_real_w low, high, curvature, low_stress, high_stress;
    bool flat;
} params_w;

// ---- extensions: law at the stretches s, where `model` is valid only inside [low, high] -----------------------

PL_INLINE void clamp(const params_w *m, const pl_real_w s[3], pl_real_w c[3], pl_real_w d[3])
{
    for (int i = 0; i < 3; ++i)
    {
        c[i] = pl_min_w(pl_max_w(s[i], m->low), m->high);
        d[i] = s[i] - c[i];
    }
}

PL_INLINE pl_mask_w any_moved(const pl_real_w d[3])
{
    pl_real_w zero = pl_set_w(0);
    return pl_not_w(pl_and_w(pl_eq_w(d[0], zero), pl_and_w(pl_eq_w(d[1], zero), pl_eq_w(d[2], zero))));
}

// One stretch of the default extension: c(s), its derivatives, and the penalty with its derivatives.
typedef struct
{
    pl_real_w c, slope, bend;  // c, c', c''
    pl_real_w g, push, harden; // g, g', g''
} smooth_clamp_w;

// Lower end with the floor a: y = s - a, z = depth below the upper end of the ramp. The upper end is the mirror image.
PL_INLINE smooth_clamp_w clamp_below(pl_real_w s, pl_real_w a, pl_real_w w, pl_real_w stress, pl_real_w k)
{
    pl_real_w zero = pl_set_w(0), y = s - a, inside = pl_max_w(y, -w), beyond = y - inside,
              z = pl_max_w(w - inside, zero), part = z / (2 * w);
    pl_mask_w on_ramp = pl_and_w(pl_gt_w(z, zero), pl_gt_w(y, -w));
    smooth_clamp_w out = {.c = pl_select_w(pl_gt_w(z, zero), a + inside + 0.5 * z * part, s),
                          .slope = 1 - part,
                          .bend = pl_select_w(on_ramp, 0.5 / w, zero)};
    out.push = part * (stress + k * y);
    out.harden = part * k - out.bend * (stress + k * y);
    out.g = z * part * (k * z * (1 / 3.0) - 0.5 * (stress + k * w)) + beyond * (stress + k * (0.5 * beyond - w));
    return out;
}

// Half the ramps: below [low - 2 w, low], above [high, high + 2 w]. material.c has the same.
PL_INLINE pl_real_w low_width(pl_real_w low)
{
    return pl_select_w(pl_gt_w(low, pl_set_w(0)), pl_min_w(pl_set_w(0.1), 0.25 * low), pl_set_w(0.1));
}
PL_INLINE pl_real_w high_width(pl_real_w high) { return pl_min_w(pl_set_w(0.1), 0.5 * (high - 1)); }

PL_INLINE smooth_clamp_w clamp_smoothly(const params_w *m, pl_real_w s)
{
    pl_real_w w = low_width(m->low), v = high_width(m->high);
    smooth_clamp_w low = clamp_below(s, m->low - w, w, m->low_stress, m->curvature);
    smooth_clamp_w high = clamp_below(-s, -(m->high + v), v, -m->high_stress, m->curvature);
    pl_mask_w upper = pl_gt_w(s, m->high);
    return (smooth_clamp_w){.c = pl_select_w(upper, -high.c, low.c),
                            .slope = pl_select_w(upper, high.slope, low.slope),
                            .bend = pl_select_w(upper, -high.bend, low.bend),
                            .g = pl_select_w(upper, high.g, low.g),
                            .push = pl_select_w(upper, -high.push, low.push),
                            .harden = pl_select_w(upper, high.harden, low.harden)};
}

PL_INLINE pl_mask_w any_outside(const params_w *m, const pl_real_w s[3])
{
    pl_mask_w out[3];
    for (int i = 0; i < 3; ++i)
        out[i] = pl_or_w(pl_lt_w(s[i], m->low), pl_gt_w(s[i], m->high));
    return pl_or_w(out[0], pl_or_w(out[1], out[2]));
}

PL_INLINE void extend_energy(const params_w *m, const model_w *model, const pl_real_w s[3], law_w *out)
{
    if (!pl_any_w(any_outside(m, s)))
    {
        whole_law(&m->numbers, model, s, out);
        return;
    }
    smooth_clamp_w e[3];
    pl_real_w c[3];
    for (int i = 0; i < 3; ++i)
    {
        e[i] = clamp_smoothly(m, s[i]);
        c[i] = e[i].c;
    }
    whole_law(&m->numbers, model, c, out);
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3;
        out->psi += e[i].g;
        out->h[i] = out->h[i] * e[i].slope * e[i].slope + out->p[i] * e[i].bend + e[i].harden;
        out->p[i] = out->p[i] * e[i].slope + e[i].push;
        out->h[pair[i][j]] *= e[i].slope * e[j].slope;
    }
}

PL_INLINE void add_linear(const pl_real_w h[6], const pl_real_w d[3], pl_real_w p[3])
{
    for (int i = 0; i < 3; ++i)
        p[i] += h[pair[i][0]] * d[0] + h[pair[i][1]] * d[1] + h[pair[i][2]] * d[2];
}

PL_INLINE void extend_linear(const params_w *m, const model_w *model, const pl_real_w s[3], law_w *out)
{
    pl_real_w c[3], d[3], definite[6];
    clamp(m, s, c, d);
    whole_law(&m->numbers, model, c, out);
    pl_mask_w moved = any_moved(d);
    out->psi = pl_select_w(moved, pl_set_w(__builtin_nan("")), out->psi);
    if (!pl_any_w(moved))
        return;
    pl_project_definite3_w(out->h, definite);
    add_linear(definite, d, out->p);
    for (int i = 0; i < 6; ++i)
        out->h[i] = pl_select_w(moved, definite[i], out->h[i]);
}

// Raise the smallest stretches to a common floor so that the product is `target`; unchanged if it is larger already.
PL_INLINE void raise_to_det(const pl_real_w s[3], pl_real_w target, pl_real_w c[3])
{
    pl_real_w tiny = pl_set_w(1e-100);
    pl_mask_w sound = pl_and_w(pl_gt_w(s[2], pl_set_w(0)), pl_ge_w(s[0] * s[1] * s[2], target));
    pl_real_w one = target / pl_max_w(s[0] * s[1], tiny);
    pl_real_w two = pl_sqrt_w(target / pl_max_w(s[0], tiny));
    pl_real_w three = pl_exp_w(pl_log_w(target) / 3);
    pl_mask_w raise_one = pl_le_w(one, s[1]);
    pl_mask_w raise_two = pl_le_w(two, s[0]);
    pl_real_w floor = pl_select_w(raise_one, one, pl_select_w(raise_two, two, three));
    for (int i = 0; i < 3; ++i)
        c[i] = pl_select_w(sound, s[i], pl_max_w(s[i], floor));
}

// The same for two stretches.
PL_INLINE void raise_to_flat_det(const pl_real_w s[3], pl_real_w target, pl_real_w c[3])
{
    pl_mask_w sound = pl_and_w(pl_gt_w(s[1], pl_set_w(0)), pl_ge_w(s[0] * s[1], target));
    pl_real_w one = target / pl_max_w(s[0], pl_set_w(1e-100)), two = pl_sqrt_w(target);
    pl_real_w floor = pl_select_w(pl_le_w(one, s[0]), one, two);
    for (int i = 0; i < 2; ++i)
        c[i] = pl_select_w(sound, s[i], pl_max_w(s[i], floor));
    c[2] = s[2];
}

PL_INLINE void extend_det(const params_w *m, const model_w *model, const pl_real_w s[3], law_w *out)
{
    pl_real_w c[3], d[3];
    if (m->flat)
        raise_to_flat_det(s, m->low * m->low, c);
    else
        raise_to_det(s, m->low * m->low * m->low, c);
    for (int i = 0; i < 3; ++i)
    {
        c[i] = pl_min_w(c[i], m->high);
        d[i] = s[i] - c[i];
    }
    whole_law(&m->numbers, model, c, out);
    out->psi = pl_select_w(any_moved(d), pl_set_w(__builtin_nan("")), out->psi);
    add_linear(out->h, d, out->p);
}

PL_INLINE void extend_constant(const params_w *m, const model_w *model, const pl_real_w s[3], law_w *out)
{
    pl_real_w c[3], d[3];
    clamp(m, s, c, d);
    whole_law(&m->numbers, model, c, out);
    out->psi = pl_select_w(any_moved(d), pl_set_w(__builtin_nan("")), out->psi);
}

PL_INLINE void extend_none(const params_w *m, const model_w *model, const pl_real_w s[3], law_w *out)
{
    whole_law(&m->numbers, model, s, out);
}

// ---- stiffness bound -------------------------------------------------------------------------------------------

// dP/dF has the eigenvalues of h, and for each pair of stretches (p_i - p_j)/(s_i - s_j) and (p_i + p_j)/(s_i + s_j)
// (opposite rotations). With t the largest coupling h_ij between different stretches, h is t times the matrix of ones
// (the square of a change of volume) plus a rest whose row sums bound it:
//
//     dF : dP <= t (tr dF)^2 + stiffness |dF|^2     in the principal frame,
//
// at rest lambda (tr)^2 + 2 mu |.|^2. Where two stretches are close the first ratio is an entry of h, and the row sums
// cover it; where they are apart it is formed. The second has a pole where an inverted stretch meets its neighbour; the
// force jumps there and stays bounded, so it is not a stiffness, and its contribution is limited.
PL_INLINE void take_larger(pl_real_w a, pl_real_w b, pl_real_w *top, pl_real_w *bottom)
{
    pl_mask_w larger = pl_gt_w(a * *bottom, *top * b);
    *top = pl_select_w(larger, a, *top);
    *bottom = pl_select_w(larger, b, *bottom);
}

PL_INLINE void stiffness_bound(const law_w *law, const pl_real_w s[3], pl_real_w *stiffness, pl_real_w *coupling)
{
    pl_real_w zero = pl_set_w(0);
    pl_real_w t = pl_max_w(zero, pl_max_w(law->h[3], pl_max_w(law->h[4], law->h[5])));
    pl_real_w below[3] = {t - law->h[3], t - law->h[4], t - law->h[5]}; // >= 0
    pl_real_w rows = pl_max_w(pl_max_w(law->h[0] - t + below[0] + below[1], law->h[1] - t + below[0] + below[2]),
                              law->h[2] - t + below[1] + below[2]);
    rows = pl_max_w(rows, zero);
    // the largest of three fractions each, compared without dividing; denominators are not negative
    pl_real_w shear = zero, apart = pl_set_w(1), turn = zero, sum = pl_set_w(1), close = 1e-3 * s[0] + 1e-12;
    for (int i = 0; i < 2; ++i)
        for (int j = i + 1; j < 3; ++j)
        {
            pl_mask_w formed = pl_gt_w(s[i] - s[j], close);
            take_larger(pl_select_w(formed, law->p[i] - law->p[j], zero), pl_select_w(formed, s[i] - s[j], pl_set_w(1)),
                        &shear, &apart);
            take_larger(law->p[i] + law->p[j], pl_max_w(s[i] + s[j], pl_set_w(1e-6)), &turn, &sum);
        }
    rows = pl_max_w(rows, shear / apart);
    *stiffness = pl_max_w(rows, pl_min_w(turn / sum, 4 * (rows + t)));
    *coupling = t;
}

// The same for two stretches in a plane: one pair, and, for a sheet in space, rotation out of its plane, p_i/s_i.
// Beyond the limits of a law its extended energy has little curvature, at a stress that may have risen steeply before:
// a wall. An element that runs into it within a step gains the factor q + q^2/4 in energy, q = p/|s - 1| dt^2/m. So a
// stretch beyond the limits counts as four times its average stiffness from rest, q <= 1, and a step that leads there
// is detected as overshooting (solid/semi_implicit.c).
PL_INLINE void flat_stiffness_bound(const params_w *m, const law_w *law, const pl_real_w s[3], pl_real_w *stiffness,
                                    pl_real_w *coupling)
{
    pl_real_w zero = pl_set_w(0), tiny = pl_set_w(1e-6);
    pl_real_w t = pl_max_w(zero, law->h[3]), below = t - law->h[3];
    pl_real_w rows = pl_max_w(zero, pl_max_w(law->h[0], law->h[1]) - t + below);
    for (int i = 0; i < 2; ++i)
    {
        pl_mask_w outside = pl_or_w(pl_lt_w(s[i], m->low), pl_gt_w(s[i], m->high));
        rows = pl_max_w(rows, pl_select_w(outside, 4 * pl_abs_w(law->p[i] / (s[i] - 1)), zero));
    }
    pl_real_w top = zero, bottom = pl_set_w(1), apart = s[0] - s[1];
    take_larger(law->p[0] + law->p[1], pl_max_w(s[0] + s[1], tiny), &top, &bottom);
    pl_mask_w formed = pl_gt_w(apart, 1e-3 * s[0] + 1e-12);
    take_larger(pl_select_w(formed, law->p[0] - law->p[1], zero), pl_select_w(formed, apart, pl_set_w(1)), &top,
                &bottom);
    for (int i = 0; i < 2; ++i)
        take_larger(law->p[i], pl_max_w(s[i], tiny), &top, &bottom);
    pl_real_w shear = top / bottom;
    *stiffness = pl_max_w(rows, pl_min_w(shear, 4 * (rows + t)));
    *coupling = t;
}

// ---- blocks of sixteen elements --------------------------------------------------------------------------------

typedef void extension(const params_w *m, const model_w *model, const pl_real_w s[3], law_w *out);

PL_INLINE params_w load_params(const pl__law *law, int numbers, const pl__material_block *b, int lane)
{
    params_w m = {{.mu = pl_load_w(&b->mu[lane]), .lambda = pl_load_w(&b->lambda[lane]), .law = law},
                  pl_load_w(&b->low[lane]),
                  pl_load_w(&b->high[lane]),
                  pl_load_w(&b->curvature[lane]),
                  pl_load_w(&b->low_stress[lane]),
                  pl_load_w(&b->high_stress[lane]),
                  law->flat};
    for (int k = 0; k < numbers; ++k)
        m.numbers.extra[k] = pl_load_w(&b->extra[k][lane]);
    return m;
}

PL_INLINE void evaluate(extension *extend, model_w model, const pl__law *kind, const pl__material_block *b,
                        const double (*sigma)[PL_BLOCK], int begin, int end, const pl__stress_block *out)
{
    for (int lane = begin; lane < end; lane += PL_LANES)
    {
        params_w m = load_params(kind, model.numbers, b, lane);
        pl_real_w s[3] = {pl_load_w(&sigma[0][lane]), pl_load_w(&sigma[1][lane]), pl_load_w(&sigma[2][lane])};
        law_w law;
        extend(&m, &model, s, &law);
        for (int i = 0; out->stress && i < 3; ++i)
            pl_store_w(&out->stress[i][lane], law.p[i]);
        if (out->energy)
            pl_store_w(&out->energy[lane], law.psi);
        for (int i = 0; out->hessian && i < 6; ++i)
            pl_store_w(&out->hessian[i][lane], law.h[i]);
        if (out->stiffness)
        {
            pl_real_w stiffness, coupling;
            if (model.function == linear)
            {
                stiffness = 2 * m.numbers.mu;
                coupling = pl_max_w(m.numbers.lambda, pl_set_w(0));
            }
            else if (kind->flat)
                flat_stiffness_bound(&m, &law, s, &stiffness, &coupling);
            else
                stiffness_bound(&law, s, &stiffness, &coupling);
            pl_store_w(&out->stiffness[lane], stiffness);
            pl_store_w(&out->coupling[lane], coupling);
        }
    }
}

PL_INLINE void choose_extension(model_w model, const pl__law *law, const pl__material_block *material,
                                const double (*sigma)[PL_BLOCK], int begin, int end, const pl__stress_block *out)
{
    switch (law->inversion)
    {
    case PL_INVERSION_ENERGY: evaluate(extend_energy, model, law, material, sigma, begin, end, out); break;
    case PL_INVERSION_LINEAR: evaluate(extend_linear, model, law, material, sigma, begin, end, out); break;
    case PL_INVERSION_DET: evaluate(extend_det, model, law, material, sigma, begin, end, out); break;
    case PL_INVERSION_CONSTANT: evaluate(extend_constant, model, law, material, sigma, begin, end, out); break;
    case PL_INVERSION_NONE: evaluate(extend_none, model, law, material, sigma, begin, end, out); break;
    }
}

PL_INLINE void choose(const pl__law *law, const pl__material_block *material, const double (*sigma)[PL_BLOCK],
                      int begin, int end, const pl__stress_block *out)
{
    switch (law->kind)
    {
#define PL_MODEL(name, kind, low, high, poisson, numbers, volume)                                                      \
    case kind:                                                                                                         \
        choose_extension((model_w){name, numbers, volume}, law, material, sigma, begin, end, out);                     \
        break;
#include "models.inl"
#undef PL_MODEL
    case PL_MATERIAL_CUSTOM:
        choose_extension((model_w){custom, 0, PL_VOLUME_NONE}, law, material, sigma, begin, end, out);
        break;
    }
}

void PL_KERNEL(pl__material_stress)(const pl__law *law, const pl__material_block *material,
                                    const double (*sigma)[PL_BLOCK], const pl__stress_block *out)
{
    choose(law, material, sigma, 0, PL_BLOCK, out);
}

#if PL_REGISTER_BYTES == 0
void pl__model_stress(const pl__law *law, const pl__material_params *params, const double stretch[3], double stress[3])
{
    pl_numbers_w m = {.mu = params->mu, .lambda = params->lambda, .law = law};
    for (int k = 0; k < PL_MATERIAL_EXTRAS; ++k)
        m.extra[k] = params->extra[k];
    law_w out;
    switch (law->kind)
    {
#define PL_MODEL(name, kind, low, high, poisson, numbers, volume)                                                      \
    case kind:                                                                                                         \
        whole_law(&m, &(model_w){name, numbers, volume}, stretch, &out);                                               \
        break;
#include "models.inl"
#undef PL_MODEL
    case PL_MATERIAL_CUSTOM: whole_law(&m, &(model_w){custom, 0, PL_VOLUME_NONE}, stretch, &out); break;
    }
    for (int i = 0; i < 3; ++i)
        stress[i] = out.p[i];
}

void pl__material_stress_lane(const pl__law *law, const pl__material_block *material, int32_t lane,
                              const double (*sigma)[PL_BLOCK], const pl__stress_block *out)
{
    choose(law, material, sigma, lane, lane + 1, out);
}
#endif
