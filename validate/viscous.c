// validate/viscous.c -- viscous flows with known solutions: channels that start, a vortex that decays, a driven cavity.
//
// Channels and vortex are those of the viscous solve alone (fluid/viscosity.h), the cavity is the whole step. Couette
// and Poiseuille: Fourier series of u_t = nu u_yy between plates (Schlichting), time in units of gap^2 / nu. Vortex:
// Taylor & Green 1937, whose rate of decay in a box that it slips along is 2 pi^2 nu. Cavity: Ghia, Ghia & Shin 1982 at
// Re = 100.
#include "case.h"
#include "fluid/liquid.h"
#include "fluid/viscosity.h"
#include <pliant/liquid.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- the viscous solve alone ---------------------------------------------------------------------------------------

// Cells of edge 1 / ny from the origin, full of liquid with density and viscosity 1.
typedef struct channel
{
    pl_context *ctx;
    pl__grid grid;
    pl__boundary boundary;
    pl__viscosity *viscosity;
    pl__viscosity_problem problem;
    double *u[3], *phi;
} channel;

static void channel_done(channel *c)
{
    pl__viscosity_destroy(&c->viscosity);
    for (int axis = 0; axis < 3; ++axis)
        PL_DELETE(c->ctx, c->u[axis], c->u[axis] ? (size_t)c->grid.face[axis].value_count : 0);
    PL_DELETE(c->ctx, c->phi, c->phi ? (size_t)c->grid.cell.value_count : 0);
    pl__boundary_done(c->ctx, &c->boundary);
    pl__grid_done(c->ctx, &c->grid);
}

// Closed on all sides, but along x if it is one cell long.
static pl_status channel_make(pl_context *ctx, int32_t nx, int32_t ny, channel *c)
{
    static const double origin[3];
    int32_t n[3] = {nx, ny, 1};
    double h = 1.0 / ny;
    *c = (channel){.ctx = ctx};
    PL_TRY(pl__grid_make_full(ctx, &c->grid, n, origin, h));
    for (int side = 0; side < 6; ++side)
        c->problem.strain.closed[side] = nx > 1 || side > 1;
    PL_TRY(pl__boundary_update(ctx, &c->boundary, &c->grid, &(pl__obstacles){0}, c->problem.strain.closed));
    PL_TRY(pl__viscosity_create(ctx, &c->viscosity));
    c->phi = PL_NEW(ctx, c->grid.cell.value_count, double);
    bool taken = c->phi;
    for (int axis = 0; axis < 3; ++axis)
    {
        c->u[axis] = PL_NEW(ctx, c->grid.face[axis].value_count, double);
        taken = taken && c->u[axis];
    }
    if (!taken)
        return PL_ERR_MEMORY;
    for (int32_t n_cell = 0; n_cell < c->grid.cell.value_count; ++n_cell)
        c->phi[n_cell] = -1;
    c->problem.strain.phi = c->phi;
    c->problem.strain.far = 1e3 * h;
    c->problem.density = c->problem.viscosity = 1;
    c->problem.tolerance = 1e-13;
    return PL_OK;
}

static pl_status channel_solve(channel *c)
{
    pl__viscosity_info info;
    c->problem.strain.grid = &c->grid;
    c->problem.strain.boundary = &c->boundary;
    return pl__viscosity_solve(c->viscosity, &c->problem, c->u, &info);
}

static double x_velocity(const channel *c, int32_t i, int32_t j)
{
    return c->u[0][pl__columns_uniform(&c->grid.face[0], i, j)];
}

// The velocity in the middle after `time`, from rest, in so many steps.
static pl_status start_channel(channel *c, double time, int32_t steps, double push, double *middle)
{
    int32_t n = c->grid.cell.ny;
    c->problem.dt = time / steps;
    memset(c->u[0], 0, (size_t)c->grid.face[0].value_count * sizeof(double));
    for (int32_t step = 0; step < steps; ++step)
    {
        for (int32_t f = 0; f < c->grid.face[0].value_count; ++f)
            c->u[0][f] += c->problem.dt * push;
        PL_TRY(channel_solve(c));
    }
    *middle = 0.5 * (x_velocity(c, 0, n / 2) + x_velocity(c, 0, (n - 1) / 2));
    return PL_OK;
}

enum
{
    TIMES = 5
};

// Largest difference from a table of (time, velocity in the middle). Euler's steps are extrapolated from dt and dt / 2,
// so that what is left is the error of space.
static pl_status compare_start(trial *t, const double table[TIMES][2], double push, double plate)
{
    channel c;
    double worst = 0;
    pl_status status = channel_make(t->ctx, 1, t->cells, &c);
    c.problem.strain.wall[PL_SIDE_UPPER_Y][0] = plate;
    for (int n = 0; n < TIMES && status == PL_OK && trial_goes_on(t, (double)n / TIMES); ++n)
    {
        double coarse = 0, fine = 0;
        status = start_channel(&c, table[n][0], 100, push, &coarse);
        if (status == PL_OK)
            status = start_channel(&c, table[n][0], 200, push, &fine);
        worst = fmax(worst, fabs(2 * fine - coarse - table[n][1]));
    }
    if (status == PL_OK)
        trial_tell(t, 0, worst, 0, "worst of 5 times, in the middle");
    channel_done(&c);
    return status;
}

pl_status validate_couette(trial *t)
{
    static const double table[TIMES][2] = {
        {0.02, 0.01242}, {0.05, 0.11384}, {0.1, 0.26276}, {0.2, 0.41157}, {0.5, 0.49542}};
    return compare_start(t, table, 0, 1);
}

pl_status validate_poiseuille(trial *t)
{
    static const double table[TIMES][2] = {
        {0.0125, 0.09996}, {0.025, 0.19775}, {0.05, 0.37039}, {0.125, 0.69945}, {0.25, 0.91248}};
    return compare_start(t, table, 8, 0);
}

// Rate of decay of a vortex from one implicit step: u / (1 + dt rate).
static pl_status vortex_rate(trial *t, int32_t n, double *rate)
{
    channel c;
    pl_status status = channel_make(t->ctx, n, n, &c);
    for (int axis = 0; axis < 2 && status == PL_OK; ++axis)
        for (int32_t i = 0; i < c.grid.face[axis].nx; ++i)
            for (int32_t j = 0; j < c.grid.face[axis].ny; ++j)
            {
                double x[3];
                pl__grid_point(&c.grid.face[axis], i, j, 0, x);
                c.u[axis][pl__columns_uniform(&c.grid.face[axis], i, j)] =
                    axis == 0 ? sin(pi * x[0]) * cos(pi * x[1]) : -cos(pi * x[0]) * sin(pi * x[1]);
            }
    c.problem.strain.slip = true;
    c.problem.dt = 0.01;
    double before = status == PL_OK ? x_velocity(&c, n / 2, n / 4) : 0;
    if (status == PL_OK)
        status = channel_solve(&c);
    if (status == PL_OK)
        *rate = (before / x_velocity(&c, n / 2, n / 4) - 1) / c.problem.dt;
    channel_done(&c);
    return status;
}

pl_status validate_taylor_green(trial *t)
{
    double coarse = 0, rate = 0, exact = 2 * pi * pi;
    PL_TRY(vortex_rate(t, t->cells / 2, &coarse));
    if (!trial_goes_on(t, 0.5))
        return PL_OK;
    PL_TRY(vortex_rate(t, t->cells, &rate));
    trial_tell(t, 0, rate, exact, "");
    trial_tell(t, 1, log2(fabs(coarse - exact) / fabs(rate - exact)), 2, "from half the cells");
    return PL_OK;
}

// ---- driven cavity -------------------------------------------------------------------------------------------------

static double brim(void *user, const double x[3], double velocity[3])
{
    (void)user, (void)x;
    velocity[0] = velocity[1] = velocity[2] = 0;
    return -1;
}

enum
{
    ACROSS = 11, // points of Ghia's tables, without those at walls and those that are known to be misprinted
    ALONG = 10
};

// Largest difference of a component of velocity along the middle line of the other axis.
static double cavity_error(const pl__liquid *l, int axis, int32_t count, const double (*table)[2])
{
    double worst = 0, x[3] = {0.5, 0.5, 0.5 * l->def.h}, v[3];
    for (int32_t n = 0; n < count; ++n)
    {
        x[1 - axis] = table[n][0];
        bool inside = pl__grid_velocity(&l->state.grid, l->state.u, x, v);
        worst = fmax(worst, inside ? fabs(v[axis] - table[n][1]) : INFINITY);
    }
    return worst;
}

pl_status validate_cavity(trial *t)
{
    static const double u[ACROSS][2] = {{.9766, .84123},  {.9531, .68717},  {.8516, .23151},  {.7344, .00332},
                                        {.6172, -.13641}, {.5, -.20581},    {.4531, -.21090}, {.2813, -.15662},
                                        {.1719, -.10150}, {.1016, -.06434}, {.0547, -.03717}};
    static const double v[ALONG][2] = {{.9688, -.05906}, {.9453, -.10313}, {.9063, -.16914}, {.8594, -.22445},
                                       {.8047, -.24533}, {.5, .05454},     {.2344, .17527},  {.1563, .16077},
                                       {.0938, .12317},  {.0625, .09233}};
    int32_t n = t->cells;
    pl__liquid_def def = {.cells = {n, n, 1},
                          .h = 1.0 / n,
                          .closed = {true, true, true, true, true, true},
                          .cfl = 1,
                          .tolerance = 1e-4,
                          .density = 1,
                          .viscosity = 0.01,
                          .wall = {[PL_SIDE_UPPER_Y] = {1, 0, 0}}};
    static const double weightless[3];
    pl__obstacles none = {0};
    pl__liquid *l;
    pl_status status = pl__liquid_create(t->ctx, &def, brim, NULL, &none, &l);
    for (int32_t step = 0, steps = 10 * n; status == PL_OK && step < steps; ++step)
        if (!trial_goes_on(t, (double)step / steps))
            break;
        else
            status = pl__liquid_step(l, 1.0 / n, weightless, &none);
    if (status == PL_OK)
    {
        trial_tell(t, 0, cavity_error(l, 0, ACROSS, u), 0, "worst of 11 points, parts of the speed of the lid");
        trial_tell(t, 1, cavity_error(l, 1, ALONG, v), 0, "worst of 10; the published ones are off by up to 0.008");
    }
    pl__liquid_destroy(&l);
    return status;
}
