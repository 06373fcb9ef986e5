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

enum
{
    GROUP = PL__SAMPLE_GROUP,
    BATCH = 256 // points whose flags are kept at a time
};

// The last points, which do not fill a group, with the first of them in the other places.
typedef struct tail
{
    double x[3][GROUP];
    const double *at[3];
} tail;

static void load_tail(const double *const x[3], int32_t from, int32_t count, tail *t)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        t->at[axis] = t->x[axis];
        for (int k = 0; k < GROUP; ++k)
            t->x[axis][k] = x[axis][from + (k < count ? k : 0)];
    }
}

// Of at most a batch. Returns whether any are left.
static bool sample_main(pl_context *ctx, const pl__columns *c, const double *value, int32_t count,
                        const double *const x[3], double *result, double *low, double *high, uint8_t *left)
{
    int32_t whole = count / GROUP * GROUP, rest = count - whole;
    int any = PL_PICK(ctx->register_bytes, pl__sample_groups)(c, value, whole, x, result, low, high, left);
    if (rest == 0)
        return any;
    tail t;
    double last[3][GROUP];
    uint8_t flag[GROUP];
    size_t bytes = (size_t)rest * sizeof(double);
    load_tail(x, whole, rest, &t);
    any |= PL_PICK(ctx->register_bytes, pl__sample_groups)(c, value, GROUP, t.at, last[0], low ? last[1] : NULL,
                                                           low ? last[2] : NULL, flag);
    memcpy(result + whole, last[0], bytes);
    memcpy(left + whole, flag, (size_t)rest);
    if (low)
    {
        memcpy(low + whole, last[1], bytes);
        memcpy(high + whole, last[2], bytes);
    }
    return any;
}

void pl__sample_main(pl_context *ctx, const pl__columns *c, const double *value, int32_t count,
                     const double *const x[3], double *result, uint8_t *left)
{
    (void)sample_main(ctx, c, value, count, x, result, NULL, NULL, left);
}

// What is not in main runs.
static void search(const pl__columns *c, const double *value, int32_t count, const double *const x[3],
                   const uint8_t *left, double *result, double *low, double *high)
{
    for (int32_t n = 0; n < count; ++n)
        if (left[n])
        {
            double at[3] = {x[0][n], x[1][n], x[2][n]};
            if (!pl__columns_sample(c, value, at, &result[n]))
                result[n] = 0;
            if (low)
                bounds_at(c, value, at, &low[n], &high[n]);
        }
}

void pl__sample(pl_context *ctx, const pl__columns *c, const double *value, int32_t count, const double *const x[3],
                double *result, double *low, double *high)
{
    for (int32_t at = 0; at < count; at += BATCH)
    {
        uint8_t left[BATCH];
        int32_t n = count - at < BATCH ? count - at : BATCH;
        const double *const from[3] = {x[0] + at, x[1] + at, x[2] + at};
        double *least = low ? low + at : NULL, *most = low ? high + at : NULL;
        if (sample_main(ctx, c, value, n, from, result + at, least, most, left))
            search(c, value, n, from, left, result + at, least, most);
    }
}

void pl__sample_velocity(pl_context *ctx, const pl__columns face[3], const double *const u[3], int32_t count,
                         const double *const x[3], double *const v[3])
{
    for (int32_t at = 0; at < count; at += BATCH)
    {
        uint8_t left[3][BATCH];
        int32_t n = count - at < BATCH ? count - at : BATCH, whole = n / GROUP * GROUP, rest = n - whole;
        const double *const from[3] = {x[0] + at, x[1] + at, x[2] + at};
        double *const to[3] = {v[0] + at, v[1] + at, v[2] + at};
        int any = PL_PICK(ctx->register_bytes, pl__velocity_groups)(face, u, whole, from, to,
                                                                    (uint8_t *const[3]){left[0], left[1], left[2]});
        if (rest > 0)
        {
            tail t;
            double last[3][GROUP];
            uint8_t flag[3][GROUP];
            load_tail(from, whole, rest, &t);
            any |= PL_PICK(ctx->register_bytes, pl__velocity_groups)(face, u, GROUP, t.at,
                                                                     (double *const[3]){last[0], last[1], last[2]},
                                                                     (uint8_t *const[3]){flag[0], flag[1], flag[2]});
            for (int axis = 0; axis < 3; ++axis)
            {
                memcpy(to[axis] + whole, last[axis], (size_t)rest * sizeof(double));
                memcpy(left[axis] + whole, flag[axis], (size_t)rest);
            }
        }
        for (int axis = 0; axis < 3 && any; ++axis)
            search(&face[axis], u[axis], n, from, left[axis], to[axis], NULL, NULL);
    }
}
