// src/fluid/drag.h -- what the viscous and elastic stress of a liquid does to objects and to the walls of its domain.
//
// A liquid with the stresses s = 2 mu B u + E e (+ P in cells, viscosity.h) at its samples (strain.h) does
//
//     work per time = - h^3 sum over samples of W s (B u)
//
// and B u is linear in all velocities, those of unknown faces and the known ones of solids. So the force on whatever
// has the velocity u_j is the factor of u_j,
//
//     F_j = - h^3 sum over samples of W s dB/du_j,
//
// for unknown faces what accelerates the liquid, for known ones what drags the solid that holds them, where it has that
// velocity: at the wall, theta h from the unknown face. Nothing is interpolated, and since B of any rigid motion is 0,
// what the liquid gets and what solids get have the sum 0, force and torque, to round-off. Liquid that slips has none.
//
// What it does badly: near walls that are oblique to the grid stress is that of stairs: sums over a surface of some
// cells are right, single places are not.
#ifndef PL_FLUID_DRAG_H
#define PL_FLUID_DRAG_H

#include "elastic.h"
#include "wetted.h"

typedef struct pl__drag
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const pl__obstacles *obstacles;
    const pl__strain *strain;      // with edges, if there is an elastic strain
    const double *const *u;        // [3] velocities of faces
    double viscosity, elasticity;  // mu [Pa s], E [Pa], or
    const double *mixed_viscosity; // of samples, of several liquids; NULL: those above
    const double *mixed_elasticity;
    const pl__elastic *elastic; // NULL: none
    const double *stress;       // [numbers of cells] P [Pa]; NULL: none
} pl__drag;

// Add to `to` [objects + 1], as pl__wetted_sum has it. PL_ERR_MEMORY: nothing is added.
PL_NODISCARD pl_status pl__drag_add(pl_context *ctx, pl__arena *arena, const pl__drag *drag, pl__wetted_force *to);

#endif
