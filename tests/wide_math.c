// tests/wide_math.c -- errors, special cases and equal bits of log, exp, sin, cos and atan2.
#include "test.h"
#include "base/random.h"
#include "base/real_math.h"

#include <float.h>

enum
{
    N = 1 << 16
};
static double x[N], y[N], y2[N];

// |value - exact| in units of the last place of the exact value; what is below the normal numbers counts as 0
static double ulps(double value, long double exact)
{
    if (fabsl(exact) < DBL_MIN)
        return value == 0 || fabs(value) <= DBL_MIN ? 0 : INFINITY;
    return (double)(fabsl(value - exact) / ldexpl(1, ilogbl(exact) - 52));
}

static double uniform(uint64_t key, int i, double a, double b)
{
    return a + (b - a) * pl__random01(5, key, (uint64_t)i);
}

static int32_t widest(void) { return pl__cpu_register_bytes(NULL); }

// Compare with the 64-bit mantissa of long double.
static void log_is_within_one_ulp(void)
{
    double worst = 0;
    for (uint64_t round = 0; round < 4; ++round)
    {
        for (int i = 0; i < N; ++i)
            x[i] = round == 0   ? ldexp(uniform(round, i, 1, 2), i % 2046 - 1022) // every binade
                   : round == 1 ? uniform(round, i, 0.5, 2)
                   : round == 2 ? 1 + uniform(round, i, -1, 1) * pow(10, -(i % 17))
                                : ldexp(uniform(round, i, 0.7071, 0.70711), i % 64); // ends of the interval
        PL_PICK(widest(), pl__log_batch)(N, x, y);
        for (int i = 0; i < N; ++i)
            worst = fmax(worst, ulps(y[i], logl(x[i])));
    }
    CHECK_THAT(worst <= 1, "%g ulp", worst);
    printf("log %.3f ulp\n", worst);
}

static void exp_is_within_one_ulp(void)
{
    double worst = 0;
    for (uint64_t round = 0; round < 3; ++round)
    {
        for (int i = 0; i < N; ++i)
            x[i] = round == 0   ? uniform(round, i, -708.3, 709.7)
                   : round == 1 ? uniform(round, i, -1, 1)
                                : uniform(round, i, -1, 1) * pow(10, -(i % 17));
        PL_PICK(widest(), pl__exp_batch)(N, x, y);
        for (int i = 0; i < N; ++i)
            worst = fmax(worst, ulps(y[i], expl(x[i])));
    }
    CHECK_THAT(worst <= 1, "%g ulp", worst);
    printf("exp %.3f ulp\n", worst);
}

// Every binade of both signs, and the neighbourhood of 1, where isochoric laws live.
static void rcbrt_is_within_two_ulp(void)
{
    double worst = 0;
    for (uint64_t round = 0; round < 2; ++round)
    {
        for (int i = 0; i < N; ++i)
            x[i] = (round == 0 ? ldexp(uniform(round, i, 1, 2), i % 2045 - 1022) : uniform(round, i, 0.25, 4)) *
                   (i % 3 ? 1 : -1);
        PL_PICK(widest(), pl__rcbrt_batch)(N, x, y);
        for (int i = 0; i < N; ++i)
            worst = fmax(worst, ulps(y[i], 1 / cbrtl(x[i])));
    }
    CHECK_THAT(worst <= 2, "%g ulp", worst);
    printf("1/cbrt %.3f ulp\n", worst);
}

static void sincos_is_within_one_ulp(void)
{
    double worst = 0;
    for (uint64_t round = 0; round < 4; ++round)
    {
        for (int i = 0; i < N; ++i)
            x[i] = round == 0   ? uniform(round, i, -4, 4)
                   : round == 1 ? uniform(round, i, -1e6, 1e6)
                   : round == 2 ? (i - N / 2) * 1.5707963267948966 // nearest doubles to zeros of sin and cos
                                : uniform(round, i, -1, 1) * pow(10, -(i % 300));
        PL_PICK(widest(), pl__sincos_batch)(N, x, y, y2);
        for (int i = 0; i < N; ++i)
            worst = fmax(worst, fmax(ulps(y[i], sinl(x[i])), ulps(y2[i], cosl(x[i]))));
    }
    CHECK_THAT(worst <= 1, "%g ulp", worst);
    printf("sincos %.3f ulp\n", worst);
    // to the last digit of x up to 1e9
    for (int i = 0; i < N; ++i)
        x[i] = uniform(9, i, -1e9, 1e9);
    PL_PICK(widest(), pl__sincos_batch)(N, x, y, y2);
    for (int i = 0; i < N; ++i)
        CHECK(fabs(y[i] - sin(x[i])) < 0x1p-23 && fabs(y2[i] - cos(x[i])) < 0x1p-23);
}

// Every direction, all quadrants, the borders of the reductions, and sides of very different size.
static void atan2_is_within_its_error(void)
{
    double worst = 0;
    static double angle[N];
    for (uint64_t round = 0; round < 4; ++round)
    {
        for (int i = 0; i < N; ++i)
        {
            x[i] = uniform(40 + round, i, -1, 1);
            y[i] = uniform(50 + round, i, -1, 1);
            if (round == 1)
                y[i] *= pow(10, -(i % 40));
            if (round == 2)
                x[i] *= pow(10, -(i % 40));
            if (round == 3)
                y[i] = x[i] *
                       (i % 3 == 0   ? 1
                        : i % 3 == 1 ? 0.41421356237309503
                                     : 2.414213562373095) *
                       (1 + 1e-15 * (i % 7 - 3));
        }
        PL_PICK(widest(), pl__atan2_batch)(N, y, x, angle);
        for (int i = 0; i < N; ++i)
            worst = fmax(worst, ulps(angle[i], atan2l(y[i], x[i])));
    }
    CHECK_THAT(worst <= 2.5, "%g ulp", worst);
    printf("atan2 %.3f ulp\n", worst);
}

static void special_angles(void)
{
    const double pi = 3.141592653589793;
    CHECK(pl__real_atan2(0, 0) == 0 && pl__real_atan2(0, 3) == 0 && pl__real_atan2(0, -1) == pi &&
          pl__real_atan2(-0.0, -1) == -pi);
    CHECK(pl__real_atan2(1, 0) == pi / 2 && pl__real_atan2(-1, 0) == -pi / 2 && pl__real_atan2(1, 1) == pi / 4);
    CHECK(pl__real_atan2(1e-300, 1e300) == 0 && pl__real_atan2(1e300, 1e-300) == pi / 2);
    CHECK(isnan(pl__real_atan2(NAN, 1)) && isnan(pl__real_atan2(1, NAN)) && isnan(pl__real_atan2(INFINITY, 1)) &&
          isnan(pl__real_atan2(1, INFINITY)));
}

static void special_values(void)
{
    CHECK(pl__real_log(1) == 0 && !signbit(pl__real_log(1)));
    CHECK(pl__real_log(0.0) == -INFINITY && pl__real_log(-0.0) == -INFINITY && pl__real_log(INFINITY) == INFINITY);
    CHECK(isnan(pl__real_log(-1)) && isnan(pl__real_log(-INFINITY)) && isnan(pl__real_log(NAN)) &&
          isnan(pl__real_log(-DBL_MIN)));
    CHECK(isfinite(pl__real_log(DBL_MIN)) && isfinite(pl__real_log(DBL_MAX)) && pl__real_log(DBL_MIN / 2) == -INFINITY);
    CHECK(pl__real_exp(0) == 1 && pl__real_exp(-0.0) == 1);
    CHECK(pl__real_exp(INFINITY) == INFINITY && pl__real_exp(710) == INFINITY && pl__real_exp(1e300) == INFINITY);
    CHECK(pl__real_exp(-INFINITY) == 0 && pl__real_exp(-709) == 0 && pl__real_exp(-1e300) == 0 &&
          isnan(pl__real_exp(NAN)));
    CHECK(isfinite(pl__real_exp(709.782712893384)) && pl__real_exp(-708.396418532264) >= DBL_MIN);
    double s, c;
    pl__real_sincos(0, &s, &c);
    CHECK(s == 0 && c == 1);
    pl__real_sincos(NAN, &s, &c);
    CHECK(isnan(s) && isnan(c));
    pl__real_sincos(INFINITY, &s, &c);
    CHECK(isnan(s) && isnan(c));
    pl__real_sincos(1e10, &s, &c);
    CHECK(isnan(s) && isnan(c));
}

// Random bit patterns, so that every special case sits beside ordinary lanes.
static void widths_agree_bit_for_bit(void)
{
    static const int32_t widths[] = {16, 32, 64};
    static double a[N], b[N], c[N];
    for (int i = 0; i < N; ++i)
    {
        uint64_t bits = pl__random64(3, 1, (uint64_t)i);
        memcpy(&x[i], &bits, 8);
        if (i % 4)
            x[i] = uniform(4, i, -800, 800);
    }
    for (int i = 0; i < N; ++i)
    {
        a[i] = pl__real_log(x[i]);
        b[i] = pl__real_exp(x[i]);
    }
    for (int w = 0; w < 3 && widths[w] <= widest(); ++w)
    {
        PL_PICK(widths[w], pl__log_batch)(N, x, y);
        CHECK_THAT(memcmp(a, y, sizeof y) == 0, "log, width %d", widths[w]);
        PL_PICK(widths[w], pl__exp_batch)(N, x, y);
        CHECK_THAT(memcmp(b, y, sizeof y) == 0, "exp, width %d", widths[w]);
    }
    for (int i = 0; i < N; ++i)
        pl__real_sincos(x[i], &a[i], &c[i]);
    for (int w = 0; w < 3 && widths[w] <= widest(); ++w)
    {
        PL_PICK(widths[w], pl__sincos_batch)(N, x, y, y2);
        CHECK_THAT(memcmp(a, y, sizeof y) == 0 && memcmp(c, y2, sizeof y2) == 0, "sincos, width %d", widths[w]);
    }
    for (int i = 0; i < N; ++i)
        a[i] = pl__real_atan2(x[i], x[N - 1 - i]), b[i] = x[N - 1 - i];
    for (int w = 0; w < 3 && widths[w] <= widest(); ++w)
    {
        PL_PICK(widths[w], pl__atan2_batch)(N, x, b, y);
        for (int i = 0; i < N; ++i)
            CHECK_THAT(memcmp(&a[i], &y[i], 8) == 0 || (isnan(a[i]) && isnan(y[i])), "atan2, width %d", widths[w]);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(log_is_within_one_ulp),    TEST(exp_is_within_one_ulp),     TEST(rcbrt_is_within_two_ulp),
        TEST(sincos_is_within_one_ulp), TEST(atan2_is_within_its_error), TEST(special_angles),
        TEST(special_values),           TEST(widths_agree_bit_for_bit),
    };
    return RUN(tests);
}
