// src/embed/cut_parts.h -- what src/embed/cut*.c share: the surface and the mesh, and where they meet.
//
// Points have numbers: first the vertices of the surface, then the nodes of the mesh, then crossings of the two kinds
// below. Half-edge 3 t + c of a surface triangle lies opposite corner c and leads from corner c + 1 to c + 2; an edge
// has the lower number of its two. An edge of the mesh is a place in `edges.item` whose row is the lower of its nodes.
#ifndef PL_EMBED_CUT_PARTS_H
#define PL_EMBED_CUT_PARTS_H

#include "cut.h"
#include "fill.h"
#include "mesh/topology.h"
#include "perturb.h"

typedef enum pl__crossing_kind
{
    PL__EDGE_IN_FACE,    // an edge of the surface in a face of the mesh
    PL__EDGE_IN_TRIANGLE // an edge of the mesh in a triangle of the surface
} pl__crossing_kind;

typedef struct pl__cut_crossing
{
    pl__crossing_kind kind;
    int32_t on;   // face; or edge of the mesh
    int32_t of;   // edge of the surface; or triangle
    bool forward; // the half-edge with the edge's number leads from tet[0] to tet[1]; or the way from the lower node to
                  // the higher one leads out of the surface
    double weight[3]; // of the nodes of the face; or of the lower and the higher node of the edge
    double x[3];
} pl__cut_crossing;

// The part of a surface triangle that is in a face. Seen from outside the surface, tet[0] is on the left of the way
// from start to end.
typedef struct pl__cut_segment
{
    int32_t triangle, face, start, end;
} pl__cut_segment;

// The part of an edge of the mesh that is inside: `winding` times, which is 1 where the surface does not cross itself.
typedef struct pl__cut_interval
{
    int32_t from, to; // points, from the lower node to the higher
    int32_t winding;
    int32_t copy; // number of the first of |winding| copies, among all
} pl__cut_interval;

// What an edge of a cap's triangle is.
typedef enum pl__cap_edge
{
    PL__CAP_SEGMENT,
    PL__CAP_INTERVAL, // with the number of a copy
    PL__CAP_INNER     // with a number of its own within the cap
} pl__cap_edge;

typedef struct pl__cap_triangle
{
    int32_t point[3]; // outward of tet[0]
    int32_t number[3];
    uint8_t edge[3]; // pl__cap_edge, from that corner to the next
} pl__cap_triangle;

typedef struct pl__cap
{
    bool known;
    int32_t begin, count, inner_count;
} pl__cap;

struct pl__cut
{
    pl_context *ctx;

    double center[3]; // of the mesh's box: coordinates below are relative to it, so that far from the origin no more
                      // digits are lost

    // the mesh
    int32_t node_count, tet_count, face_count;
    double *node;          // [3 node_count]
    int32_t *tet;          // [4 tet_count]
    int32_t *twin;         // [4 tet_count]  pl__face_twins
    int32_t *face_of;      // [4 tet_count]  face by number, -1 on the boundary
    pl__cut_face *face;    // [face_count]
    pl__lists edges;       // pl__node_neighbours
    pl__lists star;        // pl__node_corners of tets
    pl__lists rim;         // the same of boundary triangles
    int32_t *rim_triangle; // [3 rim_count]
    int32_t rim_count;

    // the surface
    int32_t vertex_count, triangle_count;
    double *x;       // [3 vertex_count]
    double *moved;   // [3 vertex_count]  a little elsewhere (cut_settle.c): where they are thought to be by whatever
                     // decides on sides
    int32_t *corner; // [3 triangle_count]
    int32_t *mate;   // [3 triangle_count]  half-edges
    int32_t *home;   // [vertex_count]  the tet that holds it
    double *weight;  // [3 vertex_count]

    // where they meet
    int32_t crossing_count, segment_count;
    pl__cut_crossing *crossing;
    pl__cut_segment *segment; // ascending by triangle
    size_t crossing_capacity, segment_capacity;
    int32_t *first_crossing; // [3 triangle_count]  of edges: crossings with faces, consecutive along the half-edge of
                             // its number
    int32_t *edge_crossing_count; // [3 triangle_count]
    int32_t *first_segment;       // [triangle_count + 1]
    pl__lists face_segment;       // segments of each face
    pl__lists edge_interval;      // by edge of the mesh: intervals are consecutive, items are their numbers
    pl__cut_interval *interval;
    int32_t interval_count, interval_capacity;

    // caps, made when first asked for
    pl__cap *cap; // [face_count]
    pl__cap_triangle *cap_triangle;
    int32_t cap_triangle_count;
    size_t cap_triangle_capacity;
    int32_t *first_step; // [points]  -1 but while a cap is made
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

// The edge of the mesh between two of its nodes.
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

// Two axes on which a triangle casts a faithful shadow, turning the same way.
typedef struct pl__shadow
{
    int u, v;
} pl__shadow;
pl__shadow pl__shadow_of(const double a[3], const double b[3], const double c[3]);

// The steps of pl__cut_create, in order.
pl_status pl__cut_take_mesh(pl__cut *cut, const pl_mesh *mesh); // cut_mesh.c
pl_status pl__cut_take_surface(pl__cut *cut, const pl_surface *surface);
pl_status pl__cut_settle(pl__cut *cut, const pl_mesh *mesh); // cut_settle.c: vertices find their tets
pl_status pl__cut_cross(pl__cut *cut);                       // cut_cross.c
pl_status pl__cut_find_inside(pl__cut *cut);                 // cut_cap.c: intervals

// Make the cap of a face, if it is not known yet.
pl_status pl__cut_make_cap(pl__cut *cut, int32_t face);

#endif
