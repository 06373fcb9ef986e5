// src/sparse/block_matrix.h -- symmetric sparse matrices of 3x3 blocks, made of element matrices.
//
// A row is a node; its blocks are its neighbours. Rows are stored sixteen at a time (a slice): column after column,
// each of nine numbers for sixteen rows, so that a product reads memory in one stream and every lane keeps to its row.
// Slices are as wide as their longest row; so that little is wasted, the rows of a chunk of nodes are sorted by length
// before they are cut into slices.
//
// Where blocks are is found once for a topology, from the cliques of nodes that elements are. Values come in two
// stages, as forces do (element/gather.h): a chunk of elements adds up its own matrices, in order, at each pair of
// nodes that it touches, and every pair then adds up what chunks have for it. Diagonal blocks are minus the others of
// their row, so that a common motion meets no resistance but that of the masses. One order of summation, hence the same
// bits for any number of threads and any registers.
//
// Why not compressed rows: 96 k tetrahedra take the same bytes, but the sixteen rows of a slice need no sums across
// lanes, and vectors are fetched for eight rows by fifteen instructions (base/simd.h).
#ifndef PL_SPARSE_BLOCK_MATRIX_H
#define PL_SPARSE_BLOCK_MATRIX_H

#include "vector.h"

enum
{
    PL_BLOCK_ROWS = 16,                       // of a slice
    PL_BLOCK_ROW_CHUNK = PL_VECTOR_CHUNK / 3, // nodes per task; slices do not cross its borders
    PL_BLOCK_CORNERS = 8,                     // most nodes of a clique
    PL_BLOCK_PAIRS = PL_BLOCK_CORNERS * (PL_BLOCK_CORNERS - 1) / 2,
    PL_BLOCK_CHUNK_PAIRS = 8192 // most pairs of corners of all cliques of a chunk
};

// Elements that are added up together. A clique's matrix has a block for each pair of corners (a, b), a < b, a major;
// its rows sum to zero, which gives the diagonal. Where they do not, the sums of rows follow, one per corner.
typedef struct pl__clique_chunk
{
    const int32_t *node; // [count][corners]
    int32_t count, corners;
    bool unbalanced; // rows have sums
} pl__clique_chunk;

static inline int32_t pl__clique_blocks(int32_t corners, bool unbalanced)
{
    return corners * (corners - 1) / 2 + (unbalanced ? corners : 0);
}

// What the map says of a block, beside the chunk's pair of nodes.
typedef enum pl__block_fate
{
    PL__BLOCK_PAIR_MASK = PL_BLOCK_CHUNK_PAIRS - 1,
    PL__BLOCK_TRANSPOSED = 1 << 14, // the corners are in the other order than the nodes
    PL__BLOCK_SKIPPED = 1 << 15     // both corners are one node: rows have their sums without it
} pl__block_fate;

typedef struct pl__block_matrix
{
    int32_t row_count, slice_count, chunk_count;

    // layout
    int32_t *row;    // [16 slice_count] of each lane; -1: none
    int32_t *start;  // [slice_count + 1] first column of each slice
    int32_t *column; // [start[slice_count]][16] the row that a block multiplies; its own row where there is none
    double *value;   // [start[slice_count]][9][16]
    double *own;     // [slice_count][9][16] diagonal blocks as they were given, before rows were balanced
    float *rough;    // [start[slice_count]][9][16] the others, in single precision; NULL: there is no rough product

    // assembly
    int32_t *blocks;        // [chunk_count] of a clique
    int32_t *first_clique;  // [chunk_count + 1] counted in blocks, into `map`
    int32_t *first_partial; // [chunk_count + 1] pairs of nodes of each chunk
    uint16_t *map;          // per block: the chunk's pair of nodes, and what to do with it (pl__block_fate)
    double *partial;        // [first_partial[chunk_count] + 1][9] and what reading by fours may touch; the last is zero
    int32_t *first_source;  // [start[slice_count] + 1] where the sources of a column begin
    int32_t *source;  // [first_source[start[slice_count]]][16] 3 times the partials that a block is the sum of, in the
                      // order of chunks
    uint16_t *turned; // [start[slice_count]] a bit per lane: the sum is to be transposed
} pl__block_matrix;

// Where the blocks of so many rows are, and whether there is a rough product. `out` is untouched on failure.
pl_status pl__block_matrix_create(pl_context *ctx, int32_t row_count, const pl__clique_chunk *chunk,
                                  int32_t chunk_count, bool rough, pl__block_matrix *out);
void pl__block_matrix_destroy(pl_context *ctx, pl__block_matrix *matrix);

// Values: each chunk begins at zero and adds its cliques in their order, sixteen at most at a time, [block][9][16]
// (rows first); then all chunks are added up, and `diagonal` (3 per row) besides.
void pl__block_matrix_begin_chunk(const pl__block_matrix *matrix, int32_t chunk);
PL_KERNEL_DECLARE(void, pl__block_matrix_add,
                  (const pl__block_matrix *matrix, int32_t chunk, int32_t first_clique, int32_t count,
                   const double *block));
void pl__block_matrix_finish(pl_context *ctx, const pl__block_matrix *matrix, const double *diagonal);

// Per row the inverse of its diagonal block, xx yy zz xy xz yz: [6 row_count].
void pl__block_matrix_invert_diagonal(pl_context *ctx, const pl__block_matrix *matrix, double *inverse);

// y = A x; returns x . y. `partial` as of pl__dot.
double pl__block_matrix_multiply(pl_context *ctx, const pl__block_matrix *matrix, const double *x, double *y,
                                 double *partial);
// The same in half of the time where blocks do not fit into the second cache: y_i = own x_i + sum_j a_ij (x_j - x_i),
// with all but `own x_i` in single precision. Differences are taken in double, so that a common motion meets no error
// at all; the rest errs by 1e-7, which a residual of the true product mends.
double pl__block_matrix_multiply_rough(pl_context *ctx, const pl__block_matrix *matrix, const double *x, double *y,
                                       double *partial);
// The bytes that either product must read: blocks and their columns.
size_t pl__block_matrix_bytes(const pl__block_matrix *matrix, bool rough);

// Slices [begin, end): blocks from their sources; and the product.
PL_KERNEL_DECLARE(void, pl__block_matrix_sum,
                  (const pl__block_matrix *matrix, const double *diagonal, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__block_matrix_rough_rows,
                  (const pl__block_matrix *matrix, const double *x, double *y, int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__block_matrix_rows,
                  (const pl__block_matrix *matrix, const double *x, double *y, int32_t begin, int32_t end));

#endif
