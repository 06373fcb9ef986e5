// src/fluid/grow.h -- a domain that grows with its liquid.
//
// Cells are stored near liquid only, so a larger box costs a few bytes per empty column. When stored cells or drops
// come near a side that grows, the box gets larger there, by whole cells, before they reach it. All numbers of the
// liquid stay as they are, bit by bit: empty columns have none, and the order of the others does not change. Only
// columns get new indices, and rows where the bottom moves.
//
// Nothing but drops ever touches such a side; so it does not matter that it is a wall. It does when the box has as many
// cells as it may: then it stays.
#ifndef PL_FLUID_GROW_H
#define PL_FLUID_GROW_H

#include "row_set.h"

struct pl__liquid;

// Enlarge the box where liquid is near a side that grows. PL_ERR_MEMORY: unchanged. `full` of the liquid is set when it
// would have more cells than it may.
PL_NODISCARD pl_status pl__liquid_grow(struct pl__liquid *liquid);

// Tell those who know cells by their indices that the lower corner of the box has moved to so many cells below where it
// was at the start.
void pl__liquid_set_corner(struct pl__liquid *liquid, const int32_t cells[3], const int32_t below[3]);

// `set`, of the box of the start, in the present box. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__liquid_place_set(const struct pl__liquid *liquid, const pl__row_set *set,
                                            pl__row_set *placed);

#endif
