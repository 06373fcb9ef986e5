// src/element/bend_state.h -- bending stress at the two sides of a sheet.
#ifndef PL_ELEMENT_BEND_STATE_H
#define PL_ELEMENT_BEND_STATE_H

#include "bend.h"

// Stress [Pa] that bending adds on the front side of a triangle, and subtracts on the back, at positions x, times
// `strength`: in space, 00 11 22 01 02 12. Elastic angles only.
void pl__bend_side_stress(const pl__bend_rest *rest, int32_t lane, const double *x, double strength, double stress[6]);

#endif
