// tests/levelset.c -- sampling, advection, redistancing and volume of level sets on columns of runs.
#include "fluid/levelset.h"
#include "base/random.h"
#include "fluid/grid.h"
#include "host.h"
#include "test.h"

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static uint64_t key;
static double random01(void) { return pl__random01(7, 5, key++); }

typedef double shape(const double x[3]);

typedef struct field
{
    pl_context *ctx;
    pl__columns cell;
    pl__levelset ls;
    pl__arena scratch;
} field;

static void set(field *f, shape *phi)
{
    const pl__columns *c = &f->cell;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (size_t r = c->start[column]; r < c->start[column + 1]; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&c->run[r]); ++n)
            {
                double x[3];
                pl__grid_point(c, column % c->nx, c->run[r].j0 + n, column / c->nx, x);
                f->ls.phi[c->run[r].first + n] = phi(x);
            }
}

// Cells of the unit square or cube, N along each axis. With `depth` > 0 [m], cells deeper in `phi` are tall, and those
// as far outside are not stored.
static pl_status make(pl_context *ctx, field *f, int32_t N, bool plane, shape *phi, double depth)
{
    double h = 1.0 / N, origin[3] = {0.5 * h, 0.5 * h, plane ? 0.5 : 0.5 * h};
    int32_t n[3] = {N, N, plane ? 1 : N};
    *f = (field){.ctx = ctx};
    PL_TRY(pl__columns_begin(ctx, &f->cell, n, origin, h));
    for (int32_t column = 0; column < n[0] * n[2]; ++column)
    {
        for (int32_t j = 0, kind = 0, from = 0; j <= N; ++j)
        {
            double x[3];
            pl__grid_point(&f->cell, column % N, j, column / N, x);
            double d = depth > 0 && j < N ? phi(x) : 0;
            int32_t here = j == N ? 3 : d < -depth ? 1 : d > depth ? 2 : 0; // uniform, tall, none
            if (j > 0 && here != kind && kind != 2)
                PL_TRY(pl__columns_add(ctx, &f->cell, from, j - 1, kind ? PL__RUN_LINEAR : PL__RUN_UNIFORM));
            from = j == 0 || here != kind ? j : from;
            kind = here;
        }
        pl__columns_end_column(&f->cell);
    }
    double *values = PL_NEW(ctx, f->cell.value_count, double);
    f->ls = (pl__levelset){&f->cell, values, 6 * h, NULL};
    pl__arena_init(&f->scratch, ctx);
    if (!values)
        return PL_ERR_MEMORY;
    set(f, phi);
    return PL_OK;
}

static void done(field *f)
{
    int32_t count = f->cell.value_count;
    if (f->ls.phi)
        PL_DELETE(f->ctx, f->ls.phi, count);
    if (f->scratch.ctx)
        pl__arena_done(&f->scratch);
    pl__columns_done(f->ctx, &f->cell);
}

// ---- shapes --------------------------------------------------------------------------------------------------------

static double slope(const double x[3]) { return 0.4 * x[0] - 0.9 * x[1] + 0.3 * x[2] + 0.2; }
static double constant(const double x[3]) { return 0.01 + 0 * x[0]; }
static double quadratic(const double x[3])
{
    return x[0] * x[0] - 2 * x[0] * x[1] + 0.5 * x[1] * x[1] + x[2] * x[1] - x[2] * x[2] + x[0] - 0.3;
}
static double ball(const double x[3])
{
    return sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.47) * (x[1] - 0.47) + (x[2] - 0.52) * (x[2] - 0.52)) - 0.31;
}
// The same surface, and far from a distance.
static double bent_ball(const double x[3]) { return ball(x) * (1.5 + x[0] + 0.5 * sin(9 * x[1])); }
static double level(const double x[3]) { return x[1] - 0.51; }

// ---- sampling ------------------------------------------------------------------------------------------------------

static double cubic_at(const field *f, const double x[3])
{
    return pl__levelset_sample_cubic(&f->ls, x[0], x[1], x[2]);
}
static double linear_at(const field *f, const double x[3]) { return pl__levelset_sample(&f->ls, x[0], x[1], x[2]); }

// Both interpolations reproduce what is linear, the cubic one what is quadratic, away from the walls.
static void interpolation_is_exact_for_polynomials(void)
{
    pl_context *ctx = test_context(1);
    for (int plane = 0; plane < 2; ++plane)
    {
        field f, g;
        MUST(make(ctx, &f, 16, plane, slope, 0));
        MUST(make(ctx, &g, 16, plane, quadratic, 0));
        for (int n = 0; n < 500; ++n)
        {
            double x[3] = {0.04 + 0.92 * random01(), 0.04 + 0.92 * random01(), plane ? 0.5 : 0.04 + 0.92 * random01()};
            CHECK_NEAR(linear_at(&f, x), slope(x), 1e-14);
            CHECK_NEAR(cubic_at(&f, x), slope(x), 1e-14);
            for (int axis = 0; axis < 3; ++axis)
                x[axis] = axis == 2 && plane ? 0.5 : 0.1 + 0.8 * random01();
            CHECK_NEAR(cubic_at(&g, x), quadratic(x), 1e-14);
        }
        done(&f);
        done(&g);
    }
    pl_context_destroy(&ctx);
}

// Tall cells read as -far, rows without a run as far; samples beside them are linear between; stored ones are not
// touched; points outside, even at no place at all, read as the nearest one.
static void what_is_not_stored_reads_as_far(void)
{
    pl_context *ctx = test_context(1);
    field f;
    MUST(make(ctx, &f, 32, false, level, 8.2 / 32));
    double far = f.ls.far, h = f.cell.h;
    CHECK(pl__levelset_at(&f.ls, 40, 1) == -far && pl__levelset_at(&f.ls, 40, 31) == far);
    CHECK(linear_at(&f, (double[]){0.5, 0.1, 0.5}) == -far);
    CHECK(linear_at(&f, (double[]){0.5, 0.9, 0.5}) == far);
    CHECK(linear_at(&f, (double[]){0.5, 7, NAN}) == far);
    int32_t top = f.cell.main[0].j1;
    double y = f.cell.origin[1] + h * (top + 0.25), stored = level((double[]){0, f.cell.origin[1] + h * top, 0});
    CHECK_NEAR(linear_at(&f, (double[]){0.3, y, 0.6}), 0.75 * stored + 0.25 * far, 1e-14);
    CHECK_NEAR(cubic_at(&f, (double[]){0.3, y, 0.6}), 0.75 * stored + 0.25 * far, 1e-14);
    CHECK_NEAR(cubic_at(&f, (double[]){0.3, 0.5, 0.6}), level((double[]){0.3, 0.5, 0.6}), 1e-14);
    done(&f);
    pl_context_destroy(&ctx);
}

// ---- advection -----------------------------------------------------------------------------------------------------

static void translation(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    (void)user, (void)time, (void)x;
    for (int32_t n = 0; n < count; ++n)
        v[0][n] = 0.3, v[1][n] = -0.2, v[2][n] = 0.1;
}

// v = A x with known exponential: rotation about z and growth along it.
static void screw(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    (void)user, (void)time;
    for (int32_t n = 0; n < count; ++n)
    {
        v[0][n] = -x[1][n];
        v[1][n] = x[0][n];
        v[2][n] = x[2][n];
    }
}

// Traces are of third order: the error of one step falls by 16 with half of it, both ways.
static void traces_are_of_third_order(void)
{
    double error[2][2];
    for (int k = 0; k < 4; ++k)
    {
        double dt = (k / 2 ? -1 : 1) * (k % 2 ? 0.1 : 0.2), at[3] = {0.7, 0.2, 0.5};
        double *const x[3] = {&at[0], &at[1], &at[2]};
        pl__motion motion = {.flow = screw};
        pl__flow_trace(&motion, 0, dt, 1, x);
        error[k / 2][k % 2] = fmax(hypot(at[0] - 0.7 * cos(dt) + 0.2 * sin(dt), at[1] - 0.7 * sin(dt) - 0.2 * cos(dt)),
                                   fabs(at[2] - 0.5 * exp(dt)));
    }
    CHECK_NEAR(error[0][0] / error[0][1], 16, 1.5);
    CHECK_NEAR(error[1][0] / error[1][1], 16, 1.5);
}

// phi(x, dt) = phi(x - v dt) exactly where phi is linear, in the band only; constants stay.
static void advection_follows_the_flow(void)
{
    pl_context *ctx = test_context(1);
    field f;
    pl__motion motion = {.flow = translation};
    for (int k = 0; k < 2; ++k)
    {
        shape *phi = k ? constant : slope;
        MUST(make(ctx, &f, 24, false, phi, 0));
        double *next = PL_NEW(ctx, f.cell.value_count, double), dt = 0.2, band = 0.15;
        pl__levelset_advect(ctx, &f.ls, &motion, 0, dt, band, next);
        for (int32_t n = 0; n < f.cell.value_count; ++n)
        {
            int32_t at[3] = {n / 24 % 24, n % 24, n / 576};
            double x[3], y[3];
            pl__grid_point(&f.cell, at[0], at[1], at[2], x);
            y[0] = x[0] - 0.3 * dt, y[1] = x[1] + 0.2 * dt, y[2] = x[2] - 0.1 * dt;
            bool inside = true;
            for (int axis = 0; axis < 3; ++axis)
                inside = inside && y[axis] > 0.5 / 24 && y[axis] < 1 - 0.5 / 24;
            if (fabs(phi(x)) >= band)
                CHECK(next[n] == phi(x));
            else if (inside)
                CHECK_NEAR(next[n], phi(y), 1e-14);
        }
        PL_DELETE(ctx, next, f.cell.value_count);
        done(&f);
    }
    pl_context_destroy(&ctx);
}

// ---- redistancing --------------------------------------------------------------------------------------------------

typedef struct errors
{
    double near, far, crossing; // [cells] within a cell of the surface, and up to 5; where it crosses edges
} errors;

static void add_crossing(const field *f, const double *before, int32_t a, int32_t b, errors *e)
{
    const double *after = f->ls.phi;
    if ((before[a] <= 0) == (before[b] <= 0))
        return;
    CHECK((after[a] <= 0) == (before[a] <= 0) && (after[b] <= 0) == (before[b] <= 0));
    double was = before[a] / (before[a] - before[b]), is = after[a] / (after[a] - after[b]);
    e->crossing = fmax(e->crossing, fabs(was - is));
}

static errors redistance_of(shape *given, shape *exact, int32_t N)
{
    pl_context *ctx = test_context(1);
    field f;
    MUST(make(ctx, &f, N, false, given, 0));
    int32_t count = f.cell.value_count;
    double *before = PL_NEW(ctx, count, double), h = f.cell.h;
    memcpy(before, f.ls.phi, (size_t)count * sizeof(double));
    MUST(pl__levelset_redistance(ctx, &f.ls, &f.scratch));
    errors e = {0, 0, 0};
    for (int32_t n = 0; n < count; ++n)
    {
        int32_t j = n % N, i = n / N % N, k = n / (N * N);
        double x[3], phi = f.ls.phi[n];
        pl__grid_point(&f.cell, i, j, k, x);
        double error = fabs(phi - exact(x)) / h;
        CHECK((phi <= 0) == (before[n] <= 0) && fabs(phi) <= f.ls.far * (1 + 1e-15));
        if (fabs(exact(x)) < h)
            e.near = fmax(e.near, error);
        else if (fabs(exact(x)) < 5 * h)
            e.far = fmax(e.far, error);
        else if (fabs(exact(x)) > 7 * h)
            CHECK(fabs(phi) == f.ls.far);
        if (j + 1 < N)
            add_crossing(&f, before, n, n + 1, &e);
        if (i + 1 < N)
            add_crossing(&f, before, n, n + N, &e);
        if (k + 1 < N)
            add_crossing(&f, before, n, n + N * N, &e);
    }
    PL_DELETE(ctx, before, count);
    done(&f);
    pl_context_destroy(&ctx);
    return e;
}

static double straight_steep(const double x[3]) { return 7 * level(x); }

// A level surface exactly, from any multiple of its distance. A ball: to 0.45 cells, since crossings along the axes are
// a first-order estimate and cells without one are further away than they seem; its crossings move by less than a
// tenth of a cell; what phi was like elsewhere does not matter.
static void redistancing_gives_distances(void)
{
    errors flat = redistance_of(straight_steep, level, 24), small = redistance_of(ball, ball, 32),
           large = redistance_of(ball, ball, 64), bent = redistance_of(bent_ball, ball, 64);
    CHECK_NEAR(flat.near, 0, 1e-12);
    CHECK_NEAR(flat.far, 0, 1e-12);
    CHECK_NEAR(flat.crossing, 0, 1e-12);
    CHECK_NEAR(small.near, 0, 0.45);
    CHECK_NEAR(small.far, 0, 0.45);
    CHECK_NEAR(small.crossing, 0, 0.1);
    CHECK_NEAR(large.near, 0, 0.45);
    CHECK_NEAR(large.far, 0, 0.45);
    CHECK_NEAR(large.crossing, 0, 0.1);
    CHECK_NEAR(bent.near, large.near, 0.02);
    CHECK_NEAR(bent.far, large.far, 0.02);
    CHECK_NEAR(bent.crossing, large.crossing, 0.02);
}

static double upwind(const double *phi, int32_t n, int32_t stride, double h)
{
    double d = fabs(phi[n]) - fmin(fabs(phi[n - stride]), fabs(phi[n + stride]));
    return fmax(d, 0) / h;
}

// |grad phi| = 1 in the upwind sense in every cell off the surface, which is what the sweeps converge to.
static void gradients_have_length_one(void)
{
    pl_context *ctx = test_context(1);
    field f;
    int32_t N = 40, seen = 0;
    MUST(make(ctx, &f, N, false, bent_ball, 0));
    double *phi = f.ls.phi;
    MUST(pl__levelset_redistance(ctx, &f.ls, &f.scratch));
    for (int32_t n = 0; n < f.cell.value_count; ++n)
    {
        int32_t at[3] = {n % N, n / N % N, n / (N * N)}, stride[3] = {1, N, N * N};
        bool free = fabs(phi[n]) < 0.999 * f.ls.far;
        double square = 0;
        for (int axis = 0; axis < 3 && free; ++axis)
        {
            int32_t a = n - stride[axis], b = n + stride[axis];
            free = at[axis] > 0 && at[axis] < N - 1 && (phi[a] <= 0) == (phi[n] <= 0) && (phi[b] <= 0) == (phi[n] <= 0);
            if (free)
                square += pow(upwind(phi, n, stride[axis], f.cell.h), 2);
        }
        if (free)
            CHECK_NEAR(square, 1, 1e-8);
        seen += free;
    }
    CHECK_THAT(seen > 10000, "%d", seen);
    done(&f);
    pl_context_destroy(&ctx);
}

// Redistanced and advected with every register width and several threads.
static void same_bits_for_all_registers_and_threads(void)
{
    static const char *const widths[] = {"0", "16", "32", "64"};
    static const int32_t threads[] = {1, 2, 7};
    pl__motion motion = {.flow = screw};
    double *first = NULL;
    for (int k = 0; k < 12; ++k)
    {
        setenv("PLIANT_SIMD", widths[k % 4], 1);
        pl_context *ctx = test_context(threads[k / 4]);
        unsetenv("PLIANT_SIMD");
        field f;
        MUST(make(ctx, &f, 37, false, bent_ball, 0.2));
        int32_t count = f.cell.value_count;
        double *next = PL_NEW(ctx, count, double), volume[2];
        MUST(pl__levelset_redistance(ctx, &f.ls, &f.scratch));
        pl__levelset_advect(ctx, &f.ls, &motion, 0, 0.05, f.ls.far, next);
        MUST(pl__levelset_volume(ctx, &f.ls, NULL, &f.scratch, &volume[0]));
        next[count - 1] += volume[0];
        if (!first)
        {
            first = malloc((size_t)count * sizeof(double));
            memcpy(first, next, (size_t)count * sizeof(double));
        }
        CHECK_THAT(memcmp(first, next, (size_t)count * sizeof(double)) == 0, "%s bytes, %d threads", widths[k % 4],
                   threads[k / 4]);
        PL_DELETE(ctx, next, count);
        done(&f);
        pl_context_destroy(&ctx);
    }
    free(first);
}

// Deep cells that are tall and far ones that are not stored change nothing: the numbers of the others are those of a
// grid of all cells. Runs begin and end anywhere in the groups of the kernel.
static void tall_and_missing_cells_change_nothing(void)
{
    pl_context *ctx = test_context(1);
    field f, g;
    pl__motion motion = {.flow = translation};
    MUST(make(ctx, &f, 64, false, ball, 0));
    MUST(make(ctx, &g, 64, false, ball, 11.3 / 64));
    int32_t tall = 0, shared = 0;
    double *next_f = PL_NEW(ctx, f.cell.value_count, double), *next_g = PL_NEW(ctx, g.cell.value_count, double);
    MUST(pl__levelset_redistance(ctx, &f.ls, &f.scratch));
    MUST(pl__levelset_redistance(ctx, &g.ls, &g.scratch));
    pl__levelset_advect(ctx, &f.ls, &motion, 0, 0.05, f.ls.far, next_f);
    pl__levelset_advect(ctx, &g.ls, &motion, 0, 0.05, g.ls.far, next_g);
    for (int32_t column = 0; column < 64 * 64; ++column)
        for (size_t r = g.cell.start[column]; r < g.cell.start[column + 1]; ++r)
        {
            const pl__run *run = &g.cell.run[r];
            tall += run->kind == PL__RUN_LINEAR;
            for (int32_t j = run->j0; run->kind == PL__RUN_UNIFORM && j <= run->j1; ++j, ++shared)
            {
                int32_t a = pl__columns_uniform(&f.cell, column, j), b = pl__columns_uniform(&g.cell, column, j);
                CHECK_NEAR(f.ls.phi[a], g.ls.phi[b], 1e-14);
                CHECK_NEAR(next_f[a], next_g[b], 1e-14);
            }
        }
    double volume[2];
    MUST(pl__levelset_volume(ctx, &f.ls, NULL, &f.scratch, &volume[0]));
    MUST(pl__levelset_volume(ctx, &g.ls, NULL, &g.scratch, &volume[1]));
    CHECK_NEAR(volume[0], volume[1], 1e-14);
    CHECK_THAT(tall > 200 && shared > 80000 && shared < f.cell.value_count - 80000, "%d %d", tall, shared);
    PL_DELETE(ctx, next_f, f.cell.value_count);
    PL_DELETE(ctx, next_g, g.cell.value_count);
    done(&f);
    done(&g);
    pl_context_destroy(&ctx);
}

// ---- volume --------------------------------------------------------------------------------------------------------

static double volume_of(pl_context *ctx, int32_t N, bool plane, shape *phi, double depth)
{
    field f;
    double volume;
    MUST(make(ctx, &f, N, plane, phi, depth));
    MUST(pl__levelset_volume(ctx, &f.ls, NULL, &f.scratch, &volume));
    done(&f);
    return volume;
}

static double tilted(const double x[3]) { return (x[0] + 2 * x[1] - 0.7 * x[2] - 1.13) / 2.34; }
static double disk(const double x[3]) { return hypot(x[0] - 0.5, x[1] - 0.52) - 0.3; }
static double circle(void *user, const double x[3])
{
    (void)user;
    return disk(x);
}
static double shifted_disk(const double x[3]) { return disk((double[]){x[0] - 0.004, x[1], x[2]}); }

// Exact for planes but within half a cell of the walls, where phi does not rise any more; of second order for balls,
// both ways to store the inside.
static void volumes_are_of_second_order(void)
{
    pl_context *ctx = test_context(1);
    double ball_volume = 4 * M_PI / 3 * pow(0.31, 3), previous = 0;
    // 1 - tilted = 0 at y = (1.13 - x + 0.7 z) / 2, whose mean over the cube is 0.49
    double slab = volume_of(ctx, 16, false, tilted, 0), finer = volume_of(ctx, 32, false, tilted, 0);
    CHECK_NEAR(slab, 0.49, 2e-4);
    CHECK_NEAR(finer, 0.49, 1e-4);
    CHECK_NEAR(volume_of(ctx, 16, false, level, 0), 0.51, 1e-14);
    for (int32_t N = 16; N <= 64; N *= 2)
    {
        double error = fabs(volume_of(ctx, N, false, ball, 0) / ball_volume - 1);
        CHECK_NEAR(error, 0.5 / pow(0.31 * N, 2), 0.05 / pow(0.31 * N, 2));
        if (previous > 0)
            CHECK_NEAR(previous / error, 4, 0.2);
        previous = error;
        CHECK_NEAR(volume_of(ctx, N, false, ball, 4.0 / N), volume_of(ctx, N, false, ball, 0), 1e-14);
    }
    double area = volume_of(ctx, 64, true, disk, 0) * 64;
    CHECK_NEAR(area, M_PI * 0.09, M_PI * 0.09 * 1e-3);
    pl_context_destroy(&ctx);
}

// dV/ds of {phi < s} is the area, without jumps: V(s) follows the cube of a radius to a ten thousandth of a cell.
static void volume_is_smooth(void)
{
    pl_context *ctx = test_context(1);
    field f;
    MUST(make(ctx, &f, 24, false, ball, 0));
    double h = f.cell.h, area = 4 * M_PI * 0.31 * 0.31, last = 0, rate[2] = {1e9, 0};
    for (int n = 0; n <= 100; ++n)
    {
        double volume;
        MUST(pl__levelset_volume(ctx, &f.ls, NULL, &f.scratch, &volume));
        if (n > 0)
        {
            double step = (volume - last) / (area * 0.002 * h);
            rate[0] = fmin(rate[0], step);
            rate[1] = fmax(rate[1], step);
        }
        last = volume;
        for (int32_t i = 0; i < f.cell.value_count; ++i)
            f.ls.phi[i] -= 0.002 * h;
    }
    CHECK_THAT(rate[0] > 0.97 && rate[1] < 1.08, "%g to %g", rate[0], rate[1]);
    done(&f);
    pl_context_destroy(&ctx);
}

// Half of each cell counts half; nothing where the clip is 0, tall cells by its mean.
static void clips_scale_volumes(void)
{
    pl_context *ctx = test_context(1);
    field f;
    MUST(make(ctx, &f, 20, false, level, 0.2));
    int32_t count = f.cell.value_count;
    double *clip = PL_NEW(ctx, count, double), half, part;
    for (int32_t n = 0; n < count; ++n)
        clip[n] = 0.5;
    MUST(pl__levelset_volume(ctx, &f.ls, clip, &f.scratch, &half));
    CHECK_NEAR(half, 0.255, 1e-14);
    for (int32_t column = 0; column < 400; ++column)
        for (size_t r = f.cell.start[column]; r < f.cell.start[column + 1]; ++r)
        {
            const pl__run *run = &f.cell.run[r];
            for (int32_t n = 0; n < pl__run_numbers(run); ++n)
                clip[run->first + n] = run->kind == PL__RUN_LINEAR && n == 0;
        }
    MUST(pl__levelset_volume(ctx, &f.ls, clip, &f.scratch, &part));
    CHECK_NEAR(part, 0.5 * pl__run_rows(&f.cell.run[0]) / 20.0, 1e-14);
    PL_DELETE(ctx, clip, count);
    done(&f);
    pl_context_destroy(&ctx);
}

// A disk beside itself differs by twice its diameter times the way.
static void misplaced_volume_is_the_symmetric_difference(void)
{
    pl_context *ctx = test_context(1);
    field f;
    double same, beside;
    MUST(make(ctx, &f, 100, true, disk, 0));
    MUST(pl__levelset_misplaced(ctx, &f.ls, circle, NULL, &f.scratch, &same));
    set(&f, shifted_disk);
    MUST(pl__levelset_misplaced(ctx, &f.ls, circle, NULL, &f.scratch, &beside));
    CHECK_THAT(100 * same < 3e-4, "%g", 100 * same); // of an area of 0.28
    CHECK_NEAR(100 * beside, 4 * 0.3 * 0.004, 4e-4);
    done(&f);
    pl_context_destroy(&ctx);
}

// ---- memory --------------------------------------------------------------------------------------------------------

static pl_status measure(field *f)
{
    double volume;
    int32_t count = f->cell.value_count;
    double before = f->ls.phi[count / 2];
    pl_status status = pl__levelset_redistance(f->ctx, &f->ls, &f->scratch);
    if (status != PL_OK)
        CHECK(f->ls.phi[count / 2] == before);
    PL_TRY(status);
    return pl__levelset_volume(f->ctx, &f->ls, NULL, &f->scratch, &volume);
}

static pl_status attempt(pl_context *ctx)
{
    field f;
    pl_status status = make(ctx, &f, 8, false, bent_ball, 0);
    if (status == PL_OK)
        status = measure(&f);
    done(&f);
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt) >= 15); }

// From the second time on.
static void redistancing_allocates_nothing(void)
{
    pl_context *ctx = test_context(1);
    field f;
    MUST(make(ctx, &f, 16, false, bent_ball, 0));
    MUST(measure(&f));
    int64_t before = ctx->allocation_count;
    MUST(measure(&f));
    CHECK(ctx->allocation_count == before);
    done(&f);
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(interpolation_is_exact_for_polynomials),
                                    TEST(what_is_not_stored_reads_as_far),
                                    TEST(traces_are_of_third_order),
                                    TEST(advection_follows_the_flow),
                                    TEST(redistancing_gives_distances),
                                    TEST(gradients_have_length_one),
                                    TEST(same_bits_for_all_registers_and_threads),
                                    TEST(tall_and_missing_cells_change_nothing),
                                    TEST(volumes_are_of_second_order),
                                    TEST(volume_is_smooth),
                                    TEST(clips_scale_volumes),
                                    TEST(misplaced_volume_is_the_symmetric_difference),
                                    TEST(every_failed_allocation_is_survived),
                                    TEST(redistancing_allocates_nothing)};
    return RUN(tests);
}
