// src/io/polygon.h -- triangulation of a polygon in space.
#ifndef PL_IO_POLYGON_H
#define PL_IO_POLYGON_H

#include <stdint.h>

enum
{
    PL__POLYGON_MAX = 256 // corners of a polygon whose ears are clipped
};

// Triangulate the polygon with corners position[3 * corner[i]] into count - 2 triangles, given as indices 0 .. count -
// 1 into the polygon, with its orientation. 3 <= count <= PL__POLYGON_MAX. A convex polygon becomes a fan around corner
// 0; any simple one is triangulated correctly; a self-intersecting one still gives triangles.
void pl__polygon_cut(const double *position, const int32_t *corner, int count, int32_t *triangles);

#endif
