// src/world/liquids.c -- a liquid advances beside the bodies of a world, and is saved with it.
//
// Bodies may need far shorter substeps than a liquid. So a liquid waits: it advances, by steps of its own, when it lags
// by the longest step it may take, and at the end of a step of the world. Objects are where they are at the end of its
// step; in between they have moved evenly from where it met them last.
#include "liquids.h"
#include "base/hash.h"
#include "flows.h"
#include "fluid/advect.h"
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
    if (scene->liquid_count > 0)
    {
        world->liquids.def = scene->liquid[0].def;
        world->liquids.def.shape = NULL;
    }
    return PL_OK;
}

// ---- start -----------------------------------------------------------------------------------------------------

typedef struct regions
{
    const pl_scene *scene;
    struct pl__shape **shape;  // [liquids] NULL: below a level
    pl__liquid_source *source; // [liquids]
    pl__vortex_source *vortex; // [vortices]
} regions;

static const double degree = 0.017453292519943295;

// The nearest region.
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
        double normal[3], d = r->shape[i] ? pl__shape_distance(r->shape[i], x, normal) : x[1] - def->level;
        if (d < nearest)
        {
            nearest = d;
            pl_vec3 spin = pl_scale3(degree, pl_make3(def->spin[0], def->spin[1], def->spin[2])),
                    arm = pl_make3(x[0] - def->at[0], x[1] - def->at[1], x[2] - def->at[2]),
                    turning = pl_cross3(spin, arm);
            for (int a = 0; a < 3; ++a)
                velocity[a] = def->velocity[a] + turning.v[a];
        }
    }
    return nearest;
}

// Whether a number is above 0 at the start, or may get there by its keys.
static bool may_have(const pl_scene *scene, const char *field)
{
    int32_t row = (int32_t)(pl__fields_find(&pl__liquid_fields, field) - pl__liquid_fields.row);
    for (size_t i = 0; i < scene->track_count; ++i)
        if (scene->track[i].what == PL__KEYED_LIQUID && scene->track[i].field == row)
            return true;
    return pl__field_get(&pl__liquid_fields.row[row], &scene->liquid[0].def, 0) > 0;
}

// Take the numbers that may have changed since the last step.
static void follow(pl__liquid *l, const pl_liquid_def *def)
{
    l->def.viscosity = def->viscosity;
    l->def.elastic.elasticity = def->elasticity;
    l->def.elastic.yield = def->yield;
    l->def.elastic.flow = def->flow;
    l->def.elastic.hardening = def->hardening;
}

static pl__liquid_def define(const pl_scene *scene)
{
    const pl_domain_def *d = &scene->domain.def;
    const pl_liquid_def *l = &scene->liquid[0].def;
    pl__liquid_def def = {.h = d->size,
                          .depth = d->depth,
                          .cfl = d->cfl,
                          .tolerance = d->tolerance,
                          .particles = d->particles,
                          .seed = (uint64_t)d->seed,
                          .density = l->density,
                          .viscous = may_have(scene, "viscosity"),
                          .remembers = may_have(scene, "elasticity"),
                          .elastic = {.linear = l->strain == PL_STRAIN_LINEAR},
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

static pl_status make(pl_world *world, const pl_scene *scene, regions *r)
{
    pl__world_liquids *w = &world->liquids;
    for (size_t i = 0; i < scene->liquid_count; ++i)
        if (scene->liquid[i].def.shape)
            PL_TRY(pl__liquid_region(world->ctx, &scene->liquid[i].def, &r->shape[i]));
    PL_TRY(pl__liquid_objects_make(world, scene->domain.def.size));
    pl__liquid_def def = define(scene);
    pl__obstacles obstacles = pl__liquid_objects_met(w);
    PL_TRY(pl__flows_check(world->ctx, scene, r->shape, &obstacles));
    w->hash = pl__flows_list(scene, r->shape, w->hash, r->source, &def);
    pl__flows_names(scene, w->source_name);
    PL_TRY(pl__flows_list_vortices(scene, world->objects.name, world->objects.count, r->vortex, &def));
    PL_TRY(pl__liquid_create(world->ctx, &def, start_distance, r, &obstacles, &w->liquid));
    if (w->liquid->def.viscous)
        w->hash = pl__hash(w->hash, def.remembers ? "elastic" : "viscous", 7);
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

static pl_status advance(void *self, double *dt)
{
    pl_world *world = self;
    pl__world_liquids *w = &world->liquids;
    const double *gravity = world->state.gravity;
    double longest = pl__liquid_longest_step(w->liquid, gravity);
    bool last = !(*dt < world->state.pending.remaining);
    w->lag += *dt;
    if (!last && w->lag + *dt <= longest)
        return PL_OK;
    follow(w->liquid, &w->def);
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

static void figures(void *self, pl_step_info *info)
{
    pl_world *world = self;
    pl__liquid *l = world->liquids.liquid;
    pl__liquid_sums sums;
    if (pl__liquid_sum(l, &sums) != PL_OK)
        return;
    info->mass += sums.mass;
    info->kinetic += sums.kinetic;
    for (int i = 0; i < 3; ++i)
    {
        info->gravity -= sums.center[i] * world->state.gravity[i];
        info->momentum[i] += sums.momentum[i];
        info->center[i] += sums.center[i];
    }
    info->liquid_volume = sums.volume;
    info->liquid_spray = sums.spray;
    double due = pl__liquid_due_volume(l);
    info->liquid_drift = due > 0 ? (sums.volume + sums.spray) / due - 1 : 0;
    info->liquid_added = l->state.added;
    if (l->def.remembers && world->liquids.def.elasticity > 0)
    {
        pl__elastic_sums elastic;
        pl__elastic_sum(&l->def.elastic, &l->state.grid.cell, &l->state.elastic, l->state.part, l->state.open,
                        &elastic);
        info->elastic += elastic.energy;
        info->liquid_strain = elastic.strain;
        info->liquid_yielded = elastic.yielded;
    }
    info->liquid_speed = sums.speed;
    info->liquid_iterations = l->info.pressure.solve.iterations;
    info->liquid_squeezed = l->info.pressure.incompatible;
    info->vortex_power = l->info.vortex_power;
}

// The surface of the present state, or the last one when out of memory; and the drops.
static void draw(pl__world_liquids *w)
{
    pl__liquid *l = w->liquid;
    if (w->drawn)
        return;
    w->drawn = true; // also if it fails: what is read has the size that was told
    w->version++;
    pl__drawn_spray_make(l->ctx, &l->state.spray, &w->spray);
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
    (void)!pl__liquid_surface_make(l->ctx, &def, &w->surface);
}

// Of clear water, red, green and blue [1/m].
static const double absorption_of_water[3] = {0.45, 0.09, 0.06};

enum
{
    SURFACE,
    SPRAY,
    WITHOUT_FOAM,
    FROTH = WITHOUT_FOAM, // bubbles, and foam
    WITH_FOAM = FROTH + 2
};

static int32_t drawable_count(const void *self)
{
    const pl__liquid *l = liquids_of(self)->liquid;
    return !l ? 0 : l->def.foam > 0 ? WITH_FOAM : WITHOUT_FOAM;
}

static void drawable(const void *self, int32_t i, pl_drawable *d)
{
    pl__world_liquids *w = liquids_of(self);
    draw(w);
    d->version = w->version;
    if (i == SPRAY)
    {
        pl__drawn_spray_describe(&w->spray, d);
        return;
    }
    if (i >= FROTH)
    {
        pl__drawn_foam_describe(&w->froth[i - FROTH], d);
        d->look = i - FROTH == PL__FOAM ? PL_LOOK_FOAM : PL_LOOK_OPAQUE;
        return;
    }
    d->name = w->name;
    d->vertex_count = w->surface.vertex_count;
    d->triangle_count = w->surface.triangle_count;
    d->triangles = w->surface.triangle;
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
    draw(w);
    if (i == SPRAY)
    {
        pl__drawn_spray_read(&w->spray, &w->liquid->state.spray, vertices, velocities);
        return PL_OK;
    }
    if (i >= FROTH)
    {
        pl__drawn_foam_read(&w->froth[i - FROTH], &w->liquid->state.foam, vertices, velocities);
        return PL_OK;
    }
    weave(w->surface.x, w->surface.vertex_count, vertices);
    weave(w->surface.v, w->surface.vertex_count, velocities);
    return PL_OK;
}

static pl_status normals(const void *self, int32_t i, double *to)
{
    pl__world_liquids *w = liquids_of(self);
    draw(w);
    if (i != SURFACE)
        memset(to, 0, 3 * (size_t)(i == SPRAY ? w->spray.count : w->froth[i - FROTH].count) * sizeof *to);
    else
        weave(w->surface.normal, w->surface.vertex_count, to);
    return PL_OK;
}

// The surface stands for all of the liquid, drops included; bubbles and foam have no mass.
static pl_status report(void *self, int32_t i, pl_step_info *info)
{
    pl_world *world = self;
    const pl__liquid *l = world->liquids.liquid;
    *info = (pl_step_info){.time = world->state.time, .min_J = INFINITY};
    if (i == SPRAY)
        pl__drawn_spray_report(&l->state.spray, l->def.density, world->state.gravity, info);
    else if (i == SURFACE)
        figures(self, info);
    for (int k = 0; k < 3 && info->mass > 0; ++k)
        info->center[k] /= info->mass;
    return PL_OK;
}

static void destroy(void *self)
{
    pl_world *world = self;
    pl__world_liquids *w = &world->liquids;
    pl__liquid_surface_done(world->ctx, &w->surface);
    pl__drawn_spray_done(world->ctx, &w->spray);
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
                                                 .report = report,
                                                 .destroy = destroy};

pl_status pl__world_liquids_make(pl_world *world, const pl_scene *scene)
{
    pl__world_liquids *w = &world->liquids;
    if (scene->liquid_count == 0)
        return PL_OK;
    const char *needs_cubes = may_have(scene, "viscosity") ? "viscosity" : "elasticity";
    if (scene->domain.def.depth > 0 && may_have(scene, needs_cubes))
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, "domain.depth",
                             "makes tall cells, but liquids.%s has a %s, which needs cubes everywhere; leave `depth` "
                             "out, or the %s",
                             scene->liquid[0].name, needs_cubes, needs_cubes);
    PL_TRY(pl__steppers_add(world, &liquids_stepper, world)); // destroys what follows, as far as it got
    regions r = {scene, PL_NEW(world->ctx, scene->liquid_count, struct pl__shape *),
                 PL_NEW(world->ctx, scene->liquid_count, pl__liquid_source),
                 PL_NEW(world->ctx, scene->vortices_count + 1, pl__vortex_source)};
    w->source_room = scene->liquid_count;
    w->source_name = (char(*)[PL_NAME_BYTES])pl__calloc(world->ctx, w->source_room, sizeof *w->source_name);
    strcpy(w->name, scene->liquid[0].name);
    snprintf(w->spray.name, sizeof w->spray.name, "%.*s_spray", (int)(sizeof w->spray.name - sizeof "_spray"), w->name);
    for (int k = 0; k < 2; ++k)
        snprintf(w->froth[k].name, sizeof w->froth[k].name, "%.*s_%s",
                 (int)(sizeof w->froth[k].name - sizeof "_bubbles"), w->name, k == PL__FOAM ? "foam" : "bubbles");
    pl_status status = r.shape && r.source && r.vortex && w->source_name ? make(world, scene, &r) : PL_ERR_MEMORY;
    release_regions(world->ctx, &r);
    return status;
}

// ---- live numbers -----------------------------------------------------------------------------------------------

double *pl__world_liquids_number(pl_world *world, int32_t row)
{
    return (double *)(void *)((char *)&world->liquids.def + pl__liquid_fields.row[row].offset);
}

pl_status pl__world_liquids_allow(const pl_world *world, int32_t row, double value)
{
    const pl__world_liquids *w = &world->liquids;
    const char *name = pl__liquid_fields.row[row].name;
    char path[PL_NAME_BYTES + 32];
    snprintf(path, sizeof path, "liquids.%s.%s", w->name, name);
    PL_TRY(pl__field_check_value(world->ctx, &pl__liquid_fields.row[row], path, value));
    if (strcmp(name, "elasticity") == 0 && value > 0 && !w->liquid->def.remembers)
        return pl__fail_path(world->ctx, PL_ERR_ARGUMENT, path,
                             "this liquid was made without memory of its shape; give its definition an elasticity, or "
                             "keys of it");
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

static pl_status get_live(pl_world *world, pl__section_reader *from)
{
    pl__world_liquids *w = &world->liquids;
    w->loaded_def = w->def;
    for (int32_t i = 0; i < pl__liquid_fields.count; ++i)
    {
        const pl__field *row = &pl__liquid_fields.row[i];
        double value;
        if (row->when != PL__WHEN_LIVE)
            continue;
        PL_TRY(pl__section_get(from, &value, sizeof value));
        if (pl__world_liquids_allow(world, i, value) != PL_OK)
            return pl__section_fail(from, "%s of the liquid is out of range", row->name);
        memcpy((char *)&w->loaded_def + row->offset, &value, sizeof value);
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
    return w->liquid ? sizeof w->lag + live_bytes() + sizeof(double) * pl__liquid_objects_numbers(w) +
                           pl__liquid_saved_bytes(w->liquid)
                     : 0;
}

static void write(const void *user, pl__section_writer *to)
{
    const pl__world_liquids *w = &((const pl_world *)user)->liquids;
    pl__section_put(to, &w->lag, sizeof w->lag);
    put_live(&w->def, to);
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
    PL_TRY(get_live(world, from));
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
    w->def = w->loaded_def;
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
                                              .version = 7,
                                              .oldest = 7,
                                              .bytes = bytes,
                                              .write = write,
                                              .read = read_section,
                                              .end = end_section,
                                              .fingerprint = hash_liquids};
