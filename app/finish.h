// app/finish.h -- what a run leaves when its frames are there: a movie and files for other programs.
#ifndef APP_FINISH_H
#define APP_FINISH_H

#include "rundir.h"

// Returns an exit status.
int finish_run(rundir *d);

#endif
