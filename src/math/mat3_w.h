// src/math/mat3_w.h -- vectors and 3x3 matrices of wide values, for kernel files. COLUMN-major: c[j].x[i] is row i of
// column j. The same names and meanings as vec3.h and mat3.h, with _w.
#ifndef PL_MATH_MAT3_W_H
#define PL_MATH_MAT3_W_H

#include "base/simd.h"

typedef struct
{
    pl_real_w x[3];
} pl_vec3_w;

typedef struct
{
    pl_vec3_w c[3];
} pl_mat3_w;

// ---------------------------------------------------------------------------------------------- vectors

PL_INLINE pl_vec3_w pl_make3_w(pl_real_w x, pl_real_w y, pl_real_w z) { return (pl_vec3_w){{x, y, z}}; }
PL_INLINE pl_vec3_w pl_add3_w(pl_vec3_w a, pl_vec3_w b)
{
    return pl_make3_w(a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]);
}
PL_INLINE pl_vec3_w pl_sub3_w(pl_vec3_w a, pl_vec3_w b)
{
    return pl_make3_w(a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]);
}
PL_INLINE pl_vec3_w pl_scale3_w(pl_real_w s, pl_vec3_w a) { return pl_make3_w(s * a.x[0], s * a.x[1], s * a.x[2]); }
PL_INLINE pl_vec3_w pl_neg3_w(pl_vec3_w a) { return pl_make3_w(-a.x[0], -a.x[1], -a.x[2]); }
// a + s b
PL_INLINE pl_vec3_w pl_axpy3_w(pl_real_w s, pl_vec3_w b, pl_vec3_w a) { return pl_add3_w(a, pl_scale3_w(s, b)); }
PL_INLINE pl_real_w pl_dot3_w(pl_vec3_w a, pl_vec3_w b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
PL_INLINE pl_vec3_w pl_cross3_w(pl_vec3_w a, pl_vec3_w b)
{
    return pl_make3_w(a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                      a.x[0] * b.x[1] - a.x[1] * b.x[0]);
}
PL_INLINE pl_vec3_w pl_select3_w(pl_mask_w m, pl_vec3_w a, pl_vec3_w b)
{
    return pl_make3_w(pl_select_w(m, a.x[0], b.x[0]), pl_select_w(m, a.x[1], b.x[1]), pl_select_w(m, a.x[2], b.x[2]));
}

// A unit vector across the unit vector u: u x e0, or u x e1 near e0.
PL_INLINE pl_vec3_w pl_perpendicular3_w(pl_vec3_w u)
{
    pl_real_w zero = pl_set_w(0);
    pl_vec3_w x = pl_make3_w(zero, u.x[2], -u.x[1]), y = pl_make3_w(-u.x[2], zero, u.x[0]);
    x = pl_select3_w(pl_lt_w(pl_abs_w(u.x[0]), pl_set_w(0.8)), x, y);
    return pl_scale3_w(1.0 / pl_sqrt_w(pl_dot3_w(x, x)), x);
}

// ---------------------------------------------------------------------------------------------- matrices

PL_INLINE pl_mat3_w pl_columns3_w(pl_vec3_w a, pl_vec3_w b, pl_vec3_w c) { return (pl_mat3_w){{a, b, c}}; }
PL_INLINE pl_mat3_w pl_diagonal3_w(pl_real_w a, pl_real_w b, pl_real_w c)
{
    pl_real_w o = pl_set_w(0);
    return pl_columns3_w(pl_make3_w(a, o, o), pl_make3_w(o, b, o), pl_make3_w(o, o, c));
}
PL_INLINE pl_mat3_w pl_identity3_w(void) { return pl_diagonal3_w(pl_set_w(1), pl_set_w(1), pl_set_w(1)); }
PL_INLINE pl_mat3_w pl_transpose3_w(const pl_mat3_w *A)
{
    pl_mat3_w T;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            T.c[j].x[i] = A->c[i].x[j];
    return T;
}
PL_INLINE pl_mat3_w pl_select33_w(pl_mask_w m, const pl_mat3_w *A, const pl_mat3_w *B)
{
    pl_mat3_w C;
    for (int j = 0; j < 3; ++j)
        C.c[j] = pl_select3_w(m, A->c[j], B->c[j]);
    return C;
}
// A + s B
PL_INLINE pl_mat3_w pl_axpy33_w(pl_real_w s, const pl_mat3_w *B, const pl_mat3_w *A)
{
    pl_mat3_w C;
    for (int j = 0; j < 3; ++j)
        C.c[j] = pl_axpy3_w(s, B->c[j], A->c[j]);
    return C;
}
// A diag(d)
PL_INLINE pl_mat3_w pl_scale_columns3_w(const pl_mat3_w *A, pl_vec3_w d)
{
    pl_mat3_w C;
    for (int j = 0; j < 3; ++j)
        C.c[j] = pl_scale3_w(d.x[j], A->c[j]);
    return C;
}
// A x
PL_INLINE pl_vec3_w pl_mul3_w(const pl_mat3_w *A, pl_vec3_w x)
{
    pl_vec3_w y;
    for (int i = 0; i < 3; ++i)
        y.x[i] = A->c[0].x[i] * x.x[0] + A->c[1].x[i] * x.x[1] + A->c[2].x[i] * x.x[2];
    return y;
}
// A^T x
PL_INLINE pl_vec3_w pl_mult3_w(const pl_mat3_w *A, pl_vec3_w x)
{
    return pl_make3_w(pl_dot3_w(A->c[0], x), pl_dot3_w(A->c[1], x), pl_dot3_w(A->c[2], x));
}
// A B
PL_INLINE pl_mat3_w pl_mul33_w(const pl_mat3_w *A, const pl_mat3_w *B)
{
    pl_mat3_w C;
    for (int j = 0; j < 3; ++j)
        C.c[j] = pl_mul3_w(A, B->c[j]);
    return C;
}
// A^T B
PL_INLINE pl_mat3_w pl_mult33_w(const pl_mat3_w *A, const pl_mat3_w *B)
{
    pl_mat3_w C;
    for (int j = 0; j < 3; ++j)
        C.c[j] = pl_mult3_w(A, B->c[j]);
    return C;
}
// A B^T
PL_INLINE pl_mat3_w pl_mul33t_w(const pl_mat3_w *A, const pl_mat3_w *B)
{
    pl_mat3_w T = pl_transpose3_w(B);
    return pl_mul33_w(A, &T);
}
PL_INLINE pl_real_w pl_trace3_w(const pl_mat3_w *A) { return A->c[0].x[0] + A->c[1].x[1] + A->c[2].x[2]; }
PL_INLINE pl_real_w pl_det3_w(const pl_mat3_w *A) { return pl_dot3_w(A->c[0], pl_cross3_w(A->c[1], A->c[2])); }
// cof A = d(det A)/dA
PL_INLINE pl_mat3_w pl_cofactor3_w(const pl_mat3_w *A)
{
    return pl_columns3_w(pl_cross3_w(A->c[1], A->c[2]), pl_cross3_w(A->c[2], A->c[0]), pl_cross3_w(A->c[0], A->c[1]));
}
// A^-1; infinities or NaN in singular lanes
PL_INLINE pl_mat3_w pl_inverse3_w(const pl_mat3_w *A)
{
    pl_mat3_w C = pl_cofactor3_w(A), I;
    pl_real_w s = pl_set_w(1) / pl_dot3_w(A->c[0], C.c[0]);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            I.c[j].x[i] = s * C.c[i].x[j];
    return I;
}

// ---------------------------------------------------------------------------------------------- storage
// A matrix stored as block[3 j + i][lane]: entry (i, j) of PL_BLOCK elements next to each other.

PL_INLINE pl_vec3_w pl_load3_w(const double (*block)[PL_BLOCK], int lane)
{
    return pl_make3_w(pl_load_w(&block[0][lane]), pl_load_w(&block[1][lane]), pl_load_w(&block[2][lane]));
}
PL_INLINE void pl_store3_w(double (*block)[PL_BLOCK], int lane, pl_vec3_w a)
{
    for (int i = 0; i < 3; ++i)
        pl_store_w(&block[i][lane], a.x[i]);
}
PL_INLINE pl_mat3_w pl_load33_w(const double (*block)[PL_BLOCK], int lane)
{
    return pl_columns3_w(pl_load3_w(block, lane), pl_load3_w(block + 3, lane), pl_load3_w(block + 6, lane));
}
PL_INLINE void pl_store33_w(double (*block)[PL_BLOCK], int lane, const pl_mat3_w *A)
{
    for (int j = 0; j < 3; ++j)
        pl_store3_w(block + 3 * j, lane, A->c[j]);
}

#endif
