// src/fluid/warmth.c
#include "warmth.h"
#include "advect.h"
#include "base/real_math.h"
#include "extrapolate.h"
#include "liquid.h"
#include "phases_step.h"
#include "stretch.h"

#include <math.h>
#include <string.h>

static const double most_parts = 100; // of a step, in conduction
static const double stable = 1.0 / 6; // D dt / h^2

double pl__warmth_factor(const pl__warmth_law *law, double molten, double temperature)
{
    double w = law->melting > 0 ? fmin(fmax(temperature / law->melting, 0), 1) : 0;
    return w > 0 ? pl__real_exp(w * pl__real_log(molten)) : 1;
}

// Of cell n of a state.
static const pl__warmth_law *law_of(const pl__liquid *l, const pl__liquid_state *s, int32_t n)
{
    return pl__liquid_has_phases(l) ? &l->def.law[pl__phase_of(&s->phases, &s->grid.cell, n)].warmth : &l->def.warmth;
}

pl_status pl__warmth_carry(pl__liquid *l, double dt)
{
    const pl__liquid_state *now = &l->state;
    pl__advected what = {&now->grid.cell, {false, false, false}, 1, {now->warmth}};
    return pl__advect(l->ctx, &l->arena, &now->grid, l->next.phi, dt, now->u, &what, &l->next.warmth);
}

void pl__warmth_bring(pl__liquid *l, double dt)
{
    pl__inflow in = pl__liquid_inflow(l, dt);
    const pl__columns *c = &l->next.grid.cell;
    for (int32_t n = 0; n < l->sources.count; ++n)
    {
        const pl__source_region *r = &l->sources.region[n];
        if (l->sources.source[n].drain || !pl__source_works(&l->sources.source[n], &in))
            continue;
        for (int32_t k = r->low[2]; k < r->low[2] + r->n[2]; ++k)
            for (int32_t i = r->low[0]; i < r->low[0] + r->n[0]; ++i)
                for (int32_t j = r->low[1]; j < r->low[1] + r->n[1]; ++j)
                {
                    int32_t cell = pl__columns_uniform(c, i + c->nx * k, j);
                    if (cell >= 0 && pl__source_distance(r, i, j, k) < 0)
                        l->next.warmth[cell] = l->sources.source[n].temperature;
                }
    }
}

// ---- conduction ------------------------------------------------------------------------------------------------

// The sum over neighbours in liquid of min(D, D') (T' - T) [K m^2/s], for each cell of liquid.
static void find_flow(const pl__liquid *l, const double *diffusivity, const double *T, double *flow)
{
    const pl__grid *grid = &l->next.grid;
    pl__cell_stretch s;
    for (int32_t column = 0; column < grid->cell.nx * grid->cell.nz; ++column)
        for (pl__cell_walk w = pl__cell_walk_begin(grid, column); pl__cell_walk_next(&w, &s);)
            for (int32_t j = s.j0; j <= s.j1; ++j)
            {
                int32_t n = s.own + j;
                double sum = 0;
                for (int side = 0; side < 6 && l->next.phi[n] < 0; ++side)
                {
                    int32_t other = s.kind[side] == PL__BESIDE_UNIFORM ? s.cell[side] + j : -1;
                    if (other >= 0 && l->next.phi[other] < 0 && l->boundary.open[side / 2][s.face[side] + j] > 0)
                        sum += fmin(diffusivity[n], diffusivity[other]) * (T[other] - T[n]);
                }
                flow[n] = sum;
            }
}

pl_status pl__warmth_advance(pl__liquid *l, double dt)
{
    pl__liquid_state *next = &l->next;
    const pl__columns *c = &next->grid.cell;
    pl__arena_mark mark = pl__arena_set_mark(&l->arena);
    double *flow = PL_TAKE(&l->arena, c->value_count + 1, double), most = 0,
           *diffusivity = PL_TAKE(&l->arena, c->value_count + 1, double);
    uint8_t *known = PL_TAKE(&l->arena, c->value_count + 1, uint8_t);
    pl_status status = flow && diffusivity && known ? PL_OK : PL_ERR_MEMORY;
    for (int32_t n = 0; n < c->value_count && status == PL_OK; ++n)
    {
        diffusivity[n] = law_of(l, next, n)->diffusivity;
        most = fmax(most, diffusivity[n]);
    }
    double parts = fmin(ceil(most * dt / (stable * c->h * c->h)), most_parts),
           step = parts > 0 ? fmin(dt / parts, stable * c->h * c->h / most) / (c->h * c->h) : 0;
    for (int part = 0; part < (int)parts && status == PL_OK; ++part)
    {
        find_flow(l, diffusivity, next->warmth, flow);
        for (int32_t n = 0; n < c->value_count; ++n)
            next->warmth[n] += next->phi[n] < 0 ? step * flow[n] : 0;
    }
    for (int32_t n = 0; n < c->value_count && status == PL_OK; ++n)
    {
        double tau = law_of(l, next, n)->cooling;
        known[n] = next->phi[n] < 0;
        next->warmth[n] *= tau > 0 && next->warmth[n] > 0 ? pl__real_exp(-dt / tau) : 1;
    }
    if (status == PL_OK)
        status =
            pl__extrapolate(l->ctx, &l->arena, c, (int32_t)ceil(l->def.cfl) + PL__LIQUID_MARGIN, known, next->warmth);
    pl__arena_release(&l->arena, mark);
    return status;
}

// ---- between steps ---------------------------------------------------------------------------------------------

typedef void at_sample(void *user, int32_t number, double share);

// Samples of a lattice within `radius` of a point, with (1 - r^2/radius^2)^2.
static void for_near(const pl__columns *c, const double at[3], double radius, at_sample *work, void *user)
{
    int32_t low[3], high[3];
    const int32_t most[3] = {c->nx, c->ny, c->nz};
    for (int a = 0; a < 3; ++a)
    {
        double from = ceil((at[a] - radius - c->origin[a]) / c->h), to = floor((at[a] + radius - c->origin[a]) / c->h);
        low[a] = (int32_t)fmax(fmin(from, most[a]), 0);
        high[a] = (int32_t)fmin(fmax(to, -1), most[a] - 1);
    }
    for (int32_t k = low[2]; k <= high[2]; ++k)
        for (int32_t i = low[0]; i <= high[0]; ++i)
            for (int32_t j = low[1]; j <= high[1]; ++j)
            {
                int32_t n = pl__columns_uniform(c, i + c->nx * k, j);
                double x[3], far2 = 0;
                pl__grid_point(c, i, j, k, x);
                for (int a = 0; a < 3; ++a)
                    far2 += (x[a] - at[a]) * (x[a] - at[a]);
                double share = 1 - far2 / (radius * radius);
                if (n >= 0 && share > 0)
                    work(user, n, share * share);
            }
}

typedef struct painting
{
    const double *phi; // NULL: not asked
    double *value;
    double amount;
    int32_t count;
} painting;

static void warm_cell(void *user, int32_t n, double share)
{
    painting *p = user;
    p->count += p->phi[n] < 0;
    p->value[n] = fmax(p->value[n] + p->amount * share, 0);
}

int32_t pl__liquid_heat(pl__liquid *l, const double at[3], double radius, double kelvin)
{
    painting p = {l->state.phi, l->state.warmth, kelvin, 0};
    if (l->def.warm)
        for_near(&l->state.grid.cell, at, radius, warm_cell, &p);
    return p.count;
}

static void forget_sample(void *user, int32_t n, double share)
{
    painting *p = user;
    p->count += p->phi && p->phi[n] < 0;
    p->value[n] *= 1 - p->amount * share;
}

int32_t pl__liquid_forget(pl__liquid *l, const double at[3], double radius, double part)
{
    const pl__columns *c = &l->state.grid.cell;
    int32_t count = 0;
    for (int m = 0; m < PL__TENSOR && l->def.remembers; ++m)
    {
        painting p = {m == 0 ? l->state.phi : NULL, l->state.elastic.strain[m], part, 0};
        for_near(pl__elastic_lattice(c, &l->state.elastic.edges, m), at, radius, forget_sample, &p);
        count += p.count;
    }
    return count;
}
