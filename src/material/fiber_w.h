// src/material/fiber_w.h -- tension of muscle fibres, for kernel files.
//
// Fibres run along a material direction a (|a| = 1 at rest) and pull with a tension T along F a that depends on their
// length |F a| alone (Teran et al. 2003; curves of Blemker et al. 2005). With l = |F a| / optimal,
//
//     T = strength (activation f(l) + g(l)),        P += T/|F a| (F a) a^T        (F-hat times a symmetric matrix: no torque)
//
//     f = 9 (l - 0.4)^2 on [0.4, 0.6],  1 - 4 (1 - l)^2 on [0.6, 1.4],  9 (l - 1.6)^2 on [1.4, 1.6],  0 outside
//     g = 0.05 (exp(6.6 (l - 1)) - 1) on [1, 1.4],  0 below, a straight line with the same slope above
//
// f is continuous, its slope jumps from 3.6 to 3.2 at 0.6 (and back at 1.4), as printed. T is a force per area at rest
// (first Piola). Blemker's T is divided by `optimal` again; ours is not, so that `strength` is the maximal active
// tension for any optimal stretch; with optimal = 1 they are the same. Fibres never push: T >= 0, and a slack one (l <
// 0.4) does nothing, so that T/|F a| is finite for every shape. The energy is the integral of T over |F a|.
#ifndef PL_MATERIAL_FIBER_W_H
#define PL_MATERIAL_FIBER_W_H

#include "base/wide_math.h"

typedef struct
{
    pl_real_w strength, optimal, activation; // [Pa], stretch, 0 to 1
} pl_fiber_w;

typedef struct
{
    pl_real_w energy;    // per rest volume [J/m^3]
    pl_real_w pull;      // T/|F a| [Pa]
    pl_real_w stiffness; // dF : dP <= stiffness |dF a|^2 [Pa], >= 0
    pl_real_w slope;     // dT/d|F a| [Pa]
} pl_fiber_pull_w;

PL_INLINE pl_real_w pl_clamp_w(pl_real_w x, double low, double high)
{
    return pl_min_w(pl_max_w(x, pl_set_w(low)), pl_set_w(high));
}

// f(l), its slope and its integral.
PL_INLINE void pl_fiber_active_w(pl_real_w l, pl_real_w *f, pl_real_w *slope, pl_real_w *sum)
{
    pl_real_w a = pl_clamp_w(l, 0.4, 0.6) - 0.4, b = pl_clamp_w(l, 0.6, 1.4) - 1, c = pl_clamp_w(l, 1.4, 1.6) - 1.6;
    pl_mask_w rises = pl_lt_w(l, pl_set_w(0.6)), falls = pl_gt_w(l, pl_set_w(1.4));
    *f = pl_select_w(rises, 9 * a * a, pl_select_w(falls, 9 * c * c, 1 - 4 * b * b));
    *slope = pl_select_w(rises, 18 * a, pl_select_w(falls, 18 * c, -8 * b));
    // 0.4 - 4/3 0.064 and 3 0.008 make the parts begin at zero
    *sum = 3 * a * a * a + (b * (1 - (4 / 3.0) * b * b) + (0.4 - 0.256 / 3)) + (3 * c * c * c + 0.024);
}

// g(l), its slope and its integral.
PL_INLINE void pl_fiber_passive_w(pl_real_w l, pl_real_w *g, pl_real_w *slope, pl_real_w *sum)
{
    pl_real_w x = pl_clamp_w(l, 1, 1.4) - 1, beyond = pl_max_w(l - 1.4, pl_set_w(0)), e = pl_exp_w(6.6 * x),
              curve = 0.05 * (e - 1);
    pl_real_w steep = 0.33 * e;
    *g = curve + steep * beyond;
    *slope = pl_select_w(pl_gt_w(l, pl_set_w(1)), steep, pl_set_w(0));
    *sum = curve * (1 / 6.6) - 0.05 * x + beyond * (curve + 0.5 * steep * beyond);
}

PL_INLINE pl_fiber_pull_w pl_pull_fiber_w(const pl_fiber_w *m, pl_real_w length2)
{
    pl_real_w inverse = pl_rsqrt_w(pl_max_w(length2, pl_set_w(1e-30))), shorten = 1 / m->optimal;
    pl_real_w l = length2 * inverse * shorten, f, g, df, dg, sum_f, sum_g;
    pl_fiber_active_w(l, &f, &df, &sum_f);
    pl_fiber_passive_w(l, &g, &dg, &sum_g);
    pl_real_w pull = m->strength * (m->activation * f + g) * inverse;
    pl_real_w slope = m->strength * (m->activation * df + dg) * shorten;
    return (pl_fiber_pull_w){m->strength * m->optimal * (m->activation * sum_f + sum_g), pull, pl_max_w(slope, pull),
                             slope};
}

#endif
