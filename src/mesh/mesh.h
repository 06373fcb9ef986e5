// src/mesh/mesh.h -- internal representation of a mesh and of a triangle surface.
#ifndef PL_MESH_MESH_H
#define PL_MESH_MESH_H

#include "mesh/attribute.h"
#include <pliant/mesh.h>

struct pl_mesh
{
    pl_context *ctx;
    pl_element_kind kind;
    int32_t node_count;
    int32_t element_count;
    int32_t triangle_count;
    int32_t region_count;
    double *position;          // [3 node_count]  as given by the source
    int32_t *element;          // [corners * element_count]  of positive volume; triangles: consistently oriented
    int32_t *triangle;         // [3 triangle_count]  boundary, outward (pl__mesh_finish); triangle meshes: the elements
    int32_t *element_region;   // [element_count]  in [0, region_count)
    int32_t *origin;           // [node_count]  fractured mesh: node of the intact mesh that each is a copy of; NULL:
                               // itself
    char **region_name;        // [region_count]  each allocated with strlen + 1 bytes
    pl__attributes attributes; // per node
};

static inline int32_t pl__mesh_corners(const pl_mesh *mesh)
{
    return mesh->kind == PL_ELEMENT_TET ? 4 : mesh->kind == PL_ELEMENT_HEX ? 8 : 3;
}

static inline size_t pl__mesh_index_count(const pl_mesh *mesh)
{
    return (size_t)pl__mesh_corners(mesh) * (size_t)mesh->element_count;
}

// The corners of one element.
static inline int32_t *pl__mesh_element(const pl_mesh *mesh, int32_t element)
{
    return &mesh->element[(size_t)pl__mesh_corners(mesh) * (size_t)element];
}

struct pl_surface
{
    pl_context *ctx;
    int32_t node_count;
    int32_t triangle_count;
    double *position;  // [3 node_count]
    int32_t *triangle; // [3 triangle_count]

    // optional data from the file
    int32_t uv_count;
    double *uv;           // [2 uv_count]  NULL without
    int32_t *triangle_uv; // [3 triangle_count]  in [-1, uv_count); NULL without
    int32_t group_count;
    char **group_name;         // [group_count]
    int32_t *triangle_group;   // [triangle_count]  in [0, group_count); NULL without
    pl__attributes attributes; // per node
};

// An empty mesh with storage for nodes and elements, one unnamed region; the caller fills `position`, `element` and
// `element_region`, then calls pl__mesh_finish. NULL when out of memory.
pl_mesh *pl__mesh_new(pl_context *ctx, pl_element_kind kind, int32_t node_count, int32_t element_count);

// Validate and repair (see pl_mesh_create_elements), then extract the boundary. `where` starts the error message
// ("bunny.msh" or "pl_mesh_create"). On failure the mesh is destroyed and *mesh set to NULL.
pl_status pl__mesh_finish(pl_mesh **mesh, const char *where);

// Name the regions of `mesh` (replacing the single unnamed one), at least one; before or after pl__mesh_finish. Names
// are copied. When out of memory the mesh is unchanged. The caller keeps `element_region` within [0, region_count).
pl_status pl__mesh_set_regions(pl_mesh *mesh, int32_t region_count, const char *const *names);

// Add values per node, which are copied (zero if `values` is NULL). When out of memory the mesh is unchanged.
pl_status pl__mesh_add_attribute(pl_mesh *mesh, const char *name, int32_t components, const double *values);

// A deep copy, or NULL when out of memory.
pl_mesh *pl__mesh_copy(const pl_mesh *mesh);

// All invariants of a mesh; for debug builds and tests.
bool pl__mesh_is_valid(const pl_mesh *mesh);

// The same pair of steps for surfaces: storage for nodes and triangles (NULL when out of memory), which the caller
// fills; then the checks of pl_surface_create. On failure the surface is destroyed and *surface set to NULL.
pl_surface *pl__surface_new(pl_context *ctx, int32_t node_count, int32_t triangle_count);
pl_status pl__surface_finish(pl_surface **surface, const char *where);

// Optional data; arrays are copied, and indices must be in range. When out of memory nothing changes.
pl_status pl__surface_set_uvs(pl_surface *surface, int32_t uv_count, const double *uvs, const int32_t *triangle_uvs);
pl_status pl__surface_set_groups(pl_surface *surface, int32_t group_count, const char *const *names,
                                 const int32_t *triangle_groups);
pl_status pl__surface_add_attribute(pl_surface *surface, const char *name, int32_t components, const double *values);

// For each vertex the first coincident one: files split vertices at seams. False when out of memory.
bool pl__surface_weld(const pl_surface *surface, int32_t *first);

// A deep copy, or NULL when out of memory.
pl_surface *pl__surface_copy(const pl_surface *surface);

#endif
