// app/slices.h -- a slice through the cells of a liquid, across z: a quadrilateral for each cell that it meets.
#ifndef APP_SLICES_H
#define APP_SLICES_H

#include <pliant/world.h>

#include <stdbool.h>

typedef enum slice_value
{
    SLICE_NOTHING,
    SLICE_SPEED,
    SLICE_PRESSURE,
    SLICE_STRAIN,
    SLICE_TEMPERATURE
} slice_value;

typedef struct slice
{
    int32_t count;      // cells
    float *vertices;    // [4 count][3] none shared, so that each cell has its own value
    int32_t *triangles; // [2 count][3] halves a b c and a c d
    float *values;      // [4 count]
} slice;

// The cells of liquid, or those of air, at z. False when out of memory.
bool slice_make(const pl_world *world, double z, bool liquid, slice_value what, slice *out);
void slice_free(slice *s);

#endif
