// app/pictures_none.c -- in place of pictures.c where Embree, libpng or libwebp was not found.
#include "pictures.h"

static bool refuse(session *s)
{
    console_fail(s->con, "this pliant was built without pictures; install libembree-dev, libpng-dev, libwebp-dev and "
                         "pkg-config and build it again");
    return false;
}

bool pictures_available(void) { return false; }

double pictures_seconds(session *s)
{
    (void)s;
    return 0;
}

bool pictures_make(rundir *d, const char *path, int32_t first, int32_t last)
{
    (void)path;
    (void)first;
    (void)last;
    return refuse(d->s);
}

sheet *sheet_create(session *s, int32_t run_count, const sheet_moments *m)
{
    (void)run_count;
    (void)m;
    (void)refuse(s);
    return NULL;
}

bool sheet_look(sheet *h, rundir *d)
{
    (void)h;
    return refuse(d->s);
}

bool sheet_add(sheet *h, rundir *d, const char *name)
{
    (void)h;
    (void)name;
    return refuse(d->s);
}

bool sheet_write(sheet *h, const char *path)
{
    (void)h;
    (void)path;
    return false;
}

void sheet_destroy(sheet **h) { *h = NULL; }
