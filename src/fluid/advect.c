// src/fluid/advect.c -- traces and MacCormack, sample by sample.
#include "advect.h"
#include "base/task.h"
#include "sample.h"
#include "stretch.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 16,
    DEEP = 3 // cells below the surface
};

void pl__grid_flow_velocity(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    (void)time;
    const pl__grid_flow *flow = user;
    pl__sample_velocity(flow->ctx, flow->grid->face, (const double *const[3]){flow->u[0], flow->u[1], flow->u[2]},
                        count, x, v);
}

typedef struct advect_job
{
    pl__grid_flow flow;
    const pl__columns *lattice;
    bool corner[3];  // its samples are at corners of cells along an axis
    int axis;        // of the faces that they are; -1: they are others
    const double *u; // being carried
    double *a;       // A u
    double *via[3];  // velocity half a step back
    double *low, *high;
    double *result;
    double dt;
    const double *phi;
} advect_job;

// Samples, and the velocity there.
typedef struct batch
{
    double x[3][PL__FLOW_BATCH], v[3][PL__FLOW_BATCH], to[3][PL__FLOW_BATCH], via[3][PL__FLOW_BATCH];
    int32_t number[PL__FLOW_BATCH], count;
    bool deep; // see is_deep
} batch;

// ---- points ----------------------------------------------------------------------------------------------------

// Points reached from the points of a batch in a time dt along the flow, by the midpoint rule.
static void trace(const advect_job *job, batch *b, double dt)
{
    const double *to[3] = {b->to[0], b->to[1], b->to[2]};
    pl__grid_flow flow = job->flow;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < b->count; ++n)
            b->to[axis][n] = b->x[axis][n] + 0.5 * dt * b->v[axis][n];
    pl__grid_flow_velocity(&flow, 0, b->count, to, (double *const[3]){b->via[0], b->via[1], b->via[2]});
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < b->count; ++n)
            b->to[axis][n] = b->x[axis][n] + dt * b->via[axis][n];
}

typedef void batch_function(const advect_job *job, batch *b);

static void carry(const advect_job *job, batch *b)
{
    const double *to[3] = {b->to[0], b->to[1], b->to[2]};
    double a[PL__FLOW_BATCH], low[PL__FLOW_BATCH], high[PL__FLOW_BATCH];
    trace(job, b, -job->dt);
    pl__sample(job->flow.ctx, job->lattice, job->u, b->count, to, a, low, high);
    for (int32_t n = 0; n < b->count; ++n)
    {
        int32_t number = b->number[n];
        job->a[number] = a[n];
        job->low[number] = low[n];
        job->high[number] = high[n];
        for (int axis = 0; axis < 3; ++axis)
            job->via[axis][number] = b->via[axis][n];
    }
}

// Deep in the liquid, where velocity is smooth, that half a step ahead is taken as 2 v less that half a step back.
static void reflect(const advect_job *job, batch *b)
{
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < b->count; ++n)
            b->to[axis][n] = b->x[axis][n] + job->dt * (2 * b->v[axis][n] - job->via[axis][b->number[n]]);
}

static void correct(const advect_job *job, batch *b)
{
    const double *to[3] = {b->to[0], b->to[1], b->to[2]};
    if (b->deep)
        reflect(job, b);
    else
        trace(job, b, job->dt);
    pl__sample(job->flow.ctx, job->lattice, job->a, b->count, to, b->via[0], NULL, NULL);
    for (int32_t n = 0; n < b->count; ++n)
    {
        int32_t number = b->number[n];
        double low = job->low[number], high = job->high[number];
        double a = job->a[number] + 0.5 * (job->u[number] - b->via[0][n]);
        job->result[number] = low <= high ? (a < low ? low : a > high ? high : a) : job->u[number];
    }
}

// ---- batches ---------------------------------------------------------------------------------------------------

// Whether one of the cells of a face is nearer to the liquid than `distance`; tall ones are deep in it.
static bool is_near(const advect_job *job, const pl__face_stretch *s, int32_t j, double distance)
{
    bool near = false;
    for (int end = 0; end < 2; ++end)
        near = near || s->kind[end] == PL__BESIDE_TALL ||
               (s->kind[end] == PL__BESIDE_UNIFORM && job->phi[s->cell[end] + j] < distance);
    return near;
}

// Whether both cells of a face are so deep that a trace reads liquid only.
static bool is_deep(const advect_job *job, const pl__face_stretch *s, int32_t j)
{
    double depth = DEEP * job->lattice->h;
    for (int end = 0; end < 2; ++end)
        if (s->kind[end] != PL__BESIDE_TALL &&
            !(s->kind[end] == PL__BESIDE_UNIFORM && job->phi[s->cell[end] + j] < -depth))
            return false;
    return true;
}

// The faces of the other components around a face between two uniform cells: base + row, four along each axis.
typedef struct around
{
    bool known;
    int32_t base[3][4];
} around;

static around look_around(const advect_job *job, int32_t column, const pl__face_stretch *s)
{
    around found = {.known = s->kind[0] == PL__BESIDE_UNIFORM && s->kind[1] == PL__BESIDE_UNIFORM};
    int32_t axis = job->axis, i = column % job->lattice->nx, k = column / job->lattice->nx;
    for (int other = 0; other < 3 && found.known; ++other)
        for (int n = 0; n < 4 && other != axis; ++n)
        {
            int32_t below = n < 2;
            found.base[other][n] =
                pl__grid_face(job->flow.grid, i - (axis == 0 ? below : 0), s->j0 - (axis == 1 ? below : 0),
                              k - (axis == 2 ? below : 0), other, n % 2) -
                s->j0;
        }
    return found;
}

// Velocity at `count` faces from row j on: the mean of four of each other component, or by interpolation.
static void find_velocity(const advect_job *job, const pl__face_stretch *s, const around *near, int32_t j,
                          int32_t count, batch *b)
{
    int32_t at = b->count;
    if (!near->known)
    {
        pl__grid_flow flow = job->flow;
        pl__grid_flow_velocity(&flow, 0, count, (const double *const[3]){b->x[0] + at, b->x[1] + at, b->x[2] + at},
                               (double *const[3]){b->v[0] + at, b->v[1] + at, b->v[2] + at});
        return;
    }
    memcpy(b->v[job->axis] + at, job->u + s->own + j, (size_t)count * sizeof(double));
    for (int axis = 0; axis < 3; ++axis)
    {
        const double *u = job->flow.u[axis] + j;
        const int32_t *base = near->base[axis];
        for (int32_t n = 0; axis != job->axis && n < count; ++n)
            b->v[axis][at + n] = 0.25 * ((u[base[0] + n] + u[base[1] + n]) + (u[base[2] + n] + u[base[3] + n]));
    }
}

static void flush(const advect_job *job, batch *b, batch_function *work)
{
    if (b->count > 0)
        work(job, b);
    b->count = 0;
}

// Rows [j, end) of a stretch.
static void add_rows(const advect_job *job, int32_t column, const pl__face_stretch *s, const around *near, int32_t j,
                     int32_t end, batch *b, batch_function *work)
{
    const pl__columns *c = job->lattice;
    double x = c->origin[0] + c->h * (column % c->nx), z = c->origin[2] + c->h * (column / c->nx);
    while (j < end)
    {
        if (b->count == PL__FLOW_BATCH)
            flush(job, b, work);
        int32_t room = PL__FLOW_BATCH - b->count, count = end - j < room ? end - j : room;
        for (int32_t n = 0; n < count; ++n)
        {
            b->x[0][b->count + n] = x;
            b->x[1][b->count + n] = c->origin[1] + c->h * (j + n);
            b->x[2][b->count + n] = z;
            b->number[b->count + n] = s->own + j + n;
        }
        find_velocity(job, s, near, j, count, b);
        b->count += count;
        j += count;
    }
}

// Rows of faces that are near, in batches: those that are deep in the second.
static void for_faces(const advect_job *job, int32_t column, double distance, batch b[2], batch_function *work)
{
    pl__face_stretch s;
    for (pl__face_walk w = pl__face_walk_begin(job->flow.grid, job->axis, column); pl__face_walk_next(&w, &s);)
    {
        around near = look_around(job, column, &s);
        for (int32_t j = s.j0; j <= s.j1;)
        {
            int32_t from = j;
            bool deep = is_deep(job, &s, j);
            while (j <= s.j1 && is_near(job, &s, j, distance) && is_deep(job, &s, j) == deep)
                ++j;
            add_rows(job, column, &s, &near, from, j, &b[deep], work);
            j += j == from;
        }
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
static bool is_any_near(const advect_job *job, int32_t column, int32_t j, double distance)
{
    int32_t i = column % job->lattice->nx, k = column / job->lattice->nx;
    for (int32_t z = k - job->corner[2]; z <= k; ++z)
        for (int32_t x = i - job->corner[0]; x <= i; ++x)
            for (int32_t y = j - job->corner[1]; y <= j; ++y)
                if (phi_at(job, x, y, z) < distance)
                    return true;
    return false;
}

// The same of other samples.
static void for_samples(const advect_job *job, int32_t column, double distance, batch *b, batch_function *work)
{
    const pl__columns *c = job->lattice;
    around nothing = {.known = false};
    for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
    {
        const pl__run *run = &c->run[r];
        pl__face_stretch s = {.own = run->first - run->j0};
        for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
        {
            int32_t from = j;
            while (j <= run->j1 && is_any_near(job, column, j, distance))
                ++j;
            add_rows(job, column, &s, &nothing, from, j, b, work);
        }
    }
}

static void for_rows(const advect_job *job, int32_t begin, int32_t end, double distance, batch_function *work)
{
    batch b[2];
    b[0].count = b[1].count = 0;
    b[0].deep = false, b[1].deep = true;
    for (int32_t column = begin; column < end; ++column)
        (job->axis >= 0 ? for_faces : for_samples)(job, column, distance, b, work);
    flush(job, &b[0], work);
    flush(job, &b[1], work);
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
                      .axis = lattice == &grid->face[0]   ? 0
                              : lattice == &grid->face[1] ? 1
                              : lattice == &grid->face[2] ? 2
                                                          : -1,
                      .u = what->value,
                      .a = PL_TAKE(arena, n + 1, double),
                      .low = PL_TAKE(arena, n + 1, double),
                      .high = PL_TAKE(arena, n + 1, double),
                      .result = result,
                      .dt = dt,
                      .phi = phi};
    bool taken = job.a && job.low && job.high;
    for (int axis = 0; axis < 3; ++axis)
        taken = (job.via[axis] = PL_TAKE(arena, n + 1, double)) && taken;
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
