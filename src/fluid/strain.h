// src/fluid/strain.h -- the symmetric velocity gradient of a liquid on a staggered grid, and its volumes.
//
//     (B u)_s = (du_a/dx_a)                        at the centers of cells, for each axis a
//             = (du_a/dx_d + du_d/dx_a) / sqrt 2   on the edges where faces of axes a and d meet
//
// so that |B u|^2 is the square of the tensor. With W the liquid part of the cube of a cell around such a sample and V
// that around a face, a liquid of viscosity mu minimizes
//
//     1/2 (u - u*)^T rho V (u - u*) + dt mu (B u)^T W (B u)
//
// in a step (Batty & Bridson 2008). Surfaces without traction are what this gives where W ends. B u = 0 for rigid
// motions only: no checkerboard, no torque.
//
// Known velocities. Closed faces, and those with their center in a solid, have that of the solid. Between a face and a
// known one at distances d, d' < 0 to the solid, the wall is theta h away, theta = d / (d - d'), and the slope is
// (u - u') / (theta h); u' of an object that turns is its velocity there, so that what turns with it has no strain.
// Beyond a wall of the domain: theta = 1/2. Beyond an open side the component along it goes on
// as it is: right for channels.
//
// Where liquid slips, walls hold only what flows through them, and objects nothing: they are like air here, and it is
// left to the pressure to keep liquid out of them. (Held faces of a staircase would drag what slips along it.)
//
// For uniform cells only. Nothing here knows what viscosity is.
#ifndef PL_FLUID_STRAIN_H
#define PL_FLUID_STRAIN_H

#include "base/arena.h"
#include "base/task.h"
#include "boundary.h"
#include "edges.h"
#include "padded.h"

typedef struct pl__strain_def
{
    const pl__grid *grid;
    const pl__boundary *boundary; // open, speed; distance, if there are objects, or NULL
    const double *phi;            // [numbers of cells] distance to the surface [m]
    double far;                   // of phi [m]
    bool closed[6];               // sides of the domain
    bool slip;                    // along walls and objects
    const pl__edges *edges;       // of the grid, for those who want to know where samples are; or NULL
    double wall[6][3];            // velocities of the walls [m/s]
} pl__strain_def;

// One row of B: slope[0] (x[face[1]] - x[face[0]]) + slope[1] (x[face[3]] - x[face[2]]). Those of cells have one slope.
typedef struct pl__strain_sample
{
    int32_t face[4];
    double slope[2]; // [1/m]
    double weight;   // W
} pl__strain_sample;

// Numbers of faces here: unknown ones by axis, then by number, then known ones, and the velocities of walls.
typedef struct pl__strain
{
    int32_t unknown_count, count; // of the numbers
    int32_t axis_start[4];        // first unknown of each axis
    int32_t *index[3];            // [numbers of faces] its number here, or -1
    int32_t *number;              // [unknown_count] of the face
    double *mass;                 // [unknown_count] V
    double *known;                // [count - unknown_count] velocities [m/s]
    pl__strain_sample *sample;    // [sample_count] three for each cell, along x, y and z, then those of edges
    int32_t cell_count, sample_count;
    int32_t *place;     // [sample_count] number of the cell, or, with edges, of the edge; of samples with a weight
    int32_t (*at)[3];   // [cell_count] the cell
    uint8_t *plane;     // [sample_count - 3 cell_count] axis of the edge; of samples with a weight
    pl__padded padded;  // places of unknown faces and of samples, for stencils
    int32_t *spot;      // [sample_count] place there; of samples with a weight; of cells every third is set
    int32_t *face_spot; // [unknown_count]
    int32_t *slot;      // [6 unknown_count] 2 sample + pair, or -1, at the lower and upper end of a face along x, y, z
} pl__strain;

// Make the samples, with memory of `arena`. PL_ERR_MEMORY: not made.
PL_NODISCARD pl_status pl__strain_make(pl_context *ctx, pl__arena *arena, const pl__strain_def *def,
                                       pl__strain *strain);

static inline double pl__strain_value(const pl__strain_sample *s, const double *x)
{
    return s->slope[0] * (x[s->face[1]] - x[s->face[0]]) + s->slope[1] * (x[s->face[3]] - x[s->face[2]]);
}

// (B^T s)_i for an unknown: `pull` [2 sample_count] are s times the two slopes of each sample.
static inline double pl__strain_gather(const pl__strain *strain, const double *pull, int32_t unknown)
{
    const int32_t *slot = &strain->slot[6 * (size_t)unknown];
    double sum = 0;
    for (int n = 0; n < 6; ++n)
        if (slot[n] >= 0)
            sum += n & 1 ? -pull[slot[n]] : pull[slot[n]];
    return sum;
}

#endif
