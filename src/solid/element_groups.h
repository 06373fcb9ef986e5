// src/solid/element_groups.h -- builds the element groups of a body.
#ifndef PL_SOLID_ELEMENT_GROUPS_H
#define PL_SOLID_ELEMENT_GROUPS_H

#include "body.h"

// Build the groups and lumped masses of a body whose nodes are in engine order; `element_order` is that of the mesh's
// elements. After a failure pl__element_groups_destroy is still due.
pl_status pl__element_groups_build(const pl__body_spec *spec, const int32_t *element_order, pl__body *body);
void pl__element_groups_destroy(pl__body *body);

#endif
