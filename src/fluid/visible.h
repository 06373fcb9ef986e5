// src/fluid/visible.h -- advection of the surface along thin solids, by samples on the same side only.
//
// Where a solid is thinner than two cells, the samples around a point belong to both sides of it, and interpolation
// carries liquid through. There phi(x) becomes the trilinear mean, around where x comes from, of the samples from which
// a point could get to x within the step while the solid moves (Guendelman et al. 2005); its own where there is none.
#ifndef PL_FLUID_VISIBLE_H
#define PL_FLUID_VISIBLE_H

#include "boundary.h"
#include "levelset.h"

// Replace phi after an advection by dt [numbers of cells], in cells near thin solids. `ls` is the surface before it,
// `boundary` that before it, and `obstacles` are where they are at the end and know where they were.
void pl__visible_advect(pl_context *ctx, const pl__levelset *ls, const pl__boundary *boundary,
                        const pl__obstacles *obstacles, const pl__motion *motion, double time, double dt, double *phi);

#endif
