// src/material/spline.inl -- the biphasic model of thesis 2.6: soft at rest, stiff beyond two thresholds.
//
//     P_i = g(s_i) + lambda sum (s_j - 1)
//
// With t = s - 1, T the distance from 1 to the threshold on that side and r the slope outside over the slope at rest,
//
//     g = 2 mu (t + (r - 1) t^3 / (3 T^2))        for |t| <= T       (slope 2 mu (1 + (r - 1) t^2/T^2) >= 2 mu)
//     g = g(T) + 2 mu r (t - T)                   beyond, on either side
//
// a cubic spline with the slopes r, 1, r (times 2 mu) at the thresholds and at rest, without curvature at rest: once
// differentiable at the thresholds, twice at rest, and growing for every r >= 1. So the energy is convex, and as in the
// rotated linear law no extension is needed. extra: the distances T below and above, and c = (r - 1) / (3 T^2) of
// either.
PL_INLINE void spline(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3], pl_real_w h[6])
{
    pl_real_w trace = s[0] + s[1] + s[2] - 3, pressure = m->lambda * trace, shear = 2 * m->mu;
    pl_real_w sum = 0.5 * pressure * trace;
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w t = s[i] - 1;
        pl_mask_w short_side = pl_lt_w(t, pl_set_w(0));
        pl_real_w T = pl_select_w(short_side, m->extra[0], m->extra[1]),
                  c = pl_select_w(short_side, m->extra[2], m->extra[3]);
        pl_real_w inner = pl_min_w(pl_max_w(t, -T), T), outer = t - inner, square = inner * inner;
        pl_real_w slope = 1 + 3 * c * square, stress = inner * (1 + c * square);
        p[i] = shear * (stress + slope * outer) + pressure;
        h[i] = shear * slope + m->lambda;
        h[3 + i] = m->lambda;
        sum += shear * (square * (0.5 + 0.25 * c * square) + outer * (stress + 0.5 * slope * outer));
    }
    *psi = sum;
}
