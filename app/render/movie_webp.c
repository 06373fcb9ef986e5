// app/render/movie_webp.c -- animated WebP through libwebp.
//
// The encoder keeps what changed from frame to frame and holds the compressed frames in memory until the end. Its
// memory does not come from the context.
#include "movie_format.h"

#include <math.h>
#include <webp/encode.h>
#include <webp/mux.h>

static const float quality = 80;

static pl_status fail(movie *m, const char *what)
{
    return pl__fail(m->ctx, PL_ERR_STATE, "%s: WebP encoder: frame %d: %s", m->writer.target, m->frame_count, what);
}

static pl_status begin(movie *m)
{
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options))
        return fail(m, "another version of the library");
    options.anim_params.loop_count = 0;
    m->state = WebPAnimEncoderNew(m->width, m->height, &options);
    return m->state ? PL_OK : pl__fail(m->ctx, PL_ERR_MEMORY, "%s: out of memory for a WebP encoder", m->writer.target);
}

static int milliseconds(const movie *m) { return (int)lrint(1000.0 * m->frame_count / m->fps); }

static pl_status add_picture(movie *m, WebPPicture *picture, const image *frame)
{
    WebPConfig config;
    if (!WebPConfigInit(&config))
        return fail(m, "another version of the library");
    config.quality = quality;
    config.method = 2;
    picture->use_argb = 1;
    picture->width = m->width;
    picture->height = m->height;
    if (!WebPPictureImportRGB(picture, frame->rgb, 3 * m->width))
        return pl__fail(m->ctx, PL_ERR_MEMORY, "%s: out of memory for a frame", m->writer.target);
    if (!WebPAnimEncoderAdd(m->state, picture, milliseconds(m), &config))
        return fail(m, WebPAnimEncoderGetError(m->state));
    return PL_OK;
}

static pl_status add(movie *m, const image *frame)
{
    // times are in an int of milliseconds
    if (1000.0 * (m->frame_count + 1) / m->fps > 2e9)
        return fail(m, "the movie is longer than 23 days");
    WebPPicture picture;
    if (!WebPPictureInit(&picture))
        return fail(m, "another version of the library");
    pl_status status = add_picture(m, &picture, frame);
    WebPPictureFree(&picture);
    return status;
}

static pl_status finish(movie *m)
{
    WebPData data;
    WebPDataInit(&data);
    // the end of the last frame
    if (!WebPAnimEncoderAdd(m->state, NULL, milliseconds(m), NULL) || !WebPAnimEncoderAssemble(m->state, &data))
        return fail(m, WebPAnimEncoderGetError(m->state));
    pl__write_bytes(&m->writer, data.bytes, data.size);
    WebPDataClear(&data);
    return PL_OK;
}

static void end(movie *m)
{
    WebPAnimEncoderDelete(m->state);
    m->state = NULL;
}

const movie_format movie_webp = {".webp", begin, add, finish, end};
