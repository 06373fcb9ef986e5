// tests/vortex.c -- vortex particles and confinement: sense, momentum, energy, same bits.
#include "fluid/vortex.h"
#include "fluid/advect.h"
#include "base/hash.h"
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

static const double no_gravity[3] = {0, 0, 0}, gravity[3] = {0, -9.81, 0};
static const pl__obstacles none = {0};

// ---- a liquid alone --------------------------------------------------------------------------------------------

// Everything below y = 0.9.
static double pool(void *user, const double x[3], double v[3])
{
    v[0] = v[1] = v[2] = 0;
    (void)user;
    return x[1] - 0.9;
}

// A swirl about the axis through (0.5, y, 0.5), of a width of 2 cells of 20.
static double swirling(void *user, const double x[3], double v[3])
{
    (void)user;
    double a = x[0] - 0.5, b = x[2] - 0.5, size = exp(-(a * a + b * b) / (2 * 0.1 * 0.1));
    v[0] = b * size, v[1] = 0, v[2] = -a * size;
    return x[1] - 0.9;
}

static pl__liquid *make(pl_context *ctx, int32_t n, const pl__vortex_source *source, double confinement,
                        pl__liquid_shape *shape)
{
    pl__liquid_def def = {.cells = {n, n, n},
                          .h = 1.0 / n,
                          .closed = {1, 1, 1, 1, 1, 1},
                          .cfl = 1,
                          .tolerance = 1e-8,
                          .particles = 4,
                          .density = 1000,
                          .vortex = source,
                          .vortex_count = source != NULL,
                          .confinement = confinement};
    pl__liquid *l;
    MUST(pl__liquid_create(ctx, &def, shape, NULL, &none, &l));
    return l;
}

// The source of a single particle, at the start.
static pl__vortex_source single(void)
{
    return (pl__vortex_source){.object = -1,
                               .at = {0.5, 0.5, 0.5},
                               .radius = 1e-6,
                               .rate = 0,
                               .vorticity = 8,
                               .strength = 5,
                               .life = 1e9,
                               .end = 1e9};
}

// Put a particle there.
static void plant(pl__liquid *l, const double x[3], const double w[3])
{
    pl__vortex p = {.x = {x[0], x[1], x[2]}, .vorticity = {w[0], w[1], w[2]}};
    if (!PL_GROW(l->ctx, l->state.vortices.vortex, &l->state.vortices.capacity, 1))
        abort();
    l->state.vortices.vortex[l->state.vortices.count++] = p;
}

// Circulation along a circle about an axis through x.
static double circulation(const pl__liquid *l, const double x[3], int axis, double radius)
{
    enum
    {
        PARTS = 64
    };
    double sum = 0;
    for (int n = 0; n < PARTS; ++n)
    {
        double angle = 6.283185307179586 * n / PARTS, at[3] = {x[0], x[1], x[2]}, v[3];
        int a = (axis + 1) % 3, b = (axis + 2) % 3;
        at[a] += radius * cos(angle);
        at[b] += radius * sin(angle);
        if (!pl__grid_velocity(&l->state.grid, l->state.u, at, v))
            abort();
        sum += (v[b] * cos(angle) - v[a] * sin(angle)) * 6.283185307179586 * radius / PARTS;
    }
    return sum;
}

// After a step in water at rest: f = e h w r / sqrt(r^2 + h^2) xi(r) around the axis, and nothing in all.
static void particles_turn_still_water(void)
{
    pl_context *ctx = test_context(1);
    static const double at[3] = {0.513, 0.507, 0.491};
    for (int axis = 0; axis < 3; ++axis)
    {
        pl__vortex_source source = single();
        source.power = 1e9;
        pl__liquid *l = make(ctx, 20, &source, 0, pool);
        double w[3] = {0, 0, 0}, dt = 0.01, h = l->def.h, r = 1.5 * h, part = 1 - r * r / (9 * h * h);
        w[axis] = source.vorticity;
        plant(l, at, w);
        MUST(pl__liquid_step(l, dt, no_gravity, &none));
        double expected =
            6.283185307179586 * r * dt * source.strength * h * w[axis] * r / sqrt(r * r + h * h) * part * part;
        double seen = circulation(l, at, axis, r);
        // interpolation between faces flattens its crest
        CHECK_THAT(fabs(seen / expected - 0.85) < 0.15, "axis %d: circulation %g, expected %g", axis, seen, expected);
        pl__liquid_sums sums;
        MUST(pl__liquid_sum(l, &sums));
        double size = sqrt(2 * sums.kinetic * sums.mass);
        for (int a = 0; a < 3; ++a)
            CHECK_THAT(fabs(sums.momentum[a]) < 1e-3 * size, "momentum %g of %g", sums.momentum[a], size);
        pl__liquid_destroy(&l);
    }
    pl_context_destroy(&ctx);
}

// Water comes to turn as fast as the particle wants, about, and no faster, however long it is pushed.
static void swirl_is_limited_by_vorticity(void)
{
    pl_context *ctx = test_context(1);
    pl__vortex_source source = single();
    source.strength = 20, source.power = 1e9;
    pl__liquid *l = make(ctx, 16, &source, 0, pool);
    static const double at[3] = {0.5, 0.5, 0.5}, w[3] = {0, 8, 0};
    double speed = 0, turned = 0;
    plant(l, at, w);
    for (int k = 0; k < 40; ++k)
    {
        MUST(pl__liquid_step(l, 0.03, gravity, &none));
        pl__liquid_sums sums;
        MUST(pl__liquid_sum(l, &sums));
        speed = fmax(speed, sums.speed);
        double around = circulation(l, l->state.vortices.vortex[0].x, 1, l->def.h);
        turned = fmax(turned, around / (3.14159265358979 * l->def.h * l->def.h));
    }
    CHECK_THAT(turned > 0.4 * w[1] && turned < 1.1 * w[1], "vorticity %g, wanted %g", turned, w[1]);
    CHECK_THAT(speed < 0.5 * w[1] * 3 * l->def.h, "speed %g", speed);
    pl__liquid_destroy(&l);
    pl_context_destroy(&ctx);
}

// Many particles of a great strength: kinetic energy never exceeds power times time.
static void energy_is_bounded_by_power(void)
{
    pl_context *ctx = test_context(1);
    pl__vortex_source source = single();
    source.rate = 2000, source.radius = 0.3, source.vorticity = 100, source.strength = 100, source.life = 1,
    source.power = 50;
    pl__liquid *l = make(ctx, 16, &source, 0, pool);
    double used = 0;
    for (int k = 0; k < 30; ++k)
    {
        double dt = fmin(0.01, pl__liquid_longest_step(l, no_gravity));
        MUST(pl__liquid_step(l, dt, no_gravity, &none));
        pl__liquid_sums sums;
        MUST(pl__liquid_sum(l, &sums));
        CHECK_THAT(l->info.vortex_power <= source.power * (1 + 1e-9), "power %g", l->info.vortex_power);
        used += l->info.vortex_power * dt;
        CHECK_THAT(sums.kinetic <= 1.01 * source.power * l->state.time, "energy %g J after %g s of %g W", sums.kinetic,
                   l->state.time, source.power);
    }
    CHECK_THAT(used > 0.9 * source.power * l->state.time, "used %g J of %g", used, source.power * l->state.time);
    CHECK(l->state.vortices.count > 100);
    pl__liquid_destroy(&l);
    pl_context_destroy(&ctx);
}

// (w . grad) u of a stretching flow u = (-x / 2, y, -z / 2) s: vorticity along y grows by exp(s t), that along x
// shrinks by exp(-s t / 2).
static void vorticity_is_stretched(void)
{
    pl_context *ctx = test_context(1);
    pl__grid grid = {0};
    static const int32_t cells[3] = {8, 8, 8};
    static const double lower[3] = {-1, -1, -1};
    double *u[3], dt = 0.01, s = 0.7;
    MUST(pl__grid_make_full(ctx, &grid, cells, lower, 0.25));
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &grid.face[axis];
        u[axis] = calloc((size_t)f->value_count, sizeof *u[axis]);
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
            for (int32_t j = 0; j < f->ny; ++j)
            {
                double x[3];
                pl__grid_point(f, column % f->nx, j, column / f->nx, x);
                u[axis][f->main[column].base + j] = s * x[axis] * (axis == 1 ? 1 : -0.5);
            }
    }
    pl__vortex particle[2] = {{.vorticity = {1, 0, 0}}, {.vorticity = {0, 1, 0}}};
    pl__vortices v = {particle, 2, 2};
    pl__vortex_source source = {.vorticity = 10, .life = 100};
    pl__grid_flow flow = {ctx, &grid, {u[0], u[1], u[2]}};
    pl__motion motion = {pl__grid_flow_velocity, NULL, &flow, true};
    for (int k = 0; k < 100; ++k)
        pl__vortices_move(&v, &source, &grid, u, &motion, dt);
    CHECK_NEAR(particle[0].vorticity[0], exp(-0.5 * s), 2e-3);
    CHECK_NEAR(particle[1].vorticity[1], exp(s), 1e-2);
    for (int axis = 0; axis < 3; ++axis)
        free(u[axis]);
    pl__grid_done(ctx, &grid);
    pl_context_destroy(&ctx);
}

// A swirl that a grid would lose stays longer with confinement; still water is left alone.
static void confinement_keeps_vortices(void)
{
    static const double strength[] = {0, 0.2, 0.5};
    pl_context *ctx = test_context(1);
    double energy[3];
    for (int k = 0; k < 3; ++k)
    {
        pl__liquid *l = make(ctx, 20, NULL, strength[k], swirling);
        pl__liquid_sums sums;
        for (int n = 0; n < 20; ++n)
            MUST(pl__liquid_step(l, 0.04, gravity, &none));
        MUST(pl__liquid_sum(l, &sums));
        energy[k] = sums.kinetic;
        pl__liquid_destroy(&l);
    }
    CHECK_THAT(energy[1] > energy[0] && energy[2] > energy[1] && energy[2] < 2 * energy[0], "energies %g %g %g",
               energy[0], energy[1], energy[2]);
    pl__liquid *l = make(ctx, 12, NULL, 1, pool);
    pl__liquid_sums sums;
    for (int n = 0; n < 5; ++n)
        MUST(pl__liquid_step(l, 0.03, gravity, &none));
    MUST(pl__liquid_sum(l, &sums));
    CHECK_THAT(sums.speed < 1e-9, "speed %g", sums.speed);
    pl__liquid_destroy(&l);
    pl_context_destroy(&ctx);
}

// ---- in a world ------------------------------------------------------------------------------------------------

typedef struct fixture
{
    pl_context *ctx;
    pl_scene *scene;
    pl_world *world;
} fixture;

static void fixture_done(fixture *f)
{
    pl_world_destroy(&f->world);
    pl_scene_destroy(&f->scene);
    pl_context_destroy(&f->ctx);
}

// A ball that is drawn through water, turning, with vortices behind it, foam, tension and confinement.
static pl_status build(fixture *f, const char *on)
{
    pl_domain_def domain = pl_domain_def_default();
    pl_liquid_def water = pl_liquid_def_default();
    pl_object_def ball = pl_object_def_default();
    pl_vortices_def vortices = pl_vortices_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = 0.15;
    ball.at[0] = 0.3, ball.at[1] = 0.45, ball.at[2] = 0.5;
    ball.velocity[0] = 1.5, ball.spin[1] = 90;
    for (int i = 0; i < 3; ++i)
        domain.lower[i] = 0, domain.upper[i] = 1;
    domain.size = 1.0 / 14;
    domain.depth = 0.25;
    domain.particles = 8;
    domain.confinement = 0.1;
    water.level = 0.5;
    water.foam = 20;
    water.tension = 0.07;
    vortices.at[0] = -0.2;
    vortices.rate = 300;
    pl_status status = pl_scene_create(f->ctx, &f->scene);
    status = status ? status : pl_scene_set_domain(f->scene, &domain);
    status = status ? status : pl_scene_add_liquid(f->scene, "water", &water, NULL);
    status = status ? status : pl_scene_add_vortices(f->scene, "propeller", on, &vortices);
    status = status ? status : pl_scene_add_object(f->scene, "ball", &ball, NULL);
    return status ? status : pl_world_create(f->scene, &f->world);
}

static uint64_t hash_of(const pl_world *world)
{
    const pl__liquid_state *s = &world->liquids.liquid->state;
    uint64_t h = pl__hash(0, s->phi, (size_t)s->grid.cell.value_count * sizeof(double));
    for (int axis = 0; axis < 3; ++axis)
        h = pl__hash(h, s->u[axis], (size_t)s->grid.face[axis].value_count * sizeof(double));
    h = pl__hash(h, s->vortices.vortex, (size_t)s->vortices.count * sizeof(pl__vortex));
    return pl__hash(h, s->foam.item, (size_t)s->foam.count * sizeof(pl__froth));
}

static void play(const fixture *f, int frames)
{
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    for (int k = 0; k < frames; ++k)
        CHECK_OK(f->ctx, pl_world_step(f->world, &step, &info));
}

// 1, 2 and 7 threads, and a world loaded from a snapshot in the middle.
static void bits_do_not_depend_on_threads_or_restarts(void)
{
    static const int32_t threads[] = {1, 7};
    uint64_t expected = 0;
    for (int k = 0; k < 2; ++k)
    {
        fixture f = {.ctx = test_context(threads[k])}, g = {.ctx = test_context(2)};
        MUST(build(&f, "ball"));
        play(&f, 4);
        size_t size = pl_world_save_size(f.world);
        void *snapshot = malloc(size);
        MUST(pl_world_save(f.world, snapshot, size));
        play(&f, 4);
        expected = k == 0 ? hash_of(f.world) : expected;
        CHECK(hash_of(f.world) == expected);
        const pl__liquid_state *s = &f.world->liquids.liquid->state;
        CHECK_THAT(s->vortices.count > 10 && s->foam.count > 10, "%d vortices, %d in foam", s->vortices.count,
                   s->foam.count);
        MUST(build(&g, "ball"));
        CHECK_OK(g.ctx, pl_world_load(g.world, snapshot, size));
        play(&g, 4);
        CHECK(hash_of(g.world) == expected);
        free(snapshot);
        fixture_done(&f);
        fixture_done(&g);
    }
}

// Particles are born where the object is.
static void particles_follow_objects(void)
{
    fixture f = {.ctx = test_context(1)};
    MUST(build(&f, "ball"));
    play(&f, 6);
    const pl__vortices *v = &f.world->liquids.liquid->state.vortices;
    double first = 0, last = 0;
    CHECK(v->count >= 10);
    for (int n = 0; n < 5; ++n)
        first += v->vortex[n].x[0] / 5, last += v->vortex[v->count - 1 - n].x[0] / 5;
    CHECK_THAT(last > first + 0.1, "the first are at %g m, the last at %g m", first, last);
    fixture_done(&f);
}

static void bad_vortices_are_refused(void)
{
    fixture f = {.ctx = test_context(1)};
    CHECK(build(&f, "boat") == PL_ERR_ARGUMENT);
    CHECK_THAT(strstr(pl_context_error(f.ctx), "there is no object \"boat\""), "%s", pl_context_error(f.ctx));
    fixture_done(&f);
}

// scenes/boat.json, coarse: vortices within their power, foam, and no volume lost.
static void the_boat_leaves_a_wake(void)
{
    static const char *const coarse[] = {"domain.size=0.35", "liquids.sea.foam=20"};
    fixture f = {.ctx = test_context(1)};
    pl_step_def step = pl_step_def_default();
    pl_step_info info = {0};
    CHECK_OK(f.ctx, pl_scene_load_changed(f.ctx, "scenes/boat.json", coarse, 2, &f.scene));
    CHECK_OK(f.ctx, pl_world_create(f.scene, &f.world));
    for (int k = 0; k < (slow_tests ? 108 : 30); ++k)
    {
        CHECK_OK(f.ctx, pl_world_step(f.world, &step, &info));
        CHECK_THAT(info.vortex_power <= 1000.001, "%g W", info.vortex_power);
        CHECK_THAT(fabs(info.liquid_drift) < 0.005, "volume drifts by %g", info.liquid_drift);
    }
    const pl__liquid_state *s = &f.world->liquids.liquid->state;
    CHECK_THAT(s->vortices.count > 50 && s->foam.count > 20, "%d vortices, %d in foam", s->vortices.count,
               s->foam.count);
    CHECK_THAT(info.liquid_speed < 12, "speed %g m/s", info.liquid_speed);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(particles_turn_still_water), TEST(swirl_is_limited_by_vorticity),
                                    TEST(energy_is_bounded_by_power), TEST(vorticity_is_stretched),
                                    TEST(confinement_keeps_vortices), TEST(bits_do_not_depend_on_threads_or_restarts),
                                    TEST(particles_follow_objects),   TEST(bad_vortices_are_refused),
                                    LONG_TEST(the_boat_leaves_a_wake)};
    return RUN(tests);
}
