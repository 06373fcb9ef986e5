// src/fluid/elastic_step.h -- the parts of elastic.h in the step of a liquid, in the order of their calls.
#ifndef PL_FLUID_ELASTIC_STEP_H
#define PL_FLUID_ELASTIC_STEP_H

#include "liquid.h"

// What a step keeps between its solve and its end; memory of the liquid's arena.
typedef struct pl__stretching
{
    pl__strain strain;
    double theta;
    double *x;           // [strain.count]
    double *start, *end; // [samples] rates
    double *impulse;     // [unknowns]

    double *viscosity, *elasticity; // [samples] of mixtures of several liquids; NULL: there is one
} pl__stretching;

// Rows of B for a state of a liquid.
pl__strain_def pl__liquid_strain_def(const pl__liquid *liquid, const pl__liquid_state *state);

// A liquid without strain, with the rates of rotation of its velocity. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__elastic_start(pl__liquid *liquid);

// Rates of rotation of the velocity of `state`, which has its strain; both a few cells beyond the liquid.
// PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__elastic_spin(pl__liquid *liquid, pl__liquid_state *state);

// The strain of `state`: flow and rotation by half a step, motion by a step. `moved` borrows memory of the arena and
// the edges of `state`. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__elastic_carry(pl__liquid *liquid, double dt, pl__elastic *moved);
// `moved`, on the grid of `next`. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__elastic_arrive(pl__liquid *liquid, const pl__elastic *moved);

// Rows of B, rates of the velocity of `next`, and the impulses of the step. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__elastic_begin(pl__liquid *liquid, double dt, pl__stretching *s);
// Rates of the velocity that the solve has found.
void pl__elastic_solved(pl__liquid *liquid, const pl__stretching *s);
// Stretch, rotation and flow by half a step. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__elastic_end(pl__liquid *liquid, double dt, const pl__stretching *s);

#endif
