// tests/clouds.c -- drops drawn as clouds: their volume, place and shape.
#include "test.h"
#include "app/render/clouds.h"

#include <math.h>

enum
{
    BALLS = 2 * CLOUD_BALLS
};

static const cloud_box room = {{-9, -9, -9}, {9, 9, 9}};
static const double places[6] = {0, 1, 0, 2, 3, 4}, speeds[6] = {3, 0, 0, 0, 0, 0}, radius[2] = {0.1, 0.2};

static double distance(const float *p, const double *x)
{
    return sqrt(pow((double)p[0] - x[0], 2) + pow((double)p[1] - x[1], 2) + pow((double)p[2] - x[2], 2));
}

// The balls of a drop have its volume, and are about it: within a shutter's way along its velocity, else near.
static void clouds_have_the_volume_of_their_drop(void)
{
    float x[3 * BALLS], r[BALLS];
    clouds_make(2, places, speeds, radius, 0.5, &room, x, r);
    for (int n = 0; n < 2; ++n)
    {
        double sum = 0, far = 0;
        for (int b = n * CLOUD_BALLS; b < (n + 1) * CLOUD_BALLS; ++b)
        {
            sum += pow((double)r[b], 3);
            far = fmax(far, distance(&x[3 * b], &places[3 * n]));
            CHECK(fabs((double)x[3 * b + 2] - places[3 * n + 2]) < (CLOUD_SPREAD + 0.01) * radius[n]);
        }
        CHECK_NEAR(sum, pow(radius[n], 3), 1e-6 * sum);
        CHECK(far < (CLOUD_SPREAD + 0.01) * radius[n] + 0.25 * 3 && far > radius[n]);
    }
}

// A drop that has flown on, and is another one of the list, is the same cloud elsewhere.
static void clouds_keep_their_shape_in_flight(void)
{
    float x[3 * BALLS], r[BALLS], later[3 * CLOUD_BALLS], same[CLOUD_BALLS];
    const double moved[3] = {2, 2, 4}, fallen[3] = {0, -9, 0};
    clouds_make(2, places, speeds, radius, 0, &room, x, r);
    clouds_make(1, moved, fallen, radius + 1, 0, &room, later, same);
    for (int b = 0; b < CLOUD_BALLS; ++b)
    {
        CHECK(r[CLOUD_BALLS + b] == same[b]);
        for (int a = 0; a < 3; ++a)
            CHECK(fabsf(x[3 * (CLOUD_BALLS + b) + a] - (a == 1) - later[3 * b + a]) < 1e-5f);
    }
}

static void drops_that_lie_are_not_seen(void)
{
    float x[3 * BALLS], r[BALLS];
    const cloud_box low = {{-9, 0.95, -9}, {9, 9, 9}};
    clouds_make(2, places, speeds, radius, 0, &low, x, r);
    for (int b = 0; b < CLOUD_BALLS; ++b)
        CHECK(r[b] == 0 && r[CLOUD_BALLS + b] > 0);
}

static void clouds_stay_in_their_box(void)
{
    float x[3 * BALLS], r[BALLS];
    const cloud_box tight = {{-0.05, 0.5, -0.05}, {2.05, 3, 4.001}};
    clouds_make(2, places, speeds, radius, 10, &tight, x, r);
    for (int i = 0; i < 3 * BALLS; ++i)
        CHECK((double)x[i] > tight.lower[i % 3] - 1e-6 && (double)x[i] < tight.upper[i % 3] + 1e-6);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(clouds_have_the_volume_of_their_drop), TEST(clouds_keep_their_shape_in_flight),
                                    TEST(drops_that_lie_are_not_seen), TEST(clouds_stay_in_their_box)};
    return RUN(tests);
}
