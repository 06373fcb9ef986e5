// src/math/svd3.h -- singular values of a 3x3 matrix, one matrix at a time: the plain form, oracle of svd3_w.h.
#ifndef PL_MATH_SVD3_H
#define PL_MATH_SVD3_H

#include "mat3.h"

// F = U diag(sigma) V^T with det U = det V = +1 and sigma[0] >= sigma[1] >= |sigma[2]|; only sigma[2] may be negative,
// with the sign of det F. Every finite F has an answer; F = 0 gives U = V = I, and entries below the smallest normal
// number count as 0. With eps = 2^-52: |U^T U - I| and |V^T V - I| <= 16 eps, |F - U diag(sigma) V^T| <= 32 eps
// sigma[0], sigma within 16 eps sigma[0] of the exact values (and never more precise than the smallest normal number,
// as the library flushes what lies below). A NaN or an infinity in F gives sigma = NaN and U = V = I.
void pl__svd3(const pl_mat3 *F, pl_mat3 *U, double sigma[3], pl_mat3 *V);

#endif
