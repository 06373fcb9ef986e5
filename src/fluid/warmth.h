// src/fluid/warmth.h -- temperature of a liquid: carried along, conducted, cooled; it thins what is warm.
//
// T is above the surroundings [K], in cells. In the liquid
//
//     T_t + u.grad T = D lap T - T/tau,     no heat through its surface
//
// by MacCormack along u, clamped to its donors (advect.h), then conduction by differences between cells of liquid and
// cooling by exp(-dt/tau). None of the three makes anything warmer than it was, or colder than the surroundings.
//
// Viscosity and elasticity are those of the cold liquid times
//
//     m^w,     w = T/melting, within [0, 1]
//
// with m that of the molten liquid, as materials of bodies have it (material.c). Yield is a strain and stays, so that
// the yield stress falls as elasticity does.
//
// What it does badly: advection does not conserve heat; conduction is explicit, in a hundred parts of a step at most,
// and slower than it should be beyond that. Heat does not go from liquids to bodies or objects, nor through drops,
// which have none.
#ifndef PL_FLUID_WARMTH_H
#define PL_FLUID_WARMTH_H

#include <stdbool.h>

struct pl__liquid;

#include "base/context.h"

// What temperature does to a liquid; any number may change between steps.
typedef struct pl__warmth_law
{
    double melting;        // [K]; 0: nothing
    double melt_viscosity; // factors at that temperature, > 0
    double melt_elasticity;
    double diffusivity; // D [m^2/s]
    double cooling;     // tau [s]; 0: never
} pl__warmth_law;

// The factor at a temperature, `molten` being that where it melts.
double pl__warmth_factor(const pl__warmth_law *law, double molten, double temperature);

// Parts of a step of a liquid that has a temperature: along u, of `state` into `next`; what sources bring; conduction,
// cooling, and beyond the surface. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__warmth_carry(struct pl__liquid *liquid, double dt);
void pl__warmth_bring(struct pl__liquid *liquid, double dt);
PL_NODISCARD pl_status pl__warmth_advance(struct pl__liquid *liquid, double dt);

// Between steps: make the liquid around a point warmer, by `kelvin` there and (1 - r^2/radius^2)^2 of it elsewhere,
// never colder than the surroundings. Returns the number of cells.
int32_t pl__liquid_heat(struct pl__liquid *liquid, const double at[3], double radius, double kelvin);
// And forget so much, in [0, 1], of its strain, likewise. Returns the number of cells of liquid there.
int32_t pl__liquid_forget(struct pl__liquid *liquid, const double at[3], double radius, double part);

#endif
