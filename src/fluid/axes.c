// src/fluid/axes.c
#include "axes.h"
#include "math/eig3.h"

#include <math.h>

// Sums of volume, of x and of x x^T (xx yy zz yz xz xy), in cells about the origin of the lattice.
typedef struct moments
{
    double volume, first[3], second[6];
} moments;

// Rows j0 to j1 of a column, of which a share is liquid.
static void add_rows(int32_t i, int32_t k, int32_t j0, int32_t j1, double share, moments *m)
{
    double s[3], x = i, z = k, middle = 0.5 * ((double)j0 + (double)j1);
    pl__rows_power_sums(j0, j1, middle, s);
    double y = middle * s[0], volume = share * s[0];
    m->volume += volume;
    m->first[0] += x * volume;
    m->first[1] += y * share;
    m->first[2] += z * volume;
    // a cell itself has 1/12 along each axis
    m->second[0] += (x * x + 1. / 12) * volume;
    m->second[1] += share * (s[2] + middle * y) + volume / 12;
    m->second[2] += (z * z + 1. / 12) * volume;
    m->second[3] += y * z * share;
    m->second[4] += x * z * volume;
    m->second[5] += x * y * share;
}

static moments add_up(const pl__columns *c, const double *part, const double *open)
{
    moments m = {0};
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            int32_t i = column % c->nx, k = column / c->nx;
            if (run->kind != PL__RUN_UNIFORM)
                add_rows(i, k, run->j0, run->j1, 1, &m);
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                size_t n = (size_t)(run->first + j - run->j0);
                if (part[n] * open[n] > 0)
                    add_rows(i, k, j, j, part[n] * open[n], &m);
            }
        }
    return m;
}

void pl__liquid_axes_find(const pl__columns *c, const double *part, const double *open, pl__liquid_axes *axes)
{
    static const int place[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    moments m = add_up(c, part, open);
    pl_mat3 C, Q;
    double lambda[3];
    *axes = (pl__liquid_axes){0};
    if (!(m.volume > 0))
        return;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            C.c[b][a] = m.second[place[a][b]] / m.volume - m.first[a] / m.volume * (m.first[b] / m.volume);
    pl__eig3(&C, &Q, lambda);
    for (int a = 0; a < 3; ++a)
        axes->length[a] = c->h * sqrt(12 * fmax(lambda[a], 0));
    axes->angle = 180 / M_PI * atan2(Q.c[0][1], Q.c[0][0]);
    axes->angle -= axes->angle > 90 ? 180 : axes->angle <= -90 ? -180 : 0;
}
