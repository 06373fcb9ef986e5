// examples/torture.c -- blocks flattened, scrambled and turned inside out, in each material, recover.
//
// Three blocks side by side: rotated linear (blue), St. Venant-Kirchhoff (green), neo-Hookean (gold). Three times they
// are put into a shape that no real body survives, and let go: pressed flat, every node anywhere in the block at random,
// mirrored. What is drawn in red is flat or inside out.
//
//     torture [DIRECTORY [SEED]]     writes DIRECTORY/torture_sheet.png, a row for each start
//
// The last line counts those that are themselves again. Try other seeds.
#include "show.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    KINDS = 3,
    STARTS = 3,
    COLUMNS = 5,
    RATE = 24,
    FRAMES = 72,
    WIDTH = 320,
    HEIGHT = 168
};

static const char *const start_name[STARTS] = {"flattened", "scrambled", "mirrored"};
static const int picked[COLUMNS] = {0, 1, 4, 12, FRAMES}; // frames of the sheet
static const picture_view view = {.from = {0, 1.25, 4.2}, .at = {0, 0.36, 0}, .angle = 20, .floor = true, .grid = 0.25};
static const float colour[KINDS][3] = {{0.10f, 0.33f, 0.72f}, {0.12f, 0.50f, 0.22f}, {0.82f, 0.48f, 0.06f}};

typedef struct
{
    pl_context *ctx;
    pl_mesh *mesh;
    pl_scene *scene;
    pl_world *world;
    pl_body_id body[KINDS];
    show shown[KINDS];
    double *start; // [node_count][3]
    double *still; // [node_count][3], zeros
    uint64_t seed;
} stage;

static pl_status build(stage *st)
{
    pl_shape_def shape = pl_shape_def_default();
    shape.extent[0] = shape.extent[1] = shape.extent[2] = 0.5;
    shape.edge = 0.1;
    pl_status status = pl_mesh_create_shape(st->ctx, &shape, &st->mesh);
    if (!status)
        status = pl_scene_create(st->ctx, &st->scene);
    pl_object_def plane = pl_object_def_default();
    plane.friction = 0.8;
    pl_object_id floor;
    if (!status)
        status = pl_scene_add_object(st->scene, "floor", &plane, &floor);
    for (int32_t k = 0; !status && k < KINDS; ++k)
    {
        pl_material_def material = pl_material_def_default();
        material.kind = (pl_material_kind)k;
        pl_body_def block = pl_body_def_default();
        block.mesh = st->mesh;
        block.at[0] = 0.95 * (k - 1);
        block.at[1] = 0.27;
        status = pl_scene_add_material(st->scene, pl_material_kind_name(k), &material, &block.material);
        if (!status)
            status = pl_scene_add_body(st->scene, pl_material_kind_name(k), &block, &st->body[k]);
    }
    return status ? status : pl_world_create(st->scene, &st->world);
}

// Numbers in [0, 1) that are the same everywhere.
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static pl_status put(stage *st, int32_t k, int32_t start)
{
    const double *rest = pl_mesh_positions(st->mesh);
    const double at[3] = {0.95 * (k - 1), 0.27, 0};
    uint64_t seed = st->seed;
    for (int32_t n = 0; n < pl_mesh_node_count(st->mesh); ++n)
    {
        double x[3] = {rest[3 * n], rest[3 * n + 1], rest[3 * n + 2]};
        if (start == 0)
            x[1] = 0;
        for (int i = 0; start == 1 && i < 3; ++i)
            x[i] = 0.5 * next_random(&seed) - 0.25;
        if (start == 2)
            x[0] = -x[0];
        for (int i = 0; i < 3; ++i)
            st->start[3 * n + i] = at[i] + x[i];
    }
    return pl_body_write(st->world, st->body[k], st->start, st->still);
}

static bool draw(stage *st, picture *p)
{
    picture_surface surface[KINDS];
    for (int32_t k = 0; k < KINDS; ++k)
        surface[k] = *show_update(&st->shown[k], st->world);
    *p = picture_create(WIDTH, HEIGHT);
    return p->rgb && picture_render(p, &view, surface, KINDS);
}

// Under its own weight a block that is itself again is strained by a few percent.
static int32_t report(stage *st, int32_t start, int32_t frame)
{
    int32_t recovered = 0;
    for (int32_t k = 0; k < KINDS; ++k)
    {
        pl_step_info info;
        if (pl_body_report(st->world, st->body[k], &info))
            return 0;
        bool well = info.inverted == 0 && info.strain < 0.05 && !info.recovering && !info.stuck;
        printf("%-10s %5.2f s  %-15s inverted %4d of %d  strain %6.4f%s\n", start_name[start], frame / (double)RATE,
               pl_material_kind_name(k), info.inverted, pl_mesh_tet_count(st->mesh), info.strain,
               info.stuck ? "  stuck" : info.recovering ? "  recovering" : well ? "  itself again" : "");
        recovered += well;
    }
    return recovered;
}

// `recovered`: how many blocks are themselves again at the end.
static bool run(stage *st, int32_t start, picture *row, int32_t *recovered)
{
    pl_step_def step = pl_step_def_default();
    int32_t column = 0;
    for (int32_t k = 0; k < KINDS; ++k)
        if (put(st, k, start))
            return show_failure(st->ctx), false;
    for (int32_t i = 0; i <= FRAMES; ++i)
    {
        bool wanted = column < COLUMNS && i == picked[column];
        if (wanted && !draw(st, &row[column++]))
            return false;
        if (wanted)
            *recovered = report(st, start, i);
        if (i < FRAMES && pl_world_step(st->world, &step, NULL))
            return show_failure(st->ctx), false;
        fflush(stdout);
    }
    return true;
}

static bool write_sheet(const char *directory, const picture *pictures)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/torture_sheet.png", directory);
    picture sheet = picture_sheet(pictures, STARTS * COLUMNS, COLUMNS, 4);
    bool fine = sheet.rgb && picture_write(path, &sheet, 1, RATE);
    if (!fine)
        fprintf(stderr, "%s: cannot be written\n", path);
    picture_destroy(&sheet);
    return fine;
}

int main(int argc, char **argv)
{
    stage st = {.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    picture pictures[STARTS * COLUMNS] = {0};
    pl_context_def def = pl_context_def_default();
    if (pl_context_create(&def, &st.ctx))
        return 1;
    bool fine = build(&st) == PL_OK;
    if (!fine)
        show_failure(st.ctx);
    for (int32_t k = 0; fine && k < KINDS; ++k)
        fine = show_create(&st.shown[k], st.world, st.body[k], st.mesh, colour[k]);
    st.start = fine ? calloc((size_t)pl_mesh_node_count(st.mesh), 3 * sizeof *st.start) : NULL;
    st.still = fine ? calloc((size_t)pl_mesh_node_count(st.mesh), 3 * sizeof *st.still) : NULL;
    fine = st.start && st.still;
    int32_t recovered = 0;
    for (int32_t start = 0; fine && start < STARTS; ++start)
    {
        int32_t of_these = 0;
        fine = run(&st, start, &pictures[start * COLUMNS], &of_these);
        recovered += of_these;
    }
    if (fine)
        printf("%d of %d blocks are themselves again\n", recovered, STARTS * KINDS);
    fine = fine && write_sheet(argc > 1 ? argv[1] : ".", pictures);
    for (int32_t i = 0; i < STARTS * COLUMNS; ++i)
        picture_destroy(&pictures[i]);
    for (int32_t k = 0; k < KINDS; ++k)
        show_destroy(&st.shown[k]);
    free(st.start);
    free(st.still);
    pl_world_destroy(&st.world);
    pl_scene_destroy(&st.scene);
    pl_mesh_destroy(&st.mesh);
    pl_context_destroy(&st.ctx);
    return !fine;
}
