// src/math/polar3.h -- the rotation nearest to a 3x3 matrix, one at a time: the plain form of polar3_w.h.
#ifndef PL_MATH_POLAR3_H
#define PL_MATH_POLAR3_H

#include "base/cpu.h"
#include "mat3.h"

// F = R S with det R = +1 always and S symmetric. S has a negative eigenvalue where det F < 0 (the smallest in size: of
// all rotations R is the nearest to F); R = I for F = 0. |R^T R - I| <= 16 eps, |F - R S| <= 32 eps |F|, and S is
// symmetric exactly. A NaN or an infinity in F gives R = I and S = NaN. |F| < 1e307, or S overflows.
void pl__polar3(const pl_mat3 *F, pl_mat3 *R, pl_mat3 *S);

// The wide form for blocks of 16 matrices; entry (i, j) of matrix `lane` is [3 j + i][lane].
PL_KERNEL_DECLARE(void, pl__polar3_batch,
                  (int32_t block_count, const double (*F)[9][16], double (*R)[9][16], double (*S)[9][16]));

#endif
