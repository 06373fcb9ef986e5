// src/world/liquids.c -- a liquid advances beside the bodies of a world, and is saved with it.
//
// Bodies may need far shorter substeps than a liquid. So a liquid waits: it advances, by steps of its own, when it lags
// by the longest step it may take, and at the end of a step of the world. Objects are where they are at the end of its
// step; in between they have moved evenly from where it met them last.
#include "liquids.h"
#include "base/hash.h"
#include "flows.h"
#include "fluid/advect.h"
#include "fluid/axes.h"
#include "fluid/phases_step.h"
#include "liquid_objects.h"
#include "scene/definitions.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pl_status pl__world_liquids_copy(pl_world *world, const pl_scene *scene)
{
    PL_TRY(pl__liquids_check(scene));
    world->liquids.hash = pl__liquids_hash(0, scene);
    pl__world_liquids *w = &world->liquids;
    w->source_room = scene->liquid_count;
    w->kind = PL_NEW(world->ctx, w->source_room + 1, int32_t);
    if (!w->kind)
        return PL_ERR_MEMORY;
    w->kind_count = pl__liquid_kinds(scene, w->kind, w->first);
    for (int32_t k = 0; k < w->kind_count; ++k)
    {
        w->def[k] = scene->liquid[w->first[k]].def;
        w->def[k].shape = NULL;
        strcpy(w->name[k], scene->liquid[w->first[k]].name);
    }
    if (scene->liquid_count > 0 && w->kind_count == 0) // drains alone: what they would take
    {
        w->kind_count = 1;
        w->def[0] = scene->liquid[0].def;
        w->def[0].shape = NULL;
        strcpy(w->name[0], scene->liquid[0].name);
    }
    return PL_OK;
}

// ---- start -----------------------------------------------------------------------------------------------------

typedef struct regions
{
    const pl_scene *scene;
    const int32_t *kind;       // [liquids]
    bool several;              // of them differ
    struct pl__shape **shape;  // [liquids] NULL: below a level
    pl__liquid_source *source; // [liquids]
    pl__vortex_source *vortex; // [vortices]
} regions;

static const double degree = 0.017453292519943295;

// To entry i of the scene.
static double entry_distance(const regions *r, size_t i, const double x[3])
{
    double normal[3];
    return r->shape[i] ? pl__shape_distance(r->shape[i], x, normal) : x[1] - r->scene->liquid[i].def.level;
}

// To a liquid among several: to what the entries after it leave of its own.
static double distance_to_liquid(void *user, int32_t liquid, const double x[3])
{
    const regions *r = user;
    double nearest = 1e9;
    for (size_t i = 0; i < r->scene->liquid_count; ++i)
    {
        if (r->kind[i] != liquid || r->scene->liquid[i].def.kind != PL_LIQUID_START)
            continue;
        double own = fmax(entry_distance(r, i, x), 0);
        for (size_t k = i + 1; k < r->scene->liquid_count; ++k)
            if (r->kind[k] != liquid && r->scene->liquid[k].def.kind == PL_LIQUID_START)
                own = fmax(own, -entry_distance(r, k, x));
        nearest = fmin(nearest, own);
    }
    return nearest;
}

// The nearest region; of several liquids the last one. What they share has no gaps of rounding.
static double start_distance(void *user, const double x[3], double velocity[3])
{
    const regions *r = user;
    double nearest = 1e9;
    memset(velocity, 0, 3 * sizeof *velocity);
    for (size_t i = 0; i < r->scene->liquid_count; ++i)
    {
        const pl_liquid_def *def = &r->scene->liquid[i].def;
        if (def->kind != PL_LIQUID_START)
            continue;
        double d = entry_distance(r, i, x);
        if (d < nearest || (r->several && d < 0))
        {
            nearest = fmin(d, nearest);
            pl_vec3 spin = pl_scale3(degree, pl_make3(def->spin[0], def->spin[1], def->spin[2])),
                    arm = pl_make3(x[0] - def->at[0], x[1] - def->at[1], x[2] - def->at[2]),
                    turning = pl_cross3(spin, arm);
            for (int a = 0; a < 3; ++a)
                velocity[a] = def->velocity[a] + turning.v[a];
        }
    }
    return r->several ? nearest - 1e-9 * r->scene->domain.def.size : nearest;
}

// Of the nearest region.
static double start_warmth(void *user, const double x[3])
{
    const regions *r = user;
    double nearest = INFINITY, warmth = 0;
    for (size_t i = 0; i < r->scene->liquid_count; ++i)
    {
        if (r->scene->liquid[i].def.kind != PL_LIQUID_START)
            continue;
        double d = entry_distance(r, i, x);
        if (d < nearest || (r->several && d < 0))
        {
            nearest = fmin(d, nearest);
            warmth = r->scene->liquid[i].def.temperature;
        }
    }
    return warmth;
}

// Whether a number is above 0 at the start, or may get there by its keys.
static bool may_have(const pl_world *world, const pl_scene *scene, const char *field, int32_t *which)
{
    for (int32_t k = 0; k < world->liquids.kind_count; ++k)
    {
        double least, most;
        pl__liquid_range(scene, (size_t)world->liquids.first[k], field, &least, &most);
        *which = k;
        if (most > 0)
            return true;
    }
    return false;
}

static pl__elastic_law elastic_of(const pl_liquid_def *def)
{
    return (pl__elastic_law){.elasticity = def->elasticity,
                             .yield = def->yield,
                             .flow = def->flow,
                             .hardening = def->hardening,
                             .linear = def->strain == PL_STRAIN_LINEAR};
}

static pl__warmth_law warmth_of(const pl_liquid_def *def)
{
    return (pl__warmth_law){.melting = def->melting,
                            .melt_viscosity = def->melt_viscosity,
                            .melt_elasticity = def->melt_elasticity,
                            .diffusivity = def->diffusivity,
                            .cooling = def->cooling};
}

// Take the numbers that may have changed since the last step. Those of all liquids together, if there are several, are
// the largest.
static void follow(const pl__world_liquids *w, pl__liquid_def *to)
{
    to->liquid_count = w->kind_count > 1 ? w->kind_count : 0;
    if (to->liquid_count == 0)
    {
        to->density = w->def[0].density;
        to->viscosity = w->def[0].viscosity;
        to->elastic = elastic_of(&w->def[0]);
        to->warmth = warmth_of(&w->def[0]);
        return;
    }
    to->viscosity = 0;
    to->elastic = (pl__elastic_law){.linear = w->def[0].strain == PL_STRAIN_LINEAR};
    for (int32_t k = 0; k < w->kind_count; ++k)
    {
        to->law[k] =
            (pl__phase_law){w->def[k].density, w->def[k].viscosity, elastic_of(&w->def[k]), warmth_of(&w->def[k])};
        to->viscosity = fmax(to->viscosity, w->def[k].viscosity);
        to->elastic.elasticity = fmax(to->elastic.elasticity, w->def[k].elasticity);
        to->elastic.flow = fmax(to->elastic.flow, w->def[k].flow);
    }
}

static pl__liquid_def define(const pl_world *world, const pl_scene *scene)
{
    const pl__world_liquids *w = &world->liquids;
    int32_t which;
    const pl_domain_def *d = &scene->domain.def;
    const pl_liquid_def *l = &scene->liquid[0].def;
    pl__liquid_def def = {.h = d->size,
                          .depth = d->depth,
                          .cfl = d->cfl,
                          .tolerance = d->tolerance,
                          .particles = d->particles,
                          .seed = (uint64_t)d->seed,
                          .density = l->density,
                          .viscous = may_have(world, scene, "viscosity", &which),
                          .remembers = may_have(world, scene, "elasticity", &which),
                          .warm = may_have(world, scene, "melting", &which),
                          .start_warmth = start_warmth,
                          .separate = l->shear == PL_SHEAR_SEPARATE,
                          .tension = l->tension,
                          .foam = l->foam,
                          .foam_life = l->foam_life,
                          .confinement = d->confinement,
                          .slip = l->wall == PL_WALL_SLIP,
                          .hold = l->volume == PL_VOLUME_HOLD};
    memcpy(def.lower, d->lower, sizeof def.lower);
    memcpy(def.cells, scene->domain.cells, sizeof def.cells);
    def.most_cells = d->most_cells;
    for (int side = 0; side < 6; ++side)
    {
        def.closed[side] = !(d->open >> side & 1);
        def.grows[side] = d->grow >> side & 1;
    }
    def.outside = (pl__outside){.held = d->held, .level = d->level, .sponge = d->sponge};
    memcpy(def.outside.velocity, d->velocity, sizeof d->velocity);
    if (d->held && d->sponge == 0)
        def.outside.sponge = pl__flows_sponge(d);
    follow(w, &def);
    def.region = distance_to_liquid;
    return def;
}

static void release_regions(pl_context *ctx, regions *r)
{
    for (size_t i = 0; r->shape && i < r->scene->liquid_count; ++i)
        pl__shape_destroy(&r->shape[i]);
    PL_DELETE(ctx, r->shape, r->scene->liquid_count);
    PL_DELETE(ctx, r->source, r->scene->liquid_count);
    PL_DELETE(ctx, r->vortex, r->scene->vortices_count + 1);
}

// Liquids in whose place others are.
static pl_status check_hidden(const pl_world *world, const pl_scene *scene)
{
    const pl__world_liquids *w = &world->liquids;
    const pl__phases *p = &w->liquid->state.phases;
    for (size_t i = 0; i < scene->liquid_count && p->count > 0; ++i)
    {
        char path[PL_NAME_BYTES + 16];
        snprintf(path, sizeof path, "liquids.%s", scene->liquid[i].name);
        if (scene->liquid[i].def.kind == PL_LIQUID_START && p->due[w->kind[i]] <= 0)
            return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, path,
                                 "there is nothing of it: liquids after it are in its place, or it lies between the "
                                 "centers of the cells of %g m; put it after them, or make it larger",
                                 scene->domain.def.size);
    }
    return PL_OK;
}

static pl_status make(pl_world *world, const pl_scene *scene, regions *r)
{
    pl__world_liquids *w = &world->liquids;
    for (size_t i = 0; i < scene->liquid_count; ++i)
        if (scene->liquid[i].def.shape)
            PL_TRY(pl__liquid_region(world->ctx, &scene->liquid[i].def, &r->shape[i]));
    PL_TRY(pl__liquid_objects_make(world, scene->domain.def.size));
    pl__liquid_def def = define(world, scene);
    pl__obstacles obstacles = pl__liquid_objects_met(w);
    PL_TRY(pl__flows_check(world->ctx, scene, r->shape, &obstacles));
    w->hash = pl__flows_list(scene, r->shape, w->kind, w->hash, r->source, &def);
    pl__flows_names(scene, w->source_name);
    PL_TRY(pl__flows_list_vortices(scene, world->objects.name, world->objects.count, r->vortex, &def));
    PL_TRY(pl__liquid_create(world->ctx, &def, start_distance, r, &obstacles, &w->liquid));
    if (w->liquid->def.warm)
        w->hash = pl__hash(w->hash, "warm", 4);
    if (w->liquid->def.viscous)
        w->hash = pl__hash(w->hash, def.remembers ? "elastic" : "viscous", 7);
    if (w->kind_count > 1)
        w->hash = pl__hash(w->hash, w->kind, w->source_room * sizeof *w->kind);
    PL_TRY(check_hidden(world, scene));
    return pl__flows_check_volume(world->ctx, scene, w->liquid->start_volume);
}

// ---- stepper ---------------------------------------------------------------------------------------------------

static pl__world_liquids *liquids_of(const void *self) { return &((pl_world *)(uintptr_t)self)->liquids; }

// Once, when the box has grown as far as it may.
static void tell_full(const pl_world *world)
{
    pl__world_liquids *w = liquids_of(world);
    const int32_t *n = w->liquid->def.cells;
    if (w->liquid->full && !w->told_full)
        pl__log(world->ctx, PL_LOG_WARNING,
                "domain.grow: the box has %d x %d x %d cells and may not have more than %g (domain.most_cells), so its "
                "sides are walls now",
                n[0], n[1], n[2], w->liquid->def.most_cells);
    w->told_full = w->liquid->full;
}

// Once, when objects press liquid together that has no way out: a thousandth of a cell in a step.
static void tell_squeezed(const pl_world *world)
{
    pl__world_liquids *w = liquids_of(world);
    const pl__liquid_info *info = &w->liquid->info;
    double h = w->liquid->def.h, rate = info->pressure.incompatible;
    if (rate * info->dt < 1e-3 * h * h * h || w->told_squeezed)
        return;
    pl__log(world->ctx, PL_LOG_WARNING,
            "at %g s objects press %.3g m^3/s into liquid that is enclosed and has no air; that volume is lost",
            world->state.time, rate);
    w->told_squeezed = true;
}

static const double most_parts = 1e5; // of a step: none needs more than some hundreds

pl_status pl__world_liquids_settle(pl_world *world)
{
    pl__world_liquids *w = &world->liquids;
    const double *gravity = world->state.gravity;
    follow(w, &w->liquid->def);
    w->liquid->info.substeps = 0;
    while (w->lag > 0)
    {
        pl__obstacles met = pl__liquid_objects_met(w);
        PL_TRY(pl__liquid_grow(w->liquid));
        PL_TRY(pl__liquid_refresh(w->liquid, &met));
        tell_full(world);
        double parts = fmax(w->lag / pl__liquid_longest_step(w->liquid, gravity),
                            pl__liquid_objects_way(world) / w->liquid->def.cfl);
        parts = ceil(parts * (1 - 1e-12));
        if (!(parts + w->liquid->info.substeps < most_parts))
            return pl__fail(world->ctx, PL_ERR_NUMERIC,
                            "the liquid is so fast, %g m/s, that %g s would take %.0g steps; is a source, an object or "
                            "gravity out of proportion to domain.size?",
                            pl__liquid_speed(w->liquid), w->lag, parts);
        double h = parts > 1 ? w->lag / parts : w->lag;
        pl__liquid_objects_lead(world, parts > 1 ? 1 / parts : 1, h);
        pl__obstacles obstacles = pl__liquid_objects_met(w);
        pl_status status = pl__liquid_step(w->liquid, h, gravity, &obstacles);
        if (status != PL_OK)
        {
            pl__liquid_objects_return(world);
            return status;
        }
        w->lag = parts > 1 ? w->lag - h : 0;
        w->liquid->info.substeps++;
        tell_squeezed(world);
    }
    w->drawn = w->summed = false;
    return PL_OK;
}

static pl_status advance(void *self, double *dt)
{
    pl_world *world = self;
    pl__world_liquids *w = &world->liquids;
    double longest = pl__liquid_longest_step(w->liquid, world->state.gravity);
    bool last = !(*dt < world->state.pending.remaining);
    w->lag += *dt;
    return !last && w->lag + *dt <= longest ? PL_OK : pl__world_liquids_settle(world);
}

// Energy of strain where elasticity depends on temperature [J].
static double warm_energy(pl__liquid *l, const pl__elastic_law *law, const double *part)
{
    const pl__liquid_state *s = &l->state;
    double *scaled = PL_TAKE(&l->arena, s->grid.cell.value_count + 1, double);
    pl__elastic_sums sums = {0};
    for (int32_t n = 0; scaled && n < s->grid.cell.value_count; ++n)
    {
        const pl__warmth_law *warmth = law->kind ? &l->def.law[law->kind[n]].warmth : &l->def.warmth;
        scaled[n] = part[n] * pl__warmth_factor(warmth, warmth->melt_elasticity, s->warmth[n]);
    }
    if (scaled)
        pl__elastic_sum(law, &s->grid.cell, &s->elastic, scaled, s->open, &sums);
    return sums.energy;
}

// Energy and size of the strain; `part` [numbers of cells] as of pl__elastic_sum. Of one of several liquids, `which`,
// those of the cells that have its law.
static void measure_strain(pl__liquid *l, int32_t which, double *part, pl_step_info *info)
{
    const pl__liquid_state *s = &l->state;
    pl__arena_mark mark = pl__arena_set_mark(&l->arena);
    pl__elastic_law law;
    if (l->def.remembers && l->def.elastic.elasticity > 0 && pl__phases_law(l, s, &law) == PL_OK)
    {
        pl__elastic_sums elastic;
        for (int32_t n = 0; which >= 0 && law.kind && n < s->grid.cell.value_count; ++n)
            part[n] = law.kind[n] == which ? s->part[n] : 0;
        pl__elastic_sum(&law, &s->grid.cell, &s->elastic, part, s->open, &elastic);
        info->elastic += l->def.warm ? warm_energy(l, &law, part) : elastic.energy;
        info->liquid_strain = elastic.strain;
        info->liquid_yielded = elastic.yielded;
    }
    pl__arena_release(&l->arena, mark);
}

static void measure_length(pl__liquid *l, const double *part, pl_step_info *info)
{
    pl__liquid_axes axes;
    pl__liquid_axes_find(&l->state.grid.cell, part, l->state.open, &axes);
    memcpy(info->liquid_axes, axes.length, sizeof axes.length);
    info->liquid_angle = axes.angle;
}

// Both of one of several.
static void measure_one(pl__liquid *l, int32_t k, pl_step_info *info)
{
    const pl__columns *c = &l->state.grid.cell;
    const double *own = pl__phase(l->state.phases.part, c, k);
    pl__arena_mark mark = pl__arena_set_mark(&l->arena);
    double *part = PL_TAKE(&l->arena, c->value_count + 1, double);
    for (int32_t n = 0; part && n < c->value_count; ++n)
        part[n] = l->state.part[n] * own[n];
    if (part)
        measure_length(l, part, info), measure_strain(l, k, part, info);
    pl__arena_release(&l->arena, mark);
}

// The sums of liquid k, or, -1, of all.
static void sum_up(pl_world *world, int32_t k, const pl__liquid_sums *sums, pl_step_info *info)
{
    info->mass += sums->mass;
    info->kinetic += sums->kinetic;
    for (int i = 0; i < 3; ++i)
    {
        info->gravity -= sums->center[i] * world->state.gravity[i];
        info->momentum[i] += sums->momentum[i];
        info->center[i] += sums->center[i];
    }
    info->liquid_volume = sums->volume;
    info->liquid_spray = sums->spray;
    info->liquid_speed = sums->speed;
    if (k < 0)
        return;
    pl__phase_sums of[PL__MOST_LIQUIDS];
    pl__phases_sum(world->liquids.liquid, of);
    info->liquid_drift = of[k].due > 0 ? (of[k].volume + of[k].spray) / of[k].due - 1 : 0;
    info->liquid_added = world->liquids.liquid->state.phases.added[k];
    measure_one(world->liquids.liquid, k, info);
}

static void figures(void *self, pl_step_info *info)
{
    pl_world *world = self;
    pl__liquid *l = world->liquids.liquid;
    pl__liquid_sums sums;
    if (pl__liquid_sum(l, &sums) != PL_OK)
        return;
    sum_up(world, -1, &sums, info);
    double due = pl__liquid_due_volume(l);
    info->liquid_drift = due > 0 ? (sums.volume + sums.spray) / due - 1 : 0;
    info->liquid_added = l->state.added;
    measure_length(l, l->state.part, info);
    measure_strain(l, -1, l->state.part, info);
    info->liquid_iterations = l->info.pressure.solve.iterations;
    info->liquid_squeezed = l->info.pressure.incompatible;
    info->vortex_power = l->info.vortex_power;
}

// The surface of liquid k of several: where both its level set and that of all are negative. It is a hundredth of a
// cell smaller, so that what lies beside it begins after it ends, and vertices know whether they are inside the liquid.
static pl_status draw_one(pl__world_liquids *w, int32_t k, pl__liquid_surface_def *def)
{
    pl__liquid *l = w->liquid;
    const pl__columns *c = &l->state.grid.cell;
    double *both = PL_TAKE(&l->arena, c->value_count + 1, double), *own = pl__phase(l->state.phases.phi, c, k);
    if (!both)
        return PL_ERR_MEMORY;
    for (int32_t n = 0; n < c->value_count; ++n)
        both[n] = fmax(l->state.phi[n], own[n] + 0.01 * c->h);
    def->phi = both;
    PL_TRY(pl__liquid_surface_make(l->ctx, def, &w->surface[k]));
    if (!PL_GROW(l->ctx, w->inner[k], &w->inner_capacity[k], (size_t)w->surface[k].vertex_count + 1))
    {
        w->surface[k].vertex_count = w->surface[k].triangle_count = 0;
        return PL_ERR_MEMORY;
    }
    pl__levelset of_all = {c, l->state.phi, pl__liquid_far(l), NULL}, of_one = {c, own, pl__liquid_far(l), NULL};
    for (int32_t n = 0; n < w->surface[k].vertex_count; ++n)
    {
        double *const *x = w->surface[k].x;
        w->inner[k][n] = pl__levelset_sample(&of_one, x[0][n], x[1][n], x[2][n]) > -0.35 * c->h &&
                         pl__levelset_sample(&of_all, x[0][n], x[1][n], x[2][n]) < -0.1 * c->h;
    }
    return PL_OK;
}

// The surfaces of the present state, or the last ones when out of memory; and the drops.
static void draw(pl__world_liquids *w)
{
    pl__liquid *l = w->liquid;
    if (w->drawn)
        return;
    w->drawn = true; // also if it fails: what is read has the size that was told
    w->version++;
    for (int32_t k = 0; k < w->kind_count; ++k)
        pl__drawn_spray_make(l->ctx, &l->state.spray, k, &w->spray[k]);
    pl__drawn_foam_make(l->ctx, &l->state.foam, PL__BUBBLE, l->def.h, l->def.foam_life, &w->froth[PL__BUBBLE]);
    pl__drawn_foam_make(l->ctx, &l->state.foam, PL__FOAM, l->def.h, l->def.foam_life, &w->froth[PL__FOAM]);
    pl__obstacles met = pl__liquid_objects_met(w);
    if (pl__liquid_refresh(l, &met) != PL_OK)
        return;
    pl__grid_flow flow = {l->ctx, &l->state.grid, {l->state.u[0], l->state.u[1], l->state.u[2]}};
    pl__liquid_surface_def def = {.cell = &l->state.grid.cell,
                                  .phi = l->state.phi,
                                  .solid = w->object_count > 0 ? l->boundary.distance : NULL,
                                  .overlap = 1.5 * l->def.h,
                                  .flow = pl__grid_flow_velocity,
                                  .flow_user = &flow};
    pl__arena_mark mark = pl__arena_set_mark(&l->arena);
    if (w->kind_count == 1)
        (void)!pl__liquid_surface_make(l->ctx, &def, &w->surface[0]);
    for (int32_t k = 0; k < w->kind_count && w->kind_count > 1; ++k)
        (void)!draw_one(w, k, &def);
    pl__arena_release(&l->arena, mark);
}

// Of clear water, red, green and blue [1/m].
static const double absorption_of_water[3] = {0.45, 0.09, 0.06};

// What drawable i is: the surface of a liquid, drops of it, or bubbles and foam.
typedef enum part_kind
{
    SURFACE,
    SPRAY,
    FROTH
} part_kind;

static part_kind part_of(const pl__world_liquids *w, int32_t i, int32_t *which)
{
    part_kind kind = i < w->kind_count ? SURFACE : i < 2 * w->kind_count ? SPRAY : FROTH;
    *which = i - (kind == SURFACE ? 0 : kind == SPRAY ? w->kind_count : 2 * w->kind_count);
    return kind;
}

static int32_t drawable_count(const void *self)
{
    const pl__world_liquids *w = liquids_of(self);
    return !w->liquid ? 0 : 2 * w->kind_count + (w->liquid->def.foam > 0 ? 2 : 0);
}

static void drawable(const void *self, int32_t i, pl_drawable *d)
{
    pl__world_liquids *w = liquids_of(self);
    int32_t k;
    part_kind part = part_of(w, i, &k);
    draw(w);
    d->version = w->version;
    if (part == SPRAY)
    {
        pl__drawn_spray_describe(&w->spray[k], d);
        return;
    }
    if (part == FROTH)
    {
        pl__drawn_foam_describe(&w->froth[k], d);
        d->look = k == PL__FOAM ? PL_LOOK_FOAM : PL_LOOK_OPAQUE;
        return;
    }
    d->name = w->name[k];
    d->vertex_count = w->surface[k].vertex_count;
    d->triangle_count = w->surface[k].triangle_count;
    d->triangles = w->surface[k].triangle;
    d->inner = w->kind_count > 1 ? w->inner[k] : NULL;
    d->look = PL_LOOK_WATER;
    memcpy(d->absorption, absorption_of_water, sizeof d->absorption);
}

// Components into an array of vectors.
static void weave(double *const from[3], int32_t count, double *to)
{
    for (int32_t n = 0; to && n < count; ++n)
        for (int axis = 0; axis < 3; ++axis)
            to[3 * (size_t)n + (size_t)axis] = from[axis][n];
}

static pl_status read(const void *self, int32_t i, double *vertices, double *velocities)
{
    pl__world_liquids *w = liquids_of(self);
    int32_t k;
    part_kind part = part_of(w, i, &k);
    draw(w);
    if (part == SPRAY)
        pl__drawn_spray_read(&w->spray[k], &w->liquid->state.spray, vertices, velocities);
    else if (part == FROTH)
        pl__drawn_foam_read(&w->froth[k], &w->liquid->state.foam, vertices, velocities);
    else
    {
        weave(w->surface[k].x, w->surface[k].vertex_count, vertices);
        weave(w->surface[k].v, w->surface[k].vertex_count, velocities);
    }
    return PL_OK;
}

static pl_status normals(const void *self, int32_t i, double *to)
{
    pl__world_liquids *w = liquids_of(self);
    int32_t k;
    part_kind part = part_of(w, i, &k);
    draw(w);
    if (part == SURFACE)
        weave(w->surface[k].normal, w->surface[k].vertex_count, to);
    else
        memset(to, 0, 3 * (size_t)(part == SPRAY ? w->spray[k].count : w->froth[k].count) * sizeof *to);
    return PL_OK;
}

// Numbers of cells at the vertices of a surface.
static void sample_cells(const pl__world_liquids *w, int32_t k, const double *numbers, float *values)
{
    const pl__liquid_surface *s = &w->surface[k];
    for (int32_t n = 0; n < s->vertex_count; ++n)
    {
        double x[3] = {s->x[0][n], s->x[1][n], s->x[2][n]}, value = 0;
        (void)pl__columns_sample(&w->liquid->state.grid.cell, numbers, x, &value);
        values[n] = (float)value;
    }
}

// Strain and temperature, which are known a little beyond the surface, and speed.
static bool field(const void *self, int32_t i, const char *name, float *values)
{
    pl__world_liquids *w = liquids_of(self);
    const pl__liquid *l = w->liquid;
    int32_t k;
    bool surface = part_of(w, i, &k) == SURFACE;
    draw(w);
    if (surface && strcmp(name, "speed") == 0)
    {
        double *const *v = w->surface[k].v;
        for (int32_t n = 0; n < w->surface[k].vertex_count; ++n)
            values[n] = (float)sqrt(v[0][n] * v[0][n] + v[1][n] * v[1][n] + v[2][n] * v[2][n]);
        return true;
    }
    if (surface && strcmp(name, "temperature") == 0 && l->def.warm)
    {
        sample_cells(w, k, l->state.warmth, values);
        return true;
    }
    if (!surface || strcmp(name, "strain") != 0 || !l->def.remembers)
        return false;
    double *norm = PL_NEW(l->ctx, (size_t)l->state.grid.cell.value_count + 1, double);
    if (norm)
    {
        pl__elastic_norms(l->ctx, &l->state.grid.cell, &l->state.elastic, norm);
        sample_cells(w, k, norm, values);
    }
    PL_DELETE(l->ctx, norm, (size_t)l->state.grid.cell.value_count + 1);
    return norm != NULL;
}

// A surface stands for all of its liquid, drops included; bubbles and foam have no mass.
static pl_status report(void *self, int32_t i, pl_step_info *info)
{
    pl_world *world = self;
    pl__world_liquids *w = &world->liquids;
    int32_t k;
    part_kind part = part_of(w, i, &k);
    pl__liquid_sums sums;
    *info = (pl_step_info){.time = world->state.time, .min_J = INFINITY};
    if (part == SPRAY)
        pl__drawn_spray_report(&w->liquid->state.spray, k, w->def[k].density, world->state.gravity, info);
    else if (part == SURFACE && w->kind_count == 1)
        figures(self, info);
    else if (part == SURFACE && pl__liquid_sum_of(w->liquid, k, &sums) == PL_OK)
        sum_up(world, k, &sums, info);
    for (int a = 0; a < 3 && info->mass > 0; ++a)
        info->center[a] /= info->mass;
    return PL_OK;
}

static void destroy(void *self)
{
    pl_world *world = self;
    pl__world_liquids *w = &world->liquids;
    for (int32_t k = 0; k < PL__MOST_LIQUIDS; ++k)
    {
        pl__liquid_surface_done(world->ctx, &w->surface[k]);
        PL_DELETE(world->ctx, w->inner[k], w->inner_capacity[k]);
        pl__drawn_spray_done(world->ctx, &w->spray[k]);
    }
    for (int k = 0; k < 2; ++k)
        pl__drawn_foam_done(world->ctx, &w->froth[k]);
    pl__liquid_loading_release(&w->loading);
    pl__liquid_objects_done(world);
    pl__wetted_done(world->ctx, &w->wetted);
    PL_DELETE(world->ctx, w->source_name, w->source_room);
    pl__liquid_destroy(&w->liquid);
}

static const pl__stepper_type liquids_stepper = {.name = "liquids",
                                                 .advance = advance,
                                                 .figures = figures,
                                                 .drawable_count = drawable_count,
                                                 .drawable = drawable,
                                                 .read = read,
                                                 .normals = normals,
                                                 .field = field,
                                                 .report = report,
                                                 .destroy = destroy};

pl_status pl__world_liquids_make(pl_world *world, const pl_scene *scene)
{
    pl__world_liquids *w = &world->liquids;
    if (scene->liquid_count == 0)
        return PL_OK;
    int32_t which;
    const char *needs_cubes = may_have(world, scene, "viscosity", &which) ? "viscosity"
                              : may_have(world, scene, "melting", &which) ? "melting"
                                                                          : "elasticity";
    if (scene->domain.def.depth > 0 && may_have(world, scene, needs_cubes, &which))
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, "domain.depth",
                             "makes tall cells, but liquids.%s has %s %s, which needs cubes everywhere; leave `depth` "
                             "out, or the %s",
                             w->name[which], *needs_cubes == 'e' ? "an" : "a", needs_cubes, needs_cubes);
    PL_TRY(pl__steppers_add(world, &liquids_stepper, world)); // destroys what follows, as far as it got
    regions r = {scene,
                 w->kind,
                 w->kind_count > 1,
                 PL_NEW(world->ctx, scene->liquid_count, struct pl__shape *),
                 PL_NEW(world->ctx, scene->liquid_count, pl__liquid_source),
                 PL_NEW(world->ctx, scene->vortices_count + 1, pl__vortex_source)};
    w->source_name = (char(*)[PL_NAME_BYTES])pl__calloc(world->ctx, w->source_room, sizeof *w->source_name);
    for (int32_t k = 0; k < w->kind_count; ++k)
        snprintf(w->spray[k].name, sizeof w->spray[k].name, "%.*s_spray",
                 (int)(sizeof w->spray[k].name - sizeof "_spray"), w->name[k]);
    for (int k = 0; k < 2; ++k)
        snprintf(w->froth[k].name, sizeof w->froth[k].name, "%.*s_%s",
                 (int)(sizeof w->froth[k].name - sizeof "_bubbles"), w->name[0], k == PL__FOAM ? "foam" : "bubbles");
    pl_status status = r.shape && r.source && r.vortex && w->source_name ? make(world, scene, &r) : PL_ERR_MEMORY;
    release_regions(world->ctx, &r);
    return status;
}

// ---- live numbers -----------------------------------------------------------------------------------------------

double *pl__world_liquids_number(pl_world *world, int32_t kind, int32_t row)
{
    return (double *)(void *)((char *)&world->liquids.def[kind] + pl__liquid_fields.row[row].offset);
}

int32_t pl__world_liquids_kind(const pl_world *world, int32_t entry) { return world->liquids.kind[entry]; }

// Whether a number says what temperature does.
static bool is_of_heat(const char *name)
{
    return strncmp(name, "melt", 4) == 0 || strcmp(name, "diffusivity") == 0 || strcmp(name, "cooling") == 0;
}

bool pl__world_liquids_matters(const pl_world *world, int32_t kind, int32_t row)
{
    const char *name = pl__liquid_fields.row[row].name;
    (void)kind;
    return strcmp(name, "density") == 0     ? true
           : strcmp(name, "viscosity") == 0 ? world->liquids.liquid->def.viscous
           : is_of_heat(name)               ? world->liquids.liquid->def.warm
                                            : world->liquids.liquid->def.remembers;
}

static pl_status allow_density(const pl_world *world, int32_t kind, const char *path, double value)
{
    const pl__world_liquids *w = &world->liquids;
    for (int32_t k = 0; k < w->kind_count; ++k)
        if (k != kind && fmax(value / w->def[k].density, w->def[k].density / value) > pl__most_density_ratio)
            return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, path,
                                 "%g is more than %g times as large, or as small, as the density of liquids.%s", value,
                                 pl__most_density_ratio, w->name[k]);
    return PL_OK;
}

pl_status pl__world_liquids_allow(const pl_world *world, int32_t kind, int32_t row, double value)
{
    const pl__world_liquids *w = &world->liquids;
    const char *name = pl__liquid_fields.row[row].name;
    char path[PL_NAME_BYTES + 32];
    snprintf(path, sizeof path, "liquids.%s.%s", w->name[kind], name);
    PL_TRY(pl__field_check_value(world->ctx, &pl__liquid_fields.row[row], path, value));
    if (strcmp(name, "density") == 0)
        return allow_density(world, kind, path, value);
    if (strcmp(name, "elasticity") == 0 && value > 0 && !w->liquid->def.remembers)
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, path,
                             "this liquid was made without memory of its shape; give its definition an elasticity, or "
                             "keys of it");
    if (strcmp(name, "melting") == 0 && value > 0 && !w->liquid->def.warm)
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, path,
                             "this liquid was made without a temperature; give its definition a `melting`, or keys of "
                             "it");
    if (strcmp(name, "viscosity") == 0 && value > 0 && !w->liquid->def.viscous)
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, path,
                             "this liquid was made without viscosity; give its definition one, or keys of it");
    return PL_OK;
}

static void put_live(const pl_liquid_def *def, pl__section_writer *to)
{
    for (int32_t i = 0; i < pl__liquid_fields.count; ++i)
        if (pl__liquid_fields.row[i].when == PL__WHEN_LIVE)
            pl__section_put(to, (const char *)def + pl__liquid_fields.row[i].offset, sizeof(double));
}

static size_t live_bytes(void)
{
    size_t bytes = 0;
    for (int32_t i = 0; i < pl__liquid_fields.count; ++i)
        bytes += pl__liquid_fields.row[i].when == PL__WHEN_LIVE ? sizeof(double) : 0;
    return bytes;
}

static pl_status get_live(pl_world *world, int32_t kind, pl__section_reader *from)
{
    pl__world_liquids *w = &world->liquids;
    w->loaded_def[kind] = w->def[kind];
    for (int32_t i = 0; i < pl__liquid_fields.count; ++i)
    {
        const pl__field *row = &pl__liquid_fields.row[i];
        double value;
        if (row->when != PL__WHEN_LIVE)
            continue;
        PL_TRY(pl__section_get(from, &value, sizeof value));
        bool density = strcmp(row->name, "density") == 0; // others may have changed with it
        if ((density ? pl__field_check_value(world->ctx, row, "liquids", value)
                     : pl__world_liquids_allow(world, kind, i, value)) != PL_OK)
            return pl__section_fail(from, "%s of the liquid is out of range", row->name);
        memcpy((char *)&w->loaded_def[kind] + row->offset, &value, sizeof value);
    }
    return PL_OK;
}

// ---- section ---------------------------------------------------------------------------------------------------

// Worlds without liquids keep the fingerprint that they have without this section.
static uint64_t hash_liquids(const void *user, uint64_t h)
{
    const uint64_t *hash = &((const pl_world *)user)->liquids.hash;
    return *hash ? pl__hash(h, hash, sizeof *hash) : h;
}

static size_t bytes(const void *user)
{
    const pl__world_liquids *w = &((const pl_world *)user)->liquids;
    return w->liquid ? sizeof w->lag + (size_t)w->kind_count * live_bytes() +
                           sizeof(double) * pl__liquid_objects_numbers(w) + pl__liquid_saved_bytes(w->liquid)
                     : 0;
}

static void write(const void *user, pl__section_writer *to)
{
    const pl__world_liquids *w = &((const pl_world *)user)->liquids;
    pl__section_put(to, &w->lag, sizeof w->lag);
    for (int32_t k = 0; k < w->kind_count; ++k)
        put_live(&w->def[k], to);
    pl__liquid_objects_write(w, to);
    size_t size = pl__liquid_saved_bytes(w->liquid);
    char *room = pl__section_room(to, size);
    if (room)
        pl__liquid_save(w->liquid, room);
}

static pl_status check(pl_world *world, pl__section_reader *from)
{
    pl__world_liquids *w = &world->liquids;
    const char *saved;
    const char *why = "";
    PL_TRY(pl__section_get(from, &w->loaded_lag, sizeof w->loaded_lag));
    for (int32_t k = 0; k < w->kind_count; ++k)
        PL_TRY(get_live(world, k, from));
    PL_TRY(pl__section_get(from, w->loaded, sizeof(double) * pl__liquid_objects_numbers(w)));
    if (!(w->loaded_lag >= 0 && w->loaded_lag < 1e9) || !pl__liquid_objects_check(w))
        return pl__section_fail(from, "a time or a place is not a number that can be");
    size_t size = pl__section_left(from);
    PL_TRY(pl__section_view(from, size, &saved));
    pl__liquid_loading_release(&w->loading);
    pl_status status = pl__liquid_load(w->liquid, saved, size, &w->loading, &why);
    return status == PL_ERR_FORMAT ? pl__section_fail(from, "%s", why) : status;
}

static pl_status read_section(void *user, pl__section_reader *from, bool apply)
{
    pl_world *world = user;
    pl__world_liquids *w = &world->liquids;
    if (!w->liquid)
        return pl__section_left(from) == 0 ? PL_OK : pl__section_fail(from, "the world has no liquids");
    if (!apply)
        return check(world, from);
    from->at = from->end;
    w->lag = w->loaded_lag;
    memcpy(w->def, w->loaded_def, sizeof w->def);
    pl__liquid_objects_take(world);
    pl__liquid_take(w->liquid, &w->loading);
    w->drawn = w->summed = false;
    return PL_OK;
}

static void end_section(void *user, bool loaded)
{
    (void)loaded;
    pl__liquid_loading_release(&((pl_world *)user)->liquids.loading);
}

const pl__section_type pl__liquids_section = {.tag = "LIQU",
                                              .version = 9,
                                              .oldest = 9,
                                              .bytes = bytes,
                                              .write = write,
                                              .read = read_section,
                                              .end = end_section,
                                              .fingerprint = hash_liquids};
