// bench/multigrid.c -- pressure in columns: setup and iterations of multigrid, beside incomplete Cholesky.
//
// A full box under a free surface (seven points, all uniform), and the canyon and pool of the tests on tall cells,
// until the largest residual is 1e-5 of the root mean square of the right side. Limit of an iteration: the matrix read
// once in double and twice in single precision, coarse levels a third more, and the vectors.
#include "bench.h"
#include "../tests/column_geometry.h"
#include "base/context.h"
#include "sparse/column_solver.h"

typedef struct
{
    pl_context *ctx;
    const char *name;
    columns columns;
    double *x;
    double tolerance;
    pl__precondition precondition;
    pl__column_solver *solver;
    pl__column_info info;
} pressure;

static void must(pl_status status)
{
    if (status != PL_OK)
        exit(1);
}

static void run_setup(void *argument)
{
    pressure *p = argument;
    must(pl__column_solver_setup(p->solver, &p->columns.system, p->precondition));
}

static void run_solve(void *argument)
{
    pressure *p = argument;
    memset(p->x, 0, (size_t)p->columns.system.count * sizeof *p->x);
    pl__column_limits limits = {p->tolerance, NULL, 5000};
    must(pl__column_solver_solve(p->solver, &limits, p->columns.b, p->x, &p->info));
}

typedef struct
{
    double setup, iteration, whole; // seconds
    int32_t iterations;
} timing;

static timing measure(const bench *b, pressure *p, pl__precondition precondition)
{
    timing t;
    p->precondition = precondition;
    must(pl__column_solver_create(b->ctx, &p->solver));
    t.setup = bench_time(b, run_setup, p);
    double solve = bench_time(b, run_solve, p);
    pl__column_solver_destroy(&p->solver);
    t.iterations = p->info.iterations;
    t.iteration = solve / (t.iterations ? t.iterations : 1);
    t.whole = t.setup + solve;
    return t;
}

static void report(const bench *b, const pressure *p, const char *what, int32_t threads, double value, double bytes,
                   double ratio, const char *ratio_to)
{
    bench_report(&(bench_row){.name = "multigrid",
                              .variant = bench_text("%s %s", p->name, what),
                              .nodes = p->columns.system.count,
                              .threads = threads,
                              .register_bytes = b->ctx->register_bytes,
                              .value = 1e3 * value,
                              .unit = "ms",
                              .per_node = 1e9 * value / p->columns.system.count,
                              .limit = 1e-6 * bytes / machine_bandwidth(&b->machine, bytes, threads),
                              .limited_by = bytes > 0 ? machine_level(bytes, threads) : NULL,
                              .ratio = ratio,
                              .ratio_to = ratio_to});
}

static double least_bytes(const columns *c)
{
    double n = c->system.count, entries = c->start[c->system.count];
    return 8 * entries + 16 * n + 4.0 / 3 * (8 * (entries - n) + 44 * n) + 130 * n;
}

static pressure make_pressure(const bench *b, const char *name, columns c)
{
    pressure p = {.ctx = b->ctx, .name = name, .columns = c};
    p.x = columns_memory((size_t)c.system.count, sizeof *p.x);
    double size = 0;
    for (int32_t i = 0; i < c.system.count; ++i)
        size += c.b[i] * c.b[i];
    p.tolerance = 1e-5 * sqrt(size / c.system.count);
    return p;
}

static void free_pressure(pressure *p)
{
    free(p->x);
    columns_free(&p->columns);
}

static void measure_pressure(bench *b, const char *name, columns c)
{
    pressure p = make_pressure(b, name, c);
    bench_saved saved = bench_use(b, 1, b->ctx->register_bytes);
    timing one = measure(b, &p, PL__PRECONDITION_MULTIGRID);
    timing cholesky = measure(b, &p, PL__PRECONDITION_INCOMPLETE_CHOLESKY);
    bench_restore(b, saved);
    report(b, &p, "setup", 1, one.setup, 0, 0, NULL);
    report(b, &p, bench_text("iteration of %d", one.iterations), 1, one.iteration, least_bytes(&c), 0, NULL);
    report(b, &p, "whole", 1, one.whole, 0, cholesky.whole / one.whole, bench_text("IC(0) of %d", cholesky.iterations));
    if (b->ctx->pool)
    {
        timing two = measure(b, &p, PL__PRECONDITION_MULTIGRID);
        report(b, &p, "setup", 2, two.setup, 0, one.setup / two.setup, "one thread");
        report(b, &p, "iteration", 2, two.iteration, 0, one.iteration / two.iteration, "one thread");
    }
    free_pressure(&p);
}

// Iterations of a solve by size: a multigrid should not care.
static void measure_sizes(const bench *b, const char *name, geometry kind, int32_t most)
{
    int32_t first = 0;
    for (int32_t n = most / 4; n <= most; n *= 2)
    {
        pressure p = make_pressure(b, name, liquid_columns(kind, n, 8));
        p.precondition = PL__PRECONDITION_MULTIGRID;
        must(pl__column_solver_create(b->ctx, &p.solver));
        run_setup(&p);
        run_solve(&p);
        pl__column_solver_destroy(&p.solver);
        first = first ? first : p.info.iterations;
        bench_report(&(bench_row){.name = "multigrid",
                                  .variant = bench_text("%s %d^3", name, n),
                                  .nodes = p.columns.system.count,
                                  .value = p.info.iterations,
                                  .unit = "iterat.",
                                  .ratio = (double)first / p.info.iterations,
                                  .ratio_to = bench_text("%d^3", most / 4)});
        free_pressure(&p);
    }
}

void bench_multigrid(bench *b)
{
    int32_t n = b->effort == BENCH_SMOKE ? 16 : b->effort == BENCH_QUICK ? 64 : 128;
    measure_pressure(b, "box", box_columns(n, n, n, true));
    measure_pressure(b, "canyon", liquid_columns(GEOMETRY_CANYON, n, 8));
    measure_pressure(b, "pool", liquid_columns(GEOMETRY_POOL, n, 8));
    measure_sizes(b, "pool", GEOMETRY_POOL, n); // cubes around the ball: twice that would take 18 GB
    measure_sizes(b, "canyon", GEOMETRY_CANYON, 2 * n);
    measure_sizes(b, "layer", GEOMETRY_LAYER, 2 * n);
}
