// src/fluid/foam.h -- bubbles of entrained air, and the foam that they become: what makes broken water white.
//
// They are points without volume that the liquid does not feel. Where the surface is broken, air is drawn in: the
// fluctuation of velocity within a cell is about w = h |grad u|, and bubbles go under where it exceeds the speed at
// which they rise, W (Chanson 1996). Per time and cell at the surface,
//
//     rate = amount (w - W) / h    for w > W,    W = sqrt(g d / 2) for bubbles of d = 12.5 mm: 0.25 m/s
//
// particles are born. A bubble is driven by buoyancy, with the added mass of the water around it, and drag, so that it
// comes to rise with W relative to the water,
//
//     v' = (u + W up - v) / tau,    tau = W / (2 g).
//
// At the surface it bursts and is foam, which goes with the surface and fades. Foam that is drawn under is bubbles
// again. Radii are those of patches, in parts of a cell, for pictures: large ones last longer.
#ifndef PL_FLUID_FOAM_H
#define PL_FLUID_FOAM_H

#include "flow.h"
#include "grid.h"
#include "levelset.h"

enum
{
    PL__FOAM_MOST = 400000 // particles at a time; no more are born then
};

typedef enum pl__froth_kind
{
    PL__BUBBLE,
    PL__FOAM,
    PL__BURST // to be removed
} pl__froth_kind;

typedef struct pl__froth
{
    double x[3], v[3]; // [m] [m/s]
    double radius;     // [m]
    double age;        // as foam [s]
    int64_t kind;
} pl__froth;

typedef struct pl__foam
{
    pl__froth *item; // [count]
    int32_t count;
    size_t capacity;
} pl__foam;

typedef struct pl__foam_def
{
    double amount; // 1: as above; 0: none
    double life;   // of foam on the surface [s]
    uint64_t seed;
} pl__foam_def;

void pl__foam_done(pl_context *ctx, pl__foam *f);
// PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__foam_copy(pl_context *ctx, const pl__foam *from, pl__foam *to);

// Radius to be seen, which shrinks with the age of foam, in cells of edge h.
double pl__foam_radius(const pl__froth *p, double h, double life);

// Move along the flow for a time dt; `after` is the surface at its end.
void pl__foam_move(pl_context *ctx, pl__foam *f, const pl__foam_def *def, const pl__motion *motion,
                   const pl__levelset *after, double dt, const double gravity[3]);

// New ones, where the flow u of a grid breaks the surface of its liquid; random by (seed, step, cell).
// PL_ERR_MEMORY: some are there.
PL_NODISCARD pl_status pl__foam_bear(pl_context *ctx, pl__foam *f, const pl__foam_def *def, const pl__grid *grid,
                                     const pl__levelset *ls, const double *distance, double *const u[3], double dt,
                                     uint64_t step);

#endif
