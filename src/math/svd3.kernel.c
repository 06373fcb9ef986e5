// src/math/svd3.kernel.c -- pl_svd3_n_w over stored blocks.
#include "svd3_batch.h"
#include "svd3_w.h"

enum
{
    REGISTERS = 2 // per pass
};

void PL_KERNEL(pl__svd3_batch)(int32_t block_count, const double (*F)[9][16], double (*U)[9][16],
                               double (*sigma)[3][16], double (*V)[9][16])
{
    for (int32_t n = 0; n < block_count; ++n)
        for (int lane = 0; lane < PL_BLOCK; lane += REGISTERS * PL_LANES)
        {
            pl_mat3_w f[REGISTERS], u[REGISTERS], v[REGISTERS];
            pl_vec3_w s[REGISTERS];
            for (int i = 0; i < REGISTERS; ++i)
                f[i] = pl_load33_w(F[n], lane + i * PL_LANES);
            pl_svd3_n_w(REGISTERS, f, u, s, v);
            for (int i = 0; i < REGISTERS; ++i)
            {
                pl_store33_w(U[n], lane + i * PL_LANES, &u[i]);
                pl_store3_w(sigma[n], lane + i * PL_LANES, s[i]);
                pl_store33_w(V[n], lane + i * PL_LANES, &v[i]);
            }
        }
}
