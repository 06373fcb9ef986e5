// src/world/torn_surface.h -- surfaces that come apart with the body that carries them.
#ifndef PL_WORLD_TORN_SURFACE_H
#define PL_WORLD_TORN_SURFACE_H

#include "embed/cut.h"
#include "embed/vertex_normals.h"
#include "mesh/split.h"
#include <pliant/world.h>

// A carried surface that comes apart with its body: what is known of it whole (torn_surface.c).
typedef struct pl__torn_surface
{
    pl_context *ctx;
    pl__cut *cut;
    int32_t vertex_count; // whole
    int32_t face_count;   // between carriers
    int32_t *face;        // [face_count]  of the elements, the face that it is or is half of; -1 within an element
    uint8_t *open;        // [face_count]  scratch
    int32_t carrier_count;
    int32_t *corner; // [4 carrier_count]  of elements: where the nodes of carriers are
} pl__torn_surface;

// The whole surface of a body that can come apart. Fails with PL_ERR_ARGUMENT, naming it, where it cannot be cut
// (embed/cut.h).
pl_status pl__torn_surface_create(pl_context *ctx, const char *name, const pl_body_def *def,
                                  pl__torn_surface **carried);
void pl__torn_surface_destroy(pl__torn_surface **carried);
// The surface of a body that is torn so; whole without `split`.
pl_status pl__torn_surface_tear(pl__torn_surface *carried, const pl__split *split, pl__cut_result *result);
// Nodes of the carriers (embed/embed.h), those of the elements being `element`. The array is the caller's, 4 carriers
// long.
pl_status pl__torn_surface_nodes(const pl__torn_surface *carried, const int32_t *element, int32_t **carrier);
// Normals of its vertices at rest, which are at `rest`; `skin` is that of the result.
pl_status pl__torn_surface_normals(const pl__torn_surface *carried, const pl__cut_result *result,
                                   const pl__vertex_normals *skin, const double *rest, double *normal);

#endif
