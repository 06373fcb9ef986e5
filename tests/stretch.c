// tests/stretch.c -- what lies beside cells and faces, by stretches, against searches row by row; and interpolation by
// groups of points against one point at a time.
#include "fluid/stretch.h"
#include "base/random.h"
#include "fluid/levelset.h"
#include "fluid/part.h"
#include "fluid/sample.h"
#include "fluid/volume.h"
#include "test.h"

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static uint64_t key;
static double random01(void) { return pl__random01(11, 5, key++); }
static int32_t random_int(int32_t n) { return (int32_t)(random01() * n); }

// Cells in runs of random kinds and lengths, with gaps; `tidy`: mostly one long uniform run per column.
static pl__grid random_grid(pl_context *ctx, const int32_t n[3], bool tidy)
{
    pl__grid g = {0};
    double origin[3] = {0.3, -1, 2};
    MUST(pl__columns_begin(ctx, &g.cell, n, origin, 0.25));
    for (int32_t column = 0; column < n[0] * n[2]; ++column)
    {
        for (int32_t j = random_int(3); j < n[1]; j += random_int(3))
        {
            int32_t length = 1 + random_int(tidy && random_int(8) ? 0 : 6) + (tidy ? 3 * n[1] / 4 : 0),
                    j1 = j + length <= n[1] ? j + length - 1 : n[1] - 1;
            MUST(pl__columns_add(ctx, &g.cell, j, j1, tidy || random_int(2) ? PL__RUN_UNIFORM : PL__RUN_LINEAR));
            j = j1 + 1;
        }
        pl__columns_end_column(&g.cell);
    }
    MUST(pl__grid_make_faces(ctx, &g));
    return g;
}

static void check_beside(const pl__columns *c, int32_t i, int32_t j, int32_t k, uint8_t kind, int32_t number)
{
    bool inside = i >= 0 && j >= 0 && k >= 0 && i < c->nx && j < c->ny && k < c->nz;
    const pl__run *run = pl__grid_run(c, i, j, k);
    if (!run)
        CHECK(inside ? kind == PL__BESIDE_NOTHING : kind <= PL__BESIDE_OUTSIDE);
    else if (run->kind != PL__RUN_UNIFORM)
        CHECK(kind == PL__BESIDE_TALL);
    else
        CHECK(kind == PL__BESIDE_UNIFORM && number == run->first + j - run->j0);
}

// Every uniform cell is in one stretch, with its neighbours and faces as searches find them.
static void stretches_of_cells_find_what_is_beside(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 30; ++trial)
    {
        pl__grid g =
            random_grid(ctx, (int32_t[3]){1 + random_int(5), 1 + random_int(30), 1 + random_int(5)}, trial % 3);
        const pl__columns *c = &g.cell;
        int32_t seen = 0, uniform = 0;
        for (size_t r = 0; r < c->run_count; ++r)
            uniform += c->run[r].kind == PL__RUN_UNIFORM ? pl__run_rows(&c->run[r]) : 0;
        pl__cell_stretch s;
        for (int32_t column = 0; column < c->nx * c->nz; ++column)
            for (pl__cell_walk w = pl__cell_walk_begin(&g, column); pl__cell_walk_next(&w, &s);)
                for (int32_t j = s.j0; j <= s.j1; ++j, ++seen)
                {
                    int32_t i = column % c->nx, k = column / c->nx, inner = 0;
                    CHECK(pl__columns_uniform(c, column, j) == s.own + j);
                    for (int side = 0; side < 6; ++side)
                    {
                        int32_t at[3] = {i, j, k};
                        at[side / 2] += side % 2 ? 1 : -1;
                        check_beside(c, at[0], at[1], at[2], s.kind[side], s.cell[side] + j);
                        CHECK((s.kind[side] == PL__BESIDE_OUTSIDE) ==
                              (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= c->nx || at[1] >= c->ny ||
                               at[2] >= c->nz));
                        CHECK(s.face[side] + j == pl__grid_face(&g, i, j, k, side / 2, side % 2));
                        inner += s.kind[side] == PL__BESIDE_UNIFORM;
                    }
                    CHECK(s.inner == (inner == 6));
                }
        CHECK(seen == uniform);
        pl__grid_done(ctx, &g);
    }
    pl_context_destroy(&ctx);
}

static void stretches_of_faces_find_their_cells(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 30; ++trial)
    {
        pl__grid g =
            random_grid(ctx, (int32_t[3]){1 + random_int(5), 1 + random_int(30), 1 + random_int(5)}, trial % 3);
        for (int axis = 0; axis < 3; ++axis)
        {
            const pl__columns *f = &g.face[axis];
            int32_t seen = 0, uniform = 0;
            for (size_t r = 0; r < f->run_count; ++r)
                uniform += f->run[r].kind == PL__RUN_UNIFORM ? pl__run_rows(&f->run[r]) : 0;
            pl__face_stretch s;
            for (int32_t column = 0; column < f->nx * f->nz; ++column)
                for (pl__face_walk w = pl__face_walk_begin(&g, axis, column); pl__face_walk_next(&w, &s);)
                    for (int32_t j = s.j0; j <= s.j1; ++j, ++seen)
                    {
                        int32_t i = column % f->nx, k = column / f->nx;
                        CHECK(pl__columns_uniform(f, column, j) == s.own + j);
                        check_beside(&g.cell, i, j, k, s.kind[1], s.cell[1] + j);
                        check_beside(&g.cell, i - (axis == 0), j - (axis == 1), k - (axis == 2), s.kind[0],
                                     s.cell[0] + j);
                    }
            CHECK(seen == uniform);
        }
        pl__grid_done(ctx, &g);
    }
    pl_context_destroy(&ctx);
}

enum
{
    POINTS = 256
};

// Points one above the other, moved alike or not, or anywhere: all orders that the kernel tells apart.
static void random_points(const pl__columns *c, double x[3][POINTS])
{
    double start[3] = {0, 0, 0};
    for (int n = 0; n < POINTS; ++n)
    {
        int32_t size[3] = {c->nx, c->ny, c->nz}, order = n / 64;
        for (int a = 0; a < 3; ++a)
        {
            if (n % 16 == 0 || order == 3)
                start[a] = c->origin[a] + c->h * (1.2 * random01() - 0.1) * size[a];
            x[a][n] = start[a] + (a == 1 ? c->h * (n % 16) : 0);
            x[a][n] += order == 1 && a == 1 ? c->h * random01() : order == 2 ? 0.5 * c->h * random01() : 0;
        }
    }
}

// The same bits as one point at a time, for registers of every width.
static void groups_of_points_are_points(void)
{
    static const char *const widths[] = {"0", "16", "32", "64"};
    for (int width = 0; width < 4; ++width)
    {
        setenv("PLIANT_SIMD", widths[width], 1);
        pl_context *ctx = test_context(1);
        unsetenv("PLIANT_SIMD");
        key = 0;
        int32_t found = 0;
        for (int trial = 0; trial < 24; ++trial)
        {
            pl__grid g = random_grid(ctx, (int32_t[3]){2 + random_int(16), 24, trial % 4 ? 8 : 1}, trial % 3);
            double *u[3], x[3][POINTS], v[3][POINTS], cubic[POINTS];
            uint8_t left[POINTS];
            for (int a = 0; a < 3; ++a)
            {
                u[a] = PL_NEW(ctx, g.face[a].value_count + 1, double);
                for (int32_t n = 0; n < g.face[a].value_count; ++n)
                    u[a][n] = 2 * random01() - 1;
            }
            random_points(&g.cell, x);
            const double *const at[3] = {x[0], x[1], x[2]};
            int32_t count = POINTS - random_int(20);
            pl__sample_velocity(ctx, g.face, (const double *const[3]){u[0], u[1], u[2]}, count, at,
                                (double *const[3]){v[0], v[1], v[2]});
            for (int32_t n = 0; n < count; ++n)
                for (int a = 0; a < 3; ++a)
                {
                    double one = 0, here[3] = {x[0][n], x[1][n], x[2][n]};
                    bool any = pl__columns_sample(&g.face[a], u[a], here, &one);
                    CHECK(v[a][n] == (any ? one : 0));
                }
            // splines through numbers of the cells
            double *phi = PL_NEW(ctx, g.cell.value_count + 1, double);
            for (int32_t n = 0; n < g.cell.value_count; ++n)
                phi[n] = random01();
            pl__levelset ls = {&g.cell, phi, 1, NULL};
            PL_PICK(ctx->register_bytes, pl__sample_cubic)(&g.cell, phi, count, at, cubic, left);
            for (int32_t n = 0; n < count; ++n)
            {
                found += !left[n];
                CHECK(left[n] || cubic[n] == pl__levelset_sample_cubic(&ls, x[0][n], x[1][n], x[2][n]));
            }
            PL_DELETE(ctx, phi, g.cell.value_count + 1);
            for (int a = 0; a < 3; ++a)
                PL_DELETE(ctx, u[a], g.face[a].value_count + 1);
            pl__grid_done(ctx, &g);
        }
        CHECK(found > 500);
        pl_context_destroy(&ctx);
    }
}

// A plane cuts a cell as the closed form tells, and its opposite leaves the rest; every width has the same bits.
static void parts_of_cells_are_exact_for_planes(void)
{
    for (int trial = 0; trial < 400; ++trial)
    {
        double g[3], edge[3], v[27], minus[27], value = 2 * random01() - 1;
        for (int a = 0; a < 3; ++a)
        {
            g[a] = trial % (a + 3) ? 2 * random01() - 1 : 0;
            edge[a] = fabs(g[a]);
        }
        for (int n = 0; n < 27; ++n)
        {
            v[n] = value + g[0] * (n / 3 % 3 - 1) + g[1] * (n % 3 - 1) + g[2] * (n / 9 - 1);
            minus[n] = -v[n];
        }
        double part = pl__cell_part_0(v);
        CHECK_NEAR(part, pl__part_below(value, edge), 1e-3); // which leaves out slopes of a thousandth
        CHECK_NEAR(part + pl__cell_part_0(minus), 1, 1e-12);
        static const int32_t widths[] = {16, 32, 64};
        for (int w = 0; w < 3 && widths[w] <= pl__cpu_register_bytes(NULL); ++w)
            CHECK(PL_PICK(widths[w], pl__cell_part)(v) == part);
    }
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(stretches_of_cells_find_what_is_beside),
                                    TEST(stretches_of_faces_find_their_cells), TEST(groups_of_points_are_points),
                                    TEST(parts_of_cells_are_exact_for_planes)};
    return RUN(tests);
}
