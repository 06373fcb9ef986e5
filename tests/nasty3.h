// tests/nasty3.h -- 3x3 matrices to test decompositions with, and how far a matrix is from a rotation.
#ifndef PL_TEST_NASTY3_H
#define PL_TEST_NASTY3_H

#include "test.h"
#include "base/random.h"
#include "math/mat3.h"

#include <float.h>

static double uniform(uint64_t key, uint64_t n) { return 2 * pl__random01(11, key, n) - 1; }

// A random rotation, from a quaternion.
static pl_mat3 rotation(uint64_t key)
{
    double q[4], n = 0;
    for (int i = 0; i < 4; ++i)
        q[i] = uniform(key, 100 + (uint64_t)i), n += q[i] * q[i];
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(n);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (pl_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
}

// Q1 diag(a, b, c) Q2^T
static pl_mat3 with_values(uint64_t key, double a, double b, double c)
{
    pl_mat3 Q1 = rotation(2 * key), Q2 = rotation(2 * key + 1), D = pl_diagonal3(a, b, c);
    D = pl_mul33(&Q1, &D);
    return pl_mul33t(&D, &Q2);
}

static double power(uint64_t key, uint64_t n, double range) { return pow(10, range * uniform(key, n)); }

// Kind 0..KINDS-1 of trouble.
enum
{
    KINDS = 16
};
static pl_mat3 nasty(int kind, uint64_t key)
{
    pl_mat3 F;
    double tiny = power(key, 50, 9) * 1e-9;
    for (int k = 0; k < 9; ++k)
        F.c[k / 3][k % 3] = uniform(key, (uint64_t)k);
    switch (kind)
    {
    case 0: return F;
    case 1: return rotation(key);
    case 2: return with_values(key, 1, 1, -1);
    case 3: return with_values(key, 1 + tiny, 1, 1 - uniform(key, 51) * tiny);       // a triple, almost
    case 4: return with_values(key, 1, tiny, tiny * (1 - power(key, 52, 9) * 1e-9)); // a small pair
    case 5: return with_values(key, 1, 1 - tiny, power(key, 53, 9) * 1e-9);          // a large pair
    case 6: return with_values(key, 1, power(key, 54, 150) * 1e-150, 0);             // rank 2, or 1
    case 7: return with_values(key, 1, 0, 0);
    case 8: // exactly rank 1
        for (int k = 0; k < 9; ++k)
            F.c[k / 3][k % 3] =
                floor(8 * uniform(key, (uint64_t)(k % 3))) * floor(8 * uniform(key, 3 + (uint64_t)(k / 3)));
        return F;
    case 9: // small integers: exact ties and zeros
        for (int k = 0; k < 9; ++k)
            F.c[k / 3][k % 3] = floor(1.5 * uniform(key, (uint64_t)k) + 0.5);
        return F;
    case 10: // every entry of another size
        for (int k = 0; k < 9; ++k)
            F.c[k / 3][k % 3] *= power(key, 60 + (uint64_t)k, 12);
        return F;
    case 11: return with_values(key, 1e300, 5e299, -3e299);
    case 12: return with_values(key, 1e-300, 5e-301, 3e-301);
    case 13: return pl_diagonal3(uniform(key, 1), uniform(key, 2) * tiny, uniform(key, 3));
    case 14: // almost at rest, as most elements of a simulation are
        for (int k = 0; k < 9; ++k)
            F.c[k / 3][k % 3] = F.c[k / 3][k % 3] * tiny + (k % 4 == 0);
        return F;
    default: // two equal columns or rows, or a zero one
        pl_set_column3(&F, (int)(key % 3), pl_scale3((double)(key % 5) - 2, pl_column3(&F, (int)((key + 1) % 3))));
        return key & 8 ? pl_transpose3(&F) : F;
    }
}

// max |Q^T Q - I| in units of eps; infinite for a reflection
static double distance_from_rotation(const pl_mat3 *Q)
{
    long double worst = 0;
    for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 3; ++q)
        {
            long double d = p == q ? -1 : 0;
            for (int i = 0; i < 3; ++i)
                d += (long double)Q->c[p][i] * Q->c[q][i];
            worst = fmaxl(worst, fabsl(d));
        }
    return pl_det3(Q) > 0 ? (double)(worst / DBL_EPSILON) : INFINITY;
}

// Matrix n of blocks of 16.
static pl_mat3 entry(const double (*A)[9][16], int n)
{
    pl_mat3 M;
    for (int k = 0; k < 9; ++k)
        M.c[k / 3][k % 3] = A[n / 16][k][n % 16];
    return M;
}

#endif
