// src/fluid/columns.c -- building, looking up and fitting numbers on columns of runs.
#include "columns.h"
#include "base/task.h"

#include <math.h>

enum
{
    COLUMNS_PER_TASK = 64
};

// ---- building --------------------------------------------------------------------------------------------------

void pl__columns_done(pl_context *ctx, pl__columns *c)
{
    PL_DELETE(ctx, c->start, c->start_capacity);
    PL_DELETE(ctx, c->run, c->run_capacity);
    PL_DELETE(ctx, c->main, c->main_capacity);
    *c = (pl__columns){0};
}

pl_status pl__columns_begin(pl_context *ctx, pl__columns *c, const int32_t n[3], const double origin[3], double h)
{
    size_t columns = (size_t)n[0] * (size_t)n[2];
    if (!PL_GROW(ctx, c->start, &c->start_capacity, columns + 1) || !PL_GROW(ctx, c->main, &c->main_capacity, columns))
    {
        pl__columns_done(ctx, c);
        return PL_ERR_MEMORY;
    }
    c->nx = n[0], c->ny = n[1], c->nz = n[2];
    c->h = h;
    c->inverse_h = 1 / h;
    for (int i = 0; i < 3; ++i)
        c->origin[i] = origin[i];
    c->run_count = c->next_column = c->start[0] = 0;
    c->value_count = 0;
    return PL_OK;
}

pl_status pl__columns_add(pl_context *ctx, pl__columns *c, int32_t j0, int32_t j1, pl__run_kind kind)
{
    pl__run run = {j0, j1, c->value_count, j0 == j1 ? PL__RUN_UNIFORM : kind};
    if (pl__run_numbers(&run) > INT32_MAX - c->value_count - 1)
    {
        pl__columns_done(ctx, c);
        return pl__fail(ctx, PL_ERR_MEMORY, "a liquid has more than 2^31 numbers; use larger cells");
    }
    if (!PL_GROW(ctx, c->run, &c->run_capacity, c->run_count + 1))
    {
        pl__columns_done(ctx, c);
        return PL_ERR_MEMORY;
    }
    c->run[c->run_count++] = run;
    c->value_count += pl__run_numbers(&run);
    return PL_OK;
}

void pl__columns_end_column(pl__columns *c)
{
    pl__main_run *m = &c->main[c->next_column];
    *m = (pl__main_run){0, -1, 0};
    for (size_t r = c->start[c->next_column]; r < c->run_count; ++r)
    {
        const pl__run *run = &c->run[r];
        if (run->kind == PL__RUN_UNIFORM && run->j1 - run->j0 > m->j1 - m->j0)
            *m = (pl__main_run){run->j0, run->j1, run->first - run->j0};
    }
    c->start[++c->next_column] = c->run_count;
}

bool pl__columns_is_valid(const pl__columns *c)
{
    int32_t value = 0;
    for (size_t column = 0; column < c->next_column; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            if (run->j0 < 0 || run->j1 >= c->ny || run->j0 > run->j1 || run->first != value ||
                (r > c->start[column] && run[-1].j1 >= run->j0))
                return false;
            value += pl__run_numbers(run);
        }
    return c->next_column == (size_t)c->nx * (size_t)c->nz && value == c->value_count;
}

// ---- looking up ------------------------------------------------------------------------------------------------

const pl__run *pl__columns_find(const pl__columns *c, int32_t column, int32_t j)
{
    size_t low = c->start[column], high = c->start[column + 1];
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (c->run[middle].j1 < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->start[column + 1] && c->run[low].j0 <= j ? &c->run[low] : NULL;
}

void pl__columns_place(const pl__columns *c, int32_t number, int32_t *column, int32_t *j)
{
    size_t low = 0, high = c->run_count;
    while (high - low > 1)
    {
        size_t middle = low + (high - low) / 2;
        *(c->run[middle].first <= number ? &low : &high) = middle;
    }
    *j = c->run[low].j0 + number - c->run[low].first;
    int32_t from = 0, to = c->nx * c->nz;
    while (to - from > 1)
    {
        int32_t middle = from + (to - from) / 2;
        *(c->start[middle] <= low ? &from : &to) = middle;
    }
    *column = from;
}

int32_t pl__columns_uniform(const pl__columns *c, int32_t column, int32_t j)
{
    const pl__main_run *m = &c->main[column];
    if (j >= m->j0 && j <= m->j1)
        return m->base + j;
    const pl__run *run = pl__columns_find(c, column, j);
    return run && run->kind == PL__RUN_UNIFORM ? run->first + j - run->j0 : -1;
}

// Cell of a coordinate [samples] among n, and the part of it.
static inline int32_t cell_of(double x, int32_t n, double *part)
{
    double top = (double)(n - 1), inside = x > 0 ? (x < top ? x : top) : 0;
    int32_t i = (int32_t)inside;
    if (i > n - 2)
        i = n > 1 ? n - 2 : 0;
    *part = inside - (double)i;
    return i;
}

// The general case: corners may be tall, or missing.
static bool sample_any(const pl__columns *c, const double *value, const int32_t cell[3], const double part[3],
                       double *result)
{
    double sum = 0, weight = 0;
    for (int corner = 0; corner < 8; ++corner)
    {
        int a = corner & 1, b = corner >> 1 & 1, d = corner >> 2;
        double w = (a ? part[0] : 1 - part[0]) * (b ? part[1] : 1 - part[1]) * (d ? part[2] : 1 - part[2]), v;
        if (w > 0 && pl__columns_value(c, value, cell[0] + a + c->nx * (cell[2] + d), cell[1] + b, &v))
        {
            sum += w * v;
            weight += w;
        }
    }
    if (weight <= 0)
        return false;
    *result = weight < 1 - 1e-14 ? sum / weight : sum;
    return true;
}

static inline bool has_pair(const pl__main_run *m, int32_t j) { return j >= m->j0 && j < m->j1; }

static inline double pair_at(const double *value, const pl__main_run *m, int32_t j, double part)
{
    const double *v = value + m->base + j;
    return v[0] + part * (v[1] - v[0]);
}

bool pl__columns_sample(const pl__columns *c, const double *value, const double x[3], double *result)
{
    double part[3];
    int32_t i = cell_of((x[0] - c->origin[0]) * c->inverse_h, c->nx, &part[0]);
    int32_t j = cell_of((x[1] - c->origin[1]) * c->inverse_h, c->ny, &part[1]);
    int32_t k = cell_of((x[2] - c->origin[2]) * c->inverse_h, c->nz, &part[2]);
    // along an axis with one sample, both corners are that one
    int32_t right = c->nx > 1, back = c->nz > 1 ? c->nx : 0;
    const pl__main_run *m = &c->main[i + c->nx * k];
    if (!has_pair(&m[0], j) || !has_pair(&m[right], j) || !has_pair(&m[back], j) || !has_pair(&m[back + right], j))
        return sample_any(c, value, (int32_t[3]){i, j, k}, part, result);
    double front = pair_at(value, &m[0], j, part[1]), behind = pair_at(value, &m[back], j, part[1]);
    front += part[0] * (pair_at(value, &m[right], j, part[1]) - front);
    behind += part[0] * (pair_at(value, &m[back + right], j, part[1]) - behind);
    *result = front + part[2] * (behind - front);
    return true;
}

// ---- least squares ---------------------------------------------------------------------------------------------

// With m = j - middle over the rows [j0, j1]: sums of 1, m, m^2. Rows are symmetric about their mean a, so that
// sum m = n a, sum m^2 = n a^2 + n (n^2 - 1) / 12.
void pl__rows_power_sums(int32_t j0, int32_t j1, double middle, double s[3])
{
    double n = (double)j1 - (double)j0 + 1, a = 0.5 * ((double)j0 + (double)j1) - middle;
    s[0] = n;
    s[1] = n * a;
    s[2] = n * (a * a + (n * n - 1) / 12);
}

void pl__run_add_moments(const pl__run *from, const double *value, int32_t j0, int32_t j1, double middle,
                         pl__run_moments *moments)
{
    if (from->kind == PL__RUN_UNIFORM)
    {
        for (int32_t j = j0; j <= j1; ++j)
        {
            double v = value[from->first + j - from->j0];
            moments->sum += v;
            moments->first += v * (j - middle);
        }
        return;
    }
    // v(j) = a + b m
    double s[3], b = 0, a = value[from->first];
    if (from->kind == PL__RUN_LINEAR)
    {
        b = (value[from->first + 1] - a) / (double)(from->j1 - from->j0);
        a += b * (middle - from->j0);
    }
    pl__rows_power_sums(j0, j1, middle, s);
    moments->sum += a * s[0] + b * s[1];
    moments->first += a * s[1] + b * s[2];
}

void pl__run_fit(const pl__run *run, const pl__run_moments *moments, double *value)
{
    double n = pl__run_rows(run), mean = moments->sum / n;
    if (run->kind == PL__RUN_CONSTANT)
    {
        value[run->first] = mean;
        return;
    }
    // about the middle, constant and slope are orthogonal; sum m^2 = n (n^2 - 1) / 12
    double rise = 0.5 * (n - 1) * moments->first / (n * (n * n - 1) / 12);
    value[run->first] = mean - rise;
    value[run->first + 1] = mean + rise;
}

typedef struct transfer_job
{
    const pl__columns *from, *to;
    const double *value;
    double missing, *result;
} transfer_job;

static void transfer_uniform(const transfer_job *job, int32_t column, const pl__run *run)
{
    const pl__columns *from = job->from;
    const pl__run *r = from->run + from->start[column], *end = from->run + from->start[column + 1];
    for (int32_t j = run->j0; j <= run->j1; ++j)
    {
        while (r < end && r->j1 < j)
            ++r;
        job->result[run->first + j - run->j0] = r < end && r->j0 <= j ? pl__run_value(r, job->value, j) : job->missing;
    }
}

static void transfer_fit(const transfer_job *job, int32_t column, const pl__run *run)
{
    const pl__columns *from = job->from;
    double middle = pl__run_middle(run), missing = job->missing;
    pl__run_moments moments = {0};
    int32_t j = run->j0; // next row
    pl__run gap = {.kind = PL__RUN_CONSTANT};
    for (size_t r = from->start[column]; r < from->start[column + 1] && j <= run->j1; ++r)
    {
        const pl__run *old = &from->run[r];
        int32_t j0 = old->j0 > j ? old->j0 : j, j1 = old->j1 < run->j1 ? old->j1 : run->j1;
        if (j1 < j0)
            continue;
        if (j0 == run->j0 && j1 == run->j1 && old->kind == run->kind && pl__run_rows(old) == pl__run_rows(run))
        {
            for (int n = 0; n < pl__run_numbers(run); ++n)
                job->result[run->first + n] = job->value[old->first + n]; // the same run: the same bits
            return;
        }
        if (j0 > j && missing != 0)
            pl__run_add_moments(&gap, &missing, j, j0 - 1, middle, &moments);
        pl__run_add_moments(old, job->value, j0, j1, middle, &moments);
        j = j1 + 1;
    }
    if (j <= run->j1 && missing != 0)
        pl__run_add_moments(&gap, &missing, j, run->j1, middle, &moments);
    pl__run_fit(run, &moments, job->result);
}

static void transfer_columns(void *argument, int32_t begin, int32_t end)
{
    const transfer_job *job = argument;
    for (int32_t column = begin; column < end; ++column)
        for (size_t r = job->to->start[column]; r < job->to->start[column + 1]; ++r)
        {
            const pl__run *run = &job->to->run[r];
            (run->kind == PL__RUN_UNIFORM ? transfer_uniform : transfer_fit)(job, column, run);
        }
}

void pl__columns_transfer(pl_context *ctx, const pl__columns *from, const double *value, const pl__columns *to,
                          double missing, double *result)
{
    transfer_job job = {from, to, value, missing, result};
    pl__parallel_for(ctx, to->nx * to->nz, COLUMNS_PER_TASK, transfer_columns, &job);
}

// ---- dense oracles ---------------------------------------------------------------------------------------------

void pl__columns_refine(const pl__columns *c, const double *value, double missing, double *dense)
{
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (int32_t j = 0; j < c->ny; ++j)
        {
            double *to = &dense[(size_t)column * (size_t)c->ny + (size_t)j];
            if (!pl__columns_value(c, value, column, j, to))
                *to = missing;
        }
}

void pl__columns_coarsen(const pl__columns *c, const double *dense, double *value)
{
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            const double *row = &dense[(size_t)column * (size_t)c->ny];
            pl__run_moments moments = {0};
            for (int32_t j = run->j0; j <= run->j1; ++j)
            {
                moments.sum += row[j];
                moments.first += row[j] * (j - pl__run_middle(run));
                if (run->kind == PL__RUN_UNIFORM)
                    value[run->first + j - run->j0] = row[j];
            }
            if (run->kind != PL__RUN_UNIFORM)
                pl__run_fit(run, &moments, value);
        }
}
