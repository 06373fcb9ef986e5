// src/element/triangle_reference.c -- scalar reference implementation of the triangle kernels.
//
// One element at a time, in the order of the formulas, with the scalar decompositions. It shares nothing with the wide
// kernels except the pointwise material law, at scalar width.
#include "triangle.h"
#include "math/mat2.h"
#include "math/svd2.h"
#include "math/svd32.h"

// [u1-u0, u2-u0] B for nodal vectors u
static pl_mat32 gradient(const pl__triangle_rest *rest, int32_t lane, const double *u)
{
    pl_mat32 G = {0};
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 2; ++k)
            {
                double d = u[3 * rest->node[k + 1][lane] + i] - u[3 * rest->node[0][lane] + i];
                G.c[j][i] += d * rest->inverse[2 * j + k][lane];
            }
    return G;
}

// f = scale P B^T by column, and minus their sum at corner 0
static void spread(const pl__triangle_rest *rest, int32_t lane, const pl_mat32 *P, double scale, double force[3][3])
{
    for (int i = 0; i < 3; ++i)
    {
        force[0][i] = 0;
        for (int corner = 0; corner < 2; ++corner)
        {
            double sum = P->c[0][i] * rest->inverse[corner][lane] + P->c[1][i] * rest->inverse[2 + corner][lane];
            force[corner + 1][i] = scale * sum;
            force[0][i] -= scale * sum;
        }
    }
}

// U M V^T, M[row][column]
static pl_mat32 sandwich(const pl_mat32 *U, double M[2][2], const pl_mat2 *V)
{
    pl_mat32 A = {0};
    for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 2; ++l)
            for (int j = 0; j < 2; ++j)
                for (int i = 0; i < 3; ++i)
                    A.c[j][i] += U->c[k][i] * M[k][l] * V->c[l][j];
    return A;
}

static void decompose_planar(const pl_mat32 *F, pl_mat32 *U, double s[2], pl_mat2 *V)
{
    pl_mat2 F2 = {{{F->c[0][0], F->c[0][1]}, {F->c[1][0], F->c[1][1]}}}, U2;
    pl__svd2(&F2, &U2, s, V);
    *U = (pl_mat32){{{U2.c[0][0], U2.c[0][1], 0}, {U2.c[1][0], U2.c[1][1], 0}}};
}

// the sign of the area relative to the given normal
static double facing(const pl__triangle_rest *rest, int32_t lane, const double *x)
{
    pl_vec3 d[2];
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            d[j].v[i] = x[3 * rest->node[j + 1][lane] + i] - x[3 * rest->node[0][lane] + i];
    return pl_dot3(pl_cross3(d[0], d[1]),
                   pl_make3(rest->normal[0][lane], rest->normal[1][lane], rest->normal[2][lane]));
}

static void decompose(const pl__element_group *group, const pl__triangle_rest *rest, int32_t lane, const double *x,
                      pl_mat32 *U, double s[2], pl_mat2 *V)
{
    pl_mat32 F = gradient(rest, lane, x);
    if (group->planar)
    {
        decompose_planar(&F, U, s, V);
        return;
    }
    pl__svd32(&F, U, s, V);
    if (group->normals && facing(rest, lane, x) < 0)
    {
        s[1] = -s[1];
        for (int i = 0; i < 3; ++i)
            U->c[1][i] = -U->c[1][i];
    }
}

static double thread_energy(double k, double stiffening, double compression, double e)
{
    return e > 0 ? k * (e * e / 2 + stiffening * e * e * e / 3) : compression * k * e * e / 2;
}

static double thread_stress(double k, double stiffening, double compression, double e)
{
    return e > 0 ? k * (e + stiffening * e * e) : compression * k * e;
}

void pl__woven_stress(const pl__woven_block *w, int32_t lane, const double s[2], const double axis[2], double *psi,
                      double T[3])
{
    double c = axis[0], n = axis[1], e0 = s[0] - 1, e1 = s[1] - 1;
    double E[3] = {c * c * e0 + n * n * e1, n * n * e0 + c * c * e1, c * n * (e0 - e1)}, p[2];
    *psi = w->coupling[lane] * E[0] * E[1] + 2 * w->shear[lane] * E[2] * E[2];
    for (int i = 0; i < 2; ++i)
    {
        *psi += thread_energy(w->modulus[i][lane], w->stiffening[i][lane], w->compression[lane], E[i]);
        p[i] = thread_stress(w->modulus[i][lane], w->stiffening[i][lane], w->compression[lane], E[i]) +
               w->coupling[lane] * E[1 - i];
    }
    double shear = 2 * w->shear[lane] * E[2];
    T[0] = c * c * p[0] + 2 * c * n * shear + n * n * p[1];
    T[1] = n * n * p[0] - 2 * c * n * shear + c * c * p[1];
    T[2] = c * n * (p[1] - p[0]) + (c * c - n * n) * shear;
}

// P^ and the energy per volume at the stretches s and axes V
static void principal_stress(const pl__element_group *group, const pl__triangle_rest *rest, int32_t lane,
                             const double s[2], const pl_mat2 *V, double P[2][2], double *psi)
{
    if (group->woven)
    {
        double T[3], sum = s[0] + s[1] > 0.1 * s[0] ? s[0] + s[1] : 0.1 * s[0];
        pl__woven_stress(&rest->woven, lane, s, V->c[0], psi, T);
        P[0][0] = T[0];
        P[1][1] = T[1];
        P[0][1] = sum > 0 ? 2 * T[2] * s[0] / sum : 0;
        P[1][0] = sum > 0 ? 2 * T[2] * s[1] / sum : 0;
        return;
    }
    double sigma[3][PL_ELEMENT_LANES], p[3][PL_ELEMENT_LANES], energy[PL_ELEMENT_LANES];
    for (int i = 0; i < 3; ++i)
        sigma[i][lane] = i < 2 ? s[i] : 1;
    pl__material_stress_lane(&group->law, &rest->material, lane, sigma,
                             &(pl__stress_block){.stress = p, .energy = energy});
    P[0][0] = p[0][lane];
    P[1][1] = p[1][lane];
    P[0][1] = P[1][0] = 0;
    *psi = energy[lane];
}

static double keeping_share(pl_damping_model model, double smallest)
{
    if (model != PL_DAMPING_SWITCH)
        return model == PL_DAMPING_CONSERVING;
    double t = (smallest - 0.1) / 0.4;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

void pl__triangle_force_reference(const pl__element_group *group, int32_t triangle, const double *x, double strength,
                                  double force[3][3], double *energy, double A[6])
{
    const pl__triangle_rest *rest = &group->triangle[triangle / PL_ELEMENT_LANES];
    int32_t lane = triangle % PL_ELEMENT_LANES;
    pl_mat32 U;
    pl_mat2 V;
    double s[2], P[2][2], psi;
    decompose(group, rest, lane, x, &U, s, &V);
    principal_stress(group, rest, lane, s, &V, P, &psi);
    pl_mat32 stress = sandwich(&U, P, &V);
    spread(rest, lane, &stress, -strength * rest->volume[lane], force);
    if (energy)
        *energy = strength * rest->volume[lane] * psi;
    if (A)
    {
        double w = keeping_share(group->damping_model, s[1]), larger = s[0] > 1 ? s[0] : 1;
        double stretch[2][2] = {{(1 - w) + w * s[0] / larger, 0}, {0, (1 - w) + w * s[1] / larger}};
        pl_mat32 shape = sandwich(&U, stretch, &V);
        for (int k = 0; k < 6; ++k)
            A[k] = shape.c[k / 3][k % 3];
    }
}

void pl__triangle_damping_reference(const pl__element_group *group, int32_t triangle, const double *x, const double *v,
                                    double strength, double force[3][3])
{
    const pl__triangle_rest *rest = &group->triangle[triangle / PL_ELEMENT_LANES];
    int32_t lane = triangle % PL_ELEMENT_LANES;
    double unused[3][3], A[6], L[2][2], S[2][2];
    pl__triangle_force_reference(group, triangle, x, strength, unused, NULL, A);
    pl_mat32 G = gradient(rest, lane, v), P = {0};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            L[i][j] = A[3 * i] * G.c[j][0] + A[3 * i + 1] * G.c[j][1] + A[3 * i + 2] * G.c[j][2];
    double beta = rest->damping[lane] * rest->material.mu[lane],
           alpha = rest->damping[lane] * rest->material.lambda[lane];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            S[i][j] = beta * (L[i][j] + L[j][i]) + (i == j ? alpha * (L[0][0] + L[1][1]) : 0);
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            P.c[j][i] = A[i] * S[0][j] + A[3 + i] * S[1][j];
    spread(rest, lane, &P, strength * rest->volume[lane], force);
}
