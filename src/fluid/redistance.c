// src/fluid/redistance.c -- distance to the zero level of phi: |grad d| = 1 with d given at the surface.
//
// Cells with a neighbour of the other sign get their distance from the crossings along the axes, which linear
// interpolation finds. From there the upwind scheme of Rouy & Tourin (1992) spreads it, up to `far`. Its solution is
// unique, whatever the order in which cells are visited; the order here is one that threads and registers allow:
// columns of one colour of a chessboard, then those of the other, in groups of eight rows, until nothing changes. A
// group is visited only when something near it has changed since. Signs do not matter: neighbours of other cells than
// those at the surface are on the same side.
//
// Closed sides of cells (`sides` of the level set) hide what is behind them: a wall that is thinner than two cells has
// liquid on one side and air on the other, and no surface inside. phi goes on beyond them along the line through the
// last two samples, if they are not thin; cells with all sides closed keep what they have.
//
// What it does badly: both are of first order. A surface that crosses only one edge of a cell seems farther than it is,
// so that the zero level of a sphere of 20 cells moves by up to 0.08 cells, here and there, and distances are too large
// by up to 0.4 cells.
#include "redistance.h"
#include "base/task.h"
#include "boundary.h"
#include "layers.h"
#include "levelset.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 64,
    MOST_HALVES = 250 // they are counted in a byte
};

typedef struct widening
{
    const pl__levelset *ls;
    uint8_t *state; // [numbers of cells] 0: at a wall, to be found; AT_SURFACE or OTHER
    double *value;  // [the same]
} widening;

typedef struct redistancing
{
    const pl__levelset *ls;
    pl__band band;
    int32_t half, register_bytes;
    uint8_t *any; // [tasks] whether a task changed something
    bool walled;  // there are cells at walls
    widening widening;
} redistancing;

// ---- groups ----------------------------------------------------------------------------------------------------

// Visit the groups of a column in order, a guard at the end of each stack; `row` may be NULL. Returns their number.
static int32_t list_groups(const pl__columns *c, int32_t column, int32_t *row)
{
    int32_t count = 0, last = PL__GUARD;
    for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
    {
        const pl__run *run = &c->run[r];
        if (run->kind != PL__RUN_UNIFORM)
            continue;
        int32_t a = run->j0 / PL__GROUP_ROWS, b = run->j1 / PL__GROUP_ROWS;
        if (last != PL__GUARD && a > last + 1)
        {
            if (row)
                row[count] = PL__GUARD;
            ++count;
        }
        for (a = a > last ? a : last + 1; a <= b; ++a, ++count)
            if (row)
                row[count] = a;
        last = b;
    }
    if (row)
        row[count] = PL__GUARD;
    return count + 1;
}

static void count_groups(void *argument, int32_t begin, int32_t end)
{
    redistancing *job = argument;
    for (int32_t column = begin; column < end; ++column)
        job->band.start[column] = list_groups(job->ls->cell, column, NULL);
}

// Groups of column `other` with the rows of those of `column`.
static void link(pl__band *band, int32_t column, int32_t other, int side)
{
    int32_t n = band->start[other], end = band->start[other + 1];
    for (int32_t g = band->start[column]; g < band->start[column + 1]; ++g)
    {
        while (n < end && band->row[n] < band->row[g])
            ++n;
        band->beside[g].group[side] = n < end && band->row[g] != PL__GUARD && band->row[n] == band->row[g] ? n : 0;
    }
}

static void link_groups(void *argument, int32_t begin, int32_t end)
{
    pl__band *band = &((redistancing *)argument)->band;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t i = column % band->nx;
        int32_t beside[4] = {i > 0 ? column - 1 : -1, i + 1 < band->nx ? column + 1 : -1, column - band->nx,
                             column + band->nx < band->column_count ? column + band->nx : -1};
        for (int n = 0; n < 4; ++n)
            if (beside[n] >= 0)
                link(band, column, beside[n], n);
            else
                for (int32_t g = band->start[column]; g < band->start[column + 1]; ++g)
                    band->beside[g].group[n] = 0;
    }
}

// ---- between cells and groups ----------------------------------------------------------------------------------

static void clear_group(pl__band *band, int32_t g)
{
    for (int r = 0; r < PL__GROUP_ROWS; ++r)
    {
        band->phi[(size_t)g * PL__GROUP_ROWS + (size_t)r] = NAN;
        band->distance[(size_t)g * PL__GROUP_ROWS + (size_t)r] = -1e9;
    }
    band->changed[g] = 0;
}

// The place of the first row of a run in the groups of its column, of which the search goes on from *g.
static size_t place_of(const pl__band *band, const pl__run *run, int32_t *g)
{
    while (band->row[*g] == PL__GUARD || band->row[*g] < run->j0 / PL__GROUP_ROWS)
        ++*g;
    return (size_t)*g * PL__GROUP_ROWS + (size_t)(run->j0 % PL__GROUP_ROWS);
}

// Sides that solids close; walls of the domain have no samples behind them.
static bool is_walled(uint8_t sides) { return (sides & PL__TOUCHED) && (sides & PL__ALL_SIDES); }

static void mark_walls(pl__band *band, const uint8_t *sides, size_t place, int32_t rows)
{
    for (int32_t n = 0; n < rows; ++n)
        if (is_walled(sides[n]))
            band->wall[(place + (size_t)n) / PL__GROUP_ROWS] = 1;
}

// Give groups at walls their places, from 1 on.
static pl_status take_walls(redistancing *job, pl__arena *scratch)
{
    pl__band *band = &job->band;
    int32_t count = 0;
    for (int32_t g = 0; g < band->group_count; ++g)
        band->wall[g] = band->wall[g] ? ++count : 0;
    band->closed = PL_TAKE(scratch, count + 1, pl__closed);
    if (!band->closed)
        return PL_ERR_MEMORY;
    memset(band->closed, 0, (size_t)(count + 1) * sizeof *band->closed);
    job->walled = count > 0;
    return PL_OK;
}

static void close_sides(void *argument, int32_t begin, int32_t end)
{
    static const int order[6] = {2, 3, 0, 1, 4, 5}; // of `sides`: -x +x -y +y -z +z
    const redistancing *job = argument;
    const pl__columns *c = job->ls->cell;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t g = job->band.start[column];
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            if (run->kind != PL__RUN_UNIFORM)
                continue;
            size_t place = place_of(&job->band, run, &g);
            for (int32_t n = 0; n < pl__run_rows(run); ++n, ++place)
                for (int side = 0; side < 6 && is_walled(job->ls->boundary->sides[run->first + n]); ++side)
                    job->band.closed[job->band.wall[place / PL__GROUP_ROWS]].side[side][place % PL__GROUP_ROWS] =
                        (job->ls->boundary->sides[run->first + n] >> order[side] & 1) *
                        (job->ls->boundary->sides[run->first + n] & PL__PARTED ? 2 : 1);
        }
    }
}

static void pack(void *argument, int32_t begin, int32_t end)
{
    redistancing *job = argument;
    const pl__columns *c = job->ls->cell;
    pl__band *band = &job->band;
    double scale = 1 / c->h;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t g = band->start[column];
        list_groups(c, column, &band->row[g]);
        for (int32_t n = g; n < band->start[column + 1]; ++n)
            clear_group(band, n);
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            if (run->kind != PL__RUN_UNIFORM)
                continue;
            double *to = band->phi + place_of(band, run, &g);
            const double *from = job->ls->phi + run->first;
            for (int32_t n = 0; n < pl__run_rows(run); ++n)
                to[n] = from[n] * scale;
            if (job->ls->boundary && !band->closed)
                mark_walls(band, job->ls->boundary->sides + run->first, (size_t)(to - band->phi), pl__run_rows(run));
        }
    }
}

static void unpack(void *argument, int32_t begin, int32_t end)
{
    const redistancing *job = argument;
    const pl__columns *c = job->ls->cell;
    const pl__band *band = &job->band;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t g = band->start[column];
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            if (run->kind != PL__RUN_UNIFORM)
                continue;
            const double *from = band->distance + place_of(band, run, &g);
            double *to = job->ls->phi + run->first;
            for (int32_t n = 0; n < pl__run_rows(run); ++n)
            {
                if (job->ls->boundary && (job->ls->boundary->sides[run->first + n] & PL__ALL_SIDES) == PL__ALL_SIDES)
                    continue;
                double d = fabs(from[n]) * c->h;
                to[n] = to[n] <= 0 ? -d : d;
            }
        }
    }
}

// ---- redistancing ----------------------------------------------------------------------------------------------

static void cross(void *argument, int32_t begin, int32_t end)
{
    redistancing *job = argument;
    PL_PICK(job->register_bytes, pl__band_cross)(&job->band, begin, end);
}

static void sweep(void *argument, int32_t begin, int32_t end)
{
    redistancing *job = argument;
    if (PL_PICK(job->register_bytes, pl__band_sweep)(&job->band, job->half, begin, end))
        job->any[begin / COLUMNS_PER_TASK] = 1;
}

static bool take_columns(redistancing *job, pl__arena *scratch)
{
    pl__band *band = &job->band;
    band->start = PL_TAKE(scratch, band->column_count + 1, int32_t);
    band->column_changed = PL_TAKE(scratch, band->column_count, uint8_t);
    job->any = PL_TAKE(scratch, pl__chunk_count(band->column_count, COLUMNS_PER_TASK), uint8_t);
    return band->start && band->column_changed && job->any;
}

static bool take_groups(pl__band *band, pl__arena *scratch)
{
    int32_t count = band->group_count;
    band->row = PL_TAKE(scratch, count, int32_t);
    band->wall = PL_TAKE(scratch, count, int32_t);
    band->beside = PL_TAKE(scratch, count, pl__sides);
    band->phi = PL_TAKE(scratch, PL__GROUP_ROWS * (size_t)count, double);
    band->distance = PL_TAKE(scratch, PL__GROUP_ROWS * (size_t)count, double);
    band->changed = PL_TAKE(scratch, count, uint8_t);
    if (band->wall)
        memset(band->wall, 0, (size_t)count * sizeof *band->wall);
    return band->row && band->wall && band->beside && band->phi && band->distance && band->changed;
}

// Half sweeps until two change nothing.
static void spread(pl_context *ctx, redistancing *job)
{
    int32_t columns = job->band.column_count, tasks = pl__chunk_count(columns, COLUMNS_PER_TASK), idle = 0;
    for (job->half = 2; idle < 2 && job->half < MOST_HALVES; ++job->half)
    {
        for (int32_t n = 0; n < tasks; ++n)
            job->any[n] = 0;
        pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, sweep, job);
        ++idle;
        for (int32_t n = 0; n < tasks; ++n)
            if (job->any[n])
                idle = 0;
    }
}

// ---- at walls --------------------------------------------------------------------------------------------------
//
// A cell at a wall may have no crossing because the wall hides the neighbour beyond it, as above the line where still
// water meets a rock. Where its neighbours along a line are at the surface it gets what is on that line: planes stay.

enum
{
    WALL_LAYERS = 3,
    AT_SURFACE = 1, // its distance is known
    OTHER = 2       // it is left to the sweeps
};

static bool is_at_surface(const uint8_t *state, int32_t n) { return n >= 0 && state[n] == AT_SURFACE; }

static bool on_lines(const void *user, const int32_t *entry, const uint8_t *state, const double *value, double *result)
{
    const widening *w = user;
    double h = w->ls->cell->h, sum = 0, own = w->ls->phi[entry[0]];
    int count = 0;
    for (int n = 1; n < 13; n += 2)
    {
        if (!is_at_surface(state, entry[n]) || !is_at_surface(state, entry[n + 1]) ||
            w->ls->boundary->sides[entry[0]] >> (n / 2) & 1 || w->ls->boundary->sides[entry[n]] >> (n / 2) & 1)
            continue;
        double a = value[entry[n]], rise = a - value[entry[n + 1]];
        sum += a + (rise > h ? h : rise < -h ? -h : rise), ++count;
    }
    *result = count ? sum / count : 0;
    // a level through centers has either sign, as rounding has it
    return count > 0 && (own != own || (*result <= 0) == (own <= 0) || fabs(*result) < 1e-9 * h);
}

// From the cells at the surface, with `value`, on to those at walls; phi becomes that, and `far` where it is not known.
static pl_status widen(pl_context *ctx, const widening *w, pl__arena *scratch)
{
    const pl__columns *c = w->ls->cell;
    pl__layers list;
    PL_TRY(pl__layers_list(ctx, scratch, c, 2, false, w->state, &list));
    pl__layers_spread(&list, WALL_LAYERS, on_lines, w, w->state, w->value);
    for (size_t r = 0; r < c->run_count; ++r)
        for (int32_t n = c->run[r].first;
             c->run[r].kind == PL__RUN_UNIFORM && n < c->run[r].first + pl__run_rows(&c->run[r]); ++n)
        {
            double *phi = &w->ls->phi[n];
            if (w->state[n] == AT_SURFACE)
                *phi = w->value[n];
            else if ((w->ls->boundary->sides[n] & PL__ALL_SIDES) != PL__ALL_SIDES && *phi == *phi)
                *phi = *phi <= 0 ? -w->ls->far : w->ls->far;
        }
    return PL_OK;
}

// What is at the surface after `cross`, and what is at walls.
static void find_states(void *argument, int32_t begin, int32_t end)
{
    const redistancing *job = argument;
    const pl__columns *c = job->ls->cell;
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t g = job->band.start[column];
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            if (run->kind != PL__RUN_UNIFORM)
            {
                for (int32_t n = 0; n < pl__run_numbers(run); ++n)
                    job->widening.state[run->first + n] = OTHER;
                continue;
            }
            const double *from = job->band.distance + place_of(&job->band, run, &g);
            for (int32_t m = 0; m < pl__run_rows(run); ++m)
            {
                int32_t n = run->first + m;
                double phi = job->ls->phi[n], d = -from[m] * c->h;
                bool wall = (job->ls->boundary->sides[n] & PL__TOUCHED) &&
                            (job->ls->boundary->sides[n] & PL__ALL_SIDES) != PL__ALL_SIDES;
                job->widening.state[n] = phi == phi && d >= 0 ? AT_SURFACE : wall ? 0 : OTHER;
                job->widening.value[n] = phi <= 0 ? -d : d;
            }
        }
    }
}

static pl_status see_past_walls(pl_context *ctx, redistancing *job, pl__arena *scratch)
{
    const pl__columns *c = job->ls->cell;
    job->widening = (widening){job->ls, PL_TAKE(scratch, c->value_count + 1, uint8_t),
                               PL_TAKE(scratch, c->value_count + 1, double)};
    if (!job->widening.state || !job->widening.value)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, c->nx * c->nz, COLUMNS_PER_TASK, find_states, job);
    PL_TRY(widen(ctx, &job->widening, scratch));
    job->band.given = true;
    pl__parallel_for(ctx, c->nx * c->nz, COLUMNS_PER_TASK, pack, job);
    pl__parallel_for(ctx, c->nx * c->nz, COLUMNS_PER_TASK, cross, job);
    return PL_OK;
}

// ---- all of it -------------------------------------------------------------------------------------------------

static pl_status run(pl_context *ctx, redistancing *job, pl__arena *scratch)
{
    pl__band *band = &job->band;
    int32_t columns = band->column_count;
    if (!take_columns(job, scratch))
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, count_groups, job);
    int32_t count = 1; // a guard
    for (int32_t column = 0; column < columns; ++column)
    {
        int32_t here = band->start[column];
        band->start[column] = count;
        count += here;
    }
    band->start[columns] = band->group_count = count;
    if (!take_groups(band, scratch))
        return PL_ERR_MEMORY;
    band->row[0] = PL__GUARD;
    clear_group(band, 0);
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, pack, job);
    PL_TRY(take_walls(job, scratch));
    if (job->ls->boundary)
        pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, close_sides, job);
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, link_groups, job);
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, cross, job);
    if (job->walled)
        PL_TRY(see_past_walls(ctx, job, scratch));
    spread(ctx, job);
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, unpack, job);
    return PL_OK;
}

static pl_status redistance(pl_context *ctx, const pl__levelset *ls, bool given, pl__arena *scratch)
{
    const pl__columns *c = ls->cell;
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    redistancing job = {.ls = ls,
                        .band = {.nx = c->nx, .column_count = c->nx * c->nz, .far = ls->far / c->h, .given = given},
                        .register_bytes = ctx->register_bytes};
    pl_status status = run(ctx, &job, scratch);
    pl__arena_release(scratch, mark);
    return status;
}

pl_status pl__levelset_redistance(pl_context *ctx, const pl__levelset *ls, pl__arena *scratch)
{
    return redistance(ctx, ls, false, scratch);
}

pl_status pl__levelset_spread(pl_context *ctx, const pl__levelset *ls, pl__arena *scratch)
{
    return redistance(ctx, ls, true, scratch);
}
