// src/math/svd2.kernel.c -- the 2x2 and 3x2 decompositions over stored blocks.
#include "svd2.h"
#include "svd2_w.h"
#include "svd32.h"
#include "svd32_w.h"

static void store2(double (*block)[PL_BLOCK], int lane, pl_vec2_w a)
{
    pl_store_w(&block[0][lane], a.x[0]);
    pl_store_w(&block[1][lane], a.x[1]);
}

void PL_KERNEL(pl__svd2_batch)(int32_t block_count, const double (*F)[4][16], double (*U)[4][16],
                               double (*sigma)[2][16], double (*V)[4][16])
{
    for (int32_t n = 0; n < block_count; ++n)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_mat2_w f = pl_load22_w(F[n], lane), u, v;
            pl_vec2_w s;
            pl_svd2_w(&f, &u, &s, &v);
            pl_store22_w(U[n], lane, &u);
            store2(sigma[n], lane, s);
            pl_store22_w(V[n], lane, &v);
        }
}

void PL_KERNEL(pl__svd32_batch)(int32_t block_count, const double (*F)[6][16], double (*U)[6][16],
                                double (*sigma)[2][16], double (*V)[4][16])
{
    for (int32_t n = 0; n < block_count; ++n)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_mat32_w f = pl_load32_w(F[n], lane), u;
            pl_mat2_w v;
            pl_vec2_w s;
            pl_svd32_w(&f, &u, &s, &v);
            pl_store32_w(U[n], lane, &u);
            store2(sigma[n], lane, s);
            pl_store22_w(V[n], lane, &v);
        }
}
