// src/element/bend_reference.c -- scalar reference implementation of the bending kernels.
//
// One element at a time, with unit normals and heights, the C library's atan2, and the fading as documented.
#include "bend.h"
#include "math/vec3.h"

typedef struct
{
    double theta;
    pl_vec3 gradient[4]; // at x_i, x_j, x_k and a
} hinge;

static double faded(double present2, double least2) { return present2 < least2 ? present2 / least2 : 1; }

static pl_vec3 unit(pl_vec3 a)
{
    double length = pl_length3(a);
    return length > 0 ? pl_scale3(1 / length, a) : a;
}

// One side of the hinge: the force -n/h at the opposite vertex and its reaction at the foot, times `fade`.
static void add_side(pl_vec3 normal, double height, double foot, double fade, pl_vec3 *vertex, pl_vec3 *first,
                     pl_vec3 *second)
{
    if (!(fade > 0))
        return;
    *vertex = pl_axpy3(-fade / height, normal, *vertex);
    *first = pl_axpy3(fade * (1 - foot) / height, normal, *first);
    *second = pl_axpy3(fade * foot / height, normal, *second);
}

static hinge measure(const pl__bend_rest *rest, int32_t lane, int i, const double *x)
{
    pl_vec3 p[4];
    const int corner[4] = {i, (i + 1) % 3, (i + 2) % 3, 3 + i};
    for (int k = 0; k < 4; ++k)
    {
        const double *at = &x[3 * rest->node[corner[k]][lane]];
        p[k] = pl_make3(at[0], at[1], at[2]);
    }
    pl_vec3 e = pl_sub3(p[2], p[1]), N = pl_cross3(e, pl_sub3(p[0], p[1])), M = pl_cross3(pl_sub3(p[3], p[1]), e);
    double l = pl_length3(e), l2 = pl_dot3(e, e);
    double fade = faded(l2, 1 / rest->fade_length2[lane]) * faded(pl_dot3(N, N), rest->fade_area2[lane]) *
                  faded(pl_dot3(M, M), rest->fade_area2[lane]);
    pl_vec3 n = unit(N), m = unit(M), zero = pl_make3(0, 0, 0);
    hinge h = {.theta = atan2(-l * pl_dot3(N, pl_sub3(p[3], p[1])), pl_dot3(N, M)),
               .gradient = {zero, zero, zero, zero}};
    add_side(n, pl_length3(N) / l, pl_dot3(pl_sub3(p[0], p[1]), e) / l2, fade, &h.gradient[0], &h.gradient[1],
             &h.gradient[2]);
    add_side(m, pl_length3(M) / l, pl_dot3(pl_sub3(p[3], p[1]), e) / l2, fade, &h.gradient[3], &h.gradient[1],
             &h.gradient[2]);
    return h;
}

static void add_moment(const hinge *h, int i, double moment, double force[6][3])
{
    const int corner[4] = {i, (i + 1) % 3, (i + 2) % 3, 3 + i};
    for (int k = 0; k < 4; ++k)
        for (int d = 0; d < 3; ++d)
            force[corner[k]][d] -= moment * h->gradient[k].v[d];
}

static void moments(const pl__bend_rest *rest, int32_t lane, const double angle[3], double moment[3])
{
    static const int pair[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 3; ++i)
    {
        moment[i] = 0;
        for (int j = 0; j < 3; ++j)
            moment[i] += rest->stiffness[pair[i][j]][lane] * angle[j];
    }
}

static void clear(double force[6][3])
{
    for (int k = 0; k < 18; ++k)
        force[k / 3][k % 3] = 0;
}

// The coupling of an edge at angle t from rest to the other edges and to its director, and its derivative.
static double hold(double t, double *slope)
{
    const double pi = 3.141592653589793;
    double left = (pi - fabs(t)) / (pi / 2);
    *slope = left < 1 ? -copysign(4 / pi * (1 - left), t) : 0;
    return left < 1 ? left * (2 - left) : 1;
}

// E = 1/2 u^T K u + 1/2 sum K_ii (1 - h^2) t^2 with u = h t + delta/c: dE/dt, and E
static double fold(const pl__bend_rest *rest, int32_t lane, const double t[3], double moment[3])
{
    double h[3], slope[3], u[3], inner[3], energy = 0;
    for (int i = 0; i < 3; ++i)
    {
        h[i] = hold(t[i], &slope[i]);
        u[i] = h[i] * t[i] + rest->delta[i][lane] * rest->inverse_share[i][lane];
    }
    moments(rest, lane, u, inner);
    for (int i = 0; i < 3; ++i)
    {
        double K = rest->stiffness[i][lane];
        energy += 0.5 * inner[i] * u[i] + 0.5 * K * (1 - h[i] * h[i]) * t[i] * t[i];
        moment[i] =
            inner[i] * (h[i] + slope[i] * t[i]) + K * ((1 - h[i] * h[i]) * t[i] - h[i] * slope[i] * t[i] * t[i]);
    }
    return energy;
}

void pl__bend_force_reference(const pl__element_group *group, int32_t element, const double *x, double strength,
                              double force[6][3], double *energy, double angle[3])
{
    const pl__bend_rest *rest = &group->bend[element / PL_ELEMENT_LANES];
    int32_t lane = element % PL_ELEMENT_LANES;
    const double pi = 3.141592653589793;
    double turn[3], moment[3];
    hinge h[3];
    for (int i = 0; i < 3; ++i)
    {
        h[i] = measure(rest, lane, i, x);
        turn[i] = h[i].theta - rest->angle[i][lane];
        turn[i] -= turn[i] > pi ? 2 * pi : turn[i] <= -pi ? -2 * pi : 0;
        if (angle)
            angle[i] = turn[i];
    }
    double stored = strength * fold(rest, lane, turn, moment);
    clear(force);
    for (int i = 0; i < 3; ++i)
        add_moment(&h[i], i, strength * moment[i], force);
    if (energy)
        *energy = stored;
}

void pl__bend_damping_reference(const pl__element_group *group, int32_t element, const double *x, const double *v,
                                double strength, double force[6][3])
{
    const pl__bend_rest *rest = &group->bend[element / PL_ELEMENT_LANES];
    int32_t lane = element % PL_ELEMENT_LANES;
    double rate[3] = {0}, moment[3];
    hinge h[3];
    for (int i = 0; i < 3; ++i)
    {
        h[i] = measure(rest, lane, i, x);
        const int corner[4] = {i, (i + 1) % 3, (i + 2) % 3, 3 + i};
        for (int k = 0; k < 4; ++k)
            for (int d = 0; d < 3; ++d)
                rate[i] += h[i].gradient[k].v[d] * v[3 * rest->node[corner[k]][lane] + d];
    }
    moments(rest, lane, rate, moment);
    clear(force);
    for (int i = 0; i < 3; ++i)
        add_moment(&h[i], i, -strength * rest->damping[lane] * moment[i], force);
}
