// tests/collision.c -- when and how near bodies meet: what world/collision.c chooses, against closed forms. (That
// nothing crosses: tests/clash.c, tests/pair_contact.c, tests/untangle.c.)
#include "fixture.h"

// A free box that meets itself and moves along x, in implicit steps or not.
static fixture box(bool implicit, double speed, double interval)
{
    fixture_def def = fixture_default();
    def.shape.edge = 0.5;
    def.body.self_collision = 1;
    def.body.velocity[0] = speed;
    def.solver.collision_interval = interval;
    if (implicit)
        def.solver.integrator = PL_INTEGRATOR_IMPLICIT_EULER;
    return fixture_make(&def);
}

// A solid is a twentieth of its mean edge thick; a shell as thick as it is, or a fiftieth.
static void thickness_is_that_of_edges(void)
{
    fixture f = box(false, 0, 0.01);
    CHECK_NEAR(f.world->collision.clash->surfaces->thickness[0], 0.05 * pl__slot_edge(&f.world->bodies.slot[0]), 1e-15);
    fixture_done(&f);
    for (int thick = 0; thick < 2; ++thick)
    {
        fixture_def def = fixture_default();
        def.shape.kind = PL_SHAPE_SHEET;
        def.shape.elements = PL_ELEMENT_TRIANGLE;
        def.body.kind = PL_BODY_SHELL;
        def.shape.edge = 0.25;
        def.body.self_collision = 1;
        def.body.thickness = thick ? 0.1 : 1e-4;
        fixture sheet = fixture_make(&def);
        CHECK_NEAR(sheet.world->collision.clash->surfaces->thickness[0],
                   thick ? 0.1 : 0.02 * pl__slot_edge(&sheet.world->bodies.slot[0]), 1e-15);
        fixture_done(&sheet);
    }
}

// Implicit steps: half of what the fastest node moves in an interval, between 0.06 and 0.5 of an edge. Lists serve
// until two nodes that turn back would use that up, but not for more than a second.
static void slack_follows_speed(void)
{
    const double interval = 0.01;
    for (int k = 0; k < 4; ++k)
    {
        static const double speed[] = {1e-3, 0.1, 50, 1000};
        fixture f = box(true, speed[k], interval);
        (void)fixture_step(&f, interval);
        const pl__clash *clash = f.world->collision.clash;
        double slack = fmin(0.5 * clash->edge, fmax(0.06 * clash->edge, 0.5 * interval * speed[k]));
        CHECK_NEAR(clash->slack, slack, 1e-9 * slack);
        CHECK_NEAR(clash->ahead, fmax(interval, fmin(slack / (4 * speed[k]), 1)), 1e-9);
        fixture_done(&f);
    }
}

// A step of 0.1 + 0.2 s is three intervals of 0.1 s, although that is more than 0.3 in doubles.
static void rounding_adds_no_interval(void)
{
    fixture f = box(true, 0, 0.1);
    CHECK((0.1 + 0.2) / f.world->solver.collision_interval > 3);
    (void)fixture_step(&f, 0.1 + 0.2);
    CHECK_NEAR(f.world->state.pending.interval_dt, 0.1, 1e-12);
    fixture_done(&f);
}

// A body passes through itself from more than a hundredth of inverted elements on, until none is left.
static void inverted_bodies_pass_through_themselves(void)
{
    pl__body body = {.element_count = 1000};
    for (int32_t inverted = 0; inverted < 20; ++inverted)
    {
        body.derived.figures.inverted = inverted;
        body.state.self_contact_off = false;
        CHECK(pl__collision_is_inverted(&body) == (inverted > 10));
        body.state.self_contact_off = true;
        CHECK(pl__collision_is_inverted(&body) == (inverted > 0));
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(thickness_is_that_of_edges), TEST(slack_follows_speed),
                                    TEST(rounding_adds_no_interval), TEST(inverted_bodies_pass_through_themselves)};
    return RUN(tests);
}
