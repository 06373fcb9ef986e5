// src/sparse/gauss_seidel.c -- scaling, division into runs, and the order of sweeps.
#include "gauss_seidel.h"
#include "base/task.h"

#include <math.h>
#include <stdlib.h>

// clang-format off
//                     value     unit           derivation                                                     pinned by
#define FLAT           1e-10  // 1              a slope whose own part of its diagonal is less is left alone: its block is singular to rounding times the condition of a line  tests/column_multigrid.c singular_lines_are_survived
// clang-format on

typedef struct
{
    const pl__column_system *system;
    pl__gauss_seidel *gs;
    uint8_t *colour;                    // [columns] of their tiles
    uint8_t *continues;                 // [count] 1: the row is in the run of the one below
    int32_t *run_count;                 // [columns]
    int32_t *offset_start;              // [columns + 1]
    int64_t *lower_start, *upper_start; // [columns + 1]
} division;

// ---- order
// -----------------------------------------------------------------------------------------------------------

static void colour_columns(division *job)
{
    for (int32_t k = 0; k < job->system->nz; ++k)
        for (int32_t i = 0; i < job->system->nx; ++i)
            job->colour[i + job->system->nx * k] = (uint8_t)(i / PL__TILE % 2 + 2 * (k / PL__TILE % 2));
}

typedef enum
{
    OWN, // the diagonal, or the other unknown of the same line
    BEFORE,
    BELOW,
    ABOVE,
    AFTER
} place;

// Where the entry of row i of column c at unknown `at` of column `other` belongs. Neighbouring tiles differ in colour.
static place place_of(const division *job, int32_t c, int32_t i, int32_t other, int32_t at)
{
    const pl__column_system *s = job->system;
    if (other != c)
    {
        uint8_t theirs = job->colour[other], ours = job->colour[c];
        return (theirs == ours ? other < c : theirs < ours) ? BEFORE : AFTER;
    }
    if (at == i ||
        (s->kind && ((s->kind[i] == PL__LINE_VALUE && at == i + 1) || (s->kind[i] == PL__LINE_SLOPE && at == i - 1))))
        return OWN;
    return at == i - 1 ? BELOW : at == i + 1 ? ABOVE : at < i ? BEFORE : AFTER;
}

// ---- first pass: scale, and where runs begin ------------------------------------------------------------------------

static int32_t find_entry(const pl__column_system *s, int32_t i, int32_t column)
{
    int32_t q = s->start[i];
    while (s->column[q] != column)
        ++q;
    return q;
}

static void scale_row(const pl__gauss_seidel *gs, int32_t i, double diagonal)
{
    gs->root[i] = diagonal > 0 ? (float)sqrt(diagonal) : 0;
    gs->scale[i] = diagonal > 0 ? (float)(1 / sqrt(diagonal)) : 0;
}

// [mm md; md dd] = C C^T. A slope that its block hardly holds is left out.
static void scale_line(const pl__gauss_seidel *gs, int32_t m)
{
    const pl__column_system *s = gs->system;
    double mm = s->value[find_entry(s, m, m)], md = s->value[find_entry(s, m, m + 1)];
    double dd = s->value[find_entry(s, m + 1, m + 1)];
    double tilt = mm > 0 ? md / sqrt(mm) : 0, own = dd - tilt * tilt;
    bool flat = own <= FLAT * dd;
    scale_row(gs, m, mm);
    scale_row(gs, m + 1, flat ? 0 : own);
    gs->tilt[m] = gs->skew[m] = 0;
    gs->tilt[m + 1] = (float)tilt;
    gs->skew[m + 1] = flat || mm <= 0 ? 0 : (float)(-tilt / sqrt(mm * own));
}

// Whether row i follows the row below in memory, and has its columns, shifted by one.
static bool is_shifted(const pl__column_system *s, int32_t i)
{
    const int32_t *below = &s->column[s->start[i - 1]], *here = &s->column[s->start[i]];
    int32_t entries = s->end[i] - s->start[i], differ = 0;
    if (s->end[i - 1] - s->start[i - 1] != entries || s->start[i] != s->end[i - 1])
        return false;
    for (int32_t k = 0; k < entries; ++k)
        differ |= here[k] - below[k] - 1;
    return differ == 0;
}

// How many rows the run that begins with row i of column c may have, and its entries in L: entries stay in their
// columns, and but for the neighbours above and below no row needs another of the run.
static int32_t longest_run(const division *job, int32_t c, int32_t i, int32_t *lower)
{
    const pl__column_system *s = job->system;
    int32_t most = pl__is_point(s, i) ? s->column_start[c + 1] - i : 1;
    *lower = 0;
    for (int32_t q = s->start[i]; q < s->end[i]; ++q)
    {
        int32_t at = s->column[q], other = pl__column_of(s, c, at);
        int32_t rows = s->column_start[other + 1] - at, apart = abs(at - i);
        if (other == c && apart > 1 && apart < rows)
            rows = apart;
        most = rows < most ? rows : most;
        place where = place_of(job, c, i, other, at);
        *lower += where == BEFORE || where == BELOW;
    }
    return most;
}

static void scale_unknown(const pl__gauss_seidel *gs, int32_t i, int32_t diagonal)
{
    const pl__column_system *s = gs->system;
    if (pl__is_point(s, i))
    {
        scale_row(gs, i, s->value[s->start[i] + diagonal]);
        if (gs->skew)
            gs->skew[i] = gs->tilt[i] = 0;
    }
    else if (s->kind[i] == PL__LINE_VALUE)
        scale_line(gs, i);
}

static void scan_column(division *job, int32_t c)
{
    const pl__column_system *s = job->system;
    int32_t runs = 0, offsets = 0, left = 0, diagonal = 0, lower = 0;
    int64_t lowers = 0, uppers = 0;
    for (int32_t i = s->column_start[c]; i < s->column_start[c + 1]; ++i, --left)
    {
        bool point = pl__is_point(s, i);
        int32_t entries = s->end[i] - s->start[i] - (point ? 1 : 2);
        job->continues[i] = left > 0 && point && is_shifted(s, i);
        if (!job->continues[i])
        {
            runs++;
            offsets += entries;
            left = longest_run(job, c, i, &lower);
            diagonal = find_entry(s, i, i) - s->start[i];
        }
        lowers += lower;
        uppers += entries - lower;
        scale_unknown(job->gs, i, diagonal);
    }
    job->run_count[c] = runs;
    job->offset_start[c + 1] = offsets;
    job->lower_start[c + 1] = lowers;
    job->upper_start[c + 1] = uppers;
}

static void scan_columns(void *argument, int32_t begin, int32_t end)
{
    for (int32_t c = begin; c < end; ++c)
        scan_column(argument, c);
}

// ---- second pass: runs ----------------------------------------------------------------------------------------------

static double column_scaled(const pl__gauss_seidel *gs, int32_t q, int32_t begin)
{
    const pl__column_system *s = gs->system;
    double v = s->value[q] * gs->scale[s->column[q]];
    return gs->skew && q > begin ? v + s->value[q - 1] * gs->skew[s->column[q]] : v;
}

double pl__gauss_seidel_entry(const pl__gauss_seidel *gs, int32_t i, int32_t q)
{
    const pl__column_system *s = gs->system;
    double v = gs->scale[i] * column_scaled(gs, q, s->start[i]);
    if (!gs->skew || gs->skew[i] == 0)
        return v;
    return v + gs->skew[i] * column_scaled(gs, q - s->start[i] + s->start[i - 1], s->start[i - 1]);
}

// Values of entry q of the first row, for all rows of the run. Longer runs are of points among points.
static void fill_entry(const pl__gauss_seidel *gs, const pl__row_run *run, int32_t q, float *out)
{
    const pl__column_system *s = gs->system;
    if (run->count == 1)
    {
        out[0] = (float)pl__gauss_seidel_entry(gs, run->first, q);
        return;
    }
    const float *ours = &gs->scale[run->first], *theirs = &gs->scale[s->column[q]];
    int32_t entry = q - s->start[run->first];
    for (int32_t r = 0; r < run->count; ++r)
        out[r] = (float)(s->value[s->start[run->first + r] + entry] * ours[r] * theirs[r]);
}

static void fill_run(const division *job, int32_t c, pl__row_run *run)
{
    const pl__column_system *s = job->system;
    const pl__gauss_seidel *gs = job->gs;
    int32_t i = run->first, count[5] = {0}, next[5];
    for (int32_t q = s->start[i]; q < s->end[i]; ++q)
        count[place_of(job, c, i, pl__column_of(s, c, s->column[q]), s->column[q])]++;
    run->before = count[BEFORE];
    run->below = (uint8_t)count[BELOW];
    run->above = (uint8_t)count[ABOVE];
    run->after = count[AFTER];
    next[BEFORE] = 0;
    for (int k = BELOW; k <= AFTER; ++k)
        next[k] = next[k - 1] + count[k - 1];
    int32_t lower = next[ABOVE];
    for (int32_t q = s->start[i]; q < s->end[i]; ++q)
    {
        place where = place_of(job, c, i, pl__column_of(s, c, s->column[q]), s->column[q]);
        if (where == OWN)
            continue;
        int64_t entry = next[where]++;
        gs->offset[run->offset + entry] = s->column[q] - i;
        fill_entry(gs, run, q,
                   entry < lower ? &gs->lower[run->lower + entry * run->count]
                                 : &gs->upper[run->upper + (entry - lower) * run->count]);
    }
}

static void fill_columns(void *argument, int32_t begin, int32_t end)
{
    const division *job = argument;
    const pl__column_system *s = job->system;
    for (int32_t c = begin; c < end; ++c)
    {
        pl__row_run *run = &job->gs->run[job->gs->run_start[c]];
        int32_t offset = job->offset_start[c];
        int64_t lower = job->lower_start[c], upper = job->upper_start[c];
        for (int32_t i = s->column_start[c]; i < s->column_start[c + 1]; i += run->count, ++run)
        {
            *run = (pl__row_run){.first = i, .count = 1, .offset = offset, .lower = lower, .upper = upper};
            while (i + run->count < s->column_start[c + 1] && job->continues[i + run->count])
                run->count++;
            fill_run(job, c, run);
            offset += run->before + run->below + run->above + run->after;
            lower += (int64_t)(run->before + run->below) * run->count;
            upper += (int64_t)(run->above + run->after) * run->count;
        }
    }
}

// ---- the whole
// -------------------------------------------------------------------------------------------------------

static bool take_scales(pl__arena *arena, pl__gauss_seidel *gs)
{
    int32_t count = gs->system->count, length = count + PL__SWEEP_PADDING;
    gs->scale = PL_TAKE(arena, length, float);
    gs->root = PL_TAKE(arena, length, float);
    if (!gs->scale || !gs->root || !gs->system->kind)
        return gs->scale && gs->root;
    gs->skew = PL_TAKE(arena, length, float);
    gs->tilt = PL_TAKE(arena, length, float);
    return gs->skew && gs->tilt;
}

static bool take_division(pl__arena *arena, division *job, int32_t columns)
{
    job->gs->run_start = PL_TAKE(arena, columns + 1, int32_t);
    job->continues = PL_TAKE(arena, job->system->count, uint8_t);
    job->run_count = PL_TAKE(arena, columns, int32_t);
    job->offset_start = PL_TAKE(arena, columns + 1, int32_t);
    job->lower_start = PL_TAKE(arena, columns + 1, int64_t);
    job->upper_start = PL_TAKE(arena, columns + 1, int64_t);
    job->colour = PL_TAKE(arena, columns, uint8_t);
    return job->gs->run_start && job->continues && job->run_count && job->offset_start && job->lower_start &&
           job->upper_start && job->colour;
}

pl_status pl__gauss_seidel_setup(pl_context *ctx, pl__arena *arena, const pl__column_system *system,
                                 pl__gauss_seidel *gs)
{
    *gs = (pl__gauss_seidel){.system = system};
    division job = {.system = system, .gs = gs};
    int32_t columns = system->nx * system->nz;
    if (!take_scales(arena, gs) || !take_division(arena, &job, columns))
        return PL_ERR_MEMORY;
    colour_columns(&job);
    pl__parallel_for(ctx, columns, 16, scan_columns, &job);
    gs->run_start[0] = job.offset_start[0] = 0;
    job.lower_start[0] = job.upper_start[0] = 0;
    for (int32_t c = 0; c < columns; ++c)
    {
        gs->run_start[c + 1] = gs->run_start[c] + job.run_count[c];
        job.offset_start[c + 1] += job.offset_start[c];
        job.lower_start[c + 1] += job.lower_start[c];
        job.upper_start[c + 1] += job.upper_start[c];
    }
    gs->run = PL_TAKE(arena, gs->run_start[columns], pl__row_run);
    gs->offset = PL_TAKE(arena, job.offset_start[columns], int32_t);
    gs->lower = PL_TAKE(arena, job.lower_start[columns] + PL__SWEEP_PADDING, float);
    gs->upper = PL_TAKE(arena, job.upper_start[columns] + PL__SWEEP_PADDING, float);
    if (!gs->run || !gs->offset || !gs->lower || !gs->upper)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, 16, fill_columns, &job);
    return PL_OK;
}

typedef struct
{
    const pl__gauss_seidel *gs;
    pl__sweep sweep;
    const float *b;
    float *x;
    int32_t colour, tiles_x; // tiles of this colour along x
    int32_t register_bytes;
} sweep_job;

// A row of columns of a tile: its runs stand together.
static void sweep_row(const sweep_job *job, int32_t first, int32_t last)
{
    const int32_t *run = job->gs->run_start;
    PL_PICK(job->register_bytes, pl__sweep_runs)(job->gs, job->sweep, run[first], run[last], job->b, job->x);
}

static void sweep_tiles(void *argument, int32_t begin, int32_t end)
{
    const sweep_job *job = argument;
    const pl__column_system *s = job->gs->system;
    for (int32_t t = begin; t < end; ++t)
    {
        int32_t i0 = (2 * (t % job->tiles_x) + job->colour % 2) * PL__TILE;
        int32_t k0 = (2 * (t / job->tiles_x) + job->colour / 2) * PL__TILE;
        int32_t i1 = i0 + PL__TILE < s->nx ? i0 + PL__TILE : s->nx, k1 = k0 + PL__TILE < s->nz ? k0 + PL__TILE : s->nz;
        for (int32_t n = 0; n < k1 - k0; ++n)
        {
            int32_t k = job->sweep == PL__SWEEP_BACKWARD ? k1 - 1 - n : k0 + n;
            sweep_row(job, i0 + s->nx * k, i1 + s->nx * k);
        }
    }
}

void pl__gauss_seidel_sweep(pl_context *ctx, const pl__gauss_seidel *gs, pl__sweep sweep, const float *b, float *x)
{
    int32_t across = (gs->system->nx + PL__TILE - 1) / PL__TILE, along = (gs->system->nz + PL__TILE - 1) / PL__TILE;
    for (int n = 0; n < 4; ++n)
    {
        int32_t colour = sweep == PL__SWEEP_BACKWARD ? 3 - n : n;
        sweep_job job = {.gs = gs,
                         .sweep = sweep,
                         .b = b,
                         .x = x,
                         .colour = colour,
                         .tiles_x = (across + 1 - colour % 2) / 2,
                         .register_bytes = ctx->register_bytes};
        int32_t tiles = job.tiles_x * ((along + 1 - colour / 2) / 2);
        pl__parallel_for(ctx, tiles, 1, sweep_tiles, &job);
    }
}
