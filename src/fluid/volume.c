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
    double *flux[3];                            // [faces] dt/h w u (theta + r)
    double *new_part, *new_residual, *new_open; // [cells]
    int axis;
} balance_job;

// phi beside a cell, through the side 2 axis + end; its own value where that is closed.
static double phi_beside(const balance_job *job, int32_t i, int32_t j, int32_t k, int32_t number, int side)
{
    const pl__columns *c = &job->b->grid->cell;
    int32_t at[3] = {i, j, k};
    at[side / 2] += side % 2 ? 1 : -1;
    bool outside = at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= c->nx || at[1] >= c->ny || at[2] >= c->nz;
    if (outside || job->b->boundary->sides[number] >> side & 1)
        return job->b->before[number];
    pl__levelset ls = {c, (double *)job->b->before, job->b->far};
    return pl__levelset_at(&ls, at[0] + c->nx * at[2], at[1]);
}

// The part of what flows out of uniform cell (i, j, k) by `way` cells in direction `sign` of an axis that is liquid.
static double liquid_share(const balance_job *job, int axis, double sign, double way, int32_t i, int32_t j, int32_t k,
                           int32_t number)
{
    double h = job->b->grid->cell.h, phi = job->b->before[number];
    if (fabs(phi) > 2 * h)
        return phi < 0;
    double g[3], edge[3];
    for (int a = 0; a < 3; ++a)
    {
        g[a] = 0.5 * (phi_beside(job, i, j, k, number, 2 * a + 1) - phi_beside(job, i, j, k, number, 2 * a));
        edge[a] = fabs(g[a]);
    }
    phi += g[axis] * sign * 0.5 * (1 - way);
    edge[axis] *= way;
    double share = pl__part_below(phi, edge);
    return share * way < job->b->part[number] ? share : job->b->part[number] / way; // no more than there is
}

// Through a face of an open side: what leaves is that of the cell before it, what comes in is below the level.
static double flux_through_side(const balance_job *job, int32_t i, int32_t j, int32_t k, int side, double flow)
{
    const pl__balance *b = job->b;
    const pl__columns *c = &b->grid->cell;
    double out = side % 2 ? flow : -flow;
    int axis = side / 2;
    if (out <= 0)
    {
        double y = c->origin[1] + c->h * j;
        return b->outside->held && axis != 1 ? flow * pl__open_part(b->outside->level - y, c->h) : 0;
    }
    int32_t at[3] = {i - (side == 1), j - (side == 3), k - (side == 5)};
    const pl__run *run = pl__grid_run(c, at[0], at[1], at[2]);
    if (!run || run->kind != PL__RUN_UNIFORM)
        return run ? flow : 0;
    int32_t donor = run->first + at[1] - run->j0;
    return flow *
           (liquid_share(job, axis, side % 2 ? 1 : -1, fmin(out, 1), at[0], at[1], at[2], donor) + b->residual[donor]);
}

static double flux_of(const balance_job *job, int32_t i, int32_t j, int32_t k, int32_t number)
{
    const pl__balance *b = job->b;
    const pl__columns *c = &b->grid->cell;
    int axis = job->axis;
    double flow = b->boundary->open[axis][number] * b->u[axis][number] * b->dt / c->h;
    if (flow == 0)
        return 0;
    int side = b->outside ? pl__outside_side(b->outside, &b->grid->face[axis], axis, i, j, k) : -1;
    if (side >= 0)
        return flux_through_side(job, i, j, k, side, flow);
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
    return flow * (liquid_share(job, axis, flow > 0 ? 1 : -1, way, i, j, k, donor) + b->residual[donor]);
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

// What has come in through a column of faces of an open side [cells]; of tall ones by their moments.
static double entered_column(const balance_job *job, int axis, int32_t i, int32_t k)
{
    const pl__balance *b = job->b;
    const pl__columns *f = &b->grid->face[axis];
    double sum = 0;
    for (size_t r = f->start[i + f->nx * k]; r < f->start[i + f->nx * k + 1]; ++r)
    {
        const pl__run *run = &f->run[r];
        const double *u = b->u[axis] + run->first;
        for (int32_t j = run->j0; j <= run->j1 && run->kind == PL__RUN_UNIFORM; ++j)
        {
            int side = pl__outside_side(b->outside, f, axis, i, j, k);
            sum += side < 0 ? 0 : (side % 2 ? -1 : 1) * job->flux[axis][run->first + j - run->j0];
        }
        int side = run->kind == PL__RUN_LINEAR ? pl__outside_side(b->outside, f, axis, i, run->j0, k) : -1;
        if (side < 0)
            continue;
        const pl__open_moments *w = &b->boundary->moment[axis][r];
        double slope = (u[1] - u[0]) / (run->j1 - run->j0), flow = w->s0 * 0.5 * (u[0] + u[1]) + w->s1 * slope;
        sum += (side % 2 ? -1 : 1) * flow * b->dt / f->h;
    }
    return sum;
}

static double entered_in_all(const balance_job *job)
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &job->b->grid->face[axis];
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
        {
            int32_t i = column % f->nx, k = column / f->nx;
            bool edge = axis == 1 || (axis == 0 ? i == 0 || i == f->nx - 1 : k == 0 || k == f->nz - 1);
            sum += edge ? entered_column(job, axis, i, k) : 0;
        }
    }
    return sum * job->b->grid->cell.h * job->b->grid->cell.h * job->b->grid->cell.h;
}

static void balance_cell(const balance_job *job, int32_t i, int32_t j, int32_t k, int32_t number)
{
    const pl__balance *b = job->b;
    unsigned sides = b->boundary->sides[number];
    double out = 0, opens = 0, open = b->open[number];
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
        {
            int32_t face = pl__grid_face(b->grid, i, j, k, axis, end);
            double w = b->boundary->open[axis][face];
            out += (2 * end - 1) * job->flux[axis][face];
            opens += (2 * end - 1) * (1 - w) * b->boundary->speed[axis][face];
        }
    double next = sides & PL__TOUCHED ? open + opens * b->dt / b->grid->cell.h : 1;
    next = next < 0 || (sides & PL__ALL_SIDES) == PL__ALL_SIDES ? 0 : next < 1 ? next : 1;
    job->new_residual[number] = b->residual[number] + job->b->part[number] * open - job->new_part[number] * next - out;
    job->new_open[number] = next;
}

static void balance_columns(void *argument, int32_t begin, int32_t end)
{
    const balance_job *job = argument;
    const pl__columns *c = &job->b->grid->cell;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t n = run->first; n < run->first + pl__run_numbers(run); ++n)
                if (run->kind == PL__RUN_UNIFORM)
                    balance_cell(job, column % c->nx, run->j0 + n - run->first, column / c->nx, n);
                else
                {
                    job->new_residual[n] = 0;
                    job->new_open[n] = 1;
                }
        }
}

static bool take_balance(const pl__balance *b, pl__arena *scratch, balance_job *job)
{
    size_t cells = (size_t)b->grid->cell.value_count + 1;
    job->new_part = PL_TAKE(scratch, cells, double);
    job->new_residual = PL_TAKE(scratch, cells, double);
    job->new_open = PL_TAKE(scratch, cells, double);
    bool taken = job->new_part && job->new_residual && job->new_open;
    for (int axis = 0; axis < 3; ++axis)
    {
        job->flux[axis] = PL_TAKE(scratch, b->grid->face[axis].value_count + 1, double);
        taken = taken && job->flux[axis];
    }
    return taken;
}

pl_status pl__volume_balance(pl_context *ctx, const pl__balance *b, pl__arena *scratch, double *part, double *residual,
                             double *open, double *entered)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    const pl__columns *c = &b->grid->cell;
    balance_job job = {.b = b};
    bool taken = take_balance(b, scratch, &job);
    if (taken)
    {
        size_t bytes = (size_t)c->value_count * sizeof(double);
        pl__levelset after = {c, (double *)b->after, b->far};
        pl__levelset_parts(ctx, &after, b->boundary->sides, job.new_part);
        for (job.axis = 0; job.axis < 3; ++job.axis)
            pl__parallel_for(ctx, b->grid->face[job.axis].nx * b->grid->face[job.axis].nz, COLUMNS_PER_TASK,
                             flow_through, &job);
        pl__parallel_for(ctx, c->nx * c->nz, COLUMNS_PER_TASK, balance_columns, &job);
        *entered += b->outside && pl__outside_is_open(b->outside) ? entered_in_all(&job) : 0;
        memcpy(part, job.new_part, bytes);
        memcpy(residual, job.new_residual, bytes);
        memcpy(open, job.new_open, bytes);
    }
    pl__arena_release(scratch, mark);
    return taken ? PL_OK : PL_ERR_MEMORY;
}

void pl__volume_open(const pl__columns *cell, const pl__boundary *boundary, double *open)
{
    for (size_t r = 0; r < cell->run_count; ++r)
        for (int32_t n = cell->run[r].first; n < cell->run[r].first + pl__run_numbers(&cell->run[r]); ++n)
        {
            double part = boundary->sides[n] & PL__TOUCHED ? 0.5 + boundary->distance[n] / cell->h : 1;
            open[n] = part < 0 || (boundary->sides[n] & PL__ALL_SIDES) == PL__ALL_SIDES ? 0 : part < 1 ? part : 1;
        }
}

double pl__volume_sum(const pl__columns *cell, const double *part, const double *open)
{
    double sum = 0;
    for (size_t r = 0; r < cell->run_count; ++r)
        if (cell->run[r].kind != PL__RUN_UNIFORM)
            sum += pl__run_rows(&cell->run[r]);
        else
            for (int32_t n = cell->run[r].first; n < cell->run[r].first + pl__run_rows(&cell->run[r]); ++n)
                sum += part[n] * open[n];
    return sum * cell->h * cell->h * cell->h;
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

// Of what is owed, this part is paid back in a step at most, and so much [parts of a cell]. Payment comes a step late:
// all at once would answer to errors that the next step undoes.
static const double most_part = 0.3, most_payment = 0.3;

void pl__volume_payment(const pl__columns *cell, const uint8_t *liquid, const double *residual, double speed, double dt,
                        double *divergence)
{
    double part = dt * speed / cell->h;
    part = part < most_part ? part : most_part;
    for (int32_t n = 0; n < cell->value_count; ++n)
    {
        double pay = part * residual[n];
        pay = pay > most_payment ? most_payment : pay < -most_payment ? -most_payment : pay;
        divergence[n] = liquid[n] ? pay / dt : 0;
    }
}
