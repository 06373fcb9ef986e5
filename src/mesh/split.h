// src/mesh/split.h -- a mesh whose nodes come apart: cracks and cuts between elements.
//
// Elements never change; what changes is which of them share a node. A node that is torn gets copies, one for each set
// of its elements that still hang together by faces, and so a face opens when the elements on its two sides no longer
// have all of its nodes in common. Nodes of the mesh keep their numbers, copies are added behind them.
//
//     S1  a corner is the node of the mesh that it was, or a copy of it
//     S2  around each node that was ever looked at, elements hang together by faces: nothing is held by a point or an edge alone
//     S3  the copies made between two commits are numbered in the order of their lowest corners, whatever order they were torn in
//
// So the table of corners says everything; it is what snapshots keep, and what a world is rebuilt from.
#ifndef PL_MESH_SPLIT_H
#define PL_MESH_SPLIT_H

#include "mesh/mesh.h"
#include "mesh/topology.h"

typedef struct pl__split
{
    pl_context *ctx;
    pl_element_kind kind;
    int32_t element_count;
    int32_t source_count;  // nodes of the mesh as it was
    int32_t node_count;    // now
    int32_t settled_count; // at the last commit
    int32_t *source;       // [corners * element_count] nodes of the mesh as it was
    int32_t *corner;       // [corners * element_count] nodes now
    int32_t *settled;      // [corners * element_count] nodes at the last commit
    int32_t *twin;         // [faces * element_count] of the mesh as it was (topology.h)
    pl__lists around;      // corners of each node of the mesh as it was
    int32_t *copy_of;      // [node_count - source_count] the mesh node that each copy is of
    size_t copy_capacity;
    uint8_t *firm; // [element_count] 1: not torn from neighbours that are firm too; all 0 at first

    // what a change has done, so that it can be undone
    struct pl__split_change *change; // [change_count]
    size_t change_count, change_capacity;

    // scratch
    int32_t *place;         // [element_count] in the ring that is looked at, or -1
    int32_t *mark;          // [element_count] of a walk
    int32_t walk;           // its number
    int32_t *ring, *parent; // [most_around] corners of a node, and a forest over them
    int8_t *side;           // [most_around]
    const uint8_t *cut;     // [faces * element_count] 1: a cut passes through; NULL: none is being made
    int32_t *queue;         // [queue_capacity] nodes to look at, or elements of a walk
    size_t queue_count, queue_capacity;
    int32_t most_around;
} pl__split;

// Fails with PL_ERR_ARGUMENT where three elements or more share a face.
PL_NODISCARD pl_status pl__split_create(const pl_mesh *mesh, pl__split **split);
void pl__split_destroy(pl__split **split);

// The mesh node that a node is a copy of, or is.
int32_t pl__split_origin(const pl__split *s, int32_t node);
// Whether two elements still hang together by this face of the first.
bool pl__split_is_joined(const pl__split *s, int32_t face);
// Whether a crack ends at a node: two elements that were neighbours have it in common, but no longer all of their face.
bool pl__split_is_tip(const pl__split *s, int32_t node);

// Tear a node: of its elements, those whose middles (of `x`, 3 numbers for each node as of the last commit) lie on one
// side of the plane through the node with this normal part from those on the other; what hangs by a point or an edge
// then parts as well. `torn` is whether anything did. On failure nothing changes.
PL_NODISCARD pl_status pl__split_node(pl__split *s, int32_t node, const double normal[3], const double *x, bool *torn);
// Tear all nodes between elements whose middles a quadrilateral separates, swept by a segment from a b to d c: two
// triangles a b c and a c d.
PL_NODISCARD pl_status pl__split_cut(pl__split *s, const double quad[4][3], const double *x, bool *torn);
// Whether every piece that was changed since a mark has at least so many elements.
PL_NODISCARD pl_status pl__split_pieces_are_large(pl__split *s, size_t mark, int32_t least, bool *large);
// Where changes stand, and back to there.
static inline size_t pl__split_mark(const pl__split *s) { return s->change_count; }
void pl__split_undo(pl__split *s, size_t mark);

// Changes are done: copies are numbered (S3), and `from`, the caller's to release (PL_DELETE with s->node_count), tells
// of which node as of the last commit each node is a copy; itself for those that were there. They can still be undone,
// until they are made to last.
PL_NODISCARD pl_status pl__split_number(pl__split *s, int32_t **from);
void pl__split_commit(pl__split *s);

// Changes as a list of corners that are not the mesh's own nodes, each with its node, by corner.
int32_t pl__split_list(const pl__split *s, int32_t (*list)[2]);
// Take up such a list in place of all changes. Fails with PL_ERR_FORMAT where it is not one; then nothing changes.
PL_NODISCARD pl_status pl__split_restore(pl__split *s, const int32_t (*list)[2], int32_t count, int32_t node_count);

// The mesh as it is now, with its regions; without attributes.
PL_NODISCARD pl_status pl__split_mesh(const pl__split *s, const pl_mesh *source, pl_mesh **mesh);
// How many pieces there are.
PL_NODISCARD pl_status pl__split_count_pieces(const pl__split *s, int32_t *count);

// S1 and S2, for all nodes; for tests.
bool pl__split_is_valid(pl__split *s);

#endif
