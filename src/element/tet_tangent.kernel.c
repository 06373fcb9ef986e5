// src/element/tet_tangent.kernel.c -- tangent matrices of linear tetrahedra: one quadrature point, its coordinates the
// corners 1, 2 and 3 (tangent_w.h).
//
// The blocks of corner 0 are minus the sums of the others. Corotated elements whose frames hold R b_i need neither
// positions nor a decomposition, and the gradient of corner 0 is minus the sum of the others.
#include "base/simd.h"
#include "fibers_w.h"
#include "tangent_w.h"
#include "tet_w.h"

// From the blocks of coordinates (c, d), c <= d, those of all pairs of corners.
PL_INLINE void store_matrix(pl_tangent_block_w C[3][3], double *matrix, int lane)
{
    pl_tangent_block_w first;
    for (int d = 0; d < 3; ++d)
    {
        for (int k = 0; k < 9; ++k)
        {
            first.m[k] = pl_set_w(0);
            for (int c = 0; c < 3; ++c)
                first.m[k] -= c <= d ? C[c][d].m[k] : C[d][c].m[k % 3 * 3 + k / 3];
        }
        pl_store_tangent_w(matrix, d, lane, &first);
    }
    pl_store_tangent_w(matrix, 3, lane, &C[0][1]);
    pl_store_tangent_w(matrix, 4, lane, &C[0][2]);
    pl_store_tangent_w(matrix, 5, lane, &C[1][2]);
}

PL_INLINE void warped(const pl__tangent_job *job, int32_t block)
{
    const pl__tet_rest *rest = &job->group->tet[block];
    const pl__tet_frame *frame = (const pl__tet_frame *)job->frame + block;
    pl_prefetch_w(frame + 3, sizeof *frame);
    pl_prefetch_w(rest[3].volume, sizeof rest->volume);
    pl_prefetch_w(rest[3].damping, sizeof rest->damping);
    pl_prefetch_w(rest[3].material.mu, sizeof rest->material.mu);
    pl_prefetch_w(rest[3].material.lambda, sizeof rest->material.lambda);
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w weight = job->strength * pl_load_w(&rest->volume[lane]) *
                           (job->elastic + job->damped * pl_load_w(&rest->damping[lane]));
        pl_real_w mu = weight * pl_load_w(&rest->material.mu[lane]),
                  lambda = weight * pl_load_w(&rest->material.lambda[lane]);
        pl_vec3_w a[4];
        for (int c = 1; c < 4; ++c)
            a[c] = pl_load3_w(&frame->a[3 * (c - 1)], lane);
        a[0] = pl_scale3_w(pl_set_w(-1), pl_add3_w(pl_add3_w(a[1], a[2]), a[3]));
        for (int c = 0, pair = 0; c < 4; ++c)
            for (int d = c + 1; d < 4; ++d, ++pair)
            {
                pl_tangent_block_w K;
                pl_tangent_block_warped_w(a[c], a[d], mu, lambda, &K);
                pl_store_tangent_w(job->matrix, pair, lane, &K);
            }
    }
}

PL_INLINE void damped(const pl__tangent_job *job, int32_t block)
{
    const pl__tet_rest *rest = &job->group->tet[block];
    const pl__tet_frame *frame = (const pl__tet_frame *)job->frame + block;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w weight =
            job->strength * pl_load_w(&rest->volume[lane]) * (job->damped * pl_load_w(&rest->damping[lane]));
        pl_tangent_block_w C[3][3];
        pl_tangent_damped_w(frame->a, rest->inverse, lane, weight * pl_load_w(&rest->material.mu[lane]),
                            weight * pl_load_w(&rest->material.lambda[lane]), C);
        store_matrix(C, job->matrix, lane);
    }
}

// Decomposition and stress of a block of tetrahedra.
typedef struct
{
    pl_tet_shape_w shape;
    double stress[3][PL_BLOCK], hessian[6][PL_BLOCK];
} state;

PL_INLINE void coefficients(const pl__tangent_job *job, const pl__tet_rest *rest, const state *b, int lane,
                            pl_tangent_w *t)
{
    pl_real_w p[3], h[6], s[3], volume = job->strength * pl_load_w(&rest->volume[lane]);
    pl_real_w mu = pl_load_w(&rest->material.mu[lane]), lambda = pl_load_w(&rest->material.lambda[lane]);
    for (int k = 0; k < 3; ++k)
    {
        p[k] = pl_load_w(&b->stress[k][lane]);
        s[k] = pl_load_w(&b->shape.sigma[k][lane]);
    }
    for (int k = 0; k < 6; ++k)
        h[k] = pl_load_w(&b->hessian[k][lane]);
    if (pl__is_warped(&job->group->law))
        pl_tangent_warped_w(mu, lambda, t);
    else
        pl_tangent_of_law_w(p, h, s, t);
    pl_tangent_scale_w(volume * job->elastic, t);
    pl_real_w damped = volume * (job->damped * pl_load_w(&rest->damping[lane]));
    if (job->group->damped)
        pl_tangent_damp_w(job->group->damping_model, s, damped * mu, damped * lambda, t);
}

PL_INLINE void add_fibers(const pl__tangent_job *job, const pl__tet_rest *rest, const pl__fiber_block *f,
                          const state *b, int lane, pl_tangent_block_w C[3][3])
{
    pl_fiber_tangent_w tangent = pl_fiber_tangent_of_w(f, b->shape.U, b->shape.sigma, b->shape.W, lane);
    pl_real_w weight = job->elastic * job->strength * pl_load_w(&rest->volume[lane]), share[3];
    for (int c = 0; c < 3; ++c)
        share[c] = pl_fiber_share_w(f, rest->inverse, lane, c);
    for (int c = 0; c < 3; ++c)
        for (int d = c; d < 3; ++d)
            pl_tangent_add_fiber_w(&tangent, weight * share[c] * share[d], &C[c][d]);
}

PL_INLINE void general(const pl__tangent_job *job, int32_t block, bool triangular)
{
    const pl__element_group *group = job->group;
    const pl__tet_rest *rest = &group->tet[block];
    state b;
    if (group->law.kind == PL_MATERIAL_LINEAR)
        pl_tet_measure_linear_w(job->x, rest, &b.shape);
    else
        pl_tet_measure_w(job->x, rest, triangular, &b.shape);
    PL_KERNEL(pl__material_stress)
    (&group->law, &rest->material, b.shape.sigma, &(pl__stress_block){.stress = b.stress, .hessian = b.hessian});
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w U = pl_load33_w(b.shape.U, lane), W = pl_load33_w(b.shape.W, lane);
        pl_mat3_w M = pl_principal_gradients_w(rest->inverse, &W, lane, triangular);
        pl_tangent_block_w C[3][3];
        pl_tangent_w t;
        coefficients(job, rest, &b, lane, &t);
        for (int c = 0; c < 3; ++c)
            for (int d = c; d < 3; ++d)
            {
                pl_real_w g[3] = {M.c[0].x[c], M.c[1].x[c], M.c[2].x[c]},
                          f[3] = {M.c[0].x[d], M.c[1].x[d], M.c[2].x[d]};
                pl_tangent_block_of_w(&t, &U, g, f, &C[c][d]);
            }
        if (!triangular && group->fiber)
            add_fibers(job, rest, &group->fiber[block], &b, lane, C);
        store_matrix(C, job->matrix, lane);
    }
}

void PL_KERNEL(pl__tet_tangent)(const pl__tangent_job *job, int32_t block)
{
    if (pl__is_in_frame(job->group, job->elastic))
        warped(job, block);
    else if (job->elastic == 0)
        damped(job, block);
    else if (job->group->triangular)
        general(job, block, true);
    else
        general(job, block, false);
}
