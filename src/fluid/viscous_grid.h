// src/fluid/viscous_grid.h -- the matrix of viscosity without a matrix, in single precision, and multigrid for it.
//
//     A = M + B^T f W (1 + b d d^T) B                                                  (viscosity.h)
//
// With t = sqrt(f W) slope, two for each edge and one for each axis of a cell, a row is a sum of differences of
// velocity times t, and a sum of those times t: nine numbers a cell are read, where a matrix has 45 and a list of
// samples 80. On padded columns (padded.h) there are no cases: beyond the liquid t is 0, and known velocities are
// corrections of 0. So sixteen rows go at a time.
//
// Multigrid. A coarse cell is eight cells. The energy of coarse velocities is that of the fine ones that they stand
// for, linear along their own axis and constant across it; where constants would put all shear into every second edge,
// twice too stiff, shear is spread over both. So a coarse matrix has the same form: its t^2 are sums of t^2 over
// volumes, over 4 as its slopes are half as large (over 2 where one of both faces is known: the wall is as near as it
// was), and its masses are sums. Rigid motions cost nothing on any level, and free surfaces stay free.
//
// Smoother: Chebyshev polynomials of D^-1 A, symmetric and the same for any number of threads. The largest eigenvalue
// is known: A is a sum over samples, and that of each sample with its own diagonal is 4 (an edge) or (2 + 6 b)/(1 + b)
// (a cell).
#ifndef PL_FLUID_VISCOUS_GRID_H
#define PL_FLUID_VISCOUS_GRID_H

#include "base/cpu.h"
#include "padded.h"

enum
{
    PL__VISCOUS_LEVELS = 12
};

typedef enum pl__viscous_face
{
    PL__FACE_NONE,
    PL__FACE_UNKNOWN,
    PL__FACE_KNOWN
} pl__viscous_face;

typedef struct pl__viscous_level
{
    pl__padded at;
    int32_t cells[3];
    float bulk;         // b
    float *stretch[3];  // [places] t of cells, along each axis
    float *shear[3][2]; // [places] t of edges along x, y, z: of the lower axis of their plane, and of the higher one
    float *mass[3];     // [places] of faces
    float *inverse[3];  // [places] of the diagonal; 0 where nothing is unknown
    uint8_t *face[3];   // [places] pl__viscous_face
    float *b[3], *x[3], *r[3], *d[3], *e[3]; // [places] of a cycle
} pl__viscous_level;

typedef struct pl__viscous_grid
{
    pl_context *ctx;
    int32_t level_count;
    pl__viscous_level level[PL__VISCOUS_LEVELS];
    float *x[3], *r[3], *p[3], *q[3]; // [places] of conjugate gradients
    double *partial;                  // [tasks]
} pl__viscous_grid;

// Take memory for the finest level, whose `at` and `cells` are set: everything else is 0.
PL_NODISCARD pl_status pl__viscous_begin(pl__arena *arena, pl__viscous_level *level);
// When stretch, shear, mass and face of the finest level have been filled: diagonals, and `multigrid` the other levels.
PL_NODISCARD pl_status pl__viscous_end(pl__arena *arena, pl__viscous_grid *grid, bool multigrid);

typedef enum pl__viscous_stop
{
    PL__VISCOUS_DONE,
    PL__VISCOUS_STUCK, // in round-off
    PL__VISCOUS_MOST_ITERATIONS,
    PL__VISCOUS_BROKEN // not finite or indefinite
} pl__viscous_stop;

// grid->x = A^-1 grid->r from 0, until the largest |r| is `tolerance`.
pl__viscous_stop pl__viscous_solve(pl__viscous_grid *grid, double tolerance, int32_t most, int32_t *iterations);

// ---- kernels, of columns [begin, end) ------------------------------------------------------------------------------

// q = A p on unknown faces; returns p.q.
PL_KERNEL_DECLARE(double, pl__viscous_product,
                  (const pl__viscous_level *v, float *const p[3], float *const q[3], int32_t begin, int32_t end));
// out = b - A x
PL_KERNEL_DECLARE(void, pl__viscous_residual,
                  (const pl__viscous_level *v, float *const b[3], float *const x[3], float *const out[3], int32_t begin,
                   int32_t end));
// r -= A d, e = keep d + scale D^-1 r, x += e
PL_KERNEL_DECLARE(void, pl__viscous_smooth,
                  (const pl__viscous_level *v, float keep, float scale, float *const d[3], float *const r[3],
                   float *const e[3], float *const x[3], int32_t begin, int32_t end));
// d = scale D^-1 r, x += d or, `first`, x = d
PL_KERNEL_DECLARE(void, pl__viscous_start,
                  (const pl__viscous_level *v, float scale, bool first, float *const r[3], float *const d[3],
                   float *const x[3], int32_t begin, int32_t end));
// x += alpha p, r -= alpha q; returns the largest |r|
PL_KERNEL_DECLARE(double, pl__viscous_advance,
                  (const pl__viscous_level *v, float alpha, float *const p[3], float *const q[3], float *const x[3],
                   float *const r[3], int32_t begin, int32_t end));
// r.z
PL_KERNEL_DECLARE(double, pl__viscous_dot,
                  (const pl__viscous_level *v, float *const r[3], float *const z[3], int32_t begin, int32_t end));
// p = z + beta p
PL_KERNEL_DECLARE(void, pl__viscous_turn,
                  (const pl__viscous_level *v, float beta, float *const z[3], float *const p[3], int32_t begin,
                   int32_t end));

#endif
