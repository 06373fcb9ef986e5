// src/scene/build.h -- what the parts of the builder share.
#ifndef PL_SCENE_BUILD_H
#define PL_SCENE_BUILD_H

#include "embed/embed.h"
#include "mesh/mesh.h"
#include "source.h"

// A body while it is made.
typedef struct pl__body_build
{
    pl__source *source;
    pl_scene *scene;
    const pl__file_body *file;
    int32_t index;             // among the bodies
    pl_mesh *mesh;             // at rest, scaled and anchored
    pl_surface *surface;       // carried, or NULL
    pl__embed *embed;          // its attachment, made when first needed
    double lower[3], upper[3]; // bounds at rest of what is seen
    double volume;             // of the surface, where it is known
    double factor, shift[3];   // how the points of its file were fitted; factor 0: there was none
    double *placed;            // [3 node_count] where nodes start in the world
    uint8_t **chosen;          // [selections][node_count] 1 for nodes that belong
    pl_body_def def;
} pl__body_build;

// ---- rest_shape.c: the rest shape ----

// Load or make mesh and surface. On failure what was made stays for pl__body_build_free.
pl_status pl__rest_shape_make(pl__body_build *b);
void pl__body_build_free(pl__body_build *b);
typedef struct pl__opened
{
    const char *path;
    const void *data;
    size_t size;
} pl__opened;
// How the points of a file are turned, scaled and anchored.
typedef struct pl__fit
{
    int32_t up, anchor;   // choices of the tables
    double height, scale; // height 0: by the scale
} pl__fit;
// False when it is flat and cannot get a height; pl__fit_fail says so.
bool pl__surface_fit(pl_surface *surface, const pl__fit *fit);
pl_status pl__fit_fail(pl__source *s, const pl__record *record, const char *path, const pl__fit *fit);
// Read another mesh of the body's kind, fitted as its own is.
pl_status pl__rest_shape_read(pl__body_build *b, const pl__opened *file, pl_mesh **mesh);

// ---- directions.c: what leads its elements, into `def`; nothing where the file says nothing ----

pl_status pl__directions_fibers(pl__body_build *b);
pl_status pl__directions_normals(pl__body_build *b);
pl_status pl__directions_goal(pl__body_build *b);

// ---- select.c ----

// Find the nodes of all selections. Fails for an empty one.
pl_status pl__selections_resolve(pl__body_build *b);
// Which nodes belong to the selection of that name: one byte per node. Fails for an unknown name.
pl_status pl__select_nodes(pl__body_build *b, const char *name, const pl__json *where, const uint8_t **chosen);
// Make sure that the embedding is there.
pl_status pl__need_embed(pl__body_build *b);

// ---- build.c ----

// Read a file named in the scene; its hash is noted among the inputs. Close it with pl__input_close.
pl_status pl__input_open(pl__source *s, const pl__record *record, const char *field, const char *path_of_field,
                         pl__opened *file);
void pl__input_close(pl__source *s, pl__opened *file);
// Read and note `file->path`, which belongs to the one opened last; it lives as long as the document.
pl_status pl__input_open_partner(pl__source *s, pl__opened *file);
// Note a file among the inputs that belongs to the one opened last, and that the scene does not name. `path` lives as
// long as the document.
pl_status pl__input_note_partner(pl__source *s, const char *path);

enum
{
#define PL_FIELD(kind, name, ...) +1
    PL__MATERIAL_ROWS = 0
#include "material/material_fields.inl"
#undef PL_FIELD
};

// The numbers of a material with everything that it is like, and which of them are keyed.
typedef struct pl__resolved_material
{
    pl_material_def def;
    const pl__keyed_value *keys[PL__MATERIAL_ROWS]; // by rows of pl__material_fields; NULL: constant
    double color[3];
} pl__resolved_material;

// A material of the scene's list while and after it is resolved, so that long chains of `like` are walked once.
typedef struct pl__known_material
{
    enum
    {
        PL__MATERIAL_UNSEEN,
        PL__MATERIAL_OPEN,
        PL__MATERIAL_DONE
    } state;
    pl__resolved_material resolved;
    int32_t chain; // room for the chain that is followed: its k-th material
} pl__known_material;
// `base` is what an absent `like` means; NULL: the default preset.
pl_status pl__material_resolve_file(pl__source *s, const pl__file_material *m, const char *path,
                                    const pl__resolved_material *base, pl__resolved_material *out);
// Add it to the scene under `name`, keys included; `path` is what the file calls it.
pl_status pl__material_add(pl__source *s, pl_scene *scene, const char *name, const char *path,
                           const pl__resolved_material *m, const pl__json *where, pl_material_id *id);
// The material of that name in the scene, or index 0.
pl_material_id pl__material_find(const pl_scene *scene, const char *name);
pl_status pl__keys_add(pl__source *s, pl_scene *scene, const char *path, const pl__keyed_value *keyed,
                       const pl__json *where);

// ---- lint.c: warnings ----

// Keys that begin when all is over.
void pl__lint_keys(const pl__source *s, const char *path, const pl__keyed_value *keyed, const pl__json *where);
// Once all is made.
PL_NODISCARD pl_status pl__lint_scene(const pl__source *s, const pl_scene *scene);

// ---- object.c ----

pl_status pl__floor_add(pl__source *s, pl_scene *scene);
pl_status pl__object_add(pl__source *s, pl_scene *scene, int32_t index);

// ---- body.c ----

pl_status pl__body_add(pl__source *s, pl_scene *scene, int32_t index);

// pl__fail_at where the library's path begins with `library` (materials.torus_material) and the file's with `path`
// (bodies.torus.material).
pl_status pl__fail_as(pl__source *s, pl_status status, const pl__json *where, const char *library, const char *path);

#endif
