// src/io/draft.h -- a mesh read from a file, before it is checked.
//
// Nodes have tags: numbers given by the file, which may be sparse, huge or out of order, and are looked up, never used
// as indices. Readers add the nodes, seal them, then add cells by tag; pl__draft_make_mesh converts the draft into a
// pl_mesh.
#ifndef PL_IO_DRAFT_H
#define PL_IO_DRAFT_H

#include "io/scan.h"
#include "mesh/mesh.h"

// A tag and its value; sorted by tag once sealed.
typedef struct pl__tagged
{
    int64_t tag;
    int32_t value;
} pl__tagged;

// Name of a group of cells of a dimension (3 volumes, 2 faces), as a slice of the file.
typedef struct pl__group_name
{
    int dimension;
    int64_t group;
    pl__text text;
} pl__group_name;

// Kinds of cells, for the note about omitted ones.
typedef enum pl__cell_kind
{
    PL__CELL_POINT,
    PL__CELL_LINE,
    PL__CELL_TRIANGLE,
    PL__CELL_QUAD,
    PL__CELL_TET,
    PL__CELL_HEX,
    PL__CELL_PRISM,
    PL__CELL_PYRAMID,
    PL__CELL_OTHER,
    PL__CELL_KINDS
} pl__cell_kind;

enum
{
    PL__NAME_CHARS = 128,     // length of the name of an attribute, with its terminating zero; longer ones are cut
    PL__ATTRIBUTES_MAX = 256, // per mesh; they are looked up one by one
    PL__COMPONENTS_MAX = 1024
};

// Nodal data under construction.
typedef struct pl__draft_attribute
{
    char name[PL__NAME_CHARS];
    int32_t components;
    double *value; // [value_count], by node and component; must cover all nodes in the end, or it is left out
    size_t value_count, value_capacity;
} pl__draft_attribute;

// Volume cells of one kind under construction.
typedef struct pl__draft_cells
{
    size_t count, node_capacity, group_capacity;
    int32_t *node;  // [corners * count] node indices
    int64_t *group; // [count]  0: none
} pl__draft_cells;

typedef struct pl__draft
{
    pl_context *ctx;
    const char *name;  // of the file, for error messages
    bool want_surface; // build a surface, not a mesh
    bool keep_nodes;   // a surface keeps its unused nodes

    int32_t node_count;
    size_t node_capacity, position_capacity;
    double *position; // [3 node_count]
    pl__tagged *node; // [node_count]  value: index of the node; in order of tags once sealed
    bool sealed;
    bool consecutive; // the tag of node i is node[0].tag + i, as in most files

    // volumes; a mesh has one kind of them
    pl__draft_cells tets, hexes;

    // triangles, including triangulated quadrangles and polygons; used if there are no volumes
    size_t triangle_count, triangle_capacity, triangle_group_capacity;
    int32_t *triangle;                  // [3 triangle_count]
    int64_t *triangle_group;            // [triangle_count]  0: none
    int64_t flat_group;                 // group of the triangles being added
    int64_t flat_cells[PL__CELL_KINDS]; // their original cells, by kind
    int64_t flat_higher_order;

    // texture coordinates: complete before the first triangle
    size_t uv_count, uv_capacity, triangle_uv_capacity;
    double *uv;           // [2 uv_count]
    int32_t *triangle_uv; // [3 triangle_count], when uv_count > 0

    // groups of triangles: triangles belong to the last label, and labels may repeat
    size_t label_count, label_capacity, triangle_label_capacity;
    pl__text *label;         // [label_count]
    int32_t *triangle_label; // [triangle_count], when the first label came before the first triangle

    size_t attribute_count, attribute_capacity;
    pl__draft_attribute *attribute; // [attribute_count]

    size_t name_count, name_capacity;
    pl__group_name *group_name; // [name_count]

    int64_t left_out[PL__CELL_KINDS]; // cells not kept
    int64_t higher_order;             // volumes reduced to their corners
    int64_t fans;                     // polygons with too many corners for ear clipping
    int64_t attributes_left_out;      // too many or too wide, duplicate names, or incomplete
} pl__draft;

void pl__draft_free(pl__draft *d);

// Reserve memory for the number of nodes announced by a file. The caller has checked that the file is long enough.
pl_status pl__draft_reserve_nodes(pl__draft *d, const pl__scan *s, int64_t count);
// Add a node; memory must be reserved.
void pl__draft_add_node(pl__draft *d, int64_t tag, const double position[3]);
// All nodes were added: sort them by tag. Fails at the location of `s` for duplicate tags.
pl_status pl__draft_seal_nodes(pl__draft *d, const pl__scan *s);
// The same if tags are 0, 1, 2, ... by construction: more nodes may be added, and the draft sealed again.
void pl__draft_seal_numbered(pl__draft *d);

// Add a cell by the tags of its corners (4 for tets, 8 for hexahedra, 3 for triangles, 4 for quads); other kinds are
// only counted. Fails at the location of `s` for an unknown tag, or a volume with a repeated node.
enum
{
    PL__CORNERS_MAX = 8
};
pl_status pl__draft_add_cell(pl__draft *d, const pl__scan *s, pl__cell_kind kind, const int64_t *corners,
                             int64_t group);
// Count cells of higher order that were reduced to their corners.
void pl__draft_count_higher(pl__draft *d, pl__cell_kind kind, int64_t count);
// Begin a face that is added as a polygon or as triangles: count it, and set its group.
void pl__draft_start_face(pl__draft *d, pl__cell_kind kind, int64_t group);
pl_status pl__draft_add_triangle(pl__draft *d, int32_t a, int32_t b, int32_t c);
// Triangulate and add a polygon of 3 or more corners, by node indices. `uv`, if not NULL, has an index or -1 for each.
pl_status pl__draft_add_polygon(pl__draft *d, const int32_t *corner, const int32_t *uv, size_t count);
pl_status pl__draft_add_uv(pl__draft *d, const double uv[2]);
// Triangles from here on belong to the group of this name.
pl_status pl__draft_start_group(pl__draft *d, pl__text name);
// Memory for `components` numbers of each of the nodes [first, first + count) in an attribute, which is created if
// `first` is 0: *values, zeroed. NULL if it is left out. Files of several pieces must give it for all nodes, so that
// memory stays proportional to the file.
pl_status pl__draft_attribute_rows(pl__draft *d, const char *name, int64_t components, int32_t first, int32_t count,
                                   double **values);
pl_status pl__draft_name_group(pl__draft *d, int dimension, int64_t group, pl__text text);
// Remove duplicates: files that put a cell into several groups repeat it; the first is kept.
pl_status pl__draft_drop_repeats(pl__draft *d);

// Mesh of the volumes, which must be of one kind, or of the triangles if there are none.
pl_status pl__draft_make_mesh(pl__draft *d, pl_mesh **mesh);
// Boundary of the volumes, or the triangles if there are none.
pl_status pl__draft_make_surface(pl__draft *d, pl_surface **surface);

// Sort by tag; equal tags keep their order. False when out of memory.
bool pl__sort_tagged(pl_context *ctx, pl__tagged *items, size_t count);
// The item with this tag among sorted ones, or NULL.
const pl__tagged *pl__find_tagged(const pl__tagged *items, size_t count, int64_t tag);

#endif
