// validate/sloshing.c -- water at rest, and the first mode of a basin of length L = 1 m.
//
// Linear theory: w^2 = g k tanh(k h), k = pi / L. The amplitude is 1/5 of a hundredth of L in shallow basins and a
// hundredth in deep ones, so that the correction for finite height, of the order of (amplitude / depth)^2, is far below
// the tolerance. Its sign changes are counted over a bit more than two periods.
#include "tank.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

typedef struct basin
{
    double depth, amplitude; // [m]
} basin;

static double cosine_surface(void *user, const double x[3], double v[3])
{
    const basin *b = user;
    v[0] = v[1] = v[2] = 0;
    return x[1] - b->depth - b->amplitude * cos(pi * x[0]);
}

static double first_mode(const tank *box, double depth)
{
    const pl__columns *c = &box->liquid->state.grid.cell;
    double sum = 0;
    for (int32_t i = 0; i < c->nx; ++i)
        sum += (tank_surface(box, i) - depth) * cos(pi * (i + 0.5) * c->h);
    return 2 * sum * c->h;
}

static pl_status time_crossings(tank *box, const basin *b, double theory, double *period)
{
    double last = b->amplitude, first = 0, recent = 0, end = 2.3 * theory;
    int32_t crossings = 0;
    while (box->time < end && trial_goes_on(box->t, box->time / end))
    {
        double before = box->time;
        PL_TRY(tank_step(box, theory / 40));
        double now = first_mode(box, b->depth);
        if (now * last < 0)
        {
            recent = before + (box->time - before) * last / (last - now);
            first = crossings++ ? first : recent;
        }
        last = now;
    }
    *period = 2 * (recent - first) / (crossings - 1);
    return PL_OK;
}

pl_status validate_sloshing(trial *t)
{
    int32_t n = t->cells;
    basin b = {t->parameter, t->parameter < 0.5 ? 0.002 : 0.01};
    tank_def def = {.cells = {n, (int32_t)ceil((b.depth + 0.2) * n)},
                    .h = 1.0 / n,
                    .tolerance = 1e-6,
                    .shape = cosine_surface,
                    .user = &b};
    double theory = 2 * pi / sqrt(TANK_GRAVITY * pi * tanh(pi * b.depth)), period = 0;
    tank box;
    PL_TRY(tank_make(t, &def, &box));
    pl_status status = time_crossings(&box, &b, theory, &period);
    if (status == PL_OK)
        trial_tell(t, 0, period, theory, "");
    tank_done(&box);
    return status;
}

// Water on a slope of 1:5, half of it above tall cells: nothing moves.
pl_status validate_rest(trial *t)
{
    int32_t n = t->cells;
    pl_object_def slope = pl_object_def_default();
    slope.kind = PL_OBJECT_PLANE;
    slope.normal[0] = -0.2, slope.normal[1] = 1;
    slope.at[0] = 0.3;
    basin b = {0.3137, 0};
    tank_def def = {
        .cells = {2 * n, n / 2}, .h = 1.0 / n, .depth = 0.1, .object = &slope, .shape = cosine_surface, .user = &b};
    tank box;
    PL_TRY(tank_make(t, &def, &box));
    pl__liquid_sums sums = {0};
    pl_status status = PL_OK;
    for (double end = 2; status == PL_OK && box.time < end && trial_goes_on(t, box.time / end);)
        status = tank_step(&box, 0.05);
    if (status == PL_OK)
        status = pl__liquid_sum(box.liquid, &sums);
    if (status == PL_OK)
        trial_tell(t, 0, sums.speed, 0, "after 2 s, over a slope, with tall cells");
    tank_done(&box);
    return status;
}
