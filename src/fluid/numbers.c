// src/fluid/numbers.c -- chunks by the number of numbers; lanes, so that sums do not wait for themselves.
#include "numbers.h"
#include "base/task.h"

#include <math.h>

enum
{
    LEAST = 8192, // numbers of a task
    MOST_TASKS = 64,
    LANES = 8
};

typedef struct numbers
{
    const double *v;
    double *to;
    double a;
    double *partial;
    int32_t chunk;
} numbers;

static int32_t chunk_of(int32_t count)
{
    int32_t chunk = pl__chunk_count(count, MOST_TASKS);
    return chunk > LEAST ? chunk : LEAST;
}

static double add_lanes(const double lane[LANES])
{
    double sum = 0;
    for (int k = 0; k < LANES; ++k)
        sum += lane[k];
    return sum;
}

static double sum_range(void *argument, int32_t begin, int32_t end)
{
    const double *v = ((const numbers *)argument)->v;
    double lane[LANES] = {0};
    int32_t n = begin;
    for (; n + LANES <= end; n += LANES)
        for (int k = 0; k < LANES; ++k)
            lane[k] += v[n + k];
    for (; n < end; ++n)
        lane[0] += v[n];
    return add_lanes(lane);
}

static double squares_range(void *argument, int32_t begin, int32_t end)
{
    const double *v = ((const numbers *)argument)->v;
    double lane[LANES] = {0};
    int32_t n = begin;
    for (; n + LANES <= end; n += LANES)
        for (int k = 0; k < LANES; ++k)
            lane[k] += v[n + k] * v[n + k];
    for (; n < end; ++n)
        lane[0] += v[n] * v[n];
    return add_lanes(lane);
}

static void largest_range(void *argument, int32_t begin, int32_t end)
{
    const numbers *job = argument;
    double lane[LANES] = {0}, most = 0;
    int32_t n = begin;
    for (; n + LANES <= end; n += LANES)
        for (int k = 0; k < LANES; ++k)
        {
            double a = fabs(job->v[n + k]);
            lane[k] = a > lane[k] ? a : lane[k];
        }
    for (; n < end; ++n)
        most = fmax(most, fabs(job->v[n]));
    for (int k = 0; k < LANES; ++k)
        most = fmax(most, lane[k]);
    job->partial[begin / job->chunk] = most;
}

static void add_range(void *argument, int32_t begin, int32_t end)
{
    const numbers *job = argument;
    for (int32_t n = begin; n < end; ++n)
        job->to[n] += job->a;
}

static void scale_range(void *argument, int32_t begin, int32_t end)
{
    const numbers *job = argument;
    for (int32_t n = begin; n < end; ++n)
        job->to[n] *= job->a;
}

double pl__numbers_sum(pl_context *ctx, const double *v, int32_t count)
{
    double partial[MOST_TASKS];
    numbers job = {.v = v};
    return pl__parallel_sum(ctx, count, chunk_of(count), sum_range, &job, partial);
}

double pl__numbers_squares(pl_context *ctx, const double *v, int32_t count)
{
    double partial[MOST_TASKS];
    numbers job = {.v = v};
    return pl__parallel_sum(ctx, count, chunk_of(count), squares_range, &job, partial);
}

double pl__numbers_largest(pl_context *ctx, const double *v, int32_t count)
{
    double partial[MOST_TASKS], most = 0;
    numbers job = {.v = v, .partial = partial, .chunk = chunk_of(count)};
    pl__parallel_for(ctx, count, job.chunk, largest_range, &job);
    for (int32_t n = 0; n < pl__chunk_count(count, job.chunk); ++n)
        most = fmax(most, partial[n]);
    return most;
}

void pl__numbers_add(pl_context *ctx, double a, double *v, int32_t count)
{
    numbers job = {.to = v, .a = a};
    if (a != 0)
        pl__parallel_for(ctx, count, chunk_of(count), add_range, &job);
}

void pl__numbers_scale(pl_context *ctx, double a, double *v, int32_t count)
{
    numbers job = {.to = v, .a = a};
    pl__parallel_for(ctx, count, chunk_of(count), scale_range, &job);
}
