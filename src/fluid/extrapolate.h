// src/fluid/extrapolate.h -- velocity beyond the liquid, for what moves along it: the surface, particles, traces.
#ifndef PL_FLUID_EXTRAPOLATE_H
#define PL_FLUID_EXTRAPOLATE_H

#include "base/arena.h"
#include "grid.h"

// Give the uniform faces of a lattice that are not `known` [numbers] a velocity, layer by layer, from their known
// neighbours, up to `layers` away; farther ones become 0. In the first layer by lines, where `open` [numbers] is 1: not
// into solids, which would give back twice what goes into them. NULL: by constants everywhere. `known` is changed.
// PL_ERR_MEMORY: nothing has changed.
PL_NODISCARD pl_status pl__extrapolate(pl_context *ctx, pl__arena *arena, const pl__columns *face, int32_t layers,
                                       const double *open, uint8_t *known, double *u);

#endif
