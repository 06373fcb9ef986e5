// src/fluid/viscosity.h -- an implicit step of viscosity and elasticity: liquids from oil to pitch and jelly, at any
// time step.
//
//     (V + B^T W f (1 + b d d^T) B) u = V u* + i,     f = dt (2 mu + k dt) / rho
//
// with k dt the stress that elasticity gains by a rate of strain within the step (elastic.h) and i impulses, for the
// unknown faces of a strain (strain.h), symmetric and positive definite on all that has mass, by conjugate gradients
// from u*. Energy decreases; momentum and angular momentum of what touches nothing stay.
//
// d^T B u is the divergence of a cell. Pressure comes before and after, and is 0 at the surface, so it has no part in
// the normal stress there: a column would resist compression by 2 mu only, not by 4 mu as in a plane, or by 3 mu as in
// space (Trouton). So the solve has a pressure of its own, with the right condition, as the method of multipliers finds
// it: a stress P in cells [Pa], from the step before, that grows by what the penalty b leaves of divergence,
//
//     i -= dt/rho B^T W d P,     P += rho/dt f b d^T B u.
//
// In motion that changes slowly P is what incompressibility asks for; what has no divergence feels nothing of b. The
// price is iterations: for dough of 32^3 7 with b = 0.5 or 1, 7 with 2, 10 with 5. With 1, 2 and 5 a column sinks
// alike.
//
// The iteration stops when the largest residual is `tolerance` times the largest speed: what is left of the force on a
// face would change the velocity of a cell full of liquid by so much in the step. As V is at most 1 and the rest only
// stiffens, that bounds the error of velocities in the norm of energy, too.
//
// `separate` leaves out what couples the components: three heat equations, as in the thesis. They hold back liquid that
// turns, and are kept for comparison only.
//
// The residual is found in double precision by samples; what it asks for in single precision by stencils, with the
// diagonal or multigrid as preconditioner (viscous_grid.h), and so on until the residual is small enough. Batty &
// Bridson 2008.
#ifndef PL_FLUID_VISCOSITY_H
#define PL_FLUID_VISCOSITY_H

#include "sparse/column_solver.h"
#include "strain.h"

typedef enum pl__viscosity_precondition
{
    PL__VISCOSITY_AUTOMATIC, // multigrid where mu dt / (rho h^2) is large
    PL__VISCOSITY_DIAGONAL,
    PL__VISCOSITY_MULTIGRID
} pl__viscosity_precondition;

typedef struct pl__viscosity_problem
{
    pl__strain_def strain;
    double dt;        // [s]
    double viscosity; // mu [Pa s]
    double density;   // [kg/m^3]
    double bulk;      // b >= 0
    double tolerance; // relative to the largest speed
    pl__viscosity_precondition precondition;
    bool separate;            // a heat equation for each component
    double stiffness;         // k [Pa]
    const pl__strain *sample; // rows that have been made for `strain`; NULL: they are made here
    const double *impulse;    // [unknowns] i [m/s]; NULL: none; with `sample`
    const double *mixed;      // [samples] 2 mu + k dt of several liquids, with `sample`, whose masses are rho V over
                              // `density`; NULL: that of the numbers above
    double *stress;           // [numbers of cells] P [Pa], before and after; NULL: none
} pl__viscosity_problem;

typedef struct pl__viscosity_info
{
    int32_t unknowns, iterations;
    pl__stop stop;
    double first_residual, residual; // largest, of u* and of the solution, true [m/s]
    bool multigrid;
} pl__viscosity_info;

typedef struct pl__viscosity pl__viscosity;

PL_NODISCARD pl_status pl__viscosity_create(pl_context *ctx, pl__viscosity **viscosity);
void pl__viscosity_destroy(pl__viscosity **viscosity); // NULL is allowed

// Take u* to u. Known faces get their velocity; faces far from liquid are left alone. PL_ERR_MEMORY: u is unchanged.
PL_NODISCARD pl_status pl__viscosity_solve(pl__viscosity *viscosity, const pl__viscosity_problem *problem,
                                           double *const u[3], pl__viscosity_info *info);

#endif
