// src/fluid/visible.c -- samples that a point can see past moving solids.
#include "visible.h"
#include "base/task.h"
#include "grid.h"

#include <math.h>

enum
{
    COLUMNS_PER_TASK = 16
};

// [cells] Solids thinner than this have two sides within the samples of a point; they matter within this distance.
static const double thin = 2, near_by = 2;

// The mean of samples around y from which x can be reached.
static double visible_mean(const pl__levelset *ls, const pl__obstacles *obstacles, const double x[3], const double y[3],
                           double own)
{
    const pl__columns *c = ls->cell;
    pl__cube cube = pl__cube_at(c, y[0], y[1], y[2]);
    double from[3][8], to[3][8], weight[8], value[8], sum = 0, total = 0;
    int32_t i = cube.column % c->nx, k = cube.column / c->nx;
    for (int n = 0; n < 8; ++n)
    {
        int up[3] = {n >> 1 & 1, n & 1, n >> 2};
        int32_t column = cube.column + up[0] * cube.step[0] + up[2] * cube.step[1],
                j = cube.j + (c->ny > 1 ? up[1] : 0);
        double center[3];
        pl__grid_point(c, i + (cube.step[0] ? up[0] : 0), j, k + (cube.step[1] ? up[2] : 0), center);
        weight[n] = 1;
        for (int axis = 0; axis < 3; ++axis)
        {
            weight[n] *= up[axis] ? cube.part[axis] : 1 - cube.part[axis];
            from[axis][n] = center[axis];
            to[axis][n] = x[axis];
        }
        value[n] = pl__levelset_at(ls, column, j);
    }
    (void)pl__obstacles_stop(obstacles, 0, 1e-3 * c->h, PL__WAY_STEP * c->h, 8,
                             (const double *const[3]){from[0], from[1], from[2]},
                             (double *const[3]){to[0], to[1], to[2]});
    for (int n = 0; n < 8; ++n)
        if (to[0][n] == x[0] && to[1][n] == x[1] && to[2][n] == x[2])
        {
            sum += weight[n] * value[n];
            total += weight[n];
        }
    return total > 1e-6 ? sum / total : own;
}

typedef struct visible_job
{
    const pl__levelset *ls;
    const pl__boundary *boundary;
    const pl__obstacles *obstacles;
    const pl__motion *motion;
    double time, dt;
    double *phi;
} visible_job;

static void advect_cell(const visible_job *job, const double x[3], int32_t number)
{
    double y[3] = {x[0], x[1], x[2]};
    pl__flow_trace(job->motion, job->time, -job->dt, 1, (double *const[3]){&y[0], &y[1], &y[2]});
    job->phi[number] = visible_mean(job->ls, job->obstacles, x, y, job->ls->phi[number]);
}

static void advect_columns(void *argument, int32_t begin, int32_t end)
{
    const visible_job *job = argument;
    const pl__columns *c = job->ls->cell;
    double reach = near_by * c->h;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0;
                double x[3];
                pl__near_obstacles near;
                if (job->boundary->nearest[n] < 0 || fabs(job->boundary->distance[n]) > reach)
                    continue;
                pl__grid_point(c, column % c->nx, j, column / c->nx, x);
                pl__obstacles_find(job->obstacles, x, x, reach, false, &near);
                if (pl__obstacles_are_thin(&near, x, reach, thin * c->h))
                    advect_cell(job, x, n);
            }
        }
}

void pl__visible_advect(pl_context *ctx, const pl__levelset *ls, const pl__boundary *boundary,
                        const pl__obstacles *obstacles, const pl__motion *motion, double time, double dt, double *phi)
{
    visible_job job = {ls, boundary, obstacles, motion, time, dt, phi};
    pl__parallel_for(ctx, ls->cell->nx * ls->cell->nz, COLUMNS_PER_TASK, advect_columns, &job);
}
