// validate/interface.c -- surfaces that a given flow stretches and brings back: how much is lost, and how much is not
// where it was.
//
// Zalesak's slotted disk turns once (1979); a disk is drawn out by a vortex that reverses (Bell, Colella & Glaz 1989,
// LeVeque 1996), and a ball by two of them. Published are losses of the particle level set (Enright et al. 2002), of
// which ours is one.
#include "case.h"
#include "fluid/grid.h"
#include "fluid/particles.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

// ---- flows and shapes, in the unit square or cube
// --------------------------------------------------------------------------

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

// LeVeque 1996, of two vortices in space.
static void two_vortices(void *user, double time, int32_t count, const double *const x[3], double *const v[3])
{
    double turn = cos(pi * time / *(const double *)user);
    for (int32_t n = 0; n < count; ++n)
    {
        double two[3], square[3];
        for (int axis = 0; axis < 3; ++axis)
        {
            double s = sin(pi * x[axis][n]);
            two[axis] = 2 * s * cos(pi * x[axis][n]);
            square[axis] = s * s;
        }
        v[0][n] = 2 * turn * square[0] * two[1] * two[2];
        v[1][n] = -turn * two[0] * square[1] * two[2];
        v[2][n] = -turn * two[0] * two[1] * square[2];
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

static double ball(void *user, const double x[3])
{
    (void)user;
    return sqrt((x[0] - 0.35) * (x[0] - 0.35) + (x[1] - 0.35) * (x[1] - 0.35) + (x[2] - 0.35) * (x[2] - 0.35)) - 0.15;
}

// What turns or is drawn out, and comes back.
typedef struct passage
{
    pl__flow *flow;
    pl__distance_function *shape;
    double period, speed, published[2]; // speed: the largest; losses [%] at the usual resolution and the fine one
    int32_t cells_a_step, markers;      // per cell
    bool plane;
} passage;

// ---- a run ---------------------------------------------------------------------------------------------------------

enum
{
    BAND = 3 // cells that markers are from the surface, as published
};

typedef struct run
{
    pl_context *ctx;
    const passage *what;
    pl__grid grid;
    pl__levelset ls;
    double *next;
    pl__particles particles;
    pl__strays strays;
    pl__arena scratch;
} run;

static pl__particles_def markers_of(const run *r) { return (pl__particles_def){r->what->markers, BAND, 11}; }

static pl_status make(run *r, int32_t n)
{
    static const double origin[3];
    int32_t cells[3] = {n, n, r->what->plane ? 1 : n};
    PL_TRY(pl__grid_make_full(r->ctx, &r->grid, cells, origin, 1.0 / n));
    const pl__columns *c = &r->grid.cell;
    r->ls = (pl__levelset){c, PL_NEW(r->ctx, c->value_count, double), (r->what->cells_a_step + 6.0) / n, NULL};
    r->next = PL_NEW(r->ctx, c->value_count, double);
    if (!r->ls.phi || !r->next)
        return PL_ERR_MEMORY;
    for (int32_t column = 0; column < c->nx * c->nz; ++column)
        for (int32_t j = 0; j < n; ++j)
        {
            double x[3];
            pl__grid_point(c, column % n, j, column / n, x);
            r->ls.phi[pl__columns_uniform(c, column, j)] = r->what->shape(NULL, x);
        }
    pl__particles_def def = markers_of(r);
    return pl__particles_seed(r->ctx, &r->particles, &r->ls, &def, 0, &r->scratch);
}

static void done(run *r)
{
    int32_t count = r->grid.cell.value_count;
    PL_DELETE(r->ctx, r->ls.phi, r->ls.phi ? count : 0);
    PL_DELETE(r->ctx, r->next, r->next ? count : 0);
    pl__grid_done(r->ctx, &r->grid);
    pl__particles_done(r->ctx, &r->particles);
    pl__strays_done(r->ctx, &r->strays);
    pl__arena_done(&r->scratch);
}

static pl_status step(run *r, const pl__motion *motion, uint64_t number, double dt)
{
    pl__particles_def def = markers_of(r);
    double time = (double)number * dt;
    pl__levelset_advect(r->ctx, &r->ls, motion, time, dt, (r->what->cells_a_step + 4) * r->ls.cell->h, r->next);
    double *swap = r->ls.phi;
    r->ls.phi = r->next, r->next = swap;
    pl__particles_move(r->ctx, &r->particles, r->ls.cell, motion, time, dt);
    PL_TRY(pl__particles_correct(r->ctx, &r->particles, &r->ls, true, &r->scratch));
    PL_TRY(pl__levelset_redistance(r->ctx, &r->ls, &r->scratch));
    PL_TRY(pl__particles_correct(r->ctx, &r->particles, &r->ls, false, &r->scratch));
    PL_TRY(pl__particles_finish(r->ctx, &r->particles, &r->ls, &r->scratch, &r->strays));
    if (number % 20 == 19)
        PL_TRY(pl__particles_reseed(r->ctx, &r->particles, &r->ls, &def, number + 1, &r->scratch));
    return PL_OK;
}

// One period.
static pl_status turn(run *r, trial *t, double *lost, double *misplaced)
{
    double period = r->what->period, before, after, wrong;
    int32_t steps = (int32_t)ceil(period * r->what->speed * t->cells / r->what->cells_a_step);
    pl__motion motion = {r->what->flow, NULL, &period, false};
    PL_TRY(make(r, t->cells));
    PL_TRY(pl__levelset_volume(r->ctx, &r->ls, NULL, &r->scratch, &before));
    for (int32_t n = 0; n < steps && trial_goes_on(t, (double)n / steps); ++n)
        PL_TRY(step(r, &motion, (uint64_t)n, period / steps));
    PL_TRY(pl__levelset_volume(r->ctx, &r->ls, NULL, &r->scratch, &after));
    PL_TRY(pl__levelset_misplaced(r->ctx, &r->ls, r->what->shape, NULL, &r->scratch, &wrong));
    *lost = 100 * (1 - after / before);
    *misplaced = 100 * wrong / before;
    return PL_OK;
}

static pl_status compare(trial *t, const passage *what)
{
    run r = {.ctx = t->ctx, .what = what};
    pl__arena_init(&r.scratch, t->ctx);
    double lost, misplaced;
    pl_status status = turn(&r, t, &lost, &misplaced);
    if (status == PL_OK)
    {
        trial_tell(t, 0, lost, what->published[t->effort == VALIDATE_FINE], "Enright et al. 2002, as recalled");
        trial_tell(t, 1, misplaced, 0, "symmetric difference; none is published");
    }
    done(&r);
    return status;
}

pl_status validate_zalesak(trial *t)
{
    static const passage disk_turns = {rotation, slotted_disk, 1, 3.1416, {0.31, 0.20}, 1, 16, true};
    return compare(t, &disk_turns);
}

pl_status validate_vortex(trial *t)
{
    static const passage disk_is_drawn = {vortex, disk, 8, 1, {0.71, 0.35}, 1, 16, true};
    return compare(t, &disk_is_drawn);
}

pl_status validate_deformation(trial *t)
{
    static const passage ball_is_drawn = {two_vortices, ball, 3, 2, {2.6, 2.6}, 4, 32, false};
    return compare(t, &ball_is_drawn);
}
