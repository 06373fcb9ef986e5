// src/fluid/volume.c -- fluxes of liquid through faces, residuals of cells, and their way back.
#include "volume.h"
#include "base/task.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 32
};

// ---- part of a box below a plane -------------------------------------------------------------------------------

// Inclusion and exclusion of corners (Scardovelli & Zaleski 2000), in as many dimensions as matter.
double pl__part_below(double value, const double edge[3])
{
    double a[3], sum = edge[0] + edge[1] + edge[2], scale = 1, part = 0;
    int n = 0;
    if (fabs(value) >= 0.5 * sum)
        return value < 0;
    for (int k = 0; k < 3; ++k)
        if (edge[k] > 1e-3 * sum)
        {
            a[n] = edge[k];
            scale *= edge[k] * ++n;
        }
    double alpha = -value;
    for (int k = 0; k < n; ++k)
        alpha += 0.5 * a[k];
    for (int subset = 0; subset < 1 << n; ++subset)
    {
        double rest = alpha, sign = 1;
        for (int k = 0; k < n; ++k)
            if (subset >> k & 1)
            {
                rest -= a[k];
                sign = -sign;
            }
        if (rest > 0)
            part += sign * (n == 1 ? rest : n == 2 ? rest * rest : rest * rest * rest);
    }
    part /= scale;
    return part < 0 ? 0 : part < 1 ? part : 1;
}

// ---- fluxes ----------------------------------------------------------------------------------------------------

typedef struct balance_job
{
    const pl__balance *b;
    const double *part[2]; // [cells] V before and after
    const double *residual;
    double *flux[3], *result; // [faces] dt/h w u (theta + r); [cells]
    int axis;
} balance_job;

static int32_t clamp_to(int32_t i, int32_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }

static double phi_at(const balance_job *job, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *c = &job->b->grid->cell;
    pl__levelset ls = {c, (double *)job->b->before, job->b->far};
    return pl__levelset_at(&ls, clamp_to(i, c->nx) + c->nx * clamp_to(k, c->nz), clamp_to(j, c->ny));
}

// The part of what flows out of uniform cell (i, j, k) by `way` cells in direction `sign` of an axis that is liquid.
static double liquid_share(const balance_job *job, int axis, double sign, double way, int32_t i, int32_t j, int32_t k,
                           int32_t number)
{
    double h = job->b->grid->cell.h, phi = job->b->before[number];
    if (fabs(phi) > 2 * h)
        return phi < 0;
    double g[3] = {0.5 * (phi_at(job, i + 1, j, k) - phi_at(job, i - 1, j, k)),
                   0.5 * (phi_at(job, i, j + 1, k) - phi_at(job, i, j - 1, k)),
                   0.5 * (phi_at(job, i, j, k + 1) - phi_at(job, i, j, k - 1))};
    double edge[3] = {fabs(g[0]), fabs(g[1]), fabs(g[2])};
    phi += g[axis] * sign * 0.5 * (1 - way);
    edge[axis] *= way;
    double share = pl__part_below(phi, edge);
    return share * way < job->part[0][number] ? share : job->part[0][number] / way; // no more than there is
}

static double flux_of(const balance_job *job, int32_t i, int32_t j, int32_t k, int32_t number)
{
    const pl__balance *b = job->b;
    const pl__columns *c = &b->grid->cell;
    int axis = job->axis;
    double flow = b->boundary->open[axis][number] * b->u[axis][number] * b->dt / c->h;
    if (flow == 0)
        return 0;
    int32_t below[3] = {i - (axis == 0), j - (axis == 1), k - (axis == 2)};
    const pl__run *run = pl__grid_run(c, below[0], below[1], below[2]), *to = pl__grid_run(c, i, j, k);
    if (!run || !to)
        return 0; // liquid does not get there within a step
    if (flow > 0)
        i = below[0], j = below[1], k = below[2];
    else
    {
        const pl__run *t = run;
        run = to, to = t;
    }
    if (run->kind != PL__RUN_UNIFORM || to->kind != PL__RUN_UNIFORM)
        return flow; // deep inside
    int32_t donor = run->first + j - run->j0;
    double way = fmin(fabs(b->u[axis][number]) * b->dt / c->h, 1);
    return flow * (liquid_share(job, axis, flow > 0 ? 1 : -1, way, i, j, k, donor) + job->residual[donor]);
}

static void flow_through(void *argument, int32_t begin, int32_t end)
{
    const balance_job *job = argument;
    const pl__columns *f = &job->b->grid->face[job->axis];
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
        {
            const pl__run *run = &f->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
                job->flux[job->axis][run->first + j - run->j0] =
                    flux_of(job, column % f->nx, j, column / f->nx, run->first + j - run->j0);
        }
}

static double residual_of(const balance_job *job, int32_t i, int32_t j, int32_t k, int32_t number)
{
    const pl__balance *b = job->b;
    double h = b->grid->cell.h, open = pl__open_part(b->boundary->distance[number], h), out = 0, opens = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
        {
            int32_t face = pl__grid_face(b->grid, i, j, k, axis, end);
            out += (2 * end - 1) * job->flux[axis][face];
            opens += (2 * end - 1) * (1 - b->boundary->open[axis][face]) * b->boundary->speed[axis][face];
        }
    return job->residual[number] + job->part[0][number] * open - job->part[1][number] * (open + opens * b->dt / h) -
           out;
}

static void balance_columns(void *argument, int32_t begin, int32_t end)
{
    const balance_job *job = argument;
    const pl__columns *c = &job->b->grid->cell;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            if (run->kind != PL__RUN_UNIFORM)
                job->result[run->first] = job->result[run->first + 1] = 0;
            else
                for (int32_t j = run->j0; j <= run->j1; ++j)
                {
                    int32_t n = run->first + j - run->j0;
                    job->result[n] = residual_of(job, column % c->nx, j, column / c->nx, n);
                }
        }
}

pl_status pl__volume_balance(pl_context *ctx, const pl__balance *b, pl__arena *scratch, const double *residual,
                             double *result)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    const pl__columns *c = &b->grid->cell;
    double *before = PL_TAKE(scratch, c->value_count + 1, double),
           *after = PL_TAKE(scratch, c->value_count + 1, double);
    balance_job job = {.b = b, .part = {before, after}, .residual = residual};
    bool taken = before && after;
    job.result = PL_TAKE(scratch, c->value_count + 1, double);
    for (int axis = 0; axis < 3; ++axis)
    {
        job.flux[axis] = PL_TAKE(scratch, b->grid->face[axis].value_count + 1, double);
        taken = taken && job.flux[axis];
    }
    if (taken && job.result)
    {
        pl__levelset old = {c, (double *)b->before, b->far}, new = {c, (double *)b->after, b->far};
        pl__levelset_parts(ctx, &old, before);
        pl__levelset_parts(ctx, &new, after);
        for (job.axis = 0; job.axis < 3; ++job.axis)
            pl__parallel_for(ctx, b->grid->face[job.axis].nx * b->grid->face[job.axis].nz, COLUMNS_PER_TASK,
                             flow_through, &job);
        pl__parallel_for(ctx, c->nx * c->nz, COLUMNS_PER_TASK, balance_columns, &job);
        memcpy(result, job.result, (size_t)c->value_count * sizeof(double));
    }
    pl__arena_release(scratch, mark);
    return taken && job.result ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__volume_of(pl_context *ctx, const pl__levelset *ls, const pl__boundary *boundary, pl__arena *scratch,
                        double *volume)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    const pl__columns *c = ls->cell;
    double *clip = PL_TAKE(scratch, c->value_count + 1, double);
    pl_status status = PL_ERR_MEMORY;
    if (clip)
    {
        for (size_t r = 0; r < c->run_count; ++r)
            for (int32_t n = c->run[r].first; n < c->run[r].first + pl__run_numbers(&c->run[r]); ++n)
                clip[n] = c->run[r].kind == PL__RUN_UNIFORM ? pl__open_part(boundary->distance[n], c->h) : 1;
        status = pl__levelset_volume(ctx, ls, clip, scratch, volume);
    }
    pl__arena_release(scratch, mark);
    return status;
}

// ---- way back --------------------------------------------------------------------------------------------------

// The uniform cells beside (i, j, k) through open faces, -1 where there is none.
static void cells_beside(const pl__grid *grid, const pl__boundary *boundary, int32_t i, int32_t j, int32_t k,
                         int32_t beside[6])
{
    for (int n = 0; n < 6; ++n)
    {
        int axis = n / 2, end = n % 2;
        int32_t at[3] = {i, j, k};
        at[axis] += 2 * end - 1;
        const pl__run *run = pl__grid_run(&grid->cell, at[0], at[1], at[2]);
        bool open =
            run && run->kind == PL__RUN_UNIFORM && boundary->open[axis][pl__grid_face(grid, i, j, k, axis, end)] > 0;
        beside[n] = open ? run->first + at[1] - run->j0 : -1;
    }
}

// Where the residual of cell n goes: a twelfth to each liquid neighbour from liquid, so that neighbours even out; all
// of it from air, or, where no neighbour is liquid, to the one nearest to it.
static void settle_cell(const uint8_t *liquid, const double *phi, int32_t n, const int32_t beside[6], double residual,
                        double *gain)
{
    int32_t best = -1, count = 0;
    for (int m = 0; m < 6; ++m)
        if (beside[m] >= 0)
        {
            count += liquid[beside[m]];
            best = best < 0 || phi[beside[m]] < phi[best] ? beside[m] : best;
        }
    double share = liquid[n] ? residual / 12 : count > 0 ? residual / count : 0;
    for (int m = 0; m < 6; ++m)
        if (beside[m] >= 0 && liquid[beside[m]])
        {
            gain[beside[m]] += share;
            gain[n] -= share;
        }
    if (!liquid[n] && count == 0 && best >= 0 && phi[best] < phi[n])
    {
        gain[best] += residual;
        gain[n] -= residual;
    }
}

pl_status pl__volume_settle(const pl__grid *grid, const pl__boundary *boundary, const uint8_t *liquid,
                            const double *phi, pl__arena *scratch, double *residual)
{
    const pl__columns *c = &grid->cell;
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    double *gain = PL_TAKE(scratch, c->value_count + 1, double);
    if (!gain)
        return PL_ERR_MEMORY;
    memset(gain, 0, (size_t)c->value_count * sizeof(double));
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0, beside[6];
                if (residual[n] == 0)
                    continue;
                cells_beside(grid, boundary, column % c->nx, j, column / c->nx, beside);
                settle_cell(liquid, phi, n, beside, residual[n], gain);
            }
        }
    for (int32_t n = 0; n < c->value_count; ++n)
        residual[n] += gain[n];
    pl__arena_release(scratch, mark);
    return PL_OK;
}

// Of what is owed, this part is paid back in a step, and at most so much [parts of a cell]. Payment comes a step late:
// all at once would answer to errors that the next step undoes.
static const double payment = 0.3, most_payment = 0.3;

void pl__volume_payment(const pl__columns *cell, const uint8_t *liquid, const double *residual, double dt,
                        double *divergence)
{
    for (int32_t n = 0; n < cell->value_count; ++n)
    {
        double pay = payment * residual[n];
        pay = pay > most_payment ? most_payment : pay < -most_payment ? -most_payment : pay;
        divergence[n] = liquid[n] ? pay / dt : 0;
    }
}
