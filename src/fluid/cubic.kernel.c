// src/fluid/cubic.kernel.c -- Catmull-Rom splines through 4 x 4 x 4 samples, point by point.
//
// The four rows of a column are one register. The sixteen columns around a point are looked up when they change only:
// points that follow each other are mostly between the same.
#include "base/simd.h"
#include "sample.h"

typedef struct
{
    int32_t column, low, high; // rows j - 1 .. j + 2 are in all main runs for low <= j <= high
    const double *at[16];      // row -1 of each
} stencil;

// No row is common where a column is beyond the lattice. A plane has one slice.
PL_INLINE void look_up(const pl__columns *c, const double *value, int32_t i, int32_t k, int slices, stencil *here)
{
    *here = (stencil){.column = i + c->nx * k, .low = 0, .high = -1};
    if (i < 1 || i + 2 >= c->nx || (slices == 4 && (k < 1 || k + 2 >= c->nz)))
        return;
    int32_t low = 0, high = INT32_MAX;
    for (int b = 0; b < slices; ++b)
        for (int a = 0; a < 4; ++a)
        {
            const pl__main_run *m = &c->main[i - 1 + a + c->nx * (slices == 4 ? k - 1 + b : k)];
            low = m->j0 > low ? m->j0 : low;
            high = m->j1 < high ? m->j1 : high;
            here->at[4 * b + a] = value + m->base - 1;
        }
    here->low = low + 1;
    here->high = high - 2;
}

PL_INLINE double sample(const stencil *here, int32_t j, const double part[3], int slices)
{
    double wx[4], wy[4], wz[4] = {1}, row[4] = {0};
    pl__catmull_rom(part[0], wx);
    pl__catmull_rom(part[1], wy);
    if (slices == 4)
        pl__catmull_rom(part[2], wz);
    for (int b = 0; b < slices; ++b)
        for (int a = 0; a < 4; ++a)
        {
            const double *p = here->at[4 * b + a] + j;
            double w = wx[a] * wz[b];
            for (int r = 0; r < 4; ++r)
                row[r] += w * p[r];
        }
    return (wy[0] * row[0] + wy[1] * row[1]) + (wy[2] * row[2] + wy[3] * row[3]);
}

void PL_KERNEL(pl__sample_cubic)(const pl__columns *c, const double *value, int32_t count, const double *const x[3],
                                 double *result, uint8_t *left)
{
    stencil here = {.column = -1};
    for (int32_t n = 0; n < count; ++n)
    {
        pl__cube cube = pl__cube_at(c, x[0][n], x[1][n], x[2][n]);
        if (cube.column != here.column)
            look_up(c, value, cube.column % c->nx, cube.column / c->nx, c->nz == 1 ? 1 : 4, &here);
        left[n] = cube.j < here.low || cube.j > here.high;
        if (!left[n])
            result[n] = c->nz == 1 ? sample(&here, cube.j, cube.part, 1) : sample(&here, cube.j, cube.part, 4);
    }
}
