// tests/phases.c -- several liquids in one tank: division, volume, rest, densities, bits, failures.
#include "base/hash.h"
#include "fluid/phases_step.h"
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

static void report(const fixture *f, int frame)
{
    pl__phase_sums sums[PL__MOST_LIQUIDS];
    const pl__liquid *l = liquid_of(f);
    pl__liquid_sums all;
    MUST(pl__liquid_sum((pl__liquid *)l, &all));
    pl__phases_sum(l, sums);
    printf("%3d t %.3f steps %d its %d speed %.3g spray %.2g vol %.6f:", frame, l->state.time, l->info.substeps,
           l->info.pressure.solve.iterations, all.speed, all.spray, all.volume / pl__liquid_due_volume(l) - 1);
    for (int32_t i = 0; i < l->state.phases.count; ++i)
    {
        double counted = 0, h = l->def.h;
        for (int32_t n = 0; n < l->state.grid.cell.value_count; ++n)
            counted += l->state.phases.volume[i * l->state.grid.cell.value_count + n] * h * h * h;
        printf("  %.4f%% (count %.5f%%, spray %.3f%%)", 100 * (sums[i].volume + sums[i].spray) / sums[i].due - 100,
               100 * (counted + sums[i].spray) / sums[i].due - 100, 100 * sums[i].spray / sums[i].due);
    }
    printf("\n");
}

static void liquids_keep_their_volume(void)
{
    static const double cube[3] = {1, 1, 1};
    fixture f;
    begin(&f, 1, 20, cube);
    add_level(&f, "oil", 0.6, 800, 0);
    add_level(&f, "water", 0.3, 1000, 0);
    add_ball(&f, "drop", 0.5, 0.8, 0.5, 0.15, 3000);
    add_ball(&f, "cork", 0.3, 0.15, 0.3, 0.1, 100);
    CHECK_OK(f.ctx, pl_world_create(f.scene, &f.world));
    for (int frame = 0; frame < 120; ++frame)
    {
        if (frame % 6 == 0)
            report(&f, frame);
        play(&f, 1);
    }
    report(&f, 120);
    fixture_done(&f);
}

// ---- instability -----------------------------------------------------------------------------------------------

// Light liquid below heavy liquid in a full box: a cosine grows at sqrt(A g k tanh(k H)), with H the depth of each.
static void waves_between_liquids_grow_as_theory_has_it(void)
{
    static const double extent[3] = {1, 2, 1.0 / 48};
    const double amplitude = 0.001, density[2] = {3000, 1000}, g = 9.81, wave = M_PI;
    double heights[200];
    for (int n = 0; n < 200; ++n)
        heights[n] = 1 + amplitude * cos(M_PI * (1.4 * n / 199 - 0.2));
    fixture f;
    begin(&f, 1, 48, extent);
    add_level(&f, "heavy", 3, density[0], 0);
    pl_liquid_def def = pl_liquid_def_default();
    pl_object_def ground = pl_object_def_default();
    double both[400];
    for (int n = 0; n < 400; ++n)
        both[n] = heights[n % 200];
    ground.kind = PL_OBJECT_HEIGHT_FIELD;
    ground.heights = both, ground.rows = 2, ground.columns = 200;
    ground.extent[0] = 1.4, ground.extent[2] = 1;
    def.at[0] = 0.5;
    def.shape = &ground;
    def.density = density[1];
    if (pl_scene_add_liquid(f.scene, "light", &def, NULL)) printf("%s\n", pl_context_error(f.ctx)), fflush(stdout);
    if (pl_world_create(f.scene, &f.world)) printf("%s\n", pl_context_error(f.ctx)), fflush(stdout);
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    step.dt = 1.0 / 120;
    double rate = sqrt((density[0] - density[1]) / (density[0] + density[1]) * g * wave * tanh(wave));
    for (int k = 0; k < 130; ++k)
    {
        const pl__liquid *l = liquid_of(&f);
        const pl__columns *c = &l->state.grid.cell;
        double sum = 0;
        for (int32_t i = 0; i < c->nx; ++i)
            for (int32_t j = 0; j < c->ny; ++j)
                sum += l->state.phases.part[c->value_count + pl__columns_uniform(c, i, j)] * cos(wave * (i + 0.5) / c->nx) * c->h * 2 / c->nx;
        if (k % 10 == 0 && getenv("DBG"))
            for (int m = 1; m < 48; ++m)
            {
                double q = 0;
                for (int32_t i = 0; i < c->nx; ++i)
                    for (int32_t j = 0; j < c->ny; ++j)
                        q += l->state.phases.part[c->value_count + pl__columns_uniform(c, i, j)] * cos(m * wave * (i + 0.5) / c->nx) * c->h * 2 / c->nx;
                printf("%s%.1e", m > 1 ? " " : "   ", q);
                if (m == 47) printf("\n");
            }
        if (k % 10 == 0)
            printf("%g amplitude %.8g theory %.8g ratio %.5f\n", l->state.time, sum, amplitude * cosh(rate * l->state.time), sum / (amplitude * cosh(rate * l->state.time)));
        CHECK_OK(f.ctx, pl_world_step(f.world, &step, &info));
    }
    report(&f, 0);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(layers_at_rest_stay_at_rest), LONG_TEST(liquids_keep_their_volume), TEST(waves_between_liquids_grow_as_theory_has_it)};
    return RUN(tests);
}
