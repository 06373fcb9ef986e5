// src/fluid/shore.c -- where the surface of a liquid meets solids.
//
// It goes on into them as it meets them, at any angle, and from the side that a cell is open to: a wall has liquid on
// one side and air on the other. Samples at the surface go before others: their distance does not hang on a way around
// corners. A sample inside is the mean of 2 a - b over the axes and sides
// where its next two neighbours a, b are known, or of a where none has two; a distance has slopes of at most 1, and
// a - b is kept within that. Linear phi stays: water at rest is at rest up to its line on a beach. Constants instead,
// contact at right angles, bend the surface there; and markers that begin in solids, and are pushed out of them, are
// liquid on dry ground. With these a beach of 1:5 at 32 cells had currents of 0.7 m/s that never ended.
#include "shore.h"
#include "layers.h"

#include <math.h>

typedef struct shore
{
    const uint8_t *flat, *sides; // NULL: none are closed
    double h;
} shore;

static bool is_open(const shore *s, int32_t number, int side) { return !s->sides || !(s->sides[number] >> side & 1); }

// What samples on one kind of ways give.
typedef struct tally
{
    double sum;
    int count;
} tally;

static void put(tally *t, double value) { t->sum += value, ++t->count; }

static bool extrapolate(const void *user, const int32_t *entry, const uint8_t *known, const double *phi, double *result)
{
    const shore *s = user;
    bool flat = s->flat && s->flat[entry[0]];
    tally near = {0, 0}, line = {0, 0}, constant = {0, 0};
    for (int n = 1; n < 13; n += 2)
    {
        if (!pl__layer_is_known(known, entry[n]) || !is_open(s, entry[0], n / 2))
            continue;
        double a = phi[entry[n]];
        bool at_surface = fabs(a) < s->h;
        put(&constant, a);
        if (!flat && pl__layer_is_known(known, entry[n + 1]) && is_open(s, entry[n], n / 2))
        {
            double rise = a - phi[entry[n + 1]];
            a += rise > s->h ? s->h : rise < -s->h ? -s->h : rise;
            put(&line, a);
        }
        else if (flat || n / 4 == 1) // along y
            continue;
        if (at_surface)
            put(&near, a);
    }
    const tally *best = near.count > 0 ? &near : line.count > 0 ? &line : &constant;
    *result = best->count > 0 ? best->sum / best->count : 0;
    return best->count > 0;
}

pl_status pl__shore_extend(pl__arena *arena, const pl__columns *c, int32_t layers, const uint8_t *flat,
                           const uint8_t *sides, bool seen_only, uint8_t *known, double *phi)
{
    pl__arena_mark mark = pl__arena_set_mark(arena);
    pl__layers list;
    shore seen = {flat, sides, c->h}, all = {flat, NULL, c->h};
    pl_status status = pl__layers_list(arena->ctx, arena, c, 2, false, known, &list);
    if (status == PL_OK)
        pl__layers_spread(&list, layers, extrapolate, &seen, known, phi);
    if (status == PL_OK && sides && !seen_only)
        pl__layers_spread(&list, layers, extrapolate, &all, known, phi);
    pl__arena_release(arena, mark);
    return status;
}

static void fill_cell(const pl__grid *grid, const pl__boundary *boundary, int32_t i, int32_t j, int32_t k, int32_t n,
                      double *phi)
{
    for (int side = 0; side < 6; ++side)
    {
        if (side == 2)
            continue;
        int axis = side / 2, end = side % 2;
        int32_t at[3] = {i, j, k};
        at[axis] += 2 * end - 1;
        const pl__run *run = pl__grid_run(&grid->cell, at[0], at[1], at[2]);
        if (!run || run->kind != PL__RUN_UNIFORM || boundary->open[axis][pl__grid_face(grid, i, j, k, axis, end)] <= 0)
            continue;
        double beside = phi[run->first + at[1] - run->j0];
        phi[n] = beside < -0.5 * grid->cell.h && beside < phi[n] ? beside : phi[n];
    }
}

void pl__shore_fill(const pl__grid *grid, const pl__boundary *boundary, double *phi)
{
    const pl__columns *c = &grid->cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t m = 0; c->run[r].kind == PL__RUN_UNIFORM && m < pl__run_rows(&c->run[r]); ++m)
            {
                int32_t n = c->run[r].first + m;
                bool room = boundary->distance[n] > -0.499 * c->h;
                if (!room && phi[n] >= 0 && (boundary->sides[n] & PL__ALL_SIDES) != PL__ALL_SIDES)
                    fill_cell(grid, boundary, column % c->nx, c->run[r].j0 + m, column / c->nx, n, phi);
            }
}

// Whether there is a wall between a point and the center of its cell.
static bool is_hidden(const pl__columns *c, const pl__obstacles *obstacles, const double x[3])
{
    double center[3];
    for (int axis = 0; axis < 3; ++axis)
        center[axis] = c->origin[axis] + c->h * floor((x[axis] - c->origin[axis]) / c->h + 0.5);
    return !pl__obstacles_see(obstacles, x, center, c->h);
}

// Interpolated distances do not see what is thinner than a cell: near solids they are asked themselves.
static bool is_out_of_reach(const pl__columns *cell, const double *distance, const pl__obstacles *obstacles,
                            const double x[3])
{
    double d;
    if (!pl__columns_sample(cell, distance, x, &d) || d > 2 * cell->h)
        return false;
    if (d < 0 || !obstacles)
        return d < 0;
    pl__near_obstacles near;
    pl__obstacles_find(obstacles, x, x, cell->h, false, &near);
    return pl__obstacles_look(&near, x, 0).inside || is_hidden(cell, obstacles, x);
}

void pl__shore_clear(const pl__columns *cell, const double *distance, const pl__obstacles *obstacles, pl__particles *p)
{
    int32_t kept = 0;
    for (int32_t n = 0; n < p->count; ++n)
    {
        double x[3] = {p->x[0][n], p->x[1][n], p->x[2][n]};
        if (is_out_of_reach(cell, distance, obstacles, x))
            continue;
        for (int axis = 0; axis < 3; ++axis)
            p->x[axis][kept] = p->x[axis][n];
        p->radius[kept] = p->radius[n];
        p->sign[kept] = p->sign[n];
        p->escaped[kept++] = p->escaped[n];
    }
    p->count = kept;
}
