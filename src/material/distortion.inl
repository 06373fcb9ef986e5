// src/material/distortion.inl -- isochoric invariants, for the models that separate distortion and volume.
//
// b_i = J^(-1/3) s_i have the product 1. Their invariants, and derivatives in the logarithms of the stretches,
//
//     I  = sum b_i^2    = J^(-2/3) tr C              dI/dlog s_i  =  2 b_i^2 - 2/3 I
//     II = sum b_i^(-2) = J^(-4/3) (tr^2 C - tr C^2)/2   dII/dlog s_i = -2 / b_i^2 + 2/3 II
//     d2I/dlog s_i dlog s_j = 4 b_i^2 [i = j] - 4/3 (b_i^2 + b_j^2) + 4/9 I      (II: the same with 1/b_i^2)
//
// (Wang 2021 writes III^(-1/3) I and III^(-2/3) (I^2 - II)/2; there II must be tr C^2 and III = det C). A law W(I, II)
// collects its log-derivatives t_i and M_ij, from which p_i = t_i / s_i and h_ij = (M_ij - [i = j] t_i) / (s_i s_j). No
// division: with r = J^(-1/3), 1/s_i = b_j b_k r. Both invariants are at least 3, and grow as the smallest stretch
// shrinks or the largest grows.
typedef struct
{
    pl_real_w inverse[3];               // 1/s_i
    pl_real_w square[3], reciprocal[3]; // b_i^2, 1/b_i^2
} distortion_w;

PL_INLINE distortion_w distortion(const pl_real_w s[3])
{
    distortion_w d;
    pl_real_w r = pl_rcbrt_w(s[0] * s[1] * s[2]), b[3] = {r * s[0], r * s[1], r * s[2]};
    for (int i = 0; i < 3; ++i)
    {
        pl_real_w others = b[(i + 1) % 3] * b[(i + 2) % 3];
        d.inverse[i] = others * r;
        d.square[i] = b[i] * b[i];
        d.reciprocal[i] = others * others;
    }
    return d;
}

PL_INLINE pl_real_w sum3(const pl_real_w a[3]) { return a[0] + a[1] + a[2]; }

// Log-derivatives of an invariant with the terms a_i, which are b_i^2 for I (sign 1) and 1/b_i^2 for II (sign -1).
PL_INLINE void invariant(const pl_real_w a[3], double sign, pl_real_w t[3], pl_real_w M[6])
{
    pl_real_w mean = sum3(a) * (1 / 3.0), shared = sum3(a) * (4 / 9.0);
    for (int i = 0; i < 3; ++i)
    {
        t[i] = (2 * sign) * (a[i] - mean);
        M[i] = (4 / 3.0) * a[i] + shared;
    }
    M[3] = shared - (4 / 3.0) * (a[0] + a[1]);
    M[4] = shared - (4 / 3.0) * (a[0] + a[2]);
    M[5] = shared - (4 / 3.0) * (a[1] + a[2]);
}

PL_INLINE void from_log_derivatives(const distortion_w *d, const pl_real_w t[3], const pl_real_w M[6], pl_real_w p[3],
                                    pl_real_w h[6])
{
    for (int i = 0; i < 3; ++i)
    {
        p[i] = t[i] * d->inverse[i];
        h[i] = (M[i] - t[i]) * (d->inverse[i] * d->inverse[i]);
    }
    h[3] = M[3] * (d->inverse[0] * d->inverse[1]);
    h[4] = M[4] * (d->inverse[0] * d->inverse[2]);
    h[5] = M[5] * (d->inverse[1] * d->inverse[2]);
}
