// bench/machine.kernel.c -- loops that do nothing but compute, or nothing but move memory.
#include "base/simd.h"
#include "machine.h"

#include <stdbool.h>

enum
{
    CHAINS = 12 // more than latency times units
};

PL_INLINE pl_real_w fused(pl_real_w a, pl_real_w b, pl_real_w c)
{
#if PL_REGISTER_BYTES == 64
    return (pl_real_w)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif PL_REGISTER_BYTES == 32
    return (pl_real_w)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

PL_INLINE double chains(int64_t rounds, double *sink, bool is_fused)
{
    pl_real_w a[CHAINS], s = pl_set_w(0.999999), t = pl_set_w(1e-6);
    for (int k = 0; k < CHAINS; ++k)
        a[k] = pl_set_w(1 + 0.01 * k);
    for (int64_t i = 0; i < rounds; ++i)
        for (int k = 0; k < CHAINS; ++k)
            a[k] = is_fused ? fused(a[k], s, t) : k % 2 ? a[k] * s : a[k] + t;
    double lanes[PL_LANES];
    for (int k = 0; k < CHAINS; ++k)
    {
        pl_store_w(lanes, a[k]);
        *sink += lanes[0];
    }
    return (double)rounds * CHAINS * PL_LANES * (is_fused ? 2 : 1);
}

double PL_KERNEL(machine_fma)(int64_t rounds, double *sink) { return chains(rounds, sink, true); }
double PL_KERNEL(machine_mul_add)(int64_t rounds, double *sink) { return chains(rounds, sink, false); }

double PL_KERNEL(machine_read)(const double *a, size_t count)
{
    pl_real_w sum[8];
    for (int k = 0; k < 8; ++k)
        sum[k] = pl_set_w(0);
    for (size_t i = 0; i < count; i += 8 * PL_LANES)
        for (int k = 0; k < 8; ++k)
            sum[k] += pl_load_w(&a[i + (size_t)k * PL_LANES]);
    double lanes[PL_LANES], total = 0;
    for (int k = 0; k < 8; ++k)
    {
        pl_store_w(lanes, sum[k]);
        total += lanes[0];
    }
    return total;
}

void PL_KERNEL(machine_triad)(double *a, const double *b, const double *c, size_t count)
{
    for (size_t i = 0; i < count; i += PL_LANES)
        pl_store_w(&a[i], pl_load_w(&b[i]) + 3.0 * pl_load_w(&c[i]));
}
