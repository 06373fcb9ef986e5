// src/fluid/layers.c -- lists of unknown samples, by tasks of columns.
#include "layers.h"
#include "base/task.h"

#include <string.h>

enum
{
    COLUMNS_PER_TASK = 64
};

typedef struct listing
{
    const pl__columns *c;
    const uint8_t *known;
    bool tall;
    pl__layers *layers;
} listing;

static int32_t stride_of(const pl__layers *l) { return 1 + 6 * l->depth; }

// The number at row j of a column; of tall runs the nearer end, or none.
static int32_t number_at(const listing *job, int32_t i, int32_t j, int32_t k)
{
    const pl__columns *c = job->c;
    if (i < 0 || j < 0 || k < 0 || i >= c->nx || j >= c->ny || k >= c->nz)
        return -1;
    int32_t column = i + c->nx * k;
    const pl__main_run *m = &c->main[column];
    if (j >= m->j0 && j <= m->j1)
        return m->base + j;
    const pl__run *run = pl__columns_find(c, column, j);
    if (!run || (run->kind != PL__RUN_UNIFORM && !job->tall))
        return -1;
    if (run->kind == PL__RUN_UNIFORM)
        return run->first + j - run->j0;
    return run->first + (run->kind == PL__RUN_LINEAR && 2 * j > run->j0 + run->j1);
}

// The main runs of a column and of those beside it: -x +x -z +z; empty beyond the lattice.
typedef struct cross
{
    pl__main_run own, beside[4];
} cross;

static cross look_around(const pl__columns *c, int32_t i, int32_t k)
{
    static const pl__main_run none = {0, -1, 0};
    const pl__main_run *own = &c->main[i + c->nx * k];
    return (cross){*own,
                   {i > 0 ? own[-1] : none, i + 1 < c->nx ? own[1] : none, k > 0 ? own[-c->nx] : none,
                    k + 1 < c->nz ? own[c->nx] : none}};
}

static inline int32_t number_in(const pl__main_run *m, int32_t j)
{
    return j >= m->j0 && j <= m->j1 ? m->base + j : -1;
}

static void list_sample(const listing *job, const cross *near, int32_t i, int32_t j, int32_t k, int32_t number,
                        int32_t *entry)
{
    *entry++ = number;
    for (int n = 0; n < 6; ++n)
        for (int32_t far = 1; far <= job->layers->depth; ++far)
        {
            int32_t way = n % 2 ? far : -far, axis = n / 2, found = -1;
            if (axis == 1)
                found = number_in(&near->own, j + way);
            else if (far == 1)
                found = number_in(&near->beside[axis + n % 2], j);
            *entry++ = found >= 0 ? found
                                  : number_at(job, i + (axis == 0 ? way : 0), j + (axis == 1 ? way : 0),
                                              k + (axis == 2 ? way : 0));
        }
}

// Unknown samples of columns; they are written unless `entry` is NULL. Returns how many there are.
static int32_t list_columns(const listing *job, int32_t begin, int32_t end, int32_t *entry)
{
    const pl__columns *c = job->c;
    int32_t count = 0, stride = stride_of(job->layers);
    for (int32_t column = begin; column < end; ++column)
    {
        int32_t i = column % c->nx, k = column / c->nx;
        cross near = look_around(c, i, k);
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
        {
            const pl__run *run = &c->run[r];
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j)
            {
                int32_t n = run->first + j - run->j0;
                if (job->known[n])
                    continue;
                if (entry)
                    list_sample(job, &near, i, j, k, n, entry + (size_t)count * (size_t)stride);
                ++count;
            }
        }
    }
    return count;
}

static void count_task(void *argument, int32_t begin, int32_t end)
{
    const listing *job = argument;
    job->layers->count[begin / COLUMNS_PER_TASK] = list_columns(job, begin, end, NULL);
}

static void list_task(void *argument, int32_t begin, int32_t end)
{
    const listing *job = argument;
    const pl__layers *l = job->layers;
    (void)list_columns(job, begin, end, l->entry + (size_t)l->start[begin / COLUMNS_PER_TASK] * (size_t)stride_of(l));
}

pl_status pl__layers_list(pl_context *ctx, pl__arena *arena, const pl__columns *c, int32_t depth, bool tall,
                          const uint8_t *known, pl__layers *l)
{
    int32_t columns = c->nx * c->nz;
    *l = (pl__layers){.ctx = ctx, .fields = 1, .depth = depth, .tasks = pl__chunk_count(columns, COLUMNS_PER_TASK)};
    listing job = {c, known, tall, l};
    l->start = PL_TAKE(arena, l->tasks + 1, int32_t);
    l->count = PL_TAKE(arena, l->tasks + 1, int32_t);
    if (!l->start || !l->count)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, count_task, &job);
    l->start[0] = 0;
    for (int32_t n = 0; n < l->tasks; ++n)
        l->start[n + 1] = l->start[n] + l->count[n];
    size_t all = (size_t)l->start[l->tasks] + 1;
    l->entry = PL_TAKE(arena, all * (size_t)stride_of(l), int32_t);
    l->mean = PL_TAKE(arena, all, double);
    l->found = PL_TAKE(arena, all, uint8_t);
    if (!l->entry || !l->mean || !l->found)
        return PL_ERR_MEMORY;
    pl__parallel_for(ctx, columns, COLUMNS_PER_TASK, list_task, &job);
    return PL_OK;
}

typedef struct clearing
{
    const pl__layers *layers;
    double *value;
} clearing;

static void clear_task(void *argument, int32_t begin, int32_t end)
{
    const clearing *job = argument;
    const pl__layers *l = job->layers;
    for (int32_t task = begin; task < end; ++task)
        for (int32_t n = l->start[task]; n < l->start[task] + l->count[task]; ++n)
            job->value[l->entry[(size_t)n * (size_t)stride_of(l)]] = 0;
}

void pl__layers_clear(const pl__layers *l, double *value)
{
    clearing job = {l, value};
    pl__parallel_for(l->ctx, l->tasks, 1, clear_task, &job);
}

pl_status pl__layers_widen(pl__arena *arena, int32_t fields, pl__layers *l)
{
    l->fields = fields;
    l->mean = PL_TAKE(arena, (size_t)fields * ((size_t)l->start[l->tasks] + 1), double);
    return l->mean ? PL_OK : PL_ERR_MEMORY;
}

typedef struct spreading
{
    pl__layers *layers;
    pl__layer_rule *rule;
    const void *user;
    uint8_t *known;
    double *const *value; // [fields]
} spreading;

static double *means_of(const pl__layers *l, int32_t field)
{
    return l->mean + (size_t)field * (size_t)l->start[l->tasks];
}

static void find_means(void *argument, int32_t begin, int32_t end)
{
    const spreading *job = argument;
    const pl__layers *l = job->layers;
    size_t stride = (size_t)stride_of(l);
    for (int32_t f = 0; f < l->fields; ++f)
    {
        double *mean = means_of(l, f);
        for (int32_t task = begin; task < end; ++task)
            for (int32_t n = l->start[task]; n < l->start[task] + l->count[task]; ++n)
                l->found[n] = job->rule(job->user, l->entry + (size_t)n * stride, job->known, job->value[f], &mean[n]);
    }
}

// Take over what was found, and move the others together.
static void take_means(void *argument, int32_t begin, int32_t end)
{
    const spreading *job = argument;
    const pl__layers *l = job->layers;
    size_t stride = (size_t)stride_of(l);
    for (int32_t task = begin; task < end; ++task)
    {
        int32_t left = l->start[task];
        for (int32_t n = l->start[task]; n < l->start[task] + l->count[task]; ++n)
        {
            int32_t *entry = l->entry + (size_t)n * stride;
            if (l->found[n])
            {
                for (int32_t f = 0; f < l->fields; ++f)
                    job->value[f][entry[0]] = means_of(l, f)[n];
                job->known[entry[0]] = 1;
            }
            else if (left++ < n)
                memcpy(l->entry + (size_t)(left - 1) * stride, entry, stride * sizeof *entry);
        }
        l->count[task] = left - l->start[task];
    }
}

void pl__layers_spread_all(pl__layers *l, int32_t count, pl__layer_rule *rule, const void *user, uint8_t *known,
                           double *const value[])
{
    spreading job = {l, rule, user, known, value};
    for (int32_t layer = 0; layer < count; ++layer)
    {
        pl__parallel_for(l->ctx, l->tasks, 1, find_means, &job);
        pl__parallel_for(l->ctx, l->tasks, 1, take_means, &job);
    }
}

void pl__layers_spread(pl__layers *l, int32_t count, pl__layer_rule *rule, const void *user, uint8_t *known,
                       double *value)
{
    pl__layers_spread_all(l, count, rule, user, known, &value);
}
