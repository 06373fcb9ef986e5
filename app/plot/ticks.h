// app/plot/ticks.h -- round numbers along an axis, and how they are written.
#ifndef APP_PLOT_TICKS_H
#define APP_PLOT_TICKS_H

#include <stddef.h>
#include <stdint.h>

enum
{
    PLOT_LABEL_CHARS = 32 // room for any label, and its final zero
};

typedef struct plot_ticks
{
    double first, step;
    int32_t count; // 0 when the range is empty or not finite
} plot_ticks;

/// Multiples of 1, 2 or 5 times a power of ten in [low, high]: as many as possible but no more than `at_most` (>= 2).
plot_ticks plot_ticks_choose(double low, double high, int32_t at_most);

static inline double plot_tick(const plot_ticks *t, int32_t i) { return t->first + t->step * i; }

/// A tick as text, with as many decimals as the step needs ("0.05", "2", "1.5e-7"); the same in every locale. Returns
/// the length.
size_t plot_tick_label(double value, double step, char text[PLOT_LABEL_CHARS]);

#endif
