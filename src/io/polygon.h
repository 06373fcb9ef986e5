// src/io/polygon.h -- a polygon in space, cut into triangles.
#ifndef PL_IO_POLYGON_H
#define PL_IO_POLYGON_H

#include <stdint.h>

enum
{
    PL__POLYGON_MAX = 256 // corners of a polygon whose ears are clipped
};

// Cut the polygon with corners position[3 * corner[i]] into count - 2 triangles, given as places 0 .. count - 1 in the
// polygon and turning the way it turns. 3 <= count <= PL__POLYGON_MAX. A convex polygon becomes a fan around place 0;
// any simple one is cut right; one that crosses itself gives triangles all the same.
void pl__polygon_cut(const double *position, const int32_t *corner, int count, int32_t *triangles);

#endif
