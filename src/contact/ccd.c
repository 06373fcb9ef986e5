// src/contact/ccd.c -- one pair, or many in chunks. The work is done in ccd.kernel.c.
#include "ccd.h"

#include "base/task.h"

enum
{
    CHUNK = 512 // pairs per task; their indices live on the stack
};

static bool one_pair(const double start[4][3], const double end[4][3], double separation, pl__pair_kind kind, double *t)
{
    pl__pair pair = {.node = {0, 1, 2, 3}, .kind = kind};
    pl__ccd_batch batch = {
        .pair = &pair, .x_start = start[0], .x_end = end[0], .separation = separation, .pair_count = 1};
    int32_t which = 0;
    if (pl__ccd_cull_0(&batch, &which, 1, t) && pl__ccd_sweep_0(&batch, &which, 1, t))
        pl__ccd_advance_0(&batch, &which, 1, t);
    return *t != PL__CCD_MISS;
}

bool pl__ccd_vertex_face(const double start[4][3], const double end[4][3], double separation, double *t)
{
    return one_pair(start, end, separation, PL__VERTEX_FACE, t);
}

bool pl__ccd_edge_edge(const double start[4][3], const double end[4][3], double separation, double *t)
{
    return one_pair(start, end, separation, PL__EDGE_EDGE, t);
}

typedef struct
{
    const pl__ccd_batch *batch;
    int32_t register_bytes;
    bool when; // or whether
    double *t;
} job;

static void run_chunk(void *argument, int32_t begin, int32_t end)
{
    const job *j = argument;
    int32_t which[CHUNK], count = end - begin;
    for (int32_t i = 0; i < count; ++i)
        which[i] = begin + i;
    count = PL_PICK(j->register_bytes, pl__ccd_cull)(j->batch, which, count, j->t);
    count = PL_PICK(j->register_bytes, pl__ccd_sweep)(j->batch, which, count, j->t);
    if (j->when)
        PL_PICK(j->register_bytes, pl__ccd_advance)(j->batch, which, count, j->t);
    for (int32_t i = 0; i < count && !j->when; ++i)
        j->t[which[i]] = 0;
}

void pl__ccd_batch_run(pl_context *ctx, const pl__ccd_batch *batch, double *t)
{
    pl__parallel_for(ctx, batch->pair_count, CHUNK, run_chunk, &(job){batch, ctx->register_bytes, true, t});
}

void pl__ccd_batch_sift(pl_context *ctx, const pl__ccd_batch *batch, double *t)
{
    pl__parallel_for(ctx, batch->pair_count, CHUNK, run_chunk, &(job){batch, ctx->register_bytes, false, t});
}
