// src/world/liquid_cells.c -- the cells of a liquid (fluid/grid.h) as boxes with numbers, for other programs.
#include "world.h"

#include <string.h>

static const pl__liquid *liquid_of(const pl_world *world) { return world ? world->liquids.liquid : NULL; }

// Every row of a uniform run is a cell; other runs are one.
static int32_t cells_of(const pl__run *run) { return run->kind == PL__RUN_UNIFORM ? pl__run_rows(run) : 1; }

int32_t pl_world_liquid_cell_count(const pl_world *world)
{
    const pl__liquid *l = liquid_of(world);
    int32_t count = 0;
    for (size_t r = 0; l && r < l->state.grid.cell.run_count; ++r)
        count += cells_of(&l->state.grid.cell.run[r]);
    return count;
}

static void fill_box(const pl__columns *c, int32_t column, int32_t j0, int32_t j1, double box[6])
{
    const int32_t low[3] = {column % c->nx, j0, column / c->nx}, high[3] = {low[0], j1, low[2]};
    for (int a = 0; a < 3; ++a)
    {
        box[a] = c->origin[a] + c->h * (low[a] - 0.5);
        box[3 + a] = c->origin[a] + c->h * (high[a] + 0.5);
    }
}

// The numbers of cell n, which is rows j0 to j1 of a run; `norm` of their strain [numbers of cells], or NULL.
static void fill_cell(const pl__liquid *l, const double *norm, int32_t column, const pl__run *run, int32_t j0,
                      int32_t j1, size_t n, const pl_liquid_cells *to)
{
    const pl__liquid_state *s = &l->state;
    double box[6], middle[3], v[3];
    bool uniform = run->kind == PL__RUN_UNIFORM;
    fill_box(&s->grid.cell, column, j0, j1, box);
    for (int a = 0; a < 3; ++a)
        middle[a] = 0.5 * (box[a] + box[3 + a]);
    if (!pl__grid_velocity(&s->grid, s->u, middle, v))
        memset(v, 0, sizeof v);
    double phi = uniform ? s->phi[run->first + j0 - run->j0] : -l->def.depth;
    double q = 0.5 * (pl__run_value(run, s->q, j0) + pl__run_value(run, s->q, j1));
    bool known = s->q_dt > 0 && phi < 0;
    if (to->boxes)
        memcpy(to->boxes + 6 * n, box, sizeof box);
    if (to->phi)
        to->phi[n] = phi;
    if (to->velocities)
        memcpy(to->velocities + 3 * n, v, sizeof v);
    if (to->pressures)
        to->pressures[n] = known ? q * l->def.density * l->def.h / s->q_dt : 0;
    if (to->strains)
        to->strains[n] = norm && uniform && phi < 0 ? norm[run->first + j0 - run->j0] : 0;
    if (to->temperatures)
        to->temperatures[n] = l->def.warm && uniform && phi < 0 ? s->warmth[run->first + j0 - run->j0] : 0;
    if (to->liquids)
        to->liquids[n] = s->phases.count > 0
                             ? pl__phase_of(&s->phases, &s->grid.cell, run->first + (uniform ? j0 - run->j0 : 0))
                             : 0;
}

pl_status pl_world_liquid_read_cells(const pl_world *world, const pl_liquid_cells *to)
{
    const pl__liquid *l = liquid_of(world);
    if (!world || !to)
        return PL_ERR_ARGUMENT;
    PL_CHECK(world->ctx, l, "pl_world_liquid_read_cells: the world has no liquid");
    const pl__columns *c = &l->state.grid.cell;
    bool strained = to->strains && l->def.remembers && l->def.elastic.elasticity > 0;
    double *norm = strained ? PL_NEW(world->ctx, (size_t)c->value_count + 1, double) : NULL;
    size_t n = 0;
    if (strained && !norm)
        return PL_ERR_MEMORY;
    if (norm)
        pl__elastic_norms(world->ctx, c, &l->state.elastic, norm);
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            int32_t rows = run->kind == PL__RUN_UNIFORM ? 1 : pl__run_rows(run);
            for (int32_t j = run->j0; j <= run->j1; j += rows)
                fill_cell(l, norm, column, run, j, j + rows - 1, n++, to);
        }
    PL_DELETE(world->ctx, norm, norm ? (size_t)c->value_count + 1 : 0);
    return PL_OK;
}
