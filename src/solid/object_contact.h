// src/solid/object_contact.h -- contact of nodes with objects within a step (thesis 3.2).
//
// Stages 5 and 10 of the list in semi_implicit.c, and what the thesis leaves out: contact in the first solve, and
// friction in both.
//
// The thesis solves the first half step without contact, then stops nodes at surfaces; in both solves it applies
// friction to the surface nodes afterwards. By then damping has already transmitted the motion of those nodes to their
// neighbours, which keep moving: near its friction limit a damped body creeps forever. Here nodes have a stick/slip
// state from the start. A node that begins the step on a surface with an explicit velocity into it is constrained in
// the solve: along the normal if it slides, in all directions if the friction law Gamma would stop it. The residual r
// of the solve is the impulse that the constraint supplied:
//
//     a node that sticks    stays if |r_T| <= mu |r_N|, else it slides along r_T;
//     a node that slides    is pressed on by |r_N|, and gets -mu |r_N| v/|v| for that, linear about the direction in which it slides;
//     a node with r_N > 0   is in tension, and is released.
//
// If damping couples nodes and some of them slide, the solve is repeated with these impulses in the system, so that
// neighbours feel them too. The correction for the new r_N is then applied to the nodes alone, as in the thesis;
// friction never reverses a velocity. For uncoupled nodes this is the method of the thesis to the bit, which is exact.
//
// There is no warm start: no contact state is carried over between steps, and none has to be saved.
//
// Impulse of the objects on a node over the step, for reports:
//
//     m (v* - v)                  collision,
//     -r + friction in rhs        second solve (twice, if that finds the middle), and first solve with thesis 2.9,
//     m (v' after - v' before)    friction after extrapolation,
//
// so that momentum balances to the accuracy of the solves. Its part along the normals is `pressed`; the rest is
// friction, whose work is its product with the mean of the velocities before and after, relative to the surface.
#ifndef PL_SOLID_OBJECT_CONTACT_H
#define PL_SOLID_OBJECT_CONTACT_H

#include "contact/foothold.h"
#include "contact_rows.h"
#include "solids.h"

typedef struct pl__object_contact
{
    pl__solids *s;
    pl__object *object; // [object_count]
    int32_t object_count;
    double dt;
    bool trapezoid;               // all bodies use thesis 2.9; else shells only
    bool sleepers;                // some bodies sleep
    const double *friction_table; // [body_count object_count] friction of body-object pairs with an override, negative
                                  // for others; NULL: no overrides
    double *depth;                // [node_count] output of pl__object_contact_depths
    int32_t first;                // first node of that call
    bool foreseen;                // collide positions only (pl__object_contact_foresee)
    bool projected; // the method before thesis 3.2: positions projected along the normal, no friction in the solve
} pl__object_contact;

// After objects have moved.
void pl__object_contact_prepare(const pl__object_contact *touch);

// First solve: find the supported nodes by the explicit velocities v_end, and set those to the constrained velocities.
void pl__object_contact_expect(const pl__object_contact *touch);
// After the solve: update stick/slip states and put the friction of sliding nodes into rhs. True if the solve has to
// be repeated.
bool pl__object_contact_friction_first(const pl__object_contact *touch);
// Matrix of that friction: out += C in, returns in . C in.
double pl__object_contact_drag(const pl__object_contact *touch, const pl__constraints *constraints, const double *in,
                               double *out);
// End of the first solve: give nodes the velocities that they would have without constraint; sliding nodes keep
// theirs.
void pl__object_contact_let_go(const pl__object_contact *touch);

// Where the collision will leave nodes that move with v_end: x_end, and the normals of their contacts, as if they had
// collided already; velocities stay. Nodes that stay where they are on a surface count as sticking.
void pl__object_contact_foresee(const pl__object_contact *touch);
// Collision. v_start holds v^n and becomes v*, x_end becomes x^(n+1).
void pl__object_contact_collide(const pl__object_contact *touch);

// Second solve: constrained velocities of sticking nodes, and friction, as above.
void pl__object_contact_hold(const pl__object_contact *touch);
bool pl__object_contact_friction_second(const pl__object_contact *touch);
// Friction after extrapolation, on the velocities at the end of the step. Computes `pressed` and `friction_work` of
// all nodes in contact.
void pl__object_contact_finish(const pl__object_contact *touch);

// Implicit Euler: contacts are rows (contact_rows.h). Pinned nodes must be marked PL__PINNED. At the start of a step,
// those that are remembered; then, whenever v_end has changed, nodes that it takes into objects as well. Gaps and
// normals are those at x + dt v_end.
void pl__object_contact_begin_rows(const pl__object_contact *touch, const pl__row_memory *memory,
                                   pl__contact_rows *rows);
void pl__object_contact_find_rows(const pl__object_contact *touch, pl__contact_rows *rows);
// End of the step: contacts of nodes are those of rows that press, with `pressed` and `friction_work`. Returns how many
// nodes have some.
int32_t pl__object_contact_report_rows(const pl__object_contact *touch, const pl__contact_rows *rows);
// Push x_end out of all objects: surfaces are curved, and gaps closed to a tolerance.
void pl__object_contact_push_out(const pl__object_contact *touch);

// For velocity filters: object constraints of a node with velocity v. Before it moves from x over dt, objects within
// `reach` of its end position [m]; with `at_end`, the objects that it touches. False if there are none.
bool pl__object_contact_stand(const pl__object_contact *touch, int32_t node, const double v[3], double reach,
                              bool at_end, pl__foothold *foothold);
// Report the impulse that a node got from objects in velocity filters, beyond what is known [N s].
void pl__object_contact_note(const pl__object_contact *touch, const pl__foothold *foothold);

// Penetration depth of nodes [begin, end) at the current positions, 0 outside: depth [node_count] [m].
void pl__object_contact_depths(const pl__object_contact *touch, int32_t begin, int32_t end, double *depth);

#endif
