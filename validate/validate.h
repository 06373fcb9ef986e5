// validate/validate.h -- published benchmarks of liquids, and how near the library comes to them.
//
// A case (case.h) is a row of the table in cases.c and a function that simulates it and tells its figures. The command
// is app/cmd_validate.c.
#ifndef PL_VALIDATE_H
#define PL_VALIDATE_H

#include <pliant/base.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum validate_effort
{
    VALIDATE_QUICK, // seconds in all: coarse grids and wider tolerances, and not every case
    VALIDATE_USUAL,
    VALIDATE_FINE
} validate_effort;

// One line of the table. Texts live as long as the call that is told.
typedef struct validate_figure
{
    const char *name;     // of its case
    const char *what;     // is compared
    const char *unit;     // of ours, published, and the deviation unless that is relative
    const char *source;   // of what is published
    const char *cells_of; // what is so many cells long
    const char *note;     // "" or what else is worth knowing
    int32_t cells;
    bool relative, passed;
    double ours, published;
    double deviation, tolerance;
} validate_figure;

// What is told while cases run.
typedef struct validate_listener
{
    void (*figure)(void *user, const validate_figure *figure);
    bool (*progress)(void *user, const char *name, double part); // false: stop
    void *user;                                                  // of both
} validate_listener;

// Cases whose names begin with `only`; all if it is NULL.
int32_t validate_count(const char *only, validate_effort effort);
// The name of a case, or NULL after the last.
const char *validate_name(int32_t number);

// Run them, one after the other. PL_ERR_MEMORY; PL_OK whether figures passed or not, and when it was stopped.
PL_NODISCARD pl_status validate_run(pl_context *ctx, const char *only, validate_effort effort,
                                    const validate_listener *listener);

#endif
