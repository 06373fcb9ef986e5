// app/plot/formula.h -- a number from a formula over the figures of a frame.
//
//     "(bodies.ball.center.x - start(bodies.ball.center.x)) / cos(20 * deg)"
//
// Knows + - * / ^, parentheses, numbers, pi, deg, t (the time), the keys of metrics.jsonl with dots between them (x, y
// and z pick from three; a name with a - in it stands in double quotes), sqrt exp log sin cos tan abs floor, min(a, b),
// max(a, b), and start(a): what `a` was in the first frame. Angles are radians; times deg they are degrees. What is
// missing or null in a frame is not a number.
#ifndef APP_PLOT_FORMULA_H
#define APP_PLOT_FORMULA_H

#include "scene/source.h"

enum
{
    FORMULA_WHY_CHARS = 240
};

/// The value in a frame, given its line of metrics and that of the first frame. False when the formula is wrong, or
/// names something that frames do not have; `why` then says what.
bool formula_value(const char *formula, const pl__json *frame, const pl__json *first, double *value,
                   char why[FORMULA_WHY_CHARS]);

#endif
