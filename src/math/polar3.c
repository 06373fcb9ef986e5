// src/math/polar3.c -- R = U V^T and S = V diag(sigma) V^T of F = U diag(sigma) V^T.
//
// With the sign convention of svd3.h, R is a rotation for every F, inverted and flat ones included, where iterations
// such as R <- (R + R^-T)/2 would end in a reflection or divide by zero.
#include "polar3.h"
#include "svd3.h"

void pl__polar3(const pl_mat3 *F, pl_mat3 *R, pl_mat3 *S)
{
    pl_mat3 U, V;
    double sigma[3];
    pl__svd3(F, &U, sigma, &V);
    *R = pl_mul33t(&U, &V);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i <= j; ++i)
        {
            double s = 0;
            for (int k = 0; k < 3; ++k)
                s += V.c[k][i] * sigma[k] * V.c[k][j];
            S->c[j][i] = S->c[i][j] = s;
        }
}
