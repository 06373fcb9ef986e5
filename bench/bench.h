// bench/bench.h -- measuring, and rows of results.
//
// Machines are shared and clocks wander, so every time is the best of many and stands next to a limit that was measured
// in the same run. Trust the ratios.
#ifndef PL_BENCH_H
#define PL_BENCH_H

#include "machine.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum bench_effort
{
    BENCH_SMOKE, // does it run
    BENCH_QUICK,
    BENCH_FULL
} bench_effort;

typedef struct bench
{
    bench_effort effort;
    pl_context *ctx; // as many threads as processors, two at most
    machine_limits machine;
    const char *figure; // file for the curves of bench_implicit, or NULL
} bench;

// Best seconds of one call of `work`, over at least three calls and `effort` much time.
double bench_time(const bench *b, void (*work)(void *argument), void *argument);

// Run with one thread or two, and with registers of `bytes`: the context's own are set aside in between.
typedef struct bench_saved
{
    struct pl__pool *pool;
    int32_t register_bytes;
} bench_saved;
bench_saved bench_use(const bench *b, int32_t threads, int32_t register_bytes);
void bench_restore(const bench *b, bench_saved saved);

// One line of the table and of the CSV file. Fields that do not apply are zero or NULL.
typedef struct bench_row
{
    const char *name;    // of the kernel
    const char *variant; // without commas
    int32_t tets, nodes, threads, register_bytes;
    double value; // in `unit`
    const char *unit;
    double per_node; // the same per node
    double limit;    // what the machine would need at least, in `unit`
    const char *limited_by;
    double ratio; // how many times faster than `ratio_to`
    const char *ratio_to;
} bench_row;
void bench_report(const bench_row *row);
// Text that lives as long as the program.
const char *bench_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

void bench_machine(bench *b);
void bench_svd(bench *b);
void bench_force(bench *b);
void bench_oracle(bench *b);
void bench_materials(bench *b);
void bench_cuts(bench *b);
void bench_damping(bench *b);
void bench_hex(bench *b);
void bench_cg(bench *b);
void bench_sheets(bench *b);
void bench_ccd(bench *b);
void bench_step(bench *b);
void bench_puddle(bench *b);
void bench_implicit(bench *b);
void bench_solves(bench *b);
void bench_pairs(bench *b);
void bench_clash(bench *b);
void bench_objects(bench *b);
void bench_sleep(bench *b);
void bench_cracks(bench *b);
void bench_multigrid(bench *b);
void bench_boundary(bench *b);
void bench_surface(bench *b);
void bench_flux(bench *b);
void bench_viscosity(bench *b);
void bench_levelset(bench *b);
void bench_liquid(bench *b);

// The whole program: its arguments as a command line. Returns its exit status.
int bench_main(int argc, char **argv);

#endif
