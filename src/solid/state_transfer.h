// src/solid/state_transfer.h -- the state of a body goes over to another one of the same elements, whose nodes have
// come apart.
#ifndef PL_SOLID_STATE_TRANSFER_H
#define PL_SOLID_STATE_TRANSFER_H

#include "body.h"

// Where it is and how it moves, what has flowed, temperatures, pins, modes and clocks. `x` and `v` are of the world
// that the old body is in; `from` is the node (in the mesh's order) that each node of the new body was. `to` was just
// made, with its groups of pins.
PL_NODISCARD pl_status pl__body_carry(const pl__body *body, const double *x, const double *v, const int32_t *from,
                                      const pl_material_def *material, pl__body *to);
// Only what the scene's keys have set in its groups of pins.
void pl__body_carry_pin_groups(const pl__body *body, pl__body *to);

#endif
