// src/sparse/vector.c -- vector algebra over the task pool.
#include "vector.h"
#include "base/context.h"

#include <string.h>

typedef struct
{
    const double *a, *b;
    double *y;
    double alpha, beta;
    int32_t register_bytes;
} vector_job;

static double dot_range(void *argument, int32_t begin, int32_t end)
{
    const vector_job *job = argument;
    return PL_PICK(job->register_bytes, pl__vector_dot)(job->a, job->b, begin, end);
}

static void axpby_range(void *argument, int32_t begin, int32_t end)
{
    const vector_job *job = argument;
    PL_PICK(job->register_bytes, pl__vector_axpby)(job->alpha, job->a, job->beta, job->y, begin, end);
}

static void copy_range(void *argument, int32_t begin, int32_t end)
{
    const vector_job *job = argument;
    memcpy(&job->y[begin], &job->a[begin], (size_t)(end - begin) * sizeof *job->y);
}

double pl__dot(pl_context *ctx, const double *a, const double *b, int32_t count, const pl__some *some, double *partial)
{
    vector_job job = {.a = a, .b = b, .register_bytes = ctx->register_bytes};
    return pl__parallel_sum_some(ctx, pl__vector_padded(count), PL_VECTOR_CHUNK, some, dot_range, &job, partial);
}

void pl__axpby(pl_context *ctx, double a, const double *x, double b, double *y, int32_t count, const pl__some *some)
{
    vector_job job = {.a = x, .y = y, .alpha = a, .beta = b, .register_bytes = ctx->register_bytes};
    pl__parallel_for_some(ctx, pl__vector_padded(count), PL_VECTOR_CHUNK, some, axpby_range, &job);
}

void pl__copy(pl_context *ctx, const double *from, double *to, int32_t count, const pl__some *some)
{
    vector_job job = {.a = from, .y = to};
    pl__parallel_for_some(ctx, pl__vector_padded(count), PL_VECTOR_CHUNK, some, copy_range, &job);
}
