// src/element/hex_tangent.kernel.c -- matrices of trilinear hexahedra: the sum over eight points (tangent_w.h).
//
// A point has blocks C_cd of its three coordinates, as a tetrahedron; corners a and b, with slopes dN_a/dxi_c, get
//
//     K_ab = sum_c dN_a/dxi_c (sum_d dN_b/dxi_d C_cd),
//
// the inner sum once for all a: half the work of treating all pairs separately.
#include "base/simd.h"
#include "hex_w.h"
#include "shape_w.h"
#include "tangent_w.h"

// One quadrature point of sixteen elements.
typedef struct
{
    double U[9][PL_BLOCK], W[9][PL_BLOCK], sigma[3][PL_BLOCK];
    double stress[3][PL_BLOCK], hessian[6][PL_BLOCK];
} point_state;

PL_INLINE void measure(const pl__tangent_job *job, const pl__hex_rest *rest, double slope[3][4][3][PL_BLOCK], int q,
                       point_state *p)
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w D, U, W;
        pl_vec3_w sigma;
        for (int d = 0; d < 3; ++d)
            D.c[d] = pl_load3_w(slope[d][pl_hex_across(q, d)], lane);
        pl_mat3_w F = pl_deformation_w(&D, rest->inverse[q], lane, false);
        if (job->group->law.kind == PL_MATERIAL_LINEAR)
            (void)pl_decompose_linear_w(&F, &U, &sigma, &W);
        else
            pl_svd3_w(&F, &U, &sigma, &W);
        pl_store33_w(p->U, lane, &U);
        pl_store33_w(p->W, lane, &W);
        pl_store3_w(p->sigma, lane, sigma);
    }
}

PL_INLINE void coefficients(const pl__tangent_job *job, const pl__hex_rest *rest, const point_state *p, int q, int lane,
                            pl_tangent_w *t)
{
    pl_real_w stress[3], h[6], s[3], volume = job->strength * pl_load_w(&rest->volume[q][lane]);
    pl_real_w mu = pl_load_w(&rest->material.mu[lane]), lambda = pl_load_w(&rest->material.lambda[lane]);
    for (int k = 0; k < 3; ++k)
    {
        stress[k] = pl_load_w(&p->stress[k][lane]);
        s[k] = pl_load_w(&p->sigma[k][lane]);
    }
    for (int k = 0; k < 6; ++k)
        h[k] = pl_load_w(&p->hessian[k][lane]);
    if (pl__is_warped(&job->group->law))
        pl_tangent_warped_w(mu, lambda, t);
    else
        pl_tangent_of_law_w(stress, h, s, t);
    pl_tangent_scale_w(volume * job->elastic, t);
    pl_real_w damped = volume * (job->damped * pl_load_w(&rest->damping[lane]));
    if (job->group->damped)
        pl_tangent_damp_w(job->group->damping_model, s, damped * mu, damped * lambda, t);
}

PL_INLINE void point_general(const pl__tangent_job *job, const pl__hex_rest *rest, const pl__fiber_block *fiber,
                             const point_state *p, int q, int lane, pl_tangent_block_w C[3][3])
{
    pl_mat3_w U = pl_load33_w(p->U, lane), W = pl_load33_w(p->W, lane);
    pl_mat3_w M = pl_principal_gradients_w(rest->inverse[q], &W, lane, false);
    pl_tangent_w t;
    coefficients(job, rest, p, q, lane, &t);
    for (int c = 0; c < 3; ++c)
        for (int d = c; d < 3; ++d)
        {
            pl_real_w g[3] = {M.c[0].x[c], M.c[1].x[c], M.c[2].x[c]}, f[3] = {M.c[0].x[d], M.c[1].x[d], M.c[2].x[d]};
            pl_tangent_block_of_w(&t, &U, g, f, &C[c][d]);
        }
    if (!fiber)
        return;
    pl_fiber_tangent_w tangent = pl_fiber_tangent_of_w(fiber, p->U, p->sigma, p->W, lane);
    pl_real_w weight = job->elastic * job->strength * pl_load_w(&rest->volume[q][lane]), share[3];
    for (int c = 0; c < 3; ++c)
        share[c] = pl_fiber_share_w(fiber, rest->inverse[q], lane, c);
    for (int c = 0; c < 3; ++c)
        for (int d = c; d < 3; ++d)
            pl_tangent_add_fiber_w(&tangent, weight * share[c] * share[d], &C[c][d]);
}

PL_INLINE void point_warped(const pl__tangent_job *job, const pl__hex_rest *rest, const pl__hex_frame *frame, int q,
                            int lane, pl_tangent_block_w C[3][3])
{
    pl_real_w weight = job->strength * pl_load_w(&rest->volume[q][lane]) *
                       (job->elastic + job->damped * pl_load_w(&rest->damping[lane]));
    pl_real_w mu = weight * pl_load_w(&rest->material.mu[lane]),
              lambda = weight * pl_load_w(&rest->material.lambda[lane]);
    for (int c = 0; c < 3; ++c)
        for (int d = c; d < 3; ++d)
            pl_tangent_block_warped_w(pl_load3_w(&frame->a[q][3 * c], lane), pl_load3_w(&frame->a[q][3 * d], lane), mu,
                                      lambda, &C[c][d]);
}

PL_INLINE void point_damped(const pl__tangent_job *job, const pl__hex_rest *rest, const pl__hex_frame *frame, int q,
                            int lane, pl_tangent_block_w C[3][3])
{
    pl_real_w weight =
        job->strength * pl_load_w(&rest->volume[q][lane]) * (job->damped * pl_load_w(&rest->damping[lane]));
    pl_tangent_damped_w(frame->a[q], rest->inverse[q], lane, weight * pl_load_w(&rest->material.mu[lane]),
                        weight * pl_load_w(&rest->material.lambda[lane]), C);
}

// sum_d slope_d C_cd of one corner
PL_INLINE void spread_column(pl_tangent_block_w C[3][3], const double slope[3], pl_tangent_block_w column[3])
{
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 9; ++k)
        {
            pl_real_w sum = pl_set_w(0);
            for (int d = 0; d < 3; ++d)
                sum += slope[d] * (c <= d ? C[c][d].m[k] : C[d][c].m[k % 3 * 3 + k / 3]);
            column[c].m[k] = sum;
        }
}

PL_INLINE void add_corners(pl_tangent_block_w C[3][3], double slope[PL_HEX_CORNERS][3], int lane, double *matrix)
{
    for (int b = 1; b < PL_HEX_CORNERS; ++b)
    {
        pl_tangent_block_w column[3];
        spread_column(C, slope[b], column);
        for (int a = 0; a < b; ++a)
        {
            double *to = &matrix[9 * (a * (PL_HEX_CORNERS - 1) - a * (a - 1) / 2 + b - a - 1) * PL_BLOCK + lane];
            for (int k = 0; k < 9; ++k)
            {
                double *at = &to[k * PL_BLOCK];
                pl_store_w(at, pl_load_w(at) + (slope[a][0] * column[0].m[k] + slope[a][1] * column[1].m[k] +
                                                slope[a][2] * column[2].m[k]));
            }
        }
    }
}

static __attribute__((noinline)) void find_slopes(const pl__tangent_job *job, const pl__hex_rest *rest,
                                                  double slope[3][4][3][PL_BLOCK])
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_real_w s[3][4][3];
        pl_hex_slopes_w(job->x, rest->node, lane, s);
        for (int k = 0; k < 36; ++k)
            pl_store_w(&slope[k / 12][k / 3 % 4][k % 3][lane], s[k / 12][k / 3 % 4][k % 3]);
    }
}

void PL_KERNEL(pl__hex_tangent)(const pl__tangent_job *job, int32_t block)
{
    const pl__element_group *group = job->group;
    const pl__hex_rest *rest = &group->hex[block];
    const pl__hex_frame *frame = (const pl__hex_frame *)job->frame + block;
    bool warped = pl__is_in_frame(group, job->elastic), general = !warped && job->elastic != 0;
    double edges[3][4][3][PL_BLOCK], slope[PL_HEX_CORNERS][3];
    memset(job->matrix, 0, 9 * 28 * PL_BLOCK * sizeof(double));
    if (general)
        find_slopes(job, rest, edges);
    for (int q = 0; q < PL_HEX_POINTS; ++q)
    {
        point_state p;
        pl__hex_slopes(q, slope);
        if (general)
        {
            measure(job, rest, edges, q, &p);
            PL_KERNEL(pl__material_stress)
            (&group->law, &rest->material, p.sigma, &(pl__stress_block){.stress = p.stress, .hessian = p.hessian});
        }
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        {
            pl_tangent_block_w C[3][3];
            if (warped)
                point_warped(job, rest, frame, q, lane, C);
            else if (!general)
                point_damped(job, rest, frame, q, lane, C);
            else
                point_general(job, rest, group->fiber ? &group->fiber[block] : NULL, &p, q, lane, C);
            add_corners(C, slope, lane, job->matrix);
        }
    }
}
