// tests/minres.c -- minimal residuals: definite, singular and inconsistent systems.
#include "test.h"
#include "random_input.h"
#include "sparse/minres.h"

enum
{
    COUNT = 2000 // more than a chunk
};

static double x[COUNT + 32], exact[COUNT + 32], diagonal[COUNT + 32], scale[COUNT + 32], weight[COUNT + 1];
static double r[COUNT + 32], z[COUNT + 32], w[COUNT + 32], p[COUNT + 32], q[COUNT + 32], partial[COUNT];
static const pl__minres_work work = {r, z, w, p, q, partial};

// A chain of springs; weight[i] is between i - 1 and i, the outermost to a wall.
static void apply_chain(void *user, const double *in, double *out)
{
    (void)user;
    for (int i = 0; i < COUNT; ++i)
    {
        double before = i > 0 ? in[i - 1] : 0, after = i + 1 < COUNT ? in[i + 1] : 0;
        out[i] = weight[i] * (in[i] - before) + weight[i + 1] * (in[i] - after);
    }
}

// `wall`: stiffness of the walls; 0 makes the chain singular.
static pl__minres_system set_up(double wall)
{
    for (int i = 0; i <= COUNT; ++i)
        weight[i] = 1 + 0.9 * random_pm(1, (uint64_t)i);
    weight[0] = weight[COUNT] = wall;
    for (int i = 0; i < COUNT; ++i)
    {
        exact[i] = random_pm(2, (uint64_t)i);
        diagonal[i] = 1 / (weight[i] + weight[i + 1]);
        scale[i] = 1;
        x[i] = 99;
    }
    return (pl__minres_system){.count = COUNT, .inverse_diagonal = diagonal, .scale = scale, .apply = apply_chain};
}

static const pl__minres_limits tight = {.tolerance = 1e-10, .most = 1, .iterations = 20000};

// Known solutions are found, and the residual that is reported is b - A x.
static void finds_the_solution(void)
{
    pl_context *ctx = NULL;
    pl_context_def def = pl_context_def_default();
    CHECK_OK(NULL, pl_context_create(&def, &ctx));
    pl__minres_system s = set_up(1);
    apply_chain(NULL, exact, r);
    pl__minres_info info = pl__minres_solve(ctx, &s, &tight, x, &work);
    CHECK(info.converged && info.residual <= 1e-9 * info.first_residual); // 1e-10 in the norm of the diagonal
    apply_chain(NULL, x, z);
    apply_chain(NULL, exact, w);
    double worst = 0;
    for (int i = 0; i < COUNT; ++i)
        worst = fmax(worst, fabs(z[i] - w[i]));
    CHECK_NEAR(worst, info.residual, 1e-11);
    pl_context_destroy(&ctx);
}

// Without walls a constant is in the null space; a right-hand side in the range is still met.
static void singular_systems_are_solved(void)
{
    pl_context *ctx = NULL;
    pl_context_def def = pl_context_def_default();
    CHECK_OK(NULL, pl_context_create(&def, &ctx));
    pl__minres_system s = set_up(0);
    apply_chain(NULL, exact, r);
    pl__minres_info info = pl__minres_solve(ctx, &s, &tight, x, &work);
    CHECK_THAT(info.converged, "%d iterations, residual %g of %g", info.iterations, info.residual, info.first_residual);
    pl_context_destroy(&ctx);
}

// What is not in the range stays as the residual, a constant in the metric of the preconditioner, and the iteration
// ends by itself.
static void inconsistent_systems_end(void)
{
    pl_context *ctx = NULL;
    pl_context_def def = pl_context_def_default();
    CHECK_OK(NULL, pl_context_create(&def, &ctx));
    pl__minres_system s = set_up(0);
    apply_chain(NULL, exact, r);
    for (int i = 0; i < COUNT; ++i)
        r[i] += 0.25 / diagonal[i];
    pl__minres_info info = pl__minres_solve(ctx, &s, &tight, x, &work);
    CHECK(!info.converged && info.iterations < tight.iterations);
    double worst = 0;
    for (int i = 0; i < COUNT; ++i)
        worst = fmax(worst, fabs(r[i] * diagonal[i] - 0.25));
    CHECK_NEAR(worst, 0, 1e-6); // a least squares solution, to the root of round-off
    pl_context_destroy(&ctx);
}

// An unknown whose preconditioner is 0 stays 0, and its equation does not count.
static void unknowns_are_left_out(void)
{
    pl_context *ctx = NULL;
    pl_context_def def = pl_context_def_default();
    CHECK_OK(NULL, pl_context_create(&def, &ctx));
    pl__minres_system s = set_up(1);
    for (int i = 0; i < COUNT; i += 7)
        diagonal[i] = exact[i] = 0;
    apply_chain(NULL, exact, r);
    r[70] = 1e3;
    CHECK(pl__minres_solve(ctx, &s, &tight, x, &work).converged);
    double worst = 0;
    for (int i = 0; i < COUNT; ++i)
        worst = fmax(worst, fabs(x[i] - exact[i]));
    CHECK_NEAR(worst, 0, 1e-7); // the tolerance times the condition
    CHECK(x[70] == 0);
    pl_context_destroy(&ctx);
}

// A right-hand side that is not a number ends at once.
static void nan_ends(void)
{
    pl_context *ctx = NULL;
    pl_context_def def = pl_context_def_default();
    CHECK_OK(NULL, pl_context_create(&def, &ctx));
    pl__minres_system s = set_up(1);
    for (int i = 0; i < COUNT; ++i)
        r[i] = i == 3 ? NAN : 1;
    pl__minres_info info = pl__minres_solve(ctx, &s, &tight, x, &work);
    CHECK(!info.converged && info.iterations == 0);
    pl_context_destroy(&ctx);
}

static void same_bits_for_any_number_of_threads(void)
{
    static double first[COUNT];
    for (int threads = 1; threads <= 3; ++threads)
    {
        pl_context *ctx = NULL;
        pl_context_def def = pl_context_def_default();
        def.thread_count = threads;
        CHECK_OK(NULL, pl_context_create(&def, &ctx));
        pl__minres_system s = set_up(1);
        apply_chain(NULL, exact, r);
        (void)pl__minres_solve(ctx, &s, &(pl__minres_limits){.tolerance = 1e-3, .most = 1, .iterations = 99}, x, &work);
        if (threads == 1)
            memcpy(first, x, sizeof first);
        CHECK(memcmp(first, x, sizeof first) == 0);
        pl_context_destroy(&ctx);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(finds_the_solution),
                                    TEST(singular_systems_are_solved),
                                    TEST(inconsistent_systems_end),
                                    TEST(unknowns_are_left_out),
                                    TEST(nan_ends),
                                    TEST(same_bits_for_any_number_of_threads)};
    return RUN(tests);
}
