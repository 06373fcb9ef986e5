// src/mesh/geometry.h -- geometry of one mesh element at rest.
#ifndef PL_MESH_GEOMETRY_H
#define PL_MESH_GEOMETRY_H

#include "mesh.h"

// Scale-invariant quality, with L the longest edge: volume / L^3 of a tetrahedron (signed: 0.118 for a regular one),
// the least and the greatest Jacobian determinant / L^3 at the 2x2x2 Gauss points of a hexahedron (signed: 1 for a
// cube), area / L^2 of a triangle (0.433 for a regular one). Zero if all nodes coincide.
typedef struct pl__fullness
{
    double least, greatest; // equal except for hexahedra
} pl__fullness;

pl__fullness pl__element_fullness(const pl_mesh *mesh, int32_t element);

// Volume of a tetrahedron or hexahedron, signed; area of a triangle.
double pl__element_measure(const pl_mesh *mesh, int32_t element);
double pl__triangle_area(const double *position, const int32_t nodes[3]);

// The volume of a tetrahedron, the least determinant at the Gauss points of a hexahedron, the area of a triangle, in
// powers of `unit`.
double pl__element_room(const pl_mesh *mesh, int32_t element, double unit);

// Dihedral angles in degrees, as in pl_mesh_dihedral_range; returns their number.
enum
{
    PL__MAX_ANGLES = 24
};
int pl__element_angles(const pl_mesh *mesh, int32_t element, double angle[PL__MAX_ANGLES]);

#endif
