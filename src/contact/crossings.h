// src/contact/crossings.h -- all triangles that cross, and where edges go through them.
#ifndef PL_CONTACT_CROSSINGS_H
#define PL_CONTACT_CROSSINGS_H

#include "exact.h"

// Two triangles that cross (exact.h). Those that only touch have no edge that passes: closed surfaces are taken for a
// millionth of their edges smaller than they are when that is decided.
typedef struct pl__crossing
{
    int32_t triangle[2]; // of pl__surfaces, ascending
    uint32_t passes; // bit k: edge k of the first passes the second; bit 3 + k: edge k of the second passes the first
} pl__crossing;

// An edge that passes a triangle: (1 - along) of its first node and `along` of its second is the point sum_k weight_k
// corner_k.
typedef struct pl__piercing
{
    int32_t edge, triangle; // of pl__surfaces
    double along;           // in [0, 1]
    double weight[3];       // >= 0, with sum 1
} pl__piercing;

// What one task found; `count` may exceed `capacity`: then the rest was not kept.
typedef struct pl__crossing_chunk
{
    pl__crossing *item;
    size_t capacity, count;
} pl__crossing_chunk;

// Filled again and again, in an order that follows from the surfaces and the positions alone. Memory is kept from call
// to call.
typedef struct pl__crossing_list
{
    pl_context *ctx;
    pl__tree *tree;
    int32_t count;
    pl__crossing *crossing; // [count]
    int32_t piercing_count;
    pl__piercing *piercing; // [piercing_count] each edge and triangle once
    size_t capacity, piercing_capacity;
    int32_t chunk_count;
    pl__crossing_chunk *chunk; // [chunk_count]
    uint8_t *closed;           // [part_count] 1: a surface without border
    double *shrunk;            // [3 node_bound] where nodes are taken to be
} pl__crossing_list;

// The list works on `tree`, which must outlive it.
PL_NODISCARD pl_status pl__crossing_list_create(pl__tree *tree, pl__crossing_list *list);
// Harmless when clear.
void pl__crossing_list_destroy(pl__crossing_list *list);

// All that cross where x [3 nodes + 1, finite] has put them. Fails with PL_ERR_MEMORY, and then the list is empty.
PL_NODISCARD pl_status pl__crossing_list_find(pl__crossing_list *list, const double *x);

#endif
