// src/io/vtk.h -- shared by the readers of the two VTK formats: cells, and data of points and cells.
#ifndef PL_IO_VTK_H
#define PL_IO_VTK_H

#include "io/draft.h"

// An array in a file: numbers of one type, in text or binary.
typedef struct pl__series
{
    pl__scan scan;
    pl__number_type type;
} pl__series;

// Cells in the representation of the file.
typedef struct pl__vtk_cells
{
    int64_t count;
    pl__series corner;      // node indices, cell by cell
    const pl__series *end;  // end of each cell in `corner`; NULL: each cell begins with its number of corners
    const pl__series *kind; // VTK type of each cell; NULL: all are of `only_kind`
    int64_t only_kind;
    int32_t first_node, node_count; // indices are in [0, node_count) and count from first_node
} pl__vtk_cells;

// Add the cells to the draft. The group of an element is the index of its cell, until pl__vtk_set_regions.
pl_status pl__vtk_add_cells(pl__draft *draft, const pl__vtk_cells *cells);
// Number of elements of each kind in a draft.
typedef struct pl__vtk_counts
{
    size_t tets, hexes, triangles;
} pl__vtk_counts;
pl__vtk_counts pl__vtk_count(const pl__draft *draft);
// Replace cell indices by regions, for elements from `first` on: the values of `region`, one for each of `count` cells,
// or 0 if it is NULL.
pl_status pl__vtk_set_regions(pl__draft *draft, pl__vtk_counts first, const pl__series *region, int64_t count);
// Priority of an array of this name for regions: the lower the better, negative if it has none.
int pl__vtk_region_rank(pl__text name);

// Read `components` numbers for each of `count` nodes from `first` on as an attribute, divided by `full`.
pl_status pl__vtk_read_attribute(pl__draft *draft, pl__series *series, const char *name, int64_t components,
                                 int32_t first, int32_t count, double full);

// Read a .vtk or a .vtu into `draft`.
pl_status pl__vtk_read(pl__draft *draft, const void *data, size_t size);
pl_status pl__vtu_read(pl__draft *draft, const void *data, size_t size);

#endif
