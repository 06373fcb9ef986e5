// src/sparse/cg.h -- conjugate gradients with constraints, in the mass metric.
#ifndef PL_SPARSE_CG_H
#define PL_SPARSE_CG_H

#include "constraint.h"
#include "vector.h"
#include <pliant/base.h>

typedef enum pl__stop
{
    PL__STOP_CONVERGED,  // the true residual is below the tolerance
    PL__STOP_STAGNATED,  // round-off: the true residual no longer falls
    PL__STOP_ITERATIONS, // iteration limit
    PL__STOP_SLOW,       // see pl__cg_limits
    PL__STOP_INDEFINITE, // the operator is not positive definite on the search direction, or the preconditioner
    PL__STOP_NOT_FINITE
} pl__stop;

// A x = b with A = M + a symmetric positive semidefinite matrix whose forces sum to zero.
typedef struct pl__cg_system
{
    int32_t count;              // unknowns, 3 per node
    const double *inverse_mass; // [count] per component
    const double *block;        // [2 count] or NULL: block Jacobi preconditioner instead, per node the inverse of its
                                // block of A, xx yy zz xy xz yz
    double (*apply)(void *user, const double *in, double *out); // out = A in; returns in . out
    void *user;
    const pl__constraints *constraints; // may be NULL
    const pl__some *some;               // ranges of the vectors outside of which everything is constrained; NULL: all
    double (*exact)(void *user, const double *in,
                    double *out); // exact product, if `apply` is approximate; NULL: it is exact
    // Beside the blocks, as a preconditioner and in the norm: z += C r, symmetric and positive semidefinite, which
    // returns r . C r. NULL: none. Needs `block` and all of the vectors.
    double (*coarse)(void *user, const double *r, double *z);
    // z = B r with a better preconditioner than the blocks, within the constraints, symmetric and positive definite;
    // NULL: none. The blocks still measure residuals. Needs `block` and all of the vectors.
    void (*precondition)(void *preconditioner, const double *r, double *z);
    void *preconditioner;
} pl__cg_system;

typedef struct pl__cg_limits
{
    double tolerance; // true residual relative to that of the initial guess
    double floor;     // absolute, in the preconditioner norm sqrt(r . z): converged below it
    int32_t iterations;
    // Every `look` iterations (0: never) the rate so far tells how many more it will take. Stop if that is more than
    // `patience` + `patience_per_digit` times the digits that the residual still has to lose.
    int32_t look;
    double patience, patience_per_digit;
} pl__cg_limits;

typedef struct pl__cg_info
{
    pl__stop stop;
    int32_t iterations;
    double first_residual,
        residual; // true, in that norm; with `exact`, that of the recurrence if the iteration limit was reached
} pl__cg_info;

typedef struct pl__cg_work
{
    double *r, *z, *p, *q; // [pl__vector_length(count)] padding zero; r is the true residual on return
    double *partial;       // [chunks]
} pl__cg_work;

// Improve x, which must satisfy the constraints, and whose momentum must be right already: every correction then has
// zero momentum, however early the iteration stops. Not with blocks, where the caller must restore momentum; blocks do
// not support links.
pl__cg_info pl__cg_solve(pl_context *ctx, const pl__cg_system *system, const pl__cg_limits *limits, const double *b,
                         double *x, const pl__cg_work *work);

#endif
