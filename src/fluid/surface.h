// src/fluid/surface.h -- the surface of a liquid as a watertight mesh of triangles.
//
// phi is stored on cells (columns.h), negative in liquid; samples are where it is marched (marching_cubes.h). Tall
// cells are liquid, rows without a run are none. A vertex is where the interpolant of phi along an edge between two
// samples vanishes: the cubic of Catmull and Rom where both have another sample beyond them, else a line. With the
// distance to solids s, negative inside, the liquid is where max(phi, -s) < 0, and a vertex is at the first root of
// either. Towards rows without a run the surface is half a cell away, which is where such cells end.
//
// Walls: phi goes on up to the wall as it is at the last sample (contact at 90 degrees), on a layer of samples in the
// plane of the wall; another one in the same plane, without liquid, closes the surface there. So water at rest is flat
// up to the wall, and its surface encloses its volume. Where two walls meet, triangles without area join vertices in
// the same place that have the normals of either wall.
//
// What it does badly: corners between surface and solids inside the box are cut off over a cell; rows of a tall cell
// that borders on a wall or on rock are quadrilaterals each.
// Lorensen & Cline 1987.
#ifndef PL_FLUID_SURFACE_H
#define PL_FLUID_SURFACE_H

#include "columns.h"
#include "flow.h"

typedef struct pl__liquid_surface_def
{
    const pl__columns *cell;
    const double *phi;   // [cell->value_count] signed distance [m]; numbers of LINEAR runs are not looked at
    const double *solid; // [cell->value_count] distance to solids [m], or NULL
    double overlap;      // how far liquid goes on into solids [m], >= 0: 1.5 h hides the corners that are cut off
    pl__flow *flow;      // or NULL: velocities are zero
    void *flow_user;
    double time; // of the flow [s]
} pl__liquid_surface_def;

typedef struct pl__liquid_surface
{
    int32_t vertex_count, triangle_count;
    double *x[3];      // [vertex_count] positions [m]
    double *v[3];      // [vertex_count] velocities [m/s]
    double *normal[3]; // [vertex_count] of length 1, out of the liquid
    int32_t *triangle; // [triangle_count][3] counterclockwise as seen from outside
    size_t vertex_capacity[9], triangle_capacity;

    // scratch: cubes that the surface crosses, by columns of cubes, from below
    struct pl__surface_cube *cube; // [cube_count]
    struct pl__surface_tally *sum; // [columns + 1] what comes before each column
    double *united;                // [cell->value_count] max(phi, -solid)
    size_t cube_capacity, sum_capacity, united_capacity;
    int32_t cube_count;
} pl__liquid_surface;

// Replace `surface`, which starts as zeros and keeps its memory from frame to frame. The same bits for any number of
// threads. PL_ERR_MEMORY: it stays what it was.
PL_NODISCARD pl_status pl__liquid_surface_make(pl_context *ctx, const pl__liquid_surface_def *def,
                                               pl__liquid_surface *surface);
void pl__liquid_surface_done(pl_context *ctx, pl__liquid_surface *surface);

#endif
