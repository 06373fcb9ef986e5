// src/sparse/vector.h -- vector algebra on doubles, with a fixed order of summation.
//
// Vectors are padded with zeros to whole blocks of sixteen; kernels work on ranges whose ends are multiples of sixteen.
// Dot products keep sixteen running sums, one per lane, whatever the registers, and add them in lane order.
#ifndef PL_SPARSE_VECTOR_H
#define PL_SPARSE_VECTOR_H

#include "base/cpu.h"
#include "base/task.h"
#include <stddef.h>

enum
{
    PL_VECTOR_BLOCK = 16,
    PL_VECTOR_CHUNK = 1536 // doubles per task: a multiple of the block and of 3, so that chunks hold whole nodes
};

// Length of a vector of `count` doubles with its padding; one extra block, so that a 3-vector may be read as four
// doubles.
static inline size_t pl__vector_length(int32_t count)
{
    return ((size_t)count + PL_VECTOR_BLOCK - 1) / PL_VECTOR_BLOCK * PL_VECTOR_BLOCK + PL_VECTOR_BLOCK;
}
static inline int32_t pl__vector_padded(int32_t count)
{
    return (count + PL_VECTOR_BLOCK - 1) / PL_VECTOR_BLOCK * PL_VECTOR_BLOCK;
}

PL_KERNEL_DECLARE(double, pl__vector_dot, (const double *a, const double *b, int32_t begin, int32_t end));
// y = a x + b y
PL_KERNEL_DECLARE(void, pl__vector_axpby, (double a, const double *x, double b, double *y, int32_t begin, int32_t end));
// Fused CG updates: r = from - alpha q and z = w r (elementwise; z = r if w is NULL); x += alpha p, then p = z + beta
// p.
PL_KERNEL_DECLARE(void, pl__vector_cg_residual,
                  (double alpha, const double *from, const double *q, const double *w, double *r, double *z,
                   int32_t begin, int32_t end));
PL_KERNEL_DECLARE(void, pl__vector_cg_direction,
                  (double alpha, double beta, const double *z, double *p, double *x, int32_t begin, int32_t end));
// z = B z for nodes [begin, end), B symmetric: per node xx yy zz xy xz yz.
PL_KERNEL_DECLARE(void, pl__vector_by_blocks, (const double *block, double *z, int32_t begin, int32_t end));

// Whole vectors, or ranges of some chunks (NULL: all) that begin and end with blocks, in parallel. `partial` is
// scratch for pl__chunk_count(padded count, PL_VECTOR_CHUNK) doubles.
double pl__dot(pl_context *ctx, const double *a, const double *b, int32_t count, const pl__some *some, double *partial);
void pl__axpby(pl_context *ctx, double a, const double *x, double b, double *y, int32_t count, const pl__some *some);
void pl__copy(pl_context *ctx, const double *from, double *to, int32_t count, const pl__some *some);

#endif
