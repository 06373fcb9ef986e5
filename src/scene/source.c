// src/scene/source.c -- opening a scene file.
#include "source.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

// "dir/" of "dir/scene.json"; "" for a bare name.
static const char *directory_of(pl__json_doc *doc, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *directory = pl__json_take(doc, length + 1, 1);
    return directory ? memcpy(directory, path, length) : NULL;
}

static pl_status check_names(pl__source *s, const pl__items *items, size_t size, const char *path)
{
    for (int32_t i = 0; i < items->count; ++i)
    {
        const pl__record *record = (const pl__record *)(const void *)((const char *)items->item + (size_t)i * size);
        size_t good = strspn(record->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
        if (record->name[0] == 0 || record->name[good] || strlen(record->name) > 40)
            return pl__json_fail_key(s->ctx, record->json,
                                     "%s: \"%.60s\" is not a name; a name has 1 to 40 letters, digits, '_' and '-'",
                                     path, record->name);
    }
    return PL_OK;
}

static pl_status check_all_names(pl__source *s)
{
    PL_TRY(check_names(s, &s->file.materials, sizeof(pl__file_material), "materials"));
    PL_TRY(check_names(s, &s->file.bodies, sizeof(pl__file_body), "bodies"));
    for (int32_t i = 0; i < s->file.bodies.count; ++i)
    {
        char path[64];
        snprintf(path, sizeof path, "bodies.%.40s.select", pl__source_body(s, i)->record.name);
        PL_TRY(check_names(s, &pl__source_body(s, i)->select, sizeof(pl__file_selection), path));
    }
    PL_TRY(check_names(s, &s->file.heat, sizeof(pl__file_heat), "heat"));
    PL_TRY(check_names(s, &s->file.liquids, sizeof(pl__file_liquid), "liquids"));
    PL_TRY(check_names(s, &s->file.vortices, sizeof(pl__file_vortices), "vortices"));
    return check_names(s, &s->file.objects, sizeof(pl__file_object), "objects");
}

static pl_status read(pl__source *s, const char *name, const void *data, size_t size, const char *const *changes,
                      int32_t change_count)
{
    PL_TRY(pl__json_parse(s->ctx, name, data, size, &s->doc));
    s->path = pl__json_keep(&s->doc, name);
    s->directory = directory_of(&s->doc, name);
    if (!s->path || !s->directory)
        return PL_ERR_MEMORY;
    if (s->doc.root->kind != PL__JSON_OBJECT)
        return pl__json_fail(s->ctx, s->doc.root, "a scene is an object, {...}, found %s",
                             pl__json_kind_name(s->doc.root));
    for (int32_t i = 0; i < change_count; ++i)
        PL_TRY(pl__change_apply(&s->doc, changes[i]));
    PL_TRY(pl__record_read(&s->doc, &pl__scene_table, s->doc.root, "", &s->file));
    return check_all_names(s);
}

pl_status pl__source_parse(pl_context *ctx, const char *name, const void *data, size_t size, const char *const *changes,
                           int32_t change_count, pl__source **out)
{
    *out = NULL;
    pl__source *s = PL_NEW(ctx, 1, pl__source);
    if (!s)
        return PL_ERR_MEMORY;
    s->ctx = ctx;
    s->doc.ctx = ctx;
    pl_status status = read(s, name, data, size, changes, change_count);
    if (status != PL_OK)
        pl__source_close(&s);
    *out = s;
    return status;
}

// Refuse a model file given in place of a scene.
static pl_status check_name(pl_context *ctx, const char *path)
{
    static const char *const models[] = {".obj", ".ply", ".stl",  ".msh", ".mesh", ".veg",
                                         ".vtk", ".vtu", ".node", ".ele", NULL};
    const char *dot = strrchr(path, '.');
    for (const char *const *model = models; dot && *model; ++model)
        if (strcmp(dot, *model) == 0)
            return pl__fail(ctx, PL_ERR_FORMAT,
                            "%s: is a model, not a scene; a scene names it as the `surface` or `mesh` of a body "
                            "(docs/getting-started.md)",
                            path);
    return PL_OK;
}

pl_status pl__source_open(pl_context *ctx, const char *path, const char *const *changes, int32_t change_count,
                          pl__source **out)
{
    *out = NULL;
    PL_TRY(check_name(ctx, path));
    const void *data;
    size_t size;
    const pl_file_reader *files = pl__file_reader(ctx);
    int error = files->open(files->user, path, &data, &size);
    if (error)
        return pl__file_fail(ctx, path, error);
    pl_status status = pl__source_parse(ctx, path, data, size, changes, change_count, out);
    files->close(files->user, data, size);
    return status;
}

void pl__source_close(pl__source **out)
{
    pl__source *s = *out;
    if (!s)
        return;
    PL_DELETE(s->ctx, s->input, s->input_capacity);
    pl__json_free(&s->doc);
    PL_DELETE(s->ctx, s, 1);
    *out = NULL;
}

// ---- public functions ------------------------------------------------------------------------------------------

pl_status pl_scene_load_changed(pl_context *ctx, const char *path, const char *const *changes, int32_t change_count,
                                pl_scene **scene)
{
    if (!ctx || !scene)
        return PL_ERR_ARGUMENT;
    *scene = NULL;
    PL_CHECK(ctx, path && path[0], "pl_scene_load: there is no path");
    pl__source *source;
    PL_TRY(pl__source_open(ctx, path, changes, change_count, &source));
    pl_status status = pl__source_build(source, scene);
    pl__source_close(&source);
    return status;
}

pl_status pl_scene_load(pl_context *ctx, const char *path, pl_scene **scene)
{
    return ctx && scene ? pl_scene_load_changed(ctx, path, NULL, 0, scene) : PL_ERR_ARGUMENT;
}

pl_status pl_scene_parse(pl_context *ctx, const char *name, const void *data, size_t size, pl_scene **scene)
{
    if (!ctx || !scene)
        return PL_ERR_ARGUMENT;
    *scene = NULL;
    pl__source *source;
    PL_TRY(pl__source_parse(ctx, name ? name : "(memory)", data, size, NULL, 0, &source));
    pl_status status = pl__source_build(source, scene);
    pl__source_close(&source);
    return status;
}

// ---- access to a built scene -----------------------------------------------------------------------------------

const pl_material_def *pl__scene_material_at(const pl_scene *scene, int32_t i, const char **name)
{
    if (i < 0 || (size_t)i >= scene->material_count)
        return NULL;
    *name = scene->material[i].name;
    return &scene->material[i].def;
}

const pl_domain_def *pl__scene_domain_of(const pl_scene *scene, int32_t cells[3], double *memory)
{
    if (!scene->domain.given)
        return NULL;
    memcpy(cells, scene->domain.cells, sizeof scene->domain.cells);
    *memory = pl__domain_memory(&scene->domain.def);
    return &scene->domain.def;
}

const pl_surface *pl__scene_body_surface(const pl_scene *scene, int32_t i) { return scene->body[i].def.surface; }
