// src/element/point_reference.h -- scalar reference of one quadrature point of a solid element, oracle of the wide
// kernels.
#ifndef PL_ELEMENT_POINT_REFERENCE_H
#define PL_ELEMENT_POINT_REFERENCE_H

#include "element.h"
#include "math/mat3.h"

// Location of a point: its element's group, the block's material and the lane.
typedef struct pl__point_place
{
    const pl__element_group *group;
    const pl__material_block *material;
    int32_t block, lane;
    int32_t point; // of the element
} pl__point_place;

// First Piola stress at F. `psi` [J/m^3] and `A`, the damping matrix (element/damping_w.h), may be NULL.
pl_mat3 pl__point_stress_reference(const pl__point_place *place, const pl_mat3 *F, double *psi, pl_mat3 *A);

// Damping stress for G = dF/dt with damping time `damping`.
pl_mat3 pl__point_damping_reference(const pl__point_place *place, const pl_mat3 *A, const pl_mat3 *G, double damping);

#endif
