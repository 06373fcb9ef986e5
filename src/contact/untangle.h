// src/contact/untangle.h -- surfaces that cross where an interval begins are pulled apart, some way per interval.
//
// Keeping from crossing what crosses already would lock it. Nodes of triangles that cross are marked, pairs of features
// with marked nodes are left to this file, and each edge that passes a triangle is pulled along a direction d, relative
// to the triangle:
//
//     between closed surfaces         d = the mean of N, the normals to the outside of what is pierced along one line of
//                                     crossing; N itself where that leads inside;
//     where crossings cut a surface   the smaller piece goes back: d = N or -N, to the side of the larger one;
//     elsewhere                       so that the line along which both surfaces cross becomes shorter, d ~ G =
//                                     sum over the triangles beside the edge of R - 2 (E.R)/(E.N) N,
//
// with E the direction of the edge and R that of the line into a triangle beside it. What is pulled gets no speed, and
// loses what speed it has against d. Pulls are impulses between two points at one place: linear and angular momentum
// are kept to round-off.
//
// Volino & Magnenat-Thalmann 2006 (G); Baraff, Witkin & Kass 2003 (pieces that crossings cut off).
#ifndef PL_CONTACT_UNTANGLE_H
#define PL_CONTACT_UNTANGLE_H

#include "crossings.h"

// An edge that is pulled through a triangle, as a linear form like pl__contact: sum_i weight_i x_i is zero where it
// passes.
typedef struct pl__pull
{
    int32_t node[5]; // of the edge, of the triangle
    double weight[5];
    double direction[3]; // unit
    double way;          // at least, in this interval [m]
} pl__pull;

// Of nodes, bits.
typedef enum pl__mark
{
    PL__MARK_TANGLED = 1, // of a triangle that passes through another
    PL__MARK_BESIDE = 2,  // an edge leads to a tangled one
    PL__MARK_TOUCHING = 4 // of a triangle that passes through another or touches it
} pl__mark;

typedef struct pl__untangle
{
    pl_context *ctx;
    const pl__surfaces *surfaces;
    pl__crossing_list list;
    int64_t tangled_count; // pairs of triangles that pass through each other
    uint8_t *mark;         // [node_bound] of pl__mark
    uint8_t *pierced;      // [edge_count] 1: passes a triangle
    int32_t *piece;        // [vertex_count] a forest; roots are the least vertices of pieces that no piercing connects
    int32_t *piece_size;   // [vertex_count] of roots: vertices
    int32_t *line;         // [triangle_count] likewise triangles that cross each other, along one line
    double *out;           // [3 triangle_count] of roots: the way out of the part with the lower number for the others
    int32_t pull_count;
    pl__pull *pull; // [pull_count]
    size_t pull_capacity;
} pl__untangle;

PL_NODISCARD pl_status pl__untangle_create(pl__tree *tree, pl__untangle *untangle);
// Harmless when clear.
void pl__untangle_destroy(pl__untangle *untangle);

// Find what crosses at x [3 nodes + 1], mark it and decide where to pull. `clearance` [m]: how far beyond a triangle
// what passed it shall be.
PL_NODISCARD pl_status pl__untangle_look(pl__untangle *untangle, const double *x, double clearance);
// Nothing crosses: no marks, no pulls.
void pl__untangle_clear(pl__untangle *untangle);

// Whether a pair of features is tangled: three of its nodes, so that one feature is so all over, and the fourth at
// least beside.
bool pl__untangle_has(const pl__untangle *untangle, const int32_t node[4]);
// Whether it is tangled, or may touch from the beginning: then there is no telling whether it passes on its way.
bool pl__untangle_doubts(const pl__untangle *untangle, const int32_t node[4]);

// Pull: change where an interval ends, and the velocities there.
void pl__untangle_pull(const pl__untangle *untangle, const double *x_start, const double *inverse_mass, double *x_end,
                       double *v);

#endif
