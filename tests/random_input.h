// tests/random_input.h -- random matrices and rotations, keyed, for property tests.
#ifndef PL_TEST_RANDOM_INPUT_H
#define PL_TEST_RANDOM_INPUT_H

#include "base/random.h"
#include "math/mat3.h"
#include <math.h>

// Uniform in [-1, 1).
static inline double random_pm(uint64_t seed, uint64_t index) { return 2 * pl__random01(seed, 77, index) - 1; }

__attribute__((unused)) static pl_mat3 random_matrix(uint64_t seed)
{
    pl_mat3 A;
    for (int k = 0; k < 9; ++k)
        A.c[k / 3][k % 3] = random_pm(seed, (uint64_t)k);
    return A;
}

// A rotation from a random unit quaternion.
__attribute__((unused)) static pl_mat3 random_rotation(uint64_t seed)
{
    double q[4], n = 0;
    for (int k = 0; k < 4; ++k)
    {
        q[k] = random_pm(seed, 100 + (uint64_t)k) + 1e-3;
        n += q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k)
        q[k] /= sqrt(n);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (pl_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
}

__attribute__((unused)) static pl_mat3 from_stretches(const pl_mat3 *U, const double s[3], const pl_mat3 *V)
{
    pl_mat3 F = {0};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                F.c[j][i] += U->c[k][i] * s[k] * V->c[k][j];
    return F;
}

#endif
