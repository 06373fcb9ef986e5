// src/math/jacobi.h -- the two steps that all the small decompositions share; jacobi_w.h has them wide.
#ifndef PL_MATH_JACOBI_H
#define PL_MATH_JACOBI_H

#include <float.h>
#include <math.h>

// A power of two that brings m into [2, 4), and the factor that takes halves of results back: exact, and neither is
// denormal for any normal m.
static inline double pl__prescale(double m, double *back)
{
    int exponent = ilogb(m);
    *back = ldexp(1, exponent);
    return ldexp(1, 1 - exponent);
}

// The rotation (c, s) that makes a' = c a + s b, b' = c b - s a perpendicular, |a'| >= |b'|, where d = |a|^2 - |b|^2
// and t = 2 a.b. Twice its angle has the tangent t/d; the bisector (sqrt(d^2+t^2) + |d|, t) has half of that.
static inline void pl__jacobi(double d, double t, double *c, double *s)
{
    double x = sqrt(d * d + t * t) + fabs(d);
    double length = sqrt(x * x + t * t);
    double cosine = length > 0 ? x / length : 1, sine = length > 0 ? t / length : 0;
    *c = d >= 0 ? cosine : fabs(sine);
    *s = d >= 0 ? sine : copysign(cosine, sine);
}

#endif
