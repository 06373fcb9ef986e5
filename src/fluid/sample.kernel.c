// src/fluid/sample.kernel.c -- trilinear interpolation, PL_LANES points at a time.
//
// Numbers of a column are contiguous, so a point reads four pairs. Points that follow each other are mostly between the
// same four columns: their runs are looked up when that changes only.
#include "base/simd.h"
#include "sample.h"

// Samples that a coordinate is between: the lower one, and the part of the way to the next.
PL_INLINE void locate(const double *x, double origin, double inverse_h, int32_t n, int32_t *index, double *part)
{
    pl_real_w top = pl_set_w((double)(n - 1));
    for (int lane = 0; lane < PL__SAMPLE_BLOCK; lane += PL_LANES)
    {
        pl_real_w s = (pl_load_w(&x[lane]) - pl_set_w(origin)) * pl_set_w(inverse_h);
        // NaN becomes 0
        pl_store_w(&part[lane], pl_select_w(pl_gt_w(s, pl_set_w(0)), pl_min_w(s, top), pl_set_w(0)));
    }
    int32_t last = n > 1 ? n - 2 : 0;
    for (int k = 0; k < PL__SAMPLE_BLOCK; ++k)
    {
        int32_t i = (int32_t)part[k];
        index[k] = i < last ? i : last;
    }
    for (int k = 0; k < PL__SAMPLE_BLOCK; ++k)
        part[k] -= (double)index[k];
}

// Eight samples of each point, by corners: row fastest, then x, then z.
PL_INLINE void gather(const pl__columns *c, const double *value, const int32_t *i, const int32_t *j, const int32_t *k,
                      double sample[8][PL__SAMPLE_BLOCK], uint8_t *left)
{
    int32_t right = c->nx > 1, back = c->nz > 1 ? c->nx : 0, known = -1, low = 0, high = -1;
    const double *at[4] = {value, value, value, value};
    for (int n = 0; n < PL__SAMPLE_BLOCK; ++n)
    {
        int32_t column = i[n] + c->nx * k[n];
        if (column != known)
        {
            const pl__main_run *m[4] = {&c->main[column], &c->main[column + right], &c->main[column + back],
                                        &c->main[column + back + right]};
            known = column;
            low = m[0]->j0, high = m[0]->j1;
            for (int q = 0; q < 4; ++q)
            {
                at[q] = value + m[q]->base;
                low = m[q]->j0 > low ? m[q]->j0 : low;
                high = m[q]->j1 < high ? m[q]->j1 : high;
            }
        }
        left[n] = j[n] < low || j[n] >= high;
        for (int q = 0; q < 4; ++q)
        {
            const double *v = left[n] ? value : at[q] + j[n];
            sample[2 * q][n] = v[0];
            sample[2 * q + 1][n] = v[1];
        }
    }
}

void PL_KERNEL(pl__sample_block)(const pl__columns *c, const double *value, bool bounds, pl__sample_block *b)
{
    int32_t i[PL__SAMPLE_BLOCK], j[PL__SAMPLE_BLOCK], k[PL__SAMPLE_BLOCK];
    double part[3][PL__SAMPLE_BLOCK], sample[8][PL__SAMPLE_BLOCK];
    locate(b->x[0], c->origin[0], c->inverse_h, c->nx, i, part[0]);
    locate(b->x[1], c->origin[1], c->inverse_h, c->ny, j, part[1]);
    locate(b->x[2], c->origin[2], c->inverse_h, c->nz, k, part[2]);
    gather(c, value, i, j, k, sample, b->left);
    for (int lane = 0; lane < PL__SAMPLE_BLOCK; lane += PL_LANES)
    {
        pl_real_w s[8], pair[4], x = pl_load_w(&part[0][lane]), y = pl_load_w(&part[1][lane]);
        for (int q = 0; q < 8; ++q)
            s[q] = pl_load_w(&sample[q][lane]);
        for (int q = 0; q < 4; ++q)
            pair[q] = s[2 * q] + y * (s[2 * q + 1] - s[2 * q]);
        pl_real_w front = pair[0] + x * (pair[1] - pair[0]), behind = pair[2] + x * (pair[3] - pair[2]);
        pl_store_w(&b->value[lane], front + pl_load_w(&part[2][lane]) * (behind - front));
        if (!bounds)
            continue;
        pl_real_w low = s[0], high = s[0];
        for (int q = 1; q < 8; ++q)
        {
            low = pl_min_w(low, s[q]);
            high = pl_max_w(high, s[q]);
        }
        pl_store_w(&b->low[lane], low);
        pl_store_w(&b->high[lane], high);
    }
}
