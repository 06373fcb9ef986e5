// src/element/tet_damping.kernel.c -- damping forces of linear tetrahedra: one quadrature point with the edges as
// slopes (damping_w.h).
#include "base/simd.h"
#include "damping_w.h"
#include "tet.h"

PL_INLINE void store_balanced(pl__tet_forces *out, int lane, pl_real_w f[3][3])
{
    for (int i = 0; i < 3; ++i)
    {
        pl_store_w(&out->f[0][i][lane], -(f[0][i] + f[1][i] + f[2][i]));
        for (int corner = 0; corner < 3; ++corner)
            pl_store_w(&out->f[corner + 1][i][lane], f[corner][i]);
    }
}

// velocities of corners 1, 2, 3 relative to corner 0
PL_INLINE void relative_velocities(const double *v, const pl__tet_rest *rest, int lane, pl_real_w dv[3][3])
{
    pl_real_w v0[3];
    pl_gather3_w(v, &rest->node[0][lane], v0);
    for (int j = 0; j < 3; ++j)
    {
        pl_gather3_w(v, &rest->node[j + 1][lane], dv[j]);
        for (int i = 0; i < 3; ++i)
            dv[j][i] -= v0[i];
    }
}

PL_INLINE void damp(const pl__damping_job *job, int32_t block, int lane, bool rotated, pl__tet_forces *out)
{
    const pl__tet_rest *rest = &job->group->tet[block];
    const pl__tet_frame *frame = (const pl__tet_frame *)job->frame + block;
    pl_real_w dv[3][3], f[3][3];
    relative_velocities(job->v, rest, lane, dv);
    pl_real_w weight = job->strength * pl_load_w(&rest->volume[lane]) * pl_load_w(&rest->damping[lane]);
    pl_real_w beta = weight * pl_load_w(&rest->material.mu[lane]),
              alpha = weight * pl_load_w(&rest->material.lambda[lane]);
    if (rotated)
        pl_damp_rotated_w(dv, frame->a, lane, beta, alpha, f);
    else
        pl_damp_general_w(dv, frame->a, rest->inverse, lane, beta, alpha, f);
    store_balanced(out, lane, f);
}

// Prefetch what a block some way ahead reads, except the velocities, which are in cache already: the hardware
// prefetcher follows the frames but not the few lines of each rest shape. A million elements take 1.4 times as long
// without.
PL_INLINE void prefetch_ahead(const pl__damping_job *job, int32_t block)
{
    enum
    {
        AHEAD = 6
    };
    if (block + AHEAD >= job->group->block_count)
        return;
    const pl__tet_rest *rest = &job->group->tet[block + AHEAD];
    pl_prefetch_w(rest->node, sizeof rest->node);
    if (job->group->damping_model != PL_DAMPING_ROTATED)
        pl_prefetch_w(rest->inverse, sizeof rest->inverse);
    pl_prefetch_w(rest->volume, sizeof rest->volume);
    pl_prefetch_w(rest->damping, sizeof rest->damping);
    pl_prefetch_w(rest->material.mu, sizeof rest->material.mu);
    pl_prefetch_w(rest->material.lambda, sizeof rest->material.lambda);
    pl_prefetch_w((const pl__tet_frame *)job->frame + block + AHEAD, sizeof(pl__tet_frame));
}

void PL_KERNEL(pl__tet_damping)(const pl__damping_job *job, int32_t begin, int32_t end)
{
    bool rotated = job->group->damping_model == PL_DAMPING_ROTATED;
    for (int32_t block = begin; block < end; ++block)
    {
        prefetch_ahead(job, block);
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            if (rotated)
                damp(job, block, lane, true, (pl__tet_forces *)job->force + (block - begin));
            else
                damp(job, block, lane, false, (pl__tet_forces *)job->force + (block - begin));
        }
    }
}
