// src/sparse/column_system.h -- symmetric positive semidefinite systems whose unknowns stand in vertical columns.
//
// Columns form a grid of nx by nz; column c = i + nx k. Within a column unknowns are numbered from below, and columns
// follow each other. An unknown is a point (a cell of its row), or belongs to a line (a tall cell), which has two: the
// value m at its centre and the slope d per row, so that it stands for
//
//     p(j) = m + d (j - centre)
//
// at each row j that it covers. The matrix P^T A P of such a basis is stored in compressed rows.
//
// Invariants. (1) A row couples its column with itself and the eight around it only. (2) Columns of a row ascend, and
// the diagonal is among them. (3) A slope follows its value; a row that has one of them has both, and both have the
// same columns. (4) The rows of the points of a column do not descend.
#ifndef PL_SPARSE_COLUMN_SYSTEM_H
#define PL_SPARSE_COLUMN_SYSTEM_H

#include "base/service.h"

typedef enum pl__unknown_kind
{
    PL__POINT,
    PL__LINE_VALUE,
    PL__LINE_SLOPE
} pl__unknown_kind;

typedef struct pl__column_system
{
    int32_t nx, nz, count;       // columns along x and z; unknowns
    const int32_t *column_start; // [nx nz + 1] first unknown of each column
    const uint8_t *kind;         // [count] pl__unknown_kind; NULL: all are points
    const int32_t *row;          // [count] of points: their row of cells
    const double *center;        // [count] of line values: centre, in rows; NULL without lines
    const int32_t *start, *end;  // [count] entries of a row; without gaps `end` is start + 1
    const int32_t *column;       // [entries]
    const double *value;         // [entries]
} pl__column_system;

// Whether the invariants hold; reads everything once.
bool pl__column_system_is_valid(const pl__column_system *system);

// The column of an unknown that is coupled to column `near`.
int32_t pl__column_of(const pl__column_system *system, int32_t near, int32_t unknown);

static inline bool pl__is_point(const pl__column_system *s, int32_t unknown)
{
    return !s->kind || s->kind[unknown] == PL__POINT;
}

#endif
