// src/sparse/minres.h -- minimal residuals for symmetric positive semidefinite systems, singular ones too.
#ifndef PL_SPARSE_MINRES_H
#define PL_SPARSE_MINRES_H

#include "vector.h"

// A x = b with A symmetric positive semidefinite.
typedef struct pl__minres_system
{
    int32_t count;
    const double *inverse_diagonal; // [count] preconditioner; 0 leaves an unknown and its equation out
    const double *scale;            // [count] the residual is measured as max |scale r|
    void (*apply)(void *user, const double *in, double *out); // out = A in
    void *user;
} pl__minres_system;

typedef struct pl__minres_limits
{
    double tolerance; // residual relative to that of x = 0, in the norm of the preconditioner, sqrt(r . K^-1 r)
    double most;      // and max |scale r| at most this
    double floor;     // converged if max |scale r| is below it
    int32_t iterations;
} pl__minres_limits;

typedef struct pl__minres_info
{
    bool converged;
    int32_t iterations;
    double first_residual, residual; // max |scale r| at x = 0 and at the end
} pl__minres_info;

// Vectors of pl__vector_length(count) doubles whose padding is zero.
typedef struct pl__minres_work
{
    double *r;             // b on entry; the residual of the recurrence on return
    double *z, *w, *p, *q; // scratch
    double *partial;       // [pl__chunk_count(count + PL_VECTOR_BLOCK, PL_VECTOR_CHUNK)]
} pl__minres_work;

// Solve for x from x = 0.
pl__minres_info pl__minres_solve(pl_context *ctx, const pl__minres_system *system, const pl__minres_limits *limits,
                                 double *x, const pl__minres_work *work);

#endif
