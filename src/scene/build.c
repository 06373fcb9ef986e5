// src/scene/build.c -- builds a pl_scene from a scene file.
#include "build.h"
#include "base/hash.h"
#include "definitions.h"
#include "material/material_fields.h"
#include "preset.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- files and failures ----------------------------------------------------------------------------------------

// Location of `path` in the scene; `where` if it is missing there, or if it contains `where`.
static const pl__json *place_of(const pl__source *s, const char *path, const pl__json *where)
{
    const pl__json *found = path[0] ? pl__json_at(s->doc.root, path) : NULL;
    for (const pl__json *around = where; around && found; around = around->parent)
        if (around == found)
            return where;
    return found ? found : where;
}

const pl__json *pl__source_place(const pl__source *s, const char *path)
{
    char part[PL__ERROR_PATH];
    snprintf(part, sizeof part, "%s", path);
    const pl__json *found = pl__json_at(s->doc.root, part);
    for (char *end = part + strlen(part); !found && end > part; --end)
        if (*end == '.')
        {
            *end = 0;
            found = pl__json_at(s->doc.root, part);
        }
    return found ? found : s->doc.root;
}

pl_status pl__fail_at(pl__source *s, pl_status status, const pl__json *where, const char *path)
{
    if (status != PL_ERR_ARGUMENT && status != PL_ERR_FILE)
        return status; // errors inside mesh files have their own location
    char room[320], about[PL__ERROR_PATH];
    snprintf(room, sizeof room, "%s", pl_context_error(s->ctx));
    snprintf(about, sizeof about, "%s", path[0] ? path : pl_context_error_path(s->ctx));
    const char *sentence = room, *after = strstr(room, ": "), *joint = path[0] ? ": " : "";
    if (strncmp(sentence, "pl_", 3) == 0 && after)
        sentence = after + 2; // drop the name of the function: users of files did not call it
    if (!path[0])
        where = place_of(s, about, where);
    status = pl__json_fail(s->ctx, where, "%s%s%s", path, joint, sentence);
    return about[0] ? pl__fail_about(s->ctx, status, about) : status;
}

pl_status pl__fail_as(pl__source *s, pl_status status, const pl__json *where, const char *library, const char *path)
{
    char sentence[320], known[PL__ERROR_PATH], about[2 * PL__ERROR_PATH];
    if (status != PL_ERR_ARGUMENT)
        return status;
    snprintf(sentence, sizeof sentence, "%s", pl_context_error(s->ctx));
    snprintf(known, sizeof known, "%s", pl_context_error_path(s->ctx));
    size_t length = strlen(library);
    const char *found = known[0] ? strstr(sentence, known) : NULL;
    if (!found || strncmp(known, library, length) != 0)
        return pl__json_fail(s->ctx, where, "%s: %s", path, sentence);
    snprintf(about, sizeof about, "%s%s", path, known + length);
    status = pl__json_fail(s->ctx, place_of(s, about, where), "%.*s%s%s", (int)(found - sentence), sentence, about,
                           found + strlen(known));
    return pl__fail_about(s->ctx, status, about);
}

static const char *resolve_path(pl__source *s, const char *written)
{
    if (written[0] == '/')
        return written;
    size_t length = strlen(s->directory), more = strlen(written) + 1;
    char *path = pl__json_take(&s->doc, length + more, 1);
    if (path)
    {
        memcpy(path, s->directory, length);
        memcpy(path + length, written, more);
    }
    return path;
}

static pl_status open_recorded(pl__source *s, pl__json *json, pl__opened *file)
{
    const pl_file_reader *reader = &s->ctx->def.file_reader;
    int error = reader->open(reader->user, file->path, &file->data, &file->size);
    if (error)
        return pl__file_fail(s->ctx, file->path, error);
    if (!PL_GROW(s->ctx, s->input, &s->input_capacity, s->input_count + 1))
    {
        pl__input_close(s, file);
        return PL_ERR_MEMORY;
    }
    s->input[s->input_count++] =
        (pl__input){.json = json, .path = file->path, .hash = pl__hash(0, file->data, file->size), .bytes = file->size};
    return PL_OK;
}

pl_status pl__input_open(pl__source *s, const pl__record *record, const char *field, const char *path_of_field,
                         pl__opened *file)
{
    pl__json *json = (pl__json *)pl__where(record, field);
    const char *written = json->text;
    if (!written[0])
        return pl__json_fail(s->ctx, json, "%s: the name of the file is empty", path_of_field);
    *file = (pl__opened){.path = resolve_path(s, written)};
    return file->path ? pl__fail_at(s, open_recorded(s, json, file), json, path_of_field) : PL_ERR_MEMORY;
}

pl_status pl__input_open_partner(pl__source *s, pl__opened *file) { return open_recorded(s, NULL, file); }

pl_status pl__input_note_partner(pl__source *s, const char *path)
{
    pl__opened file = {.path = path};
    PL_TRY(open_recorded(s, NULL, &file));
    pl__input_close(s, &file);
    return PL_OK;
}

void pl__input_close(pl__source *s, pl__opened *file)
{
    s->ctx->def.file_reader.close(s->ctx->def.file_reader.user, file->data, file->size);
}

// ---- keys ------------------------------------------------------------------------------------------------------

static pl_status set_keys(pl_scene *scene, const char *path, const pl__keyed_value *keyed)
{
    pl_keys_def def = pl_keys_def_default();
    def.times = keyed->times;
    def.values = keyed->values;
    def.count = keyed->count;
    def.components = keyed->components;
    def.ease = (pl_ease)keyed->ease;
    return pl_scene_set_keys(scene, path, &def);
}

pl_status pl__keys_add(pl__source *s, pl_scene *scene, const char *path, const pl__keyed_value *keyed,
                       const pl__json *where)
{
    pl__lint_keys(s, path, keyed, where);
    return keyed->count ? pl__fail_at(s, set_keys(scene, path, keyed), where, "") : PL_OK;
}

// ---- materials -------------------------------------------------------------------------------------------------

// Index of the scene's material of that name, or -1.
static int32_t find_file_material(const pl__source *s, const char *name)
{
    const pl__json *found = pl__json_find(pl__json_find(s->doc.root, "materials"), name);
    return found ? found->index : -1;
}

static pl_status fail_material(pl__source *s, const pl__json *where, const char *path, const char *name)
{
    const char *names[128];
    int32_t count = 0;
    for (int32_t i = 0; i < s->file.materials.count && count < 80; ++i)
        names[count++] = pl__source_material(s, i)->record.name;
    for (int32_t i = 0; pl__preset_at(i) && count < 127; ++i)
        names[count++] = pl__preset_at(i)->name;
    names[count] = NULL;
    const char *guess = pl__near_miss(name, names);
    if (guess)
        return pl__json_fail(s->ctx, where, "%s: there is no material \"%.60s\"; did you mean \"%s\"?", path, name,
                             guess);
    char allowed[300] = "";
    size_t used = 0;
    for (int32_t i = 0; i < count && used < sizeof allowed - 20; ++i)
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%.40s", i ? ", " : "", names[i]);
    return pl__json_fail(s->ctx, where, "%s: there is no material \"%.60s\"; there are %s", path, name, allowed);
}

static void from_preset(const pl__preset *preset, pl__resolved_material *out)
{
    *out = (pl__resolved_material){.def = pl__preset_material(preset)};
    memcpy(out->color, preset->color, sizeof out->color);
}

// Apply the record's own values over those inherited by `like`.
static void override(const pl__file_material *m, pl__resolved_material *out)
{
    pl_material_def *def = &out->def;
    pl__fields_take(&pl__material_fields, &pl__material_table, m, true, def);
    for (int32_t i = 0; i < pl__material_fields.count; ++i)
        if (pl__given(&m->record, pl__material_fields.row[i].name))
            out->keys[i] = pl__record_keys(&pl__material_table, m, pl__material_fields.row[i].name);
    def->kind = pl__given(&m->record, "model") ? (pl_material_kind)m->model : def->kind;
    if (pl__given(&m->record, "color"))
        memcpy(out->color, m->color, sizeof out->color);
}

static pl_status resolve(pl__source *s, const pl__file_material *m, const char *path, const pl__resolved_material *base,
                         pl__resolved_material *out);

// The scene's material that another one refers to by `like`, or -1: a preset, or none. Its own name means the preset.
static int32_t like_of(const pl__source *s, int32_t index)
{
    int32_t other = find_file_material(s, pl__source_material(s, index)->like);
    return other == index ? -1 : other;
}

// Resolve one of the scene's materials. On first use, follow the chain of `like` to a resolved one and resolve from
// that end.
static pl_status resolve_known(pl__source *s, int32_t index, pl__resolved_material *out)
{
    char path[64];
    int32_t length = 0, i = index;
    for (; i >= 0 && s->known[i].state == PL__MATERIAL_UNSEEN; i = like_of(s, i))
    {
        s->known[i].state = PL__MATERIAL_OPEN;
        s->known[length++].chain = i;
    }
    bool circle = i >= 0 && s->known[i].state == PL__MATERIAL_OPEN;
    while (length-- > 0)
    {
        pl__known_material *known = &s->known[s->known[length].chain];
        const pl__file_material *m = pl__source_material(s, s->known[length].chain);
        snprintf(path, sizeof path, "materials.%.40s", m->record.name);
        if (circle)
            return pl__json_fail(s->ctx, pl__where(&m->record, "like"),
                                 "%s.like: is like itself in the end, over \"%s\"; materials must not form a circle",
                                 path, m->like);
        PL_TRY(resolve(s, m, path, NULL, &known->resolved));
        known->state = PL__MATERIAL_DONE;
    }
    *out = s->known[index].resolved;
    return PL_OK;
}

static pl_status resolve(pl__source *s, const pl__file_material *m, const char *path, const pl__resolved_material *base,
                         pl__resolved_material *out)
{
    const pl__json *where = m->record.json ? pl__where(&m->record, "like") : s->doc.root;
    bool bare = m->record.json && m->record.json->kind == PL__JSON_STRING;
    int32_t other = find_file_material(s, m->like);
    const pl__preset *preset = pl__preset_find(m->like);
    bool itself = other >= 0 && pl__source_material(s, other) == m; // then it means the preset
    if (base && !bare && !pl__given(&m->record, "like"))
        *out = *base;
    else if (other >= 0 && !itself)
        PL_TRY(resolve_known(s, other, out));
    else if (preset)
        from_preset(preset, out);
    else if (itself)
        return pl__json_fail(s->ctx, where, "%s.like: a material cannot be like itself; name another, or a preset",
                             path);
    else
        return fail_material(s, where, path, m->like);
    if (m->record.json && !bare)
        override(m, out);
    return PL_OK;
}

pl_status pl__material_resolve_file(pl__source *s, const pl__file_material *m, const char *path,
                                    const pl__resolved_material *base, pl__resolved_material *out)
{
    return resolve(s, m, path, base, out);
}

pl_material_id pl__material_find(const pl_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->material_count; ++i)
        if (strcmp(scene->material[i].name, name) == 0)
            return (pl_material_id){(int32_t)i + 1};
    return (pl_material_id){0};
}

// Warn of parameters that are probably in other units.
static void warn_units(pl__source *s, const char *path, const pl_material_def *def, const pl__json *where)
{
    char place[256];
    pl__json_place(where, place, sizeof place);
    if (def->density < 10)
        pl__log(s->ctx, PL_LOG_WARNING,
                "%s: %s.density: %g kg/m^3 is lighter than any solid; water is 1000 (g/cm^3 times 1000)", place, path,
                def->density);
    else if (def->density > 25000)
        pl__log(s->ctx, PL_LOG_WARNING, "%s: %s.density: %g kg/m^3 is heavier than any metal; steel is 7850", place,
                path, def->density);
    if (def->young < 10)
        pl__log(s->ctx, PL_LOG_WARNING,
                "%s: %s.young: %g Pa is softer than any jelly (1e4); was it given in MPa or GPa?", place, path,
                def->young);
    else if (def->young > 1.3e12)
        pl__log(s->ctx, PL_LOG_WARNING, "%s: %s.young: %g Pa is stiffer than diamond", place, path, def->young);
    if (def->damping > 10)
        pl__log(s->ctx, PL_LOG_WARNING, "%s: %s.damping: %g s is very long; times of 0.001 to 0.1 are usual", place,
                path, def->damping);
}

pl_status pl__material_add(pl__source *s, pl_scene *scene, const char *name, const char *path,
                           const pl__resolved_material *m, const pl__json *where, pl_material_id *id)
{
    char library[96], field[128];
    snprintf(library, sizeof library, "materials.%s", name);
    if (pl__material_find(scene, name).index)
        return pl__json_fail(s->ctx, where,
                             "%s: is kept as a material named \"%s\", but there is one of that name; rename that one",
                             path, name);
    PL_TRY(pl__fail_as(s, pl_scene_add_material(scene, name, &m->def, id), where, library, path));
    for (int32_t i = 0; i < pl__material_fields.count; ++i)
    {
        if (!m->keys[i])
            continue;
        snprintf(field, sizeof field, "%s.%s", library, pl__material_fields.row[i].name);
        PL_TRY(pl__fail_as(s, set_keys(scene, field, m->keys[i]), where, library, path));
        snprintf(field, sizeof field, "%.96s.%s", path, pl__material_fields.row[i].name);
        pl__lint_keys(s, field, m->keys[i], where);
    }
    warn_units(s, path, &m->def, where);
    return PL_OK;
}

static bool is_used(const pl__source *s, const char *name)
{
    bool used = false;
    for (int32_t i = 0; i < s->file.materials.count && !used; ++i)
        used = strcmp(pl__source_material(s, i)->like, name) == 0 &&
               strcmp(pl__source_material(s, i)->record.name, name) != 0;
    for (int32_t i = 0; i < s->file.bodies.count && !used; ++i)
    {
        const pl__file_body *body = pl__source_body(s, i);
        used = strcmp(body->material.like, name) == 0;
        for (int32_t k = 0; k < body->vary.count && !used; ++k)
            used = strcmp(((const pl__file_material *)body->vary.item)[k].like, name) == 0;
    }
    return used;
}

// Warn of a material that nothing uses: probably a typo in the path of a --set.
static void warn_unused(pl__source *s, const pl__file_material *m)
{
    char place[256];
    if (m->record.json->line != 0 || is_used(s, m->record.name))
        return;
    pl__json_place(m->record.json, place, sizeof place);
    pl__log(s->ctx, PL_LOG_WARNING, "%s: materials.%s: nothing is made of it; is that its name?", place,
            m->record.name);
}

static pl_status add_materials(pl__source *s, pl_scene *scene)
{
    for (int32_t i = 0; i < s->file.materials.count; ++i)
    {
        const pl__file_material *m = pl__source_material(s, i);
        char path[64];
        pl__resolved_material resolved;
        snprintf(path, sizeof path, "materials.%.40s", m->record.name);
        PL_TRY(resolve_known(s, i, &resolved));
        PL_TRY(pl__material_add(s, scene, m->record.name, path, &resolved, m->record.json, NULL));
        warn_unused(s, m);
    }
    return PL_OK;
}

// ---- the scene -------------------------------------------------------------------------------------------------

static pl_status set_solver(pl__source *s, pl_scene *scene)
{
    pl_solver_def def = pl_solver_def_default();
    pl__fields_take(&pl__solver_fields, &pl__solver_table, &s->file.solver, false, &def);
    return pl__fail_at(s, pl_scene_set_solver(scene, &def), pl__where(&s->file.record, "solver"), "");
}

static pl_status set_air(pl__source *s, pl_scene *scene)
{
    const pl__file_air *air = &s->file.air;
    pl_air_def def = pl_air_def_default();
    pl__fields_take(&pl__air_fields, &pl__air_table, air, false, &def);
    PL_TRY(pl__fail_at(s, pl_scene_set_air(scene, &def), pl__where(&s->file.record, "air"), ""));
    return pl__keys_add(s, scene, "wind", &air->wind, pl__where(&air->record, "wind"));
}

static pl_status add_heat(pl__source *s, pl_scene *scene, int32_t index)
{
    const pl__file_heat *heat = pl__source_heat(s, index);
    char path[96];
    pl_heat_def def = pl_heat_def_default();
    pl__fields_take(&pl__heat_fields, &pl__heat_table, heat, false, &def);
    PL_TRY(pl__fail_at(s, pl_scene_add_heat(scene, heat->record.name, &def), heat->record.json, ""));
    snprintf(path, sizeof path, "heat.%.40s.at", heat->record.name);
    PL_TRY(pl__keys_add(s, scene, path, &heat->at, pl__where(&heat->record, "at")));
    snprintf(path, sizeof path, "heat.%.40s.power", heat->record.name);
    return pl__keys_add(s, scene, path, &heat->power, pl__where(&heat->record, "power"));
}

// Refuse objects that are breakable bodies.
static pl_status check_objects(pl__source *s, const pl_scene *scene)
{
    pl__material_list materials = {scene->material ? &scene->material->def : NULL, scene->material_count,
                                   sizeof *scene->material};
    for (int32_t i = 0; i < s->file.objects.count; ++i)
    {
        const pl__file_object *o = pl__source_object(s, i);
        for (size_t k = 0; o->body && k < scene->body_count; ++k)
            if (strcmp(scene->body[k].name, o->body) == 0 && pl__body_def_breaks(&scene->body[k].def, &materials))
                return pl__json_fail(s->ctx, pl__where(&o->record, "body"),
                                     "objects.%s.body: \"%.60s\" breaks or can be cut; only bodies that stay whole can "
                                     "be objects for others",
                                     o->record.name, o->body);
    }
    return PL_OK;
}

static pl_status check_target(pl__source *s)
{
    const char *names[64], *target = s->file.camera.look_at.name;
    int32_t listed = 0;
    bool known = !target;
    for (int32_t i = 0; !known && i < s->file.bodies.count; ++i)
    {
        const char *name = pl__source_body(s, i)->record.name;
        known = strcmp(name, target) == 0;
        if (listed < 63)
            names[listed++] = name;
    }
    if (known)
        return PL_OK;
    names[listed] = NULL;
    const char *guess = pl__near_miss(target, names);
    return pl__json_fail(
        s->ctx, pl__where(&s->file.camera.record, "look_at"), "camera.look_at: there is no body \"%.60s\"; %s%s%s",
        target, guess ? "did you mean \"" : "give one, or a point [x, y, z]", guess ? guess : "", guess ? "\"?" : "");
}

static pl_status check_range(pl__source *s)
{
    const pl__file_look *look = &s->file.look;
    if (!pl__given(&look->record, "range") || look->range[0] < look->range[1])
        return PL_OK;
    return pl__json_fail(s->ctx, pl__where(&look->record, "range"),
                         "look.range: the lowest value comes first, but %g is not below %g", look->range[0],
                         look->range[1]);
}

// Guess a partner of friction_with by name.
static const char *guess_partner(const pl__source *s, const char *name)
{
    const char *names[128];
    int32_t count = 0;
    for (int32_t i = 0; i < s->file.bodies.count && count < 60; ++i)
        names[count++] = pl__source_body(s, i)->record.name;
    for (int32_t i = 0; i < s->file.objects.count && count < 120; ++i)
        names[count++] = pl__source_object(s, i)->record.name;
    if (s->file.floor.record.json)
        names[count++] = "floor";
    names[count] = NULL;
    return pl__near_miss(name, names);
}

// Both bodies of a pair may give the coefficient if they agree.
static pl_status set_pair_friction(pl__source *s, pl_scene *scene, const char *body, const pl__file_rub *file)
{
    const char *other = file->record.name, *guess = guess_partner(s, other);
    pl__pair_friction pair;
    pl_status status = pl__scene_pair(scene, body, other, &pair);
    if (status == PL_ERR_ARGUMENT && guess)
        return pl__json_fail_key(s->ctx, file->record.json,
                                 "bodies.%s.friction_with: there is no object or body \"%.60s\"; did you mean \"%s\"?",
                                 body, other, guess);
    PL_TRY(pl__fail_at(s, status, file->record.json, ""));
    size_t at = pl__scene_find_rub(scene, &pair);
    if (at < scene->rub_count && scene->rub[at].friction != file->friction)
        return pl__json_fail(
            s->ctx, file->record.json,
            "bodies.%s.friction_with.%s: is %g here, but bodies.%s.friction_with.%s is %g; one of them is enough", body,
            other, file->friction, scene->body[scene->rub[at].body].name, body, scene->rub[at].friction);
    return pl__fail_at(s, pl_scene_set_friction(scene, body, other, file->friction), file->record.json, "");
}

static pl_status set_pair_frictions(pl__source *s, pl_scene *scene)
{
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
    {
        const pl__file_body *body = pl__source_body(s, i);
        for (int32_t k = 0; k < body->friction_with.count; ++k)
            PL_TRY(
                set_pair_friction(s, scene, body->record.name, &((const pl__file_rub *)body->friction_with.item)[k]));
    }
    return PL_OK;
}

// A domain without a box is chosen when objects are known.
static bool is_domain_open(const pl__source *s)
{
    return s->file.domain.record.json && !pl__given(&s->file.domain.record, "box");
}

static pl_status check_liquids(pl__source *s, const pl_scene *scene)
{
    return pl__fail_at(s, pl__liquids_check(scene), pl__where(&s->file.record, "liquids"), "");
}

static pl_status add_liquids(pl__source *s, pl_scene *scene)
{
    PL_TRY(pl__domain_add(s, scene));
    for (int32_t i = 0; i < s->file.liquids.count; ++i)
        PL_TRY(pl__liquid_add(s, scene, i));
    return is_domain_open(s) ? PL_OK : check_liquids(s, scene);
}

static pl_status build(pl__source *s, pl_scene *scene)
{
    scene->shot = (pl_shot){.frames = s->file.frames, .fps = s->file.fps, .time_scale = s->file.time_scale};
    PL_TRY(
        pl__fail_at(s, pl_scene_set_gravity(scene, s->file.gravity.value), pl__where(&s->file.record, "gravity"), ""));
    PL_TRY(pl__keys_add(s, scene, "gravity", &s->file.gravity, pl__where(&s->file.record, "gravity")));
    PL_TRY(set_air(s, scene));
    PL_TRY(set_solver(s, scene));
    PL_TRY(add_liquids(s, scene));
    PL_TRY(add_materials(s, scene));
    PL_TRY(pl__floor_add(s, scene));
    for (int32_t i = 0; i < s->file.objects.count; ++i)
        PL_TRY(pl__object_add(s, scene, i));
    if (is_domain_open(s))
    {
        PL_TRY(pl__domain_choose(s, scene));
        PL_TRY(check_liquids(s, scene));
    }
    if (s->file.bodies.count == 0 && s->file.liquids.count == 0)
        return pl__json_fail(s->ctx, s->doc.root, "bodies: a scene needs at least one body or liquid");
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
        PL_TRY(pl__body_add(s, scene, i));
    for (int32_t i = 0; i < s->file.heat.count; ++i)
        PL_TRY(add_heat(s, scene, i));
    for (int32_t i = 0; i < s->file.vortices.count; ++i)
        PL_TRY(pl__vortices_add(s, scene, i));
    PL_TRY(check_objects(s, scene));
    PL_TRY(set_pair_frictions(s, scene));
    PL_TRY(check_range(s));
    PL_TRY(check_target(s));
    return pl__lint_scene(s, scene);
}

pl_status pl__source_build(pl__source *s, pl_scene **out)
{
    *out = NULL;
    s->input_count = 0;
    s->made = pl__json_take(&s->doc, (size_t)s->file.bodies.count, sizeof *s->made);
    s->known = pl__json_take(&s->doc, (size_t)s->file.materials.count, sizeof *s->known);
    if (!s->made || !s->known)
        return PL_ERR_MEMORY;
    pl_scene *scene;
    PL_TRY(pl_scene_create(s->ctx, &scene));
    pl_status status = build(s, scene);
    if (status != PL_OK)
        pl_scene_destroy(&scene);
    *out = scene;
    return status;
}
