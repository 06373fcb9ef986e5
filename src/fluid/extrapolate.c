// src/fluid/extrapolate.c -- extrapolation by layers of constants, and flow that goes on beyond the surface.
//
// A surface that rises moves through the first cells of air within the step. Constants are too slow there where liquid
// converges, while a surface that falls moves through liquid and is right: volume and phase of waves would drift
// (periods of sloshing 0.6 % too long at 64 cells). So the first cells of air are made free of divergence, too: what
// flows into one leaves it by its faces away from the liquid, as in the marker-and-cell method (Harlow & Welch 1965).
// Lines through the last two velocities do as much for waves, but feed energy into a splash until it explodes.
#include "extrapolate.h"
#include "base/task.h"
#include "layers.h"
#include "stretch.h"

enum
{
    COLUMNS_PER_TASK = 64
};

typedef enum cell_kind
{
    LIQUID,
    NEAR_AIR, // beside liquid
    FAR_AIR,
    NOTHING // no cell
} cell_kind;

typedef struct beyond
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const uint8_t *liquid;
    uint8_t *kind; // [numbers of cells]
    double *const *u;
    uint8_t *known[3]; // [numbers of faces]
    int axis;
} beyond;

// The mean of known neighbours.
static bool average(const void *user, const int32_t *entry, const uint8_t *known, const double *u, double *mean)
{
    (void)user;
    double sum = 0;
    int count = 0;
    for (int n = 1; n <= 6; ++n)
        if (pl__layer_is_known(known, entry[n]))
        {
            sum += u[entry[n]];
            ++count;
        }
    *mean = count > 0 ? sum / count : 0;
    return count > 0;
}

pl_status pl__extrapolate_all(pl_context *ctx, pl__arena *arena, const pl__columns *lattice, int32_t layers,
                              uint8_t *known, int32_t count, double *const value[])
{
    pl__arena_mark mark = pl__arena_set_mark(arena);
    pl__layers list;
    pl_status status = pl__layers_list(ctx, arena, lattice, 1, true, known, &list);
    if (status == PL_OK && count > 1)
        status = pl__layers_widen(arena, count, &list);
    if (status == PL_OK)
    {
        for (int32_t f = 0; f < count; ++f)
            pl__layers_clear(&list, value[f]);
        pl__layers_spread_all(&list, layers, average, NULL, known, value);
    }
    pl__arena_release(arena, mark);
    return status;
}

pl_status pl__extrapolate(pl_context *ctx, pl__arena *arena, const pl__columns *lattice, int32_t layers, uint8_t *known,
                          double *value)
{
    return pl__extrapolate_all(ctx, arena, lattice, layers, known, 1, &value);
}

static bool is_liquid(const beyond *b, uint8_t kind, int32_t number)
{
    return kind == PL__BESIDE_TALL || (kind == PL__BESIDE_UNIFORM && b->liquid[number]);
}

static void find_kinds(void *argument, int32_t begin, int32_t end)
{
    const beyond *b = argument;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
        for (pl__cell_walk w = pl__cell_walk_begin(b->grid, column); pl__cell_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
            {
                bool near = false;
                for (int side = 0; side < 6 && !b->liquid[s.own + j] && !near; ++side)
                    near = is_liquid(b, s.kind[side], s.cell[side] + j);
                b->kind[s.own + j] = b->liquid[s.own + j] ? LIQUID : near ? NEAR_AIR : FAR_AIR;
            }
}

// Faces of the liquid: their velocity is known.
static void find_known(void *argument, int32_t begin, int32_t end)
{
    const beyond *b = argument;
    const pl__columns *f = &b->grid->face[b->axis];
    uint8_t *known = b->known[b->axis];
    pl__face_stretch s;
    for (int32_t column = begin; column < end; ++column)
    {
        for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
            for (int32_t n = 0; f->run[r].kind != PL__RUN_UNIFORM && n < pl__run_numbers(&f->run[r]); ++n)
                known[f->run[r].first + n] = 1;
        for (pl__face_walk w = pl__face_walk_begin(b->grid, b->axis, column); pl__face_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
                known[s.own + j] = is_liquid(b, s.kind[0], s.cell[0] + j) || is_liquid(b, s.kind[1], s.cell[1] + j);
    }
}

static cell_kind kind_beside(const beyond *b, const pl__cell_stretch *s, int32_t j, int side)
{
    uint8_t kind = s->kind[side];
    return kind == PL__BESIDE_UNIFORM ? (cell_kind)b->kind[s->cell[side] + j]
           : kind == PL__BESIDE_TALL  ? LIQUID
                                      : NOTHING;
}

// What flows into a cell of air beside liquid leaves it by the faces towards other air, evenly; no face takes more than
// the whole. Two cells of air beside liquid share no such face.
static void close_cell(const beyond *b, const pl__cell_stretch *s, int32_t j)
{
    double out = 0, open = 0;
    for (int side = 0; side < 6; ++side)
    {
        int axis = side / 2, end = side % 2;
        int32_t n = s->face[side] + j;
        double w = b->boundary->open[axis][n];
        out += (2 * end - 1) * (w * b->u[axis][n] + (1 - w) * b->boundary->speed[axis][n]);
        open += kind_beside(b, s, j, side) == FAR_AIR ? w : 0;
    }
    for (int side = 0; side < 6; ++side)
    {
        int axis = side / 2, end = side % 2;
        int32_t n = s->face[side] + j;
        if (kind_beside(b, s, j, side) == FAR_AIR && b->boundary->open[axis][n] > 0)
            b->u[axis][n] -= (2 * end - 1) * out / (open > 1 ? open : 1);
    }
}

static void close_columns(void *argument, int32_t begin, int32_t end)
{
    const beyond *b = argument;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
        for (pl__cell_walk w = pl__cell_walk_begin(b->grid, column); pl__cell_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
                if (b->kind[s.own + j] == NEAR_AIR)
                    close_cell(b, &s, j);
}

static pl_status extrapolate(pl_context *ctx, pl__arena *arena, beyond *b, int32_t count)
{
    const pl__grid *grid = b->grid;
    int32_t columns = grid->cell.nx * grid->cell.nz;
    pl__layers layers[3];
    b->kind = PL_TAKE(arena, grid->cell.value_count + 1, uint8_t);
    for (int axis = 0; axis < 3; ++axis)
        if (!(b->known[axis] = PL_TAKE(arena, grid->face[axis].value_count + 1, uint8_t)))
            return PL_ERR_MEMORY;
    if (!b->kind)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, find_kinds, b);
    for (b->axis = 0; b->axis < 3; ++b->axis)
    {
        const pl__columns *f = &grid->face[b->axis];
        pl__parallel_for(ctx, f->nx * f->nz, COLUMNS_PER_TASK, find_known, b);
        PL_TRY(pl__layers_list(ctx, arena, f, 1, true, b->known[b->axis], &layers[b->axis]));
        pl__layers_clear(&layers[b->axis], b->u[b->axis]);
        pl__layers_spread(&layers[b->axis], 1, average, NULL, b->known[b->axis], b->u[b->axis]);
    }
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, close_columns, b);
    for (int axis = 0; axis < 3; ++axis)
        pl__layers_spread(&layers[axis], count - 1, average, NULL, b->known[axis], b->u[axis]);
    return PL_OK;
}

pl_status pl__extrapolate_velocity(pl_context *ctx, pl__arena *arena, const pl__grid *grid,
                                   const pl__boundary *boundary, const uint8_t *liquid, int32_t layers,
                                   double *const u[3])
{
    beyond b = {.grid = grid, .boundary = boundary, .liquid = liquid, .u = u};
    pl__arena_mark mark = pl__arena_set_mark(arena);
    pl_status status = extrapolate(ctx, arena, &b, layers);
    pl__arena_release(arena, mark);
    return status;
}
