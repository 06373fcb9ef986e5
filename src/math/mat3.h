// src/math/mat3.h -- 3x3 matrices of doubles, one at a time. COLUMN-major: c[j][i] is row i of column j.
#ifndef PL_MATH_MAT3_H
#define PL_MATH_MAT3_H

#include "vec3.h"

typedef struct
{
    double c[3][3];
} pl_mat3;

static inline pl_vec3 pl_column3(const pl_mat3 *A, int j) { return pl_make3(A->c[j][0], A->c[j][1], A->c[j][2]); }
static inline void pl_set_column3(pl_mat3 *A, int j, pl_vec3 a)
{
    for (int i = 0; i < 3; ++i)
        A->c[j][i] = a.v[i];
}
static inline pl_mat3 pl_diagonal3(double a, double b, double c)
{
    return (pl_mat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}
static inline pl_mat3 pl_identity3(void) { return pl_diagonal3(1, 1, 1); }
static inline pl_mat3 pl_columns3(pl_vec3 a, pl_vec3 b, pl_vec3 c)
{
    return (pl_mat3){{{a.v[0], a.v[1], a.v[2]}, {b.v[0], b.v[1], b.v[2]}, {c.v[0], c.v[1], c.v[2]}}};
}

static inline pl_mat3 pl_transpose3(const pl_mat3 *A)
{
    pl_mat3 T;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            T.c[j][i] = A->c[i][j];
    return T;
}
// A + s B
static inline pl_mat3 pl_axpy33(double s, const pl_mat3 *B, const pl_mat3 *A)
{
    pl_mat3 C;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            C.c[j][i] = A->c[j][i] + s * B->c[j][i];
    return C;
}
// A x
static inline pl_vec3 pl_mul3(const pl_mat3 *A, pl_vec3 x)
{
    pl_vec3 y;
    for (int i = 0; i < 3; ++i)
        y.v[i] = A->c[0][i] * x.v[0] + A->c[1][i] * x.v[1] + A->c[2][i] * x.v[2];
    return y;
}
// A^T x
static inline pl_vec3 pl_mult3(const pl_mat3 *A, pl_vec3 x)
{
    return pl_make3(pl_dot3(pl_column3(A, 0), x), pl_dot3(pl_column3(A, 1), x), pl_dot3(pl_column3(A, 2), x));
}
// A B
static inline pl_mat3 pl_mul33(const pl_mat3 *A, const pl_mat3 *B)
{
    pl_mat3 C;
    for (int j = 0; j < 3; ++j)
        pl_set_column3(&C, j, pl_mul3(A, pl_column3(B, j)));
    return C;
}
// A^T B
static inline pl_mat3 pl_mult33(const pl_mat3 *A, const pl_mat3 *B)
{
    pl_mat3 C;
    for (int j = 0; j < 3; ++j)
        pl_set_column3(&C, j, pl_mult3(A, pl_column3(B, j)));
    return C;
}
// A B^T
static inline pl_mat3 pl_mul33t(const pl_mat3 *A, const pl_mat3 *B)
{
    pl_mat3 T = pl_transpose3(B);
    return pl_mul33(A, &T);
}
static inline double pl_trace3(const pl_mat3 *A) { return A->c[0][0] + A->c[1][1] + A->c[2][2]; }
static inline double pl_det3(const pl_mat3 *A)
{
    return pl_dot3(pl_column3(A, 0), pl_cross3(pl_column3(A, 1), pl_column3(A, 2)));
}
// cof A = d(det A)/dA = det(A) A^-T, which exists for every A.
static inline pl_mat3 pl_cofactor3(const pl_mat3 *A)
{
    pl_vec3 a = pl_column3(A, 0), b = pl_column3(A, 1), c = pl_column3(A, 2);
    return pl_columns3(pl_cross3(b, c), pl_cross3(c, a), pl_cross3(a, b));
}
// A^-1; infinities or NaN when A is singular: the caller decides beforehand what singular means.
static inline pl_mat3 pl_inverse3(const pl_mat3 *A)
{
    pl_mat3 C = pl_cofactor3(A), I;
    double s = 1 / pl_dot3(pl_column3(A, 0), pl_column3(&C, 0));
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            I.c[j][i] = s * C.c[i][j];
    return I;
}

#endif
