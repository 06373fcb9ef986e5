// src/material/fixed_corotated.inl -- fixed corotated elasticity (Stomakhin et al. 2012, "Energetically consistent
// invertible elasticity"): rotated linear with a term of the true volume.
//
//     psi = mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2
//
// Polynomial, at least 0 and defined everywhere: inverted elements are pushed back by both terms. lambda must not be
// negative. The volume term is added by the kernel (models.inl).
PL_INLINE void fixed_corotated(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3],
                               pl_real_w h[6])
{
    pl_real_w square = pl_set_w(0);
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w e = s[i] - 1;
        p[i] = 2 * m->mu * e;
        square += e * e;
        h[i] = 2 * m->mu;
        h[3 + i] = pl_set_w(0);
    }
    *psi = m->mu * square;
}
