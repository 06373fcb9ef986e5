// tests/stage.c -- stages of a step run in order, at their points, and what they do to velocities counts; steppers take
// part in it.
#include "fixture.h"

#include <string.h>

enum
{
    LOG = 64
};

typedef struct
{
    char name[LOG]; // one letter per run
    int count;
} record;

typedef struct
{
    record *log;
    char letter;
    bool off;
} witness;

static void note(void *user, const pl__stage_input *in)
{
    witness *w = user;
    CHECK(in->solids && in->objects && in->x && in->dt > 0 && (in->v == NULL) == (in->x_end != NULL));
    if (w->log->count < LOG - 1)
        w->log->name[w->log->count++] = w->letter;
}

static bool is_on(const void *user) { return !((const witness *)user)->off; }

static fixture falling(bool euler)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.5;
    def.gravity[1] = -10;
    def.solver.integrator = euler ? PL_INTEGRATOR_IMPLICIT_EULER : PL_INTEGRATOR_SEMI_IMPLICIT;
    def.solver.substep = 1e-3;
    return fixture_make(&def);
}

// By point first, then by registration, whatever the order of registration; stages that are not active are left out.
static void stages_run_in_order(void)
{
    for (int euler = 0; euler < 2; ++euler)
    {
        fixture f = falling(euler);
        record log = {0};
        witness w[] = {{&log, 'n', false}, {&log, 'p', false}, {&log, 'a', false},
                       {&log, 'b', false}, {&log, 'c', false}, {&log, 'x', true}};
        const pl__stage_point point[] = {PL__NEW_VELOCITIES,   PL__AFTER_POSITIONS, PL__BEFORE_POSITIONS,
                                         PL__BEFORE_POSITIONS, PL__AFTER_COLLISION, PL__BEFORE_POSITIONS};
        for (size_t i = 0; i < sizeof w / sizeof w[0]; ++i)
            MUST(pl__stages_add(f.ctx, &f.world->stages, &(pl__stage){"witness", point[i], is_on, note, &w[i]}));
        (void)fixture_step(&f, 2e-3);
        CHECK_THAT(strcmp(log.name, euler ? "abpnabpn" : "abcpnabcpn") == 0, "%s", log.name);
        fixture_done(&f);
    }
}

static void stop(void *user, const pl__stage_input *in)
{
    (void)user;
    memset(in->v, 0, 3 * (size_t)in->solids->node_count * sizeof *in->v);
}

// A filter of displacements that stops everything leaves nodes where they are, while velocities grow by g dt; one of
// new velocities leaves them at rest.
static void filters_change_motion(void)
{
    for (int euler = 0; euler < 2; ++euler)
        for (int at_end = 0; at_end < 2; ++at_end)
        {
            fixture f = falling(euler);
            size_t n = 3 * (size_t)f.world->solids.node_count;
            double *before = malloc(n * sizeof *before), moved = 0, speed = 0;
            memcpy(before, f.world->solids.state.x, n * sizeof *before);
            pl__stage_point point = at_end ? PL__NEW_VELOCITIES : PL__BEFORE_POSITIONS;
            MUST(pl__stages_add(f.ctx, &f.world->stages, &(pl__stage){"stop", point, NULL, stop, NULL}));
            (void)fixture_step(&f, 1e-3);
            for (size_t k = 0; k < n; ++k)
            {
                moved = fmax(moved, fabs(f.world->solids.state.x[k] - before[k]));
                speed = fmax(speed, fabs(f.world->solids.state.v[k]));
            }
            CHECK_THAT(at_end ? moved > 1e-6 && speed == 0 : moved == 0 && fabs(speed - 1e-2) < 1e-9,
                       "integrator %d, end %d: moved %g, speed %g", euler, at_end, moved, speed);
            free(before);
            fixture_done(&f);
        }
}

static void room_for_stages_is_limited(void)
{
    fixture f = falling(false);
    pl_status status = PL_OK;
    for (int i = 0; i < PL__STAGES + 1 && status == PL_OK; ++i)
        status = pl__stages_add(f.ctx, &f.world->stages, &(pl__stage){"many", PL__NEW_VELOCITIES, NULL, stop, NULL});
    CHECK(status == PL_ERR_STATE && strstr(pl_context_error(f.ctx), "stage many"));
    fixture_done(&f);
}

// ---- steppers --------------------------------------------------------------------------------------------------

typedef struct
{
    double longest, advanced;
    int calls;
} timer;

static double longest(void *self) { return ((timer *)self)->longest; }

static pl_status tick(void *self, double *dt)
{
    timer *c = self;
    c->advanced += *dt;
    c->calls++;
    return *dt > c->longest ? PL_ERR_NUMERIC : PL_OK;
}

static void no_figures(void *self, pl_step_info *info) { (void)self, (void)info; }
static int32_t one(const void *self) { return self != NULL; }

static void a_triangle(const void *self, int32_t i, pl_drawable *d)
{
    static const int32_t triangle[3] = {0, 1, 2};
    (void)self, (void)i;
    d->vertex_count = 3;
    d->triangle_count = 1;
    d->triangles = triangle;
}

static pl_status corners(const void *self, int32_t i, double *vertices, double *velocities)
{
    static const double x[9] = {-5, 5, -5, 5, 5, -5, 0, 5, 5};
    (void)self, (void)i;
    if (vertices)
        memcpy(vertices, x, sizeof x);
    if (velocities)
        memset(velocities, 0, sizeof x);
    return PL_OK;
}

static const pl__stepper_type timer_stepper = {.name = "timer",
                                               .longest_step = longest,
                                               .advance = tick,
                                               .figures = no_figures,
                                               .drawable_count = one,
                                               .drawable = a_triangle,
                                               .read = corners};

// No substep is longer than any stepper allows, and all advance by the same time.
static void steppers_agree_on_the_step(void)
{
    for (int euler = 0; euler < 2; ++euler)
    {
        fixture_def def = fixture_default();
        def.shape.edge = 0.5;
        def.solver.integrator = euler ? PL_INTEGRATOR_IMPLICIT_EULER : PL_INTEGRATOR_SEMI_IMPLICIT;
        fixture f = fixture_make(&def);
        double own = pl_world_stable_step(f.world);
        timer c = {.longest = 0.3 * own};
        MUST(pl__steppers_add(f.world, &timer_stepper, &c));
        CHECK_NEAR(pl_world_stable_step(f.world), c.longest, 1e-15);
        pl_step_info info = fixture_step(&f, 2 * own);
        CHECK_NEAR(c.advanced, 2 * own, 1e-12);
        CHECK_THAT(info.substeps == c.calls && info.substeps >= 7, "%d substeps, %d calls", info.substeps, c.calls);
        fixture_done(&f);
    }
}

// A ray from above meets the triangle at height 5, one from below the body; normals are those of the triangle.
static void drawables_are_met_by_rays(void)
{
    fixture f = falling(false);
    timer c = {.longest = 1};
    pl_hit hit;
    pl_drawable d;
    double normal[9];
    MUST(pl__steppers_add(f.world, &timer_stepper, &c));
    CHECK(pl_world_drawable_count(f.world) == 2);
    MUST(pl_world_drawable(f.world, 1, &d));
    CHECK(strcmp(d.name, "timer") == 0 && strcmp(d.stepper, "timer") == 0 && d.body.index == 0);
    CHECK(pl_world_drawable(f.world, 2, &d) == PL_ERR_ARGUMENT &&
          pl_world_drawable(f.world, -1, &d) == PL_ERR_ARGUMENT);
    MUST(pl_drawable_read(f.world, 1, NULL, NULL, normal));
    CHECK(fabs(fabs(normal[1]) - 1) < 1e-15 && normal[1] == normal[4] && normal[4] == normal[7]);
    CHECK(pl_world_cast_ray(f.world, (double[3]){0, 9, 0}, (double[3]){0, -2, 0}, &hit));
    CHECK(hit.drawable == 1 && hit.body.index == 0 && fabs(hit.distance - 4) < 1e-12);
    CHECK(pl_world_cast_ray(f.world, (double[3]){0.1, -9, 0.1}, (double[3]){0, 1, 0}, &hit));
    CHECK(hit.drawable == 0 && hit.body.index == f.body.index);
    pl_grab_id grab;
    CHECK(pl_world_cast_ray(f.world, (double[3]){0, 9, 0}, (double[3]){0, -2, 0}, &hit) &&
          pl_world_grab(f.world, &hit, 1, 1, &grab) != PL_OK);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(stages_run_in_order), TEST(filters_change_motion),
                                    TEST(room_for_stages_is_limited), TEST(steppers_agree_on_the_step),
                                    TEST(drawables_are_met_by_rays)};
    return RUN(tests);
}
