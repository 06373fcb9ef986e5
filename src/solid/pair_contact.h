// src/solid/pair_contact.h -- pairs of surfaces that are pressed onto each other, within a solve.
//
// The solve is for A v = b, A = M + dt D + dt^2 K of an implicit step, or M + h D of a short one: the least of 1/2 v A
// v - b v. A pair that meets in the step (contact/foresee.h) has the relative velocity s(v) = sum_i w_i v_i of its
// points, with normal n, and may not come nearer than it rests,
//
//     a(v) = n . s(v) + allowed >= 0.
//
// Impulses that stop it after the solve would be too late: they know masses only, and in a long step the mass of a
// surface node is nothing to what is behind it. So they are part of the solve, by the augmented Lagrangian (Hestenes,
// Powell 1969): with an impulse p >= 0 and a penalty k, add
//
//     k/2 a(v)^2 - p a(v),          and after the solve          p <- max(0, p - k a(v)),
//
// that is k w_i w_j n n^T to the blocks of A, (p - k (allowed + given)) w_i n to b, and solve again from there until
// a(v) is small. What p lacks falls by 1/(1 + k S) in a round, S the velocity that a unit of impulse makes. k is
// `firmness` times what the diagonal blocks of A know of 1/S. The true S is larger, the stiffer the body the more: a
// few rounds suffice, and conjugate gradients hardly feel k, as its own blocks are part of their preconditioner (ten
// times as firm took 1.8 times the iterations in a stack). Nodes that are pinned, asleep or of objects have `given`
// velocities.
//
// Pairs with p - k a <= 0 are not held. Which they are is found by Newton's method, as the function is convex and in
// pieces quadratic: where a solve leaves others than were held in it, the way to its result is gone only to where the
// function is least. Without that, and with friction from the start, sets of pairs came and went for ever in impacts.
// Pairs that meet by the new velocities are added.
//
// Friction comes once a pair is held. What slid before the step begins as one that slides, all else sticks. A pair that
// sticks has the same as above in the directions across n, with s for a and an impulse r there. Where |r - k s| > mu p
// it slides, and has the impulse mu p (r - k s)/|r - k s| in the next solve, and -mu p s/|s| afterwards. Where that
// pulls it back, it has the drag
// -(mu p/|s|) s' instead, with the s of the solve before, which never turns a velocity round (the lagged diffusion of
// Vogel & Oman 1996), until the drag is more than mu p; where much less is enough, or the drag is above k, it sticks.
// Drag alone, from sticking on, took one round for every doubling of the velocity. The last rounds leave friction as it
// is.
//
// Every impulse is given to both sides: momentum is kept by whatever is done here, however early it ends.
//
// What it does badly: impulses start from nothing in every step, since no memory of them is kept; normals are those of
// the linear step; a block within some per cent of the limit of friction may hold or creep.
#ifndef PL_SOLID_PAIR_CONTACT_H
#define PL_SOLID_PAIR_CONTACT_H

#include "contact/watch.h"

// The pairs of a step, which somebody else looks for.
typedef struct pl__pair_contacts
{
    pl__contact_pair *pair; // [count]
    int32_t count;
    int32_t ready; // the first of them that have no stiffness yet
    bool waits;    // the last update found no impulses: the next one does
    bool firm; // damping holds pairs so firmly that one which pulls hardly shows it in its velocity: all have to be let
               // go
    const double *v_start; // before the step
    double dt;
} pl__pair_contacts;

// Penalties, by the inverses of the diagonal blocks of A; of all pairs, or of those that are new.
void pl__pair_contact_stiffen(pl__pair_contacts *press, const double *block, bool all);
// out += the matrix of the pairs times in; returns in times that.
double pl__pair_contact_multiply(const pl__pair_contacts *press, const double *in, double *out);
// The same into the inverses of the diagonal blocks, which were `plain` without pairs.
void pl__pair_contact_precondition(const pl__pair_contacts *press, const double *plain, double *block);
// What pairs add to the right-hand side.
void pl__pair_contact_add_rhs(const pl__pair_contacts *press, double *rhs);
// After a solve: whether the same pairs are held at v as were in it.
bool pl__pair_contact_stays(const pl__pair_contacts *press, const double *v);
// If not, how much of the way from v to its result to go: to where the function that is solved for is least, whose
// other part has this slope at v, and this curvature.
double pl__pair_contact_search(const pl__pair_contacts *press, const double *v, const double *way, double slope,
                               double curvature);
// Then, at the v that was reached, which are held; and new impulses, if the way was gone to its end and hardly any
// changed. True if it has to be solved again. `frozen`: friction stays as it is; what is left is convex and comes to an
// end.
bool pl__pair_contact_update(pl__pair_contacts *press, const double *v, bool arrived, bool frozen);
// By how much v brings a pair too near in the end, at most, over the distance at rest.
double pl__pair_contact_deepest(const pl__pair_contacts *press, const double *v);
// out += share times the impulses.
void pl__pair_contact_add_impulses(const pl__pair_contacts *press, double share, double *out);
// Their product with velocities of the free nodes.
double pl__pair_contact_power(const pl__pair_contacts *press, const double *v);
// What friction took while velocities went from v_start to v [J].
double pl__pair_contact_friction_work(const pl__pair_contacts *press, const double *v_start, const double *v);

#endif
