// tests/clip.h -- how much of a solid is in each tetrahedron: an oracle that shares nothing with src/embed/cut.c.
#ifndef PL_TEST_CLIP_H
#define PL_TEST_CLIP_H

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "test.h"

__attribute__((unused)) static double volume_of(double x[4][3])
{
    double a[3], b[3], c[3];
    for (int d = 0; d < 3; ++d)
        a[d] = x[1][d] - x[0][d], b[d] = x[2][d] - x[0][d], c[d] = x[3][d] - x[0][d];
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
            a[2] * (b[0] * c[1] - b[1] * c[0])) /
           6;
}

static void between(const double *a, const double *b, double ha, double hb, double *out)
{
    for (int d = 0; d < 3; ++d)
        out[d] = a[d] + ha / (ha - hb) * (b[d] - a[d]);
}

// The part of a tetrahedron behind the planes k .. 3 (normal and offset), by cutting it into tetrahedra.
static double volume_behind(double x[4][3], double plane[4][4], int k)
{
    if (k == 4)
        return fabs(volume_of(x));
    double in[4][3], out[4][3], h_in[4], h_out[4], y[3][4][3], sum = 0;
    int inside = 0, outside = 0, parts = 0;
    for (int i = 0; i < 4; ++i)
    {
        double h = plane[k][0] * x[i][0] + plane[k][1] * x[i][1] + plane[k][2] * x[i][2] - plane[k][3];
        if (h <= 0)
            memcpy(in[inside], x[i], sizeof in[0]), h_in[inside++] = h;
        else
            memcpy(out[outside], x[i], sizeof out[0]), h_out[outside++] = h;
    }
    double p[4][4][3];
    for (int i = 0; i < inside; ++i)
        for (int j = 0; j < outside; ++j)
            between(in[i], out[j], h_in[i], h_out[j], p[i][j]);
#define PUT(a, b, c, d)                                                                                                \
    (memcpy(y[parts][0], a, 24), memcpy(y[parts][1], b, 24), memcpy(y[parts][2], c, 24), memcpy(y[parts++][3], d, 24))
    if (inside == 4)
        return volume_behind(x, plane, k + 1);
    if (inside == 1)
        PUT(in[0], p[0][0], p[0][1], p[0][2]);
    if (inside == 2) // a prism: in0 p00 p01, in1 p10 p11
        PUT(in[0], p[0][0], p[0][1], in[1]), PUT(p[0][0], p[0][1], in[1], p[1][0]),
            PUT(p[0][1], in[1], p[1][0], p[1][1]);
    if (inside == 3) // a prism: in0 in1 in2, p00 p10 p20
        PUT(in[0], in[1], in[2], p[0][0]), PUT(in[1], in[2], p[0][0], p[1][0]), PUT(in[2], p[0][0], p[1][0], p[2][0]);
#undef PUT
    for (int i = 0; i < parts; ++i)
        sum += volume_behind(y[i], plane, k + 1);
    return sum;
}

static bool boxes_apart(double a[4][3], double b[4][3])
{
    for (int d = 0; d < 3; ++d)
        if (fmax(fmax(a[0][d], a[1][d]), fmax(a[2][d], a[3][d])) <
                fmin(fmin(b[0][d], b[1][d]), fmin(b[2][d], b[3][d])) ||
            fmin(fmin(a[0][d], a[1][d]), fmin(a[2][d], a[3][d])) > fmax(fmax(b[0][d], b[1][d]), fmax(b[2][d], b[3][d])))
            return true;
    return false;
}

static void find_planes(double x[4][3], double plane[4][4])
{
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int f = 0; f < 4; ++f)
    {
        const double *a = x[face[f][0]], *b = x[face[f][1]], *c = x[face[f][2]];
        pl_vec3 n =
            pl_cross3(pl_make3(b[0] - a[0], b[1] - a[1], b[2] - a[2]), pl_make3(c[0] - a[0], c[1] - a[1], c[2] - a[2]));
        memcpy(plane[f], n.v, sizeof n.v);
        plane[f][3] = pl_dot3(n, pl_make3(a[0], a[1], a[2]));
    }
}

// How much of the solid is in each tetrahedron: the solid is a signed sum of cones over its triangles.
__attribute__((unused)) static double *volumes_in_tets(const pl_mesh *mesh, const pl_surface *s)
{
    double *volume = calloc((size_t)mesh->element_count, sizeof *volume), apex[3];
    for (int d = 0; d < 3; ++d)
        apex[d] = 0.51 * mesh->position[d] + 0.49 * mesh->position[3 * mesh->node_count - 3 + d];
    for (int32_t e = 0; e < mesh->element_count; ++e)
    {
        double x[4][3], plane[4][4];
        for (int c = 0; c < 4; ++c)
            memcpy(x[c], &mesh->position[3 * mesh->element[4 * e + c]], sizeof x[c]);
        find_planes(x, plane);
        for (int32_t t = 0; t < s->triangle_count; ++t)
        {
            double cone[4][3];
            memcpy(cone[0], apex, sizeof apex);
            for (int c = 0; c < 3; ++c)
                memcpy(cone[c + 1], &s->position[3 * s->triangle[3 * t + c]], sizeof cone[0]);
            if (!boxes_apart(cone, x))
                volume[e] += volume_of(cone) > 0 ? volume_behind(cone, plane, 0) : -volume_behind(cone, plane, 0);
        }
    }
    return volume;
}

#endif
