// src/world/surface.h -- what a body is asked about but does not need in motion: its elements, rest shape and surface.
#ifndef PL_WORLD_SURFACE_H
#define PL_WORLD_SURFACE_H

#include "embed/cut.h"
#include "embed/vertex_normals.h"
#include "solid/body.h"
#include "torn_surface.h"
#include <pliant/world.h>

// What a body is asked about but does not need in motion.
typedef struct pl__body_shape
{
    pl_element_kind kind;
    int32_t *element; // [corners * element_count]  nodes and elements in the mesh's order
    int32_t carrier_count;
    int32_t *carrier;        // [4 carrier_count]  tetrahedra that carry its surface (embed/carrier.h); NULL without
    double *rest;            // [3 node_count]  where the nodes were put, in the mesh's order
    pl__embed *embed;        // the surface that it carries; NULL: its boundary
    pl__cut_result torn;     // whose arrays that borrows, if the body can come apart; {0} otherwise
    pl__vertex_normals skin; // of either; triangles borrowed from `embed` or the body
    int32_t *source;         // [skin.triangle_count]  pl_body_surface_sources; NULL: the body cannot come apart
    double *normal;   // [3 skin.vertex_count]  of a carried surface at rest, where the nodes were put; NULL without
    double *point;    // [3 skin.vertex_count]  scratch of reading: where the surface vertices are
    double *turned;   // [3 skin.vertex_count]  and their normals, if `normal`
    double *rotation; // [9 carrier_count]  and how the carriers are turned (embed/turn.h)
} pl__body_shape;

// What a shape is made of.
typedef struct pl__shape_input
{
    const char *name;
    const pl_body_def *def; // its mesh is that of the body: torn, if it is
    const pl__body *body;   // new: it still has its start positions
    bool breaks;
    const pl__split *split;         // of a body that is torn; NULL: whole
    pl__torn_surface *torn_surface; // of a body that can come apart and carries a surface; NULL otherwise
} pl__shape_input;

// On failure nothing is left behind.
pl_status pl__body_shape_create(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape);
// Before its body is destroyed; harmless when clear.
void pl__body_shape_done(pl_context *ctx, const pl__body *body, pl__body_shape *shape);

#endif
