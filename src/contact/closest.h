// src/contact/closest.h -- closest points of a vertex and a triangle, of two edges.
#ifndef PL_CONTACT_CLOSEST_H
#define PL_CONTACT_CLOSEST_H

#include "base/context.h"
#include "base/cpu.h"

typedef enum pl__pair_kind
{
    PL__VERTEX_FACE, // vertex 0, triangle 1 2 3
    PL__EDGE_EDGE    // edge 0 1, edge 2 3
} pl__pair_kind;

// What may touch, as four nodes.
typedef struct pl__pair
{
    int32_t node[4];
    int32_t kind; // pl__pair_kind
} pl__pair;

// Two closest points as a linear form: sum_i weight_i x_i leads from the point on the second thing (the triangle, the
// edge 2 3) to the point on the first, and is distance * normal. Weights of the first are >= 0 and add up to 1, those
// of the second are <= 0 and add up to -1.
typedef struct pl__contact
{
    int32_t node[4];
    double weight[4];
    double normal[3]; // unit, from the second thing to the first
    double distance;  // [m]
} pl__contact;

// The closest points of four points in space; `node` is left alone. Right for triangles and edges of no size, too.
// Where the distance is less than 2^-40 of the longest edge, the offset says nothing about a direction, and the normal
// is that of the triangle or of both edges, on the side of the offset; failing that, a unit vector across the longest
// edge, or the second axis.
void pl__closest_vertex_face(const double x[4][3], pl__contact *contact);
void pl__closest_edge_edge(const double x[4][3], pl__contact *contact);

// The normal and the distance, from the offset.
void pl__contact_direct(const double x[4][3], pl__pair_kind kind, const double offset[3], pl__contact *contact);

// Pairs of one kind that are nearer than `within`, in their order; `contact` has room for `count`. Returns how many.
// x [3 nodes + 1]: the number after the last node is read and ignored.
PL_KERNEL_DECLARE(int32_t, pl__closest_near,
                  (const double *x, const pl__pair *pair, int32_t count, double within, pl__contact *contact));

#endif
