// src/element/triangle_damping.kernel.c -- damping forces of linear triangles.
//
// The formula of the tetrahedra (element/tet_damping.kernel.c) with 3x2 matrices: G = dF/dt, S of 2x2,
//
//     P = A S,   S = beta (G^T A + A^T G) + alpha tr(A^T G) I,      beta = tau mu, alpha = tau lambda,
//
// with A = U V^T, F, or between. Motion along the normal is not damped: it is in the null space of A^T. (Storing a_i =
// A b_i instead of A, as for tetrahedra, saves nothing here: the products in space would need the projection onto the
// surface again.)
#include "base/simd.h"
#include "math/mat2_w.h"
#include "triangle.h"

PL_INLINE pl_mat32_w relative_velocities(const double *v, const pl__triangle_rest *rest, int lane)
{
    pl_real_w v0[3];
    pl_mat32_w dv;
    pl_gather3_w(v, &rest->node[0][lane], v0);
    for (int j = 0; j < 2; ++j)
    {
        pl_gather3_w(v, &rest->node[j + 1][lane], dv.c[j].x);
        for (int i = 0; i < 3; ++i)
            dv.c[j].x[i] -= v0[i];
    }
    return dv;
}

// S of A^T G = A^T dv B: columns of the result (00, 11, 01)
PL_INLINE void rate_stress(const pl_mat32_w *A, const pl_mat32_w *dv, const pl_mat2_w *B, pl_real_w beta,
                           pl_real_w alpha, pl_real_w S[3])
{
    pl_real_w L[2][2], pressure;
    for (int i = 0; i < 2; ++i)
    {
        pl_real_w d0 = pl_dot3_w(A->c[i], dv->c[0]), d1 = pl_dot3_w(A->c[i], dv->c[1]);
        for (int j = 0; j < 2; ++j)
            L[i][j] = d0 * B->c[j].x[0] + d1 * B->c[j].x[1];
    }
    pressure = alpha * (L[0][0] + L[1][1]);
    S[0] = 2 * beta * L[0][0] + pressure;
    S[1] = 2 * beta * L[1][1] + pressure;
    S[2] = beta * (L[0][1] + L[1][0]);
}

PL_INLINE void damp(const pl__damping_job *job, int32_t block, int lane, pl__triangle_forces *out)
{
    const pl__triangle_rest *rest = &job->group->triangle[block];
    const pl__triangle_frame *frame = (const pl__triangle_frame *)job->frame + block;
    pl_mat32_w dv = relative_velocities(job->v, rest, lane), A = pl_load32_w(frame->a, lane);
    pl_mat2_w B = pl_load22_w(rest->inverse, lane);
    pl_real_w weight = job->strength * pl_load_w(&rest->volume[lane]) * pl_load_w(&rest->damping[lane]), S[3];
    rate_stress(&A, &dv, &B, weight * pl_load_w(&rest->material.mu[lane]),
                weight * pl_load_w(&rest->material.lambda[lane]), S);
    // f_c = A (S b_c)
    pl_real_w q[2][2];
    for (int c = 0; c < 2; ++c)
    {
        q[c][0] = S[0] * B.c[0].x[c] + S[2] * B.c[1].x[c];
        q[c][1] = S[2] * B.c[0].x[c] + S[1] * B.c[1].x[c];
    }
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w f1 = A.c[0].x[i] * q[0][0] + A.c[1].x[i] * q[0][1],
                  f2 = A.c[0].x[i] * q[1][0] + A.c[1].x[i] * q[1][1];
        pl_store_w(&out->f[0][i][lane], -(f1 + f2));
        pl_store_w(&out->f[1][i][lane], f1);
        pl_store_w(&out->f[2][i][lane], f2);
    }
}

void PL_KERNEL(pl__triangle_damping)(const pl__damping_job *job, int32_t begin, int32_t end)
{
    for (int32_t block = begin; block < end; ++block)
        for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
            damp(job, block, lane, (pl__triangle_forces *)job->force + (block - begin));
}
