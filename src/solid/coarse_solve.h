// src/solid/coarse_solve.h -- solves of a step, with diagonal blocks or with multigrid, whichever costs less.
#ifndef PL_SOLID_COARSE_SOLVE_H
#define PL_SOLID_COARSE_SOLVE_H

#include "solids.h"

// How fast solves of this step were.
typedef struct pl__solve_tally
{
    double iterations, digits; // that the residual has lost
} pl__solve_tally;

// What the solves of a step know of each other. It begins with zeros in every step: a step depends on its state alone.
typedef struct pl__coarse_solve
{
    pl_context *ctx;
    pl__block_multigrid *multigrid; // NULL: blocks only
    pl__multigrid_system system;    // the present one
    bool made;                      // multigrid has matrices of this step
    bool stale;                     // the system has changed since
    double per_digit;               // iterations per digit when they were made
    pl__solve_tally blocks, cycles;
} pl__coarse_solve;

// pl__cg_solve with that choice; `cg` brings the blocks.
pl__cg_info pl__coarse_solve_run(pl__coarse_solve *solve, const pl__cg_system *cg, const pl__cg_limits *limits,
                                 const double *b, double *x, const pl__cg_work *work);

#endif
