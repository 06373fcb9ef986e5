// tests/implicit_euler.c -- the implicit step: closed forms, and what warped stiffness has over linear elasticity. (Its
// bits: tests/determinism.c; recovery: tests/torture.c; its matrices: tests/tangent.c.)
#include "fixture.h"
#include "host.h"
#include "random_input.h"

static const double pi = 3.14159265358979323846;

static fixture_def implicit(pl_material_kind kind)
{
    fixture_def def = fixture_default();
    def.solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    def.material.kind = kind;
    return def;
}

static void sums(const fixture *f, double force[3], double torque[3], double *size)
{
    const pl__solids *s = &f->world->solids;
    *size = 0;
    for (int i = 0; i < 3; ++i)
        force[i] = torque[i] = 0;
    for (int32_t n = 0; n < s->node_count; ++n)
        for (int i = 0; i < 3; ++i)
        {
            const double *x = &s->state.x[3 * n], *p = &s->evaluation.force[3 * n];
            force[i] += p[i];
            torque[i] += x[(i + 1) % 3] * p[(i + 2) % 3] - x[(i + 2) % 3] * p[(i + 1) % 3];
            *size += fabs(p[i]);
        }
}

static void scramble(const fixture *f_, double share, uint64_t seed)
{
    fixture f = *f_;
    int32_t count = 3 * pl_mesh_node_count(f.mesh);
    double *x = malloc((size_t)count * sizeof *x);
    for (int32_t i = 0; i < count; ++i)
    {
        double at = pl_mesh_positions(f.mesh)[i];
        x[i] = at + share * (0.5 * random_pm(seed, (uint64_t)i) - at);
    }
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
}

// ---- ghosts ------------------------------------------------------------------------------------------------------

// Neither force nor torque in any shape, inverted ones included; linear elasticity has a torque.
static void forces_of_elements_sum_to_zero(void)
{
    for (int option = 0; option < 6; ++option)
    {
        fixture_def def = implicit(option < 4 ? PL_MATERIAL_ROTATED_LINEAR : PL_MATERIAL_LINEAR);
        def.shape.elements = option % 2 ? PL_ELEMENT_HEX : PL_ELEMENT_TET;
        def.shape.edge = 0.25;
        fixture f = fixture_make(&def);
        double force[3], torque[3], size;
        scramble(&f, option % 4 < 2 ? 1 : 0.3, (uint64_t)option);
        pl__solids_evaluate(&f.world->solids, f.world->solids.state.x, PL__EVALUATE_PRESENT | PL__EVALUATE_ENERGIES);
        sums(&f, force, torque, &size);
        double push = fabs(force[0]) + fabs(force[1]) + fabs(force[2]),
               turn = fabs(torque[0]) + fabs(torque[1]) + fabs(torque[2]);
        CHECK_THAT(push < 1e-14 * size, "option %d: %g of %g", option, push, size);
        CHECK_THAT(option < 4 ? turn < 1e-14 * size : turn > 1e-6 * size, "option %d: torque %g of %g", option, turn,
                   size);
        fixture_done(&f);
    }
}

// Momentum of a scrambled free body, although its solves are cut short.
static void momentum_is_kept(void)
{
    for (int32_t kind = 0; kind <= PL_MATERIAL_LINEAR; ++kind)
    {
        fixture_def def = implicit((pl_material_kind)kind);
        def.solver.iterations = 20;
        def.shape.edge = 0.25;
        def.body.velocity[0] = 2;
        fixture f = fixture_make(&def);
        scramble(&f, 0.3, 5);
        pl_step_info info = {0};
        for (int k = 0; k < 20; ++k)
            info = fixture_step(&f, 0.01);
        CHECK_THAT(fabs(info.momentum[0] / info.mass - 2) < 1e-12 &&
                       fabs(info.momentum[1]) + fabs(info.momentum[2]) < 1e-10 * info.mass,
                   "%s: %.17g, %g, %g", pl_material_kind_name(kind), info.momentum[0] / info.mass, info.momentum[1],
                   info.momentum[2]);
        fixture_done(&f);
    }
}

// A spinning body keeps its angular momentum, which the step alone would eat.
static void spin_is_kept(void)
{
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.25;
    def.body.spin[1] = 90;
    fixture f = fixture_make(&def);
    pl_step_info first, info = {0};
    MUST(pl_world_report(f.world, &first));
    for (int k = 0; k < 120; ++k)
        info = fixture_step(&f, 1.0 / 60);
    CHECK_NEAR(info.angular[1], first.angular[1], 1e-9 * first.angular[1]);
    CHECK_THAT(info.kinetic < 1.01 * first.kinetic, "%g from %g", info.kinetic, first.kinetic);
    fixture_done(&f);
}

// ---- rest --------------------------------------------------------------------------------------------------------

// Turned by hand after it was made: elements that turn with it feel nothing, linear ones are strained.
static void rotated_rest_shape_stays_at_rest(void)
{
    for (int32_t kind = 0; kind <= PL_MATERIAL_LINEAR; ++kind)
    {
        fixture_def def = implicit((pl_material_kind)kind);
        def.shape.edge = 0.25;
        fixture f = fixture_make(&def);
        int32_t n = pl_mesh_node_count(f.mesh);
        double *x = malloc(24 * (size_t)n);
        for (int32_t i = 0; i < n; ++i)
        {
            const double *X = &pl_mesh_positions(f.mesh)[3 * i];
            x[3 * i] = 0.6 * X[0] - 0.8 * X[1];
            x[3 * i + 1] = 0.8 * X[0] + 0.6 * X[1];
            x[3 * i + 2] = X[2];
        }
        MUST(pl_body_write(f.world, f.body, x, NULL));
        for (int k = 0; k < 10; ++k)
            (void)fixture_step(&f, 1.0 / 60);
        double speed = largest_speed(&f);
        CHECK_THAT(kind == PL_MATERIAL_LINEAR ? speed > 0.1 : speed < 1e-10, "%s: %g m/s", pl_material_kind_name(kind),
                   speed);
        free(x);
        fixture_done(&f);
    }
}

// One that is put down turned is at rest, linear or not.
static void turned_bodies_are_at_rest(void)
{
    fixture_def def = implicit(PL_MATERIAL_LINEAR);
    def.shape.edge = 0.25;
    def.body.rotate[0] = 40;
    def.body.rotate[2] = 100;
    def.body.triangular_rest = 1;
    fixture f = fixture_make(&def);
    (void)fixture_step(&f, 1.0 / 60);
    CHECK_THAT(largest_speed(&f) < 1e-10, "%g m/s", largest_speed(&f));
    fixture_done(&f);
}

// ---- closed forms ------------------------------------------------------------------------------------------------

static bool top(const double X[3]) { return X[1] > 0.4999; }

// A bar that hangs, in one step of an hour: longer by rho g L^2/(2 E), exactly at its nodes where nu = 0.
static void long_steps_lead_to_equilibrium(void)
{
    for (int32_t kind = 0; kind <= PL_MATERIAL_LINEAR; ++kind)
    {
        if (kind == PL_MATERIAL_FUNG || kind == PL_MATERIAL_SPLINE) // not linear at small strain to this accuracy
            continue;
        fixture_def def = implicit((pl_material_kind)kind);
        def.shape.edge = 0.25;
        def.material.poisson = 0;
        def.material.young = 1e8;
        def.material.damping = 0;
        def.solver.substep = 3600;
        def.solver.tolerance = 1e-12;
        def.solver.iterations = 2000;
        def.solver.newton_tolerance = 1e-9;
        def.gravity[1] = -10;
        def.pinned = top;
        fixture f = fixture_make(&def);
        (void)fixture_step(&f, 3600);
        double lowest = 0, wanted = 1000 * 10 / (2 * 1e8);
        for (int32_t n = 0; n < f.world->solids.node_count; ++n)
            lowest = fmin(lowest, f.world->solids.state.x[3 * n + 1]);
        // lumped mass is exact for a line; across, tetrahedra of a cube are not all alike
        CHECK_THAT(fabs(-lowest - 0.5 - wanted) < 0.02 * wanted, "%s: longer by %g, not %g",
                   pl_material_kind_name(kind), -lowest - 0.5, wanted);
        fixture_done(&f);
    }
}

static bool left_end(const double X[3]) { return X[0] < -0.4999; }

// Period of a clamped beam that swings by a little, from the times at which its tip passes where it rests.
static double swinging_period(pl_element_kind elements, double edge, double dt)
{
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.extent[1] = def.shape.extent[2] = 0.1;
    def.shape.elements = elements;
    def.shape.edge = edge;
    def.material.young = 1e6;
    def.material.poisson = 0;
    def.material.damping = 0;
    def.solver.substep = dt;
    def.solver.tolerance = 1e-8;
    def.solver.iterations = 1000;
    def.pinned = left_end;
    fixture f = fixture_make(&def);
    pl__solids *s = &f.world->solids;
    int32_t tip = 0;
    for (int32_t n = 0; n < s->node_count; ++n)
    {
        double along = s->state.x[3 * n] + 0.5;
        s->state.v[3 * n + 1] = 0.05 * along * along; // near the first mode
        tip = s->state.x[3 * n] > s->state.x[3 * tip] ? n : tip;
    }
    double rest = s->state.x[3 * tip + 1], before = 0, first = 0, time = 0;
    int crossings = 0;
    while (crossings < 3 && time < 5)
    {
        (void)fixture_step(&f, dt);
        time += dt;
        double now = s->state.x[3 * tip + 1] - rest;
        if (before * now < 0)
        {
            double at = time - dt * now / (now - before);
            first = crossings == 0 ? at : first;
            before = crossings++ == 2 ? at - first : now;
        }
        if (crossings < 3)
            before = now;
    }
    fixture_done(&f);
    return before;
}

// w = 1.8751^2 sqrt(E I/(rho A L^4)), less 1 % for shear and rotary inertia at this thickness. Linear elements are too
// stiff in bending: hexahedra of four to the thickness by 3 % or so; the step makes it slower by (w dt)^2/3 or less,
// nothing here.
static void beam_swings_as_beams_do(void)
{
    double w = 1.8751040687 * 1.8751040687 * sqrt(1e6 * 0.01 / 12 / 1000), wanted = 2 * pi / w;
    double hexes = swinging_period(PL_ELEMENT_HEX, 0.025, 2e-3);
    CHECK_THAT(fabs(hexes / wanted - 1) < 0.04, "%g s, beam theory %g", hexes, wanted);
}

// ---- linear against warped ---------------------------------------------------------------------------------------

static bool far_end(const double X[3]) { return fabs(X[0]) > 0.9999; }
static bool right_end(const double X[3]) { return X[0] > 0.9999; }

// A bar of aspect 8 whose end is turned, and for a bend carried along an arc; the volume at the end.
static double volume_after(pl_material_kind kind, pl_element_kind elements, int axis, double degrees)
{
    fixture_def def = implicit(kind);
    def.shape.extent[0] = 2;
    def.shape.extent[1] = def.shape.extent[2] = 0.25;
    def.shape.edge = 0.0625;
    def.shape.elements = elements;
    def.material.poisson = 0.33;
    def.pinned = far_end;
    fixture f = fixture_make(&def);
    pl__solids *s = &f.world->solids;
    pl_step_info info = {0};
    for (int k = 1; k <= 240; ++k)
    {
        double a = degrees * pi / 180 * fmin(1, k / 120.0);
        for (int32_t i = 0; i < pl_mesh_node_count(f.mesh); ++i)
        {
            const double *X = &pl_mesh_positions(f.mesh)[3 * i];
            double to[3] = {X[0], cos(a) * X[1] - sin(a) * X[2], sin(a) * X[1] + cos(a) * X[2]};
            if (!right_end(X))
                continue;
            if (axis == 2) // on the arc of a bar that keeps its length
            {
                double r = 2 / a;
                to[0] = -1 + (r - X[1]) * sin(a);
                to[1] = r - (r - X[1]) * cos(a);
                to[2] = X[2];
            }
            MUST(pl_body_move_pin(f.world, f.body, i, to));
        }
        info = fixture_step(&f, 1.0 / 60);
    }
    (void)s;
    fixture_done(&f);
    return 1 + info.volume_error;
}

// Mueller & Gross 2004, figure 1: linear elasticity grows when it turns.
static void only_linear_elasticity_grows(void)
{
    for (int hexes = 0; hexes < 2; ++hexes)
    {
        pl_element_kind elements = hexes ? PL_ELEMENT_HEX : PL_ELEMENT_TET;
        const char *name = hexes ? "hexahedra" : "tetrahedra";
        double twisted = volume_after(PL_MATERIAL_ROTATED_LINEAR, elements, 0, 180),
               grown = volume_after(PL_MATERIAL_LINEAR, elements, 0, 90);
        CHECK_THAT(fabs(twisted - 1) < 0.02, "%s, twisted by 180 degrees, warped: volume times %g", name, twisted);
        // a section that turns by a is displaced by sin a across its radius and grows by 1 + sin^2 a: a third more over
        // the bar at 90 degrees. (By 180 degrees there is nothing left to twist: ends that are merely mirrored are
        // forgotten a width away.)
        CHECK_THAT(grown > 1.15, "%s, linear, by 90 degrees: volume times %g", name, grown);
        double bent = volume_after(PL_MATERIAL_ROTATED_LINEAR, elements, 2, 90),
               swollen = volume_after(PL_MATERIAL_LINEAR, elements, 2, 90);
        CHECK_THAT(fabs(bent - 1) < 0.02, "%s, bent by 90 degrees, warped: volume times %g", name, bent);
        CHECK_THAT(fabs(swollen - 1) > 0.1, "%s, linear: volume times %g", name, swollen);
    }
}

// ---- stability ---------------------------------------------------------------------------------------------------

static bool two_rows(const double X[3]) { return X[1] > 0.2; }

// Six decades of Young's modulus, of the step and of 1/2 - nu, all with all, pinned and shaken.
static void sweep(int32_t kind, int option)
{
    static const double poisson[] = {-0.9, 0, 0.3, 0.45, 0.499, 0.49999};
    fixture_def def = implicit((pl_material_kind)kind);
    def.shape.edge = 0.34;
    def.material.young = pow(10, 3 + option % 7);
    def.material.poisson = poisson[option / 49];
    if (def.material.poisson < 0 && (kind == PL_MATERIAL_NEO_HOOKEAN || kind == PL_MATERIAL_FIXED_COROTATED))
        def.material.poisson = 0;
    double dt = pow(10, option / 7 % 7 - 5);
    def.solver.substep = dt;
    def.gravity[1] = -9.81;
    def.pinned = two_rows;
    fixture f = fixture_make(&def);
    scramble(&f, 0.3, (uint64_t)option);
    pl_step_info info = {0};
    for (int k = 0; k < 5; ++k)
        info = fixture_step(&f, dt);
    CHECK_THAT(info.kinetic < 1e12 && info.elastic < 1e15 && info.substeps == 1,
               "%s, E %g, nu %g, dt %g: kinetic %g, elastic %g", pl_material_kind_name(kind), def.material.young,
               def.material.poisson, dt, info.kinetic, info.elastic);
    fixture_done(&f);
}

// What is warped with all of them, other laws in turns.
static void everything_stays_finite(void)
{
    for (int option = 0; option < 7 * 7 * 6; ++option)
    {
        sweep(PL_MATERIAL_ROTATED_LINEAR, option);
        sweep(PL_MATERIAL_LINEAR, option);
        sweep(option % PL_MATERIAL_CUSTOM, option);
    }
}

// Whatever the law, a body that is left alone loses energy, in steps far beyond what explicit ones could take.
static void energy_falls(void)
{
    for (int32_t kind = 0; kind <= PL_MATERIAL_LINEAR; ++kind)
    {
        fixture_def def = implicit((pl_material_kind)kind);
        def.shape.edge = 0.2;
        def.material.young = 1e6;
        def.material.recovery = PL_RECOVERY_OFF;
        def.solver.tolerance = 1e-8;
        def.solver.newton = 50;
        def.solver.newton_tolerance = 1e-6;
        fixture f = fixture_make(&def);
        scramble(&f, 0.2, 3);
        pl_step_info info;
        MUST(pl_world_report(f.world, &info));
        double before = info.elastic + info.kinetic;
        for (int k = 0; k < 30; ++k)
        {
            info = fixture_step(&f, 1.0 / 60);
            CHECK_THAT(info.elastic + info.kinetic < before * (1 + 1e-6), "%s, step %d: %g J after %g",
                       pl_material_kind_name(kind), k, info.elastic + info.kinetic, before);
            before = info.elastic + info.kinetic;
        }
        fixture_done(&f);
    }
}

// A body of more nodes than exact products are used for, after a step of so small an error.
static fixture step_large(const char *width, int32_t threads, double tolerance)
{
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.08;
    def.threads = threads;
    def.solver.tolerance = tolerance;
    def.solver.iterations = 1000;
    setenv("PLIANT_SIMD", width, 1);
    fixture f = fixture_make(&def);
    unsetenv("PLIANT_SIMD");
    scramble(&f, 0.05, 7);
    pl_step_info info = fixture_step(&f, 1.0 / 60);
    CHECK_THAT(f.world->solids.matrix->rough && info.unconverged == 0 && info.cg_iterations > 30,
               "%d nodes, %d iterations, %d unconverged", f.world->solids.node_count, (int)info.cg_iterations,
               (int)info.unconverged);
    return f;
}

// Solves end where they should, although their products are rough, with the same bits in every register and for any
// threads.
static void large_bodies_are_solved_exactly(void)
{
    static const char *const widths[] = {"0", "16", "32", "64"};
    fixture first = step_large("16", 1, 1e-8), exact = step_large("16", 1, 1e-12);
    const double *v = first.world->solids.state.v, *w = exact.world->solids.state.v;
    double error = 0, size = 0;
    for (int32_t k = 0; k < 3 * first.world->solids.node_count; ++k)
    {
        error = fmax(error, fabs(v[k] - w[k]));
        size = fmax(size, fabs(w[k]));
    }
    CHECK_THAT(error < 1e-7 * size, "off by %g of %g m/s", error, size);
    for (int k = 0; k < 8; ++k)
    {
        fixture f = step_large(widths[k % 4], 1 + k / 4, 1e-8);
        CHECK_THAT(memcmp(v, f.world->solids.state.v, 24 * (size_t)f.world->solids.node_count) == 0,
                   "%s bytes, %d threads", widths[k % 4], 1 + k / 4);
        fixture_done(&f);
    }
    fixture_done(&first);
    fixture_done(&exact);
}

// v' = v/(1 + dt alpha), exactly.
static void mass_damping_slows_everything(void)
{
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.5;
    def.solver.mass_damping = 3;
    def.body.velocity[2] = 1;
    fixture f = fixture_make(&def);
    double wanted = 1;
    for (int k = 0; k < 10; ++k)
    {
        pl_step_info info = fixture_step(&f, 1.0 / 60);
        wanted /= 1 + 3.0 / 60;
        CHECK_NEAR(info.momentum[2] / info.mass, wanted, 1e-12);
    }
    fixture_done(&f);
}

// ---- objects -----------------------------------------------------------------------------------------------------

static pl_object_def slope(double degrees, double friction)
{
    pl_object_def object = pl_object_def_default();
    object.normal[0] = sin(degrees * pi / 180);
    object.normal[1] = cos(degrees * pi / 180);
    object.friction = friction;
    return object;
}

// A stiff block on a slope: x'' = g (sin - mu cos), or nothing at all below the angle of friction. The first steps
// press it on.
static void blocks_slide_and_hold(void)
{
    static const double friction[] = {0.2, 0.7, 0.6};
    for (int hold = 0; hold < 3; ++hold)
    {
        pl_object_def object = slope(30, friction[hold]);
        fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
        def.shape.edge = 0.5;
        def.material.young = 1e7;
        def.body.rotate[2] = -30;
        def.body.at[0] = 0.5 * object.normal[0];
        def.body.at[1] = 0.5 * object.normal[1];
        def.gravity[1] = -9.81;
        def.object = &object;
        def.solver.tolerance = 1e-8;
        def.solver.iterations = 2000;
        fixture f = fixture_make(&def);
        double from[3], to[3], v[3], dt = 1.0 / 100;
        for (int k = 0; k < 80; ++k)
            (void)fixture_step(&f, dt);
        fixture_centre(&f, from, v);
        double begin = cos(pi / 6) * v[0] - sin(pi / 6) * v[1];
        for (int k = 0; k < 50; ++k)
            (void)fixture_step(&f, dt);
        fixture_centre(&f, to, v);
        double faster = cos(pi / 6) * v[0] - sin(pi / 6) * v[1] - begin,
               wanted = hold ? 0 : 0.5 * 9.81 * (sin(pi / 6) - 0.2 * cos(pi / 6));
        CHECK_THAT(fabs(faster - wanted) < (hold ? 1e-6 : 0.01 * wanted), "friction %g: faster by %g m/s, not %g",
                   friction[hold], faster, wanted);
        CHECK_THAT(!hold || fabs(to[0] - from[0]) < 1e-6, "crept by %g m", to[0] - from[0]);
        fixture_done(&f);
    }
}

// As far along a slope as a block of a nonlinear law has got faster after so many steps, and how fast it then is.
static double speed_after(double friction, double edge, double dt, int32_t steps, double *before)
{
    pl_object_def object = pl_object_def_default();
    object.friction = friction;
    fixture_def def = implicit(PL_MATERIAL_NEO_HOOKEAN);
    def.shape.extent[0] = def.shape.extent[2] = 0.3;
    def.shape.extent[1] = 0.2;
    def.shape.edge = edge;
    def.material.young = 1e6;
    def.material.damping = 0.01;
    def.body.at[1] = 0.1;
    def.gravity[0] = 9.81 * sin(pi / 6);
    def.gravity[1] = -9.81 * cos(pi / 6);
    def.object = &object;
    fixture f = fixture_make(&def);
    double x[3], v[3];
    for (int32_t k = 0; k < steps; ++k)
    {
        if (k == steps / 2)
            fixture_centre(&f, x, v), *before = v[0];
        (void)fixture_step(&f, dt);
    }
    fixture_centre(&f, x, v);
    fixture_done(&f);
    return v[0];
}

// With default settings. A block starts with the 2 cm/s that the first steps give it, before it is pressed on: a
// thousandth above the limit takes that from it in 4 s. Sliding: friction to 2e-4 of itself, which is ten times what
// was measured.
static void the_threshold_is_sharp(void)
{
    static const double edge[] = {0.3, 0.1}, step[] = {1.0 / 24, 1.0 / 60, 0.01},
                        share[] = {0.5, 0.9, 0.999, 1.001, 1.01};
    for (int e = 0; e < 2; ++e)
        for (int d = 0; d < 3; ++d)
            for (int k = 0; k < 5; ++k)
            {
                int32_t steps = 2 * (int32_t)(3 / step[d] + 0.5);
                double before, v = speed_after(share[k] * tan(pi / 6), edge[e], step[d], steps, &before),
                               wanted = 3 * 0.5 * 9.81 * (1 - share[k]);
                if (share[k] > 1)
                    CHECK_THAT(fabs(v) < 1e-6, "edge %g, step %g, %g of the limit: %g m/s", edge[e], step[d], share[k],
                               v);
                else
                    CHECK_THAT(fabs(v - before - wanted) < 2e-4 * 3 * 0.5 * 9.81 * share[k],
                               "edge %g, step %g, %g of the limit: faster by %g, not %g m/s", edge[e], step[d],
                               share[k], v - before, wanted);
            }
}

// Falls into a corner of boxes from some height, and comes to rest on them, outside.
static void bodies_come_to_rest_on_objects(void)
{
    for (int32_t kind = 0; kind <= PL_MATERIAL_LINEAR; ++kind)
    {
        pl_object_def object = pl_object_def_default();
        object.kind = PL_OBJECT_WEDGE;
        object.angle = 260;
        fixture_def def = implicit((pl_material_kind)kind);
        def.shape.edge = 0.25;
        def.body.at[1] = 1;
        def.gravity[1] = -9.81;
        def.object = &object;
        def.material.damping = 0.02;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        for (int k = 0; k < 240; ++k)
        {
            info = fixture_step(&f, 1.0 / 60);
            CHECK_THAT(info.penetration < 1e-9, "%s, step %d: %g m inside", pl_material_kind_name(kind), k,
                       info.penetration);
        }
        CHECK_THAT(info.contacts > 0 && info.kinetic < 1e-4 * info.mass, "%s: %d contacts, kinetic %g",
                   pl_material_kind_name(kind), info.contacts, info.kinetic);
        fixture_done(&f);
    }
}

// Over a ball, which a surface held along one normal would enter by its curvature.
static void curved_objects_are_not_entered(void)
{
    pl_object_def object = pl_object_def_default();
    object.kind = PL_OBJECT_SPHERE;
    object.radius = 0.6;
    object.friction = 0;
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.125;
    def.body.at[0] = 0.2;
    def.body.at[1] = 1.2;
    def.gravity[1] = -9.81;
    def.object = &object;
    fixture f = fixture_make(&def);
    int touched = 0;
    for (int k = 0; k < 60; ++k)
    {
        pl_step_info info = fixture_step(&f, 1.0 / 60);
        touched += info.contacts > 0;
        CHECK_THAT(info.penetration < 1e-12, "step %d: %g m inside", k, info.penetration);
    }
    CHECK(touched > 10);
    fixture_done(&f);
}

static void resting_bodies_sleep(void)
{
    pl_object_def object = pl_object_def_default();
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.25;
    def.body.at[1] = 0.6;
    def.gravity[1] = -9.81;
    def.object = &object;
    def.solver.sleep = 1;
    fixture f = fixture_make(&def);
    pl_step_info info = {0};
    for (int k = 0; k < 300 && info.sleeping == 0; ++k)
        info = fixture_step(&f, 1.0 / 60);
    CHECK(info.sleeping == 1);
    (void)fixture_step(&f, 1.0 / 60);
    int64_t evaluated = f.world->solids.evaluation.chunks;
    for (int k = 0; k < 10; ++k)
        info = fixture_step(&f, 1.0 / 60);
    CHECK(info.sleeping == 1 && f.world->solids.evaluation.chunks == evaluated);
    fixture_done(&f);
}

static void add_another(const fixture *f_)
{
    fixture f = *f_;
    pl_body_def body = pl_body_def_default();
    body.mesh = f.mesh;
    body.material = (pl_material_id){1};
    body.collides = 1;
    body.at[0] = 0.05;
    body.at[1] = 1.8;
    MUST(pl_scene_add_body(f.scene, "above", &body, NULL));
}

// One block falls onto another: they do not cross, push each other, and keep their momentum but for what the floor
// takes.
static void bodies_meet(void)
{
    pl_object_def object = pl_object_def_default();
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.25;
    def.body.at[1] = 0.55;
    def.body.collides = 1;
    def.material.young = 1e6;
    def.gravity[1] = -9.81;
    def.object = &object;
    def.prepare = add_another;
    fixture f = fixture_make(&def);
    pl_step_info info = {0}, below, above;
    for (int k = 0; k < 120; ++k)
    {
        info = fixture_step(&f, 1.0 / 60);
        int64_t crossings;
        MUST(pl_world_count_crossings(f.world, &crossings));
        CHECK_THAT(crossings == 0 && info.unresolved == 0, "step %d: %d crossings", k, (int)crossings);
    }
    MUST(pl_body_report(f.world, f.body, &below));
    MUST(pl_body_report(f.world, pl_world_find_body(f.world, "above"), &above));
    CHECK_THAT(above.center[1] - below.center[1] > 0.8 && above.center[1] < 1.5, "%g m above %g m", above.center[1],
               below.center[1]);
    fixture_done(&f);
}

// ---- pins, gas, sheets -------------------------------------------------------------------------------------------

static bool everywhere(const double X[3])
{
    (void)X;
    return true;
}

static void pull_softly(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    pin.strength = 0.5;
    pin.soft = 0.1;
    pin.move[0] = 0.3;
    fixture_pin(f, &pin, everywhere);
}

// Every node on its own spring: x'' = k (T - x) - c x' - alpha x', by implicit Euler.
static void soft_pins_are_springs(void)
{
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.5;
    def.prepare = pull_softly;
    def.solver.mass_damping = 3;
    fixture f = fixture_make(&def);
    double x = 0, v = 0, k = 100, c = 20, alpha = 3, dt = 1.0 / 60, at[3], speed[3];
    for (int i = 0; i < 30; ++i)
    {
        (void)fixture_step(&f, dt);
        v = (v + dt * k * (0.3 - x)) / (1 + dt * (c + alpha + dt * k));
        x += dt * v;
        fixture_centre(&f, at, speed);
        CHECK_NEAR(at[0], x, 1e-9);
    }
    fixture_done(&f);
}

// A balloon of gas under outside pressure keeps (outside + p) V, and comes to rest.
static void balloons_hold_their_gas(void)
{
    fixture_def def = implicit(PL_MATERIAL_NEO_HOOKEAN);
    def.shape.kind = PL_SHAPE_SPHERE;
    def.shape.elements = PL_ELEMENT_TRIANGLE;
    def.shape.radius = 0.5;
    def.shape.edge = 0.15;
    def.body.kind = PL_BODY_SHELL;
    def.body.thickness = 0.005;
    def.body.gas = 1;
    def.body.pressure = 300;
    def.material.young = 1e6;
    def.solver.newton = 1; // gas that the matrix does not know of would overshoot
    fixture f = fixture_make(&def);
    pl_step_info info = {0};
    for (int k = 0; k < 240; ++k)
        info = fixture_step(&f, 1.0 / 60);
    const pl__body *body = f.world->bodies.body[0];
    // the tension of a thin sphere: p = 2 sigma t/r, sigma = E/(1 - nu) (r'/r - 1) at small strain
    double wanted = 300 * 0.5 / (2 * 0.005) * (1 - 0.4) / 1e6;
    CHECK_THAT(body->air.load.pressure < 300 && body->air.load.pressure > 0, "%g Pa", body->air.load.pressure);
    double grown = body->air.load.pressure / 300 * wanted;
    CHECK_THAT(fabs(info.max_stretch - 1 - grown) < 0.5 * grown && info.kinetic < 1e-6,
               "stretched by %g, not %g; kinetic %g", info.max_stretch - 1, grown, info.kinetic);
    fixture_done(&f);
}

static bool one_edge(const double X[3]) { return X[0] < -0.9 * 0.5; }

// A hanging sheet of every membrane comes to rest below its edge, not longer than it is.
static void sheets_hang(void)
{
    for (int membrane = 0; membrane < 3; ++membrane)
    {
        fixture_def def = implicit(PL_MATERIAL_STVK);
        def.shape.elements = PL_ELEMENT_TRIANGLE;
        def.shape.kind = PL_SHAPE_SHEET;
        def.shape.edge = 0.1;
        def.body.kind = PL_BODY_SHELL;
        def.body.membrane = (pl_membrane)membrane;
        def.body.thickness = 0.002;
        def.body.drag = 1;
        def.solver.mass_damping = 2;
        def.material.young = 1e6;
        def.gravity[1] = -9.81;
        def.pinned = one_edge;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        for (int k = 0; k < 600; ++k)
            info = fixture_step(&f, 1.0 / 60);
        double lowest = 0;
        for (int32_t n = 0; n < f.world->solids.node_count; ++n)
            lowest = fmin(lowest, f.world->solids.state.x[3 * n + 1]);
        CHECK_THAT(lowest < -0.9 && lowest > -1.1 && info.kinetic < 1e-3, "membrane %d: hangs down to %g, kinetic %g",
                   membrane, lowest, info.kinetic);
        fixture_done(&f);
    }
}

// ---- refusals and memory -----------------------------------------------------------------------------------------

static void combinations_that_make_no_sense_are_refused(void)
{
    fixture f = {.ctx = test_context(1)};
    pl_solver_def def = pl_solver_def_default();
    MUST(pl_scene_create(f.ctx, &f.scene));
    def.newton = 3;
    CHECK(pl_scene_set_solver(f.scene, &def) == PL_ERR_ARGUMENT && strstr(pl_context_error(f.ctx), "implicit_euler"));
    def.newton = 0;
    def.mass_damping = 1;
    CHECK(pl_scene_set_solver(f.scene, &def) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "solver.mass_damping: 1 1/s"));
    def.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    MUST(pl_scene_set_solver(f.scene, &def));
    def.velocity_update = PL_VELOCITY_TRAPEZOID;
    CHECK(pl_scene_set_solver(f.scene, &def) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "solver.velocity_update"));
    def.velocity_update = PL_VELOCITY_MIDPOINT;
    def.object_contact = PL_CONTACT_PROJECTED;
    CHECK(pl_scene_set_solver(f.scene, &def) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "solver.object_contact"));
    pl_material_def material = pl_material_def_default();
    material.kind = PL_MATERIAL_LINEAR;
    material.yield_strain = 0.1;
    CHECK(pl_scene_add_material(f.scene, "a", &material, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "yield_strain"));
    material.yield_strain = 0;
    material.fiber_strength = 1;
    CHECK(pl_scene_add_material(f.scene, "a", &material, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "fiber_strength"));
    pl_scene_destroy(&f.scene);
    pl_context_destroy(&f.ctx);
}

static void steps_after_the_first_allocate_nothing(void)
{
    pl_object_def object = pl_object_def_default();
    fixture_def def = implicit(PL_MATERIAL_NEO_HOOKEAN);
    def.shape.edge = 0.17; // enough nodes for multigrid
    def.body.at[1] = 0.6;
    def.gravity[1] = -9.81;
    def.object = &object;
    fixture f = fixture_make(&def);
    (void)fixture_step(&f, 1.0 / 60);
    CHECK(f.world->solids.multigrid);
    int64_t before = f.ctx->allocation_count;
    for (int k = 0; k < 30; ++k)
        (void)fixture_step(&f, 1.0 / 60);
    CHECK(f.ctx->allocation_count == before);
    fixture_done(&f);
}

static pl_status attempt(pl_context *ctx)
{
    fixture f = {.ctx = ctx};
    pl_shape_def shape = pl_shape_def_default();
    pl_material_def material = pl_material_def_default();
    pl_solver_def solver = pl_solver_def_default();
    pl_body_def body = pl_body_def_default();
    pl_step_def step = pl_step_def_default();
    shape.edge = 0.17; // enough nodes for multigrid
    solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &f.mesh);
    if (status == PL_OK)
        status = pl_scene_create(ctx, &f.scene);
    if (status == PL_OK)
        status = pl_scene_set_solver(f.scene, &solver);
    if (status == PL_OK)
        status = pl_scene_add_material(f.scene, "stuff", &material, &body.material);
    body.mesh = f.mesh;
    if (status == PL_OK)
        status = pl_scene_add_body(f.scene, "body", &body, &f.body);
    if (status == PL_OK)
        status = pl_world_create(f.scene, &f.world);
    if (status == PL_OK)
        status = pl_world_step(f.world, &step, NULL);
    pl_world_destroy(&f.world);
    pl_scene_destroy(&f.scene);
    pl_mesh_destroy(&f.mesh);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) > 50); }

// Steps of a sixtieth of a second if nothing else is said; rounding adds none: 0.1 + 0.2 s are more than 18 of them.
static void steps_are_a_sixtieth_of_a_second(void)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.5;
    def.solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    fixture f = fixture_make(&def);
    CHECK(fixture_step(&f, 1.0 / 60).substeps == 1);
    CHECK(fixture_step(&f, 1.01 / 60).substeps == 2);
    CHECK(fixture_step(&f, 0.1 + 0.2).substeps == 18);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(forces_of_elements_sum_to_zero),
                                    TEST(momentum_is_kept),
                                    TEST(spin_is_kept),
                                    TEST(rotated_rest_shape_stays_at_rest),
                                    TEST(turned_bodies_are_at_rest),
                                    TEST(long_steps_lead_to_equilibrium),
                                    TEST(beam_swings_as_beams_do),
                                    TEST(only_linear_elasticity_grows),
                                    TEST(everything_stays_finite),
                                    TEST(energy_falls),
                                    TEST(large_bodies_are_solved_exactly),
                                    TEST(mass_damping_slows_everything),
                                    TEST(blocks_slide_and_hold),
                                    TEST(the_threshold_is_sharp),
                                    TEST(bodies_come_to_rest_on_objects),
                                    TEST(curved_objects_are_not_entered),
                                    TEST(resting_bodies_sleep),
                                    TEST(bodies_meet),
                                    TEST(soft_pins_are_springs),
                                    TEST(balloons_hold_their_gas),
                                    TEST(sheets_hang),
                                    TEST(combinations_that_make_no_sense_are_refused),
                                    TEST(steps_after_the_first_allocate_nothing),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(steps_are_a_sixtieth_of_a_second)};
    return RUN(tests);
}
