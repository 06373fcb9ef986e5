// src/fluid/pour.c
#include "pour.h"
#include "elastic_step.h"
#include "extend.h"
#include "extrapolate.h"
#include "levelset.h"
#include "phases_step.h"
#include "shore.h"
#include "volume.h"

#include <math.h>
#include <string.h>

enum
{
    ROUNDS = 8, // of putting the mean velocity right; one suffices where no other liquid is near
    FITS = 4    // of the surface to the volume
};
static const double near_enough = 1e-3; // of the volume
static const double most_offset = 0.25; // [cells]
static const double enough = 1e-15;     // of the speed
static const double strain_reach = 2.5; // [cells] beyond what comes: strain is interpolated

typedef struct pouring
{
    pl__liquid *l;
    const pl__pour *p;
    const pl__obstacles *obstacles;
    double *distance; // [numbers of cells] of `next` to what comes [m]
    double *old;      // [numbers of cells] phi before
    double *old_part; // [numbers of cells]
    double volume;    // that comes into the domain [m^3]
    uint8_t *own[3];  // [numbers of faces] whose velocity is that of what comes
} pouring;

// ---- grid ------------------------------------------------------------------------------------------------------

static void copy(double *to, const double *from, int32_t count) { memcpy(to, from, (size_t)count * sizeof *to); }

static pl_status copy_phases(pl__liquid *l)
{
    const pl__phases *now = &l->state.phases;
    pl__phases *next = &l->next.phases;
    const pl__columns *c = &l->state.grid.cell;
    PL_TRY(pl__phases_reserve(l->ctx, c, now->count, next));
    copy(next->phi, now->phi, now->count * c->value_count);
    copy(next->part, now->part, now->count * c->value_count);
    copy(next->volume, now->volume, now->count * c->value_count);
    for (int32_t i = 0; i < now->count; ++i)
        PL_TRY(pl__particles_copy(l->ctx, &now->markers[i], &next->markers[i]));
    memcpy(next->due, now->due, sizeof now->due);
    memcpy(next->pressed, now->pressed, sizeof now->pressed);
    memcpy(next->added, now->added, sizeof now->added);
    return PL_OK;
}

// `next` is what `state` is, on its grid.
static pl_status copy_state(pl__liquid *l)
{
    const pl__liquid_state *now = &l->state;
    pl__liquid_state *next = &l->next;
    int32_t cells = now->grid.cell.value_count;
    if (!pl__liquid_state_reserve(l->ctx, next, &now->grid))
        return PL_ERR_MEMORY;
    copy(next->phi, now->phi, cells);
    copy(next->q, now->q, cells);
    copy(next->residual, now->residual, cells);
    copy(next->stress, now->stress, cells);
    copy(next->warmth, now->warmth, cells);
    copy(next->part, now->part, cells);
    copy(next->open, now->open, cells);
    for (int axis = 0; axis < 3; ++axis)
        copy(next->u[axis], now->u[axis], now->grid.face[axis].value_count);
    PL_TRY(pl__particles_copy(l->ctx, &now->particles, &next->particles));
    PL_TRY(pl__spray_copy(l->ctx, &now->spray, &next->spray));
    PL_TRY(pl__vortices_copy(l->ctx, &now->vortices, &next->vortices));
    PL_TRY(pl__foam_copy(l->ctx, &now->foam, &next->foam));
    if (pl__liquid_has_phases(l))
        PL_TRY(copy_phases(l));
    next->q_dt = now->q_dt;
    next->loose = now->loose;
    next->added = now->added;
    next->pressed = now->pressed;
    next->time = now->time;
    next->steps = now->steps;
    return PL_OK;
}

// Distances at the cells of a lattice that are not far from the box of what comes.
static void measure(const pl__liquid *l, const pl__pour *p, const pl__columns *c, double *distance)
{
    double far = pl__liquid_far(l), reach = far + c->h;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                double x[3], *to = &distance[c->run[r].first + n];
                int32_t j = c->run[r].kind == PL__RUN_UNIFORM ? c->run[r].j0 + n : n ? c->run[r].j1 : c->run[r].j0;
                pl__grid_point(c, column % c->nx, j, column / c->nx, x);
                bool near = true;
                for (int a = 0; a < 3; ++a)
                    near = near && x[a] > p->lower[a] - reach && x[a] < p->upper[a] + reach;
                *to = near ? fmin(p->distance(p->user, x), far) : far;
            }
}

// A grid for both, and everything on it.
static pl_status make_grid(pouring *w)
{
    pl__liquid *l = w->l;
    pl__grid full = {0};
    double corner[3];
    for (int a = 0; a < 3; ++a)
        corner[a] = l->state.grid.cell.origin[a] - 0.5 * l->def.h;
    PL_TRY(pl__grid_make_full(l->ctx, &full, l->def.cells, corner, l->def.h));
    size_t count = (size_t)full.cell.value_count + 1;
    double *phi = PL_TAKE(&l->arena, count, double), *distance = PL_TAKE(&l->arena, count, double);
    pl_status status = phi && distance ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
    {
        pl__columns_transfer(l->ctx, &l->state.grid.cell, l->state.phi, &full.cell, pl__liquid_far(l), phi);
        measure(l, w->p, &full.cell, distance);
        for (int32_t n = 0; n < full.cell.value_count; ++n)
            phi[n] = fmin(phi[n], distance[n]);
        status = pl__liquid_regrid(l, &full.cell, phi, w->obstacles, &l->next.grid);
    }
    if (status == PL_OK)
        status = (w->distance = PL_TAKE(&l->arena, l->next.grid.cell.value_count + 1, double)) ? PL_OK : PL_ERR_MEMORY;
    if (status == PL_OK)
        pl__columns_transfer(l->ctx, &full.cell, distance, &l->next.grid.cell, pl__liquid_far(l), w->distance);
    pl__grid_done(l->ctx, &full);
    return status == PL_OK ? pl__liquid_take_grid(l, w->obstacles) : status;
}

// ---- surface and volume ----------------------------------------------------------------------------------------

// The part of what comes that is in the domain.
static double part_in_domain(const pouring *w)
{
    const pl__columns *c = &w->l->next.grid.cell;
    const int32_t cells[3] = {c->nx, c->ny, c->nz};
    int32_t low[3], high[3], at[3];
    double all = 0, inside = 0;
    bool whole = true;
    for (int a = 0; a < 3; ++a)
    {
        low[a] = (int32_t)floor((w->p->lower[a] - c->origin[a]) / c->h);
        high[a] = (int32_t)ceil((w->p->upper[a] - c->origin[a]) / c->h);
        whole = whole && low[a] >= 0 && high[a] < cells[a];
    }
    for (at[2] = low[2]; at[2] <= high[2] && !whole; ++at[2])
        for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
            for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
            {
                double x[3];
                pl__grid_point(c, at[0], at[1], at[2], x);
                double part = pl__open_part(-w->p->distance(w->p->user, x), c->h);
                bool in = true;
                for (int a = 0; a < 3; ++a)
                    in = in && at[a] >= 0 && at[a] < cells[a];
                all += part;
                inside += in ? part : 0;
            }
    return whole || all == 0 ? whole : inside / all;
}

static double weight_of(const pouring *w, int32_t n)
{
    return w->l->next.open[n] * pl__open_part(-w->distance[n], w->l->def.h);
}

// phi with what comes, which is smaller by `offset` all around.
static pl_status set_surface(pouring *w, double offset, int32_t *pushed, int32_t *behind)
{
    pl__liquid *l = w->l;
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell;
    pl__levelset ls = {c, next->phi, pl__liquid_far(l), &l->boundary};
    for (int32_t n = 0; n < c->value_count; ++n)
        next->phi[n] = fmin(w->old[n], w->distance[n] + offset);
    if (w->obstacles->count > 0)
        PL_TRY(pl__extend_into_solids(&l->arena, &next->grid, &l->boundary, w->obstacles, l->boundary.distance, NULL,
                                      PL__LIQUID_MARGIN + 1, next->phi, pushed, behind));
    pl__shore_fill(&next->grid, &l->boundary, next->phi);
    pl__levelset_parts(l->ctx, &ls, l->boundary.sides, next->part);
    return PL_OK;
}

// By how much there is more liquid than before [m^3].
static double shown(const pouring *w)
{
    const pl__liquid_state *next = &w->l->next;
    const pl__columns *c = &next->grid.cell;
    return pl__volume_sum(c, next->part, next->open) - pl__volume_sum(c, w->old_part, next->open);
}

// Of what comes, where there is no liquid yet [m^3].
static double room(const pouring *w, double volume)
{
    const pl__liquid_state *next = &w->l->next;
    double free = 0, all = 0;
    for (int32_t n = 0; n < next->grid.cell.value_count; ++n)
    {
        all += weight_of(w, n);
        free += weight_of(w, n) * (1 - w->old_part[n]);
    }
    return all > 0 ? volume * free / all : 0;
}

// Edges are rounded by the grid, so what comes is larger by a small part of a cell all around, to be seen in full: a
// secant for the offset, from the surface of a ball.
static pl_status fill(pouring *w)
{
    pl__liquid *l = w->l;
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell;
    size_t cells = (size_t)c->value_count + 1;
    int32_t *pushed = PL_TAKE(&l->arena, cells, int32_t), *behind = PL_TAKE(&l->arena, cells, int32_t);
    w->old = PL_TAKE(&l->arena, cells, double);
    w->old_part = PL_TAKE(&l->arena, cells, double);
    if (!pushed || !behind || !w->old || !w->old_part)
        return PL_ERR_MEMORY;
    copy(w->old, next->phi, c->value_count);
    copy(w->old_part, next->part, c->value_count);
    w->volume = part_in_domain(w) * w->p->volume;
    double due = room(w, w->volume), slope = -4.836 * cbrt(w->volume * w->volume), offset = 0, last = 0, was = 0;
    for (int round = 0;; ++round)
    {
        PL_TRY(set_surface(w, offset, pushed, behind));
        double missing = due - shown(w);
        if (round > 0 && offset != last)
            slope = (was - missing) / (offset - last);
        if (round == FITS || fabs(missing) <= near_enough * due || !(slope < 0))
            break;
        was = missing;
        last = offset;
        offset = fmax(-most_offset * c->h, fmin(most_offset * c->h, offset + missing / slope));
    }
    for (int32_t n = 0; n < c->value_count; ++n)
        w->distance[n] += offset;
    return PL_OK;
}

// What the surface does not show is owed to all cells of what comes alike.
static void owe(pouring *w, pl__pour_info *info)
{
    pl__liquid_state *next = &w->l->next;
    const pl__columns *c = &next->grid.cell;
    double h3 = c->h * c->h * c->h, sum = 0;
    for (size_t r = 0; r < c->run_count; ++r)
        for (int32_t n = c->run[r].first; n < c->run[r].first + pl__run_numbers(&c->run[r]); ++n)
            sum += c->run[r].kind == PL__RUN_UNIFORM ? weight_of(w, n) : 0;
    *info = (pl__pour_info){0};
    if (sum == 0)
        return;
    info->volume = w->volume;
    info->owed = info->volume - shown(w);
    for (size_t r = 0; r < c->run_count; ++r)
        for (int32_t n = c->run[r].first; n < c->run[r].first + pl__run_numbers(&c->run[r]); ++n)
            if (c->run[r].kind == PL__RUN_UNIFORM)
                next->residual[n] += info->owed / h3 * weight_of(w, n) / sum;
    next->added += info->volume;
}

// ---- markers ---------------------------------------------------------------------------------------------------

// Markers in what comes go, of one sign or, 0, of both.
static void drop_markers(const pouring *w, pl__particles *p, int sign)
{
    const pl__columns *c = &w->l->next.grid.cell;
    int32_t left = 0;
    for (int32_t n = 0; n < p->count; ++n)
    {
        double x[3] = {p->x[0][n], p->x[1][n], p->x[2][n]}, d;
        if ((sign == 0 || p->sign[n] == sign) && pl__columns_sample(c, w->distance, x, &d) && d < 0)
            continue;
        for (int a = 0; a < 3; ++a)
            p->x[a][left] = x[a];
        p->radius[left] = p->radius[n];
        p->sign[left] = p->sign[n];
        p->escaped[left++] = p->escaped[n];
    }
    p->count = left;
}

// New ones near it; `inside`: in liquid only.
static pl_status seed(const pouring *w, pl__particles *p, double *phi, int32_t set, bool inside)
{
    pl__liquid *l = w->l;
    const pl__columns *c = &l->next.grid.cell;
    pl__levelset ls = {c, phi, pl__liquid_far(l), phi == l->next.phi ? &l->boundary : NULL};
    pl__particles_def def = pl__liquid_particles(l);
    uint8_t *where = PL_TAKE(&l->arena, c->value_count + 1, uint8_t);
    if (!where)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < c->value_count; ++n)
        where[n] = w->distance[n] < (def.band + 1) * c->h && (!inside || l->next.phi[n] < 0);
    uint64_t step = ((uint64_t)1 << 62) + ((uint64_t)(1 + set) << 40) + (uint64_t)l->next.steps;
    PL_TRY(pl__particles_reseed_in(l->ctx, p, &ls, &def, where, step, &l->arena));
    pl__shore_clear(c, l->boundary.distance, w->obstacles, p);
    return PL_OK;
}

// ---- several liquids -------------------------------------------------------------------------------------------

// Where what comes is, it is its liquid, and that is what its cells count. What has been there is still counted, and
// goes where there is room.
static pl_status name_liquid(pouring *w, double volume)
{
    pl__liquid *l = w->l;
    pl__liquid_state *next = &l->next;
    pl__phases *p = &next->phases;
    const pl__columns *c = &next->grid.cell;
    double *whole = PL_TAKE(&l->arena, c->value_count + 1, double);
    int32_t own = w->p->liquid;
    double sum = 0;
    if (!whole)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < c->value_count; ++n)
        sum += weight_of(w, n);
    for (int32_t n = 0; n < c->value_count; ++n)
    {
        for (int32_t i = 0; i < p->count && w->distance[n] < 0; ++i)
        {
            double *phi = pl__phase(p->phi, c, i) + n;
            *phi = i == own ? fmin(*phi, w->distance[n]) : fmax(*phi, -w->distance[n]);
        }
        if (sum > 0)
            pl__phase(p->volume, c, own)[n] += volume / (c->h * c->h * c->h) * weight_of(w, n) / sum;
        whole[n] = next->part[n] * next->open[n] + next->residual[n];
    }
    pl__phases_divide(l->ctx, c, pl__liquid_far(l), l->boundary.sides, NULL, p);
    pl__phases_fit(l->ctx, c, whole, p);
    p->due[own] += volume;
    p->added[own] += volume;
    for (int32_t i = 0; i < pl__phases_worked(p); ++i)
    {
        drop_markers(w, &p->markers[i], 0);
        PL_TRY(seed(w, &p->markers[i], pl__phase(p->phi, c, i), 1 + i, true));
    }
    return PL_OK;
}

// ---- velocity --------------------------------------------------------------------------------------------------

// Whether the cell below or above face (i, j, k) is filled now and was not all liquid before.
static bool is_filled(const pouring *w, const pl__columns *c, int32_t i, int32_t j, int32_t k)
{
    const pl__run *run = pl__grid_run(c, i, j, k);
    if (!run)
        return false;
    return pl__run_value(run, w->distance, j) < 0 && pl__run_value(run, w->old, j) >= 0;
}

static pl_status set_velocity(pouring *w)
{
    pl__liquid_state *next = &w->l->next;
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &next->grid.face[axis];
        w->own[axis] = PL_TAKE(&w->l->arena, f->value_count + 1, uint8_t);
        if (!w->own[axis])
            return PL_ERR_MEMORY;
        memset(w->own[axis], 0, (size_t)f->value_count);
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
            for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
                for (int32_t n = 0; n < pl__run_numbers(&f->run[r]); ++n)
                {
                    const pl__run *run = &f->run[r];
                    int32_t i = column % f->nx, k = column / f->nx;
                    int32_t j = run->kind == PL__RUN_UNIFORM ? run->j0 + n : n ? run->j1 : run->j0;
                    pl__pour_sample s;
                    double x[3];
                    if (!is_filled(w, &next->grid.cell, i, j, k) &&
                        !is_filled(w, &next->grid.cell, i - (axis == 0), j - (axis == 1), k - (axis == 2)))
                        continue;
                    pl__grid_point(f, i, j, k, x);
                    w->p->sample(w->p->user, x, &s);
                    next->u[axis][run->first + n] = s.velocity[axis];
                    w->own[axis][run->first + n] = 1;
                }
    }
    return PL_OK;
}

static void swap_states(pl__liquid *l)
{
    pl__liquid_state t = l->state;
    l->state = l->next;
    l->next = t;
}

static pl_status sum_next(pl__liquid *l, pl__liquid_sums *sums)
{
    swap_states(l);
    pl_status status = pl__liquid_sum(l, sums);
    swap_states(l);
    return status;
}

static pl_status extrapolate(pl__liquid *l, const uint8_t *liquid)
{
    int32_t layers = (int32_t)ceil(l->def.cfl) + PL__LIQUID_MARGIN + 2;
    return pl__extrapolate_velocity(l->ctx, &l->arena, &l->next.grid, &l->boundary, liquid, layers, l->next.u);
}

// The same is added to all faces that have been set until the mean velocity of what has come is right.
static pl_status put_right(pouring *w, const pl__liquid_sums *before, const uint8_t *liquid)
{
    pl__liquid *l = w->l;
    pl__liquid_sums sums;
    PL_TRY(extrapolate(l, liquid));
    for (int round = 0; round < ROUNDS; ++round)
    {
        PL_TRY(sum_next(l, &sums));
        double mass = sums.mass - before->mass, speed = 0, wrong = 0, add[3];
        if (!(mass > 0))
            return PL_OK;
        for (int a = 0; a < 3; ++a)
        {
            add[a] = w->p->velocity[a] - (sums.momentum[a] - before->momentum[a]) / mass;
            speed = fmax(speed, fabs(w->p->velocity[a]));
            wrong = fmax(wrong, fabs(add[a]));
        }
        if (wrong <= enough * fmax(speed, sums.speed))
            return PL_OK;
        for (int a = 0; a < 3; ++a)
            for (int32_t n = 0; n < l->next.grid.face[a].value_count; ++n)
                l->next.u[a][n] += w->own[a][n] ? add[a] : 0;
        PL_TRY(extrapolate(l, liquid));
    }
    return PL_OK;
}

// ---- strain ----------------------------------------------------------------------------------------------------

// Each component at its own place.
static void set_strain(pouring *w)
{
    pl__liquid_state *next = &w->l->next;
    const pl__columns *c = &next->grid.cell;
    for (int m = 0; m < PL__TENSOR; ++m)
    {
        const pl__columns *lattice = pl__elastic_lattice(c, &next->elastic.edges, m);
        for (int32_t column = 0; column < lattice->nx * lattice->nz; ++column)
            for (size_t r = lattice->start[column]; r < lattice->start[column + 1]; ++r)
                for (int32_t n = 0; n < pl__run_rows(&lattice->run[r]); ++n)
                {
                    double x[3], d, before;
                    pl__pour_sample s;
                    pl__grid_point(lattice, column % lattice->nx, lattice->run[r].j0 + n, column / lattice->nx, x);
                    if (!pl__columns_sample(c, w->distance, x, &d) || d > strain_reach * c->h ||
                        !pl__columns_sample(c, w->old, x, &before) || before < 0)
                        continue;
                    w->p->sample(w->p->user, x, &s);
                    next->elastic.strain[m][lattice->run[r].first + n] = s.strain[m];
                }
    }
}

// Also a little beyond it.
static void set_warmth(pouring *w)
{
    pl__liquid_state *next = &w->l->next;
    const pl__columns *c = &next->grid.cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                double x[3];
                pl__pour_sample s;
                int32_t number = c->run[r].first + n;
                if (w->distance[number] > strain_reach * c->h || w->old[number] < 0)
                    continue;
                pl__grid_point(c, column % c->nx, c->run[r].j0 + n, column / c->nx, x);
                w->p->sample(w->p->user, x, &s);
                next->warmth[number] = s.temperature;
            }
}

// ---- all of it -------------------------------------------------------------------------------------------------

static pl_status pour(pouring *w, pl__pour_info *info)
{
    pl__liquid *l = w->l;
    pl__liquid_sums before;
    l->ratio[0] = l->ratio[1] = l->ratio[2] = NULL; // of the last step
    PL_TRY(pl__liquid_sum(l, &before));
    PL_TRY(copy_state(l));
    PL_TRY(make_grid(w));
    PL_TRY(fill(w));
    const pl__columns *c = &l->next.grid.cell;
    uint8_t *liquid = PL_TAKE(&l->arena, c->value_count + 1, uint8_t);
    if (!liquid)
        return PL_ERR_MEMORY;
    owe(w, info);
    drop_markers(w, &l->next.particles, 1);
    PL_TRY(seed(w, &l->next.particles, l->next.phi, 0, false));
    if (pl__liquid_has_phases(l))
        PL_TRY(name_liquid(w, info->volume));
    PL_TRY(set_velocity(w));
    pl__liquid_find(l, liquid);
    PL_TRY(put_right(w, &before, liquid));
    if (l->def.warm)
        set_warmth(w);
    if (!l->def.remembers)
        return PL_OK;
    if (l->def.elastic.elasticity > 0)
        set_strain(w);
    return pl__elastic_spin(l, &l->next);
}

pl_status pl__liquid_pour(pl__liquid *l, const pl__pour *p, const pl__obstacles *obstacles, pl__pour_info *info)
{
    pouring w = {.l = l, .p = p, .obstacles = obstacles};
    pl__arena_mark mark = pl__arena_set_mark(&l->arena);
    pl_status status = pour(&w, info);
    pl__arena_release(&l->arena, mark);
    if (status != PL_OK)
        l->boundary_stale = true; // it may be that of the next grid
    return status;
}

void pl__liquid_pour_end(pl__liquid *l, bool keep)
{
    if (keep)
        swap_states(l);
    l->boundary_stale = l->boundary_stale || !keep;
}
