// src/solid/pair_contact.h -- contact between pairs of surface features within a solve, by an augmented Lagrangian.
//
// The solve A v = b of the semi-implicit step, with A = M + h D, minimises 1/2
// v A v - b v. A pair that meets in the step (contact/foresee.h) has the relative velocity s(v) = sum_i w_i v_i at its
// contact point, with normal n, and must not come nearer than its rest distance,
//
//     a(v) = n . s(v) + allowed >= 0.
//
// Impulses applied after the solve would be too late: they know nodal masses only, and in a long step the mass of a
// surface node is nothing compared with the stiffness behind it. So contact is part of the solve, by the augmented
// Lagrangian (Hestenes, Powell 1969): with an impulse p >= 0 and a penalty k, add
//
//     k/2 a(v)^2 - p a(v),          and after the solve          p <- max(0, p - k a(v)),
//
// that is k w_i w_j n n^T to the blocks of A, (p - k (allowed + given)) w_i n to b, and repeat until a(v) is small.
// The error of p falls by 1/(1 + k S) per round, where S is the velocity response to a unit impulse. k is
// PL__PAIR_PENALTY times the estimate of 1/S from the diagonal blocks of A. The true S is larger, the more so the
// stiffer the body: a few rounds suffice, and the condition number hardly suffers, since the penalty is part of the
// block preconditioner (ten times the penalty took 1.8 times the CG iterations in a stack). Nodes that are pinned,
// asleep or of objects have `given` velocities.
//
// The active set is the pairs with p - k a > 0 (`held`), found by a semismooth Newton method, as the function is convex
// and piecewise quadratic; while many pairs change, impulses wait.
//
// Friction starts once a pair is active. A pair that slid before the step starts as sliding, all others stick. A
// sticking pair has the same terms as above in the tangential directions, with s for a and an impulse r. If |r - k s|
// > mu p it slides: it gets the impulse mu p (r - k s)/|r - k s| in the next solve, and -mu p s/|s| afterwards. If
// that impulse reverses its velocity, it is replaced by the drag -(mu p/|s|) s', with the s of the previous solve,
// which never reverses a velocity (the lagged diffusivity of Vogel & Oman 1996), until the drag exceeds mu p; if much
// less suffices, or the drag is above k, the pair sticks. Drag alone, from sticking on, took one round for every
// doubling of the velocity. The last rounds freeze friction.
//
// Every impulse acts on both sides: momentum is conserved however early the rounds end.
//
// What it does badly: no warm start, impulses begin at zero in every step; normals are those of the linearised motion;
// a block within some per cent of the friction limit may hold or creep.
#ifndef PL_SOLID_PAIR_CONTACT_H
#define PL_SOLID_PAIR_CONTACT_H

#include "contact/watch.h"

// The pair contacts of a step. The collision module finds them (stage.h).
typedef struct pl__pair_contacts
{
    pl__contact_pair *pair; // [count]
    int32_t count;
    int32_t ready; // index of the first pair without a penalty
    bool waits;    // the last update left impulses alone: the next one must update them
    bool firm; // damping is so strong that tension hardly shows in the velocity of a pair: all pairs in tension must
               // be released
    const double *v_start; // velocities before the step
    double dt;
} pl__pair_contacts;

// Penalties from the inverses of the diagonal blocks of A; of all pairs, or only of new ones.
void pl__pair_contact_stiffen(pl__pair_contacts *pairs, const double *block, bool all);
// out += (matrix of the pairs) in; returns the product with in.
double pl__pair_contact_multiply(const pl__pair_contacts *pairs, const double *in, double *out);
// Add the pairs to the inverses of the diagonal blocks, which are `plain` without pairs.
void pl__pair_contact_precondition(const pl__pair_contacts *pairs, const double *plain, double *block);
// Add the terms of pairs to the right-hand side.
void pl__pair_contact_add_rhs(const pl__pair_contacts *pairs, double *rhs);
// After a solve: update the active set at v, and impulses as well if hardly any pair changed. True if the solve has to
// be repeated. `frozen`: friction is kept, which leaves a convex problem that converges.
bool pl__pair_contact_update(pl__pair_contacts *pairs, const double *v, bool frozen);
// out += share times the impulses.
void pl__pair_contact_add_impulses(const pl__pair_contacts *pairs, double share, double *out);
// Energy dissipated by friction while velocities went from v_start to v [J].
double pl__pair_contact_friction_work(const pl__pair_contacts *pairs, const double *v_start, const double *v);

#endif
