// src/mesh/solid.h -- a triangle surface taken for the solid that it bounds.
#ifndef PL_MESH_SOLID_H
#define PL_MESH_SOLID_H

#include "winding.h"

typedef struct pl__solid
{
    pl_context *ctx;
    const pl_surface *surface; // borrowed
    pl__bvh *bvh;
    pl__winding *winding;
    double side;        // 1, or -1 when the surface is inside out and winding numbers change sign
    double area;        // of all triangles
    double volume;      // enclosed, of the turned surface: >= 0
    double open_area;   // an estimate of the area of its holes (see solid.c)
    int32_t open_edges; // edges whose triangles do not cancel; 0 for a closed surface
    double open_length; // of those edges, with multiplicity
    double open_square; // sum of the squares of the lengths of its loops
    double open_loop;   // the length of the longest loop
    pl__bvh *holes;     // hierarchy over those edges, as triangles without area; NULL when there are none
} pl__solid;

// Take stock of a surface: hierarchy, far fields, holes, orientation (turned with a note in the log when inside out).
PL_NODISCARD pl_status pl__solid_create(const pl_surface *surface, pl__solid **solid);
void pl__solid_destroy(pl__solid **solid);

// The winding number of the turned surface, and whether it exceeds 1/2.
double pl__solid_winding(const pl__solid *solid, const double query[3]);
static inline bool pl__solid_inside(const pl__solid *solid, const double query[3])
{
    return pl__solid_winding(solid, query) > 0.5;
}

// At most so much does the winding number change per length at this distance from open edges, between crossings.
double pl__solid_winding_slope(const pl__solid *solid, double distance);

// Distance to the surface, negative inside; with the closest point and its triangle unless NULL.
double pl__solid_distance(const pl__solid *solid, const double query[3], double closest[3], int32_t *triangle);

#endif
