// src/element/triangle_tangent.kernel.c -- tangent matrices of linear triangles, in space or in a plane (tangent_w.h).
//
// With the normal as third axis of U, and principal gradients that have no third component, a triangle is a point of
// two coordinates: h is 2x2, there is one pair of directions, and the geometric stiffness against rotation out of the
// plane is p_k/s_k, if that is positive.
//
// Woven: with dE^_01 = (s_0 dF^_01 + s_1 dF^_10)/(s_0 + s_1) (triangle_force.kernel.c) the Hessian of the energy in E,
// in the principal frame, without the coupling between stretch and shear (the rest is definite, and at least half of
// the whole).
#include "base/simd.h"
#include "tangent_w.h"
#include "triangle_w.h"

typedef struct
{
    double U[9][PL_BLOCK], V[4][PL_BLOCK]; // column-major; the third axis is the normal
    double sigma[3][PL_BLOCK];             // the third is 1
    double stress[3][PL_BLOCK], hessian[6][PL_BLOCK];
} state;

PL_INLINE void measure(const pl__tangent_job *job, const pl__triangle_rest *rest, int lane, state *b)
{
    pl_mat32_w Ds = pl_triangle_edges_w(job->x, rest, lane), F = pl_triangle_deformation_w(&Ds, rest, lane), U;
    pl_mat2_w V;
    pl_vec2_w sigma;
    if (job->group->planar)
        pl_triangle_decompose_planar_w(&F, &U, &sigma, &V);
    else
        pl_svd32_w(&F, &U, &sigma, &V);
    if (!job->group->planar && job->group->normals)
        pl_triangle_invert_by_normal_w(rest, lane, &Ds, &U, &sigma);
    pl_mat3_w axes = pl_columns3_w(U.c[0], U.c[1], pl_cross3_w(U.c[0], U.c[1]));
    pl_store33_w(b->U, lane, &axes);
    pl_store22_w(b->V, lane, &V);
    pl_store3_w(b->sigma, lane, pl_make3_w(sigma.x[0], sigma.x[1], pl_set_w(1)));
}

// The nearest positive semidefinite matrix to [a c; c b], by its eigenvalues m +- r.
PL_INLINE void project_definite2(pl_real_w *a, pl_real_w *b, pl_real_w *c)
{
    pl_real_w zero = pl_set_w(0), m = 0.5 * (*a + *b), d = 0.5 * (*a - *b), r = pl_sqrt_w(d * d + *c * *c);
    pl_real_w high = pl_max_w(m + r, zero), low = pl_max_w(m - r, zero), mean = 0.5 * (high + low);
    pl_real_w k = 0.5 * (high - low) / pl_max_w(r, pl_set_w(1e-280));
    *a = mean + k * d;
    *b = mean - k * d;
    *c = k * *c;
}

PL_INLINE void clear(pl_tangent_w *t)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            t->h[i][j] = t->a[i][j] = t->b[i][j] = pl_set_w(0);
}

// Geometric stiffness of a sheet against rotation out of its plane.
PL_INLINE void add_outside(const pl_real_w p[2], const pl_real_w s[2], pl_real_w most, pl_tangent_w *t)
{
    for (int k = 0; k < 2; ++k)
        t->a[2][k] = pl_limit_turn_w(p[k] / pl_max_w(s[k], pl_set_w(1e-6)), most);
}

PL_INLINE void of_law(const state *b, int lane, bool sheet, pl_tangent_w *t)
{
    pl_real_w p[3] = {pl_load_w(&b->stress[0][lane]), pl_load_w(&b->stress[1][lane]), pl_set_w(0)};
    pl_real_w s[3] = {pl_load_w(&b->sigma[0][lane]), pl_load_w(&b->sigma[1][lane]), pl_set_w(1)};
    pl_real_w h00 = pl_load_w(&b->hessian[0][lane]), h11 = pl_load_w(&b->hessian[1][lane]),
              h01 = pl_load_w(&b->hessian[3][lane]);
    pl_real_w most = 4 * (pl_abs_w(h00) + pl_abs_w(h11));
    pl_tangent_pair_w(p, s, h00 - h01, most, 0, 1, t);
    project_definite2(&h00, &h11, &h01);
    t->h[0][0] = h00;
    t->h[1][1] = h11;
    t->h[0][1] = t->h[1][0] = h01;
    if (sheet)
        add_outside(p, s, most, t);
}

PL_INLINE void of_threads(const pl__woven_block *w, const state *b, int lane, bool sheet, pl_tangent_w *t)
{
    pl_real_w c = pl_load_w(&b->V[0][lane]), n = pl_load_w(&b->V[1][lane]), psi, p[2], h[2], T[2];
    pl_real_w s[2] = {pl_load_w(&b->sigma[0][lane]), pl_load_w(&b->sigma[1][lane])};
    pl_real_w cc = c * c, nn = n * n, cn = c * n, both = cc * nn, fourth = cc * cc + nn * nn, e0 = s[0] - 1,
              e1 = s[1] - 1;
    pl_real_w E[3] = {cc * e0 + nn * e1, nn * e0 + cc * e1, cn * (e0 - e1)};
    for (int i = 0; i < 2; ++i)
        pl_thread_law_w(w, i, lane, E[i], &psi, &p[i], &h[i]);
    pl_real_w coupling = pl_load_w(&w->coupling[lane]), G = pl_load_w(&w->shear[lane]);
    pl_real_w T0 = p[0] + coupling * E[1], T1 = p[1] + coupling * E[0], T2 = 2 * G * E[2];
    T[0] = cc * T0 + 2 * cn * T2 + nn * T1;
    T[1] = nn * T0 - 2 * cn * T2 + cc * T1;
    t->h[0][0] = cc * cc * h[0] + nn * nn * h[1] + 2 * both * (coupling + 2 * G);
    t->h[1][1] = nn * nn * h[0] + cc * cc * h[1] + 2 * both * (coupling + 2 * G);
    t->h[0][1] = t->h[1][0] = both * (h[0] + h[1]) + fourth * coupling - 4 * G * both;
    pl_real_w shear = 4 * both * (h[0] + h[1] - 2 * coupling) + 4 * G * (cc - nn) * (cc - nn);
    pl_real_w sum = pl_max_w(pl_max_w(s[0] + s[1], 0.1 * s[0]), pl_set_w(1e-6)), share[2] = {s[0] / sum, s[1] / sum};
    pl_real_w most = 4 * (h[0] + h[1]), turn = 0.5 * pl_limit_turn_w((T[0] + T[1]) / sum, most);
    t->a[0][1] = shear * share[0] * share[0] + turn;
    t->a[1][0] = shear * share[1] * share[1] + turn;
    t->b[0][1] = t->b[1][0] = shear * share[0] * share[1] - turn;
    if (sheet)
        add_outside(T, s, most, t);
}

// A = U diag(stretch) V^T (triangle_damping.kernel.c).
PL_INLINE void damp(pl_damping_model model, const state *b, int lane, pl_real_w beta, pl_real_w alpha, pl_tangent_w *t)
{
    pl_real_w one = pl_set_w(1), s[2] = {pl_load_w(&b->sigma[0][lane]), pl_load_w(&b->sigma[1][lane])}, stretch[2];
    pl_real_w share = model == PL_DAMPING_ROTATED  ? pl_set_w(0)
                      : model == PL_DAMPING_SWITCH ? pl_keeping_share_w(s[1])
                                                   : one;
    pl_real_w shrink = share / pl_max_w(one, s[0]);
    for (int k = 0; k < 2; ++k)
        stretch[k] = (1 - share) + shrink * s[k];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
        {
            pl_real_w both = stretch[i] * stretch[j];
            t->h[i][j] += (i == j ? 2 * beta + alpha : alpha) * both;
            if (i == j)
                continue;
            t->b[i][j] += beta * both;
            t->a[i][j] += beta * (stretch[i] * stretch[i]);
        }
}

// Blocks of coordinates 1 and 2; those of corner 0 are minus their sums.
PL_INLINE void store_matrix(const pl_tangent_block_w *C11, const pl_tangent_block_w *C12, const pl_tangent_block_w *C22,
                            int lane, double *matrix)
{
    pl_tangent_block_w first, second;
    for (int k = 0; k < 9; ++k)
    {
        int transposed = k % 3 * 3 + k / 3;
        first.m[k] = -(C11->m[k] + C12->m[transposed]);
        second.m[k] = -(C12->m[k] + C22->m[k]);
    }
    pl_store_tangent_w(matrix, 0, lane, &first);
    pl_store_tangent_w(matrix, 1, lane, &second);
    pl_store_tangent_w(matrix, 2, lane, C12);
}

PL_INLINE void triangle(const pl__tangent_job *job, const pl__triangle_rest *rest, const state *b, int lane)
{
    const pl__element_group *group = job->group;
    pl_tangent_w t;
    clear(&t);
    if (group->woven)
        of_threads(&rest->woven, b, lane, !group->planar, &t);
    else
        of_law(b, lane, !group->planar, &t);
    pl_real_w volume = job->strength * pl_load_w(&rest->volume[lane]),
              damped = volume * (job->damped * pl_load_w(&rest->damping[lane]));
    pl_tangent_scale_w(volume * job->elastic, &t);
    damp(group->damping_model, b, lane, damped * pl_load_w(&rest->material.mu[lane]),
         damped * pl_load_w(&rest->material.lambda[lane]), &t);
    pl_mat3_w U = pl_load33_w(b->U, lane);
    pl_mat2_w V = pl_load22_w(b->V, lane);
    pl_real_w g[2][3];
    for (int c = 0; c < 2; ++c)
    {
        pl_real_w b0 = pl_load_w(&rest->inverse[c][lane]), b1 = pl_load_w(&rest->inverse[2 + c][lane]);
        g[c][0] = b0 * V.c[0].x[0] + b1 * V.c[0].x[1];
        g[c][1] = b0 * V.c[1].x[0] + b1 * V.c[1].x[1];
        g[c][2] = pl_set_w(0);
    }
    pl_tangent_block_w C11, C12, C22;
    pl_tangent_block_of_w(&t, &U, g[0], g[0], &C11);
    pl_tangent_block_of_w(&t, &U, g[0], g[1], &C12);
    pl_tangent_block_of_w(&t, &U, g[1], g[1], &C22);
    store_matrix(&C11, &C12, &C22, lane, job->matrix);
}

void PL_KERNEL(pl__triangle_tangent)(const pl__tangent_job *job, int32_t block)
{
    const pl__triangle_rest *rest = &job->group->triangle[block];
    state b;
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        measure(job, rest, lane, &b);
    if (!job->group->woven)
        PL_KERNEL(pl__material_stress)
    (&job->group->law, &rest->material, b.sigma, &(pl__stress_block){.stress = b.stress, .hessian = b.hessian});
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
        triangle(job, rest, &b, lane);
}
