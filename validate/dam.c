// validate/dam.c -- a column of water, a wide and 2 a high, that collapses.
//
// Martin & Moyce 1952, tables 2 and 6 (n^2 = 2, a = 2.25 in), as quoted by several public codes: the front Z = x / a
// over T = t sqrt(2 g / a), and the height at the wall H = y / 2a over tau = t sqrt(g / a). Where the experiment began
// is not known: the gate takes its time, and the first points of Z scatter. So the time of either curve may be shifted:
// by what makes its mean deviation least, which is told. Real water has a floor that holds it back, ours slides.
#include "tank.h"

#include <math.h>
#include <stdio.h>

enum
{
    FRONTS = 15,
    HEIGHTS = 13,
    MOST_SAMPLES = 4000
};

static const double front_time[FRONTS] = {0.41, 0.84, 1.19, 1.43, 1.63, 1.83, 1.98, 2.20,
                                          2.32, 2.51, 2.65, 2.83, 2.98, 3.11, 3.33},
                    front_at[FRONTS] = {1.11, 1.22, 1.44, 1.67, 1.89, 2.11, 2.33, 2.56,
                                        2.78, 3.00, 3.22, 3.44, 3.67, 3.89, 4.11},
                    height_time[HEIGHTS] = {0.56, 0.77, 0.93, 1.08, 1.28, 1.46, 1.66,
                                            1.84, 2.00, 2.21, 2.45, 2.70, 3.06},
                    height_at[HEIGHTS] = {0.94, 0.89, 0.83, 0.78, 0.72, 0.67, 0.61, 0.56, 0.50, 0.44, 0.39, 0.33, 0.28};

// ---- curves --------------------------------------------------------------------------------------------------------

typedef struct curve
{
    double time[MOST_SAMPLES], value[MOST_SAMPLES];
    int32_t count;
} curve;

static void add(curve *c, double time, double value)
{
    if (c->count == MOST_SAMPLES)
        return;
    c->time[c->count] = time;
    c->value[c->count++] = value;
}

static double at(const curve *c, double time)
{
    int32_t n = 1;
    while (n < c->count - 1 && c->time[n] < time)
        ++n;
    double part = (time - c->time[n - 1]) / (c->time[n] - c->time[n - 1]);
    part = fmin(fmax(part, 0), 1);
    return c->value[n - 1] + part * (c->value[n] - c->value[n - 1]);
}

// Our values at the published times, if our clock starts `shift` later.
static double compare(const curve *c, double shift, int32_t count, const double *time, const double *value,
                      double *ours)
{
    for (int32_t n = 0; n < count; ++n)
        ours[n] = at(c, time[n] - shift);
    return trial_curve_deviation(count, ours, value);
}

static void tell_shifted(trial *t, int32_t number, const curve *c, int32_t count, const double *time,
                         const double *value)
{
    double ours[FRONTS], best = INFINITY, shift = 0;
    double plain = compare(c, 0, count, time, value, ours);
    for (int32_t n = -100; n <= 100; ++n)
    {
        double deviation = compare(c, 0.005 * n, count, time, value, ours);
        if (deviation < best)
            best = deviation, shift = 0.005 * n;
    }
    char note[100];
    (void)compare(c, shift, count, time, value, ours);
    snprintf(note, sizeof note, "mean of %d points; time shifted by %.3f, without %.1f %%", count, shift, 100 * plain);
    trial_tell_curve(t, number, count, ours, value, note);
}

// ---- runs ----------------------------------------------------------------------------------------------------------

static double column(void *user, const double x[3], double v[3])
{
    const double *size = user;
    double a = x[0] - size[0], b = x[1] - size[1];
    v[0] = v[1] = v[2] = 0;
    return a > 0 && b > 0 ? hypot(a, b) : fmax(a, b);
}

static pl_status record(tank *box, double a, curve *front, curve *height)
{
    double per_second = sqrt(TANK_GRAVITY / a), end = 3.1 / per_second;
    pl_status status = PL_OK;
    add(front, 0, 1);
    add(height, 0, 1);
    while (status == PL_OK && box->time < end && trial_goes_on(box->t, box->time / end))
    {
        status = tank_step(box, end);
        add(front, sqrt(2) * per_second * box->time, tank_front(box) / a);
        add(height, per_second * box->time, tank_surface(box, 0) / (2 * a));
    }
    return status;
}

pl_status validate_dam_break(trial *t)
{
    double a = 0.05715, size[2] = {a, 2 * a};
    int32_t n = t->cells / 2;
    tank_def def = {.cells = {6 * n, 2 * n + n / 4}, .h = a / n, .shape = column, .user = size};
    curve *front = PL_NEW(t->ctx, 1, curve), *height = PL_NEW(t->ctx, 1, curve);
    tank box = {0};
    pl_status status = front && height ? tank_make(t, &def, &box) : PL_ERR_MEMORY;
    if (status == PL_OK)
        status = record(&box, a, front, height);
    if (status == PL_OK)
    {
        tell_shifted(t, 0, front, FRONTS, front_time, front_at);
        tell_shifted(t, 1, height, HEIGHTS, height_time, height_at);
    }
    tank_done(&box);
    PL_DELETE(t->ctx, front, front ? 1 : 0);
    PL_DELETE(t->ctx, height, height ? 1 : 0);
    return status;
}

// A column of 0.4 by 0.6 m in a box of 2 by 1 m, for ten seconds: what liquid and drops are at the end, and how far off
// they were at worst.
pl_status validate_dam_volume(trial *t)
{
    double size[2] = {0.4, 0.6}, end = 10, worst = 0, volume = 1;
    int32_t n = t->cells;
    tank_def def = {.cells = {2 * n, n}, .h = 1.0 / n, .shape = column, .user = size};
    tank box;
    PL_TRY(tank_make(t, &def, &box));
    pl_status status = PL_OK;
    while (status == PL_OK && box.time < end && trial_goes_on(t, box.time / end))
    {
        status = tank_step(&box, 1.0 / 24);
        if (status == PL_OK)
            status = tank_volume(&box, &volume);
        worst = fabs(volume - 1) > fabs(worst) ? volume - 1 : worst;
    }
    if (status == PL_OK)
    {
        trial_tell(t, 0, 100 * (volume - 1), 0, "liquid and drops");
        trial_tell(t, 1, 100 * worst, 0, "liquid and drops");
    }
    tank_done(&box);
    return status;
}
