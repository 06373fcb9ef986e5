// src/solid/coarse_solve.c -- solves of a step, with diagonal blocks or with multigrid, whichever costs less.
//
// An iteration with diagonal blocks is cheap; one with a cycle of multigrid costs as much as PL__MULTIGRID_CYCLE of
// them, and its matrices, once, as much as PL__MULTIGRID_REFRESH. A solve begins with blocks. Every so often its rate
// so far tells how many more iterations it will take; if multigrid would cost less, that takes over, from the residual
// that has been reached, and begins all further solves of the step. Soft, small and well-begun solves never pay for it.
//
// The matrices serve on while the system changes, by other contacts or in the next iteration of Newton's method, until
// a solve takes half as many iterations again per digit as when they were made, and making them anew costs less.
//
// Nothing is remembered between steps: then steps from a snapshot have the bits of those that were never interrupted.
#include "coarse_solve.h"
#include "tolerances.h"

#include <math.h>

static void precondition(void *argument, const double *r, double *z)
{
    const pl__coarse_solve *c = argument;
    pl__block_multigrid_apply(c->ctx, c->multigrid, &c->system, r, z);
}

// What is left of a solve that stopped for being slow.
static pl__cg_limits rest_of(const pl__cg_limits *limits, const pl__cg_info *so_far)
{
    return (pl__cg_limits){.floor = fmax(limits->tolerance * so_far->first_residual, limits->floor),
                           .iterations = limits->iterations - so_far->iterations};
}

static void add_up(pl__cg_info *total, const pl__cg_info *more)
{
    total->stop = more->stop;
    total->iterations += more->iterations;
    total->residual = more->residual;
}

// Begin with blocks, or with what the last solves have chosen.
static pl__cg_info begin(pl__coarse_solve *c, pl__cg_system *cg, const pl__cg_limits *limits, const double *b,
                         double *x, const pl__cg_work *work)
{
    pl__cg_limits here = *limits;
    if (!c->chosen)
    {
        here.look = PL__MULTIGRID_LOOK;
        here.patience = PL__MULTIGRID_REFRESH + PL__MULTIGRID_CYCLE * PL__MULTIGRID_START;
        here.patience_per_digit = PL__MULTIGRID_CYCLE * PL__MULTIGRID_DIGIT;
        return pl__cg_solve(c->ctx, cg, &here, b, x, work);
    }
    cg->precondition = precondition;
    cg->preconditioner = c;
    if (c->stale)
    {
        here.look = PL__MULTIGRID_STALE_LOOK;
        here.patience = PL__MULTIGRID_REFRESH / PL__MULTIGRID_CYCLE;
        here.patience_per_digit = PL__MULTIGRID_STALE * c->per_digit;
    }
    return pl__cg_solve(c->ctx, cg, &here, b, x, work);
}

// With new matrices.
static pl__cg_info go_on(pl__coarse_solve *c, pl__cg_system *cg, const pl__cg_limits *limits, const double *b,
                         double *x, const pl__cg_work *work)
{
    pl__block_multigrid_refresh(c->ctx, c->multigrid, &c->system);
    c->chosen = true;
    c->stale = false;
    cg->precondition = precondition;
    cg->preconditioner = c;
    pl__cg_info info = pl__cg_solve(c->ctx, cg, limits, b, x, work);
    double digits = log10(info.first_residual / info.residual);
    c->per_digit = digits > 1 ? info.iterations / digits : PL__MULTIGRID_DIGIT;
    return info;
}

pl__cg_info pl__coarse_solve_run(pl__coarse_solve *c, const pl__cg_system *given, const pl__cg_limits *limits,
                                 const double *b, double *x, const pl__cg_work *work)
{
    if (!c->multigrid)
        return pl__cg_solve(c->ctx, given, limits, b, x, work);
    pl__cg_system cg = *given;
    pl__cg_info info = begin(c, &cg, limits, b, x, work), more;
    if (info.stop == PL__STOP_SLOW)
    {
        pl__cg_limits rest = rest_of(limits, &info);
        more = go_on(c, &cg, &rest, b, x, work);
        add_up(&info, &more);
    }
    if (info.stop == PL__STOP_INDEFINITE && cg.precondition) // round-off of cycles: blocks always serve
    {
        pl__cg_limits rest = rest_of(limits, &info);
        c->chosen = false;
        more = pl__cg_solve(c->ctx, given, &rest, b, x, work);
        add_up(&info, &more);
    }
    return info;
}
