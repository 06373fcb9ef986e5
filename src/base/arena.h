// src/base/arena.h -- scratch memory, allocated and released as a stack.
//
// A step sets a mark, allocates, and releases back to the mark. When the memory runs out, the request is served by the
// allocator and the arena grows to the peak at the next full release; so a repeated pattern allocates nothing from its
// second round on.
#ifndef PL_BASE_ARENA_H
#define PL_BASE_ARENA_H

#include "context.h"

typedef struct pl__arena_extra
{
    struct pl__arena_extra *next;
    size_t bytes;
} pl__arena_extra;

typedef struct pl__arena
{
    pl_context *ctx;
    char *memory; // [capacity], aligned to 64
    size_t capacity;
    size_t used;            // of `memory`
    size_t wanted;          // used + bytes of extras
    size_t peak;            // largest `wanted` since the last full release
    pl__arena_extra *extra; // allocations that did not fit, newest first
} pl__arena;

typedef struct pl__arena_mark
{
    size_t used, wanted;
    pl__arena_extra *extra;
} pl__arena_mark;

void pl__arena_init(pl__arena *arena, pl_context *ctx);
void pl__arena_done(pl__arena *arena);

// `count` items of `size` bytes aligned to 64, not cleared (all bits set but in Release); NULL when out of memory.
void *pl__arena_take(pl__arena *arena, size_t count, size_t size);
#define PL_TAKE(arena, count, T) ((T *)pl__arena_take((arena), (size_t)(count), sizeof(T)))

pl__arena_mark pl__arena_set_mark(const pl__arena *arena);
void pl__arena_release(pl__arena *arena, pl__arena_mark mark);

#endif
