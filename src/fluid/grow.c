// src/fluid/grow.c -- which sides of the box have come too near, and new indices for its columns.
#include "grow.h"
#include "liquid.h"

#include <math.h>
#include <string.h>

enum
{
    LEAST = 16, // cells that a side moves, and
    SHARE = 8,  // of the cells along its axis
    WHOLE = 8   // in multiples of
};

static const double drop_room = 4; // [cells] from a side

// ---- what is near ----------------------------------------------------------------------------------------------

// Stored cells are in the box [low, high].
static void find_extent(const pl__columns *c, int32_t low[3], int32_t high[3])
{
    low[0] = c->nx, low[1] = c->ny, low[2] = c->nz;
    high[0] = high[1] = high[2] = -1;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
    {
        if (c->start[column] == c->start[column + 1])
            continue;
        const int32_t least[3] = {column % c->nx, c->run[c->start[column]].j0, column / c->nx},
                      most[3] = {least[0], c->run[c->start[column + 1] - 1].j1, least[2]};
        for (int a = 0; a < 3; ++a)
        {
            low[a] = least[a] < low[a] ? least[a] : low[a];
            high[a] = most[a] > high[a] ? most[a] : high[a];
        }
    }
}

static bool drop_is_near(const pl__liquid *l, int axis, bool up)
{
    const pl__columns *c = &l->state.grid.cell;
    const int32_t n[3] = {c->nx, c->ny, c->nz};
    for (int32_t d = 0; d < l->state.spray.count; ++d)
    {
        double at = (l->state.spray.drop[d].x[axis] - c->origin[axis]) / c->h;
        if (up ? at > n[axis] - 1 - drop_room : at < drop_room)
            return true;
    }
    return false;
}

static int32_t more_cells(int32_t n) { return (LEAST + n / SHARE + WHOLE - 1) / WHOLE * WHOLE; }

// Cells by which sides move: below, above.
static bool find_growth(const pl__liquid *l, int32_t more[3][2])
{
    const pl__columns *c = &l->state.grid.cell;
    const int32_t n[3] = {c->nx, c->ny, c->nz}, room = (int32_t)ceil(l->def.cfl) + 2;
    int32_t low[3], high[3];
    bool any = false;
    find_extent(c, low, high);
    for (int a = 0; a < 3; ++a)
        for (int up = 0; up < 2; ++up)
        {
            int32_t gap = up ? n[a] - 1 - high[a] : low[a];
            bool near = l->def.grows[2 * a + up] && ((high[a] >= 0 && gap < room) || drop_is_near(l, a, up));
            more[a][up] = near ? more_cells(n[a]) : 0;
            any = any || near;
        }
    return any;
}

// ---- a larger box ----------------------------------------------------------------------------------------------

// The cells of `from` in a larger lattice.
static pl_status place_cells(pl_context *ctx, const pl__columns *from, const int32_t more[3][2], pl__columns *to)
{
    const int32_t n[3] = {from->nx + more[0][0] + more[0][1], from->ny + more[1][0] + more[1][1],
                          from->nz + more[2][0] + more[2][1]};
    double origin[3];
    for (int a = 0; a < 3; ++a)
        origin[a] = from->origin[a] - from->h * more[a][0];
    PL_TRY(pl__columns_begin(ctx, to, n, origin, from->h));
    for (int32_t k = 0; k < n[2]; ++k)
        for (int32_t i = 0; i < n[0]; ++i)
        {
            int32_t x = i - more[0][0], z = k - more[2][0];
            bool inside = x >= 0 && z >= 0 && x < from->nx && z < from->nz;
            size_t column = inside ? (size_t)x + (size_t)from->nx * (size_t)z : 0;
            for (size_t r = from->start[column]; inside && r < from->start[column + 1]; ++r)
                PL_TRY(pl__columns_add(ctx, to, from->run[r].j0 + more[1][0], from->run[r].j1 + more[1][0],
                                       from->run[r].kind));
            pl__columns_end_column(to);
        }
    return PL_OK;
}

static bool has_same_numbers(const pl__grid *a, const pl__grid *b)
{
    bool same = a->cell.value_count == b->cell.value_count;
    for (int axis = 0; axis < 3; ++axis)
        same = same && a->face[axis].value_count == b->face[axis].value_count;
    return same;
}

void pl__liquid_set_corner(pl__liquid *l, const int32_t cells[3], const int32_t below[3])
{
    for (int a = 0; a < 3; ++a)
    {
        for (int32_t n = 0; n < l->sources.count; ++n)
            l->sources.region[n].low[a] += below[a] - l->below[a];
        l->def.cells[a] = cells[a];
        l->below[a] = below[a];
    }
}

// Edges are those of uniform cells, and have the same numbers, too.
static void swap_edges(pl__edges *a, pl__edges *b)
{
    pl__edges t = *a;
    *a = *b;
    *b = t;
}

pl_status pl__liquid_grow(pl__liquid *l)
{
    int32_t more[3][2], cells[3], below[3];
    if (!find_growth(l, more))
        return PL_OK;
    double count = 1;
    for (int a = 0; a < 3; ++a)
    {
        cells[a] = l->def.cells[a] + more[a][0] + more[a][1];
        below[a] = l->below[a] + more[a][0];
        count *= cells[a];
    }
    l->full = count > l->def.most_cells;
    if (l->full)
        return PL_OK;
    PL_TRY(place_cells(l->ctx, &l->state.grid.cell, (const int32_t(*)[2])more, &l->next.grid.cell));
    PL_TRY(pl__grid_make_faces(l->ctx, &l->next.grid));
    if (l->def.remembers)
        PL_TRY(pl__edges_make(l->ctx, &l->next.grid.cell, &l->next.elastic.edges));
    if (!has_same_numbers(&l->state.grid, &l->next.grid)) // tall cells stand at a side that grows
    {
        l->full = true;
        return PL_OK;
    }
    pl__grid t = l->state.grid;
    l->state.grid = l->next.grid;
    l->next.grid = t;
    if (l->def.remembers)
        swap_edges(&l->state.elastic.edges, &l->next.elastic.edges);
    l->boundary_stale = true;
    pl__liquid_set_corner(l, cells, below);
    return PL_OK;
}

pl_status pl__liquid_place_set(const pl__liquid *l, const pl__row_set *set, pl__row_set *placed)
{
    const int32_t *n = l->def.cells;
    PL_TRY(pl__row_set_begin(l->ctx, placed, n));
    for (int32_t k = 0; k < n[2]; ++k)
        for (int32_t i = 0; i < n[0]; ++i)
        {
            int32_t x = i - l->below[0], z = k - l->below[2];
            bool inside = x >= 0 && z >= 0 && x < set->nx && z < set->nz;
            size_t column = inside ? (size_t)x + (size_t)set->nx * (size_t)z : 0;
            for (size_t r = set->start[column]; inside && r < set->start[column + 1]; ++r)
                PL_TRY(pl__row_set_add(l->ctx, placed, set->rows[r].j0 + l->below[1], set->rows[r].j1 + l->below[1]));
            pl__row_set_end_column(placed);
        }
    return PL_OK;
}
