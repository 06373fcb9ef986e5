// bench/machine.h -- what this machine can do at most: arithmetic and memory.
#ifndef PL_BENCH_MACHINE_H
#define PL_BENCH_MACHINE_H

#include "base/context.h"
#include "base/cpu.h"
#include <pliant/base.h>
#include <stddef.h>

enum
{
    MACHINE_SIZES = 6
};

// Index 0: one thread, 1: two threads.
typedef struct machine_limits
{
    double fma[2];                  // [flop/ns] fused multiply-add
    double mul_add[2];              // [flop/ns] products and sums apart, as the library computes
    size_t bytes[MACHINE_SIZES];    // working sets, increasing
    double read[MACHINE_SIZES][2];  // [byte/ns]
    double triad[MACHINE_SIZES][2]; // [byte/ns] a = b + s c: two thirds read, one third written
} machine_limits;

// Bandwidth of a mixture like the triad's at a working set of `bytes` [byte/ns], and the name of the level it lives in.
double machine_bandwidth(const machine_limits *m, double bytes, int32_t threads);
// The same of reading alone.
double machine_read_bandwidth(const machine_limits *m, double bytes, int32_t threads);
const char *machine_level(double bytes, int32_t threads);

// Chains of independent operations; returns how many operations were done.
PL_KERNEL_DECLARE(double, machine_fma, (int64_t rounds, double *sink));
PL_KERNEL_DECLARE(double, machine_mul_add, (int64_t rounds, double *sink));
// Sum of a[0 .. count), and a = b + s c; count is a multiple of 64.
PL_KERNEL_DECLARE(double, machine_read, (const double *a, size_t count));
PL_KERNEL_DECLARE(void, machine_triad, (double *a, const double *b, const double *c, size_t count));

#endif
