// src/fluid/redistance.kernel.c -- distances in groups of eight rows; what is solved is in redistance.c.
//
// A group is loaded whole before any of it is stored, so that registers of every width give the same bits.
#include "redistance.h"
#include "base/simd.h"

enum
{
    ROWS = PL__GROUP_ROWS,
    REGISTERS = ROWS / PL_LANES,
    MOST_DUE = 128
};

// Whether phi changes sign from p to q; not where either is missing (NaN).
PL_INLINE pl_mask_w is_crossed(pl_real_w p, pl_real_w q)
{
    pl_real_w zero = pl_set_w(0);
    return pl_or_w(pl_and_w(pl_le_w(p, zero), pl_gt_w(q, zero)), pl_and_w(pl_gt_w(p, zero), pl_le_w(q, zero)));
}

// 1 / t^2 of the nearer crossing along an axis, 0 without one. p is phi here, a and b at both neighbours.
PL_INLINE pl_real_w inverse_square(pl_real_w p, pl_real_w a, pl_real_w b)
{
    pl_real_w side[2] = {a, b}, none = pl_set_w(2), t = none, size = pl_abs_w(p);
    for (int n = 0; n < 2; ++n)
    {
        pl_real_w along = size / (size + pl_abs_w(side[n]) + 1e-300);
        t = pl_select_w(is_crossed(p, side[n]), pl_min_w(along, t), t);
    }
    return pl_select_w(pl_lt_w(t, none), 1.0 / (t * t + 1e-300), pl_set_w(0));
}

// Beyond closed sides phi goes on along lines, and stays what it is at thin parts: a wall hides what is behind it.
PL_INLINE void close_sides(const pl__closed *closed, int r, pl_real_w p, pl_real_w side[6])
{
    pl_real_w open[6], one = pl_set_w(1), half = pl_set_w(0.5);
    for (int n = 0; n < 6; ++n)
        open[n] = side[n];
    for (int n = 0; n < 6; ++n)
    {
        pl_mask_w here = pl_gt_w(pl_load_w(&closed->side[n][r]), half),
                  there = pl_gt_w(pl_load_w(&closed->side[n ^ 1][r]), half);
        pl_real_w rise = pl_max_w(pl_min_w(p - open[n ^ 1], one), pl_set_w(-1));
        pl_mask_w line = pl_le_w(pl_abs_w(open[n ^ 1]), pl_set_w(2)); // near the surface, and stored
        pl_mask_w thin = pl_gt_w(pl_load_w(&closed->side[n][r]), pl_set_w(1.5));
        pl_mask_w no_line = pl_or_w(pl_or_w(there, thin), pl_not_w(line));
        side[n] = pl_select_w(here, pl_select_w(no_line, p, p + rise), side[n]);
    }
}

// What is nearer than `far` is known.
PL_INLINE int keep_register(const pl__band *band, int64_t at)
{
    pl_real_w p = pl_load_w(&band->phi[at]), size = pl_abs_w(p), far = pl_set_w(band->far);
    pl_mask_w known = pl_lt_w(size, far);
    pl_store_w(&band->distance[at], pl_select_w(known, -size, pl_select_w(pl_eq_w(p, p), far, pl_set_w(-1e9))));
    return pl_any_w(known);
}

// The distance of a cell at the surface is that of the plane through its crossings along the axes: 1/d^2 = sum 1/t^2.
PL_INLINE int cross_register(const pl__band *band, int32_t g, int r)
{
    const double *phi = band->phi;
    int64_t at = (int64_t)ROWS * g + r;
    if (band->given)
        return keep_register(band, at);
    pl_real_w p = pl_load_w(&phi[at]), side[6] = {pl_load_w(&phi[at - 1]), pl_load_w(&phi[at + 1])};
    for (int n = 0; n < 4; ++n)
        side[n + 2] = pl_load_w(&phi[(int64_t)ROWS * band->beside[g].group[n] + r]);
    if (band->wall[g])
        close_sides(&band->closed[band->wall[g]], r, p, side);
    pl_mask_w crossed = is_crossed(p, side[0]);
    for (int n = 1; n < 6; ++n)
        crossed = pl_or_w(crossed, is_crossed(p, side[n]));
    pl_real_w d = pl_select_w(pl_eq_w(p, p), pl_set_w(band->far), pl_set_w(-1e9));
    int any = pl_any_w(crossed);
    if (any)
    {
        pl_real_w sum = inverse_square(p, side[0], side[1]) + inverse_square(p, side[2], side[3]) +
                        inverse_square(p, side[4], side[5]);
        d = pl_select_w(crossed, -1.0 / pl_sqrt_w(pl_select_w(crossed, sum, pl_set_w(1))), d);
    }
    pl_store_w(&band->distance[at], d);
    return any;
}

void PL_KERNEL(pl__band_cross)(pl__band *band, int32_t begin, int32_t end)
{
    for (int32_t column = begin; column < end; ++column)
    {
        int column_any = 0;
        for (int32_t g = band->start[column]; g < band->start[column + 1]; ++g)
        {
            int any = 0;
            for (int r = 0; r < ROWS && band->row[g] != PL__GUARD; r += PL_LANES)
                any |= cross_register(band, g, r);
            band->changed[g] = any != 0;
            column_any |= any;
        }
        band->column_changed[column] = column_any != 0;
    }
}

PL_INLINE pl_real_w nearer(const double *a, const double *b)
{
    return pl_min_w(pl_abs_w(pl_load_w(a)), pl_abs_w(pl_load_w(b)));
}

// The same through the sides n and n + 1 as far as they are open.
PL_INLINE pl_real_w nearer_open(const pl__closed *closed, int n, int r, const double *a, const double *b)
{
    return pl_min_w(pl_abs_w(pl_load_w(a)) + 1e9 * pl_load_w(&closed->side[n][r]),
                    pl_abs_w(pl_load_w(b)) + 1e9 * pl_load_w(&closed->side[n + 1][r]));
}

// Godunov's upwind solution r of sum over axes of max(r - a, 0)^2 = 1, a being the nearer neighbour along each: with
// s = sum (a - low) and q = sum (a - low)^2 over the n axes that count, r = low + (s + sqrt(s^2 - n (q - 1))) / n.
PL_INLINE pl_real_w eikonal(pl_real_w x, pl_real_w y, pl_real_w z)
{
    pl_real_w one = pl_set_w(1), zero = pl_set_w(0), less = pl_min_w(x, y), more = pl_max_w(x, y);
    pl_real_w low = pl_min_w(less, z), other = pl_max_w(less, z);
    pl_real_w a = pl_min_w(more, other) - low, b = pl_max_w(more, other) - low, b_a = b - a;
    pl_mask_w two = pl_lt_w(a, one), three = pl_lt_w(b * b + b_a * b_a, one);
    a = pl_select_w(two, a, zero);
    b = pl_select_w(three, b, zero);
    pl_real_w n = pl_select_w(three, pl_set_w(3), pl_select_w(two, pl_set_w(2), one));
    pl_real_w over_n = pl_select_w(three, pl_set_w(1.0 / 3), pl_select_w(two, pl_set_w(0.5), one));
    pl_real_w s = a + b, q = a * a + b * b;
    return low + (s + pl_sqrt_w(s * s - n * (q - 1.0))) * over_n;
}

PL_INLINE int sweep_group(pl__band *band, int32_t g)
{
    double *d = &band->distance[(int64_t)ROWS * g];
    const pl__closed *closed = band->wall[g] ? &band->closed[band->wall[g]] : NULL;
    const double *side[4];
    for (int n = 0; n < 4; ++n)
        side[n] = &band->distance[(int64_t)ROWS * band->beside[g].group[n]];
    pl_real_w after[REGISTERS];
    int any = 0;
    for (int n = 0, r = 0; n < REGISTERS; ++n, r += PL_LANES)
    {
        pl_real_w before = pl_load_w(&d[r]);
        pl_real_w result = closed ? eikonal(nearer_open(closed, 2, r, &side[0][r], &side[1][r]),
                                            nearer_open(closed, 4, r, &side[2][r], &side[3][r]),
                                            nearer_open(closed, 0, r, &d[r - 1], &d[r + 1]))
                                  : eikonal(nearer(&side[0][r], &side[1][r]), nearer(&side[2][r], &side[3][r]),
                                            nearer(&d[r - 1], &d[r + 1]));
        pl_mask_w shorter = pl_lt_w(result, before); // not where it is fixed
        after[n] = pl_select_w(shorter, result, before);
        any |= pl_any_w(pl_lt_w(result, before - 1e-9));
    }
    for (int n = 0, r = 0; n < REGISTERS; ++n, r += PL_LANES)
        pl_store_w(&d[r], after[n]);
    return any;
}

// Whether a group beside, above or below it, or itself, changed since its last turn, two half sweeps ago; in the first
// turn of each colour, whether one is at the surface.
PL_INLINE int is_due(const pl__band *band, int32_t half, int32_t g)
{
    const uint8_t *changed = band->changed;
    int lateral = 0, since = half > 3 ? half - 1 : 1;
    for (int n = 0; n < 4; ++n)
        lateral |= changed[band->beside[g].group[n]] >= since;
    since = half > 3 ? half - 2 : 1;
    return lateral | (changed[g - 1] >= since) | (changed[g] >= since) | (changed[g + 1] >= since);
}

// Groups whose turn it is, those with even and with odd rows; neighbours above each other are not worked on together.
typedef struct
{
    int32_t count[2], group[2][MOST_DUE], column[2][MOST_DUE];
    uint8_t changed[MOST_DUE];
} due_list;

// No branch depends on a result until all are there, so that many groups are under way at once.
PL_INLINE int sweep_list(pl__band *band, int32_t half, due_list *list)
{
    int any = 0;
    for (int odd = 0; odd < 2; ++odd)
    {
        for (int32_t n = 0; n < list->count[odd]; ++n)
            list->changed[n] = (uint8_t)sweep_group(band, list->group[odd][n]);
        for (int32_t n = 0; n < list->count[odd]; ++n)
            if (list->changed[n])
            {
                band->changed[list->group[odd][n]] = band->column_changed[list->column[odd][n]] = (uint8_t)half;
                any = 1;
            }
        list->count[odd] = 0;
    }
    return any;
}

PL_INLINE int is_column_due(const pl__band *band, int32_t half, int32_t i, int32_t column)
{
    const uint8_t *changed = band->column_changed;
    int32_t nx = band->nx, since = half > 3 ? half - 2 : 1;
    return changed[column] >= since || (i > 0 && changed[column - 1] >= since) ||
           (i + 1 < nx && changed[column + 1] >= since) || (column >= nx && changed[column - nx] >= since) ||
           (column + nx < band->column_count && changed[column + nx] >= since);
}

int PL_KERNEL(pl__band_sweep)(pl__band *band, int32_t half, int32_t begin, int32_t end)
{
    due_list list;
    list.count[0] = list.count[1] = 0;
    int32_t nx = band->nx, k = begin / nx, i = begin - k * nx - 1, any = 0;
    for (int32_t column = begin; column < end; ++column)
    {
        if (++i == nx)
            i = 0, ++k;
        if (((i + k + half) & 1) != 0 || !is_column_due(band, half, i, column))
            continue;
        if (list.count[0] + list.count[1] + band->start[column + 1] - band->start[column] > MOST_DUE)
            any |= sweep_list(band, half, &list);
        for (int32_t g = band->start[column]; g < band->start[column + 1]; ++g)
        {
            int32_t odd = band->row[g] & 1, n = list.count[odd];
            if (band->row[g] == PL__GUARD || !is_due(band, half, g))
                continue;
            list.group[odd][n] = g;
            list.column[odd][n] = column;
            if ((list.count[odd] = n + 1) == MOST_DUE)
                any |= sweep_list(band, half, &list);
        }
    }
    return any | sweep_list(band, half, &list);
}
