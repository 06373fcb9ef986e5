// src/fluid/tension.h -- surface tension: the pressure inside the surface of a liquid is sigma kappa.
//
// sigma [N/m] is the tension and kappa = div n [1/m] the sum of the principal curvatures, n outwards: 2 / R of a drop.
// Between a cell of liquid and one of air the ghost fluid method (pressure.h) has the surface at the part theta of the
// way, and there q = p dt / (rho h) is now s = sigma kappa dt / (rho h) instead of 0:
//
//     u' = u - G q / theta,    where G q = s - q of the liquid    =    (u - s / theta) + q / theta
//
// so that tension is a push on the faces that the surface cuts, before a projection with pressure 0 in the air.
//
// Curvature is the second derivative of phi, and phi is a distance of first order (redistance.c): the usual stencils
// are wrong by as much as they measure. Instead a surface of second degree is fitted to all places within 3 cells at
// which the surface cuts an edge of the lattice, by least squares, in a frame (s, t, n) with its origin on the surface:
//
//     z = c + a1 s + a2 t + (1 + z^2 / (s^2 + t^2)) (b11 s^2 + 2 b12 s t + b22 t^2)
//
// The factor makes it exact for spheres, on which s^2 + t^2 + z^2 = -2 R z. Weights are (1 - r^2 / 9 h^2)^8: with
// broader ones, as ^4, the fit to some short waves has the wrong sign, and these grow. Beyond walls the surface is
// mirrored, so that it meets them at a right angle.
//
// Curvature is taken where the surface will be after another step, kappa(phi - dt u . grad phi), as a step that is
// implicit to first order would (Hysing 2006; Raessi, Bussmann & Mostaghimi 2009). A wave of frequency w decays by
// w^2 dt / 2, which nobody sees of long ones, and what the fits feed into short ones dies out.
//
// What it does badly: waves shorter than 4 cells have almost no tension. Drops and sheets of less than 2 cells have
// what curvature their neighbourhood suggests, and never more than 2 / h. A drop of 6 cells' radius at rest shivers
// with some percent of the speed of its waves, sqrt(sigma / (rho R)).
#ifndef PL_FLUID_TENSION_H
#define PL_FLUID_TENSION_H

#include "grid.h"
#include "boundary.h"
#include "levelset.h"

// Curvature [1/m] of the surface at its place next to uniform cells that it separates from a neighbour; 0 elsewhere.
// `curvature` [numbers of cells].
void pl__tension_curvature(pl_context *ctx, const pl__levelset *ls, double *curvature);

// Redistancing moves the surface of a ball by up to 0.08 cells, here and there, and differently when it has moved on:
// tension would answer with currents of a third of the speed of its waves. So where phi was still about a distance
// `before`, it stays as it was: within a cell of the surface all of it, beyond 2 nothing, and where |grad phi| is off 1
// by less than 0.05 all, by more than 0.2 nothing. `before` has the numbers of the cells of `after`.
void pl__tension_keep(pl_context *ctx, double *before, const pl__levelset *after);

// phi after a further dt along u, near the surface.
void pl__tension_foresee(pl_context *ctx, const pl__levelset *ls, const pl__grid *grid, double *const u[3], double dt,
                         double *ahead);

typedef struct pl__tension
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const uint8_t *liquid;   // [numbers of cells] has a pressure (pressure.h)
    const double *phi;       // [numbers of cells] [m]
    const double *curvature; // [numbers of cells] [1/m]
    double strength;         // sigma dt / (rho h) [m^2/s]
} pl__tension;

// Push the faces between liquid and air.
void pl__tension_push(pl_context *ctx, const pl__tension *t, double *const u[3]);

// Square of the frequency of the shortest wave of a grid, 2 h long, on deep liquid: g k + sigma k^3 / rho [1/s^2].
double pl__tension_frequency2(double h, double gravity, double tension, double density);

#endif
