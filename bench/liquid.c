// bench/liquid.c -- whole steps of liquids: a dam break, a pool four times as deep, one of four liquids, and ten
// million cells.
//
// The dam is that of Mantaflow's examples, 0.4 x 0.6 x 1 of a unit box, when its front has met the wall. A rate counts
// all cells of the box, as others count, and the processor time of one thread; steps with one and with two threads take
// turns, so that both see the same liquid. Parts are those of step.c. The same dam as dough: what a step costs more
// than one of water on the same cells, iterations of its viscous solve, and how many steps at the explicit limit of its
// shear waves, h sqrt(2 rho / E), one replaces.
#include "fluid/liquid.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double gravity[3] = {0, -9.81, 0};
static const pl__obstacles nothing = {NULL, 0};
static const char *const part_name[PL__LIQUID_PARTS] = {
    [PL__PART_LEVELSET] = "surface",    [PL__PART_MARKERS] = "markers",        [PL__PART_DISTANCE] = "distance",
    [PL__PART_BALANCE] = "volume",      [PL__PART_VELOCITY] = "velocity",      [PL__PART_GRID] = "grid",
    [PL__PART_BOUNDARY] = "boundary",   [PL__PART_FORCES] = "forces",          [PL__PART_PRESSURE] = "pressure",
    [PL__PART_VISCOSITY] = "viscosity", [PL__PART_EXTRAPOLATE] = "extrapolate"};

typedef struct tank
{
    const bench *b;
    pl__liquid *liquid;
    double part[PL__LIQUID_PARTS], last;                        // seconds of each, and when the last one ended
    double steps, iterations, passes, viscous_iterations, time; // of steps with one thread
    size_t memory;
    double height; // of the water of a pool
} tank;

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(const bench *b, pl_status status)
{
    if (status == PL_OK)
        return;
    fprintf(stderr, "pliant bench: %s\n", pl_context_error(b->ctx));
    exit(1);
}

static double box_distance(const double low[3], const double high[3], const double x[3])
{
    double inside = -INFINITY, square = 0;
    for (int a = 0; a < 3; ++a)
    {
        double d = fmax(low[a] - x[a], x[a] - high[a]);
        inside = fmax(inside, d);
        square += d > 0 ? d * d : 0;
    }
    return inside < 0 ? inside : sqrt(square);
}

static double dam(void *user, const double x[3], double velocity[3])
{
    (void)user;
    velocity[0] = velocity[1] = velocity[2] = 0;
    return box_distance((double[3]){-1, -1, -1}, (double[3]){0.4, 0.6, 2}, x);
}

// Standing waves on water of some height.
static double pool(void *user, const double x[3], double velocity[3])
{
    const tank *t = user;
    velocity[0] = velocity[1] = velocity[2] = 0;
    return x[1] - t->height - 0.03 * cos(2 * M_PI * x[0]) * cos(2 * M_PI * x[2]);
}

static double pool_of_four(void *user, const double x[3], double velocity[3]) { return pool(user, x, velocity); }

// Its layers.
static double layer(void *user, int32_t liquid, const double x[3])
{
    const tank *t = user;
    double wave = 0.03 * cos(2 * M_PI * x[0]) * cos(2 * M_PI * x[2]), height = 0.25 * t->height;
    double below = x[1] - wave - (liquid + 1) * height, above = liquid * height - x[1] + wave;
    return fmax(fmax(liquid < 3 ? below : 0, liquid > 0 ? above : 0), 0);
}

static const double dough_viscosity = 50, dough_elasticity = 1e4; // [Pa s] [Pa]

static tank make_tank(const bench *b, const int32_t cells[3], double h, double depth, double height,
                      pl__liquid_shape *shape, bool dough)
{
    tank t = {.b = b, .height = height};
    pl__liquid_def def = {.cells = {cells[0], cells[1], cells[2]},
                          .h = h,
                          .depth = depth,
                          .closed = {true, true, true, true, true, true},
                          .cfl = 1,
                          .tolerance = 1e-4,
                          .density = 1000,
                          .liquid_count = shape == pool_of_four ? 4 : 0,
                          .region = layer};
    for (int32_t i = 0; i < def.liquid_count; ++i)
        def.law[i].density = 1300 - 100 * i;
    if (dough)
    {
        def.viscosity = dough_viscosity;
        def.viscous = def.remembers = true;
        def.elastic = (pl__elastic_law){.elasticity = dough_elasticity, .yield = 0.08, .flow = 12};
    }
    size_t before = pl_context_memory(b->ctx);
    must(b, pl__liquid_create(b->ctx, &def, shape, &t, &nothing, &t.liquid));
    t.memory = before;
    return t;
}

static void note_part(void *user, pl__liquid_part part)
{
    tank *t = user;
    double now = clock_of(CLOCK_THREAD_CPUTIME_ID);
    t->part[part] += now - t->last;
    t->last = now;
}

// One step; its seconds, of the processor for one thread and of the wall for two.
static double step(tank *t, int32_t threads)
{
    clockid_t id = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    pl__liquid *l = t->liquid;
    bench_saved saved = bench_use(t->b, threads, t->b->ctx->register_bytes);
    double dt = pl__liquid_longest_step(l, gravity), begin = clock_of(id);
    t->last = clock_of(CLOCK_THREAD_CPUTIME_ID);
    l->watch = threads == 1 ? note_part : NULL;
    l->watch_user = t;
    must(t->b, pl__liquid_step(l, dt, gravity, &nothing));
    double seconds = clock_of(id) - begin;
    bench_restore(t->b, saved);
    t->steps += threads == 1;
    t->iterations += threads == 1 ? l->info.pressure.solve.iterations : 0;
    t->passes += threads == 1 ? l->info.pressure.passes : 0;
    t->viscous_iterations += threads == 1 ? l->info.viscosity.iterations : 0;
    t->time += threads == 1 ? dt : 0;
    return seconds;
}

static double box_cells(const tank *t)
{
    const int32_t *n = t->liquid->def.cells;
    return (double)n[0] * (double)n[1] * (double)n[2];
}

static void report(const tank *t, const char *variant, int32_t threads, double value, const char *unit, double ratio,
                   const char *ratio_to)
{
    bench_report(&(bench_row){.name = "liquid",
                              .variant = variant,
                              .nodes = t->liquid->state.grid.cell.value_count,
                              .threads = threads,
                              .register_bytes = t->b->ctx->register_bytes,
                              .value = value,
                              .unit = unit,
                              .ratio = ratio,
                              .ratio_to = ratio_to});
}

static double bytes_per_cell(const tank *t)
{
    return (double)(pl_context_memory(t->b->ctx) - t->memory) / t->liquid->state.grid.cell.value_count;
}

static void advance(tank *t, double time)
{
    while (t->liquid->state.time < time)
        (void)step(t, t->b->effort == BENCH_FULL ? 2 : 1);
    t->steps = t->iterations = t->passes = 0;
    memset(t->part, 0, sizeof t->part);
}

static void measure_dam(const bench *b, int32_t n)
{
    int samples = b->effort == BENCH_SMOKE ? 1 : b->effort == BENCH_QUICK ? 6 : 10;
    tank t = make_tank(b, (int32_t[3]){n, n, n}, 1.0 / n, 0, 0, dam, false);
    double seconds[2] = {0, 0}, start = t.liquid->start_volume, *part = t.part;
    advance(&t, b->effort == BENCH_SMOKE ? 0 : 0.4);
    for (int k = 0; k < samples; ++k)
    {
        seconds[0] += step(&t, 1) / samples;
        seconds[1] += step(&t, 2) / samples;
    }
    pl__liquid_sums sums;
    must(b, pl__liquid_sum(t.liquid, &sums));
    report(&t, bench_text("dam %d a step", n), 1, 1e3 * seconds[0], "ms", 0, NULL);
    report(&t, bench_text("dam %d", n), 1, 1e-6 * box_cells(&t) / seconds[0], "Mcells/s", 0, NULL);
    report(&t, bench_text("dam %d", n), 2, 1e-6 * box_cells(&t) / seconds[1], "Mcells/s", seconds[0] / seconds[1],
           "one thread");
    report(&t, bench_text("dam %d volume drift", n), 1, 100 * ((sums.volume + sums.spray) / start - 1), "%", 0, NULL);
    report(&t, bench_text("dam %d memory", n), 1, bytes_per_cell(&t), "B/cell", 0, NULL);
    report(&t, bench_text("dam %d iterations", n), 1, t.iterations / t.steps, "a step", 0, NULL);
    report(&t, bench_text("dam %d passes", n), 1, t.passes / t.steps, "a step", 0, NULL);
    for (int k = 0; k < PL__LIQUID_PARTS; ++k)
        if (part_name[k])
            report(&t, bench_text("dam %d %s", n, part_name[k]), 1,
                   1e9 * part[k] / t.steps / t.liquid->state.grid.cell.value_count, "ns/cell", 0, NULL);
    pl__liquid_destroy(&t.liquid);
}

// Longest stable explicit step, of shear waves and of the diffusion of momentum.
static double explicit_limit(double h, double density)
{
    return fmin(h * sqrt(2 * density / dough_elasticity), density * h * h / (6 * dough_viscosity));
}

// The dam as water and as dough, which both begin to fall.
static void measure_dough(const bench *b, int32_t n)
{
    double seconds[2] = {0, 0};
    int samples = b->effort == BENCH_SMOKE ? 1 : 6;
    for (int dough = 0; dough < 2; ++dough)
    {
        tank t = make_tank(b, (int32_t[3]){n, n, n}, 1.0 / n, 0, 0, dam, dough);
        for (int k = 0; k < 3; ++k)
            (void)step(&t, 1);
        t.steps = t.iterations = t.viscous_iterations = t.time = 0;
        memset(t.part, 0, sizeof t.part);
        for (int k = 0; k < samples; ++k)
            seconds[dough] += step(&t, 1) / samples;
        report(&t, bench_text("%s %d a step", dough ? "dough" : "water", n), 1, 1e3 * seconds[dough], "ms",
               dough ? seconds[0] / seconds[1] : 0, "water");
        for (int k = 0; k < PL__LIQUID_PARTS && dough; ++k)
            if (part_name[k])
                report(&t, bench_text("dough %d %s", n, part_name[k]), 1,
                       1e9 * t.part[k] / t.steps / t.liquid->state.grid.cell.value_count, "ns/cell", 0, NULL);
        if (dough)
        {
            report(&t, bench_text("dough %d iterations", n), 1, t.viscous_iterations / t.steps, "a step", 0, NULL);
            report(&t, bench_text("dough %d step over the explicit limit", n), 1,
                   t.time / t.steps / explicit_limit(1.0 / n, 1000), "", 0, NULL);
        }
        pl__liquid_destroy(&t.liquid);
    }
}

// Water of 3/4 and of 15/4 lengths, with uniform cells down to 1/4: as deep again four times below.
static void measure_depth(const bench *b, int32_t n)
{
    double seconds[2] = {0, 0}, memory[2], iterations[2];
    int samples = b->effort == BENCH_SMOKE ? 1 : 6;
    for (int deep = 0; deep < 2; ++deep)
    {
        int32_t rows = deep ? 4 * n : n;
        double h = 1.0 / n;
        tank t = make_tank(b, (int32_t[3]){n, rows, n}, h, 0.25, rows * h - 0.25, pool, false);
        for (int k = 0; k < 3; ++k)
            (void)step(&t, 1);
        for (int k = 0; k < samples; ++k)
            seconds[deep] += step(&t, 1) / samples;
        memory[deep] = (double)(pl_context_memory(b->ctx) - t.memory);
        iterations[deep] = t.iterations / t.steps;
        report(&t, bench_text("pool %d deep: a step", rows), 1, 1e3 * seconds[deep], "ms",
               deep ? seconds[0] / seconds[1] : 0, "the shallow one");
        report(&t, bench_text("pool %d deep: memory", rows), 1, 1e-6 * memory[deep], "MB",
               deep ? memory[0] / memory[1] : 0, "the shallow one");
        report(&t, bench_text("pool %d deep: iterations", rows), 1, iterations[deep], "a step", 0, NULL);
        pl__liquid_destroy(&t.liquid);
    }
}

// A pool of one liquid and of four.
static void measure_liquids(const bench *b, int32_t n)
{
    double seconds[2] = {0, 0};
    int samples = b->effort == BENCH_SMOKE ? 1 : 6;
    for (int several = 0; several < 2; ++several)
    {
        tank t = make_tank(b, (int32_t[3]){n, n, n}, 1.0 / n, 0, 0.75, several ? pool_of_four : pool, false);
        for (int k = 0; k < 3; ++k)
            (void)step(&t, 1);
        for (int k = 0; k < samples; ++k)
            seconds[several] += step(&t, 1) / samples;
        report(&t, bench_text("pool %d of %d liquids: a step", n, several ? 4 : 1), 1, 1e3 * seconds[several], "ms",
               several ? seconds[0] / seconds[1] : 0, "one liquid");
        pl__liquid_destroy(&t.liquid);
    }
}

// Half a tank of water, more than ten million cells.
static void measure_large(const bench *b)
{
    int32_t n = 272;
    tank t = make_tank(b, (int32_t[3]){n, n, n}, 1.0 / n, 0, 0.5, pool, false);
    for (int k = 0; k < 2; ++k)
        (void)step(&t, 2);
    double seconds = step(&t, 2);
    report(&t, bench_text("pool %d a step", n), 2, 1e3 * seconds, "ms", 0, NULL);
    report(&t, bench_text("pool %d memory", n), 2, 1e-9 * (double)(pl_context_memory(b->ctx) - t.memory), "GB", 0,
           NULL);
    pl__liquid_destroy(&t.liquid);
}

void bench_liquid(bench *b)
{
    int32_t most = b->effort == BENCH_SMOKE ? 16 : b->effort == BENCH_QUICK ? 64 : 128;
    for (int32_t n = most < 32 ? most : 32; n <= most; n *= 2)
        measure_dam(b, n);
    for (int32_t n = most < 32 ? most : 32; n <= most; n += 32)
        measure_dough(b, n);
    measure_depth(b, b->effort == BENCH_FULL ? 64 : b->effort == BENCH_QUICK ? 32 : 16);
    measure_liquids(b, b->effort == BENCH_FULL ? 64 : b->effort == BENCH_QUICK ? 32 : 16);
    if (b->effort == BENCH_FULL)
        measure_large(b);
}
