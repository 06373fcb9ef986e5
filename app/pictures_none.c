// app/pictures_none.c -- in place of pictures.c where Embree, libpng or libwebp was not found.
#include "pictures.h"

static bool refuse(rundir *d)
{
    console_fail(d->s->con, "this pliant was built without pictures; install libembree-dev, libpng-dev, libwebp-dev and pkg-config and build it again");
    return false;
}

bool pictures_available(void) { return false; }

bool pictures_make(rundir *d, const char *path, int32_t first, int32_t last)
{
    (void)path;
    (void)first;
    (void)last;
    return refuse(d);
}

bool pictures_sheet(rundir *runs, const char *const *labels, int32_t run_count, const sheet_moments *m, const char *path)
{
    (void)labels;
    (void)run_count;
    (void)m;
    (void)path;
    return refuse(runs);
}
