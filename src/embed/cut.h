// src/embed/cut.h -- cuts a closed embedded surface along separated faces of its carrier mesh, and keeps it closed.
#ifndef PL_EMBED_CUT_H
#define PL_EMBED_CUT_H

#include "embed.h"

typedef struct pl__cut pl__cut;

// Rest shapes, in the same coordinates. Neither is kept.
typedef struct pl__cut_input
{
    const pl_mesh *mesh; // its carriers (carrier.h): tetrahedra, or six per hexahedron; "tet" below means a carrier
    const pl_surface *surface; // the embedded surface
} pl__cut_input;

// Precompute where the surface meets faces and edges of the mesh. The surface must be a closed manifold, every edge
// shared by two triangles in opposite directions (coincident vertices are merged if it is not closed otherwise),
// facing outwards, and inside the mesh; it may touch the mesh boundary, except at saddles where no direction leads
// inwards from all boundary triangles. Fails with PL_ERR_ARGUMENT, naming what is wrong, and as pl__mesh_carrier_tets.
PL_NODISCARD pl_status pl__cut_create(pl_context *ctx, const pl__cut_input *input, pl__cut **cut);
void pl__cut_destroy(pl__cut **cut);

// Face between two tets, the lower first; it lies opposite corner[k] of tet[k].
typedef struct pl__cut_face
{
    int32_t tet[2];
    int32_t corner[2];
    int32_t node[3]; // outward of tet[0]
    int32_t edge[3]; // mesh edge from node k to the next, undirected
} pl__cut_face;

// All of them, ascending by tet[0], then corner[0]. Borrowed.
const pl__cut_face *pl__cut_faces(const pl__cut *cut, int32_t *count);

// The triangles of the surface, 3 vertices each, as given, except that merged vertices are replaced by the first of
// them. Borrowed.
const int32_t *pl__cut_corners(const pl__cut *cut, int32_t *triangle_count);

// A cut surface. Start from {0}; arrays grow and are reused.
typedef struct pl__cut_result
{
    pl_context *ctx;
    int32_t vertex_count;   // the vertices of the surface come first, with their original numbers
    int32_t triangle_count; // uncut triangles of the surface, then parts of cut ones, then caps: the crack faces
    int32_t part_begin;     // parts are triangles [part_begin, cap_begin)
    int32_t cap_begin;
    int32_t piece_count; // face-connected sets of tets that contain some surface

    int32_t *tet;      // [vertex_count]  carrier, as in pl__embed
    double *weight;    // [3 vertex_count]  barycentric coordinates of its corners 1, 2, 3
    int32_t *triangle; // [3 triangle_count]  vertices
    int32_t *source;   // [triangle_count]  triangle of the surface; for a cap 2 face + k, if it belongs to tet[k] of
                       // that face
    int32_t *piece;    // [triangle_count]  numbered by their lowest tets
    double *place;     // [6 (cap_begin - part_begin)]  parts: barycentric coordinates of each corner with respect to
                       // corners 1, 2 of the source
    double *normal;    // [3 (triangle_count - cap_begin)]  caps: unit outward normal at rest

    size_t tet_capacity, weight_capacity, triangle_capacity, source_capacity, piece_capacity, place_capacity,
        normal_capacity;
} pl__cut_result;

// The surface with the faces with separated[face] != 0 cut open. Triangles that cross none of them stay whole.
// Vertices belong to one side of a crack; at a crack front inside the mesh both sides share them. The result depends
// on `separated` alone, not on earlier calls. Fails when out of memory, with an empty result.
PL_NODISCARD pl_status pl__cut_surface(pl__cut *cut, const uint8_t *separated, pl__cut_result *result);
void pl__cut_result_done(pl__cut_result *result);

// View as an embedded surface, for embed.h and turn.h. It borrows the arrays: do not destroy it.
static inline pl__embed pl__cut_view(const pl__cut_result *r)
{
    return (pl__embed){r->ctx, r->vertex_count, r->triangle_count, r->triangle, r->tet, r->weight, 0, 0};
}

// Texture coordinates of a corner of a triangle other than a cap, interpolated from the original surface. False if
// there are none.
bool pl__cut_uv(const pl_surface *surface, const pl__cut_result *result, int32_t triangle, int corner, double uv[2]);

#endif
