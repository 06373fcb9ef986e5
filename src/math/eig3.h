// src/math/eig3.h -- eigenvalues of a symmetric 3x3 matrix, one at a time: the plain form of eig3_w.h.
#ifndef PL_MATH_EIG3_H
#define PL_MATH_EIG3_H

#include "base/cpu.h"
#include "mat3.h"

// A = Q diag(lambda) Q^T with det Q = +1 and lambda[0] >= lambda[1] >= lambda[2]. Only the upper half of A (c[j][i]
// with i <= j) is read. A = 0 gives Q = I. With |lambda| the largest in size: |Q^T Q - I| <= 16 eps, |A - Q diag Q^T|
// <= 32 eps |lambda|, lambda within 16 eps |lambda| of the exact values. A NaN or an infinity gives lambda = NaN and Q
// = I.
void pl__eig3(const pl_mat3 *A, pl_mat3 *Q, double lambda[3]);

// The wide form for blocks of 16 matrices; entry (i, j) of matrix `lane` is [3 j + i][lane].
PL_KERNEL_DECLARE(void, pl__eig3_batch,
                  (int32_t block_count, const double (*A)[9][16], double (*Q)[9][16], double (*lambda)[3][16]));

#endif
