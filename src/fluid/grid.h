// src/fluid/grid.h -- staggered grid of uniform and tall cells (thesis 5.3).
//
// Cells stand in columns of runs (columns.h): UNIFORM runs near the surface and near what moves, LINEAR runs ("tall
// cells") elsewhere in the liquid, nothing in air far from the surface and inside rock. Velocity components are on
// faces, at the rows of the cells they separate:
//
//     face[0], face[2]   face (i, j, k) lies below cell (i, j, k) along its axis, one more than cells along that.
//                        Rows of two tall cells that meet form a LINEAR run; every face of a uniform cell is stored;
//                        a face between a tall cell and no cell is not (it is closed).
//     face[1]            likewise; the interior rows of a tall cell form a CONSTANT run, all others are uniform
//
// so that the gradient of a pressure that is linear in every tall cell is exactly of this form.
#ifndef PL_FLUID_GRID_H
#define PL_FLUID_GRID_H

#include "columns.h"

typedef struct pl__grid
{
    pl__columns cell;
    pl__columns face[3];
} pl__grid;

void pl__grid_done(pl_context *ctx, pl__grid *grid);

// Make the faces of `grid->cell`. PL_ERR_MEMORY leaves an empty grid.
PL_NODISCARD pl_status pl__grid_make_faces(pl_context *ctx, pl__grid *grid);

// A grid of all cells of a box, uniform. `origin` is the lower corner [m].
PL_NODISCARD pl_status pl__grid_make_full(pl_context *ctx, pl__grid *grid, const int32_t n[3], const double origin[3],
                                          double h);

// Center of cell, and of face, (i, j, k) [m].
static inline void pl__grid_point(const pl__columns *c, int32_t i, int32_t j, int32_t k, double x[3])
{
    x[0] = c->origin[0] + c->h * i;
    x[1] = c->origin[1] + c->h * j;
    x[2] = c->origin[2] + c->h * k;
}

// The run with cell (i, j, k), or NULL: there is none, or it is outside.
static inline const pl__run *pl__grid_run(const pl__columns *c, int32_t i, int32_t j, int32_t k)
{
    bool inside = i >= 0 && j >= 0 && k >= 0 && i < c->nx && j < c->ny && k < c->nz;
    return inside ? pl__columns_find(c, i + c->nx * k, j) : NULL;
}

// The face of uniform cell (i, j, k) along an axis, at its lower (0) or upper (1) end.
static inline int32_t pl__grid_face(const pl__grid *grid, int32_t i, int32_t j, int32_t k, int axis, int end)
{
    const pl__columns *f = &grid->face[axis];
    i += axis == 0 ? end : 0, j += axis == 1 ? end : 0, k += axis == 2 ? end : 0;
    return pl__columns_uniform(f, i + f->nx * k, j);
}

// Velocity at a point, by interpolation of each component. False: a component has no number near.
bool pl__grid_velocity(const pl__grid *grid, double *const u[3], const double x[3], double v[3]);

// gradient[a][b] = d u_a / d x_b at a point [1/s], by differences over two cells; 0 along an axis with a single layer.
void pl__grid_gradient(const pl__grid *grid, double *const u[3], const double x[3], double gradient[3][3]);

#endif
