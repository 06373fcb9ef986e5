// src/math/mat2.h -- 2x2 and 3x2 matrices. COLUMN-major: c[j][i] is row i of column j.
#ifndef PL_MATH_MAT2_H
#define PL_MATH_MAT2_H

#include "vec3.h"

typedef struct
{
    double c[2][2];
} pl_mat2;

// Two columns of three: the deformation gradient of a triangle in space.
typedef struct
{
    double c[2][3];
} pl_mat32;

static inline pl_mat2 pl_identity2(void) { return (pl_mat2){{{1, 0}, {0, 1}}}; }
static inline double pl_det2(const pl_mat2 *A) { return A->c[0][0] * A->c[1][1] - A->c[1][0] * A->c[0][1]; }
static inline pl_vec3 pl_column32(const pl_mat32 *A, int j) { return pl_make3(A->c[j][0], A->c[j][1], A->c[j][2]); }
static inline pl_mat32 pl_columns32(pl_vec3 a, pl_vec3 b)
{
    return (pl_mat32){{{a.v[0], a.v[1], a.v[2]}, {b.v[0], b.v[1], b.v[2]}}};
}

#endif
