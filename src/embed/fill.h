// src/embed/fill.h -- a region of the plane, given by the loops around it, filled with triangles that have their
// corners on the loops.
#ifndef PL_EMBED_FILL_H
#define PL_EMBED_FILL_H

#include "base/context.h"

// A corner of the polygon that is left to fill.
typedef struct pl__fill_corner
{
    int32_t slot, previous, next;
    int32_t edge; // to the next one: as pl__fill.edge
} pl__fill_corner;

// Room for filling, kept from region to region; what it holds is valid until the next.
typedef struct pl__fill
{
    pl_context *ctx;
    double *xy; // [2 slots]  the caller fills in: corners of the loops, end to end
    size_t xy_capacity;
    int32_t *loop; // [loops + 1]  and where each loop begins among the slots
    size_t loop_capacity;
    pl__fill_corner *corner;
    size_t corner_capacity;

    int32_t triangle_count;
    int32_t *triangle; // [3 triangle_count]  slots, anticlockwise
    int32_t *edge;     // [3 triangle_count]  the edge from that corner to the next: the slot it begins at, of a loop's
                       // edge; or ~k for the k-th edge within, which is that of two triangles
    size_t triangle_capacity, edge_capacity;
    int32_t inner_count; // edges within
} pl__fill;

void pl__fill_done(pl__fill *fill);

// Make room for so many slots and loops before filling them in. False when out of memory.
bool pl__fill_room(pl__fill *fill, int32_t slot_count, int32_t loop_count);

// Twice the area within a loop: positive when it is anticlockwise.
double pl__fill_area(const pl__fill *fill, int32_t loop);

// Fill the region within one of the given loops, the largest, and outside the others (which are clockwise, or slits
// without area). Whatever the loops are, every edge of theirs belongs to one triangle that walks it in its direction
// and every edge within to two that walk it both ways, so that nothing is ever open; when loops cross themselves or
// each other, triangles overlap. Two slots alone give no triangle. False when out of memory.
bool pl__fill_region(pl__fill *fill, const int32_t *loops, int32_t loop_count);

#endif
