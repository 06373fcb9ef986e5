// src/material/rotated_linear.inl -- linear elasticity in the rotated frame (thesis 2.6, figure 2.3c).
//
//     psi = mu sum (s_i - 1)^2 + lambda/2 (sum (s_i - 1))^2
//
// Convex in the stretches everywhere, so it needs no extension: inverted elements are pushed back harder the further
// they go.
PL_INLINE void rotated_linear(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3],
                              pl_real_w h[6])
{
    pl_real_w e[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    pl_real_w pressure = m->lambda * (e[0] + e[1] + e[2]);
    for (int i = 0; i < 3; ++i)
        p[i] = 2 * m->mu * e[i] + pressure;
    *psi = m->mu * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 0.5 * pressure * (e[0] + e[1] + e[2]);
    for (int i = 0; i < 3; ++i)
    {
        h[i] = 2 * m->mu + m->lambda;
        h[3 + i] = m->lambda;
    }
}
