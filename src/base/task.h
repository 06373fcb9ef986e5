// src/base/task.h -- the only interface to threads.
//
// Work is divided into chunks that depend on the problem only, never on the number of threads, and partial sums are
// added in chunk order; so every result has the same bits for any thread count.
#ifndef PL_BASE_TASK_H
#define PL_BASE_TASK_H

#include "service.h"

// Process the items [begin, end).
typedef void pl__range_function(void *argument, int32_t begin, int32_t end);
// Partial sum of the items [begin, end).
typedef double pl__reduce_function(void *argument, int32_t begin, int32_t end);

// Call `work` on consecutive ranges of at most `chunk` items that together cover [0, count).
void pl__parallel_for(pl_context *ctx, int32_t count, int32_t chunk, pl__range_function *work, void *argument);

// The sum of `term` over the same ranges, added in their order. `partial` is scratch for at least
// pl__chunk_count(count, chunk) numbers.
double pl__parallel_sum(pl_context *ctx, int32_t count, int32_t chunk, pl__reduce_function *term, void *argument,
                        double *partial);

// Sub-ranges of some chunks; the rest is known to have nothing to do and nothing to add.
typedef struct pl__part
{
    int32_t begin, end;
} pl__part;
typedef struct pl__some
{
    const pl__part *part; // [count] in order; NULL: all of all
    int32_t count;
} pl__some;
void pl__parallel_for_some(pl_context *ctx, int32_t count, int32_t chunk, const pl__some *some,
                           pl__range_function *work, void *argument);
double pl__parallel_sum_some(pl_context *ctx, int32_t count, int32_t chunk, const pl__some *some,
                             pl__reduce_function *term, void *argument, double *partial);

static inline int32_t pl__chunk_count(int32_t count, int32_t chunk)
{
    return (int32_t)(((int64_t)count + chunk - 1) / chunk);
}

// The library's own pool; used by the context only.
struct pl__pool;
bool pl__pool_create(pl_context *ctx, struct pl__pool **pool);
void pl__pool_destroy(pl_context *ctx, struct pl__pool **pool);
void pl__pool_run(struct pl__pool *pool, int32_t count, void (*task)(void *argument, int32_t i), void *argument);
int32_t pl__task_processor_count(int32_t at_most);

#endif
