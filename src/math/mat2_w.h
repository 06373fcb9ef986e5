// src/math/mat2_w.h -- 2x2 and 3x2 matrices of wide values, for kernel files. COLUMN-major.
#ifndef PL_MATH_MAT2_W_H
#define PL_MATH_MAT2_W_H

#include "mat3_w.h"

typedef struct
{
    pl_real_w x[2];
} pl_vec2_w;

typedef struct
{
    pl_vec2_w c[2];
} pl_mat2_w;

typedef struct
{
    pl_vec3_w c[2];
} pl_mat32_w;

// [c -s; s c]
PL_INLINE pl_mat2_w pl_rotation2_w(pl_real_w c, pl_real_w s) { return (pl_mat2_w){{{{c, s}}, {{-s, c}}}}; }

// Stored as block[2 j + i][lane] and block[3 j + i][lane].
PL_INLINE pl_mat2_w pl_load22_w(const double (*block)[PL_BLOCK], int lane)
{
    pl_mat2_w A;
    for (int k = 0; k < 4; ++k)
        A.c[k / 2].x[k % 2] = pl_load_w(&block[k][lane]);
    return A;
}
PL_INLINE void pl_store22_w(double (*block)[PL_BLOCK], int lane, const pl_mat2_w *A)
{
    for (int k = 0; k < 4; ++k)
        pl_store_w(&block[k][lane], A->c[k / 2].x[k % 2]);
}
PL_INLINE pl_mat32_w pl_load32_w(const double (*block)[PL_BLOCK], int lane)
{
    return (pl_mat32_w){{pl_load3_w(block, lane), pl_load3_w(block + 3, lane)}};
}
PL_INLINE void pl_store32_w(double (*block)[PL_BLOCK], int lane, const pl_mat32_w *A)
{
    pl_store3_w(block, lane, A->c[0]);
    pl_store3_w(block + 3, lane, A->c[1]);
}

#endif
