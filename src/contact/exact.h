// src/contact/exact.h -- triangles that meet, decided without rounding.
#ifndef PL_CONTACT_EXACT_H
#define PL_CONTACT_EXACT_H

#include "math/determinant.h"
#include "tree.h"

// Whether two triangles, with their edges and corners, have a point in common: touching is meeting. Exact for all
// finite doubles; a triangle without area is the segment or the point that it is.
bool pl__triangles_meet(const double a[3][3], const double b[3][3]);

// Whether the segment p q meets a triangle, in the same sense; whether it passes from one side of it to the other,
// strictly within.
bool pl__segment_meets_triangle(const double p[3], const double q[3], const double t[3][3]);
bool pl__segment_pierces_triangle(const double p[3], const double q[3], const double t[3][3]);
// Whether it leads from behind a triangle to its front, or back, through it or its border; what lies in its plane is in
// front. So no way through a surface is missed that goes exactly through an edge or a corner, and what rests on the
// front does not pass.
bool pl__segment_passes_triangle(const double p[3], const double q[3], const double t[3][3]);

enum
{
    PL__CROSSINGS_LISTED = 16
};

typedef struct pl__crossings
{
    int64_t count;                             // pairs of triangles that cross
    int32_t listed;                            // how many of them are in the list: all, or PL__CROSSINGS_LISTED
    int32_t triangle[PL__CROSSINGS_LISTED][2]; // of pl__surfaces, the lower number first; in tree order
} pl__crossings;

// Pairs of triangles that cross where x [3 nodes + 1, finite] has put them, of bodies that collide. Triangles with no
// common node cross when they meet, touching included. Those with one node cross when the edge of one opposite to the
// node pierces the other; those with two or three never. Refits the tree. Fails with PL_ERR_MEMORY only.
PL_NODISCARD pl_status pl__crossings_find(pl__tree *tree, const double *x, pl__crossings *crossings);

// For others that want all of them: `take` gets each, the lower number first. Tasks run in parallel, and crossings of
// one `chunk`, in [0, pl__chunk_count(leaf_count, PL__LEAF_CHUNK)), come in order.
typedef struct pl__crossing_sink
{
    void (*take)(void *argument, int32_t chunk, int32_t triangle, int32_t other);
    void *argument;
} pl__crossing_sink;

void pl__crossings_visit(pl__tree *tree, const double *x, const pl__crossing_sink *sink);

#endif
