// src/material/stvk.inl -- St. Venant-Kirchhoff: linear in the Green strain e_i = (s_i^2 - 1)/2.
//
//     psi = mu sum e_i^2 + lambda/2 (sum e_i)^2
//
// Softens under compression (its stress peaks at a uniaxial stretch near 0.58 and falls to zero at 0) and is not convex
// there; hence a threshold of 0.6, just above the peak. Used by Wang 2021 with s0 = lambda/4, s1 = mu.
PL_INLINE void stvk(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3], pl_real_w h[6])
{
    pl_real_w e[3], trace = pl_set_w(0);
    for (int i = 0; i < 3; ++i)
    {
        e[i] = 0.5 * (s[i] * s[i] - 1);
        trace += e[i];
    }
    pl_real_w pressure = m->lambda * trace;
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w second_piola = 2 * m->mu * e[i] + pressure;
        p[i] = s[i] * second_piola;
        h[i] = second_piola + s[i] * s[i] * (2 * m->mu + m->lambda);
    }
    h[3] = m->lambda * s[0] * s[1];
    h[4] = m->lambda * s[0] * s[2];
    h[5] = m->lambda * s[1] * s[2];
    *psi = m->mu * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 0.5 * pressure * trace;
}
