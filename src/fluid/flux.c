// src/fluid/flux.c -- upwind fluxes on tall runs, in a time that does not depend on their rows.
//
// Along the rows of a run everything that a control volume needs is polynomial for long: velocities linear, fluxes at
// most quadratic. Rows are cut where a neighbour's run ends and where a flux changes its sign between two rows; beside
// uniform faces every row stands alone. On a piece of n rows the change of u is cubic, times the linear basis of a fit
// quartic, and sums over rows are exact by three points of discrete Gauss quadrature (the roots of the Gram polynomial
// of degree 3, about the middle):
//
//     sum g(m) = w0 g(0) + w1 (g(-r) + g(r)),   r^2 = (3 n^2 - 7) / 20,   w1 = 5 n (n^2 - 1) / (6 (3 n^2 - 7)),
//     w0 = n - 2 w1                             for polynomials of degree 5 or less
//
// so that one function serves rows and points between them.
#include "flux.h"
#include "base/task.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 16,
    SIDES = 6,              // of a control volume: 2 axis + upper
    FEW_ROWS = 3,           // are visited one by one
    MOST_SUBSTEPS = 1000,   // more than that is no flow
    FOREVER = INT32_MAX - 2 // beyond every row
};

// ---- advecting fluxes ------------------------------------------------------------------------------------------

// Flux of the rows of a run that is not uniform.
typedef struct flux_line
{
    double mean, slope; // at its middle, per row
} flux_line;

// Rows [j0, j1] of a tall cell with vertical flux v below the first, and net horizontal outflow net + slope (j - j0).
typedef struct closed_piece
{
    int32_t j0, j1;
    int32_t last; // row of faces that the flux in the tall cell is the same polynomial for
    double v, net, slope;
} closed_piece;

typedef struct flux_field
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const double *u[3];
    flux_line *line[3];  // [runs of faces]
    size_t *start;       // [columns of cells + 1] of pieces
    closed_piece *piece; // by columns, from below; NULL: vertical fluxes are as they are stored
} flux_field;

// The row that is being looked at, and the last one up to which nothing that was looked up ends.
typedef struct reach
{
    int32_t row, end;
} reach;

// What was found in row j ends at row `end`.
static void limit(reach *r, int32_t j, int32_t end)
{
    int32_t last = end - (j - r->row);
    r->end = last < r->end ? last : r->end;
}

// Whether p is a sample of a lattice.
static bool is_inside(const pl__columns *c, const int32_t p[3], reach *r)
{
    if (p[1] < 0)
        limit(r, p[1], -1);
    return p[0] >= 0 && p[1] >= 0 && p[2] >= 0 && p[0] < c->nx && p[1] < c->ny && p[2] < c->nz;
}

static double middle_of(const pl__run *run) { return 0.5 * ((double)run->j0 + (double)run->j1); }

// The run at sample p of a lattice, or NULL.
static const pl__run *locate(const pl__columns *c, const int32_t p[3], reach *r)
{
    int32_t column = p[0] + c->nx * p[2], j = p[1];
    const pl__run *run = c->run + c->start[column], *end = c->run + c->start[column + 1];
    while (run < end)
    {
        const pl__run *middle = run + (end - run) / 2;
        if (middle->j1 < j)
            run = middle + 1;
        else
            end = middle;
    }
    bool any = run < c->run + c->start[column + 1], found = any && run->j0 <= j;
    limit(r, j, found ? (run->kind == PL__RUN_UNIFORM ? j : run->j1) : any ? run->j0 - 1 : c->ny - 1);
    return found ? run : NULL;
}

static const closed_piece *locate_piece(const flux_field *x, int32_t column, int32_t j)
{
    size_t low = x->start[column], high = x->start[column + 1], end = high;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (x->piece[middle].j1 < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && x->piece[low].j0 <= j ? &x->piece[low] : NULL;
}

// c += factor (flux of a run), as a polynomial of the rows after j.
static void add_run_flux(const flux_field *x, int axis, const pl__run *run, int32_t j, double factor, double c[3])
{
    if (run->kind == PL__RUN_UNIFORM)
    {
        int32_t n = run->first + j - run->j0;
        double w = x->boundary->open[axis][n];
        c[0] += factor * (w * x->u[axis][n] + (1 - w) * x->boundary->speed[axis][n]);
        return;
    }
    const flux_line *line = &x->line[axis][run - x->grid->face[axis].run];
    c[0] += factor * (line->mean + line->slope * ((double)j - middle_of(run)));
    c[1] += factor * line->slope;
}

// c += factor (flux of face p along an axis); nothing where there is none.
static void add_flux(const flux_field *x, int axis, const int32_t p[3], double factor, reach *r, double c[3])
{
    const pl__columns *face = &x->grid->face[axis];
    if (!is_inside(face, p, r))
        return;
    const closed_piece *piece = axis == 1 && x->piece ? locate_piece(x, p[0] + face->nx * p[2], p[1]) : NULL;
    if (piece)
    {
        double t = (double)(p[1] - piece->j0), half = 0.5 * piece->slope;
        limit(r, p[1], piece->last);
        c[0] += factor * (piece->v - t * (piece->net + (t - 1) * half));
        c[1] -= factor * (piece->net + (2 * t - 1) * half);
        c[2] -= factor * half;
        return;
    }
    const pl__run *run = locate(face, p, r);
    if (run)
        add_run_flux(x, axis, run, p[1], factor, c);
}

// The line with the moments of w u.
static flux_line fit_flux(const pl__run *run, const pl__open_moments *w, const double *u)
{
    double n = pl__run_rows(run);
    if (run->kind == PL__RUN_CONSTANT)
        return (flux_line){w->s0 * u[run->first] / n, 0};
    double slope = (u[run->first + 1] - u[run->first]) / (n - 1), mean = 0.5 * (u[run->first] + u[run->first + 1]);
    return (flux_line){(w->s0 * mean + w->s1 * slope) / n, (w->s1 * mean + w->s2 * slope) * 12 / (n * (n * n - 1))};
}

typedef struct field_job
{
    flux_field *x;
    int axis;
} field_job;

static void fit_columns(void *argument, int32_t begin, int32_t end)
{
    const field_job *job = argument;
    const pl__columns *c = &job->x->grid->face[job->axis];
    for (size_t r = c->start[begin]; r < c->start[end]; ++r)
        if (c->run[r].kind != PL__RUN_UNIFORM)
            job->x->line[job->axis][r] =
                fit_flux(&c->run[r], &job->x->boundary->moment[job->axis][r], job->x->u[job->axis]);
}

// ---- closed vertical fluxes ------------------------------------------------------------------------------------

// Pieces of a tall cell to `piece`, or only their number if it is NULL.
static size_t close_cell(const flux_field *x, int32_t column, const pl__run *tall, closed_piece *piece)
{
    const pl__columns *cell = &x->grid->cell;
    int32_t p[3] = {column % cell->nx, tall->j0, column / cell->nx};
    reach below = {tall->j0, FOREVER};
    double v[3] = {0, 0, 0};
    size_t count = 0;
    const pl__run *floor = locate(&x->grid->face[1], p, &below);
    if (floor)
        add_run_flux(x, 1, floor, tall->j0, 1, v);
    while (p[1] <= tall->j1)
    {
        int32_t right[3] = {p[0] + 1, p[1], p[2]}, front[3] = {p[0], p[1], p[2] + 1};
        double net[3] = {0, 0, 0}; // outflow
        reach r = {p[1], tall->j1};
        add_flux(x, 0, right, 1, &r, net);
        add_flux(x, 0, p, -1, &r, net);
        add_flux(x, 2, front, 1, &r, net);
        add_flux(x, 2, p, -1, &r, net);
        if (piece)
            piece[count] = (closed_piece){p[1], r.end, r.end + (r.end < tall->j1), v[0], net[0], net[1]};
        double n = (double)(r.end - p[1]) + 1;
        v[0] -= n * (net[0] + 0.5 * (n - 1) * net[1]);
        p[1] = r.end + 1;
        ++count;
    }
    return count;
}

static size_t close_column(const flux_field *x, int32_t column, closed_piece *piece)
{
    const pl__columns *cell = &x->grid->cell;
    size_t count = 0;
    for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        if (cell->run[r].kind == PL__RUN_LINEAR)
            count += close_cell(x, column, &cell->run[r], piece ? piece + count : NULL);
    return count;
}

static void count_pieces(void *argument, int32_t begin, int32_t end)
{
    const flux_field *x = ((field_job *)argument)->x;
    for (int32_t column = begin; column < end; ++column)
        x->start[column + 1] = close_column(x, column, NULL);
}

static void fill_pieces(void *argument, int32_t begin, int32_t end)
{
    const flux_field *x = ((field_job *)argument)->x;
    for (int32_t column = begin; column < end; ++column)
        close_column(x, column, x->piece + x->start[column]);
}

static pl_status close_field(pl_context *ctx, pl__arena *arena, flux_field *x)
{
    int32_t columns = x->grid->cell.nx * x->grid->cell.nz;
    field_job job = {x, 1};
    x->start = PL_TAKE(arena, columns + 1, size_t);
    if (!x->start)
        return PL_ERR_MEMORY;
    x->start[0] = 0;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, count_pieces, &job);
    for (int32_t column = 0; column < columns; ++column)
        x->start[column + 1] += x->start[column];
    closed_piece *piece = PL_TAKE(arena, x->start[columns] + 1, closed_piece);
    if (!piece)
        return PL_ERR_MEMORY;
    x->piece = piece;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, fill_pieces, &job);
    return PL_OK;
}

static pl_status make_field(pl_context *ctx, pl__arena *arena, const pl__flux_problem *problem, flux_field *x)
{
    *x = (flux_field){problem->grid, problem->boundary, {problem->u[0], problem->u[1], problem->u[2]}, .piece = NULL};
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *face = &x->grid->face[axis];
        field_job job = {x, axis};
        x->line[axis] = PL_TAKE(arena, face->run_count + 1, flux_line);
        if (!x->line[axis])
            return PL_ERR_MEMORY;
        pl__parallel_for(ctx, face->nx * face->nz, COLUMNS_PER_TASK, fit_columns, &job);
    }
    return problem->form == PL__FLUX_CLOSED ? close_field(ctx, arena, x) : PL_OK;
}

// ---- control volumes -------------------------------------------------------------------------------------------

// What the change of a face depends on: fluxes outwards, values beyond the sides, and its own.
enum
{
    FLUX = 0,
    BEYOND = SIDES,
    OWN = 2 * SIDES,
    STENCIL = 2 * SIDES + 1
};

// They are polynomials of the rows t after `row`: c[0] + c[1] t + c[2] t^2.
typedef struct stencil
{
    int32_t row;
    double c[3][STENCIL];
} stencil;

typedef struct column_totals
{
    double outflow, weight_error;
    int64_t evaluations;
} column_totals;

typedef struct flux_job
{
    const flux_field *x;
    int axis;
    const pl__columns *face;
    const uint8_t *mask;
    const double *from;
    double *to;
    double c, wall; // c = dt / h of a substep
    bool affine, measure;
    column_totals *totals; // [columns of faces]
} flux_job;

static void put_value(const flux_job *job, const pl__run *run, int32_t j, int slot, stencil *s)
{
    s->c[0][slot] = run ? pl__run_value(run, job->from, j) : job->wall;
    if (run && run->kind == PL__RUN_LINEAR)
        s->c[1][slot] = (job->from[run->first + 1] - job->from[run->first]) / (double)(run->j1 - run->j0);
}

// The side towards the next face along its own axis: flux and value.
static void put_front(const flux_job *job, const int32_t q[3], int side, const double own[3], reach *r, stencil *s)
{
    double c[3] = {own[0], own[1], own[2]}, sign = side % 2 ? 1 : -1;
    bool inside = is_inside(job->face, q, r);
    const pl__run *run = inside ? locate(job->face, q, r) : NULL;
    if (inside)
    {
        for (int n = 0; n < 3; ++n)
            c[n] *= 0.5;
        if (job->axis == 1 && job->x->piece)
            add_flux(job->x, 1, q, 0.5, r, c);
        else if (run)
            add_run_flux(job->x, job->axis, run, q[1], 0.5, c);
        put_value(job, run, q[1], BEYOND + side, s);
    }
    for (int n = 0; n < 3; ++n)
    {
        s->c[n][FLUX + side] = sign * c[n];
        if (!inside)
            s->c[n][BEYOND + side] = s->c[n][OWN];
    }
}

// A side along another axis, through which two faces of that axis lead, those at q and before.
static void put_flank(const flux_job *job, const int32_t p[3], int side, reach *r, stencil *s)
{
    int d = side / 2, end = side % 2;
    double c[3] = {0, 0, 0}, half = end ? 0.5 : -0.5;
    int32_t q[3] = {p[0], p[1], p[2]};
    q[d] += end;
    add_flux(job->x, d, q, half, r, c);
    --q[job->axis];
    add_flux(job->x, d, q, half, r, c);
    for (int n = 0; n < 3; ++n)
        s->c[n][FLUX + side] = c[n];
    if (job->measure)
        return;
    q[job->axis] = p[job->axis];
    q[d] = p[d] + 2 * end - 1;
    if (is_inside(job->face, q, r))
        put_value(job, locate(job->face, q, r), q[1], BEYOND + side, s);
    else
        for (int n = 0; n < 3; ++n)
            s->c[n][BEYOND + side] = s->c[n][OWN];
}

// The stencil of face p of `run`.
static void sample(const flux_job *job, const pl__run *run, const int32_t p[3], reach *r, stencil *s)
{
    double own[3] = {0, 0, 0};
    *s = (stencil){.row = p[1]};
    put_value(job, run, p[1], OWN, s);
    add_flux(job->x, job->axis, p, 1, r, own);
    for (int side = 0; side < SIDES; ++side)
    {
        if (side / 2 != job->axis)
        {
            put_flank(job, p, side, r, s);
            continue;
        }
        int32_t q[3] = {p[0], p[1], p[2]};
        q[job->axis] += side % 2 ? 1 : -1;
        put_front(job, q, side, own, r, s);
    }
}

// ---- sums over rows --------------------------------------------------------------------------------------------

typedef struct tally
{
    double middle; // of the run
    pl__run_moments change, net;
    double outflow;
    bool measure; // only outflow
    int64_t evaluations;
} tally;

// The change at a row, or at a point between two.
static void add_point(tally *t, const stencil *s, double row, double weight)
{
    double at[STENCIL], change = 0, net = 0, outflow = 0, m = row - t->middle, x = row - s->row;
    for (int n = 0; n < STENCIL; ++n)
        at[n] = s->c[0][n] + x * (s->c[1][n] + x * s->c[2][n]);
    for (int side = 0; side < SIDES; ++side)
    {
        double q = at[FLUX + side];
        change -= q * (q > 0 ? at[OWN] : at[BEYOND + side]);
        net -= q;
        outflow += q > 0 ? q : 0;
    }
    t->change.sum += weight * change;
    t->change.first += weight * change * m;
    t->net.sum += weight * net;
    t->net.first += weight * net * m;
    t->outflow = outflow > t->outflow ? outflow : t->outflow;
    ++t->evaluations;
}

// The largest outflow of rows [a, b], on which it is quadratic: at an end, or beside its vertex.
static void add_largest(tally *t, const stencil *s, int32_t a, int32_t b)
{
    double c[3] = {0, 0, 0}, middle = 0.5 * ((double)a + (double)b) - s->row;
    for (int side = 0; side < SIDES; ++side)
    {
        double q[3] = {s->c[0][FLUX + side], s->c[1][FLUX + side], s->c[2][FLUX + side]};
        for (int n = 0; n < 3 && q[0] + middle * (q[1] + middle * q[2]) > 0; ++n)
            c[n] += q[n];
    }
    double vertex = s->row - 0.5 * c[1] / c[2];
    add_point(t, s, a, 1);
    add_point(t, s, b, 1);
    if (c[2] < 0 && vertex > a && vertex < b)
    {
        add_point(t, s, floor(vertex), 1);
        add_point(t, s, ceil(vertex), 1);
    }
}

// Rows [a, b] on which no flux changes its sign.
static void add_part(tally *t, const stencil *s, int32_t a, int32_t b)
{
    double n = (double)(b - a) + 1;
    if (b - a < FEW_ROWS)
    {
        for (int32_t row = a; row <= b; ++row)
            add_point(t, s, row, 1);
        return;
    }
    if (t->measure)
    {
        add_largest(t, s, a, b);
        return;
    }
    double middle = 0.5 * ((double)a + (double)b), k = 3 * n * n - 7, r = sqrt(k / 20),
           w = 5 * n * (n * n - 1) / (6 * k);
    add_point(t, s, middle - r, w);
    add_point(t, s, middle, n - 2 * w);
    add_point(t, s, middle + r, w);
}

// Add the last row before a root to the sorted list `cut`.
static int add_cut(double root, int32_t last, int32_t *cut, int count)
{
    if (!(root >= 0 && root < last))
        return count;
    int32_t row = (int32_t)root;
    int n = count;
    for (; n > 0 && cut[n - 1] > row; --n)
        cut[n] = cut[n - 1];
    cut[n] = row;
    return count + 1;
}

// Rows after which a flux changes its sign before row `last`, relative to the first.
static int find_cuts(const stencil *s, int32_t last, int32_t cut[2 * SIDES])
{
    int count = 0;
    for (int side = 0; side < SIDES; ++side)
    {
        double a = s->c[2][FLUX + side], b = s->c[1][FLUX + side], c = s->c[0][FLUX + side], d = b * b - 4 * a * c;
        if (d < 0)
            continue;
        double q = -0.5 * (b + copysign(sqrt(d), b));
        count = add_cut(q / a, last, cut, count);
        count = add_cut(c / q, last, cut, count);
    }
    return count;
}

// Rows from that of the stencil to `end`, on which it is polynomial.
static void add_segment(tally *t, const stencil *s, int32_t end)
{
    int32_t cut[2 * SIDES], row = s->row;
    int count = end - row < FEW_ROWS ? 0 : find_cuts(s, end - row, cut);
    for (int n = 0; n < count; ++n)
    {
        add_part(t, s, row, s->row + cut[n]);
        row = s->row + cut[n] + 1;
    }
    add_part(t, s, row, end);
}

static tally sum_rows(const flux_job *job, int32_t column, const pl__run *run, int32_t j0, int32_t j1)
{
    tally t = {.middle = 0.5 * ((double)j0 + (double)j1), .measure = job->measure};
    int32_t p[3] = {column % job->face->nx, j0, column / job->face->nx};
    while (p[1] <= j1)
    {
        reach r = {p[1], j1};
        stencil s;
        sample(job, run, p, &r, &s);
        add_segment(&t, &s, r.end);
        p[1] = r.end + 1;
        ++t.evaluations;
    }
    return t;
}

// ---- the step --------------------------------------------------------------------------------------------------

// New value of number n, which changes by c times `change`, and its factors by c times `net`.
static void put(const flux_job *job, column_totals *totals, int32_t n, double change, double net)
{
    double weight = 1 + job->c * net, error = fabs(job->c * net), value = job->from[n] + job->c * change;
    totals->weight_error = error > totals->weight_error ? error : totals->weight_error;
    job->to[n] = job->affine && weight > 1 ? value / weight : value;
}

static void advect_rows(const flux_job *job, int32_t column, const pl__run *run, int32_t j0, int32_t j1)
{
    column_totals *totals = &job->totals[column];
    tally t = sum_rows(job, column, run, j0, j1);
    totals->outflow = t.outflow > totals->outflow ? t.outflow : totals->outflow;
    totals->evaluations += t.evaluations;
    if (job->measure)
        return;
    if (run->kind == PL__RUN_UNIFORM)
    {
        put(job, totals, run->first + j0 - run->j0, t.change.sum, t.net.sum);
        return;
    }
    pl__run fitted = {run->j0, run->j1, 0, run->kind};
    double change[2], net[2];
    pl__run_fit(&fitted, &t.change, change);
    pl__run_fit(&fitted, &t.net, net);
    for (int32_t n = 0; n < pl__run_numbers(run); ++n)
        put(job, totals, run->first + n, change[n], net[n]);
}

static void advect_columns(void *argument, int32_t begin, int32_t end)
{
    const flux_job *job = argument;
    const pl__columns *c = job->face;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            if (run->kind != PL__RUN_UNIFORM)
                advect_rows(job, column, run, run->j0, run->j1);
            else if (job->mask)
                for (int32_t j = run->j0; j <= run->j1; ++j)
                    if (job->mask[run->first + j - run->j0])
                        advect_rows(job, column, run, j, j);
        }
}

static void run_job(pl_context *ctx, const flux_job *job, pl__flux_info *info, double *outflow)
{
    int32_t columns = job->face->nx * job->face->nz;
    flux_job copy = *job;
    memset(job->totals, 0, (size_t)columns * sizeof(column_totals));
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, advect_columns, &copy);
    for (int32_t column = 0; column < columns; ++column)
    {
        const column_totals *t = &job->totals[column];
        *outflow = t->outflow > *outflow ? t->outflow : *outflow;
        info->weight_error = t->weight_error > info->weight_error ? t->weight_error : info->weight_error;
        info->evaluations += t->evaluations;
    }
}

static flux_job make_job(const pl__flux_problem *problem, const flux_field *x, column_totals *totals, int axis)
{
    return (flux_job){.x = x,
                      .axis = axis,
                      .face = &problem->grid->face[axis],
                      .mask = problem->mask[axis],
                      .from = problem->carried[axis] ? problem->carried[axis] : problem->u[axis],
                      .c = problem->dt / problem->grid->cell.h,
                      .wall = problem->wall,
                      .affine = problem->form == PL__FLUX_AFFINE,
                      .totals = totals};
}

// Substeps of one component, between two arrays; the first one reads what is carried, the last one writes the result.
static void advect_component(pl_context *ctx, flux_job job, double *const scratch[2], double *result,
                             pl__flux_info *info)
{
    double outflow = 0;
    for (int32_t n = 0; n < 2 && info->substeps > 1; ++n)
        memcpy(scratch[n], job.from, (size_t)job.face->value_count * sizeof(double));
    job.c /= info->substeps;
    for (int32_t step = 0; step < info->substeps; ++step)
    {
        job.to = step + 1 < info->substeps ? scratch[step % 2] : result;
        run_job(ctx, &job, info, &outflow);
        job.from = job.to;
    }
}

static pl_status advect(pl_context *ctx, pl__arena *arena, const pl__flux_problem *problem, double *const result[3],
                        pl__flux_info *info)
{
    const pl__columns *cell = &problem->grid->cell;
    flux_field x;
    PL_TRY(make_field(ctx, arena, problem, &x));
    column_totals *totals = PL_TAKE(arena, (cell->nx + 1) * (cell->nz + 1), column_totals);
    if (!totals)
        return PL_ERR_MEMORY;

    double outflow = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        flux_job job = make_job(problem, &x, totals, axis);
        job.measure = true;
        run_job(ctx, &job, info, &outflow);
    }
    info->cfl = outflow * problem->dt / cell->h;
    info->substeps = info->cfl < MOST_SUBSTEPS ? (int32_t)ceil(info->cfl) : MOST_SUBSTEPS;
    info->substeps = info->substeps > 1 ? info->substeps : 1;

    size_t most = 0;
    for (int axis = 0; axis < 3; ++axis)
        most =
            (size_t)problem->grid->face[axis].value_count > most ? (size_t)problem->grid->face[axis].value_count : most;
    double *scratch[2] = {NULL, NULL};
    for (int n = 0; n < 2 && info->substeps > 1; ++n)
        if (!(scratch[n] = PL_TAKE(arena, most + 1, double)))
            return PL_ERR_MEMORY;
    for (int axis = 0; axis < 3; ++axis)
        advect_component(ctx, make_job(problem, &x, totals, axis), scratch, result[axis], info);
    return PL_OK;
}

pl_status pl__flux_advect(pl_context *ctx, pl__arena *arena, const pl__flux_problem *problem, double *const result[3],
                          pl__flux_info *info)
{
    pl__arena_mark mark = pl__arena_set_mark(arena);
    *info = (pl__flux_info){0};
    pl_status status = advect(ctx, arena, problem, result, info);
    pl__arena_release(arena, mark);
    return status;
}
