// src/material/fung.inl -- Fung: skin and other tissue that stiffens exponentially (Wang 2021, lecture, "Isotropic
// Models").
//
//     psi = s0 x + s2 (exp(s3 x) - 1) + s1 (J - 1)^2,      x = J^(-2/3) tr C - 3
//
// s3 is `stiffening`, extra[0]; `stiffening_share`, extra[1], is the part of mu = 2 (s0 + s2 s3) that the exponential
// carries at rest; s1 = (lambda + 2/3 mu)/2 (the volume term of the lecture has stress at rest).
//
// With y = s3 x beyond Y = 6 the exponential is continued as e^Y (1 + (y - Y) + (y - Y)^2/2): four hundred times the
// stiffness at rest makes the steps twenty times shorter, no tissue withstands that, and exp cannot overflow for any
// s3. (exp(y) - 1)/s3 is a series for small y, so that s3 = 0 is the isochoric neo-Hookean law.
static const double fung_most = 6;

PL_INLINE void fung_exponential(pl_real_w y, pl_real_w *slope, pl_real_w *curvature)
{
    pl_real_w capped = pl_min_w(y, pl_set_w(fung_most));
    *curvature = pl_exp_w(capped);
    *slope = *curvature * (1 + (y - capped));
}

// (exp(y) - 1) / y, continued
PL_INLINE pl_real_w fung_mean_slope(pl_real_w y, pl_real_w curvature)
{
    pl_real_w series =
        1 + y * (1 / 2.0) * (1 + y * (1 / 3.0) * (1 + y * (1 / 4.0) * (1 + y * (1 / 5.0) * (1 + y * (1 / 6.0)))));
    pl_real_w beyond = y - pl_min_w(y, pl_set_w(fung_most));
    pl_real_w whole = curvature * (1 + beyond * (1 + 0.5 * beyond)) - 1;
    return pl_select_w(pl_lt_w(y, pl_set_w(0.01)), series, whole / pl_max_w(y, pl_set_w(0.01)));
}

PL_INLINE void fung(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3], pl_real_w h[6])
{
    distortion_w d = distortion(s);
    pl_real_w t[3], M[6], slope, curvature;
    pl_real_w carried = 0.5 * m->mu * m->extra[1], s0 = 0.5 * m->mu - carried; // carried = s2 s3
    pl_real_w x = sum3(d.square) - 3, y = m->extra[0] * x;
    fung_exponential(y, &slope, &curvature);
    invariant(d.square, 1, t, M);
    pl_real_w first = s0 + carried * slope, second = carried * m->extra[0] * curvature; // dpsi/dx, d2psi/dx2
    for (int i = 0; i < 3; ++i)
        M[i] = first * M[i] + second * t[i] * t[i];
    M[3] = first * M[3] + second * t[0] * t[1];
    M[4] = first * M[4] + second * t[0] * t[2];
    M[5] = first * M[5] + second * t[1] * t[2];
    for (int i = 0; i < 3; ++i)
        t[i] *= first;
    from_log_derivatives(&d, t, M, p, h);
    *psi = x * (s0 + carried * fung_mean_slope(y, curvature));
}
