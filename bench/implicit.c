// bench/implicit.c -- the implicit step: its matrix, its product, and whole steps beside evaluations of forces (Mueller
// & Gross 2004, figure 7).
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    ITERATIONS = 20, // as in the paper
    STEPS = 4,
    WORKS = 5,
    FULL_ROUNDS = 3
};

typedef struct
{
    pl_world *world;
} implicit_bench;

// The scratch of a step, where one has been taken already: this does not allocate.
static void begin(const implicit_bench *e)
{
    if (pl__solids_begin_step(&e->world->solids, &e->world->arena, false, false) != PL_OK)
        abort();
}

static void run_evaluate(void *argument)
{
    implicit_bench *e = argument;
    pl__solids_evaluate(&e->world->solids, e->world->solids.state.x, PL__EVALUATE_PRESENT);
}

static void run_assemble(void *argument)
{
    implicit_bench *e = argument;
    pl__solids *s = &e->world->solids;
    begin(e);
    pl__solids_assemble(s, s->state.x, 1e-4, 1e-2, s->mass);
    pl__solids_end_step(s);
}

static void run_multiply(void *argument)
{
    implicit_bench *e = argument;
    pl__solids *s = &e->world->solids;
    begin(e);
    (void)pl__block_matrix_multiply(s->ctx, s->matrix, s->state.v, s->step.cg.q, s->step.cg.partial);
    pl__solids_end_step(s);
}

static void run_rough(void *argument)
{
    implicit_bench *e = argument;
    pl__solids *s = &e->world->solids;
    begin(e);
    (void)pl__block_matrix_multiply_rough(s->ctx, s->matrix, s->state.v, s->step.cg.q, s->step.cg.partial);
    pl__solids_end_step(s);
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
    return (double)pl__block_matrix_bytes(s->matrix, rough) + 2.0 * 24 * s->node_count;
}

typedef struct
{
    double ns[2][WORKS]; // by threads
} times;

static void (*const work[WORKS])(void *) = {run_evaluate, run_assemble, run_multiply, run_rough, run_steps};
static const char *const names[WORKS] = {"force", "assembly", "product", "rough product", "step of 20"};

static bool is_there(const implicit_bench *e, int k) { return work[k] != run_rough || e->world->solids.matrix->rough; }

// In turns, so that what is compared was measured side by side: other programs come and go.
static times take_times(bench *b, implicit_bench *e)
{
    times t;
    bench brief = *b;
    int rounds = b->effort == BENCH_FULL ? FULL_ROUNDS : 1;
    brief.effort = b->effort == BENCH_FULL ? BENCH_QUICK : b->effort;
    for (int k = 0; k < 2 * WORKS; ++k)
        t.ns[k / WORKS][k % WORKS] = 1e30;
    for (int round = 0; round < rounds; ++round)
        for (int k = 0; k < 2 * WORKS; ++k)
        {
            int threads = 1 + k % 2, what = k / 2;
            if (!is_there(e, what))
                continue;
            bench_saved saved = bench_use(b, threads, b->ctx->register_bytes);
            double ns = 1e9 * bench_time(&brief, work[what], e) / (work[what] == run_steps ? STEPS : 1);
            bench_restore(b, saved);
            t.ns[threads - 1][what] = ns < t.ns[threads - 1][what] ? ns : t.ns[threads - 1][what];
        }
    return t;
}

static void report(bench *b, const implicit_bench *e, const char *law, int32_t threads, const times *t)
{
    const double *ns = t->ns[threads - 1];
    int32_t tets = body_group(e->world)->count, nodes = e->world->solids.node_count;
    bench_row row = {
        .name = "implicit", .tets = tets, .nodes = nodes, .threads = threads, .register_bytes = b->ctx->register_bytes};
    for (int k = 0; k < WORKS; ++k)
    {
        bench_row each = row;
        if (!is_there(e, k))
            continue;
        each.variant = bench_text("%s %s", law, names[k]);
        each.unit = "ns/tet";
        each.value = ns[k] / tets;
        each.per_node = ns[k] / nodes;
        if (work[k] == run_multiply || work[k] == run_rough)
        {
            double bytes = product_bytes(&e->world->solids, work[k] == run_rough);
            each.limit = bytes / machine_read_bandwidth(&b->machine, bytes, threads) / tets;
            each.limited_by = machine_level(bytes, threads);
        }
        each.ratio = threads == 2 ? t->ns[0][k] / ns[k] : 0;
        each.ratio_to = "one thread";
        bench_report(&each);
    }
    bench_row over = row, whole = row;
    over.variant = bench_text("%s step over force", law);
    over.value = ns[WORKS - 1] / ns[0];
    over.unit = "forces";
    bench_report(&over);
    whole.variant = bench_text("%s step", law);
    whole.value = 1e-6 * ns[WORKS - 1];
    whole.unit = "ms";
    bench_report(&whole);
}

// Milliseconds of a step on one thread and two; returns the number of tetrahedra.
static int32_t measure(bench *b, pl_material_kind kind, int32_t tets, double ms[2])
{
    pl_world *world = body_world(b, &(body_choice){.tets = tets,
                                                   .cut = PL_CUT_BCC,
                                                   .kind = kind,
                                                   .integrator = PL_INTEGRATOR_IMPLICIT_EULER,
                                                   .substep = 0.01});
    implicit_bench e = {world};
    int32_t count = body_group(world)->count;
    run_steps(&e); // the matrix is there then
    times t = take_times(b, &e);
    for (int32_t threads = 1; threads <= 2; ++threads)
    {
        report(b, &e, kind == PL_MATERIAL_LINEAR ? "linear" : "warped", threads, &t);
        ms[threads - 1] = 1e-6 * t.ns[threads - 1][WORKS - 1];
    }
    pl_world_destroy(&world);
    return count;
}

static FILE *open_figure(const bench *b)
{
    FILE *file = b->figure ? fopen(b->figure, "w") : NULL;
    if (b->figure && !file)
    {
        perror(b->figure);
        exit(1);
    }
    if (file)
        fprintf(file,
                "# Implicit Euler, %d iterations: milliseconds per step\ntetrahedra,warped 1 thread,warped 2 "
                "threads,linear 1 thread,linear 2 threads\n",
                ITERATIONS);
    return file;
}

void bench_implicit(bench *b)
{
    static const int32_t sizes[] = {1000, 5000, 20000, 50000, 100000, 150000, 200000};
    int count = b->effort == BENCH_FULL ? 7 : b->effort == BENCH_QUICK ? 3 : 1;
    FILE *figure = open_figure(b);
    for (int i = 0; i < count; ++i)
    {
        double warped[2], linear[2];
        int32_t tets = measure(b, PL_MATERIAL_ROTATED_LINEAR, sizes[i], warped);
        (void)measure(b, PL_MATERIAL_LINEAR, sizes[i], linear);
        if (figure)
            fprintf(figure, "%d,%.4g,%.4g,%.4g,%.4g\n", tets, warped[0], warped[1], linear[0], linear[1]);
    }
    if (figure)
        fclose(figure);
}
