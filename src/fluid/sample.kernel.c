// src/fluid/sample.kernel.c -- trilinear interpolation, eight points at a time.
//
// Numbers of a column are contiguous, so a point reads four pairs. Points that follow each other are mostly between the
// same four columns, or those beside them: what was looked up is kept for the next. Where they also follow each other
// by rows, as cells and faces that have moved alike do, what they read are whole registers.
#include "sample.h"
#include "base/simd.h"

enum
{
    GROUP = PL__SAMPLE_GROUP
};

// Where points are along an axis of a lattice: the lower of the two samples, and the part of the way to the next.
typedef struct
{
    int32_t index[GROUP];
    double part[GROUP];
} place;

PL_INLINE void locate(const double *x, double origin, double inverse_h, int32_t n, place *p)
{
    pl_real_w top = pl_set_w((double)(n - 1));
    for (int lane = 0; lane < GROUP; lane += PL_LANES)
    {
        pl_real_w s = (pl_load_w(&x[lane]) - pl_set_w(origin)) * pl_set_w(inverse_h);
        // NaN becomes 0
        pl_store_w(&p->part[lane], pl_select_w(pl_gt_w(s, pl_set_w(0)), pl_min_w(s, top), pl_set_w(0)));
    }
    int32_t last = n > 1 ? n - 2 : 0;
    for (int k = 0; k < GROUP; ++k)
    {
        int32_t i = (int32_t)p->part[k];
        p->index[k] = i < last ? i : last;
        p->part[k] -= (double)p->index[k];
    }
}

// The four columns around a point, and the rows that their main runs share: pairs (j, j + 1) for low <= j < high.
typedef struct
{
    int32_t column, low, high;
    int32_t base[4]; // number of row 0 of each
} corners;

PL_INLINE void look_up(const pl__columns *c, int32_t column, corners *here)
{
    int32_t right = c->nx > 1, back = c->nz > 1 ? c->nx : 0;
    const pl__main_run *m[4] = {&c->main[column], &c->main[column + right], &c->main[column + back],
                                &c->main[column + back + right]};
    here->column = column;
    here->low = m[0]->j0, here->high = m[0]->j1;
    for (int q = 0; q < 4; ++q)
    {
        here->base[q] = m[q]->base;
        here->low = m[q]->j0 > here->low ? m[q]->j0 : here->low;
        here->high = m[q]->j1 < here->high ? m[q]->j1 : here->high;
    }
}

// What has been looked up, by columns modulo four along each axis.
typedef struct
{
    corners at[16];
} corner_cache;

PL_INLINE void forget(corner_cache *cache)
{
    for (int n = 0; n < 16; ++n)
        cache->at[n].column = -1;
}

PL_INLINE const corners *find_corners(const pl__columns *c, int32_t i, int32_t k, corner_cache *cache)
{
    corners *here = &cache->at[(i & 3) | (k & 3) << 2];
    if (here->column != i + c->nx * k)
        look_up(c, i + c->nx * k, here);
    return here;
}

typedef enum
{
    SCATTERED,
    STACKED, // between the same columns
    STRAIGHT // and row by row
} order;

PL_INLINE order order_of(const int32_t *i, const int32_t *j, const int32_t *k)
{
    int32_t columns = 0, rows = 0;
    for (int n = 0; n < GROUP; ++n)
    {
        columns |= (i[n] - i[0]) | (k[n] - k[0]);
        rows |= j[n] - j[0] - n;
    }
    return columns ? SCATTERED : rows ? STACKED : STRAIGHT;
}

// Numbers of the lower samples of stacked points. Returns whether some are not in main runs.
PL_INLINE int list_stacked(const corners *here, const int32_t *j, int32_t number[4][GROUP], uint8_t *left)
{
    int32_t out[GROUP], any = 0;
    for (int n = 0; n < GROUP; ++n)
    {
        out[n] = -(j[n] < here->low || j[n] >= here->high);
        any |= out[n];
    }
    for (int n = 0; n < GROUP; ++n)
        left[n] = (uint8_t)(out[n] & 1);
    for (int q = 0; q < 4; ++q)
        for (int n = 0; n < GROUP; ++n)
            number[q][n] = ~out[n] & (here->base[q] + j[n]);
    return any != 0;
}

// The same of any points.
PL_INLINE int list_pairs(const pl__columns *c, const int32_t *i, const int32_t *j, const int32_t *k,
                         corner_cache *cache, int32_t number[4][GROUP], uint8_t *left)
{
    int any = 0;
    for (int n = 0; n < GROUP; ++n)
    {
        const corners *here = find_corners(c, i[n], k[n], cache);
        left[n] = j[n] < here->low || j[n] >= here->high;
        any |= left[n];
        for (int q = 0; q < 4; ++q)
            number[q][n] = left[n] ? 0 : here->base[q] + j[n];
    }
    return any;
}

PL_INLINE void interpolate(const pl_real_w s[8], pl_real_w x, pl_real_w y, pl_real_w z, double *result)
{
    pl_real_w pair[4];
    for (int q = 0; q < 4; ++q)
        pair[q] = s[2 * q] + y * (s[2 * q + 1] - s[2 * q]);
    pl_real_w front = pair[0] + x * (pair[1] - pair[0]), behind = pair[2] + x * (pair[3] - pair[2]);
    pl_store_w(result, front + z * (behind - front));
}

PL_INLINE void bound(const pl_real_w s[8], double *low, double *high)
{
    pl_real_w least = s[0], most = s[0];
    for (int q = 1; q < 8; ++q)
    {
        least = pl_min_w(least, s[q]);
        most = pl_max_w(most, s[q]);
    }
    pl_store_w(low, least);
    pl_store_w(high, most);
}

// A group of points; `low` and `high` may be NULL.
PL_INLINE int sample_group(const pl__columns *c, const double *value, const place *x, const place *y, const place *z,
                           corner_cache *cache, double *result, double *low, double *high, uint8_t *left)
{
    int32_t number[4][GROUP];
    int any = 0;
    const corners *here = find_corners(c, x->index[0], z->index[0], cache);
    order points = order_of(x->index, y->index, z->index);
    bool straight = points == STRAIGHT && y->index[0] >= here->low && y->index[GROUP - 1] < here->high;
    if (straight)
        memset(left, 0, GROUP);
    else if (points != SCATTERED)
        any = list_stacked(here, y->index, number, left);
    else
        any = list_pairs(c, x->index, y->index, z->index, cache, number, left);
    for (int lane = 0; lane < GROUP; lane += PL_LANES)
    {
        pl_real_w s[8];
        for (int q = 0; q < 4; ++q)
            if (straight)
            {
                const double *from = value + here->base[q] + y->index[0] + lane;
                s[2 * q] = pl_load_w(from);
                s[2 * q + 1] = pl_load_w(from + 1);
            }
            else
                pl_gather_pairs_w(value, &number[q][lane], &s[2 * q], &s[2 * q + 1]);
        interpolate(s, pl_load_w(&x->part[lane]), pl_load_w(&y->part[lane]), pl_load_w(&z->part[lane]), result + lane);
        if (low)
            bound(s, low + lane, high + lane);
    }
    return any;
}

int PL_KERNEL(pl__sample_groups)(const pl__columns *c, const double *value, int32_t count, const double *const x[3],
                                 double *result, double *low, double *high, uint8_t *left)
{
    corner_cache cache;
    int any = 0;
    forget(&cache);
    for (int32_t n = 0; n < count; n += GROUP)
    {
        place at[3];
        locate(x[0] + n, c->origin[0], c->inverse_h, c->nx, &at[0]);
        locate(x[1] + n, c->origin[1], c->inverse_h, c->ny, &at[1]);
        locate(x[2] + n, c->origin[2], c->inverse_h, c->nz, &at[2]);
        any |= low ? sample_group(c, value, &at[0], &at[1], &at[2], &cache, result + n, low + n, high + n, left + n)
                   : sample_group(c, value, &at[0], &at[1], &at[2], &cache, result + n, NULL, NULL, left + n);
    }
    return any;
}

// The lattices of the components differ by half a cell, along one axis each: six places serve them all.
int PL_KERNEL(pl__velocity_groups)(const pl__columns face[3], const double *const u[3], int32_t count,
                                   const double *const x[3], double *const v[3], uint8_t *const left[3])
{
    corner_cache cache[3];
    const pl__columns *f = face;
    int any = 0;
    for (int axis = 0; axis < 3; ++axis)
        forget(&cache[axis]);
    for (int32_t n = 0; n < count; n += GROUP)
    {
        place on[3], off[3]; // of the lattice whose faces lie along the axis, and of the two others
        locate(x[0] + n, f[0].origin[0], f[0].inverse_h, f[0].nx, &on[0]);
        locate(x[0] + n, f[1].origin[0], f[0].inverse_h, f[1].nx, &off[0]);
        locate(x[1] + n, f[1].origin[1], f[0].inverse_h, f[1].ny, &on[1]);
        locate(x[1] + n, f[0].origin[1], f[0].inverse_h, f[0].ny, &off[1]);
        locate(x[2] + n, f[2].origin[2], f[0].inverse_h, f[2].nz, &on[2]);
        locate(x[2] + n, f[0].origin[2], f[0].inverse_h, f[0].nz, &off[2]);
        any |= sample_group(&f[0], u[0], &on[0], &off[1], &off[2], &cache[0], v[0] + n, NULL, NULL, left[0] + n);
        any |= sample_group(&f[1], u[1], &off[0], &on[1], &off[2], &cache[1], v[1] + n, NULL, NULL, left[1] + n);
        any |= sample_group(&f[2], u[2], &off[0], &off[1], &on[2], &cache[2], v[2] + n, NULL, NULL, left[2] + n);
    }
    return any;
}
