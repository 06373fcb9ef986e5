// tests/keyframes.c -- worlds that follow time: keys at work, snapshots in the middle of it, steps in parts.
#include "fixture.h"
#include "element/tet.h"
#include "base/hash.h"
#include "random_input.h"

static const double degree = 0.017453292519943295;

static fixture_def block(double width, double edge)
{
    fixture_def def = fixture_default();
    for (int k = 0; k < 3; ++k)
        def.shape.extent[k] = width;
    def.shape.edge = edge;
    return def;
}

// ---- parameters --------------------------------------------------------------------------------------------------

static void ramp_gravity(const fixture *f)
{
    fixture_keys(f, "gravity", PL_EASE_LINEAR, 2, 3, (double[]){0, 1}, (double[]){0, 0, 0, 4, -10, 0});
}

// Velocity is the sum of dt g(t) at the starts of the substeps, whatever the frames: -5 + 10 dt/2 after a second.
static void gravity_is_taken_at_the_start_of_substeps(void)
{
    for (int frames = 5; frames <= 125; frames *= 5)
    {
        fixture_def def = block(0.3, 0.1);
        def.solver.substep = 1e-3;
        def.prepare = ramp_gravity;
        fixture f = fixture_make(&def);
        double x[3], v[3];
        for (int k = 0; k < frames; ++k)
            (void)fixture_step(&f, 1.0 / frames);
        fixture_centre(&f, x, v);
        CHECK_NEAR(v[1], -5 + 0.005, 1e-9);
        CHECK_NEAR(v[0], 2 - 0.002, 1e-9);
        fixture_done(&f);
    }
}

static void many_keys(const fixture *f)
{
    static const double times[] = {0, 1};
    fixture_keys(f, "materials.stuff.young", PL_EASE_LINEAR, 2, 1, times, (double[]){1e5, 2e5});
    fixture_keys(f, "materials.stuff.poisson", PL_EASE_LINEAR, 2, 1, times, (double[]){0.2, 0.4});
    fixture_keys(f, "materials.stuff.damping", PL_EASE_STEP, 2, 1, (double[]){0, 0.5}, (double[]){0, 0.02});
    fixture_keys(f, "bodies.body.strength", PL_EASE_LINEAR, 2, 1, times, (double[]){0, 1});
    fixture_keys(f, "objects.object.friction", PL_EASE_LINEAR, 2, 1, times, (double[]){0.5, 0});
    fixture_keys(f, "objects.object.at", PL_EASE_SMOOTH, 2, 3, times, (double[]){0, -5, 0, 1, -6, 0});
    fixture_keys(f, "objects.object.spin", PL_EASE_LINEAR, 2, 3, times, (double[]){0, 10, 0, 0, 30, 0});
}

static double get(const fixture *f, const char *path)
{
    return pl_world_get(f->world, pl_world_find_param(f->world, path));
}

static void check_at(const fixture *f_, double t)
{
    fixture f = *f_;
    CHECK_NEAR(get(&f, "materials.stuff.young"), 1e5 * (1 + t), 1e-6);
    CHECK_NEAR(get(&f, "materials.stuff.poisson"), 0.2 * (1 + t), 1e-12);
    CHECK(get(&f, "materials.stuff.damping") == (t < 0.5 ? 0 : 0.02));
    CHECK_NEAR(get(&f, "bodies.body.strength"), t, 1e-12);
    CHECK_NEAR(get(&f, "objects.object.friction"), 0.5 - 0.5 * t, 1e-12);
    pl_object_def object;
    MUST(pl_object_read(f.world, (pl_object_id){1}, &object));
    CHECK_NEAR(object.at[0], t * t * (3 - 2 * t), 1e-12);
    CHECK_NEAR(object.at[1], -5 - t * t * (3 - 2 * t), 1e-12);
    CHECK_NEAR(object.spin[1], 10 + 20 * t, 1e-9);
    // the elements know: shear modulus E / 2(1 + nu)
    CHECK_NEAR(f.world->bodies.body[0]->group[0].tet[0].material.mu[0], 1e5 * (1 + t) / (2 * (1.2 + 0.2 * t)), 1e-6);
}

// Before the first step, between steps and after a snapshot, what is read belongs to the present time; it cannot be
// set.
static void parameters_follow_their_keys(void)
{
    fixture_def def = block(0.3, 0.1);
    pl_object_def ball = pl_object_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    def.object = &ball;
    def.prepare = many_keys;
    fixture f = fixture_make(&def);
    check_at(&f, 0);
    size_t size = pl_world_save_size(f.world);
    void *buffer = malloc(size);
    MUST(pl_world_save(f.world, buffer, size));
    for (int k = 1; k <= 8; ++k)
    {
        (void)fixture_step(&f, 0.125);
        check_at(&f, 0.125 * k);
    }
    // the ball's turn is the integral of its spin, by its values at the starts of the substeps: 10 to 20 degrees
    pl_object_def object;
    MUST(pl_object_read(f.world, (pl_object_id){1}, &object));
    CHECK_THAT(object.rotate[1] > 17 && object.rotate[1] <= 20, "%g", object.rotate[1]);
    MUST(pl_world_load(f.world, buffer, size));
    check_at(&f, 0);
    free(buffer);
    static const char *const keyed[] = {"materials.stuff.young", "materials.stuff.poisson", "materials.stuff.damping",
                                        "bodies.body.strength", "objects.object.friction"};
    for (int k = 0; k < 5; ++k)
        CHECK(pl_world_set(f.world, pl_world_find_param(f.world, keyed[k]), 0.25) == PL_ERR_ARGUMENT &&
              strstr(pl_context_error(f.ctx), keyed[k]) &&
              strstr(pl_context_error(f.ctx), "follows its keys and cannot be set"));
    MUST(pl_world_set(f.world, pl_world_find_param(f.world, "gravity.x"), 1));
    CHECK(pl_object_set_target(f.world, (pl_object_id){1}, ball.at) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "objects.object.at: follows its keys"));
    fixture_done(&f);
}

// ---- objects -----------------------------------------------------------------------------------------------------

// A block at rest on a turntable, far from its axis: friction drags it along at mu g.
static void a_turntable_drags(void)
{
    for (int update = 0; update < 2; ++update)
    {
        pl_object_def table = pl_object_def_default();
        table.spin[1] = 180;
        table.friction = 0.3;
        fixture_def def = block(0.2, 0.1);
        def.object = &table;
        def.material.young = 1e6;
        def.body.at[0] = 2;
        def.body.at[1] = 0.1;
        def.gravity[1] = -9.81;
        def.solver.velocity_update = (pl_velocity_update)update;
        fixture f = fixture_make(&def);
        double x[3], v[3];
        for (int k = 0; k < 6; ++k)
            (void)fixture_step(&f, 0.05);
        fixture_centre(&f, x, v);
        // w along y at (2, 0, 0) goes along -z
        CHECK_THAT(fabs(v[2] / (-0.3 * 9.81 * 0.3) - 1) < 0.02 && fabs(v[0]) < 0.05 && x[1] < 0.101,
                   "update %d: velocity (%g, %g, %g)", update, v[0], v[1], v[2]);
        fixture_done(&f);
    }
}

// A block that rides on a turntable comes back to its place after a turn.
static void a_turntable_carries(void)
{
    pl_object_def table = pl_object_def_default();
    table.spin[1] = 180;
    table.friction = 1;
    fixture_def def = block(0.2, 0.1);
    def.object = &table;
    def.material.young = 1e6;
    def.body.at[0] = 0.3;
    def.body.at[1] = 0.1;
    def.body.velocity[2] = -180 * degree * 0.3;
    def.body.spin[1] = 180;
    def.gravity[1] = -9.81;
    fixture f = fixture_make(&def);
    double x[3], v[3];
    for (int k = 0; k < 20; ++k)
        (void)fixture_step(&f, 0.1);
    fixture_centre(&f, x, v);
    CHECK_THAT(fabs(x[0] - 0.3) < 0.005 && fabs(x[2]) < 0.01, "(%g, %g, %g)", x[0], x[1], x[2]);
    pl_object_def now;
    MUST(pl_object_read(f.world, (pl_object_id){1}, &now));
    CHECK(fabs(now.rotate[1]) < 1e-6 && now.normal[1] == 1);
    fixture_done(&f);
}

static void tilt(const fixture *f)
{
    fixture_keys(f, "objects.object.rotate", PL_EASE_SMOOTH, 2, 3, (double[]){0, 1}, (double[]){0, 0, 0, 0, 0, -20});
    fixture_keys(f, "objects.object.friction", PL_EASE_STEP, 2, 1, (double[]){0, 1.5}, (double[]){5, 0.2});
}

// Tilted by keys with a block that sticks; then friction falls, and it slides by g (sin - mu cos) t^2/2.
static void a_plane_tilts(void)
{
    for (int update = 0; update < 2; ++update)
    {
        pl_object_def plane = pl_object_def_default();
        fixture_def def = block(0.2, 0.1);
        def.object = &plane;
        def.material.young = 1e6;
        def.body.at[1] = 0.1;
        def.gravity[1] = -9.81;
        def.solver.velocity_update = (pl_velocity_update)update;
        def.prepare = tilt;
        fixture f = fixture_make(&def);
        double before[3], after[3], v[3];
        for (int k = 0; k < 30; ++k)
            (void)fixture_step(&f, 0.05);
        fixture_centre(&f, before, v);
        // it rode on the plane: turned about the origin with it
        CHECK_NEAR(before[0], 0.1 * sin(20 * degree), 2e-3);
        CHECK_NEAR(before[1], 0.1 * cos(20 * degree), 2e-3);
        for (int k = 0; k < 10; ++k)
            (void)fixture_step(&f, 0.05);
        fixture_centre(&f, after, v);
        double slid = (after[0] - before[0]) * cos(20 * degree) - (after[1] - before[1]) * sin(20 * degree);
        double exact = 0.5 * 9.81 * (sin(20 * degree) - 0.2 * cos(20 * degree)) * 0.25;
        CHECK_THAT(fabs(slid / exact - 1) < 0.02, "update %d: slid %g m where %g were due", update, slid, exact);
        fixture_done(&f);
    }
}

// ---- everything at once --------------------------------------------------------------------------------------------

static bool top(const double X[3]) { return X[1] > 0.2 - 1e-9; }
static bool bottom_edge(const double X[3]) { return X[1] < -0.2 + 1e-9 && X[0] < -0.2 + 1e-9; }

static void all_that_moves(const fixture *f_)
{
    fixture f = *f_;
    pl_pin_def pin = pl_pin_def_default();
    fixture_pin(&f, &pin, top);
    pin.strength = 0.9;
    pin.move[0] = -0.1;
    fixture_pin(&f, &pin, bottom_edge);
    pl_object_def ball = pl_object_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.at[0] = 0.35;
    ball.at[1] = 0.1;
    ball.radius = 0.2;
    MUST(pl_scene_add_object(f.scene, "ball", &ball, NULL));
    ball.at[0] = 1.3;
    MUST(pl_scene_add_object(f.scene, "sent", &ball, NULL));
    pl_body_def tangled = pl_body_def_default();
    int32_t n = pl_mesh_node_count(f.mesh);
    double *start = malloc(24 * (size_t)n);
    for (int32_t k = 0; k < 3 * n; ++k)
        start[k] = 0.2 * random_pm(4, (uint64_t)k);
    tangled.mesh = f.mesh;
    tangled.material.index = 1;
    tangled.start_positions = start;
    tangled.at[0] = 1;
    tangled.at[1] = 0.3;
    MUST(pl_scene_add_body(f.scene, "tangled", &tangled, NULL));
    free(start);
    static const double times[] = {0, 0.1, 0.3};
    fixture_keys(&f, "bodies.body.pins.0.strength", PL_EASE_LINEAR, 3, 1, times, (double[]){1, 1, 0});
    fixture_keys(&f, "bodies.body.pins.0.move", PL_EASE_SMOOTH, 3, 3, times,
                 (double[]){0, 0, 0, 0.05, -0.05, 0, 0.2, -0.1, 0});
    fixture_keys(&f, "bodies.body.pins.1.rotate", PL_EASE_LINEAR, 3, 3, times, (double[]){0, 0, 0, 10, 0, 0, 0, 30, 0});
    fixture_keys(&f, "gravity", PL_EASE_LINEAR, 3, 3, times, (double[]){0, -9, 0, 1, -10, 0, 0, -12, 1});
    fixture_keys(&f, "materials.stuff.young", PL_EASE_LINEAR, 3, 1, times, (double[]){1e5, 2e5, 5e4});
    fixture_keys(&f, "bodies.tangled.strength", PL_EASE_LINEAR, 3, 1, times, (double[]){1, 0.5, 2});
    fixture_keys(&f, "objects.object.rotate", PL_EASE_SMOOTH, 3, 3, times, (double[]){0, 0, 0, 5, 0, 3, 0, 0, -8});
    fixture_keys(&f, "objects.object.at", PL_EASE_SMOOTH, 3, 3, times, (double[]){0, -0.02, 0, 0, 0, 0, 0, 0.02, 0});
    fixture_keys(&f, "objects.ball.spin", PL_EASE_LINEAR, 3, 3, times, (double[]){0, 0, 0, 0, 0, 300, 90, 0, 0});
    fixture_keys(&f, "objects.ball.friction", PL_EASE_STEP, 3, 1, times, (double[]){0, 1, 0.2});
}

static fixture show(int32_t threads, int update)
{
    static pl_object_def floor_object;
    floor_object = pl_object_def_default();
    fixture_def def = block(0.4, 0.1);
    def.threads = threads;
    def.solver.velocity_update = (pl_velocity_update)update;
    def.body.at[1] = 0.2;
    def.object = &floor_object;
    def.prepare = all_that_moves;
    fixture f = fixture_make(&def);
    int32_t tangled_pin = 7;
    MUST(pl_body_set_pin(f.world, (pl_body_id){2}, tangled_pin, 1));
    return f;
}

static uint64_t state_hash(const fixture *f)
{
    const pl__solids *s = &f->world->solids;
    uint64_t h = pl__hash(0, s->state.x, 3 * (size_t)s->node_count * sizeof(double));
    h = pl__hash(h, s->state.v, 3 * (size_t)s->node_count * sizeof(double));
    for (size_t i = 0; i < f->world->objects.count; ++i)
    {
        const pl__object *o = &f->world->objects.object[i];
        h = pl__hash(h, o->at, sizeof o->at);
        h = pl__hash(h, &o->turned, sizeof o->turned);
    }
    for (int i = 0; i < 2; ++i)
        h = pl__hash(h, &f->world->bodies.body[i]->state.rest_time, sizeof(double));
    return pl__hash(h, &f->world->state.time, sizeof(double));
}

static void aim(const fixture *f_, int frame)
{
    fixture f = *f_;
    MUST(pl_object_set_target(f.world, pl_world_find_object(f.world, "sent"),
                              (double[3]){1.3 - 0.03 * frame, 0.2, 0.01}));
    MUST(pl_body_move_pin(f.world, (pl_body_id){2}, 7, (double[3]){1, 0.3 + 0.01 * frame, 0}));
}

enum
{
    FRAMES = 9
};
static bool touched, recovered; // the scene does what it is meant to

static void play(const fixture *f, int first, int last, uint64_t hash[FRAMES + 1])
{
    for (int frame = first; frame < last; ++frame)
    {
        aim(f, frame);
        pl_step_info info = fixture_step(f, 0.04);
        touched |= info.contacts > 0;
        recovered |= info.recovering > 0;
        hash[frame + 1] = state_hash(f);
    }
}

static void threads_agree(void)
{
    for (int update = 0; update < 2; ++update)
    {
        uint64_t expected[FRAMES + 1], other[FRAMES + 1];
        for (int32_t threads = 1; threads <= 3; threads += 2)
        {
            fixture f = show(threads, update);
            play(&f, 0, FRAMES, threads == 1 ? expected : other);
            fixture_done(&f);
        }
        CHECK(memcmp(&expected[1], &other[1], FRAMES * sizeof *other) == 0);
    }
    CHECK(touched && recovered);
}

static void snapshots_resume_to_the_bit(void)
{
    for (int update = 0; update < 2; ++update)
    {
        uint64_t expected[FRAMES + 1], other[FRAMES + 1];
        fixture f = show(1, update), g = show(1, update);
        play(&f, 0, FRAMES, expected);
        for (int at = 2; at < FRAMES; at += slow_tests ? 3 : 6)
        {
            pl_world_destroy(&f.world);
            MUST(pl_world_create(f.scene, &f.world));
            MUST(pl_body_set_pin(f.world, (pl_body_id){2}, 7, 1));
            play(&f, 0, at, other);
            size_t size = pl_world_save_size(f.world);
            void *buffer = malloc(size);
            MUST(pl_world_save(f.world, buffer, size));
            CHECK_OK(g.ctx, pl_world_load(g.world, buffer, size));
            for (int32_t i = 1; i <= pl_world_object_count(f.world); ++i)
            {
                pl_object_def saved, loaded;
                MUST(pl_object_read(f.world, (pl_object_id){i}, &saved));
                MUST(pl_object_read(g.world, (pl_object_id){i}, &loaded));
                CHECK(memcmp(saved.spin, loaded.spin, sizeof saved.spin) == 0 &&
                      memcmp(saved.normal, loaded.normal, sizeof saved.normal) == 0);
            }
            play(&g, at, FRAMES, other);
            CHECK_THAT(memcmp(&other[1], &expected[1], FRAMES * sizeof *other) == 0, "update %d, saved after %d frames",
                       update, at);
            free(buffer);
        }
        fixture_done(&f);
        fixture_done(&g);
    }
}

// Of another scene is who has other keys.
static void keys_are_part_of_the_scene(void)
{
    fixture_def def = block(0.3, 0.1);
    fixture f = fixture_make(&def);
    size_t size = pl_world_save_size(f.world);
    void *buffer = malloc(size);
    MUST(pl_world_save(f.world, buffer, size));
    def.prepare = ramp_gravity;
    fixture g = fixture_make(&def);
    CHECK(pl_world_load(g.world, buffer, size) == PL_ERR_STATE);
    free(buffer);
    fixture_done(&f);
    fixture_done(&g);
}

// ---- steps in parts ------------------------------------------------------------------------------------------------

// One frame in parts of random length, now and then through a snapshot into another world; sometimes `f` and `g` change
// roles.
static void play_in_parts(fixture *f_, fixture *g, int frame, uint64_t seed)
{
    fixture f = *f_;
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    double advanced = 0, begin = pl_world_time(f.world);
    step.dt = 0.04;
    aim(&f, frame);
    for (uint64_t part = 0; part == 0 || pl_world_pending(f.world) > 0; ++part)
    {
        step.max_substeps = 1 + (int32_t)(5 * pl__random01(seed, part, (uint64_t)frame));
        step.finish = part > 0;
        MUST(pl_world_step(f.world, &step, &info));
        CHECK(info.substeps <= step.max_substeps && info.substeps > 0);
        advanced += info.advanced;
        CHECK_NEAR(pl_world_pending(f.world), 0.04 - advanced, 1e-15);
        step.dt = -1; // not looked at any more
        if (part % 3 != 1)
            continue;
        size_t size = pl_world_save_size(f.world);
        void *buffer = malloc(size);
        MUST(pl_world_save(f.world, buffer, size));
        CHECK_OK(g->ctx, pl_world_load(g->world, buffer, size));
        free(buffer);
        fixture swap = f;
        f = *g;
        *g = swap;
    }
    CHECK_NEAR(pl_world_time(f.world), begin + 0.04, 1e-12);
    *f_ = f;
}

static void parts_give_the_bits_of_the_whole(void)
{
    for (int update = 0; update < 2; ++update)
    {
        uint64_t expected[FRAMES + 1];
        fixture whole = show(1, update), f = show(1, update), g = show(1, update);
        play(&whole, 0, FRAMES, expected);
        for (int frame = 0; frame < FRAMES; ++frame)
        {
            play_in_parts(&f, &g, frame, (uint64_t)update);
            CHECK_THAT(state_hash(&f) == expected[frame + 1], "update %d, frame %d", update, frame);
        }
        fixture_done(&whole);
        fixture_done(&f);
        fixture_done(&g);
    }
}

static void strength_alone(const fixture *f)
{
    fixture_keys(f, "bodies.body.strength", PL_EASE_LINEAR, 2, 1, (double[]){0, 0.1}, (double[]){1, 3});
    fixture_keys(f, "gravity", PL_EASE_STEP, 1, 3, (double[]){0}, (double[]){0, 0, 0});
}

// Forces are those of the strength of their time, in the middle of a step as at its start.
static void forces_follow_strength(void)
{
    uint64_t hash[2];
    for (int parts = 0; parts < 2; ++parts)
    {
        fixture_def def = block(0.3, 0.1);
        def.solver.velocity_update = PL_VELOCITY_TRAPEZOID;
        def.prepare = strength_alone;
        fixture f = fixture_make(&def);
        int32_t n = pl_body_node_count(f.world, f.body);
        double v[3 * 1000];
        CHECK(n <= 1000);
        for (int32_t k = 0; k < 3 * n; ++k)
            v[k] = random_pm(6, (uint64_t)k);
        MUST(pl_body_write(f.world, f.body, NULL, v));
        pl_step_def step = pl_step_def_default();
        step.dt = 0.1;
        step.max_substeps = parts;
        do
            MUST(pl_world_step(f.world, &step, NULL));
        while ((step.finish = pl_world_pending(f.world) > 0));
        hash[parts] = pl__hash(0, f.world->solids.state.x, 24 * (size_t)n);
        fixture_done(&f);
    }
    CHECK(hash[0] == hash[1]);
}

static void gravity_for_a_moment(const fixture *f)
{
    fixture_keys(f, "gravity", PL_EASE_STEP, 2, 3, (double[]){0, 0.001}, (double[]){0, 1e-6, 0, 0, 0, 0});
}

// Whether a body rests strangely is asked once per step, and a load at any time in it counts, also through a snapshot.
static void resting_is_judged_once_per_step(void)
{
    for (int loaded = 0; loaded < 2; ++loaded)
    {
        fixture_def def = block(0.3, 0.1);
        double start[3 * 500];
        def.material.young = 100; // too slow to move in 10 ms
        def.solver.substep = 1e-3;
        def.prepare = loaded ? gravity_for_a_moment : NULL;
        def.body.start_positions = start;
        pl_context *ctx = test_context(1);
        pl_mesh *mesh;
        CHECK_OK(ctx, pl_mesh_create_shape(ctx, &def.shape, &mesh));
        CHECK(pl_mesh_node_count(mesh) <= 500);
        for (int32_t k = 0; k < 3 * pl_mesh_node_count(mesh); ++k)
            start[k] = 1.1 * pl_mesh_positions(mesh)[k];
        pl_mesh_destroy(&mesh);
        pl_context_destroy(&ctx);
        fixture f = fixture_make(&def);
        pl_step_def step = pl_step_def_default();
        step.dt = 0.01;
        step.max_substeps = 3;
        for (int part = 0; part < 4; ++part, step.finish = 1)
        {
            CHECK(f.world->bodies.body[0]->state.rest_time == 0);
            MUST(pl_world_step(f.world, &step, NULL));
            size_t size = pl_world_save_size(f.world);
            void *buffer = malloc(size);
            MUST(pl_world_save(f.world, buffer, size));
            MUST(pl_world_load(f.world, buffer, size));
            free(buffer);
        }
        CHECK(pl_world_pending(f.world) == 0);
        CHECK_THAT(f.world->bodies.body[0]->state.rest_time == (loaded ? 0 : 0.01), "%g",
                   f.world->bodies.body[0]->state.rest_time);
        fixture_done(&f);
    }
}

// Nothing pending, nothing to finish; a new step drops the rest; a target set in between counts for the rest.
static void what_is_pending(void)
{
    fixture_def def = block(0.3, 0.1);
    pl_object_def ball = pl_object_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.at[1] = 5;
    def.object = &ball;
    fixture f = fixture_make(&def);
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    CHECK(pl_world_pending(f.world) == 0);
    step.finish = 1;
    CHECK(pl_world_step(f.world, &step, NULL) == PL_ERR_STATE && strstr(pl_context_error(f.ctx), "no step is pending"));
    step.finish = 0;
    step.dt = 0.5;
    step.max_substeps = 2;
    MUST(pl_world_step(f.world, &step, &info));
    CHECK(pl_world_pending(f.world) == 0.5 - info.advanced && info.advanced > 0);
    MUST(pl_world_step(f.world, &step, &info));
    CHECK(pl_world_pending(f.world) == 0.5 - info.advanced);
    MUST(pl_object_set_target(f.world, (pl_object_id){1}, (double[3]){0, 6, 0}));
    step.finish = 1;
    double before = pl_world_pending(f.world);
    MUST(pl_world_step(f.world, &step, &info));
    pl_object_def now;
    MUST(pl_object_read(f.world, (pl_object_id){1}, &now));
    CHECK_NEAR(now.at[1], 5 + info.advanced / before, 1e-12); // on its way
    step.max_substeps = 0;
    MUST(pl_world_step(f.world, &step, &info));
    MUST(pl_object_read(f.world, (pl_object_id){1}, &now));
    CHECK(pl_world_pending(f.world) == 0 && now.at[1] == 6 && info.substeps > 2);
    fixture_done(&f);
}

// The estimate is the substep that comes, and asking changes nothing.
static void the_stable_step(void)
{
    fixture_def def = block(0.3, 0.1);
    fixture f = fixture_make(&def);
    double estimate = pl_world_stable_step(f.world);
    pl_step_def step = pl_step_def_default();
    pl_step_info info;
    step.dt = 1000 * estimate;
    step.max_substeps = 1;
    MUST(pl_world_step(f.world, &step, &info));
    CHECK_NEAR(info.smallest_dt / estimate, 1, 1e-3);
    CHECK(pl_world_set(f.world, pl_world_find_param(f.world, "materials.stuff.young"), 4e5) == PL_OK);
    CHECK_NEAR(pl_world_stable_step(f.world) / estimate, 0.5, 1e-3);
    CHECK(pl_world_set(f.world, pl_world_find_param(f.world, "bodies.body.strength"), 0) == PL_OK);
    CHECK(pl_world_stable_step(f.world) == 1e6);
    fixture_done(&f);
    def.solver.substep = 0.25;
    f = fixture_make(&def);
    CHECK(pl_world_stable_step(f.world) == 0.25);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(gravity_is_taken_at_the_start_of_substeps),
        TEST(parameters_follow_their_keys),
        TEST(a_turntable_drags),
        TEST(a_turntable_carries),
        TEST(a_plane_tilts),
        TEST(threads_agree),
        TEST(snapshots_resume_to_the_bit),
        TEST(keys_are_part_of_the_scene),
        TEST(parts_give_the_bits_of_the_whole),
        TEST(forces_follow_strength),
        TEST(resting_is_judged_once_per_step),
        TEST(what_is_pending),
        TEST(the_stable_step),
    };
    return RUN(tests);
}
