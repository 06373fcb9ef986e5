// src/base/real_math.h -- log, exp, sin, cos and atan2 with the same bits on every machine, and as in wide_math.h.
//
// Errors and special cases are those of the wide functions.
#ifndef PL_BASE_REAL_MATH_H
#define PL_BASE_REAL_MATH_H

#include "cpu.h"

double pl__real_log(double x);
double pl__real_exp(double x);
void pl__real_sincos(double x, double *sine, double *cosine);
double pl__real_atan2(double y, double x);

// The wide functions over arrays, `count` a multiple of 8.
PL_KERNEL_DECLARE(void, pl__log_batch, (int32_t count, const double *x, double *y));
PL_KERNEL_DECLARE(void, pl__exp_batch, (int32_t count, const double *x, double *y));
PL_KERNEL_DECLARE(void, pl__rcbrt_batch, (int32_t count, const double *x, double *y));
PL_KERNEL_DECLARE(void, pl__sincos_batch, (int32_t count, const double *x, double *sine, double *cosine));
PL_KERNEL_DECLARE(void, pl__atan2_batch, (int32_t count, const double *y, const double *x, double *angle));

#endif
