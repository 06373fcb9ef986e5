// app/pictures.h -- frames of a run as pictures and movies.
#ifndef APP_PICTURES_H
#define APP_PICTURES_H

#include "rundir.h"

// Whether this build can draw; otherwise each function says what to install and returns false.
bool pictures_available(void);

// Draw frames `first` to `last` of a run: `path` ends in .webp or .mp4, in .png (one frame, or with a %d for its number).
bool pictures_make(rundir *d, const char *path, int32_t first, int32_t last);
// Which pictures of a run are on a sheet.
typedef struct sheet_moments
{
    int32_t count;       // at least 2, evenly spaced
    int32_t first, last; // frames; last -1: that of each run
} sheet_moments;
// A sheet of pictures: moments of each run, labelled with its label and the time.
bool pictures_sheet(rundir *runs, const char *const *labels, int32_t run_count, const sheet_moments *m, const char *path);

#endif
