// bench/viscosity.c -- the implicit step of viscosity in a pool with waves: microseconds a cell of liquid, by stiffness
// mu dt / (rho h^2) and preconditioner; from u = 0 on all faces but random ones, to 1e-4 of the largest speed.
#include "fluid/viscosity.h"
#include "base/random.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct pool
{
    const bench *b;
    pl__grid grid;
    pl__boundary boundary;
    pl__viscosity *viscosity;
    pl__viscosity_problem problem;
    pl__viscosity_info info;
    double *u[3], *start[3], *phi;
    int32_t liquid; // cells
} pool;

static void check(pl_status status)
{
    if (status != PL_OK)
        exit(1);
}

static double *fill(int32_t count)
{
    double *p = calloc((size_t)count + 1, sizeof *p);
    if (!p)
        exit(1);
    return p;
}

static pool make_pool(const bench *b, int32_t side)
{
    pool p = {.b = b};
    int32_t n[3] = {side, side, side};
    bool closed[6] = {true, true, true, true, true, true};
    check(pl__grid_make_full(b->ctx, &p.grid, n, (double[3]){0, 0, 0}, 1.0 / side));
    check(pl__boundary_update(b->ctx, &p.boundary, &p.grid, &(pl__obstacles){0}, closed));
    check(pl__viscosity_create(b->ctx, &p.viscosity));
    p.phi = fill(p.grid.cell.value_count);
    for (int32_t column = 0; column < side * side; ++column)
        for (int32_t j = 0; j < side; ++j)
        {
            double x[3];
            pl__grid_point(&p.grid.cell, column % side, j, column / side, x);
            double phi = x[1] - 0.7 - 0.1 * sin(6 * x[0] + 4 * x[2]);
            p.phi[pl__columns_uniform(&p.grid.cell, column, j)] = phi;
            p.liquid += phi < 0;
        }
    for (int axis = 0; axis < 3; ++axis)
    {
        int32_t count = p.grid.face[axis].value_count;
        p.u[axis] = fill(count);
        p.start[axis] = fill(count);
        for (int32_t i = 0; i < count; ++i)
            p.start[axis][i] = 2 * pl__random01(5, (uint64_t)axis, (uint64_t)i) - 1;
    }
    p.problem = (pl__viscosity_problem){
        .strain = {.phi = p.phi, .far = 1}, .viscosity = 1, .density = 1, .bulk = 1, .tolerance = 1e-4};
    memcpy(p.problem.strain.closed, closed, sizeof closed);
    return p;
}

static void delete_pool(pool *p)
{
    pl__viscosity_destroy(&p->viscosity);
    for (int axis = 0; axis < 3; ++axis)
    {
        free(p->u[axis]);
        free(p->start[axis]);
    }
    free(p->phi);
    pl__boundary_done(p->b->ctx, &p->boundary);
    pl__grid_done(p->b->ctx, &p->grid);
}

static void run(void *argument)
{
    pool *p = argument;
    p->problem.strain.grid = &p->grid;
    p->problem.strain.boundary = &p->boundary;
    for (int axis = 0; axis < 3; ++axis)
        memcpy(p->u[axis], p->start[axis], (size_t)p->grid.face[axis].value_count * sizeof(double));
    check(pl__viscosity_solve(p->viscosity, &p->problem, p->u, &p->info));
}

void bench_viscosity(bench *b)
{
    static const char *const name[] = {"automatic", "diagonal", "multigrid"};
    int32_t side = b->effort == BENCH_SMOKE ? 8 : 48;
    bench_saved saved = bench_use(b, 1, pl_context_register_bytes(b->ctx));
    pool p = make_pool(b, side);
    for (double stiffness = 0.1; stiffness < 2000; stiffness *= 10)
    {
        double diagonal = 0;
        for (int k = PL__VISCOSITY_DIAGONAL; k <= PL__VISCOSITY_MULTIGRID; ++k)
        {
            p.problem.dt = stiffness / side / side;
            p.problem.precondition = (pl__viscosity_precondition)k;
            double us = 1e6 * bench_time(b, run, &p) / p.liquid;
            diagonal = k == PL__VISCOSITY_DIAGONAL ? us : diagonal;
            bench_report(&(bench_row){
                .name = "viscosity",
                .variant = bench_text("stiffness %g; %s, %d iterations", stiffness, name[k], p.info.iterations),
                .threads = 1,
                .value = us,
                .unit = "us/cell",
                .ratio = diagonal / us,
                .ratio_to = "diagonal"});
        }
    }
    delete_pool(&p);
    bench_restore(b, saved);
}
