// src/base/random.h -- random numbers as a function of (seed, step, index).
//
// Counter-based: a number depends on its key only, not on thread count, order or restarts.
#ifndef PL_BASE_RANDOM_H
#define PL_BASE_RANDOM_H

#include "hash.h"

static inline uint64_t pl__random64(uint64_t seed, uint64_t step, uint64_t index)
{
    uint64_t h = pl__mix64(seed + 0x9e3779b97f4a7c15ull);
    h = pl__mix64(h ^ (step * 0xd1342543de82ef95ull + 0x632be59bd9b4e019ull));
    return pl__mix64(h ^ (index * 0xda942042e4dd58b5ull + 0x9e3779b97f4a7c15ull));
}

// Uniform in [0, 1), with 53 bits.
static inline double pl__random01(uint64_t seed, uint64_t step, uint64_t index)
{
    return (double)(pl__random64(seed, step, index) >> 11) * 0x1p-53;
}

#endif
