// src/material/neo_hookean.inl -- compressible neo-Hookean (thesis 2.14), with L = log(s0 s1 s2).
//
//     psi = mu/2 (sum s_i^2 - 3) - mu L + lambda/2 L^2
//     P_i = mu (s_i - 1/s_i) + lambda L / s_i
//
// Infinite at s = 0; indefinite for large dilation (shape-dependent; uniform dilation stays definite for
// lambda/mu < 2.394).
PL_INLINE void neo_hookean(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3], pl_real_w h[6])
{
    // one division serves all three inverses
    pl_real_w s01 = s[0] * s[1], J = s01 * s[2];
    pl_real_w inverse_J = 1 / J;
    pl_real_w r[3] = {s[1] * s[2] * inverse_J, s[0] * s[2] * inverse_J, s01 * inverse_J};
    pl_real_w L = pl_log_w(J);
    pl_real_w spread = m->lambda * L - m->mu;
    for (int i = 0; i < 3; ++i)
    {
        p[i] = m->mu * s[i] + spread * r[i];
        h[i] = m->mu + (m->lambda - spread) * r[i] * r[i];
    }
    h[3] = m->lambda * r[0] * r[1];
    h[4] = m->lambda * r[0] * r[2];
    h[5] = m->lambda * r[1] * r[2];
    *psi = 0.5 * m->mu * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3) + L * (0.5 * m->lambda * L - m->mu);
}
