// src/solid/damping_solve.h -- the velocity solve of the semi-implicit step: (M + h D) v = b with contacts.
#ifndef PL_SOLID_DAMPING_SOLVE_H
#define PL_SOLID_DAMPING_SOLVE_H

#include "step.h"

typedef enum pl__solve_number
{
    PL__FIRST_SOLVE, // v~ from the forces at x
    PL__SECOND_SOLVE // velocities at mid-step, or at its end
} pl__solve_number;

// Whether a body uses the trapezoidal rule of thesis 2.9 (forces at both ends of the step) or the midpoint rule of
// 3.1.
bool pl__goes_by_ends(const pl__step *step, const pl__body *body);
bool pl__all_by_ends(const pl__step *step);
// Range of components of a body within nodes [begin, end): empty if first >= last.
void pl__part_of_body(const pl__body *body, int32_t begin, int32_t end, size_t *first, size_t *last);

// Compute step.v_end from step.v_start and the forces of the last evaluation, over h = dt/2. False if a value is not
// finite.
bool pl__damping_solve(pl__step *step, pl__solve_number number);
// Whether an assembled matrix is likely to pay off: it then has to exist before the step begins.
bool pl__damping_matrix_may_help(const pl__solids *solids);
// After the step: impulses of pairs over the whole of it, for events, and the work of their friction.
void pl__damping_report_impulses(const pl__step *step);

#endif
