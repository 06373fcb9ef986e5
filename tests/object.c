// tests/object.c -- a point against a level set, in closed form (thesis 3.2).
#include "test.h"
#include "base/random.h"
#include "contact/object.h"

static const pl__shape level = {.def = {.kind = PL_OBJECT_PLANE, .normal = {0, 1, 0}}},
                       ball_shape = {.def = {.kind = PL_OBJECT_SPHERE, .radius = 2}};
static const pl__object floor_plane = {.shape = &level, .turned = {1, {0, 0, 0}}, .friction = 0.25};

static const double origin[3];

static void check3(const double a[3], double x, double y, double z)
{
    CHECK_NEAR(a[0], x, 1e-15);
    CHECK_NEAR(a[1], y, 1e-15);
    CHECK_NEAR(a[2], z, 1e-15);
}

// Gamma: the inward part goes, friction takes mu times as much from the tangent, down to nothing; what leaves is left
// alone.
static void velocity_filter(void)
{
    double n[3] = {0, 1, 0}, pressed[3] = {3, -4, 0}, slow[3] = {0.5, -4, 0}, leaving[3] = {3, 4, 0},
           straight[3] = {0, -4, 0};
    pl__object_filter_velocity(&floor_plane, 0.25, origin, n, pressed);
    check3(pressed, 2, 0, 0);
    pl__object_filter_velocity(&floor_plane, 0.25, origin, n, slow);
    check3(slow, 0, 0, 0);
    pl__object_filter_velocity(&floor_plane, 0.25, origin, n, leaving);
    check3(leaving, 3, 4, 0);
    pl__object_filter_velocity(&floor_plane, 0.25, origin, n, straight);
    check3(straight, 0, 0, 0);
    pl__object belt = floor_plane; // a moving object carries along what sticks to it
    belt.velocity[2] = 1;
    double stuck[3] = {0, -4, 0.5};
    pl__object_filter_velocity(&belt, belt.friction, origin, n, stuck);
    check3(stuck, 0, 0, 1);
}

// A point 0.1 above the floor falls at (1, -1): half of the step to the floor, the other half along it at 1 - mu.
static void collision_point_and_remaining_time(void)
{
    double x[3] = {0, 0.1, 0}, v[3] = {1, -1, 0}, end[3], n[3];
    CHECK(pl__object_collide(&floor_plane, floor_plane.friction, x, v, 0.2, end, n));
    check3(end, 0.1 + 0.1 * 0.75, 0, 0);
    CHECK(n[1] == 1);
    CHECK(!pl__object_collide(&floor_plane, floor_plane.friction, x, v, 0.09, end, n));
}

// A floor that rises meets the point half-way: both move 0.1 towards each other, then the point rides on it.
static void moving_floor(void)
{
    pl__object lift = floor_plane;
    lift.velocity[1] = 1;
    lift.at[1] = 0.2; // at the end of a step of 0.2 s; it began at 0
    double x[3] = {0, 0.2, 0}, v[3] = {0, -1, 0}, end[3], n[3];
    CHECK(pl__object_collide(&lift, lift.friction, x, v, 0.2, end, n));
    check3(end, 0, 0.2, 0);
}

// Points that begin inside end on the surface; the centre of a ball is pushed up.
static void nothing_stays_inside(void)
{
    pl__object ball = {.shape = &ball_shape, .at = {1, 0, 0}};
    double still[3] = {0, 0, 0}, inside[3] = {1.5, 0, 0}, centre[3] = {1, 0, 0}, end[3], n[3];
    CHECK(pl__object_collide(&ball, ball.friction, inside, still, 0.1, end, n));
    check3(end, 3, 0, 0);
    CHECK(pl__object_collide(&ball, ball.friction, centre, still, 0.1, end, n));
    check3(end, 1, 2, 0);
}

// V + w x r, about a centre that moves.
static void surface_of_a_turning_ball(void)
{
    pl__object ball = {.shape = &ball_shape, .at = {1, 0, 0}, .velocity = {0, 0, 5}, .angular = {0, 3, 0}};
    double point[3] = {3, 0, 0}, v[3];
    pl__object_velocity(&ball, point, v);
    check3(v, 0, 0, 5 - 3 * 2);
    ball.friction =
        1; // what is pressed onto it at rest, slower than its surface, is taken along by as much as it is pressed
    double n[3] = {1, 0, 0}, pressed[3] = {-0.25, 0, 0};
    pl__object_filter_velocity(&ball, ball.friction, point, n, pressed);
    check3(pressed, 0, 0, -0.25);
}

// A plane that swings up meets a falling point two thirds through the step and takes it along to where it ends.
static void a_plane_swings_up(void)
{
    pl__object plane = {.shape = &level, .turned = {1, {0, 0, 0}}, .angular = {0, 0, 0.5}};
    double x[3] = {1, 0.1, 0}, v[3] = {0, -1, 0}, end[3], n[3];
    CHECK(pl__object_collide(&plane, plane.friction, x, v, 0.2, end, n));
    CHECK_NEAR(end[1], 0, 1e-3); // the arc and its chord
}

// What sticks to a turntable goes around in a circle: after a turn in 60 steps it is where it was, but for a factor of
// 1 + (w dt)^4/4 per step on the square of its radius.
static void a_turntable_carries_around(void)
{
    pl__object table = {.shape = &level, .friction = 100, .angular = {0, 2, 0}, .turned = pl_quat_identity()};
    double x[3] = {0.5, 0, 0}, v[3] = {0, -1, -1}, end[3], n[3], dt = 3.141592653589793 / 60;
    for (int k = 0; k < 60; ++k)
    {
        pl__object_move(&table, dt);
        CHECK(pl__object_collide(&table, table.friction, x, v, dt, end, n));
        memcpy(x, end, sizeof x);
        pl__object_velocity(&table, x, v);
        v[1] = -1;
    }
    CHECK_NEAR(x[0], 0.5, 1e-3);
    CHECK_NEAR(x[2], 0, 0.006);
    CHECK_NEAR(x[0] * x[0] + x[2] * x[2], 0.25 * pow(1 + pow(2 * dt, 4) / 4, 60), 1e-12);
    CHECK_NEAR(fabs(table.turned.w), 1, 1e-13);
}

// A script says where it ends; velocities follow from that; undone, it is where it was.
static void scripted_objects_arrive(void)
{
    pl__object plane = {
        .shape = &level, .turned = pl_quat_identity(), .scripted_at = true, .scripted_turn = true, .at_end = {1, 2, 3}};
    double tilt[3] = {0, 0, 30};
    plane.turned_end = pl_quat_from_degrees(tilt);
    pl__object_move(&plane, 0.5);
    check3(plane.velocity, 2, 4, 6);
    check3(plane.at, 1, 2, 3);
    check3(plane.angular, 0, 0, 2 * 3.141592653589793 / 6);
    double n[3];
    pl__object_distance(&plane, origin, n);
    check3(n, -0.5, sqrt(0.75), 0);
    pl__object_return(&plane);
    check3(plane.at, 0, 0, 0);
    pl__object_distance(&plane, origin, n);
    check3(n, 0, 1, 0);
}

// What is inside is inside the box, however the object is turned; and the box is no larger than that of the turned
// bounds.
static void boxes_hold_objects(void)
{
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 40; ++k)
    {
        pl_object_def def = pl_object_def_default();
        def.kind = k % 2 ? PL_OBJECT_CAPSULE : PL_OBJECT_BOX;
        def.radius = 0.2, def.height = 1.4;
        def.extent[0] = 1, def.extent[1] = 0.5, def.extent[2] = 2;
        pl__shape *shape;
        CHECK(pl__shape_create(ctx, &def, &shape) == PL_OK);
        pl__object object = {
            .shape = shape, .at = {3, -1, 0.5}, .turned = pl_quat_from_degrees((double[3]){11 * k, 7 * k, 3 * k})};
        pl__object_place(&object);
        double most[3] = {0}, normal[3];
        for (uint64_t i = 0; i < 20000; ++i)
        {
            double p[3];
            for (size_t j = 0; j < 3; ++j)
                p[j] = object.at[j] + 4 * (pl__random01(5, (uint64_t)k, 3 * i + j) - 0.5);
            if (pl__object_distance(&object, p, normal) > 0)
                continue;
            for (int j = 0; j < 3; ++j)
            {
                CHECK(p[j] >= object.lower[j] && p[j] <= object.upper[j]);
                most[j] = fmax(most[j], fabs(p[j] - object.at[j]));
            }
        }
        for (int j = 0; j < 3; ++j)
            CHECK_THAT(object.upper[j] - object.at[j] < most[j] + 0.5, "%g, not %g", object.upper[j] - object.at[j],
                       most[j]);
        pl__shape_destroy(&shape);
    }
    pl_context_destroy(&ctx);
}

// A node falls by 1 m in a step: it begins on the surface if no more than a thousandth of its depth above it. Without
// friction it sticks if it slides by no more than a millionth of what presses it.
static void support_is_on_the_surface(void)
{
    double carried[3], normal[3];
    bool sticks;
    for (int far = 0; far < 2; ++far)
    {
        double x[3] = {0, far ? 1.1e-3 : 0.9e-3, 0}, v[3] = {far ? 1.1e-6 : 0.9e-6, 0, 0}, loose[3] = {1, -1, 0};
        CHECK(pl__object_supports(&floor_plane, 0, x, v, loose, 1, carried, normal, &sticks) == !far);
        CHECK(pl__object_supports(&floor_plane, 0, origin, v, loose, 1, carried, normal, &sticks));
        CHECK(sticks == !far);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(velocity_filter),
                                    TEST(collision_point_and_remaining_time),
                                    TEST(moving_floor),
                                    TEST(nothing_stays_inside),
                                    TEST(surface_of_a_turning_ball),
                                    TEST(a_plane_swings_up),
                                    TEST(a_turntable_carries_around),
                                    TEST(scripted_objects_arrive),
                                    TEST(boxes_hold_objects),
                                    TEST(support_is_on_the_surface)};
    return RUN(tests);
}
