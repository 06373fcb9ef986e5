// src/contact/foresee.c
#include "foresee.h"
#include "impulse.h"
#include "tolerances.h"

#include <math.h>

static double square_of_difference(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return pl__impulse_dot(d, d);
}

// How far points of the two things move relative to each other, at most.
static double longest_way(const double *v, double dt, pl__pair_kind kind, const int32_t node[4])
{
    double most2 = 0;
    int first = kind == PL__VERTEX_FACE ? 1 : 2;
    for (int i = 0; i < first; ++i)
        for (int j = first; j < 4; ++j)
            most2 = fmax(most2, square_of_difference(&v[3 * (size_t)node[i]], &v[3 * (size_t)node[j]]));
    return dt * sqrt(most2);
}

static void corners_at(const double *x, const double *v, double time, const int32_t node[4], double corner[4][3])
{
    for (int i = 0; i < 4; ++i)
        for (size_t d = 0, at = 3 * (size_t)node[i]; d < 3; ++d)
            corner[i][d] = x[at + d] + time * v[at + d];
}

// The normal of a triangle, on the side of `normal`. False if it is far from that.
static bool turn_to_plane(const double corner[4][3], double normal[3])
{
    double e[2][3], n[3];
    for (int d = 0; d < 3; ++d)
    {
        e[0][d] = corner[2][d] - corner[1][d];
        e[1][d] = corner[3][d] - corner[1][d];
    }
    for (int d = 0; d < 3; ++d)
        n[d] = e[0][(d + 1) % 3] * e[1][(d + 2) % 3] - e[0][(d + 2) % 3] * e[1][(d + 1) % 3];
    double length = sqrt(pl__impulse_dot(n, n)), along = pl__impulse_dot(n, normal);
    if (!(fabs(along) > PL__ABOVE_COSINE * length))
        return false;
    for (int d = 0; d < 3; ++d)
        normal[d] = (along > 0 ? 1 : -1) * n[d] / length;
    return true;
}

static bool is_at_end(const pl__contact *k)
{
    for (int i = 0; i < 4; ++i)
        if (fabs(k->weight[i]) < PL__EDGE_END)
            return true;
    return false;
}

// To where the pair is too near, from where it is not; false if it never is.
static bool advance(const double *x, const double *v, double dt, pl__pair_kind kind, double rest, pl__contact *k,
                    double *when)
{
    double way = longest_way(v, dt, kind, k->node), corner[4][3];
    for (int i = 0; i < PL__ADVANCES && k->distance > PL__ADVANCE_MET * rest; ++i)
    {
        *when += (k->distance - PL__ADVANCE_TARGET * rest) / way;
        if (!(*when < 1))
            return false;
        corners_at(x, v, *when * dt, k->node, corner);
        pl__impulse_measure((const double(*)[3])corner, kind, k);
    }
    return true;
}

bool pl__foresee(const double *x, const double *v, double dt, pl__pair_kind kind, double rest, pl__contact *k,
                 double *when, double *gap)
{
    double corner[4][3], apart[3];
    *when = 0;
    *gap = k->distance - rest;
    if (*gap > PL__TOUCHING * rest && !advance(x, v, dt, kind, rest, k, when))
        return false;
    if (kind == PL__EDGE_EDGE && is_at_end(k))
        return false;
    if (kind == PL__VERTEX_FACE)
    {
        corners_at(x, v, *when * dt, k->node, corner);
        (void)turn_to_plane((const double(*)[3])corner, k->normal);
    }
    if (*when > 0)
    {
        pl__impulse_relative(k, x, NULL, apart);
        *gap = pl__impulse_dot(apart, k->normal) - rest;
    }
    return true;
}
