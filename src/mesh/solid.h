// src/mesh/solid.h -- a triangle surface as the boundary of a solid.
#ifndef PL_MESH_SOLID_H
#define PL_MESH_SOLID_H

#include "winding.h"

typedef struct pl__solid
{
    pl_context *ctx;
    const pl_surface *surface; // borrowed
    pl__bvh *bvh;
    pl__winding *winding;
    double side;        // 1, or -1 if the surface is inside out and winding numbers change sign
    double area;        // of all triangles
    double volume;      // enclosed volume after reorientation: >= 0
    double open_area;   // estimated area of its holes (see solid.c)
    int32_t open_edges; // edges whose triangles do not cancel; 0 for a closed surface
    double open_length; // total length of those edges, with multiplicity
    double open_square; // sum of the squared lengths of its boundary loops
    double open_loop;   // length of the longest loop
    pl__bvh *holes;     // BVH over those edges, as triangles without area; NULL if there are none
} pl__solid;

// Analyse a surface: BVH, far fields, holes, orientation (reversed with a log message if inside out).
PL_NODISCARD pl_status pl__solid_create(const pl_surface *surface, pl__solid **solid);
void pl__solid_destroy(pl__solid **solid);

// Winding number of the reoriented surface, and whether it exceeds 1/2.
double pl__solid_winding(const pl__solid *solid, const double query[3]);
static inline bool pl__solid_inside(const pl__solid *solid, const double query[3])
{
    return pl__solid_winding(solid, query) > 0.5;
}

// Bound on the slope of the winding number at this distance from open edges, between crossings.
double pl__solid_winding_slope(const pl__solid *solid, double distance);

// Distance to the surface, negative inside; with the closest point and its triangle unless NULL.
double pl__solid_distance(const pl__solid *solid, const double query[3], double closest[3], int32_t *triangle);

#endif
