// tests/grab.c -- rays that meet bodies, hands that hold them, and the list of live parameters.
#include "fixture.h"
#include "host.h"
#include "scene/scene.h"

static fixture_def block(void)
{
    fixture_def def = fixture_default();
    def.shape.extent[1] = def.shape.extent[2] = 0.5;
    def.shape.edge = 0.25;
    return def;
}

static const double from_above[3] = {0.11, 3, 0.07}, downwards[3] = {0, -2, 0};

static pl_hit hit_from_above(const fixture *f)
{
    pl_hit hit = {0};
    if (!pl_world_cast_ray(f->world, from_above, downwards, &hit))
        abort();
    return hit;
}

// ---- rays --------------------------------------------------------------------------------------------------------

static void rays_meet_the_nearest_face(void)
{
    fixture_def def = block();
    fixture f = fixture_make(&def);
    pl_hit hit = hit_from_above(&f);
    CHECK(hit.body.index == f.body.index);
    CHECK_NEAR(hit.distance, 2.75, 1e-12);
    CHECK_NEAR(hit.point[0], 0.11, 1e-12);
    CHECK_NEAR(hit.point[1], 0.25, 1e-12);
    CHECK_NEAR(hit.point[2], 0.07, 1e-12);
    CHECK_NEAR(hit.normal[1], 1, 1e-12);
    CHECK_NEAR(hit.weights[0] + hit.weights[1] + hit.weights[2], 1, 1e-12);
    // from every side, whichever triangle comes first
    for (int axis = 0; axis < 3; ++axis)
        for (int side = -1; side <= 1; side += 2)
        {
            double from[3] = {0.01, 0.02, 0.03}, along[3] = {0};
            from[axis] = 3 * side;
            along[axis] = -side;
            CHECK(pl_world_cast_ray(f.world, from, along, &hit));
            CHECK_NEAR(hit.distance, axis == 0 ? 2.5 : 2.75, 1e-12);
            CHECK_NEAR(hit.normal[axis], side, 1e-12);
        }
    // from within it meets the face from behind
    const double inside[3] = {0.01, 0.02, 0.03}, right[3] = {5, 0, 0};
    CHECK(pl_world_cast_ray(f.world, inside, right, &hit));
    CHECK_NEAR(hit.distance, 0.49, 1e-12);
    CHECK_NEAR(hit.normal[0], 1, 1e-12);
    fixture_done(&f);
}

static void rays_that_miss_or_make_no_sense_meet_nothing(void)
{
    fixture_def def = block();
    fixture f = fixture_make(&def);
    pl_hit hit = {.triangle = 77};
    const double up[3] = {0, 1, 0}, zero[3] = {0, 0, 0}, bad[3] = {NAN, 0, 1}, far[3] = {INFINITY, 0, 0},
                 aside[3] = {9, 3, 0};
    CHECK(!pl_world_cast_ray(f.world, from_above, up, &hit));
    CHECK(!pl_world_cast_ray(f.world, from_above, zero, &hit));
    CHECK(!pl_world_cast_ray(f.world, from_above, bad, &hit));
    CHECK(!pl_world_cast_ray(f.world, far, downwards, &hit));
    CHECK(!pl_world_cast_ray(f.world, aside, downwards, &hit));
    CHECK(hit.triangle == 77);
    fixture_done(&f);
}

// ---- hands -------------------------------------------------------------------------------------------------------

// At rest the spring carries the weight: the point hangs M g / K below where it is wanted, whatever the body.
static void a_hanging_body_stretches_the_spring_by_its_weight(void)
{
    for (int way = 0; way < 3; ++way)
    {
        fixture_def def = block();
        def.gravity[1] = -9.81;
        def.material.damping = 0.05;
        def.material.young = 1e6;
        def.solver.velocity_update = way == 1 ? PL_VELOCITY_TRAPEZOID : PL_VELOCITY_MIDPOINT;
        def.solver.integrator = way == 2 ? PL_INTEGRATOR_IMPLICIT_EULER : PL_INTEGRATOR_SEMI_IMPLICIT;
        fixture f = fixture_make(&def);
        pl_hit hit = hit_from_above(&f);
        pl_grab_id grab;
        double mass = f.world->bodies.body[0]->total_mass, stiffness = 100 * mass, at[3];
        MUST(pl_world_grab(f.world, &hit, stiffness, 0.3, &grab));
        for (int k = 0; k < (slow_tests ? 1500 : 500); ++k)
            (void)fixture_step(&f, 0.02);
        MUST(pl_world_grab_read(f.world, grab, at));
        // what is left of its swinging about the patch: half a per cent, or one after a third of the time
        CHECK_NEAR(hit.point[1] - at[1], 9.81 / 100, slow_tests ? 5e-4 : 1e-3);
        fixture_done(&f);
    }
}

// A body that is cut is made anew: the hand holds the same nodes, its point is where it was, and a snapshot of that
// goes on to the bit.
static void a_hand_keeps_what_is_cut(void)
{
    fixture_def def = block();
    def.body.cuttable = 1;
    def.gravity[1] = -9.81;
    fixture f = fixture_make(&def), g = fixture_make(&def);
    pl_hit hit = hit_from_above(&f);
    pl_grab_id grab;
    int32_t torn;
    double before[3], after[3], x[2][3 * 500];
    MUST(pl_world_grab(f.world, &hit, 1e5, 0.3, &grab));
    (void)fixture_step(&f, 0.1);
    MUST(pl_world_grab_read(f.world, grab, before));
    MUST(pl_world_cut(f.world, (double[3]){0.01, -1, -1}, (double[3]){0.01, 1, -1}, (double[3]){0.01, 1, 1},
                      (double[3]){0.01, -1, 1}, &torn));
    MUST(pl_world_grab_read(f.world, grab, after));
    CHECK(torn > 0);
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(after[k], before[k], 1e-14);
    size_t size = pl_world_save_size(f.world);
    void *snapshot = malloc(size);
    MUST(pl_world_save(f.world, snapshot, size));
    MUST(pl_world_load(g.world, snapshot, size));
    MUST(pl_world_load(f.world, snapshot, size));
    (void)fixture_step(&f, 0.5);
    (void)fixture_step(&g, 0.5);
    int32_t count = pl_body_node_count(f.world, f.body);
    CHECK(count <= 500 && pl_body_node_count(g.world, g.body) == count);
    MUST(pl_body_read(f.world, f.body, x[0], NULL));
    MUST(pl_body_read(g.world, g.body, x[1], NULL));
    CHECK(memcmp(x[0], x[1], 3 * sizeof(double) * (size_t)count) == 0);
    MUST(pl_world_grab_read(f.world, grab, after));
    CHECK_THAT(after[1] > before[1] - 0.2, "%g m", after[1]); // the half that it holds does not fall
    MUST(pl_world_grab_release(f.world, grab));
    (void)fixture_step(&f, 0.1);
    free(snapshot);
    fixture_done(&f);
    fixture_done(&g);
}

// Without other forces the point comes to rest where it is wanted, and the body comes along.
static void a_body_follows_the_hand(void)
{
    fixture_def def = block();
    def.material.damping = 0.05;
    fixture f = fixture_make(&def);
    pl_hit hit = hit_from_above(&f);
    pl_grab_id grab;
    double target[3] = {hit.point[0] + 0.5, hit.point[1] + 1, hit.point[2] - 0.25}, at[3], centre[3], v[3];
    MUST(pl_world_grab(f.world, &hit, 50 * f.world->bodies.body[0]->total_mass, 0.2, &grab));
    for (int k = 0; k < 1500; ++k)
    {
        MUST(pl_world_grab_move(f.world, grab, target));
        (void)fixture_step(&f, 0.02);
    }
    MUST(pl_world_grab_read(f.world, grab, at));
    fixture_centre(&f, centre, v);
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(at[k], target[k], 0.01); // it goes on turning about the hand
    CHECK_THAT(centre[1] > 0.5, "the body is at %g", centre[1]);
    fixture_done(&f);
}

// A hand that moves at a steady pace does not lag by its damping: T' is in it.
static void a_steady_hand_is_kept_up_with(void)
{
    fixture_def def = block();
    def.material.damping = 0.05;
    fixture f = fixture_make(&def);
    pl_hit hit = hit_from_above(&f);
    pl_grab_id grab;
    double target[3], at[3];
    memcpy(target, hit.point, sizeof target);
    MUST(pl_world_grab(f.world, &hit, 200 * f.world->bodies.body[0]->total_mass, 0.4, &grab));
    for (int k = 0; k < 300; ++k)
    {
        target[0] += 0.01;
        MUST(pl_world_grab_move(f.world, grab, target));
        (void)fixture_step(&f, 0.01);
    }
    MUST(pl_world_grab_read(f.world, grab, at));
    CHECK_NEAR(at[0], target[0], 5e-3);
    fixture_done(&f);
}

static void hands_of_any_strength_are_stable(void)
{
    for (double stiffness = 1e-3; stiffness <= 1e12; stiffness *= 1e3)
        for (int update = 0; update < 2; ++update)
        {
            fixture_def def = block();
            def.gravity[1] = -9.81;
            def.solver.velocity_update = (pl_velocity_update)update;
            fixture f = fixture_make(&def);
            pl_hit hit = hit_from_above(&f);
            pl_grab_id grab;
            double target[3] = {1, 2, 0};
            pl_step_info info = {0};
            MUST(pl_world_grab(f.world, &hit, stiffness, 0.2, &grab));
            for (int k = 0; k < 50; ++k)
            {
                target[0] = k % 10 < 5 ? 1 : -1;
                MUST(pl_world_grab_move(f.world, grab, target));
                info = fixture_step(&f, 0.02);
            }
            // a hand that goes 2 m in 20 ms moves at 100 m/s, and so may what it holds
            CHECK_THAT(info.kinetic < 0.5 * info.mass * 150 * 150, "%g N/m: %g J", stiffness, info.kinetic);
            fixture_done(&f);
        }
}

// What was held is as light as before: free fall to the last bits.
static void a_released_body_falls_freely(void)
{
    fixture_def def = block();
    def.gravity[1] = -9.81;
    fixture f = fixture_make(&def);
    pl_hit hit = hit_from_above(&f);
    pl_grab_id grab;
    MUST(pl_world_grab(f.world, &hit, 1e4, 0.2, &grab));
    for (int k = 0; k < 10; ++k)
        (void)fixture_step(&f, 0.02);
    MUST(pl_world_grab_release(f.world, grab));
    CHECK(pl_world_grab_release(f.world, grab) == PL_ERR_STATE);
    double x[3], before[3], after[3];
    fixture_centre(&f, x, before);
    for (int k = 0; k < 10; ++k)
        (void)fixture_step(&f, 0.02);
    fixture_centre(&f, x, after);
    CHECK_NEAR(after[0] - before[0], 0, 1e-9);
    CHECK_NEAR(after[1] - before[1], -0.2 * 9.81, 1e-9);
    for (size_t k = 0; k < 3 * (size_t)f.world->solids.node_count; ++k)
        CHECK(f.world->solids.inertia[k] == f.world->solids.mass[k] && f.world->solids.push[k] == 0);
    fixture_done(&f);
}

static void patches_are_the_nearest_nodes_at_rest(void)
{
    fixture_def def = block();
    fixture f = fixture_make(&def);
    pl_hit hit = hit_from_above(&f);
    const double radii[] = {0, 0.26, 10};
    int32_t counts[3];
    for (int k = 0; k < 3; ++k)
    {
        pl_grab_id grab;
        MUST(pl_world_grab(f.world, &hit, 100, radii[k], &grab));
        const pl__grab *held = &f.world->grabs.grab[0];
        counts[k] = held->count;
        const double *anchor = &f.world->solids.state.x[3 * (size_t)held->node[0]];
        for (int32_t i = 0; i < held->count; ++i)
        {
            const double *x = &f.world->solids.state.x[3 * (size_t)held->node[i]];
            double distance = sqrt(pow(x[0] - anchor[0], 2) + pow(x[1] - anchor[1], 2) + pow(x[2] - anchor[2], 2));
            CHECK(distance <= radii[k]);
            for (int32_t j = 0; j < i; ++j)
                CHECK(held->node[i] != held->node[j]);
        }
        MUST(pl_world_grab_release(f.world, grab));
    }
    CHECK_THAT(counts[0] == 1 && counts[1] >= 3 &&
                   counts[2] == (f.world->bodies.body[0]->surface.vertex_count < 64
                                     ? f.world->bodies.body[0]->surface.vertex_count
                                     : 64),
               "%d, %d and %d nodes", counts[0], counts[1], counts[2]);
    fixture_done(&f);
}

// ---- state -------------------------------------------------------------------------------------------------------

static void run_on(const fixture *f, pl_grab_id grab, int steps)
{
    for (int k = 0; k < steps; ++k)
    {
        const double target[3] = {0.5, 1 + 0.01 * k, 0.2};
        if (pl_world_grab_move(f->world, grab, target) != PL_OK)
            abort();
        (void)fixture_step(f, 0.02);
    }
}

static void compare_states(const fixture *a, const fixture *b)
{
    CHECK(memcmp(a->world->solids.state.x, b->world->solids.state.x,
                 3 * (size_t)a->world->solids.node_count * sizeof(double)) == 0);
    CHECK(memcmp(a->world->solids.state.v, b->world->solids.state.v,
                 3 * (size_t)a->world->solids.node_count * sizeof(double)) == 0);
}

// Also in the middle of a step, when the hand is on its way, and in a world that has never known one.
static void snapshots_hold_hands(void)
{
    fixture_def def = block();
    def.gravity[1] = -9.81;
    fixture f = fixture_make(&def), g = fixture_make(&def);
    size_t plain = pl_world_save_size(f.world);
    pl_hit hit = hit_from_above(&f);
    pl_grab_id grab;
    MUST(pl_world_grab(f.world, &hit, 5e3, 0.2, &grab));
    run_on(&f, grab, 5);
    const double target[3] = {1, 1, 1};
    MUST(pl_world_grab_move(f.world, grab, target));
    pl_step_def part = pl_step_def_default();
    part.max_substeps = 1;
    MUST(pl_world_step(f.world, &part, NULL));
    CHECK(pl_world_pending(f.world) > 0);
    size_t size = pl_world_save_size(f.world);
    CHECK(size > plain);
    void *state = malloc(size), *again = malloc(size);
    MUST(pl_world_save(f.world, state, size));
    MUST(pl_world_load(g.world, state, size));
    CHECK(pl_world_grab_count(g.world) == 1 && pl_world_grab_at(g.world, 0).index == grab.index);
    MUST(pl_world_save(g.world, again, size));
    CHECK(memcmp(state, again, size) == 0);
    part.max_substeps = 0;
    part.finish = 1;
    MUST(pl_world_step(f.world, &part, NULL));
    MUST(pl_world_step(g.world, &part, NULL));
    compare_states(&f, &g);
    run_on(&f, grab, 5);
    run_on(&g, grab, 5);
    compare_states(&f, &g);
    // a damaged one is refused, and changes nothing
    ((char *)state)[size - 40] ^= 1;
    CHECK(pl_world_load(g.world, state, size) == PL_ERR_FORMAT);
    compare_states(&f, &g);
    free(state);
    free(again);
    fixture_done(&f);
    fixture_done(&g);
}

static void a_snapshot_from_before_lets_go(void)
{
    fixture_def def = block();
    fixture f = fixture_make(&def);
    size_t size = pl_world_save_size(f.world);
    void *state = malloc(size);
    MUST(pl_world_save(f.world, state, size));
    pl_hit hit = hit_from_above(&f);
    pl_grab_id grab, next;
    MUST(pl_world_grab(f.world, &hit, 100, 0.2, &grab));
    MUST(pl_world_load(f.world, state, size));
    double at[3];
    CHECK(pl_world_grab_read(f.world, grab, at) == PL_ERR_STATE);
    CHECK(!pl__body_is_held(f.world->bodies.body[0]) && pl_world_save_size(f.world) == size);
    MUST(pl_world_grab(f.world, &hit, 100, 0.2, &next));
    CHECK(next.index != grab.index);
    free(state);
    fixture_done(&f);
}

static void hands_that_cannot_be_are_refused(void)
{
    fixture_def def = block();
    fixture f = fixture_make(&def);
    pl_hit hit = hit_from_above(&f), wrong = hit;
    pl_grab_id grab[PL__GRABS + 1];
    const double bad[3] = {0, NAN, 0};
    CHECK(pl_world_grab(f.world, &hit, 0, 0.1, NULL) == PL_ERR_ARGUMENT &&
          strstr(pl_context_error(f.ctx), "stiffness: 0 N/m"));
    CHECK(pl_world_grab(f.world, &hit, NAN, 0.1, NULL) == PL_ERR_ARGUMENT);
    CHECK(pl_world_grab(f.world, &hit, 1, -1, NULL) == PL_ERR_ARGUMENT);
    wrong.triangle = 1 << 20;
    CHECK(pl_world_grab(f.world, &wrong, 1, 0.1, NULL) == PL_ERR_ARGUMENT);
    wrong.body.index = 7;
    CHECK(pl_world_grab(f.world, &wrong, 1, 0.1, NULL) == PL_ERR_STATE);
    for (int k = 0; k < PL__GRABS; ++k)
        MUST(pl_world_grab(f.world, &hit, 1, 0.1, &grab[k]));
    CHECK(pl_world_grab(f.world, &hit, 1, 0.1, NULL) == PL_ERR_STATE);
    CHECK(pl_world_grab_count(f.world) == PL__GRABS && pl_world_grab_at(f.world, PL__GRABS).index == 0 &&
          pl_world_grab_at(f.world, -1).index == 0);
    for (int k = 0; k < PL__GRABS; ++k)
        CHECK(pl_world_grab_at(f.world, k).index == grab[k].index);
    CHECK(pl_world_grab_move(f.world, grab[3], bad) == PL_ERR_ARGUMENT);
    (void)fixture_step(&f, 0.02);
    // whoever is removed is let go of
    MUST(pl_world_remove_body(f.world, f.body));
    double at[3];
    CHECK(pl_world_grab_read(f.world, grab[3], at) == PL_ERR_STATE);
    CHECK(pl_world_grab(f.world, &hit, 1, 0.1, NULL) == PL_ERR_STATE);
    (void)fixture_step(&f, 0.02);
    fixture_done(&f);
}

// A body that comes or goes while another is held.
static void hands_survive_other_bodies(void)
{
    fixture_def def = block();
    fixture f = fixture_make(&def);
    pl_hit hit = hit_from_above(&f);
    pl_grab_id grab;
    MUST(pl_world_grab(f.world, &hit, 1e3, 0.2, &grab));
    pl_body_def body = def.body;
    body.mesh = f.mesh;
    body.material.index = 1;
    body.at[0] = 5;
    pl_body_id other;
    MUST(pl_world_add_body(f.world, "other", &body, &other));
    run_on(&f, grab, 20);
    MUST(pl_world_remove_body(f.world, other));
    run_on(&f, grab, 20);
    double at[3];
    MUST(pl_world_grab_read(f.world, grab, at));
    CHECK_THAT(at[1] > 0.5, "%g", at[1]);
    fixture_done(&f);
}

static void steps_with_a_hand_allocate_nothing(void)
{
    fixture_def def = block();
    fixture f = fixture_make(&def);
    pl_hit hit = hit_from_above(&f);
    pl_grab_id grab;
    (void)fixture_step(&f, 0.02);
    MUST(pl_world_grab(f.world, &hit, 1e3, 0.2, &grab));
    int64_t before = f.ctx->allocation_count;
    run_on(&f, grab, 5);
    MUST(pl_world_grab_release(f.world, grab));
    MUST(pl_world_grab(f.world, &hit, 1e3, 0.2, &grab));
    CHECK(f.ctx->allocation_count == before);
    fixture_done(&f);
}

static pl_status grab_something(pl_context *ctx)
{
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_shape_def shape = pl_shape_def_default();
    pl_body_def body = pl_body_def_default();
    pl_material_def material = pl_material_def_default();
    shape.edge = 0.5;
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    if (status == PL_OK)
        status = pl_scene_create(ctx, &scene);
    if (status == PL_OK)
        status = pl_scene_add_material(scene, "stuff", &material, &body.material);
    body.mesh = mesh;
    if (status == PL_OK)
        status = pl_scene_add_body(scene, "body", &body, NULL);
    if (status == PL_OK)
        status = pl_world_create(scene, &world);
    pl_hit hit;
    if (status == PL_OK && pl_world_cast_ray(world, from_above, downwards, &hit))
        status = pl_world_grab(world, &hit, 100, 0.2, NULL);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(grab_something) > 20); }

// ---- parameters --------------------------------------------------------------------------------------------------

static void rub_the_ball(const fixture *f_)
{
    fixture f = *f_;
    MUST(pl_scene_set_friction(f.scene, "body", "object", 0.7));
}

// The list and the search know the same parameters; what is said of them holds.
static void every_listed_parameter_is_found_by_its_path(void)
{
    fixture_def def = block();
    pl_object_def ball = pl_object_def_default();
    ball.kind = PL_OBJECT_SPHERE;
    ball.at[1] = -3;
    def.object = &ball;
    def.prepare = rub_the_ball;
    fixture f = fixture_make(&def);
    int32_t count = pl_world_param_count(f.world);
    CHECK_THAT(count == 3 + 3 + 10 + 1 + 1 + 3, "%d parameters", count);
    for (int32_t i = 0; i < count; ++i)
    {
        pl_param_id param = pl_world_param_at(f.world, i);
        pl_param_info info;
        char path[160];
        MUST(pl_world_param_describe(f.world, param, &info, path, sizeof path));
        CHECK_THAT(pl_world_find_param(f.world, path).index == param.index, "%s", path);
        CHECK(info.value == pl_world_get(f.world, param) && !info.keyed && info.unit);
        CHECK_THAT(info.low <= info.value && info.value <= info.high, "%s: %g not in [%g, %g]", path, info.value,
                   info.low, info.high);
        bool idle = strstr(path, "activation") || strstr(path, "pressure") || strstr(path, "wind") ||
                    strstr(path, "toughness") || strstr(path, "volume") || strstr(path, "_limit");
        CHECK_THAT(info.matters == !idle, "%s", path);
        if (info.matters)
            MUST(pl_world_set(f.world, param, info.value));
    }
    CHECK(pl_world_param_at(f.world, count).index == 0 && pl_world_param_at(f.world, -1).index == 0);
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(rays_meet_the_nearest_face),
        TEST(rays_that_miss_or_make_no_sense_meet_nothing),
        TEST(a_hanging_body_stretches_the_spring_by_its_weight),
        TEST(a_hand_keeps_what_is_cut),
        TEST(a_body_follows_the_hand),
        TEST(a_steady_hand_is_kept_up_with),
        TEST(hands_of_any_strength_are_stable),
        TEST(a_released_body_falls_freely),
        TEST(patches_are_the_nearest_nodes_at_rest),
        TEST(snapshots_hold_hands),
        TEST(a_snapshot_from_before_lets_go),
        TEST(hands_that_cannot_be_are_refused),
        TEST(hands_survive_other_bodies),
        TEST(steps_with_a_hand_allocate_nothing),
        TEST(every_failed_allocation_is_survived),
        TEST(every_listed_parameter_is_found_by_its_path),
    };
    return RUN(tests);
}
