// src/scene/lint.c -- what a scene says that is allowed, and probably not meant.
//
// Nothing here is an error: the simulation would do as it is told, for hours, and show nothing. Doubts about single
// numbers are where those are read (units in build.c, sizes in body.c).
#include "build.h"
#include "mesh/topology.h"
#include "scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double thick_share = 5; // of the mean edge of a shell

__attribute__((format(printf, 3, 4))) static void doubt(const pl__source *s, const pl__json *where, const char *format,
                                                        ...)
{
    char place[256], sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pl__json_place(where, place, sizeof place);
    pl__log(s->ctx, PL_LOG_WARNING, "%s: %s", place, sentence);
}

// ---- keys --------------------------------------------------------------------------------------------------------

void pl__lint_keys(const pl__source *s, const char *path, const pl__keyed_value *keyed, const pl__json *where)
{
    double end = s->file.frames * s->file.time_scale / s->file.fps;
    if (keyed->count > 0 && end > 0 && keyed->times[0] > end)
        doubt(s, where,
              "%s: its keys begin at %g s, after the shot has ended at %g s, so it stays as at the first of them; "
              "raise `frames`, or begin earlier",
              path, keyed->times[0], end);
}

static void doubt_camera(const pl__source *s)
{
    const pl__file_camera *camera = &s->file.camera;
    pl__lint_keys(s, "camera.from", &camera->from, pl__where(&camera->record, "from"));
    pl__lint_keys(s, "camera.fov", &camera->fov, pl__where(&camera->record, "fov"));
    if (!camera->look_at.name)
        pl__lint_keys(s, "camera.look_at", &camera->look_at.point, pl__where(&camera->record, "look_at"));
}

// ---- the world ---------------------------------------------------------------------------------------------------

static void doubt_gravity(const pl__source *s)
{
    const double *g = s->file.gravity.value, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (size > 100)
        doubt(s, pl__where(&s->file.record, "gravity"),
              "gravity: %g m/s^2 is %.0f times that of the Earth; was it given in cm/s^2?", size, size / 9.81);
}

static bool anything_melts(const pl_scene *scene)
{
    for (size_t i = 0; i < scene->material_count; ++i)
        if (scene->material[i].def.melting > 0)
            return true;
    return false;
}

// Sources of heat, and pictures of it, where nothing melts: only what can has a temperature.
static void doubt_heat(const pl__source *s, const pl_scene *scene)
{
    if (anything_melts(scene))
        return;
    if (s->file.heat.count)
        doubt(s, pl__where(&s->file.record, "heat"),
              "heat: no material has a `melting` temperature, so nothing is warmed");
    if (s->file.look.color_by == PL__COLOR_TEMPERATURE)
        doubt(s, pl__where(&s->file.look.record, "color_by"),
              "look.color_by: no material has a `melting` temperature, so nothing has a temperature to show; give it "
              "one, or take another colour");
}

// ---- bodies ------------------------------------------------------------------------------------------------------

// One that is told to collide with others, while none of them does.
static void doubt_alone(const pl__source *s)
{
    const pl__file_body *last = NULL;
    int32_t social = 0;
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
    {
        social += pl__source_body(s, i)->collides;
        last = pl__source_body(s, i)->collides ? pl__source_body(s, i) : last;
    }
    if (social == 1 && pl__given(&last->record, "collides"))
        doubt(s, pl__where(&last->record, "collides"), "bodies.%s.collides: does nothing, since no other body collides",
              last->record.name);
}

// The mean edge is that of equilateral triangles.
static void doubt_thickness(const pl__source *s, int32_t index)
{
    const pl__made_body *made = &s->made[index];
    double edge = made->element_count > 0 ? sqrt(4 / sqrt(3) * made->area / made->element_count) : 0;
    if (made->kind == PL_BODY_SHELL && made->thickness > thick_share * edge)
        doubt(s, pl__where(&pl__source_body(s, index)->record, "thickness"),
              "bodies.%s.thickness: %g m is %.0f times the edges of its triangles, about %.2g m; a shell is thin, and "
              "lengths are metres: take less, or a solid",
              made->name, made->thickness, made->thickness / edge, edge);
}

// A shape that was to be one body, in elements too large for it.
static pl_status doubt_pieces(const pl__source *s, const pl__scene_body *body, int32_t index)
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
        doubt(s, pl__where(&file->record, "size"),
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

// All of it is held, and goes nowhere. What pins lead about may be meant to push others, and what is told not to
// collide is scenery.
static void doubt_pins(const pl__source *s, const pl__scene_body *body, int32_t index)
{
    const pl__file_body *file = pl__source_body(s, index);
    const pl__file_pin *pin = file->pins.item;
    int64_t held = 0; // a node belongs to one group at most
    for (size_t k = 0; k < body->pin_count && k < (size_t)file->pins.count; ++k)
        held += holds_still(&pin[k]) ? body->pin[k].count : 0;
    if (file->collides && held == pl_mesh_node_count(body->def.mesh))
        doubt(s, pl__where(&file->record, "pins"),
              "bodies.%s.pins: hold all its %lld nodes, so it cannot move; select fewer, or make it an object",
              body->name, (long long)held);
}

pl_status pl__lint_scene(const pl__source *s, const pl_scene *scene)
{
    doubt_gravity(s);
    doubt_heat(s, scene);
    doubt_alone(s);
    doubt_camera(s);
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
    {
        doubt_thickness(s, i);
        doubt_pins(s, &scene->body[i], i);
        PL_TRY(doubt_pieces(s, &scene->body[i], i));
    }
    return PL_OK;
}
