// app/simulate.h -- frames one after another, with checkpoints, progress, and a way out.
#ifndef APP_SIMULATE_H
#define APP_SIMULATE_H

#include "rundir.h"

// Catch Ctrl-C and termination: the run stops at the next chance, a second one ends the program at once.
void watch_signals(void);
bool was_interrupted(void);

// Simulate from where the world is, at the end of `frame` (-1: not begun) and `cost` into the next, to the last frame.
// Returns an exit status; EXIT_INTERRUPTED after a checkpoint was written.
int simulate(rundir *d, int32_t frame, frame_cost cost);

#endif
