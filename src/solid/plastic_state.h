// src/solid/plastic_state.h -- what elements of a body remember, as numbers to keep: what has flowed, and directors.
#ifndef PL_SOLID_PLASTIC_STATE_H
#define PL_SOLID_PLASTIC_STATE_H

#include "body.h"

// How many doubles it takes; to and from bytes of any alignment.
size_t pl__body_plastic_length(const pl__body *body);
void pl__body_get_plastic(const pl__body *body, char *to);
// Whether no deformation in it is inverted; numbers that are finite are taken for granted.
bool pl__body_plastic_is_sound(const pl__body *body, const char *from);
void pl__body_put_plastic(pl__body *body, const char *from);
// From a body of the same elements, in another order.
PL_NODISCARD pl_status pl__body_carry_flow(const pl__body *body, pl__body *to);
// Directors between triangles return to their places, as at the beginning.
void pl__body_reset_directors(pl__body *body);

#endif
