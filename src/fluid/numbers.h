// src/fluid/numbers.h -- sums and simple changes of the numbers of a lattice, in parallel, with the same bits for any
// number of threads.
#ifndef PL_FLUID_NUMBERS_H
#define PL_FLUID_NUMBERS_H

#include "base/context.h"

double pl__numbers_sum(pl_context *ctx, const double *v, int32_t count);
double pl__numbers_squares(pl_context *ctx, const double *v, int32_t count);
double pl__numbers_largest(pl_context *ctx, const double *v, int32_t count); // of |v|; 0 without any
void pl__numbers_add(pl_context *ctx, double a, double *v, int32_t count);   // v += a
void pl__numbers_scale(pl_context *ctx, double a, double *v, int32_t count); // v *= a

#endif
