// src/sparse/cg.c -- conjugate gradients with constraints, in the mass metric.
//
// With P the projection onto the constraints (self-adjoint in the mass metric) the iteration for P A P x = P b is
//
//     z = P M^-1 r                       preconditioned, projected residual
//     p = z + (r.z / r'.z') p
//     alpha = r.z / p.Ap
//     x += alpha p,  r -= alpha Ap.
//
// Why the mass as preconditioner: A = M + D where D's forces sum to zero, so for a free body the sum of M z equals the
// sum of r; when the first guess has the right momentum that sum is zero and stays zero: a truncated solve still conserves
// momentum to round-off. The inverses of the diagonal blocks of A take fewer iterations and lose it (6e-4 after 20 iterations
// against 5e-16): z = P B^-1 P r, symmetric since P and B both go by node. Who asks for them corrects the mean.
//
// The recurrence for r drifts from b - A x; when it claims convergence the true residual is computed and decides. So the products of the
// iteration may be rough, while those of the residual are exact.
// Running out of iterations is a reason to stop, not an error.
#include "cg.h"

#include <math.h>

enum
{
    MAX_RESTARTS = 3
};

typedef struct
{
    const pl__cg_system *system;
    const pl__cg_work *work;
    double *x;
    double alpha;
    int32_t register_bytes;
    bool fused; // no links: projection and dot product belong to the same pass
} update_job;

// z = B^-1 P r for the nodes [begin, end)
static void apply_blocks(const update_job *job, int32_t begin, int32_t end)
{
    const pl__cg_work *w = job->work;
    if (end > job->system->count / 3)
        end = job->system->count / 3;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; ++k)
        w->z[k] = w->r[k];
    pl__constraints_project_nodes(job->system->constraints, begin, end, w->z);
    for (size_t n = (size_t)begin; n < (size_t)end; ++n)
    {
        const double *b = &job->system->block[6 * n];
        double *z = &w->z[3 * n], x = z[0], y = z[1];
        z[0] = b[0] * x + b[3] * y + b[4] * z[2];
        z[1] = b[3] * x + b[1] * y + b[5] * z[2];
        z[2] = b[4] * x + b[5] * y + b[2] * z[2];
    }
}

static double update_range(void *argument, int32_t begin, int32_t end)
{
    const update_job *job = argument;
    const pl__cg_work *w = job->work;
    PL_PICK(job->register_bytes, pl__vector_cg_update)(job->alpha, w->p, w->q, job->system->inverse_mass, job->x, w->r, w->z, begin, end);
    if (job->system->block)
        apply_blocks(job, begin / 3, end / 3);
    if (!job->fused)
        return 0;
    pl__constraints_project_nodes(job->system->constraints, begin / 3, end / 3, w->z);
    return PL_PICK(job->register_bytes, pl__vector_dot)(w->r, w->z, begin, end);
}

// One update of x, r, z; returns r.z
static double advance(pl_context *ctx, const pl__cg_system *s, const pl__cg_work *w, double *x, double alpha)
{
    bool fused = !s->constraints || s->constraints->link_count == 0;
    update_job job = {s, w, x, alpha, ctx->register_bytes, fused};
    double rz = pl__parallel_sum_some(ctx, pl__vector_padded(s->count), PL_VECTOR_CHUNK, s->some, update_range, &job, w->partial);
    if (fused)
        return rz;
    pl__constraints_project(s->constraints, w->z);
    return pl__dot(ctx, w->r, w->z, s->count, s->some, w->partial);
}

// r = b - A x, z = P M^-1 r; returns r.z
static double true_residual(pl_context *ctx, const pl__cg_system *s, const pl__cg_work *w, const double *b, double *x)
{
    (void)(s->exact ? s->exact : s->apply)(s->user, x, w->q);
    pl__copy(ctx, b, w->r, s->count, s->some);
    pl__axpby(ctx, -1, w->q, 1, w->r, s->count, s->some);
    // an update with step zero leaves x and r alone and forms z
    return advance(ctx, s, w, x, 0);
}

static bool is_finite(double a) { return fabs(a) <= 1e300; }

// From z on to a claim of convergence, by the recurrence; returns the reason for stopping.
static pl__stop iterate(pl_context *ctx, const pl__cg_system *s, const pl__cg_limits *limits, double target2, double rz,
                        double *x, const pl__cg_work *w, int32_t *iterations)
{
    pl__copy(ctx, w->z, w->p, s->count, s->some);
    while (rz > target2)
    {
        if (*iterations >= limits->iterations)
            return PL__STOP_ITERATIONS;
        double pq = s->apply(s->user, w->p, w->q);
        if (!is_finite(pq))
            return PL__STOP_NOT_FINITE;
        if (pq <= 0)
            return PL__STOP_INDEFINITE;
        double next = advance(ctx, s, w, x, rz / pq);
        ++*iterations;
        if (!is_finite(next))
            return PL__STOP_NOT_FINITE;
        pl__axpby(ctx, 1, w->z, next / rz, w->p, s->count, s->some);
        rz = next;
    }
    return PL__STOP_CONVERGED;
}

pl__cg_info pl__cg_solve(pl_context *ctx, const pl__cg_system *s, const pl__cg_limits *limits, const double *b, double *x,
                         const pl__cg_work *w)
{
    pl__cg_info info = {0};
    double rz = true_residual(ctx, s, w, b, x);
    info.first_residual = info.residual = sqrt(fabs(rz));
    if (!is_finite(rz))
    {
        info.stop = PL__STOP_NOT_FINITE;
        return info;
    }
    double target = fmax(limits->tolerance * info.first_residual, limits->floor);
    for (int restart = 0; rz > target * target; ++restart)
    {
        double before = rz;
        info.stop = iterate(ctx, s, limits, target * target, rz, x, w, &info.iterations);
        if (s->exact && info.stop == PL__STOP_ITERATIONS) // exact products are dear, and nothing is left to decide
        {
            info.residual = sqrt(fabs(pl__dot(ctx, w->r, w->z, s->count, s->some, w->partial)));
            return info;
        }
        rz = true_residual(ctx, s, w, b, x);
        info.residual = sqrt(fabs(rz));
        if (info.stop != PL__STOP_CONVERGED || rz <= target * target)
            return info;
        info.stop = PL__STOP_STAGNATED;
        if (restart == MAX_RESTARTS || rz > 0.25 * before)
            return info;
    }
    info.stop = PL__STOP_CONVERGED;
    return info;
}
