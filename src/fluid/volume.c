// src/fluid/volume.c -- fluxes of liquid through faces, residuals of cells, and their way back.
#include "volume.h"
#include "base/task.h"
#include "stretch.h"

#include <math.h>

enum
{
    COLUMNS_PER_TASK = 32,
    CELLS_PER_TASK = 16384
};

// Of what is owed, this part is paid back in a step at most, and so much [parts of a cell]. Payment comes a step late:
// all at once would answer to errors that the next step undoes.
static const double most_part = 0.3, most_payment = 0.3;

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
    double *flux[3];                // [faces] dt/h w u (theta + c r)
    double *slope[3];               // [cells] of phi per cell, near the surface
    double *carried;                // [cells] c
    double *new_part;               // [cells]
    double *part, *residual, *open; // [cells] results; they may be those of `b`
    int axis;
} balance_job;

// phi beside a cell, through a side; its own value where that is closed.
static double phi_beside(const balance_job *job, const pl__cell_stretch *s, int32_t j, int side)
{
    const double *phi = job->b->before;
    uint8_t kind = s->kind[side];
    if (kind == PL__BESIDE_OUTSIDE || job->b->boundary->sides[s->own + j] >> side & 1)
        return phi[s->own + j];
    return kind == PL__BESIDE_UNIFORM ? phi[s->cell[side] + j] : kind == PL__BESIDE_TALL ? -job->b->far : job->b->far;
}

// Slopes of phi in cells near the surface.
static void find_slopes(void *argument, int32_t begin, int32_t end)
{
    const balance_job *job = argument;
    double near = 2 * job->b->grid->cell.h;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
        for (pl__cell_walk w = pl__cell_walk_begin(job->b->grid, column); pl__cell_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
                for (int axis = 0; axis < 3 && fabs(job->b->before[s.own + j]) <= near; ++axis)
                    job->slope[axis][s.own + j] =
                        0.5 * (phi_beside(job, &s, j, 2 * axis + 1) - phi_beside(job, &s, j, 2 * axis));
}

// A cell gives no more of r away than what is left of it when its divergence has paid (volume.h).
static void find_carried(void *argument, int32_t begin, int32_t end)
{
    const balance_job *job = argument;
    const pl__balance *b = job->b;
    double scale = b->dt / b->grid->cell.h;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
        for (pl__cell_walk w = pl__cell_walk_begin(b->grid, column); pl__cell_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
            {
                double out = 0, paid = 0, owed = b->residual[s.own + j];
                for (int side = 0; side < 6; ++side)
                {
                    int32_t face = s.face[side] + j;
                    double flow = b->boundary->open[side / 2][face] * b->u[side / 2][face] * scale;
                    flow = side % 2 ? flow : -flow;
                    out += fmax(flow, 0);
                    paid += flow;
                }
                paid = b->before[s.own + j] < 0 && owed != 0 ? fmax(0, fmin(paid / owed, 1)) : 0;
                job->carried[s.own + j] = out > 1 - paid ? (1 - paid) / out : 1;
            }
}

// The part of what flows out of a uniform cell by `way` cells in direction `sign` of an axis that is liquid.
static double liquid_share(const balance_job *job, int axis, double sign, double way, int32_t number)
{
    double h = job->b->grid->cell.h, phi = job->b->before[number];
    if (fabs(phi) > 2 * h)
        return phi < 0;
    double edge[3] = {fabs(job->slope[0][number]), fabs(job->slope[1][number]), fabs(job->slope[2][number])};
    phi += job->slope[axis][number] * sign * 0.5 * (1 - way);
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
           (liquid_share(job, axis, side % 2 ? 1 : -1, fmin(out, 1), donor) + job->carried[donor] * b->residual[donor]);
}

// Flow through face `number` [cells], of whatever.
static double flow_of(const balance_job *job, int32_t number)
{
    const pl__balance *b = job->b;
    return b->boundary->open[job->axis][number] * b->u[job->axis][number] * b->dt / b->grid->cell.h;
}

// Between two uniform cells.
static double flux_between(const balance_job *job, int32_t below, int32_t above, int32_t number)
{
    const pl__balance *b = job->b;
    double flow = flow_of(job, number);
    if (flow == 0)
        return 0;
    int32_t donor = flow > 0 ? below : above;
    double way = fmin(fabs(b->u[job->axis][number]) * b->dt / b->grid->cell.h, 1);
    return flow *
           (liquid_share(job, job->axis, flow > 0 ? 1 : -1, way, donor) + job->carried[donor] * b->residual[donor]);
}

// Beside tall cells, which are deep inside, and where a cell is missing: liquid gets there through open sides only.
static double flux_at_edge(const balance_job *job, int32_t i, int32_t k, const pl__face_stretch *s, int32_t j)
{
    const pl__outside *o = job->b->outside;
    double flow = flow_of(job, s->own + j);
    int side = o ? pl__outside_side(o, &job->b->grid->face[job->axis], job->axis, i, j, k) : -1;
    if (flow != 0 && side >= 0)
        return flux_through_side(job, i, j, k, side, flow);
    return s->kind[0] >= PL__BESIDE_UNIFORM && s->kind[1] >= PL__BESIDE_UNIFORM ? flow : 0;
}

static void flow_through(void *argument, int32_t begin, int32_t end)
{
    const balance_job *job = argument;
    const pl__columns *f = &job->b->grid->face[job->axis];
    double *flux = job->flux[job->axis];
    pl__face_stretch s;
    for (int32_t column = begin; column < end; ++column)
        for (pl__face_walk w = pl__face_walk_begin(job->b->grid, job->axis, column); pl__face_walk_next(&w, &s);)
        {
            bool inner = s.kind[0] == PL__BESIDE_UNIFORM && s.kind[1] == PL__BESIDE_UNIFORM;
            for (int32_t j = s.j0; j <= s.j1; ++j)
                flux[s.own + j] = inner ? flux_between(job, s.cell[0] + j, s.cell[1] + j, s.own + j)
                                        : flux_at_edge(job, column % f->nx, column / f->nx, &s, j);
        }
}

// What flows through a tall run of faces [m/s times rows].
static double flow_of_moments(const pl__run *run, const double *u, const pl__open_moments *w)
{
    double a = u[run->first], b = u[run->first + 1];
    return w->s0 * 0.5 * (a + b) + w->s1 * (b - a) / (run->j1 - run->j0);
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
        for (int32_t j = run->j0; j <= run->j1 && run->kind == PL__RUN_UNIFORM; ++j)
        {
            int side = pl__outside_side(b->outside, f, axis, i, j, k);
            sum += side < 0 ? 0 : (side % 2 ? -1 : 1) * job->flux[axis][run->first + j - run->j0];
        }
        int side = run->kind == PL__RUN_LINEAR ? pl__outside_side(b->outside, f, axis, i, run->j0, k) : -1;
        if (side < 0)
            continue;
        sum += (side % 2 ? -1 : 1) * flow_of_moments(run, b->u[axis], &b->boundary->moment[axis][r]) * b->dt / f->h;
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

// How much of a cell that solids touch is open after the step.
static double open_after(const balance_job *job, const pl__cell_stretch *s, int32_t j)
{
    const pl__balance *b = job->b;
    unsigned sides = b->boundary->sides[s->own + j];
    double opens = 0;
    for (int side = 0; side < 6 && sides & PL__TOUCHED; ++side)
    {
        int32_t face = s->face[side] + j;
        opens += (2 * (side % 2) - 1) * (1 - b->boundary->open[side / 2][face]) * b->boundary->speed[side / 2][face];
    }
    double next = sides & PL__TOUCHED ? b->open[s->own + j] + opens * b->dt / b->grid->cell.h : 1;
    double most = pl__volume_most_room(sides);
    return next < 0 || (sides & PL__ALL_SIDES) == PL__ALL_SIDES ? 0 : next < most ? next : most;
}

static void balance_stretch(const balance_job *job, const pl__cell_stretch *s)
{
    const pl__balance *b = job->b;
    const double *in[3], *out[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        in[axis] = job->flux[axis] + s->face[2 * axis];
        out[axis] = job->flux[axis] + s->face[2 * axis + 1];
    }
    for (int32_t j = s->j0; j <= s->j1; ++j)
    {
        int32_t n = s->own + j;
        double next = b->boundary->sides[n] ? open_after(job, s, j) : 1;
        double flow = out[0][j] - in[0][j] - in[1][j] + out[1][j] - in[2][j] + out[2][j];
        job->residual[n] = b->residual[n] + b->part[n] * b->open[n] - job->new_part[n] * next - flow;
        job->open[n] = next;
        job->part[n] = job->new_part[n];
    }
}

// What leaves a tall cell, and how far solids open it [cells].
typedef struct tall_sums
{
    double out, opens;
} tall_sums;

static void add_face(const balance_job *job, int axis, int end, int32_t face, tall_sums *sums)
{
    const pl__balance *b = job->b;
    sums->out += (2 * end - 1) * job->flux[axis][face];
    sums->opens +=
        (2 * end - 1) * (1 - b->boundary->open[axis][face]) * b->boundary->speed[axis][face] * b->dt / b->grid->cell.h;
}

// Through the faces towards a column beside it.
static void add_side(const balance_job *job, int32_t i, int32_t k, const pl__run *tall, int axis, int end,
                     tall_sums *sums)
{
    const pl__balance *b = job->b;
    const pl__columns *f = &b->grid->face[axis];
    int32_t at = i + (axis == 0 ? end : 0) + f->nx * (k + (axis == 2 ? end : 0));
    for (size_t n = f->start[at]; n < f->start[at + 1]; ++n)
    {
        const pl__run *run = &f->run[n];
        int32_t j0 = run->j0 > tall->j0 ? run->j0 : tall->j0, j1 = run->j1 < tall->j1 ? run->j1 : tall->j1;
        for (int32_t j = j0; j <= j1 && run->kind == PL__RUN_UNIFORM; ++j)
            add_face(job, axis, end, run->first + j - run->j0, sums);
        if (run->kind == PL__RUN_UNIFORM || j1 < j0)
            continue;
        const pl__open_moments *w = &b->boundary->moment[axis][n];
        double scale = (2 * end - 1) * b->dt / f->h;
        sums->out += scale * flow_of_moments(run, b->u[axis], w);
        sums->opens += scale * w->f0;
    }
}

// A tall cell is full: what it is owed goes to the uniform cell above it, or below.
static void balance_tall(const balance_job *job, int32_t column, const pl__run *run)
{
    const pl__balance *b = job->b;
    const pl__columns *c = &b->grid->cell;
    int32_t i = column % c->nx, k = column / c->nx;
    double rows = pl__run_rows(run), open = 0.5 * rows * (b->open[run->first] + b->open[run->first + 1]);
    tall_sums sums = {0};
    for (int end = 0; end < 2; ++end)
    {
        add_side(job, i, k, run, 0, end, &sums);
        add_side(job, i, k, run, 2, end, &sums);
        add_face(job, 1, end, pl__columns_uniform(&b->grid->face[1], column, end ? run->j1 + 1 : run->j0), &sums);
    }
    double next = open + sums.opens;
    next = next < 0 ? 0 : next < rows ? next : rows;
    for (int32_t n = run->first; n < run->first + 2; ++n)
    {
        job->residual[n] = b->residual[n];
        job->open[n] = next / rows;
        job->part[n] = 1;
    }
    int32_t to = pl__columns_uniform(c, column, run->j1 + 1);
    to = to >= 0 || run->j0 == 0 ? to : pl__columns_uniform(c, column, run->j0 - 1);
    job->residual[to >= 0 ? to : run->first] += open - next - sums.out;
}

static void balance_columns(void *argument, int32_t begin, int32_t end)
{
    const balance_job *job = argument;
    const pl__columns *c = &job->b->grid->cell;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
    {
        for (pl__cell_walk w = pl__cell_walk_begin(job->b->grid, column); pl__cell_walk_next(&w, &s);)
            balance_stretch(job, &s);
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            if (c->run[r].kind != PL__RUN_UNIFORM)
                balance_tall(job, column, &c->run[r]);
    }
}

static bool take_balance(const pl__balance *b, pl__arena *scratch, balance_job *job)
{
    size_t cells = (size_t)b->grid->cell.value_count + 1;
    job->new_part = PL_TAKE(scratch, cells, double);
    job->carried = PL_TAKE(scratch, cells, double);
    bool taken = job->new_part && job->carried;
    for (int axis = 0; axis < 3; ++axis)
    {
        job->flux[axis] = b->flux ? b->flux[axis] : PL_TAKE(scratch, b->grid->face[axis].value_count + 1, double);
        job->slope[axis] = PL_TAKE(scratch, cells, double);
        taken = taken && job->flux[axis] && job->slope[axis];
    }
    return taken;
}

pl_status pl__volume_balance(pl_context *ctx, const pl__balance *b, pl__arena *scratch, double *part, double *residual,
                             double *open, double *entered)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    const pl__columns *c = &b->grid->cell;
    balance_job job = {.b = b, .part = part, .residual = residual, .open = open};
    bool taken = take_balance(b, scratch, &job);
    if (taken)
    {
        pl__levelset after = {c, (double *)b->after, b->far, b->boundary};
        pl__levelset_parts(ctx, &after, b->boundary->sides, job.new_part);
        pl__parallel_for(ctx, c->nx * c->nz, COLUMNS_PER_TASK, find_slopes, &job);
        pl__parallel_for(ctx, c->nx * c->nz, COLUMNS_PER_TASK, find_carried, &job);
        for (job.axis = 0; job.axis < 3; ++job.axis)
            pl__parallel_for(ctx, b->grid->face[job.axis].nx * b->grid->face[job.axis].nz, COLUMNS_PER_TASK,
                             flow_through, &job);
        pl__parallel_for(ctx, c->nx * c->nz, COLUMNS_PER_TASK, balance_columns, &job);
        *entered += b->outside && pl__outside_is_open(b->outside) ? entered_in_all(&job) : 0;
    }
    pl__arena_release(scratch, mark);
    return taken ? PL_OK : PL_ERR_MEMORY;
}

double pl__volume_most_room(unsigned sides)
{
    double most = 1;
    for (int side = 0; side < 6 && sides & PL__PARTED; ++side)
        most += 1.5 * (sides >> side & 1);
    return most;
}

double pl__volume_room(const pl__columns *cell, const pl__boundary *boundary, const pl__obstacles *obstacles,
                       int32_t column, int32_t j, int32_t n)
{
    unsigned sides = boundary->sides[n];
    double h = cell->h, room = 1, x[3];
    pl__near_obstacles near;
    if ((sides & PL__ALL_SIDES) == PL__ALL_SIDES)
        return 0;
    if (!(sides & PL__PARTED))
        return sides & PL__TOUCHED ? pl__open_part(boundary->distance[n], h) : 1;
    pl__grid_point(cell, column % cell->nx, j, column / cell->nx, x);
    pl__obstacles_find(obstacles, x, x, h, false, &near);
    for (int side = 0; side < 6; ++side)
    {
        double beside[3] = {x[0], x[1], x[2]}, cosine2;
        beside[side / 2] += side % 2 ? h : -h;
        double free = sides >> side & 1 ? pl__obstacles_free(&near, x, beside, PL__WAY_STEP * h, &cosine2) : 1;
        room += free < 1 ? (free - 0.5) * cosine2 : 0;
    }
    return fmax(0, fmin(room, pl__volume_most_room(sides)));
}

void pl__volume_open(const pl__columns *cell, const pl__boundary *boundary, const pl__obstacles *obstacles,
                     double *open)
{
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        {
            const pl__run *run = &cell->run[r];
            for (int32_t m = 0; m < pl__run_numbers(run); ++m)
                open[run->first + m] = run->kind == PL__RUN_UNIFORM ? pl__volume_room(cell, boundary, obstacles, column,
                                                                                      run->j0 + m, run->first + m)
                                                                    : 1;
        }
}

double pl__volume_sum(const pl__columns *cell, const double *part, const double *open)
{
    double sum = 0;
    for (size_t r = 0; r < cell->run_count; ++r)
        if (cell->run[r].kind != PL__RUN_UNIFORM)
            sum += 0.5 * pl__run_rows(&cell->run[r]) * (open[cell->run[r].first] + open[cell->run[r].first + 1]);
        else
            for (int32_t n = cell->run[r].first; n < cell->run[r].first + pl__run_rows(&cell->run[r]); ++n)
                sum += part[n] * open[n];
    return sum * cell->h * cell->h * cell->h;
}

// ---- way back --------------------------------------------------------------------------------------------------

typedef struct payment
{
    const uint8_t *liquid, *near;
    const double *residual;
    double part, dt, *divergence;
} payment;

static void pay(void *argument, int32_t begin, int32_t end)
{
    const payment *job = argument;
    for (int32_t n = begin; n < end; ++n)
    {
        double pay = job->part * job->residual[n];
        pay = pay > most_payment ? most_payment : pay < -most_payment ? -most_payment : pay;
        job->divergence[n] = job->liquid[n] && !job->near[n] ? pay / job->dt : 0;
    }
}

void pl__volume_payment(pl_context *ctx, const pl__columns *cell, const uint8_t *liquid, const uint8_t *near,
                        const double *residual, double speed, double dt, double *divergence)
{
    double part = dt * speed / cell->h;
    payment job = {liquid, near, residual, part < most_part ? part : most_part, dt, divergence};
    pl__parallel_for(ctx, cell->value_count, CELLS_PER_TASK, pay, &job);
}
