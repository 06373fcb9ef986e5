// src/fluid/liquid.c -- making and measuring a liquid.
#include "liquid.h"
#include "elastic_step.h"
#include "extend.h"
#include "levelset.h"
#include "numbers.h"
#include "phases_step.h"
#include "shore.h"
#include "stretch.h"
#include "tension.h"
#include "volume.h"

#include <math.h>
#include <string.h>

void pl__liquid_state_done(pl_context *ctx, pl__liquid_state *s)
{
    pl__grid_done(ctx, &s->grid);
    PL_DELETE(ctx, s->phi, s->phi_capacity);
    PL_DELETE(ctx, s->q, s->q_capacity);
    PL_DELETE(ctx, s->residual, s->residual_capacity);
    PL_DELETE(ctx, s->part, s->part_capacity);
    PL_DELETE(ctx, s->open, s->open_capacity);
    PL_DELETE(ctx, s->stress, s->stress_capacity);
    PL_DELETE(ctx, s->warmth, s->warmth_capacity);
    pl__particles_done(ctx, &s->particles);
    pl__spray_done(ctx, &s->spray);
    pl__elastic_done(ctx, &s->elastic);
    pl__vortices_done(ctx, &s->vortices);
    pl__foam_done(ctx, &s->foam);
    pl__phases_done(ctx, &s->phases);
    for (int axis = 0; axis < 3; ++axis)
        PL_DELETE(ctx, s->u[axis], s->u_capacity[axis]);
}

void pl__liquid_destroy(pl__liquid **liquid)
{
    pl__liquid *l = *liquid;
    *liquid = NULL;
    if (!l)
        return;
    pl__liquid_state_done(l->ctx, &l->state);
    pl__liquid_state_done(l->ctx, &l->next);
    pl__liquid_state_done(l->ctx, &l->room);
    pl__strays_done(l->ctx, &l->strays);
    pl__boundary_done(l->ctx, &l->boundary);
    pl__regrid_work_done(l->ctx, &l->regrid);
    pl__row_set_done(l->ctx, &l->rock);
    pl__row_set_done(l->ctx, &l->buried);
    pl__row_set_done(l->ctx, &l->detail);
    pl__row_set_done(l->ctx, &l->placed);
    pl__row_set_done(l->ctx, &l->moving);
    pl__sources_done(l->ctx, &l->sources);
    PL_DELETE(l->ctx, l->vortex, (size_t)l->def.vortex_count + 1);
    pl__pressure_destroy(&l->pressure);
    pl__viscosity_destroy(&l->viscosity);
    pl__arena_done(&l->arena);
    pl__free(l->ctx, l, sizeof *l);
}

// ---- start -----------------------------------------------------------------------------------------------------

typedef struct start
{
    pl__liquid_shape *shape;
    void *user;
} start;

// phi on all uniform cells of a grid.
static void measure(const start *s, const pl__columns *c, double far, double *phi)
{
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t n = 0; n < pl__run_numbers(run); ++n)
            {
                double x[3], v[3];
                pl__grid_point(c, column % c->nx, run->j0 + n, column / c->nx, x);
                phi[run->first + n] = run->kind == PL__RUN_UNIFORM ? s->shape(s->user, x, v) : -far;
            }
        }
}

// Where the shape begins or ends between the centers of two cells, in parts of the way from x, by the Illinois variant
// of false position; `in` and `out` are its distances at both.
static double crossing(const start *s, const double x[3], int side, double h, double in, double out)
{
    double a = 0, b = 1, fa = in, fb = out, t = 0;
    for (int n = 0, last = 0; n < 60; ++n)
    {
        double y[3] = {x[0], x[1], x[2]}, v[3];
        t = fa == fb ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
        y[side / 2] += (side % 2 ? t : -t) * h;
        double f = s->shape(s->user, y, v);
        if (fabs(f) < 1e-15 * h || b - a < 1e-15)
            break;
        bool first = (f < 0) == (fa < 0);
        if (first)
            a = t, fa = f, fb *= last == 1 ? 0.5 : 1;
        else
            b = t, fb = f, fa *= last == 2 ? 0.5 : 1;
        last = first ? 1 : 2;
    }
    return t;
}

typedef struct meeting
{
    const start *s;
    const pl__columns *cell;
    const pl__boundary *boundary;
    const pl__obstacles *obstacles;
    const double *shape; // [numbers of cells] its distance
} meeting;

// Where the shape has a surface between cell n, at x, and cell m beside it, in parts of the way; 2: nowhere. One that
// is in solids is none: what is poured into a vessel may be as wide as that is outside. But a level goes on in them.
static double surface_between(const meeting *job, const double x[3], int side, int32_t n, int32_t m)
{
    const pl__boundary *b = job->boundary;
    bool within = job->shape[n] < 0;
    if ((job->shape[m] < 0) == within || b->distance[n] < 0)
        return 2;
    double h = job->cell->h, t = crossing(job->s, x, side, h, job->shape[n], job->shape[m]);
    if (b->distance[m] >= 0 || side == (within ? 3 : 2))
        return t;
    double y[3] = {x[0], x[1], x[2]};
    pl__near_obstacles near;
    y[side / 2] += (side % 2 ? t : -t) * h;
    pl__obstacles_find(job->obstacles, y, y, h, false, &near);
    return pl__obstacles_look(&near, y, 0).distance < 1e-3 * h ? 2 : t;
}

// phi at the start. Cells at the surface get the distance of the plane through where it crosses the ways to those that
// they see, others their side only; samples in solids come from those later (extend.h).
static void meet_shape(const meeting *job, const pl__grid *grid, double far, double *phi)
{
    const double *shape = job->shape;
    const pl__boundary *b = job->boundary;
    const pl__columns *c = &grid->cell;
    pl__cell_stretch w;
    for (int32_t n = 0; n < c->value_count; ++n)
        phi[n] = shape[n] < 0 ? -far : far;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (pl__cell_walk walk = pl__cell_walk_begin(grid, column); pl__cell_walk_next(&walk, &w);)
            for (int32_t j = w.j0; j <= w.j1; ++j)
            {
                int32_t n = w.own + j;
                double x[3], sum = 0;
                pl__grid_point(c, column % c->nx, j, column / c->nx, x);
                for (int axis = 0; axis < 3; ++axis)
                {
                    double least = 2;
                    for (int side = 2 * axis; side < 2 * axis + 2; ++side)
                    {
                        int32_t m = w.kind[side] == PL__BESIDE_UNIFORM ? w.cell[side] + j : -1;
                        if (m >= 0 && b->open[axis][w.face[side] + j] > 0)
                            least = fmin(least, surface_between(job, x, side, n, m));
                    }
                    sum += least < 2 ? 1 / (least * least + 1e-300) : 0;
                }
                if (sum > 0)
                    phi[n] = (shape[n] < 0 ? -c->h : c->h) / sqrt(sum);
            }
    for (int32_t n = 0; n < c->value_count; ++n)
        phi[n] = b->distance[n] < 0 ? NAN : phi[n]; // not to be seen
}

static void measure_warmth(const pl__liquid *l, void *user, pl__liquid_state *state)
{
    const pl__columns *c = &state->grid.cell;
    memset(state->warmth, 0, (size_t)c->value_count * sizeof(double));
    for (int32_t column = 0; l->def.warm && column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                double x[3];
                pl__grid_point(c, column % c->nx, c->run[r].j0 + n, column / c->nx, x);
                state->warmth[c->run[r].first + n] = l->def.start_warmth(user, x);
            }
}

static void set_velocity(const start *s, pl__liquid_state *state)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &state->grid.face[axis];
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
            for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
            {
                const pl__run *run = &f->run[r];
                for (int32_t n = 0; n < pl__run_numbers(run); ++n)
                {
                    double x[3], v[3];
                    int32_t j = run->kind == PL__RUN_UNIFORM ? run->j0 + n : n ? run->j1 : run->j0;
                    pl__grid_point(f, column % f->nx, j, column / f->nx, x);
                    (void)s->shape(s->user, x, v);
                    state->u[axis][run->first + n] = v[axis];
                }
            }
    }
}

// Rows of a tall cell that objects leave open, by distances, and as a mean.
static double open_of_rows(pl__near_obstacles *near, const pl__columns *c, int32_t i, int32_t k, const pl__run *run)
{
    double sum = 0;
    for (int32_t j = run->j0; j <= run->j1; ++j)
    {
        double x[3];
        pl__grid_point(c, i, j, k, x);
        pl__look look = pl__obstacles_look(near, x, 0);
        sum += pl__open_part(look.distance, c->h);
        // the next ones are as open
        for (double way = look.radius / c->h - 1.5; way > 0 && look.distance > 0 && j < run->j1; --way, ++j)
            ++sum;
    }
    return sum / pl__run_rows(run);
}

static void open_tall(const pl__columns *c, const pl__obstacles *obstacles, double *open)
{
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            if (run->kind == PL__RUN_UNIFORM)
                continue;
            int32_t i = column % c->nx, k = column / c->nx;
            double low[3], high[3];
            pl__near_obstacles near;
            pl__grid_point(c, i, run->j0, k, low);
            pl__grid_point(c, i, run->j1, k, high);
            pl__obstacles_find(obstacles, low, high, c->h, false, &near);
            open[run->first] = open[run->first + 1] = near.count > 0 ? open_of_rows(&near, c, i, k, run) : 1;
        }
}

// Sources, and the cells that are to be uniform because of them and of open sides.
static pl_status make_sources(pl__liquid *l, const pl__columns *cell)
{
    pl__row_set *edge = &l->regrid.scratch[0];
    PL_TRY(
        pl__sources_make(l->ctx, &l->sources, l->def.source, l->def.source_count, cell, (int32_t)ceil(l->def.cfl) + 3));
    l->def.source = NULL;
    pl__outside outside = l->def.outside;
    outside.held = outside.held && l->def.depth > 0; // else all cells are uniform
    PL_TRY(pl__outside_detail(l->ctx, &outside, cell, edge));
    return l->sources.count > 0 ? pl__row_set_unite(l->ctx, edge, &l->sources.detail, &l->detail)
                                : pl__row_set_unite(l->ctx, edge, edge, &l->detail);
}

// The grid of the start: a full one first, from which the first grid is made.
static pl_status make_grid(pl__liquid *l, const start *s, const pl__obstacles *obstacles)
{
    pl__grid full = {0};
    PL_TRY(pl__grid_make_full(l->ctx, &full, l->def.cells, l->def.lower, l->def.h));
    size_t count = (size_t)full.cell.value_count;
    double *phi = (double *)pl__alloc(l->ctx, count * sizeof(double));
    pl_status status = phi ? make_sources(l, &full.cell) : PL_ERR_MEMORY;
    if (status == PL_OK)
    {
        measure(s, &full.cell, 1, phi);
        status = pl__liquid_regrid(l, &full.cell, phi, obstacles, &l->state.grid);
    }
    pl__free(l->ctx, phi, count * sizeof(double));
    pl__grid_done(l->ctx, &full);
    return status;
}

// phi in solids; then all of it as a step makes it, but for what is `given` (less than far), until that changes
// nothing: narrow places need some rounds, and what is at rest is to stay so from the first step on.
static pl_status settle(pl__liquid *l, const pl__obstacles *obstacles, const pl__levelset *ls, const double *given,
                        double *before)
{
    enum
    {
        ROUNDS = 40
    };
    const pl__columns *c = ls->cell;
    const pl__boundary *b = &l->boundary;
    int32_t *pushed = PL_TAKE(&l->arena, c->value_count + 1, int32_t),
            *behind = PL_TAKE(&l->arena, c->value_count + 1, int32_t);
    if (!pushed || !behind)
        return PL_ERR_MEMORY;
    for (int round = 0; round < ROUNDS; ++round)
    {
        double change = 0;
        if (round > 0)
            PL_TRY(pl__levelset_redistance(l->ctx, ls, &l->arena));
        for (int32_t n = 0; n < c->value_count && round > 0; ++n)
            ls->phi[n] = fabs(given[n]) < ls->far ? given[n] : ls->phi[n];
        PL_TRY(pl__extend_into_solids(&l->arena, &l->state.grid, b, obstacles, b->distance, NULL, PL__LIQUID_MARGIN + 1,
                                      ls->phi, pushed, behind));
        for (int32_t n = 0; n < c->value_count; ++n)
        {
            bool counts = round > 0 && fabs(ls->phi[n]) < 2 * c->h && b->distance[n] > -c->h;
            change = counts ? fmax(change, fabs(ls->phi[n] - before[n])) : change;
            before[n] = ls->phi[n];
        }
        if (round > 0 && change < 1e-13 * c->h)
            break;
    }
    return PL_OK;
}

static pl_status make_start(pl__liquid *l, const start *s, const pl__obstacles *obstacles)
{
    pl__liquid_state *state = &l->state;
    PL_TRY(make_grid(l, s, obstacles));
    if (!pl__liquid_state_reserve(l->ctx, state, &state->grid))
        return PL_ERR_MEMORY;
    set_velocity(s, state);
    memset(state->q, 0, (size_t)state->grid.cell.value_count * sizeof(double));
    memset(state->stress, 0, (size_t)state->grid.cell.value_count * sizeof(double));
    measure_warmth(l, s->user, state);
    memset(state->residual, 0, (size_t)state->grid.cell.value_count * sizeof(double));
    double *shape = PL_TAKE(&l->arena, state->grid.cell.value_count + 1, double);
    double *given = PL_TAKE(&l->arena, state->grid.cell.value_count + 1, double);
    if (!shape || !given)
        return PL_ERR_MEMORY;
    PL_TRY(pl__boundary_update(l->ctx, &l->boundary, &state->grid, obstacles, l->def.closed));
    pl__levelset ls = {&state->grid.cell, state->phi, pl__liquid_far(l), &l->boundary};
    measure(s, &state->grid.cell, 1, shape);
    meeting job = {s, &state->grid.cell, &l->boundary, obstacles, shape};
    meet_shape(&job, &state->grid, ls.far, state->phi);
    memcpy(given, state->phi, (size_t)state->grid.cell.value_count * sizeof *given);
    PL_TRY(pl__levelset_spread(l->ctx, &ls, &l->arena));
    for (int32_t n = 0; n < state->grid.cell.value_count; ++n)
        if (l->boundary.distance[n] < 0)
            state->phi[n] = shape[n] < 0 ? -ls.far : ls.far;
    PL_TRY(settle(l, obstacles, &ls, given, shape));
    pl__shore_fill(&state->grid, &l->boundary, state->phi);
    pl__volume_open(&state->grid.cell, &l->boundary, obstacles, state->open);
    open_tall(&state->grid.cell, obstacles, state->open);
    pl__levelset_parts(l->ctx, &ls, l->boundary.sides, state->part);
    pl__particles_def particles = pl__liquid_particles(l);
    PL_TRY(pl__particles_seed(l->ctx, &state->particles, &ls, &particles, 0, &l->arena));
    pl__shore_clear(&state->grid.cell, l->boundary.distance, obstacles, &state->particles);
    if (pl__liquid_has_phases(l))
        PL_TRY(pl__phases_start(l, s->user, obstacles));
    return l->def.remembers ? pl__elastic_start(l) : PL_OK;
}

static pl_status copy_vortex_sources(pl__liquid *l, const pl__liquid_def *def)
{
    l->vortex = PL_NEW(l->ctx, (size_t)def->vortex_count + 1, pl__vortex_source);
    if (!l->vortex)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < def->vortex_count; ++n)
        l->vortex[n] = def->vortex[n];
    l->def.vortex = l->vortex;
    return PL_OK;
}

pl__foam_def pl__liquid_foam(const pl__liquid *l)
{
    return (pl__foam_def){l->def.foam, l->def.foam_life > 0 ? l->def.foam_life : 4, l->def.seed};
}

pl_status pl__liquid_create(pl_context *ctx, const pl__liquid_def *def, pl__liquid_shape *shape, void *user,
                            const pl__obstacles *obstacles, pl__liquid **liquid)
{
    pl__liquid *l = PL_NEW(ctx, 1, pl__liquid);
    *liquid = NULL;
    if (!l)
        return PL_ERR_MEMORY;
    l->ctx = ctx;
    l->def = *def;
    l->def.viscous = def->viscous || def->viscosity > 0 || def->remembers;
    memcpy(l->start_cells, def->cells, sizeof def->cells);
    memcpy(l->def.outside.closed, def->closed, sizeof def->closed);
    pl__arena_init(&l->arena, ctx);
    start s = {shape, user};
    pl_status status = copy_vortex_sources(l, def);
    if (status == PL_OK)
        status = pl__pressure_create(ctx, &l->pressure);
    if (status == PL_OK && l->def.viscous)
        status = pl__viscosity_create(ctx, &l->viscosity);
    pl__arena_mark mark = pl__arena_set_mark(&l->arena);
    if (status == PL_OK)
        status = make_start(l, &s, obstacles);
    pl__arena_release(&l->arena, mark);
    pl__liquid_sums sums = {0};
    if (status == PL_OK)
        status = pl__liquid_sum(l, &sums);
    l->start_volume = sums.volume;
    if (status != PL_OK)
        pl__liquid_destroy(&l);
    *liquid = l;
    return status;
}

// ---- measures --------------------------------------------------------------------------------------------------

double pl__liquid_speed(const pl__liquid *l)
{
    double speed = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        double most = pl__numbers_largest(l->ctx, l->state.u[axis], l->state.grid.face[axis].value_count);
        speed += most * most;
    }
    return fmax(sqrt(speed), pl__sources_speed(&l->sources, l->def.h));
}

// The rule of cfl, and stability of the shortest waves on the surface. The surface moves with the old velocity, and its
// weight and tension change the new one: for a wave of frequency w that is symplectic Euler, stable for w dt < 2. The
// shortest wave of the grid is 2 h long, so that w^2 = g pi / h + sigma pi^3 / (rho h^3); steps are 0.44 of that limit,
// 0.5 sqrt(h / g) without tension and 0.16 sqrt(rho h^3 / sigma) without gravity.
double pl__liquid_longest_step(const pl__liquid *l, const double gravity[3])
{
    double speed = pl__liquid_speed(l), g = 0;
    for (int axis = 0; axis < 3; ++axis)
        g += gravity[axis] * gravity[axis];
    // what falls from rest crosses cfl cells in this time
    double fall = sqrt(2 * l->def.cfl * l->def.h / (sqrt(g) + 1e-300));
    double frequency2 = pl__tension_frequency2(l->def.h, sqrt(g), l->def.tension, l->def.density);
    double wave = 0.5 * sqrt(M_PI / (frequency2 + 1e-300));
    return fmin(fmin(l->def.cfl * l->def.h / (speed + 1e-300), fall), wave);
}

pl_status pl__liquid_refresh(pl__liquid *l, const pl__obstacles *obstacles)
{
    if (l->boundary_stale)
        PL_TRY(pl__boundary_update(l->ctx, &l->boundary, &l->state.grid, obstacles, l->def.closed));
    l->boundary_stale = false;
    return PL_OK;
}

// Mean velocity, and height, of the rows of a run in a column; `share` of a uniform row is liquid, of a density.
static void add_rows(const pl__liquid *l, int32_t i, int32_t k, double j0, double j1, double share, double density,
                     pl__liquid_sums *sums)
{
    const pl__liquid_state *s = &l->state;
    double h = l->def.h, middle = 0.5 * (j0 + j1), mass = share * (j1 - j0 + 1) * density * h * h * h, v[3];
    const double *origin = s->grid.cell.origin;
    double x[3] = {origin[0] + i * h, origin[1] + middle * h, origin[2] + k * h};
    if (!pl__grid_velocity(&s->grid, s->u, x, v))
        return;
    for (int axis = 0; axis < 3; ++axis)
    {
        sums->kinetic += 0.5 * mass * v[axis] * v[axis];
        sums->momentum[axis] += mass * v[axis];
        sums->center[axis] += mass * x[axis];
    }
    sums->mass += mass;
}

static void add_spray(const pl__liquid *l, int32_t which, pl__liquid_sums *sums)
{
    for (int32_t n = 0; n < l->state.spray.count; ++n)
    {
        const pl__drop *d = &l->state.spray.drop[n];
        if (which >= 0 && d->liquid != which)
            continue;
        double mass = (pl__liquid_has_phases(l) ? l->def.law[d->liquid].density : l->def.density) * d->volume;
        sums->spray += d->volume;
        sums->mass += mass;
        for (int axis = 0; axis < 3; ++axis)
        {
            sums->kinetic += 0.5 * mass * d->v[axis] * d->v[axis];
            sums->momentum[axis] += mass * d->v[axis];
            sums->center[axis] += mass * d->x[axis];
        }
    }
}

// Kinetic energy, momentum and center by cells: a tall one moves as its middle does. The sums are then scaled to the
// volume.
pl_status pl__liquid_sum(pl__liquid *l, pl__liquid_sums *sums) { return pl__liquid_sum_of(l, -1, sums); }

pl_status pl__liquid_sum_of(pl__liquid *l, int32_t which, pl__liquid_sums *sums)
{
    const pl__columns *c = &l->state.grid.cell;
    *sums = (pl__liquid_sums){0};
    sums->volume = which < 0 ? pl__volume_sum(c, l->state.part, l->state.open) : 0;
    double due = pl__liquid_has_phases(l) ? 0 : l->def.density * sums->volume;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            int32_t i = column % c->nx, k = column / c->nx;
            if (run->kind != PL__RUN_UNIFORM)
                add_rows(l, i, k, run->j0, run->j1, 1, l->def.density, sums);
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0;
                double share = l->state.part[n] * l->state.open[n];
                double density = share > 0 ? pl__liquid_density_in(l, &l->state, which, n) : 0;
                if (share > 0)
                    add_rows(l, i, k, j, j, share, density, sums);
                if (which >= 0)
                    sums->volume += share * density / l->def.law[which].density * c->h * c->h * c->h;
                if (pl__liquid_has_phases(l))
                    due += share * density * c->h * c->h * c->h;
            }
        }
    double scale = sums->mass > 0 ? due / sums->mass : 0;
    sums->mass *= scale;
    sums->kinetic *= scale;
    for (int axis = 0; axis < 3; ++axis)
    {
        sums->center[axis] *= scale;
        sums->momentum[axis] *= scale;
        sums->speed =
            fmax(sums->speed, pl__numbers_largest(l->ctx, l->state.u[axis], l->state.grid.face[axis].value_count));
    }
    add_spray(l, which, sums);
    return PL_OK;
}
