// src/sparse/block_level.c -- see block_level.h.
#include "block_level.h"
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

enum
{
    CHUNK = PL_BLOCK_ROW_CHUNK
};

// ---- aggregates ---------------------------------------------------------------------------------------------------

static bool near_enough(int32_t i, int32_t j, int32_t chunk) { return chunk == 0 || i / chunk == j / chunk; }

// Nodes with all their free neighbours, where none of these is taken yet.
static int32_t take_whole(const pl__graph *g, int32_t chunk, int32_t begin, int32_t end, int32_t next,
                          int32_t *aggregate)
{
    for (int32_t i = begin; i < end; ++i)
    {
        bool alone = aggregate[i] == -2;
        for (int32_t k = g->first[i]; alone && k < g->first[i + 1]; ++k)
            alone = !near_enough(i, g->column[k], chunk) || aggregate[g->column[k]] == -2;
        if (!alone)
            continue;
        for (int32_t k = g->first[i]; k < g->first[i + 1]; ++k)
            if (near_enough(i, g->column[k], chunk))
                aggregate[g->column[k]] = next;
        aggregate[i] = next++;
    }
    return next;
}

// The aggregate with which a node shares most neighbours; -2: none.
static int32_t nearest(const pl__graph *g, int32_t chunk, const int32_t *aggregate, int32_t i)
{
    int32_t best = -2, most = 0;
    for (int32_t k = g->first[i]; k < g->first[i + 1]; ++k)
    {
        int32_t here = near_enough(i, g->column[k], chunk) ? aggregate[g->column[k]] : -2, count = 0;
        for (int32_t q = g->first[i]; here >= 0 && q < g->first[i + 1]; ++q)
            count += aggregate[g->column[q]] == here;
        if (count > most)
        {
            most = count;
            best = here;
        }
    }
    return best;
}

// Aggregates of the nodes [begin, end), which are one chunk; `scratch` [end - begin].
static int32_t aggregate_chunk(const pl__graph *g, int32_t chunk, int32_t begin, int32_t end, int32_t next,
                               int32_t *aggregate, int32_t *scratch)
{
    for (int32_t i = begin; i < end; ++i)
        aggregate[i] = g->first[i + 1] - g->first[i] > 1 ? -2 : -1;
    next = take_whole(g, chunk, begin, end, next, aggregate);
    for (int32_t i = begin; i < end; ++i)
        scratch[i - begin] = aggregate[i] == -2 ? nearest(g, chunk, aggregate, i) : aggregate[i];
    memcpy(&aggregate[begin], scratch, (size_t)(end - begin) * sizeof *scratch);
    for (int32_t i = begin; i < end; ++i) // what is left: nodes with their free neighbours
    {
        if (aggregate[i] != -2)
            continue;
        for (int32_t k = g->first[i]; k < g->first[i + 1]; ++k)
            if (near_enough(i, g->column[k], chunk) && aggregate[g->column[k]] == -2)
                aggregate[g->column[k]] = next;
        aggregate[i] = next++;
    }
    return next;
}

static int32_t make_aggregates(const pl__graph *g, int32_t chunk, int32_t *aggregate, int32_t *scratch)
{
    int32_t next = 0, step = chunk ? chunk : g->count;
    for (int32_t begin = 0; begin < g->count; begin += step)
        next = aggregate_chunk(g, chunk, begin, begin + step < g->count ? begin + step : g->count, next, aggregate,
                               scratch);
    return next;
}

static pl_status list_members(pl_context *ctx, pl__block_level *l)
{
    l->first_member = PL_NEW(ctx, l->count + 1, int32_t);
    l->member = PL_NEW(ctx, l->finer_count, int32_t);
    if (!l->first_member || !l->member)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < l->finer_count; ++i)
        if (l->aggregate[i] >= 0)
            l->first_member[l->aggregate[i] + 1]++;
    for (int32_t a = 0; a < l->count; ++a)
        l->first_member[a + 1] += l->first_member[a];
    for (int32_t i = l->finer_count - 1; i >= 0; --i)
        if (l->aggregate[i] >= 0)
            l->member[--l->first_member[l->aggregate[i] + 1]] = i;
    // the loop has left starts one place late
    for (int32_t a = 0; a < l->count; ++a)
        l->first_member[a] = l->first_member[a + 1];
    int32_t total = 0;
    for (int32_t i = 0; i < l->finer_count; ++i)
        total += l->aggregate[i] >= 0;
    l->first_member[l->count] = total;
    return PL_OK;
}

// ---- patterns -----------------------------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

// Aggregates that `a` touches, itself included; `list` may be NULL. Returns how many.
static int32_t neighbours(const pl__graph *g, const pl__block_level *l, int32_t a, int32_t *seen, int32_t *list)
{
    int32_t count = 0;
    for (int32_t m = l->first_member[a]; m < l->first_member[a + 1]; ++m)
        for (int32_t k = g->first[l->member[m]]; k < g->first[l->member[m] + 1]; ++k)
        {
            int32_t other = l->aggregate[g->column[k]];
            if (other < 0 || seen[other] == a)
                continue;
            seen[other] = a;
            if (list)
                list[count] = other;
            ++count;
        }
    return count;
}

static pl_status make_pattern(pl_context *ctx, const pl__graph *g, pl__block_level *l)
{
    int32_t *seen = PL_NEW(ctx, l->count, int32_t);
    l->first = PL_NEW(ctx, l->count + 1, int32_t);
    if (seen && l->first)
    {
        memset(seen, 0xff, (size_t)l->count * sizeof *seen);
        for (int32_t a = 0; a < l->count; ++a)
            l->first[a + 1] = l->first[a] + neighbours(g, l, a, seen, NULL);
        l->column = PL_NEW(ctx, l->first[l->count], int32_t);
        l->source = PL_NEW(ctx, l->first[l->count], int32_t);
        memset(seen, 0xff, (size_t)l->count * sizeof *seen);
        for (int32_t a = 0; l->column && a < l->count; ++a)
        {
            int32_t count = neighbours(g, l, a, seen, &l->column[l->first[a]]);
            qsort(&l->column[l->first[a]], (size_t)count, sizeof *l->column, compare);
        }
    }
    PL_DELETE(ctx, seen, l->count);
    if (!l->first || !l->column || !l->source)
        return PL_ERR_MEMORY;
    for (int32_t a = 0; a < l->count; ++a)
        for (int32_t k = l->first[a]; k < l->first[a + 1]; ++k)
            if (l->column[k] >= a)
                l->source[k] = 2 * l->stored++;
            else
                l->source[k] = l->source[pl__block_level_find(l, l->column[k], a)] + 1;
    l->block = PL_NEW(ctx, 36 * (size_t)l->stored, double);
    return l->block ? PL_OK : PL_ERR_MEMORY;
}

// ---- the matrix of a level as blocks of three ---------------------------------------------------------------------

static int32_t count_slices(int32_t rows)
{
    int32_t last = rows % CHUNK;
    return rows / CHUNK * (CHUNK / PL_BLOCK_ROWS) + (last + PL_BLOCK_ROWS - 1) / PL_BLOCK_ROWS;
}

// Rows of a chunk by decreasing length; the two of an aggregate stay beside each other.
static int32_t place_aggregates(pl__block_level *l, int32_t begin, int32_t end, int32_t slice)
{
    pl__block_matrix *m = &l->matrix;
    int32_t at = PL_BLOCK_ROWS * slice, longest = 0;
    for (int32_t a = begin; a < end; ++a)
        longest = l->first[a + 1] - l->first[a] > longest ? l->first[a + 1] - l->first[a] : longest;
    for (int32_t length = longest; length >= 0; --length)
        for (int32_t a = begin; a < end; ++a)
            if (l->first[a + 1] - l->first[a] == length)
            {
                m->row[at] = 2 * a;
                m->row[at + 1] = 2 * a + 1;
                l->place[a] = at;
                int32_t *width = &m->start[at / PL_BLOCK_ROWS];
                *width = 2 * length > *width ? 2 * length : *width;
                at += 2;
            }
    return slice + (2 * (end - begin) + PL_BLOCK_ROWS - 1) / PL_BLOCK_ROWS;
}

static pl_status make_product(pl_context *ctx, pl__block_level *l)
{
    pl__block_matrix *m = &l->matrix;
    m->row_count = 2 * l->count;
    m->slice_count = count_slices(m->row_count);
    m->row = PL_NEW(ctx, PL_BLOCK_ROWS * (size_t)m->slice_count, int32_t);
    m->start = PL_NEW(ctx, m->slice_count + 1, int32_t);
    l->place = PL_NEW(ctx, l->count, int32_t);
    if (!m->row || !m->start || !l->place)
        return PL_ERR_MEMORY;
    memset(m->row, 0xff, PL_BLOCK_ROWS * (size_t)m->slice_count * sizeof *m->row);
    for (int32_t a = 0, slice = 0; a < l->count; a += CHUNK / 2)
        slice = place_aggregates(l, a, a + CHUNK / 2 < l->count ? a + CHUNK / 2 : l->count, slice);
    for (int32_t slice = 0, sum = 0; slice <= m->slice_count; ++slice)
    {
        int32_t here = slice < m->slice_count ? m->start[slice] : 0;
        m->start[slice] = sum;
        sum += here;
    }
    size_t cells = PL_BLOCK_ROWS * (size_t)m->start[m->slice_count];
    m->column = PL_NEW(ctx, cells, int32_t);
    m->value = PL_NEW(ctx, 9 * cells, double);
    if (!m->column || !m->value)
        return PL_ERR_MEMORY;
    for (int32_t slice = 0; slice < m->slice_count; ++slice)
        for (int32_t c = m->start[slice]; c < m->start[slice + 1]; ++c)
            for (int32_t lane = 0; lane < PL_BLOCK_ROWS; ++lane)
                m->column[PL_BLOCK_ROWS * c + lane] =
                    m->row[PL_BLOCK_ROWS * slice + lane] >= 0 ? m->row[PL_BLOCK_ROWS * slice + lane] : 0;
    for (int32_t a = 0; a < l->count; ++a)
        for (int32_t k = l->first[a]; k < l->first[a + 1]; ++k)
        {
            int32_t c = m->start[l->place[a] / PL_BLOCK_ROWS] + 2 * (k - l->first[a]),
                    lane = l->place[a] % PL_BLOCK_ROWS;
            for (int32_t i = 0; i < 2; ++i)
                for (int32_t j = 0; j < 2; ++j)
                    m->column[PL_BLOCK_ROWS * (c + j) + lane + i] = 2 * l->column[k] + j;
        }
    return PL_OK;
}

// ---- lifetime -----------------------------------------------------------------------------------------------------

static pl_status make_vectors(pl_context *ctx, pl__block_level *l)
{
    l->arm = PL_NEW(ctx, pl__vector_length(3 * l->finer_count), double);
    l->center = PL_NEW(ctx, pl__vector_length(3 * l->count), double);
    l->inverse = PL_NEW(ctx, 36 * (size_t)l->count, double);
    l->coupled = PL_NEW(ctx, l->count, int32_t);
    l->gram = PL_NEW(ctx, 36 * (size_t)l->count, double);
    l->independent = PL_NEW(ctx, 6 * (size_t)l->count, uint8_t);
    double **vector[] = {&l->x, &l->b, &l->r, &l->q, &l->sum};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; ++k)
        if (!(*vector[k] = PL_NEW(ctx, pl__vector_length(6 * l->count), double)))
            return PL_ERR_MEMORY;
    return l->arm && l->center && l->inverse && l->coupled && l->gram && l->independent ? PL_OK : PL_ERR_MEMORY;
}

static pl_status build(pl_context *ctx, const pl__graph *g, int32_t chunk, pl__block_level *l)
{
    int32_t *scratch = PL_NEW(ctx, g->count, int32_t);
    l->finer_count = g->count;
    l->aggregate = PL_NEW(ctx, g->count, int32_t);
    if (scratch && l->aggregate)
        l->count = make_aggregates(g, chunk, l->aggregate, scratch);
    bool made = scratch && l->aggregate;
    PL_DELETE(ctx, scratch, g->count);
    if (!made)
        return PL_ERR_MEMORY;
    PL_TRY(list_members(ctx, l));
    PL_TRY(make_pattern(ctx, g, l));
    PL_TRY(make_product(ctx, l));
    return make_vectors(ctx, l);
}

void pl__block_level_destroy(pl_context *ctx, pl__block_level *l)
{
    PL_DELETE(ctx, l->aggregate, l->finer_count);
    PL_DELETE(ctx, l->member, l->finer_count);
    PL_DELETE(ctx, l->first_member, l->count + 1);
    PL_DELETE(ctx, l->arm, pl__vector_length(3 * l->finer_count));
    PL_DELETE(ctx, l->center, pl__vector_length(3 * l->count));
    PL_DELETE(ctx, l->column, l->first ? l->first[l->count] : 0);
    PL_DELETE(ctx, l->source, l->first ? l->first[l->count] : 0);
    PL_DELETE(ctx, l->first, l->count + 1);
    PL_DELETE(ctx, l->block, 36 * (size_t)l->stored);
    PL_DELETE(ctx, l->place, l->count);
    PL_DELETE(ctx, l->coupled, l->count);
    PL_DELETE(ctx, l->gram, 36 * (size_t)l->count);
    PL_DELETE(ctx, l->independent, 6 * (size_t)l->count);
    PL_DELETE(ctx, l->coupling, l->coupling_capacity);
    PL_DELETE(ctx, l->inverse, 36 * (size_t)l->count);
    double **vector[] = {&l->x, &l->b, &l->r, &l->q, &l->sum};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; ++k)
        PL_DELETE(ctx, *vector[k], pl__vector_length(6 * l->count));
    pl__block_matrix_destroy(ctx, &l->matrix);
    *l = (pl__block_level){0};
}

pl_status pl__block_level_create(pl_context *ctx, const pl__graph *g, int32_t chunk, pl__block_level *out)
{
    pl__block_level l = {0};
    pl_status status = build(ctx, g, chunk, &l);
    if (status != PL_OK)
        pl__block_level_destroy(ctx, &l);
    else
        *out = l;
    return status;
}

int32_t pl__block_level_find(const pl__block_level *l, int32_t row, int32_t column)
{
    int32_t low = l->first[row], high = l->first[row + 1];
    while (low < high)
    {
        int32_t middle = low + (high - low) / 2;
        if (l->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->first[row + 1] && l->column[low] == column ? low : -1;
}

// The block of a coupling, zero if it is new; NULL: no memory.
static double *coupling_of(pl_context *ctx, pl__block_level *l, int32_t row, int32_t column)
{
    for (int32_t k = l->coupled[row]; k >= 0; k = l->coupling[k].next)
        if (l->coupling[k].column == column)
            return l->coupling[k].block;
    if (!PL_GROW(ctx, l->coupling, &l->coupling_capacity, (size_t)l->coupling_count + 1))
        return NULL;
    l->coupling[l->coupling_count] = (pl__coupling){.row = row, .column = column, .next = l->coupled[row]};
    l->coupled[row] = l->coupling_count;
    return l->coupling[l->coupling_count++].block;
}

void pl__block_level_couple(pl_context *ctx, pl__block_level *l, int32_t row, int32_t column, const double block[36])
{
    bool turned = row > column;
    int32_t low = turned ? column : row, high = turned ? row : column, at = pl__block_level_find(l, low, high);
    double *to = at >= 0 ? &l->block[18 * (size_t)l->source[at]] : coupling_of(ctx, l, low, high);
    for (int r = 0; to && r < 6; ++r)
        for (int c = 0; c < 6; ++c)
            to[6 * r + c] += (turned ? 0 : block[6 * r + c]) + (turned || row == column ? block[6 * c + r] : 0);
}
