// tests/fields.c -- what is felt inside bodies: closed forms, invariance, and the order of the mesh.
#include "fixture.h"
#include "mesh/mesh.h"
#include "random_input.h"

static const double stretches[3] = {1.3, 0.9, 1.1};

static fixture make(pl_material_kind kind, double strength)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.25;
    def.shape.jitter = 0.2;
    def.material.kind = kind;
    def.material.young = 2e5;
    def.material.poisson = 0.3;
    def.body.strength = strength;
    return fixture_make(&def);
}

// Move every node of the rest shape by x = A X.
static void deform(const fixture *f_, const pl_mat3 *A)
{
    fixture f = *f_;
    int32_t n = pl_body_node_count(f.world, f.body);
    double *x = malloc(sizeof(double) * 3 * (size_t)n);
    MUST(pl_body_read_rest(f.world, f.body, x));
    for (int32_t i = 0; i < n; ++i)
    {
        pl_vec3 y = pl_mul3(A, pl_make3(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
        memcpy(&x[3 * i], y.v, sizeof y.v);
    }
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
}

static double *read(const fixture *f_, pl_body_field field)
{
    fixture f = *f_;
    double *values = malloc(sizeof(double) * (size_t)pl_body_field_components(field) *
                            (size_t)pl_body_element_count(f.world, f.body));
    MUST(pl_body_read_field(f.world, f.body, field, values));
    return values;
}

static void check_uniform(const fixture *f, pl_body_field field, double expected)
{
    double *values = read(f, field);
    for (int32_t t = 0; t < pl_body_element_count(f->world, f->body); ++t)
        CHECK_NEAR(values[t] / expected, 1, 1e-11);
    free(values);
}

// Energy and first Piola stress in the stretches; of three models in closed form, as docs/materials.md has them.
static double law(fixture f, pl_material_kind kind, double mu, double lambda, const double s[3], double p[3])
{
    double e[3], trace = 0, square = 0, L = log(s[0] * s[1] * s[2]), s2 = 0, psi;
    if (kind > PL_MATERIAL_NEO_HOOKEAN)
    {
        pl_mat3 F = pl_diagonal3(s[0], s[1], s[2]), P;
        MUST(pl_material_evaluate(f.ctx, &f.world->materials.def[0], (const double *)&F, &psi, (double *)&P));
        for (int i = 0; i < 3; ++i)
            p[i] = P.c[i][i];
        return psi;
    }
    for (int i = 0; i < 3; ++i)
    {
        e[i] = kind == PL_MATERIAL_STVK ? 0.5 * (s[i] * s[i] - 1) : s[i] - 1;
        trace += e[i], square += e[i] * e[i], s2 += s[i] * s[i];
    }
    for (int i = 0; i < 3; ++i)
        p[i] = kind == PL_MATERIAL_NEO_HOOKEAN
                   ? mu * (s[i] - 1 / s[i]) + lambda * L / s[i]
                   : (2 * mu * e[i] + lambda * trace) * (kind == PL_MATERIAL_STVK ? s[i] : 1);
    return kind == PL_MATERIAL_NEO_HOOKEAN ? 0.5 * mu * (s2 - 3) - mu * L + 0.5 * lambda * L * L
                                           : mu * square + 0.5 * lambda * trace * trace;
}

// A block stretched by diag(a, b, c): every field in closed form, times the body's strength.
static void uniform_stretch_has_closed_forms(void)
{
    for (int kind = 0; kind < PL_MATERIAL_LINEAR; ++kind)
    {
        fixture f = make((pl_material_kind)kind, 2.5);
        double mu, lambda, p[3], t[3], J = stretches[0] * stretches[1] * stretches[2];
        pl_material_lame(2e5, 0.3, &mu, &lambda);
        double psi = law(f, (pl_material_kind)kind, mu, lambda, stretches, p);
        for (int i = 0; i < 3; ++i)
            t[i] = 2.5 * p[i] * stretches[i] / J;
        pl_mat3 A = pl_diagonal3(stretches[0], stretches[1], stretches[2]);
        deform(&f, &A);
        check_uniform(&f, PL_FIELD_J, J);
        check_uniform(&f, PL_FIELD_STRETCH, 1.3);
        check_uniform(&f, PL_FIELD_ENERGY, 2.5 * psi);
        check_uniform(&f, PL_FIELD_PRESSURE, -(t[0] + t[1] + t[2]) / 3);
        check_uniform(&f, PL_FIELD_STRESS,
                      sqrt(0.5 * (pow(t[0] - t[1], 2) + pow(t[1] - t[2], 2) + pow(t[2] - t[0], 2))));
        double *cauchy = read(&f, PL_FIELD_CAUCHY);
        for (int32_t k = 0; k < 9 * pl_body_element_count(f.world, f.body); ++k)
            CHECK_NEAR(cauchy[k], k % 9 % 4 == 0 ? t[k % 9 / 4] : 0, 1e-6); // of 1e5 Pa
        free(cauchy);
        fixture_done(&f);
    }
}

// Turning the deformed body changes no scalar, and turns the Cauchy stress: R sigma R^T.
static void rotation_turns_stress_and_nothing_else(void)
{
    static const pl_body_field scalars[] = {PL_FIELD_J, PL_FIELD_STRESS, PL_FIELD_STRETCH, PL_FIELD_ENERGY,
                                            PL_FIELD_PRESSURE};
    fixture f = make(PL_MATERIAL_NEO_HOOKEAN, 1);
    pl_mat3 R = random_rotation(4), U = random_rotation(5), V = random_rotation(6),
            A = from_stretches(&U, stretches, &V);
    pl_mat3 RA = pl_mul33(&R, &A);
    int32_t tets = pl_body_element_count(f.world, f.body);
    deform(&f, &A);
    double *before[5], *sigma = read(&f, PL_FIELD_CAUCHY);
    for (int k = 0; k < 5; ++k)
        before[k] = read(&f, scalars[k]);
    deform(&f, &RA);
    double *turned = read(&f, PL_FIELD_CAUCHY);
    for (int k = 0; k < 5; ++k)
    {
        double *after = read(&f, scalars[k]);
        for (int32_t t = 0; t < tets; ++t)
            CHECK_NEAR(after[t] / before[k][t], 1, 1e-11);
        free(after);
        free(before[k]);
    }
    for (int32_t t = 0; t < tets; ++t)
    {
        pl_mat3 S;
        memcpy(&S, &sigma[9 * t], sizeof S);
        S = pl_mul33(&R, &S);
        S = pl_mul33t(&S, &R);
        for (int k = 0; k < 9; ++k)
            CHECK_NEAR(turned[9 * t + k], S.c[k / 3][k % 3], 1e-6);
        CHECK(turned[9 * t + 1] == turned[9 * t + 3] && turned[9 * t + 5] == turned[9 * t + 7]);
    }
    free(sigma), free(turned);
    fixture_done(&f);
}

// ---- elements of their own -------------------------------------------------------------------------------------

// A block of three materials of three kinds, mixed tetrahedron by tetrahedron, in a mesh whose order is shuffled.
static fixture mixed(int32_t threads, pl_material_def material[3], bool triangular)
{
    static const char *const names[] = {"a", "b", "c"};
    fixture f = {.ctx = test_context(threads)};
    pl_shape_def shape = pl_shape_def_default();
    pl_mesh *source;
    shape.edge = 0.25;
    MUST(pl_mesh_create_shape(f.ctx, &shape, &source));
    int32_t *tets = malloc(sizeof(int32_t) * 4 * (size_t)source->element_count);
    for (int32_t t = 0; t < source->element_count; ++t) // 7919 is prime and no divisor
        memcpy(&tets[4 * t], &source->element[4 * (int32_t)((int64_t)t * 7919 % source->element_count)],
               4 * sizeof(int32_t));
    MUST(pl_mesh_create(f.ctx, source->position, source->node_count, tets, source->element_count, &f.mesh));
    free(tets);
    pl_mesh_destroy(&source);
    MUST(pl__mesh_set_regions(f.mesh, 3, names));
    for (int32_t t = 0; t < f.mesh->element_count; ++t)
        f.mesh->element_region[t] = t % 3;
    pl_material_id ids[3];
    pl_body_def body = pl_body_def_default();
    body.mesh = f.mesh, body.region_materials = ids, body.triangular_rest = triangular;
    body.at[1] = 2, body.rotate[0] = 30;
    MUST(pl_scene_create(f.ctx, &f.scene));
    for (int k = 0; k < 3; ++k)
    {
        material[k] = pl_material_def_default();
        material[k].kind = (pl_material_kind)k;
        material[k].young = 1e5 * (k + 1);
        MUST(pl_scene_add_material(f.scene, names[k], &material[k], &ids[k]));
    }
    // another body before it, so that its nodes are not the world's first
    MUST(pl_scene_add_body(f.scene, "first", &body, NULL));
    MUST(pl_scene_add_body(f.scene, "body", &body, &f.body));
    MUST(pl_world_create(f.scene, &f.world));
    int32_t n = f.mesh->node_count;
    double *x = malloc(sizeof(double) * 3 * (size_t)n);
    MUST(pl_body_read(f.world, f.body, x, NULL));
    for (int32_t i = 0; i < 3 * n; ++i)
        x[i] += 0.04 * random_pm(9, (uint64_t)i);
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
    return f;
}

// Each tetrahedron of the mesh against its own deformation gradient and its own material, by way of the public
// evaluation.
static void check_elements(bool triangular)
{
    pl_material_def material[3];
    fixture f = mixed(1, material, triangular);
    int32_t tets = pl_body_element_count(f.world, f.body), n = f.mesh->node_count;
    double *x = malloc(sizeof(double) * 3 * (size_t)n), *J = read(&f, PL_FIELD_J), *energy = read(&f, PL_FIELD_ENERGY),
           *cauchy = read(&f, PL_FIELD_CAUCHY);
    MUST(pl_body_read(f.world, f.body, x, NULL));
    CHECK(tets == f.mesh->element_count &&
          memcmp(pl_body_elements(f.world, f.body), f.mesh->element, 16 * (size_t)tets) == 0);
    for (int32_t t = 0; t < tets; ++t)
    {
        pl_mat3 Ds, Dm, F, P;
        const int32_t *node = &pl_body_elements(f.world, f.body)[4 * t];
        for (int k = 0; k < 9; ++k)
        {
            Ds.c[k / 3][k % 3] = x[3 * node[k / 3 + 1] + k % 3] - x[3 * node[0] + k % 3];
            Dm.c[k / 3][k % 3] = f.mesh->position[3 * node[k / 3 + 1] + k % 3] - f.mesh->position[3 * node[0] + k % 3];
        }
        pl_mat3 B = pl_inverse3(&Dm);
        F = pl_mul33(&Ds, &B);
        double psi, det = pl_det3(&F), F9[9], P9[9];
        memcpy(F9, &F, sizeof F9);
        MUST(pl_material_evaluate(f.ctx, &material[t % 3], F9, &psi, P9));
        memcpy(&P, P9, sizeof P);
        pl_mat3 sigma = pl_mul33t(&P, &F);
        CHECK_NEAR(J[t], det, 1e-12);
        CHECK_NEAR(energy[t], psi, 1e-10 * (psi + 1e4));
        for (int k = 0; k < 9; ++k)
            CHECK_NEAR(cauchy[9 * t + k], sigma.c[k / 3][k % 3] / det, 1e-6);
    }
    free(x), free(J), free(energy), free(cauchy);
    fixture_done(&f);
}

static void fields_follow_the_order_of_the_mesh(void)
{
    check_elements(false);
    check_elements(true);
}

// Flattened, crushed and mirrored bodies have finite stresses: |J| counts as 1e-6 at least.
static void flat_elements_have_finite_stress(void)
{
    fixture f = make(PL_MATERIAL_ROTATED_LINEAR, 1);
    static const double squeeze[] = {0, 1e-9, -1e-9, -1};
    double mu, lambda;
    pl_material_lame(2e5, 0.3, &mu, &lambda);
    for (int k = 0; k < 4; ++k)
    {
        double s = squeeze[k], J = fabs(s) < 1e-6 ? 1e-6 * (s < 0 ? -1 : 1) : s;
        pl_mat3 A = pl_diagonal3(1, 1, s);
        deform(&f, &A);
        double *stress = read(&f, PL_FIELD_STRESS), *pressure = read(&f, PL_FIELD_PRESSURE);
        // p = lambda (s - 1) in the plane, with 2 mu (s - 1) more across it
        double across = (2 * mu + lambda) * (s - 1) * s / J, along = lambda * (s - 1) / J;
        for (int32_t t = 0; t < pl_body_element_count(f.world, f.body); ++t)
        {
            CHECK_NEAR(stress[t] / fabs(along - across), 1, fabs(s) < 1e-6 ? 1e-6 : 1e-10); // s is rounded to 1e-16
            CHECK(s != 0 || isfinite(pressure[t]));
        }
        free(stress), free(pressure);
    }
    fixture_done(&f);
}

static void fields_have_names(void)
{
    static const char *const names[] = {"J",        "stress", "stretch", "energy",
                                        "pressure", "cauchy", "plastic", "temperature"};
    int32_t count = 0;
    for (; pl_body_field_name(count); ++count)
        CHECK(count < 8 && strcmp(pl_body_field_name(count), names[count]) == 0 &&
              pl_body_field_components(count) == (count == 5 ? 9 : 1));
    CHECK(count == 8 && pl_body_field_components(8) == 0 && pl_body_field_name(-1) == NULL &&
          pl_body_field_components(-1) == 0);
    fixture f = make(PL_MATERIAL_STVK, 1);
    double nine[9];
    float one;
    CHECK(pl_body_read_field(f.world, f.body, (pl_body_field)8, nine) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "field 8 is not"));
    CHECK(pl_body_read_surface_field(f.world, f.body, PL_FIELD_CAUCHY, &one) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "field \"cauchy\" has 9 components, at surface vertices one is allowed"));
    MUST(pl_world_remove_body(f.world, f.body));
    CHECK(pl_body_read_field(f.world, f.body, PL_FIELD_J, nine) == PL_ERR_STATE &&
          pl_body_elements(f.world, f.body) == NULL);
    CHECK(pl_body_read_rest(f.world, f.body, nine) == PL_ERR_STATE && pl_body_element_count(f.world, f.body) == 0);
    CHECK(pl_body_read_surface_field(f.world, f.body, PL_FIELD_J, &one) == PL_ERR_STATE);
    fixture_done(&f);
}

// Where the inversion rule has no energy the field is NaN, in that element only.
static void missing_energy_is_nan(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.5;
    def.material.inversion = PL_INVERSION_LINEAR;
    fixture f = fixture_make(&def);
    pl_mat3 A = pl_diagonal3(1, 1, -0.5);
    deform(&f, &A);
    double *energy = read(&f, PL_FIELD_ENERGY), *stress = read(&f, PL_FIELD_STRESS);
    CHECK(isnan(energy[0]) && isfinite(stress[0]));
    free(energy), free(stress);
    fixture_done(&f);
}

// ---- on the surface --------------------------------------------------------------------------------------------

// Two tetrahedra of volumes 1/6 and 2/6 share a face; one doubles its volume. J is 2 and 1, and (2 + 2 1)/3 where they
// meet; a carried vertex in the middle of the first has the mean of 2, 4/3, 4/3 and 4/3.
static void surface_values_are_means_by_volume(void)
{
    fixture f = {.ctx = test_context(1)};
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -2},
                        y[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, -2};
    static const int32_t t[] = {0, 1, 2, 3, 0, 2, 1, 4};
    static const double v[] = {0.25, 0.25, 0.25, 0, 0, -2, 1, 0, 0};
    pl_surface *surface;
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    float values[5];
    MUST(pl_mesh_create(f.ctx, x, 5, t, 2, &f.mesh));
    MUST(pl_surface_create(f.ctx, v, 3, (const int32_t[3]){0, 1, 2}, 1, &surface));
    MUST(pl_scene_create(f.ctx, &f.scene));
    MUST(pl_scene_add_material(f.scene, "stuff", &material, &body.material));
    body.mesh = f.mesh;
    pl_body_id plain;
    MUST(pl_scene_add_body(f.scene, "plain", &body, &plain));
    body.surface = surface;
    MUST(pl_scene_add_body(f.scene, "body", &body, &f.body));
    MUST(pl_world_create(f.scene, &f.world));
    MUST(pl_body_write(f.world, f.body, y, NULL));
    MUST(pl_body_write(f.world, plain, y, NULL));
    MUST(pl_body_read_surface_field(f.world, plain, PL_FIELD_J, values));
    static const double at_node[] = {4. / 3, 4. / 3, 4. / 3, 2, 1}, at_vertex[] = {1.5, 1, 4. / 3};
    for (int i = 0; i < 5; ++i)
        CHECK_NEAR(values[i], at_node[i], 1e-6);
    MUST(pl_body_read_surface_field(f.world, f.body, PL_FIELD_J, values));
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(values[i], at_vertex[i], 1e-6);
    pl_surface_destroy(&surface);
    fixture_done(&f);
}

// ---- the rest shape and the bits -------------------------------------------------------------------------------

// The rest shape is where the body was put, whatever has happened since.
static void rest_is_where_it_was_put(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.25;
    def.gravity[1] = -9.81;
    def.body.at[2] = 7, def.body.rotate[1] = 20, def.body.spin[0] = 90;
    fixture f = fixture_make(&def);
    size_t count = 3 * (size_t)pl_body_node_count(f.world, f.body);
    double *x = malloc(sizeof(double) * count), *rest = malloc(sizeof(double) * count);
    MUST(pl_body_read(f.world, f.body, x, NULL));
    (void)fixture_step(&f, 0.1);
    MUST(pl_body_read_rest(f.world, f.body, rest));
    CHECK(memcmp(x, rest, sizeof(double) * count) == 0);
    free(x), free(rest);
    fixture_done(&f);
}

static void same_bits_for_any_thread_count_and_width(void)
{
    static const char *const widths[] = {"64", "32", "16", "0"};
    double *first = NULL;
    for (int k = 0; k < 4; ++k)
    {
        pl_material_def material[3];
        setenv("PLIANT_SIMD", widths[k], 1);
        fixture f = mixed(k + 1, material, false);
        double *values = read(&f, PL_FIELD_CAUCHY);
        size_t bytes = 9 * sizeof(double) * (size_t)pl_body_element_count(f.world, f.body);
        if (first)
            CHECK(memcmp(first, values, bytes) == 0);
        if (first)
            free(values);
        else
            first = values;
        fixture_done(&f);
    }
    unsetenv("PLIANT_SIMD");
    free(first);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(uniform_stretch_has_closed_forms),
        TEST(rotation_turns_stress_and_nothing_else),
        TEST(fields_follow_the_order_of_the_mesh),
        TEST(flat_elements_have_finite_stress),
        TEST(fields_have_names),
        TEST(missing_energy_is_nan),
        TEST(surface_values_are_means_by_volume),
        TEST(rest_is_where_it_was_put),
        TEST(same_bits_for_any_thread_count_and_width),
    };
    return RUN(tests);
}
