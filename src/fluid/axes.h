// src/fluid/axes.h -- how long a liquid is, and which way: the box with the same second moments of volume.
//
// With C the mean of (x - m) (x - m)^T over the liquid, m its center, a box of edges a has the eigenvalues a^2 / 12. So
// a bar of liquid has its own edges, whichever way it is turned.
#ifndef PL_FLUID_AXES_H
#define PL_FLUID_AXES_H

#include "grid.h"

typedef struct pl__liquid_axes
{
    double length[3]; // of the box, the longest first [m]; 0 without liquid
    double angle;     // of its longest edge about z, from x [degrees], above -90 and up to 90
} pl__liquid_axes;

// Of the liquid parts of cells, `part` and `open` [numbers of cells] as in volume.h. Drops do not count.
void pl__liquid_axes_find(const pl__columns *cell, const double *part, const double *open, pl__liquid_axes *axes);

#endif
