// src/io/polygon.c -- ear clipping.
//
// Drop the coordinate with the largest component of the normal to project the polygon to a plane. A corner is an ear
// when it turns left and no other corner lies in its triangle; a simple polygon always has two (Meisters 1975). Cut one
// off, repeat. Nearly planar polygons work as well; self-intersecting ones may run out of ears, and the rest becomes a
// fan, so the number of triangles is always the same. The search continues at the last ear: that takes quadratic time
// on all but contrived polygons, and gives better shaped triangles than starting over.
#include "io/polygon.h"

#include <math.h>
#include <stdbool.h>

typedef struct flat
{
    double x[PL__POLYGON_MAX][2];  // corners in the plane, turning left
    int32_t left[PL__POLYGON_MAX]; // corners not cut off yet
    int count;
} flat;

// Newell's normal: twice the area vector, whatever the shape. Relative to corner 0, against cancellation far away.
static void find_normal(const double *position, const int32_t *corner, int count, double normal[3])
{
    const double *o = &position[3 * (int64_t)corner[0]];
    normal[0] = normal[1] = normal[2] = 0;
    for (int i = 1; i + 1 < count; ++i)
    {
        const double *p = &position[3 * (int64_t)corner[i]], *q = &position[3 * (int64_t)corner[i + 1]];
        for (int k = 0; k < 3; ++k)
        {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            normal[k] += (p[a] - o[a]) * (q[b] - o[b]) - (p[b] - o[b]) * (q[a] - o[a]);
        }
    }
}

static void flatten(flat *f, const double *position, const int32_t *corner, int count)
{
    double normal[3];
    find_normal(position, corner, count, normal);
    int drop = 0;
    for (int k = 1; k < 3; ++k)
        if (fabs(normal[k]) > fabs(normal[drop]))
            drop = k;
    int a = (drop + 1) % 3, b = (drop + 2) % 3;
    f->count = count;
    for (int i = 0; i < count; ++i)
    {
        const double *p = &position[3 * (int64_t)corner[i]];
        f->x[i][0] = normal[drop] < 0 ? p[b] : p[a];
        f->x[i][1] = normal[drop] < 0 ? p[a] : p[b];
        f->left[i] = i;
    }
}

// Twice the area of the triangle a b c; positive when it turns left.
static double turn(const flat *f, int32_t a, int32_t b, int32_t c)
{
    const double *p = f->x[a], *q = f->x[b], *r = f->x[c];
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static bool holds(const flat *f, int32_t a, int32_t b, int32_t c, int32_t p)
{
    return turn(f, a, b, p) >= 0 && turn(f, b, c, p) >= 0 && turn(f, c, a, p) >= 0;
}

static bool same_point(const flat *f, int32_t a, int32_t b)
{
    return f->x[a][0] == f->x[b][0] && f->x[a][1] == f->x[b][1];
}

static bool is_ear(const flat *f, int at)
{
    int32_t a = f->left[(at + f->count - 1) % f->count], b = f->left[at], c = f->left[(at + 1) % f->count];
    if (!(turn(f, a, b, c) > 0))
        return false;
    for (int i = 0; i < f->count; ++i)
    {
        int32_t p = f->left[i];
        bool corner = same_point(f, p, a) || same_point(f, p, b) || same_point(f, p, c);
        if (!corner && holds(f, a, b, c, p))
            return false;
    }
    return true;
}

static bool is_convex(const flat *f)
{
    for (int i = 0; i < f->count; ++i)
        if (turn(f, i, (i + 1) % f->count, (i + 2) % f->count) < 0)
            return false;
    return true;
}

static void cut_fan(const flat *f, int32_t *triangles)
{
    for (int32_t i = 1; i + 1 < f->count; ++i, triangles += 3)
    {
        triangles[0] = f->left[0];
        triangles[1] = f->left[i];
        triangles[2] = f->left[i + 1];
    }
}

// The next ear from `at` on, or -1.
static int find_ear(const flat *f, int at)
{
    for (int tries = 0; tries < f->count; ++tries, ++at)
        if (is_ear(f, at % f->count))
            return at % f->count;
    return -1;
}

static void cut_ear(flat *f, int at, int32_t *triangle)
{
    triangle[0] = f->left[(at + f->count - 1) % f->count];
    triangle[1] = f->left[at];
    triangle[2] = f->left[(at + 1) % f->count];
    f->count--;
    for (int i = at; i < f->count; ++i)
        f->left[i] = f->left[i + 1];
}

void pl__polygon_cut(const double *position, const int32_t *corner, int count, int32_t *triangles)
{
    flat f;
    flatten(&f, position, corner, count);
    int at = is_convex(&f) ? -1 : find_ear(&f, 0);
    for (; at >= 0 && f.count > 3; triangles += 3)
    {
        cut_ear(&f, at, triangles);
        at = find_ear(&f, at);
    }
    cut_fan(&f, triangles);
}
