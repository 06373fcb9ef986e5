// src/base/hash.c
#include "hash.h"

static uint64_t load_word(const unsigned char *p, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; ++i)
        word |= (uint64_t)p[i] << (8 * i);
    return word;
}

uint64_t pl__hash(uint64_t seed, const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t h = pl__mix64(seed ^ (0x9e3779b97f4a7c15ull * (size + 1)));
    size_t left = size;
    for (; left >= 8; left -= 8, p += 8)
        h = pl__mix64(h ^ load_word(p, 8)) + 0x9e3779b97f4a7c15ull;
    if (left)
        h = pl__mix64(h ^ load_word(p, left)) + left;
    return pl__mix64(h);
}
