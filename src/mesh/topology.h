// src/mesh/topology.h -- who touches whom in a set of tetrahedra.
//
// All functions take plain arrays (4 node indices per tetrahedron, each in [0, node_count)), so that they serve a mesh, a
// scene of many bodies and a part of either. Corner and face c of tetrahedron t have the number 4 t + c; face c lies
// opposite corner c. Limits: PL__MAX_TETS and PL__MAX_NODES, so that every such number fits in an int32_t.
#ifndef PL_MESH_TOPOLOGY_H
#define PL_MESH_TOPOLOGY_H

#include "base/context.h"

#define PL__MAX_TETS (INT32_MAX / 4)
#define PL__MAX_NODES (INT32_MAX / 3)

// Lists of different lengths, end to end: those of row r are item[start[r]] .. item[start[r + 1] - 1].
typedef struct pl__lists
{
    int32_t row_count;
    int32_t *start; // [row_count + 1]  ascending, start[0] = 0
    int32_t *item;  // [start[row_count]]
} pl__lists;

// Free and clear; harmless when already clear.
void pl__lists_done(pl_context *ctx, pl__lists *lists);

// The corners that outward faces are made of: face c of a positive tetrahedron is pl__face_corner[c].
extern const int8_t pl__face_corner[4][3];

// For each node the corners 4 t + c that it is, ascending: the order in which element forces are summed.
pl_status pl__node_corners(pl_context *ctx, const int32_t *tet, int32_t tet_count, int32_t node_count, pl__lists *corners);

// For each node the nodes it shares a tetrahedron with, ascending, without itself.
pl_status pl__node_neighbours(pl_context *ctx, const int32_t *tet, int32_t tet_count, int32_t node_count,
                              pl__lists *neighbours);

// For each face 4 t + c the face of another tetrahedron with the same three nodes, or -1 on the boundary. When three or
// more tetrahedra share a face, all their twins are -1 and `crowd`, otherwise {-1, -1, -1}, names the first three of them
// in order of the smallest face number.
pl_status pl__face_twins(pl_context *ctx, const int32_t *tet, int32_t tet_count, int32_t node_count, int32_t *twin,
                         int32_t crowd[3]);

// The connected parts: part[node] in [0, *part_count), numbered by their lowest nodes, or -1 for nodes of no tetrahedron.
// Tetrahedra are connected when they share a node.
pl_status pl__connected_parts(pl_context *ctx, const int32_t *tet, int32_t tet_count, int32_t node_count, int32_t *part,
                              int32_t *part_count);

#endif
