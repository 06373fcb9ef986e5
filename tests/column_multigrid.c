// tests/column_multigrid.c -- systems in columns: coarse matrices, sweeps, the cycle, and conjugate gradients around
// it.
#include "test.h"
#include "column_geometry.h"
#include "host.h"
#include "random_input.h"
#include "base/context.h"
#include "sparse/column_multigrid.h"
#include "sparse/column_solver.h"

static double largest(const double *v, int32_t count)
{
    double most = 0;
    for (int32_t i = 0; i < count; ++i)
        most = fmax(most, fabs(v[i]));
    return most;
}

static double norm2(const double *v, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count; ++i)
        sum += v[i] * v[i];
    return sqrt(sum);
}

// Solve from zero; the caller frees x.
static pl__column_info solve(pl_context *ctx, const columns *c, pl__precondition how, double tolerance, double **x)
{
    pl__column_solver *solver;
    pl__column_info info = {0};
    *x = columns_memory((size_t)c->system.count, sizeof **x);
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    CHECK_OK(ctx, pl__column_solver_setup(solver, &c->system, how));
    CHECK_OK(ctx, pl__column_solver_solve(solver, &(pl__column_limits){tolerance, NULL, 2000}, c->b, *x, &info));
    pl__column_solver_destroy(&solver);
    return info;
}

static double entry_of(const pl__column_system *s, int32_t i, int32_t j)
{
    for (int32_t q = s->start[i]; q < s->end[i]; ++q)
        if (s->column[q] == j)
            return s->value[q];
    return 0;
}

// ---- the systems themselves -----------------------------------------------------------------------------------------

// Constant pressure is one value in points and lines alike, and only faces of the surface resist it; the matrix is
// symmetric.
static void geometries_are_pressure_matrices(void)
{
    for (int g = 0; g < 3; ++g)
    {
        columns c = liquid_columns((geometry)g, 24, 6);
        CHECK(pl__column_system_is_valid(&c.system));
        int32_t lines = 0, held = 0;
        for (int32_t i = 0; i < c.system.count; ++i)
        {
            double sum = 0;
            for (int32_t q = c.start[i]; q < c.start[i + 1]; ++q)
            {
                CHECK_NEAR(c.value[q], entry_of(&c.system, c.column[q], i), 1e-12 * fabs(c.value[q]));
                sum += c.kind[c.column[q]] == PL__LINE_SLOPE ? 0 : c.value[q];
            }
            lines += c.kind[i] == PL__LINE_VALUE;
            held += c.kind[i] == PL__POINT && sum > 0.5;
            CHECK(c.kind[i] != PL__LINE_VALUE || fabs(sum) < 1e-9 * entry_of(&c.system, i, i));
        }
        CHECK_THAT(held > 100 && (g == GEOMETRY_LAYER) == (lines == 0), "%d: %d held, %d lines", g, held, lines);
        columns_free(&c);
    }
}

// Each invariant of column_system.h, broken once.
static void broken_invariants_are_seen(void)
{
    columns c = liquid_columns(GEOMETRY_CANYON, 16, 3);
    int32_t line = 0, row = 0;
    while (c.kind[line] != PL__LINE_VALUE)
        line++;
    while (!(c.kind[row] == PL__POINT && c.kind[row + 1] == PL__POINT && c.row[row] + 1 == c.row[row + 1]))
        row++;
    CHECK(pl__column_system_is_valid(&c.system));
    int32_t *const numbers[] = {&c.column[c.start[5]], &c.row[row + 1], &c.column_start[1], &c.column[c.start[9] + 1]};
    const int32_t wrong[] = {c.system.count - 1, c.row[row] - 1, -1, c.column[c.start[9]]};
    for (int k = 0; k < 4; ++k)
    {
        int32_t right = *numbers[k];
        *numbers[k] = wrong[k];
        CHECK_THAT(!pl__column_system_is_valid(&c.system), "%d", k);
        *numbers[k] = right;
    }
    for (int k = 0; k < 2; ++k)
    {
        uint8_t right = c.kind[line + k];
        c.kind[line + k] = PL__POINT;
        CHECK(!pl__column_system_is_valid(&c.system));
        c.kind[line + k] = right;
    }
    CHECK(pl__column_system_is_valid(&c.system));
    c.start[c.system.count]--; // the last entry of all is a diagonal
    CHECK(!pl__column_system_is_valid(&c.system));
    columns_free(&c);
}

// ---- coarse matrices ------------------------------------------------------------------------------------------------

// P as a dense matrix [fine][coarse], from the rule of column_coarsen.h.
static double *dense_prolongation(const pl__column_system *fine, const pl__column_transfer *t, int32_t coarse)
{
    double *P = columns_memory((size_t)fine->count * (size_t)coarse, sizeof *P);
    for (int32_t i = 0; i < fine->count; ++i)
    {
        P[(size_t)i * (size_t)coarse + (size_t)t->aggregate[i]] = 1;
        if (fine->kind && fine->kind[i] == PL__LINE_VALUE)
            P[(size_t)i * (size_t)coarse + (size_t)t->aggregate[i] + 1] = t->arm[i];
    }
    return P;
}

static void check_galerkin(const pl__column_system *fine, const pl__column_transfer *t, const pl__column_system *coarse)
{
    CHECK(pl__column_system_is_valid(coarse));
    size_t n = (size_t)coarse->count;
    double *P = dense_prolongation(fine, t, coarse->count), *A = columns_memory(n * n, sizeof *A);
    for (int32_t i = 0; i < fine->count; ++i)
        for (int32_t q = fine->start[i]; q < fine->end[i]; ++q)
            for (size_t g = 0; g < n; ++g)
                for (size_t h = 0; P[(size_t)i * n + g] != 0 && h < n; ++h)
                    A[g * n + h] += P[(size_t)i * n + g] * fine->value[q] * P[(size_t)fine->column[q] * n + h];
    for (size_t g = 0; g < n; ++g)
        for (size_t h = 0; h < n; ++h)
            CHECK_NEAR(entry_of(coarse, (int32_t)g, (int32_t)h), A[g * n + h],
                       1e-11 * (1 + sqrt(A[g * n + g] * A[h * n + h])));
    free(P);
    free(A);
}

// A line over one aggregate is the same line in its children, at every row that they cover. Its centre is among theirs.
static void check_lines(const pl__column_system *fine, const pl__column_transfer *t, const pl__column_system *coarse)
{
    for (int32_t i = 0; fine->kind && i < fine->count; ++i)
        if (fine->kind[i] == PL__LINE_VALUE)
        {
            int32_t g = t->aggregate[i];
            CHECK(coarse->kind[g] == PL__LINE_VALUE && t->aggregate[i + 1] == g + 1);
            // m + d (c - c'): the value of the coarse line at the centre of the fine one
            CHECK_NEAR(t->arm[i], fine->center[i] - coarse->center[g], 1e-5);
            CHECK(coarse->center[g] > 0 && coarse->center[g] < 13);
        }
        else if (fine->kind[i] == PL__POINT)
            CHECK(coarse->kind[t->aggregate[i]] == PL__POINT && coarse->row[t->aggregate[i]] == fine->row[i] >> 1);
}

static int32_t root_of(int32_t *parent, int32_t n)
{
    while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
    return n;
}

// Unknowns of an aggregate are coupled, directly or by others of it: both sides of a pillar, or two narrow wells that
// meet in a corner, do not share a pressure.
static void aggregates_hang_together(void)
{
    pl_context *ctx = test_context(1);
    for (int g = 0; g < 3; ++g)
    {
        columns c = liquid_columns((geometry)g, 48, 5);
        const pl__column_system *fine = &c.system;
        pl__arena arena;
        pl__arena_init(&arena, ctx);
        pl__column_transfer t;
        pl__column_system coarse;
        CHECK_OK(ctx, pl__column_coarsen(ctx, &arena, fine, &t, &coarse));
        int32_t *parent = columns_memory((size_t)fine->count, sizeof *parent), parts = 0;
        for (int32_t i = 0; i < fine->count; ++i)
            parent[i] = i;
        for (int32_t i = 0; i < fine->count; ++i)
            for (int32_t q = fine->start[i]; q < fine->end[i]; ++q)
                if (fine->value[q] != 0 && t.aggregate[fine->column[q]] == t.aggregate[i])
                    parent[root_of(parent, i)] = root_of(parent, fine->column[q]);
        for (int32_t i = 0; i < fine->count; ++i)
            parts += root_of(parent, i) == i;
        CHECK_THAT(parts == coarse.count, "geometry %d: %d parts of %d aggregates", g, parts, coarse.count);
        free(parent);
        pl__arena_done(&arena);
        columns_free(&c);
    }
    pl_context_destroy(&ctx);
}

static void coarse_matrix_is_galerkin(void)
{
    pl_context *ctx = test_context(1);
    for (int g = 0; g < 4; ++g)
    {
        columns c = g < 3 ? liquid_columns((geometry)g, 13, 3) : box_columns(5, 7, 6, true);
        pl__arena arena;
        pl__arena_init(&arena, ctx);
        pl__column_transfer first, second;
        pl__column_system coarse, coarser;
        CHECK_OK(ctx, pl__column_coarsen(ctx, &arena, &c.system, &first, &coarse));
        CHECK_OK(ctx, pl__column_coarsen(ctx, &arena, &coarse, &second, &coarser));
        CHECK(coarse.count < c.system.count / 2 && coarser.count < coarse.count);
        check_galerkin(&c.system, &first, &coarse);
        check_galerkin(&coarse, &second, &coarser);
        check_lines(&c.system, &first, &coarse);
        check_lines(&coarse, &second, &coarser);
        pl__arena_done(&arena);
        columns_free(&c);
    }
    pl_context_destroy(&ctx);
}

// Cells that are alone in their aggregates: the coarse matrix is as large as the fine one, more than it has room for at
// first.
static columns scattered_columns(int32_t n)
{
    columns c = box_columns(2 * n, n, 2 * n, true);
    int32_t count = 0, at = 0;
    for (int32_t column = 0; column < 4 * n * n; ++column)
    {
        bool present = column % (2 * n) % 2 == 0 && column / (2 * n) % 2 == 0;
        c.column_start[column] = count;
        for (int32_t j = 0; present && j < n; ++j, ++count)
        {
            // a whole column is coupled, with weights that fall off
            c.row[count] = 2 * j;
            c.b[count] = 1 + j;
            c.start[count] = at;
            for (int32_t other = 0; other < n; ++other, ++at)
            {
                c.column[at] = count - j + other;
                c.value[at] = other == j ? 3 : -1.0 / n;
            }
        }
    }
    c.column_start[4 * n * n] = count;
    c.start[count] = at;
    columns_connect(&c, 2 * n, 2 * n, count);
    return c;
}

static void aggregates_of_one_have_room(void)
{
    pl_context *ctx = test_context(1);
    columns c = scattered_columns(7);
    CHECK(pl__column_system_is_valid(&c.system));
    pl__arena arena;
    pl__arena_init(&arena, ctx);
    pl__column_transfer t;
    pl__column_system coarse;
    CHECK_OK(ctx, pl__column_coarsen(ctx, &arena, &c.system, &t, &coarse));
    CHECK(coarse.count == c.system.count);
    check_galerkin(&c.system, &t, &coarse);
    pl__arena_done(&arena);
    columns_free(&c);
    pl_context_destroy(&ctx);
}

// ---- sweeps ---------------------------------------------------------------------------------------------------------

static int32_t tile_colour(const pl__column_system *s, int32_t column)
{
    return column % s->nx / 16 % 2 + column / s->nx / 16 % 2 * 2;
}

// Unknowns in the order of a sweep forward.
static int32_t *sweep_order(const pl__column_system *s)
{
    int32_t *order = columns_memory((size_t)s->count, sizeof *order), at = 0;
    for (int32_t colour = 0; colour < 4; ++colour)
        for (int32_t tile = 0; tile < (s->nx + 15) / 16 * ((s->nz + 15) / 16); ++tile)
            for (int32_t c = 0; c < s->nx * s->nz; ++c)
                if (tile_colour(s, c) == colour && c % s->nx / 16 + c / s->nx / 16 * ((s->nx + 15) / 16) == tile)
                    for (int32_t i = s->column_start[c]; i < s->column_start[c + 1]; ++i)
                        order[at++] = i;
    return order;
}

// One sweep by rows of blocks, in double precision and with the matrix as it is.
static void plain_sweep(const pl__column_system *s, const int32_t *order, bool backward, const double *b, double *x)
{
    for (int32_t n = 0; n < s->count; ++n)
    {
        int32_t i = order[backward ? s->count - 1 - n : n];
        if (s->kind && s->kind[i] == PL__LINE_SLOPE)
            continue;
        bool line = s->kind && s->kind[i] == PL__LINE_VALUE;
        double r[2] = {0};
        for (int k = 0; k < 1 + line; ++k)
        {
            r[k] = b[i + k];
            for (int32_t q = s->start[i + k]; q < s->end[i + k]; ++q)
                r[k] -= s->value[q] * x[s->column[q]];
        }
        double mm = entry_of(s, i, i);
        if (!line)
        {
            x[i] += r[0] / mm;
            continue;
        }
        double md = entry_of(s, i, i + 1), dd = entry_of(s, i + 1, i + 1), det = mm * dd - md * md;
        x[i] += (dd * r[0] - md * r[1]) / det;
        x[i + 1] += (mm * r[1] - md * r[0]) / det;
    }
}

// x = C^-T x~, and b~ = C^-1 b
static void scale_vectors(const pl__gauss_seidel *gs, const double *b, float *scaled)
{
    for (int32_t i = 0; i < gs->system->count; ++i)
        scaled[i] = (float)(gs->scale[i] * b[i] + (gs->skew && i ? gs->skew[i] * b[i - 1] : 0));
}

static double unscaled(const pl__gauss_seidel *gs, const float *x, int32_t i)
{
    return gs->scale[i] * x[i] + (gs->skew && i + 1 < gs->system->count ? gs->skew[i + 1] * x[i + 1] : 0);
}

// A staircase: columns of 20 cells, each of whose lowest is beside the highest of the one before. That is the unknown
// before it, as within a column.
static columns staircase_columns(int32_t nx)
{
    columns c = box_columns(nx, 20, 1, true);
    int32_t at = 0;
    for (int32_t u = 0; u < c.system.count; ++u)
    {
        c.row[u] = u % 20 + u / 20 * 19;
        c.start[u] = at;
        for (int32_t other = u ? u - 1 : 0; other <= u + 1 && other < c.system.count; ++other)
        {
            c.column[at] = other;
            c.value[at++] = u == other ? 2.1 : -1;
        }
    }
    c.start[c.system.count] = at;
    return c;
}

// Sweeps by runs are those by blocks of rows in the same order, to single precision, for every register width; and so
// is the residual.
static void sweeps_are_gauss_seidel(void)
{
    pl_context *ctx = test_context(1);
    int32_t widest = ctx->register_bytes;
    for (int g = 0; g < 5; ++g)
    {
        columns c = g < 3    ? liquid_columns((geometry)g, 40, 8)
                    : g == 3 ? box_columns(18, 300, 17, true)
                             : staircase_columns(40);
        CHECK(pl__column_system_is_valid(&c.system));
        int32_t n = c.system.count, *order = sweep_order(&c.system);
        float *first = NULL;
        for (int32_t width = 0; width <= widest; width = width ? 2 * width : 16)
        {
            ctx->register_bytes = width;
            pl__arena arena;
            pl__arena_init(&arena, ctx);
            pl__gauss_seidel gs;
            CHECK_OK(ctx, pl__gauss_seidel_setup(ctx, &arena, &c.system, &gs));
            float *b = columns_memory((size_t)n + 16, sizeof *b), *x = columns_memory((size_t)n + 16, sizeof *x);
            float *r = columns_memory((size_t)n + 16, sizeof *r);
            double *plain = columns_memory((size_t)n, sizeof *plain);
            scale_vectors(&gs, c.b, b);
            for (int32_t i = 0; i < n; ++i)
                x[i] = NAN; // a sweep from zero reads none
            static const pl__sweep sweeps[] = {PL__SWEEP_FROM_ZERO, PL__SWEEP_BACKWARD, PL__SWEEP_FORWARD};
            for (int k = 0; k < 3; ++k)
            {
                pl__gauss_seidel_sweep(ctx, &gs, sweeps[k], b, x);
                plain_sweep(&c.system, order, sweeps[k] == PL__SWEEP_BACKWARD, c.b, plain);
                double most = largest(plain, n);
                for (int32_t i = 0; i < n; ++i)
                    CHECK_NEAR(unscaled(&gs, x, i), plain[i], 1e-5 * most); // rounding over a path of sums
                PL_PICK(width, pl__residual_runs)(&gs, 0, gs.run_start[c.system.nx * c.system.nz], k ? b : NULL, x, r);
                for (int32_t i = 0; i < n; ++i)
                {
                    double sum = b[i] - x[i];
                    for (int32_t q = c.start[i]; q < c.start[i + 1]; ++q)
                    {
                        int32_t j = c.column[q];
                        bool own = i == j || (c.kind && ((c.kind[i] == PL__LINE_VALUE && j == i + 1) ||
                                                         (c.kind[i] == PL__LINE_SLOPE && j == i - 1)));
                        sum -= own ? 0 : pl__gauss_seidel_entry(&gs, i, q) * x[j];
                    }
                    CHECK_NEAR(r[i], sum, 1e-5 * (fabs(b[i]) + most / gs.scale[i]));
                }
            }
            CHECK_THAT(!first || memcmp(first, x, (size_t)n * sizeof *x) == 0, "%d bytes: other bits", width);
            if (!first)
                first = x;
            else
                free(x);
            free(b), free(r), free(plain);
            pl__arena_done(&arena);
        }
        free(first), free(order);
        columns_free(&c);
    }
    ctx->register_bytes = widest;
    pl_context_destroy(&ctx);
}

// ---- preconditioners ------------------------------------------------------------------------------------------------

static void remove_mean(double *v, int32_t count)
{
    double mean = 0;
    for (int32_t i = 0; i < count; ++i)
        mean += v[i] / count;
    for (int32_t i = 0; i < count; ++i)
        v[i] -= mean;
}

// (y, B z) = (z, B y) and (z, B z) > 0, to single precision; in a closed box for what can be solved.
static void preconditioner_is_symmetric_and_positive(void)
{
    pl_context *ctx = test_context(1);
    for (int g = 0; g < 4; ++g)
        for (int how = 0; how < 3; ++how)
        {
            columns c = g < 3 ? liquid_columns((geometry)g, 40, 6) : box_columns(21, 33, 18, false);
            int32_t n = c.system.count;
            pl__column_solver *solver;
            CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
            CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, (pl__precondition)how));
            double *y = columns_memory((size_t)n, sizeof *y), *z = columns_memory((size_t)n, sizeof *z);
            float *By = columns_memory((size_t)n + 16, sizeof *By), *Bz = columns_memory((size_t)n + 16, sizeof *Bz);
            for (uint64_t seed = 0; seed < 3; ++seed)
            {
                double yBz = 0, zBy = 0, zBz = 0, yBy = 0;
                // rough, smooth and in one place
                for (int32_t i = 0; i < n; ++i)
                {
                    y[i] = random_pm(seed, (uint64_t)i);
                    z[i] = seed == 1 ? sin(0.001 * i) : seed == 2 ? i == n / 2 : random_pm(10 + seed, (uint64_t)i);
                }
                if (g == 3)
                    remove_mean(y, n), remove_mean(z, n);
                CHECK_OK(ctx, pl__column_solver_precondition(solver, y, By));
                CHECK_OK(ctx, pl__column_solver_precondition(solver, z, Bz));
                for (int32_t i = 0; i < n; ++i)
                {
                    yBz += y[i] * Bz[i], zBy += z[i] * By[i];
                    zBz += z[i] * Bz[i], yBy += y[i] * By[i];
                }
                CHECK_THAT(zBz > 0 && yBy > 0, "%d %d: %g %g", g, how, zBz, yBy);
                CHECK_NEAR(yBz, zBy, 1e-5 * sqrt(zBz * yBy));
            }
            free(y), free(z), free(By), free(Bz);
            pl__column_solver_destroy(&solver);
            columns_free(&c);
        }
    pl_context_destroy(&ctx);
}

// Gaussian elimination, for small systems.
static void solve_dense(const pl__column_system *s, const double *b, double *x)
{
    size_t n = (size_t)s->count;
    double *A = columns_memory(n * n, sizeof *A);
    for (size_t i = 0; i < n; ++i)
    {
        x[i] = b[i];
        for (int32_t q = s->start[i]; q < s->end[i]; ++q)
            A[i * n + (size_t)s->column[q]] = s->value[q];
    }
    for (size_t j = 0; j < n; ++j)
        for (size_t i = j + 1; i < n; ++i)
        {
            double f = A[i * n + j] / A[j * n + j];
            for (size_t k = j; f != 0 && k < n; ++k)
                A[i * n + k] -= f * A[j * n + k];
            x[i] -= f * x[j];
        }
    for (size_t i = n; i-- > 0;)
    {
        for (size_t k = i + 1; k < n; ++k)
            x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
    free(A);
}

// Where factors have no fill, as those of full blocks, incomplete Cholesky is complete.
static void incomplete_cholesky_is_exact_without_fill(void)
{
    pl_context *ctx = test_context(1);
    columns c = scattered_columns(7);
    int32_t n = c.system.count;
    double *exact = columns_memory((size_t)n, sizeof *exact);
    float *z = columns_memory((size_t)n + 16, sizeof *z);
    pl__column_solver *solver;
    solve_dense(&c.system, c.b, exact);
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_INCOMPLETE_CHOLESKY));
    CHECK_OK(ctx, pl__column_solver_precondition(solver, c.b, z));
    for (int32_t i = 0; i < n; ++i)
        CHECK_NEAR(z[i], exact[i], 1e-5);
    pl__column_solver_destroy(&solver);
    free(exact), free(z);
    columns_free(&c);
    pl_context_destroy(&ctx);
}

// All preconditioners find the solution of elimination.
static void preconditioners_agree(void)
{
    pl_context *ctx = test_context(1);
    for (int g = 0; g < 4; ++g)
    {
        columns c = g < 3 ? liquid_columns((geometry)g, 14, 3) : box_columns(9, 11, 8, true);
        double *exact = columns_memory((size_t)c.system.count, sizeof *exact), *x, scale = largest(c.b, c.system.count);
        solve_dense(&c.system, c.b, exact);
        double size = largest(exact, c.system.count);
        for (int how = 0; how < 3; ++how)
        {
            pl__column_info info = solve(ctx, &c, (pl__precondition)how, 1e-11 * scale, &x);
            CHECK_THAT(info.stop == PL__STOP_CONVERGED && info.residual <= 1e-11 * scale, "%d %d: stop %d, %g of %g", g,
                       how, info.stop, info.residual, info.first_residual);
            for (int32_t i = 0; i < c.system.count; ++i)
                CHECK_NEAR(x[i], exact[i], 1e-8 * size); // condition 1e3
            free(x);
        }
        free(exact);
        columns_free(&c);
    }
    pl_context_destroy(&ctx);
}

// How many iterations bring |r| to 1e-5 |b|, by bisection over limits.
static int32_t iterations_needed(pl_context *ctx, const columns *c)
{
    int32_t enough = 100, n = c->system.count;
    double *x = columns_memory((size_t)n, sizeof *x), *r = columns_memory((size_t)n, sizeof *r);
    pl__column_solver *solver;
    pl__column_info info;
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    CHECK_OK(ctx, pl__column_solver_setup(solver, &c->system, PL__PRECONDITION_MULTIGRID));
    for (int32_t few = 1; few < enough;)
    {
        int32_t limit = (few + enough) / 2;
        memset(x, 0, (size_t)n * sizeof *x);
        CHECK_OK(ctx, pl__column_solver_solve(solver, &(pl__column_limits){0, NULL, limit}, c->b, x, &info));
        for (int32_t i = 0; i < n; ++i)
        {
            r[i] = c->b[i];
            for (int32_t q = c->start[i]; q < c->start[i + 1]; ++q)
                r[i] -= c->value[q] * x[c->column[q]];
        }
        if (norm2(r, n) <= 1e-5 * norm2(c->b, n))
            enough = limit;
        else
            few = limit + 1;
    }
    pl__column_solver_destroy(&solver);
    free(x), free(r);
    return enough;
}

// At most the iterations of the prototype, and nearly the same however fine the grid is; those of incomplete Cholesky
// double with the cells.
static void iterations_do_not_grow(void)
{
    static const int32_t most[3][3] = {{14, 14, 15}, {14, 14, 15}, {8, 8, 8}};
    pl_context *ctx = test_context(1);
    for (int g = 0; g < 3; ++g)
        for (int k = 0, last = 0; k < (slow_tests ? 3 : 2); ++k)
        {
            int32_t cells = (slow_tests ? 32 : 16) << k;
            columns c = liquid_columns((geometry)g, cells, 8);
            int32_t needed = iterations_needed(ctx, &c);
            CHECK_THAT(needed <= most[g][k], "geometry %d, %d cells: %d iterations", g, cells, needed);
            CHECK_THAT(!last || needed <= 1.6 * last, "geometry %d: %d after %d", g, needed, last);
            last = needed;
            columns_free(&c);
        }
    pl_context_destroy(&ctx);
}

// ---- the solver -----------------------------------------------------------------------------------------------------

// Closed all around: pressure up to a constant, and b sums to zero. Two boxes that do not touch have two constants.
static void closed_box_converges(void)
{
    pl_context *ctx = test_context(1);
    for (int boxes = 1; boxes <= 2; ++boxes)
    {
        columns c = box_columns(20, 20, 40, false);
        double mean[2] = {0};
        for (int32_t q = 0, i = 0; q < c.start[c.system.count]; ++q)
        {
            while (q >= c.start[i + 1])
                i++;
            // cut at the middle
            if (boxes == 2 && (i < 8000) != (c.column[q] < 8000))
            {
                c.value[q] = 0;
                for (int32_t own = c.start[i]; own < c.start[i + 1]; ++own)
                    c.value[own] -= c.column[own] == i;
            }
        }
        for (int32_t i = 0; i < 16000; ++i)
            mean[i / 8000 * (boxes - 1)] += c.b[i] * boxes / 16000;
        for (int32_t i = 0; i < 16000; ++i)
            c.b[i] -= mean[i / 8000 * (boxes - 1)];
        double *x;
        pl__column_info info = solve(ctx, &c, PL__PRECONDITION_MULTIGRID, 1e-9, &x);
        CHECK_THAT(info.stop == PL__STOP_CONVERGED && info.iterations < 25, "%d boxes: stop %d after %d, %g", boxes,
                   info.stop, info.iterations, info.residual);
        free(x);
        columns_free(&c);
    }
    pl_context_destroy(&ctx);
}

// One matrix, any number of threads.
static void set_coupling(columns *c, int32_t i, int32_t j, double value)
{
    for (int32_t q = c->start[i]; q < c->start[i + 1]; ++q)
        if (c->column[q] == j)
            c->value[q] = value;
}

// Row and column of a point become 0, or what they are in `whole` between points that are in.
static void set_point(columns *c, const columns *whole, const uint8_t *out, int32_t i)
{
    for (int32_t q = c->start[i]; q < c->start[i + 1]; ++q)
    {
        int32_t j = c->column[q];
        double value = out[i] || out[j] ? 0 : whole->value[q];
        c->value[q] = value;
        set_coupling(c, j, i, value);
    }
    c->b[i] = out[i] ? 0 : whole->b[i];
}

// Points that are taken out stay at 0, and those that are brought back get what a new setup gives them, in few more
// iterations.
static void points_come_and_go(void)
{
    enum
    {
        MOST = 20000
    };
    static uint8_t out[MOST];
    static int32_t changed[MOST];
    pl_context *ctx = test_context(1);
    columns c = liquid_columns(GEOMETRY_POOL, 32, 8), whole = liquid_columns(GEOMETRY_POOL, 32, 8);
    int32_t n = c.system.count, count = 0;
    CHECK(n < MOST);
    double *x = columns_memory((size_t)n, sizeof *x), *fresh, tolerance = 1e-9 * largest(c.b, n);
    pl__column_solver *solver;
    pl__column_info info;
    memset(out, 0, sizeof out);
    for (int32_t i = 0; i < n; ++i)
        out[i] = c.kind[i] == PL__POINT && pl__random01(4, 4, (uint64_t)i) < 0.01;
    for (int32_t i = 0; i < n; ++i)
        if (out[i])
            set_point(&c, &whole, out, i);
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_MULTIGRID));
    for (int32_t i = 0; i < n; ++i)
        if (c.kind[i] == PL__POINT && pl__random01(4, 5, (uint64_t)i) < (out[i] ? 0.5 : 0.005))
            changed[count++] = i;
    for (int32_t k = 0; k < count; ++k)
        out[changed[k]] = !out[changed[k]];
    for (int32_t k = 0; k < count; ++k)
        set_point(&c, &whole, out, changed[k]);
    pl__column_solver_change(solver, changed, count);
    CHECK_OK(ctx, pl__column_solver_solve(solver, &(pl__column_limits){tolerance, NULL, 200}, c.b, x, &info));
    pl__column_info again = solve(ctx, &c, PL__PRECONDITION_MULTIGRID, tolerance, &fresh);
    CHECK(count > 40 && info.stop == PL__STOP_CONVERGED && again.stop == PL__STOP_CONVERGED);
    CHECK_THAT(info.iterations <= 2 * again.iterations, "%d, anew %d", info.iterations, again.iterations);
    for (int32_t i = 0; i < n; ++i)
    {
        CHECK_NEAR(x[i], fresh[i], 1e-6 * largest(fresh, n));
        CHECK(!out[i] || x[i] == 0);
    }
    pl__column_solver_destroy(&solver);
    free(x), free(fresh);
    columns_free(&c), columns_free(&whole);
    pl_context_destroy(&ctx);
}

static void threads_do_not_change_bits(void)
{
    static const int threads[] = {1, 2, 7};
    for (int g = 0; g < 4; ++g)
    {
        columns c = g < 3 ? liquid_columns((geometry)g, 48, 6) : box_columns(50, 30, 37, true);
        double *first = NULL, *x;
        for (int t = 0; t < 3; ++t)
        {
            pl_context *ctx = test_context(threads[t]);
            (void)solve(ctx, &c, PL__PRECONDITION_MULTIGRID, 1e-8, &x);
            CHECK_THAT(!first || memcmp(first, x, (size_t)c.system.count * sizeof *x) == 0, "%d threads", threads[t]);
            if (!first)
                first = x;
            else
                free(x);
            pl_context_destroy(&ctx);
        }
        free(first);
        columns_free(&c);
    }
}

// A guess that is good enough is not touched; a better one takes fewer iterations.
static void warm_starts_are_kept(void)
{
    pl_context *ctx = test_context(1);
    columns c = liquid_columns(GEOMETRY_POOL, 24, 4);
    int32_t n = c.system.count;
    double *x = columns_memory((size_t)n, sizeof *x), *was = columns_memory((size_t)n, sizeof *was);
    double scale = largest(c.b, n);
    pl__column_solver *solver;
    pl__column_info cold, again, warm;
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_MULTIGRID));
    pl__column_limits limits = {1e-8 * scale, NULL, 100};
    CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &cold));
    memcpy(was, x, (size_t)n * sizeof *x);
    CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &again));
    CHECK(again.iterations == 0 && again.stop == PL__STOP_CONVERGED && again.residual == again.first_residual);
    CHECK_THAT(memcmp(was, x, (size_t)n * sizeof *x) == 0, "changed");
    for (int32_t i = 0; i < n; ++i)
        x[i] *= 1 + 1e-5 * random_pm(1, (uint64_t)i);
    CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &warm));
    CHECK_THAT(warm.iterations > 0 && warm.iterations < cold.iterations, "%d, %d", warm.iterations, cold.iterations);
    free(x), free(was);
    pl__column_solver_destroy(&solver);
    columns_free(&c);
    pl_context_destroy(&ctx);
}

// The tolerance is of |r_i| scale_i: unknowns whose scale is 0 do not count.
static void scale_weighs_residuals(void)
{
    pl_context *ctx = test_context(1);
    columns c = box_columns(12, 12, 12, true);
    int32_t n = c.system.count;
    double *x = columns_memory((size_t)n, sizeof *x), *scale = columns_memory((size_t)n, sizeof *scale);
    pl__column_solver *solver;
    pl__column_info info;
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_MULTIGRID));
    pl__column_limits limits = {1e-9, scale, 100};
    CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &info));
    CHECK(info.iterations == 0 && info.first_residual == 0);
    scale[100] = 1e3;
    CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &info));
    CHECK_NEAR(info.first_residual, 1e3 * fabs(c.b[100]), 1e-9);
    double r = c.b[100];
    for (int32_t q = c.start[100]; q < c.start[101]; ++q)
        r -= c.value[q] * x[c.column[q]];
    CHECK(info.stop == PL__STOP_CONVERGED && fabs(r) <= 1e-12);
    free(x), free(scale);
    pl__column_solver_destroy(&solver);
    columns_free(&c);
    pl_context_destroy(&ctx);
}

// Running out is a reason; an impossible tolerance ends in stagnation, not in a loop; what is not finite, or not
// positive, is seen. x stays finite.
static void stop_reasons(void)
{
    static const pl__stop expected[] = {PL__STOP_ITERATIONS, PL__STOP_STAGNATED,  PL__STOP_NOT_FINITE,
                                        PL__STOP_NOT_FINITE, PL__STOP_INDEFINITE, PL__STOP_NOT_FINITE};
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 6; ++k)
    {
        columns c = liquid_columns(GEOMETRY_CANYON, 24, 4);
        int32_t n = c.system.count;
        double *x = columns_memory((size_t)n, sizeof *x);
        pl__column_solver *solver;
        pl__column_info info;
        if (k == 2)
            c.b[7] = NAN;
        if (k == 3)
            c.value[100] = NAN;
        for (int32_t q = 0; k == 4 && q < c.start[n]; ++q)
            c.value[q] = -c.value[q];
        for (int32_t i = 0; k == 5 && i < n; ++i)
            c.b[i] *= 1e200;
        CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
        CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_MULTIGRID));
        pl__column_limits limits = {k == 1 ? 1e-30 : 1e-8, NULL, k == 0 ? 3 : 1000};
        CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &info));
        CHECK_THAT(info.stop == expected[k], "%d: %d after %d", k, info.stop, info.iterations);
        CHECK(k != 0 || (info.iterations == 3 && info.residual < info.first_residual));
        CHECK(k != 1 || (info.iterations < 200 && info.residual < 1e-12 * info.first_residual));
        for (int32_t i = 0; i < n; ++i)
            CHECK(isfinite(x[i]));
        free(x);
        pl__column_solver_destroy(&solver);
        columns_free(&c);
    }
    pl_context_destroy(&ctx);
}

// From a guess of 1e12 the recurrence loses 1e-4 and more: it starts again from the true residual until that is small.
static void drift_is_restarted(void)
{
    pl_context *ctx = test_context(1);
    columns c = box_columns(20, 20, 20, true);
    double *x = columns_memory((size_t)c.system.count, sizeof *x);
    for (int32_t i = 0; i < c.system.count; ++i)
        x[i] = 1e12 * random_pm(1, (uint64_t)i);
    pl__column_solver *solver;
    pl__column_info info;
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_MULTIGRID));
    CHECK_OK(ctx, pl__column_solver_solve(solver, &(pl__column_limits){1e-9, NULL, 200}, c.b, x, &info));
    CHECK_THAT(info.stop == PL__STOP_CONVERGED && info.residual <= 1e-9, "%d after %d: %g", info.stop, info.iterations,
               info.residual);
    free(x);
    pl__column_solver_destroy(&solver);
    columns_free(&c);
    pl_context_destroy(&ctx);
}

// Units: a matrix of 1e-30 or 1e30 and right sides of any size are as good as 1.
static void units_do_not_matter(void)
{
    static const double unit[][2] = {{1, 1}, {1e-30, 1}, {1e30, 1e-60}, {1e10, 1e80}};
    pl_context *ctx = test_context(1);
    int iterations = 0;
    for (int k = 0; k < 4; ++k)
    {
        columns c = liquid_columns(GEOMETRY_POOL, 24, 4);
        for (int32_t q = 0; q < c.start[c.system.count]; ++q)
            c.value[q] *= unit[k][0];
        for (int32_t i = 0; i < c.system.count; ++i)
            c.b[i] *= unit[k][1];
        double *x, tolerance = 1e-7 * largest(c.b, c.system.count);
        pl__column_info info = solve(ctx, &c, PL__PRECONDITION_MULTIGRID, tolerance, &x);
        CHECK(info.stop == PL__STOP_CONVERGED);
        CHECK_THAT(!k || abs(info.iterations - iterations) <= 1, "%d, not %d", info.iterations, iterations);
        iterations = info.iterations;
        free(x);
        columns_free(&c);
    }
    pl_context_destroy(&ctx);
}

// ---- odd systems ----------------------------------------------------------------------------------------------------

static void nothing_and_one_unknown(void)
{
    pl_context *ctx = test_context(1);
    for (int how = 0; how < 3; ++how)
    {
        static const int32_t column_start[2] = {0, 1}, row[1] = {4}, start[2] = {0, 1}, column[1] = {0};
        static const double value[1] = {4}, b[1] = {3};
        pl__column_system none = {0}, one = {1, 1, 1, column_start, NULL, row, NULL, start, start + 1, column, value};
        double x[1] = {0};
        pl__column_solver *solver;
        pl__column_info info;
        CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
        CHECK(pl__column_solver_solve(solver, &(pl__column_limits){1e-9, NULL, 9}, b, x, &info) == PL_ERR_STATE);
        CHECK_OK(ctx, pl__column_solver_setup(solver, &none, (pl__precondition)how));
        CHECK_OK(ctx, pl__column_solver_solve(solver, &(pl__column_limits){1e-9, NULL, 9}, NULL, NULL, &info));
        CHECK(info.stop == PL__STOP_CONVERGED && info.iterations == 0);
        CHECK_OK(ctx, pl__column_solver_setup(solver, &one, (pl__precondition)how));
        CHECK_OK(ctx, pl__column_solver_solve(solver, &(pl__column_limits){1e-9, NULL, 9}, b, x, &info));
        CHECK_NEAR(x[0], 0.75, 1e-9);
        pl__column_solver_destroy(&solver);
        CHECK(!solver);
    }
    pl_context_destroy(&ctx);
}

// A box in which every third cell is cut off, with a diagonal of its own, and some have no equation at all (0 = 0).
static void isolated_rows_are_solved(void)
{
    pl_context *ctx = test_context(1);
    columns c = box_columns(24, 24, 24, true);
    int32_t n = c.system.count;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t q = c.start[i]; q < c.start[i + 1]; ++q)
        {
            bool alone = i % 3 == 1, with = c.column[q] % 3 == 1;
            if (c.column[q] == i)
                c.value[q] = i % 27 == 1 ? 0 : alone ? 2 : 6;
            else if (alone || with)
                c.value[q] = 0;
            if (i % 27 == 1)
                c.b[i] = 0;
        }
    double *x;
    pl__column_info info = solve(ctx, &c, PL__PRECONDITION_MULTIGRID, 1e-10, &x);
    CHECK_THAT(info.stop == PL__STOP_CONVERGED, "%d after %d: %g", info.stop, info.iterations, info.residual);
    for (int32_t i = 1; i < n; i += 3)
        CHECK_NEAR(x[i], i % 27 == 1 ? 0 : c.b[i] / 2, 1e-10);
    free(x);
    columns_free(&c);
    pl_context_destroy(&ctx);
}

// Lines whose slope nothing holds, so that their blocks are singular.
static void singular_lines_are_survived(void)
{
    pl_context *ctx = test_context(1);
    columns c = liquid_columns(GEOMETRY_CANYON, 32, 4);
    int32_t n = c.system.count, freed = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t q = c.start[i]; q < c.start[i + 1]; ++q)
        {
            bool row = c.kind[i] == PL__LINE_SLOPE && i % 7 < 3,
                 column = c.kind[c.column[q]] == PL__LINE_SLOPE && c.column[q] % 7 < 3;
            freed += row && i == c.column[q];
            if (row || column)
                c.value[q] = 0;
            if (row)
                c.b[i] = 0;
        }
    CHECK(freed > 50);
    double *x, tolerance = 1e-9 * largest(c.b, n);
    pl__column_info info = solve(ctx, &c, PL__PRECONDITION_MULTIGRID, tolerance, &x);
    CHECK_THAT(info.stop == PL__STOP_CONVERGED && info.iterations < 50, "%d after %d: %g", info.stop, info.iterations,
               info.residual);
    free(x);
    columns_free(&c);
    pl_context_destroy(&ctx);
}

// One column of more lines than are factored: a chain, each line coupled with the one above, which cannot aggregate.
static void what_does_not_coarsen_is_swept(void)
{
    enum
    {
        LINES = 300,
        COUNT = 2 * LINES
    };
    static int32_t column_start[2] = {0, COUNT}, row[COUNT], start[COUNT + 1], column[6 * COUNT];
    static uint8_t kind[COUNT];
    static double center[COUNT], value[6 * COUNT], b[COUNT], x[COUNT];
    pl_context *ctx = test_context(1);
    int32_t at = 0;
    for (int32_t i = 0; i < COUNT; ++i)
    {
        int32_t line = i / 2;
        kind[i] = i % 2 ? PL__LINE_SLOPE : PL__LINE_VALUE;
        center[i] = 10 * line;
        b[i] = random_pm(1, (uint64_t)i);
        start[i] = at;
        for (int32_t j = 2 * line - 2; j < 2 * line + 4; ++j)
            if (j >= 0 && j < COUNT)
            {
                column[at] = j;
                value[at++] = i == j ? 4 : i / 2 == j / 2 ? 0.5 : i % 2 == j % 2 ? -1 : 0.2;
            }
    }
    start[COUNT] = at;
    pl__column_system s = {1, 1, COUNT, column_start, kind, row, center, start, start + 1, column, value};
    CHECK(pl__column_system_is_valid(&s));
    pl__column_solver *solver;
    pl__column_info info;
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    CHECK_OK(ctx, pl__column_solver_setup(solver, &s, PL__PRECONDITION_MULTIGRID));
    CHECK_OK(ctx, pl__column_solver_solve(solver, &(pl__column_limits){1e-10, NULL, 100}, b, x, &info));
    CHECK_THAT(info.stop == PL__STOP_CONVERGED && info.iterations < 30, "%d after %d", info.stop, info.iterations);
    pl__column_solver_destroy(&solver);
    pl__arena arena;
    pl__arena_init(&arena, ctx);
    static pl__column_multigrid mg;
    CHECK_OK(ctx, pl__column_multigrid_setup(ctx, &arena, &s, &mg));
    CHECK(mg.level_count == 1 && !mg.factor);
    pl__arena_done(&arena);
    pl_context_destroy(&ctx);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static pl_status whole_life(pl_context *ctx)
{
    columns c = liquid_columns(GEOMETRY_CANYON, 20, 4), few = scattered_columns(7);
    pl__column_solver *solver;
    pl__column_info info;
    double *x = columns_memory((size_t)(c.system.count + few.system.count), sizeof *x);
    pl_status status = pl__column_solver_create(ctx, &solver);
    for (int step = 0; step < 2 && status == PL_OK; ++step)
        for (int how = 0; how < 3 && status == PL_OK; ++how)
        {
            const columns *now = step ? &few : &c;
            pl__column_limits limits = {1e-5, NULL, 50};
            status = pl__column_solver_setup(solver, &now->system, (pl__precondition)how);
            if (status == PL_OK)
                status = pl__column_solver_solve(solver, &limits, now->b, x, &info);
        }
    if (solver)
        pl__column_solver_destroy(&solver);
    free(x);
    columns_free(&c);
    columns_free(&few);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(whole_life) > 50); }

// The object of a setup that failed is as good as new.
static void failed_setups_leave_a_solver(void)
{
    host h;
    pl_context *ctx = host_context(&h);
    columns c = liquid_columns(GEOMETRY_POOL, 20, 4);
    pl__column_solver *solver;
    pl__column_info info;
    double *x = columns_memory((size_t)c.system.count, sizeof *x);
    CHECK_OK(ctx, pl__column_solver_create(ctx, &solver));
    pl__column_limits limits = {1e-5, NULL, 50};
    h.until_failure = 10;
    CHECK(pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_MULTIGRID) == PL_ERR_MEMORY);
    CHECK(pl__column_solver_solve(solver, &limits, c.b, x, &info) == PL_ERR_STATE);
    h.until_failure = -1;
    CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_MULTIGRID));
    h.until_failure = 0;
    CHECK(pl__column_solver_solve(solver, &limits, c.b, x, &info) == PL_ERR_MEMORY);
    h.until_failure = -1;
    CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &info));
    CHECK(info.stop == PL__STOP_CONVERGED);
    size_t memory = pl_context_memory(ctx);
    for (int again = 0; again < 3; ++again)
        CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &info));
    CHECK(pl_context_memory(ctx) == memory);
    // from the third time on nothing is allocated
    for (int step = 0; step < 4; ++step)
    {
        int64_t before = ctx->allocation_count;
        CHECK_OK(ctx, pl__column_solver_setup(solver, &c.system, PL__PRECONDITION_MULTIGRID));
        CHECK_OK(ctx, pl__column_solver_solve(solver, &limits, c.b, x, &info));
        CHECK_THAT(step < 2 || ctx->allocation_count == before, "step %d", step);
    }
    pl__column_solver_destroy(&solver);
    free(x);
    columns_free(&c);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {
        TEST(geometries_are_pressure_matrices),
        TEST(broken_invariants_are_seen),
        TEST(coarse_matrix_is_galerkin),
        TEST(aggregates_hang_together),
        TEST(aggregates_of_one_have_room),
        TEST(sweeps_are_gauss_seidel),
        TEST(preconditioner_is_symmetric_and_positive),
        TEST(incomplete_cholesky_is_exact_without_fill),
        TEST(preconditioners_agree),
        TEST(iterations_do_not_grow),
        TEST(closed_box_converges),
        TEST(points_come_and_go),
        TEST(threads_do_not_change_bits),
        TEST(warm_starts_are_kept),
        TEST(scale_weighs_residuals),
        TEST(stop_reasons),
        TEST(drift_is_restarted),
        TEST(units_do_not_matter),
        TEST(nothing_and_one_unknown),
        TEST(isolated_rows_are_solved),
        TEST(singular_lines_are_survived),
        TEST(what_does_not_coarsen_is_swept),
        TEST(every_failed_allocation_is_survived),
        TEST(failed_setups_leave_a_solver),
    };
    return RUN(tests);
}
