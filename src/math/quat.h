// src/math/quat.h -- rotations as unit quaternions (w, x, y, z).
//
// q turns a vector v into q v q*; the product b a turns by a first. Angles are found with our own sine and cosine, so
// that they have the same bits on every machine.
#ifndef PL_MATH_QUAT_H
#define PL_MATH_QUAT_H

#include "vec3.h"
#include <stdbool.h>

typedef struct
{
    double w, v[3];
} pl_quat;

static inline pl_quat pl_quat_identity(void) { return (pl_quat){1, {0, 0, 0}}; }
static inline pl_quat pl_quat_conjugate(pl_quat q) { return (pl_quat){q.w, {-q.v[0], -q.v[1], -q.v[2]}}; }

// First a, then b.
pl_quat pl_quat_mul(pl_quat b, pl_quat a);
pl_quat pl_quat_unit(pl_quat q);

// v + 2 q x (q x v + w v)
pl_vec3 pl_quat_turn(pl_quat q, pl_vec3 v);

// About x, then y, then z [degrees], and back: with y within [-90, 90], the others within [-180, 180].
pl_quat pl_quat_from_degrees(const double degrees[3]);
void pl_quat_to_degrees(pl_quat q, double degrees[3]);

// A rotation vector: its direction is the axis, its length the angle [rad]; and back, with an angle of at most half a
// turn.
pl_quat pl_quat_from_vector(pl_vec3 r);
pl_vec3 pl_quat_to_vector(pl_quat q);

// The angle in (-pi, pi] whose cosine and sine are c and s times a common factor > 0; 0 for c = s = 0.
double pl__angle_of(double c, double s);

#endif
