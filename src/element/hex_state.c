// src/element/hex_state.c -- stress, strain and energy of hexahedra, one state per element, for output.
//
// Each quadrature point has a state like a tetrahedron (element/tet_state.c). Elements are drawn in one colour, so the
// points are combined: means weighted by rest volume, but extremes for warnings (an inverted point, the largest
// stretch). Stresses are averaged as matrices, since each point has its own axes; the axes of the mean are its
// eigenvectors.
#include "hex_state.h"
#include "math/eig3.h"

#include <math.h>

typedef struct
{
    double volume, J, least_J, stretch, energy;
    pl_mat3 cauchy;
} point_sum;

// F = sum_a (x_a - x_0) (dN_a/dxi)^T B for every lane
static void deformation(const pl__hex_rest *rest, int q, const double *x, double F[9][PL_ELEMENT_LANES])
{
    double slope[PL_HEX_CORNERS][3];
    pl__hex_slopes(q, slope);
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
    {
        const double *x0 = &x[3 * (size_t)rest->node[0][lane]];
        for (int i = 0; i < 3; ++i)
        {
            double d[3] = {0};
            for (int a = 1; a < PL_HEX_CORNERS; ++a)
                for (int k = 0; k < 3; ++k)
                    d[k] += slope[a][k] * (x[3 * (size_t)rest->node[a][lane] + (size_t)i] - x0[i]);
            for (int j = 0; j < 3; ++j)
            {
                const double(*B)[PL_ELEMENT_LANES] = &rest->inverse[q][3 * j];
                F[3 * j + i][lane] = d[0] * B[0][lane] + d[1] * B[1][lane] + d[2] * B[2][lane];
            }
        }
    }
}

static void add_point(double volume, const pl__element_state *state, point_sum *sum)
{
    double cauchy[9];
    pl__element_state_cauchy(state, cauchy);
    sum->volume += volume;
    sum->J += volume * state->J;
    sum->energy += volume * state->energy;
    sum->least_J = fmin(sum->least_J, state->J);
    sum->stretch = fmax(sum->stretch, state->stretch);
    for (int k = 0; k < 9; ++k)
        sum->cauchy.c[k / 3][k % 3] += volume * cauchy[k];
}

static void summarize(const point_sum *sum, pl__element_state *state)
{
    double share = sum->volume > 0 ? 1 / sum->volume : 0;
    pl_mat3 cauchy = sum->cauchy;
    for (int k = 0; k < 9; ++k)
        cauchy.c[k / 3][k % 3] *= share;
    state->J = sum->least_J > 0 ? share * sum->J : sum->least_J;
    state->stretch = sum->stretch;
    state->energy = share * sum->energy;
    pl__eig3(&cauchy, &state->axes, state->principal);
}

void pl__hex_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                         int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES])
{
    const pl__hex_rest *rest = &group->hex[block];
    point_sum sum[PL_ELEMENT_LANES] = {{0}};
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
        sum[lane].least_J = INFINITY;
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        double F[9][PL_ELEMENT_LANES];
        deformation(rest, q, x, F);
        pl__deformed_block_state(group, block, &rest->material, F, strength, register_bytes, state);
        if (group->additive)
            pl__relieved_block_state(group, &rest->material, &group->plastic[PL_HEX_POINTS * block + q], F, strength,
                                     register_bytes, state);
        else if (group->plastic)
            pl__grown_block_state(&group->plastic[PL_HEX_POINTS * block + q], state);
        for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
            add_point(rest->volume[q][lane], &state[lane], &sum[lane]);
    }
    for (int lane = 0; lane < PL_ELEMENT_LANES; ++lane)
        summarize(&sum[lane], &state[lane]);
}
