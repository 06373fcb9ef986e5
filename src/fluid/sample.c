// src/fluid/sample.c -- blocks of points, and those that need a search.
#include "sample.h"

#include <math.h>
#include <string.h>

// Bounds of the samples around a point.
static void bounds_at(const pl__columns *c, const double *value, const double x[3], double *low, double *high)
{
    int32_t base[3], n[3] = {c->nx, c->ny, c->nz};
    for (int axis = 0; axis < 3; ++axis)
    {
        double s = (x[axis] - c->origin[axis]) * c->inverse_h, top = n[axis] > 1 ? n[axis] - 2 : 0;
        base[axis] = (int32_t)(s > 0 ? (s < top ? s : top) : 0);
    }
    *low = INFINITY, *high = -INFINITY;
    for (int corner = 0; corner < 8; ++corner)
    {
        int32_t i = base[0] + (corner & 1), j = base[1] + (corner >> 1 & 1), k = base[2] + (corner >> 2);
        double v;
        if (i < c->nx && j < c->ny && k < c->nz && pl__columns_value(c, value, i + c->nx * k, j, &v))
        {
            *low = v < *low ? v : *low;
            *high = v > *high ? v : *high;
        }
    }
}

static void search(const pl__columns *c, const double *value, bool bounds, pl__sample_block *b, int n)
{
    double x[3] = {b->x[0][n], b->x[1][n], b->x[2][n]};
    if (!pl__columns_sample(c, value, x, &b->value[n]))
        b->value[n] = 0;
    if (bounds)
        bounds_at(c, value, x, &b->low[n], &b->high[n]);
}

void pl__sample(pl_context *ctx, const pl__columns *c, const double *value, int32_t count, const double *const x[3],
                double *result, double *low, double *high)
{
    for (int32_t at = 0; at < count; at += PL__SAMPLE_BLOCK)
    {
        pl__sample_block b;
        int32_t n = count - at < PL__SAMPLE_BLOCK ? count - at : PL__SAMPLE_BLOCK;
        size_t bytes = (size_t)n * sizeof(double);
        for (int axis = 0; axis < 3; ++axis)
        {
            memcpy(b.x[axis], x[axis] + at, bytes);
            for (int32_t k = n; k < PL__SAMPLE_BLOCK; ++k)
                b.x[axis][k] = b.x[axis][0];
        }
        PL_PICK(ctx->register_bytes, pl__sample_block)(c, value, low != NULL, &b);
        for (int32_t k = 0; k < n; ++k)
            if (b.left[k])
                search(c, value, low != NULL, &b, k);
        memcpy(result + at, b.value, bytes);
        if (low)
        {
            memcpy(low + at, b.low, bytes);
            memcpy(high + at, b.high, bytes);
        }
    }
}
