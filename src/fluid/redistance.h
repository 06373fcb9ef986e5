// src/fluid/redistance.h -- working storage of redistancing: columns in groups of eight rows, for wide kernels.
//
// Group g holds the rows 8 row[g] .. 8 row[g] + 7 of its column, those that are not stored too, so that the groups
// beside it hold the same rows. Groups that follow each other in memory are above each other, or one of them is a
// guard, of which nothing is stored; group 0 and the last are guards. Lengths are in cells.
#ifndef PL_FLUID_REDISTANCE_H
#define PL_FLUID_REDISTANCE_H

#include "base/cpu.h"

#include <stdbool.h>

enum
{
    PL__GROUP_ROWS = 8,
    PL__GUARD = -1 // row of a guard
};

// Groups beside a group along -x, +x, -z, +z; 0: none.
typedef struct pl__sides
{
    int32_t group[4];
} pl__sides;

// Where sides of the cells of a group are closed: below, above, -x, +x, -z, +z. Numbers, for registers: 0,
// 1, or 2 where thin parts close a side.
typedef struct pl__closed
{
    double side[6][PL__GROUP_ROWS];
} pl__closed;

typedef struct pl__band
{
    int32_t nx, column_count, group_count;
    double far;
    bool given;        // phi of cells at the surface is their distance, that of others `far` or more
    int32_t *start;    // [column_count + 1] first group of each column
    int32_t *row;      // [group_count]
    pl__sides *beside; // [group_count]
    int32_t *wall;     // [group_count] its place in `closed`; 0: all sides are open
    pl__closed *closed;
    double *phi;      // [8 group_count] before; NaN where none is stored
    double *distance; // [8 group_count] from the surface; minus that where it is fixed
    uint8_t *changed; // [group_count] the last half sweep that changed it, counted from 2; 1: has cells at the surface
    uint8_t *column_changed; // [column_count] the same for all of its groups
} pl__band;

// Distances of cells at the surface, for columns [begin, end).
PL_KERNEL_DECLARE(void, pl__band_cross, (pl__band * band, int32_t begin, int32_t end));
// Half sweep `half`: columns of [begin, end) whose colour is that of `half`. Returns whether something changed.
PL_KERNEL_DECLARE(int, pl__band_sweep, (pl__band * band, int32_t half, int32_t begin, int32_t end));

#endif
