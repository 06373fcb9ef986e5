// src/mesh/surface.c -- a triangle surface: points and triangles, without guarantees beyond valid indices.
//
// Scanned and drawn surfaces have holes, duplicate points and degenerate triangles. They are kept as they are; users
// that need more (filling with tetrahedra, embedding) are written to cope with them. Texture coordinates, groups and
// values per vertex are kept for rendering and export.
#include "mesh.h"
#include "topology.h"

#include <math.h>
#include <string.h>

// Three numbers per triangle and per node must fit in an int32_t; so the same limit serves both.
#define MAX_ITEMS PL__MAX_NODES

pl_surface *pl__surface_new(pl_context *ctx, int32_t node_count, int32_t triangle_count)
{
    if (node_count < 0 || node_count > MAX_ITEMS || triangle_count < 0 || triangle_count > MAX_ITEMS)
    {
        (void)pl__fail(ctx, PL_ERR_MEMORY,
                       "a surface of %d nodes and %d triangles is too large: at most %d are allowed", node_count,
                       triangle_count, MAX_ITEMS);
        return NULL;
    }
    pl_surface *surface = PL_NEW(ctx, 1, pl_surface);
    if (!surface)
        return NULL;
    surface->ctx = ctx;
    surface->node_count = node_count;
    surface->triangle_count = triangle_count;
    surface->position = PL_NEW(ctx, 3 * (size_t)node_count, double);
    surface->triangle = PL_NEW(ctx, 3 * (size_t)triangle_count, int32_t);
    if (!surface->position || !surface->triangle)
        pl_surface_destroy(&surface);
    return surface;
}

static void free_uvs(pl_surface *s)
{
    PL_DELETE(s->ctx, s->uv, 2 * (size_t)s->uv_count);
    PL_DELETE(s->ctx, s->triangle_uv, 3 * (size_t)s->triangle_count);
}

static void free_groups(pl_surface *s)
{
    pl__names_free(s->ctx, s->group_name, s->group_count);
    PL_DELETE(s->ctx, s->triangle_group, s->triangle_count);
}

void pl_surface_destroy(pl_surface **surface)
{
    if (!surface)
        return;
    pl_surface *s = *surface;
    *surface = NULL;
    if (!s)
        return;
    pl_context *ctx = s->ctx;
    free_uvs(s);
    free_groups(s);
    pl__attributes_free(ctx, &s->attributes, s->node_count);
    PL_DELETE(ctx, s->position, 3 * (size_t)s->node_count);
    PL_DELETE(ctx, s->triangle, 3 * (size_t)s->triangle_count);
    PL_DELETE(ctx, s, 1);
}

static pl_status check_surface(const pl_surface *s, const char *where)
{
    PL_CHECK(s->ctx, s->triangle_count >= 1, "%s: there are no triangles, at least one is needed", where);
    for (size_t i = 0; i < 3 * (size_t)s->node_count; ++i)
        PL_CHECK(s->ctx, isfinite(s->position[i]), "%s: node %zu: %c is %g, allowed are finite numbers", where, i / 3,
                 "xyz"[i % 3], s -> position[i]);
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i)
    {
        const int32_t *n = &s->triangle[i - i % 3];
        PL_CHECK(s->ctx, s->triangle[i] >= 0 && s->triangle[i] < s->node_count,
                 "%s: triangle %zu (nodes %d %d %d): node %d is out of range, allowed is 0 to %d", where, i / 3, n[0],
                 n[1], n[2], s->triangle[i], s->node_count - 1);
    }
    return PL_OK;
}

pl_status pl__surface_finish(pl_surface **surface, const char *where)
{
    pl_status status = check_surface(*surface, where);
    if (status != PL_OK)
        pl_surface_destroy(surface);
    return status;
}

pl_status pl_surface_create(pl_context *ctx, const double *positions, int32_t node_count, const int32_t *triangles,
                            int32_t triangle_count, pl_surface **surface)
{
    if (!ctx || !surface)
        return PL_ERR_ARGUMENT;
    *surface = NULL;
    PL_CHECK(ctx, node_count >= 0 && node_count <= MAX_ITEMS, "pl_surface_create: node_count is %d, allowed is 0 to %d",
             node_count, MAX_ITEMS);
    PL_CHECK(ctx, triangle_count >= 1 && triangle_count <= MAX_ITEMS,
             "pl_surface_create: triangle_count is %d, allowed is 1 to %d", triangle_count, MAX_ITEMS);
    PL_CHECK(ctx, positions || node_count == 0, "pl_surface_create: positions is NULL, but node_count is %d",
             node_count);
    PL_CHECK(ctx, triangles, "pl_surface_create: triangles is NULL, but triangle_count is %d", triangle_count);
    pl_surface *s = pl__surface_new(ctx, node_count, triangle_count);
    if (!s)
        return PL_ERR_MEMORY;
    if (node_count > 0)
        memcpy(s->position, positions, 3 * (size_t)node_count * sizeof *positions);
    memcpy(s->triangle, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    pl_status status = pl__surface_finish(&s, "pl_surface_create");
    *surface = s;
    return status;
}

// ---- attributes ----------------------------------------------------------------------------------------------

// A copy of `count` items of `size` bytes, or NULL when out of memory.
static void *copy_array(pl_context *ctx, const void *array, size_t count, size_t size)
{
    void *copy = pl__calloc(ctx, count, size);
    if (copy && count > 0)
        memcpy(copy, array, count * size);
    return copy;
}

pl_status pl__surface_set_uvs(pl_surface *surface, int32_t uv_count, const double *uvs, const int32_t *triangle_uvs)
{
    size_t numbers = 2 * (size_t)uv_count, corners = 3 * (size_t)surface->triangle_count;
    double *uv = copy_array(surface->ctx, uvs, numbers, sizeof *uvs);
    int32_t *triangle_uv = copy_array(surface->ctx, triangle_uvs, corners, sizeof *triangle_uvs);
    if (!uv || !triangle_uv)
    {
        PL_DELETE(surface->ctx, uv, numbers);
        PL_DELETE(surface->ctx, triangle_uv, corners);
        return PL_ERR_MEMORY;
    }
    free_uvs(surface);
    surface->uv_count = uv_count;
    surface->uv = uv;
    surface->triangle_uv = triangle_uv;
    return PL_OK;
}

pl_status pl__surface_set_groups(pl_surface *surface, int32_t group_count, const char *const *names,
                                 const int32_t *triangle_groups)
{
    size_t triangles = (size_t)surface->triangle_count;
    char **group_name = pl__names_copy(surface->ctx, group_count, names);
    int32_t *triangle_group = copy_array(surface->ctx, triangle_groups, triangles, sizeof *triangle_groups);
    if (!group_name || !triangle_group)
    {
        pl__names_free(surface->ctx, group_name, group_count);
        PL_DELETE(surface->ctx, triangle_group, triangles);
        return PL_ERR_MEMORY;
    }
    free_groups(surface);
    surface->group_count = group_count;
    surface->group_name = group_name;
    surface->triangle_group = triangle_group;
    return PL_OK;
}

pl_status pl__surface_add_attribute(pl_surface *surface, const char *name, int32_t components, const double *values)
{
    return pl__attributes_add(surface->ctx, &surface->attributes, name, components, surface->node_count, values);
}

static pl_status copy_extras(const pl_surface *from, pl_surface *to)
{
    if (from->triangle_uv)
        PL_TRY(pl__surface_set_uvs(to, from->uv_count, from->uv, from->triangle_uv));
    if (from->triangle_group)
        PL_TRY(
            pl__surface_set_groups(to, from->group_count, (const char *const *)from->group_name, from->triangle_group));
    return pl__attributes_copy(from->ctx, &from->attributes, from->node_count, &to->attributes);
}

pl_surface *pl__surface_copy(const pl_surface *surface)
{
    pl_surface *copy = pl__surface_new(surface->ctx, surface->node_count, surface->triangle_count);
    if (!copy)
        return NULL;
    memcpy(copy->position, surface->position, 3 * (size_t)surface->node_count * sizeof *copy->position);
    memcpy(copy->triangle, surface->triangle, 3 * (size_t)surface->triangle_count * sizeof *copy->triangle);
    if (copy_extras(surface, copy) != PL_OK)
        pl_surface_destroy(&copy);
    return copy;
}

// ---- reading back --------------------------------------------------------------------------------------------

int32_t pl_surface_node_count(const pl_surface *surface) { return surface ? surface->node_count : 0; }
int32_t pl_surface_triangle_count(const pl_surface *surface) { return surface ? surface->triangle_count : 0; }
const double *pl_surface_positions(const pl_surface *surface) { return surface ? surface->position : NULL; }
const int32_t *pl_surface_triangles(const pl_surface *surface) { return surface ? surface->triangle : NULL; }

int32_t pl_surface_uv_count(const pl_surface *surface) { return surface ? surface->uv_count : 0; }
const double *pl_surface_uvs(const pl_surface *surface) { return surface ? surface->uv : NULL; }
const int32_t *pl_surface_triangle_uvs(const pl_surface *surface) { return surface ? surface->triangle_uv : NULL; }
int32_t pl_surface_group_count(const pl_surface *surface) { return surface ? surface->group_count : 0; }
const int32_t *pl_surface_triangle_groups(const pl_surface *surface)
{
    return surface ? surface->triangle_group : NULL;
}
int32_t pl_surface_attribute_count(const pl_surface *surface) { return surface ? surface->attributes.count : 0; }

const char *pl_surface_group_name(const pl_surface *surface, int32_t group)
{
    if (!surface)
        return NULL;
    return group >= 0 && group < surface->group_count ? surface->group_name[group] : "";
}

const char *pl_surface_attribute_name(const pl_surface *surface, int32_t attribute)
{
    if (!surface)
        return NULL;
    const pl__attribute *a = pl__attributes_at(&surface->attributes, attribute);
    return a ? a->name : "";
}

int32_t pl_surface_attribute_components(const pl_surface *surface, int32_t attribute)
{
    if (!surface)
        return 0;
    const pl__attribute *a = pl__attributes_at(&surface->attributes, attribute);
    return a ? a->components : 0;
}

const double *pl_surface_attribute_values(const pl_surface *surface, int32_t attribute)
{
    if (!surface)
        return NULL;
    const pl__attribute *a = pl__attributes_at(&surface->attributes, attribute);
    return a ? a->value : NULL;
}
