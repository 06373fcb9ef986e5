// src/fluid/elastic.c -- flow, rotation, motion and stretch of an elastic strain.
#include "elastic.h"
#include "elastic_turn.h"
#include "advect.h"
#include "base/real_math.h"
#include "extrapolate.h"
#include "sample.h"

#include <math.h>
#include <string.h>

// clang-format off
//                      value   unit   derivation                                                                          pinned by
#define RESOLVED        8.0  // 1      steps of the explicit limit beyond which theta = 1: its shortest wave then has 0.4     tests/elastic.c stiff_liquids_are_stable
                             //        steps a radian, and rings on as noise; chosen
// clang-format on

enum
{
    COLUMNS_PER_TASK = 16,
    SAMPLES_PER_TASK = 2048
};

// Axes of a component; those of a shear component are the two of its plane.
static const int axis_of[PL__TENSOR][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

void pl__elastic_done(pl_context *ctx, pl__elastic *e)
{
    pl__edges_done(ctx, &e->edges);
    for (int c = 0; c < PL__TENSOR; ++c)
        PL_DELETE(ctx, e->strain[c], e->strain_capacity[c]);
    for (int m = 0; m < 3; ++m)
        PL_DELETE(ctx, e->spin[m], e->spin_capacity[m]);
    PL_DELETE(ctx, e->plastic, e->plastic_capacity);
    *e = (pl__elastic){0};
}

pl_status pl__elastic_reserve(pl_context *ctx, const pl__columns *cell, pl__elastic *e)
{
    bool fits = PL_GROW(ctx, e->plastic, &e->plastic_capacity, (size_t)cell->value_count + 1);
    for (int c = 0; c < PL__TENSOR; ++c)
    {
        size_t count = (size_t)pl__elastic_lattice(cell, &e->edges, c)->value_count + 1;
        fits = fits && PL_GROW(ctx, e->strain[c], &e->strain_capacity[c], count);
        if (c >= 3)
            fits = fits && PL_GROW(ctx, e->spin[c - 3], &e->spin_capacity[c - 3], count);
    }
    return fits ? PL_OK : PL_ERR_MEMORY;
}

// ---- rows in batches -------------------------------------------------------------------------------------------

// Contiguous uniform rows of a column.
typedef struct batch
{
    double x[3][PL__FLOW_BATCH];
    int32_t count, first; // first: its number
} batch;

typedef void batch_work(void *argument, const batch *b);

static void for_batches(const pl__columns *c, int32_t begin, int32_t end, batch_work *work, void *argument)
{
    batch b;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; j += b.count)
            {
                b.first = run->first + j - run->j0;
                for (b.count = 0; b.count < PL__FLOW_BATCH && j + b.count <= run->j1; ++b.count)
                {
                    double x[3];
                    pl__grid_point(c, column % c->nx, j + b.count, column / c->nx, x);
                    b.x[0][b.count] = x[0], b.x[1][b.count] = x[1], b.x[2][b.count] = x[2];
                }
                work(argument, &b);
            }
        }
}

// All components of a tensor at the points of a batch, those of lattice `own` in place.
static void gather_tensor(pl_context *ctx, const pl__columns *cell, const pl__elastic *e, const pl__columns *own,
                          const batch *b, double to[PL__TENSOR][PL__FLOW_BATCH])
{
    for (int c = 0; c < PL__TENSOR; ++c)
    {
        const pl__columns *lattice = pl__elastic_lattice(cell, &e->edges, c);
        if (lattice == own)
            memcpy(to[c], e->strain[c] + b->first, (size_t)b->count * sizeof(double));
        else
            pl__sample(ctx, lattice, e->strain[c], b->count, (const double *const[3]){b->x[0], b->x[1], b->x[2]}, to[c],
                       NULL, NULL);
    }
}

// ---- flow ------------------------------------------------------------------------------------------------------

double pl__elastic_flow_norm(const pl__elastic_law *law, double dt, double norm, double *plastic)
{
    for (int part = 0; part < 2 && dt > 0; ++part)
    {
        double yield = fmax(law->yield + law->hardening * *plastic, 0), excess = norm - yield;
        if (!(excess > 0) || !(law->flow > 0))
            return norm;
        // a yield strain that has softened to 0 stays there
        double rate = law->flow * (1 + (yield > 0 || law->hardening > 0 ? law->hardening : 0));
        double way = excess * law->flow * (1 - pl__real_exp(-rate * dt)) / rate, time = dt;
        if (law->hardening < 0 && yield > 0 && way * -law->hardening > yield)
        {
            way = yield / -law->hardening;
            time = -pl__real_log(1 - way * rate / (excess * law->flow)) / rate;
        }
        norm -= way;
        *plastic += way;
        dt -= time;
    }
    return norm;
}

static double deviator_norm(const double t[PL__TENSOR])
{
    double mean = (t[0] + t[1] + t[2]) / 3, sum = 0;
    for (int c = 0; c < PL__TENSOR; ++c)
        sum += c < 3 ? (t[c] - mean) * (t[c] - mean) : 2 * t[c] * t[c];
    return sqrt(sum);
}

typedef struct flow_job
{
    pl_context *ctx;
    const pl__elastic_law *law;
    const pl__columns *cell;
    pl__elastic *e;
    double dt;
    double *factor; // [numbers of cells] of the deviator
    double *norm;   // or, instead of flow: |e'| [numbers of cells]
    const pl__columns *edge;
    double *shear;
} flow_job;

static void measure_batch(void *argument, const batch *b)
{
    const flow_job *job = argument;
    double t[PL__TENSOR][PL__FLOW_BATCH];
    gather_tensor(job->ctx, job->cell, job->e, job->cell, b, t);
    for (int32_t n = 0; n < b->count; ++n)
    {
        double one[PL__TENSOR];
        for (int c = 0; c < PL__TENSOR; ++c)
            one[c] = t[c][n];
        int32_t number = b->first + n;
        double norm = deviator_norm(one);
        if (job->norm)
            job->norm[number] = norm;
        else
            job->factor[number] = norm > 0 ? pl__elastic_flow_norm(pl__elastic_law_of(job->law, number), job->dt, norm,
                                                                   &job->e->plastic[number]) /
                                                 norm
                                           : 1;
    }
}

static void measure_columns(void *argument, int32_t begin, int32_t end)
{
    for_batches(((flow_job *)argument)->cell, begin, end, measure_batch, argument);
}

// Edges have the mean factor of their cells.
static void scale_edges(void *argument, const batch *b)
{
    const flow_job *job = argument;
    double factor[PL__FLOW_BATCH];
    pl__sample(job->ctx, job->cell, job->factor, b->count, (const double *const[3]){b->x[0], b->x[1], b->x[2]}, factor,
               NULL, NULL);
    for (int32_t n = 0; n < b->count; ++n)
        job->shear[b->first + n] *= factor[n];
}

static void scale_edge_columns(void *argument, int32_t begin, int32_t end)
{
    for_batches(((flow_job *)argument)->edge, begin, end, scale_edges, argument);
}

static void scale_cells(void *argument, int32_t begin, int32_t end)
{
    const flow_job *job = argument;
    double *const *t = job->e->strain;
    for (int32_t n = begin; n < end; ++n)
    {
        double mean = (t[0][n] + t[1][n] + t[2][n]) / 3;
        for (int c = 0; c < 3; ++c)
            t[c][n] = mean + job->factor[n] * (t[c][n] - mean);
    }
}

pl_status pl__elastic_flow(pl_context *ctx, pl__arena *arena, const pl__elastic_law *law, const pl__columns *cell,
                           double dt, pl__elastic *e)
{
    if (!(law->flow > 0))
        return PL_OK;
    pl__arena_mark mark = pl__arena_set_mark(arena);
    flow_job job = {.ctx = ctx, .law = law, .cell = cell, .e = e, .dt = dt};
    job.factor = PL_TAKE(arena, cell->value_count + 1, double);
    if (!job.factor)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, cell->nx * cell->nz, COLUMNS_PER_TASK, measure_columns, &job);
    pl__parallel_for(ctx, cell->value_count, SAMPLES_PER_TASK, scale_cells, &job);
    for (int m = 0; m < 3; ++m)
    {
        job.edge = &e->edges.edge[m];
        job.shear = e->strain[3 + m];
        pl__parallel_for(ctx, job.edge->nx * job.edge->nz, COLUMNS_PER_TASK, scale_edge_columns, &job);
    }
    pl__arena_release(arena, mark);
    return PL_OK;
}

// ---- rotation --------------------------------------------------------------------------------------------------
//
// A corner of a cell knows a whole tensor: the diagonal of the cell, and shears of its three edges that meet there;
// and a rate of rotation, of the same edges. Every number belongs to eight such corners. Each is turned exactly, which
// keeps its norm, and numbers become the means of their corners, which does not enlarge it.

typedef struct turn_job
{
    const pl__columns *cell;
    pl__elastic *e;
    double dt;
    double *turned; // [3][PL__CORNERS][numbers of cells] shears of corners
    int32_t register_bytes;
    int m; // axis of edges
} turn_job;

static inline double *turned_at(const turn_job *job, int m, int corner)
{
    return job->turned + (size_t)(PL__CORNERS * m + corner) * (size_t)job->cell->value_count;
}

// Numbers of the edges of the cells of a run, at its first row: of axis m, between (x, z) + (c & 1, c >> 1).
typedef struct run_edges
{
    int32_t first[3][4];
} run_edges;

static run_edges edges_of(const pl__edges *edges, int32_t i, int32_t k, int32_t j)
{
    run_edges r;
    for (int m = 0; m < 3; ++m)
        for (int c = 0; c < 4; ++c)
        {
            const pl__columns *l = &edges->edge[m];
            int32_t x = i + (m != 0 ? c & 1 : 0), z = k + (m != 2 ? c >> 1 : 0);
            r.first[m][c] = pl__columns_uniform(l, x + l->nx * z, j);
        }
    return r;
}

// The rows of a run from `row` on.
static pl__turn_rows rows_at(const turn_job *job, const run_edges *r, int32_t number, int32_t row)
{
    pl__turn_rows rows;
    for (int m = 0; m < 3; ++m)
    {
        rows.diagonal[m] = rows.mean[m] = job->e->strain[m] + number;
        for (int corner = 0; corner < PL__CORNERS; ++corner)
        {
            int up = corner >> 1 & 1, c = (corner & 1) | (corner >> 2) << 1; // y, and (x, z)
            int32_t n = r->first[m][c] + row + (m != 1 ? up : 0);
            rows.shear[m][corner] = job->e->strain[3 + m] + n;
            rows.spin[m][corner] = job->e->spin[m] + n;
            rows.turned[m][corner] = turned_at(job, m, corner) + number;
        }
    }
    return rows;
}

// Less than a group, in a group of its own.
static void turn_few(const turn_job *job, const pl__turn_rows *rows, int32_t count)
{
    double value[3][2 + 2 * PL__CORNERS][PL__TURN_ROWS], to[3][1 + PL__CORNERS][PL__TURN_ROWS];
    size_t bytes = (size_t)count * sizeof(double);
    pl__turn_rows local;
    memset(value, 0, sizeof value);
    for (int m = 0; m < 3; ++m)
    {
        local.diagonal[m] = memcpy(value[m][0], rows->diagonal[m], bytes);
        local.mean[m] = to[m][0];
        for (int corner = 0; corner < PL__CORNERS; ++corner)
        {
            local.shear[m][corner] = memcpy(value[m][1 + 2 * corner], rows->shear[m][corner], bytes);
            local.spin[m][corner] = memcpy(value[m][2 + 2 * corner], rows->spin[m][corner], bytes);
            local.turned[m][corner] = to[m][1 + corner];
        }
    }
    PL_PICK(job->register_bytes, pl__turn_rows)(job->dt, &local);
    for (int m = 0; m < 3; ++m)
    {
        memcpy(rows->mean[m], to[m][0], bytes);
        for (int corner = 0; corner < PL__CORNERS; ++corner)
            memcpy(rows->turned[m][corner], to[m][1 + corner], bytes);
    }
}

static void turn_columns(void *argument, int32_t begin, int32_t end)
{
    const turn_job *job = argument;
    const pl__columns *c = job->cell;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            run_edges edges = edges_of(&job->e->edges, column % c->nx, column / c->nx, run->j0);
            for (int32_t row = 0, left = pl__run_rows(run); left > 0; row += PL__TURN_ROWS, left -= PL__TURN_ROWS)
            {
                pl__turn_rows rows = rows_at(job, &edges, run->first + row, row);
                if (left >= PL__TURN_ROWS)
                    PL_PICK(job->register_bytes, pl__turn_rows)(job->dt, &rows);
                else
                    turn_few(job, &rows, left);
            }
        }
}

// Add what cells of a column have for the edges of a run: those of the corner `corner`, at both ends along the axis.
static void add_corners(const turn_job *job, const pl__run *edges, int32_t column, int32_t shift, int corner,
                        double *sum, int32_t *count)
{
    const pl__columns *cell = job->cell;
    for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
    {
        const pl__run *run = &cell->run[r];
        int32_t j0 = run->j0 + shift > edges->j0 ? run->j0 + shift : edges->j0,
                j1 = run->j1 + shift < edges->j1 ? run->j1 + shift : edges->j1;
        const double *low = turned_at(job, job->m, corner) + run->first - run->j0 - shift,
                     *high = turned_at(job, job->m, corner | 1 << job->m) + run->first - run->j0 - shift;
        for (int32_t j = j0; run->kind == PL__RUN_UNIFORM && j <= j1; ++j)
        {
            sum[j - edges->j0] += low[j] + high[j];
            count[j - edges->j0] += 2;
        }
    }
}

// The shear of an edge: the mean of the corners that it belongs to, at both ends in up to four cells.
static void gather_piece(const turn_job *job, int32_t i, int32_t k, const pl__run *piece)
{
    const pl__columns *cell = job->cell;
    int m = job->m;
    double sum[PL__FLOW_BATCH] = {0}, *to = job->e->strain[3 + m] + piece->first;
    int32_t count[PL__FLOW_BATCH] = {0};
    for (int n = 0; n < 4; ++n)
    {
        // the cell below or above the edge, along its two other axes, has it at its upper or lower end there
        int32_t beside[3] = {i, 0, k};
        int a = axis_of[3 + m][0], d = axis_of[3 + m][1], corner = ((n & 1) << a) | ((n >> 1) << d);
        beside[a] -= n & 1, beside[d] -= n >> 1;
        if (beside[0] >= 0 && beside[2] >= 0 && beside[0] < cell->nx && beside[2] < cell->nz)
            add_corners(job, piece, beside[0] + cell->nx * beside[2], -beside[1], corner, sum, count);
    }
    for (int32_t j = 0; j < pl__run_rows(piece); ++j)
        to[j] = count[j] > 0 ? sum[j] / count[j] : 0;
}

static void gather_edges(void *argument, int32_t begin, int32_t end)
{
    const turn_job *job = argument;
    const pl__columns *l = &job->e->edges.edge[job->m];
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = l->start[column]; r < l->start[column + 1]; ++r)
            for (pl__run piece = l->run[r]; piece.j0 <= l->run[r].j1; piece.j0 += PL__FLOW_BATCH)
            {
                piece.first = l->run[r].first + piece.j0 - l->run[r].j0;
                piece.j1 = piece.j0 + PL__FLOW_BATCH - 1 < l->run[r].j1 ? piece.j0 + PL__FLOW_BATCH - 1 : l->run[r].j1;
                gather_piece(job, column % l->nx, column / l->nx, &piece);
            }
}

pl_status pl__elastic_turn(pl_context *ctx, pl__arena *arena, const pl__columns *cell, double dt, pl__elastic *e)
{
    pl__arena_mark mark = pl__arena_set_mark(arena);
    turn_job job = {.cell = cell, .e = e, .dt = dt, .register_bytes = ctx->register_bytes};
    job.turned = PL_TAKE(arena, 3 * PL__CORNERS * (size_t)cell->value_count + 1, double);
    if (job.turned)
    {
        pl__parallel_for(ctx, cell->nx * cell->nz, COLUMNS_PER_TASK, turn_columns, &job);
        for (job.m = 0; job.m < 3; ++job.m)
        {
            const pl__columns *l = &e->edges.edge[job.m];
            pl__parallel_for(ctx, l->nx * l->nz, COLUMNS_PER_TASK, gather_edges, &job);
        }
    }
    pl__arena_release(arena, mark);
    return job.turned ? PL_OK : PL_ERR_MEMORY;
}

// ---- motion ----------------------------------------------------------------------------------------------------

pl_status pl__elastic_move(pl_context *ctx, pl__arena *arena, const pl__grid *grid, const double *phi, double dt,
                           double *const u[3], const pl__elastic *from, const double *stress, pl__elastic *to,
                           double *to_stress)
{
    pl__advected cells = {.lattice = &grid->cell,
                          .count = 5,
                          .value = {from->strain[0], from->strain[1], from->strain[2], from->plastic, stress}};
    PL_TRY(pl__advect(ctx, arena, grid, phi, dt, u, &cells,
                      (double *const[]){to->strain[0], to->strain[1], to->strain[2], to->plastic, to_stress}));
    for (int m = 0; m < 3; ++m)
    {
        pl__advected edges = {&from->edges.edge[m], {m != 0, m != 1, m != 2}, 1, {from->strain[3 + m]}};
        PL_TRY(pl__advect(ctx, arena, grid, phi, dt, u, &edges, &to->strain[3 + m]));
    }
    return PL_OK;
}

void pl__elastic_transfer(pl_context *ctx, const pl__columns *from_cell, const pl__elastic *from,
                          const pl__columns *to_cell, pl__elastic *to)
{
    for (int c = 0; c < PL__TENSOR; ++c)
        pl__columns_transfer(ctx, pl__elastic_lattice(from_cell, &from->edges, c), from->strain[c],
                             pl__elastic_lattice(to_cell, &to->edges, c), 0, to->strain[c]);
    pl__columns_transfer(ctx, from_cell, from->plastic, to_cell, 0, to->plastic);
}

// ---- stretch ---------------------------------------------------------------------------------------------------

// The explicit limit dt w = 2 of the shortest shear wave, w^2 = E/(2 rho) 4/h^2, as in the thesis.
double pl__elastic_theta(const pl__elastic_law *law, double density, double h, double dt)
{
    double limit = h * sqrt(2 * density / (law->elasticity + 1e-300));
    return dt > RESOLVED * limit ? 1 : 0.5;
}

typedef struct rate_job
{
    const pl__strain *strain;
    const double *x;
    double *rate;
} rate_job;

static void apply_rows(void *argument, int32_t begin, int32_t end)
{
    const rate_job *job = argument;
    for (int32_t n = begin; n < end; ++n)
    {
        const pl__strain_sample *s = &job->strain->sample[n];
        job->rate[n] = s->weight > 0 ? pl__strain_value(s, job->x) : 0;
    }
}

void pl__elastic_rates(pl_context *ctx, const pl__strain *strain, const double *const u[3], double *x, double *rate)
{
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t i = strain->axis_start[axis]; i < strain->axis_start[axis + 1]; ++i)
            x[i] = u[axis][strain->number[i]];
    memcpy(x + strain->unknown_count, strain->known, (size_t)(strain->count - strain->unknown_count) * sizeof *x);
    rate_job job = {strain, x, rate};
    pl__parallel_for(ctx, strain->sample_count, SAMPLES_PER_TASK, apply_rows, &job);
}

typedef struct impulse_job
{
    const pl__strain *strain;
    const pl__elastic *e;
    double factor, lag;       // factor = -dt E / rho, lag = theta (1 - theta) dt
    const double *elasticity; // [samples] or NULL: E; then factor = -dt / rho
    const double *start;
    double *pull, *impulse;
} impulse_job;

static void pull_samples(void *argument, int32_t begin, int32_t end)
{
    const impulse_job *job = argument;
    int32_t cells = 3 * job->strain->cell_count;
    for (int32_t n = begin; n < end; ++n)
    {
        const pl__strain_sample *s = &job->strain->sample[n];
        double stress = 0;
        if (s->weight > 0)
        {
            int32_t place = job->strain->place[n];
            double e = n < cells ? job->e->strain[n % 3][place]
                                 : sqrt(2) * job->e->strain[3 + job->strain->plane[n - cells]][place];
            stress = job->factor * s->weight * (e + job->lag * job->start[n]);
            stress *= job->elasticity ? job->elasticity[n] : 1;
        }
        job->pull[2 * (size_t)n] = stress * s->slope[0];
        job->pull[2 * (size_t)n + 1] = stress * s->slope[1];
    }
}

static void gather_impulses(void *argument, int32_t begin, int32_t end)
{
    const impulse_job *job = argument;
    for (int32_t i = begin; i < end; ++i)
        job->impulse[i] = pl__strain_gather(job->strain, job->pull, i);
}

void pl__elastic_impulse(pl_context *ctx, const pl__elastic_law *law, const double *elasticity, double density,
                         const pl__strain *strain, double dt, double theta, const double *start, const pl__elastic *e,
                         double *pull, double *impulse)
{
    double factor = elasticity ? -dt / density : -dt * law->elasticity / density;
    impulse_job job = {strain, e, factor, theta * (1 - theta) * dt, elasticity, start, pull, impulse};
    pl__parallel_for(ctx, strain->sample_count, SAMPLES_PER_TASK, pull_samples, &job);
    pl__parallel_for(ctx, strain->unknown_count, SAMPLES_PER_TASK, gather_impulses, &job);
}

// Whether a sample has a stress, and so its strain a meaning.
static bool is_stretched(const pl__elastic_stretch *s, int32_t n)
{
    return s->strain->sample[n].weight > 0 && (!s->elasticity || s->elasticity[n] > 0);
}

typedef struct stretch_job
{
    const pl__elastic_stretch *s;
    pl__elastic *e;
    pl_context *ctx;
    uint8_t *known[4]; // [numbers] of cells, and of edges along x, y and z
} stretch_job;

// sin(w dt)/(w dt)
static double sinc(double x)
{
    double sine, cosine;
    if (fabs(x) < 1e-4)
        return 1 - x * x / 6;
    pl__real_sincos(x, &sine, &cosine);
    return sine / x;
}

// What turns during a step is stretched by so much of it.
static double shortened(const pl__elastic_stretch *s, double spin2)
{
    return s->linear ? 1 : sinc(sqrt(spin2) * s->dt);
}

static double stretched(const pl__elastic_stretch *s, int32_t n)
{
    return s->dt * ((1 - s->theta) * s->start[n] + s->theta * s->end[n]);
}

// Rates of rotation, from the edge's own rows: (du_d/dx_a - du_a/dx_d)/2 about the third axis; and strain.
static void stretch_edges(void *argument, int32_t begin, int32_t end)
{
    static const double sign[3] = {1, -1, 1}; // the planes are (y, z), (x, z) and (x, y)
    const stretch_job *job = argument;
    const pl__strain *strain = job->s->strain;
    const double *x = job->s->x;
    for (int32_t k = begin; k < end; ++k)
    {
        int32_t n = 3 * strain->cell_count + k;
        const pl__strain_sample *s = &strain->sample[n];
        if (!is_stretched(job->s, n))
            continue;
        int32_t m = strain->plane[k], place = strain->place[n];
        double a = s->slope[0] * (x[s->face[1]] - x[s->face[0]]), b = s->slope[1] * (x[s->face[3]] - x[s->face[2]]),
               spin = sign[m] * sqrt(0.5) * (b - a);
        job->e->spin[m][place] = spin;
        job->e->strain[3 + m][place] += sqrt(0.5) * stretched(job->s, n) * shortened(job->s, spin * spin);
        job->known[1 + m][place] = 1;
    }
}

static void stretch_cells(void *argument, int32_t begin, int32_t end)
{
    const stretch_job *job = argument;
    const pl__strain *strain = job->s->strain;
    const pl__columns *cell = job->s->cell;
    for (int32_t c = begin; c < end; ++c)
    {
        int32_t place = strain->place[3 * c];
        double spin2 = 0, x[3];
        if (!is_stretched(job->s, 3 * c))
            continue;
        pl__grid_point(cell, strain->at[c][0], strain->at[c][1], strain->at[c][2], x);
        for (int m = 0; m < 3 && !job->s->linear; ++m)
        {
            double spin = 0;
            (void)pl__columns_sample(&job->e->edges.edge[m], job->e->spin[m], x, &spin);
            spin2 += spin * spin;
        }
        double part = shortened(job->s, spin2);
        for (int a = 0; a < 3; ++a)
            job->e->strain[a][place] += part * stretched(job->s, 3 * c + a);
        job->known[0][place] = 1;
    }
}

// Numbers of cells (0) or of edges beyond the liquid, from those that are known.
static pl_status extend(const stretch_job *job, pl__arena *arena, int which)
{
    const pl__elastic *e = job->e;
    const pl__columns *lattice = which == 0 ? job->s->cell : &e->edges.edge[which - 1];
    if (which == 0)
        return pl__extrapolate_all(job->ctx, arena, lattice, job->s->layers, job->known[0], 4,
                                   (double *const[]){e->strain[0], e->strain[1], e->strain[2], e->plastic});
    return pl__extrapolate_all(job->ctx, arena, lattice, job->s->layers, job->known[which], 2,
                               (double *const[]){e->spin[which - 1], e->strain[2 + which]});
}

static pl_status stretch(pl_context *ctx, pl__arena *arena, stretch_job *job)
{
    const pl__elastic_stretch *s = job->s;
    pl__elastic *e = job->e;
    int32_t edges = s->strain->sample_count - 3 * s->strain->cell_count;
    for (int n = 0; n < 4; ++n)
    {
        const pl__columns *lattice = n == 0 ? s->cell : &e->edges.edge[n - 1];
        job->known[n] = PL_TAKE(arena, lattice->value_count + 1, uint8_t);
        if (!job->known[n])
            return PL_ERR_MEMORY;
        memset(job->known[n], 0, (size_t)lattice->value_count);
    }
    pl__parallel_for(ctx, edges, SAMPLES_PER_TASK, stretch_edges, job);
    for (int m = 0; m < 3; ++m)
        PL_TRY(extend(job, arena, 1 + m));
    pl__parallel_for(ctx, s->strain->cell_count, SAMPLES_PER_TASK, stretch_cells, job);
    return extend(job, arena, 0);
}

pl_status pl__elastic_stretch_by(pl_context *ctx, pl__arena *arena, const pl__elastic_stretch *s, pl__elastic *e)
{
    pl__arena_mark mark = pl__arena_set_mark(arena);
    stretch_job job = {.s = s, .e = e, .ctx = ctx};
    pl_status status = stretch(ctx, arena, &job);
    pl__arena_release(arena, mark);
    return status;
}

// ---- measures --------------------------------------------------------------------------------------------------

void pl__elastic_sum(const pl__elastic_law *law, const pl__columns *cell, const pl__elastic *e, const double *part,
                     const double *open, pl__elastic_sums *sums)
{
    double volume = 0, yielded = 0, h3 = cell->h * cell->h * cell->h;
    *sums = (pl__elastic_sums){0};
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
            for (int32_t j = cell->run[r].j0; j <= cell->run[r].j1; ++j)
            {
                int32_t n = cell->run[r].first + j - cell->run[r].j0;
                double share = part[n] * open[n], x[3], t[PL__TENSOR] = {0}, trace = 0;
                if (!(share > 0))
                    continue;
                pl__grid_point(cell, column % cell->nx, j, column / cell->nx, x);
                for (int c = 0; c < PL__TENSOR; ++c)
                    if (c < 3)
                        trace += t[c] = e->strain[c][n];
                    else
                        (void)pl__columns_sample(&e->edges.edge[c - 3], e->strain[c], x, &t[c]);
                double norm = deviator_norm(t);
                volume += share;
                const pl__elastic_law *own = pl__elastic_law_of(law, n);
                if (law->kind && !(own->elasticity > 0))
                    continue;
                yielded += norm > fmax(own->yield + own->hardening * e->plastic[n], 0) ? share : 0;
                sums->energy += 0.5 * own->elasticity * share * h3 * (norm * norm + trace * trace / 3);
                sums->strain = fmax(sums->strain, norm);
            }
    sums->yielded = volume > 0 ? yielded / volume : 0;
}

void pl__elastic_norms(pl_context *ctx, const pl__columns *cell, const pl__elastic *e, double *norm)
{
    flow_job job = {.ctx = ctx, .cell = cell, .e = (pl__elastic *)e, .norm = norm};
    pl__parallel_for(ctx, cell->nx * cell->nz, COLUMNS_PER_TASK, measure_columns, &job);
}
