// src/world/liquid_forces.c -- what the liquid of a world does to its objects and walls, when somebody asks.
#include "fluid/drag.h"
#include "fluid/elastic_step.h"
#include "fluid/phases_step.h"
#include "liquid_objects.h"
#include "world.h"

#include <math.h>
#include <string.h>

// Pressure of the last step, and which cells have one.
static void find_pressures(const pl__liquid *l, double *p, uint8_t *liquid)
{
    const pl__liquid_state *s = &l->state;
    const pl__columns *c = &s->grid.cell;
    double scale = s->q_dt > 0 ? l->def.density * l->def.h / s->q_dt : 0;
    for (size_t r = 0; r < c->run_count; ++r)
        for (int32_t n = c->run[r].first; n < c->run[r].first + pl__run_numbers(&c->run[r]); ++n)
        {
            bool open = (l->boundary.sides[n] & PL__ALL_SIDES) != PL__ALL_SIDES;
            p[n] = scale * s->q[n];
            liquid[n] = s->q_dt > 0 && (c->run[r].kind != PL__RUN_UNIFORM || (s->phi[n] < 0 && open));
        }
}

// By viscosity and elasticity.
static pl_status add_drag(pl__liquid *l, const pl__obstacles *met, pl__wetted_force *to)
{
    const pl__liquid_state *s = &l->state;
    pl__strain_def def = pl__liquid_strain_def(l, s);
    pl__strain strain;
    double *viscosity = NULL, *elasticity = NULL;
    PL_TRY(pl__strain_make(l->ctx, &l->arena, &def, &strain));
    if (pl__liquid_varies(l))
        PL_TRY(pl__phases_mix(l, s, &strain, &viscosity, &elasticity));
    pl__drag drag = {.grid = &s->grid,
                     .boundary = &l->boundary,
                     .obstacles = met,
                     .strain = &strain,
                     .u = (const double *const[3]){s->u[0], s->u[1], s->u[2]},
                     .viscosity = l->def.viscosity,
                     .elasticity = l->def.elastic.elasticity,
                     .mixed_viscosity = viscosity,
                     .mixed_elasticity = elasticity,
                     .elastic = l->def.remembers ? &s->elastic : NULL,
                     .stress = s->stress};
    return pl__drag_add(l->ctx, &l->arena, &drag, to);
}

static pl_status sum_forces(const pl_world *world, pl__world_liquids *w)
{
    pl__liquid *l = w->liquid;
    pl__obstacles met = pl__liquid_objects_met(w);
    const double *g = world->state.gravity;
    size_t numbers = (size_t)l->state.grid.cell.value_count + 1;
    double *p = PL_TAKE(&l->arena, numbers, double), weight[3];
    uint8_t *liquid = PL_TAKE(&l->arena, numbers, uint8_t);
    if (!p || !liquid)
        return PL_ERR_MEMORY;
    PL_TRY(pl__liquid_refresh(l, &met));
    find_pressures(l, p, liquid);
    int down = fabs(g[0]) > fabs(g[1]) ? 0 : 1;
    pl__wetted_def def = {&l->state.grid, &met, l->def.closed, liquid, fabs(g[2]) > fabs(g[down]) ? 2 : down, NULL};
    double *heavier = pl__liquid_has_phases(l) ? PL_TAKE(&l->arena, numbers, double) : NULL;
    if (pl__liquid_has_phases(l) && !heavier)
        return PL_ERR_MEMORY;
    for (size_t n = 0; heavier && n + 1 < numbers; ++n)
        heavier[n] = pl__liquid_density_in(l, &l->state, -1, (int32_t)n) / l->def.density;
    def.heavier = heavier;
    PL_TRY(pl__wetted_list(l->ctx, &w->wetted, &def));
    for (int i = 0; i < 3; ++i)
        weight[i] = l->def.density * g[i];
    memset(w->force, 0, (w->object_count + 1) * sizeof *w->force);
    if (l->state.q_dt > 0)
        pl__wetted_sum(&w->wetted, &def, p, weight, w->force);
    return l->state.q_dt > 0 && l->def.viscous && !l->def.slip ? add_drag(l, &met, w->force) : PL_OK;
}

pl_status pl_world_liquid_force(pl_world *world, pl_object_id object, pl_liquid_force *force)
{
    if (!world || !force)
        return PL_ERR_ARGUMENT;
    pl__world_liquids *w = &world->liquids;
    PL_CHECK(world->ctx, w->liquid, "pl_world_liquid_force: the world has no liquid");
    PL_CHECK(world->ctx, object.index >= 0 && (size_t)object.index <= w->object_count,
             "pl_world_liquid_force: there is no object %d", object.index);
    if (!w->summed)
    {
        pl__arena_mark mark = pl__arena_set_mark(&w->liquid->arena);
        pl_status status = sum_forces(world, w);
        pl__arena_release(&w->liquid->arena, mark);
        PL_TRY(status);
        w->summed = true;
    }
    const pl__wetted_force *f = &w->force[object.index > 0 ? (size_t)object.index - 1 : w->object_count];
    memcpy(force->force, f->force, sizeof f->force);
    memcpy(force->torque, f->torque, sizeof f->torque);
    force->area = f->area;
    return PL_OK;
}
