// app/render/movie.c -- movies of any format: checks, and a file that appears whole or not at all.
#include "movie_format.h"

#include <math.h>
#include <string.h>

static const movie_format *find_format(const char *path)
{
    static const movie_format *const formats[] = {&movie_webp, &movie_mp4};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
    {
        size_t tail = strlen(formats[i]->extension);
        if (length > tail && strcmp(path + length - tail, formats[i]->extension) == 0)
            return formats[i];
    }
    return NULL;
}

static pl_status start(movie *m, const char *path)
{
    PL_TRY(pl__writer_open(&m->writer, m->ctx, path));
    pl_status status = m->format->begin(m);
    if (status != PL_OK)
        pl__writer_discard(&m->writer);
    return status;
}

pl_status movie_open(pl_context *ctx, const char *path, int32_t width, int32_t height, double fps, movie **out)
{
    const movie_format *format = find_format(path);
    PL_CHECK(ctx, format, "%s: a movie ends in .webp or .mp4", path);
    PL_CHECK(ctx, width >= 1 && width < IMAGE_SIZE_MAX && height >= 1 && height < IMAGE_SIZE_MAX,
             "%s: %d x %d pixels are not in [1, %d]", path, width, height, IMAGE_SIZE_MAX - 1);
    PL_CHECK(ctx, fps >= 0.1 && fps <= 1000, "%s: %g frames per second are not in [0.1, 1000]", path, fps);
    movie *m = PL_NEW(ctx, 1, movie);
    if (!m)
        return PL_ERR_MEMORY;
    *m = (movie){.ctx = ctx, .format = format, .width = width, .height = height, .fps = fps};
    pl_status status = start(m, path);
    if (status == PL_OK)
        *out = m;
    else
        PL_DELETE(ctx, m, 1);
    return status;
}

pl_status movie_add(movie *m, const image *frame)
{
    PL_CHECK(m->ctx, frame->rgb && frame->width == m->width && frame->height == m->height,
             "%s: frame %d has %d x %d pixels, the movie %d x %d", m->writer.target, m->frame_count, frame->width,
             frame->height, m->width, m->height);
    PL_TRY(m->format->add(m, frame));
    m->frame_count++;
    return PL_OK;
}

static void release(movie **m)
{
    pl_context *ctx = (*m)->ctx;
    PL_DELETE(ctx, *m, 1);
}

pl_status movie_close(movie **handle)
{
    movie *m = *handle;
    pl_status status = PL_OK;
    if (m->frame_count == 0)
        status = pl__fail(m->ctx, PL_ERR_STATE, "%s: the movie has no frames", m->writer.target);
    if (status == PL_OK)
        status = m->format->finish(m);
    m->format->end(m);
    if (status == PL_OK)
        status = pl__writer_commit(&m->writer);
    else
        pl__writer_discard(&m->writer);
    release(handle);
    return status;
}

void movie_discard(movie **m)
{
    if (!*m)
        return;
    (*m)->format->end(*m);
    pl__writer_discard(&(*m)->writer);
    release(m);
}
