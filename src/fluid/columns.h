// src/fluid/columns.h -- numbers on a lattice of columns, stored by runs of rows.
//
// A lattice has samples (i, j, k) at origin + h (i, j, k), j upwards. Few of them are stored: column (i, k) is a sorted
// list of runs of rows, and each kind of run says how many numbers it stores and what they mean at its rows:
//
//     UNIFORM   one number a row
//     LINEAR    two, at the first and at the last row; linear between them
//     CONSTANT  one for all rows
//
// This is the map P from stored numbers to samples of a uniform grid on which everything is defined: operators on runs
// are P^T (operator on rows) P, and numbers come to runs by the least squares fit (P^T P)^-1 P^T, equation 5.1 of the
// thesis. Rows without a run have no number. Cells are stored in UNIFORM and LINEAR runs (uniform and tall cells),
// horizontal faces likewise, vertical faces in UNIFORM and CONSTANT runs.
#ifndef PL_FLUID_COLUMNS_H
#define PL_FLUID_COLUMNS_H

#include "base/context.h"

typedef enum pl__run_kind
{
    PL__RUN_UNIFORM,
    PL__RUN_LINEAR,
    PL__RUN_CONSTANT
} pl__run_kind;

typedef struct pl__run
{
    int32_t j0, j1; // first and last row
    int32_t first;  // of its numbers
    pl__run_kind kind;
} pl__run;

// The longest uniform run of a column: row j has the number base + j. Empty: j0 > j1.
typedef struct pl__main_run
{
    int32_t j0, j1, base;
} pl__main_run;

typedef struct pl__columns
{
    int32_t nx, ny, nz; // samples along each axis
    double origin[3];   // of sample (0, 0, 0) [m]
    double h;           // [m]
    double inverse_h;   // [1/m]
    size_t *start;      // [nx nz + 1] first run of each column; column i + nx k
    pl__run *run;       // [run_count] by columns, from below
    pl__main_run *main; // [nx nz]
    size_t run_count;
    int32_t value_count;                                             // numbers stored
    size_t start_capacity, run_capacity, main_capacity, next_column; // of the arrays; column being built
} pl__columns;

void pl__columns_done(pl_context *ctx, pl__columns *c);

// Building: begin, then for every column in order its runs from below (`add`) and an end (`end_column`).
// PL_ERR_MEMORY leaves an empty lattice.
PL_NODISCARD pl_status pl__columns_begin(pl_context *ctx, pl__columns *c, const int32_t n[3], const double origin[3],
                                         double h);
PL_NODISCARD pl_status pl__columns_add(pl_context *ctx, pl__columns *c, int32_t j0, int32_t j1, pl__run_kind kind);
void pl__columns_end_column(pl__columns *c);

// Whether its runs are sorted and disjoint, and their numbers in order.
bool pl__columns_is_valid(const pl__columns *c);

static inline int32_t pl__run_rows(const pl__run *run) { return run->j1 - run->j0 + 1; }
static inline int32_t pl__run_numbers(const pl__run *run)
{
    return run->kind == PL__RUN_UNIFORM ? pl__run_rows(run) : run->kind == PL__RUN_LINEAR ? 2 : 1;
}

// The run with row j of a column, or NULL.
const pl__run *pl__columns_find(const pl__columns *c, int32_t column, int32_t j);

// The number at row j of a run.
static inline double pl__run_value(const pl__run *run, const double *value, int32_t j)
{
    const double *v = value + run->first;
    if (run->kind == PL__RUN_UNIFORM)
        return v[j - run->j0];
    if (run->kind == PL__RUN_CONSTANT)
        return v[0];
    double t = (double)(j - run->j0) / (double)(run->j1 - run->j0);
    return v[0] + t * (v[1] - v[0]);
}

// The number at (column, j). False: there is none.
static inline bool pl__columns_value(const pl__columns *c, const double *value, int32_t column, int32_t j,
                                     double *result)
{
    const pl__main_run *m = &c->main[column];
    if (j >= m->j0 && j <= m->j1)
    {
        *result = value[m->base + j];
        return true;
    }
    const pl__run *run = pl__columns_find(c, column, j);
    if (run)
        *result = pl__run_value(run, value, j);
    return run != NULL;
}

// Where a number of a uniform run is: its column and row, by two binary searches.
void pl__columns_place(const pl__columns *c, int32_t number, int32_t *column, int32_t *j);
// The index of the number of a uniform row, or -1.
int32_t pl__columns_uniform(const pl__columns *c, int32_t column, int32_t j);

// The samples around a point: rows j, j + 1 of four columns; and where it is between them.
typedef struct pl__cube
{
    int32_t column, j;
    int32_t step[2]; // to the next column along x and z; 0 where there is only one
    double part[3];
} pl__cube;

// Cell of a coordinate [samples] among n, and the part of it; the nearest one for a coordinate outside, 0 for NaN.
static inline int32_t pl__cube_along(double x, int32_t n, double *part)
{
    double top = (double)(n - 1), inside = x > 0 ? (x < top ? x : top) : 0;
    int32_t i = (int32_t)inside, last = n > 1 ? n - 2 : 0;
    i = i < last ? i : last;
    *part = inside - (double)i;
    return i;
}

static inline pl__cube pl__cube_at(const pl__columns *c, double x, double y, double z)
{
    pl__cube cube;
    double scale = c->inverse_h;
    int32_t i = pl__cube_along((x - c->origin[0]) * scale, c->nx, &cube.part[0]);
    int32_t k = pl__cube_along((z - c->origin[2]) * scale, c->nz, &cube.part[2]);
    cube.j = pl__cube_along((y - c->origin[1]) * scale, c->ny, &cube.part[1]);
    cube.column = i + c->nx * k;
    cube.step[0] = c->nx > 1;
    cube.step[1] = c->nz > 1 ? c->nx : 0;
    return cube;
}

// Trilinear interpolation at a point [m]; beyond the lattice, of the nearest point of it. Corners without a number are
// left out, and the weights of the others scaled to 1. False: no corner has one.
bool pl__columns_sample(const pl__columns *c, const double *value, const double x[3], double *result);

// ---- least squares (5.1) -------------------------------------------------------------------------------------------

// Sums over rows of (1, j - middle) times a number: what a fit to a run needs. `middle` is the middle of the run.
typedef struct pl__run_moments
{
    double sum, first;
} pl__run_moments;

// Sums of 1, j - middle and (j - middle)^2 over the rows [j0, j1].
void pl__rows_power_sums(int32_t j0, int32_t j1, double middle, double s[3]);
static inline double pl__run_middle(const pl__run *run) { return 0.5 * ((double)run->j0 + (double)run->j1); }

// Add rows [j0, j1] of `from`, in constant time unless it is uniform, to the moments about `middle`.
void pl__run_add_moments(const pl__run *from, const double *value, int32_t j0, int32_t j1, double middle,
                         pl__run_moments *moments);
// Best constant or line for moments about the middle of a run that is not uniform.
void pl__run_fit(const pl__run *run, const pl__run_moments *moments, double *value);

// Numbers of `from` on another lattice of the same size. Rows that `from` lacks count as `missing`.
void pl__columns_transfer(pl_context *ctx, const pl__columns *from, const double *value, const pl__columns *to,
                          double missing, double *result);

// ---- dense oracles for tests ---------------------------------------------------------------------------------------

// All samples, index (j + ny (i + nx k)); `missing` where there is none; and back by least squares.
void pl__columns_refine(const pl__columns *c, const double *value, double missing, double *dense);
void pl__columns_coarsen(const pl__columns *c, const double *dense, double *value);

#endif
