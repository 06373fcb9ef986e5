// src/fluid/elastic_step.c
#include "elastic_step.h"
#include "phases_step.h"

#include <math.h>
#include <string.h>

pl__strain_def pl__liquid_strain_def(const pl__liquid *l, const pl__liquid_state *state)
{
    pl__strain_def def = {.grid = &state->grid,
                          .boundary = &l->boundary,
                          .phi = state->phi,
                          .far = pl__liquid_far(l),
                          .slip = l->def.slip,
                          .edges = l->def.remembers ? &state->elastic.edges : NULL};
    memcpy(def.closed, l->def.closed, sizeof def.closed);
    memcpy(def.wall, l->def.wall, sizeof def.wall);
    return def;
}

// Cells beyond the liquid that the next step may ask for.
static int32_t layers_of(const pl__liquid *l) { return (int32_t)ceil(l->def.cfl) + PL__LIQUID_MARGIN; }

static size_t bytes_of(const pl__columns *lattice) { return (size_t)lattice->value_count * sizeof(double); }

static void forget(const pl__columns *cell, pl__elastic *e)
{
    for (int c = 0; c < PL__TENSOR; ++c)
        memset(e->strain[c], 0, bytes_of(pl__elastic_lattice(cell, &e->edges, c)));
    for (int m = 0; m < 3; ++m)
        memset(e->spin[m], 0, bytes_of(&e->edges.edge[m]));
    memset(e->plastic, 0, bytes_of(cell));
}

static pl_status make_edges(pl__liquid *l, pl__liquid_state *s)
{
    PL_TRY(pl__edges_make(l->ctx, &s->grid.cell, &s->elastic.edges));
    return pl__elastic_reserve(l->ctx, &s->grid.cell, &s->elastic);
}

// Rows and rates for a state.
static pl_status make_rows(pl__liquid *l, const pl__liquid_state *state, pl__stretching *s)
{
    pl__strain_def def = pl__liquid_strain_def(l, state);
    PL_TRY(pl__strain_make(l->ctx, &l->arena, &def, &s->strain));
    s->x = PL_TAKE(&l->arena, s->strain.count + 1, double);
    s->start = PL_TAKE(&l->arena, s->strain.sample_count + 1, double);
    s->end = PL_TAKE(&l->arena, s->strain.sample_count + 1, double);
    s->impulse = PL_TAKE(&l->arena, s->strain.unknown_count + 1, double);
    if (!s->x || !s->start || !s->end || !s->impulse)
        return PL_ERR_MEMORY;
    s->viscosity = s->elasticity = NULL;
    if (pl__liquid_varies(l))
        PL_TRY(pl__phases_mix(l, state, &s->strain, &s->viscosity, &s->elasticity));
    pl__elastic_rates(l->ctx, &s->strain, (const double *const[3]){state->u[0], state->u[1], state->u[2]}, s->x,
                      s->start);
    return PL_OK;
}

static pl_status stretch(pl__liquid *l, double dt, const pl__stretching *s, pl__liquid_state *state)
{
    pl__elastic_stretch by = {.cell = &state->grid.cell,
                              .strain = &s->strain,
                              .start = s->start,
                              .end = s->end,
                              .x = s->x,
                              .dt = dt,
                              .theta = s->theta,
                              .layers = layers_of(l),
                              .linear = l->def.elastic.linear,
                              .elasticity = s->elasticity};
    return pl__elastic_stretch_by(l->ctx, &l->arena, &by, &state->elastic);
}

pl_status pl__elastic_spin(pl__liquid *l, pl__liquid_state *state)
{
    pl__stretching s = {.theta = 0};
    PL_TRY(make_rows(l, state, &s));
    memcpy(s.end, s.start, (size_t)s.strain.sample_count * sizeof *s.end);
    return stretch(l, 0, &s, state);
}

pl_status pl__elastic_start(pl__liquid *l)
{
    PL_TRY(make_edges(l, &l->state));
    forget(&l->state.grid.cell, &l->state.elastic);
    return pl__elastic_spin(l, &l->state);
}

// Flow and rotation by half a step; in the other order at the end of a step.
static pl_status flow_and_turn(pl__liquid *l, const pl__liquid_state *state, double dt, bool flow_first, pl__elastic *e)
{
    const pl__columns *cell = &state->grid.cell;
    pl__elastic_law local, *law = &local;
    PL_TRY(pl__phases_law(l, state, law));
    if (flow_first)
        PL_TRY(pl__elastic_flow(l->ctx, &l->arena, law, cell, 0.5 * dt, e));
    if (!law->linear)
        PL_TRY(pl__elastic_turn(l->ctx, &l->arena, cell, 0.5 * dt, e));
    return flow_first ? PL_OK : pl__elastic_flow(l->ctx, &l->arena, law, cell, 0.5 * dt, e);
}

// Numbers of an elastic state from the arena.
static bool take_numbers(pl__liquid *l, const pl__columns *cell, pl__elastic *e)
{
    bool all = (e->plastic = PL_TAKE(&l->arena, cell->value_count + 1, double)) != NULL;
    for (int c = 0; c < PL__TENSOR; ++c)
    {
        int32_t count = pl__elastic_lattice(cell, &e->edges, c)->value_count;
        all = (e->strain[c] = PL_TAKE(&l->arena, count + 1, double)) != NULL && all;
    }
    return all;
}

pl_status pl__elastic_carry(pl__liquid *l, double dt, pl__elastic *moved)
{
    const pl__liquid_state *now = &l->state;
    const pl__columns *cell = &now->grid.cell;
    pl__elastic half = now->elastic; // its spins and edges, other numbers
    *moved = now->elastic;
    if (!take_numbers(l, cell, moved))
        return PL_ERR_MEMORY;
    if (!(l->def.elastic.elasticity > 0))
        return PL_OK;
    if (!take_numbers(l, cell, &half))
        return PL_ERR_MEMORY;
    for (int c = 0; c < PL__TENSOR; ++c)
        memcpy(half.strain[c], now->elastic.strain[c], bytes_of(pl__elastic_lattice(cell, &half.edges, c)));
    memcpy(half.plastic, now->elastic.plastic, bytes_of(cell));
    PL_TRY(flow_and_turn(l, now, dt, true, &half));
    return pl__elastic_move(l->ctx, &l->arena, &now->grid, l->next.phi, dt, now->u, &half, now->stress, moved,
                            l->next.stress);
}

pl_status pl__elastic_arrive(pl__liquid *l, const pl__elastic *moved)
{
    pl__liquid_state *next = &l->next;
    PL_TRY(make_edges(l, next));
    forget(&next->grid.cell, &next->elastic);
    if (l->def.elastic.elasticity > 0)
        pl__elastic_transfer(l->ctx, &l->state.grid.cell, moved, &next->grid.cell, &next->elastic);
    return PL_OK;
}

pl_status pl__elastic_begin(pl__liquid *l, double dt, pl__stretching *s)
{
    const pl__elastic_law *law = &l->def.elastic;
    PL_TRY(make_rows(l, &l->next, s));
    pl__arena_mark mark = pl__arena_set_mark(&l->arena);
    double *pull = PL_TAKE(&l->arena, 2 * (size_t)s->strain.sample_count + 1, double);
    s->theta = pl__phases_theta(l, dt);
    if (pull)
        pl__elastic_impulse(l->ctx, law, s->elasticity, l->def.density, &s->strain, dt, s->theta, s->start,
                            &l->next.elastic, pull, s->impulse);
    pl__arena_release(&l->arena, mark);
    return pull ? PL_OK : PL_ERR_MEMORY;
}

void pl__elastic_solved(pl__liquid *l, const pl__stretching *s)
{
    const pl__liquid_state *next = &l->next;
    pl__elastic_rates(l->ctx, &s->strain, (const double *const[3]){next->u[0], next->u[1], next->u[2]}, s->x, s->end);
}

pl_status pl__elastic_end(pl__liquid *l, double dt, const pl__stretching *s)
{
    pl__liquid_state *next = &l->next;
    PL_TRY(stretch(l, dt, s, next));
    return flow_and_turn(l, next, dt, false, &next->elastic);
}
