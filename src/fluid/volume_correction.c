// src/fluid/volume_correction.c -- residuals on their way to the surface, and shifts of it.
//
// Work is done on a list of the cells near the surface. Each cell gathers from its neighbours, so that tasks need not
// wait for each other and the order of sums is fixed.
#include "volume_correction.h"
#include "base/task.h"
#include "stretch.h"
#include "volume.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 32,
    CELLS_PER_TASK = 2048,
    SWEEPS = 6, // of residuals, each by a cell
    SHIFTS = 4,
    LOANS = 4
};

static const double most_shift = 0.05; // [cells]

typedef struct near_cell
{
    int32_t number, column, j;
    int32_t beside[6]; // places of uniform cells through open faces in the list, or -1
    int32_t goal;      // where its residual goes; its own place: it stays, -1: it evens out
    uint8_t from;      // sides through which residuals come here
    uint8_t even;      // sides through which they even out
} near_cell;

enum
{
    UNREACHED = PL__CORRECTION_BAND + 1
};

typedef struct correction
{
    const pl__volume_correction *v;
    double h;
    int32_t register_bytes;
    int32_t *first;  // [columns + 1] of the list
    near_cell *cell; // [count]
    int32_t *index;  // [numbers of cells] in the list, or -1
    int32_t count;
    uint8_t *layer, *next_layer; // [count] cells from the surface, through open faces
    uint8_t *near;               // [numbers of cells] to be found
    int32_t pass;
    double *owed, *next_owed; // [count] residuals
    double *area;             // [count] of the surface [h^2]
    double *change;           // [count] shifts [m]
    double *partial;
    double loan; // [m]
} correction;

// ---- list ------------------------------------------------------------------------------------------------------

static bool is_near(const correction *job, int32_t n)
{
    bool apart = job->v->grip && job->v->grip[n] == PL__GRIP_APART && job->v->residual[n] < 0;
    return !apart && fabs(job->v->phi[n]) < PL__CORRECTION_BAND * job->h;
}

static void count_columns(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    const pl__columns *c = &job->v->grid->cell;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t count = 0;
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                bool near = c->run[r].kind == PL__RUN_UNIFORM && is_near(job, c->run[r].first + n);
                job->index[c->run[r].first + n] = near ? count : -1;
                job->near[c->run[r].first + n] = 0;
                count += near;
            }
        job->first[column + 1] = count;
    }
}

static void list_columns(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    const pl__columns *c = &job->v->grid->cell;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                int32_t number = c->run[r].first + n;
                if (job->index[number] < 0)
                    continue;
                job->index[number] += job->first[column];
                job->cell[job->index[number]] = (near_cell){.number = number, .column = column, .j = c->run[r].j0 + n};
                job->owed[job->index[number]] = job->v->residual[number];
            }
}

// What is beside the cells of a column that are in the list, through open faces.
static void link_stretch(const correction *job, const pl__cell_stretch *s)
{
    const pl__boundary *b = job->v->boundary;
    for (int32_t j = s->j0; j <= s->j1; ++j)
    {
        int32_t n = job->index[s->own + j];
        if (n < 0)
            continue;
        for (int side = 0; side < 6; ++side)
        {
            bool open = s->kind[side] == PL__BESIDE_UNIFORM && b->open[side / 2][s->face[side] + j] > 0;
            job->cell[n].beside[side] = open ? job->index[s->cell[side] + j] : -1;
        }
    }
}

static void find_beside(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
        if (job->first[column + 1] > job->first[column])
            for (pl__cell_walk w = pl__cell_walk_begin(job->v->grid, column); pl__cell_walk_next(&w, &s);)
                link_stretch(job, &s);
}

// ---- layers ----------------------------------------------------------------------------------------------------

// The surface is in a cell, or between it and another; phi inside solids does not count.
static bool is_at_surface(const correction *job, const near_cell *here)
{
    const pl__volume_correction *v = job->v;
    int32_t n = here->number;
    bool found = v->part[n] > 0 && v->part[n] < 1;
    for (int side = 0; side < 6 && !found; ++side)
    {
        int32_t m = here->beside[side] < 0 ? -1 : job->cell[here->beside[side]].number;
        found = m >= 0 && v->open[m] > 0 && (v->phi[m] < 0) != (v->phi[n] < 0);
    }
    return found && v->open[n] > 0;
}

static void begin_layers(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    for (int32_t n = begin; n < end; ++n)
        job->layer[n] = is_at_surface(job, &job->cell[n]) ? 0 : UNREACHED;
}

static void add_layer(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    for (int32_t n = begin; n < end; ++n)
    {
        job->next_layer[n] = job->layer[n];
        for (int side = 0; side < 6 && job->layer[n] == UNREACHED; ++side)
        {
            int32_t m = job->cell[n].beside[side];
            if (m >= 0 && job->layer[m] == job->pass)
                job->next_layer[n] = (uint8_t)(job->pass + 1);
        }
    }
}

// Residuals go one layer up, to the cell nearest to the surface; in the last one they even out.
static void set_goals(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    const double *phi = job->v->phi;
    for (int32_t n = begin; n < end; ++n)
    {
        near_cell *here = &job->cell[n];
        here->goal = job->layer[n] == 0 ? -1 : n;
        for (int side = 0; side < 6 && job->layer[n] > 0 && job->layer[n] < UNREACHED; ++side)
        {
            int32_t m = here->beside[side];
            bool up = m >= 0 && job->layer[m] < job->layer[n];
            if (up && (here->goal == n || fabs(phi[job->cell[m].number]) < fabs(phi[job->cell[here->goal].number])))
                here->goal = m;
        }
    }
}

static void set_sides(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    for (int32_t n = begin; n < end; ++n)
    {
        near_cell *here = &job->cell[n];
        here->from = here->even = 0;
        for (int side = 0; side < 6; ++side)
        {
            int32_t goal = here->beside[side] < 0 ? n : job->cell[here->beside[side]].goal;
            here->from |= here->beside[side] >= 0 && goal == n ? 1 << side : 0;
            here->even |= goal < 0 && here->goal < 0 ? 1 << side : 0;
        }
        job->near[here->number] = job->layer[n] < UNREACHED;
    }
}

static void find_layers(pl_context *ctx, correction *job)
{
    pl__parallel_for(ctx, job->count, CELLS_PER_TASK, begin_layers, job);
    for (job->pass = 0; job->pass < PL__CORRECTION_BAND; ++job->pass)
    {
        pl__parallel_for(ctx, job->count, CELLS_PER_TASK, add_layer, job);
        uint8_t *swap = job->layer;
        job->layer = job->next_layer, job->next_layer = swap;
    }
    pl__parallel_for(ctx, job->count, CELLS_PER_TASK, set_goals, job);
    pl__parallel_for(ctx, job->count, CELLS_PER_TASK, set_sides, job);
}

static pl_status make_list(pl_context *ctx, correction *job, pl__arena *scratch)
{
    const pl__columns *c = &job->v->grid->cell;
    int32_t columns = c->nx * c->nz;
    job->first = PL_TAKE(scratch, columns + 1, int32_t);
    job->index = PL_TAKE(scratch, c->value_count + 1, int32_t);
    if (!job->first || !job->index)
        return PL_ERR_MEMORY;
    job->first[0] = 0;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, count_columns, job);
    for (int32_t column = 0; column < columns; ++column)
        job->first[column + 1] += job->first[column];
    job->count = job->first[columns];
    job->cell = PL_TAKE(scratch, job->count + 1, near_cell);
    job->layer = PL_TAKE(scratch, job->count + 1, uint8_t);
    job->next_layer = PL_TAKE(scratch, job->count + 1, uint8_t);
    job->owed = PL_TAKE(scratch, job->count + 1, double);
    job->next_owed = PL_TAKE(scratch, job->count + 1, double);
    job->area = PL_TAKE(scratch, job->count + 1, double);
    job->change = PL_TAKE(scratch, job->count + 1, double);
    job->partial = PL_TAKE(scratch, pl__chunk_count(job->count, CELLS_PER_TASK) + 1, double);
    if (!job->cell || !job->layer || !job->next_layer || !job->owed || !job->next_owed || !job->area || !job->change ||
        !job->partial)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, list_columns, job);
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, find_beside, job);
    find_layers(ctx, job);
    return PL_OK;
}

// ---- residuals -------------------------------------------------------------------------------------------------

// What a cell keeps and gets; 1/7 each way where residuals even out.
static void gather_residuals(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    const double *owed = job->owed;
    for (int32_t n = begin; n < end; ++n)
    {
        const near_cell *here = &job->cell[n];
        double sum = here->goal < 0 || here->goal == n ? owed[n] : 0;
        for (unsigned sides = here->from | here->even, side = 0; sides >> side; ++side)
            if (here->even >> side & 1)
                sum += (owed[here->beside[side]] - owed[n]) / 7;
            else if (here->from >> side & 1)
                sum += owed[here->beside[side]];
        job->next_owed[n] = sum;
    }
}

static void sweep_residuals(pl_context *ctx, correction *job)
{
    for (int n = 0; n < SWEEPS; ++n)
    {
        pl__parallel_for(ctx, job->count, CELLS_PER_TASK, gather_residuals, job);
        double *swap = job->owed;
        job->owed = job->next_owed, job->next_owed = swap;
    }
}

static void store_residuals(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    for (int32_t n = begin; n < end; ++n)
        job->v->residual[job->cell[n].number] = job->owed[n];
}

// ---- shifts ----------------------------------------------------------------------------------------------------

static bool is_shifted(const correction *job, int32_t n)
{
    return fabs(job->v->phi[job->cell[n].number]) < 2 * job->h && job->layer[n] < 3;
}

// Of the surface in a cell of the list [h^2].
static double area_of(const correction *job, int32_t n)
{
    int32_t number = job->cell[n].number;
    double part = 1 - fabs(job->v->phi[number]) / job->h;
    return part > 0 && job->layer[n] < 2 ? part * job->v->open[number] : 0;
}

// A shift [m] of s cells: what is below the tolerance of the projection is left out, and it ends at most_shift.
static double shift_by(const correction *job, double s)
{
    double least = job->v->tolerance;
    s -= fmax(-least, fmin(least, s));
    return job->h * fmax(-most_shift, fmin(most_shift, s));
}

static void find_areas(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    for (int32_t n = begin; n < end; ++n)
        job->area[n] = job->layer[n] < 2 ? area_of(job, n) : 0;
}

static void find_shifts(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    const double least_area = 0.5;
    for (int32_t n = begin; n < end; ++n)
    {
        const near_cell *here = &job->cell[n];
        job->change[n] = 0;
        if (job->layer[n] >= 3 || !is_shifted(job, n))
            continue;
        double owed = 2 * job->owed[n], area = 2 * job->area[n];
        for (int side = 0; side < 6; ++side)
            if (here->beside[side] >= 0)
            {
                owed += job->owed[here->beside[side]];
                area += job->area[here->beside[side]];
            }
        job->change[n] = area > 0 ? shift_by(job, 0.5 * owed / fmax(area, least_area)) : 0;
    }
}

static void shift_surface(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    for (int32_t n = begin; n < end; ++n)
        if (job->change[n] != 0)
            job->v->phi[job->cell[n].number] -= job->change[n];
}

static double area_of_cells(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    double sum = 0;
    for (int32_t n = begin; n < end; ++n)
        sum += area_of(job, n);
    return sum;
}

static void lend(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    for (int32_t n = begin; n < end; ++n)
        job->v->phi[job->cell[n].number] -= is_shifted(job, n) ? job->loan : 0;
}

// The parts of cells as phi shows them now; what they gain is no longer owed.
static void show_parts(void *argument, int32_t begin, int32_t end)
{
    const correction *job = argument;
    const pl__volume_correction *v = job->v;
    pl__levelset ls = {&v->grid->cell, v->phi, v->far, v->boundary};
    pl__part_window window = {.column = -1};
    for (int32_t n = begin; n < end; ++n)
    {
        const near_cell *here = &job->cell[n];
        double part = pl__levelset_next_part(&ls, job->register_bytes, here->column, here->j,
                                             v->boundary->sides[here->number], here->number, &window);
        job->owed[n] -= (part - v->part[here->number]) * v->open[here->number];
        v->part[here->number] = part;
    }
}

pl_status pl__volume_correct(pl_context *ctx, const pl__volume_correction *v, pl__arena *scratch, uint8_t *near)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    correction job = {.v = v, .h = v->grid->cell.h, .register_bytes = ctx->register_bytes, .near = near};
    pl_status status = make_list(ctx, &job, scratch);
    if (status == PL_OK)
        sweep_residuals(ctx, &job);
    for (int n = 0; n < SHIFTS && status == PL_OK; ++n)
    {
        pl__parallel_for(ctx, job.count, CELLS_PER_TASK, find_areas, &job);
        pl__parallel_for(ctx, job.count, CELLS_PER_TASK, find_shifts, &job);
        pl__parallel_for(ctx, job.count, CELLS_PER_TASK, shift_surface, &job);
        pl__parallel_for(ctx, job.count, CELLS_PER_TASK, show_parts, &job);
    }
    if (status == PL_OK)
        pl__parallel_for(ctx, job.count, CELLS_PER_TASK, store_residuals, &job);
    pl__arena_release(scratch, mark);
    return status;
}

// By secants: the first shift has the area as cells tell it, the next ones that which they have found.
pl_status pl__volume_lend(pl_context *ctx, const pl__volume_correction *v, pl__arena *scratch, double due)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    const pl__columns *c = &v->grid->cell;
    correction job = {.v = v, .h = c->h, .register_bytes = ctx->register_bytes};
    double h3 = c->h * c->h * c->h, missing = (due - pl__volume_sum(c, v->part, v->open)) / h3;
    job.near = PL_TAKE(scratch, c->value_count + 1, uint8_t);
    pl_status status = job.near ? make_list(ctx, &job, scratch) : PL_ERR_MEMORY;
    double area =
        status == PL_OK ? pl__parallel_sum(ctx, job.count, CELLS_PER_TASK, area_of_cells, &job, job.partial) : 0;
    for (int n = 0; n < LOANS && area > 0; ++n)
    {
        job.loan = shift_by(&job, missing / area);
        if (job.loan == 0)
            break;
        pl__parallel_for(ctx, job.count, CELLS_PER_TASK, lend, &job);
        pl__parallel_for(ctx, job.count, CELLS_PER_TASK, show_parts, &job);
        double before = missing;
        missing = (due - pl__volume_sum(c, v->part, v->open)) / h3;
        area = fmax((before - missing) * c->h / job.loan, 0.1 * area);
    }
    if (status == PL_OK)
        pl__parallel_for(ctx, job.count, CELLS_PER_TASK, store_residuals, &job);
    pl__arena_release(scratch, mark);
    return status;
}
