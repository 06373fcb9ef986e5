// tests/spring.c -- springs: kernels against their oracle, the closed form, momenta, and springs without length.
#include "test.h"
#include "random_input.h"
#include "element/spring.h"

enum
{
    SPRINGS = 37, // not a multiple of the block
    NODES = 2 * SPRINGS,
    BLOCKS = 3
};

static pl_context *ctx;
static double x[3 * NODES + 16], v[3 * NODES + 16];
static pl__spring_rest rest[BLOCKS];
static pl__spring_frame frame[BLOCKS];
static pl__spring_forces force[BLOCKS];

static pl__element_group make(uint64_t seed)
{
    memset(rest, 0, sizeof rest);
    for (int32_t t = 0; t < 16 * BLOCKS; ++t)
    {
        pl__spring_rest_clear(&rest[t / 16], t % 16, 0);
        if (t >= SPRINGS)
            continue;
        const int32_t node[2] = {2 * t, 2 * t + 1};
        for (int k = 0; k < 6; ++k)
        {
            x[6 * t + k] = random_pm(seed, (uint64_t)(6 * t + k));
            v[6 * t + k] = random_pm(seed + 1, (uint64_t)(6 * t + k));
        }
        pl__spring_rest_set(&rest[t / 16], t % 16, node, 0.2 + pl__random01(seed, 3, (uint64_t)t), 1 + t % 5, 0.5);
        pl__spring_rest_set_gain(&rest[t / 16], t % 16, (const double[2]){2, 5});
    }
    return (pl__element_group){
        .kind = PL__SPRING, .damped = true, .count = SPRINGS, .block_count = BLOCKS, .spring = rest};
}

static double at(const pl__spring_forces *f, int32_t t, int corner, int i) { return f[t / 16].f[corner][i][t % 16]; }

static pl__element_sums evaluate(const pl__element_group *group, int width, double strength)
{
    pl__element_sums sums;
    pl__sums_clear(&sums);
    pl__force_job job = {.group = group,
                         .x = x,
                         .strength = strength,
                         .want_energy = true,
                         .frame = (double *)frame,
                         .force = (double *)force};
    pl__element_force(width, &job, 0, BLOCKS, &sums);
    return sums;
}

static void damp(const pl__element_group *group, int width, double strength)
{
    pl__damping_job job = {group, v, strength, (double *)frame, (double *)force};
    pl__element_damping(width, &job, 0, BLOCKS);
}

static void kernels_agree_with_the_oracle(void)
{
    pl__element_group group = make(11);
    pl__element_sums sums = evaluate(&group, ctx->register_bytes, 0.7);
    double expected[2][3], energy, total = 0;
    for (int32_t t = 0; t < SPRINGS; ++t)
    {
        pl__spring_force_reference(&group, t, x, 0.7, expected, &energy);
        total += energy;
        for (int k = 0; k < 6; ++k)
            CHECK_NEAR(at(force, t, k / 3, k % 3), expected[k / 3][k % 3], 1e-14);
    }
    CHECK_NEAR(pl__lane_sum(sums.energy), total, 1e-14 * total);
    damp(&group, ctx->register_bytes, 0.7);
    for (int32_t t = 0; t < SPRINGS; ++t)
    {
        pl__spring_damping_reference(&group, t, x, v, 0.7, expected);
        for (int k = 0; k < 6; ++k)
            CHECK_NEAR(at(force, t, k / 3, k % 3), expected[k / 3][k % 3], 1e-14);
    }
}

static void widths_agree(void)
{
    static pl__spring_forces force0[BLOCKS], damping0[BLOCKS];
    static pl__spring_frame frame0[BLOCKS];
    pl__element_sums sums0 = {0};
    pl__element_group group = make(3);
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
        damp(&group, width, 1);
        if (width == 0)
            memcpy(damping0, force, sizeof force);
        CHECK(memcmp(force, damping0, sizeof force) == 0);
    }
}

static void force_is_minus_gradient_of_energy(void)
{
    pl__element_group group = make(21);
    (void)evaluate(&group, 0, 1);
    for (int32_t t = 0; t < SPRINGS; ++t)
        for (int k = 0; k < 6; ++k)
        {
            double h = 1e-5, ignored[2][3], plus, minus, keep = x[6 * t + k];
            x[6 * t + k] = keep + h;
            pl__spring_force_reference(&group, t, x, 1, ignored, &plus);
            x[6 * t + k] = keep - h;
            pl__spring_force_reference(&group, t, x, 1, ignored, &minus);
            x[6 * t + k] = keep;
            CHECK_NEAR(at(force, t, k / 3, k % 3), -(plus - minus) / (2 * h), 2e-8); // h^2/l^2 and 1e-16/h
        }
}

// Three by four, of rest length 4 and stiffness 10: pulls with 10 N along (3, 4)/5; approaching at 1 m/s it resists
// with tau k.
static void closed_form(void)
{
    pl__element_group group = make(1);
    const int32_t node[2] = {0, 1};
    pl__spring_rest_set(&rest[0], 0, node, 4, 10, 0.1);
    pl__spring_rest_set_gain(&rest[0], 0, (const double[2]){2, 5});
    const double end[6] = {1, 1, 1, 4, 5, 1}, motion[6] = {0, 0, 0, -0.6, -0.8, 3};
    memcpy(x, end, sizeof end);
    memcpy(v, motion, sizeof motion);
    pl__element_sums sums = evaluate(&group, ctx->register_bytes, 1);
    const double pulled[3] = {6, 8, 0}, resisted[3] = {0.6, 0.8, 0};
    for (int i = 0; i < 3; ++i)
        CHECK(fabs(at(force, 0, 0, i) - pulled[i]) < 1e-14 && at(force, 0, 1, i) == -at(force, 0, 0, i));
    CHECK_NEAR(sums.frequency2[0], 10 * (0.5 + 0.2), 1e-14); // the stiffest of its lane
    CHECK(sums.volume[0] == 0 && sums.strain2[0] == 0 && sums.min_J[0] == INFINITY && sums.max_stretch[0] == 0 &&
          sums.inverted[0] == 0);
    damp(&group, ctx->register_bytes, 1);
    for (int i = 0; i < 3; ++i)
        CHECK(fabs(at(force, 0, 1, i) + resisted[i]) < 1e-14 && at(force, 0, 1, i) == -at(force, 0, 0, i));
}

// k (1/m0 + 1/m1) is the squared frequency of a spring between two masses, and no direction has more, however long it
// is.
static void frequency_is_the_largest(void)
{
    pl__element_group group = make(9);
    double most = 0;
    for (int32_t t = 0; t < SPRINGS; ++t)
    {
        pl__element_sums sums;
        pl__sums_clear(&sums);
        pl__force_job job = {.group = &group, .x = x, .strength = 1, .force = (double *)force};
        pl__element_force(0, &job, t / 16, t / 16 + 1, &sums);
        for (int along = 0; along < 2; ++along)
        {
            double h = 1e-6, f[2][2][3], work = 0, mass = 0, d[6];
            for (int k = 0; k < 6; ++k) // masses 2 and 5 move against each other, along the spring or at random
                d[k] = (k < 3 ? -0.5 : 0.2) * (along ? x[6 * t + 3 + k % 3] - x[6 * t + k % 3] : v[6 * t + k % 3]);
            for (int side = 0; side < 2; ++side)
            {
                for (int k = 0; k < 6; ++k)
                    x[6 * t + k] += (side ? -2 : 1) * h * d[k];
                pl__spring_force_reference(&group, t, x, 1, f[side], NULL);
            }
            for (int k = 0; k < 6; ++k)
            {
                x[6 * t + k] += h * d[k];
                work -= d[k] * (f[0][k / 3][k % 3] - f[1][k / 3][k % 3]) / (2 * h);
                mass += (k < 3 ? 2 : 5) * d[k] * d[k];
            }
            CHECK(work <= mass * sums.frequency2[t % 16] * (1 + 1e-8));
            most = fmax(most, work / (mass * sums.frequency2[t % 16]));
        }
    }
    CHECK_NEAR(most, 1, 1e-8);
}

// Symmetric, dissipative, and without torque: the damping is along the spring.
static void damping_is_dissipative_and_conserving(void)
{
    pl__element_group group = make(40);
    (void)evaluate(&group, ctx->register_bytes, 1);
    damp(&group, ctx->register_bytes, 1);
    for (int32_t t = 0; t < SPRINGS; ++t)
    {
        double work = 0;
        for (int k = 0; k < 6; ++k)
            work += v[6 * t + k] * at(force, t, k / 3, k % 3);
        CHECK(work >= 0);
        for (int i = 0; i < 3; ++i)
        {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double dj = x[6 * t + 3 + j] - x[6 * t + j], dk = x[6 * t + 3 + k] - x[6 * t + k];
            CHECK_NEAR(dj * at(force, t, 1, k) - dk * at(force, t, 1, j), 0, 1e-14);
        }
    }
}

// No length: no direction, no force, no damping. Hardly any length: the full force.
static void springs_without_length_are_finite(void)
{
    pl__element_group group = make(33);
    for (int32_t t = 0; t < SPRINGS; ++t)
        for (int i = 0; i < 3; ++i)
            x[6 * t + 3 + i] = x[6 * t + i] = t % 2 ? 0 : 3;
    x[3] = 1e-140 + (x[0] = 0);
    x[4] = x[1] = x[5] = x[2] = 0;
    for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
    {
        CHECK(pl__lane_sum(evaluate(&group, width, 1).broken) == 0);
        CHECK_NEAR(at(force, 0, 1, 0), rest[0].length[0] * rest[0].stiffness[0], 1e-12);
        for (int32_t t = 1; t < SPRINGS; ++t)
            for (int k = 0; k < 6; ++k)
                CHECK(at(force, t, k / 3, k % 3) == 0);
        damp(&group, width, 1);
        for (int32_t t = 1; t < SPRINGS; ++t)
            for (int k = 0; k < 6; ++k)
                CHECK(at(force, t, k / 3, k % 3) == 0);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(kernels_agree_with_the_oracle),     TEST(widths_agree),
        TEST(force_is_minus_gradient_of_energy), TEST(closed_form),
        TEST(frequency_is_the_largest),          TEST(damping_is_dissipative_and_conserving),
        TEST(springs_without_length_are_finite),
    };
    ctx = test_context(1);
    int status = RUN(tests);
    pl_context_destroy(&ctx);
    return status;
}
