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
    int32_t threads; // 0: 1
    pl_shape_def shape;
    pl_status (*make_mesh)(pl_context *ctx, pl_mesh **mesh); // NULL: by shape
    pl_material_def material;
    pl_solver_def solver;
    pl_body_def body; // mesh and material are filled in
    double gravity[3];
    const pl_object_def *object;       // NULL: none
    bool (*pinned)(const double X[3]); // which mesh nodes are held, by rest position; NULL: none
    void (*prepare)(const fixture *f); // changes the scene before the world is made; NULL: nothing
} fixture_def;

__attribute__((unused)) static fixture_def fixture_default(void)
{
    fixture_def def = {.shape = pl_shape_def_default(),
                       .material = pl_material_def_default(),
                       .solver = pl_solver_def_default(),
                       .body = pl_body_def_default()};
    def.body.collides = def.body.self_collision = 0; // unless a test is about that
    return def;
}

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_status must_status = (call);                                                                                \
        if (must_status != PL_OK)                                                                                      \
        {                                                                                                              \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, pl_context_error(f.ctx));                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

__attribute__((unused)) static fixture fixture_make(const fixture_def *def)
{
    fixture f = {.ctx = test_context(def->threads ? def->threads : 1)};
    MUST(def->make_mesh ? def->make_mesh(f.ctx, &f.mesh) : pl_mesh_create_shape(f.ctx, &def->shape, &f.mesh));
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
    if (def->prepare)
        def->prepare(&f);
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

// Scratch of a step, for tests that call the parts of one.
__attribute__((unused)) static void fixture_begin_step(const fixture *f_)
{
    fixture f = *f_;
    MUST(pl__solids_begin_step(&f.world->solids, &f.world->arena, true, true));
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

// Keys of one or three components at up to eight times.
__attribute__((unused)) static void fixture_keys(const fixture *f_, const char *path, pl_ease ease, int32_t count,
                                                 int32_t components, const double *times, const double *values)
{
    fixture f = *f_;
    pl_keys_def keys = pl_keys_def_default();
    keys.count = count;
    keys.components = components;
    keys.ease = ease;
    keys.times = times;
    keys.values = values;
    MUST(pl_scene_set_keys(f.scene, path, &keys));
}

// A group of pins of the nodes that `chosen` picks by rest position.
__attribute__((unused)) static void fixture_pin(const fixture *f_, const pl_pin_def *def,
                                                bool (*chosen)(const double X[3]))
{
    fixture f = *f_;
    int32_t n = pl_mesh_node_count(f.mesh), *nodes = malloc((size_t)n * sizeof *nodes);
    pl_pin_def pin = *def;
    for (int32_t i = 0; i < n; ++i)
        if (chosen(&pl_mesh_positions(f.mesh)[3 * (size_t)i]))
            nodes[pin.count++] = i;
    pin.nodes = nodes;
    MUST(pl_scene_add_pin(f.scene, f.body, &pin, NULL));
    free(nodes);
}

// Mean position and velocity by mass.
__attribute__((unused)) static void fixture_centre(const fixture *f, double x[3], double v[3])
{
    const pl__solids *s = &f->world->solids;
    const pl__body *body = f->world->bodies.body[0];
    for (int k = 0; k < 3; ++k)
        x[k] = v[k] = 0;
    for (int32_t n = 0; n < body->node_count; ++n)
        for (int k = 0; k < 3; ++k)
        {
            x[k] += body->mass[n] / body->total_mass * s->state.x[3 * n + k];
            v[k] += body->mass[n] / body->total_mass * s->state.v[3 * n + k];
        }
}

// Static shape by kinetic damping: run free of damping, and stop everything whenever the kinetic energy has passed a
// peak.
__attribute__((unused)) static void fixture_settle(const fixture *f_, double frame, int frames)
{
    fixture f = *f_;
    int32_t n = pl_body_node_count(f.world, f.body);
    double *zero = calloc((size_t)n, 24), last = 0;
    for (int k = 0; k < frames; ++k)
    {
        double kinetic = fixture_step(&f, frame).kinetic;
        if (kinetic < last)
        {
            MUST(pl_body_write(f.world, f.body, NULL, zero));
            kinetic = 0;
        }
        last = kinetic;
    }
    free(zero);
}

// Of any component of a node's velocity.
__attribute__((unused)) static double largest_speed(const fixture *f)
{
    const pl__solids *s = &f->world->solids;
    double most = 0;
    for (int32_t k = 0; k < 3 * s->node_count; ++k)
        most = fmax(most, fabs(s->state.v[k]));
    return most;
}

// The plastic strain of a body, which is the same everywhere.
static inline double fixture_plastic(const fixture *f)
{
    int32_t count = pl_body_element_count(f->world, f->body);
    double *values = calloc((size_t)count, sizeof *values), most = 0, least = 1e9;
    CHECK_OK(f->ctx, pl_body_read_field(f->world, f->body, PL_FIELD_PLASTIC, values));
    for (int32_t i = 0; i < count; ++i)
    {
        most = fmax(most, values[i]);
        least = fmin(least, values[i]);
    }
    CHECK_NEAR(most, least, 1e-9);
    free(values);
    return most;
}

#endif
