// tests/keys.c -- numbers that follow time: evaluation in closed form, paths, refusals.
#include "fixture.h"
#include "host.h"
#include "base/random.h"

static double at(pl_ease ease, double time)
{
    static const double times[] = {1, 2, 4}, values[] = {10, 20, 0};
    pl_keys_def keys = pl_keys_def_default();
    keys.times = times;
    keys.values = values;
    keys.count = 3;
    keys.ease = ease;
    double value;
    pl_keys_evaluate(&keys, time, &value);
    return value;
}

static void easing_in_closed_form(void)
{
    CHECK(at(PL_EASE_LINEAR, -5) == 10 && at(PL_EASE_LINEAR, 1) == 10 && at(PL_EASE_LINEAR, 1.5) == 15 &&
          at(PL_EASE_LINEAR, 2) == 20);
    CHECK(at(PL_EASE_LINEAR, 3) == 10 && at(PL_EASE_LINEAR, 4) == 0 && at(PL_EASE_LINEAR, 1e9) == 0);
    CHECK(at(PL_EASE_SMOOTH, 1.5) == 15 && at(PL_EASE_SMOOTH, 1.25) == 10 + 10 * 0.15625 &&
          at(PL_EASE_SMOOTH, 3) == 10);
    CHECK_NEAR((at(PL_EASE_SMOOTH, 2 + 1e-6) - 20) / 1e-6, 0, 1e-4); // at rest at its keys
    CHECK(at(PL_EASE_STEP, 0) == 10 && at(PL_EASE_STEP, 1.999) == 10 && at(PL_EASE_STEP, 2) == 20 &&
          at(PL_EASE_STEP, 3.999) == 20 && at(PL_EASE_STEP, 4) == 0);
}

// Values never leave the interval of their neighbours, and equal neighbours give exactly their value.
static void values_stay_in_range(void)
{
    for (uint64_t i = 0; i < 10000; ++i)
    {
        double times[2] = {pl__random01(1, 0, i), 1 + pl__random01(2, 0, i)}, values[6], out[3];
        for (int k = 0; k < 6; ++k)
            values[k] = pl__random01(3, (uint64_t)k, i) - 0.5;
        values[3] = values[0];
        pl_keys_def keys = pl_keys_def_default();
        keys.times = times;
        keys.values = values;
        keys.count = 2;
        keys.components = 3;
        keys.ease = (pl_ease)(i % 2);
        pl_keys_evaluate(&keys, times[0] + pl__random01(4, 0, i) * (times[1] - times[0]), out);
        CHECK(out[0] == values[0]);
        for (int k = 1; k < 3; ++k)
            CHECK(out[k] >= fmin(values[k], values[3 + k]) && out[k] <= fmax(values[k], values[3 + k]));
    }
}

static bool everywhere(const double X[3]) { return X[1] > 0; }

static void add_pin(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, everywhere);
}

static pl_status set(const fixture *f, const char *path, int32_t components, double value)
{
    double times[2] = {0, 1}, values[6] = {0};
    for (int k = 0; k < components; ++k)
        values[k] = values[components + k] = 0.25;
    values[components] = value;
    pl_keys_def keys = pl_keys_def_default();
    keys.times = times;
    keys.values = values;
    keys.count = 2;
    keys.components = components;
    return pl_scene_set_keys(f->scene, path, &keys);
}

static fixture scene_of_all(void)
{
    fixture_def def = fixture_default();
    pl_object_def object = pl_object_def_default();
    def.object = &object;
    def.shape.edge = 0.5;
    def.prepare = add_pin;
    return fixture_make(&def);
}

// Every path takes its own number of components and refuses what its definition refuses, by path, key and range.
static void paths_and_ranges(void)
{
    static const struct
    {
        const char *path;
        int32_t components;
        double good, bad;
        const char *range;
    } rows[] = {
        {"gravity", 3, -9.81, INFINITY, "must be in [-1e9, 1e9] m/s^2"},
        {"materials.stuff.young", 1, 1e6, 0, "must be in [1e-9, 1e15]"},
        {"materials.stuff.poisson", 1, 0.4, -0.1, "must be at least 0 for neo_hookean"},
        {"materials.stuff.damping", 1, 0, -1, "must be in [0, 1e6] s"},
        {"bodies.body.strength", 1, 1e6, -1, "must be in [0, 1e6]"},
        {"bodies.body.pins.0.strength", 1, 1, 1.5, "must be in [0, 1]"},
        {"bodies.body.pins.0.move", 3, -5, 1e10, "must be in [-1e9, 1e9] m"},
        {"bodies.body.pins.0.rotate", 3, 720, 1e7, "must be in [-1e6, 1e6] degrees"},
        {"objects.object.at", 3, -5, NAN, "nan must be in [-1e9, 1e9] m"},
        {"objects.object.rotate", 3, -5, 1e7, "must be in [-1e6, 1e6] degrees"},
        {"objects.object.friction", 1, 5, -1, "must be in [0, 1e6]"},
    };
    fixture f = scene_of_all();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        char start[128];
        snprintf(start, sizeof start, "key 1 of %s: ", rows[i].path);
        CHECK_OK(f.ctx, set(&f, rows[i].path, rows[i].components, rows[i].good));
        CHECK_OK(f.ctx, set(&f, rows[i].path, rows[i].components, rows[i].good)); // replaced
        CHECK(f.scene->track_count == i + 1);
        CHECK_THAT(set(&f, rows[i].path, rows[i].components, rows[i].bad) == PL_ERR_ARGUMENT &&
                       strstr(pl_context_error(f.ctx), start) && strstr(pl_context_error(f.ctx), rows[i].range),
                   "%s", pl_context_error(f.ctx));
        CHECK_THAT(set(&f, rows[i].path, 4 - rows[i].components, 0.25) == PL_ERR_ARGUMENT &&
                       strstr(pl_context_error(f.ctx), "components"),
                   "%s", pl_context_error(f.ctx));
    }
    CHECK(set(&f, "objects.object.spin", 3, 1) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "keys of rotate of that object already"));
    fixture_done(&f);
}

static void bad_keys_are_refused(void)
{
    static const char *const nothing[] = {"",
                                          "gravity.x",
                                          "materials",
                                          "materials.stuff",
                                          "materials.stuff.density",
                                          "materials.other.young",
                                          "bodies.body.pins.1.move",
                                          "bodies.body.pins..move",
                                          "bodies.body.pins.0",
                                          "bodies.body.pins.x.move",
                                          "bodies.body.move",
                                          "objects.object.at.x",
                                          "objects.object.at.",
                                          "objects.object.velocity",
                                          "materials.stuff.young.",
                                          "bodies.body.pins.99999999999999999999.move",
                                          "objects..at"};
    fixture f = scene_of_all();
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; ++i)
        CHECK_THAT(set(&f, nothing[i], 1, 1) == PL_ERR_ARGUMENT &&
                       strstr(pl_context_error(f.ctx), ": there is no such thing to key"),
                   "%s: %s", nothing[i], pl_context_error(f.ctx));
    pl_keys_def keys = {0};
    CHECK(pl_scene_set_keys(f.scene, "gravity", &keys) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "pl_keys_def_default()"));
    keys = pl_keys_def_default();
    CHECK(pl_scene_set_keys(f.scene, "bodies.body.strength", &keys) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "there must be at least one"));
    double times[2] = {1, 1}, values[2] = {1, 1};
    keys.times = times;
    keys.values = values;
    keys.count = 2;
    CHECK(pl_scene_set_keys(f.scene, "bodies.body.strength", &keys) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "key 1 of bodies.body.strength: time 1 s must be after"));
    CHECK(f.scene->track_count == 0);
    fixture_done(&f);
}

// ---- memory ----------------------------------------------------------------------------------------------------

static pl_status program(pl_context *ctx)
{
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_pin_def pin = pl_pin_def_default();
    pl_keys_def keys = pl_keys_def_default();
    pl_step_def step = pl_step_def_default();
    pl_body_id id = {1};
    int32_t nodes[2] = {1, 3};
    double times[2] = {0, 0.1}, values[6] = {1, 0, 0, 0, 0, 1}, cache[6] = {0};
    shape.edge = 0.5;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    double factors[1000], start[3000] = {0};
    for (int i = 0; i < 1000; ++i)
        factors[i] = 2;
    pl_material_id materials[1000];
    for (int i = 0; i < 1000; ++i)
        materials[i].index = 1;
    body.mesh = mesh;
    body.young_factors = body.damping_factors = body.density_factors = factors;
    body.start_positions = start;
    body.collides = body.self_collision = 0; // all of it starts in a point
    body.element_materials = materials;
    status = status ? status : pl_scene_create(ctx, &scene);
    status = status ? status : pl_scene_add_material(scene, "m", &material, &body.material);
    status = status ? status : pl_scene_add_body(scene, "b", &body, &id);
    pin.nodes = nodes;
    pin.count = 2;
    status = status ? status : pl_scene_add_pin(scene, id, &pin, NULL);
    nodes[0] = 2;
    pin.count = 1;
    pin.cache = cache;
    pin.cache_count = 2;
    status = status ? status : pl_scene_add_pin(scene, id, &pin, NULL);
    keys.times = times;
    keys.values = values;
    keys.count = 2;
    status = status ? status : pl_scene_set_keys(scene, "bodies.b.pins.0.strength", &keys);
    keys.components = 3;
    status = status ? status : pl_scene_set_keys(scene, "bodies.b.pins.0.move", &keys);
    status = status ? status : pl_scene_set_keys(scene, "gravity", &keys);
    status = status ? status : pl_scene_set_keys(scene, "gravity", &keys);
    status = status ? status : pl_world_create(scene, &world);
    if (!status)
    {
        status = pl_world_step(world, &step, NULL);
        int64_t before = ctx->allocation_count;
        for (int k = 0; k < 5 && !status; ++k)
            status = pl_world_step(world, &step, NULL);
        CHECK(ctx->allocation_count == before);
    }
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    int64_t needed = survive_every_failure(program);
    CHECK_THAT(needed > 60, "%lld", (long long)needed);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(easing_in_closed_form), TEST(values_stay_in_range), TEST(paths_and_ranges),
                                    TEST(bad_keys_are_refused), TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}
