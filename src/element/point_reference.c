// src/element/point_reference.c -- one quadrature point of a solid element, plainly: for the oracles of the wide kernels.
//
// In the order of the formulas, with the scalar decomposition. Nothing here is shared with the wide kernels but the pointwise
// material law, at its plain width.
#include "point_reference.h"
#include "fibers.h"
#include "math/eig3.h"
#include "math/svd3.h"

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

// What plain linear elasticity sees (shape_w.h).
static void decompose_linear(const pl_mat3 *F, pl_mat3 *U, double s[3], pl_mat3 *W)
{
    pl_mat3 S;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            S.c[j][i] = 0.5 * (F->c[j][i] + F->c[i][j]);
    pl__eig3(&S, U, s);
    *W = *U;
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
