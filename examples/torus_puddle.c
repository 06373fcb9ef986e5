// examples/torus_puddle.c -- a torus that forgets its shape, and remembers it (thesis figure 2.2).
//
// With strength 0 its nodes fall as if nothing held them together, and lie on the floor as a puddle: every tetrahedron
// is flat. Then strength rises to 1 and the torus stands up again. What is drawn in red is flat or inside out.
//
//     torus_puddle [DIRECTORY [EDGE]]     writes DIRECTORY/torus_puddle.png and torus_puddle_sheet.png; EDGE is in metres
#include "show.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    FRAMES = 96,
    RATE = 24,
    WIDTH = 480,
    HEIGHT = 288,
    PICKED = 6
};

// frames of the sheet
static const int picked[PICKED] = {0, 9, 35, 38, 41, FRAMES - 1};
static const picture_view view = {.from = {1.35, 1.55, 2.9}, .at = {0.03, 0.56, 0}, .angle = 30, .floor = true, .grid = 0.25};
static const float blue[3] = {0.10f, 0.33f, 0.72f};

// 0 for a second and a half, then up to 1 within half a second
static double strength_at(double time) { return time < 1.5 ? 0 : time < 2 ? 2 * (time - 1.5) : 1; }

static pl_status build(pl_context *ctx, double edge, pl_mesh **mesh, pl_scene **scene, pl_world **world, pl_body_id *body)
{
    pl_shape_def shape = pl_shape_def_default();
    shape.kind = PL_SHAPE_TORUS;
    shape.edge = edge;
    pl_status status = pl_mesh_create_shape(ctx, &shape, mesh);
    if (!status)
        status = pl_scene_create(ctx, scene);
    pl_material_def rubber = pl_material_def_default();
    pl_object_def plane = pl_object_def_default();
    plane.friction = 0.5;
    pl_body_def torus = pl_body_def_default();
    torus.mesh = *mesh;
    torus.at[1] = 0.75;
    torus.rotate[0] = 62;
    torus.rotate[2] = 18;
    torus.strength = 0;
    pl_object_id floor;
    if (!status)
        status = pl_scene_add_material(*scene, "rubber", &rubber, &torus.material);
    if (!status)
        status = pl_scene_add_object(*scene, "floor", &plane, &floor);
    if (!status)
        status = pl_scene_add_body(*scene, "torus", &torus, body);
    return status ? status : pl_world_create(*scene, world);
}

static bool run(pl_context *ctx, pl_world *world, show *s, picture *frame)
{
    pl_param_id strength = pl_world_find_param(world, "bodies.torus.strength");
    pl_step_def step = pl_step_def_default();
    printf("frame  time  strength  substeps  inverted  strain  recovering\n");
    for (int32_t i = 0; i < FRAMES; ++i)
    {
        frame[i] = picture_create(WIDTH, HEIGHT);
        if (!frame[i].rgb || !picture_render(&frame[i], &view, show_update(s, world), 1))
            return false;
        pl_step_info info;
        double value = strength_at(pl_world_time(world));
        if (pl_world_set(world, strength, value) || pl_world_step(world, &step, &info))
            return show_failure(ctx), false;
        if (i % 6 == 5)
            printf("%5d %5.2f %9.2f %9d %9d %7.4f %11s\n", i + 1, info.time, value, info.substeps, info.inverted, info.strain, info.recovering ? "yes" : "");
        fflush(stdout);
    }
    return true;
}

static bool write_pictures(const char *directory, const picture *frame)
{
    picture chosen[PICKED];
    char path[1024];
    for (int32_t i = 0; i < PICKED; ++i)
        chosen[i] = frame[picked[i]];
    picture sheet = picture_sheet(chosen, PICKED, 3, 6);
    snprintf(path, sizeof path, "%s/torus_puddle_sheet.png", directory);
    bool fine = sheet.rgb && picture_write(path, &sheet, 1, RATE);
    picture_destroy(&sheet);
    snprintf(path, sizeof path, "%s/torus_puddle.png", directory);
    return fine && picture_write(path, frame, FRAMES, RATE);
}

int main(int argc, char **argv)
{
    const char *directory = argc > 1 ? argv[1] : ".";
    pl_context_def def = pl_context_def_default();
    pl_context *ctx;
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_body_id body;
    show s = {0};
    static picture frame[FRAMES];
    if (pl_context_create(&def, &ctx))
        return 1;
    bool fine = build(ctx, argc > 2 ? atof(argv[2]) : 0.07, &mesh, &scene, &world, &body) == PL_OK;
    if (!fine)
        show_failure(ctx);
    else
        printf("torus_puddle: %d nodes, %d tetrahedra\n", pl_mesh_node_count(mesh), pl_mesh_tet_count(mesh));
    fine = fine && show_create(&s, world, body, mesh, blue) && run(ctx, world, &s, frame);
    if (fine && !write_pictures(directory, frame))
    {
        fprintf(stderr, "%s: pictures cannot be written there\n", directory);
        fine = false;
    }
    for (int32_t i = 0; i < FRAMES; ++i)
        picture_destroy(&frame[i]);
    show_destroy(&s);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
    return !fine;
}
