// src/sparse/column_coarsen.c -- aggregates of a system in columns, and its Galerkin coarse matrix.
//
// Points aggregate by (i/2, j/2, k/2), with one value per aggregate, as far as they are coupled within it, directly or
// by others: what solids have parted aggregates by itself. Two narrow wells that meet in a corner of an aggregate and
// share a pressure there were what made iterations grow with the height of pillars (canyon, 64/128/256 cells:
// 12/20/25).
//
// Lines aggregate by (i/2, k/2) where they are strongly coupled, which both sides of a pillar are not, and share one
// line in absolute height: where the ground is rough, neighbours of different reach have different means for the same
// smooth pressure, and aggregates of means cannot represent it. Points never aggregate with lines. In a coarse column
// lines come first, then points, each from below; rows of points may come more than once.
//
// The coarse matrix is A' = P^T A P. One task makes the rows of one row of coarse columns: it runs through the entries
// of the children and adds each to its place, which `marker` remembers, so that the time is linear in the entries. The
// places are not known before: a task has room for three eighths of its fine entries (2x2x2 points leave 1/8, 2x2 lines
// 1/4), and if one runs out all are repeated with the room that they then are known to need. Counting first would read
// the finest matrix twice at every setup.
#include "column_coarsen.h"
#include "base/task.h"

#include <string.h>

typedef struct
{
    const pl__column_system *fine;
    pl__column_system *coarse;
    pl__column_transfer *transfer;
    int32_t *column_start; // of the coarse system, while it is made
    uint8_t *kind;
    int32_t *row;
    double *center;
    // the matrix
    int32_t *start, *end, *column;
    double *value;
    int32_t *origin, *needed; // [coarse nz + 1], [coarse nz] place and size of the entries of a row of columns
    int32_t *marker_start;    // [coarse nz + 1]
    int32_t *marker;
} coarsening;

// clang-format off
//                     value     unit           derivation                                                          pinned by
#define STRONG         0.5    // 1              of the strongest coupling of a line; 0.25 to 0.9 differ by two iterations; measured      tests/column_multigrid.c iterations_do_not_grow
// clang-format on

enum
{
    MOST_LINES = 32, // of a coarse column, to be looked at by pairs
    MOST_POINTS = 32 // of a coarse column and its row
};

// ---- aggregates ---------------------------------------------------------------------------------------------------

static int32_t line_count(const pl__column_system *s, int32_t column)
{
    int32_t lines = 0;
    for (int32_t i = s->column_start[column]; s->kind && i < s->column_start[column + 1]; ++i)
        lines += s->kind[i] == PL__LINE_VALUE;
    return lines;
}

// Of columns with many lines: those aggregate that have the same number from the top.
static int32_t number_lines_from_top(const coarsening *job, const int32_t *child, int children)
{
    int32_t lines[4], most = 0;
    for (int f = 0; f < children; ++f)
    {
        lines[f] = line_count(job->fine, child[f]);
        most = lines[f] > most ? lines[f] : most;
    }
    for (int f = 0; f < children && most; ++f)
    {
        int32_t next = 2 * (most - lines[f]);
        for (int32_t i = job->fine->column_start[child[f]]; i < job->fine->column_start[child[f] + 1]; ++i)
            if (job->fine->kind[i] != PL__POINT)
                job->transfer->aggregate[i] = next++;
    }
    return 2 * most;
}

// The lines of up to four columns, and the aggregates that they form.
typedef struct
{
    int32_t unknown[MOST_LINES]; // their values
    double strongest[MOST_LINES];
    int32_t with[MOST_LINES]; // a line of the same aggregate that comes before, or itself
    int32_t count;
} line_group;

static int32_t first_of(const line_group *g, int32_t n)
{
    while (g->with[n] != n)
        n = g->with[n];
    return n;
}

static void list_lines(const pl__column_system *s, const int32_t *child, int children, line_group *g)
{
    g->count = 0;
    for (int f = 0; f < children; ++f)
        for (int32_t i = s->column_start[child[f]]; i < s->column_start[child[f] + 1]; ++i)
            if (s->kind[i] == PL__LINE_VALUE && g->count++ < MOST_LINES)
                g->unknown[g->count - 1] = i;
}

// How strongly line n is coupled to each of the group.
static void find_couplings(const pl__column_system *s, line_group *g, int32_t n, double *coupling)
{
    int32_t i = g->unknown[n];
    g->strongest[n] = 0;
    for (int32_t m = 0; m < g->count; ++m)
        coupling[m] = 0;
    for (int32_t q = s->start[i]; q < s->end[i]; ++q)
    {
        int32_t c = s->column[q];
        if (c == i || s->kind[c] != PL__LINE_VALUE)
            continue;
        g->strongest[n] = s->value[q] < -g->strongest[n] ? -s->value[q] : g->strongest[n];
        for (int32_t m = 0; m < g->count; ++m)
            coupling[m] = g->unknown[m] == c ? -s->value[q] : coupling[m];
    }
}

// Lines that are strongly coupled from both sides aggregate, and then each of those that are left over with the one
// that it is coupled to most. So both sides of a pillar, which meet above it only, stay apart.
static void join_lines(const pl__column_system *s, line_group *g)
{
    double coupling[MOST_LINES][MOST_LINES];
    bool joined[MOST_LINES] = {false};
    for (int32_t n = 0; n < g->count; ++n)
        find_couplings(s, g, n, coupling[n]);
    for (int32_t n = 0; n < g->count; ++n)
        g->with[n] = n;
    for (int32_t n = 0; n < g->count; ++n)
        for (int32_t m = 0; m < n; ++m)
        {
            double least = STRONG * (g->strongest[n] > g->strongest[m] ? g->strongest[n] : g->strongest[m]);
            if (coupling[n][m] <= 0 || coupling[n][m] < least)
                continue;
            int32_t a = first_of(g, n), b = first_of(g, m);
            g->with[a > b ? a : b] = a > b ? b : a;
            joined[n] = joined[m] = true;
        }
    for (int32_t n = 0; n < g->count; ++n)
    {
        int32_t most = -1;
        for (int32_t m = 0; m < g->count && !joined[n]; ++m)
            if (coupling[n][m] >= STRONG * g->strongest[n] && coupling[n][m] > (most < 0 ? 0 : coupling[n][most]))
                most = m;
        if (most < 0)
            continue;
        int32_t a = first_of(g, n), b = first_of(g, most);
        g->with[a > b ? a : b] = a > b ? b : a;
    }
}

// Number the lines of the children within their coarse column; returns the coarse unknowns that they need.
static int32_t number_lines(const coarsening *job, const int32_t *child, int children)
{
    const pl__column_system *fine = job->fine;
    int32_t *aggregate = job->transfer->aggregate, next = 0, number[MOST_LINES];
    line_group g;
    if (!fine->kind)
        return 0;
    list_lines(fine, child, children, &g);
    if (g.count > MOST_LINES)
        return number_lines_from_top(job, child, children);
    join_lines(fine, &g);
    for (int32_t n = 0; n < g.count; ++n)
    {
        number[n] = g.with[n] == n ? next : number[first_of(&g, n)];
        next += g.with[n] == n ? 2 : 0;
        aggregate[g.unknown[n]] = number[n];
        aggregate[g.unknown[n] + 1] = number[n] + 1;
    }
    return next;
}

// Points of some rows of up to four columns.
typedef struct
{
    int32_t unknown[MOST_POINTS], part[MOST_POINTS], count;
} point_group;

// Those that are coupled to point n, directly or by others, are of the same part.
static void spread_part(const pl__column_system *s, point_group *g, int32_t n, int32_t part)
{
    g->part[n] = part;
    for (int32_t q = s->start[g->unknown[n]]; q < s->end[g->unknown[n]]; ++q)
        for (int32_t m = 0; m < g->count; ++m)
            if (g->unknown[m] == s->column[q] && s->value[q] != 0 && g->part[m] < 0)
                spread_part(s, g, m, part);
}

// What solids have parted aggregates by itself: the pressures of two narrow wells have nothing in common. Returns the
// number of parts.
static int32_t part_points(const pl__column_system *s, point_group *g, int32_t *aggregate)
{
    int32_t parts = 0;
    for (int32_t n = 0; n < g->count; ++n)
        g->part[n] = -1;
    for (int32_t n = 0; n < g->count; ++n)
    {
        if (g->part[n] < 0)
            spread_part(s, g, n, parts++);
        aggregate[g->unknown[n]] += g->part[n];
    }
    return parts;
}

// The same for points, by merging the children; `next` is the first free number.
static int32_t number_points(const coarsening *job, const int32_t *child, int children, int32_t next)
{
    const pl__column_system *fine = job->fine;
    int32_t at[4], end[4];
    for (int f = 0; f < children; ++f)
    {
        at[f] = fine->column_start[child[f]];
        end[f] = fine->column_start[child[f] + 1];
    }
    for (;; ++next)
    {
        int32_t lowest = INT32_MAX;
        for (int f = 0; f < children; ++f)
        {
            while (at[f] < end[f] && !pl__is_point(fine, at[f]))
                at[f]++;
            if (at[f] < end[f] && fine->row[at[f]] >> 1 < lowest)
                lowest = fine->row[at[f]] >> 1;
        }
        if (lowest == INT32_MAX)
            return next;
        point_group g = {.count = 0};
        for (int f = 0; f < children; ++f)
            for (; at[f] < end[f] && pl__is_point(fine, at[f]) && fine->row[at[f]] >> 1 == lowest; ++at[f])
            {
                job->transfer->aggregate[at[f]] = next;
                if (g.count++ < MOST_POINTS)
                    g.unknown[g.count - 1] = at[f];
            }
        if (g.count != 8 && g.count <= MOST_POINTS) // else they are whole, or too many to look at
            next += part_points(fine, &g, job->transfer->aggregate) - 1;
    }
}

static void number_columns(void *argument, int32_t begin, int32_t end)
{
    const coarsening *job = argument;
    for (int32_t c = begin; c < end; ++c)
    {
        int32_t child[4];
        int children = pl__column_children(job->fine, job->coarse, c, child);
        int32_t lines = number_lines(job, child, children);
        job->column_start[c + 1] = number_points(job, child, children, lines);
    }
}

static void place_points(const coarsening *job, int32_t fine_column, int32_t base)
{
    const pl__column_system *fine = job->fine;
    for (int32_t i = fine->column_start[fine_column]; i < fine->column_start[fine_column + 1]; ++i)
    {
        int32_t g = job->transfer->aggregate[i] += base;
        job->row[g] = pl__is_point(fine, i) ? fine->row[i] >> 1 : 0;
    }
}

// Centre of a coarse line: the mean of its children, whose number is kept in `row` meanwhile.
static void place_lines(const coarsening *job, const int32_t *child, int children, int32_t base, int32_t end)
{
    const pl__column_system *fine = job->fine;
    const int32_t *aggregate = job->transfer->aggregate;
    for (int32_t g = base; g < end; ++g)
        if (job->kind[g] == PL__LINE_VALUE)
            job->row[g] = 0, job->center[g] = 0;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int f = 0; f < children; ++f)
            for (int32_t i = fine->column_start[child[f]]; i < fine->column_start[child[f] + 1]; ++i)
                if (fine->kind[i] == PL__LINE_VALUE && pass == 0)
                {
                    job->center[aggregate[i]] += fine->center[i];
                    job->row[aggregate[i]]++;
                }
                else if (fine->kind[i] == PL__LINE_VALUE)
                    job->transfer->arm[i] = (float)(fine->center[i] - job->center[aggregate[i]]);
                else
                    job->transfer->arm[i] = 0;
        for (int32_t g = base; pass == 0 && g < end; ++g)
            if (job->kind[g] == PL__LINE_VALUE)
                job->center[g] /= job->row[g];
    }
}

static void place_columns(void *argument, int32_t begin, int32_t end)
{
    const coarsening *job = argument;
    const pl__column_system *fine = job->fine;
    for (int32_t c = begin; c < end; ++c)
    {
        int32_t child[4], base = job->column_start[c];
        int children = pl__column_children(fine, job->coarse, c, child);
        for (int f = 0; f < children; ++f)
            place_points(job, child[f], base);
        if (!fine->kind)
            continue;
        for (int f = 0; f < children; ++f)
            for (int32_t i = fine->column_start[child[f]]; i < fine->column_start[child[f] + 1]; ++i)
                job->kind[job->transfer->aggregate[i]] = fine->kind[i];
        place_lines(job, child, children, base, job->column_start[c + 1]);
    }
}

static pl_status find_aggregates(pl_context *ctx, pl__arena *arena, coarsening *job)
{
    const pl__column_system *fine = job->fine;
    int32_t columns = job->coarse->nx * job->coarse->nz;
    job->transfer->aggregate = PL_TAKE(arena, fine->count, int32_t);
    job->transfer->arm = fine->kind ? PL_TAKE(arena, fine->count, float) : NULL;
    job->column_start = PL_TAKE(arena, columns + 1, int32_t);
    if (!job->transfer->aggregate || (fine->kind && !job->transfer->arm) || !job->column_start)
        return PL_ERR_MEMORY;
    job->column_start[0] = 0;
    pl__parallel_for(ctx, columns, 16, number_columns, job);
    for (int32_t c = 0; c < columns; ++c)
        job->column_start[c + 1] += job->column_start[c];
    int32_t count = job->column_start[columns];
    job->row = PL_TAKE(arena, count, int32_t);
    job->kind = fine->kind ? PL_TAKE(arena, count, uint8_t) : NULL;
    job->center = fine->kind ? PL_TAKE(arena, count, double) : NULL;
    if (!job->row || (fine->kind && (!job->kind || !job->center)))
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, 16, place_columns, job);
    job->coarse->count = count;
    job->coarse->column_start = job->column_start;
    job->coarse->row = job->row;
    job->coarse->kind = job->kind;
    job->coarse->center = job->center;
    return PL_OK;
}

// ---- coarse matrix ------------------------------------------------------------------------------------------------

// Rows of one task, which are written one after the other.
typedef struct
{
    const coarsening *job;
    int32_t *marker;   // [..] place of the last entry of a coarse unknown; older than `row_begin`: of an earlier row
    int32_t base;      // first coarse unknown of `marker`
    int32_t at, most;  // next place, end of the room
    int32_t row_begin; // of the current row
} row_writer;

static inline void add_entry(row_writer *w, int32_t g, double v)
{
    int32_t *place = &w->marker[g - w->base];
    if (*place < w->row_begin)
    {
        *place = w->at++;
        if (*place < w->most)
        {
            w->job->column[*place] = g;
            w->job->value[*place] = v;
        }
    }
    else if (*place < w->most)
        w->job->value[*place] += v;
}

// Add `factor` times fine row i.
static void add_row(row_writer *w, int32_t i, double factor)
{
    const pl__column_system *fine = w->job->fine;
    const int32_t *aggregate = w->job->transfer->aggregate;
    if (!fine->kind)
        for (int32_t q = fine->start[i]; q < fine->end[i]; ++q)
            add_entry(w, aggregate[fine->column[q]], factor * fine->value[q]);
    else
        for (int32_t q = fine->start[i]; q < fine->end[i]; ++q)
        {
            int32_t c = fine->column[q];
            add_entry(w, aggregate[c], factor * fine->value[q]);
            if (fine->kind[c] == PL__LINE_VALUE)
                add_entry(w, aggregate[c] + 1, factor * w->job->transfer->arm[c] * fine->value[q]);
        }
}

// Shell sort: rows are short and nearly in order, and those of lines are a few ascending parts.
static void sort_row(int32_t *column, double *value, int32_t count)
{
    static const int32_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (int g = count > 16 ? 0 : 7; g < 8; ++g)
        for (int32_t i = gaps[g]; i < count; ++i)
        {
            int32_t c = column[i], k = i;
            double v = value[i];
            for (; k >= gaps[g] && column[k - gaps[g]] > c; k -= gaps[g])
            {
                column[k] = column[k - gaps[g]];
                value[k] = value[k - gaps[g]];
            }
            column[k] = c;
            value[k] = v;
        }
}

static void finish_row(row_writer *w, int32_t g)
{
    const coarsening *job = w->job;
    if (w->at <= w->most)
        sort_row(&job->column[w->row_begin], &job->value[w->row_begin], w->at - w->row_begin);
    job->start[g] = w->row_begin;
    job->end[g] = w->row_begin = w->at;
}

// The lines of coarse line g.
static int find_lines(const coarsening *job, int32_t g, int children, const int32_t *child, int32_t out[MOST_LINES])
{
    const pl__column_system *fine = job->fine;
    int count = 0;
    for (int f = 0; f < children; ++f)
        for (int32_t i = fine->column_start[child[f]]; i < fine->column_start[child[f] + 1]; ++i)
            if (fine->kind[i] == PL__LINE_VALUE && job->transfer->aggregate[i] == g)
                out[count++] = i;
    return count;
}

// Add the children of coarse point g; `at` are places in their columns, which move on after the last point of its row.
static void add_points(row_writer *w, int32_t g, bool last_of_row, int children, const int32_t *end, int32_t *at)
{
    const pl__column_system *fine = w->job->fine;
    for (int f = 0; f < children; ++f)
    {
        int32_t i = at[f];
        for (; i < end[f] && (!pl__is_point(fine, i) || fine->row[i] >> 1 <= w->job->row[g]); ++i)
            if (pl__is_point(fine, i) && w->job->transfer->aggregate[i] == g)
                add_row(w, i, 1);
        at[f] = last_of_row ? i : at[f];
    }
}

// Rows of the lines or of the points of a coarse column, unknowns [first, last).
static void write_rows(row_writer *w, const int32_t *child, int children, int32_t first, int32_t last)
{
    const coarsening *job = w->job;
    int32_t at[4], end[4], of[MOST_LINES];
    for (int f = 0; f < children; ++f)
    {
        at[f] = job->fine->column_start[child[f]];
        end[f] = job->fine->column_start[child[f] + 1];
    }
    for (int32_t g = first; g < last; ++g)
    {
        if (pl__is_point(job->coarse, g))
        {
            add_points(w, g, g + 1 == last || job->row[g + 1] != job->row[g], children, end, at);
            finish_row(w, g);
            continue;
        }
        int count = find_lines(job, g, children, child, of);
        for (int n = 0; n < count; ++n)
            add_row(w, of[n], 1);
        finish_row(w, g);
        // values of a coarse line go with the slopes by their arms
        for (int n = 0; n < count; ++n)
        {
            add_row(w, of[n], job->transfer->arm[of[n]]);
            add_row(w, of[n] + 1, 1);
        }
        finish_row(w, ++g);
    }
}

static void write_strips(void *argument, int32_t begin, int32_t end)
{
    coarsening *job = argument;
    const pl__column_system *coarse = job->coarse;
    for (int32_t k = begin; k < end; ++k)
    {
        row_writer w = {.job = job,
                        .marker = &job->marker[job->marker_start[k]],
                        .base = coarse->column_start[(k ? k - 1 : 0) * coarse->nx],
                        .at = job->origin[k],
                        .most = job->origin[k + 1],
                        .row_begin = job->origin[k]};
        memset(w.marker, 0xff, (size_t)(job->marker_start[k + 1] - job->marker_start[k]) * sizeof *w.marker);
        for (int32_t c = k * coarse->nx; c < (k + 1) * coarse->nx; ++c)
        {
            int32_t child[4], first = coarse->column_start[c], last = coarse->column_start[c + 1], points = first;
            int children = pl__column_children(job->fine, coarse, c, child);
            while (points < last && !pl__is_point(coarse, points))
                points++;
            write_rows(&w, child, children, first, points);
            write_rows(&w, child, children, points, last);
        }
        job->needed[k] = w.at - job->origin[k];
    }
}

static void count_entries(void *argument, int32_t begin, int32_t end)
{
    const coarsening *job = argument;
    const pl__column_system *fine = job->fine;
    for (int32_t k = begin; k < end; ++k)
    {
        int32_t last = 2 * k + 2 < fine->nz ? 2 * k + 2 : fine->nz, entries = 0;
        for (int32_t i = fine->column_start[2 * k * fine->nx]; i < fine->column_start[last * fine->nx]; ++i)
            entries += fine->end[i] - fine->start[i];
        job->needed[k] = entries / 8 * 3 + 64;
    }
}

// Room for `needed` of each task, and the matrix; returns whether it was enough.
static pl_status write_matrix(pl_context *ctx, pl__arena *arena, coarsening *job, bool *enough)
{
    int32_t strips = job->coarse->nz;
    job->origin[0] = 0;
    for (int32_t k = 0; k < strips; ++k)
        job->origin[k + 1] = job->origin[k] + job->needed[k];
    job->column = PL_TAKE(arena, job->origin[strips], int32_t);
    job->value = PL_TAKE(arena, job->origin[strips], double);
    if (!job->column || !job->value)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, strips, 1, write_strips, job);
    *enough = true;
    for (int32_t k = 0; k < strips; ++k)
        *enough = *enough && job->needed[k] <= job->origin[k + 1] - job->origin[k];
    return PL_OK;
}

static pl_status make_matrix(pl_context *ctx, pl__arena *arena, coarsening *job)
{
    pl__column_system *coarse = job->coarse;
    int32_t strips = coarse->nz, nx = coarse->nx;
    job->start = PL_TAKE(arena, coarse->count, int32_t);
    job->end = PL_TAKE(arena, coarse->count, int32_t);
    job->origin = PL_TAKE(arena, strips + 1, int32_t);
    job->needed = PL_TAKE(arena, strips, int32_t);
    job->marker_start = PL_TAKE(arena, strips + 1, int32_t);
    if (!job->start || !job->end || !job->origin || !job->needed || !job->marker_start)
        return PL_ERR_MEMORY;
    // a task marks the coarse unknowns of its row of columns and of its neighbours
    job->marker_start[0] = 0;
    for (int32_t k = 0; k < strips; ++k)
        job->marker_start[k + 1] = job->marker_start[k] + coarse->column_start[(k + 2 < strips ? k + 2 : strips) * nx] -
                                   coarse->column_start[(k ? k - 1 : 0) * nx];
    job->marker = PL_TAKE(arena, job->marker_start[strips], int32_t);
    if (!job->marker)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, strips, 1, count_entries, job);
    bool enough = false;
    for (int attempt = 0; attempt < 2 && !enough; ++attempt)
        PL_TRY(write_matrix(ctx, arena, job, &enough));
    PL_ASSERT(enough);
    coarse->start = job->start;
    coarse->end = job->end;
    coarse->column = job->column;
    coarse->value = job->value;
    return PL_OK;
}

pl_status pl__column_coarsen(pl_context *ctx, pl__arena *arena, const pl__column_system *fine,
                             pl__column_transfer *transfer, pl__column_system *coarse)
{
    *coarse = (pl__column_system){.nx = (fine->nx + 1) / 2, .nz = (fine->nz + 1) / 2};
    coarsening job = {.fine = fine, .coarse = coarse, .transfer = transfer};
    PL_TRY(find_aggregates(ctx, arena, &job));
    return make_matrix(ctx, arena, &job);
}
