// validate/validate.c -- cases one after the other.
#include "case.h"

#include <math.h>
#include <string.h>

static bool picked(const validate_case *c, const char *only, validate_effort effort)
{
    return c->cells[effort] > 0 && (!only || strncmp(c->name, only, strlen(only)) == 0);
}

int32_t validate_count(const char *only, validate_effort effort)
{
    int32_t count = 0;
    for (const validate_case *c = validate_cases; c->name; ++c)
        count += picked(c, only, effort);
    return count;
}

const char *validate_name(int32_t number) { return validate_cases[number].name; }

pl_status validate_run(pl_context *ctx, const char *only, validate_effort effort, const validate_listener *listener)
{
    for (const validate_case *c = validate_cases; c->name; ++c)
    {
        trial t = {ctx, c, listener, effort, c->cells[effort], c->parameter, false};
        if (!picked(c, only, effort))
            continue;
        PL_TRY(c->run(&t));
        if (t.stopped)
            break;
    }
    return PL_OK;
}

bool trial_goes_on(trial *t, double part)
{
    t->stopped = t->stopped || !t->listener->progress(t->listener->user, t->what->name, part);
    return !t->stopped;
}

static void tell(trial *t, int32_t number, double ours, double published, double deviation, const char *note)
{
    const expected_figure *f = &t->what->figure[number];
    validate_figure figure = {.name = t->what->name,
                              .what = f->what,
                              .unit = f->unit,
                              .source = t->what->source,
                              .cells_of = t->what->cells_of,
                              .note = note,
                              .cells = t->cells,
                              .relative = !f->absolute,
                              .ours = ours,
                              .published = published,
                              .deviation = deviation,
                              .tolerance = f->tolerance[t->effort]};
    figure.passed = fabs(deviation) <= figure.tolerance; // what is no number has not passed
    if (!t->stopped)
        t->listener->figure(t->listener->user, &figure);
}

void trial_tell(trial *t, int32_t number, double ours, double published, const char *note)
{
    bool absolute = t->what->figure[number].absolute;
    tell(t, number, ours, published, absolute ? ours - published : ours / published - 1, note);
}

double trial_curve_deviation(int32_t count, const double *ours, const double *published)
{
    double sum = 0;
    for (int32_t n = 0; n < count; ++n)
        sum += fabs(ours[n] / published[n] - 1);
    return sum / count;
}

void trial_tell_curve(trial *t, int32_t number, int32_t count, const double *ours, const double *published,
                      const char *note)
{
    double a = 0, b = 0;
    for (int32_t n = 0; n < count; ++n)
        a += ours[n], b += published[n];
    tell(t, number, a / count, b / count, trial_curve_deviation(count, ours, published), note);
}
