// src/mesh/topology.h -- adjacency of elements: corners, neighbours, faces, components.
//
// All functions take plain arrays (node indices per element, each in [0, node_count)), so that they serve a mesh, a
// scene of many bodies and a part of either. Corner c of element e has the number corners * e + c, face f the number
// faces * e + f; the faces of triangles are their edges, and face c of a tetrahedron or triangle lies opposite corner
// c. Limits: pl__max_elements and PL__MAX_NODES, so that every such number fits in an int32_t.
#ifndef PL_MESH_TOPOLOGY_H
#define PL_MESH_TOPOLOGY_H

#include "base/context.h"
#include <pliant/mesh.h>

#define PL__MAX_TETS (INT32_MAX / 4)
#define PL__MAX_NODES (INT32_MAX / 3)

// Properties of an element kind.
typedef struct pl__element_form
{
    int32_t corners, faces, face_corners;
    int8_t face[6][4];                  // [faces][face_corners] corners of the faces, outward for a positive element
    const char *one, *many, *face_name; // for messages
} pl__element_form;

// By pl_element_kind.
extern const pl__element_form pl__element_forms[3];

// Largest number of elements of a kind; PL__MAX_TETS for tetrahedra.
int32_t pl__max_elements(pl_element_kind kind);

// Lists of different lengths in compressed rows: row r is item[start[r]] .. item[start[r + 1] - 1].
typedef struct pl__lists
{
    int32_t row_count;
    int32_t *start; // [row_count + 1]  ascending, start[0] = 0
    int32_t *item;  // [start[row_count]]
} pl__lists;

// Free and clear; harmless when already clear.
void pl__lists_done(pl_context *ctx, pl__lists *lists);

// For each node its corners, ascending: the order in which element forces are summed. `corners` is their number per
// element.
pl_status pl__node_corners(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                           int32_t node_count, pl__lists *lists);

// For each node the nodes that it shares an element with, ascending, without itself.
pl_status pl__node_neighbours(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                              int32_t node_count, pl__lists *neighbours);

// Non-manifold faces, of three or more elements: how many, and the first three elements of the one with the lowest
// face number.
typedef struct pl__crowd
{
    int32_t count, element[3];
} pl__crowd;

enum
{
    PL__FACE_ALONE = -1,  // on the boundary
    PL__FACE_CROWDED = -2 // of three or more elements
};

// For each face the matching face of another element, or one of the two above.
pl_status pl__face_twins(pl_context *ctx, pl_element_kind kind, const int32_t *element, int32_t element_count,
                         int32_t node_count, int32_t *twin, pl__crowd *crowd);

// Connected components: part[node] in [0, *part_count), numbered by their lowest nodes, or -1 for nodes of no element.
// Elements are connected if they share a node.
pl_status pl__connected_parts(pl_context *ctx, int32_t corners, const int32_t *element, int32_t element_count,
                              int32_t node_count, int32_t *part, int32_t *part_count);

#endif
