// src/solid/coarse_solve.h -- solves of a step, with diagonal blocks or with multigrid, whichever costs less.
#ifndef PL_SOLID_COARSE_SOLVE_H
#define PL_SOLID_COARSE_SOLVE_H

#include "solids.h"

// What the solves of a step know of each other. It begins anew with every step: a step depends on its state alone.
typedef struct pl__coarse_solve
{
    pl_context *ctx;
    pl__block_multigrid *multigrid; // NULL: blocks only
    pl__multigrid_system system;    // the present one
    bool chosen;                    // a solve of this step has paid for multigrid
    bool stale;                     // the system has changed since its matrices were made
    double per_digit;               // iterations per digit of the residual, when they were
} pl__coarse_solve;

// pl__cg_solve with that choice; `cg` brings the blocks.
pl__cg_info pl__coarse_solve_run(pl__coarse_solve *solve, const pl__cg_system *cg, const pl__cg_limits *limits,
                                 const double *b, double *x, const pl__cg_work *work);

#endif
