// src/math/vec3.h -- vectors of three doubles, one at a time. The wide forms are in mat3_w.h.
#ifndef PL_MATH_VEC3_H
#define PL_MATH_VEC3_H

#include <math.h>

typedef struct
{
    double v[3];
} pl_vec3;

static inline pl_vec3 pl_make3(double x, double y, double z) { return (pl_vec3){{x, y, z}}; }
static inline pl_vec3 pl_add3(pl_vec3 a, pl_vec3 b)
{
    return pl_make3(a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2]);
}
static inline pl_vec3 pl_sub3(pl_vec3 a, pl_vec3 b)
{
    return pl_make3(a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]);
}
static inline pl_vec3 pl_scale3(double s, pl_vec3 a) { return pl_make3(s * a.v[0], s * a.v[1], s * a.v[2]); }
static inline pl_vec3 pl_neg3(pl_vec3 a) { return pl_make3(-a.v[0], -a.v[1], -a.v[2]); }
// a + s b
static inline pl_vec3 pl_axpy3(double s, pl_vec3 b, pl_vec3 a) { return pl_add3(a, pl_scale3(s, b)); }
static inline double pl_dot3(pl_vec3 a, pl_vec3 b) { return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2]; }
static inline double pl_length3(pl_vec3 a) { return sqrt(pl_dot3(a, a)); }
static inline pl_vec3 pl_cross3(pl_vec3 a, pl_vec3 b)
{
    return pl_make3(a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                    a.v[0] * b.v[1] - a.v[1] * b.v[0]);
}
// A unit vector across the unit vector `a`: a x e, e being the axis that `a` leans to least.
static inline pl_vec3 pl_perpendicular3(pl_vec3 a)
{
    double x = fabs(a.v[0]), y = fabs(a.v[1]), z = fabs(a.v[2]);
    pl_vec3 e = x <= y && x <= z ? pl_make3(1, 0, 0) : y <= z ? pl_make3(0, 1, 0) : pl_make3(0, 0, 1);
    pl_vec3 p = pl_cross3(a, e);
    return pl_scale3(1 / pl_length3(p), p);
}

#endif
