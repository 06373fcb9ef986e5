// src/fluid/shore.h -- where the surface of a liquid meets solids: phi inside them, and markers, which are outside.
#ifndef PL_FLUID_SHORE_H
#define PL_FLUID_SHORE_H

#include "base/arena.h"
#include "boundary.h"
#include "columns.h"
#include "obstacles.h"
#include "particles.h"

// Give the uniform samples of a lattice that are not `known` [numbers] values of lines through known ones, layer by
// layer, up to `layers` away; farther ones stay. Constants instead of lines where `flat` [numbers] is set; NULL:
// nowhere. First those that see known ones through sides that are not closed, `sides` [numbers] (boundary.h), then the
// others, unless `seen_only`; NULL: all see all. `known` is changed. PL_ERR_MEMORY: nothing has changed.
PL_NODISCARD pl_status pl__shore_extend(pl__arena *arena, const pl__columns *cell, int32_t layers, const uint8_t *flat,
                                        const uint8_t *sides, bool seen_only, uint8_t *known, double *phi);

// Cells that solids leave no room in are no air: where a face of one is open towards liquid half a cell inside its
// surface, phi [numbers of cells] goes on as a constant. A floor that begins with a row of cells would hold a pocket at
// pressure 0 otherwise, which liquid falls into, if phi is the distance to a surface within the floor. Not upwards: the
// level of liquid at rest may be in what hangs over it.
void pl__shore_fill(const pl__grid *grid, const pl__boundary *boundary, double *phi);

// Drop the markers that are in solids, by the distances to these in the cells [numbers], and by the solids themselves
// where these are near, and those that the center of their cell does not see: those have been seeded on the other side
// of a wall. Without obstacles: by the distances.
void pl__shore_clear(const pl__columns *cell, const double *distance, const pl__obstacles *obstacles,
                     pl__particles *particles);

#endif
