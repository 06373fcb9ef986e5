// src/sparse/column_multigrid.c -- an aggregation multigrid W-cycle as preconditioner of systems in columns.
//
// Aggregates with constant (points) or linear (lines) prolongation make a coarse matrix as sparse as the fine one, but
// one that is too stiff: of a smooth error a coarse correction finds about half. It is therefore enlarged by OVER, and
// coarse levels are visited twice (W-cycle), which conjugate gradients around it makes robust. With S one sweep
// forward, S* its adjoint and C = I - OVER P B' P^T A the correction,
//
//     finest level:   I - B A = S* C S
//     others:         I - B A = (S* C S)^2.
//
// The square keeps eigenvalues of B' A' in (0, 1], so that those of C are above 1 - OVER > -1, and B stays positive
// definite at every level as long as OVER < 2.
//
// Aggregates follow the grid, and come apart where nothing couples their unknowns but for eight points that are whole:
// cells on both sides of a thin wall may share one.
//
// A canyon with pillars a few cells wide and many cells high, on tall cells, takes 11/13/14 iterations to 1e-5 with
// 64/128/256 cells.
#include "column_multigrid.h"
#include "base/task.h"

#include <math.h>

// clang-format off
//                     value     unit           derivation                                                          pinned by
#define OVER           1.6f   // 1              over-correction; 1.4 to 1.8 differ by one iteration; measured        tests/column_multigrid.c iterations_do_not_grow
#define COARSEST       200    // unknowns       small enough to be factored in a millisecond; chosen                 bench multigrid
#define LARGEST_DENSE  500    // unknowns       when aggregates do not shrink further: 40 ms; chosen                 tests/column_multigrid.c what_does_not_coarsen_is_swept
#define SINGULAR       1e-9   // 1              pivots of a unit diagonal: less is the null space, seen to rounding  tests/column_multigrid.c closed_box_converges
#define COARSE_SWEEPS  4      // sweeps         each way, where the coarsest level is too large; chosen              tests/column_multigrid.c what_does_not_coarsen_is_swept
// clang-format on

enum
{
    TRANSFER_CHUNK = 16 // coarse columns per task
};

// ---- coarsest level
// ---------------------------------------------------------------------------------------------------

// Column j of the lower triangle begins with its diagonal.
static size_t column_at(int32_t n, int32_t j) { return (size_t)j * (size_t)(2 * n - j + 1) / 2; }

static void scatter_rows(const pl__gauss_seidel *gs, double *a)
{
    const pl__column_system *s = gs->system;
    size_t n = (size_t)s->count;
    for (size_t k = 0; k < n * (n + 1) / 2; ++k)
        a[k] = 0;
    for (int32_t i = 0; i < s->count; ++i)
        for (int32_t q = s->start[i]; q < s->end[i]; ++q)
            if (s->column[q] <= i)
                a[column_at(s->count, s->column[q]) + (size_t)(i - s->column[q])] = pl__gauss_seidel_entry(gs, i, q);
}

// L D L^T in place. Singular pivots, of components without a fixed value, leave their unknown at 0.
static void factor_dense(double *a, int32_t n)
{
    for (int32_t j = 0; j < n; ++j)
    {
        double *column = &a[column_at(n, j)], pivot = column[0];
        bool singular = !(pivot > SINGULAR);
        column[0] = singular ? 0 : 1 / pivot;
        for (int32_t k = j + 1; k < n; ++k)
        {
            double *other = &a[column_at(n, k)], l = column[k - j] * column[0];
            for (int32_t i = k; l != 0 && i < n; ++i)
                other[i - k] -= l * column[i - j];
        }
        for (int32_t i = j + 1; i < n; ++i)
            column[i - j] *= column[0];
    }
}

static void solve_dense(const double *a, int32_t n, const float *b, double *y, float *x)
{
    for (int32_t i = 0; i < n; ++i)
        y[i] = b[i];
    for (int32_t j = 0; j < n; ++j)
    {
        const double *column = &a[column_at(n, j)];
        for (int32_t i = j + 1; i < n; ++i)
            y[i] -= column[i - j] * y[j];
    }
    for (int32_t j = n - 1; j >= 0; --j)
    {
        const double *column = &a[column_at(n, j)];
        double sum = y[j] * column[0];
        for (int32_t i = j + 1; i < n; ++i)
            sum -= column[i - j] * y[i];
        y[j] = sum;
        x[j] = (float)sum;
    }
}

static void solve_coarsest(pl_context *ctx, const pl__column_multigrid *mg, const pl__column_level *level)
{
    if (mg->factor)
    {
        solve_dense(mg->factor, level->system.count, level->b, mg->solution, level->x);
        return;
    }
    pl__gauss_seidel_sweep(ctx, &level->smoother, PL__SWEEP_FROM_ZERO, level->b, level->x);
    for (int n = 1; n < COARSE_SWEEPS; ++n)
    {
        pl__gauss_seidel_sweep(ctx, &level->smoother, PL__SWEEP_BACKWARD, level->b, level->x);
        pl__gauss_seidel_sweep(ctx, &level->smoother, PL__SWEEP_FORWARD, level->b, level->x);
    }
    pl__gauss_seidel_sweep(ctx, &level->smoother, PL__SWEEP_BACKWARD, level->b, level->x);
}

// ---- between levels
// ---------------------------------------------------------------------------------------------------

typedef struct
{
    const pl__column_level *fine, *coarse;
    bool after_zero; // the residual is that of a sweep from zero
    int32_t register_bytes;
} transfer_job;

// b = C^-1 b of unknowns [begin, end), whole lines
static void scale_down(const pl__gauss_seidel *gs, int32_t begin, int32_t end, float *b)
{
    if (!gs->skew)
        for (int32_t i = begin; i < end; ++i)
            b[i] *= gs->scale[i];
    else
        for (int32_t i = end; i-- > begin;)
            b[i] = gs->scale[i] * b[i] + (gs->skew[i] != 0 ? gs->skew[i] * b[i - 1] : 0);
}

// out = C^-T x
static void scale_up(const pl__gauss_seidel *gs, int32_t begin, int32_t end, const float *x, float *out)
{
    for (int32_t i = begin; i < end; ++i)
    {
        out[i] = gs->scale[i] * x[i];
        if (gs->skew && i + 1 < end)
            out[i] += gs->skew[i + 1] * x[i + 1];
    }
}

// Add P^T C r of a fine column to the coarse b.
static void restrict_column(const pl__column_level *fine, int32_t column, float *b)
{
    const pl__gauss_seidel *gs = &fine->smoother;
    const int32_t *aggregate = fine->transfer.aggregate;
    for (int32_t i = fine->system.column_start[column]; i < fine->system.column_start[column + 1]; ++i)
    {
        float r = gs->root[i] * fine->r[i];
        if (gs->tilt && gs->tilt[i] != 0)
            r += gs->tilt[i] * fine->r[i - 1];
        b[aggregate[i]] += r;
        if (fine->transfer.arm && fine->transfer.arm[i] != 0)
            b[aggregate[i] + 1] += fine->transfer.arm[i] * r;
    }
}

// Coarse b = C'^-1 P^T C r, r the residual of the fine level.
static void restrict_columns(void *argument, int32_t begin, int32_t end)
{
    const transfer_job *job = argument;
    const pl__column_level *fine = job->fine, *coarse = job->coarse;
    const int32_t *run = fine->smoother.run_start;
    for (int32_t c = begin; c < end; ++c)
    {
        int32_t child[4], first = coarse->system.column_start[c], last = coarse->system.column_start[c + 1];
        int children = pl__column_children(&fine->system, &coarse->system, c, child);
        for (int32_t g = first; g < last; ++g)
            coarse->b[g] = 0;
        for (int f = 0; f < children; ++f)
        {
            PL_PICK(job->register_bytes, pl__residual_runs)
            (&fine->smoother, run[child[f]], run[child[f] + 1], job->after_zero ? NULL : fine->b, fine->x, fine->r);
            restrict_column(fine, child[f], coarse->b);
        }
        scale_down(&coarse->smoother, first, last, coarse->b);
    }
}

// Add OVER C^T P e to a fine column.
static void prolong_column(const pl__column_level *fine, int32_t column, const float *e)
{
    const pl__gauss_seidel *gs = &fine->smoother;
    const pl__column_transfer *transfer = &fine->transfer;
    for (int32_t i = fine->system.column_start[column]; i < fine->system.column_start[column + 1]; ++i)
    {
        int32_t g = transfer->aggregate[i];
        float own = e[g];
        if (transfer->arm && fine->system.kind[i] == PL__LINE_VALUE)
        {
            own += transfer->arm[i] * e[g + 1];
            fine->x[i] += OVER * (gs->root[i] * own + gs->tilt[i + 1] * e[g + 1]);
        }
        else
            fine->x[i] += OVER * gs->root[i] * own;
    }
}

// Fine x += OVER C^T P C'^-T x'; b of the coarse level is scratch.
static void prolong_columns(void *argument, int32_t begin, int32_t end)
{
    const transfer_job *job = argument;
    const pl__column_level *fine = job->fine, *coarse = job->coarse;
    for (int32_t c = begin; c < end; ++c)
    {
        int32_t child[4];
        int children = pl__column_children(&fine->system, &coarse->system, c, child);
        scale_up(&coarse->smoother, coarse->system.column_start[c], coarse->system.column_start[c + 1], coarse->x,
                 coarse->b);
        for (int f = 0; f < children; ++f)
            prolong_column(fine, child[f], coarse->b);
    }
}

static void correct(pl_context *ctx, const pl__column_multigrid *mg, int32_t l, bool after_zero);

// x~ = B b~ on level l
static void cycle(pl_context *ctx, const pl__column_multigrid *mg, int32_t l)
{
    const pl__column_level *level = &mg->level[l];
    if (l + 1 == mg->level_count)
    {
        solve_coarsest(ctx, mg, level);
        return;
    }
    pl__gauss_seidel_sweep(ctx, &level->smoother, PL__SWEEP_FROM_ZERO, level->b, level->x);
    correct(ctx, mg, l, true);
    pl__gauss_seidel_sweep(ctx, &level->smoother, PL__SWEEP_BACKWARD, level->b, level->x);
    if (l == 0)
        return;
    pl__gauss_seidel_sweep(ctx, &level->smoother, PL__SWEEP_FORWARD, level->b, level->x);
    correct(ctx, mg, l, false);
    pl__gauss_seidel_sweep(ctx, &level->smoother, PL__SWEEP_BACKWARD, level->b, level->x);
}

static void correct(pl_context *ctx, const pl__column_multigrid *mg, int32_t l, bool after_zero)
{
    transfer_job job = {&mg->level[l], &mg->level[l + 1], after_zero, ctx->register_bytes};
    int32_t columns = job.coarse->system.nx * job.coarse->system.nz;
    pl__parallel_for(ctx, columns, TRANSFER_CHUNK, restrict_columns, &job);
    cycle(ctx, mg, l + 1);
    pl__parallel_for(ctx, columns, TRANSFER_CHUNK, prolong_columns, &job);
}

// ---- the whole
// ----------------------------------------------------------------------------------------------------------

static bool take_vectors(pl__arena *arena, pl__column_level *level)
{
    int32_t length = level->system.count + PL__SWEEP_PADDING;
    level->x = PL_TAKE(arena, length, float);
    level->b = PL_TAKE(arena, length, float);
    level->r = PL_TAKE(arena, length, float);
    return level->x && level->b && level->r;
}

static pl_status factor_coarsest(pl__arena *arena, pl__column_multigrid *mg)
{
    const pl__column_level *last = &mg->level[mg->level_count - 1];
    int32_t n = last->system.count;
    mg->factor = NULL;
    if (n > LARGEST_DENSE)
        return PL_OK;
    mg->factor = PL_TAKE(arena, (size_t)n * (size_t)(n + 1) / 2, double);
    mg->solution = PL_TAKE(arena, n, double);
    if (!mg->factor || !mg->solution)
        return PL_ERR_MEMORY;
    scatter_rows(&last->smoother, mg->factor);
    factor_dense(mg->factor, n);
    return PL_OK;
}

pl_status pl__column_multigrid_setup(pl_context *ctx, pl__arena *arena, const pl__column_system *system,
                                     pl__column_multigrid *mg)
{
    mg->level_count = 0;
    mg->level[0].system = *system;
    for (;;)
    {
        pl__column_level *level = &mg->level[mg->level_count++];
        PL_TRY(pl__gauss_seidel_setup(ctx, arena, &level->system, &level->smoother));
        if (!take_vectors(arena, level))
            return PL_ERR_MEMORY;
        bool one = level->system.nx == 1 && level->system.nz == 1, last = mg->level_count == PL__MOST_LEVELS;
        if (level->system.count <= COARSEST || last)
            break;
        PL_TRY(pl__column_coarsen(ctx, arena, &level->system, &level->transfer, &level[1].system));
        if (one && level[1].system.count == level->system.count)
            break;
    }
    return factor_coarsest(arena, mg);
}

typedef struct
{
    const pl__column_level *finest;
    const double *r;
    double factor;
    float *z;
} end_job;

static void load_columns(void *argument, int32_t begin, int32_t end)
{
    const end_job *job = argument;
    const pl__column_level *finest = job->finest;
    int32_t first = finest->system.column_start[begin], last = finest->system.column_start[end];
    for (int32_t i = first; i < last; ++i)
        finest->b[i] = (float)(job->factor * job->r[i]);
    scale_down(&finest->smoother, first, last, finest->b);
}

static void store_columns(void *argument, int32_t begin, int32_t end)
{
    const end_job *job = argument;
    const pl__column_level *finest = job->finest;
    const int32_t *start = finest->system.column_start;
    scale_up(&finest->smoother, start[begin], start[end], finest->x, job->z);
}

void pl__column_multigrid_apply(pl_context *ctx, const pl__column_multigrid *mg, const double *r, double factor,
                                float *z)
{
    end_job job = {&mg->level[0], r, factor, z};
    int32_t columns = job.finest->system.nx * job.finest->system.nz;
    pl__parallel_for(ctx, columns, TRANSFER_CHUNK, load_columns, &job);
    cycle(ctx, mg, 0);
    pl__parallel_for(ctx, columns, TRANSFER_CHUNK, store_columns, &job);
}
