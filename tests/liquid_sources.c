// tests/liquid_sources.c -- liquid that comes in and leaves: sources, drains, open sides.
#include "base/hash.h"
#include "base/random.h"
#include "contact/shape.h"
#include "fluid/liquid.h"
#include "host.h"
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
static const pl__obstacles no_obstacles;

// ---- a liquid alone --------------------------------------------------------------------------------------------

// A level of water, with a bump that moves to the right.
typedef struct pool
{
    double level, speed, bump, at, width;
} pool;

static double pool_distance(void *user, const double x[3], double v[3])
{
    const pool *p = user;
    double t = (x[0] - p->at) / (p->width > 0 ? p->width : 1), up = p->bump * exp(-t * t);
    v[0] = p->speed + (up != 0 ? sqrt(9.81 / p->level) * up : 0);
    v[1] = v[2] = 0;
    return x[1] - p->level - up;
}

// A ball, or a cylinder in a plane, at (x, y).
static struct pl__shape *ball(pl_context *ctx, double x, double y, double radius)
{
    pl_object_def whole = pl_object_def_default(), part = pl_object_def_default();
    part.kind = PL_OBJECT_SPHERE;
    part.radius = radius;
    part.at[0] = x, part.at[1] = y, part.at[2] = 0.5 / 24;
    whole.kind = PL_OBJECT_UNION;
    whole.part = &part, whole.part_count = 1;
    struct pl__shape *shape;
    MUST(pl__shape_create(ctx, &whole, &shape));
    return shape;
}

static pl__liquid_def plane_of(double length, int32_t n)
{
    return (pl__liquid_def){.cells = {(int32_t)(length * n + 0.5), n, 1},
                            .h = 1.0 / n,
                            .closed = {1, 1, 1, 1, 1, 1},
                            .cfl = 1,
                            .tolerance = 1e-6,
                            .density = 1000};
}

typedef struct outcome
{
    double volume; // with drops, over what it should be, minus 1, at the end
    double drift;  // the same, the largest
    double leak;   // largest part of the volume that is not accounted for
    double added;  // [m^3]
} outcome;

static double owed(const pl__liquid *l)
{
    double sum = l->state.loose;
    for (int32_t n = 0; n < l->state.grid.cell.value_count; ++n)
        sum += l->state.residual[n];
    return sum * l->def.h * l->def.h * l->def.h;
}

static void play_until(pl__liquid *l, double end, outcome *o)
{
    while (l->state.time < end * (1 - 1e-12))
    {
        pl__liquid_sums sums;
        double dt = fmin(pl__liquid_longest_step(l, gravity), end - l->state.time);
        MUST(pl__liquid_step(l, dt, gravity, &no_obstacles));
        MUST(pl__liquid_sum(l, &sums));
        double there = sums.volume + sums.spray, all = l->start_volume + l->state.added;
        o->volume = there / pl__liquid_due_volume(l) - 1;
        o->drift = fmax(o->drift, fabs(o->volume));
        o->leak = fmax(o->leak, fabs((there + owed(l)) / all - 1));
    }
    o->added = l->state.added;
}

// One source or drain in a box with water up to `level`; it works until 0.3 s.
static outcome play_source(pl__liquid_source source, double x, double y, double radius, double level, double depth,
                           bool hold, double end)
{
    pl_context *ctx = test_context(1);
    struct pl__shape *shape = ball(ctx, x, y, radius);
    pool p = {.level = level};
    pl__liquid_def def = plane_of(1, 24);
    source.shape = shape;
    source.end = 0.3;
    source.valve = source.valve > 0 ? source.valve : 1;
    def.depth = depth;
    def.hold = hold;
    def.source = &source, def.source_count = 1;
    pl__liquid *l;
    MUST(pl__liquid_create(ctx, &def, pool_distance, &p, &no_obstacles, &l));
    outcome o = {0};
    play_until(l, end, &o);
    pl__liquid_destroy(&l);
    pl__shape_destroy(&shape);
    pl_context_destroy(&ctx);
    return o;
}

// A source in air whose jet splashes into a pool, one whose shape is wider than its rate fills, one over an empty box;
// one that pours gently, and ones in water, above tall cells, with volume held. What has come is rate * time to
// round-off and all of it is accounted for; where nothing splashes the box holds just so much more.
static void sources_bring_their_rate(void)
{
    static const struct
    {
        double x, y, radius, rate, velocity, level, depth;
        bool hold;
        double most; // drift
    } c[] = {{0.5, 0.75, 0.1, 0.2, -1, 0.3, 0, false, 0.04}, {0.5, 0.75, 0.1, 0.1, -1, 0.3, 0, false, 0.05},
             {0.5, 0.75, 0.1, 0.2, -1, -1, 0, false, 0.3},   {0.5, 0.4, 0.1, 0.06, -0.3, 0.3, 0, false, 0.015},
             {0.5, 0.15, 0.1, 0.3, 0, 0.3, 0, false, 0.01},  {0.4, 0.15, 0.1, 0.3, 0, 0.5, 0.15, false, 0.01},
             {0.5, 0.15, 0.1, 0.3, 0.5, 0.3, 0, true, 0.01}};
    for (size_t k = 0; k < sizeof c / sizeof c[0]; ++k)
    {
        double h = 1.0 / 24, brought = 0.3 * c[k].rate * h;
        pl__liquid_source source = {.rate = c[k].rate * h, .velocity = {0, c[k].velocity, 0}};
        outcome o = play_source(source, c[k].x, c[k].y, c[k].radius, c[k].level, c[k].depth, c[k].hold, 1.5);
        CHECK_NEAR(o.added / brought, 1, 1e-9);
        CHECK_THAT(o.leak < (c[k].depth > 0 ? 1e-6 : 1e-12), "case %zu: %g is not accounted for", k, o.leak);
        CHECK_THAT(c[k].most > 0.02 || fabs(o.volume) < 2e-3, "case %zu: volume is off by %g", k, o.volume);
        CHECK_THAT(o.drift < c[k].most, "case %zu: volume drifts by %g", k, o.drift);
    }
}

// Without a rate a jet brings its section times its speed, and what fills its shape at first.
static void jets_bring_section_times_speed(void)
{
    double h = 1.0 / 24, radius = 0.125, v = 2;
    pl__liquid_source source = {.velocity = {0, -v, 0}};
    outcome o = play_source(source, 0.5, 0.75, radius, 0.2, 0, false, 0.3);
    double expected = (3.14159265 * radius * radius + 2 * radius * v * 0.3) * h;
    CHECK_THAT(fabs(o.added / expected - 1) < 0.1, "a jet brought %g of what was expected", o.added / expected);
    CHECK_THAT(o.leak < 1e-12, "%g is not accounted for", o.leak);
}

static void drains_take_their_rate(void)
{
    double h = 1.0 / 24;
    for (int k = 0; k < 3; ++k)
    {
        pl__liquid_source drain = {.drain = true, .rate = 0.2 * h};
        outcome o = play_source(drain, 0.5, 0.15, 0.1, 0.4, k == 1 ? 0.15 : 0, k == 2, 1.5);
        CHECK_NEAR(o.added / (0.06 * h), -1, 1e-9);
        CHECK_THAT(fabs(o.volume) < 1e-3, "volume is off by %g", o.volume);
        CHECK_THAT(o.leak < 1e-6, "%g is not accounted for", o.leak);
        CHECK_THAT(o.drift < 0.01, "volume drifts by %g", o.drift);
    }
    // a hole in the ground takes what gets there; no faster than falling from the surface: v^2 = 2 g h
    pl__liquid_source hole = {.drain = true};
    outcome o = play_source(hole, 0.5, 0, 0.1, 0.4, 0, false, 0.3);
    double most = 0.3 * sqrt(2 * 9.81 * 0.4) * 3.1416 * 0.1 * h;
    CHECK_THAT(o.added < -0.2 * most && o.added > -1.1 * most - 0.5 * 3.1416 * 0.01 * h, "a hole took %g of %g",
               -o.added, most);
    CHECK_THAT(o.leak < 1e-12, "%g is not accounted for", o.leak);
}

// ---- open sides ------------------------------------------------------------------------------------------------

static pl__liquid *open_channel(pl_context *ctx, double length, double depth, double sponge, const pool *p)
{
    pl__liquid_def def = plane_of(length, 12);
    def.cells[1] = 15;
    def.depth = depth;
    def.closed[0] = def.closed[1] = sponge == 0;
    def.outside = (pl__outside){.held = sponge > 0, .level = p->level, .velocity = {p->speed, 0, 0}, .sponge = sponge};
    pl__liquid *l;
    MUST(pl__liquid_create(ctx, &def, pool_distance, (void *)(uintptr_t)p, &no_obstacles, &l));
    return l;
}

static void uniform_currents_stay_uniform(void)
{
    pl_context *ctx = test_context(1);
    pool p = {.level = 0.97, .speed = 0.7};
    for (int k = 0; k < 2; ++k)
    {
        pl__liquid *l = open_channel(ctx, 3, k ? 0.3 : 0, 0.6, &p);
        outcome o = {0};
        double off = 0;
        play_until(l, 3, &o);
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t n = 0; n < l->state.grid.face[axis].value_count; ++n)
                off = fmax(off, fabs(l->state.u[axis][n] - (axis == 0 ? p.speed : 0)));
        CHECK_THAT(off < 1e-9, "velocity is off by %g m/s", off);
        CHECK_NEAR(o.added, 0, 1e-9);
        pl__liquid_destroy(&l);
    }
    pl_context_destroy(&ctx);
}

// Height of the surface above the level at x.
static double height_at(const pl__liquid *l, double x, double level)
{
    const pl__columns *c = &l->state.grid.cell;
    int32_t i = (int32_t)((x - l->def.lower[0]) / c->h);
    for (int32_t j = c->main[i].j0; j < c->main[i].j1; ++j)
    {
        const double *p = &l->state.phi[c->main[i].base + j];
        if (p[0] < 0 && p[1] >= 0)
            return c->h * (j + 0.5 + p[0] / (p[0] - p[1])) - level;
    }
    return 0;
}

// A wave in a channel with open sides against the same in one so long that nothing comes back: 3 % of its height at
// most are reflected. And all volume that leaves is counted.
static void waves_leave(void)
{
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 2; ++k)
    {
        pool p = {.level = 1, .bump = 0.02, .at = 6, .width = 1}, far = p;
        far.at = 15;
        pl__liquid *l = open_channel(ctx, 12, k ? 0.5 : 0, 3, &p), *endless = open_channel(ctx, 30, 0, 0, &far);
        double dt = 0.9 * pl__liquid_longest_step(l, gravity), back = 0, left = 0;
        for (int n = 0; n < 80; ++n)
        {
            MUST(pl__liquid_step(l, dt, gravity, &no_obstacles));
            MUST(pl__liquid_step(endless, dt, gravity, &no_obstacles));
            left = 0;
            for (double x = 3; x < 9; x += l->def.h)
            {
                double true_height = height_at(endless, x + 9 + 0.5 * l->def.h, 1);
                back = fmax(back, fabs(height_at(l, x + 0.5 * l->def.h, 1) - true_height));
                left = fmax(left, fabs(true_height));
            }
        }
        CHECK_THAT(left < 0.3 * p.bump, "the wave is still there: %g", left / p.bump);
        CHECK_THAT(back < (k ? 0.06 : 0.03) * p.bump, "%g of a wave is reflected", back / p.bump);
        pl__liquid_sums sums;
        MUST(pl__liquid_sum(l, &sums));
        CHECK_NEAR((sums.volume + owed(l)) / (l->start_volume + l->state.added), 1, 1e-7);
        CHECK(l->state.added < -0.5 * (l->start_volume - 12 * l->def.h));
        pl__liquid_destroy(&l);
        pl__liquid_destroy(&endless);
    }
    pl_context_destroy(&ctx);
}

// Without a level water falls off the edge, and none comes in.
static void water_falls_off_edges(void)
{
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 2; ++k)
    {
        pool p = {.level = 0.6};
        pl__liquid_def def = plane_of(2, 24);
        def.closed[1] = def.closed[3] = false;
        def.depth = k ? 0.2 : 0;
        pl__liquid *l;
        MUST(pl__liquid_create(ctx, &def, pool_distance, &p, &no_obstacles, &l));
        outcome o = {0};
        double last = 0;
        for (int n = 1; n <= 8; ++n)
        {
            play_until(l, 0.15 * n, &o);
            CHECK(o.added < last);
            last = o.added;
        }
        CHECK_THAT(o.added < -0.3 * l->start_volume, "%g has left", -o.added / l->start_volume);
        CHECK_THAT(o.leak < (k ? 1e-4 : 1e-10), "%g is not accounted for", o.leak);
        CHECK_THAT(o.drift < 0.02, "volume drifts by %g", o.drift);
        pl__liquid_destroy(&l);
    }
    pl_context_destroy(&ctx);
}

// Drops that fly out are gone, and counted.
static void drops_leave_through_open_sides(void)
{
    pl_context *ctx = test_context(1);
    pool p = {.level = 0.2};
    pl__liquid_def def = plane_of(1, 12);
    def.closed[1] = false;
    pl__liquid *l;
    MUST(pl__liquid_create(ctx, &def, pool_distance, &p, &no_obstacles, &l));
    pl__spray *s = &l->state.spray;
    CHECK(PL_GROW(ctx, s->drop, &s->capacity, 2));
    s->count = 2;
    s->drop[0] = (pl__drop){{0.99, 0.8, 0.04}, {3, 0, 0}, 1e-6, 0};
    s->drop[1] = (pl__drop){{0.01, 0.8, 0.04}, {-3, 0, 0}, 1e-6, 0};
    MUST(pl__liquid_step(l, 0.01, (double[3]){0}, &no_obstacles));
    CHECK(l->state.spray.count == 1 && l->state.spray.drop[0].x[0] < 0.1);
    CHECK_NEAR(l->state.added, -1e-6, 1e-12);
    pl__liquid_destroy(&l);
    pl_context_destroy(&ctx);
}

// ---- worlds ----------------------------------------------------------------------------------------------------

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

// Rough ground that goes on beyond the sides, water that is open along x; with a source and a drain, or at rest.
static pl_status build(fixture *f, double depth, bool flows)
{
    double heights[49];
    for (int n = 0; n < 49; ++n)
        heights[n] = 0.02 + 0.25 * pl__random01(3, 1, (uint64_t)n);
    pl_domain_def domain = pl_domain_def_default();
    pl_liquid_def water = pl_liquid_def_default(), source = water, drain = water;
    pl_object_def ground = pl_object_def_default(), shape = pl_object_def_default();
    ground.kind = PL_OBJECT_HEIGHT_FIELD;
    ground.heights = heights, ground.rows = ground.columns = 7;
    ground.extent[0] = ground.extent[2] = 1.6;
    ground.at[0] = ground.at[2] = 0.5;
    for (int i = 0; i < 3; ++i)
        domain.lower[i] = 0, domain.upper[i] = 1;
    domain.size = 1.0 / 14;
    domain.depth = depth;
    domain.particles = 8;
    domain.open = 1u << PL_SIDE_LOWER_X | 1u << PL_SIDE_UPPER_X | 1u << PL_SIDE_UPPER_Y;
    domain.held = 1;
    domain.level = water.level = 0.612;
    shape.kind = PL_OBJECT_SPHERE;
    shape.radius = 0.12;
    source.shape = drain.shape = &shape;
    source.kind = PL_LIQUID_SOURCE;
    source.rate = 0.05, source.velocity[0] = 1, source.start = 0.05;
    source.at[0] = 0.4, source.at[1] = 0.8, source.at[2] = 0.5;
    drain.kind = PL_LIQUID_DRAIN;
    drain.at[0] = 0.7, drain.at[1] = 0.45, drain.at[2] = 0.4;
    pl_status status = pl_scene_create(f->ctx, &f->scene);
    status = status ? status : pl_scene_set_domain(f->scene, &domain);
    status = status ? status : pl_scene_add_liquid(f->scene, "water", &water, NULL);
    if (flows)
    {
        status = status ? status : pl_scene_add_liquid(f->scene, "tap", &source, NULL);
        status = status ? status : pl_scene_add_liquid(f->scene, "hole", &drain, NULL);
    }
    status = status ? status : pl_scene_add_object(f->scene, "ground", &ground, NULL);
    return status ? status : pl_world_create(f->scene, &f->world);
}

static uint64_t hash_of(const pl_world *world)
{
    const pl__liquid_state *s = &world->liquids.liquid->state;
    uint64_t h = pl__hash(0, s->phi, (size_t)s->grid.cell.value_count * sizeof(double));
    for (int axis = 0; axis < 3; ++axis)
        h = pl__hash(h, s->u[axis], (size_t)s->grid.face[axis].value_count * sizeof(double));
    h = pl__hash(h, &s->added, sizeof s->added);
    return pl__hash(h, s->particles.x[1], (size_t)s->particles.count * sizeof(double));
}

static void play(fixture *f, int frames)
{
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    for (int k = 0; k < frames; ++k)
        CHECK_OK(f->ctx, pl_world_step(f->world, &step, &info));
}

// Over rough ground, with open sides and any layout of tall cells: |u| stays at round-off.
static void still_water_with_open_sides_stays_still(void)
{
    static const double depths[] = {0, 0.15};
    for (int k = 0; k < 2; ++k)
    {
        fixture f = {.ctx = test_context(2)};
        MUST(build(&f, depths[k], false));
        play(&f, 40);
        pl_step_info info;
        MUST(pl_world_report(f.world, &info));
        CHECK_THAT(info.liquid_speed < 1e-9, "speed %g at depth %g", info.liquid_speed, depths[k]);
        CHECK_NEAR(info.liquid_added, 0, 1e-9);
        CHECK_NEAR(info.liquid_drift, 0, 1e-9);
        fixture_done(&f);
    }
}

// 1 and 7 threads, and a world loaded from a snapshot in the middle: the same bits.
static void bits_do_not_depend_on_threads_or_restarts(void)
{
    static const int32_t threads[] = {1, 7};
    uint64_t expected = 0;
    for (int k = 0; k < 2; ++k)
    {
        fixture f = {.ctx = test_context(threads[k])}, g = {.ctx = test_context(2)};
        MUST(build(&f, 0.2, true));
        play(&f, 3);
        size_t size = pl_world_save_size(f.world);
        void *snapshot = malloc(size);
        MUST(pl_world_save(f.world, snapshot, size));
        play(&f, 3);
        expected = k == 0 ? hash_of(f.world) : expected;
        CHECK(hash_of(f.world) == expected);
        MUST(build(&g, 0.2, true));
        CHECK_OK(g.ctx, pl_world_load(g.world, snapshot, size));
        play(&g, 3);
        CHECK(hash_of(g.world) == expected);
        free(snapshot);
        fixture_done(&f);
        fixture_done(&g);
    }
}

// A liquid with a source, a drain and open sides is made and steps once.
static pl_status short_life(pl_context *ctx)
{
    pl_object_def def = pl_object_def_default();
    pool p = {.level = 0.5};
    pl__liquid_def plane = plane_of(1, 8);
    struct pl__shape *shape = NULL;
    pl__liquid *l = NULL;
    def.kind = PL_OBJECT_SPHERE;
    def.radius = 0.4;
    pl_status status = pl__shape_create(ctx, &def, &shape);
    pl__liquid_source source[2] = {{.shape = shape, .velocity = {1}, .rate = 0.01, .end = 1, .valve = 1},
                                   {.shape = shape, .drain = true, .end = 1, .valve = 1}};
    plane.source = source, plane.source_count = 2;
    plane.depth = 0.2;
    plane.closed[1] = false;
    plane.outside = (pl__outside){.held = true, .level = 0.5, .sponge = 0.3};
    status = status ? status : pl__liquid_create(ctx, &plane, pool_distance, &p, &no_obstacles, &l);
    status = status ? status : pl__liquid_step(l, 0.01, gravity, &no_obstacles);
    pl__liquid_destroy(&l);
    pl__shape_destroy(&shape);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(short_life) > 50); }

// ---- bad input -------------------------------------------------------------------------------------------------

static void expect(const fixture *f, pl_status status, const char *path, const char *sentence)
{
    const pl_context *ctx = f->ctx;
    CHECK(status == PL_ERR_ARGUMENT);
    CHECK_THAT(strcmp(pl_context_error_path(ctx), path) == 0, "%s instead of %s", pl_context_error_path(ctx), path);
    CHECK_THAT(strstr(pl_context_error(ctx), sentence) != NULL, "\"%s\" lacks \"%s\"", pl_context_error(ctx), sentence);
}

static pl_status add(fixture *f, const pl_liquid_def *def, const pl_domain_def *domain)
{
    pl_object_def rock = pl_object_def_default();
    pl_liquid_def pond = pl_liquid_def_default();
    rock.kind = PL_OBJECT_BOX;
    rock.extent[0] = rock.extent[2] = 4, rock.extent[1] = 1;
    pond.level = 0.5;
    fixture_done(f);
    f->ctx = test_context(1);
    pl_status status = pl_scene_create(f->ctx, &f->scene);
    status = status ? status : pl_scene_set_domain(f->scene, domain);
    status = status ? status : pl_scene_add_object(f->scene, "rock", &rock, NULL); // up to y = 0.5
    status = status ? status : pl_scene_add_liquid(f->scene, "water", def ? def : &pond, NULL);
    return status ? status : pl_world_create(f->scene, &f->world);
}

static void bad_sources_get_a_sentence(void)
{
    fixture f = {0};
    pl_domain_def domain = pl_domain_def_default();
    pl_object_def ball_def = pl_object_def_default();
    pl_liquid_def good = pl_liquid_def_default(), def;
    ball_def.kind = PL_OBJECT_SPHERE;
    ball_def.radius = 0.2;
    for (int i = 0; i < 3; ++i)
        domain.lower[i] = 0, domain.upper[i] = 1, good.at[i] = 0.7;
    domain.size = 0.1;
    good.shape = &ball_def, good.kind = PL_LIQUID_SOURCE, good.rate = 0.1;
    CHECK_OK(f.ctx, add(&f, &good, &domain));
    def = good, def.shape = NULL, def.level = 0.7, memset(def.at, 0, sizeof def.at);
    expect(&f, add(&f, &def, &domain), "liquids.water.kind", "a source needs a shape");
    def = good, def.kind = PL_LIQUID_START;
    expect(&f, add(&f, &def, &domain), "liquids.water.rate", "is for sources and drains");
    def = good, def.rate = 0;
    expect(&f, add(&f, &def, &domain), "liquids.water.kind", "needs a rate or a velocity");
    def = good, def.kind = PL_LIQUID_DRAIN, def.velocity[1] = 1;
    expect(&f, add(&f, &def, &domain), "liquids.water.velocity", "a drain takes liquid");
    def = good, def.start = 2, def.end = 1;
    expect(&f, add(&f, &def, &domain), "liquids.water.end", "1 s is not after its start, 2 s");
    def = good, def.at[0] = 3;
    expect(&f, add(&f, &def, &domain), "liquids.water.shape", "is outside the domain");
    def = good, def.at[1] = 0.2;
    expect(&f, add(&f, &def, &domain), "liquids.water.shape", "the source is inside an object");
    ball_def.radius = 0.04;
    expect(&f, add(&f, &good, &domain), "liquids.water.shape", "lies between the centers");
    fixture_done(&f);
}

static void bad_sides_get_a_sentence(void)
{
    fixture f = {0};
    pl_domain_def good = pl_domain_def_default(), domain;
    for (int i = 0; i < 3; ++i)
        good.lower[i] = 0, good.upper[i] = 1;
    good.size = 0.1;
    good.open = 1u << PL_SIDE_LOWER_X, good.held = 1, good.level = 0.8;
    CHECK_OK(f.ctx, add(&f, NULL, &good));
    domain = good, domain.open = 1u << PL_SIDE_UPPER_Y;
    expect(&f, add(&f, NULL, &domain), "domain.level", "none along x or z is open");
    domain = good, domain.level = -1;
    expect(&f, add(&f, NULL, &domain), "domain.level", "not above the bottom of the domain");
    domain = good, domain.level = 0.4;
    expect(&f, add(&f, NULL, &domain), "domain.level", "below the ground all along the open side -x");
    domain = good, domain.held = 0, domain.velocity[0] = 1;
    expect(&f, add(&f, NULL, &domain), "domain.velocity", "has no level");
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {LONG_TEST(sources_bring_their_rate),
                                    TEST(jets_bring_section_times_speed),
                                    TEST(drains_take_their_rate),
                                    TEST(uniform_currents_stay_uniform),
                                    LONG_TEST(waves_leave),
                                    TEST(water_falls_off_edges),
                                    TEST(drops_leave_through_open_sides),
                                    LONG_TEST(still_water_with_open_sides_stays_still),
                                    LONG_TEST(bits_do_not_depend_on_threads_or_restarts),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(bad_sources_get_a_sentence),
                                    TEST(bad_sides_get_a_sentence)};
    return RUN(tests);
}
