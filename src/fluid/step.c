// src/fluid/step.c -- one step of a liquid, in order. The list is the same in docs/architecture.md.
//
//      1  surface      phi and markers along u; correct, redistance, correct; reseed; drops, foam, vortices move; balance of volume, also of each of several liquids (phases.h)
//      2  velocity     along itself: MacCormack on uniform faces, conservative fluxes on tall ones; elastic strain likewise
//      3  grid         uniform cells near the new surface, tall ones below; everything onto them by least squares
//      4  boundary     open fractions of the faces of the new grid, with objects where they are at the end; phi inside them
//      5  exchange     sponges along open sides; sources fill their shapes, drains empty them
//      6  volume       drops join liquid; the surface goes where the count of volume says, and what it cannot show becomes drops; surfaces between liquids likewise
//      7  forces       vortex particles and confinement turn the liquid; u += dt g; surface tension pushes its surface
//      8  viscosity    and elasticity: div u = 0 by a pressure first, then u += dt div (2 mu strain of u + E e) / rho, implicit
//      9  pressure     u -= dt grad p / rho, so that div u is 0, or what sources press in and what the deep is owed; walls only push
//     10  extrapolate  u into air and solids, as far as the next step may ask; bubbles where the surface breaks
//     11  strain       of liquids that remember (elastic.h): stretched by the new u, turned, flows
//     12  temperature  of liquids that melt (warmth.h): conducted, cooled; it has been carried along with the velocity
#include "advect.h"
#include "base/task.h"
#include "detail.h"
#include "elastic_step.h"
#include "extend.h"
#include "extrapolate.h"
#include "levelset.h"
#include "liquid.h"
#include "numbers.h"
#include "phases_step.h"
#include "separation.h"
#include "shore.h"
#include "stretch.h"
#include "tension.h"
#include "visible.h"
#include "volume.h"
#include "volume_correction.h"

#include <math.h>
#include <string.h>

enum
{
    COLUMNS_PER_TASK = 256
};

// Cells that a step crosses at most.
static int32_t reach_of(const pl__liquid *l) { return (int32_t)ceil(l->def.cfl); }

double pl__liquid_far(const pl__liquid *l) { return (reach_of(l) + PL__LIQUID_MARGIN) * l->def.h; }

static void end_part(const pl__liquid *l, pl__liquid_part part)
{
    if (l->watch)
        l->watch(l->watch_user, part);
}

// ---- surface ------------------------------------------------------------------------------------------------

// What moves points: the flow of the old grid, and what they may not enter.
typedef struct carrier
{
    pl__grid_flow flow; // first: pl__grid_flow_velocity takes it
    const pl__obstacles *obstacles;
    double lower[3], upper[3];
} carrier;

// Points stay in the domain and out of objects.
static void constrain(void *user, double time, int32_t count, const double *const from[3], double *const x[3])
{
    (void)time;
    const carrier *c = user;
    double h = c->flow.grid->cell.h;
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < count; ++n)
        {
            double low = c->lower[axis] + 1e-3 * h, high = c->upper[axis] - 1e-3 * h;
            x[axis][n] = x[axis][n] < low ? low : x[axis][n] > high ? high : x[axis][n];
        }
    if (c->obstacles->count > 0)
        (void)pl__obstacles_stop(c->obstacles, 2 * h, 1e-3 * h, PL__WAY_STEP * h, count, from, x);
}

enum
{
    RESEED_EVERY = 20 // steps
};

pl__particles_def pl__liquid_particles(const pl__liquid *l)
{
    // Fewer, and nearer to the surface, than Enright et al. had: volume does not depend on them, and steps are short.
    double band = 0.5 + ceil(l->def.cfl);
    int32_t automatic = l->def.cells[2] == 1 ? 16 : 8;
    return (pl__particles_def){l->def.particles > 0 ? l->def.particles : automatic, band, l->def.seed};
}

bool pl__liquid_reseeds(const pl__liquid *l) { return (l->state.steps + 1) % RESEED_EVERY == 0; }

// Where liquid comes in, markers do so in every step.
static pl_status reseed(pl__liquid *l, pl__particles *p, const pl__levelset *ls, const pl__obstacles *obstacles)
{
    pl__particles_def def = pl__liquid_particles(l);
    uint8_t *where = NULL;
    if (!pl__liquid_reseeds(l))
    {
        if (l->sources.count == 0)
            return PL_OK;
        where = PL_TAKE(&l->arena, ls->cell->value_count + 1, uint8_t);
        if (!where)
            return PL_ERR_MEMORY;
        pl__sources_mark(&l->sources, ls->cell, where);
    }
    PL_TRY(pl__particles_reseed_in(l->ctx, p, ls, &def, where, (uint64_t)l->state.steps, &l->arena));
    pl__shore_clear(ls->cell, l->boundary.distance, obstacles, p);
    return PL_OK;
}

static pl_status redistance(pl__liquid *l, const pl__levelset *ls)
{
    size_t count = (size_t)ls->cell->value_count;
    double *before = l->def.tension > 0 ? PL_TAKE(&l->arena, count + 1, double) : NULL;
    if (l->def.tension > 0 && !before)
        return PL_ERR_MEMORY;
    if (before)
        memcpy(before, ls->phi, count * sizeof *before);
    PL_TRY(pl__levelset_redistance(l->ctx, ls, &l->arena));
    if (before)
        pl__tension_keep(l->ctx, before, ls);
    return PL_OK;
}

// What goes along with the liquid and does not change its surface.
static pl_status move_riders(pl__liquid *l, const pl__motion *motion, const pl__levelset *after, double dt,
                             const double gravity[3])
{
    pl__liquid_state *now = &l->state, *next = &l->next;
    pl__foam_def foam = pl__liquid_foam(l);
    PL_TRY(pl__vortices_copy(l->ctx, &now->vortices, &next->vortices));
    PL_TRY(pl__foam_copy(l->ctx, &now->foam, &next->foam));
    pl__vortices_move(&next->vortices, l->vortex, &now->grid, now->u, motion, dt);
    pl__foam_move(l->ctx, &next->foam, &foam, motion, after, dt, gravity);
    return PL_OK;
}

static pl_status move_surface(pl__liquid *l, double dt, const double gravity[3], const pl__obstacles *obstacles)
{
    pl__liquid_state *now = &l->state, *next = &l->next;
    bool solids = obstacles->count > 0;
    pl__levelset from = {&now->grid.cell, now->phi, pl__liquid_far(l), &l->boundary},
                 to = {&now->grid.cell, next->phi, pl__liquid_far(l), &l->boundary};
    carrier carry = {.flow = {l->ctx, &now->grid, {now->u[0], now->u[1], now->u[2]}}, .obstacles = obstacles};
    pl__outside_bounds(&l->def.outside, &now->grid.cell, carry.lower, carry.upper);
    pl__motion motion = {pl__grid_flow_velocity, constrain, &carry, true};
    pl__particles *p = &next->particles;
    PL_TRY(pl__spray_copy(l->ctx, &now->spray, &next->spray));
    PL_TRY(pl__particles_copy(l->ctx, &now->particles, p));
    // Air has no volume here: particles of it that are drawn into the liquid must not hold it open, or the bubbles that
    // they carve are sinks at pressure 0 (a dam break at 64 cells loses half its volume in 5 s). What leaves the liquid
    // by half a cell is spray.
    p->lost_in_liquid = 0.1;
    p->lost_in_air = 0.5;
    pl__levelset_advect(l->ctx, &from, &motion, 0, dt, pl__liquid_far(l),
                        next->phi); // farther away nothing is at the surface
    if (solids)
    {
        pl__visible_advect(l->ctx, &from, &l->boundary, obstacles, &motion, 0, dt, next->phi);
        PL_TRY(pl__extend_anew(&l->arena, &now->grid, &l->boundary, obstacles, PL__LIQUID_MARGIN + 1, now->phi,
                               next->phi));
    }
    pl__outside_enter(&l->def.outside, &now->grid, (const double *const[3]){now->u[0], now->u[1], now->u[2]}, dt,
                      next->phi);
    end_part(l, PL__PART_LEVELSET);
    pl__particles_move(l->ctx, p, &now->grid.cell, &motion, 0, dt);
    PL_TRY(pl__particles_correct(l->ctx, p, &to, true, &l->arena));
    end_part(l, PL__PART_MARKERS);
    PL_TRY(redistance(l, &to));
    end_part(l, PL__PART_DISTANCE);
    PL_TRY(pl__particles_correct(l->ctx, p, &to, false, &l->arena));
    l->strays.count = 0;
    PL_TRY(pl__particles_finish(l->ctx, p, &to, &l->arena, &l->strays));
    PL_TRY(reseed(l, p, &to, obstacles));
    PL_TRY(move_riders(l, &motion, &to, dt, gravity));
    pl__spray_move(&next->spray, dt, gravity, carry.lower, carry.upper, obstacles, l->def.h);
    next->added = now->added - pl__spray_leave(&next->spray, &now->grid.cell);
    double *flux[3] = {NULL};
    for (int axis = 0; axis < 3 && pl__liquid_has_phases(l); ++axis)
        if (!(flux[axis] = PL_TAKE(&l->arena, now->grid.face[axis].value_count + 1, double)))
            return PL_ERR_MEMORY;
    if (pl__liquid_has_phases(l))
        PL_TRY(pl__phases_move(l, &motion, dt, obstacles));
    end_part(l, PL__PART_MARKERS);
    pl__balance balance = {.grid = &now->grid,
                           .boundary = &l->boundary,
                           .u = {now->u[0], now->u[1], now->u[2]},
                           .before = now->phi,
                           .after = next->phi,
                           .part = now->part,
                           .residual = now->residual,
                           .open = now->open,
                           .far = pl__liquid_far(l),
                           .dt = dt,
                           .outside = &l->def.outside,
                           .flux = pl__liquid_has_phases(l) ? flux : NULL};
    PL_TRY(pl__volume_balance(l->ctx, &balance, &l->arena, next->part, next->residual, next->open, &next->added));
    return pl__liquid_has_phases(l) ? pl__phases_count(l, (const double *const *)flux, dt) : PL_OK;
}

// ---- velocity -----------------------------------------------------------------------------------------------

static bool has_tall(const pl__grid *grid)
{
    for (size_t r = 0; r < grid->cell.run_count; ++r)
        if (grid->cell.run[r].kind != PL__RUN_UNIFORM)
            return true;
    return false;
}

static pl_status move_velocity(pl__liquid *l, double dt)
{
    pl__liquid_state *now = &l->state, *next = &l->next;
    PL_TRY(pl__advect_velocity(l->ctx, &l->arena, &now->grid, next->phi, dt, now->u, next->u));
    if (!has_tall(&now->grid))
        return PL_OK;
    pl__flux_problem problem = {
        .grid = &now->grid, .boundary = &l->boundary, .u = {now->u[0], now->u[1], now->u[2]}, .dt = dt};
    return pl__flux_advect(l->ctx, &l->arena, &problem, next->u, &l->info.flux);
}

// The isotropic stress moves with the liquid, that of an elastic one with its strain; what is neither viscous nor
// elastic has none.
static pl_status carry_stress(pl__liquid *l, double dt)
{
    const pl__liquid_state *now = &l->state;
    pl__advected what = {&now->grid.cell, {false, false, false}, 1, {now->stress}};
    if (l->def.remembers && l->def.elastic.elasticity > 0)
        return PL_OK;
    if (l->def.viscosity > 0)
        return pl__advect(l->ctx, &l->arena, &now->grid, l->next.phi, dt, now->u, &what, &l->next.stress);
    memset(l->next.stress, 0, (size_t)now->grid.cell.value_count * sizeof(double));
    return PL_OK;
}

// ---- grid ---------------------------------------------------------------------------------------------------

bool pl__liquid_state_reserve(pl_context *ctx, pl__liquid_state *s, const pl__grid *grid)
{
    size_t cells = (size_t)grid->cell.value_count + 1;
    bool fits = PL_GROW(ctx, s->phi, &s->phi_capacity, cells) && PL_GROW(ctx, s->q, &s->q_capacity, cells) &&
                PL_GROW(ctx, s->residual, &s->residual_capacity, cells) &&
                PL_GROW(ctx, s->stress, &s->stress_capacity, cells) &&
                PL_GROW(ctx, s->warmth, &s->warmth_capacity, cells) &&
                PL_GROW(ctx, s->open, &s->open_capacity, cells) && PL_GROW(ctx, s->part, &s->part_capacity, cells);
    for (int axis = 0; axis < 3; ++axis)
        fits = fits && PL_GROW(ctx, s->u[axis], &s->u_capacity[axis], (size_t)grid->face[axis].value_count + 1);
    return fits;
}

// Rows of rock: what is deeper inside objects than half the diagonal of a cell has no open face.
static pl_status find_rock(pl__liquid *l, const pl__columns *cell, const pl__obstacles *obstacles, double depth,
                           pl__row_set *set)
{
    PL_TRY(pl__row_set_begin(l->ctx, set, l->def.cells));
    for (int32_t k = 0; k < cell->nz; ++k)
        for (int32_t i = 0; i < cell->nx; ++i)
        {
            enum
            {
                MOST = 64
            };
            pl__row_range rows[MOST];
            pl__near_obstacles near;
            double low[3], high[3];
            pl__grid_point(cell, i, 0, k, low);
            pl__grid_point(cell, i, cell->ny - 1, k, high);
            pl__obstacles_find(obstacles, low, high, cell->h, true, &near);
            int32_t count = pl__boundary_rock_rows(&near, cell, i, k, depth, rows, MOST);
            for (int32_t r = 0; r < (count < MOST ? count : MOST); ++r)
                PL_TRY(pl__row_set_add(l->ctx, set, rows[r].j0, rows[r].j1));
            pl__row_set_end_column(set);
        }
    return PL_OK;
}

pl_status pl__liquid_regrid(pl__liquid *l, const pl__columns *from, const double *phi, const pl__obstacles *obstacles,
                            pl__grid *to)
{
    double h = l->def.h;
    bool solids = obstacles->count > 0;
    int32_t air = reach_of(l) + PL__LIQUID_MARGIN;
    if (l->detail.count > 0)
        PL_TRY(pl__liquid_place_set(l, &l->detail, &l->placed));
    pl__regrid how = {.air = air,
                      .depth = l->def.depth > 0 ? (int32_t)fmin(ceil(l->def.depth / h), 1e9) : INT32_MAX,
                      .detail = l->detail.count > 0 ? &l->placed : NULL,
                      .moving = solids ? &l->moving : NULL,
                      .rock = solids ? &l->rock : NULL,
                      .buried = solids ? &l->buried : NULL};
    if (solids)
    {
        PL_TRY(find_rock(l, from, obstacles, 0.87 * h, &l->rock));
        PL_TRY(find_rock(l, from, obstacles, 2.5 * h, &l->buried));
        PL_TRY(pl__detail_find(l->ctx, from, obstacles, air, &l->moving));
    }
    return pl__regrid_make(l->ctx, &how, from, phi, &l->regrid, to);
}

static void swap_numbers(double **a, size_t *a_capacity, double **b, size_t *b_capacity)
{
    double *t = *a;
    size_t n = *a_capacity;
    *a = *b, *a_capacity = *b_capacity;
    *b = t, *b_capacity = n;
}

// Tall cells have no distance: they are deep.
static void deepen_tall(const pl__columns *c, double far, double *phi)
{
    for (size_t r = 0; r < c->run_count; ++r)
        if (c->run[r].kind != PL__RUN_UNIFORM)
            phi[c->run[r].first] = phi[c->run[r].first + 1] = -far;
}

// The row of a number of a run.
static int32_t row_of(const pl__run *run, int32_t n)
{
    return run->kind == PL__RUN_UNIFORM ? run->j0 + n : n ? run->j1 : run->j0;
}

// Heights of the surface above the cells of a column, where they see it; `known` [numbers of cells].
static void find_levels(const pl__columns *c, const double *phi, const uint8_t *sides, int32_t column, uint8_t *known,
                        double *level)
{
    double surface = -INFINITY, beyond = -1; // of the last one seen from above; phi of the cell above
    for (size_t r = c->start[column + 1]; r-- > c->start[column];)
    {
        const pl__run *run = &c->run[r];
        for (int32_t n = pl__run_numbers(run) - 1; n >= 0; --n)
        {
            int32_t number = run->first + n;
            double here = phi[number];
            if (here >= 0 || sides[number] >> 3 & 1)
                surface = -INFINITY;
            else if (beyond >= 0)
                surface = c->origin[1] + c->h * row_of(run, n) - here;
            beyond = here;
            known[number] = surface > -INFINITY;
            level[number] = surface;
        }
    }
}

// The pressure of water at rest, as a first guess: q = dt g (depth) / h below the surface of each column, or of those
// beside it that it sees. Exact for water that is at rest.
static pl_status guess_hydrostatic(pl__liquid *l, double dt, double gravity)
{
    const pl__columns *c = &l->next.grid.cell;
    size_t cells = (size_t)c->value_count + 1;
    double slope = -gravity * dt / c->h, *level = PL_TAKE(&l->arena, cells, double);
    uint8_t *known = PL_TAKE(&l->arena, cells, uint8_t), *flat = PL_TAKE(&l->arena, cells, uint8_t);
    if (!level || !known || !flat)
        return PL_ERR_MEMORY;
    memset(flat, 1, cells);
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        find_levels(c, l->next.phi, l->boundary.sides, column, known, level);
    PL_TRY(pl__shore_extend(&l->arena, c, c->nx + c->ny + c->nz, flat, l->boundary.sides, false, known, level));
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
    {
        double surface = 0; // of the number above
        for (size_t r = c->start[column + 1]; r-- > c->start[column];)
            for (int32_t n = pl__run_numbers(&c->run[r]) - 1; n >= 0; --n)
            {
                int32_t number = c->run[r].first + n;
                surface = known[number] ? level[number] : surface;
                l->next.q[number] =
                    l->next.phi[number] < 0 ? slope * (surface - c->origin[1] - c->h * row_of(&c->run[r], n)) : 0;
            }
    }
    return PL_OK;
}

// Nothing is owed to tall cells.
static void keep_uniform(const pl__columns *c, double *residual)
{
    for (size_t r = 0; r < c->run_count; ++r)
        if (c->run[r].kind != PL__RUN_UNIFORM)
            residual[c->run[r].first] = residual[c->run[r].first + 1] = 0;
}

// Bring the numbers of `next`, which are on the old grid, to the new one.
static pl_status transfer(pl__liquid *l, double dt)
{
    pl__liquid_state *now = &l->state, *next = &l->next, *room = &l->room;
    const pl__grid *from = &now->grid, *to = &next->grid;
    if (!pl__liquid_state_reserve(l->ctx, room, to))
        return PL_ERR_MEMORY;
    deepen_tall(&from->cell, pl__liquid_far(l), next->phi);
    pl__columns_transfer(l->ctx, &from->cell, next->phi, &to->cell, pl__liquid_far(l), room->phi);
    deepen_tall(&to->cell, pl__liquid_far(l), room->phi);
    pl__columns_transfer(l->ctx, &from->cell, now->q, &to->cell, 0, room->q);
    swap_numbers(&next->phi, &next->phi_capacity, &room->phi, &room->phi_capacity);
    swap_numbers(&next->q, &next->q_capacity, &room->q, &room->q_capacity);
    pl__columns_transfer(l->ctx, &from->cell, next->residual, &to->cell, 0, room->residual);
    keep_uniform(&to->cell, room->residual);
    next->loose = now->loose + pl__numbers_sum(l->ctx, next->residual, from->cell.value_count) -
                  pl__numbers_sum(l->ctx, room->residual, to->cell.value_count);
    swap_numbers(&next->residual, &next->residual_capacity, &room->residual, &room->residual_capacity);
    pl__columns_transfer(l->ctx, &from->cell, next->part, &to->cell, 0, room->part);
    swap_numbers(&next->part, &next->part_capacity, &room->part, &room->part_capacity);
    pl__columns_transfer(l->ctx, &from->cell, next->open, &to->cell, -1, room->open); // -1: a new cell
    swap_numbers(&next->open, &next->open_capacity, &room->open, &room->open_capacity);
    for (int axis = 0; axis < 3; ++axis)
    {
        pl__columns_transfer(l->ctx, &from->face[axis], next->u[axis], &to->face[axis], 0, room->u[axis]);
        swap_numbers(&next->u[axis], &next->u_capacity[axis], &room->u[axis], &room->u_capacity[axis]);
    }
    if (l->def.viscous)
        pl__columns_transfer(l->ctx, &from->cell, next->stress, &to->cell, 0, room->stress);
    swap_numbers(&next->stress, &next->stress_capacity, &room->stress, &room->stress_capacity);
    if (l->def.warm)
        pl__columns_transfer(l->ctx, &from->cell, next->warmth, &to->cell, 0, room->warmth);
    swap_numbers(&next->warmth, &next->warmth_capacity, &room->warmth, &room->warmth_capacity);
    double scale = now->q_dt > 0 ? dt / now->q_dt : 0;
    pl__numbers_scale(l->ctx, scale, next->q, to->cell.value_count);
    return PL_OK;
}

// ---- boundary -----------------------------------------------------------------------------------------------

// Open parts of the cells of a column that are new or were tall, from distances. What tall cells have too much or too
// little by that stays with the tall cell of the column, so that the sum is what it was; without one it is owed.
static void open_column(pl__liquid *l, const pl__obstacles *obstacles, int32_t column)
{
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell, *from = &l->state.grid.cell;
    double rest = 0;
    int32_t last = -1; // that was tall, or is
    for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        for (int32_t m = 0; c->run[r].kind == PL__RUN_UNIFORM && m < pl__run_rows(&c->run[r]); ++m)
        {
            int32_t n = c->run[r].first + m;
            bool fresh = next->open[n] < 0, tall = !fresh && pl__columns_uniform(from, column, c->run[r].j0 + m) < 0;
            if (!fresh && !tall)
                continue;
            double open = pl__volume_room(c, &l->boundary, obstacles, column, c->run[r].j0 + m, n);
            rest += tall ? next->open[n] - open : 0;
            last = tall ? n : last;
            next->open[n] = open;
        }
    for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        if (c->run[r].kind != PL__RUN_UNIFORM)
        {
            int32_t n = c->run[r].first;
            double rows = pl__run_rows(&c->run[r]), mean = 0.5 * (next->open[n] + next->open[n + 1]) + rest / rows;
            next->part[n] = next->part[n + 1] = 1;
            next->open[n] = next->open[n + 1] = fmin(fmax(mean, 0), 1);
            rest = (mean - next->open[n]) * rows;
            last = last < 0 ? n : last;
        }
    if (last >= 0)
        next->residual[last] += rest;
}

typedef struct completion
{
    pl__liquid *l;
    const pl__obstacles *obstacles;
} completion;

static void complete_parts(void *argument, int32_t begin, int32_t end)
{
    const completion *job = argument;
    for (int32_t column = begin; column < end; ++column)
        open_column(job->l, job->obstacles, column);
}

static pl__separation separation_of(pl__liquid *l, pl__liquid_state *s)
{
    return (pl__separation){.grid = &s->grid,
                            .boundary = &l->boundary,
                            .open = s->open,
                            .q = s->q,
                            .phi = s->phi,
                            .part = s->part,
                            .residual = s->residual,
                            .far = pl__liquid_far(l)};
}

// What was in a cell that a solid has closed or crossed goes ahead of it, with its room as far as the cell there may
// have more.
static void arrive(pl__liquid *l, int32_t to, double content, double room)
{
    pl__liquid_state *next = &l->next;
    if (to < 0)
        next->loose += content;
    else
    {
        double most = pl__volume_most_room(l->boundary.sides[to]) - next->open[to];
        double gain = fmax(0, fmin(room, most));
        next->open[to] += gain;
        next->residual[to] += content - next->part[to] * gain;
    }
}

// A cell that a thin part has left gets its room on the other side from the cell behind it: what that has too much now.
static void enter_cell(pl__liquid *l, const pl__obstacles *obstacles, int32_t n, int32_t from)
{
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell;
    int32_t column, j;
    pl__columns_place(c, from, &column, &j);
    double own = pl__volume_room(c, &l->boundary, obstacles, column, j, from);
    double room = fmax(0, next->open[from] - own);
    next->open[from] -= room;
    next->open[n] += room;
    next->residual[from] += (next->part[from] - next->part[n]) * room;
}

// All leave before any arrives: a cell that gets something may itself have come over to the side where that belongs.
// `content` and `room` [numbers of cells] are scratch.
static void change_sides(pl__liquid *l, const pl__obstacles *obstacles, const int32_t *pushed, const int32_t *behind,
                         double *content, double *room)
{
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell;
    for (int32_t n = 0; n < c->value_count; ++n)
        if (pushed[n] != -1)
        {
            content[n] = next->residual[n] + next->part[n] * next->open[n];
            room[n] = next->open[n];
            next->residual[n] = next->open[n] = 0;
        }
    for (int32_t n = 0; n < c->value_count; ++n)
        if (pushed[n] != -1)
            arrive(l, pushed[n], content[n], room[n]);
    for (int32_t n = 0; n < c->value_count; ++n)
        if (behind[n] >= 0)
            enter_cell(l, obstacles, n, behind[n]);
}

// Open fractions of faces; phi in solids and where they have passed. Where that changes the part of a cell that is
// liquid, nothing has flowed, so the difference is owed.
static pl_status meet_solids(pl__liquid *l, const pl__obstacles *obstacles)
{
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell;
    size_t cells = obstacles->count > 0 ? (size_t)c->value_count : 0;
    double *was = PL_TAKE(&l->arena, cells + 1, double), *part = PL_TAKE(&l->arena, cells + 1, double);
    int32_t *pushed = PL_TAKE(&l->arena, cells + 1, int32_t), *behind = PL_TAKE(&l->arena, cells + 1, int32_t);
    if (!was || !part || !pushed || !behind)
        return PL_ERR_MEMORY;
    if (obstacles->count > 0)
        pl__columns_transfer(l->ctx, &l->state.grid.cell, l->boundary.distance, c, INFINITY, was);
    PL_TRY(pl__boundary_update(l->ctx, &l->boundary, &next->grid, obstacles, l->def.closed));
    completion job = {l, obstacles};
    pl__parallel_for(l->ctx, c->nx * c->nz, COLUMNS_PER_TASK, complete_parts, &job);
    if (obstacles->count == 0)
        return PL_OK;
    pl__levelset ls = {c, next->phi, pl__liquid_far(l), &l->boundary};
    for (int32_t n = 0; n < c->value_count; ++n)
        part[n] = next->residual[n] + next->part[n] * next->open[n] - fmax(0.5 * next->open[n], 0.01);
    PL_TRY(pl__extend_into_solids(&l->arena, &next->grid, &l->boundary, obstacles, was, part, PL__LIQUID_MARGIN + 1,
                                  next->phi, pushed, behind));
    pl__separation separation = separation_of(l, next);
    if (!l->def.viscous && l->state.q_dt > 0) // before the first solve q says nothing
        pl__separation_uncover(&separation, was);
    pl__shore_fill(&next->grid, &l->boundary, next->phi);
    pl__levelset_parts(l->ctx, &ls, l->boundary.sides, part);
    for (int32_t n = 0; n < c->value_count; ++n)
    {
        next->residual[n] += (next->part[n] - part[n]) * next->open[n];
        next->part[n] = part[n];
    }
    change_sides(l, obstacles, pushed, behind, part, was);
    return PL_OK;
}

// ---- gravity, pressure, extrapolation
// ----------------------------------------------------------------------------------------------------

typedef struct finding
{
    const pl__liquid *l;
    uint8_t *liquid;
} finding;

// Cells that have a pressure: tall ones, and liquid with an open face.
static void find_liquid(void *argument, int32_t begin, int32_t end)
{
    const finding *job = argument;
    const pl__columns *c = &job->l->next.grid.cell;
    const double *phi = job->l->next.phi;
    const uint8_t *sides = job->l->boundary.sides;
    for (size_t r = c->start[begin]; r < c->start[end]; ++r)
        for (int32_t n = c->run[r].first; n < c->run[r].first + pl__run_numbers(&c->run[r]); ++n)
            job->liquid[n] = c->run[r].kind != PL__RUN_UNIFORM ||
                             (pl__pressure_reaches(phi[n], c->h) && (sides[n] & PL__ALL_SIDES) != PL__ALL_SIDES);
}

static void add_gravity(pl__liquid *l, double dt, const double gravity[3])
{
    for (int axis = 0; axis < 3; ++axis)
        pl__numbers_add(l->ctx, dt * gravity[axis], l->next.u[axis], l->next.grid.face[axis].value_count);
}

// Before gravity: its energy is that of a flow without divergence.
static pl_status add_swirl(pl__liquid *l, double dt, const pl__obstacles *obstacles, const uint8_t *liquid)
{
    pl__liquid_state *next = &l->next;
    pl__swirl swirl = {&next->grid, &l->boundary, liquid, dt, l->def.density};
    double power = 0;
    l->info.vortex_power = 0;
    PL_TRY(pl__vortices_bear(l->ctx, &next->vortices, l->vortex, l->def.vortex_count, obstacles, l->def.cells[2] == 1,
                             l->state.time, dt, l->def.seed));
    PL_TRY(pl__vortices_push(&next->vortices, l->vortex, l->def.vortex_count, &swirl, &l->arena, next->u, &power));
    l->info.vortex_power += power;
    if (l->def.confinement > 0)
        PL_TRY(pl__confine(l->ctx, &swirl, l->def.confinement, &l->arena, next->u, &power));
    l->info.vortex_power += l->def.confinement > 0 ? power : 0;
    return PL_OK;
}

static pl_status add_tension(pl__liquid *l, double dt, const uint8_t *liquid)
{
    pl__liquid_state *next = &l->next;
    double *ahead = PL_TAKE(&l->arena, next->grid.cell.value_count + 1, double);
    double *curvature = PL_TAKE(&l->arena, next->grid.cell.value_count + 1, double);
    if (!ahead || !curvature)
        return PL_ERR_MEMORY;
    pl__levelset is = {&next->grid.cell, next->phi, pl__liquid_far(l), &l->boundary},
                 ls = {&next->grid.cell, ahead, pl__liquid_far(l), NULL};
    pl__tension_foresee(l->ctx, &is, &next->grid, next->u, dt, ahead);
    pl__tension_curvature(l->ctx, &ls, curvature);
    pl__tension tension = {.grid = &next->grid,
                           .boundary = &l->boundary,
                           .liquid = liquid,
                           .phi = next->phi,
                           .curvature = curvature,
                           .strength = l->def.tension * dt / (l->def.density * l->def.h)};
    pl__tension_push(l->ctx, &tension, next->u);
    return PL_OK;
}

// What is owed to no cell in particular is owed to all uniform cells of liquid alike.
static void spread_loose(pl__liquid_state *s)
{
    const pl__columns *c = &s->grid.cell;
    double count = 0;
    for (int pass = 0; pass < 2 && s->loose != 0; ++pass)
    {
        for (size_t r = 0; r < c->run_count; ++r)
            for (int32_t n = c->run[r].first;
                 c->run[r].kind == PL__RUN_UNIFORM && n < c->run[r].first + pl__run_rows(&c->run[r]); ++n)
            {
                bool liquid = s->phi[n] < 0 && s->open[n] > 0;
                count += pass == 0 && liquid;
                s->residual[n] += pass == 1 && liquid ? s->loose / count : 0;
            }
        if (count == 0)
            return;
    }
    s->loose = 0;
}

pl__inflow pl__liquid_inflow(pl__liquid *l, double dt)
{
    pl__liquid_state *next = &l->next;
    return (pl__inflow){.grid = &next->grid,
                        .boundary = &l->boundary,
                        .far = pl__liquid_far(l),
                        .time = l->state.time,
                        .dt = dt,
                        .open = next->open,
                        .phi = next->phi,
                        .residual = next->residual,
                        .u = next->u,
                        .particles = &next->particles,
                        .spray = &next->spray};
}

// Liquid that is neither viscous nor elastic leaves walls that pull it. `grip` [numbers of cells] or NULL.
static pl_status find_grip(pl__liquid *l, double dt, uint8_t **grip)
{
    pl__liquid_state *s = &l->next;
    pl__inflow in = pl__liquid_inflow(l, dt);
    pl__separation separation = separation_of(l, s);
    *grip = NULL;
    if (l->def.viscous)
        return PL_OK;
    *grip = PL_TAKE(&l->arena, s->grid.cell.value_count + 1, uint8_t);
    if (!*grip)
        return PL_ERR_MEMORY;
    pl__separation_find(l->ctx, &separation, *grip);
    pl__sources_draw(&l->sources, &in, *grip);
    return PL_OK;
}

// Drops join the liquid, and the surface goes where the count of volume says; what it cannot show becomes drops. With
// `hold`, what else got lost is owed to all, and the whole surface lends what is owed.
static pl_status correct_volume(pl__liquid *l, uint8_t *grip, uint8_t *near)
{
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell;
    pl__volume_correction correction = {.grid = &next->grid,
                                        .boundary = &l->boundary,
                                        .far = pl__liquid_far(l),
                                        .tolerance = l->def.tolerance,
                                        .open = next->open,
                                        .phi = next->phi,
                                        .part = next->part,
                                        .residual = next->residual,
                                        .grip = grip};
    pl__separation separation = separation_of(l, next);
    pl__spray_source from = {&next->grid, &l->boundary, next->phi, next->part, next->open, next->u};
    double due = l->start_volume + next->added;
    pl__spray_join(&next->spray, &next->grid, next->phi, next->u, next->residual,
                   pl__liquid_has_phases(l) ? next->phases.volume : NULL);
    if (l->def.hold)
        next->loose =
            (due - pl__volume_sum(c, next->part, next->open) - pl__spray_volume(&next->spray)) / (c->h * c->h * c->h) -
            pl__numbers_sum(l->ctx, next->residual, c->value_count);
    spread_loose(next);
    if (grip)
        PL_TRY(pl__separation_show(l->ctx, &separation, &l->arena, grip));
    PL_TRY(pl__volume_correct(l->ctx, &correction, &l->arena, near));
    int32_t drops = next->spray.count;
    PL_TRY(pl__spray_shed(l->ctx, &next->spray, &from, l->def.seed, (uint64_t)l->state.steps, next->residual));
    if (pl__liquid_has_phases(l))
        pl__phases_name_drops(l, drops);
    if (!l->def.hold)
        return PL_OK;
    double gaps = grip ? pl__separation_gaps(&separation, grip) : 0; // phi does not show them
    return pl__volume_lend(l->ctx, &correction, &l->arena, due + gaps - pl__spray_volume(&next->spray));
}

static pl_status exchange(pl__liquid *l, double dt, double gravity)
{
    pl__liquid_state *next = &l->next;
    pl__inflow in = pl__liquid_inflow(l, dt);
    pl__sponge sponge = {.grid = &next->grid,
                         .boundary = &l->boundary,
                         .far = pl__liquid_far(l),
                         .dt = dt,
                         .gravity = gravity,
                         .open = next->open,
                         .part = next->part,
                         .phi = next->phi,
                         .u = next->u,
                         .particles = &next->particles};
    pl__outside_draw(l->ctx, &l->def.outside, &sponge, &next->added);
    if (l->sources.count == 0)
        return PL_OK;
    double *old = pl__liquid_has_phases(l) ? PL_TAKE(&l->arena, next->grid.cell.value_count + 1, double) : NULL;
    if (pl__liquid_has_phases(l) && !old)
        return PL_ERR_MEMORY;
    if (old)
        memcpy(old, next->phi, (size_t)next->grid.cell.value_count * sizeof *old);
    PL_TRY(pl__sources_fill(&l->sources, &in, &l->arena, &next->added));
    if (old)
        PL_TRY(pl__phases_exchange(l, old, dt));
    pl__levelset ls = {&next->grid.cell, next->phi, pl__liquid_far(l), &l->boundary};
    pl__levelset_parts(l->ctx, &ls, l->boundary.sides, next->part);
    return PL_OK;
}

// Tension is a pressure at the surface: it acts with the `first` one of a step.
static pl_status make_divergence(pl__liquid *l, double dt, double gravity, const uint8_t *liquid,
                                 const double *divergence, const double *paid, uint8_t *grip, bool first)
{
    pl__liquid_state *next = &l->next;
    if (first && l->def.tension > 0)
        PL_TRY(add_tension(l, dt, liquid));
    pl__projection problem = {.grid = &next->grid,
                              .boundary = &l->boundary,
                              .liquid = liquid,
                              .phi = next->phi,
                              .dt = dt,
                              .tolerance = l->def.tolerance,
                              .divergence = divergence,
                              .paid = paid,
                              .precondition = l->def.precondition,
                              .outside = &l->def.outside,
                              .gravity = gravity,
                              .suction = 2 * l->def.tension * dt / (l->def.density * l->def.h * l->def.h),
                              .ratio = {l->ratio[0], l->ratio[1], l->ratio[2]},
                              .grip = grip,
                              .again = !first};
    return pl__pressure_project(l->pressure, &problem, next->q, next->u, &l->info.pressure);
}

// Viscosity must not meet gravity before pressure does: where walls hold it, the weight of liquid at rest would make
// currents, of 3/4 g dt in a tank of honey. `held` [cells] becomes the q that has acted so far, and the first guess of
// the rest is 0.
static pl_status resist(pl__liquid *l, double dt, double gravity, const uint8_t *liquid,
                        const pl__stretching *stretching, double **held)
{
    pl__liquid_state *next = &l->next;
    size_t bytes = (size_t)next->grid.cell.value_count * sizeof **held;
    pl__viscosity_problem problem = {.strain = pl__liquid_strain_def(l, next),
                                     .dt = dt,
                                     .viscosity = l->def.viscosity,
                                     .density = l->def.density,
                                     .bulk = 1, // viscosity.h
                                     .tolerance = l->def.tolerance,
                                     .separate = l->def.separate,
                                     .stress = next->stress};
    if (stretching)
    {
        problem.sample = &stretching->strain;
        problem.impulse = stretching->impulse;
        problem.stiffness = stretching->theta * stretching->theta * l->def.elastic.elasticity;
    }
    pl__strain strain;
    if (pl__liquid_varies(l))
        PL_TRY(pl__phases_resist(l, dt, stretching, &strain, &problem));
    *held = PL_TAKE(&l->arena, next->grid.cell.value_count + 1, double);
    if (!*held)
        return PL_ERR_MEMORY;
    PL_TRY(make_divergence(l, dt, gravity, liquid, NULL, NULL, NULL, true));
    memcpy(*held, next->q, bytes);
    memset(next->q, 0, bytes);
    // faces of air that liquid reaches into have not met the pressure
    PL_TRY(pl__extrapolate_velocity(l->ctx, &l->arena, &next->grid, &l->boundary, liquid, 3, next->u));
    PL_TRY(pl__viscosity_solve(l->viscosity, &problem, next->u, &l->info.viscosity));
    if (stretching)
        pl__elastic_solved(l, stretching);
    return PL_OK;
}

// A speed that is usual in the liquid: that of a fall of a cell, and the mean one.
static double payment_speed(const pl__liquid *l, double gravity)
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        int32_t count = l->next.grid.face[axis].value_count;
        sum += pl__numbers_squares(l->ctx, l->next.u[axis], count) / (count + 1);
    }
    return sqrt(fabs(gravity) * l->def.h) + sqrt(sum);
}

typedef struct narrowing
{
    const pl__liquid *l;
    double speed, *divergence;
} narrowing;

// Whether objects are at a cell of a column.
static bool is_touched(const pl__columns *c, const uint8_t *sides, int32_t column)
{
    unsigned all = 0;
    for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        for (int32_t n = c->run[r].first; n < c->run[r].first + pl__run_numbers(&c->run[r]); ++n)
            all |= sides[n];
    return all & PL__TOUCHED;
}

static void narrow_columns(void *argument, int32_t begin, int32_t end)
{
    const narrowing *job = argument;
    const pl__boundary *b = &job->l->boundary;
    const pl__grid *grid = &job->l->next.grid;
    pl__cell_stretch s;
    for (int32_t column = begin; column < end; ++column)
    {
        if (!is_touched(&grid->cell, b->sides, column))
            continue;
        for (pl__cell_walk w = pl__cell_walk_begin(grid, column); pl__cell_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
            {
                double open = 0, *here = &job->divergence[s.own + j];
                if (*here == 0 || !(b->sides[s.own + j] & PL__TOUCHED))
                    continue;
                for (int side = 0; side < 6; ++side)
                    open += b->open[side / 2][s.face[side] + j];
                double most = open * job->speed / grid->cell.h;
                *here = fmax(-most, fmin(most, *here));
            }
    }
}

// What solids have nearly closed pays through what is left open, no faster than at `speed` there.
static void narrow_payment(const pl__liquid *l, double speed, double *divergence)
{
    narrowing job = {l, speed, divergence};
    pl__parallel_for(l->ctx, l->next.grid.cell.nx * l->next.grid.cell.nz, COLUMNS_PER_TASK, narrow_columns, &job);
}

// What is owed is paid back as divergence (volume.h).
static pl_status project(pl__liquid *l, double dt, double gravity, const uint8_t *liquid, const uint8_t *near,
                         uint8_t *grip, bool first)
{
    pl__liquid_state *next = &l->next;
    double *divergence = PL_TAKE(&l->arena, next->grid.cell.value_count + 1, double),
           *paid = PL_TAKE(&l->arena, next->grid.cell.value_count + 1, double);
    if (!divergence || !paid)
        return PL_ERR_MEMORY;
    end_part(l, PL__PART_FORCES);
    double speed = payment_speed(l, gravity);
    pl__volume_payment(l->ctx, &next->grid.cell, liquid, near, next->residual, speed, dt, divergence);
    narrow_payment(l, speed, divergence);
    memcpy(paid, divergence, (size_t)next->grid.cell.value_count * sizeof *paid);
    pl__inflow in = pl__liquid_inflow(l, dt);
    next->pressed = pl__sources_press(&l->sources, &in, liquid, divergence);
    next->added += next->pressed;
    if (pl__liquid_has_phases(l))
        pl__phases_press(l);
    pl__separation separation = separation_of(l, next);
    if (grip)
        pl__separation_allow(&separation, liquid, dt, l->def.tension > 0, grip, divergence);
    PL_TRY(make_divergence(l, dt, gravity, liquid, divergence, paid, grip, first));
    if (!grip)
        return PL_OK;
    pl__separation_release(&separation, grip, liquid, next->u);
    pl__separation_settle(&separation, grip);
    return PL_OK;
}

static pl_status bear_foam(pl__liquid *l, double dt)
{
    pl__liquid_state *next = &l->next;
    pl__foam_def foam = pl__liquid_foam(l);
    pl__levelset ls = {&next->grid.cell, next->phi, pl__liquid_far(l), &l->boundary};
    if (foam.amount <= 0)
        return PL_OK;
    return pl__foam_bear(l->ctx, &next->foam, &foam, &next->grid, &ls, l->boundary.distance, next->u, dt,
                         (uint64_t)l->state.steps);
}

static pl_status step(pl__liquid *l, double dt, const double gravity[3], const pl__obstacles *obstacles)
{
    pl__liquid_state *now = &l->state, *next = &l->next;
    if (!pl__liquid_state_reserve(l->ctx, next, &now->grid))
        return PL_ERR_MEMORY;
    PL_TRY(move_surface(l, dt, gravity, obstacles)); // 1
    end_part(l, PL__PART_BALANCE);
    PL_TRY(move_velocity(l, dt)); // 2
    end_part(l, PL__PART_VELOCITY);
    pl__elastic moved;
    if (l->def.viscous)
        PL_TRY(carry_stress(l, dt));
    if (l->def.warm)
        PL_TRY(pl__warmth_carry(l, dt));
    if (l->def.remembers)
        PL_TRY(pl__elastic_carry(l, dt, &moved));
    PL_TRY(pl__liquid_regrid(l, &now->grid.cell, next->phi, obstacles, &next->grid)); // 3
    PL_TRY(transfer(l, dt));
    if (l->def.remembers)
        PL_TRY(pl__elastic_arrive(l, &moved));
    if (pl__liquid_has_phases(l))
        PL_TRY(pl__phases_arrive(l));
    PL_TRY(pl__phases_ratio(l, l->ratio));
    if (now->q_dt == 0 && l->ratio[0])
        pl__phases_guess(l, (const double *const *)l->ratio, dt, gravity[1]);
    end_part(l, PL__PART_GRID);
    PL_TRY(meet_solids(l, obstacles)); // 4
    if (now->q_dt == 0 && !l->ratio[0])
        PL_TRY(guess_hydrostatic(l, dt, gravity[1]));
    end_part(l, PL__PART_BOUNDARY);
    uint8_t *liquid = PL_TAKE(&l->arena, next->grid.cell.value_count + 1, uint8_t),
            *near = PL_TAKE(&l->arena, next->grid.cell.value_count + 1, uint8_t);
    if (!liquid || !near)
        return PL_ERR_MEMORY;
    PL_TRY(exchange(l, dt, gravity[1])); // 5
    if (l->def.warm)
        pl__warmth_bring(l, dt);
    uint8_t *grip;
    PL_TRY(find_grip(l, dt, &grip));
    PL_TRY(correct_volume(l, grip, near)); // 6
    if (pl__liquid_has_phases(l))
    {
        PL_TRY(pl__phases_correct(l));
        PL_TRY(pl__phases_ratio(l, l->ratio));
    }
    bool elastic = l->def.remembers && l->def.elastic.elasticity > 0;
    pl__stretching stretching;
    if (elastic)
        PL_TRY(pl__elastic_begin(l, dt, &stretching));
    finding job = {l, liquid};
    pl__parallel_for(l->ctx, next->grid.cell.nx * next->grid.cell.nz, COLUMNS_PER_TASK, find_liquid, &job);
    PL_TRY(add_swirl(l, dt, obstacles, liquid)); // 7
    add_gravity(l, dt, gravity);
    end_part(l, PL__PART_FORCES);
    double *held = NULL;
    if (l->def.viscosity > 0 || elastic)
        PL_TRY(resist(l, dt, gravity[1], liquid, elastic ? &stretching : NULL, &held)); // 8
    end_part(l, PL__PART_VISCOSITY);
    PL_TRY(project(l, dt, gravity[1], liquid, near, grip, held == NULL)); // 9
    end_part(l, PL__PART_PRESSURE);
    for (int32_t n = 0; held && n < next->grid.cell.value_count; ++n)
        next->q[n] += held[n];
    PL_TRY(pl__extrapolate_velocity(l->ctx, &l->arena, &next->grid, &l->boundary, liquid,
                                    reach_of(l) + PL__LIQUID_MARGIN + 2,
                                    next->u)); // 10
    end_part(l, PL__PART_EXTRAPOLATE);
    if (elastic)
        PL_TRY(pl__elastic_end(l, dt, &stretching)); // 11
    end_part(l, PL__PART_VISCOSITY);
    if (l->def.warm)
        PL_TRY(pl__warmth_advance(l, dt)); // 12
    PL_TRY(bear_foam(l, dt));
    next->q_dt = dt;
    next->steps = now->steps + 1;
    next->time = now->time + dt;
    return PL_OK;
}

pl_status pl__liquid_step(pl__liquid *l, double dt, const double gravity[3], const pl__obstacles *obstacles)
{
    pl__arena_mark mark = pl__arena_set_mark(&l->arena);
    pl_status status = step(l, dt, gravity, obstacles);
    pl__arena_release(&l->arena, mark);
    l->boundary_stale = l->boundary_stale || status != PL_OK; // it may be that of the next grid
    if (status != PL_OK)
        return status;
    pl__liquid_state t = l->state;
    l->state = l->next;
    l->next = t;
    l->info.dt = dt;
    return PL_OK;
}

// ---- between steps -------------------------------------------------------------------------------------------------

pl_status pl__liquid_take_grid(pl__liquid *l, const pl__obstacles *obstacles)
{
    PL_TRY(transfer(l, l->state.q_dt));
    if (l->def.remembers)
        PL_TRY(pl__elastic_arrive(l, &l->state.elastic));
    if (pl__liquid_has_phases(l))
        PL_TRY(pl__phases_arrive(l));
    return meet_solids(l, obstacles);
}

void pl__liquid_find(const pl__liquid *l, uint8_t *where)
{
    finding job = {l, where};
    find_liquid(&job, 0, l->next.grid.cell.nx * l->next.grid.cell.nz);
}
