// tests/cg.c -- conjugate gradients, constraints and vectors.
#include "test.h"
#include "random_input.h"
#include "sparse/cg.h"

enum
{
    NODES = 2100, // several chunks
    COUNT = 3 * NODES
};

static double mass[COUNT + 32], inverse_mass[COUNT + 32], b[COUNT + 32], x[COUNT + 32], exact[COUNT + 32];
static double r[COUNT + 32], z[COUNT + 32], p[COUNT + 32], q[COUNT + 32], partial[COUNT];
static const pl__cg_work work = {r, z, p, q, partial};

typedef struct
{
    pl_context *ctx;
    double stiffness;
    int applied;
} chain;

// A chain of dashpots: A = M + k L with L the graph Laplacian; its forces sum to zero.
static double apply_chain(void *user, const double *in, double *out)
{
    chain *c = user;
    c->applied++;
    for (int k = 0; k < COUNT; ++k)
        out[k] = mass[k] * in[k];
    for (int n = 0; n + 1 < NODES; ++n)
        for (int i = 0; i < 3; ++i)
        {
            double f = c->stiffness * (in[3 * n + i] - in[3 * n + 3 + i]);
            out[3 * n + i] += f;
            out[3 * n + 3 + i] -= f;
        }
    return pl__dot(c->ctx, in, out, COUNT, NULL, partial);
}

static void set_up(chain *c)
{
    for (int k = 0; k < COUNT; ++k)
    {
        mass[k] = 1 + 0.9 * random_pm(4, (uint64_t)(k / 3));
        inverse_mass[k] = 1 / mass[k];
        exact[k] = random_pm(5, (uint64_t)k);
        x[k] = 0;
    }
    (void)apply_chain(c, exact, b);
}

static pl__cg_system system_of(chain *c, const pl__constraints *constraints)
{
    return (pl__cg_system){
        .count = COUNT, .inverse_mass = inverse_mass, .apply = apply_chain, .user = c, .constraints = constraints};
}

static void solves_to_the_true_residual(void)
{
    for (int threads = 1; threads <= 2; ++threads)
    {
        chain c = {test_context(threads), 50, 0};
        set_up(&c);
        pl__cg_system s = system_of(&c, NULL);
        pl__cg_info info =
            pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1e-10, .iterations = 1000}, b, x, &work);
        CHECK(info.stop == PL__STOP_CONVERGED && info.residual <= 1e-10 * info.first_residual);
        for (int k = 0; k < COUNT; ++k)
            CHECK_NEAR(x[k], exact[k], 1e-8);
        // the residual that it reports is that of its answer
        (void)apply_chain(&c, x, q);
        double norm2 = 0;
        for (int k = 0; k < COUNT; ++k)
            norm2 += (b[k] - q[k]) * (b[k] - q[k]) * inverse_mass[k];
        CHECK_NEAR(sqrt(norm2), info.residual, 1e-3 * info.residual);
        pl_context_destroy(&c.ctx);
    }
}

// Running out is a reason; an impossible tolerance ends in stagnation, not in a loop; NaN is seen.
static void stop_reasons(void)
{
    chain c = {test_context(1), 1e4, 0};
    set_up(&c);
    pl__cg_system s = system_of(&c, NULL);
    pl__cg_info info = pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1e-10, .iterations = 5}, b, x, &work);
    CHECK(info.stop == PL__STOP_ITERATIONS && info.iterations == 5);
    set_up(&c);
    info = pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1e-30, .iterations = 100000}, b, x, &work);
    CHECK(info.stop == PL__STOP_STAGNATED && info.residual < 1e-9 * info.first_residual);
    set_up(&c);
    b[7] = NAN;
    info = pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1e-10, .iterations = 100}, b, x, &work);
    CHECK(info.stop == PL__STOP_NOT_FINITE);
    set_up(&c);
    c.stiffness = -1e4;
    info = pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1e-10, .iterations = 100}, b, x, &work);
    CHECK(info.stop == PL__STOP_INDEFINITE);
    pl_context_destroy(&c.ctx);
}

// The chain takes some 700 iterations to 1e-10: with less patience a solve stops at a look, with more it does not.
static void slow_solves_stop_at_a_look(void)
{
    chain c = {test_context(1), 1e4, 0};
    pl__cg_system s = system_of(&c, NULL);
    pl__cg_limits limits = {.tolerance = 1e-10, .iterations = 5000, .look = 20, .patience = 30};
    set_up(&c);
    pl__cg_info info = pl__cg_solve(c.ctx, &s, &limits, b, x, &work);
    CHECK_THAT(info.stop == PL__STOP_SLOW && info.iterations % 20 == 0 && info.iterations < 500 &&
                   info.residual < 2 * info.first_residual,
               "stop %d after %d iterations, %g", info.stop, info.iterations, info.residual);
    limits.look = 0;
    set_up(&c);
    info = pl__cg_solve(c.ctx, &s, &limits, b, x, &work);
    CHECK(info.stop == PL__STOP_CONVERGED);
    pl_context_destroy(&c.ctx);
}

// From a guess with the right momentum, however few iterations are allowed, momentum is right to round-off.
static void truncated_solves_keep_momentum(void)
{
    chain c = {test_context(1), 1e3, 0};
    pl__cg_system s = system_of(&c, NULL);
    for (int iterations = 1; iterations < 30; iterations += 4)
    {
        set_up(&c);
        double want[3] = {0}, got[3] = {0};
        for (int k = 0; k < COUNT; ++k)
        {
            x[k] = b[k] * inverse_mass[k];
            want[k % 3] += b[k];
        }
        (void)pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1e-14, .iterations = iterations}, b, x, &work);
        for (int k = 0; k < COUNT; ++k)
            got[k % 3] += mass[k] * x[k];
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(got[i], want[i], 1e-9); // round-off of sums of 400 terms of size 2e3
    }
    pl_context_destroy(&c.ctx);
}

// ---- constraints -----------------------------------------------------------------------------------------------

static pl__node_constraint single[4] = {
    {.node = 0, .count = 3, .direction = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {.node = 17, .count = 1, .direction = {{0.6, 0.8, 0}}},
    {.node = 200, .count = 2, .direction = {{0, 0, 1}, {0.8, -0.6, 0}}},
    {.node = 399, .count = 1, .direction = {{0, 1, 0}}},
};
static pl__link_constraint links[3] = {
    {.node = {5, 6, 7, 8}, .count = 4, .weight = {1, -0.2, -0.3, -0.5}, .direction = {0, 1, 0}},
    {.node = {8, 9, 20, 21}, .count = 4, .weight = {0.4, 0.6, -0.7, -0.3}, .direction = {0.6, 0, 0.8}},
    {.node = {40, 41}, .count = 2, .weight = {1, -1}, .direction = {1, 0, 0}},
};

static double form(const pl__link_constraint *l, const double *u)
{
    double sum = 0;
    for (int k = 0; k < l->count; ++k)
        for (int i = 0; i < 3; ++i)
            sum += l->weight[k] * l->direction[i] * u[3 * l->node[k] + i];
    return sum;
}

// The projection satisfies the constraints, is self-adjoint in the mass metric, and changes nothing that satisfies
// them.
static void projection_is_a_projection(void)
{
    chain c = {test_context(1), 1, 0};
    set_up(&c);
    pl__constraints constraints = {single, 4, links, 3, 20, inverse_mass};
    static double u[COUNT], w[COUNT], Pu[COUNT], Pw[COUNT], PPu[COUNT];
    for (int k = 0; k < COUNT; ++k)
    {
        Pu[k] = u[k] = random_pm(6, (uint64_t)k);
        Pw[k] = w[k] = random_pm(7, (uint64_t)k);
    }
    pl__constraints_project(&constraints, Pu);
    pl__constraints_project(&constraints, Pw);
    double uPw = 0, wPu = 0;
    for (int k = 0; k < COUNT; ++k)
    {
        uPw += mass[k] * u[k] * Pw[k];
        wPu += mass[k] * w[k] * Pu[k];
        PPu[k] = Pu[k];
    }
    CHECK_NEAR(uPw, wPu, 1e-11);
    CHECK(Pu[0] == 0 && Pu[1] == 0 && Pu[2] == 0);
    CHECK_NEAR(0.6 * Pu[51] + 0.8 * Pu[52], 0, 1e-15);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(form(&links[i], Pu), 0, 1e-12); // two links share a node: converges by a factor of 4 per sweep or so
    pl__constraints_project(&constraints, PPu);
    for (int k = 0; k < COUNT; ++k)
        CHECK_NEAR(PPu[k], Pu[k], 1e-12);
    pl_context_destroy(&c.ctx);
}

// The constrained solution satisfies the constraints, and its residual is a combination of constraint forces:
// orthogonal to every admissible velocity.
static void constrained_solve_is_stationary(void)
{
    chain c = {test_context(2), 20, 0};
    for (int with_links = 0; with_links < 2; ++with_links)
    {
        set_up(&c);
        pl__constraints constraints = {single, 4, links, with_links ? 3 : 0, 20, inverse_mass};
        pl__cg_system s = system_of(&c, &constraints);
        pl__cg_info info =
            pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1e-10, .iterations = 2000}, b, x, &work);
        CHECK_THAT(info.stop == PL__STOP_CONVERGED, "reason %d after %d, residual %g of %g", info.stop, info.iterations,
                   info.residual, info.first_residual);
        CHECK(x[0] == 0);
        for (int i = 0; i < 3 * with_links; ++i)
            CHECK_NEAR(form(&links[i], x), 0, 1e-10);
        for (uint64_t seed = 0; seed < 20; ++seed)
        {
            static double u[COUNT];
            for (int k = 0; k < COUNT; ++k)
                u[k] = random_pm(100 + seed, (uint64_t)k);
            pl__constraints_project(&constraints, u);
            double work_done = 0;
            for (int k = 0; k < COUNT; ++k)
                work_done += u[k] * r[k];
            CHECK_NEAR(work_done, 0, 1e-6);
        }
    }
    pl_context_destroy(&c.ctx);
}

// A node with the inverse block B, held along up to two directions and dragged along one more: what is left of the
// residual b - (A + drag a a^T) u lies along what holds it. Tolerance: rounding times the condition of B, 100.
static void blocks_are_solved_within_constraints(void)
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        double L[6], B[6], u[3], rhs[3], back[3], A[6];
        for (int k = 0; k < 6; ++k)
            L[k] = k < 3 ? 1.1 + random_pm(seed, (uint64_t)k) : random_pm(seed, (uint64_t)k);
        // A = L L^T, and B its inverse
        A[0] = L[0] * L[0], A[3] = L[0] * L[3], A[4] = L[0] * L[4], A[1] = L[3] * L[3] + L[1] * L[1];
        A[5] = L[3] * L[4] + L[1] * L[5], A[2] = L[4] * L[4] + L[5] * L[5] + L[2] * L[2];
        double det = A[0] * (A[1] * A[2] - A[5] * A[5]) - A[3] * (A[3] * A[2] - A[5] * A[4]) +
                     A[4] * (A[3] * A[5] - A[1] * A[4]);
        B[0] = (A[1] * A[2] - A[5] * A[5]) / det, B[1] = (A[0] * A[2] - A[4] * A[4]) / det,
        B[2] = (A[0] * A[1] - A[3] * A[3]) / det;
        B[3] = (A[4] * A[5] - A[3] * A[2]) / det, B[4] = (A[3] * A[5] - A[4] * A[1]) / det,
        B[5] = (A[3] * A[4] - A[0] * A[5]) / det;
        for (int i = 0; i < 3; ++i)
            rhs[i] = random_pm(seed, (uint64_t)(10 + i));
        u[0] = B[0] * rhs[0] + B[3] * rhs[1] + B[4] * rhs[2];
        u[1] = B[3] * rhs[0] + B[1] * rhs[1] + B[5] * rhs[2];
        u[2] = B[4] * rhs[0] + B[5] * rhs[1] + B[2] * rhs[2];
        double angle = 3 * random_pm(seed, 20), c = cos(angle), s = sin(angle), drag = pow(10, 6 * random_pm(seed, 21));
        int32_t held = (int32_t)(seed % 3);
        pl__node_constraint node = {.node = 0,
                                    .count = held,
                                    .direction = {{c, s, 0}, {0, 0, 1}},
                                    .along = {-s, c, 0},
                                    .slow = 0.5,
                                    .drag = drag};
        pl__constraints constraints = {.single = &node, .single_count = 1};
        pl__constraints_hold_blocks(&constraints, B, 0, 1, u);
        double along = u[1] * c - u[0] * s;
        back[0] = rhs[0] - (A[0] * u[0] + A[3] * u[1] + A[4] * u[2]) + drag * along * s;
        back[1] = rhs[1] - (A[3] * u[0] + A[1] * u[1] + A[5] * u[2]) - drag * along * c;
        back[2] = rhs[2] - (A[4] * u[0] + A[5] * u[1] + A[2] * u[2]);
        double first = back[0] * c + back[1] * s;
        CHECK_NEAR(back[1] * c - back[0] * s, 0, 1e-9 * (1 + drag * 1e-3));
        CHECK_NEAR(held > 0 ? c * u[0] + s * u[1] : first, 0, 1e-10);
        CHECK_NEAR(held > 1 ? u[2] : back[2], 0, 1e-10);
    }
}

// Dot products: same bits for every register width and thread count.
static void dots_have_one_value(void)
{
    chain c = {test_context(1), 1, 0};
    set_up(&c);
    double expected = pl__vector_dot_0(b, exact, 0, pl__vector_padded(COUNT));
    int widest = c.ctx->register_bytes;
    for (int width = 0; width <= widest; width = width ? 2 * width : 16)
        CHECK(PL_PICK(width, pl__vector_dot)(b, exact, 0, pl__vector_padded(COUNT)) == expected);
    pl_context_destroy(&c.ctx);
}

typedef struct
{
    chain chain;
    double factor;
} rough_chain;

static double apply_roughly(void *user, const double *in, double *out)
{
    rough_chain *c = user;
    double sum = apply_chain(&c->chain, in, out);
    for (int k = 0; k < COUNT; ++k)
        out[k] *= c->factor;
    return c->factor * sum;
}

static double apply_truly(void *user, const double *in, double *out)
{
    return apply_chain(&((rough_chain *)user)->chain, in, out);
}

// With products of A/(1 - f) in the place of A a solve leaves f of its residual, and a restart f of that. Three
// restarts are made, none where f is above a half.
static void rough_products_are_corrected_by_restarts(void)
{
    static const double f[] = {0.001, 0.48, 0.52};
    for (int i = 0; i < 3; ++i)
    {
        rough_chain c = {{test_context(1), 50, 0}, 1 / (1 - f[i])};
        set_up(&c.chain);
        pl__cg_system s = {
            .count = COUNT, .inverse_mass = inverse_mass, .apply = apply_roughly, .user = &c, .exact = apply_truly};
        pl__cg_info info = pl__cg_solve(
            c.chain.ctx, &s, &(pl__cg_limits){.tolerance = i ? 1e-6 : 1e-11, .iterations = 10000}, b, x, &work);
        double left = i == 2 ? f[i] : pow(f[i], 4);
        CHECK(info.stop == (i ? PL__STOP_STAGNATED : PL__STOP_CONVERGED));
        CHECK_THAT(i == 0 || fabs(info.residual / info.first_residual - left) < 1e-4, "%g: %g", f[i],
                   info.residual / info.first_residual);
        pl_context_destroy(&c.chain.ctx);
    }
}

// Squares of 1e301 are as good as infinite; those of 1e297, times the largest eigenvalue of 201, are not.
static void what_will_overflow_is_not_finite(void)
{
    for (int far = 0; far < 2; ++far)
    {
        chain c = {test_context(1), 50, 0};
        set_up(&c);
        pl__cg_system s = system_of(&c, NULL);
        double first =
            pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1, .iterations = 0}, b, x, &work).first_residual;
        for (int k = 0; k < COUNT; ++k)
            b[k] *= sqrt(far ? 1e301 : 1e297) / first;
        pl__cg_info info =
            pl__cg_solve(c.ctx, &s, &(pl__cg_limits){.tolerance = 1e-6, .iterations = 1000}, b, x, &work);
        CHECK(info.stop == (far ? PL__STOP_NOT_FINITE : PL__STOP_CONVERGED));
        pl_context_destroy(&c.ctx);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(solves_to_the_true_residual),
        TEST(stop_reasons),
        TEST(slow_solves_stop_at_a_look),
        TEST(truncated_solves_keep_momentum),
        TEST(projection_is_a_projection),
        TEST(constrained_solve_is_stationary),
        TEST(blocks_are_solved_within_constraints),
        TEST(dots_have_one_value),
        TEST(rough_products_are_corrected_by_restarts),
        TEST(what_will_overflow_is_not_finite),
    };
    return RUN(tests);
}
