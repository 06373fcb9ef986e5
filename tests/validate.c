// tests/validate.c -- what pliant validate calls a pass, and which cases it picks.
#include "case.h"
#include "host.h"

static validate_figure seen;
static int seen_count;
static char seen_note[100];

static void take(void *user, const validate_figure *f)
{
    (void)user;
    seen = *f;
    snprintf(seen_note, sizeof seen_note, "%s", f->note);
    ++seen_count;
}
static bool go_on(void *user, const char *name, double part)
{
    (void)name, (void)part;
    return !user;
}

// A relative and an absolute figure, with tolerances that narrow.
static const validate_case toy = {
    "toy", NULL, 3, "a book", "box", {4, 8, 16}, {{"a", "m", false, {0.1, 0.05, 0.01}}, {"b", "%", true, {3, 2, 1}}}};

static trial toy_trial(const validate_listener *listener, validate_effort effort)
{
    return (trial){NULL, &toy, listener, effort, toy.cells[effort], toy.parameter, false};
}

static void tolerances_decide(void)
{
    static const struct
    {
        int32_t number;
        double ours, published, deviation;
        bool passed[3];
    } row[] = {{0, 2.08, 2, 0.04, {1, 1, 0}}, {0, 1.85, 2, -0.075, {1, 0, 0}}, {0, 2.5, 2, 0.25, {0, 0, 0}},
               {0, NAN, 2, NAN, {0, 0, 0}},   {1, 2.5, 0, 2.5, {1, 0, 0}},     {1, -0.5, 1, -1.5, {1, 1, 0}}};
    validate_listener listener = {take, go_on, NULL};
    for (size_t k = 0; k < sizeof row / sizeof row[0]; ++k)
        for (int effort = 0; effort < 3; ++effort)
        {
            trial t = toy_trial(&listener, (validate_effort)effort);
            trial_tell(&t, row[k].number, row[k].ours, row[k].published, "x");
            CHECK(seen.passed == row[k].passed[effort] && seen.cells == toy.cells[effort] &&
                  seen.relative == (row[k].number == 0) && strcmp(seen_note, "x") == 0);
            CHECK(isnan(row[k].deviation) ? isnan(seen.deviation) : fabs(seen.deviation - row[k].deviation) < 1e-12);
        }
}

// Deviations of points do not cancel.
static void curves_are_judged_by_their_points(void)
{
    static const double ours[] = {1.1, 1.8}, published[] = {1, 2};
    validate_listener listener = {take, go_on, NULL};
    trial t = toy_trial(&listener, VALIDATE_QUICK);
    trial_tell_curve(&t, 0, 2, ours, published, "");
    CHECK_NEAR(seen.deviation, 0.1, 1e-12);
    CHECK_NEAR(seen.ours, 1.45, 1e-12);
    CHECK_NEAR(seen.published, 1.5, 1e-12);
}

static void stopped_trials_tell_nothing(void)
{
    validate_listener listener = {take, go_on, &listener};
    trial t = toy_trial(&listener, VALIDATE_USUAL);
    CHECK(!trial_goes_on(&t, 0.5) && t.stopped);
    seen_count = 0;
    trial_tell(&t, 0, 1, 1, "");
    CHECK(seen_count == 0);
}

// Every row is complete, names are unique, and finer is never coarser.
static void the_table_is_sound(void)
{
    CHECK(validate_count("slosh", VALIDATE_USUAL) == 4 && validate_count("nothing", VALIDATE_USUAL) == 0);
    CHECK(validate_count(NULL, VALIDATE_QUICK) < validate_count(NULL, VALIDATE_USUAL));
    for (const validate_case *c = validate_cases; c->name; ++c)
    {
        CHECK(c->run && c->source && c->cells_of && c->figure[0].what);
        CHECK(c->cells[1] > 0 && c->cells[0] < c->cells[1] && c->cells[1] < c->cells[2]);
        for (const validate_case *d = validate_cases; d < c; ++d)
            CHECK(strcmp(c->name, d->name) != 0);
        for (int n = 0; n < VALIDATE_MOST_FIGURES && c->figure[n].what; ++n)
        {
            const double *tolerance = c->figure[n].tolerance;
            CHECK(c->figure[n].unit && tolerance[2] > 0 && tolerance[2] <= tolerance[1]);
            CHECK(c->cells[0] == 0 || tolerance[1] <= tolerance[0]);
        }
    }
}

// Cases with and without objects and particles, stopped at its first step.
static pl_status attempt(pl_context *ctx)
{
    static pl_status (*const run[])(trial *) = {validate_rest, validate_dam_break, validate_zalesak};
    validate_listener listener = {take, go_on, &listener};
    for (size_t k = 0; k < sizeof run / sizeof run[0]; ++k)
    {
        trial t = {ctx, &toy, &listener, VALIDATE_QUICK, 8, 0.3, false};
        pl_status status = run[k](&t);
        if (status != PL_OK)
            return status;
        CHECK(t.stopped);
    }
    return PL_OK;
}

static void every_failed_allocation_is_survived(void)
{
    seen_count = 0;
    CHECK(survive_every_failure(attempt) > 50);
    CHECK(seen_count == 0);
}

int main(int argc, char **argv)
{
    static const pl_test tests[] = {TEST(tolerances_decide), TEST(curves_are_judged_by_their_points),
                                    TEST(stopped_trials_tell_nothing), TEST(the_table_is_sound),
                                    TEST(every_failed_allocation_is_survived)};
    return RUN(tests);
}
