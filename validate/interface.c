// validate/interface.c -- surfaces that a given flow stretches and brings back: how much is lost, and how much is not
// where it was.
//
// Zalesak's slotted disk turns once (1979); a disk is drawn out by a vortex that reverses (Bell, Colella & Glaz 1989,
// LeVeque 1996). Published are losses of the particle level set (Enright et al. 2002), of which ours is one.
#include "case.h"
#include "fluid/grid.h"
#include "fluid/particles.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

// ---- flows and shapes, in the unit square --------------------------------------------------------------------------

static void rotation(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    (void)user, (void)time;
    for (int32_t n = 0; n < count; ++n)
    {
        v[0][n] = 2 * pi * (0.5 - x[1][n]);
        v[1][n] = 2 * pi * (x[0][n] - 0.5);
        v[2][n] = 0;
    }
}

static void vortex(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    double turn = cos(pi * time / *(const double *)user);
    for (int32_t n = 0; n < count; ++n)
    {
        double a = pi * x[0][n], b = pi * x[1][n];
        v[0][n] = -turn * sin(a) * sin(a) * sin(2 * b);
        v[1][n] = turn * sin(b) * sin(b) * sin(2 * a);
        v[2][n] = 0;
    }
}

static double disk(void *user, const double x[3])
{
    (void)user;
    return hypot(x[0] - 0.5, x[1] - 0.75) - 0.15;
}

static double slotted_disk(void *user, const double x[3])
{
    double aside = fabs(x[0] - 0.5) - 0.025, over = x[1] - 0.85;
    double slot = aside > 0 && over > 0 ? hypot(aside, over) : fmax(aside, over);
    return fmax(disk(user, x), -slot);
}

// ---- a run ---------------------------------------------------------------------------------------------------------

enum
{
    PER_CELL = 16, // markers, and how many cells they are from the surface: as published
    BAND = 3
};

typedef struct square
{
    pl_context *ctx;
    pl__grid grid;
    pl__levelset ls;
    double *next;
    pl__particles particles;
    pl__strays strays;
    pl__arena scratch;
} square;

static pl_status make(square *s, int32_t n, pl__distance_function *shape)
{
    static const double origin[3];
    int32_t cells[3] = {n, n, 1};
    PL_TRY(pl__grid_make_full(s->ctx, &s->grid, cells, origin, 1.0 / n));
    const pl__columns *c = &s->grid.cell;
    s->ls = (pl__levelset){c, PL_NEW(s->ctx, c->value_count, double), 7.0 / n};
    s->next = PL_NEW(s->ctx, c->value_count, double);
    if (!s->ls.phi || !s->next)
        return PL_ERR_MEMORY;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
        {
            double x[3];
            pl__grid_point(c, i, j, 0, x);
            s->ls.phi[pl__columns_uniform(c, i, j)] = shape(NULL, x);
        }
    pl__particles_def def = {PER_CELL, BAND, 11};
    return pl__particles_seed(s->ctx, &s->particles, &s->ls, &def, 0, &s->scratch);
}

static void done(square *s)
{
    int32_t count = s->grid.cell.value_count;
    PL_DELETE(s->ctx, s->ls.phi, s->ls.phi ? count : 0);
    PL_DELETE(s->ctx, s->next, s->next ? count : 0);
    pl__grid_done(s->ctx, &s->grid);
    pl__particles_done(s->ctx, &s->particles);
    pl__strays_done(s->ctx, &s->strays);
    pl__arena_done(&s->scratch);
}

static pl_status step(square *s, const pl__motion *motion, uint64_t number, double dt)
{
    pl__particles_def def = {PER_CELL, BAND, 11};
    double time = (double)number * dt;
    pl__levelset_advect(s->ctx, &s->ls, motion, time, dt, 5 * s->ls.cell->h, s->next);
    double *swap = s->ls.phi;
    s->ls.phi = s->next, s->next = swap;
    pl__particles_move(s->ctx, &s->particles, s->ls.cell, motion, time, dt);
    PL_TRY(pl__particles_correct(s->ctx, &s->particles, &s->ls, true, &s->scratch));
    PL_TRY(pl__levelset_redistance(s->ctx, &s->ls, &s->scratch));
    PL_TRY(pl__particles_correct(s->ctx, &s->particles, &s->ls, false, &s->scratch));
    PL_TRY(pl__particles_finish(s->ctx, &s->particles, &s->ls, &s->scratch, &s->strays));
    if (number % 20 == 19)
        PL_TRY(pl__particles_reseed(s->ctx, &s->particles, &s->ls, &def, number + 1, &s->scratch));
    return PL_OK;
}

// One period of a flow of at most `speed`, a cell a step.
static pl_status turn(square *s, trial *t, const pl__motion *motion, double period, double speed,
                      pl__distance_function *shape, double *lost, double *misplaced)
{
    int32_t steps = (int32_t)ceil(period * speed * t->cells);
    double before, after, wrong;
    PL_TRY(make(s, t->cells, shape));
    PL_TRY(pl__levelset_volume(s->ctx, &s->ls, NULL, &s->scratch, &before));
    for (int32_t n = 0; n < steps && trial_goes_on(t, (double)n / steps); ++n)
        PL_TRY(step(s, motion, (uint64_t)n, period / steps));
    PL_TRY(pl__levelset_volume(s->ctx, &s->ls, NULL, &s->scratch, &after));
    PL_TRY(pl__levelset_misplaced(s->ctx, &s->ls, shape, NULL, &s->scratch, &wrong));
    *lost = 100 * (1 - after / before);
    *misplaced = 100 * wrong / before;
    return PL_OK;
}

// `published` losses at the usual resolution, and at twice that.
static pl_status compare(trial *t, pl__flow *flow, double period, double speed, pl__distance_function *shape,
                         const double published[2])
{
    square s = {.ctx = t->ctx};
    pl__arena_init(&s.scratch, t->ctx);
    pl__motion motion = {flow, NULL, &period, false};
    double lost, misplaced;
    pl_status status = turn(&s, t, &motion, period, speed, shape, &lost, &misplaced);
    if (status == PL_OK)
    {
        trial_tell(t, 0, lost, published[t->effort == VALIDATE_FINE], "Enright et al. 2002, as recalled");
        trial_tell(t, 1, misplaced, 0, "symmetric difference; none is published");
    }
    done(&s);
    return status;
}

pl_status validate_zalesak(trial *t)
{
    static const double published[2] = {0.31, 0.20};
    return compare(t, rotation, 1, pi, slotted_disk, published);
}

pl_status validate_vortex(trial *t)
{
    static const double published[2] = {0.71, 0.35};
    return compare(t, vortex, 8, 1, disk, published);
}
