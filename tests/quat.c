// tests/quat.c -- rotations as quaternions against matrices and the C library's angles.
#include "test.h"
#include "math/quat.h"
#include "random_input.h"
#include <pliant/scene.h>

static const double degree = 0.017453292519943295;

static void angles_are_those_of_atan2(void)
{
    for (uint64_t i = 0; i < 2000; ++i)
    {
        double c = random_pm(1, i), s = random_pm(2, i);
        CHECK_NEAR(pl__angle_of(1e200 * c, 1e200 * s), atan2(s, c), 1e-15 * 4);
        CHECK_NEAR(pl__angle_of(c, 1e-9 * s), atan2(1e-9 * s, c), 1e-15 * 4);
    }
    CHECK(pl__angle_of(0, 0) == 0 && pl__angle_of(1, 0) == 0);
    CHECK_NEAR(pl__angle_of(-1, 0), 3.141592653589793, 1e-15);
}

// Turning is about x, then y, then z; angles come back, also where y is straight up.
static void degrees_there_and_back(void)
{
    double quarter[3] = {90, 90, 0}; // y to z to x
    pl_vec3 turned = pl_quat_turn(pl_quat_from_degrees(quarter), pl_make3(0, 1, 0));
    CHECK_NEAR(turned.v[0], 1, 1e-15);
    for (uint64_t i = 0; i < 500; ++i)
    {
        double a[3] = {180 * random_pm(3, i),
                       i % 5   ? 90 * random_pm(4, i)
                       : i % 2 ? 90
                               : -90,
                       180 * random_pm(5, i)},
               b[3];
        pl_quat q = pl_quat_from_degrees(a);
        pl_quat_to_degrees(q, b);
        pl_quat r = pl_quat_from_degrees(b);
        CHECK_NEAR(fabs(q.w * r.w + q.v[0] * r.v[0] + q.v[1] * r.v[1] + q.v[2] * r.v[2]), 1, 1e-13);
        for (int k = 0; i % 5 && k < 3; ++k)
            CHECK_NEAR(b[k], a[k], 1e-8);
    }
}

// A rotation vector along z by a quarter turn; vectors come back; the product turns by the first, then the second.
static void vectors_there_and_back(void)
{
    pl_vec3 x = pl_quat_turn(pl_quat_from_vector(pl_make3(0, 0, 90 * degree)), pl_make3(1, 0, 0));
    CHECK_NEAR(x.v[1], 1, 1e-15);
    for (uint64_t i = 0; i < 500; ++i)
    {
        pl_vec3 a = pl_make3(1.8 * random_pm(6, i), 1.8 * random_pm(7, i), 1.8 * random_pm(8, i)),
                p = pl_make3(1, 2, 3);
        pl_vec3 b = pl_quat_to_vector(pl_quat_from_vector(a));
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(b.v[k], a.v[k], 1e-14);
        pl_quat q = pl_quat_from_vector(a), r = pl_quat_from_vector(pl_make3(0.3, -0.1, 0.7));
        pl_vec3 once = pl_quat_turn(pl_quat_mul(r, q), p), twice = pl_quat_turn(r, pl_quat_turn(q, p));
        CHECK_NEAR(pl_length3(pl_sub3(once, twice)), 0, 1e-14);
    }
    pl_quat many = pl_quat_from_vector(pl_make3(0, 1e12, 0)); // more turns than the sine knows
    CHECK_NEAR(many.w * many.w + many.v[1] * many.v[1], 1, 1e-15);
}

// What hosts turn points with is the same rotation, to the bit.
static void points_turn_as_quaternions_do(void)
{
    double degrees[3] = {20, -70, 130}, points[6] = {1, 2, 3, -4, 5, 0};
    pl_quat q = pl_quat_from_degrees(degrees);
    pl_vec3 a = pl_quat_turn(q, pl_make3(1, 2, 3)), b = pl_quat_turn(q, pl_make3(-4, 5, 0));
    pl_points_rotate(degrees, points, 2);
    for (int k = 0; k < 3; ++k)
        CHECK(points[k] == a.v[k] && points[3 + k] == b.v[k]);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(angles_are_those_of_atan2), TEST(degrees_there_and_back),
                                    TEST(vectors_there_and_back), TEST(points_turn_as_quaternions_do)};
    return RUN(tests);
}
