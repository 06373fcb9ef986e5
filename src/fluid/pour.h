// src/fluid/pour.h -- more liquid at once, between two steps: what a body was becomes liquid.
//
// The shape of what comes is given by distances d, its motion by velocities, its memory by strains. Then
//
//     phi       min(phi, d), on a grid that has cells there
//     u         the velocity of what comes, on the faces of cells that it fills
//     e         its strain, if the liquid remembers one
//     T         its temperature, if the liquid has one
//     volume    all of it is counted: what phi does not show is owed to its cells (volume.h), a part in a hundred for
//               shapes of ten cells; all of it where liquid has been before, which then makes way
//
// Two numbers are put right by one uniform change each. The volume is exact by what is owed. The mean velocity is that
// of what comes, by adding the same to all faces that it has set, so that momentum is kept to round-off where the
// liquid has the density of what it was.
//
// What it does badly: what is outside the domain is lost. Angular momentum is that of the samples. Where there is
// liquid already, that keeps its velocity.
#ifndef PL_FLUID_POUR_H
#define PL_FLUID_POUR_H

#include "liquid.h"

// What comes, at a point of it or near it.
typedef struct pl__pour_sample
{
    double velocity[3];        // [m/s]
    double strain[PL__TENSOR]; // xx yy zz yz xz xy
    double temperature;        // above ambient [K]
} pl__pour_sample;

typedef struct pl__pour
{
    int32_t liquid;                                    // of several
    double lower[3], upper[3];                         // a box around it [m]
    double volume;                                     // [m^3]
    double velocity[3];                                // mean [m/s]
    double (*distance)(void *user, const double x[3]); // negative inside [m]
    void (*sample)(void *user, const double x[3], pl__pour_sample *s);
    void *user;
} pl__pour;

typedef struct pl__pour_info
{
    double volume; // that has come into the domain; 0: none of it is there [m^3]
    double owed;   // of that, what the surface does not show [m^3]
} pl__pour_info;

// Make the state with more liquid in `liquid->next`, after pl__liquid_refresh. `obstacles` are where they were at the
// end of the last step. Nothing has happened until it is kept. PL_ERR_MEMORY.
PL_NODISCARD pl_status pl__liquid_pour(pl__liquid *liquid, const pl__pour *pour, const pl__obstacles *obstacles,
                                       pl__pour_info *info);
// Keep what has been made, or drop it.
void pl__liquid_pour_end(pl__liquid *liquid, bool keep);

#endif
