// src/element/triangle_w.h -- deformation of triangles and the threads of woven ones, wide.
#ifndef PL_ELEMENT_TRIANGLE_W_H
#define PL_ELEMENT_TRIANGLE_W_H

#include "math/svd2_w.h"
#include "math/svd32_w.h"
#include "triangle.h"

// Ds, by column
PL_INLINE pl_mat32_w pl_triangle_edges_w(const double *x, const pl__triangle_rest *rest, int lane)
{
    pl_real_w x0[3];
    pl_mat32_w Ds;
    pl_gather3_w(x, &rest->node[0][lane], x0);
    for (int j = 0; j < 2; ++j)
    {
        pl_gather3_w(x, &rest->node[j + 1][lane], Ds.c[j].x);
        for (int i = 0; i < 3; ++i)
            Ds.c[j].x[i] -= x0[i];
    }
    return Ds;
}

PL_INLINE pl_mat32_w pl_triangle_deformation_w(const pl_mat32_w *Ds, const pl__triangle_rest *rest, int lane)
{
    pl_mat32_w F;
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i)
            F.c[j].x[i] = Ds->c[0].x[i] * pl_load_w(&rest->inverse[2 * j][lane]) +
                          Ds->c[1].x[i] * pl_load_w(&rest->inverse[2 * j + 1][lane]);
    return F;
}

// in a plane: rotations of 2x2, and zeros in the third row of U
PL_INLINE void pl_triangle_decompose_planar_w(const pl_mat32_w *F, pl_mat32_w *U, pl_vec2_w *sigma, pl_mat2_w *V)
{
    pl_mat2_w F2, U2;
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i)
            F2.c[j].x[i] = F->c[j].x[i];
    pl_svd2_w(&F2, &U2, sigma, V);
    for (int j = 0; j < 2; ++j)
        U->c[j] = pl_make3_w(U2.c[j].x[0], U2.c[j].x[1], pl_set_w(0));
}

// A triangle that faces against the normal of its surface: flip the signs of the smaller stretch and its direction.
PL_INLINE void pl_triangle_invert_by_normal_w(const pl__triangle_rest *rest, int lane, const pl_mat32_w *Ds,
                                              pl_mat32_w *U, pl_vec2_w *sigma)
{
    pl_real_w facing = pl_dot3_w(pl_cross3_w(Ds->c[0], Ds->c[1]), pl_load3_w(rest->normal, lane));
    pl_mask_w against = pl_lt_w(facing, pl_set_w(0));
    sigma->x[1] = pl_select_w(against, -sigma->x[1], sigma->x[1]);
    U->c[1] = pl_select3_w(against, pl_neg3_w(U->c[1]), U->c[1]);
}

// k g(e), its first and second derivative
PL_INLINE void pl_thread_law_w(const pl__woven_block *w, int thread, int lane, pl_real_w e, pl_real_w *psi,
                               pl_real_w *p, pl_real_w *h)
{
    pl_real_w k = pl_load_w(&w->modulus[thread][lane]);
    pl_mask_w pulled = pl_gt_w(e, pl_set_w(0));
    pl_real_w square = pl_select_w(pulled, k, k * pl_load_w(&w->compression[lane]));
    pl_real_w cubic = pl_select_w(pulled, k * pl_load_w(&w->stiffening[thread][lane]), pl_set_w(0));
    *psi = e * e * (0.5 * square + cubic * e * (1.0 / 3));
    *p = e * (square + cubic * e);
    *h = square + 2 * cubic * e;
}

#endif
