// src/element/plasticity.h -- groups of elements that flow (material/plastic.h): their plastic blocks, made, filled,
// saved.
//
// A group with `plastic` set has one plastic block per block and quadrature point, plastic[points * block + point].
// Rest shapes hold B Fp^-1 in place of B, which the force kernels change when a job says `flow`: once a step, at the
// positions at which the step begins, so that a step begun again from the same state flows in the same way. The order
// of calls:
//
//     rest shapes set, pl__plasticity_create, params and goals, pl__element_set_gain, pl__plasticity_refresh
//
// Of an additive group the blocks hold I + p, and rest shapes and gains are left alone (additive_plasticity_w.h).
//
// Triangular rest shapes cannot flow, since B Fp^-1 is not triangular: whoever makes groups must refuse the two
// together.
#ifndef PL_ELEMENT_PLASTICITY_H
#define PL_ELEMENT_PLASTICITY_H

#include "element.h"
#include "material/plastic.h"

enum
{
    PL_FLOW_NUMBERS = 10 // the state of a point: Fp by column, plastic strain
};

// Quadrature points of a kind; 0 where it cannot flow.
int32_t pl__plasticity_points(pl__element_kind kind);

// Plastic blocks, all elastic and without flow, for the rest shapes as they are.
pl_status pl__plasticity_create(pl_context *ctx, pl__element_group *group);
void pl__plasticity_destroy(pl_context *ctx, pl__element_group *group);

void pl__plasticity_set_params(pl__element_group *group, int32_t element, const pl__plastic_params *params);
// The plastic deformation to flow toward, det > 0; only its stretch counts.
void pl__plasticity_set_goal(pl__element_group *group, int32_t element, const pl_mat3 *Fp);
// What gains follow from; called by pl__element_set_gain.
void pl__plasticity_set_spread(pl__element_group *group, int32_t element, const double mass_share[PL_ELEMENT_CORNERS]);

// The state of an element, [points][PL_FLOW_NUMBERS]. After putting states, refresh.
void pl__plasticity_get(const pl__element_group *group, int32_t element, double *state);
void pl__plasticity_put(pl__element_group *group, int32_t element, const double *state);
// Whether an element of the group has flowed yet.
bool pl__plasticity_happened(const pl__element_group *group);
// Rest shapes and gains of all elements from their Fp, with the bits that flow itself gives them.
void pl__plasticity_refresh(int32_t register_bytes, pl__element_group *group);

#endif
