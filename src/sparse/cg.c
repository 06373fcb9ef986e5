// src/sparse/cg.c -- conjugate gradients with constraints, in the mass metric.
//
// With P the projection onto the constraints (self-adjoint in the mass metric) the iteration for P A P x = P b is
//
//     z = P M^-1 r                       preconditioned, projected residual
//     p = z + (r.z / r'.z') p
//     alpha = r.z / p.Ap
//     r -= alpha Ap,  x += alpha p.
//
// Three passes over memory: the product, with p.Ap; r and z, with r.z; x and p, which are not needed before.
//
// Why the mass as preconditioner: A = M + D where D's forces sum to zero, so for a free body the sum of M z equals the
// sum of r; if the initial guess has the right momentum that sum is zero and stays zero: a truncated solve still
// conserves momentum to round-off. The inverses of the diagonal blocks of A take fewer iterations and lose it (6e-4
// after 20 iterations against 5e-16): z = B^-1 r with B restricted to the unconstrained directions of each node. The
// caller then corrects the momentum.
//
// A better preconditioner, such as a cycle of multigrid, gives z and with it r.z, alpha and beta; the blocks then only
// measure residuals, so that a tolerance means the same with both.
//
// The recurrence for r drifts from b - A x; when it indicates convergence the true residual is computed and decides.
// So the products of the iteration may be rough, while those of the residual are exact. Running out of iterations is a
// reason to stop, not an error.
#include "cg.h"

#include <math.h>

// clang-format off
//                     value     unit           derivation                                                                    pinned by
#define MOST_RESTARTS  3      // restarts       from the true residual: each recovers what the recurrence lost; chosen        tests/cg.c rough_products_are_corrected_by_restarts
#define STAGNATED      0.25   // residual^2     a restart that leaves more has met round-off: it should win far more; chosen  tests/cg.c rough_products_are_corrected_by_restarts
#define LARGEST        1e300  // 1              larger squares are not finite, or will not be: below DBL_MAX; chosen          tests/cg.c what_will_overflow_is_not_finite (if 1e+290 or 1e+305)
// clang-format on

typedef struct
{
    const pl__cg_system *system;
    const pl__cg_work *work;
    const double *from; // previous residual, or b
    double *x;
    double alpha, beta;
    int32_t register_bytes;
    bool fused; // no links: projection and dot product in the same pass
} update_job;

// z = B^-1 z for nodes [begin, end), B with their constraints
static void apply_blocks(const update_job *job, int32_t begin, int32_t end)
{
    if (end > job->system->count / 3)
        end = job->system->count / 3;
    PL_PICK(job->register_bytes, pl__vector_by_blocks)(job->system->block, job->work->z, begin, end);
    pl__constraints_hold_blocks(job->system->constraints, job->system->block, begin, end, job->work->z);
}

static double residual_range(void *argument, int32_t begin, int32_t end)
{
    const update_job *job = argument;
    const pl__cg_work *w = job->work;
    const double *weight = job->system->block ? NULL : job->system->inverse_mass;
    PL_PICK(job->register_bytes, pl__vector_cg_residual)(job->alpha, job->from, w->q, weight, w->r, w->z, begin, end);
    if (job->system->block)
        apply_blocks(job, begin / 3, end / 3);
    if (!job->fused)
        return 0;
    if (!job->system->block)
        pl__constraints_project_nodes(job->system->constraints, begin / 3, end / 3, w->z);
    return PL_PICK(job->register_bytes, pl__vector_dot)(w->r, w->z, begin, end);
}

// r = from - alpha q and z; returns r.z
static double find_residual(pl_context *ctx, const pl__cg_system *s, const pl__cg_work *w, const double *from,
                            double alpha)
{
    bool fused = !s->constraints || s->constraints->link_count == 0;
    update_job job = {
        .system = s, .work = w, .from = from, .alpha = alpha, .register_bytes = ctx->register_bytes, .fused = fused};
    double rz = pl__parallel_sum_some(ctx, pl__vector_padded(s->count), PL_VECTOR_CHUNK, s->some, residual_range, &job,
                                      w->partial);
    if (fused)
        return s->coarse ? rz + s->coarse(s->user, w->r, w->z) : rz;
    pl__constraints_project(s->constraints, w->z);
    return pl__dot(ctx, w->r, w->z, s->count, s->some, w->partial);
}

static void direction_range(void *argument, int32_t begin, int32_t end)
{
    const update_job *job = argument;
    PL_PICK(job->register_bytes, pl__vector_cg_direction)
    (job->alpha, job->beta, job->work->z, job->work->p, job->x, begin, end);
}

// x += alpha p, p = z + beta p
static void advance(pl_context *ctx, const pl__cg_system *s, const pl__cg_work *w, double alpha, double beta, double *x)
{
    update_job job = {
        .system = s, .work = w, .x = x, .alpha = alpha, .beta = beta, .register_bytes = ctx->register_bytes};
    pl__parallel_for_some(ctx, pl__vector_padded(s->count), PL_VECTOR_CHUNK, s->some, direction_range, &job);
}

// r = b - A x, z = P M^-1 r; returns r.z
static double true_residual(pl_context *ctx, const pl__cg_system *s, const pl__cg_work *w, const double *b, double *x)
{
    (void)(s->exact ? s->exact : s->apply)(s->user, x, w->q);
    return find_residual(ctx, s, w, b, 1);
}

static bool is_finite(double a) { return fabs(a) <= LARGEST; }

// z = B r with the better preconditioner, if there is one; returns r.z. `norm2` is that with the blocks.
static double precondition(pl_context *ctx, const pl__cg_system *s, const pl__cg_work *w, double norm2)
{
    if (!s->precondition)
        return norm2;
    s->precondition(s->preconditioner, w->r, w->z);
    return pl__dot(ctx, w->r, w->z, s->count, NULL, w->partial);
}

// Whether what is left will take longer than it may, at the rate of all iterations so far.
static bool is_slow(const pl__cg_limits *limits, double first2, double target2, double norm2, int32_t iterations)
{
    if (limits->look <= 0 || iterations % limits->look != 0 || norm2 <= target2)
        return false;
    double done = 0.5 * log10(first2 / norm2), left = 0.5 * log10(norm2 / target2);
    return !(left * iterations <= done * (limits->patience + limits->patience_per_digit * left));
}

// Iterate by the recurrence until it indicates convergence; returns the stop reason. `norm2` is r.z with the mass or
// the blocks.
static pl__stop iterate(pl_context *ctx, const pl__cg_system *s, const pl__cg_limits *limits, double target2,
                        double *norm2, double *x, const pl__cg_work *w, int32_t *iterations)
{
    double first2 = *norm2, rz = precondition(ctx, s, w, *norm2);
    int32_t before = *iterations;
    pl__copy(ctx, w->z, w->p, s->count, s->some);
    while (*norm2 > target2)
    {
        if (*iterations >= limits->iterations)
            return PL__STOP_ITERATIONS;
        if (*iterations > before && is_slow(limits, first2, target2, *norm2, *iterations - before))
            return PL__STOP_SLOW;
        double pq = s->apply(s->user, w->p, w->q);
        if (!is_finite(pq))
            return PL__STOP_NOT_FINITE;
        if (pq <= 0 || !(rz > 0))
            return PL__STOP_INDEFINITE;
        double alpha = rz / pq;
        *norm2 = find_residual(ctx, s, w, w->r, alpha);
        ++*iterations;
        if (!is_finite(*norm2))
            return PL__STOP_NOT_FINITE;
        double next = *norm2 > target2 ? precondition(ctx, s, w, *norm2) : 0;
        advance(ctx, s, w, alpha, next / rz, x);
        rz = next;
    }
    return PL__STOP_CONVERGED;
}

pl__cg_info pl__cg_solve(pl_context *ctx, const pl__cg_system *s, const pl__cg_limits *limits, const double *b,
                         double *x, const pl__cg_work *w)
{
    pl__cg_info info = {0};
    double rz = true_residual(ctx, s, w, b, x);
    info.first_residual = info.residual = sqrt(fabs(rz));
    if (!is_finite(rz))
    {
        info.stop = PL__STOP_NOT_FINITE;
        return info;
    }
    info.stop = PL__STOP_ITERATIONS;
    double target = fmax(limits->tolerance * info.first_residual, limits->floor);
    if (limits->iterations == 0 && rz > target * target)
        return info;
    for (int restart = 0; rz > target * target; ++restart)
    {
        double before = rz;
        info.stop = iterate(ctx, s, limits, target * target, &rz, x, w, &info.iterations);
        if (info.stop == PL__STOP_SLOW || (s->exact && info.stop == PL__STOP_ITERATIONS))
        {
            info.residual = sqrt(fabs(rz)); // the exact product is expensive, and nothing is left to decide
            return info;
        }
        rz = true_residual(ctx, s, w, b, x);
        info.residual = sqrt(fabs(rz));
        if (info.stop != PL__STOP_CONVERGED || rz <= target * target)
            return info;
        info.stop = PL__STOP_STAGNATED;
        if (restart == MOST_RESTARTS || rz > STAGNATED * before)
            return info;
    }
    info.stop = PL__STOP_CONVERGED;
    return info;
}
