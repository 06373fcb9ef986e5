// src/mesh/bvh.h -- bounding volume hierarchy over the triangles of a surface, for closest points and crossings.
#ifndef PL_MESH_BVH_H
#define PL_MESH_BVH_H

#include "mesh.h"

// A box around consecutive triangles of the tree's order. The first child of an inner node follows it directly.
typedef struct pl__bvh_node
{
    double lower[3], upper[3];
    int32_t begin, end;   // triangles [begin, end) in tree order
    int32_t second_child; // 0 in a leaf
} pl__bvh_node;

// Coordinates inside are relative to `center`, so that a model far from the origin loses no more digits.
typedef struct pl__bvh
{
    pl_context *ctx;
    int32_t triangle_count;
    int32_t node_count;
    double center[3];   // centre of the bounding box of all triangles
    double extent[3];   // and its side lengths
    pl__bvh_node *node; // [node_count]  node 0 is the root, parents before children
    double *corner;     // [9 triangle_count]  the three corners of each triangle, in tree order
    int32_t *triangle;  // [triangle_count]  its number in the surface
    int32_t node_capacity;
} pl__bvh;

// Build a hierarchy over a copy of the triangles. The same surface gives the same tree on every machine.
PL_NODISCARD pl_status pl__bvh_create(const pl_surface *surface, pl__bvh **bvh);
void pl__bvh_destroy(pl__bvh **bvh);

// Refit the boxes to other positions of the same triangles; the tree stays. `triangle` and `position` are those of a
// surface.
void pl__bvh_refit(pl__bvh *bvh, const int32_t *triangle, const double *position);

// Distance from `query` to the surface, with the closest point and its triangle (of equals, the first in tree order).
// `closest` and `triangle` may be NULL. Exact up to rounding; triangles without area count as segments.
double pl__bvh_closest(const pl__bvh *bvh, const double query[3], double closest[3], int32_t *triangle);

// Squared distance from `p` to the triangle with these three corners [9], and the closest point on it.
double pl__triangle_closest(const double p[3], const double *corner, double closest[3]);

// Intersections of the segment from `a` to `b` with triangles: up to `capacity` parameters in [0, 1], not sorted.
// Returns their number, possibly more than `capacity`. A hit on a shared edge or corner counts for each of its
// triangles; a segment within the plane of a triangle does not meet it.
int32_t pl__bvh_crossings(const pl__bvh *bvh, const double a[3], const double b[3], double *t, int32_t capacity);

#endif
