// tests/incompressible.c -- bodies that keep their volume: closed forms, rest, energy, contact, bits, faults.
#include "test.h"
#include "fixture.h"
#include "host.h"
#include "solid/incompressible.h"
#include "volume/rings.h"

static fixture_def jelly(void)
{
    fixture_def def = fixture_default();
    def.material.young = 3e4;
    def.material.poisson = 0.5;
    def.material.damping = 0.01;
    def.material.incompressible = 1;
    def.shape.edge = 0.25;
    return def;
}

static double *read_positions(const fixture *f_)
{
    fixture f = *f_;
    double *x = malloc(24 * (size_t)pl_mesh_node_count(f.mesh));
    MUST(pl_body_read(f.world, f.body, x, NULL));
    return x;
}

// ---- closed forms ------------------------------------------------------------------------------------------------

// A plate comes down on a cube, both without friction: the cube of height s is s^-1/2 wide, everywhere. What is left is
// the chatter of contacts, which have no friction to end it.
static void add_press(const fixture *f_)
{
    fixture f = *f_;
    pl_object_def press = pl_object_def_default();
    pl_object_id id;
    press.at[1] = 0.5;
    press.normal[1] = -1;
    press.friction = 0;
    MUST(pl_scene_add_object(f.scene, "press", &press, &id));
    fixture_keys(f_, "objects.press.at", PL_EASE_SMOOTH, 2, 3, (double[]){0, 1}, (double[]){0, 0.5, 0, 0, 0.2, 0});
}

static void squeezed_cubes_widen(void)
{
    static const pl_element_kind kind[] = {PL_ELEMENT_TET, PL_ELEMENT_HEX};
    for (int k = 0; k < 2; ++k)
    {
        pl_object_def floor = pl_object_def_default();
        floor.at[1] = -0.5;
        floor.friction = 0;
        fixture_def def = jelly();
        def.shape.elements = kind[k];
        def.object = &floor;
        def.prepare = add_press;
        def.material.damping = 0.03;
        def.solver.substep = slow_tests ? 0.0005 : 0.002;
        fixture f = fixture_make(&def);
        int32_t n = pl_mesh_node_count(f.mesh), samples = 40;
        const double *X = pl_mesh_positions(f.mesh);
        double worst = 0, *wide = calloc((size_t)n, sizeof *wide), centre[3], v[3];
        pl_step_info info = fixture_step(&f, 2);
        for (int sample = 0; sample < samples; ++sample) // contacts chatter
        {
            info = fixture_step(&f, 0.02);
            double *x = read_positions(&f);
            fixture_centre(&f, centre, v);
            for (int32_t i = 0; i < n; ++i)
                wide[i] += hypot(x[3 * i] - centre[0], x[3 * i + 2] - centre[2]) / samples;
            free(x);
        }
        for (int32_t i = 0; i < n; ++i)
            worst = fmax(worst, fabs(wide[i] - hypot(X[3 * i], X[3 * i + 2]) / sqrt(0.7)) / 0.5);
        CHECK_THAT(worst < (slow_tests ? 3e-4 : 1e-3), "worst node off by %g, kinetic %g", worst, info.kinetic);
        CHECK_THAT(info.ring_error < 1e-3, "rings err by %g", info.ring_error); // as solves may
        free(wide);
        fixture_done(&f);
    }
}

static bool at_wall(const double X[3]) { return X[0] < -0.999; }

// A bar held at one end, four cells thick, sags under its weight nearly as one of Poisson's ratio .3 and the same
// Young's modulus: to 8 % of tetrahedra, to 5 % of hexahedra. With .499 it is off by 29 and 59 %.
static void bars_do_not_lock(void)
{
    static const pl_element_kind kind[] = {PL_ELEMENT_TET, PL_ELEMENT_HEX};
    for (int k = 0; k < 2; ++k)
    {
        double sag[2];
        for (int which = 0; which < 2; ++which)
        {
            fixture_def def = jelly();
            def.shape.elements = kind[k];
            def.shape.extent[0] = 2;
            def.shape.extent[1] = def.shape.extent[2] = 0.5;
            def.shape.edge = 0.125;
            def.pinned = at_wall;
            def.gravity[1] = -0.01;
            def.material.young = 1e5;
            def.material.poisson = which ? 0.5 : 0.3;
            def.material.incompressible = which == 1;
            fixture f = fixture_make(&def);
            fixture_settle(&f, 0.02, 60);
            double *x = read_positions(&f);
            sag[which] = 0;
            for (int32_t i = 0; i < pl_mesh_node_count(f.mesh); ++i)
                sag[which] = fmax(sag[which], pl_mesh_positions(f.mesh)[3 * i + 1] - x[3 * i + 1]);
            free(x);
            fixture_done(&f);
        }
        CHECK_THAT(fabs(sag[1] / sag[0] - 1) < (k ? 0.05 : 0.09), "%g, with .3 %g", sag[1], sag[0]);
    }
}

// ---- rest --------------------------------------------------------------------------------------------------------

static bool at_bottom(const double X[3]) { return X[1] < -0.499; }

// A block on its fixed base under its weight, damped a little and a lot: the same shape to round-off, and at rest. With
// pressures that act outside of the solves only (thesis 4.2) the second one errs by percents and keeps a speed.
static void loaded_bodies_come_to_rest(void)
{
    double *rest[2];
    for (int heavily = 0; heavily < 2; ++heavily)
    {
        fixture_def def = jelly();
        def.shape.edge = 0.5;
        def.pinned = at_bottom;
        def.gravity[1] = -9.81;
        def.gravity[0] = 2;
        def.material.young = 1e6;
        def.material.damping = heavily ? 0.05 : 0.02;
        def.solver.tolerance = 1e-8;
        fixture f = fixture_make(&def);
        pl_step_info info = fixture_step(&f, 6);
        CHECK_THAT(largest_speed(&f) < 1e-6, "%g m/s after %d substeps", largest_speed(&f), info.substeps);
        CHECK_THAT(info.ring_error < 1e-6, "rings err by %g", info.ring_error);
        rest[heavily] = read_positions(&f);
        if (heavily)
        {
            double off = 0, moved = 0;
            for (int32_t k = 0; k < 3 * pl_mesh_node_count(f.mesh); ++k)
            {
                off = fmax(off, fabs(rest[0][k] - rest[1][k]));
                moved = fmax(moved, fabs(rest[0][k] - pl_mesh_positions(f.mesh)[k]));
            }
            CHECK_THAT(off < 1e-5 * moved, "%g of %g m", off, moved);
        }
        fixture_done(&f);
    }
    free(rest[0]);
    free(rest[1]);
}

// ---- motion ------------------------------------------------------------------------------------------------------

// A free body, stretched and let go without damping: energy neither grows nor leaks away, both momenta stay.
static void free_bodies_keep_energy_and_momentum(void)
{
    fixture_def def = jelly();
    def.material.damping = 0;
    def.body.spin[0] = 60;
    def.body.spin[2] = 90;
    fixture f = fixture_make(&def);
    size_t n = (size_t)pl_mesh_node_count(f.mesh);
    double *x = read_positions(&f), most = 0, least = INFINITY;
    for (size_t k = 0; k < 3 * n; ++k)
        x[k] *= k % 3 == 1 ? 1.2 : 1 / sqrt(1.2);
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
    pl_step_info begin, info;
    MUST(pl_world_report(f.world, &begin));
    for (int k = 0; k < (slow_tests ? 2000 : 40); ++k)
    {
        info = fixture_step(&f, 0.05);
        most = fmax(most, info.kinetic + info.elastic);
        least = fmin(least, info.kinetic + info.elastic);
        CHECK_THAT(info.ring_error < 2e-3, "rings err by %g at %g s", info.ring_error, info.time);
    }
    double energy = begin.kinetic + begin.elastic;
    CHECK_THAT(most < 1.01 * energy && least > 0.9 * energy, "%g to %g of %g J", least, most, energy);
    for (int d = 0; d < 3; ++d)
    {
        CHECK_NEAR(info.momentum[d], 0, 1e-9 * 1000);
        CHECK_NEAR(info.angular[d], begin.angular[d], 1e-6 * (1 + fabs(begin.angular[1])));
    }
    fixture_done(&f);
}

static void drop_def(fixture_def *def, pl_object_def *floor)
{
    *floor = pl_object_def_default();
    *def = jelly();
    def->shape.kind = PL_SHAPE_SPHERE;
    def->shape.edge = 0.2;
    def->material.young = 1e4;
    def->object = floor;
    def->body.at[1] = 0.8;
    def->gravity[1] = -9.81;
}

// A soft sphere dropped on the ground (thesis figure 4.2): rings within 1 %, nothing inverts; with Poisson's ratio .45
// it loses many times as much.
static void dropped_spheres_keep_their_rings(void)
{
    double lost[2] = {0};
    for (int plain = 0; plain < 2; ++plain)
    {
        pl_object_def floor;
        fixture_def def;
        drop_def(&def, &floor);
        def.material.incompressible = !plain;
        def.material.poisson = plain ? 0.45 : 0.5;
        fixture f = fixture_make(&def);
        for (int frame = 0; frame < 18; ++frame)
        {
            pl_step_info info = fixture_step(&f, 1.0 / 24);
            lost[plain] = fmax(lost[plain], fabs(info.volume_error));
            CHECK_THAT(plain || info.ring_error < 0.01, "frame %d: rings err by %g", frame, info.ring_error);
            CHECK(info.inverted == 0);
        }
        fixture_done(&f);
    }
    CHECK_THAT(lost[0] < 1e-3 && lost[1] > 0.03, "%g, with .45 %g", lost[0], lost[1]);
}

// An organ that swells: rings follow the volume asked for.
static void bodies_swell(void)
{
    fixture_def def = jelly();
    fixture f = fixture_make(&def);
    MUST(pl_world_set(f.world, pl_world_find_param(f.world, "bodies.body.volume"), 1.5));
    pl_step_info info = fixture_step(&f, 2);
    CHECK_NEAR(info.volume_error, 0.5, 1e-3);
    CHECK_THAT(info.ring_error < 1e-3, "rings err by %g", info.ring_error);
    fixture_done(&f);
}

// Pins that force a volume that the rings must not have: the step ends, nothing flies away, and the figures tell.
static void contradictions_are_reported(void)
{
    fixture_def def = jelly();
    fixture f = fixture_make(&def);
    size_t n = (size_t)pl_mesh_node_count(f.mesh);
    double *x = read_positions(&f);
    for (size_t i = 0; i < n; ++i)
    {
        bool outside = fabs(x[3 * i]) > 0.49 || fabs(x[3 * i + 1]) > 0.49 || fabs(x[3 * i + 2]) > 0.49;
        for (size_t d = 0; d < 3; ++d)
            x[3 * i + d] *= 0.9;
        if (outside)
        {
            MUST(pl_body_set_pin(f.world, f.body, (int32_t)i, 1));
            MUST(pl_body_move_pin(f.world, f.body, (int32_t)i, &x[3 * i]));
        }
    }
    pl_step_info info;
    for (int k = 0; k < 5; ++k)
        info = fixture_step(&f, 0.05);
    CHECK_THAT(info.ring_error > 0.2 && info.ring_error < 0.4, "%g", info.ring_error); // evenly: 1 - 0.9^3 = 0.27
    CHECK_THAT(largest_speed(&f) < 1, "%g m/s", largest_speed(&f));
    free(x);
    fixture_done(&f);
}

// ---- bits and faults ---------------------------------------------------------------------------------------------

// The same positions with one thread and three, and after a snapshot, which holds the pressures.
static void same_bits_with_threads_and_after_a_restart(void)
{
    double *end[3];
    for (int run = 0; run < 3; ++run)
    {
        pl_object_def floor;
        fixture_def def;
        drop_def(&def, &floor);
        def.threads = run == 1 ? 3 : 1;
        def.body.at[1] = 0.55;
        fixture f = fixture_make(&def);
        for (int frame = 0; frame < 6; ++frame)
        {
            (void)fixture_step(&f, 1.0 / 24);
            if (run != 2 || frame != 3)
                continue;
            size_t size = pl_world_save_size(f.world);
            void *bytes = malloc(size);
            MUST(pl_world_save(f.world, bytes, size));
            (void)fixture_step(&f, 0.1);
            MUST(pl_world_load(f.world, bytes, size));
            free(bytes);
        }
        end[run] = read_positions(&f);
        CHECK(run == 0 || memcmp(end[0], end[run], 24 * (size_t)pl_mesh_node_count(f.mesh)) == 0);
        fixture_done(&f);
    }
    for (int run = 0; run < 3; ++run)
        free(end[run]);
}

static pl_status attempt(pl_context *ctx)
{
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_step_def step = pl_step_def_default();
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_step_info info;
    shape.edge = 0.5;
    material.incompressible = 1;
    step.dt = 1e-3;
    body.collides = body.self_collision = 0;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    body.mesh = mesh;
    if (status == PL_OK)
        status = pl_scene_create(ctx, &scene);
    if (status == PL_OK)
        status = pl_scene_add_material(scene, "flesh", &material, &body.material);
    if (status == PL_OK)
        status = pl_scene_add_body(scene, "heart", &body, NULL);
    if (status == PL_OK)
        status = pl_world_create(scene, &world);
    if (status == PL_OK)
        status = pl_world_step(world, &step, &info);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 30); }

// What cannot be is refused in a sentence.
static void refusals(void)
{
    fixture_def def = jelly();
    fixture f = fixture_make(&def);
    pl_material_def material = def.material;
    pl_material_id id;
    pl_body_def body = pl_body_def_default();
    material.incompressible = 0;
    CHECK(pl_scene_add_material(f.scene, "plain", &material, &id) == PL_ERR_ARGUMENT);
    CHECK(strstr(pl_context_error(f.ctx), "incompressible") != NULL);
    material.incompressible = 1;
    material.yield_strain = 0.1;
    CHECK(pl_scene_add_material(f.scene, "clay", &material, &id) == PL_ERR_ARGUMENT);
    CHECK(strstr(pl_context_error(f.ctx), "isochoric") != NULL);
    material.yield_strain = 0;
    MUST(pl_scene_add_material(f.scene, "flesh", &material, &body.material));
    pl_shape_def sheet = pl_shape_def_default();
    sheet.kind = PL_SHAPE_SHEET;
    sheet.elements = PL_ELEMENT_TRIANGLE;
    pl_mesh *mesh;
    MUST(pl_mesh_create_shape(f.ctx, &sheet, &mesh));
    body.mesh = mesh;
    body.kind = PL_BODY_SHELL;
    CHECK(pl_scene_add_body(f.scene, "cloth", &body, NULL) == PL_ERR_ARGUMENT);
    pl_mesh_destroy(&mesh);
    pl_solver_def solver = pl_solver_def_default();
    solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    MUST(pl_scene_set_solver(f.scene, &solver));
    pl_world *world = NULL;
    CHECK(pl_world_create(f.scene, &world) == PL_ERR_ARGUMENT);
    CHECK(strstr(pl_context_error(f.ctx), "semi_implicit") != NULL);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(squeezed_cubes_widen),
                                    TEST(bars_do_not_lock),
                                    TEST(loaded_bodies_come_to_rest),
                                    TEST(free_bodies_keep_energy_and_momentum),
                                    TEST(dropped_spheres_keep_their_rings),
                                    TEST(bodies_swell),
                                    TEST(contradictions_are_reported),
                                    TEST(same_bits_with_threads_and_after_a_restart),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(refusals)};
    return RUN(tests);
}
