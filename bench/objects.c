// bench/objects.c -- what is there and does not matter: a thousand objects far away, and bodies that sleep.
//
// Steps of a block on a floor, alone and with the others, on one thread; the ratio is within one run. The block has
// come to rest before: its solves are short then, and everything else weighs more.
#include "bench.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    SUBSTEPS = 4,
    FAR_OBJECTS = 1000,
    SLEEPERS = 50
};

static void must(const bench *b, pl_status status)
{
    if (status == PL_OK)
        return;
    fprintf(stderr, "pliant bench: %s\n", pl_context_error(b->ctx));
    exit(1);
}

typedef enum
{
    NONE,
    STANDING,
    MOVING,
    SPINNING,
    HOW_MANY
} crowd;

static void add_far(const bench *b, pl_scene *scene, crowd how)
{
    for (int i = 0; how != NONE && i < FAR_OBJECTS; ++i)
    {
        char name[16];
        pl_object_def box = pl_object_def_default();
        snprintf(name, sizeof name, "far%d", i);
        box.kind = i % 2 ? PL_OBJECT_BOX : PL_OBJECT_CAPSULE;
        box.at[0] = 50 + 3.0 * (i % 32), box.at[1] = 3, box.at[2] = 3.0 * (i / 32);
        box.velocity[0] = how == MOVING ? 1e-3 : 0;
        box.spin[1] = how == SPINNING ? 10 : 0;
        must(b, pl_scene_add_object(scene, name, &box, NULL));
    }
}

static pl_mesh *block(const bench *b, double edge)
{
    pl_shape_def shape = pl_shape_def_default();
    pl_mesh *mesh;
    shape.edge = edge;
    must(b, pl_mesh_create_shape(b->ctx, &shape, &mesh));
    return mesh;
}

static pl_scene *begin(const bench *b)
{
    pl_scene *scene;
    pl_material_def rubber = pl_material_def_default();
    pl_object_def floor = pl_object_def_default();
    must(b, pl_scene_create(b->ctx, &scene));
    must(b, pl_scene_add_material(scene, "rubber", &rubber, NULL));
    must(b, pl_scene_add_object(scene, "floor", &floor, NULL));
    return scene;
}

static void add_block(const bench *b, pl_scene *scene, const char *name, const pl_mesh *mesh, double x)
{
    pl_body_def body = pl_body_def_default();
    body.mesh = mesh;
    body.material.index = 1;
    body.at[0] = x, body.at[1] = 0.5;
    must(b, pl_scene_add_body(scene, name, &body, NULL));
}

typedef struct
{
    const bench *b;
    pl_world *world;
} run;

static void settle(const bench *b, pl_world *world)
{
    pl_step_def def = pl_step_def_default();
    for (int k = 0; k < (b->effort == BENCH_SMOKE ? 1 : 12); ++k)
        must(b, pl_world_step(world, &def, NULL));
}

static double time_of(const bench *b, void (*work)(void *argument), const run *r)
{
    bench_saved saved = bench_use(b, 1, b->ctx->register_bytes);
    settle(b, r->world);
    double time = bench_time(b, work, (void *)r);
    bench_restore(b, saved);
    return time;
}

static void step(void *argument)
{
    const run *r = argument;
    pl_step_def def = pl_step_def_default();
    def.max_substeps = SUBSTEPS;
    must(r->b, pl_world_step(r->world, &def, NULL));
}

static void measure_far(const bench *b, double edge)
{
    static const char *const names[HOW_MANY] = {"one object", "1000 more far away", "1000 more that move",
                                                "1000 more that spin"};
    double alone = 0;
    for (crowd how = NONE; how < HOW_MANY; ++how)
    {
        pl_mesh *mesh = block(b, edge);
        pl_scene *scene = begin(b);
        run r = {.b = b};
        add_far(b, scene, how);
        add_block(b, scene, "block", mesh, 0);
        must(b, pl_world_create(scene, &r.world));
        double time = time_of(b, step, &r) / SUBSTEPS;
        alone = how == NONE ? time : alone;
        bench_report(&(bench_row){.name = "objects",
                                  .variant = names[how],
                                  .tets = pl_mesh_tet_count(mesh),
                                  .nodes = pl_mesh_node_count(mesh),
                                  .threads = 1,
                                  .register_bytes = b->ctx->register_bytes,
                                  .value = 1e6 * time,
                                  .unit = "us/substep",
                                  .ratio = how == NONE ? 0 : alone / time,
                                  .ratio_to = "one object"});
        pl_world_destroy(&r.world);
        pl_scene_destroy(&scene);
        pl_mesh_destroy(&mesh);
    }
}

// Whole frames of the small block, since looks at who sleeps come at their ends.
static void frame(void *argument)
{
    const run *r = argument;
    pl_step_def def = pl_step_def_default();
    pl_step_info info;
    must(r->b, pl_world_step(r->world, &def, &info));
}

static void put_to_sleep(pl_world *world)
{
    for (int32_t i = 1; i < world->solids.body_count; ++i)
        world->bodies.body[i]->state.asleep = true;
    world->solids.evaluation.fresh = 0;
}

static void measure_sleepers(const bench *b, double edge, double large)
{
    pl_mesh *mesh = block(b, edge), *other = block(b, large);
    double alone = 0;
    for (int sleepers = 0; sleepers <= SLEEPERS; sleepers += SLEEPERS)
    {
        pl_scene *scene = begin(b);
        pl_solver_def solver = pl_solver_def_default();
        run r = {.b = b};
        solver.sleep = 1;
        solver.sleep_time = 1e6; // the small one stays awake
        must(b, pl_scene_set_solver(scene, &solver));
        add_block(b, scene, "awake", mesh, 0);
        for (int i = 0; i < sleepers; ++i)
        {
            char name[16];
            snprintf(name, sizeof name, "asleep%d", i);
            add_block(b, scene, name, other, 2.0 + 2 * i);
        }
        must(b, pl_world_create(scene, &r.world));
        put_to_sleep(r.world);
        double time = time_of(b, frame, &r);
        alone = sleepers ? alone : time;
        bench_report(&(bench_row){
            .name = "sleep",
            .variant =
                sleepers ? bench_text("%d asleep of %d tetrahedra", sleepers, pl_mesh_tet_count(other)) : "alone",
            .tets = pl_mesh_tet_count(mesh),
            .nodes = pl_mesh_node_count(mesh),
            .threads = 1,
            .register_bytes = b->ctx->register_bytes,
            .value = 1e3 * time,
            .unit = "ms/frame",
            .ratio = sleepers ? alone / time : 0,
            .ratio_to = "alone"});
        pl_world_destroy(&r.world);
        pl_scene_destroy(&scene);
    }
    pl_mesh_destroy(&mesh);
    pl_mesh_destroy(&other);
}

void bench_objects(bench *b)
{
    measure_far(b, b->effort == BENCH_SMOKE ? 0.5 : 0.2);
    if (b->effort != BENCH_SMOKE)
        measure_far(b, 0.1);
}

void bench_sleep(bench *b)
{
    measure_sleepers(b, b->effort == BENCH_SMOKE ? 0.5 : 0.2, b->effort == BENCH_SMOKE ? 0.5 : 0.1);
}
