// src/material/mooney_rivlin.inl -- Mooney-Rivlin in the isochoric invariants (Wang 2021, lecture, "Isotropic Models").
//
//     psi = s0 (J^(-2/3) I - 3) + s2 (J^(-4/3) (I^2 - II)/2 - 3) + s1 (J - 1)^2
//
// with I = tr C and II = tr C^2 (II of the lecture is another one, and its volume term has stress at rest). mu = 2 (s0
// + s2), of which extra[0], `mooney`, is the fraction of s2; s1 = (lambda + 2/3 mu)/2. Rubber under large strain
// softens a little less in compression than neo-Hookean and a little more in tension. The volume term is added by the
// kernel (models.inl).
PL_INLINE void mooney_rivlin(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3],
                             pl_real_w h[6])
{
    distortion_w d = distortion(s);
    pl_real_w t[3], M[6], t2[3], M2[6];
    pl_real_w s2 = 0.5 * m->mu * m->extra[0], s0 = 0.5 * m->mu - s2;
    invariant(d.square, 1, t, M);
    invariant(d.reciprocal, -1, t2, M2);
    for (int i = 0; i < 3; ++i)
        t[i] = s0 * t[i] + s2 * t2[i];
    for (int i = 0; i < 6; ++i)
        M[i] = s0 * M[i] + s2 * M2[i];
    from_log_derivatives(&d, t, M, p, h);
    *psi = s0 * (sum3(d.square) - 3) + s2 * (sum3(d.reciprocal) - 3);
}
