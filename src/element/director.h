// src/element/director.h -- the directors of bends: how neighbouring triangles share the angle between them.
//
// A director is the normal of the surface at the middle of an edge. It leans towards one of the two triangles by delta,
// so that of the angle theta one side turns by phi = c theta + delta and the other by phi' = (1 - c) theta - delta
// (bend.h). At rest under load delta has the least energy: the moments M = K phi and M' = K' phi' of both sides agree.
// That is Morley's plate, which converges on every mesh; with delta = 0 it is as stiff as the worst way to share.
//
// Delta is relaxed by damped Jacobi sweeps, of all edges at once,
//
//     delta -= w (M - M')/(K_ee + K'_ee),   w = 0.6,
//
// a few per step, and kept. A matrix of three rows with a diagonal of one has no eigenvalue above 3, so any w below 2/3
// lowers the energy on every mesh; the other end of the spectrum is that of single triangles too (0.2 to 0.5 of the
// diagonal for good ones), so the number of sweeps does not grow with the mesh. A step resolves the stretching of the
// smallest triangle and bending is far slower than that, so directors follow what bends, and what little they lag
// behind damps. The step bound is that of delta at rest within a step.
//
// A triangle whose corners are all pinned is a clamp: its directors are its normal, so that a neighbour has all of the
// angle, and it does not bend itself. (With directors that give way, a strip pinned at its last two rows of nodes would
// lie on two knife edges: the heavy elastica hangs 11 % too low on 16 segments.)
//
// The order: forces at the beginning of a step leave moments (pl__force_job.keep_moments) and are used; then the
// sweeps; then all further forces, which are fresh for the delta that a snapshot saves. Moments change in the sweeps as
// K does with delta, so neither angles nor positions are read again. Both sides of an edge compute the same number of
// opposite sign.
//
// Morley 1968; Hellan-Herrmann-Johnson shells (Neunteufel & Schoeberl 2019) and Grinspun, Gingold, Reisman & Zorin 2006
// use the same directors, solved for with the positions.
#ifndef PL_ELEMENT_DIRECTOR_H
#define PL_ELEMENT_DIRECTOR_H

#include "element.h"

typedef struct pl__director_block
{
    int32_t twin[3]
                [PL_ELEMENT_LANES]; // where in the group's moments the other side of the edge is; itself: no neighbour
    double rate[3][PL_ELEMENT_LANES]; // w/(K_ee + K'_ee) [rad/J]
} pl__director_block;

enum
{
    PL__DIRECTOR_SWEEPS = 2 // of a step
};

// Directors of a group of bends, none of which has a twin yet; after joining, and whenever materials change, set rates.
pl_status pl__directors_create(pl_context *ctx, pl__element_group *group);
void pl__directors_destroy(pl_context *ctx, pl__element_group *group);
// Edges are 3 element + edge.
void pl__directors_join(pl__element_group *group, int32_t edge, int32_t twin);
void pl__directors_set_rates(pl__element_group *group);
// After `held` of some elements has changed: shares, stiffnesses and rates. Directors of those triangles return to
// their places.
void pl__directors_hold(pl__element_group *group);

// Sweep number `sweep` over the blocks [begin, end), from moment[sweep % 2] to the other one. All blocks of the group
// have to be swept before the next number.
PL_KERNEL_DECLARE(void, pl__directors_relax,
                  (const pl__element_group *group, int32_t sweep, int32_t begin, int32_t end));

#endif
