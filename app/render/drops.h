// app/render/drops.h -- drops of spray drawn as what they stand for: sheets, threads and beads of liquid.
//
// A simulated drop is liquid that the grid could not hold, up to a tenth of a cell: drawn as one ball it would be a
// marble. In pictures it is a few lumps and many beads with its volume in all, where its neighbours say that the liquid
// is: drops that come from a torn sheet lie in a plane, those of a jet on a line, and lumps are flat or long like them.
//
// The covariance of the places of drops about one, weighed by w(d) = (1 - (d / reach)^2)^3, has the axes e_i and the
// lengths s_i (Yu & Turk 2013). Lumps are ellipsoids of these axes, placed within them at random. A lump c adds
//
//     f(x) = (1 - q^2)^3,    q^2 = sum_i (e_i.(x - c) / a_i)^2 INSIDE^2
//
// and the surface is where the sum of all has the value that one has at its semi-axes a_i, so that lumps that are close
// run together (Blinn 1982). It is meshed by surface nets on a fine grid, which is stored in blocks where lumps are.
// Beads are balls, of random sizes over three orders of magnitude in volume, farther away and behind along the flight.
//
// All weights end smoothly, so lumps move and bend without jumps from frame to frame. Random numbers belong to the
// drop, by what does not change in its flight: radius and horizontal velocity.
#ifndef APP_RENDER_DROPS_H
#define APP_RENDER_DROPS_H

#include <pliant/base.h>

enum
{
    DROP_LUMPS = 3,
    DROP_BEADS = 6
};

typedef struct drops_def
{
    size_t count;
    const double *x, *v;       // [count][3]
    const double *radius;      // [count]
    double size;               // of a cell of the liquid [m]
    double lower[3], upper[3]; // of the box that drops stay in; those that lie on its bottom are a film, and not drawn
} drops_def;

// A watertight mesh of the lumps, and the beads.
typedef struct drops_shape
{
    int32_t vertex_count, triangle_count, bead_count;
    float *vertices, *normals; // [vertex_count][3]
    int32_t *triangles;        // [triangle_count][3], counterclockwise as seen from outside
    float *beads, *radii;      // [bead_count][3], [bead_count]
    size_t vertex_capacity[2], triangle_capacity, bead_capacity[2];
} drops_shape;

// On failure there is nothing to free.
PL_NODISCARD pl_status drops_make(pl_context *ctx, const drops_def *def, drops_shape *out);
void drops_free(pl_context *ctx, drops_shape *shape);

#endif
