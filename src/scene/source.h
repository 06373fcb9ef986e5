// src/scene/source.h -- a scene file opened: its text as a tree, its meaning as structs, and the files it needs.
//
// Life cycle: open (read, change by --set, check against the tables), build (load meshes, make a pl_scene), close.
//
// This is the one header of src/scene that the command line program includes: with it come the trees and records of
// scene files (json.h, field.h, file.h), the presets of materials, and the schema.
#ifndef PL_SCENE_SOURCE_H
#define PL_SCENE_SOURCE_H

#include "file.h"
#include "preset.h"
#include "schema.h"

// A file that a scene reads, as found when it was built.
typedef struct pl__input
{
    pl__json *json; // the value that names it, so that a copy of the scene can name another place; NULL: goes with the
                    // one before
    const char *path;
    uint64_t hash, bytes;
} pl__input;

// What was made for a body, for estimates and pictures.
typedef struct pl__made_body
{
    const char *name;
    pl_body_kind kind;
    pl_element_kind elements;
    int32_t node_count, element_count, surface_count;
    double lower[3], upper[3]; // bounds where it starts
    double volume;             // of solids [m^3]
    double area, thickness;    // of shells and planar bodies [m^2, m]
    double mass;               // [kg]
    double color[3];           // sRGB
    double inside[3];          // of what cracks lay open
    double preset[3];          // that of its material
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

// Open a scene file with changes such as "bodies.torus.material=steel" applied. On failure `*source` is NULL.
pl_status pl__source_open(pl_context *ctx, const char *path, const char *const *changes, int32_t change_count,
                          pl__source **source);
// The same from memory; paths in it are relative to the directory of `name`.
pl_status pl__source_parse(pl_context *ctx, const char *name, const void *data, size_t size, const char *const *changes,
                           int32_t change_count, pl__source **source);
void pl__source_close(pl__source **source);

// Make a scene of it: meshes are loaded or made, selections resolved, everything added.
pl_status pl__source_build(pl__source *source, pl_scene **scene);

// Of a scene: the name and definition of material i, NULL beyond; and the surface that body i carries, NULL if none.
// Both belong to the scene.
const pl_material_def *pl__scene_material_at(const pl_scene *scene, int32_t i, const char **name);
const pl_surface *pl__scene_body_surface(const pl_scene *scene, int32_t i);

// The value of the scene that `path` leads to, or the last on the way that there is.
const pl__json *pl__source_place(const pl__source *s, const char *path);
// Turn the failure of a library call into one at a value of the scene. Its path is `path`; where that is "", the
// library's own, which stands in the scene as it is called there, or else at `where`.
pl_status pl__fail_at(pl__source *s, pl_status status, const pl__json *where, const char *path);

static inline pl__file_body *pl__source_body(const pl__source *s, int32_t i)
{
    return &((pl__file_body *)s->file.bodies.item)[i];
}
static inline pl__file_heat *pl__source_heat(const pl__source *s, int32_t i)
{
    return &((pl__file_heat *)s->file.heat.item)[i];
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

// Apply "path=value" to the tree. Objects on the way are made; the last key need not be there.
pl_status pl__change_apply(pl__json_doc *doc, const char *change);

// One difference between two scenes: its path, and when such a change may be made.
typedef struct pl__difference
{
    char path[256];
    pl__when when;
    const pl__json *before, *after; // NULL where it is not in the file
} pl__difference;

// Call `report` for every value that differs, in the order of the tables; what equals its default is as if it were
// absent.
typedef void pl__difference_function(void *user, const pl__difference *difference);
void pl__scene_compare(const pl__json *before, const pl__json *after, pl__difference_function *report, void *user);

#endif
