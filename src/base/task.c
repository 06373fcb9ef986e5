// src/base/task.c -- ranges and ordered sums over whatever runs the tasks.
#include "task.h"
#include "cpu.h"

typedef struct
{
    pl__range_function *work;
    pl__reduce_function *term;
    void *argument;
    double *partial;
    int32_t count, chunk;
} chunked;

static void run_chunk(void *argument, int32_t i)
{
    const chunked *job = argument;
    int32_t begin = i * job->chunk; // below count, so it fits
    int32_t end = job->count - begin < job->chunk ? job->count : begin + job->chunk;
    uint64_t host = pl__fp_enter();
    if (job->work)
        job->work(job->argument, begin, end);
    else
        job->partial[i] = job->term(job->argument, begin, end);
    pl__fp_leave(host);
}

static void run_all(pl_context *ctx, chunked *job)
{
    int32_t chunks = pl__chunk_count(job->count, job->chunk);
    if (ctx->def.task_runner.run && chunks > 1)
        ctx->def.task_runner.run(ctx->def.task_runner.user, chunks, run_chunk, job);
    else if (ctx->pool && chunks > 1)
        pl__pool_run(ctx->pool, chunks, run_chunk, job);
    else
        for (int32_t i = 0; i < chunks; ++i)
            run_chunk(job, i);
}

void pl__parallel_for(pl_context *ctx, int32_t count, int32_t chunk, pl__range_function *work, void *argument)
{
    run_all(ctx, &(chunked){.work = work, .argument = argument, .count = count, .chunk = chunk});
}

double pl__parallel_sum(pl_context *ctx, int32_t count, int32_t chunk, pl__reduce_function *term, void *argument,
                        double *partial)
{
    int32_t chunks = pl__chunk_count(count, chunk);
    run_all(ctx, &(chunked){.term = term, .argument = argument, .partial = partial, .count = count, .chunk = chunk});
    double sum = 0;
    for (int32_t i = 0; i < chunks; ++i)
        sum += partial[i];
    return sum;
}
