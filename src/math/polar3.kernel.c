// src/math/polar3.kernel.c -- pl_polar3_n_w over stored blocks.
#include "polar3.h"
#include "polar3_w.h"

enum
{
    REGISTERS = 2 // per pass
};

void PL_KERNEL(pl__polar3_batch)(int32_t block_count, const double (*F)[9][16], double (*R)[9][16], double (*S)[9][16])
{
    for (int32_t n = 0; n < block_count; ++n)
        for (int lane = 0; lane < PL_BLOCK; lane += REGISTERS * PL_LANES)
        {
            pl_mat3_w f[REGISTERS], r[REGISTERS], s[REGISTERS];
            for (int i = 0; i < REGISTERS; ++i)
                f[i] = pl_load33_w(F[n], lane + i * PL_LANES);
            pl_polar3_n_w(REGISTERS, f, r, s);
            for (int i = 0; i < REGISTERS; ++i)
            {
                pl_store33_w(R[n], lane + i * PL_LANES, &r[i]);
                pl_store33_w(S[n], lane + i * PL_LANES, &s[i]);
            }
        }
}
