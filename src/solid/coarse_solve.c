// src/solid/coarse_solve.c -- solves of a step, with diagonal blocks or with multigrid, whichever costs less.
//
// An iteration with diagonal blocks is cheap; one with a cycle of multigrid costs as much as PL__MULTIGRID_CYCLE of
// them, and making its matrices as much as PL__MULTIGRID_REFRESH. A solve begins with what has cost less per digit of
// the residual in this step, at first with blocks. Every so often its rate so far tells how many more iterations it
// will take; if multigrid would cost less, that takes over, from the residual that has been reached. Soft, small and
// well-begun solves never pay for it.
//
// The matrices serve on while the system changes, by other contacts or in the next iteration of Newton's method, until
// a solve takes half as many iterations again per digit as when they were made, and making them anew costs less.
//
// Nothing is remembered between steps: steps from a snapshot have the bits of those that were never interrupted.
#include "coarse_solve.h"
#include "tolerances.h"

#include <math.h>

static void precondition(void *argument, const double *r, double *z)
{
    const pl__coarse_solve *c = argument;
    pl__block_multigrid_apply(c->ctx, c->multigrid, &c->system, r, z);
}

static double digits_of(const pl__cg_info *info)
{
    return info->residual > 0 && info->first_residual > 0 ? log10(info->first_residual / info->residual) : 0;
}

static pl__cg_info run(pl__coarse_solve *c, const pl__cg_system *given, bool by_cycles, const pl__cg_limits *limits,
                       const double *b, double *x, const pl__cg_work *work)
{
    pl__cg_system cg = *given;
    pl__solve_tally *tally = by_cycles ? &c->cycles : &c->blocks;
    if (by_cycles)
    {
        cg.precondition = precondition;
        cg.preconditioner = c;
    }
    pl__cg_info info = pl__cg_solve(c->ctx, &cg, limits, b, x, work);
    tally->iterations += info.iterations;
    tally->digits += digits_of(&info);
    return info;
}

static bool cycles_cost_less(const pl__coarse_solve *c)
{
    return c->made &&
           PL__MULTIGRID_CYCLE * c->cycles.iterations * c->blocks.digits <= c->blocks.iterations * c->cycles.digits;
}

// When to stop for new matrices, or for the first ones.
static pl__cg_limits with_patience(const pl__coarse_solve *c, bool by_cycles, const pl__cg_limits *limits)
{
    pl__cg_limits here = *limits;
    double per_digit = c->made ? c->per_digit : PL__MULTIGRID_DIGIT, matrices = c->stale ? PL__MULTIGRID_REFRESH : 0;
    if (by_cycles && c->stale)
    {
        here.look = PL__MULTIGRID_STALE_LOOK;
        here.patience = matrices / PL__MULTIGRID_CYCLE;
        here.patience_per_digit = PL__MULTIGRID_STALE * per_digit;
    }
    else if (!by_cycles)
    {
        here.look = PL__MULTIGRID_LOOK;
        here.patience = matrices + PL__MULTIGRID_CYCLE * PL__MULTIGRID_START;
        here.patience_per_digit = PL__MULTIGRID_CYCLE * per_digit;
    }
    return here;
}

// What is left of a solve that has stopped.
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

// By cycles, with new matrices if the system has changed.
static pl__cg_info go_on(pl__coarse_solve *c, const pl__cg_system *cg, const pl__cg_limits *limits, const double *b,
                         double *x, const pl__cg_work *work)
{
    bool fresh = c->stale || !c->made;
    if (fresh)
        pl__block_multigrid_refresh(c->ctx, c->multigrid, &c->system);
    c->made = true;
    c->stale = false;
    pl__cg_info info = run(c, cg, true, limits, b, x, work);
    double digits = digits_of(&info);
    if (fresh)
        c->per_digit = digits > 1 ? info.iterations / digits : PL__MULTIGRID_DIGIT;
    return info;
}

pl__cg_info pl__coarse_solve_run(pl__coarse_solve *c, const pl__cg_system *cg, const pl__cg_limits *limits,
                                 const double *b, double *x, const pl__cg_work *work)
{
    if (!c->multigrid)
        return pl__cg_solve(c->ctx, cg, limits, b, x, work);
    bool by_cycles = cycles_cost_less(c);
    pl__cg_limits here = with_patience(c, by_cycles, limits), rest;
    pl__cg_info info = run(c, cg, by_cycles, &here, b, x, work), more;
    if (info.stop == PL__STOP_SLOW)
    {
        rest = rest_of(limits, &info);
        more = go_on(c, cg, &rest, b, x, work);
        by_cycles = true;
        add_up(&info, &more);
    }
    if (info.stop == PL__STOP_INDEFINITE && by_cycles) // round-off of cycles: blocks always serve
    {
        rest = rest_of(limits, &info);
        more = run(c, cg, false, &rest, b, x, work);
        add_up(&info, &more);
    }
    return info;
}
