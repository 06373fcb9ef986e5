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
    bool corner[3]; // its samples are at corners of cells along an axis
    int axis;       // of the faces that they are; -1: they are others
    int fields;     // being carried along the same ways
    const double *u[PL__MOST_ADVECTED];
    double *a[PL__MOST_ADVECTED]; // A u
    double *via[3];               // velocity half a step back
    double *low[PL__MOST_ADVECTED], *high[PL__MOST_ADVECTED];
    double *result[PL__MOST_ADVECTED];
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
    for (int f = 0; f < job->fields; ++f)
    {
        pl__sample(job->flow.ctx, job->lattice, job->u[f], b->count, to, a, low, high);
        for (int32_t n = 0; n < b->count; ++n)
        {
            int32_t number = b->number[n];
            job->a[f][number] = a[n];
            job->low[f][number] = low[n];
            job->high[f][number] = high[n];
        }
    }
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < b->count; ++n)
            job->via[axis][b->number[n]] = b->via[axis][n];
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
    for (int f = 0; f < job->fields; ++f)
    {
        const double *u = job->u[f];
        pl__sample(job->flow.ctx, job->lattice, job->a[f], b->count, to, b->via[0], NULL, NULL);
        for (int32_t n = 0; n < b->count; ++n)
        {
            int32_t number = b->number[n];
            double low = job->low[f][number], high = job->high[f][number];
            double a = job->a[f][number] + 0.5 * (u[number] - b->via[0][n]);
            job->result[f][number] = low <= high ? (a < low ? low : a > high ? high : a) : u[number];
        }
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

// Faces around a sample, base + row: four of each other component around a face between two uniform cells; or of each
// component so many, two around a cell, two and eight around an edge.
typedef struct around
{
    bool known;
    int count[3]; // 0: of a face
    int32_t base[3][8];
    int32_t low, high; // of edges: rows that it is for
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

// Velocity at `count` samples from row j on: the mean of the faces around, or by interpolation.
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
    for (int axis = 0; axis < 3 && near->count[0] > 0; ++axis)
    {
        const double *u = job->flow.u[axis] + j, part = 1. / near->count[axis];
        double *v = b->v[axis] + at;
        memset(v, 0, (size_t)count * sizeof *v);
        for (int q = 0; q < near->count[axis]; ++q)
            for (int32_t n = 0; n < count; ++n)
                v[n] += part * u[near->base[axis][q] + n];
    }
    if (near->count[0] > 0)
        return;
    memcpy(b->v[job->axis] + at, job->u[0] + s->own + j, (size_t)count * sizeof(double));
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

// Rows of cells, likewise.
static void for_cells(const advect_job *job, int32_t column, double distance, batch b[2], batch_function *work)
{
    double depth = DEEP * job->lattice->h;
    pl__cell_stretch s;
    for (pl__cell_walk w = pl__cell_walk_begin(job->flow.grid, column); pl__cell_walk_next(&w, &s);)
    {
        around near = {.known = true, .count = {2, 2, 2}};
        pl__face_stretch own = {.own = s.own};
        const double *phi = job->phi + s.own;
        for (int side = 0; side < 6; ++side)
            near.base[side / 2][side % 2] = s.face[side];
        for (int32_t j = s.j0; j <= s.j1;)
        {
            int32_t from = j;
            bool deep = phi[j] < -depth;
            while (j <= s.j1 && phi[j] < distance && (phi[j] < -depth) == deep)
                ++j;
            add_rows(job, column, &own, &near, from, j, &b[deep], work);
            j += j == from;
        }
    }
}

// The columns of cells around one of samples.
typedef struct beside
{
    int32_t i[4], k[4];
    const pl__main_run *main[4];
    int count;
} beside;

static beside columns_beside(const advect_job *job, int32_t column)
{
    const pl__columns *c = &job->flow.grid->cell;
    int32_t i = column % job->lattice->nx, k = column / job->lattice->nx;
    beside found = {.count = 0};
    for (int32_t z = k - job->corner[2]; z <= k; ++z)
        for (int32_t x = i - job->corner[0]; x <= i; ++x)
            if (x >= 0 && z >= 0 && x < c->nx && z < c->nz)
            {
                found.i[found.count] = x, found.k[found.count] = z;
                found.main[found.count++] = &c->main[x + c->nx * z];
            }
    return found;
}

// The least and the largest phi of the cells around a sample; what is missing is far.
static void find_range(const advect_job *job, const beside *columns, int32_t j, double range[2])
{
    range[0] = INFINITY, range[1] = columns->count < (1 + job->corner[0]) * (1 + job->corner[2]) ? INFINITY : -INFINITY;
    for (int n = 0; n < columns->count; ++n)
        for (int32_t y = j - job->corner[1]; y <= j; ++y)
        {
            const pl__main_run *m = columns->main[n];
            double phi =
                y >= m->j0 && y <= m->j1 ? job->phi[m->base + y] : phi_at(job, columns->i[n], y, columns->k[n]);
            range[0] = phi < range[0] ? phi : range[0];
            range[1] = phi > range[1] ? phi : range[1];
        }
}

// The faces around edges: of both axes of their plane, and along them; for the rows that all have in their main runs.
static around look_around_edge(const advect_job *job, int32_t column)
{
    around found = {.known = true, .low = INT32_MIN, .high = INT32_MAX};
    int32_t i = column % job->lattice->nx, k = column / job->lattice->nx;
    for (int axis = 0; axis < 3; ++axis)
        for (int n = 0; n < 8; ++n)
        {
            int32_t by[3] = {n & 1, n >> 1 & 1, n >> 2}; // back along corners, on along the edge
            bool used = true;
            for (int a = 0; a < 3; ++a)
                used = used && (by[a] == 0 || (job->corner[a] ? a != axis : a == axis));
            if (!used)
                continue;
            const pl__columns *f = &job->flow.grid->face[axis];
            int32_t x = i + (job->corner[0] ? -by[0] : by[0]), y = job->corner[1] ? -by[1] : by[1],
                    z = k + (job->corner[2] ? -by[2] : by[2]);
            if (x < 0 || z < 0 || x >= f->nx || z >= f->nz)
                return (around){.known = false};
            const pl__main_run *m = &f->main[x + f->nx * z];
            found.low = m->j0 - y > found.low ? m->j0 - y : found.low;
            found.high = m->j1 - y < found.high ? m->j1 - y : found.high;
            found.base[axis][found.count[axis]++] = m->base + y;
        }
    return found;
}

// Rows [j, end) of edges: by the faces around, or by interpolation.
static void add_edge_rows(const advect_job *job, int32_t column, const pl__face_stretch *s, const around *near,
                          int32_t j, int32_t end, batch *b, batch_function *work)
{
    around nothing = {.known = false};
    int32_t low = near->known && near->low > j ? near->low : j, high = near->known ? near->high + 1 : low;
    low = low < end ? low : end;
    high = high < low ? low : high < end ? high : end;
    add_rows(job, column, s, &nothing, j, low, b, work);
    add_rows(job, column, s, near, low, high, b, work);
    add_rows(job, column, s, &nothing, high, end, b, work);
}

// Other samples, likewise: those beside a cell that is near.
static void for_samples(const advect_job *job, int32_t column, double distance, batch b[2], batch_function *work)
{
    const pl__columns *c = job->lattice;
    double depth = DEEP * c->h;
    beside columns = columns_beside(job, column);
    for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
    {
        const pl__run *run = &c->run[r];
        pl__face_stretch s = {.own = run->first - run->j0};
        int32_t from = run->j0;
        int before = 0; // not near, near, deep
        around near = look_around_edge(job, column);
        for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1 + 1; ++j)
        {
            double range[2] = {INFINITY, INFINITY};
            if (j <= run->j1)
                find_range(job, &columns, j, range);
            int now = range[0] >= distance ? 0 : range[1] < -depth ? 2 : 1;
            if (now == before)
                continue;
            if (before > 0)
                add_edge_rows(job, column, &s, &near, from, j, &b[before - 1], work);
            before = now, from = j;
        }
    }
}

static void for_rows(const advect_job *job, int32_t begin, int32_t end, double distance, batch_function *work)
{
    batch b[2];
    b[0].count = b[1].count = 0;
    b[0].deep = false, b[1].deep = true;
    for (int32_t column = begin; column < end; ++column)
        (job->axis >= 0                          ? for_faces
         : job->lattice == &job->flow.grid->cell ? for_cells
                                                 : for_samples)(job, column, distance, b, work);
    flush(job, &b[0], work);
    flush(job, &b[1], work);
}

static void carry_columns(void *argument, int32_t begin, int32_t end)
{
    const advect_job *job = argument;
    for_rows(job, begin, end, 3 * job->lattice->h, carry);
}

static void correct_columns(void *argument, int32_t begin, int32_t end) { for_rows(argument, begin, end, 0, correct); }

static bool take_numbers(pl__arena *arena, advect_job *job)
{
    size_t n = (size_t)job->lattice->value_count + 1;
    bool taken = true;
    for (int f = 0; f < job->fields; ++f)
        taken = (job->a[f] = PL_TAKE(arena, n, double)) && (job->low[f] = PL_TAKE(arena, n, double)) &&
                (job->high[f] = PL_TAKE(arena, n, double)) && taken;
    for (int axis = 0; axis < 3; ++axis)
        taken = (job->via[axis] = PL_TAKE(arena, n, double)) && taken;
    return taken;
}

pl_status pl__advect(pl_context *ctx, pl__arena *arena, const pl__grid *grid, const double *phi, double dt,
                     double *const u[3], const pl__advected *what, double *const result[])
{
    const pl__columns *lattice = what->lattice;
    size_t bytes = (size_t)lattice->value_count * sizeof(double);
    pl__arena_mark mark = pl__arena_set_mark(arena);
    advect_job job = {.flow = {ctx, grid, {u[0], u[1], u[2]}},
                      .lattice = lattice,
                      .corner = {what->corner[0], what->corner[1], what->corner[2]},
                      .axis = lattice == &grid->face[0]   ? 0
                              : lattice == &grid->face[1] ? 1
                              : lattice == &grid->face[2] ? 2
                                                          : -1,
                      .fields = what->count,
                      .dt = dt,
                      .phi = phi};
    bool taken = take_numbers(arena, &job);
    for (int f = 0; f < job.fields && taken; ++f)
    {
        job.u[f] = what->value[f];
        job.result[f] = memcpy(result[f], what->value[f], bytes);
        memcpy(job.a[f], what->value[f], bytes);
    }
    if (taken)
    {
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
        pl__advected what = {&grid->face[axis], {axis == 0, axis == 1, axis == 2}, 1, {u[axis]}};
        PL_TRY(pl__advect(ctx, arena, grid, phi, dt, u, &what, &result[axis]));
    }
    return PL_OK;
}
