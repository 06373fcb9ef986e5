// src/element/additive_plasticity_w.h -- stress of additive plastic strain at a quadrature point of sixteen elements.
//
// The energy per rest volume is that of the elastic part of the strain (material/additive_w.h),
//
//     psi = mu |e - p|^2 + lambda/2 tr(e - p)^2,      e = S - I,  F = R S,
//
// so that the stress of p, s = 2 mu p + lambda tr(p) I, rotated with the element, is subtracted from that of the law.
// Mueller & Gross 2004 subtract R s (their f_plastic). That is the gradient only while p has the axes of S: otherwise
// it exerts a torque on the element, and energy is not conserved. With T = W^T s W, s in the axes of S = W diag(sigma)
// W^T, the gradient is
//
//     P = U (diag(p) - T') W^T,      T'_ij = T_ij 2 sigma_i / (sigma_i + sigma_j),
//
// from S dS + dS S = F^T dF + dF^T F. For small strains the factors are 1. In inverted elements the denominator is a
// sum of absolute values: no pole, and P F^T is still symmetric. In plain linear elasticity there is no rotation, and
// T' = T.
//
// Tangent matrices for implicit steps, K = R K_rest R^T with R fixed, ignore p (element/tangent_w.h), and so do gains.
// The bound on the stiffness does not: geometric stiffness resists rotation of the axes, and depends on e - p.
#ifndef PL_ELEMENT_ADDITIVE_PLASTICITY_W_H
#define PL_ELEMENT_ADDITIVE_PLASTICITY_W_H

#include "element.h"
#include "material/additive_w.h"

// A block of points: material, plastic state, and F = U diag(sigma) W^T.
typedef struct
{
    const pl__law *law;
    const pl__material_block *material;
    pl__plastic_block *plastic;
    double (*U)[PL_BLOCK], (*sigma)[PL_BLOCK], (*W)[PL_BLOCK];
} pl_relieved_w;

typedef struct
{
    double stress[9][PL_BLOCK]; // -U T' W^T, to be added to the stress of the law [Pa], by column
    double strain2[PL_BLOCK];   // |e - p|^2
} pl_relief_w;

// T' from T
PL_INLINE pl_mat3_w pl_relief_gradient_w(const pl_mat3_w *T, pl_vec3_w s)
{
    pl_mat3_w out = *T;
    for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 3; ++j)
        {
            pl_real_w both = 2.0 * T->c[j].x[i] / pl_max_w(pl_abs_w(s.x[i]) + pl_abs_w(s.x[j]), pl_set_w(1e-30));
            out.c[j].x[i] = s.x[i] * both;
            out.c[i].x[j] = s.x[j] * both;
        }
    return out;
}

// The bound of material/stress.kernel.c with principal stresses p, including the off-diagonal entries of T.
PL_INLINE pl_real_w pl_relief_stiffness_w(pl_real_w mu, pl_real_w lambda, const pl_real_w p[3], const pl_mat3_w *T,
                                          pl_vec3_w s)
{
    pl_real_w zero = pl_set_w(0), rows = 2.0 * mu + pl_max_w(-lambda, zero), turn = zero, pull[3];
    for (int i = 0; i < 3; ++i)
        pull[i] = p[i] + (pl_abs_w(T->c[(i + 1) % 3].x[i]) + pl_abs_w(T->c[(i + 2) % 3].x[i]));
    for (int i = 0; i < 2; ++i)
        for (int j = i + 1; j < 3; ++j)
            turn = pl_max_w(turn, (pull[i] + pull[j]) / pl_max_w(s.x[i] + s.x[j], pl_set_w(1e-6)));
    return pl_max_w(rows, pl_min_w(turn, 4.0 * (rows + pl_max_w(lambda, zero))));
}

// e - p of a point, in the axes of S, and T.
PL_INLINE void pl_relief_measure_w(const pl_relieved_w *b, int lane, pl_real_w mu, pl_real_w lambda, pl_mat3_w *d,
                                   pl_mat3_w *T)
{
    pl_mat3_w w = pl_load33_w(b->W, lane), p = pl_additive_strain_w(b->plastic, lane);
    p = pl_mul33_w(&p, &w);
    p = pl_mult33_w(&w, &p);
    pl_real_w pressure = lambda * pl_trace3_w(&p), zero = pl_set_w(0);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            d->c[j].x[i] = (i == j ? pl_load_w(&b->sigma[i][lane]) - 1.0 : zero) - p.c[j].x[i];
            T->c[j].x[i] = 2.0 * mu * p.c[j].x[i] + (i == j ? pressure : zero);
        }
}

PL_INLINE void pl_relief_store_w(const pl_relieved_w *b, int lane, const pl_mat3_w *T, pl_relief_w *out)
{
    pl_mat3_w u = pl_load33_w(b->U, lane), w = pl_load33_w(b->W, lane), P = pl_mul33_w(&u, T);
    P = pl_mul33t_w(&P, &w);
    for (int j = 0; j < 3; ++j)
        pl_store3_w(&out->stress[3 * j], lane, pl_neg3_w(P.c[j]));
}

// The plastic stress of a block; energy (NULL: not wanted) and stiffness replace those of the law.
static __attribute__((noinline, unused)) void pl_relieve_w(const pl_relieved_w *b, double *energy, double *stiffness,
                                                           pl_relief_w *out)
{
    bool turns = b->law->kind != PL_MATERIAL_LINEAR;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w mu = pl_load_w(&b->material->mu[lane]), lambda = pl_load_w(&b->material->lambda[lane]), stress[3];
        pl_mat3_w d, T;
        pl_relief_measure_w(b, lane, mu, lambda, &d, &T);
        pl_real_w trace = pl_trace3_w(&d), size2 = pl_inner33_w(&d, &d);
        pl_store_w(&out->strain2[lane], size2);
        if (energy)
            pl_store_w(&energy[lane], mu * size2 + 0.5 * lambda * (trace * trace));
        if (turns)
        {
            pl_vec3_w s = pl_load3_w(b->sigma, lane);
            for (int i = 0; i < 3; ++i)
                stress[i] = 2.0 * mu * d.c[i].x[i] + lambda * trace;
            pl_store_w(&stiffness[lane], pl_relief_stiffness_w(mu, lambda, stress, &T, s));
            T = pl_relief_gradient_w(&T, s);
        }
        pl_relief_store_w(b, lane, &T, out);
    }
}

// Component i of the contribution to coordinate c of the slopes: (stress b_c)_i.
PL_INLINE pl_real_w pl_relief_share_w(const pl_relief_w *relief, const double (*inverse)[PL_BLOCK], int lane, int c,
                                      int i)
{
    pl_real_w sum = pl_load_w(&relief->stress[i][lane]) * pl_load_w(&inverse[c][lane]);
    for (int j = 1; j < 3; ++j)
        sum += pl_load_w(&relief->stress[3 * j + i][lane]) * pl_load_w(&inverse[3 * j + c][lane]);
    return sum;
}

// Plastic flow of sixteen points over dt. Rest shapes do not change.
static __attribute__((noinline, unused)) void pl_flow_additive_w(const pl_relieved_w *b, double dt)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w w = pl_load33_w(b->W, lane);
        (void)pl_additive_flow_w(b->plastic, lane, dt, pl_load3_w(b->sigma, lane), &w);
    }
}

#endif
