// tests/pressure.c -- the projection on uniform and tall cells, against sums over virtual rows.
#include "fluid/pressure.h"
#include "base/random.h"
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

// ---- a canyon --------------------------------------------------------------------------------------------------

typedef struct canyon
{
    pl_context *ctx;
    int32_t n[3];
    double h, level; // level [m]
    pl__grid grid;
    pl__boundary boundary;
    double *w[3]; // open fractions of virtual rows
    double *u[3], *phi, *q;
    uint8_t *liquid;
} canyon;

static size_t dense_count(const pl__columns *c) { return (size_t)c->nx * (size_t)c->ny * (size_t)c->nz; }
static size_t dense_index(const pl__columns *c, int32_t i, int32_t j, int32_t k)
{
    return (size_t)j + (size_t)c->ny * ((size_t)i + (size_t)c->nx * (size_t)k);
}

static const pl__run *cell_at(const canyon *c, int32_t i, int32_t j, int32_t k)
{
    bool in = i >= 0 && j >= 0 && k >= 0 && i < c->n[0] && j < c->n[1] && k < c->n[2];
    return in ? pl__columns_find(&c->grid.cell, i + c->n[0] * k, j) : NULL;
}

static bool is_liquid(const canyon *c, int32_t i, int32_t j, int32_t k)
{
    const pl__run *run = cell_at(c, i, j, k);
    return run && (run->kind != PL__RUN_UNIFORM || c->liquid[run->first + j - run->j0]);
}

// Columns with rock of random height, tall cells, and uniform ones to two cells above the level, of which some lie
// deep down between tall ones.
static void make_cells(canyon *c)
{
    double origin[3] = {0.5 * c->h, 0.5 * c->h, 0.5 * c->h};
    int32_t top = (int32_t)(c->level / c->h) + 3;
    MUST(pl__columns_begin(c->ctx, &c->grid.cell, c->n, origin, c->h));
    for (int32_t column = 0; column < c->n[0] * c->n[2]; ++column)
    {
        int32_t j = random_int(top - 4), band = top - 4 - random_int(4);
        while (j < band)
        {
            int32_t end = j + random_int(12);
            end = end < band - 1 ? end : band - 1;
            MUST(pl__columns_add(c->ctx, &c->grid.cell, j, end, random_int(3) ? PL__RUN_LINEAR : PL__RUN_UNIFORM));
            j = end + 1;
        }
        MUST(pl__columns_add(c->ctx, &c->grid.cell, j, top, PL__RUN_UNIFORM));
        pl__columns_end_column(&c->grid.cell);
    }
    CHECK(pl__columns_is_valid(&c->grid.cell));
    MUST(pl__grid_make_faces(c->ctx, &c->grid));
}

// Random fractions; faces beside nothing are closed, and so are walls.
static void make_fractions(canyon *c, int axis, bool cut)
{
    const pl__columns *f = &c->grid.face[axis];
    c->w[axis] = PL_NEW(c->ctx, dense_count(f), double);
    c->boundary.open[axis] = PL_NEW(c->ctx, f->value_count + 1, double);
    c->boundary.speed[axis] = PL_NEW(c->ctx, f->value_count + 1, double);
    c->boundary.moment[axis] = PL_NEW(c->ctx, f->run_count + 1, pl__open_moments);
    for (int32_t k = 0; k < f->nz; ++k)
        for (int32_t i = 0; i < f->nx; ++i)
            for (int32_t j = 0; j < f->ny; ++j)
            {
                bool both = cell_at(c, i, j, k) && cell_at(c, i - (axis == 0), j - (axis == 1), k - (axis == 2));
                double w = !cut ? 1 : random_int(4) ? 0.02 + 0.98 * random01() : random_int(2);
                c->w[axis][dense_index(f, i, j, k)] = both ? w : 0;
            }
    for (int32_t column = 0; column < f->nx * f->nz; ++column)
        for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
        {
            const pl__run *run = &f->run[r];
            pl__open_moments *m = &c->boundary.moment[axis][r];
            for (int32_t j = run->j0; j <= run->j1; ++j)
            {
                double w = c->w[axis][(size_t)j + (size_t)f->ny * (size_t)column];
                double e = j - 0.5 * (run->j0 + run->j1);
                m->s0 += w, m->s1 += w * e, m->s2 += w * e * e;
                if (run->kind == PL__RUN_UNIFORM)
                    c->boundary.open[axis][run->first + j - run->j0] = w;
            }
        }
}

static bool has_open_face(const canyon *c, int32_t i, int32_t j, int32_t k)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &c->grid.face[axis];
        if (c->w[axis][dense_index(f, i, j, k)] > 0 ||
            c->w[axis][dense_index(f, i + (axis == 0), j + (axis == 1), k + (axis == 2))] > 0)
            return true;
    }
    return false;
}

static canyon make_canyon(pl_context *ctx, double level, bool cut)
{
    canyon c = {.ctx = ctx, .n = {4 + random_int(3), 24, 3 + random_int(4)}, .h = 0.1, .level = level};
    make_cells(&c);
    const pl__columns *cell = &c.grid.cell;
    size_t count = (size_t)cell->value_count + 1;
    c.phi = PL_NEW(ctx, count, double);
    c.q = PL_NEW(ctx, count, double);
    c.liquid = PL_NEW(ctx, count, uint8_t);
    for (int axis = 0; axis < 3; ++axis)
    {
        make_fractions(&c, axis, cut);
        c.u[axis] = PL_NEW(ctx, c.grid.face[axis].value_count + 1, double);
    }
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
            for (int32_t j = cell->run[r].j0; cell->run[r].kind == PL__RUN_UNIFORM && j <= cell->run[r].j1; ++j)
            {
                int32_t number = cell->run[r].first + j - cell->run[r].j0;
                c.phi[number] = (j + 0.5) * c.h - level;
                c.liquid[number] = c.phi[number] < 0 && has_open_face(&c, column % cell->nx, j, column / cell->nx);
            }
    return c;
}

static void free_canyon(canyon *c)
{
    size_t count = (size_t)c->grid.cell.value_count + 1;
    PL_DELETE(c->ctx, c->phi, count);
    PL_DELETE(c->ctx, c->q, count);
    PL_DELETE(c->ctx, c->liquid, count);
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &c->grid.face[axis];
        PL_DELETE(c->ctx, c->w[axis], dense_count(f));
        PL_DELETE(c->ctx, c->u[axis], f->value_count + 1);
        PL_DELETE(c->ctx, c->boundary.open[axis], f->value_count + 1);
        PL_DELETE(c->ctx, c->boundary.speed[axis], f->value_count + 1);
        PL_DELETE(c->ctx, c->boundary.moment[axis], f->run_count + 1);
    }
    pl__grid_done(c->ctx, &c->grid);
}

static pl__projection_info project(canyon *c, double tolerance, pl__precondition how)
{
    pl__pressure *pressure;
    pl__projection problem = {.grid = &c->grid,
                              .boundary = &c->boundary,
                              .liquid = c->liquid,
                              .phi = c->phi,
                              .dt = 0.01,
                              .tolerance = tolerance,
                              .precondition = how};
    pl__projection_info info;
    MUST(pl__pressure_create(c->ctx, &pressure));
    CHECK_OK(c->ctx, pl__pressure_project(pressure, &problem, c->q, c->u, &info));
    pl__pressure_destroy(&pressure);
    return info;
}

// ---- properties ------------------------------------------------------------------------------------------------

// p = rho g (level - y) is the solution for water at rest under gravity, whatever the ground, the fractions and the
// tall cells: given that, the solver has nothing to do, and the water stays at rest to round-off.
static void hydrostatic_pressure_is_exact(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 30; ++trial)
    {
        canyon c = make_canyon(ctx, 1.5 + 0.4 * random01(), trial % 2);
        const pl__columns *cell = &c.grid.cell;
        double fall = -9.81 * 0.01; // dt g
        for (int32_t n = 0; n < c.grid.face[1].value_count; ++n)
            c.u[1][n] = fall;
        for (size_t r = 0; r < cell->run_count; ++r)
            for (int n = 0; n < pl__run_numbers(&cell->run[r]); ++n)
            {
                const pl__run *run = &cell->run[r];
                int32_t j = run->kind == PL__RUN_UNIFORM ? run->j0 + n : n ? run->j1 : run->j0;
                c.q[run->first + n] = -fall / c.h * (c.level - (j + 0.5) * c.h);
            }
        pl__projection_info info = project(&c, 1e-12, PL__PRECONDITION_MULTIGRID);
        CHECK_THAT(info.solve.iterations == 0, "%d iterations, residual %g", info.solve.iterations,
                   info.solve.residual);
        for (int axis = 0; axis < 3; ++axis)
        {
            const pl__columns *f = &c.grid.face[axis];
            for (int32_t k = 0; k < f->nz; ++k)
                for (int32_t i = 0; i < f->nx; ++i)
                    for (int32_t j = 0; j < f->ny; ++j)
                    {
                        double v;
                        bool wet =
                            is_liquid(&c, i, j, k) || is_liquid(&c, i - (axis == 0), j - (axis == 1), k - (axis == 2));
                        if (wet && c.w[axis][dense_index(f, i, j, k)] > 0 &&
                            pl__columns_value(f, c.u[axis], i + f->nx * k, j, &v))
                            CHECK_NEAR(v, 0, 1e-13);
                    }
        }
        free_canyon(&c);
    }
    pl_context_destroy(&ctx);
}

// Outflow of virtual cell (i, j, k).
static double outflow(const canyon *c, double *const dense[3], int32_t i, int32_t j, int32_t k)
{
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
        {
            const pl__columns *f = &c->grid.face[axis];
            size_t at = dense_index(f, i + (axis == 0 ? end : 0), j + (axis == 1 ? end : 0), k + (axis == 2 ? end : 0));
            sum += (2 * end - 1) * c->w[axis][at] * dense[axis][at];
        }
    return sum;
}

static void check_divergence(const canyon *c, double tolerance)
{
    double *dense[3];
    const pl__columns *cell = &c->grid.cell;
    for (int axis = 0; axis < 3; ++axis)
    {
        dense[axis] = PL_NEW(c->ctx, dense_count(&c->grid.face[axis]), double);
        pl__columns_refine(&c->grid.face[axis], c->u[axis], 0, dense[axis]);
    }
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        {
            const pl__run *run = &cell->run[r];
            double sum = 0, first = 0;
            for (int32_t j = run->j0; j <= run->j1; ++j)
            {
                double out = outflow(c, dense, column % cell->nx, j, column / cell->nx);
                sum += out;
                first += (j - 0.5 * (run->j0 + run->j1)) * out;
                if (run->kind == PL__RUN_UNIFORM && c->liquid[run->first + j - run->j0])
                    CHECK_NEAR(out, 0, tolerance);
            }
            if (run->kind != PL__RUN_UNIFORM)
            {
                CHECK_NEAR(sum, 0, tolerance * pl__run_rows(run));
                CHECK_NEAR(first, 0, tolerance * pl__run_rows(run) * pl__run_rows(run));
            }
        }
    for (int axis = 0; axis < 3; ++axis)
        PL_DELETE(c->ctx, dense[axis], dense_count(&c->grid.face[axis]));
}

// P^T div u = 0 afterwards, summed over virtual rows, for random velocities: every coefficient of the matrix counts.
static void divergence_vanishes(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 40; ++trial)
    {
        canyon c = make_canyon(ctx, 1.5 + 0.4 * random01(), trial % 2);
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t n = 0; n < c.grid.face[axis].value_count; ++n)
                c.u[axis][n] = 2 * random01() - 1;
        pl__precondition how = trial % 4 == 3 ? PL__PRECONDITION_INCOMPLETE_CHOLESKY : PL__PRECONDITION_MULTIGRID;
        pl__projection_info info = project(&c, 1e-11, how);
        CHECK_THAT(info.solve.stop == PL__STOP_CONVERGED, "stop %d after %d iterations at %g, %d unknowns",
                   info.solve.stop, info.solve.iterations, info.solve.residual, info.unknowns);
        if (info.pockets == 0)
            check_divergence(&c, 1e-9);
        free_canyon(&c);
    }
    pl_context_destroy(&ctx);
}

// Projecting twice changes nothing more.
static void projection_is_a_projection(void)
{
    pl_context *ctx = test_context(1);
    canyon c = make_canyon(ctx, 1.7, true);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t n = 0; n < c.grid.face[axis].value_count; ++n)
            c.u[axis][n] = 2 * random01() - 1;
    (void)project(&c, 1e-12, PL__PRECONDITION_MULTIGRID);
    memset(c.q, 0, (size_t)c.grid.cell.value_count * sizeof(double));
    pl__projection_info info = project(&c, 1e-11, PL__PRECONDITION_MULTIGRID);
    CHECK_THAT(info.solve.iterations == 0, "%d iterations from %g", info.solve.iterations, info.solve.first_residual);
    free_canyon(&c);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(hydrostatic_pressure_is_exact), TEST(divergence_vanishes),
                                    TEST(projection_is_a_projection)};
    return RUN(tests);
}
