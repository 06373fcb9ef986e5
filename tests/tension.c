// tests/tension.c -- surface tension: curvature, pressure in drops, and the waves that it makes.
#include "fluid/tension.h"
#include "fluid/liquid.h"
#include "test.h"

#define MUST(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((call) != PL_OK)                                                                                           \
            abort();                                                                                                   \
    } while (0)

static const double no_gravity[3] = {0, 0, 0};
static const pl__obstacles none = {0};

// ---- shapes ----------------------------------------------------------------------------------------------------

// r = radius (1 + bulge cos 2 angle) about `middle`; round in space if it is not flat.
typedef struct drop
{
    double middle[3], radius, bulge;
    bool flat;
} drop;

static double drop_distance(void *user, const double x[3], double v[3])
{
    const drop *d = user;
    double a = x[0] - d->middle[0], b = x[1] - d->middle[1], c = d->flat ? 0 : x[2] - d->middle[2];
    v[0] = v[1] = v[2] = 0;
    return sqrt(a * a + b * b + c * c) - d->radius * (1 + d->bulge * cos(2 * atan2(b, a)));
}

typedef struct ripple
{
    double depth, height, k;
} ripple;

static double ripple_distance(void *user, const double x[3], double v[3])
{
    const ripple *r = user;
    v[0] = v[1] = v[2] = 0;
    return x[1] - r->depth - r->height * cos(r->k * x[0]);
}

static pl__liquid *make(pl_context *ctx, const int32_t cells[3], double h, pl__liquid_shape *shape, void *user)
{
    pl__liquid_def def = {.cells = {cells[0], cells[1], cells[2]},
                          .h = h,
                          .closed = {1, 1, 1, 1, 1, 1},
                          .cfl = 1,
                          .tolerance = 1e-6,
                          .density = 1,
                          .tension = 1};
    pl__liquid *l;
    MUST(pl__liquid_create(ctx, &def, shape, user, &none, &l));
    return l;
}

// Root of the mean square.
static double speed_of(pl__liquid *l)
{
    pl__liquid_sums sums;
    MUST(pl__liquid_sum(l, &sums));
    return sqrt(2 * sums.kinetic / sums.mass);
}

// ---- curvature -------------------------------------------------------------------------------------------------

// Largest and mean square error of h kappa at the surface of a drop.
static void curvature_errors(pl_context *ctx, const drop *d, int32_t n, double *worst, double *mean)
{
    pl__grid grid = {0};
    int32_t count = 0, cells[3] = {n, n, d->flat ? 1 : n};
    double h = 1.0 / n, lower[3] = {0, 0, 0}, v[3], x[3], exact = (d->flat ? 1 : 2) / d->radius;
    MUST(pl__grid_make_full(ctx, &grid, cells, lower, h));
    double *phi = calloc((size_t)grid.cell.value_count, sizeof *phi),
           *kappa = calloc((size_t)grid.cell.value_count, sizeof *kappa);
    for (int32_t column = 0; column < cells[0] * cells[2]; ++column)
        for (int32_t j = 0; j < n; ++j)
        {
            pl__grid_point(&grid.cell, column % n, j, column / n, x);
            phi[grid.cell.main[column].base + j] = drop_distance((void *)(uintptr_t)d, x, v);
        }
    pl__levelset ls = {&grid.cell, phi, 4 * h, NULL};
    pl__tension_curvature(ctx, &ls, kappa);
    *worst = *mean = 0;
    for (int32_t k = 0; k < grid.cell.value_count; ++k)
        if (kappa[k] != 0)
        {
            double error = kappa[k] / exact - 1;
            *worst = fmax(*worst, fabs(error));
            *mean += error * error;
            ++count;
        }
    *mean = sqrt(*mean / (count + 1));
    CHECK(count > 2 * n);
    free(phi);
    free(kappa);
    pl__grid_done(ctx, &grid);
}

// 1 / R of a circle and 2 / R of a ball; errors of crossings are random in part, so that of kappa falls slowly.
static void balls_are_round(void)
{
    pl_context *ctx = test_context(1);
    for (int flat = 0; flat < 2; ++flat)
        for (int32_t n = 24; n <= 48; n *= 2)
        {
            drop d = {{0.503, 0.497, 0.511}, 0.31, 0, flat};
            double worst, mean;
            curvature_errors(ctx, &d, n, &worst, &mean);
            CHECK_THAT(mean < 0.025 && worst < 0.07, "%s of %g cells: curvature off by %g, at worst %g",
                       flat ? "circle" : "ball", d.radius * n, mean, worst);
        }
    pl_context_destroy(&ctx);
}

// ---- drops -----------------------------------------------------------------------------------------------------

// Pressure well inside.
static double inner_pressure(const pl__liquid *l)
{
    double sum = 0, count = 0;
    for (int32_t n = 0; n < l->state.grid.cell.value_count; ++n)
        if (l->state.phi[n] < -2 * l->def.h)
        {
            sum += l->state.q[n];
            ++count;
        }
    return sum / count * l->def.density * l->def.h / l->state.q_dt;
}

// Laplace: p = sigma kappa, 1 / R in a plane and 2 / R in space; and it stays almost at rest, in units of the speed
// sqrt(sigma / (rho R)) of its waves.
static void drops_have_the_pressure_of_laplace(void)
{
    pl_context *ctx = test_context(1);
    for (int flat = 0; flat < 2; ++flat)
    {
        int32_t n = flat ? 32 : 20, cells[3] = {n, n, flat ? 1 : n};
        drop d = {{0.503, 0.497, 0.511}, 0.3, 0, flat};
        pl__liquid *l = make(ctx, cells, 1.0 / n, drop_distance, &d);
        double mean = 0, speed = 0, exact = (flat ? 1 : 2) / d.radius, unit = sqrt(1 / d.radius);
        int steps = flat ? 200 : 60;
        for (int k = 0; k < steps; ++k)
        {
            MUST(pl__liquid_step(l, pl__liquid_longest_step(l, no_gravity), no_gravity, &none));
            mean += inner_pressure(l) / steps;
            speed = fmax(speed, speed_of(l));
        }
        CHECK_THAT(fabs(mean / exact - 1) < 0.02, "pressure %g, exact %g", mean, exact);
        CHECK_THAT(speed < (flat ? 0.02 : 0.06) * unit, "speed %g of %g", speed, unit);
        pl__liquid_destroy(&l);
    }
    pl_context_destroy(&ctx);
}

// Second moments, of x^2 - y^2: how far a drop is drawn out.
static double stretch_of(const pl__liquid *l, const drop *d)
{
    const pl__columns *c = &l->state.grid.cell;
    double sum = 0;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (int32_t j = c->main[column].j0; j <= c->main[column].j1; ++j)
        {
            double x = c->h * (column % c->nx + 0.5) - d->middle[0], y = c->h * (j + 0.5) - d->middle[1];
            sum += l->state.part[c->main[column].base + j] * (x * x - y * y);
        }
    return sum;
}

// Period of a quantity that oscillates about 0, from its zeros; and the decay of its square from first to last.
typedef struct watch
{
    double last, first_zero, zero;
    int zeros;
} watch;

static void look(watch *w, double time, double dt, double now)
{
    if (now * w->last < 0)
    {
        w->zero = time - dt * now / (now - w->last);
        w->first_zero = w->zeros++ ? w->first_zero : w->zero;
    }
    w->last = now;
}

static double period_of(const watch *w) { return 2 * (w->zero - w->first_zero) / (w->zeros - 1); }

// Lamb: omega^2 = n (n^2 - 1) sigma / (rho R^3) of a drop in a plane, n = 2.
static void drops_oscillate(void)
{
    pl_context *ctx = test_context(1);
    int32_t n = 32, cells[3] = {n, n, 1};
    drop d = {{0.5, 0.5, 0}, 0.3, 0.05, true};
    pl__liquid *l = make(ctx, cells, 1.0 / n, drop_distance, &d);
    double exact = 6.283185307179586 / sqrt(6 / (d.radius * d.radius * d.radius));
    watch w = {.last = stretch_of(l, &d)};
    while (l->state.time < 1.4 * exact)
    {
        double dt = pl__liquid_longest_step(l, no_gravity);
        MUST(pl__liquid_step(l, dt, no_gravity, &none));
        look(&w, l->state.time, dt, stretch_of(l, &d));
    }
    CHECK_THAT(w.zeros > 1 && fabs(period_of(&w) / exact - 1) < 0.03, "period %g, exact %g", period_of(&w), exact);
    pl__liquid_destroy(&l);
    pl_context_destroy(&ctx);
}

// ---- waves -----------------------------------------------------------------------------------------------------

static double ripple_height(const pl__liquid *l, const ripple *r)
{
    const pl__columns *c = &l->state.grid.cell;
    double sum = 0;
    for (int32_t i = 0; i < c->nx; ++i)
        for (int32_t j = c->main[i].j0; j <= c->main[i].j1; ++j)
            sum += l->state.part[c->main[i].base + j] * cos(r->k * (i + 0.5) * c->h);
    return 2 * sum * c->h * c->h;
}

// omega^2 = (g k + sigma k^3 / rho) tanh(k depth), without gravity and with some.
static void ripples_have_their_frequency(void)
{
    static const double pull[] = {0, 10};
    pl_context *ctx = test_context(1);
    for (int k = 0; k < 2; ++k)
    {
        int32_t n = 24, cells[3] = {n, 20, 1};
        ripple r = {0.4, 0.02, 3.14159265358979};
        double g[3] = {0, -pull[k], 0};
        pl__liquid *l = make(ctx, cells, 1.0 / n, ripple_distance, &r);
        double exact = 6.283185307179586 / sqrt((pull[k] * r.k + r.k * r.k * r.k) * tanh(r.k * r.depth));
        watch w = {.last = ripple_height(l, &r)};
        while (l->state.time < 1.4 * exact)
        {
            double dt = pl__liquid_longest_step(l, g);
            MUST(pl__liquid_step(l, dt, g, &none));
            look(&w, l->state.time, dt, ripple_height(l, &r));
        }
        CHECK_THAT(w.zeros > 1 && fabs(period_of(&w) / exact - 1) < 0.03, "gravity %g: period %g, exact %g", pull[k],
                   period_of(&w), exact);
        pl__liquid_destroy(&l);
    }
    pl_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(balls_are_round), TEST(drops_have_the_pressure_of_laplace),
                                    LONG_TEST(drops_oscillate), LONG_TEST(ripples_have_their_frequency)};
    return RUN(tests);
}
