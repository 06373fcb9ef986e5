// src/limit/ways.h -- how far two nodes are apart along the body at rest: upper bounds on the shortest way.
//
// A map whose stretches are at most s lengthens no way by more than s. So the distance of two nodes can never exceed s
// times the length of any way between them that stays in the rest body, whatever the shape: bounds made of it cut off
// nothing admissible, and the shorter the way, the tighter they are. (The paper's limits on coarse triangles do cut
// off: folded along its axis, without strain, a right triangle is stretched by sqrt 2.)
//
// The way is the straight line where that stays inside: it is followed from element to element. Else, over triangles,
// it is the shortest way over corners and the middles of edges: the triangles between corners are laid into a plane,
// and the way is pulled taut in them (the funnel of Lee & Preparata 1984); over solids and chords, the shortest way
// along edges. Elements may have different limits: a way is as long as its parts, each times the ratio of the element's
// limit to the largest.
#ifndef PL_LIMIT_WAYS_H
#define PL_LIMIT_WAYS_H

#include "limit_set.h"
#include "mesh/topology.h"

typedef struct pl__way_element
{
    int32_t node[PL__LIMIT_CORNERS];
    int32_t corners; // 2, 3, 4 or 8
    double ratio;    // (0, 1]
    int32_t edge[3]; // of triangles
} pl__way_element;

typedef struct pl__way_entry
{
    double distance;
    int32_t point, source;
} pl__way_entry;

typedef struct pl__ways
{
    pl_context *ctx;
    int32_t node_count, element_count, edge_count;
    const double *rest; // [3 node_count] borrowed
    pl__way_element *element;
    pl__lists around;     // elements of each node
    pl__lists neighbours; // nodes joined to each node by an edge
    double *length;       // [of neighbours.item] of those edges, shortened by the ratio
    int32_t *edge_node;   // [2 edge_count] of triangles
    pl__lists edge_element;
    // scratch: points are nodes, then middles of edges
    double *distance; // [node_count + edge_count]
    int32_t *parent;  // the same
    int32_t *stamp;   // the same; valid where it is `time`
    int32_t time;
    pl__way_entry *heap;
    size_t heap_count, heap_capacity;
    int32_t *path;  // [node_count + edge_count]
    double *portal; // [4 (node_count + edge_count)] ends of the edges that a way crosses, in a plane
} pl__ways;

// `element` with corners, nodes and ratios set; copied.
PL_NODISCARD pl_status pl__ways_create(pl_context *ctx, const pl__way_element *element, int32_t element_count,
                                       const double *rest, int32_t node_count, pl__ways *ways);
void pl__ways_destroy(pl__ways *ways);

// All points within `radius` of a node, along the body; then `stamp`, `distance` and `parent` are valid.
PL_NODISCARD pl_status pl__ways_from(pl__ways *ways, int32_t node, double radius);
// The way from there to a node that it has reached, pulled taut.
double pl__ways_taut(pl__ways *ways, int32_t from, int32_t to);
// The straight way, or a negative number if it leaves the body.
double pl__ways_straight(const pl__ways *ways, int32_t from, int32_t to);

// The nodes within `radius` of a node along edges: at most `most` into near, with their number as result. The order is
// that of their distances.
PL_NODISCARD pl_status pl__ways_ball(pl__ways *ways, int32_t node, double radius, int32_t *near, int32_t *count);
// For each node the `most` sources that are nearest along edges, with distances; -1 where there are fewer.
PL_NODISCARD pl_status pl__ways_nearest(pl__ways *ways, const int32_t *source, int32_t source_count, int32_t most,
                                        int32_t *near, double *distance);

#endif
