// src/math/quat.c
#include "quat.h"
#include "base/real_math.h"

static const double pi = 3.141592653589793;
static const double degree = 0.017453292519943295;

pl_quat pl_quat_mul(pl_quat b, pl_quat a)
{
    pl_quat q = {.w = b.w * a.w - (b.v[0] * a.v[0] + b.v[1] * a.v[1] + b.v[2] * a.v[2])};
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        q.v[i] = b.w * a.v[i] + a.w * b.v[i] + (b.v[j] * a.v[k] - b.v[k] * a.v[j]);
    }
    return q;
}

pl_quat pl_quat_unit(pl_quat q)
{
    double length = sqrt(q.w * q.w + q.v[0] * q.v[0] + q.v[1] * q.v[1] + q.v[2] * q.v[2]);
    return (pl_quat){q.w / length, {q.v[0] / length, q.v[1] / length, q.v[2] / length}};
}

pl_vec3 pl_quat_turn(pl_quat q, pl_vec3 v)
{
    pl_vec3 axis = pl_make3(q.v[0], q.v[1], q.v[2]);
    return pl_axpy3(2, pl_cross3(axis, pl_axpy3(q.w, v, pl_cross3(axis, v))), v);
}

static pl_quat about_axis(int axis, double degrees)
{
    pl_quat q = {0};
    pl__real_sincos(0.5 * degree * degrees, &q.v[axis], &q.w);
    return q;
}

pl_quat pl_quat_from_degrees(const double degrees[3])
{
    return pl_quat_mul(about_axis(2, degrees[2]), pl_quat_mul(about_axis(1, degrees[1]), about_axis(0, degrees[0])));
}

// Newton's iteration on sin(angle - guess) = 0 triples the digits; from the sine as guess, four are enough up to pi/2.
static double first_quadrant(double c, double s)
{
    double length = sqrt(c * c + s * s), angle = s / length;
    for (int i = 0; i < 4; ++i)
    {
        double sine, cosine;
        pl__real_sincos(angle, &sine, &cosine);
        angle += (s * cosine - c * sine) / length;
    }
    return angle;
}

double pl__angle_of(double c, double s)
{
    double size = fmax(fabs(c), fabs(s));
    if (!(size > 0))
        return 0;
    double angle = first_quadrant(fabs(c) / size, fabs(s) / size);
    angle = c < 0 ? pi - angle : angle;
    return s < 0 ? -angle : angle;
}

void pl_quat_to_degrees(pl_quat q, double degrees[3])
{
    // rows of R = Rz Ry Rx: its last row is (-sin y, sin x cos y, cos x cos y), its first column cos y (cos z, sin z)
    pl_vec3 x = pl_quat_turn(q, pl_make3(1, 0, 0)), y = pl_quat_turn(q, pl_make3(0, 1, 0)),
            z = pl_quat_turn(q, pl_make3(0, 0, 1));
    double level = sqrt(x.v[0] * x.v[0] + x.v[1] * x.v[1]);
    bool locked = level < 1e-9; // x and z turn about the same axis: all of it is x's
    degrees[0] = (locked ? pl__angle_of(y.v[1], -z.v[1]) : pl__angle_of(z.v[2], y.v[2])) / degree;
    degrees[1] = pl__angle_of(level, -x.v[2]) / degree;
    degrees[2] = locked ? 0 : pl__angle_of(x.v[0], x.v[1]) / degree;
}

pl_quat pl_quat_from_vector(pl_vec3 r)
{
    double angle = pl_length3(r), sine, cosine;
    if (!(angle > 0))
        return pl_quat_identity();
    pl__real_sincos(0.5 * fmod(angle, 4 * pi), &sine, &cosine);
    return (pl_quat){cosine, {sine / angle * r.v[0], sine / angle * r.v[1], sine / angle * r.v[2]}};
}

pl_vec3 pl_quat_to_vector(pl_quat q)
{
    // q and -q turn alike: the one with the smaller angle
    double sign = q.w < 0 ? -1 : 1, sine = sqrt(q.v[0] * q.v[0] + q.v[1] * q.v[1] + q.v[2] * q.v[2]);
    if (!(sine > 0))
        return pl_make3(0, 0, 0);
    double scale = sign * 2 * pl__angle_of(sign * q.w, sine) / sine;
    return pl_make3(scale * q.v[0], scale * q.v[1], scale * q.v[2]);
}
