// tests/solitary.c -- the solitary wave that pliant validate starts from: a solution of Euler's equations.
#include "solitary.h"
#include "test.h"

static const double heights[] = {0.019, 0.05, 0.1, 0.2, 0.4};

static void make(double height, solitary *w)
{
    if (!solitary_make(height, w))
        abort();
}

// On the surface the pressure is that of the air: (u - c)^2 / 2 + v^2 / 2 + eta = c^2 / 2; and water stays below it:
// v = (u - c) eta'. The slope is by central differences.
static void surfaces_are_free(void)
{
    for (int k = 0; k < 5; ++k)
    {
        solitary w;
        make(heights[k], &w);
        CHECK_NEAR(solitary_elevation(&w, 0), heights[k], 1e-9);
        for (double x = -6; x < 6; x += 0.37)
        {
            double eta = solitary_elevation(&w, x), v[2], d = 1e-4;
            double slope = (solitary_elevation(&w, x + d) - solitary_elevation(&w, x - d)) / (2 * d);
            solitary_velocity(&w, x, eta, v);
            double u = v[0] - w.speed;
            CHECK_NEAR(0.5 * (u * u + v[1] * v[1]) + eta, 0.5 * w.speed * w.speed, 1e-8);
            CHECK_NEAR(v[1], u * slope, 1e-7);
        }
    }
}

// Inside there is no divergence and no rotation, and nothing goes through the floor.
static void flows_are_potential(void)
{
    for (int k = 0; k < 5; ++k)
    {
        solitary w;
        make(heights[k], &w);
        for (double x = -5; x < 5; x += 0.83)
        {
            double d = 1e-4, east[2], west[2], up[2], down[2], floor_speed[2];
            solitary_velocity(&w, x + d, -0.4, east);
            solitary_velocity(&w, x - d, -0.4, west);
            solitary_velocity(&w, x, -0.4 + d, up);
            solitary_velocity(&w, x, -0.4 - d, down);
            solitary_velocity(&w, x, -1, floor_speed);
            CHECK_NEAR((east[0] - west[0] + up[1] - down[1]) / (2 * d), 0, 1e-8);
            CHECK_NEAR((east[1] - west[1] - up[0] + down[0]) / (2 * d), 0, 1e-8);
            CHECK_NEAR(floor_speed[1], 0, 1e-12);
        }
    }
}

// c^2 = 1 + e - e^2 / 20 - 3 e^3 / 70 (Grimshaw 1971) is off by O(e^4).
static void speeds_follow_the_series(void)
{
    double last = 0;
    for (double e = 0.05; e < 0.3; e *= 2)
    {
        solitary w;
        make(e, &w);
        double off = fabs(w.speed * w.speed - (1 + e - e * e / 20 - 3 * e * e * e / 70));
        CHECK_THAT(off < 0.1 * e * e * e * e, "%g at %g", off, e);
        CHECK_THAT(last == 0 || log2(off / last) > 3.7, "order %g at %g", log2(off / last), e);
        last = off;
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(surfaces_are_free), TEST(flows_are_potential), TEST(speeds_follow_the_series)};
    return RUN(tests);
}
