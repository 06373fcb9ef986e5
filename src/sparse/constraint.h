// src/sparse/constraint.h -- linear constraints on velocities, and the projection onto them.
//
// A constraint is a linear form that must vanish: sum_k w_k d . u_k = 0 for up to four nodes k and a direction d. Pins
// and object contacts hold one node; a point against a triangle or an edge against an edge holds four (thesis 4.4).
// With node masses m, the projection in the mass metric that satisfies one form is
//
//     u_k -= (w_k / m_k) d  (sum_j w_j d . u_j) / (sum_j w_j^2 / m_j).
//
// One-node constraints are kept per node with orthonormal directions and are exact. For the others the projections are
// applied in order and back (symmetric Gauss-Seidel), so that the whole is self-adjoint in the mass metric, which
// conjugate gradients needs, and preserves linear momentum whenever the w_k of each form sum to zero.
#ifndef PL_SPARSE_CONSTRAINT_H
#define PL_SPARSE_CONSTRAINT_H

#include "base/context.h"

// Node `node` is constrained along direction[0 .. count), which are orthonormal; count 3 constrains it fully. Along
// one further direction it may have a drag: only a fraction of the motion is removed there. That is not a constraint,
// but a good preconditioner for a system with that drag.
typedef struct pl__node_constraint
{
    int32_t node;
    int32_t count;
    double direction[3][3];
    double slow;     // fraction removed, in [0, 1)
    double drag;     // the drag [kg]
    double along[3]; // unit, orthogonal to the others
} pl__node_constraint;

typedef struct pl__link_constraint
{
    int32_t node[4];
    int32_t count; // in [2, 4]
    double weight[4];
    double direction[3]; // unit
} pl__link_constraint;

typedef struct pl__constraints
{
    const pl__node_constraint *single; // [single_count] increasing in node, each node once
    int32_t single_count;
    const pl__link_constraint *link; // [link_count]
    int32_t link_count;
    int32_t sweeps;             // of symmetric Gauss-Seidel over the links, >= 1
    const double *inverse_mass; // [3 node_count] per component
} pl__constraints;

// Index of the first single constraint whose node is at least `node`.
int32_t pl__constraints_first(const pl__constraints *constraints, int32_t node);

// The part of a node's velocity v that its constraint leaves.
void pl__constraint_hold(const pl__node_constraint *constraint, double v[3]);

// Apply the one-node constraints of nodes [begin, end) to u.
void pl__constraints_project_nodes(const pl__constraints *constraints, int32_t begin, int32_t end, double *u);

// For the constrained or dragged nodes of [begin, end): correct u = B b, with B [6 nodes] the inverses of diagonal
// blocks (xx yy zz xy xz yz), to the solution of their blocks with constraint and drag.
void pl__constraints_hold_blocks(const pl__constraints *constraints, const double *block, int32_t begin, int32_t end,
                                 double *u);

// Apply all constraints to u (3 numbers per node).
void pl__constraints_project(const pl__constraints *constraints, double *u);

#endif
