// src/fluid/phases_step.h -- the parts of phases.h in the step of a liquid, in the order of their calls. Nothing for
// one liquid.
#ifndef PL_FLUID_PHASES_STEP_H
#define PL_FLUID_PHASES_STEP_H

#include "elastic_step.h"
#include "liquid.h"

static inline bool pl__liquid_has_phases(const pl__liquid *l) { return l->def.liquid_count > 1; }
// Whether viscosity and elasticity differ from cell to cell.
static inline bool pl__liquid_varies(const pl__liquid *l) { return pl__liquid_has_phases(l) || l->def.warm; }

// Which liquid is where at the start, on the grid of `state`, with parts and counts; `user` is that of the shape.
PL_NODISCARD pl_status pl__phases_start(pl__liquid *l, void *user, const pl__obstacles *obstacles);

// Level sets and markers of `next` on the grid of `state`, along the motion of a step. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_move(pl__liquid *l, const pl__motion *motion, double dt,
                                       const pl__obstacles *obstacles);
// Counts after a step, by the flux of all liquids. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_count(pl__liquid *l, const double *const flux[3], double dt);
// Onto the grid of `next`. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_arrive(pl__liquid *l);
// What sources have filled, and drains emptied: `old` [numbers of cells] is phi of all liquids before. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_exchange(pl__liquid *l, const double *old, double dt);
// What sources press in, and drains draw out, in this step.
void pl__phases_press(pl__liquid *l);
// New drops from `first` on are of the liquid that they come from.
void pl__phases_name_drops(pl__liquid *l, int32_t first);
// Counts follow what has become of all liquids, level sets follow counts. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_correct(pl__liquid *l);

// density / rho_face, with memory of the arena; NULL for one liquid. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_ratio(pl__liquid *l, double *ratio[3]);
// q of liquids at rest, a first guess.
void pl__phases_guess(pl__liquid *l, const double *const ratio[3], double dt, double gravity);

// Stress of mixtures, by parts, and by temperature: masses of `strain` become those of the liquids over density,
// `viscosity` and `elasticity` [samples] those of the samples. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_mix(pl__liquid *l, const pl__liquid_state *state, pl__strain *strain,
                                      double **viscosity, double **elasticity);

// What viscosity does to several liquids, for `problem`; `strain` is made if there is no `stretching`. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_resist(pl__liquid *l, double dt, const pl__stretching *stretching, pl__strain *strain,
                                         pl__viscosity_problem *problem);

// The elastic laws of the cells of a state; of one liquid, its law. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__phases_law(pl__liquid *l, const pl__liquid_state *state, pl__elastic_law *law);
// theta of elastic.h: that of the stiffest liquid for its density.
double pl__phases_theta(const pl__liquid *l, double dt);

// ---- measures ------------------------------------------------------------------------------------------------------

typedef struct pl__phase_sums
{
    double volume, spray, due; // as it is shown, of its drops, as there should be without what is not there yet [m^3]
} pl__phase_sums;
void pl__phases_sum(const pl__liquid *l, pl__phase_sums sums[PL__MOST_LIQUIDS]);

// Mass of what is in a cell, or of one of several liquids in it, over the volume of all.
static inline double pl__liquid_density_in(const pl__liquid *l, const pl__liquid_state *s, int32_t which, int32_t n)
{
    double sum = 0;
    if (!pl__liquid_has_phases(l))
        return l->def.density;
    for (int32_t i = 0; i < s->phases.count; ++i)
        sum += which >= 0 && i != which
                   ? 0
                   : s->phases.part[(size_t)i * (size_t)s->grid.cell.value_count + (size_t)n] * l->def.law[i].density;
    return sum;
}

#endif
