// src/element/hex_state.h -- what hexahedra feel, one state per element, for output.
#ifndef PL_ELEMENT_HEX_STATE_H
#define PL_ELEMENT_HEX_STATE_H

#include "hex.h"
#include "tet_state.h"

// The states of the lanes of one block, as pl__tet_block_state: of the eight points
//   J          the mean by rest volume, which is the present volume over that at rest; the smallest where one is not
//   positive stretch    the largest energy     the mean by rest volume, which is the element's energy over its rest
//   volume stress     the mean by rest volume of the Cauchy stresses; principal stresses are sorted, the largest first
void pl__hex_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                         int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES]);

#endif
