// src/fluid/spray.c -- flight, birth and end of drops.
#include "spray.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

// [parts of a cell] What is owed to a cell of air becomes drops from this on, and each has as much at most.
static const double least_volume = 0.02, most_volume = 0.1;

// [parts of a cell] What the surface gets at most from its cell in a step (volume_correction.h: four shifts of h / 20).
static const double most_shown = 0.2;

void pl__spray_done(pl_context *ctx, pl__spray *s)
{
    PL_DELETE(ctx, s->drop, s->capacity);
    *s = (pl__spray){0};
}

pl_status pl__spray_copy(pl_context *ctx, const pl__spray *from, pl__spray *to)
{
    if (!PL_GROW(ctx, to->drop, &to->capacity, (size_t)from->count + 1))
        return PL_ERR_MEMORY;
    if (from->count > 0)
        memcpy(to->drop, from->drop, (size_t)from->count * sizeof *to->drop);
    to->count = from->count;
    return PL_OK;
}

double pl__spray_volume(const pl__spray *s)
{
    double sum = 0;
    for (int32_t n = 0; n < s->count; ++n)
        sum += s->drop[n].volume;
    return sum;
}

// ---- flight ----------------------------------------------------------------------------------------------------

void pl__spray_move(pl__spray *s, double dt, const double gravity[3], const double lower[3], const double upper[3],
                    const pl__obstacles *obstacles, double h)
{
    double x[3][PL__OBSTACLES_BATCH], from[3][PL__OBSTACLES_BATCH];
    for (int32_t first = 0, count; first < s->count; first += count)
    {
        count = s->count - first < PL__OBSTACLES_BATCH ? s->count - first : PL__OBSTACLES_BATCH;
        for (int32_t n = 0; n < count; ++n)
            for (int a = 0; a < 3; ++a)
            {
                pl__drop *d = &s->drop[first + n];
                double low = lower[a] + 1e-3 * h, high = upper[a] - 1e-3 * h;
                double to = d->x[a] + dt * (d->v[a] + 0.5 * dt * gravity[a]);
                from[a][n] = d->x[a];
                d->v[a] += dt * gravity[a];
                x[a][n] = to < low ? low : to > high ? high : to;
                if (x[a][n] != to)
                    d->v[a] = 0; // a wall takes what goes into it
            }
        if (obstacles->count > 0)
        {
            double before[3][PL__OBSTACLES_BATCH];
            memcpy(before, x, sizeof x);
            (void)pl__obstacles_stop(obstacles, 2 * h, 1e-3 * h, PL__WAY_STEP * h, count,
                                     (const double *const[3]){from[0], from[1], from[2]},
                                     (double *const[3]){x[0], x[1], x[2]});
            for (int32_t n = 0; n < count; ++n)
                for (int a = 0; a < 3; ++a)
                    if (x[a][n] != before[a][n])
                        s->drop[first + n].v[a] = (x[a][n] - from[a][n]) / dt;
        }
        // an object that leaves the box does not take them along
        for (int32_t n = 0; n < count; ++n)
            for (int a = 0; a < 3; ++a)
                s->drop[first + n].x[a] = fmax(lower[a] + 1e-3 * h, fmin(upper[a] - 1e-3 * h, x[a][n]));
    }
}

double pl__spray_leave(pl__spray *s, const pl__columns *cell)
{
    const int32_t n[3] = {cell->nx, cell->ny, cell->nz};
    double volume = 0;
    int32_t left = 0;
    for (int32_t d = 0; d < s->count; ++d)
    {
        bool inside = true;
        for (int a = 0; a < 3; ++a)
        {
            double at = (s->drop[d].x[a] - cell->origin[a]) / cell->h + 0.5;
            inside = inside && at >= 0 && at <= n[a];
        }
        if (inside)
            s->drop[left++] = s->drop[d];
        else
            volume += s->drop[d].volume;
    }
    s->count = left;
    return volume;
}

// Whether a cell is liquid that phi shows well: half a cell from the surface, or more.
static bool is_deep(const pl__columns *c, const double *phi, int32_t i, int32_t j, int32_t k)
{
    const pl__run *run = pl__grid_run(c, i, j, k);
    return run && (run->kind != PL__RUN_UNIFORM || phi[run->first + j - run->j0] < -0.5 * c->h);
}

// Whether one of the 27 cells around is.
static bool is_at_liquid(const pl__columns *c, const double *phi, int32_t i, int32_t j, int32_t k)
{
    for (int n = 0; n < 27; ++n)
        if (is_deep(c, phi, i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1))
            return true;
    return false;
}

// The same, or the next one below: from the first cell of air above a level it is the second.
static bool is_above_liquid(const pl__columns *c, const double *phi, int32_t i, int32_t j, int32_t k)
{
    return is_at_liquid(c, phi, i, j, k) || is_deep(c, phi, i, j - 2, k);
}

// ---- end -------------------------------------------------------------------------------------------------------

// The cell of a point, within the lattice.
static void cell_of(const pl__columns *c, const double x[3], int32_t at[3])
{
    const int32_t n[3] = {c->nx, c->ny, c->nz};
    for (int a = 0; a < 3; ++a)
    {
        double i = floor((x[a] - c->origin[a]) / c->h + 0.5);
        at[a] = i > 0 ? (i < n[a] - 1 ? (int32_t)i : n[a] - 1) : 0;
    }
}

// Momentum m (v - u) to the two faces along each axis, half of it to each. A cell of mass M does not take more than
// makes it move with the drop.
static void give_momentum(const pl__grid *grid, const int32_t at[3], const pl__drop *d, double part, double *const u[3])
{
    double share = part < 1 ? part : 1;
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
        {
            int32_t face = pl__grid_face(grid, at[0], at[1], at[2], axis, end);
            u[axis][face] += 0.5 * share * (d->v[axis] - u[axis][face]);
        }
}

void pl__spray_join(pl__spray *s, const pl__grid *grid, const double *phi, double *const u[3], double *residual,
                    double *volume)
{
    const pl__columns *c = &grid->cell;
    double cell_volume = c->h * c->h * c->h;
    int32_t left = 0;
    for (int32_t n = 0; n < s->count; ++n)
    {
        const pl__drop *d = &s->drop[n];
        int32_t at[3];
        cell_of(c, d->x, at);
        const pl__run *run = pl__columns_find(c, at[0] + c->nx * at[2], at[1]);
        int32_t number = run && run->kind == PL__RUN_UNIFORM ? run->first + at[1] - run->j0 : -1;
        bool within = number >= 0 && phi[number] < 0 && is_at_liquid(c, phi, at[0], at[1], at[2]);
        if (within && residual[number] < most_shown)
        {
            give_momentum(grid, at, d, d->volume / cell_volume, u);
            residual[number] += d->volume / cell_volume;
            if (volume)
                volume[(size_t)d->liquid * (size_t)c->value_count + (size_t)number] += d->volume / cell_volume;
            continue;
        }
        s->drop[left] = *d;
        if (within)
            (void)pl__grid_velocity(grid, u, d->x, s->drop[left].v);
        ++left;
    }
    s->count = left;
}

// ---- birth -----------------------------------------------------------------------------------------------------

static pl_status shed_cell(pl_context *ctx, pl__spray *s, const pl__grid *grid, double *const u[3], const int32_t at[3],
                           double spread, uint64_t seed, uint64_t step, double part)
{
    const pl__columns *c = &grid->cell;
    int32_t drops = (int32_t)ceil(part / most_volume);
    uint64_t key = ((uint64_t)(at[0] + c->nx * at[2]) * (uint64_t)c->ny + (uint64_t)at[1]) * 4096;
    if (!PL_GROW(ctx, s->drop, &s->capacity, (size_t)(s->count + drops)))
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < drops; ++n)
    {
        pl__drop d = {.volume = part * c->h * c->h * c->h / drops};
        for (int a = 0; a < 3; ++a)
        {
            double r = spread * (pl__random01(seed, step, key + (uint64_t)(3 * n + a)) - 0.5);
            d.x[a] = c->origin[a] + c->h * (at[a] + (a == 2 && c->nz == 1 ? 0 : r));
        }
        if (!pl__grid_velocity(grid, u, d.x, d.v))
            memset(d.v, 0, sizeof d.v);
        s->drop[s->count++] = d;
    }
    return PL_OK;
}

pl_status pl__spray_shed(pl_context *ctx, pl__spray *s, const pl__spray_source *from, uint64_t seed, uint64_t step,
                         double *residual)
{
    const pl__columns *c = &from->grid->cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0, at[3] = {column % c->nx, j, column / c->nx};
                double part = residual[n], distance = from->boundary->distance[n];
                if (part < least_volume || part < from->part[n] * from->open[n] || distance <= 0 ||
                    is_above_liquid(c, from->phi, at[0], j, at[2]))
                    continue;
                double spread = distance > c->h ? 1 : 0;
                PL_TRY(shed_cell(ctx, s, from->grid, from->u, at, spread, seed, step, part));
                residual[n] = 0;
            }
        }
    return PL_OK;
}
