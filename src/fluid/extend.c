// src/fluid/extend.c -- cells that solids cover or have crossed.
#include "extend.h"
#include "shore.h"

#include <math.h>
#include <string.h>

typedef struct crossing
{
    const pl__grid *grid;
    const pl__boundary *boundary;
    const pl__obstacles *obstacles;
    const double *was;
    uint8_t *known; // [numbers of cells] 0: crossed or covered
    int32_t *pushed, *behind;
    double *phi;
    const double *content; // [numbers of cells] or NULL
} crossing;

// Centers of a batch of cells, and their numbers.
typedef struct centers
{
    double x[3][PL__OBSTACLES_BATCH];
    int32_t number[PL__OBSTACLES_BATCH], count;
} centers;

static bool is_closed(const crossing *c, int32_t n) { return (c->boundary->sides[n] & PL__ALL_SIDES) == PL__ALL_SIDES; }

// The cell before a solid that has pushed the center of cell n to x, along its normal there: at least as far as half a
// cell, and the next one where that is closed or not seen. (The way of the center is no direction: it goes along with
// the solid.) -2: there is none.
static int32_t cell_before(const crossing *c, int32_t n, const double x[3])
{
    const pl__columns *cell = &c->grid->cell;
    double normal[3];
    (void)pl__object_distance(&c->obstacles->object[c->boundary->nearest[n]], x, normal);
    for (double far = 0.75; far < 3; far += 0.5)
    {
        int32_t at[3];
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = (int32_t)floor((x[axis] - cell->origin[axis]) / cell->h + far * normal[axis] + 0.5);
        const pl__run *run = pl__grid_run(cell, at[0], at[1], at[2]);
        if (!run || run->kind != PL__RUN_UNIFORM)
            return -2;
        double center[3];
        pl__grid_point(cell, at[0], at[1], at[2], center);
        if (!is_closed(c, run->first + at[1] - run->j0) && pl__obstacles_see(c->obstacles, x, center, cell->h))
            return run->first + at[1] - run->j0;
    }
    return -2;
}

// A center that would have to move out of the way has been crossed. One that is inside now keeps what it has as long as
// faces are open.
static void find_crossed(const crossing *c, centers *b)
{
    double to[3][PL__OBSTACLES_BATCH], h = c->grid->cell.h;
    memcpy(to, b->x, sizeof to);
    (void)pl__obstacles_stop(c->obstacles, 0, 1e-3 * h, PL__WAY_STEP * h, b->count,
                             (const double *const[3]){b->x[0], b->x[1], b->x[2]},
                             (double *const[3]){to[0], to[1], to[2]});
    for (int32_t n = 0; n < b->count; ++n)
        if (to[0][n] != b->x[0][n] || to[1][n] != b->x[1][n] || to[2][n] != b->x[2][n])
        {
            double end[3] = {to[0][n], to[1][n], to[2][n]};
            c->known[b->number[n]] = 0;
            if (c->boundary->distance[b->number[n]] < 0)
                continue;
            c->pushed[b->number[n]] = cell_before(c, b->number[n], end);
            c->behind[b->number[n]] =
                cell_before(c, b->number[n], (const double[3]){b->x[0][n], b->x[1][n], b->x[2][n]});
        }
    b->count = 0;
}

static bool is_liquid(const crossing *c, int32_t n) { return n >= 0 && c->phi[n] < 0; }

// The cell on the other side of the solid than x, which is on its surface.
static int32_t cell_behind(const crossing *c, int32_t n, const double x[3])
{
    const pl__object *o = &c->obstacles->object[c->boundary->nearest[n]];
    double y[3], way[3], normal[3], h = c->grid->cell.h;
    (void)pl__object_distance(o, x, way);
    for (double far = 0.25; far < 3; far += 0.25)
    {
        for (int axis = 0; axis < 3; ++axis)
            y[axis] = x[axis] - far * h * way[axis];
        if (pl__object_distance(o, y, normal) > 0)
            return cell_before(c, n, y);
    }
    return -2;
}

// Where what is in a cell goes that a solid has closed: out of the solid on the side where its center was. If that was
// in the solid already, to the side that it is nearest to, or to the other if only that is liquid. -1: its center is
// outside, and it stays. (Along the velocity of the solid it would go through a wall that moves along itself, or
// through the corner of a vessel.)
static int32_t cell_beside(const crossing *c, int32_t n, const double x[3])
{
    double to[3] = {x[0], x[1], x[2]}, h = c->grid->cell.h;
    (void)pl__obstacles_stop(c->obstacles, h, 1e-3 * h, PL__WAY_STEP * h, 1,
                             (const double *const[3]){&x[0], &x[1], &x[2]}, (double *const[3]){&to[0], &to[1], &to[2]});
    bool moved = to[0] != x[0] || to[1] != x[1] || to[2] != x[2];
    if (!moved)
        return -1;
    int32_t before = cell_before(c, n, to), behind = -2;
    if (c->was[n] < 0 && !is_liquid(c, before))
        behind = cell_behind(c, n, to);
    return is_liquid(c, behind) ? behind : before;
}

// Cells that moving solids may have crossed: those near one now, if it has not gone farther than distances are known.
static void find_unknown(const crossing *c)
{
    const pl__columns *cell = &c->grid->cell;
    bool moving = false;
    centers b = {.count = 0};
    for (int32_t n = 0; n < c->obstacles->count; ++n)
        moving = moving || pl__obstacle_moves(&c->obstacles->object[n]);
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        {
            const pl__run *run = &cell->run[r];
            for (int32_t n = run->first; n < run->first + pl__run_numbers(run); ++n)
            {
                c->known[n] = run->kind != PL__RUN_UNIFORM || c->boundary->distance[n] >= 0;
                c->pushed[n] = c->behind[n] = -1;
                if (!moving || c->boundary->nearest[n] < 0 || run->kind != PL__RUN_UNIFORM)
                    continue;
                double x[3];
                pl__grid_point(cell, column % cell->nx, run->j0 + n - run->first, column / cell->nx, x);
                if (is_closed(c, n))
                {
                    c->pushed[n] = cell_beside(c, n, x);
                    continue;
                }
                if (c->was[n] < 0)
                {
                    c->known[n] = 0;
                    c->behind[n] = c->boundary->sides[n] & PL__PARTED ? cell_before(c, n, x) : -1;
                    continue;
                }
                for (int axis = 0; axis < 3; ++axis)
                    b.x[axis][b.count] = x[axis];
                b.number[b.count++] = n;
                if (b.count == PL__OBSTACLES_BATCH)
                    find_crossed(c, &b);
            }
        }
    if (b.count > 0)
        find_crossed(c, &b);
}

static bool is_moved(const crossing *c, int32_t n)
{
    int32_t nearest = c->boundary->nearest[n];
    return nearest >= 0 && pl__obstacle_moves(&c->obstacles->object[nearest]);
}

// The mean of known cells beside (i, j, k) through open faces. False: there is none.
static bool see(const crossing *c, int32_t i, int32_t j, int32_t k, double *mean)
{
    double sum = 0;
    int count = 0;
    for (int face = 0; face < 6; ++face)
    {
        int axis = face / 2, end = face % 2;
        int32_t at[3] = {i, j, k};
        at[axis] += 2 * end - 1;
        const pl__run *run = pl__grid_run(&c->grid->cell, at[0], at[1], at[2]);
        if (!run || run->kind != PL__RUN_UNIFORM || !c->known[run->first + at[1] - run->j0] ||
            c->boundary->open[axis][pl__grid_face(c->grid, i, j, k, axis, end)] <= 0)
            continue;
        sum += c->phi[run->first + at[1] - run->j0];
        ++count;
    }
    *mean = count > 0 ? sum / count : 0;
    return count > 0;
}

// Cells of moving solids that are open and see no cell that is known are as full as the count of volume says: in a gap
// thinner than half a cell there is no sample. They are no sample for what is in the solid.
static void fill_by_content(const crossing *c, const uint8_t *unseen, double *phi)
{
    for (int32_t n = 0; n < c->grid->cell.value_count; ++n)
        if (unseen[n])
            phi[n] = c->content[n] > 0 ? -c->grid->cell.h : c->grid->cell.h;
}

// One layer of crossed cells, from those known before. Returns how many were set.
static int32_t fill_layer(const crossing *c, uint8_t *found, double *mean)
{
    const pl__columns *cell = &c->grid->cell;
    int32_t count = 0;
    memset(found, 0, (size_t)cell->value_count);
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        {
            const pl__run *run = &cell->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0;
                if (!c->known[n] && (c->boundary->distance[n] >= 0 || (is_moved(c, n) && !is_closed(c, n))))
                    count += found[n] = see(c, column % cell->nx, j, column / cell->nx, &mean[n]);
            }
        }
    for (int32_t n = 0; n < cell->value_count && count > 0; ++n)
        if (found[n])
        {
            c->phi[n] = mean[n];
            c->known[n] = 1;
        }
    return count;
}

// ---- behind walls ----------------------------------------------------------------------------------------------

// [cells] A cell nearer to a plane surface than this has a face neighbour on the other side of it: 1 / sqrt(3).
static const double always_seen = 0.577;

// Whether a cell beside (i, j, k) through an open face is liquid.
static bool sees_liquid(const crossing *c, int32_t i, int32_t j, int32_t k, const double *phi)
{
    for (int face = 0; face < 6; ++face)
    {
        int axis = face / 2, end = face % 2;
        int32_t at[3] = {i, j, k};
        at[axis] += 2 * end - 1;
        const pl__run *run = pl__grid_run(&c->grid->cell, at[0], at[1], at[2]);
        bool open = run && c->boundary->open[axis][pl__grid_face(c->grid, i, j, k, axis, end)] > 0;
        int32_t n = open ? run->first + (run->kind == PL__RUN_UNIFORM ? at[1] - run->j0 : 0) : -1;
        if (n >= 0 && phi[n] < 0)
            return true;
    }
    return false;
}

static bool is_near_thin(const crossing *c, const double x[3])
{
    double reach = 2 * c->grid->cell.h;
    pl__near_obstacles near;
    pl__obstacles_find(c->obstacles, x, x, reach, false, &near);
    return pl__obstacles_are_thin(&near, x, reach, reach);
}

// Where thin walls move, what was at the surface may be behind them now. A cell of air that is so near to the surface
// and has no liquid beside it is, and gets farther away.
static void raise_hidden(const crossing *c, double *phi)
{
    const pl__columns *cell = &c->grid->cell;
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        {
            const pl__run *run = &cell->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0, i = column % cell->nx, k = column / cell->nx;
                double d = c->boundary->distance[n], x[3];
                if (phi[n] < 0 || phi[n] > always_seen * cell->h || !is_moved(c, n) || d < 0 || d > 2 * cell->h ||
                    sees_liquid(c, i, j, k, phi))
                    continue;
                pl__grid_point(cell, i, j, k, x);
                if (is_near_thin(c, x))
                    phi[n] = cell->h;
            }
        }
}

pl_status pl__extend_anew(pl__arena *scratch, const pl__grid *grid, const pl__boundary *boundary,
                          const pl__obstacles *obstacles, int32_t layers, const double *was, double *phi)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    size_t cells = (size_t)grid->cell.value_count + 1;
    uint8_t *known = PL_TAKE(scratch, cells, uint8_t), *flat = PL_TAKE(scratch, cells, uint8_t);
    pl_status status = known && flat ? PL_OK : PL_ERR_MEMORY;
    crossing c = {.boundary = boundary, .obstacles = obstacles};
    for (int32_t n = 0; n < grid->cell.value_count && status == PL_OK; ++n)
    {
        known[n] = boundary->distance[n] >= 0;
        phi[n] = known[n] ? phi[n] : was[n];
        flat[n] = is_moved(&c, n);
    }
    if (status == PL_OK)
        status = pl__shore_extend(scratch, &grid->cell, layers, flat, boundary->sides, true, known, phi);
    pl__arena_release(scratch, mark);
    return status;
}

pl_status pl__extend_into_solids(pl__arena *scratch, const pl__grid *grid, const pl__boundary *boundary,
                                 const pl__obstacles *obstacles, const double *was, const double *content,
                                 int32_t layers, double *phi, int32_t *pushed, int32_t *behind)
{
    pl__arena_mark mark = pl__arena_set_mark(scratch);
    size_t cells = (size_t)grid->cell.value_count + 1;
    uint8_t *known = PL_TAKE(scratch, cells, uint8_t), *found = PL_TAKE(scratch, cells, uint8_t),
            *unseen = PL_TAKE(scratch, cells, uint8_t);
    double *mean = PL_TAKE(scratch, cells, double), *copy = PL_TAKE(scratch, cells, double);
    pl_status status = known && found && unseen && mean && copy ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
    {
        crossing c = {grid, boundary, obstacles, was, known, pushed, behind, copy, content};
        memcpy(copy, phi, (cells - 1) * sizeof(double));
        find_unknown(&c);
        for (int32_t layer = 0; layer < layers && fill_layer(&c, found, mean) > 0; ++layer)
            continue;
        for (int32_t n = 0; n < grid->cell.value_count; ++n)
            unseen[n] = content && !known[n] && is_moved(&c, n) && !is_closed(&c, n);
        memcpy(mean, copy, (cells - 1) * sizeof(double));
        for (int32_t n = 0; n < grid->cell.value_count; ++n)
            found[n] = is_moved(&c, n);
        status = pl__shore_extend(scratch, &grid->cell, layers, found, boundary->sides, false, known, copy);
        for (int32_t n = 0; n < grid->cell.value_count && status == PL_OK; ++n)
            phi[n] = known[n] ? copy[n] : mean[n]; // farther inside it stays
        if (status == PL_OK)
        {
            fill_by_content(&c, unseen, phi);
            raise_hidden(&c, phi);
        }
    }
    pl__arena_release(scratch, mark);
    return status;
}
