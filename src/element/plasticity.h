// src/element/plasticity.h -- plastic element groups (material/plastic.h): creation, parameters and state of their
// plastic blocks.
//
// A group with `plastic` set has one plastic block per block and quadrature point, plastic[points * block + point].
// Rest shapes hold B Fp^-1 in place of B; force kernels update it (return mapping) if a job says `flow`: once a step,
// at its initial positions, so that a step repeated from the same state flows identically. Order of calls:
//
//     rest shapes set, pl__plasticity_create, params and goals, pl__element_set_gain, pl__plasticity_refresh
//
// Blocks of an additive group hold I + p; rest shapes and gains do not change (additive_plasticity_w.h).
//
// Groups with triangular rest shapes cannot be plastic, since B Fp^-1 is not triangular: the caller must not combine
// them.
#ifndef PL_ELEMENT_PLASTICITY_H
#define PL_ELEMENT_PLASTICITY_H

#include "element.h"
#include "material/plastic.h"

enum
{
    PL_FLOW_NUMBERS = 10 // state of a point: Fp by column, plastic strain
};

// Quadrature points of a kind; 0 if it cannot be plastic.
int32_t pl__plasticity_points(pl__element_kind kind);

// Create the plastic blocks, elastic and without plastic deformation, for the current rest shapes.
pl_status pl__plasticity_create(pl_context *ctx, pl__element_group *group);
void pl__plasticity_destroy(pl_context *ctx, pl__element_group *group);

void pl__plasticity_set_params(pl__element_group *group, int32_t element, const pl__plastic_params *params);
// Goal of plastic flow, det > 0; only its stretch matters.
void pl__plasticity_set_goal(pl__element_group *group, int32_t element, const pl_mat3 *Fp);
// Inputs of the gains; called by pl__element_set_gain.
void pl__plasticity_set_spread(pl__element_group *group, int32_t element, const double mass_share[PL_ELEMENT_CORNERS]);

// State of an element, [points][PL_FLOW_NUMBERS]. Call refresh after setting states.
void pl__plasticity_get(const pl__element_group *group, int32_t element, double *state);
void pl__plasticity_put(pl__element_group *group, int32_t element, const double *state);
// Whether any element of the group has plastic deformation.
bool pl__plasticity_happened(const pl__element_group *group);
// Rebuild rest shapes and gains of all elements from their Fp, bitwise as the return mapping does.
void pl__plasticity_refresh(int32_t register_bytes, pl__element_group *group);

#endif
