// src/fluid/grid.c -- faces of a staggered grid from its cells.
#include "grid.h"

#include <string.h>

void pl__grid_done(pl_context *ctx, pl__grid *grid)
{
    pl__columns_done(ctx, &grid->cell);
    for (int axis = 0; axis < 3; ++axis)
        pl__columns_done(ctx, &grid->face[axis]);
}

// ---- horizontal faces ------------------------------------------------------------------------------------------

// The runs of a column, or none.
typedef struct side
{
    const pl__run *run, *end;
} side;

static side side_of(const pl__columns *cell, int32_t i, int32_t k)
{
    if (i < 0 || k < 0 || i >= cell->nx || k >= cell->nz)
        return (side){NULL, NULL};
    size_t column = (size_t)i + (size_t)cell->nx * (size_t)k;
    return (side){cell->run + cell->start[column], cell->run + cell->start[column + 1]};
}

// Rows of a run that is being collected.
typedef struct pending
{
    int32_t j0, j1;
    bool any;
} pending;

static pl_status flush(pl_context *ctx, pl__columns *face, pending *p)
{
    bool any = p->any;
    p->any = false;
    return any ? pl__columns_add(ctx, face, p->j0, p->j1, PL__RUN_UNIFORM) : PL_OK;
}

// Uniform rows [j0, j1] follow.
static pl_status extend(pl_context *ctx, pl__columns *face, pending *p, int32_t j0, int32_t j1)
{
    if (p->any && p->j1 + 1 == j0)
    {
        p->j1 = j1;
        return PL_OK;
    }
    PL_TRY(flush(ctx, face, p));
    *p = (pending){j0, j1, true};
    return PL_OK;
}

// One column of faces between two columns of cells. At the walls of the domain one of them is missing, and the other
// alone decides: `wall`.
static pl_status add_horizontal(pl_context *ctx, pl__columns *face, side a, side b, bool wall)
{
    pending p = {0, 0, false};
    for (int32_t j = 0; a.run < a.end || b.run < b.end;)
    {
        // rows [j, end] on which both sides keep their runs
        bool in_a = a.run < a.end && a.run->j0 <= j, in_b = b.run < b.end && b.run->j0 <= j;
        int32_t end = INT32_MAX;
        if (a.run < a.end)
            end = in_a ? a.run->j1 : a.run->j0 - 1;
        if (b.run < b.end)
            end = in_b ? (b.run->j1 < end ? b.run->j1 : end) : (b.run->j0 - 1 < end ? b.run->j0 - 1 : end);
        bool tall_a = in_a && a.run->kind == PL__RUN_LINEAR, tall_b = in_b && b.run->kind == PL__RUN_LINEAR;
        if ((tall_a && tall_b && end > j) || (wall && (tall_a || tall_b)))
        {
            PL_TRY(flush(ctx, face, &p));
            PL_TRY(pl__columns_add(ctx, face, j, end, PL__RUN_LINEAR));
        }
        else if ((in_a && !tall_a) || (in_b && !tall_b) || (tall_a && tall_b))
            PL_TRY(extend(ctx, face, &p, j, end));
        j = end + 1;
        if (a.run < a.end && a.run->j1 < j)
            ++a.run;
        if (b.run < b.end && b.run->j1 < j)
            ++b.run;
    }
    return flush(ctx, face, &p);
}

static pl_status make_horizontal(pl_context *ctx, pl__grid *grid, int axis)
{
    const pl__columns *cell = &grid->cell;
    pl__columns *face = &grid->face[axis];
    int32_t n[3] = {cell->nx + (axis == 0), cell->ny, cell->nz + (axis == 2)};
    double origin[3] = {cell->origin[0], cell->origin[1], cell->origin[2]};
    origin[axis] -= 0.5 * cell->h;
    PL_TRY(pl__columns_begin(ctx, face, n, origin, cell->h));
    for (int32_t k = 0; k < n[2]; ++k)
        for (int32_t i = 0; i < n[0]; ++i)
        {
            side a = side_of(cell, i - (axis == 0), k - (axis == 2)), b = side_of(cell, i, k);
            bool wall = axis == 0 ? i == 0 || i == cell->nx : k == 0 || k == cell->nz;
            PL_TRY(add_horizontal(ctx, face, a, b, wall));
            pl__columns_end_column(face);
        }
    return PL_OK;
}

// ---- vertical faces --------------------------------------------------------------------------------------------

// Every face of the runs of a column, interior ones of a tall run as one number.
static pl_status add_vertical(pl_context *ctx, pl__columns *face, side a)
{
    pending p = {0, 0, false};
    int32_t done = -1; // last row that has been added
    for (; a.run < a.end; ++a.run)
    {
        const pl__run *run = a.run;
        int32_t bottom = run->j0 > done ? run->j0 : done + 1;
        if (run->kind == PL__RUN_UNIFORM)
            PL_TRY(extend(ctx, face, &p, bottom, run->j1 + 1));
        else
        {
            if (bottom == run->j0)
                PL_TRY(extend(ctx, face, &p, bottom, bottom));
            PL_TRY(flush(ctx, face, &p));
            PL_TRY(pl__columns_add(ctx, face, run->j0 + 1, run->j1, PL__RUN_CONSTANT));
            PL_TRY(extend(ctx, face, &p, run->j1 + 1, run->j1 + 1));
        }
        done = run->j1 + 1;
    }
    return flush(ctx, face, &p);
}

static pl_status make_vertical(pl_context *ctx, pl__grid *grid)
{
    const pl__columns *cell = &grid->cell;
    pl__columns *face = &grid->face[1];
    int32_t n[3] = {cell->nx, cell->ny + 1, cell->nz};
    double origin[3] = {cell->origin[0], cell->origin[1] - 0.5 * cell->h, cell->origin[2]};
    PL_TRY(pl__columns_begin(ctx, face, n, origin, cell->h));
    for (int32_t k = 0; k < n[2]; ++k)
        for (int32_t i = 0; i < n[0]; ++i)
        {
            PL_TRY(add_vertical(ctx, face, side_of(cell, i, k)));
            pl__columns_end_column(face);
        }
    return PL_OK;
}

pl_status pl__grid_make_faces(pl_context *ctx, pl__grid *grid)
{
    pl_status status = make_horizontal(ctx, grid, 0);
    if (status == PL_OK)
        status = make_vertical(ctx, grid);
    if (status == PL_OK)
        status = make_horizontal(ctx, grid, 2);
    if (status != PL_OK)
        pl__grid_done(ctx, grid);
    return status;
}

pl_status pl__grid_make_full(pl_context *ctx, pl__grid *grid, const int32_t n[3], const double origin[3], double h)
{
    double center[3] = {origin[0] + 0.5 * h, origin[1] + 0.5 * h, origin[2] + 0.5 * h};
    pl_status status = pl__columns_begin(ctx, &grid->cell, n, center, h);
    for (int32_t column = 0; column < n[0] * n[2] && status == PL_OK; ++column)
    {
        status = pl__columns_add(ctx, &grid->cell, 0, n[1] - 1, PL__RUN_UNIFORM);
        if (status == PL_OK)
            pl__columns_end_column(&grid->cell);
    }
    if (status != PL_OK)
    {
        pl__grid_done(ctx, grid);
        return status;
    }
    return pl__grid_make_faces(ctx, grid);
}

bool pl__grid_velocity(const pl__grid *grid, double *const u[3], const double x[3], double v[3])
{
    bool all = true;
    for (int axis = 0; axis < 3; ++axis)
        all = pl__columns_sample(&grid->face[axis], u[axis], x, &v[axis]) && all;
    return all;
}

void pl__grid_gradient(const pl__grid *grid, double *const u[3], const double x[3], double gradient[3][3])
{
    const pl__columns *c = &grid->cell;
    const int32_t n[3] = {c->nx, c->ny, c->nz};
    memset(gradient, 0, 9 * sizeof(double));
    for (int b = 0; b < 3; ++b)
        for (int end = 0; end < 2 && n[b] > 1; ++end)
        {
            double at[3] = {x[0], x[1], x[2]};
            at[b] += end ? c->h : -c->h;
            for (int a = 0; a < 3; ++a)
            {
                double value = 0;
                (void)pl__columns_sample(&grid->face[a], u[a], at, &value);
                gradient[a][b] += (end ? 0.5 : -0.5) * value * c->inverse_h;
            }
        }
}
