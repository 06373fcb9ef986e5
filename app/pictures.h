// app/pictures.h -- frames of a run as pictures and movies.
#ifndef APP_PICTURES_H
#define APP_PICTURES_H

#include "rundir.h"

// Whether this build can draw; otherwise each function says what to install and returns false.
bool pictures_available(void);

// About how long a picture of the world as it is takes [s]: a smaller one is drawn. 0 where this build cannot draw.
double pictures_seconds(session *s);

// Draw frames `first` to `last` of a run: `path` ends in .webp or .mp4, in .png (one frame, or with a
// %d, %4d or %06d for its number).
bool pictures_make(rundir *d, const char *path, int32_t first, int32_t last);
// Which pictures of a run are on a sheet.
typedef struct sheet_moments
{
    int32_t count;       // at least 2, evenly spaced
    int32_t first, last; // frames; last -1: that of each run
} sheet_moments;
// A sheet of pictures: moments of each run, labelled with its name and the time. Runs are added one after the other,
// and each may be closed before the next is opened, if all of them have the context of `s`. NULL or false: what is
// wrong has been said.
typedef struct sheet sheet;
sheet *sheet_create(session *s, int32_t run_count, const sheet_moments *m);
// Look at a run before any is added: all are then seen by the same camera, in the same colours.
bool sheet_look(sheet *h, rundir *d);
bool sheet_add(sheet *h, rundir *d, const char *name);
bool sheet_write(sheet *h, const char *path);
void sheet_destroy(sheet **h);

#endif
