// tests/flux.c -- upwind fluxes on columns of runs, against the same on a dense uniform grid.
#include "fluid/flux.h"
#include "base/random.h"
#include "host.h"
#include "test.h"

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static uint64_t key;
static double random01(void) { return pl__random01(11, 5, key++); }
static double random_pm(void) { return 2 * random01() - 1; }
static int32_t random_int(int32_t n) { return (int32_t)(random01() * n); }

// ---- random liquids --------------------------------------------------------------------------------------------

typedef struct liquid
{
    pl_context *ctx;
    pl__arena arena;
    pl__grid grid;
    pl__boundary boundary;
    double *u[3], *carried[3], *result[3];
    uint8_t *mask[3];
} liquid;

static size_t numbers(const liquid *l, int axis) { return (size_t)l->grid.face[axis].value_count; }

static const double origin[3] = {0.3, -1, 2};

// Runs of random kinds and lengths; with gaps or without.
static void add_random_column(pl_context *ctx, pl__columns *c, int32_t ny, bool gaps)
{
    for (int32_t j = gaps ? random_int(3) : 0; j < ny; j += gaps && random_int(2) ? random_int(3) : 0)
    {
        int32_t length = 1 + random_int(random_int(3) ? 5 : 40), j1 = j + length <= ny ? j + length - 1 : ny - 1;
        MUST(pl__columns_add(ctx, c, j, j1, random_int(3) ? PL__RUN_LINEAR : PL__RUN_UNIFORM));
        j = j1 + 1;
    }
}

// Open fractions of the rows of a run: all open, all closed, or anything.
static pl__open_moments random_moments(const pl__run *run)
{
    int32_t n = pl__run_rows(run), kind = random_int(4);
    pl__open_moments s = {0};
    for (int32_t row = 0; row < n; ++row)
    {
        double w = kind == 0 ? random01() : kind == 1 ? row > n / 3 : 1, m = row - 0.5 * (n - 1);
        s.s0 += w, s.s1 += w * m, s.s2 += w * m * m;
    }
    return s;
}

// Faces of the cells, with random velocities and everything open.
static void make_faces(liquid *l)
{
    MUST(pl__grid_make_faces(l->ctx, &l->grid));
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &l->grid.face[axis];
        size_t n = numbers(l, axis) + 1;
        l->u[axis] = PL_NEW(l->ctx, n, double);
        l->carried[axis] = PL_NEW(l->ctx, n, double);
        l->result[axis] = PL_NEW(l->ctx, n, double);
        l->mask[axis] = PL_NEW(l->ctx, n, uint8_t);
        l->boundary.open[axis] = PL_NEW(l->ctx, n, double);
        l->boundary.speed[axis] = PL_NEW(l->ctx, n, double);
        l->boundary.moment[axis] = PL_NEW(l->ctx, f->run_count + 1, pl__open_moments);
        for (size_t i = 0; i + 1 < n; ++i)
        {
            l->u[axis][i] = random_pm(), l->carried[axis][i] = random_pm();
            l->boundary.open[axis][i] = 1;
            l->boundary.speed[axis][i] = 0;
            l->mask[axis][i] = 1;
        }
        for (size_t r = 0; r < f->run_count; ++r)
        {
            double rows = pl__run_rows(&f->run[r]);
            l->boundary.moment[axis][r] = (pl__open_moments){.s0 = rows, .s2 = rows * (rows * rows - 1) / 12};
        }
    }
}

static void begin_liquid(pl_context *ctx, liquid *l, int32_t nx, int32_t ny, int32_t nz)
{
    *l = (liquid){.ctx = ctx};
    pl__arena_init(&l->arena, ctx);
    MUST(pl__columns_begin(ctx, &l->grid.cell, (int32_t[3]){nx, ny, nz}, origin, 0.25));
}

static void end_liquid(liquid *l)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        size_t n = numbers(l, axis) + 1;
        PL_DELETE(l->ctx, l->u[axis], n);
        PL_DELETE(l->ctx, l->carried[axis], n);
        PL_DELETE(l->ctx, l->result[axis], n);
        PL_DELETE(l->ctx, l->mask[axis], n);
        PL_DELETE(l->ctx, l->boundary.open[axis], n);
        PL_DELETE(l->ctx, l->boundary.speed[axis], n);
        PL_DELETE(l->ctx, l->boundary.moment[axis], l->grid.face[axis].run_count + 1);
    }
    pl__grid_done(l->ctx, &l->grid);
    pl__arena_done(&l->arena);
}

// Fractions, masks and moving solids at random.
static void obstruct(liquid *l)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &l->grid.face[axis];
        for (size_t i = 0; i < numbers(l, axis); ++i)
        {
            l->mask[axis][i] = (uint8_t)random_int(2);
            if (random_int(3) == 0)
            {
                l->boundary.open[axis][i] = 0.2 + 0.8 * random01();
                l->boundary.speed[axis][i] = random_pm();
            }
        }
        for (size_t r = 0; r < f->run_count; ++r)
            if (f->run[r].kind != PL__RUN_UNIFORM)
                l->boundary.moment[axis][r] = random_moments(&f->run[r]);
    }
}

static liquid random_liquid(pl_context *ctx, bool gaps)
{
    liquid l;
    int32_t n[3] = {1 + random_int(4), 2 + random_int(random_int(2) ? 70 : 12), 1 + random_int(4)};
    begin_liquid(ctx, &l, n[0], n[1], n[2]);
    for (int32_t column = 0; column < n[0] * n[2]; ++column)
    {
        add_random_column(ctx, &l.grid.cell, n[1], gaps);
        pl__columns_end_column(&l.grid.cell);
    }
    make_faces(&l);
    return l;
}

static pl__flux_problem problem_of(const liquid *l, double dt)
{
    return (pl__flux_problem){.grid = &l->grid,
                              .boundary = &l->boundary,
                              .u = {l->u[0], l->u[1], l->u[2]},
                              .carried = {l->carried[0], l->carried[1], l->carried[2]},
                              .mask = {l->mask[0], l->mask[1], l->mask[2]},
                              .dt = dt};
}

// ---- the dense oracle ------------------------------------------------------------------------------------------

// Every row of every face, by the definition in flux.h. NAN: there is none.
typedef struct dense
{
    const pl__flux_problem *problem;
    int32_t n[3][3];
    double *flux[3], *value[3];
} dense;

static size_t dense_size(const dense *d, int axis)
{
    return (size_t)d->n[axis][0] * (size_t)d->n[axis][1] * (size_t)d->n[axis][2];
}

// A row of a face, or NULL beyond the lattice.
static double *entry(const dense *d, double *const field[3], int axis, const int32_t p[3])
{
    const int32_t *n = d->n[axis];
    for (int i = 0; i < 3; ++i)
        if (p[i] < 0 || p[i] >= n[i])
            return NULL;
    return &field[axis][(size_t)p[1] + (size_t)n[1] * ((size_t)p[0] + (size_t)n[0] * (size_t)p[2])];
}

static double dense_flux(const dense *d, int axis, const int32_t p[3])
{
    const double *f = entry(d, d->flux, axis, p);
    return f && !isnan(*f) ? *f : 0;
}

// Fluxes in the form in which they are stored: the fit of w u, rows as they are.
static void store_fluxes(const dense *d, int axis, double *flux)
{
    const pl__boundary *b = d->problem->boundary;
    const pl__columns *f = &d->problem->grid->face[axis];
    const double *u = d->problem->u[axis];
    for (size_t r = 0; r < f->run_count; ++r)
    {
        const pl__run *run = &f->run[r];
        const pl__open_moments *s = &b->moment[axis][r];
        double n = pl__run_rows(run);
        if (run->kind == PL__RUN_UNIFORM)
            for (int32_t i = run->first; i < run->first + pl__run_rows(run); ++i)
                flux[i] = b->open[axis][i] * u[i] + (1 - b->open[axis][i]) * b->speed[axis][i];
        else if (run->kind == PL__RUN_CONSTANT)
            flux[run->first] = s->s0 / n * u[run->first];
        else
        {
            double slope = (u[run->first + 1] - u[run->first]) / (n - 1), mean = u[run->first] + 0.5 * slope * (n - 1);
            pl__run_moments moments = {s->s0 * mean + s->s1 * slope, s->s1 * mean + s->s2 * slope};
            pl__run_fit(run, &moments, flux);
        }
    }
}

static double outflow_of_cell(const dense *d, const int32_t p[3])
{
    int32_t right[3] = {p[0] + 1, p[1], p[2]}, front[3] = {p[0], p[1], p[2] + 1};
    return dense_flux(d, 0, right) - dense_flux(d, 0, p) + dense_flux(d, 2, front) - dense_flux(d, 2, p);
}

static void close_fluxes(dense *d)
{
    const pl__columns *cell = &d->problem->grid->cell;
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
            for (int32_t j = cell->run[r].j0; cell->run[r].kind == PL__RUN_LINEAR && j < cell->run[r].j1; ++j)
            {
                int32_t p[3] = {column % cell->nx, j, column / cell->nx}, up[3] = {p[0], j + 1, p[2]};
                *entry(d, d->flux, 1, up) = *entry(d, d->flux, 1, p) - outflow_of_cell(d, p);
            }
}

static dense make_dense(pl_context *ctx, const pl__flux_problem *problem)
{
    dense d = {.problem = problem};
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &problem->grid->face[axis];
        d.n[axis][0] = f->nx, d.n[axis][1] = f->ny, d.n[axis][2] = f->nz;
        d.flux[axis] = PL_NEW(ctx, dense_size(&d, axis), double);
        d.value[axis] = PL_NEW(ctx, dense_size(&d, axis), double);
        double *flux = PL_NEW(ctx, f->value_count + 1, double);
        store_fluxes(&d, axis, flux);
        pl__columns_refine(f, flux, NAN, d.flux[axis]);
        pl__columns_refine(f, problem->carried[axis], NAN, d.value[axis]);
        PL_DELETE(ctx, flux, (size_t)f->value_count + 1);
    }
    if (problem->form == PL__FLUX_CLOSED)
        close_fluxes(&d);
    return d;
}

static void delete_dense(pl_context *ctx, dense *d)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        PL_DELETE(ctx, d->flux[axis], dense_size(d, axis));
        PL_DELETE(ctx, d->value[axis], dense_size(d, axis));
    }
}

// Flux out of side (d, end) of the control volume of a face.
static double outward(const dense *d, int axis, const int32_t p[3], int direction, int end)
{
    int32_t q[3] = {p[0], p[1], p[2]};
    double mean;
    if (direction == axis)
    {
        q[axis] += end ? 1 : -1;
        bool inside = entry(d, d->flux, axis, q) != NULL;
        mean = inside ? 0.5 * (dense_flux(d, axis, p) + dense_flux(d, axis, q)) : dense_flux(d, axis, p);
    }
    else
    {
        q[direction] += end;
        mean = 0.5 * dense_flux(d, direction, q);
        q[axis] -= 1;
        mean += 0.5 * dense_flux(d, direction, q);
    }
    return end ? mean : -mean;
}

// Sum of fluxes into a face, of the carried field or of 1, and the flux out of it.
static double inward(const dense *d, int axis, const int32_t p[3], bool one, double *outflow)
{
    double own = *entry(d, d->value, axis, p), sum = 0;
    *outflow = 0;
    for (int direction = 0; direction < 3; ++direction)
        for (int end = 0; end < 2; ++end)
        {
            int32_t q[3] = {p[0], p[1], p[2]};
            q[direction] += end ? 1 : -1;
            const double *beyond = entry(d, d->value, axis, q);
            double value = beyond ? (isnan(*beyond) ? d->problem->wall : *beyond) : own;
            double f = outward(d, axis, p, direction, end);
            sum -= f * (one ? 1 : f > 0 ? own : value);
            *outflow += f > 0 ? f : 0;
        }
    return sum;
}

static bool is_moved(const pl__flux_problem *problem, int axis, const int32_t p[3])
{
    const pl__columns *f = &problem->grid->face[axis];
    const pl__run *run = pl__columns_find(f, p[0] + f->nx * p[2], p[1]);
    return run &&
           (run->kind != PL__RUN_UNIFORM || (problem->mask[axis] && problem->mask[axis][run->first + p[1] - run->j0]));
}

// One substep of one component: new numbers, and the largest outflow of a control volume that is moved.
static double dense_substep(pl_context *ctx, dense *d, int axis, double c, double *number)
{
    const pl__columns *f = &d->problem->grid->face[axis];
    size_t size = dense_size(d, axis), count = (size_t)f->value_count;
    double *next = PL_NEW(ctx, size, double), *net = PL_NEW(ctx, size, double),
           *weight = PL_NEW(ctx, count + 1, double);
    double most = 0, outflow;
    memcpy(next, d->value[axis], size * sizeof(double));
    for (size_t i = 0; i < size; ++i)
    {
        int32_t ny = f->ny, column = (int32_t)(i / (size_t)ny);
        int32_t p[3] = {column % f->nx, (int32_t)(i % (size_t)ny), column / f->nx};
        net[i] = 1;
        if (!is_moved(d->problem, axis, p))
            continue;
        next[i] += c * inward(d, axis, p, false, &outflow);
        net[i] += c * inward(d, axis, p, true, &outflow);
        most = outflow > most ? outflow : most;
    }
    pl__columns_coarsen(f, next, number);
    pl__columns_coarsen(f, net, weight);
    for (size_t i = 0; i < count && d->problem->form == PL__FLUX_AFFINE; ++i)
        number[i] /= weight[i] > 1 ? weight[i] : 1;
    pl__columns_refine(f, number, NAN, d->value[axis]);
    PL_DELETE(ctx, next, size);
    PL_DELETE(ctx, net, size);
    PL_DELETE(ctx, weight, count + 1);
    return most;
}

// ---- properties ------------------------------------------------------------------------------------------------

// refine, advect, coarsen; faces that are not to be written keep what they had.
static void compare_with_oracle(const liquid *l, const pl__flux_problem *problem, const pl__flux_info *info)
{
    dense d = make_dense(l->ctx, problem);
    double cfl = 0, c = problem->dt / problem->grid->cell.h;
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &l->grid.face[axis];
        double *number = PL_NEW(l->ctx, f->value_count + 1, double);
        for (int32_t step = 0; step < info->substeps; ++step)
        {
            double outflow = dense_substep(l->ctx, &d, axis, c / info->substeps, number);
            cfl = c * outflow > cfl ? c * outflow : cfl;
        }
        for (size_t r = 0; r < f->run_count; ++r)
            for (int32_t n = 0; n < pl__run_numbers(&f->run[r]); ++n)
            {
                int32_t i = f->run[r].first + n;
                bool kept = f->run[r].kind == PL__RUN_UNIFORM && !(problem->mask[axis] && problem->mask[axis][i]);
                CHECK_NEAR(l->result[axis][i], kept ? 77 : number[i], 1e-12 * (1 + fabs(number[i])));
            }
        PL_DELETE(l->ctx, number, (size_t)f->value_count + 1);
    }
    CHECK_NEAR(info->cfl, cfl, 1e-12 * (1 + cfl));
    CHECK(info->substeps == (cfl > 1 ? (int32_t)ceil(cfl) : 1));
    delete_dense(l->ctx, &d);
}

static pl__flux_info advect(liquid *l, const pl__flux_problem *problem)
{
    pl__flux_info info;
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < numbers(l, axis); ++i)
            l->result[axis][i] = 77;
    MUST(pl__flux_advect(l->ctx, &l->arena, problem, l->result, &info));
    return info;
}

// Values at the two ends of some runs such that fluxes vanish on a row, or between rows.
static void place_zeros(liquid *l)
{
    for (int axis = 0; axis < 3; ++axis)
        for (size_t r = 0; r < l->grid.face[axis].run_count; ++r)
        {
            const pl__run *run = &l->grid.face[axis].run[r];
            if (run->kind != PL__RUN_LINEAR || random_int(2))
                continue;
            double zero = random_int(pl__run_rows(run)) + (random_int(2) ? 0.5 : 0), slope = random_pm() / 4;
            l->u[axis][run->first] = -slope * zero;
            l->u[axis][run->first + 1] = slope * (run->j1 - run->j0 - zero);
        }
}

// On random grids with everything that grids have, one substep and several.
static void advection_is_refine_advect_coarsen(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < (slow_tests ? 5000 : 400); ++trial)
    {
        liquid l = random_liquid(ctx, trial % 2);
        if (trial % 4 > 1)
            obstruct(&l);
        if (trial % 3)
            place_zeros(&l);
        pl__flux_problem problem = problem_of(&l, trial % 8 ? 0.002 + 0.01 * random01() : 0.25);
        problem.form = trial % 5 == 0 ? PL__FLUX_PLAIN : trial % 5 == 1 ? PL__FLUX_AFFINE : PL__FLUX_CLOSED;
        problem.wall = random_int(2) ? 0 : 0.4;
        if (trial % 7 == 0)
            problem.mask[0] = problem.mask[1] = problem.mask[2] = NULL;
        if (trial % 11 == 0)
            for (int axis = 0; axis < 3; ++axis)
                memcpy(l.carried[axis], l.u[axis], numbers(&l, axis) * sizeof(double));
        pl__flux_problem same = problem;
        for (int axis = 0; axis < 3 && trial % 11 == 0; ++axis)
            same.carried[axis] = NULL;
        pl__flux_info info = advect(&l, &same);
        compare_with_oracle(&l, &problem, &info);
        end_liquid(&l);
    }
    pl_context_destroy(&ctx);
}

static void threads_give_the_same_bits(void)
{
    uint64_t hash[3] = {0, 0, 0};
    static const int32_t threads[3] = {1, 2, 7};
    for (int t = 0; t < 3; ++t)
    {
        pl_context *ctx = test_context(threads[t]);
        key = 1000;
        liquid l;
        begin_liquid(ctx, &l, 13, 50, 11);
        for (int32_t column = 0; column < 13 * 11; ++column)
        {
            add_random_column(ctx, &l.grid.cell, 50, true);
            pl__columns_end_column(&l.grid.cell);
        }
        make_faces(&l);
        obstruct(&l);
        pl__flux_problem problem = problem_of(&l, 0.1);
        pl__flux_info info = advect(&l, &problem);
        CHECK(info.substeps > 1);
        for (int axis = 0; axis < 3; ++axis)
            hash[t] = pl__hash(hash[t], l.result[axis], numbers(&l, axis) * sizeof(double));
        hash[t] = pl__hash(hash[t], &info.cfl, sizeof info.cfl);
        end_liquid(&l);
        pl_context_destroy(&ctx);
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

// Vertical velocities that make every row of every cell divergence-free, from the lowest face of each column up.
static void make_divergence_free(liquid *l)
{
    pl__flux_problem problem = problem_of(l, 0);
    dense d = make_dense(l->ctx, &problem);
    const pl__columns *cell = &l->grid.cell;
    for (int32_t column = 0; column < cell->nx * cell->nz; ++column)
    {
        double v = 0;
        int32_t above = -1; // row of v
        for (size_t r = cell->start[column]; r < cell->start[column + 1]; ++r)
        {
            int32_t p[3] = {column % cell->nx, cell->run[r].j0, column / cell->nx};
            if (p[1] != above)
                v = dense_flux(&d, 1, p);
            for (; p[1] <= cell->run[r].j1; ++p[1])
            {
                v -= outflow_of_cell(&d, p);
                int32_t n = pl__columns_uniform(&l->grid.face[1], column, p[1] + 1);
                if (n >= 0 && l->boundary.open[1][n] > 0)
                    l->u[1][n] = (v - (1 - l->boundary.open[1][n]) * l->boundary.speed[1][n]) / l->boundary.open[1][n];
            }
            above = p[1];
        }
    }
    delete_dense(l->ctx, &d);
}

typedef enum place
{
    OUTSIDE, // of the domain
    MISSING,
    CELL
} place;

// What is below (0) or above (1) a face along its axis.
static place beside(const liquid *l, int axis, int32_t column, int32_t j, int end)
{
    const pl__columns *f = &l->grid.face[axis], *cell = &l->grid.cell;
    int32_t p[3] = {column % f->nx, j, column / f->nx}, n[3] = {cell->nx, cell->ny, cell->nz};
    p[axis] -= 1 - end;
    if (p[axis] < 0 || p[axis] >= n[axis])
        return OUTSIDE;
    return pl__columns_find(cell, p[0] + cell->nx * p[2], p[1]) ? CELL : MISSING;
}

// 1 everywhere; uniform faces are moved if nothing is missing around them.
static void carry_one(liquid *l)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &l->grid.face[axis];
        for (size_t i = 0; i < numbers(l, axis); ++i)
            l->carried[axis][i] = 1;
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
            for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
                for (int32_t n = 0; n < pl__run_numbers(&f->run[r]); ++n)
                    l->mask[axis][f->run[r].first + n] =
                        f->run[r].kind != PL__RUN_UNIFORM || (beside(l, axis, column, f->run[r].j0 + n, 0) != MISSING &&
                                                              beside(l, axis, column, f->run[r].j0 + n, 1) != MISSING);
    }
}

// In a field whose cells are divergence-free, 1 stays 1; with vertical fluxes as they are stored it does not.
static void constants_stay(void)
{
    pl_context *ctx = test_context(1);
    double plain = 0;
    for (int trial = 0; trial < 100; ++trial)
    {
        liquid l = random_liquid(ctx, trial % 2);
        obstruct(&l);
        make_divergence_free(&l);
        carry_one(&l);
        pl__flux_problem problem = problem_of(&l, 0.05);
        problem.wall = 1;
        pl__flux_info info = advect(&l, &problem);
        CHECK_NEAR(info.weight_error, 0, 1e-12);
        for (int axis = 0; axis < 3; ++axis)
            for (size_t i = 0; i < numbers(&l, axis); ++i)
                CHECK_NEAR(l.result[axis][i], l.mask[axis][i] ? 1 : 77, 1e-11);
        problem.form = PL__FLUX_PLAIN;
        info = advect(&l, &problem);
        plain = info.weight_error > plain ? info.weight_error : plain;
        end_liquid(&l);
    }
    CHECK_THAT(plain > 0.1, "%g", plain);
    pl_context_destroy(&ctx);
}

// ---- closed boxes ----------------------------------------------------------------------------------------------

// Close every face that has not a cell on either side.
static void close_walls(liquid *l)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl__columns *f = &l->grid.face[axis];
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
            for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
                for (int32_t j = f->run[r].j0; j <= f->run[r].j1; ++j)
                {
                    if (beside(l, axis, column, j, 0) == CELL && beside(l, axis, column, j, 1) == CELL)
                        continue;
                    if (f->run[r].kind == PL__RUN_UNIFORM)
                        l->boundary.open[axis][f->run[r].first + j - f->run[r].j0] = 0;
                    l->boundary.moment[axis][r] = (pl__open_moments){0};
                }
    }
}

// All columns full of runs.
static liquid random_box(pl_context *ctx)
{
    liquid l = random_liquid(ctx, false);
    close_walls(&l);
    return l;
}

// Velocity of stream functions A y (ny - y) about z and B y (ny - y) about x: linear in y, divergence-free.
static void stir(liquid *l)
{
    const pl__columns *cell = &l->grid.cell;
    for (int axis = 0; axis < 3; axis += 2)
    {
        const pl__columns *f = &l->grid.face[axis];
        for (int32_t column = 0; column < f->nx * f->nz; ++column)
        {
            double a = random_pm() / cell->ny;
            for (size_t r = f->start[column]; r < f->start[column + 1]; ++r)
            {
                const pl__run *run = &f->run[r];
                for (int32_t n = 0; n < pl__run_numbers(run); ++n)
                {
                    int32_t j = run->kind == PL__RUN_LINEAR && n ? run->j1 : run->j0 + n;
                    l->u[axis][run->first + n] = a * (cell->ny - 2 * j - 1);
                }
            }
        }
    }
    make_divergence_free(l);
}

// Sum over all rows of a component, of its square if `power` is 2.
static double sum_rows(const liquid *l, int axis, const double *value, int power)
{
    const pl__columns *f = &l->grid.face[axis];
    size_t size = (size_t)f->nx * (size_t)f->ny * (size_t)f->nz;
    double *rows = PL_NEW(l->ctx, size, double), sum = 0;
    pl__columns_refine(f, value, 0, rows);
    for (size_t i = 0; i < size; ++i)
        sum += power == 2 ? rows[i] * rows[i] : rows[i];
    PL_DELETE(l->ctx, rows, size);
    return sum;
}

// Whatever the velocity: what leaves one control volume enters the next.
static void closed_boxes_keep_momentum(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 60; ++trial)
    {
        liquid l = random_box(ctx);
        pl__flux_problem problem = problem_of(&l, 0.02);
        problem.form = trial % 2 ? PL__FLUX_CLOSED : PL__FLUX_PLAIN;
        advect(&l, &problem);
        for (int axis = 0; axis < 3; ++axis)
            CHECK_NEAR(sum_rows(&l, axis, l.result[axis], 1), sum_rows(&l, axis, l.carried[axis], 1), 1e-10);
        end_liquid(&l);
    }
    pl_context_destroy(&ctx);
}

// The energy of what is carried does not grow, in one substep of CFL 1 and in many.
static void closed_boxes_lose_energy(void)
{
    pl_context *ctx = test_context(1);
    for (int trial = 0; trial < 60; ++trial)
    {
        liquid l = random_box(ctx);
        stir(&l);
        pl__flux_problem problem = problem_of(&l, 1);
        pl__flux_info info = advect(&l, &problem);
        CHECK_NEAR(info.weight_error, 0, 1e-11);
        problem.dt = trial % 2 ? (1 - 1e-12) / info.cfl : 4.5 / info.cfl;
        for (int step = 0; step < 10 && info.cfl > 1e-6; ++step)
        {
            info = advect(&l, &problem);
            CHECK(info.substeps == (trial % 2 ? 1 : 5));
            for (int axis = 0; axis < 3; ++axis)
            {
                double before = sum_rows(&l, axis, l.carried[axis], 2), after = sum_rows(&l, axis, l.result[axis], 2);
                CHECK_THAT(after <= before * (1 + 1e-12), "%g > %g", after, before);
                memcpy(l.carried[axis], l.result[axis], numbers(&l, axis) * sizeof(double));
            }
        }
        end_liquid(&l);
    }
    pl_context_destroy(&ctx);
}

// ---- uniform grids ---------------------------------------------------------------------------------------------

// The textbook, in the plane, for faces inside.
static double textbook_u(const double *u, const double *v, int32_t ny, int32_t i, int32_t j, double c)
{
#define U(a, b) u[(b) + ny * (a)]
#define V(a, b) v[(b) + (ny + 1) * (a)]
    double left = 0.5 * (U(i - 1, j) + U(i, j)), right = 0.5 * (U(i, j) + U(i + 1, j));
    double down = 0.5 * (V(i - 1, j) + V(i, j)), up = 0.5 * (V(i - 1, j + 1) + V(i, j + 1));
    return U(i, j) + c * (left * (left > 0 ? U(i - 1, j) : U(i, j)) - right * (right > 0 ? U(i, j) : U(i + 1, j)) +
                          down * (down > 0 ? U(i, j - 1) : U(i, j)) - up * (up > 0 ? U(i, j) : U(i, j + 1)));
#undef U
#undef V
}

static void uniform_grids_are_textbook_upwind(void)
{
    pl_context *ctx = test_context(1);
    int32_t nx = 9, ny = 12;
    liquid l;
    begin_liquid(ctx, &l, nx, ny, 1);
    for (int32_t column = 0; column < nx; ++column)
    {
        MUST(pl__columns_add(ctx, &l.grid.cell, 0, ny - 1, PL__RUN_UNIFORM));
        pl__columns_end_column(&l.grid.cell);
    }
    make_faces(&l);
    memset(l.u[2], 0, numbers(&l, 2) * sizeof(double));
    pl__flux_problem problem = problem_of(&l, 0.05);
    for (int axis = 0; axis < 3; ++axis)
        problem.carried[axis] = NULL;
    pl__flux_info info = advect(&l, &problem);
    CHECK(info.substeps == 1);
    for (int32_t i = 1; i < nx; ++i)
        for (int32_t j = 1; j < ny - 1; ++j)
            CHECK_NEAR(l.result[0][j + ny * i], textbook_u(l.u[0], l.u[1], ny, i, j, 0.05 / 0.25), 1e-14);
    end_liquid(&l);
    pl_context_destroy(&ctx);
}

// ---- cost ------------------------------------------------------------------------------------------------------

// Tall cells whose ends and vertical velocities are `scale` times those of the smallest: the same picture, with more
// rows.
static int64_t evaluations_of(pl_context *ctx, int32_t scale)
{
    liquid l;
    begin_liquid(ctx, &l, 4, 40 * scale, 4);
    key = 500;
    for (int32_t column = 0; column < 16; ++column)
    {
        int32_t middle = scale * (8 + random_int(24));
        MUST(pl__columns_add(ctx, &l.grid.cell, scale * random_int(8), middle - 1, PL__RUN_LINEAR));
        MUST(pl__columns_add(ctx, &l.grid.cell, middle, 40 * scale - 1, PL__RUN_LINEAR));
        pl__columns_end_column(&l.grid.cell);
    }
    make_faces(&l);
    for (size_t i = 0; i < numbers(&l, 1); ++i)
        l.u[1][i] *= scale;
    pl__flux_problem problem = problem_of(&l, 1e-9);
    pl__flux_info info = advect(&l, &problem);
    end_liquid(&l);
    return info.evaluations;
}

static void cost_ignores_rows(void)
{
    pl_context *ctx = test_context(1);
    int64_t few = evaluations_of(ctx, 10), more = evaluations_of(ctx, 100), many = evaluations_of(ctx, 1000);
    // parts of three rows or less, and rows that roots fall on, are fewer where there are more rows
    CHECK_THAT(fabs((double)more / (double)few - 1) < 0.05 && fabs((double)many / (double)more - 1) < 0.005,
               "%lld, %lld, %lld evaluations", (long long)few, (long long)more, (long long)many);
    pl_context_destroy(&ctx);
}

// ---- canyons ---------------------------------------------------------------------------------------------------

static const int32_t canyon_nx = 20, canyon_ny = 40, canyon_band = 6;

// Walls and pillars under a closed lid, tall cells below a band of uniform ones; at rest.
static liquid make_canyon(pl_context *ctx)
{
    liquid l;
    begin_liquid(ctx, &l, canyon_nx, canyon_ny, 1);
    for (int32_t i = 0; i < canyon_nx; ++i)
    {
        int32_t ground = i < 3 ? 2 : i < 8 ? 26 : i < 14 ? 4 + 7 * (i * 7 % 4) : 1;
        MUST(pl__columns_add(ctx, &l.grid.cell, ground, canyon_ny - canyon_band - 1, PL__RUN_LINEAR));
        MUST(pl__columns_add(ctx, &l.grid.cell, canyon_ny - canyon_band, canyon_ny - 1, PL__RUN_UNIFORM));
        pl__columns_end_column(&l.grid.cell);
    }
    make_faces(&l);
    return l;
}

// Pressures of the cells at every row; there is one column along z.
typedef struct canyon_solver
{
    liquid *l;
    double *p, *r, *s, *A, *dense, *sum; // numbers of cells, and rows
    size_t count, size;
} canyon_solver;

static double row_pressure(const canyon_solver *c, int32_t i, int32_t j)
{
    bool inside = i >= 0 && j >= 0 && i < canyon_nx && j < canyon_ny;
    return inside ? c->dense[j + canyon_ny * i] : NAN;
}

// Difference of the pressures at a face, 0 at what is closed.
static double difference(double below, double above) { return isnan(below) || isnan(above) ? 0 : above - below; }

// P^T of rows.
static void restrict_rows(const canyon_solver *c, const double *row, double *result)
{
    const pl__columns *cell = &c->l->grid.cell;
    for (int32_t i = 0; i < canyon_nx; ++i)
        for (size_t r = cell->start[i]; r < cell->start[i + 1]; ++r)
        {
            const pl__run *run = &cell->run[r];
            if (run->kind == PL__RUN_LINEAR)
                result[run->first] = result[run->first + 1] = 0;
            for (int32_t j = run->j0; j <= run->j1; ++j)
            {
                double t = (double)(j - run->j0) / (double)(run->j1 - run->j0), d = row[j + canyon_ny * i];
                if (run->kind == PL__RUN_LINEAR)
                    result[run->first] += (1 - t) * d, result[run->first + 1] += t * d;
                else
                    result[run->first + j - run->j0] = d;
            }
        }
}

static void multiply(const canyon_solver *c, const double *p, double *result)
{
    pl__columns_refine(&c->l->grid.cell, p, NAN, c->dense);
    for (int32_t i = 0; i < canyon_nx; ++i)
        for (int32_t j = 0; j < canyon_ny; ++j)
        {
            double own = row_pressure(c, i, j);
            c->sum[j + canyon_ny * i] =
                difference(row_pressure(c, i - 1, j), own) + difference(row_pressure(c, i + 1, j), own) +
                difference(row_pressure(c, i, j - 1), own) + difference(row_pressure(c, i, j + 1), own);
        }
    restrict_rows(c, c->sum, result);
}

static double dot(const canyon_solver *c, const double *a, const double *b)
{
    double sum = 0;
    for (size_t n = 0; n < c->count; ++n)
        sum += a[n] * b[n];
    return sum;
}

// u -= G P p on every row of a component, or p = 0: only what is closed gets 0.
static void subtract_gradient(const canyon_solver *c, int axis, double *u)
{
    const pl__columns *f = &c->l->grid.face[axis];
    size_t size = (size_t)f->nx * (size_t)f->ny;
    double *rows = PL_NEW(c->l->ctx, size, double);
    pl__columns_refine(f, u, 0, rows);
    for (int32_t i = 0; i < f->nx; ++i)
        for (int32_t j = 0; j < f->ny; ++j)
        {
            double below = row_pressure(c, i - (axis == 0), j - (axis == 1)), above = row_pressure(c, i, j);
            double *v = &rows[j + f->ny * i];
            *v = isnan(below) || isnan(above) ? 0 : *v - difference(below, above);
        }
    pl__columns_coarsen(f, rows, u);
    PL_DELETE(c->l->ctx, rows, size);
}

// Right side: minus the divergence of the rows.
static void diverge(const canyon_solver *c, double *const u[3], double *result)
{
    const pl__columns *f = c->l->grid.face;
    for (int32_t i = 0; i < canyon_nx; ++i)
        for (int32_t j = 0; j < canyon_ny; ++j)
        {
            double v[4] = {0, 0, 0, 0};
            bool cell = pl__columns_find(&c->l->grid.cell, i, j) != NULL;
            for (int end = 0; end < 2 && cell; ++end)
            {
                pl__columns_value(&f[0], u[0], i + end, j, &v[end]);
                pl__columns_value(&f[1], u[1], i, j + end, &v[2 + end]);
            }
            c->sum[j + canyon_ny * i] = v[0] - v[1] + v[2] - v[3];
        }
    restrict_rows(c, c->sum, result);
}

// Conjugate gradients.
static void project(canyon_solver *c, double *const u[3])
{
    memset(c->p, 0, c->count * sizeof(double));
    pl__columns_refine(&c->l->grid.cell, c->p, NAN, c->dense);
    for (int axis = 0; axis < 2; ++axis)
        subtract_gradient(c, axis, u[axis]);
    diverge(c, u, c->r);
    memcpy(c->s, c->r, c->count * sizeof(double));
    double rr = dot(c, c->r, c->r), stop = 1e-26 * rr;
    for (int n = 0; n < 2000 && rr > stop; ++n)
    {
        multiply(c, c->s, c->A);
        double alpha = rr / dot(c, c->s, c->A), old = rr;
        for (size_t i = 0; i < c->count; ++i)
            c->p[i] += alpha * c->s[i], c->r[i] -= alpha * c->A[i];
        rr = dot(c, c->r, c->r);
        for (size_t i = 0; i < c->count; ++i)
            c->s[i] = c->r[i] + rr / old * c->s[i];
    }
    pl__columns_refine(&c->l->grid.cell, c->p, NAN, c->dense);
    for (int axis = 0; axis < 2; ++axis)
        subtract_gradient(c, axis, u[axis]);
}

static double energy(const liquid *l, double *const u[3]) { return sum_rows(l, 0, u[0], 2) + sum_rows(l, 1, u[1], 2); }

// A closed canyon with random flows in it, and a solver.
static void begin_canyon(pl_context *ctx, liquid *l, canyon_solver *c)
{
    *l = make_canyon(ctx);
    close_walls(l);
    *c = (canyon_solver){.l = l, .count = (size_t)l->grid.cell.value_count, .size = (size_t)(canyon_nx * canyon_ny)};
    double **array[6] = {&c->p, &c->r, &c->s, &c->A, &c->dense, &c->sum};
    for (int n = 0; n < 6; ++n)
        *array[n] = PL_NEW(ctx, n < 4 ? c->count : c->size, double);
    project(c, l->u);
    project(c, l->carried);
}

static void end_canyon(liquid *l, canyon_solver *c)
{
    double *array[6] = {c->p, c->r, c->s, c->A, c->dense, c->sum};
    for (int n = 0; n < 6; ++n)
        PL_DELETE(l->ctx, array[n], n < 4 ? c->count : c->size);
    end_liquid(l);
}

// Carry a random velocity along the canyon, which no pressure acts on, across it: for so many steps by a flow that is
// frozen, or that carries itself and is projected. Its largest value at the end; with closed fluxes energies only fall.
static double carry_along(pl_context *ctx, pl__flux_form form, bool frozen, int32_t steps)
{
    liquid l;
    canyon_solver c;
    begin_canyon(ctx, &l, &c);
    double across = energy(&l, l.carried), along = sum_rows(&l, 2, l.carried[2], 2), most = 0;
    for (int32_t step = 0; step < steps; ++step)
    {
        pl__flux_problem problem = problem_of(&l, 0.1);
        problem.form = form;
        for (int axis = 0; axis < 3 && !frozen; ++axis)
            problem.u[axis] = l.carried[axis];
        pl__flux_info info = advect(&l, &problem);
        for (int axis = 0; axis < 3; ++axis)
            memcpy(l.carried[axis], l.result[axis], numbers(&l, axis) * sizeof(double));
        if (!frozen)
            project(&c, l.carried);
        double new_across = energy(&l, l.carried), new_along = sum_rows(&l, 2, l.carried[2], 2);
        if (form == PL__FLUX_CLOSED)
        {
            CHECK_NEAR(info.weight_error, 0, 1e-9); // as good as the solver
            CHECK_THAT(new_across <= across * (1 + 1e-9), "%g > %g", new_across, across);
            CHECK_THAT(new_along <= along * (1 + 1e-9), "%g > %g", new_along, along);
        }
        across = new_across, along = new_along;
    }
    for (size_t i = 0; i < numbers(&l, 2); ++i)
        most = fabs(l.carried[2][i]) > most ? fabs(l.carried[2][i]) : most;
    end_canyon(&l, &c);
    return most;
}

// Largest velocities along the canyon after 1000 steps, of 1 at most at first. Of eight frozen flows: closed .26-.62,
// thesis .29-16, above 1 and growing in four. The affine form is the same to six digits: it sees the weights of a run
// after their fit, where they are 1, for pressure makes just these two moments divergence-free; what grows is inside
// the tall cell. Of eight flows that change and are projected: closed .44-.91, thesis .78-1.5, affine .67-1.2. Energies
// across the canyon fell in all three forms.
static void canyons_do_not_heat(void)
{
    pl_context *ctx = test_context(1);
    for (uint64_t seed = slow_tests ? 0 : 1; seed < (slow_tests ? 8 : 2); ++seed)
        for (int frozen = 1; frozen >= 0; --frozen)
        {
            double most[3];
            for (int form = 0; form < 3; ++form)
            {
                key = 100000 * seed;
                most[form] = carry_along(ctx, (pl__flux_form)form, frozen, frozen ? 300 : 50);
            }
            // rows stay below 1 before their fit; the ends of a fitted line may not, and reach 1.1
            CHECK_THAT(most[PL__FLUX_CLOSED] < 1.2, "%g", most[PL__FLUX_CLOSED]);
            if (seed == 1 && frozen)
                CHECK_THAT(most[PL__FLUX_PLAIN] > 1.2 && most[PL__FLUX_AFFINE] > 1.2, "%g", most[PL__FLUX_PLAIN]);
        }
    pl_context_destroy(&ctx);
}

// ---- failures --------------------------------------------------------------------------------------------------

// With substeps. What is out of memory writes nothing.
static pl_status attempt_advection(pl_context *ctx)
{
    static pl_context *outer;
    static liquid l;
    if (!outer)
    {
        outer = test_context(1);
        l = random_box(outer);
    }
    pl__arena arena;
    pl__arena_init(&arena, ctx);
    pl__flux_problem problem = problem_of(&l, 1);
    pl__flux_info info;
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < numbers(&l, axis); ++i)
            l.result[axis][i] = 77;
    pl_status status = pl__flux_advect(ctx, &arena, &problem, l.result, &info);
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < numbers(&l, axis); ++i)
            CHECK((l.result[axis][i] == 77) == (status != PL_OK));
    pl__arena_done(&arena);
    if (status == PL_OK)
    {
        CHECK(info.substeps > 1);
        end_liquid(&l);
        pl_context_destroy(&outer);
    }
    return status;
}

static void every_failed_allocation_is_survived(void) { CHECK(survive_every_failure(attempt_advection) >= 8); }

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(advection_is_refine_advect_coarsen),
                                    TEST(threads_give_the_same_bits),
                                    TEST(constants_stay),
                                    TEST(closed_boxes_keep_momentum),
                                    TEST(closed_boxes_lose_energy),
                                    TEST(uniform_grids_are_textbook_upwind),
                                    TEST(cost_ignores_rows),
                                    TEST(canyons_do_not_heat),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}
