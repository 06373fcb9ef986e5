// src/fluid/row_set.c -- operations on sorted intervals; each takes time linear in the number of intervals.
#include "row_set.h"

void pl__row_set_done(pl_context *ctx, pl__row_set *set)
{
    PL_DELETE(ctx, set->start, set->start_capacity);
    PL_DELETE(ctx, set->rows, set->rows_capacity);
    *set = (pl__row_set){0};
}

pl_status pl__row_set_begin(pl_context *ctx, pl__row_set *set, const int32_t n[3])
{
    if (!PL_GROW(ctx, set->start, &set->start_capacity, (size_t)n[0] * (size_t)n[2] + 1))
        return PL_ERR_MEMORY;
    set->nx = n[0], set->ny = n[1], set->nz = n[2];
    set->count = set->next_column = set->start[0] = 0;
    return PL_OK;
}

pl_status pl__row_set_add(pl_context *ctx, pl__row_set *set, int32_t j0, int32_t j1)
{
    j0 = j0 > 0 ? j0 : 0;
    j1 = j1 < set->ny - 1 ? j1 : set->ny - 1;
    if (j1 < j0)
        return PL_OK;
    if (set->count > set->start[set->next_column] && set->rows[set->count - 1].j1 + 1 >= j0)
    {
        pl__row_range *last = &set->rows[set->count - 1];
        last->j1 = last->j1 > j1 ? last->j1 : j1;
        return PL_OK;
    }
    if (!PL_GROW(ctx, set->rows, &set->rows_capacity, set->count + 1))
        return PL_ERR_MEMORY;
    set->rows[set->count++] = (pl__row_range){j0, j1};
    return PL_OK;
}

void pl__row_set_end_column(pl__row_set *set) { set->start[++set->next_column] = set->count; }

bool pl__row_set_contains(const pl__row_set *set, int32_t column, int32_t j)
{
    for (size_t r = set->start[column]; r < set->start[column + 1]; ++r)
        if (set->rows[r].j0 <= j && j <= set->rows[r].j1)
            return true;
    return false;
}

// ---- binary operations -----------------------------------------------------------------------------------------

typedef struct interval_range
{
    const pl__row_range *at, *end;
} interval_range;

static interval_range range_of(const pl__row_set *set, int32_t column)
{
    return (interval_range){set->rows + set->start[column], set->rows + set->start[column + 1]};
}

static pl_status unite_column(pl_context *ctx, interval_range *range, int count, pl__row_set *out)
{
    for (;;)
    {
        int next = -1;
        for (int n = 0; n < count; ++n)
            if (range[n].at < range[n].end && (next < 0 || range[n].at->j0 < range[next].at->j0))
                next = n;
        if (next < 0)
            return PL_OK;
        PL_TRY(pl__row_set_add(ctx, out, range[next].at->j0, range[next].at->j1));
        ++range[next].at;
    }
}

static pl_status intersect_column(pl_context *ctx, interval_range *range, int count, pl__row_set *out)
{
    (void)count;
    interval_range a = range[0], b = range[1];
    while (a.at < a.end && b.at < b.end)
    {
        int32_t j0 = a.at->j0 > b.at->j0 ? a.at->j0 : b.at->j0, j1 = a.at->j1 < b.at->j1 ? a.at->j1 : b.at->j1;
        PL_TRY(pl__row_set_add(ctx, out, j0, j1));
        if (a.at->j1 < b.at->j1)
            ++a.at;
        else
            ++b.at;
    }
    return PL_OK;
}

static pl_status subtract_column(pl_context *ctx, interval_range *range, int count, pl__row_set *out)
{
    (void)count;
    interval_range a = range[0], b = range[1];
    for (; a.at < a.end; ++a.at)
    {
        int32_t j = a.at->j0; // first row that is left
        while (b.at < b.end && b.at->j1 < j)
            ++b.at;
        for (const pl__row_range *hole = b.at; hole < b.end && hole->j0 <= a.at->j1; ++hole)
        {
            PL_TRY(pl__row_set_add(ctx, out, j, hole->j0 - 1));
            j = hole->j1 + 1;
        }
        PL_TRY(pl__row_set_add(ctx, out, j, a.at->j1));
    }
    return PL_OK;
}

static pl_status combine(pl_context *ctx, const pl__row_set *a, const pl__row_set *b, pl__row_set *out,
                         pl_status (*column)(pl_context *, interval_range *, int, pl__row_set *))
{
    PL_TRY(pl__row_set_begin(ctx, out, (int32_t[3]){a->nx, a->ny, a->nz}));
    for (int32_t c = 0; c < a->nx * a->nz; ++c)
    {
        interval_range range[2] = {range_of(a, c), range_of(b, c)};
        PL_TRY(column(ctx, range, 2, out));
        pl__row_set_end_column(out);
    }
    return PL_OK;
}

pl_status pl__row_set_unite(pl_context *ctx, const pl__row_set *a, const pl__row_set *b, pl__row_set *out)
{
    return combine(ctx, a, b, out, unite_column);
}

pl_status pl__row_set_intersect(pl_context *ctx, const pl__row_set *a, const pl__row_set *b, pl__row_set *out)
{
    return combine(ctx, a, b, out, intersect_column);
}

pl_status pl__row_set_subtract(pl_context *ctx, const pl__row_set *a, const pl__row_set *b, pl__row_set *out)
{
    return combine(ctx, a, b, out, subtract_column);
}

// ---- dilation --------------------------------------------------------------------------------------------------

// Each column united with those `shift` before and after it along an axis.
static pl_status spread(pl_context *ctx, const pl__row_set *set, int axis, int32_t shift, pl__row_set *out)
{
    PL_TRY(pl__row_set_begin(ctx, out, (int32_t[3]){set->nx, set->ny, set->nz}));
    for (int32_t k = 0; k < set->nz; ++k)
        for (int32_t i = 0; i < set->nx; ++i)
        {
            interval_range range[3];
            int count = 0;
            for (int32_t s = -shift; s <= shift; s += shift)
            {
                int32_t a = axis == 0 ? i + s : i, b = axis == 0 ? k : k + s;
                if (a >= 0 && b >= 0 && a < set->nx && b < set->nz)
                    range[count++] = range_of(set, a + set->nx * b);
            }
            PL_TRY(unite_column(ctx, range, count, out));
            pl__row_set_end_column(out);
        }
    return PL_OK;
}

static void swap(pl__row_set *a, pl__row_set *b)
{
    pl__row_set t = *a;
    *a = *b;
    *b = t;
}

pl_status pl__row_set_dilate(pl_context *ctx, pl__row_set *set, int32_t down, int32_t up, int32_t across,
                             pl__row_set *scratch)
{
    PL_TRY(pl__row_set_begin(ctx, scratch, (int32_t[3]){set->nx, set->ny, set->nz}));
    for (int32_t c = 0; c < set->nx * set->nz; ++c)
    {
        for (size_t r = set->start[c]; r < set->start[c + 1]; ++r)
        {
            int64_t j0 = (int64_t)set->rows[r].j0 - down, j1 = (int64_t)set->rows[r].j1 + up;
            PL_TRY(pl__row_set_add(ctx, scratch, j0 > 0 ? (int32_t)j0 : 0, j1 < set->ny ? (int32_t)j1 : set->ny - 1));
        }
        pl__row_set_end_column(scratch);
    }
    swap(set, scratch);
    for (int axis = 0; axis < 3; axis += 2)
    {
        // a set that reaches r columns, united with copies shifted by at most 2 r + 1, reaches farther without a hole
        int32_t most = (axis == 0 ? set->nx : set->nz) - 1, reach = across < most ? across : most;
        for (int32_t r = 0; r < reach;)
        {
            int32_t shift = 2 * r + 1 < reach - r ? 2 * r + 1 : reach - r;
            PL_TRY(spread(ctx, set, axis, shift, scratch));
            swap(set, scratch);
            r += shift;
        }
    }
    return PL_OK;
}
