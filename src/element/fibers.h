// src/element/fibers.h -- fibres in solid elements: a direction per element, and tension along it
// (material/fiber_w.h).
//
// With a the direction at rest, fibres add T/|F a| (F a) a^T to the first Piola stress at every quadrature point of
// the element. In plastic elements the fibres belong to the plastically deformed rest shape: F is Fe.
#ifndef PL_ELEMENT_FIBERS_H
#define PL_ELEMENT_FIBERS_H

#include "element.h"
#include "math/mat3.h"

typedef struct pl__fiber_block
{
    double axis[3][PL_ELEMENT_LANES]; // a, of unit length, or 0 without fibres
    double strength[PL_ELEMENT_LANES], optimal[PL_ELEMENT_LANES], activation[PL_ELEMENT_LANES];
} pl__fiber_block;

pl_status pl__fibers_create(pl_context *ctx, pl__element_group *group);
void pl__fibers_destroy(pl_context *ctx, pl__element_group *group);

// Set the direction, of any length; zero: no fibres.
void pl__fibers_set_axis(pl__element_group *group, int32_t element, const double axis[3]);
void pl__fibers_set_material(pl__element_group *group, int32_t element, const pl_material_def *def);
// Whether any fibre is active.
bool pl__fibers_pull(const pl__element_group *group);

// Scalar reference: add the stress of the fibres of a lane at F; `psi` may be NULL.
void pl__fibers_add_reference(const pl__fiber_block *block, int32_t lane, const pl_mat3 *F, pl_mat3 *P, double *psi);

#endif
