// src/io/draft.c -- tagged nodes and mixed cells from a file.
//
// Tags are looked up in a sorted array. A hash table would be faster for ordinary files, but a hostile one could make
// all of its tags collide; and ordinary files number their nodes 1, 2, 3, ..., where no search is needed at all.
#include "io/draft.h"
#include "io/polygon.h"
#include "mesh/topology.h"

#include <inttypes.h>
#include <string.h>

void pl__draft_free(pl__draft *d)
{
    PL_DELETE(d->ctx, d->position, d->position_capacity);
    PL_DELETE(d->ctx, d->node, d->node_capacity);
    PL_DELETE(d->ctx, d->tets.node, d->tets.node_capacity);
    PL_DELETE(d->ctx, d->tets.group, d->tets.group_capacity);
    PL_DELETE(d->ctx, d->hexes.node, d->hexes.node_capacity);
    PL_DELETE(d->ctx, d->hexes.group, d->hexes.group_capacity);
    PL_DELETE(d->ctx, d->triangle, d->triangle_capacity);
    PL_DELETE(d->ctx, d->triangle_group, d->triangle_group_capacity);
    PL_DELETE(d->ctx, d->group_name, d->name_capacity);
    PL_DELETE(d->ctx, d->uv, d->uv_capacity);
    PL_DELETE(d->ctx, d->triangle_uv, d->triangle_uv_capacity);
    PL_DELETE(d->ctx, d->label, d->label_capacity);
    PL_DELETE(d->ctx, d->triangle_label, d->triangle_label_capacity);
    for (size_t i = 0; i < d->attribute_count; ++i)
        PL_DELETE(d->ctx, d->attribute[i].value, d->attribute[i].value_capacity);
    PL_DELETE(d->ctx, d->attribute, d->attribute_capacity);
}

// ---- sorting -------------------------------------------------------------------------------------------------

// Merge [0, middle) and [middle, count) of `from` into `to`; runs that are in order already are only copied.
static void merge(const pl__tagged *from, size_t middle, size_t count, pl__tagged *to)
{
    if (middle == count || from[middle - 1].tag <= from[middle].tag)
    {
        memcpy(to, from, count * sizeof *to);
        return;
    }
    size_t a = 0, b = middle;
    for (size_t i = 0; i < count; ++i)
        to[i] = b == count || (a < middle && from[a].tag <= from[b].tag) ? from[a++] : from[b++];
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

bool pl__sort_tagged(pl_context *ctx, pl__tagged *items, size_t count)
{
    pl__tagged *other = PL_NEW(ctx, count, pl__tagged);
    if (!other)
        return false;
    pl__tagged *from = items, *to = other;
    for (size_t run = 1; run < count; run *= 2)
    {
        for (size_t at = 0; at < count; at += 2 * run)
            merge(from + at, smaller(run, count - at), smaller(2 * run, count - at), to + at);
        pl__tagged *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
    PL_DELETE(ctx, other, count);
    return true;
}

const pl__tagged *pl__find_tagged(const pl__tagged *items, size_t count, int64_t tag)
{
    size_t low = 0, high = count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (items[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && items[low].tag == tag ? &items[low] : NULL;
}

// ---- nodes ---------------------------------------------------------------------------------------------------

pl_status pl__draft_reserve_nodes(pl__draft *d, const pl__scan *s, int64_t count)
{
    if (count > PL__MAX_NODES - d->node_count)
        return pl__scan_fail(s, "says %" PRId64 " nodes, but at most %d are allowed", count, PL__MAX_NODES);
    size_t needed = (size_t)d->node_count + (size_t)count;
    return PL_GROW(d->ctx, d->position, &d->position_capacity, 3 * needed) &&
                   PL_GROW(d->ctx, d->node, &d->node_capacity, needed)
               ? PL_OK
               : PL_ERR_MEMORY;
}

void pl__draft_add_node(pl__draft *d, int64_t tag, const double position[3])
{
    PL_ASSERT((size_t)d->node_count < d->node_capacity);
    memcpy(&d->position[3 * (size_t)d->node_count], position, 3 * sizeof *position);
    d->node[d->node_count] = (pl__tagged){tag, d->node_count};
    d->node_count++;
}

pl_status pl__draft_seal_nodes(pl__draft *d, const pl__scan *s)
{
    bool ordered = true;
    d->sealed = d->consecutive = true;
    for (int32_t i = 1; i < d->node_count; ++i)
    {
        ordered &= d->node[i].tag >= d->node[i - 1].tag;
        d->consecutive &= (uint64_t)d->node[i].tag - (uint64_t)d->node[0].tag == (uint64_t)i;
    }
    if (!ordered && !pl__sort_tagged(d->ctx, d->node, (size_t)d->node_count))
        return PL_ERR_MEMORY;
    for (int32_t i = 1; i < d->node_count; ++i)
        if (d->node[i].tag == d->node[i - 1].tag)
            return pl__scan_fail(s, "nodes %d and %d of the file are both numbered %" PRId64, d->node[i - 1].value + 1,
                                 d->node[i].value + 1, d->node[i].tag);
    return PL_OK;
}

void pl__draft_seal_numbered(pl__draft *d) { d->sealed = d->consecutive = true; }

static int32_t find_node(const pl__draft *d, int64_t tag)
{
    if (d->consecutive && d->node_count > 0)
    {
        uint64_t index = (uint64_t)tag - (uint64_t)d->node[0].tag;
        return index < (uint64_t)d->node_count ? (int32_t)index : -1;
    }
    const pl__tagged *found = pl__find_tagged(d->node, (size_t)d->node_count, tag);
    return found ? found->value : -1;
}

// ---- cells ---------------------------------------------------------------------------------------------------

static pl_status find_corners(const pl__draft *d, const pl__scan *s, const int64_t *tags, int count, int32_t *nodes)
{
    for (int i = 0; i < count; ++i)
    {
        nodes[i] = find_node(d, tags[i]);
        if (nodes[i] < 0)
            return pl__scan_fail(s, "there is no node %" PRId64, tags[i]);
    }
    return PL_OK;
}

static pl_status add_volume(pl__draft *d, const pl__scan *s, pl_element_kind kind, const int64_t *corners,
                            int64_t group)
{
    const pl__element_form *form = &pl__element_forms[kind];
    pl__draft_cells *cells = kind == PL_ELEMENT_HEX ? &d->hexes : &d->tets;
    size_t width = (size_t)form->corners;
    int32_t nodes[PL__CORNERS_MAX];
    PL_TRY(find_corners(d, s, corners, form->corners, nodes));
    for (int i = 0; i < form->corners; ++i)
        for (int j = 0; j < i; ++j)
            if (nodes[i] == nodes[j])
                return pl__scan_fail(s, "the %s names node %" PRId64 " twice", form->one, corners[i]);
    if (cells->count >= (size_t)pl__max_elements(kind))
        return pl__scan_fail(s, "there are more than %d %s", pl__max_elements(kind), form->many);
    if (!PL_GROW(d->ctx, cells->node, &cells->node_capacity, width * (cells->count + 1)) ||
        !PL_GROW(d->ctx, cells->group, &cells->group_capacity, cells->count + 1))
        return PL_ERR_MEMORY;
    memcpy(&cells->node[width * cells->count], nodes, width * sizeof *nodes);
    cells->group[cells->count++] = group;
    return PL_OK;
}

// Add one entry to each array of triangle data.
static bool grow_triangles(pl__draft *d)
{
    size_t n = d->triangle_count + 1;
    return PL_GROW(d->ctx, d->triangle, &d->triangle_capacity, 3 * n) &&
           (d->want_surface || PL_GROW(d->ctx, d->triangle_group, &d->triangle_group_capacity, n)) &&
           (d->uv_count == 0 || PL_GROW(d->ctx, d->triangle_uv, &d->triangle_uv_capacity, 3 * n)) &&
           (d->label_count == 0 || PL_GROW(d->ctx, d->triangle_label, &d->triangle_label_capacity, n));
}

// The triangle of three corners of a polygon, by index.
static pl_status add_places(pl__draft *d, const int32_t *corner, const int32_t *uv, const int32_t place[3])
{
    if (!grow_triangles(d))
        return PL_ERR_MEMORY;
    for (size_t k = 0; k < 3; ++k)
    {
        d->triangle[3 * d->triangle_count + k] = corner[place[k]];
        if (d->uv_count > 0)
            d->triangle_uv[3 * d->triangle_count + k] = uv ? uv[place[k]] : -1;
    }
    if (d->label_count > 0)
        d->triangle_label[d->triangle_count] = (int32_t)d->label_count - 1;
    if (!d->want_surface)
        d->triangle_group[d->triangle_count] = d->flat_group;
    d->triangle_count++;
    return PL_OK;
}

pl_status pl__draft_add_triangle(pl__draft *d, int32_t a, int32_t b, int32_t c)
{
    const int32_t corner[3] = {a, b, c}, place[3] = {0, 1, 2};
    return add_places(d, corner, NULL, place);
}

static pl_status add_fan(pl__draft *d, const int32_t *corner, const int32_t *uv, int32_t count)
{
    for (int32_t i = 1; i + 1 < count; ++i)
    {
        const int32_t place[3] = {0, i, i + 1};
        PL_TRY(add_places(d, corner, uv, place));
    }
    return PL_OK;
}

pl_status pl__draft_add_polygon(pl__draft *d, const int32_t *corner, const int32_t *uv, size_t count)
{
    int32_t cut[3 * PL__POLYGON_MAX];
    if (count <= 3 || count > PL__POLYGON_MAX)
    {
        d->fans += count > 3;
        return add_fan(d, corner, uv, (int32_t)count);
    }
    pl__polygon_cut(d->position, corner, (int)count, cut);
    for (size_t i = 0; i < 3 * (count - 2); i += 3)
        PL_TRY(add_places(d, corner, uv, &cut[i]));
    return PL_OK;
}

static pl_status add_flat(pl__draft *d, const pl__scan *s, const int64_t *corners, int count)
{
    int32_t n[4];
    PL_TRY(find_corners(d, s, corners, count, n));
    return pl__draft_add_polygon(d, n, NULL, (size_t)count);
}

void pl__draft_count_higher(pl__draft *d, pl__cell_kind kind, int64_t count)
{
    if (kind == PL__CELL_TET || kind == PL__CELL_HEX)
        d->higher_order += count;
    if (kind == PL__CELL_TRIANGLE || kind == PL__CELL_QUAD)
        d->flat_higher_order += count;
}

void pl__draft_start_face(pl__draft *d, pl__cell_kind kind, int64_t group)
{
    d->flat_cells[kind]++;
    d->flat_group = group;
}

pl_status pl__draft_add_cell(pl__draft *d, const pl__scan *s, pl__cell_kind kind, const int64_t *corners, int64_t group)
{
    if (kind == PL__CELL_TET || kind == PL__CELL_HEX)
        return add_volume(d, s, kind == PL__CELL_TET ? PL_ELEMENT_TET : PL_ELEMENT_HEX, corners, group);
    if (kind == PL__CELL_TRIANGLE || kind == PL__CELL_QUAD)
    {
        pl__draft_start_face(d, kind, group);
        return add_flat(d, s, corners, kind == PL__CELL_QUAD ? 4 : 3);
    }
    d->left_out[kind]++;
    return PL_OK;
}

pl_status pl__draft_name_group(pl__draft *d, int dimension, int64_t group, pl__text text)
{
    if (!PL_GROW(d->ctx, d->group_name, &d->name_capacity, d->name_count + 1))
        return PL_ERR_MEMORY;
    d->group_name[d->name_count++] = (pl__group_name){dimension, group, text};
    return PL_OK;
}

// ---- node and triangle data ------------------------------------------------------------------------------------

pl_status pl__draft_add_uv(pl__draft *d, const double uv[2])
{
    if (d->uv_count >= PL__MAX_NODES)
        return pl__fail(d->ctx, PL_ERR_FORMAT, "%s: there are more than %d texture coordinates", d->name,
                        PL__MAX_NODES);
    if (!PL_GROW(d->ctx, d->uv, &d->uv_capacity, 2 * d->uv_count + 2))
        return PL_ERR_MEMORY;
    memcpy(&d->uv[2 * d->uv_count++], uv, 2 * sizeof *uv);
    return PL_OK;
}

pl_status pl__draft_start_group(pl__draft *d, pl__text name)
{
    // a label without triangles is replaced, so that there are never more labels than triangles
    bool unused = d->label_count > 0 &&
                  (d->triangle_count == 0 || (size_t)d->triangle_label[d->triangle_count - 1] + 1 < d->label_count);
    d->label_count -= unused;
    if (!PL_GROW(d->ctx, d->label, &d->label_capacity, d->label_count + 1))
        return PL_ERR_MEMORY;
    d->label[d->label_count++] = name;
    return PL_OK;
}

static pl__draft_attribute *find_attribute(pl__draft *d, const char *name, int64_t components)
{
    for (size_t i = 0; i < d->attribute_count; ++i)
        if (d->attribute[i].components == components && strcmp(d->attribute[i].name, name) == 0)
            return &d->attribute[i];
    return NULL;
}

static pl_status add_attribute(pl__draft *d, const char *name, int64_t components, pl__draft_attribute **made)
{
    if (!PL_GROW(d->ctx, d->attribute, &d->attribute_capacity, d->attribute_count + 1))
        return PL_ERR_MEMORY;
    *made = &d->attribute[d->attribute_count++];
    **made = (pl__draft_attribute){.components = (int32_t)components};
    pl__text_spell((pl__text){name, strlen(name)}, (*made)->name, sizeof(*made)->name);
    return PL_OK;
}

pl_status pl__draft_attribute_rows(pl__draft *d, const char *name, int64_t components, int32_t first, int32_t count,
                                   double **values)
{
    *values = NULL;
    pl__draft_attribute *a = find_attribute(d, name, components);
    size_t before = (size_t)components * (size_t)first, needed = before + (size_t)components * (size_t)count;
    bool fits = a ? a->value_count == before
                  : first == 0 && d->attribute_count < PL__ATTRIBUTES_MAX && components <= PL__COMPONENTS_MAX;
    if (!fits)
    {
        d->attributes_left_out++;
        return PL_OK;
    }
    if (!a)
        PL_TRY(add_attribute(d, name, components, &a));
    if (!PL_GROW(d->ctx, a->value, &a->value_capacity, needed ? needed : 1))
        return PL_ERR_MEMORY;
    a->value_count = needed;
    *values = &a->value[before];
    return PL_OK;
}

// ---- repeated cells --------------------------------------------------------------------------------------------

// Cells of any kind, as a common view for the removal of duplicates.
typedef struct cell_list
{
    int32_t *node;
    int64_t *group;
    size_t count;
    int corners;
} cell_list;

static void sorted_corners(const cell_list *list, int32_t cell, int32_t to[PL__CORNERS_MAX])
{
    const int32_t *from = &list->node[(size_t)list->corners * (size_t)cell];
    memset(to, 0, PL__CORNERS_MAX * sizeof *to);
    for (int i = 0; i < list->corners; ++i)
    {
        int at = i;
        for (; at > 0 && to[at - 1] > from[i]; --at)
            to[at] = to[at - 1];
        to[at] = from[i];
    }
}

// Order by the sorted nodes: passes of a stable sort, two nodes at a time, least significant first.
static bool sort_cells(pl_context *ctx, const cell_list *list, pl__tagged *items)
{
    for (int pair = (list->corners - 1) / 2; pair >= 0; --pair)
    {
        for (size_t i = 0; i < list->count; ++i)
        {
            int32_t n[PL__CORNERS_MAX];
            sorted_corners(list, items[i].value, n);
            items[i].tag = (int64_t)n[2 * pair] << 32 | n[2 * pair + 1];
        }
        if (!pl__sort_tagged(ctx, items, list->count))
            return false;
    }
    return true;
}

static bool same_cell(const cell_list *list, int32_t a, int32_t b)
{
    int32_t m[PL__CORNERS_MAX], n[PL__CORNERS_MAX];
    sorted_corners(list, a, m);
    sorted_corners(list, b, n);
    return memcmp(m, n, sizeof m) == 0;
}

// Mark duplicates by a negative group, then compact; returns how many are left.
static size_t remove_repeats(const cell_list *list, const pl__tagged *items)
{
    size_t kept = 0, width = (size_t)list->corners;
    for (size_t i = 1; i < list->count; ++i)
        if (same_cell(list, items[i - 1].value, items[i].value))
            list->group[items[i].value] = -1;
    for (size_t i = 0; i < list->count; ++i)
    {
        if (list->group[i] < 0)
            continue;
        memmove(&list->node[width * kept], &list->node[width * i], width * sizeof *list->node);
        list->group[kept++] = list->group[i];
    }
    return kept;
}

static pl_status drop_repeats(pl__draft *d, const cell_list *list, const char *name, size_t *kept)
{
    pl__tagged *items = PL_NEW(d->ctx, list->count, pl__tagged);
    if (!items)
        return PL_ERR_MEMORY;
    for (size_t i = 0; i < list->count; ++i)
        items[i].value = (int32_t)i;
    bool sorted = sort_cells(d->ctx, list, items);
    *kept = sorted ? remove_repeats(list, items) : list->count;
    PL_DELETE(d->ctx, items, list->count);
    if (*kept < list->count)
        pl__log(d->ctx, PL_LOG_NOTE, "%s: left out %zu %s that repeat others (of several groups the first counts)",
                d->name, list->count - *kept, name);
    return sorted ? PL_OK : PL_ERR_MEMORY;
}

pl_status pl__draft_drop_repeats(pl__draft *d)
{
    const cell_list tets = {d->tets.node, d->tets.group, d->tets.count, 4},
                    hexes = {d->hexes.node, d->hexes.group, d->hexes.count, 8};
    const cell_list triangles = {d->triangle, d->triangle_group, d->triangle_count, 3};
    PL_TRY(drop_repeats(d, &tets, "tetrahedra", &d->tets.count));
    PL_TRY(drop_repeats(d, &hexes, "hexahedra", &d->hexes.count));
    bool shell = !d->want_surface && d->tets.count + d->hexes.count == 0;
    return shell ? drop_repeats(d, &triangles, "triangles", &d->triangle_count) : PL_OK;
}
