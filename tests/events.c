// tests/events.c -- who touches whom, since when and how hard.
#include "fixture.h"
#include "host.h"

static const double g = 9.81;

// ---- scenes ----------------------------------------------------------------------------------------------------

typedef struct
{
    double damping, friction, velocity[3];
    pl_velocity_update update;
    pl_object_contact contact;
    bool shell, lies;
} drop;

// A box, or a sheet, close above a floor; solves are exact.
static fixture dropped(const drop *d)
{
    static pl_object_def floor;
    floor = pl_object_def_default();
    floor.friction = d->friction;
    fixture_def def = fixture_default();
    def.object = &floor;
    def.gravity[1] = -g;
    def.shape.extent[0] = 0.3, def.shape.extent[1] = 0.2, def.shape.extent[2] = 0.2;
    def.shape.edge = 0.1;
    def.material.young = d->lies ? 4e5 : 2e4;
    def.material.damping = d->damping;
    def.solver.velocity_update = d->update;
    def.solver.object_contact = d->contact;
    def.solver.tolerance = 1e-12;
    def.solver.iterations = 1000;
    def.body.at[1] = d->lies ? 0.1 : 0.11;
    memcpy(def.body.velocity, d->velocity, sizeof d->velocity);
    if (d->shell)
    {
        def.shape.kind = PL_SHAPE_SHEET;
        def.shape.elements = PL_ELEMENT_TRIANGLE;
        def.body.kind = PL_BODY_SHELL;
        def.body.rotate[0] = 10;
    }
    return fixture_make(&def);
}

static pl_step_info measure(const fixture *f)
{
    pl_step_info info;
    CHECK_OK(f->ctx, pl_world_report(f->world, &info));
    return info;
}

// ---- impulses --------------------------------------------------------------------------------------------------

// What a floor gives is what a body has gained beyond what gravity gave it; damped or not, rubbed or not, by both
// schemes and both kinds of contact.
static void impulses_balance_momentum(void)
{
    for (int c = 0; c < 64; ++c)
    {
        drop d = {.damping = c & 1 ? 0.01 : 0,
                  .friction = c & 2 ? 0.4 : 0,
                  .velocity = {c & 4 ? 1 : 0, -1, 0},
                  .shell = (c & 8) != 0,
                  .update = c & 16 ? PL_VELOCITY_TRAPEZOID : PL_VELOCITY_MIDPOINT,
                  .contact = c & 32 ? PL_CONTACT_PROJECTED : PL_CONTACT_EXACT};
        fixture f = dropped(&d);
        double mass = f.world->bodies.body[0]->total_mass, all = 0;
        for (int k = 0; k < 20; ++k)
        {
            double before = measure(&f).momentum[1];
            double given = fixture_step(&f, 0.01).momentum[1] - before + mass * g * 0.01;
            pl_contact contact = {0};
            int32_t count = pl_world_contacts(f.world, &contact, 1);
            CHECK_THAT(count <= 1 && fabs(given - contact.impulse) < 1e-8 * mass,
                       "case %d, step %d: %.12g is not %.12g N s", c, k, contact.impulse, given);
            all += contact.impulse;
        }
        CHECK_THAT(all > 1.2 * mass, "case %d: %g N s", c, all);
        fixture_done(&f);
    }
}

// Coulomb's law over the way of a block that slides to rest; its nodes slip one after the other, on ways that differ a
// little.
static void friction_works_along_the_way(void)
{
    for (int c = 0; c < 4; ++c)
    {
        drop d = {.damping = c & 1 ? 0.01 : 0,
                  .friction = 0.3,
                  .velocity = {1, 0, 0},
                  .lies = true,
                  .update = c & 2 ? PL_VELOCITY_TRAPEZOID : PL_VELOCITY_MIDPOINT};
        fixture f = dropped(&d);
        double work = 0, from[3], to[3], v[3];
        fixture_centre(&f, from, v);
        for (int k = 0; k < 60; ++k)
            work += fixture_step(&f, 0.01).friction_work;
        fixture_centre(&f, to, v);
        double law = d.friction * f.world->bodies.body[0]->total_mass * g * (to[0] - from[0]);
        CHECK_THAT(fabs(work - law) < 0.03 * law, "case %d: %g, not %g J", c, work, law);
        fixture_done(&f);
    }
}

// ---- begin and end ---------------------------------------------------------------------------------------------

enum
{
    MOST = 400
};

typedef struct
{
    pl_event event[MOST];
    int32_t step[MOST];
    int32_t count;
} story;

static void listen(const fixture *f, int32_t step, story *s)
{
    int32_t count = pl_world_events(f->world, &s->event[s->count], MOST - s->count);
    for (int32_t i = s->count; i < s->count + count && i < MOST; ++i)
        s->step[i] = step;
    s->count = s->count + count < MOST ? s->count + count : MOST;
}

static bool same_story(const story *a, const story *b)
{
    bool same = a->count == b->count && a->count > 0;
    for (int32_t i = 0; same && i < a->count; ++i)
    {
        const pl_contact *p = &a->event[i].contact, *q = &b->event[i].contact;
        same = a->step[i] == b->step[i] && a->event[i].kind == b->event[i].kind && p->body.index == q->body.index &&
               p->object.index == q->object.index && p->other.index == q->other.index &&
               memcmp(p->point, q->point, sizeof p->point) == 0 &&
               memcmp(p->normal, q->normal, sizeof p->normal) == 0 && p->impulse == q->impulse;
    }
    return same;
}

// A ball jumps: begin, end, begin, each where it should be.
static void a_bouncing_ball_begins_and_ends(void)
{
    fixture f = dropped(&(drop){.velocity = {0, -2, 0}});
    story s = {0};
    for (int k = 0; k < 100; ++k)
        fixture_step(&f, 0.01), listen(&f, k, &s);
    CHECK_THAT(s.count >= 3, "%d events", s.count);
    for (int32_t i = 0; i < s.count; ++i)
    {
        const pl_contact *c = &s.event[i].contact;
        CHECK(s.event[i].kind == (i % 2 ? PL_EVENT_END : PL_EVENT_BEGIN));
        CHECK(c->body.index == 1 && c->object.index == 1 && c->other.index == 0);
        CHECK_NEAR(c->point[1], 0, 1e-12);
        CHECK_NEAR(c->normal[1], 1, 1e-15);
        CHECK((s.event[i].kind == PL_EVENT_BEGIN) == (c->impulse > 0));
    }
    CHECK(s.step[0] < 2);
    fixture_done(&f);
}

// Two clumps that fly at each other, each a few balls; also a floor under them.
static fixture crowd(int32_t threads)
{
    static const double at[5][3] = {{0, 0.2, 0}, {0.5, 0.25, 0.02}, {1, 0.2, -0.02}, {0.5, 0.7, 0}, {2, 0.2, 0}};
    static pl_object_def floor;
    floor = pl_object_def_default();
    fixture_def def = fixture_default();
    def.threads = threads;
    def.object = &floor;
    def.gravity[1] = -g;
    def.shape.kind = PL_SHAPE_SPHERE;
    def.shape.radius = 0.2;
    def.shape.edge = 0.1;
    def.material.young = 1e5;
    def.material.damping = 0.002;
    def.body.at[0] = -0.6, def.body.at[1] = 0.3;
    def.body.velocity[0] = 3;
    def.body.collides = 1;
    fixture f = fixture_make(&def);
    for (int i = 0; i < 5; ++i)
    {
        char name[8] = {'b', (char)('0' + i), 0};
        pl_body_def body = def.body;
        body.mesh = f.mesh;
        body.material.index = 1;
        memcpy(body.at, at[i], sizeof body.at);
        body.velocity[0] = -(double)i;
        MUST(pl_world_add_body(f.world, name, &body, NULL));
    }
    return f;
}

enum
{
    WHOLE,
    DIVIDED,
    SAVED,
    DROPPED
};

static void reload(const fixture *f_, void **buffer, size_t *size)
{
    fixture f = *f_;
    size_t needed = pl_world_save_size(f.world);
    CHECK_THAT(*size == 0 || *size == needed, "a snapshot has grown from %zu to %zu bytes", *size, needed);
    *buffer = realloc(*buffer, *size = needed);
    MUST(pl_world_save(f.world, *buffer, needed));
    // something else happens, and is undone
    fixture_step(&f, slow_tests ? 0.03 : 0.002);
    MUST(pl_world_load(f.world, *buffer, needed));
}

static story told(int32_t threads, int how)
{
    fixture f = crowd(threads);
    story s = {0};
    void *buffer = NULL;
    size_t size = 0;
    for (int k = 0; k < (slow_tests ? 40 : 25); ++k)
    {
        pl_step_def step = pl_step_def_default();
        step.dt = 0.02;
        step.max_substeps = how == WHOLE ? 0 : 3;
        MUST(pl_world_step(f.world, &step, NULL));
        while (how != WHOLE && pl_world_pending(f.world) > 0)
        {
            CHECK(pl_world_events(f.world, NULL, 0) == 0);
            step.finish = 1;
            if (how == SAVED)
                reload(&f, &buffer, &size);
            MUST(pl_world_step(f.world, &step, NULL));
        }
        if (how == SAVED)
            reload(&f, &buffer, &size);
        listen(&f, k, &s);
    }
    free(buffer);
    fixture_done(&f);
    return s;
}

// Events of a crowd: the same bits for other threads, steps in parts, and snapshots at every opportunity.
static void events_do_not_depend_on_how_they_came_about(void)
{
    story whole = told(1, WHOLE), threads = told(3, WHOLE), divided = told(1, DIVIDED), saved = told(2, SAVED);
    CHECK(whole.count > 10);
    CHECK(same_story(&whole, &threads));
    CHECK(same_story(&whole, &divided));
    CHECK(same_story(&whole, &saved));
}

// Between begin and begin of two there is an end, and the other way round; within a step they are in order.
static void events_alternate_and_are_in_order(void)
{
    story s = told(1, WHOLE);
    int bodies = 0;
    bool touching[8][8] = {{0}};
    for (int32_t i = 0; i < s.count; ++i)
    {
        const pl_contact *c = &s.event[i].contact,
                         *last = i > 0 && s.step[i] == s.step[i - 1] ? &s.event[i - 1].contact : NULL;
        bool *now = &touching[c->body.index][c->other.index];
        CHECK(*now == (s.event[i].kind == PL_EVENT_END));
        *now = !*now;
        bodies += c->other.index > c->body.index;
        CHECK((c->object.index == 0) != (c->other.index == 0));
        CHECK(!last || last->body.index < c->body.index ||
              (last->body.index == c->body.index && last->other.index < c->other.index));
    }
    CHECK(bodies > 3);
}

// A step that is dropped has told nothing, and the next one tells what it knew.
static void a_dropped_step_loses_nothing(void)
{
    fixture f = dropped(&(drop){.velocity = {0, -2, 0}});
    pl_step_def part = pl_step_def_default();
    part.dt = 0.1;
    part.max_substeps = 1;
    while (pl_world_contacts(f.world, NULL, 0) == 0)
    {
        MUST(pl_world_step(f.world, &part, NULL));
        part.finish = 1;
        CHECK(pl_world_events(f.world, NULL, 0) == 0);
    }
    fixture_step(&f, 1e-6);
    pl_event event;
    CHECK(pl_world_events(f.world, &event, 1) == 1 && event.kind == PL_EVENT_BEGIN);
    fixture_step(&f, 1e-6);
    CHECK(pl_world_events(f.world, &event, 1) == 0);
    fixture_done(&f);
}

// ---- bodies ----------------------------------------------------------------------------------------------------

// Two tetrahedra, point to face, as one mesh.
static pl_status two_pieces(pl_context *ctx, pl_mesh **mesh)
{
    static const double X[24] = {0,    0,    0,    0,    0.2, 0, 0,    0, 0.2, -0.2, 0.05, 0.05,
                                 0.05, 0.05, 0.05, 0.25, 0.2, 0, 0.25, 0, 0.2, 0.25, 0,    0};
    static const int32_t corner[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    pl_mesh *made;
    pl_status status = pl_mesh_create(ctx, X, 8, corner, 2, &made);
    *mesh = made;
    return status;
}

// Pieces that meet without anything else: what the contact tells is what they exchange, and it is of the body with
// itself.
static void a_body_meets_itself(void)
{
    fixture_def def = fixture_default();
    def.make_mesh = two_pieces;
    def.material.young = 1e4;
    def.body.friction = 0;
    def.body.self_collision = 1;
    fixture f = fixture_make(&def);
    double v[24] = {0}, mass = 0, before = 0, after = 0, impulse = 0;
    for (int n = 0; n < 4; ++n)
    {
        v[3 * n] = 1;
        mass += f.world->bodies.body[0]->mass[pl_body_node_order(f.world, f.body)[n]];
    }
    MUST(pl_body_write(f.world, f.body, NULL, v));
    before = mass;
    story s = {0};
    for (int k = 0; k < 30; ++k)
    {
        pl_contact c = {0};
        fixture_step(&f, 0.01);
        listen(&f, k, &s);
        if (pl_world_contacts(f.world, &c, 1))
            CHECK_THAT(c.body.index == 1 && c.other.index == 1 && fabs(fabs(c.normal[0]) - 1) < 0.3, "normal %g %g %g",
                       c.normal[0], c.normal[1], c.normal[2]);
        impulse += c.impulse;
    }
    MUST(pl_body_read(f.world, f.body, NULL, v));
    for (int n = 0; n < 4; ++n)
        after += f.world->bodies.body[0]->mass[pl_body_node_order(f.world, f.body)[n]] * v[3 * n];
    CHECK(s.count == 2 && s.event[0].kind == PL_EVENT_BEGIN && s.event[1].kind == PL_EVENT_END);
    CHECK_NEAR(impulse, before - after, 0.1 * before); // normals turn a little
    CHECK(impulse > 0.2 * before);
    fixture_done(&f);
}

// A body that goes takes its contacts along, without a word.
static void contacts_of_a_removed_body_go(void)
{
    fixture f = crowd(1);
    for (int k = 0; k < 40; ++k)
        fixture_step(&f, 0.02);
    pl_contact c[64];
    int32_t count = pl_world_contacts(f.world, c, 64), gone = count > 0 ? c[0].body.index : 0, of_it = 0;
    for (int32_t i = 0; i < count; ++i)
        of_it += c[i].body.index == gone || c[i].other.index == gone;
    CHECK_THAT(of_it > 0 && of_it < count, "%d of %d", of_it, count);
    MUST(pl_world_remove_body(f.world, (pl_body_id){gone}));
    CHECK(pl_world_contacts(f.world, c, 64) == count - of_it);
    void *buffer = malloc(pl_world_save_size(f.world));
    MUST(pl_world_save(f.world, buffer, pl_world_save_size(f.world)));
    MUST(pl_world_load(f.world, buffer, pl_world_save_size(f.world)));
    pl_contact again[64];
    CHECK(pl_world_contacts(f.world, again, 64) == count - of_it);
    for (int32_t i = 0; i < count - of_it; ++i)
        CHECK(again[i].body.index != gone && again[i].other.index != gone && again[i].body.index >= 1 &&
              again[i].impulse >= 0);
    free(buffer);
    fixture_done(&f);
}

// ---- points and depth ------------------------------------------------------------------------------------------

// A box that is laid on a floor touches it with the nodes of its lower side, also after a snapshot.
static void points_of_a_box_are_those_of_its_lower_side(void)
{
    fixture f = dropped(&(drop){.damping = 0.05});
    for (int k = 0; k < 60; ++k)
        fixture_step(&f, 0.02);
    int32_t count, lower = 0, n = pl_mesh_node_count(f.mesh);
    for (int32_t i = 0; i < n; ++i)
        lower += pl_mesh_positions(f.mesh)[3 * i + 1] < -0.0999;
    pl_contact_point point[200];
    MUST(pl_world_contact_points(f.world, point, 200, &count));
    CHECK_THAT(count == lower && lower > 4, "%d of %d nodes", count, lower);
    for (int32_t i = 0; i < count; ++i)
        CHECK(point[i].body.index == 1 && point[i].object.index == 1 && point[i].normal[1] == 1 &&
              fabs(point[i].distance) < 1e-9);
    MUST(pl_world_contact_points(f.world, NULL, 0, &count));
    CHECK(count == lower);
    fixture_done(&f);
}

static bool at_the_top(const double X[3]) { return X[1] > 0.0999; }

// Pins go where they are sent, into the floor too; the figure says how deep.
static void depth_of_a_pin_in_the_floor(void)
{
    static pl_object_def floor;
    floor = pl_object_def_default();
    fixture_def def = fixture_default();
    def.object = &floor;
    def.shape.extent[0] = def.shape.extent[1] = def.shape.extent[2] = 0.2;
    def.body.at[1] = 0.2;
    def.pinned = at_the_top;
    fixture f = fixture_make(&def);
    CHECK(measure(&f).penetration == 0);
    for (int32_t i = 0; i < pl_mesh_node_count(f.mesh); ++i)
    {
        const double *X = &pl_mesh_positions(f.mesh)[3 * i];
        double target[3] = {X[0], -0.03 - 0.1 * X[0], X[2]};
        if (at_the_top(X))
            MUST(pl_body_move_pin(f.world, f.body, i, target));
    }
    pl_step_info info = fixture_step(&f, 0.02), own;
    CHECK_NEAR(info.penetration, 0.04, 1e-12);
    MUST(pl_body_report(f.world, f.body, &own));
    CHECK(own.penetration == info.penetration);
    fixture_done(&f);
}

// ---- memory ----------------------------------------------------------------------------------------------------

static pl_status whole_life(pl_context *ctx)
{
    pl_mesh *mesh = NULL;
    pl_scene *scene = NULL;
    pl_world *world = NULL;
    pl_shape_def shape = pl_shape_def_default();
    shape.edge = 0.5;
    pl_object_def floor = pl_object_def_default();
    pl_material_def material = pl_material_def_default();
    pl_body_def body = pl_body_def_default();
    pl_step_def step = pl_step_def_default();
    pl_status status = pl_mesh_create_shape(ctx, &shape, &mesh);
    if (status == PL_OK)
        status = pl_scene_create(ctx, &scene);
    if (status == PL_OK)
        status = pl_scene_add_material(scene, "stuff", &material, &body.material);
    if (status == PL_OK)
        status = pl_scene_add_object(scene, "floor", &floor, NULL);
    for (int i = 0; i < 2 && status == PL_OK; ++i)
    {
        body.mesh = mesh;
        body.collides = 1;
        body.at[1] = 0.5 + 1.01 * i;
        status = pl_scene_add_body(scene, i ? "b" : "a", &body, NULL);
    }
    if (status == PL_OK)
        status = pl_world_create(scene, &world);
    for (int k = 0; k < 3 && status == PL_OK; ++k)
        status = pl_world_step(world, &step, NULL);
    int32_t count = 0;
    if (status == PL_OK)
        status = pl_world_contact_points(world, NULL, 0, &count);
    if (status == PL_OK)
        CHECK(count > 4 && pl_world_contacts(world, NULL, 0) >= 2);
    pl_world_destroy(&world);
    pl_scene_destroy(&scene);
    pl_mesh_destroy(&mesh);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(whole_life) > 50); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(impulses_balance_momentum),
        TEST(friction_works_along_the_way),
        TEST(a_bouncing_ball_begins_and_ends),
        TEST(events_do_not_depend_on_how_they_came_about),
        TEST(events_alternate_and_are_in_order),
        TEST(a_dropped_step_loses_nothing),
        TEST(a_body_meets_itself),
        TEST(contacts_of_a_removed_body_go),
        TEST(points_of_a_box_are_those_of_its_lower_side),
        TEST(depth_of_a_pin_in_the_floor),
        TEST(every_failed_allocation_is_survived),
    };
    return RUN(tests);
}
