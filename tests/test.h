// tests/test.h -- a test program is a list of named properties.
//
//     static void stress_is_gradient_of_energy(void) { ... CHECK_NEAR(a, b, 1e-9); }
//     int main(int argc, char **argv) { static const pl_test tests[] = {TEST(stress_is_gradient_of_energy)}; return RUN(tests); }
//
// With an argument, only the test of that name is run, or else those whose names contain it. "--slow" turns on the long
// sweeps (slow_tests), and the tests listed as SLOW_TEST, which also run when an argument names them. With PLIANT_QUICK
// in the environment those listed as LONG_TEST are left out, and others may take shorter (quick_tests): for sanitizers.
#ifndef PL_TEST_H
#define PL_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pliant/base.h>

typedef struct pl_test
{
    const char *name;
    void (*run)(void);
    bool slow, lengthy;
} pl_test;

static int failure_count;
__attribute__((unused)) static bool slow_tests, quick_tests;

// clang-format off
#define TEST(function) {#function, function, false, false}
#define SLOW_TEST(function) {#function, function, true, false}
#define LONG_TEST(function) {#function, function, false, true}
// clang-format on

#define CHECK(condition)                                                                                               \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition) && ++failure_count <= 20)                                                                     \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                             \
    } while (0)

// With a printf-style sentence about what was seen.
#define CHECK_THAT(condition, ...)                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition) && ++failure_count <= 20)                                                                     \
        {                                                                                                              \
            printf("%s:%d: failed: %s: ", __FILE__, __LINE__, #condition);                                             \
            printf(__VA_ARGS__);                                                                                       \
            printf("\n");                                                                                              \
        }                                                                                                              \
    } while (0)

// |a - b| <= tolerance; false for NaN.
#define CHECK_NEAR(a, b, tolerance)                                                                                    \
    do                                                                                                                 \
    {                                                                                                                  \
        double check_a = (a), check_b = (b), check_t = (tolerance);                                                    \
        CHECK_THAT(fabs(check_a - check_b) <= check_t, "%s = %.17g, %s = %.17g, tolerance %g", #a, check_a, #b,        \
                   check_b, check_t);                                                                                  \
    } while (0)

#define CHECK_OK(ctx, call)                                                                                            \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_status check_status = (call);                                                                               \
        CHECK_THAT(check_status == PL_OK, "%s: %s", pl_status_name(check_status), pl_context_error(ctx));              \
    } while (0)

static int run_tests(const pl_test *tests, size_t count, int argc, char **argv)
{
    const char *filter = NULL;
    bool exact = false;
    quick_tests = getenv("PLIANT_QUICK") != NULL;
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--slow") == 0)
            slow_tests = true;
        else
            filter = argv[i];
    for (size_t i = 0; filter && i < count; ++i)
        exact = exact || strcmp(tests[i].name, filter) == 0;
    int failed = 0, passed = 0;
    for (size_t i = 0; i < count; ++i)
    {
        if (filter ? exact ? strcmp(tests[i].name, filter) != 0 : !strstr(tests[i].name, filter)
                   : (tests[i].slow && !slow_tests) || (tests[i].lengthy && quick_tests))
            continue;
        failure_count = 0;
        clock_t start = clock();
        tests[i].run();
        // time of the processor, of all threads: other work on the machine does not matter
        printf("%s %6.2f s  %s\n", failure_count ? "FAIL" : "ok  ", (double)(clock() - start) / CLOCKS_PER_SEC,
               tests[i].name);
        fflush(stdout);
        failure_count ? failed++ : passed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || passed == 0;
}

#define RUN(tests) run_tests((tests), sizeof(tests) / sizeof((tests)[0]), argc, argv)

// A context with so many threads; aborts the program when it cannot be made.
__attribute__((unused)) static pl_context *test_context(int32_t threads)
{
    pl_context_def def = pl_context_def_default();
    def.thread_count = threads;
    pl_context *ctx;
    if (pl_context_create(&def, &ctx) != PL_OK)
        abort();
    return ctx;
}

#endif
