// src/material/stress.kernel.c -- from principal stretches to principal stresses, in every configuration.
//
// A model gives psi(s), its gradient p and Hessian h for stretches inside [low, high]. Outside, with c the stretches
// clamped to that interval, d = s - c, and C the set of clamped entries, the default extension is
//
//     psi_ext = psi(c) + sum_C p_i(c) d_i + k/2 sum_C d_i^2                    (first order plus constant curvature)
//     P_j     = p_j(c) + k d_j                  for j in C
//     P_j     = p_j(c) + sum_C h_ij(c) d_i      otherwise
//
// (in the spirit of Stomakhin et al. 2012). k is a constant: with the Hessian's own curvature the energy is unbounded
// below for neo-Hookean when the other stretches grow, and every trial exploded. The volume term of models.inl is a polynomial
// and taken at s itself. The papers' other rules treat the law as a whole:
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
    pl_real_w low, high, curvature;
    bool flat;
} params_w;

// ---- the extensions: law at the stretches s, where `model` is sound only inside [low, high] -------------------

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

// Change of the Hessian along d, by a difference towards the inside; 0 where d is. Good to four digits, enough for the
// length of a step.
PL_INLINE void change_of_hessian(const params_w *m, const model_w *model, const pl_real_w c[3], const pl_real_w d[3],
                                 const pl_real_w h[6], pl_real_w change[6])
{
    pl_real_w reach = pl_max_w(pl_abs_w(d[0]), pl_max_w(pl_abs_w(d[1]), pl_max_w(pl_abs_w(d[2]), pl_set_w(1e-100))));
    pl_real_w step = 1e-5 / reach, inside[3], psi, p[3];
    for (int i = 0; i < 3; ++i)
        inside[i] = c[i] - step * d[i];
    model->function(&m->numbers, inside, &psi, p, change);
    for (int i = 0; i < 6; ++i)
        change[i] = (h[i] - change[i]) * (1e5 * reach);
}

PL_INLINE void extend_energy(const params_w *m, const model_w *model, const pl_real_w s[3], law_w *out)
{
    pl_real_w c[3], d[3], p[3], h[6], change[6];
    clamp(m, s, c, d);
    model->function(&m->numbers, c, &out->psi, p, h);
    for (int i = 0; i < 6; ++i)
        change[i] = pl_set_w(0);
    if (pl_any_w(any_moved(d)))
        change_of_hessian(m, model, c, d, h, change);
    pl_mask_w free[3];
    for (int i = 0; i < 3; ++i)
    {
        free[i] = pl_eq_w(s[i], c[i]);
        out->psi += d[i] * (p[i] + 0.5 * m->curvature * d[i]);
    }
    for (int j = 0; j < 3; ++j)
    {
        int a = (j + 1) % 3, b = (j + 2) % 3, ab = pair[a][b];
        out->p[j] = p[j] + pl_select_w(free[j], h[pair[j][a]] * d[a] + h[pair[j][b]] * d[b], m->curvature * d[j]);
        out->h[j] = pl_select_w(free[j], h[j] + change[j], m->curvature);
        // two clamped entries do not see each other
        out->h[ab] = pl_select_w(pl_or_w(free[a], free[b]), h[ab] + pl_select_w(pl_and_w(free[a], free[b]), change[ab], pl_set_w(0)), pl_set_w(0));
    }
    add_volume(&m->numbers, model->volume, s, out);
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

// The smallest stretches raised to a common floor so that the product is `target`; unchanged when it is larger already.
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

// ---- how stiff the element is now ------------------------------------------------------------------------------

// dP/dF has the eigenvalues of h, and for each pair of stretches (p_i - p_j)/(s_i - s_j) and (p_i + p_j)/(s_i + s_j)
// (two rotations against each other). With t the largest coupling h_ij between different stretches, h is t times the
// matrix of ones (the square of a change of volume) plus a rest whose row sums bound it:
//
//     dF : dP <= t (tr dF)^2 + stiffness |dF|^2     in the principal frame,
//
// at rest lambda (tr)^2 + 2 mu |.|^2. Where two stretches are close the first ratio is an entry of h, and the row sums cover
// it; where they are apart it is formed. The second has a pole where an inverted stretch meets its neighbour; the force jumps
// there and stays bounded, so it is not a stiffness, and what it may say is limited.
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
    // the largest of six fractions, compared without dividing; denominators are not negative
    pl_real_w top = zero, bottom = pl_set_w(1), close = 1e-3 * s[0] + 1e-12;
    for (int i = 0; i < 2; ++i)
        for (int j = i + 1; j < 3; ++j)
        {
            pl_real_w sum = pl_max_w(s[i] + s[j], pl_set_w(1e-6)), apart = s[i] - s[j];
            take_larger(law->p[i] + law->p[j], sum, &top, &bottom);
            pl_mask_w formed = pl_gt_w(apart, close);
            take_larger(pl_select_w(formed, law->p[i] - law->p[j], zero), pl_select_w(formed, apart, pl_set_w(1)), &top, &bottom);
        }
    pl_real_w shear = top / bottom;
    *stiffness = pl_max_w(rows, pl_min_w(shear, 4 * (rows + t)));
    *coupling = t;
}

// The same for two stretches in a plane: one pair, and, for a sheet in space, turning out of its plane, p_i/s_i. Beyond the limits of
// a law its energy goes on with little curvature from a stress that may have risen steeply before: a wall. What runs into a wall
// within a step comes back with q + q^2/4 more energy than it brought, q = p/|s - 1| dt^2/m. So a stretch out there counts as four
// times as stiff as it was on average from rest, q <= 1, and a step that leads there is seen to have leapt (solid/semi_implicit.c).
PL_INLINE void flat_stiffness_bound(const params_w *m, const law_w *law, const pl_real_w s[3], pl_real_w *stiffness, pl_real_w *coupling)
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
    take_larger(pl_select_w(formed, law->p[0] - law->p[1], zero), pl_select_w(formed, apart, pl_set_w(1)), &top, &bottom);
    for (int i = 0; i < 2; ++i)
        take_larger(law->p[i], pl_max_w(s[i], tiny), &top, &bottom);
    pl_real_w shear = top / bottom;
    *stiffness = pl_max_w(rows, pl_min_w(shear, 4 * (rows + t)));
    *coupling = t;
}

// ---- the sixteen elements of a block ---------------------------------------------------------------------------

typedef void extension(const params_w *m, const model_w *model, const pl_real_w s[3], law_w *out);

PL_INLINE params_w load_params(const pl__law *law, int numbers, const pl__material_block *b, int lane)
{
    params_w m = {{.mu = pl_load_w(&b->mu[lane]), .lambda = pl_load_w(&b->lambda[lane]), .law = law},
                  pl_load_w(&b->low[lane]), pl_load_w(&b->high[lane]), pl_load_w(&b->curvature[lane]), law->flat};
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

PL_INLINE void choose(const pl__law *law, const pl__material_block *material,
                      const double (*sigma)[PL_BLOCK], int begin, int end, const pl__stress_block *out)
{
    switch (law->kind)
    {
#define PL_MODEL(name, kind, low, high, poisson, numbers, volume)                                       \
    case kind: choose_extension((model_w){name, numbers, volume}, law, material, sigma, begin, end, out); break;
#include "models.inl"
#undef PL_MODEL
    case PL_MATERIAL_CUSTOM: choose_extension((model_w){custom, 0, PL_VOLUME_NONE}, law, material, sigma, begin, end, out); break;
    }
}

void PL_KERNEL(pl__material_stress)(const pl__law *law, const pl__material_block *material,
                                    const double (*sigma)[PL_BLOCK], const pl__stress_block *out)
{
    choose(law, material, sigma, 0, PL_BLOCK, out);
}

#if PL_REGISTER_BYTES == 0
void pl__material_stress_lane(const pl__law *law, const pl__material_block *material, int32_t lane,
                              const double (*sigma)[PL_BLOCK], const pl__stress_block *out)
{
    choose(law, material, sigma, lane, lane + 1, out);
}
#endif
