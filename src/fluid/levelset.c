// src/fluid/levelset.c -- sampling, advection and volume of a level set.
//
// Advection is semi-Lagrangian: phi(x, t + dt) = phi(y, t) where y is x traced back. Interpolation decides what is
// lost: linear rounds every corner within a few steps (a single vortex at 128^2 loses all of its area), Catmull-Rom
// splines a tenth as fast; particles.h repairs the rest. The splines overshoot near kinks of phi; clamping them to the
// neighbours costs what they gain, since a distance has its extremes where it matters.
//
// The volume of a cell is that of its 48 tetrahedra (center, middle of a face, middle of an edge, corner), all of
// volume h^3/48 and the same seen from every side (part.kernel.c). phi at their corners is the mean of 1, 2, 4 and 8
// samples, which is trilinear interpolation, and linear in between, so that the volume is smooth in phi and exact for
// planes. It is of second order: a sphere of radius R seems smaller by (h/R)^2 / 2.
#include "levelset.h"
#include "base/task.h"
#include "boundary.h"
#include "part.h"
#include "sample.h"

#include <math.h>

enum
{
    COLUMNS_PER_TASK = 32
};

// ---- values between samples ------------------------------------------------------------------------------------

double pl__levelset_at(const pl__levelset *ls, int32_t column, int32_t j)
{
    const pl__run *run = j < ls->cell->ny ? pl__columns_find(ls->cell, column, j) : NULL;
    if (!run)
        return ls->far;
    return run->kind == PL__RUN_UNIFORM ? ls->phi[run->first + j - run->j0] : -ls->far;
}

void pl__levelset_corners(const pl__levelset *ls, const pl__cube *cube, double v[8])
{
    int32_t next = ls->cell->ny > 1;
    for (int n = 0; n < 4; ++n)
    {
        int32_t column = cube->column + (n & 1) * cube->step[0] + (n >> 1) * cube->step[1];
        v[2 * n] = pl__levelset_at(ls, column, cube->j);
        v[2 * n + 1] = pl__levelset_at(ls, column, cube->j + next);
    }
}

void pl__levelset_sample_batch(pl_context *ctx, const pl__levelset *ls, int32_t count, const double *const x[3],
                               double *restrict phi)
{
    uint8_t left[PL__FLOW_BATCH];
    pl__sample_main(ctx, ls->cell, ls->phi, count, x, phi, left);
    for (int32_t n = 0; n < count; ++n)
        if (left[n])
            phi[n] = pl__levelset_sample(ls, x[0][n], x[1][n], x[2][n]);
}

// Four rows of a column from j - 1 on, or NULL when one of them is not stored. Runs have no holes, and their numbers
// are consecutive.
static inline const double *rows_of(const pl__levelset *ls, int32_t column, int32_t j)
{
    const pl__main_run *m = &ls->cell->main[column];
    if (j > m->j0 && j + 2 <= m->j1)
        return ls->phi + (m->base + j - 1);
    int32_t first = j > 0 ? pl__columns_uniform(ls->cell, column, j - 1) : -1;
    if (first < 0 || j + 2 >= ls->cell->ny || pl__columns_uniform(ls->cell, column, j + 2) != first + 3)
        return NULL;
    return ls->phi + first;
}

double pl__levelset_sample_cubic(const pl__levelset *ls, double x, double y, double z)
{
    const pl__columns *c = ls->cell;
    pl__cube cube = pl__cube_at(c, x, y, z);
    int32_t k = cube.column / c->nx, i = cube.column - k * c->nx;
    bool plane = c->nz == 1;
    if (i < 1 || i + 2 >= c->nx || (!plane && (k < 1 || k + 2 >= c->nz)))
        return pl__levelset_sample(ls, x, y, z);
    double wx[4], wy[4], wz[4] = {1};
    pl__catmull_rom(cube.part[0], wx);
    pl__catmull_rom(cube.part[1], wy);
    if (!plane)
        pl__catmull_rom(cube.part[2], wz);
    int32_t column = cube.column - 1 - (plane ? 0 : c->nx), slices = plane ? 1 : 4;
    double row[4] = {0};
    for (int b = 0; b < slices; ++b, column += c->nx)
        for (int a = 0; a < 4; ++a)
        {
            const double *p = rows_of(ls, column + a, cube.j);
            if (!p)
                return pl__levelset_sample(ls, x, y, z);
            double w = wx[a] * wz[b];
            for (int r = 0; r < 4; ++r)
                row[r] += w * p[r];
        }
    return (wy[0] * row[0] + wy[1] * row[1]) + (wy[2] * row[2] + wy[3] * row[3]);
}

// ---- advection -------------------------------------------------------------------------------------------------

typedef struct advection
{
    pl_context *ctx;
    const pl__levelset *ls;
    const pl__motion *motion;
    double time, dt, band, *result;
} advection;

typedef struct batch
{
    double x[3][PL__FLOW_BATCH];
    int32_t cell[PL__FLOW_BATCH], count;
} batch;

static void advect_batch(const advection *job, batch *b)
{
    double *const x[3] = {b->x[0], b->x[1], b->x[2]};
    pl__flow_trace(job->motion, job->time + job->dt, -job->dt, b->count, x);
    double phi[PL__FLOW_BATCH];
    uint8_t left[PL__FLOW_BATCH];
    PL_PICK(job->ctx->register_bytes, pl__sample_cubic)
    (job->ls->cell, job->ls->phi, b->count, (const double *const[3]){x[0], x[1], x[2]}, phi, left);
    for (int32_t n = 0; n < b->count; ++n)
        job->result[b->cell[n]] = left[n] ? pl__levelset_sample_cubic(job->ls, x[0][n], x[1][n], x[2][n]) : phi[n];
    b->count = 0;
}

static void advect_run(const advection *job, int32_t column, const pl__run *run, batch *b)
{
    const pl__columns *c = job->ls->cell;
    const double *phi = job->ls->phi;
    int32_t k = column / c->nx, i = column - k * c->nx;
    double x = c->origin[0] + c->h * i, z = c->origin[2] + c->h * k;
    for (int32_t n = run->first; n < run->first + pl__run_numbers(run); ++n)
    {
        if (run->kind != PL__RUN_UNIFORM || !(fabs(phi[n]) < job->band))
        {
            job->result[n] = phi[n];
            continue;
        }
        b->x[0][b->count] = x;
        b->x[1][b->count] = c->origin[1] + c->h * (run->j0 + n - run->first);
        b->x[2][b->count] = z;
        b->cell[b->count++] = n;
        if (b->count == PL__FLOW_BATCH)
            advect_batch(job, b);
    }
}

static void advect_columns(void *argument, int32_t begin, int32_t end)
{
    const advection *job = argument;
    const pl__columns *c = job->ls->cell;
    batch b;
    b.count = 0;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            advect_run(job, column, &c->run[r], &b);
    if (b.count)
        advect_batch(job, &b);
}

void pl__levelset_advect(pl_context *ctx, const pl__levelset *ls, const pl__motion *motion, double time, double dt,
                         double band, double *result)
{
    advection job = {ctx, ls, motion, time, dt, band, result};
    pl__parallel_for(ctx, ls->cell->nx * ls->cell->nz, COLUMNS_PER_TASK, advect_columns, &job);
}

// ---- volume ----------------------------------------------------------------------------------------------------

typedef struct measurement
{
    const pl__levelset *ls;
    const double *clip;
    pl__distance_function *exact;
    void *user;
    int32_t register_bytes;
} measurement;

static int32_t within(int32_t i, int32_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }

// The samples of a cell and its neighbours, index 9 (dz + 1) + 3 (dx + 1) + dy + 1; the nearest ones beyond the
// lattice, as everywhere. False: all are of one sign.
static bool neighbours(const pl__levelset *ls, int32_t column, int32_t j, unsigned sides, double v[27])
{
    const pl__columns *c = ls->cell;
    int32_t k = column / c->nx, i = column - k * c->nx, negative = 0;
    int32_t x[3] = {sides & 1 ? i : within(i - 1, c->nx), i, sides & 2 ? i : within(i + 1, c->nx)},
            y[3] = {sides & 4 ? j : within(j - 1, c->ny), j, sides & 8 ? j : within(j + 1, c->ny)},
            z[3] = {sides & 16 ? k : within(k - 1, c->nz), k, sides & 32 ? k : within(k + 1, c->nz)};
    for (int n = 0; n < 27; n += 3)
    {
        int32_t beside = x[n / 3 % 3] + c->nx * z[n / 9];
        const pl__main_run *m = &c->main[beside];
        bool stored = y[0] >= m->j0 && y[2] <= m->j1;
        for (int row = 0; row < 3; ++row)
        {
            v[n + row] = stored ? ls->phi[m->base + y[row]] : pl__levelset_at(ls, beside, y[row]);
            negative += v[n + row] < 0;
        }
    }
    return negative > 0 && negative < 27;
}

static void look_up(const pl__levelset *ls, int32_t column, pl__part_window *w)
{
    const pl__columns *c = ls->cell;
    int32_t k = column / c->nx, i = column - k * c->nx;
    w->column = column;
    w->low = 1, w->high = c->ny - 2;
    for (int n = 0; n < 9; ++n)
    {
        const pl__main_run *m = &c->main[within(i + n % 3 - 1, c->nx) + c->nx * within(k + n / 3 - 1, c->nz)];
        w->low = m->j0 + 1 > w->low ? m->j0 + 1 : w->low;
        w->high = m->j1 - 1 < w->high ? m->j1 - 1 : w->high;
        w->at[n] = ls->phi + m->base - 1;
    }
}

// ---- at walls
//
// Of the 27 samples a cell sees those that are connected to it through open sides among them. Beyond closed sides are
// its own values, and others are on the plane through these: what is behind a wall has no part in it.

// The number of a uniform cell, or -1.
static int32_t number_in(const pl__columns *c, const int32_t at[3])
{
    for (int axis = 0; axis < 3; ++axis)
        if (at[axis] < 0 || at[axis] >= (axis == 0 ? c->nx : axis == 1 ? c->ny : c->nz))
            return -1;
    return pl__columns_uniform(c, at[0] + c->nx * at[2], at[1]);
}

static bool seen_neighbours(const pl__levelset *ls, int32_t column, int32_t j, double v[27])
{
    enum
    {
        OWN = 13
    };
    static const int step[3] = {3, 1, 9};
    const pl__columns *c = ls->cell;
    const uint8_t *sides = ls->boundary->sides;
    const int32_t n[3] = {c->nx, c->ny, c->nz};
    int32_t number[27], own[3] = {column % c->nx, j, column / c->nx}, negative = 0;
    bool seen[27] = {false}, inside[27];
    for (int p = 0; p < 27; ++p)
    {
        int32_t at[3] = {own[0] + p / 3 % 3 - 1, own[1] + p % 3 - 1, own[2] + p / 9 - 1};
        inside[p] = at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < n[0] && at[1] < n[1] && at[2] < n[2];
        number[p] = number_in(c, at);
        v[p] = inside[p] ? pl__levelset_at(ls, at[0] + c->nx * at[2], at[1]) : 0;
    }
    seen[OWN] = true;
    for (int pass = 0; pass < 3; ++pass)
        for (int p = 0; p < 27; ++p)
            for (int side = 0; side < 6 && seen[p]; ++side)
            {
                int place = side / 2 == 0 ? p / 3 % 3 : side / 2 == 1 ? p % 3 : p / 9, way = side % 2 ? 1 : -1;
                if (place + way < 0 || place + way > 2 || (number[p] >= 0 && sides[number[p]] >> side & 1))
                    continue;
                int q = p + way * step[side / 2];
                seen[q] = inside[q] || seen[q];
            }
    double rise[6];
    for (int side = 0; side < 6; ++side)
    {
        int p = OWN + (side % 2 ? 1 : -1) * step[side / 2];
        rise[side] = seen[p] ? v[p] - v[OWN] : 0;
    }
    for (int p = 0; p < 27; ++p)
    {
        int place[3] = {p / 3 % 3 - 1, p % 3 - 1, p / 9 - 1};
        if (!seen[p])
            v[p] = v[OWN];
        for (int axis = 0; axis < 3 && !seen[p]; ++axis)
            v[p] += place[axis] == 0 ? 0 : rise[2 * axis + (place[axis] > 0)];
        negative += v[p] < 0;
    }
    return negative > 0 && negative < 27;
}

// ---- of all cells

// The same by what has been looked up.
static bool window_neighbours(const pl__part_window *w, int32_t j, double v[27])
{
    int32_t negative = 0;
    for (int n = 0; n < 9; ++n)
        for (int row = 0; row < 3; ++row)
            v[3 * n + row] = w->at[n][j + row];
    for (int n = 0; n < 27; ++n)
        negative += v[n] < 0;
    return negative > 0 && negative < 27;
}

// Part of a uniform cell with phi < 0.
static double liquid_part(const pl__levelset *ls, int32_t register_bytes, int32_t column, int32_t j, unsigned sides,
                          int32_t n, pl__part_window *w)
{
    double v[27], phi = ls->phi[n];
    if (fabs(phi) > 2 * ls->cell->h)
        return phi < 0;
    if (ls->boundary && ls->boundary->distance[n] < 2 * ls->cell->h)
        return seen_neighbours(ls, column, j, v) ? PL_PICK(register_bytes, pl__cell_part)(v) : phi < 0;
    if (w->column != column)
        look_up(ls, column, w);
    bool inside = sides == 0 && j >= w->low && j <= w->high;
    if (!(inside ? window_neighbours(w, j, v) : neighbours(ls, column, j, sides, v)))
        return phi < 0;
    return PL_PICK(register_bytes, pl__cell_part)(v);
}

double pl__levelset_part(const pl__levelset *ls, int32_t register_bytes, int32_t column, int32_t j, unsigned sides,
                         int32_t n)
{
    pl__part_window window = {.column = -1};
    return liquid_part(ls, register_bytes, column, j, sides, n, &window);
}

double pl__levelset_next_part(const pl__levelset *ls, int32_t register_bytes, int32_t column, int32_t j, unsigned sides,
                              int32_t n, pl__part_window *window)
{
    return liquid_part(ls, register_bytes, column, j, sides, n, window);
}

static double volume_of_columns(void *argument, int32_t begin, int32_t end)
{
    const measurement *job = argument;
    const pl__columns *c = job->ls->cell;
    pl__part_window window = {.column = -1};
    double sum = 0;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            const double *clip = job->clip ? job->clip + run->first : NULL;
            if (run->kind != PL__RUN_UNIFORM)
            {
                sum += pl__run_rows(run) * (clip ? 0.5 * (clip[0] + clip[1]) : 1);
                continue;
            }
            for (int32_t n = 0; n < pl__run_rows(run); ++n)
                if (!clip || clip[n] != 0)
                    sum += liquid_part(job->ls, job->register_bytes, column, run->j0 + n, 0, run->first + n, &window) *
                           (clip ? clip[n] : 1);
        }
    return sum;
}

static pl_status measure(pl_context *ctx, measurement *job, pl__reduce_function *term, pl__arena *scratch,
                         double *volume)
{
    const pl__columns *c = job->ls->cell;
    int32_t columns = c->nx * c->nz;
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    double *partial = PL_TAKE(scratch, pl__chunk_count(columns, COLUMNS_PER_TASK), double);
    if (!partial)
        return PL_ERR_MEMORY;
    *volume = c->h * c->h * c->h * pl__parallel_sum(ctx, columns, COLUMNS_PER_TASK, term, job, partial);
    pl__arena_release(scratch, mark);
    return PL_OK;
}

pl_status pl__levelset_volume(pl_context *ctx, const pl__levelset *ls, const double *clip, pl__arena *scratch,
                              double *volume)
{
    measurement job = {.ls = ls, .clip = clip, .register_bytes = ctx->register_bytes};
    return measure(ctx, &job, volume_of_columns, scratch, volume);
}

typedef struct parting
{
    const pl__levelset *ls;
    const uint8_t *sides;
    double *part;
    int32_t register_bytes;
} parting;

static void parts_of_columns(void *argument, int32_t begin, int32_t end)
{
    const parting *job = argument;
    const pl__columns *c = job->ls->cell;
    pl__part_window window = {.column = -1};
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t n = 0; n < pl__run_numbers(run); ++n)
            {
                int32_t number = run->first + n;
                unsigned sides = job->sides ? job->sides[number] : 0;
                job->part[number] = 1;
                if (run->kind == PL__RUN_UNIFORM)
                    job->part[number] =
                        liquid_part(job->ls, job->register_bytes, column, run->j0 + n, sides, number, &window);
            }
        }
}

void pl__levelset_parts(pl_context *ctx, const pl__levelset *ls, const uint8_t *sides, double *part)
{
    parting job = {ls, sides, part, ctx->register_bytes};
    pl__parallel_for(ctx, ls->cell->nx * ls->cell->nz, COLUMNS_PER_TASK, parts_of_columns, &job);
}

// Part of a cell on which the signs differ.
static double misplaced_part(const measurement *job, const double center[3], double phi)
{
    const pl__columns *c = job->ls->cell;
    if (fabs(phi) > 3 * c->h && fabs(job->exact(job->user, center)) > 3 * c->h)
        return (phi < 0) != (job->exact(job->user, center) < 0);
    int layers = c->nz > 1 ? 4 : 1, wrong = 0;
    for (int n = 0; n < 16 * layers; ++n)
    {
        double at[3] = {n & 3, n >> 2 & 3, c->nz > 1 ? n >> 4 : 1.5}, x[3];
        for (int axis = 0; axis < 3; ++axis)
            x[axis] = center[axis] + c->h * (at[axis] - 1.5) / 4;
        wrong += (pl__levelset_sample(job->ls, x[0], x[1], x[2]) < 0) != (job->exact(job->user, x) < 0);
    }
    return wrong / (16.0 * layers);
}

static double misplaced_in_columns(void *argument, int32_t begin, int32_t end)
{
    const measurement *job = argument;
    const pl__columns *c = job->ls->cell;
    double sum = 0;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                double x[3] = {c->origin[0] + c->h * (column % c->nx), c->origin[1] + c->h * j,
                               c->origin[2] + c->h * (column / c->nx)};
                sum += misplaced_part(job, x, job->ls->phi[run->first + j - run->j0]);
            }
        }
    return sum;
}

pl_status pl__levelset_misplaced(pl_context *ctx, const pl__levelset *ls, pl__distance_function *exact, void *user,
                                 pl__arena *scratch, double *volume)
{
    measurement job = {.ls = ls, .exact = exact, .user = user};
    return measure(ctx, &job, misplaced_in_columns, scratch, volume);
}
