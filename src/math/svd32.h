// src/math/svd32.h -- singular values of a 3x2 matrix (a triangle in space), one at a time: the plain form of
// svd32_w.h.
#ifndef PL_MATH_SVD32_H
#define PL_MATH_SVD32_H

#include "base/cpu.h"
#include "mat2.h"

// F = U diag(sigma) V^T with orthonormal columns of U (3x2), V a rotation, sigma[0] >= sigma[1] >= 0. F = 0 gives
// U = [e0 e1] and V = I. The bounds, and what becomes of NaN and infinite F, are those of svd3.h.
void pl__svd32(const pl_mat32 *F, pl_mat32 *U, double sigma[2], pl_mat2 *V);

// The wide form for blocks of 16 matrices; entry (i, j) of F and U is [3 j + i][lane], of V [2 j + i][lane].
PL_KERNEL_DECLARE(void, pl__svd32_batch,
                  (int32_t block_count, const double (*F)[6][16], double (*U)[6][16], double (*sigma)[2][16],
                   double (*V)[4][16]));

#endif
