// src/base/real_math.kernel.c -- the functions of wide_math.h over arrays; the scalar versions are the copy of width 0.
#include "real_math.h"
#include "wide_math.h"

void PL_KERNEL(pl__log_batch)(int32_t count, const double *x, double *y)
{
    for (int32_t i = 0; i < count; i += PL_LANES)
        pl_store_w(&y[i], pl_log_w(pl_load_w(&x[i])));
}

void PL_KERNEL(pl__exp_batch)(int32_t count, const double *x, double *y)
{
    for (int32_t i = 0; i < count; i += PL_LANES)
        pl_store_w(&y[i], pl_exp_w(pl_load_w(&x[i])));
}

void PL_KERNEL(pl__rcbrt_batch)(int32_t count, const double *x, double *y)
{
    for (int32_t i = 0; i < count; i += PL_LANES)
        pl_store_w(&y[i], pl_rcbrt_w(pl_load_w(&x[i])));
}

void PL_KERNEL(pl__sincos_batch)(int32_t count, const double *x, double *sine, double *cosine)
{
    for (int32_t i = 0; i < count; i += PL_LANES)
    {
        pl_real_w s, c;
        pl_sincos_w(pl_load_w(&x[i]), &s, &c);
        pl_store_w(&sine[i], s);
        pl_store_w(&cosine[i], c);
    }
}

void PL_KERNEL(pl__atan2_batch)(int32_t count, const double *y, const double *x, double *angle)
{
    for (int32_t i = 0; i < count; i += PL_LANES)
        pl_store_w(&angle[i], pl_atan2_w(pl_load_w(&y[i]), pl_load_w(&x[i])));
}

#if PL_REGISTER_BYTES == 0
double pl__real_log(double x) { return pl_log_w(x); }
double pl__real_exp(double x) { return pl_exp_w(x); }
void pl__real_sincos(double x, double *sine, double *cosine) { pl_sincos_w(x, sine, cosine); }
double pl__real_atan2(double y, double x) { return pl_atan2_w(y, x); }
#endif
