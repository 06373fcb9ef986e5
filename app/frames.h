// app/frames.h -- frames of a run for exporters.
#ifndef APP_FRAMES_H
#define APP_FRAMES_H

#include "rundir.h"

// Write frames `first` to `last` in one format into `directory`, which is made.
bool frames_export(rundir *d, pl_export_format format, const char *directory, int32_t first, int32_t last);

#endif
