// examples/hello.c -- a block of soft rubber falls on a floor and jumps.
#include <pliant/pliant.h>
#include <stdio.h>

int main(void)
{
    pl_context_def host = pl_context_def_default();     // memory, log, threads
    pl_shape_def box = pl_shape_def_default();          // a unit box of tetrahedra
    pl_material_def rubber = pl_material_def_default(); // neo-Hookean, 1e5 Pa
    pl_object_def plane = pl_object_def_default();      // y = 0
    pl_body_def def = pl_body_def_default();
    pl_step_def frame = pl_step_def_default(); // 1/24 s, in as many stable steps as needed
    pl_context *ctx = NULL;
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_object_id floor;
    pl_body_id block;
    pl_step_info info;

    if (pl_context_create(&host, &ctx) || pl_mesh_create_shape(ctx, &box, &mesh) || pl_scene_create(ctx, &scene))
        return 1;
    def.mesh = mesh;
    def.at[1] = 1.5;
    if (pl_scene_add_material(scene, "rubber", &rubber, &def.material) ||
        pl_scene_add_object(scene, "floor", &plane, &floor) || pl_scene_add_body(scene, "block", &def, &block) ||
        pl_world_create(scene, &world))
        return fprintf(stderr, "%s\n", pl_context_error(ctx));
    while (pl_world_time(world) < 1 && !pl_world_step(world, &frame, &info))
        printf("%5.3f s  kinetic %7.2f J  elastic %7.2f J  contacts %d\n", info.time, info.kinetic, info.elastic,
               info.contacts);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}
