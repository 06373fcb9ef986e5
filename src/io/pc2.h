// src/io/pc2.h -- point caches, .pc2: the positions of points over time.
#ifndef PL_IO_PC2_H
#define PL_IO_PC2_H

#include "base/context.h"

typedef struct pl__point_cache
{
    int32_t point_count, sample_count;
    double start, rate; // first frame; frames from one sample to the next
    double *position;   // [3 point_count sample_count], sample by sample
} pl__point_cache;

// Read a cache from `size` bytes; `name` is the file name in error messages. On failure `cache` is cleared.
pl_status pl__pc2_read(pl_context *ctx, const char *name, const void *data, size_t size, pl__point_cache *cache);
void pl__point_cache_free(pl_context *ctx, pl__point_cache *cache);

#endif
