// src/solid/plastic_state.h -- internal state of a body's elements as a flat array: plastic deformation and directors.
#ifndef PL_SOLID_PLASTIC_STATE_H
#define PL_SOLID_PLASTIC_STATE_H

#include "body.h"

// Number of doubles; copy to and from bytes of any alignment.
size_t pl__body_plastic_length(const pl__body *body);
void pl__body_get_plastic(const pl__body *body, char *to);
// Whether no plastic deformation in it is inverted. The numbers must be finite.
bool pl__body_plastic_is_sound(const pl__body *body, const char *from);
void pl__body_put_plastic(pl__body *body, const char *from);
// Copy from a body of the same elements in another order.
PL_NODISCARD pl_status pl__body_carry_flow(const pl__body *body, pl__body *to);
// Reset directors between triangles to their initial positions.
void pl__body_reset_directors(pl__body *body);

#endif
