// tests/python/print_state.c -- print_state SCENE FRAMES: the positions of every body after so many frames, exactly.
#include <pliant/pliant.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(pl_context *ctx)
{
    fprintf(stderr, "%s\n", pl_context_error(ctx));
    return 1;
}

static void print_body(const pl_world *world, pl_body_id body)
{
    const double *x = pl_body_positions(world, body);
    for (int32_t i = 0; i < 3 * pl_body_node_count(world, body); ++i)
        printf("%a\n", x[i]);
}

int main(int count, char **arguments)
{
    pl_context_def host = pl_context_def_default();
    pl_step_def step = pl_step_def_default();
    pl_context *ctx = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    if (count != 3 || pl_context_create(&host, &ctx))
        return 2;
    if (pl_scene_load(ctx, arguments[1], &scene) || pl_world_create(scene, &world))
        return fail(ctx);
    pl_shot shot = pl_scene_shot(scene);
    step.dt = shot.time_scale / shot.fps;
    for (int frame = 0; frame < atoi(arguments[2]); ++frame)
        if (pl_world_step(world, &step, NULL))
            return fail(ctx);
    for (int32_t i = 0; i < pl_world_body_count(world); ++i)
        print_body(world, pl_world_body_at(world, i));
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_context_destroy(&ctx);
    return 0;
}
