// src/sparse/column_solver.h -- conjugate gradients for systems in columns, preconditioned by multigrid.
//
//     pl__column_solver *solver;
//     PL_TRY(pl__column_solver_create(ctx, &solver));
//     // every step, whose matrix is new:
//     PL_TRY(pl__column_solver_setup(solver, &system, PL__PRECONDITION_MULTIGRID));
//     PL_TRY(pl__column_solver_solve(solver, &limits, b, x, &info)); // x: the guess, then the solution
//
// The solver keeps its memory: a system that is not larger than earlier ones allocates nothing, from the second setup
// of the largest on.
#ifndef PL_SPARSE_COLUMN_SOLVER_H
#define PL_SPARSE_COLUMN_SOLVER_H

#include "cg.h"
#include "column_system.h"

typedef enum pl__precondition
{
    PL__PRECONDITION_MULTIGRID,
    PL__PRECONDITION_INCOMPLETE_CHOLESKY,
    PL__PRECONDITION_JACOBI
} pl__precondition;

typedef struct pl__column_limits
{
    double tolerance;    // largest |r_i| scale_i of the true residual r = b - A x
    const double *scale; // [count] or NULL: 1
    int32_t iterations;
} pl__column_limits;

typedef struct pl__column_info
{
    pl__stop stop;
    int32_t iterations;
    double first_residual, residual; // true, of the guess and of the solution, as `tolerance` measures it
} pl__column_info;

typedef struct pl__column_solver pl__column_solver;

pl_status pl__column_solver_create(pl_context *ctx, pl__column_solver **solver);
void pl__column_solver_destroy(pl__column_solver **solver); // NULL is allowed

// Prepare for solves with `system`, whose arrays must stay unchanged until the next setup. PL_OK or PL_ERR_MEMORY:
// then nothing can be solved before another setup.
pl_status pl__column_solver_setup(pl__column_solver *solver, const pl__column_system *system,
                                  pl__precondition precondition);

// The system of the last setup stands elsewhere in memory, with the same entries: its preconditioner stays.
void pl__column_solver_move(pl__column_solver *solver, const pl__column_system *system);

// Points of the system have been taken out since the setup, their rows and columns set to 0, or they were 0 then and
// have been brought back: all those that differ from the setup, which must stay as long as there are solves. The
// preconditioner is not made anew: it does nothing for those that are out, and has the inverse of the diagonal for
// those that are back. It stays positive definite, and costs iterations where many change.
void pl__column_solver_change(pl__column_solver *solver, const int32_t *changed, int32_t count);

// Solve A x = b from the guess x. What has a row and a column of zeros, and 0 in b, stays as it is. A may be singular
// if b has no part in its null space. What stops early is told by `info`, and x is then the best so far. PL_OK,
// PL_ERR_MEMORY, or PL_ERR_STATE without a setup; x is then unchanged.
pl_status pl__column_solver_solve(pl__column_solver *solver, const pl__column_limits *limits, const double *b,
                                  double *x, pl__column_info *info);

// z = B r with the preconditioner B; z [count + 16].
pl_status pl__column_solver_precondition(pl__column_solver *solver, const double *r, float *z);

#endif
