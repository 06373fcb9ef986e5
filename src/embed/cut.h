// src/embed/cut.h -- a closed surface that comes apart with the mesh that carries it, and stays closed.
#ifndef PL_EMBED_CUT_H
#define PL_EMBED_CUT_H

#include "embed.h"

typedef struct pl__cut pl__cut;

// At rest, in the same coordinates. Neither is kept.
typedef struct pl__cut_input
{
    const pl_mesh
        *mesh; // what carries (carrier.h): of tetrahedra these, of hexahedra six each; "tet" means one of them
    const pl_surface *surface; // what is carried
} pl__cut_input;

// Get ready: where the surface meets faces and edges of the mesh. The surface must be closed, every edge walked once
// each way by two triangles (vertices at one place are one where it is not closed otherwise), facing outwards, and
// within the mesh; it may touch its boundary, but at saddles of that, where no direction leads inwards from all
// triangles. Fails with PL_ERR_ARGUMENT, naming what is wrong, and as pl__mesh_carrier_tets.
PL_NODISCARD pl_status pl__cut_create(pl_context *ctx, const pl__cut_input *input, pl__cut **cut);
void pl__cut_destroy(pl__cut **cut);

// A face between two tets: they are the lower and the higher one, and it lies opposite corner[k] of tet[k].
typedef struct pl__cut_face
{
    int32_t tet[2];
    int32_t corner[2];
    int32_t node[3]; // outward of tet[0]
    int32_t edge[3]; // from node k to the next: number of an edge of the mesh, whatever its direction
} pl__cut_face;

// All of them, ascending by tet[0], then corner[0]. Borrowed.
const pl__cut_face *pl__cut_faces(const pl__cut *cut, int32_t *count);

// The triangles of the surface, 3 vertices each: as they were given, but where vertices at one place had to be one, its
// first. Borrowed.
const int32_t *pl__cut_corners(const pl__cut *cut, int32_t *triangle_count);

// A surface in pieces. Start from {0}; arrays grow and are used again.
typedef struct pl__cut_result
{
    pl_context *ctx;
    int32_t vertex_count;   // those of the surface come first, all of them and with their numbers
    int32_t triangle_count; // whole triangles of the surface, then parts of others, then caps: what cracks laid open
    int32_t part_begin;     // parts are triangles [part_begin, cap_begin)
    int32_t cap_begin;
    int32_t piece_count; // sets of tets that hang together by faces, as far as there is surface in them

    int32_t *tet;      // [vertex_count]  as in pl__embed: the tet that carries it
    double *weight;    // [3 vertex_count]  barycentric coordinates of its corners 1, 2, 3
    int32_t *triangle; // [3 triangle_count]  vertices
    int32_t *source; // [triangle_count]  the triangle of the surface; of a cap 2 face + k, when it belongs to tet[k] of
                     // that face
    int32_t *piece;  // [triangle_count]  numbered by their lowest tets
    double *place; // [6 (cap_begin - part_begin)]  of parts: barycentric coordinates of each corner for corners 1, 2 of
                   // the source
    double *normal; // [3 (triangle_count - cap_begin)]  of caps: outward, at rest, of length 1

    size_t tet_capacity, weight_capacity, triangle_capacity, source_capacity, piece_capacity, place_capacity,
        normal_capacity;
} pl__cut_result;

// The surface when the faces with separated[face] != 0 no longer connect their tets. Triangles that cross none of them
// are whole. Vertices belong to one side of a crack; where it ends within the mesh, both sides have them. Depends on
// `separated` alone, not on what was asked before. Fails when out of memory, with an empty result.
PL_NODISCARD pl_status pl__cut_surface(pl__cut *cut, const uint8_t *separated, pl__cut_result *result);
void pl__cut_result_done(pl__cut_result *result);

// The same as a carried surface, for embed.h and turn.h. It borrows the arrays: do not destroy it.
static inline pl__embed pl__cut_view(const pl__cut_result *r)
{
    return (pl__embed){r->ctx, r->vertex_count, r->triangle_count, r->triangle, r->tet, r->weight, 0, 0};
}

// Texture coordinates of a corner of a triangle that is no cap, from those of the surface that was cut. False without.
bool pl__cut_uv(const pl_surface *surface, const pl__cut_result *result, int32_t triangle, int corner, double uv[2]);

#endif
