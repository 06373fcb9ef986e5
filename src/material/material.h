// src/material/material.h -- parameters of materials, and the kernel from stretches to stresses.
#ifndef PL_MATERIAL_MATERIAL_H
#define PL_MATERIAL_MATERIAL_H

#include "base/context.h"
#include "base/cpu.h"
#include "fiber.h"
#include <pliant/material.h>

enum
{
    PL_MATERIAL_LANES = 16,
    PL_MATERIAL_EXTRAS = 4, // parameters that only some models have; each model's file names its own
    PL_MATERIAL_RELAXED = 2 // levels
};

// Volume term of a model (models.inl).
typedef enum pl__volume_term
{
    PL_VOLUME_NONE,
    PL_VOLUME_BULK,
    PL_VOLUME_LAME,
    PL_VOLUME_STABLE
} pl__volume_term;

// Material parameters of an element.
typedef struct pl__material_params
{
    pl_material_kind kind;
    double mu, lambda;              // Lame [Pa]
    double low, high;               // stretches between which the law itself is used
    double curvature;               // [Pa] of the penalty beyond them
    double low_stress, high_stress; // [Pa] of the penalty, where the smooth clamp ends (stress.kernel.c)
    double damping;                 // [s]
    double density;                 // [kg/m^3]
    double extra[PL_MATERIAL_EXTRAS];
} pl__material_params;

// The law of an element group: the part of the material that all its elements share.
typedef struct pl__law
{
    pl_material_kind kind;
    pl_inversion inversion;
    bool flat;                 // triangles: the law in two stretches, the third is 1
    pl_law_function *function; // custom law
    void *user;
} pl__law;

// The same for the sixteen elements of a block.
typedef struct pl__material_block
{
    double mu[PL_MATERIAL_LANES];
    double lambda[PL_MATERIAL_LANES];
    double low[PL_MATERIAL_LANES];
    double high[PL_MATERIAL_LANES];
    double curvature[PL_MATERIAL_LANES];
    double low_stress[PL_MATERIAL_LANES];
    double high_stress[PL_MATERIAL_LANES];
    double extra[PL_MATERIAL_EXTRAS][PL_MATERIAL_LANES];
} pl__material_block;

// Results of an evaluation; NULL if not needed. All arrays have one entry per lane.
typedef struct pl__stress_block
{
    double (*stress)[PL_MATERIAL_LANES];  // [3] principal first Piola stresses [Pa]
    double *energy;                       // per rest volume [J/m^3]; NaN where the extension has none
    double *stiffness, *coupling;         // dF : dP <= coupling (tr dF)^2 + stiffness |dF|^2 [Pa]; both or neither
    double (*hessian)[PL_MATERIAL_LANES]; // [6] derivatives of the stresses 00 11 22 01 02 12 [Pa]
} pl__stress_block;

pl_status pl__material_check(pl_context *ctx, const pl_material_def *def, const char *name);
pl__material_params pl__material_resolve(const pl_material_def *def);
// The same for a sheet: since its thickness is free, it resists changes of area with lambda' = 2 mu lambda / (lambda +
// 2 mu) (plane stress).
pl__material_params pl__material_flatten(pl__material_params params);
// The relaxed law of a body that does not untangle by its own law (solid/recovery.c). Level 1 is the same law above a
// stretch of 0.9, extended from there. Level 2 is the rotated linear law with a Poisson's ratio of at most -0.2: a
// positive one preserves the volume of elements that must pass through zero volume, and tangles lock. Blocks of 768
// randomly scrambled tetrahedra recovered by rotated linear alone: nu = 0.4, 38 of 40; 0, 148 of 150; -0.2, 300 of 300;
// -0.25 and -0.3, 299 of 300.
pl_material_def pl__material_relaxed(const pl_material_def *def, int32_t level);
// The material at a temperature above its surroundings [K]: softer, and with another yield, creep and strength.
pl_material_def pl__material_heated(const pl_material_def *def, double temperature);
// Molten fraction at a temperature, in [0, 1].
double pl__material_melted(const pl_material_def *def, double temperature);
// Its law in a solid; without an inversion rule where the law itself is valid everywhere.
pl__law pl__material_law(const pl_material_def *def);
// Fibre parameters, added to any law.
pl__fiber pl__material_fiber(const pl_material_def *def);
bool pl__law_equal(const pl__law *a, const pl__law *b);
void pl__material_block_set(pl__material_block *block, int32_t lane, const pl__material_params *params);

// Principal stresses of sixteen elements with signed stretches sigma[3][16]. For a flat law sigma[2] must be 1, and the
// third stress is the one across the sheet at fixed thickness, meaningless for the moduli of plane stress.
PL_KERNEL_DECLARE(void, pl__material_stress,
                  (const pl__law *law, const pl__material_block *material, const double (*sigma)[PL_MATERIAL_LANES],
                   const pl__stress_block *out));

// Principal stresses of the bare law at three stretches.
void pl__model_stress(const pl__law *law, const pl__material_params *params, const double stretch[3], double stress[3]);

// pl__material_stress for one lane, scalar: the oracle of the wide kernels.
void pl__material_stress_lane(const pl__law *law, const pl__material_block *material, int32_t lane,
                              const double (*sigma)[PL_MATERIAL_LANES], const pl__stress_block *out);

#endif
