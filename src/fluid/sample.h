// src/fluid/sample.h -- interpolation of a lattice at many points.
#ifndef PL_FLUID_SAMPLE_H
#define PL_FLUID_SAMPLE_H

#include "base/cpu.h"
#include "columns.h"

enum
{
    PL__SAMPLE_BLOCK = 16 // points at a time, whatever the registers
};

// Values at PL__SAMPLE_BLOCK points; `bounds` (may be NULL: none): lowest and highest of the samples around each.
// Points whose samples are not all in main runs have 1 in `left`, and no value.
typedef struct pl__sample_block
{
    double x[3][PL__SAMPLE_BLOCK];
    double value[PL__SAMPLE_BLOCK], low[PL__SAMPLE_BLOCK], high[PL__SAMPLE_BLOCK];
    uint8_t left[PL__SAMPLE_BLOCK];
} pl__sample_block;
PL_KERNEL_DECLARE(void, pl__sample_block,
                  (const pl__columns *c, const double *value, bool bounds, pl__sample_block *block));

// pl__columns_sample at `count` points, 0 where there is no number; and the bounds of the samples around them, if
// `low` and `high` are not NULL.
void pl__sample(pl_context *ctx, const pl__columns *c, const double *value, int32_t count, const double *const x[3],
                double *result, double *low, double *high);

#endif
