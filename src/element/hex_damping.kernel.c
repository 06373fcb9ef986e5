// src/element/hex_damping.kernel.c -- damping forces of trilinear hexahedra: damping_w.h at every quadrature point.
#include "base/simd.h"
#include "damping_w.h"
#include "hex_w.h"

PL_INLINE void damp_point(const pl__damping_job *job, int32_t block, int q, int lane, bool rotated,
                          pl_real_w slope[3][4][3], pl_real_w flux[3][4][3])
{
    const pl__hex_rest *rest = &job->group->hex[block];
    const pl__hex_frame *frame = (const pl__hex_frame *)job->frame + block;
    pl_real_w dv[3][3], f[3][3];
    for (int d = 0; d < 3; ++d)
        for (int i = 0; i < 3; ++i)
            dv[d][i] = slope[d][pl_hex_across(q, d)][i];
    pl_real_w weight = job->strength * pl_load_w(&rest->volume[q][lane]) * pl_load_w(&rest->damping[lane]);
    pl_real_w beta = weight * pl_load_w(&rest->material.mu[lane]),
              alpha = weight * pl_load_w(&rest->material.lambda[lane]);
    if (rotated)
        pl_damp_rotated_w(dv, frame->a[q], lane, beta, alpha, f);
    else
        pl_damp_general_w(dv, frame->a[q], rest->inverse[q], lane, beta, alpha, f);
    for (int d = 0; d < 3; ++d)
        for (int i = 0; i < 3; ++i)
            flux[d][pl_hex_across(q, d)][i] += f[d][i];
}

PL_INLINE void damp(const pl__damping_job *job, int32_t block, int lane, bool rotated, pl__hex_forces *out)
{
    pl_real_w slope[3][4][3], flux[3][4][3];
    pl_hex_slopes_w(job->v, job->group->hex[block].node, lane, slope);
    for (int k = 0; k < 36; ++k)
        flux[k / 12][k / 3 % 4][k % 3] = pl_set_w(0);
    for (int q = 0; q < PL_HEX_POINTS; ++q)
        damp_point(job, block, q, lane, rotated, slope, flux);
    (void)pl_hex_spread_w(flux, out, lane);
}

// Prefetch for the next block what the hardware prefetcher misses: as for tetrahedra, but frames and inverses are long
// enough here for it to follow, and prefetching them too costs a tenth in cache.
PL_INLINE void prefetch_ahead(const pl__damping_job *job, int32_t block)
{
    if (block + 1 >= job->group->block_count)
        return;
    const pl__hex_rest *rest = &job->group->hex[block + 1];
    pl_prefetch_w(rest->node, sizeof rest->node);
    pl_prefetch_w(rest->volume, sizeof rest->volume);
    pl_prefetch_w(rest->damping, sizeof rest->damping);
    pl_prefetch_w(rest->material.mu, sizeof rest->material.mu);
    pl_prefetch_w(rest->material.lambda, sizeof rest->material.lambda);
}

void PL_KERNEL(pl__hex_damping)(const pl__damping_job *job, int32_t begin, int32_t end)
{
    bool rotated = job->group->damping_model == PL_DAMPING_ROTATED;
    for (int32_t block = begin; block < end; ++block)
    {
        prefetch_ahead(job, block);
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            if (rotated)
                damp(job, block, lane, true, (pl__hex_forces *)job->force + (block - begin));
            else
                damp(job, block, lane, false, (pl__hex_forces *)job->force + (block - begin));
        }
    }
}
