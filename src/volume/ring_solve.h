// src/volume/ring_solve.h -- pressures that make rings grow as they should: D P W D^T phi = b.
#ifndef PL_VOLUME_RING_SOLVE_H
#define PL_VOLUME_RING_SOLVE_H

#include "rings.h"
#include "sparse/constraint.h"

// The nodes of the rings are nodes [first_node, first_node + node_count) of these.
typedef struct pl__ring_system
{
    pl__rings *rings; // assembled
    int32_t first_node;
    const double *inverse_mass;         // [3 nodes] W, per component; 0: immovable
    const pl__constraints *constraints; // on changes of velocity; may be NULL
    double *change;                     // [3 nodes] scratch
    double give; // relative to the diagonal: rings yield so much to the pressure that they ask for
    double dt;   // of the step: errors are measured by what it makes of a ring [s]
} pl__ring_system;

// Solve for rings->impulse with the right-hand side in rings->work.r [m^3/s]; limits are relative errors of volumes
// over a step. Then v += P W D^T impulse.
pl__minres_info pl__ring_solve(pl_context *ctx, const pl__ring_system *system, const pl__minres_limits *limits,
                               double *v);

#endif
