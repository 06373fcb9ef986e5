// src/scene/liquid.c -- builds the domain and the liquids of a scene from a scene file.
#include "build.h"
#include "definitions.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

enum
{
    PATH_BYTES = 160
};

pl_status pl__domain_add(pl__source *s, pl_scene *scene)
{
    const pl__file_domain *file = &s->file.domain;
    pl_domain_def def = pl_domain_def_default();
    if (!file->record.json)
        return PL_OK;
    if (!pl__given(&file->record, "size"))
        return pl__json_fail(s->ctx, file->record.json, "domain: needs a `size`, the edge of its cells, such as 0.02");
    pl__fields_take(&pl__domain_fields, &pl__domain_table, file, false, &def);
    if (!pl__given(&file->record, "box"))
    {
        for (int i = 0; i < 2; ++i)
            if (pl__given(&file->record, i ? "level" : "open"))
                return pl__json_fail_key(
                    s->ctx, pl__where(&file->record, i ? "level" : "open"),
                    "domain.%s: is about the sides of a `box`; give one, such as [[0, 0, 0], [2, 1, "
                    "1]], or leave this out",
                    i ? "level" : "open");
        scene->domain.def = def; // the rest is chosen when objects are known
        return PL_OK;
    }
    memcpy(def.lower, file->box, sizeof def.lower);
    memcpy(def.upper, file->box + 3, sizeof def.upper);
    def.open = file->open;
    def.grow = file->grow;
    def.held = pl__given(&file->record, "level");
    def.level = file->level;
    pl_status status = pl_scene_set_domain(scene, &def);
    if (strncmp(pl_context_error_path(s->ctx), "domain.upper", 12) == 0)
        return pl__fail_as(s, status, pl__where(&file->record, "box"), "domain.upper", "domain.box");
    return pl__fail_at(s, status, file->record.json, "");
}

// What a body becomes. That the body exists is checked when all are known (melting.c).
static pl_status check_body(pl__source *s, const pl__file_liquid *f)
{
    if (f->shape.record.which >= 0)
        return pl__json_fail_key(s->ctx, pl__where(&f->record, "shape"),
                                 "liquids.%s.shape: its `body` says where it is; give one of them", f->record.name);
    if (pl__given(&f->record, "kind") && f->kind != PL_LIQUID_BODY)
        return pl__json_fail(s->ctx, pl__where(&f->record, "kind"),
                             "liquids.%s.kind: is \"body\", since it has a `body`; leave one of them out",
                             f->record.name);
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
        if (strcmp(pl__source_body(s, i)->record.name, f->body) == 0)
            return PL_OK;
    return pl__json_fail(s->ctx, pl__where(&f->record, "body"), "liquids.%s.body: there is no body \"%.60s\"",
                         f->record.name, f->body);
}

static pl_status check_place(pl__source *s, const pl__file_liquid *f)
{
    static const char *const of_shapes[] = {"at", "rotate"};
    const char *name = f->record.name;
    bool shape = f->shape.record.which >= 0, level = pl__given(&f->record, "level");
    if (f->body)
        return check_body(s, f);
    if (!shape && !level)
        return pl__json_fail(s->ctx, f->record.json,
                             "liquids.%s: needs a `shape`, such as a box or a sphere, a `level`, or a `body` that "
                             "becomes it",
                             name);
    if (shape && level)
        return pl__json_fail_key(s->ctx, pl__where(&f->record, "level"),
                                 "liquids.%s.level: its `shape` says where it is; give one of them", name);
    for (int i = 0; level && i < 2; ++i)
        if (pl__given(&f->record, of_shapes[i]))
            return pl__json_fail_key(s->ctx, pl__where(&f->record, of_shapes[i]),
                                     "liquids.%s.%s: places a `shape`, but it has a `level` instead; leave it out",
                                     name, of_shapes[i]);
    if (f->shape.record.which == PL_OBJECT_ACTOR)
        return pl__json_fail_key(s->ctx, f->shape.record.json->first,
                                 "liquids.%s.shape.actor: bends and cannot be filled; take a closed `surface`", name);
    return PL_OK;
}

// What has no elasticity, not even by keys, has no strain that could yield.
static pl_status check_memory(pl__source *s, const pl__file_liquid *f)
{
    static const char *const of_strain[] = {"yield", "flow", "hardening", "strain"};
    for (size_t i = 0; i < sizeof of_strain / sizeof of_strain[0]; ++i)
        if (pl__given(&f->record, of_strain[i]) && !pl__given(&f->record, "elasticity"))
            return pl__json_fail_key(
                s->ctx, pl__where(&f->record, of_strain[i]),
                "liquids.%s.%s: is about elastic strain, and this liquid has no elasticity; give it "
                "one, such as 1000, or leave this out",
                f->record.name, of_strain[i]);
    return PL_OK;
}

// What does not melt has no temperature.
static pl_status check_heat(pl__source *s, const pl__file_liquid *f)
{
    static const char *const of_heat[] = {"temperature", "melt_viscosity", "melt_elasticity", "diffusivity", "cooling"};
    for (size_t i = 0; i < sizeof of_heat / sizeof of_heat[0] && !f->of; ++i)
        if (pl__given(&f->record, of_heat[i]) && !pl__given(&f->record, "melting"))
            return pl__json_fail_key(s->ctx, pl__where(&f->record, of_heat[i]),
                                     "liquids.%s.%s: is about heat, and this liquid has no temperature; give it a "
                                     "`melting` point, such as 40, or leave this out",
                                     f->record.name, of_heat[i]);
    return PL_OK;
}

static pl_status add_keys(pl__source *s, pl_scene *scene, const pl__file_liquid *f)
{
    for (int32_t i = 0; i < pl__liquid_fields.count; ++i)
    {
        const char *name = pl__liquid_fields.row[i].name;
        const pl__keyed_value *keys = pl__record_keys(&pl__liquid_table, f, name);
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "liquids.%.40s.%s", f->record.name, name);
        if (keys)
            PL_TRY(pl__keys_add(s, scene, path, keys, pl__where(&f->record, name)));
    }
    return PL_OK;
}

pl_status pl__liquid_add(pl__source *s, pl_scene *scene, int32_t index)
{
    const pl__file_liquid *f = pl__source_liquid(s, index);
    char path[PATH_BYTES];
    pl_liquid_def def = pl_liquid_def_default();
    pl_object_def shape = pl_object_def_default();
    PL_TRY(check_place(s, f));
    PL_TRY(check_memory(s, f));
    PL_TRY(check_heat(s, f));
    pl__fields_take(&pl__liquid_fields, &pl__liquid_table, f, false, &def);
    snprintf(path, sizeof path, "liquids.%.40s.shape", f->record.name);
    for (size_t i = 0; f->of && i < scene->liquid_count; ++i)
        def.of = strcmp(scene->liquid[i].name, f->of) == 0 ? (int32_t)i + 1 : def.of;
    if (f->of && def.of == 0)
        return pl__json_fail_key(s->ctx, pl__where(&f->record, "of"),
                                 "liquids.%s.of: there is no liquid \"%.60s\" above", f->record.name, f->of);
    def.body = f->body;
    def.kind = f->body ? PL_LIQUID_BODY : def.kind;
    bool shaped = f->shape.record.which >= 0;
    pl_status status = shaped ? pl__object_shape_take(s, &f->shape, path, &shape) : PL_OK;
    def.shape = shaped ? &shape : NULL;
    if (status == PL_OK)
        status = pl__fail_at(s, pl_scene_add_liquid(scene, f->record.name, &def, NULL), f->record.json, "");
    pl__object_shape_release(&shape);
    return status == PL_OK ? add_keys(s, scene, f) : status;
}

pl_status pl__vortices_add(pl__source *s, pl_scene *scene, int32_t index)
{
    const pl__file_vortices *f = pl__source_vortices(s, index);
    pl_vortices_def def = pl_vortices_def_default();
    pl__fields_take(&pl__vortices_fields, &pl__vortices_table, f, false, &def);
    PL_TRY(pl__fail_at(s, pl_scene_add_vortices(scene, f->record.name, f->on, &def), f->record.json, ""));
    return pl__fail_at(s, pl__vortices_check(scene, (size_t)index), f->record.json, "");
}
