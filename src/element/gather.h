// src/element/gather.h -- sums of per-element forces at the nodes, in one fixed order.
//
// Elements write their nodal forces side by side; here every node adds up those of its corners, in the order of the
// elements. No atomics, and one order of summation for any number of threads: 10-40 % slower than thread-private sums,
// and the same bits always.
#ifndef PL_ELEMENT_GATHER_H
#define PL_ELEMENT_GATHER_H

#include "tet.h"

typedef struct pl__gather
{
    int32_t node_count;
    int32_t *start;  // [node_count + 1] into `corner`
    int32_t *corner; // offset of the corner's x component in the array of pl__tet_forces, counted in doubles
} pl__gather;

// Offset of corner `corner` of lane `lane` of block `block`.
static inline int32_t pl__gather_offset(int32_t block, int corner, int32_t lane)
{
    return block * 4 * 3 * PL_TET_LANES + corner * 3 * PL_TET_LANES + lane;
}

// out = inertia * mass * in + scale * (sum of corner forces), for nodes [begin, end); `in` and `mass` (3 per node) are
// not read when inertia is 0.
typedef struct pl__gather_job
{
    const pl__gather *gather;
    const pl__tet_forces *force;
    double inertia, scale;
    const double *mass, *in;
    double *out;
} pl__gather_job;
void pl__gather_nodes(const pl__gather_job *job, int32_t begin, int32_t end);

#endif
