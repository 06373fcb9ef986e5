// src/contact/pairs.h -- which vertices and triangles, and which edges, may touch, and which are near.
#ifndef PL_CONTACT_PAIRS_H
#define PL_CONTACT_PAIRS_H

#include "closest.h"
#include "tree.h"

// What one task found, while it works; `count` may exceed `capacity`: then the rest was not kept.
typedef struct pl__harvest
{
    void *item;
    size_t capacity, count;
    size_t start; // where it goes in the list of all
} pl__harvest;

// Lists that are filled again and again. Vertices and triangles come first, then edges and edges, each in an order that
// follows from the surfaces and the positions alone. Memory is kept from call to call: nothing is allocated unless a
// list becomes longer than ever.
typedef struct pl__pairs
{
    pl_context *ctx;
    pl__tree *tree;
    int32_t pair_count, pair_vertex_face_count;
    pl__pair *pair; // [pair_count] by pl__pairs_find
    int32_t contact_count, contact_vertex_face_count;
    pl__contact *contact; // [contact_count] by pl__pairs_near

    size_t pair_capacity, contact_capacity;
    int32_t chunk_count;
    pl__harvest *pair_harvest, *contact_harvest; // [2 chunk_count] by kind, then by chunk
    bool *again;                                 // [chunk_count]
} pl__pairs;

// The lists work on `tree`, which must outlive them.
PL_NODISCARD pl_status pl__pairs_create(pl__tree *tree, pl__pairs **pairs);
void pl__pairs_destroy(pl__pairs **pairs);

// All vertices and triangles, and all edges, that come within the distance of `sweep` in a motion; besides, others
// whose boxes over the motion come within it, as long as nothing simple shows that they are apart. Never a pair that
// shares a node, or whose bodies do not collide; each once. Positions must be finite. Fails with PL_ERR_MEMORY, and
// then the list is empty.
PL_NODISCARD pl_status pl__pairs_find(pl__pairs *pairs, const pl__sweep *sweep);

// All such pairs whose distance is less than the mean thickness of both bodies, where x [3 nodes + 1, finite] has put
// them.
PL_NODISCARD pl_status pl__pairs_near(pl__pairs *pairs, const double *x);

// For others that want pairs as they are found, while they are in the cache: `take` gets some pairs, all of one kind
// and with one distance `within` (the margin, and the mean thickness if asked for). Tasks run in parallel, and pairs of
// one `chunk`, in [0, pl__chunk_count(leaf_count, PL__LEAF_CHUNK)), come in order.
typedef struct pl__pair_sink
{
    void (*take)(void *argument, int32_t chunk, const pl__pair *pair, int32_t count, double within);
    void *argument;
} pl__pair_sink;

// Pairs of the boxes as they are; refit first.
void pl__pairs_visit(const pl__tree *tree, const pl__pair_sink *sink);

// For pairs.c: the pairs of leaves [begin, end) with themselves and all later leaves.
PL_KERNEL_DECLARE(void, pl__pairs_of_leaves,
                  (const pl__tree *tree, int32_t begin, int32_t end, const pl__pair_sink *sink));

#endif
