// src/sparse/block_matrix.c -- structure and assembly; block_matrix.h describes the format.
#include "block_matrix.h"
#include "base/context.h"

#include <string.h>

enum
{
    TABLE = 2 * PL_BLOCK_CHUNK_PAIRS
};

// ---- building ----------------------------------------------------------------------------------------------------

// Pair of nodes in a chunk, seen from its lower node.
typedef struct
{
    int32_t column, partial;
} entry;

// Entries of one pair of nodes.
typedef struct
{
    int32_t first, count;
    bool turned; // seen from the higher node: transposed
} run;

// Tables used during construction only.
typedef struct
{
    pl_context *ctx;
    pl__block_matrix *m;
    const pl__clique_chunk *chunk;
    bool rough;
    int32_t map_count;
    uint64_t *key;   // [map_count] pairs of nodes of each chunk, at its first_clique
    int32_t *found;  // [chunk_count] number of those pairs
    int32_t *bucket; // [row_count + 1] entries of each row
    entry *entry;    // [partials] by row, then column, then chunk
    int32_t *upper;  // [row_count + 1] number of pairs with a higher node; then the first of those pairs
    int32_t *lower;  // [row_count] number of pairs with a lower node; then how many are placed
    int32_t *place;  // [row_count] 16 slice + lane; then, as many, the lower neighbours placed
    size_t cell_count;
    run *cell; // [cell_count] the partial sums of each block
} builder;

static uint64_t key_of(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// Index of a pair within its chunk, in order of appearance.
static int32_t find_pair(uint64_t key, uint64_t *table, uint16_t *number, uint64_t *list, int32_t *count)
{
    uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 32 & (TABLE - 1);
    while (table[at] != key && table[at] != UINT64_MAX)
        at = (at + 1) & (TABLE - 1);
    if (table[at] != key)
    {
        table[at] = key;
        number[at] = (uint16_t)*count;
        list[(*count)++] = key;
    }
    return number[at];
}

// Map entry of the block of two corners.
static uint16_t map_block(const builder *b, int32_t chunk, int32_t p, int32_t q, uint64_t *table, uint16_t *number,
                          int32_t *count)
{
    if (p == q)
        return PL__BLOCK_SKIPPED;
    return (uint16_t)(find_pair(key_of(p, q), table, number, &b->key[b->m->first_clique[chunk]], count) |
                      (p > q ? PL__BLOCK_TRANSPOSED : 0));
}

static void map_chunks(void *argument, int32_t begin, int32_t end)
{
    const builder *b = argument;
    uint64_t table[TABLE];
    uint16_t number[TABLE];
    for (int32_t c = begin; c < end; ++c)
    {
        const pl__clique_chunk *chunk = &b->chunk[c];
        uint16_t *map = &b->m->map[b->m->first_clique[c]];
        int32_t count = 0;
        memset(table, 0xff, sizeof table);
        for (int32_t e = 0; e < chunk->count; ++e)
        {
            const int32_t *node = &chunk->node[(size_t)chunk->corners * (size_t)e];
            for (int32_t p = 0; p < chunk->corners; ++p)
                for (int32_t q = p + 1; q < chunk->corners; ++q)
                    *map++ = map_block(b, c, node[p], node[q], table, number, &count);
            for (int32_t p = 0; chunk->unbalanced && p < chunk->corners; ++p)
                *map++ = (uint16_t)find_pair(key_of(node[p], node[p]), table, number, &b->key[b->m->first_clique[c]],
                                             &count);
        }
        b->found[c] = count;
    }
}

// Prefix sum: counts become first indices, with one more at the end. Returns the sum.
static int32_t accumulate(int32_t *count, int32_t length)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < length; ++i)
    {
        int32_t here = count[i];
        count[i] = sum;
        sum += here;
    }
    count[length] = sum;
    return sum;
}

// The pairs of all chunks, by their lower node.
static void sort_into_rows(const builder *b)
{
    const pl__block_matrix *m = b->m;
    for (int32_t c = 0; c < m->chunk_count; ++c)
        for (int32_t k = 0; k < b->found[c]; ++k)
            b->bucket[b->key[m->first_clique[c] + k] >> 32]++;
    (void)accumulate(b->bucket, m->row_count);
    for (int32_t c = 0, partial = 0; c < m->chunk_count; ++c)
        for (int32_t k = 0; k < b->found[c]; ++k)
        {
            uint64_t key = b->key[m->first_clique[c] + k];
            b->entry[b->bucket[key >> 32]++] = (entry){(int32_t)(key & UINT32_MAX), partial++};
        }
    memmove(b->bucket + 1, b->bucket, (size_t)m->row_count * sizeof *b->bucket);
    b->bucket[0] = 0;
}

// Sort rows by column, with chunks in order, and count distinct columns above the diagonal.
static void sort_rows(void *argument, int32_t begin, int32_t end)
{
    const builder *b = argument;
    for (int32_t row = begin; row < end; ++row)
    {
        int32_t first = b->bucket[row], last = b->bucket[row + 1];
        for (int32_t i = first + 1; i < last; ++i)
        {
            entry moved = b->entry[i];
            int32_t k = i;
            for (; k > first && b->entry[k - 1].column > moved.column; --k)
                b->entry[k] = b->entry[k - 1];
            b->entry[k] = moved;
        }
        for (int32_t i = first; i < last; ++i)
            b->upper[row] += b->entry[i].column != row && (i == first || b->entry[i - 1].column != b->entry[i].column);
    }
}

static void count_lower(const builder *b)
{
    for (int32_t row = 0; row < b->m->row_count; ++row)
        for (int32_t i = b->bucket[row]; i < b->bucket[row + 1]; ++i)
            b->lower[b->entry[i].column] +=
                b->entry[i].column != row && (i == b->bucket[row] || b->entry[i - 1].column != b->entry[i].column);
}

// ---- layout ------------------------------------------------------------------------------------------------------

enum
{
    LONGEST = 256 // longer rows count as this long when sorted
};

static int32_t length_of(const builder *b, int32_t row) { return 1 + b->lower[row] + b->upper[row]; }

// Sort the rows of a chunk by decreasing length into slices; returns the end of the last slice.
static int32_t place_chunk(const builder *b, int32_t first, int32_t last, int32_t slice)
{
    int32_t start[LONGEST + 2] = {0};
    for (int32_t row = first; row < last; ++row)
    {
        int32_t length = length_of(b, row) < LONGEST ? length_of(b, row) : LONGEST;
        start[LONGEST - length]++;
    }
    (void)accumulate(start, LONGEST + 1);
    for (int32_t row = first; row < last; ++row)
    {
        int32_t length = length_of(b, row) < LONGEST ? length_of(b, row) : LONGEST;
        int32_t at = PL_BLOCK_ROWS * slice + start[LONGEST - length]++;
        b->place[row] = at;
        b->m->row[at] = row;
    }
    return slice + (last - first + PL_BLOCK_ROWS - 1) / PL_BLOCK_ROWS;
}

static int32_t count_slices(int32_t row_count)
{
    int32_t last = row_count % PL_BLOCK_ROW_CHUNK, per_chunk = PL_BLOCK_ROW_CHUNK / PL_BLOCK_ROWS;
    return row_count / PL_BLOCK_ROW_CHUNK * per_chunk + (last + PL_BLOCK_ROWS - 1) / PL_BLOCK_ROWS;
}

static void place_rows(const builder *b)
{
    pl__block_matrix *m = b->m;
    for (int32_t i = 0; i < PL_BLOCK_ROWS * m->slice_count; ++i)
        m->row[i] = -1;
    for (int32_t row = 0, slice = 0; row < m->row_count; row += PL_BLOCK_ROW_CHUNK)
        slice = place_chunk(b, row, m->row_count - row < PL_BLOCK_ROW_CHUNK ? m->row_count : row + PL_BLOCK_ROW_CHUNK,
                            slice);
    for (int32_t slice = 0; slice < m->slice_count; ++slice)
        for (int32_t lane = 0; lane < PL_BLOCK_ROWS; ++lane)
        {
            int32_t row = m->row[PL_BLOCK_ROWS * slice + lane], length = row >= 0 ? length_of(b, row) : 0;
            m->start[slice] = length > m->start[slice] ? length : m->start[slice];
        }
    (void)accumulate(m->start, m->slice_count);
}

static void fill_columns(const pl__block_matrix *m)
{
    for (int32_t slice = 0; slice < m->slice_count; ++slice)
        for (int32_t c = m->start[slice]; c < m->start[slice + 1]; ++c)
            for (int32_t lane = 0; lane < PL_BLOCK_ROWS; ++lane)
            {
                int32_t row = m->row[PL_BLOCK_ROWS * slice + lane];
                m->column[PL_BLOCK_ROWS * c + lane] = row >= 0 ? row : 0;
            }
}

static int32_t cell_of(const builder *b, int32_t row, int32_t position)
{
    return PL_BLOCK_ROWS * (b->m->start[b->place[row] / PL_BLOCK_ROWS] + position) + b->place[row] % PL_BLOCK_ROWS;
}

// The entries from `first` on with the same column, in a row that ends at `last`.
static run run_at(const builder *b, int32_t first, int32_t last)
{
    run r = {first, 0, false};
    while (first + r.count < last && b->entry[first + r.count].column == b->entry[first].column)
        r.count++;
    return r;
}

// Pairs in order of rows and columns: a row has its diagonal, then the lower triangle, then the upper.
static void place_pairs(const builder *b)
{
    pl__block_matrix *m = b->m;
    int32_t *placed = b->place + m->row_count; // of lower neighbours
    for (int32_t row = 0; row < m->row_count; ++row)
    {
        int32_t above = 0, last = b->bucket[row + 1];
        for (run r = {b->bucket[row], 0, false}; r.first < last; r.first += r.count)
        {
            r = run_at(b, r.first, last);
            int32_t column = b->entry[r.first].column;
            if (column == row)
            {
                b->cell[cell_of(b, row, 0)] = r;
                continue;
            }
            int32_t here = cell_of(b, row, 1 + b->lower[row] + above++),
                    there = cell_of(b, column, 1 + placed[column]++);
            m->column[here] = column;
            m->column[there] = row;
            b->cell[here] = r;
            b->cell[there] = (run){r.first, r.count, true};
        }
    }
}

// A column has as many sources as its block with the most.
static void count_sources(const builder *b)
{
    pl__block_matrix *m = b->m;
    for (size_t c = 0; c < b->cell_count; ++c)
    {
        int32_t *most = &m->first_source[c / PL_BLOCK_ROWS];
        *most = b->cell[c].count > *most ? b->cell[c].count : *most;
        m->turned[c / PL_BLOCK_ROWS] |= (uint16_t)(b->cell[c].turned << c % PL_BLOCK_ROWS);
    }
    (void)accumulate(m->first_source, m->start[m->slice_count]);
}

static void fill_sources(const builder *b)
{
    const pl__block_matrix *m = b->m;
    int32_t nothing = m->first_partial[m->chunk_count];
    for (size_t c = 0; c < b->cell_count; ++c)
    {
        int32_t first = m->first_source[c / PL_BLOCK_ROWS], count = m->first_source[c / PL_BLOCK_ROWS + 1] - first;
        const run *r = &b->cell[c];
        for (int32_t k = 0; k < count; ++k)
            m->source[PL_BLOCK_ROWS * (size_t)(first + k) + c % PL_BLOCK_ROWS] =
                3 * (k < r->count ? b->entry[r->first + k].partial : nothing);
    }
}

// ---- lifetime ----------------------------------------------------------------------------------------------------

static pl_status build_map(builder *b)
{
    pl__block_matrix *m = b->m;
    m->blocks = PL_NEW(b->ctx, m->chunk_count, int32_t);
    m->first_clique = PL_NEW(b->ctx, m->chunk_count + 1, int32_t);
    m->first_partial = PL_NEW(b->ctx, m->chunk_count + 1, int32_t);
    b->found = PL_NEW(b->ctx, m->chunk_count, int32_t);
    if (!m->blocks || !m->first_clique || !m->first_partial || !b->found)
        return PL_ERR_MEMORY;
    for (int32_t c = 0; c < m->chunk_count; ++c)
    {
        m->blocks[c] = pl__clique_blocks(b->chunk[c].corners, b->chunk[c].unbalanced);
        m->first_clique[c] = b->chunk[c].count * m->blocks[c];
    }
    b->map_count = accumulate(m->first_clique, m->chunk_count);
    m->map = PL_NEW(b->ctx, b->map_count, uint16_t);
    b->key = PL_NEW(b->ctx, b->map_count, uint64_t);
    if (!m->map || !b->key)
        return PL_ERR_MEMORY;
    pl__parallel_for(b->ctx, m->chunk_count, 1, map_chunks, b);
    memcpy(m->first_partial, b->found, (size_t)m->chunk_count * sizeof *b->found);
    (void)accumulate(m->first_partial, m->chunk_count);
    return PL_OK;
}

// One extra block that stays zero, and padding for vector reads beyond it.
static size_t partial_length(const pl__block_matrix *m)
{
    return 9 * ((size_t)m->first_partial[m->chunk_count] + 1) + 1;
}

static pl_status build_rows(builder *b)
{
    pl__block_matrix *m = b->m;
    size_t rows = (size_t)m->row_count, partials = (size_t)m->first_partial[m->chunk_count];
    b->bucket = PL_NEW(b->ctx, rows + 1, int32_t);
    b->entry = PL_NEW(b->ctx, partials, entry);
    b->upper = PL_NEW(b->ctx, rows + 1, int32_t);
    b->lower = PL_NEW(b->ctx, rows, int32_t);
    m->partial = PL_NEW(b->ctx, partial_length(m), double);
    if (!b->bucket || !b->entry || !b->upper || !b->lower || !m->partial)
        return PL_ERR_MEMORY;
    sort_into_rows(b);
    pl__parallel_for(b->ctx, m->row_count, PL_BLOCK_ROW_CHUNK, sort_rows, b);
    count_lower(b);
    return PL_OK;
}

static pl_status build_layout(builder *b)
{
    pl__block_matrix *m = b->m;
    m->slice_count = count_slices(m->row_count);
    b->place = PL_NEW(b->ctx, 2 * (size_t)m->row_count, int32_t);
    m->row = PL_NEW(b->ctx, PL_BLOCK_ROWS * (size_t)m->slice_count, int32_t);
    m->start = PL_NEW(b->ctx, m->slice_count + 1, int32_t);
    if (!b->place || !m->row || !m->start)
        return PL_ERR_MEMORY;
    place_rows(b);
    size_t cells = b->cell_count = PL_BLOCK_ROWS * (size_t)m->start[m->slice_count];
    b->cell = PL_NEW(b->ctx, cells, run);
    m->column = PL_NEW(b->ctx, cells, int32_t);
    m->value = PL_NEW(b->ctx, 9 * cells, double);
    m->rough = b->rough ? PL_NEW(b->ctx, 9 * cells, float) : NULL;
    m->own = PL_NEW(b->ctx, 9 * PL_BLOCK_ROWS * (size_t)m->slice_count, double);
    if (!b->cell || !m->column || !m->value || (b->rough && !m->rough) || !m->own)
        return PL_ERR_MEMORY;
    fill_columns(m);
    place_pairs(b);
    return PL_OK;
}

static pl_status build_sources(builder *b)
{
    pl__block_matrix *m = b->m;
    int32_t columns = m->start[m->slice_count];
    m->turned = PL_NEW(b->ctx, columns, uint16_t);
    m->first_source = PL_NEW(b->ctx, columns + 1, int32_t);
    if (!m->turned || !m->first_source)
        return PL_ERR_MEMORY;
    count_sources(b);
    m->source = PL_NEW(b->ctx, PL_BLOCK_ROWS * (size_t)m->first_source[columns], int32_t);
    if (!m->source && m->first_source[columns] > 0)
        return PL_ERR_MEMORY;
    fill_sources(b);
    return PL_OK;
}

static pl_status build(builder *b)
{
    PL_TRY(build_map(b));
    PL_TRY(build_rows(b));
    PL_TRY(build_layout(b));
    return build_sources(b);
}

pl_status pl__block_matrix_create(pl_context *ctx, int32_t row_count, const pl__clique_chunk *chunk,
                                  int32_t chunk_count, bool rough, pl__block_matrix *out)
{
    pl__block_matrix m = {.row_count = row_count, .chunk_count = chunk_count};
    builder b = {.ctx = ctx, .m = &m, .chunk = chunk, .rough = rough};
    pl_status status = build(&b);
    size_t rows = (size_t)row_count;
    PL_DELETE(ctx, b.key, b.map_count);
    PL_DELETE(ctx, b.found, chunk_count);
    PL_DELETE(ctx, b.bucket, rows + 1);
    PL_DELETE(ctx, b.entry, m.first_partial ? m.first_partial[chunk_count] : 0);
    PL_DELETE(ctx, b.upper, rows + 1);
    PL_DELETE(ctx, b.lower, rows);
    PL_DELETE(ctx, b.place, 2 * rows);
    PL_DELETE(ctx, b.cell, b.cell_count);
    if (status != PL_OK)
        pl__block_matrix_destroy(ctx, &m);
    else
        *out = m;
    return status;
}

void pl__block_matrix_destroy(pl_context *ctx, pl__block_matrix *m)
{
    int32_t columns = m->start ? m->start[m->slice_count] : 0,
            maps = m->first_clique ? m->first_clique[m->chunk_count] : 0;
    size_t cells = PL_BLOCK_ROWS * (size_t)columns, places = PL_BLOCK_ROWS * (size_t)m->slice_count;
    PL_DELETE(ctx, m->source, PL_BLOCK_ROWS * (size_t)(m->first_source ? m->first_source[columns] : 0));
    PL_DELETE(ctx, m->partial, m->first_partial ? partial_length(m) : 0);
    PL_DELETE(ctx, m->column, cells);
    PL_DELETE(ctx, m->value, 9 * cells);
    PL_DELETE(ctx, m->rough, 9 * cells);
    PL_DELETE(ctx, m->own, 9 * places);
    PL_DELETE(ctx, m->row, places);
    PL_DELETE(ctx, m->start, m->slice_count + 1);
    PL_DELETE(ctx, m->map, maps);
    PL_DELETE(ctx, m->turned, columns);
    PL_DELETE(ctx, m->first_source, columns + 1);
    PL_DELETE(ctx, m->blocks, m->chunk_count);
    PL_DELETE(ctx, m->first_clique, m->chunk_count + 1);
    PL_DELETE(ctx, m->first_partial, m->chunk_count + 1);
    *m = (pl__block_matrix){0};
}

// ---- values ------------------------------------------------------------------------------------------------------

void pl__block_matrix_begin_chunk(const pl__block_matrix *m, int32_t chunk)
{
    size_t first = (size_t)m->first_partial[chunk], last = (size_t)m->first_partial[chunk + 1];
    memset(&m->partial[9 * first], 0, 9 * (last - first) * sizeof *m->partial);
}

typedef struct
{
    const pl__block_matrix *m;
    const double *diagonal;
    double *inverse;
    const double *x;
    double *y;
    bool rough;
    int32_t register_bytes;
} matrix_job;

static void finish_rows(void *argument, int32_t begin, int32_t end)
{
    const matrix_job *job = argument;
    int32_t first = begin / PL_BLOCK_ROWS, last = (end + PL_BLOCK_ROWS - 1) / PL_BLOCK_ROWS;
    PL_PICK(job->register_bytes, pl__block_matrix_sum)(job->m, job->diagonal, first, last);
}

void pl__block_matrix_finish(pl_context *ctx, const pl__block_matrix *m, const double *diagonal)
{
    matrix_job job = {.m = m, .diagonal = diagonal, .register_bytes = ctx->register_bytes};
    pl__parallel_for(ctx, m->row_count, PL_BLOCK_ROW_CHUNK, finish_rows, &job);
}

// By cofactors; 0 for empty rows.
static void invert(const double *a, double out[6])
{
    double xx = a[0], yy = a[4 * PL_BLOCK_ROWS], zz = a[8 * PL_BLOCK_ROWS];
    double xy = a[PL_BLOCK_ROWS], xz = a[2 * PL_BLOCK_ROWS], yz = a[5 * PL_BLOCK_ROWS];
    double cofactor[6] = {yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                          xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - yz * xx};
    double det = xx * cofactor[0] + xy * cofactor[3] + xz * cofactor[4], inverse = det > 0 ? 1 / det : 0;
    for (int k = 0; k < 6; ++k)
        out[k] = inverse * cofactor[k];
}

static void invert_rows(void *argument, int32_t begin, int32_t end)
{
    const matrix_job *job = argument;
    const pl__block_matrix *m = job->m;
    for (int32_t at = begin; at < (end + PL_BLOCK_ROWS - 1) / PL_BLOCK_ROWS * PL_BLOCK_ROWS; ++at)
        if (m->row[at] >= 0)
            invert(&m->value[9 * PL_BLOCK_ROWS * (size_t)m->start[at / PL_BLOCK_ROWS] + (size_t)(at % PL_BLOCK_ROWS)],
                   &job->inverse[6 * (size_t)m->row[at]]);
}

void pl__block_matrix_invert_diagonal(pl_context *ctx, const pl__block_matrix *m, double *inverse)
{
    matrix_job job = {.m = m, .inverse = inverse};
    pl__parallel_for(ctx, m->row_count, PL_BLOCK_ROW_CHUNK, invert_rows, &job);
}

// ---- product -----------------------------------------------------------------------------------------------------

static double multiply_rows(void *argument, int32_t begin, int32_t end)
{
    const matrix_job *job = argument;
    int32_t first = begin / PL_BLOCK_ROWS, last = (end + PL_BLOCK_ROWS - 1) / PL_BLOCK_ROWS;
    if (job->rough)
        PL_PICK(job->register_bytes, pl__block_matrix_rough_rows)(job->m, job->x, job->y, first, last);
    else
        PL_PICK(job->register_bytes, pl__block_matrix_rows)(job->m, job->x, job->y, first, last);
    // the last chunk ends with the padding of its vectors, which is zero
    return PL_PICK(job->register_bytes, pl__vector_dot)(job->x, job->y, 3 * begin, pl__vector_padded(3 * end));
}

double pl__block_matrix_multiply(pl_context *ctx, const pl__block_matrix *m, const double *x, double *y,
                                 double *partial)
{
    matrix_job job = {.m = m, .x = x, .y = y, .register_bytes = ctx->register_bytes};
    return pl__parallel_sum(ctx, m->row_count, PL_BLOCK_ROW_CHUNK, multiply_rows, &job, partial);
}

double pl__block_matrix_multiply_rough(pl_context *ctx, const pl__block_matrix *m, const double *x, double *y,
                                       double *partial)
{
    matrix_job job = {.m = m, .x = x, .y = y, .rough = true, .register_bytes = ctx->register_bytes};
    return pl__parallel_sum(ctx, m->row_count, PL_BLOCK_ROW_CHUNK, multiply_rows, &job, partial);
}

size_t pl__block_matrix_bytes(const pl__block_matrix *m, bool rough)
{
    size_t cells = (size_t)m->start[m->slice_count] * PL_BLOCK_ROWS, rows = (size_t)m->slice_count * PL_BLOCK_ROWS;
    if (!rough)
        return cells * (9 * sizeof(double) + sizeof(int32_t));
    return (cells - rows) * (9 * sizeof(float) + sizeof(int32_t)) + rows * (9 * sizeof(double) + sizeof(int32_t));
}
