// src/element/state.c -- stress, strain and energy of elements of any kind, for output.
//
// Plastic strain is |log sqrt(Fp^T Fp)|, or |p| of additive plastic strain: the mean over an element's points.
#include "state.h"
#include "base/real_math.h"
#include "plasticity.h"
#include "hex_state.h"
#include "math/svd3.h"
#include "triangle.h"

#include <math.h>

static double logarithmic_size(const pl_mat3 *Fp)
{
    pl_mat3 U, V;
    double s[3], norm2 = 0;
    pl__svd3(Fp, &U, s, &V);
    for (int i = 0; i < 3; ++i)
        norm2 += pl__real_log(s[i]) * pl__real_log(s[i]);
    return sqrt(norm2);
}

// Of I + p.
static double strain_size(const pl_mat3 *Fp)
{
    double norm2 = 0;
    for (int k = 0; k < 9; ++k)
    {
        double p = Fp->c[k / 3][k % 3] - (k % 4 == 0);
        norm2 += p * p;
    }
    return sqrt(norm2);
}

static void add_flow(const pl__element_group *group, int32_t block, int32_t lane, pl__element_state *state)
{
    int32_t points = pl__plasticity_points(group->kind);
    for (int32_t q = 0; q < points; ++q)
    {
        const pl__plastic_block *plastic = &group->plastic[points * block + q];
        pl_mat3 Fp;
        for (int k = 0; k < 9; ++k)
            Fp.c[k / 3][k % 3] = plastic->Fp[k][lane];
        state->plastic += (group->additive ? strain_size(&Fp) : logarithmic_size(&Fp)) / points;
    }
}

static void measure(const pl__element_group *group, int32_t block, const double *x, double strength,
                    int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES])
{
    switch (group->kind)
    {
    case PL__TET: pl__tet_block_state(group, block, x, strength, register_bytes, state); return;
    case PL__HEX: pl__hex_block_state(group, block, x, strength, register_bytes, state); return;
    case PL__TRIANGLE: pl__triangle_block_state(group, block, x, strength, register_bytes, state); return;
    default: return;
    }
}

void pl__element_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                             int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES])
{
    measure(group, block, x, strength, register_bytes, state);
    for (int32_t lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        state[lane].plastic = 0;
        if (group->plastic)
            add_flow(group, block, lane, &state[lane]);
    }
}

// ---- gradients ---------------------------------------------------------------------------------------------------

// sum_a x_a slope_a^T times B, the columns of slopes
static void add_gradient(int32_t corners, const double (*x)[3], const double (*slope)[3],
                         const double (*B)[PL_ELEMENT_LANES], int32_t lane, double share, pl_mat3 *F)
{
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            for (int32_t a = 0; a < corners; ++a)
                for (int i = 0; i < 3; ++i)
                    F->c[j][i] += share * (x[a][i] - x[0][i]) * slope[a][k] * B[3 * j + k][lane];
}

static pl_mat3 triangle_gradient(const pl__triangle_rest *rest, int32_t lane, const double (*x)[3])
{
    double f[2][3], gram[3] = {0};
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            f[j][i] =
                (x[1][i] - x[0][i]) * rest->inverse[2 * j][lane] + (x[2][i] - x[0][i]) * rest->inverse[2 * j + 1][lane];
    for (int i = 0; i < 3; ++i)
    {
        gram[0] += f[0][i] * f[0][i];
        gram[1] += f[0][i] * f[1][i];
        gram[2] += f[1][i] * f[1][i];
    }
    double r00 = sqrt(gram[0]), r01 = r00 > 0 ? gram[1] / r00 : 0, r11 = sqrt(fmax(0, gram[2] - r01 * r01));
    return (pl_mat3){{{r00, 0, 0}, {r01, r11, 0}, {0, 0, 1}}};
}

pl_mat3 pl__element_gradient(const pl__element_group *group, int32_t element, const double (*x)[3])
{
    static const double edges[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t block = element / PL_ELEMENT_LANES, lane = element % PL_ELEMENT_LANES;
    pl_mat3 F = {0};
    if (group->kind == PL__TRIANGLE)
        return triangle_gradient(&group->triangle[block], lane, x);
    if (group->kind == PL__TET)
        add_gradient(4, x, edges, group->tet[block].inverse, lane, 1, &F);
    for (int q = 0; group->kind == PL__HEX && q < PL_HEX_POINTS; ++q)
    {
        double slope[PL_HEX_CORNERS][3];
        pl__hex_slopes(q, slope);
        add_gradient(PL_HEX_CORNERS, x, slope, group->hex[block].inverse[q], lane, 1.0 / PL_HEX_POINTS, &F);
    }
    return F;
}
