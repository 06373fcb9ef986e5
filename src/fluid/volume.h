// src/fluid/volume.h -- balance of volume: what the level set loses or makes up in a cell, and how that is paid back.
//
// A flow without divergence conserves volume, a level set does not. So the volume is counted twice: V, the part of a
// cell with phi < 0, and the volume that has flowed through its faces. The difference is kept as the residual r of the
// cell [parts of a cell]: liquid that is owed to it (r > 0), or that it has too much. With o the part of the cell that
// solids leave open, w that of a face, n outward,
//
//     r' + V' (o + dt/h sum (1-w) us.n) = r + V o - dt/h sum w u.n (theta + r_donor)
//
// so that sum (V o + r) over a closed box does not change, whatever phi does: fluxes go from cell to cell. theta is the
// part of what flows through a face that is liquid. A residual is paid back as divergence of its own cell by the
// projection; that flux is counted like any other, so nothing else has to be kept. Divergence that the projection
// leaves is a residual, too, and paid back likewise.
#ifndef PL_FLUID_VOLUME_H
#define PL_FLUID_VOLUME_H

#include "base/arena.h"
#include "boundary.h"
#include "levelset.h"

typedef struct pl__balance
{
    const pl__grid *grid;
    const pl__boundary *boundary; // of the grid
    const double *u[3];           // that has moved phi
    const double *before, *after; // phi, on this grid
    double far;                   // of phi [m]
    double dt;                    // [s]
} pl__balance;

// The part of a cell that is open, by the distance of its center to solids.
static inline double pl__open_part(double distance, double h)
{
    double part = 0.5 + distance / h;
    return part < 0 ? 0 : part < 1 ? part : 1;
}

// Part of a box on which value + g . x < 0, x from its center; edge = |g_k| times its k-th edge.
double pl__part_below(double value, const double edge[3]);

// Residuals after a step, from those before it; numbers of tall cells are 0. Arrays may be the same.
// PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__volume_balance(pl_context *ctx, const pl__balance *b, pl__arena *scratch,
                                          const double *residual, double *result);

// Volume of the open liquid [m^3].
PL_NODISCARD pl_status pl__volume_of(pl_context *ctx, const pl__levelset *ls, const pl__boundary *boundary,
                                     pl__arena *scratch, double *volume);

// Move residuals of cells of air to liquid beside them, or towards it, and even them out between neighbours. `liquid`
// [numbers of cells]: has a pressure. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__volume_settle(const pl__grid *grid, const pl__boundary *boundary, const uint8_t *liquid,
                                         const double *phi, pl__arena *scratch, double *residual);

// Divergence that pays residuals back [1/s].
void pl__volume_payment(const pl__columns *cell, const uint8_t *liquid, const double *residual, double dt,
                        double *divergence);

#endif
