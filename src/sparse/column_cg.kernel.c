// src/sparse/column_cg.kernel.c -- plain loops, which compilers make wide; sums keep sixteen lanes for every width.
#include "base/simd.h"
#include "column_cg.h"

enum
{
    AHEAD = 1024 // doubles of the matrix that are fetched early; measured: a product of 128^3 takes .7 to .85 as long
};

PL_INLINE double add_lanes(const double sum[PL_BLOCK])
{
    double total = 0;
    for (int k = 0; k < PL_BLOCK; ++k)
        total += sum[k];
    return total;
}

double PL_KERNEL(pl__column_product)(const pl__column_system *s, const double *x, double *y, int32_t begin, int32_t end)
{
    double total = 0;
    for (int32_t i = begin; i < end; ++i)
    {
        double sum = 0;
        for (int32_t q = s->start[i]; q < s->end[i]; ++q)
            sum += s->value[q] * x[s->column[q]];
        y[i] = sum;
        total += x[i] * sum;
    }
    return total;
}

// Rows of one pattern; a constant number of entries unrolls the inner loop. All orders of summation are that of a row.
// Results wait in a buffer, so that stores do not delay the loads of the next row where x and y differ by a multiple of
// 4096 bytes.
PL_INLINE double product_rows(const double *value, const int32_t *column, int32_t entries, int32_t rows,
                              const double *x, int32_t first, double *y)
{
    double total = 0;
    for (int32_t begin = 0; begin < rows; begin += PL_BLOCK)
    {
        double buffer[PL_BLOCK];
        int32_t end = rows - begin < PL_BLOCK ? rows : begin + PL_BLOCK;
        for (int32_t k = 0; k < (end - begin) * entries; k += 8)
            __builtin_prefetch(&value[(int64_t)begin * entries + k + AHEAD], 0, 3);
        for (int32_t r = begin; r < end; ++r)
        {
            double sum = 0;
            for (int32_t e = 0; e < entries; ++e)
                sum += value[(int64_t)r * entries + e] * x[column[e] + r];
            buffer[r - begin] = sum;
            total += x[first + r] * sum;
        }
        memcpy(&y[first + begin], buffer, (size_t)(end - begin) * sizeof *y);
    }
    return total;
}

double PL_KERNEL(pl__column_product_runs)(const pl__gauss_seidel *gs, const double *x, double *y, int32_t begin,
                                          int32_t end)
{
    const pl__column_system *s = gs->system;
    double total = 0;
    for (const pl__row_run *run = &gs->run[begin]; run < &gs->run[end]; ++run)
    {
        int32_t i = run->first, entries = s->end[i] - s->start[i];
        const double *value = &s->value[s->start[i]];
        const int32_t *column = &s->column[s->start[i]];
        if (entries == 7)
            total += product_rows(value, column, 7, run->count, x, i, y);
        else
            total += product_rows(value, column, entries, run->count, x, i, y);
    }
    return total;
}

double PL_KERNEL(pl__column_residual)(double alpha, const double *q, const double *scale, double *r, int32_t begin,
                                      int32_t end, double *worst)
{
    double sum[PL_BLOCK] = {0}, most[PL_BLOCK] = {0};
    for (int32_t i = begin; i < end; i += PL_BLOCK)
    {
        int32_t lanes = end - i < PL_BLOCK ? end - i : PL_BLOCK;
        for (int k = 0; k < lanes; ++k)
        {
            double v = r[i + k] - alpha * q[i + k], size = __builtin_fabs(v) * (scale ? scale[i + k] : 1);
            r[i + k] = v;
            sum[k] += v * v;
            most[k] = size > most[k] ? size : most[k];
        }
    }
    *worst = 0;
    for (int k = 0; k < PL_BLOCK; ++k)
        *worst = most[k] > *worst ? most[k] : *worst;
    return add_lanes(sum);
}

double PL_KERNEL(pl__column_dot)(const double *r, const float *z, int32_t begin, int32_t end)
{
    double sum[PL_BLOCK] = {0};
    int32_t i = begin;
    for (; i + PL_BLOCK <= end; i += PL_BLOCK)
        for (int k = 0; k < PL_BLOCK; ++k)
            sum[k] += r[i + k] * (double)z[i + k];
    for (int k = 0; i + k < end; ++k)
        sum[k] += r[i + k] * (double)z[i + k];
    return add_lanes(sum);
}

void PL_KERNEL(pl__column_direction)(double alpha, double beta, double factor, const float *z, double *p, double *x,
                                     int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; ++i)
    {
        double direction = p[i];
        x[i] += alpha * direction;
        p[i] = factor * (double)z[i] + beta * direction;
    }
}
