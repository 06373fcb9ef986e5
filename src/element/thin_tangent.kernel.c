// src/element/thin_tangent.kernel.c -- tangent matrices of bends, springs and surface loads.
//
// Bends: E is quadratic in three angles, so K is sum_ij K_ij grad theta_i grad theta_j^T, and the damping the same
// times tau; the geometric stiffness of the moments is indefinite and left out. Springs: k along their direction n,
// and tension over length across it, if that is positive. Surface loads: drag, C/9 between any two corners; pressure
// is left to the Newton iterations.
#include "base/simd.h"
#include "bend_w.h"
#include "surface_load.h"
#include "spring.h"
#include "tangent_w.h"

// The gradient of angle i at each of the six vertices.
PL_INLINE void gradients(const pl_bend_frame_w *g, int i, pl_vec3_w out[6])
{
    pl_real_w zero = pl_set_w(0), foot = g->foot[i];
    int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int c = 3; c < 6; ++c)
        out[c] = pl_make3_w(zero, zero, zero);
    out[3 + i] = pl_neg3_w(g->across[i]);
    out[i] = pl_scale3_w(-g->own[i][0], g->normal);
    out[j] = pl_axpy3_w(1 - foot, g->across[i], pl_scale3_w(g->own[i][0] - g->own[i][1], g->normal));
    out[k] = pl_axpy3_w(foot, g->across[i], pl_scale3_w(g->own[i][1], g->normal));
}

void PL_KERNEL(pl__bend_tangent)(const pl__tangent_job *job, int32_t block)
{
    const pl__bend_rest *rest = &job->group->bend[block];
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_bend_frame_w frame = pl_load_bend_w((const pl__bend_frame *)job->frame + block, lane);
        pl_real_w weight = job->strength * (job->elastic + job->damped * pl_load_w(&rest->damping[lane]));
        pl_vec3_w gradient[3][6], moment[3][6];
        for (int i = 0; i < 3; ++i)
            gradients(&frame, i, gradient[i]);
        for (int c = 0; c < 6; ++c)
            for (int k = 0; k < 3; ++k)
            {
                pl_real_w angle[3] = {weight * gradient[0][c].x[k], weight * gradient[1][c].x[k],
                                      weight * gradient[2][c].x[k]},
                          m[3];
                pl_bend_moments_w(rest, lane, angle, m);
                for (int i = 0; i < 3; ++i)
                    moment[i][c].x[k] = m[i];
            }
        for (int a = 0, pair = 0; a < 6; ++a)
            for (int b = a + 1; b < 6; ++b, ++pair)
            {
                pl_tangent_block_w K;
                for (int k = 0; k < 9; ++k)
                    K.m[k] = moment[0][a].x[k / 3] * gradient[0][b].x[k % 3] +
                             moment[1][a].x[k / 3] * gradient[1][b].x[k % 3] +
                             moment[2][a].x[k / 3] * gradient[2][b].x[k % 3];
                pl_store_tangent_w(job->matrix, pair, lane, &K);
            }
    }
}

void PL_KERNEL(pl__spring_tangent)(const pl__tangent_job *job, int32_t block)
{
    const pl__spring_rest *rest = &job->group->spring[block];
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_vec3_w a, b, n = pl_load3_w(((const pl__spring_frame *)job->frame + block)->direction, lane);
        pl_gather3_w(job->x, &rest->node[0][lane], a.x);
        pl_gather3_w(job->x, &rest->node[1][lane], b.x);
        pl_real_w length = pl_dot3_w(n, pl_sub3_w(b, a)), k = job->strength * pl_load_w(&rest->stiffness[lane]),
                  zero = pl_set_w(0);
        pl_real_w pulled = pl_max_w(1 - pl_load_w(&rest->length[lane]) / pl_max_w(length, pl_set_w(1e-150)), zero);
        pl_real_w across = job->elastic * k * pulled;
        pl_real_w along = k * (job->elastic + job->damped * pl_load_w(&rest->damping[lane])) - across;
        pl_tangent_block_w minus;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
            {
                pl_real_w value = along * (n.x[i] * n.x[j]);
                minus.m[3 * i + j] = -(i == j ? value + across : value);
            }
        pl_store_tangent_w(job->matrix, 0, lane, &minus);
    }
}

void PL_KERNEL(pl__surface_load_tangent)(const pl__tangent_job *job, int32_t block)
{
    const pl__surface_load_frame *frame = (const pl__surface_load_frame *)job->frame + block;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_vec3_w n = pl_load3_w(frame->normal, lane);
        pl_real_w weight = pl_set_w(job->strength * job->damped / 9);
        pl_real_w along = weight * pl_load_w(&frame->along[lane]),
                  more = weight * pl_load_w(&frame->across[lane]) - along;
        pl_tangent_block_w C;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
            {
                pl_real_w value = more * (n.x[i] * n.x[j]);
                C.m[3 * i + j] = i == j ? value + along : value;
            }
        for (int pair = 0; pair < 3; ++pair)
            pl_store_tangent_w(job->matrix, pair, lane, &C);
        for (int k = 0; k < 9; ++k)
            C.m[k] *= 3;
        for (int corner = 0; corner < 3; ++corner)
            pl_store_tangent_w(job->matrix, 3 + corner, lane, &C);
    }
}
