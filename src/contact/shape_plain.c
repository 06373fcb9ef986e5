// src/contact/shape_plain.c -- distances that are formulas: wedge, box, ellipsoid, capsule, cylinder, torus.
//
// Most use symmetry: what holds for |x|, |y|, |z| holds everywhere. A rounded box is a smaller box grown by the
// rounding, which is exact inside as well, because the closest face of the smaller box is below the closest face of the
// whole.
//
// The closest point x of an ellipsoid with half axes e to y has its normal along y - x (Eberly, "Distance from a point
// to an ellipse, an ellipsoid, or a hyperellipsoid", 2013). With e sorted, the last the least, z = y/e, r = (e/e_2)^2
// and q = r - 1,
//
//     x_i = r_i y_i / (u + q_i),     G(u) = sum (r_i z_i / (u + q_i))^2 - 1 = 0,     u >= 0.
//
// G falls and is convex, and lies between known signs, so Newton's iteration from the left cannot overshoot; it is
// halved where it creeps away from the pole. Where there is no root (z_2 = 0, deep inside) u = 0 and x_2 makes up for
// the rest: there are two closest points then, and we take the positive one.
#include "shape.h"
#include "mesh/point.h"

// Length and direction in a plane.
static double radial(double a, double b, double n[2])
{
    double length = sqrt(a * a + b * b);
    n[0] = length > 0 ? a / length : 1;
    n[1] = length > 0 ? b / length : 0;
    return length;
}

double pl__extrude(double across, double along, double half, int axis, double n[3])
{
    double side = along < 0 ? -1 : 1, beyond = fabs(along) - half;
    double *n0 = &n[(axis + 1) % 3], *n1 = &n[(axis + 2) % 3], distance, share = 0;
    if (across > 0 && beyond > 0)
    {
        distance = sqrt(across * across + beyond * beyond);
        share = across / distance;
        n[axis] = side * beyond / distance;
    }
    else
    {
        share = across >= beyond;
        n[axis] = share > 0 ? 0 : side;
        distance = pl__max(across, beyond);
    }
    *n0 *= share, *n1 *= share;
    return distance;
}

// The solid is within half the angle of -y; by symmetry x >= 0, and d is the direction of its side, m its normal.
double pl__wedge_distance(const pl__shape *s, const double p[3], double n[3])
{
    double mirror = p[0] < 0 ? -1 : 1, x = fabs(p[0]), y = p[1];
    double along = x * s->sine - y * s->cosine, above = x * s->cosine + y * s->sine, edge = sqrt(x * x + y * y);
    n[0] = s->cosine, n[1] = s->sine, n[2] = 0;
    if (along < 0 && edge > 0) // the edge is nearest
    {
        double side = above < 0 ? -1 : 1;
        n[0] = side * x / edge, n[1] = side * y / edge;
        above = side * edge;
    }
    else if (edge == 0)
        n[0] = 0, n[1] = 1;
    n[0] *= mirror;
    return above;
}

double pl__box_distance(const pl__shape *s, const double p[3], double n[3])
{
    double q[3], out[3], length = 0;
    int face = 0;
    for (int i = 0; i < 3; ++i)
    {
        q[i] = fabs(p[i]) - (0.5 * s->def.extent[i] - s->def.rounding);
        out[i] = pl__max(q[i], 0);
        length += out[i] * out[i];
        face = q[i] > q[face] ? i : face;
    }
    length = sqrt(length);
    for (int i = 0; i < 3; ++i)
        n[i] = (p[i] < 0 ? -1 : 1) * (length > 0 ? out[i] / length : i == face);
    return (length > 0 ? length : q[face]) - s->def.rounding;
}

double pl__capsule_distance(const pl__shape *s, const double p[3], double n[3])
{
    double half = 0.5 * s->def.height - s->def.radius;
    double r[3] = {p[0], p[1] - pl__max(-half, pl__min(p[1], half)), p[2]}, length = pl__length3(r);
    for (int i = 0; i < 3; ++i)
        n[i] = length > 0 ? r[i] / length : i == 0;
    return length - s->def.radius;
}

double pl__cylinder_distance(const pl__shape *s, const double p[3], double n[3])
{
    double out[2], across = radial(p[2], p[0], out) - s->def.radius;
    n[2] = out[0], n[0] = out[1];
    return pl__extrude(across, p[1], 0.5 * s->def.height, 1, n);
}

double pl__torus_distance(const pl__shape *s, const double p[3], double n[3])
{
    double out[2], side[2], from_middle = radial(p[0], p[2], out) - s->def.radius;
    double length = radial(from_middle, p[1], side);
    n[0] = side[0] * out[0], n[1] = side[1], n[2] = side[0] * out[1];
    return length - s->def.tube;
}

// ---- ellipsoid ---------------------------------------------------------------------------------------------------

typedef struct
{
    double r[3], q[3], z[3];
} ellipsoid;

// G and its derivative; terms of z_i = 0 are zero also at their pole.
static double ellipsoid_g(const ellipsoid *o, double u, double *slope)
{
    double g = -1;
    *slope = 0;
    for (int i = 0; i < 3; ++i)
        if (o->z[i] > 0)
        {
            double t = o->r[i] * o->z[i] / (u + o->q[i]);
            g += t * t;
            *slope -= 2 * t * t / (u + o->q[i]);
        }
    return g;
}

static double ellipsoid_root(const ellipsoid *o)
{
    double low = 0, slope, size = 0;
    for (int i = 0; i < 3; ++i) // where one term alone is 1, and where all would be at most 1
    {
        double t = o->r[i] * o->z[i];
        low = pl__max(low, t - o->q[i]);
        size += t * t;
    }
    double high = pl__max(low, sqrt(size));
    for (int i = 0; i < 200; ++i)
    {
        double g = ellipsoid_g(o, low, &slope), next = low - g / slope;
        if (!(g > 0) || !(next > low))
            break;
        low = pl__min(next, high);
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        *(ellipsoid_g(o, middle, &slope) > 0 ? &low : &high) = middle;
    }
    return low;
}

// Axes in falling order.
static void sort_axes(const double extent[3], int order[3])
{
    for (int i = 0; i < 3; ++i)
        order[i] = i;
    for (int pass = 0; pass < 3; ++pass)
    {
        int i = pass == 1;
        if (extent[order[i]] < extent[order[i + 1]])
        {
            int swap = order[i];
            order[i] = order[i + 1], order[i + 1] = swap;
        }
    }
}

// The closest point over the half axes, x/e, for a point z = y/e of the positive octant.
static void ellipsoid_closest(const double e[3], const double z[3], double x[3])
{
    ellipsoid o;
    double slope, rest = 1;
    bool deep = z[2] == 0;
    for (int i = 0; i < 3; ++i)
    {
        o.r[i] = e[i] / e[2] * (e[i] / e[2]);
        o.q[i] = (e[i] - e[2]) / e[2] * ((e[i] + e[2]) / e[2]);
        o.z[i] = z[i];
        deep = deep && (o.q[i] > 0 || z[i] == 0);
    }
    deep = deep && ellipsoid_g(&o, 0, &slope) <= 0;
    double u = deep ? 0 : ellipsoid_root(&o);
    for (int i = 0; i < 3; ++i)
    {
        x[i] = z[i] > 0 ? o.r[i] * z[i] / (u + o.q[i]) : 0;
        rest -= x[i] * x[i];
    }
    if (deep)
        x[2] = sqrt(pl__max(rest, 0));
}

double pl__ellipsoid_distance(const pl__shape *s, const double p[3], double n[3])
{
    int order[3];
    sort_axes(s->def.extent, order);
    double e[3], z[3], x[3], inside = -1, distance = 0, length = 0;
    for (int i = 0; i < 3; ++i)
    {
        e[i] = 0.5 * s->def.extent[order[i]];
        z[i] = fabs(p[order[i]]) / e[i];
        inside += z[i] * z[i];
    }
    ellipsoid_closest(e, z, x);
    for (int i = 0; i < 3; ++i)
    {
        double off = e[i] * (z[i] - x[i]), slope = x[i] * (e[2] / e[i]);
        distance += off * off;
        length += slope * slope;
        n[order[i]] = slope;
    }
    for (int i = 0; i < 3; ++i)
        n[i] *= (p[i] < 0 ? -1 : 1) / sqrt(length);
    return inside < 0 ? -sqrt(distance) : sqrt(distance);
}
