// src/material/isochoric_neo_hookean.inl -- neo-Hookean in the isochoric invariant (Wang 2021, lecture, "Isotropic
// Models").
//
//     psi = s0 (J^(-2/3) tr C - 3) + s1 (J - 1)^2,      s0 = mu/2,   s1 = (lambda + 2/3 mu)/2
//
// The lecture has s1 (III^(-1/2) - 1), which has stress at rest. Distortion and volume are separate: nu near 1/2 makes
// it incompressible, not stiff in shear. The volume term is finite at J = 0 and added by the kernel (models.inl); the
// first term is here.
PL_INLINE void isochoric_neo_hookean(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3],
                                     pl_real_w h[6])
{
    distortion_w d = distortion(s);
    pl_real_w t[3], M[6], s0 = 0.5 * m->mu;
    invariant(d.square, 1, t, M);
    for (int i = 0; i < 3; ++i)
        t[i] *= s0;
    for (int i = 0; i < 6; ++i)
        M[i] *= s0;
    from_log_derivatives(&d, t, M, p, h);
    *psi = s0 * (sum3(d.square) - 3);
}
