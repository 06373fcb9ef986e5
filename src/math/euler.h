// src/math/euler.h -- turns given as three angles.
#ifndef PL_MATH_EULER_H
#define PL_MATH_EULER_H

#include "base/real_math.h"

// R (rows) turns about x, then about y, then about z, by degrees; the same bits on every machine.
static inline void pl__euler_matrix(const double degrees[3], double R[3][3])
{
    double s[3], c[3];
    for (int i = 0; i < 3; ++i)
        pl__real_sincos(degrees[i] * 0.017453292519943295, &s[i], &c[i]);
    R[0][0] = c[1] * c[2];
    R[0][1] = s[0] * s[1] * c[2] - c[0] * s[2];
    R[0][2] = c[0] * s[1] * c[2] + s[0] * s[2];
    R[1][0] = c[1] * s[2];
    R[1][1] = s[0] * s[1] * s[2] + c[0] * c[2];
    R[1][2] = c[0] * s[1] * s[2] - s[0] * c[2];
    R[2][0] = -s[1];
    R[2][1] = s[0] * c[1];
    R[2][2] = c[0] * c[1];
}

#endif
