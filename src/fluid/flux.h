// src/fluid/flux.h -- velocity carried in conservation form, by first order upwind fluxes (thesis 5.5.1): for the faces
// of tall cells, and for uniform faces whose semi-Lagrangian donors are tall.
//
// Defined on the rows of the uniform grid (columns.h), with c = dt / h and one control volume around every face, half
// of it in either of its two cells:
//
//     u*(face) = u(face) - c sum q u_up      over the six sides, q the flux outwards
//     u_up     = u(face) where q > 0, else u of the face beyond the side
//
// and then least squares (5.1) onto each run. q is the mean of the fluxes of the faces before and behind: thesis (5.5)
// prints u_up^2 where it should be u_av u_up. Fluxes of faces are
//
//     horizontal   w u + (1 - w) u_solid on uniform rows; on a LINEAR run the line with the two moments of w u
//     vertical     likewise on uniform rows; inside a tall cell CLOSED: that below it minus the net horizontal outflow
//                  of the rows up to there, quadratic in the row
//
// Pressure makes two moments of a tall cell divergence-free, not its rows. With the one number that is stored for its
// vertical velocity the factors of a new velocity do not add up to 1, which is what thesis 5.5.1 mends with its affine
// combinations. Closed fluxes are divergence-free in every row and meet the flux above the tall cell to the tolerance
// of the solver. Then constants stay, and within the CFL condition u* is made of u by a doubly stochastic matrix:
// kinetic energy does not grow, momentum is exact.
//
// Faces that are not stored have no flux and the velocity `wall`. At the walls of the domain the flow beyond is as at
// the wall.
//
// What it does badly: it smears as all first order upwinding does, the more as tall cells do not resolve what is
// smeared; and closed fluxes are larger than stored velocities, so that more substeps are needed.
#ifndef PL_FLUID_FLUX_H
#define PL_FLUID_FLUX_H

#include "base/arena.h"
#include "boundary.h"

typedef enum pl__flux_form
{
    PL__FLUX_CLOSED,
    PL__FLUX_PLAIN, // vertical fluxes as they are stored: as in the thesis, for comparison
    PL__FLUX_AFFINE // the same; what has factors of a sum above 1 is divided by that
} pl__flux_form;

typedef struct pl__flux_problem
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const double *u[3];       // [numbers of faces] carries, frozen over dt
    const double *carried[3]; // [numbers of faces] is carried; NULL: u
    const uint8_t *mask[3];   // [numbers of faces] uniform faces to be carried too; NULL: none
    double dt;                // [s]
    double wall;              // what faces have that are not stored: 0 for velocity
    pl__flux_form form;
} pl__flux_problem;

typedef struct pl__flux_info
{
    int32_t substeps;
    double cfl;          // largest dt (flux out of a control volume) / h; a substep has at most 1
    double weight_error; // largest |sum of factors - 1| of a substep
    int64_t evaluations; // of rows and of points between them, in all substeps: independent of the rows of tall runs
} pl__flux_info;

// Writes the numbers of runs that are not uniform, and of uniform faces in `mask`, to `result`, which is not `carried`.
// Other uniform faces keep what they carry meanwhile. PL_ERR_MEMORY: nothing has changed.
PL_NODISCARD pl_status pl__flux_advect(pl_context *ctx, pl__arena *arena, const pl__flux_problem *problem,
                                       double *const result[3], pl__flux_info *info);

#endif
