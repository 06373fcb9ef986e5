// src/io/draft.h -- a mesh as it comes out of a file, before it can be trusted.
//
// Nodes have tags, numbers that a file gives them and that may be sparse, huge or out of order. They are looked up,
// never indexed by. Readers add the nodes, seal them, then add cells by tag; pl__draft_make_mesh turns the rest into a
// pl_mesh.
#ifndef PL_IO_DRAFT_H
#define PL_IO_DRAFT_H

#include "io/scan.h"
#include "mesh/mesh.h"

// A tag and what it stands for; sorted by tag once sealed.
typedef struct pl__tagged
{
    int64_t tag;
    int32_t value;
} pl__tagged;

// The name of a group of cells of a dimension (3 volumes, 2 faces), as a piece of the file.
typedef struct pl__group_name
{
    int dimension;
    int64_t group;
    pl__text text;
} pl__group_name;

// Kinds of cells, for the note about what was left out.
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
    PL__NAME_CHARS = 128,     // of the name of an attribute, with its final zero; longer ones are cut
    PL__ATTRIBUTES_MAX = 256, // per mesh; they are looked up one by one
    PL__COMPONENTS_MAX = 1024
};

// Numbers per node on their way.
typedef struct pl__draft_attribute
{
    char name[PL__NAME_CHARS];
    int32_t components;
    double *value; // [value_count], by node and component; for all nodes in the end, or it is left out
    size_t value_count, value_capacity;
} pl__draft_attribute;

// Volumes of one kind on their way.
typedef struct pl__draft_cells
{
    size_t count, node_capacity, group_capacity;
    int32_t *node;  // [corners * count] node indices
    int64_t *group; // [count]  0: none
} pl__draft_cells;

typedef struct pl__draft
{
    pl_context *ctx;
    const char *name;  // of the file, for sentences
    bool want_surface; // not a mesh
    bool keep_nodes;   // a surface keeps the nodes that it does not use

    int32_t node_count;
    size_t node_capacity, position_capacity;
    double *position; // [3 node_count]
    pl__tagged *node; // [node_count]  value: index of the node; in order of tags once sealed
    bool sealed;
    bool consecutive; // the tag of node i is node[0].tag + i, as in most files

    // volumes; a mesh has one kind of them
    pl__draft_cells tets, hexes;

    // triangles, and quadrangles and polygons cut into them: what is left if there are no volumes
    size_t triangle_count, triangle_capacity, triangle_group_capacity;
    int32_t *triangle;                  // [3 triangle_count]
    int64_t *triangle_group;            // [triangle_count]  0: none
    int64_t flat_group;                 // of triangles that are added now
    int64_t flat_cells[PL__CELL_KINDS]; // cells that they were, by kind
    int64_t flat_higher_order;

    // texture coordinates: all are there before the first triangle
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
    int64_t higher_order;             // volumes taken by their corners
    int64_t fans;                     // polygons of too many corners for clipping ears
    int64_t attributes_left_out;      // too many or too wide, a second of the same name, or not for all nodes
} pl__draft;

void pl__draft_free(pl__draft *d);

// Room for so many more nodes, which a file announces. The caller has checked that the file is long enough for them.
pl_status pl__draft_reserve_nodes(pl__draft *d, const pl__scan *s, int64_t count);
// Add a node; there must be room.
void pl__draft_add_node(pl__draft *d, int64_t tag, const double position[3]);
// All nodes are there: sort them by tag. Fails when two share one, at the place of `s`.
pl_status pl__draft_seal_nodes(pl__draft *d, const pl__scan *s);
// The same where tags are 0, 1, 2, ... by construction: more nodes may be added, and the draft sealed again.
void pl__draft_seal_numbered(pl__draft *d);

// Add a cell by the tags of its corners (4 for tets, 8 for hexahedra, 3 for triangles, 4 for quads); other kinds are
// only counted. Fails at the place of `s` for a tag of no node, or a volume that repeats one.
enum
{
    PL__CORNERS_MAX = 8
};
pl_status pl__draft_add_cell(pl__draft *d, const pl__scan *s, pl__cell_kind kind, const int64_t *corners,
                             int64_t group);
// So many cells of this kind are of higher order, and taken by their corners.
void pl__draft_count_higher(pl__draft *d, pl__cell_kind kind, int64_t count);
// A face that is added as a polygon or as triangles: count it, and give them its group.
void pl__draft_start_face(pl__draft *d, pl__cell_kind kind, int64_t group);
pl_status pl__draft_add_triangle(pl__draft *d, int32_t a, int32_t b, int32_t c);
// Add a polygon of 3 or more corners, by node indices, cut into triangles. `uv`, if not NULL, has an index or -1 for
// each.
pl_status pl__draft_add_polygon(pl__draft *d, const int32_t *corner, const int32_t *uv, size_t count);
pl_status pl__draft_add_uv(pl__draft *d, const double uv[2]);
// Triangles from here on belong to the group of this name.
pl_status pl__draft_start_group(pl__draft *d, pl__text name);
// Room for `components` numbers of each of the nodes [first, first + count) in the attribute of that name, which is
// made if `first` is 0: *values, cleared. NULL when it is left out. Files of several pieces must give it for all nodes,
// so that memory stays in proportion to what the file holds.
pl_status pl__draft_attribute_rows(pl__draft *d, const char *name, int64_t components, int32_t first, int32_t count,
                                   double **values);
pl_status pl__draft_name_group(pl__draft *d, int dimension, int64_t group, pl__text text);
// Files that put a cell into several groups repeat it: keep the first of each.
pl_status pl__draft_drop_repeats(pl__draft *d);

// Of the volumes, which must be of one kind, or of the triangles when there are none.
pl_status pl__draft_make_mesh(pl__draft *d, pl_mesh **mesh);
// The boundary of the volumes, or the triangles when there are none.
pl_status pl__draft_make_surface(pl__draft *d, pl_surface **surface);

// Sort by tag; equal tags keep their order. False when out of memory.
bool pl__sort_tagged(pl_context *ctx, pl__tagged *items, size_t count);
// The item with this tag among sorted ones, or NULL.
const pl__tagged *pl__find_tagged(const pl__tagged *items, size_t count, int64_t tag);

#endif
