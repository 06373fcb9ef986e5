// tests/sleep.c -- bodies that have come to rest are left alone, and come back as if nothing had been.
#include "fixture.h"
#include "host.h"

enum
{
    BOXES = 6
};

typedef struct
{
    bool sleep, ball, belt;
    int32_t threads;
} room;

// Boxes in a row on a floor; the ball was thrown up and comes down on the fourth. The belt is a ball far away that can
// be moved.
static fixture furnished(const room *r)
{
    static pl_object_def floor;
    floor = pl_object_def_default();
    fixture_def def = fixture_default();
    def.threads = r->threads;
    def.object = &floor;
    def.gravity[1] = -9.81;
    def.solver.sleep = r->sleep;
    def.shape.extent[0] = def.shape.extent[1] = def.shape.extent[2] = 0.2;
    def.material.young = 1e5;
    def.material.damping = 0.02;
    def.body.collides = 1;
    def.body.at[1] = 0.1005;
    fixture f = fixture_make(&def);
    pl_world_destroy(&f.world);
    pl_body_def body = def.body;
    body.mesh = f.mesh;
    body.material.index = 1;
    for (int i = 1; i < BOXES + r->ball; ++i)
    {
        char name[16];
        snprintf(name, sizeof name, "box%d", i);
        body.at[0] = 0.5 * i;
        if (i == BOXES)
            body.at[0] = 1.5, body.at[1] = 1.5, body.velocity[1] = 8;
        MUST(pl_scene_add_body(f.scene, name, &body, NULL));
    }
    pl_object_def belt = pl_object_def_default();
    belt.kind = PL_OBJECT_SPHERE;
    belt.radius = 0.1;
    belt.at[0] = 0.5, belt.at[1] = 2;
    if (r->belt)
        MUST(pl_scene_add_object(f.scene, "belt", &belt, NULL));
    MUST(pl_world_create(f.scene, &f.world));
    return f;
}

static pl_step_info run(const fixture *f, int frames)
{
    pl_step_info info = {0};
    for (int k = 0; k < frames; ++k)
        info = fixture_step(f, 1.0 / 24);
    return info;
}

static int32_t asleep(const fixture *f)
{
    int32_t count = 0;
    for (int32_t i = 0; i < f->world->solids.body_count; ++i)
        count += f->world->bodies.body[i]->state.asleep;
    return count;
}

// No evaluation, no iteration, one substep for each look; positions do not move, contacts stay, nobody says that they
// ended.
static void boxes_asleep_cost_nothing(void)
{
    fixture f = furnished(&(room){.sleep = true});
    pl_step_info info = run(&f, 48);
    CHECK_THAT(info.sleeping == BOXES && asleep(&f) == BOXES, "%d sleep, %g J", info.sleeping, info.kinetic);
    CHECK(pl_world_contacts(f.world, NULL, 0) == BOXES);
    int64_t evaluated = f.world->solids.evaluation.chunks;
    size_t bytes = 3 * (size_t)f.world->solids.node_count * sizeof(double);
    double *x = malloc(bytes);
    memcpy(x, f.world->solids.state.x, bytes);
    for (int k = 0; k < 10; ++k)
    {
        info = run(&f, 1);
        CHECK(info.cg_iterations == 0 && info.substeps == 3 && info.kinetic == 0 && info.contacts == 0);
        CHECK(pl_world_events(f.world, NULL, 0) == 0 && pl_world_contacts(f.world, NULL, 0) == BOXES);
    }
    CHECK(f.world->solids.evaluation.chunks == evaluated);
    CHECK(memcmp(x, f.world->solids.state.x, bytes) == 0);
    free(x);
    fixture_done(&f);
}

// The world of one who never slept, at the same time.
static void compare(const fixture *a, const fixture *b, double tolerance)
{
    double worst = 0;
    for (int32_t k = 0; k < 3 * a->world->solids.node_count; ++k)
        worst = fmax(worst, fabs(a->world->solids.state.x[k] - b->world->solids.state.x[k]));
    CHECK_THAT(worst < tolerance, "%g m apart", worst);
}

// The ball wakes the box that it hits and no other; what follows is what would have been without sleep, but for the
// motion that was left when the box fell asleep, at most sleep_speed, and for other lengths of substeps.
static void a_ball_wakes_whom_it_hits(void)
{
    fixture f = furnished(&(room){.sleep = true, .ball = true}), never = furnished(&(room){.ball = true});
    run(&f, 38), run(&never, 38);
    CHECK_THAT(asleep(&f) == BOXES, "%d", asleep(&f));
    double *x = malloc(3 * (size_t)f.world->solids.node_count * sizeof *x);
    memcpy(x, f.world->solids.state.x, 3 * (size_t)f.world->solids.node_count * sizeof *x);
    int k = 0;
    for (; k < 20 && asleep(&f) == BOXES; ++k)
        run(&f, 1), run(&never, 1);
    CHECK_THAT(asleep(&f) == BOXES - 1 && !f.world->bodies.body[3]->state.asleep, "%d", asleep(&f));
    run(&f, 2), run(&never, 2);
    compare(&f, &never, 5e-3);
    for (int32_t i = 0; i < BOXES; ++i)
    {
        const pl__body *body = f.world->bodies.body[i];
        CHECK((i == 3) != (memcmp(&x[3 * body->first_node], &f.world->solids.state.x[3 * body->first_node],
                                  24 * (size_t)body->node_count) == 0));
    }
    free(x);
    fixture_done(&f);
    fixture_done(&never);
}

// Same bits from a snapshot of sleepers, also in another world, with other threads and while the ball is on its way.
static void snapshots_of_sleepers_resume_to_the_bit(void)
{
    fixture f = furnished(&(room){.sleep = true, .ball = true}),
            other = furnished(&(room){.sleep = true, .ball = true, .threads = 3});
    run(&f, 38);
    size_t size = pl_world_save_size(f.world);
    void *state = malloc(size), *end = malloc(size), *again = malloc(size);
    MUST(pl_world_save(f.world, state, size));
    MUST(pl_world_load(other.world, state, size));
    pl_step_info a = run(&f, 12), b = run(&other, 12);
    CHECK(a.elastic == b.elastic && a.sleeping == b.sleeping && a.contacts == b.contacts);
    CHECK(pl_world_save_size(f.world) == size && asleep(&f) < BOXES);
    MUST(pl_world_save(f.world, end, size));
    MUST(pl_world_save(other.world, again, size));
    CHECK(memcmp(end, again, size) == 0);
    free(state), free(end), free(again);
    fixture_done(&f);
    fixture_done(&other);
}

// All scratch, and forces of nodes that no part of the list holds.
static void spoil(pl_world *world)
{
    pl__solids *s = &world->solids;
    memset(world->arena.memory, 0xff, world->arena.capacity);
    pl__solids_list_awake(s);
    for (int32_t n = 0; n < s->node_count; ++n)
        for (int i = 0; pl__solids_next_awake(s, n, n + 1) > n && i < 3; ++i)
            s->evaluation.force[3 * n + i] = NAN;
}

// A step neither reads nor writes anything of those who sleep, until they wake: the same bits, whatever it finds there.
static void sleepers_are_left_alone(void)
{
    fixture f = furnished(&(room){.sleep = true, .ball = true}),
            spoilt = furnished(&(room){.sleep = true, .ball = true});
    run(&f, 38), run(&spoilt, 38);
    CHECK(asleep(&f) == BOXES);
    size_t bytes = 3 * (size_t)f.world->solids.node_count * sizeof(double);
    for (int k = 0; k < 14; ++k)
    {
        spoil(spoilt.world);
        pl_step_info a = run(&f, 1), b = run(&spoilt, 1);
        CHECK_THAT(memcmp(f.world->solids.state.x, spoilt.world->solids.state.x, bytes) == 0 &&
                       memcmp(f.world->solids.state.v, spoilt.world->solids.state.v, bytes) == 0,
                   "frame %d", k);
        CHECK(a.kinetic == b.kinetic && a.elastic == b.elastic && a.gravity == b.gravity &&
              a.penetration == b.penetration && a.cg_iterations == b.cg_iterations);
    }
    CHECK(asleep(&f) < BOXES);
    fixture_done(&f);
    fixture_done(&spoilt);
}

// Each of these wakes whom it concerns.
static void changes_wake(void)
{
    fixture f = furnished(&(room){.sleep = true, .belt = true});
    run(&f, 48);
    CHECK(asleep(&f) == BOXES);
    double v[3] = {0}, target[3] = {0.5, 0.25, 0};
    MUST(pl_body_set_pin(f.world, (pl_body_id){2}, 0, 1));
    CHECK(asleep(&f) == BOXES - 1 && !f.world->bodies.body[1]->state.asleep);
    MUST(pl_body_move_pin(f.world, (pl_body_id){2}, 0,
                          &f.world->solids.state.x[3 * (f.world->bodies.body[1]->first_node +
                                                        pl_body_node_order(f.world, (pl_body_id){2})[0])]));
    run(&f, 24);
    CHECK(asleep(&f) == BOXES);
    double *velocities = calloc((size_t)pl_body_node_count(f.world, f.body), sizeof v);
    MUST(pl_body_write(f.world, f.body, NULL, velocities));
    CHECK(asleep(&f) == BOXES - 1 && !f.world->bodies.body[0]->state.asleep);
    free(velocities);
    run(&f, 24);
    CHECK(asleep(&f) == BOXES);
    // an object comes down on the second
    MUST(pl_object_set_target(f.world, pl_world_find_object(f.world, "belt"), target));
    run(&f, 1);
    CHECK_THAT(asleep(&f) == BOXES - 1 && !f.world->bodies.body[1]->state.asleep, "%d", asleep(&f));
    run(&f, 48);
    CHECK(asleep(&f) == BOXES);
    // the floor moves
    MUST(pl_object_set_target(f.world, pl_world_find_object(f.world, "object"), (double[3]){0, -0.01, 0}));
    run(&f, 1);
    CHECK(asleep(&f) == 0);
    run(&f, 48);
    CHECK(asleep(&f) == BOXES);
    MUST(pl_world_set(f.world, pl_world_find_param(f.world, "gravity.x"), 1));
    CHECK(asleep(&f) == 0);
    fixture_done(&f);
}

// Who leans on one that moves does not sleep, and a stack sleeps together.
static void those_who_touch_sleep_together(void)
{
    fixture f = furnished(&(room){.sleep = true});
    double x[3 * 200];
    CHECK(pl_body_node_count(f.world, f.body) < 200);
    MUST(pl_body_read(f.world, (pl_body_id){2}, x, NULL));
    for (int32_t n = 0; n < pl_body_node_count(f.world, f.body); ++n)
        x[3 * n] -= 0.5, x[3 * n + 1] += 0.215;
    MUST(pl_body_write(f.world, (pl_body_id){2}, x, NULL));
    for (int k = 0; k < 96; ++k)
    {
        run(&f, 1);
        CHECK(f.world->bodies.body[0]->state.asleep == f.world->bodies.body[1]->state.asleep);
    }
    CHECK_THAT(asleep(&f) == BOXES, "%d", asleep(&f));
    fixture_done(&f);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(boxes_asleep_cost_nothing),
        TEST(a_ball_wakes_whom_it_hits),
        TEST(snapshots_of_sleepers_resume_to_the_bit),
        TEST(sleepers_are_left_alone),
        TEST(changes_wake),
        TEST(those_who_touch_sleep_together),
    };
    return RUN(tests);
}
