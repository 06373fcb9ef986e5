// src/embed/cut_result.h -- a cut surface while it is put together.
#ifndef PL_EMBED_CUT_RESULT_H
#define PL_EMBED_CUT_RESULT_H

#include "cut_parts.h"

// A copy of a point: for the tets that hang together around it.
typedef struct pl__cut_copy
{
    int32_t tet; // the lowest of them
    int32_t vertex;
    int32_t next; // of the same point, -1 at the end
} pl__cut_copy;

// A step along the border of regions of a triangle, with `tet` on the left.
typedef struct pl__cut_side
{
    int32_t from, tet, next; // next: which step follows; -1 once it is in a loop
    uint64_t name;
} pl__cut_side;

typedef struct pl__cut_job
{
    pl__cut *cut;
    const uint8_t *separated;
    pl__cut_result *result;

    int32_t *label;      // [tet_count]  the lowest tet that it hangs together with by faces
    int32_t *node_rep;   // [4 tet_count]  of corners: the lowest tet in reach around the node; -1 unknown
    int32_t *flood;      // [tet_count]  scratch
    int32_t *first_copy; // [points]  -1: none
    pl__cut_copy *copy;
    int32_t copy_count;
    size_t copy_capacity;

    // parts and caps: names of edges, from a corner to the next. Two triangles that meet in an edge, and no others,
    // have one name.
    uint64_t *name; // [3 (triangle_count - part_begin)]
    size_t name_capacity;
    uint64_t serial; // names of inner edges so far

    // scratch of one triangle
    pl__cut_side *side;
    int32_t *parent; // [tet_count]
    int32_t *list;
    size_t side_capacity, list_capacity;
} pl__cut_job;

// The lowest tet that hangs together with `tet` around an edge of the mesh.
int32_t pl__cut_ring_rep(const pl__cut_job *job, int32_t tet, int32_t edge);

// The vertex of a point for one of the tets around it; -1 when out of memory.
int32_t pl__cut_vertex(pl__cut_job *job, int32_t point, int32_t tet);
// A vertex more, in a tet by the weights of its four corners; -1 when out of memory.
int32_t pl__cut_add_vertex(pl__cut_result *result, int32_t tet, const double weight[4]);

// The face next to `face_number` of the same tet that has the edge too.
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

// Add a part or a cap, with the names of its edges, of the piece that has `tet`. False when out of memory.
bool pl__cut_add_triangle(pl__cut_job *job, const int32_t vertex[3], const uint64_t name[3], int32_t source,
                          int32_t tet);

// Add the parts of one triangle (cut_split.c). False when out of memory.
bool pl__cut_split(pl__cut_job *job, int32_t triangle);

// Give edges that several pairs of triangles share a point more each, and vertices where several fans meet a copy more
// (cut_tidy.c).
pl_status pl__cut_tidy(pl__cut_job *job);

#endif
