// src/base/task.c -- parallel loops and ordered sums.
#include "task.h"
#include "context.h"
#include "cpu.h"

typedef struct
{
    pl__range_function *work;
    pl__reduce_function *term;
    void *argument;
    double *partial;
    int32_t count, chunk;
    const pl__some *some; // NULL: all
} chunked;

static pl__part whole(const chunked *job, int32_t i)
{
    int32_t begin = i * job->chunk; // below count, so it fits
    return (pl__part){begin, job->count - begin < job->chunk ? job->count : begin + job->chunk};
}

static void run_chunk(void *argument, int32_t i)
{
    const chunked *job = argument;
    pl__part part = job->some ? job->some->part[i] : whole(job, i);
    uint64_t host = pl__fp_enter();
    if (job->work)
        job->work(job->argument, part.begin, part.end);
    else
        job->partial[i] = job->term(job->argument, part.begin, part.end);
    pl__fp_leave(host);
}

static void run_all(pl_context *ctx, chunked *job)
{
    int32_t chunks = job->some ? job->some->count : pl__chunk_count(job->count, job->chunk);
    if (ctx->def.task_runner.run && chunks > 1)
        ctx->def.task_runner.run(ctx->def.task_runner.user, chunks, run_chunk, job);
    else if (ctx->pool && chunks > 1)
        pl__pool_run(ctx->pool, chunks, run_chunk, job);
    else
        for (int32_t i = 0; i < chunks; ++i)
            run_chunk(job, i);
}

void pl__parallel_for_some(pl_context *ctx, int32_t count, int32_t chunk, const pl__some *some,
                           pl__range_function *work, void *argument)
{
    run_all(ctx, &(chunked){.work = work,
                            .argument = argument,
                            .count = count,
                            .chunk = chunk,
                            .some = some && some->part ? some : NULL});
}

double pl__parallel_sum_some(pl_context *ctx, int32_t count, int32_t chunk, const pl__some *some,
                             pl__reduce_function *term, void *argument, double *partial)
{
    chunked job = {.term = term,
                   .argument = argument,
                   .partial = partial,
                   .count = count,
                   .chunk = chunk,
                   .some = some && some->part ? some : NULL};
    int32_t chunks = job.some ? some->count : pl__chunk_count(count, chunk);
    run_all(ctx, &job);
    double sum = 0;
    for (int32_t i = 0; i < chunks; ++i)
        sum += partial[i];
    return sum;
}

void pl__parallel_for(pl_context *ctx, int32_t count, int32_t chunk, pl__range_function *work, void *argument)
{
    pl__parallel_for_some(ctx, count, chunk, NULL, work, argument);
}

double pl__parallel_sum(pl_context *ctx, int32_t count, int32_t chunk, pl__reduce_function *term, void *argument,
                        double *partial)
{
    return pl__parallel_sum_some(ctx, count, chunk, NULL, term, argument, partial);
}
