// tests/condition.c -- warped stiffness stays well conditioned however bodies are bent (Mueller & Gross 2004,
// section 4.2: by 25 % at most), and that what says so is right.
#include "condition.h"
#include "fixture.h"
#include "random_input.h"
#include <pliant/pliant.h>

static const double pi = 3.14159265358979323846;

static fixture_def implicit(pl_material_kind kind)
{
    fixture_def def = fixture_default();
    def.solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    def.material.kind = kind;
    return def;
}

// ---- the number --------------------------------------------------------------------------------------------------

static bool bottom(const double X[3]) { return X[1] < -0.4999; }

// A step of no length has the matrix M: heaviest over lightest node, of those that are free.
static void masses_alone_are_the_matrix_of_no_step(void)
{
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.25;
    def.pinned = bottom;
    fixture f = fixture_make(&def);
    (void)fixture_step(&f, 1.0 / 60);
    const pl__solids *s = &f.world->solids;
    double least = INFINITY, most = 0;
    for (int32_t n = 0; n < s->node_count; ++n)
        if (s->state.x[3 * n + 1] > -0.4999)
        {
            least = fmin(least, s->mass[3 * n]);
            most = fmax(most, s->mass[3 * n]);
        }
    double condition = condition_number(f.world, 0, 1e-9);
    CHECK_NEAR(condition, most / least, 1e-6 * condition);
    fixture_done(&f);
}

static void turn(const fixture *f_, double a)
{
    fixture f = *f_;
    int32_t n = pl_mesh_node_count(f.mesh);
    double *x = malloc(24 * (size_t)n);
    for (int32_t i = 0; i < n; ++i)
    {
        const double *X = &pl_mesh_positions(f.mesh)[3 * i];
        x[3 * i] = cos(a) * X[0] - sin(a) * X[1];
        x[3 * i + 1] = sin(a) * X[0] + cos(a) * X[1];
        x[3 * i + 2] = X[2];
    }
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
}

// A rotation turns the matrix, which keeps its eigenvalues.
static void turning_changes_nothing(void)
{
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.25;
    fixture f = fixture_make(&def);
    (void)fixture_step(&f, 1.0 / 60);
    turn(&f, 0);
    double before = condition_number(f.world, 0, 1.0 / 60);
    turn(&f, 1);
    CHECK_NEAR(condition_number(f.world, 0, 1.0 / 60), before, 1e-5 * before);
    CHECK_THAT(before > 10, "%g", before);
    fixture_done(&f);
}

// ---- bars --------------------------------------------------------------------------------------------------------

static bool ends(const double X[3]) { return fabs(X[0]) > 0.9999; }

// Where a node of the far end is at the share u of its way.
static void deform(int how, double u, const double X[3], double to[3])
{
    double a = 2 * pi * u, r = 2 / (pi * u);
    switch (how)
    {
    case 0: // twisted once around
        to[0] = X[0], to[1] = cos(a) * X[1] - sin(a) * X[2], to[2] = sin(a) * X[1] + cos(a) * X[2];
        break;
    case 1: // bent by half a turn, along an arc of its length
        to[0] = -1 + (r - X[1]) * sin(pi * u), to[1] = r - (r - X[1]) * cos(pi * u), to[2] = X[2];
        break;
    case 2: // three times as long
        to[0] = X[0] + 4 * u, to[1] = X[1], to[2] = X[2];
        break;
    default: // pushed through the other end: inverted
        to[0] = X[0] - 2.5 * u, to[1] = X[1], to[2] = X[2];
    }
}

static condition_range bar(pl_material_kind kind, int how)
{
    fixture_def def = implicit(kind);
    def.shape.extent[0] = 2;
    def.shape.extent[1] = def.shape.extent[2] = 0.25;
    def.shape.edge = 0.0834;
    def.material.poisson = 0.33;
    def.material.young = 1e6;
    def.material.recovery = PL_RECOVERY_OFF;
    def.pinned = ends;
    fixture f = fixture_make(&def);
    condition_range range = {0};
    for (int k = 0; k <= 60; ++k)
    {
        for (int32_t i = 0; k > 0 && i < pl_mesh_node_count(f.mesh); ++i)
        {
            const double *X = &pl_mesh_positions(f.mesh)[3 * i];
            double to[3];
            deform(how, k / 60.0, X, to);
            if (X[0] > 0.9999)
                MUST(pl_body_move_pin(f.world, f.body, i, to));
        }
        (void)fixture_step(&f, 1.0 / 60);
        if (k % 10 == 0)
            condition_follow(f.world, 0, 1.0 / 60, &range);
    }
    fixture_done(&f);
    return range;
}

static bool is_within(const condition_range *range, double share)
{
    return range->most < (1 + share) * range->first && range->least > range->first / (1 + share);
}

// By 25 % at most in the paper; by 5 % here. Laws that stiffen do not keep to that.
static void warped_bars_stay_well_conditioned(void)
{
    static const char *const names[] = {"twisted", "bent", "pulled", "turned inside out"};
    for (int how = 0; how < 4; ++how)
    {
        condition_range range = bar(PL_MATERIAL_ROTATED_LINEAR, how);
        CHECK_THAT(is_within(&range, 0.25), "%s: %g to %g, %g at first", names[how], range.least, range.most,
                   range.first);
    }
    condition_range pulled = bar(PL_MATERIAL_STVK, 2);
    CHECK_THAT(!is_within(&pulled, 0.5), "stvk, pulled: %g to %g, %g at first", pulled.least, pulled.most,
               pulled.first);
}

// Nodes anywhere in the box: elements turn every way and half of them are inverted. 25 % is no law then, but twice is
// more than there is.
static void even_a_heap_of_nodes_is_well_conditioned(void)
{
    fixture_def def = implicit(PL_MATERIAL_ROTATED_LINEAR);
    def.shape.edge = 0.125;
    fixture f = fixture_make(&def);
    condition_range range = {0};
    (void)fixture_step(&f, 1.0 / 60);
    condition_follow(f.world, 0, 1.0 / 60, &range);
    double *x = malloc(24 * (size_t)pl_mesh_node_count(f.mesh));
    for (int32_t k = 0; k < 3 * pl_mesh_node_count(f.mesh); ++k)
        x[k] = 0.5 * random_pm(3, (uint64_t)k);
    MUST(pl_body_write(f.world, f.body, x, NULL));
    free(x);
    for (int k = 0; k < 30; ++k)
    {
        condition_follow(f.world, 0, 1.0 / 60, &range);
        (void)fixture_step(&f, 1.0 / 60);
    }
    CHECK_THAT(is_within(&range, 1), "%g to %g, %g at first", range.least, range.most, range.first);
    fixture_done(&f);
}

// ---- scenes ------------------------------------------------------------------------------------------------------

typedef struct
{
    const char *path;
    int32_t frames, every;
    double share;  // by which the number may change
    bool additive; // plastic strain is subtracted, as in the paper
} followed_scene;

// Every body of a scene, from its first frame on.
static void follow(const followed_scene *scene)
{
    fixture f = {.ctx = test_context(1)};
    MUST(pl_scene_load(f.ctx, scene->path, &f.scene));
    for (size_t i = 0; scene->additive && i < f.scene->material_count; ++i)
    {
        f.scene->material[i].def.plastic_form = PL_PLASTIC_ADDITIVE;
        f.scene->material[i].def.recovery = PL_RECOVERY_OFF; // which has other matrices while something is inverted
    }
    MUST(pl_world_create(f.scene, &f.world));
    pl_shot shot = pl_scene_shot(f.scene);
    pl_step_def step = pl_step_def_default();
    int32_t bodies = f.world->solids.body_count;
    double dt = f.world->solver.substep;
    condition_range *range = calloc((size_t)bodies, sizeof *range);
    step.dt = shot.time_scale / shot.fps;
    for (int32_t frame = 0; frame < scene->frames; ++frame)
    {
        MUST(pl_world_step(f.world, &step, NULL));
        for (int32_t i = 0; frame % scene->every == 0 && i < bodies; ++i)
            condition_follow(f.world, i, dt > 0 ? dt : 1.0 / 60, &range[i]);
    }
    for (int32_t i = 0; i < bodies; ++i)
        CHECK_THAT(is_within(&range[i], scene->share), "%s, body %d: %g to %g, %g at first", scene->path, i,
                   range[i].least, range[i].most, range[i].first);
    free(range);
    fixture_done(&f);
}

// What flows keeps its matrices where plastic strain is subtracted, as in the paper: all of its scenes stay within 25
// %. Where rest shapes flow, those of the wax that a cow stands on become flat.
static void scenes_stay_well_conditioned(void)
{
    static const followed_scene scenes[] = {
        {"scenes/warped_bars.json", 72, 6, 0.25, false}, {"scenes/snake.json", 150, 15, 0.25, true},
        {"scenes/dragon.json", 110, 10, 0.25, false},    {"scenes/dragon.json", 110, 10, 0.25, true},
        {"scenes/cow.json", 72, 8, 0.25, true},          {"scenes/cow.json", 72, 8, 3, false}};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
        follow(&scenes[i]);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(masses_alone_are_the_matrix_of_no_step), TEST(turning_changes_nothing),
                                    TEST(warped_bars_stay_well_conditioned),
                                    TEST(even_a_heap_of_nodes_is_well_conditioned), TEST(scenes_stay_well_conditioned)};
    return RUN(tests);
}
