// src/fluid/extend.h -- the surface inside solids, and where thin ones have passed.
//
// phi goes on into solids along lines (shore.h), so that liquid rests on any slope; into those that move
// by constants: on the dry side of a wall phi is the distance to the liquid behind it, and lines would let that
// through. A cell whose center a solid has crossed or left within the step may be on the other side of it now, and what
// its phi was says nothing: it gets the mean of the cells that it sees there.
#ifndef PL_FLUID_EXTEND_H
#define PL_FLUID_EXTEND_H

#include "base/arena.h"
#include "boundary.h"

// Set phi [numbers of cells] up to `layers` cells into solids. `obstacles` are where they are at the end of the step
// and know where they were; `boundary` is that at the end. `was` [numbers of cells] is the
// distance to them before. pushed[n] [numbers of cells] is where
// what is in cell n goes that a moving solid has closed or crossed; -2: no cell is stored there; -1: it stays.
// `content` [numbers of cells]: liquid in a cell less half its room, by the count of volume; NULL: not known.
// behind[n] [numbers of cells] is the cell that hands room to cell n, which a thin part has left or crossed (volume.h);
// -1 or -2: none. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__extend_into_solids(pl__arena *scratch, const pl__grid *grid, const pl__boundary *boundary,
                                              const pl__obstacles *obstacles, const double *was, const double *content,
                                              int32_t layers, double *phi, int32_t *pushed, int32_t *behind);

// Samples in solids do not move along: `phi`, after the motion of the others, goes on into the cells that see these,
// and is what it `was` in the rest [numbers of cells]. PL_ERR_MEMORY: `phi` may have changed.
PL_NODISCARD pl_status pl__extend_anew(pl__arena *scratch, const pl__grid *grid, const pl__boundary *boundary,
                                       const pl__obstacles *obstacles, int32_t layers, const double *was, double *phi);

#endif
