// src/contact/ccd.h -- when do two moving things touch: a vertex and a face, or two edges. Never misses a contact.
//
// Nodes move on straight lines from where they start to where they end while t goes from 0 to 1. The answer is
// one-sided: a "no" is proved, rounding included; a "yes" may be wrong by a hair (see ccd.kernel.c for the method and
// its bounds).
#ifndef PL_CONTACT_CCD_H
#define PL_CONTACT_CCD_H

#include "closest.h"

// Vertex 0 against face 1 2 3; edge 0 1 against edge 2 3. False: at no time in [0, 1] are they within `separation` (>=
// 0) of each other. True: they may be, and `t` is not later than the first time they are. What is not a number gives
// true at t = 0.
bool pl__ccd_vertex_face(const double start[4][3], const double end[4][3], double separation, double *t);
bool pl__ccd_edge_edge(const double start[4][3], const double end[4][3], double separation, double *t);

// Many of them at once.
typedef struct pl__ccd_batch
{
    const pl__pair *pair;        // [pair_count]
    const double *x_start;       // [3 node_count + 1]: a 3-vector may be read as four numbers
    const double *x_end;         // the same
    const double *separation_of; // [pair_count], or NULL: `separation` for all
    double separation;
    int32_t pair_count;
} pl__ccd_batch;

// t of a pair that does not come near.
#define PL__CCD_MISS 2.0

// For each pair, t as above or PL__CCD_MISS, in parallel: the bits of the one-pair functions, for any registers and
// threads.
void pl__ccd_batch_run(pl_context *ctx, const pl__ccd_batch *batch, double *t);
// Only whether: t is 0 or PL__CCD_MISS. Of those that do not come near, a few are not seen to.
void pl__ccd_batch_sift(pl_context *ctx, const pl__ccd_batch *batch, double *t);

// The three stages, on the pairs `which[0 .. count)`. Each writes t of the pairs that it decides; the first two pack
// the others to the front of `which`, in order, and return how many they are.
PL_KERNEL_DECLARE(int32_t, pl__ccd_cull, (const pl__ccd_batch *batch, int32_t *which, int32_t count, double *t));
PL_KERNEL_DECLARE(int32_t, pl__ccd_sweep, (const pl__ccd_batch *batch, int32_t *which, int32_t count, double *t));
PL_KERNEL_DECLARE(void, pl__ccd_advance, (const pl__ccd_batch *batch, const int32_t *which, int32_t count, double *t));

#endif
