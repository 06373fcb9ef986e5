// src/math/determinant.h -- sides of planes and lines, decided without rounding.
#ifndef PL_MATH_DETERMINANT_H
#define PL_MATH_DETERMINANT_H

// The sign of det [a - d, b - d, c - d]: -1, 0 or 1; 1 for the corners of a unit tetrahedron x, y, z and the origin, so
// when d is behind the triangle a, b, c. Exact for all finite doubles, the tiny and the huge included.
int pl__orient3(const double a[3], const double b[3], const double c[3], const double d[3]);
// The sign of det [a - c, b - c]: 1 when a, b, c go around anticlockwise.
int pl__orient2(const double a[2], const double b[2], const double c[2]);

// The determinant of pl__orient3 itself, with its sign and nine digits however small it is; for ratios of heights and
// volumes.
double pl__volume6(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
