// src/scene/domain_choice.c -- the domain of a scene file that gives no box.
//
// The box begins around the liquids, with room for a few cells, and its sides move away from liquid, so that none of
// them is ever felt. Its bottom is what liquid ends on:
//
//     a floor      the highest level plane below the liquids: the bottom is a wall there
//     else         if something has no end or moves by keys, or a plane is tilted, the bottom moves away like the other
//                  sides, since nobody knows what will be below
//     else         the lowest of the liquids and of all objects, as a wall
//
// What it does badly: liquid that runs down from the last object above nothing falls on that wall.
#include "build.h"
#include "contact/shape.h"
#include "scene.h"

#include <math.h>
#include <string.h>

static const double room = 4; // [cells] around the liquids

static const uint32_t all_sides = (1u << (PL_SIDE_UPPER_Z + 1)) - 1, below = 1u << PL_SIDE_LOWER_Y;

typedef struct choice
{
    double lower[3], upper[3]; // of the liquids [m]
    double floor, lowest;      // of planes, and of objects [m]
    bool endless;              // something is, or moves
} choice;

// The box around a shape that is somewhere.
static pl_status find_bounds(pl_context *ctx, const pl_object_def *shape, const double at[3], const double rotate[3],
                             double lower[3], double upper[3])
{
    pl_object_def part = *shape;
    pl_liquid_def def = {.shape = &part};
    pl__shape *region;
    part.lookup = PL_LOOKUP_EXACT;
    for (int i = 0; i < 3; ++i)
    {
        def.at[i] = at[i], def.rotate[i] = rotate[i];
        part.at[i] = part.rotate[i] = part.velocity[i] = part.spin[i] = 0;
    }
    PL_TRY(pl__liquid_region(ctx, &def, &region));
    pl__shape_bounds(region, lower, upper);
    pl__shape_destroy(&region);
    return PL_OK;
}

static pl_status fail_box(pl__source *s, const char *name, const char *why)
{
    return pl__json_fail(s->ctx, s->file.domain.record.json,
                         "domain: needs a `box`, such as [[0, 0, 0], [2, 1, 1]], since liquids.%s %s", name, why);
}

static pl_status add_liquids(pl__source *s, const pl_scene *scene, choice *c)
{
    for (int i = 0; i < 3; ++i)
        c->lower[i] = INFINITY, c->upper[i] = -INFINITY;
    for (size_t n = 0; n < scene->liquid_count; ++n)
    {
        const pl_liquid_def *def = &scene->liquid[n].def;
        double lower[3], upper[3];
        if (!def->shape)
            return fail_box(s, scene->liquid[n].name,
                            def->kind == PL_LIQUID_BODY ? "is where a body will be" : "has a level and no end");
        PL_TRY(find_bounds(s->ctx, def->shape, def->at, def->rotate, lower, upper));
        for (int i = 0; i < 3; ++i)
        {
            c->lower[i] = fmin(c->lower[i], lower[i]);
            c->upper[i] = fmax(c->upper[i], upper[i]);
        }
        if (!isfinite(lower[0] + lower[1] + lower[2] + upper[0] + upper[1] + upper[2]))
            return fail_box(s, scene->liquid[n].name, "has no end");
    }
    return PL_OK;
}

static bool has_keys(const pl_scene *scene, size_t index)
{
    for (size_t i = 0; i < scene->track_count; ++i)
        if ((scene->track[i].what == PL__KEYED_AT || scene->track[i].what == PL__KEYED_ROTATE) &&
            scene->track[i].index == (int32_t)index)
            return true;
    return false;
}

static pl_status add_object(pl__source *s, const pl_scene *scene, size_t n, choice *c)
{
    const pl_object_def *def = &scene->object[n].def;
    double lower[3], upper[3];
    if (def->kind == PL_OBJECT_BODY || def->kind == PL_OBJECT_ACTOR || has_keys(scene, n))
    {
        c->endless = true;
        return PL_OK;
    }
    if (def->kind == PL_OBJECT_PLANE)
    {
        bool level = def->normal[1] > 1 - 1e-9 && def->rotate[0] == 0 && def->rotate[2] == 0;
        if (level && def->at[1] <= c->lower[1] + 1e-9 * fabs(c->lower[1]))
            c->floor = fmax(c->floor, def->at[1]);
        c->endless = c->endless || !level;
        return PL_OK;
    }
    PL_TRY(find_bounds(s->ctx, def, def->at, def->rotate, lower, upper));
    if (isfinite(lower[1]))
        c->lowest = fmin(c->lowest, lower[1]);
    else
        c->endless = true;
    return PL_OK;
}

// Whole cells up or down from 0, so that a little more liquid does not move the grid.
static double snap(double x, double size, bool up) { return (up ? ceil(x / size) : floor(x / size)) * size; }

pl_status pl__domain_choose(pl__source *s, pl_scene *scene)
{
    const pl__file_domain *file = &s->file.domain;
    choice c = {.floor = -INFINITY, .lowest = INFINITY};
    pl_domain_def def = scene->domain.def;
    if (scene->liquid_count == 0)
        return pl__json_fail(s->ctx, file->record.json, "domain: needs a `box`, such as [[0, 0, 0], [2, 1, 1]]");
    PL_TRY(add_liquids(s, scene, &c));
    for (size_t n = 0; n < scene->object_count; ++n)
        PL_TRY(add_object(s, scene, n, &c));
    for (int i = 0; i < 3; ++i)
    {
        def.lower[i] = snap(c.lower[i] - room * def.size, def.size, false);
        def.upper[i] = snap(c.upper[i] + room * def.size, def.size, true);
    }
    bool down = !isfinite(c.floor) && c.endless;
    if (!down)
        def.lower[1] = isfinite(c.floor) ? c.floor : fmin(c.lower[1], c.lowest);
    def.upper[1] = def.lower[1] + snap(def.upper[1] - def.lower[1], def.size, true);
    def.grow = pl__given(&file->record, "grow") ? file->grow : down ? all_sides : all_sides & ~below;
    return pl__fail_at(s, pl_scene_set_domain(scene, &def), file->record.json, "");
}
