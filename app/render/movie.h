// app/render/movie.h -- pictures in time: animated WebP, which browsers play, or MP4 through ffmpeg where it is
// installed.
//
//     movie *m;
//     if (movie_open(ctx, "out/fall.webp", 960, 540, 24, &m) == PL_OK)
//     {
//         ... movie_add(m, &frame) for each frame; after a failure movie_discard(&m) ...
//         movie_close(&m);
//     }
//
// The file appears with movie_close(), whole or not at all.
#ifndef APP_RENDER_MOVIE_H
#define APP_RENDER_MOVIE_H

#include "image.h"

typedef struct movie movie;

/// `path` ends in .webp (loops for ever) or .mp4 (needs ffmpeg). fps in [0.1, 1000]. A WebP frame has at most 16383
/// pixels along a side.
PL_NODISCARD pl_status movie_open(pl_context *ctx, const char *path, int32_t width, int32_t height, double fps,
                                  movie **out);
/// Append a frame of the movie's size. After a failure only movie_discard() makes sense.
PL_NODISCARD pl_status movie_add(movie *m, const image *frame);
/// Finish and write the file; frees the movie either way and nulls the pointer. A movie without frames is an error.
PL_NODISCARD pl_status movie_close(movie **m);
/// Leave no file and free the movie. NULL is fine.
void movie_discard(movie **m);

#endif
