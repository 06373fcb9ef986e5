// src/material/material.h -- materials as numbers, and the kernel that turns stretches into stress.
#ifndef PL_MATERIAL_MATERIAL_H
#define PL_MATERIAL_MATERIAL_H

#include "base/context.h"
#include "base/cpu.h"
#include <pliant/material.h>

enum
{
    PL_MATERIAL_LANES = 16
};

// What an element needs to know of its material.
typedef struct pl__material_params
{
    double mu, lambda; // Lame [Pa]
    double low, high;  // stretches between which the law itself is used
    double curvature;  // [Pa] of the energy beyond them
    double damping;    // [s]
    double density;    // [kg/m^3]
} pl__material_params;

// The same for the sixteen elements of a block.
typedef struct pl__material_block
{
    double mu[PL_MATERIAL_LANES];
    double lambda[PL_MATERIAL_LANES];
    double low[PL_MATERIAL_LANES];
    double high[PL_MATERIAL_LANES];
    double curvature[PL_MATERIAL_LANES];
} pl__material_block;

// Everything that an evaluation can yield; NULL where not wanted. All arrays have one entry per lane.
typedef struct pl__stress_block
{
    double (*stress)[PL_MATERIAL_LANES];  // [3] principal first Piola stresses [Pa]
    double *energy;                       // per rest volume [J/m^3]; NaN where the extension has none
    double *stiffness, *coupling;         // dF : dP <= coupling (tr dF)^2 + stiffness |dF|^2 [Pa]; both or neither
} pl__stress_block;

// Which rule a body follows at the moment.
typedef enum pl__material_mode
{
    PL__MATERIAL_AS_GIVEN,
    PL__MATERIAL_CALM // the well-conditioned relative that recovers a tangled body
} pl__material_mode;

pl_status pl__material_check(pl_context *ctx, const pl_material_def *def, const char *name);
pl__material_params pl__material_resolve(const pl_material_def *def, pl__material_mode mode);
// The rule that is really needed: none where the law itself is sound everywhere.
pl_inversion pl__material_inversion(const pl_material_def *def);
void pl__material_block_set(pl__material_block *block, int32_t lane, const pl__material_params *params);

// Principal stresses of sixteen elements with signed stretches sigma[3][16].
PL_KERNEL_DECLARE(void, pl__material_stress, (pl_material_kind kind, pl_inversion inversion, const pl__material_block *material,
                                             const double (*sigma)[PL_MATERIAL_LANES], const pl__stress_block *out));

// The same for one lane, plainly; for the oracle of the wide kernels.
void pl__material_stress_lane(pl_material_kind kind, pl_inversion inversion, const pl__material_block *material, int32_t lane,
                              const double (*sigma)[PL_MATERIAL_LANES], const pl__stress_block *out);

#endif
