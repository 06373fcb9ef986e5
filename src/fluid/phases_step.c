// src/fluid/phases_step.c -- several liquids in the step of their union.
#include "phases_step.h"
#include "base/task.h"
#include "extrapolate.h"
#include "numbers.h"
#include "shore.h"
#include "spray.h"
#include "stretch.h"
#include "volume.h"
#include "volume_correction.h"

#include <math.h>
#include <string.h>

enum
{
    CELLS_PER_TASK = 16384,
    LOANS = 3 // where liquids that move towards each other meet, they go half the way
};

static size_t cells_of(const pl__liquid_state *s) { return (size_t)s->grid.cell.value_count; }

static pl__levelset levelset_of(const pl__liquid *l, pl__liquid_state *s, int32_t i)
{
    return (pl__levelset){&s->grid.cell, pl__phase(s->phases.phi, &s->grid.cell, i), pl__liquid_far(l), NULL};
}

// Cells away that numbers beyond the surface are known.
static int32_t layers_of(const pl__liquid *l) { return 3 * ((int32_t)ceil(l->def.cfl) + PL__LIQUID_MARGIN) + 2; }

// ---- start -----------------------------------------------------------------------------------------------------

// The distance to the nearest other liquid, of which D is 0 inside: inside liquid i it is theirs, elsewhere its own.
static void measure_start(const pl__liquid *l, void *user, pl__liquid_state *s)
{
    const pl__columns *c = &s->grid.cell;
    size_t cells = cells_of(s);
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                double x[3], distance[PL__MOST_LIQUIDS];
                pl__grid_point(c, column % c->nx, c->run[r].j0 + n, column / c->nx, x);
                for (int32_t i = 0; i < l->def.liquid_count; ++i)
                    distance[i] = l->def.region(user, i, x);
                for (int32_t i = 0; i < l->def.liquid_count; ++i)
                {
                    double other = INFINITY;
                    for (int32_t k = 0; k < l->def.liquid_count; ++k)
                        other = k != i ? fmin(other, distance[k]) : other;
                    double *phi = &s->phases.phi[(size_t)i * cells + (size_t)(c->run[r].first + n)];
                    *phi = fmax(-pl__liquid_far(l), fmin(pl__liquid_far(l), distance[i] - other));
                }
            }
}

// Markers in the air are of no use: beyond the surface a liquid is only nearer than others.
static void clear_air(const pl__liquid *l, const pl__levelset *all, pl__particles *p)
{
    int32_t left = 0;
    for (int32_t first = 0; first < p->count; first += PL__FLOW_BATCH)
    {
        int32_t count = p->count - first < PL__FLOW_BATCH ? p->count - first : PL__FLOW_BATCH;
        double depth[PL__FLOW_BATCH];
        pl__levelset_sample_batch(l->ctx, all, count,
                                  (const double *const[3]){p->x[0] + first, p->x[1] + first, p->x[2] + first}, depth);
        for (int32_t n = first; n < first + count; ++n)
        {
            if (depth[n - first] > 0.5 * all->cell->h)
                continue;
            for (int a = 0; a < 3; ++a)
                p->x[a][left] = p->x[a][n];
            p->radius[left] = p->radius[n];
            p->sign[left] = p->sign[n];
            p->escaped[left++] = p->escaped[n];
        }
    }
    p->count = left;
}

pl_status pl__phases_start(pl__liquid *l, void *user, const pl__obstacles *obstacles)
{
    pl__liquid_state *s = &l->state;
    pl__phases *p = &s->phases;
    const pl__columns *c = &s->grid.cell;
    size_t cells = cells_of(s);
    double h3 = c->h * c->h * c->h;
    pl__levelset all = {c, s->phi, pl__liquid_far(l), &l->boundary};
    pl__particles_def def = pl__liquid_particles(l);
    PL_TRY(pl__phases_reserve(l->ctx, c, l->def.liquid_count, p));
    measure_start(l, user, s);
    for (int32_t i = 0; i < pl__phases_worked(p); ++i)
    {
        pl__levelset ls = levelset_of(l, s, i);
        PL_TRY(pl__levelset_redistance(l->ctx, &ls, &l->arena));
    }
    pl__phases_divide(l->ctx, c, pl__liquid_far(l), l->boundary.sides, NULL, p);
    for (int32_t i = 0; i < pl__phases_worked(p); ++i)
    {
        pl__levelset ls = levelset_of(l, s, i);
        PL_TRY(pl__particles_seed(l->ctx, &p->markers[i], &ls, &def, 1 + (uint64_t)i, &l->arena));
        clear_air(l, &all, &p->markers[i]);
        pl__shore_clear(c, l->boundary.distance, obstacles, &p->markers[i]);
    }
    for (int32_t i = 0; i < p->count; ++i)
    {
        for (size_t n = 0; n < cells; ++n)
            p->volume[(size_t)i * cells + n] = p->part[(size_t)i * cells + n] * s->part[n] * s->open[n];
        p->due[i] = h3 * pl__numbers_sum(l->ctx, pl__phase(p->volume, c, i), c->value_count);
        p->added[i] = p->pressed[i] = 0;
    }
    return PL_OK;
}

// ---- motion ----------------------------------------------------------------------------------------------------

// Far from the surface the air belongs to whom the air nearer to it does.
static pl_status extend(pl__liquid *l, const double *all, const pl__columns *c, double *phi)
{
    uint8_t *known = PL_TAKE(&l->arena, c->value_count + 1, uint8_t);
    if (!known)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < c->value_count; ++n)
        known[n] = all[n] < c->h;
    return pl__extrapolate(l->ctx, &l->arena, c, layers_of(l), known, phi);
}

static pl_status reseed(pl__liquid *l, pl__particles *p, const pl__levelset *ls, const pl__levelset *all, int32_t i,
                        const pl__obstacles *obstacles)
{
    pl__particles_def def = pl__liquid_particles(l);
    if (!pl__liquid_reseeds(l))
        return PL_OK;
    uint8_t *where = PL_TAKE(&l->arena, ls->cell->value_count + 1, uint8_t);
    if (!where)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < ls->cell->value_count; ++n)
        where[n] = all->phi[n] < 0;
    uint64_t step = ((uint64_t)(1 + i) << 40) + (uint64_t)l->state.steps;
    PL_TRY(pl__particles_reseed_in(l->ctx, p, ls, &def, where, step, &l->arena));
    pl__shore_clear(ls->cell, l->boundary.distance, obstacles, p);
    return PL_OK;
}

static pl_status move_one(pl__liquid *l, int32_t i, const pl__motion *motion, double dt, const pl__obstacles *obstacles)
{
    pl__liquid_state *now = &l->state, *next = &l->next;
    const pl__columns *c = &now->grid.cell;
    pl__particles *p = &next->phases.markers[i];
    pl__levelset from = levelset_of(l, now, i), to = {c, pl__phase(next->phases.phi, c, i), pl__liquid_far(l), NULL},
                 all = {c, next->phi, pl__liquid_far(l), &l->boundary};
    pl__strays strays = {0};
    PL_TRY(pl__particles_copy(l->ctx, &now->phases.markers[i], p));
    pl__levelset_advect(l->ctx, &from, motion, 0, dt, pl__liquid_far(l), to.phi);
    PL_TRY(extend(l, next->phi, c, to.phi));
    pl__particles_move(l->ctx, p, c, motion, 0, dt);
    clear_air(l, &all, p);
    PL_TRY(pl__particles_correct(l->ctx, p, &to, true, &l->arena));
    PL_TRY(pl__levelset_redistance(l->ctx, &to, &l->arena));
    PL_TRY(pl__particles_correct(l->ctx, p, &to, false, &l->arena));
    pl_status status = pl__particles_finish(l->ctx, p, &to, &l->arena, &strays);
    pl__strays_done(l->ctx, &strays); // what they stood for is in the counts
    return status == PL_OK ? reseed(l, p, &to, &all, i, obstacles) : status;
}

pl_status pl__phases_move(pl__liquid *l, const pl__motion *motion, double dt, const pl__obstacles *obstacles)
{
    pl__phases *now = &l->state.phases, *next = &l->next.phases;
    const pl__columns *c = &l->state.grid.cell;
    PL_TRY(pl__phases_reserve(l->ctx, c, now->count, next));
    memcpy(next->due, now->due, sizeof next->due);
    memcpy(next->added, now->added, sizeof next->added);
    memset(next->pressed, 0, sizeof next->pressed);
    for (int32_t i = 0; i < pl__phases_worked(now); ++i)
        PL_TRY(move_one(l, i, motion, dt, obstacles));
    pl__phases_divide(l->ctx, c, pl__liquid_far(l), l->boundary.sides, NULL, next);
    return PL_OK;
}

// Parts of cells that hold liquid, and what they should hold with what is owed to them.
typedef struct rooms
{
    double *room, *whole;
} rooms;

static pl_status find_rooms(pl__liquid *l, const pl__liquid_state *s, size_t cells, rooms *r)
{
    r->room = PL_TAKE(&l->arena, cells + 1, double);
    r->whole = PL_TAKE(&l->arena, cells + 1, double);
    if (!r->room || !r->whole)
        return PL_ERR_MEMORY;
    for (size_t n = 0; n < cells; ++n)
    {
        r->room[n] = s->part[n] * s->open[n];
        r->whole[n] = r->room[n] + s->residual[n];
    }
    return PL_OK;
}

pl_status pl__phases_count(pl__liquid *l, const double *const flux[3], double dt)
{
    const pl__liquid_state *now = &l->state;
    rooms r;
    PL_TRY(find_rooms(l, &l->next, cells_of(now), &r));
    pl__phases_flow flow = {.grid = &now->grid,
                            .boundary = &l->boundary,
                            .u = {now->u[0], now->u[1], now->u[2]},
                            .flux = {flux[0], flux[1], flux[2]},
                            .whole = r.whole,
                            .dt = dt,
                            .outside = &l->def.outside};
    PL_TRY(pl__phases_balance(l->ctx, &flow, &l->arena, &now->phases, &l->next.phases));
    return PL_OK;
}

// ---- grid ------------------------------------------------------------------------------------------------------

static void swap(double **a, size_t *a_capacity, double **b, size_t *b_capacity)
{
    double *t = *a;
    size_t n = *a_capacity;
    *a = *b, *a_capacity = *b_capacity;
    *b = t, *b_capacity = n;
}

pl_status pl__phases_arrive(pl__liquid *l)
{
    const pl__columns *from = &l->state.grid.cell, *to = &l->next.grid.cell;
    pl__phases *next = &l->next.phases, *room = &l->room.phases;
    PL_TRY(pl__phases_reserve(l->ctx, to, next->count, room));
    for (int32_t i = 0; i < next->count; ++i)
    {
        pl__columns_transfer(l->ctx, from, pl__phase(next->phi, from, i), to, INFINITY, pl__phase(room->phi, to, i));
        pl__columns_transfer(l->ctx, from, pl__phase(next->volume, from, i), to, 0, pl__phase(room->volume, to, i));
    }
    swap(&next->phi, &next->phi_capacity, &room->phi, &room->phi_capacity);
    swap(&next->volume, &next->volume_capacity, &room->volume, &room->volume_capacity);
    PL_TRY(pl__phases_reserve(l->ctx, to, next->count, next)); // parts are made below
    uint8_t *known = PL_TAKE(&l->arena, to->value_count + 1, uint8_t);
    if (!known)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < next->count; ++i)
    {
        double *phi = pl__phase(next->phi, to, i);
        for (int32_t n = 0; n < to->value_count; ++n)
            known[n] = isfinite(phi[n]);
        PL_TRY(pl__extrapolate(l->ctx, &l->arena, to, layers_of(l), known, phi));
    }
    return PL_OK;
}

// ---- sources ---------------------------------------------------------------------------------------------------

typedef void region_function(void *user, int32_t number, double distance);

// Uniform cells of a region.
static void for_region(const pl__source_region *r, const pl__columns *c, region_function *work, void *user)
{
    for (int32_t k = r->low[2]; k < r->low[2] + r->n[2]; ++k)
        for (int32_t i = r->low[0]; i < r->low[0] + r->n[0]; ++i)
            for (int32_t j = r->low[1]; j < r->low[1] + r->n[1]; ++j)
            {
                int32_t n = pl__columns_uniform(c, i + c->nx * k, j);
                if (n >= 0)
                    work(user, n, pl__source_distance(r, i, j, k));
            }
}

typedef struct exchange
{
    pl__liquid *l;
    const double *old;
    int32_t liquid;
    bool all; // what has been there makes way
    double sum[PL__MOST_LIQUIDS];
} exchange;

// The cells of a source become its liquid; what has been there is where the counts of all cells put it.
static void bring(void *user, int32_t n, double distance)
{
    exchange *e = user;
    pl__phases *p = &e->l->next.phases;
    size_t cells = cells_of(&e->l->next);
    if (distance >= 0 || (!e->all && e->old[n] <= 0))
        return;
    double sum = 0;
    for (int32_t i = 0; i < p->count; ++i)
    {
        size_t at = (size_t)i * cells + (size_t)n;
        p->phi[at] = i == e->liquid ? fmin(p->phi[at], distance) : fmax(p->phi[at], -distance);
        sum += p->volume[at];
        p->volume[at] = 0;
    }
    p->volume[(size_t)e->liquid * cells + (size_t)n] = sum;
}

static void tally(void *user, int32_t n, double distance)
{
    exchange *e = user;
    const pl__phases *p = &e->l->next.phases;
    for (int32_t i = 0; i < p->count && distance < 0; ++i)
        e->sum[i] += fmax(p->volume[(size_t)i * cells_of(&e->l->next) + (size_t)n], 0);
}

// A volume that a source has brought, or that a drain has taken from what is there.
static void account(pl__liquid *l, int32_t n, double volume, double *to)
{
    pl__phases *p = &l->next.phases;
    const pl__liquid_source *source = &l->sources.source[n];
    exchange e = {.l = l};
    double sum = 0;
    if (volume == 0)
        return;
    if (source->drain)
        for_region(&l->sources.region[n], &l->next.grid.cell, tally, &e);
    for (int32_t i = 0; i < p->count; ++i)
        sum += e.sum[i];
    for (int32_t i = 0; i < p->count; ++i)
    {
        double share = sum > 0 ? e.sum[i] / sum : i == source->liquid;
        p->due[i] += share * volume;
        p->added[i] += share * volume;
        if (to)
            to[i] += share * volume;
    }
}

pl_status pl__phases_exchange(pl__liquid *l, const double *old, double dt)
{
    pl__inflow in = pl__liquid_inflow(l, dt);
    bool any = false;
    for (int32_t n = 0; n < l->sources.count; ++n)
    {
        const pl__liquid_source *source = &l->sources.source[n];
        if (!pl__source_works(source, &in))
            continue;
        account(l, n, l->sources.came[n], NULL);
        exchange e = {.l = l, .old = old, .liquid = source->liquid, .all = source->rate > 0};
        if (!source->drain)
            for_region(&l->sources.region[n], &l->next.grid.cell, bring, &e);
        any = any || !source->drain;
    }
    if (any)
        pl__phases_divide(l->ctx, &l->next.grid.cell, pl__liquid_far(l), l->boundary.sides, NULL, &l->next.phases);
    return PL_OK;
}

void pl__phases_press(pl__liquid *l)
{
    for (int32_t n = 0; n < l->sources.count; ++n)
        account(l, n, l->sources.pressed[n], l->next.phases.pressed);
}

// ---- correction ------------------------------------------------------------------------------------------------

void pl__phases_name_drops(pl__liquid *l, int32_t first)
{
    const pl__columns *c = &l->next.grid.cell;
    const pl__phases *p = &l->next.phases;
    for (int32_t n = first; n < l->next.spray.count; ++n)
    {
        pl__drop *d = &l->next.spray.drop[n];
        int32_t at[3], most = 0;
        for (int a = 0; a < 3; ++a)
            at[a] = (int32_t)floor((d->x[a] - c->origin[a]) / c->h + 0.5);
        const pl__run *run = pl__grid_run(c, at[0], at[1], at[2]);
        size_t number = run ? (size_t)(run->first + at[1] - run->j0) : 0, cells = cells_of(&l->next);
        for (int32_t i = 1; run && i < p->count; ++i)
            most = p->volume[(size_t)i * cells + number] > p->volume[(size_t)most * cells + number] ? i : most;
        d->liquid = most;
    }
}

static void spray_of(const pl__spray *s, int32_t count, double volume[])
{
    memset(volume, 0, (size_t)count * sizeof *volume);
    for (int32_t n = 0; n < s->count; ++n)
        volume[s->drop[n].liquid] += s->drop[n].volume;
}

// Cells at the surface of liquid i get what is missing of it by its balance; the next fit of counts takes it from the
// others there.
static void settle(pl__liquid *l, const double *room, int32_t i, double missing)
{
    const pl__liquid_state *s = &l->next;
    size_t cells = cells_of(s), first = (size_t)i * cells;
    double sum = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (size_t n = 0; n < cells; ++n)
        {
            double part = s->phases.part[first + n], weight = room[n] * part * (1 - part);
            sum += pass == 0 ? weight : 0;
            if (pass == 1 && sum > 0)
                s->phases.volume[first + n] += missing * weight / sum;
        }
}

// The sums of counts over all cells are what is due; what all together lack, they lack alike.
static void settle_all(pl__liquid *l, const rooms *r, const double spray[])
{
    const pl__columns *c = &l->next.grid.cell;
    pl__phases *p = &l->next.phases;
    double missing[PL__MOST_LIQUIDS], together = 0, due = 0, h3 = c->h * c->h * c->h;
    for (int32_t i = 0; i < p->count; ++i)
    {
        missing[i] = p->due[i] - spray[i] - h3 * pl__numbers_sum(l->ctx, pl__phase(p->volume, c, i), c->value_count);
        together += missing[i];
        due += fmax(p->due[i], 0);
    }
    for (int32_t i = 0; i < p->count && due > 0; ++i)
        settle(l, r->room, i, (missing[i] - together * fmax(p->due[i], 0) / due) / h3);
}

// Work on the level set of one liquid.
typedef struct shifting
{
    rooms r;
    double *residual, *part; // [numbers of cells] what is owed to it, and its own part, before parts get a sum of 1
    double *own;             // [count][numbers of cells] those of all since they were last divided
    double *before;          // [numbers of cells] that part before a shift
    uint8_t *near;           // [numbers of cells]
} shifting;

static bool take_shifting(pl__liquid *l, shifting *w)
{
    size_t cells = cells_of(&l->next) + 1;
    w->residual = PL_TAKE(&l->arena, cells, double);
    w->own = PL_TAKE(&l->arena, (size_t)l->next.phases.count * cells, double);
    w->part = PL_TAKE(&l->arena, cells, double);
    w->before = PL_TAKE(&l->arena, cells, double);
    w->near = PL_TAKE(&l->arena, cells, uint8_t);
    return w->residual && w->own && w->part && w->before && w->near;
}

static pl__volume_correction begin_shift(pl__liquid *l, const shifting *w, int32_t i)
{
    pl__liquid_state *next = &l->next;
    const pl__phases *p = &next->phases;
    size_t cells = cells_of(next), first = (size_t)i * cells;
    pl__levelset ls = levelset_of(l, next, i);
    memcpy(w->part, w->own + first, cells * sizeof *w->part);
    memcpy(w->before, w->part, cells * sizeof *w->part);
    for (size_t n = 0; n < cells; ++n)
        w->residual[n] = p->volume[first + n] - p->part[first + n] * w->r.room[n];
    return (pl__volume_correction){.grid = &next->grid,
                                   .boundary = &l->boundary,
                                   .far = pl__liquid_far(l),
                                   .tolerance = l->def.tolerance,
                                   .open = w->r.room,
                                   .phi = ls.phi,
                                   .part = w->part,
                                   .residual = w->residual};
}

// The level set of liquid i goes where its count says.
static pl_status correct(pl__liquid *l, const shifting *w, int32_t i)
{
    pl__phases *p = &l->next.phases;
    size_t cells = cells_of(&l->next), first = (size_t)i * cells;
    pl__volume_correction v = begin_shift(l, w, i);
    PL_TRY(pl__volume_correct(l->ctx, &v, &l->arena, w->near));
    double *volume = p->volume;
    for (size_t n = 0; n < cells; ++n)
    {
        double both = volume[n] + volume[cells + n];
        volume[first + n] = w->residual[n] + (p->part[first + n] + w->part[n] - w->before[n]) * w->r.room[n];
        if (p->count == 2)
            volume[cells + n] = both - volume[n];
    }
    return PL_OK;
}

// All of the level set of liquid i moves, so that as much is shown as is due [m^3].
static pl_status lend(pl__liquid *l, const shifting *w, int32_t i, double due)
{
    const pl__columns *c = &l->next.grid.cell;
    size_t cells = cells_of(&l->next), first = (size_t)i * cells;
    pl__volume_correction v = begin_shift(l, w, i);
    double more = 0; // by the scaling of parts
    for (size_t n = 0; n < cells; ++n)
        more += (w->part[n] - l->next.phases.part[first + n]) * w->r.room[n];
    return pl__volume_lend(l->ctx, &v, &l->arena, due + more * c->h * c->h * c->h);
}

pl_status pl__phases_correct(pl__liquid *l)
{
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell;
    pl__phases *p = &next->phases;
    shifting w;
    double spray[PL__MOST_LIQUIDS], due = 0, h3 = c->h * c->h * c->h;
    if (!take_shifting(l, &w))
        return PL_ERR_MEMORY;
    PL_TRY(find_rooms(l, next, cells_of(next), &w.r));
    pl__phases_divide(l->ctx, c, pl__liquid_far(l), l->boundary.sides, w.own, p);
    pl__phases_fit(l->ctx, c, w.r.whole, p);
    spray_of(&next->spray, p->count, spray);
    settle_all(l, &w.r, spray);
    for (int32_t i = 0; i < pl__phases_worked(p); ++i)
        PL_TRY(correct(l, &w, i));
    pl__phases_divide(l->ctx, c, pl__liquid_far(l), l->boundary.sides, w.own, p);
    for (int32_t i = 0; i < p->count; ++i)
        due += p->due[i] - spray[i];
    double scale = due > 0 ? h3 * pl__numbers_sum(l->ctx, w.r.room, c->value_count) / due : 1;
    for (int round = 0; round < LOANS; ++round)
    {
        for (int32_t i = 0; i < pl__phases_worked(p); ++i)
            PL_TRY(lend(l, &w, i, scale * (p->due[i] - spray[i])));
        pl__phases_divide(l->ctx, c, pl__liquid_far(l), l->boundary.sides, w.own, p);
    }
    return PL_OK;
}

// ---- density ---------------------------------------------------------------------------------------------------

pl_status pl__phases_ratio(pl__liquid *l, double *ratio[3])
{
    pl__liquid_state *next = &l->next;
    for (int axis = 0; axis < 3; ++axis)
    {
        ratio[axis] = NULL;
        if (!pl__liquid_has_phases(l))
            continue;
        ratio[axis] = PL_TAKE(&l->arena, next->grid.face[axis].value_count + 1, double);
        if (!ratio[axis])
            return PL_ERR_MEMORY;
    }
    if (pl__liquid_has_phases(l))
        pl__phases_weigh(l->ctx, &next->grid, &next->phases, l->def.law, next->phi, l->def.density, ratio);
    return PL_OK;
}

void pl__phases_guess(pl__liquid *l, const double *const ratio[3], double dt, double gravity)
{
    const pl__columns *c = &l->next.grid.cell;
    double slope = -gravity * dt;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            double above = 0;
            bool wet = false;
            for (int32_t j = run->j1; j >= run->j0; --j)
            {
                int32_t n = run->first + j - run->j0,
                        face = pl__grid_face(&l->next.grid, column % c->nx, j, column / c->nx, 1, 1);
                double phi = l->next.phi[n], way = wet ? 1 : phi < 0 ? fmin(-phi / c->h, 1) : 0;
                above = phi < 0 ? above + slope * way / ratio[1][face] : 0;
                wet = phi < 0;
                l->next.q[n] = above;
            }
        }
}

// ---- stress ----------------------------------------------------------------------------------------------------

// Elasticity is that of samples of which elastic liquids have half, at least: elsewhere strain would follow what others
// do, and become stress when the surface moves. There it goes on from those samples.
typedef struct mixing
{
    pl__liquid *l;
    const pl__liquid_state *s;
    double *viscosity, *elasticity, *share; // [numbers of cells] share: of elastic liquids
} mixing;

static void mix_cells(void *argument, int32_t begin, int32_t end)
{
    const mixing *job = argument;
    const pl__liquid_def *def = &job->l->def;
    const pl__phases *p = &job->s->phases;
    const pl__phase_law only = {def->density, def->viscosity, def->elastic, def->warmth};
    bool several = pl__liquid_has_phases(job->l);
    for (int32_t n = begin; n < end; ++n)
    {
        job->viscosity[n] = job->elasticity[n] = job->share[n] = 0;
        for (int32_t i = 0; i < (several ? p->count : 1); ++i)
        {
            const pl__phase_law *law = several ? &def->law[i] : &only;
            double part = several ? p->part[(size_t)i * cells_of(job->s) + (size_t)n] : 1,
                   T = def->warm ? job->s->warmth[n] : 0, elasticity = law->elastic.elasticity;
            job->viscosity[n] += part * law->viscosity * pl__warmth_factor(&law->warmth, law->warmth.melt_viscosity, T);
            job->elasticity[n] += part * elasticity * pl__warmth_factor(&law->warmth, law->warmth.melt_elasticity, T);
            job->share[n] += elasticity > 0 ? part : 0;
        }
    }
}

// Means over the two cells of faces, by unknowns.
static void mix_faces(const mixing *job, const pl__strain *strain, const double *from, double *to)
{
    pl__face_stretch s;
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &job->s->grid.face[axis];
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
            for (pl__face_walk w = pl__face_walk_begin(&job->s->grid, axis, column); pl__face_walk_next(&w, &s);)
                for (int32_t j = s.j0; j <= s.j1; ++j)
                {
                    int32_t unknown = strain->index[axis][s.own + j];
                    double sum = 0, count = 0;
                    for (int end = 0; end < 2; ++end)
                        if (s.kind[end] == PL__BESIDE_UNIFORM)
                        {
                            sum += from[s.cell[end] + j];
                            ++count;
                        }
                    if (unknown >= 0 && unknown < strain->unknown_count)
                        to[unknown] = count > 0 ? sum / count : 0;
                }
    }
}

// Of a sample: a cell's own, and of an edge the mean of the faces around it.
static void mix_samples(const pl__strain *strain, const double *cell, const double *face, double *to)
{
    int32_t cells = 3 * strain->cell_count;
    for (int32_t n = 0; n < strain->sample_count; ++n)
    {
        const pl__strain_sample *s = &strain->sample[n];
        double sum = 0, count = 0;
        to[n] = 0;
        if (!(s->weight > 0))
            continue;
        for (int k = 0; k < 4 && n >= cells; ++k)
            if (s->face[k] >= 0 && s->face[k] < strain->unknown_count)
            {
                sum += face[s->face[k]];
                ++count;
            }
        to[n] = n < cells ? cell[strain->place[n]] : count > 0 ? sum / count : 0;
    }
}

pl_status pl__phases_mix(pl__liquid *l, const pl__liquid_state *state, pl__strain *strain, double **viscosity,
                         double **elasticity)
{
    mixing job = {l, state, PL_TAKE(&l->arena, cells_of(state) + 1, double),
                  PL_TAKE(&l->arena, cells_of(state) + 1, double), PL_TAKE(&l->arena, cells_of(state) + 1, double)};
    double *share = PL_TAKE(&l->arena, strain->sample_count + 1, double);
    double *face = PL_TAKE(&l->arena, strain->unknown_count + 1, double);
    *viscosity = PL_TAKE(&l->arena, strain->sample_count + 1, double);
    *elasticity = PL_TAKE(&l->arena, strain->sample_count + 1, double);
    if (!job.viscosity || !job.elasticity || !job.share || !share || !face || !*viscosity || !*elasticity)
        return PL_ERR_MEMORY;
    pl__parallel_for(l->ctx, (int32_t)cells_of(state), CELLS_PER_TASK, mix_cells, &job);
    mix_faces(&job, strain, job.viscosity, face);
    mix_samples(strain, job.viscosity, face, *viscosity);
    mix_faces(&job, strain, job.elasticity, face);
    mix_samples(strain, job.elasticity, face, *elasticity);
    mix_faces(&job, strain, job.share, face);
    mix_samples(strain, job.share, face, share);
    for (int32_t n = 0; n < strain->sample_count; ++n)
        (*elasticity)[n] = share[n] >= 0.5 ? (*elasticity)[n] : 0;
    for (int axis = 0; axis < 3 && state == &l->next && l->ratio[0]; ++axis)
        for (int32_t i = strain->axis_start[axis]; i < strain->axis_start[axis + 1]; ++i)
            strain->mass[i] /= l->ratio[axis][strain->number[i]];
    return PL_OK;
}

pl_status pl__phases_resist(pl__liquid *l, double dt, const pl__stretching *stretching, pl__strain *strain,
                            pl__viscosity_problem *problem)
{
    double *viscosity = stretching ? stretching->viscosity : NULL, *elasticity = NULL;
    double part = stretching ? stretching->theta * stretching->theta * dt : 0;
    if (!stretching)
    {
        PL_TRY(pl__strain_make(l->ctx, &l->arena, &problem->strain, strain));
        PL_TRY(pl__phases_mix(l, &l->next, strain, &viscosity, &elasticity));
        problem->sample = strain;
    }
    double *mixed = PL_TAKE(&l->arena, problem->sample->sample_count + 1, double);
    if (!mixed)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < problem->sample->sample_count; ++n)
        mixed[n] = 2 * viscosity[n] + (stretching ? part * stretching->elasticity[n] : 0);
    problem->mixed = mixed;
    return PL_OK;
}

pl_status pl__phases_law(pl__liquid *l, const pl__liquid_state *state, pl__elastic_law *law)
{
    *law = l->def.elastic;
    if (!pl__liquid_has_phases(l))
        return PL_OK;
    uint8_t *kind = PL_TAKE(&l->arena, cells_of(state) + 1, uint8_t);
    pl__elastic_law *laws = PL_TAKE(&l->arena, PL__MOST_LIQUIDS, pl__elastic_law);
    if (!kind || !laws)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < l->def.liquid_count; ++i)
        laws[i] = l->def.law[i].elastic;
    for (int32_t n = 0; n < state->grid.cell.value_count; ++n)
        kind[n] = (uint8_t)pl__phase_of(&state->phases, &state->grid.cell, n);
    law->kind = kind;
    law->laws = laws;
    return PL_OK;
}

double pl__phases_theta(const pl__liquid *l, double dt)
{
    double theta = pl__liquid_has_phases(l) ? 0 : pl__elastic_theta(&l->def.elastic, l->def.density, l->def.h, dt);
    for (int32_t i = 0; i < l->def.liquid_count; ++i)
        theta = fmax(theta, pl__elastic_theta(&l->def.law[i].elastic, l->def.law[i].density, l->def.h, dt));
    return theta;
}

// ---- measures --------------------------------------------------------------------------------------------------

void pl__phases_sum(const pl__liquid *l, pl__phase_sums sums[PL__MOST_LIQUIDS])
{
    const pl__liquid_state *s = &l->state;
    size_t cells = cells_of(s);
    double spray[PL__MOST_LIQUIDS], h = s->grid.cell.h;
    spray_of(&s->spray, s->phases.count, spray);
    for (int32_t i = 0; i < s->phases.count; ++i)
    {
        double sum = 0;
        for (size_t n = 0; n < cells; ++n)
            sum += s->phases.part[(size_t)i * cells + n] * s->part[n] * s->open[n];
        sums[i] = (pl__phase_sums){sum * h * h * h, spray[i], s->phases.due[i] - s->phases.pressed[i]};
    }
}
