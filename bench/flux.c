// bench/flux.c -- upwind fluxes of tall cells: microseconds a run of faces, and what ten times the rows cost.
#include "fluid/flux.h"
#include "base/random.h"
#include "bench.h"

#include <stdlib.h>

typedef struct
{
    const bench *b;
    pl__arena arena;
    pl__grid grid;
    pl__boundary boundary;
    double *u[3], *result[3];
    int32_t runs; // of faces that are not uniform
    pl__flux_info info;
} sea;

static void check(pl_status status)
{
    if (status != PL_OK)
        exit(1);
}

static void *fill(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p)
        exit(1);
    return p;
}

// Open water with a flow that changes its sign with depth, and turns.
static void make_faces(sea *s, int axis)
{
    const pl__columns *f = &s->grid.face[axis];
    size_t n = (size_t)f->value_count;
    s->u[axis] = fill(n, sizeof(double));
    s->result[axis] = fill(n, sizeof(double));
    s->boundary.open[axis] = fill(n, sizeof(double));
    s->boundary.speed[axis] = fill(n, sizeof(double));
    s->boundary.moment[axis] = fill(f->run_count, sizeof(pl__open_moments));
    for (size_t i = 0; i < n; ++i)
    {
        s->u[axis][i] = 2 * pl__random01(1, (uint64_t)axis, i) - 1;
        s->boundary.open[axis][i] = 1;
    }
    for (size_t r = 0; r < f->run_count; ++r)
    {
        double rows = pl__run_rows(&f->run[r]);
        s->boundary.moment[axis][r] = (pl__open_moments){.s0 = rows, .s2 = rows * (rows * rows - 1) / 12};
        s->runs += f->run[r].kind != PL__RUN_UNIFORM;
    }
}

// side^2 columns of tall cells on rough ground below eight uniform cells.
static sea make_sea(const bench *b, int32_t side, int32_t rows)
{
    sea s = {.b = b};
    int32_t n[3] = {side, rows + 8, side};
    double origin[3] = {0, 0, 0};
    pl__arena_init(&s.arena, b->ctx);
    check(pl__columns_begin(b->ctx, &s.grid.cell, n, origin, 1));
    for (int32_t column = 0; column < side * side; ++column)
    {
        int32_t ground = (int32_t)(pl__random01(2, 0, (uint64_t)column) * 0.25 * rows);
        check(pl__columns_add(b->ctx, &s.grid.cell, ground, rows - 1, PL__RUN_LINEAR));
        check(pl__columns_add(b->ctx, &s.grid.cell, rows, rows + 7, PL__RUN_UNIFORM));
        pl__columns_end_column(&s.grid.cell);
    }
    check(pl__grid_make_faces(b->ctx, &s.grid));
    for (int axis = 0; axis < 3; ++axis)
        make_faces(&s, axis);
    return s;
}

static void delete_sea(sea *s)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        free(s->u[axis]);
        free(s->result[axis]);
        free(s->boundary.open[axis]);
        free(s->boundary.speed[axis]);
        free(s->boundary.moment[axis]);
    }
    pl__grid_done(s->b->ctx, &s->grid);
    pl__arena_done(&s->arena);
}

static void run(void *argument)
{
    sea *s = argument;
    pl__flux_problem problem = {
        .grid = &s->grid, .boundary = &s->boundary, .u = {s->u[0], s->u[1], s->u[2]}, .dt = 1e-9};
    check(pl__flux_advect(s->b->ctx, &s->arena, &problem, s->result, &s->info));
}

void bench_flux(bench *b)
{
    int32_t side = b->effort == BENCH_SMOKE ? 8 : 64;
    double first = 0;
    bench_saved saved = bench_use(b, 1, pl_context_register_bytes(b->ctx));
    for (int32_t rows = 300; rows <= 30000; rows *= 10)
    {
        sea s = make_sea(b, side, rows);
        double us = 1e6 * bench_time(b, run, &s) / s.runs;
        first = first > 0 ? first : us;
        bench_report(&(bench_row){
            .name = "flux",
            .variant = bench_text("%d rows; %.1f evaluations a run", rows, (double)s.info.evaluations / s.runs),
            .threads = 1,
            .value = us,
            .unit = "us/run",
            .ratio = first / us,
            .ratio_to = "300 rows"});
        delete_sea(&s);
    }
    bench_restore(b, saved);
}
