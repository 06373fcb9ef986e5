// app/render/movie_format.h -- what movie.c asks of a format.
#ifndef APP_RENDER_MOVIE_FORMAT_H
#define APP_RENDER_MOVIE_FORMAT_H

#include "movie.h"

#include "io/write.h"

struct movie_format;

struct movie
{
    pl_context *ctx;
    const struct movie_format *format;
    pl__writer writer; // the file under its temporary name
    int32_t width, height, frame_count;
    double fps;
    void *state; // of the format
};

// `begin` fails with nothing to end. `finish` writes what is missing into the writer; `end` frees the state in any
// case.
typedef struct movie_format
{
    const char *extension;
    pl_status (*begin)(movie *m);
    pl_status (*add)(movie *m, const image *frame);
    pl_status (*finish)(movie *m);
    void (*end)(movie *m);
} movie_format;

extern const movie_format movie_webp, movie_mp4;

#endif
