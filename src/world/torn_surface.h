// src/world/torn_surface.h -- embedded surfaces that are cut along with their body.
#ifndef PL_WORLD_TORN_SURFACE_H
#define PL_WORLD_TORN_SURFACE_H

#include "embed/cut.h"
#include "embed/vertex_normals.h"
#include "mesh/split.h"
#include <pliant/world.h>

// Precomputed data of the unbroken surface of a breakable body (torn_surface.c).
typedef struct pl__torn_surface
{
    pl_context *ctx;
    pl__cut *cut;
    int32_t vertex_count; // of the unbroken surface
    int32_t face_count;   // faces between carriers
    int32_t *face;        // [face_count] the element face that contains it; -1: inside an element
    uint8_t *open;        // [face_count]  scratch
    int32_t carrier_count;
    int32_t *corner; // [4 carrier_count] corners of carriers, as indices into the corners of elements
} pl__torn_surface;

// Prepare the unbroken surface of a breakable body. PL_ERR_ARGUMENT, naming the body, if the surface cannot be cut
// (embed/cut.h).
pl_status pl__torn_surface_create(pl_context *ctx, const char *name, const pl_body_def *def,
                                  pl__torn_surface **carried);
void pl__torn_surface_destroy(pl__torn_surface **carried);
// Cut the surface for the topology `split`; NULL: unbroken.
pl_status pl__torn_surface_tear(pl__torn_surface *carried, const pl__split *split, pl__cut_result *result);
// Nodes of the carriers (embed/embed.h) for the element corners `element`. The caller owns the array [4 carrier_count].
pl_status pl__torn_surface_nodes(const pl__torn_surface *carried, const int32_t *element, int32_t **carrier);
// Rest normals of the vertices, from their rest positions; `skin` is that of the result.
pl_status pl__torn_surface_normals(const pl__torn_surface *carried, const pl__cut_result *result,
                                   const pl__vertex_normals *skin, const double *rest, double *normal);

#endif
