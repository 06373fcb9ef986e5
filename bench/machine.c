// bench/machine.c -- measures the machine's limits, in the same run as everything that is compared with them.
#include "machine.h"
#include "bench.h"
#include "base/task.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

// One share of the work per thread, long enough that both take one.
typedef struct
{
    const bench *b;
    int32_t threads;
    bool fused, triad;
    double *a;
    size_t count; // numbers in all
    int passes;
    double done[2];
} machine_job;

static void compute(void *argument, int32_t begin, int32_t end)
{
    machine_job *job = argument;
    static double sink[2][8];
    for (int32_t i = begin; i < end; ++i)
        job->done[i] = (job->fused ? PL_PICK(job->b->ctx->register_bytes, machine_fma)
                                   : PL_PICK(job->b->ctx->register_bytes, machine_mul_add))(1000000, sink[i]);
}

static void move(void *argument, int32_t begin, int32_t end)
{
    machine_job *job = argument;
    size_t count = job->count / (size_t)job->threads, third = count / 3 / 64 * 64;
    for (int32_t i = begin; i < end; ++i)
    {
        double *a = job->a + (size_t)i * count;
        for (int pass = 0; pass < job->passes; ++pass)
            if (job->triad)
                PL_PICK(job->b->ctx->register_bytes, machine_triad)(a, a + third, a + 2 * third, third);
            else
                job->done[i] += PL_PICK(job->b->ctx->register_bytes, machine_read)(a, 3 * third);
    }
}

static void run_compute(void *argument)
{
    machine_job *job = argument;
    pl__parallel_for(job->b->ctx, job->threads, 1, compute, job);
}

static void run_move(void *argument)
{
    machine_job *job = argument;
    pl__parallel_for(job->b->ctx, job->threads, 1, move, job);
}

static double timed(const bench *b, int32_t threads, void (*run)(void *argument), machine_job *job)
{
    bench_saved saved = bench_use(b, threads, b->ctx->register_bytes);
    double seconds = bench_time(b, run, job);
    bench_restore(b, saved);
    return seconds;
}

static void measure_arithmetic(bench *b)
{
    for (int t = 0; t < 2; ++t)
        for (int fused = 0; fused < 2; ++fused)
        {
            machine_job job = {.b = b, .threads = t + 1, .fused = fused};
            double seconds = timed(b, t + 1, run_compute, &job), rate = 1e-9 * (job.done[0] + job.done[1]) / seconds;
            *(fused ? &b->machine.fma[t] : &b->machine.mul_add[t]) = rate;
            bench_report(&(bench_row){.name = "machine",
                                      .variant = fused ? "fused multiply-add" : "multiply and add",
                                      .threads = t + 1,
                                      .register_bytes = b->ctx->register_bytes,
                                      .value = rate,
                                      .unit = "GF/s"});
        }
}

static void measure_memory(bench *b, int size, double *a)
{
    for (int t = 0; t < 2; ++t)
        for (int triad = 0; triad < 2; ++triad)
        {
            size_t bytes = b->machine.bytes[size];
            int passes = 1 + (int)(4e6 / (double)bytes) * 4;
            machine_job job = {.b = b, .threads = t + 1, .triad = triad, .a = a, .count = bytes / 8, .passes = passes};
            double moved = (double)((t + 1) * passes) * 24.0 * (double)(bytes / 8 / (size_t)(t + 1) / 3 / 64 * 64);
            double rate = 1e-9 * moved / timed(b, t + 1, run_move, &job);
            *(triad ? &b->machine.triad[size][t] : &b->machine.read[size][t]) = rate;
            bench_report(
                &(bench_row){.name = "machine",
                             .threads = t + 1,
                             .register_bytes = b->ctx->register_bytes,
                             .value = rate,
                             .unit = "GB/s",
                             .variant = bench_text("%s %.1f MB (%s)", triad ? "triad" : "read", 1e-6 * (double)bytes,
                                                   machine_level((double)bytes, t + 1))});
        }
}

void bench_machine(bench *b)
{
    measure_arithmetic(b);
    size_t largest = (size_t)(b->effort == BENCH_FULL ? 1536 : b->effort == BENCH_QUICK ? 128 : 8) << 20;
    double *a = aligned_alloc(64, (largest + 63) / 64 * 64);
    for (size_t i = 0; a && i < largest / 8; ++i)
        a[i] = 1;
    // half of the second cache, then in equal factors to well past the last
    for (int size = 0; a && size < MACHINE_SIZES; ++size)
    {
        b->machine.bytes[size] =
            (size_t)((double)(1 << 20) * pow((double)(largest >> 20), (double)size / (MACHINE_SIZES - 1)));
        measure_memory(b, size, a);
    }
    free(a);
}

// The nearest of the working sets that were measured.
static int nearest(const machine_limits *m, double bytes)
{
    int size = 0;
    while (size + 1 < MACHINE_SIZES &&
           fabs(log(bytes / (double)m->bytes[size + 1])) < fabs(log(bytes / (double)m->bytes[size])))
        ++size;
    return size;
}

double machine_bandwidth(const machine_limits *m, double bytes, int32_t threads)
{
    return m->triad[nearest(m, bytes)][threads - 1];
}

double machine_read_bandwidth(const machine_limits *m, double bytes, int32_t threads)
{
    return m->read[nearest(m, bytes)][threads - 1];
}

const char *machine_level(double bytes, int32_t threads)
{
    double second = (double)sysconf(_SC_LEVEL2_CACHE_SIZE), third = (double)sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes <= second * threads ? "L2" : bytes <= third ? "L3" : "DRAM";
}
