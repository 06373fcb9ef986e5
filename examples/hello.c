// examples/hello.c -- a block of soft rubber falls on a floor and jumps.
#include <pliant/pliant.h>
#include <stdio.h>

int main(void)
{
    pl_context_def host = pl_context_def_default();            // memory, log, threads
    pl_shape_def shape = pl_shape_def_default();               // a unit box of tetrahedra
    pl_material_def rubber = pl_material_def_default();        // neo-Hookean, 1e5 Pa
    pl_object_def plane = pl_object_def_default();             // the floor, y = 0
    pl_body_def block = pl_body_def_default();
    pl_step_def frame = pl_step_def_default();                 // 1/24 s, in as many stable steps as needed
    pl_context *ctx;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_mesh *mesh = NULL;
    pl_body_id body;
    pl_object_id floor;
    pl_step_info info;

    if (pl_context_create(&host, &ctx))
        return 1;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    block.mesh = mesh;
    block.at[1] = 1.5;
    if (status || pl_scene_create(ctx, &scene) || pl_scene_add_material(scene, "rubber", &rubber, &block.material) ||
        pl_scene_add_object(scene, "floor", &plane, &floor) || pl_scene_add_body(scene, "block", &block, &body) ||
        pl_world_create(scene, &world))
        status = PL_ERR_ARGUMENT;
    for (int i = 0; !status && i < 24; ++i)
        if (!(status = pl_world_step(world, &frame, &info)))
            printf("%5.3f s  kinetic %7.2f J  elastic %7.2f J  contacts %d\n", info.time, info.kinetic, info.elastic, info.contacts);
    if (status)
        fprintf(stderr, "%s\n", pl_context_error(ctx));
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
    return status != PL_OK;
}
