// src/fluid/boundary.h -- what solid objects and the walls of the domain do to the grid of a liquid.
//
// A face of area h^2 is open by a fraction w, and its closed part moves with the object that closes it: the flux
// through it is w u + (1 - w) us per area (Batty, Bertails & Bridson 2007). For rows of a run that is not UNIFORM only
// the moments of w matter: for u(j) = a + b (j - middle) the flux of the run is a s0 + b s1 + f0, and its moment
// a s1 + b s2 + f1.
//
// Made anew in every step, in parallel over columns, with the same bits for any number of threads. Memory is kept.
#ifndef PL_FLUID_BOUNDARY_H
#define PL_FLUID_BOUNDARY_H

#include "grid.h"
#include "obstacles.h"
#include "row_set.h"

enum
{
    PL__BOUNDARY_BAND = 4, // distances are known within so many cells
    PL__ALL_SIDES = 63,    // of a cell
    PL__TOUCHED = 64,      // an object closes a part of a side, at least
    PL__PARTED = 128,      // a thin part of one lies between the centers of this cell and a neighbour
    PL__THIN_OWNER = 1 << 30
};

// Sums over the rows of a LINEAR or CONSTANT run of faces, about its middle.
typedef struct pl__open_moments
{
    double s0, s1, s2; // of w (1, m, m^2), m = j - middle
    double f0, f1;     // of (1 - w) us (1, m) [m/s]
} pl__open_moments;

// How a rigid object turned.
typedef struct pl__turning
{
    double at[3], velocity[3], angular[3]; // angular = 0: it did not, or it bends
    bool turns;
} pl__turning;

typedef struct pl__boundary
{
    double *open[3];   // [numbers of face[axis]] w of UNIFORM rows, in [0, 1]; other numbers 0
    double *speed[3];  // [the same] us, velocity of the closed part along the axis [m/s]; 0 where w = 1
    int32_t *owner[3]; // [the same] the object that closes it; -1: none, or a wall; with PL__THIN_OWNER set if
                       // a thin part of that lies between the centers of its cells
    pl__open_moments *moment[3]; // [runs of face[axis]] of runs that are not UNIFORM; others 0
    double *distance;     // [numbers of cell] to solids, at the center of UNIFORM cells, negative inside [m]; cut
                          // off at PL__BOUNDARY_BAND cells; other numbers likewise
    int32_t *nearest;     // [the same] the object; -1: none that near
    uint8_t *sides;       // [the same] of UNIFORM cells: bit 2 axis + end is set where that face is closed entirely,
                          // and PL__TOUCHED;
                          // others 0
    pl__turning *turning; // [turning_count] of the objects
    int32_t turning_count;
    int64_t distances; // of objects, evaluated by the last update

    int64_t *tallied; // [tasks] distances of each
    size_t open_capacity[3], speed_capacity[3], owner_capacity[3], moment_capacity[3];
    size_t distance_capacity, nearest_capacity, sides_capacity, tallied_capacity, turning_capacity;
} pl__boundary;

void pl__boundary_done(pl_context *ctx, pl__boundary *b);

// Fractions, speeds and distances for a grid. `closed`: which walls of the domain are, -x +x -y +y -z +z.
// PL_ERR_MEMORY leaves nothing that can be used before another update.
PL_NODISCARD pl_status pl__boundary_update(pl_context *ctx, pl__boundary *b, const pl__grid *grid,
                                           const pl__obstacles *obstacles, const bool closed[6]);

// The maximal intervals of rows of column (i, k) whose centers are deeper than `depth` >= 0 inside obstacles, from
// below. Returns how many there are; no more than `capacity` are written. `near` are those near the column: with
// `standing` set, what moves is left out.
int32_t pl__boundary_rock_rows(pl__near_obstacles *near, const pl__columns *cell, int32_t i, int32_t k, double depth,
                               pl__row_range *rows, int32_t capacity);

#endif
