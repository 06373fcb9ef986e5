// bench/ccd.c -- continuous collision detection: pairs by which stage decides them, one at a time and by register
// width.
#include "bench.h"
#include "base/random.h"
#include "contact/ccd.h"

#include <stdlib.h>

enum
{
    PAIRS = 4096,
    NODES = 4 * PAIRS
};

typedef enum
{
    FAR,  // boxes over the motion are apart
    NEAR, // they are not, but one plane, fixed or turning, separates all of it
    PASS, // steps are needed to see that they miss
    HIT,
    GROUPS
} group;
static const char *const group_names[] = {"far", "near", "near with steps", "hit"};

typedef struct
{
    double start[3 * NODES + 1], end[3 * NODES + 1], t[PAIRS];
    pl__pair pair[PAIRS];
    pl__ccd_batch batch;
    pl_context *ctx;
} pairs;

static double uniform(uint64_t key, uint64_t n) { return 2 * pl__random01(5, key, n) - 1; }

// Elements of size 1 that move by a third of it, at random: vertices and faces, or edges.
static void make_pair(pairs *p, int32_t i, uint64_t key, double spread)
{
    p->pair[i] = (pl__pair){.node = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3}, .kind = i % 2};
    int32_t first = i % 2 ? 2 : 1; // nodes of the first thing
    for (int k = 0; k < 12; ++k)
    {
        double at = k / 3 < first ? spread * uniform(key, 50 + (uint64_t)(k % 3)) : 0;
        p->start[12 * i + k] = at + 0.5 * uniform(key, (uint64_t)k);
        p->end[12 * i + k] = p->start[12 * i + k] + 0.3 * uniform(key, 20 + (uint64_t)k);
    }
}

// Along one axis, the first thing's nodes are all beyond the second's.
static bool is_beyond(const double *start, const double *end, int32_t first, int axis, int sign)
{
    for (int32_t i = 0; i < first; ++i)
        for (int32_t j = first; j < 4; ++j)
            if (sign * (start[3 * i + axis] - start[3 * j + axis]) <= 0 ||
                sign * (end[3 * i + axis] - end[3 * j + axis]) <= 0)
                return false;
    return true;
}

static group decide(const pairs *p, int32_t i, double *t)
{
    int32_t which = i;
    for (int k = 0; k < 6; ++k)
        if (is_beyond(&p->start[12 * i], &p->end[12 * i], i % 2 ? 2 : 1, k / 2, k % 2 ? 1 : -1))
            return t[i] = PL__CCD_MISS, FAR;
    if (!pl__ccd_cull_0(&p->batch, &which, 1, t) || !pl__ccd_sweep_0(&p->batch, &which, 1, t))
        return NEAR;
    pl__ccd_advance_0(&p->batch, &which, 1, t);
    return t[i] == PL__CCD_MISS ? PASS : HIT;
}

// Random pairs until all are of the group. Starts in contact are no work, and left out.
static void fill(pairs *p, group wanted)
{
    uint64_t key = 0;
    for (int32_t i = 0; i < PAIRS; ++i)
        do
            make_pair(p, i, ++key, wanted == FAR ? 2 : 0.8);
        while (decide(p, i, p->t) != wanted || p->t[i] == 0);
}

static void run_plain(void *argument)
{
    pairs *p = argument;
    for (int32_t i = 0; i < PAIRS; ++i)
    {
        const double(*start)[3] = (const double(*)[3]) & p->start[12 * i],
              (*end)[3] = (const double(*)[3]) & p->end[12 * i];
        (p->pair[i].kind == PL__VERTEX_FACE ? pl__ccd_vertex_face : pl__ccd_edge_edge)(start, end, 0, &p->t[i]);
    }
}

static void run_batch(void *argument)
{
    pairs *p = argument;
    pl__ccd_batch_run(p->ctx, &p->batch, p->t);
}

static void measure(bench *b, pairs *p, const char *name, int32_t threads, int32_t register_bytes, double plain)
{
    bench_saved saved = bench_use(b, threads, register_bytes);
    double wide = 1e9 * bench_time(b, run_batch, p) / PAIRS;
    bench_restore(b, saved);
    bench_report(&(bench_row){.name = "ccd",
                              .variant = name,
                              .threads = threads,
                              .register_bytes = register_bytes,
                              .value = wide,
                              .unit = "ns/pair",
                              .ratio = plain / wide,
                              .ratio_to = "one at a time"});
}

void bench_ccd(bench *b)
{
    pairs *p = calloc(1, sizeof *p);
    if (!p)
        exit(1);
    p->batch = (pl__ccd_batch){.pair = p->pair, .x_start = p->start, .x_end = p->end, .pair_count = PAIRS};
    p->ctx = b->ctx;
    uint64_t host = pl__fp_enter();
    for (group g = 0; g < GROUPS; ++g)
    {
        fill(p, g);
        bench_saved saved = bench_use(b, 1, b->ctx->register_bytes);
        double plain = 1e9 * bench_time(b, run_plain, p) / PAIRS;
        bench_restore(b, saved);
        bench_report(&(bench_row){.name = "ccd",
                                  .variant = bench_text("%s; one by one", group_names[g]),
                                  .threads = 1,
                                  .value = plain,
                                  .unit = "ns/pair"});
        static const int32_t widths[] = {0, 16, 32, 64};
        for (int i = 0; i < 4 && widths[i] <= b->ctx->register_bytes; ++i)
            measure(b, p, group_names[g], 1, widths[i], plain);
        measure(b, p, group_names[g], 2, b->ctx->register_bytes, plain);
    }
    pl__fp_leave(host);
    free(p);
}
