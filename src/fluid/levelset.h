// src/fluid/levelset.h -- the surface of a liquid as the zero level of a signed distance (Osher & Sethian 1988).
//
// phi < 0 in the liquid. Cells of uniform runs store it; tall cells are deep liquid and read as -far, rows without a
// run are air and read as +far. One layer of cells along z (nz = 1) is a plane: nothing depends on z.
#ifndef PL_FLUID_LEVELSET_H
#define PL_FLUID_LEVELSET_H

#include "base/arena.h"
#include "columns.h"
#include "flow.h"

typedef struct pl__levelset
{
    const pl__columns *cell;
    double *phi;                         // [cell->value_count] distance [m]; the numbers of tall cells are not read
    double far;                          // [m] > 0, distances are known up to it; at least the way of a step and 3 h
    const struct pl__boundary *boundary; // of the lattice: closed sides hide what is behind; NULL: nothing is hidden
} pl__levelset;

// ---- values between samples ----------------------------------------------------------------------------------------

// phi at (column, j).
double pl__levelset_at(const pl__levelset *ls, int32_t column, int32_t j);
// The eight samples of a cube, j fastest, then x; where some are not in the main runs.
void pl__levelset_corners(const pl__levelset *ls, const pl__cube *cube, double v[8]);

// phi at a point, linear along each axis; beyond the lattice, of the nearest point of it.
static inline double pl__levelset_sample(const pl__levelset *ls, double x, double y, double z)
{
    pl__cube cube = pl__cube_at(ls->cell, x, y, z);
    double v[8];
    bool inside = true;
    for (int n = 0; n < 4; ++n)
    {
        const pl__main_run *m = &ls->cell->main[cube.column + (n & 1) * cube.step[0] + (n >> 1) * cube.step[1]];
        if ((inside = inside && cube.j >= m->j0 && cube.j < m->j1))
        {
            v[2 * n] = ls->phi[m->base + cube.j];
            v[2 * n + 1] = ls->phi[m->base + cube.j + 1];
        }
    }
    if (!inside)
        pl__levelset_corners(ls, &cube, v);
    double a[4];
    for (int n = 0; n < 4; ++n)
        a[n] = v[2 * n] + cube.part[1] * (v[2 * n + 1] - v[2 * n]);
    double low = a[0] + cube.part[0] * (a[1] - a[0]), high = a[2] + cube.part[0] * (a[3] - a[2]);
    return low + cube.part[2] * (high - low);
}

// The same for at most PL__FLOW_BATCH points.
void pl__levelset_sample_batch(pl_context *ctx, const pl__levelset *ls, int32_t count, const double *const x[3],
                               double *restrict phi);

// The same by Catmull-Rom splines through four samples along each axis; linear where one of the 64 is not stored.
double pl__levelset_sample_cubic(const pl__levelset *ls, double x, double y, double z);

// ---- motion and distance -------------------------------------------------------------------------------------------

// phi at time + dt, by tracing cells with |phi| < band back to where they come from; the others keep theirs.
// `result` [value_count] is another array.
void pl__levelset_advect(pl_context *ctx, const pl__levelset *ls, const pl__motion *motion, double time, double dt,
                         double band, double *result);

// Make phi a distance again, up to `far`, without moving its zero level much. The surface is looked for between stored
// samples only. PL_ERR_MEMORY: unchanged.
PL_NODISCARD pl_status pl__levelset_redistance(pl_context *ctx, const pl__levelset *ls, pl__arena *scratch);
// Make it one where |phi| is `far`, from the other samples, which stay; those that are NaN are not seen.
PL_NODISCARD pl_status pl__levelset_spread(pl_context *ctx, const pl__levelset *ls, pl__arena *scratch);

// ---- measures ------------------------------------------------------------------------------------------------------

// Volume of {phi < 0} [m^3]. `clip` [value_count] is the part of each cell that counts; NULL: all. In tall cells it is
// linear, like everything.
PL_NODISCARD pl_status pl__levelset_volume(pl_context *ctx, const pl__levelset *ls, const double *clip,
                                           pl__arena *scratch, double *volume);

// The part of a uniform cell with phi < 0, in [0, 1]: of cell (column, j) with number n. Through `sides` that are
// closed, of bit 2 axis + end, a cell does not see its neighbours, and takes its own values for theirs.
double pl__levelset_part(const pl__levelset *ls, int32_t register_bytes, int32_t column, int32_t j, unsigned sides,
                         int32_t n);
// The same of cells that follow each other: what has been looked up around a column is kept. Begin with column -1.
typedef struct pl__part_window
{
    int32_t column, low, high; // rows that have all their neighbours in main runs
    const double *at[9];       // row -1 of the columns around
} pl__part_window;
double pl__levelset_next_part(const pl__levelset *ls, int32_t register_bytes, int32_t column, int32_t j, unsigned sides,
                              int32_t n, pl__part_window *window);
// The same of each uniform cell; 1 for the numbers of tall cells. `sides` [value_count]; NULL: all are open.
void pl__levelset_parts(pl_context *ctx, const pl__levelset *ls, const uint8_t *sides, double *part);

// Volume on which the sign of phi is not that of `exact`, by 4 x 4 x 4 points of each uniform cell. For tests.
typedef double pl__distance_function(void *user, const double x[3]);
PL_NODISCARD pl_status pl__levelset_misplaced(pl_context *ctx, const pl__levelset *ls, pl__distance_function *exact,
                                              void *user, pl__arena *scratch, double *volume);

#endif
