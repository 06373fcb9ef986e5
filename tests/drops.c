// tests/drops.c -- drops drawn as lumps and beads: a closed mesh, their volume, place and shape.
#include "test.h"
#include "app/render/drops.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum
{
    MANY = 120
};

static drops_def definition(size_t count, const double *x, const double *v, const double *radius)
{
    return (drops_def){
        .count = count, .x = x, .v = v, .radius = radius, .size = 0.1, .lower = {-9, -9, -9}, .upper = {9, 9, 9}};
}

// Six times the volume within a mesh.
static double six_volumes(const drops_shape *s)
{
    double sum = 0;
    for (int32_t i = 0; i < s->triangle_count; ++i)
    {
        const float *a = &s->vertices[3 * s->triangles[3 * i]], *b = &s->vertices[3 * s->triangles[3 * i + 1]],
                    *c = &s->vertices[3 * s->triangles[3 * i + 2]];
        sum += (double)a[0] * ((double)b[1] * (double)c[2] - (double)b[2] * (double)c[1]) +
               (double)a[1] * ((double)b[2] * (double)c[0] - (double)b[0] * (double)c[2]) +
               (double)a[2] * ((double)b[0] * (double)c[1] - (double)b[1] * (double)c[0]);
    }
    return sum;
}

static double bead_cubes(const drops_shape *s)
{
    double sum = 0;
    for (int32_t i = 0; i < s->bead_count; ++i)
        sum += pow((double)s->radii[i], 3);
    return sum;
}

static void random_cloud(double *x, double *v, double *radius, const double wide[3])
{
    for (int n = 0; n < 3 * MANY; ++n)
    {
        x[n] = wide[n % 3] * (pl__random01(1, 0, (uint64_t)n) - 0.5);
        v[n] = pl__random01(2, 0, (uint64_t)n) - 0.5;
    }
    for (int n = 0; n < MANY; ++n)
        radius[n] = 0.015 + 0.013 * pl__random01(3, 0, (uint64_t)n);
}

// Every edge of a triangle is met in the other direction by another: sums over edges of an odd function vanish, for
// random numbers of vertices.
static void lumps_are_closed_and_face_outwards(void)
{
    pl_context *ctx = test_context(1);
    double x[3 * MANY], v[3 * MANY], radius[MANY];
    drops_shape s;
    random_cloud(x, v, radius, (const double[3]){0.4, 0.4, 0.4});
    drops_def def = definition(MANY, x, v, radius);
    CHECK_OK(ctx, drops_make(ctx, &def, &s));
    double odd = 0;
    int32_t outwards = 0;
    for (int32_t i = 0; i < 3 * s.triangle_count; ++i)
    {
        int32_t a = s.triangles[i], b = s.triangles[i % 3 == 2 ? i - 2 : i + 1];
        odd += (a < b ? 1 : -1) * (1 + pl__random01(4, (uint64_t)(a < b ? a : b), (uint64_t)(a < b ? b : a)));
    }
    for (int32_t i = 0; i < s.triangle_count; ++i)
    {
        const float *p[3], *n = &s.normals[3 * s.triangles[3 * i]];
        double e[2][3];
        for (int k = 0; k < 3; ++k)
            p[k] = &s.vertices[3 * s.triangles[3 * i + k]];
        for (int k = 0; k < 3; ++k)
        {
            e[0][k] = (double)p[1][k] - (double)p[0][k];
            e[1][k] = (double)p[2][k] - (double)p[0][k];
        }
        outwards += (e[0][1] * e[1][2] - e[0][2] * e[1][1]) * (double)n[0] +
                        (e[0][2] * e[1][0] - e[0][0] * e[1][2]) * (double)n[1] +
                        (e[0][0] * e[1][1] - e[0][1] * e[1][0]) * (double)n[2] >
                    0;
    }
    CHECK(s.triangle_count > 1000);
    CHECK_NEAR(odd, 0, 1e-6);
    CHECK(outwards > 0.97 * s.triangle_count);
    drops_free(ctx, &s);
    pl_context_destroy(&ctx);
}

// Of one drop alone: within four tenths, since lumps that run together swell, and those of few nodes shrink.
static void lumps_and_beads_have_the_volume_of_their_drop(void)
{
    pl_context *ctx = test_context(1);
    for (int n = 0; n < 6; ++n)
    {
        double x[3] = {0.3, 0.2, 0.1}, v[3] = {n, 0.5, 0.25}, radius = 0.026;
        drops_shape s;
        drops_def def = definition(1, x, v, &radius);
        CHECK_OK(ctx, drops_make(ctx, &def, &s));
        double volume = six_volumes(&s) / 6 + 4 * M_PI / 3 * bead_cubes(&s);
        CHECK_NEAR(volume, 4 * M_PI / 3 * pow(radius, 3), 0.4 * volume);
        drops_free(ctx, &s);
    }
    pl_context_destroy(&ctx);
}

// Drops of a sheet make a mesh that is flatter than what balls of their volume would be.
static void drops_in_a_plane_are_flat(void)
{
    pl_context *ctx = test_context(1);
    double x[3 * MANY], v[3 * MANY] = {0}, radius[MANY], mean[2] = {0, 0};
    for (int flat = 0; flat < 2; ++flat)
    {
        drops_shape s;
        random_cloud(x, v, radius, flat ? (const double[3]){0.6, 1e-3, 0.6} : (const double[3]){0.6, 0.6, 0.6});
        memset(v, 0, sizeof v);
        drops_def def = definition(MANY, x, v, radius);
        CHECK_OK(ctx, drops_make(ctx, &def, &s));
        for (int32_t i = 0; i < s.vertex_count; ++i)
            mean[flat] += fabs((double)s.normals[3 * i + 1]) / s.vertex_count;
        drops_free(ctx, &s);
    }
    CHECK_NEAR(mean[0], 0.5, 0.08);
    CHECK(mean[1] > 0.62);
    pl_context_destroy(&ctx);
}

// A drop that has flown on, and is another one of the list, looks the same elsewhere, but for the grid.
static void drops_keep_their_shape_in_flight(void)
{
    pl_context *ctx = test_context(1);
    const double x[6] = {0, 1, 0, 2, 3, 4}, v[6] = {3, 0, 0, 0.1, 0, 0.2}, radius[2] = {0.02, 0.025};
    const double later[3] = {2, 2, 4}, fallen[3] = {0.1, 0, 0.2};
    drops_shape s, t;
    drops_def both = definition(2, x, v, radius), one = definition(1, later, fallen, &radius[1]);
    CHECK_OK(ctx, drops_make(ctx, &both, &s));
    CHECK_OK(ctx, drops_make(ctx, &one, &t));
    for (int b = 0; b < DROP_BEADS; ++b)
    {
        int other = s.bead_count - DROP_BEADS + b, same = t.bead_count - DROP_BEADS + b;
        CHECK(s.radii[other] == t.radii[same]);
        for (int a = 0; a < 3; ++a)
            CHECK(fabsf(s.beads[3 * other + a] - (a == 1) - t.beads[3 * same + a]) < 1e-5f);
    }
    drops_free(ctx, &s);
    drops_free(ctx, &t);
    pl_context_destroy(&ctx);
}

static void drops_that_lie_are_not_seen_and_others_stay_in_their_box(void)
{
    pl_context *ctx = test_context(1);
    const double x[6] = {0, 0.01, 0, 0, 0.2, 0}, v[6] = {0, 0, 0, 40, 0, 0}, radius[2] = {0.02, 0.02};
    drops_shape s;
    drops_def def = definition(2, x, v, radius);
    memcpy(def.lower, (double[3]){-0.02, 0, -0.02}, sizeof def.lower);
    memcpy(def.upper, (double[3]){0.02, 1, 0.02}, sizeof def.upper);
    CHECK_OK(ctx, drops_make(ctx, &def, &s));
    CHECK(s.bead_count >= DROP_BEADS && s.bead_count <= DROP_BEADS + DROP_LUMPS);
    for (int i = 0; i < s.bead_count; ++i)
        CHECK(fabsf(s.beads[3 * i]) <= 0.02f && fabsf(s.beads[3 * i + 2]) <= 0.02f && s.beads[3 * i + 1] > 0.05f);
    drops_free(ctx, &s);
    def.count = 0;
    CHECK_OK(ctx, drops_make(ctx, &def, &s));
    CHECK(s.triangle_count == 0 && s.bead_count == 0);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(lumps_are_closed_and_face_outwards),
                                    TEST(lumps_and_beads_have_the_volume_of_their_drop),
                                    TEST(drops_in_a_plane_are_flat), TEST(drops_keep_their_shape_in_flight),
                                    TEST(drops_that_lie_are_not_seen_and_others_stay_in_their_box)};
    return RUN(tests);
}
