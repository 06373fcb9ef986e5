// src/io/vtk_cells.c -- the cells of VTK's formats.
//
// Three arrays: nodes, cell by cell; the end of each cell in it; and the type of each. Before version 5 of the legacy
// format there were two, each cell beginning with its number of nodes. They are read in parallel, so nothing is stored.
//
// "VTK File Formats", and vtkCellType.h for the numbers of the types.
#include "io/vtk.h"

#include <inttypes.h>
#include <string.h>

// ---- types ---------------------------------------------------------------------------------------------------

typedef enum shape
{
    SHAPE_CORNERS, // the first `corner_count` nodes are its corners, in order
    SHAPE_PIXEL,   // a quadrangle with its last two corners exchanged, or a hexahedron (voxel) so at its bottom and its
                   // top
    SHAPE_STRIP,   // triangles that share edges
    SHAPE_POLYGON
} shape;

typedef struct cell_type
{
    pl__cell_kind kind;
    int8_t corner_count; // minimum
    bool higher_order;
    shape shape;
} cell_type;

static const cell_type types[] = {
    [1] = {PL__CELL_POINT, 1, false, SHAPE_CORNERS},    [2] = {PL__CELL_POINT, 0, false, SHAPE_CORNERS},
    [3] = {PL__CELL_LINE, 2, false, SHAPE_CORNERS},     [4] = {PL__CELL_LINE, 0, false, SHAPE_CORNERS},
    [5] = {PL__CELL_TRIANGLE, 3, false, SHAPE_CORNERS}, [6] = {PL__CELL_TRIANGLE, 3, false, SHAPE_STRIP},
    [7] = {PL__CELL_TRIANGLE, 3, false, SHAPE_POLYGON}, [8] = {PL__CELL_QUAD, 4, false, SHAPE_PIXEL},
    [9] = {PL__CELL_QUAD, 4, false, SHAPE_CORNERS},     [10] = {PL__CELL_TET, 4, false, SHAPE_CORNERS},
    [11] = {PL__CELL_HEX, 8, false, SHAPE_PIXEL},       [12] = {PL__CELL_HEX, 8, false, SHAPE_CORNERS},
    [13] = {PL__CELL_PRISM, 6, false, SHAPE_CORNERS},   [14] = {PL__CELL_PYRAMID, 5, false, SHAPE_CORNERS},
    [21] = {PL__CELL_LINE, 3, true, SHAPE_CORNERS},     [22] = {PL__CELL_TRIANGLE, 6, true, SHAPE_CORNERS},
    [23] = {PL__CELL_QUAD, 8, true, SHAPE_CORNERS},     [24] = {PL__CELL_TET, 10, true, SHAPE_CORNERS},
    [25] = {PL__CELL_HEX, 20, true, SHAPE_CORNERS},     [26] = {PL__CELL_PRISM, 15, true, SHAPE_CORNERS},
    [27] = {PL__CELL_PYRAMID, 13, true, SHAPE_CORNERS}, [28] = {PL__CELL_QUAD, 9, true, SHAPE_CORNERS},
    [29] = {PL__CELL_HEX, 27, true, SHAPE_CORNERS},     [30] = {PL__CELL_QUAD, 6, true, SHAPE_CORNERS},
    [34] = {PL__CELL_TRIANGLE, 7, true, SHAPE_CORNERS}, [35] = {PL__CELL_LINE, 4, true, SHAPE_CORNERS},
    [68] = {PL__CELL_LINE, 2, true, SHAPE_CORNERS},     [69] = {PL__CELL_TRIANGLE, 3, true, SHAPE_CORNERS},
    [70] = {PL__CELL_QUAD, 4, true, SHAPE_CORNERS},     [71] = {PL__CELL_TET, 4, true, SHAPE_CORNERS},
    [72] = {PL__CELL_HEX, 8, true, SHAPE_CORNERS},      [73] = {PL__CELL_PRISM, 6, true, SHAPE_CORNERS},
    [74] = {PL__CELL_PYRAMID, 5, true, SHAPE_CORNERS},  [75] = {PL__CELL_LINE, 2, true, SHAPE_CORNERS},
    [76] = {PL__CELL_TRIANGLE, 3, true, SHAPE_CORNERS}, [77] = {PL__CELL_QUAD, 4, true, SHAPE_CORNERS},
    [78] = {PL__CELL_TET, 4, true, SHAPE_CORNERS}};

static cell_type type_of(int64_t number)
{
    bool known = number > 0 && number < (int64_t)(sizeof types / sizeof types[0]);
    // an entry of all zeros is unknown: only points have kind 0, and type 2 needs no corners
    if (known && (types[number].kind != 0 || number <= 2))
        return types[number];
    return (cell_type){PL__CELL_OTHER, 0, false, SHAPE_CORNERS};
}

// ---- cells ---------------------------------------------------------------------------------------------------

typedef struct reader
{
    pl__draft *draft;
    pl__series corner, end, kind;
    int32_t *node; // of the cell being read
    size_t node_capacity;
    int64_t ended; // end of the previous cell
} reader;

static pl_status read_length(reader *r, const pl__vtk_cells *cells, int64_t *length)
{
    int64_t end = 0;
    if (!cells->end)
        return pl__scan_whole(&r->corner.scan, r->corner.type, "the number of nodes of a cell", length);
    PL_TRY(pl__scan_whole(&r->end.scan, r->end.type, "the end of a cell", &end));
    if (end < r->ended)
        return pl__scan_fail(&r->end.scan,
                             "a cell ends at %" PRId64 ", before the one before it, which ends at %" PRId64, end,
                             r->ended);
    *length = end - r->ended;
    r->ended = end;
    return PL_OK;
}

static pl_status read_nodes(reader *r, const pl__vtk_cells *cells, int64_t length)
{
    pl__scan *s = &r->corner.scan;
    int64_t node = 0;
    PL_TRY(pl__scan_need(s, length, pl__scan_number_bytes(s, r->corner.type) - !s->binary, "nodes of a cell"));
    if (!PL_GROW(r->draft->ctx, r->node, &r->node_capacity, (size_t)length))
        return PL_ERR_MEMORY;
    for (int64_t i = 0; i < length; ++i)
    {
        PL_TRY(pl__scan_whole(s, r->corner.type, "a node of a cell", &node));
        if (node < 0 || node >= cells->node_count)
            return pl__scan_fail(s, "there is no node %" PRId64 ": there are %d, numbered from 0", node,
                                 cells->node_count);
        r->node[i] = cells->first_node + (int32_t)node;
    }
    return PL_OK;
}

// Every second triangle of a strip has the opposite orientation.
static pl_status add_strip(reader *r, int64_t length)
{
    for (int64_t i = 0; i + 2 < length; ++i)
    {
        const int32_t *n = &r->node[i];
        PL_TRY(pl__draft_add_triangle(r->draft, n[0], n[1 + i % 2], n[2 - i % 2]));
    }
    return PL_OK;
}

static pl_status add_corners(reader *r, cell_type type, int64_t cell)
{
    int64_t corner[PL__CORNERS_MAX] = {0};
    for (int i = 0; i < PL__CORNERS_MAX && i < type.corner_count; ++i)
        corner[i] = r->node[i];
    for (int i = 2; type.shape == SHAPE_PIXEL && i < type.corner_count; i += 4)
    {
        corner[i] = r->node[i + 1];
        corner[i + 1] = r->node[i];
    }
    return pl__draft_add_cell(r->draft, &r->corner.scan, type.kind, corner, cell);
}

static pl_status add_cell(reader *r, cell_type type, int64_t length, int64_t cell)
{
    if (length < type.corner_count)
        return pl__scan_fail(&r->corner.scan, "a cell has %" PRId64 " nodes, where its type needs %d", length,
                             type.corner_count);
    pl__draft_count_higher(r->draft, type.kind, type.higher_order);
    if (type.shape != SHAPE_STRIP && type.shape != SHAPE_POLYGON)
        return add_corners(r, type, cell);
    pl__draft_start_face(r->draft, type.kind, cell);
    return type.shape == SHAPE_STRIP ? add_strip(r, length)
                                     : pl__draft_add_polygon(r->draft, r->node, NULL, (size_t)length);
}

static pl_status read_cells(reader *r, const pl__vtk_cells *cells)
{
    for (int64_t i = 0; i < cells->count; ++i)
    {
        int64_t length = 0, kind = cells->only_kind;
        PL_TRY(read_length(r, cells, &length));
        PL_TRY(read_nodes(r, cells, length));
        if (cells->kind)
            PL_TRY(pl__scan_whole(&r->kind.scan, r->kind.type, "the type of a cell", &kind));
        PL_TRY(add_cell(r, type_of(kind), length, i));
    }
    return PL_OK;
}

pl_status pl__vtk_add_cells(pl__draft *draft, const pl__vtk_cells *cells)
{
    reader r = {.draft = draft, .corner = cells->corner};
    if (cells->end)
        r.end = *cells->end;
    if (cells->kind)
        r.kind = *cells->kind;
    pl_status status = read_cells(&r, cells);
    PL_DELETE(draft->ctx, r.node, r.node_capacity);
    return status;
}

// ---- regions and attributes ------------------------------------------------------------------------------------

int pl__vtk_region_rank(pl__text name)
{
    static const char *const names[] = {"material", "region", "gmsh:physical", "CellEntityIds", "medit:ref"};
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); ++i)
        if (pl__text_is(name, names[i]))
            return i;
    return -1;
}

pl__vtk_counts pl__vtk_count(const pl__draft *draft)
{
    return (pl__vtk_counts){draft->tets.count, draft->hexes.count, draft->triangle_count};
}

// Elements come in the order of their cells, so one pass over the values is enough. A cell may have made several
// triangles.
static void give_region(int64_t *group, size_t count, size_t *at, int64_t cell, int64_t value)
{
    for (; *at < count && group[*at] == cell; ++*at)
        group[*at] = value;
}

static void forget_regions(int64_t *group, size_t count, size_t at)
{
    for (; at < count; ++at)
        group[at] = 0;
}

pl_status pl__vtk_set_regions(pl__draft *draft, pl__vtk_counts first, const pl__series *region, int64_t count)
{
    pl__series series = region ? *region : (pl__series){0};
    pl__vtk_counts at = first, all = pl__vtk_count(draft);
    all.triangles = draft->want_surface ? at.triangles : all.triangles; // they have no groups then
    int64_t value = 0;
    for (int64_t cell = 0; region && cell < count; ++cell)
    {
        if (at.tets == all.tets && at.hexes == all.hexes && at.triangles == all.triangles)
            break;
        PL_TRY(pl__scan_whole(&series.scan, series.type, "the region of a cell", &value));
        give_region(draft->tets.group, all.tets, &at.tets, cell, value);
        give_region(draft->hexes.group, all.hexes, &at.hexes, cell, value);
        give_region(draft->triangle_group, all.triangles, &at.triangles, cell, value);
    }
    forget_regions(draft->tets.group, all.tets, at.tets);
    forget_regions(draft->hexes.group, all.hexes, at.hexes);
    forget_regions(draft->triangle_group, all.triangles, at.triangles);
    return PL_OK;
}

pl_status pl__vtk_read_attribute(pl__draft *draft, pl__series *series, const char *name, int64_t components,
                                 int32_t first, int32_t count, double full)
{
    double *values = NULL, value = 0;
    pl__scan *s = &series->scan;
    int64_t total = components * count;
    // the last number of a text may end without a blank
    PL_TRY(pl__scan_need(s, total - (total > 0 && !s->binary), pl__scan_number_bytes(s, series->type), "numbers"));
    PL_TRY(pl__draft_attribute_rows(draft, name, components, first, count, &values));
    for (int64_t i = 0; i < total; ++i)
    {
        PL_TRY(pl__scan_any(s, series->type, "a number of an attribute", &value));
        if (values)
            values[i] = value / full;
    }
    return PL_OK;
}
