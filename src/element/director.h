// src/element/director.h -- the directors of bends: how neighbouring triangles share the angle between them.
//
// A director is the surface normal at the middle of an edge. It deviates towards one of the two triangles by delta, so
// that of the angle theta one side has phi = c theta + delta and the other phi' = (1 - c) theta - delta (bend.h). In
// equilibrium delta minimises the energy: the moments M = K phi and M' = K' phi' of both sides agree. That is Morley's
// plate, which converges on every mesh; with delta = 0 it can be far too stiff.
//
// Delta is relaxed by damped Jacobi sweeps over all edges,
//
//     delta -= w (M - M')/(K_ee + K'_ee),   w = 0.6,
//
// a few per step, and stored. A 3x3 matrix with unit diagonal has no eigenvalue above 3, so any w below 2/3 lowers the
// energy on every mesh; the other end of the spectrum is also that of single triangles (0.2 to 0.5 of the diagonal for
// good ones), so that the number of sweeps does not grow with the mesh. A step resolves the stretching of the smallest
// triangle and bending is far slower than that, so directors follow bending, and their small lag damps. The step bound
// assumes constant delta within a step.
//
// A triangle whose corners are all pinned is a clamp: its directors are its normal, so that the neighbour has the full
// angle, and it does not bend itself. (With free directors, a strip pinned at its last two rows of nodes would be
// simply supported at two lines: the heavy elastica hangs 11 % too low on 16 segments.)
//
// Order of evaluation: forces at the beginning of a step store moments (pl__force_job.keep_moments) and are used; then
// the sweeps; then all further forces, which are valid for the delta that a snapshot saves. Sweeps update moments by K
// times the change of delta, without reading angles or positions again. Both sides of an edge compute the same number
// with opposite sign.
//
// Morley 1968; Hellan-Herrmann-Johnson shells (Neunteufel & Schoeberl 2019) and Grinspun, Gingold, Reisman & Zorin 2006
// use the same directors, solved for with the positions.
#ifndef PL_ELEMENT_DIRECTOR_H
#define PL_ELEMENT_DIRECTOR_H

#include "element.h"

typedef struct pl__director_block
{
    int32_t twin[3][PL_ELEMENT_LANES]; // index in the group's moments of the other side of the edge; itself: boundary
                                       // edge
    double rate[3][PL_ELEMENT_LANES];  // w/(K_ee + K'_ee) [rad/J]
} pl__director_block;

enum
{
    PL__DIRECTOR_SWEEPS = 2 // per step
};

// Directors of a group of bends, all edges unpaired; after joining, and whenever materials change, set rates.
pl_status pl__directors_create(pl_context *ctx, pl__element_group *group);
void pl__directors_destroy(pl_context *ctx, pl__element_group *group);
// Edges are 3 element + edge.
void pl__directors_join(pl__element_group *group, int32_t edge, int32_t twin);
void pl__directors_set_rates(pl__element_group *group);
// After `held` of some elements has changed: update shares, stiffnesses and rates, and reset the directors of those
// triangles.
void pl__directors_hold(pl__element_group *group);

// Sweep number `sweep` over blocks [begin, end), from moment[sweep % 2] to the other one. All blocks of the group have
// to be swept before the next sweep.
PL_KERNEL_DECLARE(void, pl__directors_relax,
                  (const pl__element_group *group, int32_t sweep, int32_t begin, int32_t end));

#endif
