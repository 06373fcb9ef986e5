// tests/warmth.c -- temperature of liquids: law, conduction, cooling, motion, brushes, snapshots.
#include "fixture.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

typedef struct pool
{
    pl_context *ctx;
    pl_scene *scene;
    pl_world *world;
} pool;

#define DO(call)                                                                                                       \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_status do_status = (call);                                                                                  \
        if (do_status != PL_OK)                                                                                        \
        {                                                                                                              \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, pl_context_error(p.ctx));                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

// A box of a metre with 16 cells a side and no gravity; `shape` NULL: full up to the top but for half a cell.
static pool pool_make(const pl_liquid_def *liquid, double gravity)
{
    pool p = {.ctx = test_context(1)};
    pl_domain_def domain = pl_domain_def_default();
    for (int i = 0; i < 3; ++i)
        domain.upper[i] = 1;
    domain.size = 1.0 / 16;
    DO(pl_scene_create(p.ctx, &p.scene));
    DO(pl_scene_set_gravity(p.scene, (double[3]){0, gravity, 0}));
    DO(pl_scene_set_domain(p.scene, &domain));
    DO(pl_scene_add_liquid(p.scene, "wax", liquid, NULL));
    DO(pl_world_create(p.scene, &p.world));
    return p;
}

static void pool_done(pool *p)
{
    pl_world_destroy(&p->world);
    pl_scene_destroy(&p->scene);
    CHECK(pl_context_memory(p->ctx) == 0);
    pl_context_destroy(&p->ctx);
}

static void step(const pool *p_, double dt)
{
    pool p = *p_;
    pl_step_def def = pl_step_def_default();
    def.dt = dt;
    DO(pl_world_step(p.world, &def, NULL));
}

static pl__liquid *liquid_of(const pool *p) { return p->world->liquids.liquid; }

static pl_liquid_def wax(void)
{
    pl_liquid_def def = pl_liquid_def_default();
    def.level = 0.75;
    def.viscosity = 10;
    def.melting = 50;
    return def;
}

// Heat in the liquid [K cells], and its extremes.
static double heat_in(const pl__liquid *l, double *low, double *high)
{
    double sum = 0;
    *low = INFINITY, *high = -INFINITY;
    for (int32_t n = 0; n < l->state.grid.cell.value_count; ++n)
        if (l->state.phi[n] < 0)
        {
            sum += l->state.warmth[n];
            *low = fmin(*low, l->state.warmth[n]);
            *high = fmax(*high, l->state.warmth[n]);
        }
    return sum;
}

// ---- law -------------------------------------------------------------------------------------------------------

static void the_law_is_exponential(void)
{
    pl__warmth_law law = {.melting = 40};
    CHECK(pl__warmth_factor(&law, 0.01, 0) == 1);
    CHECK_NEAR(pl__warmth_factor(&law, 0.01, 20), 0.1, 1e-15);
    CHECK_NEAR(pl__warmth_factor(&law, 0.01, 40), 0.01, 1e-16);
    CHECK(pl__warmth_factor(&law, 0.01, 1e5) == pl__warmth_factor(&law, 0.01, 40));
    law.melting = 0;
    CHECK(pl__warmth_factor(&law, 0.01, 1e5) == 1);
}

// A liquid that is warm everywhere is the cold one with other numbers.
static void warm_liquids_are_thinner_ones(void)
{
    pl_object_def ball = pl_object_def_default();
    pl_liquid_def warm = wax(), thin;
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = 0.3;
    warm.level = 0;
    warm.shape = &ball;
    for (int i = 0; i < 3; ++i)
        warm.at[i] = 0.5;
    warm.at[1] = 0.31;
    warm.elasticity = 4000;
    thin = warm;
    warm.temperature = 25;
    thin.melting = 0;
    thin.viscosity *= 0.1;
    thin.elasticity *= 0.1;
    pool a = pool_make(&warm, -10), b = pool_make(&thin, -10);
    for (int k = 0; k < 6; ++k)
        step(&a, 0.01), step(&b, 0.01);
    pl_step_info x, y;
    CHECK_OK(a.ctx, pl_world_report(a.world, &x));
    CHECK_OK(b.ctx, pl_world_report(b.world, &y));
    CHECK(y.liquid_strain > 0.01);
    CHECK_NEAR(x.kinetic, y.kinetic, 1e-6 * y.kinetic); // of solves
    CHECK_NEAR(x.center[1], y.center[1], 1e-8);
    CHECK_NEAR(x.liquid_strain, y.liquid_strain, 1e-6);
    CHECK_NEAR(x.elastic, y.elastic, 1e-6 * y.elastic);
    pool_done(&a);
    pool_done(&b);
}

// ---- conduction and cooling ------------------------------------------------------------------------------------

// The first mode across a box decays at the rate of the differences, exp(-2 D (1 - cos(pi/n))/h^2 t), but for the
// length of steps; heat is kept to round-off and nothing gets warmer or colder than it was.
static void heat_spreads(void)
{
    pl_liquid_def def = wax();
    def.diffusivity = 0.01;
    pool p = pool_make(&def, 0);
    pl__liquid_state *s = &liquid_of(&p)->state;
    const pl__columns *c = &s->grid.cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (int32_t j = 0; j < c->ny; ++j)
        {
            int32_t n = pl__columns_uniform(c, column, j);
            if (n >= 0)
                s->warmth[n] = 20 + 10 * cos(pi * (column % c->nx + 0.5) / 16);
        }
    double low, high, before = heat_in(liquid_of(&p), &low, &high), rate = 2 * 0.01 * (1 - cos(pi / 16)) * 256;
    CHECK(before > 0);
    for (int k = 0; k < 40; ++k)
    {
        step(&p, 0.05);
        double least, most, now = heat_in(liquid_of(&p), &least, &most);
        CHECK_NEAR(now, before, 1e-10 * before);
        CHECK(least >= low - 1e-12 && most <= high + 1e-12);
        low = least, high = most;
    }
    CHECK_NEAR((high - 20) / (10 * cos(pi / 32)), exp(-2 * rate), 0.01 * exp(-2 * rate));
    pool_done(&p);
}

static void liquids_cool(void)
{
    pl_liquid_def def = wax();
    def.temperature = 30;
    def.cooling = 2;
    pool p = pool_make(&def, 0);
    for (int k = 0; k < 10; ++k)
        step(&p, 0.05);
    double low, high;
    (void)heat_in(liquid_of(&p), &low, &high);
    CHECK_NEAR(low, 30 * exp(-0.25), 1e-12);
    CHECK_NEAR(high, 30 * exp(-0.25), 1e-12);
    pool_done(&p);
}

// ---- motion ----------------------------------------------------------------------------------------------------

// Half of a ball that flies is warm, and stays the half that it was.
static void warmth_moves_along(void)
{
    pl_object_def ball = pl_object_def_default();
    pl_liquid_def def = wax();
    ball.kind = PL_OBJECT_SPHERE;
    ball.radius = 0.2;
    def.level = 0;
    def.shape = &ball;
    for (int i = 0; i < 3; ++i)
        def.at[i] = 0.5;
    def.at[1] = 0.3;
    def.velocity[1] = 1;
    pool p = pool_make(&def, 0);
    pl__liquid_state *s = &liquid_of(&p)->state;
    const pl__columns *c = &s->grid.cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (int32_t j = 0; j < c->ny; ++j)
        {
            int32_t n = pl__columns_uniform(c, column, j);
            if (n >= 0)
                s->warmth[n] = (j + 0.5) / 16 > 0.3 ? 40 : 0;
        }
    for (int k = 0; k < 8; ++k)
        step(&p, 0.05);
    s = &liquid_of(&p)->state;
    double at, far[2] = {0, 0};
    for (int end = 0; end < 2; ++end)
        CHECK(pl__columns_sample(&s->grid.cell, s->warmth, (double[3]){0.5, end ? 0.83 : 0.57, 0.5}, &far[end]));
    CHECK(pl__columns_sample(&s->grid.cell, s->warmth, (double[3]){0.5, 0.7, 0.5}, &at));
    CHECK_NEAR(far[0], 0, 0.8); // two cells away the jump is smeared by 2 %
    CHECK_NEAR(far[1], 40, 0.8);
    CHECK_NEAR(at, 20, 10); // where they meet: within a quarter of a cell
    pool_done(&p);
}

// ---- brushes ---------------------------------------------------------------------------------------------------

static void brushes_paint_liquids(void)
{
    pl_liquid_def def = wax();
    def.elasticity = 1000;
    def.at[0] = 0;
    pool p = pool_make(&def, 0);
    double low, high, at[3] = {0.5, 0.4, 0.5};
    pl__liquid *l = liquid_of(&p);
    CHECK_OK(p.ctx, pl_world_heat(p.world, at, 0.3, 20));
    (void)heat_in(l, &low, &high);
    CHECK(low == 0 && high > 18 && high <= 20);
    CHECK_OK(p.ctx, pl_world_heat(p.world, at, 0.3, -100));
    (void)heat_in(l, &low, &high);
    CHECK(low == 0 && high < 20);
    for (int m = 0; m < PL__TENSOR; ++m)
        for (int32_t n = 0; n < pl__elastic_lattice(&l->state.grid.cell, &l->state.elastic.edges, m)->value_count; ++n)
            l->state.elastic.strain[m][n] = 0.1;
    CHECK_OK(p.ctx, pl_world_forget(p.world, at, 0.3, 1));
    double here, there;
    CHECK(pl__columns_sample(&l->state.grid.cell, l->state.elastic.strain[0], at, &here));
    CHECK(pl__columns_sample(&l->state.grid.cell, l->state.elastic.strain[0], (double[3]){0.9, 0.4, 0.5}, &there));
    CHECK(here < 0.01 && there == 0.1);
    CHECK(pl_world_forget(p.world, at, 0.3, 2) == PL_ERR_ARGUMENT);
    CHECK(pl_world_forget(p.world, at, 0, 1) == PL_ERR_ARGUMENT);
    CHECK(pl_world_forget(p.world, (double[3]){NAN, 0, 0}, 0.3, 1) == PL_ERR_ARGUMENT);
    pool_done(&p);
}

// Fields at the vertices of the surface, and of the cells.
static void fields_are_told(void)
{
    pl_liquid_def def = wax();
    def.temperature = 30;
    def.elasticity = 100;
    def.velocity[0] = 0.5;
    pool p = pool_make(&def, 0);
    pl_drawable d;
    CHECK_OK(p.ctx, pl_world_drawable(p.world, 0, &d));
    CHECK(d.vertex_count > 100);
    float *values = malloc((size_t)d.vertex_count * sizeof *values);
    CHECK_OK(p.ctx, pl_drawable_read_field(p.world, 0, "temperature", values));
    for (int32_t n = 0; n < d.vertex_count; ++n)
        CHECK_NEAR(values[n], 30, 1e-5);
    CHECK_OK(p.ctx, pl_drawable_read_field(p.world, 0, "strain", values));
    CHECK(values[0] == 0);
    CHECK_OK(p.ctx, pl_drawable_read_field(p.world, 0, "speed", values));
    CHECK_NEAR(values[0], 0.5, 1e-6);
    CHECK_OK(p.ctx, pl_drawable_read_field(p.world, 0, "stress", values));
    CHECK(values[0] == 0);
    CHECK(pl_drawable_read_field(p.world, 99, "speed", values) == PL_ERR_ARGUMENT);
    free(values);
    int32_t count = pl_world_liquid_cell_count(p.world);
    double *T = malloc((size_t)count * sizeof *T), most = 0;
    CHECK_OK(p.ctx, pl_world_liquid_read_cells(p.world, &(pl_liquid_cells){.temperatures = T}));
    for (int32_t n = 0; n < count; ++n)
        most = fmax(most, T[n]);
    CHECK(most == 30);
    free(T);
    pool_done(&p);
}

// ---- snapshots -------------------------------------------------------------------------------------------------

static void snapshots_have_it(void)
{
    pl_liquid_def def = wax();
    def.diffusivity = 1e-3;
    pool p = pool_make(&def, -10), q = pool_make(&def, -10);
    CHECK_OK(p.ctx, pl_world_heat(p.world, (double[3]){0.3, 0.5, 0.5}, 0.3, 30));
    step(&p, 0.02);
    size_t size = pl_world_save_size(p.world);
    void *bytes = malloc(size), *again = malloc(size);
    CHECK_OK(p.ctx, pl_world_save(p.world, bytes, size));
    CHECK_OK(q.ctx, pl_world_load(q.world, bytes, size));
    step(&p, 0.02);
    step(&q, 0.02);
    CHECK(pl_world_save_size(p.world) == pl_world_save_size(q.world));
    size = pl_world_save_size(p.world);
    bytes = realloc(bytes, size), again = realloc(again, size);
    CHECK_OK(p.ctx, pl_world_save(p.world, bytes, size));
    CHECK_OK(q.ctx, pl_world_save(q.world, again, size));
    CHECK(memcmp(bytes, again, size) == 0);
    free(bytes), free(again);
    pool_done(&p);
    pool_done(&q);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(the_law_is_exponential), TEST(warm_liquids_are_thinner_ones),
        TEST(heat_spreads),           TEST(liquids_cool),
        TEST(warmth_moves_along),     TEST(brushes_paint_liquids),
        TEST(fields_are_told),        TEST(snapshots_have_it),
    };
    return RUN(tests);
}
