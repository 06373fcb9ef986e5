// src/fluid/viscosity.c -- conjugate gradients for viscosity, matrix-free, in two passes:
//
//     t = W f (1 + b d d^T) B p   by samples
//     q = V p + B^T t   by faces, as a gather
//
// Vectors that B is applied to go on with the known faces: x with their velocities, p with zeros.
#include "viscosity.h"
#include "viscous_grid.h"

#include <math.h>
#include <string.h>

// clang-format off
//                       value   unit   derivation                                                                          pinned by
#define STIFF            2.0  // 1      mu dt / (rho h^2) from which multigrid takes less time than the diagonal; measured    bench/viscosity.c
#define MOST_ITERATIONS  2000 // 1      of the diagonal at 1e5 and 1e6 cells; beyond that, what is left stays; chosen         tests/viscosity.c stop_reasons
#define MOST_RESTARTS    4    // 1      as in sparse/column_solver.c                                                          tests/viscosity.c stop_reasons
#define STAGNATED        0.5  // 1      likewise                                                                              tests/viscosity.c stop_reasons
#define AIM              0.5  // 1      of the tolerance, in single precision: its recurrence drifts; chosen                  tests/viscosity.c stop_reasons
#define ROUNDED          1e-4 // 1      least residual of a pass in single precision, of the first; chosen                    tests/viscosity.c stop_reasons
// clang-format on

enum
{
    CHUNK = 2048, // samples or faces per task
};

struct pl__viscosity
{
    pl_context *ctx;
    pl__arena arena;
    pl__viscous_grid grid;
};

// A solve.
typedef struct solving
{
    pl__viscosity *v;
    pl_context *ctx;
    const pl__strain *strain;
    double factor;       // f
    const double *mixed; // [samples] by which f differs from it; NULL: by nothing
    double bulk;         // b
    bool separate;       // components
    int32_t count;       // unknowns
    double *x, *p;       // [numbers of the strain]
    double *b, *r, *z;   // [count]
    double *q;           // [count] A p
    double *diagonal;    // [count] its inverse
    double *pull;        // [2 samples]
    double *partial;     // [tasks]
    const double *from;  // what is multiplied
    double alpha, beta;
} solving;

// ---- passes over vectors ---------------------------------------------------------------------------------------

// f of a sample.
static inline double factor_at(const solving *w, int32_t n) { return w->mixed ? w->factor * w->mixed[n] : w->factor; }

static void pull_cells(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    for (int32_t n = begin; n < end; ++n)
    {
        const pl__strain_sample *s = &w->strain->sample[3 * (size_t)n];
        double rate[3] = {pl__strain_value(&s[0], w->from), pl__strain_value(&s[1], w->from),
                          pl__strain_value(&s[2], w->from)};
        double bulk = w->bulk * (rate[0] + rate[1] + rate[2]), factor = factor_at(w, 3 * n) * (w->separate ? 0.5 : 1);
        for (int a = 0; a < 3; ++a)
            w->pull[2 * (3 * (size_t)n + (size_t)a)] = factor * s->weight * (rate[a] + bulk) * s[a].slope[0];
    }
}

static void pull_edges(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    for (int32_t k = begin; k < end; ++k)
    {
        size_t n = 3 * (size_t)w->strain->cell_count + (size_t)k;
        const pl__strain_sample *s = &w->strain->sample[n];
        double rate[2] = {s->slope[0] * (w->from[s->face[1]] - w->from[s->face[0]]),
                          s->slope[1] * (w->from[s->face[3]] - w->from[s->face[2]])},
               both = w->separate ? 0 : 1;
        double factor = factor_at(w, (int32_t)n);
        w->pull[2 * n] = factor * s->weight * (rate[0] + both * rate[1]) * s->slope[0];
        w->pull[2 * n + 1] = factor * s->weight * (rate[1] + both * rate[0]) * s->slope[1];
    }
}

static double gather_faces(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    double sum = 0;
    for (int32_t i = begin; i < end; ++i)
    {
        w->q[i] = w->strain->mass[i] * w->from[i] + pl__strain_gather(w->strain, w->pull, i);
        sum += w->q[i] * w->from[i];
    }
    return sum;
}

// q = A from; returns from.q
static double multiply(solving *w, const double *from)
{
    w->from = from;
    pl__parallel_for(w->ctx, w->strain->cell_count, CHUNK, pull_cells, w);
    pl__parallel_for(w->ctx, w->strain->sample_count - 3 * w->strain->cell_count, CHUNK, pull_edges, w);
    return pl__parallel_sum(w->ctx, w->count, CHUNK, gather_faces, w, w->partial);
}

// Largest |r| of each task, of r -= alpha q.
static void reduce_residual(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    double worst = 0;
    for (int32_t i = begin; i < end; ++i)
    {
        w->r[i] -= w->alpha * w->q[i];
        worst = fmax(worst, fabs(w->r[i]));
    }
    w->partial[begin / CHUNK] = worst;
}

static double find_residual(solving *w)
{
    double worst = 0;
    pl__parallel_for(w->ctx, w->count, CHUNK, reduce_residual, w);
    for (int32_t k = 0; k < pl__chunk_count(w->count, CHUNK); ++k)
        worst = fmax(worst, w->partial[k]);
    return worst;
}

static double find_true_residual(solving *w)
{
    (void)multiply(w, w->x);
    memcpy(w->r, w->b, (size_t)w->count * sizeof *w->r);
    w->alpha = 1;
    return find_residual(w);
}

// z by the diagonal; returns r.z
static double weigh(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    double sum = 0;
    for (int32_t i = begin; i < end; ++i)
    {
        w->z[i] = w->diagonal[i] * w->r[i];
        sum += w->r[i] * w->z[i];
    }
    return sum;
}

static void turn(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    for (int32_t i = begin; i < end; ++i)
        w->p[i] = w->z[i] + w->beta * w->p[i];
}

static void go(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    for (int32_t i = begin; i < end; ++i)
        w->x[i] += w->alpha * w->p[i];
}

// ---- preconditioners -------------------------------------------------------------------------------------------

// f W slope^2 of the sample in a slot, and the face on its other side.
static double stiffness(const solving *w, int32_t i, int n, int32_t *other)
{
    int32_t slot = w->strain->slot[6 * (size_t)i + (size_t)n], q = slot & 1;
    *other = -1;
    if (slot < 0)
        return 0;
    const pl__strain_sample *s = &w->strain->sample[slot >> 1];
    *other = s->face[2 * q + (n & 1)];
    bool cell = slot >> 1 < 3 * w->strain->cell_count;
    double factor = factor_at(w, slot >> 1) * (cell ? 0.5 : 1);
    return factor * s->weight * s->slope[q] * s->slope[q];
}

static void invert_diagonal(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    for (int32_t i = begin; i < end; ++i)
    {
        double sum = w->strain->mass[i];
        int32_t other;
        for (int n = 0; n < 6; ++n)
            sum += stiffness(w, i, n, &other);
        w->diagonal[i] = sum > 0 ? 1 / sum : 0;
    }
}

// ---- single precision ------------------------------------------------------------------------------------------

static void fill_cells(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    for (int32_t c = begin; c < end; ++c)
    {
        const pl__strain_sample *s = &w->strain->sample[3 * (size_t)c];
        if (!(s->weight > 0))
            continue;
        double size = sqrt(factor_at(w, 3 * c) * s->weight);
        for (int a = 0; a < 3; ++a)
            w->v->grid.level[0].stretch[a][w->strain->spot[3 * (size_t)c]] = (float)(size * s[a].slope[0]);
    }
}

static void fill_edges(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    for (int32_t k = begin; k < end; ++k)
    {
        int32_t n = 3 * w->strain->cell_count + k;
        const pl__strain_sample *s = &w->strain->sample[n];
        if (!(s->weight > 0))
            continue;
        double size = sqrt(factor_at(w, n) * s->weight);
        for (int q = 0; q < 2; ++q)
            w->v->grid.level[0].shear[w->strain->plane[k]][q][w->strain->spot[n]] = (float)(size * s->slope[q]);
    }
}

static void fill_faces(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    const int32_t *start = w->strain->axis_start;
    for (int32_t i = begin; i < end; ++i)
    {
        int axis = i < start[1] ? 0 : i < start[2] ? 1 : 2;
        w->v->grid.level[0].mass[axis][w->strain->face_spot[i]] = (float)w->strain->mass[i];
        w->v->grid.level[0].face[axis][w->strain->face_spot[i]] = PL__FACE_UNKNOWN;
    }
}

// Known faces beside unknown ones.
static void mark_known(const solving *w, const pl__grid *grid)
{
    const pl__padded *at = &w->strain->padded;
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &grid->face[axis];
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
        {
            int32_t c = pl__padded_column(at, column % f->nx, column / f->nx);
            uint8_t *face = w->v->grid.level[0].face[axis] + at->base[c];
            for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
                for (int32_t j = f->run[r].j0; j <= f->run[r].j1; ++j)
                    if (j >= at->low[c] && j <= at->high[c] &&
                        w->strain->index[axis][f->run[r].first + j - f->run[r].j0] >= w->count)
                        face[j] = PL__FACE_KNOWN;
        }
    }
}

static pl_status set_up_grid(solving *w, const pl__grid *grid, bool multigrid)
{
    pl__viscous_grid *g = &w->v->grid;
    pl__viscous_level *v = &g->level[0];
    *v = (pl__viscous_level){
        .at = w->strain->padded, .cells = {grid->cell.nx, grid->cell.ny, grid->cell.nz}, .bulk = (float)w->bulk};
    g->ctx = w->ctx;
    PL_TRY(pl__viscous_begin(&w->v->arena, v));
    pl__parallel_for(w->ctx, w->strain->cell_count, CHUNK, fill_cells, w);
    pl__parallel_for(w->ctx, w->strain->sample_count - 3 * w->strain->cell_count, CHUNK, fill_edges, w);
    pl__parallel_for(w->ctx, w->count, CHUNK, fill_faces, w);
    mark_known(w, grid);
    return pl__viscous_end(&w->v->arena, g, multigrid);
}

// r / scale to single precision, and x += scale (what was found).
static void load_residual(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    const int32_t *start = w->strain->axis_start;
    for (int32_t i = begin; i < end; ++i)
    {
        int axis = i < start[1] ? 0 : i < start[2] ? 1 : 2;
        int32_t n = w->strain->face_spot[i];
        const pl__viscous_grid *g = &w->v->grid;
        g->r[axis][n] = g->level[0].inverse[axis][n] > 0 ? (float)(w->alpha * w->r[i]) : 0;
    }
}

static void add_found(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    const int32_t *start = w->strain->axis_start;
    for (int32_t i = begin; i < end; ++i)
    {
        int axis = i < start[1] ? 0 : i < start[2] ? 1 : 2;
        w->x[i] += w->alpha * (double)w->v->grid.x[axis][w->strain->face_spot[i]];
    }
}

// x by what single precision finds for the residual.
static pl__stop improve(solving *w, double tolerance, double residual, int32_t *iterations)
{
    double scale = ldexp(1, -ilogb(residual));
    double least = fmax(AIM * tolerance * scale, ROUNDED); // of residuals of size 1 to 2
    w->alpha = scale;
    pl__parallel_for(w->ctx, w->count, CHUNK, load_residual, w);
    pl__viscous_stop stop = pl__viscous_solve(&w->v->grid, least, MOST_ITERATIONS, iterations);
    w->alpha = 1 / scale;
    if (stop == PL__VISCOUS_BROKEN)
        return PL__STOP_INDEFINITE;
    pl__parallel_for(w->ctx, w->count, CHUNK, add_found, w);
    return stop == PL__VISCOUS_DONE ? PL__STOP_CONVERGED : PL__STOP_ITERATIONS;
}

// ---- the iteration ---------------------------------------------------------------------------------------------

// By the recurrence of r, until that indicates convergence.
static pl__stop iterate(solving *w, double tolerance, int32_t *iterations)
{
    memset(w->p, 0, (size_t)w->strain->count * sizeof *w->p);
    for (double before = 0, rz, worst = INFINITY; worst > tolerance; before = rz)
    {
        if (*iterations >= MOST_ITERATIONS)
            return PL__STOP_ITERATIONS;
        rz = pl__parallel_sum(w->ctx, w->count, CHUNK, weigh, w, w->partial);
        w->beta = before > 0 ? rz / before : 0;
        pl__parallel_for(w->ctx, w->count, CHUNK, turn, w);
        double pq = multiply(w, w->p);
        if (!(rz > 0 && pq > 0))
            return !isfinite(rz) || !isfinite(pq) ? PL__STOP_NOT_FINITE : PL__STOP_INDEFINITE;
        w->alpha = rz / pq;
        pl__parallel_for(w->ctx, w->count, CHUNK, go, w);
        worst = find_residual(w);
        ++*iterations;
    }
    return PL__STOP_CONVERGED;
}

static void run(solving *w, double tolerance, pl__viscosity_info *info)
{
    info->first_residual = info->residual = find_true_residual(w);
    info->stop = isfinite(info->residual) ? PL__STOP_CONVERGED : PL__STOP_NOT_FINITE;
    for (int restart = 0; info->residual > tolerance && info->stop == PL__STOP_CONVERGED; ++restart)
    {
        double before = info->residual;
        info->stop =
            w->separate ? iterate(w, tolerance, &info->iterations) : improve(w, tolerance, before, &info->iterations);
        info->residual = find_true_residual(w);
        if (!isfinite(info->residual))
            info->stop = PL__STOP_NOT_FINITE;
        bool stuck = restart == MOST_RESTARTS || info->residual > STAGNATED * before;
        if (info->stop == PL__STOP_CONVERGED && info->residual > tolerance && stuck)
            info->stop = PL__STOP_STAGNATED;
    }
}

static double factor_of(const pl__viscosity_problem *p)
{
    if (p->mixed)
        return p->dt / p->density;
    return p->dt * (2 * p->viscosity + p->stiffness * p->dt) / p->density;
}

static bool is_stiff(const pl__viscosity_problem *p)
{
    double h = p->strain.grid->cell.h;
    double most = p->mixed ? 0 : 1;
    for (int32_t n = 0; p->mixed && n < p->sample->sample_count; ++n)
        most = fmax(most, p->mixed[n]);
    return p->precondition == PL__VISCOSITY_MULTIGRID ||
           (p->precondition == PL__VISCOSITY_AUTOMATIC && factor_of(p) * most > 2 * STIFF * h * h);
}

// ---- solve -----------------------------------------------------------------------------------------------------

static bool take_vectors(pl__arena *arena, solving *w)
{
    size_t n = (size_t)w->count + 1, all = (size_t)w->strain->count;
    w->x = PL_TAKE(arena, all, double);
    w->p = PL_TAKE(arena, all, double);
    w->b = PL_TAKE(arena, n, double);
    w->r = PL_TAKE(arena, n, double);
    w->z = PL_TAKE(arena, n, double);
    w->q = PL_TAKE(arena, n, double);
    w->diagonal = PL_TAKE(arena, n, double);
    w->pull = PL_TAKE(arena, 2 * (size_t)w->strain->sample_count + 1, double);
    w->partial = PL_TAKE(arena, pl__chunk_count(w->count, CHUNK) + 1, double);
    return w->x && w->p && w->b && w->r && w->z && w->q && w->diagonal && w->pull && w->partial;
}

// The guess u*, and b = V u*. Returns the largest speed.
static double load(const solving *w, double *const u[3])
{
    const pl__strain *s = w->strain;
    double speed = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t i = s->axis_start[axis]; i < s->axis_start[axis + 1]; ++i)
        {
            w->x[i] = u[axis][s->number[i]];
            w->b[i] = s->mass[i] * w->x[i];
            speed = fmax(speed, fabs(w->x[i]));
        }
    memcpy(w->x + w->count, s->known, (size_t)(s->count - w->count) * sizeof *w->x);
    for (int32_t i = w->count; i < s->count; ++i)
        speed = fmax(speed, fabs(w->x[i]));
    return speed;
}

// b -= dt/rho B^T W d P
static void press(solving *w, double scale, const double *stress)
{
    const pl__strain *s = w->strain;
    memset(w->pull, 0, 2 * (size_t)s->sample_count * sizeof *w->pull);
    for (int32_t n = 0; n < 3 * s->cell_count; ++n)
        if (s->sample[n].weight > 0)
            w->pull[2 * (size_t)n] = scale * s->sample[n].weight * stress[s->place[n]] * s->sample[n].slope[0];
    for (int32_t i = 0; i < w->count; ++i)
        w->b[i] -= pl__strain_gather(s, w->pull, i);
}

// P += rho/dt f b d^T B u
static void update_stress(const solving *w, double scale, double *stress)
{
    for (int32_t c = 0; c < w->strain->cell_count; ++c)
    {
        const pl__strain_sample *s = &w->strain->sample[3 * (size_t)c];
        if (s->weight > 0)
            stress[w->strain->place[3 * (size_t)c]] +=
                scale * factor_at(w, 3 * c) * w->bulk *
                (pl__strain_value(&s[0], w->x) + pl__strain_value(&s[1], w->x) + pl__strain_value(&s[2], w->x));
    }
}

static void store(const solving *w, const pl__grid *grid, double *const u[3])
{
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < grid->face[axis].value_count; ++n)
            if (w->strain->index[axis][n] >= 0)
                u[axis][n] = w->x[w->strain->index[axis][n]];
}

static pl_status solve(pl__viscosity *v, const pl__viscosity_problem *problem, double *const u[3],
                       pl__viscosity_info *info)
{
    pl__strain made;
    const pl__strain *strain = problem->sample ? problem->sample : &made;
    const pl__grid *grid = problem->strain.grid;
    if (!problem->sample)
        PL_TRY(pl__strain_make(v->ctx, &v->arena, &problem->strain, &made));
    solving w = {.v = v,
                 .ctx = v->ctx,
                 .strain = strain,
                 .factor = factor_of(problem),
                 .mixed = problem->mixed,
                 .bulk = problem->separate ? 0 : problem->bulk,
                 .separate = problem->separate,
                 .count = strain->unknown_count};
    if (!take_vectors(&v->arena, &w))
        return PL_ERR_MEMORY;
    info->unknowns = w.count;
    info->multigrid = is_stiff(problem) && !w.separate;
    if (w.separate)
        pl__parallel_for(w.ctx, w.count, CHUNK, invert_diagonal, &w);
    else
        PL_TRY(set_up_grid(&w, grid, info->multigrid));
    double speed = load(&w, u);
    for (int32_t i = 0; problem->impulse && i < w.count; ++i)
        w.b[i] += problem->impulse[i];
    for (int32_t c = 0; problem->mixed && problem->stress && c < strain->cell_count; ++c)
        if (strain->sample[3 * c].weight > 0 && !(problem->mixed[3 * c] > 0))
            problem->stress[strain->place[3 * c]] = 0; // a liquid without viscosity has none
    if (problem->stress)
        press(&w, problem->dt / problem->density, problem->stress);
    run(&w, problem->tolerance * speed, info);
    if (problem->stress)
        update_stress(&w, problem->density / problem->dt, problem->stress);
    store(&w, grid, u);
    return PL_OK;
}

pl_status pl__viscosity_solve(pl__viscosity *v, const pl__viscosity_problem *problem, double *const u[3],
                              pl__viscosity_info *info)
{
    *info = (pl__viscosity_info){0};
    pl__arena_mark mark = pl__arena_set_mark(&v->arena);
    pl_status status = solve(v, problem, u, info);
    pl__arena_release(&v->arena, mark);
    return status;
}

pl_status pl__viscosity_create(pl_context *ctx, pl__viscosity **viscosity)
{
    pl__viscosity *v = PL_NEW(ctx, 1, pl__viscosity);
    *viscosity = NULL;
    if (!v)
        return PL_ERR_MEMORY;
    v->ctx = ctx;
    pl__arena_init(&v->arena, ctx);
    *viscosity = v;
    return PL_OK;
}

void pl__viscosity_destroy(pl__viscosity **viscosity)
{
    pl__viscosity *v = *viscosity;
    *viscosity = NULL;
    if (!v)
        return;
    pl__arena_done(&v->arena);
    pl__free(v->ctx, v, sizeof *v);
}
