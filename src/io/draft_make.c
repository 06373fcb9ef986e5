// src/io/draft_make.c -- converts a draft to a mesh or a surface: regions, unused nodes, and notes of omissions.
//
// Regions are the groups of the file in ascending order of their numbers, so that writing and reading preserves them.
// Groups of triangles come in the order of their first triangles, for the same reason.
#include "io/draft.h"
#include "io/names.h"
#include "io/polygon.h"
#include "mesh/topology.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- regions -------------------------------------------------------------------------------------------------

// Elements of the mesh: one of the lists of the draft.
typedef struct elements
{
    pl_element_kind kind;
    const int32_t *node;
    const int64_t *group;
    size_t count;
} elements;

static size_t index_count(const elements *e) { return (size_t)pl_element_corners(e->kind) * e->count; }

static elements find_elements(const pl__draft *d)
{
    if (d->tets.count)
        return (elements){PL_ELEMENT_TET, d->tets.node, d->tets.group, d->tets.count};
    if (d->hexes.count)
        return (elements){PL_ELEMENT_HEX, d->hexes.node, d->hexes.group, d->hexes.count};
    return (elements){PL_ELEMENT_TRIANGLE, d->triangle, d->triangle_group, d->triangle_count};
}

// All groups that have a name or an element, ascending, unique: the index is the region.
typedef struct regions
{
    pl__tagged *item; // value: index into group_name, or -1
    size_t count, capacity;
} regions;

static pl_status add_region(const pl__draft *d, regions *r, int64_t group, int32_t name)
{
    if (!PL_GROW(d->ctx, r->item, &r->capacity, r->count + 1))
        return PL_ERR_MEMORY;
    r->item[r->count++] = (pl__tagged){group, name};
    return PL_OK;
}

static void keep_first_of_each(regions *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; ++i)
        if (kept == 0 || r->item[i].tag != r->item[kept - 1].tag)
            r->item[kept++] = r->item[i];
    r->count = kept;
}

static pl_status find_regions(const pl__draft *d, const elements *e, regions *r)
{
    int dimension = e->kind == PL_ELEMENT_TRIANGLE ? 2 : 3;
    for (size_t i = 0; i < d->name_count; ++i)
        if (d->group_name[i].dimension == dimension)
            PL_TRY(add_region(d, r, d->group_name[i].group, (int32_t)i));
    // neighbours in a file usually share their group, so this list stays short
    for (size_t i = 0; i < e->count; ++i)
        if (i == 0 || e->group[i] != e->group[i - 1])
            PL_TRY(add_region(d, r, e->group[i], -1));
    if (!pl__sort_tagged(d->ctx, r->item, r->count))
        return PL_ERR_MEMORY;
    keep_first_of_each(r);
    return PL_OK;
}

// Total bytes of all names, with terminating zeros.
static size_t name_bytes(const pl__draft *d, const regions *r)
{
    size_t bytes = 0;
    for (size_t i = 0; i < r->count; ++i)
        bytes += r->item[i].value >= 0 ? d->group_name[r->item[i].value].text.length + 1 : 24;
    return bytes;
}

static void spell_names(const pl__draft *d, const regions *r, const char **names, char *spelt)
{
    for (size_t i = 0; i < r->count; ++i)
    {
        names[i] = spelt;
        const pl__tagged *item = &r->item[i];
        if (item->value >= 0)
        {
            pl__text text = d->group_name[item->value].text;
            memcpy(spelt, text.at, text.length);
            spelt += text.length;
            *spelt++ = 0;
        }
        else if (item->tag == 0)
            *spelt++ = 0;
        else
            spelt += snprintf(spelt, 24, "%" PRId64, item->tag) + 1;
    }
}

static pl_status name_regions(const pl__draft *d, const regions *r, pl_mesh *mesh)
{
    size_t bytes = name_bytes(d, r);
    const char **names = PL_NEW(d->ctx, r->count, const char *);
    char *spelt = PL_NEW(d->ctx, bytes, char);
    pl_status status = PL_ERR_MEMORY;
    if (names && spelt)
    {
        spell_names(d, r, names, spelt);
        status = pl__mesh_set_regions(mesh, (int32_t)r->count, names);
    }
    PL_DELETE(d->ctx, names, r->count);
    PL_DELETE(d->ctx, spelt, bytes);
    return status;
}

static pl_status set_regions(const pl__draft *d, const elements *e, pl_mesh *mesh)
{
    regions r = {0};
    pl_status status = find_regions(d, e, &r);
    if (status == PL_OK)
        status = name_regions(d, &r, mesh);
    for (size_t i = 0; status == PL_OK && i < e->count; ++i)
        mesh->element_region[i] = (int32_t)(pl__find_tagged(r.item, r.count, e->group[i]) - r.item);
    PL_DELETE(d->ctx, r.item, r.capacity);
    return status;
}

// ---- making --------------------------------------------------------------------------------------------------

static const char *const kind_name[PL__CELL_KINDS][2] = {{"point", "points"},
                                                         {"line", "lines"},
                                                         {"triangle", "triangles"},
                                                         {"quadrangle", "quadrangles"},
                                                         {"tetrahedron", "tetrahedra"},
                                                         {"hexahedron", "hexahedra"},
                                                         {"prism", "prisms"},
                                                         {"pyramid", "pyramids"},
                                                         {"cell of another kind", "cells of other kinds"}};

static size_t list_left_out(const pl__draft *d, char *text, size_t size)
{
    size_t length = 0;
    for (int k = 0; k < PL__CELL_KINDS; ++k)
    {
        int64_t count = d->left_out[k];
        if (count == 0 || length >= size)
            continue;
        int added = snprintf(text + length, size - length, "%s%" PRId64 " %s", length ? ", " : "", count,
                             kind_name[k][count != 1]);
        length += (size_t)added;
    }
    return length;
}

static void note_left_out(const pl__draft *d, int32_t unused_nodes)
{
    char list[256];
    if (list_left_out(d, list, sizeof list))
        pl__log(d->ctx, PL_LOG_NOTE, "%s: left out %s", d->name, list);
    if (d->higher_order)
        pl__log(d->ctx, PL_LOG_NOTE, "%s: %" PRId64 " cells of higher order are taken by their corners", d->name,
                d->higher_order);
    if (unused_nodes)
        pl__log(d->ctx, PL_LOG_NOTE, "%s: left out %" PRId32 " nodes that nothing uses", d->name, unused_nodes);
    if (d->fans)
        pl__log(d->ctx, PL_LOG_NOTE, "%s: %" PRId64 " faces of more than %d corners were cut as if they were convex",
                d->name, d->fans, PL__POLYGON_MAX);
    if (d->attributes_left_out)
        pl__log(d->ctx, PL_LOG_NOTE,
                "%s: left out %" PRId64
                " attributes: at most %d are kept, of at most %d numbers, finite and for every node",
                d->name, d->attributes_left_out, PL__ATTRIBUTES_MAX, PL__COMPONENTS_MAX);
}

// Renumber the nodes referenced by `count` indices, -1 for the others; returns the number of the others.
static int32_t number_used(const pl__draft *d, const int32_t *index, size_t count, int32_t *number)
{
    memset(number, 0xff, (size_t)d->node_count * sizeof *number);
    for (size_t i = 0; i < count; ++i)
        number[index[i]] = 0;
    int32_t used = 0;
    for (int32_t i = 0; i < d->node_count; ++i)
        if (number[i] == 0)
            number[i] = used++;
    return d->node_count - used;
}

static void copy_used(const pl__draft *d, const int32_t *number, double *position)
{
    for (int32_t i = 0; i < d->node_count; ++i)
        if (number[i] >= 0)
            memmove(&position[3 * (size_t)number[i]], &d->position[3 * (size_t)i], 3 * sizeof *position);
}

// ---- attributes ----------------------------------------------------------------------------------------------

static bool is_whole(const pl__draft *d, const pl__draft_attribute *a)
{
    if (a->value_count != (size_t)a->components * (size_t)d->node_count)
        return false;
    for (size_t i = 0; i < a->value_count; ++i)
        if (!isfinite(a->value[i]))
            return false;
    return true;
}

// Remove attributes with values that are not finite or missing.
static void drop_attributes(pl__draft *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->attribute_count; ++i)
    {
        pl__draft_attribute a = d->attribute[i];
        if (is_whole(d, &a))
            d->attribute[kept++] = a;
        else
            PL_DELETE(d->ctx, a.value, a.value_capacity);
    }
    d->attributes_left_out += (int64_t)(d->attribute_count - kept);
    d->attribute_count = kept;
}

// Compact attributes after the removal of unused nodes: rows only move down.
static void renumber_attributes(pl__draft *d, const int32_t *number)
{
    for (pl__draft_attribute *a = d->attribute; a < d->attribute + d->attribute_count; ++a)
    {
        size_t width = (size_t)a->components;
        for (int32_t i = 0; i < d->node_count; ++i)
            if (number[i] >= 0)
                memmove(&a->value[width * (size_t)number[i]], &a->value[width * (size_t)i], width * sizeof *a->value);
    }
}

static pl_status give_mesh_attributes(const pl__draft *d, pl_mesh *mesh)
{
    for (const pl__draft_attribute *a = d->attribute; a < d->attribute + d->attribute_count; ++a)
        PL_TRY(pl__mesh_add_attribute(mesh, a->name, a->components, a->value));
    return PL_OK;
}

static pl_status give_surface_attributes(const pl__draft *d, pl_surface *surface)
{
    for (const pl__draft_attribute *a = d->attribute; a < d->attribute + d->attribute_count; ++a)
        PL_TRY(pl__surface_add_attribute(surface, a->name, a->components, a->value));
    return PL_OK;
}

// ---- meshes --------------------------------------------------------------------------------------------------

// An invalid mesh is a format error: the caller gave a file.
static pl_status blame_file(pl_status status) { return status == PL_ERR_ARGUMENT ? PL_ERR_FORMAT : status; }

static pl_status fill_mesh(pl__draft *d, const elements *e, int32_t *number, pl_mesh **mesh)
{
    int32_t unused = number_used(d, e->node, index_count(e), number);
    pl_mesh *m = pl__mesh_new(d->ctx, e->kind, d->node_count - unused, (int32_t)e->count);
    if (!m)
        return PL_ERR_MEMORY;
    copy_used(d, number, m->position);
    for (size_t i = 0; i < index_count(e); ++i)
        m->element[i] = number[e->node[i]];
    renumber_attributes(d, number);
    pl_status status = set_regions(d, e, m);
    if (status == PL_OK)
        status = give_mesh_attributes(d, m);
    if (status != PL_OK)
        pl_mesh_destroy(&m);
    else
        status = blame_file(pl__mesh_finish(&m, d->name));
    if (status == PL_OK)
        note_left_out(d, unused);
    *mesh = m;
    return status;
}

static pl_status refuse_without_tets(const pl__draft *d)
{
    int64_t triangles = d->left_out[PL__CELL_TRIANGLE] + d->left_out[PL__CELL_QUAD];
    if (triangles > 0)
        return pl__fail_about(
            d->ctx,
            pl__fail(d->ctx, PL_ERR_FORMAT,
                     "%s: holds %" PRId64 " %s but no tetrahedra; make some with pl_mesh_create_from_surface", d->name,
                     triangles, d->left_out[PL__CELL_QUAD] ? "triangles and quadrangles" : "triangles"),
            "tetrahedra");
    char list[256] = "";
    size_t others = list_left_out(d, list, sizeof list);
    return pl__fail(d->ctx, PL_ERR_FORMAT, "%s: holds no tetrahedra%s%s", d->name, others ? ", only " : "", list);
}

static pl_status refuse_mixture(const pl__draft *d)
{
    return pl__fail(d->ctx, PL_ERR_FORMAT,
                    "%s: holds %zu %s and %zu %s, but a mesh is of one kind; write them to files of their own, or cut "
                    "the hexahedra into "
                    "tetrahedra",
                    d->name, d->tets.count, kind_name[PL__CELL_TET][d->tets.count != 1], d->hexes.count,
                    kind_name[PL__CELL_HEX][d->hexes.count != 1]);
}

// Triangles are left out if there are volumes; higher order is counted for the chosen elements.
static void choose_elements(pl__draft *d)
{
    bool solid = d->tets.count + d->hexes.count > 0;
    d->higher_order = solid ? d->higher_order : d->flat_higher_order;
    d->fans = solid ? 0 : d->fans;
    for (int k = 0; solid && k < PL__CELL_KINDS; ++k)
        d->left_out[k] += d->flat_cells[k];
}

pl_status pl__draft_make_mesh(pl__draft *d, pl_mesh **mesh)
{
    elements e = find_elements(d);
    if (d->tets.count > 0 && d->hexes.count > 0)
        return refuse_mixture(d);
    if (e.count == 0)
        return refuse_without_tets(d);
    if (e.count > (size_t)pl__max_elements(e.kind))
        return pl__fail(d->ctx, PL_ERR_FORMAT, "%s: holds %zu %s, but at most %d are allowed", d->name, e.count,
                        pl__element_forms[e.kind].many, pl__max_elements(e.kind));
    choose_elements(d);
    drop_attributes(d);
    int32_t *number = PL_NEW(d->ctx, d->node_count, int32_t);
    if (!number)
        return PL_ERR_MEMORY;
    pl_status status = fill_mesh(d, &e, number, mesh);
    PL_DELETE(d->ctx, number, d->node_count);
    return status;
}

// ---- surfaces ------------------------------------------------------------------------------------------------

// Remove triangles with repeated nodes.
static void drop_slivers(pl__draft *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->triangle_count; ++i)
    {
        const int32_t *t = &d->triangle[3 * i];
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
            continue;
        memmove(&d->triangle[3 * kept], t, 3 * sizeof *t);
        if (d->triangle_uv)
            memmove(&d->triangle_uv[3 * kept], &d->triangle_uv[3 * i], 3 * sizeof *t);
        if (d->triangle_label)
            d->triangle_label[kept] = d->triangle_label[i];
        kept++;
    }
    size_t dropped = d->triangle_count - kept;
    d->triangle_count = kept;
    if (dropped)
        pl__log(d->ctx, PL_LOG_NOTE, "%s: left out %zu triangles that name a node twice", d->name, dropped);
}

static pl_status give_uvs(const pl__draft *d, pl_surface *surface)
{
    bool finite = true;
    for (size_t i = 0; i < 2 * d->uv_count; ++i)
        finite &= isfinite(d->uv[i]) != 0;
    if (finite)
        return pl__surface_set_uvs(surface, (int32_t)d->uv_count, d->uv, d->triangle_uv);
    pl__log(d->ctx, PL_LOG_NOTE, "%s: left out the texture coordinates, which are not all finite", d->name);
    return PL_OK;
}

// Number the labels by the first triangle of each name, and update the triangles; `named` gets a label for each number.
// Returns the count.
static int32_t number_groups(pl__draft *d, const int32_t *first, int32_t *number, int32_t *named)
{
    int32_t count = 0;
    memset(number, 0xff, d->label_count * sizeof *number);
    for (size_t i = 0; i < d->triangle_count; ++i)
    {
        int32_t label = first[d->triangle_label[i]];
        if (number[label] < 0)
        {
            named[count] = label;
            number[label] = count++;
        }
        d->triangle_label[i] = number[label];
    }
    return count;
}

static size_t label_bytes(const pl__draft *d, const int32_t *named, int32_t count)
{
    size_t bytes = 0;
    for (int32_t i = 0; i < count; ++i)
        bytes += d->label[named[i]].length + 1;
    return bytes;
}

static pl_status name_groups(const pl__draft *d, const int32_t *named, int32_t count, pl_surface *surface)
{
    size_t bytes = label_bytes(d, named, count);
    const char **names = PL_NEW(d->ctx, count, const char *);
    char *spelt = PL_NEW(d->ctx, bytes, char), *at = spelt;
    pl_status status = PL_ERR_MEMORY;
    for (int32_t i = 0; names && spelt && i < count; ++i)
    {
        pl__text text = d->label[named[i]];
        names[i] = at;
        pl__text_spell(text, at, text.length + 1);
        at += text.length + 1;
    }
    if (names && spelt)
        status = pl__surface_set_groups(surface, count, names, d->triangle_label);
    PL_DELETE(d->ctx, names, count);
    PL_DELETE(d->ctx, spelt, bytes);
    return status;
}

static pl_status give_groups(pl__draft *d, pl_surface *surface)
{
    size_t count = d->label_count;
    int32_t *room = PL_NEW(d->ctx, 3 * count, int32_t);
    pl_status status = PL_ERR_MEMORY;
    if (room && pl__names_unify(d->ctx, d->label, count, room))
    {
        int32_t group_count = number_groups(d, room, room + count, room + 2 * count);
        status = name_groups(d, room + 2 * count, group_count, surface);
    }
    PL_DELETE(d->ctx, room, 3 * count);
    return status;
}

static pl_status give_extras(pl__draft *d, pl_surface *surface)
{
    if (d->triangle_uv)
        PL_TRY(give_uvs(d, surface));
    if (d->triangle_label)
        PL_TRY(give_groups(d, surface));
    return give_surface_attributes(d, surface);
}

static pl_status triangles_to_surface(pl__draft *d, pl_surface **surface)
{
    drop_slivers(d);
    if (d->triangle_count == 0)
        return pl__fail(d->ctx, PL_ERR_FORMAT, "%s: holds no triangles", d->name);
    if (d->triangle_count > PL__MAX_NODES)
        return pl__fail(d->ctx, PL_ERR_FORMAT, "%s: holds %zu triangles, but at most %d are allowed", d->name,
                        d->triangle_count, PL__MAX_NODES);
    int32_t count = (int32_t)d->triangle_count;
    PL_TRY(blame_file(pl_surface_create(d->ctx, d->position, d->node_count, d->triangle, count, surface)));
    pl_status status = give_extras(d, *surface);
    if (status != PL_OK)
        pl_surface_destroy(surface);
    return status;
}

// Remove nodes without triangles: those of lines, volumes, geometry points. Returns how many.
static pl_status compact(pl__draft *d, int32_t *unused)
{
    size_t size = (size_t)d->node_count;
    int32_t *number = PL_NEW(d->ctx, size, int32_t);
    if (!number)
        return PL_ERR_MEMORY;
    *unused = number_used(d, d->triangle, 3 * d->triangle_count, number);
    copy_used(d, number, d->position);
    renumber_attributes(d, number);
    for (size_t i = 0; i < 3 * d->triangle_count; ++i)
        d->triangle[i] = number[d->triangle[i]];
    d->node_count -= *unused;
    PL_DELETE(d->ctx, number, size);
    return PL_OK;
}

// Replace nodes and triangles by those of the mesh; attributes were renumbered when it was made. Data of the original
// triangles do not apply to the new ones.
static pl_status copy_boundary(pl__draft *d, const pl_mesh *mesh)
{
    PL_DELETE(d->ctx, d->triangle_uv, d->triangle_uv_capacity);
    PL_DELETE(d->ctx, d->triangle_label, d->triangle_label_capacity);
    d->triangle_count = d->uv_count = d->label_count = 0;
    d->triangle_uv_capacity = d->triangle_label_capacity = 0;
    for (int32_t i = 0; i < mesh->triangle_count; ++i)
    {
        const int32_t *t = &mesh->triangle[3 * (size_t)i];
        PL_TRY(pl__draft_add_triangle(d, t[0], t[1], t[2]));
    }
    d->node_count = mesh->node_count;
    memcpy(d->position, mesh->position, 3 * (size_t)mesh->node_count * sizeof *d->position);
    return PL_OK;
}

static pl_status boundary_to_surface(pl__draft *d, pl_surface **surface)
{
    pl_mesh *mesh = NULL;
    PL_TRY(pl__draft_make_mesh(d, &mesh));
    pl_status status = copy_boundary(d, mesh);
    pl_mesh_destroy(&mesh);
    PL_TRY(status);
    int32_t inside; // nodes inside the solid: no note needed
    PL_TRY(compact(d, &inside));
    return triangles_to_surface(d, surface);
}

pl_status pl__draft_make_surface(pl__draft *d, pl_surface **surface)
{
    if (d->tets.count + d->hexes.count > 0)
        return boundary_to_surface(d, surface);
    int32_t unused = 0;
    choose_elements(d);
    drop_attributes(d);
    if (!d->keep_nodes)
        PL_TRY(compact(d, &unused));
    PL_TRY(triangles_to_surface(d, surface));
    note_left_out(d, unused);
    return PL_OK;
}
