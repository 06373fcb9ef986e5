// src/embed/cut_result.h -- a cut surface under construction.
#ifndef PL_EMBED_CUT_RESULT_H
#define PL_EMBED_CUT_RESULT_H

#include "cut_parts.h"

// Copy of a point for one connected set of the tets around it.
typedef struct pl__cut_copy
{
    int32_t tet; // the lowest of those tets
    int32_t vertex;
    int32_t next; // next copy of the same point, -1 at the end
} pl__cut_copy;

// Directed border step of a region of a triangle, with `tet` on the left.
typedef struct pl__cut_side
{
    int32_t from, tet, next; // next: following step; -1 once it is in a loop
    uint64_t name;
} pl__cut_side;

typedef struct pl__cut_job
{
    pl__cut *cut;
    const uint8_t *separated;
    pl__cut_result *result;

    int32_t *label;      // [tet_count]  lowest tet of its face-connected component
    int32_t *node_rep;   // [4 tet_count]  per corner: lowest tet connected to it around the node; -1 unknown
    int32_t *flood;      // [tet_count]  scratch
    int32_t *first_copy; // [points]  -1: none
    pl__cut_copy *copy;
    int32_t copy_count;
    size_t copy_capacity;

    // Parts and caps: ids of edges, from a corner to the next. Exactly the two triangles that share an edge have the
    // same id.
    uint64_t *name; // [3 (triangle_count - part_begin)]
    size_t name_capacity;
    uint64_t serial; // ids of inner edges so far

    // scratch of one triangle
    pl__cut_side *side;
    int32_t *parent; // [tet_count]
    int32_t *list;
    size_t side_capacity, list_capacity;
} pl__cut_job;

// The lowest tet that is face-connected to `tet` around an edge of the mesh.
int32_t pl__cut_ring_rep(const pl__cut_job *job, int32_t tet, int32_t edge);

// The vertex of a point for one of the tets around it; -1 when out of memory.
int32_t pl__cut_vertex(pl__cut_job *job, int32_t point, int32_t tet);
// Add a vertex with the weights of the four corners of a tet; -1 when out of memory.
int32_t pl__cut_add_vertex(pl__cut_result *result, int32_t tet, const double weight[4]);

// The other face of the same tet that contains the edge.
int32_t pl__cut_turn(const pl__cut *cut, int32_t face_number, int32_t edge);

static inline uint64_t pl__cut_inner_name(uint64_t serial) { return serial; }
static inline uint64_t pl__cut_segment_name(int32_t segment, int side)
{
    return 1ull << 62 | (uint64_t)segment << 1 | (uint64_t)side;
}
static inline uint64_t pl__cut_interval_name(int32_t copy, int32_t tet)
{
    return 2ull << 62 | (uint64_t)copy << 30 | (uint64_t)tet;
}
static inline uint64_t pl__cut_side_name(int32_t edge, int32_t part)
{
    return 3ull << 62 | (uint64_t)edge << 30 | (uint64_t)part;
}

// Add a part or a cap with the ids of its edges, to the piece of `tet`. False when out of memory.
bool pl__cut_add_triangle(pl__cut_job *job, const int32_t vertex[3], const uint64_t name[3], int32_t source,
                          int32_t tet);

// Add the parts of one triangle (cut_split.c). False when out of memory.
bool pl__cut_split(pl__cut_job *job, int32_t triangle);

// Split edges shared by several pairs of triangles at a point per pair, and duplicate vertices where several fans meet
// (cut_tidy.c).
pl_status pl__cut_tidy(pl__cut_job *job);

#endif
