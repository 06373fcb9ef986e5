// src/element/tet_reference.c -- the plain scalar oracle of the tetrahedron kernels.
//
// One element at a time, in the order of the formulas, with the scalar decomposition. Nothing here is shared with the
// wide kernels but the pointwise material law, at its plain width.
#include "tet.h"
#include "math/mat3.h"
#include "math/svd3.h"

static pl_mat3 rest_inverse(const pl__tet_rest *rest, int32_t lane)
{
    pl_mat3 B;
    for (int k = 0; k < 9; ++k)
        B.c[k / 3][k % 3] = rest->inverse[k][lane];
    return B;
}

// [u1-u0, u2-u0, u3-u0] B for nodal vectors u
static pl_mat3 gradient(const pl__tet_rest *rest, int32_t lane, const double *u)
{
    pl_mat3 D, B = rest_inverse(rest, lane);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            D.c[j][i] = u[3 * rest->node[j + 1][lane] + i] - u[3 * rest->node[0][lane] + i];
    return pl_mul33(&D, &B);
}

// f = scale P B^T by column, and minus their sum at corner 0
static void spread(const pl__tet_rest *rest, int32_t lane, const pl_mat3 *P, double scale, double force[4][3])
{
    for (int i = 0; i < 3; ++i)
    {
        force[0][i] = 0;
        for (int corner = 0; corner < 3; ++corner)
        {
            double sum = 0;
            for (int j = 0; j < 3; ++j)
                sum += P->c[j][i] * rest->inverse[3 * j + corner][lane];
            force[corner + 1][i] = scale * sum;
            force[0][i] -= scale * sum;
        }
    }
}

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

void pl__tet_force_reference(const pl__element_group *group, int32_t tet, const double *x, double strength,
                             double force[4][3], double *energy, double A[9])
{
    const pl__tet_rest *rest = &group->tet[tet / PL_ELEMENT_LANES];
    int32_t lane = tet % PL_ELEMENT_LANES;
    pl_mat3 F = gradient(rest, lane, x), U, W;
    double s[3];
    pl__svd3(&F, &U, s, &W);

    double sigma[3][PL_ELEMENT_LANES], p[3][PL_ELEMENT_LANES], psi[PL_ELEMENT_LANES];
    for (int i = 0; i < 3; ++i)
        sigma[i][lane] = s[i];
    pl__stress_block out = {.stress = p, .energy = energy ? psi : NULL};
    pl__material_stress_lane(&group->law, &rest->material, lane, sigma, &out);
    double principal[3] = {p[0][lane], p[1][lane], p[2][lane]};
    pl_mat3 P = scaled_product(&U, principal, &W);
    spread(rest, lane, &P, -strength * rest->volume[lane], force);
    if (energy)
        *energy = strength * rest->volume[lane] * psi[lane];
    if (A)
    {
        double w = keeping_share(group->damping_model, s[2]), larger = s[0] > 1 ? s[0] : 1, stretch[3];
        for (int i = 0; i < 3; ++i)
            stretch[i] = (1 - w) + w * s[i] / larger;
        pl_mat3 shape = scaled_product(&U, stretch, &W);
        for (int k = 0; k < 9; ++k)
            A[k] = shape.c[k / 3][k % 3];
    }
}

void pl__tet_damping_reference(const pl__element_group *group, int32_t tet, const double *x, const double *v, double strength,
                               double force[4][3])
{
    const pl__tet_rest *rest = &group->tet[tet / PL_ELEMENT_LANES];
    int32_t lane = tet % PL_ELEMENT_LANES;
    double unused[4][3], a[9];
    pl__tet_force_reference(group, tet, x, strength, unused, NULL, a);
    pl_mat3 A, G = gradient(rest, lane, v);
    for (int k = 0; k < 9; ++k)
        A.c[k / 3][k % 3] = a[k];
    pl_mat3 At = pl_transpose3(&A), M = pl_mul33(&At, &G), S;
    double beta = rest->damping[lane] * rest->material.mu[lane], alpha = rest->damping[lane] * rest->material.lambda[lane];
    double trace = M.c[0][0] + M.c[1][1] + M.c[2][2];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            S.c[j][i] = beta * (M.c[j][i] + M.c[i][j]) + (i == j ? alpha * trace : 0);
    pl_mat3 P = pl_mul33(&A, &S);
    spread(rest, lane, &P, strength * rest->volume[lane], force);
}
