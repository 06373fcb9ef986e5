// tests/heat.c -- temperatures: how they spread and fall, what they do to materials, and that they are part of the
// state.
#include "test.h"
#include "fixture.h"
#include "base/hash.h"
#include "solid/heat.h"

static pl__heat *heat_of(const fixture *f) { return f->world->bodies.slot[0].body->heat; }

static fixture_def waxen(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.25;
    def.material.melting = 50;
    def.material.poisson = 0;
    return def;
}

// The sum of temperature times volume.
static double content(const fixture *f)
{
    double sum = 0;
    for (int32_t n = 0; n < heat_of(f)->node_count; ++n)
        sum += heat_of(f)->volume[n] * heat_of(f)->temperature[n];
    return sum;
}

static double warmest(const fixture *f)
{
    double most = 0;
    for (int32_t n = 0; n < heat_of(f)->node_count; ++n)
        most = fmax(most, heat_of(f)->temperature[n]);
    return most;
}

// ---- temperatures ----------------------------------------------------------------------------------------------

// T exp(-t/tau), however time is divided.
static void warm_bodies_cool_exponentially(void)
{
    for (int fine = 1; fine <= 10; fine *= 10)
    {
        fixture_def def = waxen();
        def.material.cooling = 0.5;
        def.solver.substep = 0.005 / fine;
        fixture f = fixture_make(&def);
        MUST(pl_world_heat(f.world, (double[3]){0, 0, 0}, 1e6, 30));
        CHECK_NEAR(warmest(&f), 30, 1e-9);
        fixture_step(&f, 0.4);
        CHECK_NEAR(warmest(&f), 30 * exp(-0.8), 1e-9);
        fixture_done(&f);
    }
}

// Conduction keeps the content, evens out, and never exceeds what was.
static void conduction_keeps_heat(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_HEX; ++kind)
    {
        fixture_def def = waxen();
        def.shape.elements = (pl_element_kind)kind;
        def.material.diffusivity = 0.05;
        fixture f = fixture_make(&def);
        MUST(pl_world_heat(f.world, (double[3]){0.5, 0, 0}, 0.6, 30));
        double before = content(&f), most = warmest(&f);
        for (int i = 0; i < 5; ++i)
        {
            fixture_step(&f, 0.2);
            CHECK_NEAR(content(&f), before, 1e-12 * before);
            CHECK(warmest(&f) <= most);
            most = warmest(&f);
        }
        fixture_step(&f, 20);
        CHECK_NEAR(warmest(&f), content(&f),
                   3 * exp(-0.05 * 9.87 * 20) * content(&f)); // of one cubic metre; the slowest wave has fallen to that
        fixture_done(&f);
    }
}

// cos(pi x / L) along a box decays by exp(-D pi^2 t / L^2); the error falls with the square of the edge.
static double decay_error(double edge)
{
    fixture_def def = waxen();
    const double D = 0.02, t = 2, pi = 3.14159265358979323846;
    def.shape.edge = edge;
    def.shape.elements = PL_ELEMENT_HEX;
    memcpy(def.shape.extent, (double[3]){1, 2 * edge, 2 * edge}, sizeof def.shape.extent);
    def.material.diffusivity = D;
    fixture f = fixture_make(&def);
    const pl__body *body = f.world->bodies.slot[0].body;
    for (int32_t n = 0; n < body->node_count; ++n)
        heat_of(&f)->temperature[body->node_of_source[n]] = 10 * sin(pi * pl_mesh_positions(f.mesh)[3 * n]) + 20;
    pl__heat_notice(heat_of(&f));
    for (int i = 0; i < 2000; ++i)
        (void)pl__heat_advance(heat_of(&f), t / 2000);
    double expected = 20 + 10 * exp(-D * pi * pi * t), error = fabs(warmest(&f) - expected);
    fixture_done(&f);
    return error;
}

static void conduction_converges(void)
{
    double coarse = decay_error(0.2), fine = decay_error(0.1);
    CHECK_THAT(coarse < 0.1 && coarse / fine > 3, "errors %g and %g", coarse, fine);
}

// ---- materials -------------------------------------------------------------------------------------------------

// Half-way to being molten, Young's modulus is the geometric mean of both; so are yield, creep and strength.
static void materials_soften_by_powers(void)
{
    pl_material_def def = pl_material_def_default();
    def.melting = 100;
    def.melt_young = 0.01;
    def.melt_yield = 0.04;
    def.melt_creep = 25;
    def.yield_strain = 0.1;
    def.creep = 2;
    def.fracture_stress = 1000;
    pl_material_def half = pl__material_heated(&def, 50), molten = pl__material_heated(&def, 1e5),
                    cold = pl__material_heated(&def, -3);
    CHECK_NEAR(half.young, 0.1 * def.young, 1e-9 * def.young);
    CHECK_NEAR(half.yield_strain, 0.02, 1e-15);
    CHECK_NEAR(half.fracture_stress, 200, 1e-9);
    CHECK_NEAR(half.creep, 10, 1e-12);
    CHECK_NEAR(molten.young, 0.01 * def.young, 1e-9 * def.young);
    CHECK_NEAR(molten.creep, 50, 1e-12);
    CHECK(cold.young == def.young && cold.creep == def.creep);
}

static bool everything(const double X[3]) { return X[0] < 1e9; }
static void hold_all(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, everything);
}

// The energy of a block held in a shape is in proportion to its stiffness: warmed, it falls by the factor of the
// material.
static void warm_bodies_are_softer(void)
{
    for (int kind = PL_ELEMENT_TET; kind <= PL_ELEMENT_HEX; ++kind)
    {
        fixture_def def = waxen();
        static double start[3 * 400];
        def.shape.elements = (pl_element_kind)kind;
        pl_context *ctx = test_context(1);
        pl_mesh *mesh;
        CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def.shape, &mesh));
        for (int32_t i = 0; i < 3 * pl_mesh_node_count(mesh); ++i)
            start[i] = 1.1 * pl_mesh_positions(mesh)[i];
        pl_mesh_destroy(&mesh);
        pl_context_destroy(&ctx);
        def.body.start_positions = start;
        def.prepare = hold_all;
        fixture f = fixture_make(&def);
        pl_step_info cold, warm;
        MUST(pl_world_report(f.world, &cold));
        MUST(pl_world_heat(f.world, (double[3]){0, 0, 0}, 1e6, 25));
        MUST(pl_world_report(f.world, &warm));
        CHECK_NEAR(warm.elastic / cold.elastic, sqrt(0.05), 1e-9);
        double values[2000];
        MUST(pl_body_read_field(f.world, f.body, PL_FIELD_TEMPERATURE, values));
        CHECK_NEAR(values[0], 25, 1e-9);
        fixture_done(&f);
    }
}

// What has no melting point has no temperature; numbers out of range are refused.
static void others_take_no_notice(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.5;
    fixture f = fixture_make(&def);
    double values[2000] = {1};
    CHECK(!heat_of(&f));
    MUST(pl_world_heat(f.world, (double[3]){0, 0, 0}, 1, 25));
    MUST(pl_body_read_field(f.world, f.body, PL_FIELD_TEMPERATURE, values));
    CHECK(values[0] == 0);
    CHECK(pl_world_heat(f.world, (double[3]){0, NAN, 0}, 1, 25) == PL_ERR_ARGUMENT);
    CHECK(pl_world_heat(f.world, (double[3]){0, 0, 0}, 0, 25) == PL_ERR_ARGUMENT);
    CHECK(pl_world_heat(f.world, (double[3]){0, 0, 0}, 1, INFINITY) == PL_ERR_ARGUMENT);
    pl_heat_def source = pl_heat_def_default();
    source.radius = 0;
    CHECK(pl_scene_add_heat(f.scene, "lamp", &source) == PL_ERR_ARGUMENT);
    source.radius = 1;
    CHECK(pl_scene_add_heat(f.scene, "lamp", &source) == PL_OK &&
          pl_scene_add_heat(f.scene, "lamp", &source) == PL_ERR_ARGUMENT);
    fixture_done(&f);
}

// ---- sources and snapshots -------------------------------------------------------------------------------------

static void add_lamp(const fixture *f_)
{
    fixture f = *f_;
    pl_heat_def lamp = pl_heat_def_default();
    lamp.radius = 0.8;
    MUST(pl_scene_add_heat(f.scene, "lamp", &lamp));
    fixture_keys(&f, "heat.lamp.at", PL_EASE_LINEAR, 2, 3, (double[2]){0, 1}, (double[6]){-0.5, 0, 0, 0.5, 0, 0});
    fixture_keys(&f, "heat.lamp.power", PL_EASE_STEP, 2, 1, (double[2]){0, 0.5}, (double[2]){100, 0});
}

static uint64_t state_hash(const fixture *f)
{
    uint64_t h = pl__hash(0, pl_body_positions(f->world, f->body),
                          3 * sizeof(double) * (size_t)pl_body_node_count(f->world, f->body));
    return pl__hash(h, heat_of(f)->temperature, (size_t)heat_of(f)->node_count * sizeof(double));
}

// A source that moves and goes out warms where it was, and a snapshot on the way leads to the same bits, for any number
// of threads.
static void sources_warm_and_snapshots_hold_it(void)
{
    uint64_t expected = 0;
    for (int32_t threads = 1; threads <= 2; ++threads)
    {
        fixture_def def = waxen();
        def.threads = threads;
        def.prepare = add_lamp;
        def.material.yield_strain = 0.02;
        def.material.creep = 5;
        def.material.cooling = 2;
        def.material.diffusivity = 0.01;
        memcpy(def.gravity, (double[3]){0, -9.81, 0}, sizeof def.gravity);
        fixture f = fixture_make(&def), g = fixture_make(&def);
        fixture_step(&f, 0.3);
        CHECK(warmest(&f) > 10);
        size_t size = pl_world_save_size(f.world);
        void *state = malloc(size);
        MUST(pl_world_save(f.world, state, size));
        fixture_step(&f, 0.3);
        double then = warmest(&f);
        expected = threads == 1 ? state_hash(&f) : expected;
        CHECK(state_hash(&f) == expected);
        CHECK_OK(g.ctx, pl_world_load(g.world, state, size));
        fixture_step(&g, 0.3);
        CHECK(state_hash(&g) == expected);
        fixture_step(&f, 0.3);
        CHECK(warmest(&f) < then);
        free(state);
        fixture_done(&f);
        fixture_done(&g);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(warm_bodies_cool_exponentially),     TEST(conduction_keeps_heat),  TEST(conduction_converges),
        TEST(materials_soften_by_powers),         TEST(warm_bodies_are_softer), TEST(others_take_no_notice),
        TEST(sources_warm_and_snapshots_hold_it),
    };
    return RUN(tests);
}
