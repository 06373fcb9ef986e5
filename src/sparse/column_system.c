// src/sparse/column_system.c
#include "column_system.h"

#include <stdlib.h>
#include <string.h>

static bool holds(const pl__column_system *s, int32_t column, int32_t unknown)
{
    return column >= 0 && column < s->nx * s->nz && unknown >= s->column_start[column] &&
           unknown < s->column_start[column + 1];
}

int32_t pl__column_of(const pl__column_system *s, int32_t near, int32_t unknown)
{
    const int32_t step[9] = {0, -1, 1, -s->nx, s->nx, -s->nx - 1, -s->nx + 1, s->nx - 1, s->nx + 1};
    for (int k = 0; k < 9; ++k)
        if (holds(s, near + step[k], unknown))
            return near + step[k];
    return -1;
}

// Of line unknowns: the pair is whole and its rows have the same columns.
static bool pair_is_whole(const pl__column_system *s, int32_t c, int32_t i)
{
    if (s->kind[i] > PL__LINE_SLOPE)
        return false;
    if (s->kind[i] == PL__LINE_SLOPE)
        return i > s->column_start[c] && s->kind[i - 1] == PL__LINE_VALUE;
    int32_t entries = s->end[i] - s->start[i];
    return i + 1 < s->column_start[c + 1] && s->kind[i + 1] == PL__LINE_SLOPE && s->center &&
           s->end[i + 1] - s->start[i + 1] == entries &&
           memcmp(&s->column[s->start[i]], &s->column[s->start[i + 1]], (size_t)entries * sizeof *s->column) == 0;
}

// Entry q of row i, which begins at `begin` and ends at `end`.
static bool entry_is_valid(const pl__column_system *s, int32_t c, int32_t q, int32_t begin, int32_t end)
{
    int32_t at = s->column[q], other;
    if (at < 0 || at >= s->count || (q > begin && at <= s->column[q - 1]) || (other = pl__column_of(s, c, at)) < 0)
        return false;
    if (abs(other % s->nx - c % s->nx) > 1)
        return false;
    if (s->kind && s->kind[at] == PL__LINE_VALUE)
        return q + 1 < end && s->column[q + 1] == at + 1;
    return !s->kind || s->kind[at] == PL__POINT || (q > begin && s->column[q - 1] == at - 1);
}

static bool row_is_valid(const pl__column_system *s, int32_t c, int32_t i, int32_t *last_row)
{
    if (!pl__is_point(s, i) && !pair_is_whole(s, c, i))
        return false;
    if (pl__is_point(s, i))
    {
        if (s->row[i] < *last_row)
            return false;
        *last_row = s->row[i];
    }
    bool diagonal = false;
    for (int32_t q = s->start[i]; q < s->end[i]; ++q)
    {
        if (!entry_is_valid(s, c, q, s->start[i], s->end[i]))
            return false;
        diagonal = diagonal || s->column[q] == i;
    }
    return diagonal;
}

bool pl__column_system_is_valid(const pl__column_system *s)
{
    if (s->nx < 0 || s->nz < 0 || s->count < 0)
        return false;
    if (s->count == 0)
        return true;
    int32_t columns = s->nx * s->nz;
    if (s->column_start[0] != 0 || s->column_start[columns] != s->count)
        return false;
    for (int32_t c = 0; c < columns; ++c)
    {
        int32_t last_row = INT32_MIN;
        if (s->column_start[c + 1] < s->column_start[c])
            return false;
        for (int32_t i = s->column_start[c]; i < s->column_start[c + 1]; ++i)
            if (!row_is_valid(s, c, i, &last_row))
                return false;
    }
    return true;
}
