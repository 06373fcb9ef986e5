// src/mesh/split.h -- fracture of a mesh by splitting nodes: cracks and cuts between elements.
//
// Elements never change; only the sharing of nodes does. A node that is split gets copies, one for each face-connected
// set of its elements, and a face is open once the elements on its two sides no longer share all of its nodes. Mesh
// nodes keep their numbers, copies are appended.
//
//     S1  a corner is its original mesh node, or a copy of it
//     S2  around each node that was ever visited, elements are face-connected: nothing is held by a point or an edge alone
//     S3  the copies made between two commits are numbered in the order of their lowest corners, whatever order they were split in
//
// So the table of corners is the complete state; snapshots store it, and a world is rebuilt from it.
#ifndef PL_MESH_SPLIT_H
#define PL_MESH_SPLIT_H

#include "mesh/mesh.h"
#include "mesh/topology.h"

typedef struct pl__split
{
    pl_context *ctx;
    pl_element_kind kind;
    int32_t element_count;
    int32_t source_count;  // nodes of the intact mesh
    int32_t node_count;    // current
    int32_t settled_count; // at the last commit
    int32_t *source;       // [corners * element_count] nodes of the intact mesh
    int32_t *corner;       // [corners * element_count] current nodes
    int32_t *settled;      // [corners * element_count] nodes at the last commit
    int32_t *twin;         // [faces * element_count] of the intact mesh (topology.h)
    pl__lists around;      // corners of each node of the intact mesh
    int32_t *copy_of;      // [node_count - source_count] mesh node of each copy
    size_t copy_capacity;
    uint8_t *firm; // [element_count] 1: unbreakable, not separated from other firm elements; all 0 at first

    // undo log
    struct pl__split_change *change; // [change_count]
    size_t change_count, change_capacity;

    // scratch
    int32_t *place;         // [element_count] index in the current ring, or -1
    int32_t *mark;          // [element_count] visited marks of a search
    int32_t walk;           // its number
    int32_t *ring, *parent; // [most_around] corners of a node, and union-find over them
    int8_t *side;           // [most_around]
    const uint8_t *cut;     // [faces * element_count] 1: a cut passes through; NULL: no cut in progress
    int32_t *queue;         // [queue_capacity] nodes to visit, or elements of a search
    size_t queue_count, queue_capacity;
    int32_t most_around;
} pl__split;

// Fails with PL_ERR_ARGUMENT if three or more elements share a face.
PL_NODISCARD pl_status pl__split_create(const pl_mesh *mesh, pl__split **split);
void pl__split_destroy(pl__split **split);

// The mesh node that a node is, or is a copy of.
int32_t pl__split_origin(const pl__split *s, int32_t node);
// Whether two elements are still connected by this face of the first.
bool pl__split_is_joined(const pl__split *s, int32_t face);
// Whether a node is at a crack tip: two former neighbours share it, but no longer all of their face.
bool pl__split_is_tip(const pl__split *s, int32_t node);

// Split a node: of its elements, those with centroids (by `x`, 3 numbers for each node as of the last commit) on one
// side of the plane through the node with this normal separate from those on the other; parts left connected by a
// point or an edge separate as well. `torn` is whether anything did. On failure nothing changes.
PL_NODISCARD pl_status pl__split_node(pl__split *s, int32_t node, const double normal[3], const double *x, bool *torn);
// Split all nodes between elements whose centroids are separated by a quadrilateral, swept by a segment from a b to d
// c: two triangles a b c and a c d.
PL_NODISCARD pl_status pl__split_cut(pl__split *s, const double quad[4][3], const double *x, bool *torn);
// Whether every piece that was changed since a mark has at least so many elements.
PL_NODISCARD pl_status pl__split_pieces_are_large(pl__split *s, size_t mark, int32_t least, bool *large);
// Position in the undo log, and undo back to it.
static inline size_t pl__split_mark(const pl__split *s) { return s->change_count; }
void pl__split_undo(pl__split *s, size_t mark);

// Number the copies (S3). `from`, which the caller frees (PL_DELETE with s->node_count), maps each node to the node as
// of the last commit that it is a copy of; itself for existing ones. Changes can still be undone until they are
// committed.
PL_NODISCARD pl_status pl__split_number(pl__split *s, int32_t **from);
void pl__split_commit(pl__split *s);

// The state as a list of corners that differ from the mesh's own nodes, each with its node, by corner.
int32_t pl__split_list(const pl__split *s, int32_t (*list)[2]);
// Restore such a list in place of all changes. Fails with PL_ERR_FORMAT if it is invalid; then nothing changes.
PL_NODISCARD pl_status pl__split_restore(pl__split *s, const int32_t (*list)[2], int32_t count, int32_t node_count);

// The current mesh, with its regions; without attributes.
PL_NODISCARD pl_status pl__split_mesh(const pl__split *s, const pl_mesh *source, pl_mesh **mesh);
// Number of pieces.
PL_NODISCARD pl_status pl__split_count_pieces(const pl__split *s, int32_t *count);

// S1 and S2, for all nodes; for tests.
bool pl__split_is_valid(pl__split *s);

#endif
