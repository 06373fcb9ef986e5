// src/element/tet_state.h -- stretches, energy and stress of tetrahedra, for output.
#ifndef PL_ELEMENT_TET_STATE_H
#define PL_ELEMENT_TET_STATE_H

#include "material/plastic.h"
#include "math/mat3.h"
#include "tet.h"

typedef struct pl__element_state
{
    double J;            // determinant of the deformation gradient
    double stretch;      // its largest singular value
    double energy;       // per rest volume [J/m^3]; NaN if the inversion rule has none
    double principal[3]; // principal Cauchy stresses [Pa]
    pl_mat3 axes;        // and their axes, by column
    double plastic; // norm of the logarithm of the plastic stretch, or of additive plastic strain (element/state.c)
} pl__element_state;

// States of the lanes of one block of a group at positions x (as for pl__force_job), stresses and energies times
// `strength`. Unused lanes are undefined.
void pl__tet_block_state(const pl__element_group *group, int32_t block, const double *x, double strength,
                         int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES]);

// The same for one quadrature point of the sixteen solid elements of a block, with deformation gradients F
// (column-major).
void pl__deformed_block_state(const pl__element_group *group, int32_t block, const pl__material_block *material,
                              double F[9][PL_ELEMENT_LANES], double strength, int32_t register_bytes,
                              pl__element_state state[PL_ELEMENT_LANES]);

// Correct the states of a block of plastic points, computed with B' in place of B: J becomes that of Fe Fp, and
// stresses refer to the current area. The stretch stays the elastic one.
void pl__grown_block_state(const pl__plastic_block *plastic, pl__element_state state[PL_ELEMENT_LANES]);

// The same for an additive group, from F: stress and energy of the elastic part of the strain. The stretch becomes 1 +
// its largest eigenvalue.
void pl__relieved_block_state(const pl__element_group *group, const pl__material_block *material,
                              const pl__plastic_block *plastic, double F[9][PL_ELEMENT_LANES], double strength,
                              int32_t register_bytes, pl__element_state state[PL_ELEMENT_LANES]);

double pl__element_state_von_mises(const pl__element_state *state);
double pl__element_state_pressure(const pl__element_state *state);
// 9 numbers; the matrix is symmetric to the last bit.
void pl__element_state_cauchy(const pl__element_state *state, double cauchy[9]);

#endif
