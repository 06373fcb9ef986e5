// src/world/drawn_foam.h -- bubbles and foam of a liquid (fluid/foam.h) as points with radii, for pictures and exports.
#ifndef PL_WORLD_DRAWN_FOAM_H
#define PL_WORLD_DRAWN_FOAM_H

#include "fluid/foam.h"
#include <pliant/world.h>

// Those of one kind.
typedef struct pl__drawn_foam
{
    char name[64];  // of the drawable
    double *radius; // [count] [m]
    int32_t *item;  // [count] which they are
    int32_t count;
    size_t radius_capacity, item_capacity;
} pl__drawn_foam;

// Those of a kind as they are, in cells of edge h. Out of memory: there are none to be seen.
void pl__drawn_foam_make(pl_context *ctx, const pl__foam *foam, pl__froth_kind kind, double h, double life,
                         pl__drawn_foam *drawn);
void pl__drawn_foam_done(pl_context *ctx, pl__drawn_foam *drawn);

void pl__drawn_foam_describe(const pl__drawn_foam *drawn, pl_drawable *d);
// Places and velocities [count][3], either of which may be NULL.
void pl__drawn_foam_read(const pl__drawn_foam *drawn, const pl__foam *foam, double *x, double *v);

#endif
