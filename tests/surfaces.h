// tests/surfaces.h -- triangle surfaces that tests make for themselves.
#ifndef PL_TEST_SURFACES_H
#define PL_TEST_SURFACES_H

#include "test.h"
#include <pliant/mesh.h>

typedef struct test_surface
{
    double *x;
    int32_t *t;
    int32_t nodes, triangles;
} test_surface;

__attribute__((unused)) static test_surface surface_room(int32_t nodes, int32_t triangles)
{
    test_surface s = {calloc((size_t)nodes * 3, sizeof(double)), calloc((size_t)triangles * 3, sizeof(int32_t)), 0, 0};
    if (!s.x || !s.t)
        abort();
    return s;
}

__attribute__((unused)) static void surface_free(test_surface *s)
{
    free(s->x);
    free(s->t);
    *s = (test_surface){0};
}

__attribute__((unused)) static void surface_move(test_surface *s, double scale, double x, double y, double z)
{
    for (int32_t i = 0; i < s->nodes; ++i)
    {
        s->x[3 * i] = scale * s->x[3 * i] + x;
        s->x[3 * i + 1] = scale * s->x[3 * i + 1] + y;
        s->x[3 * i + 2] = scale * s->x[3 * i + 2] + z;
    }
}

__attribute__((unused)) static void surface_turn(test_surface *s)
{
    for (int32_t i = 0; i < s->triangles; ++i)
    {
        int32_t swap = s->t[3 * i];
        s->t[3 * i] = s->t[3 * i + 1], s->t[3 * i + 1] = swap;
    }
}

__attribute__((unused)) static test_surface surface_join(const test_surface *a, const test_surface *b)
{
    test_surface s = surface_room(a->nodes + b->nodes, a->triangles + b->triangles);
    s.nodes = a->nodes + b->nodes, s.triangles = a->triangles + b->triangles;
    memcpy(s.x, a->x, (size_t)a->nodes * 3 * sizeof *s.x);
    if (b->nodes)
        memcpy(s.x + 3 * a->nodes, b->x, (size_t)b->nodes * 3 * sizeof *s.x);
    memcpy(s.t, a->t, (size_t)a->triangles * 3 * sizeof *s.t);
    for (int32_t i = 0; i < 3 * b->triangles; ++i)
        s.t[3 * a->triangles + i] = b->t[i] + a->nodes;
    return s;
}

// Every triangle gets three nodes of its own.
__attribute__((unused)) static test_surface surface_explode(const test_surface *a)
{
    test_surface s = surface_room(3 * a->triangles, a->triangles);
    s.nodes = 3 * a->triangles, s.triangles = a->triangles;
    for (int32_t i = 0; i < s.nodes; ++i)
    {
        memcpy(s.x + 3 * i, a->x + 3 * a->t[i], 3 * sizeof *s.x);
        s.t[i] = i;
    }
    return s;
}

__attribute__((unused)) static test_surface surface_torus(double radius, double tube, int32_t nu, int32_t nv)
{
    test_surface s = surface_room(nu * nv, 2 * nu * nv);
    const double two_pi = 6.28318530717958648;
    for (int32_t i = 0; i < nu; ++i)
        for (int32_t j = 0; j < nv; ++j)
        {
            double u = two_pi * i / nu, v = two_pi * j / nv, r = radius + tube * cos(v);
            double *x = s.x + 3 * s.nodes++;
            x[0] = r * cos(u), x[1] = r * sin(u), x[2] = tube * sin(v);
            int32_t a = i * nv + j, b = (i + 1) % nu * nv + j, c = (i + 1) % nu * nv + (j + 1) % nv,
                    d = i * nv + (j + 1) % nv;
            int32_t *t = s.t + 3 * s.triangles;
            s.triangles += 2;
            t[0] = a, t[1] = b, t[2] = c, t[3] = a, t[4] = c, t[5] = d;
        }
    return s;
}

__attribute__((unused)) static test_surface surface_box(double a, double b, double c)
{
    static const int8_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    test_surface s = surface_room(8, 12);
    for (int i = 0; i < 8; ++i, ++s.nodes)
        s.x[3 * i] = (i & 1 ? a : -a) / 2, s.x[3 * i + 1] = (i & 2 ? b : -b) / 2, s.x[3 * i + 2] = (i & 4 ? c : -c) / 2;
    for (int q = 0; q < 6; ++q, s.triangles += 2)
    {
        int32_t *t = s.t + 6 * q;
        t[0] = quads[q][0], t[1] = quads[q][1], t[2] = quads[q][2];
        t[3] = quads[q][0], t[4] = quads[q][2], t[5] = quads[q][3];
    }
    return s;
}

// A sphere of radius 1: the triangles of an octahedron cut into n x n.
__attribute__((unused)) static test_surface surface_sphere(int32_t n)
{
    test_surface s = surface_room(8 * (n + 1) * (n + 2) / 2, 8 * n * n);
    for (int octant = 0; octant < 8; ++octant)
    {
        double sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;
        bool mirrored = sx * sy * sz < 0;
        int32_t base = s.nodes;
        for (int32_t i = 0; i <= n; ++i)
            for (int32_t j = 0; j <= n - i; ++j)
            {
                double p[3] = {sx * i, sy * j, sz * (n - i - j)},
                       length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                for (int d = 0; d < 3; ++d)
                    s.x[3 * s.nodes + d] = p[d] / length;
                s.nodes++;
            }
#define AT(i, j) (base + (i) * (n + 1) - (i) * ((i)-1) / 2 + (j))
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < n - i; ++j)
                for (int half = 0; half < (j < n - i - 1 ? 2 : 1); ++half)
                {
                    int32_t *t = s.t + 3 * s.triangles++;
                    t[0] = half ? AT(i + 1, j + 1) : AT(i, j);
                    t[1] = half ? AT(i, j + 1) : AT(i + 1, j);
                    t[2] = half ? AT(i + 1, j) : AT(i, j + 1);
                    if (mirrored)
                    {
                        int32_t swap = t[1];
                        t[1] = t[2], t[2] = swap;
                    }
                }
#undef AT
    }
    return s;
}

__attribute__((unused)) static double surface_volume(const test_surface *s)
{
    double volume = 0;
    for (int32_t i = 0; i < s->triangles; ++i)
    {
        double c[9];
        for (int k = 0; k < 9; ++k) // relative to some point of it, for surfaces far from the origin
            c[k] = s->x[3 * s->t[3 * i + k / 3] + k % 3] - s->x[3 * s->t[0] + k % 3];
        volume += (c[0] * (c[4] * c[8] - c[5] * c[7]) + c[1] * (c[5] * c[6] - c[3] * c[8]) +
                   c[2] * (c[3] * c[7] - c[4] * c[6])) /
                  6;
    }
    return volume;
}

#endif
