// bench/levelset.c -- the surface of a pool with waves: advection and redistancing by cell, particles by particle.
//
// Uniform cells stand within 10 h of the surface, tall cells below. Cells count that are nearer than 6 h, which is as
// far as distances are made. The flow is a rigid rotation, so that it costs next to nothing.
#include "bench.h"
#include "fluid/grid.h"
#include "fluid/particles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ROWS = 64,
    REACH = 10 // [cells] uniform on both sides of the surface
};

typedef struct pool
{
    const bench *b;
    pl__columns cell;
    pl__levelset ls;
    pl__arena scratch;
    double *given, *next; // phi as it was made; advected
    pl__particles particles;
    pl__motion motion;
    double dt;
} pool;

static _Noreturn void fail(const bench *b)
{
    fprintf(stderr, "pliant bench: %s\n", pl_context_error(b->ctx));
    exit(1);
}

static void rotation(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    (void)user, (void)time;
    for (int32_t n = 0; n < count; ++n)
    {
        v[0][n] = 0.5 - x[1][n];
        v[1][n] = x[0][n] - 0.5;
        v[2][n] = 0.1;
    }
}

// Height of the surface [cells].
static double surface(double i, double k) { return 0.5 * ROWS + 5 * sin(0.21 * i + 0.1 * k) + 3 * cos(0.4 * k); }

static void make_cells(pool *p, int32_t side)
{
    pl_context *ctx = p->b->ctx;
    int32_t n[3] = {side, ROWS, side};
    double origin[3] = {0, 0, 0};
    pl_status status = pl__columns_begin(ctx, &p->cell, n, origin, 1.0 / side);
    for (int32_t column = 0; column < side * side && status == PL_OK; ++column)
    {
        int32_t middle = (int32_t)surface(column % side, column / side);
        status = pl__columns_add(ctx, &p->cell, 0, middle - REACH - 1, PL__RUN_LINEAR);
        if (status == PL_OK)
            status = pl__columns_add(ctx, &p->cell, middle - REACH, middle + REACH, PL__RUN_UNIFORM);
        if (status == PL_OK)
            pl__columns_end_column(&p->cell);
    }
    if (status != PL_OK)
        fail(p->b);
}

static pool *make_pool(const bench *b, int32_t side)
{
    pool *p = calloc(1, sizeof *p);
    p->b = b;
    make_cells(p, side);
    int32_t count = p->cell.value_count;
    double h = p->cell.h;
    p->ls = (pl__levelset){&p->cell, PL_NEW(b->ctx, count, double), 6 * h, NULL};
    p->given = PL_NEW(b->ctx, count, double);
    p->next = PL_NEW(b->ctx, count, double);
    pl__arena_init(&p->scratch, b->ctx);
    if (!p->ls.phi || !p->given || !p->next)
        fail(b);
    for (int32_t column = 0; column < side * side; ++column)
    {
        const pl__main_run *m = &p->cell.main[column];
        for (int32_t j = m->j0; j <= m->j1; ++j)
            p->given[m->base + j] = p->ls.phi[m->base + j] = h * (j - surface(column % side, column / side));
    }
    pl__particles_def def = {32, 3, 1};
    if (pl__levelset_redistance(b->ctx, &p->ls, &p->scratch) ||
        pl__particles_seed(b->ctx, &p->particles, &p->ls, &def, 0, &p->scratch) ||
        pl__particles_reseed(b->ctx, &p->particles, &p->ls, &def, 1, &p->scratch))
        fail(b);
    memcpy(p->given, p->ls.phi, (size_t)count * sizeof(double));
    p->motion = (pl__motion){.flow = rotation};
    p->dt = 0.5 * h;
    return p;
}

static void destroy_pool(pool *p)
{
    pl_context *ctx = p->b->ctx;
    int32_t count = p->cell.value_count;
    PL_DELETE(ctx, p->ls.phi, count);
    PL_DELETE(ctx, p->given, count);
    PL_DELETE(ctx, p->next, count);
    pl__arena_done(&p->scratch);
    pl__particles_done(ctx, &p->particles);
    pl__columns_done(ctx, &p->cell);
    free(p);
}

// ---- what is measured ----------------------------------------------------------------------------------------------

static void advect(void *argument)
{
    pool *p = argument;
    pl__levelset_advect(p->b->ctx, &p->ls, &p->motion, 0, p->dt, p->ls.far, p->next);
}

static void redistance(void *argument)
{
    pool *p = argument;
    memcpy(p->ls.phi, p->given, (size_t)p->cell.value_count * sizeof(double));
    if (pl__levelset_redistance(p->b->ctx, &p->ls, &p->scratch))
        fail(p->b);
}

static void correct(void *argument)
{
    pool *p = argument;
    memcpy(p->ls.phi, p->given, (size_t)p->cell.value_count * sizeof(double));
    if (pl__particles_correct(p->b->ctx, &p->particles, &p->ls, true, &p->scratch))
        fail(p->b);
}

static void radii(void *argument)
{
    pool *p = argument;
    pl__strays strays = {0};
    if (pl__particles_finish(p->b->ctx, &p->particles, &p->ls, &p->scratch, &strays))
        fail(p->b);
    pl__strays_done(p->b->ctx, &strays);
}

static void reseed(void *argument)
{
    pool *p = argument;
    pl__particles_def def = {32, 3, 1};
    if (pl__particles_reseed(p->b->ctx, &p->particles, &p->ls, &def, 2, &p->scratch))
        fail(p->b);
}

// There and back.
static void move(void *argument)
{
    pool *p = argument;
    pl__particles_move(p->b->ctx, &p->particles, &p->cell, &p->motion, 0, p->dt);
    pl__particles_move(p->b->ctx, &p->particles, &p->cell, &p->motion, p->dt, -p->dt);
}

// ns of one thread, and how much faster two are.
static void report(pool *p, const char *variant, void (*work)(void *argument), double count, const char *unit)
{
    double seconds[2];
    for (int32_t threads = 1; threads <= 2; ++threads)
    {
        bench_saved saved = bench_use(p->b, threads, p->b->ctx->register_bytes);
        seconds[threads - 1] = bench_time(p->b, work, p);
        bench_restore(p->b, saved);
    }
    bench_row row = {.name = "levelset",
                     .variant = variant,
                     .nodes = (int32_t)count,
                     .threads = 1,
                     .register_bytes = p->b->ctx->register_bytes,
                     .value = 1e9 * seconds[0] / count,
                     .unit = unit,
                     .ratio = seconds[0] / seconds[1],
                     .ratio_to = "one thread by two"};
    bench_report(&row);
}

void bench_levelset(bench *b)
{
    pool *p = make_pool(b, b->effort == BENCH_SMOKE ? 16 : 64);
    double cells = 0, particles = p->particles.count;
    for (int32_t column = 0; column < p->cell.nx * p->cell.nz; ++column)
        for (int32_t j = p->cell.main[column].j0; j <= p->cell.main[column].j1; ++j)
            cells += fabs(p->given[p->cell.main[column].base + j]) < p->ls.far;
    report(p, "redistance", redistance, cells, "ns/cell");
    memcpy(p->ls.phi, p->given, (size_t)p->cell.value_count * sizeof(double));
    report(p, "advect with rotation", advect, cells, "ns/cell");
    report(p, "move with rotation", move, 2 * particles, "ns/part.");
    report(p, "correct before a step", correct, particles, "ns/part.");
    memcpy(p->ls.phi, p->given, (size_t)p->cell.value_count * sizeof(double));
    report(p, "radii", radii, particles, "ns/part.");
    report(p, "reseed", reseed, particles, "ns/part.");
    // a step that phi has not taken leaves many on the wrong side
    pl__particles_move(b->ctx, &p->particles, &p->cell, &p->motion, 0, 0.1 * p->dt);
    report(p, "correct after a step", correct, particles, "ns/part.");
    destroy_pool(p);
}
