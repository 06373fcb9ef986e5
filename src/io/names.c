// src/io/names.c -- finds equal names of a file.
//
// By a stable merge sort: unlike a hash table, a hostile file cannot make it slow (as in draft.c).
#include "io/names.h"

#include <string.h>

static int compare(pl__text a, pl__text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.at, b.at, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static void merge(const pl__text *names, const int32_t *from, size_t middle, size_t count, int32_t *to)
{
    size_t a = 0, b = middle;
    for (size_t i = 0; i < count; ++i)
    {
        bool left = b == count || (a < middle && compare(names[from[a]], names[from[b]]) <= 0);
        to[i] = left ? from[a++] : from[b++];
    }
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// Indices of names in alphabetical order, in `order` or `other`, whichever is returned.
static int32_t *sort(const pl__text *names, size_t count, int32_t *order, int32_t *other)
{
    for (size_t i = 0; i < count; ++i)
        order[i] = (int32_t)i;
    for (size_t run = 1; run < count; run *= 2)
    {
        for (size_t at = 0; at < count; at += 2 * run)
            merge(names, order + at, smaller(run, count - at), smaller(2 * run, count - at), other + at);
        int32_t *swap = order;
        order = other;
        other = swap;
    }
    return order;
}

bool pl__names_unify(pl_context *ctx, const pl__text *names, size_t count, int32_t *first)
{
    int32_t *room = PL_NEW(ctx, 2 * count, int32_t);
    if (!room)
        return false;
    const int32_t *order = sort(names, count, room, room + count);
    for (size_t i = 0; i < count; ++i)
    {
        bool same = i > 0 && compare(names[order[i - 1]], names[order[i]]) == 0;
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    PL_DELETE(ctx, room, 2 * count);
    return true;
}
