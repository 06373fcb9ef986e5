// src/fluid/stretch.h -- what lies beside the cells, or faces, of a column, by stretches of rows.
//
// Going up a column, the runs of the columns around it begin and end. Between that, everything has its number in
// closed form, base + row, so that loops over the rows of a stretch read arrays in order and search nothing.
#ifndef PL_FLUID_STRETCH_H
#define PL_FLUID_STRETCH_H

#include "grid.h"

typedef enum pl__beside
{
    PL__BESIDE_NOTHING, // no cell
    PL__BESIDE_OUTSIDE, // beyond the lattice; of faces: nothing
    PL__BESIDE_UNIFORM,
    PL__BESIDE_TALL
} pl__beside;

// Rows of a run, going on where the last search ended: for rows that ascend.
typedef struct pl__run_walk
{
    const pl__run *run, *end;
} pl__run_walk;

// Column (i, k); nothing beyond the lattice.
static inline pl__run_walk pl__run_walk_begin(const pl__columns *c, int32_t i, int32_t k)
{
    if (i < 0 || k < 0 || i >= c->nx || k >= c->nz)
        return (pl__run_walk){NULL, NULL};
    const size_t *start = &c->start[(size_t)i + (size_t)c->nx * (size_t)k];
    return (pl__run_walk){c->run + start[0], c->run + start[1]};
}

// The run with row j, or NULL.
static inline const pl__run *pl__run_walk_to(pl__run_walk *w, int32_t j)
{
    while (w->run < w->end && w->run->j1 < j)
        ++w->run;
    return w->run < w->end && w->run->j0 <= j ? w->run : NULL;
}

// ---- cells ---------------------------------------------------------------------------------------------------------

// Rows [j0, j1] of a run of uniform cells. Sides are 2 axis + end.
typedef struct pl__cell_stretch
{
    int32_t j0, j1;
    int32_t own;     // the cell at row j has the number own + j
    int32_t cell[6]; // that beside it cell[side] + j, if `kind` is uniform
    uint8_t kind[6]; // pl__beside
    bool inner;      // all six are uniform
    int32_t face[6]; // the face there has the number face[side] + j
} pl__cell_stretch;

typedef struct pl__cell_walk
{
    pl__run_walk own, beside[4], face[5]; // -x +x -z +z; and the faces, those along y last
    const pl__run *first;                 // of the column
    int32_t next, rows;                   // next row; of the lattice
} pl__cell_walk;

pl__cell_walk pl__cell_walk_begin(const pl__grid *grid, int32_t column);
// The next stretch of uniform cells, from below. False: there is none.
bool pl__cell_walk_next(pl__cell_walk *w, pl__cell_stretch *s);

// ---- faces ---------------------------------------------------------------------------------------------------------

// Rows [j0, j1] of a run of uniform faces, between the cells below (0) and above (1) along their axis.
typedef struct pl__face_stretch
{
    int32_t j0, j1;
    int32_t own;     // the face at row j has the number own + j
    int32_t cell[2]; // its cells have cell[end] + j, if `kind` is uniform
    uint8_t kind[2]; // pl__beside
} pl__face_stretch;

typedef struct pl__face_walk
{
    pl__run_walk own, beside[2];
    int32_t shift; // 1 along y: the cell below is in the row below
    int32_t next;
} pl__face_walk;

pl__face_walk pl__face_walk_begin(const pl__grid *grid, int axis, int32_t column);
bool pl__face_walk_next(pl__face_walk *w, pl__face_stretch *s);

#endif
