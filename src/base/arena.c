// src/base/arena.c
#include "arena.h"

#include <string.h>

enum
{
    ALIGNMENT = 64
};

static size_t round_up(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

void pl__arena_init(pl__arena *arena, pl_context *ctx) { *arena = (pl__arena){.ctx = ctx}; }

void pl__arena_done(pl__arena *arena)
{
    pl__arena_release(arena, (pl__arena_mark){0});
    pl__free(arena->ctx, arena->memory, arena->capacity);
    *arena = (pl__arena){.ctx = arena->ctx};
}

static void *take_extra(pl__arena *arena, size_t bytes)
{
    pl__arena_extra *extra = pl__alloc(arena->ctx, ALIGNMENT + bytes);
    if (!extra)
        return NULL;
    *extra = (pl__arena_extra){arena->extra, ALIGNMENT + bytes};
    arena->extra = extra;
    return (char *)extra + ALIGNMENT;
}

void *pl__arena_take(pl__arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - 2 * ALIGNMENT) / size)
    {
        (void)pl__fail(arena->ctx, PL_ERR_MEMORY, "out of memory: %zu items of %zu bytes asked for", count, size);
        return NULL;
    }
    size_t bytes = round_up(count && size ? count * size : 1);
    void *pointer;
    if (bytes <= arena->capacity - arena->used)
    {
        pointer = arena->memory + arena->used;
        arena->used += bytes;
    }
    else if (!(pointer = take_extra(arena, bytes)))
        return NULL;
    arena->wanted += bytes;
    if (arena->wanted > arena->peak)
        arena->peak = arena->wanted;
#ifndef NDEBUG
    memset(pointer, 0xff, bytes); // doubles are NaN: reading what was not written shows
#endif
    return pointer;
}

pl__arena_mark pl__arena_set_mark(const pl__arena *arena)
{
    return (pl__arena_mark){arena->used, arena->wanted, arena->extra};
}

void pl__arena_release(pl__arena *arena, pl__arena_mark mark)
{
    while (arena->extra != mark.extra)
    {
        pl__arena_extra *extra = arena->extra;
        arena->extra = extra->next;
        pl__free(arena->ctx, extra, extra->bytes);
    }
    arena->used = mark.used;
    arena->wanted = mark.wanted;
    // empty again: grow beyond the peak, or what needs a little more each time would get new pages, which the system
    // clears, each time; on failure the extras continue to serve
    if (arena->wanted == 0 && arena->peak > arena->capacity)
    {
        size_t capacity = arena->peak + round_up(arena->peak / 8);
        char *larger = pl__alloc(arena->ctx, capacity);
        if (larger)
        {
            pl__free(arena->ctx, arena->memory, arena->capacity);
            arena->memory = larger;
            arena->capacity = capacity;
        }
    }
}
