// src/mesh/topology.h -- who touches whom in a set of elements.
//
// All functions take plain arrays (so many node indices per element, each in [0, node_count)), so that they serve a
// mesh, a scene of many bodies and a part of either. Corner c of element e has the number corners * e + c, face f the
// number faces * e + f; the faces of triangles are their edges, and face c of a tetrahedron or triangle lies opposite
// corner c. Limits: pl__max_elements and PL__MAX_NODES, so that every such number fits in an int32_t.
#ifndef PL_MESH_TOPOLOGY_H
#define PL_MESH_TOPOLOGY_H

#include "base/context.h"
#include <pliant/mesh.h>

#define PL__MAX_TETS (INT32_MAX / 4)
#define PL__MAX_NODES (INT32_MAX / 3)

// What elements of one kind have in common.
typedef struct pl__element_form
{
    int32_t corners, faces, face_corners;
    int8_t face[6][4];                  // [faces][face_corners] corners of the faces, outward for a positive element
    const char *one, *many, *face_name; // for sentences
} pl__element_form;

// By pl_element_kind.
extern const pl__element_form pl__element_forms[3];

// How many elements of a kind a mesh may have; PL__MAX_TETS of tetrahedra.
int32_t pl__max_elements(pl_element_kind kind);

// Lists of different lengths, end to end: those of row r are item[start[r]] .. item[start[r + 1] - 1].
typedef struct pl__lists
{
    int32_t row_count;
    int32_t *start; // [row_count + 1]  ascending, start[0] = 0
    int32_t *item;  // [start[row_count]]
} pl__lists;

// Free and clear; harmless when already clear.
void pl__lists_done(pl_context *ctx, pl__lists *lists);

// For each node the corners that it is, ascending: the order in which element forces are summed. `corners` is how many
// an element has.
pl_status pl__node_corners(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                           int32_t node_count, pl__lists *lists);

// For each node the nodes it shares an element with, ascending, without itself.
pl_status pl__node_neighbours(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                              int32_t node_count, pl__lists *neighbours);

// Faces of three or more elements: how many, and the first three elements of the one with the lowest face number.
typedef struct pl__crowd
{
    int32_t count, element[3];
} pl__crowd;

enum
{
    PL__FACE_ALONE = -1,  // on the boundary
    PL__FACE_CROWDED = -2 // of three elements or more
};

// For each face the face of another element with the same nodes, or one of the two above.
pl_status pl__face_twins(pl_context *ctx, pl_element_kind kind, const int32_t *element, int32_t element_count,
                         int32_t node_count, int32_t *twin, pl__crowd *crowd);

// The connected parts: part[node] in [0, *part_count), numbered by their lowest nodes, or -1 for nodes of no element.
// Elements are connected when they share a node.
pl_status pl__connected_parts(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                              int32_t node_count, int32_t *part, int32_t *part_count);

#endif
