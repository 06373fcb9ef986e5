// tests/foam.c -- bubbles rise and burst, foam goes with the surface and fades; and where they come from.
#include "fluid/foam.h"
#include "fluid/liquid.h"
#include "test.h"
#include "world/world.h"
#include <pliant/pliant.h>

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static const double gravity[3] = {0, -9.81, 0};
static const pl__obstacles none = {0};

// ---- a liquid alone --------------------------------------------------------------------------------------------

// Below y = 1, moving along x.
static double current_speed;
static double pool(void *user, const double x[3], double v[3])
{
    (void)user;
    v[0] = current_speed, v[1] = v[2] = 0;
    return x[1] - 1;
}

static double dam(void *user, const double x[3], double v[3])
{
    (void)user;
    v[0] = v[1] = v[2] = 0;
    double a = x[0] - 0.5, b = x[1] - 1;
    return a > 0 && b > 0 ? sqrt(a * a + b * b) : fmax(a, b);
}

static pl__liquid *make(pl_context *ctx, double foam, pl__liquid_shape *shape, bool open)
{
    pl__liquid_def def = {.cells = {20, 12, 1},
                          .h = 0.1,
                          .closed = {!open, !open, 1, 1, 1, 1},
                          .cfl = 1,
                          .tolerance = 1e-6,
                          .density = 1000,
                          .outside = {.held = open, .level = 1, .velocity = {current_speed, 0, 0}},
                          .foam = foam,
                          .foam_life = 2};
    pl__liquid *l;
    MUST(pl__liquid_create(ctx, &def, shape, NULL, &none, &l));
    return l;
}

static void plant(pl__liquid *l, double x, double y, pl__froth_kind kind)
{
    pl__foam *f = &l->state.foam;
    if (!PL_GROW(l->ctx, f->item, &f->capacity, (size_t)f->count + 1))
        abort();
    f->item[f->count++] = (pl__froth){.x = {x, y, 0.05}, .radius = 0.004, .kind = kind}; // half the mean life
}

// In still water a bubble comes to rise at 0.248 m/s within some hundredths of a second, and bursts at the surface.
static void bubbles_rise_and_burst(void)
{
    pl_context *ctx = test_context(1);
    current_speed = 0;
    pl__liquid *l = make(ctx, 1e-9, pool, false);
    const double speed = sqrt(0.5 * 9.81 * 0.0125), dt = 0.02;
    plant(l, 1.03, 0.3, PL__BUBBLE);
    for (int k = 0; k < 50; ++k)
        MUST(pl__liquid_step(l, dt, gravity, &none));
    const pl__froth *p = l->state.foam.item;
    CHECK(l->state.foam.count == 1 && p->kind == PL__BUBBLE);
    CHECK_NEAR(p->v[1], speed, 1e-6);
    CHECK_NEAR(p->x[1], 0.3 + speed, 0.02);
    CHECK_NEAR(p->x[0], 1.03, 1e-6);
    while (l->state.foam.count > 0 && l->state.foam.item->kind == PL__BUBBLE && l->state.time < 4)
        MUST(pl__liquid_step(l, dt, gravity, &none));
    double burst = l->state.time;
    CHECK_NEAR(burst, (0.7 - 0.25 * 0.1) / speed, 0.15);
    CHECK_NEAR(l->state.foam.item->x[1], 1, 1e-3);
    double radius = pl__foam_radius(l->state.foam.item, 0.1, 2);
    while (l->state.foam.count > 0 && l->state.time < 6)
    {
        CHECK(pl__foam_radius(l->state.foam.item, 0.1, 2) <= radius);
        MUST(pl__liquid_step(l, dt, gravity, &none));
    }
    CHECK_NEAR(l->state.time - burst, 1, 0.05); // the smallest last half as long
    pl__liquid_destroy(&l);
    pl_context_destroy(&ctx);
}

// A current carries foam along, on its surface.
static void foam_goes_with_the_surface(void)
{
    pl_context *ctx = test_context(1);
    current_speed = 0.5;
    pl__liquid *l = make(ctx, 1e-9, pool, true);
    plant(l, 0.4, 0.97, PL__FOAM);
    while (l->state.time < 0.9)
        MUST(pl__liquid_step(l, 0.05, gravity, &none));
    CHECK(l->state.foam.count == 1 && l->state.foam.item->kind == PL__FOAM);
    CHECK_NEAR(l->state.foam.item->x[0], 0.4 + 0.5 * l->state.time, 2e-3);
    CHECK_NEAR(l->state.foam.item->x[1], 1, 2e-3);
    pl__liquid_destroy(&l);
    pl_context_destroy(&ctx);
}

static int32_t most_after_dam(pl_context *ctx, double amount, pl__liquid_shape *shape)
{
    current_speed = 0;
    pl__liquid *l = make(ctx, amount, shape, false);
    int32_t most = 0;
    while (l->state.time < 0.8)
    {
        MUST(pl__liquid_step(l, fmin(0.02, pl__liquid_longest_step(l, gravity)), gravity, &none));
        most = l->state.foam.count > most ? l->state.foam.count : most;
        for (int32_t n = 0; n < l->state.foam.count; ++n)
            for (int a = 0; a < 3; ++a)
                CHECK(l->state.foam.item[n].x[a] >= 0 && l->state.foam.item[n].x[a] <= 2);
    }
    pl__liquid_destroy(&l);
    return most;
}

// Water at rest has none, broken water has; and in proportion to the amount, for the liquid does not feel it.
static void broken_water_foams(void)
{
    pl_context *ctx = test_context(1);
    CHECK(most_after_dam(ctx, 100, pool) == 0);
    int32_t some = most_after_dam(ctx, 5, dam), more = most_after_dam(ctx, 20, dam);
    CHECK_THAT(some > 50, "%d particles", some);
    CHECK_THAT(fabs(more / (4.0 * some) - 1) < 0.2, "%d particles, of four times the amount %d", some, more);
    pl_context_destroy(&ctx);
}

// ---- in a world ------------------------------------------------------------------------------------------------

// Drawables of their own, as points, and only when there may be some.
static void worlds_draw_foam(void)
{
    pl_context *ctx = test_context(1);
    for (int with = 0; with < 2; ++with)
    {
        pl_scene *scene;
        pl_world *world;
        pl_domain_def domain = pl_domain_def_default();
        pl_liquid_def water = pl_liquid_def_default();
        domain.upper[0] = 2, domain.upper[1] = 1.2, domain.upper[2] = 0.1;
        domain.size = 0.1;
        water.level = 0.6;
        water.foam = with;
        MUST(pl_scene_create(ctx, &scene));
        MUST(pl_scene_set_domain(scene, &domain));
        MUST(pl_scene_add_liquid(scene, "sea", &water, NULL));
        MUST(pl_world_create(scene, &world));
        CHECK(pl_world_drawable_count(world) == (with ? 4 : 2));
        if (with)
        {
            pl__liquid *l = world->liquids.liquid;
            double x[6], v[6];
            pl_drawable d;
            plant(l, 0.5, 0.6, PL__FOAM);
            plant(l, 0.7, 0.3, PL__BUBBLE);
            plant(l, 0.9, 0.6, PL__FOAM);
            CHECK_OK(ctx, pl_world_drawable(world, 2, &d));
            CHECK(strcmp(d.name, "sea_bubbles") == 0 && d.vertex_count == 1 && d.radii[0] == 0.004);
            CHECK_OK(ctx, pl_world_drawable(world, 3, &d));
            CHECK(strcmp(d.name, "sea_foam") == 0 && d.vertex_count == 2 && d.triangle_count == 0);
            CHECK_OK(ctx, pl_drawable_read(world, 3, x, v, NULL));
            CHECK(x[0] == 0.5 && x[3] == 0.9 && v[0] == 0);
        }
        pl_world_destroy(&world);
        pl_scene_destroy(&scene);
    }
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(bubbles_rise_and_burst), TEST(foam_goes_with_the_surface),
                                    TEST(broken_water_foams), TEST(worlds_draw_foam)};
    return RUN(tests);
}
