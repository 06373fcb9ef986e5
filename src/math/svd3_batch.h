// src/math/svd3_batch.h -- singular values of many 3x3 matrices, stored in blocks of 16.
#ifndef PL_MATH_SVD3_BATCH_H
#define PL_MATH_SVD3_BATCH_H

#include "base/cpu.h"

// For each of `block_count` blocks: F = U diag(sigma) V^T as svd3.h says. Entry (i, j) of matrix `lane` of a block is
// [3 j + i][lane]. Outputs may not overlap inputs.
PL_KERNEL_DECLARE(void, pl__svd3_batch,
                  (int32_t block_count, const double (*F)[9][16], double (*U)[9][16], double (*sigma)[3][16],
                   double (*V)[9][16]));

#endif
