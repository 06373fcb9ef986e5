// src/world/drawn_spray.h -- drops of a liquid (fluid/spray.h) as points with radii, for pictures and exports.
#ifndef PL_WORLD_DRAWN_SPRAY_H
#define PL_WORLD_DRAWN_SPRAY_H

#include "fluid/spray.h"
#include <pliant/world.h>

typedef struct pl__drawn_spray
{
    char name[64];  // of the drawable
    double *radius; // [count] of balls that have the volumes of the drops [m]
    int32_t *drop;  // [count] their numbers
    int32_t count;
    size_t capacity, drop_capacity;
} pl__drawn_spray;

// Radii of the drops of a liquid as they are. Out of memory: there are none to be seen.
void pl__drawn_spray_make(pl_context *ctx, const pl__spray *spray, int32_t liquid, pl__drawn_spray *drawn);
void pl__drawn_spray_done(pl_context *ctx, pl__drawn_spray *drawn);

void pl__drawn_spray_describe(const pl__drawn_spray *drawn, pl_drawable *d);
// Places and velocities [count][3], either of which may be NULL.
void pl__drawn_spray_read(const pl__drawn_spray *drawn, const pl__spray *spray, double *x, double *v);
// Add mass, energies and momentum of the drops of a liquid. `center` is the sum of mass times position here.
void pl__drawn_spray_report(const pl__spray *spray, int32_t liquid, double density, const double gravity[3],
                            pl_step_info *info);

#endif
