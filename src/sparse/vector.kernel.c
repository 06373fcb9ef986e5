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

void PL_KERNEL(pl__vector_cg_residual)(double alpha, const double *from, const double *q, const double *w, double *r,
                                       double *z, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; i += PL_LANES)
    {
        pl_real_w residual = pl_load_w(&from[i]) - alpha * pl_load_w(&q[i]);
        pl_store_w(&r[i], residual);
        pl_store_w(&z[i], w ? pl_load_w(&w[i]) * residual : residual);
    }
}

void PL_KERNEL(pl__vector_cg_direction)(double alpha, double beta, const double *z, double *p, double *x, int32_t begin,
                                        int32_t end)
{
    for (int32_t i = begin; i < end; i += PL_LANES)
    {
        pl_real_w direction = pl_load_w(&p[i]);
        pl_store_w(&x[i], pl_load_w(&x[i]) + alpha * direction);
        pl_store_w(&p[i], pl_load_w(&z[i]) + beta * direction);
    }
}

// The 3-vectors of consecutive nodes.
PL_INLINE void store_nodes(double *to, const pl_real_w v[3])
{
#if PL_REGISTER_BYTES == 64
    // x and y first, then z between them
    static const int64_t xy[3][8] = {
        {0, 8, 0, 1, 9, 0, 2, 10}, {0, 3, 11, 0, 4, 12, 0, 5}, {13, 0, 6, 14, 0, 7, 15, 0}};
    static const int64_t z[3][8] = {{0, 1, 8, 3, 4, 9, 6, 7}, {10, 1, 2, 11, 4, 5, 12, 7}, {0, 13, 2, 3, 14, 5, 6, 15}};
    for (int k = 0; k < 3; ++k)
    {
        __m512d both = _mm512_permutex2var_pd((__m512d)v[0], _mm512_loadu_si512(xy[k]), (__m512d)v[1]);
        _mm512_storeu_pd(&to[8 * k], _mm512_permutex2var_pd(both, _mm512_loadu_si512(z[k]), (__m512d)v[2]));
    }
#else
    double lanes[3][PL_LANES];
    for (int k = 0; k < 3; ++k)
        pl_store_w(lanes[k], v[k]);
    for (int i = 0; i < PL_LANES; ++i)
        for (int k = 0; k < 3; ++k)
            to[3 * i + k] = lanes[k][i];
#endif
}

void PL_KERNEL(pl__vector_by_blocks)(const double *block, double *z, int32_t begin, int32_t end)
{
    static const int32_t each[] = {0, 1, 2, 3, 4, 5, 6, 7}, other[] = {0, 2, 4, 6, 8, 10, 12, 14};
    size_t n = (size_t)begin;
    for (; n + PL_LANES < (size_t)end; n += PL_LANES) // loads read one double more
    {
        pl_real_w even[3], mixed[3], v[3], out[3];
        pl_gather3_w(&block[6 * n], other, even);
        pl_gather3_w(&block[6 * n + 3], other, mixed);
        pl_gather3_w(&z[3 * n], each, v);
        out[0] = even[0] * v[0] + mixed[0] * v[1] + mixed[1] * v[2];
        out[1] = mixed[0] * v[0] + even[1] * v[1] + mixed[2] * v[2];
        out[2] = mixed[1] * v[0] + mixed[2] * v[1] + even[2] * v[2];
        store_nodes(&z[3 * n], out);
    }
    for (; n < (size_t)end; ++n)
    {
        const double *b = &block[6 * n];
        double *v = &z[3 * n], x = v[0], y = v[1];
        v[0] = b[0] * x + b[3] * y + b[4] * v[2];
        v[1] = b[3] * x + b[1] * y + b[5] * v[2];
        v[2] = b[4] * x + b[5] * y + b[2] * v[2];
    }
}
