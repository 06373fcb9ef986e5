// src/embed/fill.h -- triangulates a plane region given by its boundary loops, without additional points.
#ifndef PL_EMBED_FILL_H
#define PL_EMBED_FILL_H

#include "base/context.h"

// A corner of the remaining polygon.
typedef struct pl__fill_corner
{
    int32_t slot, previous, next;
    int32_t edge; // to the next one: as pl__fill.edge
} pl__fill_corner;

// Workspace, reused from region to region; results are valid until the next call.
typedef struct pl__fill
{
    pl_context *ctx;
    double *xy; // [2 slots]  input: corners of the loops, end to end
    size_t xy_capacity;
    int32_t *loop; // [loops + 1]  input: first slot of each loop
    size_t loop_capacity;
    pl__fill_corner *corner;
    size_t corner_capacity;

    int32_t triangle_count;
    int32_t *triangle; // [3 triangle_count]  slots, anticlockwise
    int32_t *edge;     // [3 triangle_count]  edge from this corner to the next: the slot that a loop's edge starts at,
                       // or ~k for the k-th inner edge, which two triangles share
    size_t triangle_capacity, edge_capacity;
    int32_t inner_count; // inner edges
} pl__fill;

void pl__fill_done(pl__fill *fill);

// Reserve slots and loops before filling them in. False when out of memory.
bool pl__fill_room(pl__fill *fill, int32_t slot_count, int32_t loop_count);

// Twice the signed area of a loop: positive if anticlockwise.
double pl__fill_area(const pl__fill *fill, int32_t loop);

// Triangulate the region inside the largest of the given loops and outside the others (which are clockwise, or slits
// without area). Whatever the loops are, every loop edge belongs to one triangle that has it in its direction and
// every inner edge to two with opposite directions, so that the result is always closed; if loops cross themselves or
// each other, triangles overlap. Two slots alone give no triangle. False when out of memory.
bool pl__fill_region(pl__fill *fill, const int32_t *loops, int32_t loop_count);

#endif
