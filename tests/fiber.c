// tests/fiber.c -- the fibres of muscle: tension, energy and stiffness as functions of their length.
#include "test.h"
#include "base/random.h"
#include "material/material.h"

static pl_context *ctx;

static pl__fiber some_fiber(uint64_t seed)
{
    return (pl__fiber){0.5 + pl__random01(seed, 1, 0), 0.8 + 0.5 * pl__random01(seed, 1, 1), pl__random01(seed, 1, 2)};
}

static double tension(const pl__fiber *f, double length, double *energy, double *stiffness)
{
    double pull;
    pl__fiber_pull(f, length * length, energy, &pull, stiffness);
    return pull * length;
}

// Strongest at the optimal stretch, slack below 0.4 of it, no active tension above 1.6 of it.
static void tension_has_the_published_values(void)
{
    pl__fiber f = {3e5, 1, 1};
    double energy, stiffness;
    CHECK_NEAR(tension(&f, 1, &energy, &stiffness), 3e5, 1e-9);
    CHECK_NEAR(tension(&f, 0.6, &energy, &stiffness), 0.36 * 3e5, 1e-9);
    CHECK(tension(&f, 0.39, &energy, &stiffness) == 0 && fabs(energy) < 1e-15 * 3e5);
    double passive = 0.05 * (exp(6.6 * 0.4) - 1), slope = 0.33 * exp(6.6 * 0.4);
    CHECK_NEAR(tension(&f, 1.4, &energy, &stiffness), 3e5 * (0.36 + passive), 1e-8);
    CHECK_NEAR(tension(&f, 1.7, &energy, &stiffness), 3e5 * (passive + 0.3 * slope), 1e-8);
    f.optimal = 1.2;
    CHECK_NEAR(tension(&f, 1.2, &energy, &stiffness), 3e5, 1e-9);
    f.activation = 0;
    CHECK_NEAR(tension(&f, 1.2, &energy, &stiffness), 0, 1e-9);
}

// T = dW/d|Fa|, also across the seams, where only its slope jumps; never below zero.
static void tension_is_the_slope_of_the_energy(void)
{
    for (uint64_t seed = 0; seed < 50; ++seed)
        for (double length = 0.01; length < 3; length += 0.01)
        {
            pl__fiber f = some_fiber(seed);
            double h = 1e-5, plus, minus, energy, stiffness;
            (void)tension(&f, length + h, &plus, &stiffness);
            (void)tension(&f, length - h, &minus, &stiffness);
            double T = tension(&f, length, &energy, &stiffness);
            CHECK_THAT(fabs((plus - minus) / (2 * h) - T) < 2e-4 && T >= 0 && energy >= -1e-16, "at %g: %g, slope %g",
                       length, T, (plus - minus) / (2 * h));
        }
}

// The stiffness bounds the slope of the tension and the tension over the length, and is never negative.
static void stiffness_is_a_bound(void)
{
    for (uint64_t seed = 0; seed < 50; ++seed)
        for (double length = 0.005; length < 3; length += 0.01)
        {
            pl__fiber f = some_fiber(seed);
            double h = 1e-7, energy, stiffness, unused, T = tension(&f, length, &energy, &stiffness);
            double slope =
                (tension(&f, length + h, &energy, &unused) - tension(&f, length - h, &energy, &unused)) / (2 * h);
            CHECK(stiffness >= 0 && stiffness >= slope - 1e-5 * f.strength && stiffness >= T / length * (1 - 1e-14));
        }
}

static void collapsed_and_huge_fibers_are_finite(void)
{
    pl__fiber f = {1, 1, 1};
    double energy, pull, stiffness;
    pl__fiber_pull(&f, 0, &energy, &pull, &stiffness);
    CHECK(fabs(energy) < 1e-15 && pull == 0 && stiffness == 0);
    pl__fiber_pull(&f, 1e24, &energy, &pull, &stiffness);
    CHECK(isfinite(energy) && isfinite(pull) && isfinite(stiffness));
}

static void widths_agree(void)
{
    pl__fiber f = some_fiber(3);
    double length2[64], expected[3][64], seen[3][64];
    for (int i = 0; i < 64; ++i)
        length2[i] = 4 * pl__random01(2, 2, (uint64_t)i);
    for (int width = 0; width <= ctx->register_bytes; width = width ? 2 * width : 16)
    {
        double(*out)[64] = width ? seen : expected;
        PL_PICK(width, pl__fiber_batch)(&f, 64, length2, out[0], out[1], out[2]);
        CHECK(width == 0 || memcmp(expected, seen, sizeof seen) == 0);
    }
}

static void fibers_of_a_material_can_be_asked(void)
{
    pl_material_def def = pl_material_def_default();
    double energy = 1, tension_now = 1;
    CHECK_OK(ctx, pl_material_evaluate_fiber(ctx, &def, 1.2, &energy, &tension_now));
    CHECK(energy == 0 && tension_now == 0); // no fibres
    def.fiber_strength = 2;
    def.activation = 1;
    CHECK_OK(ctx, pl_material_evaluate_fiber(ctx, &def, 1, NULL, &tension_now));
    CHECK_NEAR(tension_now, 2, 1e-15);
    CHECK(pl_material_evaluate_fiber(ctx, &def, -1, NULL, NULL) == PL_ERR_ARGUMENT);
    CHECK(strcmp(pl_context_error(ctx), "stretch: -1 must be in [0, 1e6]") == 0);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(tension_has_the_published_values),
        TEST(tension_is_the_slope_of_the_energy),
        TEST(stiffness_is_a_bound),
        TEST(collapsed_and_huge_fibers_are_finite),
        TEST(widths_agree),
        TEST(fibers_of_a_material_can_be_asked),
    };
    ctx = test_context(1);
    int status = RUN(tests);
    pl_context_destroy(&ctx);
    return status;
}
