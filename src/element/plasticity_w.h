// src/element/plasticity_w.h -- return mapping at a quadrature point of sixteen elements, between decomposition and
// stress.
//
// A force kernel that has U, sigma and W of Fe calls pl_flow_point_w and then, if some lane flowed, updates the rest
// shape, B' by pl_plastic_rest_w and gains by pl_plastic_gain_w or pl_plastic_rise_w, and decomposes again: the
// updated decomposition is correct only up to rounding, and forces must be a function of the state alone so that
// snapshots and divided steps give the same bits.
#ifndef PL_ELEMENT_PLASTICITY_W_H
#define PL_ELEMENT_PLASTICITY_W_H

#include "material/plastic_w.h"
#include "point_w.h"

// Store in the lanes of `where` only.
PL_INLINE void pl_update_w(double *at, pl_mask_w where, pl_real_w value)
{
    pl_store_w(at, pl_select_w(where, value, pl_load_w(at)));
}
PL_INLINE void pl_update33_w(double (*block)[PL_BLOCK], int lane, pl_mask_w where, const pl_mat3_w *A)
{
    for (int k = 0; k < 9; ++k)
        pl_update_w(&block[k][lane], where, A->c[k / 3].x[k % 3]);
}

// Return mapping of three stretches over dt. U, sigma and W become those of the new Fe; lanes that do not flow keep
// their bits.
PL_INLINE pl_mask_w pl_flow_point_w(pl__plastic_block *plastic, int lane, double dt, double (*U)[PL_BLOCK],
                                    double (*sigma)[PL_BLOCK], double (*W)[PL_BLOCK], pl_mat3_w *inverse)
{
    pl_shape_w fe = {pl_load33_w(U, lane), pl_load33_w(W, lane), pl_load3_w(sigma, lane)};
    pl_mask_w flowed = pl_plastic_flow_w(3, plastic, lane, dt, &fe, inverse);
    if (pl_any_w(flowed))
    {
        pl_store33_w(U, lane, &fe.U);
        pl_store33_w(W, lane, &fe.V);
        pl_store3_w(sigma, lane, fe.s);
    }
    return flowed;
}

// Return mapping of two stretches: U [6], sigma [2], V [4].
PL_INLINE pl_mask_w pl_flow_triangle_w(pl__plastic_block *plastic, int lane, double dt, double (*U)[PL_BLOCK],
                                       double (*sigma)[PL_BLOCK], double (*V)[PL_BLOCK], pl_mat3_w *inverse)
{
    pl_real_w zero = pl_set_w(0), one = pl_set_w(1);
    pl_mat32_w axes = pl_load32_w(U, lane);
    pl_mat2_w turn = pl_load22_w(V, lane);
    pl_shape_w fe = {pl_columns3_w(axes.c[0], axes.c[1], pl_make3_w(zero, zero, zero)), pl_embed2_w(&turn),
                     pl_make3_w(pl_load_w(&sigma[0][lane]), pl_load_w(&sigma[1][lane]), one)};
    pl_mask_w flowed = pl_plastic_flow_w(2, plastic, lane, dt, &fe, inverse);
    if (pl_any_w(flowed))
    {
        pl_store3_w(U, lane, fe.U.c[0]);
        pl_store3_w(U + 3, lane, fe.U.c[1]);
        for (int k = 0; k < 4; ++k)
            pl_store_w(&V[k][lane], fe.V.c[k / 2].x[k % 2]);
        for (int i = 0; i < 2; ++i)
            pl_store_w(&sigma[i][lane], fe.s.x[i]);
    }
    return flowed;
}

// Correct the sums, which have V det Fe as the volume of a point, to V det Fe det Fp. Strains there are elastic.
PL_INLINE void pl_add_growth_w(const pl__plastic_block *plastic, int lane, pl_real_w volume, pl_real_w J,
                               pl__element_sums *sums)
{
    pl_mat3_w Fp = pl_load33_w(plastic->Fp, lane);
    pl_add_to_w(&sums->volume[lane], volume * J * (pl_det3_w(&Fp) - 1.0));
}

#endif
