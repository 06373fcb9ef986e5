// src/world/surface.h -- data of a body that queries need but stepping does not: elements, rest shape, surface.
#ifndef PL_WORLD_SURFACE_H
#define PL_WORLD_SURFACE_H

#include "embed/cut.h"
#include "embed/vertex_normals.h"
#include "solid/body.h"
#include "torn_surface.h"
#include <pliant/world.h>

// Data for queries; not used while stepping.
typedef struct pl__body_shape
{
    pl_element_kind kind;
    int32_t *element; // [corners * element_count] in mesh order, as nodes in mesh order
    int32_t carrier_count;
    int32_t *carrier;    // [4 carrier_count] tetrahedra that carry the embedded surface (embed/carrier.h); NULL without
    double *rest;        // [3 node_count] rest positions in mesh order
    pl__embed *embed;    // embedded surface; NULL: the boundary of the mesh
    pl__cut_result torn; // result of cutting, owns the arrays of `embed` if the body is breakable; {0} otherwise
    pl__vertex_normals skin; // of the embedded surface or the boundary; its triangles are borrowed
    int32_t *source;         // [skin.triangle_count] for pl_body_surface_sources; NULL: not breakable
    double *normal;          // [3 skin.vertex_count] rest normals of an embedded surface; NULL without
    double *point;           // [3 skin.vertex_count] scratch of queries: surface vertices
    double *turned;          // [3 skin.vertex_count] scratch: their normals, if `normal`
    double *rotation;        // [9 carrier_count] scratch: rotations of the carriers (embed/turn.h)
} pl__body_shape;

// Arguments of pl__body_shape_create.
typedef struct pl__shape_input
{
    const char *name;
    const pl_body_def *def; // with the mesh of the body, split if it is broken
    const pl__body *body;   // newly created, in its start positions
    bool breaks;
    const pl__split *split;         // NULL: unbroken
    pl__torn_surface *torn_surface; // of a breakable body with an embedded surface, else NULL
} pl__shape_input;

// On failure nothing is left behind.
pl_status pl__body_shape_create(pl_context *ctx, const pl__shape_input *input, pl__body_shape *shape);
// Call before its body is destroyed; a zeroed shape is fine.
void pl__body_shape_done(pl_context *ctx, const pl__body *body, pl__body_shape *shape);

#endif
