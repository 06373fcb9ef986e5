// src/fluid/volume_correction.h -- the surface goes where the count of volume says that it is.
//
// A residual r (volume.h) is liquid that a cell has and phi does not show, or less than it shows. Within some cells of
// the surface, counted through open faces, it goes there, and evens out between neighbours. There phi is shifted,
// in each cell by what is owed around it over the area A of the surface around it,
//
//     phi -= s,   s = 1/2 sum w r / sum w A,   A = h^2 max(0, 1 - |phi| / h),   w = 2 for the cell, 1 for its neighbours,
//
// |s| <= h / 20, and r loses what the part of the cell with phi < 0 gains: sum (V o + r) stays to round-off. Four such
// shifts a step leave a quarter of what dam breaks owed when residuals were paid back as divergence by the projection,
// and give liquid no energy: divergence beside a pocket of air, which has no pressure, is a pump. Longer shifts or all
// of s at once answer to errors of the count that the next step takes back. Markers stay: what they pull back within a
// step is less than what moving them too costs. Cells that are too deep for this are still paid by the projection.
// What is owed within the tolerance of the projection is not paid: the pressure would not notice that the surface has
// moved, and water at rest would begin to move.
//
// A loan moves the whole surface by one s, so that the volume is right at once: surfaces elsewhere lend what is owed to
// a splash, some hundredths of a cell, and get it back as that is paid.
#ifndef PL_FLUID_VOLUME_CORRECTION_H
#define PL_FLUID_VOLUME_CORRECTION_H

#include "base/arena.h"
#include "boundary.h"
#include "levelset.h"
#include "separation.h"

enum
{
    PL__CORRECTION_BAND = 4 // cells from the surface whose residuals go there
};

typedef struct pl__volume_correction
{
    const pl__grid *grid;
    const pl__boundary *boundary;  // of the grid
    double far;                    // of phi [m]
    double tolerance;              // of the projection: divergence times step that it leaves
    const double *open;            // [numbers of cells] o
    double *phi, *part, *residual; // [numbers of cells]
    const uint8_t *grip; // [numbers of cells] what is owed to cells that are apart stays (separation.h); or NULL
} pl__volume_correction;

// `near` [numbers of cells] tells which cells have been looked after: they are near enough. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__volume_correct(pl_context *ctx, const pl__volume_correction *v, pl__arena *scratch,
                                          uint8_t *near);
// Make the sum of V o `due` [m^3], as far as a shift of h / 20 goes. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__volume_lend(pl_context *ctx, const pl__volume_correction *v, pl__arena *scratch, double due);

#endif
