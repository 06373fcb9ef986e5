// tests/pin.c -- groups of pins: the spring in closed form, its stability, targets that move.
#include "fixture.h"
#include "random_input.h"
#include "base/hash.h"
#include "base/random.h"
#include "solid/pin.h"

static bool anywhere(const double X[3])
{
    (void)X;
    return true;
}
static bool left_face(const double X[3]) { return X[0] < -0.5 + 1e-9; }

static pl_pin_def pin; // of the world to come

static void add_pin(const fixture *f) { fixture_pin(f, &pin, anywhere); }
static void add_face_pin(const fixture *f) { fixture_pin(f, &pin, left_face); }

static fixture_def block(void)
{
    fixture_def def = fixture_default();
    def.shape.extent[1] = def.shape.extent[2] = 0.5;
    def.shape.edge = 0.25;
    def.prepare = add_pin;
    pin = pl_pin_def_default();
    return def;
}

// ---- the spring --------------------------------------------------------------------------------------------------

// Largest distance, over 0.3 s, to x = d (1 - (1 + w t) exp(-w t)), w^2 = s / (1 - s) / soft^2.
static double error_of_response(pl_velocity_update update, double substep)
{
    fixture_def def = block();
    pin.strength = 0.8;
    pin.soft = 0.1;
    pin.move[0] = 0.5;
    def.solver.velocity_update = update;
    def.solver.substep = substep;
    fixture f = fixture_make(&def);
    double w = sqrt(0.8 / 0.2) / 0.1, x0[3], x[3], v[3], worst = 0;
    fixture_centre(&f, x0, v);
    for (int k = 1; k <= 30; ++k)
    {
        (void)fixture_step(&f, 0.01);
        fixture_centre(&f, x, v);
        worst = fmax(worst, fabs(x[0] - x0[0] - 0.5 * (1 - (1 + w * 0.01 * k) * exp(-w * 0.01 * k))));
    }
    fixture_done(&f);
    return worst;
}

static void response_is_critically_damped(void)
{
    for (int update = 0; update < 2; ++update)
    {
        double coarse = error_of_response((pl_velocity_update)update, 1e-3),
               fine = error_of_response((pl_velocity_update)update, 5e-4);
        CHECK_THAT(coarse < 0.005 && fine < 0.55 * coarse && fine > 0.45 * coarse, "update %d: errors %g and %g",
                   update, coarse, fine);
    }
}

// The steps themselves, with q = k (T - x) and b = c + dt k: v~ = (v + dt q/2) / (1 + dt b/2), x' = x + dt v~ and
// v' = (v + dt q) / (1 + dt b), the same for both updates.
static void steps_are_the_recursion(void)
{
    for (int update = 0; update < 2; ++update)
    {
        fixture_def def = block();
        pin.strength = 0.99;
        pin.move[0] = 0.5;
        double dt = 0.004, k = 0.99 / (1 - 0.99) / (0.05 * 0.05), b = 2 * sqrt(k) + dt * k, x[3], v[3], X = 0, V = 0;
        def.solver.velocity_update = (pl_velocity_update)update;
        def.solver.substep = dt;
        fixture f = fixture_make(&def);
        for (int step = 0; step < 30; ++step)
        {
            double q = k * (0.5 - X);
            X += dt * (V + 0.5 * dt * q) / (1 + 0.5 * dt * b);
            V = (V + dt * q) / (1 + dt * b);
            (void)fixture_step(&f, dt);
            fixture_centre(&f, x, v);
            CHECK_NEAR(x[0], X, 1e-12);
            CHECK_NEAR(v[0], V, 1e-10);
        }
        fixture_done(&f);
    }
}

// Springs of any strength, on bodies of any stiffness, with any damping, at the very limit of the elastic step: energy
// never grows. At the start springs are at rest, so that kinetic and elastic energy are all there is.
static void any_strength_is_stable(void)
{
    static const double strengths[] = {0.001, 0.1, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};
    static const double damping[] = {0, 1e-3, 0.1};
    for (int option = 0; option < 8 * 2 * 2 * 3; option += slow_tests ? 1 : 5)
    {
        fixture_def def = block();
        def.prepare = option % 3 ? add_face_pin : add_pin;
        pin.strength = strengths[option / 12];
        def.solver.velocity_update = (pl_velocity_update)(option % 2);
        def.material.young = option / 2 % 2 ? 1e7 : 1e3;
        def.material.damping = damping[option / 4 % 3];
        def.solver.safety = 1;
        fixture f = fixture_make(&def);
        int32_t n = pl_body_node_count(f.world, f.body);
        double *v = malloc(24 * (size_t)n), first = 0, worst = 0;
        for (int32_t k = 0; k < 3 * n; ++k)
            v[k] = 0.2 * random_pm(5, (uint64_t)k);
        MUST(pl_body_write(f.world, f.body, NULL, v));
        free(v);
        for (int k = 0; k < 40; ++k)
        {
            pl_step_info info = fixture_step(&f, def.material.young > 1e5 ? 0.02 : 0.5);
            double energy = info.kinetic + info.elastic;
            first = k == 0 ? 1000 * 0.25 * 0.02 : first; // m <v^2> / 2
            worst = fmax(worst, isfinite(energy) ? energy / first : INFINITY);
        }
        CHECK_THAT(worst < 1.3, "strength %g, young %g, damping %g, update %d: energy times %g", pin.strength,
                   def.material.young, def.material.damping, option % 2, worst);
        fixture_done(&f);
    }
}

// A spring without bound is a firm pin: trajectories of a swinging bar meet.
static void strong_springs_are_firm(void)
{
    for (int update = 0; update < 2; ++update)
    {
        double tip[2][3], v[3];
        for (int firm = 0; firm < 2; ++firm)
        {
            fixture_def def = block();
            def.prepare = add_face_pin;
            def.solver.velocity_update = (pl_velocity_update)update;
            def.gravity[1] = -9.81;
            pin.strength = firm ? 1 : 1 - 1e-12;
            fixture f = fixture_make(&def);
            (void)fixture_step(&f, 0.3);
            fixture_centre(&f, tip[firm], v);
            fixture_done(&f);
        }
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(tip[0][k], tip[1][k], 1e-6);
        CHECK(tip[0][1] < -0.01);
    }
}

// A spring is a force from outside: it may spin a body up (nothing gives the lost spin back), as much for both updates.
static bool corner(const double X[3]) { return X[0] > 0.5 - 1e-9 && fabs(X[1]) < 0.1; }
static void add_corner_pin(const fixture *f) { fixture_pin(f, &pin, corner); }

static void springs_turn_bodies(void)
{
    double angular[2];
    for (int update = 0; update < 2; ++update)
    {
        fixture_def def = block();
        def.prepare = add_corner_pin;
        def.solver.velocity_update = (pl_velocity_update)update;
        def.solver.substep = 5e-4;
        pin.strength = 0.5;
        pin.move[1] = 0.2;
        fixture f = fixture_make(&def);
        angular[update] = fixture_step(&f, 0.05).angular[2];
        CHECK(pl__body_is_held(f.world->bodies.body[0]) && f.world->bodies.body[0]->pins.count == 0);
        fixture_done(&f);
    }
    CHECK_THAT(angular[0] > 0.5 && fabs(angular[1] / angular[0] - 1) < 0.02, "%g and %g kg m^2/s", angular[0],
               angular[1]);
}

// ---- letting go --------------------------------------------------------------------------------------------------

static void fade(const fixture *f)
{
    fixture_pin(f, &pin, left_face);
    fixture_keys(f, "bodies.body.pins.0.strength", PL_EASE_LINEAR, 2, 1, (double[]){0.2, 0.7}, (double[]){1, 0});
}

// From firm to free without a jolt: no frame changes the velocity by more than gravity and a sagging bar do; then it
// falls.
static void strength_fades_smoothly(void)
{
    for (int update = 0; update < 2; ++update)
    {
        fixture_def def = block();
        def.prepare = fade;
        def.gravity[1] = -9.81;
        def.solver.velocity_update = (pl_velocity_update)update;
        fixture f = fixture_make(&def);
        double x[3], v[3], last = 0;
        CHECK(f.world->bodies.body[0]->pins.count > 0);
        for (int k = 1; k <= 100; ++k)
        {
            (void)fixture_step(&f, 0.01);
            fixture_centre(&f, x, v);
            CHECK_THAT(fabs(v[1] - last) < 0.25, "at %g s velocity jumps by %g", 0.01 * k, v[1] - last);
            if (k > 70)
                CHECK_NEAR(v[1] - last, -0.0981, 1e-6);
            last = v[1];
        }
        CHECK(f.world->bodies.body[0]->pins.count == 0 && !f.world->bodies.body[0]->pins.soft);
        fixture_done(&f);
    }
}

// ---- targets -----------------------------------------------------------------------------------------------------

static const double move_times[] = {0, 1}, move_values[] = {0, 0, 0, 0.5, 0.1, -0.2},
                    turn_values[] = {0, 0, 0, 0, 90, 0};

static void walk(const fixture *f)
{
    fixture_pin(f, &pin, left_face);
    fixture_keys(f, "bodies.body.pins.0.move", PL_EASE_LINEAR, 2, 3, move_times, move_values);
    fixture_keys(f, "bodies.body.pins.0.rotate", PL_EASE_SMOOTH, 2, 3, move_times, turn_values);
}

// Firm pins are where their keys are at the end of every step: turned about the middle of the face, then moved. Springs
// give way by what they carry.
static void targets_move(void)
{
    for (int firm = 0; firm < 2; ++firm)
    {
        fixture_def def = block();
        def.prepare = walk;
        pin.strength = firm ? 1 : 0.999;
        fixture f = fixture_make(&def);
        int32_t n = pl_mesh_node_count(f.mesh);
        double *x = malloc(24 * (size_t)n);
        for (int k = 1; k <= 14; ++k)
        {
            (void)fixture_step(&f, 0.1);
            MUST(pl_body_read(f.world, f.body, x, NULL));
            double t = fmin(pl_world_time(f.world), 1), angle = 0.5 * 3.141592653589793 * t * t * (3 - 2 * t);
            for (int32_t i = 0; i < n; ++i)
            {
                const double *X = &pl_mesh_positions(f.mesh)[3 * i];
                if (!left_face(X))
                    continue;
                // about y: z goes to x
                CHECK_NEAR(x[3 * i], -0.5 + sin(angle) * X[2] + 0.5 * t, firm ? 1e-14 : 2e-3);
                CHECK_NEAR(x[3 * i + 1], X[1] + 0.1 * t, firm ? 1e-14 : 2e-3);
                CHECK_NEAR(x[3 * i + 2], cos(angle) * X[2] - 0.2 * t, firm ? 1e-14 : 2e-3);
            }
        }
        free(x);
        fixture_done(&f);
    }
}

static void march(const fixture *f)
{
    fixture_pin(f, &pin, anywhere);
    fixture_keys(f, "bodies.body.pins.0.move", PL_EASE_LINEAR, 2, 3, (double[]){0, 10}, (double[]){0, 0, 0, 5, 0, 0});
}

// A spring that carries nothing follows a constant velocity without lag.
static void springs_do_not_lag(void)
{
    fixture_def def = block();
    def.prepare = march;
    pin.strength = 0.5;
    fixture f = fixture_make(&def);
    double x[3], v[3];
    for (int k = 0; k < 20; ++k)
        (void)fixture_step(&f, 0.1);
    fixture_centre(&f, x, v);
    CHECK_NEAR(x[0], 1, 1e-9);
    CHECK_NEAR(v[0], 0.5, 1e-9);
    fixture_done(&f);
}

// In the middle of a long step firm pins are where their keys are then, not on the straight way to where it ends.
static void targets_belong_to_substeps(void)
{
    fixture_def def = block();
    def.prepare = walk;
    fixture f = fixture_make(&def);
    double *x = malloc(24 * (size_t)pl_mesh_node_count(f.mesh));
    pl_step_def step = pl_step_def_default();
    step.dt = 1;
    for (step.max_substeps = 1; step.max_substeps < 6; step.max_substeps++)
    {
        MUST(pl_world_step(f.world, &step, NULL));
        MUST(pl_body_read(f.world, f.body, x, NULL));
        step.finish = 1;
        double t = pl_world_time(f.world), angle = 0.5 * 3.141592653589793 * t * t * (3 - 2 * t);
        CHECK(t > 0 && t < 0.9);
        for (int32_t i = 0; i < pl_mesh_node_count(f.mesh); ++i)
            if (left_face(&pl_mesh_positions(f.mesh)[3 * i]))
                CHECK_NEAR(x[3 * i], -0.5 + sin(angle) * pl_mesh_positions(f.mesh)[3 * i + 2] + 0.5 * t, 1e-14);
    }
    free(x);
    fixture_done(&f);
}

static const double *cache_of_face;
static double cache[3][64][3];
static int32_t face_nodes[64], face_count;

static void add_cache(const fixture *f_)
{
    fixture f = *f_;
    face_count = 0;
    for (int32_t i = pl_mesh_node_count(f.mesh) - 1; i >= 0; --i) // backwards: the order is the definition's
        if (left_face(&pl_mesh_positions(f.mesh)[3 * i]))
            face_nodes[face_count++] = i;
    double(*packed)[3] = &cache[0][0];
    for (int sample = 0; sample < 3; ++sample)
        for (int32_t i = 0; i < face_count; ++i)
            for (int k = 0; k < 3; ++k)
                packed[sample * face_count + i][k] =
                    pl_mesh_positions(f.mesh)[3 * face_nodes[i] + k] + (k == 1 ? 0.01 * sample * (i + 1) : 0);
    cache_of_face = packed[0];
    pin.nodes = face_nodes;
    pin.count = face_count;
    pin.cache = cache_of_face;
    pin.cache_count = 3;
    pin.cache_start = 0.1;
    pin.cache_rate = 10;
    MUST(pl_scene_add_pin(f.scene, f.body, &pin, NULL));
}

// Samples at 0.1, 0.2 and 0.3 s, linear in between, held at both ends.
static void caches_are_followed(void)
{
    fixture_def def = block();
    def.prepare = add_cache;
    fixture f = fixture_make(&def);
    double *x = malloc(24 * (size_t)pl_mesh_node_count(f.mesh));
    for (int k = 1; k <= 10; ++k)
    {
        (void)fixture_step(&f, 0.05);
        MUST(pl_body_read(f.world, f.body, x, NULL));
        double phase = fmin(fmax((0.05 * k - 0.1) * 10, 0), 2);
        for (int32_t i = 0; i < face_count; ++i)
            CHECK_NEAR(x[3 * face_nodes[i] + 1],
                       pl_mesh_positions(f.mesh)[3 * face_nodes[i] + 1] + 0.01 * phase * (i + 1), 1e-12);
    }
    free(x);
    fixture_done(&f);
}

// Springs against the floor: pulled into it they press and rub; nothing goes through, and all comes to rest. (By
// positions: velocities beside pressed nodes do not fade, pins or not; see pin.c.)
static void push_down(const fixture *f)
{
    pin.move[1] = -0.1;
    fixture_pin(f, &pin, left_face);
}

static void springs_press_onto_objects(void)
{
    for (int option = 0; option < 8; ++option)
    {
        pl_object_def floor_object = pl_object_def_default();
        fixture_def def = block();
        def.prepare = push_down;
        def.object = &floor_object;
        def.body.at[1] = 0.25;
        def.gravity[1] = -9.81;
        def.solver.velocity_update = (pl_velocity_update)(option % 2);
        pin.strength = (double[]){0.1, 0.9, 0.999, 0.999999}[option / 2];
        fixture f = fixture_make(&def);
        int32_t n = pl_body_node_count(f.world, f.body);
        double *before = malloc(24 * (size_t)n), moved = 0;
        for (int k = 0; k < 60; ++k)
        {
            memcpy(before, pl_body_positions(f.world, f.body), 24 * (size_t)n);
            pl_step_info info = fixture_step(&f, 0.05);
            CHECK(info.contacts > 0 && isfinite(info.kinetic));
        }
        for (int32_t k = 0; k < 3 * n; ++k)
            moved = fmax(moved, fabs(pl_body_positions(f.world, f.body)[k] - before[k]));
        CHECK_THAT(moved < 1e-4, "strength %g, update %d: moves by %g", pin.strength, option % 2, moved);
        free(before);
        for (int32_t i = 0; i < pl_body_node_count(f.world, f.body); ++i)
            CHECK(pl_body_positions(f.world, f.body)[3 * i + 1] > -1e-9);
        fixture_done(&f);
    }
}

// ---- refusals ----------------------------------------------------------------------------------------------------

static void bad_groups_are_refused(void)
{
    fixture_def def = block();
    def.pinned = left_face;
    def.prepare = NULL;
    fixture f = fixture_make(&def);
    int32_t held = -1, free_node = -1;
    for (int32_t i = 0; i < pl_mesh_node_count(f.mesh); ++i)
        *(left_face(&pl_mesh_positions(f.mesh)[3 * i]) ? &held : &free_node) = i;
    int32_t nodes[2] = {free_node, held}, index;
    char text[64];
    pin.nodes = nodes;
    pin.count = 2;
    snprintf(text, sizeof text, "bodies.body.pins: node %d is pinned already", held);
    CHECK(pl_scene_add_pin(f.scene, f.body, &pin, &index) == PL_ERR_ARGUMENT && strstr(pl_context_error(f.ctx), text));
    nodes[1] = free_node;
    CHECK(pl_scene_add_pin(f.scene, f.body, &pin, &index) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "is pinned already"));
    nodes[1] = 100000;
    CHECK(pl_scene_add_pin(f.scene, f.body, &pin, &index) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.body.pins.nodes[1]: node 100000 is not in [0, "));
    pin.count = 1;
    CHECK(pl_scene_add_pin(f.scene, (pl_body_id){7}, &pin, &index) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "body 7 is not of this scene"));
    pin.strength = 1.1;
    CHECK(pl_scene_add_pin(f.scene, f.body, &pin, &index) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.body.pins.strength: 1.1 must be in [0, 1]"));
    pin.strength = 0;
    pin.soft = 0;
    CHECK(pl_scene_add_pin(f.scene, f.body, &pin, &index) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.body.pins.soft: 0 must be in"));
    pin.soft = 1;
    double nowhere[3] = {0, NAN, 0};
    pin.cache = nowhere;
    pin.cache_count = 1;
    CHECK(pl_scene_add_pin(f.scene, f.body, &pin, &index) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "bodies.body.pins.cache: sample 0 puts node"));
    nowhere[1] = 0;
    MUST(pl_scene_add_pin(f.scene, f.body, &pin, &index));
    CHECK(index == 0);
    CHECK(pl_scene_add_pin(f.scene, f.body, &pin, &index) == PL_ERR_ARGUMENT);
    pl_keys_def keys = pl_keys_def_default();
    keys.times = (double[]){0};
    keys.values = nowhere;
    keys.count = 1;
    keys.components = 3;
    CHECK(pl_scene_set_keys(f.scene, "bodies.body.pins.0.move", &keys) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "has a cache instead"));
    pl_world_destroy(&f.world);
    MUST(pl_world_create(f.scene, &f.world));
    CHECK(pl_body_set_pin(f.world, f.body, free_node, 1) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "belongs to a group of pins"));
    CHECK(pl_body_move_pin(f.world, f.body, free_node, nowhere) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "belongs to a group of pins"));
    MUST(pl_body_set_pin(f.world, f.body, held, 0));
    fixture_done(&f);
}

// ---- hostile snapshots -------------------------------------------------------------------------------------------

static bool right_face(const double X[3]) { return X[0] > 0.5 - 1e-9; }

// Bytes changed at random under a checksum that fits: refused, or taken without harm (the sanitizers watch).
static void forged_snapshots_do_no_harm(void)
{
    fixture_def def = block();
    def.prepare = add_face_pin;
    def.pinned = right_face;
    fixture f = fixture_make(&def);
    enum
    {
        HEAD = 40, // magic, version, bytes, two fingerprints, checksum
        CHECKSUM = 32
    };
    size_t size = pl_world_save_size(f.world);
    uint8_t *good = malloc(size), *bad = malloc(size);
    pl_step_def step = pl_step_def_default();
    step.max_substeps = 1;
    MUST(pl_world_save(f.world, good, size));
    int32_t taken = 0;
    for (uint64_t k = 0; k < 3000; ++k)
    {
        memcpy(bad, good, size);
        size_t room = k % 2 ? size - HEAD : 1200; // mostly what is before the positions
        for (uint64_t change = 0; change <= k % 3; ++change)
            bad[HEAD + (size_t)(pl__random01(k, change, 0) * (double)room)] =
                (uint8_t)(256 * pl__random01(k, change, 1));
        uint64_t sum = pl__hash(0, bad + HEAD, size - HEAD);
        memcpy(bad + CHECKSUM, &sum, sizeof sum);
        pl_status status = pl_world_load(f.world, bad, size);
        CHECK_THAT(status == PL_OK || status == PL_ERR_FORMAT, "%s", pl_status_name(status));
        taken += status == PL_OK;
        (void)!pl_world_step(f.world, &step, NULL);
    }
    CHECK_THAT(taken > 100 && taken < 2900, "%d", taken);
    // and the right one still fits
    MUST(pl_world_load(f.world, good, size));
    free(good);
    free(bad);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(response_is_critically_damped),
        TEST(steps_are_the_recursion),
        TEST(any_strength_is_stable),
        TEST(strong_springs_are_firm),
        TEST(springs_turn_bodies),
        TEST(strength_fades_smoothly),
        TEST(targets_move),
        TEST(springs_do_not_lag),
        TEST(targets_belong_to_substeps),
        TEST(caches_are_followed),
        TEST(springs_press_onto_objects),
        TEST(bad_groups_are_refused),
        TEST(forged_snapshots_do_no_harm),
    };
    return RUN(tests);
}
