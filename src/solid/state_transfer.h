// src/solid/state_transfer.h -- transfers the state of a body to a copy with the same elements whose nodes have been
// split.
#ifndef PL_SOLID_STATE_TRANSFER_H
#define PL_SOLID_STATE_TRANSFER_H

#include "body.h"

// Positions and velocities, plastic state, temperatures, pins, modes and clocks. `x` and `v` are those of the world of
// the old body; `from` maps each node of the new body to its old node (mesh order). `to` was just created, with its
// pin groups.
PL_NODISCARD pl_status pl__body_carry(const pl__body *body, const double *x, const double *v, const int32_t *from,
                                      const pl_material_def *material, pl__body *to);
// Only the parameters of pin groups that keyframes have set.
void pl__body_carry_pin_groups(const pl__body *body, pl__body *to);

#endif
