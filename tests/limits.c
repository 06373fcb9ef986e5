// tests/limits.c -- limits in worlds: cloth that hangs and flies, both steps, objects, contradicting pins, live
// numbers.
#include "element/triangle.h"
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool two_corners(const double X[3]) { return X[2] > 0.4999 && fabs(X[0]) > 0.4999; }
static bool right_side(const double X[3]) { return X[0] > 0.4999; }
static bool left_side(const double X[3]) { return X[0] < -0.4999; }

// Soft cloth of 5 % at most, in the plane y = 0.
static fixture_def soft_cloth(bool euler)
{
    fixture_def def = fixture_default();
    def.shape.kind = PL_SHAPE_SHEET;
    def.shape.elements = PL_ELEMENT_TRIANGLE;
    def.shape.extent[0] = def.shape.extent[1] = def.shape.extent[2] = 1;
    def.shape.edge = 1.0 / 16;
    def.body.kind = PL_BODY_SHELL;
    def.body.thickness = 1e-3;
    def.material.kind = PL_MATERIAL_STVK;
    def.material.young = 2e4;
    def.material.poisson = 0.3;
    def.material.density = 300;
    def.material.damping = 5e-3;
    def.material.stretch_limit = 1.05;
    def.gravity[1] = -9.81;
    def.solver.integrator = euler ? PL_INTEGRATOR_IMPLICIT_EULER : PL_INTEGRATOR_SEMI_IMPLICIT;
    return def;
}

static void hold_corners(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, two_corners);
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// The greatest stretches of all triangles, in increasing order; caller frees.
static double *stretches(const fixture *f, int32_t *count)
{
    const pl__body *body = f->world->bodies.body[0];
    const double *x = f->world->solids.state.x;
    for (int32_t g = 0; g < body->group_count; ++g)
        if (body->group[g].kind == PL__TRIANGLE)
        {
            const pl__element_group *group = &body->group[g];
            double *s = malloc((size_t)group->count * sizeof *s);
            *count = group->count;
            for (int32_t e = 0; e < group->count; ++e)
            {
                pl__element_state state[PL_ELEMENT_LANES];
                pl__triangle_block_state(group, e / PL_ELEMENT_LANES, x, 1, 0, state);
                s[e] = state[e % PL_ELEMENT_LANES].stretch;
            }
            qsort(s, (size_t)*count, sizeof *s, compare);
            return s;
        }
    return NULL;
}

static double energy(const pl_step_info *i) { return i->kinetic + i->elastic + i->gravity; }

// Cloth that swings down from two corners: stretches stay within .3 % of the limit, all but one of a thousand; without
// limits it is stretched by half. Energy never rises by more than what rounding and the positions moved back make of
// it.
static void hanging_cloth_obeys(void)
{
    for (int euler = 0; euler < 2; ++euler)
    {
        fixture_def def = soft_cloth(euler);
        def.prepare = hold_corners;
        def.solver.limit_cycles = 16;
        fixture f = fixture_make(&def);
        double worst = 0, most = 0, rise = 0, last = INFINITY, fall = 0;
        for (int frame = 0; frame < 60; ++frame)
        {
            pl_step_info info = fixture_step(&f, 1.0 / 60);
            int32_t count;
            double *s = stretches(&f, &count);
            worst = fmax(worst, s[(int32_t)(0.999 * count)]);
            most = fmax(most, s[count - 1]);
            free(s);
            rise = fmax(rise, energy(&info) - last);
            last = energy(&info);
            fall = fmax(fall, -info.gravity);
        }
        CHECK_THAT(worst < 1.053 && most < 1.09, "euler %d: 99.9 %% below %g, largest %g", euler, worst, most);
        CHECK_THAT(rise < 0.01 * fall, "euler %d: energy rises by %g of %g J", euler, rise, fall);
        fixture_done(&f);
    }
}

// A free sheet that flies and tumbles keeps its momentum to round-off, and its energy does not grow.
static void flying_cloth_keeps_momentum(void)
{
    for (int euler = 0; euler < 2; ++euler)
    {
        fixture_def def = soft_cloth(euler);
        def.material.stretch_limit = 1.01;
        def.gravity[1] = 0;
        def.body.spin[1] = 500;
        def.body.velocity[0] = 1;
        fixture f = fixture_make(&def);
        pl_step_info first = fixture_step(&f, 1.0 / 120), now = first;
        for (int frame = 0; frame < 30; ++frame)
            now = fixture_step(&f, 1.0 / 120);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(now.momentum[k], first.momentum[k], euler ? 1e-6 : 1e-11);
        CHECK_THAT(now.max_stretch < 1.02 && energy(&now) <= energy(&first) * 1.01, "euler %d: stretch %g, %g of %g J",
                   euler, now.max_stretch, energy(&now), energy(&first));
        CHECK(now.limit_sweeps > 0);
        fixture_done(&f);
    }
}

static void hold_sides(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, left_side);
    pin.move[0] = 0.3;
    fixture_pin(f, &pin, right_side);
}

// Pins that ask for 30 % of cloth that gives 5: what is too much is spread evenly, and reported.
static void contradicting_pins_spread_evenly(void)
{
    for (int euler = 0; euler < 2; ++euler)
    {
        fixture_def def = soft_cloth(euler);
        def.prepare = hold_sides;
        def.gravity[1] = 0;
        def.material.poisson = 0;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        for (int frame = 0; frame < 60; ++frame)
            info = fixture_step(&f, 1.0 / 60);
        int32_t count;
        double *s = stretches(&f, &count);
        CHECK_THAT(fabs(info.limit_excess - 0.25) < 0.01 && info.limit_excess_max < 0.33 && s[0] > 1.13,
                   "euler %d: excess %g, at most %g; stretches %g to %g", euler, info.limit_excess,
                   info.limit_excess_max, s[0], s[count - 1]);
        free(s);
        fixture_done(&f);
    }
}

// Limits are live: what was loose becomes tight, without a jump in speed; what was none is obeyed from then on.
static void limits_are_live(void)
{
    for (int from = 0; from < 2; ++from)
    {
        fixture_def def = soft_cloth(false);
        def.prepare = hold_corners;
        def.material.stretch_limit = from ? 1.3 : 0;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        for (int frame = 0; frame < 40; ++frame)
            info = fixture_step(&f, 1.0 / 60);
        CHECK_THAT(info.max_stretch > 1.2, "%g", info.max_stretch);
        double speed = info.kinetic;
        MUST(pl_world_set(f.world, pl_world_find_param(f.world, "materials.stuff.stretch_limit"), 1.05));
        for (int frame = 0; frame < 10; ++frame)
            info = fixture_step(&f, 1.0 / 60);
        CHECK_THAT(info.max_stretch < 1.1 && info.kinetic < 2 * speed + 0.05, "stretch %g, %g of %g J",
                   info.max_stretch, info.kinetic, speed);
        fixture_done(&f);
    }
}

// Cloth that falls on a ball: no node is inside, and limits are obeyed.
static void limits_obey_objects(void)
{
    for (int euler = 0; euler < 2; ++euler)
    {
        fixture_def def = soft_cloth(euler);
        pl_object_def ball = pl_object_def_default();
        ball.kind = PL_OBJECT_SPHERE;
        ball.radius = 0.25;
        ball.at[1] = -0.26;
        def.object = &ball;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        double deepest = 0, worst = 0;
        for (int frame = 0; frame < 40; ++frame)
        {
            info = fixture_step(&f, 1.0 / 60);
            deepest = fmax(deepest, info.penetration);
            worst = fmax(worst, info.max_stretch);
        }
        CHECK_THAT(deepest < 1e-5 && worst < 1.1 && info.contacts > 10, "euler %d: %g m deep, stretch %g, %d contacts",
                   euler, deepest, worst, info.contacts);
        fixture_done(&f);
    }
}

// Cloth that falls over a small ball, folds and meets itself never crosses itself, however seldom collisions are looked
// for: collision has the last word. It is not stretched much beyond its limit for that.
static void nothing_crosses(void)
{
    static const double interval[] = {1.0 / 24, 1.0 / 60, 1.0 / 240};
    for (int k = 0; k < 3; ++k)
        for (int euler = 0; euler < 2; ++euler)
        {
            if (!slow_tests && euler != k % 2)
                continue;
            fixture_def def = soft_cloth(euler);
            pl_object_def ball = pl_object_def_default();
            ball.kind = PL_OBJECT_SPHERE;
            ball.radius = 0.12;
            ball.at[1] = -0.13;
            ball.at[0] = 0.05;
            def.object = &ball;
            def.shape.edge = slow_tests ? 1.0 / 24 : 0.1;
            def.body.collides = def.body.self_collision = 1;
            def.material.compress_limit = 0.8;
            def.solver.collision_interval = interval[k];
            fixture f = fixture_make(&def);
            int64_t crossings = 0, now;
            double stretch = 0;
            for (int frame = 0; frame < (slow_tests ? 48 : 20); ++frame)
            {
                pl_step_info info = fixture_step(&f, 1.0 / 24);
                MUST(pl_world_count_crossings(f.world, &now));
                crossings += now;
                stretch = fmax(stretch, info.max_stretch);
            }
            CHECK_THAT(crossings == 0 && stretch < 1.15, "interval %g, euler %d: %lld crossings, stretch %g",
                       interval[k], euler, (long long)crossings, stretch);
            fixture_done(&f);
        }
}

// A limit below the strain at which it breaks does not keep cloth from tearing where pins pull it beyond: what they
// take from it is stress again.
static void limited_cloth_tears(void)
{
    fixture_def def = soft_cloth(false);
    def.prepare = hold_sides;
    def.gravity[1] = 0;
    def.shape.edge = 0.1;
    def.material.fracture_stress = 3e3; // at 15 % of 20 kPa; the limit is at 5 %, the pins want 30 %
    fixture f = fixture_make(&def);
    int32_t torn = 0;
    pl_step_info info = {0};
    for (int frame = 0; frame < 30; ++frame)
    {
        info = fixture_step(&f, 1.0 / 60);
        torn += info.torn;
    }
    CHECK_THAT(torn > 0 && info.max_stretch < 2, "%d nodes came apart, stretch %g", torn, info.max_stretch);
    fixture_done(&f);
}

// A closed shell under pressure swells until its limit: a ball of 5 % has 1.05^3 of its volume at most.
static void a_balloon_stops(void)
{
    fixture_def def = soft_cloth(false);
    def.shape.kind = PL_SHAPE_SPHERE;
    def.shape.radius = 0.3;
    def.shape.edge = 0.08;
    def.gravity[1] = 0;
    def.body.pressure = 200; // without limits a sheet of 20 kPa and 1 mm would go to 2.5 times its size and burst
    fixture f = fixture_make(&def);
    pl_step_info info = {0};
    for (int frame = 0; frame < 30; ++frame)
        info = fixture_step(&f, 1.0 / 60);
    double radius = 0;
    for (int32_t n = 0; n < f.world->solids.node_count; ++n)
    {
        const double *x = &f.world->solids.state.x[3 * n];
        radius = fmax(radius, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
    CHECK_THAT(radius > 0.3 * 1.04 && radius < 0.3 * 1.06 && info.limit_excess_max < 0.02, "radius %g, excess %g",
               radius, info.limit_excess_max);
    fixture_done(&f);
}

static bool all_nodes_below(const double X[3]) { return X[1] < -0.2499; }
static void hold_base(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, all_nodes_below);
}

// Jelly under fifty times its weight: limits hold it up, of tetrahedra and hexahedra.
static void solids_obey(void)
{
    for (int hex = 0; hex < 2; ++hex)
    {
        fixture_def def = fixture_default();
        def.shape.extent[0] = def.shape.extent[1] = def.shape.extent[2] = 0.5;
        def.shape.edge = 0.1;
        def.shape.elements = hex ? PL_ELEMENT_HEX : PL_ELEMENT_TET;
        def.material.young = 2e4;
        def.material.compress_limit = 0.9;
        def.material.stretch_limit = 1.1;
        def.gravity[1] = -100;
        def.prepare = hold_base;
        def.solver.limit_cycles = 16;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        for (int frame = 0; frame < 20; ++frame)
            info = fixture_step(&f, 1.0 / 60);
        CHECK_THAT(info.limit_excess_max < 0.02 && info.inverted == 0 && info.limit_cycles > 0,
                   "hex %d: excess %g, at most %g", hex, info.limit_excess, info.limit_excess_max);
        fixture_done(&f);
    }
}

// A strip of cloth, clamped at one end. A cell bends by its limit of curvature k at the edge across the strip, and by
// half of that at its diagonal, which is as much shorter across and at 45 degrees: the end of a free length l is at
// most (1 - cos 1.5 k l)/1.5 k below, what is left beyond the limit added to k. Without limit it hangs straight down.
static bool clamped(const double X[3]) { return X[0] < -0.25 + 1.01 / 16; }
static void hold_end(const fixture *f)
{
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(f, &pin, clamped);
}

static void bends_obey(void)
{
    double low[2] = {0}, beyond = 0;
    for (int k = 0; k < 2; ++k)
    {
        fixture_def def = soft_cloth(true);
        def.shape.extent[0] = 0.5;
        def.shape.extent[2] = 0.2;
        def.material.bend_limit = k ? 2 : 0;
        def.prepare = hold_end;
        def.solver.limit_sweeps = 64;
        def.solver.limit_cycles = 32;
        fixture f = fixture_make(&def);
        pl_step_info info = {0};
        for (int frame = 0; frame < 60; ++frame)
            info = fixture_step(&f, 1.0 / 60);
        for (int32_t n = 0; n < f.world->solids.node_count; ++n)
            low[k] = fmin(low[k], f.world->solids.state.x[3 * n + 1]);
        beyond = info.bend_excess_max;
        fixture_done(&f);
    }
    double k = 1.5 * 2 + beyond,
           arc = 1.05 * (1 - cos(k * (0.4375 + 0.5 / 16))) / k; // the clamp's edge bends, too, and it stretches
    CHECK_THAT(beyond < 0.4 && low[0] < -0.4 && low[1] < -0.5 * arc && low[1] > -arc,
               "%g without, %g with, %g of an arc; %g 1/m beyond", low[0], low[1], -arc, beyond);
}

// The same bits for any number of threads, and after a restart in the middle.
static void same_bits(void)
{
    double *first = NULL;
    for (int k = 0; k < 3; ++k)
    {
        fixture_def def = soft_cloth(false);
        def.prepare = hold_corners;
        def.threads = k == 1 ? 3 : 1;
        fixture f = fixture_make(&def);
        for (int frame = 0; frame < 12; ++frame)
        {
            (void)fixture_step(&f, 1.0 / 60);
            if (k == 2 && frame == 5)
            {
                size_t size = pl_world_save_size(f.world);
                void *bytes = malloc(size);
                MUST(pl_world_save(f.world, bytes, size));
                pl_world_destroy(&f.world);
                MUST(pl_world_create(f.scene, &f.world));
                MUST(pl_world_load(f.world, bytes, size));
                free(bytes);
            }
        }
        size_t size = 3 * (size_t)f.world->solids.node_count * sizeof(double);
        if (!first)
            memcpy(first = malloc(size), f.world->solids.state.x, size);
        CHECK_THAT(memcmp(first, f.world->solids.state.x, size) == 0, "case %d", k);
        fixture_done(&f);
    }
    free(first);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(hanging_cloth_obeys),
                                    TEST(flying_cloth_keeps_momentum),
                                    TEST(contradicting_pins_spread_evenly),
                                    TEST(limits_are_live),
                                    TEST(limits_obey_objects),
                                    TEST(nothing_crosses),
                                    TEST(limited_cloth_tears),
                                    TEST(a_balloon_stops),
                                    TEST(solids_obey),
                                    TEST(bends_obey),
                                    TEST(same_bits)};
    return RUN(tests);
}
