// src/solid/incompressible.h -- bodies that keep the volume of every one-ring of their nodes (volume/rings.h).
#ifndef PL_SOLID_INCOMPRESSIBLE_H
#define PL_SOLID_INCOMPRESSIBLE_H

#include "stage.h"

// Rings of the elements whose material is incompressible; none: body->rings stays NULL.
PL_NODISCARD pl_status pl__body_make_rings(pl__body *body, const pl__body_spec *spec);
void pl__body_destroy_rings(pl__body *body);

// Register the stages of the semi-implicit step.
PL_NODISCARD pl_status pl__incompressible_register(pl_context *ctx, pl__stages *stages, pl__solids *solids);

// Add the forces of pressures at x to those of the elements.
void pl__incompressible_add_forces(pl__solids *solids, const double *x, bool of_state);

// Largest relative error of a ring of a body where it is.
double pl__ring_error(const pl__solids *solids, const pl__body *body);

#endif
