// src/fluid/regrid.h -- which cells are uniform, which are tall, and which are none (thesis 5.3.1).
//
// Uniform: within `air` cells of the surface, on both sides, and in liquid down to `depth` cells from it and in a set
// `moving` (detail.h); where a set `detail` asks for it (around sources). Tall: the rest of the liquid. Cells deep
// inside rock are left out: uniform ones in `buried`, and tall ones in `rock`, so that tall cells end at the ground.
#ifndef PL_FLUID_REGRID_H
#define PL_FLUID_REGRID_H

#include "grid.h"
#include "row_set.h"

typedef struct pl__regrid
{
    int32_t air;                      // cells on either side of the surface
    int32_t depth;                    // cells of liquid below it; INT32_MAX: no tall cells
    const pl__row_set *detail;        // or NULL
    const pl__row_set *moving;        // or NULL
    const pl__row_set *rock, *buried; // or NULL
} pl__regrid;

typedef struct pl__regrid_work
{
    pl__row_set surface, liquid, uniform, tall, scratch[3];
} pl__regrid_work;

void pl__regrid_work_done(pl_context *ctx, pl__regrid_work *work);

// Make `to` for the liquid phi < 0 of `from`. PL_ERR_MEMORY leaves `to` empty.
PL_NODISCARD pl_status pl__regrid_make(pl_context *ctx, const pl__regrid *how, const pl__columns *from,
                                       const double *phi, pl__regrid_work *work, pl__grid *to);

#endif
