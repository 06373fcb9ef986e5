// src/element/gather.h -- sums of per-element forces at the nodes, in one fixed order.
//
// Elements write their nodal forces side by side. They are summed in two stages: a chunk of elements sums its own at
// each node that it touches (a slot) while they are still in the L1 cache, and every node then sums its slots. No
// atomics, and one order of summation for any number of threads, so the results are bitwise reproducible.
//
// Why two stages: a tetrahedron writes 12 numbers, but a chunk of 256 touches only some 100 nodes; memory traffic
// falls to a tenth. With one stage the matrix product of the damping solve takes 1.06 to 1.15 times as long on 96 k
// tetrahedra.
#ifndef PL_ELEMENT_GATHER_H
#define PL_ELEMENT_GATHER_H

#include "element.h"

enum
{
    PL_GATHER_DOUBLES = 3072 // largest forces of a chunk: 16 blocks of tetrahedra
};

// Blocks per chunk for a kind.
int32_t pl__gather_blocks(pl__element_kind kind);

// A chunk: the blocks [begin, end) of a group.
typedef struct pl__gather_range
{
    const pl__element_group *group;
    int32_t begin, end;
    int32_t shift; // added to the group's node indices
} pl__gather_range;

typedef struct pl__gather
{
    int32_t node_count, chunk_count, slot_count, corner_count;
    int32_t *first_slot; // [chunk_count + 1] slots of each chunk, in descending number of corners
    int32_t *first;      // [slot_count + 1] corners of each slot, in the order of elements
    uint16_t *corner;    // [corner_count] offset of the corner's x component in the chunk's forces, in doubles
    int32_t *start;      // [node_count + 1] slots of each node, in the order of chunks,
    int32_t *slot;       // [slot_count] into `partial`
    double *partial;     // [3 slot_count]
} pl__gather;

// `out` is untouched on failure.
pl_status pl__gather_create(pl_context *ctx, int32_t node_count, const pl__gather_range *range, int32_t range_count,
                            pl__gather *out);
void pl__gather_destroy(pl_context *ctx, pl__gather *gather);

// Sum the forces of a chunk, [blocks of the chunk][corner][component][lane], into its slots.
void pl__gather_chunk(const pl__gather *gather, int32_t chunk, const double *force);

// out = inertia * mass * in + scale * (sum of slots), for nodes [begin, end); `in` and `mass` (3 per node) are not read
// when inertia is 0.
typedef struct pl__gather_job
{
    const pl__gather *gather;
    double inertia, scale;
    const double *mass, *in;
    double *out;
} pl__gather_job;
void pl__gather_nodes(const pl__gather_job *job, int32_t begin, int32_t end);

#endif
