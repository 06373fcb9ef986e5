// src/sparse/column_cg.h -- the passes of conjugate gradients over vectors, for unknowns [begin, end).
#ifndef PL_SPARSE_COLUMN_CG_H
#define PL_SPARSE_COLUMN_CG_H

#include "base/cpu.h"
#include "gauss_seidel.h"

// y = A x; returns x.y
PL_KERNEL_DECLARE(double, pl__column_product,
                  (const pl__column_system *system, const double *x, double *y, int32_t begin, int32_t end));
// The same by runs [begin, end) of rows, without their column indices: 56 bytes per row of seven entries, not 92.
PL_KERNEL_DECLARE(double, pl__column_product_runs,
                  (const pl__gauss_seidel *gs, const double *x, double *y, int32_t begin, int32_t end));
// r -= alpha q; returns r.r, and in *worst the largest |r_i| scale_i (scale NULL: 1)
PL_KERNEL_DECLARE(double, pl__column_residual,
                  (double alpha, const double *q, const double *scale, double *r, int32_t begin, int32_t end,
                   double *worst));
// r.z
PL_KERNEL_DECLARE(double, pl__column_dot, (const double *r, const float *z, int32_t begin, int32_t end));
// x += alpha p, p = factor z + beta p
PL_KERNEL_DECLARE(void, pl__column_direction,
                  (double alpha, double beta, double factor, const float *z, double *p, double *x, int32_t begin,
                   int32_t end));

#endif
