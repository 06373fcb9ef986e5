// app/metrics.h -- a line of metrics.jsonl per frame.
#ifndef APP_METRICS_H
#define APP_METRICS_H

#include "rundir.h"

// The figures of the world at the end of a frame that cost `cost`, as one line with its line break.
bool metrics_line(session *s, int32_t frame, const frame_cost *cost, text *line, pl_step_info *total);

#endif
