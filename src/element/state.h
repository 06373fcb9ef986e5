// src/element/state.h -- stress, strain and energy of elements of any kind, for output.
#ifndef PL_ELEMENT_STATE_H
#define PL_ELEMENT_STATE_H

#include "tet_state.h"

// States of the lanes of one block of tetrahedra, hexahedra or triangles, as pl__tet_block_state.
void pl__element_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                             int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES]);

// Deformation gradient, from rest, of a mesh element with corners at x. Hexahedra: the mean. Triangles: one in the
// rest plane with the same stretch, and no stretch in the third direction.
pl_mat3 pl__element_gradient(const pl__element_group *group, int32_t element, const double (*x)[3]);

#endif
