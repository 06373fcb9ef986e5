// src/element/fibers.h -- fibres in solid elements: a direction per element, and what pulls along it
// (material/fiber_w.h).
//
// With a the direction at rest, fibres add T/|F a| (F a) a^T to the first Piola stress at every quadrature point of the
// element. Elements that flow have their fibres in the rest shape that flow has left: F is Fe.
#ifndef PL_ELEMENT_FIBERS_H
#define PL_ELEMENT_FIBERS_H

#include "element.h"
#include "math/mat3.h"

typedef struct pl__fiber_block
{
    double axis[3][PL_ELEMENT_LANES]; // a, of length 1, or 0 where there are no fibres
    double strength[PL_ELEMENT_LANES], optimal[PL_ELEMENT_LANES], activation[PL_ELEMENT_LANES];
} pl__fiber_block;

pl_status pl__fibers_create(pl_context *ctx, pl__element_group *group);
void pl__fibers_destroy(pl_context *ctx, pl__element_group *group);

// The direction, of any length; zero: none.
void pl__fibers_set_axis(pl__element_group *group, int32_t element, const double axis[3]);
void pl__fibers_set_material(pl__element_group *group, int32_t element, const pl_material_def *def);
// Whether some are active.
bool pl__fibers_pull(const pl__element_group *group);

// What the fibres of a lane add at F, plainly; `psi` may be NULL.
void pl__fibers_add_reference(const pl__fiber_block *block, int32_t lane, const pl_mat3 *F, pl_mat3 *P, double *psi);

#endif
