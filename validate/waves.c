// validate/waves.c -- solitary waves over a level floor, against a wall, and up a beach, in water 1 m deep.
//
// The initial state is the solution of Euler's equations (solitary.h). Published, for the height H = eps d: the speed
// (Grimshaw 1971, Fenton 1972; in agreement with that solution), the run-up at a wall 2 eps + eps^2 / 2 + 3 eps^3 / 4
// (Su & Mirie 1980), and the run-up on a beach of 1:19.85 as Synolakis measured it (1987).
#include "solitary.h"
#include "tank.h"

#include <math.h>
#include <stdio.h>

typedef struct flume
{
    solitary wave;
    double crest; // where it is at the start [m]
    double lead;  // how far its velocity is ahead of its surface [m]
} flume;

static double wave_surface(void *user, const double x[3], double v[3])
{
    flume *f = user;
    double from = x[0] - f->crest, scale = sqrt(TANK_GRAVITY);
    solitary_velocity(&f->wave, from - f->lead, x[1] - 1, v);
    v[0] *= scale, v[1] *= scale, v[2] = 0;
    return x[1] - 1 - solitary_elevation(&f->wave, from);
}

// A step moves the surface by the velocity that it finds, and changes that by the new surface: like leapfrog, in which
// velocity is half a step ahead. So it is at the start; otherwise waves begin 2 % too high, at 16 cells.
static pl_status make_wave(trial *t, flume *f)
{
    if (!solitary_make(t->parameter, &f->wave))
        return pl__fail(t->ctx, PL_ERR_ARGUMENT, "a solitary wave of %g depths has not been found", t->parameter);
    f->lead = 0.5 * f->wave.speed * 0.5 * sqrt(1.0 / t->cells);
    return PL_OK;
}

// From the crest to where the elevation is a 250th of its own.
static double reach(double height) { return 7 / sqrt(3 * height); }

// Where the wave is: the middle between the two places where it has half its height. And how high it is.
static double place_of(const tank *box, double *height)
{
    const pl__columns *c = &box->liquid->state.grid.cell;
    double before = 0, rise = 0, fall = 0;
    *height = 0;
    for (int32_t i = 0; i < c->nx; ++i)
        *height = fmax(*height, tank_surface(box, i) - 1);
    for (int32_t i = 0; i < c->nx; ++i)
    {
        double here = tank_surface(box, i) - 1 - 0.5 * *height;
        if (i > 0 && before < 0 && here >= 0)
            rise = c->h * (i - 0.5 + before / (before - here));
        if (i > 0 && before >= 0 && here < 0)
            fall = c->h * (i - 0.5 + before / (before - here));
        before = here;
    }
    return 0.5 * (rise + fall);
}

// ---- level floor, and a wall ---------------------------------------------------------------------------------------

typedef struct passage
{
    double first, last, at_first, at_last; // times and places
    double height;                         // at the last
    double runup;
} passage;

// Seven depths of way, and the wall after that.
static pl_status follow(tank *box, const flume *f, double length, passage *p)
{
    double speed = f->wave.speed * sqrt(TANK_GRAVITY), end = (length - f->crest + 4) / speed;
    int32_t wall = box->liquid->def.cells[0] - 1;
    *p = (passage){.first = -1};
    while (box->time < end && trial_goes_on(box->t, box->time / end))
    {
        PL_TRY(tank_step(box, end));
        double expected = f->crest + speed * box->time, height;
        p->runup = fmax(p->runup, tank_surface(box, wall) - 1);
        if (expected < f->crest + 1 || expected > f->crest + 8)
            continue;
        double place = place_of(box, &height);
        if (p->first < 0)
            p->first = box->time, p->at_first = place;
        p->last = box->time, p->at_last = place, p->height = height;
    }
    return PL_OK;
}

pl_status validate_solitary(trial *t)
{
    double e = t->parameter, length = 2 * reach(e) + 8, published = 2 * e + e * e / 2 + 3 * e * e * e / 4;
    flume f = {.crest = reach(e)};
    PL_TRY(make_wave(t, &f));
    int32_t n = t->cells;
    tank_def def = {.cells = {(int32_t)ceil(length * n), (int32_t)ceil((1.2 + 1.1 * published) * n)},
                    .h = 1.0 / n,
                    .shape = wave_surface,
                    .user = &f};
    tank box;
    passage p;
    char note[80];
    PL_TRY(tank_make(t, &def, &box));
    pl_status status = follow(&box, &f, def.cells[0] * def.h, &p);
    if (status == PL_OK)
    {
        double speed = (p.at_last - p.at_first) / (p.last - p.first) / sqrt(TANK_GRAVITY);
        snprintf(note, sizeof note, "over 7 depths; height %.1f %% of that at the start", 100 * p.height / e);
        trial_tell(t, 0, speed, sqrt(1 + e - e * e / 20 - 3 * e * e * e / 70), note);
        trial_tell(t, 1, p.runup, published, "");
    }
    tank_done(&box);
    return status;
}

// ---- beach ---------------------------------------------------------------------------------------------------------

// Where Synolakis begins: the toe of the beach is as far from the crest as where the elevation is a 20th of its height.
static double distance_to_toe(double height) { return acosh(sqrt(20)) / sqrt(0.75 * height); }

static double published_runup(double height)
{
    static const double table[][2] = {{0.019, 0.078}, {0.039, 0.157}, {0.056, 0.207}, {0.094, 0.288}, {0.276, 0.495}};
    for (size_t n = 0; n < sizeof table / sizeof table[0]; ++n)
        if (table[n][0] == height)
            return table[n][1];
    return NAN;
}

// How high the tip of the water has come: the ground where, seen from the sea, the first dry column begins. Drops that
// fly, and films of water behind a dry place, do not count.
static double tip_of(const tank *box, double toe, double slope)
{
    const pl__columns *c = &box->liquid->state.grid.cell;
    int32_t i = (int32_t)(toe / c->h);
    while (i < c->nx && tank_is_wet(box, i, slope * ((i + 0.5) * c->h - toe)))
        ++i;
    return slope * (i * c->h - toe) - 1;
}

pl_status validate_beach(trial *t)
{
    double e = t->parameter, slope = 1 / 19.85, published = published_runup(e);
    flume f = {.crest = reach(e)};
    PL_TRY(make_wave(t, &f));
    double toe = f.crest + distance_to_toe(e), top = 1 + 1.4 * published, length = toe + top / slope;
    pl_object_def beach = pl_object_def_default();
    beach.kind = PL_OBJECT_PLANE;
    beach.normal[0] = -slope, beach.normal[1] = 1;
    beach.at[0] = toe;
    int32_t n = t->cells;
    tank_def def = {.cells = {(int32_t)ceil(length * n), (int32_t)ceil((top + 0.1) * n)},
                    .h = 1.0 / n,
                    .object = &beach,
                    .shape = wave_surface,
                    .user = &f};
    tank box;
    PL_TRY(tank_make(t, &def, &box));
    double speed = f.wave.speed * sqrt(TANK_GRAVITY), end = (toe - f.crest + 2.2 / slope) / speed, runup = 0;
    pl_status status = PL_OK;
    while (status == PL_OK && box.time < end && trial_goes_on(t, box.time / end))
    {
        status = tank_step(&box, end);
        runup = fmax(runup, tip_of(&box, toe, slope));
    }
    if (status == PL_OK)
        trial_tell(t, 0, runup, published, "");
    tank_done(&box);
    return status;
}
