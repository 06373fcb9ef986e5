// src/element/tet_reference.c -- scalar reference implementation of the tetrahedron kernels.
//
// One element at a time, in the order of the formulas: one quadrature point (element/point_reference.c), and the
// edges.
#include "point_reference.h"
#include "tet.h"

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

void pl__tet_force_reference(const pl__element_group *group, int32_t tet, const double *x, double strength,
                             double force[4][3], double *energy, double A[9])
{
    const pl__tet_rest *rest = &group->tet[tet / PL_ELEMENT_LANES];
    int32_t lane = tet % PL_ELEMENT_LANES;
    pl_mat3 F = gradient(rest, lane, x), shape;
    double psi;
    pl__point_place place = {group, &rest->material, tet / PL_ELEMENT_LANES, lane, 0};
    pl_mat3 P = pl__point_stress_reference(&place, &F, energy ? &psi : NULL, A ? &shape : NULL);
    spread(rest, lane, &P, -strength * rest->volume[lane], force);
    if (energy)
        *energy = strength * rest->volume[lane] * psi;
    for (int k = 0; A && k < 9; ++k)
        A[k] = shape.c[k / 3][k % 3];
}

void pl__tet_damping_reference(const pl__element_group *group, int32_t tet, const double *x, const double *v,
                               double strength, double force[4][3])
{
    const pl__tet_rest *rest = &group->tet[tet / PL_ELEMENT_LANES];
    int32_t lane = tet % PL_ELEMENT_LANES;
    pl_mat3 F = gradient(rest, lane, x), G = gradient(rest, lane, v), A;
    pl__point_place place = {group, &rest->material, tet / PL_ELEMENT_LANES, lane, 0};
    (void)pl__point_stress_reference(&place, &F, NULL, &A);
    pl_mat3 P = pl__point_damping_reference(&place, &A, &G, rest->damping[lane]);
    spread(rest, lane, &P, strength * rest->volume[lane], force);
}
