// src/base/hash.h -- a 64-bit hash of bytes, for golden tests, checksums and structure checks. Not for security.
#ifndef PL_BASE_HASH_H
#define PL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// Mix all 64 bits (the finaliser of splitmix64; a bijection).
static inline uint64_t pl__mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Hash of `size` bytes, continuing from `seed` (0 to start), little-endian on every machine.
uint64_t pl__hash(uint64_t seed, const void *data, size_t size);

#endif
