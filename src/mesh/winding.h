// src/mesh/winding.h -- generalised winding number of a surface.
#ifndef PL_MESH_WINDING_H
#define PL_MESH_WINDING_H

#include "bvh.h"

// Far field of a node of the hierarchy (see winding.c).
typedef struct pl__winding_node
{
    double center[3];     // area-weighted, relative to the bvh's center
    double radius;        // of the bounding sphere of the node's triangles around `center`
    double dipole[3];     // sum of area vectors
    double quadrupole[9]; // sum of area vector (row) times offset of the triangle's centroid (column)
} pl__winding_node;

typedef struct pl__winding
{
    const pl__bvh *bvh;     // borrowed
    pl__winding_node *node; // [bvh->node_count]
} pl__winding;

PL_NODISCARD pl_status pl__winding_create(const pl__bvh *bvh, pl__winding **winding);
void pl__winding_destroy(pl__winding **winding);

// The generalised winding number at `query`: 1 inside a closed outward surface, 0 outside, in between near holes.
// Within about 0.05, and within about 1e-4 when it comes near 1/2, where the sign of a point is decided.
// `side` is 1, or -1 for a surface that is inside out.
double pl__winding_number(const pl__winding *winding, const double query[3], double side);
// The same with side 1, summed over all triangles: slow, exact up to rounding.
double pl__winding_number_exact(const pl__winding *winding, const double query[3]);
// Signed solid angle of a triangle seen from the origin: a closed outward surface around it has 4 pi.
double pl__solid_angle(const double a[3], const double b[3], const double c[3]);

#endif
