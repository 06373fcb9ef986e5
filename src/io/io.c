// src/io/io.c -- public functions for reading and writing: choice of format, files, cleanup.
#include <pliant/io.h>

#include "io/draft.h"
#include "io/gmsh.h"
#include "io/medit.h"
#include "io/obj.h"
#include "io/ply.h"
#include "io/stl.h"
#include "io/tetgen.h"
#include "io/vega.h"
#include "io/vtk.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- formats -------------------------------------------------------------------------------------------------

typedef pl_status read_function(pl__draft *draft, const void *data, size_t size);

enum
{
    MESH = 1,
    SURFACE = 2
};

// Table of formats, also used for the lists in error messages. TetGen's two files are handled separately.
typedef struct format_row
{
    const char *extension;
    pl_file_format format;
    int reads, writes; // MESH, SURFACE
    read_function *read;
} format_row;

static const format_row rows[] = {{".msh", PL_FILE_MSH41_TEXT, MESH | SURFACE, MESH, pl__gmsh_read},
                                  {".node", PL_FILE_TETGEN, MESH, MESH, NULL},
                                  {".ele", PL_FILE_TETGEN, MESH, MESH, NULL},
                                  {".mesh", PL_FILE_MEDIT, MESH | SURFACE, 0, pl__medit_read},
                                  {".veg", PL_FILE_VEGA, MESH | SURFACE, 0, pl__vega_read},
                                  {".vtk", PL_FILE_VTK, MESH | SURFACE, 0, pl__vtk_read},
                                  {".vtu", PL_FILE_VTU, MESH | SURFACE, 0, pl__vtu_read},
                                  {".obj", PL_FILE_OBJ, SURFACE, MESH | SURFACE, pl__obj_read},
                                  {".ply", PL_FILE_PLY, SURFACE, 0, pl__ply_read},
                                  {".stl", PL_FILE_STL, SURFACE, 0, pl__stl_read}};

enum
{
    ROWS = sizeof rows / sizeof rows[0],
    LIST_CHARS = 8 * ROWS + 8
};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path), size = strlen(extension);
    if (length < size)
        return false;
    for (size_t i = 0; i < size; ++i)
        if (lower(path[length - size + i]) != extension[i])
            return false;
    return true;
}

static bool is_msh(pl_file_format format) { return format >= PL_FILE_MSH22_TEXT && format <= PL_FILE_MSH41_BINARY; }

// The row of a format or, for PL_FILE_BY_NAME, of the extension of a path; NULL if there is none.
static const format_row *find_row(pl_file_format format, const char *path)
{
    for (const format_row *row = rows; row < rows + ROWS; ++row)
        if (format == PL_FILE_BY_NAME ? has_extension(path, row->extension)
                                      : format == row->format || (is_msh(format) && is_msh(row->format)))
            return row;
    return NULL;
}

// ".msh, .node, .ele or .obj": the formats that can be read, or written.
static const char *list_extensions(int what, bool writes, char list[LIST_CHARS])
{
    size_t length = 0;
    const char *last = NULL;
    list[0] = 0;
    for (const format_row *row = rows; row <= rows + ROWS; ++row)
    {
        bool end = row == rows + ROWS;
        if (!end && !((writes ? row->writes : row->reads) & what))
            continue;
        if (last)
            length += (size_t)snprintf(list + length, LIST_CHARS - length, "%s%s",
                                       length == 0 ? ""
                                       : end       ? " or "
                                                   : ", ",
                                       last);
        last = end ? NULL : row->extension;
    }
    return list;
}

static pl_status refuse_format(pl_context *ctx, const char *path, int what, bool writes)
{
    char list[LIST_CHARS];
    return pl__fail(ctx, PL_ERR_ARGUMENT, "%s: %s are %s %s", path, what == MESH ? "meshes" : "surfaces",
                    writes ? "written as" : "read from", list_extensions(what, writes, list));
}

// ---- files ---------------------------------------------------------------------------------------------------

typedef struct file
{
    const void *data;
    size_t size;
} file;

static pl_status open_file(pl_context *ctx, const char *path, file *f)
{
    int error = ctx->def.file_reader.open(ctx->def.file_reader.user, path, &f->data, &f->size);
    return error ? pl__file_fail(ctx, path, error) : PL_OK;
}

static void close_file(pl_context *ctx, const file *f)
{
    ctx->def.file_reader.close(ctx->def.file_reader.user, f->data, f->size);
}

// Paths of the TetGen pair, from either of them.
typedef struct pair
{
    char *node, *ele;
    size_t node_size, ele_size;
} pair;

static void free_pair(pl_context *ctx, pair *p)
{
    PL_DELETE(ctx, p->node, p->node_size);
    PL_DELETE(ctx, p->ele, p->ele_size);
}

static char *replace_extension(pl_context *ctx, const char *path, const char *extension, size_t *size)
{
    size_t stem = strlen(path);
    if (has_extension(path, ".node"))
        stem -= 5;
    else if (has_extension(path, ".ele"))
        stem -= 4;
    *size = stem + strlen(extension) + 1;
    char *replaced = pl__alloc(ctx, *size);
    if (replaced)
    {
        memcpy(replaced, path, stem);
        memcpy(replaced + stem, extension, *size - stem);
    }
    return replaced;
}

// The given path is kept, whatever its case.
static pl_status make_pair(pl_context *ctx, const char *path, pair *p)
{
    p->node =
        replace_extension(ctx, path, has_extension(path, ".node") ? path + strlen(path) - 5 : ".node", &p->node_size);
    p->ele = replace_extension(ctx, path, has_extension(path, ".ele") ? path + strlen(path) - 4 : ".ele", &p->ele_size);
    if (p->node && p->ele)
        return PL_OK;
    free_pair(ctx, p);
    return PL_ERR_MEMORY;
}

// ---- reading meshes ------------------------------------------------------------------------------------------

static const char *name_or_memory(const char *name) { return name ? name : "(memory)"; }

// A surface file is not a mesh, though its triangles could be one; count them, for advice in the message.
static pl_status read_mesh(pl__draft *d, const format_row *row, const void *data, size_t size)
{
    PL_TRY(row->read(d, data, size));
    if (row->reads & MESH)
        return PL_OK;
    d->left_out[PL__CELL_TRIANGLE] = (int64_t)d->triangle_count;
    d->triangle_count = 0;
    return PL_OK;
}

pl_status pl_mesh_parse(pl_context *ctx, pl_file_format format, const char *name, const void *data, size_t size,
                        pl_mesh **mesh)
{
    if (!ctx || !mesh)
        return PL_ERR_ARGUMENT;
    *mesh = NULL;
    name = name_or_memory(name);
    const format_row *row = find_row(format, name);
    PL_CHECK(ctx, data || size == 0, "pl_mesh_parse: data is NULL, but size is %zu", size);
    if (!row)
        return refuse_format(ctx, name, MESH, false);
    PL_CHECK(ctx, row->read, "%s: TetGen meshes are two files; use pl_mesh_parse_tetgen", name);
    pl__draft draft = {.ctx = ctx, .name = name};
    pl_status status = read_mesh(&draft, row, data, size);
    if (status == PL_OK)
        status = pl__draft_make_mesh(&draft, mesh);
    pl__draft_free(&draft);
    return status;
}

pl_status pl_mesh_parse_tetgen(pl_context *ctx, const char *node_name, const void *node_data, size_t node_size,
                               const char *ele_name, const void *ele_data, size_t ele_size, pl_mesh **mesh)
{
    if (!ctx || !mesh)
        return PL_ERR_ARGUMENT;
    *mesh = NULL;
    PL_CHECK(ctx, node_data || node_size == 0, "pl_mesh_parse_tetgen: node_data is NULL, but node_size is %zu",
             node_size);
    PL_CHECK(ctx, ele_data || ele_size == 0, "pl_mesh_parse_tetgen: ele_data is NULL, but ele_size is %zu", ele_size);
    pl__draft draft = {.ctx = ctx, .name = name_or_memory(ele_name)};
    pl_status status = pl__tetgen_read_nodes(&draft, name_or_memory(node_name), node_data, node_size);
    if (status == PL_OK)
        status = pl__tetgen_read_tets(&draft, draft.name, ele_data, ele_size);
    if (status == PL_OK)
        status = pl__draft_make_mesh(&draft, mesh);
    pl__draft_free(&draft);
    return status;
}

static pl_status load_pair(pl_context *ctx, const pair *p, pl_mesh **mesh)
{
    file node, ele;
    PL_TRY(open_file(ctx, p->node, &node));
    pl_status status = open_file(ctx, p->ele, &ele);
    if (status == PL_OK)
    {
        status = pl_mesh_parse_tetgen(ctx, p->node, node.data, node.size, p->ele, ele.data, ele.size, mesh);
        close_file(ctx, &ele);
    }
    close_file(ctx, &node);
    return status;
}

static pl_status load_tetgen(pl_context *ctx, const char *path, pl_mesh **mesh)
{
    pair p = {0};
    PL_TRY(make_pair(ctx, path, &p));
    pl_status status = load_pair(ctx, &p, mesh);
    free_pair(ctx, &p);
    return status;
}

pl_status pl_mesh_load(pl_context *ctx, const char *path, pl_mesh **mesh)
{
    if (!ctx || !mesh)
        return PL_ERR_ARGUMENT;
    *mesh = NULL;
    PL_CHECK(ctx, path && path[0], "pl_mesh_load: there is no path");
    const format_row *row = find_row(PL_FILE_BY_NAME, path);
    if (!row)
        return refuse_format(ctx, path, MESH, false);
    if (!row->read)
        return load_tetgen(ctx, path, mesh);
    file f;
    PL_TRY(open_file(ctx, path, &f));
    pl_status status = pl_mesh_parse(ctx, row->format, path, f.data, f.size, mesh);
    close_file(ctx, &f);
    return status;
}

// ---- reading surfaces ----------------------------------------------------------------------------------------

pl_status pl_surface_parse(pl_context *ctx, pl_file_format format, const char *name, const void *data, size_t size,
                           pl_surface **surface)
{
    if (!ctx || !surface)
        return PL_ERR_ARGUMENT;
    *surface = NULL;
    name = name_or_memory(name);
    const format_row *row = find_row(format, name);
    PL_CHECK(ctx, data || size == 0, "pl_surface_parse: data is NULL, but size is %zu", size);
    if (!row || !(row->reads & SURFACE))
        return refuse_format(ctx, name, SURFACE, false);
    pl__draft draft = {.ctx = ctx, .name = name, .want_surface = true};
    pl_status status = row->read(&draft, data, size);
    if (status == PL_OK)
        status = pl__draft_make_surface(&draft, surface);
    pl__draft_free(&draft);
    return status;
}

pl_status pl_surface_load(pl_context *ctx, const char *path, pl_surface **surface)
{
    if (!ctx || !surface)
        return PL_ERR_ARGUMENT;
    *surface = NULL;
    PL_CHECK(ctx, path && path[0], "pl_surface_load: there is no path");
    const format_row *row = find_row(PL_FILE_BY_NAME, path);
    if (!row || !(row->reads & SURFACE))
        return refuse_format(ctx, path, SURFACE, false);
    file f;
    PL_TRY(open_file(ctx, path, &f));
    pl_status status = pl_surface_parse(ctx, row->format, path, f.data, f.size, surface);
    close_file(ctx, &f);
    return status;
}

// ---- writing -------------------------------------------------------------------------------------------------

static pl_status check_region_names(const pl_mesh *mesh)
{
    for (int32_t r = 0; r < mesh->region_count; ++r)
        PL_CHECK(mesh->ctx, !strpbrk(mesh->region_name[r], "\r\n"), "the name of region %d has a line break", r);
    return PL_OK;
}

static pl_status save_msh(const pl_mesh *mesh, const char *path, pl_file_format format)
{
    pl__writer w;
    PL_TRY(check_region_names(mesh));
    PL_TRY(pl__writer_open(&w, mesh->ctx, path));
    int version = format == PL_FILE_MSH22_TEXT || format == PL_FILE_MSH22_BINARY ? 2 : 4;
    pl__gmsh_write(&w, mesh, version, format == PL_FILE_MSH22_BINARY || format == PL_FILE_MSH41_BINARY);
    return pl__writer_commit(&w);
}

// Both are complete before either is renamed.
static pl_status commit_both(pl__writer *node, pl__writer *ele)
{
    pl_status status = pl__writer_finish(ele);
    if (status == PL_OK)
        status = pl__writer_commit(node);
    else
        pl__writer_discard(node);
    if (status == PL_OK)
        return pl__writer_commit(ele);
    pl__writer_discard(ele);
    return status;
}

static pl_status save_pair(const pl_mesh *mesh, const pair *p)
{
    pl__writer node, ele;
    PL_TRY(pl__writer_open(&node, mesh->ctx, p->node));
    pl_status status = pl__writer_open(&ele, mesh->ctx, p->ele);
    if (status != PL_OK)
    {
        pl__writer_discard(&node);
        return status;
    }
    pl__tetgen_write_nodes(&node, mesh);
    pl__tetgen_write_tets(&ele, mesh);
    return commit_both(&node, &ele);
}

static pl_status save_tetgen(const pl_mesh *mesh, const char *path)
{
    pair p = {0};
    PL_TRY(make_pair(mesh->ctx, path, &p));
    pl_status status = save_pair(mesh, &p);
    free_pair(mesh->ctx, &p);
    return status;
}

pl_status pl_mesh_save(const pl_mesh *mesh, const char *path, pl_file_format format)
{
    if (!mesh)
        return PL_ERR_ARGUMENT;
    PL_CHECK(mesh->ctx, path && path[0], "pl_mesh_save: there is no path");
    const format_row *row = find_row(format, path);
    if (!row || !(row->writes & MESH))
        return refuse_format(mesh->ctx, path, MESH, true);
    if (is_msh(row->format))
        return save_msh(mesh, path, format == PL_FILE_BY_NAME ? row->format : format);
    PL_CHECK(mesh->ctx, row->format != PL_FILE_TETGEN || mesh->kind == PL_ELEMENT_TET,
             "%s: TetGen's files hold tetrahedra, not %s; save them as .msh", path, pl__element_forms[mesh->kind].many);
    if (row->format == PL_FILE_TETGEN)
        return save_tetgen(mesh, path);
    pl__obj_faces faces = {.position = mesh->position,
                           .triangle = mesh->triangle,
                           .node_count = mesh->node_count,
                           .triangle_count = mesh->triangle_count};
    return pl__obj_write(mesh->ctx, path, &faces, true);
}

// The attribute that OBJ can store, or NULL.
static const double *find_color(const pl_surface *surface)
{
    for (int32_t i = 0; i < surface->attributes.count; ++i)
    {
        const pl__attribute *a = &surface->attributes.item[i];
        if (a->components == 3 && strcmp(a->name, "color") == 0)
            return a->value;
    }
    return NULL;
}

pl_status pl_surface_save(const pl_surface *surface, const char *path)
{
    if (!surface || !path)
        return PL_ERR_ARGUMENT;
    pl__obj_faces faces = {.position = surface->position,
                           .triangle = surface->triangle,
                           .node_count = surface->node_count,
                           .triangle_count = surface->triangle_count,
                           .color = find_color(surface),
                           .uv_count = surface->uv_count,
                           .uv = surface->uv,
                           .triangle_uv = surface->triangle_uv,
                           .group_count = surface->group_count,
                           .group_name = (const char *const *)surface->group_name,
                           .triangle_group = surface->triangle_group};
    return pl__obj_write(surface->ctx, path, &faces, false);
}

pl_status pl_obj_write(pl_context *ctx, const char *path, const double *positions, int32_t node_count,
                       const int32_t *triangles, int32_t triangle_count)
{
    if (!ctx || !path)
        return PL_ERR_ARGUMENT;
    PL_CHECK(ctx, node_count >= 0 && triangle_count >= 0,
             "pl_obj_write: %d nodes and %d triangles, but neither may be negative", node_count, triangle_count);
    PL_CHECK(ctx, (positions || !node_count) && (triangles || !triangle_count), "pl_obj_write: an array is NULL");
    for (size_t i = 0; i < 3 * (size_t)triangle_count; ++i)
    {
        int32_t node = triangles[i];
        PL_CHECK(ctx, node >= 0 && node < node_count,
                 "pl_obj_write: triangle %zu: node %d is out of range, allowed is 0 to %d", i / 3, node,
                 node_count - 1);
        for (int k = 0; k < 3; ++k)
            PL_CHECK(ctx, isfinite(positions[3 * (size_t)node + (size_t)k]), "pl_obj_write: node %d is not finite",
                     node);
    }
    pl__obj_faces faces = {
        .position = positions, .triangle = triangles, .node_count = node_count, .triangle_count = triangle_count};
    return pl__obj_write(ctx, path, &faces, true);
}
