// src/element/tet_damping.kernel.c -- damping forces of linear tetrahedra.
//
// All three models of thesis 2.6.2 are one formula. For a matrix A that follows the shape, and G = dF/dt,
//
//     P = A (beta (G^T A + A^T G) + alpha tr(A^T G) I),      beta = tau mu, alpha = tau lambda,
//
// is linear and symmetric in G and dissipates beta/2 |G^T A + A^T G|^2 + alpha tr(A^T G)^2 >= 0.
//
//     A = R (the rotation U W^T)   is the rotated model: beta (G' + G'^T) + alpha tr G' in the principal frame;
//     A = F                        has P = F S with S symmetric, so it keeps angular momentum;
//     A = U diag((1 - w) + w s_k / max(1, s_0)) W^T   goes from one to the other (tet_force.kernel.c chooses w).
//
// For A = R the kernel keeps a_i = R b_i: L = G R^T = sum_i v_i a_i^T, and the force on corner i is
// V (beta (L + L^T) + alpha tr L) a_i: nine numbers per element instead of eighteen.
#include "base/simd.h"
#include "math/mat3_w.h"
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

// symmetric S = beta (L + L^T) + alpha tr L
PL_INLINE void rate_stress(pl_real_w L[3][3], pl_real_w beta, pl_real_w alpha, pl_real_w S[3][3])
{
    pl_real_w pressure = alpha * (L[0][0] + L[1][1] + L[2][2]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
            S[i][j] = S[j][i] = i == j ? 2 * beta * L[i][i] + pressure : beta * (L[i][j] + L[j][i]);
}

PL_INLINE void rotated(const pl__damping_job *job, int32_t block, int lane, pl__tet_forces *out)
{
    const pl__tet_rest *rest = &job->group->tet[block];
    const pl__tet_frame *frame = (const pl__tet_frame *)job->frame + block;
    pl_real_w dv[3][3], a[3][3], L[3][3], S[3][3], f[3][3];
    relative_velocities(job->v, rest, lane, dv);
    for (int corner = 0; corner < 3; ++corner)
        for (int i = 0; i < 3; ++i)
            a[corner][i] = pl_load_w(&frame->a[3 * corner + i][lane]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            L[i][j] = dv[0][i] * a[0][j] + dv[1][i] * a[1][j] + dv[2][i] * a[2][j];
    pl_real_w weight = job->strength * pl_load_w(&rest->volume[lane]) * pl_load_w(&rest->damping[lane]);
    rate_stress(L, weight * pl_load_w(&rest->material.mu[lane]), weight * pl_load_w(&rest->material.lambda[lane]), S);
    for (int corner = 0; corner < 3; ++corner)
        for (int i = 0; i < 3; ++i)
            f[corner][i] = S[i][0] * a[corner][0] + S[i][1] * a[corner][1] + S[i][2] * a[corner][2];
    store_balanced(out, lane, f);
}

PL_INLINE void general(const pl__damping_job *job, int32_t block, int lane, pl__tet_forces *out)
{
    const pl__tet_rest *rest = &job->group->tet[block];
    const pl__tet_frame *frame = (const pl__tet_frame *)job->frame + block;
    pl_real_w dv[3][3], A[3][3], B[3][3], G[3][3], L[3][3], S[3][3], P[3][3], f[3][3];
    relative_velocities(job->v, rest, lane, dv);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            A[i][j] = pl_load_w(&frame->a[3 * j + i][lane]);
            B[i][j] = pl_load_w(&rest->inverse[3 * j + i][lane]);
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            G[i][j] = dv[0][i] * B[0][j] + dv[1][i] * B[1][j] + dv[2][i] * B[2][j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            L[i][j] = A[0][i] * G[0][j] + A[1][i] * G[1][j] + A[2][i] * G[2][j];
    pl_real_w weight = job->strength * pl_load_w(&rest->volume[lane]) * pl_load_w(&rest->damping[lane]);
    rate_stress(L, weight * pl_load_w(&rest->material.mu[lane]), weight * pl_load_w(&rest->material.lambda[lane]), S);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            P[i][j] = A[i][0] * S[0][j] + A[i][1] * S[1][j] + A[i][2] * S[2][j];
    for (int corner = 0; corner < 3; ++corner)
        for (int i = 0; i < 3; ++i)
            f[corner][i] = P[i][0] * B[corner][0] + P[i][1] * B[corner][1] + P[i][2] * B[corner][2];
    store_balanced(out, lane, f);
}

// What a block some way ahead reads, except the velocities, which are near already: the processor follows the frames by
// itself but not the few lines of each rest shape. A million elements take 1.4 times as long without.
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
    bool is_rotated = job->group->damping_model == PL_DAMPING_ROTATED;
    for (int32_t block = begin; block < end; ++block)
    {
        prefetch_ahead(job, block);
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            if (is_rotated)
                rotated(job, block, lane, (pl__tet_forces *)job->force + (block - begin));
            else
                general(job, block, lane, (pl__tet_forces *)job->force + (block - begin));
        }
    }
}
