// tests/body.c -- materials and factors per element, and shapes to start in.
#include "fixture.h"
#include "base/hash.h"
#include "random_input.h"

static bool at_ends(const double X[3]) { return fabs(X[0]) > 0.5 - 1e-9; }

static fixture_def bar(void)
{
    fixture_def def = fixture_default();
    def.shape.extent[1] = def.shape.extent[2] = 0.25;
    def.shape.edge = 0.125;
    def.shape.cut = PL_CUT_SIX; // no tetrahedron lies across x = -0.25
    def.material.kind = PL_MATERIAL_ROTATED_LINEAR;
    def.material.poisson = 0;
    def.material.damping = 0.02;
    return def;
}

// Numbers per tetrahedron of the mesh that `def` makes: `left` where its centroid has x < -0.25, `right` elsewhere.
static double *per_tet(const fixture_def *def, double left, double right, int32_t *count)
{
    pl_context *ctx = test_context(1);
    pl_mesh *mesh;
    if (pl_mesh_create_shape(ctx, &def->shape, &mesh) != PL_OK)
        abort();
    *count = pl_mesh_tet_count(mesh);
    double *values = malloc((size_t)*count * sizeof *values);
    for (int32_t t = 0; t < *count; ++t)
    {
        double x = 0;
        for (int k = 0; k < 4; ++k)
            x += pl_mesh_positions(mesh)[3 * pl_mesh_tets(mesh)[4 * t + k]] / 4;
        values[t] = x < -0.25 ? left : right;
    }
    pl_mesh_destroy(&mesh);
    pl_context_destroy(&ctx);
    return values;
}

static pl_material_def second; // a second material of the scene, before the body
static pl_body_def next;       // the body under test, added by replace_body
static pl_body_id added;

static void replace_body(const fixture *f_)
{
    fixture f = *f_;
    next.mesh = f.mesh;
    next.material.index = 1;
    MUST(pl_scene_add_material(f.scene, "second", &second, NULL));
    next.at[1] = 5;
    MUST(pl_scene_add_body(f.scene, "next", &next, &added));
}

// A quarter of the bar five times as stiff as the rest, stretched by d: springs in series. Stress is one everywhere, so
// the joint moves by d (L1/E1) / (L1/E1 + L2/E2), and each part is stretched evenly (exactly so, for linear elements
// and nu = 0).
static void stiff_and_soft_in_series(void)
{
    for (int by_factors = 0; by_factors < 2; ++by_factors)
    {
        fixture_def def = bar();
        int32_t tets, pins[200], count = 0;
        double *stiff = per_tet(&def, 5, 1, &tets), *which = per_tet(&def, 2, 1, &tets);
        pl_material_id *materials = malloc((size_t)tets * sizeof *materials);
        for (int32_t t = 0; t < tets; ++t)
            materials[t].index = (int32_t)which[t];
        next = pl_body_def_default();
        second = def.material;
        second.young *= 5;
        next.young_factors = by_factors ? stiff : NULL;
        next.element_materials = by_factors ? NULL : materials;
        def.prepare = replace_body;
        fixture f = fixture_make(&def);
        const double *X = pl_mesh_positions(f.mesh);
        int32_t n = pl_mesh_node_count(f.mesh);
        for (int32_t i = 0; i < n; ++i)
            if (at_ends(&X[3 * i]))
                pins[count++] = i;
        double d = 0.1, *x = malloc(24 * (size_t)n);
        for (int32_t i = 0; i < count; ++i)
        {
            MUST(pl_body_set_pin(f.world, added, pins[i], 1));
            MUST(pl_body_move_pin(f.world, added, pins[i],
                                  (double[3]){X[3 * pins[i]] + (X[3 * pins[i]] > 0 ? d : 0), X[3 * pins[i] + 1] + 5,
                                              X[3 * pins[i] + 2]}));
        }
        for (int k = 0; k < 40; ++k)
            (void)fixture_step(&f, 0.1);
        MUST(pl_body_read(f.world, added, x, NULL));
        double joint = d * (0.25 / 5) / (0.25 / 5 + 0.75);
        for (int32_t i = 0; i < n; ++i)
        {
            double along =
                X[3 * i] < -0.25 ? joint * (X[3 * i] + 0.5) / 0.25 : joint + (d - joint) * (X[3 * i] + 0.25) / 0.75;
            CHECK_NEAR(x[3 * i] - X[3 * i], along, 1e-7);
        }
        free(x);
        free(stiff);
        free(which);
        free(materials);
        fixture_done(&f);
    }
}

static uint64_t run(fixture *f_, double young, double second_young)
{
    fixture f = *f_;
    int32_t n = pl_body_node_count(f.world, added);
    double *v = malloc(24 * (size_t)n);
    for (int32_t k = 0; k < 3 * n; ++k)
        v[k] = random_pm(1, (uint64_t)k);
    MUST(pl_body_write(f.world, added, NULL, v));
    free(v);
    for (int k = 0; k < 6; ++k)
    {
        if (k == 3)
        {
            MUST(pl_world_set(f.world, pl_world_find_param(f.world, "materials.stuff.young"), young));
            MUST(pl_world_set(f.world, pl_world_find_param(f.world, "materials.second.young"), second_young));
        }
        (void)fixture_step(&f, 0.05);
    }
    const double *x = pl_body_positions(f.world, added);
    return pl__hash(0, x, 24 * (size_t)n);
}

// Factors are what a material of those numbers is, to the bit, also after the material changes.
static void factors_are_materials(void)
{
    uint64_t hash[2];
    fixture_def def = bar();
    int32_t tets;
    double *young = per_tet(&def, 2.5, 1, &tets), *density = per_tet(&def, 3, 1, &tets),
           *damping = per_tet(&def, 0.5, 1, &tets);
    pl_material_id *materials = malloc((size_t)tets * sizeof *materials);
    for (int32_t t = 0; t < tets; ++t)
        materials[t].index = young[t] > 1 ? 2 : 1;
    for (int by_factors = 0; by_factors < 2; ++by_factors)
    {
        next = pl_body_def_default();
        second = def.material;
        second.young *= 2.5;
        second.density *= 3;
        second.damping *= 0.5;
        next.element_materials = by_factors ? NULL : materials;
        next.young_factors = by_factors ? young : NULL;
        next.density_factors = by_factors ? density : NULL;
        next.damping_factors = by_factors ? damping : NULL;
        def.prepare = replace_body;
        fixture f = fixture_make(&def);
        hash[by_factors] = run(&f, 2e5, 5e5);
        // the same mesh twice, one with a quarter of it thrice as heavy
        CHECK_NEAR(f.world->bodies.body[1]->total_mass, f.world->bodies.body[0]->total_mass * 1.5, 1e-9);
        fixture_done(&f);
    }
    CHECK(hash[0] == hash[1]);
    free(young);
    free(density);
    free(damping);
    free(materials);
}

// A body that starts flat is as one written flat; velocity and spin are those of its shape at the start.
static void shapes_to_start_in(void)
{
    fixture_def def = bar();
    next = pl_body_def_default();
    second = def.material;
    int32_t tets;
    free(per_tet(&def, 1, 1, &tets));
    double start[3 * 1000];
    for (int k = 0; k < 3000; ++k)
        start[k] = k % 3 == 2 ? 0 : 0.3 * random_pm(2, (uint64_t)k);
    next.start_positions = start;
    next.rotate[2] = 90;
    next.velocity[0] = 1;
    next.spin[2] = 100;
    def.prepare = replace_body;
    fixture f = fixture_make(&def);
    int32_t n = pl_body_node_count(f.world, added);
    double *x = malloc(24 * (size_t)n), *v = malloc(24 * (size_t)n), momentum[3] = {0};
    MUST(pl_body_read(f.world, added, x, v));
    const pl__body *body = f.world->bodies.body[1];
    for (int32_t i = 0; i < n; ++i)
    {
        CHECK_NEAR(x[3 * i], -start[3 * i + 1], 1e-15);
        CHECK_NEAR(x[3 * i + 1], start[3 * i] + 5, 1e-15);
        CHECK(x[3 * i + 2] == 0);
        for (int k = 0; k < 3; ++k)
            momentum[k] += body->mass[body->node_of_source[i]] / body->total_mass * v[3 * i + k];
    }
    CHECK_NEAR(momentum[0], 1, 1e-12); // no share of the spin: it is about the centre of mass of this shape
    CHECK_NEAR(momentum[1], 0, 1e-12);
    CHECK_NEAR(v[0] - v[3], -100 * 0.017453292519943295 * (x[1] - x[4]), 1e-12);
    pl_step_info info = fixture_step(&f, 0.05);
    CHECK(isfinite(info.kinetic) && info.recovering == 1);
    free(x);
    free(v);
    fixture_done(&f);
}

static void bad_arrays_are_refused(void)
{
    fixture_def def = bar();
    fixture f = fixture_make(&def);
    int32_t tets = pl_mesh_tet_count(f.mesh), n = pl_mesh_node_count(f.mesh);
    double *numbers = malloc(24 * (size_t)(tets + n));
    pl_material_id *ids = malloc((size_t)tets * sizeof *ids);
    for (int32_t i = 0; i < 3 * (tets + n); ++i)
        numbers[i] = 1;
    for (int32_t i = 0; i < tets; ++i)
        ids[i].index = 1;
    pl_body_def body = pl_body_def_default();
    body.mesh = f.mesh;
    body.element_materials = ids; // `material` is not looked at
    MUST(pl_scene_add_body(f.scene, "good", &body, NULL));
    ids[5].index = 9;
    CHECK(pl_scene_add_body(f.scene, "b", &body, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.b.material: 9 is not a material"));
    ids[5].index = 1;
    numbers[7] = 0;
    body.damping_factors = numbers;
    MUST(pl_scene_add_body(f.scene, "undamped", &body, NULL));
    body.young_factors = numbers;
    CHECK(pl_scene_add_body(f.scene, "b", &body, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.b.young_factors[7]: 0 must be in [1e-09, 1e9]"));
    body.young_factors = NULL;
    body.density_factors = numbers;
    CHECK(pl_scene_add_body(f.scene, "b", &body, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.b.density_factors[7]: 0"));
    body.density_factors = NULL;
    numbers[7] = -1;
    CHECK(pl_scene_add_body(f.scene, "b", &body, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.b.damping_factors[7]: -1"));
    body.damping_factors = NULL;
    numbers[7] = NAN;
    body.start_positions = numbers;
    CHECK(pl_scene_add_body(f.scene, "b", &body, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.b.start_positions: ("));
    free(numbers);
    free(ids);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(stiff_and_soft_in_series), TEST(factors_are_materials),
                                    TEST(shapes_to_start_in), TEST(bad_arrays_are_refused)};
    return RUN(tests);
}
