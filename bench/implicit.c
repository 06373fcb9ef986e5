// bench/implicit.c -- the implicit step: its matrix, its product, and whole steps beside evaluations of forces (Mueller & Gross 2004, figure 7).
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    ITERATIONS = 20, // as in the paper
    STEPS = 4,
    WORKS = 5
};

typedef struct
{
    pl_world *world;
    double *out;
} implicit_bench;

static void run_evaluate(void *argument)
{
    implicit_bench *e = argument;
    pl__solids_evaluate(&e->world->solids, e->world->solids.x, false);
}

static void run_assemble(void *argument)
{
    implicit_bench *e = argument;
    pl__solids *s = &e->world->solids;
    pl__solids_assemble(s, s->x, 1e-4, 1e-2, s->mass);
}

static void run_multiply(void *argument)
{
    implicit_bench *e = argument;
    pl__solids *s = &e->world->solids;
    (void)pl__block_matrix_multiply(s->ctx, &s->implicit->matrix, s->v, e->out, s->cg.partial);
}

static void run_rough(void *argument)
{
    implicit_bench *e = argument;
    pl__solids *s = &e->world->solids;
    (void)pl__block_matrix_multiply_rough(s->ctx, &s->implicit->matrix, s->v, e->out, s->cg.partial);
}

static void run_steps(void *argument)
{
    implicit_bench *e = argument;
    pl_step_def def = pl_step_def_default();
    def.dt = STEPS * 0.01;
    def.max_iterations = ITERATIONS;
    if (pl_world_step(e->world, &def, NULL) != PL_OK)
    {
        fprintf(stderr, "pliant_bench: %s\n", pl_context_error(e->world->ctx));
        exit(1);
    }
}

// Bytes of a product: the blocks, and vectors in and out.
static double product_bytes(const pl__solids *s, bool rough)
{
    return (double)pl__block_matrix_bytes(&s->implicit->matrix, rough) + 2.0 * 24 * s->node_count;
}

static void measure(bench *b, pl_material_kind kind, int32_t tets)
{
    pl_world *world = body_world(b, &(body_choice){.tets = tets, .cut = PL_CUT_BCC, .kind = kind, .integrator = PL_INTEGRATOR_IMPLICIT_EULER, .substep = 0.01});
    double count = body_group(world)->count, nodes = world->solids.node_count;
    const char *law = kind == PL_MATERIAL_LINEAR ? "linear" : "warped";
    implicit_bench e = {world, world->solids.cg.q};
    run_steps(&e); // the matrix is there then
    double one[WORKS] = {0};
    for (int32_t threads = 1; threads <= 2; ++threads)
    {
        void (*const work[WORKS])(void *) = {run_evaluate, run_assemble, run_multiply, run_rough, run_steps};
        static const char *const names[WORKS] = {"force", "assembly", "product", "rough product", "step of 20"};
        bench_saved saved = bench_use(b, threads, b->ctx->register_bytes);
        double ns[WORKS];
        for (int k = 0; k < WORKS; ++k)
            ns[k] = 1e9 * bench_time(b, work[k], &e) / (work[k] == run_steps ? STEPS : 1);
        bench_restore(b, saved);
        for (int k = 0; k < WORKS; ++k)
        {
            bench_row row = {.name = "implicit", .variant = bench_text("%s %s", law, names[k]), .tets = (int32_t)count, .nodes = (int32_t)nodes, .threads = threads,
                             .register_bytes = b->ctx->register_bytes, .value = ns[k] / count, .unit = "ns/tet", .per_node = ns[k] / nodes};
            if (work[k] == run_multiply || work[k] == run_rough)
            {
                double bytes = product_bytes(&world->solids, work[k] == run_rough);
                row.limit = bytes / machine_read_bandwidth(&b->machine, bytes, threads) / count;
                row.limited_by = machine_level(bytes, threads);
            }
            row.ratio = threads == 2 ? one[k] / ns[k] : 0;
            row.ratio_to = "one thread";
            bench_report(&row);
            one[k] = ns[k];
        }
        bench_report(&(bench_row){.name = "implicit", .variant = bench_text("%s step over force", law), .tets = (int32_t)count, .nodes = (int32_t)nodes, .threads = threads,
                                  .register_bytes = b->ctx->register_bytes, .value = ns[WORKS - 1] / ns[0], .unit = "forces"});
        bench_report(&(bench_row){.name = "implicit", .variant = bench_text("%s step", law), .tets = (int32_t)count, .nodes = (int32_t)nodes, .threads = threads,
                                  .register_bytes = b->ctx->register_bytes, .value = 1e-6 * ns[WORKS - 1], .unit = "ms"});
    }
    pl_world_destroy(&world);
}

void bench_implicit(bench *b)
{
    static const int32_t sizes[] = {1000, 5000, 20000, 50000, 100000, 200000};
    int count = b->effort == BENCH_FULL ? 6 : b->effort == BENCH_QUICK ? 3 : 1;
    for (int i = 0; i < count; ++i)
    {
        measure(b, PL_MATERIAL_ROTATED_LINEAR, sizes[i]);
        measure(b, PL_MATERIAL_LINEAR, sizes[i]);
    }
}
