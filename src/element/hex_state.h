// src/element/hex_state.h -- stress, strain and energy of hexahedra, one state per element, for output.
#ifndef PL_ELEMENT_HEX_STATE_H
#define PL_ELEMENT_HEX_STATE_H

#include "hex.h"
#include "tet_state.h"

// States of the lanes of one block, as pl__tet_block_state, over the eight points:
//
//     J          mean by rest volume, that is current volume over rest volume; the smallest if one is not positive
//     stretch    the largest
//     energy     mean by rest volume, that is the element's energy over its rest volume
//     stress     mean by rest volume of the Cauchy stresses; principal stresses are sorted, the largest first
void pl__hex_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                         int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES]);

#endif
