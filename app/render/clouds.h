// app/render/clouds.h -- drops of spray drawn as what they stand for: clouds of smaller ones.
//
// A simulated drop is liquid that the grid could not hold, up to a tenth of a cell: drawn as one ball it would be a
// marble. In pictures it is CLOUD_BALLS balls with its volume in all, of random sizes and places around it, drawn out
// along its velocity by the time that a shutter is open.
//
// Drops that fly close together are what a jet or a blob breaks up into. Their clouds are wider by the cube root of how
// many there are about, so that spray stays thin.
//
// Drops that lie on the bottom of the box are a film of clear water, and not seen.
//
// Random numbers belong to the drop, by what does not change in its flight: radius and horizontal velocity. So clouds
// keep their shape from frame to frame, although drops have no names.
#ifndef APP_RENDER_CLOUDS_H
#define APP_RENDER_CLOUDS_H

#include <stddef.h>

enum
{
    CLOUD_BALLS = 128,
    CLOUD_SPREAD = 5, // radius of the cloud of a drop that is alone and at rest [radii of the drop]
    CLOUD_CROWD = 3   // times as large it gets at most among others
};

typedef struct cloud_box // what clouds stay in
{
    double lower[3], upper[3];
} cloud_box;

// Positions [count CLOUD_BALLS][3] and radii [count CLOUD_BALLS] of the balls of drops at x [count][3] with velocities
// v [count][3]. `shutter` is how long it is open [s].
void clouds_make(size_t count, const double *x, const double *v, const double *radius, double shutter,
                 const cloud_box *box, float *positions, float *radii);

#endif
