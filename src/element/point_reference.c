// src/element/point_reference.c -- scalar reference of one quadrature point of a solid element, oracle of the wide
// kernels.
//
// In the order of the formulas, with the scalar decomposition. It shares nothing with the wide kernels except the
// pointwise material law, at scalar width.
#include "point_reference.h"
#include "fibers.h"
#include "plasticity.h"
#include "math/eig3.h"
#include "math/svd3.h"

#include <math.h>

static pl_mat3 scaled_product(const pl_mat3 *U, const double d[3], const pl_mat3 *W)
{
    pl_mat3 A = {0};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                A.c[j][i] += U->c[k][i] * d[k] * W->c[k][j];
    return A;
}

static double keeping_share(pl_damping_model model, double smallest)
{
    if (model != PL_DAMPING_SWITCH)
        return model == PL_DAMPING_CONSERVING;
    double t = (smallest - 0.1) / 0.4;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

static pl_mat3 damping_shape(pl_damping_model model, const pl_mat3 *U, const double s[3], const pl_mat3 *W)
{
    double w = keeping_share(model, s[2]), larger = s[0] > 1 ? s[0] : 1, stretch[3];
    for (int i = 0; i < 3; ++i)
        stretch[i] = (1 - w) + w * s[i] / larger;
    return scaled_product(U, stretch, W);
}

// Decomposition for plain linear elasticity (shape_w.h).
static void decompose_linear(const pl_mat3 *F, pl_mat3 *U, double s[3], pl_mat3 *W)
{
    pl_mat3 S;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            S.c[j][i] = 0.5 * (F->c[j][i] + F->c[i][j]);
    pl__eig3(&S, U, s);
    *W = *U;
}

// Minus the stress of additive plastic strain, and the elastic energy (additive_plasticity_w.h): P = -2 F X, where S X
// + X S = s, in the axes of S.
static void relieve(const pl__point_place *place, const pl_mat3 *U, const double s[3], const pl_mat3 *W, pl_mat3 *P,
                    double *psi)
{
    const pl__element_group *group = place->group;
    double state[PL_ELEMENT_CORNERS * PL_FLOW_NUMBERS], mu = place->material->mu[place->lane],
                                                        lambda = place->material->lambda[place->lane];
    pl_mat3 p, one = pl_identity3(), Wt = pl_transpose3(W), T;
    pl__plasticity_get(group, PL_ELEMENT_LANES * place->block + place->lane, state);
    for (int k = 0; k < 9; ++k)
        p.c[k / 3][k % 3] = state[PL_FLOW_NUMBERS * place->point + k] - one.c[k / 3][k % 3];
    p = pl_mul33(&p, W);
    p = pl_mul33(&Wt, &p);
    double trace = s[0] + s[1] + s[2] - 3 - (p.c[0][0] + p.c[1][1] + p.c[2][2]), size2 = 0;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            double d = (i == j ? s[i] - 1 : 0) - p.c[j][i],
                   stress = 2 * mu * p.c[j][i] + (i == j ? lambda * (p.c[0][0] + p.c[1][1] + p.c[2][2]) : 0);
            bool turns = i != j && group->law.kind != PL_MATERIAL_LINEAR;
            T.c[j][i] = -stress * (turns ? 2 * s[i] / (fabs(s[i]) + fabs(s[j])) : 1);
            size2 += d * d;
        }
    T = pl_mul33(U, &T);
    T = pl_mul33(&T, &Wt);
    *P = pl_axpy33(1, &T, P);
    if (psi)
        *psi = mu * size2 + 0.5 * lambda * trace * trace;
}

pl_mat3 pl__point_stress_reference(const pl__point_place *place, const pl_mat3 *F, double *psi, pl_mat3 *A)
{
    pl_mat3 U, W;
    int32_t lane = place->lane;
    double s[3], sigma[3][PL_ELEMENT_LANES], p[3][PL_ELEMENT_LANES], energy[PL_ELEMENT_LANES];
    if (place->group->law.kind == PL_MATERIAL_LINEAR)
        decompose_linear(F, &U, s, &W);
    else
        pl__svd3(F, &U, s, &W);
    for (int i = 0; i < 3; ++i)
        sigma[i][lane] = s[i];
    pl__stress_block out = {.stress = p, .energy = psi ? energy : NULL};
    pl__material_stress_lane(&place->group->law, place->material, lane, sigma, &out);
    if (psi)
        *psi = energy[lane];
    if (A)
        *A = damping_shape(place->group->damping_model, &U, s, &W);
    double principal[3] = {p[0][lane], p[1][lane], p[2][lane]};
    pl_mat3 P = scaled_product(&U, principal, &W);
    if (place->group->additive)
        relieve(place, &U, s, &W, &P, psi);
    if (place->group->fiber)
        pl__fibers_add_reference(&place->group->fiber[place->block], lane, F, &P, psi);
    return P;
}

pl_mat3 pl__point_damping_reference(const pl__point_place *place, const pl_mat3 *A, const pl_mat3 *G, double damping)
{
    pl_mat3 At = pl_transpose3(A), M = pl_mul33(&At, G), S;
    double beta = damping * place->material->mu[place->lane], alpha = damping * place->material->lambda[place->lane];
    double trace = M.c[0][0] + M.c[1][1] + M.c[2][2];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            S.c[j][i] = beta * (M.c[j][i] + M.c[i][j]) + (i == j ? alpha * trace : 0);
    return pl_mul33(A, &S);
}
