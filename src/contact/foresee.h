// src/contact/foresee.h -- how a pair will meet in a long step.
//
// In a short step a pair meets as it is: the closest points and the normal between them serve to its end. In a step in
// which a vertex passes several triangles they do not. The triangle beside the one that it slides on is ahead of it,
// and would stop it like a wall. So the pair is followed along straight ways to where it first is too near
// (conservative advancement: no pair comes nearer by more than its nodes move relative to each other), and the closest
// points there are what it is held by. Three things keep flat surfaces flat:
//
//     a pair that is apart at first meets at PL__ADVANCE_TARGET of the distance at which pairs rest: what rests a hair too low has no wall ahead;
//     a vertex nearly above a triangle, but beside it, meets its plane;
//     edges that are nearest at an end of one of them leave that to the vertex there.
#ifndef PL_CONTACT_FORESEE_H
#define PL_CONTACT_FORESEE_H

#include "closest.h"

// Nodes at x move by dt v. `contact` is the pair at x; it becomes what the pair meets by: `when`, in [0, 1) of the way,
// and by `gap`, how much its points may approach along the normal, from x, until it rests (below 0: too near). False if
// it does not meet.
bool pl__foresee(const double *x, const double *v, double dt, pl__pair_kind kind, double rest, pl__contact *contact,
                 double *when, double *gap);

#endif
