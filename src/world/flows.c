// src/world/flows.c -- where sources, drains and open sides are, and whether they can be there.
#include "flows.h"
#include "contact/shape.h"
#include "world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool flows(const pl_liquid_def *def) { return def->kind == PL_LIQUID_SOURCE || def->kind == PL_LIQUID_DRAIN; }

// ---- cells -----------------------------------------------------------------------------------------------------

// Centers of the cells of the domain.
static void center_of(const pl_scene *scene, const int32_t at[3], double x[3])
{
    for (int a = 0; a < 3; ++a)
        x[a] = scene->domain.def.lower[a] + (at[a] + 0.5) * scene->domain.def.size;
}

// Whether a cell is not inside an object.
static bool is_free(const pl_scene *scene, const pl__obstacles *obstacles, const double x[3])
{
    pl__near_obstacles near;
    pl__obstacles_find(obstacles, x, x, scene->domain.def.size, false, &near);
    return pl__obstacles_look(&near, x, 0).distance > 0;
}

typedef struct cell_tally
{
    bool any, free; // cells in a shape; those of them that are not inside an object
} cell_tally;

static cell_tally tally_cells(const pl_scene *scene, const pl__shape *shape, const pl__obstacles *obstacles)
{
    cell_tally t = {false, false};
    double lower[3], upper[3], normal[3], x[3];
    int32_t low[3], high[3], at[3];
    pl__shape_bounds(shape, lower, upper);
    for (int a = 0; a < 3; ++a)
    {
        double size = scene->domain.def.size, from = scene->domain.def.lower[a];
        low[a] = (int32_t)fmin(fmax(floor((lower[a] - from) / size) - 1, 0), scene->domain.cells[a] - 1);
        high[a] = (int32_t)fmin(fmax(ceil((upper[a] - from) / size) + 1, 0), scene->domain.cells[a] - 1);
    }
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
        for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
            for (at[1] = low[1]; at[1] <= high[1] && !t.free; ++at[1])
            {
                center_of(scene, at, x);
                if (pl__shape_distance(shape, x, normal) >= 0)
                    continue;
                t.any = true;
                t.free = is_free(scene, obstacles, x);
            }
    return t;
}

static pl_status check_flow(pl_context *ctx, const pl_scene *scene, const pl__scene_liquid *liquid,
                            const pl__shape *shape, const pl__obstacles *obstacles)
{
    cell_tally t = tally_cells(scene, shape, obstacles);
    char owner[PL_NAME_BYTES + 16];
    const char *kind = liquid->def.kind == PL_LIQUID_SOURCE ? "source" : "drain";
    snprintf(owner, sizeof owner, "liquids.%s", liquid->name);
    PL_CHECK_FIELD(ctx, t.any, owner, "shape",
                   "the %s lies between the centers of the cells of %g m; make it larger, or the cells smaller "
                   "(domain.size)",
                   kind, scene->domain.def.size);
    PL_CHECK_FIELD(ctx, t.free, owner, "shape", "the %s is inside an object, where no liquid can be; move one of them",
                   kind);
    return PL_OK;
}

// ---- liquid at the start ---------------------------------------------------------------------------------------

// Whether some cell that a level reaches is not inside an object.
static bool is_above_ground(const pl_scene *scene, const pl__obstacles *obstacles, double level)
{
    const int32_t *n = scene->domain.cells;
    int32_t at[3];
    bool found = false;
    for (at[2] = 0; at[2] < n[2] && !found; ++at[2])
        for (at[0] = 0; at[0] < n[0] && !found; ++at[0])
            for (at[1] = n[1] - 1; at[1] >= 0 && !found; --at[1])
            {
                double x[3];
                center_of(scene, at, x);
                found = x[1] - 0.5 * scene->domain.def.size < level && is_free(scene, obstacles, x);
            }
    return found;
}

static pl_status check_start(pl_context *ctx, const pl_scene *scene, const pl__scene_liquid *liquid,
                             const pl__shape *shape, const pl__obstacles *obstacles)
{
    char owner[PL_NAME_BYTES + 16];
    snprintf(owner, sizeof owner, "liquids.%s", liquid->name);
    if (!shape)
    {
        PL_CHECK_FIELD(ctx, is_above_ground(scene, obstacles, liquid->def.level), owner, "level",
                       "all cells below %g m are inside objects, where no liquid can be; raise it, or lower the ground",
                       liquid->def.level);
        return PL_OK;
    }
    cell_tally t = tally_cells(scene, shape, obstacles);
    PL_CHECK_FIELD(ctx, t.free || !t.any, owner, "shape",
                   "is inside objects, where no liquid can be; move one of them");
    return PL_OK;
}

pl_status pl__flows_check_volume(pl_context *ctx, const pl_scene *scene, double volume)
{
    bool any = volume > 0 || scene->domain.def.held, drains = true;
    for (size_t i = 0; i < scene->liquid_count; ++i)
    {
        any = any || scene->liquid[i].def.kind == PL_LIQUID_SOURCE || scene->liquid[i].def.kind == PL_LIQUID_BODY;
        drains = drains && scene->liquid[i].def.kind == PL_LIQUID_DRAIN;
    }
    if (any)
        return PL_OK;
    if (drains)
        return pl__fail_path(ctx, PL_ERR_ARGUMENT, "liquids",
                             "there are only drains and no liquid; add some, or a source");
    return pl__fail_path(ctx, PL_ERR_ARGUMENT, "domain.size",
                         "%g m: the liquid lies between the centers of cells so large, and there would be none; take "
                         "smaller cells, or more liquid",
                         scene->domain.def.size);
}

// ---- sides -----------------------------------------------------------------------------------------------------

// Whether some cell along a side is below the level and not inside an object.
static bool has_water(const pl_scene *scene, const pl__obstacles *obstacles, int side)
{
    const int32_t *n = scene->domain.cells;
    int axis = side / 2, across = 2 - axis;
    int32_t at[3];
    bool found = false;
    at[axis] = side % 2 ? n[axis] - 1 : 0;
    for (at[across] = 0; at[across] < n[across]; ++at[across])
        for (at[1] = 0; at[1] < n[1] && !found; ++at[1])
        {
            double x[3];
            center_of(scene, at, x);
            found = x[1] < scene->domain.def.level && is_free(scene, obstacles, x);
        }
    return found;
}

pl_status pl__flows_check(pl_context *ctx, const pl_scene *scene, struct pl__shape *const *shape,
                          const pl__obstacles *obstacles)
{
    static const char *const name[] = {"-x", "+x", "-y", "+y", "-z", "+z"};
    const pl_domain_def *d = &scene->domain.def;
    for (size_t i = 0; i < scene->liquid_count; ++i)
        if (flows(&scene->liquid[i].def))
            PL_TRY(check_flow(ctx, scene, &scene->liquid[i], shape[i], obstacles));
        else if (!d->held && scene->liquid[i].def.kind == PL_LIQUID_START) // or else it may come in
            PL_TRY(check_start(ctx, scene, &scene->liquid[i], shape[i], obstacles));
    for (int side = 0; side < 6 && d->held; ++side)
        if ((d->open >> side & 1) && side / 2 != 1)
            PL_CHECK_FIELD(ctx, has_water(scene, obstacles, side), "domain", "level",
                           "%g m is below the ground all along the open side %s; raise it, or close that side",
                           d->level, name[side]);
    return PL_OK;
}

double pl__flows_sponge(const pl_domain_def *d)
{
    double width = 3 * (d->level - d->lower[1]);
    for (int side = 0; side < 6; ++side)
        if ((d->open >> side & 1) && side / 2 != 1)
            width = fmin(width, 0.25 * (d->upper[side / 2] - d->lower[side / 2]));
    return width;
}

uint64_t pl__flows_list(const pl_scene *scene, struct pl__shape *const *shape, const int32_t *kind, uint64_t hash,
                        pl__liquid_source *source, pl__liquid_def *def)
{
    def->source = source;
    def->source_count = 0;
    for (size_t i = 0; i < scene->liquid_count; ++i)
    {
        const pl_liquid_def *l = &scene->liquid[i].def;
        if (!flows(l))
            continue;
        pl__liquid_source *s = &source[def->source_count++];
        *s = (pl__liquid_source){.shape = shape[i],
                                 .drain = l->kind == PL_LIQUID_DRAIN,
                                 .liquid = kind[i] < 0 ? 0 : kind[i],
                                 .rate = l->rate,
                                 .start = l->start,
                                 .valve = l->valve,
                                 .temperature = l->temperature,
                                 .end = l->end > 0 ? l->end : INFINITY};
        memcpy(s->velocity, l->velocity, sizeof s->velocity);
        hash = pl__shape_hash(hash, shape[i]);
    }
    return hash;
}

static pl__vortex_source vortex_source(const pl_vortices_def *v)
{
    pl__vortex_source s = {.object = -1,
                           .radius = v->radius,
                           .rate = v->rate,
                           .vorticity = v->vorticity,
                           .strength = v->strength,
                           .life = v->life,
                           .power = v->power,
                           .start = v->start,
                           .end = v->end > 0 ? v->end : INFINITY};
    memcpy(s.at, v->at, sizeof s.at);
    return s;
}

pl_status pl__flows_list_vortices(const pl_scene *scene, const char (*name)[PL_NAME_BYTES], size_t count,
                                  pl__vortex_source *source, pl__liquid_def *def)
{
    def->vortex = source;
    def->vortex_count = (int32_t)scene->vortices_count;
    for (size_t i = 0; i < scene->vortices_count; ++i)
    {
        PL_TRY(pl__vortices_check(scene, i));
        source[i] = vortex_source(&scene->vortices[i].def);
        for (size_t k = 0; k < count; ++k)
            if (strcmp(name[k], scene->vortices[i].on) == 0)
                source[i].object = (int32_t)k;
    }
    return PL_OK;
}

void pl__flows_names(const pl_scene *scene, char (*name)[PL_NAME_BYTES])
{
    for (size_t i = 0; i < scene->liquid_count; ++i)
        if (flows(&scene->liquid[i].def))
            strcpy(*name++, scene->liquid[i].name);
}

// ---- valves ----------------------------------------------------------------------------------------------------

static pl__sources *sources_of(const void *user)
{
    const pl__world_liquids *w = &((const pl_world *)user)->liquids;
    return w->liquid ? &w->liquid->sources : NULL;
}

static size_t valve_bytes(const void *user)
{
    const pl__sources *s = sources_of(user);
    return s ? (size_t)s->count * sizeof s->source[0].valve : 0;
}

static void write_valves(const void *user, pl__section_writer *to)
{
    const pl__sources *s = sources_of(user);
    for (int32_t n = 0; n < s->count; ++n)
        pl__section_put(to, &s->source[n].valve, sizeof s->source[n].valve);
}

static pl_status read_valves(void *user, pl__section_reader *from, bool apply)
{
    pl__sources *s = sources_of(user);
    for (int32_t n = 0; s && n < s->count; ++n)
    {
        double valve;
        PL_TRY(pl__section_get(from, &valve, sizeof valve));
        if (!(valve >= 0 && valve <= 1))
            return pl__section_fail(from, "a valve is not open by 0 to 1");
        if (apply)
            s->source[n].valve = valve;
    }
    return PL_OK;
}

const pl__section_type pl__valves_section = {
    .tag = "TAPS", .version = 1, .oldest = 1, .bytes = valve_bytes, .write = write_valves, .read = read_valves};
