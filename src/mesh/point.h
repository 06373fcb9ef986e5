// src/mesh/point.h -- operations on double[3] for surface geometry.
#ifndef PL_MESH_POINT_H
#define PL_MESH_POINT_H

#include <math.h>

// fmin and fmax are function calls, because of NaN; there is none here.
static inline double pl__min(double a, double b) { return a < b ? a : b; }
static inline double pl__max(double a, double b) { return a > b ? a : b; }

static inline void pl__sub3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2];
}

static inline double pl__dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void pl__cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double pl__length3(const double a[3]) { return sqrt(pl__dot3(a, a)); }

// a + t (b - a), exact at both ends
static inline void pl__lerp3(const double a[3], const double b[3], double t, double out[3])
{
    for (int d = 0; d < 3; ++d)
        out[d] = t < 0.5 ? a[d] + t * (b[d] - a[d]) : b[d] - (1 - t) * (b[d] - a[d]);
}

// Of a box.
static inline double pl__longest_side(const double lower[3], const double upper[3])
{
    return pl__max(pl__max(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
}

static inline double pl__distance_squared3(const double a[3], const double b[3])
{
    double d[3];
    pl__sub3(a, b, d);
    return pl__dot3(d, d);
}

#endif
