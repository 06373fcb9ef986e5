// src/fluid/volume.h -- balance of volume: what the level set loses or makes up in a cell, and how that is paid back.
//
// A flow without divergence conserves volume, a level set does not. So the volume is counted twice: V o, with V the
// part of a cell with phi < 0 and o the part of it that solids leave open; and the volume that has flowed through its
// faces. The difference is kept as the residual r of the cell [parts of a cell]: liquid that is owed to it (r > 0), or
// that it has too much. With w the open part of a face, n outward and theta the part of what flows through it that is
// liquid,
//
//     o' = o + dt/h sum (1-w) us.n        1 if all faces are open, 0 if all are closed
//     r' + V' o' = r + V o - dt/h sum w u.n (theta + c r of the donor)
//
// so that sum (V o + r) over a closed box does not change, whatever phi and solids do: fluxes go from cell to cell. o
// follows the same closed faces as the projection, so a submerged solid that moves leaves no residual behind.
//
// The room of a cell. o begins with the volume that a cell has for its liquid. Solids that the faces resolve cover a
// part of it, o = 1/2 + d / h with d the distance of its center. A thin part closes the faces between cells whose
// centers it parts, so there it is the border of the two cells: where it crosses the way from a center through a side
// at the fraction t, at an angle with cos^2 = c of its normal to the way,
//
//     o = 1 + sum over closed sides (t - 1/2) c.
//
// For a plane, whose distance is d, that is 1 + sum_a (d |n_a| / h - n_a^2 / 2): its rate is what flows through the
// closed faces, with their whole area, and the sum over a row of cells is the volume before the plane. At the moment
// when it reaches the center o is 1/2. Then the cell is on the other side: its room with what is in it goes to the cell
// before the wall, which has 1 then and 3/2 after that, and the cell behind the wall hands as much to it. So no volume
// jumps while a wall goes from cell to cell.
//
// Tall cells are full, V = 1, and o is the mean of their rows; what they are owed goes to the uniform cell above.
// Divergence that the projection leaves is a residual, too.
//
// A residual near the surface is paid back by a shift of phi (volume_correction.h). Deeper down it is paid as
// divergence of its own cell by the projection; that flux is counted like any other, so nothing else has to be kept.
//
// So r leaves a cell in two ways in a step, paid, a part p of it, which is the divergence of the flow over r, and
// carried with what flows out, c a with a = dt/h sum max(w u.n, 0), which may be more than 1 in a step of one cell:
// what flows along a diagonal leaves through two faces. With c = min(1, (1 - p) / a) no cell gives more than it has,
// and
//
//     sum |r'| <= sum (|1 - p - c a| + c a) |r| <= sum |r|.
//
// With c = 1 residuals of alternating sign grow where p + 2 a > 2: a bar that spins owed 70 times what a cell holds to
// some cells. With less than that everywhere they stay behind: jets that climb a wall owed three times as much.
#ifndef PL_FLUID_VOLUME_H
#define PL_FLUID_VOLUME_H

#include "base/arena.h"
#include "boundary.h"
#include "levelset.h"
#include "outside.h"

typedef struct pl__balance
{
    const pl__grid *grid;
    const pl__boundary *boundary; // of the grid
    const double *u[3];           // that has moved phi
    const double *before, *after; // phi, on this grid
    const double *part;           // [numbers of cells] V, r and o before the step
    const double *residual;
    const double *open;
    double far;                 // of phi [m]
    double dt;                  // [s]
    const pl__outside *outside; // NULL: all sides are walls
    double **flux;              // [3][numbers of faces] room for what flows through them [cells]; NULL: none is kept
} pl__balance;

// The part of a cell below a plane at `distance` above its center, about.
static inline double pl__open_part(double distance, double h)
{
    double part = 0.5 + distance / h;
    return part < 0 ? 0 : part < 1 ? part : 1;
}

// Part of a box on which value + g . x < 0, x from its center; edge = |g_k| times its k-th edge.
double pl__part_below(double value, const double edge[3]);

// The room o of uniform cell (column, j) with number n; 0 for closed ones.
double pl__volume_room(const pl__columns *cell, const pl__boundary *boundary, const pl__obstacles *obstacles,
                       int32_t column, int32_t j, int32_t n);
// As much as it may be: through each side that a thin part closes half a cell more, and a cell, as liquid follows the
// motion of solids a step later.
double pl__volume_most_room(unsigned sides);
// Of all cells [numbers of cells]; 1 for tall ones.
void pl__volume_open(const pl__columns *cell, const pl__boundary *boundary, const pl__obstacles *obstacles,
                     double *open);
// The sum of V o [m^3].
double pl__volume_sum(const pl__columns *cell, const double *part, const double *open);

// V, r and o after a step. Residuals of tall cells stay 0, but where there is no uniform cell beside. Arrays may be
// the same. What has come in through open sides
// is added to `entered` [m^3]. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__volume_balance(pl_context *ctx, const pl__balance *b, pl__arena *scratch, double *part,
                                          double *residual, double *open, double *entered);

// Divergence that pays residuals of liquid that is not `near` the surface back [1/s], in the time that a cell takes at
// `speed` [m/s]: what is paid flows no faster than the liquid does, however short the step is. The others are paid by
// the surface (volume_correction.h).
void pl__volume_payment(pl_context *ctx, const pl__columns *cell, const uint8_t *liquid, const uint8_t *near,
                        const double *residual, double speed, double dt, double *divergence);

#endif
