// src/fluid/detail.c
#include "detail.h"

#include <math.h>

enum
{
    BOXES = 64 // in a column; what is more makes all rows of it uniform
};

// Cells along an axis that are within `margin` of an interval; none: false.
static bool cells_near(const pl__columns *cell, int axis, double lower, double upper, int32_t margin, pl__row_range *r)
{
    const int32_t n[3] = {cell->nx, cell->ny, cell->nz};
    double from = floor((lower - cell->origin[axis]) / cell->h + 0.5) - margin,
           to = floor((upper - cell->origin[axis]) / cell->h + 0.5) + margin;
    *r = (pl__row_range){(int32_t)fmin(fmax(from, 0), n[axis]), (int32_t)fmax(fmin(to, n[axis] - 1), -1)};
    return r->j0 <= r->j1;
}

// Add a range to sorted ones.
static void insert(pl__row_range *rows, int32_t *count, pl__row_range r)
{
    int32_t at = (*count)++;
    for (; at > 0 && rows[at - 1].j0 > r.j0; --at)
        rows[at] = rows[at - 1];
    rows[at] = r;
}

// Rows of column (i, k) near boxes of obstacles that move.
static int32_t rows_near(const pl__columns *cell, const pl__obstacles *obstacles, int32_t margin, int32_t i, int32_t k,
                         pl__row_range rows[BOXES])
{
    int32_t count = 0;
    for (int32_t n = 0; n < obstacles->count; ++n)
    {
        const pl__object *o = &obstacles->object[n];
        pl__row_range x, y, z;
        if (o->absent || !pl__obstacle_moves(o) || !cells_near(cell, 0, o->lower[0], o->upper[0], margin, &x) ||
            !cells_near(cell, 2, o->lower[2], o->upper[2], margin, &z) || i < x.j0 || i > x.j1 || k < z.j0 ||
            k > z.j1 || !cells_near(cell, 1, o->lower[1], o->upper[1], margin, &y))
            continue;
        if (count == BOXES)
        {
            rows[0] = (pl__row_range){0, cell->ny - 1};
            return 1;
        }
        insert(rows, &count, y);
    }
    return count;
}

pl_status pl__detail_find(pl_context *ctx, const pl__columns *cell, const pl__obstacles *obstacles, int32_t margin,
                          pl__row_set *moving)
{
    PL_TRY(pl__row_set_begin(ctx, moving, (int32_t[3]){cell->nx, cell->ny, cell->nz}));
    for (int32_t k = 0; k < cell->nz; ++k)
        for (int32_t i = 0; i < cell->nx; ++i)
        {
            pl__row_range rows[BOXES];
            int32_t count = rows_near(cell, obstacles, margin, i, k, rows);
            for (int32_t r = 0; r < count; ++r)
                PL_TRY(pl__row_set_add(ctx, moving, rows[r].j0, rows[r].j1));
            pl__row_set_end_column(moving);
        }
    return PL_OK;
}
