// src/element/tet_w.h -- deformation of sixteen tetrahedra, wide.
#ifndef PL_ELEMENT_TET_W_H
#define PL_ELEMENT_TET_W_H

#include "point_w.h"
#include "shape_w.h"
#include "tet.h"

typedef struct
{
    double U[9][PL_BLOCK], W[9][PL_BLOCK]; // column-major
    double sigma[3][PL_BLOCK];
    double J[PL_BLOCK]; // for linear elasticity
} pl_tet_shape_w;

PL_INLINE pl_mat3_w pl_tet_edges_w(const double *x, const pl__tet_rest *rest, int lane)
{
    pl_real_w x0[3];
    pl_mat3_w Ds;
    pl_gather3_w(x, &rest->node[0][lane], x0);
    for (int j = 0; j < 3; ++j)
    {
        pl_gather3_w(x, &rest->node[j + 1][lane], Ds.c[j].x);
        for (int i = 0; i < 3; ++i)
            Ds.c[j].x[i] -= x0[i];
    }
    return Ds;
}

PL_INLINE void pl_tet_store_shape_w(pl_tet_shape_w *b, int lane, const pl_mat3_w *U, pl_vec3_w sigma,
                                    const pl_mat3_w *W)
{
    pl_store33_w(b->U, lane, U);
    pl_store33_w(b->W, lane, W);
    pl_store3_w(b->sigma, lane, sigma);
}

// Two registers at a time: the decomposition is a chain of dependent operations, and two chains share the units.
PL_INLINE void pl_tet_measure_w(const double *x, const pl__tet_rest *rest, bool triangular, pl_tet_shape_w *b)
{
    enum
    {
        REGISTERS = 2
    };
    for (int lane = 0; lane < PL_BLOCK; lane += REGISTERS * PL_LANES)
    {
        pl_mat3_w F[REGISTERS], U[REGISTERS], W[REGISTERS];
        pl_vec3_w sigma[REGISTERS];
        for (int r = 0; r < REGISTERS; ++r)
        {
            pl_mat3_w Ds = pl_tet_edges_w(x, rest, lane + r * PL_LANES);
            F[r] = pl_deformation_w(&Ds, rest->inverse, lane + r * PL_LANES, triangular);
        }
        pl_svd3_n_w(REGISTERS, F, U, sigma, W);
        for (int r = 0; r < REGISTERS; ++r)
            pl_tet_store_shape_w(b, lane + r * PL_LANES, &U[r], sigma[r], &W[r]);
    }
}

// For linear elasticity.
static __attribute__((noinline, unused)) void pl_tet_measure_linear_w(const double *x, const pl__tet_rest *rest,
                                                                      pl_tet_shape_w *b)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w Ds = pl_tet_edges_w(x, rest, lane), U, W;
        pl_mat3_w F = pl_deformation_w(&Ds, rest->inverse, lane, false);
        pl_vec3_w sigma;
        pl_store_w(&b->J[lane], pl_decompose_linear_w(&F, &U, &sigma, &W));
        pl_tet_store_shape_w(b, lane, &U, sigma, &W);
    }
}

#endif
