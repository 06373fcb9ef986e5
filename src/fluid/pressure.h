// src/fluid/pressure.h -- pressure that makes a liquid divergence-free, on uniform and tall cells at once
// (thesis 5.5.2).
//
// With q = p dt / (rho h) [m/s], G the difference of the cells at a face and w its open fraction, the new velocity is
//
//     u' = u - G q / theta,    D u' = 0,    D = -P^T G^T (w u + (1 - w) u_solid)
//
// so that P^T G^T (w / theta) G P q = -D u, symmetric and positive semidefinite. P takes the numbers of tall cells to
// their rows (columns.h). theta = 1 but between liquid and air, where the pressure is 0 at the surface and not at the
// center of the cell of air (ghost fluid, Enright et al. 2003): theta = phi_liquid / (phi_liquid - phi_air). Faces that
// are closed by solids in part are w open (Batty et al. 2007), and weigh rho / rho_face where there are several
// liquids; over the rows of two tall cells w enters by its moments.
#ifndef PL_FLUID_PRESSURE_H
#define PL_FLUID_PRESSURE_H

#include "boundary.h"
#include "outside.h"
#include "separation.h"
#include "sparse/column_solver.h"

typedef struct pl__pressure pl__pressure;

// [cells] Liquid has a pressure at the center of a cell from this depth on: nearer to the surface theta would be 0.
static const double pl__least_depth = 0.01;

static inline bool pl__pressure_reaches(double phi, double h) { return phi < -pl__least_depth * h; }

// Where the surface is between a cell of liquid with phi `in` and one of air with phi `out`, in parts of the way;
// beyond the latter, if that is liquid without a pressure. So it is one surface for all faces of a cell, and along a
// level one theta is without bound and the slope 0, wherever rounding has drawn the line between the two. (A smallest
// theta instead gives a cell that the surface barely cuts the pressure of .01 h, which sideways looks like a slope of
// .02.)
static inline double pl__pressure_theta(double in, double out) { return in / (in - out); }

typedef struct pl__projection
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const uint8_t *liquid;    // [numbers of cells] of uniform ones: has a pressure (liquid.h)
    const double *phi;        // [numbers of cells] of uniform ones: distance to the surface, for theta
    double dt;                // [s]
    double tolerance;         // largest |divergence| dt that is left
    const double *divergence; // [numbers of cells] wanted in uniform ones [1/s]; NULL: none
    const double *paid;       // [numbers of cells] of it, what pays for volume that is owed; NULL: none
    pl__precondition precondition;
    const pl__outside *outside; // what is beyond open sides; NULL: their velocity is given
    double gravity;             // along y, for the pressure there [m/s^2]
    double suction;             // -q that liquid bears at walls [m/s]
    const double *ratio[3];     // [numbers of faces] density / rho_face (phases.h); NULL: 1
    uint8_t *grip;              // [numbers of cells] pl__grip, a first guess and then as found; NULL: all is fast
    bool again;                 // the matrix is that of the last projection: only u and divergence differ; without grip
} pl__projection;

typedef struct pl__projection_info
{
    int32_t unknowns;
    pl__column_info solve;
    int32_t pockets;     // of liquid without air
    double incompatible; // [m^3/s] flux into them that nothing can take, and that stays
    int32_t passes;      // solves, until it was known which cells leave walls
} pl__projection_info;

PL_NODISCARD pl_status pl__pressure_create(pl_context *ctx, pl__pressure **pressure);
void pl__pressure_destroy(pl__pressure **pressure);

// Make u divergence-free. q [numbers of cells] is the first guess, and then the solution: of tall cells the values at
// their first and last row. Faces closed by solids get their velocity; faces without liquid are left alone.
// PL_ERR_MEMORY: u is unchanged, and without `grip` q is.
PL_NODISCARD pl_status pl__pressure_project(pl__pressure *pressure, const pl__projection *problem, double *q,
                                            double *const u[3], pl__projection_info *info);

#endif
