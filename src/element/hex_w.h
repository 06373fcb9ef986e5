// src/element/hex_w.h -- from corners to slopes at Gauss points and back, by sum factorisation.
//
// dx/dxi_d at (xi_0, xi_1, xi_2) does not depend on xi_d: it interpolates the differences along the four edges of
// direction d. So the 8 points have 12 distinct slopes, not 24, and interpolating to g and 1 - g, one direction after
// the other, takes a + g (b - a) and b - g (b - a): 180 operations instead of the 1080 of the 8 x 3 matrices of thesis
// 2.10. The interpolation is symmetric, so the transpose (from the gradients with respect to the slopes to the
// corners) is the same.
#ifndef PL_ELEMENT_HEX_W_H
#define PL_ELEMENT_HEX_W_H

#include "hex.h"
#include "math/mat3_w.h"

// The corner at (l & 1, l >> 1 & 1, l >> 2).
static const int pl__hex_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

// Edges and slopes of a direction are indexed by the two other directions, the lower first. Index of point (or corner)
// q without direction d:
PL_INLINE int pl_hex_across(int q, int d) { return d == 0 ? q >> 1 : d == 1 ? (q & 1) | (q >> 2 << 1) : q & 3; }
// and the first corner of edge `across` of direction d.
PL_INLINE int pl_hex_near(int across, int d)
{
    return d == 0 ? across << 1 : d == 1 ? (across & 1) | (across >> 1 << 2) : across;
}

// Interpolate a pair: each becomes the point at fraction g from it to the other.
PL_INLINE void pl_hex_approach_w(pl_real_w *a, pl_real_w *b)
{
    pl_real_w step = PL_HEX_GAUSS * (*b - *a);
    *a += step;
    *b -= step;
}

PL_INLINE void pl_hex_interpolate_w(pl_real_w edge[4][3], int i)
{
    pl_hex_approach_w(&edge[0][i], &edge[1][i]);
    pl_hex_approach_w(&edge[2][i], &edge[3][i]);
    pl_hex_approach_w(&edge[0][i], &edge[2][i]);
    pl_hex_approach_w(&edge[1][i], &edge[3][i]);
}

// The slopes of nodal vectors u, [direction][across][component].
PL_INLINE void pl_hex_slopes_w(const double *u, const int32_t (*node)[PL_BLOCK], int lane, pl_real_w slope[3][4][3])
{
    pl_real_w at[8][3];
    for (int l = 0; l < 8; ++l)
        pl_gather3_w(u, &node[pl__hex_corner[l]][lane], at[l]);
    for (int d = 0; d < 3; ++d)
        for (int i = 0; i < 3; ++i)
        {
            for (int m = 0; m < 4; ++m)
                slope[d][m][i] = at[pl_hex_near(m, d) | 1 << d][i] - at[pl_hex_near(m, d)][i];
            pl_hex_interpolate_w(slope[d], i);
        }
}

// Transpose: scatter the gradients with respect to the slopes to the corners; overwrites `flux`. Returns the sum of
// absolute values.
PL_INLINE pl_real_w pl_hex_spread_w(pl_real_w flux[3][4][3], pl__hex_forces *out, int lane)
{
    pl_real_w size = pl_set_w(0);
    for (int i = 0; i < 3; ++i)
    {
        for (int d = 0; d < 3; ++d)
            pl_hex_interpolate_w(flux[d], i);
        for (int l = 0; l < 8; ++l)
        {
            pl_real_w f = pl_set_w(0);
            for (int d = 0; d < 3; ++d)
            {
                pl_real_w edge = flux[d][pl_hex_across(l, d)][i];
                f = l >> d & 1 ? f + edge : f - edge;
            }
            pl_store_w(&out->f[pl__hex_corner[l]][i][lane], f);
            size += pl_abs_w(f);
        }
    }
    return size;
}

#endif
