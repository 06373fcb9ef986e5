// src/element/hex_reference.c -- scalar reference implementation of the hexahedron kernels.
//
// One element at a time, with the 8 x 3 matrices of thesis 2.10: at every point H holds dN_a/dxi, the gradient of
// nodal vectors u is [u_0 ... u_7] H B, and a stress P contributes w P (H B)_a to corner a (element/point_reference.c
// has the point itself).
#include "hex.h"
#include "point_reference.h"

// Rows of H B: the gradients of the shape functions in rest space.
static void gradients(const pl__hex_rest *rest, int32_t lane, int q, double HB[PL_HEX_CORNERS][3])
{
    double H[PL_HEX_CORNERS][3];
    pl__hex_slopes(q, H);
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
        for (int j = 0; j < 3; ++j)
        {
            HB[a][j] = 0;
            for (int d = 0; d < 3; ++d)
                HB[a][j] += H[a][d] * rest->inverse[q][3 * j + d][lane];
        }
}

static pl_mat3 gradient_of(const pl__hex_rest *rest, int32_t lane, double HB[PL_HEX_CORNERS][3], const double *u)
{
    pl_mat3 G = {0};
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                G.c[j][i] += u[3 * rest->node[a][lane] + i] * HB[a][j];
    return G;
}

static void add_pull(const pl_mat3 *P, double weight, double HB[PL_HEX_CORNERS][3], double force[PL_HEX_CORNERS][3])
{
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                force[a][i] += weight * P->c[j][i] * HB[a][j];
}

static void clear(double force[PL_HEX_CORNERS][3])
{
    for (int k = 0; k < 3 * PL_HEX_CORNERS; ++k)
        force[k / 3][k % 3] = 0;
}

void pl__hex_force_reference(const pl__element_group *group, int32_t hex, const double *x, double strength,
                             double force[PL_HEX_CORNERS][3], double *energy, double A[PL_HEX_POINTS][9])
{
    const pl__hex_rest *rest = &group->hex[hex / PL_ELEMENT_LANES];
    int32_t lane = hex % PL_ELEMENT_LANES;
    pl__point_place place = {group, &rest->material, hex / PL_ELEMENT_LANES, lane, 0};
    clear(force);
    if (energy)
        *energy = 0;
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        double HB[PL_HEX_CORNERS][3], psi, weight = strength * rest->volume[q][lane];
        place.point = q;
        gradients(rest, lane, q, HB);
        pl_mat3 F = gradient_of(rest, lane, HB, x), shape;
        pl_mat3 P = pl__point_stress_reference(&place, &F, energy ? &psi : NULL, A ? &shape : NULL);
        add_pull(&P, -weight, HB, force);
        if (energy)
            *energy += weight * psi;
        for (int k = 0; A && k < 9; ++k)
            A[q][k] = shape.c[k / 3][k % 3];
    }
}

void pl__hex_damping_reference(const pl__element_group *group, int32_t hex, const double *x, const double *v,
                               double strength, double force[PL_HEX_CORNERS][3])
{
    const pl__hex_rest *rest = &group->hex[hex / PL_ELEMENT_LANES];
    int32_t lane = hex % PL_ELEMENT_LANES;
    pl__point_place place = {group, &rest->material, hex / PL_ELEMENT_LANES, lane, 0};
    clear(force);
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        double HB[PL_HEX_CORNERS][3];
        gradients(rest, lane, q, HB);
        pl_mat3 F = gradient_of(rest, lane, HB, x), G = gradient_of(rest, lane, HB, v), A;
        (void)pl__point_stress_reference(&place, &F, NULL, &A);
        pl_mat3 P = pl__point_damping_reference(&place, &A, &G, rest->damping[lane]);
        add_pull(&P, strength * rest->volume[q][lane], HB, force);
    }
}
