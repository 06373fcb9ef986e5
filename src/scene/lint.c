// src/scene/lint.c -- warnings of scenes that are valid but probably not meant.
//
// Nothing here is an error: the simulation would run as told, for hours, and show nothing. Warnings about single
// numbers are issued where those are read (units in build.c, sizes in body.c).
#include "build.h"
#include "mesh/topology.h"
#include "scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double thick_share = 5; // of the mean edge of a shell

static void tell(const pl__source *s, pl_log_level level, const pl__json *where, const char *format, va_list arguments)
{
    char place[256], sentence[512];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    pl__json_place(where, place, sizeof place);
    pl__log(s->ctx, level, "%s: %s", place, sentence);
}

__attribute__((format(printf, 3, 4))) static void warn(const pl__source *s, const pl__json *where, const char *format,
                                                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(s, PL_LOG_WARNING, where, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 3, 4))) static void note(const pl__source *s, const pl__json *where, const char *format,
                                                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(s, PL_LOG_NOTE, where, format, arguments);
    va_end(arguments);
}

// ---- keys --------------------------------------------------------------------------------------------------------

void pl__lint_keys(const pl__source *s, const char *path, const pl__keyed_value *keyed, const pl__json *where)
{
    double end = s->file.frames * s->file.time_scale / s->file.fps;
    if (keyed->count > 0 && end > 0 && keyed->times[0] > end)
        warn(s, where,
             "%s: its keys begin at %g s, after the shot has ended at %g s, so it stays as at the first of them; "
             "raise `frames`, or begin earlier",
             path, keyed->times[0], end);
}

static void warn_camera(const pl__source *s)
{
    const pl__file_camera *camera = &s->file.camera;
    pl__lint_keys(s, "camera.from", &camera->from, pl__where(&camera->record, "from"));
    pl__lint_keys(s, "camera.fov", &camera->fov, pl__where(&camera->record, "fov"));
    if (!camera->look_at.name)
        pl__lint_keys(s, "camera.look_at", &camera->look_at.point, pl__where(&camera->record, "look_at"));
}

// ---- the world ---------------------------------------------------------------------------------------------------

static void warn_gravity(const pl__source *s)
{
    const double *g = s->file.gravity.value, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (size > 100)
        warn(s, pl__where(&s->file.record, "gravity"),
             "gravity: %g m/s^2 is %.0f times that of the Earth; was it given in cm/s^2?", size, size / 9.81);
}

static bool has_melting_material(const pl_scene *scene)
{
    for (size_t i = 0; i < scene->material_count; ++i)
        if (scene->material[i].def.melting > 0)
            return true;
    return false;
}

// Heat sources, or pictures of temperature, without a melting material: only those have temperatures.
static void warn_heat(const pl__source *s, const pl_scene *scene)
{
    if (has_melting_material(scene))
        return;
    if (s->file.heat.count)
        warn(s, pl__where(&s->file.record, "heat"),
             "heat: no material has a `melting` temperature, so nothing is warmed");
    if (s->file.look.color_by == PL__COLOR_TEMPERATURE)
        warn(s, pl__where(&s->file.look.record, "color_by"),
             "look.color_by: no material has a `melting` temperature, so nothing has a temperature to show; give it "
             "one, or take another colour");
}

// ---- liquids -----------------------------------------------------------------------------------------------------

static const double noticeable = 1e-9;   // of a cell
static const double large_domain = 16e9; // [bytes]

// What was chosen, where no box is given.
static void note_choice(const pl__source *s, const pl__scene_domain *domain)
{
    const double *lower = domain->def.lower, *upper = domain->def.upper;
    static const char *const bottom[] = {"its bottom is a wall below them", "its bottom moves away from liquid, too"};
    note(s, s->file.domain.record.json,
         "domain: has no `box`: it begins from [%g, %g, %g] to [%g, %g, %g] m, around the liquids; %s%s", lower[0],
         lower[1], lower[2], upper[0], upper[1], upper[2],
         pl__given(&s->file.domain.record, "grow") ? "the sides in `grow` move away from liquid"
                                                   : "its sides move away from liquid, and ",
         pl__given(&s->file.domain.record, "grow") ? "" : bottom[domain->def.grow >> PL_SIDE_LOWER_Y & 1]);
}

static void note_rounding(const pl__source *s, const pl__scene_domain *domain)
{
    const double *upper = domain->def.upper, *box = s->file.domain.box;
    bool changed = false;
    if (!pl__given(&s->file.domain.record, "box"))
    {
        note_choice(s, domain);
        return;
    }
    for (int i = 0; i < 3; ++i)
        changed |= fabs(upper[i] - box[i + 3]) > noticeable * domain->def.size;
    if (changed)
        note(s, pl__where(&s->file.domain.record, "box"),
             "domain.box: is rounded to whole cells: its upper corner is [%g, %g, %g] m", upper[0], upper[1], upper[2]);
}

static void warn_domain(const pl__source *s, const pl__scene_domain *domain)
{
    double memory = pl__domain_memory(&domain->def);
    note_rounding(s, domain);
    if (s->file.liquids.count == 0)
        warn(s, s->file.domain.record.json, "domain: there are no `liquids` in it, so it does nothing");
    else if (memory > large_domain)
        warn(
            s, pl__where(&s->file.domain.record, "size"),
            "domain.size: %g m makes %d x %d x %d cells, about %.0f GB if all were liquid; larger cells, a smaller box "
            "or `depth` need less",
            domain->def.size, domain->cells[0], domain->cells[1], domain->cells[2], 1e-9 * memory);
}

static pl_status warn_liquid(const pl__source *s, const pl_scene *scene, int32_t index)
{
    const pl__file_liquid *file = pl__source_liquid(s, index);
    const pl_liquid_def *def = &scene->liquid[index].def;
    double thickness, size = scene->domain.def.size, top = scene->domain.def.upper[1];
    const char *name = file->record.name, *key = def->shape ? "shape" : "level";
    PL_TRY(pl__liquid_thickness(scene, def, &thickness));
    if (thickness < size)
        warn(s, pl__where(&file->record, key),
             "liquids.%s.%s: is %g m thin, less than a cell of %g m, and may not be seen; take smaller cells "
             "(domain.size)",
             name, key, thickness, size);
    if (!def->shape && !def->body && def->level >= top)
        warn(s, pl__where(&file->record, key),
             "liquids.%s.level: %g m is not below the top of the domain, %g m, so there is no air and no surface", name,
             def->level, top);
    return PL_OK;
}

// ---- bodies ------------------------------------------------------------------------------------------------------

// A body that explicitly collides, while no other one does.
static void warn_lonely_collider(const pl__source *s)
{
    const pl__file_body *last = NULL;
    int32_t colliding = 0;
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
    {
        colliding += pl__source_body(s, i)->collides;
        last = pl__source_body(s, i)->collides ? pl__source_body(s, i) : last;
    }
    if (colliding == 1 && pl__given(&last->record, "collides"))
        warn(s, pl__where(&last->record, "collides"), "bodies.%s.collides: does nothing, since no other body collides",
             last->record.name);
}

// The mean edge assumes equilateral triangles.
static void warn_thickness(const pl__source *s, int32_t index)
{
    const pl__made_body *made = &s->made[index];
    double edge = made->element_count > 0 ? sqrt(4 / sqrt(3) * made->area / made->element_count) : 0;
    if (made->kind == PL_BODY_SHELL && made->thickness > thick_share * edge)
        warn(s, pl__where(&pl__source_body(s, index)->record, "thickness"),
             "bodies.%s.thickness: %g m is %.0f times the edges of its triangles, about %.2g m; a shell is thin, and "
             "lengths are metres: take less, or a solid",
             made->name, made->thickness, made->thickness / edge, edge);
}

// A generated shape that falls into pieces because its elements are too large.
static pl_status warn_pieces(const pl__source *s, const pl__scene_body *body, int32_t index)
{
    const pl__file_body *file = pl__source_body(s, index);
    const pl_mesh *mesh = body->def.mesh;
    int32_t count = 0;
    if (file->mesh)
        return PL_OK;
    int32_t *part = PL_NEW(s->ctx, mesh->node_count, int32_t);
    if (!part)
        return PL_ERR_MEMORY;
    pl_status status = pl__connected_parts(s->ctx, pl__mesh_corners(mesh), mesh->element, mesh->element_count,
                                           mesh->node_count, part, &count);
    PL_DELETE(s->ctx, part, mesh->node_count);
    if (status == PL_OK && count > 1)
        warn(s, pl__where(&file->record, "size"),
             "bodies.%s.size: %g m is too large for its shape, which falls into %d pieces that nothing connects; take "
             "less",
             body->name, file->size, count);
    return status;
}

static bool holds_still(const pl__file_pin *pin)
{
    return !pin->cache && pin->move.count == 0 && pin->rotate.count == 0 && pin->strength.count == 0 &&
           pin->strength.value[0] == 1;
}

// All nodes are pinned at rest. Moving pins may be meant to push others, and a body that does not collide is scenery.
static void warn_pins(const pl__source *s, const pl__scene_body *body, int32_t index)
{
    const pl__file_body *file = pl__source_body(s, index);
    const pl__file_pin *pin = file->pins.item;
    int64_t held = 0; // a node belongs to one group at most
    for (size_t k = 0; k < body->pin_count && k < (size_t)file->pins.count; ++k)
        held += holds_still(&pin[k]) ? body->pin[k].count : 0;
    if (file->collides && held == pl_mesh_node_count(body->def.mesh))
        warn(s, pl__where(&file->record, "pins"),
             "bodies.%s.pins: hold all its %lld nodes, so it cannot move; select fewer, or make it an object",
             body->name, (long long)held);
}

pl_status pl__lint_scene(const pl__source *s, const pl_scene *scene)
{
    warn_gravity(s);
    warn_heat(s, scene);
    warn_lonely_collider(s);
    warn_camera(s);
    if (scene->domain.given)
        warn_domain(s, &scene->domain);
    for (int32_t i = 0; i < s->file.liquids.count; ++i)
        PL_TRY(warn_liquid(s, scene, i));
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
    {
        warn_thickness(s, i);
        warn_pins(s, &scene->body[i], i);
        PL_TRY(warn_pieces(s, &scene->body[i], i));
    }
    return PL_OK;
}
