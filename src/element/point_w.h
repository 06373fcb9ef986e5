// src/element/point_w.h -- operations of solid element kernels at one quadrature point.
//
// At each quadrature point the nodes give slopes D = dx/dxi (columns; for the single point of a tetrahedron, its
// edges), and the point stores B = (dX/dxi)^-1 and its rest volume w. Then F = D B = U diag(s) W^T, and with principal
// stresses p(s) the energy w psi(F) has, with respect to the slopes, the gradient
//
//     w P B^T = w U diag(p) (B W)^T,
//
// which the element distributes to its nodes by the transpose of the map to slopes.
#ifndef PL_ELEMENT_POINT_W_H
#define PL_ELEMENT_POINT_W_H

#include "element.h"
#include "math/mat3_w.h"

// F = D B; a triangular B has zeros below its diagonal, which are neither loaded nor multiplied
PL_INLINE pl_mat3_w pl_deformation_w(const pl_mat3_w *D, const double (*inverse)[PL_BLOCK], int lane, bool triangular)
{
    pl_mat3_w F;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
        {
            pl_real_w sum = D->c[0].x[i] * pl_load_w(&inverse[3 * j][lane]);
            for (int k = 1; k < (triangular ? j + 1 : 3); ++k)
                sum += D->c[k].x[i] * pl_load_w(&inverse[3 * j + k][lane]);
            F.c[j].x[i] = sum;
        }
    return F;
}

// M = B W: row i holds the rest gradient of coordinate i in the principal frame
PL_INLINE pl_mat3_w pl_principal_gradients_w(const double (*inverse)[PL_BLOCK], const pl_mat3_w *W, int lane,
                                             bool triangular)
{
    pl_mat3_w M;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
        {
            int first = triangular ? i : 0;
            pl_real_w sum = pl_load_w(&inverse[3 * first + i][lane]) * W->c[k].x[first];
            for (int j = first + 1; j < 3; ++j)
                sum += pl_load_w(&inverse[3 * j + i][lane]) * W->c[k].x[j];
            M.c[k].x[i] = sum;
        }
    return M;
}

// Component i of sum_k scale_k M_ck u_k: contribution of U diag(scale) M^T to coordinate c.
PL_INLINE pl_real_w pl_combine_w(const pl_mat3_w *U, const pl_mat3_w *M, const pl_real_w scale[3], int c, int i)
{
    return U->c[0].x[i] * (scale[0] * M->c[0].x[c]) + U->c[1].x[i] * (scale[1] * M->c[1].x[c]) +
           U->c[2].x[i] * (scale[2] * M->c[2].x[c]);
}

PL_INLINE void pl_add_to_w(double *sum, pl_real_w value) { pl_store_w(sum, pl_load_w(sum) + value); }

// Squared strain of stretches s.
PL_INLINE pl_real_w pl_strain2_w(const pl_real_w s[3])
{
    pl_real_w e[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    return e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
}

// Add a point of rest volume `volume`, stretches s and volume ratio J to the sums; `strain2` is its squared elastic
// strain.
PL_INLINE void pl_add_strain_w(pl_real_w volume, const pl_real_w s[3], pl_real_w strain2, pl_real_w J, int lane,
                               pl__element_sums *sums)
{
    pl_add_to_w(&sums->volume[lane], volume * J);
    pl_add_to_w(&sums->strain2[lane], volume * strain2);
    pl_add_to_w(&sums->dilation2[lane], volume * ((J - 1) * (J - 1)));
    pl_real_w least = pl_load_w(&sums->min_J[lane]), most = pl_load_w(&sums->max_stretch[lane]);
    pl_store_w(&sums->min_J[lane], pl_select_w(pl_gt_w(volume, pl_set_w(0)), pl_min_w(J, least), least));
    pl_store_w(&sums->max_stretch[lane], pl_max_w(s[0], most));
}

#endif
