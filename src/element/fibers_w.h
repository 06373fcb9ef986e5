// src/element/fibers_w.h -- stress of fibres at a quadrature point of sixteen elements.
#ifndef PL_ELEMENT_FIBERS_W_H
#define PL_ELEMENT_FIBERS_W_H

#include "fibers.h"
#include "material/fiber_w.h"
#include "math/mat3_w.h"

// Fibre stiffness: material along n = F a/|F a|, geometric across it [Pa].
typedef struct
{
    pl_vec3_w n;
    pl_real_w along, across;
} pl_fiber_tangent_w;

// With F = U diag(s) W^T: F a = U diag(s) W^T a. Adds energy and stiffness of the fibres to those of the law (NULL: not
// wanted), and leaves `force` = T/|F a| F a.
PL_INLINE void pl_pull_fibers_w(const pl__fiber_block *f, double (*U)[PL_BLOCK], double (*sigma)[PL_BLOCK],
                                double (*W)[PL_BLOCK], double *energy, double *stiffness, double (*force)[PL_BLOCK])
{
    for (int lane = 0; lane < PL_BLOCK; lane += PL_LANES)
    {
        pl_mat3_w u = pl_load33_w(U, lane), w = pl_load33_w(W, lane);
        pl_vec3_w a = pl_load3_w(f->axis, lane), Fa = {{pl_set_w(0), pl_set_w(0), pl_set_w(0)}};
        for (int k = 0; k < 3; ++k)
            Fa = pl_add3_w(Fa, pl_scale3_w(pl_load_w(&sigma[k][lane]) * pl_dot3_w(w.c[k], a), u.c[k]));
        pl_fiber_w m = {pl_load_w(&f->strength[lane]), pl_load_w(&f->optimal[lane]), pl_load_w(&f->activation[lane])};
        pl_fiber_pull_w pull = pl_pull_fiber_w(&m, pl_dot3_w(Fa, Fa));
        if (energy)
            pl_store_w(&energy[lane], pl_load_w(&energy[lane]) + pull.energy);
        pl_store_w(&stiffness[lane], pl_load_w(&stiffness[lane]) + pull.stiffness);
        pl_store3_w(force, lane, pl_scale3_w(pull.pull, Fa));
    }
}

// Tangent stiffness of the fibre, made definite: negative stiffness is set to zero.
PL_INLINE pl_fiber_tangent_w pl_fiber_tangent_of_w(const pl__fiber_block *f, const double (*U)[PL_BLOCK],
                                                   const double (*sigma)[PL_BLOCK], const double (*W)[PL_BLOCK],
                                                   int lane)
{
    pl_mat3_w u = pl_load33_w(U, lane), w = pl_load33_w(W, lane);
    pl_vec3_w a = pl_load3_w(f->axis, lane), Fa = {{pl_set_w(0), pl_set_w(0), pl_set_w(0)}};
    for (int k = 0; k < 3; ++k)
        Fa = pl_add3_w(Fa, pl_scale3_w(pl_load_w(&sigma[k][lane]) * pl_dot3_w(w.c[k], a), u.c[k]));
    pl_fiber_w m = {pl_load_w(&f->strength[lane]), pl_load_w(&f->optimal[lane]), pl_load_w(&f->activation[lane])};
    pl_real_w length2 = pl_dot3_w(Fa, Fa);
    pl_fiber_pull_w pull = pl_pull_fiber_w(&m, length2);
    pl_real_w inverse = pl_rsqrt_w(pl_max_w(length2, pl_set_w(1e-30)));
    return (pl_fiber_tangent_w){pl_scale3_w(inverse, Fa), pl_max_w(pull.slope, pl_set_w(0)),
                                pl_max_w(pull.pull, pl_set_w(0))};
}

// Contribution of (F a) a^T B^T to coordinate c of the slopes: (B a)_c.
PL_INLINE pl_real_w pl_fiber_share_w(const pl__fiber_block *f, const double (*inverse)[PL_BLOCK], int lane, int c)
{
    return pl_load_w(&inverse[c][lane]) * pl_load_w(&f->axis[0][lane]) +
           pl_load_w(&inverse[3 + c][lane]) * pl_load_w(&f->axis[1][lane]) +
           pl_load_w(&inverse[6 + c][lane]) * pl_load_w(&f->axis[2][lane]);
}

#endif
