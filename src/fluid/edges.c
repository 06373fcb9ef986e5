// src/fluid/edges.c -- edges of uniform cells: a column of edges has the rows of the cells around it.
#include "edges.h"

void pl__edges_done(pl_context *ctx, pl__edges *edges)
{
    for (int m = 0; m < 3; ++m)
        pl__columns_done(ctx, &edges->edge[m]);
}

// Up to four columns of cells around a column of edges.
typedef struct around
{
    const pl__run *run[4], *end[4];
    int count;
} around;

static around columns_around(const pl__columns *cell, int32_t i, int32_t k, bool two_x, bool two_z)
{
    around a = {.count = 0};
    for (int32_t z = k - two_z; z <= k; ++z)
        for (int32_t x = i - two_x; x <= i; ++x)
            if (x >= 0 && z >= 0 && x < cell->nx && z < cell->nz)
            {
                size_t column = (size_t)x + (size_t)cell->nx * (size_t)z;
                a.run[a.count] = cell->run + cell->start[column];
                a.end[a.count++] = cell->run + cell->start[column + 1];
            }
    return a;
}

// The uniform run that begins lowest, taken out of the lists; NULL: none is left.
static const pl__run *take_lowest(around *a)
{
    int best = -1;
    for (int n = 0; n < a->count; ++n)
    {
        while (a->run[n] < a->end[n] && a->run[n]->kind != PL__RUN_UNIFORM)
            ++a->run[n];
        if (a->run[n] < a->end[n] && (best < 0 || a->run[n]->j0 < a->run[best]->j0))
            best = n;
    }
    return best < 0 ? NULL : a->run[best]++;
}

// The union of the rows of some columns, each longer by `more` above.
static pl_status add_union(pl_context *ctx, pl__columns *edge, around *a, int32_t more)
{
    const pl__run *run = take_lowest(a);
    while (run)
    {
        int32_t j0 = run->j0, j1 = run->j1 + more;
        for (run = take_lowest(a); run && run->j0 <= j1 + 1; run = take_lowest(a))
            j1 = run->j1 + more > j1 ? run->j1 + more : j1;
        PL_TRY(pl__columns_add(ctx, edge, j0, j1, PL__RUN_UNIFORM));
    }
    return PL_OK;
}

static pl_status make_along(pl_context *ctx, const pl__columns *cell, int m, pl__columns *edge)
{
    int32_t n[3] = {cell->nx + (m != 0), cell->ny + (m != 1), cell->nz + (m != 2)};
    double origin[3];
    for (int a = 0; a < 3; ++a)
        origin[a] = cell->origin[a] - (a != m ? 0.5 * cell->h : 0);
    PL_TRY(pl__columns_begin(ctx, edge, n, origin, cell->h));
    for (int32_t k = 0; k < n[2]; ++k)
        for (int32_t i = 0; i < n[0]; ++i)
        {
            around a = columns_around(cell, i, k, m != 0, m != 2);
            PL_TRY(add_union(ctx, edge, &a, m != 1));
            pl__columns_end_column(edge);
        }
    return PL_OK;
}

pl_status pl__edges_make(pl_context *ctx, const pl__columns *cell, pl__edges *edges)
{
    pl_status status = PL_OK;
    for (int m = 0; m < 3 && status == PL_OK; ++m)
        status = make_along(ctx, cell, m, &edges->edge[m]);
    if (status != PL_OK)
        pl__edges_done(ctx, edges);
    return status;
}
