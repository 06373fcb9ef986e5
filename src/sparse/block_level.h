// src/sparse/block_level.h -- a coarse level of block multigrid (block_multigrid.h): which rows are aggregated, and the
// pattern of the matrix of the aggregates.
#ifndef PL_SPARSE_BLOCK_LEVEL_H
#define PL_SPARSE_BLOCK_LEVEL_H

#include "block_matrix.h"

// The neighbours of each row, with or without itself.
typedef struct pl__graph
{
    int32_t count;
    int32_t *first, *column; // [count + 1], [first[count]]
} pl__graph;

// A block beside the pattern, of aggregates that contact couples.
typedef struct pl__coupling
{
    int32_t row, column; // row < column
    int32_t next;        // of the same row; -1: the last
    double block[36];
} pl__coupling;

// A coarse level.
typedef struct pl__block_level
{
    int32_t finer_count;   // rows of the next finer level
    int32_t count;         // aggregates
    int32_t *aggregate;    // [finer_count] of each finer row; -1: none, smoothing alone solves for it
    int32_t *first_member; // [count + 1]
    int32_t *member;       // [finer_count] rows of each aggregate, increasing
    double *arm;           // [3 finer_count + padding] position relative to the aggregate's centre
    double *center;        // [3 count + padding]

    // the coarse matrix, symmetric, of blocks of 6x6
    int32_t *first;          // [count + 1]
    int32_t *column;         // [first[count]] increasing within a row
    int32_t *source;         // [first[count]] 2 times the stored block; plus 1: transposed
    int32_t stored;          // blocks on and above the diagonal
    double *block;           // [stored][36] by rows
    double *inverse;         // [count][36] of the diagonal blocks
    double *gram;            // [count][36] diagonal blocks of P^T P, P from the finest level
    uint8_t *independent;    // [count][6] unknowns that do not depend on the ones before
    pl__block_matrix matrix; // the same in 3x3 blocks, two rows per aggregate, for products
    int32_t *place;          // [count] lane of the first of those rows: 16 slice + lane
    double omega;            // weight of the smoother
    pl__coupling *coupling;  // [coupling_count]
    int32_t *coupled;        // [count] first coupling of a row; -1: none
    size_t coupling_capacity;
    int32_t coupling_count;

    double *x, *b, *r, *q, *sum; // [6 count + padding]
} pl__block_level;

// Aggregates of the rows of a graph, within its chunks of `chunk` rows (0: it is one chunk), and the pattern of their
// matrix. A row of its own neighbours only belongs to none. `out` is untouched on failure.
PL_NODISCARD pl_status pl__block_level_create(pl_context *ctx, const pl__graph *graph, int32_t chunk,
                                              pl__block_level *out);
void pl__block_level_destroy(pl_context *ctx, pl__block_level *level);

// Index of a block of the pattern; -1 if it is not there.
int32_t pl__block_level_find(const pl__block_level *level, int32_t row, int32_t column);
// Add a block and its transpose to the stored blocks or couplings; in the diagonal they are added to each other. A
// coupling that finds no memory is left out.
void pl__block_level_couple(pl_context *ctx, pl__block_level *level, int32_t row, int32_t column,
                            const double block[36]);

#endif
