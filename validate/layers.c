// validate/layers.c -- waves between two liquids in a full box of length L = 1 m and height 2 m.
//
// Linear theory for inviscid liquids, each H = 1 m deep, with densities r1 below and r2 above:
//
//     w^2 = A g k tanh(k H),    A = (r1 - r2) / (r1 + r2),    k = pi / L.
//
// With the heavy liquid below a cosine swings with w. With the heavy one above it grows as cosh(|w| t): the rate is
// found from the amplitude after so long that it is seven times that of the start, and a hundredth of L at most.
#include "fluid/phases.h"
#include "tank.h"

#include <math.h>

static const double pi = 3.14159265358979323846, amplitude = 0.001;

// What is above (0) and below (1) the wave.
static double layer(void *user, int32_t liquid, const double x[3])
{
    (void)user;
    double above = x[1] - 1 - amplitude * cos(pi * x[0]);
    return fmax(liquid == 0 ? -above : above, 0);
}

static double everywhere(void *user, const double x[3], double v[3])
{
    (void)user, (void)x;
    v[0] = v[1] = v[2] = 0;
    return -1;
}

// Of the first mode, by volumes.
static double first_mode(const tank *box)
{
    const pl__columns *c = &box->liquid->state.grid.cell;
    const double *part = pl__phase(box->liquid->state.phases.part, c, 1);
    double sum = 0;
    for (int32_t i = 0; i < c->nx; ++i)
        for (int32_t j = 0; j < c->ny; ++j)
            sum += part[pl__columns_uniform(c, i, j)] * cos(pi * (i + 0.5) * c->h);
    return 2 * sum * c->h * c->h;
}

static pl_status measure_growth(tank *box, double rate, double *found)
{
    double start = first_mode(box), end = 2.6 / rate;
    while (box->time < end && trial_goes_on(box->t, box->time / end))
        PL_TRY(tank_step(box, 0.02 / rate));
    double growth = first_mode(box) / start;
    *found = log(growth + sqrt(growth * growth - 1)) / box->time;
    return PL_OK;
}

static pl_status measure_period(tank *box, double rate, double *found)
{
    double theory = 2 * pi / rate, last = first_mode(box), first = 0, recent = 0, end = 1.3 * theory;
    int32_t crossings = 0;
    while (box->time < end && trial_goes_on(box->t, box->time / end))
    {
        double before = box->time;
        PL_TRY(tank_step(box, theory / 80));
        double now = first_mode(box);
        if (now * last < 0)
        {
            recent = before + (box->time - before) * last / (last - now);
            first = crossings++ ? first : recent;
        }
        last = now;
    }
    *found = 2 * (recent - first) / (crossings - 1);
    return PL_OK;
}

// The parameter is the density above over that below.
pl_status validate_layers(trial *t)
{
    int32_t n = t->cells;
    double ratio = t->parameter, contrast = (ratio - 1) / (ratio + 1);
    double rate = sqrt(fabs(contrast) * TANK_GRAVITY * pi * tanh(pi)), found = 0;
    pl__phase_law law[2] = {{.density = 1000 * ratio}, {.density = 1000}};
    tank_def def = {.cells = {n, 2 * n},
                    .h = 1.0 / n,
                    .tolerance = 1e-6,
                    .shape = everywhere,
                    .liquid_count = 2,
                    .law = law,
                    .region = layer};
    tank box;
    PL_TRY(tank_make(t, &def, &box));
    pl_status status = ratio > 1 ? measure_growth(&box, rate, &found) : measure_period(&box, rate, &found);
    if (status == PL_OK)
        trial_tell(t, 0, found, ratio > 1 ? rate : 2 * pi / rate, "");
    tank_done(&box);
    return status;
}
