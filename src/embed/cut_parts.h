// src/embed/cut_parts.h -- data shared by src/embed/cut*.c: surface, mesh, and their intersections.
//
// Points are numbered: first the vertices of the surface, then the nodes of the mesh, then the two kinds of crossings
// below. Half-edge 3 t + c of a surface triangle lies opposite corner c and leads from corner c + 1 to c + 2; an edge
// has the lower number of its two half-edges. A mesh edge is an index into `edges.item` whose row is the lower of its
// nodes.
#ifndef PL_EMBED_CUT_PARTS_H
#define PL_EMBED_CUT_PARTS_H

#include "cut.h"
#include "fill.h"
#include "mesh/topology.h"
#include "perturb.h"

typedef enum pl__crossing_kind
{
    PL__EDGE_IN_FACE,    // an edge of the surface through a face of the mesh
    PL__EDGE_IN_TRIANGLE // an edge of the mesh through a triangle of the surface
} pl__crossing_kind;

typedef struct pl__cut_crossing
{
    pl__crossing_kind kind;
    int32_t on;   // face; or mesh edge
    int32_t of;   // surface edge; or triangle
    bool forward; // the half-edge with the edge's number leads from tet[0] to tet[1]; or the direction from the lower
                  // to the higher node leads out of the surface
    double weight[3]; // of the nodes of the face; or of the lower and the higher node of the mesh edge
    double x[3];
} pl__cut_crossing;

// Intersection of a surface triangle with a mesh face. Seen from outside the surface, tet[0] is on the left of the
// direction from start to end.
typedef struct pl__cut_segment
{
    int32_t triangle, face, start, end;
} pl__cut_segment;

// Part of a mesh edge inside the surface, with its winding number: 1 unless the surface intersects itself.
typedef struct pl__cut_interval
{
    int32_t from, to; // points, from the lower node to the higher
    int32_t winding;
    int32_t copy; // index of the first of |winding| copies, over all intervals
} pl__cut_interval;

// Kind of an edge of a cap triangle.
typedef enum pl__cap_edge
{
    PL__CAP_SEGMENT,
    PL__CAP_INTERVAL, // with the index of a copy
    PL__CAP_INNER     // with an index within the cap
} pl__cap_edge;

typedef struct pl__cap_triangle
{
    int32_t point[3]; // outward of tet[0]
    int32_t number[3];
    uint8_t edge[3]; // pl__cap_edge, from this corner to the next
} pl__cap_triangle;

typedef struct pl__cap
{
    bool known;
    int32_t begin, count, inner_count;
} pl__cap;

struct pl__cut
{
    pl_context *ctx;

    double center[3]; // of the mesh's bounding box: coordinates below are relative to it, to keep digits far from the
                      // origin

    // the mesh
    int32_t node_count, tet_count, face_count;
    double *node;          // [3 node_count]
    int32_t *tet;          // [4 tet_count]
    int32_t *twin;         // [4 tet_count]  pl__face_twins
    int32_t *face_of;      // [4 tet_count]  face by number, -1 on the boundary
    pl__cut_face *face;    // [face_count]
    pl__lists edges;       // mesh edges: pl__node_neighbours
    pl__lists star;        // corners of tets at each node: pl__node_corners
    pl__lists rim;         // the same for boundary triangles
    int32_t *rim_triangle; // [3 rim_count]
    int32_t rim_count;

    // the surface
    int32_t vertex_count, triangle_count;
    double *x;       // [3 vertex_count]
    double *moved;   // [3 vertex_count]  perturbed positions (cut_settle.c), used by all side predicates
    int32_t *corner; // [3 triangle_count]
    int32_t *mate;   // [3 triangle_count]  half-edges
    int32_t *home;   // [vertex_count]  the tet that contains it
    double *weight;  // [3 vertex_count]

    // intersections
    int32_t crossing_count, segment_count;
    pl__cut_crossing *crossing;
    pl__cut_segment *segment; // ascending by triangle
    size_t crossing_capacity, segment_capacity;
    int32_t *first_crossing;      // [3 triangle_count]  per surface edge: crossings with faces, consecutive along the
                                  // half-edge of its number
    int32_t *edge_crossing_count; // [3 triangle_count]
    int32_t *first_segment;       // [triangle_count + 1]
    pl__lists face_segment;       // segments of each face
    pl__lists edge_interval;      // per mesh edge: consecutive indices of its intervals
    pl__cut_interval *interval;
    int32_t interval_count, interval_capacity;

    // caps, built on demand
    pl__cap *cap; // [face_count]
    pl__cap_triangle *cap_triangle;
    int32_t cap_triangle_count;
    size_t cap_triangle_capacity;
    int32_t *first_step; // [points]  -1 except while a cap is built
    pl__fill fill;
};

static inline int32_t pl__cut_point_count(const pl__cut *cut)
{
    return cut->vertex_count + cut->node_count + cut->crossing_count;
}

static inline bool pl__cut_is_vertex(const pl__cut *cut, int32_t point) { return point < cut->vertex_count; }

static inline bool pl__cut_is_node(const pl__cut *cut, int32_t point)
{
    return point >= cut->vertex_count && point < cut->vertex_count + cut->node_count;
}

static inline const pl__cut_crossing *pl__cut_crossing_at(const pl__cut *cut, int32_t point)
{
    return &cut->crossing[point - cut->vertex_count - cut->node_count];
}

static inline const double *pl__cut_position(const pl__cut *cut, int32_t point)
{
    if (pl__cut_is_vertex(cut, point))
        return &cut->x[3 * (size_t)point];
    if (pl__cut_is_node(cut, point))
        return &cut->node[3 * (size_t)(point - cut->vertex_count)];
    return pl__cut_crossing_at(cut, point)->x;
}

static inline int32_t pl__cut_edge_of(const pl__cut *cut, int32_t half)
{
    return half < cut->mate[half] ? half : cut->mate[half];
}

static inline int32_t pl__cut_start(const pl__cut *cut, int32_t half)
{
    return cut->corner[half / 3 * 3 + (half + 1) % 3];
}
static inline int32_t pl__cut_end(const pl__cut *cut, int32_t half)
{
    return cut->corner[half / 3 * 3 + (half + 2) % 3];
}

// Mesh edge between two nodes.
int32_t pl__cut_mesh_edge(const pl__cut *cut, int32_t a, int32_t b);
// Its nodes, the lower first.
void pl__cut_edge_nodes(const pl__cut *cut, int32_t edge, int32_t node[2]);

static inline pl__spot pl__cut_node_spot(const pl__cut *cut, int32_t node)
{
    return (pl__spot){&cut->node[3 * (size_t)node], PL__UNMOVED};
}
static inline pl__spot pl__cut_vertex_spot(const pl__cut *cut, int32_t vertex)
{
    return (pl__spot){&cut->moved[3 * (size_t)vertex], vertex};
}

// Two coordinate axes onto which a triangle projects without degenerating, orientation preserved.
typedef struct pl__shadow
{
    int u, v;
} pl__shadow;
pl__shadow pl__shadow_of(const double a[3], const double b[3], const double c[3]);

// Stages of pl__cut_create, in order.
pl_status pl__cut_take_mesh(pl__cut *cut, const pl_mesh *mesh); // cut_mesh.c
pl_status pl__cut_take_surface(pl__cut *cut, const pl_surface *surface);
pl_status pl__cut_settle(pl__cut *cut, const pl_mesh *mesh); // cut_settle.c: vertices find their tets
pl_status pl__cut_cross(pl__cut *cut);                       // cut_cross.c
pl_status pl__cut_find_inside(pl__cut *cut);                 // cut_cap.c: intervals

// Build the cap of a face, unless that is done.
pl_status pl__cut_make_cap(pl__cut *cut, int32_t face);

#endif
