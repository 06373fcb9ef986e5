// tests/fixture.h -- a world of one body, as most tests of motion need it.
#ifndef PL_TEST_FIXTURE_H
#define PL_TEST_FIXTURE_H

#include "test.h"
#include "world/world.h"
#include <pliant/world.h>

typedef struct fixture
{
    pl_context *ctx;
    pl_mesh *mesh;
    pl_scene *scene;
    pl_world *world;
    pl_body_id body;
} fixture;

typedef struct fixture_def
{
    int32_t threads;        // 0: 1
    pl_shape_def shape;
    pl_material_def material;
    pl_solver_def solver;
    pl_body_def body;       // mesh and material are filled in
    double gravity[3];
    const pl_object_def *object; // NULL: none
    bool (*pinned)(const double X[3]); // which mesh nodes are held, by rest position; NULL: none
} fixture_def;

__attribute__((unused)) static fixture_def fixture_default(void)
{
    return (fixture_def){.shape = pl_shape_def_default(), .material = pl_material_def_default(),
                         .solver = pl_solver_def_default(), .body = pl_body_def_default()};
}

#define MUST(call)                                                                                       \
    do                                                                                                   \
    {                                                                                                    \
        pl_status must_status = (call);                                                                  \
        if (must_status != PL_OK)                                                                        \
        {                                                                                                \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, pl_context_error(f.ctx));               \
            abort();                                                                                     \
        }                                                                                                \
    } while (0)

__attribute__((unused)) static fixture fixture_make(const fixture_def *def)
{
    fixture f = {.ctx = test_context(def->threads ? def->threads : 1)};
    MUST(pl_mesh_create_shape(f.ctx, &def->shape, &f.mesh));
    MUST(pl_scene_create(f.ctx, &f.scene));
    MUST(pl_scene_set_gravity(f.scene, def->gravity));
    MUST(pl_scene_set_solver(f.scene, &def->solver));
    pl_body_def body = def->body;
    body.mesh = f.mesh;
    MUST(pl_scene_add_material(f.scene, "stuff", &def->material, &body.material));
    pl_object_id object;
    if (def->object)
        MUST(pl_scene_add_object(f.scene, "object", def->object, &object));
    int32_t n = pl_mesh_node_count(f.mesh);
    int32_t *pins = malloc((size_t)n * sizeof *pins);
    for (int32_t i = 0; def->pinned && i < n; ++i)
        if (def->pinned(&pl_mesh_positions(f.mesh)[3 * (size_t)i]))
            pins[body.pin_count++] = i;
    body.pins = body.pin_count ? pins : NULL;
    MUST(pl_scene_add_body(f.scene, "body", &body, &f.body));
    free(pins);
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

__attribute__((unused)) static void fixture_done(fixture *f)
{
    pl_world_destroy(&f->world);
    pl_scene_destroy(&f->scene);
    pl_mesh_destroy(&f->mesh);
    CHECK(pl_context_memory(f->ctx) == 0 || pl_context_thread_count(f->ctx) > 1);
    pl_context_destroy(&f->ctx);
}

__attribute__((unused)) static pl_step_info fixture_step(const fixture *f_, double dt)
{
    fixture f = *f_;
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    step.dt = dt;
    MUST(pl_world_step(f.world, &step, &info));
    return info;
}

#endif
