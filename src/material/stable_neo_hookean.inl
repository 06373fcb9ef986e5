// src/material/stable_neo_hookean.inl -- stable neo-Hookean (Smith, de Goes, Kim 2018, eq 14): flesh that may invert.
//
//     psi = mu'/2 (I - 3) - mu'/2 log(I + 1) + lambda'/2 (J - alpha)^2 + constant,      I = sum s_i^2
//
// No stress at rest: 3/4 mu' + lambda' (1 - alpha) = 0. There h_ii = 7/8 mu' + lambda' and h_ij = lambda' - 5/8 mu',
// which is Hooke's law for
//
//     mu' = 4/3 mu,   lambda' = lambda + 5/6 mu,   alpha = 1 + mu / lambda'.
//
// The last term is lambda'/2 (J - 1)^2 - mu (J - 1) + constant, added by the kernel (models.inl). Valid everywhere; F =
// 0 is an unstable equilibrium.
PL_INLINE void stable_neo_hookean(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3],
                                  pl_real_w h[6])
{
    pl_real_w mu = (4 / 3.0) * m->mu;
    pl_real_w I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], r = 1 / (I + 1), slope = mu - mu * r, bend = 2 * mu * r * r;
    for (int i = 0; i < 3; ++i)
    {
        p[i] = slope * s[i];
        h[i] = slope + bend * s[i] * s[i];
    }
    h[3] = bend * s[0] * s[1];
    h[4] = bend * s[0] * s[2];
    h[5] = bend * s[1] * s[2];
    *psi = 0.5 * mu * ((I - 3) - pl_log_w(0.25 * I + 0.25));
}
