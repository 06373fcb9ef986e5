// src/sparse/minres.c -- minimal residuals for symmetric positive semidefinite systems, singular ones too.
//
// Of all x in the Krylov space MINRES takes the one with the smallest residual, in the norm of the preconditioner K.
// For semidefinite A that is the method of conjugate residuals, which needs no Lanczos vectors and has the residual
// at hand, so that each equation can be asked how well it holds:
//
//     z = K^-1 r,  w = A z,  beta = z.w / (z.w of before)
//     p = z + beta p,  q = w + beta q                          q = A p
//     alpha = z.w / (q . K^-1 q)
//     x += alpha p,  r -= alpha q.
//
// Why not conjugate gradients: they divide by p.Ap, which vanishes where A is singular along p, and their residual
// rises and falls. Here the residual never rises; if b is not in the range of A, z.w goes to zero with what can be
// removed, the iteration stops there, and x is a least squares solution.
//
// Paige & Saunders 1975; Stiefel 1955 for this form.
#include "minres.h"

#include <math.h>

// clang-format off
//                   value   unit  derivation                                                                           pinned by
#define EXHAUSTED    1e-26   // 1  z.w over z.r with what A scales by: below it A z is round-off of z, squared; chosen  tests/minres.c inconsistent_systems_end
// clang-format on

typedef struct
{
    const pl__minres_system *system;
    const pl__minres_work *work;
    double *x;
    double alpha, beta;
} job;

// z = K^-1 r; returns z.r
static double precondition(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__minres_work *w = j->work;
    double sum = 0;
    for (int32_t i = begin; i < end && i < j->system->count; ++i)
    {
        w->z[i] = j->system->inverse_diagonal[i] * w->r[i];
        sum += w->z[i] * w->r[i];
    }
    return sum;
}

// p = z + beta p, q = w + beta q; returns q . K^-1 q
static double find_direction(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__minres_work *w = j->work;
    double sum = 0;
    for (int32_t i = begin; i < end && i < j->system->count; ++i)
    {
        w->p[i] = w->z[i] + j->beta * w->p[i];
        w->q[i] = w->w[i] + j->beta * w->q[i];
        sum += w->q[i] * w->q[i] * j->system->inverse_diagonal[i];
    }
    return sum;
}

// x += alpha p, r -= alpha q
static void advance(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    const pl__minres_work *w = j->work;
    for (int32_t i = begin; i < end && i < j->system->count; ++i)
    {
        j->x[i] += j->alpha * w->p[i];
        w->r[i] -= j->alpha * w->q[i];
    }
}

// The largest scaled residual of a chunk into its place in `partial`; NaN stays.
static void find_largest(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    double most = 0;
    for (int32_t i = begin; i < end; ++i)
    {
        double off = j->system->inverse_diagonal[i] > 0 ? fabs(j->system->scale[i] * j->work->r[i]) : 0;
        most = off <= most || most != most ? most : off;
    }
    j->work->partial[begin / PL_VECTOR_CHUNK] = most;
}

static double residual(pl_context *ctx, const job *j)
{
    int32_t chunks = pl__chunk_count(j->system->count, PL_VECTOR_CHUNK);
    double most = 0;
    pl__parallel_for(ctx, j->system->count, PL_VECTOR_CHUNK, find_largest, (void *)j);
    for (int32_t i = 0; i < chunks; ++i)
        most = j->work->partial[i] <= most || most != most ? most : j->work->partial[i];
    return most;
}

static double sum_over(pl_context *ctx, pl__reduce_function *term, const job *j)
{
    return pl__parallel_sum(ctx, j->system->count, PL_VECTOR_CHUNK, term, (void *)j, j->work->partial);
}

static bool is_converged(const pl__minres_limits *limits, const pl__minres_info *info, double zr, double first2)
{
    return info->residual <= limits->floor ||
           (info->residual <= limits->most && zr <= limits->tolerance * limits->tolerance * first2);
}

pl__minres_info pl__minres_solve(pl_context *ctx, const pl__minres_system *s, const pl__minres_limits *limits,
                                 double *x, const pl__minres_work *w)
{
    job j = {.system = s, .work = w, .x = x};
    for (int32_t i = 0; i < s->count; ++i)
        x[i] = w->p[i] = w->q[i] = 0;
    pl__minres_info info = {.first_residual = residual(ctx, &j)};
    double zr = sum_over(ctx, precondition, &j), first2 = zr, before = 0;
    info.residual = info.first_residual;
    while (!(info.converged = is_converged(limits, &info, zr, first2)) && info.iterations < limits->iterations)
    {
        s->apply(s->user, w->z, w->w);
        double zw = pl__dot(ctx, w->z, w->w, s->count, NULL, w->partial);
        j.beta = before > 0 ? zw / before : 0;
        double qq = sum_over(ctx, find_direction, &j);
        if (!(zw > EXHAUSTED * zr && qq > 0)) // the rest of r is not in the range of A
            break;
        j.alpha = zw / qq;
        pl__parallel_for(ctx, s->count, PL_VECTOR_CHUNK, advance, &j);
        before = zw;
        ++info.iterations;
        info.residual = residual(ctx, &j);
        zr = sum_over(ctx, precondition, &j);
    }
    return info;
}
