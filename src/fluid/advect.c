// src/fluid/advect.c -- traces and MacCormack, sample by sample.
#include "advect.h"
#include "base/task.h"
#include "sample.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 16
};

void pl__grid_flow_velocity(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    (void)time;
    const pl__grid_flow *flow = user;
    for (int axis = 0; axis < 3; ++axis)
        pl__sample(flow->ctx, &flow->grid->face[axis], flow->u[axis], count, x, v[axis], NULL, NULL);
}

typedef struct advect_job
{
    pl__grid_flow flow;
    const pl__columns *lattice;
    bool corner[3];  // its samples are at corners of cells along an axis
    const double *u; // being carried
    double *a;       // A u
    double *low, *high;
    double *result;
    double dt;
    const double *phi;
} advect_job;

typedef struct batch
{
    double x[3][PL__FLOW_BATCH], v[3][PL__FLOW_BATCH], to[3][PL__FLOW_BATCH];
    int32_t count, first; // first: its number
} batch;

// Points reached from the points of a batch in a time dt along the flow, by the midpoint rule.
static void trace(const advect_job *job, batch *b, double dt)
{
    const double *x[3] = {b->x[0], b->x[1], b->x[2]}, *to[3] = {b->to[0], b->to[1], b->to[2]};
    double *v[3] = {b->v[0], b->v[1], b->v[2]};
    pl__grid_flow flow = job->flow;
    pl__grid_flow_velocity(&flow, 0, b->count, x, v);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < b->count; ++n)
            b->to[axis][n] = b->x[axis][n] + 0.5 * dt * v[axis][n];
    pl__grid_flow_velocity(&flow, 0, b->count, to, v);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < b->count; ++n)
            b->to[axis][n] = b->x[axis][n] + dt * v[axis][n];
}

static void carry(const advect_job *job, batch *b)
{
    const double *to[3] = {b->to[0], b->to[1], b->to[2]};
    trace(job, b, -job->dt);
    pl__sample(job->flow.ctx, job->lattice, job->u, b->count, to, job->a + b->first, job->low + b->first,
               job->high + b->first);
}

static void correct(const advect_job *job, batch *b)
{
    const double *to[3] = {b->to[0], b->to[1], b->to[2]};
    trace(job, b, job->dt);
    pl__sample(job->flow.ctx, job->lattice, job->a, b->count, to, b->v[0], NULL, NULL);
    for (int32_t n = 0; n < b->count; ++n)
    {
        int32_t number = b->first + n;
        double low = job->low[number], high = job->high[number];
        double a = job->a[number] + 0.5 * (job->u[number] - b->v[0][n]);
        job->result[number] = low <= high ? (a < low ? low : a > high ? high : a) : job->u[number];
    }
}

// phi of the cell at row j, which may be tall (deep) or missing (far).
static double phi_at(const advect_job *job, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *c = &job->flow.grid->cell;
    if (i < 0 || j < 0 || k < 0 || i >= c->nx || j >= c->ny || k >= c->nz)
        return INFINITY;
    int32_t column = i + c->nx * k, n = pl__columns_uniform(c, column, j);
    return n >= 0 ? job->phi[n] : pl__columns_find(c, column, j) ? -INFINITY : INFINITY;
}

// Whether a cell around a sample is nearer to the liquid than `distance`.
static bool is_near(const advect_job *job, int32_t column, int32_t j, double distance)
{
    int32_t i = column % job->lattice->nx, k = column / job->lattice->nx;
    for (int32_t z = k - job->corner[2]; z <= k; ++z)
        for (int32_t x = i - job->corner[0]; x <= i; ++x)
            for (int32_t y = j - job->corner[1]; y <= j; ++y)
                if (phi_at(job, x, y, z) < distance)
                    return true;
    return false;
}

// Rows that are near, in batches of contiguous ones.
static void for_rows(const advect_job *job, int32_t begin, int32_t end, double distance,
                     void (*work)(const advect_job *, batch *))
{
    const pl__columns *c = job->lattice;
    batch b = {.count = 0};
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1 + 1; ++j)
            {
                bool near = j <= run->j1 && is_near(job, column, j, distance);
                if (b.count > 0 && (!near || b.count == PL__FLOW_BATCH))
                {
                    work(job, &b);
                    b.count = 0;
                }
                if (!near)
                    continue;
                double x[3];
                pl__grid_point(c, column % c->nx, j, column / c->nx, x);
                b.first = b.count > 0 ? b.first : run->first + j - run->j0;
                b.x[0][b.count] = x[0], b.x[1][b.count] = x[1], b.x[2][b.count] = x[2];
                ++b.count;
            }
        }
}

static void carry_columns(void *argument, int32_t begin, int32_t end)
{
    const advect_job *job = argument;
    for_rows(job, begin, end, 3 * job->lattice->h, carry);
}

static void correct_columns(void *argument, int32_t begin, int32_t end) { for_rows(argument, begin, end, 0, correct); }

pl_status pl__advect(pl_context *ctx, pl__arena *arena, const pl__grid *grid, const double *phi, double dt,
                     double *const u[3], const pl__advected *what, double *result)
{
    const pl__columns *lattice = what->lattice;
    size_t n = (size_t)lattice->value_count;
    pl__arena_mark mark = pl__arena_set_mark(arena);
    advect_job job = {.flow = {ctx, grid, {u[0], u[1], u[2]}},
                      .lattice = lattice,
                      .corner = {what->corner[0], what->corner[1], what->corner[2]},
                      .u = what->value,
                      .a = PL_TAKE(arena, n + 1, double),
                      .low = PL_TAKE(arena, n + 1, double),
                      .high = PL_TAKE(arena, n + 1, double),
                      .result = result,
                      .dt = dt,
                      .phi = phi};
    bool taken = job.a && job.low && job.high;
    if (taken)
    {
        memcpy(job.a, what->value, n * sizeof(double));
        memcpy(result, what->value, n * sizeof(double));
        pl__parallel_for(ctx, lattice->nx * lattice->nz, COLUMNS_PER_TASK, carry_columns, &job);
        pl__parallel_for(ctx, lattice->nx * lattice->nz, COLUMNS_PER_TASK, correct_columns, &job);
    }
    pl__arena_release(arena, mark);
    return taken ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__advect_velocity(pl_context *ctx, pl__arena *arena, const pl__grid *grid, const double *phi, double dt,
                              double *const u[3], double *const result[3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        pl__advected what = {&grid->face[axis], {axis == 0, axis == 1, axis == 2}, u[axis]};
        PL_TRY(pl__advect(ctx, arena, grid, phi, dt, u, &what, result[axis]));
    }
    return PL_OK;
}
