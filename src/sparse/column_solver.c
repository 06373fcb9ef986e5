// src/sparse/column_solver.c -- conjugate gradients for systems in columns, preconditioned by multigrid.
//
// Vectors and the matrix are double, the preconditioner B works in single precision: its rounding only changes the path
// (6e-8 of z), while r and x keep theirs. The recurrence for r drifts from b - A x; when it indicates convergence the
// true residual is computed and decides, and the iteration starts again from it if need be.
//
//     z = B r,  p = z + (r.z / r'.z') p,  alpha = r.z / p.Ap,  r -= alpha Ap,  x += alpha p
//
// r is brought to size 1 by a power of two for B, so that neither tiny nor huge units leave the range of floats.
#include "column_solver.h"
#include "base/arena.h"
#include "base/task.h"
#include "column_cg.h"
#include "column_multigrid.h"
#include "incomplete_cholesky.h"

#include <math.h>
#include <string.h>

// clang-format off
//                     value     unit           derivation                                                                      pinned by
#define MOST_RESTARTS  4      // restarts       from the true residual: each recovers what the recurrence lost; chosen          tests/column_multigrid.c stop_reasons
#define STAGNATED      0.5    // residual       a restart that leaves more has met round-off: it should win far more; chosen    tests/column_multigrid.c stop_reasons
#define LARGEST        1e300  // 1              larger squares are not finite, or will not be: below DBL_MAX; chosen            tests/column_multigrid.c stop_reasons
// clang-format on

enum
{
    CHUNK = 4096 // unknowns per task
};

struct pl__column_solver
{
    pl_context *ctx;
    pl__arena arena;
    bool ready;
    pl__column_system system;
    pl__precondition precondition;
    pl__column_multigrid multigrid;
    pl__incomplete_cholesky cholesky;
    float *inverse_diagonal; // [count] of Jacobi
    const int32_t *changed;  // [changed_count] unknowns that have been taken out or brought back since the setup
    int32_t changed_count;
};

// Vectors of a solve, and its reductions.
typedef struct
{
    pl__column_solver *solver;
    const pl__column_limits *limits;
    const double *b;
    double *x, *r, *p, *q; // [count]
    float *z;              // [count + padding]
    double *partial;       // sums of tasks, then largest residuals
    const double *from;    // what is multiplied
    double alpha, beta, factor;
    double worst; // largest |r_i| scale_i
    double size;  // r . r
} solving;

pl_status pl__column_solver_create(pl_context *ctx, pl__column_solver **out)
{
    *out = PL_NEW(ctx, 1, pl__column_solver);
    if (!*out)
        return PL_ERR_MEMORY;
    (*out)->ctx = ctx;
    pl__arena_init(&(*out)->arena, ctx);
    return PL_OK;
}

void pl__column_solver_destroy(pl__column_solver **solver)
{
    if (!*solver)
        return;
    pl__arena_done(&(*solver)->arena);
    PL_DELETE((*solver)->ctx, *solver, 1);
}

// ---- preconditioners
// --------------------------------------------------------------------------------------------------

static pl_status invert_diagonal(pl__column_solver *solver)
{
    const pl__column_system *s = &solver->system;
    solver->inverse_diagonal = PL_TAKE(&solver->arena, s->count, float);
    if (!solver->inverse_diagonal)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < s->count; ++i)
        for (int32_t q = s->start[i]; q < s->end[i]; ++q)
            if (s->column[q] == i)
                solver->inverse_diagonal[i] = s->value[q] > 0 ? (float)(1 / s->value[q]) : 0;
    return PL_OK;
}

static pl_status set_up_preconditioner(pl__column_solver *solver)
{
    switch (solver->precondition)
    {
    case PL__PRECONDITION_MULTIGRID:
        return pl__column_multigrid_setup(solver->ctx, &solver->arena, &solver->system, &solver->multigrid);
    case PL__PRECONDITION_INCOMPLETE_CHOLESKY:
        return pl__incomplete_cholesky_setup(&solver->arena, &solver->system, &solver->cholesky);
    case PL__PRECONDITION_JACOBI: return invert_diagonal(solver);
    }
    return PL_ERR_ARGUMENT;
}

pl_status pl__column_solver_setup(pl__column_solver *solver, const pl__column_system *system,
                                  pl__precondition precondition)
{
    PL_ASSERT(pl__column_system_is_valid(system));
    solver->ready = false;
    pl__arena_release(&solver->arena, (pl__arena_mark){0});
    solver->system = *system;
    solver->precondition = precondition;
    solver->changed_count = 0;
    pl_status status = system->count ? set_up_preconditioner(solver) : PL_OK;
    if (status != PL_OK)
        pl__arena_release(&solver->arena, (pl__arena_mark){0});
    solver->ready = status == PL_OK;
    return status;
}

void pl__column_solver_move(pl__column_solver *solver, const pl__column_system *system)
{
    PL_ASSERT(solver->ready && solver->system.count == system->count);
    solver->system = *system;
    solver->changed_count = 0;
    if (solver->precondition == PL__PRECONDITION_MULTIGRID)
        solver->multigrid.level[0].system = *system;
}

void pl__column_solver_change(pl__column_solver *solver, const int32_t *changed, int32_t count)
{
    solver->changed = changed;
    solver->changed_count = count;
}

// What B does for those that have changed; for those that are back it had 0.
static void precondition_changed(const pl__column_solver *solver, const double *r, double factor, float *z)
{
    const pl__column_system *s = &solver->system;
    for (int32_t n = 0; n < solver->changed_count; ++n)
    {
        int32_t i = solver->changed[n], q = s->start[i];
        while (s->column[q] != i)
            ++q;
        z[i] = s->value[q] > 0 ? (float)(factor * r[i] / s->value[q]) : 0;
    }
}

// z = B (factor r)
static void precondition(pl__column_solver *solver, const double *r, double factor, float *z)
{
    switch (solver->precondition)
    {
    case PL__PRECONDITION_MULTIGRID: pl__column_multigrid_apply(solver->ctx, &solver->multigrid, r, factor, z); break;
    case PL__PRECONDITION_INCOMPLETE_CHOLESKY: pl__incomplete_cholesky_apply(&solver->cholesky, r, factor, z); break;
    case PL__PRECONDITION_JACOBI:
        for (int32_t i = 0; i < solver->system.count; ++i)
            z[i] = solver->inverse_diagonal[i] * (float)(factor * r[i]);
        break;
    }
    precondition_changed(solver, r, factor, z);
}

pl_status pl__column_solver_precondition(pl__column_solver *solver, const double *r, float *z)
{
    if (!solver->ready)
        return pl__fail(solver->ctx, PL_ERR_STATE, "the solver has no system");
    if (solver->system.count)
        precondition(solver, r, 1, z);
    return PL_OK;
}

// ---- passes over vectors
// ------------------------------------------------------------------------------------------------

// q = A p by rows; returns p.q
static double product_range(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    return PL_PICK(w->solver->ctx->register_bytes, pl__column_product)(&w->solver->system, w->from, w->q, begin, end);
}

// The same by columns of runs.
static double product_columns(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    const pl__gauss_seidel *gs = &w->solver->multigrid.level[0].smoother;
    return PL_PICK(w->solver->ctx->register_bytes, pl__column_product_runs)(gs, w->from, w->q, gs->run_start[begin],
                                                                            gs->run_start[end]);
}

static double reduce_residual(const solving *w, double alpha, int32_t begin, int32_t end)
{
    int32_t chunks = pl__chunk_count(w->solver->system.count, CHUNK);
    return PL_PICK(w->solver->ctx->register_bytes, pl__column_residual)(alpha, w->q, w->limits->scale, w->r, begin, end,
                                                                        &w->partial[chunks + begin / CHUNK]);
}

static double residual_range(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    return reduce_residual(w, w->alpha, begin, end);
}

static double true_residual_range(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    memcpy(&w->r[begin], &w->b[begin], (size_t)(end - begin) * sizeof *w->r);
    return reduce_residual(w, 1, begin, end);
}

static double dot_range(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    return PL_PICK(w->solver->ctx->register_bytes, pl__column_dot)(w->r, w->z, begin, end);
}

static void direction_range(void *argument, int32_t begin, int32_t end)
{
    const solving *w = argument;
    PL_PICK(w->solver->ctx->register_bytes, pl__column_direction)
    (w->alpha, w->beta, 1 / w->factor, w->z, w->p, w->x, begin, end);
}

// So that a task has about as many unknowns.
static int32_t columns_per_task(const pl__column_system *s)
{
    int64_t columns = (int64_t)s->nx * s->nz * CHUNK / s->count;
    return columns < 1 ? 1 : columns > s->nx * s->nz ? s->nx * s->nz : (int32_t)columns;
}

static double sum(solving *w, pl__reduce_function *term)
{
    return pl__parallel_sum(w->solver->ctx, w->solver->system.count, CHUNK, term, w, w->partial);
}

// q = A from; returns from.q
static double multiply(solving *w, const double *from)
{
    const pl__column_system *s = &w->solver->system;
    w->from = from;
    if (w->solver->precondition != PL__PRECONDITION_MULTIGRID)
        return sum(w, product_range);
    return pl__parallel_sum(w->solver->ctx, s->nx * s->nz, columns_per_task(s), product_columns, w, w->partial);
}

// r by the recurrence or truly, with its measures
static void find_residual(solving *w, pl__reduce_function *how)
{
    int32_t chunks = pl__chunk_count(w->solver->system.count, CHUNK);
    w->size = sum(w, how);
    w->worst = 0;
    for (int32_t k = 0; k < chunks; ++k)
        w->worst = fmax(w->worst, w->partial[chunks + k]);
}

static void find_true_residual(solving *w)
{
    (void)multiply(w, w->x);
    find_residual(w, true_residual_range);
}

static bool is_finite(double a) { return fabs(a) <= LARGEST; }

// ---- the iteration
// --------------------------------------------------------------------------------------------------------

// z = B r; returns r.z. z is `factor` times as large as it should be, a power of two.
static double find_z(solving *w)
{
    double length = sqrt(w->size);
    w->factor = length > 0 ? ldexp(1, -ilogb(length)) : 1;
    precondition(w->solver, w->r, w->factor, w->z);
    return sum(w, dot_range) / w->factor;
}

// x += alpha p, p = z + beta p
static void advance(solving *w, double beta)
{
    w->beta = beta;
    pl__parallel_for(w->solver->ctx, w->solver->system.count, CHUNK, direction_range, w);
}

// The last step of the iteration: x += alpha p.
static void finish(solving *w)
{
    if (w->alpha != 0)
        advance(w, 0);
}

// Iterate by the recurrence until it indicates convergence; returns the stop reason.
static pl__stop iterate(solving *w, int32_t *iterations)
{
    memset(w->p, 0, (size_t)w->solver->system.count * sizeof *w->p);
    w->alpha = 0;
    for (double rz = 0;; ++*iterations)
    {
        if (*iterations >= w->limits->iterations)
            return finish(w), PL__STOP_ITERATIONS;
        double before = rz;
        rz = find_z(w);
        advance(w, before > 0 ? rz / before : 0);
        double pq = multiply(w, w->p);
        if (!is_finite(rz) || !is_finite(pq))
            return PL__STOP_NOT_FINITE;
        if (rz <= 0 || pq <= 0)
            return PL__STOP_INDEFINITE;
        w->alpha = rz / pq;
        find_residual(w, residual_range);
        if (!is_finite(w->size))
            return PL__STOP_NOT_FINITE;
        if (w->worst <= w->limits->tolerance)
            return ++*iterations, finish(w), PL__STOP_CONVERGED;
    }
}

static pl__stop run(solving *w, pl__column_info *info)
{
    find_true_residual(w);
    info->first_residual = info->residual = w->worst;
    for (int restart = 0; w->worst > w->limits->tolerance || !is_finite(w->size); ++restart)
    {
        if (!is_finite(w->size))
            return PL__STOP_NOT_FINITE;
        double before = w->worst;
        pl__stop stop = iterate(w, &info->iterations);
        find_true_residual(w);
        info->residual = w->worst;
        if (stop != PL__STOP_CONVERGED)
            return stop;
        if (w->worst > w->limits->tolerance && (restart == MOST_RESTARTS || w->worst > STAGNATED * before))
            return PL__STOP_STAGNATED;
    }
    return PL__STOP_CONVERGED;
}

pl_status pl__column_solver_solve(pl__column_solver *solver, const pl__column_limits *limits, const double *b,
                                  double *x, pl__column_info *info)
{
    *info = (pl__column_info){.stop = PL__STOP_CONVERGED};
    if (!solver->ready)
        return pl__fail(solver->ctx, PL_ERR_STATE, "the solver has no system");
    int32_t count = solver->system.count;
    if (count == 0)
        return PL_OK;
    pl__arena_mark mark = pl__arena_set_mark(&solver->arena);
    solving w = {.solver = solver, .limits = limits, .b = b, .x = x};
    w.r = PL_TAKE(&solver->arena, count, double);
    w.p = PL_TAKE(&solver->arena, count, double);
    w.q = PL_TAKE(&solver->arena, count, double);
    w.z = PL_TAKE(&solver->arena, count + PL__SWEEP_PADDING, float);
    // tasks by unknowns have two, those by columns one
    int32_t columns = solver->system.nx * solver->system.nz;
    int32_t tasks = 2 * pl__chunk_count(count, CHUNK) + pl__chunk_count(columns, columns_per_task(&solver->system));
    w.partial = PL_TAKE(&solver->arena, tasks, double);
    bool enough = w.r && w.p && w.q && w.z && w.partial;
    if (enough)
        info->stop = run(&w, info);
    pl__arena_release(&solver->arena, mark);
    return enough ? PL_OK : PL_ERR_MEMORY;
}
