// src/solid/object_contact.h -- nodes against objects within a step (thesis 3.2).
//
// Steps 4 and 7 of the list in semi_implicit.c, and what print leaves out: contacts in the first solve, and friction in
// both.
//
// Print solves step 1 as if nothing were in the way, and then stops nodes at surfaces; in both solves it lets friction
// act on the nodes at the surface afterwards. Damping has by then carried their fall into their neighbours, which go
// on: near its limit of friction a damped body creeps for ever. Here nodes have a footing from the start. Those that
// begin the step on a surface, with an explicit velocity into it, are held in the solve: along the normal, or
// altogether if Gamma would stop them. The residual r of the solve is the impulse that held them:
//
//     a node that sticks    stays if |r_T| <= mu |r_N|, else it slides along r_T;
//     a node that slides    is pressed on by |r_N|, and gets -mu |r_N| v/|v| for that, linear about the direction in which it slides;
//     a node with r_N > 0   is pulled off, and is free.
//
// Where damping connects nodes and some of them slide, the solve is done once more with these impulses in it, so that
// they too reach the neighbours, and what is missing then for the new r_N is added to the nodes alone, as in print;
// nobody is turned round by friction. For nodes that nothing connects all this is print's method to the bit, which is
// exact.
//
// No memory of earlier steps is needed, and none has to be saved.
//
// What objects did to a node, for reports: the impulse at the end of a step is
//
//     m (v* - v)                  when it landed,
//     -r + friction in rhs        in the second solve (twice, where that finds the middle), and in the first one by 2.9,
//     m (v' after - v' before)    in step 7,
//
// so that momentum balances to the accuracy of the solves. Its part along the normals is `pressed`; the rest is
// friction, whose work is its product with the mean of the velocities before and after, relative to the surface.
#ifndef PL_SOLID_OBJECT_CONTACT_H
#define PL_SOLID_OBJECT_CONTACT_H

#include "contact/foothold.h"
#include "solids.h"

typedef struct pl__object_contact
{
    pl__solids *s;
    pl__object *object; // [object_count]
    int32_t object_count;
    double dt;
    bool trapezoid;               // all bodies go by thesis 2.9; else shells only
    bool sleepers;                // some bodies sleep
    const double *friction_table; // [body_count object_count] friction of pairs that have their own, below 0 of others;
                                  // NULL: none has
    double *depth;                // [node_count] of pl__object_contact_depths
    int32_t first;                // node of those
    bool whole;     // implicit Euler: nodes are so coupled that one which began to slide may have to be held after all
    bool projected; // the method before thesis 3.2: positions along the normal, no friction from the solve
} pl__object_contact;

// After objects have moved.
void pl__object_contact_prepare(const pl__object_contact *touch);

// First solve. Which nodes have a footing, by the explicit velocities v_end; those get the velocities at which they are
// held.
void pl__object_contact_expect(const pl__object_contact *touch);
// After the solve, the friction of nodes that slide, into rhs. False if none does.
bool pl__object_contact_friction_first(const pl__object_contact *touch);
// The matrix of that friction: out += C in, returns in . C in.
double pl__object_contact_drag(const pl__object_contact *touch, const pl__constraints *constraints, const double *in,
                               double *out);
// At the end of it, the velocities that nodes would have if nothing held them; those that slide have theirs already.
void pl__object_contact_let_go(const pl__object_contact *touch);

// Thesis step 4. v_start holds v^n and becomes v*, x_end becomes x^(n+1).
void pl__object_contact_collide(const pl__object_contact *touch);

// Second solve: the velocities at which nodes that stick are held, and friction, as above.
void pl__object_contact_hold(const pl__object_contact *touch);
bool pl__object_contact_friction_second(const pl__object_contact *touch);
// Thesis step 7, on the velocities at the end of the step. Then `pressed` and `worn` of all nodes that touch are known.
void pl__object_contact_finish(const pl__object_contact *touch);

// Implicit Euler, which is one solve: contacts are found by where its velocities lead, and held in the same solve when
// it is repeated. Nodes that v_end takes into objects get a footing (or, in a corner, are held along all normals) and
// velocities that just reach the surface. True if there are new ones. Pinned nodes must be marked PL__PINNED.
bool pl__object_contact_meet(const pl__object_contact *touch);
// After the solve, friction as above; what pulls is let go. True if it has to be solved again.
bool pl__object_contact_friction(const pl__object_contact *touch);
// When rounds are over in which nodes could not agree: a body that sticks, but is pushed by more than friction has in
// all, slides as a whole. True if one does: it has to be solved again, and no more.
bool pl__object_contact_yield(const pl__object_contact *touch);
// At the end of it, friction in corners, and `pressed` and `worn` of all nodes that touch.
void pl__object_contact_leave(const pl__object_contact *touch);
// Put x_end out of all objects, which contacts held along one direction may have entered by their curvature.
void pl__object_contact_push_out(const pl__object_contact *touch);

// Objects that a node with velocity v cannot go through, for whoever changes that: before it moves from x for dt, those
// within `reach` of its way [m]; or, `at_end`, those that it touches. False if there are none.
bool pl__object_contact_stand(const pl__object_contact *touch, int32_t node, const double v[3], double reach,
                              bool at_end, pl__foothold *foothold);
// What came of it in the end, for reports: the impulse that a node got from objects beyond what is known [N s].
void pl__object_contact_note(const pl__object_contact *touch, const pl__foothold *foothold);

// How deep the nodes [begin, end) are inside objects where all are now, 0 outside: depth [node_count] [m].
void pl__object_contact_depths(const pl__object_contact *touch, int32_t begin, int32_t end, double *depth);

#endif
