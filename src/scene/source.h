// src/scene/source.h -- an open scene file: JSON tree, structs, and input files.
//
// Life cycle: open (read, change by --set, check against the tables), build (load meshes, make a pl_scene), close.
//
// This is the one header of src/scene that the command line program includes: it includes the trees and records of
// scene files (json.h, field.h, file.h), the material presets, and the schema.
#ifndef PL_SCENE_SOURCE_H
#define PL_SCENE_SOURCE_H

#include "file.h"
#include "preset.h"
#include "schema.h"

// An input file of a scene, recorded by the build.
typedef struct pl__input
{
    pl__json *json; // the value that names it, so that a copy of the scene can refer to another place; NULL: companion
                    // of the previous one
    const char *path;
    uint64_t hash, bytes;
} pl__input;

// Summary of a built body, for estimates and pictures.
typedef struct pl__made_body
{
    const char *name;
    pl_body_kind kind;
    pl_element_kind elements;
    int32_t node_count, element_count, surface_count;
    double lower[3], upper[3]; // bounds at the start
    double volume;             // of solids [m^3]
    double area, thickness;    // of shells and planar bodies [m^2, m]
    double mass;               // [kg]
    double color[3];           // sRGB
    double inside[3];          // of crack surfaces
    double preset[3];          // of the material preset
} pl__made_body;

typedef struct pl__source
{
    pl_context *ctx;
    const char *path, *directory; // of the scene file
    pl__json_doc doc;
    pl__scene_file file;
    pl__input *input; // [input_count] after a build
    size_t input_count, input_capacity;
    pl__made_body *made;              // [file.bodies.count] after a build
    struct pl__known_material *known; // [file.materials.count] while it is built
} pl__source;

// Open a scene file and apply changes such as "bodies.torus.material=steel". On failure `*source` is NULL.
pl_status pl__source_open(pl_context *ctx, const char *path, const char *const *changes, int32_t change_count,
                          pl__source **source);
// The same from memory; its paths are relative to the directory of `name`.
pl_status pl__source_parse(pl_context *ctx, const char *name, const void *data, size_t size, const char *const *changes,
                           int32_t change_count, pl__source **source);
void pl__source_close(pl__source **source);

// Build a scene: load or generate meshes, resolve selections, add everything.
pl_status pl__source_build(pl__source *source, pl_scene **scene);

// Name and definition of material i of a scene, or NULL; embedded surface of body i, or NULL. Both belong to the scene.
const pl_material_def *pl__scene_material_at(const pl_scene *scene, int32_t i, const char **name);
const pl_surface *pl__scene_body_surface(const pl_scene *scene, int32_t i);

// The domain of a scene, its cells along each axis and an estimate of the memory that it would need if all of it were
// liquid [bytes]; NULL if there is none. It belongs to the scene.
const pl_domain_def *pl__scene_domain_of(const pl_scene *scene, int32_t cells[3], double *memory);

// The value at `path` in the scene, or the deepest existing one on the way.
const pl__json *pl__source_place(const pl__source *s, const char *path);
// Convert the failure of a library call into one located at a value of the scene. Its path is `path`; if that is "",
// the library's own path, located where the scene has it, or else at `where`.
pl_status pl__fail_at(pl__source *s, pl_status status, const pl__json *where, const char *path);

static inline pl__file_body *pl__source_body(const pl__source *s, int32_t i)
{
    return &((pl__file_body *)s->file.bodies.item)[i];
}
static inline pl__file_heat *pl__source_heat(const pl__source *s, int32_t i)
{
    return &((pl__file_heat *)s->file.heat.item)[i];
}
static inline pl__file_liquid *pl__source_liquid(const pl__source *s, int32_t i)
{
    return &((pl__file_liquid *)s->file.liquids.item)[i];
}
static inline pl__file_vortices *pl__source_vortices(const pl__source *s, int32_t i)
{
    return &((pl__file_vortices *)s->file.vortices.item)[i];
}
static inline pl__file_object *pl__source_object(const pl__source *s, int32_t i)
{
    return &((pl__file_object *)s->file.objects.item)[i];
}
static inline pl__file_material *pl__source_material(const pl__source *s, int32_t i)
{
    return &((pl__file_material *)s->file.materials.item)[i];
}

// ---- changes (change.c) ----

// Apply "path=value" to the tree. Missing objects on the path are created; the last key may be new.
pl_status pl__change_apply(pl__json_doc *doc, const char *change);

// One difference between two scenes: its path, and when such a change may be made.
typedef struct pl__difference
{
    char path[256];
    pl__when when;
    const pl__json *before, *after; // NULL if not in the file
} pl__difference;

// Call `report` for every value that differs, in the order of the tables; a value equal to its default counts as
// absent.
typedef void pl__difference_function(void *user, const pl__difference *difference);
void pl__scene_compare(const pl__json *before, const pl__json *after, pl__difference_function *report, void *user);

#endif
