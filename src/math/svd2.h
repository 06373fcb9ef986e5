// src/math/svd2.h -- singular values of a 2x2 matrix, one at a time: the plain form of svd2_w.h.
#ifndef PL_MATH_SVD2_H
#define PL_MATH_SVD2_H

#include "base/cpu.h"
#include "mat2.h"

// F = U diag(sigma) V^T with rotations U and V, sigma[0] >= |sigma[1]|; only sigma[1] may be negative, with the sign of
// det F. The bounds, and what becomes of zero, NaN and infinite F, are those of svd3.h.
void pl__svd2(const pl_mat2 *F, pl_mat2 *U, double sigma[2], pl_mat2 *V);

// The wide form for blocks of 16 matrices; entry (i, j) of matrix `lane` is [2 j + i][lane].
PL_KERNEL_DECLARE(void, pl__svd2_batch,
                  (int32_t block_count, const double (*F)[4][16], double (*U)[4][16], double (*sigma)[2][16],
                   double (*V)[4][16]));

#endif
