// src/fluid/cut.h -- how solids cut the faces of a grid: its tiles of columns, and looks at what is near them.
//
// Tasks are tiles of columns: a corner has twelve faces, and is looked at once.
#ifndef PL_FLUID_CUT_H
#define PL_FLUID_CUT_H

#include "base/hash.h"
#include "base/task.h"
#include "boundary.h"

enum
{
    PL__TILE = 8, // columns of a task along x and z
    PL__KEPT = 2048
};

// ---- tiles -----------------------------------------------------------------------------------------------------

// Columns [i0, i1) x [k0, k1) of a tile; those on the last walls belong to the last tiles.
typedef struct pl__tile
{
    int32_t i0, i1, k0, k1;
} pl__tile;

int32_t pl__tile_count(const pl__columns *cell);
pl__tile pl__tile_of(const pl__columns *cell, int32_t n);

// The runs of column (i, k); none beyond the lattice.
typedef struct pl__run_span
{
    const pl__run *begin, *end;
} pl__run_span;

static inline pl__run_span pl__runs_of(const pl__columns *c, int32_t i, int32_t k)
{
    if (i >= c->nx || k >= c->nz)
        return (pl__run_span){NULL, NULL};
    const size_t *start = &c->start[(size_t)i + (size_t)c->nx * (size_t)k];
    return (pl__run_span){c->run + start[0], c->run + start[1]};
}

// ---- looks -----------------------------------------------------------------------------------------------------

// Points that faces of a tile share are looked at once: corners, and centers of cells. What does not fit is forgotten
// and looked at again.
typedef struct pl__kept
{
    uint64_t key;
    pl__look look;
    int8_t thin; // whether anything thin is near; < 0: not known
} pl__kept;

typedef struct pl__scout
{
    const pl__columns *cell;
    pl__near_obstacles near;
    pl__kept kept[PL__KEPT];
} pl__scout;

// Find what is near tile n. False: it has no samples.
bool pl__scout_send(const pl__grid *grid, const pl__obstacles *obstacles, int32_t n, pl__scout *s);
pl__kept *pl__scout_look_anew(pl__scout *s, int32_t i, int32_t j, int32_t k, uint64_t key, pl__kept *point);

// Look from a point, counted by half cells from the lower corner of the grid: corners are even, centers odd.
// Indices are not an array: written one by one and read by pairs, they took a third of the time of an update.
static inline pl__kept *pl__scout_look(pl__scout *s, int32_t i, int32_t j, int32_t k)
{
    uint64_t key = (uint64_t)i | (uint64_t)k << 20 | (uint64_t)j << 40;
    pl__kept *point = &s->kept[pl__mix64(key) % PL__KEPT];
    return s->near.count > 0 && point->key == key ? point : pl__scout_look_anew(s, i, j, k, key, point);
}

// ---- faces -----------------------------------------------------------------------------------------------------

// Faces of one column.
typedef struct pl__walk
{
    pl__scout *scout;
    const pl__columns *face;
    int32_t axis, i, k;
} pl__walk;

// Rows of the same fraction: many that are open or closed, or one.
typedef struct pl__piece
{
    int32_t j1, object;
    double open, middle[3]; // of its first row; of the closed part [m]
    double covered;         // by what corners see; 1 - open but for thin parts
    double moving;          // of what is closed, the part that moves with the object
    bool thin;              // a thin part lies between the centers of its cells
    bool parted;            // and closes it, which corners do not
} pl__piece;

// Rows from j on, to `last` at most, by what the cell above the face sees.
pl__piece pl__cut_next(const pl__walk *w, int32_t j, int32_t last);

#endif
