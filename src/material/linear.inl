// src/material/linear.inl -- plain linear elasticity: rotated linear without the rotation.
//
//     psi = mu |e|^2 + lambda/2 (tr e)^2,    e = (F + F^T)/2 - 1
//
// Its stretches are the eigenvalues of the symmetric part of F instead of singular values (element/shape_w.h); as a
// function of them it is the rotated law. It is not valid for finite motion: rotation causes strain and growth. For
// comparison (Mueller & Gross 2004, figures 1 and 7).
PL_INLINE void linear(const pl_numbers_w *m, const pl_real_w s[3], pl_real_w *psi, pl_real_w p[3], pl_real_w h[6])
{
    rotated_linear(m, s, psi, p, h);
}
