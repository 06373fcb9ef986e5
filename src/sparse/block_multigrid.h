// src/sparse/block_multigrid.h -- aggregation multigrid for matrices of 3x3 blocks: a preconditioner of elasticity.
//
// Aggregates of some fifteen nodes move as rigid bodies. Node i at x_i of an aggregate with centre c has the velocity
//
//     u_i = t + w x (x_i - c),           (t, w) the six unknowns of the aggregate,
//
// so that the rigid motions of a body at its present positions are exactly those of the coarse space, on every level:
// an aggregate of aggregates moves them by t_i = t + w x (c_i - c), w_i = w. With P that map the coarse matrix is
// P^T A P, and a coarse solve minimises the energy over all rigid motions of aggregates: what is left is local, and
// block Jacobi removes it. The coarsest matrix is inverted. One cycle, from zero, on every level:
//
//     x = o D^-1 b                       smooth; o below 2 over the largest eigenvalue of D^-1 A
//     x += P y                           two cycles on the next level for P^T A P y = P^T (b - A x)
//     x += o D^-1 (b - A x)              smooth
//
// That is symmetric, and positive definite: every part removes energy. Constrained nodes keep only the directions that
// they may move in, in P as in D.
//
// Two nodes do not feel a turn about their line, and one that is held feels none at all. Such unknowns depend on
// others: P^T P, which is geometry alone, tells which. They stay in P and in the coarse matrices, but out of their
// inverses.
//
// P is not smoothed. Smoothing it (Vanek, Mandel & Brezina 1996) makes one coarse cycle suffice where this needs two,
// but a coarse matrix then costs ten times as many operations as here, where it takes as long as some twenty
// iterations with diagonal blocks; and it is made anew whenever a shape has changed.
//
// Contact couples aggregates that have no elements in common. Its terms are added to the coarse matrices, as couplings
// beside their patterns.
//
// Aggregates lie within the chunks of rows of the matrix, which depend on nothing but their number, and everything is
// summed in the order of rows: bits do not depend on threads.
#ifndef PL_SPARSE_BLOCK_MULTIGRID_H
#define PL_SPARSE_BLOCK_MULTIGRID_H

#include "block_level.h"
#include "constraint.h"

enum
{
    PL__BLOCK_LEVELS = 12
};

// A term of the fine system that couples up to four nodes: w_k w_l S of nodes k and l, S symmetric, as xx yy zz xy xz
// yz.
typedef struct pl__multigrid_pair
{
    int32_t node[4];
    int32_t count; // 0: none
    double weight[4];
    double stiffness[6];
} pl__multigrid_pair;

// The fine system A z = r, as far as a cycle needs it.
typedef struct pl__multigrid_system
{
    const pl__block_matrix *matrix;
    const double *x;                    // [3 rows + padding] positions
    const double *block;                // [6 rows] inverses of the diagonal blocks of A, with the part that `add` adds
    const pl__constraints *constraints; // of single nodes; NULL: none
    double (*add)(void *user, const double *in, double *out);      // out += the part of A in that is not in `matrix`;
                                                                   // NULL: none
    void (*pair)(void *user, int32_t i, pl__multigrid_pair *pair); // what of that couples few nodes
    int32_t pair_count;
    void *user;
} pl__multigrid_system;

typedef struct pl__block_multigrid
{
    int32_t row_count, level_count;
    size_t cell_count;                       // blocks of the fine matrix, padding included
    pl__block_level level[PL__BLOCK_LEVELS]; // finest first
    int32_t *target;                         // [cell_count] stored block that a fine block belongs to; -1: none
    int32_t *hold;         // [row_count] index of a node's constraint when matrices were made; -1: none
    double *inverse;       // [n][n] of the coarsest matrix, n = 6 count; NULL: too large
    double omega;          // weight of the finest smoother
    double *r, *q, *p, *z; // [3 row_count + padding]
    double *partial;
} pl__block_multigrid;

// Aggregates and the patterns of the coarse matrices. `out` is untouched on failure.
PL_NODISCARD pl_status pl__block_multigrid_create(pl_context *ctx, const pl__block_matrix *matrix,
                                                  pl__block_multigrid *out);
void pl__block_multigrid_destroy(pl_context *ctx, pl__block_multigrid *multigrid);

// The coarse matrices of the present system. Until the next call they serve for others as well, if less well.
void pl__block_multigrid_refresh(pl_context *ctx, pl__block_multigrid *multigrid, const pl__multigrid_system *system);
// z = B r, one cycle.
void pl__block_multigrid_apply(pl_context *ctx, pl__block_multigrid *multigrid, const pl__multigrid_system *system,
                               const double *r, double *z);

// Add slices [begin, end) of the fine matrix to the blocks of the first coarse level.
PL_KERNEL_DECLARE(void, pl__block_multigrid_coarsen,
                  (const pl__block_multigrid *multigrid, const pl__multigrid_system *system, int32_t begin,
                   int32_t end));
// x = D^-1 b for aggregates [begin, end); x may be b.
PL_KERNEL_DECLARE(void, pl__block_multigrid_by_inverse,
                  (const double *inverse, int32_t begin, int32_t end, const double *b, double *x));
// Inverse of a symmetric positive semidefinite matrix [n][n] in place, of the unknowns that are independent.
PL_KERNEL_DECLARE(void, pl__block_multigrid_invert, (double *a, int32_t n, const uint8_t *independent));
// x = A b with A [n][n] symmetric.
PL_KERNEL_DECLARE(void, pl__block_multigrid_dense, (const double *a, int32_t n, const double *b, double *x));

#endif
