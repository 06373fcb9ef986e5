// src/math/eig3.kernel.c -- pl_eig3_w over stored blocks.
#include "eig3.h"
#include "eig3_w.h"

void PL_KERNEL(pl__eig3_batch)(int32_t block_count, const double (*A)[9][16], double (*Q)[9][16],
                               double (*lambda)[3][16])
{
    for (int32_t n = 0; n < block_count; ++n)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_mat3_w a = pl_load33_w(A[n], lane), q;
            pl_vec3_w l;
            pl_eig3_w(&a, &q, &l);
            pl_store33_w(Q[n], lane, &q);
            pl_store3_w(lambda[n], lane, l);
        }
}
