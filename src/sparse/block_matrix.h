// src/sparse/block_matrix.h -- symmetric sparse matrices of 3x3 blocks, assembled from element matrices.
//
// A row is a node; its blocks are its neighbours. Format: sliced ELLPACK, sixteen rows per slice, column after column,
// each of nine numbers for sixteen rows, so that a product streams through memory and every lane keeps to its row.
// Slices are as wide as their longest row; to limit padding, the rows of a chunk of nodes are sorted by length before
// they are divided into slices.
//
// The sparsity pattern is found once per topology, from the cliques of nodes of the elements. Values are assembled in
// two stages, as forces are (element/gather.h): a chunk of elements sums its own matrices, in order, at each pair of
// nodes that it touches, and every pair then sums the contributions of the chunks. Diagonal blocks are minus the sum
// of the others in their row, so that translations are exactly in the null space, apart from the mass. One order of
// summation, hence the same bits for any number of threads and any register width.
//
// Why not compressed rows: 96 k tetrahedra take the same bytes, but the sixteen rows of a slice need no sums across
// lanes, and vectors are fetched for eight rows by fifteen instructions (base/simd.h).
#ifndef PL_SPARSE_BLOCK_MATRIX_H
#define PL_SPARSE_BLOCK_MATRIX_H

#include "vector.h"

enum
{
    PL_BLOCK_ROWS = 16,                       // rows per slice
    PL_BLOCK_ROW_CHUNK = PL_VECTOR_CHUNK / 3, // nodes per task; slices do not cross chunks
    PL_BLOCK_CORNERS = 8,                     // most nodes of a clique
    PL_BLOCK_PAIRS = PL_BLOCK_CORNERS * (PL_BLOCK_CORNERS - 1) / 2,
    PL_BLOCK_CHUNK_PAIRS = 8192 // most pairs of corners of all cliques of a chunk
};

// Elements that are assembled together. A clique's matrix has a block for each pair of corners (a, b), a < b, a major;
// its rows sum to zero, which gives the diagonal. If they do not, the sums of rows follow, one per corner.
typedef struct pl__clique_chunk
{
    const int32_t *node; // [count][corners]
    int32_t count, corners;
    bool unbalanced; // rows do not sum to zero
} pl__clique_chunk;

static inline int32_t pl__clique_blocks(int32_t corners, bool unbalanced)
{
    return corners * (corners - 1) / 2 + (unbalanced ? corners : 0);
}

// Flags of a map entry, besides the index of the chunk's pair of nodes.
typedef enum pl__block_fate
{
    PL__BLOCK_PAIR_MASK = PL_BLOCK_CHUNK_PAIRS - 1,
    PL__BLOCK_TRANSPOSED = 1 << 14, // the corners are in the opposite order of the nodes
    PL__BLOCK_SKIPPED = 1 << 15     // both corners are the same node: row sums do not need it
} pl__block_fate;

typedef struct pl__block_matrix
{
    int32_t row_count, slice_count, chunk_count;

    // layout
    int32_t *row;    // [16 slice_count] row of each lane; -1: none
    int32_t *start;  // [slice_count + 1] first column of each slice
    int32_t *column; // [start[slice_count]][16] the row that a block multiplies; its own row for padding
    double *value;   // [start[slice_count]][9][16]
    double *own;     // [slice_count][9][16] diagonal blocks as given, before rows were balanced
    float *rough;    // [start[slice_count]][9][16] off-diagonal blocks in single precision; NULL: no rough product

    // assembly
    int32_t *blocks;        // [chunk_count] blocks per clique
    int32_t *first_clique;  // [chunk_count + 1] in blocks, into `map`
    int32_t *first_partial; // [chunk_count + 1] pairs of nodes of each chunk
    uint16_t *map;          // per block: the chunk's pair of nodes, and flags (pl__block_fate)
    double *partial;        // [first_partial[chunk_count] + 1][9] and padding for reads by fours; the last is zero
    int32_t *first_source;  // [start[slice_count] + 1] first source of each column
    int32_t *source;  // [first_source[start[slice_count]]][16] 3 times the partials that a block is the sum of, in the
                      // order of chunks
    uint16_t *turned; // [start[slice_count]] one bit per lane: transpose the sum
} pl__block_matrix;

// Build the sparsity pattern; `rough`: with a single-precision copy. `out` is untouched on failure.
pl_status pl__block_matrix_create(pl_context *ctx, int32_t row_count, const pl__clique_chunk *chunk,
                                  int32_t chunk_count, bool rough, pl__block_matrix *out);
void pl__block_matrix_destroy(pl_context *ctx, pl__block_matrix *matrix);

// Values: each chunk starts at zero and adds its cliques in order, at most sixteen at a time, [block][9][16]
// (row-major); then all chunks are summed, and `diagonal` (3 per row) is added.
void pl__block_matrix_begin_chunk(const pl__block_matrix *matrix, int32_t chunk);
PL_KERNEL_DECLARE(void, pl__block_matrix_add,
                  (const pl__block_matrix *matrix, int32_t chunk, int32_t first_clique, int32_t count,
                   const double *block));
void pl__block_matrix_finish(pl_context *ctx, const pl__block_matrix *matrix, const double *diagonal);

// Inverse of the diagonal block of each row, xx yy zz xy xz yz: [6 row_count].
void pl__block_matrix_invert_diagonal(pl_context *ctx, const pl__block_matrix *matrix, double *inverse);

// y = A x; returns x . y. `partial` as for pl__dot.
double pl__block_matrix_multiply(pl_context *ctx, const pl__block_matrix *matrix, const double *x, double *y,
                                 double *partial);
// The same in half the time if blocks do not fit into the L2 cache: y_i = own x_i + sum_j a_ij (x_j - x_i), with all
// but `own x_i` in single precision. Differences are taken in double, so that translations have no error at all; the
// rest has a relative error of 1e-7, which recomputing the residual with the exact product corrects.
double pl__block_matrix_multiply_rough(pl_context *ctx, const pl__block_matrix *matrix, const double *x, double *y,
                                       double *partial);
// Bytes that either product must read: blocks and column indices.
size_t pl__block_matrix_bytes(const pl__block_matrix *matrix, bool rough);

// Slices [begin, end): blocks from their sources; and the product.
PL_KERNEL_DECLARE(void, pl__block_matrix_sum,
                  (const pl__block_matrix *matrix, const double *diagonal, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__block_matrix_rough_rows,
                  (const pl__block_matrix *matrix, const double *x, double *y, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__block_matrix_rows,
                  (const pl__block_matrix *matrix, const double *x, double *y, int32_t begin, int32_t end));

#endif
