// app/render/v3.h -- directions, points and linear colours in single precision.
#ifndef APP_RENDER_V3_H
#define APP_RENDER_V3_H

#include <math.h>

// As one instruction each, which fminf and fmaxf are not; the second argument when one is not a number.
static inline float lesser(float a, float b) { return a < b ? a : b; }
static inline float greater(float a, float b) { return a > b ? a : b; }

typedef struct v3
{
    float x, y, z;
} v3;

static inline v3 v3_load(const float *p) { return (v3){p[0], p[1], p[2]}; }
static inline v3 v3_add(v3 a, v3 b) { return (v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline v3 v3_sub(v3 a, v3 b) { return (v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline v3 v3_mul(v3 a, v3 b) { return (v3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static inline v3 v3_scale(float s, v3 a) { return (v3){s * a.x, s * a.y, s * a.z}; }
// a + s b
static inline v3 v3_axpy(float s, v3 b, v3 a) { return (v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
// a towards b
static inline v3 v3_mix(v3 a, v3 b, float t) { return v3_axpy(t, v3_sub(b, a), a); }
static inline float v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 v3_cross(v3 a, v3 b)
{
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float v3_length(v3 a) { return sqrtf(v3_dot(a, a)); }
static inline float v3_largest(v3 a) { return greater(greater(a.x, a.y), a.z); }
static inline float v3_luminance(v3 a) { return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z; }

// Length 1, or zero for what has no direction.
static inline v3 v3_unit(v3 a)
{
    float length = v3_length(a);
    return length > 0 ? v3_scale(1 / length, a) : (v3){0, 0, 0};
}

// Two directions across the unit vector n (Duff et al., "Building an orthonormal basis, revisited", JCGT 2017).
static inline void v3_frame(v3 n, v3 *s, v3 *t)
{
    float sign = copysignf(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
    *s = (v3){1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t = (v3){b, sign + n.y * n.y * a, -n.y};
}

static inline float clamp01(float x) { return lesser(greater(x, 0), 1); }
static inline float smooth01(float x) { return x = clamp01(x), x * x * (3 - 2 * x); }

#endif
