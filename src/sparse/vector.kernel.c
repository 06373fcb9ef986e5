// src/sparse/vector.kernel.c -- the inner loops of vector algebra.
#include "base/simd.h"
#include "vector.h"

double PL_KERNEL(pl__vector_dot)(const double *a, const double *b, int32_t begin, int32_t end)
{
    pl_real_w sum[PL_BLOCK / PL_LANES];
    for (int k = 0; k < PL_BLOCK / PL_LANES; ++k)
        sum[k] = pl_set_w(0);
    for (int32_t i = begin; i < end; i += PL_BLOCK)
        for (int k = 0; k < PL_BLOCK / PL_LANES; ++k)
            sum[k] += pl_load_w(&a[i + k * PL_LANES]) * pl_load_w(&b[i + k * PL_LANES]);
    double lanes[PL_BLOCK], total = 0;
    for (int k = 0; k < PL_BLOCK / PL_LANES; ++k)
        pl_store_w(&lanes[k * PL_LANES], sum[k]);
    for (int k = 0; k < PL_BLOCK; ++k)
        total += lanes[k];
    return total;
}

void PL_KERNEL(pl__vector_axpby)(double a, const double *x, double b, double *y, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; i += PL_LANES)
        pl_store_w(&y[i], a * pl_load_w(&x[i]) + b * pl_load_w(&y[i]));
}

void PL_KERNEL(pl__vector_cg_update)(double alpha, const double *p, const double *q, const double *w, double *x, double *r,
                                     double *z, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; i += PL_LANES)
    {
        pl_real_w residual = pl_load_w(&r[i]) - alpha * pl_load_w(&q[i]);
        pl_store_w(&x[i], pl_load_w(&x[i]) + alpha * pl_load_w(&p[i]));
        pl_store_w(&r[i], residual);
        pl_store_w(&z[i], pl_load_w(&w[i]) * residual);
    }
}
