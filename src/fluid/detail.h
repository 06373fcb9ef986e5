// src/fluid/detail.h -- uniform cells around what moves.
//
// The velocity along a tall cell is linear in height, and no solid takes a part of its volume. Neither is so beside an
// object that moves: what it pushes away above and below it would be lost between rows, and its own volume with it. So
// cells around the boxes of such objects are uniform, however deep they are.
#ifndef PL_FLUID_DETAIL_H
#define PL_FLUID_DETAIL_H

#include "grid.h"
#include "obstacles.h"
#include "row_set.h"

// The rows of a lattice that are within `margin` cells of the box of an obstacle that moves.
PL_NODISCARD pl_status pl__detail_find(pl_context *ctx, const pl__columns *cell, const pl__obstacles *obstacles,
                                       int32_t margin, pl__row_set *moving);

#endif
