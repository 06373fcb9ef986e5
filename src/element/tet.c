// src/element/tet.c -- rest shapes of tetrahedra.
#include "tet.h"
#include "math/eig3.h"
#include "math/mat3.h"

#include <math.h>

// Rotate rest space so that Dm becomes upper triangular: Dm = Q R, and an isotropic law is invariant under Q (thesis
// 2.3).
static pl_mat3 upper_triangular(const pl_mat3 *Dm)
{
    const double *d1 = Dm->c[0], *d2 = Dm->c[1], *d3 = Dm->c[2];
    double r11 = sqrt(d1[0] * d1[0] + d1[1] * d1[1] + d1[2] * d1[2]);
    double q1[3] = {d1[0] / r11, d1[1] / r11, d1[2] / r11};
    double r12 = q1[0] * d2[0] + q1[1] * d2[1] + q1[2] * d2[2];
    double w[3] = {d2[0] - r12 * q1[0], d2[1] - r12 * q1[1], d2[2] - r12 * q1[2]};
    double r22 = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    double q2[3] = {w[0] / r22, w[1] / r22, w[2] / r22};
    double q3[3] = {q1[1] * q2[2] - q1[2] * q2[1], q1[2] * q2[0] - q1[0] * q2[2], q1[0] * q2[1] - q1[1] * q2[0]};
    double r13 = q1[0] * d3[0] + q1[1] * d3[1] + q1[2] * d3[2];
    double r23 = q2[0] * d3[0] + q2[1] * d3[1] + q2[2] * d3[2];
    double r33 = q3[0] * d3[0] + q3[1] * d3[1] + q3[2] * d3[2];
    return (pl_mat3){{{r11, 0, 0}, {r12, r22, 0}, {r13, r23, r33}}};
}

// Gradient of the shape function of a corner: a row of B, minus their sum for corner 0.
static void shape_gradient(const pl__tet_rest *rest, int32_t lane, int corner, double b[3])
{
    for (int j = 0; j < 3; ++j)
    {
        const double(*column)[PL_ELEMENT_LANES] = &rest->inverse[3 * j];
        b[j] = corner ? column[corner - 1][lane] : -(column[0][lane] + column[1][lane] + column[2][lane]);
    }
}

void pl__tet_rest_stiffness(const pl__tet_rest *rest, int32_t lane, double corner[4])
{
    double modulus = 2 * rest->material.mu[lane] + rest->material.lambda[lane];
    for (int k = 0; k < 4; ++k)
    {
        double b[3];
        shape_gradient(rest, lane, k, b);
        corner[k] = rest->volume[lane] * modulus * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    }
}

void pl__tet_rest_set_gain(pl__tet_rest *rest, int32_t lane, const double mass_share[4])
{
    pl_mat3 G = {0}, vectors;
    for (int k = 0; k < 4; ++k)
    {
        double b[3];
        shape_gradient(rest, lane, k, b);
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                G.c[j][i] += rest->volume[lane] / mass_share[k] * b[i] * b[j];
    }
    double value[3];
    pl__eig3(&G, &vectors, value);
    rest->gain[0][lane] = value[0];
    rest->gain[1][lane] = value[0] + value[1] + value[2];
}

void pl__tet_rest_set_material(pl__tet_rest *rest, int32_t lane, const pl__material_params *material)
{
    rest->damping[lane] = material->damping;
    pl__material_block_set(&rest->material, lane, material);
}

void pl__tet_rest_set(pl__tet_rest *rest, int32_t lane, const int32_t node[4], const double X[4][3],
                      const pl__material_params *material, bool triangular)
{
    pl_mat3 Dm;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            Dm.c[j][i] = X[j + 1][i] - X[0][i];
    if (triangular)
        Dm = upper_triangular(&Dm);
    pl_mat3 B = pl_inverse3(&Dm);
    for (int i = 0; i < 4; ++i)
        rest->node[i][lane] = node[i];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            rest->inverse[3 * j + i][lane] = triangular && i > j ? 0 : B.c[j][i];
    rest->volume[lane] = pl_det3(&Dm) / 6;
    pl__tet_rest_set_material(rest, lane, material);
}

void pl__tet_rest_clear(pl__tet_rest *rest, int32_t lane, int32_t node)
{
    static const pl__material_params nothing = {.low = 1, .high = 1};
    for (int i = 0; i < 4; ++i)
        rest->node[i][lane] = node;
    for (int k = 0; k < 9; ++k)
        rest->inverse[k][lane] = 0;
    rest->volume[lane] = rest->damping[lane] = rest->gain[0][lane] = rest->gain[1][lane] = 0;
    pl__material_block_set(&rest->material, lane, &nothing);
}
