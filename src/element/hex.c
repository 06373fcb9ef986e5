// src/element/hex.c -- rest shapes of hexahedra.
#include "hex.h"
#include "math/mat3.h"
#include "math/svd3_batch.h"

#include <math.h>
#include <string.h>

// ---- shape functions ------------------------------------------------------------------------------------------------

// The end of the cube, 0 or 1, of corner `a` in direction d.
static int end_of(int a, int d)
{
    static const int ends[PL_HEX_CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    return ends[a][d];
}

void pl__hex_slopes(int32_t q, double slope[PL_HEX_CORNERS][3])
{
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
        for (int d = 0; d < 3; ++d)
        {
            slope[a][d] = end_of(a, d) ? 1 : -1;
            for (int e = 0; e < 3; ++e) // a corner at the near end has the larger share
                if (e != d)
                    slope[a][d] *= end_of(a, e) == (q >> e & 1) ? 1 - PL_HEX_GAUSS : PL_HEX_GAUSS;
        }
}

// dX/dxi at point q
static pl_mat3 jacobian(int q, const double X[PL_HEX_CORNERS][3])
{
    double slope[PL_HEX_CORNERS][3];
    pl_mat3 D = {0};
    pl__hex_slopes(q, slope);
    for (int a = 1; a < PL_HEX_CORNERS; ++a)
        for (int d = 0; d < 3; ++d)
            for (int i = 0; i < 3; ++i)
                D.c[d][i] += slope[a][d] * (X[a][i] - X[0][i]);
    return D;
}

double pl__hex_volume(const double X[PL_HEX_CORNERS][3], double point[PL_HEX_POINTS])
{
    double total = 0;
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        pl_mat3 D = jacobian(q, X);
        double volume = pl_det3(&D) / 8;
        if (point)
            point[q] = volume;
        total += volume;
    }
    return total;
}

// ---- frequency bound
// ------------------------------------------------------------------------------------------------

// Gradients in rest space, g_a(q) = B^T dN_a/dxi.
static void shape_gradients(const pl__hex_rest *rest, int32_t lane, int q, double g[PL_HEX_CORNERS][3])
{
    double slope[PL_HEX_CORNERS][3];
    pl__hex_slopes(q, slope);
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
        for (int j = 0; j < 3; ++j)
        {
            const double(*column)[PL_ELEMENT_LANES] = &rest->inverse[q][3 * j];
            g[a][j] = column[0][lane] * slope[a][0] + column[1][lane] * slope[a][1] + column[2][lane] * slope[a][2];
        }
}

void pl__hex_rest_stiffness(const pl__hex_rest *rest, int32_t lane, double corner[PL_HEX_CORNERS])
{
    double modulus = 2 * rest->material.mu[lane] + rest->material.lambda[lane], g[PL_HEX_CORNERS][3];
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
        corner[a] = 0;
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        shape_gradients(rest, lane, q, g);
        for (int a = 0; a < PL_HEX_CORNERS; ++a)
            corner[a] += rest->volume[q][lane] * modulus * (g[a][0] * g[a][0] + g[a][1] * g[a][1] + g[a][2] * g[a][2]);
    }
}

// A <- A A, for a symmetric A
static void square(double A[8][8])
{
    double S[8][8];
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
        {
            S[i][j] = 0;
            for (int k = 0; k < 8; ++k)
                S[i][j] += A[i][k] * A[k][j];
        }
    memcpy(A, S, sizeof S);
}

// Upper bound of the spectral radius of a symmetric A: (tr A^n)^(1/n), n = 128: at most 8^(1/128), 1.7 per cent, above
// it. Powers overflow, so each square is divided by its trace: if A_k+1 = A_k^2 / t_k, then the largest eigenvalues
// are related by l_k = sqrt(t_k l_k+1), and in the end l <= tr = 1. Overwrites `A`.
static double largest_eigenvalue(double A[8][8])
{
    enum
    {
        SQUARES = 7
    };
    double trace[SQUARES], bound = 1;
    for (int k = 0; k < SQUARES; ++k)
    {
        square(A);
        trace[k] = 0;
        for (int i = 0; i < 8; ++i)
            trace[k] += A[i][i];
        if (!(trace[k] > 0))
            return trace[k];
        for (int i = 0; i < 64; ++i)
            A[i / 8][i % 8] /= trace[k];
    }
    for (int k = SQUARES; k-- > 0;)
        bound = sqrt(trace[k] * bound);
    return bound;
}

// g_a(q) scaled by sqrt(w_q / m_a)
static void scaled_gradients(const pl__hex_rest *rest, int32_t lane, const double mass_share[PL_HEX_CORNERS],
                             double g[PL_HEX_POINTS][PL_HEX_CORNERS][3])
{
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        shape_gradients(rest, lane, q, g[q]);
        for (int a = 0; a < PL_HEX_CORNERS; ++a)
            for (int j = 0; j < 3; ++j)
                g[q][a][j] *= sqrt(rest->volume[q][lane] / mass_share[a]);
    }
}

static double stiffness_gain(double g[PL_HEX_POINTS][PL_HEX_CORNERS][3])
{
    double A[8][8] = {{0}};
    for (int q = 0; q < PL_HEX_POINTS; ++q)
        for (int a = 0; a < PL_HEX_CORNERS; ++a)
            for (int b = 0; b < PL_HEX_CORNERS; ++b)
                A[a][b] += g[q][a][0] * g[q][b][0] + g[q][a][1] * g[q][b][1] + g[q][a][2] * g[q][b][2];
    return largest_eigenvalue(A);
}

// The sum of the singular values of M_pq = sum_a g_a(p) g_a(q)^T for all pairs, sixteen at a time.
static void pair_sizes(double g[PL_HEX_POINTS][PL_HEX_CORNERS][3], double size[8][8])
{
    double M[4][9][16] = {{{0}}}, U[4][9][16], s[4][3][16], V[4][9][16];
    for (int pair = 0; pair < 64; ++pair)
        for (int a = 0; a < PL_HEX_CORNERS; ++a)
            for (int k = 0; k < 9; ++k)
                M[pair / 16][k][pair % 16] += g[pair / 8][a][k % 3] * g[pair % 8][a][k / 3];
    PL_PICK(16, pl__svd3_batch)(4, (const double(*)[9][16])M, U, s, V);
    for (int pair = 0; pair < 64; ++pair)
    {
        double(*of)[16] = s[pair / 16];
        int lane = pair % 16;
        size[pair / 8][pair % 8] = of[0][lane] + of[1][lane] + fabs(of[2][lane]);
    }
}

void pl__hex_rest_set_gain(pl__hex_rest *rest, int32_t lane, const double mass_share[PL_HEX_CORNERS])
{
    double g[PL_HEX_POINTS][PL_HEX_CORNERS][3], size[8][8];
    scaled_gradients(rest, lane, mass_share, g);
    pair_sizes(g, size);
    rest->gain[0][lane] = stiffness_gain(g);
    rest->gain[1][lane] = fmin(largest_eigenvalue(size), 3 * rest->gain[0][lane]);
}

// ---- lanes
// ----------------------------------------------------------------------------------------------------------

void pl__hex_rest_set_material(pl__hex_rest *rest, int32_t lane, const pl__material_params *material)
{
    rest->damping[lane] = material->damping;
    pl__material_block_set(&rest->material, lane, material);
}

void pl__hex_rest_set(pl__hex_rest *rest, int32_t lane, const int32_t node[PL_HEX_CORNERS],
                      const double X[PL_HEX_CORNERS][3], const pl__material_params *material)
{
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
        rest->node[a][lane] = node[a];
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        pl_mat3 D = jacobian(q, X), B = pl_inverse3(&D);
        for (int k = 0; k < 9; ++k)
            rest->inverse[q][k][lane] = B.c[k / 3][k % 3];
        rest->volume[q][lane] = pl_det3(&D) / 8;
    }
    pl__hex_rest_set_material(rest, lane, material);
}

void pl__hex_rest_clear(pl__hex_rest *rest, int32_t lane, int32_t node)
{
    static const pl__material_params nothing = {.low = 1, .high = 1};
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
        rest->node[a][lane] = node;
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        for (int k = 0; k < 9; ++k)
            rest->inverse[q][k][lane] = 0;
        rest->volume[q][lane] = 0;
    }
    rest->gain[0][lane] = rest->gain[1][lane] = 0;
    pl__hex_rest_set_material(rest, lane, &nothing);
}

double pl__hex_rest_volume(const pl__hex_rest *rest, int32_t lane)
{
    double sum = 0;
    for (int q = 0; q < PL_HEX_POINTS; ++q)
        sum += rest->volume[q][lane];
    return sum;
}

void pl__hex_rest_shares(const pl__hex_rest *rest, int32_t lane, double share[PL_HEX_CORNERS])
{
    static const int8_t corner_at[PL_HEX_CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int a = 0; a < PL_HEX_CORNERS; ++a)
    {
        share[a] = 0;
        for (int q = 0; q < PL_HEX_POINTS; ++q)
        {
            double N = 1;
            for (int d = 0; d < 3; ++d)
                N *= corner_at[a][d] == (q >> d & 1) ? 1 - PL_HEX_GAUSS : PL_HEX_GAUSS;
            share[a] += N * rest->volume[q][lane];
        }
    }
}
