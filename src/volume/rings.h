// src/volume/rings.h -- volumes of one-rings of a body, their gradients, and the pressures that keep them.
#ifndef PL_VOLUME_RINGS_H
#define PL_VOLUME_RINGS_H

#include "base/context.h"
#include "sparse/minres.h"

// Elements that keep their volume; all of one kind.
typedef struct pl__ring_elements
{
    int32_t corners; // 4: tetrahedra, 8: hexahedra (element/hex.h), 3: triangles in a plane z = const
    int32_t count;
    const int32_t *node; // [count][corners] in [0, node_count)
    double thickness;    // of triangles [m]
} pl__ring_elements;

typedef struct pl__rings
{
    // model
    int32_t corners, node_count, element_count;
    double thickness;
    int32_t *node;   // [element_count][corners]
    int32_t *first;  // [node_count + 1] corners of each node in `corner`, in the order of elements
    int32_t *corner; // [corners element_count] element * corners + corner
    double *target;  // [node_count] volume of each ring at rest [m^3]; 0: no ring
    // rows of D: row[k] .. row[k + 1] are the nodes j whose motion changes ring k; the pattern is symmetric
    int32_t *row;    // [node_count + 1]
    int32_t *column; // [entry_count] increasing within a row
    uint16_t *place; // [corners element_count][corners] entry within its row of each corner of the element of a corner
    int32_t entry_count;

    // state
    double *pressure; // [node_count] of each ring, carried from step to step [Pa]
    // at the positions of the last pl__rings_measure and pl__rings_assemble
    double *slope;              // [element_count][corners][3] dV_e/dx_a [m^2]
    double *share;              // [element_count] V_e / corners [m^3]
    double *volume;             // [node_count] of the rings [m^3]
    double *forward, *backward; // [entry_count][3] D_kj and D_jk [m^2]

    // of a step and of its solves (volume/ring_solve.h)
    double *next;             // [node_count] pressures of the step in progress
    double *from;             // [node_count] the same before the last solve
    double *goal;             // [node_count] volumes at its end
    int32_t solves;           // of Newton's method in this step
    double square, part;      // errors before the last one, squared; and as much of it as was taken
    double factor;            // on all targets: below or above 1, the body shrinks or swells
    double *impulse;          // [node_count + padding] unknowns of a solve: pressure times time [Pa s]
    double *inverse_diagonal; // [node_count] preconditioner; 0: no ring, or none of its nodes is free
    double *scale;            // [node_count] from residuals to relative errors
    int32_t *held;            // [node_count] constraint of each node, or -1
    pl__minres_work work;
} pl__rings;

// Rings of a body with nodes at rest at X [3 node_count]. Nodes of no element have no ring. `out` is untouched on
// failure.
PL_NODISCARD pl_status pl__rings_create(pl_context *ctx, const pl__ring_elements *elements, int32_t node_count,
                                        const double *X, pl__rings *out);
void pl__rings_destroy(pl_context *ctx, pl__rings *rings);

// Volumes of elements and rings at x [3 node_count], and the gradients of the former.
void pl__rings_measure(pl_context *ctx, pl__rings *rings, const double *x);
// D at the positions of the last measurement.
void pl__rings_assemble(pl_context *ctx, pl__rings *rings);

// At the positions of the last assembly: out = D v and out = D^T p, [node_count] and [3 node_count].
void pl__rings_divergence(pl_context *ctx, const pl__rings *rings, const double *v, double *out);
void pl__rings_push(pl_context *ctx, const pl__rings *rings, const double *p, double *out);

// The latter for one node.
static inline void pl__ring_push(const pl__rings *r, int32_t node, const double *p, double out[3])
{
    const int32_t *column = &r->column[r->row[node]];
    const double *D = &r->backward[3 * (size_t)r->row[node]];
    double x = 0, y = 0, z = 0;
    for (int32_t i = 0, count = r->row[node + 1] - r->row[node]; i < count; ++i, D += 3)
    {
        double pressure = p[column[i]];
        x += D[0] * pressure;
        y += D[1] * pressure;
        z += D[2] * pressure;
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

// force += D(x)^T pressure, at any x; overwrites the measurement.
void pl__rings_add_force(pl_context *ctx, pl__rings *rings, const double *x, const double *pressure, double *force);

// Volume of one element at its corners x and its gradient.
double pl__ring_volume_slopes(int32_t corners, double thickness, const double (*x)[3], double (*slope)[3]);

#endif
