// tests/surface_load.c -- air on surfaces: kernels against their oracle, closed boxes, pressure as dV/dx, drag and
// wind.
#include "test.h"
#include "random_input.h"
#include "element/surface_load.h"

enum
{
    SKINS = 37, // not a multiple of the block
    NODES = 3 * SKINS,
    BLOCKS = 3
};

static pl_context *ctx;
static double x[3 * NODES + 16], v[3 * NODES + 16];
static pl__surface_load_rest rest[BLOCKS];
static pl__surface_load_frame frame[BLOCKS];
static pl__surface_load_forces force[BLOCKS];
static const pl__air breeze = {.wind = {3, -1, 0.5}, .density = 1.2, .across = 1.1, .along = 0.07, .pressure = 4};

static pl__element_group make(const pl__air *air, uint64_t seed)
{
    for (int32_t t = 0; t < 16 * BLOCKS; ++t)
    {
        const int32_t node[3] = {3 * t, 3 * t + 1, 3 * t + 2};
        pl__surface_load_rest_clear(&rest[t / 16], t % 16, 0);
        for (int k = 0; t < SKINS && k < 9; ++k)
        {
            x[9 * t + k] = random_pm(seed, (uint64_t)(9 * t + k));
            v[9 * t + k] = random_pm(seed + 1, (uint64_t)(9 * t + k));
        }
        if (t < SKINS)
            pl__surface_load_rest_set(&rest[t / 16], t % 16, node);
    }
    return (pl__element_group){
        .kind = PL__SURFACE_LOAD, .damped = true, .count = SKINS, .block_count = BLOCKS, .skin = rest, .air = air};
}

static double at(const pl__surface_load_forces *f, int32_t t, int corner, int i)
{
    return f[t / 16].f[corner][i][t % 16];
}

static pl__element_sums evaluate(const pl__element_group *group, int width, double strength)
{
    pl__element_sums sums;
    pl__sums_clear(&sums);
    pl__force_job job = {.group = group,
                         .x = x,
                         .strength = strength,
                         .want_energy = true,
                         .frame = (double *)frame,
                         .force = (double *)force,
                         .v = v};
    pl__element_force(width, &job, 0, group->block_count, &sums);
    return sums;
}

static void damp(const pl__element_group *group, int width, const double *velocity, double strength)
{
    pl__damping_job job = {group, velocity, strength, (double *)frame, (double *)force};
    pl__element_damping(width, &job, 0, group->block_count);
}

static void kernels_agree_with_the_oracle(void)
{
    pl__element_group group = make(&breeze, 11);
    (void)evaluate(&group, ctx->register_bytes, 0.7);
    double expected[3][3], u[3 * NODES + 16] = {0};
    for (int32_t t = 0; t < SKINS; ++t)
    {
        pl__surface_load_force_reference(&group, t, x, v, 0.7, expected);
        for (int k = 0; k < 9; ++k)
            CHECK_NEAR(at(force, t, k / 3, k % 3), expected[k / 3][k % 3], 1e-14);
    }
    for (int k = 0; k < 3 * NODES; ++k)
        u[k] = random_pm(91, (uint64_t)k);
    damp(&group, ctx->register_bytes, u, 0.7);
    for (int32_t t = 0; t < SKINS; ++t)
    {
        pl__surface_load_damping_reference(&group, t, x, v, u, 0.7, expected);
        for (int k = 0; k < 9; ++k)
            CHECK_NEAR(at(force, t, k / 3, k % 3), expected[k / 3][k % 3], 1e-14);
    }
}

static void widths_agree(void)
{
    static pl__surface_load_forces force0[BLOCKS], damping0[BLOCKS];
    static pl__surface_load_frame frame0[BLOCKS];
    pl__element_sums sums0 = {0};
    pl__element_group group = make(&breeze, 3);
    for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
    {
        pl__element_sums sums = evaluate(&group, width, 1);
        if (width == 0)
        {
            sums0 = sums;
            memcpy(force0, force, sizeof force);
            memcpy(frame0, frame, sizeof frame);
        }
        CHECK(memcmp(&sums, &sums0, sizeof sums) == 0);
        CHECK(memcmp(force, force0, sizeof force) == 0 && memcmp(frame, frame0, sizeof frame) == 0);
        damp(&group, width, v, 1);
        if (width == 0)
            memcpy(damping0, force, sizeof force);
        CHECK(memcmp(force, damping0, sizeof force) == 0);
    }
}

// Air is not a solid: nothing but forces.
static void sums_are_not_disturbed(void)
{
    pl__element_group group = make(&breeze, 3);
    pl__element_sums sums = evaluate(&group, ctx->register_bytes, 1), clear;
    pl__sums_clear(&clear);
    CHECK(memcmp(&sums, &clear, sizeof sums) == 0);
}

// ---- a closed box
// ----------------------------------------------------------------------------------------------------

static pl__element_group box(const pl__air *air)
{
    static const int32_t face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    pl__element_group group = make(air, 1);
    for (int t = 0; t < 16; ++t)
    {
        pl__surface_load_rest_clear(&rest[0], t, 0);
        if (t < 12)
            pl__surface_load_rest_set(&rest[0], t, face[t]);
    }
    for (int n = 0; n < 8; ++n)
        for (int i = 0; i < 3; ++i)
        {
            x[3 * n + i] = (n >> i & 1) * (1 + i) + 5;
            v[3 * n + i] = 0;
        }
    group.count = 12;
    group.block_count = 1;
    return group;
}

static void gather(double node_force[8][3])
{
    memset(node_force, 0, 8 * sizeof node_force[0]);
    for (int t = 0; t < 12; ++t)
        for (int k = 0; k < 9; ++k)
            node_force[rest[0].node[k / 3][t]][k % 3] += at(force, t, k / 3, k % 3);
}

// 1 x 2 x 3 m: six cubic metres wherever the centre is; forces of pressure sum to zero, and are p dV/dx for any shape
// of the box.
static void pressure_is_the_gradient_of_volume(void)
{
    const pl__air air = {.pressure = 7};
    pl__element_group group = box(&air);
    const double near[3] = {5, 5, 5}, far[3] = {-3, 8, 1};
    CHECK_NEAR(pl__surface_load_volume(&group, x, 0, 1, near), 6, 1e-14);
    CHECK_NEAR(pl__surface_load_volume(&group, x, 0, 1, far), 6, 1e-12);
    for (int k = 0; k < 24; ++k)
        x[k] += 0.3 * random_pm(5, (uint64_t)k);
    (void)evaluate(&group, ctx->register_bytes, 1);
    double f[8][3], sum[3] = {0}, torque[3] = {0};
    gather(f);
    for (int n = 0; n < 8; ++n)
        for (int i = 0; i < 3; ++i)
        {
            double keep = x[3 * n + i], h = 1e-3;
            x[3 * n + i] = keep + h; // volume is linear in each coordinate
            double plus = pl__surface_load_volume(&group, x, 0, 1, near);
            x[3 * n + i] = keep - h;
            double minus = pl__surface_load_volume(&group, x, 0, 1, near);
            x[3 * n + i] = keep;
            CHECK_NEAR(f[n][i], 7 * (plus - minus) / (2 * h), 1e-10);
            sum[i] += f[n][i];
            torque[i] += x[3 * n + (i + 1) % 3] * f[n][(i + 2) % 3] - x[3 * n + (i + 2) % 3] * f[n][(i + 1) % 3];
        }
    for (int i = 0; i < 3; ++i)
    {
        CHECK_NEAR(sum[i], 0, 1e-12);
        CHECK_NEAR(torque[i], 0, 1e-11); // turning a closed box does not change its volume
    }
}

// ---- drag
// --------------------------------------------------------------------------------------------------------------

// total force of evaluation minus damping, on triangle 0
static void air_force(const pl__element_group *group, double total[3])
{
    (void)evaluate(group, ctx->register_bytes, 1);
    for (int i = 0; i < 3; ++i)
        total[i] = at(force, 0, 0, i) + at(force, 0, 1, i) + at(force, 0, 2, i);
    damp(group, ctx->register_bytes, v, 1);
    for (int i = 0; i < 3; ++i)
        total[i] -= at(force, 0, 0, i) + at(force, 0, 1, i) + at(force, 0, 2, i);
}

// A sheet of 2 m^2 flat on: rho/2 A c v^2 against its motion; edge on: with the other coefficient; with the wind:
// nothing.
static void drag_is_quadratic(void)
{
    pl__air air = {.density = 1.2, .across = 1.5, .along = 0.1};
    pl__element_group group = make(&air, 4);
    const double sheet[9] = {0, 0, 1, 2, 0, 1, 0, 2, 1};
    memcpy(x, sheet, sizeof sheet);
    for (int speed = 1; speed <= 4; speed *= 2)
    {
        double total[3];
        for (int k = 0; k < 9; ++k)
            v[k] = k % 3 == 2 ? -speed : 0;
        air_force(&group, total);
        CHECK_NEAR(total[2], 0.6 * 2 * 1.5 * speed * speed, 1e-13); // of a fall: terminal where it is the weight
        CHECK_NEAR(total[0], 0, 1e-15);
        for (int k = 0; k < 9; ++k)
            v[k] = k % 3 == 0 ? speed : 0;
        air_force(&group, total);
        CHECK_NEAR(total[0], -0.6 * 2 * 0.1 * speed * speed, 1e-13);
        air.wind[0] = speed;
        air_force(&group, total);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(total[i], 0, 1e-13);
        air.wind[0] = 0;
    }
}

// The force depends on the difference to the wind only: moving the frame of reference changes nothing.
static void wind_is_relative(void)
{
    for (uint64_t seed = 0; seed < 10; ++seed)
    {
        pl__air air = breeze;
        pl__element_group group = make(&air, seed);
        double total[3], moved[3];
        air_force(&group, total);
        for (int i = 0; i < 3; ++i)
            air.wind[i] += 2 - i;
        for (int k = 0; k < 9; ++k)
            v[k] += 2 - k % 3;
        air_force(&group, moved);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(total[i], moved[i], 1e-12);
    }
}

// u . D v = v . D u, v . D v >= 0, element by element.
static void damping_is_symmetric_and_dissipative(void)
{
    static double u[3 * NODES + 16];
    static pl__surface_load_forces Dv[BLOCKS];
    pl__element_group group = make(&breeze, 40);
    (void)evaluate(&group, ctx->register_bytes, 1);
    for (int k = 0; k < 3 * NODES; ++k)
        u[k] = random_pm(92, (uint64_t)k);
    damp(&group, ctx->register_bytes, v, 1);
    memcpy(Dv, force, sizeof Dv);
    damp(&group, ctx->register_bytes, u, 1);
    for (int32_t t = 0; t < SKINS; ++t)
    {
        double uDv = 0, vDu = 0, vDv = 0;
        for (int k = 0; k < 9; ++k)
        {
            uDv += u[9 * t + k] * at(Dv, t, k / 3, k % 3);
            vDu += v[9 * t + k] * at(force, t, k / 3, k % 3);
            vDv += v[9 * t + k] * at(Dv, t, k / 3, k % 3);
        }
        CHECK_NEAR(uDv, vDu, 1e-13);
        CHECK(vDv >= 0);
    }
}

// Triangles without area, and without velocities given.
static void collapsed_triangles_feel_nothing(void)
{
    pl__element_group group = make(&breeze, 6);
    for (int32_t t = 0; t < SKINS; ++t)
        for (int k = 0; k < 9; ++k)
            x[9 * t + k] = t % 2 ? 3 : k % 3 == 0 ? k : 0;
    for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
    {
        CHECK(pl__lane_sum(evaluate(&group, width, 1).broken) == 0);
        for (int32_t t = 0; t < SKINS; ++t)
            for (int k = 0; k < 9; ++k)
                CHECK(at(force, t, k / 3, k % 3) == 0);
    }
    group = make(&breeze, 6);
    double expected[3][3];
    pl__element_sums sums;
    pl__sums_clear(&sums);
    pl__force_job job = {.group = &group, .x = x, .strength = 1, .force = (double *)force};
    pl__element_force(ctx->register_bytes, &job, 0, BLOCKS, &sums);
    pl__surface_load_force_reference(&group, 5, x, NULL, 1, expected);
    for (int k = 0; k < 9; ++k)
        CHECK_NEAR(at(force, 5, k / 3, k % 3), expected[k / 3][k % 3], 1e-14);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(kernels_agree_with_the_oracle),
        TEST(widths_agree),
        TEST(sums_are_not_disturbed),
        TEST(pressure_is_the_gradient_of_volume),
        TEST(drag_is_quadratic),
        TEST(wind_is_relative),
        TEST(damping_is_symmetric_and_dissipative),
        TEST(collapsed_triangles_feel_nothing),
    };
    ctx = test_context(1);
    int status = RUN(tests);
    pl_context_destroy(&ctx);
    return status;
}
