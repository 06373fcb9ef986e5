// src/fluid/row_set.h -- sets of cells as sorted intervals of rows per column: what re-gridding computes with.
#ifndef PL_FLUID_ROW_SET_H
#define PL_FLUID_ROW_SET_H

#include "base/context.h"

typedef struct pl__row_range
{
    int32_t j0, j1;
} pl__row_range;

typedef struct pl__row_set
{
    int32_t nx, ny, nz;
    size_t *start;       // [nx nz + 1] first interval of each column; column i + nx k
    pl__row_range *rows; // [count] sorted, disjoint, and not adjacent within a column
    size_t count, start_capacity, rows_capacity, next_column;
} pl__row_set;

void pl__row_set_done(pl_context *ctx, pl__row_set *set);

// Building: begin, then for every column in order intervals whose j0 do not descend (they are merged), and an end.
PL_NODISCARD pl_status pl__row_set_begin(pl_context *ctx, pl__row_set *set, const int32_t n[3]);
PL_NODISCARD pl_status pl__row_set_add(pl_context *ctx, pl__row_set *set, int32_t j0, int32_t j1);
void pl__row_set_end_column(pl__row_set *set);

// Union, intersection and difference, into `out`, which is neither of them.
PL_NODISCARD pl_status pl__row_set_unite(pl_context *ctx, const pl__row_set *a, const pl__row_set *b, pl__row_set *out);
PL_NODISCARD pl_status pl__row_set_intersect(pl_context *ctx, const pl__row_set *a, const pl__row_set *b,
                                             pl__row_set *out);
PL_NODISCARD pl_status pl__row_set_subtract(pl_context *ctx, const pl__row_set *a, const pl__row_set *b,
                                            pl__row_set *out);

// Grow by a box: `down` and `up` rows, and `across` columns along x and z. `scratch` is another set.
PL_NODISCARD pl_status pl__row_set_dilate(pl_context *ctx, pl__row_set *set, int32_t down, int32_t up, int32_t across,
                                          pl__row_set *scratch);

bool pl__row_set_contains(const pl__row_set *set, int32_t column, int32_t j);

#endif
