// src/fluid/sample.h -- interpolation of a lattice at many points.
#ifndef PL_FLUID_SAMPLE_H
#define PL_FLUID_SAMPLE_H

#include "base/cpu.h"
#include "columns.h"

enum
{
    PL__SAMPLE_GROUP = 8 // points at a time, whatever the registers
};

// Values at `count` points, a multiple of a group; and the lowest and highest of the samples around each, unless `low`
// is NULL. Points whose samples are not all in main runs have 1 in `left`, and no value. Returns whether there are any.
PL_KERNEL_DECLARE(int, pl__sample_groups,
                  (const pl__columns *c, const double *value, int32_t count, const double *const x[3], double *result,
                   double *low, double *high, uint8_t *left));
// The same of three lattices, of the faces of a grid.
PL_KERNEL_DECLARE(int, pl__velocity_groups,
                  (const pl__columns face[3], const double *const u[3], int32_t count, const double *const x[3],
                   double *const v[3], uint8_t *const left[3]));

// pl__columns_sample at `count` points, 0 where there is no number; and the bounds of the samples around them, if
// `low` and `high` are not NULL.
void pl__sample(pl_context *ctx, const pl__columns *c, const double *value, int32_t count, const double *const x[3],
                double *result, double *low, double *high);

// The same of main runs only: other points have 1 in `left` [count], and no value.
void pl__sample_main(pl_context *ctx, const pl__columns *c, const double *value, int32_t count,
                     const double *const x[3], double *result, uint8_t *left);

// The three components of a velocity on the faces of a grid.
void pl__sample_velocity(pl_context *ctx, const pl__columns face[3], const double *const u[3], int32_t count,
                         const double *const x[3], double *const v[3]);

// Weights of the four samples around a part t of the way from the second to the third.
static inline void pl__catmull_rom(double t, double w[4])
{
    w[0] = 0.5 * t * (-1 + t * (2 - t));
    w[1] = 1 + 0.5 * t * t * (-5 + 3 * t);
    w[2] = 0.5 * t * (1 + t * (4 - 3 * t));
    w[3] = 0.5 * t * t * (t - 1);
}

// By Catmull-Rom splines through four samples along each axis, of main runs only: other points have 1 in `left`.
PL_KERNEL_DECLARE(void, pl__sample_cubic,
                  (const pl__columns *c, const double *value, int32_t count, const double *const x[3], double *result,
                   uint8_t *left));

#endif
