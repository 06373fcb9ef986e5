// src/fluid/elastic.kernel.c -- corners of cells turned, eight rows at a time.
#include "base/real_math.h"
#include "base/simd.h"
#include "elastic_turn.h"

#include <math.h>

enum
{
    ROWS = PL__TURN_ROWS
};

// clang-format off
//                       value   unit     derivation                                                     pinned by
#define SERIES            0.25 // rad^2   eight terms of sin and cos leave 1e-16 below; derived          tests/elastic.c a_turn_returns
// clang-format on

// a = sin |w|/|w| and b = (1 - cos |w|)/|w|^2, of t = |w|^2.
PL_INLINE void coefficients(pl_real_w t, pl_real_w *a, pl_real_w *b)
{
    static const double odd[8] = {1,           -1. / 6,        1. / 120,        -1. / 5040,
                                  1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000},
                        even[8] = {1. / 2,       -1. / 24,        1. / 720,         -1. / 40320,
                                   1. / 3628800, -1. / 479001600, 1. / 87178291200, -1. / 20922789888000};
    *a = pl_set_w(odd[7]), *b = pl_set_w(even[7]);
    for (int k = 6; k >= 0; --k)
    {
        *a = pl_set_w(odd[k]) + t * *a;
        *b = pl_set_w(even[k]) + t * *b;
    }
    if (!pl_any_w(pl_ge_w(t, pl_set_w(SERIES))))
        return;
    double square[PL_LANES], sines[PL_LANES], cosines[PL_LANES];
    pl_store_w(square, t), pl_store_w(sines, *a), pl_store_w(cosines, *b);
    for (int k = 0; k < PL_LANES; ++k)
        if (square[k] >= SERIES)
        {
            double angle = sqrt(square[k]), sine, cosine;
            pl__real_sincos(angle, &sine, &cosine);
            sines[k] = sine / angle;
            cosines[k] = (1 - cosine) / square[k];
        }
    *a = pl_load_w(sines), *b = pl_load_w(cosines);
}

// R S R^T with R = exp(W), W x = w x x: R = I + a W + b W^2 (Rodrigues). S and the result as xx yy zz yz xz xy.
PL_INLINE void turn(const pl_real_w w[3], const pl_real_w s[6], pl_real_w out[6])
{
    pl_real_w xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2], a, b;
    coefficients(xx + yy + zz, &a, &b);
    pl_real_w one = pl_set_w(1), bx = b * w[0], yz = b * w[1] * w[2], xz = bx * w[2], xy = bx * w[1], ax = a * w[0],
              ay = a * w[1], az = a * w[2];
    pl_real_w R[3][3] = {{one - b * (yy + zz), xy - az, xz + ay},
                         {xy + az, one - b * (xx + zz), yz - ax},
                         {xz - ay, yz + ax, one - b * (xx + yy)}};
    pl_real_w T[3][3]; // R S
    for (int i = 0; i < 3; ++i)
    {
        T[i][0] = R[i][0] * s[0] + R[i][1] * s[5] + R[i][2] * s[4];
        T[i][1] = R[i][0] * s[5] + R[i][1] * s[1] + R[i][2] * s[3];
        T[i][2] = R[i][0] * s[4] + R[i][1] * s[3] + R[i][2] * s[2];
    }
    for (int i = 0; i < 3; ++i)
        out[i] = T[i][0] * R[i][0] + T[i][1] * R[i][1] + T[i][2] * R[i][2];
    out[3] = T[1][0] * R[2][0] + T[1][1] * R[2][1] + T[1][2] * R[2][2];
    out[4] = T[0][0] * R[2][0] + T[0][1] * R[2][1] + T[0][2] * R[2][2];
    out[5] = T[0][0] * R[1][0] + T[0][1] * R[1][1] + T[0][2] * R[1][2];
}

void PL_KERNEL(pl__turn_rows)(double dt, const pl__turn_rows *rows)
{
    for (int lane = 0; lane < ROWS; lane += PL_LANES)
    {
        pl_real_w sum[3] = {pl_set_w(0), pl_set_w(0), pl_set_w(0)}, diagonal[3];
        for (int m = 0; m < 3; ++m)
            diagonal[m] = pl_load_w(rows->diagonal[m] + lane);
        for (int corner = 0; corner < PL__CORNERS; ++corner)
        {
            pl_real_w w[3], s[6], t[6];
            for (int m = 0; m < 3; ++m)
            {
                w[m] = pl_set_w(dt) * pl_load_w(rows->spin[m][corner] + lane);
                s[m] = diagonal[m];
                s[3 + m] = pl_load_w(rows->shear[m][corner] + lane);
            }
            turn(w, s, t);
            for (int m = 0; m < 3; ++m)
            {
                sum[m] = sum[m] + t[m];
                pl_store_w(rows->turned[m][corner] + lane, t[3 + m]);
            }
        }
        for (int m = 0; m < 3; ++m)
            pl_store_w(rows->mean[m] + lane, sum[m] * pl_set_w(1. / PL__CORNERS));
    }
}
