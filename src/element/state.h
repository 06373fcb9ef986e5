// src/element/state.h -- what the elements of a mesh feel, whatever their kind, for output.
#ifndef PL_ELEMENT_STATE_H
#define PL_ELEMENT_STATE_H

#include "tet_state.h"

// The states of the lanes of one block of tetrahedra, hexahedra or triangles, as of pl__tet_block_state.
void pl__element_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                             int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES]);

// The deformation gradient, from rest, of an element of the mesh whose corners are at x; of a hexahedron the mean, of a
// triangle one in its rest plane with the same stretch, and with the third direction kept.
pl_mat3 pl__element_gradient(const pl__element_group *group, int32_t element, const double (*x)[3]);

#endif
