// src/fluid/advect.h -- numbers of a lattice carried along the flow: velocity on uniform faces, strain.
//
// MacCormack (Selle et al. 2008): with A a semi-Lagrangian step of second order traces and trilinear interpolation,
//
//     a = A u,   b = A^-1 a,   u' = a + (u - b) / 2,  clamped to the eight samples that `a` was interpolated from,
//
// second order where it is smooth, and never beyond what was there. Traces take the velocity v' half a step on; where
// they read liquid only, that forward is 2 v - v' of the trace back, which is as good where velocity is smooth. Nearer
// to the surface a dam break would lose half as much volume again.
#ifndef PL_FLUID_ADVECT_H
#define PL_FLUID_ADVECT_H

#include "base/arena.h"
#include "flow.h"
#include "grid.h"

typedef struct pl__grid_flow
{
    pl_context *ctx;
    const pl__grid *grid;
    const double *u[3];
} pl__grid_flow;

// A pl__flow: velocity of a grid at points, whatever the time; `user` is a pl__grid_flow. 0 where there is none.
void pl__grid_flow_velocity(void *user, double time, int32_t count, const double *const x[3], double *const v[3]);

enum
{
    PL__MOST_ADVECTED = 5
};

// Numbers of one lattice to carry along the same ways.
typedef struct pl__advected
{
    const pl__columns *lattice;
    bool corner[3]; // its samples are at corners of cells along an axis, not at their middles
    int count;
    const double *value[PL__MOST_ADVECTED];
} pl__advected;

// The uniform samples of a lattice carried along u for a time dt, to `result` [count]: those beside cells with phi < 0,
// phi being that at the end of the step; what beyond is carried is not corrected, and far from the liquid nothing is.
// Other runs are copied. PL_ERR_MEMORY: `result` may have changed.
PL_NODISCARD pl_status pl__advect(pl_context *ctx, pl__arena *arena, const pl__grid *grid, const double *phi, double dt,
                                  double *const u[3], const pl__advected *what, double *const result[]);

// The velocities of all faces carried along themselves.
// PL_ERR_MEMORY: `result` may have changed.
PL_NODISCARD pl_status pl__advect_velocity(pl_context *ctx, pl__arena *arena, const pl__grid *grid, const double *phi,
                                           double dt, double *const u[3], double *const result[3]);

#endif
