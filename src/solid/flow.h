// src/solid/flow.h -- what elements of a body remember, as numbers to keep: what has flowed, and directors.
#ifndef PL_SOLID_FLOW_H
#define PL_SOLID_FLOW_H

#include "body.h"

// How many doubles it takes; to and from bytes of any alignment.
size_t pl__body_flow_length(const pl__body *body);
void pl__body_get_flow(const pl__body *body, char *to);
// Whether no deformation in it is inverted; numbers that are finite are taken for granted.
bool pl__body_flow_is_sound(const pl__body *body, const char *from);
void pl__body_put_flow(pl__body *body, const char *from);
// From a body of the same elements, in another order.
PL_NODISCARD pl_status pl__body_carry_flow(const pl__body *body, pl__body *to);
// Directors between triangles return to their places, as at the beginning.
void pl__body_reset_directors(pl__body *body);

#endif
