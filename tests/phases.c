// tests/phases.c -- several liquids in one tank: division, volume, rest, densities, bits, failures.
#include "base/hash.h"
#include "base/random.h"
#include "fluid/phases_step.h"
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

static const pl__liquid *liquid_of(const fixture *f) { return f->world->liquids.liquid; }

// A box of n cells along each axis, or one cell thick.
static void begin(fixture *f, int32_t threads, int32_t n, const double extent[3])
{
    pl_domain_def domain = pl_domain_def_default();
    f->ctx = test_context(threads);
    for (int i = 0; i < 3; ++i)
        domain.upper[i] = extent[i];
    domain.size = extent[0] / n;
    MUST(pl_scene_create(f->ctx, &f->scene));
    MUST(pl_scene_set_domain(f->scene, &domain));
}

static void add_level(fixture *f, const char *name, double level, double density, double viscosity)
{
    pl_liquid_def def = pl_liquid_def_default();
    def.level = level;
    def.density = density;
    def.viscosity = viscosity;
    CHECK_OK(f->ctx, pl_scene_add_liquid(f->scene, name, &def, NULL));
}

static void add_ball(fixture *f, const char *name, double x, double y, double z, double radius, double density)
{
    pl_liquid_def def = pl_liquid_def_default();
    pl_object_def ball = pl_object_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = radius;
    def.shape = &ball;
    def.at[0] = x, def.at[1] = y, def.at[2] = z;
    def.density = density;
    CHECK_OK(f->ctx, pl_scene_add_liquid(f->scene, name, &def, NULL));
}

static void play(const fixture *f, int frames)
{
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    for (int k = 0; k < frames; ++k)
        CHECK_OK(f->ctx, pl_world_step(f->world, &step, &info));
}

// ---- rest ------------------------------------------------------------------------------------------------------

// Layers of two cells and more, at any height within cells, and around a ball.
static void layers_at_rest_stay_at_rest(void)
{
    static const double cube[3] = {1, 1, 1};
    for (int k = 0; k < 3; ++k)
    {
        fixture f;
        begin(&f, 1, 12, cube);
        add_level(&f, "oil", 0.713 + 0.031 * k, 800, 0);
        add_level(&f, "water", 0.387 + 0.017 * k, 1000, 0);
        add_level(&f, "mercury", 0.2131 + 0.021 * k, k == 2 ? 800000 : 13500, 0);
        if (k > 0)
        {
            pl_object_def ball = pl_object_def_default();
            ball.kind = PL_OBJECT_SPHERE;
            ball.radius = 0.21;
            ball.at[0] = 0.4, ball.at[1] = 0.3, ball.at[2] = 0.55;
            MUST(pl_scene_add_object(f.scene, "ball", &ball, NULL));
        }
        CHECK_OK(f.ctx, pl_world_create(f.scene, &f.world));
        play(&f, slow_tests ? 200 : 12);
        pl_step_info info;
        MUST(pl_world_report(f.world, &info));
        CHECK_THAT(info.liquid_speed < 1e-9, "speed %g, %d", info.liquid_speed, k);
        fixture_done(&f);
    }
}

// ---- volume ----------------------------------------------------------------------------------------------------

// What is shown of each liquid, drops included, over what there should be; `sum` is what all show.
static double worst_drift(const fixture *f, double *sum)
{
    pl__phase_sums sums[PL__MOST_LIQUIDS];
    const pl__liquid *l = liquid_of(f);
    double worst = 0;
    pl__phases_sum(l, sums);
    *sum = 0;
    for (int32_t i = 0; i < l->state.phases.count; ++i)
    {
        worst = fmax(worst, fabs((sums[i].volume + sums[i].spray) / sums[i].due - 1));
        *sum += sums[i].volume;
    }
    return worst;
}

// Counts and drops of each over what is due.
static double worst_count(const fixture *f)
{
    const pl__liquid *l = liquid_of(f);
    const pl__phases *p = &l->state.phases;
    pl__phase_sums sums[PL__MOST_LIQUIDS];
    double worst = 0, h = l->def.h;
    size_t cells = (size_t)l->state.grid.cell.value_count;
    pl__phases_sum(l, sums);
    for (int32_t i = 0; i < p->count; ++i)
    {
        double count = 0;
        for (size_t n = 0; n < cells; ++n)
            count += h * h * h * p->volume[(size_t)i * cells + n];
        worst = fmax(worst, fabs((count + sums[i].spray) / p->due[i] - 1));
    }
    return worst;
}

// The largest sum of the two smallest distances in a cell, over the size of cells: 0 where liquids neither overlap nor
// leave gaps.
static double worst_gap(const fixture *f)
{
    const pl__liquid *l = liquid_of(f);
    const pl__phases *p = &l->state.phases;
    size_t cells = (size_t)l->state.grid.cell.value_count;
    double worst = 0;
    for (size_t n = 0; n < cells; ++n)
    {
        double least = INFINITY, second = INFINITY;
        for (int32_t i = 0; i < p->count; ++i)
        {
            double value = p->phi[(size_t)i * cells + n];
            second = fmin(second, fmax(least, value));
            least = fmin(least, value);
        }
        worst = fmax(worst, fabs(least + second) / l->def.h);
    }
    return worst;
}

static void add_four(fixture *f)
{
    add_level(f, "oil", 0.6, 800, 0);
    add_level(f, "water", 0.3, 1000, 0);
    add_ball(f, "drop", 0.5, 0.8, 0.5, 0.16, 3000);
    add_ball(f, "cork", 0.27, 0.2, 0.3, 0.15, 100);
    CHECK_OK(f->ctx, pl_world_create(f->scene, &f->world));
}

// A heavy ball falls through oil and water, a light one rises: each liquid is within 1 % of its volume at any time, and
// their sum is that of all.
static void liquids_keep_their_volume(void)
{
    static const double cube[3] = {1, 1, 1};
    fixture f;
    begin(&f, 1, slow_tests ? 24 : 14, cube);
    add_four(&f);
    for (int frame = 0; frame < (slow_tests ? 120 : 18); ++frame)
    {
        pl_step_info info;
        double sum, worst;
        play(&f, 1);
        MUST(pl_world_report(f.world, &info));
        worst = worst_drift(&f, &sum);
        CHECK_THAT(worst < 0.01, "drift %g in frame %d", worst, frame);
        CHECK_NEAR(sum / info.liquid_volume, 1, 1e-12);
        CHECK_THAT(worst_count(&f) < 1e-6, "count %g in frame %d", worst_count(&f), frame);
        CHECK_THAT(worst_gap(&f) < 1e-12, "overlap or gap %g cells in frame %d", worst_gap(&f), frame);
    }
    fixture_done(&f);
}

// A source among others: what comes of its liquid is its rate, and the others stay.
static void sources_bring_their_liquid(void)
{
    static const char text[] =
        "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": 0.1}, \"liquids\": {"
        " \"water\": {\"level\": 0.4},"
        " \"oil\": {\"kind\": \"source\", \"shape\": {\"sphere\": 0.2}, \"at\": [0.3, 0.7, 0.5], \"velocity\": [0, -1, "
        "0], \"rate\": 0.1, \"density\": 700},"
        " \"more\": {\"kind\": \"source\", \"of\": \"water\", \"shape\": {\"sphere\": 0.2}, \"at\": [0.7, 0.7, 0.5], "
        "\"velocity\": [0, -1, 0], \"rate\": 0.05},"
        " \"hole\": {\"kind\": \"drain\", \"shape\": {\"sphere\": 0.2}, \"at\": [0.7, 0.1, 0.5], \"rate\": 0.02}}}";
    fixture f = {.ctx = test_context(1)};
    CHECK_OK(f.ctx, pl_scene_parse(f.ctx, "text", text, strlen(text), &f.scene));
    CHECK_OK(f.ctx, pl_world_create(f.scene, &f.world));
    play(&f, 12);
    const pl__phases *p = &liquid_of(&f)->state.phases;
    CHECK_NEAR(p->added[1], 0.1 * 0.5, 1e-9);
    CHECK_NEAR(p->added[0], (0.05 - 0.02) * 0.5, 1e-9);
    CHECK_THAT(worst_count(&f) < 1e-2, "count %g", worst_count(&f));
    fixture_done(&f);
}

// ---- density ---------------------------------------------------------------------------------------------------

// A ball a thousand times as heavy as what it falls into: few iterations, no speed beyond that of its fall.
static void heavy_liquids_are_solved(void)
{
    static const double cube[3] = {1, 1, 1};
    fixture f;
    begin(&f, 1, 16, cube);
    add_level(&f, "light", 0.7, 1, 0);
    add_ball(&f, "heavy", 0.45, 0.5, 0.52, 0.17, 1000);
    CHECK_OK(f.ctx, pl_world_create(f.scene, &f.world));
    for (int frame = 0; frame < (slow_tests ? 120 : 16); ++frame)
    {
        pl_step_info info;
        play(&f, 1);
        MUST(pl_world_report(f.world, &info));
        CHECK_THAT(info.liquid_speed < 10, "%g m/s in frame %d", info.liquid_speed, frame);
        CHECK_THAT(info.liquid_iterations < 40, "%d iterations", info.liquid_iterations);
    }
    fixture_done(&f);
}

// Light liquid below heavy liquid in a full box: a cosine grows at sqrt(A g k tanh(k H)), with H the depth of each.
static void waves_between_liquids_grow_as_theory_has_it(void)
{
    enum
    {
        SAMPLES = 200
    };
    static const double extent[3] = {1, 2, 1.0 / 48};
    const double amplitude = 0.001, density[2] = {3000, 1000}, g = 9.81, wave = M_PI;
    double heights[2 * SAMPLES], start = 0, now = 0;
    for (int n = 0; n < 2 * SAMPLES; ++n)
        heights[n] = 1 + amplitude * cos(wave * (1.4 * (n % SAMPLES) / (SAMPLES - 1) - 0.2));
    fixture f;
    begin(&f, 1, 48, extent);
    add_level(&f, "heavy", 3, density[0], 0);
    pl_liquid_def def = pl_liquid_def_default();
    pl_object_def ground = pl_object_def_default();
    ground.kind = PL_OBJECT_HEIGHT_FIELD;
    ground.heights = heights, ground.rows = 2, ground.columns = SAMPLES;
    ground.extent[0] = 1.4, ground.extent[2] = 1;
    def.at[0] = 0.5;
    def.shape = &ground;
    def.density = density[1];
    CHECK_OK(f.ctx, pl_scene_add_liquid(f.scene, "light", &def, NULL));
    CHECK_OK(f.ctx, pl_world_create(f.scene, &f.world));
    pl_step_def step = pl_step_def_default();
    step.dt = 1.0 / 120;
    double rate = sqrt((density[0] - density[1]) / (density[0] + density[1]) * g * wave * tanh(wave));
    for (int k = 0; k <= 90; ++k)
    {
        const pl__liquid *l = liquid_of(&f);
        const pl__columns *c = &l->state.grid.cell;
        now = 0;
        for (int32_t i = 0; i < c->nx; ++i)
            for (int32_t j = 0; j < c->ny; ++j)
                now += pl__phase(l->state.phases.part, c, 1)[pl__columns_uniform(c, i, j)] *
                       cos(wave * (i + 0.5) / c->nx) * c->h * 2 / c->nx;
        start = k == 0 ? now : start;
        if (k == 90)
            break;
        CHECK_OK(f.ctx, pl_world_step(f.world, &step, NULL));
    }
    double growth = now / start;
    CHECK_NEAR(log(growth + sqrt(growth * growth - 1)) / (90 * step.dt) / rate, 1, 0.04); // cosh rate t
    fixture_done(&f);
}

// ---- stress ----------------------------------------------------------------------------------------------------

// A ball of a second liquid that turns in a full box, around which another one rests: thick liquid drags it, thin
// liquid does not; a ball of jelly in a liquid that falls as one keeps no strain.
static double turning_after(double viscosity_of_ball, double viscosity_around)
{
    static const double cube[3] = {1, 1, 1};
    fixture f;
    begin(&f, 1, 12, cube);
    pl_object_def ball = pl_object_def_default();
    pl_liquid_def def = pl_liquid_def_default();
    add_level(&f, "around", 2, 1000, viscosity_around);
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = 0.3;
    def.shape = &ball;
    def.at[0] = def.at[1] = def.at[2] = 0.5;
    def.spin[1] = 90;
    def.density = 1001;
    def.viscosity = viscosity_of_ball;
    CHECK_OK(f.ctx, pl_scene_add_liquid(f.scene, "ball", &def, NULL));
    CHECK_OK(f.ctx, pl_world_create(f.scene, &f.world));
    play(&f, 3);
    pl_step_info info;
    MUST(pl_world_report(f.world, &info));
    fixture_done(&f);
    return info.kinetic;
}

static void viscosity_is_that_of_each(void)
{
    double thin = turning_after(1000, 0), both = turning_after(1000, 1000);
    CHECK_THAT(thin > 4 * both, "%g J where only the ball is thick, %g J where all is", thin, both);
    CHECK(turning_after(0, 0.001) > 0);
}

// Strain is that of the elastic liquid: a jelly that lands in water has some, and forgets it when its elasticity is 0.
static void only_elastic_liquids_are_strained(void)
{
    static const double cube[3] = {1, 1, 1};
    fixture f;
    begin(&f, 1, 12, cube);
    add_level(&f, "water", 0.4, 1000, 0);
    pl_object_def ball = pl_object_def_default();
    pl_liquid_def def = pl_liquid_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = 0.2;
    def.shape = &ball;
    def.at[0] = def.at[2] = 0.5, def.at[1] = 0.65;
    def.density = 1500;
    def.viscosity = 5;
    def.elasticity = 3000;
    CHECK_OK(f.ctx, pl_scene_add_liquid(f.scene, "jelly", &def, NULL));
    CHECK_OK(f.ctx, pl_world_create(f.scene, &f.world));
    play(&f, 6);
    pl_step_info info;
    MUST(pl_world_report(f.world, &info));
    CHECK_THAT(info.liquid_strain > 0.01 && info.elastic > 0, "strain %g", info.liquid_strain);
    double elastic = 0;
    for (int32_t i = 0; i < pl_world_drawable_count(f.world); ++i)
    {
        pl_drawable d;
        pl_step_info of;
        MUST(pl_world_drawable(f.world, i, &d));
        MUST(pl_drawable_report(f.world, i, &of));
        bool jelly = strcmp(d.name, "jelly") == 0;
        CHECK_THAT((of.liquid_strain > 0.01) == jelly, "%s: strain %g", d.name, of.liquid_strain);
        CHECK(!jelly || of.liquid_axes[0] < 0.6); // the other is as wide as the box
        elastic += of.elastic;
    }
    CHECK_NEAR(elastic / info.elastic, 1, 1e-9);
    CHECK_OK(f.ctx, pl_world_set(f.world, pl_world_find_param(f.world, "liquids.jelly.elasticity"), 0));
    CHECK_OK(f.ctx, pl_world_set(f.world, pl_world_find_param(f.world, "liquids.jelly.density"), 500));
    CHECK(pl_world_set(f.world, pl_world_find_param(f.world, "liquids.jelly.density"), 1e8) == PL_ERR_ARGUMENT);
    play(&f, 1);
    MUST(pl_world_report(f.world, &info));
    CHECK(info.liquid_strain == 0);
    fixture_done(&f);
}

// ---- bits and failures -----------------------------------------------------------------------------------------

// A jelly and a heavy ball fall into oil and water, beside an object.
static pl_status build(fixture *f, double size)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"domain\": {\"box\": [[0, 0, 0], [1, 1, 1]], \"size\": %g}, \"objects\": {\"ball\": {\"shape\": "
             "{\"sphere\": 0.15}, \"at\": [0.7, 0.3, 0.6]}}, \"liquids\": {"
             " \"oil\": {\"level\": 0.5, \"density\": 800, \"viscosity\": 0.1}, \"water\": {\"level\": 0.3},"
             " \"heavy\": {\"shape\": {\"sphere\": 0.15}, \"at\": [0.3, 0.75, 0.5], \"density\": {\"keys\": [[0, "
             "2000], [1, 3000]]}, \"velocity\": [0, -2, 0]},"
             " \"jelly\": {\"shape\": {\"sphere\": 0.15}, \"at\": [0.7, 0.72, 0.5], \"velocity\": [0, -2, 0], "
             "\"viscosity\": 5, \"elasticity\": 2000, \"yield\": 0.1, \"flow\": 5}}}",
             size);
    pl_status status = pl_scene_parse(f->ctx, "text", text, strlen(text), &f->scene);
    return status ? status : pl_world_create(f->scene, &f->world);
}

static uint64_t hash_of(const pl_world *world)
{
    const pl__liquid_state *s = &world->liquids.liquid->state;
    size_t cells = (size_t)s->grid.cell.value_count;
    uint64_t h = pl__hash(0, s->phi, cells * sizeof(double));
    h = pl__hash(h, s->phases.phi, (size_t)s->phases.count * cells * sizeof(double));
    h = pl__hash(h, s->phases.volume, (size_t)s->phases.count * cells * sizeof(double));
    for (int axis = 0; axis < 3; ++axis)
        h = pl__hash(h, s->u[axis], (size_t)s->grid.face[axis].value_count * sizeof(double));
    return h;
}

static void bits_do_not_depend_on_threads_or_restarts(void)
{
    static const int32_t threads[] = {1, 7, 2};
    uint64_t expected = 0;
    for (int k = 0; k < 2 + slow_tests; ++k)
    {
        fixture f = {.ctx = test_context(threads[k])}, g = {.ctx = test_context(2)};
        CHECK_OK(f.ctx, build(&f, 0.1));
        play(&f, 3);
        size_t size = pl_world_save_size(f.world);
        void *snapshot = malloc(size);
        MUST(pl_world_save(f.world, snapshot, size));
        play(&f, 3);
        expected = k == 0 ? hash_of(f.world) : expected;
        CHECK(hash_of(f.world) == expected);
        MUST(build(&g, 0.1));
        CHECK_OK(g.ctx, pl_world_load(g.world, snapshot, size));
        play(&g, 3);
        CHECK(hash_of(g.world) == expected);
        free(snapshot);
        fixture_done(&f);
        fixture_done(&g);
    }
}

static void damaged_snapshots_are_survived(void)
{
    fixture f = {.ctx = test_context(1)};
    MUST(build(&f, 0.125));
    play(&f, 2);
    size_t size = pl_world_save_size(f.world);
    char *snapshot = malloc(size), *damaged = malloc(size);
    MUST(pl_world_save(f.world, snapshot, size));
    for (uint64_t k = 0; k < 40; ++k)
    {
        memcpy(damaged, snapshot, size);
        size_t at = (size_t)(pl__random01(1, 2, k) * (double)size);
        damaged[at] = (char)(damaged[at] ^ (1 << k % 8));
        if (pl_world_load(f.world, damaged, size) == PL_OK)
            play(&f, 1);
    }
    CHECK_OK(f.ctx, pl_world_load(f.world, snapshot, size));
    free(snapshot);
    free(damaged);
    fixture_done(&f);
}

static pl_status whole_program(pl_context *ctx)
{
    fixture f = {.ctx = ctx};
    pl_step_def step = pl_step_def_default();
    pl_drawable d;
    step.dt = 0.005;
    pl_status status = build(&f, 0.25);
    status = status ? status : pl_world_step(f.world, &step, NULL);
    status = status ? status : pl_world_drawable(f.world, 0, &d);
    pl_world_destroy(&f.world);
    pl_scene_destroy(&f.scene);
    return status;
}

static void every_failed_allocation_is_survived(void)
{
    int64_t needed = survive_every_failure(whole_program);
    CHECK_THAT(needed > 30, "%lld", (long long)needed);
}

// ---- pictures --------------------------------------------------------------------------------------------------

// A surface of each liquid, closed: every edge once in each direction, and the volume within.
static void surfaces_are_closed(void)
{
    fixture f = {.ctx = test_context(1)};
    MUST(build(&f, 0.0625));
    play(&f, 3);
    CHECK(pl_world_drawable_count(f.world) == 8);
    for (int32_t i = 0; i < 4; ++i)
    {
        pl_drawable d;
        pl_step_info info;
        double volume = 0;
        CHECK_OK(f.ctx, pl_world_drawable(f.world, i, &d));
        CHECK_OK(f.ctx, pl_drawable_report(f.world, i, &info));
        double *x = calloc(3 * (size_t)d.vertex_count + 1, sizeof *x);
        CHECK_OK(f.ctx, pl_drawable_read(f.world, i, x, NULL, NULL));
        for (int32_t t = 0; t < d.triangle_count; ++t)
        {
            const double *a = x + 3 * (size_t)d.triangles[3 * t], *b = x + 3 * (size_t)d.triangles[3 * t + 1],
                         *c = x + 3 * (size_t)d.triangles[3 * t + 2];
            volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0])) /
                      6;
        }
        CHECK_THAT(fabs(volume / info.liquid_volume - 1) < (i < 2 ? 0.05 : 0.2), "%s: %g in its surface, %g counted",
                   d.name, volume, info.liquid_volume);
        CHECK(d.inner != NULL);
        free(x);
    }
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(layers_at_rest_stay_at_rest),
                                    LONG_TEST(liquids_keep_their_volume),
                                    TEST(sources_bring_their_liquid),
                                    LONG_TEST(heavy_liquids_are_solved),
                                    TEST(waves_between_liquids_grow_as_theory_has_it),
                                    TEST(viscosity_is_that_of_each),
                                    TEST(only_elastic_liquids_are_strained),
                                    LONG_TEST(bits_do_not_depend_on_threads_or_restarts),
                                    TEST(damaged_snapshots_are_survived),
                                    LONG_TEST(every_failed_allocation_is_survived),
                                    TEST(surfaces_are_closed)};
    return RUN(tests);
}
