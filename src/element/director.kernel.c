// src/element/director.kernel.c -- one Jacobi sweep over the directors of a group of bends.
//
// With d = rate (M - M') at each edge, delta decreases by d and, K being linear, M by K d (element/director.h). Stored
// stiffnesses include the shares: K d = c^-1 (c K c) (c^-1 d).
#include "base/simd.h"
#include "bend_w.h"
#include "director.h"

PL_INLINE pl_real_w gather(const double *x, const int32_t *index)
{
    double lanes[PL_LANES];
    for (int i = 0; i < PL_LANES; ++i)
        lanes[i] = x[index[i]];
    return pl_load_w(lanes);
}

PL_INLINE void relax(const pl__director_block *director, pl__bend_rest *rest, const double *all, const double *own,
                     int lane, double *to)
{
    pl_real_w M[3], step[3], change[3], inverse_share[3];
    for (int i = 0; i < 3; ++i)
    {
        M[i] = pl_load_w(&own[i * PL_BLOCK + lane]);
        inverse_share[i] = pl_load_w(&rest->inverse_share[i][lane]);
        pl_real_w d = pl_load_w(&director->rate[i][lane]) * (M[i] - gather(all, &director->twin[i][lane]));
        pl_store_w(&rest->delta[i][lane], pl_load_w(&rest->delta[i][lane]) - d);
        step[i] = inverse_share[i] * d;
    }
    pl_bend_moments_w(rest, lane, step, change);
    for (int i = 0; i < 3; ++i)
        pl_store_w(&to[i * PL_BLOCK + lane], M[i] - inverse_share[i] * change[i]);
}

void PL_KERNEL(pl__directors_relax)(const pl__element_group *group, int32_t sweep, int32_t begin, int32_t end)
{
    const double *from = group->moment[sweep % 2];
    double *to = group->moment[(sweep + 1) % 2];
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
            relax(&group->director[block], &group->bend[block], from, &from[3 * PL_BLOCK * block], lane,
                  &to[3 * PL_BLOCK * block]);
}
