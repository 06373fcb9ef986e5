// bench/steps.c -- whole steps of a world, and what it keeps in memory.
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    SUBSTEPS = 4
};

typedef struct
{
    pl_world *world;
    pl_step_info info;
} step_bench;

static void run_steps(void *argument)
{
    step_bench *s = argument;
    pl_step_def def = pl_step_def_default();
    def.max_substeps = SUBSTEPS;
    if (pl_world_step(s->world, &def, &s->info) != PL_OK)
    {
        fprintf(stderr, "pliant_bench: %s\n", pl_context_error(s->world->ctx));
        exit(1);
    }
}

static void measure(bench *b, pl_velocity_update update, int32_t tets)
{
    size_t before = pl_context_memory(b->ctx);
    pl_world *world = body_world(
        b, &(body_choice){.tets = tets, .cut = PL_CUT_BCC, .kind = PL_MATERIAL_NEO_HOOKEAN, .update = update});
    double count = body_group(world)->count, nodes = world->solids.node_count, one = 0;
    double memory = (double)(pl_context_memory(b->ctx) - before) / count;
    bench_row row = {
        .name = "step", .tets = (int32_t)count, .nodes = (int32_t)nodes, .register_bytes = b->ctx->register_bytes};
    for (int32_t threads = 1; threads <= 2; ++threads)
    {
        step_bench s = {.world = world};
        bench_saved saved = bench_use(b, threads, b->ctx->register_bytes);
        double ns = 1e9 * bench_time(b, run_steps, &s) / SUBSTEPS;
        bench_restore(b, saved);
        row.variant = update == PL_VELOCITY_MIDPOINT ? "midpoint" : "trapezoid";
        row.threads = threads;
        row.value = ns / count;
        row.unit = "ns/tet";
        row.per_node = ns / nodes;
        row.ratio = threads == 2 ? one / ns : 0;
        row.ratio_to = "one thread";
        one = ns;
        bench_report(&row);
        if (threads == 1)
            bench_report(&(bench_row){.name = "step",
                                      .variant = bench_text("%s solves", row.variant),
                                      .tets = row.tets,
                                      .nodes = row.nodes,
                                      .register_bytes = row.register_bytes,
                                      .value = (double)s.info.cg_iterations / s.info.substeps,
                                      .unit = "cg/step"});
    }
    row.variant = "memory";
    row.threads = 0;
    row.value = memory;
    row.unit = "B/tet";
    row.per_node = memory * count / nodes;
    row.ratio = 0;
    bench_report(&row);
    pl_world_destroy(&world);
}

void bench_step(bench *b)
{
    static const int32_t sizes[] = {1000, 10000, 100000, 1000000};
    int count = b->effort == BENCH_FULL ? 4 : b->effort == BENCH_QUICK ? 2 : 1;
    for (int i = 0; i < count; ++i)
    {
        measure(b, PL_VELOCITY_MIDPOINT, sizes[i]);
        measure(b, PL_VELOCITY_TRAPEZOID, sizes[i]);
    }
}
