// src/fluid/extrapolate.h -- velocity beyond the liquid, for what moves along it: the surface, particles, traces.
#ifndef PL_FLUID_EXTRAPOLATE_H
#define PL_FLUID_EXTRAPOLATE_H

#include "base/arena.h"
#include "boundary.h"

// Give the uniform samples of a lattice that are not `known` [numbers] the mean of their known neighbours, layer by
// layer, up to `layers` away; farther ones become 0. `known` is changed. PL_ERR_MEMORY: nothing has changed.
PL_NODISCARD pl_status pl__extrapolate(pl_context *ctx, pl__arena *arena, const pl__columns *lattice, int32_t layers,
                                       uint8_t *known, double *value);

// The same of several fields at once.
PL_NODISCARD pl_status pl__extrapolate_all(pl_context *ctx, pl__arena *arena, const pl__columns *lattice,
                                           int32_t layers, uint8_t *known, int32_t count, double *const value[]);

// Velocity on the uniform faces up to `layers` from liquid; it is known on those of cells that are `liquid` [numbers of
// cells]. The first cells of air are without divergence; farther faces become 0. PL_ERR_MEMORY: some are set.
PL_NODISCARD pl_status pl__extrapolate_velocity(pl_context *ctx, pl__arena *arena, const pl__grid *grid,
                                                const pl__boundary *boundary, const uint8_t *liquid, int32_t layers,
                                                double *const u[3]);

#endif
