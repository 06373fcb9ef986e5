// tests/liquid_objects.c -- objects in a liquid: forces on them, things that bend, and vessels that do not leak.
#include "fluid/liquid.h"
#include "math/quat.h"
#include "test.h"
#include "world/world.h"
#include <pliant/pliant.h>
#include <stdarg.h>

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

// All momentum that gravity gives and the liquid does not have is that of forces on walls and objects.
static void forces_balance_momentum(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world = world_of(ctx, "{\"domain\": {\"box\": [[0, 0, 0], [1, 0.6, 0.1]], \"size\": 0.025}, "
                                    "\"liquids\": {\"w\": {\"shape\": {\"box\": [0.8, 0.8, 1]}, \"at\": [0, 0, 0]}}, "
                                    "\"objects\": {\"ball\": {\"shape\": {\"cylinder\": {\"radius\": 0.08, \"height\": "
                                    "1}}, \"rotate\": [90, 0, 0], \"at\": [0.6, 0.15, 0.05]}}}");
    pl_step_info first, last;
    play(ctx, world, 0.002);
    CHECK_OK(ctx, pl_world_report(world, &first));
    double impulse[3] = {0}, dt = 0.002;
    for (int n = 0; n < 120; ++n)
    {
        play(ctx, world, dt);
        pl_liquid_force ball = force_on(ctx, world, "ball"), walls = force_on(ctx, world, NULL);
        for (int i = 0; i < 3; ++i)
            impulse[i] += dt * (ball.force[i] + walls.force[i]);
    }
    CHECK_OK(ctx, pl_world_report(world, &last));
    double size = last.mass * g * 120 * dt;
    double x = (last.momentum[0] - first.momentum[0] + impulse[0]) / size,
           y = (last.momentum[1] - first.momentum[1] + impulse[1]) / size + 1;
    CHECK_THAT(fabs(x) < 0.03 && fabs(y) < 0.03, "of the momentum is missing %g, %g", x, y);
    pl_world_destroy(&world);
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
    static const double walls[] = {1, 0.5, 0.16};
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 2 + slow_tests; ++k)
    {
        pl_world *world = vessel(ctx, walls[k], false, 100);
        shake(ctx, world, slow_tests ? 2 : 0.4, outside_box, "a closed box");
        pl_world_destroy(&world);
    }
    pl_context_destroy(&ctx);
}

// A cup with walls of a cell that is carried about and tilted a little: nothing gets through its walls and bottom.
static void cups_hold_water(void)
{
    pl_context *ctx = test_context(1);
    pl_world *world = vessel(ctx, 1, true, 15);
    shake(ctx, world, slow_tests ? 1.5 : 0.4, beside_cup, "a cup");
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

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(balls_have_their_buoyancy), TEST(floating_boxes_displace_their_part),
                                    TEST(forces_balance_momentum),   TEST(closed_boxes_hold_water),
                                    TEST(cups_hold_water),           TEST(fast_plates_sweep)};
    return RUN(tests);
}
