// src/contact/closest.c -- closest points, one pair at a time: the oracle of closest.kernel.c.
//
// A vertex p and a triangle a, a + e0, a + e1. The foot of p - a = r on the plane is u e0 + v e1 with n = e0 x e1,
//
//     u = (r x e1).n / n.n,     v = (e0 x r).n / n.n,
//
// which is the closest point when u, v, 1 - u - v >= 0; else the closest lies on an edge. We take the best of these
// four by the distance that they really have, so a triangle thin enough to make nonsense of u and v is served by its
// edges.
//
// Two edges p + s d, q + t e with r = p - q and n = d x e: the lines are closest at s = (e x r).n / n.n. Clamp s to [0,
// 1], project that point onto the other edge (and clamp), and that one back. This finds the minimum, a quadratic over a
// square being what it is (Ericson 2005, 5.1.9). Crossing with n rather than solving the normal equations matters for
// edges that are nearly parallel: s errs by eps / angle, not eps / angle^2, and the distance by eps. Parallel ones may
// begin with any s.
#include "closest.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; ++d)
        out[d] = a[d] - b[d];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; ++d)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static double clamp(double t) { return t > 0 ? (t < 1 ? t : 1) : 0; }

// along / length, in [0, 1]; 0 for an edge without length.
static double fraction(double along, double length) { return length > 0 ? clamp(along / length) : 0; }

// ---- the normal ----------------------------------------------------------------------------------------------------

static double scale_to_unit(double v[3])
{
    double length = sqrt(dot(v, v));
    for (int d = 0; d < 3 && length > 0; ++d)
        v[d] /= length;
    return length;
}

static void any_across(const double longest[3], double normal[3])
{
    pl_vec3 a = pl_make3(longest[0], longest[1], longest[2]);
    double length = pl_length3(a);
    pl_vec3 across = length > 0 ? pl_perpendicular3(pl_scale3(1 / length, a)) : pl_make3(0, 1, 0);
    memcpy(normal, across.v, sizeof across.v);
}

void pl__contact_direct(const double x[4][3], pl__pair_kind kind, const double offset[3], pl__contact *contact)
{
    // the edges whose cross product is the normal, and the longer of them
    double e[2][3];
    subtract(x[kind == PL__EDGE_EDGE ? 1 : 2], x[kind == PL__EDGE_EDGE ? 0 : 1], e[0]);
    subtract(x[3], x[kind == PL__EDGE_EDGE ? 2 : 1], e[1]);
    double square[2] = {dot(e[0], e[0]), dot(e[1], e[1])};
    const double *longest = square[0] >= square[1] ? e[0] : e[1];
    double size = sqrt(square[0] >= square[1] ? square[0] : square[1]), *n = contact->normal;

    memcpy(n, offset, 3 * sizeof *n);
    contact->distance = scale_to_unit(n);
    if (contact->distance > PL__NORMAL_LEAST * size)
        return;
    // edges that are parallel but for rounding have no normal either
    cross(e[0], e[1], n);
    if (!(scale_to_unit(n) > PL__NORMAL_LEAST * sqrt(square[0]) * sqrt(square[1])))
        any_across(longest, n);
    if (dot(n, offset) < 0)
        for (int d = 0; d < 3; ++d)
            n[d] = -n[d];
}

// ---- vertex and triangle -------------------------------------------------------------------------------------------

typedef struct
{
    double r[3], e0[3], e1[3];
    double u, v, offset[3], square; // the best so far
} corner_view;

static void try_point(corner_view *c, double u, double v)
{
    double offset[3];
    for (int d = 0; d < 3; ++d)
        offset[d] = c->r[d] - u * c->e0[d] - v * c->e1[d];
    double square = dot(offset, offset);
    if (!(square < c->square))
        return;
    c->u = u, c->v = v, c->square = square;
    memcpy(c->offset, offset, sizeof offset);
}

static void try_foot(corner_view *c)
{
    double n[3], across0[3], across1[3];
    cross(c->e0, c->e1, n);
    cross(c->r, c->e1, across0);
    cross(c->e0, c->r, across1);
    double nn = dot(n, n), u = dot(across0, n) / nn, v = dot(across1, n) / nn;
    if (u >= 0 && v >= 0 && u + v <= 1)
        try_point(c, u, v);
}

static void try_edges(corner_view *c)
{
    double e2[3], r2[3];
    subtract(c->e1, c->e0, e2);
    subtract(c->r, c->e0, r2);
    double t = fraction(dot(r2, e2), dot(e2, e2));
    try_point(c, fraction(dot(c->r, c->e0), dot(c->e0, c->e0)), 0);
    try_point(c, 0, fraction(dot(c->r, c->e1), dot(c->e1, c->e1)));
    try_point(c, 1 - t, t);
}

void pl__closest_vertex_face(const double x[4][3], pl__contact *contact)
{
    corner_view c = {.square = INFINITY};
    subtract(x[0], x[1], c.r);
    subtract(x[2], x[1], c.e0);
    subtract(x[3], x[1], c.e1);
    try_foot(&c);
    try_edges(&c);
    double rest = 1 - c.u - c.v;
    const double weight[4] = {1, rest > 0 ? -rest : 0, -c.u, -c.v};
    memcpy(contact->weight, weight, sizeof weight);
    pl__contact_direct(x, PL__VERTEX_FACE, c.offset, contact);
}

// ---- two edges -----------------------------------------------------------------------------------------------------

static double along_lines(const double r[3], const double d[3], const double e[3])
{
    double n[3], er[3];
    cross(d, e, n);
    cross(e, r, er);
    return fraction(dot(er, n), dot(n, n));
}

void pl__closest_edge_edge(const double x[4][3], pl__contact *contact)
{
    double d[3], e[3], r[3], offset[3];
    subtract(x[1], x[0], d);
    subtract(x[3], x[2], e);
    subtract(x[0], x[2], r);
    double dd = dot(d, d), ee = dot(e, e), de = dot(d, e), rd = dot(r, d), re = dot(r, e);
    double s = along_lines(r, d, e), t = fraction(re + s * de, ee);
    s = fraction(t * de - rd, dd);
    for (int k = 0; k < 3; ++k)
        offset[k] = r[k] + s * d[k] - t * e[k];
    const double weight[4] = {1 - s, s, t - 1, -t};
    memcpy(contact->weight, weight, sizeof weight);
    pl__contact_direct(x, PL__EDGE_EDGE, offset, contact);
}
