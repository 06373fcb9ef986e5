// tests/liquid_objects.c -- objects in a liquid: forces on them, things that bend, and vessels that do not leak.
#include "base/hash.h"
#include "fluid/liquid.h"
#include "fluid/numbers.h"
#include "host.h"
#include "math/quat.h"
#include "world/world.h"
#include <pliant/pliant.h>
#include <stdarg.h>
#include <stdlib.h>

static const double g = 9.81;

static pl_world *world_of(pl_context *ctx, const char *format, ...)
{
    char text[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    if (pl_scene_parse(ctx, "scene", text, strlen(text), &scene) != PL_OK || pl_world_create(scene, &world) != PL_OK)
    {
        printf("%s\n", pl_context_error(ctx));
        abort();
    }
    pl_scene_destroy(&scene);
    return world;
}

static void play(pl_context *ctx, pl_world *world, double dt)
{
    pl_step_def step = pl_step_def_default();
    step.dt = dt;
    CHECK_OK(ctx, pl_world_step(world, &step, NULL));
}

static pl_liquid_force force_on(pl_context *ctx, pl_world *world, const char *name)
{
    pl_liquid_force f = {{0}, {0}, 0};
    pl_object_id id = {0};
    if (name)
        id = pl_world_find_object(world, name);
    CHECK_OK(ctx, pl_world_liquid_force(world, id, &f));
    return f;
}

// ---- forces ----------------------------------------------------------------------------------------------------

// A ball under water feels the weight of what it displaces, and converges to that; with tall cells, too.
static void balls_have_their_buoyancy(void)
{
    static const int cells[] = {12, 24};
    const double radius = 0.23, exact = 1000 * g * 4. / 3 * 3.14159265358979 * radius * radius * radius;
    pl_context *ctx = test_context(1);
    for (int tall = 0; tall < 2; ++tall)
    {
        double error[2];
        for (int k = 0; k < 2; ++k)
        {
            pl_world *world =
                world_of(ctx,
                         "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": %.17g%s}, \"liquids\": {\"w\": "
                         "{\"level\": 0.83}}, "
                         "\"objects\": {\"ball\": {\"shape\": {\"sphere\": %g}, \"at\": [0.507, 0.413, 0.489]}}}",
                         1.0 / cells[k], tall ? ", \"depth\": 0.15" : "", radius);
            play(ctx, world, 0.02);
            pl_liquid_force f = force_on(ctx, world, "ball");
            error[k] = f.force[1] / exact - 1;
            CHECK_NEAR(f.force[0] / exact, 0, 0.005);
            CHECK_NEAR(f.force[2] / exact, 0, 0.005);
            CHECK_NEAR(pl_length3((pl_vec3){{f.torque[0], f.torque[1], f.torque[2]}}) / (exact * radius), 0, 0.01);
            CHECK_NEAR(f.area / (4 * 3.14159265358979 * radius * radius), 1, 0.1);
            pl_world_destroy(&world);
        }
        CHECK_THAT(fabs(error[1]) < 0.01 && fabs(error[1]) < 0.6 * fabs(error[0]) + 1e-3, "%g %g", error[0], error[1]);
    }
    pl_context_destroy(&ctx);
}

// A box that floats, wherever it cuts the cells: rho g times what of it is under water. And water at rest weighs on
// walls and objects by all its weight.
static void floating_boxes_displace_their_part(void)
{
    static const double bottom[] = {0.4, 0.42, 0.435};
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 6; ++k)
    {
        pl_world *world =
            world_of(ctx,
                     "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.05%s}, \"liquids\": {\"w\": "
                     "{\"level\": 0.68}}, "
                     "\"objects\": {\"box\": {\"shape\": {\"box\": [0.43, 0.5, 0.39]}, \"at\": [0.507, %g, 0.489]}}}",
                     k < 3 ? "" : ", \"depth\": 0.1", bottom[k % 3] + 0.25);
        play(ctx, world, 0.02);
        double exact = 1000 * g * 0.43 * 0.39 * (0.68 - bottom[k % 3]);
        pl_liquid_force f = force_on(ctx, world, "box"), walls = force_on(ctx, world, NULL);
        CHECK_NEAR(f.force[1] / exact, 1, 0.02); // edges of 8 cells are rounded
        double weight = 1000 * g * (0.68 - 0.43 * 0.39 * (0.68 - bottom[k % 3]));
        CHECK_NEAR((f.force[1] + walls.force[1]) / -weight, 1, 2e-3);
        pl_world_destroy(&world);
    }
    pl_context_destroy(&ctx);
}

// All momentum that gravity gives and the liquid does not have is that of forces on walls and objects: by pressure,
// and by the stress of viscous and elastic liquids.
static void check_momentum(const char *kind, int steps)
{
    pl_context *ctx = test_context(1);
    pl_world *world = world_of(ctx,
                               "{\"domain\": {\"box\": [[0, 0, 0], [1, 0.6, 0.1]], \"size\": 0.025}, "
                               "\"liquids\": {\"w\": {\"shape\": {\"box\": [0.8, 0.8, 1]}, \"at\": [0, 0, 0]%s}}, "
                               "\"objects\": {\"ball\": {\"shape\": {\"cylinder\": {\"radius\": 0.08, \"height\": "
                               "1}}, \"rotate\": [90, 0, 0], \"at\": [0.6, 0.15, 0.05]}}}",
                               kind);
    pl_step_info first, last;
    play(ctx, world, 0.002);
    CHECK_OK(ctx, pl_world_report(world, &first));
    double impulse[3] = {0}, dt = 0.002;
    for (int n = 0; n < steps; ++n)
    {
        play(ctx, world, dt);
        pl_liquid_force ball = force_on(ctx, world, "ball"), walls = force_on(ctx, world, NULL);
        for (int i = 0; i < 3; ++i)
            impulse[i] += dt * (ball.force[i] + walls.force[i]);
    }
    CHECK_OK(ctx, pl_world_report(world, &last));
    double size = last.mass * g * steps * dt;
    double x = (last.momentum[0] - first.momentum[0] + impulse[0]) / size,
           y = (last.momentum[1] - first.momentum[1] + impulse[1]) / size + 1;
    CHECK_THAT(fabs(x) < 0.03 && fabs(y) < 0.03, "%s: of the momentum is missing %g, %g", kind, x, y);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

static void forces_balance_momentum(void) { check_momentum("", 60); }
static void drag_balances_momentum(void)
{
    check_momentum(", \"viscosity\": 20", 15);
    check_momentum(", \"viscosity\": 2, \"elasticity\": 3000", 15);
}

// ---- separation ------------------------------------------------------------------------------------------------

static pl__liquid_sums sums_of(const pl__liquid *l)
{
    pl__liquid_sums sums;
    CHECK_OK(l->ctx, pl__liquid_sum((pl__liquid *)l, &sums));
    for (int i = 0; i < 3; ++i)
        sums.center[i] /= sums.mass;
    return sums;
}

static double rise_of(const pl__liquid *l)
{
    pl__liquid_sums sums = sums_of(l);
    return sums.momentum[1] / sums.mass;
}

// Water that fills the upper part of a box falls off its ceiling as it would without one; under a lid that is pulled up
// faster than it falls, it falls freely, too. Thrown against a ceiling, it stops there and falls off.
static void water_leaves_ceilings(void)
{
    static const char *const text[] = {
        "'domain': {'box': [[0, 0, 0], [0.6, 1, 0.05]], 'size': 0.05},"
        "'liquids': {'water': {'shape': {'box': [1, 0.6, 1]}, 'at': [0.3, 1, 0]}}",
        "'domain': {'box': [[0, 0, 0], [0.6, 2, 0.05]], 'size': 0.05},"
        "'liquids': {'water': {'shape': {'box': [1, 0.3, 1]}, 'at': [0.3, 0.612, 0]}},"
        "'objects': {'lid': {'shape': {'box': [3, 0.15, 3]},"
        " 'at': {'keys': [[0, [0, 0.8375, 0]], [0.1, [0, 0.925, 0]], [0.2, [0, 1.225, 0]], [0.3, [0, 1.725, 0]]]}}}",
        "'domain': {'box': [[0, 0, 0], [0.6, 1, 0.05]], 'size': 0.05},"
        "'liquids': {'water': {'shape': {'box': [1, 0.3, 1]}, 'at': [0.3, 0.75, 0], 'velocity': [0, 2, 0]}}"};
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 3; ++k)
    {
        char scene[2000];
        snprintf(scene, sizeof scene, "{'frames': 9, %s}", text[k]);
        for (char *c = scene; *c; ++c)
            *c = *c == '\'' ? '"' : *c;
        pl_world *world = world_of(ctx, "%s", scene);
        const pl__liquid *l = world->liquids.liquid;
        const double dt = 0.02, h = l->def.h;
        pl__liquid_sums first = sums_of(l), last = first;
        for (int n = 1; n <= 10; ++n)
        {
            double before = rise_of(l), t = n * dt;
            play(ctx, world, dt);
            last = sums_of(l);
            double owed = pl__numbers_sum(ctx, l->state.residual, l->state.grid.cell.value_count) * h * h * h;
            double leak = (last.volume + last.spray + owed) / l->start_volume - 1, fall = rise_of(l) - before;
            CHECK_THAT(fabs(leak) < 1e-9, "%g of the volume is not accounted for", leak);
            CHECK_THAT(fabs(owed / l->start_volume) < (k < 2 ? 0.0125 : 0.05), "scene %d, step %d: owed %g", k, n,
                       owed / l->start_volume);
            if (k < 2 || n > 7)
                CHECK_NEAR(fall, -dt * g, (k < 2 ? 1e-6 : 1e-2) * dt * g);
            // velocity moves the water a step later
            double rise = (last.center[1] - first.center[1]) + 0.5 * g * t * (t - 0.5 * dt);
            if (k < 2)
                CHECK_NEAR(rise, 0, 0.05 * h + 0.25 * g * t * dt);
        }
        double energy = 0.5 * 2 * 2; // of a kilogram that is thrown
        CHECK(k < 2 || last.kinetic / last.mass + g * (last.center[1] - first.center[1]) < energy);
        pl_world_destroy(&world);
    }
    pl_context_destroy(&ctx);
}

// Water at rest presses on all its walls: its pressure is found by one solve, as if it could not leave them.
static void still_water_stays_at_walls(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world =
        world_of(ctx, "{\"domain\": {\"box\": [[0, 0, 0], [0.6, 0.6, 0.4]], \"size\": 0.05},"
                      "\"liquids\": {\"water\": {\"level\": 0.312}},"
                      "\"objects\": {\"ball\": {\"shape\": {\"sphere\": 0.11}, \"at\": [0.31, 0.29, 0.2]},"
                      "\"slope\": {\"shape\": {\"plane\": [0.3, 1, 0.1]}}}}");
    for (int n = 0; n < 10; ++n)
    {
        play(ctx, world, 0.02);
        const pl__liquid *l = world->liquids.liquid;
        CHECK_THAT(l->info.pressure.passes == 1, "%d solves", l->info.pressure.passes);
    }
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// Liquid without air cannot leave walls: a full box that is accelerated holds its water together, and what sticks
// stays.
static void full_boxes_and_sticky_liquids_stay(void)
{
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 2; ++k)
    {
        pl_world *world =
            world_of(ctx,
                     "{\"frames\": 9, \"gravity\": [3, -9.81, 0],"
                     "\"domain\": {\"box\": [[0, 0, 0], [0.6, 0.6, 0.05]], \"size\": 0.05},"
                     "\"liquids\": {\"water\": {\"shape\": {\"box\": [2, %s, 2]}, \"at\": [0, 0.6, 0]%s}}}",
                     k ? "0.4" : "2", k ? ", \"viscosity\": 1000" : "");
        for (int n = 0; n < 5; ++n)
            play(ctx, world, 0.02);
        CHECK_NEAR(rise_of(world->liquids.liquid), 0, k ? 0.01 : 1e-6);
        pl_world_destroy(&world);
    }
    pl_context_destroy(&ctx);
}

// ---- leaks -----------------------------------------------------------------------------------------------------

// What is where it must not be: liquid with what is owed [m^3], markers of liquid, drops.
typedef struct leak
{
    double volume;
    int markers, drops;
} leak;

// Whether a point in the frame of a vessel is on the wrong side of its walls.
typedef bool wrong_side(const double p[3]);

static bool is_wrong(const pl__object *o, wrong_side *wrong, const double x[3])
{
    pl_vec3 p = pl_quat_turn(pl_quat_conjugate(o->turned), pl_make3(x[0] - o->at[0], x[1] - o->at[1], x[2] - o->at[2]));
    return wrong(p.v);
}

static void find_leaks(const pl_world *world, wrong_side *wrong, leak *worst)
{
    const pl__liquid_state *s = &world->liquids.liquid->state;
    const pl__object *o = &world->liquids.object[0];
    const pl__columns *c = &s->grid.cell;
    leak now = {0};
    double x[3];
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = c->run[r].first; n < c->run[r].first + pl__run_numbers(&c->run[r]); ++n)
            {
                pl__grid_point(c, column % c->nx, c->run[r].j0 + n - c->run[r].first, column / c->nx, x);
                if (is_wrong(o, wrong, x))
                    now.volume += fabs(s->part[n] * s->open[n]) + fabs(s->residual[n]);
            }
    now.volume *= c->h * c->h * c->h;
    for (int32_t n = 0; n < s->particles.count; ++n)
        now.markers +=
            s->particles.sign[n] < 0 &&
            is_wrong(o, wrong, (double[3]){s->particles.x[0][n], s->particles.x[1][n], s->particles.x[2][n]});
    for (int32_t n = 0; n < s->spray.count; ++n)
        now.drops += is_wrong(o, wrong, s->spray.drop[n].x);
    worst->volume = fmax(worst->volume, now.volume);
    worst->markers = worst->markers > now.markers ? worst->markers : now.markers;
    worst->drops = worst->drops > now.drops ? worst->drops : now.drops;
}

// Cells that the walls cut belong to both sides: what is beyond half a cell from them is on one.
static const double size = 0.05;
static double cup_radius, cup_wall;

static bool outside_box(const double p[3])
{
    double far = cup_radius + cup_wall;
    return fabs(p[0]) > far || fabs(p[1]) > far || fabs(p[2]) > far;
}

static bool beside_cup(const double p[3]) { return p[1] < cup_radius && outside_box(p); }

static bool behind_plate(const double p[3]) { return p[0] > 0.5 * cup_wall; }

static double owed(const pl__liquid *l)
{
    double sum = l->state.loose;
    for (int32_t n = 0; n < l->state.grid.cell.value_count; ++n)
        sum += l->state.residual[n];
    return sum * l->def.h * l->def.h * l->def.h;
}

// Let the keys of a scene move a vessel for a time, and look all the while.
static void shake(pl_context *ctx, pl_world *world, double end, wrong_side *wrong, const char *what)
{
    const pl__liquid *l = world->liquids.liquid;
    leak worst = {0};
    double lost = 0;
    pl_step_info info;
    for (double time = 0; time < end - 1e-9; time += 1. / 48)
    {
        play(ctx, world, 1. / 48);
        find_leaks(world, wrong, &worst);
        CHECK_OK(ctx, pl_world_report(world, &info));
        lost = fmax(lost, fabs(info.liquid_drift + owed(l) / l->start_volume));
    }
    CHECK_THAT(worst.volume < 1e-6 * l->start_volume, "%s: %g of the volume is on the wrong side", what,
               worst.volume / l->start_volume);
    CHECK_THAT(worst.markers == 0 && worst.drops == 0, "%s: %d markers, %d drops are on the wrong side", what,
               worst.markers, worst.drops);
    CHECK_THAT(lost < 1e-9, "%s: %g of the volume is not accounted for", what, lost);
}

// clang-format off
static const char *const hollow =
    "{\"domain\": {\"box\": [[0, 0, 0], [0.8, 0.8, 0.8]], \"size\": %g},"
    "\"liquids\": {\"w\": {\"shape\": {\"box\": [%g, 0.2, %g]}, \"at\": [0.4, 0.31, 0.4]}},"
    "\"objects\": {\"vessel\": {\"shape\": {\"difference\": ["
    "    {\"shape\": {\"box\": [%g, %g, %g]}}, {\"shape\": {\"box\": [%g, %g, %g]}, \"at\": [0, %g, 0]}]},"
    "\"at\": {\"keys\": [[0, [0.4, 0.4, 0.4]], [0.3, [0.46, 0.42, 0.37]], [0.6, [0.36, 0.37, 0.42]]]},"
    "\"rotate\": {\"keys\": [[0, [0, 0, 0]], [0.5, [%g, 20, %g]]]}}}}";
// clang-format on

// A box of thin walls that is shaken and turned; open at the top: a cup.
static pl_world *vessel(pl_context *ctx, double wall, bool open, double turn)
{
    cup_radius = 0.2;
    cup_wall = wall * size;
    double outer = 2 * (cup_radius + cup_wall), inner = 2 * cup_radius, high = open ? 1 : inner;
    return world_of(ctx, hollow, size, inner, inner, outer, outer, outer, inner, high, inner, 0.5 * (high - inner),
                    0.1 * turn, turn);
}

// A closed box, half full, that is shaken and turned over.
static void closed_boxes_hold_water(void)
{
    static const double walls[] = {1. / 6, 0.05, 0.5, 1};
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 2 + 2 * slow_tests; ++k)
    {
        pl_world *world = vessel(ctx, walls[k], false, 100);
        shake(ctx, world, slow_tests ? 2 : 0.35, outside_box, "a closed box");
        pl_world_destroy(&world);
    }
    pl_context_destroy(&ctx);
}

// A cup with walls of a cell that is carried about and tilted a little: nothing gets through its walls and bottom.
static void cups_hold_water(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world = vessel(ctx, 1, true, 15);
    shake(ctx, world, slow_tests ? 0.4 : 0.2, beside_cup, "a cup"); // later it spills
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// A cup that is poured out loses no liquid on the way.
static void cups_pour(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world = vessel(ctx, 1, true, 150);
    const pl__liquid *l = world->liquids.liquid;
    pl_step_info info;
    double lost = 0;
    for (int n = 0; n < 20; ++n)
    {
        play(ctx, world, 1. / 24);
        CHECK_OK(ctx, pl_world_report(world, &info));
        lost = fmax(lost, fabs(info.liquid_drift + owed(l) / l->start_volume));
    }
    CHECK_THAT(lost < 1e-9, "%g of the volume is not accounted for", lost);
    CHECK_THAT(info.center[1] < 0.25, "the water is still at %g m", info.center[1]);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// A glass of water with a bottom of two cells is lifted off the floor and tilted: no volume jumps while walls go from
// cell to cell, and nothing is under it but what has run down.
static void glasses_are_lifted(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world = world_of(
        ctx, "{\"domain\": {\"box\": [[-0.3, 0, -0.3], [0.3, 0.9, 0.3]], \"size\": 0.05}, \"objects\": {"
             "\"floor\": {\"shape\": {\"plane\": [0, 1, 0]}}, \"glass\": {\"shape\": {\"difference\": ["
             "{\"shape\": {\"cylinder\": {\"radius\": 0.26, \"height\": 0.5}}},"
             "{\"shape\": {\"cylinder\": {\"radius\": 0.18, \"height\": 0.5}}, \"at\": [0, 0.1, 0]}]},"
             "\"at\": {\"keys\": [[0.1, [0, 0.25, 0]], [0.6, [0, 0.42, 0]]], \"ease\": \"smooth\"},"
             "\"rotate\": {\"keys\": [[0.4, [0, 0, 0]], [0.8, [0, 0, -25]]], \"ease\": \"smooth\"}}},"
             "\"liquids\": {\"w\": {\"shape\": {\"cylinder\": {\"radius\": 0.2, \"height\": 0.25}}, \"at\": [0, 0.215, "
             "0]}}}");
    const pl__liquid *l = world->liquids.liquid;
    double worst = 0, lost = 0;
    for (double time = 0; time < 0.8 - 1e-9; time += 1. / 48)
    {
        pl_step_info info;
        play(ctx, world, 1. / 48);
        CHECK_OK(ctx, pl_world_report(world, &info));
        worst = fmax(worst, fabs(info.liquid_drift));
        lost = fmax(lost, fabs(info.liquid_drift + owed(l) / l->start_volume));
    }
    CHECK_THAT(worst < 0.02, "volume drifts by %g", worst);
    CHECK_THAT(lost < 1e-9, "%g of the volume is not accounted for", lost);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// A plate across a tank that sweeps on by many cells in a frame: all water is driven before it.
static void fast_plates_sweep(void)
{
    static const double walls[] = {0.5, 0.16};
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 1 + slow_tests; ++k)
    {
        cup_wall = walls[k] * size;
        pl_world *world = world_of(
            ctx,
            "{\"domain\": {\"box\": [[0, 0, 0], [1.5, 1, 0.15]], \"size\": %g}, \"liquids\": {\"w\": {\"shape\": "
            "{\"box\": [2, 0.5, 1]}, \"at\": [-0.23, 0, 0]}}, \"objects\": {\"plate\": {\"shape\": {\"box\": [%g, 9, "
            "9]}, "
            "\"at\": {\"keys\": [[0, [0.8, 0, 0]], [0.1, [0.8, 0, 0]], [0.16, [0.55, 0, 0]], [0.3, [0.5, 0, 0]]], "
            "\"ease\": "
            "\"linear\"}}}}",
            size, cup_wall);
        shake(ctx, world, 0.4, behind_plate, "a fast plate");
        pl_world_destroy(&world);
    }
    pl_context_destroy(&ctx);
}

// ---- things that bend ------------------------------------------------------------------------------------------

// A box as triangles that fall and turn as a cache says, beside the same box as a shape: the liquid does the same to
// both. And a body of the scene as an object pushes the liquid.
static pl_surface *box_surface(pl_context *ctx, double half)
{
    double x[24];
    static const int32_t t[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    pl_surface *surface;
    for (int n = 0; n < 8; ++n)
        for (int i = 0; i < 3; ++i)
            x[3 * n + i] = n >> i & 1 ? half : -half;
    if (pl_surface_create(ctx, x, 8, t, 12, &surface) != PL_OK)
        abort();
    return surface;
}

static pl_world *world_with_box(pl_context *ctx, bool actor)
{
    enum
    {
        SAMPLES = 6
    };
    static const char text[] =
        "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 0.6]], \"size\": 0.05}, \"liquids\": {\"w\": {\"level\": 0.52}}}";
    pl_scene *scene;
    pl_world *world;
    pl_object_def def = pl_object_def_default();
    pl_surface *surface = box_surface(ctx, 0.12);
    double cache[SAMPLES][24];
    if (pl_scene_parse(ctx, "scene", text, sizeof text - 1, &scene) != PL_OK)
        abort();
    def.at[0] = 0.41, def.at[2] = 0.31, def.at[1] = actor ? 0 : 0.71;
    for (int s = 0; s < SAMPLES; ++s)
        for (int n = 0; n < 24; ++n)
            cache[s][n] = (n % 3 == 1 ? 0.71 - 0.05 * s : 0) + (n / 3 >> n % 3 & 1 ? 0.12 : -0.12);
    if (actor)
    {
        def.kind = PL_OBJECT_ACTOR;
        def.surface = surface;
        def.cache = &cache[0][0];
        def.cache_count = SAMPLES;
        def.cache_rate = 24;
    }
    else
    {
        def.kind = PL_OBJECT_BOX;
        def.extent[0] = def.extent[1] = def.extent[2] = 0.24;
        def.velocity[1] = -0.05 * 24;
    }
    if (pl_scene_add_object(scene, "box", &def, NULL) != PL_OK || pl_world_create(scene, &world) != PL_OK)
        abort();
    pl_surface_destroy(&surface);
    pl_scene_destroy(&scene);
    return world;
}

static void actors_push_as_shapes_do(void)
{
    pl_context *ctx = test_context(1);
    pl_step_info info[2];
    double force[2];
    for (int actor = 0; actor < 2; ++actor)
    {
        pl_world *world = world_with_box(ctx, actor);
        for (int n = 0; n < 2; ++n) // it has met the water; later their splashes differ
            play(ctx, world, 1. / 24);
        CHECK_OK(ctx, pl_world_report(world, &info[actor]));
        force[actor] = force_on(ctx, world, "box").force[1];
        pl_world_destroy(&world);
    }
    CHECK(force[0] > 10 && info[0].kinetic > 0.1);
    CHECK_NEAR(force[1] / force[0], 1, 0.02);
    CHECK_NEAR(info[1].kinetic / info[0].kinetic, 1, 0.02);
    CHECK_NEAR(info[1].center[1], info[0].center[1], 1e-3);
    pl_context_destroy(&ctx);
}

// A jelly that falls into the water, as an object for it, displaces it.
static void bodies_push_as_objects(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world = world_of(
        ctx, "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.1}, \"liquids\": {\"w\": {\"level\": 0.5}}, "
             "\"bodies\": {\"jelly\": {\"shape\": {\"box\": [0.4, 0.4, 0.4]}, \"size\": 0.4, \"at\": [0.5, 0.75, 0.5], "
             "\"velocity\": [0, -2, 0]}}, \"objects\": {\"push\": {\"body\": \"jelly\"}}}");
    for (int n = 0; n < 2; ++n)
        play(ctx, world, 1. / 24);
    pl_step_info info;
    CHECK_OK(ctx, pl_world_report(world, &info));
    pl_liquid_force f = force_on(ctx, world, "push");
    CHECK_THAT(f.force[1] > 100 && f.area > 0.16 && info.liquid_speed > 0.3, "force %g, area %g, speed %g", f.force[1],
               f.area, info.liquid_speed);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// Everything that solids know moves and turns in water: its volume is accounted for, and nothing runs away.
static void every_shape_moves_and_turns(void)
{
    // clang-format off
    static const char *const shapes[] = {
        "{\"plane\": [0.2, 1, 0.1]}", "{\"sphere\": 0.2}", "{\"wedge\": 60}", "{\"box\": [0.3, 0.2, 0.4]}", "{\"ellipsoid\": [0.3, 0.2, 0.4]}",
        "{\"capsule\": {\"radius\": 0.1, \"height\": 0.4}}", "{\"cylinder\": {\"radius\": 0.15, \"height\": 0.3}}",
        "{\"cone\": {\"radius\": 0.2, \"height\": 0.4}}", "{\"torus\": {\"radius\": 0.2, \"tube\": 0.08}}",
        "{\"gear\": {\"teeth\": 8, \"module\": 0.05}}", "{\"stairs\": {\"steps\": 3, \"rise\": 0.1, \"run\": 0.1, \"width\": 0.5}}",
        "{\"height_field\": {\"heights\": [[0, 0.1, 0], [0.2, 0, 0.1], [0, 0.1, 0.2]], \"extent\": [1.5, 1.5]}}",
        "{\"union\": [{\"shape\": {\"sphere\": 0.15}}, {\"shape\": {\"box\": [0.5, 0.06, 0.1]}}]}",
        "{\"difference\": [{\"shape\": {\"sphere\": 0.2}}, {\"shape\": {\"box\": [0.1, 1, 0.1]}}]}"};
    // clang-format on
    pl_context *ctx = test_context(1);
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k)
    {
        bool ground = k == 0 || k == 2 || k == 11;
        pl_world *world = world_of(
            ctx,
            "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.1}, \"liquids\": {\"w\": {\"level\": 0.6}}, "
            "\"objects\": {\"o\": {\"shape\": %s, \"at\": [0.5, %g, 0.5], \"velocity\": [0.3, 0.2, 0], \"spin\": [20, "
            "90, 40]}}}",
            shapes[k], ground ? 0.1 : 0.45);
        const pl__liquid *l = world->liquids.liquid;
        pl_step_info info;
        for (int n = 0; n < 3; ++n)
            play(ctx, world, 1. / 24);
        CHECK_OK(ctx, pl_world_report(world, &info));
        CHECK_THAT(info.liquid_speed < (ground ? 50 : 10) && fabs(info.liquid_drift + owed(l) / l->start_volume) < 1e-9,
                   "%s: speed %g, %g of the volume is missing", shapes[k], info.liquid_speed,
                   info.liquid_drift + owed(l) / l->start_volume);
        CHECK(force_on(ctx, world, "o").area > 0);
        pl_world_destroy(&world);
    }
    pl_context_destroy(&ctx);
}

// ---- domains that grow -----------------------------------------------------------------------------------------

static const char growing[] =
    "{\"domain\": {\"box\": [[-0.2, -0.1, -0.2], [0.2, 0.4, 0.2]], \"size\": 0.05, \"grow\": [\"-x\", \"+x\", \"-y\", "
    "\"+y\", \"-z\", \"+z\"], \"most_cells\": %g}, \"objects\": {\"floor\": {\"shape\": {\"plane\": [0.3, 1, 0]}}}, "
    "\"liquids\": {\"w\": {\"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"at\": [0, 0.2, 0]}, \"s\": {\"kind\": \"source\", "
    "\"shape\": {\"sphere\": 0.1}, \"at\": [0, 0.3, 0], \"velocity\": [0, 0, 0.5], \"rate\": 0.01, \"end\": 0.2}}}";

// A larger box has the same numbers at the same places.
static void growing_changes_no_number(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world = world_of(ctx, growing, 1e6);
    for (int n = 0; n < 2; ++n)
        play(ctx, world, 1. / 24);
    pl__liquid *l = world->liquids.liquid;
    int32_t count = l->state.grid.cell.value_count, before[3];
    double *phi = malloc((size_t)count * sizeof(double)), lower[3];
    memcpy(phi, l->state.phi, (size_t)count * sizeof(double));
    memcpy(before, l->def.cells, sizeof before);
    memcpy(lower, l->state.grid.cell.origin, sizeof lower);
    l->state.spray.drop[0] = (pl__drop){.x = {lower[0], lower[1], lower[2]}}; // in the corner
    l->state.spray.count = 1;
    CHECK_OK(ctx, pl__liquid_grow(l));
    for (int a = 0; a < 3; ++a)
    {
        CHECK(l->def.cells[a] >= before[a] + 16);
        CHECK_NEAR(l->state.grid.cell.origin[a] + l->below[a] * 0.05, a == 1 ? -0.075 : -0.175, 1e-12);
    }
    CHECK(l->state.grid.cell.value_count == count && memcmp(phi, l->state.phi, (size_t)count * sizeof(double)) == 0);
    CHECK(pl__columns_is_valid(&l->state.grid.cell));
    free(phi);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// Water that runs down a slope takes its box along, with the same bits for 1 and 7 threads, all widths of registers and
// after a restart; and stays in it when it may not grow.
static void boxes_follow_their_water(void)
{
    static const char *const widths[] = {"64", "0", "16", "32"};
    pl_step_info info;
    void *expected = NULL, *middle = NULL;
    size_t bytes = 0, middle_size = 0;
    for (int k = 0; k < 3 + slow_tests; ++k)
    {
        setenv("PLIANT_SIMD", widths[k], 1);
        pl_context *ctx = test_context(k == 1 ? 7 : 1);
        unsetenv("PLIANT_SIMD");
        pl_world *world = world_of(ctx, growing, 1e6);
        if (k >= 2)
            CHECK_OK(ctx, pl_world_load(world, middle, middle_size));
        for (int n = k >= 2 ? 3 : 0; n < 6; ++n)
        {
            play(ctx, world, 1. / 24);
            if (k > 0 || n != 2)
                continue;
            middle = malloc(middle_size = pl_world_save_size(world));
            CHECK_OK(ctx, pl_world_save(world, middle, middle_size));
        }
        CHECK_OK(ctx, pl_world_report(world, &info));
        CHECK(world->liquids.liquid->def.cells[0] > 8 && info.center[0] > 0.02);
        size_t now = pl_world_save_size(world);
        void *saved = malloc(now);
        CHECK_OK(ctx, pl_world_save(world, saved, now));
        CHECK(k == 0 || (now == bytes && memcmp(saved, expected, bytes) == 0));
        if (k == 0)
            expected = saved, bytes = now;
        else
            free(saved);
        pl_world_destroy(&world);
        pl_context_destroy(&ctx);
    }
    free(expected);
    free(middle);
    pl_context *ctx = test_context(1);
    pl_world *world = world_of(ctx, growing, 700.0);
    for (int n = 0; n < 6; ++n)
        play(ctx, world, 1. / 24);
    CHECK(world->liquids.liquid->full && world->liquids.liquid->def.cells[0] == 8);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// ---- bad luck --------------------------------------------------------------------------------------------------

// A ball that comes into a box full of water has nowhere to press it: that is told, and nothing hangs.
static void enclosed_liquid_is_squeezed(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world = world_of(
        ctx,
        "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.1}, \"liquids\": {\"w\": {\"level\": 2}}, "
        "\"objects\": {\"ball\": {\"shape\": {\"sphere\": 0.2}, \"at\": [0.5, -0.15, 0.5], \"velocity\": [0, 1, 0]}}}");
    pl_step_info info;
    for (int n = 0; n < 4; ++n)
        play(ctx, world, 1. / 24);
    CHECK_OK(ctx, pl_world_report(world, &info));
    CHECK_NEAR(info.liquid_squeezed, 3.14159 * 0.04 * 1, 0.02);
    CHECK(info.liquid_speed < 10 && info.liquid_volume > 0.9);
    for (int n = 4; n < 10; ++n) // now it is all in
        play(ctx, world, 1. / 24);
    CHECK_OK(ctx, pl_world_report(world, &info));
    CHECK_NEAR(info.liquid_squeezed, 0, 1e-9);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// ---- domains without a box -------------------------------------------------------------------------------------

// Where one begins, and which sides move away: `bottom` is whether that does.
static void check_choice(pl_context *ctx, const char *objects, double lowest, bool bottom)
{
    pl_world *world = world_of(ctx,
                               "{\"domain\": {\"size\": 0.05}, %s \"liquids\": {\"w\": {\"shape\": {\"sphere\": 0.2}, "
                               "\"at\": [1, 0.61, 0]}}}",
                               objects);
    const pl__liquid_def *def = &world->liquids.liquid->def;
    CHECK_NEAR(def->lower[1], lowest, 1e-12);
    for (int side = 0; side < 6; ++side)
        CHECK(def->grows[side] == (side != PL_SIDE_LOWER_Y || bottom));
    for (int i = 0; i < 3; ++i)
    {
        double center = i == 0 ? 1 : i == 1 ? 0.61 : 0, upper = def->lower[i] + def->cells[i] * def->h;
        CHECK(def->lower[i] <= center - (i == 1 ? 0.2 : 0.35) + 1e-9 && upper >= center + 0.35 && upper < center + 0.6);
    }
    pl_world_destroy(&world);
}

static void domains_are_chosen(void)
{
    pl_context *ctx = test_context(1);
    check_choice(ctx, "", 0.41, false);
    check_choice(ctx, "\"floor\": {\"height\": 0.13},", 0.13, false);
    check_choice(ctx, "\"objects\": {\"table\": {\"shape\": {\"box\": [1, 0.2, 1]}, \"at\": [1, -0.1, 0]}},", -0.2,
                 false);
    check_choice(ctx,
                 "\"objects\": {\"table\": {\"shape\": {\"box\": [1, 0.2, 1]}, \"at\": [1, -0.1, 0]}, \"ground\": "
                 "{\"shape\": {\"plane\": [0, 1, 0]}, \"at\": [0, -1, 0]}},",
                 -1, false);
    check_choice(ctx, "\"objects\": {\"ramp\": {\"shape\": {\"plane\": [0.3, 1, 0]}}},", 0.2, true);
    check_choice(ctx,
                 "\"objects\": {\"lift\": {\"shape\": {\"sphere\": 0.1}, \"at\": {\"keys\": [[0, [1, 0.1, 0]], [1, "
                 "[1, -5, 0]]]}}},",
                 0.2, true);
    // what falls is always within it: nothing is lost over an edge
    pl_world *world =
        world_of(ctx, "{\"domain\": {\"size\": 0.05}, \"objects\": {\"table\": {\"shape\": {\"box\": [0.3, 0.1, "
                      "0.3]}}}, \"liquids\": {\"w\": {\"shape\": {\"sphere\": 0.2}, \"at\": [0, 0.3, 0]}}}");
    pl_step_info info;
    CHECK_OK(ctx, pl_world_report(world, &info));
    double mass = info.mass;
    for (int n = 0; n < 12; ++n)
        play(ctx, world, 1. / 24);
    CHECK_OK(ctx, pl_world_report(world, &info));
    CHECK_NEAR(info.mass / mass, 1, 0.03);
    CHECK(world->liquids.liquid->state.grid.cell.nx > 16);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// ---- by hand ---------------------------------------------------------------------------------------------------

static uint64_t hash_of_liquid(const pl_world *world)
{
    const pl__liquid_state *s = &world->liquids.liquid->state;
    return pl__hash(pl__hash(0, s->phi, (size_t)s->grid.cell.value_count * sizeof(double)), s->u[1],
                    (size_t)s->grid.face[1].value_count * sizeof(double));
}

// Pieces of a jet, without gravity: what is there is what was poured, moves as it was poured, and is one column of the
// radius. Into water it goes as well, and the same after a restart.
static void jets_are_poured_by_hand(void)
{
    pl_context *ctx = test_context(1);
    const double radius = 0.1, speed = 1, dt = 0.05, at[3] = {0.5, 1.6, 0.5}, velocity[3] = {0, -speed, 0};
    const double volume = 3.14159265358979 * radius * radius * speed * 2 * dt;
    pl_world *world = world_of(ctx, "{\"gravity\": [0, 0, 0], \"domain\": {\"box\": [[0, 0, 0], [1, 2, 1]], \"size\": "
                                    "0.04}, \"liquids\": {\"w\": {\"level\": 0.2}}}");
    pl_step_info info;
    for (int n = 0; n < 10; ++n)
    {
        if (n % 2 == 0)
            CHECK_OK(ctx, pl_world_pour(world, n ? "w" : NULL, at, velocity, radius, volume));
        play(ctx, world, dt);
    }
    CHECK_OK(ctx, pl_world_report(world, &info));
    CHECK_NEAR(info.liquid_added / (5 * volume), 1, 1e-9);
    CHECK_NEAR((info.liquid_volume + info.liquid_spray - 0.2) / (5 * volume), 1, 0.05);
    CHECK_NEAR(info.momentum[1] / (-1000 * speed * 5 * volume), 1, 0.01);
    CHECK(info.liquid_spray < 0.02 * 5 * volume);
    // its surface, in a frame that is as high as the second piece
    const pl__columns *c = &world->liquids.liquid->state.grid.cell;
    for (double y = 1.2; y < 1.5; y += 0.04)
    {
        double phi, x[3] = {0.5, y, 0.5 + radius};
        CHECK(pl__columns_sample(c, world->liquids.liquid->state.phi, x, &phi));
        CHECK_NEAR(phi, 0, 0.02); // half a cell
    }
    // into the water, and on from a state between
    CHECK_OK(ctx, pl_world_pour(world, NULL, (double[3]){0.5, 0.15, 0.5}, velocity, radius, volume));
    size_t bytes = pl_world_save_size(world);
    void *state = malloc(bytes);
    uint64_t hash[2];
    CHECK_OK(ctx, pl_world_save(world, state, bytes));
    for (int n = 0; n < 2; ++n)
    {
        play(ctx, world, dt);
        hash[n] = hash_of_liquid(world);
        CHECK_OK(ctx, pl_world_load(world, state, bytes));
    }
    CHECK(hash[0] == hash[1]);
    CHECK_OK(ctx, pl_world_report(world, &info));
    CHECK_NEAR(info.liquid_added / (6 * volume), 1, 1e-9);
    free(state);
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// What cannot be poured changes nothing.
static void what_cannot_be_poured_is_refused(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world =
        world_of(ctx, "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.1}, \"liquids\": {\"w\": "
                      "{\"level\": 0.2}}, \"objects\": {\"rock\": {\"shape\": {\"box\": [0.6, 0.6, 0.6]}, "
                      "\"at\": [0.5, 0.7, 0.5]}}}");
    static const double down[3] = {0, -1, 0}, in[3] = {0.1, 0.7, 0.1}, out[3] = {0.5, 3, 0.5},
                        rock[3] = {0.5, 0.7, 0.5};
    uint64_t before = hash_of_liquid(world);
    CHECK(pl_world_pour(world, "oil", in, down, 0.1, 1e-3) == PL_ERR_ARGUMENT);
    CHECK(pl_world_pour(world, NULL, in, down, 0.05, 1e-3) == PL_ERR_ARGUMENT); // less than a cell
    CHECK(pl_world_pour(world, NULL, in, down, 0.1, 0) == PL_ERR_ARGUMENT);
    CHECK(pl_world_pour(world, NULL, in, down, 0.1, NAN) == PL_ERR_ARGUMENT);
    CHECK(pl_world_pour(world, NULL, in, (double[3]){0, INFINITY, 0}, 0.1, 1e-3) == PL_ERR_ARGUMENT);
    CHECK(pl_world_pour(world, NULL, out, down, 0.1, 1e-3) == PL_ERR_ARGUMENT);
    CHECK(strstr(pl_context_error(ctx), "outside the domain") != NULL);
    CHECK(pl_world_pour(world, NULL, rock, down, 0.1, 1e-3) == PL_ERR_ARGUMENT);
    CHECK(hash_of_liquid(world) == before);
    CHECK_OK(ctx, pl_world_pour(world, NULL, in, down, 0.1, 1e-3));
    pl_world_destroy(&world);
    pl_context_destroy(&ctx);
}

// A viscous liquid with a source, a ball and a growing box is made and takes a step; its forces are asked for.
static pl_status short_life(pl_context *ctx)
{
    static const char text[] =
        "{\"domain\": {\"box\": [[0, 0, 0], [0.6, 0.6, 0.6]], \"size\": 0.1, \"grow\": [\"+y\"]}, \"objects\": "
        "{\"ball\": "
        "{\"shape\": {\"sphere\": 0.15}, \"at\": [0.3, 0.3, 0.3], \"velocity\": [0, 1, 0]}}, \"liquids\": {\"w\": "
        "{\"shape\": {\"box\": [0.6, 0.6, 0.6]}, \"viscosity\": 1}, \"s\": {\"kind\": \"source\", \"viscosity\": 1, "
        "\"shape\": {\"sphere\": 0.15}, \"at\": [0.4, 0.4, 0.4], \"rate\": 0.01}}}";
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_step_def step = pl_step_def_default();
    pl_liquid_force force;
    step.dt = 0.005;
    pl_status status = pl_scene_parse(ctx, "scene", text, sizeof text - 1, &scene);
    status = status ? status : pl_world_create(scene, &world);
    status = status ? status : pl_world_step(world, &step, NULL);
    status = status ? status : pl_world_pour(world, NULL, (double[3]){0.2, 0.5, 0.2}, (double[3]){0}, 0.1, 1e-3);
    status = status ? status : pl_world_liquid_force(world, (pl_object_id){1}, &force);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(short_life) > 100); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(domains_are_chosen),
                                    TEST(jets_are_poured_by_hand),
                                    TEST(what_cannot_be_poured_is_refused),
                                    TEST(balls_have_their_buoyancy),
                                    TEST(floating_boxes_displace_their_part),
                                    LONG_TEST(forces_balance_momentum),
                                    LONG_TEST(drag_balances_momentum),
                                    LONG_TEST(closed_boxes_hold_water),
                                    LONG_TEST(cups_hold_water),
                                    TEST(glasses_are_lifted),
                                    SLOW_TEST(cups_pour),
                                    TEST(water_leaves_ceilings),
                                    TEST(still_water_stays_at_walls),
                                    TEST(full_boxes_and_sticky_liquids_stay),
                                    TEST(fast_plates_sweep),
                                    TEST(actors_push_as_shapes_do),
                                    TEST(bodies_push_as_objects),
                                    TEST(every_shape_moves_and_turns),
                                    TEST(growing_changes_no_number),
                                    LONG_TEST(boxes_follow_their_water),
                                    TEST(enclosed_liquid_is_squeezed),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}
