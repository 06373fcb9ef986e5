// tests/world.c -- the public interface of scenes and worlds: life cycle, handles, errors, memory.
#include "fixture.h"
#include "host.h"

static fixture_def small(void)
{
    fixture_def def = fixture_default();
    def.shape.extent[0] = def.shape.extent[1] = def.shape.extent[2] = 0.3;
    def.shape.edge = 0.1;
    def.gravity[1] = -9.81;
    return def;
}

static bool says(const fixture *f, const char *part) { return strstr(pl_context_error(f->ctx), part) != NULL; }

// Positions are a window into the world; the copy is the same in the mesh's order.
static void positions_are_not_copied(void)
{
    fixture_def def = small();
    def.body.at[0] = 2;
    fixture f = fixture_make(&def);
    const double *x = pl_body_positions(f.world, f.body), *X = pl_mesh_positions(f.mesh);
    const int32_t *order = pl_body_node_order(f.world, f.body);
    int32_t n = pl_body_node_count(f.world, f.body);
    double *copy = malloc(24 * (size_t)n);
    CHECK(n == pl_mesh_node_count(f.mesh));
    for (int32_t i = 0; i < n; ++i)
        CHECK(x[3 * order[i]] == X[3 * i] + 2 && x[3 * order[i] + 1] == X[3 * i + 1]);
    (void)fixture_step(&f, 0.1);
    CHECK(pl_body_positions(f.world, f.body) == x);
    MUST(pl_body_read(f.world, f.body, copy, NULL));
    for (int32_t i = 0; i < n; ++i)
        CHECK(x[3 * order[i] + 1] == copy[3 * i + 1] && copy[3 * i + 1] < X[3 * i + 1]);
    free(copy);
    fixture_done(&f);
}

// The drawn surface is closed (its area vectors cancel) and encloses the body's volume; normals are unit and outward.
static void surface_is_closed_and_outward(void)
{
    fixture_def def = small();
    fixture f = fixture_make(&def);
    int32_t vertices = pl_body_surface_vertex_count(f.world, f.body), triangles;
    const int32_t *t = pl_body_surface_triangles(f.world, f.body, &triangles);
    struct
    {
        float p[3], n[3], other[2];
    } *vbo = calloc((size_t)vertices, sizeof *vbo);
    CHECK(pl_body_read_surface(f.world, f.body, vbo->p, vbo->n, sizeof *vbo) == 1);
    double volume = 0, area[3] = {0};
    for (int32_t i = 0; i < triangles; ++i)
    {
        const float *a = vbo[t[3 * i]].p, *b = vbo[t[3 * i + 1]].p, *c = vbo[t[3 * i + 2]].p;
        for (int k = 0; k < 3; ++k)
        {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            double n = (double)(b[l] - a[l]) * (c[m] - a[m]) - (double)(b[m] - a[m]) * (c[l] - a[l]);
            area[k] += n / 2;
            volume += a[k] * n / 6;
        }
    }
    CHECK_NEAR(volume, 0.027, 1e-7);
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(area[k], 0, 1e-6);
    for (int32_t i = 0; i < vertices; ++i)
    {
        const float *p = vbo[i].p, *n = vbo[i].n;
        CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-5);
        CHECK(p[0] * n[0] + p[1] * n[1] + p[2] * n[2] > 0);
        CHECK(pl_body_surface_nodes(f.world, f.body)[i] >= (i ? pl_body_surface_nodes(f.world, f.body)[i - 1] + 1 : 0));
    }
    free(vbo);
    fixture_done(&f);
}

// Adding and removing other bodies changes nothing of this one but the rounding of the common solve; handles stay
// valid.
static void bodies_come_and_go(void)
{
    fixture_def def = small();
    fixture f = fixture_make(&def), alone = fixture_make(&def);
    pl_body_def body = pl_body_def_default();
    body.mesh = f.mesh;
    body.material.index = 1;
    body.at[0] = 5;
    pl_body_id second, third;
    (void)fixture_step(&alone, 0.05);
    (void)fixture_step(&f, 0.05);
    MUST(pl_world_add_body(f.world, "second", &body, &second));
    body.at[0] = 9;
    MUST(pl_world_add_body(f.world, "third", &body, &third));
    CHECK(pl_world_add_body(f.world, "third", &body, &third) == PL_ERR_ARGUMENT &&
          says(&f, "bodies.third: there is one of that name already"));
    (void)fixture_step(&alone, 0.05);
    (void)fixture_step(&f, 0.05);
    MUST(pl_world_remove_body(f.world, second));
    CHECK(pl_world_remove_body(f.world, second) == PL_ERR_STATE && says(&f, "was removed"));
    CHECK(pl_body_positions(f.world, second) == NULL && pl_world_find_body(f.world, "second").index == 0);
    CHECK(pl_world_find_body(f.world, "third").index == third.index);
    (void)fixture_step(&alone, 0.05);
    pl_step_info info = fixture_step(&f, 0.05);
    for (int32_t k = 0; k < 3 * pl_body_node_count(f.world, f.body); ++k)
    {
        CHECK_NEAR(pl_body_positions(f.world, f.body)[k], pl_body_positions(alone.world, alone.body)[k], 1e-9);
        CHECK_NEAR(pl_body_velocities(f.world, f.body)[k], pl_body_velocities(alone.world, alone.body)[k], 1e-9);
    }
    // the third fell like the first, 0.05 s later
    pl_step_info one;
    MUST(pl_body_report(f.world, third, &one));
    CHECK_NEAR(one.momentum[1], -9.81 * 0.1 * 27, 1e-9);
    CHECK_NEAR(info.momentum[1], -9.81 * 0.25 * 27, 1e-9);
    // a snapshot is good again once the same bodies are there, whatever came and went
    size_t size = pl_world_save_size(f.world);
    void *buffer = malloc(size);
    MUST(pl_world_save(f.world, buffer, size));
    MUST(pl_world_add_body(f.world, "fourth", &body, &second));
    CHECK(pl_world_load(f.world, buffer, size) == PL_ERR_STATE);
    MUST(pl_world_remove_body(f.world, second));
    MUST(pl_world_load(f.world, buffer, size));
    free(buffer);
    MUST(pl_world_remove_body(f.world, third));
    MUST(pl_world_remove_body(f.world, f.body));
    (void)fixture_step(&f, 0.05); // an empty world steps too
    fixture_done(&alone);
    fixture_done(&f);
}

// Bodies and objects by number and by name, and an object as it is.
static void everything_is_listed(void)
{
    fixture_def def = small();
    pl_object_def ball = pl_object_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.at[1] = 5;
    ball.velocity[0] = 2;
    ball.rotate[2] = 30;
    ball.spin[2] = 40;
    def.object = &ball;
    fixture f = fixture_make(&def);
    pl_body_def body = pl_body_def_default();
    body.mesh = f.mesh;
    body.material.index = 1;
    pl_body_id second, third;
    MUST(pl_world_add_body(f.world, "second", &body, &second));
    MUST(pl_world_add_body(f.world, "third", &body, &third));
    CHECK(pl_world_body_count(f.world) == 3 && pl_world_body_at(f.world, 1).index == second.index);
    MUST(pl_world_remove_body(f.world, second));
    CHECK(pl_world_body_count(f.world) == 2 && pl_world_body_at(f.world, 1).index == third.index);
    CHECK(pl_world_body_at(f.world, 2).index == 0 && pl_world_body_at(f.world, -1).index == 0);
    CHECK(strcmp(pl_body_name(f.world, third), "third") == 0 && pl_body_name(f.world, second) == NULL);
    CHECK(pl_world_object_count(f.world) == 1 && strcmp(pl_world_object_name(f.world, 0), "object") == 0);
    CHECK(pl_world_object_name(f.world, 1) == NULL && pl_world_object_name(f.world, -1) == NULL);
    (void)fixture_step(&f, 0.25);
    pl_object_def now;
    MUST(pl_object_read(f.world, (pl_object_id){1}, &now));
    CHECK(now.kind == PL_OBJECT_SPHERE && now.radius == 0.5 && now.friction == 0.3 && now.velocity[0] == 2 &&
          now.at[1] == 5);
    CHECK_NEAR(now.at[0], 0.5, 1e-14);
    CHECK_NEAR(now.rotate[2], 40, 1e-9);
    CHECK_NEAR(now.spin[2], 40, 1e-12);
    CHECK_NEAR(now.normal[0], -sin(40 * 0.017453292519943295), 1e-12);
    CHECK(pl_object_read(f.world, (pl_object_id){2}, &now) == PL_ERR_ARGUMENT && says(&f, "object 2 does not exist"));
    fixture_done(&f);
}

// Live parameters act from the next step, are checked, and come back with a snapshot.
static void parameters_are_live(void)
{
    fixture_def def = small();
    fixture f = fixture_make(&def);
    pl_param_id young = pl_world_find_param(f.world, "materials.stuff.young"),
                strength = pl_world_find_param(f.world, "bodies.body.strength");
    pl_param_id gravity = pl_world_find_param(f.world, "gravity.y");
    CHECK(young.index && strength.index && gravity.index && pl_world_get(f.world, young) == 1e5);
    CHECK(pl_world_find_param(f.world, "materials.stuff.density").index == 0 &&
          says(&f, "materials.stuff.density: cannot change while running; young, poisson, damping, activation, "));
    CHECK(pl_world_find_param(f.world, "materials.stuf.young").index == 0 &&
          says(&f, "there is no such live parameter"));
    int32_t soft = fixture_step(&f, 0.1).substeps;
    size_t size = pl_world_save_size(f.world);
    void *buffer = malloc(size);
    MUST(pl_world_save(f.world, buffer, size));
    MUST(pl_world_set(f.world, young, 1e7));
    int32_t hard = fixture_step(&f, 0.1).substeps;
    CHECK_THAT(hard > 8 * soft && hard < 12 * soft, "%d, then %d", soft, hard); // ten times the frequency
    CHECK(pl_world_set(f.world, young, -1) == PL_ERR_ARGUMENT &&
          says(&f, "stuff.young: -1 must be in [1e-9, 1e15] Pa") && pl_world_get(f.world, young) == 1e7);
    CHECK(pl_world_set(f.world, strength, NAN) == PL_ERR_ARGUMENT);
    MUST(pl_world_set(f.world, strength, 0));
    MUST(pl_world_set(f.world, gravity, 0));
    CHECK(fixture_step(&f, 0.1).substeps == 1);
    MUST(pl_world_load(f.world, buffer, size));
    CHECK(pl_world_get(f.world, young) == 1e5 && pl_world_get(f.world, strength) == 1 &&
          pl_world_get(f.world, gravity) == -9.81);
    free(buffer);
    fixture_done(&f);
}

// A damaged or foreign snapshot is refused with a sentence and changes nothing.
static void bad_snapshots_are_refused(void)
{
    fixture_def def = small();
    fixture f = fixture_make(&def);
    size_t size = pl_world_save_size(f.world);
    unsigned char *good = malloc(size), *bad = malloc(size), *after = malloc(size);
    MUST(pl_world_save(f.world, good, size));
    CHECK(pl_world_save(f.world, bad, size - 1) == PL_ERR_ARGUMENT);
    for (size_t i = 0; i < size; i += i < 200 ? 1 : 97)
    {
        memcpy(bad, good, size);
        bad[i] ^= 0x10;
        pl_status status = pl_world_load(f.world, bad, size);
        CHECK_THAT(status == PL_ERR_FORMAT || status == PL_ERR_STATE, "byte %zu: %s", i, pl_status_name(status));
        if (i < 200)
            CHECK(pl_world_load(f.world, good, i) == PL_ERR_FORMAT);
    }
    MUST(pl_world_save(f.world, after, size));
    CHECK(memcmp(after, good, size) == 0);
    def.shape.edge = 0.3;
    fixture g = fixture_make(&def);
    CHECK(pl_world_load(g.world, good, size) == PL_ERR_STATE && says(&g, "of another scene"));
    fixture_done(&g);
    free(good);
    free(bad);
    free(after);
    fixture_done(&f);
}

static void bad_definitions_are_refused_with_a_sentence(void)
{
    fixture_def def = small();
    fixture f = fixture_make(&def);
    pl_body_id id;
    pl_material_id material;
    pl_object_id object;
    pl_body_def body = pl_body_def_default();
    CHECK(pl_scene_add_body(f.scene, "two", &body, &id) == PL_ERR_ARGUMENT && says(&f, "bodies.two.mesh: is NULL"));
    body.mesh = f.mesh;
    CHECK(pl_scene_add_body(f.scene, "two", &body, &id) == PL_ERR_ARGUMENT &&
          says(&f, "0 is not a material of this scene, which has 1"));
    body.material.index = 1;
    CHECK(pl_scene_add_body(f.scene, "a b", &body, &id) == PL_ERR_ARGUMENT && says(&f, "' ' is not a letter"));
    CHECK(pl_scene_add_body(f.scene, "", &body, &id) == PL_ERR_ARGUMENT && says(&f, "needs a name"));
    int32_t pin = 100000;
    body.pins = &pin;
    body.pin_count = -1;
    CHECK(pl_scene_add_body(f.scene, "two", &body, &id) == PL_ERR_ARGUMENT &&
          says(&f, "bodies.two.pin_count: -1 must be at least 0"));
    body.rotate[0] = 1e11;
    CHECK(pl_scene_add_body(f.scene, "two", &body, &id) == PL_ERR_ARGUMENT);
    body.rotate[0] = 0;
    body.pin_count = 1;
    CHECK(pl_scene_add_body(f.scene, "two", &body, &id) == PL_ERR_ARGUMENT &&
          says(&f, "bodies.two.pins[0]: node 100000 is not in [0, "));
    pl_material_def stuff = pl_material_def_default();
    CHECK(pl_scene_add_material(f.scene, "stuff", &stuff, &material) == PL_ERR_ARGUMENT &&
          says(&f, "materials.stuff: there is one of that name already"));
    CHECK(pl_scene_add_material(f.scene, "null", NULL, NULL) == PL_ERR_ARGUMENT &&
          pl_scene_add_body(f.scene, "null", NULL, NULL) == PL_ERR_ARGUMENT);
    stuff.poisson = -0.1;
    CHECK(pl_scene_add_material(f.scene, "foam", &stuff, &material) == PL_ERR_ARGUMENT &&
          says(&f, "must be at least 0 for neo_hookean"));
    stuff = pl_material_def_default();
    stuff.density = 0;
    CHECK(pl_scene_add_material(f.scene, "air", &stuff, &material) == PL_ERR_ARGUMENT &&
          says(&f, "materials.air.density: 0 must be in [0.001, 1e9] kg/m^3"));
    pl_object_def plane = pl_object_def_default();
    plane.normal[1] = 0;
    CHECK(pl_scene_add_object(f.scene, "wall", &plane, &object) == PL_ERR_ARGUMENT && says(&f, "objects.wall.normal"));
    pl_step_def step = pl_step_def_default();
    step.dt = 0;
    CHECK(pl_world_step(f.world, &step, NULL) == PL_ERR_ARGUMENT && says(&f, "step.dt: 0 s must be above 0"));
    CHECK(pl_body_move_pin(f.world, f.body, 0, (double[3]){0, 0, 0}) == PL_ERR_ARGUMENT && says(&f, "is not held"));
    double nan3[3] = {0, NAN, 0};
    CHECK(pl_scene_set_gravity(f.scene, nan3) == PL_ERR_ARGUMENT);
    fixture_done(&f);
}

// A law that yields NaN is caught where it is born, by name, and the world stays as it was.
static void nan_is_caught_where_it_is_born(void)
{
    fixture_def def = small();
    def.material.inversion = PL_INVERSION_NONE;
    def.gravity[1] = 0;
    fixture f = fixture_make(&def);
    int32_t n = pl_body_node_count(f.world, f.body);
    double *x = malloc(24 * (size_t)n), *y = malloc(24 * (size_t)n);
    MUST(pl_body_read(f.world, f.body, x, NULL));
    for (int32_t i = 0; i < n; ++i)
        x[3 * i] *= -1; // mirrored: the logarithm of a negative number
    MUST(pl_body_write(f.world, f.body, x, NULL));
    pl_step_def step = pl_step_def_default();
    CHECK(pl_world_step(f.world, &step, NULL) == PL_ERR_NUMERIC && says(&f, "bodies.body: the force of tetrahedron "));
    MUST(pl_body_read(f.world, f.body, y, NULL));
    CHECK(memcmp(x, y, 24 * (size_t)n) == 0);
    free(x);
    free(y);
    fixture_done(&f);
}

// Things that are probably not meant are said in the log, once: a start inside an object, a fixed step that is
// unstable.
static void mistakes_are_told(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    pl_mesh *mesh;
    pl_scene *scene;
    pl_world *world;
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_object_def floor = pl_object_def_default();
    pl_body_def body = pl_body_def_default();
    pl_solver_def solver = pl_solver_def_default();
    pl_step_def step = pl_step_def_default();
    shape.edge = 0.5;
    solver.substep = 0.04;
    body.at[1] = 0.4;                        // a tenth below the floor
    body.collides = body.self_collision = 0; // which asks for shorter steps
    CHECK_OK(ctx, pl_mesh_create_shape(ctx, &shape, &mesh));
    CHECK_OK(ctx, pl_scene_create(ctx, &scene));
    CHECK_OK(ctx, pl_scene_set_solver(scene, &solver));
    CHECK_OK(ctx, pl_scene_add_material(scene, "m", &material, &body.material));
    CHECK_OK(ctx, pl_scene_add_object(scene, "floor", &floor, NULL));
    body.mesh = mesh;
    CHECK_OK(ctx, pl_scene_add_body(scene, "b", &body, NULL));
    CHECK_OK(ctx, pl_world_create(scene, &world));
    CHECK_THAT(h.note_count == 1 && strstr(h.note, "bodies.b: ") && strstr(h.note, "up to 0.1 m inside objects.floor"),
               "%s", h.note);
    for (int k = 0; k < 3; ++k)
        (void)!pl_world_step(world, &step, NULL);
    CHECK_THAT(h.note_count == 2 && strstr(h.note, "solver.substep: "), "%s", h.note);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
}

// A step budget stops early and says so.
static void budgets_are_kept(void)
{
    fixture_def def = small();
    fixture f = fixture_make(&def);
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    step.dt = 1;
    step.max_substeps = 3;
    step.max_iterations = 1;
    MUST(pl_world_step(f.world, &step, &info));
    CHECK(info.substeps == 3 && info.advanced < 0.2 && fabs(info.time - info.advanced) < 1e-12);
    fixture_done(&f);
}

// ---- memory ----------------------------------------------------------------------------------------------------

// Everything that a small program does: scene, two bodies, floor, some steps, a body added and removed, a snapshot.
static pl_status whole_program(pl_context *ctx)
{
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_object_def floor = pl_object_def_default();
    pl_step_def step = pl_step_def_default();
    pl_object_id object;
    pl_body_id id;
    int32_t pin = 3;
    step.dt = slow_tests ? step.dt : 0.005;
    shape.edge = 0.5;
    body.pins = &pin;
    body.pin_count = 1;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    body.mesh = mesh;
    status = status ? status : pl_scene_create(ctx, &scene);
    status = status ? status : pl_scene_add_material(scene, "m", &material, &body.material);
    material.kind = PL_MATERIAL_STVK;
    pl_material_id other;
    status = status ? status : pl_scene_add_material(scene, "n", &material, &other);
    status = status ? status : pl_scene_add_object(scene, "floor", &floor, &object);
    body.region_materials = &other;
    status = status ? status : pl_scene_add_body(scene, "b", &body, &id);
    body.at[0] = 3;
    status = status ? status : pl_scene_add_body(scene, "c", &body, &id);
    status = status ? status : pl_world_create(scene, &world);
    for (int k = 0; k < (slow_tests ? 10 : 2) && !status; ++k)
        status = pl_world_step(world, &step, NULL);
    status = status ? status : pl_world_add_body(world, "d", &body, &id);
    status = status ? status : pl_world_remove_body(world, id);
    status = status ? status : pl_world_step(world, &step, NULL);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    int64_t needed = survive_every_failure(whole_program);
    CHECK_THAT(needed > 50, "%lld", (long long)needed);
}

static void steps_allocate_nothing(void)
{
    fixture_def def = small();
    pl_object_def floor = pl_object_def_default();
    def.object = &floor;
    fixture f = fixture_make(&def);
    (void)fixture_step(&f, 0.05);
    int64_t before = f.ctx->allocation_count;
    for (int k = 0; k < 10; ++k)
        (void)fixture_step(&f, 0.05);
    CHECK(f.ctx->allocation_count == before);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(positions_are_not_copied),
        TEST(surface_is_closed_and_outward),
        TEST(bodies_come_and_go),
        TEST(everything_is_listed),
        TEST(parameters_are_live),
        TEST(bad_snapshots_are_refused),
        TEST(bad_definitions_are_refused_with_a_sentence),
        TEST(nan_is_caught_where_it_is_born),
        TEST(mistakes_are_told),
        TEST(budgets_are_kept),
        TEST(every_failed_allocation_is_survived),
        TEST(steps_allocate_nothing),
    };
    return RUN(tests);
}
