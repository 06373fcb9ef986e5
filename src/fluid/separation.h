// src/fluid/separation.h -- liquid that leaves walls.
//
// A wall pushes liquid and does not pull it: with v the volume that opens between a wall and the liquid in a cell,
//
//     0 <= p,   0 <= v + dt D u,   p (v + dt D u) = 0        (Batty, Bertails & Bridson 2007)
//
// in cells at walls that are connected to air; others have D u = 0 as ever. The matrix of the pressure is an M-matrix,
// so that the set of cells with p = 0 is found by its primal-dual iteration (pressure.c; Hintermueller, Ito & Kunisch
// 2002), which begins with that of the last step. Liquid without air, as in a box that is full, has no pressure to
// compare with, and stays.
//
// A gap thinner than half a cell lies between the last sample of phi and the wall, where phi cannot show it. But the
// count of volume (volume.h) has it: during a step such a cell is owed minus the volume of the gap. That stays with the
// cell until the gap reaches the center, and then phi shows it; at the end of a step it is taken off the part V of the
// cell, so that volumes are right.
//
// With surface tension air enters a gap as wide as a cell only against 2 tension / h, so that liquid bears so much
// suction: drops hang, and capillary waves stay at their walls.
//
// Cells that have left their wall are known by q = 0, which liquid with a pressure never has.
//
// What it does badly: tall cells do not leave walls. Air pressure counts as that of a vacuum, so that liquid bears no
// suction at all; real water bears that of 10 m where no air gets in.
#ifndef PL_FLUID_SEPARATION_H
#define PL_FLUID_SEPARATION_H

#include "boundary.h"
#include "levelset.h"

// For cells that may leave walls.
typedef enum pl__grip
{
    PL__GRIP_FAST,  // not at a wall
    PL__GRIP_WALL,  // at a wall that presses
    PL__GRIP_APART, // has left it: p = 0
} pl__grip;

typedef struct pl__separation
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const double *open; // [numbers of cells] (volume.h)
    double *q;          // [numbers of cells]
    double *phi, *part, *residual;
    double far; // of phi [m]
} pl__separation;

// What liquid in each cell is: `grip` [numbers of cells].
void pl__separation_find(pl_context *ctx, const pl__separation *s, uint8_t *grip);

// Where a solid has left liquid behind, phi in its cells and in those that it covered before, `was` [numbers of cells]
// the distance then.
void pl__separation_uncover(const pl__separation *s, const double *was);

// Gaps that have reached the centers of their cells are shown by phi; their cells are no longer `apart`.
// PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__separation_show(pl_context *ctx, const pl__separation *s, pl__arena *scratch, uint8_t *grip);

// The volume of the others [m^3].
double pl__separation_gaps(const pl__separation *s, const uint8_t *grip);

// Divergence of cells that are apart: as much as closes their gap at once [1/s]. What is no longer `liquid` is fast.
// Liquid that `wets` walls must be torn off them in every step: it begins at the wall.
void pl__separation_allow(const pl__separation *s, const uint8_t *liquid, double dt, bool wets, uint8_t *grip,
                          double *divergence);

// Beside a wall that it has left, liquid goes as it does on the other side of the cell.
void pl__separation_release(const pl__separation *s, const uint8_t *grip, const uint8_t *liquid, double *const u[3]);

// Gaps are no longer owed, but taken off the parts of cells.
void pl__separation_settle(const pl__separation *s, const uint8_t *grip);

#endif
