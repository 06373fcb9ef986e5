// bench/puddle.c -- frames of the torus that collapses and recovers, as in thesis figure 2.2, in seconds.
//
// The scene is scenes/torus_puddle.json in small and large; half a second without strength, then the second in which it
// recovers, which is the hardest: every element flat or inverted at its start. The thesis gives .5 to 1 s and 10 to 20
// s a frame for 11 and 115 thousand elements on a machine of 2004.
#include "bench.h"
#include <pliant/pliant.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    FLAT_FRAMES = 12,
    FRAMES = 36
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void fail(const bench *b)
{
    fprintf(stderr, "pliant bench: %s\n", pl_context_error(b->ctx));
    exit(1);
}

static pl_world *make_world(const bench *b, double size)
{
    char text[512];
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    snprintf(text, sizeof text,
             "{\"floor\": 0, \"bodies\": {\"torus\": {\"shape\": {\"torus\": {\"radius\": 0.5, \"tube\": 0.2}}, "
             "\"size\": %g, \"at\": [0, 0.6, 0],"
             " \"strength\": {\"keys\": [[0, 0], [0.5, 0], [1, 1]]}}}}",
             size);
    if (pl_scene_parse(b->ctx, "torus_puddle", text, strlen(text), &scene) || pl_world_create(scene, &world))
        fail(b);
    pl_scene_destroy(&scene);
    return world;
}

static void measure(const bench *b, double size, int32_t frames, const char *paper)
{
    pl_world *world = make_world(b, size);
    pl_body_id torus = pl_world_find_body(world, "torus");
    pl_step_def step = pl_step_def_default();
    double sum = 0, most = 0;
    for (int32_t i = 0; i < frames; ++i)
    {
        double began = seconds();
        if (pl_world_step(world, &step, NULL))
            fail(b);
        double spent = seconds() - began;
        if (i >= FLAT_FRAMES)
        {
            sum += spent;
            most = spent > most ? spent : most;
        }
    }
    bench_row row = {.name = "puddle",
                     .tets = pl_body_element_count(world, torus),
                     .nodes = pl_body_node_count(world, torus),
                     .threads = pl_context_thread_count(b->ctx),
                     .register_bytes = pl_context_register_bytes(b->ctx),
                     .unit = "s/frame"};
    row.variant = bench_text("mean (thesis %s)", paper);
    row.value = frames > FLAT_FRAMES ? sum / (frames - FLAT_FRAMES) : 0;
    bench_report(&row);
    row.variant = "slowest frame";
    row.value = most;
    bench_report(&row);
    pl_world_destroy(&world);
}

void bench_puddle(bench *b)
{
    measure(b, b->effort == BENCH_SMOKE ? 0.2 : 0.0625, b->effort == BENCH_SMOKE ? FLAT_FRAMES + 2 : FRAMES, ".5-1 s");
    if (b->effort == BENCH_FULL)
        measure(b, 0.0268, FRAMES, "10-20 s");
}
