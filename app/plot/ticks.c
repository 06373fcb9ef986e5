// app/plot/ticks.c -- round numbers along an axis, and how they are written.
//
// The step is the smallest of 1, 2, 5 times a power of ten that gives few enough ticks. Labels are made of integers, so
// that no locale can put a comma into them.
#include "ticks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// How many multiples of `step` lie in [low, high], with a little slack for round-off.
static plot_ticks multiples(double low, double high, double step)
{
    double slack = 1e-9 * (high - low), from = ceil((low - slack) / step), to = floor((high + slack) / step);
    return (plot_ticks){from * step, step, to < from ? 0 : (int32_t)fmin(to - from + 1, 1e6)};
}

plot_ticks plot_ticks_choose(double low, double high, int32_t at_most)
{
    static const double round_numbers[] = {1, 2, 5};
    double width = high - low;
    // nearly equal ends have no ticks between them that could be told apart
    if (!isfinite(width) || !(width > 1e-12 * fmax(fabs(low), fabs(high))) || width < 1e-290)
        return (plot_ticks){low, 1, 0};
    int power = (int)floor(log10(width / at_most));
    for (;; ++power)
        for (int k = 0; k < 3; ++k)
        {
            plot_ticks t = multiples(low, high, round_numbers[k] * pow(10, power));
            if (t.count <= at_most)
                return t;
        }
}

static int power_of_ten(double x) { return x > 0 ? (int)floor(log10(x) + 1e-9) : 0; }

// `decimals` in [0, 15], |value| so small that its digits fit 64 bits.
static size_t write_fixed(double value, int decimals, char *text, size_t size)
{
    int64_t digits = llround(fabs(value) * pow(10, decimals)), unit = llround(pow(10, decimals));
    const char *sign = value < 0 && digits > 0 ? "-" : "";
    if (decimals == 0)
        return (size_t)snprintf(text, size, "%s%" PRId64, sign, digits);
    return (size_t)snprintf(text, size, "%s%" PRId64 ".%0*" PRId64, sign, digits / unit, decimals, digits % unit);
}

size_t plot_tick_label(double value, double step, char text[PLOT_LABEL_CHARS])
{
    if (!isfinite(value))
        return (size_t)snprintf(text, PLOT_LABEL_CHARS, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    if (!(step > 0) || !isfinite(step))
        step = fabs(value) * 1e-3;
    int power = power_of_ten(fmax(fabs(value), step)), fine = power_of_ten(step);
    if (fabs(value) < 1e-6 * step)
        return write_fixed(0, 0, text, PLOT_LABEL_CHARS);
    if (power < 5 && fine > -5)
        return write_fixed(value, fine < 0 ? -fine : 0, text, PLOT_LABEL_CHARS);
    int decimals = power - fine < 0 ? 0 : power - fine > 9 ? 9 : power - fine;
    size_t length = write_fixed(value * pow(10, -power), decimals, text, PLOT_LABEL_CHARS);
    return length + (size_t)snprintf(text + length, PLOT_LABEL_CHARS - length, "e%d", power);
}
