// src/contact/surfaces.h -- the surfaces that can touch, of all bodies as one.
//
// A vertex, an edge or a triangle is a list of nodes of one array of positions that holds every body; what moves a node
// (the simulation, a script) does not matter here. A body has one part, and a node belongs to one part.
#ifndef PL_CONTACT_SURFACES_H
#define PL_CONTACT_SURFACES_H

#include "base/context.h"

// The surface of one body, as it is given.
typedef struct pl__surface_part
{
    int32_t body;            // its number, any, used once
    int32_t triangle_count;  // >= 0
    const int32_t *triangle; // [3 triangle_count] nodes
    double thickness;        // [m] >= 0; two bodies are near each other within the mean of theirs
    bool self;               // it collides with itself
} pl__surface_part;

typedef struct pl__surface_edge
{
    int32_t node[2];     // ascending
    int32_t triangle[2]; // beside it, the first two of all; -1: none
} pl__surface_edge;

// Triangles are in the order of the parts, edges and vertices in that of their first appearance.
typedef struct pl__surfaces
{
    pl_context *ctx;
    int32_t part_count, triangle_count, edge_count, vertex_count;
    int32_t node_bound;      // above every node
    int32_t *triangle;       // [3 triangle_count] nodes
    int32_t *triangle_edge;  // [3 triangle_count] the edge that leads from each corner to the next
    int32_t *triangle_start; // [part_count + 1] the triangles of each part
    pl__surface_edge *edge;  // [edge_count]
    int32_t *vertex;         // [vertex_count] nodes
    int32_t *node_vertex;    // [node_bound] the vertex that a node is, or -1
    int32_t *vertex_part;    // [vertex_count]
    int32_t *body;           // [part_count]
    double *thickness;       // [part_count] [m]
    uint8_t *apart;          // [part_count^2 bits] which parts ignore each other
    int32_t *origin; // [node_bound] the node that it was one with before a crack opened, or itself; NULL: there are no
                     // cracks
} pl__surfaces;

// Fails with PL_ERR_ARGUMENT when a node is negative, comes twice in a triangle or belongs to two parts, when a body
// comes twice, and when a thickness is negative or not finite.
PL_NODISCARD pl_status pl__surfaces_create(pl_context *ctx, const pl__surface_part *part, int32_t part_count,
                                           pl__surfaces **surfaces);
void pl__surfaces_destroy(pl__surfaces **surfaces);

// Say whether two bodies (or a body and itself) collide. All do at first, with themselves as their parts said.
PL_NODISCARD pl_status pl__surfaces_set_collide(pl__surfaces *surfaces, int32_t body, int32_t other, bool collide);
// The same of a part and itself.
void pl__surfaces_set_self(pl__surfaces *surfaces, int32_t part, bool collide);

// Nodes that came apart where a body broke, by the node [node_bound at least] that they were one with. The two sides of
// a crack begin at the same place; what shares a node that way counts as neighbours, which never meet, so a crack can
// close by about the length of an edge.
PL_NODISCARD pl_status pl__surfaces_set_origins(pl__surfaces *surfaces, const int32_t *origin);

static inline int32_t pl__surfaces_origin(const pl__surfaces *s, int32_t node)
{
    return s->origin ? s->origin[node] : node;
}

// Whether two parts collide, by their places in the list of parts.
static inline bool pl__parts_collide(const pl__surfaces *s, int32_t a, int32_t b)
{
    size_t bit = (size_t)a * (size_t)s->part_count + (size_t)b;
    return !(s->apart[bit / 8] >> bit % 8 & 1);
}

#endif
