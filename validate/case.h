// validate/case.h -- what a case is made of: a row of the table in cases.c, and its function.
//
// The function simulates with `t->cells` cells, calls trial_goes_on now and then, and tells each figure of its row
// once, unless it was stopped.
#ifndef PL_VALIDATE_CASE_H
#define PL_VALIDATE_CASE_H

#include "validate.h"
#include "base/context.h"

enum
{
    VALIDATE_EFFORTS = 3,
    VALIDATE_MOST_FIGURES = 3
};

typedef struct validate_case validate_case;

// A case that runs.
typedef struct trial
{
    pl_context *ctx;
    const validate_case *what;
    const validate_listener *listener;
    validate_effort effort;
    int32_t cells;
    double parameter; // of the row
    bool stopped;
} trial;

typedef struct expected_figure
{
    const char *what, *unit;
    bool absolute;                      // the deviation is a difference, not a part of what is published
    double tolerance[VALIDATE_EFFORTS]; // quick, usual, fine
} expected_figure;

struct validate_case
{
    const char *name;
    pl_status (*run)(trial *t);
    double parameter;
    const char *source, *cells_of;
    int32_t cells[VALIDATE_EFFORTS]; // 0: left out
    expected_figure figure[VALIDATE_MOST_FIGURES];
};

extern const validate_case validate_cases[]; // ended by one without a name

// False: stop here, and tell nothing. `part` of the work is done.
bool trial_goes_on(trial *t, double part);
// Figure `number` of the row.
void trial_tell(trial *t, int32_t number, double ours, double published, const char *note);
// The same for points of a curve: means are shown, and the deviation is the mean of those of the points.
void trial_tell_curve(trial *t, int32_t number, int32_t count, const double *ours, const double *published,
                      const char *note);
double trial_curve_deviation(int32_t count, const double *ours, const double *published);

pl_status validate_rest(trial *t);
pl_status validate_sloshing(trial *t);
pl_status validate_layers(trial *t);
pl_status validate_dam_break(trial *t);
pl_status validate_dam_volume(trial *t);
pl_status validate_solitary(trial *t);
pl_status validate_beach(trial *t);
pl_status validate_zalesak(trial *t);
pl_status validate_vortex(trial *t);
pl_status validate_deformation(trial *t);
pl_status validate_couette(trial *t);
pl_status validate_poiseuille(trial *t);
pl_status validate_taylor_green(trial *t);
pl_status validate_cavity(trial *t);
pl_status validate_slump(trial *t);

#endif
