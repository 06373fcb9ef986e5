// app/sweep.h -- one scene with several values: --set materials.jelly.young=1e4,1e5,1e6
#ifndef APP_SWEEP_H
#define APP_SWEEP_H

#include "options.h"

bool sweep_is_asked(const char *const *changes, int32_t count);
// Run every combination into a directory of its own within `output`, then draw them side by side.
int sweep_run(const arguments *a, const char *const *changes, int32_t count, const char *output);

#endif
