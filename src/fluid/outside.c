// src/fluid/outside.c -- inflow and sponges along open sides.
#include "outside.h"
#include "levelset.h"
#include "volume.h"

#include <math.h>
#include <string.h>

static const double sponge_strength = 7.5; // s0 = 7.5 c / width: integral 5/2 c

void pl__outside_bounds(const pl__outside *o, const pl__columns *cell, double lower[3], double upper[3])
{
    const int32_t n[3] = {cell->nx, cell->ny, cell->nz};
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = o->closed[2 * a] ? cell->origin[a] - 0.5 * cell->h : -INFINITY;
        upper[a] = o->closed[2 * a + 1] ? cell->origin[a] + (n[a] - 0.5) * cell->h : INFINITY;
    }
}

// ---- inflow ----------------------------------------------------------------------------------------------------

// Upwind: of what is in cell n after the step, the part u dt / h has come from beyond the side.
static void enter_cell(const pl__outside *o, const pl__grid *grid, const double *const u[3], double dt, int side,
                       int32_t i, int32_t j, int32_t k, double *phi)
{
    const pl__columns *c = &grid->cell;
    int32_t n = pl__columns_uniform(c, i + c->nx * k, j);
    if (n < 0)
        return;
    double in = (side % 2 ? -1 : 1) * u[side / 2][pl__grid_face(grid, i, j, k, side / 2, side % 2)] * dt / c->h;
    if (in <= 0)
        return;
    double y = c->origin[1] + c->h * j;
    bool water = o->held && side / 2 != 1;
    double beyond = water ? y - o->level : fmax(phi[n], 0.5 * c->h);
    phi[n] += fmin(in, 1) * (beyond - phi[n]);
}

void pl__outside_enter(const pl__outside *o, const pl__grid *grid, const double *const u[3], double dt, double *phi)
{
    const int32_t n[3] = {grid->cell.nx, grid->cell.ny, grid->cell.nz};
    for (int side = 0; side < 6; ++side)
    {
        int a = side / 2, b = (a + 1) % 3, d = (a + 2) % 3;
        int32_t at[3];
        at[a] = side % 2 ? n[a] - 1 : 0;
        for (at[b] = 0; at[b] < n[b] && !o->closed[side]; ++at[b])
            for (at[d] = 0; at[d] < n[d]; ++at[d])
                enter_cell(o, grid, u, dt, side, at[0], at[1], at[2], phi);
    }
}

// ---- sponge ----------------------------------------------------------------------------------------------------

// The part by which a point is drawn to the outside in a step.
static double drawn_part(const pl__outside *o, const pl__sponge *s, double x, double z)
{
    const pl__columns *c = &s->grid->cell;
    double from[6] = {x - (c->origin[0] - 0.5 * c->h), c->origin[0] + (c->nx - 0.5) * c->h - x, INFINITY, INFINITY,
                      z - (c->origin[2] - 0.5 * c->h), c->origin[2] + (c->nz - 0.5) * c->h - z};
    double r = 0, depth = fmax(o->level - (c->origin[1] - 0.5 * c->h), 0);
    for (int side = 0; side < 6; ++side)
        if (!o->closed[side])
            r = fmax(r, 1 - from[side] / o->sponge);
    double speed = sqrt(fabs(s->gravity) * depth) + hypot(o->velocity[0], o->velocity[2]);
    return r > 0 ? 1 - exp(-sponge_strength * speed / o->sponge * r * r * s->dt) : 0;
}

static void draw_velocity(const pl__outside *o, const pl__sponge *s, int axis)
{
    const pl__columns *f = &s->grid->face[axis];
    for (int32_t column = 0; column < f->nx * f->nz; ++column)
    {
        double x[3];
        pl__grid_point(f, column % f->nx, 0, column / f->nx, x);
        double part = drawn_part(o, s, x[0], x[2]);
        for (size_t r = f->start[column]; r < f->start[column + 1] && part > 0; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&f->run[r]); ++n)
                s->u[axis][f->run[r].first + n] += part * (o->velocity[axis] - s->u[axis][f->run[r].first + n]);
    }
}

// Markers move with the surface near them.
static void draw_markers(const pl__outside *o, const pl__sponge *s)
{
    pl__levelset ls = {&s->grid->cell, s->phi, s->far, s->boundary};
    pl__particles *p = s->particles;
    for (int32_t n = 0; n < p->count; ++n)
    {
        double part = drawn_part(o, s, p->x[0][n], p->x[2][n]);
        if (part > 0)
            p->x[1][n] -= part * (p->x[1][n] - o->level - pl__levelset_sample(&ls, p->x[0][n], p->x[1][n], p->x[2][n]));
    }
}

static void draw_surface(const pl__outside *o, const pl__sponge *s)
{
    const pl__columns *c = &s->grid->cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
    {
        double x[3];
        pl__grid_point(c, column % c->nx, 0, column / c->nx, x);
        double part = drawn_part(o, s, x[0], x[2]);
        for (size_t r = c->start[column]; r < c->start[column + 1] && part > 0; ++r)
            for (int32_t n = 0; n < pl__run_rows(&c->run[r]) && c->run[r].kind == PL__RUN_UNIFORM; ++n)
            {
                double y = c->origin[1] + c->h * (c->run[r].j0 + n), goal = fmax(-s->far, fmin(s->far, y - o->level));
                s->phi[c->run[r].first + n] += part * (goal - s->phi[c->run[r].first + n]);
            }
    }
}

void pl__outside_draw(pl_context *ctx, const pl__outside *o, const pl__sponge *s, double *added)
{
    pl__levelset ls = {&s->grid->cell, s->phi, s->far, s->boundary};
    if (!o->held || o->sponge == 0)
        return;
    *added -= pl__volume_sum(&s->grid->cell, s->part, s->open);
    for (int axis = 0; axis < 3; ++axis)
        draw_velocity(o, s, axis);
    draw_markers(o, s);
    draw_surface(o, s);
    pl__levelset_parts(ctx, &ls, s->boundary->sides, s->part);
    *added += pl__volume_sum(&s->grid->cell, s->part, s->open);
}

// ---- grid ------------------------------------------------------------------------------------------------------

pl_status pl__outside_detail(pl_context *ctx, const pl__outside *o, const pl__columns *cell, pl__row_set *detail)
{
    double row = ceil((o->level - cell->origin[1]) / cell->h);
    int32_t first = row > 0 ? (row < cell->ny ? (int32_t)row : cell->ny) : 0;
    PL_TRY(pl__row_set_begin(ctx, detail, (int32_t[3]){cell->nx, cell->ny, cell->nz}));
    for (int32_t k = 0; k < cell->nz; ++k)
        for (int32_t i = 0; i < cell->nx; ++i)
        {
            bool along = (i == 0 && !o->closed[0]) || (i == cell->nx - 1 && !o->closed[1]) ||
                         (k == 0 && !o->closed[4]) || (k == cell->nz - 1 && !o->closed[5]);
            if (o->held && along && first < cell->ny)
                PL_TRY(pl__row_set_add(ctx, detail, first, cell->ny - 1));
            pl__row_set_end_column(detail);
        }
    return PL_OK;
}
