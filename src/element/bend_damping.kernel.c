// src/element/bend_damping.kernel.c -- damping of bending.
//
// The rates of the angles are grad theta_i . v with the gradients of the last evaluation (element/bend_w.h); moments
// tau K times the rates act along the same gradients: y = tau G^T K G v is symmetric, positive semidefinite, and
// conserves linear and angular momentum.
#include "base/simd.h"
#include "bend_w.h"

// velocities relative to corner 0, so that a translation has exactly no effect
PL_INLINE void relative_velocities(const double *v, const pl__bend_rest *rest, int lane, pl_vec3_w relative[6])
{
    for (int k = 0; k < 6; ++k)
        pl_gather3_w(v, &rest->node[k][lane], relative[k].x);
    for (int k = 5; k >= 0; --k)
        relative[k] = pl_sub3_w(relative[k], relative[0]);
}

void PL_KERNEL(pl__bend_damping)(const pl__damping_job *job, int32_t begin, int32_t end)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            const pl__bend_rest *rest = &job->group->bend[block];
            pl_bend_frame_w g = pl_load_bend_w((const pl__bend_frame *)job->frame + block, lane);
            pl_vec3_w v[6];
            pl_real_w rate[3], moment[3], weight = -job->strength * pl_load_w(&rest->damping[lane]);
            relative_velocities(job->v, rest, lane, v);
            pl_bend_rates_w(&g, v, rate);
            pl_bend_moments_w(rest, lane, rate, moment);
            for (int i = 0; i < 3; ++i)
                moment[i] *= weight;
            (void)pl_bend_spread_w(&g, moment, lane, (pl__bend_forces *)job->force + (block - begin));
        }
}
