// tests/semi_implicit.c -- the step of shells: its bound against true frequencies, energy that is never gained, and
// neighbours of other kinds that change nothing. (Solids: tests/motion.c.)
#include "fixture.h"
#include "random_input.h"
#include "element/element.h"

static const pl_material_kind laws[] = {PL_MATERIAL_STVK, PL_MATERIAL_NEO_HOOKEAN, PL_MATERIAL_ROTATED_LINEAR,
                                        PL_MATERIAL_FUNG};

enum
{
    LAWS = sizeof laws / sizeof laws[0]
};

// A free square of 1 m.
static fixture_def sheet(pl_material_kind law, pl_bending bending, double thickness, double edge,
                         pl_shape_pattern pattern)
{
    fixture_def def = fixture_default();
    def.material.kind = law;
    def.material.young = 1e5;
    def.material.poisson = 0.3;
    def.material.damping = 0.02;
    def.shape.elements = PL_ELEMENT_TRIANGLE;
    def.shape.kind = PL_SHAPE_RECTANGLE;
    def.shape.edge = edge;
    def.shape.pattern = pattern;
    def.body.kind = PL_BODY_SHELL;
    def.body.thickness = thickness;
    def.body.bending = bending;
    return def;
}

// Nodes moved by `share` of the way to random places within the square, and out of it by up to half of `height`.
static void scramble(const fixture *f_, uint64_t seed, double share, double height)
{
    fixture f = *f_;
    int32_t count = 3 * pl_mesh_node_count(f.mesh);
    double *x = malloc((size_t)count * sizeof *x);
    for (int32_t i = 0; i < count; ++i)
    {
        double random = 0.5 * random_pm(seed, (uint64_t)i), at = pl_mesh_positions(f.mesh)[i];
        x[i] = i % 3 == 2 ? height * random : at + share * (random - at);
    }
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
}

// Onto a cylinder of curvature k; no length changes.
static void roll(const fixture *f_, double k)
{
    fixture f = *f_;
    int32_t n = pl_mesh_node_count(f.mesh);
    double *x = malloc(24 * (size_t)n);
    memcpy(x, pl_mesh_positions(f.mesh), 24 * (size_t)n);
    for (int32_t i = 0; i < n; ++i)
    {
        double s = x[3 * i];
        x[3 * i] = sin(k * s) / k;
        x[3 * i + 2] = (1 - cos(k * s)) / k;
    }
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
}

// ---- the bound -----------------------------------------------------------------------------------------------------

// M^-1/2 (-df/dx) M^-1/2, symmetric part, by central differences
static double *stiffness_matrix(pl__solids *s)
{
    size_t n = 3 * (size_t)s->node_count;
    double *A = calloc(n * n, sizeof *A), *x = malloc(n * sizeof *x), *plus = malloc(n * sizeof *plus), h = 1e-7;
    memcpy(x, s->state.x, n * sizeof *x);
    for (size_t j = 0; j < n; ++j)
    {
        s->state.x[j] = x[j] + h;
        pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT);
        memcpy(plus, s->evaluation.force, n * sizeof *plus);
        s->state.x[j] = x[j] - h;
        pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT);
        s->state.x[j] = x[j];
        for (size_t i = 0; i < n; ++i)
        {
            double entry = 0.5 * (s->evaluation.force[i] - plus[i]) / (2 * h) / sqrt(s->mass[i] * s->mass[j]);
            A[i * n + j] += entry;
            A[j * n + i] += entry;
        }
    }
    free(x);
    free(plus);
    return A;
}

// The largest eigenvalue of A + shift, less shift, by the power method: never above the true one.
static double largest_eigenvalue(const double *A, size_t n, double shift)
{
    double *u = malloc(n * sizeof *u), *w = malloc(n * sizeof *w), value = 0;
    for (size_t i = 0; i < n; ++i)
        u[i] = random_pm(3, i);
    for (int step = 0; step < 150; ++step)
    {
        double uu = 0, uw = 0, ww = 0;
        for (size_t i = 0; i < n; ++i)
        {
            w[i] = shift * u[i];
            for (size_t j = 0; j < n; ++j)
                w[i] += A[i * n + j] * u[j];
            uu += u[i] * u[i];
            uw += u[i] * w[i];
            ww += w[i] * w[i];
        }
        value = uw / uu - shift;
        for (size_t i = 0; i < n; ++i)
            u[i] = w[i] / sqrt(ww);
    }
    free(u);
    free(w);
    return value;
}

// The bound on the squared frequency over the true one. Negative eigenvalues, of shapes that would rather be others,
// are shifted away.
static double carefulness(const fixture *f)
{
    pl__solids *s = &f->world->solids;
    pl__solids_evaluate(s, s->state.x, PL__EVALUATE_PRESENT);
    double bound = s->body[0]->derived.figures.frequency2, *A = stiffness_matrix(s);
    size_t n = 3 * (size_t)s->node_count;
    double largest = largest_eigenvalue(A, n, 0);
    if (largest < 0)
        largest = largest_eigenvalue(A, n, -largest);
    free(A);
    return bound / largest;
}

// Flat and rolled sheets, thin and thick: not below the true frequency, and steps at most a third shorter than they
// could be.
static void smooth_sheets_step_by_their_true_frequency(void)
{
    for (int option = 0; option < 12; ++option)
    {
        pl_bending bending = option % 2 ? PL_BENDING_HINGES : PL_BENDING_CURVATURE;
        fixture_def def =
            sheet(laws[option % LAWS], bending, option < 6 ? 0.03 : 0.001, 0.25, (pl_shape_pattern)(option / 2 % 3));
        fixture f = fixture_make(&def);
        double flat = carefulness(&f);
        roll(&f, 2);
        double rolled = carefulness(&f);
        CHECK_THAT(flat > 0.999 && flat < 1.7 && rolled > 0.999 && rolled < 1.8, "option %d: %g flat, %g rolled",
                   option, flat, rolled);
        fixture_done(&f);
    }
}

// Crumpled a little or wholly, nearly in their plane or in space, and a while later: never more than 2 % below.
static void crumpled_sheets_are_bounded_too(void)
{
    static const double share[] = {0.3, 0.6, 1}, height[] = {0.01, 0.1, 1};
    double least = INFINITY;
    for (int option = 0; option < (slow_tests ? 432 : 36); ++option)
    {
        pl_bending bending = option % 2 ? PL_BENDING_HINGES : PL_BENDING_CURVATURE;
        fixture_def def =
            sheet(laws[option % LAWS], bending, option / 4 % 2 ? 0.1 : 0.02, 0.25, (pl_shape_pattern)(option / 8 % 3));
        fixture f = fixture_make(&def);
        scramble(&f, (uint64_t)option, share[option % 3], height[option / 3 % 3]);
        if (option % 5 == 0)
            (void)fixture_step(&f, 0.02);
        double now = carefulness(&f);
        CHECK_THAT(now > 0.98, "option %d: %g of the true frequency", option, now);
        least = fmin(least, now);
        fixture_done(&f);
    }
    CHECK_THAT(least < 2, "the bound is never below %g", least);
}

// ---- energy --------------------------------------------------------------------------------------------------------

// The largest energy over the least one before it, looked at after every substep of half a second; what is left of the
// first.
static double largest_gain(const fixture *f_, double seconds, double *left)
{
    fixture f = *f_;
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    MUST(pl_world_report(f.world, &info));
    double first = info.kinetic + info.elastic, least = first, gain = 0;
    step.dt = seconds;
    step.max_substeps = 1;
    do
    {
        MUST(pl_world_step(f.world, &step, &info));
        double energy = info.kinetic + info.elastic;
        gain = fmax(gain, energy / least);
        least = fmin(least, energy);
        step.finish = 1;
    } while (pl_world_pending(f.world) > 0);
    *left = least / first;
    return gain;
}

// Free sheets that start with their nodes at random in a plane, folded over each other: they shake off most of their
// energy at once and never gain any back, be they thick, thin or without bending at all (then from near a plane, out of
// which nothing else would lead). Steps of 3.1 made millions of it. A fifth is room for steps that meet an exponential
// law.
static void crumpled_sheets_gain_nothing(void)
{
    static const double thickness[] = {0.02, 0.002, 0.0005}, edge[] = {0.2, 0.1};
    int options = slow_tests ? 20 * 18 : 18;
    for (int law = 0; law < LAWS; ++law)
        for (int option = slow_tests ? 0 : law % 2; option < options; option += slow_tests ? 1 : 2)
        {
            pl_bending bending = (pl_bending)(option % 3);
            fixture_def def = sheet(laws[law], bending, thickness[option / 3 % 3], edge[option / 9 % 2],
                                    (pl_shape_pattern)(option % 5 % 3));
            fixture f = fixture_make(&def);
            scramble(&f, (uint64_t)option, 1, bending == PL_BENDING_NONE ? 0.1 : 0);
            double left, gain = largest_gain(&f, slow_tests ? 2 : 0.7, &left);
            CHECK_THAT(gain < 1.2 && left < 0.2, "%s, option %d: %g times, %g left",
                       pl_material_kind_name((int32_t)laws[law]), option, gain, left);
            fixture_done(&f);
        }
}

// ---- bodies of several kinds ---------------------------------------------------------------------------------------

// Undamped, at a fixed step, far above a floor: a shell, a block, or both.
static pl_world *company(pl_context *ctx, bool shell, bool block, pl_body_id body[2])
{
    pl_scene *scene;
    pl_world *world;
    pl_material_id material;
    pl_material_def stuff = pl_material_def_default();
    pl_solver_def solver = pl_solver_def_default();
    stuff.damping = 0;
    solver.substep = 1e-3;
    CHECK_OK(ctx, pl_scene_create(ctx, &scene));
    CHECK_OK(ctx, pl_scene_set_gravity(scene, (double[3]){0, -9.81, 0}));
    CHECK_OK(ctx, pl_scene_set_solver(scene, &solver));
    CHECK_OK(ctx, pl_scene_add_material(scene, "stuff", &stuff, &material));
    for (int which = 0; which < 2; ++which)
    {
        pl_shape_def shape = pl_shape_def_default();
        pl_body_def def = pl_body_def_default();
        def.collides = def.self_collision = 0;
        pl_mesh *mesh;
        shape.edge = 0.25;
        if (which == 0)
        {
            shape.elements = PL_ELEMENT_TRIANGLE;
            shape.kind = PL_SHAPE_RECTANGLE;
            def.kind = PL_BODY_SHELL;
            def.thickness = 0.01;
        }
        def.material = material;
        def.spin[which] = 200;
        if (which == 0 ? !shell : !block)
            continue;
        CHECK_OK(ctx, pl_mesh_create_shape(ctx, &shape, &mesh));
        def.mesh = mesh;
        CHECK_OK(ctx, pl_scene_add_body(scene, which ? "block" : "shell", &def, &body[which]));
        pl_mesh_destroy(&mesh);
    }
    CHECK_OK(ctx, pl_world_create(scene, &world));
    pl_scene_destroy(&scene);
    pl_step_def step = pl_step_def_default();
    CHECK_OK(ctx, pl_world_step(world, &step, NULL));
    return world;
}

// A shell beside a block, each by its own scheme: both move as they do alone, to the bit.
static void kinds_do_not_meddle(void)
{
    pl_context *ctx = test_context(1);
    pl_body_id together[2], alone[2];
    pl_world *both = company(ctx, true, true, together);
    for (int which = 0; which < 2; ++which)
    {
        pl_world *one = company(ctx, which == 0, which == 1, alone);
        size_t bytes = 24 * (size_t)pl_body_node_count(one, alone[which]);
        double *x[2] = {malloc(bytes), malloc(bytes)}, *v[2] = {malloc(bytes), malloc(bytes)};
        CHECK_OK(ctx, pl_body_read(one, alone[which], x[0], v[0]));
        CHECK_OK(ctx, pl_body_read(both, together[which], x[1], v[1]));
        CHECK_THAT(memcmp(x[0], x[1], bytes) == 0 && memcmp(v[0], v[1], bytes) == 0, "%s", which ? "block" : "shell");
        for (int k = 0; k < 2; ++k)
        {
            free(x[k]);
            free(v[k]);
        }
        pl_world_destroy(&one);
    }
    pl_world_destroy(&both);
    pl_context_destroy(&ctx);
}

typedef struct
{
    double left, size; // squares, in the mass metric
} solve_residual;

// Of the second solve, with the frames that it had.
static void find_residual(void *user, const pl__stage_input *in)
{
    solve_residual *r = user;
    pl__solids *s = in->solids;
    const double *rhs = s->step.rhs, *product = s->step.cg.q;
    pl__solids_evaluate(s, s->step.x_middle, 0);
    (void)pl__solids_apply_damping(s, 1, 0.5 * in->dt, s->step.v_end, s->step.cg.q);
    for (size_t k = 0; k < 3 * (size_t)s->node_count; ++k)
    {
        r->left += (rhs[k] - product[k]) * (rhs[k] - product[k]) * s->inverse_mass[k];
        r->size += rhs[k] * rhs[k] * s->inverse_mass[k];
    }
}

// Strongly damped solids are solved by a matrix, which must be that of the damping they have: the last solve of a step
// leaves no more of its right-hand side than its tolerance says, by the product over elements.
static void long_solves_end_where_they_should(void)
{
    for (int what = 0; what < 6; ++what)
    {
        fixture_def def = fixture_default();
        def.shape.edge = 0.2;
        def.shape.elements = what % 2 ? PL_ELEMENT_HEX : PL_ELEMENT_TET;
        def.material.damping = 5;
        def.material.damping_model = (pl_damping_model)(what / 2);
        def.solver.tolerance = 1e-8;
        fixture f = fixture_make(&def);
        pl__solids *s = &f.world->solids;
        for (size_t k = 0; k < 3 * (size_t)s->node_count; ++k)
        {
            s->state.v[k] = random_pm(1, k);
            s->state.x[k] += 0.02 * random_pm(2, k);
        }
        s->evaluation.fresh = 0;
        solve_residual r = {0};
        pl_step_def step = pl_step_def_default();
        step.dt = 1e-4;
        MUST(pl__stages_add(f.ctx, &f.world->stages,
                            &(pl__stage){"residual", PL__NEW_VELOCITIES, NULL, find_residual, &r}));
        MUST(pl_world_step(f.world, &step, NULL));
        CHECK(s->matrix);
        CHECK_THAT(r.size > 0 && r.left < 1e-14 * r.size, "%d: %g of %g", what, sqrt(r.left), sqrt(r.size));
        fixture_done(&f);
    }
}

// A step of 0.1 + 0.2 s by substeps of 0.1 s is three of them, although that is more than 0.3 in doubles.
static void rounding_adds_no_substep(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.5;
    def.solver.substep = 0.1;
    fixture f = fixture_make(&def);
    CHECK((0.1 + 0.2) / def.solver.substep > 3);
    CHECK(fixture_step(&f, 0.1 + 0.2).substeps == 3);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(smooth_sheets_step_by_their_true_frequency),
                                    TEST(crumpled_sheets_are_bounded_too),
                                    TEST(crumpled_sheets_gain_nothing),
                                    TEST(kinds_do_not_meddle),
                                    TEST(long_solves_end_where_they_should),
                                    TEST(rounding_adds_no_substep)};
    return RUN(tests);
}
