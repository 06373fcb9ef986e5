// src/fluid/padded.c
#include "padded.h"

pl_status pl__padded_begin(pl__arena *arena, int32_t cells_x, int32_t cells_z, pl__padded *p)
{
    *p = (pl__padded){.nx = cells_x + 3, .nz = cells_z + 3};
    int32_t columns = p->nx * p->nz;
    p->j0 = PL_TAKE(arena, columns, int32_t);
    p->j1 = PL_TAKE(arena, columns, int32_t);
    p->base = PL_TAKE(arena, columns, int32_t);
    p->low = PL_TAKE(arena, columns, int32_t);
    p->high = PL_TAKE(arena, columns, int32_t);
    if (!p->j0 || !p->j1 || !p->base || !p->low || !p->high)
        return PL_ERR_MEMORY;
    for (int32_t c = 0; c < columns; ++c)
    {
        p->j0[c] = INT32_MAX;
        p->j1[c] = -1;
    }
    return PL_OK;
}

// The rows that a column stores: whole groups of its own, and what those around it read.
static void find_room(const pl__padded *p, int32_t i, int32_t k, int32_t *low, int32_t *high)
{
    *low = INT32_MAX, *high = -1;
    for (int32_t z = k > 0 ? k - 1 : k; z <= k + 1 && z < p->nz; ++z)
        for (int32_t x = i > 0 ? i - 1 : i; x <= i + 1 && x < p->nx; ++x)
        {
            int32_t c = x + p->nx * z;
            if (p->j0[c] > p->j1[c])
                continue;
            int32_t groups = (p->j1[c] - p->j0[c]) / PL__PADDED_ROWS + 1, end = p->j0[c] + groups * PL__PADDED_ROWS;
            *low = p->j0[c] - 1 < *low ? p->j0[c] - 1 : *low;
            *high = end > *high ? end : *high;
        }
}

void pl__padded_end(pl__padded *p)
{
    p->count = PL__PADDED_ROWS;
    for (int32_t k = 0; k < p->nz; ++k)
        for (int32_t i = 0; i < p->nx; ++i)
        {
            int32_t c = i + p->nx * k, *low = &p->low[c], *high = &p->high[c];
            find_room(p, i, k, low, high);
            p->base[c] = *low <= *high ? p->count - *low : 0;
            p->count += *low <= *high ? *high - *low + 1 : 0;
        }
    p->count += PL__PADDED_ROWS;
    for (int32_t c = 0; c < p->nx * p->nz; ++c)
        if (p->j0[c] > p->j1[c]) // empty: rows 0 to -1
            p->j0[c] = 0, p->j1[c] = -1;
}
