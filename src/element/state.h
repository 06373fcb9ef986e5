// src/element/state.h -- what the elements of a mesh feel, whatever their kind, for output.
#ifndef PL_ELEMENT_STATE_H
#define PL_ELEMENT_STATE_H

#include "tet_state.h"

// The states of the lanes of one block of tetrahedra, hexahedra or triangles, as of pl__tet_block_state.
void pl__element_block_state(const pl__element_group *group, int32_t block, const double *x, double strength, int32_t register_bytes,
                             pl__element_state state[PL_ELEMENT_LANES]);

#endif
