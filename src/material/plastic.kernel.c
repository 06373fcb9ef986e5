// src/material/plastic.kernel.c -- plastic flow of sixteen elements from the decomposition of Fe, for tests.
#include "additive_w.h"

PL_INLINE void flow_block(int n, pl__plastic_block *block, double dt, double (*U)[PL_BLOCK], double (*sigma)[PL_BLOCK],
                          double (*V)[PL_BLOCK], double *flowed)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_shape_w fe = {pl_load33_w(U, lane), pl_load33_w(V, lane), pl_load3_w(sigma, lane)};
        pl_mat3_w inverse;
        pl_mask_w mask = pl_plastic_flow_w(n, block, lane, dt, &fe, &inverse);
        pl_store33_w(U, lane, &fe.U);
        pl_store33_w(V, lane, &fe.V);
        pl_store3_w(sigma, lane, fe.s);
        pl_store_w(&flowed[lane], pl_select_w(mask, pl_set_w(1), pl_set_w(0)));
    }
}

void PL_KERNEL(pl__plastic_flow_batch)(int32_t n, pl__plastic_block *block, double dt, double (*U)[PL_BLOCK],
                                       double (*sigma)[PL_BLOCK], double (*V)[PL_BLOCK], double *flowed)
{
    if (n == 3)
        flow_block(3, block, dt, U, sigma, V, flowed);
    else
        flow_block(2, block, dt, U, sigma, V, flowed);
}

void PL_KERNEL(pl__additive_flow_batch)(pl__plastic_block *block, double dt, const double (*sigma)[PL_BLOCK],
                                        const double (*W)[PL_BLOCK], double *flowed)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w axes = pl_load33_w(W, lane);
        pl_mask_w mask = pl_additive_flow_w(block, lane, dt, pl_load3_w(sigma, lane), &axes);
        pl_store_w(&flowed[lane], pl_select_w(mask, pl_set_w(1), pl_set_w(0)));
    }
}
