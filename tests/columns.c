// tests/columns.c -- columns of runs: lookup, least squares and faces against a dense uniform grid.
#include "fluid/columns.h"
#include "base/random.h"
#include "fluid/grid.h"
#include "test.h"

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static uint64_t key;
static double random01(void) { return pl__random01(7, 3, key++); }
static int32_t random_int(int32_t n) { return (int32_t)(random01() * n); }

// Columns of runs of random kinds and lengths, with gaps.
static pl__columns random_columns(pl_context *ctx, const int32_t n[3], bool constants)
{
    pl__columns c = {0};
    double origin[3] = {0.3, -1, 2};
    MUST(pl__columns_begin(ctx, &c, n, origin, 0.25));
    for (int32_t column = 0; column < n[0] * n[2]; ++column)
    {
        for (int32_t j = random_int(3); j < n[1]; j += random_int(3))
        {
            int32_t length = 1 + random_int(random_int(3) ? 4 : 20),
                    j1 = j + length <= n[1] ? j + length - 1 : n[1] - 1;
            pl__run_kind kind = random_int(2) ? PL__RUN_UNIFORM : constants ? PL__RUN_CONSTANT : PL__RUN_LINEAR;
            MUST(pl__columns_add(ctx, &c, j, j1, kind));
            j = j1 + 1;
        }
        pl__columns_end_column(&c);
    }
    CHECK(pl__columns_is_valid(&c));
    return c;
}

static double *random_values(pl_context *ctx, size_t count)
{
    double *v = PL_NEW(ctx, count + 1, double);
    for (size_t i = 0; i < count; ++i)
        v[i] = 2 * random01() - 1;
    return v;
}

// coarsen(refine(v)) = v: P has full rank and the fit is its left inverse.
static void fits_invert_refinement(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 20; ++trial)
    {
        int32_t n[3] = {3, 1 + random_int(40), 4};
        pl__columns c = random_columns(ctx, n, trial % 2);
        size_t all = (size_t)(n[0] * n[1] * n[2]), count = (size_t)c.value_count;
        double *v = random_values(ctx, count), *dense = PL_NEW(ctx, all, double),
               *back = PL_NEW(ctx, count + 1, double);
        pl__columns_refine(&c, v, 0, dense);
        pl__columns_coarsen(&c, dense, back);
        for (size_t i = 0; i < count; ++i)
            CHECK_NEAR(back[i], v[i], 1e-12);
        PL_DELETE(ctx, v, count + 1);
        PL_DELETE(ctx, back, count + 1);
        PL_DELETE(ctx, dense, all);
        pl__columns_done(ctx, &c);
    }
    pl_context_destroy(&ctx);
}

// Transfer between lattices in constant time per run = refine, then coarsen; the sum over the rows is kept where the
// old runs cover the new ones.
static void transfer_is_refine_and_coarsen(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 40; ++trial)
    {
        int32_t n[3] = {4, 1 + random_int(60), 3};
        double missing = trial % 3 ? 0 : 0.7;
        pl__columns a = random_columns(ctx, n, trial % 2), b = random_columns(ctx, n, trial % 2);
        size_t all = (size_t)(n[0] * n[1] * n[2]), count = (size_t)b.value_count;
        double *v = random_values(ctx, (size_t)a.value_count), *dense = PL_NEW(ctx, all, double);
        double *fast = PL_NEW(ctx, count + 1, double), *slow = PL_NEW(ctx, count + 1, double);
        pl__columns_refine(&a, v, missing, dense);
        pl__columns_coarsen(&b, dense, slow);
        pl__columns_transfer(ctx, &a, v, &b, missing, fast);
        for (size_t i = 0; i < count; ++i)
            CHECK_NEAR(fast[i], slow[i], 1e-12);
        PL_DELETE(ctx, v, (size_t)a.value_count + 1);
        PL_DELETE(ctx, fast, count + 1);
        PL_DELETE(ctx, slow, count + 1);
        PL_DELETE(ctx, dense, all);
        pl__columns_done(ctx, &a);
        pl__columns_done(ctx, &b);
    }
    pl_context_destroy(&ctx);
}

// What is linear in space is reproduced everywhere between samples.
static void interpolation_is_exact_for_lines(void)
{
    pl_context *ctx = test_context(1);
    int32_t n[3] = {5, 30, 6};
    pl__columns c = {0};
    double origin[3] = {0.3, -1, 2}, h = 0.25;
    MUST(pl__columns_begin(ctx, &c, n, origin, h));
    for (int32_t column = 0; column < n[0] * n[2]; ++column)
    {
        int32_t middle = 1 + random_int(27);
        MUST(pl__columns_add(ctx, &c, 0, middle, PL__RUN_LINEAR));
        MUST(pl__columns_add(ctx, &c, middle + 1, 29, PL__RUN_UNIFORM));
        pl__columns_end_column(&c);
    }
    double *v = PL_NEW(ctx, c.value_count, double), *dense = PL_NEW(ctx, 5 * 30 * 6, double);
    for (int32_t k = 0; k < n[2]; ++k)
        for (int32_t i = 0; i < n[0]; ++i)
            for (int32_t j = 0; j < n[1]; ++j)
                dense[(size_t)(j + n[1] * (i + n[0] * k))] = 2 * i - 3 * j + 0.5 * k + 1;
    pl__columns_coarsen(&c, dense, v);
    for (int trial = 0; trial < 500; ++trial)
    {
        double g[3] = {4 * random01(), 29 * random01(), 5 * random01()}, x[3], result;
        for (int a = 0; a < 3; ++a)
            x[a] = origin[a] + h * g[a];
        CHECK(pl__columns_sample(&c, v, x, &result));
        CHECK_NEAR(result, 2 * g[0] - 3 * g[1] + 0.5 * g[2] + 1, 1e-11);
    }
    PL_DELETE(ctx, v, c.value_count);
    PL_DELETE(ctx, dense, 5 * 30 * 6);
    pl__columns_done(ctx, &c);
    pl_context_destroy(&ctx);
}

// ---- faces -----------------------------------------------------------------------------------------------------

static pl__run_kind kind_at(const pl__columns *c, int32_t i, int32_t j, int32_t k, bool *any)
{
    *any = false;
    if (i < 0 || j < 0 || k < 0 || i >= c->nx || j >= c->ny || k >= c->nz)
        return PL__RUN_UNIFORM;
    const pl__run *run = pl__columns_find(c, i + c->nx * k, j);
    *any = run != NULL;
    return run ? run->kind : PL__RUN_UNIFORM;
}

// Face rows are where grid.h says, and of the kind it says.
static void faces_follow_cells(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 20; ++trial)
    {
        int32_t n[3] = {4, 1 + random_int(40), 5};
        pl__grid g = {.cell = random_columns(ctx, n, false)};
        MUST(pl__grid_make_faces(ctx, &g));
        for (int axis = 0; axis < 3; ++axis)
        {
            const pl__columns *f = &g.face[axis];
            CHECK(pl__columns_is_valid(f));
            for (int32_t k = 0; k < f->nz; ++k)
                for (int32_t i = 0; i < f->nx; ++i)
                    for (int32_t j = 0; j < f->ny; ++j)
                    {
                        bool a, b, face;
                        pl__run_kind ka = kind_at(&g.cell, i - (axis == 0), j - (axis == 1), k - (axis == 2), &a);
                        pl__run_kind kb = kind_at(&g.cell, i, j, k, &b);
                        pl__run_kind kind = kind_at(f, i, j, k, &face);
                        bool tall_a = a && ka == PL__RUN_LINEAR, tall_b = b && kb == PL__RUN_LINEAR;
                        bool wall = axis != 1 && (axis ? k == 0 || k == n[2] : i == 0 || i == n[0]);
                        CHECK(face == ((a && !tall_a) || (b && !tall_b) || (tall_a && tall_b) ||
                                       (axis == 1 && (tall_a || tall_b)) || (wall && (a || b))));
                        if (face && kind != PL__RUN_UNIFORM)
                            CHECK(axis == 1 ? tall_a && tall_b : wall ? tall_a || tall_b : tall_a && tall_b);
                        if (axis == 1 && tall_a && tall_b)
                        {
                            int32_t column = i + n[0] * k;
                            bool same =
                                pl__columns_find(&g.cell, column, j) == pl__columns_find(&g.cell, column, j - 1);
                            const pl__run *run = pl__columns_find(f, column, j);
                            CHECK(same ? run->kind == PL__RUN_CONSTANT || run->j0 == run->j1
                                       : run->kind == PL__RUN_UNIFORM);
                        }
                    }
        }
        pl__grid_done(ctx, &g);
    }
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(fits_invert_refinement), TEST(transfer_is_refine_and_coarsen),
                                    TEST(interpolation_is_exact_for_lines), TEST(faces_follow_cells)};
    return RUN(tests);
}
