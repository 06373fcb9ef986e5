// src/scene/build.h -- shared declarations of the scene builder.
#ifndef PL_SCENE_BUILD_H
#define PL_SCENE_BUILD_H

#include "embed/embed.h"
#include "mesh/mesh.h"
#include "source.h"

// A body under construction.
typedef struct pl__body_build
{
    pl__source *source;
    pl_scene *scene;
    const pl__file_body *file;
    int32_t index;             // among the bodies
    pl_mesh *mesh;             // rest shape, scaled and anchored
    pl_surface *surface;       // embedded surface, or NULL
    pl__embed *embed;          // attachment of the surface, created on first use
    double lower[3], upper[3]; // bounds at rest of the visible surface
    double volume;             // of the surface, if known
    double factor, shift[3];   // scale and shift that fitted the points of its file; factor 0: no file
    double *placed;            // [3 node_count] start positions in the world
    uint8_t **chosen;          // [selections][node_count] 1 for selected nodes
    pl_body_def def;
} pl__body_build;

// ---- rest_shape.c: the rest shape ----

// Load or generate mesh and surface. On failure, partial results stay for pl__body_build_free.
pl_status pl__rest_shape_make(pl__body_build *b);
void pl__body_build_free(pl__body_build *b);
typedef struct pl__opened
{
    const char *path;
    const void *data;
    size_t size;
} pl__opened;
// Orientation, scale and anchor of the points of a file.
typedef struct pl__fit
{
    int32_t up, anchor;   // choices of the tables
    double height, scale; // height 0: use the scale
} pl__fit;
// Returns false if the surface is flat and cannot be scaled to a height; pl__fit_fail reports that.
bool pl__surface_fit(pl_surface *surface, const pl__fit *fit);
pl_status pl__fit_fail(pl__source *s, const pl__record *record, const char *path, const pl__fit *fit);
// Read another mesh of the same kind of body, fitted like the first.
pl_status pl__rest_shape_read(pl__body_build *b, const pl__opened *file, pl_mesh **mesh);

// ---- directions.c: fibres, normals and plastic goals, into `def`; nothing if the file gives none ----

pl_status pl__directions_fibers(pl__body_build *b);
pl_status pl__directions_normals(pl__body_build *b);
pl_status pl__directions_goal(pl__body_build *b);

// ---- select.c ----

// Find the nodes of all selections. Fails for an empty one.
pl_status pl__selections_resolve(pl__body_build *b);
// Selected nodes of a selection by name, one byte per node. Fails for an unknown name.
pl_status pl__select_nodes(pl__body_build *b, const char *name, const pl__json *where, const uint8_t **chosen);
// Create the embedding if it does not exist.
pl_status pl__need_embed(pl__body_build *b);

// ---- build.c ----

// Read a file named in the scene and record its hash among the inputs. Close it with pl__input_close.
pl_status pl__input_open(pl__source *s, const pl__record *record, const char *field, const char *path_of_field,
                         pl__opened *file);
void pl__input_close(pl__source *s, pl__opened *file);
// Read and record `file->path`, a companion of the file opened last; it lives as long as the document.
pl_status pl__input_open_partner(pl__source *s, pl__opened *file);
// Record a companion of the file opened last that the scene does not name. `path` lives as long as the document.
pl_status pl__input_note_partner(pl__source *s, const char *path);

enum
{
#define PL_FIELD(kind, name, ...) +1
    PL__MATERIAL_ROWS = 0
#include "material/material_fields.inl"
#undef PL_FIELD
};

// Parameters of a material after `like` was resolved, and which of them are keyed.
typedef struct pl__resolved_material
{
    pl_material_def def;
    const pl__keyed_value *keys[PL__MATERIAL_ROWS]; // by rows of pl__material_fields; NULL: constant
    double color[3];
} pl__resolved_material;

// Cache of a resolved material of the scene, so that long chains of `like` are followed once.
typedef struct pl__known_material
{
    enum
    {
        PL__MATERIAL_UNSEEN,
        PL__MATERIAL_OPEN,
        PL__MATERIAL_DONE
    } state;
    pl__resolved_material resolved;
    int32_t chain; // scratch: the k-th material of the chain being followed
} pl__known_material;
// `base` is used if `like` is absent; NULL: the default preset.
pl_status pl__material_resolve_file(pl__source *s, const pl__file_material *m, const char *path,
                                    const pl__resolved_material *base, pl__resolved_material *out);
// Add it to the scene under `name`, with its keys; `path` is its path in the file.
pl_status pl__material_add(pl__source *s, pl_scene *scene, const char *name, const char *path,
                           const pl__resolved_material *m, const pl__json *where, pl_material_id *id);
// The material of that name in the scene, or index 0.
pl_material_id pl__material_find(const pl_scene *scene, const char *name);
pl_status pl__keys_add(pl__source *s, pl_scene *scene, const char *path, const pl__keyed_value *keyed,
                       const pl__json *where);

// ---- lint.c: warnings ----

// Warn of keys that begin after the end of the shot.
void pl__lint_keys(const pl__source *s, const char *path, const pl__keyed_value *keyed, const pl__json *where);
// Call once the scene is complete.
PL_NODISCARD pl_status pl__lint_scene(const pl__source *s, const pl_scene *scene);

// ---- object.c ----

pl_status pl__floor_add(pl__source *s, pl_scene *scene);
pl_status pl__object_add(pl__source *s, pl_scene *scene, int32_t index);
// Read the shape at `path` of the file into a definition, and check it. The surfaces that it read must be released,
// also when it fails.
pl_status pl__object_shape_take(pl__source *s, const pl__file_object_shape *f, const char *path, pl_object_def *def);
void pl__object_shape_release(const pl_object_def *def);

// ---- liquid.c ----

// Nothing if the scene has no domain.
pl_status pl__domain_add(pl__source *s, pl_scene *scene);
// One without a box, once liquids and objects are known (domain_choice.c).
pl_status pl__domain_choose(pl__source *s, pl_scene *scene);
pl_status pl__liquid_add(pl__source *s, pl_scene *scene, int32_t index);
pl_status pl__vortices_add(pl__source *s, pl_scene *scene, int32_t index); // after objects

// ---- body.c ----

pl_status pl__body_add(pl__source *s, pl_scene *scene, int32_t index);

// pl__fail_at with a translation of paths: the library's path starts with `library` (materials.torus_material), the
// file's with `path` (bodies.torus.material).
pl_status pl__fail_as(pl__source *s, pl_status status, const pl__json *where, const char *library, const char *path);

#endif
